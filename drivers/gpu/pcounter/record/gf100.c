// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of GF100 and later, hw:stream: all domains write to one ring, in which the
 * reader acknowledges what it has taken. gpu->lock is held, and the GPU awake.
 *
 * A look takes the records that have landed. They are checked and moved to the boxes of
 * their domains, where they are packets like those of G84; in a reader's ring they stay.
 * No card has shown that the documents are right: what a record shows that is not
 * expected ends the streams of all domains.
 *
 * The unit takes a ring only while it is empty, so a start has two steps: STOPPING, in
 * which all domains are in quad mode and the ring is emptied, then the bind.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <uapi/linux/pcounter_record.h>

#include "count/gpu.h"
#include "hw/io.h"
#include "hw/record.h"
#include "hw/regs.h"
#include "record/memory.h"

/* Candidates for the register of a domain's id (hw:ambiguities/52) */
#define REG_ID_HIGH		0x74
#define   REG_ID_HIGH_BITS	GENMASK(23, 16)
#define REG_ID_LOW		0x7c
#define   REG_ID_LOW_BITS	GENMASK(7, 0)

/* Records of a domain that wait to be counted */
#define BOX_BYTES		0x10000U
/* Bytes of the ring that are emptied at once, with interrupts off. */
#define FILL_BYTES		0x20000U
/* Records that are taken in a look, in bytes */
#define TAKE_BYTES		0x20000U
/* A record that is counted has landed after this time, and the unit is empty. */
#define LATE_NS			(20LL * NSEC_PER_MSEC)
/* A domain whose clock runs makes a record in this time; also the slowest PERIODIC. */
#define SILENT_NS		(500LL * NSEC_PER_MSEC)
#define POLL_MOST_NS		(10ULL * NSEC_PER_MSEC)
#define POLL_LEAST_NS		((u64)NSEC_PER_MSEC)
#define BEHIND_POLL_NS		(100 * NSEC_PER_USEC)
/* Records in a row that show whether counters run on (hw:ambiguities/53). */
#define PROOFS			3
#define PROOFS_MOST		64
#define FLOODS_MOST		8
#define PERIODIC_MOST		7U

/*
 * Return the stream behind another one, of those that run; @s is NULL for the first. A
 * domain with a fault may be somebody else's by now.
 */
static struct pcounter_stream *next_stream(const struct pcounter_gpu *gpu,
					   const struct pcounter_stream *s)
{
	unsigned int i = s ? s->d->index + 1 : 0;

	for (; i < gpu->topo.nr; i++)
		if (pcounter_stream_runs(gpu->dom[i].stream) &&
		    gpu->dom[i].unit.fault == PCOUNTER_OK)
			return gpu->dom[i].stream;
	return NULL;
}

/* Return the number of domains that record, or whose events are open. */
static unsigned int count_streams(const struct pcounter_gpu *gpu)
{
	unsigned int i, n = 0;

	for (i = 0; i < gpu->topo.nr; i++)
		n += gpu->dom[i].stream ? 1 : 0;
	return n;
}

static void set_mode(struct pcounter_domain *d, bool record)
{
	const struct pcounter_ctrl *c = d->block.ctrl;

	d->hw.ctrl = (d->hw.ctrl & ~c->mode) | ((record ? c->record : c->quad) & c->mode);
	pcounter_reg_write(&d->block, PCOUNTER_REG_CTRL, d->hw.ctrl);
}

static void end_all(struct pcounter_gpu *gpu, enum pcounter_fault fault)
{
	struct pcounter_stream *s;

	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s)) {
		pcounter_domain_fault(s->d, fault);
		set_mode(s->d, false);
	}
}

/* ---- start, and start again ---- */

/*
 * Let domains stop until the ring can be bound again, from the record on that is next. For
 * those that have recorded to it this is a gap.
 */
