// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stages that need no experiment: what the GPU is, what it shows, and
 * whether it counts what is known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "hw/layout.h"
#include "lib/tool.h"
#include "rules/chip.h"
#include "selftest/selftest.h"

#define DEBUGFS		"/sys/kernel/debug/pcounter"
#define COUNT_MS	60
#define BARS		6
#define WORDS		8
#define PERIODIC	4		/* a pulse every 2^13 clocks */
#define GF100_PERIODIC	0x2e
#define GF100_ZERO	0x2f

/**
 * selftest_begin() - begin a report
 * @test: the run
 * @gpu: the GPU
 * @progress: where to say what is being done
 *
 * Return: false without memory.
 */
bool selftest_begin(struct selftest *test, const struct gpu *gpu, FILE *progress)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;
	char kernel[32], date[16];
	time_t now = time(NULL);

	memset(test, 0, sizeof(*test));
	test->gpu = gpu;
	test->progress = progress;
	uname(&name);
	/* what follows the numbers may be the name of a person or a machine */
	if (sscanf(name.release, "%u.%u", &major, &minor) != 2)
		minor = 0;
	snprintf(kernel, sizeof(kernel), "%u.%u", major, minor);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	test->report = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:[], s:[]}",
				 "kind", SELFTEST_KIND, "schema", SELFTEST_SCHEMA,
				 "program", PCOUNTER_VERSION, "date", date,
				 "chip", gpu->pmu->chip_name, "kernel", kernel,
				 "stages", "experiments");
	return test->report;
}

/**
 * selftest_stage() - begin a stage
 * @test: the run
 * @number: its number
 * @name: what it does
 * @touches: what it touches
 */
void selftest_stage(struct selftest *test, unsigned int number, const char *name,
		    const char *touches)
{
	test->stage = json_pack("{s:i, s:s, s:s, s:[]}", "stage", number, "name", name, "touches",
				touches, "checks");
	json_array_append_new(json_object_get(test->report, "stages"), test->stage);
	fprintf(test->progress, "stage %u: %s (touches %s)\n", number, name, touches);
	fflush(test->progress);
}

/**
 * selftest_check() - note what a check has found
 * @test: the run
 * @name: the check
 * @ok: as it should be
 * @domain: in which domain, or NULL
 * @evidence: numbers; the reference is taken
 */
void selftest_check(struct selftest *test, const char *name, bool ok, const char *domain,
		    json_t *evidence)
{
	json_t *check = json_pack("{s:s, s:b, s:o}", "name", name, "ok", ok, "evidence", evidence);

	if (domain)
		json_object_set_new(check, "domain", json_string(domain));
	json_array_append_new(json_object_get(test->stage, "checks"), check);
	test->failed += !ok;
	if (!ok)
		fprintf(test->progress, "  not as expected: %s%s%s\n", name,
			domain ? ", domain " : "", domain ? domain : "");
}

/* ---- 0: which GPU ---- */

/* Sizes, not addresses. */
static json_t *bar_sizes(const struct gpu *gpu)
{
	json_t *sizes = json_array();
	struct stat st;
	char path[160];
	unsigned int i;

	for (i = 0; i < BARS && gpu->pci; i++) {
		snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource%u", gpu->address, i);
		json_array_append_new(sizes, json_integer(stat(path, &st) ? 0 : st.st_size));
	}
	return sizes;
}

/* One of those that matter here; another name might be somebody's. */
static const char *driver_of(const struct gpu *gpu)
{
	static const char *const drivers[] = { "", "nouveau", "nvidia", "vfio-pci" };
	unsigned int i;

	for (i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(gpu->driver, drivers[i]))
			return drivers[i];
	return "other";
}

/**
 * selftest_identify() - stage 0: what is known without a register
 * @test: the run
 *
 * Return: false if the GPU is to be left alone.
 */
bool selftest_identify(struct selftest *test)
{
	const struct gpu *gpu = test->gpu;
	const struct pmu *pmu = gpu->pmu;
	bool awake;

	selftest_stage(test, 0, "identify", "nothing");
	awake = !gpu_asleep(gpu);
	json_object_set_new(test->report, "gpu",
			    json_pack("{s:i, s:s, s:o, s:i, s:s}",
				      "device", (int)gpu->device, "driver", driver_of(gpu),
				      "bars", bar_sizes(gpu), "domains", (int)pmu->topo.nr,
				      "modes", pmu->modes));
	selftest_check(test, "awake", awake, NULL, json_array());
	selftest_check(test, "chip known", pmu->topo.chip, NULL, json_array());
	return awake && pmu->topo.chip;
}

/* ---- 1: reads only ---- */

/* "domain hub0: 00000000 ..." */
static void note_levels(struct selftest *test, json_t *all, char *line, unsigned int look)
{
	char *colon = strchr(line, ':'), *word, *rest;
	json_t *words, *domain;

	if (!colon || strncmp(line, "domain ", 7))
		return;
	*colon = 0;
	rest = colon + 1;
	domain = json_object_get(all, line + 7);
	if (!domain) {
		domain = json_array();
		json_object_set_new(all, line + 7, domain);
	}
	words = json_array();
	while ((word = strsep(&rest, " ")))
		if (strlen(word) == WORDS)
			json_array_append_new(words, json_string(word));
	if (json_array_size(domain) == look)
		json_array_append_new(domain, words);
	else
		json_decref(words);
}

static bool look_at_levels(struct selftest *test, json_t *all, unsigned int look)
{
	static char text[65536];
	char *line, *rest = text;

	if (!file_read(text, sizeof(text), DEBUGFS "/%s/signals", test->gpu->pmu->name))
		return false;
	while ((line = strsep(&rest, "\n")))
		note_levels(test, all, line, look);
	return true;
}

