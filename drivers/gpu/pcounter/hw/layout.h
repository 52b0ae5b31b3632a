/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generations: one const descriptor for each kind of register layout, and the
 * operations that know its registers.
 */
#ifndef _PCOUNTER_HW_LAYOUT_H
#define _PCOUNTER_HW_LAYOUT_H

#include <linux/types.h>

#include "rules/chip.h"
#include "rules/place.h"

struct pcounter_io;

/**
 * struct pcounter_image - configuration registers of one domain
 * @src: source selections; SETFLAG and CLRFLAG have one of their own on NV10:NV30 only
 * @op: logic op of each input
 * @ctrl: control register without its read-only bits
 * @swap_src: signal that swaps, where the layout lets one choose
 * @filter: GF100+: filter of the sources
 * @user: levels of the USER signals; GF100+: USER_0 is our swap, and 0 between swaps;
 *	GT215: cannot be read back
 * @threshold: single event mode
 * @init_pre: initial CTR_PRE of single event mode; cannot be read back
 * @init_stop: likewise CTR_STOP
 */
struct pcounter_image {
	u32 src[PCOUNTER_OPS];
	u32 op[PCOUNTER_OPS];
	u32 ctrl;
	u32 swap_src;
	u32 filter;
	u32 user;
	u64 threshold;
	u32 init_pre;
	u32 init_stop;
};

/* How far the double buffer of a domain in quad mode has got. */
enum pcounter_quad_state {
	PCOUNTER_QUAD_EMPTY,
	PCOUNTER_QUAD_VALID,
	PCOUNTER_QUAD_OVERFLOW,
	PCOUNTER_QUAD_FOREIGN,	/* the control register is not as we wrote it */
	PCOUNTER_QUAD_DEAD,	/* the GPU does not answer */
	PCOUNTER_QUAD_STATES
};

/* How far a single event mode process has got. */
enum pcounter_single_state {
	PCOUNTER_SINGLE_INACTIVE,
	PCOUNTER_SINGLE_WAIT_PRE,
	PCOUNTER_SINGLE_WAIT_START,
	PCOUNTER_SINGLE_COUNTING,
	PCOUNTER_SINGLE_FOREIGN,
	PCOUNTER_SINGLE_DEAD,
};

/* What a counter reads, apart from a number. */
#define PCOUNTER_READ_DEAD	(~0ULL)

/*
 * How long something that was written may take to show (hw:ambiguities/1,
 * hw:ambiguities/28: unknown). A slower domain is not lost, it is looked at
 * again at the next occasion.
 */
#define PCOUNTER_SHOW_POLLS		20
#define PCOUNTER_SHOW_POLL_US		1

/* Registers of the engine's clock gating. */
#define PCOUNTER_GATES			4

struct pcounter_gen;

/**
 * struct pcounter_gen_ops - what a register layout can be asked to do
 * @encode: registers for a plan; swaps parked on signal @zero, or by the plan's
 *	signal, where the layout can choose
 * @load: read a domain's configuration
 * @store: write what differs between two images, taking a domain: CTRL first.
 *	Leaves out PRE_OP where writing that swaps or starts
 * @restore: write what differs, CTRL last, PRE_OP included; nothing is left running.
 *	Leaves out CTRL with PCOUNTER_CAP_CTRL_SHARED
 * @restore_ctrl: with PCOUNTER_CAP_CTRL_SHARED: put CTRL back
 * @ctrl_answers: with PCOUNTER_CAP_CTRL_SHARED and two domains: can CTRL be read?
 * @differs: does the hardware hold anything but @img? Costs a read for each register
 *	that @plan uses
 * @end_period: end the counting period; of all domains with PCOUNTER_CAP_SWAP_SHARED.
 *	Returns false if the GPU does not answer
 * @state: has a period been published? Compares CTRL with @img in passing
 * @ack: step the state down by one; with PCOUNTER_CAP_ACK_SHARED it may be
 *	that of the other domain
 * @counter: published count of a slot
 * @cycles: published cycle count
 * @single_start: single event mode: initial values, then PRE_OP, which starts
 * @single_state: how far the process is. Compares CTRL with @img in passing
 * @single_counter: running value of a slot's counter, of the cycles with
 *	PCOUNTER_NO_SLOT; or PCOUNTER_READ_DEAD
 * @trailer_probe: find the trailer base by moving a signal; returns
 *	PCOUNTER_TRAILER_UNKNOWN if that shows nothing
 * @sig_status: levels of 32 signals
 * @life: quad mode: changes only while the domain's clock runs, also where no period
 *	is published; one of @signals ordinary signals may show it. 0: cannot be told
 * @user: set the levels of the USER signals, and which fall again one clock later;
 *	GF100+: USER_0 stays as the image says
 * @periodic_run: start or stop the PERIODIC generators of the domain and those
 *	that it shares the switch with; returns whether they ran before
 * @record_window: record mode: bits 32 to 39 of addresses, and RECORD_LIMIT
 * @record_start: record mode: set the position, and record
 * @record_status: record mode: position and fault
 * @record_load: what RECORD_CHAN and RECORD_DMA hold
 * @record_bind: bind a channel and a DMA object
 * @record_unbind: write both registers, which binds nothing, and wait until that has
 *	arrived
 * @is_known: do the registers of a domain read as they can, and is the engine on?
 *	Where a chip is not known well nothing is written before that
 * @units: which GPCs and partitions are there
 * @enable: make the engine accessible; returns true if it was not, and has lost
 *	everything
 * @ungate: take the engine out of clock gating, in which counters may stand still;
 *	stores what was on
 * @gate: and put it back, where nothing has changed it
 *
 * @block is how the layout addresses a domain (struct pcounter_dom_id). What a
 * layout lacks is NULL.
 */
