// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the gf100-pcounter layout (GF100-), quad event mode.
 * Facts: hw:registers/window, hw:registers/gf100. Single and record mode have
 * registers here, but nobody knows their use.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/regs.h"
#include "rules/topo.h"

/* A trailer probe looks this often for the USER signals. */
#define GF100_PROBE_READS	20

#define GF100_SIG_STATUS_WORDS	8
#define GF100_SIG_STATUS_BITS	32

/* The USER signals' place in the status word after the one of the trailer's base. */
#define GF100_TRAILER_USERS	GENMASK(10, 7)

static u32 gf100_op_addr(unsigned int op, unsigned int block)
{
	switch (op) {
	case PCOUNTER_OP_SETFLAG:
		return GF100_SETFLAG_OP(block);
	case PCOUNTER_OP_CLRFLAG:
		return GF100_CLRFLAG_OP(block);
	default:
		return GF100_OP(op, block);
	}
}

/* What bits 18 to 20 do is disputed (hw:inputs/op): not used. */
static u32 gf100_encode_op(unsigned int op, const struct pcounter_input *in)
{
	u32 val = FIELD_PREP(NV40_OP_TABLE, in->op);

	if (in->delay & BIT(0))
		val |= NV40_OP_DELAY_0;
	if (in->delay & BIT(1))
		val |= NV40_OP_DELAY_1;
	return val;
}

/* A remark says that EXTRA sums need START and EVENT as well: let them be true. */
static void gf100_open_gates(const struct pcounter_plan *plan,
			     struct pcounter_image *img)
{
	u8 changed = pcounter_sum_slots(plan->set.ctr, false);

	if (plan->set.ctr != PCOUNTER_CTR_EXTRA_B4 &&
	    plan->set.ctr != PCOUNTER_CTR_EXTRA_B6_EVENT_B2)
		return;
	img->op[PCOUNTER_START] = PCOUNTER_OP_ALWAYS;
	if (changed & BIT(PCOUNTER_EVENT) || !(plan->used & BIT(PCOUNTER_EVENT)))
		img->op[PCOUNTER_EVENT] = PCOUNTER_OP_ALWAYS;
}

static void gf100_encode(const struct pcounter_gen *gen, unsigned int block,
			 const struct pcounter_plan *plan, u8 zero,
			 struct pcounter_image *img)
{
	const struct pcounter_settings *set = &plan->set;

	pcounter_encode_inputs(gen, plan, gf100_encode_op, img);
	gf100_open_gates(plan, img);
	img->ctrl = FIELD_PREP(GF100_CTRL_MODE, GF100_CTRL_MODE_QUAD) |
		    GF100_CTRL_UNK18 |
		    FIELD_PREP(GF100_CTRL_CTR_MODE, set->ctr) |
		    FIELD_PREP(GF100_CTRL_EVENT_IMPORT_MODE, set->evpulse) |
		    FIELD_PREP(GF100_CTRL_FLAG_IMPORT_MODE, set->flagpulse) |
		    FIELD_PREP(GF100_CTRL_PERIODIC_PERIOD, set->periodic);
	img->swap_src = FIELD_PREP(GF100_SWAP_SRC_SIGNAL,
				   set->swap ? set->swap : zero);
	img->filter = 0;
	/* for gf100_life(), which is asked where the driver ends the periods */
	if (!(plan->used & BIT(PCOUNTER_PRE)))
		img->op[PCOUNTER_PRE] = set->swap ? PCOUNTER_OP_NEVER :
						    PCOUNTER_OP_ALWAYS;
	/* at 1 it would swap in every clock */
	img->user &= GF100_USER_TRIGGER_OTHERS;
}

static void gf100_load(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int block, struct pcounter_image *img)
{
	unsigned int i;

	memset(img, 0, sizeof(*img));
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		img->src[i] = pcounter_rd32(io, GF100_SRC(i, block));
	for (i = 0; i < PCOUNTER_OPS; i++)
		img->op[i] = pcounter_rd32(io, gf100_op_addr(i, block));
	img->swap_src = pcounter_rd32(io, GF100_SWAP_SRC(block));
	img->filter = pcounter_rd32(io, GF100_FILTER(block));
	img->user = pcounter_rd32(io, GF100_USER_TRIGGER(block)) &
		    GF100_USER_TRIGGER_LEVELS;
	img->ctrl = pcounter_rd32(io, GF100_CTRL(block)) &
		    ~(GF100_CTRL_QUAD_STATE | GF100_CTRL_SINGLE_STATE);
}

