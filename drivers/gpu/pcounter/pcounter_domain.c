// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains in quad event mode: one swap ends a counting period of all four
 * counters, the published period is read, acknowledged and added up.
 *
 * All functions but pcounter_gpu_init() and the pure ones want gpu->lock held.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "pcounter_domain.h"
#include "pcounter_io.h"
#include "pcounter_regs.h"

/*
 * How long a swap may take to show (hw/ambiguities.md 28: unknown). A slower
 * domain is not lost, its period is taken in at the next occasion.
 */
#define PCOUNTER_SWAP_POLLS		20
#define PCOUNTER_SWAP_POLL_US		1

static const char *const fault_text[PCOUNTER_FAULTS] = {
	[PCOUNTER_OK] = "ok",
	[PCOUNTER_FAULT_DEAD] = "the GPU does not answer",
	[PCOUNTER_FAULT_FOREIGN_WRITE] = "registers changed by somebody else",
	[PCOUNTER_FAULT_FOREIGN_SWAP] = "a period was ended by somebody else",
	[PCOUNTER_FAULT_SATURATED] = "a counter ran full before it was read",
};

/**
 * pcounter_fault_text() - say in words why a domain stopped
 * @fault: the reason
 *
 * Return: a constant string.
 */
const char *pcounter_fault_text(enum pcounter_fault fault)
{
	return fault_text[fault];
}

/**
 * pcounter_gpu_init() - prepare a GPU; touches no register
 * @gpu: zeroed memory
 * @chip: which chip it is
 * @gen: its generation
 * @io: access to its registers
 */
void pcounter_gpu_init(struct pcounter_gpu *gpu, const struct pcounter_chip *chip,
		       const struct pcounter_gen *gen, struct pcounter_io *io)
{
	raw_spin_lock_init(&gpu->lock);
	gpu->chip = chip;
	gpu->gen = gen;
	gpu->io = io;
	/* never equal to a domain's epoch before its first sync */
	gpu->epoch = 1;
}

/**
 * pcounter_poll_interval_ns() - how long a period may last
 * @gen: the generation
 * @increment: most that a counter can grow in one clock
 *
 * Half the time in which the fastest clock fills a counter.
 *
 * Return: nanoseconds.
 */
u64 pcounter_poll_interval_ns(const struct pcounter_gen *gen, u32 increment)
{
	u64 half = BIT_ULL(gen->counter_bits - 1);

	return mul_u64_u64_div_u64(half, NSEC_PER_SEC,
				   (u64)gen->max_clock_hz * increment);
}

static void domain_fault(struct pcounter_domain *d, enum pcounter_fault fault)
{
	if (d->fault != PCOUNTER_OK)
		return;
	d->fault = fault;
	d->news = true;
}

static bool domain_ok(const struct pcounter_gpu *gpu,
		      const struct pcounter_domain *d)
{
	return !gpu->gone && d->fault == PCOUNTER_OK;
}

/* Are there requests whose counters run? */
static bool domain_active(const struct pcounter_domain *d)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (d->user[i].placed)
			return true;
	return false;
}

/* The period that the last swap ended belongs to @user as a whole. */
static bool period_is_whole(const struct pcounter_domain *d,
			    const struct pcounter_user *user)
{
	return user->placed && (s32)(d->swaps - user->since) > 0;
}

/* Read the counters of the published period; false if one is not to be trusted. */
static bool read_period(struct pcounter_gpu *gpu, unsigned int dom,
			u32 val[PCOUNTER_MAX_REQUESTS])
{
	const struct pcounter_gen_ops *ops = gpu->gen->ops;
	struct pcounter_domain *d = &gpu->dom[dom];
	u32 slot_val[PCOUNTER_SLOTS];
	unsigned int i;
	u8 have = 0;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		const struct pcounter_user *user = &d->user[i];

		val[i] = 0;
		if (!period_is_whole(d, user) || user->slot >= PCOUNTER_SLOTS)
			continue;
		if (user->slot == PCOUNTER_NO_SLOT) {
			val[i] = ops->cycles(gpu->io, dom);
		} else {
			if (!(have & BIT(user->slot)))
				slot_val[user->slot] =
					ops->counter(gpu->io, dom, user->slot);
			have |= BIT(user->slot);
			val[i] = slot_val[user->slot];
		}
		if (val[i] == gpu->gen->saturated)
			return false;
	}
	return true;
}

