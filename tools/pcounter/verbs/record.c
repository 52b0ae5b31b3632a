// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter record: packets of record mode from where the GPU has put them into
 * a file, at full rate.
 */
#include <endian.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "gpu/pmu.h"
#include "lib/tool.h"
#include "verbs/stream.h"
#include "verbs/verbs.h"

#define DATA_PAGES	16
#define LEAST_PAGES	16
#define USUAL_PAGES	1024
#define MOST_PAGES	65536
#define ROUND		0.02	/* seconds between two looks */
#define SILENCE		1.0	/* after so many it is worth a look whether anything counts */
#define MAX_ROUNDS	50	/* that others get to take their turns, or to end */
#define CLOCK_MS	50
#define MAX_EVENTS	64

static const char *const loss_name[LOSSES] = {
	"overrun", "missing", "merged", "saturated", "gaps", "unread",
};

/**
 * struct recording - what is asked for
 * @path: name of the file
 * @pages: of each AUX area, 0: whatever may be
 * @duration: seconds, 0: until the command ends, or somebody says so
 * @command: a command, NULL for none
 * @status: what has become of it
 * @file: the file
 * @n: number of streams
 * @stream: the streams
 */
struct recording {
	const char *path;
	unsigned long pages;
	double duration;
	char **command;
	int status;
	struct capture file;
	unsigned int n;
	struct stream *stream;
};

/* ---- perf ---- */

static int perf_open(struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* perf's clock: what it says of an event that is caused here and now. */
static uint64_t perf_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = perf_open(&attr, 0, -1, -1);
	struct perf_event_mmap_page *map;
	uint64_t now = 0;
	char name[16];

	if (fd < 0)
		return 0;
	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, name);
		if (map->data_head >= sizeof(now))
			memcpy(&now, (char *)map + page + map->data_head - sizeof(now),
			       sizeof(now));
		munmap(map, 2 * page);
	}
	close(fd);
	return now;
}

static int open_member(struct stream *s, unsigned int i)
{
	const struct event *event = &s->group->event[i];
	struct perf_event_attr attr = {
		.type = event->pmu->type, .config = event->config[0],
		.config1 = event->config[1], .config2 = event->config[2],
		.sample_period = !i, .disabled = !i,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_type = i ? 0 : PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	};

	s->fd[i] = perf_open(&attr, -1, event->pmu->cpu, i ? s->fd[0] : -1);
	return s->fd[i] < 0 ? -errno : 0;
}

static bool map_data(struct stream *s)
{
	size_t data = (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE);

	s->page = mmap(NULL, data, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd[0], 0);
	if (s->page == MAP_FAILED)
		return false;
	s->page->aux_offset = data;
	return true;
}

static bool map_area(struct stream *s, unsigned long pages)
{
	s->size = pages * sysconf(_SC_PAGESIZE);
	s->page->aux_size = s->size;
	s->aux = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd[0],
		      s->page->aux_offset);
	return s->aux != MAP_FAILED;
}

static bool complain_map(const struct stream *s, unsigned long pages, int err)
{
	const char *why = strerror(err);

	if (err == ENOMEM)
		why = "no memory, or another capture of this domain is under way";
	else if (err == EPERM)
		why = "more than this user may lock: ulimit -l, kernel.perf_event_mlock_kb";
	complain("%s: no area of %lu pages: %s", s->group->event[0].text, pages, why);
	return false;
}

/* All of the same size: as asked for, or the greatest that this user may lock. */
static bool map_areas(struct recording *rec)
{
	unsigned long pages = rec->pages ?: USUAL_PAGES;
	unsigned int i;
	int err;

	for (;; pages /= 2) {
		for (i = 0; i < rec->n && map_area(&rec->stream[i], pages); i++)
			;
		if (i == rec->n)
			break;
		err = errno;
		if (err != EPERM || rec->pages || pages == LEAST_PAGES)
			return complain_map(&rec->stream[i], pages, err);
		while (i--)
			munmap(rec->stream[i].aux, rec->stream[i].size);
	}
	if (!rec->pages && pages != USUAL_PAGES)
		complain("areas of %lu pages: no more memory may be locked (ulimit -l)", pages);
	return true;
}

/* Record mode asks for more than counting, and of an awake GPU. */
static void explain_open(int err, char *why, size_t len)
{
	if (err == -EAGAIN)
		snprintf(why, len, "the GPU is asleep; it records once something uses it");
	else
		count_explain(err, true, why, len);
}

