// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replacements for functions that perf has for its own PMUs, but does not export
 * to modules: reschedule events, go on after an event that was refused, stop the
 * rotation, and deliver a sample.
 *
 * Can be removed when perf exports these, or this driver is in the kernel tree.
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/trace_events.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "perf/glue.h"

/* ---- rescheduling ---- */

static void glue_probe(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
}

/**
 * pcounter_glue_is_probe() - check for the event that causes a reschedule
 * @event: an event of one of the driver's PMUs
 *
 * Return: true if so.
 */
bool pcounter_glue_is_probe(const struct perf_event *event)
{
	return event->overflow_handler == glue_probe;
}

/**
 * pcounter_glue_resched() - have perf reschedule all events of a PMU
 * @pmu: the PMU
 * @cpu: the CPU of its events
 *
 * The running time goes on as long as perf believes that an event is counted. A
 * new pinned event makes perf reschedule all events of this PMU. The driver
 * refuses events that cannot count, and perf retries them every turn: their
 * enabled time goes on, and their running time stands still.
 */
void pcounter_glue_resched(struct pmu *pmu, int cpu)
{
	struct perf_event_attr attr = {
		.type = pmu->type, .size = sizeof(attr), .pinned = 1,
	};
	struct perf_event *probe;

	probe = perf_event_create_kernel_counter(&attr, cpu, NULL, glue_probe, NULL);
	if (!IS_ERR(probe))
		perf_event_release_kernel(probe);
}

/**
 * pcounter_glue_never_blocks() - let perf try other events when it is refused this one
 * @event: an event that is being opened
 *
 * perf tries no other event of a PMU once one has been refused, until the next
 * turn, but for groups of events that never fail to be scheduled. The domains
 * of a GPU are independent: a domain that cannot count must not hold back
 * others.
 */
void pcounter_glue_never_blocks(struct perf_event *event)
{
	if (event->group_leader == event || event->group_leader->pmu == event->pmu)
		event->event_caps |= PERF_EV_CAP_SOFTWARE;
}

/* ---- rotation ---- */

/**
 * pcounter_glue_stop_rotation() - stop the timer that rotates a PMU's events
 * @pmu: the PMU
 * @cpu: the CPU of the timer
 * @for_good: let perf believe that the timer runs, so that a write to
 *	perf_event_mux_interval_ms does not start it again
 *
 * perf_pmu_unregister() frees the timers without stopping them (seen on 6.12.117 and
 * 7.2.13: a crash within a rotation interval).
 *
 * A CPU that goes offline hands its timers to another CPU, and the timer that
 * rotates events takes the events of the CPU on which it fires. If the first CPU
 * is back by then and has events again, they are moved in the tree of another
 * CPU (seen on 7.2.13 and 6.12.117 with KCSAN: a warning, then a hang).
 */
void pcounter_glue_stop_rotation(struct pmu *pmu, int cpu, bool for_good)
{
	typeof(pcounter_compat_pmu_on_cpu(pmu, cpu)) cpc = pcounter_compat_pmu_on_cpu(pmu, cpu);

	for (;;) {
		hrtimer_cancel(&cpc->hrtimer);
		guard(raw_spinlock_irqsave)(&cpc->hrtimer_lock);
		if (hrtimer_active(&cpc->hrtimer))
			continue;
		cpc->hrtimer_active = for_good;
		return;
	}
}

/*
 * ---- samples ----
 *
 * The ordinary functions are not for modules; perf_tp_event() is, with a list
 * of its own for each event.
 */

/**
 * pcounter_glue_sample() - give a count to perf, with a sample if that is due
 * @head: a list of the event alone
 * @count: the count
 * @entry: raw data of the sample; perf writes to its head, a struct trace_entry
 * @size: its size
 *
 * Return: false if perf is just making another sample in the same kind of context.
 */
bool pcounter_glue_sample(struct hlist_head *head, u64 count, void *entry, size_t size)
{
	int context = perf_swevent_get_recursion_context();
	struct pt_regs *regs = get_irq_regs(), here;

	if (context < 0)
		return false;
	if (!regs) {
		perf_fetch_caller_regs(&here);
		regs = &here;
	}
	perf_tp_event(0, count, entry, size, regs, head, context, NULL);
	return true;
}
