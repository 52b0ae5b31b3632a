// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of a domain, by the table of its layout (hw:registers).
 */
#include <linux/bitfield.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/registers.h"
#include "hw/regs.h"

#define SIGNAL_BITS		8	/* of a source in a SRC register, hw:inputs/src */
#define PROBE_READS		20	/* of driven signals in one trailer probe */

/* ---- addresses and fields ---- */

/**
 * pcounter_reg_addr() - find a register
 * @gen: the generation
 * @reg: enum pcounter_reg; SRC, OP, CTR and SLCG plus a number
 * @block: the domain
 *
 * Return: the BAR0 address, 0 if the generation does not have the register.
 */
u32 pcounter_reg_addr(const struct pcounter_gen *gen, unsigned int reg,
		      unsigned int block)
{
	const struct pcounter_reg_at *at = &gen->table->at[reg];

	/* a register that the layout does not have is all 0 */
	if (at->caps & ~gen->caps)
		return 0;
	return at->base + (block >> at->shift) * at->stride +
	       reg % PCOUNTER_OPS * at->input_stride;
}

/**
 * pcounter_status_addr() - find the register with the levels of 32 signals
 * @gen: the generation
 * @block: the domain
 * @word: signals 32 * @word and up
 *
 * Return: the BAR0 address of SIG_STATUS, 0 if another register has its address.
 */
u32 pcounter_status_addr(const struct pcounter_gen *gen, unsigned int block,
			 unsigned int word)
{
	const struct pcounter_reg_table *table = gen->table;

	if (table->status_end && block && word >= table->status_end)
		return 0;
	return pcounter_reg_addr(gen, PCOUNTER_REG_SIG_STATUS, block) + word * sizeof(u32) +
	       word / SIG_STATUS_HALF_WORDS * table->status_gap;
}

/**
 * pcounter_ctrl_config() - get the bits of CTRL that configure its domains
 * @gen: the generation
 *
 * Return: the fields of both domains if they share CTRL.
 */
u32 pcounter_ctrl_config(const struct pcounter_gen *gen)
{
	const struct pcounter_ctrl *ctrl = gen->table->ctrl;

	return pcounter_ctrl_fields(&ctrl[0]) | pcounter_ctrl_fields(&ctrl[1]);
}

/**
 * pcounter_reg_read() - read a register of a domain
 * @b: the domain
 * @reg: enum pcounter_reg, as for pcounter_reg_addr()
 *
 * Return: its value, 0 if the generation does not have the register.
 */
u32 pcounter_reg_read(const struct pcounter_block *b, unsigned int reg)
{
	u32 addr = pcounter_reg_addr(b->gen, reg, b->nr);

	return addr ? pcounter_rd32(b->io, addr) : 0;
}

/**
 * pcounter_reg_write() - write a register of a domain
 * @b: the domain
 * @reg: enum pcounter_reg, as for pcounter_reg_addr()
 * @val: the value
 *
 * Does nothing if the generation does not have the register.
 */
void pcounter_reg_write(const struct pcounter_block *b, unsigned int reg, u32 val)
{
	u32 addr = pcounter_reg_addr(b->gen, reg, b->nr);

	if (addr)
		pcounter_wr32(b->io, addr, val);
}

/**
 * pcounter_block_answers() - check whether the GPU answers
 * @b: a domain
 *
 * Return: true if so.
 */
bool pcounter_block_answers(const struct pcounter_block *b)
{
	return !pcounter_is_dead(pcounter_reg_read(b, PCOUNTER_REG_CTRL));
}

/* ---- a plan as registers ---- */

static void encode_source(u32 *src, unsigned int source, u8 sig)
{
	*src &= ~(GENMASK(SIGNAL_BITS - 1, 0) << source * SIGNAL_BITS);
	*src |= (u32)sig << source * SIGNAL_BITS;
}

/* Flags use selectors of other inputs, or have two equal sets of their own. */
static void encode_sources(const struct pcounter_gen *gen,
			   const struct pcounter_plan *plan, u8 ctr, unsigned int op,
			   struct pcounter_image *img)
{
	const struct pcounter_input *in = &plan->in[op];
	u8 sources = pcounter_input_sources(in) | pcounter_ctr_modes[ctr].sources[op];
	unsigned int i, at, source;

