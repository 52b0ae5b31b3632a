/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of perf for measurements, and their buffers. */
#ifndef _BENCH_STREAM_H
#define _BENCH_STREAM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/pcounter.h>

#define MOST_EVENTS	160
#define TERM(name, val)	((uint64_t)(val) << PCOUNTER_##name##_LO)
#define CHECK(call)	do { if ((long)(call) < 0) die(#call); } while (0)

/**
 * struct stream - an event that is captured
 * @fd: the event
 * @page: head and tail
 * @data: the samples
 * @data_bytes: size of @data
 * @aux: the AUX area, if it has one
 * @aux_bytes: size of @aux
 * @packets: taken so far
 * @lost: lost packets, as the event reports them
 * @full: it has been disabled until there is room in its AUX area
 */
struct stream {
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t data_bytes;
	uint8_t *aux;
	uint64_t aux_bytes;
	uint64_t packets;
	uint64_t lost;
	bool full;
};

uint32_t pmu_type(const char *pmu);
int event_open(struct perf_event_attr *attr, int group);
void stream_map(struct stream *s, int fd, uint64_t data, uint64_t aux);
void stream_take(struct stream *s);
void stream_close(struct stream *s);

#endif
