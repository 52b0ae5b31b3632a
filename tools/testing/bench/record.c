// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs to take packets of record mode: as raw samples, and through the
 * AUX area, beside a memcpy() of the same bytes and beside samples of an event of
 * perf's own at its highest rate. All in one run, in which other things than the
 * ratios mean little.
 *
 *	record PMU SECONDS [DOMAIN...]
 *
 * The share of the CPU is what a thread that only spins, and gives way to all
 * others, loses of it: so interrupts are counted as well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/pcounter.h>
#include <linux/pcounter_record.h>

#define MAX_STREAMS	8
#define DATA_PAGES	1024
#define AUX_PAGES	1024
#define PACKET		sizeof(struct pcounter_record_packet)
#define TERM(name, val)	((uint64_t)(val) << PCOUNTER_##name##_LO)
#define CHECK(call)	do { if ((long)(call) < 0) die(#call); } while (0)

/**
 * struct stream - an event that is captured
 * @fd: the event
 * @page: head and tail
 * @data: the samples
 * @aux: the AUX area, if it has one
 * @packets: taken so far
 * @lost: what the event says of lost ones
 * @full: it has been disabled until there is room in its AUX area
 */
struct stream {
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint8_t *aux;
	uint64_t packets;
	uint64_t lost;
	bool full;
};

/**
 * struct result - of one way to capture
 * @name: which
 * @seconds: how long it was looked at
 * @packets: taken
 * @lost: not taken
 * @share: of the CPU that nothing else could use
 */
struct result {
	const char *name;
	double seconds;
	uint64_t packets;
	uint64_t lost;
	double share;
};

static bool spinning;
static uint64_t spins;
static size_t page_size;
static uint64_t sink;	/* so that nothing is optimised away */

