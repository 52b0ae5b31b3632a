// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter stat: count metrics of a GPU while a command runs, with the options and the
 * formats of perf stat.
 */
#include <math.h>
#include <wordexp.h>

#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "cli/sample.h"

#define MOST_TIME	(3600 * NS_S)
#define MAX_USES	64
#define TURN		0.05	/* s for which events count before perf rotates */

enum { LINE = 256, VERSUS };

static const char *const columns[] = {
	"interval", "counter-value", "unit", "event", "variance", "event-runtime", "pcnt-running",
	"stddev", "runs", "gpu", "chip", "source", "confidence", "reason", "values", "clock",
	"turn", "command", "date", "version", NULL
};

/* The duration of a run is a row of its own. */
static const struct metric elapsed = { .name = "elapsed", .unit = "s", .expression = "seconds" };

static const char *device, *list, *line, *path, *separator, *versus;
static double duration, interval;
static unsigned long repeat = 1;
static struct out out = { .columns = columns };

static const struct option_doc options[] = {
	{ 'M', "metrics", "METRIC,...", "metrics, events, or expressions of events",
	  OPT_TEXT(&list) },
	{ LINE, "line", "METRIC,...", "print these metrics in one line, for status bars",
	  OPT_TEXT(&line) },
	{ 'r', "repeat", "N", "run N times; print means and their standard errors",
	  OPT_NUMBER(&repeat, 1, 1e6) },
	{ VERSUS, "versus", "COMMAND", "with -r: run COMMAND by turns with the other, and compare",
	  OPT_TEXT(&versus) },
	{ 'I', "interval-print", "TIME", "print values at this interval: 2s, 200ms, ms",
	  OPT_TIME(&interval, 10 * NS_MS, MOST_TIME, NS_MS) },
	{ 't', "time", "TIME", "without a command: count for TIME (default 1s, -I: until ^C)",
	  OPT_TIME(&duration, NS_MS, MOST_TIME, NS_MS) },
	OPTION_DEVICE(&device),
	{ 'x', "field-separator", "SEP", "fields of perf stat -x, on stdout",
	  OPT_TEXT(&separator) },
	{ 'j', "json", NULL, "fields of perf stat -j and more, on stdout, as JSON Lines",
	  OPT_ROWS(&out.kind, OUT_JSONL) },
	{ 'o', "output", "FILE", "write to FILE", OPT_TEXT(&path) },
	{ }
};

/**
 * struct member - a metric of a run, and its values
 * @use: the metric
 * @made: its definition, if it is made of the user's events and expressions
 * @value: the values
 * @clock: frequency of the clock of its cycles(EVENT) in the last run, in Hz; NAN: none
 * @enabled: seconds for which its events were enabled
 * @running: seconds for which they counted
 */
struct member {
	struct metric_use use;
	struct metric made;
	struct sample value;
	double clock;
	double enabled;
	double running;
};

/**
 * struct stat_run - the runs of a command
 * @gpu: the GPU
 * @found: the GPU, if it has come back
 * @next: the same run on the next GPU of a line, NULL if there is none
 * @names: the words of the list of metrics
 * @n: number of metrics
 * @member: the metrics
 * @command: the command to run while they count, NULL for none
 * @status: status of the last run that failed, from waitpid()
 * @last: duration of the last run, in seconds
 * @took: durations of the runs that count, in seconds
 */
struct stat_run {
	const struct gpu *gpu;
	struct gpus found;
	struct stat_run *next;
	char *names;
	unsigned int n;
	struct member member[MAX_USES];
	char **command;
	int status;
	double last;
	struct sample took;
};

/* The runs of the command, and of that of --versus. */
static struct stat_run runs[2];
static unsigned int nr_runs = 1, failed;
static char date[64];

/* ---- choice of metrics ---- */

static bool add_metric(struct stat_run *run, const struct metric *metric)
{
	struct metric_use *use = &run->member[run->n].use;
	char why[WHY_TEXT];
	int err;

	if (!metric_prepare(run->gpu->pmu, metric, use, why))
		return complain("%s: %s", metric->name, why);
	err = metric_open(use);
	if (err)
		return complain("%s: %s", metric->name, count_explain(err, false));
	run->n++;
	return true;
}

