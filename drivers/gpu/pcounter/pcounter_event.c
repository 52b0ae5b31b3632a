// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and closing events: what an event asks for, alone and as a member of
 * its group, and whether that can ever be counted.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "pcounter_pmu.h"
#include "pcounter_terms.h"

/**
 * struct group - the members of a group that share a domain
 * @ppmu: the PMU
 * @dom: index of the domain
 * @process: identifies the group
 * @set: settings that any member wishes for the domain
 * @reqs: what the members ask for together
 */
struct group {
	struct pcounter_pmu *ppmu;
	unsigned int dom;
	u64 process;
	struct pcounter_settings set;
	struct pcounter_set reqs;
};

/* The raw request of an event of ours, NULL for others. */
static const struct pcounter_request *raw_request(const struct group *g,
						  struct perf_event *event)
{
	const struct pcounter_request *raw;

	if (event->pmu != &g->ppmu->base.pmu || !event->pmu_private)
		return NULL;
	raw = &to_pcounter_event(event)->raw;
	return raw->dom == g->dom ? raw : NULL;
}

static bool group_wish(struct group *g, const struct pcounter_request *raw)
{
	return !raw || !pcounter_settings_merge(&g->set, &raw->set);
}

static bool group_add(struct group *g, const struct pcounter_request *raw)
{
	struct pcounter_request req;

	if (!raw)
		return true;
	req = *raw;
	pcounter_request_settle(&req, &g->set, g->process);
	return pcounter_set_add(&g->reqs, &req) >= 0;
}

typedef bool (*group_fn)(struct group *g, const struct pcounter_request *raw);

/*
 * Do something with all members, as long as it works. An event that is just
 * being opened as a leader has no siblings, nor a context to look for them.
 */
static bool group_for_each(struct group *g, struct perf_event *event, bool opening,
			   group_fn fn)
{
	struct perf_event *leader = event->group_leader, *sibling;
	bool good = fn(g, raw_request(g, leader));

	if (opening && leader == event)
		return good;
	for_each_sibling_event(sibling, leader)
		good = good && fn(g, raw_request(g, sibling));
	return good;
}

/* What the group of @event, with @raw as one more member, asks of a domain. */
static bool group_collect(struct group *g, struct perf_event *event,
			  const struct pcounter_request *raw)
{
	g->process = event->group_leader->id;
	memset(&g->set, 0, sizeof(g->set));
	g->reqs.n = 0;
	return group_wish(g, raw) && group_for_each(g, event, true, group_wish) &&
	       group_for_each(g, event, true, group_add) && group_add(g, raw);
}

/**
 * pcounter_event_settle() - take over what an event's group wishes
 * @pe: the event; its group is complete
 */
void pcounter_event_settle(struct pcounter_event *pe)
{
	struct pcounter_pmu *ppmu = to_pcounter_pmu(pe->base.event->pmu);
	struct group g = { .ppmu = ppmu, .dom = pe->raw.dom };

	group_for_each(&g, pe->base.event, false, group_wish);
	pe->req = pe->raw;
	pcounter_request_settle(&pe->req, &g.set, pe->base.event->group_leader->id);
}

static int refuse_group(const struct group *g)
{
	struct pcounter_conflict why;

	pcounter_place_conflict(g->reqs.req, g->reqs.n, g->ppmu->gpu.gen->caps,
				&why);
	if (why.a >= 0)
		dev_dbg(g->ppmu->base.parent,
			"%s: domain %u: inputs %d and %d of the group exclude each other: %s\n",
			g->ppmu->base.name, g->dom, why.a, why.b, why.why);
	else
		dev_dbg(g->ppmu->base.parent,
			"%s: domain %u: no place for input %d of the group: %s\n",
			g->ppmu->base.name, g->dom, why.b, why.why);
	return -EINVAL;
}

