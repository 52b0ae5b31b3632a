/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A selftest: checks of a GPU, stage by stage, with a report.
 */
#ifndef _PCOUNTER_TOOL_SELFTEST_H
#define _PCOUNTER_TOOL_SELFTEST_H

#include <jansson.h>

#include "gpu/gpu.h"

#define SELFTEST_SCHEMA		1
#define SELFTEST_SECONDS	600	/* of a run, at most */
#define SELFTEST_KIND		"pcounter-selftest"
#define COUNT_MS		60	/* duration of a count */
#define SELFTEST_MOST		(100 * 1024)	/* bytes of a report, at most */
/* Address for reports. The build of a package sets its repository: make SELFTEST_ADDRESS=... */
#ifndef SELFTEST_ADDRESS
#define SELFTEST_ADDRESS	"the repository that README.md names"
#endif

/**
 * struct selftest - a run
 * @gpu: the GPU
 * @again: all GPUs, read again after they have counted
 * @report: the report so far
 * @stage: its current stage
 * @levels: the original levels of all signals
 * @registers: the original values of all registers, in the report
 * @file: the module's file that runs experiments; NULL under lockdown, where files of
 *	debugfs can be read, but not written
 * @hidden: debugfs cannot be mounted
 * @loaded: this run has loaded the module
 * @failed: number of failed checks
 * @danger: a register was not restored; the run ends
 * @begun: start of the run, by seconds()
 */
struct selftest {
	const struct gpu *gpu;
	struct gpus again;
	json_t *report;
	json_t *stage;
	struct dom_levels levels[PCOUNTER_MAX_DOMAINS];
	json_t *registers;
	FILE *file;
	bool hidden;
	bool loaded;
	unsigned int failed;
	bool danger;
	double begun;
};

/* Return true if two numbers differ by at most @slack. */
static inline bool near(uint64_t a, uint64_t b, uint64_t slack)
{
	return a + slack >= b && a <= b + slack;
}

bool selftest_open(struct selftest *test);
void selftest_close(struct selftest *test);
void selftest_begin(struct selftest *test, const struct gpu *gpu);
bool selftest_over(const struct selftest *test);
void selftest_stage(struct selftest *test, unsigned int number, const char *name,
		    const char *touches);
json_t *selftest_numbers(const uint64_t *value, unsigned int n);
void selftest_check(struct selftest *test, const char *name, bool ok, const char *domain,
		    json_t *evidence);
void selftest_at(struct selftest *test, unsigned int addr, unsigned int wanted, unsigned int got);
bool selftest_identify(struct selftest *test);
void selftest_read(struct selftest *test);
void selftest_count(struct selftest *test);
void selftest_workload(struct selftest *test);
void selftest_record(struct selftest *test);
bool selftest_is_free(struct selftest *test);
void selftest_compare(struct selftest *test);
void selftest_experiments(struct selftest *test, bool record);
void selftest_list(void);

void report_show(const json_t *report);
bool report_save(const json_t *report, const char *path);

#endif
