// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a GPU, with calls to the part of the model that implements
 * each one; and the reset state of a GPU.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/swab.h>

#include "pcmodel_regs.h"

/* ---- reads ---- */

static u32 gpu_read(struct pcmodel *m, u32 addr)
{
	u64 ns = m->time * PTIMER_NS;

	if (addr - REG_PRAMIN < REG_PRAMIN_SIZE)
		pcmodel_note_vram(m);
	if (pcmodel_vm_owns(m, addr))
		return pcmodel_vm_rd32(m, addr);
	switch (addr) {
	case REG_BOOT_0:
		return m->boot_0;
	case REG_ENDIAN:
		return m->big_endian ? ENDIAN_BIG : 0;
	case REG_PMC_ENABLE:
		return m->pmc_enable;
	case REG_PTIMER_LOW:
		return (u32)ns & ~0x1f;
	case REG_PTIMER_HIGH:
		return ns >> 32;
	case REG_DEBUG_1:
		return m->debug_1;
	case REG_DEBUG_D:
		return m->chip->variant < PCMODEL_G80 ? m->debug_d : pcmodel_absent(m, addr);
	case REG_STRAPS:
		/* straps depend on the card */
		return 0;
	default:
		return pcmodel_absent(m, addr);
	}
}

static bool in_window(const struct pcmodel *m, u32 addr)
{
	return addr - m->chip->layout->window < m->chip->layout->size;
}

static u32 window_read(struct pcmodel *m, u32 addr)
{
	return m->chip->layout->read(m, addr - m->chip->layout->window);
}

static void log_access(struct pcmodel *m, u32 addr, u32 val, bool write)
{
	struct pcmodel_access *a = &m->log[m->log_pos++ % PCMODEL_LOG];

	a->addr = addr;
	a->val = val;
	a->write = write;
	if (write)
		m->writes++;
	else
		m->reads++;
	m->lint.width += addr & 3 ? 1 : 0;
}

static bool sticky(const struct pcmodel *m, u32 addr, u32 *val)
{
	unsigned int i;

	for (i = 0; i < m->nsticky; i++) {
		if (m->sticky[i].addr != addr)
			continue;
		*val = m->sticky[i].val + (m->sticky[i].more ? *val : 0);
		return true;
	}
	return false;
}

/* Return the value of a hostile GPU: random values, and patterns with a meaning. */
static u32 hostile(struct pcmodel *m, u32 val)
{
	u32 rnd = pcmodel_rnd(&m->hostile);

	switch (rnd % 8) {
	case 0:
		return ~0;
	case 1:
		return 0;
	case 2:
		return 0xbad00000 | rnd >> 12;
	case 3:
		return val ^ 1u << (rnd >> 3) % 32;
	case 4:
		return pcmodel_rnd(&m->hostile);
	default:
		return val;
	}
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
	else if (in_window(m, addr))
		val = window_read(m, addr & ~3);
	else if (!pcmodel_pdaemon_read(m, addr & ~3, &val) &&
		 !pcmodel_unit_read(m, addr & ~3, &val) &&
		 !pcmodel_mux_read(m, addr & ~3, &val))
		val = gpu_read(m, addr & ~3);
	if (!m->dead) {
		pcmodel_note_access(m, false);
		sticky(m, addr, &val);
	}
	if (m->hostile)
		val = hostile(m, val);
	log_access(m, addr, val, false);
	return m->big_endian ? swab32(val) : val;
}

/* ---- writes ---- */

/* Return the bits that a real card of the family kept; Celsius exchanges two of them. */
static u32 debug_1_kept(const struct pcmodel *m, u32 val)
{
	enum pcmodel_variant variant = m->chip->variant;

	if (variant < PCMODEL_NV20 && hweight32(val & DEBUG_1_SWAPPED) == 1)
		val ^= DEBUG_1_SWAPPED;
	if (variant == PCMODEL_NV10)
		return val & DEBUG_1_KEEPS_NV10;
	if (variant == PCMODEL_NV15)
		return val & DEBUG_1_KEEPS_NV15;
	if (variant == PCMODEL_NV20)
		return val & DEBUG_1_KEEPS_NV20;
	if (variant == PCMODEL_NV30)
		return val & DEBUG_1_KEEPS_NV30;
	return variant == PCMODEL_NV40 ? val & DEBUG_1_KEEPS_NV40 : 0;
}

/*
 * hw:inputs/swap: bit 5 pulses PM_TRIGGER; from GF100 on it is a different register. PGRAPH
 * takes no write while it is off.
 */
static void debug_1_write(struct pcmodel *m, u32 val)
{
	if (!(m->pmc_enable & PMC_PGRAPH))
		return;
	m->debug_1 = debug_1_kept(m, val);
	if (val & DEBUG_1_PM_TRIGGER && m->chip->variant < PCMODEL_GF100)
		pcmodel_trigger(m);
}

static void apply_write(struct pcmodel *m, u32 addr, u32 val)
{
	pcmodel_note_access(m, true);
	if (in_window(m, addr))
		m->chip->layout->write(m, addr - m->chip->layout->window, val);
	else if (pcmodel_pdaemon_write(m, addr, val) || pcmodel_mux_write(m, addr, val))
		return;
	else if (addr == REG_DEBUG_1)
		debug_1_write(m, val);
	else if (addr == REG_DEBUG_D && m->chip->variant < PCMODEL_G80)
		m->debug_d = val;
	else if (addr == REG_PMC_ENABLE)
		pcmodel_gf100_pmc(m, val);
	else if (addr == REG_ENDIAN && val & ENDIAN_FLIP && m->chip->chipset >= ENDIAN_FROM)
		m->big_endian = !m->big_endian;
	else if (pcmodel_vm_owns(m, addr))
		pcmodel_vm_wr32(m, addr, val);
	else
		pcmodel_absent(m, addr);
}

