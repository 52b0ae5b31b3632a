// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: text for people.
 */
#include <math.h>
#include <sys/ioctl.h>

#include "report/report.h"

#define WIDTH		80	/* without a terminal */
#define MAX_WIDTH	400
#define LABEL		6	/* columns of the text before a timeline, and after it */
#define MILLI		0.001
#define MICRO		0.000001
#define BURST		0.1	/* above the mean of the column */
#define ROUND		0.000000001	/* rounding may add this to a share */

static const double quantiles[] = { 0.05, 0.5, 0.95 };

static unsigned int terminal_width(FILE *f)
{
	struct winsize size;
	const char *env = getenv("COLUMNS");
	int width = env ? atoi(env) : 0;

	if (width <= 0 && isatty(fileno(f)) && !ioctl(fileno(f), TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0)
		width = WIDTH;
	return clamp(width, LABEL + 20, MAX_WIDTH);
}

static const char *time_text(double seconds)
{
	if (fabs(seconds) < MICRO)
		return text_tmp("%.0f ns", seconds * 1e9);
	if (fabs(seconds) < MILLI)
		return text_tmp("%.3f us", seconds * 1e6);
	if (fabs(seconds) < 1)
		return text_tmp("%.3f ms", seconds * 1e3);
	return text_tmp("%.6f s", seconds);
}

/* Return the frequency of the domain's clock, 0 if it is unknown; a record has only its time. */
static double hz_of(const struct report_stream *rs)
{
	if (!rs->s->records)
		return rs->clock.hz;
	return rs->stat->span ? rs->clock.hz * rs->stat->cycles / rs->stat->span : 0;
}

static const char *cycles_text(const struct report_stream *rs, u64 cycles)
{
	if (!(hz_of(rs) > 0))
		return text_tmp("%llu clocks", (unsigned long long)cycles);
	return text_tmp("%llu clocks (%s)", (unsigned long long)cycles,
			time_text(cycles / hz_of(rs)));
}

static void print_clock(FILE *f, const struct report_stream *rs)
{
	const struct clock *c = &rs->clock;

	if (!(c->hz > 0)) {
		fputs("  clock    unknown\n", f);
		return;
	}
	if (rs->s->records)
		fprintf(f, "  clock    %.6f MHz in the mean\n  time    ", hz_of(rs) / 1e6);
	else
		fputs("  clock   ", f);
	fprintf(f, " %.6f MHz", c->hz / 1e6);
	if (!c->used)
		fputs(" as measured when the capture began", f);
	else if (c->hz_min > 0)
		fprintf(f, ", between %.6f and %.6f by %u of %llu pairs", c->hz_min / 1e6,
			c->hz_max / 1e6, c->used, (unsigned long long)rs->s->nr_pairs);
	else
		fprintf(f, " in the mean of %u of %llu pairs", c->used,
			(unsigned long long)rs->s->nr_pairs);
	if (c->nr && c->epoch->known)
		fprintf(f, "; times to within %s", time_text(c->epoch->error / 1e9));
	fputs(c->bent ? "; NOT STEADY: no one clock agrees with all pairs\n" : "\n", f);
}

static void print_times(FILE *f, const struct report_stream *rs)
{
	const struct read_times *t = &rs->s->times;

	if (t->span)
		fprintf(f, "  recorded %.2f %% of %s%s\n", 100.0 * t->running / t->span,
			time_text(t->span / 1e9),
			t->early ? "; ended by a signal before its time" : "");
}

static void print_loss(FILE *f, const struct report_stream *rs)
{
	const struct read_stream *s = rs->s;
	const char *between = "";
	unsigned int i;
	u64 value;

	fputs("  loss     ", f);
	for (i = 0; i < LOSSES; i++) {
		value = s->loss[i];
		/* an epoch is a gap, even if the kernel did not report it */
		if (i == LOSS_GAPS)
			value = max(value, (u64)max(rs->clock.nr, 1U) - 1);
		if (!value)
			continue;
		fprintf(f, "%s%s %llu", between, loss_name[i], (unsigned long long)value);
		between = ", ";
	}
	if (rs->stat->lost)
		fprintf(f, "%snumbers left out %llu", between, (unsigned long long)rs->stat->lost);
	else if (!*between && s->times.span > s->times.running + READ_SLACK)
		fputs("time without packets", f);
	else if (!*between)
		fputs(s->has_loss || s->ended ? "none" : "nothing is known of losses", f);
	fputs(s->ended ? "\n" : "; the stream did not end in order\n", f);
}

static void print_signal(FILE *f, const struct report_stream *rs, unsigned int k)
{
	const struct stat_signal *s = &rs->stat->signal[k];
	u64 known = rs->stat->packets - rs->stat->unknown;
	unsigned int i;

	fprintf(f, "\n  c%-2u %s\n", k, report_name(rs, k));
	if (!known) {
		fputs("      no packet of known length\n", f);
		return;
	}
	fprintf(f, "      %llu events, %.4f %% of the clocks%s\n", (unsigned long long)s->total,
		100.0 * s->total / rs->stat->cycles, s->over ? " !" : "");
	fprintf(f, "      a packet: mean %.4f %%, least %.4f", 100 * s->share / known,
		100 * s->min);
	for (i = 0; i < ARRAY_SIZE(quantiles); i++)
		fprintf(f, ", p%.0f %.1f", 100 * quantiles[i],
			100 * stat_quantile(rs->stat, k, quantiles[i]));
	fprintf(f, ", most %.4f\n      longest idle %s, busy %s\n", 100 * s->max,
		cycles_text(rs, s->best[IDLE]), cycles_text(rs, s->best[BUSY]));
	if (s->over)
		fprintf(f, "      ! %llu packets with more events than clocks\n",
			(unsigned long long)s->over);
	if (s->full)
		fprintf(f, "      %llu packets with a full counter\n",
			(unsigned long long)s->full);
}

/* Return the level of a share. Only exactly 0 and 1 get the lowest and the highest level. */
static unsigned int level(double share, unsigned int levels)
{
	if (share <= 0)
		return 0;
	if (share >= 1)
		return levels - 1;
	return 1 + (unsigned int)(share * (levels - 2));
}

static void print_share(FILE *f, double share)
{
	static const char *const blocks[] = {
		"_", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"
	};
	static const char *const plain[] = {
		"_", ".", "1", "2", "3", "4", "5", "6", "7", "8", "9", "#"
	};

	if (share > 1 + ROUND)
		fputs(colours(f) ? "\033[31m!\033[0m" : "!", f);
	else if (is_unicode())
		fputs(blocks[level(share, ARRAY_SIZE(blocks))], f);
	else
		fputs(plain[level(share, ARRAY_SIZE(plain))], f);
}

/* Return true if the mean of a column hides bursts: the greatest share is far above it. */
static bool has_bursts(const struct report_columns *c, unsigned int k)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		if (report_column(c, i) && c->column[i].max[k] > report_mean(c, k, i) + BURST)
			return true;
	return false;
}

