// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter record: write packets of record mode from perf's area to a file, at full rate.
 */
#include <endian.h>
#include <limits.h>
#include <time.h>

#include "capture/capture.h"
#include "capture/stream.h"
#include "gpu/count.h"
#include "gpu/gpu.h"
#include "gpu/pmu.h"
#include "lib/tool.h"

#define LEAST_PAGES	16
#define USUAL_PAGES	1024
#define MOST_PAGES	65536
#define ROUND		0.02	/* seconds between two polls */
#define SILENCE		1.0	/* seconds without packets after which events are checked */
#define MAX_ROUNDS	50	/* rounds in which other events can take their turns, or end */
#define CLOCK_MS	50
#define MAX_EVENTS	64

/* Arguments of the command line. */
static const char *path = CAPTURE_FILE, *events[MAX_EVENTS + 1];
static unsigned long pages;
static double duration;	/* ns; 0: until the command ends, or a signal arrives */
static bool with_cpus;

static bool take_pages(const struct option_doc *o, const char *text);

static const struct option_doc options[] = {
	{ 'e', "event", "EVENTS", "events to record; repeatable (default: the busy signals)",
	  OPT_SEVERAL(events, MAX_EVENTS) },
	{ 'o', "output", "FILE", "the file (default: " CAPTURE_FILE ")", OPT_TEXT(&path) },
	{ 'm', "mmap-pages", "PAGES", "of each AUX area: 16, 32, ... 65536 (default: up to 1024)",
	  .take = take_pages, .to = &pages, .least = LEAST_PAGES,
	  .most = MOST_PAGES },
	{ 'd', "duration", "TIME", "end after TIME: 2s, 200ms, or a number of ms",
	  OPT_TIME(&duration, NS_MS, 1e6 * NS_S, NS_MS) },
	{ 'C', "cpu", NULL, "record the CPUs, too: perf record writes FILE.cpu, for report -T",
	  OPT_FLAG(&with_cpus) },
	{ }
};

/**
 * struct recording - a run
 * @endless: only a signal ends the run
 * @command: the command to run, NULL for none
 * @status: status of the command, from waitpid()
 * @file: the file
 * @n: number of streams
 * @stream: the streams
 */
struct recording {
	bool endless;
	char **command;
	int status;
	struct capture file;
	unsigned int n;
	struct stream *stream;
};

/* ---- perf ---- */

