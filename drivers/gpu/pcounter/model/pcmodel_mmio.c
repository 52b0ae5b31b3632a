// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers: reads, writes and their side effects.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define ANY		PCMODEL_NV40
/* PTIMER counts nanoseconds; the model's reference clock is taken as 1 MHz. */
#define PTIMER_NS	1000

/* ---- which registers there are, section 3 ---- */

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

/* Bits of a register that the chip has. */
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

/* Bits whose meaning is unknown, though not their existence. */
static u32 unknown_bits(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_G92 ? BIT(16) : BIT(16) | BIT(30);
}

/* Registers are 0x20 apart, one word for each domain. */
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
	return reg_domain(offset) < m->chip->domains;
}

/* ---- reads ---- */

static bool is_sig_status(const struct pcmodel *m, u32 offset)
{
	u32 at = offset - REG_SIG_STATUS;

	return at / 0x20 < m->chip->domains;
}

static u32 sig_status(struct pcmodel *m, u32 offset)
{
	unsigned int dom = (offset - REG_SIG_STATUS) / 0x20;
	unsigned int word = (offset & 0x1f) / 4, i;
	u32 value = 0;

	for (i = 0; i < 32; i++)
		value |= (u32)pcmodel_level(m, dom, word * 32 + i) << i;
	return value;
}

static u32 src_status(struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_domain *d = &m->dom[dom];
	unsigned int op, k;
	u32 value = 0;

	for (op = 0; op < PCMODEL_SLOTS; op++)
		for (k = 0; k < 4; k++)
			value |= (u32)pcmodel_level(m, dom, pcmodel_source(d, op, k)) <<
				 (op * 4 + k);
	return value;
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
		return src_status(m, dom);
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
		return d->record[0];
	case REG_RECORD_LIMIT:
		return d->record[1];
	case REG_RECORD_ADDRESS_HIGH:
		return d->record[2];
	case REG_THRESHOLD:
		return d->threshold;
	case REG_CTRL:
		return ctrl_read(d);
	default:
		return 0;
	}
}

static u32 absent(struct pcmodel *m, u32 addr)
{
	m->lint.absent++;
	return m->quirks.junk ? addr * 0x9e3779b1 : 0;
}

static u32 window_read(struct pcmodel *m, u32 addr)
{
	u32 offset = addr - REG_WINDOW;
	int reg;

	if (is_sig_status(m, offset))
		return sig_status(m, offset);
	reg = find_reg(m, offset);
	if (reg < 0 || !reg_present(m, offset))
		return absent(m, addr);
	if (!(regs[reg].access & R))
		m->lint.direction++;
	if (regs[reg].base == REG_GLOBAL)
		return global_read(m, offset);
	return domain_read(m, reg_domain(offset), regs[reg].base);
}

static u32 gpu_read(struct pcmodel *m, u32 addr)
{
	u64 ns = m->time * PTIMER_NS;

	switch (addr) {
	case REG_BOOT_0:
		return m->boot_0;
	case REG_ENDIAN:
		return 0;
	case REG_PMC_ENABLE:
		return m->pmc_enable;
	case REG_PTIMER_LOW:
		return (u32)ns & ~0x1f;
	case REG_PTIMER_HIGH:
		return ns >> 32;
	case REG_DEBUG_1:
		return m->debug_1;
	default:
		return absent(m, addr);
	}
}

static void log_access(struct pcmodel *m, u32 addr, u32 val, bool write)
{
	struct pcmodel_access *a = &m->log[m->log_pos++ % PCMODEL_LOG];
	u32 reg = (addr - REG_WINDOW) / 4;

	a->addr = addr;
	a->val = val;
	a->write = write;
	if (write)
		m->writes++;
	else
		m->reads++;
	if (reg < PCMODEL_REGISTERS && write)
		m->reg_writes[reg]++;
	else if (reg < PCMODEL_REGISTERS)
		m->reg_reads[reg]++;
	m->lint.width += addr & 3 ? 1 : 0;
}

static bool sticky(const struct pcmodel *m, u32 addr, u32 *val)
{
	unsigned int i;

	for (i = 0; i < m->nsticky; i++) {
		if (m->sticky[i].addr != addr)
			continue;
		*val = m->sticky[i].val;
		return true;
	}
	return false;
}

/**
 * pcmodel_rd32() - read a register
 * @m: the model
 * @addr: BAR0 address
 *
 * No time passes.
 *
 * Return: its value.
 */
