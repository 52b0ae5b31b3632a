/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of the PCOUNTER engine, exact to the cycle, written from the hardware
 * documents (hw:index) and never from the driver.
 *
 * For kernel modules and user space: it takes no lock and allocates no memory.
 */
#ifndef _PCMODEL_H
#define _PCMODEL_H

#include <linux/types.h>

#include "pcmodel_memory.h"
#include "pcmodel_quirks.h"

#define PCMODEL_SET		8	/* domains of a set; before GF100, of all sets */
#define PCMODEL_SIGNALS		256
#define PCMODEL_SLOTS		4	/* PRE, START, EVENT, STOP */
#define PCMODEL_OPS		6	/* the same, then SETFLAG, CLRFLAG */
#define PCMODEL_LOG		256
#define PCMODEL_BITS_WORDS	64	/* storage for "bits" scripts, 4096 bits */
#define PCMODEL_STICKY		8
#define PCMODEL_QUEUE		128
#define PCMODEL_GPCS		32	/* limited by the size of the window */
#define PCMODEL_PARTS		16
#define PCMODEL_GPC_DOMAINS	6
#define PCMODEL_PART_DOMAINS	3
#define PCMODEL_DOMAINS		(8 + 32 * 7 + 16 * 3)	/* in all sets of a GPU */
#define PCMODEL_GPC_PLACES	16	/* GPCs with a mask of lost TPCs */
#define PCMODEL_MUX_REGS	128
#define PCMODEL_STREAM_REGS	0x4c	/* words of the block at 0x1b4000 */
#define PCMODEL_STREAM_FIFO	256	/* records on their way */
#define PCMODEL_STREAM_WORDS	8	/* of a record */
#define PCMODEL_SLCG_REGS	4
#define PCMODEL_MUXED		80
#define PCMODEL_NO_TRAILER	0x8000	/* too high for any register */
#define PCMODEL_IDLE_SLOTS	8
#define PCMODEL_IDLE_SIGNALS	64	/* 32 before GM107 */
#define PCMODEL_RECORD_CTRS	12	/* PRE, START, EVENT sources */
#define PCMODEL_PACKET		32	/* bytes of a LONG packet */

enum pcmodel_script_kind {
	PCMODEL_CONST,
	PCMODEL_DUTY,
	PCMODEL_BITS,
	PCMODEL_RANDOM,
};

/**
 * struct pcmodel_script - the levels of a signal, as a function of the cycle number
 * @kind: selects the fields in use
 * @level: CONST: the level
 * @period: DUTY: length of a period in cycles
 * @high: DUTY: 1 while (cycle + phase) % period < high
 * @phase: DUTY: see @high
 * @bits: BITS: the sequence, bit 0 of word 0 first; the caller keeps the memory
 * @nbits: BITS: its length; it repeats
 * @seed: RANDOM: selects the sequence
 * @share: RANDOM: 1 with a probability of share / 65536
 */
struct pcmodel_script {
	enum pcmodel_script_kind kind;
	bool level;
	u32 period;
	u32 high;
	u32 phase;
	const u64 *bits;
	u32 nbits;
	u64 seed;
	u32 share;
};

/* Differences between sub-revisions (hw:modes/features). */
enum pcmodel_variant {
	PCMODEL_NV10,
	PCMODEL_NV15,
	PCMODEL_NV20,
	PCMODEL_NV30,
	PCMODEL_NV40,	/* NV40:G80 */
	PCMODEL_G80,
	PCMODEL_G84,
	PCMODEL_G92,
	PCMODEL_GT215,
	PCMODEL_GF100,	/* GF100:GK104 */
	PCMODEL_GK104,	/* GK104:GM107 */
	PCMODEL_GM107,
};

struct pcmodel_layout;

