// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of a GPU's domains, "pcounter_N": how its events count. The GPU's
 * lock is held in all functions that count.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "perf/glue.h"
#include "perf/types.h"
#include "record/record.h"
#include "rules/place.h"
#include "rules/terms.h"

/* Longest time with interrupts off at once; a pause of the same length follows. */
#define PCOUNTER_BUDGET_NS	(100 * NSEC_PER_USEC)

/* The N of "pcounter_N"; a number is free when its PMU is gone. */
static DEFINE_IDA(pcounter_numbers);

/* ---- requests of events, by themselves and as members of their groups ---- */

/* Collect the requests on a domain of the group of an event that is being opened. */
static void group_collect(struct pcounter_group *g, const struct pcounter_event *pe,
			  unsigned int dom)
{
	struct perf_event *leader = pe->event->group_leader, *member;

	memset(g, 0, sizeof(*g));
	g->dom = dom;
	g->process = leader->id;
	pcounter_group_constrain(g, &pe->raw);
	for (member = leader; member; member = pcounter_next_member(member))
		if (pcounter_event_is_of(member, pe->event->pmu))
			pcounter_group_constrain(g, &to_pcounter_event(member)->raw);
	for (member = leader; member; member = pcounter_next_member(member))
		if (pcounter_event_is_of(member, pe->event->pmu))
			pcounter_group_add(g, &to_pcounter_event(member)->raw);
	pcounter_group_add(g, &pe->raw);
}

static void merge_settings(struct pcounter_pmu *ppmu, const struct pcounter_request *raw)
{
	struct pcounter_domain *d = &ppmu->gpu.dom[raw->dom];

	lockdep_assert_held(ppmu->base.lock);
	if (d->group_turn != ppmu->base.turn)
		d->group = (struct pcounter_settings){};
	d->group_turn = ppmu->base.turn;
	pcounter_settings_merge(&d->group, &raw->set);
}

/*
 * Apply the settings of a complete group to an event. The settings of the members are merged
 * once in a transaction; an event that has the result already does not change.
 */
static void apply_group(struct pcounter_event *pe)
{
	struct perf_event *leader = pe->event->group_leader, *member;
	struct pcounter_pmu *ppmu = pe->base->ppmu;
	const struct pcounter_domain *d = &ppmu->gpu.dom[pe->raw.dom];

	if (d->group_turn != ppmu->base.turn)
		for (member = leader; member; member = pcounter_next_member(member))
			if (pcounter_event_is_of(member, &ppmu->base.pmu))
				merge_settings(ppmu, &to_pcounter_event(member)->raw);
	if (pe->group == leader->id && !memcmp(&pe->req.set, &d->group, sizeof(d->group)))
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

/* Return 0 if a whole group can count at once. Groups are too large for the stack. */
static int check_group(const struct pcounter_event *pe)
{
	struct pcounter_group *g __free(kfree) = kmalloc_array(2, sizeof(*g), GFP_KERNEL);
	const struct pcounter_pmu *ppmu = pe->base->ppmu;
	struct pcounter_conflict why;

	if (!g)
		return -ENOMEM;
	group_collect(&g[0], pe, pe->raw.dom);
	/* the other domain: before NV40 both may share CTRL */
	group_collect(&g[1], pe, pe->raw.dom ^ 1);
	if (!pcounter_group_place(&g[0], &g[1], ppmu->gpu.gen->caps, &why))
		return refuse_group(ppmu, pe->raw.dom, &why);
	return 0;
}

static int parse(struct pcounter_event *pe)
{
	const struct perf_event_attr *attr = &pe->event->attr;
	const struct pcounter_config config = {
		.word = { attr->config, attr->config1, attr->config2 },
	};
	const struct pcounter_pmu *ppmu = pe->base->ppmu;
	struct pcounter_request *raw = &pe->raw;
	const struct pcounter_topo *topo = &ppmu->gpu.topo;
	const char *why;
	int err;

	/* the first use of a domain may find its trailer now */
	scoped_guard(raw_spinlock_irqsave, pe->base->lock)
		err = pcounter_config_parse(&config, topo, raw, &why);
	if (!err && raw->set.mode == PCOUNTER_MODE_RECORD && !perfmon_capable()) {
		/* the GPU writes to memory */
		why = "record needs CAP_PERFMON";
		err = -EACCES;
	}
	if (!err)
		err = pcounter_mux_check(raw, &topo->dom[raw->dom], topo->chip, &why);
	if (err)
		dev_dbg(ppmu->base.parent, "%s: %s\n", ppmu->base.name, why);
	return err;
}

static int domains_check(struct pcounter_event *pe)
{
	return parse(pe) ?: pcounter_sample_check(pe) ?: check_group(pe);
}

/* ---- opening and closing ---- */

static void put_domain(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);

	guard(raw_spinlock_irqsave)(&gpu->lock);
	pcounter_aux_forget(pe);
	pcounter_domain_put(gpu, &pe->raw);
}