static bool stream_open(struct stream *s)
{
	char why[WHY_TEXT * 4];
	unsigned int i;
	int err;

	for (i = 0; i < s->group->nr; i++) {
		err = open_member(s, i);
		if (err) {
			explain_open(err, why, sizeof(why));
			complain("%s: %s", s->group->event[i].text, why);
			return false;
		}
	}
	return map_data(s) || complain_map(s, DATA_PAGES, errno);
}

/* ---- the run ---- */

/* How long the events were enabled, and have counted: that stands still when the GPU is gone. */
static void read_times(const struct stream *s, struct stream_times *times)
{
	uint64_t words[3] = {};

	if (read(s->fd[0], words, sizeof(words)) != sizeof(words))
		return;
	times->enabled = words[1];
	times->running = words[2];
}

static uint64_t time_running(const struct stream *s)
{
	struct stream_times times = {};

	read_times(s, &times);
	return times.running;
}

static bool complain_gone(const struct stream *s)
{
	complain("%s domain %u counts no more: %s: see dmesg",
		 s->group->event[0].pmu->name, s->verdict.req[0].dom,
		 "the GPU has left, was reset or failed, or the system slept");
	return false;
}

/* Nothing has come, and the event has been enabled since: does it count at all? */
static bool check_silence(struct stream *s)
{
	uint64_t running;

	if (seconds() < s->heard + SILENCE)
		return true;
	running = time_running(s);
	if (running == s->running)
		return complain_gone(s);
	s->running = running;
	s->heard = seconds();
	return true;
}

