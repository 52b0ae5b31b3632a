// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source multiplexers: where they are (hw:muxes/gf100, hw:muxes/gf100-memory,
 * hw:muxes/tesla), the muxes in use, and their positions. Only pcounter_mux_present(),
 * pcounter_mux_sync() and pcounter_mux_close() access registers; the caller holds the GPU's
 * lock. The rows of muxes are made from scripts/tables/muxes.csv.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/mux.h"
#include "hw/registers.h"
#include "hw/regs.h"

/* ---- kinds of muxes, and their addresses ---- */

/* First chips of a range, by chipset id; the ids rise with time from G80 on. */
#define FERMI	0x0c0
#define KEPLER	0x0e4
#define END	0x200

/* Domains of a set, struct place.doms. */
#define ANY	0xff
#define FIRST	BIT(0)
#define SECOND	BIT(1)
#define THIRD	BIT(2)

/**
 * struct place - the location of muxes
 * @base: address of the first mux
 * @unit_stride: distance from one GPC or partition to the next
 * @stride: distance from one TPC to the next; here and below "TPC" includes the
 *	other units that the term "tpc" counts
 * @most: highest number of TPCs
 * @set: kind of the domains that show the muxes; PCOUNTER_SET_KINDS: any
 * @doms: numbers of these domains
 * @apart_since: first chip on which each TPC has its own wires; on older chips the first
 *	enabled TPC drives the wires of all TPCs
 */
struct place {
	u32 base;
	u32 unit_stride;
	u32 stride;
	u8 most;
	u8 set;
	u8 doms;
	u16 apart_since;
};

static const struct place places[] = {
	[PCOUNTER_IN_GPC] = { 0x500000, 0x8000, 0, 1, PCOUNTER_SET_GPC, ANY, 0 },
	[PCOUNTER_IN_TPC] = { 0x504000, 0x8000, 0x800, 8, PCOUNTER_SET_GPC, ANY, KEPLER },
	[PCOUNTER_IN_ROP] = { 0x410000, 0x400, 0, 1, PCOUNTER_SET_PART, ANY, 0 },
	[PCOUNTER_IN_HUB] = { 0, 0, 0, 1, PCOUNTER_SET_HUB, ANY, 0 },
	[PCOUNTER_IN_FB] = { 0, 0, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_PBFB] = { 0x110000, 0, 0x1000, 2, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_PMFB] = { 0x140000, 0x2000, 0, 1, PCOUNTER_SET_PART, FIRST, 0 },
	[PCOUNTER_IN_SUBP1] = { 0x141200, 0x2000, 0x400, 1, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_SUBP2] = { 0x141200, 0x2000, 0x400, 2, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_SUBP4] = { 0x141200, 0x2000, 0x400, 4, PCOUNTER_SET_PART, FIRST, END },
	[PCOUNTER_IN_LTC] = { 0, 0, 0, 1, PCOUNTER_SET_PART, SECOND, 0 },
	[PCOUNTER_IN_LTS] = { 0x140400, 0x2000, 0x200, 4, PCOUNTER_SET_PART, SECOND | THIRD, 0 },
	[PCOUNTER_IN_GATE] = { 0, 0, 0, 1, PCOUNTER_SET_KINDS, ANY, 0 },
	[PCOUNTER_IN_G80_TPC] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, END },
	[PCOUNTER_IN_G200_TPC] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, END },
	/* for these muxes NVIDIA's driver does not clear other TPCs */
	[PCOUNTER_IN_G80_TPC_ALONE] = { 0x408000, 0, 0x1000, 8, PCOUNTER_SET_HUB, ANY, 0 },
	[PCOUNTER_IN_G200_TPC_ALONE] = { 0x408000, 0, 0x800, 16, PCOUNTER_SET_HUB, ANY, 0 },
};

static bool is_tesla(u16 chipset)
{
	return chipset < FERMI;
}

