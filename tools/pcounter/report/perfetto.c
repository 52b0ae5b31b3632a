// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: traces in Perfetto's own format, protocol buffers as published in
 * protos/perfetto/trace/trace_packet.proto and the files that it imports.
 */
#include <endian.h>
#include <math.h>

#include "gpu/pmu.h"
#include "gpu/texts.h"
#include "report/report.h"

#define MESSAGE		8192

enum wire_type { VARINT, FIXED64, BYTES };

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };

enum {
	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11,
	PACKET_FLAGS = 13, PACKET_GPU_COUNTERS = 52, PACKET_CLOCK = 58, PACKET_TRACK = 60,
};

enum { SNAPSHOT_CLOCK = 1 };

enum { CLOCK_NUMBER = 1, CLOCK_TIME = 2 };

enum { COUNTERS_DESCRIPTOR = 1, COUNTERS_VALUE = 2, COUNTERS_GPU = 3 };

enum { VALUE_COUNTER = 1, VALUE_DOUBLE = 3 };

enum { DESCRIPTOR_SPEC = 1, DESCRIPTOR_BLOCK = 2 };

enum {
	SPEC_COUNTER = 1, SPEC_NAME = 2, SPEC_TEXT = 3, SPEC_PEAK = 6, SPEC_UNIT = 7,
	SPEC_SELECTED = 9, SPEC_GROUP = 10, SPEC_DIRECTION = 11,
};

enum { BLOCK_NUMBER = 1, BLOCK_NAME = 3, BLOCK_COUNTER = 5 };

enum { TRACK_NUMBER = 1, TRACK_NAME = 2 };

enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23 };

/* Values of fields. */
enum { CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_BOOT = 6, CLOCK_PERF = 10 };

enum {
	GROUP_UNCLASSIFIED, GROUP_SYSTEM, GROUP_VERTICES, GROUP_FRAGMENTS, GROUP_PRIMITIVES,
	GROUP_MEMORY, GROUP_COMPUTE,
};

enum { SLICE_BEGIN = 1, SLICE_END = 2 };
#define UNIT_PERCENT		37
#define BACKWARDS		1	/* a value belongs to the time before it */
#define STATE_CLEARED		1
#define OUR_SEQUENCE		1

/**
 * struct message - a message that is being built
 * @at: number of bytes in @buf
 * @buf: the encoded message
 */
struct message {
	size_t at;
	unsigned char buf[MESSAGE];
};

static void varint(struct message *m, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		m->buf[m->at++] = n | 0x80;
	m->buf[m->at++] = n;
}

static void field(struct message *m, unsigned int number, u64 value)
{
	varint(m, number << 3 | VARINT);
	varint(m, value);
}

static void field_double(struct message *m, unsigned int number, double value)
{
	u64 bits;

	varint(m, number << 3 | FIXED64);
	memcpy(&bits, &value, sizeof(bits));
	bits = htole64(bits);
	memcpy(m->buf + m->at, &bits, sizeof(bits));
	m->at += sizeof(bits);
}

static void field_bytes(struct message *m, unsigned int number, const void *data, size_t len)
{
	varint(m, number << 3 | BYTES);
	varint(m, len);
	memcpy(m->buf + m->at, data, len);
	m->at += len;
}

static void field_text(struct message *m, unsigned int number, const char *text)
{
	field_bytes(m, number, text, strlen(text));
}

static void field_message(struct message *m, unsigned int number, const struct message *inner)
{
	field_bytes(m, number, inner->buf, inner->at);
}

/* Write a packet of the trace, at a time of perf's clock. */
static void put_packet(struct sink *s, unsigned int number, const struct message *inner, u64 time,
		       unsigned int flags)
{
	static struct message packet, trace;

	packet.at = 0;
	trace.at = 0;
	field(&packet, PACKET_TIME, time);
	field(&packet, PACKET_CLOCK, CLOCK_PERF);
	field(&packet, PACKET_SEQUENCE, OUR_SEQUENCE);
	if (flags)
		field(&packet, PACKET_FLAGS, flags);
	field_message(&packet, number, inner);
	field_message(&trace, TRACE_PACKET, &packet);
	fwrite_unlocked(trace.buf, 1, trace.at, s->out.f);
}

