// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of a GPU's idle counters, "pcounter_idle_N": how its events count. The GPU's
 * lock is held in all functions that count.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "compat.h"
#include "perf/glue.h"
#include "perf/types.h"

/* A counter must be read at least this often to be valid. */
#define IDLE_POLL_NS	(250 * NSEC_PER_MSEC)

/* Bits of config */
#define IDLE_MASK	GENMASK_ULL(31, 0)
#define IDLE_WHEN	GENMASK_ULL(33, 32)

static struct pcounter_idle *idle_of(const struct pcounter_event *pe)
{
	return &pcounter_gpu_of(pe)->idle;
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

static unsigned int ours(struct pcounter_base *base)
{
	guard(raw_spinlock_irqsave)(base->lock);
	return pcounter_idle_ours(&base->ppmu->gpu.idle);
}

PCOUNTER_SYSFS_VALUE(counters_ours, "%u", ours(base));

static void idle_build_caps(struct pcounter_folder *folder, const struct pcounter_idle *idle)
{
	pcounter_folder_alloc(folder, "caps", 2);
	pcounter_folder_add(folder, "counters", "%u", idle->nr);
	if (!folder->failed)
		folder->group.attrs[1] = &dev_attr_counters_ours.attr;
}

static void idle_build_format(struct pcounter_folder *folder)
{
	pcounter_folder_alloc(folder, "format", 2);
	pcounter_folder_add(folder, "mask", "config:0-31");
	pcounter_folder_add(folder, "when", "config:32-33");
}

/* Make the files in events/: each engine idle and busy, and the time base. */
static void idle_build_events(struct pcounter_folder *folder, const struct pcounter_chip *chip)
{
	const struct pcounter_idle_engine *engine;
	char name[16];
	unsigned int n;

	pcounter_folder_alloc(folder, "events", 2 * PCOUNTER_IDLE_ENGINES + 1);
	for (n = 0; n < 2 * PCOUNTER_IDLE_ENGINES; n++) {
		engine = &pcounter_idle_engines[n / 2];
		if (!pcounter_pdaemon_has(chip, engine))
			continue;
		snprintf(name, sizeof(name), "%s_%s", engine->name, n % 2 ? "busy" : "idle");
		pcounter_folder_add(folder, name, "mask=0x%x,when=0x%x", engine->mask, n % 2);
	}
	pcounter_folder_add(folder, "ticks", "mask=0x0,when=0x2");
}

/* ---- opening and closing ---- */

/* Refuse a group with more different requests than counters. */
static int idle_check_group(const struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;
	u64 config[PCOUNTER_IDLE_SLOTS + 1] = { pe->event->attr.config };
	struct perf_event *member = pe->event->group_leader;
	/* while PDAEMON is off, any counter may be ours */
	unsigned int i, n = 1, max = ours(base) ?: idle_of(pe)->nr;

	for (; member && n <= max; member = pcounter_next_member(member)) {
		if (!pcounter_event_is_of(member, &base->pmu))
			continue;
		for (i = 0; i < n && config[i] != member->attr.config; i++)
			;
		config[i] = member->attr.config;
		n = max(n, i + 1);
	}
	if (n <= max)
		return 0;
	dev_dbg(base->parent, "%s: the group needs more than the %u counters that are ours\n",
		base->name, max);
	return -EINVAL;
}

static int idle_check(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;
	struct perf_event *event = pe->event;
	const char *why;
	int err;

	if (is_sampling_event(event))
		return -EOPNOTSUPP;
	if (event->attr.config & ~(IDLE_MASK | IDLE_WHEN) ||
	    event->attr.config1 || event->attr.config2)
		return -EINVAL;
	err = pcounter_idle_check(idle_mask_of(event), idle_mode_of(event), &why);
	if (err)
		dev_dbg(base->parent, "%s: %s\n", base->name, why);
	return err ?: idle_check_group(pe);
}

static int idle_open(struct pcounter_event *pe)
{
	guard(raw_spinlock_irqsave)(pe->base->lock);
	return pcounter_gpu_use(pcounter_gpu_of(pe));
}

static void idle_close(struct pcounter_event *pe)
{
	struct pcounter_base *base = pe->base;
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);

	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->opened--;
	if (!list_empty(&base->events) || gpu->gone)
		return;
	CLASS(pcounter_hold, awake)(gpu);
	pcounter_idle_restore(&gpu->idle, awake);
}

