/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which GPUs have a PCOUNTER engine, and which domains. Before GF100 domains are
 * numbered; from GF100 on they come in sets: the HUB, each GPC, each memory partition.
 *
 * Three separate steps: chipset id -> struct pcounter_chip (what the documents
 * say of this chip) -> struct pcounter_gen (how its registers work).
 */
#ifndef _PCOUNTER_RULES_CHIP_H
#define _PCOUNTER_RULES_CHIP_H

#include <linux/bits.h>
#include <linux/types.h>

#define PCOUNTER_SET_DOMAINS		8	/* in a set, and in all before GF100 */
#define PCOUNTER_MAX_GPCS		32
#define PCOUNTER_MAX_PARTS		16
#define PCOUNTER_GPC_DOMAINS		6
#define PCOUNTER_PART_DOMAINS		3
#define PCOUNTER_MAX_DOMAINS		(PCOUNTER_SET_DOMAINS +				\
					 PCOUNTER_MAX_GPCS * PCOUNTER_GPC_DOMAINS +	\
					 PCOUNTER_MAX_PARTS * PCOUNTER_PART_DOMAINS)

/* Kinds of domain sets, as the term "set" counts them. */
enum pcounter_set_kind {
	PCOUNTER_SET_HUB,	/* the only one before GF100 */
	PCOUNTER_SET_GPC,
	PCOUNTER_SET_PART,
	PCOUNTER_SET_KINDS
};

/* Trailer base of a domain for which no source names one. */
#define PCOUNTER_TRAILER_UNKNOWN	0xffff

/* Feature sub-revisions, in the order of hw:modes/features. */
enum pcounter_bucket {
	PCOUNTER_BUCKET_NV10,
	PCOUNTER_BUCKET_NV15,
	PCOUNTER_BUCKET_NV20,
	PCOUNTER_BUCKET_NV30,
	PCOUNTER_BUCKET_NV40,
	PCOUNTER_BUCKET_G84,
	PCOUNTER_BUCKET_G92,
	PCOUNTER_BUCKET_GT215,
	PCOUNTER_BUCKET_GF100,
	PCOUNTER_BUCKET_GM107,	/* GM107-: known from a few traces and lists only */
	PCOUNTER_BUCKETS
};

enum pcounter_presence {
	PCOUNTER_ABSENT,
	PCOUNTER_PRESENT,
	PCOUNTER_UNVERIFIED,
};

/**
 * struct pcounter_chip_set - the domains of a set: the HUB, or each GPC or partition
 * @domains: their number; before GF100 the HUB has all domains
 * @disputed: bit mask of domains whose trailer base is disputed or inferred
 * @trailer: base of the trailer signals of each domain
 */
struct pcounter_chip_set {
	u8 domains;
	u8 disputed;
	u16 trailer[PCOUNTER_SET_DOMAINS];
};

/**
 * struct pcounter_list - a chip's part of a table
 * @first: its first entry
 * @nr: number of its entries
 */
struct pcounter_list {
	u16 first;
	u16 nr;
};

/**
 * struct pcounter_chip - one row of scripts/tables/chips.csv
 * @chipset:	chipset id of PMC.BOOT_0
 * @name:	chip name of the hardware documents
 * @bucket:	feature sub-revision
 * @presence:	whether the chip has a PCOUNTER at all
 * @clocks:	documented name of the clock of each domain
 * @user:	GT215:GF100: the signal USER_0 of each domain, 0 if unknown
 * @set:	its domains, by kind of their set
 * @signals:	its named signals in pcounter_signals
 * @events:	its events with public names in pcounter_public_index
 */
struct pcounter_chip {
	u16 chipset;
	const char *name;
	enum pcounter_bucket bucket;
	enum pcounter_presence presence;
	const char *clocks[PCOUNTER_SET_DOMAINS];
	u8 user[PCOUNTER_SET_DOMAINS];
	struct pcounter_chip_set set[PCOUNTER_SET_KINDS];
	struct pcounter_list signals;
	struct pcounter_list events;
};

extern const struct pcounter_chip pcounter_chips[];
extern const unsigned int pcounter_nr_chips;

/*
 * Capabilities of a generation. Code above hw/ checks them, and never the chip.
 */
