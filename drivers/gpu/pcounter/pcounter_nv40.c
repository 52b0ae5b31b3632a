// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the nv40-pcounter layout (NV40:GF100) in quad event
 * mode. Facts: hw/registers.md sections 3 to 6.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/string.h>

#include "pcounter_gen.h"
#include "pcounter_io.h"
#include "pcounter_regs.h"

/*
 * A trailer probe looks this often for the flag: it follows SETFLAG by two
 * domain clocks, which is less than one register read unless the clock is slow.
 */
#define NV40_PROBE_READS	20

static const u32 nv40_signal_mask[PCOUNTER_ARGS] = {
	NV40_SRC_SIGNAL_0, NV40_SRC_SIGNAL_1, NV40_SRC_SIGNAL_2, NV40_SRC_SIGNAL_3,
};

static u32 nv40_op_addr(unsigned int op, unsigned int dom)
{
	switch (op) {
	case PCOUNTER_OP_SETFLAG:
		return NV40_SETFLAG_OP(dom);
	case PCOUNTER_OP_CLRFLAG:
		return NV40_CLRFLAG_OP(dom);
	default:
		return NV40_OP(op, dom);
	}
}

static u32 nv40_ctr_addr(unsigned int slot, unsigned int dom)
{
	switch (slot) {
	case PCOUNTER_PRE:
		return NV40_CTR_PRE(dom);
	case PCOUNTER_START:
		return NV40_CTR_START(dom);
	case PCOUNTER_EVENT:
		return NV40_CTR_EVENT(dom);
	default:
		return NV40_CTR_STOP(dom);
	}
}

/* EVENT and STOP have their delay bits one higher than the other four. */
static u32 nv40_encode_op(unsigned int op, const struct pcounter_input *in)
{
	bool counts = op == PCOUNTER_EVENT || op == PCOUNTER_STOP;
	u32 val = FIELD_PREP(NV40_OP_TABLE, in->op);

	if (in->delay & BIT(0))
		val |= NV40_OP_DELAY_0;
	if (in->delay & BIT(1))
		val |= NV40_OP_DELAY_1;
	if (in->delay & BIT(2))
		val |= counts ? NV40_OP_COUNT_DELAY_2 : NV40_OP_GATE_DELAY_2;
	if (in->delay & BIT(3))
		val |= counts ? NV40_OP_COUNT_DELAY_3 : NV40_OP_GATE_DELAY_3;
	if (in->flag)
		val |= NV40_OP_COUNT_SETFLAG;
	return val;
}

static void nv40_encode_sources(unsigned int op, const struct pcounter_input *in,
				struct pcounter_image *img)
{
	u8 sources = pcounter_input_sources(in);
	unsigned int i;

	for (i = 0; i < PCOUNTER_ARGS; i++) {
		unsigned int slot = op, source = i;
		u32 mask;

		if (!(sources & BIT(i)))
			continue;
		if (op >= PCOUNTER_SLOTS)
			source = pcounter_flag_selector(op, i, &slot);
		mask = nv40_signal_mask[source];
		img->src[slot] &= ~mask;
		/* FIELD_PREP with a mask that is not constant */
		img->src[slot] |= in->sig[i] * (mask & -mask);
	}
}

/*
 * Inputs that the plan leaves alone keep what @img holds, so that they cost no
 * write; but a flag nobody asked for must not stay driven by an old user.
 */
static void nv40_encode(const struct pcounter_gen *gen,
			const struct pcounter_plan *plan, u8 zero,
			struct pcounter_image *img)
{
	unsigned int i;

	img->op[PCOUNTER_OP_SETFLAG] = 0;
	img->op[PCOUNTER_OP_CLRFLAG] = 0;
	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		img->op[i] = nv40_encode_op(i, &plan->in[i]);
		nv40_encode_sources(i, &plan->in[i], img);
	}
	img->ctrl = FIELD_PREP(NV40_CTRL_MODE, NV40_CTRL_MODE_QUAD);
	img->swap_src = FIELD_PREP(NV40_SPEC_SRC_SWAP, zero);
}

/* What software may write back, undocumented bits included. */
static u32 nv40_ctrl_writable(u32 ctrl)
{
	return ctrl & ~(NV40_CTRL_QUAD_STATE | NV40_CTRL_SINGLE_STATE |
			NV40_CTRL_FAULT_CLEAR);
}

