// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz: throw system calls at the PMUs named pcounter_*.
 *
 * Terms come from their format/ folders, so that most events are valid, and the rest
 * almost valid. Every thread draws from a sequence of its own: the same seed and
 * number of threads make the same calls, in an order that the scheduler decides. The
 * seed is printed when an event has been opened: from then on GPUs may go.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
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

#define PMUS		"/sys/bus/event_source/devices"
#define MAX_PMUS	16
#define MAX_TERMS	64
#define MAX_FDS		24
#define FIRST_SECONDS	100
#define MAX_THREADS	32

/* A term of format/: a field of a configuration word. */
struct term {
	unsigned int word;
	unsigned int first;
	unsigned int bits;
};

struct pmu {
	uint32_t type;
	unsigned int terms;
	struct term term[MAX_TERMS];
};

/* An open event, and its mappings. */
struct event {
	int fd;
	void *map;
	size_t len;
};

struct worker {
	pthread_t thread;
	uint64_t state;
	struct event event[MAX_FDS];
	unsigned long opens;
	unsigned long calls;
};

static struct pmu pmus[MAX_PMUS];
static unsigned int nr_pmus;
static atomic_bool stop;
static atomic_ulong accepted;

static uint32_t rnd(struct worker *w)
{
	w->state = w->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return w->state >> 33;
}

static bool one_in(struct worker *w, unsigned int n)
{
	return rnd(w) % n == 0;
}

/* ---- PMUs and terms ---- */

static bool read_line(const char *path, char *line, size_t len)
{
	FILE *f = fopen(path, "r");
	bool good = f && fgets(line, len, f);

	if (f)
		fclose(f);
	return good;
}

/* "config1:8-15", "config:3" */
static bool parse_term(const char *text, struct term *term)
{
	unsigned int last;
	const char *bits = strchr(text, ':');

	if (!bits || strncmp(text, "config", 6))
		return false;
	term->word = text[6] == ':' ? 0 : text[6] - '0';
	if (sscanf(bits, ":%u-%u", &term->first, &last) == 1)
		last = term->first;
	term->bits = last - term->first + 1;
	return term->word < 3 && last < 64 && last >= term->first;
}

static void scan_terms(struct pmu *pmu, const char *folder)
{
	char path[1536], line[64];
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir)) && pmu->terms < MAX_TERMS) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (read_line(path, line, sizeof(line)) &&
		    parse_term(line, &pmu->term[pmu->terms]))
			pmu->terms++;
	}
	if (dir)
		closedir(dir);
}

static void scan_pmus(void)
{
	char path[1024], line[64];
	struct dirent *entry;
	DIR *dir = opendir(PMUS);

	while (dir && (entry = readdir(dir)) && nr_pmus < MAX_PMUS) {
		if (strncmp(entry->d_name, "pcounter_", 9))
			continue;
		snprintf(path, sizeof(path), PMUS "/%s/type", entry->d_name);
		if (!read_line(path, line, sizeof(line)))
			continue;
		pmus[nr_pmus].type = strtoul(line, NULL, 10);
		snprintf(path, sizeof(path), PMUS "/%s/format", entry->d_name);
		scan_terms(&pmus[nr_pmus++], path);
	}
	if (dir)
		closedir(dir);
}

/* ---- calls ---- */

static struct event *any_event(struct worker *w)
{
	return &w->event[rnd(w) % MAX_FDS];
}

static void do_close(struct event *e)
{
	if (e->fd < 0)
		return;
	if (e->map)
		munmap(e->map, e->len);
	close(e->fd);
	memset(e, 0, sizeof(*e));
	e->fd = -1;
}

/* Prefer small values: domains, signals, flags. */
static uint64_t any_value(struct worker *w, unsigned int bits)
{
	uint64_t mask = bits < 64 ? (1ULL << bits) - 1 : ~0ULL;

	switch (rnd(w) % 8) {
	case 0:
		return mask;
	case 1:
		return ((uint64_t)rnd(w) << 32 | rnd(w)) & mask;
	default:
		return rnd(w) % 8 & mask;
	}
}

static void any_config(struct worker *w, const struct pmu *pmu, uint64_t config[3])
{
	unsigned int wishes = rnd(w) % 5, i;

	for (i = 0; i < wishes && pmu->terms; i++) {
		const struct term *term = &pmu->term[rnd(w) % pmu->terms];

		config[term->word] |= any_value(w, term->bits) << term->first;
	}
	if (one_in(w, 16))
		config[rnd(w) % 3] ^= 1ULL << rnd(w) % 64;
}

