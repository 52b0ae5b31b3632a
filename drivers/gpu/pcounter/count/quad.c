// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in quad event mode: a swap ends a counting period of all four
 * counters; the published period is read, acknowledged and added up. The driver
 * swaps, or a signal that the events have chosen.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/time64.h>

#include "count/gpu.h"
#include "hw/io.h"

/* How often to look for a period that a signal has ended. */
#define SIGNAL_POLL_NS	NSEC_PER_MSEC

static enum pcounter_ctrl_state quad_state(const struct pcounter_domain *d)
{
	return pcounter_read_state(&d->block, &d->hw);
}

static void quad_fault(struct pcounter_domain *d, enum pcounter_ctrl_state state)
{
	pcounter_domain_bad_state(d, state, state == PCOUNTER_QUAD_VALID ?
				  PCOUNTER_FAULT_SATURATED : PCOUNTER_FAULT_FOREIGN_SWAP);
}

/* OVERFLOW is two acknowledges from EMPTY, and EMPTY stays. */
static void quad_ack_all(const struct pcounter_domain *d)
{
	pcounter_ack_period(&d->block, d->gpu->ack_swapped);
	pcounter_ack_period(&d->block, d->gpu->ack_swapped);
}

/*
 * Acknowledge a period that has been read. Documents disagree which bit is for
 * which domain on NV30:NV40: the first acknowledge shows it.
 */
static void quad_ack(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;

	pcounter_ack_period(&d->block, gpu->ack_swapped);
	if (!(gpu->gen->caps & PCOUNTER_CAP_ACK_SHARED) || gpu->ack_known)
		return;
	if (pcounter_domain_wait(d, PCOUNTER_QUAD_VALID, false) == PCOUNTER_QUAD_VALID) {
		gpu->ack_swapped = !gpu->ack_swapped;
		pcounter_ack_period(&d->block, gpu->ack_swapped);
		if (pcounter_domain_wait(d, PCOUNTER_QUAD_VALID, false) == PCOUNTER_QUAD_VALID)
			return;
	}
	gpu->ack_known = true;
}

/*
 * Return true if the state is EMPTY. An earlier owner may have left any state, and writes,
 * also to CTRL, may take effect late.
 */
static bool quad_drain(struct pcounter_domain *d)
{
	struct pcounter_gpu *gpu = d->gpu;
	enum pcounter_ctrl_state state;

	quad_ack_all(d);
	if (gpu->gen->caps & PCOUNTER_CAP_ACK_SHARED && !gpu->ack_known &&
	    gpu->topo.nr > 1)
		quad_ack_all(&gpu->dom[d->block.nr ^ 1]);
	state = pcounter_domain_wait(d, PCOUNTER_QUAD_EMPTY, true);
	if (state >= PCOUNTER_CTRL_FOREIGN)
		quad_fault(d, state);
	d->phase = state == PCOUNTER_QUAD_EMPTY ? PCOUNTER_PHASE_EMPTY :
						  PCOUNTER_PHASE_UNKNOWN;
	return state == PCOUNTER_QUAD_EMPTY;
}

/* Read the counters of the published period; return false if one is full. */
static bool read_period(struct pcounter_domain *d)
{
	struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++) {
		client->now = 0;
		if (!pcounter_period_is_whole(d, client) || client->slot >= PCOUNTER_SLOTS)
			continue;
		client->now = (u32)pcounter_read_counter(&d->block, client->slot);
		if (client->now == PCOUNTER_READ_FULL)
			return false;
	}
	return true;
}

/* Add the counts of the period that has been read. */
static void add_period(struct pcounter_domain *d)
{
	struct pcounter_client *client;

	quad_ack(d);
	for (client = d->client; client < d->client + d->clients; client++) {
		client->total += client->now;
		if (pcounter_period_is_whole(d, client))
			client->last_ns = d->gpu->io->ended;
	}
	d->phase = PCOUNTER_PHASE_EMPTY;
	d->lost = false;
	d->snapshot = d->gpu->snapshot;
}

/* Return true if a value of the period that has been read may be an error pattern. */
static bool may_be_dead(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if (pcounter_is_dead(client->now))
			return true;
	return false;
}

/* Return true if all values of the period that has been read are 0. */
static bool is_all_zero(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;
	bool read = false;

	for (client = d->client; client < d->client + d->clients; client++) {
		if (client->now)
			return false;
		read |= pcounter_period_is_whole(d, client);
	}
	return read;
}

