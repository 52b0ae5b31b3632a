// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter record: write packets of record mode from perf's area to a file, at full rate.
 */
#include <endian.h>
#include <fcntl.h>

#include "capture/stream.h"
#include "gpu/gpu.h"
#include "cli/verb.h"

#define LEAST_PAGES	16
#define USUAL_PAGES	1024
#define MOST_PAGES	65536
#define ROUND		0.02	/* seconds between two polls */
#define SILENCE		1.0	/* seconds without packets after which events are checked */
#define MAX_ROUNDS	50	/* rounds in which other events can take their turns, or end */
#define CLOCK_MS	50
#define MAX_EVENTS	64
#define MAX_PERIODIC	7U	/* 64K clocks */

/* Arguments of the command line. */
static const char *path = CAPTURE_FILE, *events[MAX_EVENTS + 1];
static unsigned long pages;
static double duration;	/* ns; 0: until the command ends, or a signal arrives */
static bool with_cpus;
static char cpus[32];	/* perf's file */

static bool take_pages(const struct option_doc *o, const char *text);

static const struct option_doc options[] = {
	{ 'e', "event", "EVENTS", "events to record; repeatable (default: busy and idle signals)",
	  OPT_SEVERAL(events, MAX_EVENTS) },
	{ 'o', "output", "FILE", "the file (default: " CAPTURE_FILE ")", OPT_TEXT(&path) },
	{ 'm', "mmap-pages", "PAGES", "of each AUX area: 16, 32, ... 65536 (default: up to 1024)",
	  .take = take_pages, .to = &pages, .least = LEAST_PAGES,
	  .most = MOST_PAGES },
	{ 't', "time", "TIME", "end after TIME: 2s, 200ms, or a number of ms",
	  OPT_TIME(&duration, NS_MS, 1e6 * NS_S, NS_MS) },
	{ 'C', "cpu", NULL, "record the CPUs, too: perf record writes FILE.cpu, for report --cpu",
	  OPT_FLAG(&with_cpus) },
	{ }
};

/**
 * struct recording - a run
 * @endless: only a signal ends the run
 * @command: the command to run, NULL for none
 * @status: status of the command, from waitpid()
 * @file: the file
 * @records: it has records of GF100 and later
 * @n: number of streams
 * @stream: the streams
 */
struct recording {
	bool endless;
	char **command;
	int status;
	struct capture file;
	bool records;
	unsigned int n;
	struct stream *stream;
};

/* ---- perf ---- */

static bool complain_map(const struct stream *s, unsigned long nr, int err)
{
	const char *why = strerror(err);

	if (err == ENOMEM)
		why = "no memory, or other events record this domain";
	else if (err == EPERM)
		why = "more than this user may lock: ulimit -l, kernel.perf_event_mlock_kb";
	return complain("%s: no area of %lu pages: %s", s->group->event[0].text, nr, why);
}

/* Map all areas with the same size: the user's, or the greatest that the user may lock. */
static bool map_areas(struct recording *rec)
{
	unsigned long nr = pages ?: USUAL_PAGES;
	struct stream *s;
	int err = 0;

	for (;; nr /= 2) {
		for (s = rec->stream; s < rec->stream + rec->n; s++) {
			err = s->ring == s ? record_map(&s->count, nr) : 0;
			if (err)
				break;
		}
		if (!err)
			break;
		if (err != -EPERM || pages || nr == LEAST_PAGES || !s->count.page)
			return complain_map(s, s->count.page ? nr : RECORD_PAGES, -err);
	}
	if (!pages && nr != USUAL_PAGES)
		complain("areas of %lu pages: no more memory may be locked (ulimit -l)", nr);
	return true;
}

/* Open the events of the streams of an area as one group. */
static bool stream_open(struct stream *s)
{
	struct group all = {};
	const struct stream *of;
	unsigned int i;
	int err;

	for (of = s; of; of = of->next)
		for (i = 0; i < of->group->nr; i++) {
			all.event = grow(all.event, all.nr, sizeof(*all.event));
			all.event[all.nr++] = of->group->event[i];
		}
	all.event->sampling = true;
	err = count_open(&s->count, all.event, all.nr);
	/* record mode needs more rights than counting, and an awake GPU */
	if (err)
		complain("%s: %s", all.event[s->count.refused].text, err == -EAGAIN ?
			 "the GPU is asleep; it records once something uses it" :
			 count_explain(err, true));
	free(all.event);
	return !err;
}

