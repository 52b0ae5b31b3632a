// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics: shares and rates made of events. Expressions have names of events,
 * cycles(EVENT), seconds, numbers, + - * / and brackets.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/event.h"
#include "gpu/metric.h"
#include "gpu/names.h"
#include "gpu/pmu.h"
#include "lib/tool.h"

/**
 * struct reader - an expression while it is read
 * @s: what is left of it
 * @word: gives the value of a word
 * @context: for @word
 * @wrong: what was read is no expression
 */
struct reader {
	const char *s;
	double (*word)(void *context, const char *word);
	void *context;
	bool wrong;
};

static double read_sum(struct reader *r);

static void skip(struct reader *r)
{
	while (*r->s == ' ')
		r->s++;
}

static bool accept(struct reader *r, char c)
{
	skip(r);
	if (*r->s != c)
		return false;
	r->s++;
	return true;
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
	return r->word(r->context, word);
}

static double read_factor(struct reader *r)
{
	double value;
	char *end;

	if (accept(r, '(')) {
		value = read_sum(r);
		r->wrong |= !accept(r, ')');
		return value;
	}
	if (!isdigit((unsigned char)*r->s))
		return read_word(r);
	value = strtod(r->s, &end);
	r->s = end;
	return value;
}

static double read_product(struct reader *r)
{
	double value = read_factor(r);

	for (;;) {
		if (accept(r, '*'))
			value *= read_factor(r);
		else if (accept(r, '/'))
			value /= read_factor(r);
		else
			return value;
	}
}

static double read_sum(struct reader *r)
{
	double value = read_product(r);

	for (;;) {
		if (accept(r, '+'))
			value += read_product(r);
		else if (accept(r, '-'))
			value -= read_product(r);
		else
			return value;
	}
}

static double evaluate(const char *expression, double (*word)(void *context, const char *word),
		       void *context)
{
	struct reader r = { .s = expression, .word = word, .context = context };

	return read_sum(&r);
}

/* The event that a word is about: its own name, or that of cycles(NAME). */
static const char *word_event(const char *word, char *buf, size_t len)
{
	const char *bracket = strchr(word, '(');

	if (!bracket)
		return word;
	snprintf(buf, len, "%.*s", (int)strcspn(bracket + 1, ")"), bracket + 1);
	return buf;
}

static const struct pmu *pmu_of(const struct pmu *pmu, const char *word)
{
	char buf[80];

	return pmu_with(pmu, word_event(word, buf, sizeof(buf)));
}

/**
 * struct lookup - do all words mean something?
 * @pmu: the PMU
 * @all: so far they do
 * @n: how many are about events
 * @unknown: the first that means nothing
 */
struct lookup {
	const struct pmu *pmu;
	bool all;
	unsigned int n;
	char unknown[80];
};

static double look_up(void *context, const char *word)
{
	struct lookup *lookup = context;
	char buf[80];

	if (!strcmp(word, "seconds"))
		return 1;
	lookup->n++;
	if (pmu_of(lookup->pmu, word) || !lookup->all)
		return 1;
	lookup->all = false;
	snprintf(lookup->unknown, sizeof(lookup->unknown), "%s",
		 word_event(word, buf, sizeof(buf)));
	return 1;
}

/**
 * metric_find() - a metric of a GPU
 * @pmu: its PMU
 * @name: name of the metric
 *
 * Return: the metric, in the way that this chip has it; NULL if it has not.
 */
const struct metric *metric_find(const struct pmu *pmu, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++) {
		struct lookup lookup = { .pmu = pmu, .all = true };

		if (strcmp(metrics[i].name, name))
			continue;
		evaluate(metrics[i].expression, look_up, &lookup);
		if (lookup.all)
			return &metrics[i];
	}
	return NULL;
}

/**
 * metric_known() - is there such a metric on any chip?
 * @name: its name
 *
 * Return: true if so.
 */
bool metric_known(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, name))
			return true;
	return false;
}

/* The metric with that number of those that the chip has. */
static const char *metric_at(const void *context, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < nr_metrics; k++)
		if (metric_find(context, metrics[k].name) && !i--)
			return metrics[k].name;
	return NULL;
}

/* Those of events, and behind them those of metrics. */
static const char *any_at(const void *context, unsigned int i)
{
	const struct pmu *pmu = context, *idle = pmu->beside;

	if (i < pmu->nr_names)
		return pmu->names[i].name;
	i -= pmu->nr_names;
	if (idle && i < idle->nr_names)
		return idle->names[i].name;
	return metric_at(pmu, idle ? i - idle->nr_names : i);
}

/**
 * any_nearest() - the event or metric that was meant, perhaps
 * @pmu: the PMU
 * @name: what was written
 *
 * Return: its name, NULL if none is alike.
 */
const char *any_nearest(const struct pmu *pmu, const char *name)
{
	return name_nearest(name, any_at, pmu);
}

static const char *unit_of(const struct pmu *pmu, const char *text)
{
	const struct event_text *event = event_text(text);
	const struct pmu *of = pmu_with(pmu, text);

	if (event)
		return event->unit;
	return of ? event_named(of, text)->unit : "";
}

