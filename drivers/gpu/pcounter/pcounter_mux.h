/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source multiplexers (GF100+): registers outside PCOUNTER that decide which
 * wires of a unit become signals. They are shared hardware: several events may
 * use one position of a mux, never two at the same time.
 */
#ifndef _PCOUNTER_MUX_H
#define _PCOUNTER_MUX_H

#include <linux/types.h>

#include "pcounter_place.h"

struct pcounter_chip;
struct pcounter_dom_id;
struct pcounter_io;

#define PCOUNTER_MAX_MUXES	32	/* in use at the same time */

/**
 * struct pcounter_mux - a mux of one unit that open events need
 * @addr: its register; 0: this entry is free
 * @field: its select field
 * @enable: its enable bit, 0 if it has none
 * @opened: open events that need it
 * @running: running events that need it
 * @value: position that the running events need
 * @written: it has been programmed
 * @now: what @field and @enable hold if so
 * @found: and what they held before us
 */
struct pcounter_mux {
	u32 addr;
	u32 field;
	u32 enable;
	unsigned int opened;
	unsigned int running;
	u32 value;
	bool written;
	u32 now;
	u32 found;
};

/**
 * struct pcounter_muxes - the muxes of a GPU
 * @mux: those in use
 */
struct pcounter_muxes {
	struct pcounter_mux mux[PCOUNTER_MAX_MUXES];
};

int pcounter_mux_check(const struct pcounter_mux_wish *wish,
		       const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why);
bool pcounter_mux_conflict(const struct pcounter_mux_wish *a,
			   const struct pcounter_mux_wish *b);
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		      const struct pcounter_mux_wish *wish,
		      const struct pcounter_dom_id *id);
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			const struct pcounter_mux_wish *wish,
			const struct pcounter_dom_id *id, struct pcounter_io *io);
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		       const struct pcounter_mux_wish *wish,
		       const struct pcounter_dom_id *id);
void pcounter_mux_unclaim(struct pcounter_muxes *m,
			  const struct pcounter_chip *chip,
			  const struct pcounter_mux_wish *wish,
			  const struct pcounter_dom_id *id);
void pcounter_mux_forget(struct pcounter_muxes *m);
bool pcounter_mux_apply(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			const struct pcounter_mux_wish *wish,
			const struct pcounter_dom_id *id, struct pcounter_io *io);

#endif
