// SPDX-License-Identifier: GPL-2.0-only
/* Experiments with registers and levels of signals, without counting. */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/record.h"
#include "hw/regs.h"
#include "lab/bench.h"
#include "rules/lookup.h"

#define FLUSH_LOOKS	2000
/* Signals of GF100+'s trailer, counted from + 0x1f. */
#define PAUSED		13
#define MAIN_SIGNALS	(GENMASK(7, 0) | BIT(12))
#define LOOKS		8
#define PTIMER_LOOKS	24	/* at each level */
#define PTIMER_TRIES	1000
#define PTIMER_US	7
#define PTIMER_BIT	17	/* of PTIMER, visible in a signal */
#define UNNAMED		(0x7f4 - 0x7c0)	/* two words behind CTRL of NV40:GF100 */

/* The set-up has measured it. */
static void write_delay(struct pcounter_bench *b)
{
	b->found.var[0] = b->settle - 1;
}

static void status_overlap(struct pcounter_bench *b)
{
	b->found.var[0] = b->hidden;
}

/* ---- values that registers keep ---- */

/* Return the bits of a register that do not take both levels. */
static u32 lost_bits(struct pcounter_bench *b, unsigned int reg, u32 bits)
{
	u32 addr = bench_reg(b, 0, reg), lost = 0, wanted, got;
	unsigned int i;

	for (i = 0; addr && i < 2; i++) {
		wanted = (i ? 0xaaaaaaaa : 0x55555555) & bits;
		bench_write(b, 0, reg, wanted);
		got = bench_rd(b, addr) & bits;
		lost |= wanted ^ got;
		if (wanted != got)
			bench_differs(b, addr, wanted, got);
	}
	return lost;
}

static void registers(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_OPS; i++)
		b->found.var[0] |= lost_bits(b, PCOUNTER_REG_SRC + i, ~0);
	for (i = 0; i < PCOUNTER_OPS; i++)
		b->found.var[0] |= lost_bits(b, PCOUNTER_REG_OP + i,
					     NV40_OP_TABLE | NV40_OP_DELAY_01);
	if (bench_has(b, PCOUNTER_CAP_SWAP_SRC))
		b->found.var[0] |= lost_bits(b, PCOUNTER_REG_SWAP_SRC, NV40_SPEC_SRC_SWAP);
}

/* Two words that answer on C51 and MCP73. Variables: both, and looks that differ. */
static void unnamed(struct pcounter_bench *b)
{
	u32 addr = pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, 0) + UNNAMED;
	unsigned int i;

	for (i = 0; i < 2; i++)
		b->found.var[i] = bench_rd(b, addr + 4 * i);
	for (i = 0; i < 2 * LOOKS; i++, bench_wait(b, PTIMER_US))
		b->found.var[2] += bench_rd(b, addr + 4 * (i % 2)) != b->found.var[i % 2];
}

static void spec_src(struct pcounter_bench *b)
{
	bench_write(b, 0, PCOUNTER_REG_SWAP_SRC, 0x55);
	bench_get(b, 0, 0, PCOUNTER_REG_SWAP_SRC);
	bench_write(b, 0, PCOUNTER_REG_SWAP_SRC, 0xaa);
	bench_get(b, 1, 0, PCOUNTER_REG_SWAP_SRC);
}

static void flush_busy(struct pcounter_bench *b)
{
	u32 n;

	bench_pulse(b, G80_VM_FLUSH, G80_VM_FLUSH_BUSY |
		    FIELD_PREP(G80_VM_FLUSH_ENGINE, G80_VM_ENGINE_PCOUNTER));
	for (n = 0; n < FLUSH_LOOKS; n++) {
		if (!(bench_rd(b, G80_VM_FLUSH) & G80_VM_FLUSH_BUSY))
			break;
		if (n > 16)
			bench_wait(b, 1);
	}
	b->found.var[0] = n;
}

/* ---- trailers ---- */

/*
 * Trailers found by the set-up: a byte for each, 8 of HUB, 8 of GPC 0 and 4 of
 * partition 0, 0xff where none was found. The last variable is the number of
 * trailers that differ from the tables.
 */
