// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments with records of GF100 and later (hw:stream): the first domain sends records
 * into memory, with EVENT, PRE and START at 1, and STOP at 1 whenever a record is due.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/string.h>

#include "hw/record.h"
#include "hw/regs.h"
#include "lab/bench.h"

#define PERIODIC_BITS	2
#define PERIOD		0x800	/* clocks between two records */
#define SHORT_PERIOD	0x400
#define RECORDS		8
#define MOST		(2 * RECORDS)	/* of which half may be short */
#define LANDING_US	512	/* until a record is in memory, at most */
#define LOOKS		128
#define SMALL_RING	0x1000
#define RECORD_POS	0x1b4080
#define PTIMER_HIGH	0x009410
#define RECORD_RESET	BIT(0)	/* of a set's CTRL */

/* What RECORD_POS is (hw:ambiguities/64) */
enum { IS_ADDRESS = 1, IS_OFFSET, IS_ZERO, IS_ELSE };

/* Registers of a domain that may set the id of its records (hw:ambiguities/52). */
#define AT_ID		0x74
#define AT_OTHER_ID	0x7c
#define ID		0x25
#define OTHER_ID	0x41

/* Words 1 and 2 of a record */
#define HEAD		1
#define   HEAD_ID	GENMASK(15, 8)
#define   HEAD_SAMPLES	GENMASK(27, 16)
#define   HEAD_DS	BIT(28)
#define   HEAD_SZ	BIT(29)
#define   HEAD_ZEROS	GENMASK(31, 30)
#define EVENT		2
#define WORDS		8

struct record {
	u32 at;
	u32 word[WORDS];
};

static u32 field(const struct record *r, u32 bits)
{
	return (r->word[HEAD] & bits) >> (ffs(bits) - 1);
}

/* ---- memory: halves of what the driver has lent ---- */

static u32 half(const struct pcounter_bench *b)
{
	return b->ring.bytes / 2;
}

/* The GPU may write the memory at any time. */
static u32 word(const struct pcounter_bench *b, u32 at)
{
	const u8 *mem = b->ring.mem + b->begin + (at & (half(b) - 1));

	return READ_ONCE(mem[0]) | READ_ONCE(mem[1]) << 8 | READ_ONCE(mem[2]) << 16 |
	       (u32)READ_ONCE(mem[3]) << 24;
}

static bool has_landed(const struct pcounter_bench *b, u32 at)
{
	return !(word(b, at + 4 * HEAD) & HEAD_ZEROS);
}

static bool is_empty(const struct pcounter_bench *b, u32 at)
{
	return word(b, at) == ~0U && word(b, at + 4) == ~0U;
}

static u32 size_of(const struct pcounter_bench *b, u32 at)
{
	return word(b, at + 4 * HEAD) & HEAD_SZ ? FULL_PACKET / 2 : FULL_PACKET;
}

/* Return the place of the first record: the one behind an empty place. */
static u32 find_first(const struct pcounter_bench *b)
{
	u32 at;

	for (at = 0; at < half(b); at += FULL_PACKET / 2)
		if (has_landed(b, at) && is_empty(b, at - FULL_PACKET / 2))
			return at;
	return 0;
}

/* ---- the ring ---- */

static void write_ring(struct pcounter_bench *b, u32 begin, u32 bytes)
{
	bench_pulse(b, GF100_RECORD_START, b->ring.base + begin);
	bench_pulse(b, GF100_RECORD_HIGH, b->ring.high);
	bench_pulse(b, GF100_RECORD_SIZE, bytes);
	bench_wait(b, b->settle);
}

static void bind(struct pcounter_bench *b)
{
	bench_pulse(b, GF100_RECORD_CHAN, bench_rd(b, GF100_RECORD_CHAN));
	bench_wait(b, b->settle);
}

static void use(struct pcounter_bench *b, u32 begin, u32 bytes)
{
	b->begin = begin;
	memset(b->ring.mem + begin, 0xff, half(b));
}

/* Begin a ring in the order that is right in both readings of hw:ambiguities/54. */
static void start(struct pcounter_bench *b, u32 begin, u32 bytes)
{
	use(b, begin, bytes);
	bench_pulse(b, GF100_RECORD_CTRL, GF100_RECORD_CTRL_CLEAR);
	bench_pulse(b, GF100_RECORD_BUMP, bench_rd(b, GF100_RECORD_BYTES));
	write_ring(b, begin, bytes);
	bind(b);
	write_ring(b, begin, bytes);
}

