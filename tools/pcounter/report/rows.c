// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: rows for programs, and a trace.
 */
#include <assert.h>
#include <endian.h>
#include <math.h>

#include "report/report.h"

#define MANY		200000	/* rows of a trace that viewers handle well */

/* ---- CSV and JSON Lines ---- */

static const char *const columns[] = {
	"stream", "gpu", "domain", "packet", "packets", "epoch", "cycle", "time_ns", "cycles",
	"requests", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", NULL
};

/* Their numbers. */
enum {
	STREAM, GPU, DOMAIN, PACKET, PACKETS, EPOCH, CYCLE, TIME, CYCLES, REQUESTS, COUNTERS,
	COLUMNS = COUNTERS + READ_COUNTERS,
};

static_assert(ARRAY_SIZE(columns) - 1 == COLUMNS, "a name for each");

/* Set the members one by one: a copy of the whole cell would wait for them. */
static void set(struct cell *cell, enum cell_kind kind, u64 n)
{
	cell->kind = kind;
	cell->n = n;
}

static void plain_row(struct sink *s, const struct row *row)
{
	struct cell cells[COLUMNS];
	unsigned int k;

	set(&cells[STREAM], CELL_COUNT, s->rs->number);
	cells[GPU] = cell_text(s->rs->s->gpu);
	set(&cells[DOMAIN], CELL_COUNT, s->rs->s->domain);
	set(&cells[PACKET], CELL_COUNT, row->packet);
	set(&cells[PACKETS], CELL_COUNT, row->packets);
	set(&cells[EPOCH], CELL_COUNT, row->epoch);
	set(&cells[CYCLE], CELL_COUNT, row->cycle);
	set(&cells[TIME], row->timed ? CELL_INT : CELL_NULL, row->time);
	set(&cells[CYCLES], row->cycles ? CELL_COUNT : CELL_NULL, row->cycles);
	set(&cells[REQUESTS], CELL_COUNT, row->requests);
	for (k = 0; k < READ_COUNTERS; k++)
		set(&cells[COUNTERS + k], s->rs->counters & BIT(k) ? CELL_COUNT : CELL_NULL,
		    row->count[k]);
	out_row(&s->out, cells);
}

/* ---- packets to rows ---- */

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
static bool fits(const struct sink *s, const struct row *row, bool joined, s64 time)
{
	if (!row->packets || !s->bucket)
		return false;
	if (s->trace)
		return joined && row->cycles && row->end - row->begin < s->bucket;
	return time >= row->time && time - row->time < s->bucket;
}

static void begin_row(const struct sink *s, const struct read_walk *walk, bool timed, s64 time,
		      struct row *row)
{
	s64 bucket = s->trace ? 0 : s->bucket;

	row->packet = walk->number;
	row->packets = 0;
	row->timed = timed;
	row->time = time;
	row->cycles = 0;
	row->requests = 0;
	if (bucket)
		row->time -= (time % bucket + bucket) % bucket;
	if (!s->trace)
		return;
	row->joined = walk->joined;
	row->begin = place(s->report, s->rs, walk->epoch, walk->begin);
}

static void add_packet(const struct sink *s, struct row *row, const struct read_walk *walk)
{
	bool counts = walk->length || !s->bucket;
	unsigned int k;

	row->epoch = walk->epoch;
	row->cycle = walk->cycle;
	row->requests += le16toh(walk->packet->stop);
	row->cycles += walk->length;
	for (k = 0; k < READ_COUNTERS; k++)
		row->count[k] = (row->packets ? row->count[k] : 0) +
				(counts ? packet_counter(walk->packet, k) : 0);
	row->packets++;
	if (s->trace)
		row->end = place(s->report, s->rs, walk->epoch, walk->cycle);
}

static void put_row(struct sink *s, const struct row *row)
{
	if (!row->packets)
		return;
	if (s->trace)
		perfetto_row(s, row);
	else
		plain_row(s, row);
}

static void rows_of(struct sink *s)
{
	struct read_walk walk;
	struct row row = {};
	s64 time = 0;
	bool timed;

	read_begin(&walk, s->rs->s);
	while (report_take(s->report, s->rs, &walk, 1)) {
		timed = clock_time(&s->rs->clock, walk.epoch, walk.cycle, &time);
		if (!fits(s, &row, walk.joined, time)) {
			put_row(s, &row);
			begin_row(s, &walk, timed, time, &row);
		}
		add_packet(s, &row, &walk);
	}
	put_row(s, &row);
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
	double first, last;
	bool many = false;
	unsigned int i;
	s64 bucket;

	for (i = 0; i < report->nr; i++)
		many |= report->stream[i].clock.timed && report->stream[i].s->packets > MANY;
	if (!trace || !many)
		return 0;
	report_ends(report, true, &first, &last);
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
