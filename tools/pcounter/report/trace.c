// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: traces in JSON, for chrome://tracing and small ones.
 */
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>

#include "report/trace.h"
#include "report/walk.h"

static void put_event(struct sink *s, const char *kind, s64 time)
{
	put(s, s->more ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	s->more = true;
	put(s, kind);
	put(s, "\",\"pid\":");
	put_number(s, s->pid);
	put(s, ",\"tid\":0,\"ts\":");
	if (time < 0)
		put_char(s, '-');
	put_fraction(s, time < 0 ? -(u64)time : (u64)time, 1000);
}

static void put_counter(struct sink *s, unsigned int k, s64 time, u64 share)
{
	char name[2 * PCOUNTER_CAPTURE_NAME];

	if (s->last[k] == share)
		return;
	s->last[k] = share;
	quote_json(name, sizeof(name), s->rs->s->name[k]);
	put_event(s, "C", time);
	put(s, ",\"name\":\"c");
	put_number(s, k);
	put_char(s, ' ');
	put(s, name);
	put(s, "\",\"args\":{\"value\":");
	put_fraction(s, share, PARTS);
	put(s, "}}");
}

static void put_lost(struct sink *s, s64 begin, s64 end)
{
	unsigned int k;

	for (k = 0; k < READ_COUNTERS; k++)
		if (s->rs->counters & BIT(k))
			put_counter(s, k, begin, 0);
	put_event(s, "X", begin);
	put(s, ",\"dur\":");
	put_fraction(s, max(end - begin, (s64)0), 1000);
	put(s, ",\"name\":\"nothing known\",\"args\":{}}");
}

/**
 * trace_row() - write a row
 * @s: where to
 * @row: the row
 */
void trace_row(struct sink *s, const struct row *row)
{
	s64 begin = row->cycles ? row->begin : row->end;
	unsigned int k;

	if (s->open && (!row->joined || !row->cycles))
		put_lost(s, s->end, begin);
	s->open = true;
	s->end = row->end;
	for (k = 0; k < READ_COUNTERS && row->cycles; k++)
		if (s->rs->counters & BIT(k))
			put_counter(s, k, begin, row->count[k] * (double)PARTS / row->cycles);
}

static const char value[] =
	"share of the clocks of the domain in which the event was there, from 0 to 1";
static const char direction[] = "more is busier; a value holds from its time up to the next";
static const char unknown[] = "what was lost is a slice 'nothing known', and 0 meanwhile";

/**
 * trace_begin() - what stands before all streams
 * @s: where to
 * @report: the run
 */
void trace_begin(struct sink *s, const struct report *report)
{
	fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\n", s->f);
	fprintf(s->f, "\"producer\":\"pcounter %s\",\n", PCOUNTER_VERSION);
	fputs("\"clock\":\"perf's clock in us since the capture began\",\n", s->f);
	fprintf(s->f, "\"perf_time_ns\":%llu,\n", (unsigned long long)report->file.perf_time);
	fprintf(s->f, "\"real_time_ns\":%llu,\n", (unsigned long long)report->file.real_time);
	fprintf(s->f, "\"value\":\"%s\",\n", value);
	fprintf(s->f, "\"direction\":\"%s\",\n", direction);
	fprintf(s->f, "\"unknown\":\"%s\"},\n\"traceEvents\":[", unknown);
}

static void trace_name(struct sink *s, const char *what)
{
	fprintf(s->f, "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"%s\",\"args\":",
		s->more ? "," : "", s->pid, what);
	s->more = true;
}

/**
 * trace_stream() - begin a stream
 * @s: where to
 */
void trace_stream(struct sink *s)
{
	const struct read_stream *stream = s->rs->s;
	char pmu[2 * PCOUNTER_CAPTURE_NAME], gpu[2 * PCOUNTER_CAPTURE_NAME];
	unsigned int k;

	quote_json(pmu, sizeof(pmu), stream->pmu);
	quote_json(gpu, sizeof(gpu), stream->gpu);
	trace_name(s, "process_name");
	fprintf(s->f, "{\"name\":\"%s %s domain %u\"}}", pmu, gpu, stream->domain);
	trace_name(s, "process_labels");
	fprintf(s->f, "{\"labels\":\"share of clocks at %.3f MHz; times: %s\"}}",
		s->rs->clock.hz / 1e6, s->rs->timed ? "perf's clock" : report_unit(s->rs));
	s->open = false;
	for (k = 0; k < READ_COUNTERS; k++)
		s->last[k] = UINT64_MAX;
}

/**
 * trace_end() - what stands behind all streams
 * @s: where to
 */
void trace_end(struct sink *s)
{
	fputs("\n]}\n", s->f);
}
