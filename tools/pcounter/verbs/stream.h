/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of a domain on their way from perf's buffers into a file.
 */
#ifndef _PCOUNTER_TOOL_STREAM_H
#define _PCOUNTER_TOOL_STREAM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/pcounter_record.h>

#include "capture/write.h"
#include "gpu/verdict.h"

#define LOSSES		6

/**
 * struct stream - packets of a domain
 * @number: number of the stream
 * @group: the events
 * @verdict: where they go
 * @fd: their descriptors; the first has the AUX area
 * @page: data area
 * @aux: AUX area
 * @size: bytes of it
 * @packet: bytes of a packet
 * @tail: bytes that have been written
 * @time: perf's clock at the last pair, before that when the events were enabled
 * @head: what the kernel says of the packets that it tells of next
 * @said: it does
 * @before: what was missing before this capture ...
 * @began: ... which is known
 * @loss: what is missing, in the order of struct pcounter_capture_loss
 * @full: recording has stopped, and waits for us
 * @bad: nobody knows which counters are ours
 * @heard: when packets came last, or it was seen that none can
 * @running: for how long the events had counted then
 */
struct stream {
	unsigned int number;
	const struct group *group;
	struct verdict verdict;
	int fd[GROUP_EVENTS];
	struct perf_event_mmap_page *page;
	char *aux;
	size_t size;
	unsigned int packet;
	uint64_t tail;
	uint64_t time;
	struct pcounter_record_header head;
	bool said;
	uint64_t before[LOSSES];
	bool began;
	uint64_t loss[LOSSES];
	bool full;
	bool bad;
	double heard;
	uint64_t running;
};

bool stream_describe(const struct stream *s, struct capture *file, double hz);
bool stream_drain(struct stream *s, struct capture *file);
bool stream_rest(struct stream *s, struct capture *file);

#endif
