// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of record mode, G84:GF100: modes of domains, the engine's reset,
 * and the TLB.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "hw/regs.h"

/* ---- PCOUNTER ---- */

/**
 * pcounter_ctrl_records() - check if a domain is in record mode
 * @b: the domain
 * @config: set to its CTRL, without read-only bits
 *
 * Return: true if it is; false also if the GPU does not answer.
 */
bool pcounter_ctrl_records(const struct pcounter_block *b, u32 *config)
{
	const struct pcounter_ctrl *c = &b->gen->table->ctrl[0];
	u32 ctrl = pcounter_reg_read(b, PCOUNTER_REG_CTRL);

	*config = ctrl & pcounter_ctrl_config(b->gen);
	return ctrl != PCOUNTER_DEAD && (ctrl & c->mode) == c->record;
}

/**
 * pcounter_ctrl_in_quad() - change a configuration to quad mode
 * @b: the domain
 * @config: from pcounter_ctrl_records()
 *
 * Return: the value for its CTRL.
 */
u32 pcounter_ctrl_in_quad(const struct pcounter_block *b, u32 config)
{
	return (config & ~b->gen->table->ctrl[0].mode) | b->gen->table->ctrl[0].quad;
}

/**
 * pcounter_ctrl_reset() - hold the counters of all domains at 0, or release them
 * @io: the GPU
 * @hold: true to hold them
 *
 * Return: true if they were held before; @hold if the GPU does not answer.
 */
bool pcounter_ctrl_reset(struct pcounter_io *io, bool hold)
{
	u32 gctrl = pcounter_rd32(io, NV40_GCTRL);
	bool was = gctrl & NV40_GCTRL_RECORD_RESET;

	if (gctrl == PCOUNTER_DEAD)
		return hold;
	if (was != hold)
		pcounter_wr32(io, NV40_GCTRL, gctrl ^ NV40_GCTRL_RECORD_RESET);
	return was;
}

/**
 * pcounter_status_fault() - check if the write of a packet has failed
 * @status: RECORD_STATUS
 *
 * A position may equal an error pattern of GF100+, which has no record mode, so only
 * PCOUNTER_DEAD shows that the GPU did not answer.
 *
 * Return: true if it has, false if the GPU did not answer.
 */
bool pcounter_status_fault(u32 status)
{
	return status != PCOUNTER_DEAD && status & NV40_RECORD_STATUS_FAULT;
}

/**
 * pcounter_record_set_window() - set a domain's address bits and limit for packets
 * @b: the domain
 * @high: bits 32 to 39 of addresses; before G92 they are 0 (hw:modes/record)
 * @limit: RECORD_LIMIT
 */
void pcounter_record_set_window(const struct pcounter_block *b, u32 high, u32 limit)
{
	if (b->gen->caps & PCOUNTER_CAP_RECORD_HIGH)
		pcounter_reg_write(b, PCOUNTER_REG_RECORD_HIGH, high);
	pcounter_reg_write(b, PCOUNTER_REG_RECORD_LIMIT, limit);
}

/**
 * pcounter_record_load() - read the bound channel and DMA object
 * @io: the GPU
 * @chan: set to RECORD_CHAN
 * @dma: set to RECORD_DMA
 */
void pcounter_record_load(struct pcounter_io *io, u32 *chan, u32 *dma)
{
	*chan = pcounter_rd32(io, NV40_RECORD_CHAN);
	*dma = pcounter_rd32(io, NV40_RECORD_DMA);
}

/**
 * pcounter_record_bind() - bind a channel and a DMA object
 * @io: the GPU
 * @chan: the channel's descriptor
 * @dma: the object's selector
 *
 * RECORD_CHAN binds both, so it comes last.
 */
void pcounter_record_bind(struct pcounter_io *io, u32 chan, u32 dma)
{
	pcounter_wr32(io, NV40_RECORD_DMA, dma);
	pcounter_wr32(io, NV40_RECORD_CHAN, chan | NV40_RECORD_CHAN_VALID);
}

/**
 * pcounter_record_unbind() - restore both registers without binding anything
 * @io: the GPU
 * @chan: the old RECORD_CHAN
 * @dma: the old RECORD_DMA
 */
void pcounter_record_unbind(struct pcounter_io *io, u32 chan, u32 dma)
{
	pcounter_wr32(io, NV40_RECORD_DMA, dma);
	pcounter_wr32(io, NV40_RECORD_CHAN, chan & ~NV40_RECORD_CHAN_VALID);
	/* writes are posted: a read waits until they have arrived */
	pcounter_rd32(io, NV40_RECORD_CHAN);
}

/* ---- the MMU ---- */

/**
 * pcounter_tlb_flush() - flush all translations of an engine
 * @io: the GPU; the caller keeps interrupts off
 * @engine: the engine
 * @begun: set to true, unless another flush is in progress or the GPU does not answer:
 *	then there is no write
 *
 * Return: the register's value afterwards.
 */
u32 pcounter_tlb_flush(struct pcounter_io *io, u32 engine, bool *begun)
{
	u32 state = pcounter_rd32(io, G80_VM_FLUSH);

	if (state & G80_VM_FLUSH_BUSY)
		return state;
	*begun = true;
	pcounter_wr32(io, G80_VM_FLUSH,
		      FIELD_PREP(G80_VM_FLUSH_ENGINE, engine) | G80_VM_FLUSH_BUSY);
	return pcounter_rd32(io, G80_VM_FLUSH);
}