u32 pcmodel_rd32(struct pcmodel *m, u32 addr)
{
	u32 val;

	if (m->dead)
		val = ~0;
	else if (addr - REG_WINDOW < REG_WINDOW_SIZE)
		val = window_read(m, addr & ~3);
	else
		val = gpu_read(m, addr & ~3);
	if (!m->dead)
		sticky(m, addr, &val);
	log_access(m, addr, val, false);
	return val;
}

/* ---- writes ---- */

/* The hidden counters become visible and start anew. */
void pcmodel_swap(struct pcmodel_domain *d)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_SLOTS; i++) {
		d->ctr[i] = d->hidden[i];
		d->hidden[i] = 0;
	}
	d->cycles = d->hidden_cycles;
	d->hidden_cycles = 0;
	d->quad_state = d->quad_state == QUAD_EMPTY ? QUAD_VALID : QUAD_OVERFLOW;
}

static void begin_single(struct pcmodel_domain *d)
{
	d->ctr[EVENT] = 0;
	d->ctr[START] = 0;
	d->cycles = 0;
	d->ctr[PRE] = d->init_pre;
	d->ctr[STOP] = d->init_stop;
	d->flag = false;
	d->single_state = SINGLE_WAIT_PRE;
}

/* Section 6.3: a requested swap, at once or some clocks later. */
static void request_swap(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];

	if (FIELD_GET(CTRL_MODE, d->ctrl) != MODE_QUAD)
		return;
	if (m->quirks.swap_latency)
		d->swap_wait = m->quirks.swap_latency;
	else
		pcmodel_swap(d);
}

static void pre_op_write(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];

	switch (FIELD_GET(CTRL_MODE, d->ctrl)) {
	case MODE_SINGLE:
		if (d->single_state == SINGLE_INACTIVE || m->quirks.single_restart)
			begin_single(d);
		break;
	case MODE_QUAD:
		if (m->chip->variant >= PCMODEL_G84)
			request_swap(m, dom);
		break;
	}
}

/* Values that no document defines, and changes of bits of unknown meaning. */
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
	bool was_quad = FIELD_GET(CTRL_MODE, d->ctrl) == MODE_QUAD;
	u32 known = m->chip->variant >= PCMODEL_G84 ? CTRL_G84 : CTRL_NV40;
	bool retimed = (d->ctrl ^ val) & CTRL_PERIODIC;

	lint_ctrl(m, d, val);
	d->ctrl = val & (known | unknown_bits(m));
	if (retimed && m->quirks.periodic_restart)
		d->periodic = m->quirks.periodic_phase;
	if (FIELD_GET(CTRL_MODE, d->ctrl) != MODE_QUAD)
		d->swap_wait = 0;
	if (was_quad || FIELD_GET(CTRL_MODE, d->ctrl) != MODE_QUAD)
		return;
	if (m->quirks.quad_clear) {
		memset(d->hidden, 0, sizeof(d->hidden));
		d->hidden_cycles = 0;
	}
	if (m->quirks.quad_state_reset)
		d->quad_state = QUAD_EMPTY;
}

static void quad_ack(struct pcmodel_domain *d, u32 val)
{
	if (val & BIT(0))
		d->quad_state = d->quad_state == QUAD_OVERFLOW ? QUAD_VALID :
								 QUAD_EMPTY;
}

static void user_write(struct pcmodel_domain *d, u32 val)
{
	d->user = FIELD_GET(USER_VALUES, val);
	d->user_pulse = FIELD_GET(USER_PULSES, val);
}

static u8 levels_before(struct pcmodel *m, unsigned int dom, unsigned int op)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u8 levels = 0;
	unsigned int k;

	for (k = 0; k < 4; k++) {
		const struct pcmodel_script *s = &d->sig[pcmodel_source(d, op, k)];

		if (d->cycle)
			levels |= pcmodel_script_level(s, d->cycle - 1) << k;
	}
	return levels;
}

static void src_write(struct pcmodel *m, unsigned int dom, unsigned int slot,
		      u32 val)
{
	struct pcmodel_domain *d = &m->dom[dom];
	unsigned int op;

	d->src[slot] = val;
	if (!m->quirks.prev_new)
		return;
	for (op = 0; op < PCMODEL_OPS; op++)
		d->prev[op] = levels_before(m, dom, op);
}

