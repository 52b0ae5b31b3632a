// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source multiplexers: the muxes in use, and their positions. All functions are
 * pure but sync and close; the caller holds the GPU's lock.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/mux.h"
#include "hw/registers.h"
#include "rules/chip.h"
#include "rules/topo.h"

/* Return the lowest bit of a select field; 1 for no field, which only has position 0. */
static u32 unit_of(u32 field)
{
	return field ? field & -field : 1;
}

static bool same_position(const struct pcounter_mux_setting *a,
			  const struct pcounter_mux_setting *b)
{
	return a->tpc == b->tpc && a->sel == b->sel;
}

/**
 * pcounter_mux_check() - check the mux of an event
 * @setting: mux and position; gets @setting->bus, and the TPC of the domain
 * @id: the event's domain
 * @chip: the chip
 * @why: reason of a refusal
 *
 * Return: 0; -EINVAL if the mux or position does not exist, or the event's domain
 * does not show it; -EOPNOTSUPP if this chip does not have it.
 */
int pcounter_mux_check(struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why)
{
	struct pcounter_mux_type t;

	if (!setting->id)
		return 0;
	if (!pcounter_mux_exists(chip, setting->id)) {
		*why = "there is no such mux";
		return -EINVAL;
	}
	if (!pcounter_mux_find(chip, setting->id, &t)) {
		*why = "this chip does not have that mux";
		return -EOPNOTSUPP;
	}
	if (setting->tpc == PCOUNTER_OWN_TPC && id->set == PCOUNTER_SET_GPC)
		setting->tpc = id->tpc;
	*why = pcounter_mux_misfit(&t, chip, id, setting->tpc);
	if (*why)
		return -EINVAL;
	if (setting->sel > t.field / unit_of(t.field)) {
		*why = "the mux has no such position";
		return -EINVAL;
	}
	if (t.shared)
		setting->bus = pcounter_mux_addr(&t, id, 0) + t.enable_offset;
	return 0;
}

static bool counts_tpcs(const struct pcounter_mux_setting *setting,
			const struct pcounter_chip *chip)
{
	struct pcounter_mux_type t;

	return pcounter_mux_find(chip, setting->id, &t) && t.tpcs > 1;
}

/* A request lists its muxes from the first entry on, without gaps. */
static unsigned int nr_muxes(const struct pcounter_request *req)
{
	unsigned int n = 0;

	while (n < PCOUNTER_REQUEST_MUXES && req->mux[n].id)
		n++;
	return n;
}

/* NVIDIA's driver sets this enable bit with every mux (hw:real-cards/r8). */
static void add_gate(struct pcounter_request *req, const struct pcounter_chip *chip)
{
	unsigned int n = nr_muxes(req);
	struct pcounter_mux_type gate;

	if (n && n < PCOUNTER_REQUEST_MUXES && pcounter_mux_find(chip, PCOUNTER_MUX_GATE, &gate) &&
	    req->mux[n - 1].id != PCOUNTER_MUX_GATE)
		req->mux[n].id = PCOUNTER_MUX_GATE;
}

/**
 * pcounter_mux_check_all() - check all muxes of an event
 * @req: the event's request
 * @id: the event's domain
 * @chip: the chip
 * @why: reason of a refusal
 *
 * The term "tpc" is one for all muxes, although only one mux may depend on it.
 *
 * Return: 0 or the error of pcounter_mux_check().
 */
int pcounter_mux_check_all(struct pcounter_request *req, const struct pcounter_dom_id *id,
			   const struct pcounter_chip *chip, const char **why)
{
	bool any = false;
	unsigned int i;
	int err = 0;

	add_gate(req, chip);
	for (i = 0; i < PCOUNTER_REQUEST_MUXES; i++)
		any |= counts_tpcs(&req->mux[i], chip);
	for (i = 0; i < PCOUNTER_REQUEST_MUXES && !err; i++) {
		if (any && !counts_tpcs(&req->mux[i], chip))
			req->mux[i].tpc = 0;
		err = pcounter_mux_check(&req->mux[i], id, chip, why);
	}
	return err;
}

/* Find the n-th mux of a request, or a free entry for it; NULL if there is none. */
static struct pcounter_mux *find(struct pcounter_muxes *m, const struct pcounter_request *req,
				 unsigned int n)
{
	const struct pcounter_dom_id *id = &m->topo->dom[req->dom];
	struct pcounter_mux *free = NULL;
	struct pcounter_mux_type t;
	unsigned int i;
	u32 addr;

	pcounter_mux_find(m->topo->chip, req->mux[n].id, &t);
	addr = pcounter_mux_addr(&t, id, t.shared ? 0 : req->mux[n].tpc);
	for (i = 0; i < PCOUNTER_MAX_MUXES; i++) {
		if (m->mux[i].type.id == t.id && m->mux[i].addr == addr)
			return &m->mux[i];
		if (!m->mux[i].type.id && !free)
			free = &m->mux[i];
	}
	if (!free)
		return NULL;
	free->type = t;
	free->id = id;
	free->addr = addr;
	free->bus = t.enable ? addr + t.enable_offset : 0;
	return free;
}