/* Find a metric by name, or make one of an event; a metric takes precedence. */
static const struct metric *wanted_metric(struct stat_run *run, const char *name)
{
	const struct pmu *pmu = run->gpu->pmu;
	const struct metric *metric = metric_find(pmu, name);
	char why[WHY_TEXT];

	if (run->n == MAX_USES) {
		complain("more than %u metrics", MAX_USES);
		return NULL;
	}
	if (metric)
		return metric;
	if (metric_find(NULL, name) && !pmu_with(pmu, name))
		complain("%s: this chip lacks the events for it", name);
	else if (!metric_make(pmu, name, &run->member[run->n].made, why))
		complain("%s: %s", name, why);
	else
		return &run->member[run->n].made;
	return NULL;
}

static int add_wanted(struct stat_run *run, char *rest)
{
	const struct metric *metric;
	char *name;

	while ((name = strsep(&rest, ","))) {
		metric = wanted_metric(run, name);
		if (!metric)
			return STATUS_USAGE;
		if (!add_metric(run, metric))
			return STATUS_NO;
	}
	return STATUS_OK;
}

/* Add the metrics for the first question, as far as the chip has their events. */
static int add_first(struct stat_run *run)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		if (!metrics[i].first || metric_find(run->gpu->pmu, metrics[i].name) != &metrics[i])
			continue;
		if (!add_metric(run, &metrics[i]))
			return STATUS_NO;
	}
	if (run->n)
		return STATUS_OK;
	complain("%s: no metric is known for this chip; pcounter events lists its events",
		 run->gpu->pmu->chip_name);
	return STATUS_NO;
}

static int open_metrics(struct stat_run *run)
{
	const char *wanted = line ?: list;

	run->names = wanted ? strdup(wanted) : NULL;
	return wanted ? add_wanted(run, run->names) : add_first(run);
}

static void close_metrics(struct stat_run *run)
{
	while (run->n)
		metric_close(&run->member[--run->n].use);
	free(run->names);
	gpus_free(&run->found);
}

/* Return true if a chip lacks a metric; one with metrics for the first question has gpu_busy. */
static bool lacks_metrics(const struct pmu *pmu)
{
	char *names = strdup(line ?: list ?: GPU_BUSY), *rest = names, *name, why[WHY_TEXT];
	bool lacks = false;
	struct metric made;

	while (!lacks && (name = strsep(&rest, ",")))
		lacks = !metric_find(pmu, name) && !metric_make(pmu, name, &made, why);
	free(names);
	return lacks;
}

/* Return how well a GPU suits, 0 is best: a line is about GPUs that are asleep, too. */
static unsigned int rank_of(const struct gpu *gpu)
{
	return lacks_metrics(gpu->pmu) ? 2 : !line && gpu_asleep(gpu);
}

/* Choose the first of the GPUs that suit best, or all of them for a line. */
static void choose_gpus(const struct gpus *gpus)
{
	struct stat_run *last = runs;
	unsigned int i, rank;

	for (rank = 0; !runs->gpu; rank++)
		for (i = 0; i < gpus->nr && (line || !runs->gpu); i++) {
			if (rank_of(&gpus->gpu[i]) != rank)
				continue;
			if (last->gpu) {
				last->next = need(1, sizeof(*last));
				last = last->next;
			}
			last->gpu = &gpus->gpu[i];
		}
	runs[1].gpu = runs->gpu;
	if (!line)
		gpus_tell(gpus, runs->gpu, "counts");
}

/* ---- output ---- */

static bool is_text(void)
{
	return out.kind == OUT_TEXT && !separator && !line;
}

/* Reasons why a metric has no value, and why none has. */
static const char *const reasons[][2] = {
	{ "no events", "the clocks stand still" },
	{ "asleep", "the GPU is asleep, and stat does not wake it" },
	{ "gone", "the GPU has left" },
	{ "not counted", "others have its counters (pcounter doctor)" },
	{ "no turn", "the run was too short for its metrics to take turns" },
};

/* Return true if the GPU was removed or lent: then the kernel refuses another event. */
static bool has_left(const struct stat_run *run)
{
	struct count probe;
	int err = count_open(&probe, run->member->use.event, 1);

	if (!err)
		count_close(&probe);
	return err == -ENODEV;
}

/* Return true if a metric has counted that may have kept the counters from the others. */
static bool was_short(const struct stat_run *run)
{
	const struct member *m = run->member;

	while (m < run->member + run->n && !m->running)
		m++;
	return m < run->member + run->n &&
	       m->enabled / (run->took.n ?: 1) < run->n * TURN;
}

