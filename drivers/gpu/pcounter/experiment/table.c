// SPDX-License-Identifier: GPL-2.0-only
/*
 * The experiments. What each asks is a row of hw:ambiguities; what a program
 * sees does not depend on how long its accesses take, unless it says so.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "experiment/experiment.h"

#define ALWAYS		0xffff
#define ARG_0		0xaaaa
#define NOT_ARG_0	0x5555
#define BOTH		0x8888		/* arguments 0 and 1 */
#define RISES		(PCOUNTER_DELAY_0 | 0x4444)	/* argument 1, and not 0 */

/* Four sources. */
#define FOUR(a, b, c, d)	(PCOUNTER_WIRE_##a | PCOUNTER_WIRE_##b << 8 | \
				 PCOUNTER_WIRE_##c << 16 | PCOUNTER_WIRE_##d << 24)
#define ALL_FOUR(a)		(PCOUNTER_WIRE_##a * 0x01010101u)

#define STEP(_op, _dom, _reg, _var, _val) \
	{ .op = PCOUNTER_STEP_##_op, .dom = (_dom), .reg = (_reg), .var = (_var), .val = (_val) }

#define SRC_OF(in)	(PCOUNTER_REG_SRC + PCOUNTER_##in)
#define OP_OF(in)	(PCOUNTER_REG_OP + PCOUNTER_##in)
#define CTR_OF(in)	(PCOUNTER_REG_CTR + PCOUNTER_##in)

/* Steps in domain 0 or 1 of the program. */
#define SRC(dom, in, wires)	STEP(SRC, dom, SRC_OF(in), 0, wires)
#define OP(dom, in, op)		STEP(WRITE, dom, OP_OF(in), 0, op)
#define CTRL(dom, what)		STEP(CTRL, dom, 0, 0, what)
#define START_SINGLE		STEP(START, 0, 0, 0, ALWAYS)
#define SWAP			STEP(SWAP, 0, 0, 0, 0)
#define SWAP_BOTH		STEP(SWAP, 0, 0, 0, 1)
#define ACK(bits)		STEP(ACK, 0, PCOUNTER_REG_ACK, 0, bits)
#define HOLD(held)		STEP(HOLD, 0, 0, 0, held)
#define CLOCKS(n)		STEP(CLOCKS, 0, 0, 0, n)
#define COUNTER(var, dom, in)	STEP(READ, dom, CTR_OF(in), var, 0)
#define REGISTER(var, reg)	STEP(READ, 0, PCOUNTER_REG_##reg, var, 0)
#define CYCLES(var)		REGISTER(var, CYCLES)
#define STATE(var, dom)		STEP(STATE, dom, 0, var, 0)
#define LOOP(n)			STEP(LOOP, 0, 0, 0, n)
#define NEXT			STEP(NEXT, 0, 0, 0, 0)
#define END			{ .op = PCOUNTER_STEP_END }

/* The flag of a domain is set to 0, and free. */
#define CLEAR_FLAG(dom)		STEP(CLEAR, dom, 0, 0, 0)

#define QUAD		PCOUNTER_EXP_QUAD
#define OFF		PCOUNTER_EXP_OFF
#define PERIODIC(n)	((n) << 8)
#define CTR(n)		((n) << 4)

/* Conditions */
#define EQ(a, b, add)	{ a, PCOUNTER_EQUAL, b, add }
#define LT(a, b, add)	{ a, PCOUNTER_LESS, b, add }
#define GT(a, b, add)	{ a, PCOUNTER_MORE, b, add }
#define NE(a, b, add)	{ a, PCOUNTER_DIFFERS, b, add }
#define NEAR(a, b, most)	{ a, PCOUNTER_NEAR, b, most }
#define FAR(a, b, least)	{ a, PCOUNTER_FAR, b, least }
#define N		PCOUNTER_EXP_NUMBER
#define NEVER		LT(N, N, 0)

/* ---- writes ---- */

static const struct pcounter_step write_delay[] = {
	STEP(POLL, 0, SRC_OF(STOP), 0, 0x04030201),
	STEP(POLL, 0, SRC_OF(STOP), 0, 0x01020304),
	END
};

static const struct pcounter_step registers[] = {
	STEP(KEEP, 0, 0, 0, 0),
	END
};

/* ---- single event mode ---- */

/* PRE never comes: a process that begins anew waits for it, with CYCLES at 0. */
static const struct pcounter_step single_restart[] = {
	CTRL(0, OFF),
	OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), CYCLES(0),
	OP(0, PRE, 0), CLOCKS(16), CYCLES(1),
	END
};

