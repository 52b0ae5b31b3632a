/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source multiplexers (G80-): registers outside PCOUNTER that select the wires
 * of a unit that become signals. They are shared hardware: several events may
 * use one position of a mux, but never two positions at the same time.
 */
#ifndef _PCOUNTER_HW_MUX_H
#define _PCOUNTER_HW_MUX_H

#include <linux/types.h>

#include "hw/mux_table.h"
#include "rules/place.h"

struct pcounter_chip;
struct pcounter_dom_id;
struct pcounter_io;
struct pcounter_topo;

#define PCOUNTER_MAX_MUXES	32	/* in use at the same time */
#define PCOUNTER_MUX_FAILED	8	/* positions; after more failures all fail */
#define PCOUNTER_MAX_MUX_FAILURES	8	/* failures to log */

/* The result of setting a mux. */
enum pcounter_mux_state {
	PCOUNTER_MUX_SET,
	PCOUNTER_MUX_DEAD,
	PCOUNTER_MUX_NOT_KEPT,
	PCOUNTER_MUX_CHANGED,	/* it was set, and has lost its position since */
	PCOUNTER_MUX_STATES
};

/**
 * struct pcounter_mux - a mux of one unit that open events need
 * @type: its type; @type.id 0: this entry is free
 * @id: a domain that shows it
 * @addr: register with its select field; of the first TPC if TPCs share wires
 * @bus: register with its enable bit, of the first TPC if TPCs share wires; 0 if
 *	it has none
 * @opened: open events that need it
 * @running: running events that need it
 * @wanted: position that the running events need
 * @written: the driver has programmed it
 * @now: the position that the driver has programmed
 * @nr: the hardware's number of the TPC of @now
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
	u32 addr;
	u32 bus;
	unsigned int opened;
	unsigned int running;
	struct pcounter_mux_setting wanted;
	bool written;
	struct pcounter_mux_setting now;
	u8 nr;
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

int pcounter_mux_check(struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why);
int pcounter_mux_check_all(struct pcounter_request *req, const struct pcounter_dom_id *id,
			   const struct pcounter_chip *chip, const char **why);
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_request *req,
			bool restore);
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_unclaim(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_forget(struct pcounter_muxes *m);
enum pcounter_mux_state pcounter_mux_sync(struct pcounter_muxes *m,
					  const struct pcounter_request *req, bool set,
					  unsigned int *culprit);
bool pcounter_mux_failed(struct pcounter_muxes *m, const struct pcounter_request *req);
void pcounter_mux_fail(struct pcounter_muxes *m, const struct pcounter_request *req,
		       unsigned int n, enum pcounter_mux_state state);
bool pcounter_mux_next_failure(struct pcounter_muxes *m,
			       struct pcounter_mux_failure *failure);

#endif
