// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures that are being written, and transfer of a domain's packets from perf's buffers
 * into them. capture/format.h describes the format.
 */
#include <assert.h>
#include <endian.h>

#include "capture/stream.h"
#include "lib/util.h"

#define TRACE_ENTRY	12	/* struct trace_entry and padding before our header */

/* ---- the file ---- */

/*
 * Write bytes. A signal interrupts no write before the end of patience. After a failed write
 * nothing more is written: it would follow an incomplete block.
 */
static bool put(struct capture *file, const void *bytes, size_t size)
{
	if (ferror(file->f))
		return false;
	return !size || fwrite(bytes, size, 1, file->f) == 1 ||
	       complain("%s: %s", file->path, strerror(errno));
}

/**
 * capture_create() - create a file
 * @file: the file
 * @path: its name; an existing file is renamed to .old
 * @perf_time: perf's clock at this moment
 * @records: it will have records of GF100 and later
 *
 * Return: false, with a message, if it cannot be written.
 */
bool capture_create(struct capture *file, const char *path, uint64_t perf_time, bool records)
{
	struct pcounter_capture_header head = {
		.magic = htole64(PCOUNTER_CAPTURE_MAGIC),
		.version = htole32(records ? PCOUNTER_CAPTURE_VERSION :
					     PCOUNTER_CAPTURE_PACKETS_ONLY),
		.size = htole32(sizeof(head)),
		.real_time = htole64(clock_ns(CLOCK_REALTIME)),
		.perf_time = htole64(perf_time),
	};
	int fd = keep_old(path) ? create_file(path, 0600, NULL) : -1;

	*file = (struct capture){ .f = fd < 0 ? NULL : fdopen(fd, "w"), .path = path };
	if (!file->f)
		return false;
	/* packets need no copy */
	setbuf(file->f, NULL);
	return put(file, &head, sizeof(head));
}

static bool put_head(struct capture *file, uint32_t type, uint32_t stream, size_t size)
{
	struct pcounter_capture_block head = {
		.type = htole32(type), .stream = htole32(stream), .size = htole64(size),
	};

	return put(file, &head, sizeof(head));
}

/**
 * capture_block() - write a block
 * @file: the file
 * @type: enum pcounter_capture_type
 * @stream: number of the stream
 * @body: contents of the block
 * @size: size of @body in bytes, a multiple of 16
 *
 * Return: false, with a message, if writing fails.
 */
bool capture_block(struct capture *file, uint32_t type, uint32_t stream,
		   const void *body, size_t size)
{
	return put_head(file, type, stream, size) && put(file, body, size);
}

/**
 * capture_close() - close a file
 * @file: the file
 *
 * Return: false, with a message, if closing fails, since a delayed write may fail then.
 */
bool capture_close(struct capture *file)
{
	return !fclose(file->f) || complain("%s: %s", file->path, strerror(errno));
}

/* ---- headers ---- */

static void data_copy(const struct stream *s, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)s->count.page + s->count.page->data_offset;
	uint64_t size = s->count.page->data_size;

	for (; n; n--, at++, to = (char *)to + 1)
		*(char *)to = data[at % size];
}

/* Return the mask of the counters in the packets. */
static unsigned int counters_used(const struct stream *s)
{
	unsigned int i, used = 0;

	for (i = 0; i < s->group->nr; i++)
		if (s->verdict.slot[i] != PCOUNTER_NO_SLOT)
			used |= 1u << s->verdict.slot[i];
	return used;
}

/*
 * Return true if the counters are where the file describes them. The slot is that of the
 * event with the area, which has the samples.
 */
static bool in_place(const struct stream *s, const struct pcounter_record_header *head)
{
	int slot = s->verdict.slot[0];

	return le16toh(head->used) == counters_used(s) &&
	       (s->ring != s || le16toh(head->slot) ==
			(slot == PCOUNTER_NO_SLOT ? PCOUNTER_RECORD_SLOT_CLK : slot));
}