/**
 * struct pcmodel_chip - a chip that can be modelled
 * @chipset: chipset id
 * @name: name, lower case
 * @layout: its registers
 * @variant: sub-revision
 * @domains: number of domains; of the HUB on GF100+
 * @trailer: trailer base of each domain, in units of 0x10; 0xe is 0xe0
 * @gpc_trailer: trailer bases of the domains of a GPC
 * @part_trailer: trailer bases of the domains of a partition
 * @gpc_domains: number of domains of a GPC (GF100+)
 * @part_domains: number of domains of a partition; 0: 2
 * @user: number of the USER_0 signal of each domain (GT215)
 * @access: number of the signal of domain 0 that shows register reads; 0: unknown
 */
struct pcmodel_chip {
	u16 chipset;
	const char *name;
	const struct pcmodel_layout *layout;
	enum pcmodel_variant variant;
	u8 domains;
	u8 trailer[PCMODEL_SET];
	u8 gpc_domains;
	u8 part_domains;
	u8 gpc_trailer[PCMODEL_GPC_DOMAINS];
	u8 part_trailer[PCMODEL_PART_DOMAINS];
	u8 user[PCMODEL_SET];
	u8 access;
};

/**
 * struct pcmodel_import - another domain's output, as the domain receives it
 * @level: the level one and two local clocks ago
 * @edges: number of rising edges one and two local clocks ago
 * @seen: edges that have become pulses
 */
struct pcmodel_import {
	bool level[2];
	u32 edges[2];
	u32 seen;
};

/**
 * struct pcmodel_output - a domain's EVENT or FLAG for the other domains
 * @level: its level after the last clock
 * @edges: its rising edges so far
 */
struct pcmodel_output {
	bool level;
	u32 edges;
};

/**
 * struct pcmodel_ahead - sources and results of a domain's ops, for 64 clocks
 * @from: the first of these clocks
 * @until: first clock after them, from which on nothing is known
 * @src: levels of the sources that are not outputs of domains; bit n is clock n
 * @out: results of the ops that depend only on @src
 * @outputs: sources that are outputs of domains: bit 4 * op + source
 * @wire: the output for each bit of @outputs
 * @open: ops that depend on @outputs
 * @itself: one of @outputs is the domain's own
 */
struct pcmodel_ahead {
	u64 from;
	u64 until;
	u64 src[PCMODEL_OPS][4];
	u64 out[PCMODEL_OPS];
	u32 outputs;
	u8 wire[PCMODEL_OPS * 4];
	u8 open;
	bool itself;
};

/**
 * struct pcmodel_domain - one domain
 * @first: index of the first domain of its set
 * @count: number of domains of its set
 * @trailer: base of its trailer signals
 * @num: clock: domain cycles per reference cycle, numerator
 * @den: denominator
 * @acc: remainder of the clock division
 * @at: time of its next edge in the current reference cycle
 * @edge: its edge is one of the next edges, all at the same time
 * @stepped: it runs in step with other domains, clock by clock
 * @cycle: cycles since init
 * @sig: the script of each signal
 * @src: PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC; SETFLAG_SRC, CLRFLAG_SRC
 * @op: PRE_OP .. STOP_OP, SETFLAG_OP, CLRFLAG_OP
 * @ctrl: writable bits of CTRL, in the coding of the nv40 layout
 * @raw_ctrl: CTRL as written, on other layouts
 * @filter: FILTER, stored only
 * @unk_cc: GM107+: words of unknown meaning, stored only
 * @spec_src: SPEC_SRC
 * @init_pre: initial value of CTR_PRE
 * @init_stop: initial value of CTR_STOP
 * @threshold: THRESHOLD
 * @ctr: counters as registers return them
 * @cycles: CTR_CYCLES as the register returns it
 * @hidden: quad mode: counters of the running period
 * @hidden_cycles: quad mode: cycles of the running period
 * @quad_state: EMPTY, VALID, OVERFLOW as CTRL codes them
 * @single_state: INACTIVE, WAIT_PRE, WAIT_START, COUNTING
 * @flag: the flag
 * @flag_old: the flag one clock ago, which the next clock uses
 * @event: EVENT of the last clock
 * @late_ops: GF100+: all ops have their delays where EVENT and STOP have them
 * @prev: sources 0 to 3 of each op in the last clock, bit mask
 * @swap_wait: clocks until a requested swap happens; 0: none
 * @periodic: clocks since the last PERIODIC pulse
 * @user: levels of the USER signals
 * @user_pulse: USER signals that fall after one clock
 * @pm_trigger: the PM_TRIGGER signal is 1 in the next clock
 * @out_event: EVENT for other domains
 * @out_flag: the visible FLAG, for other domains
 * @in_event: EVENT of the other domains
 * @in_flag: FLAG of the other domains
 */
