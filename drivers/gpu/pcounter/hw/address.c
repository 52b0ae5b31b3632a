// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where registers are, by name. The layouts' own files use the addresses
 * directly; this one serves programs that are data (hw:registers).
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw/address.h"
#include "hw/layout.h"
#include "hw/regs.h"
#include "rules/topo.h"

/* ---- nv10-pcounter ---- */

static u32 nv10_addr(const struct pcounter_gen *gen, unsigned int reg, unsigned int dom)
{
	static const u32 ctr[] = {
		[PCOUNTER_PRE] = NV10_CTR_PRE(0), [PCOUNTER_START] = NV10_CTR_START(0),
		[PCOUNTER_EVENT] = NV10_CTR_EVENT(0), [PCOUNTER_STOP] = NV10_CTR_STOP(0),
	};

	if (reg < PCOUNTER_REG_OP)
		return NV10_SRC(reg - PCOUNTER_REG_SRC, dom);
	if (reg < PCOUNTER_REG_CTR)
		return NV10_OP(reg - PCOUNTER_REG_OP, dom);
	if (reg < PCOUNTER_REG_CYCLES)
		return ctr[reg - PCOUNTER_REG_CTR] + NV10_CTR_PRE(dom) - NV10_CTR_PRE(0);
	switch (reg) {
	case PCOUNTER_REG_CYCLES:
		return NV10_CTR_CYCLES(dom);
	case PCOUNTER_REG_CYCLES_ALT:
		return NV10_CTR_CYCLES_ALT(dom);
	case PCOUNTER_REG_CTRL:
		return NV10_CTRL;
	case PCOUNTER_REG_ACK:
		return NV10_QUAD_ACK_TRIGGER;
	case PCOUNTER_REG_TRIGGER:
		return NV_PGRAPH_DEBUG_1;
	case PCOUNTER_REG_PTIMER:
		return NV_PTIMER_TIME_LOW;
	default:
		return 0;
	}
}

static void nv10_ctrl(unsigned int dom, struct pcounter_ctrl *c)
{
	c->mode = NV10_CTRL_MODE_QUAD(dom);
	c->quad = NV10_CTRL_MODE_QUAD(dom);
	c->ctr = NV10_CTRL_CTR_MODE;
	c->all = NV10_CTRL_EVENT_CTR_PERIOD(dom);
	c->state = NV10_CTRL_QUAD_STATE(dom);
	c->config = c->mode | c->ctr | c->all;
	/* the TV-out pins stay off */
	c->keep = NV10_CTRL_CTR_MODE | NV10_CTRL_EVENT_CTR_PERIOD(0) |
		  NV10_CTRL_EVENT_CTR_PERIOD(1) | NV10_CTRL_MODE_QUAD(0) |
		  NV10_CTRL_MODE_QUAD(1);
}

/* ---- nv40-pcounter ---- */

static u32 nv40_addr(const struct pcounter_gen *gen, unsigned int reg, unsigned int dom)
{
	static const u32 ctr[] = {
		[PCOUNTER_PRE] = NV40_CTR_PRE(0), [PCOUNTER_START] = NV40_CTR_START(0),
		[PCOUNTER_EVENT] = NV40_CTR_EVENT(0), [PCOUNTER_STOP] = NV40_CTR_STOP(0),
	};

	if (reg < PCOUNTER_REG_OP)
		return NV40_SRC(reg - PCOUNTER_REG_SRC, dom);
	if (reg == PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG)
		return NV40_SETFLAG_OP(dom);
	if (reg == PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG)
		return NV40_CLRFLAG_OP(dom);
	if (reg < PCOUNTER_REG_CTR)
		return NV40_OP(reg - PCOUNTER_REG_OP, dom);
	if (reg < PCOUNTER_REG_CYCLES)
		return ctr[reg - PCOUNTER_REG_CTR] + NV40_CTR_PRE(dom) - NV40_CTR_PRE(0);
	switch (reg) {
	case PCOUNTER_REG_CYCLES:
		return NV40_CTR_CYCLES(dom);
	case PCOUNTER_REG_CYCLES_ALT:
		return NV40_CTR_CYCLES_ALT(dom);
	case PCOUNTER_REG_CTRL:
		return NV40_CTRL(dom);
	case PCOUNTER_REG_ACK:
		return NV40_QUAD_ACK_TRIGGER(dom);
	case PCOUNTER_REG_SWAP_SRC:
		return NV40_SPEC_SRC(dom);
	case PCOUNTER_REG_USER:
		return gen->caps & PCOUNTER_CAP_USER ? NV40_USER_TRIGGER(dom) : 0;
	case PCOUNTER_REG_TRIGGER:
		return NV_PGRAPH_DEBUG_1;
	case PCOUNTER_REG_PERIODIC:
		return NV40_GCTRL;
	case PCOUNTER_REG_FLUSH:
		return G80_VM_FLUSH;
	case PCOUNTER_REG_PTIMER:
		return NV_PTIMER_TIME_LOW;
	case PCOUNTER_REG_RECORD_HIGH:
		return gen->caps & PCOUNTER_CAP_RECORD_HIGH ? NV40_RECORD_ADDRESS_HIGH(dom) : 0;
	case PCOUNTER_REG_RECORD_LIMIT:
		return NV40_RECORD_LIMIT(dom);
	case PCOUNTER_REG_RECORD_START:
		return NV40_RECORD_START(dom);
	case PCOUNTER_REG_RECORD_STATUS:
		return NV40_RECORD_STATUS(dom);
	default:
		return 0;
	}
}