/* ---- the run ---- */

/* Return the time for which the events have counted; it stops if the GPU is gone. */
static uint64_t time_running(struct stream *s)
{
	count_read(&s->ring->count);
	return s->ring->count.now->running;
}

static bool complain_gone(const struct stream *s)
{
	return complain("%s domain %u counts no more: %s: see dmesg",
			s->group->event[0].pmu->name, s->verdict.req[0].dom,
			"the GPU has left, was reset or failed, or the system slept");
}

/*
 * Drain a stream, and enable its event again: perf has disabled it if the area was full.
 * Check after a time without packets that the enabled event still counts.
 */
static bool stream_go_on(struct stream *s, struct capture *file)
{
	uint64_t before = s->tail, running = s->running;

	if (s->ring != s)
		return true;
	if (!stream_drain(s, file))
		return false;
	if (s->tail == before || s->full)
		count_enable(&s->count, true);
	s->full = false;
	if (s->tail == before && seconds() < s->heard + SILENCE)
		return true;
	s->heard = seconds();
	if (s->tail != before)
		return true;
	s->running = time_running(s);
	return s->running != running || complain_gone(s);
}

/* Write the clocks that align the capture with the recordings of other programs. */
static bool put_clocks(struct recording *rec)
{
	struct pcounter_capture_clocks clocks = {
		.perf = htole64(perf_clock()),
		.real = htole64(clock_ns(CLOCK_REALTIME)),
		.monotonic = htole64(clock_ns(CLOCK_MONOTONIC)),
		.boot = htole64(clock_ns(CLOCK_BOOTTIME)),
	};

	return capture_block(&rec->file, PCOUNTER_CAPTURE_CLOCKS, 0, &clocks, sizeof(clocks));
}

/* Write the name of a stream's card, which pictures show. */
static bool put_card(const struct stream *s, struct capture *file)
{
	struct gpu gpu = { .pmu = s->group->event[0].pmu };
	struct pcounter_capture_card body = {};
	const char *card;

	file_number(&gpu.vendor, text_tmp(PCI_DEVICES "/%s/vendor", gpu.pmu->device));
	file_number(&gpu.device, text_tmp(PCI_DEVICES "/%s/device", gpu.pmu->device));
	card = gpu_card(&gpu);
	snprintf(body.name, sizeof(body.name), *card ? "%s (%s)" : "%s%s", card,
		 gpu.pmu->chip_name);
	return capture_block(file, PCOUNTER_CAPTURE_CARD, s->number, &body, sizeof(body));
}

/* Make room for perf's file, and create it: perf would follow a link. */
static bool create_cpus(void)
{
	const char *name = text_tmp("%s" CPU_FILE, path);
	int fd;

	if (!keep_old(name))
		return false;
	if (!with_cpus && !may_replace(name))
		return complain("%s: not a file of this user's own: it stays", name);
	if (!with_cpus) {
		/* an empty one has stayed */
		unlink(name);
		return true;
	}
	fd = create_file(name, 0600, NULL);
	snprintf(cpus, sizeof(cpus), "/proc/self/fd/%d", fd);
	return fd >= 0 && !fcntl(fd, F_SETFD, 0);
}

static bool describe(struct recording *rec)
{
	struct stream *s;

	if (!create_cpus() || !capture_create(&rec->file, path, perf_clock(), rec->records))
		return false;
	for (s = rec->stream; s < rec->stream + rec->n; s++)
		if (!stream_describe(s, &rec->file) || !put_card(s, &rec->file))
			return false;
	return put_clocks(rec);
}

static void switch_all(const struct recording *rec, bool on)
{
	struct stream *s;

	for (s = rec->stream; s < rec->stream + rec->n; s++)
		count_enable(&s->count, on);
}

/*
 * Return true if all events still count: a command often ends because the GPU is gone.
 * The packets of this check are not written to the file.
 */