/**
 * pcounter_mux_find() - find a mux of a chip
 * @chip: the chip
 * @id: the term "mux"; before GF100 muxes are numbered separately
 * @type: the mux
 *
 * Return: 0; -EOPNOTSUPP if only other chips have the mux, -EINVAL if no chip has it.
 */
int pcounter_mux_find(const struct pcounter_chip *chip, unsigned int id,
		      struct pcounter_mux_type *type)
{
	const struct pcounter_mux_type *row;
	const struct place *p;
	bool exists = false;

	for (row = pcounter_mux_rows; row->id; row++) {
		if (row->id != id || is_tesla(row->since) != is_tesla(chip->chipset))
			continue;
		exists = true;
		if (chip->chipset >= row->since && (!row->until || chip->chipset < row->until))
			break;
	}
	if (!row->id)
		return exists ? -EOPNOTSUPP : -EINVAL;
	*type = *row;
	p = &places[type->place];
	type->tpcs = p->most;
	type->shared = type->enable && chip->chipset < p->apart_since;
	type->counted = type->shared || (type->tpcs > 1 && is_tesla(chip->chipset));
	return 0;
}

/**
 * pcounter_mux_misfit() - find out why a domain does not show a mux
 * @t: the mux
 * @chip: the chip
 * @id: the domain
 * @tpc: the term "tpc"
 *
 * Return: the reason, NULL if the domain shows it.
 */
const char *pcounter_mux_misfit(const struct pcounter_mux_type *t,
				const struct pcounter_chip *chip,
				const struct pcounter_dom_id *id, unsigned int tpc)
{
	const struct place *p = &places[t->place];

	if (p->set != PCOUNTER_SET_KINDS && id->set != p->set)
		return "the mux belongs to another kind of domain";
	if (!(p->doms & BIT(id->dom)))
		return "the mux feeds another domain of its partition";
	/* from GK104 on a domain of a GPC shows only one TPC (hw:real-cards/r5) */
	if (t->place == PCOUNTER_IN_TPC && chip->chipset >= KEPLER && id->tpc != tpc)
		return "the domain shows another TPC, or no register shows which";
	if (tpc >= p->most)
		return "tpc exceeds the number of units that have this mux";
	/* two slices in each domain (hw:muxes/gf100-memory) */
	if (t->place == PCOUNTER_IN_LTS && id->dom != 1 + tpc / 2)
		return "the mux feeds another domain of its partition";
	return NULL;
}

/**
 * pcounter_mux_addr() - get the register with a mux's select field
 * @t: the mux
 * @id: the domain that shows it
 * @nr: the TPC, by the hardware's number
 *
 * Return: BAR0 address.
 */
u32 pcounter_mux_addr(const struct pcounter_mux_type *t,
		      const struct pcounter_dom_id *id, unsigned int nr)
{
	const struct place *p = &places[t->place];

	return p->base + id->unit * p->unit_stride + nr * p->stride + t->offset;
}

/**
 * pcounter_mux_present() - find the TPCs, or other units, that the term "tpc" counts
 * @t: the mux
 * @id: the domain that shows it
 * @io: access to the registers
 *
 * Return: bit mask by the hardware's numbers, which have gaps before GF100. 0 if
 * the GPU does not answer.
 */
u32 pcounter_mux_present(const struct pcounter_mux_type *t,
			 const struct pcounter_dom_id *id, struct pcounter_io *io)
{
	bool tpc = t->place == PCOUNTER_IN_TPC;
	u32 all = GENMASK(t->tpcs - 1, 0), found;

	if (!tpc && t->place < PCOUNTER_IN_G80_TPC)
		return all;
	found = pcounter_rd32(io, tpc ? GF100_GPC_TPC_COUNT(id->unit) : G80_UNITS);
	if (pcounter_is_dead(found))
		return 0;
	return all & (tpc ? BIT(found & GF100_GPC_TPC_COUNT_MASK) - 1 : found);
}

/* ---- the muxes of an event ---- */

/* Return the lowest bit of a select field; 1 for no field, which only has position 0. */
static u32 unit_of(u32 field)
{
	return field ? field & -field : 1;
}

