/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers by name, whatever the layout: for programs that are data.
 */
#ifndef _PCOUNTER_HW_ADDRESS_H
#define _PCOUNTER_HW_ADDRESS_H

#include <linux/types.h>

#include "rules/place.h"

struct pcounter_gen;

/* Registers of a domain, and those that domains share. */
enum pcounter_reg {
	PCOUNTER_REG_SRC,	/* of PRE; then those of the other inputs */
	PCOUNTER_REG_OP = PCOUNTER_REG_SRC + PCOUNTER_OPS,
	PCOUNTER_REG_CTR = PCOUNTER_REG_OP + PCOUNTER_OPS,
	PCOUNTER_REG_CYCLES = PCOUNTER_REG_CTR + PCOUNTER_SLOTS,
	PCOUNTER_REG_CYCLES_ALT,
	PCOUNTER_REG_CTRL,
	PCOUNTER_REG_ACK,
	PCOUNTER_REG_SWAP_SRC,
	PCOUNTER_REG_USER,
	PCOUNTER_REG_FILTER,
	PCOUNTER_REG_PRE_NEXT,
	PCOUNTER_REG_TRIGGER,	/* PM_TRIGGER of PGRAPH */
	PCOUNTER_REG_PERIODIC,	/* holds the PERIODIC generators */
	PCOUNTER_REG_SLCG,	/* clock gating: GPCs, partitions, HUB, MAIN */
	PCOUNTER_REG_FLUSH = PCOUNTER_REG_SLCG + 4,
	PCOUNTER_REG_MAIN_START,	/* GF100+ */
	PCOUNTER_REG_MAIN_CONFIG,
	PCOUNTER_REG_DISABLED,	/* masks: GPCs by hardware, software, partitions likewise */
	PCOUNTER_REG_PTIMER = PCOUNTER_REG_DISABLED + 4,	/* low half of the time */
	PCOUNTER_REG_RECORD_HIGH,	/* G84:GF100 */
	PCOUNTER_REG_RECORD_LIMIT,
	PCOUNTER_REG_RECORD_START,
	PCOUNTER_REG_RECORD_STATUS,
	PCOUNTER_REGS
};

/**
 * struct pcounter_ctrl - where CTRL of a domain has what
 * @config: bits that are this domain's and keep what is written
 * @keep: all bits that are written back as they were found
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
 * @state: QUAD_STATE
 */
struct pcounter_ctrl {
	u32 config;
	u32 keep;
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
	u32 state;
};

/* Bits of registers that all layouts have alike. */
#define PCOUNTER_TRIGGER_BIT	5	/* of PCOUNTER_REG_TRIGGER */
#define PCOUNTER_PERIODIC_BIT	4	/* of PCOUNTER_REG_PERIODIC */
#define PCOUNTER_ACK_OTHER	8	/* of PCOUNTER_REG_ACK, where it is shared */
#define PCOUNTER_PTIMER_BIT	17	/* of PCOUNTER_REG_PTIMER, which a signal shows */
#define PCOUNTER_FLUSH_BUSY	0	/* of PCOUNTER_REG_FLUSH */
#define PCOUNTER_FLUSH_ENGINE	0x000b0001	/* a flush for PCOUNTER */
#define PCOUNTER_DELAY_0	0x10000	/* argument 0 is as of the clock before */

u32 pcounter_reg_addr(const struct pcounter_gen *gen, unsigned int reg,
		      unsigned int block);
void pcounter_ctrl_of(const struct pcounter_gen *gen, unsigned int block,
		      struct pcounter_ctrl *ctrl);
u32 pcounter_reg_bits(const struct pcounter_gen *gen, unsigned int reg);
u32 pcounter_status_addr(const struct pcounter_gen *gen, unsigned int block,
			 unsigned int word);

#endif
