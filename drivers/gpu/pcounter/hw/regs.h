/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers, as BAR0 addresses; of the first domain if no argument selects one.
 * Source of every line: hw:registers, unless noted. Fields are indented under
 * their register, values under their field.
 */
#ifndef _PCOUNTER_HW_REGS_H
#define _PCOUNTER_HW_REGS_H

#include <linux/bits.h>

/* PMC (hw:chips/id) */
#define NV_PMC_BOOT_0			0x000000
#define   NV_PMC_BOOT_0_CHIPSET		GENMASK(28, 20)
#define   NV_PMC_BOOT_0_NV10		GENMASK(28, 24)	/* any bit: NV10 or later */
/* PMC.BOOT_1, the second register, NV1A+; the same in both orders */
#define   NV_PMC_BOOT_1_BIG_ENDIAN	(BIT(24) | BIT(0))
#define NV_PMC_ENABLE			0x000200
#define   NV_PMC_ENABLE_PDAEMON	BIT(13)	/* GF100+ only */
#define   NV_PMC_ENABLE_PCOUNTER	BIT(28)	/* GF100+ only */
#define NV_PMC_SIZE			0x1000

/* Straps of the card (hw:chips/straps); only read */
#define NV_PSTRAPS_0			0x101000
#define NV_PSTRAPS_SIZE			0x1000

/* PTIMER (hw:coexistence); read only, by an experiment only */
#define NV_PTIMER_BASE			0x009000
#define NV_PTIMER_SIZE			0x1000
#define NV_PTIMER_TIME_LOW		0x009400

/* PGRAPH, NV30:G84 swap pulse (hw:inputs/swap); its other bits are nouveau's */
#define NV_PGRAPH_DEBUG_1		0x400084
#define NV_PGRAPH_BASE			0x400000
#define NV_PGRAPH_SIZE			0x1000

/*
 * nv10-pcounter, NV10:NV40 (hw:registers/nv10); i = PRE, START, EVENT, STOP,
 * SETFLAG, CLRFLAG; the last two have a SRC on NV10:NV30 only
 */
#define NV10_STRIDE			0x100	/* from domain to domain */
#define NV10_SRC(i)			(0x00a400 + (i) * 8)
#define NV10_OP(i)			(0x00a404 + (i) * 8)
#define NV10_SIG_STATUS(d)		(0x00a430 + (d) * 0x100)	/* words 0 to 3 */
#define   NV10_SIG_STATUS_HALF		0x200	/* distance of words 4 to 7 */
#define   NV10_SIG_STATUS_HALF_WORDS	4
#define   NV10_SIG_STATUS_WORDS_1	2	/* of domain 1 */
#define   NV10_SIG_STATUS_FREE_1	6	/* QUAD_ACK and CTRL may follow from this word on */
#define NV10_CTR_CYCLES			0x00a600
#define NV10_CTR_CYCLES_ALT		0x00a608
#define NV10_CTR_EVENT			0x00a610
#define NV10_CTR_START			0x00a618
#define   NV10_CTR_HI			4	/* distance of bits 32-39, NV10:NV30 */
#define   NV10_CTR_HI_BITS		GENMASK(7, 0)
#define NV10_CTR_PRE			0x00a620
#define NV10_CTR_STOP			0x00a624
#define NV10_THRESHOLD			0x00a628
#define NV10_THRESHOLD_HI		0x00a62c	/* NV10:NV30 */
#define NV10_QUAD_ACK_TRIGGER		0x00a738	/* NV30:NV40 */
#define   NV10_QUAD_ACK_TRIGGER_DOM(d)	BIT(8 * (d))
#define NV10_CTRL			0x00a73c	/* one for both domains */
#define   NV10_CTRL_CTR_MODE		BIT(2)
#define   NV10_CTRL_SINGLE_STATE(d)	(GENMASK(4, 3) << (2 * (d)))
#define   NV10_CTRL_EVENT_CTR_PERIOD(d)	BIT(8 + (d))	/* NV15:NV40 */
#define   NV10_CTRL_MODE_QUAD(d)	BIT(16 + 2 * (d))	/* NV30:NV40 */
#define   NV10_CTRL_QUAD_STATE(d)	(GENMASK(25, 24) << (2 * (d)))	/* NV30:NV40 */