/* ---- registers ---- */

/* Return the register of the TPC that a mux shows now. */
static u32 field_addr(const struct pcounter_mux *mux)
{
	return pcounter_mux_addr(&mux->type, mux->id, mux->nr);
}

static u32 enable_addr(const struct pcounter_mux *mux, unsigned int nr)
{
	return pcounter_mux_addr(&mux->type, mux->id, nr) + mux->type.enable_offset;
}

static u32 field_value(const struct pcounter_mux *mux)
{
	return mux->now.sel * unit_of(mux->type.field);
}

/* Find another mux that is programmed, and has the same enable bit. */
static struct pcounter_mux *shares_with(struct pcounter_muxes *m,
					const struct pcounter_mux *mux)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		if (&m->mux[i] != mux && m->mux[i].written && mux->bus &&
		    m->mux[i].bus == mux->bus)
			return &m->mux[i];
	return NULL;
}

static void change(struct pcounter_muxes *m, u32 addr, u32 mask, u32 val)
{
	u32 reg = pcounter_rd32(m->io, addr);

	if (!pcounter_is_dead(reg) && (reg & mask) != val)
		pcounter_wr32(m->io, addr, (reg & ~mask) | val);
}

/*
 * The first enabled TPC drives the wires of all TPCs: clear all other enable
 * bits (NVIDIA's driver does so in the same call). Return the TPCs that were
 * enabled.
 */
static u32 clear_others(struct pcounter_muxes *m, const struct pcounter_mux *mux, u32 present)
{
	u32 cleared = 0, reg, addr;
	unsigned int nr;

	for (nr = 0; present >> nr; nr++) {
		if (!(present & BIT(nr)) || nr == mux->nr)
			continue;
		addr = enable_addr(mux, nr);
		reg = pcounter_rd32(m->io, addr);
		if (pcounter_is_dead(reg) || !(reg & mux->type.enable))
			continue;
		pcounter_wr32(m->io, addr, reg & ~mux->type.enable);
		cleared |= BIT(nr);
	}
	return cleared;
}

static void enable_others(struct pcounter_muxes *m, const struct pcounter_mux *mux)
{
	unsigned int nr;

	for (nr = 0; mux->cleared >> nr; nr++)
		if (mux->cleared & BIT(nr))
			change(m, enable_addr(mux, nr), mux->type.enable, mux->type.enable);
}

/* Write select field and enable bit together if one register has both. */
static void write_both(struct pcounter_muxes *m, const struct pcounter_mux *mux,
		       u32 field, u32 enable, u32 enable_mask)
{
	const struct pcounter_mux_type *t = &mux->type;

	if (!t->enable_offset) {
		change(m, field_addr(mux), t->field | enable_mask, field | enable);
		return;
	}
	change(m, field_addr(mux), t->field, field);
	if (enable_mask)
		change(m, enable_addr(mux, mux->nr), enable_mask, enable);
}

/* Restore a mux, but not the enable bit that another mux needs. */
static void put_back(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	bool last = !shares_with(m, mux);

	mux->written = false;
	write_both(m, mux, mux->found, last ? mux->found_enable : 0,
		   last ? mux->type.enable : 0);
	if (last)
		enable_others(m, mux);
}

static bool holds(struct pcounter_muxes *m, const struct pcounter_mux *mux)
{
	const struct pcounter_mux_type *t = &mux->type;
	u32 reg = pcounter_rd32(m->io, field_addr(mux));

	if ((reg & t->field) != field_value(mux))
		return false;
	if (t->enable_offset)
		reg = pcounter_rd32(m->io, enable_addr(mux, mux->nr));
	return (reg & t->enable) == t->enable && !pcounter_is_dead(reg);
}

/* Wait until the written value shows, since writes may take effect late. */
static bool will_hold(struct pcounter_muxes *m, const struct pcounter_mux *mux)
{
	unsigned int i;

	for (i = 1; !holds(m, mux); i++) {
		if (i == PCOUNTER_SHOW_POLLS)
			return false;
		udelay(PCOUNTER_SHOW_POLL_US);
	}
	return true;
}

/* Return the number of the n-th bit that is set. */
static int nth_bit(u32 mask, unsigned int n)
{
	int nr;

	for (nr = 0; mask >> nr; nr++)
		if (mask & BIT(nr) && !n--)
			return nr;
	return -1;
}

