/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source multiplexers (G80-): registers outside PCOUNTER that select the wires
 * of a unit that become signals. They are shared hardware: several events may
 * use one position of a mux, but never two positions at the same time.
 */
#ifndef _PCOUNTER_HW_MUX_H
#define _PCOUNTER_HW_MUX_H

#include <linux/types.h>

#include "rules/chip.h"
#include "rules/place.h"

struct pcounter_block;
struct pcounter_io;

/* Units that contain muxes. */
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
 * @until: first later chip to which the row does not apply, 0: none
 * @tpcs: highest number of units that the term "tpc" counts, 1 if it has no meaning
 * @shared: the first enabled TPC drives the wires of all TPCs
 * @counted: the hardware has a mask of its TPCs, and the term "tpc" counts these
 *
 * pcounter_mux_find() derives the last three from the place.
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
	u16 until;
	u8 tpcs;
	bool shared;
	bool counted;
};

/* GM107-: belongs to every event with a mux; no term can name it. */
#define PCOUNTER_MUX_GATE	64

extern const struct pcounter_mux_type pcounter_mux_rows[];

#define PCOUNTER_MAX_MUXES	32	/* in use at the same time */
#define PCOUNTER_MUX_FAILED	8	/* positions; after more failures all fail */
#define PCOUNTER_MAX_MUX_FAILURES	8	/* failures to log */

/**
 * struct pcounter_mux - a mux of one unit that open events need
 * @type: its type
 * @id: a domain that shows it
 * @opened: open events that need it
 * @running: running events that need it
 * @wanted: position that the running events need; @wanted.id 0: this entry is free
 * @now: position that the driver has programmed; @now.id 0: none
 * @reg: address of the select field on the TPC of @now
 * @found: the select field's value before the driver's first write
 * @found_enable: the enable bit's value before the driver's first write
 * @cleared: TPCs, by the hardware's numbers, whose enable bit was set before the driver's
 *	first write
 * @nr_failed: number of @failed, until the last event is closed
 * @failed: positions that could not be set
 */
struct pcounter_mux {
	struct pcounter_mux_type type;
	const struct pcounter_dom_id *id;
	unsigned int opened;
	unsigned int running;
	struct pcounter_mux_setting wanted;
	struct pcounter_mux_setting now;
	u32 reg;
	u32 found;
	u32 found_enable;
	u32 cleared;
	unsigned int nr_failed;
	struct pcounter_mux_setting failed[PCOUNTER_MUX_FAILED];
};

/**
 * struct pcounter_mux_failure - a mux that could not be set, for the log
 * @name: the mux's name
 * @setting: the position and its TPC
 * @id: domain of the event that needs it
 * @why: the kind of failure
 */
struct pcounter_mux_failure {
	const char *name;
	struct pcounter_mux_setting setting;
	const struct pcounter_dom_id *id;
	const char *why;
};

/**
 * struct pcounter_muxes - the muxes of a GPU
 * @topo: the GPU's domains
 * @io: access to the registers
 * @mux: the muxes in use
 * @failures: number of muxes that could not be set, or have changed
 * @nr_pending: number of @pending
 * @pending: failures that have not been logged
 */
struct pcounter_muxes {
	const struct pcounter_topo *topo;
	struct pcounter_io *io;
	struct pcounter_mux mux[PCOUNTER_MAX_MUXES];
	u32 failures;
	unsigned int nr_pending;
	struct pcounter_mux_failure pending[PCOUNTER_MAX_MUX_FAILURES];
};

int pcounter_mux_find(const struct pcounter_chip *chip, unsigned int id,
		      struct pcounter_mux_type *type);
const char *pcounter_mux_misfit(const struct pcounter_mux_type *t,
				const struct pcounter_chip *chip,
				const struct pcounter_dom_id *id, unsigned int tpc);
u32 pcounter_mux_addr(const struct pcounter_mux_type *t,
		      const struct pcounter_dom_id *id, unsigned int nr);
u32 pcounter_mux_present(const struct pcounter_mux_type *t,
			 const struct pcounter_dom_id *id, struct pcounter_io *io);

int pcounter_mux_check(struct pcounter_request *req, const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why);
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_request *req,
			bool restore);
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_unclaim(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_forget(struct pcounter_muxes *m);
int pcounter_mux_sync(struct pcounter_muxes *m, const struct pcounter_request *req,
		      const struct pcounter_block *b, bool set);
bool pcounter_mux_failed(struct pcounter_muxes *m, const struct pcounter_request *req);
bool pcounter_mux_next_failure(struct pcounter_muxes *m,
			       struct pcounter_mux_failure *failure);

#endif
