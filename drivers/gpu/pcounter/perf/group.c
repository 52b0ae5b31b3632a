// SPDX-License-Identifier: GPL-2.0-only
/*
 * The request of a domain's event: by itself and as a member of its group, and
 * whether the group can ever be counted.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "perf/group.h"
#include "perf/types.h"
#include "rules/group.h"
#include "rules/terms.h"

/* The raw request of an event of this PMU, NULL for others. */
static const struct pcounter_request *raw_request(const struct pcounter_pmu *ppmu,
						  struct perf_event *event)
{
	if (event->pmu != &ppmu->base.pmu || !event->pmu_private)
		return NULL;
	return &to_pcounter_event(event)->raw;
}

static void group_constrain(struct pcounter_group *g, const struct pcounter_request *raw)
{
	if (raw)
		pcounter_group_constrain(g, raw);
}

static void group_add(struct pcounter_group *g, const struct pcounter_request *raw)
{
	if (raw)
		pcounter_group_add(g, raw);
}

/*
 * Call a function for all members. An event that is just being opened as a
 * leader has no siblings, nor a context to look for them.
 */
static void group_for_each(struct pcounter_group *g, struct perf_event *event,
			   void (*fn)(struct pcounter_group *g,
				      const struct pcounter_request *raw))
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct perf_event *leader = event->group_leader, *sibling;

	fn(g, raw_request(ppmu, leader));
	if (leader == event)
		return;
	for_each_sibling_event(sibling, leader)
		fn(g, raw_request(ppmu, sibling));
}

/* Collect the requests of the group of @event, with @raw as one more member. */
static void group_collect(struct pcounter_group *g, struct perf_event *event,
			  const struct pcounter_request *raw, unsigned int dom)
{
	memset(g, 0, sizeof(*g));
	g->dom = dom;
	g->process = event->group_leader->id;
	pcounter_group_constrain(g, raw);
	group_for_each(g, event, group_constrain);
	group_for_each(g, event, group_add);
	pcounter_group_add(g, raw);
}

static void merge_settings(struct pcounter_pmu *ppmu, struct perf_event *member)
{
	const struct pcounter_request *raw = raw_request(ppmu, member);
	struct pcounter_domain *d;

	if (!raw)
		return;
	d = &ppmu->gpu.dom[raw->dom];
	if (d->group_turn != ppmu->base.turn)
		d->group = (struct pcounter_settings){};
	d->group_turn = ppmu->base.turn;
	pcounter_settings_merge(&d->group, &raw->set);
}

/**
 * pcounter_event_apply_group() - apply the settings of an event's group
 * @pe: the event; its group is complete
 *
 * The members are merged once for all of them; an event that has the settings
 * already does not change.
 */
void pcounter_event_apply_group(struct pcounter_event *pe)
{
	struct perf_event *leader = pe->base.event->group_leader, *sibling;
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pe->base.event->pmu);
	const struct pcounter_domain *d = &ppmu->gpu.dom[pe->raw.dom];

	if (d->group_turn != ppmu->base.turn) {
		merge_settings(ppmu, leader);
		for_each_sibling_event(sibling, leader)
			merge_settings(ppmu, sibling);
	}
	if (pe->group == leader->id && pcounter_settings_equal(&pe->req.set, &d->group))
		return;
	pe->group = leader->id;
	pe->req = pe->raw;
	pcounter_request_apply(&pe->req, &d->group, leader->id);
}

static int refuse_group(const struct pcounter_pmu *ppmu, unsigned int dom,
			const struct pcounter_conflict *why)
{
	if (why->a >= 0)
		dev_dbg(ppmu->base.parent,
			"%s: domain %u: inputs %d and %d of the group exclude each other: %s\n",
			ppmu->base.name, dom, why->a, why->b, why->why);
	else if (why->b >= 0)
		dev_dbg(ppmu->base.parent,
			"%s: domain %u: no place for input %d of the group: %s\n",
			ppmu->base.name, dom, why->b, why->why);
	else
		dev_dbg(ppmu->base.parent, "%s: domain %u: %s\n", ppmu->base.name, dom,
			why->why);
	return -EINVAL;
}

/* Where two domains share CTRL, a group may have events on both. */
static bool fits_partner(const struct pcounter_gpu *gpu, struct perf_event *event,
			 const struct pcounter_request *raw, struct pcounter_group *partner,
			 const struct pcounter_plan *plan, struct pcounter_conflict *why)
{
	if (!pcounter_group_has_partner(gpu->topo.nr, gpu->gen->caps))
		return true;
	group_collect(partner, event, raw, raw->dom ^ 1);
	return pcounter_group_fits_partner(partner, plan, gpu->gen->caps, why);
}

/* Can the whole group ever count at the same time? A group is too large for the stack. */
static int check_group(struct pcounter_pmu *ppmu, struct perf_event *event,
		       const struct pcounter_request *raw)
{
	struct pcounter_group *g = kmalloc(sizeof(*g), GFP_KERNEL);
	struct pcounter_conflict why;
	struct pcounter_plan plan;
	bool fits;

	if (!g)
		return -ENOMEM;
	group_collect(g, event, raw, raw->dom);
	fits = pcounter_group_fits(g, ppmu->gpu.gen->caps, &plan, &why) &&
	       fits_partner(&ppmu->gpu, event, raw, g, &plan, &why);
	kfree(g);
	return fits ? 0 : refuse_group(ppmu, raw->dom, &why);
}

static int parse(struct pcounter_pmu *ppmu, struct perf_event *event,
		 struct pcounter_request *raw)
{
	const struct pcounter_config config = {
		.config = event->attr.config,
		.config1 = event->attr.config1,
		.config2 = event->attr.config2,
	};
	const struct pcounter_topo *topo = &ppmu->gpu.topo;
	const char *why;
	int err;

	err = pcounter_config_parse(&config, topo, raw, &why);
	if (!err && raw->set.mode == PCOUNTER_MODE_RECORD && !perfmon_capable()) {
		/* the GPU writes to memory */
		why = "record needs CAP_PERFMON";
		err = -EACCES;
	}
	if (!err)
		err = pcounter_mux_check_all(raw, &topo->dom[raw->dom], topo->chip,
					     &why);
	if (err)
		dev_dbg(ppmu->base.parent, "%s: %s\n", ppmu->base.name, why);
	return err;
}

/**
 * pcounter_event_parse() - parse an event's terms, and check it with its group
 * @ppmu: the PMU
 * @event: the event
 * @raw: gets its request
 *
 * Return: 0 or a negative errno.
 */
int pcounter_event_parse(struct pcounter_pmu *ppmu, struct perf_event *event,
			 struct pcounter_request *raw)
{
	int err = parse(ppmu, event, raw);

	if (!err && is_sampling_event(event) && raw->set.mode != PCOUNTER_MODE_RECORD)
		err = -EOPNOTSUPP;
	return err ?: check_group(ppmu, event, raw);
}