struct pcmodel_domain {
	u8 first;
	u8 count;
	u16 trailer;
	u32 num;
	u32 den;
	u64 acc;
	u64 at;
	bool edge;
	bool stepped;
	u64 cycle;
	struct pcmodel_script sig[PCMODEL_SIGNALS];
	u32 src[PCMODEL_OPS];
	u32 op[PCMODEL_OPS];
	u32 ctrl;
	u32 raw_ctrl;
	u32 filter;
	u32 unk_cc[5];
	u32 spec_src;
	u32 init_pre;
	u32 init_stop;
	u64 threshold;
	u64 ctr[PCMODEL_SLOTS];
	u64 cycles;
	u64 hidden[PCMODEL_SLOTS];
	u64 hidden_cycles;
	u8 quad_state;
	u8 single_state;
	bool flag;
	bool flag_old;
	bool event;
	bool late_ops;
	u8 prev[PCMODEL_OPS];
	u32 swap_wait;
	u32 periodic;
	u8 user;
	u8 user_pulse;
	bool pm_trigger;
	struct pcmodel_output out_event;
	struct pcmodel_output out_flag;
	struct pcmodel_import in_event[PCMODEL_SET];
	struct pcmodel_import in_flag[PCMODEL_SET];
};

/**
 * struct pcmodel_access - one register access
 * @addr: BAR0 address
 * @val: the value that was read or written
 * @write: true for a write
 */
struct pcmodel_access {
	u32 addr;
	u32 val;
	bool write;
};

/**
 * struct pcmodel_lint - accesses that no document describes
 * @absent: registers that the chip does not have
 * @bits: undocumented bits written
 * @direction: reads of write-only, writes of read-only registers
 * @width: unaligned addresses
 * @tvout: writes that disconnect the TV-out pins (nv10 CTRL)
 * @pmc: writes of PMC.ENABLE that change more than bit 28, or nothing
 */
struct pcmodel_lint {
	u64 absent;
	u64 bits;
	u64 direction;
	u64 width;
	u64 tvout;
	u64 pmc;
};

/**
 * struct pcmodel_muxed - a signal behind a source mux
 * @addr: register of the mux
 * @mask: bits that matter
 * @value: the value of these bits that selects the signal
 * @dom: domain of the signal
 * @sig: the signal
 * @script: the signal's script when selected; otherwise it is 0
 */
struct pcmodel_muxed {
	u32 addr;
	u32 mask;
	u32 value;
	u8 dom;
	u8 sig;
	struct pcmodel_script script;
};

/**
 * struct pcmodel_idle_slot - an idle counter of PDAEMON
 * @mask: COUNTER_MASK; from GM107 on bits 32-63 are its second word
 * @mode: COUNTER_MODE
 * @count: COUNTER_COUNT
 * @foreign: another driver uses it
 */
struct pcmodel_idle_slot {
	u64 mask;
	u32 mode;
	u32 count;
	bool foreign;
};

