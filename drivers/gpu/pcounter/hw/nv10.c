// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nv10-pcounter layout (NV10:NV40).
 * Facts: hw:registers/nv10, hw:inputs, hw:registers/ctrl-nv10, hw:modes.
 */
#include <linux/bits.h>

#include "hw/registers.h"
#include "hw/regs.h"

#define CTR_MODE		BIT(2)
#define SINGLE_STATE(d)		(GENMASK(4, 3) << (2 * (d)))
#define EVENT_CTR_PERIOD(d)	BIT(8 + (d))	/* NV15:NV40 */
#define MODE_QUAD(d)		BIT(16 + 2 * (d))	/* NV30:NV40 */
#define QUAD_STATE(d)		(GENMASK(25, 24) << (2 * (d)))	/* NV30:NV40 */
/* CTRL without read-only bits and the TV-out pins, which stay off. */
#define ALL_CONFIG		(CTR_MODE | EVENT_CTR_PERIOD(0) | MODE_QUAD(0) |	\
				 EVENT_CTR_PERIOD(1) | MODE_QUAD(1))

/* number of reads that wait for a value of CTRL */
#define NV10_PROBE_READS	20

static void nv10_restore_ctrl(const struct pcounter_block *b, u32 ctrl)
{
	if ((pcounter_reg_read(b, PCOUNTER_REG_CTRL) ^ ctrl) & ALL_CONFIG)
		pcounter_reg_write(b, PCOUNTER_REG_CTRL, ctrl);
}

/*
 * With two domains, CTRL has the same address as a word of domain 1's
 * SIG_STATUS. It is unknown which of the two a read returns (hw:ambiguities/8).
 */
static bool nv10_ctrl_answers(const struct pcounter_block *b)
{
	u32 ctrl = pcounter_reg_read(b, PCOUNTER_REG_CTRL) & ALL_CONFIG;
	u32 moved = ctrl ^ EVENT_CTR_PERIOD(b->nr);
	unsigned int i;
	bool answers = false;

	pcounter_reg_write(b, PCOUNTER_REG_CTRL, moved);
	for (i = 0; i < NV10_PROBE_READS && !answers; i++)
		answers = !((pcounter_reg_read(b, PCOUNTER_REG_CTRL) ^ moved) &
			    ALL_CONFIG);
	pcounter_reg_write(b, PCOUNTER_REG_CTRL, ctrl);
	return answers;
}

#define AT(addr)		{ .base = addr, .stride = 0x100 }
#define AT_INPUTS(pre)		{ .base = pre, .stride = 0x100, .input_stride = 8 }
#define AT_IF(addr, needs)	{ .base = addr, .stride = 0x100, .caps = needs }

const struct pcounter_reg_table pcounter_nv10 = {
	.layout = "nv10-pcounter",
	/* Memory clocks of these boards stayed below 1 GHz, which is the assumed bound. */
	.max_clock_hz = 1000000000,
	.at = {
		[PCOUNTER_REG_SRC ... PCOUNTER_REG_SRC + PCOUNTER_STOP] = AT_INPUTS(0x00a400),
		[PCOUNTER_REG_SRC + PCOUNTER_OP_SETFLAG] =
			AT_IF(0x00a420, PCOUNTER_CAP_OWN_FLAG_SRC),
		[PCOUNTER_REG_SRC + PCOUNTER_OP_CLRFLAG] =
			AT_IF(0x00a428, PCOUNTER_CAP_OWN_FLAG_SRC),
		[PCOUNTER_REG_OP ... PCOUNTER_REG_OP + PCOUNTER_OP_CLRFLAG] = AT_INPUTS(0x00a404),
		[PCOUNTER_REG_CTR + PCOUNTER_PRE] = AT(0x00a620),
		[PCOUNTER_REG_CTR + PCOUNTER_START] = AT(0x00a618),
		[PCOUNTER_REG_CTR + PCOUNTER_EVENT] = AT(0x00a610),
		[PCOUNTER_REG_CTR + PCOUNTER_STOP] = AT(0x00a624),
		[PCOUNTER_REG_CYCLES] = AT(0x00a600),
		[PCOUNTER_REG_CYCLES_ALT] = AT(0x00a608),
		[PCOUNTER_REG_CTRL] = { .base = 0x00a73c },	/* one for both domains */
		[PCOUNTER_REG_ACK] = { .base = 0x00a738 },	/* NV30:NV40 */
		[PCOUNTER_REG_SIG_STATUS] = AT(0x00a430),
		[PCOUNTER_REG_THRESHOLD] = AT(0x00a628),
		[PCOUNTER_REG_THRESHOLD_HI] = AT_IF(0x00a62c, PCOUNTER_CAP_CTR_40),
		[PCOUNTER_REG_TRIGGER] = { .base = NV_PGRAPH_DEBUG_1 },
	},
	.ctrl = { {
		.preserve_mask = ALL_CONFIG,
		.mode = MODE_QUAD(0),
		.quad = MODE_QUAD(0),
		.ctr = CTR_MODE,
		.all = EVENT_CTR_PERIOD(0),
		.quad_state = QUAD_STATE(0),
		.single_state = SINGLE_STATE(0),
		.ack = BIT(0),
	}, {
		.preserve_mask = ALL_CONFIG,
		.mode = MODE_QUAD(1),
		.quad = MODE_QUAD(1),
		.ctr = CTR_MODE,
		.all = EVENT_CTR_PERIOD(1),
		.quad_state = QUAD_STATE(1),
		.single_state = SINGLE_STATE(1),
		.ack = BIT(8),
	} },
	.ctrl_shared = true,
	.status_gap = 0x200 - SIG_STATUS_HALF_WORDS * sizeof(u32),
	/* domain 1 has 64 signals; QUAD_ACK and CTRL may follow from word 6 on */
	.status_words = 2,
	.status_end = 6,
	.restore_ctrl = nv10_restore_ctrl,
	.ctrl_answers = nv10_ctrl_answers,
	.life = pcounter_life_of_signals,
};