/* Section 6.2: these force a single mode process to INACTIVE. */
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
		src_write(m, dom, (base - REG_PRE_SRC) / 0x40, val);
		break;
	case REG_PRE_OP:
	case REG_START_OP:
	case REG_EVENT_OP:
	case REG_STOP_OP:
		d->op[(base - REG_PRE_OP) / 0x40] = val;
		if (base == REG_PRE_OP)
			pre_op_write(m, dom);
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
		user_write(d, val);
		break;
	case REG_CTR_PRE:
		d->init_pre = val;
		break;
	case REG_CTR_STOP:
		d->init_stop = val;
		break;
	case REG_RECORD_START:
		d->record[0] = val;
		break;
	case REG_RECORD_LIMIT:
		d->record[1] = val;
		break;
	case REG_RECORD_ADDRESS_HIGH:
		d->record[2] = val;
		break;
	case REG_THRESHOLD:
		d->threshold = val;
		break;
	case REG_CTRL:
		ctrl_write(m, dom, val);
		break;
	case REG_QUAD_ACK:
		quad_ack(d, val);
		break;
	}
}

static void global_write(struct pcmodel *m, u32 offset, u32 val)
{
	unsigned int i;

	switch (offset) {
	case REG_RECORD_CHAN:
		m->record_chan = val;
		break;
	case REG_RECORD_DMA:
		m->record_dma = val & GENMASK(15, 0);
		break;
	case REG_GCTRL:
		/* bits 8 to 18 belong to other engines: kept, no effect known */
		m->lint.bits += (m->gctrl ^ val) & ~GCTRL_KNOWN ? 1 : 0;
		m->gctrl = val & GENMASK(18, 0);
		if (!(val & GCTRL_PERIODIC_RESET))
			break;
		for (i = 0; i < m->chip->domains; i++)
			m->dom[i].periodic = m->quirks.periodic_phase;
		break;
	}
}

