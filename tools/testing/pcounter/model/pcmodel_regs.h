/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of the model, and the declarations that its parts share.
 * Written from hw:registers; the driver has its own list.
 */
#ifndef _PCMODEL_REGS_H
#define _PCMODEL_REGS_H

#include <linux/bits.h>

#include "pcmodel.h"

#define REG_BOOT_0		0x000000
#define REG_ENDIAN		0x000004	/* hw:chips/id */
#define   ENDIAN_BIG		0x01000001
#define   ENDIAN_FLIP		BIT(24)
#define   ENDIAN_FROM		0x1a	/* NV1A */
#define REG_PMC_ENABLE		0x000200
#define   PMC_PGRAPH		BIT(12)		/* hw:coexistence/pmc */
#define REG_PTIMER_LOW		0x009400
#define REG_PRAMIN		0x700000	/* hw:memory/cpu */
#define REG_PRAMIN_SIZE		0x100000
#define REG_PTIMER_HIGH		0x009410
#define REG_STRAPS		0x101000
#define REG_DEBUG_1		0x400084
#define   DEBUG_1_PM_TRIGGER	BIT(5)
#define   DEBUG_1_PRESET	0x401287c0	/* hw:coexistence/nouveau */
#define   DEBUG_1_PRESET_NV10	0x00118700	/* hw:coexistence/nouveau, before NV30 */
#define   DEBUG_1_KEEPS_NV10	0xfe11f701	/* stored bits, by family */
#define   DEBUG_1_KEEPS_NV15	0xfe71f701
#define   DEBUG_1_KEEPS_NV20	0x0011f7c1
#define   DEBUG_1_KEEPS_NV30	0x7012f7c1
#define   DEBUG_1_KEEPS_NV40	0x7010c7c1
#define   DEBUG_1_SWAPPED	GENMASK(31, 30)	/* NV10:NV20: exchanged */
#define REG_DEBUG_D		0x40008c	/* before G80 */
#define   DEBUG_D_PM_TRIGGER	BIT(15)		/* method 0x140 is legal */
#define REG_TPCS		0x4008fc	/* G80:GF100: TPCs in its low bits */
#define   TPCS_PRESET		GENMASK(1, 0)
#define REG_WINDOW		0x00a000
#define REG_WINDOW_SIZE		0x1000

/*
 * hw:registers/nv40: registers with one word for each domain, 0x20 bytes apart
 */
enum pcmodel_reg {
	REG_PRE_SRC = 0x400,
	REG_PRE_OP = 0x420,
	REG_START_SRC = 0x440,
	REG_START_OP = 0x460,
	REG_EVENT_SRC = 0x480,
	REG_EVENT_OP = 0x4a0,
	REG_STOP_SRC = 0x4c0,
	REG_STOP_OP = 0x4e0,
	REG_SETFLAG_OP = 0x500,
	REG_CLRFLAG_OP = 0x520,
	REG_SRC_STATUS = 0x540,
	REG_SPEC_SRC = 0x560,
	REG_USER_TRIGGER = 0x580,
	REG_CTR_CYCLES = 0x600,
	REG_CTR_CYCLES_ALT = 0x640,
	REG_CTR_EVENT = 0x680,
	REG_RECORD_ADDRESS_HIGH = 0x6a0,
	REG_CTR_START = 0x6c0,
	REG_RECORD_STATUS = 0x6e0,
	REG_CTR_PRE = 0x700,
	REG_RECORD_LIMIT = 0x720,
	REG_CTR_STOP = 0x740,
	REG_RECORD_START = 0x760,
	REG_THRESHOLD = 0x780,
	REG_GLOBAL = 0x7a0,
	REG_CTRL = 0x7c0,
	REG_QUAD_ACK = 0x7e0,
	REG_SIG_STATUS = 0x800,		/* 0x20 for each domain */
};

