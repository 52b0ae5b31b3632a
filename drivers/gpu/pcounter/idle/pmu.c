// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle counters as a second PMU beside that of the domains,
 * "pcounter_idle_N": how its events count. The GPU's lock is held in all
 * functions that count.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/time64.h>

#include "idle/pmu.h"
#include "perf/glue.h"

/* A counter must be read at least this often to be valid. */
#define IDLE_POLL_NS	(250 * NSEC_PER_MSEC)

/* Bits of config */
#define IDLE_MASK	GENMASK_ULL(31, 0)
#define IDLE_WHEN	GENMASK_ULL(33, 32)

/**
 * struct pcounter_idle_event - an event of the idle counters
 * @base: the part that all PMUs' events have
 * @slot: the counter that counts it while it is added, or in LEAVING
 * @prev: that counter's total up to which the event has been credited
 * @failed: its counter has stopped, it never runs again
 */
struct pcounter_idle_event {
	struct pcounter_base_event base;
	unsigned int slot;
	u64 prev;
	bool failed;
};

static struct pcounter_idle_event *base_to_ie(struct pcounter_base_event *be)
{
	return container_of(be, struct pcounter_idle_event, base);
}

static struct pcounter_idle_pmu *ipmu_of(const struct pcounter_base_event *be)
{
	return base_to_ipmu(pcounter_base_of(be));
}

static u32 idle_mask_of(const struct perf_event *event)
{
	return FIELD_GET(IDLE_MASK, event->attr.config);
}

/* The term counts from 0, the register from 1. */
static u32 idle_mode_of(const struct perf_event *event)
{
	return FIELD_GET(IDLE_WHEN, event->attr.config) + PCOUNTER_IDLE_ALL;
}

/* ---- sysfs files: format/, caps/, events/ ---- */

PCOUNTER_SYSFS_VALUE(counters, "%u", base_to_ipmu(base)->idle.nr);
PCOUNTER_SYSFS_VALUE(counters_ours, "%u", pcounter_idle_ours(&base_to_ipmu(base)->idle));

static struct attribute *idle_caps_attrs[] = {
	&dev_attr_counters.attr,
	&dev_attr_counters_ours.attr,
	NULL
};

static const struct attribute_group idle_caps_group = {
	.name = "caps",
	.attrs = idle_caps_attrs,
};

static bool idle_build_format(struct pcounter_folder *folder)
{
	return pcounter_folder_alloc(folder, "format", 2) &&
	       pcounter_folder_add(folder, "mask", "config:0-31") &&
	       pcounter_folder_add(folder, "when", "config:32-33");
}

/* Make the files in events/: each engine idle and busy, and the time base. */
static bool idle_build_events(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_folder *folder = &ipmu->events;
	bool done = pcounter_folder_alloc(folder, "events", 2 * PCOUNTER_IDLE_ENGINES + 1);
	const struct pcounter_idle_engine *engine;
	char name[16];
	unsigned int n;

	for (n = 0; done && n < 2 * PCOUNTER_IDLE_ENGINES; n++) {
		engine = &pcounter_idle_engines[n / 2];
		if (!pcounter_pdaemon_has(ipmu->idle.chip, engine))
			continue;
		snprintf(name, sizeof(name), "%s_%s", engine->name, n % 2 ? "busy" : "idle");
		done = pcounter_folder_add(folder, name, "mask=0x%lx,when=0x%x",
					   BIT(engine->bit), n % 2);
	}
	return done && pcounter_folder_add(folder, "ticks", "mask=0x0,when=0x2");
}

/* ---- opening and closing ---- */

/* Collect different requests; return false if there are more than counters. */
static bool idle_collect(u64 config[], unsigned int *n, unsigned int max,
			 const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (config[i] == event->attr.config)
			return true;
	if (*n == max)
		return false;
	config[(*n)++] = event->attr.config;
	return true;
}

