/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of experiments, and numbers that both they and their readings have.
 */
#ifndef _PCOUNTER_EXPERIMENT_PROGRAMS_H
#define _PCOUNTER_EXPERIMENT_PROGRAMS_H

#include "experiment/experiment.h"

/* Of PERIODIC, in clocks. */
#define PCOUNTER_PHASE_PERIOD	0x2000
#define PCOUNTER_CHANGE_PERIOD	0x4000	/* after the change */

/* Of record mode: looks at position and memory, 1 us apart. */
#define PCOUNTER_POSITION_LOOKS	40

extern const struct pcounter_step pcounter_program_write_delay[];
extern const struct pcounter_step pcounter_program_registers[];
extern const struct pcounter_step pcounter_program_ptimer[];
extern const struct pcounter_step pcounter_program_trailers[];
extern const struct pcounter_step pcounter_program_single_restart[];
extern const struct pcounter_step pcounter_program_start_cycle[];
extern const struct pcounter_step pcounter_program_no_stop_cycle[];
extern const struct pcounter_step pcounter_program_cycles_alt[];
extern const struct pcounter_step pcounter_program_clrflag_setflag_src[];
extern const struct pcounter_step pcounter_program_quad_clear[];
extern const struct pcounter_step pcounter_program_quad_state_reset[];
extern const struct pcounter_step pcounter_program_swap_latency[];
extern const struct pcounter_step pcounter_program_ack_swapped[];
extern const struct pcounter_step pcounter_program_prev_new[];
extern const struct pcounter_step pcounter_program_self_event[];
extern const struct pcounter_step pcounter_program_counters[];
extern const struct pcounter_step pcounter_program_accesses[];
extern const struct pcounter_step pcounter_program_wrap32[];
extern const struct pcounter_step pcounter_program_extra_b4_gated[];
extern const struct pcounter_step pcounter_program_slcg_stops[];
extern const struct pcounter_step pcounter_program_pulse_early[];
extern const struct pcounter_step pcounter_program_pulse_keep[];
extern const struct pcounter_step pcounter_program_periodic_phase[];
extern const struct pcounter_step pcounter_program_periodic_restart[];
extern const struct pcounter_step pcounter_program_spec_src[];
extern const struct pcounter_step pcounter_program_junk[];
extern const struct pcounter_step pcounter_program_flush_0e[];
extern const struct pcounter_step pcounter_program_zero_2f[];
extern const struct pcounter_step pcounter_program_trigger_2d[];
extern const struct pcounter_step pcounter_program_unit_holes[];
extern const struct pcounter_step pcounter_program_g98_trailer[];
extern const struct pcounter_step pcounter_program_flush_busy[];
extern const struct pcounter_step pcounter_program_idle_none[];
extern const struct pcounter_step pcounter_program_idle_saturate[];
extern const struct pcounter_step pcounter_program_record_stop_next[];
extern const struct pcounter_step pcounter_program_record_bogus[];
extern const struct pcounter_step pcounter_program_position_early[];
extern const struct pcounter_step pcounter_program_position_late[];
extern const struct pcounter_step pcounter_program_limit_last[];
extern const struct pcounter_step pcounter_program_short_all[];
extern const struct pcounter_step pcounter_program_record_latency[];
extern const struct pcounter_step pcounter_program_no_system_channel[];
extern const struct pcounter_step pcounter_program_no_shared_tables[];
extern const struct pcounter_step pcounter_program_wedged[];
extern const struct pcounter_step pcounter_program_nothing[];

#endif