/* ---- the domain ---- */

/* Enter the mode if there is a ring: elsewhere a record would be a fault. */
static void enter(struct pcounter_bench *b, u32 periodic)
{
	if (bench_rd(b, GF100_RECORD_SIZE))
		bench_ctrl(b, 0, BENCH_RECORD | BENCH_PERIODIC(periodic));
}

static void end_mode(struct pcounter_bench *b)
{
	bench_ctrl(b, 0, BENCH_OFF);
	bench_wait(b, LANDING_US);
}

/* Let each pulse of PERIODIC ask for a record, whichever input it asks by. */
static void set_up(struct pcounter_bench *b)
{
	u32 periodic = bench_periodic(b), set = bench_reg(b, 0, PCOUNTER_REG_PERIODIC);
	unsigned int i;

	for (i = 0; i < PCOUNTER_STOP; i++)
		bench_op(b, 0, i, ALWAYS);
	bench_input(b, 0, PCOUNTER_STOP, bench_all(periodic), ARG_0);
	bench_write(b, 0, PCOUNTER_REG_SWAP_SRC, periodic);
	bench_wr(b, bench_block(b, AT_ID), ID << 16, GENMASK(31, 16));
	bench_wr(b, bench_block(b, AT_OTHER_ID), OTHER_ID, ~0);
	/* the other bits belong to other engines */
	bench_wr(b, set, bench_rd(b, set) | RECORD_RESET, ~0);
	bench_wr(b, set, bench_now(b, set) & ~(RECORD_RESET | BIT(PCOUNTER_PERIODIC_BIT)), ~0);
}

/* Record into a ring of this size, at this PERIODIC. */
static void begin(struct pcounter_bench *b, u32 from, u32 bytes, u32 periodic)
{
	set_up(b);
	start(b, from, bytes);
	enter(b, periodic);
}

static void wait_for(struct pcounter_bench *b, unsigned int records)
{
	bench_clocks(b, records * PERIOD);
	bench_wait(b, LANDING_US);
}

/* ---- what arrives ---- */

/* Take the records that are in memory; return their number. */
static unsigned int take(const struct pcounter_bench *b, struct record *r)
{
	u32 at = find_first(b), i;
	unsigned int n;

	for (n = 0; n < MOST && has_landed(b, at); n++, at += size_of(b, at)) {
		r[n].at = at;
		for (i = 0; i < WORDS; i++)
			r[n].word[i] = word(b, at + 4 * i);
	}
	return n;
}

/* Return the number of records that are in memory; @end: the place behind them. */
static unsigned int arrived(const struct pcounter_bench *b, u32 *end)
{
	u32 first = find_first(b);
	unsigned int n = 0;

	for (*end = first; *end - first < half(b) && has_landed(b, *end); n++)
		*end += size_of(b, *end);
	return n;
}

/* Return some records of the domain; the first one has no whole period. */
static unsigned int look(struct pcounter_bench *b, struct record r[MOST])
{
	begin(b, 0, half(b), PERIODIC_BITS);
	wait_for(b, RECORDS);
	end_mode(b);
	return take(b, r);
}

static bool is_long(const struct record *r)
{
	return !(r->word[HEAD] & HEAD_SZ);
}

/* Return the number of the next long record, or of the last one. */
static unsigned int next_long(const struct record *r, unsigned int n, unsigned int i)
{
	while (i < n && !is_long(&r[i]))
		i++;
	return i;
}

/*
 * Variables: bytes that are counted; time from the first to the last record; records whose
 * time or samples run back; words 1 and 2 of the second record; size of the ring.
 */
static void stream_mode(struct pcounter_bench *b)
{
	struct record r[MOST] = {};
	unsigned int n = look(b, r), i;
	u32 *var = b->found.var;

	var[0] = bench_rd(b, GF100_RECORD_BYTES);
	for (i = 1; i < n; i++) {
		var[1] += r[i].word[0] - r[i - 1].word[0];
		var[2] += (s32)(r[i].word[0] - r[i - 1].word[0]) < 0 ||
			  field(&r[i], HEAD_SAMPLES) < field(&r[i - 1], HEAD_SAMPLES);
	}
	var[3] = r[1].word[HEAD];
	var[4] = r[1].word[EVENT];
	var[5] = bench_rd(b, GF100_RECORD_SIZE);
}

