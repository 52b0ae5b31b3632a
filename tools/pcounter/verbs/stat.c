// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter stat: count metrics of a GPU while a command runs, with the options and the
 * formats of perf stat.
 */
#include <math.h>
#include <wordexp.h>

#include "gpu/trigger.h"
#include "stat/runs.h"

#define MOST_TIME	(3600 * NS_S)
#define PEAKS		"peak"	/* -M: the metrics of which the peak is known */
#define START_MS	10	/* the driver may program many domains in several steps */

enum { LINE = LONG_OWN, VERSUS, TRIGGER };

static const char *device, *path;
static double duration;
static bool by_trigger;
static struct trigger trigger, *sender;	/* NULL: the driver ends periods */
static struct runs runs = { .repeat = 1, .turns = 1, .out = { .columns = stat_columns } };
static unsigned int failed;
static double took[2];		/* s of the last run of each command */
static int failure[2];		/* the last of each command, from waitpid() */

static const struct option_doc options[] = {
	{ 'M', "metrics", "METRIC,...",
	  "metrics, events, expressions, or peak (default: busy units, waits, caches)",
	  OPT_TEXT(&runs.list) },
	{ LINE, "line", "METRIC,...", "print these metrics in one line, for status bars",
	  OPT_TEXT(&runs.line) },
	{ 'r', "repeat", "N", "run N times; print means and their standard errors",
	  OPT_NUMBER(&runs.repeat, 1, 1e6) },
	{ VERSUS, "versus", "COMMAND",
	  "run COMMAND by turns with the other (-r 8 or more), and compare",
	  OPT_TEXT(&runs.versus) },
	{ 'I', "interval-print", "TIME", "print values at this interval: 2s, 200ms, ms",
	  OPT_TIME(&runs.interval, 10 * NS_MS, MOST_TIME, NS_MS) },
	{ 't', "time", "TIME", "without a command: count for TIME (default 1s, -I: until ^C)",
	  OPT_TIME(&duration, NS_MS, MOST_TIME, NS_MS) },
	{ TRIGGER, "trigger", NULL, "let the trigger end the periods: counts of one moment",
	  OPT_FLAG(&by_trigger) },
	OPTION_DEVICE(&device),
	{ 'x', "field-separator", "SEP", "fields of perf stat -x, on stdout",
	  OPT_TEXT(&runs.separator) },
	{ 'j', "json", NULL, "fields of perf stat -j and more, on stdout, as JSON Lines",
	  OPT_ROWS(&runs.out.kind, OUT_JSONL) },
	{ 'o', "output", "FILE", "write to FILE", OPT_TEXT(&path) },
	{ }
};

/* ---- choice of metrics ---- */

/* Return the names of a set of metrics, those that the chip has, maybe none. */
static const char *set_names(const struct pmu *pmu, bool peaks)
{
	const char *names = "";
	unsigned int i;

	for (i = 0; i < nr_metrics; i++)
		if ((peaks ? *metrics[i].peak : metrics[i].first) &&
		    metric_find(pmu, metrics[i].name) == &metrics[i])
			names = text_tmp("%s%s%s", names, *names ? "," : "", metrics[i].name);
	return names;
}

/* Return the names of the metrics that the user asks for. */
static char *wanted_names(const struct pmu *pmu)
{
	const char *wanted = runs.line ?: runs.list;
	bool peaks = wanted && !strcmp(wanted, PEAKS);

	return strdup(wanted && !peaks ? wanted : set_names(pmu, peaks));
}

/* Find a metric by name, or make one of an event; a metric takes precedence. */
static const struct metric *wanted_metric(const struct pmu *pmu, const char *name,
					  struct metric *made, const char **why)
{
	const struct metric *metric = metric_find(pmu, name);

	*why = metric ? NULL : metric_make(pmu, name, made);
	if (*why && metric_find(NULL, name))
		*why = "this chip lacks the events for it";
	return metric ?: *why ? NULL : made;
}

static int add_metric(struct counts *counts, const char *name)
{
	const struct pmu *pmu = counts->gpu->pmu;
	struct member *m = &counts->member[counts->n];
	const struct metric *metric;
	const char *why;
	unsigned int i;
	int err = 0;

	if (counts->n == MAX_USES)
		return tell(STATUS_USAGE, "more than %u metrics", MAX_USES);
	metric = wanted_metric(pmu, name, &m->made, &why);
	if (metric)
		why = metric_prepare(pmu, metric, &m->use);
	for (i = 0; sender && !why && i < m->use.n; i++)
		if (!trigger_ends(&m->use.event[i]))
			why = m->use.event[i].error;
	if (!why)
		err = metric_open(&m->use);
	if (why || err)
		return tell(metric ? STATUS_NO : STATUS_USAGE, "%s: %s", name,
			    why ?: count_explain(err, false));
	counts->n++;
	return STATUS_OK;
}

