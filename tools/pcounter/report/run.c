// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: the passes over a capture, and its outputs.
 */
#include <math.h>

#include "gpu/pmu.h"
#include "report/report.h"

#define SHOW_SECONDS	0.25
#define LOOK_PACKETS	20000	/* packets between two looks at the clock */

/* ---- the axis ---- */

/**
 * report_x() - convert cycles to a position on the axis
 * @report: the run
 * @rs: the stream
 * @epoch: the epoch
 * @cycle: the cycle counter
 *
 * Return: the position, in report_unit().
 */
double report_x(const struct report *report, const struct report_stream *rs, unsigned int epoch,
		u64 cycle)
{
	const struct clock *clock = &rs->clock;
	double cycles;
	s64 time;

	if (clock->timed && clock_time(clock, epoch, cycle, &time))
		return (time - (s64)report->file.perf_time) / NS_S;
	if (epoch >= clock->nr)
		return 0;
	cycles = clock->epoch[epoch].before + ((double)cycle - clock->epoch[epoch].first);
	return clock->hz > 0 ? cycles / clock->hz : cycles;
}

/**
 * report_unit() - return the unit of the axis of a stream
 * @rs: the stream
 *
 * Return: the name of the unit.
 */
const char *report_unit(const struct report_stream *rs)
{
	if (rs->clock.timed)
		return "s";
	return rs->clock.hz > 0 ? "s of the domain's clock" : "cycles";
}

/**
 * report_name() - name a counter for people
 * @rs: its stream
 * @k: its number
 *
 * Return: its name, for immediate use; a great share of an idle signal means little work.
 */
const char *report_name(const struct report_stream *rs, unsigned int k)
{
	struct plain plain;

	plain_name(rs->s->name[k], &plain);
	return text_tmp("%s%s", rs->s->name[k], plain.idle ? " (100 % is idle)" : "");
}

/**
 * report_ends() - find the first and the last packet of all streams
 * @report: the run
 * @timed: use only streams with times
 * @first: gets the begin of the first packet, in report_unit()
 * @last: gets the end of the last one
 */
void report_ends(const struct report *report, bool timed, double *first, double *last)
{
	unsigned int i;

	*first = INFINITY;
	*last = -INFINITY;
	for (i = 0; i < report->nr; i++) {
		const struct report_stream *rs = &report->stream[i];
		const struct clock *clock = &rs->clock;
		unsigned int end = clock->nr - 1;

		if (!clock->nr || (timed && !clock->timed))
			continue;
		*first = fmin(*first, report_x(report, rs, 0, clock->epoch->first));
		*last = fmax(*last, report_x(report, rs, end, clock->epoch[end].last));
	}
}

/* ---- passes ---- */

static void progress(struct report *report, unsigned int packets)
{
	report->done += packets;
	if (report->done / LOOK_PACKETS == (report->done - packets) / LOOK_PACKETS)
		return;
	if (!isatty(STDERR_FILENO) || seconds() < report->said + SHOW_SECONDS)
		return;
	report->said = seconds();
	fprintf(stderr, "\r%3.0f %%\033[K",
		100.0 * report->done / max(report->todo, report->done));
}

/* Erase the progress from the terminal. */
static void progress_end(struct report *report)
{
	if (report->said && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	report->said = 0;
}

/* Take the next packet, unless a signal asks the program to end. */
static bool take_any(struct report *report, struct read_walk *walk)
{
	if (stopped || !read_next(walk))
		return false;
	progress(report, 1);
	return true;
}

static bool has_window(const struct report *report)
{
	return !isnan(report->from) || !isnan(report->to);
}

/**
 * report_take() - take the next packet that ended within the window
 * @report: the run
 * @rs: the stream
 * @walk: the iterator over the stream
 *
 * Return: false at the end, or if a signal asks the program to end.
 */
bool report_take(struct report *report, const struct report_stream *rs, struct read_walk *walk)
{
	bool skipped = false;
	double x;

	while (take_any(report, walk)) {
		x = has_window(report) ? report_x(report, rs, walk->epoch, walk->cycle) : 0;
		if (x < report->from || x > report->to) {
			skipped = true;
			continue;
		}
		walk->joined &= !skipped;
		report->taken++;
		return true;
	}
	return false;
}

/* Add all packets to a stream's clock, and to its sums if those need no window. */
static void add_all(struct report *report, struct report_stream *rs, struct tally *stat)
{
	struct read_even even;
	struct read_walk walk;

	read_begin(&walk, rs->s);
	while (take_any(report, &walk)) {
		clock_add(&rs->clock, &walk);
		if (stat)
			stat_add(stat, &walk);
		if (!read_even(&walk, stat ? stat_room(stat) : READ_EVEN, &even))
			continue;
		progress(report, even.nr);
		clock_add(&rs->clock, &walk);
		if (stat)
			stat_add_even(stat, &walk, &even);
	}
}

/* Find the clocks and the sums in one pass; a window needs the clocks before the sums. */
static void find_all(struct report *report)
{
	bool rows = report->kind != OUT_TEXT || report->trace;
	bool sums = report->kind == OUT_TEXT || report->picture, window = has_window(report);
	struct report_stream *rs;
	struct read_walk walk;

	for (rs = report->stream; rs < report->stream + report->nr; rs++)
		report->todo += rs->s->packets * (1 + (sums && window) + rows);
	for (rs = report->stream; rs < report->stream + report->nr; rs++) {
		if (sums)
			rs->stat = stat_begin(rs->s->packets, rs->counters);
		add_all(report, rs, window ? NULL : rs->stat);
		clock_fit(&rs->clock, rs->s);
		read_begin(&walk, rs->s);
		while (sums && window && report_take(report, rs, &walk))
			stat_add(rs->stat, &walk);
	}
	progress_end(report);
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

	progress_end(report);
	if (report->trace && !report_rows(report, true)) {
		report->trace = NULL;
		good = false;
	}
	progress_end(report);
	if (report->picture)
		good = report_draw(report, report->picture) && good;
	return good;
}

/* Reject a window outside the capture: that is a mistake, and not an empty report. */
static bool inside_window(const struct report *report)
{
	double first, last;

	if (report->taken || !has_window(report))
		return true;
	report_ends(report, false, &first, &last);
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
			good &= k == LOSS_MERGED || !s->loss[k];
		good &= s->ended && !s->skipped && report->stream[i].clock.nr <= 1 &&
			!s->times.early && s->times.begun <= 1 &&
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
