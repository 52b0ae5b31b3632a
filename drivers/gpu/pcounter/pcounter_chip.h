/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which GPUs have a PCOUNTER engine, and what it looks like on each.
 *
 * Three separate steps: chipset id -> struct pcounter_chip (what the documents
 * say of this chip) -> struct pcounter_gen (how its registers work).
 */
#ifndef _PCOUNTER_CHIP_H
#define _PCOUNTER_CHIP_H

#include <linux/bits.h>
#include <linux/types.h>

#define PCOUNTER_MAX_DOMAINS		8

/* Trailer base of a domain for which no source names one. */
#define PCOUNTER_TRAILER_UNKNOWN	0xffff

/* Feature sub-revisions, in the order of hw/registers.md section 7. */
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
	PCOUNTER_BUCKETS
};

enum pcounter_presence {
	PCOUNTER_ABSENT,
	PCOUNTER_PRESENT,
	PCOUNTER_UNVERIFIED,
};

/**
 * struct pcounter_chip - one row of hw/chips.csv
 * @chipset:	chipset id of PMC.BOOT_0
 * @name:	chip name of the hardware documents
 * @bucket:	feature sub-revision
 * @presence:	whether the chip has a PCOUNTER at all
 * @domains:	number of domains, 0 where domains come in sets (GF100+)
 * @disputed:	bit mask of domains whose trailer base the sources dispute
 * @clocks:	what clock each domain runs on, by its documented name
 * @trailer:	base of the trailer signals of each domain
 */
struct pcounter_chip {
	u16 chipset;
	const char *name;
	enum pcounter_bucket bucket;
	enum pcounter_presence presence;
	u8 domains;
	u8 disputed;
	const char *clocks[PCOUNTER_MAX_DOMAINS];
	u16 trailer[PCOUNTER_MAX_DOMAINS];
};

extern const struct pcounter_chip pcounter_chips[];
extern const unsigned int pcounter_nr_chips;

/*
 * What a register layout revision can do. A generation is described by these
 * bits; nothing above the generation operations asks for a chip.
 */
#define PCOUNTER_CAP_QUAD		BIT(0)	/* double-buffered counters */
#define PCOUNTER_CAP_SWAP_SHARED	BIT(1)	/* PM_TRIGGER swaps every domain */
#define PCOUNTER_CAP_DELAY23		BIT(2)	/* arguments 2, 3 can be sources 0, 1 delayed */
#define PCOUNTER_CAP_FLAG_ARG		BIT(3)	/* SETFLAG as argument of EVENT, STOP */

const struct pcounter_chip *pcounter_chip_find(u32 chipset);
int pcounter_chip_decode(u32 boot_0);
unsigned int pcounter_chip_signals(const struct pcounter_chip *chip,
				   unsigned int dom);

#endif
