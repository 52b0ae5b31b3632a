// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcounter selftest: what this card does, as a report that helps all others.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "gpu/count.h"
#include "lib/tool.h"
#include "selftest/selftest.h"
#include "verbs/verbs.h"

static const struct option_doc options[] = {
	{ 'e', "experiments", NULL, "make the named experiments, too (--list says which)" },
	{ 'r', "record", NULL, "record, too: the GPU writes packets to the module's memory" },
	{ 'l', "list", NULL, "list the experiments and what each writes, and do nothing" },
	{ 's', "show", "FILE", "tell what a report says, and do nothing" },
	{ 'o', "output", "FILE", "write the report there" },
	{ }
};

/**
 * struct wish - what the user wants
 * @gpu: which GPU, NULL: the only one
 * @output: where the report goes, NULL: a name of its own
 * @show: a report to show
 * @experiments: make experiments
 * @record: try record mode
 * @list: list them
 */
struct wish {
	const char *gpu;
	const char *output;
	const char *show;
	bool experiments;
	bool record;
	bool list;
};

static int show(const char *path)
{
	char why[WHY_TEXT];
	json_t *report = report_load(path, why, sizeof(why));

	if (!report) {
		complain("%s: %s", path, why);
		return STATUS_NO;
	}
	report_show(report, stdout);
	json_decref(report);
	return STATUS_OK;
}

/* Is the GPU there, and nobody else's? If not, the report says why. */
static bool is_free(struct selftest *test)
{
	char users[WHY_TEXT];
	int err = selftest_answers(test);

	if (!err && gpu_users(test->gpu, users, sizeof(users)))
		err = -EBUSY;
	if (!err)
		return true;
	selftest_check(test, err == -EBUSY ? "nobody else counts" :
		       err == -EAGAIN ? "awake" :
		       err == -ENODEV ? "still there" :
		       err == -EOPNOTSUPP ? "known well enough to write registers" :
		       "the module answers", false, NULL, json_pack("[i]", err));
	return false;
}

static void go_through(struct selftest *test, const struct wish *wish)
{
	if (!selftest_identify(test) || !is_free(test))
		return;
	selftest_read(test);
	if (!selftest_over(test))
		selftest_count(test);
	if (!selftest_over(test) && test->file)
		selftest_workload(test);
	if (!selftest_over(test) && test->file && wish->experiments) {
		selftest_stage(test, 4, "experiments", "what --list says of each; all is put back");
		selftest_experiments(test, false);
	}
	if (!selftest_over(test) && wish->record)
		selftest_record(test);
	if (!selftest_over(test) && test->file && wish->record && wish->experiments)
		selftest_experiments(test, true);
	selftest_compare(test);
}

static bool save(struct selftest *test, const struct wish *wish)
{
	const char *date = json_string_value(json_object_get(test->report, "date"));
	const char *path;
	char name[128];

	path = name;
	snprintf(name, sizeof(name), "pcounter-selftest-%s-%s.json",
		 test->gpu->pmu->chip_name, date);
	if (wish->output)
		path = wish->output;
	if (!report_save(test->report, path))
		return false;
	printf("\nThe report is %s: no names, addresses or serial numbers are in it.\n"
	       "Please attach it to an issue of %s.\n", path, SELFTEST_ADDRESS);
	return true;
}

static int test_gpu(const struct gpu *gpu, const struct wish *wish)
{
	struct selftest test;
	int status = STATUS_NO;

	if (!selftest_begin(&test, gpu, stderr))
		return STATUS_NO;
	if (selftest_open(&test)) {
		go_through(&test, wish);
		report_show(test.report, stdout);
		if (save(&test, wish) && !test.failed)
			status = STATUS_OK;
	}
	selftest_close(&test);
	gpus_free(&test.again);
	json_decref(test.report);
	return stopped ? STATUS_INTERRUPTED : status;
}

static int find_and_test(const struct wish *wish)
{
	const struct gpu *found;
	struct gpus gpus;
	char others[256];
	int status;

	gpus_find(&gpus);
	found = gpus_first(&gpus, wish->gpu, others, sizeof(others));
	if (*others) {
		complain("say which one: %s", others);
		status = STATUS_USAGE;
	} else if (found) {
		status = test_gpu(found, wish);
	} else {
		complain("no GPU with counters; pcounter doctor says why");
		status = STATUS_NO_GPU;
	}
	gpus_free(&gpus);
	return status;
}

static void take_option(int c, struct wish *wish)
{
	switch (c) {
	case 'e':
		wish->experiments = true;
		break;
	case 'r':
		wish->record = true;
		break;
	case 'l':
		wish->list = true;
		break;
	case 's':
		wish->show = optarg;
		break;
	default:
		wish->output = optarg;
	}
}

static int run_selftest(const struct verb *verb, int argc, char **argv)
{
	struct wish wish = {};
	int c;

	while ((c = verb_getopt(verb, argc, argv)) != -1)
		take_option(c, &wish);
	if (optind < argc)
		wish.gpu = argv[optind++];
	if (optind < argc) {
		verb_usage(verb, stderr);
		return STATUS_USAGE;
	}
	if (wish.show)
		return show(wish.show);
	if (wish.list) {
		selftest_list(stdout);
		return STATUS_OK;
	}
	catch_signals();
	return find_and_test(&wish);
}

const struct verb verb_selftest = {
	.name = "selftest",
	.args = "[GPU]",
	.summary = "test this card, and learn from it what no document says",
	.text =
		"Goes through stages, from harmless to less so, and says of each what it\n"
		"touches: 0 which GPU it is; 1 levels of signals; 2 counts of what is known;\n"
		"3 counts of its own register accesses; 4, with --experiments only, named\n"
		"experiments, which are listed first; 5, with --record only, packets of record\n"
		"mode; 6 whether all registers are as they were found. It needs root, and takes\n"
		"less than a minute. A GPU that sleeps, or that somebody counts on, is left\n"
		"alone. Under lockdown (Secure Boot) stages 3 and 4 are left out.\n"
		"\n"
		"Experiments are small programs in the module pcounter_lab, which a run loads\n"
		"with modprobe and unloads at its end. They write registers of the counters in\n"
		"ways in which the driver does not, to see how the hardware is built where\n"
		"documents are silent. Each is bounded, and puts back what it changes, also when\n"
		"it is interrupted.\n"
		"\n"
		"The report is a JSON file of less than 100 KiB. Nothing in it names you or\n"
		"your machine. --show tells what is in one. The exit status is 0 if all was as\n"
		"expected.\n",
	.options = options,
	.example = "sudo pcounter selftest --experiments",
	.run = run_selftest,
};
