// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: the axis of a stream, and the packets within a window.
 */
#include <math.h>

#include "gpu/pmu.h"
#include "report/report.h"

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
	if (rs->s->records)
		return "units of the GPU's time";
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
 * report_ends() - find the first and the last packet of streams
 * @report: the run
 * @rs: a stream: use those that share an axis with it; NULL: use all
 * @first: gets the begin of the first packet, in report_unit()
 * @last: gets the end of the last one
 */
void report_ends(const struct report *report, const struct report_stream *rs, double *first,
		 double *last)
{
	const struct report_stream *other;

	*first = INFINITY;
	*last = -INFINITY;
	for (other = report->stream; other < report->stream + report->nr; other++) {
		const struct clock *clock = &other->clock;
		unsigned int end = clock->nr - 1;

		/* all streams with times share one axis */
		if (!clock->nr || (rs && rs != other && !(rs->clock.timed && clock->timed)))
			continue;
		*first = fmin(*first, report_x(report, other, 0, clock->epoch->first));
		*last = fmax(*last, report_x(report, other, end, clock->epoch[end].last));
	}
}

/* ---- passes ---- */

/* Return where packets are that end at @cycle: negative before the window, 0 within it. */
static int side_of(const struct report *report, const struct report_stream *rs,
		   const struct read_walk *walk, u64 cycle)
{
	double x = report_x(report, rs, walk->epoch, cycle);

	return (x > report->to) - (x < report->from);
}

/**
 * report_take() - take the next packets that ended within the window
 * @report: the run
 * @rs: the stream
 * @walk: the iterator over the stream
 * @most: as for read_next()
 *
 * Return: false at the end, or if a signal asks the program to end.
 */
bool report_take(struct report *report, const struct report_stream *rs, struct read_walk *walk,
		 unsigned int most)
{
	bool skipped = false;
	int side = 0;

	while (!stopped && read_next(walk, most)) {
		if (report_has_window(report)) {
			side = side_of(report, rs, walk,
				       walk->cycle - (walk->nr - 1) * walk->length);
			while (side_of(report, rs, walk, walk->cycle) != side)
				read_back(walk, walk->nr / 2);
		}
		if (side) {
			skipped = true;
			continue;
		}
		walk->joined &= !skipped;
		report->taken += walk->nr;
		return true;
	}
	return false;
}
