/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Captures that are being written: transfer of domains' packets from perf's buffers.
 */
#ifndef _PCOUNTER_TOOL_STREAM_H
#define _PCOUNTER_TOOL_STREAM_H

#include <stdio.h>

#include "capture/capture.h"
#include "gpu/count.h"

/**
 * struct capture - a file that is being written
 * @f: the file
 * @path: its name, for messages
 */
struct capture {
	FILE *f;
	const char *path;
};

/**
 * struct stream - packets of a domain
 *
 * From GF100 on the records of all domains of a GPU are in one area: that of their first
 * stream. Only this one has open events, perf's records and pairs.
 *
 * @number: number of the stream
 * @records: it has records
 * @ring: the stream that has the area, itself unless it has records
 * @next: another stream of the same area, NULL for the last one
 * @group: the events
 * @verdict: placement of the events
 * @count: the open events, and their areas
 * @hz: frequency of the domain, 0 or negative if unknown
 * @packet: size of a packet in bytes
 * @tail: bytes of the area already written to the file
 * @time: perf's clock at the last pair; before the first, when the events were enabled
 * @head: the kernel's header of the packets in its next record; without @magic there is none
 * @before: losses before this capture
 * @began: @before is valid
 * @loss: losses of this capture, by enum loss
 * @put: the losses that the file has
 * @seen: first words of the packets that were read last in each place of the area
 * @full: recording has stopped until the area has room
 * @paused: @full has been set at least once
 * @cycle: cycle counter of the last packet; time of the last record
 * @first_word: first word of the last record, 0 if there was none
 * @taken: number of records
 * @anew: recording has begun anew before the next records
 * @bad: the counters of the events are unknown
 * @heard: time of the last packets, or of the last check that none can come
 * @running: ns for which the events had counted at @heard
 * @times: the times for the file
 */
struct stream {
	unsigned int number;
	bool records;
	struct stream *ring;
	struct stream *next;
	const struct group *group;
	struct verdict verdict;
	struct count count;
	double hz;
	unsigned int packet;
	uint64_t tail;
	uint64_t time;
	struct pcounter_record_header head;
	uint64_t before[LOSSES];
	bool began;
	uint64_t loss[LOSSES];
	uint64_t put[LOSSES];
	uint64_t *seen;
	bool full;
	bool paused;
	uint64_t cycle;
	uint64_t first_word;
	uint64_t taken;
	bool anew;
	bool bad;
	double heard;
	uint64_t running;
	struct read_times times;
};

bool capture_create(struct capture *file, const char *path, uint64_t perf_time, bool records);
bool capture_block(struct capture *file, uint32_t type, uint32_t stream,
		   const void *body, size_t size);
bool capture_close(struct capture *file);

bool stream_describe(const struct stream *s, struct capture *file);
bool stream_drain(struct stream *s, struct capture *file);
bool stream_lost(const struct stream *s);
bool stream_end(struct stream *s, struct capture *file);
bool stream_rest(struct stream *s, struct capture *file);

#endif