/* Perform writes whose delay has passed, quirk write_delay. */
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
 * The write takes effect between two cycles, or after quirk write_delay.
 */
void pcmodel_wr32(struct pcmodel *m, u32 addr, u32 val)
{
	unsigned int next = (m->queue_tail + 1) % PCMODEL_QUEUE;

	if (m->big_endian)
		val = swab32(val);
	log_access(m, addr, val, true);
	if (m->dead)
		return;
	addr &= ~3;
	if (!m->quirks.write_delay || next == m->queue_head ||
	    pcmodel_vm_owns(m, addr)) {
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
 * pcmodel_init() - create a GPU in its reset state
 * @m: memory for it, zeroed here
 * @chipset: chipset id
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
	m->domains = chip->domains;
	m->boot_0 = chipset << 20 | 0xa2;
	m->pmc_enable = ~0;
	m->debug_1 = debug_1_kept(m, chip->variant < PCMODEL_NV30 ? DEBUG_1_PRESET_NV10 :
								    DEBUG_1_PRESET);
	m->tpcs = TPCS_PRESET;
	for (i = 0; i < PCMODEL_DOMAINS; i++) {
		m->dom[i].num = 1;
		m->dom[i].den = 1;
	}
	pcmodel_vm_init(m);
	for (i = 0; i < m->domains; i++) {
		m->dom[i].count = m->domains;
		m->dom[i].trailer = chip->trailer[i] << 4;
	}
	pcmodel_pdaemon_init(m);
	if (chip->layout->reset)
		chip->layout->reset(m);
	return 0;
}

/**
 * pcmodel_reset() - switch the power off and on, or reset the function
 * @m: the model
 *
 * The engine loses its state. Clocks, signals and units, which are outside the engine,
 * stay, and so do quirks, faults and statistics.
 */
void pcmodel_reset(struct pcmodel *m)
{
	size_t keep = offsetof(struct pcmodel_domain, src);
	u32 units[ARRAY_SIZE(m->units)];
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		memset((char *)&m->dom[i] + keep, 0, sizeof(m->dom[i]) - keep);
	pcmodel_gf100_forget(m);
	memset(m->idle.slot, 0, sizeof(m->idle.slot));
	m->queue_head = m->queue_tail;
	m->nmux = 0;
	m->ctrl10 = 0;
	m->gctrl = 0;
	pcmodel_record_reset(m);
	if (!m->chip->layout->reset)
		return;
	memcpy(units, m->units, sizeof(units));
	m->chip->layout->reset(m);
	memcpy(m->units, units, sizeof(units));
	pcmodel_enumerate(m);
}

/**
 * pcmodel_garbage() - leave the registers as a former user might have
 * @m: the model
 * @seed: selects the garbage
 */
void pcmodel_garbage(struct pcmodel *m, u64 seed)
{
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		m->chip->layout->garbage(m, i, &seed);
}

/**
 * pcmodel_preset() - set a running counter, so that it fills or wraps soon
 * @m: the model
 * @dom: domain number
 * @counter: "cycles", "pre", "start", "event", "stop"
 * @value: its new value; in quad mode, of the hidden counter
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_preset(struct pcmodel *m, unsigned int dom, const char *counter,
		   u64 value)
{
	static const char *const names[] = { "pre", "start", "event", "stop" };
	struct pcmodel_domain *d = &m->dom[dom];
	bool quad = FIELD_GET(CTRL_MODE, d->ctrl) == MODE_QUAD;
	unsigned int i;

	if (dom >= m->domains)
		return -EINVAL;
	if (!strcmp(counter, "cycles")) {
		*(quad ? &d->hidden_cycles : &d->cycles) = value;
		return 0;
	}
	for (i = 0; i < PCMODEL_SLOTS; i++) {
		if (strcmp(counter, names[i]))
			continue;
		*(quad ? &d->hidden[i] : &d->ctr[i]) = value;
		return 0;
	}
	return -EINVAL;
}

/**
 * pcmodel_set_clock() - set the clock of a domain
 * @m: the model
 * @dom: domain number
 * @num: domain cycles for each @den reference cycles; 0 stops the clock
 * @den: see @num
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_set_clock(struct pcmodel *m, unsigned int dom, u32 num, u32 den)
{
	if (dom >= m->domains || !den)
		return -EINVAL;
	m->dom[dom].num = num;
	m->dom[dom].den = den;
	m->dom[dom].acc = 0;
	return 0;
}

/**
 * pcmodel_set_trailer() - move a domain's trailer signals
 * @m: the model
 * @dom: domain number
 * @base: number of the first signal; %PCMODEL_NO_TRAILER: no trailer
 *
 * The base survives resets. Renumbering of the domains moves it to another domain.
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_set_trailer(struct pcmodel *m, unsigned int dom, unsigned int base)
{
	if (dom >= m->domains || (base >= PCMODEL_SIGNALS && base != PCMODEL_NO_TRAILER))
		return -EINVAL;
	m->base[dom] = base + 1;
	m->dom[dom].trailer = base;
	return 0;
}

/**
 * pcmodel_cycle() - get the time of a domain
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
	if (dom >= m->domains || sig >= PCMODEL_SIGNALS)
		return -EINVAL;
	if (!pcmodel_script_valid(s))
		return -EINVAL;
	m->dom[dom].sig[sig] = *s;
	return 0;
}
