// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hardware model as a register backend for KUnit.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "pcounter_fake.h"

static struct pcounter_fake *to_fake(struct pcounter_io *io)
{
	return container_of(io, struct pcounter_fake, io);
}

static u32 fake_rd32(struct pcounter_io *io, u32 addr)
{
	struct pcounter_fake *fake = to_fake(io);

	if (fake->step)
		pcmodel_run(fake->model, fake->step);
	return pcmodel_rd32(fake->model, addr);
}

static void fake_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	struct pcounter_fake *fake = to_fake(io);

	if (fake->step)
		pcmodel_run(fake->model, fake->step);
	pcmodel_wr32(fake->model, addr, val);
}

static const struct pcounter_io_ops fake_ops = {
	.rd32 = fake_rd32,
	.wr32 = fake_wr32,
};

/* The model's DMA: coherent memory behind no IOMMU. */
static void *fake_memory(void *ctx, u64 addr, size_t len)
{
	phys_addr_t phys = dma_to_phys(ctx, addr);

	if (!pfn_valid(PHYS_PFN(phys)) || offset_in_page(phys) + len > PAGE_SIZE)
		return NULL;
	return phys_to_virt(phys);
}

static int fake_dma_read(void *ctx, u64 addr, void *buf, size_t len)
{
	void *from = fake_memory(ctx, addr, len);

	if (from)
		memcpy(buf, from, len);
	return from ? 0 : -EFAULT;
}

static int fake_dma_write(void *ctx, u64 addr, const void *buf, size_t len)
{
	void *to = fake_memory(ctx, addr, len);

	if (to)
		memcpy(to, buf, len);
	return to ? 0 : -EFAULT;
}

static int fake_dma(struct pcounter_io *io, bool on)
{
	return on ? dma_set_mask_and_coherent(io->dev, DMA_BIT_MASK(40)) : 0;
}

static const struct pcounter_io_ops fake_dma_ops = {
	.rd32 = fake_rd32,
	.wr32 = fake_wr32,
	.dma = fake_dma,
};

/**
 * pcounter_fake_dma() - enable the GPU's access to memory
 * @test: the test
 * @dev: the device that represents the card
 */
void pcounter_fake_dma(struct kunit *test, struct device *dev)
{
	struct pcounter_fake *fake = test->priv;
	const struct pcmodel_bus bus = {
		.read = fake_dma_read, .write = fake_dma_write, .ctx = dev,
	};

	dev->dma_mask = &dev->coherent_dma_mask;
	pcmodel_set_bus(fake->model, &bus);
	fake->model->dma.audit = true;
	fake->io.ops = &fake_dma_ops;
	fake->io.dev = dev;
}

static void fake_free_model(void *model)
{
	kvfree(model);
}

static void fake_free_gpu(void *gpu)
{
	pcounter_gpu_free(gpu);
}

/**
 * pcounter_fake_create_chip() - create a GPU
 * @test: the test
 * @chipset: chipset id
 *
 * Return: the GPU, freed with the test; the test's commands now go to it.
 */
struct pcounter_fake *pcounter_fake_create_chip(struct kunit *test, u32 chipset)
{
	const struct pcounter_chip *chip = pcounter_chip_find(chipset);
	struct pcounter_fake *fake;

	KUNIT_ASSERT_NOT_NULL(test, chip);
	fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->model = kvzalloc(sizeof(*fake->model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake->model);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, fake_free_model,
							   fake->model));
	KUNIT_ASSERT_EQ(test, 0, pcmodel_init(fake->model, chipset));
	fake->io.ops = &fake_ops;
	KUNIT_ASSERT_EQ(test, 0, pcounter_gpu_init(&fake->gpu, chip,
						   pcounter_gen_find(chip),
						   &fake->io));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, fake_free_gpu,
							   &fake->gpu));
	test->priv = fake;
	return fake;
}

/**
 * pcounter_fake_command() - give the model a line of a scenario
 * @test: the test
 * @line: a line of the scenario language
 */
void pcounter_fake_command(struct kunit *test, const char *line)
{
	struct pcounter_fake *fake = test->priv;
	char reply[80];

	KUNIT_ASSERT_EQ_MSG(test, 0, pcmodel_command(fake->model, line, reply,
						     sizeof(reply)),
			    "%s: %s", line, reply);
}

/**
 * pcounter_fake_count() - get the expected count of a signal
 * @test: the test
 * @dom: domain
 * @sig: signal
 * @from: first cycle, of the domain's clock
 * @to: cycle after the last
 *
 * Return: number of cycles at 1.
 */
u64 pcounter_fake_count(struct kunit *test, unsigned int dom, unsigned int sig,
			u64 from, u64 to)
{
	struct pcounter_fake *fake = test->priv;
	char line[80], reply[80];
	u64 count;

	snprintf(line, sizeof(line), "count %u %u %llu %llu", dom, sig, from, to);
	KUNIT_ASSERT_EQ(test, 0, pcmodel_command(fake->model, line, reply,
						 sizeof(reply)));
	KUNIT_ASSERT_EQ(test, 0, kstrtoull(strim(reply), 0, &count));
	return count;
}