/* A write of STOP_OP ends the process, so that both counters stand still. */
static const struct pcounter_step start_cycle[] = {
	CTRL(0, OFF),
	OP(0, EVENT, ALWAYS), OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), OP(0, STOP, 0),
	CYCLES(0), COUNTER(1, 0, EVENT),
	END
};

/* The same, and a process of one period of one clock. */
static const struct pcounter_step no_stop_cycle[] = {
	CTRL(0, OFF),
	OP(0, EVENT, ALWAYS), OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), OP(0, STOP, 0),
	CYCLES(0), COUNTER(1, 0, EVENT),
	OP(0, STOP, ALWAYS), START_SINGLE, CLOCKS(16),
	CYCLES(2), COUNTER(3, 0, EVENT),
	/* CYCLES - EVENT of both: 2 + 1 against 0 + 3 */
	STEP(ADD, 0, 0, 2, 1), STEP(ADD, 0, 0, 0, 3),
	END
};

static const struct pcounter_step cycles_alt[] = {
	CTRL(0, OFF),
	OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), OP(0, STOP, 0),
	CYCLES(0), REGISTER(1, CYCLES_ALT),
	END
};

/* The flag is set always, and cleared by itself or by a signal that is 0. */
static const struct pcounter_step clrflag_setflag_src[] = {
	CTRL(0, OFF),
	SRC(0, OP_SETFLAG, ALL_FOUR(FLAG)), SRC(0, OP_CLRFLAG, ALL_FOUR(LOW)),
	SRC(0, EVENT, ALL_FOUR(FLAG)), OP(0, EVENT, ARG_0),
	OP(0, OP_SETFLAG, ALWAYS), OP(0, OP_CLRFLAG, ARG_0),
	OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(256), OP(0, STOP, 0),
	CYCLES(0), COUNTER(1, 0, EVENT),
	END
};

/* ---- quad event mode ---- */

/* STOP counts every clock of a stay in quad mode, and none of the next one. */
static const struct pcounter_step quad_clear[] = {
	CTRL(0, QUAD), OP(0, STOP, ALWAYS),
	SWAP, CLOCKS(32), SWAP, COUNTER(1, 0, STOP),
	CLOCKS(32), OP(0, STOP, 0),
	CTRL(0, OFF), CTRL(0, QUAD),
	SWAP, COUNTER(0, 0, STOP),
	END
};

static const struct pcounter_step quad_state_reset[] = {
	CTRL(0, QUAD), ACK(0), ACK(0), ACK(0),
	SWAP, STATE(0, 0),
	CTRL(0, OFF), CTRL(0, QUAD), STATE(1, 0),
	END
};

/* Looks at once: an answer is true for an access time, not for a clock. */
static const struct pcounter_step swap_latency[] = {
	CTRL(0, QUAD), OP(0, STOP, 0), SWAP, SWAP,
	OP(0, STOP, ALWAYS), CLOCKS(32),
	STEP(SWAP_NOW, 0, 0, 0, 0), COUNTER(0, 0, STOP),
	CLOCKS(64), COUNTER(1, 0, STOP),
	END
};

static const struct pcounter_step ack_swapped[] = {
	CTRL(0, QUAD), CTRL(1, QUAD), ACK(0), ACK(0), ACK(0),
	SWAP, ACK(BIT(0)), STATE(0, 0), STATE(1, 1),
	END
};

/* An edge detector whose sources are moved from a 0 to a 1. */
static const struct pcounter_step prev_new[] = {
	CTRL(0, QUAD), CLEAR_FLAG(0), OP(0, OP_SETFLAG, ALWAYS),
	OP(0, EVENT, RISES),
	SRC(0, START, ALL_FOUR(FLAG)), OP(0, START, ARG_0),
	OP(0, STOP, ARG_0),
	CLOCKS(16), SWAP,
	SRC(0, EVENT, ALL_FOUR(FLAG)), CLOCKS(16), SWAP,
	COUNTER(0, 0, EVENT), COUNTER(1, 0, START), COUNTER(2, 0, STOP),
	END
};