	if (plan->set.mode == PCOUNTER_MODE_RECORD)
		sources = GENMASK(PCOUNTER_ARGS - 1, 0);
	for (i = 0; i < PCOUNTER_ARGS; i++) {
		if (!(sources & BIT(i)))
			continue;
		source = pcounter_selector(op, i, gen->caps, &at);
		encode_source(&img->src[at], source, in->sig[i]);
		if (at == PCOUNTER_OP_SETFLAG)
			encode_source(&img->src[PCOUNTER_OP_CLRFLAG], source, in->sig[i]);
	}
}

/*
 * EVENT and STOP have SETFLAG in between the delay bits of arguments 1 and 2. A layout
 * that lacks a bit rejects events that set it (rules/terms.c).
 */
static u32 encode_op(unsigned int op, const struct pcounter_input *in)
{
	bool counts = op == PCOUNTER_EVENT || op == PCOUNTER_STOP;
	u32 late = in->delay >> 2;

	return FIELD_PREP(NV40_OP_TABLE, in->op) | FIELD_PREP(NV40_OP_DELAY_01, in->delay) |
	       (counts ? FIELD_PREP(NV40_OP_COUNT_DELAY_23, late) :
			 FIELD_PREP(NV40_OP_GATE_DELAY_23, late)) |
	       FIELD_PREP(NV40_OP_COUNT_SETFLAG, in->flag);
}

/* Single event mode: defaults of gates that no event uses. */
static const u16 gate_default[PCOUNTER_SLOTS] = {
	[PCOUNTER_PRE] = PCOUNTER_OP_ALWAYS,
	[PCOUNTER_START] = PCOUNTER_OP_ALWAYS,
	[PCOUNTER_EVENT] = PCOUNTER_OP_NEVER,
	[PCOUNTER_STOP] = PCOUNTER_OP_NEVER,
};

/*
 * Inputs without a part in the plan keep the values of @img, which saves
 * writes. But an old request must not go on driving an unused flag, and in
 * single event mode an open gate must be open.
 */
static void encode_inputs(const struct pcounter_gen *gen, const struct pcounter_plan *plan,
			  u8 ctr, struct pcounter_image *img)
{
	bool single = plan->set.mode == PCOUNTER_MODE_SINGLE ||
		      !(gen->caps & PCOUNTER_CAP_QUAD);
	unsigned int i;

	img->op[PCOUNTER_OP_SETFLAG] = 0;
	img->op[PCOUNTER_OP_CLRFLAG] = 0;
	for (i = 0; i < PCOUNTER_SLOTS && single; i++)
		img->op[i] = gate_default[i];
	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		img->op[i] = encode_op(i, &plan->in[i]);
		encode_sources(gen, plan, ctr, i, img);
	}
	if (!single)
		return;
	img->threshold = plan->set.threshold;
	img->init_pre = plan->init_pre;
	img->init_stop = plan->init_stop;
}

static u32 encode_ctrl(const struct pcounter_gen *gen, const struct pcounter_ctrl *c,
		       const struct pcounter_settings *set, u8 ctr)
{
	u32 mode = c->off;

	if (set->mode == PCOUNTER_MODE_RECORD)
		mode = c->record;
	else if (set->mode == PCOUNTER_MODE_FREE && gen->caps & PCOUNTER_CAP_QUAD)
		mode = c->quad;
	return mode | pcounter_ctrl_put(c->ctr, ctr) |
	       pcounter_ctrl_put(c->periodic, set->periodic) |
	       (set->brief ? c->brief : 0) | (set->all ? c->all : 0) |
	       (set->evpulse ? c->evpulse : 0) | (set->flagpulse ? c->flagpulse : 0);
}

/**
 * pcounter_regs_encode() - translate a plan to registers
 * @b: the domain
 * @plan: the plan
 * @ctr: its counter mode, or that of the other domain of a shared CTRL
 * @zero: signal for an unused swap input
 * @img: the present registers; changed to the registers of the plan
 */
void pcounter_regs_encode(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  u8 ctr, u8 zero, struct pcounter_image *img)
{
	const struct pcounter_ctrl *c = b->ctrl;

	encode_inputs(b->gen, plan, ctr, img);
	/* keep the other domain's fields */
	img->ctrl &= b->gen->table->ctrl_shared ? ~pcounter_ctrl_fields(c) : 0;
	img->ctrl |= encode_ctrl(b->gen, c, &plan->set, ctr);
	/* keep the second signal of SPEC_SRC, whose effect is unknown (hw:ambiguities/46) */
	img->swap_src &= b->gen->table->swap_kept;
	img->swap_src |= plan->set.swap ?: zero;
	if (b->gen->table->encode)
		b->gen->table->encode(plan, img);
}

