// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why domains stop counting. gpu->lock is held in what takes a domain or a GPU.
 */
#include "count/gpu.h"

static const char *const fault_text[PCOUNTER_FAULTS] = {
	[PCOUNTER_OK] = "ok",
	[PCOUNTER_FAULT_DEAD] = "the GPU does not answer",
	[PCOUNTER_FAULT_FOREIGN_WRITE] = "registers changed by somebody else",
	[PCOUNTER_FAULT_FOREIGN_SWAP] = "a period was ended by somebody else",
	[PCOUNTER_FAULT_SATURATED] = "a counter ran full before it was read",
	[PCOUNTER_FAULT_NO_TRAILER] = "no signal found that could end a period",
	[PCOUNTER_FAULT_NO_CTRL] = "the control register cannot be read",
	[PCOUNTER_FAULT_NOT_KEPT] = "registers do not keep what is written",
	[PCOUNTER_FAULT_SLOW] = "register reads take too long",
	[PCOUNTER_FAULT_RECORD] = "the GPU could not write a packet; it must be reset",
	[PCOUNTER_FAULT_RECORD_LOST] = "recording ended, since the GPU was reset or slept",
	[PCOUNTER_FAULT_POSITION] = "the GPU reports a position that cannot be",
	[PCOUNTER_FAULT_NO_PERIOD] = "the domain's clock runs, but no period ends",
};

/**
 * pcounter_fault_text() - say in words why a domain stopped
 * @fault: the reason
 *
 * Return: a constant string.
 */
const char *pcounter_fault_text(enum pcounter_fault fault)
{
	return fault_text[fault];
}

/**
 * pcounter_domain_fault() - a domain stops counting
 * @d: the domain
 * @fault: why; only the first reason is kept
 */
void pcounter_domain_fault(struct pcounter_domain *d, enum pcounter_fault fault)
{
	if (d->fault != PCOUNTER_OK)
		return;
	d->fault = fault;
	d->news = true;
}

/**
 * pcounter_gpu_take_news() - has a domain stopped counting since the last call?
 * @gpu: the GPU
 *
 * Return: true if so.
 */
bool pcounter_gpu_take_news(struct pcounter_gpu *gpu)
{
	bool news = false;
	unsigned int i;

	for (i = 0; i < gpu->topo.nr; i++) {
		news |= gpu->dom[i].news;
		gpu->dom[i].news = false;
	}
	return news;
}
