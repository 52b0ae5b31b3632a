// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments on the model: they name the position of each model switch that shows in
 * registers, and none wrongly; and they restore all registers.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "experiment_test.h"
#include "gpu/texts.h"

#define PERIOD		0x2000	/* of the experiment "periodic_phase" */

/* Each chip once; "test_experiments 200" asks for 200 positions. */
static unsigned int positions;
static bool brief;

/* ---- the program's table ---- */

/* Return true if the experiment has a reading of this number: its first condition is one. */
static bool has_reading(const struct pcounter_experiment *made, unsigned int i)
{
	return made->reading[i][0].a != made->reading[i][0].b;
}

/* Each answer of each experiment has a name in the program, and nothing else has one. */
TEST(tables_agree)
{
	static const struct pcounter_experiment *const tables[] = {
		pcounter_register_experiments, pcounter_count_experiments,
		pcounter_idle_experiments, pcounter_record_experiments,
		pcounter_stream_experiments,
	};
	const struct pcounter_experiment *made;
	const struct experiment *exp;
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (made = tables[i]; made->name; made++)
			nr++;
	for (exp = experiments; exp->name; exp++) {
		made = pcounter_experiment_find(exp->name);
		if (!made)
			fail_msg("%s: only the program knows it", exp->name);
		for (i = 0; i < PCOUNTER_EXP_READINGS; i++)
			if (has_reading(made, i) != !!exp->reading[i])
				fail_msg("%s: reading %u", exp->name, i);
	}
	assert_int_equal(exp - experiments, nr);
}

/* ---- the switches ---- */

#define SWITCH(_name, _most)	{ #_name, offsetof(struct pcmodel_quirks, _name), _most }

static const struct {
	const char *name;
	size_t offset;
	uint32_t most;
} switches[] = {
	SWITCH(write_delay, 9), SWITCH(single_restart, 1), SWITCH(start_cycle, 1),
	SWITCH(no_stop_cycle, 1), SWITCH(cycles_alt, 1), SWITCH(spec_src, 1),
	SWITCH(junk, 1), SWITCH(prev_new, 1), SWITCH(self_event, 1),
	SWITCH(pulse_keep, 1), SWITCH(pulse_early, 1), SWITCH(periodic_phase, 0xffff),
	SWITCH(periodic_restart, 1), SWITCH(quad_clear, 1), SWITCH(quad_state_reset, 1),
	SWITCH(g98_trailer, 1), SWITCH(flush_0e, 1), SWITCH(no_system_channel, 1),
	SWITCH(wedge_record_only, 1), SWITCH(wedge_others, 1), SWITCH(record_stop_next, 1),
	SWITCH(record_bogus, 3), SWITCH(position_early, 1), SWITCH(position_late, 9),
	SWITCH(limit_last, 1), SWITCH(short_all, 1), SWITCH(dma_limit_exclusive, 1),
	SWITCH(no_unpaged, 1), SWITCH(no_shared_tables, 1),
	SWITCH(flush_busy, 9), SWITCH(record_latency, 9), SWITCH(swap_latency, 30),
	SWITCH(ack_swapped, 1), SWITCH(clrflag_setflag_src, 1), SWITCH(status_overlap, 1),
	SWITCH(wrap32, 1), SWITCH(extra_b4_gated, 1), SWITCH(slcg_stops, 1),
	SWITCH(idle_saturate, 1), SWITCH(idle_none, 1), SWITCH(tpc_domains, 2),
	SWITCH(op_bits, 2), SWITCH(status_16, 2), SWITCH(halted_pauses, 1),
	SWITCH(single_begin, 2), SWITCH(gctrl_pm, 2), SWITCH(mmio_reads, 1),
	SWITCH(vram_reads, 1), SWITCH(next_counts, 1),
	SWITCH(stream_mode, 2), SWITCH(stream_id, 2), SWITCH(stream_clock, 2),
	SWITCH(stream_sum, 1), SWITCH(stream_short, 2), SWITCH(stream_word_6, 1),
	SWITCH(stream_position, 2), SWITCH(stream_empty, 2), SWITCH(stream_count_late, 200),
	SWITCH(stream_split, 200), SWITCH(stream_request, 2), SWITCH(stream_bind_first, 1),
	SWITCH(stream_overwrite, 1), SWITCH(stream_clear, 1), SWITCH(stream_restart, 3),
};

static uint32_t *position_of(unsigned int i)
{
	return (uint32_t *)((char *)&m->quirks + switches[i].offset);
}

/* Throw random switches; half of them keep the default. */
static void throw_switches(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(switches); i++)
		*position_of(i) = rnd(2) ? 1 + rnd(switches[i].most) : 0;
	m->quirks.stream_latency = rnd(2) ? rnd(100) : 0;
	/* without records there is nothing to see */
	m->quirks.stream_mode = rnd(6) ? 0 : 1 + rnd(2);
	/* the model is slow with this switch */
	m->quirks.wedge_others = m->chip->variant < PCMODEL_GF100 && !rnd(6);
}