static void die(const char *what)
{
	fprintf(stderr, "record: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static unsigned long long number_in(const char *pmu, const char *file)
{
	char path[256], text[64] = "";
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	stream = fopen(path, "r");
	if (!stream || !fgets(text, sizeof(text), stream))
		die(path);
	fclose(stream);
	return strtoull(text, NULL, 0);
}

/* ---- the spinner ---- */

static void *spin(void *unused)
{
	struct sched_param param = { };

	(void)unused;
	pthread_setschedparam(pthread_self(), SCHED_IDLE, &param);
	while (__atomic_load_n(&spinning, __ATOMIC_RELAXED))
		__atomic_store_n(&spins, spins + 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Spins in a second, while @body runs. */
static double spins_while(void (*body)(void *arg), void *arg, double *seconds)
{
	pthread_t thread;
	double start;

	spins = 0;
	spinning = true;
	if (pthread_create(&thread, NULL, spin, NULL))
		die("pthread_create");
	start = now();
	body(arg);
	*seconds = now() - start;
	__atomic_store_n(&spinning, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return spins / *seconds;
}

/* ---- events ---- */

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = DATA_PAGES * 1024,
	};
}

static void stream_map(struct stream *s, bool aux)
{
	s->page = mmap(NULL, (1 + DATA_PAGES) * page_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, s->fd, 0);
	if (s->page == MAP_FAILED)
		die("mmap");
	s->data = (uint8_t *)s->page + page_size;
	if (!aux)
		return;
	s->page->aux_offset = (1 + DATA_PAGES) * page_size;
	s->page->aux_size = AUX_PAGES * page_size;
	s->aux = mmap(NULL, s->page->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd,
		      s->page->aux_offset);
	if (s->aux == MAP_FAILED)
		die("mmap of the AUX area");
}

static void stream_close(struct stream *s)
{
	if (s->aux)
		munmap(s->aux, AUX_PAGES * page_size);
	munmap(s->page, (1 + DATA_PAGES) * page_size);
	close(s->fd);
}

/* Raw data of a sample: its size, struct trace_entry, then the header. */
static void take_raw(struct stream *s, const uint8_t *record)
{
	struct pcounter_record_header head;

	/* after the header of the record and the time: size, and 12 bytes before the data */
	memcpy(&head, record + sizeof(struct perf_event_header) + 8 + 4 + 12, sizeof(head));
	if (head.magic != PCOUNTER_RECORD_MAGIC)
		return;
	s->packets += s->aux ? 0 : head.packets;
	s->lost = head.overrun + head.missing + head.merged + head.unread;
}

static void take_data(struct stream *s)
{
	uint64_t head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = DATA_PAGES * page_size, tail = s->page->data_tail;
	static uint8_t record[65536];
	struct perf_event_header *h = (void *)record;
	uint64_t at, first;

	while (tail != head) {
		at = tail % size;
		memcpy(h, s->data + at, sizeof(*h));
		first = size - at < h->size ? size - at : h->size;
		memcpy(record, s->data + at, first);
		memcpy(record + first, s->data, h->size - first);
		if (h->type == PERF_RECORD_SAMPLE)
			take_raw(s, record);
		else if (h->type == PERF_RECORD_LOST)
			s->lost += ((uint64_t *)record)[2];
		else if (h->type == PERF_RECORD_AUX)
			s->full |= ((uint64_t *)record)[3] & PERF_AUX_FLAG_TRUNCATED;
		tail += h->size;
	}
	__atomic_store_n(&s->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* Nobody copies: packets are looked at where the GPU has put them. */
static void take_aux(struct stream *s)
{
	uint64_t head = __atomic_load_n(&s->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = s->page->aux_tail, sum = 0;

	s->packets += (head - tail) / PACKET;
	for (; tail < head; tail += PACKET)
		sum += *(uint64_t *)(s->aux + tail % (AUX_PAGES * page_size));
	__atomic_store_n(&sink, sum, __ATOMIC_RELAXED);
	__atomic_store_n(&s->page->aux_tail, head, __ATOMIC_RELEASE);
}

/* ---- what is measured ---- */

/**
 * struct capture - some streams at once
 * @stream: them
 * @n: how many
 * @seconds: how long
 */
struct capture {
	struct stream stream[MAX_STREAMS];
	unsigned int n;
	double seconds;
};

static void take(struct capture *c)
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		struct stream *s = &c->stream[i];

		take_data(s);
		if (s->aux)
			take_aux(s);
		if (s->full)
			ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
		s->full = false;
	}
}

static void run_capture(void *arg)
{
	struct capture *c = arg;
	double end = now() + c->seconds;

	while (now() < end) {
		usleep(5000);
		take(c);
	}
}

static void run_nothing(void *arg)
{
	usleep(*(double *)arg * 1e6);
}

static struct result capture(const char *name, const char *pmu, double seconds, bool aux,
			     char **doms, unsigned int n, double idle)
{
	struct result result = { .name = name };
	struct capture c = { .n = n, .seconds = seconds };
	unsigned int i;
	double rate;

	for (i = 0; i < n; i++) {
		struct perf_event_attr attr = attr_of(number_in(pmu, "type"), 0);

		attr.config = TERM(DOM, strtoul(doms[i], NULL, 0));
		attr.config1 = TERM(CLK, 1) | TERM(RECORD, 1) | TERM(PERIODIC, 1);
		c.stream[i].fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
		CHECK(c.stream[i].fd);
		stream_map(&c.stream[i], aux);
		CHECK(ioctl(c.stream[i].fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	rate = spins_while(run_capture, &c, &result.seconds);
	for (i = 0; i < n; i++)
		CHECK(ioctl(c.stream[i].fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&c);
	for (i = 0; i < n; i++) {
		result.packets += c.stream[i].packets;
		result.lost += c.stream[i].lost;
		stream_close(&c.stream[i]);
	}
	result.share = 1 - rate / idle;
	return result;
}

/* A page fault is the cheapest thing of which perf makes a sample each time. */
static void run_faults(void *arg)
{
	struct capture *c = arg;
	double end = now() + c->seconds;
	uint8_t *page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (page == MAP_FAILED)
		die("mmap");
	while (now() < end) {
		for (i = 0; i < 256; i++) {
			__atomic_store_n(page, 1, __ATOMIC_RELAXED);
			madvise(page, page_size, MADV_DONTNEED);
		}
		c->stream[0].packets += 256;
		take_data(&c->stream[0]);
	}
	munmap(page, page_size);
}

static struct result software(double seconds)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	struct result result = { .name = "samples of page faults", .share = 1 };
	struct capture c = { .n = 1, .seconds = seconds };
	struct stream *s = &c.stream[0];

	attr.sample_type = PERF_SAMPLE_TIME;
	s->fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	CHECK(s->fd);
	stream_map(s, false);
	CHECK(ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0));
	spins_while(run_faults, &c, &result.seconds);
	result.packets = s->packets;
	result.lost = s->lost;
	stream_close(s);
	return result;
}

static struct result copies(double seconds)
{
	struct result result = { .name = "memcpy() of packets", .share = 1 };
	size_t size = AUX_PAGES * page_size;
	uint8_t *from = malloc(size), *to = malloc(size);
	double start = now();

	if (!from || !to)
		die("malloc");
	memset(from, 1, size);
	memset(to, 1, size);
	do {
		memcpy(to, from, size);
		__atomic_store_n(&sink, to[size / 2], __ATOMIC_RELAXED);
		result.packets += size / PACKET;
		result.seconds = now() - start;
	} while (result.seconds < seconds);
	free(from);
	free(to);
	return result;
}

/* ---- all of it ---- */

static double nanoseconds(const struct result *r)
{
	return r->packets ? r->share * r->seconds * 1e9 / r->packets : 0;
}

static void show(const struct result *r, const struct result *unit)
{
	printf("%-24s %12.0f %10llu %8.2f %12.1f %10.2f\n", r->name, r->packets / r->seconds,
	       (unsigned long long)r->lost, 100 * r->share, nanoseconds(r),
	       nanoseconds(r) / nanoseconds(unit));
}

/* The reader, and what competes with it, where the PMU's interrupts are. */
static void settle(const char *pmu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number_in(pmu, "cpumask"), &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set));
}

/* perf holds back what samples too often; that is not what is to be measured. */
static void unlimit(void)
{
	/* in this order: the first cannot be set any more after the second */
	static const char *const file[] = { "perf_event_max_sample_rate",
					    "perf_cpu_time_max_percent" };
	static const char *const value[] = { "100000000", "0" };
	char path[64];
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/sys/kernel/%s", file[i]);
		fd = open(path, O_WRONLY);
		if (fd < 0 || write(fd, value[i], strlen(value[i])) < 0)
			fprintf(stderr, "record: %s: %s\n", path, strerror(errno));
		close(fd);
	}
}

int main(int argc, char **argv)
{
	char first[] = "1", *one[] = { first };
	struct result unit, result;
	double seconds, idle, took;
	char **doms = argc > 3 ? argv + 3 : one;
	unsigned int n = argc > 3 ? argc - 3 : 1;

	if (argc < 3 || n > MAX_STREAMS) {
		fprintf(stderr, "usage: record PMU SECONDS [DOMAIN...]\n");
		return 2;
	}
	page_size = sysconf(_SC_PAGESIZE);
	seconds = strtod(argv[2], NULL);
	settle(argv[1]);
	unlimit();
	idle = spins_while(run_nothing, &seconds, &took);
	unit = copies(seconds);
	printf("%-24s %12s %10s %8s %12s %10s\n", "", "packets/s", "lost", "CPU %", "ns/packet",
	       "x memcpy");
	show(&unit, &unit);
	result = capture("AUX area", argv[1], seconds, true, doms, n, idle);
	show(&result, &unit);
	result = capture("raw samples", argv[1], seconds, false, doms, n, idle);
	show(&result, &unit);
	result = software(seconds);
	show(&result, &unit);
	return 0;
}