/*
 * Return true if the state must be read again after the values. A command stream may
 * have swapped in between where the trigger is shared, and a value may be an error
 * pattern, or a read that timed out.
 */
static bool look_again(const struct pcounter_domain *d)
{
	const struct pcounter_gen *gen = d->gpu->gen;

	return gen->caps & PCOUNTER_CAP_SWAP_SHARED ||
	       (gen->caps & PCOUNTER_CAP_READS_ZERO && is_all_zero(d)) || may_be_dead(d);
}

/* Read the period of the driver's last swap, if @state shows it. */
static void quad_take(struct pcounter_domain *d, enum pcounter_ctrl_state state)
{
	bool good = true;

	/* Clock stopped or slow: the counts are still in the counters. */
	if (state == PCOUNTER_QUAD_EMPTY)
		return;
	if (state == PCOUNTER_QUAD_VALID) {
		good = read_period(d);
		/* all ones: saturated, or the GPU has just gone */
		if (!good || look_again(d))
			state = quad_state(d);
	}
	if (state == PCOUNTER_QUAD_VALID && good)
		add_period(d);
	else
		quad_fault(d, state);
}

/* Read the period that the driver's last swap has published, after a little while. */
static void quad_read(struct pcounter_domain *d)
{
	quad_take(d, pcounter_domain_wait(d, PCOUNTER_QUAD_EMPTY, false));
}

/* Read the period of the last swap; return true if it has shown, so that a domain can swap. */
static bool quad_make_ready(struct pcounter_domain *d)
{
	if (d->unit.fault != PCOUNTER_OK)
		return false;
	if (d->phase == PCOUNTER_PHASE_SWAPPED)
		quad_take(d, quad_state(d));
	if (d->unit.fault != PCOUNTER_OK || d->phase == PCOUNTER_PHASE_SWAPPED)
		return false;
	return d->phase == PCOUNTER_PHASE_EMPTY || quad_drain(d);
}

/* Read the period that a swap has just ended. */
static void quad_swapped(struct pcounter_domain *d)
{
	d->swaps++;
	d->phase = PCOUNTER_PHASE_SWAPPED;
	quad_read(d);
}

/* Return true if a domain counts, and the driver ends its periods. */
static bool quad_counts(const struct pcounter_domain *d)
{
	return pcounter_domain_counts(d) && d->mode->swaps;
}

/* The trigger reaches every domain, so every domain that counts is read. */
static void quad_swap_shared(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;
	u32 ready = 0;
	bool alive;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (quad_counts(d) && quad_make_ready(d))
			ready |= BIT(d->index);
	if (!ready)
		return;
	alive = pcounter_swap_period(&gpu->dom[0].block, NULL);
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (alive && ready & BIT(d->index))
			quad_swapped(d);
		else if (ready & BIT(d->index))
			pcounter_domain_fault(d, PCOUNTER_FAULT_DEAD);
		/* without a pending swap the domain did not expect this period */
		else if (alive && d->phase == PCOUNTER_PHASE_EMPTY)
			d->phase = PCOUNTER_PHASE_UNKNOWN;
	}
}

/**
 * pcounter_quad_swap() - end the running period of a domain that counts
 * @d: the domain; where the trigger is shared, the periods of all end
 */
void pcounter_quad_swap(struct pcounter_domain *d)
{
	if (d->gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED) {
		quad_swap_shared(d->gpu);
	} else if (quad_make_ready(d)) {
		pcounter_swap_period(&d->block, &d->hw);
		quad_swapped(d);
	}
}

/* A number that only a running clock can change, 0 if the hardware shows none. */
static u32 quad_life(const struct pcounter_domain *d)
{
	bool known = d->id->trailer != PCOUNTER_TRAILER_UNKNOWN && !d->id->disputed;

	return d->gpu->gen->table->life(&d->block, known ? d->id->trailer : 0);
}

/**
 * pcounter_quad_watch() - look for domains that run, and end no period
 * @gpu: the GPU
 *
 * Call it once in each poll, after pcounter_quad_swap(). A clock that stands still ends no
 * period, so a domain is at fault only if its clock has run since the last poll. Domains
 * whose periods a signal ends are left out: the signal may never pulse.
 */