/* nv40-pcounter, NV40:GF100 (hw:registers/nv40); i = PRE, START, EVENT, STOP */
#define NV40_PCOUNTER_BASE		0x00a000
#define NV40_PCOUNTER_SIZE		0x1000

#define NV40_STRIDE			4	/* from domain to domain */
#define NV40_SRC(i, d)			(0x00a400 + (i) * 0x40 + (d) * 4)
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
#define NV40_SRC_STATUS			0x00a540
#define NV40_SPEC_SRC(d)		(0x00a560 + (d) * 4)	/* G84:GF100 */
#define   NV40_SPEC_SRC_SWAP		GENMASK(7, 0)
#define   NV40_SPEC_SRC_UNK8		GENMASK(15, 8)
#define NV40_USER_TRIGGER		0x00a580	/* GT215:GF100 */
#define   NV40_USER_TRIGGER_LEVELS	GENMASK(1, 0)
#define NV40_CTR_CYCLES(d)		(0x00a600 + (d) * 4)
#define NV40_CTR_CYCLES_ALT		0x00a640
#define NV40_CTR_EVENT			0x00a680
#define NV40_RECORD_ADDRESS_HIGH(d)	(0x00a6a0 + (d) * 4)	/* G92:GF100 */
#define NV40_CTR_START			0x00a6c0
#define NV40_RECORD_STATUS(d)		(0x00a6e0 + (d) * 4)	/* G84:GF100, record mode */
#define   NV40_RECORD_STATUS_FAULT	BIT(0)
#define   NV40_RECORD_STATUS_POSITION	GENMASK(31, 4)
#define NV40_CTR_PRE			0x00a700
#define NV40_RECORD_LIMIT(d)		(0x00a720 + (d) * 4)
#define NV40_CTR_STOP			0x00a740
#define NV40_RECORD_START(d)		(0x00a760 + (d) * 4)
#define NV40_THRESHOLD			0x00a780
#define NV40_RECORD_CHAN		0x00a7a0	/* G84:GF100 */
#define   NV40_RECORD_CHAN_VALID	BIT(31)
#define NV40_RECORD_DMA			0x00a7a4
#define NV40_GCTRL			0x00a7a8	/* G84:GF100 */
#define   NV40_GCTRL_RECORD_RESET	BIT(0)
#define NV40_CTRL(d)			(0x00a7c0 + (d) * 4)
#define   NV40_CTRL_MODE		GENMASK(1, 0)
#define     NV40_CTRL_MODE_SINGLE	0
#define     NV40_CTRL_MODE_QUAD		1
#define     NV40_CTRL_MODE_RECORD	2	/* G84:GF100 */
#define   NV40_CTRL_CTR_MODE		GENMASK(6, 4)
#define   NV40_CTRL_EVENT_CTR_PERIOD	BIT(8)
#define   NV40_CTRL_EVENT_IMPORT_MODE	BIT(11)
#define   NV40_CTRL_FLAG_IMPORT_MODE	BIT(13)
#define   NV40_CTRL_RECORD_FORMAT	BIT(20)		/* G84:GF100 */
#define   NV40_CTRL_PERIODIC_PERIOD	GENMASK(23, 21)	/* G84:GF100 */
#define   NV40_CTRL_QUAD_STATE		GENMASK(25, 24)
#define     NV40_CTRL_QUAD_STATE_EMPTY	0
#define     NV40_CTRL_QUAD_STATE_VALID	1
#define   NV40_CTRL_FAULT_CLEAR		BIT(27)
#define   NV40_CTRL_SINGLE_STATE	GENMASK(29, 28)
/* all bits documented to read as written */
#define   NV40_CTRL_CONFIG		(NV40_CTRL_MODE | NV40_CTRL_CTR_MODE |	\
					 NV40_CTRL_EVENT_CTR_PERIOD |		\
					 NV40_CTRL_EVENT_IMPORT_MODE |		\
					 NV40_CTRL_FLAG_IMPORT_MODE |		\
					 NV40_CTRL_RECORD_FORMAT |		\
					 NV40_CTRL_PERIODIC_PERIOD)
