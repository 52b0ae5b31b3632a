// SPDX-License-Identifier: GPL-2.0-only
/*
 * The experiments: what each asks is a row of hw:ambiguities.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "experiment/programs.h"

/* Conditions */
#define EQ(a, b, add)	{ a, PCOUNTER_EQUAL, b, add }
#define LT(a, b, add)	{ a, PCOUNTER_LESS, b, add }
#define GT(a, b, add)	{ a, PCOUNTER_MORE, b, add }
#define NE(a, b, add)	{ a, PCOUNTER_DIFFERS, b, add }
#define NEAR(a, b, most)	{ a, PCOUNTER_NEAR, b, most }
#define FAR(a, b, least)	{ a, PCOUNTER_FAR, b, least }
#define N		PCOUNTER_EXP_NUMBER
#define NEVER		LT(N, N, 0)

#define INPUTS	"CTRL, sources and ops of a domain"
#define IDLE	"MASK, MODE and COUNT of an idle counter that is free"
#define MEMORY	INPUTS ", its RECORD registers, 64 KiB of memory"

#define RECORDS						\
	.touches = MEMORY,				\
	.caps = PCOUNTER_CAP_RECORD,			\
	.needs = PCOUNTER_NEEDS_MEMORY,			\
	.record = true

const struct pcounter_experiment pcounter_experiments[] = {
	{
		.name = "status_overlap", .row = 8,
		.question = "Does a read of CTRL give CTRL, or SIG_STATUS of domain 1?",
		.touches = "EVENT_CTR_PERIOD of CTRL",
		.caps = PCOUNTER_CAP_CTRL_SHARED,
		.needs = PCOUNTER_NEEDS_CTRL | PCOUNTER_NEEDS_RAW,
		.step = pcounter_program_nothing,
		.reading = { { .text = "CTRL" }, { .text = "SIG_STATUS" } },
	}, {
		.name = "write_delay", .row = 1,
		.question = "When does a write take effect?",
		.touches = "a source of a domain",
		.needs = PCOUNTER_NEEDS_SOURCE,
		.step = pcounter_program_write_delay,
		.reading = {
			{ "before the next read", { EQ(0, N, 0) } },
			{ "later: microseconds in variable 0", { LT(0, N, 64) } },
		},
	}, {
		.name = "registers",
		.question = "Do sources, ops and the swap signal keep what is written?",
		.touches = "sources, ops and swap signal of a domain",
		.step = pcounter_program_registers,
		.reading = { { "every bit", { EQ(0, N, 0) } } },
	}, {
		.name = "trailers", .row = 27,
		.question = "Where are the trailers, a byte for each domain?",
		.touches = INPUTS ", of all domains in turn",
		.step = pcounter_program_trailers,
		.reading = {
			{ "where the tables are sure, there", { EQ(5, N, 0) } },
		},
	}, {
		.name = "counters",
		.question = "Does every counter count every clock?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.step = pcounter_program_counters,
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
		.step = pcounter_program_accesses,
		.reading = {
			{ "1001, 201, and 1202 of both",
			  { EQ(0, N, 1001), EQ(1, N, 201), EQ(2, N, 1202) } },
			{ "more: something else uses the bus, too",
			  { GT(0, N, 1000), GT(1, N, 200), EQ(2, 3, 0) } },
		},
	}, {
		.name = "ptimer",
		.question = "Which signal is bit 12 of PTIMER's ticks?",
		.touches = "nothing",
		.needs = PCOUNTER_NEEDS_PTIMER,
		.open = true,
		.workload = true,
		.step = pcounter_program_ptimer,
		.reading = {
			{ "the one of the tables", { EQ(0, N, 1), EQ(3, N, 1) } },
			{ "another: variable 1", { EQ(0, N, 1), EQ(3, N, 0) } },
		},
	}, {
		.name = "single_restart", .row = 2,
		.question = "Does a write of PRE_OP restart a process that runs?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = pcounter_program_single_restart,
		.reading = {
			{ "no: only from INACTIVE", { GT(0, N, 0), GT(1, 0, 0) } },
			{ "yes", { GT(0, N, 0), EQ(1, N, 0) } },
		},
	}, {
		.name = "start_cycle", .row = 3,
		.question = "Does CYCLES count the clock of START?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = pcounter_program_start_cycle,
		.reading = {
			{ "no", { GT(1, N, 0), EQ(0, 1, 0) } },
			{ "yes", { GT(1, N, 0), EQ(0, 1, 1) } },
		},
	}, {
		.name = "no_stop_cycle", .row = 3,
		.question = "Does CYCLES count the clock of STOP?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = pcounter_program_no_stop_cycle,
		.reading = {
			{ "yes", { GT(1, N, 0), EQ(3, N, 1), EQ(2, 0, 0) } },
			{ "no", { GT(1, N, 0), EQ(3, N, 1), EQ(2, 0, -1) } },
		},
	}, {
		.name = "cycles_alt", .row = 4,
		.question = "Is CTR_CYCLES_ALT a copy of CTR_CYCLES?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SINGLE,
		.step = pcounter_program_cycles_alt,
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
		.step = pcounter_program_ack_swapped,
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
		.step = pcounter_program_clrflag_setflag_src,
		.reading = {
			{ "CLRFLAG_SRC", { GT(0, N, 200), GT(1, 0, -64) } },
			{ "SETFLAG_SRC", { GT(0, N, 200), LT(1, 0, -63) } },
		},
	}, {
		.name = "spec_src", .row = 7,
		.question = "Is there a SPEC_SRC?",
		.touches = "0x00a560",
		.absent = PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_CTRL_SHARED,
		.step = pcounter_program_spec_src,
		.reading = {
			{ "no", { EQ(0, 1, 0) } },
			{ "yes", { EQ(0, N, 0x55), EQ(1, N, 0xaa) } },
		},
	}, {
		.name = "junk", .row = 9,
		.question = "What do signals above a trailer read?",
		.touches = "nothing",
		.needs = PCOUNTER_NEEDS_SPACE,
		.step = pcounter_program_junk,
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
		.step = pcounter_program_prev_new,
		.reading = {
			{ "the old wire's", { EQ(0, N, 1), GT(1, N, 0), EQ(2, N, 0) } },
			{ "the new wire's", { EQ(0, N, 0), GT(1, N, 0), EQ(2, N, 0) } },
		},
	}, {
		.name = "self_event", .row = 11,
		.question = "What does an EVENT see that looks at itself?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_IMPORT,
		.step = pcounter_program_self_event,
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
		.step = pcounter_program_pulse_keep,
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
		.step = pcounter_program_pulse_early,
		.reading = {
			{ "yes, two clocks", { EQ(1, N, 8), EQ(0, N, 8) } },
			{ "no, a clock less", { EQ(1, N, 8), EQ(0, N, 0) } },
		},
	}, {
		.name = "periodic_phase", .row = 13,
		.question = "Where does the PERIODIC generator begin after a reset?",
		.touches = INPUTS ", PERIODIC_RESET",
		.caps = PCOUNTER_CAP_PERIODIC,
		.step = pcounter_program_periodic_phase,
		.reading = {
			{ "at 0, as far as variables 1 and 2 tell",
			  { LT(1, N, PCOUNTER_PHASE_PERIOD + 2),
			    GT(2, N, PCOUNTER_PHASE_PERIOD) } },
			{ "elsewhere: a period less variables 1 to 2",
			  { LT(2, N, PCOUNTER_PHASE_PERIOD + 1) } },
		},
	}, {
		.name = "periodic_restart", .row = 13,
		.question = "Does a change of its period let PERIODIC begin anew?",
		.touches = INPUTS ", PERIODIC_RESET",
		.caps = PCOUNTER_CAP_PERIODIC,
		.step = pcounter_program_periodic_restart,
		.reading = {
			{ "no", { LT(0, N, PCOUNTER_CHANGE_PERIOD + 3), FAR(1, 0, 1000) } },
			{ "yes", { LT(0, N, PCOUNTER_CHANGE_PERIOD + 3), NEAR(1, 0, 1000) } },
		},
	}, {
		.name = "quad_clear", .row = 15,
		.question = "Does entering quad mode clear the hidden counters?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.step = pcounter_program_quad_clear,
		.reading = {
			{ "no", { GT(1, N, 0), GT(0, N, 0) } },
			{ "yes", { GT(1, N, 0), EQ(0, N, 0) } },
		},
	}, {
		.name = "quad_state_reset", .row = 15,
		.question = "Does entering quad mode reset QUAD_STATE?",
		.touches = INPUTS ", QUAD_ACK",
		.caps = PCOUNTER_CAP_QUAD,
		.step = pcounter_program_quad_state_reset,
		.reading = {
			{ "no", { EQ(0, N, 1), EQ(1, N, 1) } },
			{ "yes", { EQ(0, N, 1), EQ(1, N, 0) } },
		},
	}, {
		.name = "flush_busy", .row = 26,
		.question = "How long is a TLB flush busy?",
		.touches = "0x100c80, a flush for PCOUNTER",
		.caps = PCOUNTER_CAP_RECORD,
		.step = pcounter_program_flush_busy,
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
		.step = pcounter_program_g98_trailer,
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
		.step = pcounter_program_flush_0e,
		.reading = {
			{ "yes", { NEVER } },
			{ "no: it moves", { GT(0, N, 0) } },
		},
	}, {
		.name = "zero_2f",
		.question = "Is trailer + 0x2f ZERO?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SETS,
		.step = pcounter_program_zero_2f,
		.reading = {
			{ "yes, as far as 4096 clocks tell",
			  { GT(0, N, 0), EQ(1, N, 0), EQ(2, 0, 0) } },
			{ "no: it moves, or is 1", { GT(1, N, 0) } },
		},
	}, {
		.name = "trigger_2d", .row = 37,
		.question = "Does a write to MAIN pulse trailer + 0x2d?",
		.touches = INPUTS ", 0x1b4000 and 0x1b4008 of MAIN, as NVIDIA's driver does",
		.caps = PCOUNTER_CAP_SETS,
		.open = true,
		.step = pcounter_program_trigger_2d,
		.reading = {
			{ "no", { EQ(0, N, 0), EQ(1, N, 0), EQ(2, N, 0) } },
			{ "4 and 0 to 0x1b4000", { EQ(0, N, 0), GT(1, N, 0) } },
			{ "0x701 to 0x1b4008", { EQ(0, N, 0), EQ(1, N, 0), GT(2, N, 0) } },
		},
	}, {
		.name = "unit_holes", .row = 29,
		.question = "Are GPCs and partitions numbered without holes?",
		.touches = "nothing",
		.caps = PCOUNTER_CAP_SETS,
		.open = true,
		.step = pcounter_program_unit_holes,
		.reading = {
			{ "yes", { NE(2, N, 0), EQ(1, 0, 0) } },
			{ "no", { NE(2, N, 0), LT(1, 0, 0) } },
		},
	}, {
		.name = "swap_latency", .row = 28,
		.question = "When does a requested swap show?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_QUAD,
		.absent = PCOUNTER_CAP_SETS,
		.step = pcounter_program_swap_latency,
		.reading = {
			{ "before the next read", { GT(0, N, 0) } },
			{ "later", { EQ(0, N, 0), GT(1, N, 0) } },
		},
	}, {
		.name = "wrap32", .row = 32,
		.question = "What does a full counter do?",
		.touches = INPUTS ", CTR_PRE_NEXT",
		.caps = PCOUNTER_CAP_SETS,
		.step = pcounter_program_wrap32,
		.reading = {
			{ "it stops", { GT(0, N, 0x7fffffff) } },
			{ "it wraps", { LT(0, N, 0x40000000) } },
		},
	}, {
		.name = "extra_b4_gated", .row = 33,
		.question = "Do EXTRA sums need START and EVENT to be 1?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_SETS,
		.step = pcounter_program_extra_b4_gated,
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
		.step = pcounter_program_slcg_stops,
		.reading = {
			{ "no", { GT(0, N, 0), GT(1, N, 0) } },
			{ "yes", { EQ(0, N, 0), GT(1, N, 0) } },
		},
	}, {
		.name = "idle_none", .row = 34,
		.question = "When does mode 2 of an idle counter count?",
		.touches = IDLE,
		.needs = PCOUNTER_NEEDS_IDLE | PCOUNTER_NEEDS_LEVELS,
		.open = true,
		.step = pcounter_program_idle_none,
		.reading = {
			{ "while one signal is 0 at least",
			  { GT(0, N, 0), GT(1, N, 0), EQ(2, N, 0), EQ(3, N, 0) } },
			{ "while all signals are 0",
			  { EQ(0, N, 0), GT(1, N, 0), EQ(2, N, 0), EQ(3, N, 0) } },
		},
	}, {
		.name = "idle_saturate", .row = 35,
		.question = "What does an idle counter do that is full?",
		.touches = IDLE,
		.needs = PCOUNTER_NEEDS_IDLE,
		.open = true,
		.step = pcounter_program_idle_saturate,
		.reading = {
			{ "it wraps", { EQ(0, N, 1) } },
			{ "it stops", { EQ(0, N, 2) } },
		},
	}, {
		.name = "no_system_channel", .row = 24,
		.question = "Is a channel in system memory taken?",
		RECORDS,
		.fault = true,
		.step = pcounter_program_no_system_channel,
		.reading = {
			{ "yes", { GT(0, N, 0), EQ(1, N, 0) } },
			{ "no: a fault", { EQ(0, N, 0), EQ(1, N, 1) } },
		},
	}, {
		.name = "record_stop_next", .row = 17,
		.question = "Which packet has the events of STOP's clock?",
		RECORDS,
		.step = pcounter_program_record_stop_next,
		.reading = {
			{ "that which it asks for", { GT(2, N, 1), EQ(0, N, 1), EQ(1, N, 1) } },
			{ "the next", { GT(2, N, 1), EQ(0, N, 0), EQ(1, N, 1) } },
		},
	}, {
		.name = "record_bogus", .row = 18,
		.question = "How many packets of garbage does entering record mode make?",
		RECORDS,
		.step = pcounter_program_record_bogus,
		.reading = {
			{ "one", { EQ(0, N, 32), EQ(1, N, 1) } },
			{ "none", { EQ(0, N, 0), EQ(1, N, 0) } },
			{ "as many as variable 1 has", { GT(1, N, 1) } },
		},
	}, {
		.name = "position_early", .row = 19,
		.question = "Is the position past packets that have not arrived?",
		RECORDS,
		.step = pcounter_program_position_early,
		.reading = {
			{ "never, in 80 looks", { GT(1, N, 0), EQ(0, N, 0) } },
			{ "yes", { GT(1, N, 0), GT(0, N, 0) } },
		},
	}, {
		.name = "position_late", .row = 19,
		.question = "Does the position move later than its packet arrives?",
		RECORDS,
		.step = pcounter_program_position_late,
		.reading = {
			{ "no",
			  { GT(2, N, 0), EQ(0, N, 0), LT(1, N, 3 * PCOUNTER_POSITION_LOOKS / 2) } },
			{ "yes", { GT(2, N, 0), GT(0, N, 0) } },
			{ "not by more than the time between two looks",
			  { GT(2, N, 0), EQ(0, N, 0) } },
		},
	}, {
		.name = "limit_last", .row = 20,
		.question = "Which byte of a packet is compared with LIMIT?",
		RECORDS,
		.step = pcounter_program_limit_last,
		.reading = {
			{ "the first", { EQ(0, N, 5 * 32) } },
			{ "the last", { EQ(0, N, 4 * 32) } },
		},
	}, {
		.name = "short_all", .row = 21,
		.question = "Do counters that SHORT packets lack ask for one?",
		RECORDS,
		.step = pcounter_program_short_all,
		.reading = {
			{ "no", { EQ(0, N, 0), GT(1, N, 0) } },
			{ "yes", { GT(0, N, 0), GT(1, N, 0) } },
		},
	}, {
		.name = "record_latency",
		.question = "How many clocks are there between two packets, at least?",
		RECORDS,
		.step = pcounter_program_record_latency,
		.reading = {
			{ "none: no request is lost", { GT(2, N, 2), EQ(1, 0, 1) } },
			{ "as many as are between variables 0 and 1",
			  { GT(2, N, 2), NE(1, 0, 1) } },
		},
	}, {
		.name = "no_shared_tables", .row = 25,
		.question = "May entries of the page directory share a table?",
		.touches = MEMORY,
		.caps = PCOUNTER_CAP_RECORD | PCOUNTER_CAP_RECORD_HIGH,
		.needs = PCOUNTER_NEEDS_MEMORY | PCOUNTER_NEEDS_TABLES,
		.record = true,
		.fault = true,
		.step = pcounter_program_no_shared_tables,
		.reading = {
			{ "yes", { GT(0, N, 0), EQ(1, N, 0) } },
			{ "no: a fault", { EQ(0, N, 0), EQ(1, N, 1) } },
		},
	}, {
		.name = "wedge_record_only", .row = 22,
		.question = "Does a domain that had a fault count in quad mode?",
		.touches = INPUTS,
		.caps = PCOUNTER_CAP_RECORD,
		.needs = PCOUNTER_NEEDS_FAULT,
		.record = true,
		.step = pcounter_program_wedged,
		.reading = {
			{ "no", { EQ(1, 0, 0) } },
			{ "yes", { GT(0, N, 0), GT(1, 0, 0) } },
		},
	}, {
		.name = "wedge_others", .row = 22,
		.question = "Does another domain count in quad mode after a fault?",
		.touches = INPUTS ", of two domains",
		.caps = PCOUNTER_CAP_RECORD,
		.needs = PCOUNTER_NEEDS_FAULT | PCOUNTER_NEEDS_TWO,
		.record = true,
		.open = true,
		.step = pcounter_program_wedged,
		.reading = {
			{ "yes", { EQ(1, 0, 0), GT(2, N, 0), GT(3, 2, 0) } },
			{ "no", { EQ(1, 0, 0), EQ(3, 2, 0) } },
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
