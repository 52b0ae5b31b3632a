// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode through perf's own interface: packets of the modelled GPU in real
 * coherent memory.
 */
#include <linux/delay.h>

#include <uapi/linux/pcounter_record.h>

#include "params.h"
#include "pcounter_perf_test.h"

#define RECORD		BIT_ULL(18)
#define PERIODIC_1	BIT_ULL(28)
#define MANY		64	/* events that sample */
#define SAMPLE_US	20
#define DRAINS		20000
#define RAW_HEAD	12	/* bytes of raw data before the packets: perf's own header */

static const struct pcounter_fake_chip record_chips[] = {
	{ 0x84, "g84" }, { 0x92, "g92" }, { 0xa3, "gt215" },
};

KUNIT_ARRAY_PARAM(record, record_chips, pcounter_fake_describe);

static int record_init(struct kunit *test)
{
	const struct pcounter_fake_chip *chip = test->param_value ?: &record_chips[1];
	struct perf_test *t;

	pcounter_fake_create_chip(test, chip->chipset);
	pcounter_fake_command(test, "signal 1 0x20 duty 250/1024");
	pcounter_fake_command(test, "signal 1 0x21 const 1");
	t = perf_test_new(test);
	pcounter_fake_dma(test, t->dev);
	/* the model is slow */
	t->fake->io.slow_ns = NSEC_PER_SEC;
	test->priv = perf_test_begin(test, t);
	return 0;
}

static struct perf_event *open_record(struct kunit *test, u64 sig, u64 config1, u64 period,
				      perf_overflow_handler_t handler, void *ctx)
{
	struct perf_test *t = test->priv;
	struct perf_event_attr attr = {
		.type = t->ppmu->base.pmu.type, .size = sizeof(attr),
		.config = DOM | sig << 16, .config1 = RECORD | PERIODIC_1 | config1,
		.sample_period = period,
		.sample_type = period == 1 ? PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW : 0,
	};

	return perf_event_create_kernel_counter(&attr, t->ppmu->base.cpu, NULL, handler, ctx);
}

