// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter: a companion of perf for the performance counters of NVIDIA GPUs.
 */
#include <locale.h>

#include "lib/tool.h"

static const struct verb *const verbs[] = {
	&verb_list, &verb_doctor, &verb_events, &verb_explain, &verb_stat, &verb_diff, &verb_top,
	&verb_scan, &verb_record, &verb_report, &verb_mark, &verb_selftest, NULL
};

static void print_help(FILE *out)
{
	unsigned int i;

	fputs("Usage: pcounter VERB [options]\n"
	      "Performance counters (PCOUNTER) of NVIDIA GPUs, beside perf.\n\n", out);
	for (i = 0; verbs[i]; i++)
		fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n  pcounter VERB --help    options of a verb\n"
	      "  pcounter --version      the version\n"
	      "  man pcounter-VERB       its manual page\n\n"
	      "Exit status: 0 done, 1 it did not work or the answer is no, 2 wrong usage,\n"
	      "3 no GPU that could be asked, 130 interrupted.\n", out);
}

static int main_option(const char *arg)
{
	if (!strcmp(arg, "-h") || !strcmp(arg, "--help")) {
		print_help(stdout);
		return STATUS_OK;
	}
	if (!strcmp(arg, "--version")) {
		puts("pcounter " PCOUNTER_VERSION);
		return STATUS_OK;
	}
	complain("%s: no such verb or option; try: pcounter --help", arg);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	unsigned int i;
	int status;

	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	for (i = 0; verbs[i]; i++)
		if (!strcmp(argv[1], verbs[i]->name))
			break;
	status = verbs[i] ? verb_run(verbs[i], argc - 1, argv + 1) : main_option(argv[1]);
	if (fflush(stdout) || ferror(stdout)) {
		complain("output: %s", strerror(errno));
		return STATUS_NO;
	}
	return status;
}
