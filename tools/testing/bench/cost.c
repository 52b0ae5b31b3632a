// SPDX-License-Identifier: GPL-2.0-only
/*
 * Costs of counting, reading and recording, with a simulated GPU that costs nothing:
 *
 *	cost record	packets of record mode, by destination
 *	cost stream	records of GF100 and later, of all domains of its HUB
 *	cost read	reads of groups, by events, domains and clients
 *	cost domains	the same, of a GPU with many domains
 *	cost resched	task switches of other users, by number of open events
 *
 * A guest whose clock counts instructions (tools/testing/bench/run) makes ratios that are
 * the same everywhere. Times of a real machine are shorter: it executes some instructions
 * in each nanosecond.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "meter.h"
#include "resched.h"
#include "stream.h"

#define PMU		"pcounter_0"
#define MIB		0x100000ULL
#define PACKET		32
#define FULL_RATE	586000	/* clock of a domain, at 600 MHz */
#define SLOWEST		7	/* PERIODIC, 64K clocks */
#define SLOWEST_RATE	15300	/* of that, at 1 GHz */
#define DOMAINS		8
#define SIGNAL		0x10
#define READ_US		5000
#define SLOTS		12	/* counters of a packet */
/* A usual processor executes at least this number of instructions in a nanosecond. */
#define USUAL		2

/**
 * struct capture - several streams at the same time
 * @stream: the streams
 * @n: number of streams
 * @member: events of the other domains, if the only stream has the records of all
 * @signal: signal of each domain, 0 for its clock
 * @periodic: code of the period
 * @ns: duration
 */
struct capture {
	struct stream stream[DOMAINS];
	unsigned int n;
	int member[DOMAINS];
	unsigned int signal;
	unsigned int periodic;
	uint64_t ns;
};

/* ---- packets ---- */

/* Return the attributes of a signal of a domain, or of its clock if the signal is 0. */
static struct perf_event_attr record_attr(unsigned int dom, unsigned int sig, bool samples)
{
	return (struct perf_event_attr){
		.type = pmu_type(PMU),
		.config = TERM(DOM, dom) | TERM(SIG, sig),
		.config1 = TERM(CLK, !sig) | TERM(RECORD, 1) | TERM(PERIODIC, 1),
		.sample_period = samples,
		.sample_type = samples ? PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
					 PERF_SAMPLE_RAW : 0,
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = MIB,
	};
}

static void take_all(void *arg)
{
	struct capture *c = arg;
	uint64_t end = now() + c->ns;
	unsigned int i;

	while (now() < end) {
		usleep(READ_US);
		for (i = 0; i < c->n; i++)
			stream_take(&c->stream[i]);
	}
}

static void open_all(struct capture *c, uint64_t data, uint64_t aux)
{
	struct perf_event_attr attr;
	int fd[DOMAINS];
	unsigned int i;

	for (i = 0; i < DOMAINS; i++) {
		attr = record_attr(i, c->signal, i < c->n);
		if (c->periodic)
			attr.config1 = TERM(RECORD, 1) | TERM(PERIODIC, c->periodic);
		attr.disabled = i < c->n;
		fd[i] = event_open(&attr, i < c->n ? -1 : fd[0]);
	}
	/* once there is an area, no event of others records */
	for (i = 0; i < c->n; i++)
		stream_map(&c->stream[i], fd[i], data, aux);
	for (; i < DOMAINS; i++)
		c->member[i] = fd[i];
	for (i = 0; i < c->n; i++)
		CHECK(ioctl(c->stream[i].fd, PERF_EVENT_IOC_ENABLE, 0));
}

static void close_all(struct capture *c)
{
	unsigned int i;

	for (i = 0; i < c->n; i++)
		stream_close(&c->stream[i]);
	for (; i < DOMAINS; i++)
		close(c->member[i]);
}

/**
 * struct packets - result of a measurement
 * @each: instructions for each packet
 * @share: load of a processor that executes one instruction in a nanosecond
 * @by_clock: the same, of work that the clock starts: it also runs while the simulated
 *	GPU works
 * @lost: packets that are reported as lost
 */
struct packets {
	double each;
	double share;
	double by_clock;
	uint64_t lost;
};

static struct packets measure(struct capture c, unsigned int rate, uint64_t data, uint64_t aux)
{
	uint64_t packets = 0, lost = 0, ns = c.ns;
	struct used used;
	unsigned int i;