static struct perf_event *opened(struct kunit *test, u64 sig, u64 config1)
{
	struct perf_event *event = open_record(test, sig, config1, 0, NULL, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static void run(struct kunit *test, u64 cycles)
{
	struct perf_test *t = test->priv;

	pcmodel_run(t->fake->model, cycles);
}

/* The GPU writes only where the tables lead, and nothing after the end. */
static void quiet(struct kunit *test)
{
	struct perf_test *t = test->priv;
	u64 writes = t->fake->model->dma.writes;

	run(test, 100000);
	KUNIT_EXPECT_EQ(test, t->fake->model->dma.writes, writes);
	KUNIT_EXPECT_EQ(test, t->fake->model->dma.stale, 0);
	KUNIT_EXPECT_EQ(test, t->fake->model->dma.blocked, 0);
}

/* Two events that are first read after they have stopped begin with one packet. */
static void begins_with_its_group_unread(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct perf_event *old = opened(test, 0, CLK), *one, *clk;
	u64 count;

	run(test, 20 * 1024 + 500);
	one = opened(test, SIG + 1, 0);
	clk = opened(test, 0, CLK);
	hrtimer_cancel(&t->ppmu->base.timer);
	run(test, 50 * 1024);
	perf_event_disable(one);
	perf_event_disable(clk);
	count = read_event(one);
	KUNIT_EXPECT_GE(test, count, 46 * 1024);
	KUNIT_EXPECT_EQ(test, read_event(clk), count);
	perf_event_release_kernel(old);
	perf_event_release_kernel(one);
	perf_event_release_kernel(clk);
	quiet(test);
}

/**
 * struct seen - the samples of an event
 * @calls: number of samples
 * @events: sum of their periods
 * @packets: packets in their raw data
 * @wrong: number of @packets that do not count every clock since the previous packet
 */
struct seen {
	unsigned int calls;
	u64 events;
	unsigned int packets;
	unsigned int wrong;
};

static void overflow(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	struct seen *seen = event->overflow_handler_context;

	seen->calls++;
	seen->events += data->period;
}

/*
 * The only event stops: its samples have all packets since the last drain, even if the
 * time of a drain is over before it begins.
 */
static void streams_to_its_end(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct seen seen = {};
	struct perf_event *event = open_record(test, SIG, 0, 1, overflow, &seen);

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	hrtimer_cancel(&t->ppmu->base.timer);
	t->ppmu->gpu.most_ns = 0;
	run(test, 100 * 1024);
	perf_event_disable(event);
	KUNIT_EXPECT_GE(test, seen.events, 99 * 250);
	KUNIT_EXPECT_EQ(test, seen.events, read_event(event));
	perf_event_release_kernel(event);
	quiet(test);
}

/* A sample that takes long, since its reader's functions do. */
static void slow_overflow(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	overflow(event, data, regs);
	udelay(SAMPLE_US);
}

static void drain_here(void *data)
{
	struct perf_test *t = data;

	pcounter_sample_drain(&t->ppmu->base, PCOUNTER_DRAIN_TIMER);
}

static unsigned int all_calls(const struct seen *seen)
{
	unsigned int i, n = 0;

	for (i = 0; i < MANY; i++)
		n += seen[i].calls;
	return n;
}

/* Drain until all samples are delivered; return the most samples in a drain. */
static unsigned int drain_all(struct kunit *test, const struct seen *seen)
{
	unsigned int most = 0, before, n = 1, i;
	struct perf_test *t = test->priv;

	for (i = 0; i < DRAINS && n; i++) {
		before = all_calls(seen);
		smp_call_function_single(t->ppmu->base.cpu, drain_here, t, true);
		hrtimer_cancel(&t->ppmu->base.timer);
		n = all_calls(seen) - before;
		most = max(most, n);
	}
	KUNIT_EXPECT_EQ(test, n, 0);
	return most;
}

/*
 * A card's budget bounds the samples of a drain, however many events and packets there
 * are. Later drains deliver the others, and no event waits for ever.
 */
static void keeps_its_budget(struct kunit *test, u64 period, unsigned int packets)
{
	struct seen *seen = kunit_kcalloc(test, MANY, sizeof(*seen), GFP_KERNEL);
	static const struct pcounter_io card;
	struct perf_test *t = test->priv;
	struct perf_event *event[MANY];
	unsigned int i, most;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < MANY; i++) {
		event[i] = open_record(test, SIG + 1, 0, period, slow_overflow, &seen[i]);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event[i]));
		hrtimer_cancel(&t->ppmu->base.timer);
	}
	run(test, 10 * 1024);
	drain_all(test, seen);
	t->ppmu->gpu.most_ns = pcounter_io_dark_ns(&card);
	memset(seen, 0, MANY * sizeof(*seen));
	run(test, packets * 1024);
	most = drain_all(test, seen);
	/* besides, the first sample is delivered in any case, and the last one is late */
	KUNIT_EXPECT_LE(test, most * SAMPLE_US, 100 + 4 * SAMPLE_US);
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_EQ(test, seen[i].events, packets * 1024);
	for (i = 0; i < MANY; i++)
		perf_event_release_kernel(event[i]);
	quiet(test);
}

static void keeps_its_budget_by_period(struct kunit *test)
{
	keeps_its_budget(test, 1024, 100);
}

static void keeps_its_budget_in_streams(struct kunit *test)
{
	keeps_its_budget(test, 1, 600);
}

static struct perf_event *open_frequency(struct kunit *test, u64 sample_type, struct seen *seen)
{
	struct perf_test *t = test->priv;
	struct perf_event_attr attr = {
		.type = t->ppmu->base.pmu.type, .size = sizeof(attr),
		.config = DOM | SIG << 16, .config1 = RECORD | PERIODIC_1,
		.freq = 1, .sample_freq = 100, .sample_type = sample_type,
		.exclude_guest = !sample_type,
	};

	return perf_event_create_kernel_counter(&attr, t->ppmu->base.cpu, NULL, overflow, seen);
}

/*
 * The driver reads many packets at a time. perf would see them microseconds
 * apart, conclude that events come as fast, and sample none of them.
 */
static void samples_by_frequency(struct kunit *test)
{
	struct seen seen = {};
	struct perf_event *event = open_frequency(test, PERF_SAMPLE_PERIOD, &seen);
	unsigned int i, calls, without = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	for (i = 0; i < 20; i++) {
		calls = seen.calls;
		run(test, 20 * 1024);
		read_event(event);
		without += seen.calls == calls;
	}
	KUNIT_EXPECT_EQ(test, without, 0);
	KUNIT_EXPECT_GE(test, seen.events, 20 * 19 * 250);
	KUNIT_EXPECT_EQ(test, seen.events, read_event(event));
	perf_event_release_kernel(event);
	quiet(test);
}