/* Return the code of the period that the file describes; one event of a group names it. */
static unsigned int periodic_of(const struct stream *s)
{
	unsigned int i;

	for (i = 0; i < s->group->nr; i++)
		if (s->verdict.req[i].set.periodic)
			return s->verdict.req[i].set.periodic;
	return PCOUNTER_PERIODIC_DEFAULT;
}

/* Return true if a record covers as many clocks as the file describes. */
static bool in_period(const struct stream *s, const struct pcounter_record_header *head)
{
	unsigned int periodic = le16toh(head->periodic);

	return !s->records || periodic == periodic_of(s) ||
	       complain("%s: the GPU makes a record each %llu clocks, not %llu as expected",
			s->group->event[0].text, 1ULL << (PCOUNTER_PERIODIC_SHIFT + periodic % 32),
			1ULL << (PCOUNTER_PERIODIC_SHIFT + periodic_of(s)));
}

/* Return the stream of a domain in an area, NULL if none has it. */
static struct stream *stream_of(struct stream *s, unsigned int domain)
{
	while (s && s->verdict.req[0].dom != domain)
		s = s->next;
	return s;
}

/*
 * Take the header in a sample, which precedes the record of its packets. With records there
 * may be one for each domain; the first stream's has the losses of the area.
 */
static bool take_header(struct stream *s, uint64_t at)
{
	struct pcounter_record_header head;
	struct stream *of = s;

	data_copy(s, at, &head, sizeof(head));
	if (le32toh(head.magic) != PCOUNTER_RECORD_MAGIC)
		return true;
	if ((le16toh(head.format) == PCOUNTER_RECORD_STREAM) != s->records) {
		s->bad = true;
		return complain("%s: format %u of packets is not what was expected",
				s->group->event[0].text, le16toh(head.format));
	}
	if (s->records)
		of = stream_of(s, le16toh(head.domain));
	if (of == s)
		s->head = head;
	s->bad = !of || !in_place(of, &head);
	if (s->bad)
		complain("somebody else records domain %u: counters are not where %s expects them",
			 le16toh(head.domain), (of ?: s)->group->event[0].text);
	else
		s->bad = !in_period(of, &head);
	return !s->bad;
}

/*
 * Take the losses that the packets do not show. The kernel counts them since the domain's
 * first event was opened. If the area has received at least as many packets by @end as the
 * number of the record's first packet, the domain did not record before this capture, and
 * all losses belong to the capture.
 */
static void take_losses(struct stream *s, uint64_t end)
{
	bool ours = le64toh(s->head.first) <= end / s->packet;
	const uint64_t overrun = le64toh(s->head.overrun), gaps = le64toh(s->head.gaps);

	if (!s->began && !ours) {
		s->before[LOSS_OVERRUN] = overrun;
		s->before[LOSS_GAPS] = gaps;
	}
	s->loss[LOSS_OVERRUN] = overrun - s->before[LOSS_OVERRUN];
	s->loss[LOSS_GAPS] = gaps - s->before[LOSS_GAPS];
	s->began = true;
}

static bool put_losses(struct stream *s, struct capture *file)
{
	__le64 loss[sizeof(struct pcounter_capture_loss) / sizeof(__le64)] = {};
	unsigned int i;

	for (i = 0; i < LOSSES; i++)
		loss[i] = htole64(s->loss[i]);
	memcpy(s->put, s->loss, sizeof(s->put));
	return capture_block(file, PCOUNTER_CAPTURE_LOSS, s->number, loss, sizeof(loss));
}

/* Write a pair. Its error is the time since the last pair: its packet came in between. */
static bool put_pair(struct stream *s, struct capture *file)
{
	uint64_t time = le64toh(s->head.pair_time);
	struct pcounter_capture_pair pair = {
		.cycle = s->head.pair_cycle, .time = s->head.pair_time,
		.error = htole64(time - s->time),
	};

	/* no packet since the last pair */
	if (time <= s->time)
		return true;
	s->time = time;
	return capture_block(file, PCOUNTER_CAPTURE_PAIR, s->number, &pair, sizeof(pair));
}