static int idle_check_group(struct pcounter_idle_pmu *ipmu, struct perf_event *event)
{
	struct perf_event *member = event->group_leader;
	/* while PDAEMON is off, any counter may be ours */
	unsigned int n = 0, max = pcounter_idle_ours(&ipmu->idle) ?: ipmu->idle.nr;
	u64 config[PCOUNTER_IDLE_SLOTS];
	bool fits = idle_collect(config, &n, max, event);

	for (; member; member = pcounter_next_member(member))
		if (pcounter_event_is_of(member, event->pmu))
			fits &= idle_collect(config, &n, max, member);
	if (fits)
		return 0;
	dev_dbg(ipmu->base.parent, "%s: the group needs more than the %u counters that are ours\n",
		ipmu->base.name, max);
	return -EINVAL;
}

static int idle_check(struct pcounter_base_event *be)
{
	struct pcounter_idle_pmu *ipmu = ipmu_of(be);
	struct perf_event *event = be->event;
	const char *why;
	int err;

	if (event->attr.config & ~(IDLE_MASK | IDLE_WHEN) ||
	    event->attr.config1 || event->attr.config2)
		return -EINVAL;
	err = pcounter_idle_check(idle_mask_of(event), idle_mode_of(event), &why);
	if (err)
		dev_dbg(ipmu->base.parent, "%s: %s\n", ipmu->base.name, why);
	return err ?: idle_check_group(ipmu, event);
}

/* The GPU may have left since the last check, and its mapping with it. */
static int idle_open(struct pcounter_base_event *be)
{
	struct pcounter_idle_pmu *ipmu = ipmu_of(be);

	guard(raw_spinlock_irqsave)(ipmu->base.lock);
	return ipmu->base.gone ? -ENODEV : pcounter_gpu_use(&ipmu->base.ppmu->gpu);
}

/* Return the GPU if registers may be touched until pcounter_gpu_drop(). */
static struct pcounter_gpu *idle_hold(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_gpu *gpu = &ipmu->base.ppmu->gpu, *awake;

	if (ipmu->base.gone)
		return NULL;
	awake = pcounter_gpu_hold(gpu);
	if (ipmu->losses != gpu->sleeps + gpu->losses) {
		ipmu->losses = gpu->sleeps + gpu->losses;
		pcounter_idle_forget(&ipmu->idle);
		pcounter_base_want_resched(&ipmu->base);
	}
	return awake;
}

/* A section that touches registers; NULL if they may not be touched. */
DEFINE_CLASS(idle_hold, struct pcounter_gpu *, pcounter_gpu_drop(_T), idle_hold(ipmu),
	     struct pcounter_idle_pmu *ipmu)

static void idle_restore(struct pcounter_idle_pmu *ipmu)
{
	CLASS(idle_hold, awake)(ipmu);

	pcounter_idle_restore(&ipmu->idle, awake);
}

static void idle_close(struct pcounter_base_event *be)
{
	struct pcounter_idle_pmu *ipmu = ipmu_of(be);

	guard(raw_spinlock_irqsave)(ipmu->base.lock);
	ipmu->base.ppmu->gpu.opened--;
	if (list_empty(&ipmu->base.events) && !ipmu->base.gone)
		idle_restore(ipmu);
}

/* ---- counts ---- */

/* Return true if the GPU was off during the last read: then no counter is at fault. */
static bool idle_doubt(struct pcounter_idle_pmu *ipmu)
{
	bool off = pcounter_gpu_doubt(&ipmu->base.ppmu->gpu);

	if (off)
		pcounter_idle_forget(&ipmu->idle);
	return off;
}

/* An event whose counter has stopped is refused when perf adds it again. */
static void idle_fail_events(struct pcounter_idle_pmu *ipmu)
{
	struct pcounter_base_event *be;

	list_for_each_entry(be, &ipmu->base.events, node) {
		struct pcounter_idle_event *ie = base_to_ie(be);

		if (be->added || be->state == PCOUNTER_STATE_LEAVING)
			ie->failed |= ipmu->idle.slot[ie->slot].fault;
	}
}

