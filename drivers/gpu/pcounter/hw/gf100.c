// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gf100-pcounter layout (GF100-), quad event mode.
 * Facts: hw:registers/window, hw:registers/gf100. The layout has registers for
 * single mode, too, whose use no source describes, and for record mode
 * (hw:real-cards/d1).
 */
#include <linux/bitops.h>

#include "hw/io.h"
#include "hw/registers.h"
#include "hw/regs.h"

/* pulses of USER_0 that must end a period each, and reads until that shows */
#define GF100_PROBE_PULSES	5
#define GF100_PROBE_POLLS	4

/* Bits of the USER signals in the status word after the word of the trailer's base. */
#define GF100_TRAILER_USERS	GENMASK(10, 7)
#define GF100_TRAILER_USERS_WORD	1

/* A remark says that EXTRA sums also need START and EVENT: keep both gates open. */
static void gf100_open_gates(const struct pcounter_plan *plan,
			     struct pcounter_image *img)
{
	u8 changed = pcounter_sum_slots(&plan->set);

	if (!pcounter_ctr_modes[plan->set.ctr].extra)
		return;
	img->op[PCOUNTER_START] = PCOUNTER_OP_ALWAYS;
	if (changed & BIT(PCOUNTER_EVENT) || !(plan->used & BIT(PCOUNTER_EVENT)))
		img->op[PCOUNTER_EVENT] = PCOUNTER_OP_ALWAYS;
}

static void gf100_encode(const struct pcounter_plan *plan, struct pcounter_image *img)
{
	gf100_open_gates(plan, img);
	img->filter = 0;
	/* gf100_life() reads PRE in domains whose periods the driver ends */
	if (!(plan->used & BIT(PCOUNTER_PRE)))
		img->op[PCOUNTER_PRE] = plan->set.swap ? PCOUNTER_OP_NEVER :
							 PCOUNTER_OP_ALWAYS;
	/* a level of 1 would swap in every clock */
	img->user &= GF100_USER_OTHERS;
}

/*
 * Return a number that changes with the counts of the running period; an unused
 * PRE counts the clocks. If all four inputs are in use and count nothing, the
 * number does not change.
 */
static u32 gf100_life(const struct pcounter_block *b, unsigned int signals)
{
	u32 pre = pcounter_reg_read(b, PCOUNTER_REG_PRE_NEXT);
	u32 event = pcounter_rd32(b->io, GF100_CTR_EVENT_NEXT(b->nr));

	if (pcounter_is_dead(pre) || pcounter_is_dead(event))
		return 0;
	return pre + 31 * event ?: 1;
}

static void gf100_drive_users(const struct pcounter_block *b, bool level)
{
	pcounter_reg_write(b, PCOUNTER_REG_USER, level ? GF100_USER_LEVELS : 0);
}

static u16 gf100_probe_levels(const struct pcounter_block *b)
{
	u32 found = pcounter_reg_read(b, PCOUNTER_REG_USER) & GF100_USER_LEVELS;
	u16 base = pcounter_probe_levels(b, GF100_TRAILER_USERS, GF100_TRAILER_USERS_WORD,
					 gf100_drive_users);

	pcounter_reg_write(b, PCOUNTER_REG_USER, found);
	return base;
}

/* Write USER, and return true if that ends one period for a pulse, and none without. */
static bool gf100_user_swaps(const struct pcounter_block *b,
			     const struct pcounter_image *img, bool pulse)
{
	enum pcounter_ctrl_state state = PCOUNTER_QUAD_OVERFLOW;
	unsigned int i;

	pcounter_ack_period(b, false);
	pcounter_ack_period(b, false);
	for (i = 0; i < GF100_PROBE_POLLS && state != PCOUNTER_QUAD_EMPTY; i++)
		state = pcounter_read_state(b, img);
	if (state != PCOUNTER_QUAD_EMPTY)
		return false;
	if (pulse)
		pcounter_swap_period(b, img);
	else
		pcounter_reg_write(b, PCOUNTER_REG_USER, img->user);
	for (i = 0; i < GF100_PROBE_POLLS && state == PCOUNTER_QUAD_EMPTY; i++)
		state = pcounter_read_state(b, img);
	return state == (pulse ? PCOUNTER_QUAD_VALID : PCOUNTER_QUAD_EMPTY);
}