static const __le64 *packet_at(const struct stream *s, uint64_t at)
{
	return (const void *)(s->count.aux + at % s->count.size);
}

/* ---- records ---- */

/*
 * Note what a record shows: requests that have no record, or a late one, and time that runs
 * back. Return false, with the reason, if it cannot be what was asked for.
 */
static bool note_record(struct stream *ring, uint64_t at)
{
	uint64_t head = pcounter_packet_head(packet_at(ring, at)), time;
	unsigned int requests, id = pcounter_timed_id(head);
	/* some GPUs do not number a single domain */
	struct stream *s = id || ring->next ? stream_of(ring, id - PCOUNTER_RECORD_ID) : ring;
	bool late = head & PCOUNTER_TIMED_DELAYED;

	ring->bad = head & PCOUNTER_TIMED_HALF || !s;
	if (ring->bad)
		return complain("the GPU writes records %s, behind which nothing can be believed",
				s ? "of 16 bytes" : "with an id that no domain has");
	requests = s->first_word ? pcounter_timed_requests(head, s->first_word) : 1;
	if (requests > 1)
		s->loss[late ? LOSS_MERGED : LOSS_MISSING] += requests - 1;
	s->loss[LOSS_DELAYED] += late;
	time = pcounter_timed_clock(head, s->cycle);
	s->times.begun += !s->first_word || (int64_t)(time - s->cycle) < 0;
	s->cycle = time;
	s->first_word = head;
	s->taken++;
	return true;
}

/* ---- packets ---- */

/* Note what a packet shows: merged requests, a full counter, a cycle counter that starts again. */
static void note_packet(struct stream *s, uint64_t at, unsigned int used)
{
	const __le64 *slot = packet_at(s, at);
	uint64_t cycle = packet_cycle(slot), packet[PCOUNTER_PACKET_WORDS];

	pcounter_packet_load(slot, pcounter_packet_head(slot), s->packet / sizeof(*slot), packet);
	s->times.begun += !s->times.begun || cycle <= s->cycle;
	s->cycle = cycle;
	s->loss[LOSS_MERGED] += pcounter_packet_merged(packet[0]);
	s->loss[LOSS_SATURATED] += pcounter_packet_is_full(packet, used);
}

/*
 * Return true if a packet never arrived: its place is empty, or has the packet of the round
 * before. The driver empties all places where recording begins.
 */
static bool is_missing(struct stream *s, uint64_t at)
{
	uint64_t *seen, head = pcounter_packet_head(packet_at(s, at));
	uint64_t empty = s->records ? PCOUNTER_TIMED_ZERO : PCOUNTER_PACKET_ZERO;

	if (!s->seen)
		s->seen = need(s->count.size / s->packet, sizeof(*s->seen));
	seen = &s->seen[at % s->count.size / s->packet];
	if (head & empty || *seen == head)
		return true;
	*seen = head;
	return false;
}

/* Return the end of a piece: @end, the end of the area, or a packet that never arrived. */
static uint64_t piece_end(struct stream *s, uint64_t at, uint64_t end)
{
	uint64_t last = at - at % s->count.size + s->count.size;
	unsigned int used = counters_used(s);

	if (end > last)
		end = last;
	for (; at < end && !is_missing(s, at); at += s->packet) {
		if (!s->records)
			note_packet(s, at, used);
		else if (!note_record(s, at))
			break;
	}
	return at;
}

/* Write the packets up to @end, which are contiguous in the buffer, without a copy. */
static bool put_packets(struct stream *s, struct capture *file, uint64_t end)
{
	size_t size = end - s->tail;
	struct pcounter_capture_packets body = {
		/* packets that were overwritten have numbers, too */
		.first = htole64(s->tail / s->packet + s->loss[LOSS_OVERRUN]),
	};

	if (s->records)
		body.flags = htole32((le16toh(s->head.flags) & PCOUNTER_RECORD_SUMS) |
				     (s->anew ? PCOUNTER_CAPTURE_ANEW : 0));
	s->anew = false;
	return put_head(file, PCOUNTER_CAPTURE_PACKETS, s->number, sizeof(body) + size) &&
	       put(file, &body, sizeof(body)) && put(file, packet_at(s, s->tail), size);
}

