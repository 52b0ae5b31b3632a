/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the program "pcounter" share: verbs, files, output.
 */
#ifndef _PCOUNTER_TOOL_H
#define _PCOUNTER_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define __printf(fmt, first)	__attribute((format(printf, fmt, first)))

#define CAPTURE_FILE	"pcounter.data"	/* of record and report, unless named */

#define NS_S	1e9
#define NS_MS	1e6
#define NS_US	1e3

/* Exit statuses, the same for all verbs. */
enum pcounter_status {
	STATUS_OK,
	STATUS_NO,		/* it did not work, or the answer is no */
	STATUS_USAGE,
	STATUS_NO_GPU,		/* there is no GPU that could be asked */
	STATUS_INTERRUPTED = 130,
};

/**
 * struct option_doc - an option
 * @letter: its letter, or a number above 255 if it has none
 * @name: long name
 * @arg: what its argument is called, NULL if it takes none
 * @text: what it does
 */
struct option_doc {
	int letter;
	const char *name;
	const char *arg;
	const char *text;
};

/**
 * struct verb - a verb of the program
 * @name: its name
 * @args: what follows the options
 * @summary: what it does, in a line
 * @text: and at length: paragraphs for the manual page
 * @options: its options; the last has no name
 * @example: a command line and what it is for
 * @run: does it; returns enum pcounter_status
 *
 * Help, manual pages and completion are all made from this.
 */
struct verb {
	const char *name;
	const char *args;
	const char *summary;
	const char *text;
	const struct option_doc *options;
	const char *example;
	int (*run)(const struct verb *verb, int argc, char **argv);
};

int verb_getopt(const struct verb *verb, int argc, char **argv);
void verb_usage(const struct verb *verb, FILE *out);
bool verb_number(const char *text, unsigned long min, unsigned long max,
		 unsigned long *value);
bool verb_duration(const char *text, double unit, double min, double max, double *ns);
int doc_manual(const struct verb *const *verbs, const char *name, FILE *out);
int doc_completion(const struct verb *const *verbs, const char *shell, FILE *out);

/* Set by SIGINT and SIGTERM. */
extern atomic_int stopped;
void catch_signals(void);
/* What a shell says of a command that it could not run. */
#define EXEC_FAILED	127
bool can_run(const char *command);
bool find_program(const char *command, char *file, size_t len);
int command_status(int status);
pid_t start_command(char **command, bool quiet, int *fd);
int end_command(pid_t pid);
int wait_fd(int fd, double seconds);
bool wait_ms(unsigned int ms);
double seconds(void);

__printf(1, 2) void complain(const char *fmt, ...);
bool colours(FILE *f);

/* files */
__printf(3, 4)
bool file_read(char *buf, size_t len, const char *fmt, ...);
__printf(1, 2) bool file_exists(const char *fmt, ...);
__printf(2, 3)
bool file_number(unsigned long *value, const char *fmt, ...);

/* Rows for programs: JSON Lines or CSV, with the same columns. */
enum out_kind { OUT_TEXT, OUT_JSONL, OUT_CSV };

/**
 * struct out - where rows go
 * @f: the stream
 * @kind: how they are written
 * @columns: names of the columns, ended by NULL
 * @begun: the header has been written
 */
struct out {
	FILE *f;
	enum out_kind kind;
	const char *const *columns;
	bool begun;
};

enum cell_kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT };

/**
 * struct cell - one value of a row
 * @kind: which member holds it; CELL_NULL: unknown
 * @i: a whole number
 * @r: a number
 * @s: a text
 */
struct cell {
	enum cell_kind kind;
	union {
		int64_t i;
		double r;
		const char *s;
	};
};

#define CELL_UNKNOWN	((struct cell){ .kind = CELL_NULL })
#define CELL_I(val)	((struct cell){ .kind = CELL_INT, .i = (val) })
#define CELL_R(val)	((struct cell){ .kind = CELL_REAL, .r = (val) })
#define CELL_S(val)	((struct cell){ .kind = CELL_TEXT, .s = (val) })

bool out_open(struct out *out, const char *path);
void out_header(struct out *out);
bool out_row(struct out *out, const struct cell *cells);
bool out_close(struct out *out);

#endif