/* Save the registers of a TPC. Return false if the GPU does not have the TPC. */
static bool look(struct pcounter_muxes *m, struct pcounter_mux *mux, u32 present)
{
	const struct pcounter_mux *other = shares_with(m, mux);
	const struct pcounter_mux_type *t = &mux->type;
	int nr = mux->type.counted ? nth_bit(present, mux->wanted.tpc) : mux->wanted.tpc;
	u32 reg;

	if (nr < 0)
		return false;
	mux->nr = nr;
	reg = pcounter_rd32(m->io, field_addr(mux));
	if (pcounter_is_dead(reg))
		return false;
	mux->found = reg & t->field;
	if (t->enable_offset)
		reg = pcounter_rd32(m->io, enable_addr(mux, nr));
	if (pcounter_is_dead(reg))
		return false;
	mux->found_enable = other ? other->found_enable : reg & t->enable;
	mux->cleared = other ? other->cleared : 0;
	return true;
}

/* ---- */

/* Release a mux, when its last event is closed, or before it shows another TPC. */
static void leave(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	/* other code may have written it */
	if (holds(m, mux))
		put_back(m, mux);
	mux->written = false;
}

static void close_first(struct pcounter_muxes *m, const struct pcounter_request *req,
			unsigned int n, bool restore)
{
	struct pcounter_mux *mux;

	while (n--) {
		mux = find(m, req, n);
		if (!mux || --mux->opened)
			continue;
		if (mux->written && restore)
			leave(m, mux);
		memset(mux, 0, sizeof(*mux));
	}
}

/**
 * pcounter_mux_open() - count an opened event for its muxes
 * @m: the GPU's muxes
 * @req: the event's request
 *
 * Return: 0, -EBUSY if too many muxes are in use.
 */
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_request *req)
{
	struct pcounter_mux *mux;
	unsigned int i;

	for (i = 0; i < nr_muxes(req); i++) {
		mux = find(m, req, i);
		if (!mux) {
			close_first(m, req, i, false);
			return -EBUSY;
		}
		mux->opened++;
	}
	return 0;
}

/**
 * pcounter_mux_close() - count a closed event for its muxes
 * @m: the GPU's muxes
 * @req: the event's request
 * @restore: restore muxes that no other event needs; false if the GPU has left or sleeps
 */
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_request *req,
			bool restore)
{
	close_first(m, req, nr_muxes(req), restore);
}

/* Return true if a running event shows another TPC on the wires of this mux. */
static bool bus_is_taken(const struct pcounter_muxes *m, const struct pcounter_mux *mux,
			 unsigned int tpc)
{
	unsigned int i;

	for (i = 0; mux->type.shared && i < PCOUNTER_MAX_MUXES; i++)
		if (m->mux[i].type.id && m->mux[i].running && m->mux[i].bus == mux->bus &&
		    m->mux[i].wanted.tpc != tpc)
			return true;
	return false;
}

static void unclaim_first(struct pcounter_muxes *m, const struct pcounter_request *req,
			  unsigned int n)
{
	while (n--)
		find(m, req, n)->running--;
}

/**
 * pcounter_mux_claim() - reserve the positions of the muxes for an event that will run
 * @m: the GPU's muxes
 * @req: the event's request
 *
 * Return: 0, -EAGAIN if running events need another position of a mux.
 */
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_request *req)
{
	const struct pcounter_mux_setting *wanted = req->mux;
	unsigned int i;

	for (i = 0; i < nr_muxes(req); i++, wanted++) {
		struct pcounter_mux *mux = find(m, req, i);

		if ((mux->running && !same_position(&mux->wanted, wanted)) ||
		    bus_is_taken(m, mux, wanted->tpc)) {
			unclaim_first(m, req, i);
			return -EAGAIN;
		}
		mux->wanted = *wanted;
		mux->running++;
	}
	return 0;
}

/**
 * pcounter_mux_unclaim() - end the reservations of an event; writes no register
 * @m: the GPU's muxes
 * @req: the event's request
 */
void pcounter_mux_unclaim(struct pcounter_muxes *m, const struct pcounter_request *req)
{
	unclaim_first(m, req, nr_muxes(req));
}

/**
 * pcounter_mux_forget() - note that all muxes have lost their values
 * @m: the GPU's muxes
 */
void pcounter_mux_forget(struct pcounter_muxes *m)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		m->mux[i].written = false;
}

/* Restore a mux that shows another TPC on the same wires. */
static void free_bus(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	unsigned int i;

	for (i = 0; mux->type.shared && i < PCOUNTER_MAX_MUXES; i++) {
		struct pcounter_mux *other = &m->mux[i];

		if (other->type.id && other->written && other->bus == mux->bus &&
		    other->now.tpc != mux->wanted.tpc)
			leave(m, other);
	}
}