/* A request lists its muxes from the first entry on, without gaps. */
static bool has_mux(const struct pcounter_request *req, unsigned int n)
{
	return n < PCOUNTER_REQUEST_MUXES && req->mux[n].id;
}

static unsigned int nr_muxes(const struct pcounter_request *req)
{
	unsigned int n = 0;

	while (has_mux(req, n))
		n++;
	return n;
}

/* NVIDIA's driver sets this enable bit with every mux (hw:real-cards/r8). */
static void add_gate(struct pcounter_request *req, const struct pcounter_chip *chip)
{
	unsigned int n = nr_muxes(req);
	struct pcounter_mux_type gate;

	if (n && n < PCOUNTER_REQUEST_MUXES && req->mux[n - 1].id != PCOUNTER_MUX_GATE &&
	    !pcounter_mux_find(chip, PCOUNTER_MUX_GATE, &gate))
		req->mux[n].id = PCOUNTER_MUX_GATE;
}

/* Check one mux. @counts: set to true if the term "tpc" has a meaning for it. */
static int check_one(struct pcounter_mux_setting *setting, const struct pcounter_dom_id *id,
		     const struct pcounter_chip *chip, bool *counts, const char **why)
{
	struct pcounter_mux_type t;
	int err = pcounter_mux_find(chip, setting->id, &t);

	if (err) {
		*why = err == -EINVAL ? "there is no such mux" :
					"this chip does not have that mux";
		return err;
	}
	if (t.tpcs == 1)
		setting->tpc = 0;
	else if (setting->tpc == PCOUNTER_OWN_TPC && id->set == PCOUNTER_SET_GPC)
		setting->tpc = id->tpc;
	*why = pcounter_mux_misfit(&t, chip, id, setting->tpc);
	if (!*why && setting->sel > t.field / unit_of(t.field))
		*why = "the mux has no such position";
	if (*why)
		return -EINVAL;
	*counts |= t.tpcs > 1;
	setting->reg = pcounter_mux_addr(&t, id, t.shared ? 0 : setting->tpc) + t.enable_offset;
	return 0;
}

/**
 * pcounter_mux_check() - check all muxes of an event
 * @req: the event's request; gets the chip's gate, the registers of its muxes, and the TPC
 *	of the domain for PCOUNTER_OWN_TPC
 * @id: the event's domain
 * @chip: the chip
 * @why: reason of a refusal
 *
 * The term "tpc" is for all muxes of the event; it is an error if no mux depends on it.
 *
 * Return: 0; -EINVAL if a mux or position does not exist, the event's domain does not show
 * it, or "tpc" has no meaning; -EOPNOTSUPP if this chip does not have it.
 */
int pcounter_mux_check(struct pcounter_request *req, const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why)
{
	unsigned int tpc = req->mux[0].tpc, i;
	bool counts = false;
	int err;

	add_gate(req, chip);
	for (i = 0; has_mux(req, i); i++) {
		err = check_one(&req->mux[i], id, chip, &counts, why);
		if (err)
			return err;
	}
	if (!tpc || counts)
		return 0;
	*why = "the mux does not belong to a TPC";
	return -EINVAL;
}

/* ---- the muxes in use ---- */

/* Find the entry of a mux, NULL if it has none. */
static struct pcounter_mux *find(struct pcounter_muxes *m,
				 const struct pcounter_mux_setting *setting)
{
	struct pcounter_mux *mux;

	for (mux = m->mux; mux < m->mux + PCOUNTER_MAX_MUXES; mux++)
		if (mux->wanted.id == setting->id && mux->wanted.reg == setting->reg)
			return mux;
	return NULL;
}

/* ---- registers ---- */

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
		if (&m->mux[i] != mux && m->mux[i].now.id &&
		    m->mux[i].now.reg == mux->wanted.reg && mux->type.enable &&
		    m->mux[i].type.enable)
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
static u32 clear_others(struct pcounter_muxes *m, const struct pcounter_mux *mux, u32 others)
{
	u32 cleared = 0, reg, addr;
	unsigned int nr;

	for (nr = 0; others >> nr; nr++) {
		if (!(others & BIT(nr)))
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
		change(m, mux->reg, t->field | enable_mask, field | enable);
		return;
	}
	change(m, mux->reg, t->field, field);
	if (enable_mask)
		change(m, mux->reg + t->enable_offset, enable_mask, enable);
}

