// SPDX-License-Identifier: GPL-2.0-only
/*
 * State of a domain, and why it has stopped. gpu->lock is held in functions of
 * a domain or a GPU.
 */
#include <linux/delay.h>

#include "count/gpu.h"

const char *const pcounter_fault_text[PCOUNTER_FAULTS] = {
	[PCOUNTER_OK] = "ok",
	[PCOUNTER_FAULT_DEAD] = "the GPU does not answer",
	[PCOUNTER_FAULT_FOREIGN_WRITE] = "registers changed by somebody else",
	[PCOUNTER_FAULT_FOREIGN_SWAP] = "a period was ended by somebody else",
	[PCOUNTER_FAULT_SATURATED] = "a counter ran full before it was read",
	[PCOUNTER_FAULT_NO_TRAILER] = "no signal found that could end a period",
	[PCOUNTER_FAULT_NO_CTRL] = "the control register cannot be read",
	[PCOUNTER_FAULT_NOT_KEPT] = "registers do not keep the written values",
	[PCOUNTER_FAULT_SLOW] = "register reads take too long",
	[PCOUNTER_FAULT_RECORD] = "the GPU could not write a packet; it must be reset",
	[PCOUNTER_FAULT_RECORD_LOST] = "recording ended, since the GPU was reset, slept or left",
	[PCOUNTER_FAULT_POSITION] = "the GPU reports an impossible position",
	[PCOUNTER_FAULT_RECORDS] =
		"records do not have the documented layout, an id of their domain, or a time that goes on",
	[PCOUNTER_FAULT_LATE] = "a record was counted, and did not arrive",
	[PCOUNTER_FAULT_SUMS] =
		"whether counters of records run on cannot be told",
	[PCOUNTER_FAULT_NO_PERIOD] = "the domain's clock runs, but no period ends",
	[PCOUNTER_FAULT_NOT_KNOWN] =
		"registers do not read like a domain's, or PMC.ENABLE disables PCOUNTER; nothing was written",
	[PCOUNTER_FAULT_PDAEMON_RESET] = "PDAEMON was reset",
	[PCOUNTER_FAULT_TAKEN] = "somebody else took the counter",
	[PCOUNTER_FAULT_CLEARED] = "cleared by somebody else or read too late",
	[PCOUNTER_FAULT_FULL] = "the counter is full",
};

/**
 * pcounter_domain_fault() - stop counting in a domain
 * @d: the domain
 * @fault: why; only the first reason is kept
 */
void pcounter_domain_fault(struct pcounter_domain *d, enum pcounter_fault fault)
{
	if (d->unit.fault != PCOUNTER_OK)
		return;
	d->unit.fault = fault;
	d->unit.logged = false;
	d->gpu->want |= PCOUNTER_WANT_CHECK;
}

/**
 * pcounter_domain_bad_state() - stop counting in a domain that is in a wrong state
 * @d: the domain
 * @state: the state
 * @fault: why, unless the state itself is a reason
 */
void pcounter_domain_bad_state(struct pcounter_domain *d, enum pcounter_ctrl_state state,
			       enum pcounter_fault fault)
{
	if (state == PCOUNTER_CTRL_FOREIGN)
		fault = PCOUNTER_FAULT_FOREIGN_WRITE;
	if (state == PCOUNTER_CTRL_DEAD)
		fault = PCOUNTER_FAULT_DEAD;
	pcounter_domain_fault(d, fault);
}

/**
 * pcounter_domain_wait() - wait a little until a domain is in a state, or is not
 * @d: the domain
 * @state: the state
 * @is: false: wait for any other state
 *
 * Writes, also to CTRL, may take effect late.
 *
 * Return: the state that was read last.
 */
enum pcounter_ctrl_state pcounter_domain_wait(const struct pcounter_domain *d,
					      enum pcounter_ctrl_state state, bool is)
{
	enum pcounter_ctrl_state now = pcounter_read_state(&d->block, &d->hw);
	unsigned int i;

	for (i = 1; i < PCOUNTER_SHOW_POLLS && (now == state) != is; i++) {
		if (now == PCOUNTER_CTRL_DEAD)
			break;
		udelay(PCOUNTER_SHOW_POLL_US);
		now = pcounter_read_state(&d->block, &d->hw);
	}
	return now;
}

/**
 * pcounter_gpu_take_resched() - find out whether perf has to add events again
 * @gpu: the GPU
 * @want: PCOUNTER_WANT_RESCHED and PCOUNTER_WANT_CHECK for the events of domains,
 *	PCOUNTER_WANT_RESCHED_IDLE for those of idle counters
 *
 * Return: true if so since the last call.
 */
bool pcounter_gpu_take_resched(struct pcounter_gpu *gpu, u32 want)
{
	u32 found = gpu->want & want;
	const struct pcounter_domain *d;

	gpu->want &= ~want;
	if (found != PCOUNTER_WANT_CHECK)
		return found;
	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++)
		if (d->unit.fault != PCOUNTER_OK)
			return true;
	return false;
}

/**
 * pcounter_gpu_log_fault() - take a fault that is not in the log yet
 * @gpu: the GPU
 * @u: one of its units
 *
 * Each fault is counted and returned once.
 *
 * Return: the fault, PCOUNTER_OK if there is none.
 */
enum pcounter_fault pcounter_gpu_log_fault(struct pcounter_gpu *gpu, struct pcounter_unit *u)
{
	if (u->fault == PCOUNTER_OK || u->logged)
		return PCOUNTER_OK;
	u->logged = true;
	gpu->faults[u->fault]++;
	return u->fault;
}

/**
 * pcounter_domain_counts() - check for requests whose counters run
 * @d: the domain
 *
 * Return: true if there are any, and the domain has not stopped.
 */
bool pcounter_domain_counts(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;

	if (!d->mode || d->unit.fault != PCOUNTER_OK)
		return false;
	for (client = d->client; client < d->client + d->clients; client++)
		if (client->placed)
			return true;
	return false;
}