/* ---- counts ---- */

/* Read all counters, once in a snapshot. */
static void idle_latch(struct pcounter_base *base, unsigned int unit)
{
	struct pcounter_gpu *gpu = &base->ppmu->gpu;

	if (gpu->idle.snapshot == gpu->snapshot)
		return;
	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return;
	gpu->idle.snapshot = gpu->snapshot;
	if (!pcounter_idle_latch(&gpu->idle))
		return;
	/* if the GPU was off during the read, no counter is at fault */
	pcounter_gpu_recheck_power(gpu);
	pcounter_base_want_resched(base);
}

/* All new events begin to count at one reading of all counters. */
static u64 idle_commit(struct pcounter_base *base)
{
	base->ppmu->gpu.snapshot++;
	if (!list_empty(&base->deferred))
		idle_latch(base, 0);
	return base->added && !base->ppmu->gpu.gone ? IDLE_POLL_NS : 0;
}

static u64 idle_poll(struct pcounter_base *base)
{
	base->ppmu->gpu.snapshot++;
	idle_latch(base, 0);
	return IDLE_POLL_NS;
}

/* ---- events come and go ---- */

/* An event whose counter has stopped is refused when perf adds it again. */
static void idle_left(struct pcounter_event *pe)
{
	pe->failed |= pe->client->unit->fault;
}

static struct pcounter_client *idle_add(struct pcounter_event *pe)
{
	const struct perf_event *event = pe->event;
	struct pcounter_gpu *gpu = pcounter_gpu_of(pe);
	int slot;

	CLASS(pcounter_hold, awake)(gpu);
	if (!awake)
		return ERR_PTR(-EAGAIN);
	if (pe->state == PCOUNTER_STATE_LEAVING)
		idle_left(pe);
	if (pe->failed)
		return ERR_PTR(-EIO);
	slot = pcounter_idle_add(&gpu->idle, idle_mask_of(event), idle_mode_of(event));
	if (slot == -EIO && pcounter_gpu_recheck_power(gpu))
		slot = -EAGAIN;
	pe->failed = slot == -EIO;
	if (slot < 0)
		return ERR_PTR(slot);
	return &gpu->idle.slot[slot].client;
}

/* ---- creation and end ---- */

static void idle_report(struct pcounter_base *base)
{
	struct pcounter_idle *idle = &base->ppmu->gpu.idle;
	char number[12];
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		snprintf(number, sizeof(number), "%u", i);
		pcounter_base_report(base, &idle->slot[i].unit, "counter", number);
	}
}

/* The memory of this PMU is part of the PMU of the domains: put that reference last. */
static void idle_free(struct pcounter_base *base)
{
	pcounter_pmu_free(base);
	pcounter_base_put(&base->ppmu->base);
}

static const struct pcounter_backend idle_backend = {
	.check = idle_check,
	.open = idle_open,
	.close = idle_close,
	.add = idle_add,
	.left = idle_left,
	.latch = idle_latch,
	.commit = idle_commit,
	.poll = idle_poll,
	/* a sleep or a reset invalidates the counters */
	.wants = PCOUNTER_WANT_RESCHED_IDLE,
	.report = idle_report,
	.free = idle_free,
};

/**
 * pcounter_idle_create() - offer the idle counters of a GPU to perf
 * @ppmu: the GPU, with the PMU of its domains
 *
 * Writes no register. Without idle counters, or without memory, the PMU of the domains
 * works alone.
 */
void pcounter_idle_create(struct pcounter_pmu *ppmu)
{
	struct pcounter_base *base = &ppmu->idle;
	struct pcounter_gpu *gpu = &ppmu->gpu;

	scoped_guard(raw_spinlock_irqsave, &gpu->lock)
		if (!pcounter_idle_init(&gpu->idle, gpu->chip, gpu->io))
			return;
	kref_get(&ppmu->base.kref);
	pcounter_pmu_setup(base, &idle_backend, ppmu, ppmu->base.parent, ppmu->base.pmu.module);
	base->pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
	snprintf(base->name, sizeof(base->name), "pcounter_idle_%d", ppmu->number);
	idle_build_format(&base->format_dir);
	idle_build_caps(&base->caps_dir, &gpu->idle);
	idle_build_events(&base->events_dir, gpu->chip);
	if (!pcounter_base_register(base))
		return;
	dev_warn(base->parent, "%s: cannot be set up\n", base->name);
	idle_free(base);
}
