// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the gf100-pcounter layout (GF100-), hw:registers/window,
 * hw:registers/gf100. How single mode begins is a guess (hw:ambiguities/71).
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define GF100_WINDOW		0x180000
#define GF100_WINDOW_SIZE	0x40000
#define GPC_BLOCKS		0x00000
#define PART_BLOCKS		0x20000
#define HUB_BLOCKS		0x30000
#define STREAM_BLOCK		0x34000
#define GPC_SETS		0x38000
#define PART_SETS		0x3c000
#define HUB_SET			0x3e000

/* Offsets in a domain's block */
enum gf100_reg {
	GF100_STATUS = 0x00,
	GF100_INPUTS = 0x40,	/* PRE_SRC, PRE_OP, START_SRC ... STOP_OP */
	GF100_SETFLAG_OP = 0x60,
	GF100_CLRFLAG_OP = 0x64,
	GF100_SRC_STATUS = 0x68,
	GF100_SWAP_SRC = 0x6c,
	GF100_CYCLES = 0x70,
	GF100_UNK74 = 0x74,	/* hw:ambiguities/52 */
	GF100_UNK7C = 0x7c,
	GF100_EVENT = 0x80,
	GF100_START = 0x88,
	GF100_PRE = 0x8c,
	GF100_STOP = 0x90,
	GF100_SINGLE_ABORT = 0x94,
	GF100_THRESHOLD = 0x98,
	GF100_CTRL = 0x9c,
	GF100_QUAD_ACK = 0xa0,
	GF100_EVENT_NEXT = 0xa4,
	GF100_PRE_NEXT = 0xa8,
	GF100_START_NEXT = 0xac,
	GF100_STOP_NEXT = 0xb0,
	GF100_CYCLES_NEXT = 0xbc,
	GF100_VSTATUS = 0xc8,
	GF100_SINGLE_BEGIN = 0xe0,
	GF100_STATE = 0xe4,
	GM107_UNKCC = 0xcc,	/* five words, written as 0 by NVIDIA's driver */
	GF100_USER = 0xec,
	GF100_FILTER = 0x100,
};

#define GF100_MODE		GENMASK(2, 0)
#define   GF100_HALTED		0
#define   GF100_SINGLE		1
#define   GF100_QUAD		2
#define   GF100_RECORD		5
#define GF100_CTR_MODE		GENMASK(5, 3)
#define GF100_PERIOD_ALL	BIT(6)
#define GF100_EVENT_PULSE	BIT(7)
#define GF100_FLAG_PULSE	BIT(8)
#define GF100_UNK18		BIT(18)
#define GF100_PERIODIC		GENMASK(23, 21)
#define GF100_KNOWN		(GF100_MODE | GF100_CTR_MODE | GF100_PERIOD_ALL | \
				 GF100_EVENT_PULSE | GF100_FLAG_PULSE |		\
				 GF100_UNK18 | GF100_PERIODIC)
#define GF100_READ_ONLY		(CTRL_QUAD_STATE | CTRL_SINGLE_STATE)

/* Status codes of a domain, hw:registers/gf100-main */
#define VSTATUS_IDLE		0
#define VSTATUS_BUSY		1
#define VSTATUS_PAUSED		7

#define PMC_PCOUNTER		BIT(28)

/* ---- domain blocks ---- */

static u32 ctrl_read(const struct pcmodel_domain *d)
{
	return d->raw_ctrl | FIELD_PREP(CTRL_QUAD_STATE, d->quad_state) |
	       FIELD_PREP(CTRL_SINGLE_STATE, d->single_state);
}

static bool is_unkcc(const struct pcmodel *m, u32 reg)
{
	return m->chip->variant >= PCMODEL_GM107 && reg >= GM107_UNKCC &&
	       reg < GM107_UNKCC + 5 * sizeof(u32);
}

static u32 absent(struct pcmodel *m)
{
	m->lint.absent++;
	return BAD_ADDRESS;
}

/* hw:ambiguities/48: words 8 to 15 */
static u32 status_read(struct pcmodel *m, unsigned int dom, unsigned int word)
{
	if (word >= 8 && m->quirks.status_16 < 2)
		return m->quirks.status_16 ? 0 : absent(m);
	word %= 8;
	if (m->quirks.no_levels && m->chip->variant >= PCMODEL_GM107)
		return m->quirks.no_levels > 1 ? BAD_ADDRESS : 0;
	return pcmodel_sig_word(m, dom, word);
}

