// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the nv10-pcounter layout (NV10:NV40).
 * Facts: hw:registers/nv10, hw:inputs, hw:registers/ctrl-nv10, hw:modes.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/regs.h"

/* CTRL without what is read-only, and without the TV-out pins, which stay off. */
#define NV10_CTRL_ALL_CONFIG							\
	(NV10_CTRL_CTR_MODE |							\
	 NV10_CTRL_EVENT_CTR_PERIOD(0) | NV10_CTRL_MODE_QUAD(0) |		\
	 NV10_CTRL_EVENT_CTR_PERIOD(1) | NV10_CTRL_MODE_QUAD(1))

/* How often to look whether CTRL has taken a value. */
#define NV10_PROBE_READS	20

/* NV10:NV30: counters of 40 bits, flags with sources of their own */
static bool nv10_is_wide(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_OWN_FLAG_SRC;
}

static unsigned int nv10_nr_src(const struct pcounter_gen *gen)
{
	return nv10_is_wide(gen) ? PCOUNTER_OPS : PCOUNTER_SLOTS;
}

static u32 nv10_encode_op(unsigned int op, const struct pcounter_input *in)
{
	u32 val = FIELD_PREP(NV40_OP_TABLE, in->op);

	if (in->delay & BIT(0))
		val |= NV40_OP_DELAY_0;
	if (in->delay & BIT(1))
		val |= NV40_OP_DELAY_1;
	if (in->flag)
		val |= NV40_OP_COUNT_SETFLAG;
	return val;
}

/* CTRL is one register: what is the other domain's stays as it is in @img. */
static void nv10_encode(const struct pcounter_gen *gen, unsigned int dom,
			const struct pcounter_plan *plan, u8 zero,
			struct pcounter_image *img)
{
	bool quad = gen->caps & PCOUNTER_CAP_QUAD &&
		    plan->set.mode != PCOUNTER_MODE_SINGLE;

	pcounter_encode_inputs(gen, plan, nv10_encode_op, img);
	img->ctrl &= ~(NV10_CTRL_EVENT_CTR_PERIOD(dom) | NV10_CTRL_MODE_QUAD(dom) |
		       NV10_CTRL_CTR_MODE);
	if (quad)
		img->ctrl |= NV10_CTRL_MODE_QUAD(dom);
	if (plan->set.all)
		img->ctrl |= NV10_CTRL_EVENT_CTR_PERIOD(dom);
	if (plan->set.ctr)
		img->ctrl |= FIELD_PREP(NV10_CTRL_CTR_MODE,
					NV10_CTRL_CTR_MODE_EVENT_B4);
}

static void nv10_load(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int dom, struct pcounter_image *img)
{
	unsigned int i;

	memset(img, 0, sizeof(*img));
	for (i = 0; i < nv10_nr_src(gen); i++)
		img->src[i] = pcounter_rd32(io, NV10_SRC(i, dom));
	for (i = 0; i < PCOUNTER_OPS; i++)
		img->op[i] = pcounter_rd32(io, NV10_OP(i, dom));
	img->threshold = pcounter_rd32(io, NV10_THRESHOLD(dom));
	if (nv10_is_wide(gen))
		img->threshold |= (u64)(pcounter_rd32(io, NV10_THRESHOLD_HI(dom)) &
					NV10_CTR_HI_BITS) << 32;
	img->ctrl = pcounter_rd32(io, NV10_CTRL) & NV10_CTRL_ALL_CONFIG;
}

static void nv10_store_threshold(const struct pcounter_gen *gen,
				 struct pcounter_io *io, unsigned int dom,
				 const struct pcounter_image *to)
{
	if (nv10_is_wide(gen))
		pcounter_wr32(io, NV10_THRESHOLD_HI(dom), to->threshold >> 32);
	pcounter_wr32(io, NV10_THRESHOLD(dom), (u32)to->threshold);
}

static void nv10_store_inputs(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom,
			      const struct pcounter_image *from,
			      const struct pcounter_image *to,
			      unsigned int first_op)
{
	unsigned int i;

	for (i = 0; i < nv10_nr_src(gen); i++)
		if (from->src[i] != to->src[i])
			pcounter_wr32(io, NV10_SRC(i, dom), to->src[i]);
	for (i = first_op; i < PCOUNTER_OPS; i++)
		if (from->op[i] != to->op[i])
			pcounter_wr32(io, NV10_OP(i, dom), to->op[i]);
}

/*
 * A CTRL write ends single mode processes of both domains, a THRESHOLD write
 * only that of its own.
 */
