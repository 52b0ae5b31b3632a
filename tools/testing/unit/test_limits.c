// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the driver waits for an answer of the GPU: a late answer is still taken, and a
 * GPU that never answers costs a bounded number of accesses.
 */
#include "record_test.h"
#include "hw/regs.h"
#include "record/memory.h"

#define NEVER		(~0U)
#define MOST		2000	/* accesses for one answer */
#define FULL		80000	/* clocks after which a counter of a packet is full */
#define SLOW_NS		(5 * NSEC_PER_MSEC)
#define CLOCKS		1000

/**
 * struct lie - bits of a register that show a wrong value for a while
 * @addr: the register
 * @mask: the bits
 * @val: their values until then
 * @writes: each write to this register begins anew, unless 0
 * @late: reads until they show it
 * @left: reads that are left
 * @ns: duration of such a read
 */
static struct lie {
	u32 addr;
	u32 mask;
	u32 val;
	u32 writes;
	unsigned int late;
	unsigned int left;
	u64 ns;
} lie;

static const char *answer;
static unsigned int accesses;

static void count_access(void)
{
	if (++accesses > MOST)
		fail_msg("%s: no end after %u accesses", answer, MOST);
}

static u32 lie_rd32(struct pcounter_io *io, u32 addr)
{
	u32 val = gpu_rd32(io, addr);

	count_access();
	if (addr != lie.addr || !lie.left)
		return val;
	lie.left -= lie.left != NEVER;
	shim_clock += lie.ns;
	return (val & ~lie.mask) | lie.val;
}

static void lie_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	gpu_wr32(io, addr, val);
	if (lie.writes && addr == lie.writes)
		lie.left = lie.late;
}

__le64 *__real_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position);
__le64 *__wrap_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position);

/* Packets arrive while the driver looks at slots. */
__le64 *__wrap_pcounter_ring_slot(const struct pcounter_ring *ring, u64 position)
{
	count_access();
	pcmodel_run(g.m, g.step);
	return __real_pcounter_ring_slot(ring, position);
}

static void lies(struct lie now)
{
	static const struct pcounter_io_ops ops = {
		.rd32 = lie_rd32, .wr32 = lie_wr32, .dma = dma_switch,
	};

	lie = now;
	lie.left = lie.writes ? 0 : lie.late;
	g.io.ops = &ops;
	accesses = 0;
}

/* ---- the answers; each returns true if the driver takes an answer that comes late ---- */

/* The state of a domain shows that its period has ended. */
static bool period_ends(unsigned int late)
{
	struct group grp = { .n = 1, .req = { ask_clk(DOM) } };
	u64 val;

	gpu_new("g84");
	group_begin(&grp, 0);
	pcmodel_run(g.m, CLOCKS);
	lies((struct lie){ .addr = 0xa7c0 + DOM * 4, .mask = GENMASK(25, 24), .late = late });
	group_read_once(&grp, &val);
	group_stop(&grp);
	gpu_free();
	return val >= CLOCKS;
}

/* hw:ambiguities/44: a period ends where the base of the trailer is tried. */
static bool base_answers(unsigned int late)
{
	struct group grp = { .n = 1, .req = { ask_clk(2) } };
	bool found;
	u32 ctrl;

	gpu_new("gm206");
	g.step = 1;
	say("quirk no_levels 1");
	say("trailer hub2 0x80");
	assert_true(group_settle(&grp, 0));
	ctrl = 0x18009c + 0x200 * g.gpu.topo.dom[2].block;
	lies((struct lie){ ctrl, GENMASK(25, 24), .writes = 0x1b04ec, .late = late });
	assert_true(group_start(&grp));
	found = g.gpu.topo.dom[2].trailer == 0x80;
	lies((struct lie){ 0 });
	group_stop(&grp);
	gpu_free();
	return found;
}

