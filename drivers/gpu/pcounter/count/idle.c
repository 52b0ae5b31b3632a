// SPDX-License-Identifier: GPL-2.0-only
/*
 * The idle counters of PDAEMON, hw:idle. They have no common latch, and firmware
 * may use some of them: the driver writes only free counters, clears none, and
 * counts by differences.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "count/idle.h"
#include "hw/idle.h"
#include "hw/io.h"

/*
 * Largest valid difference of two reads: 2 s at 250 MHz, 0.5 s at 1 GHz
 * (assumed; no document has PDAEMON's clock).
 */
#define IDLE_MAX_STEP		BIT(29)

/* If reads take this many times as long as the fastest ones, the processor paused. */
#define IDLE_PAUSE		4
#define IDLE_TRIES		3

/* Read MASK with its second word, which is 0 in this driver's counters. */
static u64 idle_mask(struct pcounter_idle *idle, unsigned int i)
{
	u64 mask = pcounter_rd32(idle->io, PDAEMON_IDLE_MASK(i));

	if (pcounter_pdaemon_has_mask_1(idle->chip))
		mask |= (u64)pcounter_rd32(idle->io, PDAEMON_IDLE_MASK_1(i)) << 32;
	return mask;
}

/* Find unused counters: no MASK, no MODE. Return false if PDAEMON does not answer. */
static bool idle_detect(struct pcounter_idle *idle)
{
	struct pcounter_io *io = idle->io;
	bool answers = pcounter_pdaemon_check(io, idle->chip) &&
		       !pcounter_is_dead(pcounter_rd32(io, PDAEMON_IDLE_MODE(0)));
	unsigned int i;

	for (i = 0; i < idle->nr; i++)
		idle->slot[i].unit.state = answers && !idle_mask(idle, i) &&
					   !pcounter_rd32(idle->io, PDAEMON_IDLE_MODE(i)) ?
					   PCOUNTER_UNIT_OWNED : PCOUNTER_UNIT_FREE;
	return answers;
}

/**
 * pcounter_idle_init() - find out which counters are free; writes nothing
 * @idle: memory for the state, zeroed
 * @chip: the chip
 * @io: register access
 *
 * Return: whether the chip has idle counters.
 */
bool pcounter_idle_init(struct pcounter_idle *idle, const struct pcounter_chip *chip,
			struct pcounter_io *io)
{
	unsigned int i, nr = pcounter_pdaemon_slots(chip);

	if (!nr)
		return false;
	idle->io = io;
	idle->chip = chip;
	idle->nr = nr;
	for (i = 0; i < nr; i++)
		idle->slot[i].client.unit = &idle->slot[i].unit;
	idle_detect(idle);
	return true;
}

/**
 * pcounter_idle_ours() - get the number of counters that nobody else uses
 * @idle: the counters; the GPU's lock is held
 *
 * Return: their number, as of the last check.
 */
unsigned int pcounter_idle_ours(const struct pcounter_idle *idle)
{
	unsigned int i, n = 0;

	for (i = 0; i < idle->nr; i++)
		n += idle->slot[i].unit.state != PCOUNTER_UNIT_FREE;
	return n;
}

/**
 * pcounter_idle_check() - check whether a request can be counted
 * @mask: which signals
 * @mode: enum pcounter_idle_mode
 * @why: gets the reason of a refusal
 *
 * An empty mask is refused, since no document has it. The time base has no mask.
 *
 * Return: 0 or a negative errno.
 */
int pcounter_idle_check(u32 mask, u32 mode, const char **why)
{
	*why = "the time base has no mask";
	if (mode == PCOUNTER_IDLE_ALWAYS)
		return mask ? -EINVAL : 0;
	*why = "no signal";
	if (!mask || (mode != PCOUNTER_IDLE_ALL && mode != PCOUNTER_IDLE_NOT_ALL))
		return -EINVAL;
	return 0;
}

/* Find out whether another driver has changed a slot in use. */
static enum pcounter_fault idle_inspect(struct pcounter_idle *idle, unsigned int i)
{
	struct pcounter_idle_slot *s = &idle->slot[i];
	u32 mode = pcounter_rd32(idle->io, PDAEMON_IDLE_MODE(i));
	u64 mask = idle_mask(idle, i);

	if (mask == s->mask && mode == s->mode)
		return PCOUNTER_OK;
	if (!pcounter_pdaemon_check(idle->io, idle->chip))
		return PCOUNTER_FAULT_PDAEMON_RESET;
	if (pcounter_is_dead(mode))
		return PCOUNTER_FAULT_DEAD;
	return mask || mode ? PCOUNTER_FAULT_TAKEN : PCOUNTER_FAULT_PDAEMON_RESET;
}

/* The counter may have lost its settings or its value: the next reading begins a new count. */
static void idle_lose(struct pcounter_idle_slot *s)
{
	pcounter_unit_unprogram(&s->unit);
	s->client.placed = false;
	s->kept = 0;
}

