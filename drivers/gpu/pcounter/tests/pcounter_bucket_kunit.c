// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same tests on a chip of every bucket, through perf: supported requests
 * count exactly, all others are refused.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <kunit/device.h>
#include <kunit/test.h>

#include "device.h"
#include "pcounter_fake.h"
#include "perf/types.h"
#include "rules/terms.h"

#define SIG	0x08
#define CLK	BIT(14)

/**
 * struct bucket - a chip, and a domain of it with plenty of signals
 * @chipset: chipset id
 * @name: chip name
 * @set: kind of the domain's set
 * @unit: the set's number among sets of this kind
 * @dom: number of the domain in the set
 * @model_dom: index of the domain in the model
 */
struct bucket {
	u32 chipset;
	const char *name;
	u8 set;
	u8 unit;
	u8 dom;
	u8 model_dom;
};

static const struct bucket buckets[] = {
	{ 0x10, "nv10", 0, 0, 0, 0 }, { 0x15, "nv15", 0, 0, 0, 0 },
	{ 0x20, "nv20", 0, 0, 0, 0 }, { 0x31, "nv30", 0, 0, 0, 0 },
	{ 0x40, "nv40", 0, 0, 1, 1 }, { 0x50, "g80", 0, 0, 1, 1 },
	{ 0x84, "g84", 0, 0, 1, 1 }, { 0x92, "g92", 0, 0, 1, 1 },
	{ 0xa3, "gt215", 0, 0, 1, 1 }, { 0xc0, "gf100", 1, 0, 0, 8 },
	{ 0xe4, "gk104", 0, 0, 6, 6 },
};

KUNIT_ARRAY_PARAM_DESC(bucket, buckets, name);

static struct pcounter_pmu *bucket_pmu(struct kunit *test)
{
	struct pcounter_fake *fake = test->priv;
	struct device *dev = kunit_device_register(test, "pcounter-bucket");
	struct pcounter_pmu *ppmu;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dev);
	ppmu = pcounter_device_create(dev, THIS_MODULE, fake->gpu.chip->chipset,
				      &fake->io);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ppmu);
	pcounter_fake_lock_runqueue(ppmu);
	return ppmu;
}

static int bucket_init(struct kunit *test)
{
	const struct bucket *b = test->param_value;
	char line[64];

	pcounter_fake_create_chip(test, b->chipset);
	snprintf(line, sizeof(line), "signal %u %u duty 3/10", b->model_dom, SIG);
	pcounter_fake_command(test, line);
	return 0;
}

static struct perf_event *bucket_open(struct kunit *test, struct pcounter_pmu *ppmu,
				      u64 config, u64 config1, u64 config2)
{
	const struct bucket *b = test->param_value;
	struct perf_event_attr attr = {
		.type = ppmu->base.pmu.type, .size = sizeof(attr),
		.config = config | b->dom | b->set << 4 | b->unit << 6,
		.config1 = config1, .config2 = config2,
	};

	return perf_event_create_kernel_counter(&attr, ppmu->base.cpu, NULL, NULL, NULL);
}

/* Read twice: if a swap is a pulse, it takes effect only in the next clock. */
static u64 bucket_read(struct kunit *test, struct perf_event *event)
{
	struct pcounter_fake *fake = test->priv;
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	if (!(fake->gpu.gen->caps & PCOUNTER_CAP_SETS))
		return perf_event_read_value(event, &enabled, &running);
	pcmodel_run(fake->model, 1);
	return perf_event_read_value(event, &enabled, &running);
}

