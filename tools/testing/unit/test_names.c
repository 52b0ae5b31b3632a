// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names in the program: explanations of events, metrics and their values, names added by
 * the user, suggestions for typing errors.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/kernel.h>

#include "gpu/gpu.h"
#include "gpu/metric.h"
#include "gpu/pmu.h"
#include "rules/lookup.h"

#define NEAR	0.000001
#define NONE	"-no chip with counters"
#define MANY	"-cards with different chips; choose one of "

static bool works(const struct event *event, unsigned int n)
{
	struct verdict v;

	verdict_group(event, n, &v);
	return !v.err;
}

/* Every public event of every chip has an explanation, and is accepted as printed. */
TEST(test_every_event_is_explained)
{
	unsigned int events = 0;

	for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
		const struct pcounter_chip *chip = &pcounter_chips[c];
		struct pmu *pmu = pmu_offline(chip->name);

		for (unsigned int i = 0; pmu && i < chip->events.nr; i++) {
			const char *name = pcounter_public_get(chip, i)->name;
			struct event event = {};

			assert_non_null(event_text(name));
			assert_true(event_terms(pmu, name, &event));
			assert_true(event_complete(&event));
			if (!works(&event, 1))
				fail_msg("%s: %s", chip->name, name);
			events++;
		}
		pmu_free(pmu);
	}
	assert_true(events > 400);
	assert_null(event_text("dom1_cycles"));
}

/* The countable part of a metric fits into one group on each chip, or event by event. */
TEST(test_every_metric_can_be_counted)
{
	unsigned int found = 0, together = 0;

	for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
		struct pmu *pmu = pmu_offline(pcounter_chips[c].name);

		for (unsigned int i = 0; pmu && i < nr_metrics; i++) {
			struct metric_use *use;
			const char *why;

			if (metric_find(pmu, metrics[i].name) != &metrics[i])
				continue;
			use = calloc(1, sizeof(*use));
			assert_non_null(use);
			why = metric_prepare(pmu, &metrics[i], use);
			if (why)
				fail_msg("%s: %s: %s", pmu->chip_name, metrics[i].name, why);
			together += works(use->event, use->n);
			for (unsigned int k = 0; k < use->n; k++)
				if (!works(&use->event[k], 1))
					fail_msg("%s: %s", pmu->chip_name, metrics[i].name);
			found++;
			free(use);
		}
		pmu_free(pmu);
	}
	assert_true(found > 50);
	/* most are exact, in one domain; others need a mux in several positions */
	assert_true(together > found / 2);
}

/* Compute a metric of G84 from the counts of its events. */
static bool value_of(const char *name, const double *counts, double *value)
{
	struct pmu *pmu = pmu_offline("G84");
	const struct metric *metric = metric_find(pmu, name);
	struct metric_use use;
	bool known;

	assert_non_null(metric);
	assert_null(metric_prepare(pmu, metric, &use));
	memcpy(use.value, counts, use.n * sizeof(*counts));
	use.seconds = 2;
	known = metric_value(&use, value);
	pmu_free(pmu);
	return known;
}

TEST(test_values)
{
	static const double idle[] = { 300, 1000 }, cache[] = { 30, 10 };
	static const double triangles[] = { 500 }, none[] = { 0, 0 };
	double value;

	/* in the order of the expression: 1 - gpu_idle / cycles(gpu_idle) */
	assert_true(value_of("gpu_busy", idle, &value));
	assert_true(fabs(value - 70) < NEAR);
	/* hit / (hit + miss) */
	assert_true(value_of("tex_cache_hit_ratio", cache, &value));
	assert_true(fabs(value - 75) < NEAR);
	/* in two seconds */
	assert_true(value_of("triangles_per_second", triangles, &value));
	assert_true(fabs(value - 250) < NEAR);
	/* a stopped clock has no share */
	assert_false(value_of("gpu_busy", none, &value));
}

TEST(test_unknown_names)
{
	struct pmu *pmu = pmu_offline("G84");
	struct event event = {};

	assert_null(metric_find(pmu, "warps_per_clock"));
	assert_non_null(metric_find(NULL, "warps_per_clock"));
	assert_false(event_terms(pmu, "gpu_idel", &event));
	assert_non_null(strstr(event.error, "no term or event \"gpu_idel\""));
	pmu_free(pmu);
}