static void trailers(struct pcounter_bench *b)
{
	u32 *var = b->found.var;
	unsigned int i, at;

	memset(var, 0xff, sizeof(b->found.var));
	var[PCOUNTER_EXP_VARS - 1] = b->unlike;
	for (i = 0; i < b->topo.nr; i++) {
		if (b->base[i] == PCOUNTER_TRAILER_UNKNOWN)
			continue;
		at = b->topo.dom[i].set * 8 + b->topo.dom[i].dom;
		var[at / 4] &= ~(0xffU << (at % 4 * 8));
		var[at / 4] |= (u32)b->base[i] << (at % 4 * 8);
	}
}

static void g98_trailer(struct pcounter_bench *b)
{
	b->found.var[0] = b->base[2];
	b->found.var[1] = b->base[5];
}

static void junk(struct pcounter_bench *b)
{
	unsigned int i, which, w;

	for (i = 0; i < 16; i++) {
		for (which = 0; which < 2 && b->dom[which] >= 0; which++)
			for (w = bench_trailer_end(b, which) / STATUS_BITS; w < STATUS_WORDS; w++)
				b->found.var[0] |= bench_levels(b, b->dom[which], w);
		bench_clocks(b, 3);
	}
}

/*
 * Variables: numbers of words 8 to 15 of SIG_STATUS that fail, that read 0, and
 * that read as word 0 to 7 does; number of the latter that stood still.
 */
static void status_16(struct pcounter_bench *b)
{
	u32 before, val;
	unsigned int w;

	/* one level is not 0: the flag */
	bench_op(b, 0, PCOUNTER_OP_SETFLAG, ALWAYS);
	bench_clocks(b, 16);
	for (w = 0; w < STATUS_WORDS; w++) {
		before = bench_levels(b, b->dom[0], w);
		val = bench_levels(b, b->dom[0], w + STATUS_WORDS);
		b->found.var[0] += pcounter_is_dead(val);
		b->found.var[1] += !val;
		if (before != bench_levels(b, b->dom[0], w))
			continue;
		b->found.var[2] += val == before;
		b->found.var[3]++;
	}
}

/*
 * Variables: looks, of 8, at which PAUSED was 1 in quad mode, and in a HALTED
 * domain; VSTATUS of both; signals from the trailer's + 0x1f to + 0x26, and + 0x2b
 * as bit 12, that were 1 at a look, and that moved.
 */
static void halted_pauses(struct pcounter_bench *b)
{
	u32 word = bench_dom(b, 0)->trailer / STATUS_BITS, ones = 0, zeros = 0, seen;
	unsigned int halted, i;

	for (halted = 0; halted < 2; halted++) {
		bench_ctrl(b, 0, halted ? BENCH_OFF : BENCH_QUAD);
		for (i = 0; i < LOOKS; i++, bench_clocks(b, 7)) {
			seen = bench_levels(b, b->dom[0], word) >> (STATUS_BITS - 1) |
			       bench_levels(b, b->dom[0], word + 1) << 1;
			b->found.var[halted] += seen >> PAUSED & 1;
			ones |= seen;
			zeros |= ~seen;
		}
		bench_get(b, 2 + halted, 0, PCOUNTER_REG_VSTATUS);
	}
	b->found.var[4] = ones & MAIN_SIGNALS;
	b->found.var[5] = ones & zeros & MAIN_SIGNALS;
}

/* ---- PTIMER ---- */

/*
 * Read the levels of domain 0 and the bit, away from a change of the bit.
 * Return false if the bit was about to change or has just changed.
 */
static bool look_at_time(struct pcounter_bench *b, u32 levels[STATUS_WORDS], bool *bit)
{
	u32 before, after;
	unsigned int w, eighth;

	before = bench_rd(b, NV_PTIMER_TIME_LOW);
	for (w = 0; w < STATUS_WORDS; w++)
		levels[w] = bench_levels(b, 0, w);
	after = bench_rd(b, NV_PTIMER_TIME_LOW);
	*bit = before & BIT(PTIMER_BIT);
	eighth = before >> (PTIMER_BIT - 3) & 7;
	return eighth && eighth != 7 && after - before < BIT(PTIMER_BIT - 3);
}

/*
 * Variables: number of signals at the bit's level in all reads; the first of
 * these signals; the signal of the tables, and whether it is one of these;
 * reads with the bit at 0, and at 1.
 */
