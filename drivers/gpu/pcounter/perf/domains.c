// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of a GPU's domains, "pcounter_N": how its events count. The GPU's
 * lock is held in all functions that count.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "perf/aux.h"
#include "perf/domains.h"
#include "perf/drain.h"
#include "perf/glue.h"
#include "perf/group.h"
#include "perf/lease.h"
#include "perf/output.h"
#include "perf/pmu.h"
#include "perf/report.h"
#include "perf/sysfs.h"
#include "perf/types.h"
#include "record/packets.h"
#include "record/record.h"
#include "record/session.h"
#include "record/stream.h"

/* Longest time with interrupts off at once; a pause of the same length follows. */
#define PCOUNTER_BUDGET_NS	(100 * NSEC_PER_USEC)

/* The N of "pcounter_N"; a number is free when its PMU is gone. */
static DEFINE_IDA(pcounter_numbers);

/* ---- opening and closing ---- */

static int domains_check(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);
	int err = pcounter_event_parse(pcounter_base_of(be)->ppmu, be->event, &pe->raw);

	pe->req = pe->raw;
	be->unit = pe->raw.dom;
	return err;
}

static void put_domain(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(&pe->base);
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	pcounter_aux_forget(pe);
	pcounter_domain_put(gpu, &pe->raw);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

static int get_domain(struct pcounter_event *pe)
{
	struct pcounter_gpu *gpu = pcounter_gpu_of(&pe->base);
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	err = pcounter_domain_get(gpu, &pe->raw);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	if (err || pe->raw.set.mode != PCOUNTER_MODE_RECORD)
		return err;
	err = pcounter_record_get(gpu, pe->raw.dom);
	if (err)
		put_domain(pe);
	return err;
}

static int domains_open(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);
	int err = pcounter_sample_init(pe);

	if (!err)
		err = get_domain(pe);
	if (err)
		pcounter_sample_free(pe);
	return err;
}

static void domains_close(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);

	put_domain(pe);
	if (pe->raw.set.mode == PCOUNTER_MODE_RECORD)
		pcounter_record_put(pcounter_gpu_of(be), pe->raw.dom);
	pcounter_sample_free(pe);
}

/* ---- events come and go ---- */

/*
 * Did an event stop before it could count? If so it has no running time. A time
 * that somebody has read must not go back.
 */
static void domains_never_ran(struct pcounter_event *pe)
{
	if (pcounter_event_leaves(&pe->base))
		pe->measured |= pcounter_user_of(pe)->measured;
	if (!pe->measured && !pe->base.told)
		pcounter_glue_never_ran(pe->base.event);
}

static int domains_add(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);
	struct pcounter_gpu *gpu = pcounter_gpu_of(be);
	int client;
	u32 serial;

	pcounter_event_apply_group(pe);
	if (!pcounter_domain_has_room(gpu, &pe->req))
		pcounter_pmu_settle_all(pcounter_base_of(be));
	client = pcounter_domain_add(gpu, &pe->req);
	if (client == -EIO)
		domains_never_ran(pe);
	if (client < 0)
		return client;
	serial = gpu->dom[pe->req.dom].client[client].serial;
	/* another client counts it now: credit the count of the old one */
	if (pcounter_event_leaves(be) && (pe->client != client || pe->serial != serial))
		pcounter_pmu_settle(be);
	pe->client = client;
	pe->serial = serial;
	pcounter_sample_add(pe);
	return 0;
}

static void put_late(struct pcounter_event *pe)
{
	pcounter_base_of(&pe->base)->ppmu->late -= pe->late;
	pe->late = false;
}

/* Without a counter there are no more samples of it. */
static void domains_out(struct pcounter_event *pe)
{
	put_late(pe);
	pcounter_aux_stop(pe);
	if (pe->base.state == PCOUNTER_STATE_OUT)
		pcounter_sample_del(pe);
}

static void domains_del(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);

	pcounter_domain_del(pcounter_gpu_of(be), pe->req.dom, pe->client);
	if (be->state == PCOUNTER_STATE_OUT)
		domains_out(pe);
}

static void domains_start(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);

	pcounter_aux_start(pe);
	pcounter_domain_join(pcounter_gpu_of(be), pe->req.dom, pe->client);
}

static void domains_stop(struct pcounter_base_event *be)
{
	pcounter_domain_leave(pcounter_gpu_of(be), be->unit, base_to_pe(be)->client);
}

static void domains_stay(struct pcounter_base_event *be)
{
	pcounter_domain_left(pcounter_gpu_of(be), be->unit, base_to_pe(be)->client);
}

static void domains_left(struct pcounter_base_event *be)
{
	domains_stay(be);
	domains_out(base_to_pe(be));
}

/* Events of domains that this commit deferred start together at the next commit. */
static bool domains_begin(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);
	struct pcounter_gpu *gpu = pcounter_gpu_of(be);

	if (gpu->dom[be->unit].invalid)
		return false;
	pe->prev = pcounter_user_of(pe)->total;
	pe->late = !pcounter_record_settled(gpu, be->unit);
	pcounter_base_of(be)->ppmu->late += pe->late;
	return true;
}

/* ---- counts ---- */

static void domains_latch(struct pcounter_base_event *be)
{
	pcounter_domain_sync(pcounter_gpu_of(be), be->unit);
}

