// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generation operations of the nv10-pcounter layout (NV10:NV40).
 * Facts: hw:registers/nv10, hw:inputs, hw:registers/ctrl-nv10, hw:modes.
 */
#include <linux/bits.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/registers.h"
#include "hw/regs.h"

/* CTRL without read-only bits and the TV-out pins, which stay off. */
#define NV10_CTRL_ALL_CONFIG							\
	(NV10_CTRL_CTR_MODE |							\
	 NV10_CTRL_EVENT_CTR_PERIOD(0) | NV10_CTRL_MODE_QUAD(0) |		\
	 NV10_CTRL_EVENT_CTR_PERIOD(1) | NV10_CTRL_MODE_QUAD(1))

/* number of reads that wait for a value of CTRL */
#define NV10_PROBE_READS	20

static void nv10_restore_ctrl(const struct pcounter_block *b, u32 ctrl)
{
	if ((pcounter_reg_read(b, PCOUNTER_REG_CTRL) ^ ctrl) & NV10_CTRL_ALL_CONFIG)
		pcounter_reg_write(b, PCOUNTER_REG_CTRL, ctrl);
}

/*
 * With two domains, CTRL has the same address as a word of domain 1's
 * SIG_STATUS. It is unknown which of the two a read returns (hw:ambiguities/8).
 */
static bool nv10_ctrl_answers(const struct pcounter_block *b)
{
	u32 ctrl = pcounter_reg_read(b, PCOUNTER_REG_CTRL) & NV10_CTRL_ALL_CONFIG;
	u32 moved = ctrl ^ NV10_CTRL_EVENT_CTR_PERIOD(b->nr);
	unsigned int i;
	bool answers = false;

	pcounter_reg_write(b, PCOUNTER_REG_CTRL, moved);
	for (i = 0; i < NV10_PROBE_READS && !answers; i++)
		answers = !((pcounter_reg_read(b, PCOUNTER_REG_CTRL) ^ moved) &
			    NV10_CTRL_ALL_CONFIG);
	pcounter_reg_write(b, PCOUNTER_REG_CTRL, ctrl);
	return answers;
}

#define NV10_COMMON_OPS					\
	.restore_ctrl = nv10_restore_ctrl,		\
	.ctrl_answers = nv10_ctrl_answers

static const struct pcounter_gen_ops nv10_ops = {
	NV10_COMMON_OPS,
};

static const struct pcounter_gen_ops nv30_ops = {
	NV10_COMMON_OPS,
	.swap_period = pcounter_swap_pm_trigger,
	.life = pcounter_life_of_signals,
};

#define OWN_SRC		PCOUNTER_CAP_OWN_FLAG_SRC

#define AT(addr)		{ .base = addr, .stride = NV10_STRIDE }
#define AT_IF(addr, needs)	{ .base = addr, .stride = NV10_STRIDE, .caps = needs }

