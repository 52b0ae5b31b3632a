/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of a domain by name, with one table for each layout. The table also has
 * functions for differences between layouts that its numbers do not express.
 */
#ifndef _PCOUNTER_HW_REGISTERS_H
#define _PCOUNTER_HW_REGISTERS_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "rules/chip.h"
#include "rules/place.h"

struct pcounter_gen;
struct pcounter_io;

/* Registers of the engine's clock gating. */
#define PCOUNTER_GATES	4

/* Registers of a domain, and registers that domains share. */
enum pcounter_reg {
	PCOUNTER_REG_SRC,	/* of PRE, a multiple of PCOUNTER_OPS; the other inputs follow */
	PCOUNTER_REG_OP = PCOUNTER_REG_SRC + PCOUNTER_OPS,
	PCOUNTER_REG_CTR = PCOUNTER_REG_OP + PCOUNTER_OPS,
	PCOUNTER_REG_CYCLES = PCOUNTER_REG_CTR + PCOUNTER_SLOTS,
	PCOUNTER_REG_CYCLES_ALT,
	PCOUNTER_REG_CTRL,
	PCOUNTER_REG_ACK,
	PCOUNTER_REG_THRESHOLD,
	PCOUNTER_REG_THRESHOLD_HI,	/* bits 32 to 39 */
	PCOUNTER_REG_SWAP_SRC,
	PCOUNTER_REG_USER,
	PCOUNTER_REG_FILTER,
	PCOUNTER_REG_SRC_STATUS,	/* levels of the selected sources */
	PCOUNTER_REG_VSTATUS,
	PCOUNTER_REG_PRE_NEXT,
	PCOUNTER_REG_TRIGGER,	/* PM_TRIGGER of PGRAPH */
	PCOUNTER_REG_PERIODIC,	/* holds the PERIODIC generators */
	PCOUNTER_REG_SLCG,	/* clock gating: GPCs, partitions, HUB, MAIN */
	/* G84:GF100; bits 32 to 39 of addresses, 0 before G92 */
	PCOUNTER_REG_RECORD_HIGH = PCOUNTER_REG_SLCG + PCOUNTER_GATES,
	PCOUNTER_REG_RECORD_LIMIT,
	PCOUNTER_REG_RECORD_START,
	PCOUNTER_REG_RECORD_STATUS,
	PCOUNTER_REG_SIG_STATUS,	/* levels of signals; further words follow */
	PCOUNTER_REGS
};

/**
 * struct pcounter_reg_at - the address of a register in a layout
 * @base: BAR0 address in block 0, 0 if the layout does not have it
 * @stride: distance from block to block
 * @shift: 2^@shift blocks in a row share the register, 0: each has its own
 * @input_stride: if @base is of PRE: distance from input to input
 * @caps: PCOUNTER_CAP_* of the generations that have it
 */
struct pcounter_reg_at {
	u32 base;
	u32 stride;
	u32 shift;
	u32 input_stride;
	u32 caps;
};

/**
 * struct pcounter_ctrl - fields and values of a domain's CTRL
 * @preserve_mask: bits to write back unchanged
 * @mode: the mode
 * @off: its value for a domain that does not count, or waits in single mode
 * @quad: its value for quad mode
 * @record: its value for record mode
 * @brief: RECORD_FORMAT: SHORT packets
 * @ctr: the counter mode
 * @all: EVENT_CTR_PERIOD
 * @evpulse: EVENT_IMPORT_MODE
 * @flagpulse: FLAG_IMPORT_MODE
 * @periodic: PERIODIC_PERIOD
 * @quad_state: QUAD_STATE
 * @single_state: SINGLE_STATE
 * @ack: the domain's bit in the register that acknowledges a period
 */
struct pcounter_ctrl {
	u32 preserve_mask;
	u32 mode;
	u32 off;
	u32 quad;
	u32 record;
	u32 brief;
	u32 ctr;
	u32 all;
	u32 evpulse;
	u32 flagpulse;
	u32 periodic;
	u32 quad_state;
	u32 single_state;
	u32 ack;
};

/* Return the bits of CTRL that configure a domain: all that read as written. */
static inline u32 pcounter_ctrl_fields(const struct pcounter_ctrl *c)
{
	return c->mode | c->brief | c->ctr | c->all | c->evpulse | c->flagpulse | c->periodic;
}

/* Bits of registers that are the same in all layouts. */
#define PCOUNTER_TRIGGER_BIT	5	/* of PCOUNTER_REG_TRIGGER */
#define PCOUNTER_PERIODIC_BIT	4	/* of PCOUNTER_REG_PERIODIC */

/*
 * State of a domain, as in CTRL: of the double buffer in quad mode, of the process in
 * single event mode. From FOREIGN on the state is unknown.
 */
enum pcounter_ctrl_state {
	PCOUNTER_QUAD_EMPTY = 0,
	PCOUNTER_QUAD_VALID = 1,
	PCOUNTER_QUAD_OVERFLOW = 2,	/* the register has two values for it */
	PCOUNTER_SINGLE_INACTIVE = 0,
	PCOUNTER_SINGLE_WAIT_PRE = 1,
	PCOUNTER_SINGLE_WAIT_START = 2,
	PCOUNTER_SINGLE_COUNTING = 3,
	PCOUNTER_CTRL_FOREIGN = 4,	/* other code has changed the control register */
	PCOUNTER_CTRL_DEAD = 5,		/* the GPU does not answer */
};

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