static const struct pcounter_step self_event[] = {
	CTRL(0, QUAD),
	SRC(0, EVENT, ALL_FOUR(EVENT)), OP(0, EVENT, NOT_ARG_0),
	SWAP, CLOCKS(64), SWAP,
	CYCLES(0), COUNTER(1, 0, EVENT),
	END
};

static const struct pcounter_step counters[] = {
	CTRL(0, QUAD),
	OP(0, PRE, ALWAYS), OP(0, START, ALWAYS), OP(0, EVENT, ALWAYS), OP(0, STOP, ALWAYS),
	SWAP, CLOCKS(64), SWAP,
	COUNTER(0, 0, PRE), COUNTER(1, 0, START), COUNTER(2, 0, EVENT), COUNTER(3, 0, STOP),
	CYCLES(4),
	END
};

/*
 * nvacounter's test of the signals of the bus. A swap is one read and one write
 * before G84, and one write since; the waits let the accesses before it be over.
 */
static const struct pcounter_step accesses[] = {
	CTRL(0, QUAD),
	SRC(0, START, ALL_FOUR(READS)), OP(0, START, ARG_0),
	SRC(0, EVENT, ALL_FOUR(WRITES)), OP(0, EVENT, ARG_0),
	SRC(0, STOP, ALL_FOUR(ACCESSES)), OP(0, STOP, ARG_0),
	CLOCKS(512), SWAP,
	STEP(READS, 0, CTR_OF(EVENT), 0, 1000), STEP(WRITES, 0, OP_OF(OP_SETFLAG), 0, 200),
	CLOCKS(4096), SWAP,
	COUNTER(0, 0, START), COUNTER(1, 0, EVENT), COUNTER(2, 0, STOP),
	/* variable 3: both, added up */
	STEP(ADD, 0, 0, 3, 0), STEP(ADD, 0, 0, 3, 1),
	END
};

static const struct pcounter_step wrap32[] = {
	CTRL(0, QUAD), OP(0, PRE, ALWAYS),
	STEP(WRITE, 0, PCOUNTER_REG_PRE_NEXT, 0, 0xfffffff0), CLOCKS(64),
	REGISTER(0, PRE_NEXT),
	END
};

/* Source 0 of START is 1, first with START and EVENT at 0, then at 1. */
static const struct pcounter_step extra_b4_gated[] = {
	CTRL(0, QUAD | CTR(PCOUNTER_CTR_EXTRA_B4)),
	CLEAR_FLAG(0), OP(0, OP_SETFLAG, ALWAYS),
	SRC(0, START, FOUR(FLAG, LOW, LOW, LOW)),
	SWAP, CLOCKS(64), SWAP, COUNTER(0, 0, START),
	OP(0, START, ALWAYS), OP(0, EVENT, ALWAYS),
	SWAP, CLOCKS(64), SWAP, COUNTER(1, 0, START),
	END
};

static const struct pcounter_step slcg_stops[] = {
	CTRL(0, QUAD), STEP(GATE, 0, 0, 0, 1),
	SWAP, CLOCKS(64), SWAP, CYCLES(0),
	STEP(GATE, 0, 0, 0, 0),
	SWAP, CLOCKS(64), SWAP, CYCLES(1),
	END
};

/* ---- domains that look at each other ---- */

/*
 * The EVENT of domain 1 is its flag. So both reach domain 0 in the same clock:
 * the one as a pulse, the other as a level.
 */
static const struct pcounter_step pulse_early[] = {
	CTRL(0, QUAD | PCOUNTER_EXP_EVPULSE), CTRL(1, QUAD),
	SRC(1, EVENT, ALL_FOUR(FLAG)), OP(1, EVENT, ARG_0), CLEAR_FLAG(1),
	SRC(0, PRE, FOUR(OTHER_EVENT, OTHER_FLAG, LOW, LOW)), OP(0, PRE, BOTH),
	SRC(0, START, ALL_FOUR(OTHER_EVENT)), OP(0, START, ARG_0),
	CLOCKS(600), SWAP,
	LOOP(8),
	OP(1, OP_SETFLAG, ALWAYS), CLOCKS(16), CLEAR_FLAG(1), CLOCKS(16),
	NEXT,
	SWAP, COUNTER(0, 0, PRE), COUNTER(1, 0, START),
	END
};

