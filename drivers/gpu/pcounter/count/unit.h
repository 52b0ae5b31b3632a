/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a domain and an idle counter have in common: both are ours for a while, count for
 * clients, and stop for a reason.
 */
#ifndef _PCOUNTER_COUNT_UNIT_H
#define _PCOUNTER_COUNT_UNIT_H

#include <linux/bits.h>
#include <linux/types.h>

#include "rules/place.h"

/*
 * Why a unit stopped counting. The fault stays until its last event is closed, a dead GPU
 * answers again, or a sleep or a reset explains it.
 */
enum pcounter_fault {
	PCOUNTER_OK,
	/* of domains and idle counters */
	PCOUNTER_FAULT_DEAD,
	/* of domains */
	PCOUNTER_FAULT_FOREIGN_WRITE,
	PCOUNTER_FAULT_FOREIGN_SWAP,
	PCOUNTER_FAULT_SATURATED,
	PCOUNTER_FAULT_NO_TRAILER,
	PCOUNTER_FAULT_NO_CTRL,
	PCOUNTER_FAULT_NOT_KEPT,
	PCOUNTER_FAULT_SLOW,
	PCOUNTER_FAULT_RECORD,
	PCOUNTER_FAULT_RECORD_LOST,
	PCOUNTER_FAULT_POSITION,
	PCOUNTER_FAULT_RECORDS,
	PCOUNTER_FAULT_LATE,
	PCOUNTER_FAULT_SUMS,
	PCOUNTER_FAULT_NO_PERIOD,
	PCOUNTER_FAULT_NOT_KNOWN,
	/* of idle counters */
	PCOUNTER_FAULT_PDAEMON_RESET,
	PCOUNTER_FAULT_TAKEN,
	PCOUNTER_FAULT_CLEARED,
	PCOUNTER_FAULT_FULL,
	PCOUNTER_FAULTS
};

extern const char *const pcounter_fault_text[PCOUNTER_FAULTS];

/*
 * Work that is left for a GPU or a domain. The commit that ends a reschedule does the work,
 * or pcounter_base_check() asks perf, or a commit of its own, to do it.
 */
enum pcounter_want {
	/*
	 * Of a domain: the next commit checks the programming, whatever the clients are.
	 * Of the GPU: a commit, though perf does not reschedule. Registers were lost, or a
	 * commit had no time for all domains, or waits for a reference to the GPU.
	 */
	PCOUNTER_WANT_COMMIT	= BIT(0),
	/* New events begin with the next commit, also if they share a running counter. */
	PCOUNTER_WANT_BEGIN	= BIT(1),
	/* The newest request may need others that are still to come. */
	PCOUNTER_WANT_OTHERS	= BIT(2),
	/* Of a domain: a group has lost a member that its other members need. */
	PCOUNTER_WANT_PLACE	= BIT(3),
	/* perf has to add all events of the domains again. */
	PCOUNTER_WANT_RESCHED	= BIT(4),
	/* The same if a domain is at fault: one has stopped, but a sleep may explain it. */
	PCOUNTER_WANT_CHECK	= BIT(5),
	/* perf has to add all events of the idle counters again. */
	PCOUNTER_WANT_RESCHED_IDLE = BIT(6),
};

/*
 * State of a unit:
 *
 *         first use             programmed
 *   FREE -----------> OWNED -----------------> PROGRAMMED
 *    ^                 | ^                        | |
 *    +---last close,---+ +---a fault, lost--------+ |
 *    |   taken               registers of a counter |
 *    +---last close, lost registers of a domain-----+
 *
 * The driver owns each idle counter that is not in use by others. A sleep or a reset clears
 * the registers; the next commit programs them again, and totals stay. A domain with a
 * fault counts no more, but keeps its state, which tells what the last close restores.
 */
enum pcounter_unit_state {
	PCOUNTER_UNIT_FREE,		/* the registers belong to somebody else */
	PCOUNTER_UNIT_OWNED,		/* the registers belong to the driver */
	PCOUNTER_UNIT_PROGRAMMED,	/* and count what clients ask for */
};

/**
 * struct pcounter_unit - a domain or an idle counter, as something that perf's events use
 */
struct pcounter_unit {
	/** @state: see above */
	enum pcounter_unit_state state;
	/** @fault: why it does not count any more */
	enum pcounter_fault fault;
	/**
	 * @logged: the log has a line about @fault; until then a sleep or reset
	 * may explain it
	 */
	bool logged;
};

/* The registers do not count for clients any more. */
static inline void pcounter_unit_unprogram(struct pcounter_unit *u)
{
	if (u->state == PCOUNTER_UNIT_PROGRAMMED)
		u->state = PCOUNTER_UNIT_OWNED;
}

/**
 * struct pcounter_client - one distinct request of the running events of a unit
 */
struct pcounter_client {
	/* Who asks for it, and where. */
	/** @unit: its domain or idle counter */
	const struct pcounter_unit *unit;
	/** @req: the request; an idle counter has its own form */
	struct pcounter_request req;
	/** @refs: events that share it, which perf has added */
	unsigned int refs;
	/**
	 * @leaving: events that have stopped and may be added again in this
	 * reschedule
	 */
	unsigned int leaving;
	/** @failed: its mux cannot be set, so it gets no counter */
	bool failed;

	/* Its counter. */
	/** @slot: its counter, PCOUNTER_NO_SLOT for the clock */
	s8 slot;
	/** @next: its counter in the assignment that was found last */
	s8 next;
	/**
	 * @placed: it has been programmed; an idle counter has been read since,
	 * too
	 */
	bool placed;

	/* Its count. */
	/** @since: number of the swap that began its first whole period */
	u64 since;
	/**
	 * @now: its count in the period that is being read, or the value of its
	 * counter
	 */
	u64 now;
	/** @last: of a counter that is not cleared: its last valid value */
	u64 last;
	/** @last_ns: time of the last reading that has been added to @total */
	u64 last_ns;
	/**
	 * @total: its count since it was placed. For a gated process it is
	 * smaller after a period has begun, by the value that its counter had
	 */
	u64 total;
	/**
	 * @begun: record mode: @total when the newest client of the domain
	 * began
	 */
	u64 begun;
};

#endif