static const struct pcounter_reg_table nv10_table = {
	.at = {
		[PCOUNTER_REG_SRC + PCOUNTER_PRE] = AT(NV10_SRC(PCOUNTER_PRE)),
		[PCOUNTER_REG_SRC + PCOUNTER_START] = AT(NV10_SRC(PCOUNTER_START)),
		[PCOUNTER_REG_SRC + PCOUNTER_EVENT] = AT(NV10_SRC(PCOUNTER_EVENT)),
		[PCOUNTER_REG_SRC + PCOUNTER_STOP] = AT(NV10_SRC(PCOUNTER_STOP)),
		[PCOUNTER_REG_SRC + PCOUNTER_OP_SETFLAG] =
			AT_IF(NV10_SRC(PCOUNTER_OP_SETFLAG), OWN_SRC),
		[PCOUNTER_REG_SRC + PCOUNTER_OP_CLRFLAG] =
			AT_IF(NV10_SRC(PCOUNTER_OP_CLRFLAG), OWN_SRC),
		[PCOUNTER_REG_OP + PCOUNTER_PRE] = AT(NV10_OP(PCOUNTER_PRE)),
		[PCOUNTER_REG_OP + PCOUNTER_START] = AT(NV10_OP(PCOUNTER_START)),
		[PCOUNTER_REG_OP + PCOUNTER_EVENT] = AT(NV10_OP(PCOUNTER_EVENT)),
		[PCOUNTER_REG_OP + PCOUNTER_STOP] = AT(NV10_OP(PCOUNTER_STOP)),
		[PCOUNTER_REG_OP + PCOUNTER_OP_SETFLAG] = AT(NV10_OP(PCOUNTER_OP_SETFLAG)),
		[PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG] = AT(NV10_OP(PCOUNTER_OP_CLRFLAG)),
		[PCOUNTER_REG_CTR + PCOUNTER_PRE] = AT(NV10_CTR_PRE),
		[PCOUNTER_REG_CTR + PCOUNTER_START] = AT(NV10_CTR_START),
		[PCOUNTER_REG_CTR + PCOUNTER_EVENT] = AT(NV10_CTR_EVENT),
		[PCOUNTER_REG_CTR + PCOUNTER_STOP] = AT(NV10_CTR_STOP),
		[PCOUNTER_REG_CYCLES] = AT(NV10_CTR_CYCLES),
		[PCOUNTER_REG_CYCLES_ALT] = AT(NV10_CTR_CYCLES_ALT),
		[PCOUNTER_REG_CTRL] = { .base = NV10_CTRL },
		[PCOUNTER_REG_ACK] = { .base = NV10_QUAD_ACK_TRIGGER },
		[PCOUNTER_REG_THRESHOLD] = AT(NV10_THRESHOLD),
		[PCOUNTER_REG_THRESHOLD_HI] = AT_IF(NV10_THRESHOLD_HI, PCOUNTER_CAP_CTR_40),
		[PCOUNTER_REG_TRIGGER] = { .base = NV_PGRAPH_DEBUG_1 },
		[PCOUNTER_REG_PTIMER] = { .base = NV_PTIMER_TIME_LOW },
	},
	/* one register for both domains */
	.ctrl = { {
		.config = NV10_CTRL_MODE_QUAD(0) | NV10_CTRL_CTR_MODE |
			  NV10_CTRL_EVENT_CTR_PERIOD(0),
		.preserve_mask = NV10_CTRL_ALL_CONFIG,
		.watch = NV10_CTRL_ALL_CONFIG,
		.mode = NV10_CTRL_MODE_QUAD(0),
		.quad = NV10_CTRL_MODE_QUAD(0),
		.ctr = NV10_CTRL_CTR_MODE,
		.all = NV10_CTRL_EVENT_CTR_PERIOD(0),
		.quad_state = NV10_CTRL_QUAD_STATE(0),
		.single_state = NV10_CTRL_SINGLE_STATE(0),
		.ack = NV10_QUAD_ACK_TRIGGER_DOM(0),
	}, {
		.config = NV10_CTRL_MODE_QUAD(1) | NV10_CTRL_CTR_MODE |
			  NV10_CTRL_EVENT_CTR_PERIOD(1),
		.preserve_mask = NV10_CTRL_ALL_CONFIG,
		.watch = NV10_CTRL_ALL_CONFIG,
		.mode = NV10_CTRL_MODE_QUAD(1),
		.quad = NV10_CTRL_MODE_QUAD(1),
		.ctr = NV10_CTRL_CTR_MODE,
		.all = NV10_CTRL_EVENT_CTR_PERIOD(1),
		.quad_state = NV10_CTRL_QUAD_STATE(1),
		.single_state = NV10_CTRL_SINGLE_STATE(1),
		.ack = NV10_QUAD_ACK_TRIGGER_DOM(1),
	} },
};

/* Memory clocks of these boards stayed below 1 GHz, which is the assumed bound. */
#define NV10_COMMON					\
	.layout = "nv10-pcounter",			\
	.table = &nv10_table,				\
	.max_clock_hz = 1000000000

#define NV10_CAPS	(PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_SUM_B4 |	\
			 PCOUNTER_CAP_CTRL_SHARED)

#define NV10_WINDOWS						\
	{							\
		{ NV40_PCOUNTER_BASE, NV40_PCOUNTER_SIZE },	\
		{ NV_PMC_BOOT_0, NV_PMC_SIZE },			\
		{ NV_PTIMER_BASE, NV_PTIMER_SIZE },		\
	}

/* NV10:NV15 */
const struct pcounter_gen pcounter_gen_nv10 = {
	NV10_COMMON,
	.caps = NV10_CAPS | PCOUNTER_CAP_OWN_FLAG_SRC | PCOUNTER_CAP_CTR_40,
	.counter_bits = 39,
	.windows = NV10_WINDOWS,
	.ops = &nv10_ops,
};

/* NV15:NV30; from NV20 on there are two domains */
const struct pcounter_gen pcounter_gen_nv15 = {
	NV10_COMMON,
	.caps = NV10_CAPS | PCOUNTER_CAP_OWN_FLAG_SRC | PCOUNTER_CAP_CTR_40 |
		PCOUNTER_CAP_PERIOD,
	.counter_bits = 39,
	.windows = NV10_WINDOWS,
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
