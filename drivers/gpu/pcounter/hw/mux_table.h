/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of source muxes, the addresses of their registers, and the wires
 * that they share.
 */
#ifndef _PCOUNTER_HW_MUX_TABLE_H
#define _PCOUNTER_HW_MUX_TABLE_H

#include <linux/types.h>

struct pcounter_chip;
struct pcounter_dom_id;
struct pcounter_io;

/* Units that contain muxes; after a TPC of G80 the same of G200. */
enum pcounter_mux_place {
	PCOUNTER_IN_GPC,
	PCOUNTER_IN_TPC,
	PCOUNTER_IN_ROP,
	PCOUNTER_IN_HUB,
	PCOUNTER_IN_FB,
	PCOUNTER_IN_PBFB,
	PCOUNTER_IN_PMFB,
	PCOUNTER_IN_SUBP1,	/* one subpartition, or more */
	PCOUNTER_IN_SUBP2,
	PCOUNTER_IN_SUBP4,
	PCOUNTER_IN_LTC,
	PCOUNTER_IN_LTS,
	PCOUNTER_IN_GATE,	/* of every domain */
	PCOUNTER_IN_G80_TPC,
	PCOUNTER_IN_G200_TPC,
	PCOUNTER_IN_G80_TPC_ALONE,
	PCOUNTER_IN_G200_TPC_ALONE,
};

/**
 * struct pcounter_mux_type - a kind of mux on a range of chips
 * @id: the term "mux"; several ranges of chips may use the same number
 * @name: name in the hardware documents
 * @place: enum pcounter_mux_place: the unit that contains it, which determines its address
 * @since: first chip, by chipset id
 * @offset: register with the select field, from the start of the unit
 * @field: its select field, 0 if it only has an enable bit
 * @enable: its enable bit, 0 if it has none
 * @enable_offset: distance from the select field's register to that of the enable bit
 * @g200_offset: in a TPC of Tesla: @offset from G200 on
 * @enable_since: first chip with the enable bit, 0: all
 * @until: first later chip to which the row does not apply, 0: none
 * @tpcs: highest number of units that the term "tpc" counts, 1 if it has no meaning
 * @shared: the first enabled TPC drives the wires of all TPCs
 * @counted: the hardware has a mask of its TPCs, and the term "tpc" counts these
 *
 * pcounter_mux_find() derives the last three from the place, and fits @place, @offset and
 * @enable to the chip.
 */
struct pcounter_mux_type {
	u8 id;
	const char *name;
	u8 place;
	u16 since;
	u32 offset;
	u32 field;
	u32 enable;
	u8 enable_offset;
	u32 g200_offset;
	u16 enable_since;
	u16 until;
	u8 tpcs;
	bool shared;
	bool counted;
};

/* GM107-: belongs to every event with a mux; no term can name it. */
#define PCOUNTER_MUX_GATE	64

extern const struct pcounter_mux_type pcounter_mux_rows[];

bool pcounter_mux_find(const struct pcounter_chip *chip, unsigned int id,
		       struct pcounter_mux_type *type);
bool pcounter_mux_exists(const struct pcounter_chip *chip, unsigned int id);
const char *pcounter_mux_misfit(const struct pcounter_mux_type *t,
				const struct pcounter_chip *chip,
				const struct pcounter_dom_id *id, unsigned int tpc);
u32 pcounter_mux_addr(const struct pcounter_mux_type *t,
		      const struct pcounter_dom_id *id, unsigned int nr);
u32 pcounter_mux_present(const struct pcounter_mux_type *t,
			 const struct pcounter_dom_id *id, struct pcounter_io *io);

#endif
