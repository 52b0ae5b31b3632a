// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source multiplexers (GF100+, hw:muxes/gf100). Pure but for apply and
 * close; the caller holds the GPU's lock.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw/io.h"
#include "hw/layout.h"
#include "hw/mux.h"
#include "hw/regs.h"
#include "rules/chip.h"
#include "rules/topo.h"

/* Whose mux it is: this decides its address, and which domains may use it. */
enum mux_kind { GPC, TPC, ROP, HUB };

#define MUX_ENABLE	BIT(31)
#define MAX_TPCS	8	/* that fit into a GPC's addresses */
/* First chips of a range, by chipset id; the ids rise with time here. */
#define ALWAYS		0
#define KEPLER		0x0e4
#define GK110		0x0f0
#define NEVER		0x1ff

/**
 * struct mux_type - a kind of mux
 * @name: name of the hardware documents
 * @kind: whose it is
 * @offset: register, from the start of the GPC, TPC or ROP; of the HUB: address
 * @field: its select field
 * @enable_since: first chip on which bit 31 enables it
 * @wide_since: first chip on which the field is one bit wider
 * @until: first chip that does not have it, 0 if all have
 */
struct mux_type {
	const char *name;
	enum mux_kind kind;
	u32 offset;
	u32 field;
	u16 enable_since;
	u16 wide_since;
	u16 until;
};

/*
 * The term "mux" counts these from 1. ABI: append only. PBFB, PMFB and the
 * falcons are missing: their fields, or the domains that they feed, are unknown.
 */
