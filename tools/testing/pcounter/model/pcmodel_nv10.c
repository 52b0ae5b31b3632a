// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the nv10-pcounter layout (NV10:NV40), hw:registers/nv10,
 * hw:registers/ctrl-nv10.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include "pcmodel_regs.h"

/* Offsets in the window, of domain 0; those of domain 1 are 0x100 higher. */
enum nv10_reg {
	NV10_PRE_SRC = 0x400,	/* then PRE_OP, START_SRC, ... CLRFLAG_OP */
	NV10_INPUTS_END = 0x430,
	NV10_STATUS_0 = 0x430,
	NV10_CYCLES = 0x600,
	NV10_CYCLES_ALT = 0x608,
	NV10_EVENT = 0x610,
	NV10_START = 0x618,
	NV10_PRE = 0x620,
	NV10_STOP = 0x624,
	NV10_THRESHOLD = 0x628,
	NV10_THRESHOLD_HI = 0x62c,
	NV10_STATUS_1 = 0x630,
	NV10_QUAD_ACK = 0x738,
	NV10_CTRL = 0x73c,
};

#define CTRL10_TVOUT		GENMASK(1, 0)
#define CTRL10_EVENT_B4		BIT(2)
#define CTRL10_SINGLE_STATE	3	/* first bit, 2 for each domain */
#define CTRL10_PERIOD_ALL	8	/* 1 for each domain, NV15- */
#define CTRL10_QUAD		16	/* 1 for each domain, 2 apart, NV30- */
#define CTRL10_QUAD_STATE	24	/* 2 for each domain, NV30- */
#define CTRL10_READ_ONLY	(GENMASK(6, 3) | GENMASK(27, 24))

static bool is_nv30(const struct pcmodel *m)
{
	return m->chip->variant == PCMODEL_NV30;
}

static bool is_status(u32 offset, u32 half)
{
	return (offset & ~0x10f) == half;
}

/* Return the bits that CTRL stores; bits of domain 1 exist only with domain 1. */
static u32 ctrl_known(const struct pcmodel *m)
{
	u32 known = CTRL10_TVOUT | CTRL10_EVENT_B4;
	unsigned int i;

	for (i = 0; i < m->domains; i++) {
		if (m->chip->variant >= PCMODEL_NV15)
			known |= BIT(CTRL10_PERIOD_ALL + i);
		if (is_nv30(m))
			known |= BIT(CTRL10_QUAD + 2 * i);
	}
	return known;
}

static u32 ctrl_read(const struct pcmodel *m)
{
	u32 value = m->ctrl10;
	unsigned int i;

	for (i = 0; i < m->domains; i++) {
		value |= (u32)m->dom[i].single_state << (CTRL10_SINGLE_STATE + 2 * i);
		if (is_nv30(m))
			value |= (u32)m->dom[i].quad_state <<
				 (CTRL10_QUAD_STATE + 2 * i);
	}
	return value;
}

/* Read half of a 40-bit register: the low word, or on NV10:NV30 the high word. */
static u32 half(struct pcmodel *m, u32 offset, u64 value)
{
	if (!(offset & 4))
		return (u32)value;
	if (!pcmodel_is_wide(m))
		return pcmodel_absent(m, REG_WINDOW + offset);
	return value >> 32;
}

static u32 domain_read(struct pcmodel *m, unsigned int dom, u32 base, u32 offset)
{
	struct pcmodel_domain *d = &m->dom[dom];

	switch (base & ~7) {
	case NV10_CYCLES:
		return half(m, offset, d->cycles);
	case NV10_CYCLES_ALT:
		return half(m, offset, m->quirks.cycles_alt ? 0 : d->cycles);
	case NV10_EVENT:
		return half(m, offset, d->ctr[EVENT]);
	case NV10_START:
		return half(m, offset, d->ctr[START]);
	case NV10_PRE:
		return base == NV10_PRE ? d->ctr[PRE] : d->ctr[STOP];
	case NV10_THRESHOLD:
		return half(m, offset, d->threshold);
	default:
		return pcmodel_absent(m, REG_WINDOW + offset);
	}
}

static bool input_exists(const struct pcmodel *m, unsigned int op, bool src)
{
	return op < SETFLAG || !src || pcmodel_is_wide(m);
}

static u32 input_read(struct pcmodel *m, unsigned int dom, u32 base, u32 offset)
{
	unsigned int op = (base - NV10_PRE_SRC) / 8;
	bool src = !(base & 4);

	if (!input_exists(m, op, src))
		return pcmodel_absent(m, REG_WINDOW + offset);
	return src ? m->dom[dom].src[op] : m->dom[dom].op[op];
}

static u32 nv10_read(struct pcmodel *m, u32 offset)
{
	unsigned int dom = offset >> 8 & 1, word = offset % 0x10 / 4;
	u32 base = offset & ~0x100;
	bool overlap = m->quirks.status_overlap && m->domains > 1;

	if (offset == NV10_CTRL && !overlap)
		return ctrl_read(m);
	if (offset == NV10_QUAD_ACK && !overlap) {
		m->lint.direction++;
		return 0;
	}
	if (dom >= m->domains)
		return pcmodel_absent(m, REG_WINDOW + offset);
	if (base >= NV10_PRE_SRC && base < NV10_INPUTS_END)
		return input_read(m, dom, base, offset);
	if (is_status(offset, NV10_STATUS_0))
		return pcmodel_sig_word(m, dom, word);
	if (is_status(offset, NV10_STATUS_1))
		return pcmodel_sig_word(m, dom, word + 4);
	return domain_read(m, dom, base, offset);
}