void pcounter_quad_watch(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;
	u32 life;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (!quad_counts(d))
			continue;
		life = d->phase == PCOUNTER_PHASE_EMPTY ? 0 : quad_life(d);
		if (life && d->life && life != d->life && d->silent_swaps == d->swaps) {
			if (d->phase == PCOUNTER_PHASE_SWAPPED)
				quad_read(d);
			if (!quad_make_ready(d))
				pcounter_domain_fault(d, PCOUNTER_FAULT_NO_PERIOD);
		}
		d->silent_swaps = d->swaps;
		d->life = life;
	}
}

/* The levels of a domain that is not in use are in its registers only. */
static void user_drive(struct pcounter_domain *d, u32 levels, u32 pulses)
{
	u32 free = d->block.gen->table->user_levels, user = d->hw.user;
	struct pcounter_image now;

	if (d->unit.state == PCOUNTER_UNIT_FREE) {
		pcounter_regs_load(&d->block, &now);
		user = now.user;
	}
	user = pcounter_drive_user(&d->block, user, levels, pulses) & free;
	d->hw.user = (d->hw.user & ~free) | user;
	/* set by a person: stays when the registers are restored */
	d->found.user = (d->found.user & ~free) | user;
}

/**
 * pcounter_quad_user() - drive the USER signals of a domain
 * @d: the domain
 * @levels: levels, bit by bit
 * @pulses: signals that go back to 0 one clock later
 *
 * A pending swap may be a pulse of a USER signal: write only after it has had its clock.
 *
 * Return: 0, -ENODEV if the GPU has left, -EBUSY if it is lent, -EAGAIN if it
 * sleeps or the clock is too slow.
 */
int pcounter_quad_user(struct pcounter_domain *d, u32 levels, u32 pulses)
{
	int err;

	err = pcounter_gpu_refuses(d->gpu);
	if (err)
		return err;
	CLASS(pcounter_hold, awake)(d->gpu);
	if (!awake)
		return -EAGAIN;
	if (d->phase == PCOUNTER_PHASE_SWAPPED && d->unit.fault == PCOUNTER_OK)
		quad_read(d);
	if (d->phase == PCOUNTER_PHASE_SWAPPED || !pcounter_domain_is_known(d))
		return -EAGAIN;
	user_drive(d, levels, pulses);
	return 0;
}

/* ---- swap by signal ---- */

/* Return true if the trigger of a command stream ends the periods of a domain. */
static bool on_trigger(const struct pcounter_domain *d)
{
	return pcounter_domain_counts(d) && d->mode->by_signal &&
	       d->plan.set.swap == d->id->trailer + pcounter_trailer_of(d->gpu->gen->caps)->trigger;
}

/**
 * pcounter_gpu_trigger() - end the periods of all domains whose events ask for the trigger
 * @gpu: the GPU; pcounter_has_trigger() is true
 *
 * The next poll reads the periods. The driver's own periods do not obey the trigger.
 *
 * Return: 0, -ENODEV if the GPU has left, -EBUSY if it is lent, -EAGAIN if it sleeps,
 * -EIO if PGRAPH is off.
 */
int pcounter_gpu_trigger(struct pcounter_gpu *gpu)
{
	int err;

	CLASS(pcounter_ref, ref)(gpu);
	guard(raw_spinlock_irqsave)(&gpu->lock);
	err = pcounter_gpu_refuses(gpu);
	if (err)
		return err;
	CLASS(pcounter_hold, awake)(ref);
	if (!awake)
		return -EAGAIN;
	return pcounter_pull_trigger(&gpu->dom[0].block) ? 0 : -EIO;
}

/* Let clients that began with period @from or later begin with the next period instead. */
static void begin_later(struct pcounter_domain *d, u64 from)
{
	struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if (client->placed && client->since >= from)
			client->since = d->swaps + 1;
}

/*
 * List the domains whose periods end together with the periods of @d: for the trigger
 * all domains that use it, for another signal only @d. Return the number of domains.
 */
static unsigned int signal_domains(const struct pcounter_domain *d, u8 list[PCOUNTER_MAX_DOMAINS])
{
	const struct pcounter_domain *other;
	unsigned int n = 0;

	for (other = d->gpu->dom; other < d->gpu->dom + d->gpu->topo.nr; other++)
		if (other == d || (on_trigger(d) && on_trigger(other)))
			list[n++] = other->index;
	return n;
}