/*
 * Chips from GM20B on may not show levels (hw:ambiguities/44): find the base at which
 * the swap input follows USER_0. Another signal may end periods, too, even one with
 * each write, so every second write is no pulse. A stopped clock answers to levels only.
 */
static u16 gf100_probe_swaps(const struct pcounter_block *b, const struct pcounter_image *img)
{
	const struct pcounter_trailer *trailer = pcounter_trailer_of(b->gen->caps);
	u16 base, found = PCOUNTER_TRAILER_UNKNOWN;
	unsigned int i;

	for (base = 0; base + trailer->size <= GF100_SWAP_SRC_SIGNAL + 1 &&
	     found == PCOUNTER_TRAILER_UNKNOWN; base += SIG_STATUS_BITS) {
		pcounter_reg_write(b, PCOUNTER_REG_SWAP_SRC, base + trailer->zero);
		for (i = 2 * GF100_PROBE_PULSES; i && gf100_user_swaps(b, img, !(i & 1)); i--)
			;
		if (!i)
			found = base;
	}
	pcounter_reg_write(b, PCOUNTER_REG_SWAP_SRC, img->swap_src);
	return found;
}

static u16 gf100_trailer_probe(const struct pcounter_block *b, const struct pcounter_image *img)
{
	u16 base = gf100_probe_levels(b);

	return base == PCOUNTER_TRAILER_UNKNOWN ? gf100_probe_swaps(b, img) : base;
}

/*
 * Masks disable units, and the hardware numbers the other units without gaps:
 * NVIDIA's driver uses partitions 0 to 4 of a GF110 with count 6 and mask 1,
 * and all five count. An access to a unit beyond the last returns an error
 * pattern.
 */
static u32 gf100_present(struct pcounter_io *io, u32 count_addr, u32 hw_addr,
			 u32 sw_addr, unsigned int max)
{
	u32 count = pcounter_rd32(io, count_addr), hw, sw;

	if (!count || count > max)
		return 0;
	hw = pcounter_rd32(io, hw_addr);
	sw = sw_addr ? pcounter_rd32(io, sw_addr) : 0;
	if (pcounter_is_dead(hw) || pcounter_is_dead(sw))
		return 0;
	count -= hweight32((hw | sw) & GENMASK(count - 1, 0));
	return count ? GENMASK(count - 1, 0) : 0;
}

/* For GM107 and later NVIDIA's driver reads another mask of partitions (hw:real-cards/r6). */
static void gf100_units(const struct pcounter_gen *gen, struct pcounter_io *io, u32 *gpc_mask,
			u32 *part_mask)
{
	bool gm107 = gen->caps & PCOUNTER_CAP_INFERRED;

	*gpc_mask = gf100_present(io, GF100_GPC_COUNT, GF100_GPC_DISABLED_HW,
				  GF100_GPC_DISABLED_SW, PCOUNTER_MAX_GPCS);
	*part_mask = gf100_present(io, GF100_PART_COUNT,
				   gm107 ? GM107_PART_DISABLED : GF100_PART_DISABLED_HW,
				   gm107 ? 0 : GF100_PART_DISABLED_SW, PCOUNTER_MAX_PARTS);
}

static u32 gk104_ask(struct pcounter_io *io, unsigned int block, unsigned int i)
{
	return pcounter_is_dead(pcounter_rd32(io, GF100_CTRL(block + i))) ? 0 : BIT(i);
}

/*
 * The domains of a GPC belong to the TPCs that are left, in order, if the number of TPCs
 * and the domains that answer agree, no domain beyond the design answers, and the mask
 * agrees, too. A mask of 0 agrees with any number: GM107's may be at another address, and
 * GPC 0 of GK106 has fewer TPCs by design (hw:real-cards/r5). If the engine is off, all
 * domains are silent, which shows nothing about a full GPC.
 */