static void nv40_ctrl(const struct pcounter_gen *gen, struct pcounter_ctrl *c)
{
	c->mode = NV40_CTRL_MODE;
	c->quad = NV40_CTRL_MODE_QUAD;
	c->record = NV40_CTRL_MODE_RECORD;
	c->brief = NV40_CTRL_RECORD_FORMAT;
	c->ctr = NV40_CTRL_CTR_MODE;
	c->all = NV40_CTRL_EVENT_CTR_PERIOD;
	c->evpulse = NV40_CTRL_EVENT_IMPORT_MODE;
	c->flagpulse = NV40_CTRL_FLAG_IMPORT_MODE;
	c->state = NV40_CTRL_QUAD_STATE;
	c->config = NV40_CTRL_CONFIG;
	c->keep = ~(u32)(NV40_CTRL_QUAD_STATE | NV40_CTRL_SINGLE_STATE | NV40_CTRL_FAULT_CLEAR);
	if (gen->caps & PCOUNTER_CAP_PERIODIC)
		c->periodic = NV40_CTRL_PERIODIC_PERIOD;
	else
		c->config &= ~(NV40_CTRL_RECORD_FORMAT | NV40_CTRL_PERIODIC_PERIOD);
}

/* ---- gf100-pcounter ---- */

static u32 gf100_set_ctrl(unsigned int block)
{
	if (block < GF100_PART_BLOCK)
		return GF100_GPC_SET_CTRL(block / GF100_UNIT_BLOCKS);
	if (block < GF100_HUB_BLOCK)
		return GF100_PART_SET_CTRL((block - GF100_PART_BLOCK) / GF100_UNIT_BLOCKS);
	return GF100_HUB_SET_CTRL;
}

static u32 gf100_slcg(unsigned int which)
{
	static const u32 addr[] = {
		GF100_GPC_SLCG, GF100_PART_SLCG, GF100_HUB_SLCG, GF100_MAIN_SLCG,
	};

	return addr[which];
}

static u32 gf100_disabled(unsigned int which)
{
	static const u32 addr[] = {
		GF100_GPC_DISABLED_HW, GF100_GPC_DISABLED_SW,
		GF100_PART_DISABLED_HW, GF100_PART_DISABLED_SW,
	};

	return addr[which];
}

static u32 gf100_addr(const struct pcounter_gen *gen, unsigned int reg, unsigned int block)
{
	static const u32 ctr[] = {
		[PCOUNTER_PRE] = GF100_CTR_PRE(0), [PCOUNTER_START] = GF100_CTR_START(0),
		[PCOUNTER_EVENT] = GF100_CTR_EVENT(0), [PCOUNTER_STOP] = GF100_CTR_STOP(0),
	};

	if (reg < PCOUNTER_REG_OP)
		return GF100_SRC(reg - PCOUNTER_REG_SRC, block);
	if (reg == PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG)
		return GF100_SETFLAG_OP(block);
	if (reg == PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG)
		return GF100_CLRFLAG_OP(block);
	if (reg < PCOUNTER_REG_CTR)
		return GF100_OP(reg - PCOUNTER_REG_OP, block);
	if (reg < PCOUNTER_REG_CYCLES)
		return ctr[reg - PCOUNTER_REG_CTR] + GF100_CTR_PRE(block) - GF100_CTR_PRE(0);
	if (reg >= PCOUNTER_REG_SLCG && reg < PCOUNTER_REG_FLUSH)
		return gf100_slcg(reg - PCOUNTER_REG_SLCG);
	if (reg >= PCOUNTER_REG_DISABLED && reg < PCOUNTER_REG_PTIMER)
		return gf100_disabled(reg - PCOUNTER_REG_DISABLED);
	switch (reg) {
	case PCOUNTER_REG_CYCLES:
		return GF100_CTR_CYCLES(block);
	case PCOUNTER_REG_CTRL:
		return GF100_CTRL(block);
	case PCOUNTER_REG_ACK:
		return GF100_QUAD_ACK_TRIGGER(block);
	case PCOUNTER_REG_SWAP_SRC:
		return GF100_SWAP_SRC(block);
	case PCOUNTER_REG_USER:
		return GF100_USER_TRIGGER(block);
	case PCOUNTER_REG_MAIN_START:
		return GF100_MAIN_START;
	case PCOUNTER_REG_MAIN_CONFIG:
		return GF100_MAIN_CONFIG;
	case PCOUNTER_REG_FILTER:
		return GF100_FILTER(block);
	case PCOUNTER_REG_PRE_NEXT:
		return GF100_CTR_PRE_NEXT(block);
	case PCOUNTER_REG_PERIODIC:
		return gf100_set_ctrl(block);
	default:
		return 0;
	}
}

