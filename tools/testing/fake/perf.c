// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf of a fake machine: rights, groups that take turns as in perf, and counts of
 * signals that the script describes.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"
#include "gpu/pmu.h"
#include "wrap.h"

#define IDLE_ALWAYS	2	/* "when" of ticks */
#define TURN		4000000	/* ns */
#define LOOK		10000000	/* ns */
#define SLOTS		4
#define DOMAINS		64
#define MS		1000000.0

struct fake_event fake_event[FAKE_EVENTS];
static unsigned int nr_events;	/* some of them may be closed */
static unsigned long queue, nr_reads;
static uint64_t turned;
static struct pmus all;

static bool of_gpu(const struct fake_event *event)
{
	return *event->pmu;
}

/* Return the kernel's PMU of a GPU. */
static struct pmu *pmu_of(unsigned int gpu)
{
	static struct pmu *pmus[FAKE_GPUS];

	pmus[gpu] = pmus[gpu] ?: fake_pmu(gpu);
	return pmus[gpu];
}

static struct fake_event *event_of(int fd)
{
	return fd >= FAKE_FD && fd < FAKE_FD + FAKE_EVENTS ? &fake_event[fd - FAKE_FD] : NULL;
}

/* ---- opening ---- */

/*
 * Check rights like the kernel: Debian's third level affects all events, and needs
 * CAP_SYS_ADMIN.
 */
static bool allowed(const struct perf_event_attr *attr, int pid, bool record)
{
	uint64_t caps = fake_value("caps", 0);
	bool admin = caps & 1ULL << CAP_SYS_ADMIN;
	bool perfmon = admin || caps & 1ULL << CAP_PERFMON;
	double paranoid = fake_value("paranoid", -1);

	if (fake_value("debian", 0) && paranoid > 2 && !admin)
		return false;
	if (fake_value("sealed", 0) || (record && !perfmon))
		return false;
	if (pid < 0)
		return paranoid <= 0 || perfmon;
	return paranoid <= 1 || perfmon || attr->exclude_kernel;
}

static uint64_t term_of(const struct fake_event *event, const char *name)
{
	const struct pmu *pmu = pmu_of(event->gpu);
	unsigned int i;

	for (i = 0; i < pmu->nr_terms; i++) {
		const struct pcounter_term_info *term = &pmu->term[i];

		if (pmu->has >> i & 1 && !strcmp(term->name, name))
			return event->config[term->word] >> term->lo &
			       (~0ULL >> (63 - (term->hi - term->lo)));
	}
	return 0;
}

/* Find the line of an event, "=NAME"; that of the second GPU is "=NAME@2" if there is one. */
static const struct fake_line *line_of(unsigned int gpu, const char *name)
{
	const struct fake_line *found = NULL;
	size_t len = strlen(name);
	unsigned int i;

	for (i = 0; i < fake_lines; i++) {
		const char *word = fake_script[i].word;

		if (*word != '=' || strncmp(word + 1, name, len))
			continue;
		if (gpu && !strcmp(word + 1 + len, "@2"))
			return &fake_script[i];
		if (!word[1 + len])
			found = found ?: &fake_script[i];
	}
	return found;
}

/* Find the first of its names that the script has, for any GPC or partition. */
static void find_name(struct fake_event *event, const struct pmu *of)
{
	unsigned int i, k;

	for (i = 0; i < of->nr_names && !*event->name; i++) {
		uint64_t unit = of->idle ? 0 : term_of(event, "unit");
		struct event named = {};
		char terms[EVENT_TEXT];

		if (!line_of(event->gpu, of->names[i].name))
			continue;
		snprintf(terms, sizeof(terms), "%s", of->names[i].terms);
		if (strstr(terms, "unit="))
			snprintf(terms, sizeof(terms), "%s,unit=%" PRIu64, of->names[i].terms,
				 unit);
		if (!event_terms(of, terms, &named))
			continue;
		for (k = 0; k < PCOUNTER_WORDS && named.config.word[k] == event->config[k]; k++)
			;
		if (k == PCOUNTER_WORDS)
			snprintf(event->name, sizeof(event->name), "%s", of->names[i].name);
	}
}

static void decode_idle(struct fake_event *event)
{
	unsigned int i;

	if (!all.nr)
		pmus_find(&all);
	event->op = 0xaaaa;
	for (i = 0; i < all.nr; i++)
		if (all.pmu[i]->idle)
			find_name(event, all.pmu[i]);
	event->clk = event->config[0] >> 32 == IDLE_ALWAYS;
}