static void stop_all(struct pcounter_gpu *gpu)
{
	struct pcounter_record *r = gpu->record;
	struct pcounter_stream *s;

	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s)) {
		set_mode(s->d, false);
		s->loss.gaps += !r->stopping && r->known[s->d->index];
	}
	r->stopping = true;
	r->late_ns = 0;
}

/* Return true if something that must end soon has gone on for too long. */
static bool runs_late(struct pcounter_record *r)
{
	r->late_ns = r->late_ns ?: r->now;
	return r->now - r->late_ns > LATE_NS;
}

/* Return true if there can be this number of bytes between the GPU and the driver. */
static bool is_possible(const struct pcounter_record *r, u32 bytes)
{
	return bytes % PCOUNTER_PACKET_LONG == 0 && bytes <= pcounter_ring_bytes(r->bound) &&
	       r->freed + bytes >= r->next;
}

static void begin_stream(struct pcounter_stream *s, u64 from)
{
	memset(&s->read, 0, sizeof(s->read));
	s->read.resync = true;
	s->taken.first = true;
	s->taken.from = from;
	s->taken.proofs = 0;
	s->taken.tried = 0;
	s->taken.ns = s->d->gpu->record->now;
	s->state = PCOUNTER_STREAM_RUNNING;
	s->d->gpu->record->known[s->d->index] = true;
	set_mode(s->d, true);
}

/* Empty a part of a ring that is not bound; return true if all of it is. */
static bool empty_ring(struct pcounter_ring *ring)
{
	u32 bytes = min(ring->dirty, FILL_BYTES);

	ring->dirty -= bytes;
	pcounter_ring_empty(ring, ring->dirty, bytes);
	return !ring->dirty;
}

/* Return true if a domain still has the input of an event for a proof that is there now. */
static bool is_borrowed(const struct pcounter_gpu *gpu)
{
	const struct pcounter_stream *s;

	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s))
		if (s->taken.borrows && gpu->record->sums != PCOUNTER_SUMS_UNKNOWN)
			return true;
	return false;
}

/* The second step of a start; a reader has to read all bytes before it. */
static void start_all(struct pcounter_gpu *gpu)
{
	u32 status = pcounter_rd32(gpu->io, GF100_RECORD_STATUS), bytes;
	struct pcounter_record *r = gpu->record;
	struct pcounter_stream *s = next_stream(gpu, NULL), *of;
	struct pcounter_ring *ring;

	if (!s)
		return;
	ring = s->ring;
	bytes = pcounter_ring_bytes(ring);
	of = ring->reader ? r->reader : NULL;
	if (pcounter_is_dead(status) || !(status & GF100_RECORD_STATUS_EMPTY)) {
		if (runs_late(r))
			end_all(gpu, PCOUNTER_FAULT_RECORD);
		return;
	}
	if ((ring->reader && !of) || is_borrowed(gpu))
		return;
	if (of && of->w.end + PCOUNTER_PACKET_LONG - of->w.tail < bytes)
		return;
	if (!empty_ring(ring))
		return;
	ring->dirty = bytes;
	r->next = of ? of->w.tail : 0;
	r->freed = r->next;
	if (of)
		of->w.head = r->next;
	memset(r->known, 0, sizeof(r->known));
	pcounter_gf100_bind(gpu, ring, r->next & (bytes - 1));
	r->stopping = false;
	r->late_ns = 0;
	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s))
		begin_stream(s, r->next);
}

/*
 * Let a domain that was stopped begin while others go on: if the unit is empty, all of its
 * old records are counted. Otherwise all domains begin anew.
 */
static void join(struct pcounter_stream *s)
{
	struct pcounter_gpu *gpu = s->d->gpu;
	u32 status = pcounter_rd32(gpu->io, GF100_RECORD_STATUS);
	u32 bytes = pcounter_rd32(gpu->io, GF100_RECORD_BYTES);

	if (pcounter_is_dead(status) || !(status & GF100_RECORD_STATUS_EMPTY) ||
	    !is_possible(gpu->record, bytes))
		stop_all(gpu);
	else
		begin_stream(s, gpu->record->freed + bytes);
}

