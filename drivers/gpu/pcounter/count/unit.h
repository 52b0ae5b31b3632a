/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a domain and an idle counter have in common: both stop for a reason.
 */
#ifndef _PCOUNTER_COUNT_UNIT_H
#define _PCOUNTER_COUNT_UNIT_H

#include <linux/bits.h>
#include <linux/types.h>

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
	/* Of a domain: the next commit checks the programming, whatever the clients are. */
	PCOUNTER_WANT_PROGRAM	= BIT(0),
	/* New events begin with the next commit, also if they share a running counter. */
	PCOUNTER_WANT_BEGIN	= BIT(1),
	/* The newest request may need others that are still to come. */
	PCOUNTER_WANT_OTHERS	= BIT(2),
	/*
	 * Of the GPU: a commit, though perf does not reschedule. Registers were lost, or a
	 * commit had no time for all domains, or waits for a reference to the GPU.
	 */
	PCOUNTER_WANT_COMMIT	= BIT(3),
	/* perf has to add all events of the domains again. */
	PCOUNTER_WANT_RESCHED	= BIT(4),
	/* The same if a domain is at fault: one has stopped, but a sleep may explain it. */
	PCOUNTER_WANT_CHECK	= BIT(5),
	/* perf has to add all events of the idle counters again. */
	PCOUNTER_WANT_RESCHED_IDLE = BIT(6),
};

/**
 * struct pcounter_unit - a domain or an idle counter, as something that can stop
 * @fault: why it does not count any more
 * @logged: the log has a line about @fault; until then a sleep or reset may explain it
 */
struct pcounter_unit {
	enum pcounter_fault fault;
	bool logged;
};

#endif