/* Find the opposite of a named event. */
static void find_opposite(struct fake_event *event)
{
	const struct pmu *pmu = pmu_of(event->gpu);
	struct event not_a = {};
	unsigned int i;

	if (*event->name || !event_terms(pmu, "op=0x5555", &not_a) ||
	    term_of(event, "op") != event_value(&not_a, "op"))
		return;
	for (i = 0; i < PCOUNTER_WORDS; i++)
		event->config[i] &= ~not_a.config.word[i];
	find_name(event, pmu);
	event->inverted = *event->name;
	for (i = 0; i < PCOUNTER_WORDS; i++)
		event->config[i] |= not_a.config.word[i];
}

static void decode(struct fake_event *event)
{
	static const char *const sources[] = { "sig", "sig1", "sig2", "sig3" };
	const struct pmu *pmu = pmu_of(event->gpu);
	unsigned int i;
	int dom;

	find_name(event, pmu);
	find_opposite(event);
	dom = pcounter_topo_find(&pmu->topo, term_of(event, "set"),
				 term_of(event, "unit"), term_of(event, "dom"));
	event->dom = dom < 0 ? 0 : dom;
	event->clk = term_of(event, "clk");
	event->record = term_of(event, "record");
	event->op = term_of(event, "op") ?: 0xaaaa;
	for (i = 0; i < 4; i++)
		event->sig[i] = term_of(event, sources[i]);
	event->period = 512ULL << (term_of(event, "periodic") ?: 5);
}

static long refused(struct fake_event *event, int err)
{
	event->used = false;
	errno = err;
	return -1;
}

static long open_event(const struct perf_event_attr *attr, int pid, int leader)
{
	struct fake_event *event, *lead;
	struct rlimit files;
	unsigned int i;

	getrlimit(RLIMIT_NOFILE, &files);
	for (i = 0; i < FAKE_EVENTS && fake_event[i].used; i++)
		;
	if (i >= files.rlim_cur) {
		errno = EMFILE;
		return -1;
	}
	event = &fake_event[i];
	nr_events = i < nr_events ? nr_events : i + 1;
	*event = (struct fake_event){
		.used = true, .type = attr->type, .read_format = attr->read_format,
		.config = { attr->config, attr->config1, attr->config2 },
		.leader = leader < 0 ? i : (unsigned int)(leader - FAKE_FD),
		.order = ++queue, .enabled = !attr->disabled, .foreign = pid == -2,
	};
	/* as in the kernel, the type alone tells which GPU an event is for */
	if (attr->type >= PERF_TYPE_MAX && !fake_type(event))
		return refused(event, ENOENT);
	if (event->idle)
		decode_idle(event);
	else if (of_gpu(event))
		decode(event);
	if (!allowed(attr, pid, event->record) || (!of_gpu(event) && pid < 0))
		return refused(event, EACCES);
	if (of_gpu(event) && fake_left(event))
		return refused(event, ENODEV);
	lead = &fake_event[event->leader];
	lead->member[lead->n++] = i;
	return FAKE_FD + i;
}

cap_t __wrap_cap_get_proc(void)
{
	uint64_t has = fake_value("caps", 0);
	cap_t caps = cap_init();
	cap_value_t cap;

	for (cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (has >> cap & 1)
			cap_set_flag(caps, CAP_EFFECTIVE, 1, &cap, CAP_SET);
	return caps;
}

long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	int pid, leader;
	va_list ap;

	va_start(ap, number);
	if (number == SYS_pidfd_open) {
		pid = va_arg(ap, int);
		leader = va_arg(ap, int);
		va_end(ap);
		return __real_syscall(number, pid, leader);
	}
	if (number != SYS_perf_event_open)
		abort();
	attr = va_arg(ap, const struct perf_event_attr *);
	pid = va_arg(ap, int);
	va_arg(ap, int);
	leader = va_arg(ap, int);
	va_end(ap);
	return open_event(attr, pid, leader);
}

/**
 * fake_foreign() - open events of other users: "other DOM", four signals
 */
void fake_foreign(void)
{
	struct perf_event_attr attr = { .type = pmu_of(0)->type };
	unsigned int i, k;
	int leader;

	for (i = 0; i < fake_lines; i++) {
		if (strcmp(fake_script[i].word, "other"))
			continue;
		leader = -1;
		for (k = 0; k < SLOTS; k++) {
			long fd = open_event(&attr, -2, leader);

			event_of(fd)->dom = fake_script[i].value[0];
			leader = leader < 0 ? (int)fd : leader;
		}
	}
}

/* Open a file for a test, /dev/null without a folder for it. */
static FILE *told(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", getenv("FAKE_ROOT"), name);
	return fopen(path, "we") ?: fopen("/dev/null", "we");
}