/* ---- records ---- */

static bool is_near(u32 count, u64 period)
{
	return count >= period - period / 8 && count <= period + period / 8;
}

/*
 * hw:ambiguities/53: whether counters run on, by an input that is always 1, in records
 * that follow each other without a delay. The first one may have counts from before.
 */
static void prove(struct pcounter_stream *s, const u64 *word, bool delayed)
{
	u64 period = pcounter_record_period(s->d);
	struct pcounter_gpu *gpu = s->d->gpu;
	u32 count = word[1 + s->taken.constant / 2] >> 32 * (s->taken.constant % 2);
	u32 last = s->taken.count;
	bool whole, sums;

	s->taken.count = count;
	s->taken.tried++;
	s->taken.proofs = delayed ? 0 : s->taken.proofs + 1;
	if (s->taken.proofs < PROOFS && s->taken.tried < PROOFS_MOST)
		return;
	whole = is_near(count, period) && is_near(last, period);
	sums = is_near(count - last, period);
	if (whole == sums) {
		end_all(gpu, PCOUNTER_FAULT_SUMS);
		return;
	}
	gpu->record->sums = sums ? PCOUNTER_SUMS_YES : PCOUNTER_SUMS_NO;
	/* a reader gets no record of that */
	if (gpu->record->reader && is_borrowed(gpu))
		stop_all(gpu);
	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s))
		if (s->taken.borrows)
			pcounter_domain_want(s->d, PCOUNTER_WANT_COMMIT);
}

/*
 * Find the stream of a record, NULL if its domain has stopped since. Ids are 0 if they
 * cannot be set: then there is only one. Return false if no domain has the id.
 */
static bool find_stream(struct pcounter_gpu *gpu, unsigned int id, struct pcounter_stream **s)
{
	unsigned int dom = id - PCOUNTER_RECORD_ID;
	struct pcounter_record *r = gpu->record;

	if (dom < gpu->topo.nr) {
		*s = gpu->dom[dom].stream;
		*s = pcounter_stream_runs(*s) ? *s : NULL;
		return !r->no_ids && r->known[dom];
	}
	*s = next_stream(gpu, NULL);
	if (id || !*s || next_stream(gpu, *s))
		return false;
	r->no_ids = true;
	return true;
}

static __le64 *box_slot(struct pcounter_stream *s, u64 at)
{
	return s->box + (at & (BOX_BYTES - 1)) / sizeof(__le64);
}

static void drop_box(struct pcounter_stream *s)
{
	s->loss.overrun += pcounter_window_unread(&s->w);
	s->w.tail = s->w.head;
}

/* Keep a record for its domain; if nobody reads them, lose the older ones. */
static void put_record(struct pcounter_stream *s, const u64 *word)
{
	if (s->w.head - s->w.tail == s->w.ring) {
		drop_box(s);
		s->read.resync = true;
	}
	pcounter_packet_copy((u8 *)box_slot(s, s->w.head), word, false);
	s->w.head += s->w.packet;
}

/* Take a record that has landed, each word of which was read once; return false if it is wrong. */
static bool take_record(struct pcounter_gpu *gpu, const u64 *word)
{
	struct pcounter_stream *s;

	if (!find_stream(gpu, pcounter_timed_id(word[0]), &s) ||
	    word[0] & (PCOUNTER_TIMED_HALF | PCOUNTER_TIMED_ZERO))
		return false;
	/* made before the domain stopped */
	if (!s || gpu->record->next < s->taken.from)
		return true;
	if (!s->taken.first && !pcounter_timed_follows(word[0], s->taken.head))
		return false;
	s->taken.first = false;
	s->taken.head = word[0];
	s->taken.ns = gpu->record->now;
	s->loss.merged += word[0] & PCOUNTER_TIMED_DELAYED ? 1 : 0;
	if (gpu->record->sums == PCOUNTER_SUMS_UNKNOWN)
		prove(s, word, word[0] & PCOUNTER_TIMED_DELAYED);
	if (!s->reader.ring && !s->taken.borrows)
		put_record(s, word);
	return true;
}

