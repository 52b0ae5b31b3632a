// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nv40-pcounter layout (NV40:GF100).
 * Facts: hw:registers/nv40, hw:inputs, hw:modes.
 */
#include <linux/bitops.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/registers.h"
#include "hw/regs.h"

static void nv40_drive_flag(const struct pcounter_block *b, bool level)
{
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, level ? 0 : NV40_OP_TABLE);
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG, level ? NV40_OP_TABLE : 0);
}

/*
 * The flag is the only trailer signal that software can change. It follows SETFLAG by
 * two domain clocks, less than one register read unless the clock is slow.
 */
static u16 nv40_trailer_probe(const struct pcounter_block *b, const struct pcounter_image *img)
{
	u16 base = pcounter_probe_levels(b, BIT(NV40_TRAILER_FLAG(b->nr)), 0, nv40_drive_flag);

	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG, 0);
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, 0);
	return base;
}

/* ---- record mode, G84:GF100 ---- */

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
	return ctrl != PCOUNTER_DEAD && (ctrl & c->mode) == (c->record & c->mode);
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
 * A position may equal an error pattern of GF100+, which has no such register, so only
 * PCOUNTER_DEAD shows that the GPU did not answer.
 *
 * Return: true if it has, false if the GPU did not answer.
 */
bool pcounter_status_fault(u32 status)
{
	return status != PCOUNTER_DEAD && status & NV40_RECORD_STATUS_FAULT;
}

/**
 * pcounter_record_bind() - bind a channel and a DMA object
 * @io: the GPU
 * @chan: RECORD_CHAN: the channel's descriptor; nothing is bound without VALID
 * @dma: RECORD_DMA: the object's selector
 *
 * RECORD_CHAN binds both, so it comes last.
 */
void pcounter_record_bind(struct pcounter_io *io, u32 chan, u32 dma)
{
	pcounter_wr32(io, NV40_RECORD_DMA, dma);
	pcounter_wr32(io, NV40_RECORD_CHAN, chan);
}

/* ---- the table ---- */

#define AT(addr)		{ .base = addr, .stride = sizeof(u32) }
#define AT_INPUTS(pre)		{ .base = pre, .stride = sizeof(u32), .input_stride = 0x40 }
#define AT_IF(addr, needs)	{ .base = addr, .stride = sizeof(u32), .caps = needs }

const struct pcounter_reg_table pcounter_nv40 = {
	.layout = "nv40-pcounter",
	/* Shader clocks are known to reach 1.5 GHz; the driver assumes a bound of 2 GHz. */
	.max_clock_hz = 2000000000,
	.at = {
		[PCOUNTER_REG_SRC ... PCOUNTER_REG_SRC + PCOUNTER_STOP] = AT_INPUTS(0x00a400),
		/* writing PRE's in quad mode swaps on G84:GF100 */
		[PCOUNTER_REG_OP ... PCOUNTER_REG_OP + PCOUNTER_STOP] = AT_INPUTS(0x00a420),
		[PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG] = AT(0x00a500),
		[PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG] = AT(0x00a520),
		[PCOUNTER_REG_CTR + PCOUNTER_PRE] = AT(0x00a700),
		[PCOUNTER_REG_CTR + PCOUNTER_START] = AT(0x00a6c0),
		[PCOUNTER_REG_CTR + PCOUNTER_EVENT] = AT(0x00a680),
		[PCOUNTER_REG_CTR + PCOUNTER_STOP] = AT(0x00a740),
		[PCOUNTER_REG_CYCLES] = AT(0x00a600),
		[PCOUNTER_REG_CYCLES_ALT] = AT(0x00a640),
		[PCOUNTER_REG_CTRL] = AT(0x00a7c0),
		[PCOUNTER_REG_ACK] = AT(0x00a7e0),
		[PCOUNTER_REG_THRESHOLD] = AT(0x00a780),
		/* documented from G84 on; an experiment also uses it before */
		[PCOUNTER_REG_SWAP_SRC] = AT(0x00a560),
		[PCOUNTER_REG_SIG_STATUS] = { .base = 0x00a800, .stride = 0x20 },
		[PCOUNTER_REG_SRC_STATUS] = AT(0x00a540),
		[PCOUNTER_REG_USER] = AT_IF(0x00a580, PCOUNTER_CAP_USER),
		[PCOUNTER_REG_TRIGGER] = { .base = NV_PGRAPH_DEBUG_1 },
		[PCOUNTER_REG_PERIODIC] = { .base = NV40_GCTRL, .caps = PCOUNTER_CAP_PERIODIC },
		[PCOUNTER_REG_RECORD_HIGH] = AT_IF(0x00a6a0, PCOUNTER_CAP_RECORD_HIGH),
		[PCOUNTER_REG_RECORD_LIMIT] = AT_IF(0x00a720, PCOUNTER_CAP_RECORD),
		[PCOUNTER_REG_RECORD_START] = AT_IF(0x00a760, PCOUNTER_CAP_RECORD),
		[PCOUNTER_REG_RECORD_STATUS] = AT_IF(0x00a6e0, PCOUNTER_CAP_RECORD),
	},
	.ctrl = { {
		/* undocumented bits included, but not the states and FAULT_CLEAR */
		.preserve_mask = ~(u32)(GENMASK(25, 24) | BIT(27) | GENMASK(29, 28)),
		.mode = GENMASK(1, 0),
		.quad = 1,
		.record = 2,			/* G84:GF100 */
		.brief = BIT(20),			/* G84:GF100 */
		.ctr = GENMASK(6, 4),
		.all = BIT(8),
		.evpulse = BIT(11),
		.flagpulse = BIT(13),
		.periodic = GENMASK(23, 21),		/* G84:GF100 */
		.quad_state = GENMASK(25, 24),
		.single_state = GENMASK(29, 28),
		.ack = BIT(0),
	} },
	.swap_kept = NV40_SPEC_SRC_UNK8,
	.user_levels = GENMASK(1, 0),
	.user_pulses = 2,
	.life = pcounter_life_of_signals,
	.trailer_probe = nv40_trailer_probe,
};