static void any_attr(struct worker *w, struct perf_event_attr *attr)
{
	const struct pmu *pmu = &pmus[rnd(w) % nr_pmus];
	uint64_t config[3] = {};

	any_config(w, pmu, config);
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu->type;
	attr->config = config[0];
	attr->config1 = config[1];
	attr->config2 = config[2];
	attr->read_format = rnd(w) % 32;
	attr->disabled = one_in(w, 2);
	attr->pinned = one_in(w, 8);
	attr->exclusive = one_in(w, 16);
	attr->inherit = one_in(w, 8);
	attr->exclude_user = one_in(w, 32);
	attr->freq = one_in(w, 32);
	if (one_in(w, 8))
		attr->sample_period = any_value(w, 40);
	if (one_in(w, 8))
		attr->sample_type = rnd(w) & 0x1ffff;
}

static void do_open(struct worker *w)
{
	static const int cpus[8] = { 0, 0, 0, 0, 0, 1, -1, 1000 };
	struct event *leader = any_event(w), *e = any_event(w);
	int cpu = cpus[rnd(w) % 8];
	struct perf_event_attr attr;

	do_close(e);
	any_attr(w, &attr);
	w->opens++;
	e->fd = syscall(SYS_perf_event_open, &attr, one_in(w, 16) ? 0 : -1, cpu,
			one_in(w, 2) ? leader->fd : -1, one_in(w, 4) ? rnd(w) % 16 : 0);
	accepted += e->fd >= 0;
}

static void do_ioctl(struct worker *w)
{
	static const unsigned long requests[12] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_ID,
		PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
		PERF_EVENT_IOC_ENABLE,
	};
	unsigned long request = requests[rnd(w) % 12];
	struct perf_event_attr attr;
	uint64_t value = any_value(w, 40);
	int fd = any_event(w)->fd;

	switch (request) {
	case PERF_EVENT_IOC_PERIOD:
	case PERF_EVENT_IOC_ID:
		ioctl(fd, request, &value);
		break;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		any_attr(w, &attr);
		ioctl(fd, request, &attr);
		break;
	case PERF_EVENT_IOC_SET_OUTPUT:
		ioctl(fd, request, any_event(w)->fd);
		break;
	default:
		ioctl(fd, request, one_in(w, 2) ? PERF_IOC_FLAG_GROUP : 0);
	}
}

static void do_read(struct worker *w)
{
	char buf[1024];
	ssize_t got = read(any_event(w)->fd, buf, rnd(w) % sizeof(buf));

	(void)got;
}

static void do_map(struct worker *w)
{
	struct event *e = any_event(w);
	size_t len = (1 + (one_in(w, 8) ? rnd(w) % 9 : 1UL << rnd(w) % 4)) * 4096;

	if (e->fd < 0)
		return;
	if (e->map) {
		munmap(e->map, e->len);
		e->map = NULL;
		return;
	}
	e->map = mmap(NULL, len, PROT_READ | (one_in(w, 2) ? PROT_WRITE : 0), MAP_SHARED,
		      e->fd, 0);
	e->len = len;
	if (e->map == MAP_FAILED)
		e->map = NULL;
}

static void do_poll(struct worker *w)
{
	struct pollfd fds = { .fd = any_event(w)->fd, .events = POLLIN };

	poll(&fds, 1, 0);
}

static void *work(void *data)
{
	struct worker *w = data;
	unsigned int i;

	for (i = 0; i < MAX_FDS; i++)
		w->event[i].fd = -1;
	for (; !stop; w->calls++) {
		switch (rnd(w) % 12) {
		case 0 ... 3:
			do_open(w);
			break;
		case 4 ... 6:
			do_ioctl(w);
			break;
		case 7 ... 8:
			do_read(w);
			break;
		case 9:
			do_map(w);
			break;
		case 10:
			do_poll(w);
			break;
		default:
			do_close(any_event(w));
		}
	}
	for (i = 0; i < MAX_FDS; i++)
		do_close(&w->event[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[MAX_THREADS];
	unsigned long seed = time(NULL), opens = 0, calls = 0;
	unsigned int threads = 4, seconds = 10, i;
	int c;

	while ((c = getopt(argc, argv, "s:t:n:")) != -1) {
		if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (c == 't')
			seconds = atoi(optarg);
		else if (c == 'n')
			threads = atoi(optarg);
		else
			return 2;
	}
	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	scan_pmus();
	if (!nr_pmus) {
		puts("no PMU");
		return 1;
	}

	for (i = 0; i < threads; i++) {
		workers[i].state = seed * MAX_THREADS + i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (i = 0; !accepted && i < FIRST_SECONDS; i++)
		sleep(1);
	printf("seed %lu, %u threads, %u PMUs\n", seed, threads, nr_pmus);
	fflush(stdout);
	sleep(seconds);
	stop = true;
	for (i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		opens += workers[i].opens;
		calls += workers[i].calls;
	}
	printf("%lu calls, %lu of %lu events opened\n", calls, accepted, opens);
	return accepted ? 0 : 1;
}