static void state_fault(struct pcounter_domain *d, enum pcounter_quad_state state)
{
	static const enum pcounter_fault faults[] = {
		[PCOUNTER_QUAD_EMPTY] = PCOUNTER_FAULT_FOREIGN_SWAP,
		[PCOUNTER_QUAD_VALID] = PCOUNTER_FAULT_SATURATED,
		[PCOUNTER_QUAD_OVERFLOW] = PCOUNTER_FAULT_FOREIGN_SWAP,
		[PCOUNTER_QUAD_FOREIGN] = PCOUNTER_FAULT_FOREIGN_WRITE,
		[PCOUNTER_QUAD_DEAD] = PCOUNTER_FAULT_DEAD,
	};

	domain_fault(d, faults[state]);
}

/* Take in the period that the last swap published, if it has shown yet. */
static void domain_take_in(struct pcounter_gpu *gpu, unsigned int dom,
			   unsigned int polls)
{
	const struct pcounter_gen_ops *ops = gpu->gen->ops;
	struct pcounter_domain *d = &gpu->dom[dom];
	enum pcounter_quad_state state;
	u32 val[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	state = ops->state(gpu->io, dom, &d->hw);
	for (i = 1; i < polls && state == PCOUNTER_QUAD_EMPTY; i++) {
		udelay(PCOUNTER_SWAP_POLL_US);
		state = ops->state(gpu->io, dom, &d->hw);
	}
	/* Clock stopped or slow: whatever was counted is still in there. */
	if (state == PCOUNTER_QUAD_EMPTY)
		return;
	if (state != PCOUNTER_QUAD_VALID) {
		state_fault(d, state);
		return;
	}
	if (!read_period(gpu, dom, val)) {
		/* all ones: saturated, or the GPU has just gone */
		state_fault(d, ops->state(gpu->io, dom, &d->hw));
		return;
	}
	if (gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED) {
		/* anybody's command stream may have swapped in between */
		state = ops->state(gpu->io, dom, &d->hw);
		if (state != PCOUNTER_QUAD_VALID) {
			state_fault(d, state);
			return;
		}
	}
	ops->ack(gpu->io, dom);
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		d->user[i].total += val[i];
	d->pending = false;
	d->drained = true;
	d->epoch = gpu->epoch;
}

/*
 * Nobody knows what state an old user left. OVERFLOW is two steps from EMPTY,
 * and EMPTY stays; look, since writes may take effect late, CTRL's too.
 */
static bool domain_drain(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];
	enum pcounter_quad_state state;
	unsigned int i;

	gpu->gen->ops->ack(gpu->io, dom);
	gpu->gen->ops->ack(gpu->io, dom);
	for (i = 0; i < PCOUNTER_SWAP_POLLS; i++) {
		state = gpu->gen->ops->state(gpu->io, dom, &d->hw);
		if (state == PCOUNTER_QUAD_EMPTY || state == PCOUNTER_QUAD_DEAD)
			break;
		udelay(PCOUNTER_SWAP_POLL_US);
	}
	if (state == PCOUNTER_QUAD_FOREIGN || state == PCOUNTER_QUAD_DEAD)
		state_fault(d, state);
	d->drained = state == PCOUNTER_QUAD_EMPTY;
	return d->drained;
}

/* A swap whose period never showed must be settled before the next one. */
static bool domain_ready_to_swap(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];

	if (!domain_ok(gpu, d))
		return false;
	if (d->pending)
		domain_take_in(gpu, dom, 1);
	if (d->fault != PCOUNTER_OK || d->pending)
		return false;
	return d->drained || domain_drain(gpu, dom);
}