static void gk104_gpc(struct pcounter_io *io, struct pcounter_topo *topo, unsigned int gpc,
		      u32 lost)
{
	unsigned int block = GF100_GPC_BLOCK + gpc * GF100_UNIT_BLOCKS, i;
	unsigned int domains = topo->chip->set[PCOUNTER_SET_GPC].domains;
	u32 all = GENMASK(domains - 2, 0), left = all & ~lost, doms = 0;
	u32 nr = pcounter_rd32(io, GF100_GPC_TPC_COUNT(gpc)) & GF100_GPC_TPC_COUNT_MASK;

	for (i = 0; i < domains; i++)
		doms |= gk104_ask(io, block, i);
	if (nr == hweight32(all) && left == all && (!doms || doms >> 1 == all))
		return;
	if (!(doms & BIT(0)) || nr != hweight32(doms >> 1) ||
	    (left != all && left != doms >> 1) || gk104_ask(io, block, domains))
		doms = 0;
	pcounter_topo_lose(topo, gpc, doms);
}

/*
 * Find GPCs that have lost TPCs. Their masks are numbered by places of the design, of
 * which lost GPCs have some, too [inferred].
 */
static void gk104_tpcs(struct pcounter_io *io, struct pcounter_topo *topo)
{
	unsigned int place, gpc = 0;
	u32 gone, lost;

	if (!(topo->caps & PCOUNTER_CAP_TPC_DOMAINS))
		return;
	gone = pcounter_rd32(io, GF100_GPC_DISABLED_HW) | pcounter_rd32(io, GF100_GPC_DISABLED_SW);
	for (place = 0; place < GK104_TPC_MASKS &&
	     pcounter_topo_find(topo, PCOUNTER_SET_GPC, gpc, 0) >= 0; place++) {
		if (gone & BIT(place))
			continue;
		lost = topo->chip->bucket == PCOUNTER_BUCKET_GM107 ?
		       pcounter_rd32(io, GM107_TPC_DISABLED(place)) :
		       pcounter_rd32(io, GK104_TPC_DISABLED_HW(place)) |
		       pcounter_rd32(io, GK104_TPC_DISABLED_SW(place));
		gk104_gpc(io, topo, gpc++, lost);
	}
}

/*
 * The graphics driver also writes this register, without a lock, so write it
 * only if needed. All ones is a valid value: nouveau writes it.
 */
static bool gf100_enable(struct pcounter_io *io)
{
	u32 enable = pcounter_rd32(io, NV_PMC_ENABLE);

	if (enable & NV_PMC_ENABLE_PCOUNTER)
		return false;
	pcounter_wr32(io, NV_PMC_ENABLE, enable | NV_PMC_ENABLE_PCOUNTER);
	return true;
}

/*
 * Return true if the engine is on, the chip has GPCs and partitions, SWAP_SRC
 * has 8 bits, the truth tables have 16 and the documented bits above them, and
 * no value is an error pattern. nouveau writes all ones to ENABLE, so that is a
 * valid value.
 */
static bool gm107_is_known(const struct pcounter_block *b)
{
	u32 gpcs, parts, op;
	unsigned int i;

	gf100_units(b->gen, b->io, &gpcs, &parts);
	if (!gpcs || !parts || !(pcounter_rd32(b->io, NV_PMC_ENABLE) & NV_PMC_ENABLE_PCOUNTER))
		return false;
	for (i = 0; i < PCOUNTER_OPS; i++) {
		op = pcounter_reg_read(b, PCOUNTER_REG_OP + i);
		if (pcounter_is_dead(op) || op & ~GF100_OP_KNOWN)
			return false;
	}
	return !pcounter_is_dead(pcounter_reg_read(b, PCOUNTER_REG_CTRL)) &&
	       !(pcounter_reg_read(b, PCOUNTER_REG_SWAP_SRC) & ~GF100_SWAP_SRC_SIGNAL);
}

/* A GPU that slept may have kept 0, the driver's value: do not change @found then. */
static void gk104_ungate(const struct pcounter_block *b, u32 found[PCOUNTER_GATES])
{
	unsigned int i;
	u32 gate;

	if (!(b->gen->caps & PCOUNTER_CAP_GATING))
		return;
	for (i = 0; i < PCOUNTER_GATES; i++) {
		gate = pcounter_reg_read(b, PCOUNTER_REG_SLCG + i);
		if (!gate || pcounter_is_dead(gate))
			continue;
		found[i] = gate;
		pcounter_reg_write(b, PCOUNTER_REG_SLCG + i, 0);
	}
}