static bool is_error_word(const char *word)
{
	return !strncmp(word, "bad", 3) || !strcmp(word, "ffffffff");
}

/* A window that is not there reads the same in all words. */
static bool answers(const json_t *looks)
{
	const json_t *words = json_array_get(looks, 0);
	size_t i, errors = 0;

	for (i = 0; i < json_array_size(words); i++)
		errors += is_error_word(json_string_value(json_array_get(words, i)));
	return json_array_size(words) && errors < json_array_size(words);
}

/**
 * selftest_read() - stage 1: levels of all signals, twice
 * @test: the run
 */
void selftest_read(struct selftest *test)
{
	json_t *all = json_object(), *looks;
	const char *name;
	bool ok;

	selftest_stage(test, 1, "read", "nothing: it reads levels of signals");
	ok = look_at_levels(test, all, 0) && wait_ms(COUNT_MS) && look_at_levels(test, all, 1);
	selftest_check(test, "levels can be read", ok, NULL, json_array());
	json_object_foreach(all, name, looks)
		selftest_check(test, "domain answers", answers(looks), name, json_array());
	json_object_set_new(test->stage, "levels", all);
}

/* ---- 2: what is known must be counted ---- */

/* How two counts of a group must compare. */
enum expectation { IS_ZERO, IS_ALL, IS_SHARE };

/**
 * struct known - something whose count is known
 * @name: what it is called
 * @caps: capabilities without which it is not there
 * @terms: of its event; %u is the number of a signal
 * @offset: of that signal from the trailer, on GF100 and later, and before
 * @expect: what the count is, compared with that of all clocks
 */
struct known {
	const char *name;
	u32 caps;
	const char *terms;
	unsigned int offset[2];
	enum expectation expect;
};

static const struct known known[] = {
	{ "always 1 equals cycles", 0, "sig=0,op=0xffff", { 0, 0 }, IS_ALL },
	{ "START of always 1 equals cycles", PCOUNTER_CAP_QUAD, "sig=0,op=0xffff,start", { 0, 0 },
	  IS_ALL },
	{ "ZERO stays 0", PCOUNTER_CAP_SWAP_SRC, "sig=%u", { GF100_ZERO, 0x0c }, IS_ZERO },
	{ "PERIODIC has a period of 8192 clocks", PCOUNTER_CAP_PERIODIC, "sig=%u,periodic=4",
	  { GF100_PERIODIC, 0x0d }, IS_SHARE },
};

static bool fits(const struct known *k, u32 caps, uint64_t value, uint64_t clocks)
{
	/* where both are not of one moment, of about the same */
	uint64_t slack = caps & PCOUNTER_CAP_QUAD ? 0 : clocks / 20 + 1000;

	switch (k->expect) {
	case IS_ZERO:
		return !value;
	case IS_ALL:
		return value + slack >= clocks && clocks + slack >= value;
	default:
		return value >= clocks >> (9 + PERIODIC) && value <= (clocks >> (9 + PERIODIC)) + 1;
	}
}

static int count_for(const struct pmu *pmu, const struct event *event, uint64_t value[2])
{
	struct count count;
	int err = count_open(&count, pmu, event, 2);

	if (err)
		return err;
	count_enable(&count, true);
	wait_ms(COUNT_MS);
	count_enable(&count, false);
	err = count_read(&count) && count.running ? 0 : -EIO;
	memcpy(value, count.value, 2 * sizeof(*value));
	count_close(&count);
	return err;
}

static void check_known(struct selftest *test, const struct known *k, unsigned int dom,
			const char *name)
{
	const struct pmu *pmu = test->gpu->pmu;
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];
	unsigned int sets = pmu->topo.caps & PCOUNTER_CAP_SETS ? 0 : 1;
	uint64_t value[2] = {};
	struct event event[2];
	char terms[80];
	int err;

	if ((pmu->topo.caps & k->caps) != k->caps)
		return;
	if (k->offset[0] && (id->trailer == PCOUNTER_TRAILER_UNKNOWN || id->disputed))
		return;
	snprintf(terms, sizeof(terms), k->terms, id->trailer + k->offset[sets]);
	wire_event(pmu, dom, terms, &event[0]);
	clk_event(pmu, dom, &event[1]);
	err = count_for(pmu, event, value);
	/* a clock that stands still is no fault */
	if (!err && !value[1])
		return;
	selftest_check(test, k->name, !err && fits(k, pmu->topo.caps, value[0], value[1]), name,
		       json_pack("[I, I, i]", (json_int_t)value[0], (json_int_t)value[1], err));
}

/**
 * selftest_count() - stage 2: count what is known
 * @test: the run
 */
void selftest_count(struct selftest *test)
{
	const struct pmu *pmu = test->gpu->pmu;
	double hz[PCOUNTER_MAX_DOMAINS], again[PCOUNTER_MAX_DOMAINS];
	char name[PCOUNTER_DOM_NAME];
	unsigned int i, k;
	int err;

	selftest_stage(test, 2, "count", "counters, as perf does");
	measure_clocks(pmu, COUNT_MS, hz, &err);
	measure_clocks(pmu, COUNT_MS, again, &err);
	for (i = 0; i < pmu->topo.nr && !stopped; i++) {
		pcounter_dom_name(&pmu->topo, i, name, sizeof(name));
		selftest_check(test, "clock", hz[i] >= 0 && again[i] >= 0, name,
			       json_pack("[I, I]", (json_int_t)hz[i], (json_int_t)again[i]));
		/* of units that repeat, the first */
		for (k = 0; k < sizeof(known) / sizeof(*known) && !pmu->topo.dom[i].unit; k++)
			if (hz[i] > 0 && !stopped)
				check_known(test, &known[k], i, name);
	}
}