static void gf100_set_levels(struct pcounter_io *io, unsigned int block, u32 levels)
{
	pcounter_wr32(io, GF100_USER_TRIGGER(block),
		      FIELD_PREP(GF100_USER_TRIGGER_LEVELS, levels));
}

static void gf100_store_inputs(struct pcounter_io *io, unsigned int block,
			       const struct pcounter_image *from,
			       const struct pcounter_image *to)
{
	unsigned int i;

	if (from->filter != to->filter)
		pcounter_wr32(io, GF100_FILTER(block), to->filter);
	if (from->swap_src != to->swap_src)
		pcounter_wr32(io, GF100_SWAP_SRC(block), to->swap_src);
	for (i = 0; i < PCOUNTER_SLOTS; i++)
		if (from->src[i] != to->src[i])
			pcounter_wr32(io, GF100_SRC(i, block), to->src[i]);
	for (i = 0; i < PCOUNTER_OPS; i++)
		if (from->op[i] != to->op[i])
			pcounter_wr32(io, gf100_op_addr(i, block), to->op[i]);
}

static void gf100_store(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int block, const struct pcounter_image *from,
			const struct pcounter_image *to)
{
	if (from->user != to->user)
		gf100_set_levels(io, block, to->user);
	if (from->ctrl != to->ctrl)
		pcounter_wr32(io, GF100_CTRL(block), to->ctrl);
	gf100_store_inputs(io, block, from, to);
}

static void gf100_restore(const struct pcounter_gen *gen, struct pcounter_io *io,
			  unsigned int block, const struct pcounter_image *from,
			  const struct pcounter_image *to)
{
	gf100_store_inputs(io, block, from, to);
	if (from->ctrl != to->ctrl)
		pcounter_wr32(io, GF100_CTRL(block), to->ctrl);
	/* the last pulse may still wait for its clock */
	gf100_set_levels(io, block, to->user);
}

static bool gf100_differs(const struct pcounter_gen *gen, struct pcounter_io *io,
			  unsigned int block, const struct pcounter_plan *plan,
			  const struct pcounter_image *img)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		if (pcounter_rd32(io, gf100_op_addr(i, block)) != img->op[i])
			return true;
		if (i < PCOUNTER_SLOTS &&
		    pcounter_rd32(io, GF100_SRC(i, block)) != img->src[i])
			return true;
	}
	return (pcounter_rd32(io, GF100_SWAP_SRC(block)) ^ img->swap_src) &
	       GF100_SWAP_SRC_SIGNAL;
}

/* USER_0 is ours: the swap input looks at it. */
static bool gf100_swap_user(const struct pcounter_gen *gen, struct pcounter_io *io,
			    unsigned int block, const struct pcounter_image *img)
{
	pcounter_wr32(io, GF100_USER_TRIGGER(block),
		      FIELD_PREP(GF100_USER_TRIGGER_LEVELS, img->user | BIT(0)) |
		      FIELD_PREP(GF100_USER_TRIGGER_PULSES, BIT(0)));
	return true;
}

static void gf100_user(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int block, struct pcounter_image *img, u32 levels,
		       u32 pulses)
{
	/* USER_0 is not theirs */
	u32 swap = img->user & ~GF100_USER_TRIGGER_OTHERS;

	levels = swap | (levels & GF100_USER_TRIGGER_OTHERS);
	img->user = swap | (levels & ~pulses);
	pcounter_wr32(io, GF100_USER_TRIGGER(block),
		      FIELD_PREP(GF100_USER_TRIGGER_LEVELS, levels) |
		      FIELD_PREP(GF100_USER_TRIGGER_PULSES, pulses & GF100_USER_TRIGGER_OTHERS));
}