/* The counters are one unit. */
static void idle_latch(struct pcounter_base *base, unsigned int unit)
{
	struct pcounter_idle_pmu *ipmu = base_to_ipmu(base);

	if (ipmu->read == base->snapshot)
		return;
	CLASS(idle_hold, awake)(ipmu);
	if (!awake)
		return;
	ipmu->read = base->snapshot;
	if (!pcounter_idle_latch(&ipmu->idle))
		return;
	if (!idle_doubt(ipmu))
		idle_fail_events(ipmu);
	pcounter_base_want_resched(base);
}

static void idle_credit(struct pcounter_base_event *be)
{
	struct pcounter_idle_event *ie = base_to_ie(be);
	u64 total = ipmu_of(be)->idle.slot[ie->slot].total;

	local64_add(total - ie->prev, &be->event->count);
	ie->prev = total;
}

static bool idle_begin(struct pcounter_base_event *be)
{
	struct pcounter_idle_event *ie = base_to_ie(be);

	ie->prev = ipmu_of(be)->idle.slot[ie->slot].total;
	return true;
}

/* All new events begin to count at one reading of all counters. */
static u64 idle_commit(struct pcounter_base *base)
{
	pcounter_base_next_snapshot(base);
	if (!list_empty(&base->deferred))
		idle_latch(base, 0);
	return base->added && !base->gone ? IDLE_POLL_NS : 0;
}

static u64 idle_poll(struct pcounter_base *base, bool all)
{
	pcounter_base_next_snapshot(base);
	idle_latch(base, 0);
	return IDLE_POLL_NS;
}

/* ---- events come and go ---- */

static int idle_find_slot(struct pcounter_idle_pmu *ipmu, struct pcounter_idle_event *ie)
{
	const struct perf_event *event = ie->base.event;
	int slot;

	if (ie->failed)
		return -EIO;
	if (ipmu->base.gone)
		return -ENODEV;
	CLASS(idle_hold, awake)(ipmu);
	if (!awake)
		return -EAGAIN;
	slot = pcounter_idle_add(&ipmu->idle, idle_mask_of(event), idle_mode_of(event));
	if (slot == -EIO && idle_doubt(ipmu))
		slot = -EAGAIN;
	ie->failed = slot == -EIO;
	return slot;
}

/* An event that left in this reschedule still has its counter, unless that is stale. */
static bool idle_still_has_it(struct pcounter_idle_pmu *ipmu, const struct pcounter_idle_event *ie)
{
	const struct pcounter_idle_slot *s = &ipmu->idle.slot[ie->slot];

	if (ie->base.state != PCOUNTER_STATE_LEAVING || ie->failed)
		return false;
	CLASS(idle_hold, awake)(ipmu);
	return awake && !s->stale && !s->fault;
}

/* A new event may get the counter of an event that is leaving. */
static int idle_add(struct pcounter_base_event *be)
{
	struct pcounter_idle_event *ie = base_to_ie(be);
	struct pcounter_idle_pmu *ipmu = ipmu_of(be);
	int slot;

	if (idle_still_has_it(ipmu, ie))
		return 0;
	if (be->state == PCOUNTER_STATE_LEAVING)
		pcounter_pmu_settle_all(&ipmu->base);
	slot = idle_find_slot(ipmu, ie);
	if (slot == -EAGAIN && !list_empty(&ipmu->base.deferred)) {
		pcounter_pmu_settle_all(&ipmu->base);
		slot = idle_find_slot(ipmu, ie);
	}
	if (slot < 0)
		return slot;
	ie->slot = slot;
	return 0;
}

static void idle_left(struct pcounter_base_event *be)
{
	if (!be->added)
		pcounter_idle_del(&ipmu_of(be)->idle, base_to_ie(be)->slot);
}

/* ---- creation and end ---- */

