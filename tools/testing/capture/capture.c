// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generate captures for tests.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/pcounter_record.h>

#include "capture.h"
#include "capture/format.h"

#define BATCH	5000	/* packets in a block */
#define HZ	600000000ULL
#define PERIOD	1024

static void *add(struct made *made, size_t size)
{
	if (made->size + size > made->room) {
		made->room = 2 * (made->size + size);
		made->data = realloc(made->data, made->room);
		if (!made->data)
			abort();
	}
	memset(made->data + made->size, 0, size);
	made->size += size;
	return made->data + made->size - size;
}

/* Add an empty block; return its position. */
static size_t add_block(struct made *made, uint32_t type, uint32_t stream, uint64_t size)
{
	struct pcounter_capture_block *block = add(made, sizeof(*block));

	block->type = htole32(type);
	block->stream = htole32(stream);
	block->size = htole64(size);
	return made->size - sizeof(*block);
}

/**
 * made_begin() - begin a capture
 * @made: the capture
 * @real_time: CLOCK_REALTIME in ns
 * @perf_time: perf's clock in ns
 */
void made_begin(struct made *made, uint64_t real_time, uint64_t perf_time)
{
	struct pcounter_capture_header *header;

	memset(made, 0, sizeof(*made));
	header = add(made, sizeof(*header));
	header->magic = htole64(PCOUNTER_CAPTURE_MAGIC);
	header->version = htole32(PCOUNTER_CAPTURE_PACKETS_ONLY);
	header->size = htole32(sizeof(*header));
	header->real_time = htole64(real_time);
	header->perf_time = htole64(perf_time);
}

/**
 * made_stream() - describe a stream
 * @made: the capture
 * @stream: its number
 * @domain: number of its domain
 * @brief: its packets are SHORT
 * @period: clocks between packets
 * @hz: clock
 * @names: names of the counters, ended by NULL
 */
void made_stream(struct made *made, uint32_t stream, unsigned int domain, int brief,
		 uint64_t period, uint64_t hz, const char *const *names)
{
	struct pcounter_capture_stream *s;
	unsigned int i;

	add_block(made, PCOUNTER_CAPTURE_STREAM, stream, sizeof(*s));
	s = add(made, sizeof(*s));
	snprintf(s->pmu, sizeof(s->pmu), "pcounter_0");
	snprintf(s->gpu, sizeof(s->gpu), "0000:01:00.0");
	s->chipset = htole32(0x92);
	s->domain = htole16(domain);
	s->format = htole16(brief ? PCOUNTER_RECORD_SHORT : PCOUNTER_RECORD_LONG);
	s->period = htole64(period);
	s->hz = htole64(hz);
	for (i = 0; names[i]; i++)
		snprintf(s->counter[i].name, sizeof(s->counter[i].name), "%s", names[i]);
}

/**
 * made_records() - describe a stream of records, of GF100 and later
 * @made: the capture
 * @stream: its number
 * @ring: number of the stream that has the records
 * @domain: number of its domain
 * @period: clocks between records
 * @names: names of the counters, ended by NULL
 */
void made_records(struct made *made, uint32_t stream, uint32_t ring, unsigned int domain,
		  uint64_t period, const char *const *names)
{
	struct pcounter_capture_header *header;
	struct pcounter_capture_stream *s;

	made_stream(made, stream, domain, 0, period, 0, names);
	header = (void *)made->data;
	header->version = htole32(PCOUNTER_CAPTURE_VERSION);
	s = (void *)(made->data + made->size - sizeof(*s));
	s->format = htole16(PCOUNTER_RECORD_STREAM);
	s->ring = htole32(ring);
}

/**
 * made_bytes() - add packets as they are
 * @made: the capture
 * @block: its last block
 * @bytes: the packets
 * @size: their size in bytes
 */
void made_bytes(struct made *made, size_t block, const void *bytes, size_t size)
{
	struct pcounter_capture_block *b;

	memcpy(add(made, size), bytes, size);
	b = (void *)(made->data + block);
	b->size = htole64(le64toh(b->size) + size);
}

/**
 * made_packets() - start a block of packets
 * @made: the capture
 * @stream: number of its stream
 * @first: number of the first packet
 *
 * Return: the block, for made_packet().
 */
size_t made_packets(struct made *made, uint32_t stream, uint64_t first)
{
	struct pcounter_capture_packets *packets;
	size_t block = add_block(made, PCOUNTER_CAPTURE_PACKETS, stream, sizeof(*packets));

	packets = add(made, sizeof(*packets));
	packets->first = htole64(first);
	return block;
}

/**
 * made_packet() - add a packet
 * @made: the capture
 * @block: its last block
 * @brief: it is SHORT
 * @cycle: cycle counter
 * @requests: STOP
 * @count: 12 counters, or 4
 */
