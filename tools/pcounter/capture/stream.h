/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transfer of a domain's packets from perf's buffers into a file.
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
 * struct stream_times - the recorded part of the time
 * @span: ns from begin to end
 * @enabled: ns for which the events were enabled
 * @running: ns for which the events counted
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
 * @verdict: placement of the events
 * @fd: descriptors of the events; the first has the AUX area
 * @page: data area
 * @aux: AUX area
 * @size: size of the AUX area in bytes
 * @packet: size of a packet in bytes
 * @tail: bytes of the area already written to the file
 * @time: perf's clock at the last pair; before the first, when the events were enabled
 * @head: the kernel's header of the packets in its next record
 * @said: @head is valid
 * @before: losses before this capture
 * @began: @before is valid
 * @loss: losses of this capture, by enum loss
 * @full: recording has stopped until the area has room
 * @paused: @full has been set at least once
 * @cycle: cycle counter of the last packet
 * @begun: number of times that recording began
 * @bad: the counters of the events are unknown
 * @heard: time of the last packets, or of the last check that none can come
 * @running: ns for which the events had counted at @heard
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