static void idle_stop(struct pcounter_idle_slot *s, enum pcounter_fault fault)
{
	s->unit.fault = fault;
	s->unit.logged = false;
	idle_lose(s);
	/* nothing is left to restore */
	if (fault == PCOUNTER_FAULT_TAKEN || fault == PCOUNTER_FAULT_PDAEMON_RESET) {
		s->mask = 0;
		s->mode = PCOUNTER_IDLE_OFF;
	}
	if (fault == PCOUNTER_FAULT_TAKEN)
		s->unit.state = PCOUNTER_UNIT_FREE;
}

static void idle_program(struct pcounter_idle *idle, unsigned int i, u32 mask, u32 mode)
{
	struct pcounter_idle_slot *s = &idle->slot[i];
	enum pcounter_fault fault = idle_inspect(idle, i);

	/* a reset in between has cleared the registers already */
	if (fault == PCOUNTER_FAULT_PDAEMON_RESET && s->mode != PCOUNTER_IDLE_OFF) {
		idle_stop(s, fault);
		fault = idle_inspect(idle, i);
	}
	if (fault != PCOUNTER_OK) {
		idle_stop(s, fault);
		return;
	}
	if (s->mask != mask)
		pcounter_wr32(idle->io, PDAEMON_IDLE_MASK(i), mask);
	if (s->mode != mode)
		pcounter_wr32(idle->io, PDAEMON_IDLE_MODE(i), mode);
	s->mask = mask;
	s->mode = mode;
	s->kept = 0;
	s->client.placed = false;
	s->unit.state = PCOUNTER_UNIT_PROGRAMMED;
	s->unit.fault = PCOUNTER_OK;
}

static bool idle_is_used(const struct pcounter_idle_slot *s)
{
	return s->client.refs || s->client.leaving;
}

static bool idle_counts(const struct pcounter_idle_slot *s)
{
	return idle_is_used(s) && s->unit.state == PCOUNTER_UNIT_PROGRAMMED;
}

/* Return true for a slot that is ours, and that no event needs. */
static bool idle_is_spare(const struct pcounter_idle_slot *s)
{
	return !idle_is_used(s) && s->unit.state != PCOUNTER_UNIT_FREE;
}

/*
 * If another driver clears all counters again and again, a running counter may look right.
 * The guard shows a clear: it is an unused counter that has run for a moment. Return its
 * slot, the number of slots if there is none.
 */
static unsigned int idle_guard(struct pcounter_idle *idle)
{
	unsigned int i, spare = idle->nr;

	for (i = 0; idle->claimed && i < idle->nr; i++) {
		if (idle->slot[i].kept)
			return i;
		if (idle_is_spare(&idle->slot[i]))
			spare = i;
	}
	if (spare < idle->nr) {
		idle_program(idle, spare, 0, PCOUNTER_IDLE_ALWAYS);
		idle_program(idle, spare, 0, PCOUNTER_IDLE_OFF);
		idle->slot[spare].kept = pcounter_rd32(idle->io, PDAEMON_IDLE_COUNT(spare));
	}
	return spare;
}

/* Return true if the guard was cleared. It is no guard any more then, nor if somebody took it. */
static bool idle_check_guard(struct pcounter_idle *idle, unsigned int guard)
{
	enum pcounter_fault fault;

	if (guard == idle->nr ||
	    idle->slot[guard].kept == pcounter_rd32(idle->io, PDAEMON_IDLE_COUNT(guard)))
		return false;
	fault = idle_inspect(idle, guard);
	idle_stop(&idle->slot[guard], fault);
	return fault == PCOUNTER_OK;
}

/* Share the slot of an equal request, else reuse one that has its settings, else take any. */
static int idle_find(const struct pcounter_idle *idle, u32 mask, u32 mode)
{
	int found = -ENOSPC, same = -ENOSPC;
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		const struct pcounter_idle_slot *s = &idle->slot[i];
		bool is_same = s->mask == mask && s->mode == mode;

		if (idle_counts(s) && is_same)
			return i;
		if (!idle_is_spare(s))
			continue;
		if (same < 0 && is_same)
			same = i;
		if (found < 0)
			found = i;
	}
	return same < 0 ? found : same;
}

/**
 * pcounter_idle_add() - get a counter; the GPU's lock is held
 * @idle: the counters
 * @mask: which signals
 * @mode: enum pcounter_idle_mode
 *
 * Events with equal requests share a counter. A counter begins to count for an
 * event at the next pcounter_idle_latch().
 *
 * Return: its slot; -ENOSPC if none is free, -EIO if PDAEMON does not answer.
 */
int pcounter_idle_add(struct pcounter_idle *idle, u32 mask, u32 mode)
{
	struct pcounter_idle_slot *s;
	int slot;

	if (!idle->claimed)
		idle->claimed = idle_detect(idle);
	if (!idle->claimed)
		return -EIO;
	do {
		slot = idle_find(idle, mask, mode);
		if (slot < 0)
			return slot;
		s = &idle->slot[slot];
		if (!idle_is_used(s))
			idle_program(idle, slot, mask, mode);
	} while (s->unit.fault == PCOUNTER_FAULT_TAKEN);
	if (s->unit.fault)
		return -EIO;
	s->client.refs++;
	return slot;
}