/* ---- configuration ---- */

/**
 * pcounter_regs_load() - read a domain's configuration
 * @b: the domain
 * @img: filled in
 */
void pcounter_regs_load(const struct pcounter_block *b, struct pcounter_image *img)
{
	unsigned int i;

	memset(img, 0, sizeof(*img));
	for (i = 0; i < PCOUNTER_OPS; i++)
		img->src[i] = pcounter_reg_read(b, PCOUNTER_REG_SRC + i);
	for (i = 0; i < PCOUNTER_OPS; i++)
		img->op[i] = pcounter_reg_read(b, PCOUNTER_REG_OP + i);
	img->threshold = pcounter_reg_read(b, PCOUNTER_REG_THRESHOLD);
	img->threshold |= (u64)(pcounter_reg_read(b, PCOUNTER_REG_THRESHOLD_HI) &
				NV10_CTR_HI_BITS) << 32;
	if (b->gen->caps & PCOUNTER_CAP_SWAP_SRC)
		img->swap_src = pcounter_reg_read(b, PCOUNTER_REG_SWAP_SRC);
	img->filter = pcounter_reg_read(b, PCOUNTER_REG_FILTER);
	if (b->gen->table->user_read)
		img->user = pcounter_reg_read(b, PCOUNTER_REG_USER) & b->gen->table->user_read;
	img->ctrl = pcounter_reg_read(b, PCOUNTER_REG_CTRL) &
		    b->ctrl->preserve_mask;
}

/*
 * Write the inputs that differ between two images; @first_op is START to leave
 * out PRE_OP.
 */
static void store_inputs(const struct pcounter_block *b, const struct pcounter_image *from,
			 const struct pcounter_image *to, unsigned int first_op)
{
	unsigned int i;

	if (from->filter != to->filter)
		pcounter_reg_write(b, PCOUNTER_REG_FILTER, to->filter);
	if (b->gen->caps & PCOUNTER_CAP_SWAP_SRC && from->swap_src != to->swap_src)
		pcounter_reg_write(b, PCOUNTER_REG_SWAP_SRC, to->swap_src);
	for (i = 0; i < PCOUNTER_OPS; i++)
		if (from->src[i] != to->src[i])
			pcounter_reg_write(b, PCOUNTER_REG_SRC + i, to->src[i]);
	for (i = first_op; i < PCOUNTER_OPS; i++)
		if (from->op[i] != to->op[i])
			pcounter_reg_write(b, PCOUNTER_REG_OP + i, to->op[i]);
}

static void store_threshold(const struct pcounter_block *b, const struct pcounter_image *to)
{
	pcounter_reg_write(b, PCOUNTER_REG_THRESHOLD_HI, to->threshold >> 32);
	pcounter_reg_write(b, PCOUNTER_REG_THRESHOLD, to->threshold);
}

static bool is_single(const struct pcounter_block *b, const struct pcounter_image *img)
{
	return b->gen->caps & PCOUNTER_CAP_SINGLE &&
	       (img->ctrl & b->ctrl->mode) == b->ctrl->off;
}

/**
 * pcounter_regs_store() - configure a domain: write the registers that differ
 * @b: the domain
 * @now: the values in the registers; set to @to
 * @to: the values to write
 *
 * Write CTRL first, since in single mode a write of PRE_OP would start a process.
 * Leave out PRE_OP if its write swaps or starts. A write of CTRL, or of THRESHOLD if
 * domains share CTRL, ends a process of single mode even if the value is the same.
 */
void pcounter_regs_store(const struct pcounter_block *b, struct pcounter_image *now,
			 const struct pcounter_image *to)
{
	bool shared = b->gen->table->ctrl_shared, single = is_single(b, to);
	bool pre_op_acts = single || pcounter_pre_op_swaps(b->gen);

	if (b->gen->table->user_read && now->user != to->user)
		pcounter_reg_write(b, PCOUNTER_REG_USER, to->user);
	if (now->ctrl != to->ctrl || (single && !shared))
		pcounter_reg_write(b, PCOUNTER_REG_CTRL, to->ctrl);
	if (shared && (single || now->threshold != to->threshold))
		store_threshold(b, to);
	store_inputs(b, now, to, pre_op_acts ? PCOUNTER_START : PCOUNTER_PRE);
	if (!shared && now->threshold != to->threshold)
		store_threshold(b, to);
	*now = *to;
}

