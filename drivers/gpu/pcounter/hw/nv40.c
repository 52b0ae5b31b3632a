// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the nv40-pcounter layout (NV40:GF100).
 * Facts: hw:registers/nv40, hw:inputs, hw:modes.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/record.h"
#include "hw/regs.h"

/*
 * A trailer probe looks this often for the flag: it follows SETFLAG by two
 * domain clocks, which is less than one register read unless the clock is slow.
 */
#define NV40_PROBE_READS	20

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

static u32 nv40_encode_ctrl(const struct pcounter_settings *set)
{
	static const u8 modes[PCOUNTER_MODES] = {
		[PCOUNTER_MODE_FREE] = NV40_CTRL_MODE_QUAD,
		[PCOUNTER_MODE_SINGLE] = NV40_CTRL_MODE_SINGLE,
		[PCOUNTER_MODE_RECORD] = NV40_CTRL_MODE_RECORD,
	};

	return FIELD_PREP(NV40_CTRL_MODE, modes[set->mode]) |
	       FIELD_PREP(NV40_CTRL_RECORD_FORMAT, set->brief) |
	       FIELD_PREP(NV40_CTRL_CTR_MODE, set->ctr) |
	       FIELD_PREP(NV40_CTRL_EVENT_CTR_PERIOD, set->all) |
	       FIELD_PREP(NV40_CTRL_EVENT_IMPORT_MODE, set->evpulse) |
	       FIELD_PREP(NV40_CTRL_FLAG_IMPORT_MODE, set->flagpulse) |
	       FIELD_PREP(NV40_CTRL_PERIODIC_PERIOD, set->periodic);
}

static void nv40_encode(const struct pcounter_gen *gen, unsigned int dom,
			const struct pcounter_plan *plan, u8 zero,
			struct pcounter_image *img)
{
	pcounter_encode_inputs(gen, plan, nv40_encode_op, img);
	img->ctrl = nv40_encode_ctrl(&plan->set);
	img->swap_src = FIELD_PREP(NV40_SPEC_SRC_SWAP,
				   plan->set.swap ? plan->set.swap : zero);
}

/* What software may write back, undocumented bits included. */
static u32 nv40_ctrl_writable(u32 ctrl)
{
	return ctrl & ~(NV40_CTRL_QUAD_STATE | NV40_CTRL_SINGLE_STATE |
			NV40_CTRL_FAULT_CLEAR);
}

static bool nv40_has_spec_src(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_SWAP_SRC;
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
	img->threshold = pcounter_rd32(io, NV40_THRESHOLD(dom));
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
	if (from->threshold != to->threshold)
		pcounter_wr32(io, NV40_THRESHOLD(dom), to->threshold);
}

static bool nv40_is_single(const struct pcounter_image *img)
{
	return FIELD_GET(NV40_CTRL_MODE, img->ctrl) == NV40_CTRL_MODE_SINGLE;
}

/*
 * CTRL first: in single mode a PRE_OP write would start a process. Written even
 * where it does not differ, it ends one.
 */
static void nv40_store(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom, const struct pcounter_image *from,
		       const struct pcounter_image *to)
{
	bool pre_op_acts = !(gen->caps & PCOUNTER_CAP_SWAP_SHARED) ||
			   nv40_is_single(to);

	if (from->ctrl != to->ctrl || nv40_is_single(to))
		pcounter_wr32(io, NV40_CTRL(dom), to->ctrl);
	nv40_store_inputs(gen, io, dom, from, to,
			  pre_op_acts ? PCOUNTER_START : PCOUNTER_PRE);
}

/* CTRL last: it ends whatever a PRE_OP write may have begun. */
static void nv40_restore(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int dom, const struct pcounter_image *from,
			 const struct pcounter_image *to)
{
	nv40_store_inputs(gen, io, dom, from, to, PCOUNTER_PRE);
	if (from->ctrl != to->ctrl || nv40_is_single(to))
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

static bool g84_swap_pre_op(const struct pcounter_gen *gen,
			    struct pcounter_io *io, unsigned int dom,
			    const struct pcounter_image *img)
{
	pcounter_wr32(io, NV40_OP(PCOUNTER_PRE, dom), img->op[PCOUNTER_PRE]);
	return true;
}

static enum pcounter_quad_state nv40_state(const struct pcounter_gen *gen,
					   struct pcounter_io *io,
					   unsigned int dom,
					   const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, NV40_CTRL(dom));

	if (ctrl == PCOUNTER_DEAD)
		return PCOUNTER_QUAD_DEAD;
	if ((ctrl ^ img->ctrl) & NV40_CTRL_CONFIG)
		return PCOUNTER_QUAD_FOREIGN;
	return pcounter_state_of(FIELD_GET(NV40_CTRL_QUAD_STATE, ctrl));
}

