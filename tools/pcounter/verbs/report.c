// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter report: show the contents of a capture.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

#include "report/report.h"

#define SCRIPTS		"/../share/pcounter"	/* from the program's folder */
#define MAX_BUCKET	(3600 * NS_S)
#define MAX_TIME	(1e15 * NS_S)	/* in ns; in clocks without times */

static struct report report = { .domain = -1, .from = NAN, .to = NAN, .bucket = NAN };
static bool with_cpus;

static bool take_picture(const struct option_doc *o, const char *text);

enum { FROM = LONG_OWN, TO };

static const struct option_doc options[] = {
	{ 'e', "event", "TEXT", "only counters with TEXT in their name; may be repeated",
	  OPT_SEVERAL(report.events, REPORT_EVENTS) },
	{ 'D', "domain", "N", "only this domain", OPT_NUMBER(&report.domain, 0, 255) },
	{ FROM, "from", "TIME", "only from TIME on: 2s, 200ms, or s since the capture began",
	  OPT_TIME(&report.from, -MAX_TIME, MAX_TIME, NS_S) },
	{ TO, "to", "TIME", "only up to TIME",
	  OPT_TIME(&report.to, -MAX_TIME, MAX_TIME, NS_S) },
	{ 'b', "bucket", "TIME", "put the packets of each TIME into one row: 10ms, or ns",
	  OPT_TIME(&report.bucket, 0, MAX_BUCKET, 1) },
	{ 'J', "jsonl", NULL, "JSON Lines, a line for each packet or bucket",
	  OPT_ROWS(&report.kind, OUT_JSONL) },
	{ 'c', "csv", NULL, "CSV, a row for each packet or bucket",
	  OPT_ROWS(&report.kind, OUT_CSV) },
	{ 'o', "output", "FILE", "write to FILE instead of stdout",
	  OPT_TEXT(&report.output) },
	{ 'p', "picture", "FILE", "draw timelines as SVG", .take = take_picture },
	{ 'T', "trace", "FILE", "write a trace for Perfetto",
	  OPT_TEXT(&report.trace) },
	{ 'C', "cpu", NULL, "with --trace: the CPUs, too, by perf script from FILE.cpu",
	  OPT_FLAG(&with_cpus) },
	{ }
};

/* Take the file of a picture. A PNG is refused before the work. */
static bool take_picture(const struct option_doc *o, const char *text)
{
	const char *dot = strrchr(text, '.');

	if (dot && !strcmp(dot, ".png"))
		return complain("%s: pictures are SVG; rsvg-convert makes a PNG of one", text);
	report.picture = text;
	return true;
}

/* Append the CPUs to a trace of a capture of "record --cpu". Return false if that fails. */
static bool add_cpus(int fd)
{
	char cpus[PATH_MAX], exe[PATH_MAX] = "", trace[32];
	char *folder = getenv("PCOUNTER_SCRIPTS") ?: exe;
	char *const command[] = {
		"sh", "-c", "exec perf script -i \"$0\" -s \"$1/pcounter-timeline.py\" >>\"$2\"",
		cpus, folder, trace, NULL,
	};

	if (readlink("/proc/self/exe", exe, sizeof(exe) - sizeof(SCRIPTS)) > 0)
		strcpy(strrchr(exe, '/'), SCRIPTS);
	snprintf(cpus, sizeof(cpus), "%s" CPU_FILE, report.path);
	if (!with_cpus && file_exists(cpus))
		complain("%s: with --cpu perf script adds it to the trace", cpus);
	/* by its name the trace may be another file */
	snprintf(trace, sizeof(trace), "/proc/self/fd/%d", fd);
	fcntl(fd, F_SETFD, 0);
	if (!with_cpus || !run_command(command, false, 0))
		return true;
	return complain("%s: the trace lacks the CPUs, since perf script failed", cpus);
}

/* Make new files for their owner only if others cannot read a file that goes into them. */
static void keep_secret(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && !(st.st_mode & 0004))
		umask(0077);
}

static int run_report(char **args)
{
	int status = STATUS_NO;

	if (with_cpus && !report.trace) {
		complain("--cpu needs --trace: only a trace has a place for the CPUs");
		return STATUS_USAGE;
	}
	report.path = *args ?: CAPTURE_FILE;
	report.from /= NS_S;
	report.to /= NS_S;
	report.append = add_cpus;
	keep_secret(report.path);
	if (with_cpus)
		keep_secret(text_tmp("%s" CPU_FILE, report.path));
	catch_signals();
	if (read_open(&report.file, report.path))
		status = report_file(&report);
	else
		complain("%s: %s", report.path, report.file.why);
	read_close(&report.file);
	return status;
}

const struct verb verb_report = {
	.name = "report",
	.args = "[FILE]",
	.summary = "say what a capture of record mode holds",
	.options = options,
	.run = run_report,
};