static bool nv40_has_spec_src(const struct pcounter_gen *gen)
{
	return !(gen->caps & PCOUNTER_CAP_SWAP_SHARED);
}

static void nv40_load(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int dom, struct pcounter_image *img)
{
	unsigned int i;

	memset(img, 0, sizeof(*img));
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		img->src[i] = pcounter_rd32(io, NV40_SRC(i, dom));
	for (i = 0; i < PCOUNTER_OPS; i++)
		img->op[i] = pcounter_rd32(io, nv40_op_addr(i, dom));
	img->ctrl = nv40_ctrl_writable(pcounter_rd32(io, NV40_CTRL(dom)));
	if (nv40_has_spec_src(gen))
		img->swap_src = pcounter_rd32(io, NV40_SPEC_SRC(dom));
}

static void nv40_store_inputs(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom,
			      const struct pcounter_image *from,
			      const struct pcounter_image *to, unsigned int first_op)
{
	unsigned int i;

	if (nv40_has_spec_src(gen) && from->swap_src != to->swap_src)
		pcounter_wr32(io, NV40_SPEC_SRC(dom), to->swap_src);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		if (from->src[i] != to->src[i])
			pcounter_wr32(io, NV40_SRC(i, dom), to->src[i]);
	for (i = first_op; i < PCOUNTER_OPS; i++)
		if (from->op[i] != to->op[i])
			pcounter_wr32(io, nv40_op_addr(i, dom), to->op[i]);
}

/* CTRL first: in single mode a PRE_OP write would start a process. */
static void nv40_store(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom, const struct pcounter_image *from,
		       const struct pcounter_image *to)
{
	bool pre_op_swaps = !(gen->caps & PCOUNTER_CAP_SWAP_SHARED);

	if (from->ctrl != to->ctrl)
		pcounter_wr32(io, NV40_CTRL(dom), to->ctrl);
	nv40_store_inputs(gen, io, dom, from, to,
			  pre_op_swaps ? PCOUNTER_START : PCOUNTER_PRE);
}

/* CTRL last: it ends whatever a PRE_OP write may have begun. */
static void nv40_restore(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int dom, const struct pcounter_image *from,
			 const struct pcounter_image *to)
{
	nv40_store_inputs(gen, io, dom, from, to, PCOUNTER_PRE);
	if (from->ctrl != to->ctrl)
		pcounter_wr32(io, NV40_CTRL(dom), to->ctrl);
}

static bool nv40_differs(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int dom, const struct pcounter_plan *plan,
			 const struct pcounter_image *img)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		if (pcounter_rd32(io, nv40_op_addr(i, dom)) != img->op[i])
			return true;
		if (i < PCOUNTER_SLOTS &&
		    pcounter_rd32(io, NV40_SRC(i, dom)) != img->src[i])
			return true;
	}
	return nv40_has_spec_src(gen) &&
	       (pcounter_rd32(io, NV40_SPEC_SRC(dom)) ^ img->swap_src) &
	       NV40_SPEC_SRC_SWAP;
}

/*
 * NV40:G84: DEBUG_1 belongs to the graphics driver, which keeps configuration
 * in its other bits; on G80 it has none.
 */
static bool nv40_swap_pm_trigger(const struct pcounter_gen *gen,
				 struct pcounter_io *io, unsigned int dom,
				 const struct pcounter_image *img)
{
	u32 debug = pcounter_rd32(io, NV_PGRAPH_DEBUG_1);

	if (debug == PCOUNTER_DEAD)
		return false;
	pcounter_wr32(io, NV_PGRAPH_DEBUG_1,
		      debug | NV_PGRAPH_DEBUG_1_PM_TRIGGER);
	return true;
}

static bool g84_swap_pre_op(const struct pcounter_gen *gen,
			    struct pcounter_io *io, unsigned int dom,
			    const struct pcounter_image *img)
{
	pcounter_wr32(io, NV40_OP(PCOUNTER_PRE, dom), img->op[PCOUNTER_PRE]);
	return true;
}

static enum pcounter_quad_state nv40_state(struct pcounter_io *io,
					   unsigned int dom,
					   const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, NV40_CTRL(dom));

	if (ctrl == PCOUNTER_DEAD)
		return PCOUNTER_QUAD_DEAD;
	if ((ctrl ^ img->ctrl) & NV40_CTRL_CONFIG)
		return PCOUNTER_QUAD_FOREIGN;
	switch (FIELD_GET(NV40_CTRL_QUAD_STATE, ctrl)) {
	case NV40_CTRL_QUAD_STATE_EMPTY:
		return PCOUNTER_QUAD_EMPTY;
	case NV40_CTRL_QUAD_STATE_VALID:
		return PCOUNTER_QUAD_VALID;
	default:
		return PCOUNTER_QUAD_OVERFLOW;
	}
}

