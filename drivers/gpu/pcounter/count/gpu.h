/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains: running state and accumulation. The hardware publishes counting
 * periods; each is read once and added to 64-bit totals, and events are
 * credited from the totals.
 */
#ifndef _PCOUNTER_COUNT_GPU_H
#define _PCOUNTER_COUNT_GPU_H

#include <linux/cleanup.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#include "count/idle.h"
#include "count/unit.h"
#include "hw/mux.h"
#include "hw/registers.h"
#include "rules/chip.h"
#include "rules/place.h"

struct pcounter_domain;
struct pcounter_gpu;
struct pcounter_io;
struct pcounter_record;
struct pcounter_stream;

/*
 * How far a domain has got. In quad mode, the period that it publishes:
 *
 *   UNKNOWN ---two acknowledges---> EMPTY ---swap---> SWAPPED
 *                                     ^                  |
 *                                     +---period read----+
 *
 * A trigger that the domain does not expect, another mode and a sleep make it
 * UNKNOWN. In single event mode, the start of counting: STOPPING, ARMING, RUNNING.
 */
enum pcounter_phase {
	PCOUNTER_PHASE_UNKNOWN,
	PCOUNTER_PHASE_EMPTY,
	PCOUNTER_PHASE_SWAPPED,		/* no period has been published for it yet */
	PCOUNTER_PHASE_STOPPING,	/* waits for INACTIVE */
	PCOUNTER_PHASE_ARMING,		/* waits for WAIT_PRE, which PRE does not leave yet */
	PCOUNTER_PHASE_RUNNING,
};

/**
 * struct pcounter_mode_ops - one way in which a domain counts
 * @swaps: the driver ends the counting periods
 * @by_signal: a signal ends the counting periods
 * @program: apply a plan to registers, and the assignment that was found with it to
 *	clients
 * @update: update the totals of clients
 * @collect: read periods that the hardware has ended, or packets that it has
 *	written, by itself; NULL if it does neither
 * @collect_ns: how often @collect is due, in nanoseconds
 * @restart: begin to count anew after a write to a register that this domain shares
 *	with another; NULL if such a write makes no difference
 * @intact: return true if the control register is as it was written; NULL if @update
 *	checks that
 * @halt: stop the hardware before a change of the mode; NULL if it needs no stop
 * @unused: stop the hardware after the last client has gone; NULL as for @halt
 * @forget: discard the state of the mode after the registers have lost their values; NULL
 *	if the mode has no state of its own
 *
 * The GPU's lock is held. The GPU is awake, but not always for @forget.
 */
struct pcounter_mode_ops {
	bool swaps;
	bool by_signal;
	void (*program)(struct pcounter_domain *d, const struct pcounter_plan *plan);
	void (*update)(struct pcounter_domain *d);
	void (*collect)(struct pcounter_domain *d);
	u64 (*collect_ns)(const struct pcounter_domain *d);
	void (*restart)(struct pcounter_domain *d);
	bool (*intact)(const struct pcounter_domain *d);
	void (*halt)(struct pcounter_domain *d);
	void (*unused)(struct pcounter_domain *d);
	void (*forget)(struct pcounter_gpu *gpu);
};

/**
 * struct pcounter_domain - one domain of a GPU
 */
struct pcounter_domain {
	/* Constant. */
	/** @gpu: its GPU */
	struct pcounter_gpu *gpu;
	/** @index: its number in @gpu->dom */
	unsigned int index;
	/** @block: its registers */
	struct pcounter_block block;
	/** @id: which domain it is */
	struct pcounter_dom_id *id;

	/*
	 * Belongs to record/session.c: record->mutex protects it, and changes
	 * of @stream are under the GPU's lock, too.
	 */
	/** @stream: its packets of record mode, NULL without open events */
	struct pcounter_stream *stream;
	/** @stream_refs: references to @stream */
	unsigned int stream_refs;

	/* The GPU's lock protects all that follows. */
	/** @saved_periodic: its PERIODIC generator was found held in reset */
	bool saved_periodic;
	/** @holds_periodic: it holds the generator until a commit has programmed all domains */
	bool holds_periodic;
	/** @wedged: it had a fault of record mode, and needs a reset of the GPU */
	bool wedged;