static void domain_swap(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];

	if (!domain_ready_to_swap(gpu, dom))
		return;
	gpu->gen->ops->end_period(gpu->gen, gpu->io, dom, &d->hw);
	d->swaps++;
	d->pending = true;
	domain_take_in(gpu, dom, PCOUNTER_SWAP_POLLS);
}

/* The trigger reaches every domain, so every one that counts is taken in. */
static void gpu_swap_shared(struct pcounter_gpu *gpu, unsigned int mask)
{
	struct pcounter_domain *d;
	unsigned int i, ready = 0;
	bool alive;

	for (i = 0; i < gpu->chip->domains; i++)
		if ((mask & BIT(i) || domain_active(&gpu->dom[i])) &&
		    domain_ready_to_swap(gpu, i))
			ready |= BIT(i);
	if (!ready)
		return;
	alive = gpu->gen->ops->end_period(gpu->gen, gpu->io, 0, NULL);
	for (i = 0; i < gpu->chip->domains; i++) {
		d = &gpu->dom[i];
		if (!alive && ready & BIT(i))
			domain_fault(d, PCOUNTER_FAULT_DEAD);
		if (!alive)
			continue;
		d->drained = false;
		if (!(ready & BIT(i)))
			continue;
		d->swaps++;
		d->pending = true;
		domain_take_in(gpu, i, PCOUNTER_SWAP_POLLS);
	}
}

/* End the running period of the domains in @mask and begin a new one. */
static void gpu_swap(struct pcounter_gpu *gpu, unsigned int mask)
{
	unsigned int i;

	if (gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED) {
		gpu_swap_shared(gpu, mask);
		return;
	}
	for (i = 0; i < gpu->chip->domains; i++)
		if (mask & BIT(i))
			domain_swap(gpu, i);
}

/**
 * pcounter_domain_sync() - bring a domain's totals up to this moment
 * @gpu: the GPU
 * @dom: domain number
 *
 * At most one swap for each moment (gpu->epoch), however many events ask.
 */
void pcounter_domain_sync(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];

	if (d->epoch == gpu->epoch || !domain_active(d) || !domain_ok(gpu, d))
		return;
	gpu_swap(gpu, BIT(dom));
	/* one try for each moment, also where nothing has been published */
	d->epoch = gpu->epoch;
}

/* Quad mode without any input: the flag can be moved, and nothing else happens. */
static void domain_prepare_probe(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];
	struct pcounter_image img = d->hw;

	gpu->gen->ops->encode(gpu->gen, &d->plan, 0, &img);
	gpu->gen->ops->store(gpu->gen, gpu->io, dom, &d->hw, &img);
	d->hw = img;
}

/*
 * Park the swap input on a signal that is always 0, so that nobody else's
 * trigger ends our periods. Where the sources dispute which number that is,
 * the hardware is asked.
 */
static u8 domain_find_zero(struct pcounter_gpu *gpu, unsigned int dom)
{
	u16 trailer = gpu->chip->trailer[dom], found;

	if (gpu->gen->caps & PCOUNTER_CAP_SWAP_SHARED)
		return 0;
	if (gpu->chip->disputed & BIT(dom)) {
		domain_prepare_probe(gpu, dom);
		found = gpu->gen->ops->trailer_probe(gpu->io, dom);
		if (found != PCOUNTER_TRAILER_UNKNOWN)
			trailer = found;
	}
	return trailer + G84_TRAILER_ZERO;
}

