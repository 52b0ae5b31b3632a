// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI function: configuration space and the 16 MiB of registers behind
 * BAR 0.
 */
#include <errno.h>
#include <linux/kernel.h>
#include <linux/pci_regs.h>
#include <string.h>
#include <unistd.h>

#include "vgpu.h"

#define VENDOR_NVIDIA		0x10de
#define BAR0_SIZE		(16u << 20)
/* The only capability: power management, D0 and D3hot, with a reset in between. */
#define PM_CAP			0x60
#define PM_CTRL			(PM_CAP + PCI_PM_CTRL)
#define COMMAND_RW		(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | \
				 PCI_COMMAND_PARITY | PCI_COMMAND_SERR | \
				 PCI_COMMAND_INTX_DISABLE)

/* A board of each chip, with its ids from the PCI id list. */
static const struct {
	u32 chipset;
	u16 device;
} boards[] = {
	{ 0x40, 0x0041 }, { 0x41, 0x00c1 }, { 0x43, 0x0141 }, { 0x44, 0x0161 },
	{ 0x47, 0x0091 }, { 0x49, 0x0291 }, { 0x4b, 0x0391 }, { 0x46, 0x01d1 },
	{ 0x50, 0x0191 }, { 0x84, 0x0402 }, { 0x86, 0x0421 }, { 0x92, 0x0611 },
	{ 0x94, 0x0622 }, { 0x96, 0x0640 }, { 0x98, 0x06e4 }, { 0xa0, 0x05e2 },
	{ 0xaa, 0x0844 }, { 0xac, 0x0861 }, { 0xa3, 0x0ca3 }, { 0xa5, 0x0a20 },
	{ 0xa8, 0x0a65 }, { 0xaf, 0x08a0 },
	{ 0x10, 0x0100 }, { 0x15, 0x0150 }, { 0x1f, 0x01f0 }, { 0x20, 0x0200 },
	{ 0x25, 0x0250 }, { 0x28, 0x0281 }, { 0x30, 0x0301 }, { 0x31, 0x0311 },
	{ 0x34, 0x0322 }, { 0x35, 0x0331 }, { 0x36, 0x0342 }, { 0xc0, 0x06c0 },
	{ 0xc4, 0x0e22 }, { 0xc3, 0x0dc4 }, { 0xc1, 0x0de1 }, { 0xc8, 0x1080 },
	{ 0xce, 0x1200 }, { 0xcf, 0x1244 }, { 0xd9, 0x1040 }, { 0xd7, 0x1140 },
	{ 0xe4, 0x1180 }, { 0xe6, 0x11c0 }, { 0xe7, 0x0fc6 }, { 0xf0, 0x1004 },
	{ 0x108, 0x1287 },
};

static u32 config_get(const struct vgpu *gpu, u32 offset, unsigned int len)
{
	u32 val = 0;

	memcpy(&val, gpu->config + offset, len);
	return val;
}

static void config_set(struct vgpu *gpu, u32 offset, u32 val, unsigned int len)
{
	memcpy(gpu->config + offset, &val, len);
}

/**
 * pci_init() - fill in the configuration space of the GPU's chip
 * @gpu:	the GPU
 *
 * Return: 0, or -ENODEV for a chip without a known board.
 */
int pci_init(struct vgpu *gpu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boards); i++)
		if (boards[i].chipset == gpu->chipset)
			break;
	if (i == ARRAY_SIZE(boards))
		return -ENODEV;

	gpu->device_id = boards[i].device;
	config_set(gpu, PCI_VENDOR_ID, VENDOR_NVIDIA, 2);
	config_set(gpu, PCI_DEVICE_ID, gpu->device_id, 2);
	config_set(gpu, PCI_REVISION_ID, 0xa1, 1);
	config_set(gpu, PCI_CLASS_DEVICE, 0x0300, 2);
	config_set(gpu, PCI_SUBSYSTEM_VENDOR_ID, VENDOR_NVIDIA, 2);
	config_set(gpu, PCI_SUBSYSTEM_ID, gpu->device_id, 2);
	/* the interrupt pin stays 0: PCOUNTER has no interrupt */
	config_set(gpu, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	config_set(gpu, PCI_CAPABILITY_LIST, PM_CAP, 1);
	config_set(gpu, PM_CAP, PCI_CAP_ID_PM, 1);
	config_set(gpu, PM_CAP + PCI_PM_PMC, 3, 2);
	pci_reset(gpu);
	return 0;
}

/**
 * pci_reset() - reset the PCI function
 * @gpu:	the GPU
 *
 * The model keeps its registers: a firmware's reset before the guest's kernel
 * must not undo a scenario's settings.
 */
