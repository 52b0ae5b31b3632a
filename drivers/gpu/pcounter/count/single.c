// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in single event mode: running counters can be read, and differences are
 * added up. They count freely (NV10:NV30); or PRE, START and STOP gate a process, of
 * which a new period may clear a counter.
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "count/gpu.h"

/* Wait a little for a state; return false if it does not show. */
static bool single_wait(struct pcounter_domain *d, enum pcounter_ctrl_state wanted)
{
	enum pcounter_ctrl_state state = pcounter_domain_wait(d, wanted, true);

	if (state >= PCOUNTER_CTRL_FOREIGN)
		pcounter_domain_bad_state(d, state, PCOUNTER_FAULT_FOREIGN_WRITE);
	return state == wanted;
}

/*
 * Start a process in steps with distinct states, since a write may show late
 * and with a stopped clock not at all: end the old one; start with a PRE that
 * never comes, which clears the counters; then write PRE's own function.
 * Whether the last write starts once more is disputed (hw:ambiguities/2), and
 * makes no difference here.
 */
static void single_advance(struct pcounter_domain *d)
{
	if (d->phase == PCOUNTER_PHASE_STOPPING &&
	    single_wait(d, PCOUNTER_SINGLE_INACTIVE)) {
		pcounter_start_single(&d->block, &d->hw, PCOUNTER_OP_NEVER);
		d->phase = PCOUNTER_PHASE_ARMING;
	}
	if (d->phase == PCOUNTER_PHASE_ARMING &&
	    single_wait(d, PCOUNTER_SINGLE_WAIT_PRE)) {
		pcounter_start_single(&d->block, &d->hw, d->hw.op[PCOUNTER_PRE]);
		d->phase = PCOUNTER_PHASE_RUNNING;
	}
}

/* The counters restart after a write to the registers. */
static void single_restart(struct pcounter_domain *d)
{
	struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		client->last = 0;
	d->phase = PCOUNTER_PHASE_STOPPING;
	single_advance(d);
}

/* Read the counter of a client, 0 if it has none; return false if the value is not valid. */
static bool single_value(const struct pcounter_domain *d, enum pcounter_ctrl_state state, int slot,
			 u64 *val)
{
	bool process = pcounter_domain_is_process(d);

	*val = 0;
	if (slot >= PCOUNTER_SLOTS)
		return true;
	/* CTR_PRE counts down first, then it holds the EXTRA sum */
	if (process && slot == PCOUNTER_PRE &&
	    (!(pcounter_sum_slots(&d->plan.set) & BIT(slot)) ||
	     state == PCOUNTER_SINGLE_WAIT_PRE))
		return true;
	*val = pcounter_read_counter(&d->block, slot);
	if (*val == PCOUNTER_READ_DEAD)
		return false;
	/* no count may go down */
	if (process && slot == PCOUNTER_STOP)
		*val = d->hw.init_stop - *val;
	/* free counters wrap, STOP counts down from any value, and 40 bits do not saturate */
	return !process || slot == PCOUNTER_STOP || d->gpu->gen->caps & PCOUNTER_CAP_CTR_40 ||
	       *val != PCOUNTER_READ_FULL;
}

/* Add the count of a counter since the last read, of a process even if that is negative. */
static void single_count(const struct pcounter_domain *d, struct pcounter_client *client, u64 val)
{
	/* the bit above the mask sticks once the others have wrapped */
	u64 mask = GENMASK_ULL(pcounter_counter_bits(d->block.gen) - 1, 0);

	client->total += (val - client->last) & (pcounter_domain_is_process(d) ? U64_MAX : mask);
	client->last = val;
	client->last_ns = d->block.io->ended;
}

static void single_update(struct pcounter_domain *d)
{
	struct pcounter_client *client;
	enum pcounter_ctrl_state state;

	single_advance(d);
	if (d->phase != PCOUNTER_PHASE_RUNNING)
		return;
	state = pcounter_read_state(&d->block, &d->hw);
	/* only a process ends, when STOP has counted down; a reset looks like that */
	if (state >= PCOUNTER_CTRL_FOREIGN ||
	    (state == PCOUNTER_SINGLE_INACTIVE &&
	     (!pcounter_domain_is_process(d) ||
	      pcounter_read_counter(&d->block, PCOUNTER_STOP) ||
	      pcounter_regs_differ(&d->block, &d->plan, &d->hw)))) {
		pcounter_domain_bad_state(d, state, PCOUNTER_FAULT_FOREIGN_WRITE);
		return;
	}
	for (client = d->client; client < d->client + d->clients; client++) {
		if (!client->placed || single_value(d, state, client->slot, &client->now))
			continue;
		/* all ones: saturated, or the GPU has just gone */
		state = pcounter_read_state(&d->block, &d->hw);
		pcounter_domain_bad_state(d, state, PCOUNTER_FAULT_SATURATED);
		return;
	}
	for (client = d->client; client < d->client + d->clients; client++)
		if (client->placed)
			single_count(d, client, client->now);
	d->lost = false;
	d->snapshot = d->gpu->snapshot;
}

/*
 * Single event mode: any change restarts counting, and an unchanged process
 * goes on: perf reschedules all events whenever one comes or goes.
 */
static void single_program(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	bool was_single = d->mode && d->mode->restart, goes_on, fresh;
	struct pcounter_image img;

	pcounter_domain_encode(d, plan, &img);
	goes_on = was_single && d->plan.process == plan->process &&
		  d->plan.set.mode == plan->set.mode && !memcmp(&img, &d->hw, sizeof(img));
	/* add up the free counts until now */
	if (was_single && !goes_on && pcounter_domain_counts(d))
		single_update(d);
	if (!goes_on)
		pcounter_domain_store(d, &img);
	fresh = pcounter_domain_assign(d, &pcounter_single_mode, plan);
	/* a new client counts from here */
	if (!goes_on)
		single_restart(d);
	else if (fresh)
		single_update(d);
}

const struct pcounter_mode_ops pcounter_single_mode = {
	.program = single_program,
	.update = single_update,
	.restart = single_restart,
};
