// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that does the minimum work: it only moves the tail of an AUX area, and reads
 * the headers of samples.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/pcounter_record.h>

#include "meter.h"
#include "stream.h"

#define PACKET		sizeof(struct pcounter_record_packet)
/* Raw data of a sample: after the record's header, time and period its size and an entry. */
#define RAW_AT		(sizeof(struct perf_event_header) + 16 + 4 + 12)

uint32_t pmu_type(const char *pmu)
{
	char path[128], text[32];
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	stream = fopen(path, "r");
	if (!stream || !fgets(text, sizeof(text), stream))
		die(path);
	fclose(stream);
	return strtoul(text, NULL, 0);
}

/* Open an event of all processes; the PMU's events are on the first processor. */
int event_open(struct perf_event_attr *attr, int group)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, -1, 0, group, 0);
	CHECK(fd);
	return fd;
}

void stream_map(struct stream *s, int fd, uint64_t data, uint64_t aux)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	*s = (struct stream){ .fd = fd, .data_bytes = data, .aux_bytes = aux };
	s->page = mmap(NULL, page + data, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, s->fd, 0);
	if (s->page == MAP_FAILED)
		die("mmap");
	s->data = (uint8_t *)s->page + page;
	if (!aux)
		return;
	s->page->aux_offset = page + data;
	s->page->aux_size = aux;
	s->aux = mmap(NULL, aux, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->fd,
		      page + data);
	if (s->aux == MAP_FAILED)
		die("mmap of the AUX area");
}

void stream_close(struct stream *s)
{
	if (s->aux)
		munmap(s->aux, s->aux_bytes);
	munmap(s->page, sysconf(_SC_PAGESIZE) + s->data_bytes);
	close(s->fd);
}

static void copy_out(const struct stream *s, uint64_t at, void *to, size_t size)
{
	size_t first = s->data_bytes - at % s->data_bytes;

	first = first < size ? first : size;
	memcpy(to, s->data + at % s->data_bytes, first);
	memcpy((uint8_t *)to + first, s->data, size - first);
}

static void take_sample(struct stream *s, uint64_t at)
{
	struct pcounter_record_header head;

	copy_out(s, at + RAW_AT, &head, sizeof(head));
	if (head.magic != PCOUNTER_RECORD_MAGIC)
		return;
	s->packets += s->aux ? 0 : head.packets;
	s->lost = head.overrun + head.missing + head.merged;
}

static void take_data(struct stream *s)
{
	uint64_t head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = s->page->data_tail, word[3];
	struct perf_event_header h;

	for (; tail != head; tail += h.size) {
		copy_out(s, tail, &h, sizeof(h));
		if (h.type == PERF_RECORD_SAMPLE)
			take_sample(s, tail);
		if (h.type != PERF_RECORD_AUX)
			continue;
		copy_out(s, tail + sizeof(h), word, sizeof(word));
		s->full |= word[2] & PERF_AUX_FLAG_TRUNCATED;
	}
	__atomic_store_n(&s->page->data_tail, tail, __ATOMIC_RELEASE);
}

void stream_take(struct stream *s)
{
	take_data(s);
	if (s->aux) {
		uint64_t head = __atomic_load_n(&s->page->aux_head, __ATOMIC_ACQUIRE);

		s->packets += (head - s->page->aux_tail) / PACKET;
		__atomic_store_n(&s->page->aux_tail, head, __ATOMIC_RELEASE);
	}
	if (s->full)
		CHECK(ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0));
	s->full = false;
}