static bool take_packets(struct stream *s, struct capture *file, uint64_t head)
{
	uint64_t end;

	/* only the header says what the counters of records are */
	if (s->records && !s->began)
		return true;
	while (s->tail < head && !s->bad) {
		end = piece_end(s, s->tail, head);
		if (end == s->tail) {
			end += s->packet;
			/* the next record of its domain shows it */
			s->loss[LOSS_MISSING] += !s->records;
		} else if (!put_packets(s, file, end)) {
			return false;
		}
		s->tail = end;
		__atomic_store_n(&s->count.page->aux_tail, end, __ATOMIC_RELEASE);
	}
	return !s->bad;
}

/* Write the losses of the area's streams that have changed. */
static bool put_new_losses(struct stream *s, struct capture *file)
{
	bool good = true;

	for (; s && good; s = s->next)
		good = !memcmp(s->loss, s->put, sizeof(s->put)) || put_losses(s, file);
	return good;
}

/* Write packets up to @end, then their pair and losses, in the order that readers expect. */
static bool take_piece(struct stream *s, struct capture *file, uint64_t end)
{
	bool said = s->head.magic;

	if (said)
		take_losses(s, end);
	s->head.magic = 0;
	return take_packets(s, file, end) && (!said || put_pair(s, file)) &&
	       put_new_losses(s, file);
}

/* ---- perf's records ---- */

/* The domains of records count their requests from 0 again. */
static void begin_anew(struct stream *s)
{
	s->anew = s->records;
	for (; s; s = s->next)
		s->first_word = 0;
}

static bool take_aux(struct stream *s, struct capture *file, uint64_t at)
{
	struct {
		uint64_t offset, size, flags;
	} aux;

	data_copy(s, at, &aux, sizeof(aux));
	s->full |= aux.flags & PERF_AUX_FLAG_TRUNCATED;
	s->paused |= s->full;
	if (aux.flags & PERF_AUX_FLAG_PARTIAL)
		begin_anew(s);
	if (!take_piece(s, file, aux.offset + aux.size))
		return false;
	if (aux.flags & PERF_AUX_FLAG_TRUNCATED)
		begin_anew(s);
	if (aux.flags & PERF_AUX_FLAG_TRUNCATED && s->seen)
		memset(s->seen, 0, s->count.size / s->packet * sizeof(*s->seen));
	return true;
}