/**
 * struct pcmodel_idle - the idle counters of PDAEMON
 * @num: clock: its cycles per reference cycle, numerator
 * @den: denominator
 * @acc: remainder of the clock division
 * @at: time of its next edge in the current reference cycle
 * @edge: its edge is one of the next edges, all at the same time
 * @cycle: its cycles since init
 * @gt215_reset: GT215:GF100: the register that resets it
 * @slot: the counters
 * @sig: the script of each idle signal
 * @foreign_writes: writes to slots of another driver
 */
struct pcmodel_idle {
	u32 num;
	u32 den;
	u64 acc;
	u64 at;
	bool edge;
	u64 cycle;
	u32 gt215_reset;
	struct pcmodel_idle_slot slot[PCMODEL_IDLE_SLOTS];
	struct pcmodel_script sig[PCMODEL_IDLE_SIGNALS];
	u64 foreign_writes;
};

/**
 * struct pcmodel_record_stats - statistics of packets
 * @sent: packets that were sent
 * @landed: packets that have arrived, or seem to have
 * @dropped: packets without a valid buffer
 * @merged: requests without a separate packet
 * @saturated: counters that were full
 * @vanished: packets in @landed that did not arrive
 */
struct pcmodel_record_stats {
	u64 sent;
	u64 landed;
	u64 dropped;
	u64 merged;
	u64 saturated;
	u64 vanished;
};

/**
 * struct pcmodel_lies - faults of a broken or hostile device
 * @shows: RECORD_STATUS returns @position
 * @position: see @shows
 * @back: bytes by which every second read of RECORD_STATUS is behind
 * @odd: true in every second read
 * @vanish: number of packets that do not land, although the position moves
 * @rewrite: number of packets that are overwritten when the next packet lands
 * @split: number of packets whose counters land only with the next packet
 * @stall: additional clocks of the next packet
 * @fault: fault of the next packet, code + 1
 */
struct pcmodel_lies {
	bool shows;
	u32 position;
	u32 back;
	bool odd;
	u32 vanish;
	u32 rewrite;
	u32 split;
	u32 stall;
	u8 fault;
};

/**
 * struct pcmodel_record - record mode of a domain, hw:modes/record
 * @start: RECORD_START
 * @limit: RECORD_LIMIT
 * @high: RECORD_ADDRESS_HIGH
 * @position: address of the next packet
 * @shown: position in RECORD_STATUS
 * @done: position after the last packet that landed
 * @late: clocks until @shown becomes @done
 * @valid: "buffer valid"
 * @fault: the fault bit
 * @wedged: the domain is stopped until a reset of the GPU
 * @code: code of the fault
 * @ctr: the event counters
 * @stop: the stop counter
 * @cycles: the 48-bit cycle counter
 * @bogus: number of garbage packets to come
 * @pending: there is an outgoing packet
 * @aside: the outgoing packet belongs to a replaced buffer
 * @wait: clocks until the outgoing packet lands
 * @addr: its address
 * @size: its size in bytes
 * @packet: its contents
 * @rest: contents of the previous packet that have not landed
 * @rest_addr: address of @rest
 * @rest_size: size of @rest, 0 if the whole packet has landed
 * @stats: statistics of packets
 * @lies: its faults
 */
struct pcmodel_record {
	u32 start;
	u32 limit;
	u8 high;
	u32 position;
	u32 shown;
	u32 done;
	u32 late;
	bool valid;
	bool fault;
	bool wedged;
	u8 code;
	u16 ctr[PCMODEL_RECORD_CTRS];
	u16 stop;
	u64 cycles;
	u32 bogus;
	bool pending;
	bool aside;
	u32 wait;
	u64 addr;
	u8 size;
	u8 packet[PCMODEL_PACKET];
	u8 rest[PCMODEL_PACKET];
	u64 rest_addr;
	u8 rest_size;
	struct pcmodel_record_stats stats;
	struct pcmodel_lies lies;
};