/* Read the record of a slot; return false if it has not landed as a whole. */
static bool read_record(const __le64 *slot, u64 *word)
{
	u64 head = pcounter_packet_head(slot);

	if (head & PCOUNTER_TIMED_EMPTY)
		return false;
	dma_rmb();
	pcounter_packet_load(slot, head, PCOUNTER_PACKET_WORDS, word);
	/* words 6 and 7 mean nothing */
	return (u32)word[1] != U32_MAX && word[1] >> 32 != U32_MAX &&
	       (u32)word[2] != U32_MAX && word[2] >> 32 != U32_MAX;
}

/* Take the records up to a position that have landed, but not too many at once. */
static void take_records(struct pcounter_gpu *gpu, u64 head)
{
	struct pcounter_record *r = gpu->record;
	u64 word[PCOUNTER_PACKET_WORDS];
	const __le64 *slot = NULL;

	r->behind = head - r->next > TAKE_BYTES;
	if (r->behind)
		head = r->next + TAKE_BYTES;
	pcounter_ring_sync(r->bound, r->next, head - r->next, true);
	for (; r->next != head; r->next += PCOUNTER_PACKET_LONG, slot += PCOUNTER_PACKET_WORDS) {
		if (!slot || r->next % PCOUNTER_VM_PAGE == 0)
			slot = pcounter_ring_slot(r->bound, r->next);
		if (!read_record(slot, word)) {
			if (runs_late(r))
				end_all(gpu, PCOUNTER_FAULT_LATE);
			return;
		}
		r->late_ns = 0;
		if (!take_record(gpu, word)) {
			end_all(gpu, PCOUNTER_FAULT_RECORDS);
			return;
		}
	}
	r->late_ns = 0;
}

/* A domain whose clock runs, and that sends no record, does not record. */
static void watch(struct pcounter_stream *s)
{
	u32 life = 0;

	if (s->d->gpu->record->now - s->taken.ns >= SILENT_NS) {
		/* if the clock stands for long, the time goes round */
		s->taken.first = true;
		life = s->d->gpu->gen->table->life(&s->d->block, 0);
	}
	if (life && s->d->life && life != s->d->life)
		pcounter_domain_fault(s->d, PCOUNTER_FAULT_NO_PERIOD);
	s->d->life = life;
}

/*
 * A full ring has lost records. Which ones is unknown (hw:ambiguities/55), and so is whether
 * records go on after the status is cleared (hw:ambiguities/56): begin anew.
 */
static void overflow(struct pcounter_gpu *gpu, u32 lost)
{
	struct pcounter_stream *s;

	/* so many records that none can prove anything */
	if (gpu->record->sums == PCOUNTER_SUMS_UNKNOWN && ++gpu->record->floods > FLOODS_MOST)
		end_all(gpu, PCOUNTER_FAULT_SUMS);
	stop_all(gpu);
	for (s = next_stream(gpu, NULL); s; s = next_stream(gpu, s)) {
		s->loss.overrun += lost;
		s->state = s->reader.ring ? PCOUNTER_STREAM_SPOILT : s->state;
	}
}

