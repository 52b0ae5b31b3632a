// SPDX-License-Identifier: GPL-2.0-only
/*
 * A GPU that sleeps, or has slept, or was reset: registers are touched only
 * while it is awake, lost registers are noticed and programmed again, and
 * totals go on from where they were.
 *
 * gpu->lock is held, but not by callers that get or put references, or access
 * single registers.
 */
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/io.h"

/* How often the driver reads a GPU that is on, and does not answer. */
#define ASK_NS		(10 * NSEC_PER_MSEC)
/* Switching a GPU off or on takes less time than this. */
#define PATIENCE_NS	NSEC_PER_SEC

/* The registers have lost their values; totals stay. */
static void domain_forget(struct pcounter_domain *d)
{
	struct pcounter_client *client;

	d->phase = PCOUNTER_PHASE_UNKNOWN;
	pcounter_domain_unprogram(d);
	d->unit.state = PCOUNTER_UNIT_FREE;
	for (client = d->client; client < d->client + d->clients; client++)
		client->placed = false;
	pcounter_domain_want(d, PCOUNTER_WANT_COMMIT);
}

/* State that a mode has for the whole GPU is lost, too. */
static void modes_forget(struct pcounter_gpu *gpu)
{
	if (gpu->record_mode)
		gpu->record_mode->forget(gpu);
}

static void gpu_forget(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;

	modes_forget(gpu);
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		domain_forget(d);
		d->saved_periodic = false;
		d->holds_periodic = false;
	}
	pcounter_mux_forget(&gpu->muxes);
	pcounter_idle_forget(&gpu->idle);
	gpu->want |= PCOUNTER_WANT_RESCHED_IDLE;
}

/**
 * pcounter_gpu_sleeps() - note that the GPU sleeps, is off, or is about to sleep
 * @gpu: the GPU; its lock is held
 */
void pcounter_gpu_sleeps(struct pcounter_gpu *gpu)
{
	gpu->silent_ns = 0;
	if (gpu->asleep)
		return;
	gpu_forget(gpu);
	gpu->want &= ~PCOUNTER_WANT_COMMIT;
	gpu->want |= PCOUNTER_WANT_RESCHED;
	gpu->asleep = true;
	gpu->sleeps++;
}

static bool gpu_is_on(const struct pcounter_gpu *gpu)
{
	return !gpu->io->ops->awake || gpu->io->ops->awake(gpu->io);
}

/*
 * The GPU does not answer, though it is on: somebody may be switching it off or on.
 * Only a GPU that stays silent is dead.
 */
static void gpu_fall_silent(struct pcounter_gpu *gpu)
{
	u64 now = ktime_get_mono_fast_ns(), since = gpu->silent_ns ?: now;
	struct pcounter_domain *d;

	pcounter_gpu_sleeps(gpu);
	gpu->asked_ns = now;
	gpu->silent_ns = since;
	if (now - since < PATIENCE_NS)
		return;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (d->refs)
			pcounter_domain_fault(d, gpu->io->stuck ?
					      PCOUNTER_FAULT_SLOW : PCOUNTER_FAULT_DEAD);
}

/* Note a wake-up; return false if a GPU that is on again does not answer yet. */
static bool gpu_wake(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;

	if (gpu->silent_ns && ktime_get_mono_fast_ns() - gpu->asked_ns < ASK_NS)
		return false;
	if (gpu->io->ops->awake && !pcounter_io_ask(gpu->io)) {
		gpu_fall_silent(gpu);
		return false;
	}
	gpu->silent_ns = 0;
	gpu->asleep = false;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (d->unit.fault == PCOUNTER_FAULT_DEAD)
			d->unit.fault = PCOUNTER_OK;
	gpu->want |= PCOUNTER_WANT_COMMIT;
	return true;
}

/**
 * pcounter_gpu_get() - keep a GPU that is awake from falling asleep
 * @gpu: the GPU, its lock is not held; NULL for no reference
 *
 * Never wakes it. Not for perf's callbacks: runtime power management acquires
 * locks.
 *
 * Return: NULL if it sleeps, or has left; otherwise @gpu, until pcounter_gpu_put().
 */