static enum pcounter_mux_state apply_one(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	u32 present = 0;

	if (mux->written && same_position(&mux->now, &mux->wanted))
		return PCOUNTER_MUX_SET;
	free_bus(m, mux);
	if (!mux->written) {
		if (mux->type.counted)
			present = pcounter_mux_present(&mux->type, mux->id, m->io);
		if (!look(m, mux, present))
			return PCOUNTER_MUX_DEAD;
		if (mux->type.shared && !shares_with(m, mux))
			mux->cleared = clear_others(m, mux, present);
	}
	mux->now = mux->wanted;
	write_both(m, mux, field_value(mux), mux->type.enable, mux->type.enable);
	mux->written = true;
	if (will_hold(m, mux))
		return PCOUNTER_MUX_SET;
	put_back(m, mux);
	return PCOUNTER_MUX_NOT_KEPT;
}

/*
 * Look whether a mux has lost the written position. Before GF100 most muxes are part of
 * the graphics context, so another channel loads its own values (hw:muxes/context). The
 * driver does not write the position again.
 */
static enum pcounter_mux_state watch_one(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	if (!mux->written || holds(m, mux))
		return PCOUNTER_MUX_SET;
	mux->written = false;
	return PCOUNTER_MUX_CHANGED;
}

/**
 * pcounter_mux_sync() - set muxes to the claimed positions, or check that they still are
 * @m: the GPU's muxes
 * @req: the event's request
 * @set: true to set them
 * @culprit: set to the number of the first mux that cannot be set, whose register has
 *	its old value again, or that has changed
 *
 * Return: PCOUNTER_MUX_SET, or the reason of a failure.
 */
enum pcounter_mux_state pcounter_mux_sync(struct pcounter_muxes *m,
					  const struct pcounter_request *req, bool set,
					  unsigned int *culprit)
{
	enum pcounter_mux_state state = PCOUNTER_MUX_SET;
	unsigned int i;

	for (i = 0; i < nr_muxes(req) && state == PCOUNTER_MUX_SET; i++) {
		*culprit = i;
		state = set ? apply_one(m, find(m, req, i)) : watch_one(m, find(m, req, i));
	}
	return state;
}

static bool has_failed(const struct pcounter_mux *mux,
		       const struct pcounter_mux_setting *position)
{
	unsigned int i;

	for (i = 0; i < mux->nr_failed; i++)
		if (same_position(&mux->failed[i], position))
			return true;
	return mux->nr_failed == PCOUNTER_MUX_FAILED;
}

/**
 * pcounter_mux_failed() - check whether setting a mux of a request has failed
 * @m: the GPU's muxes
 * @req: the request of an open event
 *
 * Return: true from the failure on, until the last event that uses the mux is closed.
 */
bool pcounter_mux_failed(struct pcounter_muxes *m, const struct pcounter_request *req)
{
	unsigned int i;

	for (i = 0; i < nr_muxes(req); i++)
		if (has_failed(find(m, req, i), &req->mux[i]))
			return true;
	return false;
}

static const char *const state_text[PCOUNTER_MUX_STATES] = {
	[PCOUNTER_MUX_DEAD] = "its unit does not answer",
	[PCOUNTER_MUX_NOT_KEPT] = "its register does not keep the written value",
	[PCOUNTER_MUX_CHANGED] = "another program has changed it, or another graphics context",
};

/**
 * pcounter_mux_fail() - record that a mux could not be set to a position
 * @m: the GPU's muxes
 * @req: the event's request
 * @n: number of its mux
 * @state: the reason
 *
 * pcounter_mux_next_failure() returns each position once.
 */
void pcounter_mux_fail(struct pcounter_muxes *m, const struct pcounter_request *req,
		       unsigned int n, enum pcounter_mux_state state)
{
	struct pcounter_mux *mux = find(m, req, n);

	if (has_failed(mux, &req->mux[n]))
		return;
	mux->failed[mux->nr_failed++] = req->mux[n];
	m->failures++;
	if (m->nr_pending == PCOUNTER_MAX_MUX_FAILURES)
		return;
	m->pending[m->nr_pending++] = (struct pcounter_mux_failure){
		.name = mux->type.name,
		.setting = req->mux[n],
		.id = &m->topo->dom[req->dom],
		.why = state_text[state],
	};
}

/**
 * pcounter_mux_next_failure() - find the next failure that has not been logged
 * @m: the GPU's muxes
 * @failure: where to store it
 *
 * Return: false if there is none.
 */
bool pcounter_mux_next_failure(struct pcounter_muxes *m,
			       struct pcounter_mux_failure *failure)
{
	if (!m->nr_pending)
		return false;
	*failure = m->pending[--m->nr_pending];
	return true;
}