static const struct mux_type types[] = {
	{ "GPC.UNK380", GPC, 0x384, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.PROP", GPC, 0x4a0, GENMASK(7, 0), ALWAYS, NEVER, 0 },
	{ "GPC.UNK600", GPC, 0x604, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.UNK680", GPC, 0x680, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.UNK700", GPC, 0x714, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.ESETUP", GPC, 0x81c, GENMASK(4, 0), ALWAYS, NEVER, 0 },
	{ "GPC.FFB_B", GPC, 0x8c8, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.TPBUS", GPC, 0xb04, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "GPC.TPCONF", GPC, 0xc04, GENMASK(6, 0), KEPLER, NEVER, 0 },
	{ "GPC.UNKC80", GPC, 0xc88, GENMASK(5, 0), KEPLER, NEVER, 0 },
	{ "GPC.UNKD00", GPC, 0xd00, GENMASK(4, 0), KEPLER, NEVER, 0 },
	{ "GPC.UNKE00", GPC, 0xe08, GENMASK(4, 0), KEPLER, NEVER, 0 },
	{ "GPC.UNKF00", GPC, 0xf08, GENMASK(4, 0), KEPLER, NEVER, 0 },
	{ "GPC.CCACHE_A", GPC, 0x100c, GENMASK(2, 0), NEVER, NEVER, 0 },
	{ "GPC.CCACHE_B", GPC, 0x1018, GENMASK(2, 0), NEVER, NEVER, 0 },
	{ "TPC.POLY", TPC, 0x054, GENMASK(7, 0), NEVER, NEVER, 0 },
	{ "TPC.TEX_A", TPC, 0x2b0, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "TPC.TEX_B", TPC, 0x2bc, GENMASK(2, 0), ALWAYS, KEPLER, 0 },
	{ "TPC.TEX_C", TPC, 0x2c0, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "TPC.TEX_D", TPC, 0x2c0, GENMASK(10, 8), ALWAYS, GK110, 0 },
	{ "TPC.UNK400", TPC, 0x40c, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "TPC.L1", TPC, 0x4a8, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "TPC.MASTER", TPC, 0x52c, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "TPC.MP", TPC, 0x600, GENMASK(7, 0), ALWAYS, NEVER, KEPLER },
	{ "ROP.ZROP_A", ROP, 0x00c, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "ROP.ZROP_B", ROP, 0x00c, GENMASK(19, 16), ALWAYS, NEVER, 0 },
	{ "ROP.CROP_A", ROP, 0x110, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "ROP.CROP_B", ROP, 0x184, GENMASK(5, 0), ALWAYS, NEVER, 0 },
	{ "HUB.DISPATCH", HUB, 0x40415c, GENMASK(4, 0), GK110, NEVER, 0 },
	{ "HUB.UNK5800", HUB, 0x405850, GENMASK(4, 0), GK110, NEVER, 0 },
	{ "HUB.UNK5900", HUB, 0x405908, GENMASK(4, 0), KEPLER, NEVER, 0 },
	{ "HUB.UNK6000", HUB, 0x406024, GENMASK(6, 0), ALWAYS, NEVER, 0 },
	{ "HUB.TPBUS", HUB, 0x407808, GENMASK(3, 0), ALWAYS, NEVER, 0 },
	{ "HUB.CCACHE", HUB, 0x40803c, GENMASK(4, 0), GK110, NEVER, 0 },
};

/* From GK104 on domain 1 + t of a GPC shows TPC t and no other (hw:real-cards/r5). */
static bool shows_tpc(const struct pcounter_dom_id *id, const struct pcounter_chip *chip,
		      unsigned int tpc)
{
	return chip->chipset < KEPLER || id->dom == tpc + 1;
}

static u32 mux_field(const struct mux_type *t, const struct pcounter_chip *chip)
{
	return chip->chipset >= t->wide_since ? t->field | t->field << 1 : t->field;
}

static u32 mux_addr(const struct mux_type *t, const struct pcounter_mux_setting *setting,
		    const struct pcounter_dom_id *id)
{
	switch (t->kind) {
	case GPC:
		return GF100_GPC_MUX_BASE + id->unit * GF100_GPC_STRIDE + t->offset;
	case TPC:
		return GF100_GPC_MUX_BASE + id->unit * GF100_GPC_STRIDE +
		       GF100_TPC_OFFSET + setting->tpc * GF100_TPC_STRIDE + t->offset;
	case ROP:
		return GF100_ROP_MUX_BASE + id->unit * GF100_ROP_STRIDE + t->offset;
	default:
		return t->offset;
	}
}

/**
 * pcounter_mux_check() - can an event have such a mux?
 * @setting: mux and position
 * @id: the event's domain
 * @chip: the chip
 * @why: reason of a refusal
 *
 * Return: 0; -EINVAL if there is no such mux or position, or the event's domain
 * does not show it; -EOPNOTSUPP if this chip does not have it.
 */
int pcounter_mux_check(const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       const struct pcounter_chip *chip, const char **why)
{
	static const u8 sets[] = {
		[GPC] = PCOUNTER_SET_GPC, [TPC] = PCOUNTER_SET_GPC,
		[ROP] = PCOUNTER_SET_PART, [HUB] = PCOUNTER_SET_HUB,
	};
	const struct mux_type *t;
	u32 field;

	if (!setting->id)
		return 0;
	if (setting->id > ARRAY_SIZE(types)) {
		*why = "there is no such mux";
		return -EINVAL;
	}
	t = &types[setting->id - 1];
	if (t->until && chip->chipset >= t->until) {
		*why = "this chip does not have that mux";
		return -EOPNOTSUPP;
	}
	if (id->set != sets[t->kind]) {
		*why = "the mux belongs to another kind of domain";
		return -EINVAL;
	}
	if (setting->tpc >= (t->kind == TPC ? MAX_TPCS : 1)) {
		*why = t->kind == TPC ? "a GPC has no such TPC" : "the mux is of no TPC";
		return -EINVAL;
	}
	if (t->kind == TPC && !shows_tpc(id, chip, setting->tpc)) {
		*why = "the domain shows another TPC: TPC t of a GPC is in domain 1 + t";
		return -EINVAL;
	}
	field = mux_field(t, chip);
	if (setting->sel > field / (field & -field)) {
		*why = "the mux has no such position";
		return -EINVAL;
	}
	return 0;
}

static struct pcounter_mux *find(struct pcounter_muxes *m,
				 const struct pcounter_chip *chip,
				 const struct pcounter_mux_setting *setting,
				 const struct pcounter_dom_id *id)
{
	const struct mux_type *t = &types[setting->id - 1];
	u32 addr = mux_addr(t, setting, id), field = mux_field(t, chip);
	struct pcounter_mux *free = NULL;
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++) {
		if (m->mux[i].addr == addr && m->mux[i].field == field)
			return &m->mux[i];
		if (!m->mux[i].addr && !free)
			free = &m->mux[i];
	}
	if (!free)
		return NULL;
	free->addr = addr;
	free->field = field;
	free->enable = chip->chipset >= t->enable_since ? MUX_ENABLE : 0;
	return free;
}

static u32 wanted_value(const struct pcounter_mux *mux,
			const struct pcounter_mux_setting *setting)
{
	return setting->sel * (mux->field & -mux->field) | mux->enable;
}

/**
 * pcounter_mux_open() - an event that needs a mux was opened
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 *
 * Return: 0, -EBUSY if too many are in use.
 */
int pcounter_mux_open(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		      const struct pcounter_mux_setting *setting,
		      const struct pcounter_dom_id *id)
{
	struct pcounter_mux *mux;

	if (!setting->id)
		return 0;
	mux = find(m, chip, setting, id);
	if (!mux)
		return -EBUSY;
	mux->opened++;
	return 0;
}

/* Bits that another mux in the same register has written, too: the enable bit. */
static struct pcounter_mux *shares_with(struct pcounter_muxes *m,
					const struct pcounter_mux *mux)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		if (&m->mux[i] != mux && m->mux[i].written &&
		    m->mux[i].addr == mux->addr)
			return &m->mux[i];
	return NULL;
}

static void restore(struct pcounter_muxes *m, struct pcounter_mux *mux,
		    struct pcounter_io *io)
{
	u32 mask = mux->field | mux->enable;
	u32 reg = pcounter_rd32(io, mux->addr);

	/* somebody else has taken it over, or there is nobody */
	if (pcounter_is_dead(reg) || (reg ^ mux->now) & mask)
		return;
	if (shares_with(m, mux))
		mask = mux->field;
	pcounter_wr32(io, mux->addr, (reg & ~mask) | (mux->found & mask));
}

/**
 * pcounter_mux_close() - an event that needs a mux was closed
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 * @io: access to the registers, NULL if there is none any more
 *
 * The last one puts the mux back.
 */
void pcounter_mux_close(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			const struct pcounter_mux_setting *setting,
			const struct pcounter_dom_id *id, struct pcounter_io *io)
{
	struct pcounter_mux *mux;

	if (!setting->id)
		return;
	mux = find(m, chip, setting, id);
	if (!mux || --mux->opened)
		return;
	if (mux->written && io)
		restore(m, mux, io);
	memset(mux, 0, sizeof(*mux));
}

/**
 * pcounter_mux_claim() - an event that needs a mux is to run
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 *
 * Return: 0, -EAGAIN if running events need another position.
 */
int pcounter_mux_claim(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		       const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id)
{
	struct pcounter_mux *mux;

	if (!setting->id)
		return 0;
	mux = find(m, chip, setting, id);
	if (!mux || (mux->running && mux->value != wanted_value(mux, setting)))
		return -EAGAIN;
	mux->value = wanted_value(mux, setting);
	mux->running++;
	return 0;
}

/**
 * pcounter_mux_unclaim() - it does not run any more; nothing is written
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 */
void pcounter_mux_unclaim(struct pcounter_muxes *m,
			  const struct pcounter_chip *chip,
			  const struct pcounter_mux_setting *setting,
			  const struct pcounter_dom_id *id)
{
	if (setting->id)
		find(m, chip, setting, id)->running--;
}

/**
 * pcounter_mux_forget() - all muxes have lost what was written to them
 * @m: the GPU's muxes
 */
void pcounter_mux_forget(struct pcounter_muxes *m)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_MUXES; i++)
		m->mux[i].written = false;
}