/* Change the settings of both domains, and end both processes (hw:registers/ctrl-nv10). */
static void ctrl_write(struct pcmodel *m, u32 val)
{
	u32 known = ctrl_known(m);
	unsigned int i;

	m->lint.tvout += val & CTRL10_TVOUT ? 1 : 0;
	m->lint.bits += val & ~known & ~CTRL10_READ_ONLY ? 1 : 0;
	m->ctrl10 = val & known;
	for (i = 0; i < m->domains; i++) {
		bool quad = m->ctrl10 >> (CTRL10_QUAD + 2 * i) & 1;
		bool all = m->ctrl10 >> (CTRL10_PERIOD_ALL + i) & 1;
		bool b4 = m->ctrl10 & CTRL10_EVENT_B4;

		pcmodel_mode_change(m, i,
				    FIELD_PREP(CTRL_MODE, quad ? MODE_QUAD :
								 MODE_SINGLE) |
				    FIELD_PREP(CTRL_CTR_MODE, b4 ? CTR_EVENT_B4 :
								   CTR_SIMPLE) |
				    (all ? CTRL_PERIOD_ALL : 0));
		m->dom[i].single_state = SINGLE_INACTIVE;
	}
}

static void ack_write(struct pcmodel *m, u32 val)
{
	unsigned int i;

	m->lint.bits += val & ~(BIT(0) | BIT(8)) ? 1 : 0;
	for (i = 0; i < m->domains; i++)
		if (val & BIT(8 * (m->quirks.ack_swapped ? 1 - i : i)))
			pcmodel_quad_ack(&m->dom[i]);
}

static void input_write(struct pcmodel *m, unsigned int dom, u32 base, u32 offset,
			u32 val)
{
	unsigned int op = (base - NV10_PRE_SRC) / 8;
	struct pcmodel_domain *d = &m->dom[dom];
	u32 known = OP_NV40;

	if (!input_exists(m, op, !(base & 4))) {
		pcmodel_absent(m, REG_WINDOW + offset);
		return;
	}
	if (op != PRE || !(base & 4))
		d->single_state = SINGLE_INACTIVE;
	if (!(base & 4)) {
		pcmodel_src_write(m, dom, op, val);
		return;
	}
	if ((op == EVENT || op == STOP) && is_nv30(m))
		known = OP_COUNTS_NV40;
	m->lint.bits += val & ~known ? 1 : 0;
	d->op[op] = val & known;
	if (op == PRE)
		pcmodel_pre_op_write(m, dom);
}

static void value_write(struct pcmodel *m, unsigned int dom, u32 base, u32 offset,
			u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];

	switch (base) {
	case NV10_PRE:
		d->init_pre = val;
		break;
	case NV10_STOP:
		d->init_stop = val;
		break;
	case NV10_THRESHOLD:
		d->threshold = (d->threshold & ~GENMASK_ULL(31, 0)) | val;
		break;
	case NV10_THRESHOLD_HI:
		if (!pcmodel_is_wide(m)) {
			pcmodel_absent(m, REG_WINDOW + offset);
			return;
		}
		m->lint.bits += val & ~GENMASK(7, 0) ? 1 : 0;
		d->threshold = (u32)d->threshold | (u64)(val & GENMASK(7, 0)) << 32;
		break;
	default:
		m->lint.direction++;
		return;
	}
	d->single_state = SINGLE_INACTIVE;
}

static void nv10_write(struct pcmodel *m, u32 offset, u32 val)
{
	unsigned int dom = offset >> 8 & 1;
	u32 base = offset & ~0x100;

	if (offset == NV10_CTRL)
		ctrl_write(m, val);
	else if (offset == NV10_QUAD_ACK && is_nv30(m))
		ack_write(m, val);
	else if (dom >= m->domains || base < NV10_PRE_SRC)
		pcmodel_absent(m, REG_WINDOW + offset);
	else if (base < NV10_INPUTS_END)
		input_write(m, dom, base, offset, val);
	else if (base >= NV10_CYCLES && base < NV10_STATUS_1)
		value_write(m, dom, base, offset, val);
	else
		pcmodel_absent(m, REG_WINDOW + offset);
}

static void nv10_garbage(struct pcmodel *m, unsigned int dom, u64 *s)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u64 tvout = m->lint.tvout, bits = m->lint.bits;
	unsigned int i;

	pcmodel_garbage_common(m, dom, s);
	for (i = 0; i < PCMODEL_OPS; i++)
		d->op[i] &= is_nv30(m) && (i == EVENT || i == STOP) ?
			    OP_COUNTS_NV40 : OP_NV40;
	if (pcmodel_is_wide(m)) {
		d->threshold |= (u64)(pcmodel_rnd(s) & 0xff) << 32;
		d->cycles |= (u64)(pcmodel_rnd(s) & 0xff) << 32;
		d->ctr[EVENT] |= (u64)(pcmodel_rnd(s) & 0xff) << 32;
		d->ctr[START] |= (u64)(pcmodel_rnd(s) & 0xff) << 32;
	}
	if (dom)
		return;
	ctrl_write(m, pcmodel_rnd(s) & ctrl_known(m) & ~CTRL10_TVOUT);
	m->lint.tvout = tvout;
	m->lint.bits = bits;
}

const struct pcmodel_layout pcmodel_layout_nv10 = {
	.window = REG_WINDOW,
	.size = REG_WINDOW_SIZE,
	.read = nv10_read,
	.write = nv10_write,
	.garbage = nv10_garbage,
};