static void print_row(FILE *f, const struct report_columns *c, unsigned int k, bool most)
{
	unsigned int i;

	if (most)
		fputs("  max ", f);
	else
		fprintf(f, "  c%-2u ", k);
	for (i = 0; i < c->nr; i++) {
		if (report_column(c, i))
			print_share(f, most ? c->column[i].max[k] : report_mean(c, k, i));
		else
			fputc(' ', f);
	}
	fputc('\n', f);
}

static void print_timeline(const struct report *report, const struct report_stream *rs, FILE *f)
{
	struct report_columns columns;
	unsigned int k;

	if (!rs->stat->nr_tiles)
		return;
	report_columns(report, rs, terminal_width(f) - LABEL - 1, &columns);
	fprintf(f, "\n  from %.9g to %.9g %s\n", columns.from, columns.to, report_unit(rs));
	fprintf(f, "  mean of each column of %.3g %s; max: greatest of a packet, where far above\n",
		(columns.to - columns.from) / columns.nr, report_unit(rs));
	for (k = 0; k < READ_COUNTERS; k++) {
		if (!(rs->counters & BIT(k)))
			continue;
		print_row(f, &columns, k, false);
		if (has_bursts(&columns, k))
			print_row(f, &columns, k, true);
	}
	free(columns.column);
}

static void print_stream(const struct report *report, const struct report_stream *rs, FILE *f)
{
	const struct read_stream *s = rs->s;
	unsigned int k;

	fprintf(f, "\nstream %u: %s, %s, %s, domain %u", rs->number, s->pmu, s->gpu,
		*s->card ? s->card : text_tmp("chip 0x%02x", s->chipset), s->domain);
	if (s->period)
		fprintf(f, ", a packet every %llu clocks", (unsigned long long)s->period);
	fprintf(f, "\n  packets  %llu, of which %llu of unknown length; %llu clocks\n",
		(unsigned long long)rs->stat->packets, (unsigned long long)rs->stat->unknown,
		(unsigned long long)rs->stat->cycles);
	if (!rs->stat->packets && !report_has_window(report))
		fputs("  no packet: the clock stood still, or a packet takes longer\n", f);
	print_times(f, rs);
	print_loss(f, rs);
	print_clock(f, rs);
	for (k = 0; k < READ_COUNTERS; k++)
		if (rs->counters & BIT(k))
			print_signal(f, rs, k);
	print_timeline(report, rs, f);
}

/**
 * report_text() - write the report as text for people
 * @report: the run
 *
 * Return: false, with a message, if it cannot be written.
 */
bool report_text(const struct report *report)
{
	static struct out out;
	unsigned int i;

	if (!out_open(&out, report->output))
		return false;
	fprintf(out.f, "%s: capture of %s, %u stream%s\n", report->path,
		date_text(report->file.real_time / 1000000000), report->nr,
		report->nr == 1 ? "" : "s");
	for (i = 0; i < report->nr; i++)
		print_stream(report, &report->stream[i], out.f);
	return out_close(&out);
}
