// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: the passes over a capture, and its outputs.
 */
#include <math.h>

#include "report/report.h"

/* Add all packets to a stream's clock, and to its sums if those need no window. */
static void add_all(struct report_stream *rs, struct tally *stat)
{
	struct read_walk walk;

	read_begin(&walk, rs->s);
	while (!stopped && read_next(&walk, stat ? stat_room(stat) : READ_MANY)) {
		clock_add(&rs->clock, &walk);
		rs->lost += walk.lost;
		if (stat)
			stat_add(stat, &walk);
	}
}

/* Find the clocks and the sums in one pass; a window needs the clocks before the sums. */
static void find_all(struct report *report)
{
	bool sums = report->kind == OUT_TEXT || report->picture, window = report_has_window(report);
	struct report_stream *rs;
	struct read_walk walk;

	for (rs = report->stream; rs < report->stream + report->nr; rs++) {
		if (sums)
			rs->stat = stat_begin(rs->s->packets, rs->s->records ? 0 : rs->s->period,
					      rs->counters);
		add_all(rs, window ? NULL : rs->stat);
		clock_fit(&rs->clock, rs->s);
		read_begin(&walk, rs->s);
		while (sums && window && report_take(report, rs, &walk, stat_room(rs->stat)))
			stat_add(rs->stat, &walk);
	}
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

static bool write_all(struct report *report)
{
	bool good = report->kind == OUT_TEXT ? report_text(report) : report_rows(report, false);

	if (report->trace)
		good = report_rows(report, true) && good;
	if (report->picture)
		good = report_draw(report) && good;
	return good;
}

/* Reject a window outside the capture: that is a mistake, and not an empty report. */
static bool inside_window(const struct report *report)
{
	double first, last;

	if (report->taken || !report_has_window(report))
		return true;
	report_ends(report, NULL, &first, &last);
	return complain("%s: nothing in that window: the capture goes from %.9g to %.9g s",
			report->path, first, last);
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
			good &= !is_loss(k) || !s->loss[k];
		good &= !report->stream[i].lost && report->stream[i].clock.nr <= 1;
		good &= s->ended && !s->times.early && s->times.begun <= 1 &&
			s->times.span <= s->times.running + READ_SLACK;
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
	unsigned int i;

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
	for (i = 0; i < report->nr; i++) {
		free(report->stream[i].clock.epoch);
		free(report->stream[i].stat);
	}
	return stopped ? STATUS_INTERRUPTED : status;
}
