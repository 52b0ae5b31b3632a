/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts, memory, files, time, and messages; includes the common headers.
 */
#ifndef _PCOUNTER_TOOL_UTIL_H
#define _PCOUNTER_TOOL_UTIL_H

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

/* Make a system call again until no signal interrupts it. musl has no such macro. */
#define RETRY(call)	({ long _ret; do _ret = (call); while (_ret < 0 && errno == EINTR); _ret; })

#define NS_S	1e9
#define NS_MS	1e6
#define NS_US	1e3

/* Set by a handler of signals: waits end. */
extern atomic_int stopped;
const char *find_program(const char *command);
int wait_fd(int fd, double seconds);
bool wait_until(int fd, double when);
bool wait_ms(double ms);
uint64_t clock_ns(clockid_t clock);
double seconds(void);

__printf(1, 2) bool complain(const char *fmt, ...);

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
char *text_keep(char *text);
__printf(1, 2) const char *text_tmp(const char *fmt, ...);
void texts_free(void);
const char *text_plain(const char *text);
const char *date_text(time_t time);

/* truth tables of four arguments as formulas */
#define FORMULA_ARGS	4
const char *formula(uint16_t table, const char *const names[FORMULA_ARGS]);

/* files */
#define PCI_DEVICES	"/sys/bus/pci/devices"

char *file_text(const char *path);
char **files_of(const char *folder);
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