#define REG_RECORD_CHAN		0x7a0
#define REG_RECORD_DMA		0x7a4
#define REG_GCTRL		0x7a8
#define   GCTRL_RECORD_RESET	BIT(0)
#define   GCTRL_PERIODIC_RESET	BIT(4)
#define   GCTRL_PGRAPH		BIT(8)
#define   GCTRL_KNOWN		(GCTRL_RECORD_RESET | GCTRL_PERIODIC_RESET)

/*
 * PTIMER counts nanoseconds; the model's reference clock is assumed to be 1
 * MHz. A signal shows this bit of its time.
 */
#define PTIMER_NS	1000
#define PTIMER_BIT	17

#define RECORD_CHAN_VALID	BIT(31)
#define RECORD_CHAN_TARGET	GENMASK(29, 28)
#define RECORD_CHAN_ADDR	GENMASK(27, 0)	/* address >> 12 */
#define RECORD_STATUS_FAULT	BIT(0)
#define RECORD_STATUS_POSITION	GENMASK(31, 4)

#define CTRL_MODE		GENMASK(1, 0)
#define   MODE_SINGLE		0
#define   MODE_QUAD		1
#define   MODE_RECORD		2
#define   MODE_HALTED		3	/* GF100+, in its own coding 0 */
#define CTRL_CTR_MODE		GENMASK(6, 4)
#define   CTR_SIMPLE		0
#define   CTR_EVENT_B4		1
#define   CTR_EVENT_B6		2
#define   CTR_EXTRA_B4		3
#define   CTR_EXTRA_B6_EVENT_B2	4
#define   CTR_NONE		5	/* GK104+: no counter counts its op */
#define   CTR_PRE_B5		6	/* GM107+, seen on GM206 */
#define   CTR_EVENT_OWN_B4	7	/* seen on GM206, GM107+ */
#define CTRL_PERIOD_ALL		BIT(8)
#define CTRL_EVENT_PULSE	BIT(11)
#define CTRL_FLAG_PULSE		BIT(13)
#define CTRL_SHORT		BIT(20)
#define CTRL_PERIODIC		GENMASK(23, 21)
#define CTRL_QUAD_STATE		GENMASK(25, 24)
#define   QUAD_EMPTY		0
#define   QUAD_VALID		1
#define   QUAD_OVERFLOW		3
#define CTRL_FAULT_CLEAR	BIT(27)
#define CTRL_SINGLE_STATE	GENMASK(29, 28)
#define   SINGLE_INACTIVE	0
#define   SINGLE_WAIT_PRE	1
#define   SINGLE_WAIT_START	2
#define   SINGLE_COUNTING	3
#define CTRL_NV40		(CTRL_MODE | CTRL_CTR_MODE | CTRL_PERIOD_ALL | \
				 CTRL_EVENT_PULSE | CTRL_FLAG_PULSE)
#define CTRL_G84		(CTRL_NV40 | CTRL_SHORT | CTRL_PERIODIC)
#define CTRL_READ_ONLY		(CTRL_QUAD_STATE | CTRL_SINGLE_STATE)

/* Values of failed accesses, hw:registers/window */
#define BAD_DISABLED		0xbad0da1c
#define BAD_TARGET		0xbadf3000
#define BAD_ADDRESS		0xbadf1000

/* hw:inputs/op */
#define OP_TABLE		GENMASK(15, 0)
#define OP_DELAY_0		BIT(16)
#define OP_DELAY_1		BIT(17)
#define OP_18			BIT(18)
#define OP_19			BIT(19)
#define OP_20			BIT(20)
#define OP_NV40			GENMASK(17, 0)	/* all inputs except EVENT and STOP */
#define OP_COUNTS_NV40		GENMASK(18, 0)	/* EVENT and STOP */
#define OP_G92			GENMASK(19, 0)
#define OP_COUNTS_G92		GENMASK(20, 0)

/* hw:inputs/user */
#define USER_VALUES		GENMASK(1, 0)
#define USER_PULSES		GENMASK(3, 2)