#define NV40_QUAD_ACK_TRIGGER		0x00a7e0
#define   NV40_QUAD_ACK_TRIGGER_ACK	BIT(0)
#define NV40_SIG_STATUS(d, w)		(0x00a800 + (d) * 0x20 + (w) * 4)
#define   NV40_SIG_STATUS_WORDS		8
#define   NV40_SIG_STATUS_BITS		32

/*
 * gf100-pcounter, GF100- (hw:registers/gf100); b = number of a domain's block
 */
#define GF100_PCOUNTER_BASE		0x180000
#define GF100_PCOUNTER_SIZE		0x40000
#define GF100_STRIDE			0x200	/* from block to block */
#define GF100_SIG_STATUS(b, w)		(0x180000 + (b) * 0x200 + (w) * 4)
#define GF100_SRC(i)			(0x180040 + (i) * 8)
#define GF100_OP(i)			(0x180044 + (i) * 8)
#define GF100_SETFLAG_OP		0x180060
#define GF100_CLRFLAG_OP		0x180064
#define GF100_SRC_STATUS		0x180068
#define GF100_SWAP_SRC			0x18006c
#define   GF100_SWAP_SRC_SIGNAL		GENMASK(7, 0)
#define GF100_CTR_CYCLES		0x180070
#define GF100_CTR_EVENT			0x180080
#define GF100_CTR_START			0x180088
#define GF100_CTR_PRE			0x18008c
#define GF100_CTR_STOP			0x180090
#define GF100_CTRL			0x18009c
#define   GF100_CTRL_MODE		GENMASK(2, 0)
#define     GF100_CTRL_MODE_HALTED	0
#define     GF100_CTRL_MODE_QUAD	2
#define   GF100_CTRL_CTR_MODE		GENMASK(5, 3)
#define   GF100_CTRL_EVENT_CTR_PERIOD	BIT(6)
#define   GF100_CTRL_EVENT_IMPORT_MODE	BIT(7)
#define   GF100_CTRL_FLAG_IMPORT_MODE	BIT(8)
#define   GF100_CTRL_UNK18		BIT(18)	/* nouveau and nvatiming set it */
#define   GF100_CTRL_PERIODIC_PERIOD	GENMASK(23, 21)
#define   GF100_CTRL_QUAD_STATE		GENMASK(25, 24)
#define   GF100_CTRL_SINGLE_STATE	GENMASK(29, 28)
/* all bits documented to read as written */
#define   GF100_CTRL_CONFIG		(GF100_CTRL_MODE | GF100_CTRL_CTR_MODE |	\
					 GF100_CTRL_EVENT_CTR_PERIOD |			\
					 GF100_CTRL_EVENT_IMPORT_MODE |			\
					 GF100_CTRL_FLAG_IMPORT_MODE |			\
					 GF100_CTRL_PERIODIC_PERIOD)
#define GF100_QUAD_ACK_TRIGGER		0x1800a0
#define   GF100_QUAD_ACK_TRIGGER_ACK	BIT(0)
/* counters of the running period; nvatiming reads the second one */
#define GF100_CTR_EVENT_NEXT(b)		(0x1800a4 + (b) * 0x200)
#define GF100_CTR_PRE_NEXT(b)		(0x1800a8 + (b) * 0x200)
#define GF100_VSTATUS			0x1800c8
#define   GF100_VSTATUS_STATUS		GENMASK(2, 0)
#define GF100_USER_TRIGGER		0x1800ec
#define   GF100_USER_TRIGGER_LEVELS	GENMASK(3, 0)
#define   GF100_USER_TRIGGER_OTHERS	GENMASK(3, 1)	/* all but the swap */
#define GF100_FILTER			0x180100
#define GF100_GPC_SET_CTRL(u)		(0x1b8000 + (u) * 0x200)
#define GF100_PART_SET_CTRL(u)		(0x1bc000 + (u) * 0x200)
#define GF100_HUB_SET_CTRL		0x1be000

/* Clock gating, GK104- (hw:registers/gf100-main) */
#define GF100_GPC_SLCG			0x1b8018
#define GF100_PART_SLCG			0x1bc018
#define GF100_HUB_SLCG			0x1be018
#define GF100_MAIN_SLCG			0x1b4124
/*
 * NVIDIA's driver writes it once in each run (hw:real-cards/r3); only an
 * experiment uses it
 */