static int open_metrics(struct counts *counts)
{
	char *name, *rest = wanted_names(counts->gpu->pmu);
	const char *wanted = runs.line ?: runs.list;
	int status = STATUS_OK;

	counts->names = rest;
	if (!*rest && (!wanted || !strcmp(wanted, PEAKS)))
		return tell(STATUS_NO, "%s: no %s is known for this chip; %s",
			    counts->gpu->pmu->chip_name, wanted ? "peak" : "metric",
			    "pcounter events lists its events");
	while (!status && (name = strsep(&rest, ",")))
		status = add_metric(counts, name);
	counts->member[counts->n].use.metric = &elapsed;
	counts->member[counts->n].clock = NAN;
	return status;
}

/* ---- choice of GPUs ---- */

/* Return true if a chip lacks a metric. */
static bool lacks_metrics(const struct pmu *pmu)
{
	char *names = wanted_names(pmu), *rest = names, *name;
	const char *why;
	bool lacks = false;
	struct metric made;

	while (!lacks && (name = strsep(&rest, ",")))
		lacks = !wanted_metric(pmu, name, &made, &why);
	free(names);
	return lacks;
}

/* Return how well a GPU suits, 0 is best: a line is about GPUs that are asleep, too. */
static unsigned int rank_of(const struct gpu *gpu)
{
	return lacks_metrics(gpu->pmu) ? 2 : !runs.line && gpu_asleep(gpu);
}

/* Choose the first of the GPUs that suit best for each command, or all of them for a line. */
static void choose_gpus(const struct gpus *gpus)
{
	unsigned int i, rank;

	runs.counts = need(max(gpus->nr, runs.turns), sizeof(*runs.counts));
	for (rank = 0; !runs.nr; rank++)
		for (i = 0; i < gpus->nr && (runs.line || !runs.nr); i++)
			if (rank_of(&gpus->gpu[i]) == rank)
				runs.counts[runs.nr++].gpu = &gpus->gpu[i];
	for (; runs.nr < runs.turns; runs.nr++) {
		runs.counts[runs.nr].gpu = runs.counts->gpu;
		runs.counts[runs.nr].turn = runs.nr;
	}
	if (!runs.line)
		gpus_tell(gpus, runs.counts->gpu, "counts");
}

/* ---- counting ---- */

/* Enable or disable what counts during a command. */
static void enable(unsigned int turn, bool on)
{
	const struct counts *counts;
	const struct member *m;
	unsigned int i;

	for (counts = runs.counts; counts < runs.counts + runs.nr; counts++)
		for (m = counts->member; m < durations(counts) && counts->turn == turn; m++)
			for (i = 0; i < m->use.groups; i++)
				count_enable(&m->use.count[i], on);
}

/* Count with the new PMU of a GPU that has come back, if nothing has been counted. */
static void look_up(struct counts *counts)
{
	const struct member *m;
	bool failed;

	for (m = counts->member; m < durations(counts); m++)
		if (m->running > 0)
			return;
	if (gpu_asleep(counts->gpu) || !gpu_again(&counts->gpu, counts->n, &counts->found))
		return;
	while (counts->n)
		metric_close(&counts->member[--counts->n].use);
	free(counts->names);
	if (sender) {
		failed = sender->failed;
		trigger_close(sender);
		sender->failed = !trigger_open(sender, counts->gpu) || failed;
	}
	open_metrics(counts);
	enable(counts->turn, true);
}

static void add_values(struct member *m)
{
	unsigned int i;
	double value;

	m->enabled += m->use.seconds;
	m->running += m->use.seconds * m->use.share;
	if (metric_value(&m->use, &value))
		sample_add(&m->value, value);
	for (m->clock = NAN, i = 0; i < m->use.n; i++)
		if (strchr(m->use.word[i], '('))
			m->clock = m->use.value[i] / m->use.seconds;
}

/* Take the values since the last call, if they count. */
static void take_values(bool count)
{
	struct counts *counts;
	struct member *m;

	for (counts = runs.counts; counts < runs.counts + runs.nr; counts++) {
		for (m = counts->member; m < durations(counts); m++) {
			/* an interval has its own values, repetitions have common ones */
			if (runs.interval > 0) {
				free(m->value.value);
				m->value = (struct sample){};
				m->enabled = 0;
				m->running = 0;
			}
			metric_read(&m->use);
			if (count)
				add_values(m);
		}
		m->use.seconds = took[counts->turn];
		m->use.share = 1;
		if (count && !runs.interval)
			add_values(m);
	}
}

/* Let a run of a length in ns pass; show the values of each interval. */
static void pass(int fd, double begin, double length)
{
	unsigned int i;
	double at = 0;
	bool more;

	do {
		texts_free();
		/* in whole ns: sums of seconds are rounded, and miss the end */
		at = runs.interval > 0 ? fmin(length, at + runs.interval) : length;
		more = trigger_wait(sender, fd, begin + at / NS_S) && at < length;
		if (runs.interval > 0) {
			take_values(true);
			runs.when = seconds() - begin;
			runs_show(&runs);
		}
		for (i = 0; i < runs.nr && more; i++)
			look_up(&runs.counts[i]);
	} while (more);
}