static enum pcounter_quad_state gf100_state(const struct pcounter_gen *gen,
					    struct pcounter_io *io,
					    unsigned int block,
					    const struct pcounter_image *img)
{
	u32 ctrl = pcounter_rd32(io, GF100_CTRL(block));

	if (pcounter_is_dead(ctrl))
		return PCOUNTER_QUAD_DEAD;
	if ((ctrl ^ img->ctrl) & GF100_CTRL_CONFIG)
		return PCOUNTER_QUAD_FOREIGN;
	return pcounter_state_of(FIELD_GET(GF100_CTRL_QUAD_STATE, ctrl));
}

static void gf100_ack(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int block)
{
	pcounter_wr32(io, GF100_QUAD_ACK_TRIGGER(block),
		      GF100_QUAD_ACK_TRIGGER_ACK);
}

static u32 gf100_counter(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int block, unsigned int slot)
{
	switch (slot) {
	case PCOUNTER_PRE:
		return pcounter_rd32(io, GF100_CTR_PRE(block));
	case PCOUNTER_START:
		return pcounter_rd32(io, GF100_CTR_START(block));
	case PCOUNTER_EVENT:
		return pcounter_rd32(io, GF100_CTR_EVENT(block));
	default:
		return pcounter_rd32(io, GF100_CTR_STOP(block));
	}
}

static u32 gf100_cycles(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int block)
{
	return pcounter_rd32(io, GF100_CTR_CYCLES(block));
}

static u32 gf100_sig_status(const struct pcounter_gen *gen, struct pcounter_io *io,
			    unsigned int block, unsigned int word)
{
	return pcounter_rd32(io, GF100_SIG_STATUS(block, word));
}

/*
 * What the running period has counted so far; a PRE that nobody uses counts the
 * clocks. Four inputs in use that count nothing do not tell.
 */
static u32 gf100_life(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int block, unsigned int signals)
{
	u32 pre = pcounter_rd32(io, GF100_CTR_PRE_NEXT(block));
	u32 event = pcounter_rd32(io, GF100_CTR_EVENT_NEXT(block));

	if (pcounter_is_dead(pre) || pcounter_is_dead(event))
		return 0;
	return pre + 31 * event ?: 1;
}

/* Of some words those whose bits in the USER signals' place are all at a level. */
static u8 gf100_user_words(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int block, bool level, u8 some)
{
	u32 wanted = level ? GF100_TRAILER_USERS : 0, status;
	unsigned int w;
	u8 words = 0;

	for (w = 1; w < GF100_SIG_STATUS_WORDS; w++) {
		if (!(some & BIT(w)))
			continue;
		status = gf100_sig_status(gen, io, block, w);
		if (!pcounter_is_dead(status) &&
		    (status & GF100_TRAILER_USERS) == wanted)
			words |= BIT(w);
	}
	return words;
}

/* Raise and drop the USER signals until only one word has followed every time. */
static u16 gf100_trailer_probe(const struct pcounter_gen *gen,
			       struct pcounter_io *io, unsigned int block)
{
	u32 found = pcounter_rd32(io, GF100_USER_TRIGGER(block)) & GF100_USER_TRIGGER_LEVELS;
	u8 words = GENMASK(GF100_SIG_STATUS_WORDS - 1, 1);
	bool level = true;
	unsigned int i;

	for (i = 0; i < GF100_PROBE_READS && words; i++, level = !level) {
		pcounter_wr32(io, GF100_USER_TRIGGER(block),
			      level ? GF100_USER_TRIGGER_LEVELS : 0);
		/* the first look may still see the old level */
		gf100_user_words(gen, io, block, level, words);
		words = gf100_user_words(gen, io, block, level, words);
	}
	gf100_set_levels(io, block, found);
	if (hweight8(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 2) * GF100_SIG_STATUS_BITS;
}

static u32 gf100_set_ctrl_addr(unsigned int block)
{
	if (block < GF100_PART_BLOCK)
		return GF100_GPC_SET_CTRL(block / GF100_UNIT_BLOCKS);
	if (block < GF100_HUB_BLOCK)
		return GF100_PART_SET_CTRL((block - GF100_PART_BLOCK) /
					   GF100_UNIT_BLOCKS);
	return GF100_HUB_SET_CTRL;
}

static bool gf100_periodic_run(const struct pcounter_gen *gen,
			       struct pcounter_io *io, unsigned int block, bool run)
{
	u32 addr = gf100_set_ctrl_addr(block), ctrl = pcounter_rd32(io, addr);
	bool ran = !(ctrl & GF100_SET_CTRL_PERIODIC_RESET);