/**
 * pcounter_regs_restore() - configure a domain, and end its processes
 * @b: the domain
 * @from: the values in the registers
 * @to: the values to write, PRE_OP included
 *
 * Write CTRL last, since it ends a process that a write of PRE_OP may have begun.
 * Leave out a CTRL that domains share.
 */
void pcounter_regs_restore(const struct pcounter_block *b, const struct pcounter_image *from,
			   const struct pcounter_image *to)
{
	bool shared = b->gen->table->ctrl_shared;

	store_inputs(b, from, to, PCOUNTER_PRE);
	if (shared || from->threshold != to->threshold)
		store_threshold(b, to);
	if (!shared && (from->ctrl != to->ctrl || is_single(b, to)))
		pcounter_reg_write(b, PCOUNTER_REG_CTRL, to->ctrl);
	/* the last pulse may still wait for its clock */
	if (b->gen->table->user_swaps)
		pcounter_reg_write(b, PCOUNTER_REG_USER, to->user);
}

/**
 * pcounter_regs_differ() - check whether registers differ from an image
 * @b: the domain
 * @plan: the plan of the image; each register in use costs a read
 * @img: the image
 *
 * Return: true if they do.
 */
bool pcounter_regs_differ(const struct pcounter_block *b, const struct pcounter_plan *plan,
			  const struct pcounter_image *img)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_OPS; i++) {
		if (!(plan->used & BIT(i)))
			continue;
		if (pcounter_reg_read(b, PCOUNTER_REG_OP + i) != img->op[i])
			return true;
		if (pcounter_reg_read(b, PCOUNTER_REG_SRC + i) != img->src[i])
			return true;
	}
	return b->gen->caps & PCOUNTER_CAP_SWAP_SRC &&
	       (pcounter_reg_read(b, PCOUNTER_REG_SWAP_SRC) ^ img->swap_src) &
	       NV40_SPEC_SRC_SWAP;
}

/* ---- periods and processes ---- */

/**
 * pcounter_read_state() - read whether a period has been published, or how far a process is
 * @b: the domain
 * @img: its configuration, to compare with CTRL
 *
 * Return: the state.
 */
enum pcounter_ctrl_state pcounter_read_state(const struct pcounter_block *b,
					     const struct pcounter_image *img)
{
	u32 ctrl = pcounter_reg_read(b, PCOUNTER_REG_CTRL);

	if (pcounter_is_dead(ctrl))
		return PCOUNTER_CTRL_DEAD;
	if ((ctrl ^ img->ctrl) & pcounter_ctrl_config(b->gen))
		return PCOUNTER_CTRL_FOREIGN;
	if (is_single(b, img))
		return pcounter_ctrl_get(b->ctrl->single_state, ctrl);
	return min_t(u32, pcounter_ctrl_get(b->ctrl->quad_state, ctrl), PCOUNTER_QUAD_OVERFLOW);
}

/**
 * pcounter_ack_period() - step the state down by one
 * @b: the domain
 * @swapped: with PCOUNTER_CAP_ACK_SHARED: the names of the bits are exchanged
 *	(hw:ambiguities/5)
 */
void pcounter_ack_period(const struct pcounter_block *b, bool swapped)
{
	pcounter_reg_write(b, PCOUNTER_REG_ACK, pcounter_ctrl_of(b->gen, b->nr ^ swapped)->ack);
}

/**
 * pcounter_start_single() - start a process: initial values, then PRE_OP (hw:modes/single)
 * @b: the domain
 * @img: its configuration
 * @pre_op: PRE_OP, instead of that of @img
 */
void pcounter_start_single(const struct pcounter_block *b, const struct pcounter_image *img,
			   u32 pre_op)
{
	pcounter_reg_write(b, PCOUNTER_REG_CTR + PCOUNTER_PRE, img->init_pre);
	pcounter_reg_write(b, PCOUNTER_REG_CTR + PCOUNTER_STOP, img->init_stop);
	pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_PRE, pre_op);
}