static bool all_count(struct recording *rec)
{
	struct stream *s, *gone = NULL;
	unsigned int round;

	for (s = rec->stream; s < rec->stream + rec->n; s++)
		s->running = time_running(s);
	for (round = 0; round < MAX_ROUNDS; round++) {
		switch_all(rec, true);
		usleep(ROUND * 1e6);
		switch_all(rec, false);
		gone = NULL;
		for (s = rec->stream; s < rec->stream + rec->n; s++)
			if (time_running(s) == s->running)
				gone = s;
		if (!gone)
			return true;
	}
	return complain_gone(gone);
}

/* Finish all streams. A stream after an error gets no end in the file. */
static bool finish(struct recording *rec, bool good, bool early)
{
	struct stream *s;
	uint64_t now;

	switch_all(rec, false);
	now = perf_clock();
	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		s->times.early = early;
		s->times.running = time_running(s);
		s->times.enabled = s->ring->count.now->enabled;
		good &= stream_rest(s, &rec->file);
		/* perf's own time is exact, but stops while the area is full */
		s->times.span = s->ring->paused ? now - s->times.span : s->times.enabled;
	}
	good = good && all_count(rec) && put_clocks(rec);
	for (s = rec->stream; s < rec->stream + rec->n; s++)
		good = good && stream_end(s, &rec->file);
	return good;
}

/* Print a summary. Return true if anything was lost. */
static bool summary(const struct recording *rec)
{
	const struct stream *s;
	bool lost = false;
	uint64_t packets;
	unsigned int k;

	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		packets = s->records ? s->taken : s->tail / s->packet;
		fprintf(stderr, "%s domain %u: %llu packets", s->group->event[0].pmu->name,
			s->verdict.req[0].dom, (unsigned long long)packets);
		for (k = 0; k < LOSSES; k++)
			if (s->loss[k])
				fprintf(stderr, ", %llu %s", (unsigned long long)s->loss[k],
					loss_name[k]);
		if (stream_lost(s) && s->times.span)
			fprintf(stderr, "; recorded %.2f %% of the time",
				100.0 * s->times.running / s->times.span);
		if (!packets)
			fputs(": the clock stands still, or a packet takes longer", stderr);
		fputc('\n', stderr);
		lost |= stream_lost(s);
	}
	fprintf(stderr, "the packets are in %s; to see them: pcounter report %s\n", path, path);
	return lost;
}

/* Enable all streams. The time of that bounds the error of the first pair. */
static void enable(struct recording *rec)
{
	uint64_t now = perf_clock();
	struct stream *s;

	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		s->time = now;
		s->times.span = now;
		s->heard = seconds();
	}
	switch_all(rec, true);
}

static int run(struct recording *rec)
{
	double end = seconds() + duration / NS_S;
	bool good = true, ended = false, early;
	pid_t pid = 0;
	struct stream *s;
	int child = -1;

	enable(rec);
	if (rec->command)
		pid = start_command(rec->command, false, &child);
	while (good && !stopped && (!duration || seconds() < end)) {
		texts_free();
		ended = wait_fd(child, ROUND) > 0;
		if (ended)
			break;
		for (s = rec->stream; s < rec->stream + rec->n; s++)
			good = good && stream_go_on(s, &rec->file);
	}
	early = stopped && !rec->endless;
	good = finish(rec, good, early) && pid >= 0;
	if (pid > 0)
		rec->status = end_command(pid, child);
	/* a command that this program has ended has not failed */
	if (!ended)
		rec->status = 0;
	return !good ? STATUS_NO : early ? STATUS_INTERRUPTED : STATUS_OK;
}

/* Place a group. Return the reason why it cannot be recorded, NULL if it can. */
static const char *place(const struct event *event, unsigned int n, struct verdict *v)
{
	bool good = n <= GROUP_EVENTS && !event->pmu->idle;
	unsigned int i;

	verdict_group(event, n, v);
	if (v->err)
		return v->why;
	for (i = 0; good && i < n; i++)
		good = v->req[i].set.mode == PCOUNTER_MODE_RECORD && v->req[i].dom == v->req[0].dom;
	return good ? NULL : "not a group of record mode on one domain";
}