/* First use: remember what was there. */
static void domain_take(struct pcounter_gpu *gpu, unsigned int dom)
{
	const struct pcounter_gen_ops *ops = gpu->gen->ops;
	struct pcounter_domain *d = &gpu->dom[dom];

	ops->load(gpu->gen, gpu->io, dom, &d->found);
	if (ops->state(gpu->io, dom, &d->found) == PCOUNTER_QUAD_DEAD) {
		domain_fault(d, PCOUNTER_FAULT_DEAD);
		return;
	}
	d->taken = true;
	d->drained = false;
	d->pending = false;
	d->hw = d->found;
	memset(&d->plan, 0, sizeof(d->plan));
	d->zero = domain_find_zero(gpu, dom);
}

/* Place the domain's requests; those that are new or move start from zero. */
static bool domain_place(struct pcounter_domain *d, struct pcounter_plan *plan,
			 s8 slot[PCOUNTER_MAX_REQUESTS])
{
	struct pcounter_set set = {};
	s8 found[PCOUNTER_MAX_REQUESTS];
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (d->user[i].refs)
			set.req[set.n++] = d->user[i].req;
	if (!pcounter_place(set.req, set.n, &d->plan, found, plan))
		return false;
	for (i = 0, set.n = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (d->user[i].refs)
			slot[i] = found[set.n++];
	return true;
}

static bool user_moves(const struct pcounter_user *user, s8 slot)
{
	return user->placed && user->slot != slot;
}

/* Make the hardware count what the domain's users ask for. */
static void domain_program(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];
	s8 slot[PCOUNTER_MAX_REQUESTS];
	bool fresh = d->join, moves = false;
	struct pcounter_image img;
	struct pcounter_plan plan;
	unsigned int i;

	/* add() has found it possible, and less is possible too */
	if (WARN_ON_ONCE(!domain_place(d, &plan, slot)))
		return;
	if (!d->taken)
		domain_take(gpu, dom);
	if (!domain_ok(gpu, d))
		return;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (d->user[i].refs)
			moves |= user_moves(&d->user[i], slot[i]);
	if (moves)
		gpu_swap(gpu, BIT(dom));
	img = d->hw;
	gpu->gen->ops->encode(gpu->gen, &plan, d->zero, &img);
	gpu->gen->ops->store(gpu->gen, gpu->io, dom, &d->hw, &img);
	d->hw = img;
	d->plan = plan;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		struct pcounter_user *user = &d->user[i];

		if (!user->refs || (user->placed && user->slot == slot[i]))
			continue;
		user->slot = slot[i];
		user->placed = true;
		user->since = d->swaps + 1;
		fresh = true;
	}
	if (fresh)
		gpu_swap(gpu, BIT(dom));
	d->join = false;
}

static bool domain_wanted(const struct pcounter_domain *d)
{
	unsigned int i;

	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (d->user[i].refs)
			return true;
	return false;
}

static void domain_drop_unused(struct pcounter_domain *d)
{
	unsigned int i;

	if (!d->dirty)
		return;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++)
		if (!d->user[i].refs)
			d->user[i].placed = false;
}

/**
 * pcounter_gpu_commit() - program what was added and deleted
 * @gpu: the GPU
 *
 * Return: true if any domain counts.
 */
bool pcounter_gpu_commit(struct pcounter_gpu *gpu)
{
	bool active = false;
	unsigned int i;

	/* first drop what is no longer wanted: a swap may reach all domains */
	for (i = 0; i < gpu->chip->domains; i++)
		domain_drop_unused(&gpu->dom[i]);
	for (i = 0; i < gpu->chip->domains; i++) {
		struct pcounter_domain *d = &gpu->dom[i];

		if (d->dirty && domain_wanted(d) && domain_ok(gpu, d))
			domain_program(gpu, i);
		d->dirty = false;
		active |= domain_active(d) && domain_ok(gpu, d);
	}
	return active;
}

/**
 * pcounter_gpu_poll() - take in what has been counted, before counters run full
 * @gpu: the GPU
 *
 * Also compares the registers with what was written to them.
 */
