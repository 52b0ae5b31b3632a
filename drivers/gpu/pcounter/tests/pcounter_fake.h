/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware model as a register backend for KUnit, and helpers for the
 * suites. Time stands still unless a test runs the model.
 */
#ifndef _PCOUNTER_FAKE_H
#define _PCOUNTER_FAKE_H

#include <kunit/test.h>

#include "pcmodel.h"
#include "count/gpu.h"
#include "hw/io.h"

struct pcounter_pmu;

/**
 * struct pcounter_fake - a GPU for tests
 * @io: the driver's access to the registers
 * @model: the hardware
 * @step: reference cycles that pass before each register access
 * @gpu: the engine, for tests below perf
 */
struct pcounter_fake {
	struct pcounter_io io;
	struct pcmodel *model;
	u32 step;
	struct pcounter_gpu gpu;
};

/**
 * struct pcounter_fake_chip - parameter of a suite
 * @chipset: the chip to model
 * @name: the chip's name in the name of the test
 */
struct pcounter_fake_chip {
	u32 chipset;
	const char *name;
};

/* Return the address of a register of a domain, on chips with the layout of NV40. */
static inline u32 fake_reg(unsigned int reg, unsigned int dom)
{
	return pcounter_reg_addr(pcounter_gen_find(pcounter_chip_find(0x40)), reg, dom);
}

/* The name of a test's chip, for KUNIT_ARRAY_PARAM(). */
static inline void pcounter_fake_describe(const struct pcounter_fake_chip *chip, char *desc)
{
	strscpy(desc, chip->name, KUNIT_PARAM_DESC_SIZE);
}

struct pcounter_fake *pcounter_fake_create_chip(struct kunit *test, u32 chipset);
void pcounter_fake_dma(struct kunit *test, struct device *dev);
void pcounter_fake_command(struct kunit *test, const char *line);
u64 pcounter_fake_count(struct kunit *test, unsigned int dom, unsigned int sig,
			u64 from, u64 to);

void pcounter_fake_lock_runqueue(struct pcounter_pmu *ppmu);

#endif
