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

/**
 * struct pcounter_record_header - what comes before the packets of a sample
 * @magic: PCOUNTER_RECORD_MAGIC
 * @version: PCOUNTER_RECORD_VERSION
 * @size: bytes of this header; packets begin behind it
 * @domain: number of the domain
 * @format: PCOUNTER_RECORD_LONG or SHORT
 * @slot: which counter is the event's, or PCOUNTER_RECORD_SLOT_CLK
 * @packets: how many follow; 0: they are in the AUX area
 * @first: number of the first of them since recording began, of the next one
 *	if there are none
 * @pair_cycle: cycle counter of a packet ...
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
	__le16 zero[3];
};

#endif