/* Read how far the GPU is, check it, and take what has landed. */
static void look(struct pcounter_gpu *gpu)
{
	u32 bytes = pcounter_rd32(gpu->io, GF100_RECORD_BYTES);
	u32 status = pcounter_rd32(gpu->io, GF100_RECORD_STATUS);
	u32 ctrl = pcounter_rd32(gpu->io, GF100_RECORD_CTRL);
	struct pcounter_record *r = gpu->record;

	if (pcounter_is_dead(bytes) || pcounter_is_dead(status) || pcounter_is_dead(ctrl))
		end_all(gpu, PCOUNTER_FAULT_DEAD);
	else if (FIELD_GET(GF100_RECORD_STATUS_STATE, status) == GF100_RECORD_FAULTED)
		end_all(gpu, PCOUNTER_FAULT_RECORD);
	else if (!is_possible(r, bytes))
		end_all(gpu, PCOUNTER_FAULT_POSITION);
	else if (ctrl & GF100_RECORD_CTRL_OVERFLOWED)
		overflow(gpu, (r->freed + bytes - r->next) / PCOUNTER_PACKET_LONG);
	else
		take_records(gpu, r->freed + bytes);
}

/* Empty places that were read, and let the GPU write there. */
static void gf100_extend(struct pcounter_stream *s)
{
	struct pcounter_record *r = s->d->gpu->record;
	u64 end = r->next;
	u32 bytes;

	if (r->stopping || r->bound != s->ring)
		return;
	/* perf keeps one place free */
	if (s->reader.ring)
		end = r->reader->w.end + PCOUNTER_PACKET_LONG - r->reader->w.ring;
	if ((s64)(end - r->freed) <= 0)
		return;
	bytes = min_t(u64, end - r->freed, FILL_BYTES);
	pcounter_ring_empty(r->bound, r->freed, bytes);
	/* from now on the GPU may write there */
	pcounter_wr32(s->d->gpu->io, GF100_RECORD_BUMP, bytes);
	r->freed += bytes;
}

/* Look at most once in a snapshot, however many domains ask. */
static void gf100_look(struct pcounter_stream *s)
{
	struct pcounter_gpu *gpu = s->d->gpu;
	struct pcounter_record *r = gpu->record;

	if (s->d->unit.fault == PCOUNTER_OK && r->looked != gpu->snapshot) {
		r->looked = gpu->snapshot;
		r->now = ktime_get_mono_fast_ns();
		if (r->stopping)
			start_all(gpu);
		else
			look(gpu);
	}
	if (s->d->unit.fault != PCOUNTER_OK || r->stopping)
		return;
	watch(s);
	gf100_extend(s);
}

/* No software can request a record, but some may have arrived since the last look. */
static void gf100_force(struct pcounter_stream *s)
{
	s->d->gpu->record->looked = 0;
	gf100_look(s);
}

/* All bytes are the first event's of the group. */
static u32 gf100_give(struct pcounter_stream *s)
{
	const struct pcounter_record *r = s->d->gpu->record;
	u64 end;
	u32 bytes;

	if (s != r->reader || r->stopping || r->sums == PCOUNTER_SUMS_UNKNOWN)
		return 0;
	s->w.head = r->next;
	end = min(s->w.head, s->w.end);
	bytes = end - s->w.tail;
	s->w.tail = end;
	s->loss.packets += bytes / PCOUNTER_PACKET_LONG;
	s->read.cycles = s->taken.head & PCOUNTER_TIMED_CLOCK;
	s->time = local_clock();
	return bytes;
}

/* ---- from a domain's box to the totals of requests ---- */

/* Written out: a read spends most of its time here, and the compiler unrolls no loop. */
static __always_inline void add_record(u64 *sum, const struct pcounter_record_stream *rec)
{
	sum[0] += le32_to_cpu(rec->ctr[0]);
	sum[1] += le32_to_cpu(rec->ctr[1]);
	sum[2] += le32_to_cpu(rec->ctr[2]);
	sum[3] += le32_to_cpu(rec->ctr[3]);
}

/* Of counters that run on, only the last record matters: a batch counts less than 2^32. */
static void gf100_read(struct pcounter_stream *s, unsigned int most, u8 *copy,
		       struct pcounter_batch *batch)
{
	const enum pcounter_sums sums = s->d->gpu->record->sums;
	const struct pcounter_record_stream *rec = NULL;
	u64 sum[PCOUNTER_SLOTS] = { };
	unsigned int i;