static u64 cycles_of(const struct pcounter_record_packet *packet)
{
	return le16_to_cpu(packet->cycles[0]) | (u64)le16_to_cpu(packet->cycles[1]) << 16 |
	       (u64)le16_to_cpu(packet->cycles[2]) << 32;
}

/* Check that each packet of a signal that is always 1 counts all its clocks. */
static void look_inside(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct seen *seen = event->overflow_handler_context;
	const struct pcounter_record_header *head = data->raw->frag.data + RAW_HEAD;
	const struct pcounter_record_packet *packet = (const void *)(head + 1);
	unsigned int i, slot = le16_to_cpu(head->slot);

	seen->packets += le16_to_cpu(head->packets);
	for (i = 1; i < le16_to_cpu(head->packets); i++)
		seen->wrong += le16_to_cpu(packet[i].ctr[slot]) !=
			       cycles_of(&packet[i]) - cycles_of(&packet[i - 1]);
}

/*
 * Packets written before an event began are in none of its samples, but in
 * those of older events.
 */
static void streams_its_own(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct seen before = {}, seen = {};
	struct perf_event *old, *event;

	old = open_record(test, SIG, 0, 1, look_inside, &before);
	KUNIT_ASSERT_FALSE(test, IS_ERR(old));
	hrtimer_cancel(&t->ppmu->base.timer);
	run(test, 100 * 1024);
	event = open_record(test, SIG + 1, 0, 1, look_inside, &seen);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	hrtimer_cancel(&t->ppmu->base.timer);
	KUNIT_EXPECT_GE(test, before.packets, 99);
	run(test, 100 * 1024);
	read_event(event);
	KUNIT_EXPECT_GE(test, seen.packets, 96);
	KUNIT_EXPECT_LE(test, seen.packets, 101);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	perf_event_release_kernel(event);
	perf_event_release_kernel(old);
	quiet(test);
}

/* While events move to another CPU, the new CPU must not handle their samples. */
static void drained_on_their_cpu(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct seen seen = {};
	struct perf_event *event = open_record(test, SIG, 0, 1000, overflow, &seen);
	unsigned int cpu, before;
	unsigned long flags;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	cpu = t->ppmu->base.added_cpu;
	/* perf restarts an event that it has throttled, and so its timer */
	WRITE_ONCE(t->ppmu->base.added_cpu, nr_cpu_ids);
	hrtimer_cancel(&t->ppmu->base.timer);
	before = seen.calls;
	run(test, 100 * 1024);
	local_irq_save(flags);
	pcounter_sample_drain(&t->ppmu->base, PCOUNTER_DRAIN_TIMER);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, seen.calls, before);
	WRITE_ONCE(t->ppmu->base.added_cpu, cpu);
	read_event(event);
	KUNIT_EXPECT_GT(test, seen.calls, before);
	perf_event_release_kernel(event);
	quiet(test);
}