struct pcounter_gen_ops {
	void (*encode)(const struct pcounter_gen *gen, unsigned int block,
		       const struct pcounter_plan *plan, u8 zero,
		       struct pcounter_image *img);
	void (*load)(const struct pcounter_gen *gen, struct pcounter_io *io,
		     unsigned int block, struct pcounter_image *img);
	void (*store)(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int block, const struct pcounter_image *from,
		      const struct pcounter_image *to);
	void (*restore)(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int block, const struct pcounter_image *from,
			const struct pcounter_image *to);
	void (*restore_ctrl)(const struct pcounter_gen *gen,
			     struct pcounter_io *io, u32 ctrl);
	bool (*ctrl_answers)(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block);
	bool (*differs)(const struct pcounter_gen *gen, struct pcounter_io *io,
			unsigned int block, const struct pcounter_plan *plan,
			const struct pcounter_image *img);
	bool (*end_period)(const struct pcounter_gen *gen, struct pcounter_io *io,
			   unsigned int block, const struct pcounter_image *img);
	enum pcounter_quad_state (*state)(const struct pcounter_gen *gen,
					  struct pcounter_io *io,
					  unsigned int block,
					  const struct pcounter_image *img);
	void (*ack)(const struct pcounter_gen *gen, struct pcounter_io *io,
		    unsigned int block);
	u32 (*counter)(const struct pcounter_gen *gen, struct pcounter_io *io,
		       unsigned int block, unsigned int slot);
	u32 (*cycles)(const struct pcounter_gen *gen, struct pcounter_io *io,
		      unsigned int block);
	void (*single_start)(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block,
			     const struct pcounter_image *img);
	enum pcounter_single_state (*single_state)(const struct pcounter_gen *gen,
						   struct pcounter_io *io,
						   unsigned int block,
						   const struct pcounter_image *img);
	u64 (*single_counter)(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int block,
			      int slot);
	u16 (*trailer_probe)(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block);
	u32 (*sig_status)(const struct pcounter_gen *gen, struct pcounter_io *io,
			  unsigned int block, unsigned int word);
	u32 (*life)(const struct pcounter_gen *gen, struct pcounter_io *io,
		    unsigned int block, unsigned int signals);
	void (*user)(const struct pcounter_gen *gen, struct pcounter_io *io,
		     unsigned int block, struct pcounter_image *img, u32 levels,
		     u32 pulses);
	bool (*periodic_run)(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block,
			     bool run);
	void (*record_window)(const struct pcounter_gen *gen, struct pcounter_io *io,
			      unsigned int block, u32 high, u32 limit);
	void (*record_start)(const struct pcounter_gen *gen, struct pcounter_io *io,
			     unsigned int block, u32 position);
	u32 (*record_status)(const struct pcounter_gen *gen, struct pcounter_io *io,
			     unsigned int block);
	void (*record_load)(const struct pcounter_gen *gen, struct pcounter_io *io,
			    u32 *chan, u32 *dma);
	void (*record_bind)(const struct pcounter_gen *gen, struct pcounter_io *io,
			    u32 chan, u32 dma);
	void (*record_unbind)(const struct pcounter_gen *gen, struct pcounter_io *io,
			      u32 chan, u32 dma);
	bool (*is_known)(const struct pcounter_gen *gen, struct pcounter_io *io,
			 unsigned int block);
	void (*units)(const struct pcounter_gen *gen, struct pcounter_io *io,
		      u32 *gpc_mask, u32 *part_mask);
	bool (*enable)(const struct pcounter_gen *gen, struct pcounter_io *io);
	void (*ungate)(const struct pcounter_gen *gen, struct pcounter_io *io,
		       u32 found[PCOUNTER_GATES]);
	void (*gate)(const struct pcounter_gen *gen, struct pcounter_io *io,
		     u32 found[PCOUNTER_GATES]);
};