	if (sums != PCOUNTER_SUMS_UNKNOWN)
		batch->n = min_t(u64, most, pcounter_window_unread(&s->w));
	for (i = 0; i < batch->n; i++) {
		rec = (const void *)box_slot(s, s->w.tail + i * sizeof(*rec));
		add_record(sum, rec);
		if (copy)
			memcpy(copy + i * sizeof(*rec), rec, sizeof(*rec));
	}
	if (!rec)
		return;
	for (i = 0; i < PCOUNTER_SLOTS; i++) {
		u32 last = le32_to_cpu(rec->ctr[i]);

		batch->ctr[i] = sums == PCOUNTER_SUMS_YES ? last - s->taken.ctr[i] : sum[i];
		s->taken.ctr[i] = last;
	}
	batch->cycles = pcounter_packet_head((const __le64 *)rec) & PCOUNTER_TIMED_CLOCK;
	batch->clocks = batch->n * pcounter_record_period(s->d);
}

/* ---- the mode ---- */

/*
 * Write a domain's id to the candidates for its register, or restore them. Return false if
 * they cannot be read.
 */
static bool set_id(struct pcounter_stream *s, bool set)
{
	const struct pcounter_block *b = &s->d->block;
	u32 base = pcounter_reg_addr(b->gen, PCOUNTER_REG_SIG_STATUS, b->nr);
	u32 id = s->d->index + PCOUNTER_RECORD_ID;

	if (set && !s->taken.has_id) {
		s->taken.found[0] = pcounter_rd32(b->io, base + REG_ID_HIGH);
		s->taken.found[1] = pcounter_rd32(b->io, base + REG_ID_LOW);
		if (pcounter_is_dead(s->taken.found[0]) || pcounter_is_dead(s->taken.found[1]))
			return false;
	}
	if (!set && !s->taken.has_id)
		return true;
	s->taken.has_id = set;
	pcounter_wr32(b->io, base + REG_ID_HIGH, !set ? s->taken.found[0] :
		      (s->taken.found[0] & ~REG_ID_HIGH_BITS) | FIELD_PREP(REG_ID_HIGH_BITS, id));
	pcounter_wr32(b->io, base + REG_ID_LOW, !set ? s->taken.found[1] :
		      (s->taken.found[1] & ~REG_ID_LOW_BITS) | FIELD_PREP(REG_ID_LOW_BITS, id));
	return true;
}

/*
 * An input that no event has counts all clocks, for prove(); until that is done, the last
 * one does in any case. Each pulse of the swap input makes a record.
 */
static void plan_inputs(struct pcounter_stream *s, struct pcounter_plan *plan)
{
	const struct pcounter_domain *d = s->d;
	bool unknown = d->gpu->record->sums == PCOUNTER_SUMS_UNKNOWN;
	unsigned int i, more = count_streams(d->gpu) / 2;

	s->taken.borrows = unknown && s->used == BIT(PCOUNTER_SLOTS) - 1;
	for (i = 0; i < PCOUNTER_SLOTS; i++) {
		struct pcounter_input *in = &plan->in[pcounter_record_inputs[i]];

		if (s->used & BIT(i) && !(s->taken.borrows && i == PCOUNTER_SLOTS - 1))
			continue;
		*in = (struct pcounter_input){ .op = PCOUNTER_OP_ALWAYS };
		s->taken.constant = i;
	}
	plan->used = BIT(PCOUNTER_SLOTS) - 1;
	plan->set.swap = d->id->trailer + pcounter_trailer_of(d->gpu->gen->caps)->periodic;
	plan->set.periodic = plan->set.periodic ?:
			     min(PCOUNTER_PERIODIC_DEFAULT + more, PERIODIC_MOST);
}

