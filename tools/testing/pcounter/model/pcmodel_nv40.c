// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the nv40-pcounter layout (NV40:GF100), hw:registers/nv40.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include "pcmodel_regs.h"

#define ANY		PCMODEL_NV40

/* ---- registers by chip, hw:registers/nv40 ---- */

enum access { R = 1, W = 2, RW = 3 };

static const struct {
	u16 base;
	u8 access;
	u8 since;	/* first variant that has it */
	u32 known;	/* documented bits, from G92 on */
} regs[] = {
	{ REG_PRE_SRC, RW, ANY, ~0 },
	{ REG_PRE_OP, RW, ANY, OP_G92 },
	{ REG_START_SRC, RW, ANY, ~0 },
	{ REG_START_OP, RW, ANY, OP_G92 },
	{ REG_EVENT_SRC, RW, ANY, ~0 },
	{ REG_EVENT_OP, RW, ANY, OP_COUNTS_G92 },
	{ REG_STOP_SRC, RW, ANY, ~0 },
	{ REG_STOP_OP, RW, ANY, OP_COUNTS_G92 },
	{ REG_SETFLAG_OP, RW, ANY, OP_G92 },
	{ REG_CLRFLAG_OP, RW, ANY, OP_G92 },
	{ REG_SRC_STATUS, R, ANY, 0 },
	{ REG_SPEC_SRC, RW, PCMODEL_G84, GENMASK(15, 0) },
	{ REG_USER_TRIGGER, W, PCMODEL_GT215, USER_VALUES | USER_PULSES },
	{ REG_CTR_CYCLES, R, ANY, 0 },
	{ REG_CTR_CYCLES_ALT, R, ANY, 0 },
	{ REG_CTR_EVENT, R, ANY, 0 },
	{ REG_RECORD_ADDRESS_HIGH, RW, PCMODEL_G92, GENMASK(7, 0) },
	{ REG_CTR_START, R, ANY, 0 },
	{ REG_RECORD_STATUS, R, PCMODEL_G84, 0 },
	{ REG_CTR_PRE, RW, ANY, ~0 },
	{ REG_RECORD_LIMIT, RW, PCMODEL_G84, GENMASK(31, 4) },
	{ REG_CTR_STOP, RW, ANY, ~0 },
	{ REG_RECORD_START, RW, PCMODEL_G84, GENMASK(31, 4) },
	{ REG_THRESHOLD, RW, ANY, ~0 },
	{ REG_GLOBAL, RW, PCMODEL_G84, ~0 },
	{ REG_CTRL, RW, ANY, CTRL_G84 | CTRL_FAULT_CLEAR | CTRL_READ_ONLY },
	{ REG_QUAD_ACK, W, ANY, BIT(0) },
};

/* Return the bits of a register that exist on the chip. */
static u32 known_bits(const struct pcmodel *m, unsigned int reg)
{
	u32 known = regs[reg].known;

	switch (regs[reg].base) {
	case REG_PRE_OP:
	case REG_START_OP:
	case REG_SETFLAG_OP:
	case REG_CLRFLAG_OP:
		return m->chip->variant < PCMODEL_G92 ? known & OP_NV40 : known;
	case REG_EVENT_OP:
	case REG_STOP_OP:
		return m->chip->variant < PCMODEL_G92 ? known & OP_COUNTS_NV40 : known;
	case REG_CTRL:
		return m->chip->variant < PCMODEL_G84 ?
		       known & (CTRL_NV40 | CTRL_READ_ONLY) : known;
	default:
		return known;
	}
}

/* Return the bits that exist, but whose meaning is unknown. */
static u32 unknown_bits(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_G92 ? BIT(16) : BIT(16) | BIT(30);
}