static void nv40_ack(const struct pcounter_gen *gen, struct pcounter_io *io,
		     unsigned int dom)
{
	pcounter_wr32(io, NV40_QUAD_ACK_TRIGGER(dom),
		      NV40_QUAD_ACK_TRIGGER_ACK);
}

static u32 nv40_counter(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int dom, unsigned int slot)
{
	return pcounter_rd32(io, nv40_ctr_addr(slot, dom));
}

static u32 nv40_cycles(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom)
{
	return pcounter_rd32(io, NV40_CTR_CYCLES(dom));
}

/* ---- single event mode, hw:modes/single ---- */

static void nv40_single_start(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom,
			      const struct pcounter_image *img)
{
	pcounter_wr32(io, NV40_CTR_PRE(dom), img->init_pre);
	pcounter_wr32(io, NV40_CTR_STOP(dom), img->init_stop);
	pcounter_wr32(io, NV40_OP(PCOUNTER_PRE, dom), img->op[PCOUNTER_PRE]);
}

static enum pcounter_single_state
nv40_single_state(const struct pcounter_gen *gen, struct pcounter_io *io,
		  unsigned int dom, const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, NV40_CTRL(dom));

	if (ctrl == PCOUNTER_DEAD)
		return PCOUNTER_SINGLE_DEAD;
	if ((ctrl ^ img->ctrl) & NV40_CTRL_CONFIG)
		return PCOUNTER_SINGLE_FOREIGN;
	return FIELD_GET(NV40_CTRL_SINGLE_STATE, ctrl);
}

static u64 nv40_single_counter(const struct pcounter_gen *gen,
			       struct pcounter_io *io, unsigned int dom, int slot)
{
	return pcounter_rd32(io, slot == PCOUNTER_NO_SLOT ?
			     NV40_CTR_CYCLES(dom) : nv40_ctr_addr(slot, dom));
}

/* ---- signals ---- */

static u32 nv40_sig_status(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int dom, unsigned int word)
{
	return pcounter_rd32(io, NV40_SIG_STATUS(dom, word));
}

static void gt215_user(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int dom, struct pcounter_image *img, u32 levels,
		       u32 pulses)
{
	pcounter_wr32(io, NV40_USER_TRIGGER(dom),
		      FIELD_PREP(NV40_USER_TRIGGER_LEVELS, levels) |
		      FIELD_PREP(NV40_USER_TRIGGER_PULSES, pulses));
	/* cannot be read back */
	img->user = levels & ~pulses;
}

/* Before G92 bits 32 to 39 are 0 (hw:modes/record). */
static void g84_record_window(const struct pcounter_gen *gen, struct pcounter_io *io,
			      unsigned int dom, u32 high, u32 limit)
{
	if (gen->caps & PCOUNTER_CAP_RECORD_HIGH)
		pcounter_wr32(io, NV40_RECORD_ADDRESS_HIGH(dom), high);
	pcounter_wr32(io, NV40_RECORD_LIMIT(dom), limit);
}

static void g84_record_start(const struct pcounter_gen *gen, struct pcounter_io *io,
			     unsigned int dom, u32 position)
{
	pcounter_wr32(io, NV40_RECORD_START(dom), position);
}

static u32 g84_record_status(const struct pcounter_gen *gen, struct pcounter_io *io,
			     unsigned int dom)
{
	return pcounter_rd32(io, NV40_RECORD_STATUS(dom));
}

static void g84_record_load(const struct pcounter_gen *gen, struct pcounter_io *io,
			    u32 *chan, u32 *dma)
{
	*chan = pcounter_rd32(io, NV40_RECORD_CHAN);
	*dma = pcounter_rd32(io, NV40_RECORD_DMA);
}

/* RECORD_CHAN binds both, so it comes last. */
static void g84_record_bind(const struct pcounter_gen *gen, struct pcounter_io *io,
			    u32 chan, u32 dma)
{
	pcounter_wr32(io, NV40_RECORD_DMA, dma);
	pcounter_wr32(io, NV40_RECORD_CHAN, chan | NV40_RECORD_CHAN_VALID);
}

static void g84_record_unbind(const struct pcounter_gen *gen, struct pcounter_io *io,
			      u32 chan, u32 dma)
{
	pcounter_wr32(io, NV40_RECORD_DMA, dma);
	pcounter_wr32(io, NV40_RECORD_CHAN, chan & ~NV40_RECORD_CHAN_VALID);
	/* writes are posted: when a read comes back they have arrived */
	pcounter_rd32(io, NV40_RECORD_CHAN);
}