void made_packet(struct made *made, size_t block, int brief, uint64_t cycle,
		 unsigned int requests, const uint16_t *count)
{
	size_t size = brief ? 16 : sizeof(struct pcounter_record_packet);
	struct pcounter_record_packet packet = { .stop = htole16(requests) };
	unsigned int i;

	for (i = 0; i < 3; i++)
		packet.cycles[i] = htole16(cycle >> 16 * i);
	for (i = 0; i < (brief ? 4 : 12); i++)
		packet.ctr[i] = htole16(count[i]);
	made_bytes(made, block, &packet, size);
}

/**
 * made_pair() - add two clocks
 * @made: the capture
 * @stream: number of the stream
 * @cycle: cycle counter
 * @time: perf's clock
 * @error: maximum delay of the pair
 */
void made_pair(struct made *made, uint32_t stream, uint64_t cycle, uint64_t time, uint64_t error)
{
	struct pcounter_capture_pair *pair;

	add_block(made, PCOUNTER_CAPTURE_PAIR, stream, sizeof(*pair));
	pair = add(made, sizeof(*pair));
	pair->cycle = htole64(cycle);
	pair->time = htole64(time);
	pair->error = htole64(error);
}

/**
 * made_loss() - add a loss record
 * @made: the capture
 * @stream: number of the stream
 * @loss: the members of struct pcounter_capture_loss
 */
void made_loss(struct made *made, uint32_t stream, const uint64_t *loss)
{
	unsigned int i, n = sizeof(struct pcounter_capture_loss) / sizeof(uint64_t);
	__le64 *value;

	add_block(made, PCOUNTER_CAPTURE_LOSS, stream, n * sizeof(*value));
	value = add(made, n * sizeof(*value));
	for (i = 0; i < n; i++)
		value[i] = htole64(loss[i]);
}

/**
 * made_end() - end a stream
 * @made: the capture
 * @stream: its number
 */
void made_end(struct made *made, uint32_t stream)
{
	add_block(made, PCOUNTER_CAPTURE_END, stream, 0);
}

/**
 * made_free() - free a capture
 * @made: the capture
 */
void made_free(struct made *made)
{
	free(made->data);
	memset(made, 0, sizeof(*made));
}

static uint64_t time_of(uint64_t cycle)
{
	return 5000000000ULL + cycle * 1000000000ULL / HZ;
}

/**
 * made_square() - a square wave
 * @made: the capture
 *
 * Domain 1 at 600 MHz, a packet every 1024 clocks, 20 ms. c0 is 1 for 1 ms and 0
 * for 1 ms; c1 the same four times as fast; c2 is 1 in a quarter of all clocks.
 * Packets from 9 ms to 10 ms are lost.
 */
void made_square(struct made *made)
{
	static const char *const names[] = {
		"dom=1,sig=0x10", "dom=1,sig=0x11", "dom=1,sig=0x12", NULL
	};
	const uint64_t ms = HZ / 1000, packets = 20 * ms / PERIOD;
	uint64_t n, cycle, loss[6] = {};
	uint16_t count[12] = {};
	size_t block;

	made_begin(made, 1600000000000000000ULL, 5000000000ULL);
	made_stream(made, 0, 1, 0, PERIOD, HZ, names);
	block = made_packets(made, 0, 0);
	for (n = 0; n < packets; n++) {
		cycle = n * PERIOD;
		if (cycle / ms == 9) {
			loss[0]++;
			continue;
		}
		if (n && (cycle - PERIOD) / ms == 9)
			block = made_packets(made, 0, n);
		count[0] = cycle / ms % 2 ? PERIOD : 0;
		count[1] = cycle * 4 / ms % 2 ? PERIOD : 0;
		count[2] = PERIOD / 4;
		made_packet(made, block, 0, cycle + PERIOD, 1, count);
	}
	for (n = 1; n <= 20; n++)
		made_pair(made, 0, n * ms, time_of(n * ms) + n * 7 % 50, 60);
	made_loss(made, 0, loss);
	made_end(made, 0);
}

/**
 * made_many() - many packets, all counters in use
 * @made: the capture
 * @packets: number of packets
 */
void made_many(struct made *made, uint64_t packets)
{
	static const char *const names[] = {
		"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", NULL
	};
	uint64_t n, seed = 1, loss[6] = {};
	uint16_t count[12];
	size_t block = 0;
	unsigned int k;

	made_begin(made, 1600000000000000000ULL, 5000000000ULL);
	made_stream(made, 0, 1, 0, PERIOD, HZ, names);
	for (n = 0; n < packets; n++) {
		if (!(n % BATCH)) {
			if (n)
				made_pair(made, 0, n * PERIOD, time_of(n * PERIOD) + 30, 60);
			block = made_packets(made, 0, n);
		}
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		for (k = 0; k < 12; k++)
			count[k] = k < 10 ? (seed >> (8 + 4 * k)) % (PERIOD + 1) :
					    (n >> 10) % 2 * PERIOD;
		made_packet(made, block, 0, (n + 1) * PERIOD, 1, count);
	}
	made_loss(made, 0, loss);
	made_end(made, 0);
}