/* Restore a mux, but not the enable bit that another mux needs. */
static void put_back(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	bool last = !shares_with(m, mux);

	write_both(m, mux, mux->found, last ? mux->found_enable : 0,
		   last ? mux->type.enable : 0);
	if (last)
		enable_others(m, mux);
}

static bool holds(struct pcounter_muxes *m, const struct pcounter_mux *mux)
{
	const struct pcounter_mux_type *t = &mux->type;
	u32 reg = pcounter_rd32(m->io, mux->reg);

	if ((reg & t->field) != field_value(mux))
		return false;
	if (t->enable_offset)
		reg = pcounter_rd32(m->io, mux->reg + t->enable_offset);
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

/*
 * Save the registers of a TPC, before the first write, and clear the enable bits of other
 * TPCs on its wires. Return false if the GPU does not have the TPC.
 */
static bool look(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	const struct pcounter_mux *other = shares_with(m, mux);
	const struct pcounter_mux_type *t = &mux->type;
	unsigned int nr = mux->wanted.tpc;
	u32 present = 0, reg;

	if (t->counted) {
		present = pcounter_mux_present(t, mux->id, m->io);
		nr = fns(present, nr);
	}
	if (nr >= BITS_PER_LONG)
		return false;
	mux->reg = pcounter_mux_addr(t, mux->id, nr);
	reg = pcounter_rd32(m->io, mux->reg);
	if (pcounter_is_dead(reg))
		return false;
	mux->found = reg & t->field;
	if (t->enable_offset)
		reg = pcounter_rd32(m->io, mux->reg + t->enable_offset);
	if (pcounter_is_dead(reg))
		return false;
	mux->found_enable = other ? other->found_enable : reg & t->enable;
	mux->cleared = other ? other->cleared : 0;
	if (t->shared && !other)
		mux->cleared = clear_others(m, mux, present & ~BIT(nr));
	return true;
}

/* ---- events that are open, and events that run ---- */

/* Release a mux when its last event is closed, or before its wires show another TPC. */
static void leave(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	/* other code may have written it */
	if (holds(m, mux))
		put_back(m, mux);
	mux->now.id = 0;
}

static void close_first(struct pcounter_muxes *m, const struct pcounter_request *req,
			unsigned int n, bool restore)
{
	struct pcounter_mux *mux;

	while (n--) {
		mux = find(m, &req->mux[n]);
		if (--mux->opened)
			continue;
		if (mux->now.id && restore)
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
	static const struct pcounter_mux_setting none;
	struct pcounter_mux *mux;
	unsigned int i;

	for (i = 0; has_mux(req, i); i++) {
		mux = find(m, &req->mux[i]) ?: find(m, &none);
		if (!mux) {
			close_first(m, req, i, false);
			return -EBUSY;
		}
		if (!mux->opened++) {
			pcounter_mux_find(m->topo->chip, req->mux[i].id, &mux->type);
			mux->id = &m->topo->dom[req->dom];
			mux->wanted = req->mux[i];
		}
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

/* Return true if running events need another position of the mux, or of its wires. */
static bool is_taken(const struct pcounter_muxes *m, const struct pcounter_mux_setting *wanted)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		if (m->mux[i].running && pcounter_muxes_clash(&m->mux[i].wanted, wanted))
			return true;
	return false;
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
	struct pcounter_mux *mux;
	unsigned int i;

	for (i = 0; has_mux(req, i); i++)
		if (is_taken(m, &req->mux[i]))
			return -EAGAIN;
	for (i = 0; has_mux(req, i); i++) {
		mux = find(m, &req->mux[i]);
		mux->wanted = req->mux[i];
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
	unsigned int i;

	for (i = 0; has_mux(req, i); i++)
		find(m, &req->mux[i])->running--;
}

/**
 * pcounter_mux_forget() - note that all muxes have lost their values
 * @m: the GPU's muxes
 */
void pcounter_mux_forget(struct pcounter_muxes *m)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		m->mux[i].now.id = 0;
}

/* Restore muxes that show another TPC on the same wires. */
static void free_wires(struct pcounter_muxes *m, const struct pcounter_mux_setting *wanted)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++) {
		const struct pcounter_mux_setting *now = &m->mux[i].now;

		if (now->id && now->reg == wanted->reg && now->tpc != wanted->tpc)
			leave(m, &m->mux[i]);
	}
}

/* Set a mux to the wanted position. Return NULL, or the reason of a failure. */
static const char *apply_one(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	if (!memcmp(&mux->now, &mux->wanted, sizeof(mux->now)))
		return NULL;
	free_wires(m, &mux->wanted);
	if (!mux->now.id && !look(m, mux))
		return "its unit does not answer";
	mux->now = mux->wanted;
	write_both(m, mux, field_value(mux), mux->type.enable, mux->type.enable);
	if (will_hold(m, mux))
		return NULL;
	put_back(m, mux);
	mux->now.id = 0;
	return "its register does not keep the written value";
}

/*
 * Look whether a mux has lost the written position. Before GF100 most muxes are part of
 * the graphics context, so another channel loads its own values (hw:muxes/context). The
 * driver does not write the position again.
 */
static const char *watch_one(struct pcounter_muxes *m, struct pcounter_mux *mux)
{
	if (!mux->now.id || holds(m, mux))
		return NULL;
	mux->now.id = 0;
	return "another program has changed it, or another graphics context";
}

static bool has_failed(const struct pcounter_mux *mux,
		       const struct pcounter_mux_setting *position)
{
	unsigned int i;

	for (i = 0; i < mux->nr_failed; i++)
		if (!memcmp(&mux->failed[i], position, sizeof(*position)))
			return true;
	return mux->nr_failed == PCOUNTER_MUX_FAILED;
}

/*
 * Record that a mux could not be set to a position, or lost it. Each position is logged
 * once.
 */
static void fail(struct pcounter_muxes *m, struct pcounter_mux *mux,
		 const struct pcounter_dom_id *id, const char *why)
{
	if (has_failed(mux, &mux->wanted))
		return;
	mux->failed[mux->nr_failed++] = mux->wanted;
	m->failures++;
	if (m->nr_pending == PCOUNTER_MAX_MUX_FAILURES)
		return;
	m->pending[m->nr_pending++] = (struct pcounter_mux_failure){
		.name = mux->type.name,
		.setting = mux->wanted,
		.id = id,
		.why = why,
	};
}

/**
 * pcounter_mux_sync() - set muxes to the claimed positions, or check their positions
 * @m: the GPU's muxes
 * @req: the event's request
 * @b: the event's domain: if it does not answer, no mux is at fault
 * @set: true to set them
 *
 * Stops at the first failure, which pcounter_mux_next_failure() returns. A mux that cannot
 * be set gets its old value back.
 *
 * Return: 0; -EIO if a mux cannot be set, or has changed; -ENODEV if the GPU does not answer.
 */
int pcounter_mux_sync(struct pcounter_muxes *m, const struct pcounter_request *req,
		      const struct pcounter_block *b, bool set)
{
	struct pcounter_mux *mux;
	const char *why;
	unsigned int i;

	for (i = 0; has_mux(req, i); i++) {
		mux = find(m, &req->mux[i]);
		why = set ? apply_one(m, mux) : watch_one(m, mux);
		if (!why)
			continue;
		if (!pcounter_block_answers(b))
			return -ENODEV;
		fail(m, mux, &m->topo->dom[req->dom], why);
		return -EIO;
	}
	return 0;
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

	for (i = 0; has_mux(req, i); i++)
		if (has_failed(find(m, &req->mux[i]), &req->mux[i]))
			return true;
	return false;
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