static void gf100_ctrl(struct pcounter_ctrl *c)
{
	c->mode = GF100_CTRL_MODE;
	c->off = GF100_CTRL_MODE_HALTED | GF100_CTRL_UNK18;
	c->quad = GF100_CTRL_MODE_QUAD | GF100_CTRL_UNK18;
	c->ctr = GF100_CTRL_CTR_MODE;
	c->all = GF100_CTRL_EVENT_CTR_PERIOD;
	c->evpulse = GF100_CTRL_EVENT_IMPORT_MODE;
	c->flagpulse = GF100_CTRL_FLAG_IMPORT_MODE;
	c->periodic = GF100_CTRL_PERIODIC_PERIOD;
	c->state = GF100_CTRL_QUAD_STATE;
	c->config = GF100_CTRL_CONFIG | GF100_CTRL_UNK18;
	c->keep = ~(u32)(GF100_CTRL_QUAD_STATE | GF100_CTRL_SINGLE_STATE);
}

/* ---- all layouts ---- */

static bool is_nv10(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_CTRL_SHARED;
}

static bool is_gf100(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_SETS;
}

/**
 * pcounter_reg_addr() - where a register is
 * @gen: the generation
 * @reg: enum pcounter_reg; SRC, OP, CTR, SLCG and DISABLED plus a number
 * @block: the domain
 *
 * Return: its BAR0 address, 0 if this layout has none.
 */
u32 pcounter_reg_addr(const struct pcounter_gen *gen, unsigned int reg,
		      unsigned int block)
{
	if (reg >= PCOUNTER_REG_SRC + PCOUNTER_SLOTS && reg < PCOUNTER_REG_OP &&
	    !(gen->caps & PCOUNTER_CAP_OWN_FLAG_SRC))
		return 0;
	if (is_nv10(gen))
		return nv10_addr(gen, reg, block);
	if (is_gf100(gen))
		return gf100_addr(gen, reg, block);
	return nv40_addr(gen, reg, block);
}

/**
 * pcounter_ctrl_of() - where CTRL of a domain has what
 * @gen: the generation
 * @block: the domain
 * @ctrl: gets it; fields that this layout has not are 0
 */
void pcounter_ctrl_of(const struct pcounter_gen *gen, unsigned int block,
		      struct pcounter_ctrl *ctrl)
{
	memset(ctrl, 0, sizeof(*ctrl));
	if (is_nv10(gen))
		nv10_ctrl(block, ctrl);
	else if (is_gf100(gen))
		gf100_ctrl(ctrl);
	else
		nv40_ctrl(gen, ctrl);
	if (!(gen->caps & PCOUNTER_CAP_QUAD))
		ctrl->quad = 0;
}

/**
 * pcounter_reg_bits() - bits of a register that keep what is written
 * @gen: the generation
 * @reg: a SRC, OP or SWAP_SRC
 *
 * Return: the documented ones.
 */
u32 pcounter_reg_bits(const struct pcounter_gen *gen, unsigned int reg)
{
	if (reg < PCOUNTER_REG_OP)
		return ~0;
	if (reg < PCOUNTER_REG_CTR)
		return NV40_OP_TABLE | NV40_OP_DELAY_0 | NV40_OP_DELAY_1;
	return NV40_SPEC_SRC_SWAP;
}

/**
 * pcounter_status_addr() - where the levels of signals can be read
 * @gen: the generation
 * @block: the domain
 * @word: signals 32 * @word and up
 *
 * Return: the BAR0 address of SIG_STATUS, 0 where another register is.
 */
u32 pcounter_status_addr(const struct pcounter_gen *gen, unsigned int block,
			 unsigned int word)
{
	if (is_gf100(gen))
		return GF100_SIG_STATUS(block, word);
	if (!is_nv10(gen))
		return NV40_SIG_STATUS(block, word);
	if (block && word >= NV10_SIG_STATUS_FREE_1)
		return 0;
	return NV10_SIG_STATUS(block) +
	       word / NV10_SIG_STATUS_HALF_WORDS * NV10_SIG_STATUS_HALF +
	       word % NV10_SIG_STATUS_HALF_WORDS * sizeof(u32);
}