static void nv10_store(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom, const struct pcounter_image *from,
		       const struct pcounter_image *to)
{
	bool single = !(to->ctrl & NV10_CTRL_MODE_QUAD(dom));

	if (from->ctrl != to->ctrl)
		pcounter_wr32(io, NV10_CTRL, to->ctrl);
	if (single || from->threshold != to->threshold)
		nv10_store_threshold(gen, io, dom, to);
	nv10_store_inputs(gen, io, dom, from, to,
			  single ? PCOUNTER_START : PCOUNTER_PRE);
}

static void nv10_restore(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int dom, const struct pcounter_image *from,
			 const struct pcounter_image *to)
{
	nv10_store_inputs(gen, io, dom, from, to, PCOUNTER_PRE);
	nv10_store_threshold(gen, io, dom, to);
}

static void nv10_restore_ctrl(const struct pcounter_gen *gen,
			      struct pcounter_io *io, u32 ctrl)
{
	if ((pcounter_rd32(io, NV10_CTRL) ^ ctrl) & NV10_CTRL_ALL_CONFIG)
		pcounter_wr32(io, NV10_CTRL, ctrl);
}

/*
 * With two domains the places of CTRL and of a word of domain 1's SIG_STATUS are
 * the same, and nobody knows which one a read returns (hw:ambiguities/8).
 */
static bool nv10_ctrl_answers(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom)
{
	u32 ctrl = pcounter_rd32(io, NV10_CTRL) & NV10_CTRL_ALL_CONFIG;
	u32 moved = ctrl ^ NV10_CTRL_EVENT_CTR_PERIOD(dom);
	unsigned int i;
	bool answers = false;

	pcounter_wr32(io, NV10_CTRL, moved);
	for (i = 0; i < NV10_PROBE_READS && !answers; i++)
		answers = !((pcounter_rd32(io, NV10_CTRL) ^ moved) &
			    NV10_CTRL_ALL_CONFIG);
	pcounter_wr32(io, NV10_CTRL, ctrl);
	return answers;
}

static bool nv10_differs(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int dom, const struct pcounter_plan *plan,
			 const struct pcounter_image *img)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		if (pcounter_rd32(io, NV10_OP(i, dom)) != img->op[i])
			return true;
		if (i < nv10_nr_src(gen) &&
		    pcounter_rd32(io, NV10_SRC(i, dom)) != img->src[i])
			return true;
	}
	return false;
}

/* ---- quad event mode, NV30:NV40 ---- */

static enum pcounter_quad_state nv30_state(const struct pcounter_gen *gen,
					   struct pcounter_io *io,
					   unsigned int dom,
					   const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, NV10_CTRL);

	if (ctrl == PCOUNTER_DEAD)
		return PCOUNTER_QUAD_DEAD;
	if ((ctrl ^ img->ctrl) & NV10_CTRL_ALL_CONFIG)
		return PCOUNTER_QUAD_FOREIGN;
	return pcounter_state_of(FIELD_GET(NV10_CTRL_QUAD_STATE(0),
						dom ? ctrl >> 2 : ctrl));
}

/* By the names of the bits; hw:ambiguities/5: they may be the other way round. */
static void nv30_ack(const struct pcounter_gen *gen, struct pcounter_io *io,
		     unsigned int dom)
{
	pcounter_wr32(io, NV10_QUAD_ACK_TRIGGER,
		      dom ? NV10_QUAD_ACK_TRIGGER_DOM1 : NV10_QUAD_ACK_TRIGGER_DOM0);
}

static u32 nv10_ctr_addr(int slot, unsigned int dom)
{
	switch (slot) {
	case PCOUNTER_PRE:
		return NV10_CTR_PRE(dom);
	case PCOUNTER_START:
		return NV10_CTR_START(dom);
	case PCOUNTER_EVENT:
		return NV10_CTR_EVENT(dom);
	case PCOUNTER_STOP:
		return NV10_CTR_STOP(dom);
	default:
		return NV10_CTR_CYCLES(dom);
	}
}

static u32 nv30_counter(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int dom, unsigned int slot)
{
	return pcounter_rd32(io, nv10_ctr_addr(slot, dom));
}

static u32 nv30_cycles(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom)
{
	return pcounter_rd32(io, NV10_CTR_CYCLES(dom));
}

/* ---- single event mode ---- */

static void nv10_single_start(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom,
			      const struct pcounter_image *img)
{
	pcounter_wr32(io, NV10_CTR_PRE(dom), img->init_pre);
	pcounter_wr32(io, NV10_CTR_STOP(dom), img->init_stop);
	pcounter_wr32(io, NV10_OP(PCOUNTER_PRE, dom), img->op[PCOUNTER_PRE]);
}

