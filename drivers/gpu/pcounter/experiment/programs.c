// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of experiments. What a program sees does not depend on how long its
 * accesses take, unless the program says so.
 */
#include "experiment/programs.h"

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
#define RECORD		PCOUNTER_EXP_RECORD
#define RECORD_SHORT	(PCOUNTER_EXP_RECORD | PCOUNTER_EXP_SHORT)

/* ---- writes ---- */

const struct pcounter_step pcounter_program_write_delay[] = {
	STEP(POLL, 0, SRC_OF(STOP), 0, 0x04030201),
	STEP(POLL, 0, SRC_OF(STOP), 0, 0x01020304),
	END
};

const struct pcounter_step pcounter_program_registers[] = {
	STEP(KEEP, 0, 0, 0, 0),
	END
};

const struct pcounter_step pcounter_program_ptimer[] = {
	STEP(PTIMER, 0, 0, 0, 0),
	END
};

/* They were found when the bench was set up. */
const struct pcounter_step pcounter_program_trailers[] = {
	STEP(BASES, 0, 0, 0, 0),
	END
};

/* ---- single event mode ---- */

/* PRE never comes: a process that begins anew waits for it, with CYCLES at 0. */
const struct pcounter_step pcounter_program_single_restart[] = {
	CTRL(0, OFF),
	OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), CYCLES(0),
	OP(0, PRE, 0), CLOCKS(16), CYCLES(1),
	END
};

/* A write of STOP_OP ends the process, so that both counters stand still. */
const struct pcounter_step pcounter_program_start_cycle[] = {
	CTRL(0, OFF),
	OP(0, EVENT, ALWAYS), OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), OP(0, STOP, 0),
	CYCLES(0), COUNTER(1, 0, EVENT),
	END
};

