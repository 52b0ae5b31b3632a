/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generated captures for tests: tools/pcounter/lib/capture/format.h.
 */
#ifndef _TESTING_CAPTURE_H
#define _TESTING_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct made - a capture in memory
 * @data: its contents
 * @size: bytes in use
 * @room: allocated bytes
 */
struct made {
	uint8_t *data;
	size_t size;
	size_t room;
};

void made_begin(struct made *made, uint64_t real_time, uint64_t perf_time);
void made_stream(struct made *made, uint32_t stream, unsigned int domain, int brief,
		 uint64_t period, uint64_t hz, const char *const *names);
size_t made_packets(struct made *made, uint32_t stream, uint64_t first);
void made_packet(struct made *made, size_t block, int brief, uint64_t cycle,
		 unsigned int requests, const uint16_t *count);
void made_records(struct made *made, uint32_t stream, uint32_t ring, unsigned int domain,
		  uint64_t period, const char *const *names);
void made_bytes(struct made *made, size_t block, const void *bytes, size_t size);
void made_pair(struct made *made, uint32_t stream, uint64_t cycle, uint64_t time, uint64_t error);
void made_loss(struct made *made, uint32_t stream, const uint64_t *loss);
void made_end(struct made *made, uint32_t stream);
void made_free(struct made *made);

void made_square(struct made *made);
void made_many(struct made *made, uint64_t packets);

#endif