/* Return the reasons for a metric that has counted, or has not, but has no value. */
static const char *const *reasons_of(const struct stat_run *run, bool counted)
{
	return reasons[counted ? 0 : has_left(run) ? 2 : gpu_asleep(run->gpu) ? 1 :
		       was_short(run) ? 4 : 3];
}

static const char *why_not(const struct stat_run *run, const struct member *m)
{
	return reasons_of(run, m->running > 0)[0];
}

static const char *command_text(const struct stat_run *run)
{
	static char text[1024];
	char **word;

	*text = 0;
	for (word = run->command; word && *word; word++)
		text_add(text, sizeof(text), "%s%s", *text ? " " : "", *word);
	return text;
}

static void put_json(const struct stat_run *run, double when, const struct member *m)
{
	const struct metric *metric = m->use.metric;
	const struct cell cells[] = {
		cell_real(interval > 0 ? when : NAN), cell_real(m->value.n ? m->value.mean : NAN),
		{ .kind = CELL_TEXT, .s = metric->unit }, cell_text(metric->name),
		cell_real(repeat > 1 ? sample_percent(&m->value) : NAN),
		cell_count(true, m->running * NS_S / (run->took.n ?: 1)),
		cell_real(100 * m->running / m->enabled),
		cell_real(sample_deviation(&m->value)), cell_count(true, m->value.n),
		cell_text(run->gpu->pmu->name), cell_text(run->gpu->pmu->chip_name),
		cell_text(metric->expression),
		cell_text(metric_confidence(run->gpu->pmu, metric)),
		cell_text(m->value.n ? NULL : why_not(run, m)),
		{ .kind = CELL_LIST, .list = m->value.value, .nr = m->value.n },
		cell_real(m->clock), cell_int(versus, run - runs), cell_text(command_text(run)),
		cell_text(date), cell_text(PCOUNTER_VERSION),
	};

	out_row(&out, cells);
}

/* Format a value: whole numbers of large counts, else two digits. */
static const char *value_text(const struct stat_run *run, const struct member *m)
{
	const struct metric *metric = m->use.metric;
	bool whole = metric->scale <= 1 && fabs(m->value.mean) >= 1e4;

	if (!m->value.n)
		return text_tmp("<%s>", why_not(run, m));
	return text_tmp("%.*f", metric == &elapsed ? 6 : whole ? 0 : 2, m->value.mean);
}

static void put_csv(const struct stat_run *run, double when, const struct member *m)
{
	if (interval > 0)
		fprintf(out.f, "%.9f%s", when, separator);
	fprintf(out.f, "%s%s%s%s%s%s", value_text(run, m), separator, m->use.metric->unit,
		separator, m->use.metric->name, separator);
	if (repeat > 1)
		fprintf(out.f, "%.2f%%%s", sample_percent(&m->value), separator);
	fprintf(out.f, "%.0f%s%.2f\n", m->running * NS_S / (run->took.n ?: 1), separator,
		100 * m->running / m->enabled);
}

static void print_metric(const struct stat_run *run, double when, const struct member *m)
{
	double share = m->running / m->enabled;
	bool spread = m->value.n > 1, part = share > 0 && share < 0.9995;

	if (interval > 0)
		fprintf(out.f, "%15.9f ", when);
	fprintf(out.f, "%16s %-14s %-*s", value_text(run, m), m->use.metric->unit,
		spread || part ? 28 : 0, m->use.metric->name);
	if (spread)
		fprintf(out.f, " ( +- %5.2f%% )", sample_percent(&m->value));
	if (part)
		fprintf(out.f, " (%.1f %% of the time)", 100 * share);
	fputc('\n', out.f);
}

/* Print values in a line, of several GPUs behind their addresses; a word replaces a value. */
static void print_line(const struct stat_run *run, bool several)
{
	const struct member *m;

	if (several)
		fprintf(out.f, "%s ", run->gpu->address);
	for (m = run->member; m < run->member + run->n; m++) {
		fputs(m > run->member ? "  " : "", out.f);
		if (m->value.n)
			fprintf(out.f, "%.1f %s", m->value.mean, m->use.metric->unit);
		else
			fputs(why_not(run, m), out.f);
	}
	fputs(run->next ? "  " : "\n", out.f);
	if (run->next)
		print_line(run->next, true);
}

