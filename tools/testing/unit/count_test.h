/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver below perf - domains, layouts, placement - on the model, for
 * tests that count.
 */
#ifndef _COUNT_TEST_H
#define _COUNT_TEST_H

#include "scenario_test.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "count/gpu.h"
#include "record/record.h"
#include "hw/io.h"
#include "hw/registers.h"
#include "hw/regs.h"

/* One chip of every bucket, and the domain for its signals. */
static const struct bucket {
	const char *name;
	unsigned int dom;	/* index of a domain with plenty of signals */
} buckets[] = {
	{ "nv10", 0 }, { "nv15", 0 }, { "nv20", 0 }, { "nv30", 0 },
	{ "nv40", 1 }, { "g80", 1 }, { "g84", 1 }, { "g92", 1 },
	{ "gt215", 1 }, { "gf100", 8 }, { "gk104", 6 },
};

#define BUCKETS_END	(buckets + ARRAY_SIZE(buckets))

struct gpu {
	struct pcounter_io io;
	struct pcmodel *m;
	unsigned int step;	/* cycles that pass before each access */
	u64 reads;
	struct pcounter_gpu gpu;
};

static struct gpu g;

static inline u32 gpu_rd32(struct pcounter_io *io, u32 addr)
{
	g.reads++;
	pcmodel_run(g.m, g.step);
	return pcmodel_rd32(g.m, addr);
}

static inline void gpu_wr32(struct pcounter_io *io, u32 addr, u32 val)
{
	pcmodel_run(g.m, g.step);
	pcmodel_wr32(g.m, addr, val);
}

/* Forbid or permit access for the address sanitizer. */
static inline void model_open(struct pcmodel *m, bool open)
{
#ifdef __SANITIZE_ADDRESS__
	if (open)
		__asan_unpoison_memory_region(m, sizeof(*m));
	else
		__asan_poison_memory_region(m, sizeof(*m));
#endif
}

/*
 * Reuse one model's memory: megabytes of new pages for each GPU took most of the time of
 * the tests with thousands of GPUs.
 */
static inline struct pcmodel *model_new(void)
{
	static struct pcmodel *only;

	only = only ?: malloc(sizeof(*only));
	assert_non_null(only);
	model_open(only, true);
	return only;
}

/* Make a GPU; return true. */
static inline bool gpu_new(const char *name)
{
	static const struct pcounter_io_ops ops = {
		.rd32 = gpu_rd32, .wr32 = gpu_wr32,
	};
	u32 chipset = pcmodel_find_chip(name);
	const struct pcounter_chip *chip = pcounter_chip_find(chipset);

	memset(&g, 0, sizeof(g));
	g.io.ops = &ops;
	g.m = model_new();
	assert_int_equal(pcmodel_init(g.m, chipset), 0);
	assert_int_equal(pcounter_gpu_init(&g.gpu, chip, pcounter_gen_find(chip),
					   &g.io), 0);
	assert_int_equal(pcounter_record_setup(&g.gpu), 0);
	return true;
}

/* Flip the byte order of the registers, as the owner of the GPU can (hw:chips/id). */
static inline void gpu_flip(void)
{
	pcmodel_wr32(g.m, 4, 0x01000001);
	g.io.swapped = pcmodel_rd32(g.m, NV_PMC_BOOT_1) == NV_PMC_BOOT_1_BIG_ENDIAN;
}

static inline void gpu_free(void)
{
	free(g.gpu.record);
	pcounter_gpu_free(&g.gpu);
	model_open(g.m, false);
}

/* Free the GPU of a bucket, if any, and make one of the next; return false after the last. */
static inline bool next_bucket(const struct bucket **b)
{
	if (*b)
		gpu_free();
	*b = *b ? *b + 1 : buckets;
	return *b < BUCKETS_END && gpu_new((*b)->name);
}

__attribute((format(printf, 1, 2)))
static inline void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(g.m, fmt, args);
	va_end(args);
}

/* Return a register of a bucket's domain; test_layouts has them all by their numbers. */
static inline u32 reg_of(const struct bucket *b, unsigned int reg)
{
	return pcounter_reg_addr(g.gpu.gen, reg, g.gpu.topo.dom[b->dom].block);
}

/* A group of requests on one domain, like the events of a group. */
struct group {
	unsigned int n;
	struct pcounter_request req[PCOUNTER_MAX_REQUESTS];
	int user[PCOUNTER_MAX_REQUESTS];
};

/* Return the member of a group with a role, NULL if there is none. */
static inline const struct pcounter_request *by_role(const struct group *grp,
						     enum pcounter_role role)
{
	for (unsigned int i = 0; i < grp->n; i++)
		if (grp->req[i].role == role)
			return &grp->req[i];
	return NULL;
}