/* hw:signals/trailers: offsets from the trailer base */
#define TRAILER_ZERO_G84	0x0c
#define TRAILER_PERIODIC	0x0d
#define TRAILER_0E		0x0e	/* ZERO before G84, then WRCACHE_FLUSH */
#define TRAILER_PM_TRIGGER	0x0f
#define TRAILER_EVENT		0x10	/* of domain 7, then down to 0 */
#define TRAILER_FLAG		0x18	/* of domain 7, then down to 0 */
#define TRAILER_SIZE		0x20
#define TRAILER_SIZE_GF100	0x40
#define TRAILER_GF100_PAUSED	0x2c
#define TRAILER_GF100_TRIGGER	0x2d
#define TRAILER_GF100_PERIODIC	0x2e
#define TRAILER_GF100_ZERO	0x2f

enum pcmodel_slot { PRE, START, EVENT, STOP, SETFLAG, CLRFLAG };

#define NO_DOMAIN	PCMODEL_DOMAINS

/* NV10:NV30: counters of 40 bits, and separate sources of flags. */
static inline bool pcmodel_is_wide(const struct pcmodel *m)
{
	return m->chip->variant < PCMODEL_NV30;
}

/* The families with muxes: G80:GF100, and GF100-. */
static inline bool pcmodel_is_tesla(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_G80 && m->chip->variant < PCMODEL_GF100;
}

static inline bool pcmodel_is_gf100(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_GF100;
}

/* G84:GF100 */
static inline bool pcmodel_has_record(const struct pcmodel *m)
{
	return m->chip->variant >= PCMODEL_G84 && m->chip->variant < PCMODEL_GF100;
}

/**
 * struct pcmodel_layout - a register layout
 * @window: BAR0 address of its registers
 * @size: bytes
 * @read: read a register of the window, by its offset
 * @write: write a register of the window, by its offset
 * @reset: set registers whose reset value is not 0, and domain sets
 * @garbage: set the registers of a domain to values of a former user
 */
struct pcmodel_layout {
	u32 window;
	u32 size;
	u32 (*read)(struct pcmodel *m, u32 offset);
	void (*write)(struct pcmodel *m, u32 offset, u32 val);
	void (*reset)(struct pcmodel *m);
	void (*garbage)(struct pcmodel *m, unsigned int dom, u64 *seed);
};

/* In order of dependence: a file uses only files that come before it. */

/* pcmodel_units.c */
bool pcmodel_unit_present(const struct pcmodel *m, bool part, unsigned int unit);
bool pcmodel_unit_read(const struct pcmodel *m, u32 addr, u32 *val);
unsigned int pcmodel_gpc_tpcs(const struct pcmodel *m, unsigned int gpc);
u32 pcmodel_gpc_lost(const struct pcmodel *m, unsigned int gpc);
bool pcmodel_domain_lost(const struct pcmodel *m, unsigned int gpc, unsigned int dom);
void pcmodel_enumerate(struct pcmodel *m);
unsigned int pcmodel_domain_of(const struct pcmodel *m, unsigned int kind,
			       unsigned int unit, unsigned int dom);
unsigned int pcmodel_set_of(const struct pcmodel *m, unsigned int dom);

/* pcmodel_mux.c */
bool pcmodel_mux_read(struct pcmodel *m, u32 addr, u32 *val);
bool pcmodel_mux_write(struct pcmodel *m, u32 addr, u32 val);
const struct pcmodel_muxed *pcmodel_muxed(const struct pcmodel *m,
					  unsigned int dom, unsigned int sig);
bool pcmodel_mux_context(struct pcmodel *m);
bool pcmodel_mux_holds(const struct pcmodel *m, const struct pcmodel_muxed *x);

/* pcmodel_signals.c */
unsigned int pcmodel_source(const struct pcmodel *m, unsigned int dom,
			    unsigned int op, unsigned int source);