/*
 * Tell the number of reads of this program, each of which is an access to the GPU, and the
 * share of time that other users' events had.
 */
static __attribute((destructor)) void fake_end(void)
{
	FILE *looks = told("looks"), *others = told("others");
	unsigned int i;

	fprintf(looks, "%lu\n", nr_reads);
	for (i = 0; i < nr_events; i++)
		if (fake_event[i].foreign && fake_event[i].leader == i)
			fprintf(others, "%f\n", (double)fake_event[i].time_running /
				(fake_event[i].time_enabled ?: 1));
	fclose(looks);
	fclose(others);
}

/* ---- counting ---- */

/**
 * fake_rate() - return the clock of a domain, 0 with "still DOM" in the script
 * @dom: its index
 *
 * Return: Hz.
 */
uint64_t fake_rate(unsigned int dom)
{
	unsigned int i;

	for (i = 0; i < fake_lines; i++)
		if (!strcmp(fake_script[i].word, "still") && fake_script[i].value[0] == dom)
			return 0;
	return 100000000 + 1000000 * dom;
}

/* "signal DOM SIG SHARE [SHARE while the command runs]", "square DOM SIG PERIOD in ms" */
static double wire(unsigned int dom, unsigned int sig)
{
	uint64_t since;
	unsigned int i;

	for (i = 0; i < fake_lines; i++) {
		const struct fake_line *line = &fake_script[i];

		if (line->value[0] != dom || line->value[1] != sig)
			continue;
		if (!strcmp(line->word, "signal"))
			return line->value[line->n > 3 && fake_running(&since) ? 3 : 2];
		if (!strcmp(line->word, "square"))
			return fmod(fake_now / MS, line->value[2]) < line->value[2] / 2;
	}
	return 0;
}

/* "=NAME FROM TO PERIOD in ms": up and down again, of an event by its name */
static bool named(const struct fake_event *event, double *share)
{
	const struct fake_line *line = *event->name ? line_of(event->gpu, event->name) : NULL;
	const double *v = line ? line->value : NULL;

	if (!line)
		return false;
	*share = v[0];
	if (line->n > 2)
		*share += (v[1] - v[0]) * (1 - cos(2 * M_PI * fake_now / MS / v[2])) / 2;
	if (event->inverted)
		*share = 1 - *share;
	return true;
}

/**
 * fake_share() - return the current rate of an event
 * @event: the event
 *
 * Return: the share; signals are independent.
 */
double fake_share(const struct fake_event *event)
{
	double share = 0, part;
	unsigned int row, i;

	if (event->clk)
		return 1;
	if (named(event, &share))
		return share;
	for (row = 0; row < 16; row++) {
		if (!(event->op >> row & 1))
			continue;
		for (part = 1, i = 0; i < 4; i++)
			part *= row >> i & 1 ? wire(event->dom, event->sig[i]) :
					       1 - wire(event->dom, event->sig[i]);
		share += part;
	}
	return share;
}

/*
 * Return true if a group fits beside the active ones. Record mode and counting exclude
 * each other.
 */
static bool fits(const struct fake_event *leader, unsigned int *slots, unsigned int *recorded)
{
	unsigned int more[DOMAINS] = {}, i;

	for (i = 0; i < leader->n; i++) {
		const struct fake_event *e = &fake_event[leader->member[i]];

		if (e->idle)
			continue;
		if (fake_between("busy", e->dom) || (e->record && slots[e->dom]) ||
		    (!e->record && recorded[e->dom]) || fake_value("gone", 1e9) * MS <
		    fake_now - 1000000000000)
			return false;
		more[e->dom] += !e->record && !e->clk;
		if (slots[e->dom] + more[e->dom] > SLOTS)
			return false;
	}
	for (i = 0; i < leader->n; i++) {
		const struct fake_event *e = &fake_event[leader->member[i]];

		slots[e->dom] += !e->record && !e->clk && !e->idle;
		recorded[e->dom] += e->record;
	}
	return true;
}

static struct fake_event *next_group(unsigned long after)
{
	struct fake_event *found = NULL;
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		struct fake_event *e = &fake_event[i];

		if (e->used && e->leader == i && of_gpu(e) && e->enabled &&
		    e->order > after && (!found || e->order < found->order))
			found = e;
	}
	return found;
}

/*
 * Take groups in the order of perf's queue, up to the first that does not fit. Each turn
 * moves the first group to the end.
 */
