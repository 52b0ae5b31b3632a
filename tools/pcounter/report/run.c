// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: what has to be found out, and who is told.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "capture/clock.h"
#include "capture/read.h"
#include "capture/stat.h"
#include "report/types.h"

#define NS		1e9
#define SHOW_SECONDS	0.25
#define LOOK_PACKETS	20000	/* signals are looked for so often */

/* ---- time ---- */

/**
 * report_x() - where on the axis something is
 * @report: the run
 * @rs: the stream
 * @epoch: epoch
 * @cycle: and cycle counter
 *
 * Return: the place, in report_unit().
 */
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle)
{
	double cycles;
	s64 time;

	if (rs->timed && clock_time(&rs->clock, epoch, cycle, &time))
		return (time - (s64)report->file.perf_time) / NS;
	if (epoch >= rs->epochs->nr)
		return 0;
	cycles = rs->offset[epoch] + ((double)cycle - rs->epochs->epoch[epoch].first);
	return rs->clock.hz > 0 ? cycles / rs->clock.hz : cycles;
}

/**
 * report_unit() - what the axis of a stream is in
 * @rs: the stream
 *
 * Return: a word.
 */
const char *report_unit(const struct report_stream *rs)
{
	if (rs->timed)
		return "s";
	return rs->clock.hz > 0 ? "s of the domain's clock" : "cycles";
}

static bool find_clock(struct report_stream *rs)
{
	unsigned int i;

	rs->offset = calloc(rs->epochs->nr + 1, sizeof(*rs->offset));
	if (!rs->offset || !clock_fit(&rs->clock, rs->s, rs->epochs)) {
		complain("out of memory");
		return false;
	}
	rs->timed = true;
	for (i = 0; i < rs->epochs->nr; i++) {
		rs->timed &= rs->clock.line[i].known;
		rs->offset[i + 1] = rs->offset[i] + ((double)rs->epochs->epoch[i].last -
						     rs->epochs->epoch[i].first);
	}
	return true;
}

static bool inside(const struct report *report, const struct report_stream *rs,
		   unsigned int epoch, u64 cycle)
{
	double x = report_x(report, rs, epoch, cycle);

	return !(x < report->from) && !(x > report->to);
}

/* Leave of a piece what ended within the window. */
static void clip(const struct report *report, const struct report_stream *rs,
		 struct read_piece *piece)
{
	unsigned int first = 0, end = piece->nr;

	while (first < end && !inside(report, rs, piece->epoch, piece->cycle[first]))
		first++;
	while (first < end && !inside(report, rs, piece->epoch, piece->cycle[end - 1]))
		end--;
	piece->nr = end - first;
	if (!first)
		return;
	piece->begin = piece->cycle[first - 1];
	piece->number += first;
	piece->before += first;
	piece->packet += first;
	piece->lost = 0;
	memmove(piece->cycle, piece->cycle + first, piece->nr * sizeof(*piece->cycle));
}

static void progress(struct report *report, unsigned int packets)
{
	u64 before = report->done / LOOK_PACKETS;

	report->done += packets;
	if (report->done / LOOK_PACKETS == before)
		return;
	wait_fd(-1, 0);
	if (!isatty(STDERR_FILENO) || seconds() < report->said + SHOW_SECONDS)
		return;
	report->said = seconds();
	fprintf(stderr, "\r%3.0f %%\033[K",
		100.0 * report->done / max(report->todo, report->done));
}