static void put_clock(struct message *snapshot, unsigned int number, u64 time)
{
	struct message clock = {};

	field(&clock, CLOCK_NUMBER, number);
	field(&clock, CLOCK_TIME, time);
	field_message(snapshot, SNAPSHOT_CLOCK, &clock);
}

/**
 * perfetto_begin() - write the clocks, which precede all streams
 * @s: the output
 *
 * A capture without some of the clocks is placed by the time of day, and is aligned with
 * other traces only as exactly as that.
 */
void perfetto_begin(struct sink *s)
{
	static const unsigned int numbers[SYSTEM_CLOCKS] = {
		CLOCK_PERF, CLOCK_REAL, CLOCK_MONO, CLOCK_BOOT,
	};
	const struct read_file *file = &s->report->file;
	const u64 few[1][SYSTEM_CLOCKS] = {
		{ file->perf_time, file->real_time, 0, file->perf_time },
	};
	const u64 (*clocks)[SYSTEM_CLOCKS] = file->nr_clocks ? file->clocks : few;
	struct message snapshot;
	unsigned int i, k;

	for (i = 0; i < max(file->nr_clocks, 1U); i++) {
		snapshot.at = 0;
		for (k = 0; k < SYSTEM_CLOCKS; k++)
			if (clocks[i][k])
				put_clock(&snapshot, numbers[k], clocks[i][k]);
		put_packet(s, PACKET_CLOCKS, &snapshot, *clocks[i], STATE_CLEARED * !i);
	}
}

/* Find the group of a signal by the first word of its name (hw:signals). */
static unsigned int group_of(const char *name)
{
	static const char *const units[] = {
		[GROUP_SYSTEM] = " pgraph gpu ctxctl host pbus ptimer ",
		[GROUP_VERTICES] = " vfetch vattr geom input strmout stream ",
		[GROUP_FRAGMENTS] = " trast rasterizer zcull prop zrop crop rop ",
		[GROUP_PRIMITIVES] = " vclip setup ",
		[GROUP_MEMORY] = " tex texture pfb fb l1 l2 mmu ",
		[GROUP_COMPUTE] = " mpc tpc shader inst cta ",
	};
	const char *end = strchr(name, '_'), *unit;
	unsigned int i;

	if (!end || end == name)
		return GROUP_UNCLASSIFIED;
	unit = text_tmp(" %.*s ", (int)(end - name), name);
	for (i = GROUP_SYSTEM; i < ARRAY_SIZE(units); i++)
		if (strstr(units[i], unit))
			return i;
	return GROUP_UNCLASSIFIED;
}

/* Return the number of the stream in the trace. */
static unsigned int number_of(const struct sink *s)
{
	return s->rs->number + 1;
}

static unsigned int counter_of(const struct sink *s, unsigned int k)
{
	return number_of(s) * READ_COUNTERS + k;
}

static void begin_counters(struct message *m, const struct sink *s)
{
	const char *number = strrchr(s->rs->s->pmu, '_');

	m->at = 0;
	field(m, COUNTERS_GPU, number ? strtoul(number + 1, NULL, 10) : 0);
}

static void put_spec(struct message *descriptor, const struct sink *s, unsigned int k)
{
	const struct read_stream *stream = s->rs->s;
	const struct event_text *text = event_text(stream->name[k]);
	struct message spec = {};

	field(&spec, SPEC_COUNTER, counter_of(s, k));
	field_text(&spec, SPEC_NAME, text_tmp("domain %u: %s", stream->domain,
					      report_name(s->rs, k)));
	field_text(&spec, SPEC_TEXT, text_tmp("%s %s: share of the clocks of domain %u%s%s",
					      stream->pmu, stream->gpu, stream->domain,
					      text ? ": " : "", text ? text->text : ""));
	field_double(&spec, SPEC_PEAK, 100);
	field(&spec, SPEC_UNIT, UNIT_PERCENT);
	field(&spec, SPEC_SELECTED, true);
	field(&spec, SPEC_GROUP, group_of(stream->name[k]));
	field(&spec, SPEC_DIRECTION, BACKWARDS);
	field_message(descriptor, DESCRIPTOR_SPEC, &spec);
}