/* Read the period that a signal has ended. Return false if it does not show, or on a fault. */
static bool signal_read(struct pcounter_domain *d, bool *late)
{
	enum pcounter_ctrl_state state = pcounter_domain_wait(d, PCOUNTER_QUAD_EMPTY, false);

	if (state == PCOUNTER_QUAD_EMPTY) {
		*late = true;
		return false;
	}
	if (state == PCOUNTER_QUAD_VALID || state == PCOUNTER_QUAD_OVERFLOW) {
		d->swaps++;
		if (read_period(d))
			return true;
		state = quad_state(d);
	}
	quad_fault(d, state);
	return false;
}

/*
 * Count the periods that the signal of @d has ended: on all domains of the signal or on
 * none, so that the counts of a group on several domains are of one moment. A period counts
 * only if it is read before the next one ends. @late: the signal may have come while the
 * driver programmed one domain after the other.
 */
static void signal_collect(struct pcounter_domain *d, bool late)
{
	struct pcounter_gpu *gpu = d->gpu;
	unsigned int i, n, ended = 0;
	u8 list[PCOUNTER_MAX_DOMAINS];
	bool shows = false, whole = true;

	n = signal_domains(d, list);
	for (i = 0; i < n; i++) {
		gpu->dom[list[i]].snapshot = gpu->snapshot;
		shows = shows || quad_state(&gpu->dom[list[i]]) != PCOUNTER_QUAD_EMPTY;
	}
	if (!shows)
		return;
	for (i = 0; i < n; i++)
		if (signal_read(&gpu->dom[list[i]], &late))
			list[ended++] = list[i];
	/* the signal may have come again since */
	for (i = ended; i-- > 0;)
		whole &= quad_state(&gpu->dom[list[i]]) == PCOUNTER_QUAD_VALID;
	for (i = 0; i < ended; i++) {
		d = &gpu->dom[list[i]];
		if (late)
			begin_later(d, d->swaps);
		if (whole) {
			add_period(d);
		} else {
			d->missed++;
			quad_ack_all(d);
		}
	}
}

static void quad_collect(struct pcounter_domain *d)
{
	/* once in a snapshot for all domains of a trigger */
	if (d->snapshot != d->gpu->snapshot)
		signal_collect(d, false);
}

/*
 * A signal begins to end the periods. The published period and the running one
 * began before, so they count for no client. If a write of PRE_OP ends a period,
 * pcounter_regs_store() has left the write out: swap instead.
 */
static void quad_begin(struct pcounter_domain *d, bool pre_op)
{
	if (pre_op && pcounter_pre_op_swaps(d->gpu->gen))
		pcounter_swap_period(&d->block, &d->hw);
	quad_ack_all(d);
}

/* ---- either kind of swap ---- */

/* End the programming that ran so far: its mode, its signal or its counters change. */
static void quad_finish(struct pcounter_domain *d)
{
	/*
	 * The period in which counters move is counted for no client, or the members of a
	 * group would differ by it: the clock never moves.
	 */
	if (pcounter_domain_moves(d) && pcounter_domain_counts(d)) {
		d->mode->update(d);
		begin_later(d, 0);
	}
	if (!d->mode || !d->mode->swaps)
		d->phase = PCOUNTER_PHASE_UNKNOWN;
}

static void quad_program(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	bool by_signal = d->mode && d->mode->by_signal, pre_op, fresh;
	struct pcounter_image img;

	quad_finish(d);
	pcounter_domain_hold_periodic(d, plan);
	pcounter_domain_encode(d, plan, &img);
	pre_op = img.op[PCOUNTER_PRE] != d->hw.op[PCOUNTER_PRE];
	pcounter_domain_store(d, &img);
	fresh = pcounter_domain_assign(d, plan->set.swap ? &pcounter_signal_mode :
						     &pcounter_quad_mode, plan);
	if (!fresh)
		return;
	if (!plan->set.swap)
		pcounter_quad_swap(d);
	else if (by_signal && !pre_op)
		signal_collect(d, true);
	else
		quad_begin(d, pre_op);
	d->missed += by_signal && pre_op;
}

static u64 quad_collect_ns(const struct pcounter_domain *d)
{
	return SIGNAL_POLL_NS;
}

const struct pcounter_mode_ops pcounter_quad_mode = {
	.swaps = true,
	.program = quad_program,
	.update = pcounter_quad_swap,
};

const struct pcounter_mode_ops pcounter_signal_mode = {
	.by_signal = true,
	.program = quad_program,
	.update = quad_collect,
	.collect = quad_collect,
	.collect_ns = quad_collect_ns,
};
