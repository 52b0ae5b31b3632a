// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting and recording through perf's system call.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "gpu/count.h"
#include "lib/util.h"

static size_t reading_size(unsigned int n)
{
	return sizeof(struct reading) + n * sizeof(uint64_t);
}

static int perf_open(struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/**
 * count_open() - open a group, disabled
 * @count: the group
 * @event: the events, encoded; a leader of record mode may have samples
 * @n: number of events
 *
 * Return: 0, or the negative errno of the first event that the kernel refuses, whose number is
 * @count->refused; no event is open then.
 */
int count_open(struct count *count, const struct event *event, unsigned int n)
{
	int fd;

	memset(count, 0, sizeof(*count));
	count->fd = need(n, sizeof(*count->fd));
	count->now = need(1, reading_size(n));
	count->before = need(1, reading_size(n));
	for (; count->n < n; count->n++, event++) {
		struct perf_event_attr attr = {
			.type = event->pmu->type, .config = event->config.word[0],
			.config1 = event->config.word[1], .config2 = event->config.word[2],
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
			.disabled = !count->n,
			.pinned = !count->n && event->pinned,
		};

		if (event->sampling && !count->n) {
			attr.sample_period = 1;
			attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
		}
		fd = pmu_same(event->pmu) ?
			perf_open(&attr, -1, event->pmu->cpu, count->n ? count->fd[0] : -1) :
			-ENODEV;
		if (fd < 0) {
			count->refused = count->n;
			count_close(count);
			return fd;
		}
		count->fd[count->n] = fd;
	}
	return 0;
}

static void *map(int fd, size_t size, off_t at)
{
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	return area == MAP_FAILED ? NULL : area;
}

/**
 * record_map() - map the areas of a group of record mode
 * @count: the group
 * @pages: pages of the area into which the GPU writes packets; replaces one of another size
 *
 * Return: 0 or a negative errno; without @count->page the area for perf's records has failed.
 */
int record_map(struct count *count, size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE), data = (1 + RECORD_PAGES) * page;

	if (count->aux)
		munmap(count->aux, count->size);
	count->aux = NULL;
	count->page = count->page ?: map(count->fd[0], data, 0);
	if (!count->page)
		return -errno;
	count->size = pages * page;
	count->page->aux_offset = data;
	count->page->aux_size = count->size;
	count->aux = map(count->fd[0], count->size, data);
	return count->aux ? 0 : -errno;
}

/**
 * count_enable() - enable or disable a group
 * @count: the group
 * @on: true to enable
 */
void count_enable(const struct count *count, bool on)
{
	if (count->n)
		ioctl(count->fd[0], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/**
 * count_read() - read all counts of a group at one moment
 * @count: the group
 *
 * Return: false if they cannot be read.
 */
bool count_read(struct count *count)
{
	ssize_t size = reading_size(count->n);

	/* the reading before is overwritten, unless there is none */
	if (!count->n || read(count->fd[0], count->before, size) != size)
		return false;
	swap(count->now, count->before);
	return true;
}

/**
 * count_close() - close a group
 * @count: the group; may already be closed
 */
void count_close(struct count *count)
{
	if (count->aux)
		munmap(count->aux, count->size);
	if (count->page)
		munmap(count->page, count->page->aux_offset);
	while (count->n)
		close(count->fd[--count->n]);
	free(count->fd);
	free(count->now);
	free(count->before);
	*count = (struct count){ .refused = count->refused };
}

/**
 * own_open() - open an event of this process that every user may count
 *
 * Return: its descriptor, or a negative errno.
 */
int own_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .exclude_hv = 1,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1,
	};

	return perf_open(&attr, 0, -1, -1);
}

/**
 * perf_clock() - read perf's clock, by the timestamp of an event that this function causes
 *
 * Return: the time in ns, 0 if perf reports none.
 */
uint64_t perf_clock(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *head;
	int fd = own_open();
	uint64_t now = 0;
	char name[16];

	if (fd < 0)
		return 0;
	head = map(fd, 2 * page, 0);
	if (head) {
		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, name);
		if (head->data_head >= sizeof(now))
			memcpy(&now, (char *)head + page + head->data_head - sizeof(now),
			       sizeof(now));
		munmap(head, 2 * page);
	}
	close(fd);
	return now;
}

/**
 * wire_event() - make an event of a domain
 * @pmu: the PMU
 * @dom: index of the domain
 * @rest: the other terms of the event
 * @event: gets the event, encoded
 */
void wire_event(const struct pmu *pmu, unsigned int dom, const char *rest,
		struct event *event)
{
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];
	const char *terms = text_tmp("dom=%u,%s", id->dom, rest);

	memset(event, 0, sizeof(*event));
	if (pmu->topo.caps & PCOUNTER_CAP_SETS)
		terms = text_tmp("set=%u,unit=%u,%s", id->set, id->unit, terms);
	event_terms(pmu, terms, event);
}

/**
 * clock_event() - make the event of a domain's cycles, or of the ticks of the idle counters
 * @pmu: the PMU
 * @dom: index of the domain, as of event_domain()
 * @event: gets the event, encoded
 *
 * Return: false if the GPU does not have the domain.
 */
bool clock_event(const struct pmu *pmu, int dom, struct event *event)
{
	if (pmu->idle) {
		memset(event, 0, sizeof(*event));
		return event_terms(pmu, IDLE_TICKS, event);
	}
	if (dom >= 0)
		wire_event(pmu, dom, "clk", event);
	return dom >= 0;
}

/**
 * measure_clocks() - measure the clocks of a GPU's domains, or the ticks of its idle counters
 * @pmu: its PMU; the GPU must be awake
 * @ms: duration of the measurement
 * @hz: gets the frequency of each domain, or one frequency, -1 if unknown
 *
 * Return: the negative errno of a domain that the kernel refused, 0 if it refused none.
 */
int measure_clocks(const struct pmu *pmu, unsigned int ms, double *hz)
{
	static struct count count[PCOUNTER_MAX_DOMAINS];
	unsigned int i, nr = pmu->idle ? 1 : pmu->topo.nr;
	struct event event;
	int err = 0;

	for (i = 0; i < nr; i++) {
		if (clock_event(pmu, i, &event))
			err = count_open(&count[i], &event, 1) ?: err;
	}
	for (i = 0; i < nr; i++)
		count_enable(&count[i], true);
	wait_ms(ms);
	for (i = 0; i < nr; i++)
		count_enable(&count[i], false);
	for (i = 0; i < nr; i++) {
		hz[i] = -1;
		if (count_read(&count[i]) && count[i].now->running)
			hz[i] = count[i].now->value[0] * 1e9 / count[i].now->running;
		count_close(&count[i]);
	}
	return err;
}