/* Two reads cannot be simultaneous: read high, low, high until the high half is stable. */
static u64 read_wide(struct pcounter_io *io, u32 addr)
{
	u32 hi = pcounter_rd32(io, addr + NV10_CTR_HI), again, lo;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		lo = pcounter_rd32(io, addr);
		again = pcounter_rd32(io, addr + NV10_CTR_HI);
		if (again & ~NV10_CTR_HI_BITS)
			break;
		if (again == hi)
			return (u64)hi << 32 | lo;
		hi = again;
	}
	return PCOUNTER_READ_DEAD;
}

/**
 * pcounter_read_counter() - read a slot's counter
 * @b: the domain
 * @slot: the slot, PCOUNTER_NO_SLOT for the cycles
 *
 * Return: the published count in quad event mode, the running one in single event
 * mode; PCOUNTER_READ_DEAD for a 40-bit counter if the GPU does not answer.
 */
u64 pcounter_read_counter(const struct pcounter_block *b, int slot)
{
	unsigned int reg = slot == PCOUNTER_NO_SLOT ? PCOUNTER_REG_CYCLES :
						      PCOUNTER_REG_CTR + slot;

	if (b->gen->caps & PCOUNTER_CAP_CTR_40 && slot != PCOUNTER_PRE && slot != PCOUNTER_STOP)
		return read_wide(b->io, pcounter_reg_addr(b->gen, reg, b->nr));
	return pcounter_reg_read(b, reg);
}

/* ---- signals ---- */

/**
 * pcounter_read_levels() - read the levels of 32 signals
 * @b: the domain
 * @word: signals 32 * @word and up
 *
 * Return: the levels, 0 if there are no signals.
 */
u32 pcounter_read_levels(const struct pcounter_block *b, unsigned int word)
{
	unsigned int words = b->gen->table->status_words;

	if (words && b->nr && word >= words)
		return 0;
	return pcounter_rd32(b->io, pcounter_status_addr(b->gen, b->nr, word));
}

/**
 * pcounter_read_vstatus() - read the engine's own view of a domain
 * @b: the domain
 *
 * Return: a constant string; NULL if the generation has no VSTATUS, or it cannot be
 * read.
 */
const char *pcounter_read_vstatus(const struct pcounter_block *b)
{
	static const char *const texts[GF100_VSTATUS_STATUS + 1] = {
		"idle", "busy", "2", "waiting", "4", "blocked", "faulted", "paused",
	};
	u32 val = pcounter_reg_read(b, PCOUNTER_REG_VSTATUS);

	if (!b->gen->table->at[PCOUNTER_REG_VSTATUS].base || pcounter_is_dead(val))
		return NULL;
	return texts[val & GF100_VSTATUS_STATUS];
}

/**
 * pcounter_life_of_signals() - NV30:GF100: find out whether a domain's clock runs
 * @b: the domain
 * @signals: number of its ordinary signals, which come before the trailer; 0 if
 *	unknown
 *
 * These chips cannot read the counters of the running period (hw:modes/quad). But
 * the ordinary signals of a domain belong to its clock: they change only with it.
 *
 * Return: a number that changes with the levels of the signals, 0 without signals.
 */
u32 pcounter_life_of_signals(const struct pcounter_block *b, unsigned int signals)
{
	u32 life = 0, levels;
	unsigned int at;

	for (at = 0; at < signals; at += SIG_STATUS_BITS) {
		levels = pcounter_read_levels(b, at / SIG_STATUS_BITS);
		if (signals - at < SIG_STATUS_BITS)
			levels &= BIT(signals - at) - 1;
		life = (life ^ levels) * 0x9e3779b1;
	}
	return signals && !life ? 1 : life;
}

/* Return the words among @some in which all of @bits have the level. */
static u8 words_at_level(const struct pcounter_block *b, u32 bits, bool level, u8 some)
{
	unsigned int w;
	u8 words = 0;

	for (w = 0; w < SIG_STATUS_WORDS; w++)
		if (some & BIT(w) && (pcounter_read_levels(b, w) & bits) == (level ? bits : 0))
			words |= BIT(w);
	return words;
}

/**
 * pcounter_probe_levels() - find the trailer base by signals that software drives
 * @b: the domain
 * @bits: bits of these signals in their word of SIG_STATUS
 * @word: number of this word from the trailer base
 * @drive: set the level of the signals
 *
 * Raises and clears the signals several times; the word must follow every time.
 *
 * Return: the base, PCOUNTER_TRAILER_UNKNOWN if not exactly one word follows.
 */