/* An event whose area was full has been disabled; for others this is nothing. */
static bool stream_go_on(struct stream *s, struct capture *file)
{
	uint64_t before = s->tail;

	if (!stream_drain(s, file))
		return false;
	if (s->tail == before || s->full)
		ioctl(s->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	s->full = false;
	if (s->tail == before)
		return check_silence(s);
	s->heard = seconds();
	return true;
}

static uint64_t clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* By these, captures lie beside what others have recorded meanwhile. */
static bool put_clocks(struct recording *rec)
{
	struct pcounter_capture_clocks clocks = {
		.perf = htole64(perf_clock()),
		.real = htole64(clock_now(CLOCK_REALTIME)),
		.monotonic = htole64(clock_now(CLOCK_MONOTONIC)),
		.boot = htole64(clock_now(CLOCK_BOOTTIME)),
	};

	return capture_block(&rec->file, PCOUNTER_CAPTURE_CLOCKS, 0, &clocks, sizeof(clocks));
}

static bool describe(struct recording *rec, const double *hz)
{
	unsigned int i;

	if (!capture_create(&rec->file, rec->path, perf_clock()))
		return false;
	for (i = 0; i < rec->n; i++)
		if (!stream_describe(&rec->stream[i], &rec->file, hz[i]))
			return false;
	return put_clocks(rec);
}

static void switch_all(const struct recording *rec, unsigned long request)
{
	unsigned int i;

	for (i = 0; i < rec->n; i++)
		ioctl(rec->stream[i].fd[0], request, 0);
}

/*
 * Would all count if they went on? A command often ends because the GPU has. What comes
 * of this stays in the area: reading an event that is enabled would ask for packets, too.
 */
static bool all_count(struct recording *rec)
{
	const struct stream *gone = NULL;
	unsigned int round, i;

	for (i = 0; i < rec->n; i++)
		rec->stream[i].running = time_running(&rec->stream[i]);
	for (round = 0; round < MAX_ROUNDS; round++) {
		switch_all(rec, PERF_EVENT_IOC_ENABLE);
		usleep(ROUND * 1e6);
		switch_all(rec, PERF_EVENT_IOC_DISABLE);
		gone = NULL;
		for (i = 0; i < rec->n; i++)
			if (time_running(&rec->stream[i]) == rec->stream[i].running)
				gone = &rec->stream[i];
		if (!gone)
			return true;
	}
	return complain_gone(gone);
}

/* What did not end in order has no end in the file. */
static bool finish(struct recording *rec, bool good, bool early)
{
	uint64_t now;
	unsigned int i;

	switch_all(rec, PERF_EVENT_IOC_DISABLE);
	now = perf_clock();
	for (i = 0; i < rec->n; i++) {
		struct stream *s = &rec->stream[i];

		read_times(s, &s->times);
		good &= stream_rest(s, &rec->file);
		/* perf's own time is exact, but stands still while the area is full */
		s->times.span = s->paused ? now - s->times.span : s->times.enabled;
	}
	good = good && all_count(rec) && put_clocks(rec);
	for (i = 0; good && i < rec->n; i++)
		good = stream_end(&rec->stream[i], &rec->file, early);
	return good;
}

/* Returns true if anything was lost. */
static bool summary(const struct recording *rec)
{
	unsigned int i, k;
	bool lost = false;

	for (i = 0; i < rec->n; i++) {
		const struct stream *s = &rec->stream[i];
		const struct stream_times *t = &s->times;

		fprintf(stderr, "%s domain %u: %llu packets", s->group->event[0].pmu->name,
			s->verdict.req[0].dom, (unsigned long long)(s->tail / s->packet));
		for (k = 0; k < LOSSES; k++)
			if (s->loss[k])
				fprintf(stderr, ", %llu %s", (unsigned long long)s->loss[k],
					loss_name[k]);
		if (stream_lost(s) && t->span)
			fprintf(stderr, "; recorded %.2f %% of the time",
				100.0 * t->running / t->span);
		if (!s->tail)
			fputs(": the clock stands still, or a packet takes longer", stderr);
		fputc('\n', stderr);
		lost |= stream_lost(s);
	}
	return lost;
}

/* Packets come from now on: the first pair can be as late as that. */
static void enable(struct recording *rec)
{
	uint64_t now = perf_clock();
	unsigned int i;

	for (i = 0; i < rec->n; i++) {
		rec->stream[i].time = now;
		rec->stream[i].times.span = now;
		rec->stream[i].heard = seconds();
	}
	switch_all(rec, PERF_EVENT_IOC_ENABLE);
}

static int run(struct recording *rec)
{
	double end = seconds() + rec->duration;
	bool good = true, ended = false, early;
	pid_t pid = 0;
	int child = -1;
	unsigned int i;

	enable(rec);
	if (rec->command)
		pid = start_command(rec->command, false, &child);
	while (good && !stopped && (!rec->duration || seconds() < end)) {
		ended = wait_fd(child, ROUND) > 0;
		if (ended)
			break;
		for (i = 0; good && i < rec->n; i++)
			good = stream_go_on(&rec->stream[i], &rec->file);
	}
	early = stopped && (rec->duration || rec->command);
	good = finish(rec, good, early) && pid >= 0;
	if (pid > 0)
		rec->status = end_command(pid);
	/* one that we have ended has not failed */
	if (!ended)
		rec->status = 0;
	if (child >= 0)
		close(child);
	return !good ? STATUS_NO : early ? STATUS_INTERRUPTED : STATUS_OK;
}

static bool is_record(const struct stream *s)
{
	unsigned int i;

	if (s->group->nr > GROUP_EVENTS || s->group->event[0].pmu->idle)
		return false;
	for (i = 0; i < s->group->nr; i++)
		if (s->verdict.req[i].set.mode != PCOUNTER_MODE_RECORD ||
		    s->verdict.req[i].dom != s->verdict.req[0].dom)
			return false;
	return true;
}

/* One counter serves events of one signal, and has one name. */
static void tell_twins(const struct stream *s)
{
	unsigned int i, twin;

	for (i = 0; i < s->group->nr; i++) {
		twin = stream_twin(s, i);
		if (twin != i)
			complain("%s counts what %s does: recorded once", s->group->event[i].text,
				 s->group->event[twin].text);
	}
}

static int prepare(struct recording *rec, const struct groups *groups, double *hz)
{
	double clocks[PCOUNTER_MAX_DOMAINS];
	unsigned int i;
	int err;

	for (i = 0; i < rec->n; i++) {
		struct stream *s = &rec->stream[i];

		s->number = i;
		s->group = &groups->group[i];
		verdict_group(s->group, &s->verdict);
		if (s->verdict.err) {
			complain("%s: %s", s->group->event[s->verdict.member].text,
				 s->verdict.why);
			return STATUS_NO;
		}
		if (!is_record(s)) {
			complain("%s: not a group of record mode on one domain",
				 s->group->event[0].text);
			return STATUS_USAGE;
		}
		tell_twins(s);
		s->packet = sizeof(struct pcounter_record_packet) >> s->verdict.req[0].set.brief;
	}
	for (i = 0; i < rec->n; i++)
		if (!stream_open(&rec->stream[i]))
			return STATUS_NO;
	if (!map_areas(rec))
		return STATUS_NO;
	/* it takes turns with other captures, which what is refused leaves alone */
	for (i = 0; i < rec->n; i++) {
		measure_clocks(groups->group[i].event[0].pmu, CLOCK_MS, clocks, &err);
		hz[i] = clocks[rec->stream[i].verdict.req[0].dom];
	}
	return STATUS_OK;
}

static int record(struct recording *rec, const struct groups *groups)
{
	double hz[PCOUNTER_MAX_DOMAINS] = {};
	int status;
	unsigned int i, k;

	rec->n = groups->nr;
	rec->stream = rec->n <= PCOUNTER_MAX_DOMAINS ? calloc(rec->n, sizeof(*rec->stream)) : NULL;
	if (!rec->stream) {
		complain("too many groups");
		return STATUS_USAGE;
	}
	/* whatever is refused: none that is not open is closed */
	for (i = 0; i < rec->n; i++)
		memset(rec->stream[i].fd, -1, sizeof(rec->stream[i].fd));
	status = prepare(rec, groups, hz);
	if (status == STATUS_OK) {
		status = describe(rec, hz) ? run(rec) : STATUS_NO;
		if (rec->file.fd >= 0 && !capture_close(&rec->file))
			status = STATUS_NO;
		if (rec->file.fd >= 0 && summary(rec) && status == STATUS_OK)
			status = STATUS_NO;
	}
	for (i = 0; i < rec->n; i++)
		for (k = 0; k < GROUP_EVENTS; k++)
			if (rec->stream[i].fd[k] >= 0)
				close(rec->stream[i].fd[k]);
	free(rec->stream);
	return status;
}

/* ---- what to record ---- */

static const struct option_doc options[] = {
	{ 'e', "event", "EVENTS", "what to record; repeatable (default: what tells busy units)" },
	{ 'o', "output", "FILE", "the file (default: " CAPTURE_FILE ")" },
	{ 'm', "mmap-pages", "PAGES", "of each AUX area: 16, 32, ... 65536 (default: up to 1024)" },
	{ 'd', "duration", "TIME", "end after that: 2s, 200ms, or a number of ms" },
	{ }
};

/* Events are of record mode here, whether they say so or not. */
static void make_record(struct groups *groups)
{
	unsigned int i, k;

	for (i = 0; i < groups->nr; i++)
		for (k = 0; k < groups->group[i].nr; k++) {
			struct event *event = &groups->group[i].event[k];

			if (event_has(event, "record") || event->pmu->idle)
				continue;
			if (event_terms(event->pmu, "record", event))
				event_encode(event);
		}
}

/* Signals that tell busy units, as far as a domain has counters. */
static bool add_busy(const struct pmus *pmus, const struct pmu *pmu, struct groups *groups)
{
	unsigned int used[PCOUNTER_MAX_DOMAINS] = {}, i;
	char text[EVENT_TEXT], why[WHY_TEXT];

	for (i = 0; i < pmu->nr_names; i++) {
		const struct pmu_name *name = &pmu->names[i];

		if (!name->wire || name->plain.kind != PLAIN_BUSY ||
		    name->dom >= PCOUNTER_MAX_DOMAINS ||
		    used[name->dom]++ >= PCOUNTER_CAPTURE_COUNTERS)
			continue;
		snprintf(text, sizeof(text), "%s/%s,record/", pmu->name, name->name);
		if (!groups_parse(pmus, text, groups, why))
			return false;
	}
	return true;
}

static int default_events(const struct pmus *pmus, struct groups *groups)
{
	unsigned int i;

	for (i = 0; i < pmus->nr; i++)
		if (strstr(pmus->pmu[i]->modes, "record") &&
		    strcmp(device_power(pmus->pmu[i]->device), "asleep") &&
		    !add_busy(pmus, pmus->pmu[i], groups))
			return STATUS_NO;
	if (groups->nr)
		return STATUS_OK;
	complain("no GPU that is awake, has record mode and names what tells busy units: use -e");
	return STATUS_NO;
}

static int find_events(const struct pmus *pmus, const char *const *text, struct groups *groups)
{
	char why[WHY_TEXT] = "no memory";
	int status = STATUS_OK;

	if (!*text)
		status = default_events(pmus, groups);
	for (; *text; text++)
		if (!groups_parse(pmus, *text, groups, why)) {
			complain("%s", why);
			return STATUS_USAGE;
		}
	make_record(groups);
	return groups_join(groups) ? status : STATUS_NO;
}

static bool take_event(const char *text, const char **events)
{
	unsigned int n = 0;

	while (events[n])
		n++;
	if (n == MAX_EVENTS) {
		complain("at most %u times --event", MAX_EVENTS);
		return false;
	}
	events[n] = text;
	return true;
}

/* As the driver takes them. */
static bool take_pages(const char *text, unsigned long *pages)
{
	if (!verb_number(text, LEAST_PAGES, MOST_PAGES, pages))
		return false;
	if (!(*pages & (*pages - 1)))
		return true;
	complain("%s: not a power of 2", text);
	return false;
}

static bool take_option(int c, struct recording *rec, const char **events)
{
	switch (c) {
	case 'e':
		return take_event(optarg, events);
	case 'm':
		return take_pages(optarg, &rec->pages);
	case 'd':
		if (!verb_duration(optarg, NS_MS, NS_MS, 1e6 * NS_S, &rec->duration))
			return false;
		rec->duration /= NS_S;
		return true;
	default:
		rec->path = optarg;
		return true;
	}
}

/* Before a file is there that would be replaced for nothing. */
static bool check_command(const char *command)
{
	if (can_run(command))
		return true;
	if (strchr(command, '/') && strchr(command, '='))
		complain("%s: no such command; events are given with -e", command);
	else
		complain("%s: %s", command, strerror(errno));
	return false;
}

static int run_record(const struct verb *verb, int argc, char **argv)
{
	struct recording rec = { .path = CAPTURE_FILE, .file.fd = -1 };
	const char *events[MAX_EVENTS + 1] = {};
	struct groups groups = {};
	struct pmus pmus;
	int c, status;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		if (!take_option(c, &rec, events))
			return STATUS_USAGE;
	if (optind < argc)
		rec.command = argv + optind;
	if (rec.command && !check_command(*rec.command))
		return STATUS_NO;
	pmus_find(&pmus);
	if (!pmus.nr) {
		complain("no GPU with counters; pcounter doctor says why");
		status = STATUS_NO_GPU;
	} else {
		status = find_events(&pmus, events, &groups);
	}
	if (status == STATUS_OK) {
		catch_signals();
		status = record(&rec, &groups);
		if (status == STATUS_OK || (status == STATUS_NO && rec.status))
			status = command_status(rec.status) ?: status;
	}
	groups_free(&groups);
	pmus_free(&pmus);
	return status;
}

const struct verb verb_record = {
	.name = "record",
	.args = "[--] [COMMAND...]",
	.summary = "capture the packets of record mode in a file, at full rate",
	.text =
		"The GPU (G84 to GT215) writes packets of counters into memory that the\n"
		"program has mapped, and from there they go into the file; nothing is copied\n"
		"on the way. EVENTS are written as for perf, or as names alone; the term record\n"
		"may be left out. Events of one domain are counters of the same packets, and\n"
		"each domain is a stream of its own. Without events it records the signals that\n"
		"tell how busy units are.\n"
		"\n"
		"It goes on until the command ends, the time is over, or a signal comes (^C).\n"
		"Then it says how many packets of each domain there are, and what was lost:\n"
		"overrun (overwritten before they were taken), missing (never arrived), merged\n"
		"(requests that found a packet still on its way), saturated (with a full\n"
		"counter), gaps (recording began anew, also because others counted the domain\n"
		"meanwhile), unread (there was no room: a file system too slow, or --mmap-pages\n"
		"too small; an estimate).\n"
		"\n"
		"Areas have 1024 pages, or fewer if an ordinary user may not lock as many for all\n"
		"domains (ulimit -l, kernel.perf_event_mlock_kb); it says how many then.\n"
		"\n"
		"A file that was there is kept as FILE.old. The new one is for its owner only:\n"
		"what a GPU does can tell secrets.\n"
		"\n"
		"The exit status is that of the command if it fails (above 128 if a signal has\n"
		"ended it), 130 if a signal ended the capture before its time, and 1 if anything\n"
		"but merged requests was lost. It is 1, too, and the file has no end, which\n"
		"pcounter report tells, if the GPU leaves, is reset or fails meanwhile, if the\n"
		"system sleeps, if others record the same domain so that counters are in other\n"
		"places, or if the file cannot be written.\n"
		"\n"
		"The format of the file is in linux/pcounter_capture.h.\n",
	.options = options,
	.example = "pcounter record -e pgraph_idle -o run.data -- sleep 1",
	.run = run_record,
};