void pci_reset(struct vgpu *gpu)
{
	config_set(gpu, PCI_COMMAND, 0, 2);
	config_set(gpu, PCI_BASE_ADDRESS_0, 0, 4);
	config_set(gpu, PCI_INTERRUPT_LINE, 0, 1);
	config_set(gpu, PM_CTRL, 0, 2);
}

static bool pci_asleep(const struct vgpu *gpu)
{
	return config_get(gpu, PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK;
}

/* A GPU that wakes up has lost its state. */
static void pci_power(struct vgpu *gpu, bool slept)
{
	bool asleep = pci_asleep(gpu);

	if (asleep && !slept)
		gpu->lint.sleeps++;
	if (!asleep && slept) {
		clock_follow(gpu, CLOCK_TICK_NS, 0);
		pcmodel_reset(gpu->model);
	}
}

/* Return the bits of the 32-bit word at offset that software may change. */
static u32 config_mask(u32 offset)
{
	switch (offset) {
	case PCI_COMMAND:
		return COMMAND_RW;
	case PCI_BASE_ADDRESS_0:
		return ~(BAR0_SIZE - 1);
	case PCI_INTERRUPT_LINE:
		return 0xff;
	case PM_CTRL:
		return PCI_PM_CTRL_STATE_MASK;
	default:
		return 0;
	}
}

/**
 * pci_config_read() - answer a read of the configuration space
 * @gpu:	the GPU
 * @offset: offset in the configuration space
 * @len:	1, 2 or 4 bytes
 *
 * Return: the value; all ones beyond the configuration space.
 */
u32 pci_config_read(struct vgpu *gpu, u32 offset, unsigned int len)
{
	if (len > 4 || offset > PCI_CONFIG_SIZE - len)
		return ~0u;
	return config_get(gpu, offset, len);
}

/**
 * pci_config_write() - write to the configuration space
 * @gpu:	the GPU
 * @offset: offset in the configuration space
 * @val: value
 * @len:	1, 2 or 4 bytes
 */
void pci_config_write(struct vgpu *gpu, u32 offset, u32 val, unsigned int len)
{
	bool slept = pci_asleep(gpu);
	unsigned int i;

	if (len > 4 || offset > PCI_CONFIG_SIZE - len)
		return;

	for (i = 0; i < len; i++, offset++) {
		u8 mask = config_mask(offset & ~3) >> (offset & 3) * 8;

		gpu->config[offset] &= ~mask;
		gpu->config[offset] |= val >> i * 8 & mask;
	}
	pci_power(gpu, slept);
}

/**
 * pci_is_master() - check if the function may do DMA
 * @gpu:	the GPU
 *
 * Return: true if the guest has set the bus-master bit.
 */
bool pci_is_master(const struct vgpu *gpu)
{
	return config_get(gpu, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}

/* Return the BAR 0 offset of a guest-physical address; false if the GPU does not answer. */
static bool bar_decode(struct vgpu *gpu, u64 addr, unsigned int size, u32 *offset)
{
	u64 base = config_get(gpu, PCI_BASE_ADDRESS_0, 4);

	if (!(config_get(gpu, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY)) {
		gpu->lint.undecoded++;
		return false;
	}
	if (pci_asleep(gpu)) {
		gpu->lint.asleep++;
		return false;
	}
	if (addr < base || addr - base > BAR0_SIZE - size) {
		gpu->lint.outside++;
		return false;
	}
	*offset = addr - base;
	return true;
}

/**
 * pci_bar_read() - read from BAR 0
 * @gpu:	the GPU
 * @addr:	guest-physical address
 * @size:	bytes
 *
 * Return: the value; all ones if nothing answers.
 */
u64 pci_bar_read(struct vgpu *gpu, u64 addr, unsigned int size)
{
	u32 offset;

	if (size > 4 || !bar_decode(gpu, addr, size, &offset))
		return ~0ULL;

	clock_access(gpu);
	if (gpu->slow_us)
		usleep(gpu->slow_us);
	if (size == 4 && !(offset & 3))
		return pcmodel_rd32(gpu->model, offset);

	/* a narrow read gets its bytes of the register */
	gpu->lint.narrow++;
	return pcmodel_rd32(gpu->model, offset & ~3) >> (offset & 3) * 8;
}

/**
 * pci_bar_write() - write to BAR 0
 * @gpu:	the GPU
 * @addr:	guest-physical address
 * @val:	value
 * @size:	bytes
 */
void pci_bar_write(struct vgpu *gpu, u64 addr, u64 val, unsigned int size)
{
	u32 offset;

	if (!bar_decode(gpu, addr, size, &offset))
		return;

	/* the documents do not define a narrow write: it has no effect here */
	if (size != 4 || offset & 3) {
		gpu->lint.narrow++;
		return;
	}
	clock_access(gpu);
	pcmodel_wr32(gpu->model, offset, val);
}
