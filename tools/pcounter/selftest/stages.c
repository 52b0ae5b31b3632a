// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of a run, and the stages that only read: identification of the GPU, levels of
 * its signals, and comparison of its registers with their original values.
 */
#include <sys/stat.h>
#include <sys/utsname.h>

#include "hw/io.h"
#include "hw/registers.h"
#include "cli/verb.h"
#include "selftest/selftest.h"

#define BARS		6

/**
 * selftest_begin() - begin a report
 * @test: the run
 * @gpu: the GPU
 */
void selftest_begin(struct selftest *test, const struct gpu *gpu)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	memset(test, 0, sizeof(*test));
	test->gpu = gpu;
	test->begun = seconds();
	uname(&name);
	/* the text after the numbers may name a person or a machine */
	if (sscanf(name.release, "%u.%u", &major, &minor) != 2)
		minor = 0;
	test->report = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:[], s:[]}",
				 "kind", SELFTEST_KIND, "schema", SELFTEST_SCHEMA,
				 "program", PCOUNTER_VERSION,
				 "date", text_tmp("%.10s", date_text(time(NULL))),
				 "chip", gpu->pmu->chip_name,
				 "kernel", text_tmp("%u.%u", major, minor),
				 "stages", "experiments");
}

/**
 * selftest_over() - check whether the run must end
 * @test: the run
 *
 * Return: true after a signal, when its time is over, and in danger.
 */
bool selftest_over(const struct selftest *test)
{
	return stopped || test->danger || seconds() > test->begun + SELFTEST_SECONDS;
}

/**
 * selftest_stage() - begin a stage
 * @test: the run
 * @number: its number
 * @name: its name
 * @touches: description of the hardware that it touches
 */
void selftest_stage(struct selftest *test, unsigned int number, const char *name,
		    const char *touches)
{
	test->stage = json_pack("{s:i, s:s, s:s, s:[]}", "stage", number, "name", name, "touches",
				touches, "checks");
	json_array_append_new(json_object_get(test->report, "stages"), test->stage);
	fprintf(stderr, "stage %u: %s (touches %s)\n", number, name, touches);
}

/**
 * selftest_numbers() - make a list of numbers for a report
 * @value: the numbers
 * @n: how many
 *
 * Return: the list.
 */
json_t *selftest_numbers(const uint64_t *value, unsigned int n)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_integer(value[i]));
	return list;
}

/**
 * selftest_check() - add the result of a check to the report
 * @test: the run
 * @name: name of the check
 * @ok: the check passed
 * @domain: name of the domain, or NULL
 * @evidence: numbers, NULL: none; this function takes the reference
 */
void selftest_check(struct selftest *test, const char *name, bool ok, const char *domain,
		    json_t *evidence)
{
	json_array_append_new(json_object_get(test->stage, "checks"),
			      json_pack("{s:s, s:b, s:o, s:s*}", "name", name, "ok", ok,
					"evidence", evidence ?: json_array(), "domain", domain));
	test->failed += !ok;
	if (!ok)
		fprintf(stderr, "  not as expected: %s%s%s\n", name, domain ? ", domain " : "",
			domain ?: "");
}

/**
 * selftest_at() - add the register of the last check to the report
 * @test: the run
 * @addr: address of the register
 * @wanted: expected value
 * @got: value read
 */
void selftest_at(struct selftest *test, unsigned int addr, unsigned int wanted, unsigned int got)
{
	json_t *checks = json_object_get(test->stage, "checks");
	json_t *check = json_array_get(checks, json_array_size(checks) - 1);

	json_object_set_new(check, "register",
			    selftest_numbers((uint64_t[]){ addr, wanted, got }, 3));
}

/* ---- 0: identification ---- */

/* Return the sizes of the BARs; the report has no addresses. */
static json_t *bar_sizes(const struct gpu *gpu)
{
	json_t *sizes = json_array();
	struct stat st;
	unsigned int i;

	for (i = 0; i < BARS && gpu->vendor; i++) {
		const char *path = text_tmp(PCI_DEVICES "/%s/resource%u", gpu->address, i);

		json_array_append_new(sizes, json_integer(stat(path, &st) ? 0 : st.st_size));
	}
	return sizes;
}

/* Return the driver's name if it is well-known: any other could be a person's name. */
static const char *driver_of(const struct gpu *gpu)
{
	static const char *const drivers[] = { "", "nouveau", "nvidia", "vfio-pci" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		if (!strcmp(gpu->driver, drivers[i]))
			return drivers[i];
	return "other";
}

/**
 * selftest_identify() - run stage 0: facts that need no register access
 * @test: the run
 *
 * Return: false if the run must not access the GPU.
 */
bool selftest_identify(struct selftest *test)
{
	const struct gpu *gpu = test->gpu;
	const struct pmu *pmu = gpu->pmu;
	unsigned int boot_0 = 0, straps = 0;
	bool awake = !gpu_asleep(gpu);
	/* the module has read them at probe time */
	const char *status = file_text(text_tmp(DEBUGFS "/%s/status", pmu->name));

	selftest_stage(test, 0, "identify", "nothing");
	if (sscanf(strstr(status, "PMC.BOOT_0") ?: "", "PMC.BOOT_0 %x straps %x", &boot_0,
		   &straps) != 2)
		straps = 0;
	json_object_set_new(test->report, "gpu",
			    json_pack("{s:i, s:I, s:I, s:s, s:s, s:o, s:i, s:s}",
				      "device", (int)gpu->device, "boot_0", (json_int_t)boot_0,
				      "straps", (json_int_t)straps, "driver", driver_of(gpu),
				      "power", gpu_power(gpu), "bars", bar_sizes(gpu),
				      "domains", (int)pmu->topo.nr, "modes", pmu->modes));
	selftest_check(test, "awake", awake, NULL, NULL);
	selftest_check(test, "chip known", pmu->topo.chip, NULL, NULL);
	return awake && pmu->topo.chip;
}

/* ---- 1: reads only ---- */

/* Read the registers of all domains, "180040=00000000 ..." for each. */
static json_t *read_registers(const struct selftest *test)
{
	const char *path = text_tmp(DEBUGFS "/%s/lab/registers", test->gpu->pmu->name);

	return json_loads(file_text(path), 0, NULL) ?: json_object();
}

static json_t *words_of(const struct dom_levels *levels)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < levels->n; i++)
		json_array_append_new(list, json_sprintf("%08x", levels->word[i]));
	return list;
}