	if (pcounter_is_dead(ctrl))
		return true;
	if (ran != run)
		pcounter_wr32(io, addr, ctrl ^ GF100_SET_CTRL_PERIODIC_RESET);
	return ran;
}

/*
 * A mask takes units away, and the numbers of the others close up: NVIDIA's driver
 * uses partitions 0 to 4 of a GF110 with count 6 and mask 1, and all five count.
 * An access to a unit beyond returns an error pattern.
 */
static u32 gf100_present(struct pcounter_io *io, u32 count_addr, u32 hw_addr,
			 u32 sw_addr, unsigned int max)
{
	u32 count = pcounter_rd32(io, count_addr), hw, sw;

	if (!count || count > max)
		return 0;
	hw = pcounter_rd32(io, hw_addr);
	sw = pcounter_rd32(io, sw_addr);
	if (pcounter_is_dead(hw) || pcounter_is_dead(sw))
		return 0;
	count -= hweight32((hw | sw) & GENMASK(count - 1, 0));
	return count ? GENMASK(count - 1, 0) : 0;
}

static void gf100_units(const struct pcounter_gen *gen, struct pcounter_io *io,
			u32 *gpc_mask, u32 *part_mask)
{
	*gpc_mask = gf100_present(io, GF100_GPC_COUNT, GF100_GPC_DISABLED_HW,
				  GF100_GPC_DISABLED_SW, PCOUNTER_MAX_GPCS);
	*part_mask = gf100_present(io, GF100_PART_COUNT, GF100_PART_DISABLED_HW,
				   GF100_PART_DISABLED_SW, PCOUNTER_MAX_PARTS);
}

/*
 * The register is shared with the graphics driver, without a lock: only if
 * needed. All ones is a value that nouveau writes.
 */
static bool gf100_enable(const struct pcounter_gen *gen, struct pcounter_io *io)
{
	u32 enable = pcounter_rd32(io, NV_PMC_ENABLE);

	if (enable & NV_PMC_ENABLE_PCOUNTER)
		return false;
	pcounter_wr32(io, NV_PMC_ENABLE, enable | NV_PMC_ENABLE_PCOUNTER);
	return true;
}

/*
 * The engine is on, the chip has GPCs and partitions, SWAP_SRC has 8 bits, the truth
 * tables have 16 and what is beside them, and nothing is an error. All ones is a value
 * that nouveau writes to ENABLE.
 */
static bool gm107_is_known(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int block)
{
	u32 gpcs, parts, op;
	unsigned int i;

	gf100_units(gen, io, &gpcs, &parts);
	if (!gpcs || !parts || !(pcounter_rd32(io, NV_PMC_ENABLE) & NV_PMC_ENABLE_PCOUNTER))
		return false;
	for (i = 0; i < PCOUNTER_OPS; i++) {
		op = pcounter_rd32(io, gf100_op_addr(i, block));
		if (pcounter_is_dead(op) || op & ~GF100_OP_KNOWN)
			return false;
	}
	return !pcounter_is_dead(pcounter_rd32(io, GF100_CTRL(block))) &&
	       !(pcounter_rd32(io, GF100_SWAP_SRC(block)) & ~GF100_SWAP_SRC_SIGNAL) &&
	       !pcounter_is_dead(gf100_sig_status(gen, io, block, 0));
}

static const u32 gk104_gates[PCOUNTER_GATES] = {
	GF100_GPC_SLCG, GF100_PART_SLCG, GF100_HUB_SLCG, GF100_MAIN_SLCG,
};

/* A GPU that slept may have kept 0, which is ours: found stays as it is then. */
static void gk104_ungate(const struct pcounter_gen *gen, struct pcounter_io *io,
			 u32 found[PCOUNTER_GATES])
{
	unsigned int i;
	u32 gate;

	for (i = 0; i < PCOUNTER_GATES; i++) {
		gate = pcounter_rd32(io, gk104_gates[i]);
		if (!gate || pcounter_is_dead(gate))
			continue;
		found[i] = gate;
		pcounter_wr32(io, gk104_gates[i], 0);
	}
}

static void gk104_gate(const struct pcounter_gen *gen, struct pcounter_io *io,
		       u32 found[PCOUNTER_GATES])
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_GATES; i++) {
		if (found[i] && !pcounter_rd32(io, gk104_gates[i]))
			pcounter_wr32(io, gk104_gates[i], found[i]);
		found[i] = 0;
	}
}

