// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode of G84:GF100, hw:modes/record: the engine itself writes counters
 * to memory, packet by packet.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define CTR_FULL	0xffff
#define CTR_TRIGGER	0xf000
#define STOP_FULL	0xfff
#define CYCLES_MASK	GENMASK_ULL(47, 0)

#define SHORT_CTRS	4
#define SHORT_SIZE	16
#define LONG_SIZE	32
#define FIRST_PIECE	8

/* Counter values of bogus packets. */
#define BOGUS		0xf5a0

#define WORD		64

static bool is_short(const struct pcmodel *m, unsigned int dom)
{
	return m->dom[dom].ctrl & CTRL_SHORT;
}

static bool in_record_mode(const struct pcmodel *m, unsigned int dom)
{
	return FIELD_GET(CTRL_MODE, m->dom[dom].ctrl) == MODE_RECORD;
}

/* Return true if a fault has stopped this domain's counters. */
bool pcmodel_wedged(const struct pcmodel *m, unsigned int dom)
{
	return pcmodel_has_record(m) && m->rec[dom].wedged &&
	       !m->quirks.wedge_record_only;
}

static bool counting(const struct pcmodel *m, unsigned int dom)
{
	return in_record_mode(m, dom) && !(m->gctrl & GCTRL_RECORD_RESET) &&
	       !m->rec[dom].wedged;
}

static void clear_counters(struct pcmodel_record *r)
{
	memset(r->ctr, 0, sizeof(r->ctr));
	r->stop = 0;
	r->cycles = 0;
	r->bogus = 0;
}

/* ---- packets ---- */

static void wedge(struct pcmodel *m, unsigned int dom, enum pcmodel_fault code)
{
	unsigned int i;

	m->rec[dom].fault = true;
	m->rec[dom].code = code;
	m->rec[dom].wedged = true;
	for (i = 0; m->quirks.wedge_others && i < m->domains; i++) {
		if (!m->rec[i].wedged)
			m->rec[i].code = PCMODEL_NO_FAULT;
		m->rec[i].wedged = true;
	}
}

static void move_position(struct pcmodel *m, struct pcmodel_record *r)
{
	if (r->late)
		r->shown = r->done;
	r->done = (u32)r->addr + r->size;
	r->late = m->quirks.position_early ? 0 : m->quirks.position_late;
	if (!r->late)
		r->shown = r->done;
}

/* The engine drops all packets after a packet at or beyond LIMIT. */
static bool reached_limit(const struct pcmodel *m, const struct pcmodel_record *r)
{
	u32 at = (u32)r->addr + (m->quirks.limit_last ? r->size - 1 : 0);

	return at >= r->limit;
}

/* Let the cycles land now, and the counters with the next packet. */
static enum pcmodel_fault deliver_split(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];

	r->lies.split--;
	memcpy(r->rest, r->packet + FIRST_PIECE, r->size - FIRST_PIECE);
	r->rest_addr = r->addr + FIRST_PIECE;
	r->rest_size = r->size - FIRST_PIECE;
	return pcmodel_vm_write(m, dom, r->addr, r->packet, FIRST_PIECE);
}

static enum pcmodel_fault deliver_rest(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];
	u8 size = r->rest_size;

	r->rest_size = 0;
	return size ? pcmodel_vm_write(m, dom, r->rest_addr, r->rest, size) : PCMODEL_NO_FAULT;
}

static enum pcmodel_fault deliver(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];
	enum pcmodel_fault code;
	u8 other[PCMODEL_PACKET];

	if (r->lies.fault) {
		code = r->lies.fault - 1;
		r->lies.fault = 0;
		return code;
	}
	if (r->lies.vanish) {
		r->lies.vanish--;
		r->stats.vanished++;
		return PCMODEL_NO_FAULT;
	}
	code = deliver_rest(m, dom);
	if (code != PCMODEL_NO_FAULT)
		return code;
	if (r->lies.split)
		return deliver_split(m, dom);
	code = pcmodel_vm_write(m, dom, r->addr, r->packet, r->size);
	if (code != PCMODEL_NO_FAULT || !r->lies.rewrite)
		return code;
	/* overwrite a packet that has landed */
	r->lies.rewrite--;
	memset(other, 0x5a, sizeof(other));
	return pcmodel_vm_write(m, dom, r->addr - r->size, other, r->size);
}

static void land(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];
	enum pcmodel_fault code = deliver(m, dom);

	if (code != PCMODEL_NO_FAULT) {
		wedge(m, dom, code);
		return;
	}
	r->pending = false;
	r->stats.landed++;
	if (r->aside)
		return;
	move_position(m, r);
	if (reached_limit(m, r))
		r->valid = false;
}

