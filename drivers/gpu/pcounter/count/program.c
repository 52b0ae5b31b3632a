// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a plan to registers, for modes that are programmed register by register.
 * gpu->lock is held, and the GPU is awake.
 */
#include "count/gpu.h"

/**
 * pcounter_domain_partner() - find the other domain of a pair that shares CTRL
 * @d: the domain
 *
 * Return: the domain, NULL if there is none or it is not in use.
 */
struct pcounter_domain *pcounter_domain_partner(const struct pcounter_domain *d)
{
	const struct pcounter_gpu *gpu = d->gpu;

	if (!(gpu->gen->caps & PCOUNTER_CAP_CTRL_SHARED) || gpu->topo.nr < 2 ||
	    gpu->dom[d->block.nr ^ 1].unit.state == PCOUNTER_UNIT_FREE)
		return NULL;
	return &gpu->dom[d->block.nr ^ 1];
}

/**
 * pcounter_domain_encode() - translate a plan to registers
 * @d: the domain
 * @plan: the plan
 * @img: gets the registers of the plan; inputs without a part in it keep their values
 *
 * A shared CTRL keeps the other domain's counter mode.
 */
void pcounter_domain_encode(const struct pcounter_domain *d, const struct pcounter_plan *plan,
			    struct pcounter_image *img)
{
	const struct pcounter_domain *other;
	u8 ctr = plan->set.ctr;

	*img = d->hw;
	if (d->gpu->gen->caps & PCOUNTER_CAP_CTRL_SHARED)
		img->ctrl = d->gpu->ctrl;
	other = pcounter_domain_partner(d);
	if (other && !ctr && pcounter_domain_counts(other))
		ctr = other->plan.set.ctr;
	pcounter_regs_encode(&d->block, plan, ctr, d->zero, img);
}

/**
 * pcounter_domain_store() - write the registers of a domain
 * @d: the domain
 * @img: the values
 *
 * A CTRL write ends single mode processes of both domains that share it: they
 * begin again after it.
 */
void pcounter_domain_store(struct pcounter_domain *d, const struct pcounter_image *img)
{
	struct pcounter_domain *other = pcounter_domain_partner(d);
	bool hit = other && img->ctrl != d->hw.ctrl && pcounter_domain_counts(other) &&
		   other->mode->restart;

	if (hit)
		other->mode->update(other);
	pcounter_regs_store(&d->block, &d->hw, img);
	d->gpu->ctrl = img->ctrl;
	if (other)
		other->hw.ctrl = img->ctrl;
	if (hit)
		other->mode->restart(other);
}

/**
 * pcounter_domain_hold_periodic() - hold the PERIODIC generators before a domain is programmed
 * @d: the domain
 * @plan: the plan, which may not use PERIODIC
 *
 * The generators of all domains that share a switch start together when the last domain
 * of a group has been programmed. Those that run already are left alone.
 */
void pcounter_domain_hold_periodic(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	const struct pcounter_gpu *gpu = d->gpu;
	const struct pcounter_gen *gen = gpu->gen;
	u32 addr = pcounter_reg_addr(gen, PCOUNTER_REG_PERIODIC, d->block.nr);
	const struct pcounter_domain *other;

	if (!plan->set.periodic || !addr)
		return;
	for (other = gpu->dom; other < gpu->dom + gpu->topo.nr; other++)
		if (pcounter_domain_counts(other) && other->plan.set.periodic &&
		    pcounter_reg_addr(gen, PCOUNTER_REG_PERIODIC, other->block.nr) == addr)
			return;
	if (!pcounter_run_periodic(&d->block, false))
		d->saved_periodic = true;
	d->holds_periodic = true;
}

/**
 * pcounter_gpu_run_periodic() - start the PERIODIC generators that are held
 * @gpu: the GPU
 */
void pcounter_gpu_run_periodic(struct pcounter_gpu *gpu)
{
	struct pcounter_domain *d;

	for (d = gpu->dom; d < gpu->dom + gpu->topo.nr; d++) {
		if (d->holds_periodic)
			pcounter_run_periodic(&d->block, true);
		d->holds_periodic = false;
	}
}

/**
 * pcounter_domain_moves() - check whether a running client gets another counter
 * @d: the domain
 *
 * Return: true if so.
 */
bool pcounter_domain_moves(const struct pcounter_domain *d)
{
	const struct pcounter_client *client;

	for (client = d->client; client < d->client + d->clients; client++)
		if (pcounter_client_counts(client) && client->placed &&
		    client->slot != client->next)
			return true;
	return false;
}

/**
 * pcounter_domain_assign() - note the programmed plan, and which counter each client has
 * @d: the domain
 * @mode: how it counts now
 * @plan: the plan
 *
 * Return: true if a client begins to count.
 */
bool pcounter_domain_assign(struct pcounter_domain *d, const struct pcounter_mode_ops *mode,
			    const struct pcounter_plan *plan)
{
	bool fresh = d->want & PCOUNTER_WANT_BEGIN;
	struct pcounter_client *client;

	pcounter_domain_programmed(d, mode, plan);
	for (client = d->client; client < d->client + d->clients; client++) {
		if (!pcounter_client_counts(client) ||
		    (client->placed && client->slot == client->next))
			continue;
		client->slot = client->next;
		client->placed = true;
		client->since = d->swaps + 1;
		fresh = true;
	}
	return fresh;
}
