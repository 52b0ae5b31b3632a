// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: what has to be found out, and who is told.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "capture/clock.h"
#include "capture/read.h"
#include "capture/stat.h"
#include "report/draw.h"
#include "report/rows.h"
#include "report/run.h"
#include "report/text.h"
#include "report/walk.h"

/* ---- passes ---- */

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
	bool sums = report->kind == OUT_TEXT || report->picture;
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
	report_progress_end(report);
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

		if (!s->known || (report->domain >= 0 && (long)s->domain != report->domain))
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
	report_progress_end(report);
	return close_file(f, report->output) && good;
}

static bool write_trace(struct report *report)
{
	bool good;
	FILE *f;

	if (!report_trace_fits(report))
		return false;
	f = open_file(report->trace);
	if (!f)
		return false;
	good = report_trace(report, f);
	report_progress_end(report);
	return close_file(f, report->trace) && good;
}

static bool write_all(struct report *report)
{
	bool good = write_out(report);

	if (report->trace)
		good = write_trace(report) && good;
	if (report->picture)
		good = report_draw(report, report->picture) && good;
	return good;
}

/* A window beside the capture is a mistake, and not an empty report. */
static bool inside_window(const struct report *report)
{
	double first = INFINITY, last = -INFINITY;
	unsigned int i;

	if (report->taken || (isnan(report->from) && isnan(report->to)))
		return true;
	for (i = 0; i < report->nr; i++) {
		const struct report_stream *rs = &report->stream[i];
		const struct stat_epoch *epoch = rs->epochs->epoch;
		unsigned int end = rs->epochs->nr - 1;

		if (!rs->epochs->nr)
			continue;
		first = fmin(first, report_x(report, rs, 0, epoch->first));
		last = fmax(last, report_x(report, rs, end, epoch[end].last));
	}
	complain("%s: nothing in that window: the capture goes from %.9g to %.9g s", report->path,
		 first, last);
	return false;
}

static bool all_the_time(const struct read_times *times)
{
	return !times->early && times->begun <= 1 &&
	       times->span <= times->running + READ_SLACK;
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
			!loss->gaps && !loss->saturated && !loss->unread &&
			report->stream[i].epochs->nr <= 1 && all_the_time(&s->times);
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
	else if (!whole(report) || !inside_window(report))
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