static void put16(u8 *at, u16 value)
{
	at[0] = value;
	at[1] = value >> 8;
}

static void fill_packet_head(struct pcmodel_record *r)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		put16(r->packet + 2 * i, r->cycles >> (16 * i));
	put16(r->packet + 6, r->stop);
}

/* hw:memory/packets */
static void fill_packet(struct pcmodel_record *r)
{
	unsigned int i;

	fill_packet_head(r);
	for (i = 0; i < PCMODEL_RECORD_CTRS; i++)
		put16(r->packet + 8 + 2 * i, r->ctr[i]);
}

static void note_losses(struct pcmodel_record *r, unsigned int ctrs)
{
	unsigned int i;

	r->stats.sent++;
	r->stats.merged += r->stop > 1 ? r->stop - 1 : 0;
	for (i = 0; i < ctrs; i++)
		r->stats.saturated += r->ctr[i] == CTR_FULL;
}

static void send(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];

	fill_packet(r);
	note_losses(r, is_short(m, dom) ? SHORT_CTRS : PCMODEL_RECORD_CTRS);
	r->size = is_short(m, dom) ? SHORT_SIZE : LONG_SIZE;
	r->addr = (u64)r->high << 32 | r->position;
	r->position += r->size;
	if (m->quirks.position_early)
		r->shown = r->position;
	r->pending = true;
	r->aside = false;
	r->wait = m->quirks.record_latency + r->lies.stall;
	r->lies.stall = 0;
	if (!r->wait)
		land(m, dom);
}

/* Return the number of counters that can request a packet. */
static unsigned int triggers(const struct pcmodel *m, unsigned int dom)
{
	return is_short(m, dom) && !m->quirks.short_all ? SHORT_CTRS :
							  PCMODEL_RECORD_CTRS;
}

static bool requested(const struct pcmodel *m, unsigned int dom)
{
	const struct pcmodel_record *r = &m->rec[dom];
	unsigned int i;

	for (i = 0; i < triggers(m, dom); i++)
		if (r->ctr[i] >= CTR_TRIGGER)
			return true;
	return r->stop;
}

/* A request during another packet waits in the counters. */
static void request(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];

	if (r->pending || !requested(m, dom))
		return;
	if (r->valid)
		send(m, dom);
	else
		r->stats.dropped++;
	memset(r->ctr, 0, sizeof(r->ctr));
	r->stop = 0;
	r->bogus -= r->bogus ? 1 : 0;
}

/* ---- clocks ---- */

static void count(struct pcmodel_record *r, const u64 src[][4], u64 mask, u64 times)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_RECORD_CTRS; i++)
		r->ctr[i] = min_t(u64, CTR_FULL, r->ctr[i] +
				  hweight64(src[i / 4][i % 4] & mask) * times);
	r->cycles = (r->cycles + hweight64(mask) * times) & CYCLES_MASK;
}

static void count_stop(struct pcmodel_record *r, u64 n)
{
	r->stop = min_t(u64, STOP_FULL, r->stop + n);
}

static void drain(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];

	if (r->late && !--r->late)
		r->shown = r->done;
	if (r->pending && !r->wedged && !--r->wait)
		land(m, dom);
}

static void make_bogus(struct pcmodel_record *r)
{
	unsigned int i;

	for (i = 0; i < PCMODEL_RECORD_CTRS; i++)
		r->ctr[i] = BOGUS + i;
}

/* Run a clock of a domain. Packets under way arrive in any mode. */
void pcmodel_record_clock(struct pcmodel *m, unsigned int dom,
			  const u64 src[][4], bool stop)
{
	struct pcmodel_record *r;

	if (!pcmodel_has_record(m))
		return;
	r = &m->rec[dom];
	drain(m, dom);
	if (!counting(m, dom))
		return;
	if (r->bogus)
		make_bogus(r);
	if (!m->quirks.record_stop_next)
		count(r, src, 1, 1);
	count_stop(r, stop);
	request(m, dom);
	if (m->quirks.record_stop_next)
		count(r, src, 1, 1);
}