	set_rate(rate);
	open_all(&c, data, aux);
	/* skip the one-time costs, in the first pass of an area */
	c.ns += (aux / PACKET) * 1000000000ULL / rate;
	take_all(&c);
	c.ns = ns;
	for (i = 0; i < c.n; i++) {
		packets -= c.stream[i].packets;
		lost -= c.stream[i].lost;
	}
	used = meter_run(take_all, &c);
	for (i = 0; i < c.n; i++) {
		packets += c.stream[i].packets;
		lost += c.stream[i].lost;
	}
	close_all(&c);
	return (struct packets){ .each = packets ? used.driver / packets : 0,
				 .share = used.driver / used.ns,
				 .by_clock = used.driver / used.all, .lost = lost };
}

static struct packets capture(unsigned int rate, unsigned int signal, uint64_t ns,
			      uint64_t data, uint64_t aux)
{
	const struct capture c = { .n = DOMAINS, .signal = signal, .ns = ns };

	return measure(c, rate, data, aux);
}

static void count_for(void *arg)
{
	usleep(*(uint64_t *)arg / 1000);
}

/* Open the clock of a domain, and @signals signals beside it. */
static void open_counted(int fd[1 + SLOTS], unsigned int dom, unsigned int signals)
{
	struct perf_event_attr attr = record_attr(dom, 0, false);
	unsigned int i;

	fd[0] = event_open(&attr, -1);
	for (i = 0; i < signals; i++) {
		attr = record_attr(dom, SIGNAL + i, false);
		fd[1 + i] = event_open(&attr, fd[0]);
		CHECK(ioctl(fd[1 + i], PERF_EVENT_IOC_ENABLE, 0));
	}
	CHECK(ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
}

static uint64_t read_count(int fd)
{
	uint64_t count;

	CHECK(read(fd, &count, sizeof(count)));
	return count;
}

/* Return the cost of a packet of 1024 clocks that is only counted. */
static double counted(unsigned int signals, unsigned int rate, uint64_t ns)
{
	int fd[DOMAINS][1 + SLOTS];
	uint64_t clocks = 0;
	unsigned int i, k;
	struct used used;

	set_rate(rate);
	for (i = 0; i < DOMAINS; i++) {
		open_counted(fd[i], i, signals);
		clocks -= read_count(fd[i][0]);
	}
	used = meter_run(count_for, &ns);
	/* a close takes a while, in which the other domains go on */
	for (i = 0; i < DOMAINS; i++)
		clocks += read_count(fd[i][0]);
	for (i = 0; i < DOMAINS; i++)
		for (k = 0; k <= signals; k++)
			close(fd[i][k]);
	return used.driver / (clocks / 1024.0);
}

/* ---- the cost of other ways to move the same bytes ---- */

static uint64_t *buffer(void)
{
	uint64_t *made = malloc(MIB);

	if (!made)
		die("malloc");
	memset(made, 1, MIB);
	return made;
}

/* Copy like i915's OA and hisi_ptt, but without string instructions. */
__attribute__((optimize("no-tree-vectorize", "no-tree-loop-distribute-patterns")))
static void copy_words(uint64_t *to, const uint64_t *from, size_t words)
{
	size_t i;

	for (i = 0; i < words; i++)
		to[i] = from[i];
}

static uint64_t sink;	/* keeps the compiler from optimising the copy away */

static double copying(bool words)
{
	uint64_t *from = buffer(), *to = buffer(), start = now(), ns;

	if (words)
		copy_words(to, from, MIB / sizeof(*to));
	else
		memcpy(to, from, MIB);
	__atomic_store_n(&sink, to[0], __ATOMIC_RELAXED);
	ns = now() - start;
	free(from);
	free(to);
	return ns / (double)(MIB / PACKET);
}

#define FAULTS	4096

/* Measure page faults, the cheapest source of samples in perf. */
static double faults(bool sampled)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME, .disabled = 1,
	};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stream s;
	uint64_t start;
	unsigned int i;

	if (page == MAP_FAILED)
		die("mmap");
	stream_map(&s, event_open(&attr, -1), MIB, 0);
	if (sampled)
		CHECK(ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	start = now();
	for (i = 0; i < FAULTS; i++) {
		__atomic_store_n(page, 1, __ATOMIC_RELAXED);
		madvise(page, 4096, MADV_DONTNEED);
	}
	start = now() - start;
	stream_close(&s);
	munmap(page, 4096);
	return start / (double)FAULTS;
}

