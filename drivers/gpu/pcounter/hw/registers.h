/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of a domain by name, with one table for each layout. Functions here
 * need only the table; struct pcounter_gen_ops contains the other differences
 * between layouts.
 */
#ifndef _PCOUNTER_HW_REGISTERS_H
#define _PCOUNTER_HW_REGISTERS_H

#include <linux/types.h>

#include "rules/place.h"

struct pcounter_block;
struct pcounter_gen;
struct pcounter_gen_ops;
struct pcounter_image;

/* Registers of a domain, and registers that domains share. */
enum pcounter_reg {
	PCOUNTER_REG_SRC,	/* of PRE; the other inputs follow */
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
	PCOUNTER_REG_FLUSH = PCOUNTER_REG_SLCG + 4,
	PCOUNTER_REG_MAIN_START,	/* GF100+ */
	PCOUNTER_REG_MAIN_CONFIG,
	PCOUNTER_REG_DISABLED,	/* masks: GPCs by hardware, GPCs by software, partitions likewise */
	PCOUNTER_REG_PTIMER = PCOUNTER_REG_DISABLED + 4,	/* low half of the time */
	PCOUNTER_REG_RECORD_HIGH,	/* G84:GF100 */
	PCOUNTER_REG_RECORD_LIMIT,
	PCOUNTER_REG_RECORD_START,
	PCOUNTER_REG_RECORD_STATUS,
	PCOUNTER_REGS
};

/**
 * struct pcounter_reg_at - the address of a register in a layout
 * @base: BAR0 address in block 0, 0 if the layout does not have it
 * @stride: distance from block to block
 * @caps: PCOUNTER_CAP_* of the generations that have it
 */
struct pcounter_reg_at {
	u32 base;
	u32 stride;
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

/**
 * struct pcounter_window - a piece of BAR0 that must be mapped
 * @base: BAR0 offset
 * @size: bytes
 */
struct pcounter_window {
	u32 base;
	u32 size;
};

#define PCOUNTER_MAX_WINDOWS	12

/*
 * The first register here is PMC.BOOT_0, for pcounter_boot_chipset(), the second
 * PMC.BOOT_1, for pcounter_boot_swapped().
 */
extern const struct pcounter_window pcounter_id_window;
/* The straps, for reports of cards. */
extern const struct pcounter_window pcounter_strap_window;

/**
 * struct pcounter_reg_table - a layout
 * @layout: its name in the hardware documents
 * @ops: operations that the table does not express
 * @max_clock_hz: bound on the clocks of domains, and so on the time until a counter is full
 * @windows: pieces of BAR0 that its generations access, ended by size 0
 * @at: its registers
 * @ctrl: fields of CTRL; the second entry is for domain 1 if both domains share CTRL
 * @user_levels: unused USER signals, in the register's levels
 * @user_pulses: distance from a signal's level to its pulse
 */
struct pcounter_reg_table {
	const char *layout;
	const struct pcounter_gen_ops *ops;
	u32 max_clock_hz;
	struct pcounter_window windows[PCOUNTER_MAX_WINDOWS + 1];
	struct pcounter_reg_at at[PCOUNTER_REGS];
	struct pcounter_ctrl ctrl[2];
	u32 user_levels;
	u8 user_pulses;
};

/* Return the bits of CTRL that configure a domain: all that read as written. */
static inline u32 pcounter_ctrl_fields(const struct pcounter_ctrl *c)
{
	return c->mode | c->brief | c->ctr | c->all | c->evpulse | c->flagpulse | c->periodic;
}

/* Bits of registers that are the same in all layouts. */
#define PCOUNTER_TRIGGER_BIT	5	/* of PCOUNTER_REG_TRIGGER */
#define PCOUNTER_PERIODIC_BIT	4	/* of PCOUNTER_REG_PERIODIC */
#define PCOUNTER_ACK_OTHER	8	/* of PCOUNTER_REG_ACK, where it is shared */
#define PCOUNTER_PTIMER_BIT	17	/* of PCOUNTER_REG_PTIMER, visible in a signal */
#define PCOUNTER_DELAY_0	0x10000	/* argument 0 is its value in the previous clock */

/* State of the double buffer of a domain in quad mode; the first three as in CTRL. */
enum pcounter_quad_state {
	PCOUNTER_QUAD_EMPTY,
	PCOUNTER_QUAD_VALID,
	PCOUNTER_QUAD_OVERFLOW,	/* the register has two values for it */
	PCOUNTER_QUAD_FOREIGN,	/* other code has changed the control register */
	PCOUNTER_QUAD_DEAD,	/* the GPU does not answer */
	PCOUNTER_QUAD_STATES
};

/* State of a single event mode process. */
enum pcounter_single_state {
	PCOUNTER_SINGLE_INACTIVE,
	PCOUNTER_SINGLE_WAIT_PRE,
	PCOUNTER_SINGLE_WAIT_START,
	PCOUNTER_SINGLE_COUNTING,
	PCOUNTER_SINGLE_FOREIGN,
	PCOUNTER_SINGLE_DEAD,
};

u32 pcounter_reg_addr(const struct pcounter_gen *gen, unsigned int reg,
		      unsigned int block);
u32 pcounter_status_addr(const struct pcounter_gen *gen, unsigned int block,
			 unsigned int word);

u32 pcounter_ctrl_config(const struct pcounter_gen *gen);
u32 pcounter_reg_read(const struct pcounter_block *b, unsigned int reg);
void pcounter_reg_write(const struct pcounter_block *b, unsigned int reg, u32 val);

void pcounter_regs_encode(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  u8 zero, struct pcounter_image *img);
void pcounter_regs_load(const struct pcounter_block *b, struct pcounter_image *img);
void pcounter_regs_store(const struct pcounter_block *b, const struct pcounter_image *from,
			 const struct pcounter_image *to);
void pcounter_regs_restore(const struct pcounter_block *b, const struct pcounter_image *from,
			   const struct pcounter_image *to);
bool pcounter_regs_differ(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  const struct pcounter_image *img);

enum pcounter_quad_state pcounter_read_quad_state(const struct pcounter_block *b,
						  const struct pcounter_image *img);
void pcounter_ack_period(const struct pcounter_block *b, bool swapped);
u64 pcounter_read_counter(const struct pcounter_block *b, int slot);
void pcounter_start_single(const struct pcounter_block *b, const struct pcounter_image *img,
			   u32 pre_op);
enum pcounter_single_state
pcounter_read_single_state(const struct pcounter_block *b, const struct pcounter_image *img);
u32 pcounter_read_levels(const struct pcounter_block *b, unsigned int word);
const char *pcounter_read_vstatus(const struct pcounter_block *b);
u32 pcounter_life_of_signals(const struct pcounter_block *b, unsigned int signals);
void pcounter_drive_user(const struct pcounter_block *b, struct pcounter_image *img,
			 u32 levels, u32 pulses);
bool pcounter_run_periodic(const struct pcounter_block *b, bool run);
bool pcounter_swap_period(const struct pcounter_block *b, const struct pcounter_image *img);

#endif