/* Variables: the id of the second record; the number of records. */
static void stream_id(struct pcounter_bench *b)
{
	struct record r[MOST] = {};

	b->found.var[1] = look(b, r);
	b->found.var[0] = field(&r[1], HEAD_ID);
}

/*
 * Variables: records whose time PTIMER has, before and behind it; records; time of them;
 * their clocks; 1 if the byte behind the time goes on with PTIMER's; that byte of PTIMER.
 */
static void stream_clock(struct pcounter_bench *b)
{
	u32 from = bench_rd(b, NV_PTIMER_TIME_LOW), *var = b->found.var, length;
	struct record r[MOST] = {};
	unsigned int n = look(b, r), i;

	length = bench_rd(b, NV_PTIMER_TIME_LOW) - from;
	var[5] = bench_rd(b, PTIMER_HIGH) >> 8 & 0xff;
	for (i = 1; i < n; i++) {
		var[0] += r[i].word[0] - from <= length;
		var[1]++;
		var[2] += r[i].word[0] - r[i - 1].word[0];
		var[3] += PERIOD * (field(&r[i], HEAD_SAMPLES) - field(&r[i - 1], HEAD_SAMPLES));
	}
	var[4] = var[5] && field(&r[1], HEAD_ID) == var[5] && var[5] != ID && var[5] != OTHER_ID;
}

/*
 * Variables: EVENT of two long records; the difference; clocks between them by their
 * samples.
 */
static void stream_sum(struct pcounter_bench *b)
{
	struct record r[MOST + 1] = {};
	unsigned int n = look(b, r), first = next_long(r, n, 1), last = next_long(r, n, first + 1);

	if (last >= n)
		return;
	b->found.var[0] = r[first].word[EVENT];
	b->found.var[1] = r[last].word[EVENT];
	b->found.var[2] = b->found.var[1] - b->found.var[0];
	b->found.var[3] = PERIOD * (field(&r[last], HEAD_SAMPLES) - field(&r[first], HEAD_SAMPLES));
}

/*
 * Variables: short records; long ones; short ones with a count of EVENT that a long one
 * would have; records with DS; words 1 and 2 of the first short one.
 */
static void stream_short(struct pcounter_bench *b)
{
	struct record r[MOST] = {};
	unsigned int n = look(b, r), i;
	u32 *var = b->found.var, more;

	for (i = 1; i < n; i++) {
		var[3] += field(&r[i], HEAD_DS);
		if (is_long(&r[i])) {
			var[1]++;
			continue;
		}
		more = field(&r[i], HEAD_SAMPLES) - field(&r[i - 1], HEAD_SAMPLES);
		if (!var[0]++) {
			var[4] = r[i].word[HEAD];
			var[5] = r[i].word[EVENT];
		}
		var[2] += more && (r[i].word[EVENT] == PERIOD ||
				   r[i].word[EVENT] - r[i - 1].word[EVENT] == PERIOD * more);
	}
}

/* Variables: word 6 of a long record; its samples. */
static void stream_word_6(struct pcounter_bench *b)
{
	struct record r[MOST + 1] = {};
	unsigned int n = look(b, r), i = next_long(r, n, 1);

	b->found.var[0] = r[i].word[6];
	b->found.var[1] = field(&r[i], HEAD_SAMPLES);
}

/* Variables: what RECORD_POS is, no address; the place behind the last record. */
static void stream_position(struct pcounter_bench *b)
{
	u32 *end = &b->found.var[1], pos;

	/* memory may begin at the address 0 */
	begin(b, half(b), half(b), PERIODIC_BITS);
	wait_for(b, RECORDS);
	end_mode(b);
	pos = bench_rd(b, RECORD_POS);
	if (!arrived(b, end))
		return;
	b->found.var[0] = pos == b->ring.base + b->begin + *end ? IS_ADDRESS :
			  pos == *end ? IS_OFFSET : pos ? IS_ELSE : IS_ZERO;
}

/* ---- while records are on their way ---- */