/* Return the reason why no metric has a value, NULL if a metric has one. */
static const char *why_nothing(const struct stat_run *run)
{
	const struct member *m;
	bool counted = false;

	for (m = run->member; m < run->member + run->n; m++) {
		counted |= m->running > 0;
		if (m->value.n || (list && counted))
			return NULL;
	}
	return reasons_of(run, counted)[1];
}

static void print_head(const struct stat_run *run)
{
	const struct gpu *gpu = run->gpu;

	if (interval > 0) {
		fprintf(out.f, "#          time            value unit           metric\n");
		return;
	}
	fprintf(out.f, "\n %s (%s) for %s", gpu->address, gpu->pmu->chip_name,
		run->command ? run->command[0] : "the whole system");
	if (versus)
		fprintf(out.f, ", and %s, by turns", versus);
	if (repeat > 1)
		fprintf(out.f, " (%.0f runs)", run->took.n);
	fprintf(out.f, ":\n\n");
}

static void show_metric(const struct stat_run *run, double when, const struct member *m)
{
	if (out.kind == OUT_JSONL)
		put_json(run, when, m);
	else if (separator)
		put_csv(run, when, m);
	else
		print_metric(run, when, m);
}

/* Show all metrics. The default set leaves out ratios of events that did not occur. */
static void show(const struct stat_run *run, double when)
{
	const char *nothing = is_text() ? why_nothing(run) : NULL;
	const struct member *m;

	for (m = run->member; m < run->member + run->n && !line && !nothing; m++)
		if (list || m->value.n || !m->running)
			show_metric(run, when, m);
	if (line)
		print_line(run, run->next);
	else if (nothing)
		fprintf(out.f, "%s nothing was counted: %s\n",
			interval > 0 ? text_tmp("%15.9f", when) : "", nothing);
	fflush(out.f);
}

/* Show the metrics of all runs, and their duration. */
static void show_all(const struct stat_run *run)
{
	double all = run->took.mean * run->took.n;
	const struct member took = {
		.use.metric = &elapsed, .value = run->took, .clock = NAN,
		.enabled = all, .running = all,
	};

	if (is_text())
		print_head(run);
	show(run, 0);
	if (!separator && !line)
		show_metric(run, 0, &took);
	if (is_text())
		fputc('\n', out.f);
}

static void compare_commands(void)
{
	static struct sample_pair pairs[MAX_USES + 1];
	const struct member *m = runs[0].member, *other = runs[1].member;
	unsigned int i;

	for (i = 0; i < runs->n; i++)
		pairs[i] = (struct sample_pair){
			.name = m[i].use.metric->name, .unit = m[i].use.metric->unit,
			.sample = { m[i].value, other[i].value },
		};
	pairs[i] = (struct sample_pair){
		.name = elapsed.name, .unit = elapsed.unit,
		.sample = { runs[0].took, runs[1].took },
	};
	print_head(runs);
	sample_compare(&out, pairs, runs->n + 1, true);
}

/* ---- counting ---- */

static void enable_all(const struct stat_run *run, bool on)
{
	unsigned int i, k;

	for (; run; run = run->next)
		for (i = 0; i < run->n; i++)
			for (k = 0; k < run->member[i].use.groups; k++)
				count_enable(&run->member[i].use.count[k], on);
}

/* Count with the new PMU of a GPU that has come back, if nothing has been counted. */
static void look_up(struct stat_run *run)
{
	const struct member *m;
	struct gpus now;

	for (m = run->member; m < run->member + run->n; m++)
		if (m->running > 0)
			return;
	if (gpu_asleep(run->gpu) || !gpu_again(run->gpu, run->n, &now))
		return;
	close_metrics(run);
	run->found = now;
	run->gpu = now.gpu;
	open_metrics(run);
	enable_all(run, true);
}

/* Take the values since the last call, if they count. */
static void take_values(struct stat_run *run, bool counts)
{
	struct member *m;
	unsigned int i;
	double value;

	if (counts && !interval)
		sample_add(&run->took, run->last);
	for (m = run->member; m < run->member + run->n; m++) {
		/* an interval has its own values, repetitions have common ones */
		if (interval > 0) {
			free(m->value.value);
			m->value = (struct sample){};
			m->enabled = 0;
			m->running = 0;
		}
		metric_read(&m->use);
		if (!counts)
			continue;
		m->enabled += m->use.seconds;
		m->running += m->use.seconds * m->use.share;
		if (metric_value(&m->use, &value))
			sample_add(&m->value, value);
		for (m->clock = NAN, i = 0; i < m->use.n; i++)
			if (strchr(m->use.word[i], '('))
				m->clock = m->use.value[i] / m->use.seconds;
	}
	if (run->next)
		take_values(run->next, counts);
}

