// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: for programs. Rows are written by hand: there may be hundreds
 * of millions. Each is written whole or not at all.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "capture/clock.h"
#include "capture/read.h"
#include "report/rows.h"
#include "report/walk.h"

#define BUFFER		65536
#define HEAD		640
#define NUMBER		20	/* digits of the greatest */
/* of a trace: a name, four numbers, and less than 128 characters between them */
#define LONGEST_EVENT	(2 * PCOUNTER_CAPTURE_NAME + 4 * NUMBER + 128)
/* longer than any row: all counters go to 0, there is a slice, and they come back */
#define LINE		((2 * READ_COUNTERS + 1) * LONGEST_EVENT)
#define NS		1e9
#define PARTS		1000000	/* in which shares are written */
#define MANY		1000000	/* packets of a trace that viewers still like */

static_assert(HEAD + (READ_COUNTERS + 8) * 2 * NUMBER < LINE, "rows of CSV and JSON Lines");
static_assert(BUFFER > LINE, "the buffer takes a row");

static const char columns[] =
	"stream,gpu,domain,packet,packets,epoch,cycle,time_ns,cycles,requests";

/**
 * struct row - a packet, or a bucket of them
 * @packet: number of the first
 * @packets: how many
 * @epoch: epoch of the last
 * @cycle: cycle counter at its end
 * @timed: @time is known
 * @time: when it ended, in ns of perf's clock; of a bucket: when it began
 * @begin: when it began, in ns since the capture began
 * @end: and ended
 * @joined: nothing is missing between the row before and this one
 * @cycles: how long those are whose length is known
 * @requests: that they answer
 * @count: the counters
 */
struct row {
	u64 packet;
	u64 packets;
	unsigned int epoch;
	u64 cycle;
	bool timed;
	s64 time;
	s64 begin;
	s64 end;
	bool joined;
	u64 cycles;
	u64 requests;
	u64 count[READ_COUNTERS];
};

/**
 * struct sink - where rows go
 * @f: the stream
 * @row: writes one
 * @at: bytes in @buf
 * @head: what lines of this stream begin with
 * @rs: the stream
 * @pid: number of the stream in a trace
 * @more: there was an event before this one
 * @open: a row has been written, which ended at ...
 * @end: ... ns since the capture began
 * @last: what was last written of each counter
 * @buf: what is yet to be written
 */
struct sink {
	FILE *f;
	void (*row)(struct sink *sink, const struct row *row);
	size_t at;
	char head[HEAD];
	const struct report_stream *rs;
	unsigned int pid;
	bool more;
	bool open;
	s64 end;
	u64 last[READ_COUNTERS];
	char buf[BUFFER];
};

/* ---- text, by hand ---- */

static void put_char(struct sink *s, char c)
{
	s->buf[s->at++] = c;
}

static void put(struct sink *s, const char *text)
{
	size_t len = strlen(text);

	memcpy(s->buf + s->at, text, len);
	s->at += len;
}

static void put_number(struct sink *s, u64 n)
{
	char text[NUMBER], *p = text + sizeof(text);

	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	memcpy(s->buf + s->at, p, text + sizeof(text) - p);
	s->at += text + sizeof(text) - p;
}

static void put_signed(struct sink *s, s64 n)
{
	if (n < 0)
		put_char(s, '-');
	put_number(s, n < 0 ? -(u64)n : (u64)n);
}

/* Shares in millionths, times in thousandths of a microsecond. */
static void put_fraction(struct sink *s, u64 n, unsigned int parts)
{
	char text[24];

	put_number(s, n / parts);
	snprintf(text, sizeof(text), "%u", parts + (unsigned int)(n % parts));
	text[0] = '.';
	put(s, text);
}

/* @text is printable ASCII. */
static void quote_json(char *to, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text && at + 3 < size; text++) {
		if (*text == '"' || *text == '\\')
			to[at++] = '\\';
		to[at++] = *text;
	}
	to[at] = 0;
}

static void quote_csv(char *to, size_t size, const char *text)
{
	bool quoted = strpbrk(text, ",\"");
	size_t at = 0;

	if (quoted)
		to[at++] = '"';
	for (; *text && at + 4 < size; text++) {
		if (*text == '"')
			to[at++] = '"';
		to[at++] = *text;
	}
	if (quoted)
		to[at++] = '"';
	to[at] = 0;
}

