/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * A capture of record mode in a file: a header, then blocks, in the order in
 * which they came. All numbers are little-endian. A file that ends early, even
 * in the middle of a block, is right up to the last whole block; blocks of an
 * unknown type are to be passed over.
 *
 * Version 2 has records of GF100 and later, too (format STREAM). A file without them has
 * version 1, so that older programs read it; they refuse another version.
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <linux/types.h>

#define PCOUNTER_CAPTURE_MAGIC		0x5245544e554f4350ULL	/* "PCOUNTER" */
#define PCOUNTER_CAPTURE_VERSION	2
#define PCOUNTER_CAPTURE_PACKETS_ONLY	1

#define PCOUNTER_CAPTURE_NAME		64
#define PCOUNTER_CAPTURE_COUNTERS	12

/**
 * enum pcounter_capture_type - what a block holds
 * @PCOUNTER_CAPTURE_STREAM: struct pcounter_capture_stream, before all else of it
 * @PCOUNTER_CAPTURE_PACKETS: struct pcounter_capture_packets, then packets
 * @PCOUNTER_CAPTURE_PAIR: struct pcounter_capture_pair
 * @PCOUNTER_CAPTURE_LOSS: struct pcounter_capture_loss
 * @PCOUNTER_CAPTURE_END: nothing; the stream has ended in order
 * @PCOUNTER_CAPTURE_TIMES: struct pcounter_capture_times, before the end
 * @PCOUNTER_CAPTURE_CLOCKS: struct pcounter_capture_clocks, of all streams
 * @PCOUNTER_CAPTURE_CARD: struct pcounter_capture_card
 */
enum pcounter_capture_type {
	PCOUNTER_CAPTURE_STREAM = 1,
	PCOUNTER_CAPTURE_PACKETS = 2,
	PCOUNTER_CAPTURE_PAIR = 3,
	PCOUNTER_CAPTURE_LOSS = 4,
	PCOUNTER_CAPTURE_END = 5,
	PCOUNTER_CAPTURE_TIMES = 6,
	PCOUNTER_CAPTURE_CLOCKS = 7,
	PCOUNTER_CAPTURE_CARD = 8,
};

/**
 * enum pcounter_capture_why - why a capture ended
 * @PCOUNTER_CAPTURE_DONE: as it was meant to: its time was over, its command ended,
 *	or it was to go on until a signal came
 * @PCOUNTER_CAPTURE_EARLY: by a signal before that
 */
enum pcounter_capture_why {
	PCOUNTER_CAPTURE_DONE = 0,
	PCOUNTER_CAPTURE_EARLY = 1,
};

/**
 * struct pcounter_capture_header - what a file begins with
 * @magic: PCOUNTER_CAPTURE_MAGIC
 * @version: PCOUNTER_CAPTURE_PACKETS_ONLY, or PCOUNTER_CAPTURE_VERSION
 * @size: bytes of this header; blocks begin behind it
 * @real_time: CLOCK_REALTIME in ns when the capture began ...
 * @perf_time: ... and perf's clock, as without use_clockid, at the same moment
 */
struct pcounter_capture_header {
	__le64 magic;
	__le32 version;
	__le32 size;
	__le64 real_time;
	__le64 perf_time;
};

/**
 * struct pcounter_capture_block - what each block begins with
 * @type: one of enum pcounter_capture_type
 * @stream: number of the stream, from 0
 * @size: bytes that follow, a multiple of 16
 */
struct pcounter_capture_block {
	__le32 type;
	__le32 stream;
	__le64 size;
};

/**
 * struct pcounter_capture_counter - what a counter of the packets counts
 * @name: the event as it was given, without the PMU; ends with 0, empty if the
 *	counter is not used
 */
struct pcounter_capture_counter {
	char name[PCOUNTER_CAPTURE_NAME];
};

