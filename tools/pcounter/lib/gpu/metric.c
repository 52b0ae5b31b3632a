// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics: shares and rates computed from events. An expression consists of names of
 * events, cycles(EVENT), seconds, numbers, + - * / and brackets.
 */
#include <ctype.h>
#include <math.h>

#include "gpu/metric.h"
#include "lib/util.h"

#define SUM		"+-"
#define PRODUCT		"*/"
#define MOST_DEPTH	64	/* parentheses in parentheses, each of which takes some stack */

/**
 * struct reader - state of the parser of expressions
 * @s: the unparsed rest
 * @use: the words of the expression, and their values
 * @pmu: PMU to look up words that are not yet in @use; NULL: @use has all
 * @depth: open parentheses
 * @wrong: the text is not an expression
 * @unknown: the GPU does not have one of the events
 * @why: the reason why one of the events cannot be counted, NULL if all can
 */
struct reader {
	const char *s;
	struct metric_use *use;
	const struct pmu *pmu;
	unsigned int depth;
	bool wrong;
	bool unknown;
	const char *why;
};

static double read_chain(struct reader *r, const char *operators);

/* Return the next character if it is in @set, 0 otherwise. */
static char accept(struct reader *r, const char *set)
{
	r->s += strspn(r->s, " ");
	return *r->s && strchr(set, *r->s) ? *r->s++ : 0;
}

/* Add an event to an expression: NAME, or the cycles of the domain of NAME. */
static void add_word(struct reader *r, const char *word)
{
	struct metric_use *use = r->use;
	const char *bracket = strchr(word, '(');
	const struct pmu *pmu;
	struct event of = {};
	char name[80];

	snprintf(name, sizeof(name), "%s", bracket ? bracket + 1 : word);
	name[strcspn(name, ")")] = 0;
	pmu = pmu_with(r->pmu, name);
	r->unknown |= !pmu;
	if (use->n == METRIC_EVENTS)
		r->why = "too many events";
	if (!pmu || r->why)
		return;
	if (!event_terms(pmu, name, &of) || !event_complete(&of))
		r->why = text_tmp("%s: %s", word, of.error);
	else if (!bracket)
		use->event[use->n] = of;
	else if (!clock_event(pmu, event_domain(&of), &use->event[use->n]))
		r->why = text_tmp("%s: there is no such domain", word);
	strcpy(use->word[use->n++], word);
}

static double word_value(struct reader *r, const char *word)
{
	unsigned int i;

	if (!strcmp(word, "seconds"))
		return r->use->seconds;
	for (i = 0; i < r->use->n; i++)
		if (!strcmp(r->use->word[i], word))
			return r->use->value[i];
	if (r->pmu)
		add_word(r, word);
	return NAN;
}

static double read_word(struct reader *r)
{
	size_t len = strspn(r->s, "abcdefghijklmnopqrstuvwxyz0123456789_");
	char word[80];

	/* cycles(EVENT) is one word */
	if (len == strlen("cycles") && !strncmp(r->s, "cycles(", len + 1))
		len += strcspn(r->s + len, ")") + 1;
	if (!len || strnlen(r->s, len) < len) {
		r->wrong = true;
		return 0;
	}
	snprintf(word, sizeof(word), "%.*s", (int)len, r->s);
	r->s += len;
	return word_value(r, word);
}

static double read_factor(struct reader *r)
{
	double value;
	char *end;

	if (r->depth < MOST_DEPTH && accept(r, "(")) {
		r->depth++;
		value = read_chain(r, SUM);
		r->depth--;
		r->wrong |= !accept(r, ")");
		return value;
	}
	if (!isdigit((unsigned char)*r->s))
		return read_word(r);
	value = strtod(r->s, &end);
	r->s = end;
	return value;
}

static double read_operand(struct reader *r, const char *operators)
{
	return strcmp(operators, SUM) ? read_factor(r) : read_chain(r, PRODUCT);
}

/* Read a sum of products, or a product of factors. */
static double read_chain(struct reader *r, const char *operators)
{
	double value = read_operand(r, operators), next;
	char operator;

	while ((operator = accept(r, operators))) {
		next = read_operand(r, operators);
		value = operator == '+' ? value + next : operator == '-' ? value - next :
			operator == '*' ? value * next : value / next;
	}
	return value;
}

/* Collect the events of an expression, in memory for the moment if @use is NULL. */
static struct reader collect(const struct pmu *pmu, const char *expression,
			     struct metric_use *use)
{
	static struct metric_use moment;
	struct reader r = { .s = expression, .pmu = pmu, .use = use ?: &moment };

	memset(r.use, 0, sizeof(*r.use));
	read_chain(&r, SUM);
	r.wrong |= *r.s;
	return r;
}

/* Return true if a metric is for the chip of a GPU, and the GPU has its events. */
static bool is_for(const struct metric *metric, const struct pmu *pmu)
{
	const struct pcounter_chip *chip = pmu->topo.chip;

	return (!metric->until || (chip && chip->chipset < metric->until)) &&
	       !collect(pmu, metric->expression, NULL).unknown;
}

/**
 * metric_find() - find a metric of a GPU
 * @pmu: its PMU, NULL: any GPU
 * @name: name of the metric
 *
 * Return: the definition of the metric for this chip, NULL if there is none.
 */
