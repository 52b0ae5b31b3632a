// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of record mode, G84:GF100: modes of domains, the engine's reset, and the
 * TLB.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/regs.h"

/* ---- PCOUNTER ---- */

/**
 * pcounter_ctrl_records() - is a domain in record mode?
 * @io: the GPU
 * @block: the domain
 * @config: set to what its CTRL holds, without what cannot be written
 *
 * Return: true if so; false as well if the GPU does not answer.
 */
bool pcounter_ctrl_records(struct pcounter_io *io, unsigned int block, u32 *config)
{
	u32 ctrl = pcounter_rd32(io, NV40_CTRL(block));

	*config = ctrl & NV40_CTRL_CONFIG;
	return ctrl != PCOUNTER_DEAD && (ctrl & NV40_CTRL_MODE) == NV40_CTRL_MODE_RECORD;
}

/**
 * pcounter_ctrl_in_quad() - the same configuration, but in quad mode
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
 * @config: what its CTRL is to hold
 */
void pcounter_ctrl_write(struct pcounter_io *io, unsigned int block, u32 config)
{
	pcounter_wr32(io, NV40_CTRL(block), config);
}

/**
 * pcounter_ctrl_reset() - hold the counters of all domains at 0, or let them count
 * @io: the GPU
 * @hold: which of both
 *
 * Return: whether they were held before; @hold if the GPU does not answer.
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
 * pcounter_status_dead() - did nobody answer?
 * @status: from record_status() of the layout
 *
 * A position may be what GF100+, which has no record mode, returns for errors.
 *
 * Return: true if so.
 */
bool pcounter_status_dead(u32 status)
{
	return status == PCOUNTER_DEAD;
}

/**
 * pcounter_status_fault() - could a packet not be written?
 * @status: from record_status() of the layout
 *
 * Return: true if so.
 */
bool pcounter_status_fault(u32 status)
{
	return status & NV40_RECORD_STATUS_FAULT;
}

/**
 * pcounter_status_position() - where the next packet goes
 * @status: from record_status() of the layout
 *
 * Return: bits 0 to 31 of the address.
 */
u32 pcounter_status_position(u32 status)
{
	return status & NV40_RECORD_STATUS_POSITION;
}

/* ---- the MMU ---- */

/**
 * pcounter_tlb_pd_offset() - where in a channel the MMU looks for the page directory
 * @io: the GPU
 *
 * Return: the register as it reads.
 */
u32 pcounter_tlb_pd_offset(struct pcounter_io *io)
{
	return pcounter_rd32(io, G84_VM_PD_OFFSET);
}

/**
 * pcounter_tlb_flush() - let an engine forget all translations
 * @io: the GPU; without an interrupt between the accesses
 * @engine: the engine
 * @state: set to what pcounter_tlb_state() returns afterwards
 *
 * Return: false if another flush is in progress, or the GPU does not answer; nothing
 * is written then.
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
 * pcounter_tlb_state() - how far a TLB flush is, and of which engine
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
 * pcounter_tlb_busy() - is a flush in progress?
 * @state: from pcounter_tlb_state()
 *
 * Return: true if so.
 */
bool pcounter_tlb_busy(u32 state)
{
	return state & G80_VM_FLUSH_BUSY;
}

/**
 * pcounter_tlb_engine() - which engine's flush is it, or was it?
 * @state: from pcounter_tlb_state()
 *
 * Return: the engine's number; without a flush 0 may say nothing.
 */
u32 pcounter_tlb_engine(u32 state)
{
	return FIELD_GET(G80_VM_FLUSH_ENGINE, state);
}