TEST(test_names_of_the_user)
{
	static const char lines[] =
		"event,terms,unit,text\n"
		"# found by scan\n"
		"my_unit_busy,\"dom=1,sig=0x10,sig1=0x11,op=0x8888\",clocks,\"busy, I think\"\n"
		"\n"
		"plain,dom=2\r\n"
		"all_known,\"dom=2,sig=3\",clocks,\"text, with a comma\",scan of my card\n";
	char folder[] = "/tmp/pcounter-names-XXXXXX", path[64];
	const struct pmu_name *name;
	struct event event = {};
	struct pmu *pmu;
	FILE *f;

	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	snprintf(path, sizeof(path), "%s/pcounter", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/pcounter/G84.events", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(lines, f);
	fclose(f);
	pmu = pmu_offline("G84");
	name = &pmu->names[pmu->nr_names - 3];
	assert_string_equal(name[0].name, "my_unit_busy");
	assert_string_equal(name[0].text, "busy, I think");
	assert_string_equal(name[0].source, "");
	assert_string_equal(name[1].name, "plain");
	assert_string_equal(name[1].terms, "dom=2");
	assert_string_equal(name[2].text, "text, with a comma");
	assert_string_equal(name[2].source, "scan of my card");
	assert_true(event_terms(pmu, "my_unit_busy", &event));
	assert_int_equal(event.config.word[0], 0x8888000011100001);
	pmu_free(pmu);
	unlink(path);
	snprintf(path, sizeof(path), "%s/pcounter", folder);
	rmdir(path);
	rmdir(folder);
	unsetenv("XDG_CONFIG_HOME");
}

TEST(test_cards)
{
	static const char lines[] =
		"# a list\n"
		"1002  Advanced Micro Devices\n"
		"\t0402  Other vendor [Wrong]\n"
		"10de  NVIDIA Corporation\n"
		"\t0402  G84 [GeForce 8600 GT]\n"
		"\t\t1043 0402  A board of somebody\n"
		"\t0403  G84\n"
		"10df  Emulex\n"
		"\t0404  Not ours [Wrong]\n";
	char path[] = "/tmp/pcounter-cards-XXXXXX";
	struct gpu gpu = { .vendor = VENDOR_NVIDIA };
	struct pmu *pmu = pmu_offline("G84");
	int fd = mkstemp(path);

	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	close(fd);
	setenv("PCI_IDS", path, 1);
	gpu.device = 0x402;
	assert_string_equal(gpu_card(&gpu), "GeForce 8600 GT");
	gpu.device = 0x403;
	assert_string_equal(gpu_card(&gpu), "G84");
	gpu.device = 0x404;
	assert_string_equal(gpu_card(&gpu), "");
	unlink(path);
	gpu.device = 0x402;
	assert_string_equal(gpu_card(&gpu), "");
	gpu.pmu = pmu;
	assert_string_equal(gpu_card(&gpu), "e.g. GeForce 8600 GT");
	gpu.vendor = 0;
	assert_string_equal(gpu_card(&gpu), "");
	unsetenv("PCI_IDS");
	pmu_free(pmu);
}

/*
 * Names of chips in programs, from envytools (docs/hw/gpu.rst) and the log of nouveau; "-" is
 * an error.
 */
TEST(test_chips)
{
	static const struct {
		const char *text;
		const char *chip;
	} names[] = {
		{ "G84", "G84" }, { "g84", "G84" }, { "NV84", "G84" }, { "nv84", "G84" },
		{ "0x84", "G84" }, { "84", "G84" }, { "GT200", "G200" }, { "gt200", "G200" },
		{ "MCP78", "MCP77" }, { "nve6", "GK106" }, { "NV48", "NV45" },
		/* cards */
		{ "8600", "G84" }, { "8600 GT", "G84" }, { "geforce 8600 gts", "G84" },
		{ "8600GT", "G84" }, { "8800 GTX", "G80" }, { "GTX 480", "GF100" },
		{ "gtx480", "GF100" }, { "GTX 680", "GK104" }, { "GTX 970", "GM204" },
		{ "970", "GM204" }, { "GTX 1080", "GP104" }, { "GTX 1080 Ti", "GP102" },
		{ "Tesla K20", "GK110" }, { "Quadro FX 580", "G96" }, { "fx580", "G96" },
		{ "FX 5800", MANY "NV30, G200" }, { "FX 5900", "NV35" }, { "GTX 650 Ti", "GK106" },
		{ "0x120", "GM200" }, { "120", MANY },
		{ "8400", MANY "G84, G86, G98, GT218" },
		{ "GT 640", MANY "GF116, GK107, GK208" },
		{ "860", NONE }, { "", NONE },
		{ "NV85", NONE }, { "nvxa3", NONE }, { "GK105", NONE }, { "NV17", NONE },
		{ "0xffff", NONE },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		struct pmu *pmu = pmu_offline(names[i].text);
		const char *want = names[i].chip + (*names[i].chip == '-'), *why;

		chip_find(names[i].text, &why);
		if (pmu)
			why = pmu->chip_name;
		if (!pmu != (*names[i].chip == '-') || strncmp(why, want, strlen(want)))
			fail_msg("%s: %s", names[i].text, why);
		pmu_free(pmu);
	}
}

/* The code name of each chip is NV and its chipset id. */
TEST(test_code_names)
{
	const char *why;
	char name[16];

	for (unsigned int c = 0; c < pcounter_nr_chips; c++) {
		snprintf(name, sizeof(name), "nv%02x", pcounter_chips[c].chipset);
		assert_ptr_equal(chip_find(name, &why), &pcounter_chips[c]);
		assert_ptr_equal(chip_find(pcounter_chips[c].name, &why),
				 &pcounter_chips[c]);
	}
}

int main(void)
{
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	return unit_run(NULL, NULL);
}
