// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter: a companion of perf for the performance counters of NVIDIA GPUs.
 */
#include <locale.h>

#include "cli/verb.h"

static const struct verb *const verbs[] = {
	&verb_list, &verb_doctor, &verb_events, &verb_explain, &verb_stat, &verb_diff, &verb_top,
	&verb_scan, &verb_record, &verb_report, &verb_mark, &verb_trigger, &verb_selftest, NULL
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
	      "Exit status: 0 success; 1 failure, or the answer is no; 2 usage error;\n"
	      "3 no usable GPU; 130 interrupted.\n", out);
}

static const struct verb *find_verb(const char *name)
{
	unsigned int i;

	for (i = 0; verbs[i] && strcmp(name, verbs[i]->name); i++)
		;
	return verbs[i];
}

/* Count the letters that two words share at their beginnings and at their ends. */
static size_t likeness(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b), head = 0, tail = 0;

	while (head < min(a_len, b_len) && a[head] == b[head])
		head++;
	while (tail < min(a_len, b_len) - head && a[a_len - 1 - tail] == b[b_len - 1 - tail])
		tail++;
	return head + tail;
}

/* Return an empty verb if no verb shares more than half of the letters. */
static const char *nearest_verb(const char *word)
{
	size_t best = max(strlen(word) / 2, (size_t)1);
	const char *nearest = "";

	for (unsigned int i = 0; verbs[i]; i++) {
		size_t like = likeness(word, verbs[i]->name);

		if (like > best) {
			best = like;
			nearest = verbs[i]->name;
		}
	}
	return nearest;
}

/* Handle what is no verb: "help", and the options of the program. */
static int main_option(const char *arg, const char *of)
{
	const struct verb *verb = of && !strcmp(arg, "help") ? find_verb(of) : NULL;
	const char *near = nearest_verb(arg);

	if (verb) {
		verb_usage(verb, stdout);
		return STATUS_OK;
	}
	if (!strcmp(arg, "-h") || !strcmp(arg, "--help") || !strcmp(arg, "help")) {
		print_help(stdout);
		return STATUS_OK;
	}
	if (!strcmp(arg, "-V") || !strcmp(arg, "--version")) {
		puts("pcounter " PCOUNTER_VERSION);
		return STATUS_OK;
	}
	return tell(STATUS_USAGE, "%s: no such verb or option%s%s%s; try: pcounter --help", arg,
		    *near ? "; did you mean " : "", near, *near ? "?" : "");
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	int status;

	setlocale(LC_CTYPE, "");
	more_files();
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	verb = find_verb(argv[1]);
	status = verb ? verb_run(verb, argc - 1, argv + 1) : main_option(argv[1], argv[2]);
	if (fflush(stdout) || ferror(stdout))
		return tell(STATUS_NO, "output: %s", strerror(errno));
	return status;
}