/* Return true if a domain answers: an absent window reads an error in all words. */
static bool answers(const struct dom_levels *levels)
{
	unsigned int i;

	for (i = 0; i < levels->n; i++)
		if (!pcounter_is_dead(levels->word[i]))
			return true;
	return false;
}

static void check_answer(struct selftest *test, unsigned int dom)
{
	const struct pcounter_topo *topo = &test->gpu->pmu->topo;
	const struct dom_levels *levels = &test->levels[dom];
	bool good = answers(levels);

	selftest_check(test, "domain answers", good, topo->dom[dom].name, NULL);
	if (!good && levels->n)
		selftest_at(test, pcounter_status_addr(pcounter_gen_find(topo->chip),
						       topo->dom[dom].block, 0), 0,
			    levels->word[0]);
}

/**
 * selftest_is_free() - check that the GPU is there, and that no other program uses it
 * @test: the run
 *
 * Return: false, with a failed check in the report, if the run must not go on.
 */
bool selftest_is_free(struct selftest *test)
{
	const char *path = text_tmp(DEBUGFS "/%s/lab/registers", test->gpu->pmu->name);
	int err = test->hidden || *file_text(path) ? 0 : -errno;

	if (!err && gpu_users(test->gpu))
		err = -EBUSY;
	if (!err)
		return true;
	selftest_check(test, err == -EBUSY ? "nobody else counts" :
		       err == -EAGAIN ? "awake" :
		       err == -ENODEV ? "still there" :
		       err == -EOPNOTSUPP ? "known well enough to write registers" :
		       "the module answers", false, NULL,
		       selftest_numbers((uint64_t[]){ err }, 1));
	return false;
}

/**
 * selftest_read() - run stage 1: read the levels of all signals, twice, and the registers
 * @test: the run
 */
void selftest_read(struct selftest *test)
{
	struct dom_levels again[PCOUNTER_MAX_DOMAINS];
	const struct pmu *pmu = test->gpu->pmu;
	json_t *levels = json_object();
	unsigned int n, i;

	selftest_stage(test, 1, "read", "nothing: it reads levels of signals, and registers");
	pmu_levels(pmu, test->levels);
	wait_ms(COUNT_MS);
	n = pmu_levels(pmu, again);
	selftest_check(test, "levels can be read", n, NULL, NULL);
	for (i = 0; i < n; i++) {
		json_object_set_new(levels, pmu->topo.dom[i].name,
				    json_pack("[o, o]", words_of(&test->levels[i]),
					      words_of(&again[i])));
		check_answer(test, i);
	}
	json_object_set_new(test->stage, "levels", levels);
	test->registers = read_registers(test);
	selftest_check(test, "registers can be read", json_object_size(test->registers), NULL,
		       NULL);
	json_object_set_new(test->stage, "registers", test->registers);
}

/* ---- 6: restored ---- */

/* Find the first difference of two lines "180040=00000000 ...". Return false if equal. */
static bool differ(const char *before, const char *after, unsigned int *addr, unsigned int *was,
		   unsigned int *is)
{
	unsigned int other;
	int n, k;

	while (before && after && sscanf(before, " %x=%x%n", addr, was, &n) == 2 &&
	       sscanf(after, " %x=%x%n", &other, is, &k) == 2) {
		if (*addr == other && *was != *is)
			return true;
		before += n;
		after += k;
	}
	return false;
}

/**
 * selftest_compare() - run stage 6: compare all registers with their original values
 * @test: the run
 */
void selftest_compare(struct selftest *test)
{
	json_t *now = read_registers(test), *before;
	size_t nr = json_object_size(now);
	bool all = nr && nr >= json_object_size(test->registers), same = true;
	unsigned int addr, was, is;
	const char *name;

	selftest_stage(test, 6, "restored", "nothing: it reads registers");
	selftest_check(test, "registers can be read again", all, NULL, NULL);
	json_object_foreach(test->registers, name, before) {
		if (!differ(json_string_value(before),
			    json_string_value(json_object_get(now, name)), &addr, &was, &is))
			continue;
		same = false;
		selftest_check(test, "registers of a domain are as they were found", false, name,
			       NULL);
		selftest_at(test, addr, was, is);
	}
	if (all || !same) {
		selftest_check(test, "registers are as they were found", same, NULL, NULL);
		json_object_set_new(test->report, "restored", json_boolean(same));
	}
	json_decref(now);
	if (!stopped && !test->danger && selftest_over(test))
		selftest_check(test, "ten minutes are enough", false, NULL, NULL);
	fprintf(stderr, "all stages in %.0f s\n", seconds() - test->begun);
}