/* A mux keeps the written value. */
static bool mux_holds(unsigned int late)
{
	const u32 mux = 0x50c4a8;
	struct group grp = { .n = 1, .req = { ask(9, PCOUNTER_ROLE_ANY, 0x10) } };
	struct pcounter_mux_failure failure;
	bool holds;

	gpu_new("gf100");
	say("mux 0x50c4a8 0x8000003f 0x80000005 gpc1.0 0x10 const 1");
	grp.req[0].mux[0] = (struct pcounter_mux_setting){ .id = 22, .sel = 5 };
	assert_true(group_settle(&grp, 0));
	lies((struct lie){ .addr = mux, .mask = GENMASK(5, 0), .writes = mux, .late = late });
	assert_true(group_start(&grp));
	holds = !pcounter_mux_next_failure(&g.gpu.muxes, &failure);
	group_stop(&grp);
	gpu_free();
	return holds;
}

/* The GPU forgets its translations. */
static bool flush_ends(unsigned int late)
{
	bool done;

	gpu_new("g92");
	lies((struct lie){ .addr = 0x100c80, .mask = BIT(0), .val = BIT(0), .late = late });
	done = pcounter_vm_flush(&g.gpu);
	gpu_free();
	return done;
}

/* A packet that the driver has requested arrives. */
static bool packet_lands(unsigned int late)
{
	unsigned int clocks = min(late, 2 * PERIOD(5));
	u64 val[PCOUNTER_MAX_REQUESTS];
	struct group grp;

	begin("gt215");
	grp = recorded(1, 5, false);
	lies((struct lie){ 0 });
	start(&grp);
	say("quirk record_latency %u", clocks);
	pcmodel_run(g.m, CLOCKS);
	accesses = 0;
	g.step = 1;
	group_read_once(&grp, val);
	g.step = 0;
	pcmodel_run(g.m, clocks);
	end_counts(&grp);
	return val[1] >= CLOCKS;
}

/* Counters of packets become less than full, before the third look that finds them full. */
static bool counters_recover(unsigned int late)
{
	enum pcounter_fault fault;
	struct group grp;

	begin("g92");
	say("signal 1 0x10 const 1");
	begin_counts(&grp, 1, 5, false);
	lies((struct lie){ 0 });
	for (unsigned int i = 0; i < 40 && !g.gpu.dom[DOM].unit.fault; i++) {
		say(i < late ? "quirk record_latency 80000" : "quirk record_latency 0");
		pcmodel_run(g.m, 20 * FULL);
		poll();
	}
	fault = g.gpu.dom[DOM].unit.fault;
	assert_true(!fault || fault == PCOUNTER_FAULT_SATURATED);
	end_counts(&grp);
	return !fault;
}

/* Reads become fast again. */
static bool reads_recover(unsigned int late)
{
	u32 val;

	gpu_new("g84");
	lies((struct lie){ .addr = NV_PMC_BOOT_0, .late = late, .ns = SLOW_NS });
	for (unsigned int i = 0; i <= MOST && lie.left; i++)
		pcounter_rd32(&g.io, NV_PMC_BOOT_0);
	val = pcounter_rd32(&g.io, NV_PMC_BOOT_0);
	gpu_free();
	return val != PCOUNTER_DEAD;
}

static const struct {
	const char *name;
	bool (*taken)(unsigned int late);
	unsigned int late;
} answers[] = {
	{ "the end of a period", period_ends, 5 },
	{ "a base", base_answers, 2 },
	{ "a mux", mux_holds, 5 },
	{ "a flush", flush_ends, 5 },
	{ "a requested packet", packet_lands, 8 },
	{ "full counters", counters_recover, 2 },
	{ "slow reads", reads_recover, 3 },
};

TEST(test_answers)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(answers); i++) {
		answer = answers[i].name;
		if (!answers[i].taken(0) || !answers[i].taken(answers[i].late))
			fail_msg("%s: a late answer is not taken", answer);
		if (answers[i].taken(NEVER))
			fail_msg("%s: an answer that never came", answer);
	}
}

int main(void)
{
	return unit_run(NULL, NULL);
}