/* Return how many of @words words of clocks can be run at once, at least 1. */
u64 pcmodel_record_room(const struct pcmodel *m, unsigned int dom, u64 words)
{
	const struct pcmodel_record *r;
	u64 room = words * WORD;
	unsigned int i;

	if (!pcmodel_has_record(m))
		return words;
	r = &m->rec[dom];
	if (r->pending && !r->wedged)
		room = min_t(u64, room, r->wait - 1);
	for (i = 0; !r->pending && counting(m, dom) && i < triggers(m, dom); i++)
		room = min_t(u64, room, r->ctr[i] < CTR_TRIGGER ?
			     CTR_TRIGGER - 1 - r->ctr[i] : 0);
	return max(room / WORD, (u64)1);
}

static bool only_counts(const struct pcmodel *m, unsigned int dom,
			const u64 src[][4], u64 stop, u64 mask, u64 times)
{
	const struct pcmodel_record *r = &m->rec[dom];
	unsigned int i;

	if (r->late)
		return false;
	if (r->pending && !r->wedged && r->wait <= hweight64(mask) * times)
		return false;
	if (r->pending || !counting(m, dom))
		return true;
	if (r->bogus || stop & mask)
		return false;
	for (i = 0; i < triggers(m, dom); i++)
		if (r->ctr[i] + hweight64(src[i / 4][i % 4] & mask) * times >= CTR_TRIGGER)
			return false;
	return true;
}

/*
 * Run the clocks in @mask @times times. Return false, without any effect, if
 * they cannot be run as words.
 */
bool pcmodel_record_words(struct pcmodel *m, unsigned int dom,
			  const u64 src[][4], u64 stop, u64 mask, u64 times)
{
	struct pcmodel_record *r;

	if (!pcmodel_has_record(m))
		return true;
	r = &m->rec[dom];
	if (!only_counts(m, dom, src, stop, mask, times))
		return false;
	if (r->pending && !r->wedged)
		r->wait -= hweight64(mask) * times;
	if (!counting(m, dom))
		return true;
	count(r, src, mask, times);
	count_stop(r, hweight64(stop & mask) * times);
	return true;
}

/* ---- packets without clocks ---- */

/*
 * Return the number of packets from here on in one page; the last one may be
 * the packet at LIMIT.
 */
static u64 flow_room(const struct pcmodel_record *r, u64 packets)
{
	u64 n = min_t(u64, packets, (PCMODEL_PAGE - r->position % PCMODEL_PAGE) / r->size);

	return min_t(u64, n, r->position < r->limit ? (r->limit - r->position) / r->size + 1 : 1);
}

/* Write as many packets as fit in one write; they differ only in their cycles. */
static u64 flow_page(struct pcmodel *m, unsigned int dom, u64 packets, u32 clocks)
{
	struct pcmodel_record *r = &m->rec[dom];
	u64 i, n = flow_room(r, packets);
	enum pcmodel_fault code;

	for (i = 0; i < n; i++) {
		r->cycles = (r->cycles + clocks) & CYCLES_MASK;
		fill_packet_head(r);
		memcpy(m->page + i * r->size, r->packet, SHORT_SIZE);
		if (r->size == LONG_SIZE)
			memcpy(m->page + i * r->size + SHORT_SIZE, r->packet + SHORT_SIZE,
			       SHORT_SIZE);
	}
	code = pcmodel_vm_write(m, dom, (u64)r->high << 32 | r->position, m->page, n * r->size);
	if (code != PCMODEL_NO_FAULT) {
		wedge(m, dom, code);
		return n;
	}
	r->stats.sent += n;
	r->stats.landed += n;
	r->addr = (u64)r->high << 32 | (r->position + (n - 1) * r->size);
	r->position += n * r->size;
	move_position(m, r);
	if (reached_limit(m, r))
		r->valid = false;
	return n;
}

/**
 * pcmodel_record_flow() - make packets without the clocks between them
 * @m: the model
 * @dom: the domain
 * @packets: number of requests of PERIODIC
 *
 * Counters of signals that are held at 1 count all clocks of a packet, all other
 * counters none. The cycle counter goes on, and all other clocked state stands still:
 * this is for tests of the rate of packets, not of their contents. Every packet lands
 * at once.
 *
 * Return: false, without any effect, if the domain is not in record mode.
 */
bool pcmodel_record_flow(struct pcmodel *m, unsigned int dom, u64 packets)
{
	struct pcmodel_domain *d = &m->dom[dom];
	struct pcmodel_record *r = &m->rec[dom];
	u32 clocks = pcmodel_periodic_mask(d) + 1;
	unsigned int i;

	if (!counting(m, dom))
		return false;
	if (!r->valid || r->pending || !packets)
		return true;
	r->size = is_short(m, dom) ? SHORT_SIZE : LONG_SIZE;
	for (i = 0; i < PCMODEL_RECORD_CTRS; i++) {
		const struct pcmodel_script *s =
			&d->sig[d->src[i / 4] >> (i % 4 * BITS_PER_BYTE) & 0xff];

		r->ctr[i] = s->kind == PCMODEL_CONST && s->level ? min_t(u32, clocks, CTR_FULL) : 0;
	}
	r->stop = 1;
	fill_packet(r);
	while (packets && r->valid && !r->wedged)
		packets -= flow_page(m, dom, packets, clocks);
	memset(r->ctr, 0, sizeof(r->ctr));
	r->stop = 0;
	return true;
}