static void progress_end(struct report *report)
{
	if (report->said && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	report->said = 0;
}

/**
 * report_take() - the next packets that are asked for
 * @report: the run
 * @rs: the stream
 * @walk: the way through it
 * @piece: where to leave them
 *
 * Return: false if there are no more, or a signal asked for an end.
 */
bool report_take(struct report *report, const struct report_stream *rs, struct read_walk *walk,
		 struct read_piece *piece)
{
	while (!stopped && read_walk_next(walk, piece)) {
		progress(report, piece->nr);
		if (rs->clock.line && (!isnan(report->from) || !isnan(report->to)))
			clip(report, rs, piece);
		if (piece->nr)
			return true;
	}
	return false;
}

/* ---- passes ---- */

static bool find_epochs(struct report *report, struct report_stream *rs)
{
	static struct read_piece piece;
	struct read_walk walk;

	rs->epochs = calloc(1, sizeof(*rs->epochs));
	if (!rs->epochs || !epochs_begin(rs->epochs)) {
		complain("out of memory");
		return false;
	}
	read_walk_begin(&walk, &report->file, rs->s);
	while (report_take(report, rs, &walk, &piece))
		epochs_add(rs->epochs, &piece);
	return find_clock(rs);
}

static bool find_stat(struct report *report, struct report_stream *rs)
{
	static struct read_piece piece;
	struct read_walk walk;

	rs->stat = calloc(1, sizeof(*rs->stat));
	if (!rs->stat || !stat_begin(rs->stat, rs->s->packets)) {
		complain("out of memory");
		return false;
	}
	read_walk_begin(&walk, &report->file, rs->s);
	walk.max = min_t(u64, rs->stat->tile_packets, READ_PIECE);
	while (report_take(report, rs, &walk, &piece))
		stat_add(rs->stat, &piece);
	return true;
}

/* Times are needed first where packets are chosen by them; else once is enough. */
static bool find_all(struct report *report)
{
	bool rows = report->kind != OUT_TEXT || report->trace;
	bool sums = report->kind == OUT_TEXT || report->png || report->svg;
	bool early = rows || !isnan(report->from) || !isnan(report->to);
	bool good = true;
	unsigned int i;

	for (i = 0; i < report->nr; i++)
		report->todo += report->stream[i].s->packets * (early + sums + rows);
	for (i = 0; i < report->nr && good; i++) {
		struct report_stream *rs = &report->stream[i];

		if (early)
			good = find_epochs(report, rs);
		if (sums && good)
			good = find_stat(report, rs);
		if (!early && good) {
			rs->epochs = &rs->stat->epochs;
			good = find_clock(rs);
		}
	}
	progress_end(report);
	return good;
}

static bool wanted(const struct report *report, const char *name)
{
	unsigned int i;

	for (i = 0; i < report->nr_events; i++)
		if (strstr(name, report->events[i]))
			return true;
	return !report->nr_events;
}

static void choose(struct report *report)
{
	unsigned int i, k;

	for (i = 0; i < report->file.nr; i++) {
		const struct read_stream *s = &report->file.stream[i];
		struct report_stream *rs = &report->stream[report->nr];

		if (!s->known || (report->domain >= 0 && s->domain != report->domain))
			continue;
		*rs = (struct report_stream){ .s = s, .number = i };
		for (k = 0; k < READ_COUNTERS; k++)
			if (*s->name[k] && wanted(report, s->name[k]))
				rs->counters |= BIT(k);
		if (rs->counters || !report->nr_events)
			report->nr++;
	}
}

/* ---- output ---- */

static bool close_file(FILE *f, const char *path)
{
	bool good = !ferror(f) && !fflush(f);

	if (f != stdout)
		good = !fclose(f) && good;
	if (!good)
		complain("%s: %s", path ? path : "output", strerror(errno));
	return good;
}

static FILE *open_file(const char *path)
{
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f)
		complain("%s: %s", path, strerror(errno));
	return f;
}

static bool write_out(struct report *report)
{
	FILE *f = open_file(report->output);
	bool good = true;

	if (!f)
		return false;
	if (report->kind == OUT_TEXT)
		report_text(report, f);
	else
		good = report_rows(report, f);
	progress_end(report);
	return close_file(f, report->output) && good;
}

static bool write_trace(struct report *report)
{
	FILE *f = open_file(report->trace);
	bool good;

	if (!f)
		return false;
	good = report_trace(report, f);
	progress_end(report);
	return close_file(f, report->trace) && good;
}

static bool write_all(struct report *report)
{
	bool good = write_out(report);

	if (report->trace)
		good = write_trace(report) && good;
	if (report->png)
		good = report_draw(report, report->png, false) && good;
	if (report->svg)
		good = report_draw(report, report->svg, true) && good;
	return good;
}

/* Is all there that was recorded? */
static bool whole(const struct report *report)
{
	const struct read_file *file = &report->file;
	bool good = !*file->why && !file->cut && file->nr;
	unsigned int i;

	if (*file->why)
		complain("%s: %s; what comes before is reported", report->path, file->why);
	if (file->cut)
		complain("%s: it ends within a block, whose first %llu bytes are left out",
			 report->path, (unsigned long long)file->cut);
	if (!file->nr)
		complain("%s: it ends before it says what was recorded", report->path);
	for (i = 0; i < report->nr; i++) {
		const struct read_stream *s = report->stream[i].s;
		const struct read_loss *loss = &s->loss;

		if (!s->ended)
			complain("%s: stream %u did not end in order", report->path,
				 report->stream[i].number);
		good &= s->ended && !s->skipped && !loss->overrun && !loss->missing &&
			!loss->gaps && !loss->saturated && !loss->unread;
	}
	return good;
}

/**
 * report_file() - tell of a capture all that is asked for
 * @report: the run, its capture and what is asked for
 *
 * Return: exit status.
 */
int report_file(struct report *report)
{
	int status = STATUS_OK;

	choose(report);
	if (!report->nr && (report->nr_events || report->domain >= 0)) {
		complain("%s: nothing in it is called that", report->path);
		return STATUS_NO;
	}
	if (!find_all(report) || (!stopped && !write_all(report)))
		status = STATUS_NO;
	else if (!whole(report))
		status = STATUS_NO;
	return stopped ? STATUS_INTERRUPTED : status;
}

/**
 * report_free() - forget what was found out
 * @report: the run
 */
void report_free(struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->nr; i++) {
		struct report_stream *rs = &report->stream[i];

		if (rs->epochs && (!rs->stat || rs->epochs != &rs->stat->epochs)) {
			free(rs->epochs->epoch);
			free(rs->epochs);
		}
		if (rs->stat)
			stat_free(rs->stat);
		free(rs->stat);
		free(rs->offset);
		clock_free(&rs->clock);
	}
}
