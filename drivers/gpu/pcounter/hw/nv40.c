// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the nv40-pcounter layout (NV40:GF100).
 * Facts: hw:registers/nv40, hw:inputs, hw:modes.
 */
#include <linux/bitops.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/registers.h"
#include "hw/regs.h"

/*
 * Number of reads of the flag in one trailer probe. The flag follows SETFLAG by
 * two domain clocks, less than one register read unless the clock is slow.
 */
#define NV40_PROBE_READS	20

static bool g84_swap_pre_op(const struct pcounter_block *b, const struct pcounter_image *img)
{
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_PRE, img->op[PCOUNTER_PRE]);
	return true;
}

static void nv40_store_flag(const struct pcounter_block *b, u32 set, u32 clear)
{
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, clear);
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG, set);
}

/* Return the words of SIG_STATUS whose bit for this domain's flag has the level. */
static u8 nv40_flag_words(const struct pcounter_block *b, bool level)
{
	u8 words = 0;
	unsigned int w;

	for (w = 0; w < NV40_SIG_STATUS_WORDS; w++)
		if (!(pcounter_read_levels(b, w) & BIT(NV40_TRAILER_FLAG(b->nr))) == !level)
			words |= BIT(w);
	return words;
}

/*
 * The flag is the only trailer signal that software can change. Set and clear
 * it until only one status word has followed every time.
 */
static u16 nv40_trailer_probe(const struct pcounter_block *b, const struct pcounter_image *img)
{
	u8 words = GENMASK(NV40_SIG_STATUS_WORDS - 1, 0);
	unsigned int i;
	bool level = true;

	for (i = 0; i < NV40_PROBE_READS && words; i++, level = !level) {
		nv40_store_flag(b, level ? NV40_OP_TABLE : 0, level ? 0 : NV40_OP_TABLE);
		/* the first read may still return the old level */
		nv40_flag_words(b, level);
		words &= nv40_flag_words(b, level);
	}
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG, 0);
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG, 0);
	if (hweight8(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 1) * NV40_SIG_STATUS_BITS;
}

#define NV40_COMMON_OPS					\
	.life = pcounter_life_of_signals,		\
	.trailer_probe = nv40_trailer_probe

static const struct pcounter_gen_ops nv40_ops = {
	NV40_COMMON_OPS,
	.swap_period = pcounter_swap_pm_trigger,
};

static const struct pcounter_gen_ops g84_ops = {
	NV40_COMMON_OPS,
	.swap_period = g84_swap_pre_op,
};

#define AT(addr)		{ .base = addr, .stride = NV40_STRIDE }
#define AT_IF(addr, needs)	{ .base = addr, .stride = NV40_STRIDE, .caps = needs }