/* Let the masks of lost TPCs of a place read 0. */
static void hide_lost(unsigned int place)
{
	bool gm107 = m->chip->variant >= PCMODEL_GM107;

	for (uint32_t addr = gm107 ? 0x021c38 : 0x022508; addr <= 0x022588; addr += 0x80) {
		say("fault sticky 0x%x 0", addr + place * 4);
		if (gm107)
			break;
	}
}

/*
 * Half of the GPUs have GPCs that have lost TPCs: the model's GPCs are in places 1 and 3.
 * A third of these GPUs do not show which.
 */
static void lose_tpcs(void)
{
	unsigned int place, tpcs = m->chip->gpc_domains - 1, hidden;

	if (m->chip->variant < PCMODEL_GK104)
		return;
	hidden = !rnd(3);
	for (place = 1; place <= 3; place += 2) {
		say("units tpc %u 0x%x 0", place, rnd(4) ? rnd((1 << tpcs) - 1) : 0);
		if (hidden)
			hide_lost(place);
	}
	/* numbers the domains anew */
	say("units gpc 4 0x1 0x4");
}

/*
 * The model is slow with pulse_keep, too, which shows only where a domain reads another's
 * pulses. The other experiments run without it.
 */
static void run(struct pcounter_bench *bench, const struct pcounter_experiment *exp,
		struct pcounter_finding *found)
{
	uint32_t thrown = m->quirks.pulse_keep;

	if (strncmp(exp->name, "pulse_", 6))
		m->quirks.pulse_keep = 0;
	*found = *pcounter_experiment_run(bench, exp);
	m->quirks.pulse_keep = thrown;
}

/* Compare a domain's clock with a number of model clocks. */
static bool slower_than(uint32_t clocks, unsigned int dom, uint32_t us)
{
	return (uint64_t)clocks * m->dom[dom].den <= (uint64_t)us * m->dom[dom].num;
}

/* Packets depend on several switches. */
static bool is_right_of_packets(const char *name, uint32_t is, unsigned int dom,
				const struct pcounter_finding *found)
{
	if (!strcmp(name, "record_bogus"))
		return found->reading == min(is, 2u) && found->var[1] == (is ? is - (is == 1) : 1);
	if (!strcmp(name, "record_latency"))
		return found->reading == (is > 1) && found->var[1] - found->var[0] == max(is, 1u);
	/* a packet that takes no time arrives with its position */
	if (!strcmp(name, "position_early"))
		return found->reading == (is && m->quirks.record_latency);
	if (!strcmp(name, "position_late") && m->quirks.position_early)
		is = 0;
	if (!strcmp(name, "position_late"))
		return found->reading == 2 ? slower_than(is, dom, 1) : found->reading == !!is;
	return found->reading == is;
}

/* Return true if a finding matches the position of its switch. */
static bool is_right(unsigned int i, unsigned int dom, const struct pcounter_finding *found)
{
	uint32_t is = *position_of(i), phase = is & (PERIOD - 1);
	const char *name = switches[i].name;

	if (!strcmp(name, "write_delay") || !strcmp(name, "flush_busy"))
		return found->reading == !!is && found->var[0] == is;
	if (!strcmp(name, "swap_latency"))
		return found->reading == !!is;
	if (!strcmp(name, "stream_count_late") || !strcmp(name, "stream_split"))
		return found->reading == !!is;
	/* a bind that forgets the ring begins at its start; bit 1 is about records on their way */
	if (!strcmp(name, "stream_restart"))
		return found->reading == (is & 1 && !m->quirks.stream_bind_first);
	if (!strcmp(name, "mmio_reads"))
		return found->reading == (m->chip->access ? is : 2);
	/* the first pulse is within an interval */
	if (!strcmp(name, "periodic_phase"))
		return found->var[1] <= PERIOD + 1 - phase && found->var[2] >= PERIOD + 1 - phase;
	return is_right_of_packets(name, is, dom, found);
}

/* ---- the tests ---- */

struct tally {
	unsigned int named, wrong, undecided, absent, without;
};

/* Number of undecided positions, by reason. */
static struct {
	const char *why;
	unsigned int n;
} reasons[20];

static void note_reason(const char *why)
{
	unsigned int i;

	if (!why)
		why = "what was seen fits no reading";
	for (i = 0; i < ARRAY_SIZE(reasons) - 1 && reasons[i].why; i++)
		if (!strcmp(reasons[i].why, why))
			break;
	reasons[i].why = why;
	reasons[i].n++;
}

