// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: the passes over a capture, and its outputs.
 */
#include <math.h>

#include "capture/capture.h"
#include "report/report.h"

/* ---- passes ---- */

static void find_clock(struct report_stream *rs)
{
	const struct stat_epoch *epoch = rs->epochs.epoch;
	unsigned int i;

	rs->offset = need(rs->epochs.nr + 1, sizeof(*rs->offset));
	clock_fit(&rs->clock, rs->s, &rs->epochs);
	rs->timed = true;
	for (i = 0; i < rs->epochs.nr; i++) {
		rs->timed &= rs->clock.line[i].known;
		rs->offset[i + 1] = rs->offset[i] + ((double)epoch[i].last - epoch[i].first);
	}
}

static void find_epochs(struct report *report, struct report_stream *rs)
{
	static struct read_piece piece;
	struct read_walk walk;

	read_walk_begin(&walk, &report->file, rs->s);
	while (report_take(report, rs, &walk, &piece))
		epochs_add(&rs->epochs, &piece);
	find_clock(rs);
}

static void find_stat(struct report *report, struct report_stream *rs)
{
	static struct read_piece piece;
	struct read_walk walk;

	rs->stat = need(1, sizeof(*rs->stat));
	stat_begin(rs->stat, rs->s->packets);
	read_walk_begin(&walk, &report->file, rs->s);
	walk.max = min_t(u64, rs->stat->tile_packets, READ_PIECE);
	while (report_take(report, rs, &walk, &piece))
		stat_add(rs->stat, &piece);
}

/* Find sums and clocks; in an extra first pass if rows or a window need times before the sums. */
static void find_all(struct report *report)
{
	bool rows = report->kind != OUT_TEXT || report->trace;
	bool sums = report->kind == OUT_TEXT || report->picture;
	bool early = rows || !isnan(report->from) || !isnan(report->to);
	unsigned int i;

	for (i = 0; i < report->nr; i++)
		report->todo += report->stream[i].s->packets * (early + sums + rows);
	for (i = 0; i < report->nr; i++) {
		struct report_stream *rs = &report->stream[i];

		if (early)
			find_epochs(report, rs);
		if (sums)
			find_stat(report, rs);
		if (early)
			continue;
		rs->epochs = rs->stat->epochs;
		rs->stat->epochs.epoch = NULL;
		find_clock(rs);
	}
	report_progress_end(report);
}

static bool wanted(const struct report *report, const char *name)
{
	unsigned int i;

	for (i = 0; report->events[i]; i++)
		if (strstr(name, report->events[i]))
			return true;
	return !i;
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
		if (rs->counters || !*report->events)
			report->nr++;
	}
}

/* ---- output ---- */

static bool write_text(const struct report *report)
{
	static struct out out;

	if (!out_open(&out, report->output))
		return false;
	report_text(report, out.f);
	return out_close(&out);
}

static bool write_all(struct report *report)
{
	bool good = report->kind == OUT_TEXT ? write_text(report) : report_rows(report, false);

	report_progress_end(report);
	if (report->trace && !report_rows(report, true)) {
		report->trace = NULL;
		good = false;
	}
	report_progress_end(report);
	if (report->picture)
		good = report_draw(report, report->picture) && good;
	return good;
}

/* Reject a window outside the capture: that is a mistake, and not an empty report. */
static bool inside_window(const struct report *report)
{
	double first, last;

	if (report->taken || (isnan(report->from) && isnan(report->to)))
		return true;
	report_ends(report, false, &first, &last);
	return complain("%s: nothing in that window: the capture goes from %.9g to %.9g s",
			report->path, first, last);
}

static bool all_the_time(const struct read_times *times)
{
	return !times->early && times->begun <= 1 &&
	       times->span <= times->running + READ_SLACK;
}

/* Return true if the capture is complete and without losses. */
static bool whole(const struct report *report)
{
	const struct read_file *file = &report->file;
	bool good = !*file->why && !file->cut && file->nr;
	unsigned int i, k;

	if (*file->why)
		complain("%s: %s; what comes before is reported", report->path, file->why);
	if (file->cut)
		complain("%s: it ends within a block, whose first %llu bytes are left out",
			 report->path, (unsigned long long)file->cut);
	if (!file->nr)
		complain("%s: it ends before it says what was recorded", report->path);
	for (i = 0; i < report->nr; i++) {
		const struct read_stream *s = report->stream[i].s;

		if (!s->ended)
			complain("%s: stream %u did not end in order", report->path,
				 report->stream[i].number);
		for (k = 0; k < LOSSES; k++)
			good &= k == LOSS_MERGED || !s->loss[k];
		good &= s->ended && !s->skipped && report->stream[i].epochs.nr <= 1 &&
			all_the_time(&s->times);
	}
	return good;
}

/**
 * report_file() - report a capture
 * @report: the run, with its capture and options
 *
 * Return: exit status.
 */
int report_file(struct report *report)
{
	int status = STATUS_OK;

	choose(report);
	if (!report->nr && (*report->events || report->domain >= 0)) {
		complain("%s: nothing in it is called that", report->path);
		return STATUS_NO;
	}
	find_all(report);
	if (!stopped && !write_all(report))
		status = STATUS_NO;
	else if (!whole(report) || !inside_window(report))
		status = STATUS_NO;
	return stopped ? STATUS_INTERRUPTED : status;
}

/**
 * report_free() - free the results
 * @report: the run
 */
void report_free(struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->nr; i++) {
		struct report_stream *rs = &report->stream[i];

		free(rs->epochs.epoch);
		if (rs->stat)
			stat_free(rs->stat);
		free(rs->stat);
		free(rs->offset);
		clock_free(&rs->clock);
	}
}