/* Find a register: they are 0x20 apart, with one word for each domain. */
static int find_reg(const struct pcmodel *m, u32 offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		if ((offset & ~0x1f) != regs[i].base)
			continue;
		if (regs[i].base == REG_SPEC_SRC && m->quirks.spec_src)
			return i;
		return regs[i].since <= m->chip->variant ? (int)i : -1;
	}
	return -1;
}

static unsigned int reg_domain(u32 offset)
{
	return (offset & 0x1f) / 4;
}

static bool reg_present(const struct pcmodel *m, u32 offset)
{
	if ((offset & ~0x1f) == REG_GLOBAL)
		return offset <= REG_GCTRL;
	return reg_domain(offset) < m->domains;
}

/* ---- reads ---- */

static bool is_sig_status(const struct pcmodel *m, u32 offset)
{
	u32 at = offset - REG_SIG_STATUS;

	return at / 0x20 < m->domains;
}

static u32 sig_status(struct pcmodel *m, u32 offset)
{
	return pcmodel_sig_word(m, (offset - REG_SIG_STATUS) / 0x20,
				(offset & 0x1f) / 4);
}

static u32 ctrl_read(const struct pcmodel_domain *d)
{
	return d->ctrl | FIELD_PREP(CTRL_QUAD_STATE, d->quad_state) |
	       FIELD_PREP(CTRL_SINGLE_STATE, d->single_state);
}

static u32 global_read(const struct pcmodel *m, u32 offset)
{
	switch (offset) {
	case REG_RECORD_CHAN:
		return m->record_chan;
	case REG_RECORD_DMA:
		return m->record_dma;
	default:
		return m->gctrl;
	}
}

static u32 domain_read(struct pcmodel *m, unsigned int dom, u32 base)
{
	struct pcmodel_domain *d = &m->dom[dom];

	switch (base) {
	case REG_PRE_SRC:
	case REG_START_SRC:
	case REG_EVENT_SRC:
	case REG_STOP_SRC:
		return d->src[(base - REG_PRE_SRC) / 0x40];
	case REG_PRE_OP:
	case REG_START_OP:
	case REG_EVENT_OP:
	case REG_STOP_OP:
		return d->op[(base - REG_PRE_OP) / 0x40];
	case REG_SETFLAG_OP:
		return d->op[SETFLAG];
	case REG_CLRFLAG_OP:
		return d->op[CLRFLAG];
	case REG_SRC_STATUS:
		return pcmodel_src_status(m, dom, PCMODEL_SLOTS);
	case REG_SPEC_SRC:
		return d->spec_src;
	case REG_CTR_CYCLES:
		return d->cycles;
	case REG_CTR_CYCLES_ALT:
		return m->quirks.cycles_alt ? 0 : d->cycles;
	case REG_CTR_PRE:
		return d->ctr[PRE];
	case REG_CTR_START:
		return d->ctr[START];
	case REG_CTR_EVENT:
		return d->ctr[EVENT];
	case REG_CTR_STOP:
		return d->ctr[STOP];
	case REG_RECORD_START:
		return m->rec[dom].start;
	case REG_RECORD_LIMIT:
		return m->rec[dom].limit;
	case REG_RECORD_ADDRESS_HIGH:
		return m->rec[dom].high;
	case REG_RECORD_STATUS:
		return pcmodel_record_status(m, dom);
	case REG_THRESHOLD:
		return d->threshold;
	case REG_CTRL:
		return ctrl_read(d);
	default:
		return 0;
	}
}

static u32 nv40_read(struct pcmodel *m, u32 offset)
{
	int reg;

	if (is_sig_status(m, offset))
		return sig_status(m, offset);
	reg = find_reg(m, offset);
	if (reg < 0 || !reg_present(m, offset))
		return pcmodel_absent(m, REG_WINDOW + offset);
	if (!(regs[reg].access & R))
		m->lint.direction++;
	if (regs[reg].base == REG_GLOBAL)
		return global_read(m, offset);
	return domain_read(m, reg_domain(offset), regs[reg].base);
}