static void ptimer(struct pcounter_bench *b)
{
	u32 same[STATUS_WORDS], levels[STATUS_WORDS], *var = b->found.var, *looks = &var[4];
	unsigned int i, w;
	bool bit;

	memset(same, 0xff, sizeof(same));
	for (i = 0; i < PTIMER_TRIES && (looks[0] < PTIMER_LOOKS || looks[1] < PTIMER_LOOKS); i++) {
		bench_wait(b, PTIMER_US);
		if (!look_at_time(b, levels, &bit))
			continue;
		looks[bit]++;
		for (w = 0; w < STATUS_WORDS; w++)
			same[w] &= bit ? levels[w] : ~levels[w];
	}
	for (i = 0; i < STATUS_WORDS * STATUS_BITS; i++) {
		if (!(same[i / STATUS_BITS] & BIT(i % STATUS_BITS)))
			continue;
		var[1] = var[0]++ ? var[1] : i;
	}
	i = bench_signal(b, PTIMER_TIME)->sig;
	var[2] = i;
	var[3] = !!(same[i / STATUS_BITS] & BIT(i % STATUS_BITS));
}

/* ---- GPCs and partitions ---- */

static bool answers(struct pcounter_bench *b, unsigned int block)
{
	return !pcounter_is_dead(bench_rd(b, pcounter_reg_addr(b->gen, PCOUNTER_REG_CTRL, block)));
}

/*
 * Variables: number of units as they are numbered now; number of these for
 * which a block answers; masks of disabled units. Partitions are << 16.
 */
static void unit_holes(struct pcounter_bench *b)
{
	static const u32 disabled[] = {
		GF100_GPC_DISABLED_HW, GF100_GPC_DISABLED_SW,
		GF100_PART_DISABLED_HW, GF100_PART_DISABLED_SW,
	};
	unsigned int i;
	u32 mask;

	for (i = 0; i < b->topo.nr; i++) {
		if (b->topo.dom[i].set == PCOUNTER_SET_HUB || b->topo.dom[i].dom)
			continue;
		b->found.var[0]++;
		b->found.var[1] += answers(b, b->topo.dom[i].block);
	}
	for (i = 0; i < ARRAY_SIZE(disabled); i++) {
		mask = bench_rd(b, disabled[i]);
		b->found.var[2] |= (mask & 0xffff) << (i < 2 ? 0 : 16);
	}
}

/* ---- TPCs that are lost ---- */

/* Return the mask of lost TPCs of a place of the design. */
static u32 read_lost(struct pcounter_bench *b, unsigned int place)
{
	if (b->topo.chip->bucket == PCOUNTER_BUCKET_GM107)
		return bench_rd(b, GM107_TPC_DISABLED(place));
	return bench_rd(b, GK104_TPC_DISABLED_HW(place)) |
	       bench_rd(b, GK104_TPC_DISABLED_SW(place));
}

/* Return the domains of a GPC that answer, with the one after those of the design. */
static u32 read_doms(struct pcounter_bench *b, unsigned int gpc)
{
	u32 doms = 0, block = GF100_GPC_BLOCK + gpc * GF100_UNIT_BLOCKS;
	unsigned int i;

	for (i = 0; i <= b->topo.chip->set[PCOUNTER_SET_GPC].domains; i++)
		doms |= answers(b, block + i) ? BIT(i) : 0;
	return doms;
}

/*
 * Variables: number of GPCs that have lost TPCs by the mask or the number of TPCs; number
 * of these whose domains that answer are as many, and those of a mask that is not 0;
 * number of these with a domain beyond the design; of the first one the mask, the domains,
 * the number of TPCs.
 */
static void tpc_domains(struct pcounter_bench *b)
{
	u32 gone = bench_rd(b, GF100_GPC_DISABLED_HW) | bench_rd(b, GF100_GPC_DISABLED_SW);
	u32 all = GENMASK(b->topo.chip->set[PCOUNTER_SET_GPC].domains - 2, 0), lost, nr, doms;
	unsigned int place, gpc = 0;

	for (place = 0; place < GK104_TPC_MASKS; place++) {
		if (pcounter_topo_find(&b->topo, PCOUNTER_SET_GPC, gpc, 0) < 0)
			break;
		if (gone & BIT(place))
			continue;
		lost = read_lost(b, place) & all;
		nr = bench_rd(b, GF100_GPC_TPC_COUNT(gpc)) & GF100_GPC_TPC_COUNT_MASK;
		doms = lost || nr != hweight32(all) ? read_doms(b, gpc) : 0;
		if (doms && !b->found.var[0]++) {
			b->found.var[3] = lost;
			b->found.var[4] = doms;
			b->found.var[5] = nr;
		}
		b->found.var[1] += doms && nr == hweight32(doms >> 1) &&
				   (!lost || doms == ((all & ~lost) << 1 | BIT(0)));
		b->found.var[2] += doms > (all << 1 | BIT(0));
		gpc++;
	}
}

