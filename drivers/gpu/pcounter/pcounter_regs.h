/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers, as BAR0 addresses. Source of every line: hw/registers.md, unless
 * noted. Fields are indented under their register, values under their field.
 */
#ifndef _PCOUNTER_REGS_H
#define _PCOUNTER_REGS_H

#include <linux/bits.h>

/* What every read returns from a GPU that is off the bus or asleep. */
#define PCOUNTER_DEAD			0xffffffff

/* PMC (hw/chips.md section 2) */
#define NV_PMC_BOOT_0			0x000000
#define   NV_PMC_BOOT_0_CHIPSET		GENMASK(28, 20)
#define   NV_PMC_BOOT_0_NV10		GENMASK(28, 24)	/* any bit: NV10 or later */
#define NV_PMC_SIZE			0x1000

/* PGRAPH, NV30:G84 swap pulse (section 4.5); its other bits are nouveau's */
#define NV_PGRAPH_DEBUG_1		0x400084
#define   NV_PGRAPH_DEBUG_1_PM_TRIGGER	BIT(5)
#define NV_PGRAPH_BASE			0x400000
#define NV_PGRAPH_SIZE			0x1000

/* nv40-pcounter, NV40:GF100 (section 3); i = PRE, START, EVENT, STOP */
#define NV40_PCOUNTER_BASE		0x00a000
#define NV40_PCOUNTER_SIZE		0x1000

#define NV40_SRC(i, d)			(0x00a400 + (i) * 0x40 + (d) * 4)
#define   NV40_SRC_SIGNAL_0		GENMASK(7, 0)
#define   NV40_SRC_SIGNAL_1		GENMASK(15, 8)
#define   NV40_SRC_SIGNAL_2		GENMASK(23, 16)
#define   NV40_SRC_SIGNAL_3		GENMASK(31, 24)
/* i as above; writing PRE_OP in quad mode swaps on G84:GF100 */
#define NV40_OP(i, d)			(0x00a420 + (i) * 0x40 + (d) * 4)
#define NV40_SETFLAG_OP(d)		(0x00a500 + (d) * 4)
#define NV40_CLRFLAG_OP(d)		(0x00a520 + (d) * 4)
#define   NV40_OP_TABLE			GENMASK(15, 0)
#define   NV40_OP_DELAY_0		BIT(16)
#define   NV40_OP_DELAY_1		BIT(17)
/* PRE, START, SETFLAG, CLRFLAG on G92:GF100 */
#define   NV40_OP_GATE_DELAY_2		BIT(18)
#define   NV40_OP_GATE_DELAY_3		BIT(19)
/* EVENT, STOP: argument 3 is SETFLAG; delays on G92:GF100 */
#define   NV40_OP_COUNT_SETFLAG		BIT(18)
#define   NV40_OP_COUNT_DELAY_2		BIT(19)
#define   NV40_OP_COUNT_DELAY_3		BIT(20)
#define NV40_SPEC_SRC(d)		(0x00a560 + (d) * 4)	/* G84:GF100 */
#define   NV40_SPEC_SRC_SWAP		GENMASK(7, 0)
#define NV40_CTR_CYCLES(d)		(0x00a600 + (d) * 4)
#define NV40_CTR_EVENT(d)		(0x00a680 + (d) * 4)
#define NV40_CTR_START(d)		(0x00a6c0 + (d) * 4)
#define NV40_CTR_PRE(d)			(0x00a700 + (d) * 4)
#define NV40_CTR_STOP(d)		(0x00a740 + (d) * 4)
#define   NV40_CTR_SATURATED		0xffffffff	/* section 6.1 */
#define NV40_CTRL(d)			(0x00a7c0 + (d) * 4)
#define   NV40_CTRL_MODE		GENMASK(1, 0)
#define     NV40_CTRL_MODE_QUAD		1
#define   NV40_CTRL_CTR_MODE		GENMASK(6, 4)
#define   NV40_CTRL_EVENT_CTR_PERIOD	BIT(8)
#define   NV40_CTRL_EVENT_IMPORT_MODE	BIT(11)
#define   NV40_CTRL_FLAG_IMPORT_MODE	BIT(13)
#define   NV40_CTRL_RECORD_FORMAT	BIT(20)		/* G84:GF100 */
#define   NV40_CTRL_PERIODIC_PERIOD	GENMASK(23, 21)	/* G84:GF100 */
#define   NV40_CTRL_QUAD_STATE		GENMASK(25, 24)
#define     NV40_CTRL_QUAD_STATE_EMPTY	0
#define     NV40_CTRL_QUAD_STATE_VALID	1
#define     NV40_CTRL_QUAD_STATE_OVERFLOW 3
#define   NV40_CTRL_FAULT_CLEAR		BIT(27)
#define   NV40_CTRL_SINGLE_STATE	GENMASK(29, 28)
/* all that is documented to keep what was written */
#define   NV40_CTRL_CONFIG		(NV40_CTRL_MODE | NV40_CTRL_CTR_MODE |	\
					 NV40_CTRL_EVENT_CTR_PERIOD |		\
					 NV40_CTRL_EVENT_IMPORT_MODE |		\
					 NV40_CTRL_FLAG_IMPORT_MODE |		\
					 NV40_CTRL_RECORD_FORMAT |		\
					 NV40_CTRL_PERIODIC_PERIOD)
#define NV40_QUAD_ACK_TRIGGER(d)	(0x00a7e0 + (d) * 4)
#define   NV40_QUAD_ACK_TRIGGER_ACK	BIT(0)
#define NV40_SIG_STATUS(d, w)		(0x00a800 + (d) * 0x20 + (w) * 4)
#define   NV40_SIG_STATUS_WORDS		8
#define   NV40_SIG_STATUS_BITS		32

/* Trailer signals, offsets from a domain's base (hw/signals.md section 3) */
#define G84_TRAILER_ZERO		0x0c
#define NV40_TRAILER_FLAG(d)		(0x1f - (d))

#endif
