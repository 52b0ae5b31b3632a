/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways in which a domain counts. Schedule, save, power and poll reach a
 * mode through the domain, and never name one.
 */
#ifndef _PCOUNTER_COUNT_MODE_H
#define _PCOUNTER_COUNT_MODE_H

#include <linux/types.h>

#include "rules/place.h"

struct pcounter_gpu;

/**
 * struct pcounter_mode_ops - one way in which a domain counts
 * @program: apply a plan to registers and clients; sets the mode of the domain
 * @update: update the totals of clients
 * @poll: update before counters run full; NULL if @collect does that, or if one
 *	trigger is for all domains
 * @collect: read periods that the hardware has ended, or packets that it has
 *	written, by itself; NULL if it does neither
 * @collect_ns: how often @collect is due, in nanoseconds
 * @restart: begin to count anew after a write to a register that this domain shares
 *	with another; NULL if such a write makes no difference
 * @intact: return true if the control register is as it was written; NULL if @poll
 *	checks that
 * @halt: the domain changes its mode; NULL if nothing goes on by itself
 * @unused: the last client is gone; NULL as @halt
 * @refuses: return true if a domain cannot begin before the GPU is reset; NULL: never
 * @forget: the registers have lost their values; NULL if a mode has no state of its own
 *
 * The GPU's lock is held. The GPU is awake, but not always for @refuses and
 * @forget.
 */
struct pcounter_mode_ops {
	void (*program)(struct pcounter_gpu *gpu, unsigned int dom,
			const struct pcounter_plan *plan,
			const s8 slot[PCOUNTER_MAX_REQUESTS]);
	void (*update)(struct pcounter_gpu *gpu, unsigned int dom);
	void (*poll)(struct pcounter_gpu *gpu, unsigned int dom);
	void (*collect)(struct pcounter_gpu *gpu, unsigned int dom);
	u64 (*collect_ns)(const struct pcounter_gpu *gpu, unsigned int dom);
	void (*restart)(struct pcounter_gpu *gpu, unsigned int dom);
	bool (*intact)(struct pcounter_gpu *gpu, unsigned int dom);
	void (*halt)(struct pcounter_gpu *gpu, unsigned int dom);
	void (*unused)(struct pcounter_gpu *gpu, unsigned int dom);
	bool (*refuses)(const struct pcounter_gpu *gpu, unsigned int dom);
	void (*forget)(struct pcounter_gpu *gpu);
};

extern const struct pcounter_mode_ops pcounter_quad_mode;
extern const struct pcounter_mode_ops pcounter_signal_mode;
extern const struct pcounter_mode_ops pcounter_single_mode;

#endif
