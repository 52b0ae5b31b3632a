/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Raw data of samples of record mode: a header, then packets as the GPU wrote
 * them. All numbers are little-endian.
 *
 * An event whose AUX area is mapped has its packets there, one behind the other, and
 * counts nothing. Its samples are a header alone, before each PERF_RECORD_AUX, of whose
 * packets it tells, and only with PERF_SAMPLE_RAW, PERF_SAMPLE_PERIOD and a fixed period.
 * The place of a packet that never arrived is empty in the first round; later it has the
 * packet of the round before.
 */
#ifndef _UAPI_LINUX_PCOUNTER_RECORD_H
#define _UAPI_LINUX_PCOUNTER_RECORD_H

#include <linux/types.h>

#define PCOUNTER_RECORD_MAGIC		0x4e435021	/* "!PCN" */
#define PCOUNTER_RECORD_VERSION		1

#define PCOUNTER_RECORD_LONG		0	/* 32 bytes, 12 counters */
#define PCOUNTER_RECORD_SHORT		1	/* 16 bytes, 4 counters */
#define PCOUNTER_RECORD_STREAM		2	/* GF100+: 32 bytes, 4 counters of 32 bits */

#define PCOUNTER_RECORD_SLOT_CLK	0xffff	/* the event counts cycles */

/**
 * struct pcounter_record_packet - a packet; a SHORT one ends after 4 counters
 * @cycles: cycle counter of the domain, 48 bits, from low to high; it begins
 *	with 0 when recording begins, and again after a gap
 * @stop: bits 0 to 11: requests that this packet answers; if any of bits 12 to
 *	15 is set, which happens in an AUX area only, the packet never arrived
 * @ctr: events since the packet before; 0xffff: the counter was full
 */
struct pcounter_record_packet {
	__le16 cycles[3];
	__le16 stop;
	__le16 ctr[12];
};

/* The id of a domain's records is its number plus this: lower ids are for errors. */
#define PCOUNTER_RECORD_ID		32

/* Bits of pcounter_record_stream.flags */
#define PCOUNTER_RECORD_SAMPLES		0x0fff	/* number of requests, modulo 4096 */
#define PCOUNTER_RECORD_DELAYED		0x1000	/* the domain could not send at its request */
#define PCOUNTER_RECORD_HALF		0x2000	/* 16 bytes only: the driver ends the stream */
#define PCOUNTER_RECORD_EMPTY		0xc000	/* all set: the record never arrived */

/**
 * struct pcounter_record_stream - a record of GF100 and later; all domains have one ring
 * @time: bits 0 to 31 of the time, by a clock that all domains share
 * @time_high: bits 32 to 39
 * @id: the domain's number + PCOUNTER_RECORD_ID; 0 if the GPU does not number them, then
 *	all records are of one domain
 * @flags: see above
 * @ctr: counts of EVENT, PRE, START and STOP, which are the slots 0 to 3
 * @other: not known
 */
struct pcounter_record_stream {
	__le32 time;
	__u8 time_high;
	__u8 id;
	__le16 flags;
	__le32 ctr[4];
	__le32 other[2];
};

/* Bits of pcounter_record_header.flags */
#define PCOUNTER_RECORD_SUMS		0x1	/* counters of a STREAM run on over its records */

/**
 * struct pcounter_record_header - what comes before the packets of a sample
 * @magic: PCOUNTER_RECORD_MAGIC
 * @version: PCOUNTER_RECORD_VERSION
 * @size: bytes of this header; packets begin behind it
 * @domain: number of the domain
 * @format: PCOUNTER_RECORD_LONG, SHORT or STREAM
 * @slot: which counter is the event's, or PCOUNTER_RECORD_SLOT_CLK
 * @packets: how many follow; 0: they are in the AUX area
 * @first: number of the first of them since recording began, of the next one
 *	if there are none
 * @pair_cycle: cycle counter of a packet, or time of a STREAM, ...
 * @pair_time: ... and perf's clock in ns when it was taken: it had been written
 *	at most one poll interval before
 * @overrun: packets lost since recording began: overwritten before they were taken
 * @missing: packets lost: they never arrived. This and the next two are of packets that the
 *	driver has counted: a reader of an AUX area finds them in its packets
 * @merged: requests that found the packet before still on its way
 * @saturated: packets with a full counter
 * @gaps: times that recording began anew: at the end of its window, or because
 *	packets went to another place
 * @reserved: 0
 * @used: a bit for each counter that an event of the domain has, whoever's it is
 * @flags: PCOUNTER_RECORD_SUMS or 0
 * @periodic: of a STREAM: a record of the domain covers 2^(9 + @periodic) clocks, as far
 *	as it is not DELAYED; otherwise 0
 * @zero: 0
 */
struct pcounter_record_header {
	__le32 magic;
	__le16 version;
	__le16 size;
	__le16 domain;
	__le16 format;
	__le16 slot;
	__le16 packets;
	__le64 first;
	__le64 pair_cycle;
	__le64 pair_time;
	__le64 overrun;
	__le64 missing;
	__le64 merged;
	__le64 saturated;
	__le64 gaps;
	__le64 reserved;
	__le16 used;
	__le16 flags;
	__le16 periodic;
	__le16 zero;
};

#endif
