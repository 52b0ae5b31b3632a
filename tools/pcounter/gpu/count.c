// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting through perf's system call, and the reasons for a refusal.
 */
#include <sys/ioctl.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "gpu/names.h"
#include "gpu/open.h"
#include "lib/tool.h"

#define READ_HEAD	3	/* number of events, time enabled, time running */

/**
 * count_open() - open a group, disabled
 * @count: the group
 * @event: the events, encoded
 * @n: number of events
 *
 * Return: 0, or the negative errno of the first event that the kernel refuses; no
 * event is open then.
 */
int count_open(struct count *count, const struct event *event, unsigned int n)
{
	const struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	memset(count, 0, sizeof(*count));
	count->fd = need(n, sizeof(*count->fd));
	count->words = need(READ_HEAD + 2 * n, sizeof(*count->words));
	count->value = count->words + READ_HEAD;
	count->before = count->value + n;
	for (; count->n < n; count->n++) {
		int fd = event_open(&event[count->n], count->n ? count->fd[0] : -1, attr);

		if (fd < 0) {
			count_close(count);
			return fd;
		}
		count->fd[count->n] = fd;
	}
	return 0;
}

/**
 * count_enable() - enable or disable a group
 * @count: the group
 * @on: true to enable
 */
void count_enable(const struct count *count, bool on)
{
	if (count->n)
		ioctl(count->fd[0], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/**
 * count_read() - read all counts of a group at one moment
 * @count: the group
 *
 * Return: false if they cannot be read.
 */
bool count_read(struct count *count)
{
	ssize_t want = (READ_HEAD + count->n) * sizeof(*count->words);

	if (!count->n)
		return false;
	memcpy(count->before, count->value, count->n * sizeof(*count->value));
	if (read(count->fd[0], count->words, want) != want)
		return false;
	count->enabled_before = count->enabled;
	count->running_before = count->running;
	count->enabled = count->words[1];
	count->running = count->words[2];
	return true;
}

/**
 * count_close() - close a group
 * @count: the group; may already be closed
 */
void count_close(struct count *count)
{
	while (count->n)
		close(count->fd[--count->n]);
	free(count->fd);
	free(count->words);
	count->fd = NULL;
	count->words = NULL;
}

/**
 * count_explain() - explain why the kernel refused an event, and how to get the right
 * @err: negative errno
 * @record: the event is of record mode
 *
 * Return: the words, for immediate use.
 */
const char *count_explain(int err, bool record)
{
	if (err != -EACCES && err != -EPERM)
		return strerror(-err);
	if (may_count(record))
		return text_tmp("%s although the rights are there: %s", strerror(-err),
			       "a container or a security module forbids it");
	return text_tmp("no right to count: %s; do: %s", rights_text(record), rights_help());
}

/**
 * wire_event() - make an event of a domain
 * @pmu: the PMU
 * @dom: index of the domain
 * @rest: the other terms of the event
 * @event: gets the event, encoded
 */
void wire_event(const struct pmu *pmu, unsigned int dom, const char *rest,
		struct event *event)
{
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];
	char terms[EVENT_TEXT] = "";

	memset(event, 0, sizeof(*event));
	if (pmu->topo.caps & PCOUNTER_CAP_SETS)
		text_add(terms, sizeof(terms), "set=%u,unit=%u,", id->set, id->unit);
	text_add(terms, sizeof(terms), "dom=%u,%s", id->dom, rest);
	event_terms(pmu, terms, event);
	event_encode(event);
}

/**
 * clk_event() - make the event of the elapsed cycles of a domain
 * @pmu: the PMU
 * @dom: index of the domain
 * @event: gets the event, encoded
 */
void clk_event(const struct pmu *pmu, unsigned int dom, struct event *event)
{
	wire_event(pmu, dom, "clk", event);
}

/**
 * cycles_event() - make the event of the cycles of another event's domain
 * @of: the other event
 * @event: gets the event of the cycles, encoded
 *
 * Return: false if the GPU does not have its domain.
 */
bool cycles_event(const struct event *of, struct event *event)
{
	int dom = event_domain(of->pmu, of);

	if (!of->pmu->idle && dom >= 0) {
		clk_event(of->pmu, dom, event);
		return true;
	}
	memset(event, 0, sizeof(*event));
	if (!of->pmu->idle || !event_terms(of->pmu, IDLE_TICKS, event))
		return false;
	event_encode(event);
	return true;
}

/**
 * measure_clocks() - measure the clocks of a GPU's domains
 * @pmu: its PMU; the GPU must be awake
 * @ms: duration of the measurement
 * @hz: gets the frequency of each domain, -1 if unknown
 * @err: gets the negative errno of a domain that the kernel refused, 0 if it refused none
 *
 * Return: the number of known clocks.
 */
unsigned int measure_clocks(const struct pmu *pmu, unsigned int ms, double *hz, int *err)
{
	static struct count count[PCOUNTER_MAX_DOMAINS];
	struct event event;
	unsigned int i, known = 0;

	*err = 0;
	for (i = 0; i < pmu->topo.nr; i++) {
		clk_event(pmu, i, &event);
		*err = count_open(&count[i], &event, 1) ?: *err;
	}
	for (i = 0; i < pmu->topo.nr; i++)
		count_enable(&count[i], true);
	wait_ms(ms);
	for (i = 0; i < pmu->topo.nr; i++)
		count_enable(&count[i], false);
	for (i = 0; i < pmu->topo.nr; i++) {
		hz[i] = -1;
		if (count_read(&count[i]) && count[i].running) {
			hz[i] = count[i].value[0] * 1e9 / count[i].running;
			known++;
		}
		count_close(&count[i]);
	}
	return known;
}
