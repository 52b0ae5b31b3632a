// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of record mode, G84:GF100: modes of domains, the engine's reset,
 * and the TLB.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/record.h"
#include "hw/regs.h"

/* ---- PCOUNTER ---- */

/**
 * pcounter_ctrl_records() - check if a domain is in record mode
 * @io: the GPU
 * @block: the domain
 * @config: set to its CTRL, without read-only bits
 *
 * Return: true if it is; false also if the GPU does not answer.
 */
bool pcounter_ctrl_records(struct pcounter_io *io, unsigned int block, u32 *config)
{
	u32 ctrl = pcounter_rd32(io, NV40_CTRL(block));

	*config = ctrl & NV40_CTRL_CONFIG;
	return ctrl != PCOUNTER_DEAD && (ctrl & NV40_CTRL_MODE) == NV40_CTRL_MODE_RECORD;
}

/**
 * pcounter_ctrl_in_quad() - change a configuration to quad mode
 * @config: from pcounter_ctrl_records()
 *
 * Return: the value for pcounter_ctrl_write().
 */
u32 pcounter_ctrl_in_quad(u32 config)
{
	return (config & ~NV40_CTRL_MODE) | NV40_CTRL_MODE_QUAD;
}

/**
 * pcounter_ctrl_write() - configure a domain
 * @io: the GPU
 * @block: the domain
 * @config: value for its CTRL
 */
void pcounter_ctrl_write(struct pcounter_io *io, unsigned int block, u32 config)
{
	pcounter_wr32(io, NV40_CTRL(block), config);
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
 * @status: from pcounter_record_status()
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
 * pcounter_status_position() - get the address of the next packet
 * @status: from pcounter_record_status()
 *
 * Return: bits 0 to 31 of the address.
 */
u32 pcounter_status_position(u32 status)
{
	return status & NV40_RECORD_STATUS_POSITION;
}

/**
 * pcounter_record_set_window() - set a domain's address bits and limit for packets
 * @gen: the generation; before G92 bits 32 to 39 are 0 (hw:modes/record)
 * @io: the GPU
 * @block: the domain
 * @high: bits 32 to 39 of addresses
 * @limit: RECORD_LIMIT
 */
void pcounter_record_set_window(const struct pcounter_gen *gen, struct pcounter_io *io,
				unsigned int block, u32 high, u32 limit)
{
	if (gen->caps & PCOUNTER_CAP_RECORD_HIGH)
		pcounter_wr32(io, NV40_RECORD_ADDRESS_HIGH(block), high);
	pcounter_wr32(io, NV40_RECORD_LIMIT(block), limit);
}

/**
 * pcounter_record_set_position() - set a domain's position, and enable recording
 * @io: the GPU
 * @block: the domain
 * @position: bits 0 to 31 of the address
 */
void pcounter_record_set_position(struct pcounter_io *io, unsigned int block, u32 position)
{
	pcounter_wr32(io, NV40_RECORD_START(block), position);
}

/**
 * pcounter_record_status() - read a domain's position and fault
 * @io: the GPU
 * @block: the domain
 *
 * Return: RECORD_STATUS, for pcounter_status_fault() and pcounter_status_position();
 * PCOUNTER_DEAD if the GPU does not answer.
 */
u32 pcounter_record_status(struct pcounter_io *io, unsigned int block)
{
	return pcounter_rd32(io, NV40_RECORD_STATUS(block));
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
 * pcounter_tlb_pd_offset() - read the page directory's offset in a channel
 * @io: the GPU
 *
 * Return: the register as it reads.
 */
u32 pcounter_tlb_pd_offset(struct pcounter_io *io)
{
	return pcounter_rd32(io, G84_VM_PD_OFFSET);
}

/**
 * pcounter_tlb_flush() - flush all translations of an engine
 * @io: the GPU; the caller keeps interrupts off
 * @engine: the engine
 * @state: set to the state afterwards, as by pcounter_tlb_state()
 *
 * Return: false if another flush is in progress or the GPU does not answer, without a
 * write.
 */
bool pcounter_tlb_flush(struct pcounter_io *io, u32 engine, u32 *state)
{
	*state = pcounter_rd32(io, G80_VM_FLUSH);
	if (*state & G80_VM_FLUSH_BUSY)
		return false;
	pcounter_wr32(io, G80_VM_FLUSH,
		      FIELD_PREP(G80_VM_FLUSH_ENGINE, engine) | G80_VM_FLUSH_BUSY);
	*state = pcounter_rd32(io, G80_VM_FLUSH);
	return true;
}

/**
 * pcounter_tlb_state() - read progress and engine of a TLB flush
 * @io: the GPU
 *
 * Return: the state, for the two functions below; PCOUNTER_DEAD if the GPU does not
 * answer.
 */
u32 pcounter_tlb_state(struct pcounter_io *io)
{
	return pcounter_rd32(io, G80_VM_FLUSH);
}

/**
 * pcounter_tlb_busy() - check if a flush is in progress
 * @state: from pcounter_tlb_state()
 *
 * Return: true if it is.
 */
bool pcounter_tlb_busy(u32 state)
{
	return state & G80_VM_FLUSH_BUSY;
}

/**
 * pcounter_tlb_engine() - get the engine of the current or last flush
 * @state: from pcounter_tlb_state()
 *
 * Return: the engine's number; without a flush 0 may be meaningless.
 */
u32 pcounter_tlb_engine(u32 state)
{
	return FIELD_GET(G80_VM_FLUSH_ENGINE, state);
}