/**
 * struct pcounter_block - the registers of one domain
 * @gen: their generation
 * @ctrl: the domain's fields of CTRL
 * @io: access to them
 * @nr: the domain's number in the layout (struct pcounter_dom_id)
 */
struct pcounter_block {
	const struct pcounter_gen *gen;
	const struct pcounter_ctrl *ctrl;
	struct pcounter_io *io;
	unsigned int nr;
};

/**
 * struct pcounter_reg_table - a layout
 * @layout: its name in the hardware documents
 * @max_clock_hz: bound on the clocks of domains, and so on the time until a counter is full
 * @at: its registers
 * @ctrl: fields of CTRL; the second entry is for domain 1 if both domains share CTRL
 * @ctrl_shared: both domains have one CTRL
 * @status_gap: between the halves of SIG_STATUS, in bytes
 * @status_words: words of domain 1, 0 if all domains have all words
 * @status_end: words before another register, of the same domain
 * @swap_kept: bits of SWAP_SRC to keep
 * @user_read: levels of USER that can be read back, 0 if none can
 * @user_swaps: a pulse of USER_0 ends a period
 * @user_levels: unused USER signals, in the register's levels
 * @user_pulses: distance from a signal's level to its pulse
 * @encode: adapt the image of a plan where the layout differs from its table
 * @restore_ctrl: with @ctrl_shared: restore CTRL
 * @ctrl_answers: with @ctrl_shared and two domains: return true if CTRL can be read
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
 * The functions are the differences between layouts that registers do not express; NULL
 * where a layout does not need one.
 */
struct pcounter_reg_table {
	const char *layout;
	u32 max_clock_hz;
	struct pcounter_reg_at at[PCOUNTER_REGS];
	struct pcounter_ctrl ctrl[2];
	bool ctrl_shared;
	u32 status_gap;
	u32 status_words;
	u32 status_end;
	u32 swap_kept;
	u32 user_read;
	bool user_swaps;
	u32 user_levels;
	u8 user_pulses;
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
	return !(gen->caps & PCOUNTER_CAP_SWAP_SHARED) && !gen->table->user_swaps;
}

/*
 * Return true if software can pull a trigger that only domains obey whose events ask for it.
 * From GF100 on only command streams can; before G84 each read of the driver pulls it.
 */
static inline bool pcounter_has_trigger(const struct pcounter_gen *gen)
{
	return gen->caps & PCOUNTER_CAP_SWAP_SRC && gen->table->at[PCOUNTER_REG_TRIGGER].base;
}

/* Return the fields of a domain's CTRL. */
static inline const struct pcounter_ctrl *
pcounter_ctrl_of(const struct pcounter_gen *gen, unsigned int block)
{
	return &gen->table->ctrl[gen->table->ctrl_shared ? block : 0];
}

/*
 * A layout may lack a field, and the kernel's field_prep() and field_get()
 * reject mask 0.
 */
static inline u32 pcounter_ctrl_put(u32 mask, u32 val)
{
	return val * (mask & -mask) & mask;
}

static inline u32 pcounter_ctrl_get(u32 mask, u32 val)
{
	return mask ? (val & mask) >> (ffs(mask) - 1) : 0;
}

extern const struct pcounter_reg_table pcounter_nv10;
extern const struct pcounter_reg_table pcounter_nv40;
extern const struct pcounter_reg_table pcounter_gf100;

const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip);

u32 pcounter_reg_addr(const struct pcounter_gen *gen, unsigned int reg,
		      unsigned int block);
u32 pcounter_status_addr(const struct pcounter_gen *gen, unsigned int block,
			 unsigned int word);

u32 pcounter_ctrl_config(const struct pcounter_gen *gen);
u32 pcounter_reg_read(const struct pcounter_block *b, unsigned int reg);
void pcounter_reg_write(const struct pcounter_block *b, unsigned int reg, u32 val);
bool pcounter_block_answers(const struct pcounter_block *b);

void pcounter_regs_encode(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  u8 ctr, u8 zero, struct pcounter_image *img);
void pcounter_regs_load(const struct pcounter_block *b, struct pcounter_image *img);
void pcounter_regs_store(const struct pcounter_block *b, struct pcounter_image *now,
			 const struct pcounter_image *to);
void pcounter_regs_restore(const struct pcounter_block *b, const struct pcounter_image *from,
			   const struct pcounter_image *to);
bool pcounter_regs_differ(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  const struct pcounter_image *img);

enum pcounter_ctrl_state pcounter_read_state(const struct pcounter_block *b,
					     const struct pcounter_image *img);
void pcounter_ack_period(const struct pcounter_block *b, bool swapped);
u64 pcounter_read_counter(const struct pcounter_block *b, int slot);
void pcounter_start_single(const struct pcounter_block *b, const struct pcounter_image *img,
			   u32 pre_op);
u32 pcounter_read_levels(const struct pcounter_block *b, unsigned int word);
const char *pcounter_read_vstatus(const struct pcounter_block *b);
u32 pcounter_life_of_signals(const struct pcounter_block *b, unsigned int signals);
u16 pcounter_probe_levels(const struct pcounter_block *b, u32 bits, unsigned int word,
			  void (*drive)(const struct pcounter_block *b, bool level));
u32 pcounter_drive_user(const struct pcounter_block *b, u32 user, u32 levels, u32 pulses);
bool pcounter_pull_trigger(const struct pcounter_block *b);
bool pcounter_run_periodic(const struct pcounter_block *b, bool run);
bool pcounter_swap_period(const struct pcounter_block *b, const struct pcounter_image *img);

#endif
