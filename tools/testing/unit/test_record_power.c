// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode on a GPU that sleeps, is reset, or is switched off.
 */
#include "hw/regs.h"
#include "record_test.h"

/*
 * A GPU with runtime power management: references that keep it awake, and accesses while
 * it sleeps.
 */
static struct {
	bool awake;
	int kept;
	unsigned int touched;
} power;

static u32 power_rd32(struct pcounter_io *io, u32 addr)
{
	power.touched += !power.awake;
	return power.awake ? gpu_rd32(io, addr) : ~0u;
}

static void power_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	power.touched += !power.awake;
	if (power.awake)
		gpu_wr32(io, addr, val);
}

static bool power_awake(struct pcounter_io *io)
{
	return power.awake;
}

static int power_dma(struct pcounter_io *io, bool on)
{
	if (on && !power.awake)
		return -EAGAIN;
	power.kept += on ? 1 : -1;
	return dma_switch(io, on);
}

static const struct pcounter_io_ops power_ops = {
	.rd32 = power_rd32, .wr32 = power_wr32, .awake = power_awake,
	.dma = power_dma,
};

static void begin_power(const char *chip)
{
	begin(chip);
	memset(&power, 0, sizeof(power));
	power.awake = true;
	g.io.ops = &power_ops;
}

static void end_power(void)
{
	assert_int_equal(power.kept, 0);
	assert_int_equal(power.touched, 0);
	end();
}

/* A stream keeps the GPU awake, and does not wake a sleeping one after its end. */
TEST(test_kept_awake)
{
	struct group grp;
	unsigned int i;
	u64 from;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		begin_power(chips[i]);
		power.awake = false;
		assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EAGAIN);
		assert_int_equal(g.m->reads + g.m->writes, 0);
		assert_int_equal(blocks(), 0);
		power.awake = true;
		from = begin_counts(&grp, 3, 1, false);
		assert_int_equal(power.kept, 1);
		assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM + 1]), 0);
		assert_int_equal(power.kept, 1);
		pcmodel_run(g.m, 10000);
		poll();
		assert_in_range(check(&grp, from), 9 * 1024, 10000);
		stop(&grp);
		assert_int_equal(power.kept, 1);
		pcounter_record_put(&g.gpu.dom[DOM + 1]);
		end_power();
	}
}

static u64 total(const struct group *grp, unsigned int i)
{
	return g.gpu.dom[DOM].client[grp->user[i]].total;
}

/* Errors during setup drop the reference. */
TEST(test_not_kept)
{
	begin_power("g92");
	say("quirk flush_busy 0xffffffff");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	end_power();
	begin_power("g92");
	say("vm pd_offset 0x12340000");
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	end_power();
}

/* After @lose the domain has stopped, and a close repairs it. */
static void loses(const char *chip, void (*lose)(void))
{
	struct group grp;
	u64 from, lost;

	begin_power(chip);
	pcmodel_wr32(g.m, NV40_GCTRL,
		     pcmodel_rd32(g.m, NV40_GCTRL) | NV40_GCTRL_RECORD_RESET);
	from = begin_counts(&grp, 3, 1, false);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM + 1]), 0);
	pcmodel_run(g.m, 10240);
	lose();
	pcmodel_run(g.m, 10240);
	poll();
	/* the position alone does not show a restart, registers do */
	pcounter_gpu_poll(&g.gpu);
	pcounter_gpu_poll(&g.gpu);
	assert_int_equal(g.gpu.dom[DOM].unit.fault, PCOUNTER_FAULT_RECORD_LOST);
	assert_int_equal(g.gpu.dom[DOM + 1].unit.fault, PCOUNTER_FAULT_RECORD_LOST);
	assert_true(pcounter_gpu_take_resched(&g.gpu, PCOUNTER_WANT_CHECK));
	lost = total(&grp, 3);
	assert_in_range(lost, 9 * 1024, 10240);
	assert_int_equal(total(&grp, 0), scripted(FIRST, from, from + lost));
	assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM + 2]), -EIO);
	stop(&grp);
	/* the leaked channel is still bound */
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	pcounter_record_put(&g.gpu.dom[DOM + 1]);
	pcounter_domain_get(&g.gpu, &(struct pcounter_request){ .dom = DOM + 1 });
	pcounter_domain_put(&g.gpu, &(struct pcounter_request){ .dom = DOM + 1 });
	assert_int_equal(power.kept, 0);
	assert_int_equal(blocks(), 0);
	/* the reset has ended what was there before the driver */
	assert_false(pcmodel_rd32(g.m, NV40_GCTRL) & NV40_GCTRL_RECORD_RESET);
	from = begin_counts(&grp, 3, 1, false);
	pcmodel_run(g.m, 10240);
	assert_in_range(check(&grp, from), 9 * 1024, 10240);
	stop(&grp);
	end_power();
}

static void lose_silently(void)
{
	say("reset");
}

static void lose_openly(void)
{
	say("reset");
	g.io.losses++;
}

static void lose_asleep(void)
{
	power.awake = false;
	pcounter_gpu_poll(&g.gpu);
	assert_true(g.gpu.asleep);
	say("reset");
	power.awake = true;
}

TEST(test_reset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		loses(chips[i], lose_silently);
		loses(chips[i], lose_openly);
		loses(chips[i], lose_asleep);
	}
}

/* Close while the GPU is switched off: late writes are possible, so the memory leaks. */
TEST(test_closed_asleep)
{
	struct group grp;
	unsigned int i;

	begin_power("g92");
	begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 10240);
	power.awake = false;
	stop(&grp);
	assert_int_equal(power.kept, 0);
	assert_int_equal(power.touched, 0);
	assert_int_not_equal(blocks(), 0);
	power.awake = true;
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EIO);
	for (i = 0; i < SHIM_DMA_BLOCKS; i++)
		if (shim_dma[i].size)
			dma_free_coherent(NULL, 0, shim_dma[i].cpu, shim_dma_address(i));
	gpu_free();
}

TEST(test_system_sleep)
{
	struct group grp;
	u64 from;

	begin_power("gt215");
	from = begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 12345);
	pcounter_record_stop_all(&g.gpu, -EAGAIN);
	assert_int_equal(blocks(), 0);
	assert_int_equal(power.kept, 0);
	assert_false(dma_on);
	assert_int_equal(g.gpu.dom[DOM].unit.fault, PCOUNTER_FAULT_RECORD_LOST);
	assert_in_range(total(&grp, 2), 11 * 1024, 12346);
	assert_int_equal(total(&grp, 0), scripted(FIRST, from, from + total(&grp, 2)));
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), -EAGAIN);
	pcounter_record_allow(&g.gpu);
	assert_int_equal(pcounter_record_get(&g.gpu.dom[DOM]), 0);
	assert_int_equal(pcounter_domain_add(&g.gpu, &grp.req[0]), -EIO);
	pcounter_record_put(&g.gpu.dom[DOM]);
	stop(&grp);
	from = begin_counts(&grp, 2, 1, false);
	pcmodel_run(g.m, 12345);
	assert_in_range(check(&grp, from), 11 * 1024, 12346);
	stop(&grp);
	end_power();
}

int main(void)
{
	return unit_run(NULL, NULL);
}
