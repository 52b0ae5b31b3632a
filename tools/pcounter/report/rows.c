// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: for programs. Rows are written by hand: there may be hundreds
 * of millions. Each is written whole or not at all.
 */
#include <assert.h>
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "capture/clock.h"
#include "capture/read.h"
#include "report/perfetto.h"
#include "report/rows.h"
#include "report/walk.h"

#define NS		1e9
#define MB		1e6
#define MANY		200000	/* rows of a trace that viewers still like */
#define PROTO_EVENT	16	/* bytes of a counter in a row of a trace, about */

static const char columns[] =
	"stream,gpu,domain,packet,packets,epoch,cycle,time_ns,cycles,requests";

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
	const __le16 *word = piece->packet[i].word;
	unsigned int k;

	row->packet = piece->number + i;
	row->packets = 1;
	row->joined = i || (!piece->lost && row->epoch == piece->epoch);
	row->epoch = piece->epoch;
	row->cycle = piece->cycle[i];
	row->cycles = piece->cycle[i] - before;
	row->requests = le16toh(word[READ_FIRST - 1]);
	row->timed = clock_time(&rs->clock, piece->epoch, piece->cycle[i], &row->time);
	for (k = 0; k < READ_COUNTERS; k++)
		row->count[k] = le16toh(word[READ_FIRST + k]);
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
			fill_row(report, s->rs, &piece, i, s->timed, &row);
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
	if (s->row == perfetto_row)
		perfetto_end(s);
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
		if (s->row == perfetto_row)
			perfetto_stream(s);
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

/* From the first packet of all streams that have times to the last, in ns. */
static double span_of(const struct report *report)
{
	double first = INFINITY, last = -INFINITY;
	unsigned int i;

	for (i = 0; i < report->nr; i++) {
		const struct report_stream *rs = &report->stream[i];
		unsigned int end = rs->epochs->nr - 1;

		if (!rs->timed || !rs->epochs->nr)
			continue;
		first = fmin(first, report_x(report, rs, 0, rs->epochs->epoch->first));
		last = fmax(last, report_x(report, rs, end, rs->epochs->epoch[end].last));
	}
	first = fmax(first, isnan(report->from) ? first : report->from);
	last = fmin(last, isnan(report->to) ? last : report->to);
	return fmax(0, (last - first) * NS);
}

/* How many rows there will be, about; each of them has all counters of its stream. */
static double rows_expected(const struct report *report, bool *many, double *events)
{
	double rows = 0, most = report->bucket ? span_of(report) / report->bucket + 1 : INFINITY;
	unsigned int i;

	*events = 0;
	*many = false;
	for (i = 0; i < report->nr; i++) {
		const struct report_stream *rs = &report->stream[i];
		double packets = fmin(rs->s->packets, most);

		rows += packets;
		*events += packets * __builtin_popcount(rs->counters);
		*many |= rs->timed && rs->s->packets > MANY;
	}
	return rows;
}

/**
 * report_trace_fits() - will a trace be as large as is asked for?
 * @report: the run; without a word from the user packets are joined
 *
 * Return: false, with a word on stderr, if not.
 */
bool report_trace_fits(struct report *report)
{
	double events, bytes;
	bool many;

	rows_expected(report, &many, &events);
	if (many && !report->bucket && !report->unjoined) {
		report->bucket = ceil(span_of(report) / MANY);
		complain("packets are joined to buckets of %llu ns; --bucket says otherwise",
			 (unsigned long long)report->bucket);
		rows_expected(report, &many, &events);
	}
	bytes = events * PROTO_EVENT;
	if (bytes <= report->most)
		return true;
	complain("%s: it would have about %.0f MB: use a greater --bucket, or --max-size",
		 report->trace, bytes / MB);
	return false;
}

/**
 * report_trace() - write a trace for Perfetto
 * @report: the run
 * @f: where to
 *
 * Return: false, with a word on stderr, if something cannot be made.
 */
bool report_trace(struct report *report, FILE *f)
{
	static struct sink sink;

	sink = (struct sink){
		.f = f, .row = perfetto_row, .timed = true, .zero = report->file.perf_time,
	};
	perfetto_begin(&sink, report);
	return all_streams(report, &sink);
}