/* Let a run pass; show the values of each interval. */
static void pass(struct stat_run *run, int fd, double begin, double end)
{
	double next = begin;
	struct stat_run *one;
	bool more;

	do {
		next = interval > 0 ? fmin(end, next + interval / NS_S) : end;
		more = wait_until(fd, next) && next < end;
		if (interval > 0) {
			take_values(run, true);
			show(run, seconds() - begin);
		}
		for (one = run; one && more; one = one->next)
			look_up(one);
	} while (more);
}

/* Count for a run. Return false if repetitions leave it out: it failed, or did not end. */
static bool count_once(struct stat_run *run)
{
	double begin = seconds(), end = begin + (duration ?: interval > 0 ? INFINITY : NS_S) / NS_S;
	int fd = -1, status = 0;
	pid_t pid = -1;

	enable_all(run, true);
	if (run->command) {
		pid = start_command(run->command, false, &fd);
		end = INFINITY;
	}
	pass(run, fd, begin, end);
	enable_all(run, false);
	run->last = seconds() - begin;
	if (run->command)
		status = pid < 0 ? -1 : end_command(pid, fd);
	run->status = status ?: run->status;
	return repeat == 1 || (!stopped && !status);
}

/* Run each command once, in random order, so that no drift favours one of them. */
static void count_round(bool counts)
{
	unsigned int i, second = nr_runs > 1 && random() & 1;
	bool good = true;

	for (i = 0; i < nr_runs && good; i++)
		good = count_once(&runs[i ^ second]);
	failed += !good;
	for (i = 0; i < nr_runs && !interval; i++)
		take_values(&runs[i], good && counts);
}

static void count(void)
{
	unsigned long round;
	unsigned int i;

	if (interval > 0 && is_text())
		print_head(runs);
	if (versus)
		count_round(false);	/* caches and clocks settle */
	for (round = 0; round < repeat && !stopped; round++)
		count_round(true);
	if (failed)
		complain("left out %u of %lu runs, which failed or were interrupted", failed,
			 round + !!versus);
	if (versus && is_text())
		compare_commands();
	else
		for (i = 0; i < nr_runs && runs->took.n; i++)
			show_all(&runs[i]);
}

static int stat_gpus(void)
{
	int status = STATUS_OK;
	struct stat_run *run;
	unsigned int i;

	for (i = 0; i < nr_runs; i++)
		for (run = &runs[i]; run && !status; run = run->next)
			status = open_metrics(run);
	if (status)
		return status;
	if (!out_open(&out, path))
		return STATUS_NO;
	/* stdout belongs to the command */
	if (is_text() && !path)
		out.f = stderr;
	catch_signals();
	count();
	return !out_close(&out) ? STATUS_NO : stopped ? STATUS_INTERRUPTED :
	       command_status(runs[0].status ?: runs[1].status);
}

/* Take the command of --versus. */
static bool take_versus(void)
{
	static wordexp_t words;

	if (!runs->command || line || separator || interval > 0 || repeat < LEAST_ROUNDS)
		return complain("--versus needs -r %u or more and a command, no -I, -x, --line",
				LEAST_ROUNDS);
	if (wordexp(versus, &words, WRDE_NOCMD) || !words.we_wordc)
		return complain("%s: not one command; a script needs sh -c", versus);
	runs[1].command = words.we_wordv;
	nr_runs = 2;
	srandom(clock_ns(CLOCK_REALTIME));
	return true;
}

static int run_stat(char **args)
{
	struct gpus gpus;
	unsigned int i;
	int status = STATUS_NO_GPU;

	runs->command = *args ? args : NULL;
	if (interval > 0 && repeat > 1) {
		complain("-I and -r exclude each other: intervals of a run are no repetitions");
		return STATUS_USAGE;
	}
	if (versus && !take_versus())
		return STATUS_USAGE;
	for (i = 0; i < nr_runs; i++)
		if (runs[i].command && !can_run(*runs[i].command))
			return STATUS_NO;
	snprintf(date, sizeof(date), "%s", date_text(clock_ns(CLOCK_REALTIME) / NS_S));
	if (gpus_counting(&gpus, device)) {
		choose_gpus(&gpus);
		status = stat_gpus();
	}
	gpus_free(&gpus);
	return status;
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