/* The flag of domain 1, the fast one, is set when it is 0, and cleared when 1. */
static const struct pcounter_step pulse_keep[] = {
	CTRL(0, QUAD | PCOUNTER_EXP_EVPULSE), CTRL(1, QUAD), CLEAR_FLAG(1),
	SRC(1, EVENT, ALL_FOUR(FLAG)), OP(1, EVENT, ARG_0),
	SRC(1, STOP, ALL_FOUR(FLAG)), OP(1, STOP, RISES),
	SRC(1, PRE, FOUR(LOW, LOW, FLAG, LOW)), OP(1, OP_CLRFLAG, ARG_0),
	SRC(0, START, ALL_FOUR(OTHER_EVENT)), OP(0, START, ARG_0),
	CLOCKS(600), SWAP_BOTH,
	OP(1, OP_SETFLAG, ALWAYS), CLOCKS(40), OP(1, OP_SETFLAG, 0),
	CLOCKS(2000), SWAP_BOTH,
	COUNTER(0, 0, START), COUNTER(1, 1, STOP),
	END
};

/* ---- PERIODIC ---- */

#define PHASE_BITS	4	/* a pulse every 0x2000 clocks */
#define PHASE_PERIOD	0x2000

/*
 * PRE counts until the first pulse has set the flag. From a swap before the
 * generator is let go to one after it are variable 0 clocks, from the second
 * one to the pulse, and two more, variable 1.
 */
static const struct pcounter_step periodic_phase[] = {
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS)), CLEAR_FLAG(0),
	SRC(0, START, FOUR(LOW, LOW, PERIODIC, LOW)),
	SRC(0, PRE, ALL_FOUR(FLAG)), OP(0, PRE, NOT_ARG_0), OP(0, OP_SETFLAG, ARG_0),
	SWAP, HOLD(0), SWAP, CYCLES(0),
	CLOCKS(PHASE_PERIOD), SWAP, COUNTER(1, 0, PRE),
	STEP(ADD, 0, 0, 2, 0), STEP(ADD, 0, 0, 2, 1),
	END
};

#define CHANGE_PERIOD	0x4000	/* after the change */

/* How long it is to a pulse after a reset, and after a change of the period. */
static const struct pcounter_step periodic_restart[] = {
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS + 1)), CLEAR_FLAG(0),
	SRC(0, START, FOUR(LOW, LOW, PERIODIC, LOW)),
	SRC(0, PRE, ALL_FOUR(FLAG)), OP(0, PRE, NOT_ARG_0), OP(0, OP_SETFLAG, ARG_0),
	SWAP, HOLD(0), SWAP, CLOCKS(CHANGE_PERIOD), SWAP, COUNTER(0, 0, PRE),
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS)), CLEAR_FLAG(0),
	HOLD(0), CLOCKS(1800), OP(0, OP_SETFLAG, ARG_0),
	CTRL(0, QUAD | PERIODIC(PHASE_BITS + 1)),
	SWAP, CLOCKS(CHANGE_PERIOD), SWAP, COUNTER(1, 0, PRE),
	END
};

/* ---- registers and signals that may not be there ---- */

static const struct pcounter_step spec_src[] = {
	STEP(WRITE, 0, PCOUNTER_REG_SWAP_SRC, 0, 0x55), REGISTER(0, SWAP_SRC),
	STEP(WRITE, 0, PCOUNTER_REG_SWAP_SRC, 0, 0xaa), REGISTER(1, SWAP_SRC),
	END
};

static const struct pcounter_step junk[] = {
	LOOP(16),
	STEP(ABOVE, 0, 0, 0, 0), STEP(ABOVE, 1, 0, 0, 0), CLOCKS(3),
	NEXT,
	END
};

static const struct pcounter_step flush_0e[] = {
	CTRL(0, QUAD),
	SRC(0, PRE, FOUR(0E, 0E, 0E, 0E)), OP(0, PRE, ARG_0),
	SWAP, CLOCKS(4096), SWAP, COUNTER(0, 0, PRE),
	END
};

static const struct pcounter_step zero_2f[] = {
	CTRL(0, QUAD),
	SRC(0, PRE, ALL_FOUR(2F)), OP(0, PRE, ARG_0),
	SRC(0, START, ALL_FOUR(2F)), OP(0, START, NOT_ARG_0),
	SWAP, CLOCKS(4096), SWAP,
	CYCLES(0), COUNTER(1, 0, PRE), COUNTER(2, 0, START),
	END
};

