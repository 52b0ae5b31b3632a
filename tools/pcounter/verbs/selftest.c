// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter selftest: examine this card; the report helps the users of all other cards.
 */
#include "cli/verb.h"
#include "selftest/selftest.h"

/* Arguments of the command line. */
static const char *output;
static bool experiments, record, listed;

enum { EXPERIMENTS = LONG_OWN, RECORD, LIST };

static const struct option_doc options[] = {
	{ EXPERIMENTS, "experiments", NULL, "make the named experiments, too (--list says which)",
	  OPT_FLAG(&experiments) },
	{ RECORD, "record", NULL, "record, too: the GPU writes packets to the module's memory",
	  OPT_FLAG(&record) },
	{ LIST, "list", NULL, "list the experiments and what each writes, and do nothing",
	  OPT_FLAG(&listed) },
	{ 'o', "output", "FILE", "write the report to FILE", OPT_TEXT(&output) },
	{ }
};

static void go_through(struct selftest *test)
{
	if (!selftest_identify(test) || !selftest_is_free(test))
		return;
	if (!test->hidden)
		selftest_read(test);
	if (!selftest_over(test))
		selftest_count(test);
	if (!selftest_over(test) && test->file)
		selftest_workload(test);
	if (!selftest_over(test) && test->file && experiments) {
		selftest_stage(test, 4, "experiments", "what --list says of each; all is put back");
		selftest_experiments(test, false);
	}
	if (!selftest_over(test) && record)
		selftest_record(test);
	/* from GF100 on nothing but the experiments has records */
	if (!selftest_over(test) && test->file && record &&
	    (experiments || test->gpu->pmu->topo.caps & PCOUNTER_CAP_SETS))
		selftest_experiments(test, true);
	if (!test->hidden)
		selftest_compare(test);
}

static bool save(struct selftest *test)
{
	const char *date = json_string_value(json_object_get(test->report, "date"));
	const char *path = output ?: text_tmp("pcounter-selftest-%s-%s.json",
					      test->gpu->pmu->chip_name, date);

	if (!report_save(test->report, path))
		return false;
	printf("\nThe report is %s: no names, addresses or serial numbers are in it.\n"
	       "Please attach it to an issue of %s.\n", path, SELFTEST_ADDRESS);
	return true;
}

static int test_gpu(const struct gpus *gpus)
{
	struct selftest test;
	int status = STATUS_NO;

	if (gpus->nr > 1)
		return tell(STATUS_USAGE, "several GPUs count, name one of them: %s",
			    gpus_list(gpus));
	selftest_begin(&test, gpus->gpu);
	if (selftest_open(&test)) {
		go_through(&test);
		report_show(test.report);
		if (save(&test) && !test.failed)
			status = STATUS_OK;
	}
	selftest_close(&test);
	gpus_free(&test.again);
	json_decref(test.report);
	return stopped ? STATUS_INTERRUPTED : status;
}

static int run_selftest(char **args)
{
	if (listed) {
		selftest_list();
		return STATUS_OK;
	}
	catch_signals();
	return gpus_run(*args, test_gpu);
}

const struct verb verb_selftest = {
	.name = "selftest",
	.args = "[GPU]",
	.summary = "test this card, and learn from it what no document says",
	.options = options,
	.counts = true,
	.run = run_selftest,
};