/* ---- recording ---- */

static void show_hole(const char *name, uint64_t data, uint64_t aux)
{
	struct capture c = { .n = DOMAINS };
	double ns;

	set_rate(FULL_RATE);
	open_all(&c, data, aux);
	ns = find_holes(20000000).longest;
	close_all(&c);
	row_of(name, ns / 1000, ns / 1000 / (200 * USUAL), 1, 2);
}

/* Show rates, each four times the previous one; the cost of a packet must not grow. */
static struct packets show_rates(const char *name, unsigned int signal, uint64_t data,
				 uint64_t aux, struct packets *slow)
{
	struct packets some, full;
	char text[64];

	*slow = capture(FULL_RATE / 16, signal, 200000000, data, aux);
	some = capture(FULL_RATE / 4, signal, 100000000, data, aux);
	full = capture(FULL_RATE, signal, 100000000, data, aux);
	snprintf(text, sizeof(text), "%s, 1/16 of the full rate", name);
	row(text, slow->each);
	snprintf(text, sizeof(text), "%s, 1/4, beside 1/16", name);
	row_of(text, some.each, some.each / slow->each, 1, 1);
	snprintf(text, sizeof(text), "%s, 4.7 M packets/s, beside 1/16", name);
	row_of(text, full.each, full.each / slow->each, 1, 1);
	return full;
}

/* No packet is decoded, whatever events count. */
static void show_aux(const char *name, unsigned int signal, double unit)
{
	struct packets slow, full = show_rates(name, signal, MIB, 64 * MIB, &slow);
	char text[64];

	snprintf(text, sizeof(text), "%s, beside the copy", name);
	row_of(text, full.each, full.each / unit, 1, 1);
	snprintf(text, sizeof(text), "%s, all of it, for 16 times the rate", name);
	row_of(text, full.each, full.by_clock / slow.by_clock, 1.05, 1.2);
	snprintf(text, sizeof(text), "%s, %% of a processor", name);
	row_of(text, 100 * full.share / USUAL, 100 * full.share / USUAL, 1, 1);
	snprintf(text, sizeof(text), "%s, packets lost", name);
	row_of(text, full.lost, full.lost, 0, 0);
}

static void show_raw(double unit, double sample)
{
	struct packets slow, full = show_rates("raw samples", 0, 8 * MIB, 0, &slow);

	row_of("raw samples, beside the copy", full.each, full.each / unit, 3, 3.5);
	row_of("raw samples, packets lost", full.lost, full.lost, 0, 0);
	row_of("raw, beside a sample of perf's own", full.each, full.each / sample, 1, 1);
}

/* Show the costs by rate, and by number of events. */
static void show_counted(double unit)
{
	double slow = counted(0, FULL_RATE / 16, 200000000);
	double some = counted(0, FULL_RATE / 4, 100000000);
	double full = counted(0, FULL_RATE, 100000000);
	double one = counted(1, FULL_RATE, 100000000);
	double four = counted(4, FULL_RATE, 100000000);
	double twelve = counted(SLOTS, FULL_RATE, 100000000);

	row("only counted, 1/16 of the full rate", slow);
	row_of("only counted, 1/4, beside 1/16", some, some / slow, 1, 1);
	row_of("only counted, 4.7 M/s, beside 1/16", full, full / slow, 1, 1);
	row_of("only counted, beside the copy", full, full / unit, 3, 3);
	row("only counted, a signal in each domain", one);
	row_of("only counted, 4 signals, beside one", four, four / one, 1.5, 1.5);
	row_of("only counted, 12 signals, beside one", twelve, twelve / one, 3, 3);
}

static void record(void)
{
	double memory, unit, sample;

	title("packets, instructions", "each");
	memory = copying(false);
	unit = copying(true);
	sample = faults(true) - faults(false);
	row("memcpy() of as many bytes", memory);
	row("copied by words, what ratios are of", unit);
	row("a sample of perf's own event", sample);
	show_aux("AUX", 0, unit);
	show_aux("AUX, a signal", SIGNAL, unit);
	show_raw(unit, sample);
	show_counted(unit);
	title("by interrupts at once, 4.7 M packets/s", "1000");
	show_hole("AUX, areas of 64 MiB", MIB, 64 * MIB);
	show_hole("raw samples", 8 * MIB, 0);
}

