/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source multiplexers (GF100+): registers outside PCOUNTER that decide which
 * wires of a unit become signals. They are shared hardware: several events may
 * use one position of a mux, never two at the same time.
 */
#ifndef _PCOUNTER_HW_MUX_H
#define _PCOUNTER_HW_MUX_H

#include <linux/types.h>

#include "rules/place.h"

struct pcounter_chip;
struct pcounter_dom_id;
struct pcounter_io;

#define PCOUNTER_MAX_MUXES	32	/* in use at the same time */
#define PCOUNTER_MUX_POSITIONS	256	/* of the widest select field */
#define PCOUNTER_MUX_WORD	32	/* positions in each word of a mask */
#define PCOUNTER_MAX_MUX_FAILURES	8	/* not told yet */

/* What has become of an attempt to set a mux. */
enum pcounter_mux_state {
	PCOUNTER_MUX_SET,
	PCOUNTER_MUX_DEAD,
	PCOUNTER_MUX_NOT_KEPT,
};

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
 * @failed: positions into which it could not be brought, bit by bit; until it is
 *	closed
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
	u32 failed[PCOUNTER_MUX_POSITIONS / PCOUNTER_MUX_WORD];
};

/**
 * struct pcounter_mux_failure - a mux that could not be set, for the log
 * @name: its name
 * @setting: which position, and of which TPC
 * @id: domain of the event that needs it
 * @why: what went wrong
 */
struct pcounter_mux_failure {
	const char *name;
	struct pcounter_mux_setting setting;
	const struct pcounter_dom_id *id;
	const char *why;
};

/**
 * struct pcounter_muxes - the muxes of a GPU
 * @mux: those in use
 * @failures: how often one could not be set
 * @nr_pending: failures that the log does not tell of yet
 * @pending: these
 */
struct pcounter_muxes {
	struct pcounter_mux mux[PCOUNTER_MAX_MUXES];
	u32 failures;
	unsigned int nr_pending;
	struct pcounter_mux_failure pending[PCOUNTER_MAX_MUX_FAILURES];
};

int pcounter_mux_check(const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why);
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		      const struct pcounter_mux_setting *setting,
		      const struct pcounter_dom_id *id);
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			const struct pcounter_mux_setting *setting,
			const struct pcounter_dom_id *id, struct pcounter_io *io);
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		       const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id);
void pcounter_mux_unclaim(struct pcounter_muxes *m,
			  const struct pcounter_chip *chip,
			  const struct pcounter_mux_setting *setting,
			  const struct pcounter_dom_id *id);
void pcounter_mux_forget(struct pcounter_muxes *m);
enum pcounter_mux_state
pcounter_mux_apply(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		   const struct pcounter_mux_setting *setting,
		   const struct pcounter_dom_id *id, struct pcounter_io *io);
bool pcounter_mux_failed(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			 const struct pcounter_mux_setting *setting,
			 const struct pcounter_dom_id *id);
void pcounter_mux_fail(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		       const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       enum pcounter_mux_state state);
bool pcounter_mux_next_failure(struct pcounter_muxes *m,
			       struct pcounter_mux_failure *failure);

#endif