static const struct pcounter_reg_table nv40_table = {
	.at = {
		[PCOUNTER_REG_SRC + PCOUNTER_PRE] = AT(NV40_SRC(PCOUNTER_PRE, 0)),
		[PCOUNTER_REG_SRC + PCOUNTER_START] = AT(NV40_SRC(PCOUNTER_START, 0)),
		[PCOUNTER_REG_SRC + PCOUNTER_EVENT] = AT(NV40_SRC(PCOUNTER_EVENT, 0)),
		[PCOUNTER_REG_SRC + PCOUNTER_STOP] = AT(NV40_SRC(PCOUNTER_STOP, 0)),
		[PCOUNTER_REG_OP + PCOUNTER_PRE] = AT(NV40_OP(PCOUNTER_PRE, 0)),
		[PCOUNTER_REG_OP + PCOUNTER_START] = AT(NV40_OP(PCOUNTER_START, 0)),
		[PCOUNTER_REG_OP + PCOUNTER_EVENT] = AT(NV40_OP(PCOUNTER_EVENT, 0)),
		[PCOUNTER_REG_OP + PCOUNTER_STOP] = AT(NV40_OP(PCOUNTER_STOP, 0)),
		[PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG] = AT(NV40_SETFLAG_OP(0)),
		[PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG] = AT(NV40_CLRFLAG_OP(0)),
		[PCOUNTER_REG_CTR + PCOUNTER_PRE] = AT(NV40_CTR_PRE),
		[PCOUNTER_REG_CTR + PCOUNTER_START] = AT(NV40_CTR_START),
		[PCOUNTER_REG_CTR + PCOUNTER_EVENT] = AT(NV40_CTR_EVENT),
		[PCOUNTER_REG_CTR + PCOUNTER_STOP] = AT(NV40_CTR_STOP),
		[PCOUNTER_REG_CYCLES] = AT(NV40_CTR_CYCLES(0)),
		[PCOUNTER_REG_CYCLES_ALT] = AT(NV40_CTR_CYCLES_ALT),
		[PCOUNTER_REG_CTRL] = AT(NV40_CTRL(0)),
		[PCOUNTER_REG_ACK] = AT(NV40_QUAD_ACK_TRIGGER),
		[PCOUNTER_REG_THRESHOLD] = AT(NV40_THRESHOLD),
		/* documented from G84 on; an experiment also uses it before */
		[PCOUNTER_REG_SWAP_SRC] = AT(NV40_SPEC_SRC(0)),
		[PCOUNTER_REG_SRC_STATUS] = AT(NV40_SRC_STATUS),
		[PCOUNTER_REG_USER] = AT_IF(NV40_USER_TRIGGER, PCOUNTER_CAP_USER),
		[PCOUNTER_REG_TRIGGER] = { .base = NV_PGRAPH_DEBUG_1 },
		[PCOUNTER_REG_PERIODIC] = { .base = NV40_GCTRL, .caps = PCOUNTER_CAP_PERIODIC },
		[PCOUNTER_REG_FLUSH] = { .base = G80_VM_FLUSH },
		[PCOUNTER_REG_PTIMER] = { .base = NV_PTIMER_TIME_LOW },
		[PCOUNTER_REG_RECORD_HIGH] =
			AT_IF(NV40_RECORD_ADDRESS_HIGH(0), PCOUNTER_CAP_RECORD_HIGH),
		[PCOUNTER_REG_RECORD_LIMIT] = AT_IF(NV40_RECORD_LIMIT(0), PCOUNTER_CAP_RECORD),
		[PCOUNTER_REG_RECORD_START] = AT_IF(NV40_RECORD_START(0), PCOUNTER_CAP_RECORD),
		[PCOUNTER_REG_RECORD_STATUS] = AT_IF(NV40_RECORD_STATUS(0), PCOUNTER_CAP_RECORD),
	},
	.ctrl = { {
		.config = NV40_CTRL_CONFIG,
		/* undocumented bits included */
		.preserve_mask = ~(u32)(NV40_CTRL_QUAD_STATE | NV40_CTRL_SINGLE_STATE |
					NV40_CTRL_FAULT_CLEAR),
		.watch = NV40_CTRL_CONFIG,
		.mode = NV40_CTRL_MODE,
		.off = NV40_CTRL_MODE_SINGLE,
		.quad = NV40_CTRL_MODE_QUAD,
		.record = NV40_CTRL_MODE_RECORD,
		.brief = NV40_CTRL_RECORD_FORMAT,
		.ctr = NV40_CTRL_CTR_MODE,
		.all = NV40_CTRL_EVENT_CTR_PERIOD,
		.evpulse = NV40_CTRL_EVENT_IMPORT_MODE,
		.flagpulse = NV40_CTRL_FLAG_IMPORT_MODE,
		.periodic = NV40_CTRL_PERIODIC_PERIOD,
		.quad_state = NV40_CTRL_QUAD_STATE,
		.single_state = NV40_CTRL_SINGLE_STATE,
		.ack = NV40_QUAD_ACK_TRIGGER_ACK,
	} },
	.user_levels = NV40_USER_TRIGGER_LEVELS,
	.user_pulses = 2,
};

/* Shader clocks are known to reach 1.5 GHz; the driver assumes a bound of 2 GHz. */
#define NV40_COMMON					\
	.layout = "nv40-pcounter",			\
	.table = &nv40_table,				\
	.counter_bits = 32,				\
	.max_clock_hz = 2000000000

#define NV40_CAPS	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG |		\
			 PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_PERIOD |		\
			 PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_SUM_EXTRA |		\
			 PCOUNTER_CAP_IMPORT)
#define G84_CAPS	(NV40_CAPS | PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_PERIODIC |	\
			 PCOUNTER_CAP_RECORD | PCOUNTER_CAP_MUX)
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

#define G84_WINDOWS						\
	{							\
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },	\
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },			\
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },		\
		{ G80_VM_BASE, G80_VM_SIZE },			\
		{ G80_MUX_BASE, G80_MUX_SIZE },			\
	}

/* G84:G92 */
const struct pcounter_gen pcounter_gen_g84 = {
	NV40_COMMON,
	.caps = G84_CAPS,
	.windows = G84_WINDOWS,
	.ops = &g84_ops,
};

/* G92:GT215 */
const struct pcounter_gen pcounter_gen_g92 = {
	NV40_COMMON,
	.caps = G92_CAPS,
	.windows = G84_WINDOWS,
	.ops = &g84_ops,
};

/* GT215:GF100 */
const struct pcounter_gen pcounter_gen_gt215 = {
	NV40_COMMON,
	/*
	 * reads that time out return 0, hw:coexistence/clocks; later chips have
	 * error patterns
	 */
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
	.ops = &g84_ops,
};
