// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's idle counters on the model: exact, shared fairly with firmware,
 * or stopped.
 */
#include <errno.h>

#include <linux/ktime.h>

#include "count/idle.h"
#include "model_test.h"

#define GR		0x1
#define PVLD		0x10
#define MASK(i)		(0x10a504 + (i) * 0x10)
#define COUNT(i)	(0x10a508 + (i) * 0x10)
#define MODE(i)		(0x10a50c + (i) * 0x10)
#define MASK_1(i)	(0x10aa34 + (i) * 8)
#define GM206		0x126

static struct pcounter_idle idle;

/* Number of the read before which the processor pauses, negative: none; pauses after that. */
static int pause_at = -1, pauses;

/* The clock of PDAEMON runs during a read. */
static bool runs;

static u32 rd32(struct pcounter_io *io, u32 addr)
{
	if (runs)
		pcmodel_run(m, 1);
	shim_clock += 1000;
	if (!pause_at--) {
		shim_clock += 1000000;
		pcmodel_run(m, 1000);
		/* in each repetition of the same reads */
		pause_at = pauses-- > 0 ? 1 : -1;
	}
	return pcmodel_rd32(m, addr);
}

static void wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	pcmodel_wr32(m, addr, val);
}

static const struct pcounter_io_ops ops = { .rd32 = rd32, .wr32 = wr32 };
static struct pcounter_io io = { .ops = &ops };

static bool attach(uint32_t chipset)
{
	memset(&idle, 0, sizeof(idle));
	return pcounter_idle_init(&idle, pcounter_chip_find(chipset), &io);
}

static void begin(uint32_t chipset)
{
	chip(chipset);
	say("idle signal 0 duty 30/100");
	say("idle signal 4 duty 80/100");
	assert_true(attach(chipset));
}

static uint64_t foreign_writes(void)
{
	return m->idle.foreign_writes;
}

TEST(test_presence)
{
	chip(0x92);
	assert_false(attach(0x92));
	assert_int_equal(m->reads, 0);
	begin(0xa3);
	assert_int_equal(pcounter_idle_ours(&idle), 4);
	begin(0xc0);
	assert_int_equal(pcounter_idle_ours(&idle), 8);
	begin(GM206);
	assert_int_equal(pcounter_idle_ours(&idle), 8);
	assert_int_equal(m->writes, 0);
	assert_int_equal(m->lint.absent, 0);
}

/* While PDAEMON is off its state is unknown, and the driver does not touch its window. */
TEST(test_off)
{
	static const struct { uint32_t chipset, addr, off; } off[] = {
		{ 0xc0, 0x200, ~(1u << 13) }, { 0xa3, 0x022210, 0 },
	};

	for (unsigned int i = 0; i < 2; i++) {
		begin(off[i].chipset);
		pcmodel_wr32(m, off[i].addr, off[i].off);
		assert_true(attach(off[i].chipset));
		assert_int_equal(pcounter_idle_ours(&idle), 0);
		assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), -EIO);
		assert_int_equal(m->lint.absent, 0);
		pcmodel_wr32(m, off[i].addr, ~0u);
		assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), 0);
	}
}

/* A GPU that does not answer, at attach and later. */
TEST(test_dead)
{
	begin(0xa3);
	say("fault dead 1");
	assert_true(attach(0xa3));
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), -EIO);
	say("fault none");
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), 0);
	say("fault dead 1");
	assert_int_equal(pcounter_idle_add(&idle, PVLD, PCOUNTER_IDLE_ALL), -EIO);
	pcounter_idle_restore(&idle, true);
	say("fault none");
	assert_int_equal(pcmodel_rd32(m, MODE(0)), 1);
}

/* A counter of another owner becomes ours after its release. */
TEST(test_given_back)
{
	begin(0xa3);
	say("idle foreign 0 1 1");
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), 1);
	say("idle foreign 0 0 0");
	assert_int_equal(pcounter_idle_ours(&idle), 3);
	idle.slot[1].client.refs--;
	pcounter_idle_restore(&idle, true);
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), 0);
	assert_int_equal(pcounter_idle_ours(&idle), 4);
}

/* A reset with an open event that is not on the PMU costs nothing. */
TEST(test_reset_unnoticed)
{
	int gr;

	begin(0xa3);
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	pcounter_idle_latch(&idle);
	idle.slot[gr].client.refs--;
	say("idle reset");
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), gr);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 100);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].client.total, 30);
}

/* hw:idle/reading: the counts right after each other, the guard, then the doubtful registers */
TEST(test_cost)
{
	begin(0xc0);
	pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_NOT_ALL);
	pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS);
	/* the duration of a read is not known before, and there is no guard */
	runs = true;
	pcounter_idle_latch(&idle);
	m->reads = 0;
	m->writes = 0;
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(m->reads, 3 * 3 + 1);
	assert_int_equal(m->writes, 0);
	runs = false;
}