/* The meaning of a sample would be unknown. */
static void no_frequency_without_periods(struct kunit *test)
{
	struct perf_test *t = test->priv;
	u64 before = t->fake->model->reads + t->fake->model->writes;
	struct seen seen = {};

	KUNIT_EXPECT_EQ(test, PTR_ERR(open_frequency(test, 0, &seen)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, t->fake->model->reads + t->fake->model->writes, before);
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE_PARAM(begins_with_its_group_unread, record_gen_params),
	KUNIT_CASE_PARAM(samples_by_frequency, record_gen_params),
	KUNIT_CASE_PARAM(streams_its_own, record_gen_params),
	KUNIT_CASE_PARAM(streams_to_its_end, record_gen_params),
	KUNIT_CASE(keeps_its_budget_by_period),
	KUNIT_CASE(keeps_its_budget_in_streams),
	KUNIT_CASE(drained_on_their_cpu),
	KUNIT_CASE(no_frequency_without_periods),
	{}
};

static struct kunit_suite record_suite = {
	.name = "pcounter_record",
	.init = record_init,
	.test_cases = record_cases,
};

kunit_test_suite(record_suite);

/* ---- records of GF100 and later ---- */

static const struct pcounter_fake_chip stream_chips[] = {
	{ 0xc0, "gf100" }, { 0xe4, "gk104" }, { 0x108, "gk208" },
};

KUNIT_ARRAY_PARAM(stream, stream_chips, pcounter_fake_describe);

static int stream_init(struct kunit *test)
{
	const struct pcounter_fake_chip *chip = test->param_value;
	bool unverified = pcounter_unverified;
	struct perf_test *t;

	pcounter_fake_create_chip(test, chip->chipset);
	pcounter_fake_command(test, "signal hub1 0x20 duty 256/1024");
	pcounter_fake_command(test, "signal hub1 0x21 const 1");
	t = perf_test_new(test);
	pcounter_fake_dma(test, t->dev);
	t->fake->io.slow_ns = NSEC_PER_SEC;
	pcounter_unverified = true;
	test->priv = perf_test_begin(test, t);
	pcounter_unverified = unverified;
	return 0;
}

/* A signal that is always 1 counts all clocks. */
static void stream_counts(struct kunit *test)
{
	struct perf_event *one = opened(test, SIG + 1, 0), *clk = opened(test, 0, CLK);
	u64 count;

	run(test, 100 * 1024);
	count = read_event(one);
	KUNIT_EXPECT_GE(test, count, 90 * 1024);
	KUNIT_EXPECT_EQ(test, read_event(clk), count);
	perf_event_release_kernel(one);
	perf_event_release_kernel(clk);
	quiet(test);
}

/* Check the header, and that each record of a signal at 1/4 counts its part. */
static void look_at_records(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	struct seen *seen = event->overflow_handler_context;
	const struct pcounter_record_header *head = data->raw->frag.data + RAW_HEAD;
	const struct pcounter_record_stream *record = (const void *)(head + 1);
	unsigned int i, slot = le16_to_cpu(head->slot);

	seen->wrong += le16_to_cpu(head->format) != PCOUNTER_RECORD_STREAM || head->flags ||
		       le16_to_cpu(head->periodic) != 1;
	for (i = 1; i < le16_to_cpu(head->packets); i++)
		seen->wrong += le32_to_cpu(record[i].ctr[slot]) != 256 ||
			       record[i].id != PCOUNTER_RECORD_ID + 1;
	seen->packets += le16_to_cpu(head->packets);
}

static void stream_samples(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct seen seen = {};
	struct perf_event *event = open_record(test, SIG, 0, 1, look_at_records, &seen);
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	hrtimer_cancel(&t->ppmu->base.timer);
	for (i = 0; i < 10; i++) {
		run(test, 50 * 1024);
		read_event(event);
	}
	KUNIT_EXPECT_GE(test, seen.packets, 490);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	perf_event_release_kernel(event);
	quiet(test);
}

/* The driver leaves, or the GPU does, while an event is open. */
static void stream_ends(struct kunit *test)
{
	struct perf_test *t = test->priv;
	struct perf_event *event = opened(test, SIG + 1, 0);
	u64 count;

	run(test, 100 * 1024);
	pcounter_device_remove(t->ppmu, true);
	t->ppmu = NULL;
	count = read_event(event);
	KUNIT_EXPECT_GE(test, count, 90 * 1024);
	quiet(test);
	KUNIT_EXPECT_EQ(test, read_event(event), count);
	perf_event_release_kernel(event);
}

static void stream_vanishes(struct kunit *test)
{
	struct perf_event *event = opened(test, SIG + 1, 0);
	struct perf_test *t = test->priv;
	char reply[40];
	u64 count;

	run(test, 100 * 1024);
	count = read_event(event);
	KUNIT_EXPECT_EQ(test, 0, pcmodel_command(t->fake->model, "fault dead 1", reply,
						 sizeof(reply)));
	run(test, 100 * 1024);
	KUNIT_EXPECT_EQ(test, read_event(event), count);
	perf_event_release_kernel(event);
}

/* SHORT is G84's; only signals and the clock can be counted. */
static void stream_refuses(struct kunit *test)
{
	struct perf_event *event[5];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, PTR_ERR(open_record(test, SIG, BIT_ULL(19), 0, NULL, NULL)),
			-EOPNOTSUPP);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		event[i] = opened(test, SIG + i, 0);
	run(test, 100 * 1024);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		perf_event_release_kernel(event[i]);
	quiet(test);
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE_PARAM(stream_counts, stream_gen_params),
	KUNIT_CASE_PARAM(stream_samples, stream_gen_params),
	KUNIT_CASE_PARAM(stream_ends, stream_gen_params),
	KUNIT_CASE_PARAM(stream_vanishes, stream_gen_params),
	KUNIT_CASE_PARAM(stream_refuses, stream_gen_params),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "pcounter_stream",
	.init = stream_init,
	.test_cases = stream_cases,
};

kunit_test_suite(stream_suite);

MODULE_LICENSE("GPL");