/* No document says when the engine reports a state: busy in any mode but HALTED. */
static u32 vstatus(const struct pcmodel *m, const struct pcmodel_domain *d)
{
	if (d->raw_ctrl & GF100_MODE)
		return VSTATUS_BUSY;
	return m->quirks.halted_pauses ? VSTATUS_PAUSED : VSTATUS_IDLE;
}

/* hw:ambiguities/76: which CTR_*_NEXT have the counts of the period that runs */
static u32 next_read(const struct pcmodel *m, const struct pcmodel_domain *d, u32 reg)
{
	switch (reg) {
	case GF100_EVENT_NEXT:
		return d->hidden[EVENT];
	case GF100_PRE_NEXT:
		return d->hidden[PRE];
	}
	if (m->quirks.next_counts)
		return 0;
	switch (reg) {
	case GF100_START_NEXT:
		return d->hidden[START];
	case GF100_STOP_NEXT:
		return d->hidden[STOP];
	default:
		return d->hidden_cycles;
	}
}

static u32 block_read(struct pcmodel *m, unsigned int dom, u32 reg)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (reg < GF100_INPUTS)
		return status_read(m, dom, reg / 4);
	if (reg >= GF100_INPUTS && reg < GF100_SETFLAG_OP)
		return reg & 4 ? d->op[(reg - GF100_INPUTS) / 8] :
				 d->src[(reg - GF100_INPUTS) / 8];
	switch (reg) {
	case GF100_SETFLAG_OP:
		return d->op[SETFLAG];
	case GF100_CLRFLAG_OP:
		return d->op[CLRFLAG];
	case GF100_SRC_STATUS:
		return pcmodel_src_status(m, dom, PCMODEL_OPS);
	case GF100_SWAP_SRC:
		return d->spec_src;
	case GF100_CYCLES:
		return d->cycles;
	case GF100_UNK74:
		return m->stream.from[dom].reg_74;
	case GF100_UNK7C:
		return m->stream.from[dom].reg_7c;
	case GF100_EVENT:
		return d->ctr[EVENT];
	case GF100_START:
		return d->ctr[START];
	case GF100_PRE:
		return d->ctr[PRE];
	case GF100_STOP:
		return d->ctr[STOP];
	case GF100_THRESHOLD:
		return d->threshold;
	case GF100_CTRL:
		return ctrl_read(d);
	case GF100_EVENT_NEXT:
	case GF100_PRE_NEXT:
	case GF100_START_NEXT:
	case GF100_STOP_NEXT:
	case GF100_CYCLES_NEXT:
		return next_read(m, d, reg);
	case GF100_VSTATUS:
		return vstatus(m, d);
	case GF100_STATE:
		return d->single_state | d->quad_state << 2;
	case GF100_USER:
		return d->user;
	case GF100_FILTER:
		return d->filter;
	default:
		if (is_unkcc(m, reg))
			return d->unk_cc[(reg - GM107_UNKCC) / 4];
		return absent(m);
	}
}

/* Return the highest counter mode that a document has, or that was seen on a card. */
static unsigned int last_ctr_mode(const struct pcmodel *m)
{
	if (m->chip->variant == PCMODEL_GF100)
		return CTR_EXTRA_B6_EVENT_B2;
	return m->chip->variant < PCMODEL_GM107 ? CTR_NONE : CTR_EVENT_OWN_B4;
}

static void ctrl_write(struct pcmodel *m, unsigned int dom, u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u32 mode = MODE_HALTED, ctr = FIELD_GET(GF100_CTR_MODE, val);
	bool retimed = (d->raw_ctrl ^ val) & GF100_PERIODIC;

	if (FIELD_GET(GF100_MODE, val) == GF100_SINGLE)
		mode = MODE_SINGLE;
	else if (FIELD_GET(GF100_MODE, val) == GF100_QUAD)
		mode = MODE_QUAD;
	else if (FIELD_GET(GF100_MODE, val) == GF100_RECORD)
		mode = MODE_RECORD;
	if (mode != MODE_RECORD)
		m->stream.from[dom].wait = 0;
	m->lint.bits += val & ~(GF100_KNOWN | GF100_READ_ONLY) ||
			(FIELD_GET(GF100_MODE, val) > GF100_SINGLE && mode == MODE_HALTED) ||
			ctr > last_ctr_mode(m) ? 1 : 0;
	d->raw_ctrl = val & GF100_KNOWN;
	d->single_state = SINGLE_INACTIVE;
	pcmodel_mode_change(m, dom,
			    FIELD_PREP(CTRL_MODE, mode) |
			    FIELD_PREP(CTRL_CTR_MODE, ctr) |
			    (val & GF100_EVENT_PULSE ? CTRL_EVENT_PULSE : 0) |
			    (val & GF100_FLAG_PULSE ? CTRL_FLAG_PULSE : 0) |
			    FIELD_PREP(CTRL_PERIODIC, FIELD_GET(GF100_PERIODIC, val)));
	if (retimed && m->quirks.periodic_restart)
		d->periodic = m->quirks.periodic_phase;
}

