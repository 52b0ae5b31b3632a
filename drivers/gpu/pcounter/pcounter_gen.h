/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: one const descriptor for each kind of register layout, and the
 * operations that know its registers.
 */
#ifndef _PCOUNTER_GEN_H
#define _PCOUNTER_GEN_H

#include <linux/types.h>

#include "pcounter_chip.h"
#include "pcounter_place.h"

struct pcounter_io;

/**
 * struct pcounter_image - configuration registers of one domain
 * @src: source selection of PRE, START, EVENT, STOP
 * @op: logic op of each input
 * @ctrl: control register without its read-only bits
 * @swap_src: signal that swaps, where the layout lets one choose
 */
struct pcounter_image {
	u32 src[PCOUNTER_SLOTS];
	u32 op[PCOUNTER_OPS];
	u32 ctrl;
	u32 swap_src;
};

/* How far the double buffer of a domain in quad mode has got. */
enum pcounter_quad_state {
	PCOUNTER_QUAD_EMPTY,
	PCOUNTER_QUAD_VALID,
	PCOUNTER_QUAD_OVERFLOW,
	PCOUNTER_QUAD_FOREIGN,	/* the control register is not as we wrote it */
	PCOUNTER_QUAD_DEAD,	/* the GPU does not answer */
};

struct pcounter_gen;

/**
 * struct pcounter_gen_ops - what a register layout can be asked to do
 * @encode: registers for a plan; swaps parked on signal @zero where the
 *	layout can choose
 * @load: read a domain's configuration
 * @store: write what differs between two images, taking a domain: CTRL first.
 *	Leaves out PRE_OP where writing that swaps
 * @restore: write what differs, CTRL last, PRE_OP included
 * @differs: does the hardware hold anything but @img? Costs a read for each register
 *	that @plan uses
 * @end_period: end the counting period; of all domains with PCOUNTER_CAP_SWAP_SHARED.
 *	Returns false if the GPU does not answer
 * @state: has a period been published? Compares CTRL with @img in passing
 * @ack: step the state down by one
 * @counter: published count of a slot
 * @cycles: published cycle count
 * @trailer_probe: find the trailer base by moving the flag; returns
 *	PCOUNTER_TRAILER_UNKNOWN if that shows nothing
 */
struct pcounter_gen_ops {
	void (*encode)(const struct pcounter_gen *gen,
		       const struct pcounter_plan *plan, u8 zero,
		       struct pcounter_image *img);
	void (*load)(const struct pcounter_gen *gen, struct pcounter_io *io,
		     unsigned int dom, struct pcounter_image *img);
	void (*store)(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int dom, const struct pcounter_image *from,
		      const struct pcounter_image *to);
	void (*restore)(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int dom, const struct pcounter_image *from,
			const struct pcounter_image *to);
	bool (*differs)(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int dom, const struct pcounter_plan *plan,
			const struct pcounter_image *img);
	bool (*end_period)(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int dom, const struct pcounter_image *img);
	enum pcounter_quad_state (*state)(struct pcounter_io *io,
					  unsigned int dom,
					  const struct pcounter_image *img);
	void (*ack)(struct pcounter_io *io, unsigned int dom);
	u32 (*counter)(struct pcounter_io *io, unsigned int dom,
		       unsigned int slot);
	u32 (*cycles)(struct pcounter_io *io, unsigned int dom);
	u16 (*trailer_probe)(struct pcounter_io *io, unsigned int dom);
};

/**
 * struct pcounter_window - a piece of BAR0 that must be mapped
 * @base: BAR0 offset
 * @size: bytes
 */
struct pcounter_window {
	u32 base;
	u32 size;
};

#define PCOUNTER_MAX_WINDOWS	2

/**
 * struct pcounter_gen - a kind of PCOUNTER
 * @layout: name of the register layout in the hardware documents
 * @caps: PCOUNTER_CAP_*
 * @counter_bits: width of the counters
 * @saturated: what a counter reads that has counted too far
 * @max_clock_hz: no domain runs faster; bounds how long counters last
 * @windows: pieces of BAR0 the operations touch, ended by size 0
 * @ops: register operations
 */
struct pcounter_gen {
	const char *layout;
	u32 caps;
	u8 counter_bits;
	u32 saturated;
	u32 max_clock_hz;
	struct pcounter_window windows[PCOUNTER_MAX_WINDOWS + 1];
	const struct pcounter_gen_ops *ops;
};

const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip);

extern const struct pcounter_gen pcounter_gen_nv40;
extern const struct pcounter_gen pcounter_gen_g84;
extern const struct pcounter_gen pcounter_gen_g92;

#endif
