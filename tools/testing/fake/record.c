// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode of a fake machine: packets in the AUX area of an event, and perf's records
 * about them.
 */
#include <endian.h>
#include <linux/perf_event.h>
#include <string.h>

#include <linux/pcounter_record.h>

#include "fake.h"

#define ENTRY	12	/* perf's fields before the driver's data */

/**
 * struct sample - a sample of an event with an AUX area
 * @head: as perf has it
 * @period: the same
 * @size: bytes of raw data
 * @entry: perf's fields before the header
 * @record: the driver's header
 */
struct sample {
	struct perf_event_header head;
	__le64 period;
	__le32 size;
	char entry[ENTRY];
	struct pcounter_record_header record;
} __attribute((packed));

/**
 * struct area - PERF_RECORD_AUX
 * @head: as perf has it
 * @offset: start of new data in the area
 * @size: its bytes
 * @flags: PERF_AUX_FLAG_*
 */
struct area {
	struct perf_event_header head;
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

static void say(struct fake_event *leader, const void *what, size_t size)
{
	struct perf_event_mmap_page *page = leader->page;
	char *data = (char *)page + page->data_offset;
	size_t i;

	if (page->data_head + size - page->data_tail > page->data_size)
		return;
	for (i = 0; i < size; i++)
		data[(page->data_head + i) % page->data_size] = ((const char *)what)[i];
	page->data_head += size;
}

/*
 * Events of one signal share a counter, as in the driver. Return the number of used
 * counters.
 */
static unsigned int place(const struct fake_event *leader, unsigned int *slot)
{
	unsigned int used = 0, i, k;

	for (i = 0; i < leader->n; i++) {
		const struct fake_event *e = &fake_event[leader->member[i]];

		for (k = 0; k < i; k++)
			if (!fake_event[leader->member[k]].clk &&
			    fake_event[leader->member[k]].sig[0] == e->sig[0])
				break;
		slot[i] = k < i ? slot[k] : used;
		used += k == i && !e->clk;
	}
	return used;
}

static void tell(struct fake_event *leader, uint64_t flags)
{
	unsigned int slot[FAKE_MEMBERS];
	struct sample sample = {
		.head = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		.size = htole32(ENTRY + sizeof(sample.record)),
		.record = {
			.magic = htole32(PCOUNTER_RECORD_MAGIC),
			.version = htole16(PCOUNTER_RECORD_VERSION),
			.size = htole16(sizeof(sample.record)),
			.domain = htole16(leader->dom),
			.slot = htole16(leader->clk ? PCOUNTER_RECORD_SLOT_CLK : 0),
			.first = htole64(leader->first),
			.used = htole16((1u << place(leader, slot)) - 1),
			.pair_cycle = htole64(leader->written),
			.pair_time = htole64(fake_now),
			.gaps = htole64(leader->gaps),
		},
	};
	struct area area = {
		.head = { .type = PERF_RECORD_AUX, .size = sizeof(area) },
		.offset = leader->said, .size = leader->page->aux_head - leader->said,
		.flags = flags,
	};

	if (!area.size && !flags)
		return;
	say(leader, &sample, sizeof(sample));
	say(leader, &area, sizeof(area));
	leader->said = leader->page->aux_head;
}

/* Return false if the area has no room: then the event is disabled. */
static bool put_packet(struct fake_event *leader, uint64_t cycle)
{
	struct perf_event_mmap_page *page = leader->page;
	struct pcounter_record_packet packet = { .stop = htole16(1) };
	unsigned int slot[FAKE_MEMBERS], i;

	if (page->aux_head + sizeof(packet) - page->aux_tail > leader->aux_size) {
		leader->enabled = false;
		leader->active = false;
		leader->full = fake_now;
		tell(leader, PERF_AUX_FLAG_TRUNCATED);
		return false;
	}
	for (i = 0; i < 3; i++)
		packet.cycles[i] = htole16(cycle >> 16 * i);
	place(leader, slot);
	for (i = 0; i < leader->n; i++) {
		if (!fake_event[leader->member[i]].clk)
			packet.ctr[slot[i]] = htole16(leader->sum[i]);
		leader->sum[i] = 0;
	}
	memcpy(leader->aux + page->aux_head % leader->aux_size, &packet, sizeof(packet));
	page->aux_head += sizeof(packet);
	leader->written = cycle;
	leader->first++;
	return true;
}

/**
 * fake_record() - add packets for a group of record mode
 * @leader: its leader
 * @ns: duration
 */
void fake_record(struct fake_event *leader, uint64_t ns)
{
	double cycles = fake_rate(leader->dom) * (ns / 1e9), part;
	unsigned int i;

	while (cycles > 0 && leader->aux) {
		part = leader->written + leader->period - leader->cycle;
		part = part < cycles ? part : cycles;
		leader->cycle += part;
		cycles -= part;
		for (i = 0; i < leader->n; i++)
			leader->sum[i] += part * fake_share(&fake_event[leader->member[i]]);
		if (leader->cycle >= leader->written + leader->period &&
		    !put_packet(leader, leader->written + leader->period))
			return;
	}
	if (leader->aux)
		tell(leader, 0);
}

/**
 * fake_anew() - restart recording after another user of the domain
 * @leader: of the group that records it
 */
void fake_anew(struct fake_event *leader)
{
	leader->gaps += leader->full != 0;
	leader->full = 0;
	leader->cycle = 0;
	leader->written = 0;
	memset(leader->sum, 0, sizeof(leader->sum));
}
