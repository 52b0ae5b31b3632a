// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: rows for programs, and a trace.
 */
#include <assert.h>
#include <endian.h>
#include <math.h>

#include "report/report.h"

#define MANY		200000	/* rows of a trace that viewers handle well */

static const char *const columns[] = {
	"stream", "gpu", "domain", "packet", "packets", "epoch", "cycle", "time_ns", "cycles",
	"requests", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", NULL
};

static_assert(ARRAY_SIZE(columns) - 1 == ROW_COLUMNS, "a name for each");

static s64 place(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		 u64 cycle)
{
	double x = report_x(report, rs, epoch, cycle) * NS_S;

	return fabs(x) < INT64_MAX / 2 ? (s64)x : 0;
}

/*
 * Return true if the next packet belongs to the row. A row of CSV has the packets that end in
 * its bucket. A row of a trace takes packets until they fill a bucket, and ends at a gap: its
 * shares are drawn from its begin to its end.
 */
static bool fits(const struct sink *s, bool joined, s64 time)
{
	const struct cell *row = s->row;

	if (!row[ROW_PACKETS].i || !s->bucket)
		return false;
	if (s->trace)
		return joined && row[ROW_CYCLES].i && s->end - s->begin < s->bucket;
	return time >= row[ROW_TIME].i && time - row[ROW_TIME].i < s->bucket;
}

static void begin_row(struct sink *s, const struct read_walk *walk, bool timed, s64 time)
{
	s64 bucket = s->trace ? 0 : s->bucket;
	unsigned int i;

	for (i = ROW_PACKETS; i < ROW_COLUMNS; i++)
		s->row[i].i = 0;
	s->row[ROW_PACKET].i = walk->number;
	s->row[ROW_TIME].kind = timed ? CELL_INT : CELL_NULL;
	s->row[ROW_TIME].i = bucket ? time - (time % bucket + bucket) % bucket : time;
	if (!s->trace)
		return;
	s->joined = walk->joined;
	s->begin = place(s->report, s->rs, walk->epoch, walk->begin);
}

static void add_packet(struct sink *s, const struct read_walk *walk)
{
	bool counts = walk->length || !s->bucket;
	struct cell *row = s->row;
	unsigned int k;

	row[ROW_PACKETS].i++;
	row[ROW_EPOCH].i = walk->epoch;
	row[ROW_CYCLE].i = walk->cycle;
	row[ROW_CYCLES].i += walk->length;
	row[ROW_REQUESTS].i += walk->packet ? le16toh(walk->packet->stop) : walk->requests;
	for (k = 0; k < READ_COUNTERS && counts; k++)
		row[ROW_COUNTERS + k].i += walk_count(walk, 0, k);
	if (s->trace)
		s->end = place(s->report, s->rs, walk->epoch, walk->cycle);
}

static void put_row(struct sink *s)
{
	s->row[ROW_CYCLES].kind = s->row[ROW_CYCLES].i ? CELL_INT : CELL_NULL;
	if (!s->row[ROW_PACKETS].i)
		return;
	if (s->trace)
		perfetto_row(s);
	else
		out_row(&s->out, s->row);
}

static void rows_of(struct sink *s)
{
	const struct report_stream *rs = s->rs;
	struct read_walk walk;
	unsigned int i;
	s64 time = 0;
	bool timed;

	s->row[ROW_STREAM] = cell_int(true, rs->number);
	s->row[ROW_GPU] = cell_text(rs->s->gpu);
	s->row[ROW_DOMAIN] = cell_int(true, rs->s->domain);
	for (i = ROW_PACKET; i < ROW_COLUMNS; i++)
		s->row[i] = cell_int(i < ROW_COUNTERS || rs->counters & BIT(i - ROW_COUNTERS), 0);
	read_begin(&walk, rs->s);
	while (report_take(s->report, rs, &walk, 1)) {
		timed = clock_time(&rs->clock, walk.epoch, walk.cycle, &time);
		if (!fits(s, walk.joined, time)) {
			put_row(s);
			begin_row(s, &walk, timed, time);
		}
		add_packet(s, &walk);
	}
	put_row(s);
}

static bool all_streams(struct sink *s)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < s->report->nr && !stopped; i++) {
		s->rs = &s->report->stream[i];
		if (s->bucket && !s->rs->clock.timed) {
			complain("stream %u: its times are not known, so that it has no buckets",
				 s->rs->number);
			good = false;
			continue;
		}
		if (s->trace)
			perfetto_stream(s);
		rows_of(s);
		if (s->trace)
			perfetto_end(s);
	}
	return good;
}

/* Return the ns of packets that a row joins unless an option says so: a trace is for viewers. */
static s64 usual_bucket(const struct report *report, bool trace)
{
	const struct report_stream *rs, *many = NULL;
	double first, last;
	s64 bucket;

	for (rs = report->stream; rs < report->stream + report->nr; rs++)
		if (rs->clock.timed && rs->s->packets > MANY)
			many = rs;
	if (!trace || !many)
		return 0;
	report_ends(report, many, &first, &last);
	/* without a window its ends are NAN, which fmax() and fmin() ignore */
	bucket = ceil(fmax(0, fmin(last, report->to) - fmax(first, report->from)) * NS_S / MANY);
	complain("packets are joined to buckets of %lld ns; --bucket says otherwise",
		 (long long)bucket);
	return bucket;
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

	sink = (struct sink){
		.out = { .kind = trace ? OUT_TEXT : report->kind, .columns = columns },
		.trace = trace, .report = report,
		.bucket = isnan(report->bucket) ? usual_bucket(report, trace) : report->bucket,
	};
	if (!out_open(&sink.out, trace ? report->trace : report->output))
		return false;
	if (trace)
		perfetto_begin(&sink);
	good = all_streams(&sink);
	if (good && trace && report->append && !stopped)
		good = !fflush(sink.out.f) && report->append(fileno(sink.out.f));
	return out_close(&sink.out) && good;
}