/* ---- records of GF100 and later ---- */

/*
 * Show the costs of 8 domains, whose records are in one area, or in samples of each domain.
 * The bound is in percent of a processor.
 */
static void show_records(const char *name, unsigned int areas, uint64_t aux, double bound)
{
	const struct capture c = { .n = areas, .signal = SIGNAL, .periodic = SLOWEST,
				   .ns = 1000000000 };
	struct packets got = measure(c, SLOWEST_RATE, MIB, aux);
	char text[64];

	snprintf(text, sizeof(text), "%s, each", name);
	row(text, got.each);
	snprintf(text, sizeof(text), "%s, %% of a processor", name);
	row_of(text, 100 * got.share / USUAL, 100 * got.share / USUAL, 1, bound);
	snprintf(text, sizeof(text), "%s, records lost", name);
	row_of(text, got.lost, got.lost, 0, 0);
	snprintf(text, sizeof(text), "%s, no records", name);
	row_of(text, !got.each, !got.each, 0, 0);
}

static void stream(void)
{
	title("records of 8 domains at 64K clocks", "");
	show_records("AUX", 1, 4 * MIB, 1);
	show_records("raw samples", DOMAINS, 0, 2);
}

/* ---- reading ---- */

/*
 * Take the minimum of these reads: the tick of the scheduler comes in every few reads,
 * since the simulated GPU takes most of the time.
 */
#define ROUNDS	32

/**
 * struct group - events that are read one after the other, or with their leader
 * @fd: descriptors of the events, the leader first
 * @n: number of events
 * @reads: how many of them are read each time
 */
struct group {
	int fd[MOST_EVENTS];
	unsigned int n;
	unsigned int reads;
};

static void group_add(struct group *g, struct perf_event_attr attr, bool member)
{
	if (g->n == MOST_EVENTS)
		return;
	attr.read_format = member || !g->n ? PERF_FORMAT_GROUP : 0;
	g->fd[g->n] = event_open(&attr, member && g->n ? g->fd[0] : -1);
	g->n++;
	g->reads = member ? 1 : g->n;
}

/*
 * Return the instructions of the driver and of perf for a read, without register accesses.
 * A timer of the driver may access registers before or after the read, which makes a
 * negative result: leave it out.
 */
static int64_t one_read(int fd)
{
	int64_t least = INT64_MAX, gpu, start, clock, took;
	uint64_t values[1 + MOST_EVENTS];
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		gpu = spent();
		clock = now();
		start = now();
		CHECK(read(fd, values, sizeof(values)));
		/* without the time of reading the clock */
		took = now() - start - (start - clock) - (spent() - gpu);
		if (took > 0 && took < least)
			least = took;
	}
	return least;
}

/* Return the same for all reads of a group. */
static double group_read(struct group *g)
{
	unsigned int i;
	double all = 0;

	for (i = 0; i < g->reads; i++)
		all += one_read(g->fd[i]);
	return all;
}

static void group_close(struct group *g)
{
	while (g->n)
		close(g->fd[--g->n]);
}

static struct perf_event_attr signal_attr(unsigned int dom, unsigned int sig)
{
	return (struct perf_event_attr){
		.type = pmu_type(PMU), .config = TERM(DOM, dom) | TERM(SIG, sig),
	};
}

static double group_of_five(bool own)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct group g = { };
	unsigned int i;
	double each;

	for (i = 0; i < 5; i++) {
		if (own)
			attr = signal_attr(1, 0x10 + i);
		if (own && i == 4)
			attr = (struct perf_event_attr){ .type = attr.type, .config = TERM(DOM, 1),
							 .config1 = TERM(CLK, 1) };
		group_add(&g, attr, true);
	}
	each = group_read(&g);
	group_close(&g);
	return each;
}

#define EVENTS	"/sys/bus/event_source/devices/" PMU "/events/"

static uint64_t number_of(const char *terms, const char *name)
{
	const char *at = strstr(terms, name);

	return at ? strtoull(at + strlen(name), NULL, 0) : 0;
}