/*
 * A counter that stands at its maximum may have stopped there (no document
 * says); a running counter reads like that once in 2^31 reads.
 */
static enum pcounter_fault idle_credit(struct pcounter_idle_slot *s, u64 now)
{
	struct pcounter_client *client = &s->client;
	u32 val = client->now & PDAEMON_IDLE_COUNT_VALUE;
	u32 step = (val - client->last) & PDAEMON_IDLE_COUNT_VALUE;

	if (pcounter_is_dead(client->now))
		return PCOUNTER_FAULT_DEAD;
	if (val == PDAEMON_IDLE_COUNT_VALUE)
		return PCOUNTER_FAULT_FULL;
	if (client->placed && step >= IDLE_MAX_STEP)
		return PCOUNTER_FAULT_CLEARED;
	if (client->placed)
		client->total += step;
	client->last = val;
	client->last_ns = now;
	client->placed = true;
	return PCOUNTER_OK;
}

/* Read the counts one right after the other; return how long a read took. */
static u64 idle_read(struct pcounter_idle *idle)
{
	u64 began = ktime_get_mono_fast_ns();
	unsigned int i, n = 0;

	for (i = 0; i < idle->nr; i++) {
		if (!idle_counts(&idle->slot[i]))
			continue;
		idle->slot[i].client.now = pcounter_rd32(idle->io, PDAEMON_IDLE_COUNT(i));
		n++;
	}
	return n ? div_u64(idle->io->ended - began, n) : 0;
}

/*
 * There is no latch. If the processor pauses between two reads (a hypervisor, firmware),
 * the counts are of two moments: read them again.
 */
static void idle_read_at_once(struct pcounter_idle *idle)
{
	unsigned int tries = 0;
	u64 took;

	do
		took = idle_read(idle);
	while (took > IDLE_PAUSE * idle->read_ns && ++tries < IDLE_TRIES);
	if (took)
		idle->read_ns = min(idle->read_ns ?: took, took);
}

/**
 * pcounter_idle_latch() - update the totals of all counters in use
 * @idle: the counters; the GPU's lock is held
 *
 * Read all counts one right after the other, and check them afterwards.
 *
 * Return: true if a counter has stopped.
 */
bool pcounter_idle_latch(struct pcounter_idle *idle)
{
	unsigned int i, guard = idle_guard(idle);
	bool stopped = false, cleared;

	idle_read_at_once(idle);
	cleared = idle_check_guard(idle, guard);
	for (i = 0; i < idle->nr; i++) {
		struct pcounter_idle_slot *s = &idle->slot[i];
		enum pcounter_fault fault;

		if (!idle_counts(s))
			continue;
		fault = idle_inspect(idle, i);
		if (fault == PCOUNTER_OK && cleared && s->client.placed)
			fault = PCOUNTER_FAULT_CLEARED;
		if (fault == PCOUNTER_OK)
			fault = idle_credit(s, idle->io->ended);
		if (fault == PCOUNTER_OK)
			continue;
		idle_stop(s, fault);
		stopped = true;
	}
	return stopped;
}

/**
 * pcounter_idle_forget() - invalidate all counters: the GPU sleeps, has slept, or was reset
 * @idle: the counters; the GPU's lock is held
 *
 * The sleep or the reset may have caused a fault that is not in the log yet. perf has to
 * remove all events, and add them again.
 */
void pcounter_idle_forget(struct pcounter_idle *idle)
{
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		struct pcounter_idle_slot *s = &idle->slot[i];

		idle_lose(s);
		if (!s->unit.logged)
			s->unit.fault = PCOUNTER_OK;
	}
}

/**
 * pcounter_idle_restore() - restore the registers after the close of the last event
 * @idle: the counters; the GPU's lock is held
 * @awake: registers may be touched; otherwise their values are assumed lost
 *
 * The driver uses only counters that were off, so it switches them off.
 */
void pcounter_idle_restore(struct pcounter_idle *idle, bool awake)
{
	unsigned int i;

	for (i = 0; i < idle->nr; i++) {
		struct pcounter_idle_slot *s = &idle->slot[i];

		if (awake && s->mode != PCOUNTER_IDLE_OFF &&
		    idle_inspect(idle, i) == PCOUNTER_OK) {
			pcounter_wr32(idle->io, PDAEMON_IDLE_MODE(i), PCOUNTER_IDLE_OFF);
			pcounter_wr32(idle->io, PDAEMON_IDLE_MASK(i), 0);
		}
		idle_stop(s, PCOUNTER_FAULT_PDAEMON_RESET);
		s->unit.fault = PCOUNTER_OK;
	}
	idle->claimed = false;
}