static void counts_over_garbage(struct kunit *test)
{
	const struct bucket *b = test->param_value;
	struct pcounter_fake *fake = test->priv;
	bool quad = fake->gpu.gen->caps & PCOUNTER_CAP_QUAD;
	struct pcounter_pmu *ppmu;
	struct perf_event *event;
	u64 from, now;

	pcounter_fake_command(test, "garbage 4711");
	ppmu = bucket_pmu(test);
	event = bucket_open(test, ppmu, SIG << 16, 0, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	/* if the model takes seconds for this, the poll would read in between */
	hrtimer_cancel(&ppmu->base.timer);
	/* single mode: PRE and START need a clock each */
	from = pcmodel_cycle(fake->model, b->model_dom) + (quad ? 0 : 2);
	pcmodel_run(fake->model, 12345);
	now = pcmodel_cycle(fake->model, b->model_dom);
	KUNIT_EXPECT_EQ(test, bucket_read(test, event),
			pcounter_fake_count(test, b->model_dom, SIG, from, now));
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, fake->model->lint.absent, 0);
	KUNIT_EXPECT_EQ(test, fake->model->lint.bits, 0);
	KUNIT_EXPECT_EQ(test, fake->model->lint.direction, 0);
	KUNIT_EXPECT_EQ(test, fake->model->lint.tvout, 0);
	KUNIT_EXPECT_EQ(test, fake->model->lint.pmc, 0);
	pcounter_device_remove(ppmu, true);
}

/* The timer's interval must be short enough for the configured sum. */
static void terms_by_capability(struct kunit *test)
{
	static const struct {
		u64 config1;
		u64 config2;
		u32 caps;
	} terms[] = {
		{ BIT(2), 0, PCOUNTER_CAP_DELAY23 },
		{ BIT(4), 0, PCOUNTER_CAP_FLAG_ARG },
		{ BIT(16), 0, PCOUNTER_CAP_SINGLE },
		{ BIT(16), 5, PCOUNTER_CAP_SINGLE },
		{ BIT(17), 0, PCOUNTER_CAP_QUAD },
		{ BIT(16) | BIT(20), 0, PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_PERIOD },
		{ BIT(21), 0, PCOUNTER_CAP_IMPORT },
		{ BIT(22), 0, PCOUNTER_CAP_IMPORT },
		{ 3 << 24, 0, PCOUNTER_CAP_SUM_EXTRA },
		{ 1 << 28, 0, PCOUNTER_CAP_PERIODIC },
		{ 8ULL << 32, 0, PCOUNTER_CAP_SWAP_SRC },
	};
	struct pcounter_fake *fake = test->priv;
	struct pcounter_pmu *ppmu = bucket_pmu(test);
	struct perf_event *event;
	unsigned int i;
	bool has;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		has = !(terms[i].caps & ~fake->gpu.gen->caps);
		/* an argument that the op uses */
		event = bucket_open(test, ppmu, 0xcafeULL << 48, terms[i].config1,
				    terms[i].config2);
		KUNIT_EXPECT_EQ_MSG(test, IS_ERR(event) ? PTR_ERR(event) : 0,
				    has ? 0 : -EOPNOTSUPP, "term %u", i);
		if (!IS_ERR(event))
			perf_event_release_kernel(event);
	}
	pcounter_device_remove(ppmu, true);
}

static void a_process_reports_its_registers(struct kunit *test)
{
	const struct bucket *b = test->param_value;
	struct pcounter_fake *fake = test->priv;
	struct pcounter_pmu *ppmu = bucket_pmu(test);
	struct perf_event *event;
	u64 from;

	event = bucket_open(test, ppmu, SIG << 16, BIT(10) | BIT(16), 0);
	if (!(fake->gpu.gen->caps & PCOUNTER_CAP_SINGLE)) {
		KUNIT_EXPECT_EQ(test, PTR_ERR(event), -EOPNOTSUPP);
		pcounter_device_remove(ppmu, true);
		return;
	}
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	from = pcmodel_cycle(fake->model, b->model_dom) + 2;
	pcmodel_run(fake->model, 500);
	KUNIT_EXPECT_EQ(test, bucket_read(test, event),
			pcounter_fake_count(test, b->model_dom, SIG, from, from + 498));
	/* no reschedule has restarted it */
	perf_event_disable(event);
	perf_event_enable(event);
	pcmodel_run(fake->model, 500);
	KUNIT_EXPECT_EQ(test, bucket_read(test, event),
			pcounter_fake_count(test, b->model_dom, SIG, from, from + 998));
	perf_event_release_kernel(event);
	pcounter_device_remove(ppmu, true);
}

