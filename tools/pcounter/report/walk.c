// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: iteration over the packets of the chosen window.
 */
#include <math.h>

#include "capture/capture.h"
#include "report/report.h"

#define SHOW_SECONDS	0.25
#define LOOK_PACKETS	20000	/* packets between two checks for signals */

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
	double cycles;
	s64 time;

	if (rs->timed && clock_time(&rs->clock, epoch, cycle, &time))
		return (time - (s64)report->file.perf_time) / NS_S;
	if (epoch >= rs->epochs.nr)
		return 0;
	cycles = rs->offset[epoch] + ((double)cycle - rs->epochs.epoch[epoch].first);
	return rs->clock.hz > 0 ? cycles / rs->clock.hz : cycles;
}

/**
 * report_unit() - return the unit of the axis of a stream
 * @rs: the stream
 *
 * Return: the name of the unit.
 */
const char *report_unit(const struct report_stream *rs)
{
	if (rs->timed)
		return "s";
	return rs->clock.hz > 0 ? "s of the domain's clock" : "cycles";
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
		const struct stat_epoch *epoch = rs->epochs.epoch;
		unsigned int end = rs->epochs.nr - 1;

		if (!rs->epochs.nr || (timed && !rs->timed))
			continue;
		*first = fmin(*first, report_x(report, rs, 0, epoch->first));
		*last = fmax(*last, report_x(report, rs, end, epoch[end].last));
	}
}

static bool inside(const struct report *report, const struct report_stream *rs,
		   unsigned int epoch, u64 cycle)
{
	double x = report_x(report, rs, epoch, cycle);

	return !(x < report->from) && !(x > report->to);
}

/* Reduce a piece to the packets that ended within the window. */
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

/**
 * report_progress_end() - erase the progress from the terminal
 * @report: the run
 */
void report_progress_end(struct report *report)
{
	if (report->said && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	report->said = 0;
}

/**
 * report_take() - take the next packets of the window
 * @report: the run
 * @rs: the stream
 * @walk: the iterator over the stream
 * @piece: gets the packets
 *
 * Return: false at the end, or if a signal asks the program to end.
 */
bool report_take(struct report *report, const struct report_stream *rs, struct read_walk *walk,
		 struct read_piece *piece)
{
	while (!stopped && read_walk_next(walk, piece)) {
		progress(report, piece->nr);
		if (rs->clock.line && (!isnan(report->from) || !isnan(report->to)))
			clip(report, rs, piece);
		report->taken += rs->clock.line ? piece->nr : 0;
		if (piece->nr)
			return true;
	}
	return false;
}
