/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shorthands for the model's tests. Register offsets come from the document
 * (hw:registers/nv40), deliberately not from a header.
 */
#ifndef _MODEL_TEST_H
#define _MODEL_TEST_H

#include "scenario_test.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW		0xa000
#define PRE_SRC		0x400
#define PRE_OP		0x420
#define START_SRC	0x440
#define START_OP	0x460
#define EVENT_SRC	0x480
#define EVENT_OP	0x4a0
#define STOP_SRC	0x4c0
#define STOP_OP		0x4e0
#define SETFLAG_OP	0x500
#define CLRFLAG_OP	0x520
#define SRC_STATUS	0x540
#define SPEC_SRC	0x560
#define USER_TRIGGER	0x580
#define CTR_CYCLES	0x600
#define CTR_EVENT	0x680
#define CTR_START	0x6c0
#define CTR_PRE		0x700
#define CTR_STOP	0x740
#define THRESHOLD	0x780
#define GCTRL		0x7a8
#define CTRL		0x7c0
#define QUAD_ACK	0x7e0
#define SIG_STATUS	0x800
#define DEBUG_1		0x400084

#define SINGLE		0
#define QUAD		1
#define EMPTY		0
#define VALID		1
#define OVERFLOWED	3
#define SOURCE_0	0xaaaa
#define ALWAYS		0xffff

static struct pcmodel *m;

static inline void wr(unsigned int reg, unsigned int dom, uint32_t val)
{
	pcmodel_wr32(m, WINDOW + reg + dom * 4, val);
}

static inline uint32_t rd(unsigned int reg, unsigned int dom)
{
	return pcmodel_rd32(m, WINDOW + reg + dom * 4);
}

static inline void chip(uint32_t chipset)
{
	assert_int_equal(pcmodel_init(m, chipset), 0);
}

__attribute((format(printf, 1, 2)))
static inline void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	tell(m, fmt, args);
	va_end(args);
}

static inline void trigger(void)
{
	pcmodel_wr32(m, DEBUG_1, pcmodel_rd32(m, DEBUG_1) | 0x20);
}

static inline unsigned int quad_state(unsigned int dom)
{
	return rd(CTRL, dom) >> 24 & 3;
}

static inline unsigned int single_state(unsigned int dom)
{
	return rd(CTRL, dom) >> 28 & 3;
}

static inline unsigned int sig_level(unsigned int dom, unsigned int sig)
{
	return pcmodel_rd32(m, WINDOW + SIG_STATUS + dom * 0x20 + sig / 32 * 4) >>
	       (sig % 32) & 1;
}

static inline int new_model(void **state)
{
	m = calloc(1, sizeof(*m));
	return !m;
}

static inline int free_model(void **state)
{
	free(m);
	return 0;
}

#endif