/**
 * struct pcounter_window - a piece of BAR0 that must be mapped
 * @base: BAR0 offset
 * @size: bytes
 */
struct pcounter_window {
	u32 base;
	u32 size;
};

#define PCOUNTER_MAX_WINDOWS	12

/*
 * The first register here is PMC.BOOT_0, for pcounter_boot_chipset(), the second
 * PMC.BOOT_1, for pcounter_boot_swapped().
 */
extern const struct pcounter_window pcounter_id_window;
/* And here the straps, which reports of cards have. */
extern const struct pcounter_window pcounter_strap_window;

/**
 * struct pcounter_gen - a kind of PCOUNTER
 * @layout: name of the register layout in the hardware documents
 * @caps: PCOUNTER_CAP_*
 * @counter_bits: how far the counters of a free-running count go
 * @saturated: what a counter of 32 bits reads that has counted too far
 * @max_clock_hz: no domain runs faster; bounds how long counters last
 * @zero: a trailer signal that no foreign trigger raises, from the base; with
 *	PCOUNTER_CAP_SWAP_SRC
 * @trigger: the trailer signal that a command stream's trigger raises in all domains
 *	at one moment, from the base; with PCOUNTER_CAP_SWAP_SRC
 * @periodic: the trailer signal PERIODIC, from the base; with PCOUNTER_CAP_RECORD
 * @windows: pieces of BAR0 the operations touch, ended by size 0
 * @ops: register operations
 */
struct pcounter_gen {
	const char *layout;
	u32 caps;
	u8 counter_bits;
	u32 saturated;
	u32 max_clock_hz;
	u8 zero;
	u8 trigger;
	u8 periodic;
	struct pcounter_window windows[PCOUNTER_MAX_WINDOWS + 1];
	const struct pcounter_gen_ops *ops;
};

const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip);
enum pcounter_quad_state pcounter_state_of(u32 state);
void pcounter_encode_inputs(const struct pcounter_gen *gen,
			    const struct pcounter_plan *plan,
			    u32 (*encode_op)(unsigned int op,
					     const struct pcounter_input *in),
			    struct pcounter_image *img);
u32 pcounter_life_of_signals(const struct pcounter_gen *gen,
			     struct pcounter_io *io, unsigned int block,
			     unsigned int signals);
void pcounter_image_copy_user(struct pcounter_image *to, const struct pcounter_image *from);
bool pcounter_swap_pm_trigger(const struct pcounter_gen *gen,
			      struct pcounter_io *io, unsigned int block,
			      const struct pcounter_image *img);

extern const struct pcounter_gen pcounter_gen_nv10;
extern const struct pcounter_gen pcounter_gen_nv15;
extern const struct pcounter_gen pcounter_gen_nv30;
extern const struct pcounter_gen pcounter_gen_nv40;
extern const struct pcounter_gen pcounter_gen_g80;
extern const struct pcounter_gen pcounter_gen_g84;
extern const struct pcounter_gen pcounter_gen_g92;
extern const struct pcounter_gen pcounter_gen_gt215;
extern const struct pcounter_gen pcounter_gen_gf100;
extern const struct pcounter_gen pcounter_gen_gk104;
extern const struct pcounter_gen pcounter_gen_gm107;

#endif
