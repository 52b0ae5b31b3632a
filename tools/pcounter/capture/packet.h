/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of record mode, as the GPU wrote them.
 */
#ifndef _PCOUNTER_TOOL_PACKET_H
#define _PCOUNTER_TOOL_PACKET_H

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/pcounter_record.h>
#include <linux/types.h>

#define PACKET_CYCLES	GENMASK_ULL(47, 0)	/* in the first 8 bytes, below STOP's count */
#define PACKET_NONE	GENMASK_ULL(63, 60)	/* always 0 in a packet of the GPU */
#define PACKET_FULL	0xffff			/* a saturated counter */

/* Return the first 8 bytes of a packet. */
static inline u64 packet_head(const void *packet)
{
	u64 head;

	memcpy(&head, packet, sizeof(head));
	return le64toh(head);
}

/* Return the cycle counter at the end of a packet. */
static inline u64 packet_cycle(const void *packet)
{
	return packet_head(packet) & PACKET_CYCLES;
}

/* Return true if the GPU has not written to this slot. */
static inline bool packet_is_missing(const void *packet)
{
	return packet_head(packet) & PACKET_NONE;
}

/* Return the count of a counter. */
static inline u16 packet_counter(const void *packet, unsigned int counter)
{
	const struct pcounter_record_packet *p = packet;

	return le16toh(p->ctr[counter]);
}

#endif
