// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the share of the next second in which a GPU is busy, in percent: the first one that
 * has idle counters, or else the first one.
 */
#include <err.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Read the one word of a file. */
static void pmu_read(char word[256], const char *pmu, const char *file)
{
	char path[512];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", pmu, file);
	stream = fopen(path, "re");
	if (!stream || fscanf(stream, "%255s", word) != 1)
		err(1, "%s", path);
	fclose(stream);
}

/* Open an event by the name of its file, such as events/ticks. */
static int pmu_open(const char *pmu, const char *event, int leader)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .read_format = PERF_FORMAT_GROUP };
	char terms[256], word[256], file[300], name[256], *term;
	unsigned long long value;
	unsigned int bit;

	pmu_read(terms, pmu, event);		/* dom=0x1,clk */
	for (term = strtok(terms, ","); term; term = strtok(NULL, ",")) {
		if (sscanf(term, "%[^=]=%lli", name, &value) < 2)
			value = 1;
		snprintf(file, sizeof(file), "format/%s", name);
		pmu_read(word, pmu, file);	/* config:0-3, config1:14 */
		if (sscanf(word, "config:%u", &bit) == 1)
			attr.config |= value << bit;
		else if (sscanf(word, "config1:%u", &bit) == 1)
			attr.config1 |= value << bit;
	}
	pmu_read(word, pmu, "type");
	attr.type = atoi(word);
	pmu_read(word, pmu, "cpumask");
	return syscall(SYS_perf_event_open, &attr, -1, atoi(word), leader, PERF_FLAG_FD_CLOEXEC);
}

int main(void)
{
	const char *event = "events/gr_busy", *clock = "events/ticks";
	struct { unsigned long long members, clocks, count; } old, now;
	double share;
	glob_t pmus;
	int fd;

	if (glob("/sys/bus/event_source/devices/pcounter_idle_*", 0, NULL, &pmus)) {
		event = "events/pgraph_idle";
		clock = "events/dom1_cycles";
		if (glob("/sys/bus/event_source/devices/pcounter_*", 0, NULL, &pmus))
			errx(1, "no GPU with counters; is the module pcounter loaded?");
	}
	fd = pmu_open(*pmus.gl_pathv, clock, -1);
	if (fd < 0 || pmu_open(*pmus.gl_pathv, event, fd) < 0)
		err(1, "%s: %s", *pmus.gl_pathv, event);
	if (read(fd, &old, sizeof(old)) != sizeof(old) || sleep(1) ||
	    read(fd, &now, sizeof(now)) != sizeof(now))
		err(1, "read");
	if (now.clocks == old.clocks)
		errx(1, "no clock counted: the GPU sleeps, has left, or others use its counters");
	share = (double)(now.count - old.count) / (now.clocks - old.clocks);
	printf("%.1f\n", 100 * (strstr(event, "idle") ? 1 - share : share));
	return 0;
}