/*
 * The sources contradict each other about bits 18 to 20: drivers should not use them.
 * rnndb has the delays of all inputs at 19 and 20, the specification as on G92.
 */
static void op_write(struct pcmodel *m, struct pcmodel_domain *d, unsigned int op,
		     u32 val)
{
	u32 bits = op == EVENT || op == STOP || !m->quirks.op_bits ? OP_COUNTS_G92 : OP_G92;

	m->lint.bits += val & ~OP_NV40 ? 1 : 0;
	d->late_ops = !m->quirks.op_bits;
	d->op[op] = val & (m->quirks.op_bits > 1 ? OP_NV40 : bits);
}

/* hw:ambiguities/71: what begins single mode, the value of its quirk */
enum begin { BEGIN_TRIGGER, BEGIN_PRE_OP };

static void begin_single(struct pcmodel *m, unsigned int dom, enum begin by)
{
	if (m->quirks.single_begin == by &&
	    FIELD_GET(CTRL_MODE, m->dom[dom].ctrl) == MODE_SINGLE)
		pcmodel_pre_op_write(m, dom);
}

static void block_write(struct pcmodel *m, unsigned int dom, u32 reg, u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (reg >= GF100_INPUTS && reg < GF100_SETFLAG_OP) {
		if (reg & 4)
			op_write(m, d, (reg - GF100_INPUTS) / 8, val);
		else
			pcmodel_src_write(m, dom, (reg - GF100_INPUTS) / 8, val);
		if (reg == GF100_INPUTS + 4)
			begin_single(m, dom, BEGIN_PRE_OP);
		return;
	}
	switch (reg) {
	case GF100_SETFLAG_OP:
		op_write(m, d, SETFLAG, val);
		break;
	case GF100_CLRFLAG_OP:
		op_write(m, d, CLRFLAG, val);
		break;
	case GF100_SWAP_SRC:
		m->lint.bits += val & ~GENMASK(7, 0) ? 1 : 0;
		d->spec_src = val & GENMASK(7, 0);
		break;
	case GF100_UNK74:
		m->stream.from[dom].reg_74 = val & GENMASK(31, 16);
		break;
	case GF100_UNK7C:
		m->stream.from[dom].reg_7c = val;
		break;
	case GF100_THRESHOLD:
		d->threshold = val;
		break;
	case GF100_CTRL:
		ctrl_write(m, dom, val);
		break;
	case GF100_SINGLE_ABORT:
		d->single_state = SINGLE_INACTIVE;
		break;
	case GF100_SINGLE_BEGIN:
		begin_single(m, dom, BEGIN_TRIGGER);
		break;
	case GF100_QUAD_ACK:
		if (val & BIT(0))
			pcmodel_quad_ack(d);
		break;
	case GF100_EVENT_NEXT:
		d->hidden[EVENT] = val;
		break;
	case GF100_PRE_NEXT:
		d->hidden[PRE] = val;
		d->init_pre = val;
		break;
	case GF100_STOP_NEXT:
		d->hidden[STOP] = val;
		d->init_stop = val;
		break;
	case GF100_USER:
		d->user = val & GENMASK(3, 0);
		d->user_pulse = val >> 4 & GENMASK(3, 0);
		break;
	case GF100_FILTER:
		d->filter = val;
		break;
	default:
		if (is_unkcc(m, reg))
			d->unk_cc[(reg - GM107_UNKCC) / 4] = val;
		else
			m->lint.direction++;
	}
}

/* ---- the block that all domains share, at 0x1b4000 ---- */

#define STREAM_SLCG		0x124

/* Words of the block that NVIDIA's driver writes, or lets its users access. */
static const struct {
	u16 first;
	u16 last;
} stream_words[] = {
	{ 0x00, 0x08 }, { 0x10, 0x18 }, { 0x20, 0x28 }, { 0x40, 0x48 }, { 0x50, 0x58 },
	{ 0x60, 0x6c }, { 0x70, 0x9c }, { 0xa4, 0xa4 }, { 0x100, 0x114 }, { 0x128, 0x128 },
};