/*
 * Look at a register and memory in turns. Variables: looks at which bit 4 of VSTATUS is 0;
 * the bit at the end; looks at which it is 1 with a record on its way; looks at which
 * MEM_BYTES is ahead of memory; behind it; records of which a part was there.
 */
static void watch(struct pcounter_bench *b)
{
	u32 *var = b->found.var, first = 0, seen = 0, bytes, status, before;
	unsigned int i;

	begin(b, 0, half(b), 1);
	for (i = 0; i < LOOKS; i++) {
		if (!seen)
			first = find_first(b);
		before = seen;
		bytes = bench_rd(b, GF100_RECORD_BYTES);
		status = bench_rd(b, GF100_RECORD_STATUS) & GF100_RECORD_STATUS_EMPTY;
		for (; seen < half(b) && has_landed(b, first + seen);
		     seen += size_of(b, first + seen))
			var[5] += word(b, first + seen + 4 * EVENT) == ~0U;
		var[0] += !status;
		var[2] += status && bytes > seen;
		var[3] += bytes > seen;
		var[4] += bytes < before;
		bench_clocks(b, 2 * SHORT_PERIOD / LOOKS);
	}
	end_mode(b);
	var[1] = !!(bench_rd(b, GF100_RECORD_STATUS) & GF100_RECORD_STATUS_EMPTY);
}

/* ---- requests, rings, starts ---- */

/* Variables: bytes of records by PERIODIC alone, by SWAP_SRC, by STOP. */
static void stream_request(struct pcounter_bench *b)
{
	u32 zero = bench_dom(b, 0)->trailer + TRAILER_ZERO, periodic = bench_periodic(b), before;
	unsigned int i;

	begin(b, 0, half(b), PERIODIC_BITS);
	for (i = 0; i < 3; i++) {
		bench_write(b, 0, PCOUNTER_REG_SWAP_SRC, i == 1 ? periodic : zero);
		bench_src(b, 0, PCOUNTER_STOP, bench_all(i == 2 ? periodic : zero));
		bench_wait(b, LANDING_US);
		before = bench_rd(b, GF100_RECORD_BYTES);
		wait_for(b, 4);
		b->found.var[i] = bench_rd(b, GF100_RECORD_BYTES) - before;
	}
}

/* Return the number of records that arrive from now on. */
static u32 come(struct pcounter_bench *b)
{
	u32 end, before = arrived(b, &end);

	wait_for(b, 4);
	return arrived(b, &end) - before;
}

/*
 * Move the ring to the other half, while the domain is off: bind behind the address, then
 * before it. Variables: records that come there; the size of the ring as it reads.
 */
static void stream_bind_first(struct pcounter_bench *b)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin(b, 0, half(b), PERIODIC_BITS);
		end_mode(b);
		use(b, half(b), half(b));
		if (i)
			bind(b);
		write_ring(b, half(b), half(b));
		if (!i)
			bind(b);
		b->found.var[i + 2] = bench_rd(b, GF100_RECORD_SIZE);
		enter(b, PERIODIC_BITS);
		b->found.var[i] = come(b);
		end_mode(b);
	}
}

/*
 * Variables: word 1 of the first record while there is room, and later; whether it differs;
 * overflow; whether it is a record.
 */
static void stream_overwrite(struct pcounter_bench *b)
{
	u32 *var = b->found.var, first;
	unsigned int i;

	begin(b, 0, SMALL_RING, 1);
	for (i = 0; i < 2; i++) {
		bench_clocks(b, SHORT_PERIOD * (i ? 6 * SMALL_RING / FULL_PACKET : 16));
		bench_wait(b, LANDING_US);
		first = i ? first : find_first(b);
		var[i] = word(b, first + 4 * HEAD);
	}
	var[2] = var[0] != var[1];
	var[3] = !!(bench_rd(b, GF100_RECORD_CTRL) & GF100_RECORD_CTRL_OVERFLOWED);
	var[4] = has_landed(b, first);
}

/* Variables: records before, and behind a write that clears the overflow. */
static void stream_clear(struct pcounter_bench *b)
{
	begin(b, 0, half(b), PERIODIC_BITS);
	b->found.var[0] = come(b);
	bench_pulse(b, GF100_RECORD_CTRL, GF100_RECORD_CTRL_CLEAR);
	bench_wait(b, b->settle + LANDING_US);
	b->found.var[1] = come(b);
}

