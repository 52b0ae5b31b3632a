// SPDX-License-Identifier: GPL-2.0-only
/*
 * The common part of all layouts: values of registers, and effects of writes.
 * The layouts define the addresses.
 */
#include <linux/bitfield.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

/* ---- reads ---- */

/* An access that no document describes, hw:ambiguities/9. */
u32 pcmodel_absent(struct pcmodel *m, u32 addr)
{
	m->lint.absent++;
	return m->quirks.junk ? addr * 0x9e3779b1 : 0;
}

u32 pcmodel_sig_word(struct pcmodel *m, unsigned int dom, unsigned int word)
{
	u32 value = 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		value |= (u32)pcmodel_level(m, dom, word * 32 + i) << i;
	return value;
}

u32 pcmodel_src_status(struct pcmodel *m, unsigned int dom, unsigned int ops)
{
	unsigned int op, k;
	u32 value = 0;

	for (op = 0; op < ops; op++)
		for (k = 0; k < 4; k++)
			value |= (u32)pcmodel_level(m, dom,
						    pcmodel_source(m, dom, op, k)) <<
				 (op * 4 + k);
	return value;
}

/* ---- writes ---- */

/* Publish the hidden counters, and clear them. */
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

/* hw:modes/quad-swap: swap as requested, at once or some clocks later. */
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

void pcmodel_pre_op_write(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_domain *d = &m->dom[dom];

	switch (FIELD_GET(CTRL_MODE, d->ctrl)) {
	case MODE_SINGLE:
		if (d->single_state == SINGLE_INACTIVE || m->quirks.single_restart)
			begin_single(d);
		break;
	case MODE_QUAD:
		if (m->chip->variant >= PCMODEL_G84 &&
		    m->chip->variant < PCMODEL_GF100)
			request_swap(m, dom);
		break;
	}
}

void pcmodel_quad_ack(struct pcmodel_domain *d)
{
	d->quad_state = d->quad_state == QUAD_OVERFLOW ? QUAD_VALID : QUAD_EMPTY;
}

/* New settings; hw:ambiguities/15: effects of entering quad mode. */
void pcmodel_mode_change(struct pcmodel *m, unsigned int dom, u32 ctrl)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u32 before = FIELD_GET(CTRL_MODE, d->ctrl);

	d->ctrl = ctrl;
	pcmodel_record_mode(m, dom, before);
	if (FIELD_GET(CTRL_MODE, d->ctrl) != MODE_QUAD)
		d->swap_wait = 0;
	if (before == MODE_QUAD || FIELD_GET(CTRL_MODE, d->ctrl) != MODE_QUAD)
		return;
	if (m->quirks.quad_clear) {
		memset(d->hidden, 0, sizeof(d->hidden));
		d->hidden_cycles = 0;
	}
	if (m->quirks.quad_state_reset)
		d->quad_state = QUAD_EMPTY;
}

static u8 levels_before(struct pcmodel *m, unsigned int dom, unsigned int op)
{
	struct pcmodel_domain *d = &m->dom[dom];
	u8 levels = 0;
	unsigned int k;

	for (k = 0; k < 4; k++) {
		unsigned int sig = pcmodel_source(m, dom, op, k);

		/* use the present level of signals that the engine itself drives */
		if (pcmodel_is_driven(m, dom, sig))
			levels |= pcmodel_level(m, dom, sig) << k;
		else if (d->cycle)
			levels |= pcmodel_script_level(&d->sig[sig], d->cycle - 1) << k;
	}
	return levels;
}

void pcmodel_src_write(struct pcmodel *m, unsigned int dom, unsigned int slot,
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

/* hw:ambiguities/72: bit 8 of GCTRL, "related to PM_TRIGGER" of PGRAPH */
static bool trigger_arrives(const struct pcmodel *m)
{
	bool set = m->gctrl & GCTRL_PGRAPH;

	if (m->chip->variant < PCMODEL_G84 || m->chip->variant >= PCMODEL_GF100)
		return true;
	return !m->quirks.gctrl_pm || (m->quirks.gctrl_pm == 1) == set;
}

/**
 * pcmodel_trigger() - pulse PM_TRIGGER, like a command stream
 * @m: the model
 *
 * Every domain sees the pulse in its next clock: as the signal PM_TRIGGER, and
 * on NV30:G84 as the swap input (hw:inputs/swap).
 */
void pcmodel_trigger(struct pcmodel *m)
{
	unsigned int i;

	for (i = 0; i < m->domains; i++) {
		m->dom[i].pm_trigger = trigger_arrives(m);
		if (m->chip->variant < PCMODEL_G84)
			request_swap(m, i);
	}
}

#define METHOD_PM_TRIGGER	0x140
#define METHOD_PM_TRIGGER_WFI	0x144	/* waits for idle */
#define CLASS_3D		0x97	/* low byte of the class of 3D objects */
#define CLASS_COMPUTE		0xc0	/* the same of compute objects */

/* 3D classes of NV30 to NV36 */
static bool is_rankine(u32 class)
{
	return (class & 0xff) == CLASS_3D && (class >> 8 == 0x3 || class >> 8 == 0x4 ||
					      class >> 8 == 0x6);
}

/* 3D and compute classes of Kepler and later */
static bool is_kepler(u32 class)
{
	return class >= 0xa000 && ((class & 0xff) == CLASS_3D || (class & 0xff) == CLASS_COMPUTE);
}

/**
 * pcmodel_method() - a command stream sends a method to an object
 * @m: the model
 * @method: its number
 * @class: class of the object
 *
 * hw:inputs/methods: only PM_TRIGGER, and PM_TRIGGER_WFI where the class has it, have an
 * effect.
 *
 * Return: false if the method is illegal.
 */
bool pcmodel_method(struct pcmodel *m, u32 method, u32 class)
{
	if (method != METHOD_PM_TRIGGER && (method != METHOD_PM_TRIGGER_WFI || !is_kepler(class)))
		return true;
	if (m->chip->variant < PCMODEL_G80 && !(m->debug_d & DEBUG_D_PM_TRIGGER) &&
	    !is_rankine(class))
		return false;
	pcmodel_trigger(m);
	return true;
}

/* ---- garbage ---- */

u32 pcmodel_rnd(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 32;
}

/* The common part of all layouts; ops and control depend on the layout. */
void pcmodel_garbage_common(struct pcmodel *m, unsigned int dom, u64 *s)
{
	static const u8 quad_states[] = { QUAD_EMPTY, QUAD_VALID, QUAD_OVERFLOW };
	struct pcmodel_domain *d = &m->dom[dom];
	unsigned int i;

	for (i = 0; i < PCMODEL_OPS; i++) {
		d->src[i] = pcmodel_rnd(s);
		d->op[i] = pcmodel_rnd(s);
	}
	for (i = 0; i < PCMODEL_SLOTS; i++) {
		d->ctr[i] = pcmodel_rnd(s);
		d->hidden[i] = pcmodel_rnd(s);
	}
	d->init_pre = pcmodel_rnd(s);
	d->init_stop = pcmodel_rnd(s);
	d->threshold = pcmodel_rnd(s);
	d->cycles = pcmodel_rnd(s);
	d->hidden_cycles = pcmodel_rnd(s);
	d->quad_state = quad_states[pcmodel_rnd(s) % 3];
	d->flag = pcmodel_rnd(s) & 1;
}