static bool is_stream(u32 offset)
{
	unsigned int i;
	u32 at = offset - STREAM_BLOCK;

	for (i = 0; i < ARRAY_SIZE(stream_words); i++)
		if (at >= stream_words[i].first && at <= stream_words[i].last)
			return true;
	return false;
}

/*
 * Return the clock gating register of all GPC sets, all partition sets, HUB, or
 * the block.
 */
static u32 *slcg_of(struct pcmodel *m, u32 offset)
{
	static const u32 regs[PCMODEL_SLCG_REGS] = {
		GPC_SETS + 0x18, PART_SETS + 0x18, HUB_SET + 0x18,
		STREAM_BLOCK + STREAM_SLCG,
	};
	unsigned int i;

	for (i = 0; i < PCMODEL_SLCG_REGS; i++)
		if (offset == regs[i] && m->chip->variant >= PCMODEL_GK104)
			return &m->slcg[i];
	return NULL;
}

/* Quirk slcg_stops: return true if clock gating stops this domain's counters. */
bool pcmodel_gf100_gated(const struct pcmodel *m, unsigned int dom)
{
	unsigned int set, kind = 2;

	if (!m->quirks.slcg_stops || !pcmodel_is_gf100(m))
		return false;
	set = pcmodel_set_of(m, dom);
	if (set)
		kind = set <= PCMODEL_GPCS ? 0 : 1;
	return m->slcg[kind] || m->slcg[3];
}

/* ---- the window ---- */

static unsigned int block_domain(const struct pcmodel *m, u32 offset)
{
	unsigned int dom = offset % 0x1000 / 0x200;

	if (offset < PART_BLOCKS && pcmodel_domain_lost(m, offset / 0x1000, dom))
		return NO_DOMAIN;
	if (offset < PART_BLOCKS)
		return pcmodel_domain_of(m, 1, offset / 0x1000, dom);
	if (offset < HUB_BLOCKS)
		return pcmodel_domain_of(m, 2, (offset - PART_BLOCKS) / 0x1000, dom);
	return pcmodel_domain_of(m, 0, 0, (offset - HUB_BLOCKS) / 0x200);
}

/* Return the CTRL of a domain set, NULL if the set does not exist. */
static u32 *set_ctrl(struct pcmodel *m, u32 offset)
{
	bool part = offset >= PART_SETS;
	unsigned int unit = (offset - (part ? PART_SETS : GPC_SETS)) / 0x200;

	if (offset == HUB_SET)
		return &m->set_ctrl[0];
	if (offset & 0x1ff || !pcmodel_unit_present(m, part, unit))
		return NULL;
	return &m->set_ctrl[1 + (part ? PCMODEL_GPCS : 0) + unit];
}

/* A read of CTRL is the way to ask which domains a GPC with lost TPCs has. */
static bool asks(const struct pcmodel *m, u32 offset)
{
	return offset < PART_BLOCKS && (offset & 0x1ff) == GF100_CTRL &&
	       pcmodel_unit_present(m, false, offset / 0x1000) &&
	       pcmodel_gpc_lost(m, offset / 0x1000);
}

static bool enabled(const struct pcmodel *m)
{
	return m->pmc_enable & PMC_PCOUNTER;
}

static u32 gf100_read(struct pcmodel *m, u32 offset)
{
	unsigned int dom;
	u32 *ctrl;

	if (!enabled(m))
		return BAD_DISABLED;
	if (slcg_of(m, offset))
		return *slcg_of(m, offset);
	if (is_stream(offset))
		return pcmodel_stream_read(m, offset - STREAM_BLOCK);
	if (offset >= GPC_SETS) {
		ctrl = set_ctrl(m, offset);
		m->lint.absent += ctrl ? 0 : 1;
		return ctrl ? *ctrl : BAD_ADDRESS;
	}
	dom = block_domain(m, offset);
	if (dom != NO_DOMAIN)
		return block_read(m, dom, offset & 0x1ff);
	m->lint.absent += asks(m, offset) ? 0 : 1;
	return offset < HUB_BLOCKS ? BAD_TARGET : BAD_ADDRESS;
}