struct pcounter_gpu *pcounter_gpu_get(struct pcounter_gpu *gpu)
{
	/* @io is not there any more */
	if (!gpu || READ_ONCE(gpu->gone))
		return NULL;
	if (!gpu->io->ops->get)
		return gpu;
	if (!gpu->io->ops->get(gpu->io))
		return NULL;
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->refs++;
	return gpu;
}

/* Afterwards no section that touches registers runs or begins. */
static void gpu_unref(struct pcounter_gpu *gpu)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	gpu->refs--;
}

/**
 * pcounter_gpu_put() - undo pcounter_gpu_get()
 * @gpu: the GPU, its lock is not held; NULL for no reference
 *
 * A reference that ends with its scope is a variable of the class pcounter_ref.
 */
void pcounter_gpu_put(struct pcounter_gpu *gpu)
{
	if (!gpu || !gpu->io->ops->get)
		return;
	gpu_unref(gpu);
	gpu->io->ops->put(gpu->io);
}

/**
 * pcounter_gpu_put_sync() - put, and let the GPU sleep now if its driver agrees
 * @gpu: the GPU; in process context
 */
void pcounter_gpu_put_sync(struct pcounter_gpu *gpu)
{
	gpu_unref(gpu);
	gpu->io->ops->put_sync(gpu->io);
}

/**
 * pcounter_gpu_is_held() - check for a reference that keeps the GPU awake
 * @gpu: the GPU; its lock is held
 *
 * Return: true if so, or if there is nothing to wait for: no reference is
 * needed, or the GPU has left.
 */
bool pcounter_gpu_is_held(const struct pcounter_gpu *gpu)
{
	return gpu->gone || !gpu->io->ops->get || gpu->refs;
}

/**
 * pcounter_gpu_check_power() - notice a sleep, a wake-up or a reset since the last call
 * @gpu: the GPU; its lock is held
 *
 * Read memory only, but one register of a GPU that was found asleep.
 *
 * Return: true if registers may be touched, until the lock is released.
 */
bool pcounter_gpu_check_power(struct pcounter_gpu *gpu)
{
	if (gpu->gone)
		return false;
	if (gpu->depth)
		return true;
	if (!pcounter_gpu_is_held(gpu))
		return false;
	if (!gpu_is_on(gpu)) {
		pcounter_gpu_sleeps(gpu);
		return false;
	}
	if (gpu->asleep && !gpu_wake(gpu))
		return false;
	if (gpu->losses != gpu->io->losses) {
		gpu->losses = gpu->io->losses;
		gpu->resets++;
		gpu_forget(gpu);
	}
	return true;
}

/* ---- sleep or reset, noticed afterwards ---- */

static bool is_suspect(const struct pcounter_domain *d)
{
	return !d->unit.logged &&
	       (d->unit.fault == PCOUNTER_FAULT_DEAD || d->unit.fault == PCOUNTER_FAULT_POSITION ||
		d->unit.fault == PCOUNTER_FAULT_FOREIGN_WRITE);
}

/* Return true if a domain was programmed, and reads as only a reset leaves it. */
static bool domain_is_blank(const struct pcounter_domain *d)
{
	struct pcounter_image img, blank = {};

	pcounter_regs_load(&d->block, &img);
	/* where a write of PRE_OP ends a period, a read after the reset has written it */
	if (img.op[PCOUNTER_PRE] == d->hw.op[PCOUNTER_PRE])
		blank.op[PCOUNTER_PRE] = img.op[PCOUNTER_PRE];
	return memcmp(&d->hw, &blank, sizeof(blank)) && !memcmp(&img, &blank, sizeof(img));
}

static void domain_lapses(struct pcounter_domain *d)
{
	if (is_suspect(d))
		d->unit.fault = PCOUNTER_OK;
	modes_forget(d->gpu);
	if (d->lost) {
		pcounter_domain_fault(d, PCOUNTER_FAULT_NOT_KEPT);
		return;
	}
	domain_forget(d);
	d->lost = true;
}