/**
 * perfetto_stream() - begin a stream: its counters, and a track for losses
 * @s: the output
 */
void perfetto_stream(struct sink *s)
{
	struct message descriptor = {}, counters, block = {}, track = {};
	const struct read_stream *stream = s->rs->s;
	char name[2 * PCOUNTER_CAPTURE_NAME + 32];
	unsigned int k;

	snprintf(name, sizeof(name), "%s %s domain %u", stream->pmu, stream->gpu, stream->domain);
	field(&block, BLOCK_NUMBER, number_of(s));
	field_text(&block, BLOCK_NAME, name);
	for (k = 0; k < READ_COUNTERS; k++) {
		s->last[k] = NAN;
		if (!(s->rs->counters & BIT(k)))
			continue;
		put_spec(&descriptor, s, k);
		field(&block, BLOCK_COUNTER, counter_of(s, k));
	}
	field_message(&descriptor, DESCRIPTOR_BLOCK, &block);
	begin_counters(&counters, s);
	field_message(&counters, COUNTERS_DESCRIPTOR, &descriptor);
	put_packet(s, PACKET_GPU_COUNTERS, &counters, s->report->file.perf_time, 0);
	field(&track, TRACK_NUMBER, number_of(s));
	field_text(&track, TRACK_NAME, name);
	put_packet(s, PACKET_TRACK, &track, s->report->file.perf_time, 0);
	s->open = false;
}

static void put_slice(struct sink *s, unsigned int type, s64 time)
{
	struct message event = {};

	field(&event, EVENT_TYPE, type);
	field(&event, EVENT_TRACK, number_of(s));
	if (type == SLICE_BEGIN)
		field_text(&event, EVENT_NAME, "nothing known");
	put_packet(s, PACKET_TRACK_EVENT, &event, s->report->file.perf_time + time, 0);
}

/*
 * Write the previous shares when they change at @time: in this format a value belongs to
 * the time before it. @share has the new shares, NULL at the end.
 */
static void put_shares(struct sink *s, const double *share, s64 time)
{
	struct message counters, value;
	bool any = false;
	unsigned int k;

	begin_counters(&counters, s);
	for (k = 0; k < READ_COUNTERS; k++) {
		if (!(s->rs->counters & BIT(k)) || (share && s->last[k] == share[k]))
			continue;
		value.at = 0;
		field(&value, VALUE_COUNTER, counter_of(s, k));
		field_double(&value, VALUE_DOUBLE, isnan(s->last[k]) ? 0 : 100 * s->last[k]);
		field_message(&counters, COUNTERS_VALUE, &value);
		if (share)
			s->last[k] = share[k];
		any = true;
	}
	if (any)
		put_packet(s, PACKET_GPU_COUNTERS, &counters, s->report->file.perf_time + time, 0);
}

/**
 * perfetto_row() - write the row
 * @s: the output
 */
void perfetto_row(struct sink *s)
{
	u64 cycles = s->row[ROW_CYCLES].i;
	s64 begin = cycles ? s->begin : s->end;
	double share[READ_COUNTERS] = {};
	unsigned int k;

	if (s->open && (!s->joined || !cycles)) {
		put_shares(s, share, s->last_end);
		put_slice(s, SLICE_BEGIN, s->last_end);
		put_slice(s, SLICE_END, max(begin, s->last_end));
	}
	s->open = true;
	s->last_end = s->end;
	if (!cycles)
		return;
	for (k = 0; k < READ_COUNTERS; k++)
		share[k] = (double)s->row[ROW_COUNTERS + k].i / cycles;
	put_shares(s, share, begin);
}

/**
 * perfetto_end() - end a stream
 * @s: the output
 */
void perfetto_end(struct sink *s)
{
	if (s->open)
		put_shares(s, NULL, s->last_end);
}
