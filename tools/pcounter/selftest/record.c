// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stage 5: record mode, by perf's events and an AUX area, as in "pcounter record". The
 * driver chooses all addresses.
 */
#include "capture/packet.h"
#include "gpu/count.h"
#include "lib/tool.h"
#include "rules/topo.h"
#include "selftest/selftest.h"

#define AUX_PAGES	16	/* the least that the driver accepts */
#define PERIOD		1024	/* clocks between two packets, periodic=1 */
#define FULL_MS		5000	/* upper bound for the area to become full */
#define LOOK_MS		20
#define EMPTY		0xff	/* the driver fills the area with this */
#define PACKET		sizeof(struct pcounter_record_packet)

/**
 * struct packets - summary of the recorded packets
 * @n: number of packets up to the driver's position
 * @missing: number of these packets that never arrived
 * @uneven: number of these packets that are not PERIOD clocks after the previous one
 * @sum: sum of the counts of PERIODIC
 * @beyond: number of packets right after the position
 * @stray: number of packets elsewhere
 */
struct packets {
	uint64_t n;
	uint64_t missing;
	uint64_t uneven;
	uint64_t sum;
	uint64_t beyond;
	uint64_t stray;
};

/* ---- perf ---- */

/* Open an event that records PERIODIC of a domain, and one that counts clocks. */
static int recorder_open(struct count *r, const struct pmu *pmu, unsigned int dom)
{
	unsigned int periodic = pmu->topo.dom[dom].trailer +
				pcounter_trailer_of(pmu->topo.caps)->periodic;
	struct event event[2];
	int err;

	wire_event(pmu, dom, text_tmp("record,sig=%u,periodic=1", periodic), &event[0]);
	wire_event(pmu, dom, "record,clk", &event[1]);
	err = record_open(r, event, 2) ?: record_map(r, AUX_PAGES);
	if (err)
		count_close(r);
	return err;
}

static uint64_t recorder_clocks(struct count *r)
{
	return count_read(r) ? r->value[1] : 0;
}

static uint64_t position(const struct count *r)
{
	return __atomic_load_n(&r->page->aux_head, __ATOMIC_ACQUIRE);
}

/* Return true if the area is full: perf keeps a byte free, so the driver at least a packet. */
static bool is_full(const struct count *r)
{
	return position(r) + 2 * PACKET >= r->size;
}

/* ---- packets ---- */

static const char *packet_at(const struct count *r, uint64_t n)
{
	return r->aux + n * PACKET % r->size;
}

static bool is_empty(const char *packet)
{
	unsigned int i = 0;

	while (i < PACKET && packet[i] == (char)EMPTY)
		i++;
	return i == PACKET;
}

/*
 * Count the packets after the driver's position. The position is that of the last poll:
 * newer packets, and one that was in flight, are right after it.
 */
static void look_beyond(const struct count *r, struct packets *p)
{
	bool empty = false;
	uint64_t i;

	for (i = p->n; i < r->size / PACKET; i++) {
		if (is_empty(packet_at(r, i)))
			empty = true;
		else if (empty)
			p->stray++;
		else
			p->beyond++;
	}
}

/* Summarise the packets from the begin of an area that nobody has read. */
static void look_at_packets(const struct count *r, struct packets *p)
{
	uint64_t before = 0, now, i;

	memset(p, 0, sizeof(*p));
	p->n = position(r) / PACKET;
	for (i = 0; i < p->n; i++, before = now) {
		const char *packet = packet_at(r, i);

		now = packet_cycle(packet);
		if (packet_is_missing(packet)) {
			p->missing++;
			continue;
		}
		p->uneven += i && now - before != PERIOD;
		p->sum += packet_counter(packet, 0);
	}
	look_beyond(r, p);
}

static json_t *packet_numbers(const struct packets *p, uint64_t clocks)
{
	return json_pack("[I, I, I, I, I, I, I]", (json_int_t)p->n, (json_int_t)p->missing,
			 (json_int_t)p->uneven, (json_int_t)p->sum, (json_int_t)p->beyond,
			 (json_int_t)p->stray, (json_int_t)clocks);
}

/* ---- checks ---- */

static bool near(uint64_t a, uint64_t b, uint64_t slack)
{
	return a + slack >= b && a <= b + slack;
}

/* Return false if the stage should not go on. */
static bool check_packets(struct selftest *test, struct count *r, const char *name)
{
	struct packets p;
	uint64_t clocks;

	count_enable(r, true);
	wait_ms(COUNT_MS);
	count_enable(r, false);
	look_at_packets(r, &p);
	clocks = recorder_clocks(r);
	selftest_check(test, "packets arrive by a channel in system memory", p.n, name,
		       packet_numbers(&p, clocks));
	if (!p.n)
		return false;
	selftest_check(test, "packets are 1024 clocks apart", !p.uneven && near(p.sum, p.n, 1) &&
		       near(clocks / PERIOD, p.n - p.missing, 2), name, packet_numbers(&p, clocks));
	selftest_check(test, "memory is as far as the position says", !p.missing && !p.stray, name,
		       packet_numbers(&p, clocks));
	return !p.missing;
}

/* Check that the GPU stops at the driver's LIMIT while nobody reads the area. */
static void check_limit(struct selftest *test, struct count *r, const char *name)
{
	char first[PACKET];
	struct packets p;
	unsigned int ms;

	memcpy(first, packet_at(r, 0), PACKET);
	count_enable(r, true);
	for (ms = 0; ms < FULL_MS && !is_full(r) && !selftest_over(test); ms += LOOK_MS)
		wait_ms(LOOK_MS);
	wait_ms(COUNT_MS);
	count_enable(r, false);
	/* with a slow clock the area is not full in time: no result */
	if (!is_full(r))
		return;
	look_at_packets(r, &p);
	selftest_check(test, "LIMIT keeps the GPU from what was not read",
		       !memcmp(first, packet_at(r, 0), PACKET) && position(r) <= r->size &&
		       !p.missing, name, packet_numbers(&p, recorder_clocks(r)));
}

/* Return false at the first danger. */
static bool check_domain(struct selftest *test, unsigned int dom, const char *name, bool *limit)
{
	struct count r;
	int err = recorder_open(&r, test->gpu->pmu, dom);
	bool good;

	if (err) {
		selftest_check(test, "record mode can be opened", false, name,
			       json_pack("[i]", err));
		return false;
	}
	good = check_packets(test, &r, name);
	if (good && !*limit && !selftest_over(test)) {
		check_limit(test, &r, name);
		*limit = true;
	}
	count_close(&r);
	return good;
}

/**
 * selftest_record() - run stage 5: check packets of record mode, if the chip has it
 * @test: the run
 *
 * The stage ends at the first domain without packets: only a reset of the GPU clears a
 * fault of recording.
 */
void selftest_record(struct selftest *test)
{
	const struct pmu *pmu = test->gpu->pmu;
	char name[PCOUNTER_DOM_NAME];
	double hz[PCOUNTER_MAX_DOMAINS];
	bool good = true, limit = false;
	unsigned int i;

	selftest_stage(test, 5, "record",
		       "a channel and memory of the module's; a fault stops a domain until a reset");
	if (!(pmu->topo.caps & PCOUNTER_CAP_RECORD))
		return;
	measure_clocks(pmu, COUNT_MS, hz);
	for (i = 0; i < pmu->topo.nr && good && !selftest_over(test); i++) {
		if (hz[i] <= 0 || !trailer_known(&pmu->topo.dom[i]))
			continue;
		pcounter_dom_name(&pmu->topo, i, name, sizeof(name));
		good = check_domain(test, i, name, &limit);
	}
}