/**
 * metric_make() - a metric of an event, or of an expression of events
 * @pmu: its PMU
 * @text: which; the metric keeps it
 * @metric: gets the metric
 * @why: WHY_TEXT bytes; gets the reason if it is none
 *
 * Return: false if so.
 */
bool metric_make(const struct pmu *pmu, const char *text, struct metric *metric, char *why)
{
	struct lookup lookup = { .pmu = pmu, .all = true };
	struct reader r = { .s = text, .word = look_up, .context = &lookup };
	char hint[HINT_TEXT];

	read_sum(&r);
	skip(&r);
	if (r.wrong || *r.s || !lookup.n) {
		snprintf(why, WHY_TEXT, "neither a metric nor an expression of events");
		return false;
	}
	if (!lookup.all) {
		snprintf(why, WHY_TEXT, "no such metric or event%s",
			 did_you_mean(any_nearest(pmu, lookup.unknown), hint));
		return false;
	}
	*metric = (struct metric){ .name = text, .unit = unit_of(pmu, text), .scale = 1,
				   .expression = text, .text = "" };
	return true;
}

/**
 * struct collect - the events of an expression
 * @pmu: their PMU
 * @use: gets them
 * @why: gets the reason why one cannot be
 */
struct collect {
	const struct pmu *pmu;
	struct metric_use *use;
	char *why;
};

static double collect_word(void *context, const char *word)
{
	struct collect *c = context;
	struct metric_use *use = c->use;
	struct event *event = &use->event[use->n], of = {};
	unsigned int i;
	char buf[80];

	for (i = 0; i < use->n; i++)
		if (!strcmp(use->word[i], word))
			return 1;
	if (!strcmp(word, "seconds") || *c->why)
		return 1;
	if (use->n == METRIC_EVENTS) {
		snprintf(c->why, WHY_TEXT, "too many events");
		return 1;
	}
	snprintf(use->word[use->n], sizeof(use->word[0]), "%s", word);
	if (!event_terms(pmu_of(c->pmu, word), word_event(word, buf, sizeof(buf)), &of) ||
	    !event_complete(&of)) {
		snprintf(c->why, WHY_TEXT, "%s: %s", word, of.error);
		return 1;
	}
	event_encode(&of);
	*event = of;
	if (strchr(word, '(') && !cycles_event(&of, event))
		snprintf(c->why, WHY_TEXT, "%s: there is no such domain", word);
	use->n++;
	return 1;
}

/**
 * metric_prepare() - what a metric has to count
 * @pmu: the PMU
 * @metric: from metric_find()
 * @use: gets the events
 * @why: WHY_TEXT bytes; gets the reason if it cannot be counted
 *
 * Return: false if so.
 */
bool metric_prepare(const struct pmu *pmu, const struct metric *metric,
		    struct metric_use *use, char *why)
{
	struct collect c = { pmu, use, why };

	memset(use, 0, sizeof(*use));
	use->metric = metric;
	*why = 0;
	evaluate(metric->expression, collect_word, &c);
	return !*why;
}

/**
 * metric_open() - open the events of a metric, not counting yet
 * @use: from metric_prepare()
 *
 * They count at the same time if they can. Where they need one counter, or one mux
 * in two positions, they take turns.
 *
 * Return: 0 or a negative errno; nothing is open then.
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
 * metric_enable() - count, or not
 * @use: the metric, which is open
 * @on: which
 */
void metric_enable(const struct metric_use *use, bool on)
{
	unsigned int i;

	for (i = 0; i < use->groups; i++)
		count_enable(&use->count[i], on);
}

/**
 * metric_read() - read all counts of a metric
 * @use: the metric, which is open
 */
void metric_read(struct metric_use *use)
{
	unsigned int i, k, n = 0;

	use->share = 1;
	use->seconds = 0;
	for (i = 0; i < use->groups; i++) {
		struct count *count = &use->count[i];
		double share = 0;

		if (count_read(count) && count->enabled)
			share = (double)count->running / count->enabled;
		use->share = fmin(use->share, share);
		use->seconds = fmax(use->seconds, count->enabled / 1e9);
		for (k = 0; k < count->n; k++)
			use->value[n++] = share > 0 ? count->value[k] / share : NAN;
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

static double counted_word(void *context, const char *word)
{
	const struct metric_use *use = context;
	unsigned int i;

	if (!strcmp(word, "seconds"))
		return use->seconds;
	for (i = 0; i < use->n; i++)
		if (!strcmp(use->word[i], word))
			return use->value[i];
	return NAN;
}

/**
 * metric_value() - the value of a metric
 * @use: the metric, which has been read
 * @value: gets it, in the metric's unit
 *
 * Return: false if there is none: nothing was counted, or the clock stood still.
 */
bool metric_value(const struct metric_use *use, double *value)
{
	*value = evaluate(use->metric->expression, counted_word, (void *)use) *
		 use->metric->scale;
	return isfinite(*value);
}