/* A GPC that has lost TPCs decides the experiment, whether or not its mask shows them. */
static bool must_decide(unsigned int i)
{
	return !strcmp(switches[i].name, "tpc_domains") && m->chip->variant >= PCMODEL_GK104 &&
	       (m->lost[1][0] || m->lost[3][0]);
}

static void judge(unsigned int i, unsigned int dom, const struct pcounter_finding *found,
		  struct tally *t)
{
	switch (found->verdict) {
	case PCOUNTER_NAMED:
		if (is_right(i, dom, found)) {
			t->named++;
			break;
		}
		print_message("%s: %s is %u, named %u (%u %u %u %u)\n", m->chip->name,
			      switches[i].name, *position_of(i), found->reading, found->var[0],
			      found->var[1], found->var[2], found->var[3]);
		t->wrong++;
		break;
	case PCOUNTER_ABSENT_HERE:
		t->absent++;
		break;
	case PCOUNTER_UNDECIDED:
		note_reason(found->why);
		t->undecided++;
		t->wrong += must_decide(i);
		break;
	default:
		print_message("%s: %s is %u: %s (%u %u %u %u) 0x%06x %08x %08x\n", m->chip->name,
			      switches[i].name, *position_of(i),
			      pcounter_verdict_text[found->verdict], found->var[0], found->var[1],
			      found->var[2], found->var[3], found->culprit.addr,
			      found->culprit.wanted, found->culprit.got);
		t->wrong++;
	}
}

/* Return true if the switch has an experiment; the others concern record mode. */
static bool applies(void)
{
	return m->chip->variant >= PCMODEL_G84 && m->chip->variant < PCMODEL_GF100;
}

static unsigned int find_chips(uint32_t *chipsets, unsigned int most)
{
	unsigned int nr = 0;
	uint32_t id;

	for (id = 0; id < 0x200 && nr < most; id++)
		if (pcmodel_chip(id) && pcounter_chip_find(id))
			chipsets[nr++] = id;
	return nr;
}

/* ---- reports, as the program would write them ---- */

/* Folder for the reports; NULL: none. */
static const char *reports;

static FILE *report_begin(void)
{
	char path[256];
	FILE *out;

	if (!reports)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s.json", reports, m->chip->name);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "{\"kind\": \"pcounter-selftest\", \"schema\": 1, \"program\": \"0.1\",\n"
		"\"date\": \"2026-01-01\", \"chip\": \"%s\", \"kernel\": \"6.12\",\n"
		"\"stages\": [], \"experiments\": [", m->chip->name);
	return out;
}

static void report_finding(FILE *out, const struct experiment *exp,
			   const struct pcounter_finding *found)
{
	unsigned int i;

	if (!out)
		return;
	fprintf(out, "%s{\"name\": \"%s\", \"row\": %u, \"verdict\": \"%s\", ",
		exp == experiments ? "\n" : ",\n", exp->name,
		exp->row, pcounter_verdict_text[found->verdict]);
	if (found->verdict == PCOUNTER_NAMED)
		fprintf(out, "\"reading\": %u, \"text\": \"%s\", ", found->reading,
			exp->reading[found->reading]);
	if (found->why)
		fprintf(out, "\"why\": \"%s\", ", found->why);
	fprintf(out, "\"accesses\": %u, \"evidence\": [", found->accesses);
	for (i = 0; i < PCOUNTER_EXP_VARS; i++)
		fprintf(out, "%s%u", i ? ", " : "", found->var[i]);
	fprintf(out, "]}");
}

/* Run all experiments on each chip with all switches at their defaults. */
TEST(report_all)
{
	static struct pcounter_bench bench;
	struct pcounter_finding found;
	const struct experiment *exp;
	uint32_t chipsets[80];
	unsigned int n, nr = find_chips(chipsets, ARRAY_SIZE(chipsets));

	for (n = 0; n < nr; n++) {
		FILE *out;

		chip(chipsets[n]);
		bench_new(&bench);
		out = report_begin();
		for (exp = experiments; exp->name; exp++) {
			found = *pcounter_experiment_run(&bench,
							 pcounter_experiment_find(exp->name));
			assert_true(found.verdict == PCOUNTER_NAMED ||
				    found.verdict == PCOUNTER_ABSENT_HERE ||
				    found.verdict == PCOUNTER_UNDECIDED);
			report_finding(out, exp, &found);
		}
		if (out) {
			fprintf(out, "],\n\"restored\": true}\n");
			fclose(out);
		}
	}
}

/* Return true if the short run skips this chip: these experiments take most of the time. */
static bool left_out(unsigned int throw, const char *name)
{
	return brief && throw % 3 &&
	       (!strcmp(name, "short_all") || !strcmp(name, "periodic_restart"));
}

static bool is_of_fault(const char *name)
{
	return !strncmp(name, "wedge_", 6);
}

