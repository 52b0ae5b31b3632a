/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which domains a GPU has. Before GF100 they are numbered; from GF100 on they
 * come in sets: the HUB, each GPC, each memory partition. Pure.
 */
#ifndef _PCOUNTER_RULES_TOPO_H
#define _PCOUNTER_RULES_TOPO_H

#include <linux/types.h>

#include "rules/chip.h"

/* GF100+: blocks of 0x200 bytes in the window, 0x1000 bytes for each unit. */
#define GF100_UNIT_BLOCKS	8
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
#define PCOUNTER_DOM_NAME	16	/* room for a domain's name */

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
const char *pcounter_dom_name(const struct pcounter_topo *topo, unsigned int dom,
			      char *buf, size_t len);

#endif