static const struct pcounter_step g98_trailer[] = {
	STEP(TRAILER, 0, 0, 0, 2),
	STEP(TRAILER, 0, 0, 1, 5),
	END
};

static const struct pcounter_step flush_busy[] = {
	STEP(FLUSH, 0, 0, 0, 0),
	END
};

static const struct pcounter_step nothing[] = {
	END
};

#define INPUTS	"CTRL, sources and ops of a domain"

const struct pcounter_experiment pcounter_experiments[] = {
	{
		.name = "status_overlap", .row = 8,
		.question = "Does a read of CTRL give CTRL, or SIG_STATUS of domain 1?",
		.touches = "EVENT_CTR_PERIOD of CTRL",
		.caps = PCOUNTER_CAP_CTRL_SHARED,
		.needs = PCOUNTER_NEEDS_CTRL | PCOUNTER_NEEDS_RAW,
		.step = nothing,
		.reading = { { .text = "CTRL" }, { .text = "SIG_STATUS" } },
	}, {
		.name = "write_delay", .row = 1,
		.question = "When does a write take effect?",
		.touches = "a source of a domain",
		.step = write_delay,
		.reading = {
			{ "before the next read", { EQ(0, N, 0) } },
			{ "later: microseconds in variable 0", { LT(0, N, 64) } },
		},
	}, {
		.name = "registers",
		.question = "Do sources, ops and the swap signal keep what is written?",
		.touches = "sources, ops and swap signal of a domain",
		.step = registers,
		.reading = { { "every bit", { EQ(0, N, 0) } } },
	}, {
		.name = "counters",
		.question = "Does every counter count every clock?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.step = counters,
		.reading = {
			{ "all four, as CYCLES does",
			  { EQ(0, 4, 0), EQ(1, 4, 0), EQ(2, 4, 0), EQ(3, 4, 0) } },
		},
	}, {
		.name = "accesses",
		.question = "Are 1000 register reads and 200 writes counted, and a swap's own?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.needs = PCOUNTER_NEEDS_BUS,
		.workload = true,
		.step = accesses,
		.reading = {
			{ "1001, 201, and 1202 of both",
			  { EQ(0, N, 1001), EQ(1, N, 201), EQ(2, N, 1202) } },
			{ "more: something else uses the bus, too",
			  { GT(0, N, 1000), GT(1, N, 200), EQ(2, 3, 0) } },
		},
	}, {
		.name = "single_restart", .row = 2,
		.question = "Does a write of PRE_OP restart a process that runs?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = single_restart,
		.reading = {
			{ "no: only from INACTIVE", { GT(0, N, 0), GT(1, 0, 0) } },
			{ "yes", { GT(0, N, 0), EQ(1, N, 0) } },
		},
	}, {
		.name = "start_cycle", .row = 3,
		.question = "Does CYCLES count the clock of START?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = start_cycle,
		.reading = {
			{ "no", { GT(1, N, 0), EQ(0, 1, 0) } },
			{ "yes", { GT(1, N, 0), EQ(0, 1, 1) } },
		},
	}, {
		.name = "no_stop_cycle", .row = 3,
		.question = "Does CYCLES count the clock of STOP?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = no_stop_cycle,
		.reading = {
			{ "yes", { GT(1, N, 0), EQ(3, N, 1), EQ(2, 0, 0) } },
			{ "no", { GT(1, N, 0), EQ(3, N, 1), EQ(2, 0, -1) } },
		},
	}, {
		.name = "cycles_alt", .row = 4,
		.question = "Is CTR_CYCLES_ALT a copy of CTR_CYCLES?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = cycles_alt,
		.reading = {
			{ "yes", { GT(0, N, 0), EQ(1, 0, 0) } },
			{ "no", { GT(0, N, 0), NE(1, 0, 0) } },
		},
	}, {
		.name = "ack_swapped", .row = 5,
		.question = "Whose acknowledge is bit 0 of QUAD_ACK?",
		.touches = INPUTS ", QUAD_ACK, PM_TRIGGER",
		.caps = PCOUNTER_CAP_ACK_SHARED,
		.needs = PCOUNTER_NEEDS_TWO,
		.step = ack_swapped,
		.reading = {
			{ "domain 0's", { EQ(0, N, 0), EQ(1, N, 1) } },
			{ "domain 1's", { EQ(0, N, 1), EQ(1, N, 0) } },
		},
	}, {
		.name = "clrflag_setflag_src", .row = 6,
		.question = "Which sources does CLRFLAG have?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_OWN_FLAG_SRC,
		.open = true,
		.step = clrflag_setflag_src,
		.reading = {
			{ "CLRFLAG_SRC", { GT(0, N, 200), GT(1, 0, -64) } },
			{ "SETFLAG_SRC", { GT(0, N, 200), LT(1, 0, -63) } },
		},
	}, {
		.name = "spec_src", .row = 7,
		.question = "Is there a SPEC_SRC?",
		.touches = "0x00a560",
		.absent = PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_CTRL_SHARED,
		.step = spec_src,
		.reading = {
			{ "no", { EQ(0, 1, 0) } },
			{ "yes", { EQ(0, N, 0x55), EQ(1, N, 0xaa) } },
		},
	}, {
		.name = "junk", .row = 9,
		.question = "What do signals above a trailer read?",
		.touches = "nothing",
		.needs = PCOUNTER_NEEDS_SPACE,
		.step = junk,
		.reading = {
			{ "0", { EQ(0, N, 0) } },
			{ "anything", { NE(0, N, 0) } },
		},
	}, {
		.name = "prev_new", .row = 10,
		.question = "What was the clock before, after a source was reselected?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.open = true,
		.step = prev_new,
		.reading = {
			{ "the old wire's", { EQ(0, N, 1), GT(1, N, 0), EQ(2, N, 0) } },
			{ "the new wire's", { EQ(0, N, 0), GT(1, N, 0), EQ(2, N, 0) } },
		},
	}, {
		.name = "self_event", .row = 11,
		.question = "What does an EVENT see that looks at itself?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_IMPORT,
		.step = self_event,
		.reading = {
			{ "its last value", { GT(1, N, 0), LT(1, 0, -8) } },
			{ "0", { GT(1, N, 0), EQ(1, 0, 0) } },
		},
	}, {
		.name = "pulse_keep", .row = 12,
		.question = "What of pulses closer than a clock of the domain that looks?",
		.touches = INPUTS ", of two domains",
		.caps = PCOUNTER_CAP_IMPORT,
		.needs = PCOUNTER_NEEDS_RATIO,
		.open = true,
		.step = pulse_keep,
		.reading = {
			{ "they are merged", { GT(0, N, 0), LT(0, 1, 0) } },
			{ "all are kept", { GT(1, N, 8), EQ(0, 1, 0) } },
		},
	}, {
		.name = "pulse_early", .row = 12,
		.question = "Are pulses of another domain as late as its levels?",
		.touches = INPUTS ", of two domains",
		.caps = PCOUNTER_CAP_IMPORT,
		.needs = PCOUNTER_NEEDS_TWO,
		.open = true,
		.step = pulse_early,
		.reading = {
			{ "yes, two clocks", { EQ(1, N, 8), EQ(0, N, 8) } },
			{ "no, a clock less", { EQ(1, N, 8), EQ(0, N, 0) } },
		},
	}, {
		.name = "periodic_phase", .row = 13,
		.question = "Where does the PERIODIC generator begin after a reset?",
		.touches = INPUTS ", PERIODIC_RESET",
		.caps = PCOUNTER_CAP_PERIODIC,
		.step = periodic_phase,
		.reading = {
			{ "at 0, as far as variables 1 and 2 tell",
			  { LT(1, N, PHASE_PERIOD + 2), GT(2, N, PHASE_PERIOD) } },
			{ "elsewhere: a period less variables 1 to 2",
			  { LT(2, N, PHASE_PERIOD + 1) } },
		},
	}, {
		.name = "periodic_restart", .row = 13,
		.question = "Does a change of its period let PERIODIC begin anew?",
		.touches = INPUTS ", PERIODIC_RESET",
		.caps = PCOUNTER_CAP_PERIODIC,
		.step = periodic_restart,
		.reading = {
			{ "no", { LT(0, N, CHANGE_PERIOD + 3), FAR(1, 0, 1000) } },
			{ "yes", { LT(0, N, CHANGE_PERIOD + 3), NEAR(1, 0, 1000) } },
		},
	}, {
		.name = "quad_clear", .row = 15,
		.question = "Does entering quad mode clear the hidden counters?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.step = quad_clear,
		.reading = {
			{ "no", { GT(1, N, 0), GT(0, N, 0) } },
			{ "yes", { GT(1, N, 0), EQ(0, N, 0) } },
		},
	}, {
		.name = "quad_state_reset", .row = 15,
		.question = "Does entering quad mode reset QUAD_STATE?",
		.touches = INPUTS ", QUAD_ACK",
		.caps = PCOUNTER_CAP_QUAD,
		.step = quad_state_reset,
		.reading = {
			{ "no", { EQ(0, N, 1), EQ(1, N, 1) } },
			{ "yes", { EQ(0, N, 1), EQ(1, N, 0) } },
		},
	}, {
		.name = "flush_busy", .row = 26,
		.question = "How long is a TLB flush busy?",
		.touches = "0x100c80, a flush for PCOUNTER",
		.caps = PCOUNTER_CAP_RECORD,
		.step = flush_busy,
		.reading = {
			{ "not at all", { EQ(0, N, 0) } },
			{ "for so many looks as variable 0 has", { LT(0, N, 2000) } },
			{ "for ever", { EQ(0, N, 2000) } },
		},
	}, {
		.name = "g98_trailer", .row = 27,
		.question = "Where are the trailers of domains 2 and 5?",
		.touches = INPUTS ", of domains 2 and 5",
		.needs = PCOUNTER_NEEDS_G98,
		.step = g98_trailer,
		.reading = {
			{ "0x80 and 0x60", { EQ(0, N, 0x80), EQ(1, N, 0x60) } },
			{ "0xc0 and 0xe0", { EQ(0, N, 0xc0), EQ(1, N, 0xe0) } },
		},
	}, {
		.name = "flush_0e", .row = 27,
		.question = "Is trailer + 0x0e ZERO?",
		.touches = INPUTS,
		.absent = PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_CTRL_SHARED,
		.open = true,
		.step = flush_0e,
		.reading = {
			{ "yes", { NEVER } },
			{ "no: it moves", { GT(0, N, 0) } },
		},
	}, {
		.name = "zero_2f",
		.question = "Is trailer + 0x2f ZERO?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SETS,
		.step = zero_2f,
		.reading = {
			{ "yes, as far as 4096 clocks tell",
			  { GT(0, N, 0), EQ(1, N, 0), EQ(2, 0, 0) } },
			{ "no: it moves, or is 1", { GT(1, N, 0) } },
		},
	}, {
		.name = "swap_latency", .row = 28,
		.question = "When does a requested swap show?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.absent = PCOUNTER_CAP_SETS,
		.step = swap_latency,
		.reading = {
			{ "before the next read", { GT(0, N, 0) } },
			{ "later", { EQ(0, N, 0), GT(1, N, 0) } },
		},
	}, {
		.name = "wrap32", .row = 32,
		.question = "What does a full counter do?",
		.touches = INPUTS ", CTR_PRE_NEXT",
		.caps = PCOUNTER_CAP_SETS,
		.step = wrap32,
		.reading = {
			{ "it stops", { GT(0, N, 0x7fffffff) } },
			{ "it wraps", { LT(0, N, 0x40000000) } },
		},
	}, {
		.name = "extra_b4_gated", .row = 33,
		.question = "Do EXTRA sums need START and EVENT to be 1?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SETS,
		.step = extra_b4_gated,
		.reading = {
			{ "no", { GT(0, N, 0), GT(1, N, 0) } },
			{ "yes", { EQ(0, N, 0), GT(1, N, 0) } },
		},
	}, {
		.name = "slcg_stops",
		.question = "Do counters stand still with clock gating on?",
		.touches = INPUTS ", SLCG of GPCs, partitions and HUB",
		.caps = PCOUNTER_CAP_SETS,
		.needs = PCOUNTER_NEEDS_GATING,
		.step = slcg_stops,
		.reading = {
			{ "no", { GT(0, N, 0), GT(1, N, 0) } },
			{ "yes", { EQ(0, N, 0), GT(1, N, 0) } },
		},
	},
};

const unsigned int pcounter_nr_experiments = ARRAY_SIZE(pcounter_experiments);

/**
 * pcounter_experiment_find() - an experiment by name
 * @name: its name
 *
 * Return: the experiment, or NULL.
 */
const struct pcounter_experiment *pcounter_experiment_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < pcounter_nr_experiments; i++)
		if (!strcmp(pcounter_experiments[i].name, name))
			return &pcounter_experiments[i];
	return NULL;
}