/* Look for what was written: writes may take effect late. */
static bool mux_holds(const struct pcounter_mux *mux, struct pcounter_io *io)
{
	u32 mask = mux->field | mux->enable;
	unsigned int i;

	for (i = 1; (pcounter_rd32(io, mux->addr) ^ mux->now) & mask; i++) {
		if (i == PCOUNTER_SHOW_POLLS)
			return false;
		udelay(PCOUNTER_SHOW_POLL_US);
	}
	return true;
}

/* Another mux in the same register has found what its enable bit was before us. */
static u32 mux_found(struct pcounter_muxes *m, const struct pcounter_mux *mux,
		     u32 reg)
{
	const struct pcounter_mux *other = shares_with(m, mux);

	if (other)
		return (reg & mux->field) | (other->found & mux->enable);
	return reg & (mux->field | mux->enable);
}

/**
 * pcounter_mux_apply() - bring a mux into the position that was claimed
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 * @io: access to the registers
 *
 * Return: PCOUNTER_MUX_SET, or why not; then the register is as it was found.
 */
enum pcounter_mux_state
pcounter_mux_apply(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		   const struct pcounter_mux_setting *setting,
		   const struct pcounter_dom_id *id, struct pcounter_io *io)
{
	struct pcounter_mux *mux;
	u32 reg, mask;

	if (!setting->id)
		return PCOUNTER_MUX_SET;
	mux = find(m, chip, setting, id);
	if (mux->written && mux->now == mux->value)
		return PCOUNTER_MUX_SET;
	mask = mux->field | mux->enable;
	reg = pcounter_rd32(io, mux->addr);
	if (pcounter_is_dead(reg))
		return PCOUNTER_MUX_DEAD;
	if (!mux->written)
		mux->found = mux_found(m, mux, reg);
	mux->now = mux->value;
	pcounter_wr32(io, mux->addr, (reg & ~mask) | mux->now);
	mux->written = mux_holds(mux, io);
	if (mux->written)
		return PCOUNTER_MUX_SET;
	if (shares_with(m, mux))
		mask = mux->field;
	pcounter_wr32(io, mux->addr, (reg & ~mask) | (mux->found & mask));
	return PCOUNTER_MUX_NOT_KEPT;
}

