// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode with its channel structure in video memory.
 */
#include "record_test.h"
#include "count/mode.h"

#define PRAMIN_BASE	0x001700
#define PRAMIN		0x700000
#define VRAM_SIZE	0x10020c
#define WORDS		0x2000
#define SOMEWHERE	0x01000123

static u32 found[WORDS];

static u32 rd(u32 addr)
{
	return pcmodel_rd32(g.m, addr);
}

/* 32 KiB of what the last 2 MiB of video memory begin with */
static void look(u32 words[WORDS])
{
	u32 base = rd(PRAMIN_BASE), size = rd(VRAM_SIZE);
	unsigned int i;

	pcmodel_wr32(g.m, PRAMIN_BASE, (size - 0x200000) >> 16);
	for (i = 0; i < WORDS; i++)
		words[i] = rd(PRAMIN + i * 4);
	pcmodel_wr32(g.m, PRAMIN_BASE, base);
}

static void begin_vram(const char *chip)
{
	begin(chip);
	pcounter_record_params.vram = true;
	pcmodel_wr32(g.m, PRAMIN_BASE, SOMEWHERE);
	look(found);
}

static void end_vram(void)
{
	static u32 after[WORDS];

	look(after);
	assert_memory_equal(after, found, sizeof(found));
	assert_int_equal(rd(PRAMIN_BASE), SOMEWHERE);
	assert_int_equal(g.m->dma.unflushed, 0);
	assert_int_equal(g.m->dma.full, 0);
	end();
}

/* Right counts on a GPU that takes no channel from system memory; two domains. */
static void test_counts(void **state)
{
	static u32 during[WORDS];
	struct group grp;
	unsigned int i;
	u64 from;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin_vram(chips[i]);
		say("quirk no_system_channel 1");
		grp = recorded(2, 1, false);
		from = start(&grp);
		assert_int_equal(g.gpu.dom[DOM].fault, 0);
		assert_int_equal(pcounter_record_open(&g.gpu, DOM + 1), 0);
		look(during);
		assert_memory_not_equal(during, found, sizeof(found));
		pcmodel_run(g.m, 123456);
		assert_in_range(check(&grp, from), 100000, 123456);
		pcounter_record_close(&g.gpu, DOM + 1);
		pcmodel_run(g.m, 123456);
		assert_in_range(check(&grp, from), 200000, 246912);
		assert_int_equal(g.gpu.dom[DOM].fault, 0);
		stop(&grp);
		end_vram();
	}
}

/* In system memory such a GPU has a fault, which says so. */
static void test_refusing_gpu(void **state)
{
	struct group grp;

	begin("gt215");
	say("quirk no_system_channel 1");
	grp = recorded(2, 1, false);
	start(&grp);
	pcmodel_run(g.m, 123456);
	poll();
	assert_int_equal(g.gpu.dom[DOM].fault, PCOUNTER_FAULT_RECORD);
	stop(&grp);
	end();
}

/* Too small, unknown, or with nothing behind the window: nothing is changed. */
static void test_no_memory(void **state)
{
	static const char *const size[] = { "vm vram 0", "vm vram 0x800000" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		begin("g92");
		pcounter_record_params.vram = true;
		say(size[i]);
		assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
		end();
	}
	begin_vram("g84");
	say("fault dead 1");
	assert_int_equal(pcounter_record_open(&g.gpu, DOM), -EIO);
	say("fault dead 0");
	end_vram();
}

/* What a reset has cleared is not filled with what was there before. */
static void test_reset(void **state)
{
	static u32 after[WORDS];
	struct group grp;

	begin_vram("g92");
	grp = recorded(2, 1, false);
	start(&grp);
	say("reset");
	look(found);

	g.gpu.record_mode->lost(&g.gpu);

	stop(&grp);
	look(after);
	assert_memory_equal(after, found, sizeof(found));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_refusing_gpu),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests_name("record_vram", tests, NULL, NULL);
}