/* ---- writes ---- */

/* Count values that no document defines, and changes of bits of unknown meaning. */
static void lint_ctrl(struct pcmodel *m, const struct pcmodel_domain *d, u32 val)
{
	u32 modes = m->chip->variant < PCMODEL_G84 ? MODE_QUAD : MODE_RECORD;

	if (FIELD_GET(CTRL_MODE, val) > modes ||
	    FIELD_GET(CTRL_CTR_MODE, val) > CTR_EXTRA_B6_EVENT_B2 ||
	    (d->ctrl ^ val) & unknown_bits(m))
		m->lint.bits++;
}

static void ctrl_write(struct pcmodel *m, unsigned int dom, u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u32 known = m->chip->variant >= PCMODEL_G84 ? CTRL_G84 : CTRL_NV40;
	bool retimed = (d->ctrl ^ val) & CTRL_PERIODIC;

	lint_ctrl(m, d, val);
	if (pcmodel_has_record(m) && val & CTRL_FAULT_CLEAR)
		m->rec[dom].fault = false;
	pcmodel_mode_change(m, dom, val & (known | unknown_bits(m)));
	if (retimed && m->quirks.periodic_restart)
		d->periodic = m->quirks.periodic_phase;
}

/* hw:modes/single: writes of these registers force a single mode process to INACTIVE. */
static bool aborts_single(u32 base)
{
	switch (base) {
	case REG_PRE_OP:
	case REG_SPEC_SRC:
	case REG_USER_TRIGGER:
	case REG_QUAD_ACK:
	case REG_RECORD_START:
	case REG_RECORD_LIMIT:
	case REG_RECORD_ADDRESS_HIGH:
		return false;
	default:
		return true;
	}
}

static void domain_write(struct pcmodel *m, unsigned int dom, u32 base, u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (aborts_single(base))
		d->single_state = SINGLE_INACTIVE;
	switch (base) {
	case REG_PRE_SRC:
	case REG_START_SRC:
	case REG_EVENT_SRC:
	case REG_STOP_SRC:
		pcmodel_src_write(m, dom, (base - REG_PRE_SRC) / 0x40, val);
		break;
	case REG_PRE_OP:
	case REG_START_OP:
	case REG_EVENT_OP:
	case REG_STOP_OP:
		d->op[(base - REG_PRE_OP) / 0x40] = val;
		if (base == REG_PRE_OP)
			pcmodel_pre_op_write(m, dom);
		break;
	case REG_SETFLAG_OP:
		d->op[SETFLAG] = val;
		break;
	case REG_CLRFLAG_OP:
		d->op[CLRFLAG] = val;
		break;
	case REG_SPEC_SRC:
		d->spec_src = val;
		break;
	case REG_USER_TRIGGER:
		d->user = FIELD_GET(USER_VALUES, val);
		d->user_pulse = FIELD_GET(USER_PULSES, val);
		break;
	case REG_CTR_PRE:
		d->init_pre = val;
		break;
	case REG_CTR_STOP:
		d->init_stop = val;
		break;
	case REG_RECORD_START:
		pcmodel_record_start(m, dom, val);
		break;
	case REG_RECORD_LIMIT:
		m->rec[dom].limit = val;
		break;
	case REG_RECORD_ADDRESS_HIGH:
		m->rec[dom].high = val;
		break;
	case REG_THRESHOLD:
		d->threshold = val;
		break;
	case REG_CTRL:
		ctrl_write(m, dom, val);
		break;
	case REG_QUAD_ACK:
		if (val & BIT(0))
			pcmodel_quad_ack(d);
		break;
	}
}