	struct_group(use,	/* reset by the last close */

	/**
	 * @refs: open events; the registers are ours from the first use
	 * to the last close
	 */
	unsigned int refs;
	/**
	 * @sampled: sampling events of record mode, whose delivery
	 * reads the packets
	 */
	unsigned int sampled;

	/**
	 * @unit: while it is not FREE, @found has the former values of the
	 * registers; while it is PROGRAMMED, it has a mode
	 */
	struct pcounter_unit unit;
	/** @want: PCOUNTER_WANT_* for this domain */
	u32 want;
	/**
	 * @lost: the registers were found without the written values,
	 * though the GPU did not sleep, and no reading was valid since;
	 * the next time is PCOUNTER_FAULT_NOT_KEPT
	 */
	bool lost;
	/** @mode: how it counts while @unit is PROGRAMMED, otherwise NULL */
	const struct pcounter_mode_ops *mode;
	/** @phase: how far it has got */
	enum pcounter_phase phase;
	/**
	 * @snapshot: pcounter_gpu.snapshot at the last update of the
	 * totals
	 */
	u32 snapshot;

	/** @found: registers as they were at the first use */
	struct pcounter_image found;
	/** @hw: registers as they are now */
	struct pcounter_image hw;
	/** @zero: signal on which the swap input is parked */
	u8 zero;
	/** @plan: the plan that @hw implements */
	struct pcounter_plan plan;

	/**
	 * @swaps: number of swaps requested; the last one ends period
	 * @swaps. In record mode the number of packets read
	 */
	u64 swaps;
	/** @silent_swaps: number of swaps (@swaps) at the last poll */
	u64 silent_swaps;
	/**
	 * @life: result of pcounter_reg_table.life at the last poll if
	 * no period was published until then, otherwise 0
	 */
	u32 life;
	/**
	 * @missed: swap by signal: lower bound of the periods that
	 * ended unread
	 */
	u64 missed;

	/** @client: distinct requests */
	struct pcounter_client client[PCOUNTER_MAX_REQUESTS];
	/** @clients: high-water mark of used entries in @client */
	unsigned int clients;
	/**
	 * @failures: requests for which a search found no counter since
	 * the last commit
	 */
	unsigned int failures;
	/**
	 * @group: settings of the group that perf adds, or added last
	 */
	struct pcounter_settings group;
	/**
	 * @group_turn: transaction (pcounter_base.turn) that added the
	 * group
	 */
	u64 group_turn;

	);
};

/**
 * struct pcounter_gpu - the PCOUNTER engine of one GPU
 */
struct pcounter_gpu {
	/* Constant once the GPU is made. */
	/** @chip: which chip */
	const struct pcounter_chip *chip;
	/** @gen: how its registers work */
	const struct pcounter_gen *gen;
	/** @io: access to them */
	struct pcounter_io *io;
	/** @topo: its domains */
	struct pcounter_topo topo;
	/** @dom: state of each domain */
	struct pcounter_domain *dom;
	/**
	 * @record: record mode's state of the GPU; NULL until
	 * pcounter_record_setup()
	 */
	struct pcounter_record *record;
	/** @record_mode: record mode, NULL if the GPU has none */
	const struct pcounter_mode_ops *record_mode;
	/**
	 * @most_ns: longest time with interrupts off for programming domains or
	 * reading packets; U64_MAX until the GPU's PMU bounds it
	 */
	u64 most_ns;

	/** @lock: protects the registers, the domains and all that follows */
	raw_spinlock_t lock;

	/* Who uses it. */
	/**
	 * @gone: the GPU has left; only pcounter_gpu_leave() still touches @io
	 */
	bool gone;
	/** @lent: no event may be opened: something else uses the GPU */
	bool lent;
	/** @opened: open events, also of idle counters */
	unsigned int opened;

	/* Whether registers may be touched. */
	/** @refs: references by pcounter_gpu_get() */
	unsigned int refs;
	/** @depth: nesting of sections that touch registers */
	unsigned int depth;
	/** @asleep: the GPU slept at the last check, or did not answer */
	bool asleep;
	/**
	 * @silent_ns: since when it does not answer, though it is on; 0 if it
	 * answers
	 */
	u64 silent_ns;
	/** @asked_ns: time of the last read that got no answer */
	u64 asked_ns;
	/** @losses: losses (struct pcounter_io) that have been handled */
	u32 losses;
	/** @sleeps: how often the GPU was found asleep */
	u32 sleeps;
	/**
	 * @resets: how often the registers were found to have lost their values
	 */
	u32 resets;