static void domains_credit(struct pcounter_base_event *be)
{
	struct pcounter_event *pe = base_to_pe(be);
	const struct pcounter_client *client = pcounter_user_of(pe);
	struct pcounter_gpu *gpu = pcounter_gpu_of(be);

	pe->measured |= client->measured;
	/* perf itself counts events that sample */
	if (pe->sample)
		return;
	if (pe->late) {
		if (!pcounter_record_settled(gpu, be->unit))
			return;
		pe->prev = client->begun;
		put_late(pe);
	}
	if (pcounter_domain_is_process(&gpu->dom[be->unit]))
		local64_set(&be->event->count, client->total);
	else
		local64_add(client->total - pe->prev, &be->event->count);
	pe->prev = client->total;
}

static void domains_next(struct pcounter_base *base)
{
	pcounter_gpu_next_snapshot(&base->ppmu->gpu);
}

/* ---- programming and polling ---- */

static bool domains_check_faults(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	bool resched = gpu->resched;

	gpu->resched = false;
	if (pcounter_gpu_notice_faults(gpu) || resched)
		pcounter_base_want_resched(base);
	return gpu->commit != PCOUNTER_COMMIT_DONE;
}

static bool domains_complete(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	unsigned long flags;
	bool complete;

	/* changed by callbacks only */
	if (!gpu->partial)
		return true;
	raw_spin_lock_irqsave(&gpu->lock, flags);
	complete = pcounter_gpu_complete(gpu);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return complete;
}

/* Credit late starters first, or they would inherit the start of the new event. */
static void credit_late(struct pcounter_base *base)
{
	struct pcounter_base_event *be;

	if (!base->ppmu->late)
		return;
	list_for_each_entry(be, &base->events, node) {
		if (!base_to_pe(be)->late)
			continue;
		domains_latch(be);
		domains_credit(be);
	}
}

static u64 poll_interval(const struct pcounter_gpu *gpu)
{
	return min(pcounter_gpu_poll_ns(gpu), pcounter_gpu_collect_ns(gpu));
}

static u64 domains_commit(struct pcounter_base *base)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;
	bool active;

	credit_late(base);
	active = !gpu->gone && pcounter_gpu_commit(gpu);
	/* without a reference this waits until there is one */
	if (base->added && !pcounter_gpu_is_held(gpu))
		pcounter_gpu_want_commit(gpu);
	if (gpu->commit == PCOUNTER_COMMIT_PARTIAL)
		pcounter_base_kick(base);
	return active ? poll_interval(gpu) : 0;
}

/* Where one domain is read often, all domains are polled only now and then. */
static u64 domains_poll(struct pcounter_base *base, bool all)
{
	struct pcounter_pmu *ppmu = base->ppmu;
	struct pcounter_gpu *gpu = &ppmu->gpu;
	u64 due = pcounter_gpu_poll_ns(gpu);
	ktime_t now = ktime_get();

	if (all) {
		pcounter_gpu_poll(gpu);
		domains_check_faults(base);
	} else if (!gpu->polled && pcounter_gpu_collects(gpu) &&
		   ktime_before(now, ktime_add_ns(ppmu->polled, due / 2))) {
		pcounter_gpu_collect(gpu);
	} else if (pcounter_gpu_poll_some(gpu, PCOUNTER_BUDGET_NS)) {
		ppmu->polled = now;
	} else {
		return PCOUNTER_BUDGET_NS;
	}
	return poll_interval(gpu);
}

/* ---- creation and end ---- */

/**
 * pcounter_pmu_free() - free a PMU that is not registered
 * @ppmu: the PMU
 */
void pcounter_pmu_free(struct pcounter_pmu *ppmu)
{
	cancel_delayed_work_sync(&ppmu->lease.watch);
	ida_free(&pcounter_numbers, ppmu->number);
	put_device(ppmu->base.parent);
	pcounter_sysfs_free(ppmu);
	pcounter_record_release(&ppmu->gpu);
	pcounter_gpu_free(&ppmu->gpu);
	kfree(ppmu);
}

static void domains_free(struct pcounter_base *base)
{
	pcounter_pmu_free(base->ppmu);
}

static const struct pcounter_backend domains_backend = {
	.event_size = sizeof(struct pcounter_event),
	.check = domains_check,
	.open = domains_open,
	.close = domains_close,
	.add = domains_add,
	.del = domains_del,
	.start = domains_start,
	.stop = domains_stop,
	.stay = domains_stay,
	.left = domains_left,
	.begin = domains_begin,
	.latch = domains_latch,
	.credit = domains_credit,
	.next = domains_next,
	.commit = domains_commit,
	.poll = domains_poll,
	.check_faults = domains_check_faults,
	.complete = domains_complete,
	.drain = pcounter_sample_drain,
	.report = pcounter_pmu_report,
	.free = domains_free,
};

/**
 * pcounter_pmu_alloc() - first step of a GPU's PMU
 * @parent: the device it belongs to
 * @owner: module that must stay loaded while events are open
 *
 * Return: the PMU, prepared but for pcounter_pmu.gpu; an ERR_PTR().
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
	pcounter_pmu_setup(&ppmu->base, &domains_backend, ppmu, parent, owner);
	ppmu->base.pmu.setup_aux = pcounter_aux_setup;
	ppmu->base.pmu.free_aux = pcounter_aux_free;
	snprintf(ppmu->base.name, sizeof(ppmu->base.name), "pcounter_%d", ppmu->number);
	pcounter_lease_init(ppmu);
	return ppmu;
}