#define GF100_COMMON_OPS				\
	.encode = gf100_encode,				\
	.load = gf100_load,				\
	.store = gf100_store,				\
	.restore = gf100_restore,			\
	.differs = gf100_differs,			\
	.end_period = gf100_swap_user,			\
	.state = gf100_state,				\
	.ack = gf100_ack,				\
	.counter = gf100_counter,			\
	.cycles = gf100_cycles,				\
	.trailer_probe = gf100_trailer_probe,		\
	.sig_status = gf100_sig_status,			\
	.life = gf100_life,				\
	.user = gf100_user,				\
	.periodic_run = gf100_periodic_run,		\
	.units = gf100_units,				\
	.enable = gf100_enable

static const struct pcounter_gen_ops gf100_ops = {
	GF100_COMMON_OPS,
};

#define GK104_GATING					\
	.ungate = gk104_ungate,				\
	.gate = gk104_gate

static const struct pcounter_gen_ops gk104_ops = {
	GF100_COMMON_OPS,
	GK104_GATING,
};

static const struct pcounter_gen_ops gm107_ops = {
	GF100_COMMON_OPS,
	GK104_GATING,
	.is_known = gm107_is_known,
};

#define GF100_CAPS	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_SUM_B4 |		\
			 PCOUNTER_CAP_SUM_EXTRA | PCOUNTER_CAP_IMPORT |		\
			 PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_PERIODIC |	\
			 PCOUNTER_CAP_SETS | PCOUNTER_CAP_USER | PCOUNTER_CAP_MUX)

/* Clocks are not documented, 2 GHz is assumed as their bound. */
#define GF100_COMMON						\
	.layout = "gf100-pcounter",				\
	.counter_bits = 32,					\
	.saturated = NV40_CTR_SATURATED,			\
	.max_clock_hz = 2000000000,				\
	.zero = GF100_TRAILER_USER_0,				\
	.trigger = GF100_TRAILER_TRIGGER,			\
	.windows = {						\
		{ GF100_PCOUNTER_BASE, GF100_PCOUNTER_SIZE },	\
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },			\
		{ GF100_UNITS_BASE, GF100_UNITS_SIZE },		\
		{ GF100_HUB_MUX_BASE, GF100_HUB_MUX_SIZE },	\
		{ GF100_ROP_MUX_BASE, GF100_ROP_MUX_SIZE },	\
		{ GF100_GPC_MUX_BASE, GF100_GPC_MUX_SIZE },	\
		{ GF100_FB_MUX_BASE, GF100_FB_MUX_SIZE },	\
		{ GF100_PMFB_BASE, GF100_PMFB_SIZE },		\
		{ GM107_LTC_MUX_BASE, GM107_LTC_MUX_SIZE },	\
		{ PDAEMON_BASE, PDAEMON_SIZE },			\
	}

/* GF100:GK104 */
const struct pcounter_gen pcounter_gen_gf100 = {
	GF100_COMMON,
	.caps = GF100_CAPS,
	.ops = &gf100_ops,
};

/* GK104:GM107 */
const struct pcounter_gen pcounter_gen_gk104 = {
	GF100_COMMON,
	.caps = GF100_CAPS,
	.ops = &gk104_ops,
};

/* GM107-, as far as traces of GM206 and NVIDIA's lists go: hw:real-cards/d11 */
const struct pcounter_gen pcounter_gen_gm107 = {
	GF100_COMMON,
	.caps = GF100_CAPS | PCOUNTER_CAP_SUM_OWN,
	.ops = &gm107_ops,
};
