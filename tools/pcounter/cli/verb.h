/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line: verbs and their options, signals, and commands that verbs run.
 */
#ifndef _PCOUNTER_TOOL_VERB_H
#define _PCOUNTER_TOOL_VERB_H

#include "lib/util.h"

#define CAPTURE_FILE	"pcounter.data"	/* default of record and report */
#define CPU_FILE	".cpu"		/* ends the name of perf's file beside a capture */

/* Exit statuses, the same for all verbs. */
enum pcounter_status {
	STATUS_OK,
	STATUS_NO,		/* failure, or the answer is no */
	STATUS_USAGE,
	STATUS_NO_GPU,		/* no GPU is available */
	STATUS_INTERRUPTED = 130,
};

/**
 * struct option_doc - an option
 * @letter: its letter, or a number above 255 if it has none
 * @name: long name
 * @arg: name of its argument, NULL if it takes none
 * @text: description for the help
 * @take: handles the option; returns false, with a message, for a wrong argument
 * @to: destination of the value that @take stores
 * @least: least value of a number or a time, in ns; take_kind(): the kind of rows
 * @most: greatest value of a number or a time; take_several(): greatest number of texts
 * @unit: unit of a time that is given as a plain number
 */
struct option_doc {
	int letter;
	const char *name;
	const char *arg;
	const char *text;
	bool (*take)(const struct option_doc *o, const char *text);
	void *to;
	double least;
	double most;
	double unit;
};

#define OPT_FLAG(target)	.take = take_flag, .to = target
#define OPT_TEXT(target)	.take = take_text, .to = target
#define OPT_SEVERAL(target, times)	.take = take_several, .to = target, .most = times
#define OPT_NUMBER(target, from, up_to) \
	.take = take_number, .to = target, .least = from, .most = up_to
#define OPT_TIME(target, from, up_to, plain) \
	.take = take_time, .to = target, .least = from, .most = up_to, .unit = plain
/* Options without a letter: the first is of several verbs, a verb's own follow. */
enum { LONG_CHIP = 256, LONG_OWN };

#define OPTION_DEVICE(wish) \
	{ 'd', "gpu", "GPU", "only this one: PCI address or name of the PMU", OPT_TEXT(wish) }
#define OPTION_CHIP(chip) \
	{ LONG_CHIP, "chip", "CHIP", \
	  "as if this machine had such a chip (G84, NV84, 0xa3) or card", OPT_TEXT(chip) }

/**
 * struct verb - a verb of the program
 * @name: its name
 * @args: the arguments after the options
 * @summary: description in one line
 * @options: its options; the last has no name
 * @hint: shown after an unknown option, NULL for none
 * @counts: it may need the right to count
 * @run: runs the verb with its arguments; returns enum pcounter_status
 *
 * verb_usage() makes the help from this structure; the build makes the manual pages from
 * the help, and the completion reads it.
 */
struct verb {
	const char *name;
	const char *args;
	const char *summary;
	const struct option_doc *options;
	const char *hint;
	bool counts;
	int (*run)(char **args);
};

extern const struct verb verb_list, verb_doctor, verb_explain, verb_top, verb_scan, verb_record;
extern const struct verb verb_events, verb_mark, verb_report, verb_selftest, verb_stat;
extern const struct verb verb_diff, verb_trigger;

void verb_usage(const struct verb *verb, FILE *out);
int verb_run(const struct verb *verb, int argc, char **argv);
void drop_rights(void);
struct gpus;
int gpus_run(const char *wish, int (*run)(const struct gpus *gpus));
bool take_flag(const struct option_doc *o, const char *text);
bool take_text(const struct option_doc *o, const char *text);
bool take_several(const struct option_doc *o, const char *text);
bool take_number(const struct option_doc *o, const char *text);
bool take_time(const struct option_doc *o, const char *text);

void catch_signals(void);
/* Exit status of a shell that cannot run a command. */
#define EXEC_FAILED	127
bool can_run(const char *command);
int command_status(int status);
void more_files(void);
pid_t start_command(char *const *command, bool quiet, int *fd);
int end_command(pid_t pid, int fd);
int run_command(char *const *command, bool quiet, double limit);
/* Print a message, and evaluate to a status, for the caller to return. */
#define tell(status, ...)	(complain(__VA_ARGS__), (status))
bool colours(FILE *f);

#endif