TEST(test_counts)
{
	int gr, busy, ticks, shared;

	begin(0xe4);
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	busy = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_NOT_ALL);
	ticks = pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS);
	shared = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	assert_int_equal(shared, gr);
	pcmodel_run(m, 50);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[ticks].client.total, 0);
	pcmodel_run(m, 1000);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].client.total, 300);
	assert_int_equal(idle.slot[busy].client.total, 700);
	assert_int_equal(idle.slot[ticks].client.total, 1000);
	assert_int_equal(m->lint.absent + m->lint.bits + m->lint.direction, 0);
}

/*
 * All counts are of one moment, with a pause between any two reads, and another in the second
 * pass. With a pause in each pass the driver gives up.
 */
TEST(test_pauses)
{
	int busy, ticks;
	u64 reads;

	chip(0xc0);
	assert_true(attach(0xc0));
	busy = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_NOT_ALL);
	ticks = pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS);
	pcounter_idle_latch(&idle);
	for (int read = 0; read < 6; read++) {
		pcmodel_run(m, 1000);
		pause_at = read;
		pauses = read == 1;
		assert_false(pcounter_idle_latch(&idle));
		pause_at = -1;
		assert_int_equal(idle.slot[busy].client.total, idle.slot[ticks].client.total);
	}
	/* 7 pauses, except for those after the read of the counts */
	assert_in_range(idle.slot[ticks].client.total, 9000, 13000);
	pause_at = 1;
	pauses = 9;
	reads = m->reads;
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(m->reads - reads, 3 * 2 + 2 * 2 + 1);
}

TEST(test_wrap)
{
	int ticks;

	begin(0xa3);
	say("idle preset 0 0x7fffff00");
	ticks = pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS);
	pcounter_idle_latch(&idle);
	for (unsigned int i = 0; i < 4; i++) {
		pcmodel_run(m, 0x90);
		assert_false(pcounter_idle_latch(&idle));
	}
	assert_int_equal(idle.slot[ticks].client.total, 4 * 0x90);
}

TEST(test_saturation)
{
	int ticks;

	begin(0xa3);
	say("quirk idle_saturate 1");
	say("idle preset 0 0x7fffff00");
	ticks = pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 0x80);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 0x100);
	assert_true(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[ticks].unit.fault, PCOUNTER_FAULT_FULL);
	assert_int_equal(idle.slot[ticks].client.total, 0x80);
}

TEST(test_foreign_at_attach)
{
	chip(0xa3);
	say("idle foreign 0 0x200001 2");
	say("idle foreign 3 1 3");
	assert_true(attach(0xa3));
	assert_int_equal(pcounter_idle_ours(&idle), 2);
	assert_int_equal(pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL), 1);
	assert_int_equal(pcounter_idle_add(&idle, PVLD, PCOUNTER_IDLE_ALL), 2);
	assert_int_equal(pcounter_idle_add(&idle, 0, PCOUNTER_IDLE_ALWAYS), -ENOSPC);
	pcmodel_run(m, 10);
	pcounter_idle_latch(&idle);
	pcounter_idle_restore(&idle, true);
	assert_int_equal(foreign_writes(), 0);
	assert_int_equal(pcmodel_rd32(m, MASK(0)), 0x200001);
	assert_int_equal(pcmodel_rd32(m, MODE(1)) | pcmodel_rd32(m, MASK(1)), 0);
	assert_int_equal(pcmodel_rd32(m, MODE(2)) | pcmodel_rd32(m, MASK(2)), 0);
}

/* Firmware takes one counter before the driver, and later one that the driver uses. */
TEST(test_foreign_at_run_time)
{
	int gr;

	begin(0xa3);
	say("idle foreign 0 1 1");
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	assert_int_equal(gr, 1);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 200);
	assert_false(pcounter_idle_latch(&idle));
	pcmodel_run(m, 200);
	say("idle foreign 1 0x10 2");
	assert_true(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].unit.fault, PCOUNTER_FAULT_TAKEN);
	assert_int_equal(idle.slot[gr].client.total, 60);
	idle.slot[gr].client.refs--;
	pcounter_idle_restore(&idle, true);
	assert_int_equal(pcounter_idle_ours(&idle), 2);
	assert_int_equal(foreign_writes(), 0);
}

/* From GM107 on a counter is in use, too, if its second mask word or FILTER is set. */
TEST(test_second_word)
{
	int gr;

	chip(GM206);
	say("idle signal 0 duty 30/100");
	say("idle foreign 0 0x100000000 0");
	say("idle foreign 1 0 4");
	assert_true(attach(GM206));
	assert_int_equal(pcounter_idle_ours(&idle), 6);
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	assert_int_equal(gr, 2);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 200);
	assert_false(pcounter_idle_latch(&idle));
	pcmodel_wr32(m, MASK_1(gr), 1);
	assert_true(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].unit.fault, PCOUNTER_FAULT_TAKEN);
	assert_int_equal(idle.slot[gr].client.total, 60);
	idle.slot[gr].client.refs--;
	pcounter_idle_restore(&idle, true);
	assert_int_equal(pcmodel_rd32(m, MASK_1(gr)), 1);
	assert_int_equal(foreign_writes(), 0);
	assert_int_equal(m->lint.absent + m->lint.bits, 0);
}