static void ask(struct pcounter_bench *bench, unsigned int i, struct tally *t)
{
	const struct pcounter_experiment *exp = pcounter_experiment_find(switches[i].name);
	struct pcounter_finding found;

	if (!exp) {
		*(applies() ? &t[i].without : &t[i].absent) += 1;
		return;
	}
	run(bench, exp, &found);
	judge(i, bench->dom[0] < 0 ? 0 : bench->dom[0], &found, &t[i]);
	pcmodel_run(m, 16);
	if (found.verdict != PCOUNTER_ABSENT_HERE && !bench->hidden)
		look_at_registers(true);
}

static void ask_of_fault(struct pcounter_bench *bench, struct tally *t)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(switches); i++)
		if (is_of_fault(switches[i].name))
			ask(bench, i, t);
}

/* Reset the GPU. After a fault the channel is in video memory, which every GPU accepts. */
static void reset_gpu(struct pcounter_bench *bench)
{
	uint32_t enabled = pcmodel_rd32(m, 0x200);

	pcmodel_record_reset(m);
	/* from GF100 on PCOUNTER has a reset of its own, and the model no window to video memory */
	pcmodel_wr32(m, 0x200, enabled & ~(1u << 28));
	pcmodel_wr32(m, 0x200, enabled);
	pcmodel_run(m, 16);
	if (m->chip->variant >= PCMODEL_GF100)
		m->quirks.no_system_channel = 0;
	bench->wedged = false;
	channel_in_vram = true;
	look_at_registers(false);
}

static void ask_all(unsigned int throw, struct tally *t)
{
	static struct pcounter_bench bench;
	bool asked = false;
	unsigned int i;

	bench_new(&bench);
	channel_in_vram = false;
	look_at_registers(false);
	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		if (is_of_fault(switches[i].name) || left_out(throw, switches[i].name))
			continue;
		ask(&bench, i, t);
		if (!bench.wedged)
			continue;
		if (!asked)
			ask_of_fault(&bench, t);
		asked = true;
		reset_gpu(&bench);
	}
	if (!asked)
		ask_of_fault(&bench, t);
}

TEST(blind)
{
	static struct tally t[ARRAY_SIZE(switches)];
	unsigned int n, i, named = 0, asked = 0, nr;
	uint32_t chipsets[80];

	nr = find_chips(chipsets, ARRAY_SIZE(chipsets));
	brief = !positions;
	if (brief)
		positions = nr;

	for (n = 0; n < positions; n++) {
		rng = n + 1;
		new_gpu(chipsets[n % nr]);
		throw_switches();
		lose_tpcs();
		if (n % 8 == 1)
			pcmodel_garbage(m, n);
		ask_all(n, t);
	}
	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		print_message("# %-20s named %3u undecided %3u absent %3u none %3u wrong %u\n",
			      switches[i].name, t[i].named, t[i].undecided, t[i].absent,
			      t[i].without, t[i].wrong);
		named += t[i].named;
		asked += t[i].named + t[i].undecided + t[i].without;
		assert_int_equal(t[i].wrong, 0);
	}
	for (i = 0; i < ARRAY_SIZE(reasons) && reasons[i].why; i++)
		print_message("# undecided %3u: %s\n", reasons[i].n, reasons[i].why);
	print_message("# %u of %u positions named, %u chips\n", named, asked, nr);
}

/* A run that is stopped at any access restores the registers. */
static void stop_after(const struct pcounter_bench *bench, const struct pcounter_experiment *exp,
		       unsigned int waits)
{
	static struct pcounter_bench copy;

	copy = *bench;
	patience = waits;
	pcounter_experiment_run(&copy, exp);
	patience = 0;
	pcmodel_run(m, 4);
	look_at_registers(true);
}

TEST(stopped)
{
	static const uint32_t chipsets[] = { 0x20, 0x34, 0xa3, 0xc0 };
	static struct pcounter_bench bench;
	const struct pcounter_experiment *first = pcounter_experiment_find("status_overlap");
	const struct experiment *exp;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(chipsets); i++) {
		chip(chipsets[i]);
		pcmodel_garbage(m, 7);
		look_at_registers(false);
		bench_new(&bench);
		/* during the search for domains */
		for (n = 1; n < 400; n = n * 4 + 1)
			stop_after(&bench, first, n);
		pcounter_experiment_run(&bench, first);
		for (exp = experiments; exp->name; exp++)
			for (n = 1; n < 100; n = n * 8 + 1)
				stop_after(&bench, pcounter_experiment_find(exp->name), n);
	}
}

int main(int argc, char **argv)
{
	reports = getenv("REPORTS");
	if (argc > 1)
		positions = strtoul(argv[1], NULL, 0);
	m = calloc(1, sizeof(*m));
	return unit_run(NULL, NULL);
}