void pcounter_gpu_poll(struct pcounter_gpu *gpu)
{
	unsigned int i, mask = 0;

	gpu->epoch++;
	for (i = 0; i < gpu->chip->domains; i++) {
		struct pcounter_domain *d = &gpu->dom[i];

		if (!domain_active(d) || !domain_ok(gpu, d))
			continue;
		if (gpu->gen->ops->differs(gpu->gen, gpu->io, i, &d->plan, &d->hw))
			domain_fault(d, PCOUNTER_FAULT_FOREIGN_WRITE);
		else
			mask |= BIT(i);
	}
	gpu_swap(gpu, mask);
}

/**
 * pcounter_gpu_take_news() - has a domain stopped counting since the last call?
 * @gpu: the GPU
 *
 * Return: true if so.
 */
bool pcounter_gpu_take_news(struct pcounter_gpu *gpu)
{
	bool news = false;
	unsigned int i;

	for (i = 0; i < gpu->chip->domains; i++) {
		news |= gpu->dom[i].news;
		gpu->dom[i].news = false;
	}
	return news;
}

/**
 * pcounter_domain_get() - an event of this domain was opened
 * @gpu: the GPU
 * @dom: domain number
 */
void pcounter_domain_get(struct pcounter_gpu *gpu, unsigned int dom)
{
	gpu->dom[dom].refs++;
}

/**
 * pcounter_domain_put() - an event of this domain was closed
 * @gpu: the GPU
 * @dom: domain number
 *
 * The last one puts the registers back as they were found, unless somebody
 * else has taken the domain over meanwhile.
 */
void pcounter_domain_put(struct pcounter_gpu *gpu, unsigned int dom)
{
	struct pcounter_domain *d = &gpu->dom[dom];

	if (--d->refs)
		return;
	if (d->taken && !gpu->gone && d->fault != PCOUNTER_FAULT_DEAD &&
	    d->fault != PCOUNTER_FAULT_FOREIGN_WRITE)
		gpu->gen->ops->restore(gpu->gen, gpu->io, dom, &d->hw, &d->found);
	memset(d, 0, sizeof(*d));
}

/**
 * pcounter_domain_add() - ask a domain to count something
 * @gpu: the GPU
 * @req: what to count
 *
 * No register is touched before pcounter_gpu_commit().
 *
 * Return: number of the user that counts it; -ENODEV if the GPU has left, -EIO
 * if the domain has stopped, -EAGAIN if there is no room now.
 */
int pcounter_domain_add(struct pcounter_gpu *gpu,
			const struct pcounter_request *req)
{
	struct pcounter_domain *d = &gpu->dom[req->dom];
	struct pcounter_user *user, *free = NULL;
	s8 slot[PCOUNTER_MAX_REQUESTS];
	struct pcounter_plan plan;
	unsigned int i;

	if (gpu->gone)
		return -ENODEV;
	if (d->fault != PCOUNTER_OK)
		return -EIO;
	for (i = 0; i < PCOUNTER_MAX_REQUESTS; i++) {
		user = &d->user[i];
		if ((user->refs || user->placed) &&
		    pcounter_request_equal(&user->req, req))
			break;
		/* an entry that was just deleted may yet come back: use it last */
		if (!user->refs && (!free || free->placed))
			free = user;
	}
	if (i == PCOUNTER_MAX_REQUESTS) {
		if (!free)
			return -EAGAIN;
		user = free;
		memset(user, 0, sizeof(*user));
		user->req = *req;
		user->serial = ++gpu->serial;
	}
	user->refs++;
	if (user->refs == 1 && !domain_place(d, &plan, slot)) {
		user->refs = 0;
		return -EAGAIN;
	}
	d->dirty = true;
	return user - d->user;
}

/**
 * pcounter_domain_del() - an event does not count any more
 * @gpu: the GPU
 * @dom: its domain
 * @user: what pcounter_domain_add() returned
 */
void pcounter_domain_del(struct pcounter_gpu *gpu, unsigned int dom,
			 unsigned int user)
{
	struct pcounter_domain *d = &gpu->dom[dom];

	d->user[user].refs--;
	d->dirty = true;
}