static void window_write(struct pcmodel *m, u32 addr, u32 val)
{
	u32 offset = addr - REG_WINDOW, known;
	int reg = find_reg(m, offset);

	if (is_sig_status(m, offset)) {
		m->lint.direction++;
		return;
	}
	if (reg < 0 || !reg_present(m, offset)) {
		absent(m, addr);
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

/* Section 4.5: bit 5 pulses PM_TRIGGER, which swaps every domain before G84. */
static void debug_1_write(struct pcmodel *m, u32 val)
{
	unsigned int i;

	if (m->chip->variant == PCMODEL_NV40)
		m->debug_1 = val & ~DEBUG_1_PM_TRIGGER;
	if (!(val & DEBUG_1_PM_TRIGGER))
		return;
	for (i = 0; i < m->chip->domains; i++) {
		m->dom[i].pm_trigger = true;
		if (m->chip->variant < PCMODEL_G84)
			request_swap(m, i);
	}
}

static void apply_write(struct pcmodel *m, u32 addr, u32 val)
{
	if (addr - REG_WINDOW < REG_WINDOW_SIZE)
		window_write(m, addr, val);
	else if (addr == REG_DEBUG_1)
		debug_1_write(m, val);
	else if (addr == REG_PMC_ENABLE)
		m->pmc_enable = val;
	else
		absent(m, addr);
}

/* Writes whose time has come, quirk write_delay. */
void pcmodel_apply_due(struct pcmodel *m)
{
	while (m->queue_head != m->queue_tail &&
	       m->queue[m->queue_head].due <= m->time) {
		unsigned int at = m->queue_head;

		m->queue_head = (at + 1) % PCMODEL_QUEUE;
		apply_write(m, m->queue[at].addr, m->queue[at].val);
	}
}

/**
 * pcmodel_wr32() - write a register
 * @m: the model
 * @addr: BAR0 address
 * @val: the value
 *
 * Takes effect between two cycles, or after quirk write_delay.
 */
void pcmodel_wr32(struct pcmodel *m, u32 addr, u32 val)
{
	unsigned int next = (m->queue_tail + 1) % PCMODEL_QUEUE;

	log_access(m, addr, val, true);
	if (m->dead)
		return;
	addr &= ~3;
	if (!m->quirks.write_delay || next == m->queue_head) {
		apply_write(m, addr, val);
		return;
	}
	m->queue[m->queue_tail].due = m->time + m->quirks.write_delay;
	m->queue[m->queue_tail].addr = addr;
	m->queue[m->queue_tail].val = val;
	m->queue_tail = next;
}

/* ---- set-up ---- */

/**
 * pcmodel_init() - make a GPU as it comes out of reset
 * @m: memory for it, zeroed here
 * @chipset: which chip
 *
 * Return: 0, -ENODEV if the chip is not modelled.
 */
int pcmodel_init(struct pcmodel *m, u32 chipset)
{
	const struct pcmodel_chip *chip = pcmodel_chip(chipset);
	unsigned int i;

	if (!chip)
		return -ENODEV;
	memset(m, 0, sizeof(*m));
	m->chip = chip;
	m->boot_0 = chipset << 20 | 0xa2;
	m->pmc_enable = ~0;
	if (chip->variant == PCMODEL_NV40)
		m->debug_1 = DEBUG_1_PRESET & ~DEBUG_1_PM_TRIGGER;
	for (i = 0; i < PCMODEL_DOMAINS; i++) {
		m->dom[i].num = 1;
		m->dom[i].den = 1;
	}
	return 0;
}

static u32 rnd(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 32;
}

static void garbage_domain(struct pcmodel *m, struct pcmodel_domain *d, u64 *s)
{
	static const u8 quad_states[] = { QUAD_EMPTY, QUAD_VALID, QUAD_OVERFLOW };
	bool g84 = m->chip->variant >= PCMODEL_G84;
	bool g92 = m->chip->variant >= PCMODEL_G92;
	u32 op = g92 ? OP_G92 : OP_NV40;
	u32 counts = g92 ? OP_COUNTS_G92 : OP_COUNTS_NV40;
	unsigned int i;

	for (i = 0; i < PCMODEL_SLOTS; i++) {
		d->src[i] = rnd(s);
		d->ctr[i] = rnd(s);
		d->hidden[i] = rnd(s);
	}
	for (i = 0; i < PCMODEL_OPS; i++)
		d->op[i] = rnd(s) & (i == EVENT || i == STOP ? counts : op);
	d->ctrl = rnd(s) & (g84 ? CTRL_G84 : CTRL_NV40);
	d->ctrl &= ~(CTRL_MODE | CTRL_CTR_MODE);
	d->ctrl |= FIELD_PREP(CTRL_MODE, rnd(s) % (g84 ? 3 : 2)) |
		   FIELD_PREP(CTRL_CTR_MODE, rnd(s) % 5);
	d->spec_src = g84 || m->quirks.spec_src ? rnd(s) & GENMASK(15, 0) : 0;
	d->init_pre = rnd(s);
	d->init_stop = rnd(s);
	d->threshold = rnd(s);
	if (g84) {
		d->record[0] = rnd(s) & GENMASK(31, 4);
		d->record[1] = rnd(s) & GENMASK(31, 4);
	}
	d->record[2] = g92 ? rnd(s) & GENMASK(7, 0) : 0;
	d->cycles = rnd(s);
	d->hidden_cycles = rnd(s);
	d->quad_state = quad_states[rnd(s) % 3];
	d->flag = rnd(s) & 1;
}

/**
 * pcmodel_garbage() - leave the registers as a former user might have
 * @m: the model
 * @seed: which garbage
 */
void pcmodel_garbage(struct pcmodel *m, u64 seed)
{
	unsigned int i;

	for (i = 0; i < m->chip->domains; i++)
		garbage_domain(m, &m->dom[i], &seed);
	if (m->chip->variant < PCMODEL_G84)
		return;
	m->gctrl = rnd(&seed) & GCTRL_KNOWN;
	m->record_chan = rnd(&seed) & GENMASK(29, 0);
	m->record_dma = rnd(&seed) & GENMASK(15, 0);
}

/**
 * pcmodel_set_clock() - how fast a domain runs
 * @m: the model
 * @dom: domain number
 * @num: domain cycles for each @den reference cycles; 0 stops the clock
 * @den: see @num
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_set_clock(struct pcmodel *m, unsigned int dom, u32 num, u32 den)
{
	if (dom >= m->chip->domains || !den)
		return -EINVAL;
	m->dom[dom].num = num;
	m->dom[dom].den = den;
	m->dom[dom].acc = 0;
	return 0;
}

/**
 * pcmodel_cycle() - a domain's clock
 * @m: the model
 * @dom: domain number
 *
 * Return: its cycles since init.
 */
u64 pcmodel_cycle(const struct pcmodel *m, unsigned int dom)
{
	return m->dom[dom].cycle;
}

/**
 * pcmodel_set_signal() - let a script drive a signal
 * @m: the model
 * @dom: domain number
 * @sig: signal number
 * @s: the script
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_set_signal(struct pcmodel *m, unsigned int dom, unsigned int sig,
		       const struct pcmodel_script *s)
{
	if (dom >= m->chip->domains || sig >= PCMODEL_SIGNALS)
		return -EINVAL;
	if (s->kind == PCMODEL_DUTY && (!s->period || s->high > s->period))
		return -EINVAL;
	if (s->kind == PCMODEL_BITS && (!s->nbits || !s->bits))
		return -EINVAL;
	m->dom[dom].sig[sig] = *s;
	return 0;
}
