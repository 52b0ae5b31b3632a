// SPDX-License-Identifier: GPL-2.0-only
/*
 * orphan: show a use after free of perf itself, with software events alone.
 *
 * A CPU that goes offline detaches its events from their groups, but a leader
 * still takes members when the CPU is back. The end of such a leader detaches
 * nothing: perf frees it, and the member stays in its list. The end of the member
 * then writes to the freed leader. Only a kernel with KASAN reports it; see
 * contrib/perf-orphan.txt. CPU 1 must be one that can go offline.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 1, leader, 0);

	if (fd < 0)
		err(1, "perf_event_open");
	return fd;
}

static void set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		err(1, "cpu1/online");
	close(fd);
}

int main(void)
{
	int leader = open_event(-1), member;

	set_online("0");
	set_online("1");
	member = open_event(leader);
	close(leader);
	/* perf frees the leader after a grace period */
	sleep(1);
	close(member);
	return 0;
}
