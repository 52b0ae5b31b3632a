// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all layouts encode and find out alike.
 */
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/regs.h"

#define SIGNAL_BITS	8	/* of a source in a SRC register, hw:inputs/src */

static void encode_source(u32 *src, unsigned int source, u8 sig)
{
	*src &= ~(GENMASK(SIGNAL_BITS - 1, 0) << source * SIGNAL_BITS);
	*src |= (u32)sig << source * SIGNAL_BITS;
}

/* Flags borrow selectors, or have two sets of their own that hold the same. */
static void encode_sources(const struct pcounter_gen *gen,
			   const struct pcounter_plan *plan, unsigned int op,
			   struct pcounter_image *img)
{
	const struct pcounter_input *in = &plan->in[op];
	u8 sources = pcounter_input_sources(in) |
		     pcounter_sum_sources(plan->set.ctr, op);
	unsigned int i, at, source;

	if (plan->set.mode == PCOUNTER_MODE_RECORD)
		sources = GENMASK(PCOUNTER_ARGS - 1, 0);
	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(sources & BIT(i)))
			continue;
		if (op < PCOUNTER_SLOTS) {
			encode_source(&img->src[op], i, in->sig[i]);
		} else if (gen->caps & PCOUNTER_CAP_OWN_FLAG_SRC) {
			encode_source(&img->src[PCOUNTER_OP_SETFLAG], i, in->sig[i]);
			encode_source(&img->src[PCOUNTER_OP_CLRFLAG], i, in->sig[i]);
		} else {
			source = pcounter_flag_selector(op, i, &at);
			encode_source(&img->src[at], source, in->sig[i]);
		}
	}
}

/* Single event mode: what a gate does that nobody asked for. */
static const u16 gate_default[PCOUNTER_SLOTS] = {
	[PCOUNTER_PRE] = PCOUNTER_OP_ALWAYS,
	[PCOUNTER_START] = PCOUNTER_OP_ALWAYS,
	[PCOUNTER_EVENT] = PCOUNTER_OP_NEVER,
	[PCOUNTER_STOP] = PCOUNTER_OP_NEVER,
};

/**
 * pcounter_encode_inputs() - sources, logic ops and single mode's values of a plan
 * @gen: the generation
 * @plan: the plan
 * @encode_op: how the layout writes a logic op
 * @img: registers now; changed to those of the plan
 *
 * Inputs that the plan leaves alone keep what @img holds, so that they cost no
 * write; but a flag nobody asked for must not stay driven by an old user, and
 * in single event mode an open gate must be open.
 */
void pcounter_encode_inputs(const struct pcounter_gen *gen,
			    const struct pcounter_plan *plan,
			    u32 (*encode_op)(unsigned int op,
					     const struct pcounter_input *in),
			    struct pcounter_image *img)
{
	bool single = plan->set.mode == PCOUNTER_MODE_SINGLE ||
		      !(gen->caps & PCOUNTER_CAP_QUAD);
	unsigned int i;

	img->op[PCOUNTER_OP_SETFLAG] = 0;
	img->op[PCOUNTER_OP_CLRFLAG] = 0;
	for (i = 0; i < PCOUNTER_SLOTS && single; i++)
		img->op[i] = gate_default[i];
	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		img->op[i] = encode_op(i, &plan->in[i]);
		encode_sources(gen, plan, i, img);
	}
	if (!single)
		return;
	img->threshold = plan->set.threshold;
	img->init_pre = plan->init_pre;
	img->init_stop = plan->init_stop;
}

/**
 * pcounter_state_of() - what QUAD_STATE of CTRL says
 * @state: the field, the same in all layouts
 *
 * Return: the state.
 */
enum pcounter_quad_state pcounter_state_of(u32 state)
{
	switch (state) {
	case NV40_CTRL_QUAD_STATE_EMPTY:
		return PCOUNTER_QUAD_EMPTY;
	case NV40_CTRL_QUAD_STATE_VALID:
		return PCOUNTER_QUAD_VALID;
	default:
		return PCOUNTER_QUAD_OVERFLOW;
	}
}

#define SIGNALS_PER_WORD	32

/**
 * pcounter_life_of_signals() - NV30:GF100: does a domain's clock run?
 * @gen: the generation
 * @io: access to the registers
 * @block: the domain
 * @signals: number of its ordinary signals, which come before the trailer; 0 if
 *	that is not known
 *
 * No counter of the running period can be read there (hw:modes/quad). But
 * the ordinary signals of a domain are of its clock: without it they stand still.
 *
 * Return: a number that changes with the levels of the signals, 0 without signals.
 */
u32 pcounter_life_of_signals(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block,
			     unsigned int signals)
{
	u32 life = 0, levels;
	unsigned int at;

	for (at = 0; at < signals; at += SIGNALS_PER_WORD) {
		levels = gen->ops->sig_status(gen, io, block, at / SIGNALS_PER_WORD);
		if (signals - at < SIGNALS_PER_WORD)
			levels &= BIT(signals - at) - 1;
		life = (life ^ levels) * 0x9e3779b1;
	}
	return signals && !life ? 1 : life;
}

/**
 * pcounter_image_copy_user() - let an image have the USER signals of another
 * @to: the image
 * @from: the other one
 *
 * Not the one that is our swap on GF100+.
 */
void pcounter_image_copy_user(struct pcounter_image *to, const struct pcounter_image *from)
{
	to->user &= ~GF100_USER_TRIGGER_OTHERS;
	to->user |= from->user & GF100_USER_TRIGGER_OTHERS;
}

/**
 * pcounter_swap_pm_trigger() - NV30:G84: pulse PGRAPH.PM_TRIGGER
 * @gen: the generation
 * @io: access to the registers
 * @block: any domain: all of them swap
 * @img: not used
 *
 * DEBUG_1 belongs to the graphics driver, which keeps configuration in its
 * other bits; on G80 it has none. That the bit does the same on NV30:NV40 is
 * assumed: no document says so (hw:inputs/swap).
 *
 * Return: false if the GPU does not answer.
 */
bool pcounter_swap_pm_trigger(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int block,
			      const struct pcounter_image *img)
{
	u32 debug = pcounter_rd32(io, NV_PGRAPH_DEBUG_1);

	if (debug == PCOUNTER_DEAD)
		return false;
	pcounter_wr32(io, NV_PGRAPH_DEBUG_1,
		      debug | NV_PGRAPH_DEBUG_1_PM_TRIGGER);
	return true;
}
