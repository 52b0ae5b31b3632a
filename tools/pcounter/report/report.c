// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: what a capture of record mode holds.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read.h"
#include "report/report.h"
#include "report/run.h"

#define MAX_BUCKET	(3600 * NS_S)
#define MAX_SECONDS	1e15	/* or clocks, where there are no times */

static const struct option_doc options[] = {
	{ 'e', "events", "TEXT", "only counters with TEXT in their name; may be repeated" },
	{ 'D', "domain", "N", "only this domain" },
	{ 'f', "from", "TIME", "only from then on: 2s, 200ms, or s since the capture began" },
	{ 't', "to", "TIME", "only up to then" },
	{ 'b', "bucket", "TIME", "put the packets of that time into one row: 10ms, or ns" },
	{ 'J', "jsonl", NULL, "JSON Lines, a line for each packet or bucket" },
	{ 'c', "csv", NULL, "CSV, a row for each packet or bucket" },
	{ 'o', "output", "FILE", "write there instead of stdout" },
	{ 'p', "picture", "FILE", "draw timelines: SVG if its name ends so, else PNG" },
	{ 'T', "trace", "FILE", "write a trace for Perfetto" },
	{ 'M', "max-size", "MB", "how large a trace may become, default 1000" },
	{ }
};

static bool take_seconds(const char *text, double *value)
{
	if (!verb_duration(text, NS_S, -MAX_SECONDS * NS_S, MAX_SECONDS * NS_S, value))
		return false;
	*value /= NS_S;
	return true;
}

static bool take_event(const char *text, struct report *report)
{
	if (report->nr_events == REPORT_EVENTS) {
		complain("at most %u times --events", REPORT_EVENTS);
		return false;
	}
	report->events[report->nr_events++] = text;
	return true;
}

static bool take_option(int c, struct report *report)
{
	unsigned long value;
	double ns;

	switch (c) {
	case 'e':
		return take_event(optarg, report);
	case 'D':
		if (!verb_number(optarg, 0, 255, &value))
			return false;
		report->domain = value;
		return true;
	case 'M':
		if (!verb_number(optarg, 1, 1000000000, &value))
			return false;
		report->most = value * 1e6;
		return true;
	case 'f':
		return take_seconds(optarg, &report->from);
	case 't':
		return take_seconds(optarg, &report->to);
	case 'b':
		if (!verb_duration(optarg, 1, 0, MAX_BUCKET, &ns))
			return false;
		report->bucket = ns;
		report->unjoined = !report->bucket;
		return true;
	default:
		return true;
	}
}

static void take_output(int c, struct report *report)
{
	if (c == 'J')
		report->kind = OUT_JSONL;
	else if (c == 'c')
		report->kind = OUT_CSV;
	else if (c == 'o')
		report->output = optarg;
	else if (c == 'p')
		report->picture = optarg;
	else if (c == 'T')
		report->trace = optarg;
}

static int run_report(const struct verb *verb, int argc, char **argv)
{
	static struct report report = { .domain = -1, .most = 1e9, .from = NAN, .to = NAN };
	int c, status = STATUS_NO;

	while ((c = verb_getopt(verb, argc, argv)) != -1) {
		if (!take_option(c, &report))
			return STATUS_USAGE;
		take_output(c, &report);
	}
	report.path = optind < argc ? argv[optind++] : CAPTURE_FILE;
	if (optind < argc) {
		verb_usage(verb, stderr);
		return STATUS_USAGE;
	}
	catch_signals();
	if (read_open(&report.file, report.path))
		status = report_file(&report);
	else
		complain("%s: %s", report.path, report.file.why);
	report_free(&report);
	read_close(&report.file);
	return status;
}

const struct verb verb_report = {
	.name = "report",
	.args = "[FILE]",
	.summary = "say what a capture of record mode holds",
	.text =
		"Reads a file that pcounter record has written; without FILE its default,\n"
		CAPTURE_FILE ". It prints for each stream\n"
		"(a domain of a GPU): what was lost, the clock as it follows from the pairs of\n"
		"GPU time and perf's time, with bounds, and for each counter the events, their\n"
		"share of the cycles, the shares of single packets (mean, least, quantiles to\n"
		"0.2 %, greatest), the longest stretch without an event and the longest with\n"
		"one in each cycle; then a timeline. A blank in it is time of which nothing is\n"
		"known. A share above 1 is shown as it is.\n"
		"\n"
		"The exit status is 1 if something is missing: packets were lost (overrun,\n"
		"missing, unread, gaps, numbers left out), counters were full, the file is cut\n"
		"off, damaged, or did not end in order. What is there is reported all the same.\n"
		"Merged requests lose nothing: their events are in the next packet.\n"
		"\n"
		"--csv and --jsonl have a row for each packet with these columns: stream, gpu,\n"
		"domain, packet (its number), packets (1), epoch (how often the cycle counter\n"
		"began anew), cycle (the cycle counter), time_ns (when the packet was written, by\n"
		"perf's clock as perf record without --clockid has it: the scheduler's, not\n"
		"CLOCK_MONOTONIC), cycles (how long it is), requests (that it answers), c0 to\n"
		"c11 (events). cycles is empty where nobody knows it, which is after a loss. With\n"
		"--bucket a row is what ended in that time: packet is the first, packets their\n"
		"number, time_ns the begin of the bucket, cycles and c0 to c11 are sums over\n"
		"packets of known length. There is no row where there is no packet. Unused and\n"
		"unchosen counters are empty.\n"
		"\n"
		"--trace writes Perfetto's own format: a GPU counter for each event, in percent\n"
		"of the clocks, which holds from the begin of a packet to its end, in a block for\n"
		"each domain. Times are perf's clock, and the capture's clocks say where that is\n"
		"beside those of other traces (BOOTTIME, MONOTONIC, REALTIME). What was lost is\n"
		"a slice of its own, and 0 in the tracks. Where a stream has more than\n"
		"200000 packets they are joined to buckets unless --bucket says otherwise (0: not\n"
		"at all), and a trace that would be larger than --max-size is not begun.\n",
	.options = options,
	.example = "pcounter report --from 0.5 --to 0.6 --picture busy.svg capture.pcc",
	.run = run_report,
};