static int domains_open(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);
	int err = pcounter_sample_init(pe);

	if (err)
		return err;
	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		err = pcounter_domain_get(gpu, &pe->raw);
	if (!err && pe->raw.set.mode == PCOUNTER_MODE_RECORD) {
		/* only a reference keeps the GPU awake during the setup of record mode */
		pcounter_lease_get(pe->base->ppmu);
		err = pcounter_record_get(pcounter_domain_of(pe));
		if (err)
			put_domain(pe);
	}
	if (err)
		kfree(pe->sample);
	return err;
}

static void domains_close(struct pcounter_event *pe)
{
	put_domain(pe);
	if (pe->raw.set.mode == PCOUNTER_MODE_RECORD)
		pcounter_record_put(pcounter_domain_of(pe));
	kfree(pe->sample);
}

/* ---- events come and go ---- */

static struct pcounter_client *domains_add(struct pcounter_event *pe)
{
	int client;

	apply_group(pe);
	client = pcounter_domain_add(pcounter_gpu_of(pe), &pe->req);
	return client < 0 ? ERR_PTR(client) : &pcounter_domain_of(pe)->client[client];
}

/* An event without a counter gets no more samples. */
static void domains_left(struct pcounter_event *pe)
{
	pe->late = false;
	pcounter_aux_stop(pe);
	if (!pe->added)
		pcounter_sample_del(pe);
}

static void domains_start(struct pcounter_event *pe)
{
	pcounter_aux_start(pe);
	pcounter_domain_want(pcounter_domain_of(pe), PCOUNTER_WANT_BEGIN);
}

/* Events of domains that this commit deferred start together at the next commit. */
static bool domains_begin(struct pcounter_event *pe)
{
	if (pcounter_domain_of(pe)->want & PCOUNTER_WANT_COMMIT)
		return false;
	pe->late = !pcounter_record_settled(pcounter_domain_of(pe));
	return true;
}

/* ---- counts ---- */

static void domains_latch(struct pcounter_base *base, unsigned int unit)
{
	pcounter_domain_sync(&base->ppmu->gpu.dom[unit]);
}

/* ---- programming and polling ---- */

static bool domains_end_group(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;

	/* callbacks alone change this bit */
	if (!(READ_ONCE(gpu->want) & PCOUNTER_WANT_OTHERS))
		return true;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	return pcounter_gpu_end_group(gpu);
}

/*
 * Credit late starters first, or they would inherit the start of the new event; and events
 * that go on after their registers have lost the values.
 */
static void credit_early(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	struct pcounter_event *pe;

	/* perf commits at task switches, too: look at no event where none is concerned */
	pcounter_gpu_check_power(gpu);
	if (gpu->record->channel == PCOUNTER_CHANNEL_NONE &&
	    !(gpu->want & PCOUNTER_WANT_COMMIT))
		return;
	list_for_each_entry(pe, &base->events, node) {
		if (pe->late)
			domains_latch(base, pe->raw.dom);
		if (pe->late || (pe->state == PCOUNTER_STATE_COUNTING &&
				 !pe->client->placed))
			pcounter_pmu_count(pe);
	}
}

