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

/**
 * struct pcounter_mux_type - a kind of mux on a range of chips
 * @id: the term "mux"; several ranges of chips may use the same number
 * @name: name in the hardware documents
 * @place: enum mux_place: the unit that contains it, which determines its address
 * @since: first chip, by chipset id
 * @until: first later chip to which the row does not apply
 * @offset: register with the select field, from the start of the unit
 * @field: its select field, 0 if it only has an enable bit
 * @enable: its enable bit, 0 if it has none
 * @enable_offset: register with the enable bit; 0: the same register
 */
struct pcounter_mux_type {
	u8 id;
	const char *name;
	u8 place;
	u16 since;
	u16 until;
	u32 offset;
	u32 field;
	u32 enable;
	u32 enable_offset;
};

/* GM107-: belongs to every event with a mux; no term can name it. */
#define PCOUNTER_MUX_GATE	64

const struct pcounter_mux_type *pcounter_mux_find(const struct pcounter_chip *chip,
						  unsigned int id);
bool pcounter_mux_exists(const struct pcounter_chip *chip, unsigned int id);
const char *pcounter_mux_misfit(const struct pcounter_mux_type *t,
				const struct pcounter_chip *chip,
				const struct pcounter_dom_id *id, unsigned int tpc);
bool pcounter_mux_counts_tpcs(const struct pcounter_mux_type *t);
bool pcounter_mux_shares_wires(const struct pcounter_mux_type *t,
			       const struct pcounter_chip *chip);
bool pcounter_mux_is_counted(const struct pcounter_mux_type *t,
			     const struct pcounter_chip *chip);
u32 pcounter_mux_addr(const struct pcounter_mux_type *t,
		      const struct pcounter_dom_id *id, unsigned int nr);
u32 pcounter_mux_enable_addr(const struct pcounter_mux_type *t,
			     const struct pcounter_dom_id *id, unsigned int nr);
u32 pcounter_mux_present(const struct pcounter_mux_type *t,
			 const struct pcounter_dom_id *id, struct pcounter_io *io);

#endif