/**
 * struct pcmodel_sent - a record on its way
 * @made: time of its request in ns; the FIFO is in this order
 * @dom: its domain
 * @word: its contents
 * @size: bytes; 0 if it has been dropped
 * @placed: it has a place, or has been dropped
 * @at: virtual address of its place
 * @room: bytes there; the others are at ...
 * @start: ... the start of the ring
 * @need: bytes that MEM_BYTES counts
 * @landed: bytes in memory
 * @counted: MEM_BYTES includes it
 */
struct pcmodel_sent {
	u64 made;
	u16 dom;
	u32 word[PCMODEL_STREAM_WORDS];
	u8 size;
	bool placed;
	u64 at;
	u8 room;
	u64 start;
	u8 need;
	u8 landed;
	bool counted;
};

/**
 * struct pcmodel_source - a domain that sends records
 * @reg_74: + 0x74 of its block
 * @reg_7c: + 0x7c
 * @requests: requests so far
 * @records: records so far
 * @delay: clocks by which its next record is late
 * @wait: clocks until its late record
 * @cycle: its cycle at the start of the run ...
 * @acc: ... and the remainder of its clock division
 */
struct pcmodel_source {
	u32 reg_74;
	u32 reg_7c;
	u32 requests;
	u64 records;
	u32 delay;
	u32 wait;
	u64 cycle;
	u64 acc;
};

/**
 * struct pcmodel_stream_stats - statistics of records
 * @sent: records that domains have sent
 * @landed: records that are in memory as a whole
 * @dropped: records without a ring, or without a place in it
 * @overwritten: bytes that were overwritten before they were acknowledged
 * @delayed: records with DS
 * @faults: accesses to memory that ended in a fault
 * @excess: bytes that were acknowledged, but not counted
 */
struct pcmodel_stream_stats {
	u64 sent;
	u64 landed;
	u64 dropped;
	u64 overwritten;
	u64 delayed;
	u64 faults;
	u64 excess;
};

/**
 * struct pcmodel_stream - the record unit of GF100 and later, hw:stream
 * @word: the words of the block at 0x1b4000
 * @bound: an instance block is bound
 * @ended: quirk stream_clear: clearing the overflow has ended writing
 * @overflow: a record found no place
 * @stuck: a fault has stopped the unit until a reset
 * @code: code of the last fault
 * @base: virtual address of the ring
 * @size: its size
 * @position: offset of the next record
 * @used: bytes that have a place and are not acknowledged
 * @bytes: MEM_BYTES
 * @head: number of the oldest record on its way
 * @n: number of records on their way
 * @sent: these records, a ring
 * @from: domains
 * @vanish: number of records that do not land, although MEM_BYTES counts them
 * @flip: bits to invert in each word of the next record
 * @fault: fault of the next record, code + 1
 * @stats: statistics
 */
struct pcmodel_stream {
	u32 word[PCMODEL_STREAM_REGS];
	bool bound;
	bool ended;
	bool overflow;
	bool stuck;
	u8 code;
	u64 base;
	u32 size;
	u32 position;
	u32 used;
	u32 bytes;
	unsigned int head;
	unsigned int n;
	struct pcmodel_sent sent[PCMODEL_STREAM_FIFO];
	struct pcmodel_source from[PCMODEL_DOMAINS];
	u32 vanish;
	u32 flip[PCMODEL_STREAM_WORDS];
	u8 fault;
	struct pcmodel_stream_stats stats;
};