unsigned int pcmodel_trailer(const struct pcmodel *m, unsigned int dom);
u32 pcmodel_periodic_mask(const struct pcmodel_domain *d);
bool pcmodel_periodic_held(const struct pcmodel *m, unsigned int dom);
void pcmodel_import_all(struct pcmodel *m, unsigned int dom);
bool pcmodel_level(const struct pcmodel *m, unsigned int dom, unsigned int sig);
u64 pcmodel_word(const struct pcmodel *m, unsigned int dom, unsigned int sig);
bool pcmodel_is_constant(const struct pcmodel *m, unsigned int dom,
			 unsigned int sig);
bool pcmodel_is_driven(const struct pcmodel *m, unsigned int dom, unsigned int sig);
unsigned int pcmodel_output_of(const struct pcmodel *m, unsigned int dom,
			       unsigned int sig);
void pcmodel_note_access(struct pcmodel *m, bool write);
void pcmodel_note_vram(struct pcmodel *m);
void pcmodel_note_run(struct pcmodel *m);

u8 pcmodel_wire_of_output(const struct pcmodel *m, unsigned int dom, unsigned int sig);
bool pcmodel_output_level(const struct pcmodel *m, unsigned int dom, u8 wire);

/* pcmodel_ops.c */

/* A source of an op as a bit. */
#define PCMODEL_NEED(op, source)	BIT((op) * 4 + (source))

/**
 * struct pcmodel_clocks - a domain's levels in up to 64 clocks
 * @src: levels of all sources; bit n is clock n
 * @out: results of the logic ops
 */
struct pcmodel_clocks {
	u64 src[PCMODEL_OPS][4];
	u64 out[PCMODEL_OPS];
};

void pcmodel_eval_words(const struct pcmodel_domain *d, struct pcmodel_clocks *c,
			u64 mask);
void pcmodel_eval_clock(struct pcmodel *m, unsigned int dom, struct pcmodel_clocks *c);
void pcmodel_keep_previous(struct pcmodel_domain *d, const struct pcmodel_clocks *c,
			   unsigned int n);
u32 pcmodel_op_needs(const struct pcmodel_domain *d, unsigned int op);
void pcmodel_forget_ahead(struct pcmodel *m);

/* pcmodel_memory.c */
enum pcmodel_target { VRAM, INVALID, SNOOPED, NOT_SNOOPED };

void pcmodel_memory_read(struct pcmodel *m, u8 target, u64 addr, u8 *buf, size_t len);
void pcmodel_memory_write(struct pcmodel *m, u8 target, u64 addr, const u8 *buf,
			  size_t len);
bool pcmodel_fetch(struct pcmodel *m, u8 target, u64 addr, u8 *buf, size_t len);

static inline u32 pcmodel_get32(const u8 *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (u32)at[3] << 24;
}

static inline void pcmodel_put32(u8 *at, u32 value)
{
	at[0] = value;
	at[1] = value >> 8;
	at[2] = value >> 16;
	at[3] = value >> 24;
}

/* pcmodel_tables.c */

/* The storage type of an address space that leaves it to the page tables. */
#define KIND_FROM_TABLES	0x7f

/**
 * struct pcmodel_tables - the page tables of a family
 * @open: read the DMA object or the instance block of the bound channel
 * @walk: translate a virtual address to a page, and its size
 * @caches_absent: a TLB keeps absent pages
 */
struct pcmodel_tables {
	enum pcmodel_fault (*open)(struct pcmodel *m, struct pcmodel_object *o);
	enum pcmodel_fault (*walk)(struct pcmodel *m, const struct pcmodel_object *o, u64 va,
				   struct pcmodel_leaf *leaf, u8 *shift);
	bool caches_absent;
};

const struct pcmodel_tables *pcmodel_tables(const struct pcmodel *m);

/* pcmodel_vm.c */
void pcmodel_vm_init(struct pcmodel *m);
void pcmodel_vm_bind(struct pcmodel *m, u32 chan, u16 selector);
enum pcmodel_fault pcmodel_vm_write(struct pcmodel *m, unsigned int dom,
				    u64 addr, const u8 *data, size_t len);