static void gk104_gate(const struct pcounter_block *b, u32 found[PCOUNTER_GATES])
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_GATES; i++) {
		if (found[i] && !pcounter_reg_read(b, PCOUNTER_REG_SLCG + i))
			pcounter_reg_write(b, PCOUNTER_REG_SLCG + i, found[i]);
		found[i] = 0;
	}
}

#define AT(addr)		{ .base = addr, .stride = 0x200 }
#define AT_INPUTS(pre)		{ .base = pre, .stride = 0x200, .input_stride = 8 }
#define UNK18			BIT(18)	/* nouveau and nvatiming set it */

const struct pcounter_reg_table pcounter_gf100 = {
	.layout = "gf100-pcounter",
	/* Clocks are not documented; the driver assumes a bound of 2 GHz. */
	.max_clock_hz = 2000000000,
	.at = {
		[PCOUNTER_REG_SRC ... PCOUNTER_REG_SRC + PCOUNTER_STOP] = AT_INPUTS(0x180040),
		[PCOUNTER_REG_OP ... PCOUNTER_REG_OP + PCOUNTER_STOP] = AT_INPUTS(0x180044),
		[PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG] = AT(0x180060),
		[PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG] = AT(0x180064),
		[PCOUNTER_REG_CTR + PCOUNTER_PRE] = AT(0x18008c),
		[PCOUNTER_REG_CTR + PCOUNTER_START] = AT(0x180088),
		[PCOUNTER_REG_CTR + PCOUNTER_EVENT] = AT(0x180080),
		[PCOUNTER_REG_CTR + PCOUNTER_STOP] = AT(0x180090),
		[PCOUNTER_REG_CYCLES] = AT(0x180070),
		[PCOUNTER_REG_CTRL] = AT(GF100_CTRL(0)),
		[PCOUNTER_REG_ACK] = AT(0x1800a0),
		[PCOUNTER_REG_SWAP_SRC] = AT(0x18006c),
		[PCOUNTER_REG_USER] = AT(0x1800ec),
		[PCOUNTER_REG_FILTER] = AT(0x180100),
		[PCOUNTER_REG_SIG_STATUS] = AT(0x180000),
		[PCOUNTER_REG_SRC_STATUS] = AT(0x180068),
		[PCOUNTER_REG_VSTATUS] = AT(0x1800c8),
		/* one register for each GPC, then one for each partition, then one for the HUB */
		[PCOUNTER_REG_PERIODIC] = {
			.base = 0x1b8000, .stride = 0x200, .shift = GF100_UNIT_SHIFT,
		},
		/* nvatiming reads it */
		[PCOUNTER_REG_PRE_NEXT] = AT(0x1800a8),
		/* clock gating, GK104- (hw:registers/gf100-main) */
		[PCOUNTER_REG_SLCG] = { .base = 0x1b8018 },
		[PCOUNTER_REG_SLCG + 1] = { .base = 0x1bc018 },
		[PCOUNTER_REG_SLCG + 2] = { .base = 0x1be018 },
		[PCOUNTER_REG_SLCG + 3] = { .base = 0x1b4124 },
	},
	.ctrl = { {
		.preserve_mask = ~(u32)(GENMASK(25, 24) | GENMASK(29, 28)),
		.mode = GENMASK(2, 0),
		.off = UNK18,
		.quad = 2 | UNK18,
		.record = 5 | UNK18,		/* E of four modes that count */
		.ctr = GENMASK(5, 3),
		.all = BIT(6),
		.evpulse = BIT(7),
		.flagpulse = BIT(8),
		.periodic = GENMASK(23, 21),
		.quad_state = GENMASK(25, 24),
		.single_state = GENMASK(29, 28),
		.ack = BIT(0),
	} },
	/* USER_0 is the driver's swap */
	.user_swaps = true,
	.user_read = GF100_USER_LEVELS,
	.user_levels = GF100_USER_OTHERS,
	.user_pulses = 4,
	.encode = gf100_encode,
	.trailer_probe = gf100_trailer_probe,
	.life = gf100_life,
	.is_known = gm107_is_known,
	.units = gf100_units,
	.tpcs = gk104_tpcs,
	.enable = gf100_enable,
	.ungate = gk104_ungate,
	.gate = gk104_gate,
};