/**
 * struct pcmodel - one GPU
 * @chip: the chip
 * @domains: number of domains, of all sets
 * @quirks: readings of the documents
 * @time: reference cycles since init
 * @stepping: never use the fast path (for tests)
 * @skipped: clocks of domains that were run in words of 64, for tests
 * @dead: all reads return all ones, writes get lost
 * @hostile: state of the generator of hostile values for reads; 0: off
 * @boot_0: PMC.BOOT_0
 * @big_endian: the switch in PMC that exchanges the byte order of registers
 * @pmc_enable: PMC.ENABLE
 * @debug_1: PGRAPH.DEBUG_1
 * @debug_d: PGRAPH.DEBUG_D
 * @gctrl: GCTRL
 * @ctrl10: nv10 layout: CTRL as written
 * @units: GF100+: counts, hardware and software masks of GPCs, then partitions
 * @tpcs: G80:GF100: value of 0x4008fc: the TPCs in its low bits
 * @lost: GF100+: masks of lost TPCs by hardware, by software, for each place of a GPC
 * @gpc_domains: GF100+: number of domains of a GPC
 * @set_ctrl: GF100+: CTRL of the sets: HUB, GPCs, partitions
 * @base: trailer bases that a scenario has set, + 1; 0: the chip's base
 * @stream: GF100+: the block at 0x1b4000, which makes records
 * @slcg: GK104+: clock gating of GPCs, partitions, HUB, the block at 0x1b4000
 * @mux: G80+: mux registers that have been written
 * @nmux: number of entries in @mux
 * @contexts: G80:GF100: number of switches of the graphics context
 * @muxed: G80+: signals behind muxes
 * @nmuxed: number of entries in @muxed
 * @read_until: cycle of domain 0 until which its signals show register reads
 * @ptimer: number of the signal of domain 0 that is bit 17 of PTIMER's time; 0: none
 * @run_time: start of the current run, in reference cycles ...
 * @run_cycle: ... and in cycles of domain 0
 * @access_until: cycle of domain 0 until which, after the reads, its signals show writes
 * @thrice_until: cycle of domain 0 until which a signal shows register reads, thrice each
 * @vram_until: cycle of domain 2 until which a signal shows reads of VRAM by the CPU
 * @idle: idle counters
 * @record_chan: RECORD_CHAN; a write with VALID binds its channel and the object of
 *	RECORD_DMA
 * @record_dma: RECORD_DMA; has no effect before the next bind
 * @bus: system memory
 * @vm: the path to memory
 * @dma: the GPU's accesses to memory
 * @rec: record mode of each domain
 * @page: packets for one write, if no clocks are between them
 * @dom: the domains
 * @ahead: sources and results of each domain in the coming clocks
 * @nsticky: entries in @sticky
 * @sticky: registers that return a fixed value, or a value that is too high by a fixed
 *	number
 * @queue: writes that have not taken effect yet
 * @queue_head: first entry of @queue
 * @queue_tail: first free entry of @queue
 * @bits: storage for "bits" scripts
 * @bits_used: words of @bits in use
 * @reads: number of reads
 * @writes: number of writes
 * @log: the last accesses, a ring
 * @log_pos: accesses logged so far
 * @lint: suspicious accesses
 */
struct pcmodel {
	const struct pcmodel_chip *chip;
	unsigned int domains;
	struct pcmodel_quirks quirks;
	u64 time;
	bool stepping;
	u64 skipped;
	bool dead, big_endian;
	u64 hostile;
	u32 boot_0;
	u32 pmc_enable;
	u32 debug_1;
	u32 debug_d;
	u32 gctrl;
	u32 ctrl10;
	u32 units[6];
	u32 tpcs;
	u32 lost[PCMODEL_GPC_PLACES][2];
	u8 gpc_domains;
	u32 set_ctrl[1 + PCMODEL_GPCS + PCMODEL_PARTS];
	u16 base[PCMODEL_DOMAINS];
	struct pcmodel_stream stream;
	u32 slcg[PCMODEL_SLCG_REGS];
	struct {
		u32 addr;
		u32 val;
	} mux[PCMODEL_MUX_REGS];
	unsigned int nmux;
	u32 contexts;
	struct pcmodel_muxed muxed[PCMODEL_MUXED];
	unsigned int nmuxed;
	u64 read_until;
	u64 access_until;
	u64 thrice_until;
	u64 vram_until;
	u8 ptimer;
	u64 run_time;
	u64 run_cycle;
	struct pcmodel_idle idle;
	u32 record_chan;
	u32 record_dma;
	struct pcmodel_bus bus;
	struct pcmodel_vm vm;
	struct pcmodel_dma dma;
	struct pcmodel_record rec[PCMODEL_SET];
	u8 page[PCMODEL_PAGE];
	struct pcmodel_domain dom[PCMODEL_DOMAINS];
	struct pcmodel_ahead ahead[PCMODEL_DOMAINS];
	unsigned int nsticky;
	struct {
		u32 addr;
		u32 val;
		bool more;
	} sticky[PCMODEL_STICKY];
	struct {
		u64 due;
		u32 addr;
		u32 val;
	} queue[PCMODEL_QUEUE];
	unsigned int queue_head;
	unsigned int queue_tail;
	u64 bits[PCMODEL_BITS_WORDS];
	unsigned int bits_used;
	u64 reads;
	u64 writes;
	struct pcmodel_access log[PCMODEL_LOG];
	u64 log_pos;
	struct pcmodel_lint lint;
};

