/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches of the model, for points on which the hardware documents are silent
 * or contradict each other.
 */
#ifndef _PCMODEL_QUIRKS_H
#define _PCMODEL_QUIRKS_H

#include <linux/types.h>

/**
 * struct pcmodel_quirks - the other readings of hw:ambiguities; 0 = default
 * @write_delay: row 1: a write takes effect this many reference cycles later
 * @single_restart: row 2: every PRE_OP write restarts single mode
 * @start_cycle: row 3: CTR_CYCLES counts the START cycle too
 * @no_stop_cycle: row 3: CTR_CYCLES does not count the STOP cycle
 * @cycles_alt: row 4: CTR_CYCLES_ALT is no copy of CTR_CYCLES
 * @spec_src: row 7: SPEC_SRC exists on NV40:G84 (and does nothing)
 * @junk: row 9: absent signals and registers return random values instead of 0
 * @prev_new: row 10: a reselected source's previous value is the new wire's
 * @self_event: row 11: an EVENT that depends on itself sees 0, not its last value
 * @pulse_keep: row 12: pulses closer than a destination clock are all kept
 * @pulse_early: row 12: pulses come one local clock late, not two
 * @periodic_phase: row 13: state of the generator after a reset
 * @periodic_restart: row 13: changing the period restarts the generator
 * @quad_clear: row 15: entering quad mode clears the hidden counters
 * @quad_state_reset: row 15: entering quad mode resets QUAD_STATE
 * @g98_trailer: row 27: G98's domains 2 and 5 have the wiki's trailer bases
 * @flush_0e: row 27: before G84 trailer + 0x0e is WRCACHE_FLUSH, not ZERO
 * @record_stop_next: row 17: STOP's cycle belongs to the next packet
 * @record_bogus: row 18: entering record mode: 0 one bogus packet, 1 none, N: N
 * @position_early: row 19: the position moves when a packet is sent
 * @position_late: row 19: it moves this many clocks after the packet has landed
 * @limit_last: row 20: LIMIT is compared with a packet's last byte
 * @short_all: row 21: SHORT: counters 4 to 11 trigger too
 * @wedge_record_only: row 22: a wedged domain goes on in the other modes
 * @wedge_others: row 22: a fault wedges all domains
 * @dma_limit_exclusive: row 23: a DMA object ends before its limit
 * @no_system_channel: row 24, and 61 for an instance block: a channel in system memory does
 *	not work
 * @no_unpaged: row 24: unpaged DMA objects fault
 * @no_shared_tables: row 25: a page table of two directory entries faults
 * @flush_busy: row 26: number of reads for which a TLB flush is busy; ~0: for ever
 * @record_latency: clocks until a packet is in memory
 * @swap_latency: row 28: a requested swap happens this many domain clocks later
 * @ack_swapped: row 5: QUAD_ACK bit 0 is domain 1's, bit 8 domain 0's
 * @clrflag_setflag_src: row 6: CLRFLAG uses the sources of SETFLAG on NV10:NV30
 * @status_overlap: row 8: SIG_STATUS of domain 1 hides QUAD_ACK and CTRL from
 *	reads
 * @wrap32: counters of GF100+ wrap (their saturation is not verified)
 * @tpc_domains: row 30: GK104+: 1: two domains of a GPC precede those of its TPCs, which have
 *	no gaps; 2: domains of lost TPCs answer, too
 * @extra_b4_gated: GF100+: EXTRA sums count only while START is 1
 * @slcg_stops: GK104+: clock gating stops the counters of a set
 * @op_bits: row 45: GF100+: 0 as in rnndb, 1 as on G92, 2 OPs have no bits 18 to 20
 * @status_16: row 48: words 8 to 15 of GF100+'s SIG_STATUS: 1: read 0, 2: read as words
 *	0 to 7
 * @halted_pauses: row 49: GF100+: a HALTED domain is paused
 * @no_levels: row 44: SIG_STATUS of GM107+ reads 1: 0, 2: an error pattern
 * @pde_bit_0: row 61: GF100+: bit 0 of a table's target alone says that it is there
 * @stream_id: row 52: a record's id is bits 16 to 23 of + 0x74; 1: bits 0 to 7 of + 0x7c;
 *	2: 0
 * @stream_sum: row 53: the counters of a record run on
 * @stream_bind_first: row 54: a bind forgets address and size
 * @stream_overwrite: row 55: a full ring loses its oldest records
 * @stream_clear: row 56: clearing the overflow ends writing until the next bind
 * @stream_empty: row 57: bit 4 of VSTATUS is 1: always 0, 2: always 1
 * @stream_clock: row 58: the time is 1: clocks of HUB 0, 2: ns of 48 bits, without an id
 * @stream_short: row 59: 1: every second record of a domain has only 16 bytes, 2: a record
 *	of 16 bytes follows each one
 * @stream_word_6: row 60: word 6 counts all requests
 * @stream_fault: row 62: after a fault 1: the unit goes on, 2: domains count in no mode
 * @stream_mode: row 63: MODE 5 makes 1: no records, 2: records of another layout
 * @stream_position: row 64: RECORD_POS is 1: an offset, 2: 0
 * @stream_request: row 65: 1: PERIODIC makes records without SWAP_SRC, 2: the input STOP
 * @stream_restart: row 66: bit 0: a start keeps the position, bit 1: RECORD_RESET keeps the
 *	FIFO
 * @stream_latency: reference cycles until a record is in memory
 * @stream_count_late: row 67: MEM_BYTES counts a record 1: with its arrival, N: N - 1
 *	reference cycles later
 * @stream_split: row 67: reference cycles from the words 0 and 1 to the others
 * @stream_wrap: row 68: a record that does not fit before the end begins at the start
 * @stream_delay_latched: row 69: a late record has counters and time of its request
 * @single_begin: row 71: GF100+: single mode begins by a write of SINGLE_BEGIN_TRIGGER;
 *	1: of PRE_OP, as before; 2: by neither
 * @gctrl_pm: row 72: G84:GF100: pulses of PM_TRIGGER arrive; 1: only while bit 8 of GCTRL
 *	is 1, 2: only while it is 0
 * @mmio_reads: row 73: no signal counts three for each register read
 * @vram_reads: row 74: G80: signal 0x5e of domain 2 shows no reads by 0x700000
 * @next_counts: row 76: GF100+: of CTR_*_NEXT only those of PRE and EVENT have a count
 * @idle_none: PDAEMON: mode 2 counts when all masked signals are 0
 * @idle_saturate: PDAEMON: counters stop at their maximum
 */