/* The other bits of GCTRL belong to other engines. */
static bool g84_periodic_run(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int dom, bool run)
{
	u32 gctrl = pcounter_rd32(io, NV40_GCTRL);
	bool ran = !(gctrl & NV40_GCTRL_PERIODIC_RESET);

	if (ran != run && gctrl != PCOUNTER_DEAD)
		pcounter_wr32(io, NV40_GCTRL, gctrl ^ NV40_GCTRL_PERIODIC_RESET);
	return ran;
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
static u16 nv40_trailer_probe(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int dom)
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
	.single_start = nv40_single_start,		\
	.single_state = nv40_single_state,		\
	.single_counter = nv40_single_counter,		\
	.sig_status = nv40_sig_status,			\
	.life = pcounter_life_of_signals,		\
	.trailer_probe = nv40_trailer_probe

static const struct pcounter_gen_ops nv40_ops = {
	NV40_COMMON_OPS,
	.end_period = pcounter_swap_pm_trigger,
};

#define G84_RECORD_OPS					\
	.record_window = g84_record_window,		\
	.record_start = g84_record_start,		\
	.record_status = g84_record_status,		\
	.record_load = g84_record_load,			\
	.record_bind = g84_record_bind,			\
	.record_unbind = g84_record_unbind

static const struct pcounter_gen_ops g84_ops = {
	NV40_COMMON_OPS,
	G84_RECORD_OPS,
	.end_period = g84_swap_pre_op,
	.periodic_run = g84_periodic_run,
};

static const struct pcounter_gen_ops gt215_ops = {
	NV40_COMMON_OPS,
	G84_RECORD_OPS,
	.end_period = g84_swap_pre_op,
	.periodic_run = g84_periodic_run,
	.user = gt215_user,
};

/* Shader clocks are known to reach 1.5 GHz; 2 GHz is assumed as the bound. */
#define NV40_COMMON					\
	.layout = "nv40-pcounter",			\
	.counter_bits = 32,				\
	.saturated = NV40_CTR_SATURATED,		\
	.max_clock_hz = 2000000000

#define NV40_CAPS	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG |		\
			 PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_PERIOD |		\
			 PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_SUM_EXTRA |		\
			 PCOUNTER_CAP_IMPORT)
#define G84_CAPS	(NV40_CAPS | PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_PERIODIC |	\
			 PCOUNTER_CAP_RECORD | PCOUNTER_CAP_MUX)
#define G84_COMMON					\
	NV40_COMMON,					\
	.zero = G84_TRAILER_ZERO,			\
	.trigger = G84_TRAILER_PM_TRIGGER,		\
	.periodic = G84_TRAILER_PERIODIC
#define G92_CAPS	(G84_CAPS | PCOUNTER_CAP_DELAY23 | PCOUNTER_CAP_RECORD_HIGH)

/* NV40:G80 */
const struct pcounter_gen pcounter_gen_nv40 = {
	NV40_COMMON,
	.caps = NV40_CAPS | PCOUNTER_CAP_SWAP_SHARED,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PGRAPH_BASE, NV_PGRAPH_SIZE },
	},
	.ops = &nv40_ops,
};

/* G80: as NV40, with source muxes in PGRAPH */
const struct pcounter_gen pcounter_gen_g80 = {
	NV40_COMMON,
	.caps = NV40_CAPS | PCOUNTER_CAP_SWAP_SHARED | PCOUNTER_CAP_MUX,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
		{ G80_MUX_BASE, G80_MUX_SIZE },
	},
	.ops = &nv40_ops,
};

/* G84:G92 */
const struct pcounter_gen pcounter_gen_g84 = {
	G84_COMMON,
	.caps = G84_CAPS,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
		{ G80_VM_BASE, G80_VM_SIZE },
		{ G80_MUX_BASE, G80_MUX_SIZE },
	},
	.ops = &g84_ops,
};

/* G92:GT215 */
const struct pcounter_gen pcounter_gen_g92 = {
	G84_COMMON,
	.caps = G92_CAPS,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
		{ G80_VM_BASE, G80_VM_SIZE },
		{ G80_MUX_BASE, G80_MUX_SIZE },
	},
	.ops = &g84_ops,
};

/* GT215:GF100 */
const struct pcounter_gen pcounter_gen_gt215 = {
	G84_COMMON,
	/* reads that time out: hw:coexistence/clocks; later chips have error patterns */
	.caps = G92_CAPS | PCOUNTER_CAP_USER | PCOUNTER_CAP_READS_ZERO,
	.windows = {
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },
		{ G80_VM_BASE, G80_VM_SIZE },
		{ G80_MUX_BASE, G80_MUX_SIZE },
		{ PDAEMON_BASE, PDAEMON_SIZE },
		{ GT215_PDAEMON_RESET_BASE, GT215_PDAEMON_RESET_SIZE },
	},
	.ops = &gt215_ops,
};