/* Say why a group cannot be recorded. */
static int refuse_group(const struct stream *s, const char *why)
{
	const struct event *event = &s->group->event[s->verdict.member];

	complain("%s: %s", event->text, why);
	/* else a spelling mistake, or a chip without record mode */
	if (!*event->error)
		complain("record mode takes single signals of the domains, up to %u of each%s",
			 PCOUNTER_CAPTURE_COUNTERS,
			 "; pcounter explain lists those of an event as its wires");
	return s->verdict.err ? STATUS_NO : STATUS_USAGE;
}

/* Return true if the GPU writes records, and not packets. */
static bool has_records(const struct pmu *pmu)
{
	return pmu->topo.caps & PCOUNTER_CAP_SETS;
}

/* Give a stream its place in an area: with records all domains of a GPU have one. */
static void find_ring(struct recording *rec, struct stream *s)
{
	const struct pmu *pmu = s->group->event->pmu;
	struct stream *first = rec->stream;

	s->ring = s;
	s->records = has_records(pmu);
	rec->records |= s->records;
	while (first < s && first->group->event->pmu != pmu)
		first++;
	if (!s->records || first == s)
		return;
	s->ring = first;
	s->next = first->next;
	first->next = s;
}

static int prepare(struct recording *rec, const struct groups *groups)
{
	double clocks[PCOUNTER_MAX_DOMAINS];
	struct stream *s;
	const char *why;

	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		s->number = s - rec->stream;
		s->group = &groups->group[s->number];
		why = place(s->group->event, s->group->nr, &s->verdict);
		if (why)
			return refuse_group(s, why);
		find_ring(rec, s);
		s->packet = sizeof(struct pcounter_record_packet) >> s->verdict.req[0].set.brief;
	}
	for (s = rec->stream; s < rec->stream + rec->n; s++)
		if (s->ring == s && !stream_open(s))
			return STATUS_NO;
	if (!map_areas(rec))
		return STATUS_NO;
	/* last, since it takes turns with other captures: a refused run does not disturb them */
	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		measure_clocks(s->group->event[0].pmu, CLOCK_MS, clocks);
		s->hz = clocks[s->verdict.req[0].dom];
	}
	return STATUS_OK;
}

static int record(struct recording *rec, const struct groups *groups)
{
	struct stream *s;
	int status;

	rec->n = groups->nr;
	rec->stream = need(rec->n, sizeof(*rec->stream));
	status = prepare(rec, groups);
	if (status == STATUS_OK)
		status = describe(rec) ? run(rec) : STATUS_NO;
	if (rec->file.f) {
		if (!capture_close(&rec->file))
			status = STATUS_NO;
		if (summary(rec) && status == STATUS_OK)
			status = STATUS_NO;
	}
	for (s = rec->stream; s < rec->stream + rec->n; s++) {
		count_close(&s->count);
		free(s->seen);
	}
	free(rec->stream);
	return status;
}

/* ---- events ---- */

/* Say that a GPU has no record mode. */
static void refuse_record(struct event *event)
{
	const struct pcounter_chip *chip = event->pmu->topo.chip;
	bool tries = chip && chip->bucket == PCOUNTER_BUCKET_GF100;

	snprintf(event->error, sizeof(event->error), "%s has no record mode%s",
		 event->pmu->chip_name, tries ?
		 " without the module's parameter unverified=1: no card has confirmed it" :
		 "; G84 to GT215 have it");
}

/* Add record mode to all events that do not have it. */
static void make_record(struct groups *groups)
{
	unsigned int i, k;

	for (i = 0; i < groups->nr; i++)
		for (k = 0; k < groups->group[i].nr; k++) {
			struct event *event = &groups->group[i].event[k];

			if (!event_has(event, "record") && !event->pmu->idle && !*event->error &&
			    !event_terms(event->pmu, "record", event))
				refuse_record(event);
		}
}

/*
 * Give groups without a period one that follows the number of domains of their GPU, since
 * one ring takes the records of all.
 */