#define GF100_MAIN_START		0x1b4000
#define GF100_MAIN_CONFIG		0x1b4008

/* Numbers and masks of units, GF100- (hw:registers/gf100-units) */
#define GF100_UNITS_BASE		0x021000
#define GF100_UNITS_SIZE		0x2000
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
#define GF100_HUB_MUX_BASE		0x404000
#define GF100_HUB_MUX_SIZE		0x5000
#define GF100_ROP_MUX_BASE		0x410000
#define GF100_ROP_MUX_SIZE		0x4000
#define   GF100_ROP_STRIDE		0x400
#define GF100_GPC_MUX_BASE		0x500000
#define GF100_GPC_MUX_SIZE		0x100000
#define   GF100_GPC_STRIDE		0x8000
#define   GF100_TPC_OFFSET		0x4000	/* in the GPC */
#define   GF100_TPC_STRIDE		0x800
#define GF100_GPC_TPC_COUNT(g)		(0x502608 + (g) * 0x8000)
#define   GF100_GPC_TPC_COUNT_MASK	GENMASK(4, 0)
#define GF100_FB_MUX_BASE		0x10f000	/* all PBFBs at once, then each one */
#define GF100_FB_MUX_SIZE		0x3000
#define GF100_PBFB_BASE			0x110000
#define   GF100_PBFB_STRIDE		0x1000
#define GF100_PMFB_BASE			0x140000
#define GF100_PMFB_SIZE			0x20000
#define   GF100_PMFB_STRIDE		0x2000
#define GF100_SUBP_BASE			0x141200	/* of a PMFB's subpartitions */
#define   GF100_SUBP_STRIDE		0x400
#define GM107_LTS_BASE			0x140400	/* of a partition's slices of L2 */
#define   GM107_LTS_STRIDE		0x200
#define GM107_LTC_MUX_BASE		0x17e000
#define GM107_LTC_MUX_SIZE		0x1000

/* Source muxes, G80:GF100 (hw:muxes/tesla) */
#define G80_MUX_BASE			0x400000
#define G80_MUX_SIZE			0x10000
#define G80_UNITS			0x4008fc	/* bits 0 to 15: TPCs */
#define G80_TPC_BASE			0x408000
#define   G80_TPC_STRIDE		0x1000
#define   G200_TPC_STRIDE		0x800

/* A domain's own flag among the trailer signals, from the base (hw:signals/trailers) */
#define NV40_TRAILER_FLAG(d)		(0x1f - (d))
/* Bits of OP that an input has on GF100-: delays, and bits 18 to 20 (hw:inputs/op). */
#define GF100_OP_KNOWN			GENMASK(20, 0)

/* The MMU of G80:GF100 (hw:memory/channel, hw:memory/tlb) */
#define G80_VM_BASE			0x100000
#define G80_VM_SIZE			0x1000
#define G80_VM_FLUSH			0x100c80
#define   G80_VM_FLUSH_BUSY		BIT(0)
#define   G80_VM_FLUSH_ENGINE		GENMASK(31, 16)
#define G84_VM_PD_OFFSET		0x100c9c

/* PDAEMON, GT215 and later (hw:idle) */
#define PDAEMON_BASE			0x10a000
#define PDAEMON_SIZE			0x1000
#define PDAEMON_IDLE_SIGNALS		0x10a500
#define PDAEMON_IDLE_MASK(slot)		(0x10a504 + (slot) * 0x10)
#define PDAEMON_IDLE_COUNT(slot)	(0x10a508 + (slot) * 0x10)
#define PDAEMON_IDLE_MODE(slot)		(0x10a50c + (slot) * 0x10)
#define PDAEMON_IDLE_MASK_1(slot)	(0x10aa34 + (slot) * 8)	/* GM107 and later */
#define GT215_PDAEMON_RESET_BASE	0x022000
#define GT215_PDAEMON_RESET_SIZE	0x1000
#define GT215_PDAEMON_RESET		0x022210	/* GT215:GF100 */
#define   GT215_PDAEMON_RESET_ENABLE	BIT(0)

#endif