static bool take_records(struct stream *s, struct capture *file)
{
	uint64_t head = __atomic_load_n(&s->count.page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = s->count.page->data_tail;
	bool good = true;

	while (good && at < head) {
		struct perf_event_header event;

		data_copy(s, at, &event, sizeof(event));
		if (event.type == PERF_RECORD_AUX)
			good = take_aux(s, file, at + sizeof(event));
		else if (event.type == PERF_RECORD_SAMPLE)
			/* PERIOD, the size of the RAW data, and the data */
			good = take_header(s, at + sizeof(event) + 8 + 4 + TRACE_ENTRY);
		at += event.size;
	}
	__atomic_store_n(&s->count.page->data_tail, at, __ATOMIC_RELEASE);
	return good;
}

/**
 * stream_drain() - write the packets that have arrived
 * @s: the stream
 * @file: the file
 *
 * Return: false, with a message, if writing fails.
 */
bool stream_drain(struct stream *s, struct capture *file)
{
	/* read before perf's records: they then cover these packets, unless records were lost */
	uint64_t head = __atomic_load_n(&s->count.page->aux_head, __ATOMIC_ACQUIRE);

	return !s->bad && take_records(s, file) && take_packets(s, file, head);
}

/**
 * stream_rest() - write all remaining packets
 * @s: the stream, disabled; the area's first one before the others
 * @file: the file
 *
 * Return: false, with a message, if writing fails.
 */
bool stream_rest(struct stream *s, struct capture *file)
{
	bool good = s->ring != s || (stream_drain(s, file) && take_piece(s, file, s->tail));

	/* a restart that the kernel does not count is a gap, too */
	if (s->times.begun > s->loss[LOSS_GAPS] + 1)
		s->loss[LOSS_GAPS] = s->times.begun - 1;
	/* the kernel counts an overflow of the area only when a packet follows */
	s->loss[LOSS_GAPS] += s->ring->full || (s->ring->paused && !s->loss[LOSS_GAPS]);
	return good;
}

/**
 * stream_lost() - check for losses
 * @s: the stream, at its end
 *
 * Merged requests and late records lose nothing.
 *
 * Return: true if packets, their counts, or time between them were lost.
 */
bool stream_lost(const struct stream *s)
{
	unsigned int i;

	for (i = 0; i < LOSSES; i++)
		if (is_loss(i) && s->loss[i])
			return true;
	return s->times.begun > 1 || s->times.enabled > s->times.running + READ_SLACK;
}

/**
 * stream_end() - write the end of a stream
 * @s: the stream
 * @file: the file
 *
 * Return: false, with a message, if writing fails.
 */
bool stream_end(struct stream *s, struct capture *file)
{
	struct pcounter_capture_times times = {
		.span = htole64(s->times.span), .enabled = htole64(s->times.enabled),
		.running = htole64(s->times.running), .begun = htole32(s->times.begun),
		.why = htole32(s->times.early ? PCOUNTER_CAPTURE_EARLY : PCOUNTER_CAPTURE_DONE),
	};

	return put_losses(s, file) &&
	       capture_block(file, PCOUNTER_CAPTURE_TIMES, s->number, &times, sizeof(times)) &&
	       capture_block(file, PCOUNTER_CAPTURE_END, s->number, NULL, 0);
}

/* ---- the description ---- */

/**
 * stream_describe() - write the description of a stream
 * @s: the stream
 * @file: the file
 *
 * Return: false, with a message, if writing fails.
 */
bool stream_describe(const struct stream *s, struct capture *file)
{
	const struct event *event = s->group->event;
	const struct pmu *pmu = event->pmu;
	struct pcounter_capture_stream body = {
		.chipset = htole32(pmu->topo.chip ? pmu->topo.chip->chipset : 0),
		.domain = htole16(s->verdict.req[0].dom),
		.format = htole16(s->records ? PCOUNTER_RECORD_STREAM :
				  s->verdict.req[0].set.brief ? PCOUNTER_RECORD_SHORT :
								PCOUNTER_RECORD_LONG),
		.period = htole64(1ULL << (PCOUNTER_PERIODIC_SHIFT + periodic_of(s))),
		.hz = htole64(s->hz > 0 ? s->hz : 0),
		.ring = htole32(s->records ? s->ring->number : 0),
	};
	unsigned int i, twin;
	const char *terms;

	snprintf(body.pmu, sizeof(body.pmu), "%s", pmu->name);
	snprintf(body.gpu, sizeof(body.gpu), "%s", pmu->device);
	for (i = 0; i < s->group->nr; i++) {
		terms = strchr(event[i].text, '/') + 1;
		for (twin = 0; s->verdict.slot[twin] != s->verdict.slot[i];)
			twin++;
		/* events of the same signal share a counter, which has a single name */
		if (twin != i)
			complain("%s counts what %s does: recorded once", event[i].text,
				 event[twin].text);
		else if (s->verdict.slot[i] >= 0 && s->verdict.slot[i] < PCOUNTER_CAPTURE_COUNTERS)
			snprintf(body.counter[s->verdict.slot[i]].name, PCOUNTER_CAPTURE_NAME,
				 "%.*s", (int)strcspn(terms, "/"), terms);
	}
	return capture_block(file, PCOUNTER_CAPTURE_STREAM, s->number, &body, sizeof(body));
}