/* ---- registers ---- */

/* Return RECORD_STATUS, or the false value of a lying device. */
u32 pcmodel_record_status(struct pcmodel *m, unsigned int dom)
{
	struct pcmodel_record *r = &m->rec[dom];
	u32 position = r->lies.shows ? r->lies.position : r->shown;

	if (r->lies.back) {
		r->lies.odd = !r->lies.odd;
		position -= r->lies.odd ? r->lies.back : 0;
	}
	return (position & RECORD_STATUS_POSITION) |
	       (r->fault ? RECORD_STATUS_FAULT : 0);
}

/* Begin a new buffer. This clears the counters only in record mode. */
void pcmodel_record_start(struct pcmodel *m, unsigned int dom, u32 val)
{
	struct pcmodel_record *r = &m->rec[dom];

	r->start = val;
	r->position = val;
	r->shown = val;
	r->late = 0;
	r->valid = true;
	r->aside = r->pending;
	if (in_record_mode(m, dom))
		clear_counters(r);
}

/* hw:ambiguities/18: contents of the counters on entering record mode */
void pcmodel_record_mode(struct pcmodel *m, unsigned int dom, u32 before)
{
	u32 bogus = m->quirks.record_bogus;

	if (!pcmodel_has_record(m) || before == MODE_RECORD ||
	    !in_record_mode(m, dom))
		return;
	m->rec[dom].bogus = bogus ? bogus : 1;
	if (bogus == 1 || m->gctrl & GCTRL_RECORD_RESET)
		clear_counters(&m->rec[dom]);
}

/* Handle a set bit GCTRL.RECORD_RESET. */
void pcmodel_record_held(struct pcmodel *m)
{
	unsigned int i;

	for (i = 0; i < m->domains; i++)
		clear_counters(&m->rec[i]);
}

/**
 * pcmodel_record_reset() - reset record mode with the GPU
 * @m: the model
 *
 * Only a reset restores a domain after a fault.
 */
void pcmodel_record_reset(struct pcmodel *m)
{
	memset(m->rec, 0, sizeof(m->rec));
	m->vm.bound = false;
	m->record_chan = 0;
	m->record_dma = 0;
}

const char *pcmodel_fault_name(enum pcmodel_fault code)
{
	static const char *const names[PCMODEL_NO_FAULT + 1] = {
		[PCMODEL_PT_NOT_PRESENT] = "pt_not_present",
		[PCMODEL_PT_TOO_SHORT] = "pt_too_short",
		[PCMODEL_PAGE_NOT_PRESENT] = "page_not_present",
		[PCMODEL_SUPERVISOR_ONLY] = "supervisor_only",
		[PCMODEL_READ_ONLY] = "read_only",
		[PCMODEL_NO_CHANNEL] = "no_channel",
		[PCMODEL_NULL_DMAOBJ] = "null_dmaobj",
		[PCMODEL_WRONG_MEMTYPE] = "wrong_memtype",
		[PCMODEL_VRAM_LIMIT] = "vram_limit",
		[PCMODEL_DMAOBJ_LIMIT] = "dmaobj_limit",
		[PCMODEL_NO_FAULT] = "none",
	};

	return code <= PCMODEL_NO_FAULT && names[code] ? names[code] : "?";
}

/* Print the state of a domain, for scenarios. */
void pcmodel_record_show(const struct pcmodel_record *r, char *reply, size_t len)
{
	const struct pcmodel_record_stats *s = &r->stats;

	snprintf(reply, len,
		 "valid %u position 0x%x pending %u sent %llu landed %llu dropped %llu merged %llu saturated %llu vanished %llu fault %s",
		 r->valid, r->shown, r->pending, (unsigned long long)s->sent,
		 (unsigned long long)s->landed, (unsigned long long)s->dropped,
		 (unsigned long long)s->merged, (unsigned long long)s->saturated,
		 (unsigned long long)s->vanished,
		 pcmodel_fault_name(r->wedged ? r->code : PCMODEL_NO_FAULT));
}