static void full_counter_stops_the_event(struct kunit *test)
{
	const struct bucket *b = test->param_value;
	struct pcounter_fake *fake = test->priv;
	bool wide = fake->gpu.gen->caps & PCOUNTER_CAP_CTR_40;
	struct pcounter_pmu *ppmu = bucket_pmu(test);
	struct perf_event *event;
	char line[64];
	u64 was, now;

	event = bucket_open(test, ppmu, (u64)SIG << 16 | 0xffffULL << 48, BIT(10), 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	pcmodel_run(fake->model, 100);
	was = bucket_read(test, event);
	pcmodel_run(fake->model, 1);
	snprintf(line, sizeof(line), "preset %u event %llu", b->model_dom,
		 wide ? (1ULL << 39) - 10 : 0xfffffff0);
	pcounter_fake_command(test, line);
	if (wide)
		was = bucket_read(test, event);
	pcmodel_run(fake->model, 100);
	now = bucket_read(test, event);
	/*
	 * a counter of 40 bits wraps, and the count goes on; 32 bits saturate,
	 * and the count stays
	 */
	if (wide)
		KUNIT_EXPECT_EQ(test, now - was, 100);
	else
		KUNIT_EXPECT_LE(test, now - was, 1);
	perf_event_release_kernel(event);
	pcounter_device_remove(ppmu, true);
}

static void absent_domains_are_refused(struct kunit *test)
{
	const struct bucket *b = test->param_value;
	struct pcounter_fake *fake = test->priv;
	struct pcounter_pmu *ppmu = bucket_pmu(test);
	struct pcounter_topo *topo = &ppmu->gpu.topo;
	struct perf_event_attr attr = { .type = ppmu->base.pmu.type, .size = sizeof(attr) };
	struct perf_event *event;
	unsigned int dom, unit, set, found = 0;

	for (set = 0; set < (b->chipset >= 0xc0 ? 4 : 1); set++) {
		for (unit = 0; unit < (set ? 32 : 1); unit++) {
			for (dom = 0; dom < 16; dom++) {
				attr.config = dom | set << 4 | unit << 6;
				attr.config1 = CLK;
				attr.disabled = 1;
				event = perf_event_create_kernel_counter(&attr, ppmu->base.cpu,
									 NULL, NULL, NULL);
				if (IS_ERR(event)) {
					KUNIT_EXPECT_EQ(test, PTR_ERR(event), -EINVAL);
					continue;
				}
				found++;
				perf_event_release_kernel(event);
			}
		}
	}
	KUNIT_EXPECT_EQ(test, found, fake->model->domains);
	KUNIT_EXPECT_EQ(test, found, topo->nr);
	pcounter_device_remove(ppmu, true);
}

static struct kunit_case bucket_cases[] = {
	KUNIT_CASE_PARAM(counts_over_garbage, bucket_gen_params),
	KUNIT_CASE_PARAM(terms_by_capability, bucket_gen_params),
	KUNIT_CASE_PARAM(a_process_reports_its_registers, bucket_gen_params),
	KUNIT_CASE_PARAM(full_counter_stops_the_event, bucket_gen_params),
	KUNIT_CASE_PARAM(absent_domains_are_refused, bucket_gen_params),
	{}
};

static struct kunit_suite bucket_suite = {
	.name = "pcounter_bucket",
	.init = bucket_init,
	.test_cases = bucket_cases,
};

kunit_test_suite(bucket_suite);

MODULE_DESCRIPTION("KUnit: every bucket, through perf");
MODULE_LICENSE("GPL");
