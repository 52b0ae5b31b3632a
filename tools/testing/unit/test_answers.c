// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers of single experiments on the model: what they report of a difference, their
 * evidence, and both readings of the questions about records.
 */
#include <linux/kernel.h>

#include "experiment_test.h"

static void run_one(const char *name, struct pcounter_finding *found)
{
	static struct pcounter_bench bench;

	bench_new(&bench);
	*found = *pcounter_experiment_run(&bench, pcounter_experiment_find(name));
}

/* Run an experiment, which must name a reading. */
static void names(const char *name, unsigned int reading, struct pcounter_finding *found)
{
	run_one(name, found);
	assert_int_equal(found->verdict, PCOUNTER_NAMED);
	assert_int_equal(found->reading, reading);
}

/* Let a register read a value, whatever is written. */
static void stick(u32 addr, u32 val)
{
	m->sticky[0].addr = addr;
	m->sticky[0].val = val;
	m->nsticky = 1;
}

/* A difference from the documents is reported, with the access that shows it. */
TEST(faults)
{
	struct pcounter_finding found;

	/* a register that does not keep a bit */
	chip(0x84);
	stick(0xa4a0, 0x5551);
	run_one("registers", &found);
	assert_int_equal(found.verdict, PCOUNTER_CONTRADICTS);
	assert_int_equal(found.culprit.addr, 0xa4a0);
	assert_int_equal(found.culprit.got & 0xffff, 0x5551);

	/* a counter with a wrong value */
	chip(0x84);
	stick(0xa680, 3);
	run_one("counters", &found);
	assert_int_equal(found.verdict, PCOUNTER_CONTRADICTS);
	assert_int_equal(found.var[2], 3);
	assert_int_equal(found.var[0], found.var[4]);
	assert_int_equal(found.culprit.addr, 0xa680);
	assert_int_equal(found.culprit.wanted, found.var[4]);
	assert_int_equal(found.culprit.got, 3);

	/* a counter that is off by one: CTR_STOP of domain 0 */
	stick(0xa740, found.var[4] + 1);
	run_one("counters", &found);
	assert_int_equal(found.verdict, PCOUNTER_CONTRADICTS);
	assert_int_equal(found.culprit.addr, 0xa740);
	assert_int_equal(found.culprit.got, found.culprit.wanted + 1);

	/* domains whose clocks stand still */
	chip(0x40);
	for (unsigned int i = 0; i < m->domains; i++)
		pcmodel_set_clock(m, i, 0, 1);
	run_one("counters", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
	assert_non_null(found.why);
}

/* hw:real-cards/r2 and r6: behaviour of the model's units and trigger as on real cards */
TEST(inferences)
{
	struct pcounter_finding found;

	chip(0xc0);
	names("trigger_2d", 0, &found);
	names("unit_holes", 0, &found);
	assert_int_equal(found.var[0], 4);
	/* all units exist: no answer is possible */
	memset(&m->units[1], 0, 2 * sizeof(*m->units));
	memset(&m->units[4], 0, 2 * sizeof(*m->units));
	run_one("unit_holes", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
}

/* hw:signals: reads alone find the signal that toggles with the time. */
TEST(ptimer)
{
	static const uint32_t chipsets[] = { 0x10, 0x50, 0x84, 0xa3, 0xaf };
	struct pcounter_finding found;
	unsigned int i, k;
	uint64_t writes;

	for (i = 0; i < ARRAY_SIZE(chipsets); i++) {
		for (k = 0; k < 3; k++) {
			rng = k + 1;
			new_gpu(chipsets[i]);
			pcmodel_run(m, 100000 * k);
			run_one("ptimer", &found);
			assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
			say("ptimer %u", k < 2 ? found.var[2] : 0x15);
			writes = m->writes;
			names("ptimer", k == 2, &found);
			assert_int_equal(found.var[1], m->ptimer);
			assert_int_equal(m->writes, writes);
		}
	}
}

/* The experiment reports bases for each domain, also where the tables have another. */
TEST(trailers)
{
	struct pcounter_finding found;

	chip(0xc0);
	assert_int_equal(pcmodel_set_trailer(m, pcmodel_find_domain(m, "gpc0.0", 6), 0x60), 0);
	run_one("trailers", &found);
	assert_int_equal(found.verdict, PCOUNTER_CONTRADICTS);
	assert_int_equal(found.var[2], 0xffffff60);
	assert_int_equal(found.var[5], 1);
}

/*
 * hw:real-cards/n1: the log counts 1000 reads, 200 writes and a swap, at any clock and
 * any duration of a write.
 */
TEST(accesses)
{
	static const uint32_t chipsets[] = { 0x50, 0x84, 0x86, 0x92, 0x94, 0x96, 0x98, 0xa0,
					     0xa3, 0xa5, 0xa8 };
	struct pcounter_finding found;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(chipsets); i++) {
		for (k = 0; k < 10; k += 3) {
			rng = k + 1;
			new_gpu(chipsets[i]);
			m->quirks.write_delay = k;
			m->quirks.swap_latency = k & 1 ? 3 * k : 0;
			names("accesses", 0, &found);
			assert_int_equal(found.var[0], 1001);
			assert_int_equal(found.var[1], 201);
			assert_int_equal(found.var[2], 1202);
		}
	}

	/* report the access that is not counted: CTR_START */
	chip(0x84);
	stick(0xa6c0, 1000);
	run_one("accesses", &found);
	assert_int_equal(found.verdict, PCOUNTER_CONTRADICTS);
	assert_int_equal(found.culprit.addr, 0xa6c0);
	assert_int_equal(found.culprit.wanted, 1001);
	assert_int_equal(found.culprit.got, 1000);

	/* no such signal is known: no answer is possible */
	chip(0xaa);
	run_one("accesses", &found);
	assert_int_equal(found.verdict, PCOUNTER_ABSENT_HERE);

	/* without its clock no answer is possible */
	chip(0x84);
	pcmodel_set_clock(m, 0, 0, 1);
	run_one("accesses", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
	assert_non_null(found.why);
}

/* GF100's trailers, as inferred from recordings, match the model. */
TEST(zero_2f)
{
	struct pcounter_finding found;

	chip(0xc0);
	names("zero_2f", 0, &found);
	assert_true(found.var[0] >= 4096);
}

/* From GM107 on a second mask word that is not 0 makes an idle counter somebody else's. */
TEST(second_mask_word)
{
	static const struct pcmodel_script idle = { .level = 1 };
	struct pcounter_finding found;

	chip(0x126);
	assert_int_equal(pcmodel_idle_signal(m, 0, &idle), 0);
	for (unsigned int i = 0; i < PCMODEL_IDLE_SLOTS; i++)
		assert_int_equal(pcmodel_idle_foreign(m, i, (uint64_t)(i != 3) << 32, 0), 0);
	names("idle_none", 0, &found);
	assert_int_equal(pcmodel_idle_foreign(m, 3, 1ull << 63, 0), 0);
	run_one("idle_none", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
	assert_int_equal(m->idle.foreign_writes, 0);
}

/* The clock of the idle counters: its ticks against PTIMER's nanoseconds. */
TEST(idle_clock)
{
	static const struct {
		uint32_t chipset, num, den;
	} cases[] = { { 0xa3, 1, 1 }, { 0xaf, 3, 7 }, { 0xc0, 20, 1 }, { 0xe4, 1, 3 } };
	struct pcounter_finding found;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		chip(cases[i].chipset);
		assert_int_equal(pcmodel_idle_clock(m, cases[i].num, cases[i].den), 0);
		names("idle_clock", 0, &found);
		assert_in_range(found.var[1], 4096000, 4097000);
		assert_in_range(found.var[0], 4096 * cases[i].num / cases[i].den,
				4097 * cases[i].num / cases[i].den + 1);
		assert_int_equal(pcmodel_idle_clock(m, 0, 1), 0);
		names("idle_clock", 1, &found);
	}
	/* without PDAEMON there is nothing to ask about */
	chip(0xa0);
	run_one("idle_clock", &found);
	assert_int_equal(found.verdict, PCOUNTER_ABSENT_HERE);
}

/* hw:ambiguities/73: the first signals that count each read, by the tables and by search */
TEST(mmio_reads)
{
	struct pcounter_finding found;

	chip(0x96);
	names("mmio_reads", 0, &found);
	assert_int_equal(found.var[1], found.var[4]);
	assert_int_equal(found.var[3], found.var[4] - 1);
	m->quirks.mmio_reads = 1;
	names("mmio_reads", 1, &found);
	assert_int_equal(found.var[0], 1);
	/* domain 0 stands still: another domain has none of them */
	pcmodel_set_clock(m, 0, 0, 1);
	run_one("mmio_reads", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
}

/* hw:stream: the readings of each question about records, from the default of the others. */
TEST(records)
{
	static const struct {
		const char *quirk, *name;
		unsigned int reading;
	} rows[] = {
		{ "quirk stream_mode 1", "stream_mode", 1 },
		{ "quirk stream_mode 2", "stream_mode", 2 },
		{ "quirk stream_id 1", "stream_id", 1 },
		{ "quirk stream_id 2", "stream_id", 2 },
		{ "quirk stream_clock 1", "stream_clock", 1 },
		{ "quirk stream_clock 2", "stream_clock", 2 },
		{ "quirk stream_sum 1", "stream_sum", 1 },
		{ "quirk stream_sum 1; quirk stream_short 1", "stream_sum", 1 },
		{ "quirk stream_short 1", "stream_short", 1 },
		{ "quirk stream_short 1; quirk stream_sum 1", "stream_short", 1 },
		{ "quirk stream_short 2", "stream_short", 2 },
		{ "quirk stream_word_6 1", "stream_word_6", 1 },
		{ "quirk stream_position 1", "stream_position", 1 },
		{ "quirk stream_position 2", "stream_position", 2 },
		{ "quirk stream_latency 60", "stream_empty", 0 },
		{ "quirk stream_latency 60; quirk stream_empty 1", "stream_empty", 1 },
		{ "quirk stream_latency 60; quirk stream_empty 2", "stream_empty", 2 },
		{ "quirk stream_latency 60", "stream_count_late", 0 },
		{ "quirk stream_latency 60; quirk stream_count_late 40", "stream_count_late", 1 },
		{ "quirk stream_latency 60; quirk stream_split 40", "stream_split", 1 },
		{ "quirk stream_request 1", "stream_request", 1 },
		{ "quirk stream_request 2", "stream_request", 2 },
		{ "quirk stream_bind_first 1", "stream_bind_first", 1 },
		{ "quirk stream_overwrite 1", "stream_overwrite", 1 },
		{ "quirk stream_clear 1", "stream_clear", 1 },
		{ "quirk stream_restart 1", "stream_restart", 1 },
	};
	struct pcounter_finding found;
	char err[80];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		chip(i % 2 ? 0xc0 : 0xe4);
		m->time = 7 * 1100000000ULL;
		assert_int_equal(pcmodel_scenario(m, rows[i].quirk, err, sizeof(err)), 0);
		run_one(rows[i].name, &found);
		if (found.verdict != PCOUNTER_NAMED || found.reading != rows[i].reading)
			fail_msg("%s, %s: %s %u (%u %u %u %u %u %u)", rows[i].name, rows[i].quirk,
				 pcounter_verdict_text[found.verdict], found.reading, found.var[0],
				 found.var[1], found.var[2], found.var[3], found.var[4],
				 found.var[5]);
		look_at_registers(false);
	}
	/* an instance block in system memory, which the GPU does not take */
	chip(0xe4);
	m->quirks.no_system_channel = 1;
	run_one("stream_mode", &found);
	assert_int_equal(found.verdict, PCOUNTER_UNDECIDED);
	assert_non_null(found.why);
}

/* Bits without a name: the model keeps them, and registers that do not are reported. */
TEST(kept_bits)
{
	static const struct {
		const char *name;
		uint32_t chipset, sticky, val;
		unsigned int reading;
		enum pcounter_verdict verdict;
	} cases[] = {
		{ "ctrl_bits", 0x40, 0, 0, 1, PCOUNTER_NAMED },
		{ "ctrl_bits", 0x92, 0, 0, 0, PCOUNTER_NAMED },
		{ "ctrl_bits", 0xa3, 0, 0, 0, PCOUNTER_NAMED },
		{ "ctrl_bits", 0x92, 0xa7c0, 0x00000001, 2, PCOUNTER_NAMED },
		{ "ctrl_bits", 0x84, 0, 0, 1, PCOUNTER_NAMED },
		{ "ctrl_bits", 0x84, 0xa740, 7, 0, PCOUNTER_UNDECIDED },
		{ "ctrl_bits", 0xc0, 0, 0, 0, PCOUNTER_ABSENT_HERE },
		{ "unnamed", 0x40, 0, 0, 0, PCOUNTER_NAMED },
		{ "unnamed", 0x40, 0xa7f8, 5, 1, PCOUNTER_NAMED },
		{ "unnamed", 0x34, 0, 0, 0, PCOUNTER_ABSENT_HERE },
		{ "gctrl_pm", 0x84, 0xa740, 7, 0, PCOUNTER_NAMED },
		{ "gctrl_pm", 0x84, 0xa700, 7, 0, PCOUNTER_UNDECIDED },
		{ "spec_src_8", 0x84, 0, 0, 0, PCOUNTER_NAMED },
		{ "spec_src_8", 0xa3, 0, 0, 0, PCOUNTER_NAMED },
		{ "spec_src_8", 0x84, 0xa560, 0x4c, 1, PCOUNTER_NAMED },
		{ "spec_src_8", 0x50, 0, 0, 0, PCOUNTER_ABSENT_HERE },
		{ "spec_src_8", 0x84, 0xa740, 7, 0, PCOUNTER_UNDECIDED },
	};
	struct pcounter_finding found;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		chip(cases[i].chipset);
		if (cases[i].sticky)
			stick(cases[i].sticky, cases[i].val);
		run_one(cases[i].name, &found);
		assert_int_equal(found.verdict, cases[i].verdict);
		if (found.verdict == PCOUNTER_NAMED)
			assert_int_equal(found.reading, cases[i].reading);
	}
}

int main(void)
{
	m = calloc(1, sizeof(*m));
	return unit_run(NULL, NULL);
}