	/* What is to be done, and what has been. */
	/** @want: PCOUNTER_WANT_*, also what any domain has wanted */
	u32 want;
	/**
	 * @snapshot: number of the snapshot: all totals of one snapshot are
	 * from one swap. perf increments it to begin a new one, in which each
	 * unit is read at most once
	 */
	u32 snapshot;
	/** @polled: domain with which pcounter_gpu_poll_some() goes on */
	unsigned int polled;
	/**
	 * @faults: how often domains and idle counters have stopped, by reason
	 */
	u32 faults[PCOUNTER_FAULTS];

	/* Registers that domains share. */
	/**
	 * @ctrl: PCOUNTER_CAP_CTRL_SHARED: the control register as it is now
	 */
	u32 ctrl;
	/** @ctrl_found: the control register at the first use */
	u32 ctrl_found;
	/** @ack_known: PCOUNTER_CAP_ACK_SHARED: @ack_swapped is certain */
	bool ack_known;
	/** @ack_swapped: the names of the acknowledge bits are exchanged */
	bool ack_swapped;
	/** @gates: clock gating of the engine as it was at the first use */
	u32 gates[PCOUNTER_GATES];
	/** @muxes: source multiplexers in use */
	struct pcounter_muxes muxes;

	/** @idle: the idle counters of PDAEMON */
	struct pcounter_idle idle;
};

int pcounter_gpu_init(struct pcounter_gpu *gpu, const struct pcounter_chip *chip,
		      const struct pcounter_gen *gen, struct pcounter_io *io);
void pcounter_gpu_free(struct pcounter_gpu *gpu);
u64 pcounter_gpu_poll_ns(const struct pcounter_gpu *gpu);

int pcounter_gpu_refuses(const struct pcounter_gpu *gpu);
int pcounter_gpu_lend(struct pcounter_gpu *gpu);
void pcounter_gpu_reclaim(struct pcounter_gpu *gpu);
int pcounter_gpu_use(struct pcounter_gpu *gpu);
int pcounter_domain_get(struct pcounter_gpu *gpu,
			const struct pcounter_request *req);
void pcounter_domain_put(struct pcounter_gpu *gpu,
			 const struct pcounter_request *req);
int pcounter_domain_add(struct pcounter_gpu *gpu,
			const struct pcounter_request *req);
void pcounter_client_del(struct pcounter_gpu *gpu, struct pcounter_client *client);
void pcounter_domain_sync(struct pcounter_domain *d);
int pcounter_gpu_trigger(struct pcounter_gpu *gpu);
int pcounter_quad_user(struct pcounter_domain *d, u32 levels, u32 pulses);
bool pcounter_gpu_end_group(struct pcounter_gpu *gpu);
bool pcounter_gpu_commit(struct pcounter_gpu *gpu);
void pcounter_gpu_collect(struct pcounter_gpu *gpu);
u64 pcounter_gpu_collect_ns(const struct pcounter_gpu *gpu);
void pcounter_gpu_poll(struct pcounter_gpu *gpu);
bool pcounter_gpu_poll_some(struct pcounter_gpu *gpu, u64 budget_ns);
bool pcounter_gpu_take_resched(struct pcounter_gpu *gpu, u32 want);
enum pcounter_fault pcounter_gpu_log_fault(struct pcounter_gpu *gpu, struct pcounter_unit *u);

struct pcounter_gpu *pcounter_gpu_get(struct pcounter_gpu *gpu);
void pcounter_gpu_put(struct pcounter_gpu *gpu);
void pcounter_gpu_put_sync(struct pcounter_gpu *gpu);
void pcounter_gpu_sleeps(struct pcounter_gpu *gpu);
bool pcounter_gpu_is_held(const struct pcounter_gpu *gpu);
bool pcounter_gpu_check_power(struct pcounter_gpu *gpu);
struct pcounter_gpu *pcounter_gpu_hold(struct pcounter_gpu *gpu);
bool pcounter_gpu_recheck_power(struct pcounter_gpu *gpu);
void pcounter_gpu_drop(struct pcounter_gpu *gpu);
void pcounter_gpu_leave(struct pcounter_gpu *gpu, bool restore);