static void set_periods(struct groups *groups)
{
	unsigned int i, k, code;

	for (i = 0; i < groups->nr; i++) {
		struct group *group = &groups->group[i];

		code = PCOUNTER_PERIODIC_DEFAULT - 1;
		for (k = 0; k < groups->nr; k++)
			code += groups->group[k].event->pmu == group->event->pmu;
		for (k = 0; k < group->nr && !event_has(&group->event[k], "periodic");)
			k++;
		if (has_records(group->event->pmu) && k == group->nr && !*group->event->error)
			event_terms(group->event->pmu,
				    text_tmp("periodic=%u", min(code, MAX_PERIODIC)), group->event);
	}
}

/* Add the busy signals of the units of a GPU, as far as a domain has counters. */
static void add_busy(const struct pmus *pmus, const struct pmu *pmu, struct groups *groups)
{
	unsigned int used[PCOUNTER_MAX_DOMAINS] = {};
	const struct pmu_name *name;

	for (name = pmu->names; name < pmu->names + pmu->nr_names; name++)
		if (name->wire && name->plain.kind == PLAIN_BUSY &&
		    name->dom < PCOUNTER_MAX_DOMAINS &&
		    used[name->dom]++ < PCOUNTER_CAPTURE_COUNTERS)
			groups_parse(pmus, text_tmp("%s/%s,record/", pmu->name, name->name),
				     groups);
}

static int find_events(const struct gpus *gpus, struct groups *groups)
{
	const struct pmus *pmus = &gpus->pmus;
	const char *const *text;
	unsigned int i;

	for (i = 0; i < gpus->nr && !*events; i++)
		if (strstr(gpus->gpu[i].pmu->modes, "record") && !gpu_asleep(&gpus->gpu[i]))
			add_busy(pmus, gpus->gpu[i].pmu, groups);
	if (!*events && !groups->nr) {
		complain("%s",
			 "no GPU that is awake, has record mode and names what tells busy units: use -e");
		return STATUS_NO;
	}
	for (text = events; *text; text++)
		if (!groups_parse(pmus, *text, groups))
			return STATUS_USAGE;
	make_record(groups);
	groups_join(groups);
	set_periods(groups);
	return STATUS_OK;
}

/* Parse a number of pages that the driver accepts. */
static bool take_pages(const struct option_doc *o, const char *text)
{
	if (!take_number(o, text))
		return false;
	if (!(pages & (pages - 1)))
		return true;
	return complain("%s: not a power of 2", text);
}

/* Check the command early, before an existing file is replaced for nothing. */
static bool check_command(const char *command)
{
	if (!strchr(command, '/') || !strchr(command, '=') || find_program(command))
		return can_run(command);
	return complain("%s: no such command; events are given with -e", command);
}

/* Return the command by which perf runs the user's command, if any, and records the CPUs. */
static char **record_cpus(char **command)
{
	static const char *const perf[] = {
		"perf", "record", "-q", "-B", "-N", "-a", "-e", "cpu-clock", "-F", "1000",
		"--switch-events", "-o", cpus, "--",
	};
	unsigned int n = 0;
	char **all;

	while (command[n])
		n++;
	all = need(ARRAY_SIZE(perf) + n + 1, sizeof(*all));
	memcpy(all, perf, sizeof(perf));
	memcpy(all + ARRAY_SIZE(perf), command, n * sizeof(*all));
	return all;
}

static int run_record(char **args)
{
	struct recording rec = {};
	struct groups groups = {};
	int status = STATUS_NO_GPU;
	struct gpus gpus;

	rec.endless = !*args && !duration;
	if ((*args && !check_command(*args)) || (with_cpus && !check_command("perf")))
		return STATUS_NO;
	if (with_cpus)
		args = record_cpus(args);
	rec.command = *args ? args : NULL;
	if (gpus_counting(&gpus, NULL))
		status = find_events(&gpus, &groups);
	if (status == STATUS_OK) {
		catch_signals();
		status = record(&rec, &groups);
		if (status == STATUS_OK || (status == STATUS_NO && rec.status))
			status = command_status(rec.status) ?: status;
	}
	if (with_cpus)
		free(args);
	groups_free(&groups);
	gpus_free(&gpus);
	return status;
}

const struct verb verb_record = {
	.name = "record",
	.args = "[--] [COMMAND...]",
	.summary = "capture the packets of record mode in a file, at full rate",
	.options = options,
	.counts = true,
	.run = run_record,
};