/* Variables: the place of the first record of a second start; records. */
static void stream_restart(struct pcounter_bench *b)
{
	struct record r[MOST] = {};

	look(b, r);
	begin(b, half(b), half(b), PERIODIC_BITS);
	wait_for(b, 4);
	end_mode(b);
	b->found.var[1] = take(b, r);
	b->found.var[0] = r[0].at;
}

#define RECORDS_OF_GF100(_name, _make)					\
	.name = _name, .caps = PCOUNTER_CAP_SETS, .to = LAST_KEPLER,	\
	.needs = PCOUNTER_NEEDS_MEMORY, .open = true, .make = _make

const struct pcounter_experiment pcounter_stream_experiments[] = {
	{ RECORDS_OF_GF100("stream_mode", stream_mode),
	  .reading = { { GT(0, 0), GT(1, 0), EQ(2, 0) }, { EQ(0, 0), GT(5, 0) }, { GT(0, 0) } } },
	{ RECORDS_OF_GF100("stream_id", stream_id),
	  .reading = { { EQ(0, ID) }, { EQ(0, OTHER_ID) }, { EQ(0, 0), GT(1, 1) } } },
	{ RECORDS_OF_GF100("stream_clock", stream_clock),
	  .reading = { { GT(1, 0), VAR_EQ(0, 1, 0), EQ(4, 0) }, { EQ(0, 0), GT(2, 0) },
		       { GT(1, 0), VAR_EQ(0, 1, 0), EQ(4, 1) } } },
	{ RECORDS_OF_GF100("stream_sum", stream_sum),
	  .reading = { { EQ(0, PERIOD), EQ(1, PERIOD) }, { GT(2, 0), VAR_EQ(2, 3, 0) } } },
	{ RECORDS_OF_GF100("stream_short", stream_short),
	  .reading = { { EQ(0, 0), GT(1, 0) }, { GT(0, 0), VAR_EQ(2, 0, 0) },
		       { GT(0, 0), EQ(2, 0) } } },
	{ RECORDS_OF_GF100("stream_word_6", stream_word_6),
	  .reading = { { EQ(0, 0), GT(1, 0) }, { GT(1, 0), VAR_EQ(0, 1, 0) } } },
	{ RECORDS_OF_GF100("stream_position", stream_position),
	  .reading = { { EQ(0, IS_ADDRESS) }, { EQ(0, IS_OFFSET) }, { GT(0, IS_OFFSET) } } },
	{ RECORDS_OF_GF100("stream_empty", watch),
	  .reading = { { GT(0, 0), EQ(1, 1), EQ(2, 0) }, { GT(0, 0), EQ(1, 0) },
		       { EQ(0, 0), GT(2, 0) } } },
	{ RECORDS_OF_GF100("stream_count_late", watch),
	  .reading = { { GT(3, 0), EQ(4, 0) }, { EQ(3, 0), GT(4, 0) } } },
	{ RECORDS_OF_GF100("stream_split", watch),
	  .reading = { { NEVER }, { GT(5, 0) } } },
	{ RECORDS_OF_GF100("stream_request", stream_request),
	  .reading = { { EQ(0, 0), GT(1, 0), EQ(2, 0) }, { GT(0, 0) },
		       { EQ(0, 0), EQ(1, 0), GT(2, 0) } } },
	{ RECORDS_OF_GF100("stream_bind_first", stream_bind_first),
	  .reading = { { GT(0, 0), EQ(1, 0) }, { EQ(0, 0), GT(1, 0) }, { GT(0, 0), GT(1, 0) } } },
	{ RECORDS_OF_GF100("stream_overwrite", stream_overwrite),
	  .reading = { { EQ(2, 0), EQ(3, 1), EQ(4, 1) }, { EQ(2, 1), EQ(3, 1) } } },
	{ RECORDS_OF_GF100("stream_clear", stream_clear),
	  .reading = { { GT(0, 0), GT(1, 0) }, { GT(0, 0), EQ(1, 0) } } },
	{ RECORDS_OF_GF100("stream_restart", stream_restart),
	  .reading = { { EQ(0, 0), GT(1, 0) }, { GT(0, 0), GT(1, 0) } } },
	{ }
};