/**
 * pcounter_mux_failed() - could a mux not be brought into a position?
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position; an event that needs it is open
 * @id: the event's domain
 *
 * Return: true if so, until the last event that needs the mux is closed.
 */
bool pcounter_mux_failed(struct pcounter_muxes *m, const struct pcounter_chip *chip,
			 const struct pcounter_mux_setting *setting,
			 const struct pcounter_dom_id *id)
{
	const struct pcounter_mux *mux;

	if (!setting->id)
		return false;
	mux = find(m, chip, setting, id);
	return mux && mux->failed[setting->sel / PCOUNTER_MUX_WORD] &
		      BIT(setting->sel % PCOUNTER_MUX_WORD);
}

/**
 * pcounter_mux_fail() - remember that a mux could not be brought into a position
 * @m: the GPU's muxes
 * @chip: the chip
 * @setting: mux and position
 * @id: the event's domain
 * @state: why not
 *
 * Told once for each position, by pcounter_mux_next_failure().
 */
void pcounter_mux_fail(struct pcounter_muxes *m, const struct pcounter_chip *chip,
		       const struct pcounter_mux_setting *setting,
		       const struct pcounter_dom_id *id,
		       enum pcounter_mux_state state)
{
	if (pcounter_mux_failed(m, chip, setting, id))
		return;
	find(m, chip, setting, id)->failed[setting->sel / PCOUNTER_MUX_WORD] |=
		BIT(setting->sel % PCOUNTER_MUX_WORD);
	m->failures++;
	if (m->nr_pending == PCOUNTER_MAX_MUX_FAILURES)
		return;
	m->pending[m->nr_pending++] = (struct pcounter_mux_failure){
		.name = types[setting->id - 1].name,
		.setting = *setting,
		.id = id,
		.why = state == PCOUNTER_MUX_DEAD ? "its unit does not answer" :
						    "it does not keep what is written",
	};
}

/**
 * pcounter_mux_next_failure() - what the log is to tell about muxes
 * @m: the GPU's muxes
 * @failure: where to store one failure
 *
 * Return: false if there is none that it has not told of.
 */
bool pcounter_mux_next_failure(struct pcounter_muxes *m,
			       struct pcounter_mux_failure *failure)
{
	if (!m->nr_pending)
		return false;
	*failure = m->pending[--m->nr_pending];
	return true;
}
