// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stage 5: record mode, by perf's events and an AUX area, as in "pcounter record". The
 * driver chooses all addresses.
 */
#include "capture/capture.h"
#include "gpu/count.h"
#include "lib/util.h"
#include "selftest/selftest.h"

#define AUX_PAGES	16	/* the least that the driver accepts */
#define PERIOD		1024	/* clocks between two packets, periodic=1 */
#define FULL_MS		5000	/* upper bound for the area to become full */
#define LOOK_MS		20
#define PACKET		sizeof(struct pcounter_record_packet)

/* Numbers of packets, in the order of the evidence. */
enum {
	PACKETS,	/* up to the driver's position */
	MISSING,	/* of these, packets that never arrived */
	UNEVEN,		/* of these, packets that are not PERIOD clocks after the previous one */
	SUM,		/* of the counts of PERIODIC */
	BEYOND,		/* right after the position */
	STRAY,		/* elsewhere */
	CLOCKS,		/* cycle counter of the last packet: it starts before record mode */
	NUMBERS
};

/* ---- perf ---- */

/* Open an event that records PERIODIC of a domain. */
static int recorder_open(struct count *r, const struct pmu *pmu, unsigned int dom)
{
	unsigned int periodic = pmu->topo.dom[dom].trailer +
				pcounter_trailer_of(pmu->topo.caps)->periodic;
	struct event event;
	int err;

	wire_event(pmu, dom, text_tmp("record,sig=%u,periodic=1", periodic), &event);
	event.sampling = true;
	err = count_open(r, &event, 1) ?: record_map(r, AUX_PAGES);
	if (err)
		count_close(r);
	return err;
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

static const struct pcounter_record_packet *packet_at(const struct count *r, uint64_t n)
{
	return (const void *)(r->aux + n * PACKET % r->size);
}

/*
 * Count the packets after the driver's position. The position is that of the last poll:
 * newer packets, and one that was in flight, are right after it.
 */
static void look_beyond(const struct count *r, uint64_t *p)
{
	bool empty = false;
	uint64_t i;

	for (i = p[PACKETS]; i < r->size / PACKET; i++) {
		if (packet_is_missing(packet_at(r, i)))
			empty = true;
		else
			p[empty ? STRAY : BEYOND]++;
	}
}

/* Summarise the packets from the begin of an area that nobody has read. */
static void look_at_packets(struct count *r, uint64_t *p)
{
	uint64_t before = 0, now, i;

	memset(p, 0, NUMBERS * sizeof(*p));
	p[PACKETS] = position(r) / PACKET;
	for (i = 0; i < p[PACKETS]; i++, before = now) {
		const struct pcounter_record_packet *packet = packet_at(r, i);

		now = packet_cycle(packet);
		if (packet_is_missing(packet)) {
			p[MISSING]++;
			continue;
		}
		p[UNEVEN] += i && now - before != PERIOD;
		p[SUM] += packet_counter(packet, 0);
	}
	look_beyond(r, p);
	p[CLOCKS] = before;
}

/* ---- checks ---- */

/* Report a check, with the numbers of packets as evidence. */
static void report(struct selftest *test, unsigned int dom, const char *name, bool ok,
		   const uint64_t *p)
{
	selftest_check(test, name, ok, test->gpu->pmu->topo.dom[dom].name,
		       selftest_numbers(p, NUMBERS));
}

/* Return false if the stage should not go on. */
static bool check_packets(struct selftest *test, struct count *r, unsigned int dom)
{
	uint64_t p[NUMBERS];

	count_enable(r, true);
	wait_ms(COUNT_MS);
	count_enable(r, false);
	look_at_packets(r, p);
	report(test, dom, "packets arrive by a channel in system memory", p[PACKETS], p);
	if (!p[PACKETS])
		return false;
	report(test, dom, "packets are 1024 clocks apart",
	       !p[UNEVEN] && near(p[SUM], p[PACKETS], 1), p);
	report(test, dom, "memory is as far as the position says", !p[MISSING] && !p[STRAY], p);
	return !p[MISSING];
}

/* Check that the GPU stops at the driver's LIMIT while nobody reads the area. */
static void check_limit(struct selftest *test, struct count *r, unsigned int dom)
{
	uint64_t p[NUMBERS];
	char first[PACKET];
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
	look_at_packets(r, p);
	report(test, dom, "LIMIT keeps the GPU from what was not read",
	       !memcmp(first, packet_at(r, 0), PACKET) && position(r) <= r->size && !p[MISSING], p);
}

/* Return false at the first danger. */
static bool check_domain(struct selftest *test, unsigned int dom, bool *limit)
{
	struct count r;
	int err = recorder_open(&r, test->gpu->pmu, dom);
	bool good;

	if (err) {
		selftest_check(test, "record mode can be opened", false,
			       test->gpu->pmu->topo.dom[dom].name,
			       selftest_numbers((uint64_t[]){ err }, 1));
		return false;
	}
	good = check_packets(test, &r, dom);
	if (good && !*limit && !selftest_over(test)) {
		check_limit(test, &r, dom);
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
	double hz[PCOUNTER_MAX_DOMAINS];
	bool good = true, limit = false;
	unsigned int i;

	selftest_stage(test, 5, "record",
		       "a channel and memory of the module's; a fault stops a domain until a reset");
	if (!(pmu->topo.caps & PCOUNTER_CAP_PACKETS))
		return;
	measure_clocks(pmu, COUNT_MS, hz);
	for (i = 0; i < pmu->topo.nr && good && !selftest_over(test); i++)
		if (hz[i] > 0 && trailer_known(&pmu->topo.dom[i]))
			good = check_domain(test, i, &limit);
}