/* The same, and a process of one period of one clock. */
const struct pcounter_step pcounter_program_no_stop_cycle[] = {
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

const struct pcounter_step pcounter_program_cycles_alt[] = {
	CTRL(0, OFF),
	OP(0, START, ALWAYS), OP(0, STOP, 0),
	START_SINGLE, CLOCKS(64), OP(0, STOP, 0),
	CYCLES(0), REGISTER(1, CYCLES_ALT),
	END
};

/* The flag is set always, and cleared by itself or by a signal that is 0. */
const struct pcounter_step pcounter_program_clrflag_setflag_src[] = {
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
const struct pcounter_step pcounter_program_quad_clear[] = {
	CTRL(0, QUAD), OP(0, STOP, ALWAYS),
	SWAP, CLOCKS(32), SWAP, COUNTER(1, 0, STOP),
	CLOCKS(32), OP(0, STOP, 0),
	CTRL(0, OFF), CTRL(0, QUAD),
	SWAP, COUNTER(0, 0, STOP),
	END
};

const struct pcounter_step pcounter_program_quad_state_reset[] = {
	CTRL(0, QUAD), ACK(0), ACK(0), ACK(0),
	SWAP, STATE(0, 0),
	CTRL(0, OFF), CTRL(0, QUAD), STATE(1, 0),
	END
};

/* Looks at once: an answer is true for an access time, not for a clock. */
const struct pcounter_step pcounter_program_swap_latency[] = {
	CTRL(0, QUAD), OP(0, STOP, 0), SWAP, SWAP,
	OP(0, STOP, ALWAYS), CLOCKS(32),
	STEP(SWAP_NOW, 0, 0, 0, 0), COUNTER(0, 0, STOP),
	CLOCKS(64), COUNTER(1, 0, STOP),
	END
};

const struct pcounter_step pcounter_program_ack_swapped[] = {
	CTRL(0, QUAD), CTRL(1, QUAD), ACK(0), ACK(0), ACK(0),
	SWAP, ACK(BIT(0)), STATE(0, 0), STATE(1, 1),
	END
};

/* An edge detector whose sources are moved from a 0 to a 1. */
const struct pcounter_step pcounter_program_prev_new[] = {
	CTRL(0, QUAD), CLEAR_FLAG(0), OP(0, OP_SETFLAG, ALWAYS),
	OP(0, EVENT, RISES),
	SRC(0, START, ALL_FOUR(FLAG)), OP(0, START, ARG_0),
	OP(0, STOP, ARG_0),
	CLOCKS(16), SWAP,
	SRC(0, EVENT, ALL_FOUR(FLAG)), CLOCKS(16), SWAP,
	COUNTER(0, 0, EVENT), COUNTER(1, 0, START), COUNTER(2, 0, STOP),
	END
};

const struct pcounter_step pcounter_program_self_event[] = {
	CTRL(0, QUAD),
	SRC(0, EVENT, ALL_FOUR(EVENT)), OP(0, EVENT, NOT_ARG_0),
	SWAP, CLOCKS(64), SWAP,
	CYCLES(0), COUNTER(1, 0, EVENT),
	END
};

const struct pcounter_step pcounter_program_counters[] = {
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
const struct pcounter_step pcounter_program_accesses[] = {
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

const struct pcounter_step pcounter_program_wrap32[] = {
	CTRL(0, QUAD), OP(0, PRE, ALWAYS),
	STEP(WRITE, 0, PCOUNTER_REG_PRE_NEXT, 0, 0xfffffff0), CLOCKS(64),
	REGISTER(0, PRE_NEXT),
	END
};

/* Source 0 of START is 1, first with START and EVENT at 0, then at 1. */
const struct pcounter_step pcounter_program_extra_b4_gated[] = {
	CTRL(0, QUAD | CTR(PCOUNTER_CTR_EXTRA_B4)),
	CLEAR_FLAG(0), OP(0, OP_SETFLAG, ALWAYS),
	SRC(0, START, FOUR(FLAG, LOW, LOW, LOW)),
	SWAP, CLOCKS(64), SWAP, COUNTER(0, 0, START),
	OP(0, START, ALWAYS), OP(0, EVENT, ALWAYS),
	SWAP, CLOCKS(64), SWAP, COUNTER(1, 0, START),
	END
};

const struct pcounter_step pcounter_program_slcg_stops[] = {
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
const struct pcounter_step pcounter_program_pulse_early[] = {
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
const struct pcounter_step pcounter_program_pulse_keep[] = {
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

/*
 * PRE counts until the first pulse has set the flag. From a swap before the
 * generator is let go to one after it are variable 0 clocks, from the second
 * one to the pulse, and two more, variable 1.
 */
const struct pcounter_step pcounter_program_periodic_phase[] = {
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS)), CLEAR_FLAG(0),
	SRC(0, START, FOUR(LOW, LOW, PERIODIC, LOW)),
	SRC(0, PRE, ALL_FOUR(FLAG)), OP(0, PRE, NOT_ARG_0), OP(0, OP_SETFLAG, ARG_0),
	SWAP, HOLD(0), SWAP, CYCLES(0),
	CLOCKS(PCOUNTER_PHASE_PERIOD), SWAP, COUNTER(1, 0, PRE),
	STEP(ADD, 0, 0, 2, 0), STEP(ADD, 0, 0, 2, 1),
	END
};

/* How long it is to a pulse after a reset, and after a change of the period. */
const struct pcounter_step pcounter_program_periodic_restart[] = {
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS + 1)), CLEAR_FLAG(0),
	SRC(0, START, FOUR(LOW, LOW, PERIODIC, LOW)),
	SRC(0, PRE, ALL_FOUR(FLAG)), OP(0, PRE, NOT_ARG_0), OP(0, OP_SETFLAG, ARG_0),
	SWAP, HOLD(0), SWAP, CLOCKS(PCOUNTER_CHANGE_PERIOD), SWAP, COUNTER(0, 0, PRE),
	HOLD(1), CTRL(0, QUAD | PERIODIC(PHASE_BITS)), CLEAR_FLAG(0),
	HOLD(0), CLOCKS(1800), OP(0, OP_SETFLAG, ARG_0),
	CTRL(0, QUAD | PERIODIC(PHASE_BITS + 1)),
	SWAP, CLOCKS(PCOUNTER_CHANGE_PERIOD), SWAP, COUNTER(1, 0, PRE),
	END
};

/* ---- registers and signals that may not be there ---- */

const struct pcounter_step pcounter_program_spec_src[] = {
	STEP(WRITE, 0, PCOUNTER_REG_SWAP_SRC, 0, 0x55), REGISTER(0, SWAP_SRC),
	STEP(WRITE, 0, PCOUNTER_REG_SWAP_SRC, 0, 0xaa), REGISTER(1, SWAP_SRC),
	END
};

const struct pcounter_step pcounter_program_junk[] = {
	LOOP(16),
	STEP(ABOVE, 0, 0, 0, 0), STEP(ABOVE, 1, 0, 0, 0), CLOCKS(3),
	NEXT,
	END
};

const struct pcounter_step pcounter_program_flush_0e[] = {
	CTRL(0, QUAD),
	SRC(0, PRE, FOUR(0E, 0E, 0E, 0E)), OP(0, PRE, ARG_0),
	SWAP, CLOCKS(4096), SWAP, COUNTER(0, 0, PRE),
	END
};

const struct pcounter_step pcounter_program_zero_2f[] = {
	CTRL(0, QUAD),
	SRC(0, PRE, ALL_FOUR(2F)), OP(0, PRE, ARG_0),
	SRC(0, START, ALL_FOUR(2F)), OP(0, START, NOT_ARG_0),
	SWAP, CLOCKS(4096), SWAP,
	CYCLES(0), COUNTER(1, 0, PRE), COUNTER(2, 0, START),
	END
};

#define MAIN(reg, val)		STEP(WRITE, 0, PCOUNTER_REG_MAIN_##reg, 0, val)

/* A period without a write, one for each of those with which NVIDIA's driver begins. */
const struct pcounter_step pcounter_program_trigger_2d[] = {
	CTRL(0, QUAD), SRC(0, START, ALL_FOUR(TRIGGER)), OP(0, START, ARG_0),
	SWAP, CLOCKS(4096), SWAP, COUNTER(0, 0, START),
	MAIN(START, 4), MAIN(START, 0),
	CLOCKS(64), SWAP, COUNTER(1, 0, START),
	MAIN(CONFIG, 0x701),
	CLOCKS(64), SWAP, COUNTER(2, 0, START),
	END
};

const struct pcounter_step pcounter_program_unit_holes[] = {
	STEP(UNITS, 0, 0, 0, 0),
	END
};

const struct pcounter_step pcounter_program_g98_trailer[] = {
	STEP(TRAILER, 0, 0, 0, 2),
	STEP(TRAILER, 0, 0, 1, 5),
	END
};

const struct pcounter_step pcounter_program_flush_busy[] = {
	STEP(FLUSH, 0, 0, 0, 0),
	END
};

/* ---- idle counters ---- */

#define IDLE(var, what)		STEP(IDLE, 0, 0, var, what)
#define IDLE_ALL		1	/* modes of hw:idle */
#define IDLE_NOT_ALL		2
#define IDLE_HIGH		PCOUNTER_EXP_IDLE_HIGH
#define IDLE_LOW		PCOUNTER_EXP_IDLE_LOW

/* Two signals together, then each to see that it stays as it is. */
const struct pcounter_step pcounter_program_idle_none[] = {
	IDLE(0, IDLE_NOT_ALL | IDLE_HIGH | IDLE_LOW),
	IDLE(1, IDLE_NOT_ALL | IDLE_LOW),
	IDLE(2, IDLE_NOT_ALL | IDLE_HIGH), IDLE(3, IDLE_ALL | IDLE_LOW),
	END
};

const struct pcounter_step pcounter_program_idle_saturate[] = {
	STEP(IDLE_FULL, 0, 0, 0, 0),
	END
};

/* ---- record mode ---- */

#define LIMIT(at)		STEP(LIMIT, 0, 0, 0, at)
#define FROM(at)		STEP(RECORD, 0, 0, 0, at)
#define POSITION(var)		STEP(POSITION, 0, 0, var, 0)
#define LANDED(var)		STEP(LANDED, 0, 0, var, 0)
#define FAULT(var)		STEP(FAULT, 0, 0, var, 0)
#define AHEAD(var)		STEP(AHEAD, 0, 0, var, 0)
#define BEHIND(var)		STEP(BEHIND, 0, 0, var, 0)

/* Of LONG packets, which begin at 0: low half of the cycles, the counter of PRE's source 0. */
#define PACKET_CYCLES(var, n)	STEP(PACKET, 0, 0, var, 32 * (n))
#define PACKET_PRE(var, n)	STEP(PACKET, 0, 0, var, 32 * (n) + 8)

/* What entering the mode makes (hw:ambiguities/18) goes elsewhere. */
#define ENTER(what)		STEP(ENTER, 0, 0, 0, what)
#define LAST_PACKET		0x3fe0	/* of those that are looked at */
#define HALF_GIB		0x20000000

/* Of several packets: is one asked for by a signal counted in it, or in the next? */
const struct pcounter_step pcounter_program_record_stop_next[] = {
	HOLD(0), ENTER(RECORD | PERIODIC(1)),
	SRC(0, PRE, FOUR(PERIODIC, LOW, LOW, LOW)),
	SRC(0, STOP, FOUR(PERIODIC, LOW, LOW, LOW)), OP(0, STOP, ARG_0),
	LIMIT(LAST_PACKET), FROM(0), CLOCKS(4096),
	LANDED(2), PACKET_PRE(0, 0), PACKET_PRE(1, 1),
	END
};

const struct pcounter_step pcounter_program_record_bogus[] = {
	LIMIT(LAST_PACKET), FROM(0), CTRL(0, RECORD), CLOCKS(256),
	POSITION(0), LANDED(1),
	END
};

/* Packets as often as there can be some, and then one in 1024 clocks. */
const struct pcounter_step pcounter_program_position_early[] = {
	HOLD(0), ENTER(RECORD | PERIODIC(1)),
	LIMIT(LAST_PACKET), OP(0, STOP, ALWAYS), FROM(0),
	LOOP(PCOUNTER_POSITION_LOOKS), AHEAD(0), NEXT, LANDED(1),
	SRC(0, STOP, ALL_FOUR(PERIODIC)), OP(0, STOP, ARG_0), FROM(0),
	LOOP(PCOUNTER_POSITION_LOOKS), AHEAD(0), NEXT,
	END
};

/* Variable 1 has the clocks in which the first looks were made. */
const struct pcounter_step pcounter_program_position_late[] = {
	HOLD(0), ENTER(RECORD | PERIODIC(1)),
	LIMIT(LAST_PACKET), OP(0, STOP, ALWAYS), FROM(0),
	LOOP(PCOUNTER_POSITION_LOOKS), BEHIND(0), NEXT,
	STEP(LAST, 0, 0, 1, 0), LANDED(2),
	SRC(0, STOP, ALL_FOUR(PERIODIC)), OP(0, STOP, ARG_0), FROM(0),
	LOOP(PCOUNTER_POSITION_LOOKS), BEHIND(0), NEXT,
	END
};

/* Between the first byte of the fourth packet and its last. */
const struct pcounter_step pcounter_program_limit_last[] = {
	ENTER(RECORD),
	LIMIT(3 * 32 + 16), OP(0, STOP, ALWAYS), FROM(0), CLOCKS(256),
	POSITION(0),
	END
};

/* EVENT's source 0 is 1; that it has been counted shows as soon as packets are LONG. */
const struct pcounter_step pcounter_program_short_all[] = {
	ENTER(RECORD_SHORT), CLEAR_FLAG(0), OP(0, OP_SETFLAG, ALWAYS),
	SRC(0, EVENT, FOUR(FLAG, LOW, LOW, LOW)),
	LIMIT(LAST_PACKET), FROM(0), CLOCKS(0xf200), POSITION(0),
	CTRL(0, RECORD), CLOCKS(256), POSITION(1),
	END
};

const struct pcounter_step pcounter_program_record_latency[] = {
	ENTER(RECORD),
	LIMIT(LAST_PACKET), OP(0, STOP, ALWAYS), FROM(0), CLOCKS(256),
	PACKET_CYCLES(0, 1), PACKET_CYCLES(1, 2), LANDED(2),
	END
};

const struct pcounter_step pcounter_program_no_system_channel[] = {
	ENTER(RECORD),
	LIMIT(LAST_PACKET), OP(0, STOP, ALWAYS), FROM(0), CLOCKS(256),
	LANDED(0), FAULT(1),
	END
};

const struct pcounter_step pcounter_program_no_shared_tables[] = {
	ENTER(RECORD),
	LIMIT(HALF_GIB + LAST_PACKET), OP(0, STOP, ALWAYS), FROM(HALF_GIB), CLOCKS(256),
	LANDED(0), FAULT(1),
	END
};

/* Do two domains count in quad mode? The second period is longer than the first. */
const struct pcounter_step pcounter_program_wedged[] = {
	CTRL(0, QUAD), OP(0, START, ALWAYS), CTRL(1, QUAD), OP(1, START, ALWAYS),
	SWAP_BOTH, CLOCKS(64), SWAP_BOTH, COUNTER(0, 0, START), COUNTER(2, 1, START),
	CLOCKS(1024), SWAP_BOTH, COUNTER(1, 0, START), COUNTER(3, 1, START),
	END
};

const struct pcounter_step pcounter_program_nothing[] = {
	END
};