static bool complain_map(const struct stream *s, unsigned long nr, int err)
{
	const char *why = strerror(err);

	if (err == ENOMEM)
		why = "no memory, or another capture of this domain is under way";
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
			err = record_map(&s->count, nr);
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

static bool stream_open(struct stream *s)
{
	int err = record_open(&s->count, s->group->event, s->group->nr);

	/* record mode needs more rights than counting, and an awake GPU */
	if (err)
		complain("%s: %s", s->group->event[s->count.refused].text, err == -EAGAIN ?
			 "the GPU is asleep; it records once something uses it" :
			 count_explain(err, true));
	return !err;
}

/* ---- the run ---- */

/* Return the time for which the events have counted; it stops if the GPU is gone. */
static uint64_t time_running(struct stream *s)
{
	count_read(&s->count);
	return s->count.running;
}

static bool complain_gone(const struct stream *s)
{
	return complain("%s domain %u counts no more: %s: see dmesg",
			s->group->event[0].pmu->name, s->verdict.req[0].dom,
			"the GPU has left, was reset or failed, or the system slept");
}

/* Check after a time without packets that the enabled event still counts. */
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

/* Drain a stream, and enable its event again: perf has disabled it if the area was full. */
static bool stream_go_on(struct stream *s, struct capture *file)
{
	uint64_t before = s->tail;

	if (!stream_drain(s, file))
		return false;
	if (s->tail == before || s->full)
		count_enable(&s->count, true);
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

/* Write the clocks that align the capture with the recordings of other programs. */
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

/* Write the name of a stream's card, which pictures show. */
static bool put_card(struct recording *rec, unsigned int i)
{
	struct gpu gpu = { .pmu = rec->stream[i].group->event[0].pmu };
	struct pcounter_capture_card body = {};
	char card[CARD_NAME];

	file_number(&gpu.vendor, text_tmp(PCI_DEVICES "/%s/vendor", gpu.pmu->device));
	file_number(&gpu.device, text_tmp(PCI_DEVICES "/%s/device", gpu.pmu->device));
	gpu_card(&gpu, card, sizeof(card));
	snprintf(body.name, sizeof(body.name), *card ? "%s (%s)" : "%s%s", card,
		 gpu.pmu->chip_name);
	return capture_block(&rec->file, PCOUNTER_CAPTURE_CARD, i, &body, sizeof(body));
}

static bool describe(struct recording *rec, const double *hz)
{
	unsigned int i;

	if (!capture_create(&rec->file, path, perf_clock()))
		return false;
	/* the CPUs of an earlier capture */
	rename(text_tmp("%s" CPU_FILE, path), text_tmp("%s" CPU_FILE ".old", path));
	for (i = 0; i < rec->n; i++)
		if (!stream_describe(&rec->stream[i], &rec->file, hz[i]) || !put_card(rec, i))
			return false;
	return put_clocks(rec);
}

static void switch_all(const struct recording *rec, bool on)
{
	unsigned int i;

	for (i = 0; i < rec->n; i++)
		count_enable(&rec->stream[i].count, on);
}

/*
 * Return true if all events still count: a command often ends because the GPU is gone.
 * The packets of this check are not written to the file.
 */
static bool all_count(struct recording *rec)
{
	const struct stream *gone = NULL;
	unsigned int round, i;

	for (i = 0; i < rec->n; i++)
		rec->stream[i].running = time_running(&rec->stream[i]);
	for (round = 0; round < MAX_ROUNDS; round++) {
		switch_all(rec, true);
		usleep(ROUND * 1e6);
		switch_all(rec, false);
		gone = NULL;
		for (i = 0; i < rec->n; i++)
			if (time_running(&rec->stream[i]) == rec->stream[i].running)
				gone = &rec->stream[i];
		if (!gone)
			return true;
	}
	return complain_gone(gone);
}

/* Finish all streams. A stream after an error gets no end in the file. */
static bool finish(struct recording *rec, bool good, bool early)
{
	uint64_t now;
	unsigned int i;

	switch_all(rec, false);
	now = perf_clock();
	for (i = 0; i < rec->n; i++) {
		struct stream *s = &rec->stream[i];

		s->times.early = early;
		s->times.running = time_running(s);
		s->times.enabled = s->count.enabled;
		good &= stream_rest(s, &rec->file);
		/* perf's own time is exact, but stops while the area is full */
		s->times.span = s->paused ? now - s->times.span : s->times.enabled;
	}
	good = good && all_count(rec) && put_clocks(rec);
	for (i = 0; good && i < rec->n; i++)
		good = stream_end(&rec->stream[i], &rec->file);
	return good;
}

/* Print a summary. Return true if anything was lost. */
static bool summary(const struct recording *rec)
{
	unsigned int i, k;
	bool lost = false;

	for (i = 0; i < rec->n; i++) {
		const struct stream *s = &rec->stream[i];
		const struct read_times *t = &s->times;

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

/* Enable all streams. The time of that bounds the error of the first pair. */
static void enable(struct recording *rec)
{
	uint64_t now = perf_clock();
	unsigned int i;

	for (i = 0; i < rec->n; i++) {
		rec->stream[i].time = now;
		rec->stream[i].times.span = now;
		rec->stream[i].heard = seconds();
	}
	switch_all(rec, true);
}

static int run(struct recording *rec)
{
	double end = seconds() + duration / NS_S;
	bool good = true, ended = false, early;
	pid_t pid = 0;
	int child = -1;
	unsigned int i;

	enable(rec);
	if (rec->command)
		pid = start_command(rec->command, false, &child);
	while (good && !stopped && (!duration || seconds() < end)) {
		ended = wait_fd(child, ROUND) > 0;
		if (ended)
			break;
		for (i = 0; good && i < rec->n; i++)
			good = stream_go_on(&rec->stream[i], &rec->file);
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

/* Report events of the same signal: they share a counter, which has a single name. */
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

/* ---- the nearest events ---- */

/* Return true if record mode takes an event alone. */
static bool recordable(struct event *event)
{
	const struct group group = { .nr = 1, .event = event };
	struct stream s = { .group = &group };

	verdict_group(&group, &s.verdict);
	return !s.verdict.err && is_record(&s);
}

/* Return the signals that an event reads, bit by bit. */
static u8 sources_of(const struct event *event)
{
	struct pcounter_input in = { .op = event_value(event, "op") ?: PCOUNTER_OP_SOURCE_0 };
	unsigned int i;
	u8 more = 0;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		in.delay |= event_has(event, text_tmp("d%u", i)) << i;
		more |= event_has(event, text_tmp(i ? "sig%u" : "sig", i)) << i;
	}
	return pcounter_input_sources(&in) | more;
}

/* Add to @text a signal of an event: the event without its logic op. */
static void add_signal(const struct event *of, uint64_t sig, char *text, size_t len)
{
	static const char *const kept[] = {
		"dom", "set", "unit", "mux", "sel", "tpc", "mux2", "sel2", "mux3",
	};
	const struct pmu *pmu = of->pmu;
	const char *name = NULL, *unused;
	struct event one = {};
	char buf[EVENT_TEXT];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kept); i++)
		if (event_has(of, kept[i]))
			event_terms(pmu, text_tmp("%s=%llu", kept[i], (unsigned long long)
						  event_value(of, kept[i])), &one);
	event_terms(pmu, text_tmp("sig=%llu,record", (unsigned long long)sig), &one);
	if (!recordable(&one))
		return;
	if (!event_has(of, "mux"))
		name = pmu_wire_name(pmu, &pmu->topo.dom[event_domain(&one)], sig, &unused);
	one = event_without(&one, one.nr - 1);
	event_print(&one, buf, sizeof(buf));
	if (name)
		snprintf(buf, sizeof(buf), "%s/%s/", pmu->name, name);
	if (!strstr(text, buf))
		text_add(text, len, "%s%s", *text ? "," : "", buf);
}

/* Add to @text the signals that tell what an idle counter tells. */
static void add_busy_signals(const struct event *of, char *text, size_t len)
{
	const struct pmu *pmu = of->pmu->beside;
	struct plain plain;
	unsigned int i;

	plain_name(text_tmp("%.*s", (int)strcspn(strchr(of->text, '/') + 1, "/"),
			    strchr(of->text, '/') + 1), &plain);
	for (i = 0; i < pmu->nr_names; i++)
		if (pmu->names[i].wire && pmu->names[i].plain.kind == PLAIN_BUSY &&
		    !strcmp(pmu->names[i].plain.label, plain.label))
			text_add(text, len, "%s%s/%s/", *text ? "," : "", pmu->name,
				 pmu->names[i].name);
}

/* Add to @text the signals that record mode takes instead of an event. */
static void add_nearest(struct event *event, char *text, size_t len)
{
	u8 sources = sources_of(event);
	unsigned int i;

	if (recordable(event)) {
		text_add(text, len, "%s%s", *text ? "," : "", event->text);
		return;
	}
	if (event->pmu->idle) {
		add_busy_signals(event, text, len);
		return;
	}
	for (i = 0; i < PCOUNTER_ARGS; i++)
		if (sources & BIT(i))
			add_signal(event, event_value(event, text_tmp(i ? "sig%u" : "sig", i)),
				   text, len);
}

/* Explain which events record mode takes, with the events that are nearest to the user's. */
static void tell_nearest(const struct groups *groups)
{
	char text[4096] = "";
	unsigned int i, k;

	for (i = 0; i < groups->nr; i++)
		for (k = 0; k < groups->group[i].nr; k++) {
			/* a spelling mistake, or a chip without record mode */
			if (*groups->group[i].event[k].error)
				return;
			add_nearest(&groups->group[i].event[k], text, sizeof(text));
		}
	complain("record mode takes single signals of the domains, up to %u of each%s%s",
		 PCOUNTER_CAPTURE_COUNTERS, *text ? "; the nearest: -e " : "", text);
}

static int prepare(struct recording *rec, const struct groups *groups, double *hz)
{
	double clocks[PCOUNTER_MAX_DOMAINS];
	unsigned int i;

	for (i = 0; i < rec->n; i++) {
		struct stream *s = &rec->stream[i];

		s->number = i;
		s->group = &groups->group[i];
		verdict_group(s->group, &s->verdict);
		if (s->verdict.err || !is_record(s)) {
			complain("%s: %s", s->group->event[s->verdict.member].text,
				 s->verdict.err ? s->verdict.why :
				 "not a group of record mode on one domain");
			tell_nearest(groups);
			return s->verdict.err ? STATUS_NO : STATUS_USAGE;
		}
		tell_twins(s);
		s->packet = sizeof(struct pcounter_record_packet) >> s->verdict.req[0].set.brief;
	}
	for (i = 0; i < rec->n; i++)
		if (!stream_open(&rec->stream[i]))
			return STATUS_NO;
	if (!map_areas(rec))
		return STATUS_NO;
	/* last, since it takes turns with other captures: a refused run does not disturb them */
	for (i = 0; i < rec->n; i++) {
		measure_clocks(groups->group[i].event[0].pmu, CLOCK_MS, clocks);
		hz[i] = clocks[rec->stream[i].verdict.req[0].dom];
	}
	return STATUS_OK;
}

static int record(struct recording *rec, const struct groups *groups)
{
	double hz[PCOUNTER_MAX_DOMAINS] = {};
	unsigned int i;
	int status;

	rec->n = groups->nr;
	if (rec->n > PCOUNTER_MAX_DOMAINS) {
		complain("too many groups");
		return STATUS_USAGE;
	}
	rec->stream = need(rec->n, sizeof(*rec->stream));
	status = prepare(rec, groups, hz);
	if (status == STATUS_OK) {
		status = describe(rec, hz) ? run(rec) : STATUS_NO;
		if (rec->file.fd >= 0 && !capture_close(&rec->file))
			status = STATUS_NO;
		if (rec->file.fd >= 0 && summary(rec) && status == STATUS_OK)
			status = STATUS_NO;
	}
	for (i = 0; i < rec->n; i++)
		count_close(&rec->stream[i].count);
	free(rec->stream);
	return status;
}

/* ---- events ---- */

/* Add record mode to all events that do not have it. */
static void make_record(struct groups *groups)
{
	unsigned int i, k;

	for (i = 0; i < groups->nr; i++)
		for (k = 0; k < groups->group[i].nr; k++) {
			struct event *event = &groups->group[i].event[k];

			if (event_has(event, "record") || event->pmu->idle)
				continue;
			if (*event->error)
				continue;
			if (!event_terms(event->pmu, "record", event))
				snprintf(event->error, sizeof(event->error),
					 "%s has no record mode; G84 to GT215 have it",
					 event->pmu->chip_name);
		}
}

/* Add the busy signals of units, as far as a domain has counters. */
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

static int find_events(const struct pmus *pmus, struct groups *groups)
{
	int status = *events ? STATUS_OK : default_events(pmus, groups);
	const char *const *text;
	char why[WHY_TEXT];

	for (text = events; *text; text++)
		if (!groups_parse(pmus, *text, groups, why)) {
			complain("%s", why);
			return STATUS_USAGE;
		}
	make_record(groups);
	groups_join(groups);
	return status;
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
	complain("%s: no such command; events are given with -e", command);
	return false;
}

/* Return the command by which perf runs the user's command, if any, and records the CPUs. */
static char **record_cpus(char **command)
{
	static const char *const perf[] = {
		"perf", "record", "-q", "-B", "-N", "-a", "-e", "cpu-clock", "-F", "1000",
		"--switch-events", "-o",
	};
	static char file[PATH_MAX];
	unsigned int n = 0, at = ARRAY_SIZE(perf);
	char **all;

	while (command[n])
		n++;
	all = need(at + n + 3, sizeof(*all));
	memcpy(all, perf, sizeof(perf));
	snprintf(file, sizeof(file), "%s" CPU_FILE, path);
	all[at++] = file;
	if (n)
		all[at++] = "--";
	memcpy(all + at, command, n * sizeof(*all));
	return all;
}

static int run_record(char **args)
{
	struct recording rec = { .file.fd = -1 };
	struct groups groups = {};
	char **with_perf = NULL;
	struct pmus pmus;
	int status;

	rec.endless = !*args && !duration;
	if ((*args && !check_command(*args)) || (with_cpus && !check_command("perf")))
		return STATUS_NO;
	if (with_cpus) {
		with_perf = record_cpus(args);
		args = with_perf;
	}
	rec.command = *args ? args : NULL;
	pmus_find(&pmus);
	if (pmus.nr) {
		status = find_events(&pmus, &groups);
	} else {
		complain_no_gpu(NULL);
		status = STATUS_NO_GPU;
	}
	if (status == STATUS_OK) {
		catch_signals();
		status = record(&rec, &groups);
		if (status == STATUS_OK || (status == STATUS_NO && rec.status))
			status = command_status(rec.status) ?: status;
	}
	groups_free(&groups);
	pmus_free(&pmus);
	free(with_perf);
	return status;
}

const struct verb verb_record = {
	.name = "record",
	.args = "[--] [COMMAND...]",
	.summary = "capture the packets of record mode in a file, at full rate",
	.options = options,
	.run = run_record,
};