u32 pcounter_gpu_read(struct pcounter_gpu *gpu, u32 addr);

/* ---- for upper floors, gpu->lock held ---- */

/* A reference of process context; NULL if the GPU sleeps, or for no GPU. */
DEFINE_CLASS(pcounter_ref, struct pcounter_gpu *, pcounter_gpu_put(_T),
	     pcounter_gpu_get(gpu), struct pcounter_gpu *gpu)

/* A section that touches registers; NULL if they may not be touched. */
DEFINE_CLASS(pcounter_hold, struct pcounter_gpu *, pcounter_gpu_drop(_T),
	     pcounter_gpu_hold(gpu), struct pcounter_gpu *gpu)

/* Return true if a domain counts for a gated process. */
static inline bool pcounter_domain_is_process(const struct pcounter_domain *d)
{
	return d->plan.set.mode == PCOUNTER_MODE_SINGLE;
}

/* ---- between the files of this floor ---- */

/* The ways in which a domain counts. Only these files and record/ name one. */
extern const struct pcounter_mode_ops pcounter_quad_mode;
extern const struct pcounter_mode_ops pcounter_signal_mode;
extern const struct pcounter_mode_ops pcounter_single_mode;

/* Return true if a client takes part in counting. */
static inline bool pcounter_client_counts(const struct pcounter_client *client)
{
	return client->refs && !client->failed;
}

/* Return true if @client has counted the whole period that the last swap ended. */
static inline bool pcounter_period_is_whole(const struct pcounter_domain *d,
					    const struct pcounter_client *client)
{
	return client->placed && (s64)(d->swaps - client->since) > 0;
}

/* The registers implement a plan, by which @mode counts. */
static inline void pcounter_domain_programmed(struct pcounter_domain *d,
					      const struct pcounter_mode_ops *mode,
					      const struct pcounter_plan *plan)
{
	d->mode = mode;
	d->plan = *plan;
	d->unit.state = PCOUNTER_UNIT_PROGRAMMED;
}

/* The registers do not implement a plan any more. */
static inline void pcounter_domain_unprogram(struct pcounter_domain *d)
{
	d->mode = NULL;
	memset(&d->plan, 0, sizeof(d->plan));
	pcounter_unit_unprogram(&d->unit);
}

/* Note work for a domain, PCOUNTER_WANT_*; its GPU then has the same work. */
static inline void pcounter_domain_want(struct pcounter_domain *d, u32 want)
{
	d->want |= want;
	d->gpu->want |= want;
}

void pcounter_domain_fault(struct pcounter_domain *d, enum pcounter_fault fault);
void pcounter_domain_bad_state(struct pcounter_domain *d, enum pcounter_ctrl_state state,
			       enum pcounter_fault fault);
enum pcounter_ctrl_state pcounter_domain_wait(const struct pcounter_domain *d,
					      enum pcounter_ctrl_state state, bool is);
bool pcounter_domain_counts(const struct pcounter_domain *d);

struct pcounter_domain *pcounter_domain_partner(const struct pcounter_domain *d);
void pcounter_domain_encode(const struct pcounter_domain *d, const struct pcounter_plan *plan,
			    struct pcounter_image *img);
void pcounter_domain_store(struct pcounter_domain *d, const struct pcounter_image *img);
bool pcounter_domain_moves(const struct pcounter_domain *d);
bool pcounter_domain_assign(struct pcounter_domain *d, const struct pcounter_mode_ops *mode,
			    const struct pcounter_plan *plan);
void pcounter_domain_hold_periodic(struct pcounter_domain *d, const struct pcounter_plan *plan);
void pcounter_gpu_run_periodic(struct pcounter_gpu *gpu);
bool pcounter_domain_sync_muxes(struct pcounter_domain *d, bool set);
bool pcounter_domain_is_known(const struct pcounter_domain *d);
void pcounter_domain_save(struct pcounter_domain *d);
void pcounter_gpu_restore(struct pcounter_gpu *gpu);

void pcounter_quad_swap(struct pcounter_domain *d);
void pcounter_quad_watch(struct pcounter_gpu *gpu);

#endif