/* Begin a period of a command's metrics, whose events have just been enabled. */
static void begin_period(unsigned int turn)
{
	struct counts *counts;
	struct member *m;

	wait_ms(START_MS);
	trigger_send(sender);
	for (counts = runs.counts; counts < runs.counts + runs.nr; counts++)
		for (m = counts->member; m < durations(counts) && counts->turn == turn; m++)
			metric_read(&m->use);
}

/* Count for a run. Return false if repetitions leave it out: it failed, or did not end. */
static bool count_once(unsigned int turn)
{
	double begin, length = duration ?: runs.interval > 0 ? INFINITY : NS_S;
	char **command = runs.command[turn];
	int fd = -1, status = 0;
	pid_t pid = -1;

	enable(turn, true);
	if (sender)
		begin_period(turn);
	begin = seconds();
	if (command) {
		pid = start_command(command, false, &fd);
		length = INFINITY;
	}
	pass(fd, begin, length);
	enable(turn, false);
	took[turn] = seconds() - begin;
	if (command)
		status = pid < 0 ? -1 : end_command(pid, fd);
	failure[turn] = status ?: failure[turn];
	return runs.repeat == 1 || (!stopped && !status);
}

/* Run each command once, in random order, so that no drift favours one of them. */
static void count_round(bool counts)
{
	unsigned int i, second = runs.turns > 1 && random() & 1;
	bool good = true;

	for (i = 0; i < runs.turns && good; i++)
		good = count_once(i ^ second);
	failed += !good;
	if (!runs.interval)
		take_values(good && counts);
}

static void count(void)
{
	unsigned long round;

	if (runs.interval > 0 && runs_text(&runs))
		runs_head(&runs);
	if (runs.versus)
		count_round(false);	/* caches and clocks settle */
	for (round = 0; round < runs.repeat && !stopped; round++)
		count_round(true);
	if (failed)
		complain("left out %u of %lu runs, which failed or were interrupted", failed,
			 round + !!runs.versus);
	if (durations(runs.counts)->value.n)
		runs_show(&runs);
}

static int stat_gpus(const struct gpus *gpus)
{
	int status = STATUS_OK;
	unsigned int i;

	choose_gpus(gpus);
	if (by_trigger && !trigger_open(&trigger, runs.counts->gpu))
		return STATUS_NO;
	sender = by_trigger ? &trigger : NULL;
	for (i = 0; i < runs.nr && !status; i++)
		status = open_metrics(&runs.counts[i]);
	if (status)
		return status;
	if (!out_open(&runs.out, path))
		return STATUS_NO;
	/* stdout belongs to the command */
	if (runs_text(&runs) && !path)
		runs.out.f = stderr;
	catch_signals();
	count();
	if (trigger.failed)
		status = STATUS_NO;
	if (sender)
		trigger_close(sender);
	return !out_close(&runs.out) || status ? STATUS_NO :
	       stopped ? STATUS_INTERRUPTED :
	       command_status(failure[0] ?: failure[1]);
}

/* ---- the command line ---- */

/* Take the command of --versus. */
static bool take_versus(void)
{
	static wordexp_t words;

	if (!*runs.command || runs.line || runs.separator || runs.interval > 0 ||
	    runs.repeat < LEAST_ROUNDS)
		return complain("--versus needs -r %u or more and a command, no -I, -x, --line",
				LEAST_ROUNDS);
	if (wordexp(runs.versus, &words, WRDE_NOCMD) || !words.we_wordc)
		return complain("%s: not one command; a script needs sh -c", runs.versus);
	runs.command[runs.turns++] = words.we_wordv;
	srandom(clock_ns(CLOCK_REALTIME));
	return true;
}

static int run_stat(char **args)
{
	unsigned int i;

	*runs.command = *args ? args : NULL;
	if (runs.interval > 0 && runs.repeat > 1)
		return tell(STATUS_USAGE, "-I and -r cannot be combined");
	if (by_trigger && runs.line)
		return tell(STATUS_USAGE, "--trigger and --line cannot be combined");
	if (runs.versus && !take_versus())
		return STATUS_USAGE;
	for (i = 0; i < runs.turns && *runs.command; i++)
		if (!can_run(*runs.command[i]))
			return STATUS_NO;
	snprintf(runs.date, sizeof(runs.date), "%s",
		 date_text(clock_ns(CLOCK_REALTIME) / NS_S));
	return gpus_run(device, stat_gpus);
}

const struct verb verb_stat = {
	.name = "stat",
	.args = "[-- COMMAND...]",
	.summary = "count metrics of a GPU while a command runs",
	.options = options,
	.hint = "; events of perf's -e go to -M, and stat always counts the whole GPU, as with -a",
	.counts = true,
	.run = run_stat,
};
