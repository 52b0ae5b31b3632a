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

#include "capture/capture.h"
#include "capture/write.h"
#include "gpu/verdict.h"

/**
 * struct stream_times - how much of the time was recorded
 * @span: ns from begin to end
 * @enabled: for which the events were enabled
 * @running: and for which they counted
 */
struct stream_times {
	uint64_t span;
	uint64_t enabled;
	uint64_t running;
};

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
 * @head: the kernel's header of the packets that it reports next
 * @said: it does
 * @before: losses before this capture ...
 * @began: ... which is known
 * @loss: losses since then, by enum loss
 * @full: recording has stopped, and waits for us
 * @paused: that has happened
 * @cycle: cycle counter of the last packet
 * @begun: how often recording began
 * @bad: nobody knows which counters are ours
 * @heard: when packets came last, or it was seen that none can
 * @running: for how long the events had counted then
 * @times: the times for the file
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
	bool paused;
	uint64_t cycle;
	unsigned int begun;
	bool bad;
	double heard;
	uint64_t running;
	struct stream_times times;
};

unsigned int stream_twin(const struct stream *s, unsigned int member);
bool stream_describe(const struct stream *s, struct capture *file, double hz);
bool stream_drain(struct stream *s, struct capture *file);
bool stream_lost(const struct stream *s);
bool stream_end(struct stream *s, struct capture *file, bool early);
bool stream_rest(struct stream *s, struct capture *file);

#endif