struct pcmodel_quirks {
	u32 write_delay;
	u32 single_restart;
	u32 start_cycle;
	u32 no_stop_cycle;
	u32 cycles_alt;
	u32 spec_src;
	u32 junk;
	u32 prev_new;
	u32 self_event;
	u32 pulse_keep;
	u32 pulse_early;
	u32 periodic_phase;
	u32 periodic_restart;
	u32 quad_clear;
	u32 quad_state_reset;
	u32 g98_trailer;
	u32 flush_0e;
	u32 record_stop_next;
	u32 record_bogus;
	u32 position_early;
	u32 position_late;
	u32 limit_last;
	u32 short_all;
	u32 wedge_record_only;
	u32 wedge_others;
	u32 dma_limit_exclusive;
	u32 no_system_channel;
	u32 no_unpaged;
	u32 no_shared_tables;
	u32 flush_busy;
	u32 record_latency;
	u32 swap_latency;
	u32 ack_swapped;
	u32 clrflag_setflag_src;
	u32 status_overlap;
	u32 wrap32;
	u32 tpc_domains;
	u32 extra_b4_gated;
	u32 slcg_stops;
	u32 op_bits;
	u32 status_16;
	u32 halted_pauses;
	u32 no_levels;
	u32 pde_bit_0;
	u32 stream_id;
	u32 stream_sum;
	u32 stream_bind_first;
	u32 stream_overwrite;
	u32 stream_clear;
	u32 stream_empty;
	u32 stream_clock;
	u32 stream_short;
	u32 stream_word_6;
	u32 stream_fault;
	u32 stream_mode;
	u32 stream_position;
	u32 stream_request;
	u32 stream_restart;
	u32 stream_latency;
	u32 stream_count_late;
	u32 stream_split;
	u32 stream_wrap;
	u32 stream_delay_latched;
	u32 single_begin;
	u32 gctrl_pm;
	u32 mmio_reads;
	u32 vram_reads;
	u32 next_counts;
	u32 idle_none;
	u32 idle_saturate;
};

#endif