/* Check the muxes of all members, as at the opening of events. */
static inline void group_muxes(struct group *grp)
{
	const char *why;

	for (unsigned int i = 0; i < grp->n; i++)
		if (grp->req[i].mux[0].id &&
		    pcounter_mux_check(&grp->req[i], &g.gpu.topo.dom[grp->req[i].dom],
				       g.gpu.chip, &why))
			fail_msg("mux %u: %s", grp->req[i].mux[0].id, why);
}

static inline bool group_settle(struct group *grp, u64 process)
{
	struct pcounter_settings set = {};

	for (unsigned int i = 0; i < grp->n; i++)
		if (pcounter_settings_merge(&set, &grp->req[i].set))
			return false;
	group_muxes(grp);
	for (unsigned int i = 0; i < grp->n; i++)
		pcounter_request_apply(&grp->req[i], &set, process);
	return true;
}

static inline void group_del(struct group *grp, unsigned int n)
{
	while (n--)
		pcounter_client_del(&g.gpu, &g.gpu.dom[grp->req[n].dom].client[grp->user[n]]);
}

/* Add requests like perf: all or none, then the commit. */
static inline bool group_start(struct group *grp)
{
	g.gpu.snapshot++;
	group_muxes(grp);
	for (unsigned int i = 0; i < grp->n; i++) {
		pcounter_domain_get(&g.gpu, &grp->req[i]);
		grp->user[i] = pcounter_domain_add(&g.gpu, &grp->req[i]);
		if (grp->user[i] >= 0)
			continue;
		group_del(grp, i);
		goto refused;
	}
	if (pcounter_gpu_end_group(&g.gpu)) {
		pcounter_gpu_commit(&g.gpu);
		return true;
	}
	group_del(grp, grp->n);
refused:
	for (unsigned int i = 0; i < grp->n && grp->user[i] >= 0; i++)
		pcounter_domain_put(&g.gpu, &grp->req[i]);
	for (unsigned int i = 0; i < grp->n; i++)
		if (grp->user[i] < 0) {
			pcounter_domain_put(&g.gpu, &grp->req[i]);
			break;
		}
	pcounter_gpu_commit(&g.gpu);
	return false;
}

/* Let a group count, which must be possible. */
static inline void group_begin(struct group *grp, u64 process)
{
	assert_true(group_settle(grp, process));
	assert_true(group_start(grp));
}

static inline void group_stop(struct group *grp)
{
	g.gpu.snapshot++;
	group_del(grp, grp->n);
	pcounter_gpu_commit(&g.gpu);
	for (unsigned int i = 0; i < grp->n; i++)
		pcounter_domain_put(&g.gpu, &grp->req[i]);
}

static inline u64 group_value(struct group *grp, unsigned int i)
{
	const struct pcounter_domain *d = &g.gpu.dom[grp->req[i].dom];

	pcounter_domain_sync(&g.gpu.dom[grp->req[i].dom]);
	if (d->unit.fault)
		fail_msg("%s: domain %u: %s", g.gpu.chip->name, grp->req[i].dom,
			 pcounter_fault_text[d->unit.fault]);
	return d->client[grp->user[i]].total;
}

static inline void group_read_once(struct group *grp, u64 *val)
{
	g.gpu.snapshot++;
	for (unsigned int i = 0; i < grp->n; i++)
		val[i] = group_value(grp, i);
}

/*
 * Read the counts up to this clock. A swap by a pulse takes effect in the next clock:
 * return the number of passed clocks.
 */
static inline unsigned int group_read(struct group *grp, u64 *val)
{
	group_read_once(grp, val);
	if (!(g.gpu.gen->caps & PCOUNTER_CAP_SETS))
		return 0;
	pcmodel_run(g.m, 1);
	group_read_once(grp, val);
	return 1;
}

/* Once periods are in step, let the counts grow for some clocks; @grown gets by how much. */
static inline void group_grow(struct group *grp, unsigned int clocks, u64 *grown)
{
	u64 was[PCOUNTER_MAX_REQUESTS];

	pcmodel_run(g.m, 20);
	pcmodel_run(g.m, clocks - group_read(grp, was));
	group_read(grp, grown);
	for (unsigned int i = 0; i < grp->n; i++)
		grown[i] -= was[i];
}

static inline struct pcounter_request ask(unsigned int dom, enum pcounter_role role,
					  unsigned int sig)
{
	return (struct pcounter_request){
		.dom = dom, .role = role,
		.in = { .sig = { sig }, .op = PCOUNTER_OP_SOURCE_0 },
	};
}

static inline struct pcounter_request ask_clk(unsigned int dom)
{
	return ask(dom, PCOUNTER_ROLE_CLK, 0);
}

/* Return a group of a request and the clock of its domain. */
static inline struct group with_clk(struct pcounter_request req)
{
	return (struct group){ .n = 2, .req = { req, ask_clk(req.dom) } };
}

static inline bool has(u32 caps)
{
	return !(caps & ~g.gpu.gen->caps);
}

#endif