bool pcmodel_vm_owns(const struct pcmodel *m, u32 addr);
u32 pcmodel_vm_rd32(struct pcmodel *m, u32 addr);
void pcmodel_vm_wr32(struct pcmodel *m, u32 addr, u32 val);

/* pcmodel_record.c */
u32 pcmodel_record_status(struct pcmodel *m, unsigned int dom);
void pcmodel_record_start(struct pcmodel *m, unsigned int dom, u32 val);
void pcmodel_record_mode(struct pcmodel *m, unsigned int dom, u32 before);
void pcmodel_record_held(struct pcmodel *m);
bool pcmodel_wedged(const struct pcmodel *m, unsigned int dom);
void pcmodel_record_clock(struct pcmodel *m, unsigned int dom,
			  const u64 src[][4], bool stop);
u64 pcmodel_record_room(const struct pcmodel *m, unsigned int dom, u64 words);
bool pcmodel_record_words(struct pcmodel *m, unsigned int dom,
			  const u64 src[][4], u64 stop, u64 mask, u64 times);
const char *pcmodel_fault_name(enum pcmodel_fault code);
void pcmodel_record_show(const struct pcmodel_record *r, char *reply, size_t len);

/* pcmodel_stream.c */
bool pcmodel_streams(const struct pcmodel *m, unsigned int dom);
bool pcmodel_stream_wedged(const struct pcmodel *m);
void pcmodel_stream_begin(struct pcmodel *m);
void pcmodel_stream_request(struct pcmodel *m, unsigned int dom);
void pcmodel_stream_clock(struct pcmodel *m, unsigned int dom);
void pcmodel_stream_run(struct pcmodel *m, u64 ns);
u64 pcmodel_stream_room(const struct pcmodel *m, u64 cycles);
u32 pcmodel_stream_read(const struct pcmodel *m, u32 at);
void pcmodel_stream_write(struct pcmodel *m, u32 at, u32 val);
void pcmodel_stream_held(struct pcmodel *m, unsigned int set);

/* pcmodel_core.c */
u32 pcmodel_absent(struct pcmodel *m, u32 addr);
void pcmodel_swap(struct pcmodel_domain *d);
void pcmodel_pre_op_write(struct pcmodel *m, unsigned int dom);
void pcmodel_quad_ack(struct pcmodel_domain *d);
void pcmodel_src_write(struct pcmodel *m, unsigned int dom, unsigned int slot,
		       u32 val);
void pcmodel_mode_change(struct pcmodel *m, unsigned int dom, u32 ctrl);
u32 pcmodel_sig_word(struct pcmodel *m, unsigned int dom, unsigned int word);
u32 pcmodel_src_status(struct pcmodel *m, unsigned int dom, unsigned int ops);
u32 pcmodel_rnd(u64 *state);
void pcmodel_garbage_common(struct pcmodel *m, unsigned int dom, u64 *seed);

/* pcmodel_pdaemon.c */
void pcmodel_pdaemon_init(struct pcmodel *m);
void pcmodel_pdaemon_pmc(struct pcmodel *m);
bool pcmodel_pdaemon_read(struct pcmodel *m, u32 addr, u32 *val);
bool pcmodel_pdaemon_write(struct pcmodel *m, u32 addr, u32 val);
void pcmodel_pdaemon_run(struct pcmodel *m, u64 cycles);

/* The layouts, for pcmodel_chips.c */
extern const struct pcmodel_layout pcmodel_layout_nv10;
extern const struct pcmodel_layout pcmodel_layout_nv40;
extern const struct pcmodel_layout pcmodel_layout_gf100;

/* pcmodel_gf100.c */
void pcmodel_gf100_pmc(struct pcmodel *m, u32 val);
void pcmodel_gf100_forget(struct pcmodel *m);
bool pcmodel_gf100_gated(const struct pcmodel *m, unsigned int dom);

/* pcmodel_mmio.c */
void pcmodel_apply_due(struct pcmodel *m);

#endif