static void stops(const char *what, enum pcounter_fault fault)
{
	int gr;

	begin(0xa3);
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 200);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 200);
	say(what);
	assert_true(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].unit.fault, fault);
	assert_int_equal(idle.slot[gr].client.total, 60);
	assert_false(pcounter_idle_latch(&idle));
}

TEST(test_faults)
{
	int gr;

	stops("fault dead 1", PCOUNTER_FAULT_DEAD);
	say("fault none");
	stops("idle preset 0 0", PCOUNTER_FAULT_CLEARED);
	stops("idle reset", PCOUNTER_FAULT_PDAEMON_RESET);
	/* afterwards a new event counts */
	idle.slot[0].client.refs--;
	gr = pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	assert_int_equal(gr, 0);
	pcounter_idle_latch(&idle);
	pcmodel_run(m, 100);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(idle.slot[gr].client.total, 60 + 30);
}

/*
 * Count idle or busy clocks of GR while another driver clears all counters every 100 ms, from
 * a time on. The last look before that has the last right count, the next one stops.
 */
static void cleared(const char *script, enum pcounter_idle_mode mode, unsigned int from_ms)
{
	unsigned int ms, stop = from_ms / 250 * 250 + 270;
	u64 right = 0, begun, ones;
	int slot;

	chip(0xe4);
	say(script);
	assert_true(attach(0xe4));
	pcmodel_run(m, 20000);
	runs = true;
	slot = pcounter_idle_add(&idle, GR, mode);
	assert_false(pcounter_idle_latch(&idle));
	begun = m->idle.cycle;
	for (ms = 30; ms <= stop; ms += 10) {
		pcmodel_run(m, 10000);
		for (unsigned int i = 0; i < 8 && ms >= from_ms && !(ms % 100); i++)
			pcmodel_wr32(m, COUNT(i), 1u << 31);
		if (ms % 250 != 20)
			continue;
		assert_int_equal(pcounter_idle_latch(&idle), ms == stop);
		if (ms < stop) {
			ones = pcmodel_script_count(&m->idle.sig[0], begun, m->idle.cycle);
			right = mode == PCOUNTER_IDLE_ALL ? ones : m->idle.cycle - begun - ones;
		}
		/* the clocks during some reads */
		assert_in_range(idle.slot[slot].client.total + 20, right, right + 40);
	}
	assert_int_equal(idle.slot[slot].unit.fault, PCOUNTER_FAULT_CLEARED);
	runs = false;
}

/* hw:idle/users: no step that is too small is counted, even where no count has become smaller. */
TEST(test_cleared_by_others)
{
	for (unsigned int from_ms = 0; from_ms <= 900; from_ms += 300) {
		cleared("idle signal 0 const 0", PCOUNTER_IDLE_NOT_ALL, from_ms);
		cleared("idle signal 0 duty 30/100", PCOUNTER_IDLE_ALL, from_ms);
		cleared("idle signal 0 duty 290000/300000", PCOUNTER_IDLE_NOT_ALL, from_ms);
	}
}

/* The guard is a spare counter: events take it last, and firmware may take it. */
TEST(test_guard)
{
	unsigned int i;

	begin(0xa3);
	runs = true;
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(m->writes, 0);
	pcounter_idle_add(&idle, GR, PCOUNTER_IDLE_ALL);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_not_equal(idle.slot[3].kept, 0);
	say("idle foreign 3 1 3");
	pcmodel_run(m, 100);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_equal(pcounter_idle_ours(&idle), 3);
	assert_false(pcounter_idle_latch(&idle));
	assert_int_not_equal(idle.slot[2].kept, 0);
	for (i = 1; i < 3; i++)
		assert_int_equal(pcounter_idle_add(&idle, PVLD << i, PCOUNTER_IDLE_ALL), i);
	assert_int_equal(idle.slot[2].kept, 0);
	assert_false(pcounter_idle_latch(&idle));
	pcmodel_run(m, 100);
	assert_false(pcounter_idle_latch(&idle));
	/* without a guard a clear shows in counts that become smaller */
	for (i = 0; i < 4; i++)
		pcmodel_wr32(m, COUNT(i), 1u << 31);
	assert_true(pcounter_idle_latch(&idle));
	runs = false;
}

TEST(test_refusals)
{
	const char *why;

	assert_int_equal(pcounter_idle_check(GR | PVLD, PCOUNTER_IDLE_ALL, &why), 0);
	assert_int_equal(pcounter_idle_check(0, PCOUNTER_IDLE_ALWAYS, &why), 0);
	assert_int_equal(pcounter_idle_check(GR, PCOUNTER_IDLE_ALWAYS, &why), -EINVAL);
	assert_int_equal(pcounter_idle_check(0, PCOUNTER_IDLE_ALL, &why), -EINVAL);
	assert_int_equal(pcounter_idle_check(GR, 4, &why), -EINVAL);
	assert_int_equal(pcounter_idle_check(GR | PVLD, PCOUNTER_IDLE_NOT_ALL, &why), 0);
}

int main(void)
{
	return unit_run(new_model, free_model);
}