const struct metric *metric_find(const struct pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, name) && (!pmu || is_for(&metrics[i], pmu)))
			return &metrics[i];
	return NULL;
}

/**
 * metric_make() - make a metric from an event or from an expression of events
 * @pmu: its PMU
 * @text: the event or expression; must outlive the metric
 * @metric: gets the metric
 *
 * Return: why the text is not valid, NULL if it is.
 */
const char *metric_make(const struct pmu *pmu, const char *text, struct metric *metric)
{
	const struct pmu *of = pmu_with(pmu, text);
	struct reader r = collect(pmu, text, NULL);

	*metric = (struct metric){ .name = text, .unit = of ? event_named(of, text)->unit : "",
				   .scale = 1, .peak = "", .expression = text, .text = "" };
	if (r.wrong || (!r.use->n && !r.unknown && !r.why))
		return "neither a metric nor an expression of events";
	return r.unknown ? "no such metric or event" : NULL;
}

/**
 * metric_prepare() - find the events of a metric
 * @pmu: the PMU
 * @metric: from metric_find()
 * @use: gets the events
 *
 * Return: why the metric cannot be counted, NULL if it can.
 */
const char *metric_prepare(const struct pmu *pmu, const struct metric *metric,
			   struct metric_use *use)
{
	struct reader r = collect(pmu, metric->expression, use);

	use->metric = metric;
	return r.why;
}

/**
 * metric_confidence() - find how certain the events of a metric are
 * @pmu: the PMU
 * @metric: the metric
 *
 * Return: the word of its least certain event, empty if it has none.
 */
const char *metric_confidence(const struct pmu *pmu, const struct metric *metric)
{
	const struct metric_use *use = collect(pmu, metric->expression, NULL).use;
	const char *least = "";
	unsigned int i;

	for (i = 0; i < use->n; i++) {
		const struct pmu_name *name = event_named(use->event[i].pmu, use->word[i]);

		if (name && (!*least || confidence_rank(name->confidence) < confidence_rank(least)))
			least = name->confidence;
	}
	return least;
}

/**
 * metric_open() - open the events of a metric, disabled
 * @use: from metric_prepare()
 *
 * The events form one group if the kernel accepts it. Events that need the same counter,
 * or two positions of one mux, are opened separately and take turns.
 *
 * Return: 0, or a negative errno; no event is open then.
 */
int metric_open(struct metric_use *use)
{
	int err = count_open(&use->count[0], use->event, use->n);

	use->groups = err ? 0 : 1;
	if (err != -EINVAL)
		return err;
	while (use->groups < use->n) {
		err = count_open(&use->count[use->groups], &use->event[use->groups], 1);
		if (err) {
			metric_close(use);
			return err;
		}
		use->groups++;
	}
	return 0;
}

/**
 * metric_read() - read all counts of a metric since the read before
 * @use: the metric, which is open
 */
void metric_read(struct metric_use *use)
{
	unsigned int i, k, n = 0;

	use->share = 1;
	use->seconds = 0;
	for (i = 0; i < use->groups; i++) {
		struct count *count = &use->count[i];
		bool good = count_read(count);
		uint64_t enabled = count->now->enabled - count->before->enabled;
		double share = good && enabled ?
			(double)(count->now->running - count->before->running) / enabled : 0;

		use->share = fmin(use->share, share);
		use->seconds = fmax(use->seconds, enabled / NS_S);
		for (k = 0; k < count->n; k++)
			use->value[n++] = share > 0 ?
				(count->now->value[k] - count->before->value[k]) / share : NAN;
	}
}

/**
 * metric_close() - close the events of a metric
 * @use: the metric
 */
void metric_close(struct metric_use *use)
{
	while (use->groups)
		count_close(&use->count[--use->groups]);
}

/**
 * metric_value() - compute the value of a metric
 * @use: the metric, which has been read
 * @value: gets the value, in the metric's unit
 *
 * Return: false without a value: nothing was counted, or the clock is stopped.
 */
bool metric_value(const struct metric_use *use, double *value)
{
	struct reader r = { .s = use->metric->expression, .use = (struct metric_use *)use };

	*value = read_chain(&r, SUM) * use->metric->scale;
	return isfinite(*value);
}

/**
 * metric_peak() - compare the count of an event with what its unit could do
 * @pmu: the PMU
 * @name: name of the event
 * @share: its count for each clock of its domain
 *
 * Return: its share of the peak, NAN if the peak is unknown.
 */
double metric_peak(const struct pmu *pmu, const char *name, double share)
{
	static struct metric_use use = { .n = 2 };
	double value;
	unsigned int i;

	use.value[0] = share;
	use.value[1] = 1;
	snprintf(use.word[0], sizeof(use.word[0]), "%s", name);
	snprintf(use.word[1], sizeof(use.word[1]), "cycles(%s)", name);
	for (i = 0; i < nr_metrics; i++) {
		use.metric = &metrics[i];
		if (*metrics[i].peak && metric_value(&use, &value) &&
		    metric_find(pmu, metrics[i].name) == &metrics[i])
			return value / metrics[i].scale;
	}
	return NAN;
}