/*
 * Registers do not have the written values, or do not answer. Find out whether the GPU
 * was reset, and if so, program it again.
 */
static void gpu_recover(struct pcounter_gpu *gpu)
{
	const struct pcounter_reg_table *table = gpu->gen->table;
	struct pcounter_domain *d;
	bool off, lapse = false;

	off = table->enable && table->enable(gpu->io);
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (d->unit.state == PCOUNTER_UNIT_FREE || !(off || domain_is_blank(d)))
			continue;
		domain_lapses(d);
		lapse = true;
	}
	if (!lapse)
		return;
	gpu->resets++;
	pcounter_mux_forget(&gpu->muxes);
}

/* Replace the fault of all suspects by @fault, PCOUNTER_OK for none. */
static void gpu_explain(struct pcounter_gpu *gpu, enum pcounter_fault fault)
{
	struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (is_suspect(d))
			d->unit.fault = fault;
}

static bool gpu_has_suspects(const struct pcounter_gpu *gpu)
{
	const struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (is_suspect(d))
			return true;
	return false;
}

/**
 * pcounter_gpu_recheck_power() - notice that a GPU was off when a read failed
 * @gpu: the GPU, held
 *
 * If other code switches the GPU off, the kernel learns of it only afterwards.
 *
 * Return: true if the GPU was off, and sleeps: then no domain is at fault.
 */
bool pcounter_gpu_recheck_power(struct pcounter_gpu *gpu)
{
	bool on = gpu_is_on(gpu);

	if (on && (!gpu->io->ops->awake || pcounter_io_ask(gpu->io)))
		return false;
	gpu_explain(gpu, PCOUNTER_OK);
	if (on)
		gpu_fall_silent(gpu);
	else
		pcounter_gpu_sleeps(gpu);
	return true;
}

/* Explain new faults by a sleep, a reset or a stuck bus. */
static void gpu_check(struct pcounter_gpu *gpu)
{
	if (!(gpu->want & PCOUNTER_WANT_CHECK) || !gpu_has_suspects(gpu))
		return;
	/* reads that were given up as too slow look like a dead GPU */
	if (gpu->io->stuck)
		gpu_explain(gpu, PCOUNTER_FAULT_SLOW);
	else if (!pcounter_gpu_recheck_power(gpu))
		gpu_recover(gpu);
}

/**
 * pcounter_gpu_hold() - begin a section that touches registers
 * @gpu: the GPU, its lock is held; NULL for no section
 *
 * Sections may be nested. A section that ends with its scope is a variable of the
 * class pcounter_hold.
 *
 * Return: @gpu if registers may be touched until pcounter_gpu_drop(), otherwise NULL.
 */
struct pcounter_gpu *pcounter_gpu_hold(struct pcounter_gpu *gpu)
{
	if (!gpu || !pcounter_gpu_check_power(gpu))
		return NULL;
	gpu->depth++;
	return gpu;
}

/**
 * pcounter_gpu_drop() - end a section that touches registers
 * @gpu: result of pcounter_gpu_hold()
 *
 * The end of the outermost section explains the faults that were found.
 */
void pcounter_gpu_drop(struct pcounter_gpu *gpu)
{
	if (!gpu)
		return;
	if (gpu->depth == 1)
		gpu_check(gpu);
	gpu->depth--;
}

/* ---- single registers ---- */

/**
 * pcounter_gpu_read() - read a register in a section of its own
 * @gpu: the GPU
 * @addr: BAR0 address
 *
 * Return: the value, PCOUNTER_DEAD if the GPU sleeps.
 */
u32 pcounter_gpu_read(struct pcounter_gpu *gpu, u32 addr)
{
	guard(raw_spinlock_irqsave)(&gpu->lock);
	CLASS(pcounter_hold, awake)(gpu);

	return awake ? pcounter_rd32(gpu->io, addr) : PCOUNTER_DEAD;
}
