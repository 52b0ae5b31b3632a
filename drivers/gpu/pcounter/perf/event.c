// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing events: what an event asks for, alone and as a member of
 * its group, and whether that can ever be counted.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "perf/aux.h"
#include "perf/event.h"
#include "perf/glue.h"
#include "perf/lease.h"
#include "perf/output.h"
#include "perf/types.h"
#include "record/session.h"
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

/* What the group of @event, with @raw as one more member, asks of a domain. */
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
	struct pcounter_gpu *gpu = &ppmu->gpu;
	struct pcounter_domain *d;

	if (!raw)
		return;
	d = &gpu->dom[raw->dom];
	if (d->group_turn != gpu->turn)
		d->group = (struct pcounter_settings){};
	d->group_turn = gpu->turn;
	pcounter_settings_merge(&d->group, &raw->set);
}

/**
 * pcounter_event_apply_group() - apply the settings of an event's group
 * @pe: the event; its group is complete
 *
 * One look at all members serves all of them, and what was applied before stays.
 */
void pcounter_event_apply_group(struct pcounter_event *pe)
{
	struct perf_event *leader = pe->base.event->group_leader, *sibling;
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pe->base.event->pmu);
	const struct pcounter_domain *d = &ppmu->gpu.dom[pe->raw.dom];

	if (d->group_turn != ppmu->gpu.turn) {
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

/* The last close restores registers, for which the GPU must be awake. */
static void close_domain(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	unsigned long flags;
	bool awake;

	awake = !READ_ONCE(ppmu->gpu.gone) && pcounter_gpu_get(&ppmu->gpu);
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	list_del(&pe->base.node);
	pcounter_aux_forget(pe);
	pcounter_domain_put(&ppmu->gpu, &pe->raw);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	pcounter_base_close(&pe->base);
	if (pe->raw.set.mode == PCOUNTER_MODE_RECORD)
		pcounter_record_put(&ppmu->gpu, pe->raw.dom);
	if (awake)
		pcounter_gpu_put(&ppmu->gpu);
}

static void pcounter_event_destroy(struct perf_event *event)
{
	struct pcounter_event *pe = to_pcounter_event(event);
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	int section = srcu_read_lock(&pcounter_lease_srcu);

	close_domain(ppmu, pe);
	pcounter_lease_close(ppmu);
	srcu_read_unlock(&pcounter_lease_srcu, section);
	pcounter_sample_free(pe);
	kfree(pe);
	pcounter_base_put(&ppmu->base);
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

static int open_domain(struct pcounter_pmu *ppmu, const struct pcounter_request *raw)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	err = pcounter_domain_get(&ppmu->gpu, raw);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	if (err || raw->set.mode != PCOUNTER_MODE_RECORD)
		return err;
	err = pcounter_record_get(&ppmu->gpu, raw->dom);
	if (!err)
		return 0;
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	pcounter_domain_put(&ppmu->gpu, raw);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	return err;
}

static int check_event(struct pcounter_pmu *ppmu, struct perf_event *event,
		       struct pcounter_request *raw)
{
	int err = pcounter_base_check(event, READ_ONCE(ppmu->gpu.gone));

	if (!err)
		err = parse(ppmu, event, raw);
	if (!err && is_sampling_event(event) && raw->set.mode != PCOUNTER_MODE_RECORD)
		err = -EOPNOTSUPP;
	return err ?: check_group(ppmu, event, raw);
}

static int open_event(struct pcounter_pmu *ppmu, struct pcounter_event *pe)
{
	int section = srcu_read_lock(&pcounter_lease_srcu);
	unsigned long flags;
	int err;

	pcounter_lease_open(ppmu);
	err = open_domain(ppmu, &pe->raw);
	if (err) {
		pcounter_lease_close(ppmu);
	} else {
		raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
		list_add_tail(&pe->base.node, &ppmu->base.events);
		raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	}
	srcu_read_unlock(&pcounter_lease_srcu, section);
	return err;
}

/**
 * pcounter_event_init() - perf opens an event
 * @event: the event
 *
 * Return: 0 or a negative errno; no register is touched.
 */
int pcounter_event_init(struct perf_event *event)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	struct pcounter_request raw;
	struct pcounter_event *pe;
	int err;

	if (pcounter_glue_is_probe(event))
		return 0;
	err = check_event(ppmu, event, &raw);
	if (err)
		return err;
	pe = kzalloc(sizeof(*pe), GFP_KERNEL);
	if (!pe)
		return -ENOMEM;
	if (!pcounter_base_open(&pe->base, event)) {
		kfree(pe);
		return -ENODEV;
	}
	pe->raw = raw;
	pe->req = raw;
	INIT_LIST_HEAD(&pe->late);
	err = pcounter_sample_init(pe);
	if (!err)
		err = open_event(ppmu, pe);
	if (err)
		goto err_close;
	event->destroy = pcounter_event_destroy;
	return 0;

err_close:
	event->pmu_private = NULL;
	pcounter_sample_free(pe);
	kfree(pe);
	pcounter_base_put(&ppmu->base);
	return err;
}
