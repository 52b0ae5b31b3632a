// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening of events and mapping of their areas, through perf's system call.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "gpu/open.h"
#include "lib/tool.h"

/**
 * perf_open() - open an event of perf
 * @attr: the event
 * @pid: process to count, -1: any
 * @cpu: CPU to count on, -1: any
 * @leader: descriptor of the group's leader, -1: the event itself leads
 *
 * Return: the descriptor, or a negative errno.
 */
int perf_open(struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/**
 * event_open() - open an event of this driver; a leader is opened disabled
 * @event: the event, encoded
 * @leader: descriptor of the group's leader, -1: the event itself leads
 * @attr: settings for reading and sampling
 *
 * Return: the descriptor, or a negative errno.
 */
int event_open(const struct event *event, int leader, struct perf_event_attr attr)
{
	attr.type = event->pmu->type;
	attr.config = event->config[0];
	attr.config1 = event->config[1];
	attr.config2 = event->config[2];
	attr.disabled = leader < 0;
	return perf_open(&attr, -1, event->pmu->cpu, leader);
}

/**
 * data_map() - map the area of perf's records
 * @fd: the event
 * @pages: pages of the area, without the first page
 *
 * Return: the first page, NULL with errno if mapping fails.
 */
struct perf_event_mmap_page *data_map(int fd, unsigned int pages)
{
	size_t size = (1 + pages) * sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return NULL;
	page->aux_offset = size;
	return page;
}

/**
 * area_map() - map the area into which the GPU writes packets
 * @fd: the event
 * @page: from data_map()
 * @size: size of the area in bytes
 *
 * Return: the area, NULL with errno if mapping fails.
 */
void *area_map(int fd, struct perf_event_mmap_page *page, size_t size)
{
	void *area;

	page->aux_size = size;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page->aux_offset);
	return area == MAP_FAILED ? NULL : area;
}

/**
 * perf_clock() - read perf's clock, by the timestamp of an event that this function causes
 *
 * Return: the time in ns, 0 if perf reports none.
 */
uint64_t perf_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1);
	struct perf_event_mmap_page *page;
	uint64_t now = 0;
	char name[16];

	if (fd < 0)
		return 0;
	page = data_map(fd, 1);
	if (page) {
		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, name);
		if (page->data_head >= sizeof(now))
			memcpy(&now, (char *)page + sysconf(_SC_PAGESIZE) + page->data_head -
			       sizeof(now), sizeof(now));
		munmap(page, page->aux_offset);
	}
	close(fd);
	return now;
}