/* Where two domains share CTRL, a group may want both. */
static bool group_fits_partner(const struct group *g, struct perf_event *event,
			       const struct pcounter_plan *plan)
{
	const struct pcounter_gpu *gpu = &g->ppmu->gpu;
	struct group other = { .ppmu = g->ppmu, .dom = g->dom ^ 1 };
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan theirs;

	if (!(gpu->gen->caps & PCOUNTER_CAP_CTRL_SHARED) || gpu->topo.nr < 2)
		return true;
	return !group_collect(&other, event, NULL) || !other.reqs.n ||
	       !pcounter_place(other.reqs.req, other.reqs.n, gpu->gen->caps, true,
			       NULL, slot, &theirs) ||
	       !pcounter_plans_clash(plan, &theirs, gpu->gen->caps);
}

static bool group_muxes_fit(const struct group *g)
{
	unsigned int i, k;

	for (i = 0; i < g->reqs.n; i++)
		for (k = 0; k < i; k++)
			if (pcounter_mux_conflict(&g->reqs.req[i].mux,
						  &g->reqs.req[k].mux))
				return false;
	return true;
}

/* Could the whole group ever count at the same time? */
static int check_group(struct pcounter_pmu *ppmu, struct perf_event *event,
		       const struct pcounter_request *raw)
{
	struct group g = { .ppmu = ppmu, .dom = raw->dom };
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;

	if (!group_collect(&g, event, raw)) {
		dev_dbg(ppmu->base.parent,
			"%s: domain %u: members of the group differ in a setting of the domain\n",
			ppmu->base.name, g.dom);
		return -EINVAL;
	}
	if (!pcounter_place(g.reqs.req, g.reqs.n, ppmu->gpu.gen->caps, true, NULL,
			    slot, &plan))
		return refuse_group(&g);
	if (!group_muxes_fit(&g)) {
		dev_dbg(ppmu->base.parent,
			"%s: the group wants one mux in two positions\n",
			ppmu->base.name);
		return -EINVAL;
	}
	if (!group_fits_partner(&g, event, &plan)) {
		dev_dbg(ppmu->base.parent,
			"%s: both domains have one counter mode, the group wants two\n",
			ppmu->base.name);
		return -EINVAL;
	}
	return 0;
}

static void pcounter_event_destroy(struct perf_event *event)
{
	struct pcounter_event *pe = to_pcounter_event(event);
	struct pcounter_pmu *ppmu = to_pcounter_pmu(event->pmu);
	unsigned long flags;

	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	list_del(&pe->base.node);
	pcounter_domain_put(&ppmu->gpu, &pe->raw);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	pcounter_base_close(&pe->base);
	if (pe->raw.set.mode == PCOUNTER_MODE_RECORD)
		pcounter_record_close(&ppmu->gpu, pe->raw.dom);
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
		err = pcounter_mux_check(&raw->mux, &topo->dom[raw->dom],
					 topo->chip, &why);
	if (err)
		dev_dbg(ppmu->base.parent, "%s: %s\n", ppmu->base.name, why);
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
	unsigned long flags;
	int err;

	err = pcounter_base_check_attr(event);
	if (!err && READ_ONCE(ppmu->gpu.gone))
		err = -ENODEV;
	if (!err)
		err = pcounter_base_check_group(event);
	if (!err)
		err = parse(ppmu, event, &raw);
	if (!err && is_sampling_event(event) && raw.set.mode != PCOUNTER_MODE_RECORD)
		err = -EOPNOTSUPP;
	if (!err)
		err = check_group(ppmu, event, &raw);
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
	INIT_LIST_HEAD(&pe->starting);
	err = pcounter_sample_init(pe);
	if (!err && raw.set.mode == PCOUNTER_MODE_RECORD)
		err = pcounter_record_open(&ppmu->gpu, raw.dom);
	if (err)
		goto err_close;
	event->destroy = pcounter_event_destroy;
	raw_spin_lock_irqsave(&ppmu->gpu.lock, flags);
	err = pcounter_domain_get(&ppmu->gpu, &raw);
	if (!err)
		list_add_tail(&pe->base.node, &ppmu->base.events);
	raw_spin_unlock_irqrestore(&ppmu->gpu.lock, flags);
	if (!err)
		return 0;
	if (raw.set.mode == PCOUNTER_MODE_RECORD)
		pcounter_record_close(&ppmu->gpu, raw.dom);
err_close:
	event->destroy = NULL;
	event->pmu_private = NULL;
	pcounter_sample_free(pe);
	kfree(pe);
	pcounter_base_put(&ppmu->base);
	return err;
}