static u64 domains_commit(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	bool active;

	credit_early(base);
	active = pcounter_gpu_commit(gpu);
	/* without a reference to the GPU the commit waits for one */
	if (!pcounter_gpu_is_held(gpu))
		gpu->want |= base->added ? PCOUNTER_WANT_COMMIT : 0;
	else if (gpu->want & PCOUNTER_WANT_COMMIT)
		pcounter_base_kick(base);
	return active ? pcounter_gpu_collect_ns(gpu) : 0;
}

/* If some domains must be read often, read the others less often. */
static u64 domains_poll(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = base->ppmu;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	u64 due = pcounter_gpu_poll_ns(gpu);
	ktime_t now = ktime_get();

	if (!gpu->polled && pcounter_gpu_collect_ns(gpu) < due &&
	    ktime_before(now, ktime_add_ns(ppmu->polled, due / 2)))
		pcounter_gpu_collect(gpu);
	else if (pcounter_gpu_poll_some(gpu, PCOUNTER_BUDGET_NS))
		ppmu->polled = now;
	else
		return PCOUNTER_BUDGET_NS;
	return pcounter_gpu_collect_ns(gpu);
}

/* ---- log messages for events that do not count ---- */

/* Log the next mux failure; return false if all have been logged. */
static bool report_mux(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	struct pcounter_mux_failure failure;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		if (!pcounter_mux_next_failure(&gpu->muxes, &failure))
			return false;
	dev_warn_ratelimited(base->parent,
			     "%s: domain %s: an event does not count: mux %s, tpc %u, position %u: %s\n",
			     base->name, failure.id->name, failure.name, failure.setting.tpc,
			     failure.setting.sel, failure.why);
	return true;
}

/* Log each reason once. */
static void domains_report(struct pcounter_base *base)
{
	const struct pcounter_gpu *gpu = &base->ppmu->gpu;
	struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		pcounter_base_report(base, &d->unit, "domain", d->id->name);
	while (report_mux(base))
		;
}

/* ---- creation and end ---- */

static void domains_free(struct pcounter_base *base)
{
	struct pcounter_pmu *ppmu = base->ppmu;

	ida_free(&pcounter_numbers, ppmu->number);
	put_device(base->parent);
	pcounter_pmu_free(base);
	kfree(ppmu->gpu.record);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

static const struct pcounter_backend domains_backend = {
	.check = domains_check,
	.open = domains_open,
	.close = domains_close,
	.add = domains_add,
	.start = domains_start,
	.left = domains_left,
	.begin = domains_begin,
	.latch = domains_latch,
	.commit = domains_commit,
	.poll = domains_poll,
	.wants = PCOUNTER_WANT_RESCHED | PCOUNTER_WANT_CHECK,
	.wants_commit = PCOUNTER_WANT_COMMIT,
	.end_group = domains_end_group,
	.drain = pcounter_sample_drain,
	.report = domains_report,
	.free = domains_free,
};

/**
 * pcounter_pmu_alloc() - allocate a GPU's PMU, and its number
 * @parent: the device it belongs to
 * @owner: module that must stay loaded while events are open
 *
 * Return: the PMU, with pcounter_pmu.gpu not prepared yet; or an ERR_PTR().
 */
struct pcounter_pmu *pcounter_pmu_alloc(struct device *parent, struct module *owner)
{
	struct pcounter_pmu *ppmu = kzalloc(sizeof(*ppmu), GFP_KERNEL);

	if (!ppmu)
		return ERR_PTR(-ENOMEM);
	/* PMUs that are just being freed give up their numbers */
	pcounter_base_flush();
	ppmu->number = ida_alloc(&pcounter_numbers, GFP_KERNEL);
	if (ppmu->number < 0) {
		kfree(ppmu);
		return ERR_PTR(-ENOMEM);
	}
	pcounter_pmu_setup(&ppmu->base, &domains_backend, ppmu, get_device(parent), owner);
	ppmu->base.pmu.setup_aux = pcounter_aux_setup;
	ppmu->base.pmu.free_aux = pcounter_aux_free;
	snprintf(ppmu->base.name, sizeof(ppmu->base.name), "pcounter_%d", ppmu->number);
	pcounter_lease_init(ppmu);
	return ppmu;
}