static void take_turns(void)
{
	unsigned int slots[FAKE_GPUS][DOMAINS] = {}, recorded[FAKE_GPUS][DOMAINS] = {}, gpu;
	bool room[FAKE_GPUS] = { !fake_value("asleep", 0), !fake_value("asleep2", 0) }, was;
	struct fake_event *group = next_group(0);

	if (group && fake_now >= turned + TURN) {
		turned = fake_now;
		group->order = ++queue;
	}
	for (group = next_group(0); group; group = next_group(group->order)) {
		was = group->active;
		gpu = group->gpu;
		group->active = false;
		if (group->left)
			continue;
		room[gpu] = room[gpu] && fits(group, slots[gpu], recorded[gpu]);
		group->active = room[gpu];
		if (group->record && group->active && !was)
			fake_anew(group);
	}
}

static void count(struct fake_event *leader, uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < leader->n; i++) {
		struct fake_event *e = &fake_event[leader->member[i]];

		e->time_enabled += ns;
		if (!leader->active)
			continue;
		e->time_running += ns;
		e->value += fake_share(e) * (fake_rate(e->dom) * (ns / 1e9));
	}
	if (leader->record && leader->active)
		fake_record(leader, ns);
}

/* Notice what a test has done to the PMUs meanwhile. */
static void look_at_pmus(void)
{
	static uint64_t looked;
	unsigned int i;

	if (!fake_value("real", 0) || fake_now < looked + LOOK)
		return;
	looked = fake_now;
	for (i = 0; i < nr_events; i++)
		if (fake_event[i].used && of_gpu(&fake_event[i]))
			fake_event[i].left |= fake_left(&fake_event[i]);
}

/**
 * fake_step() - let time pass
 * @ns: duration
 */
void fake_step(uint64_t ns)
{
	unsigned int i;

	look_at_pmus();
	take_turns();
	for (i = 0; i < nr_events; i++)
		if (fake_event[i].used && fake_event[i].leader == i && fake_event[i].enabled)
			count(&fake_event[i], ns);
}

/* ---- the rest of the system calls ---- */

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct fake_event *event = event_of(fd);

	if (!event) {
		errno = ENOTTY;
		return -1;
	}
	event->enabled = request == PERF_EVENT_IOC_ENABLE;
	event->active &= event->enabled;
	return 0;
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	struct fake_event *event = event_of(fd);
	uint64_t *word = buf;
	unsigned int n = 0, i;

	if (!event)
		return __real_read(fd, buf, len);
	nr_reads++;
	if (event->read_format & PERF_FORMAT_GROUP)
		word[n++] = event->n;
	else
		word[n++] = event->value;
	if (event->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		word[n++] = event->time_enabled;
	if (event->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		word[n++] = event->time_running;
	for (i = 0; event->read_format & PERF_FORMAT_GROUP && i < event->n; i++)
		word[n++] = fake_event[event->member[i]].value;
	return n * sizeof(*word);
}

int __wrap_close(int fd)
{
	struct fake_event *event = event_of(fd);

	if (!event)
		return __real_close(fd);
	event->used = false;
	event->n = 0;
	if (event->page)
		munmap(event->page, event->page->data_offset + event->page->data_size);
	return 0;
}

/* Return the pages of AUX areas, which have a limit per user. */
static double pages_locked(void)
{
	size_t bytes = 0;
	unsigned int i;

	for (i = 0; i < nr_events; i++)
		bytes += fake_event[i].used ? fake_event[i].aux_size : 0;
	return bytes / sysconf(_SC_PAGESIZE);
}

int __wrap_munmap(void *addr, size_t len)
{
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		if (fake_event[i].used && fake_event[i].aux == addr) {
			fake_event[i].aux = NULL;
			fake_event[i].aux_size = 0;
		}
		if (fake_event[i].used && (void *)fake_event[i].page == addr)
			fake_event[i].page = NULL;
	}
	return __real_munmap(addr, len);
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct fake_event *event = event_of(fd);
	size_t page = sysconf(_SC_PAGESIZE);
	void *map;

	if (!event)
		return __real_mmap(addr, len, prot, flags, fd, offset);
	if (offset && pages_locked() + len / page > fake_value("lockable", 1e9)) {
		errno = EPERM;
		return MAP_FAILED;
	}
	map = __real_mmap(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (offset) {
		event->aux = map;
		event->aux_size = len;
		return map;
	}
	if (!of_gpu(event)) {
		/* the program's own event, from which it learns perf's clock */
		memcpy((char *)map + page, &fake_now, sizeof(fake_now));
		((struct perf_event_mmap_page *)map)->data_head = sizeof(fake_now);
		return map;
	}
	event->page = map;
	event->page->data_offset = page;
	event->page->data_size = len - page;
	return map;
}