const struct pcmodel_chip *pcmodel_chip(u32 chipset);
u32 pcmodel_find_chip(const char *name);
int pcmodel_init(struct pcmodel *m, u32 chipset);
void pcmodel_reset(struct pcmodel *m);
void pcmodel_garbage(struct pcmodel *m, u64 seed);
u32 pcmodel_rd32(struct pcmodel *m, u32 addr);
void pcmodel_wr32(struct pcmodel *m, u32 addr, u32 val);
void pcmodel_run(struct pcmodel *m, u64 cycles);
u64 pcmodel_run_some(struct pcmodel *m, u64 cycles, bool (*late)(void *ctx), void *ctx);
int pcmodel_set_clock(struct pcmodel *m, unsigned int dom, u32 num, u32 den);
int pcmodel_preset(struct pcmodel *m, unsigned int dom, const char *counter,
		   u64 value);
int pcmodel_set_trailer(struct pcmodel *m, unsigned int dom, unsigned int base);
void pcmodel_trigger(struct pcmodel *m);
bool pcmodel_method(struct pcmodel *m, u32 method, u32 class);
int pcmodel_find_domain(const struct pcmodel *m, const char *name, size_t len);
int pcmodel_set_signal(struct pcmodel *m, unsigned int dom, unsigned int sig,
		       const struct pcmodel_script *s);
u64 pcmodel_cycle(const struct pcmodel *m, unsigned int dom);
void pcmodel_set_bus(struct pcmodel *m, const struct pcmodel_bus *bus);
bool pcmodel_record_flow(struct pcmodel *m, unsigned int dom, u64 packets);
void pcmodel_record_reset(struct pcmodel *m);
bool pcmodel_stream_flow(struct pcmodel *m, u64 periods);

bool pcmodel_script_valid(const struct pcmodel_script *s);
bool pcmodel_script_level(const struct pcmodel_script *s, u64 cycle);
u64 pcmodel_script_word(const struct pcmodel_script *s, u64 cycle);
u64 pcmodel_script_count(const struct pcmodel_script *s, u64 from, u64 to);

int pcmodel_idle_foreign(struct pcmodel *m, unsigned int slot, u64 mask, u32 mode);
int pcmodel_idle_preset(struct pcmodel *m, unsigned int slot, u32 value);
int pcmodel_idle_signal(struct pcmodel *m, unsigned int bit,
			const struct pcmodel_script *s);
int pcmodel_idle_clock(struct pcmodel *m, u32 num, u32 den);
int pcmodel_idle_reset(struct pcmodel *m);

int pcmodel_command(struct pcmodel *m, const char *line, char *reply, size_t len);
int pcmodel_scenario(struct pcmodel *m, const char *text, char *err, size_t len);

#endif
