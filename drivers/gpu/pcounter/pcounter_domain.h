/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains: running state and accumulation. The hardware hands out counting
 * periods; here they are taken in once and become 64-bit totals, from which
 * every event takes its share.
 */
#ifndef _PCOUNTER_DOMAIN_H
#define _PCOUNTER_DOMAIN_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "pcounter_chip.h"
#include "pcounter_gen.h"
#include "pcounter_place.h"

struct pcounter_io;

/* Why a domain stopped counting. It stays so until its last event is closed. */
enum pcounter_fault {
	PCOUNTER_OK,
	PCOUNTER_FAULT_DEAD,
	PCOUNTER_FAULT_FOREIGN_WRITE,
	PCOUNTER_FAULT_FOREIGN_SWAP,
	PCOUNTER_FAULT_SATURATED,
	PCOUNTER_FAULTS
};

/**
 * struct pcounter_user - one distinct request of a domain's running events
 * @req: what is counted
 * @refs: events that share it; 0: not in use, or deleted since the last commit
 * @slot: where it is programmed, PCOUNTER_NO_SLOT for the clock
 * @placed: it has been programmed
 * @since: number of the swap that began its first whole period
 * @serial: tells users apart that stood in the same place one after the other
 * @total: what it has counted since it was placed
 */
struct pcounter_user {
	struct pcounter_request req;
	unsigned int refs;
	s8 slot;
	bool placed;
	u32 since;
	u32 serial;
	u64 total;
};

/**
 * struct pcounter_domain - one domain of a GPU
 * @refs: open events; the registers are ours from the first use to the last close
 * @fault: why it does not count any more
 * @news: @fault has not been reported yet
 * @taken: @found is valid and @hw is what the registers hold
 * @drained: the quad state is known to be EMPTY
 * @pending: a swap was requested and no period has been published for it yet
 * @dirty: users came or went since the last commit
 * @join: a new event shares a counter that already runs
 * @swaps: number of swaps requested; the last one ends period @swaps
 * @epoch: moment (struct pcounter_gpu) at which the totals were last brought up to date
 * @zero: signal that is always 0, on which the swap input is parked
 * @found: registers as they were before us
 * @hw: registers as they are now
 * @plan: what @hw means
 * @user: distinct requests
 */
struct pcounter_domain {
	unsigned int refs;
	enum pcounter_fault fault;
	bool news;
	bool taken;
	bool drained;
	bool pending;
	bool dirty;
	bool join;
	u32 swaps;
	u32 epoch;
	u8 zero;
	struct pcounter_image found;
	struct pcounter_image hw;
	struct pcounter_plan plan;
	struct pcounter_user user[PCOUNTER_MAX_REQUESTS];
};

/**
 * struct pcounter_gpu - the PCOUNTER engine of one GPU
 * @chip: which chip
 * @gen: how its registers work
 * @io: access to them
 * @lock: protects the registers and everything below
 * @gone: the GPU has left; nothing touches @io any more
 * @epoch: counts moments: all totals read in one moment come from the same swap
 * @serial: source of user serials
 * @dom: the domains
 */
struct pcounter_gpu {
	const struct pcounter_chip *chip;
	const struct pcounter_gen *gen;
	struct pcounter_io *io;
	raw_spinlock_t lock;
	bool gone;
	u32 epoch;
	u32 serial;
	struct pcounter_domain dom[PCOUNTER_MAX_DOMAINS];
};

void pcounter_gpu_init(struct pcounter_gpu *gpu, const struct pcounter_chip *chip,
		       const struct pcounter_gen *gen, struct pcounter_io *io);
u64 pcounter_poll_interval_ns(const struct pcounter_gen *gen, u32 increment);
const char *pcounter_fault_text(enum pcounter_fault fault);

void pcounter_domain_get(struct pcounter_gpu *gpu, unsigned int dom);
void pcounter_domain_put(struct pcounter_gpu *gpu, unsigned int dom);
int pcounter_domain_add(struct pcounter_gpu *gpu,
			const struct pcounter_request *req);
void pcounter_domain_del(struct pcounter_gpu *gpu, unsigned int dom,
			 unsigned int user);
void pcounter_domain_sync(struct pcounter_gpu *gpu, unsigned int dom);
bool pcounter_gpu_commit(struct pcounter_gpu *gpu);
void pcounter_gpu_poll(struct pcounter_gpu *gpu);
bool pcounter_gpu_take_news(struct pcounter_gpu *gpu);

#endif