static void idle_report(struct pcounter_base *base)
{
	struct pcounter_idle *idle = &base_to_ipmu(base)->idle;
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		enum pcounter_idle_fault fault = PCOUNTER_IDLE_OK;

		scoped_guard(raw_spinlock_irqsave, base->lock) {
			if (!idle->slot[i].logged)
				fault = idle->slot[i].fault;
			idle->slot[i].logged = idle->slot[i].fault;
		}
		if (fault)
			dev_warn_ratelimited(base->parent, "%s: counter %u stopped: %s\n",
					     base->name, i,
					     pcounter_idle_fault_text(fault));
	}
}

static void idle_free(struct pcounter_base *base)
{
	pcounter_base_put(&base->ppmu->base);
	put_device(base->parent);
	pcounter_folder_free(&base_to_ipmu(base)->format);
	pcounter_folder_free(&base_to_ipmu(base)->events);
	kfree(base_to_ipmu(base));
}

static const struct pcounter_backend idle_backend = {
	.event_size = sizeof(struct pcounter_idle_event),
	.check = idle_check,
	.open = idle_open,
	.close = idle_close,
	.add = idle_add,
	.left = idle_left,
	.begin = idle_begin,
	.latch = idle_latch,
	.credit = idle_credit,
	.commit = idle_commit,
	.poll = idle_poll,
	.report = idle_report,
	.free = idle_free,
};

/**
 * pcounter_idle_create() - offer the idle counters of a GPU to perf
 * @ppmu: the PMU beside it, which gets a pointer to it
 *
 * Writes no register. Without idle counters, or without memory, @ppmu works
 * alone.
 */
void pcounter_idle_create(struct pcounter_pmu *ppmu)
{
	struct pcounter_idle_pmu *ipmu = kzalloc(sizeof(*ipmu), GFP_KERNEL);
	bool present;

	if (!ipmu)
		return;
	scoped_guard(raw_spinlock_irqsave, &ppmu->gpu.lock)
		present = pcounter_idle_init(&ipmu->idle, ppmu->gpu.chip, ppmu->gpu.io);
	if (!present) {
		kfree(ipmu);
		return;
	}
	kref_get(&ppmu->base.kref);
	ipmu->losses = ppmu->gpu.sleeps + ppmu->gpu.losses;
	pcounter_pmu_setup(&ipmu->base, &idle_backend, ppmu, ppmu->base.parent,
			   ppmu->base.pmu.module);
	ipmu->attr_groups[0] = &pcounter_pmu_group;
	ipmu->attr_groups[1] = &ipmu->format.group;
	ipmu->attr_groups[2] = &idle_caps_group;
	ipmu->attr_groups[3] = &ipmu->events.group;
	ipmu->base.pmu.attr_groups = ipmu->attr_groups;
	ipmu->base.pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	snprintf(ipmu->base.name, sizeof(ipmu->base.name), "pcounter_idle_%d", ppmu->number);
	if (idle_build_format(&ipmu->format) && idle_build_events(ipmu) &&
	    !pcounter_base_register(&ipmu->base)) {
		ppmu->beside = &ipmu->base;
		return;
	}
	dev_warn(ppmu->base.parent, "%s: cannot be set up\n", ipmu->base.name);
	idle_free(&ipmu->base);
}

/**
 * pcounter_idle_remove() - remove the PMU of idle counters: the GPU or its provider goes away
 * @ppmu: the PMU beside that of its idle counters, if it has any
 * @restore: restore the registers: the GPU can still be reached, and belongs to nobody else
 */
void pcounter_idle_remove(struct pcounter_pmu *ppmu, bool restore)
{
	struct pcounter_idle_pmu *ipmu = pcounter_idle_beside(ppmu);
	bool awake;

	if (!ipmu)
		return;
	awake = restore && pcounter_gpu_get(&ppmu->gpu);
	scoped_guard(raw_spinlock_irqsave, ipmu->base.lock) {
		if (awake && !list_empty(&ipmu->base.events))
			idle_restore(ipmu);
		ipmu->base.gone = true;
		ppmu->beside = NULL;
	}
	if (awake)
		pcounter_gpu_put(&ppmu->gpu);
	pcounter_base_remove(&ipmu->base);
}
