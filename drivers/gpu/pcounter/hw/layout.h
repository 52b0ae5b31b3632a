/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: one const descriptor for each, and the operations that depend on
 * the register layout.
 */
#ifndef _PCOUNTER_HW_LAYOUT_H
#define _PCOUNTER_HW_LAYOUT_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "hw/registers.h"
#include "rules/chip.h"
#include "rules/place.h"

struct pcounter_io;
struct pcounter_topo;

/**
 * struct pcounter_image - configuration registers of one domain
 * @src: source selections; only NV10:NV30 have separate ones for SETFLAG and CLRFLAG
 * @op: logic op of each input
 * @ctrl: control register without its read-only bits
 * @swap_src: signal that swaps, if the layout can select one
 * @filter: GF100+: filter of the sources
 * @user: levels of the USER signals; GF100+: USER_0 is the driver's swap, and 0 between swaps;
 *	GT215: cannot be read back
 * @threshold: single event mode
 * @init_pre: initial CTR_PRE of single event mode; cannot be read back
 * @init_stop: initial CTR_STOP of single event mode; cannot be read back
 */
struct pcounter_image {
	u32 src[PCOUNTER_OPS];
	u32 op[PCOUNTER_OPS];
	u32 ctrl;
	u32 swap_src;
	u32 filter;
	u32 user;
	u64 threshold;
	u32 init_pre;
	u32 init_stop;
};

/* Values that are no counts. */
#define PCOUNTER_READ_DEAD	(~0ULL)
#define PCOUNTER_READ_FULL	0xffffffff	/* of 32 bits, hw:modes/counters */

/*
 * Bound on the time until a write shows (hw:ambiguities/1, hw:ambiguities/28:
 * unknown). The driver polls a slower domain again at the next occasion.
 */
#define PCOUNTER_SHOW_POLLS		20
#define PCOUNTER_SHOW_POLL_US		1

/* Registers of the engine's clock gating. */
#define PCOUNTER_GATES			4

struct pcounter_gen;

/**
 * struct pcounter_block - the registers of one domain
 * @gen: their generation
 * @io: access to them
 * @nr: the domain's number in the layout (struct pcounter_dom_id)
 */
struct pcounter_block {
	const struct pcounter_gen *gen;
	struct pcounter_io *io;
	unsigned int nr;
};

/**
 * struct pcounter_gen_ops - operations that differ between layouts
 * @encode: adapt the image of a plan where the layout differs from its table
 * @restore_ctrl: with PCOUNTER_CAP_CTRL_SHARED: restore CTRL
 * @ctrl_answers: with PCOUNTER_CAP_CTRL_SHARED and two domains: return true if CTRL
 *	can be read
 * @trailer_probe: find the trailer base by changing a signal, in quad mode; return
 *	PCOUNTER_TRAILER_UNKNOWN if nothing follows it
 * @life: quad mode: return a number that changes only while the domain's clock runs,
 *	also if no period is published; derive it from the levels of @signals
 *	ordinary signals if no register shows it. 0: unknown
 * @is_known: with PCOUNTER_CAP_INFERRED, before the first write: return true if the
 *	registers of a domain read as expected, and the engine is on
 * @units: read the masks of the GPU's GPCs and partitions
 * @tpcs: with PCOUNTER_CAP_TPC_DOMAINS: find GPCs that have lost TPCs, and their domains
 * @enable: make the engine accessible; return true if it was not, and has lost all
 *	values
 * @ungate: with PCOUNTER_CAP_GATING: switch the engine's clock gating off, and store the
 *	values found
 * @gate: restore these values, where the registers still hold the driver's
 *
 * Operations that a layout does not need are NULL.
 */
struct pcounter_gen_ops {
	void (*encode)(const struct pcounter_plan *plan, struct pcounter_image *img);
	void (*restore_ctrl)(const struct pcounter_block *b, u32 ctrl);
	bool (*ctrl_answers)(const struct pcounter_block *b);
	u16 (*trailer_probe)(const struct pcounter_block *b, const struct pcounter_image *img);
	u32 (*life)(const struct pcounter_block *b, unsigned int signals);
	bool (*is_known)(const struct pcounter_block *b);
	void (*units)(const struct pcounter_gen *gen, struct pcounter_io *io, u32 *gpc_mask,
		      u32 *part_mask);
	void (*tpcs)(struct pcounter_io *io, struct pcounter_topo *topo);
	bool (*enable)(struct pcounter_io *io);
	void (*ungate)(const struct pcounter_block *b, u32 found[PCOUNTER_GATES]);
	void (*gate)(const struct pcounter_block *b, u32 found[PCOUNTER_GATES]);
};

/**
 * struct pcounter_gen - a kind of PCOUNTER
 * @caps: PCOUNTER_CAP_*
 * @table: its layout
 */
struct pcounter_gen {
	u32 caps;
	const struct pcounter_reg_table *table;
};

/*
 * Return the width of the counters of a free-running count. Of 40 bits the highest one
 * sticks.
 */
static inline unsigned int pcounter_counter_bits(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_CTR_40 ? 39 : 32;
}

/* Return true if a write of PRE_OP ends a period in quad mode. */
static inline bool pcounter_pre_op_swaps(const struct pcounter_gen *gen)
{
	return !(gen->caps & (PCOUNTER_CAP_SWAP_SHARED | PCOUNTER_CAP_SETS));
}

/* Return the fields of a domain's CTRL. */
static inline const struct pcounter_ctrl *
pcounter_ctrl_of(const struct pcounter_gen *gen, unsigned int block)
{
	return &gen->table->ctrl[gen->caps & PCOUNTER_CAP_CTRL_SHARED ? block : 0];
}

/*
 * A layout may lack a field, and the kernel's field_prep() and field_get()
 * reject mask 0.
 */
static inline u32 pcounter_ctrl_put(u32 mask, u32 val)
{
	return mask ? (val << (ffs(mask) - 1)) & mask : 0;
}

static inline u32 pcounter_ctrl_get(u32 mask, u32 val)
{
	return mask ? (val & mask) >> (ffs(mask) - 1) : 0;
}

const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip);

extern const struct pcounter_reg_table pcounter_nv10;
extern const struct pcounter_reg_table pcounter_nv40;
extern const struct pcounter_reg_table pcounter_gf100;

#endif