static void gf100_write(struct pcmodel *m, u32 offset, u32 val)
{
	unsigned int dom;
	u32 *ctrl;

	if (!enabled(m))
		return;
	if (slcg_of(m, offset)) {
		*slcg_of(m, offset) = val;
		return;
	}
	if (is_stream(offset)) {
		pcmodel_stream_write(m, offset - STREAM_BLOCK, val);
		return;
	}
	if (offset >= GPC_SETS) {
		ctrl = set_ctrl(m, offset);
		m->lint.absent += ctrl ? 0 : 1;
		if (ctrl)
			*ctrl = val;
		if (ctrl && val & GCTRL_RECORD_RESET)
			pcmodel_stream_held(m, ctrl - m->set_ctrl);
		return;
	}
	dom = block_domain(m, offset);
	if (dom == NO_DOMAIN)
		m->lint.absent++;
	else
		block_write(m, dom, offset & 0x1ff, val);
}

/* Forget the state outside of domains. */
void pcmodel_gf100_forget(struct pcmodel *m)
{
	memset(m->set_ctrl, 0, sizeof(m->set_ctrl));
	memset(&m->stream, 0, sizeof(m->stream));
	memset(m->slcg, 0, sizeof(m->slcg));
}

/* The engine is absent without its bit, and loses its state (hw:registers/window). */
void pcmodel_gf100_pmc(struct pcmodel *m, u32 val)
{
	u32 changed = m->pmc_enable ^ val;
	unsigned int i;

	m->lint.pmc += pcmodel_is_gf100(m) && changed != PMC_PCOUNTER ? 1 : 0;
	m->pmc_enable = val;
	pcmodel_pdaemon_pmc(m);
	if (!pcmodel_is_gf100(m) || enabled(m))
		return;
	pcmodel_gf100_forget(m);
	for (i = 0; i < m->domains; i++) {
		struct pcmodel_domain *d = &m->dom[i];

		memset(d->src, 0, sizeof(d->src));
		memset(d->op, 0, sizeof(d->op));
		memset(d->ctr, 0, sizeof(d->ctr));
		memset(d->hidden, 0, sizeof(d->hidden));
		d->cycles = 0;
		d->hidden_cycles = 0;
		d->raw_ctrl = 0;
		d->ctrl = FIELD_PREP(CTRL_MODE, MODE_HALTED);
		d->spec_src = 0;
		d->filter = 0;
		memset(d->unk_cc, 0, sizeof(d->unk_cc));
		d->threshold = 0;
		d->quad_state = QUAD_EMPTY;
		d->flag = false;
		d->user = 0;
		d->user_pulse = 0;
	}
}

/* ---- set-up ---- */

/*
 * Each GPC mask disables one GPC, and one partition mask a partition: GPCs 0 and 1
 * and partitions 0 and 1 remain.
 */
static void gf100_reset(struct pcmodel *m)
{
	static const u32 units[6] = { 4, BIT(0), BIT(2), 3, BIT(1), 0 };
	unsigned int i;

	memcpy(m->units, units, sizeof(units));
	pcmodel_enumerate(m);
	for (i = 0; i < PCMODEL_DOMAINS; i++)
		m->dom[i].ctrl = FIELD_PREP(CTRL_MODE, MODE_HALTED);
}

static void gf100_garbage(struct pcmodel *m, unsigned int dom, u64 *s)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u64 bits = m->lint.bits;
	unsigned int i;

	pcmodel_garbage_common(m, dom, s);
	for (i = 0; i < PCMODEL_OPS; i++)
		d->op[i] &= OP_NV40;
	d->spec_src = pcmodel_rnd(s) & 0xff;
	d->filter = pcmodel_rnd(s);
	d->user = pcmodel_rnd(s) & GENMASK(3, 0);
	ctrl_write(m, dom, (pcmodel_rnd(s) & GF100_KNOWN & ~(GF100_MODE | GF100_CTR_MODE)) |
			   FIELD_PREP(GF100_MODE, pcmodel_rnd(s) % 3) |
			   FIELD_PREP(GF100_CTR_MODE, pcmodel_rnd(s) % 5));
	m->lint.bits = bits;
	if (!dom)
		m->set_ctrl[0] = pcmodel_rnd(s) & GCTRL_KNOWN;
}

const struct pcmodel_layout pcmodel_layout_gf100 = {
	.window = GF100_WINDOW,
	.size = GF100_WINDOW_SIZE,
	.read = gf100_read,
	.write = gf100_write,
	.reset = gf100_reset,
	.garbage = gf100_garbage,
};
