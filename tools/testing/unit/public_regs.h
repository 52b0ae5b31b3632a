/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compare inputs of a domain in its registers by function: sources that a truth table
 * ignores have no function, and any signal that is 0 equals any other
 * (hw:real-cards/r14).
 */
#ifndef _PUBLIC_REGS_H
#define _PUBLIC_REGS_H

#include "count_test.h"
#include "rules/lookup.h"

static inline const struct pcounter_public *find_event(const struct pcounter_chip *chip,
						       const char *name)
{
	for (unsigned int i = 0; i < chip->events.nr; i++)
		if (!strcmp(pcounter_public_get(chip, i)->name, name))
			return pcounter_public_get(chip, i);
	return NULL;
}

/* hw:registers/nv40, hw:registers/gf100: of PRE, START, EVENT, STOP */
static inline u32 src_addr(const struct pcounter_dom_id *id, unsigned int input)
{
	if (g.gpu.topo.caps & PCOUNTER_CAP_SETS)
		return 0x180040 + id->block * 0x200 + input * 8;
	return 0xa400 + input * 0x40 + id->dom * 4;
}

static inline u32 op_addr(const struct pcounter_dom_id *id, unsigned int input)
{
	return src_addr(id, input) + (g.gpu.topo.caps & PCOUNTER_CAP_SETS ? 4 : 0x20);
}

static inline unsigned int counter_mode(const struct pcounter_dom_id *id)
{
	if (g.gpu.topo.caps & PCOUNTER_CAP_SETS)
		return pcmodel_rd32(g.m, 0x18009c + id->block * 0x200) >> 3 & 7;
	return pcmodel_rd32(g.m, 0xa7c0 + id->dom * 4) >> 4 & 7;
}

/*
 * Return true if a signal is a constant 0: trailer + 0x2f, or before GF100 + 0xc, + 0xe on
 * G80; or if it is beyond the last signal.
 */
static inline bool is_zero(const struct pcounter_dom_id *id, u8 signal)
{
	u32 caps = g.gpu.topo.caps;

	if (id->trailer == PCOUNTER_TRAILER_UNKNOWN)
		return signal == 0xef;
	if (signal >= id->trailer + pcounter_trailer_of(caps)->size)
		return true;
	return signal == id->trailer + (caps & PCOUNTER_CAP_SETS ? 0x2f :
					g.gpu.chip->chipset == 0x50 ? 0x0e : 0x0c);
}

/* Evaluate a logic op with the wires of @wire set as in @levels; a constant 0 stays 0. */
static inline bool value(u32 src, u16 op, const u8 *wire, unsigned int wires, u32 levels)
{
	unsigned int row = 0;

	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int k = 0; k < wires; k++)
			if (wire[k] == (u8)(src >> 8 * i) && levels >> k & 1)
				row |= 1 << i;
	return op >> row & 1;
}

static inline unsigned int add_wires(const struct pcounter_dom_id *id, u8 *wire,
				     unsigned int wires, u32 src)
{
	for (unsigned int i = 0; i < 4; i++) {
		u8 signal = src >> 8 * i;

		if (!is_zero(id, signal) && !memchr(wire, signal, wires))
			wire[wires++] = signal;
	}
	return wires;
}

/* Check that both inputs compute the same function of the wires, in any order of sources. */
static inline void same_function(const struct pcounter_dom_id *id, u32 src, u16 op,
				 u32 want_src, u16 want_op)
{
	u8 wire[8];
	unsigned int wires = add_wires(id, wire, add_wires(id, wire, 0, src), want_src);

	for (u32 levels = 0; levels < 1u << wires; levels++)
		if (value(src, op, wire, wires, levels) !=
		    value(want_src, want_op, wire, wires, levels))
			fail_msg("%08x/%04x is not %08x/%04x", src, op, want_src, want_op);
}

/* Return true if a logic op depends on its argument. */
static inline bool looks_at(u16 op, unsigned int arg)
{
	for (unsigned int row = 0; row < 16; row++)
		if ((op >> row ^ op >> (row ^ 1 << arg)) & 1)
			return true;
	return false;
}

/* Check the function of the input. */
static inline void same_gate(const struct pcounter_dom_id *id, unsigned int input, u32 want,
			     u16 want_op)
{
	same_function(id, pcmodel_rd32(g.m, src_addr(id, input)),
		      pcmodel_rd32(g.m, op_addr(id, input)), want, want_op);
}

static inline void same_sources(const struct pcounter_dom_id *id, unsigned int input,
				u32 want, u32 sources)
{
	u32 src = pcmodel_rd32(g.m, src_addr(id, input));

	for (unsigned int i = 0; i < 4; i++) {
		if (!(sources & BIT(i)))
			continue;
		if (is_zero(id, want >> 8 * i))
			assert_true(is_zero(id, src >> 8 * i));
		else
			assert_int_equal(src >> 8 * i & 0xff, want >> 8 * i & 0xff);
	}
}

/* Check the input's bits of a number. */
static inline void same_bits(const struct pcounter_dom_id *id, unsigned int input, u32 want,
			     u16 want_op, u32 sources)
{
	assert_int_equal(pcmodel_rd32(g.m, op_addr(id, input)) & 0xffff, want_op);
	same_sources(id, input, want, sources);
}

/*
 * hw:modes/sums: compare the inputs that hold the logic op and the bits, and the number
 * of bits. @src and @op are the registers of PRE, START, EVENT and STOP.
 */
static inline void same_inputs(const struct pcounter_dom_id *id, unsigned int ctr,
			       const u32 *src, const u16 *op)
{
	enum { PRE, START, EVENT };

	switch (ctr) {
	case PCOUNTER_CTR_PRE_B5:
		same_bits(id, PRE, src[PRE], op[PRE], GENMASK(3, 0));
		same_bits(id, START, src[START], op[START], BIT(0));
		return;
	case PCOUNTER_CTR_EVENT_OWN_B4:
		same_bits(id, EVENT, src[EVENT], op[EVENT], GENMASK(3, 0));
		same_gate(id, START, src[START], op[START]);
		return;
	default:
		same_gate(id, EVENT, src[EVENT], op[EVENT]);
		/* two bits come from here, with any op */
		if (ctr == PCOUNTER_CTR_EVENT_B6)
			same_sources(id, EVENT, src[EVENT], GENMASK(3, 2));
		if (ctr)
			same_bits(id, START, src[START], op[START], GENMASK(3, 0));
	}
}

#endif