static enum pcounter_single_state
nv10_single_state(const struct pcounter_gen *gen, struct pcounter_io *io,
		  unsigned int dom, const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, NV10_CTRL);

	if (ctrl == PCOUNTER_DEAD)
		return PCOUNTER_SINGLE_DEAD;
	if ((ctrl ^ img->ctrl) & NV10_CTRL_ALL_CONFIG)
		return PCOUNTER_SINGLE_FOREIGN;
	return FIELD_GET(NV10_CTRL_SINGLE_STATE(0), dom ? ctrl >> 2 : ctrl);
}

/* The halves are not read at the same time: high, low, high until it holds. */
static u64 nv10_read_wide(struct pcounter_io *io, u32 addr)
{
	u32 hi = pcounter_rd32(io, addr + NV10_CTR_HI), again, lo;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		lo = pcounter_rd32(io, addr);
		again = pcounter_rd32(io, addr + NV10_CTR_HI);
		if (again & ~NV10_CTR_HI_BITS)
			break;
		if (again == hi)
			return (u64)hi << 32 | lo;
		hi = again;
	}
	return PCOUNTER_READ_DEAD;
}

static u64 nv10_single_counter(const struct pcounter_gen *gen,
			       struct pcounter_io *io, unsigned int dom, int slot)
{
	u32 addr = nv10_ctr_addr(slot, dom);

	if (nv10_is_wide(gen) && slot != PCOUNTER_PRE && slot != PCOUNTER_STOP)
		return nv10_read_wide(io, addr);
	return pcounter_rd32(io, addr);
}

/* ---- signals ---- */

/* Domain 1 has 64 signals; where more would be there are other registers. */
static u32 nv10_sig_status(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int dom, unsigned int word)
{
	u32 addr = NV10_SIG_STATUS(dom) +
		   word / NV10_SIG_STATUS_HALF_WORDS * NV10_SIG_STATUS_HALF +
		   word % NV10_SIG_STATUS_HALF_WORDS * sizeof(u32);

	if (dom && word >= NV10_SIG_STATUS_WORDS_1)
		return 0;
	return pcounter_rd32(io, addr);
}

#define NV10_COMMON_OPS					\
	.encode = nv10_encode,				\
	.load = nv10_load,				\
	.store = nv10_store,				\
	.restore = nv10_restore,			\
	.restore_ctrl = nv10_restore_ctrl,		\
	.ctrl_answers = nv10_ctrl_answers,		\
	.differs = nv10_differs,			\
	.single_start = nv10_single_start,		\
	.single_state = nv10_single_state,		\
	.single_counter = nv10_single_counter,		\
	.sig_status = nv10_sig_status

static const struct pcounter_gen_ops nv10_ops = {
	NV10_COMMON_OPS,
};

static const struct pcounter_gen_ops nv30_ops = {
	NV10_COMMON_OPS,
	.end_period = pcounter_swap_pm_trigger,
	.state = nv30_state,
	.ack = nv30_ack,
	.counter = nv30_counter,
	.cycles = nv30_cycles,
	.life = pcounter_life_of_signals,
};

/* Memory clocks stayed below 1 GHz on these boards (assumed as the bound). */
#define NV10_COMMON					\
	.layout = "nv10-pcounter",			\
	.saturated = NV40_CTR_SATURATED,		\
	.max_clock_hz = 1000000000

#define NV10_CAPS	(PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_SUM_B4 |	\
			 PCOUNTER_CAP_CTRL_SHARED)

/* NV10:NV15 */
const struct pcounter_gen pcounter_gen_nv10 = {
	NV10_COMMON,
	.caps = NV10_CAPS | PCOUNTER_CAP_OWN_FLAG_SRC | PCOUNTER_CAP_CTR_40,
	.counter_bits = 39,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
	},
	.ops = &nv10_ops,
};

/* NV15:NV30; from NV20 on there are two domains */
const struct pcounter_gen pcounter_gen_nv15 = {
	NV10_COMMON,
	.caps = NV10_CAPS | PCOUNTER_CAP_OWN_FLAG_SRC | PCOUNTER_CAP_CTR_40 |
		PCOUNTER_CAP_PERIOD,
	.counter_bits = 39,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
	},
	.ops = &nv10_ops,
};

/* NV30:NV40 */
const struct pcounter_gen pcounter_gen_nv30 = {
	NV10_COMMON,
	.caps = NV10_CAPS | PCOUNTER_CAP_PERIOD | PCOUNTER_CAP_QUAD |
		PCOUNTER_CAP_FLAG_ARG | PCOUNTER_CAP_SWAP_SHARED |
		PCOUNTER_CAP_ACK_SHARED,
	.counter_bits = 32,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PGRAPH_BASE, NV_PGRAPH_SIZE },
	},
	.ops = &nv30_ops,
};
