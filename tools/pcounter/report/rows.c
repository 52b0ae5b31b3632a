// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: rows for programs, and a trace.
 */
#include <endian.h>
#include <math.h>

#include "capture/capture.h"
#include "report/report.h"

#define MB		1e6
#define MANY		200000	/* rows of a trace that viewers handle well */
#define PROTO_EVENT	16	/* approximate bytes of a counter in a row of a trace */

/* ---- CSV and JSON Lines ---- */

static const char *const columns[] = {
	"stream", "gpu", "domain", "packet", "packets", "epoch", "cycle", "time_ns", "cycles",
	"requests", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", NULL
};

static void plain_row(struct sink *s, const struct row *row)
{
	struct cell cells[ARRAY_SIZE(columns)] = {
		cell_count(true, s->rs->number), cell_text(s->rs->s->gpu),
		cell_count(true, s->rs->s->domain), cell_count(true, row->packet),
		cell_count(true, row->packets), cell_count(true, row->epoch),
		cell_count(true, row->cycle), cell_int(row->timed, row->time),
		cell_count(row->cycles, row->cycles), cell_count(true, row->requests),
	};
	unsigned int k;

	for (k = 0; k < READ_COUNTERS; k++)
		cells[ARRAY_SIZE(columns) - 1 - READ_COUNTERS + k] =
			cell_count(s->rs->counters & BIT(k), row->count[k]);
	out_row(&s->out, cells);
}

/* ---- packets to rows ---- */

static s64 place(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		 u64 cycle)
{
	double x = report_x(report, rs, epoch, cycle) * NS_S;

	return fabs(x) < INT64_MAX / 2 ? (s64)x : 0;
}

static void fill_row(const struct report *report, const struct sink *s,
		     const struct read_piece *piece, unsigned int i, struct row *row)
{
	u64 before = i ? piece->cycle[i - 1] : piece->begin;
	const struct pcounter_record_packet *packet = &piece->packet[i];
	unsigned int k;

	row->packet = piece->number + i;
	row->packets = 1;
	row->joined = i || (!piece->lost && row->epoch == piece->epoch);
	row->epoch = piece->epoch;
	row->cycle = piece->cycle[i];
	row->cycles = piece->cycle[i] - before;
	row->requests = le16toh(packet->stop);
	row->timed = clock_time(&s->rs->clock, piece->epoch, piece->cycle[i], &row->time);
	for (k = 0; k < READ_COUNTERS; k++)
		row->count[k] = le16toh(packet->ctr[k]);
	if (s->trace) {
		row->begin = place(report, s->rs, piece->epoch, before);
		row->end = place(report, s->rs, piece->epoch, piece->cycle[i]);
	}
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

/* Begin the bucket of a row; @sum is the previous bucket, if any. */
static void begin_bucket(const struct report *report, const struct row *row, struct row *sum)
{
	s64 bucket = report->bucket, time = row->time / bucket * bucket;

	time -= time > row->time ? bucket : 0;
	*sum = (struct row){
		.packet = row->packet, .timed = true, .time = time,
		.joined = sum->packets && sum->time + bucket == time,
		.begin = time - (s64)report->file.perf_time,
		.end = time - (s64)report->file.perf_time + bucket,
	};
}

static void put_row(struct sink *s, const struct row *row)
{
	if (s->trace)
		perfetto_row(s, row);
	else
		plain_row(s, row);
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
			fill_row(report, s, &piece, i, &row);
			if (!report->bucket) {
				put_row(s, &row);
				continue;
			}
			if (!sum.packets || row.time < sum.time ||
			    (u64)(row.time - sum.time) >= report->bucket) {
				if (sum.packets)
					put_row(s, &sum);
				begin_bucket(report, &row, &sum);
			}
			add_row(&sum, &row);
		}
	}
	if (sum.packets)
		put_row(s, &sum);
}

static bool all_streams(struct report *report, struct sink *s)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < report->nr && !stopped; i++) {
		s->rs = &report->stream[i];
		s->pid = s->rs->number + 1;
		if (report->bucket && !s->rs->timed) {
			complain("stream %u: its times are not known, so that it has no buckets",
				 s->rs->number);
			good = false;
			continue;
		}
		if (s->trace)
			perfetto_stream(s);
		rows_of(report, s);
		if (s->trace)
			perfetto_end(s);
	}
	return good;
}

/* Return the time from the first to the last packet of all streams with times, in ns. */
static double span_of(const struct report *report)
{
	double first, last;

	report_ends(report, true, &first, &last);
	first = fmax(first, isnan(report->from) ? first : report->from);
	last = fmin(last, isnan(report->to) ? last : report->to);
	return fmax(0, (last - first) * NS_S);
}

/* Estimate the size of a trace. Each row has all counters of its stream. */
static double bytes_expected(const struct report *report)
{
	double bytes = 0, most = report->bucket ? span_of(report) / report->bucket + 1 : INFINITY;
	unsigned int i;

	for (i = 0; i < report->nr; i++)
		bytes += fmin(report->stream[i].s->packets, most) * PROTO_EVENT *
			 __builtin_popcount(report->stream[i].counters);
	return bytes;
}

/* Check the size of a trace; join too many packets to buckets unless an option decides that. */
static bool trace_fits(struct report *report)
{
	bool many = false;
	unsigned int i;

	for (i = 0; i < report->nr; i++)
		many |= report->stream[i].timed && report->stream[i].s->packets > MANY;
	if (many && !report->bucket && !report->unjoined) {
		report->bucket = ceil(span_of(report) / MANY);
		complain("packets are joined to buckets of %llu ns; --bucket says otherwise",
			 (unsigned long long)report->bucket);
	}
	if (bytes_expected(report) <= report->most)
		return true;
	return complain("%s: it would have about %.0f MB: use a greater --bucket, or --max-size",
			report->trace, bytes_expected(report) / MB);
}

/**
 * report_rows() - write a row for each packet or bucket
 * @report: the run
 * @trace: write a trace for Perfetto; else CSV or JSON Lines
 *
 * Return: false, with a message, if rows cannot be made or written.
 */
bool report_rows(struct report *report, bool trace)
{
	static struct sink sink;
	bool good;

	if (trace && !trace_fits(report))
		return false;
	sink = (struct sink){
		.out = { .kind = trace ? OUT_TEXT : report->kind, .columns = columns },
		.trace = trace, .zero = report->file.perf_time,
	};
	if (!out_open(&sink.out, trace ? report->trace : report->output))
		return false;
	if (trace)
		perfetto_begin(&sink, report);
	good = all_streams(report, &sink);
	return out_close(&sink.out) && good;
}