static void global_write(struct pcmodel *m, u32 offset, u32 val)
{
	unsigned int i;

	switch (offset) {
	case REG_RECORD_CHAN:
		m->lint.bits += val & BIT(30) ? 1 : 0;
		m->record_chan = val & ~BIT(30);
		if (val & RECORD_CHAN_VALID)
			pcmodel_vm_bind(m, m->record_chan, m->record_dma);
		break;
	case REG_RECORD_DMA:
		m->record_dma = val & GENMASK(15, 0);
		break;
	case REG_GCTRL:
		/* bits 8 to 18 belong to other engines: stored, no effect known */
		m->lint.bits += (m->gctrl ^ val) & ~GCTRL_KNOWN ? 1 : 0;
		m->gctrl = val & GENMASK(18, 0);
		if (val & GCTRL_RECORD_RESET)
			pcmodel_record_held(m);
		if (!(val & GCTRL_PERIODIC_RESET))
			break;
		for (i = 0; i < m->domains; i++)
			m->dom[i].periodic = m->quirks.periodic_phase;
		break;
	}
}

static void nv40_write(struct pcmodel *m, u32 offset, u32 val)
{
	u32 known;
	int reg = find_reg(m, offset);

	if (is_sig_status(m, offset)) {
		m->lint.direction++;
		return;
	}
	if (reg < 0 || !reg_present(m, offset)) {
		pcmodel_absent(m, REG_WINDOW + offset);
		return;
	}
	if (!(regs[reg].access & W)) {
		m->lint.direction++;
		return;
	}
	known = known_bits(m, reg);
	if (regs[reg].base == REG_CTRL)
		known |= unknown_bits(m);
	m->lint.bits += val & ~known ? 1 : 0;
	if (regs[reg].base == REG_GLOBAL)
		global_write(m, offset, val);
	else
		domain_write(m, reg_domain(offset), regs[reg].base, val & known);
}

static void nv40_garbage(struct pcmodel *m, unsigned int dom, u64 *s)
{
	bool g84 = m->chip->variant >= PCMODEL_G84;
	bool g92 = m->chip->variant >= PCMODEL_G92;
	struct pcmodel_domain *d = &m->dom[dom];
	u32 op = g92 ? OP_G92 : OP_NV40;
	u32 counts = g92 ? OP_COUNTS_G92 : OP_COUNTS_NV40;
	unsigned int i;

	pcmodel_garbage_common(m, dom, s);
	for (i = 0; i < PCMODEL_OPS; i++)
		d->op[i] &= i == EVENT || i == STOP ? counts : op;
	d->ctrl = pcmodel_rnd(s) & (g84 ? CTRL_G84 : CTRL_NV40);
	d->ctrl &= ~(CTRL_MODE | CTRL_CTR_MODE);
	d->ctrl |= FIELD_PREP(CTRL_MODE, pcmodel_rnd(s) % (g84 ? 3 : 2)) |
		   FIELD_PREP(CTRL_CTR_MODE, pcmodel_rnd(s) % 5);
	d->spec_src = g84 || m->quirks.spec_src ?
		      pcmodel_rnd(s) & GENMASK(15, 0) : 0;
	/* the buffer has been used up */
	if (g84) {
		m->rec[dom].start = pcmodel_rnd(s) & GENMASK(31, 4);
		m->rec[dom].limit = pcmodel_rnd(s) & GENMASK(31, 4);
		m->rec[dom].position = m->rec[dom].start;
		m->rec[dom].shown = m->rec[dom].start;
	}
	m->rec[dom].high = g92 ? pcmodel_rnd(s) & GENMASK(7, 0) : 0;
	if (dom || !g84)
		return;
	m->gctrl = pcmodel_rnd(s) & GCTRL_KNOWN;
	m->record_chan = pcmodel_rnd(s) & GENMASK(29, 0);
	m->record_dma = pcmodel_rnd(s) & GENMASK(15, 0);
}

const struct pcmodel_layout pcmodel_layout_nv40 = {
	.window = REG_WINDOW,
	.size = REG_WINDOW_SIZE,
	.read = nv40_read,
	.write = nv40_write,
	.garbage = nv40_garbage,
};