static void nv40_ack(struct pcounter_io *io, unsigned int dom)
{
	pcounter_wr32(io, NV40_QUAD_ACK_TRIGGER(dom),
		      NV40_QUAD_ACK_TRIGGER_ACK);
}

static u32 nv40_counter(struct pcounter_io *io, unsigned int dom,
			unsigned int slot)
{
	return pcounter_rd32(io, nv40_ctr_addr(slot, dom));
}

static u32 nv40_cycles(struct pcounter_io *io, unsigned int dom)
{
	return pcounter_rd32(io, NV40_CTR_CYCLES(dom));
}

/* Words of SIG_STATUS whose bit for this domain's flag has the given level. */
static u8 nv40_flag_words(struct pcounter_io *io, unsigned int dom, bool level)
{
	u8 words = 0;
	unsigned int w;

	for (w = 0; w < NV40_SIG_STATUS_WORDS; w++) {
		u32 status = pcounter_rd32(io, NV40_SIG_STATUS(dom, w));

		if (!(status & BIT(NV40_TRAILER_FLAG(dom))) == !level)
			words |= BIT(w);
	}
	return words;
}

/*
 * The flag is the one trailer signal that software can move. Set it and clear
 * it until only one status word has followed every time.
 */
static u16 nv40_trailer_probe(struct pcounter_io *io, unsigned int dom)
{
	u8 words = GENMASK(NV40_SIG_STATUS_WORDS - 1, 0);
	unsigned int i;
	bool level = true;

	for (i = 0; i < NV40_PROBE_READS; i++, level = !level) {
		pcounter_wr32(io, NV40_CLRFLAG_OP(dom), level ? 0 : NV40_OP_TABLE);
		pcounter_wr32(io, NV40_SETFLAG_OP(dom), level ? NV40_OP_TABLE : 0);
		/* the first look may still see the old level */
		nv40_flag_words(io, dom, level);
		words &= nv40_flag_words(io, dom, level);
		if (!words)
			break;
	}
	pcounter_wr32(io, NV40_SETFLAG_OP(dom), 0);
	pcounter_wr32(io, NV40_CLRFLAG_OP(dom), 0);
	if (hweight8(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 1) * NV40_SIG_STATUS_BITS;
}

#define NV40_COMMON_OPS					\
	.encode = nv40_encode,				\
	.load = nv40_load,				\
	.store = nv40_store,				\
	.restore = nv40_restore,			\
	.differs = nv40_differs,			\
	.state = nv40_state,				\
	.ack = nv40_ack,				\
	.counter = nv40_counter,			\
	.cycles = nv40_cycles,				\
	.trailer_probe = nv40_trailer_probe

static const struct pcounter_gen_ops nv40_ops = {
	NV40_COMMON_OPS,
	.end_period = nv40_swap_pm_trigger,
};

static const struct pcounter_gen_ops g84_ops = {
	NV40_COMMON_OPS,
	.end_period = g84_swap_pre_op,
};

/* Shader clocks are known to reach 1.5 GHz; 2 GHz is assumed as the bound. */
#define NV40_COMMON					\
	.layout = "nv40-pcounter",			\
	.counter_bits = 32,				\
	.saturated = NV40_CTR_SATURATED,		\
	.max_clock_hz = 2000000000

/* NV40:G84 */
const struct pcounter_gen pcounter_gen_nv40 = {
	NV40_COMMON,
	.caps = PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG |
		PCOUNTER_CAP_SWAP_SHARED,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PGRAPH_BASE, NV_PGRAPH_SIZE },
	},
	.ops = &nv40_ops,
};

/* G84:G92 */
const struct pcounter_gen pcounter_gen_g84 = {
	NV40_COMMON,
	.caps = PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG,
	.windows = { { NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE } },
	.ops = &g84_ops,
};

/* G92:GF100 */
const struct pcounter_gen pcounter_gen_g92 = {
	NV40_COMMON,
	.caps = PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG |
		PCOUNTER_CAP_DELAY23,
	.windows = { { NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE } },
	.ops = &g84_ops,
};