#define PCOUNTER_CAP_QUAD		BIT(0)	/* double-buffered counters */
#define PCOUNTER_CAP_SWAP_SHARED	BIT(1)	/* PM_TRIGGER swaps every domain */
#define PCOUNTER_CAP_DELAY23		BIT(2)	/* arguments 2, 3 can be sources 0, 1 delayed */
#define PCOUNTER_CAP_FLAG_ARG		BIT(3)	/* SETFLAG as argument of EVENT, STOP */
#define PCOUNTER_CAP_SINGLE		BIT(4)	/* single event mode, gated */
#define PCOUNTER_CAP_PERIOD		BIT(5)	/* EVENT_CTR_PERIOD can be chosen */
#define PCOUNTER_CAP_SUM_B4		BIT(6)	/* counter mode EVENT_B4 */
#define PCOUNTER_CAP_SUM_EXTRA		BIT(7)	/* EVENT_B6, EXTRA_B4, EXTRA_B6_EVENT_B2 */
#define PCOUNTER_CAP_OWN_FLAG_SRC	BIT(8)	/* the flag has sources of its own */
#define PCOUNTER_CAP_CTRL_SHARED	BIT(9)	/* one CTRL for both domains */
#define PCOUNTER_CAP_ACK_SHARED		BIT(10)	/* one QUAD_ACK, its bits disputed */
#define PCOUNTER_CAP_IMPORT		BIT(11)	/* import modes of EVENT and FLAG */
#define PCOUNTER_CAP_SWAP_SRC		BIT(12)	/* any signal can end a period */
#define PCOUNTER_CAP_PERIODIC		BIT(13)	/* PERIODIC generators */
#define PCOUNTER_CAP_SETS		BIT(14)	/* domains come in sets: HUB, GPCs, partitions */
#define PCOUNTER_CAP_USER		BIT(15)	/* USER signals */
#define PCOUNTER_CAP_MUX		BIT(16)	/* source muxes can be set */
#define PCOUNTER_CAP_RECORD		BIT(17)	/* record mode */
#define PCOUNTER_CAP_RECORD_HIGH	BIT(18)	/* with 40 bits of address */
#define PCOUNTER_CAP_CTR_40		BIT(19)	/* counters of 40 bits, not 32 */
#define PCOUNTER_CAP_READS_ZERO		BIT(20)	/* a read that times out gives 0 */
#define PCOUNTER_CAP_SUM_OWN		BIT(21)	/* PRE_B5, EVENT_OWN_B4 */
#define PCOUNTER_CAP_GATING		BIT(22)	/* clock gating may stop counters */
#define PCOUNTER_CAP_TPC_DOMAINS	BIT(23)	/* domains of a GPC belong to its TPCs */
#define PCOUNTER_CAP_INFERRED		BIT(24)	/* no document describes the registers */
#define PCOUNTER_CAP_PACKETS		BIT(25)	/* record mode writes G84's packets */

/**
 * pcounter_chip_find() - look up a chip
 * @chipset: chipset id
 *
 * Return: the chip's row, or NULL if no document names it.
 */
static inline const struct pcounter_chip *pcounter_chip_find(u32 chipset)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_chips; i++)
		if (pcounter_chips[i].chipset == chipset)
			return &pcounter_chips[i];
	return NULL;
}

#define PCOUNTER_DOM_NAME	12	/* room for a domain's name */

/* GF100+: blocks of 0x200 bytes in the window, 0x1000 bytes for each unit. */
#define GF100_UNIT_SHIFT	3
#define GF100_UNIT_BLOCKS	BIT(GF100_UNIT_SHIFT)
#define GF100_GPC_BLOCK		0
#define GF100_PART_BLOCK	0x100
#define GF100_HUB_BLOCK		0x180

/**
 * struct pcounter_dom_id - one domain
 * @set: kind of its set
 * @unit: which GPC or partition
 * @dom: its number within the set
 * @tpc: GK104+: the TPC of its GPC whose muxes it shows, or PCOUNTER_NO_TPC
 * @disputed: the sources dispute @trailer
 * @block: how the register layout addresses it; GF100+: position of its
 *	register block in the window
 * @trailer: base of its trailer signals, or PCOUNTER_TRAILER_UNKNOWN
 * @user: GT215:GF100: its signal USER_0, 0 if unknown
 * @name: "3", or "hub3", "gpc1.0", "part2.1" where there are sets
 * @clock: documented name of its clock, or NULL
 */
struct pcounter_dom_id {
	u8 set;
	u8 unit;
	u8 dom;
	u8 tpc;
	bool disputed;
	u16 block;
	u16 trailer;
	u8 user;
	char name[PCOUNTER_DOM_NAME];
	const char *clock;
};

/**
 * struct pcounter_topo - the domains of a GPU
 * @chip: which chip
 * @caps: PCOUNTER_CAP_* of its generation
 * @lost: mask of GPCs that have lost TPCs, so that the domains of the others are unverified
 * @nr: number of domains
 * @dom: the domains, by index
 */
struct pcounter_topo {
	const struct pcounter_chip *chip;
	u32 caps;
	u32 lost;
	unsigned int nr;
	struct pcounter_dom_id dom[PCOUNTER_MAX_DOMAINS];
};

#define PCOUNTER_NO_TPC		0xff
#define PCOUNTER_OWN_TPC	0xf	/* the term "tpc": the TPC that the domain shows, GK104+ */

/**
 * struct pcounter_trailer - trailer signals of a kind of layout, from the base
 * @size: their number; they are the last signals of a domain
 * @own: first signal that changes by counting itself
 * @zero: no foreign trigger raises it; with PCOUNTER_CAP_SWAP_SRC, as @trigger
 * @trigger: a command stream's trigger raises it in all domains at one moment
 * @periodic: PERIODIC; with PCOUNTER_CAP_PERIODIC
 */
struct pcounter_trailer {
	u8 size;
	u8 own;
	u8 zero;
	u8 trigger;
	u8 periodic;
};

void pcounter_topo_build(struct pcounter_topo *topo,
			 const struct pcounter_chip *chip, u32 caps,
			 u32 gpc_mask, u32 part_mask);
void pcounter_topo_lose(struct pcounter_topo *topo, unsigned int gpc, u32 doms);
int pcounter_topo_find(const struct pcounter_topo *topo, unsigned int set,
		       unsigned int unit, unsigned int dom);
const struct pcounter_trailer *pcounter_trailer_of(u32 caps);
unsigned int pcounter_dom_signals(const struct pcounter_dom_id *id, u32 caps);

#endif