static void gf100_program(struct pcounter_domain *d, const struct pcounter_plan *plan)
{
	struct pcounter_stream *s = d->stream;
	struct pcounter_ring *ring = s->reader.ring ?: s->own;
	struct pcounter_plan all = *plan;
	struct pcounter_image img = d->hw;
	bool ran = pcounter_stream_runs(s);

	if (ran && s->ring == ring)
		pcounter_record_update(d);
	s->loss.gaps += ran;
	pcounter_record_assign(s, false);
	plan_inputs(s, &all);
	s->ring = ring;
	s->w.packet = PCOUNTER_PACKET_LONG;
	s->w.ring = s->reader.ring ? pcounter_ring_bytes(ring) : BOX_BYTES;
	s->w.guarded = s->reader.ring;
	if (s->reader.ring && s->reader.open)
		pcounter_window_free(&s->w, s->reader.room);
	else if (!s->reader.ring)
		drop_box(s);	/* counters may have other signals now */
	s->state = PCOUNTER_STREAM_RUNNING;
	pcounter_domain_hold_periodic(d, &all);
	pcounter_regs_encode(&d->block, &all, all.set.ctr, d->zero, &img);
	img.ctrl = pcounter_ctrl_in_quad(&d->block, img.ctrl);
	pcounter_regs_store(&d->block, &d->hw, &img);
	all.set.swap = 0;
	pcounter_domain_programmed(d, d->gpu->record_mode, &all);
	d->phase = PCOUNTER_PHASE_UNKNOWN;
	if (!set_id(s, true)) {
		pcounter_domain_fault(d, PCOUNTER_FAULT_DEAD);
		return;
	}
	d->gpu->record->now = ktime_get_mono_fast_ns();
	if (d->gpu->record->bound != ring)
		stop_all(d->gpu);
	else if (!d->gpu->record->stopping)
		join(s);
	if (d->gpu->record->stopping)
		start_all(d->gpu);
}

static void gf100_leave(struct pcounter_stream *s)
{
	pcounter_g84_leave(s);
	if (s->d->unit.fault != PCOUNTER_FAULT_FOREIGN_WRITE)
		set_id(s, false);
	/* it may have waited for a start */
	if (s->d->mode == s->d->gpu->record_mode)
		pcounter_domain_unprogram(s->d);
}

/* Look four times while a domain's share of the ring fills, or its box; a reader has no box. */
static u64 gf100_poll_ns(const struct pcounter_domain *d)
{
	const struct pcounter_stream *s = d->stream;
	const struct pcounter_record *r = d->gpu->record;
	u32 bytes = pcounter_ring_bytes(s->ring) / max(count_streams(d->gpu), 1U);
	u64 least = s->reader.ring ? POLL_LEAST_NS : BEHIND_POLL_NS;

	if (r->stopping)
		return POLL_LEAST_NS;
	if (s->behind || r->behind)
		return BEHIND_POLL_NS;
	if (!s->reader.ring)
		bytes = min(bytes, BOX_BYTES);
	return clamp(pcounter_record_ns(d, bytes / PCOUNTER_PACKET_LONG / 4), least, POLL_MOST_NS);
}

/* All domains have one ring, so none may go on when it leaves record mode. */
static const struct pcounter_mode_ops pcounter_gf100_mode = {
	.program = gf100_program,
	.update = pcounter_record_update,
	.collect = pcounter_record_collect,
	.collect_ns = gf100_poll_ns,
	.intact = pcounter_record_intact,
	.halt = pcounter_record_rest,
	.unused = pcounter_record_rest,
	.forget = pcounter_stream_fault_all,
};

const struct pcounter_stream_ops pcounter_stream_gf100 = {
	.mode = &pcounter_gf100_mode,
	.channel = &pcounter_channel_gf100,
	.one_ring = true,
	.box_words = BOX_BYTES / sizeof(__le64),
	.look = gf100_look,
	.extend = gf100_extend,
	.force = gf100_force,
	.give = gf100_give,
	.read = gf100_read,
	.leave = gf100_leave,
};
