// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scenario language: one command a line, described in
 * Documentation/model.rst. The control socket of the virtual GPU accepts the
 * same lines.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "pcmodel_regs.h"

#define MAX_WORDS	12

/**
 * struct words - the words of a line
 * @n: number of words
 * @at: start of each word in the line
 * @len: length of each word
 */
struct words {
	unsigned int n;
	const char *at[MAX_WORDS];
	size_t len[MAX_WORDS];
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_end(char c)
{
	return !c || c == '\n' || c == ';' || c == '#';
}

static bool split(const char *line, struct words *w)
{
	w->n = 0;
	while (!is_end(*line)) {
		if (is_space(*line)) {
			line++;
			continue;
		}
		if (w->n == MAX_WORDS)
			return false;
		w->at[w->n] = line;
		while (!is_end(*line) && !is_space(*line))
			line++;
		w->len[w->n] = line - w->at[w->n];
		w->n++;
	}
	return true;
}

static bool word_is(const struct words *w, unsigned int i, const char *text)
{
	return i < w->n && w->len[i] == strlen(text) &&
	       !strncmp(w->at[i], text, w->len[i]);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Parse a number in C notation up to @end. */
static bool number(const char *s, const char *end, u64 *value)
{
	int base = 10;

	if (end - s > 2 && s[0] == '0' && s[1] == 'x') {
		base = 16;
		s += 2;
	}
	if (s == end)
		return false;
	for (*value = 0; s < end; s++) {
		if (digit(*s) >= base || *value > (~0ULL >> 5))
			return false;
		*value = *value * base + digit(*s);
	}
	return true;
}

static bool arg(const struct words *w, unsigned int i, u64 *value)
{
	return i < w->n && number(w->at[i], w->at[i] + w->len[i], value);
}

static bool arg32(const struct words *w, unsigned int i, u32 *value)
{
	u64 wide;

	if (!arg(w, i, &wide) || wide > 0xffffffff)
		return false;
	*value = wide;
	return true;
}

/* Parse a domain: its number, or its name if the chip has sets. */
static bool domain(const struct pcmodel *m, const struct words *w, unsigned int i,
		   u32 *dom)
{
	int found;

	if (arg32(w, i, dom))
		return *dom < m->domains;
	found = i < w->n ? pcmodel_find_domain(m, w->at[i], w->len[i]) : -EINVAL;
	*dom = found;
	return found >= 0;
}

/* Parse "A/B". */
static bool fraction(const struct words *w, unsigned int i, u32 *a, u32 *b)
{
	const char *s, *end, *slash;
	u64 x, y;

	if (i >= w->n)
		return false;
	s = w->at[i];
	end = s + w->len[i];
	for (slash = s; slash < end && *slash != '/'; slash++)
		;
	if (slash == end || !number(s, slash, &x) || !number(slash + 1, end, &y) ||
	    x > 0xffffffff || y > 0xffffffff)
		return false;
	*a = x;
	*b = y;
	return true;
}

/* ---- commands; each returns NULL or the reason of a refusal ---- */

static const char *store_bits(struct pcmodel *m, const struct words *w,
			      unsigned int at, struct pcmodel_script *s)
{
	size_t need = (w->len[at] + 63) / 64, i;
	u64 *bits = &m->bits[m->bits_used];

	if (need > PCMODEL_BITS_WORDS - m->bits_used)
		return "no room for more bits";
	for (i = 0; i < w->len[at]; i++) {
		if (w->at[at][i] != '0' && w->at[at][i] != '1')
			return "bits are 0 and 1";
		if (!(i % 64))
			bits[i / 64] = 0;
		bits[i / 64] |= (u64)(w->at[at][i] - '0') << (i % 64);
	}
	m->bits_used += need;
	s->bits = bits;
	s->nbits = w->len[at];
	return NULL;
}

/* Parse a script from word @at on: "const 1", "duty 3/10 phase 2", ... */
static const char *parse_script(struct pcmodel *m, const struct words *w,
				unsigned int at, struct pcmodel_script *s)
{
	u32 level, scale = 0;

	if (word_is(w, at, "const")) {
		if (!arg32(w, at + 1, &level) || level > 1)
			return "const 0|1";
		s->kind = PCMODEL_CONST;
		s->level = level;
	} else if (word_is(w, at, "duty")) {
		s->kind = PCMODEL_DUTY;
		if (!fraction(w, at + 1, &s->high, &s->period) ||
		    (w->n > at + 2 && (!word_is(w, at + 2, "phase") ||
				       !arg32(w, at + 3, &s->phase))))
			return "duty HIGH/PERIOD [phase N]";
	} else if (word_is(w, at, "random")) {
		s->kind = PCMODEL_RANDOM;
		if (!fraction(w, at + 1, &s->share, &scale) || scale != 65536 ||
		    !word_is(w, at + 2, "seed") || !arg(w, at + 3, &s->seed))
			return "random SHARE/65536 seed N";
	} else if (word_is(w, at, "bits") && w->n > at + 1) {
		s->kind = PCMODEL_BITS;
		return store_bits(m, w, at + 1, s);
	} else {
		return "const, duty, bits or random";
	}
	return NULL;
}

static const char *cmd_signal(struct pcmodel *m, const struct words *w,
			      char *reply, size_t len)
{
	struct pcmodel_script s = { };
	const char *why;
	u32 dom, sig;

	if (!domain(m, w, 1, &dom) || !arg32(w, 2, &sig) || w->n < 5)
		return "signal DOM SIG const|duty|bits|random ...";
	why = parse_script(m, w, 3, &s);
	if (!why && pcmodel_set_signal(m, dom, sig, &s))
		return "no such domain or signal, or an impossible script";
	return why;
}

/* The signal follows the script while the mux register has VALUE; otherwise it is 0. */
static const char *cmd_mux(struct pcmodel *m, const struct words *w, char *reply,
			   size_t len)
{
	struct pcmodel_muxed *x = &m->muxed[m->nmuxed];
	const char *why;
	u32 dom, sig;

	if (m->nmuxed == PCMODEL_MUXED)
		return "too many muxes";
	if (!arg32(w, 1, &x->addr) || !arg32(w, 2, &x->mask) ||
	    !arg32(w, 3, &x->value) || !domain(m, w, 4, &dom) ||
	    !arg32(w, 5, &sig) || sig >= PCMODEL_SIGNALS)
		return "mux ADDR MASK VALUE DOM SIG const|duty|bits|random ...";
	x->dom = dom;
	x->sig = sig;
	memset(&x->script, 0, sizeof(x->script));
	why = parse_script(m, w, 6, &x->script);
	if (!why && !pcmodel_script_valid(&x->script))
		return "an impossible script";
	if (!why)
		m->nmuxed++;
	return why;
}

/* Switch to another graphics context, with other values in the muxes. */
static const char *cmd_context(struct pcmodel *m, const struct words *w, char *reply,
			       size_t len)
{
	if (w->n > 1)
		return "context";
	return pcmodel_mux_context(m) ? NULL : "no mux of this chip belongs to a context";
}

/* "units tpc MASK": set the value of 0x4008fc. */
static bool tesla_units(struct pcmodel *m, const struct words *w)
{
	return m->chip->variant >= PCMODEL_G80 && m->chip->variant < PCMODEL_GF100 &&
	       word_is(w, 1, "tpc") && w->n == 3 && arg32(w, 2, &m->tpcs);
}

/* "units tpc PLACE HWMASK SWMASK": set the TPCs that a GPC has lost. */
static bool lost_tpcs(struct pcmodel *m, const struct words *w)
{
	u32 place, masks[2];

	if (m->chip->variant < PCMODEL_GF100 || !word_is(w, 1, "tpc") || w->n != 5 ||
	    !arg32(w, 2, &place) || place >= PCMODEL_GPC_PLACES ||
	    !arg32(w, 3, &masks[0]) || !arg32(w, 4, &masks[1]))
		return false;
	memcpy(m->lost[place], masks, sizeof(masks));
	return true;
}

/* Set the masks of units, before a driver reads them. */
static const char *cmd_units(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	unsigned int at = word_is(w, 1, "part") ? 3 : 0, i;
	u32 value;

	if (tesla_units(m, w) || lost_tpcs(m, w))
		return NULL;
	if (m->chip->variant < PCMODEL_GF100 || (!at && !word_is(w, 1, "gpc")) || w->n != 5)
		return "units gpc|part COUNT HW SW, tpc PLACE HW SW; before GF100 tpc MASK";
	for (i = 0; i < 3; i++) {
		if (!arg32(w, 2 + i, &value))
			return "units gpc|part COUNT HWMASK SWMASK";
		m->units[at + i] = value;
	}
	pcmodel_enumerate(m);
	return NULL;
}

/* Set the base of a domain's trailer signals, after "units". */
static const char *cmd_trailer(struct pcmodel *m, const struct words *w,
			       char *reply, size_t len)
{
	static const char usage[] = "trailer DOM BASE|none";
	u32 dom, base = PCMODEL_NO_TRAILER;

	if (!domain(m, w, 1, &dom) || w->n != 3)
		return usage;
	if (!word_is(w, 2, "none") && (!arg32(w, 2, &base) || base % 0x20))
		return usage;
	return pcmodel_set_trailer(m, dom, base) ? usage : NULL;
}

/* Select the signal of domain 0 that is a bit of PTIMER's time. */
static const char *cmd_ptimer(struct pcmodel *m, const struct words *w, char *reply,
			      size_t len)
{
	u32 sig;

	if (!arg32(w, 1, &sig) || sig > 0xff || w->n != 2)
		return "ptimer SIG";
	m->ptimer = sig;
	return NULL;
}

/* Pulse PM_TRIGGER, like a command stream. */
static const char *cmd_trigger(struct pcmodel *m, const struct words *w,
			       char *reply, size_t len)
{
	pcmodel_trigger(m);
	return NULL;
}

static const char *cmd_method(struct pcmodel *m, const struct words *w, char *reply,
			      size_t len)
{
	u32 method, class;

	if (w->n != 3 || !arg32(w, 1, &method) || !arg32(w, 2, &class))
		return "method NUMBER CLASS";
	return pcmodel_method(m, method, class) ? NULL : "ILLEGAL_METHOD";
}

/* Set the value of PMC.ENABLE before a driver begins. */
static const char *cmd_pmc(struct pcmodel *m, const struct words *w, char *reply,
			   size_t len)
{
	u64 lint = m->lint.pmc;
	u32 value;

	if (!arg32(w, 1, &value))
		return "pmc VALUE";
	pcmodel_gf100_pmc(m, value);
	m->lint.pmc = lint;
	return NULL;
}

static const char *cmd_reset(struct pcmodel *m, const struct words *w, char *reply,
			     size_t len)
{
	pcmodel_reset(m);
	return NULL;
}

/* Change the GPU's identification to another chip; its registers stay the same. */
static const char *cmd_boot_0(struct pcmodel *m, const struct words *w,
			      char *reply, size_t len)
{
	return arg32(w, 1, &m->boot_0) ? NULL : "boot_0 VALUE";
}

static const char *cmd_preset(struct pcmodel *m, const struct words *w,
			      char *reply, size_t len)
{
	char counter[8] = "";
	u64 value;
	u32 dom;

	if (!domain(m, w, 1, &dom) || w->n != 4 || w->len[2] >= sizeof(counter) ||
	    !arg(w, 3, &value))
		return "preset DOM cycles|pre|start|event|stop VALUE";
	memcpy(counter, w->at[2], w->len[2]);
	if (pcmodel_preset(m, dom, counter, value))
		return "preset DOM cycles|pre|start|event|stop VALUE";
	return NULL;
}

static const char *cmd_clock(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	u32 dom, num, den;

	if (!domain(m, w, 1, &dom) || !fraction(w, 2, &num, &den) ||
	    pcmodel_set_clock(m, dom, num, den))
		return "clock DOM NUM/DEN";
	return NULL;
}

#define QUIRK(_name)	{ #_name, offsetof(struct pcmodel_quirks, _name) }

static const struct {
	const char *name;
	size_t offset;
} quirks[] = {
	QUIRK(write_delay), QUIRK(single_restart), QUIRK(start_cycle),
	QUIRK(no_stop_cycle), QUIRK(cycles_alt), QUIRK(spec_src), QUIRK(junk),
	QUIRK(prev_new), QUIRK(self_event), QUIRK(pulse_keep),
	QUIRK(pulse_early), QUIRK(periodic_phase), QUIRK(periodic_restart),
	QUIRK(quad_clear), QUIRK(quad_state_reset), QUIRK(g98_trailer),
	QUIRK(flush_0e), QUIRK(record_stop_next), QUIRK(record_bogus),
	QUIRK(position_early), QUIRK(position_late), QUIRK(limit_last),
	QUIRK(short_all), QUIRK(wedge_record_only), QUIRK(wedge_others),
	QUIRK(dma_limit_exclusive), QUIRK(no_system_channel), QUIRK(no_unpaged),
	QUIRK(no_shared_tables), QUIRK(flush_busy), QUIRK(record_latency),
	QUIRK(swap_latency), QUIRK(ack_swapped),
	QUIRK(clrflag_setflag_src), QUIRK(status_overlap), QUIRK(wrap32),
	QUIRK(extra_b4_gated), QUIRK(slcg_stops), QUIRK(op_bits), QUIRK(status_16),
	QUIRK(halted_pauses), QUIRK(no_levels), QUIRK(idle_none), QUIRK(idle_saturate),
	QUIRK(tpc_domains),
	QUIRK(pde_bit_0), QUIRK(stream_id), QUIRK(stream_sum), QUIRK(stream_bind_first),
	QUIRK(stream_overwrite), QUIRK(stream_clear), QUIRK(stream_empty),
	QUIRK(stream_clock), QUIRK(stream_short), QUIRK(stream_word_6),
	QUIRK(stream_fault), QUIRK(stream_mode), QUIRK(stream_position),
	QUIRK(stream_request), QUIRK(stream_restart), QUIRK(stream_latency),
	QUIRK(stream_count_late), QUIRK(stream_split), QUIRK(stream_wrap),
	QUIRK(stream_delay_latched),
	QUIRK(single_begin), QUIRK(gctrl_pm), QUIRK(mmio_reads), QUIRK(vram_reads),
	QUIRK(next_counts),
};

static const char *cmd_quirk(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	unsigned int i;
	u32 value;

	if (!arg32(w, 2, &value))
		return "quirk NAME VALUE";
	for (i = 0; i < ARRAY_SIZE(quirks); i++) {
		if (!word_is(w, 1, quirks[i].name))
			continue;
		*(u32 *)((char *)&m->quirks + quirks[i].offset) = value;
		/* a quirk may add domains */
		if (m->chip->variant >= PCMODEL_GF100)
			pcmodel_enumerate(m);
		return NULL;
	}
	return "no such quirk";
}

static const char *add_sticky(struct pcmodel *m, u32 addr, u32 val, bool more)
{
	if (m->nsticky == PCMODEL_STICKY)
		return "too many sticky registers";
	m->sticky[m->nsticky].addr = addr;
	m->sticky[m->nsticky].val = val;
	m->sticky[m->nsticky++].more = more;
	return NULL;
}

static const char *cmd_fault(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	u32 a, b;

	if (word_is(w, 1, "dead") && arg32(w, 2, &a)) {
		m->dead = a;
		return NULL;
	}
	if (word_is(w, 1, "hostile") && arg32(w, 2, &a)) {
		m->hostile = a;
		return NULL;
	}
	if (word_is(w, 1, "sticky") && arg32(w, 2, &a) && arg32(w, 3, &b))
		return add_sticky(m, a, b, false);
	if (word_is(w, 1, "more") && arg32(w, 2, &a) && arg32(w, 3, &b))
		return add_sticky(m, a, b, true);
	if (word_is(w, 1, "none")) {
		m->dead = false;
		m->hostile = 0;
		m->nsticky = 0;
		return NULL;
	}
	return "fault dead 0|1, fault hostile SEED, fault sticky|more ADDR VALUE, fault none";
}

static const char *cmd_count(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	u32 dom, sig;
	u64 from, to;

	if (!domain(m, w, 1, &dom) || !arg32(w, 2, &sig) || !arg(w, 3, &from) ||
	    !arg(w, 4, &to) || sig >= PCMODEL_SIGNALS)
		return "count DOM SIG FROM TO";
	snprintf(reply, len, "%llu",
		 (unsigned long long)pcmodel_script_count(&m->dom[dom].sig[sig],
							  from, to));
	return NULL;
}

static const char *cmd_cycle(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	u32 dom;

	if (!domain(m, w, 1, &dom))
		return "cycle DOM";
	snprintf(reply, len, "%llu", (unsigned long long)pcmodel_cycle(m, dom));
	return NULL;
}

static const char *cmd_garbage(struct pcmodel *m, const struct words *w,
			       char *reply, size_t len)
{
	u64 seed;

	if (!arg(w, 1, &seed))
		return "garbage SEED";
	pcmodel_garbage(m, seed);
	return NULL;
}

static const char *cmd_stats(struct pcmodel *m, const struct words *w,
			     char *reply, size_t len)
{
	if (word_is(w, 1, "reset")) {
		m->reads = 0;
		m->writes = 0;
		m->log_pos = 0;
		memset(&m->lint, 0, sizeof(m->lint));
		return NULL;
	}
	snprintf(reply, len,
		 "reads %llu writes %llu absent %llu bits %llu direction %llu width %llu tvout %llu pmc %llu",
		 (unsigned long long)m->reads, (unsigned long long)m->writes,
		 (unsigned long long)m->lint.absent,
		 (unsigned long long)m->lint.bits,
		 (unsigned long long)m->lint.direction,
		 (unsigned long long)m->lint.width,
		 (unsigned long long)m->lint.tvout,
		 (unsigned long long)m->lint.pmc);
	return NULL;
}

static const char *cmd_idle_signal(struct pcmodel *m, const struct words *w)
{
	struct pcmodel_script s = { };
	const char *why;
	u32 bit;

	if (!arg32(w, 2, &bit) || w->n < 5)
		return "idle signal BIT const|duty|bits|random ...";
	why = parse_script(m, w, 3, &s);
	if (!why && pcmodel_idle_signal(m, bit, &s))
		return "no such idle signal, or an impossible script";
	return why;
}

static const char *cmd_idle_show(struct pcmodel *m, const struct words *w,
				 char *reply, size_t len)
{
	u64 value, from, to;
	u32 bit;

	if (word_is(w, 1, "cycle"))
		value = m->idle.cycle;
	else if (word_is(w, 1, "foreign_writes"))
		value = m->idle.foreign_writes;
	else if (word_is(w, 1, "count") && arg32(w, 2, &bit) &&
		 arg(w, 3, &from) && arg(w, 4, &to) && bit < PCMODEL_IDLE_SIGNALS)
		value = pcmodel_script_count(&m->idle.sig[bit], from, to);
	else
		return "idle signal, clock, foreign, preset, reset, count, cycle, foreign_writes";
	snprintf(reply, len, "%llu", (unsigned long long)value);
	return NULL;
}

/* The idle counters of PDAEMON. */
static const char *cmd_idle(struct pcmodel *m, const struct words *w, char *reply,
			    size_t len)
{
	static const char none[] = "no such idle counter";
	u32 a, b, c;
	u64 mask;

	if (word_is(w, 1, "signal"))
		return cmd_idle_signal(m, w);
	if (word_is(w, 1, "clock") && fraction(w, 2, &a, &b))
		return pcmodel_idle_clock(m, a, b) ? none : NULL;
	if (word_is(w, 1, "foreign") && arg32(w, 2, &a) && arg(w, 3, &mask) &&
	    arg32(w, 4, &c))
		return pcmodel_idle_foreign(m, a, mask, c) ? none : NULL;
	if (word_is(w, 1, "preset") && arg32(w, 2, &a) && arg32(w, 3, &b))
		return pcmodel_idle_preset(m, a, b) ? none : NULL;
	if (word_is(w, 1, "reset"))
		return pcmodel_idle_reset(m) ? none : NULL;
	return cmd_idle_show(m, w, reply, len);
}

static bool tell_lie(struct pcmodel_record *r, const struct words *w)
{
	u32 value;

	if (word_is(w, 2, "honest")) {
		memset(&r->lies, 0, sizeof(r->lies));
		return true;
	}
	if (!arg32(w, 3, &value))
		return false;
	if (word_is(w, 2, "position")) {
		r->position = value & RECORD_STATUS_POSITION;
		r->shown = r->position;
	} else if (word_is(w, 2, "shows")) {
		r->lies.shows = true;
		r->lies.position = value;
	} else if (word_is(w, 2, "back")) {
		r->lies.back = value;
	} else if (word_is(w, 2, "vanish")) {
		r->lies.vanish = value;
	} else if (word_is(w, 2, "rewrite")) {
		r->lies.rewrite = value;
	} else if (word_is(w, 2, "split")) {
		r->lies.split = value;
	} else if (word_is(w, 2, "stall")) {
		r->lies.stall = value;
	} else if (word_is(w, 2, "fault") && value < PCMODEL_NO_FAULT) {
		r->lies.fault = value + 1;
	} else {
		return false;
	}
	return true;
}

/* Record mode: statistics of packets, and faults of the next packets. */
static const char *cmd_record(struct pcmodel *m, const struct words *w,
			      char *reply, size_t len)
{
	u32 dom;

	if (word_is(w, 1, "reset") && w->n == 2) {
		pcmodel_record_reset(m);
		return NULL;
	}
	if (!domain(m, w, 1, &dom) || dom >= PCMODEL_SET)
		return "record reset, record DOM [WHAT [VALUE]]";
	if (w->n == 2)
		pcmodel_record_show(&m->rec[dom], reply, len);
	else if (!tell_lie(&m->rec[dom], w))
		return "record DOM honest|position|shows|back|vanish|rewrite|split|stall|fault N";
	return NULL;
}

static void stream_show(const struct pcmodel_stream *s, char *reply, size_t len)
{
	snprintf(reply, len,
		 "bytes %u position 0x%x under_way %u sent %llu landed %llu dropped %llu overwritten %llu delayed %llu faults %llu excess %llu fault %s",
		 s->bytes, s->position, s->n, (unsigned long long)s->stats.sent,
		 (unsigned long long)s->stats.landed, (unsigned long long)s->stats.dropped,
		 (unsigned long long)s->stats.overwritten,
		 (unsigned long long)s->stats.delayed, (unsigned long long)s->stats.faults,
		 (unsigned long long)s->stats.excess,
		 pcmodel_fault_name(s->stats.faults ? s->code : PCMODEL_NO_FAULT));
}

/* Records of GF100 and later: statistics, and faults of the next records. */
static const char *cmd_stream(struct pcmodel *m, const struct words *w, char *reply,
			      size_t len)
{
	struct pcmodel_stream *s = &m->stream;
	u32 a, b;

	if (w->n == 1)
		stream_show(s, reply, len);
	else if (word_is(w, 1, "delay") && domain(m, w, 2, &a) && arg32(w, 3, &b))
		s->from[a].delay = b;
	else if (word_is(w, 1, "vanish") && arg32(w, 2, &a))
		s->vanish = a;
	else if (word_is(w, 1, "flip") && arg32(w, 2, &a) && arg32(w, 3, &b) &&
		 a < PCMODEL_STREAM_WORDS)
		s->flip[a] = b;
	else if (word_is(w, 1, "fault") && arg32(w, 2, &a) && a < PCMODEL_NO_FAULT)
		s->fault = a + 1;
	else
		return "stream, stream delay DOM N, vanish N, flip WORD BITS, fault CODE";
	return NULL;
}

static const char *cmd_dma(struct pcmodel *m, const struct words *w, char *reply,
			   size_t len)
{
	const struct pcmodel_dma *d = &m->dma;

	snprintf(reply, len,
		 "reads %llu writes %llu vram %llu blocked %llu stale %llu unflushed %llu full %llu flushes %llu lost_flushes %llu",
		 (unsigned long long)d->reads, (unsigned long long)d->writes,
		 (unsigned long long)d->vram, (unsigned long long)d->blocked,
		 (unsigned long long)d->stale, (unsigned long long)d->unflushed,
		 (unsigned long long)d->full, (unsigned long long)d->flushes,
		 (unsigned long long)d->lost_flushes);
	return NULL;
}

/* Settings of the graphics driver or the firmware. */
static const char *cmd_vm(struct pcmodel *m, const struct words *w, char *reply,
			  size_t len)
{
	u64 value;

	if (!arg(w, 2, &value))
		return "vm pd_offset|sysif|vram|half_entries VALUE";
	if (word_is(w, 1, "pd_offset"))
		m->vm.pd_offset = value;
	else if (word_is(w, 1, "sysif"))
		m->vm.sysif = value;
	else if (word_is(w, 1, "vram"))
		m->vm.vram_size = value;
	else if (word_is(w, 1, "half_entries"))
		m->vm.half_entries = value;
	else
		return "vm pd_offset|sysif|vram|half_entries VALUE";
	return NULL;
}

static const struct {
	const char *name;
	const char *(*run)(struct pcmodel *m, const struct words *w, char *reply,
			   size_t len);
} commands[] = {
	{ "signal", cmd_signal },
	{ "clock", cmd_clock },
	{ "quirk", cmd_quirk },
	{ "fault", cmd_fault },
	{ "count", cmd_count },
	{ "cycle", cmd_cycle },
	{ "garbage", cmd_garbage },
	{ "reset", cmd_reset },
	{ "preset", cmd_preset },
	{ "mux", cmd_mux },
	{ "context", cmd_context },
	{ "units", cmd_units },
	{ "trailer", cmd_trailer },
	{ "ptimer", cmd_ptimer },
	{ "trigger", cmd_trigger },
	{ "method", cmd_method },
	{ "pmc", cmd_pmc },
	{ "boot_0", cmd_boot_0 },
	{ "idle", cmd_idle },
	{ "record", cmd_record },
	{ "stream", cmd_stream },
	{ "dma", cmd_dma },
	{ "vm", cmd_vm },
	{ "stats", cmd_stats },
};

/**
 * pcmodel_command() - execute a line
 * @m: the model
 * @line: the line; it ends at the first NUL, newline, ';' or '#'
 * @reply: answer, or the reason of a refusal
 * @len: size of @reply
 *
 * Return: 0 or -EINVAL.
 */
int pcmodel_command(struct pcmodel *m, const char *line, char *reply, size_t len)
{
	const char *why = "no such command";
	struct words w;
	unsigned int i;

	snprintf(reply, len, "%s", "");
	if (!split(line, &w))
		why = "too many words";
	else if (!w.n)
		return 0;
	for (i = 0; w.n && i < ARRAY_SIZE(commands); i++)
		if (word_is(&w, 0, commands[i].name))
			why = commands[i].run(m, &w, reply, len);
	if (!why)
		return 0;
	snprintf(reply, len, "%s", why);
	return -EINVAL;
}

/**
 * pcmodel_scenario() - execute a text, line by line
 * @m: the model
 * @text: lines separated by newlines or ';'
 * @err: reason and line number of a refusal
 * @len: size of @err
 *
 * Return: 0 or -EINVAL; the lines before the refused line have been executed.
 */
int pcmodel_scenario(struct pcmodel *m, const char *text, char *err, size_t len)
{
	unsigned int line = 1;
	char reply[80];

	for (;;) {
		if (pcmodel_command(m, text, reply, sizeof(reply))) {
			snprintf(err, len, "line %u: %s", line, reply);
			return -EINVAL;
		}
		while (*text && *text != '\n' && *text != ';')
			text++;
		if (!*text)
			return 0;
		line++;
		text++;
	}
}
