/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common declarations of the program "pcounter"; includes the common headers.
 */
#ifndef _PCOUNTER_TOOL_H
#define _PCOUNTER_TOOL_H

#include <errno.h>
#include <langinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#define __printf(fmt, first)	__attribute((format(printf, fmt, first)))

#define CAPTURE_FILE	"pcounter.data"	/* default of record and report */
#define CPU_FILE	".cpu"		/* ends the name of perf's file beside a capture */

/* Make a system call again until no signal interrupts it. musl has no such macro. */
#define RETRY(call)	({ long _ret; do _ret = (call); while (_ret < 0 && errno == EINTR); _ret; })

#define NS_S	1e9
#define NS_MS	1e6
#define NS_US	1e3

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
#define OPTION_DEVICE(wish) \
	{ 'd', "gpu", "GPU", "only this one: PCI address or name of the PMU", OPT_TEXT(wish) }
#define OPTION_CHIP(chip) \
	{ 'c', "chip", "CHIP", "as if this machine had such a chip (G84, NV84, 0xa3) or card", \
	  OPT_TEXT(chip) }

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
extern const struct verb verb_diff;

void verb_usage(const struct verb *verb, FILE *out);
int verb_run(const struct verb *verb, int argc, char **argv);
void drop_rights(void);
bool take_flag(const struct option_doc *o, const char *text);
bool take_text(const struct option_doc *o, const char *text);
bool take_several(const struct option_doc *o, const char *text);
bool take_number(const struct option_doc *o, const char *text);
bool take_time(const struct option_doc *o, const char *text);

/* Set by the handler of SIGINT, SIGTERM and SIGHUP. */
extern atomic_int stopped;
void catch_signals(void);
/* Exit status of a shell that cannot run a command. */
#define EXEC_FAILED	127
const char *find_program(const char *command);
bool can_run(const char *command);
int command_status(int status);
void more_files(void);
pid_t start_command(char *const *command, bool quiet, int *fd);
int end_command(pid_t pid, int fd);
int run_command(char *const *command, bool quiet, double limit);
int wait_fd(int fd, double seconds);
bool wait_until(int fd, double when);
bool wait_ms(double ms);
uint64_t clock_ns(clockid_t clock);
double seconds(void);

__printf(1, 2) bool complain(const char *fmt, ...);
bool colours(FILE *f);

/* Return true if the output may have letters other than ASCII, in UTF-8. */
static inline bool is_unicode(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Replace an empty text by NULL, which becomes JSON's null: an unknown value. */
static inline const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

/* memory */
void *need(size_t nr, size_t size);
void *grow(void *array, size_t nr, size_t size);
__printf(1, 2) const char *text_tmp(const char *fmt, ...);
const char *text_plain(const char *text);
const char *date_text(time_t time);
__printf(3, 4) void text_add(char *buf, size_t len, const char *fmt, ...);

/* truth tables of four arguments as formulas */
#define FORMULA_ARGS	4
#define FORMULA_TEXT	400
const char *formula(uint16_t table, const char *const names[FORMULA_ARGS]);

/* files */
#define PCI_DEVICES	"/sys/bus/pci/devices"

bool file_read(char *buf, size_t len, const char *path);
void each_file(const char *folder, void (*take)(void *context, const char *name), void *context);
bool file_number(unsigned long *value, const char *path);
const char *device_power(const char *address);

/* new files */
bool may_replace(const char *path);
bool keep_old(const char *path);
int create_file(const char *path, mode_t mode, char *scrap);
bool name_file(const char *path, const char *scrap, bool good);

/* Return true if a file exists. */
static inline bool file_exists(const char *path)
{
	return !access(path, F_OK);
}

#endif