u16 pcounter_probe_levels(const struct pcounter_block *b, u32 bits, unsigned int word,
			  void (*drive)(const struct pcounter_block *b, bool level))
{
	u8 words = GENMASK(SIG_STATUS_WORDS - 1, word);
	bool level = true;
	unsigned int i;

	for (i = 0; i < PROBE_READS && words; i++, level = !level) {
		drive(b, level);
		/* the first read may still return the old level */
		words_at_level(b, bits, level, words);
		words = words_at_level(b, bits, level, words);
	}
	if (hweight8(words) != 1)
		return PCOUNTER_TRAILER_UNKNOWN;
	return (ffs(words) - 1 - word) * SIG_STATUS_BITS;
}

/**
 * pcounter_drive_user() - set the levels of the USER signals
 * @b: the domain
 * @user: their levels now; GF100+: USER_0 stays
 * @levels: the levels
 * @pulses: signals that fall again one clock later
 *
 * Return: the levels after the pulses.
 */
u32 pcounter_drive_user(const struct pcounter_block *b, u32 user, u32 levels, u32 pulses)
{
	u32 users = b->gen->table->user_levels;

	user &= ~users;
	levels &= users;
	pulses &= users;
	pcounter_reg_write(b, PCOUNTER_REG_USER,
			   user | levels | pulses << b->gen->table->user_pulses);
	return user | (levels & ~pulses);
}

/**
 * pcounter_run_periodic() - start or stop the PERIODIC generators
 * @b: a domain; domains that share its switch follow
 * @run: true to start them
 *
 * Other bits of the register belong to other engines.
 *
 * Return: true if they ran before, or if the GPU does not answer.
 */
bool pcounter_run_periodic(const struct pcounter_block *b, bool run)
{
	u32 val = pcounter_reg_read(b, PCOUNTER_REG_PERIODIC);
	bool ran = !(val & BIT(PCOUNTER_PERIODIC_BIT));

	if (pcounter_is_dead(val))
		return true;
	if (ran != run)
		pcounter_reg_write(b, PCOUNTER_REG_PERIODIC, val ^ BIT(PCOUNTER_PERIODIC_BIT));
	return ran;
}

/*
 * Before GF100: pulse PGRAPH.PM_TRIGGER. DEBUG_1 belongs to the graphics driver, which has
 * configuration in its other bits; on G80 it has none. The driver assumes the same bit
 * for NV30:NV40: no document describes it (hw:inputs/swap).
 */
static bool swap_pm_trigger(const struct pcounter_block *b)
{
	u32 debug = pcounter_reg_read(b, PCOUNTER_REG_TRIGGER);

	if (debug == PCOUNTER_DEAD)
		return false;
	pcounter_reg_write(b, PCOUNTER_REG_TRIGGER, debug | BIT(PCOUNTER_TRIGGER_BIT));
	return true;
}

/**
 * pcounter_pull_trigger() - end the periods of all domains whose swap input is PM_TRIGGER
 * @b: any domain; pcounter_has_trigger() is true
 *
 * PGRAPH has the register: its driver may have switched PGRAPH off, or may be resetting it.
 *
 * Return: false if PGRAPH is off, or if the GPU does not answer.
 */
bool pcounter_pull_trigger(const struct pcounter_block *b)
{
	return pcounter_rd32(b->io, NV_PMC_ENABLE) & NV_PMC_ENABLE_PGRAPH && swap_pm_trigger(b);
}

/**
 * pcounter_swap_period() - end the counting period
 * @b: the domain; with PCOUNTER_CAP_SWAP_SHARED any domain: all domains swap
 * @img: its configuration; not used with PCOUNTER_CAP_SWAP_SHARED
 *
 * On GF100 and later the swap input selects USER_0.
 *
 * Return: false if the GPU does not answer.
 */
bool pcounter_swap_period(const struct pcounter_block *b, const struct pcounter_image *img)
{
	if (b->gen->caps & PCOUNTER_CAP_SWAP_SHARED)
		return swap_pm_trigger(b);
	if (pcounter_pre_op_swaps(b->gen))
		pcounter_reg_write(b, PCOUNTER_REG_OP + PCOUNTER_PRE, img->op[PCOUNTER_PRE]);
	else
		pcounter_reg_write(b, PCOUNTER_REG_USER,
				   img->user | BIT(0) | BIT(b->gen->table->user_pulses));
	return true;
}
