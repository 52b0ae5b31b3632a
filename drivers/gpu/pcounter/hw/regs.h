/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers outside the tables of layouts (struct pcounter_reg_table), as BAR0
 * addresses, and fields that code needs. Source of every line: hw:registers, unless
 * noted. Fields are indented under their register, values under their field.
 */
#ifndef _PCOUNTER_HW_REGS_H
#define _PCOUNTER_HW_REGS_H

#include <linux/bits.h>

/* PMC (hw:chips/id) */
#define NV_PMC_BOOT_0			0x000000
#define   NV_PMC_BOOT_0_CHIPSET		GENMASK(28, 20)
#define   NV_PMC_BOOT_0_NV10		GENMASK(28, 24)	/* any bit: NV10 or later */
/*
 * The value reads the same in both byte orders. nouveau sets the order of the processor
 * (hw:chips/id). GPUs before NV1A do not have the register, and are little endian.
 */
#define NV_PMC_BOOT_1			0x000004
#define   NV_PMC_BOOT_1_BIG_ENDIAN	(BIT(24) | BIT(0))
#define NV_PMC_ENABLE			0x000200
#define   NV_PMC_ENABLE_PGRAPH		BIT(12)	/* hw:coexistence/pmc */
#define   NV_PMC_ENABLE_PDAEMON	BIT(13)	/* GF100+ only */
#define   NV_PMC_ENABLE_PCOUNTER	BIT(28)	/* GF100+ only */

/* The first strap register (hw:chips/straps), for reports of cards. */
#define NV_STRAPS			0x101000

/* PTIMER (hw:coexistence); read only, by an experiment only */
#define NV_PTIMER_TIME_LOW		0x009400

/* PGRAPH, the trigger before GF100 (hw:inputs/swap); its other bits are nouveau's */
#define NV_PGRAPH_DEBUG_1		0x400084

/* Words of a domain's SIG_STATUS, but for domain 1 of NV10:NV40, and signals in a word. */
#define SIG_STATUS_WORDS		8
#define SIG_STATUS_BITS			32
#define SIG_STATUS_HALF_WORDS		4

/* nv10-pcounter, NV10:NV40 (hw:registers/nv10) */
#define   NV10_CTR_HI			4	/* distance of bits 32-39, NV10:NV30 */
#define   NV10_CTR_HI_BITS		GENMASK(7, 0)

/* nv40-pcounter, NV40:GF100 (hw:registers/nv40) */
#define   NV40_OP_TABLE			GENMASK(15, 0)
#define   NV40_OP_DELAY_01		GENMASK(17, 16)	/* of arguments 0 and 1 */
#define   NV40_OP_GATE_DELAY_23		GENMASK(19, 18)	/* not EVENT, STOP; G92:GF100 */
#define   NV40_OP_COUNT_SETFLAG		BIT(18)		/* EVENT, STOP: argument 3 is SETFLAG */
#define   NV40_OP_COUNT_DELAY_23	GENMASK(20, 19)	/* EVENT, STOP; G92:GF100 */
#define   NV40_SPEC_SRC_SWAP		GENMASK(7, 0)
#define   NV40_SPEC_SRC_UNK8		GENMASK(15, 8)
#define NV40_GCTRL			0x00a7a8	/* G84:GF100 */
#define   NV40_GCTRL_RECORD_RESET	BIT(0)

/*
 * gf100-pcounter, GF100- (hw:registers/gf100); b = number of a domain's block
 */
#define   GF100_SWAP_SRC_SIGNAL		GENMASK(7, 0)
#define GF100_CTRL(b)			(0x18009c + (b) * 0x200)
#define GF100_CTR_EVENT_NEXT(b)		(0x1800a4 + (b) * 0x200)	/* running period */
#define   GF100_VSTATUS_STATUS		GENMASK(2, 0)
#define   GF100_USER_LEVELS		GENMASK(3, 0)
#define   GF100_USER_OTHERS		GENMASK(3, 1)	/* all but the swap */

/* Numbers and masks of units, GF100- (hw:registers/gf100-units) */
#define GF100_GPC_COUNT			0x022430
#define GF100_GPC_DISABLED_HW		0x022504
#define GF100_GPC_DISABLED_SW		0x022584
#define GF100_PART_COUNT		0x022438
#define GF100_PART_DISABLED_HW		0x022548
#define GF100_PART_DISABLED_SW		0x0225c8
#define GM107_PART_DISABLED		0x021d38
/* Lost TPCs of a GPC, by its place in the design; GK104:GM107, GM107- */
#define GK104_TPC_DISABLED_HW(p)	(0x022508 + (p) * 4)
#define GK104_TPC_DISABLED_SW(p)	(0x022588 + (p) * 4)
#define GM107_TPC_DISABLED(p)		(0x021c38 + (p) * 4)
#define   GK104_TPC_MASKS		16

/* Source muxes, GF100- (hw:muxes/gf100) */
#define GF100_GPC_TPC_COUNT(g)		(0x502608 + (g) * 0x8000)
#define   GF100_GPC_TPC_COUNT_MASK	GENMASK(4, 0)

/* Source muxes, G80:GF100 (hw:muxes/tesla) */
#define G80_UNITS			0x4008fc	/* bits 0 to 15: TPCs */

/* A domain's own flag among the trailer signals, from the base (hw:signals/trailers) */
#define NV40_TRAILER_FLAG(d)		(0x1f - (d))
/* Bits of OP that an input has on GF100-: delays, and bits 18 to 20 (hw:inputs/op). */
#define GF100_OP_KNOWN			GENMASK(20, 0)

#endif