/* Return the attributes of a domain's clock, by its name. */
static bool clock_attr(const char *file, struct perf_event_attr *attr)
{
	char path[256], terms[128];
	FILE *stream;

	if (strlen(file) < 7 || strcmp(file + strlen(file) - 7, "_cycles"))
		return false;
	snprintf(path, sizeof(path), EVENTS "%s", file);
	stream = fopen(path, "r");
	if (!stream || !fgets(terms, sizeof(terms), stream))
		die(path);
	fclose(stream);
	*attr = (struct perf_event_attr){
		.type = pmu_type(PMU),
		.config = TERM(DOM, number_of(terms, "dom=")) |
			  TERM(SET, number_of(terms, "set=")) |
			  TERM(UNIT, number_of(terms, "unit=")),
		.config1 = TERM(CLK, 1),
	};
	return true;
}

static unsigned int add_domains(struct group *g, unsigned int most)
{
	DIR *dir = opendir(EVENTS);
	struct perf_event_attr attr;
	struct dirent *entry;

	if (!dir)
		die(EVENTS);
	while (g->n < most && (entry = readdir(dir)))
		if (clock_attr(entry->d_name, &attr))
			group_add(g, attr, false);
	closedir(dir);
	return g->n;
}

/* Return the cost of "perf stat -a" with an event in each of @n domains. */
static double in_domains(unsigned int n)
{
	struct group g = { };
	double each;

	add_domains(&g, n);
	each = group_read(&g);
	group_close(&g);
	return each;
}

static unsigned int all_domains(void)
{
	struct group g = { };
	unsigned int n = add_domains(&g, MOST_EVENTS);

	group_close(&g);
	return n;
}

/* Return the cost of a group; a domain has room for four signals. */
static double in_a_group(unsigned int n)
{
	struct group g = { };
	unsigned int i;
	double each;

	for (i = 0; i < n; i++)
		group_add(&g, signal_attr(i / 4, 0x10 + i % 4), true);
	each = group_read(&g);
	group_close(&g);
	return each;
}

/* Return the cost of a read with @n clients of the same signal. */
static double by_clients(unsigned int n)
{
	struct group g = { };
	unsigned int i;
	double each;

	for (i = 0; i < n; i++)
		group_add(&g, signal_attr(1, 0x10), false);
	each = group_read(&g);
	group_close(&g);
	return each;
}

static void show_one(const char *what, double (*of)(unsigned int n), unsigned int n,
		     double one)
{
	char text[64];
	double each = of(n) / n;

	snprintf(text, sizeof(text), "%u %s, each", n, what);
	row_of(text, each, each / one, 1.5, 1.5);
}

/* Show a size, 4 and 16 times that size, and the maximum. */
static void show_growth(const char *what, double (*of)(unsigned int n), unsigned int most)
{
	double one = of(1);
	unsigned int n;

	row(what, one);
	for (n = 4; n <= most && n <= 16; n *= 4)
		show_one(what, of, n, one);
	if (most > 16)
		show_one(what, of, most, one);
}

static void show_switch(void)
{
	double each = a_switch();
	struct group g = { };
	unsigned int n = add_domains(&g, MOST_EVENTS);
	char text[64];

	each = (a_switch() - each) / n;
	group_close(&g);
	snprintf(text, sizeof(text), "%u domains with an event, each", n);
	row_of(text, each, each / dummy_switch(n), MOST_DUMMIES, MOST_DUMMIES);
}

static void domains(void)
{
	title("read(), a GPU with 136 domains", "each");
	show_growth("domains with an event", in_domains, all_domains());
	title("by a task switch, of that GPU", "each");
	show_switch();
}

static void reads(void)
{
	double own = group_of_five(true), theirs = group_of_five(false);

	title("read(), instructions without registers", "each");
	row("a group of five of perf's own clock", theirs);
	row_of("a group of four signals and cycles", own, own / theirs, 2, 2.5);
	show_growth("events of a group", in_a_group, 16);
	show_growth("clients of one event", by_clients, 16);
	show_growth("domains with an event", in_domains, DOMAINS);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: cost record|stream|read|domains|resched\n");
		return 2;
	}
	setlinebuf(stdout);
	CHECK(mlockall(MCL_CURRENT));
	meter_calibrate();
	if (!strcmp(argv[1], "record"))
		record();
	else if (!strcmp(argv[1], "stream"))
		stream();
	else if (!strcmp(argv[1], "read"))
		reads();
	else if (!strcmp(argv[1], "resched"))
		resched();
	else
		domains();
	return !all_reached();
}
