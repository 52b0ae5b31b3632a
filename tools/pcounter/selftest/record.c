// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stage 5: record mode, by perf's events and an AUX area, as in "pcounter record". The
 * driver chooses all addresses.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <uapi/linux/pcounter_record.h>

#include "gpu/count.h"
#include "gpu/event.h"
#include "gpu/open.h"
#include "hw/layout.h"
#include "lib/tool.h"
#include "rules/chip.h"
#include "selftest/selftest.h"

#define DATA_PAGES	16
#define AUX_PAGES	16	/* the least that the driver accepts */
#define PERIOD		1024	/* clocks between two packets, periodic=1 */
#define FULL_MS		5000	/* upper bound for the area to become full */
#define LOOK_MS		20
#define EMPTY		0xff	/* the driver fills the area with this */

/**
 * struct recorder - an event that records PERIODIC of a domain
 * @fd: the event, and an event that counts clocks
 * @page: data area
 * @aux: AUX area
 * @size: size of the AUX area in bytes
 */
struct recorder {
	int fd[2];
	struct perf_event_mmap_page *page;
	unsigned char *aux;
	size_t size;
};

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

static void recorder_close(struct recorder *r)
{
	unsigned int i;

	if (r->aux)
		munmap(r->aux, r->size);
	if (r->page)
		munmap(r->page, r->page->aux_offset);
	for (i = 2; i--; )
		if (r->fd[i] >= 0)
			close(r->fd[i]);
}

static int recorder_open(struct recorder *r, const struct pmu *pmu, unsigned int dom)
{
	const struct perf_event_attr sampled = {
		.sample_period = 1, .sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	}, counted = {};
	const struct pcounter_dom_id *id = &pmu->topo.dom[dom];
	struct event event;
	char terms[48];
	int err;

	memset(r, 0, sizeof(*r));
	r->size = AUX_PAGES * sysconf(_SC_PAGESIZE);
	snprintf(terms, sizeof(terms), "record,sig=%u,periodic=1",
		 id->trailer + pcounter_trailer_of(pmu->topo.caps)->periodic);
	wire_event(pmu, dom, terms, &event);
	r->fd[0] = event_open(&event, -1, sampled);
	if (r->fd[0] < 0)
		return r->fd[0];
	wire_event(pmu, dom, "record,clk", &event);
	r->fd[1] = event_open(&event, r->fd[0], counted);
	if (r->fd[1] >= 0) {
		r->page = data_map(r->fd[0], DATA_PAGES);
		r->aux = r->page ? area_map(r->fd[0], r->page, r->size) : NULL;
	}
	err = r->fd[1] < 0 ? r->fd[1] : r->aux ? 0 : -errno;
	if (err)
		recorder_close(r);
	return err;
}

static uint64_t recorder_clocks(const struct recorder *r)
{
	uint64_t clocks;

	return read(r->fd[1], &clocks, sizeof(clocks)) == sizeof(clocks) ? clocks : 0;
}

static uint64_t position(const struct recorder *r)
{
	return __atomic_load_n(&r->page->aux_head, __ATOMIC_ACQUIRE);
}

/* Return true if the area is full: perf keeps a byte free, so the driver at least a packet. */
static bool is_full(const struct recorder *r)
{
	return position(r) + 2 * sizeof(struct pcounter_record_packet) >= r->size;
}

/* ---- packets ---- */

static struct pcounter_record_packet packet_at(const struct recorder *r, uint64_t n)
{
	struct pcounter_record_packet packet;

	memcpy(&packet, r->aux + n * sizeof(packet) % r->size, sizeof(packet));
	return packet;
}

static uint64_t cycles_of(const struct pcounter_record_packet *p)
{
	return le16toh(p->cycles[0]) | (uint64_t)le16toh(p->cycles[1]) << 16 |
	       (uint64_t)le16toh(p->cycles[2]) << 32;
}

static bool is_empty(const struct pcounter_record_packet *p)
{
	const unsigned char *byte = (const void *)p;
	unsigned int i;

	for (i = 0; i < sizeof(*p) && byte[i] == EMPTY; i++)
		;
	return i == sizeof(*p);
}

/*
 * Count the packets after the driver's position. The position is that of the last poll:
 * newer packets, and one that was in flight, are right after it.
 */
static void look_beyond(const struct recorder *r, struct packets *p)
{
	uint64_t all = r->size / sizeof(struct pcounter_record_packet), i;
	bool empty = false;

	for (i = p->n; i < all; i++) {
		struct pcounter_record_packet packet = packet_at(r, i);

		if (is_empty(&packet))
			empty = true;
		else if (empty)
			p->stray++;
		else
			p->beyond++;
	}
}

/* Summarise the packets from the begin of an area that nobody has read. */
static void look_at_packets(const struct recorder *r, struct packets *p)
{
	uint64_t before = 0, now, i;

	memset(p, 0, sizeof(*p));
	p->n = position(r) / sizeof(struct pcounter_record_packet);
	for (i = 0; i < p->n; i++, before = now) {
		struct pcounter_record_packet packet = packet_at(r, i);

		now = cycles_of(&packet);
		if (le16toh(packet.stop) >> 12) {
			p->missing++;
			continue;
		}
		p->uneven += i && now - before != PERIOD;
		p->sum += le16toh(packet.ctr[0]);
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
static bool check_packets(struct selftest *test, const struct recorder *r, const char *name)
{
	struct packets p;
	uint64_t clocks;

	ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	wait_ms(COUNT_MS);
	ioctl(r->fd[0], PERF_EVENT_IOC_DISABLE, 0);
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
static void check_limit(struct selftest *test, const struct recorder *r, const char *name)
{
	struct pcounter_record_packet first = packet_at(r, 0), now;
	struct packets p;
	unsigned int ms;
	bool kept;

	ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	for (ms = 0; ms < FULL_MS && !is_full(r) && !selftest_over(test); ms += LOOK_MS)
		wait_ms(LOOK_MS);
	wait_ms(COUNT_MS);
	ioctl(r->fd[0], PERF_EVENT_IOC_DISABLE, 0);
	/* with a slow clock the area is not full in time: no result */
	if (!is_full(r))
		return;
	now = packet_at(r, 0);
	kept = !memcmp(&first, &now, sizeof(now));
	look_at_packets(r, &p);
	selftest_check(test, "LIMIT keeps the GPU from what was not read",
		       kept && position(r) <= r->size && !p.missing, name,
		       packet_numbers(&p, recorder_clocks(r)));
}

/* Return false at the first danger. */
static bool check_domain(struct selftest *test, unsigned int dom, const char *name, bool *limit)
{
	struct recorder r;
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
	recorder_close(&r);
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
	int err;

	selftest_stage(test, 5, "record",
		       "a channel and memory of the module's; a fault stops a domain until a reset");
	if (!(pmu->topo.caps & PCOUNTER_CAP_RECORD))
		return;
	measure_clocks(pmu, COUNT_MS, hz, &err);
	for (i = 0; i < pmu->topo.nr && good && !selftest_over(test); i++) {
		const struct pcounter_dom_id *id = &pmu->topo.dom[i];

		if (hz[i] <= 0 || id->trailer == PCOUNTER_TRAILER_UNKNOWN || id->disputed)
			continue;
		pcounter_dom_name(&pmu->topo, i, name, sizeof(name));
		good = check_domain(test, i, name, &limit);
	}
}