/**
 * struct pcounter_capture_stream - packets of a domain
 * @pmu: name of the PMU
 * @gpu: PCI address
 * @chipset: number of the chip
 * @domain: number of the domain
 * @format: PCOUNTER_RECORD_LONG, SHORT or STREAM
 * @period: clocks between two packets by PERIODIC; 0 if there is none, or unknown
 * @hz: clock of the domain as measured when the capture began, 0 if unknown
 * @ring: STREAM: number of the stream whose packets and pairs are this stream's, too, since
 *	the domains of a GPU share them: its own, or an earlier one
 * @reserved: 0
 * @counter: what the counters count
 */
struct pcounter_capture_stream {
	char pmu[PCOUNTER_CAPTURE_NAME];
	char gpu[PCOUNTER_CAPTURE_NAME];
	__le32 chipset;
	__le16 domain;
	__le16 format;
	__le64 period;
	__le64 hz;
	__le32 ring;
	__le32 reserved;
	struct pcounter_capture_counter counter[PCOUNTER_CAPTURE_COUNTERS];
};

/* Before these records recording began anew, and so did the numbers of requests. */
#define PCOUNTER_CAPTURE_ANEW		0x10000

/**
 * struct pcounter_capture_packets - what comes before packets
 * @first: number of the first of them since recording began; what lies between
 *	two blocks has been lost
 * @flags: STREAM: PCOUNTER_RECORD_SUMS, PCOUNTER_CAPTURE_ANEW
 * @reserved: 0
 *
 * Packets are as the GPU has written them: struct pcounter_record_packet, or struct
 * pcounter_record_stream of all domains that share them, told apart by their ids; the id
 * may be 0 if there is one domain.
 */
struct pcounter_capture_packets {
	__le64 first;
	__le32 flags;
	__le32 reserved;
};

/**
 * struct pcounter_capture_pair - the GPU's clock and perf's at one moment
 * @cycle: cycle counter of the domain; STREAM: time of the record
 * @time: perf's clock, in ns
 * @error: by how much @time can be too late, in ns
 * @reserved: 0
 *
 * It comes behind the packets that had been written by then, and before others.
 */
struct pcounter_capture_pair {
	__le64 cycle;
	__le64 time;
	__le64 error;
	__le64 reserved;
};

/**
 * struct pcounter_capture_loss - what is missing, since this capture began
 * @overrun: packets that were overwritten before they were taken
 * @missing: packets that never arrived
 * @merged: requests that found the packet before still on its way
 * @saturated: packets with a full counter
 * @gaps: times that recording began anew
 * @delayed: STREAM: records that came late; else any value
 */
struct pcounter_capture_loss {
	__le64 overrun;
	__le64 missing;
	__le64 merged;
	__le64 saturated;
	__le64 gaps;
	__le64 delayed;
};

/**
 * struct pcounter_capture_clocks - clocks of the system at one moment, in ns
 * @perf: perf's, as without use_clockid
 * @real: CLOCK_REALTIME
 * @monotonic: CLOCK_MONOTONIC
 * @boot: CLOCK_BOOTTIME
 */
struct pcounter_capture_clocks {
	__le64 perf;
	__le64 real;
	__le64 monotonic;
	__le64 boot;
};

/**
 * struct pcounter_capture_card - the GPU for people
 * @name: marketing name and chip; ends with 0
 */
struct pcounter_capture_card {
	char name[PCOUNTER_CAPTURE_NAME];
};

/**
 * struct pcounter_capture_times - how much of the time a stream was recorded
 * @span: ns from its begin to its end
 * @enabled: ns for which its events were enabled: not while an area was full
 * @running: ns for which they counted: not while others had the domain
 * @begun: how often recording began; each time after the first is a gap
 * @why: one of enum pcounter_capture_why
 */
struct pcounter_capture_times {
	__le64 span;
	__le64 enabled;
	__le64 running;
	__le32 begun;
	__le32 why;
};

#endif