const struct pcounter_experiment pcounter_register_experiments[] = {
	{ .name = "status_overlap", .caps = PCOUNTER_CAP_CTRL_SHARED,
	  .needs = PCOUNTER_NEEDS_CTRL | PCOUNTER_NEEDS_RAW, .make = status_overlap,
	  .reading = { { EQ(0, 0) }, { EQ(0, 1) } } },
	{ .name = "write_delay", .needs = PCOUNTER_NEEDS_RAW, .make = write_delay,
	  .reading = { { EQ(0, 0) }, { LT(0, 64) } } },
	{ .name = "registers", .make = registers,
	  .reading = { { EQ(0, 0) } } },
	{ .name = "trailers", .make = trailers,
	  .reading = { { EQ(5, 0) } } },
	{ .name = "ptimer", .needs = PCOUNTER_NEEDS_READS | PCOUNTER_NEEDS_RAW,
	  .signal = PTIMER_TIME, .open = true, .make = ptimer,
	  .reading = { { EQ(0, 1), EQ(3, 1) }, { EQ(0, 1), EQ(3, 0) } } },
	{ .name = "unnamed", .caps = PCOUNTER_CAP_IMPORT, .absent = PCOUNTER_CAP_SETS,
	  .needs = PCOUNTER_NEEDS_READS | PCOUNTER_NEEDS_RAW, .make = unnamed,
	  .reading = { { EQ(0, 0), EQ(1, 0), EQ(2, 0) }, { EQ(2, 0) }, { GT(2, 0) } } },
	{ .name = "spec_src", .absent = PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_CTRL_SHARED,
	  .make = spec_src,
	  .reading = { { VAR_EQ(0, 1, 0) }, { EQ(0, 0x55), EQ(1, 0xaa) } } },
	{ .name = "junk", .needs = PCOUNTER_NEEDS_SPACE, .make = junk,
	  .reading = { { EQ(0, 0) }, { GT(0, 0) } } },
	{ .name = "flush_busy", .caps = PCOUNTER_CAP_PACKETS, .make = flush_busy,
	  .reading = { { EQ(0, 0) }, { LT(0, FLUSH_LOOKS) }, { EQ(0, FLUSH_LOOKS) } } },
	{ .name = "g98_trailer", .from = 0x98, .to = 0x98, .make = g98_trailer,
	  .reading = { { EQ(0, 0x80), EQ(1, 0x60) }, { EQ(0, 0xc0), EQ(1, 0xe0) } } },
	{ .name = "status_16", .caps = PCOUNTER_CAP_SETS, .mode = BENCH_QUAD, .open = true,
	  .make = status_16,
	  .reading = { { EQ(0, STATUS_WORDS) }, { EQ(1, STATUS_WORDS) },
		       { GT(3, 0), VAR_EQ(2, 3, 0) } } },
	{ .name = "halted_pauses", .caps = PCOUNTER_CAP_SETS, .make = halted_pauses,
	  .reading = { { EQ(0, 0), EQ(1, 0) }, { EQ(0, 0), EQ(1, LOOKS) }, { GT(0, 0) } } },
	{ .name = "unit_holes", .caps = PCOUNTER_CAP_SETS, .open = true, .make = unit_holes,
	  .reading = { { GT(2, 0), VAR_EQ(1, 0, 0) }, { GT(2, 0), VAR_LT(1, 0, 0) } } },
	{ .name = "tpc_domains", .caps = PCOUNTER_CAP_SETS, .from = 0xe4,
	  .needs = PCOUNTER_NEEDS_RAW, .open = true, .make = tpc_domains,
	  .reading = { { GT(0, 0), VAR_EQ(1, 0, 0) }, { GT(2, 0) }, { GT(0, 0) } } },
	{ }
};