static void flush(struct sink *s)
{
	fwrite(s->buf, 1, s->at, s->f);
	s->at = 0;
}

/* ---- CSV and JSON Lines ---- */

static void csv_row(struct sink *s, const struct row *row)
{
	unsigned int k;

	put(s, s->head);
	put_number(s, row->packet);
	put_char(s, ',');
	put_number(s, row->packets);
	put_char(s, ',');
	put_number(s, row->epoch);
	put_char(s, ',');
	put_number(s, row->cycle);
	put_char(s, ',');
	if (row->timed)
		put_signed(s, row->time);
	put_char(s, ',');
	if (row->cycles)
		put_number(s, row->cycles);
	put_char(s, ',');
	put_number(s, row->requests);
	for (k = 0; k < READ_COUNTERS; k++) {
		put_char(s, ',');
		if (s->rs->counters & BIT(k))
			put_number(s, row->count[k]);
	}
	put_char(s, '\n');
}

static void json_row(struct sink *s, const struct row *row)
{
	unsigned int k;

	put(s, s->head);
	put_number(s, row->packet);
	put(s, ",\"packets\":");
	put_number(s, row->packets);
	put(s, ",\"epoch\":");
	put_number(s, row->epoch);
	put(s, ",\"cycle\":");
	put_number(s, row->cycle);
	put(s, ",\"time_ns\":");
	if (row->timed)
		put_signed(s, row->time);
	else
		put(s, "null");
	put(s, ",\"cycles\":");
	if (row->cycles)
		put_number(s, row->cycles);
	else
		put(s, "null");
	put(s, ",\"requests\":");
	put_number(s, row->requests);
	for (k = 0; k < READ_COUNTERS; k++) {
		put(s, ",\"c");
		put_number(s, k);
		put(s, "\":");
		if (s->rs->counters & BIT(k))
			put_number(s, row->count[k]);
		else
			put(s, "null");
	}
	put(s, "}\n");
}

/* ---- traces ---- */

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

static void trace_row(struct sink *s, const struct row *row)
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

static void trace_head(struct sink *s, const struct report *report)
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

static void trace_stream(struct sink *s)
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

/* ---- packets to rows ---- */

static s64 place(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		 u64 cycle)
{
	double x = report_x(report, rs, epoch, cycle) * NS;

	return fabs(x) < INT64_MAX / 2 ? (s64)x : 0;
}

static void write_row(struct sink *s, const struct row *row)
{
	s->row(s, row);
	if (s->at > BUFFER - LINE)
		flush(s);
}

/* @full: also what only traces want to know. */
static void fill_row(const struct report *report, const struct report_stream *rs,
		     const struct read_piece *piece, unsigned int i, bool full, struct row *row)
{
	u64 before = i ? piece->cycle[i - 1] : piece->begin;
	const u16 *word = piece->packet[i].word;
	unsigned int k;

	row->packet = piece->number + i;
	row->packets = 1;
	row->joined = i || (!piece->lost && row->epoch == piece->epoch);
	row->epoch = piece->epoch;
	row->cycle = piece->cycle[i];
	row->cycles = piece->cycle[i] - before;
	row->requests = word[READ_FIRST - 1];
	row->timed = clock_time(&rs->clock, piece->epoch, piece->cycle[i], &row->time);
	for (k = 0; k < READ_COUNTERS; k++)
		row->count[k] = word[READ_FIRST + k];
	if (full) {
		row->begin = place(report, rs, piece->epoch, before);
		row->end = place(report, rs, piece->epoch, piece->cycle[i]);
	}
}

static s64 bucket_of(s64 time, u64 bucket)
{
	s64 n = time / (s64)bucket;

	return time < 0 && n * (s64)bucket != time ? n - 1 : n;
}

static void add_row(struct row *sum, const struct row *row)
{
	unsigned int k;

	sum->packets += row->packets;
	sum->epoch = row->epoch;
	sum->cycle = row->cycle;
	sum->requests += row->requests;
	sum->cycles += row->cycles;
	for (k = 0; k < READ_COUNTERS && row->cycles; k++)
		sum->count[k] += row->count[k];
}

