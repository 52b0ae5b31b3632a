/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements for functions that perf does not export to modules, and the members
 * of perf's groups.
 */
#ifndef _PCOUNTER_PERF_GLUE_H
#define _PCOUNTER_PERF_GLUE_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/*
 * Return the member of a group after @member, NULL after the last. The leader is the first.
 * perf leaves an event outside of its leader's list if the event's CPU is just coming
 * online (seen on 6.12.117).
 */
static inline struct perf_event *pcounter_next_member(struct perf_event *member)
{
	if (list_empty(&member->sibling_list) ||
	    list_is_last(&member->sibling_list, &member->group_leader->sibling_list))
		return NULL;
	return list_next_entry(member, sibling_list);
}

/* Return true if @event is an event of @pmu; one that is just being opened is not yet. */
static inline bool pcounter_event_is_of(const struct perf_event *event, const struct pmu *pmu)
{
	return event->pmu == pmu && event->pmu_private;
}

void pcounter_glue_resched(struct pmu *pmu, int cpu);
bool pcounter_glue_is_probe(const struct perf_event *event);
void pcounter_glue_never_blocks(struct perf_event *event);
void pcounter_glue_stop_rotation(struct pmu *pmu, int cpu, bool for_good);
bool pcounter_glue_sample(struct hlist_head *head, u64 count, void *entry, size_t size);

#endif