/* A bucket begins; @before is the one before it, if any. */
static void begin_bucket(const struct report *report, const struct row *row,
			 const struct row *before, struct row *sum)
{
	s64 n = bucket_of(row->time, report->bucket);
	struct row begin = {
		.packet = row->packet, .timed = true, .time = n * (s64)report->bucket,
	};

	begin.joined = before->packets && before->time + (s64)report->bucket == begin.time;
	begin.begin = begin.time - (s64)report->file.perf_time;
	begin.end = begin.begin + report->bucket;
	*sum = begin;
}

static void rows_of(struct report *report, struct sink *s)
{
	static struct read_piece piece;
	struct row row = {}, sum = {};
	struct read_walk walk;
	unsigned int i;

	read_walk_begin(&walk, &report->file, s->rs->s);
	while (report_take(report, s->rs, &walk, &piece)) {
		for (i = 0; i < piece.nr; i++) {
			fill_row(report, s->rs, &piece, i, s->row == trace_row, &row);
			if (!report->bucket) {
				write_row(s, &row);
				continue;
			}
			if (sum.packets && row.time - sum.time >= 0 &&
			    (u64)(row.time - sum.time) < report->bucket) {
				add_row(&sum, &row);
				continue;
			}
			if (sum.packets)
				write_row(s, &sum);
			begin_bucket(report, &row, &sum, &sum);
			add_row(&sum, &row);
		}
	}
	if (sum.packets)
		write_row(s, &sum);
	flush(s);
}

static bool may_have_buckets(const struct report *report, const struct report_stream *rs)
{
	if (!report->bucket || rs->timed)
		return true;
	complain("stream %u: its times are not known, so that it has no buckets", rs->number);
	return false;
}

static void stream_head(struct sink *s, bool csv)
{
	const struct read_stream *stream = s->rs->s;
	char gpu[4 * PCOUNTER_CAPTURE_NAME];

	if (csv) {
		quote_csv(gpu, sizeof(gpu), stream->gpu);
		snprintf(s->head, sizeof(s->head), "%u,%s,%u,", s->rs->number, gpu,
			 stream->domain);
		return;
	}
	quote_json(gpu, sizeof(gpu), stream->gpu);
	snprintf(s->head, sizeof(s->head),
		 "{\"stream\":%u,\"gpu\":\"%s\",\"domain\":%u,\"packet\":", s->rs->number, gpu,
		 stream->domain);
}

static bool all_streams(struct report *report, struct sink *s)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < report->nr && !stopped; i++) {
		s->rs = &report->stream[i];
		s->pid = s->rs->number + 1;
		if (!may_have_buckets(report, s->rs)) {
			good = false;
			continue;
		}
		stream_head(s, s->row == csv_row);
		if (s->row == trace_row)
			trace_stream(s);
		rows_of(report, s);
	}
	return good;
}

/**
 * report_rows() - a row for each packet or bucket
 * @report: the run
 * @f: where to
 *
 * Return: false, with a word on stderr, if some cannot be made.
 */
bool report_rows(struct report *report, FILE *f)
{
	static struct sink sink;
	unsigned int k;

	sink = (struct sink){ .f = f, .row = report->kind == OUT_CSV ? csv_row : json_row };
	if (report->kind == OUT_CSV) {
		fputs(columns, f);
		for (k = 0; k < READ_COUNTERS; k++)
			fprintf(f, ",c%u", k);
		fputc('\n', f);
	}
	return all_streams(report, &sink);
}

/**
 * report_trace() - a trace in JSON, for Perfetto and chrome://tracing
 * @report: the run
 * @f: where to
 *
 * Return: false, with a word on stderr, if something cannot be made.
 */
bool report_trace(struct report *report, FILE *f)
{
	static struct sink sink;
	u64 packets = 0;
	unsigned int i;
	bool good;

	for (i = 0; i < report->nr; i++)
		packets += report->stream[i].s->packets;
	if (packets > MANY && !report->bucket)
		complain("a trace of %llu packets may be too much for a viewer: see --bucket",
			 (unsigned long long)packets);
	sink = (struct sink){ .f = f, .row = trace_row };
	trace_head(&sink, report);
	good = all_streams(report, &sink);
	fputs("\n]}\n", f);
	return good;
}
