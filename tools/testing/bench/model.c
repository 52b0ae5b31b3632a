// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the clocks that the model simulates in a second: with events that count
 * constant levels, changing levels, signals of other domains, and that make packets; in
 * 1, 4 and 8 domains. Times are processor time, the best of a few runs.
 */
#include "../unit/memory_test.h"

#include <time.h>

#define ROUNDS		2
#define DOMAINS		8
#define PACKETS		100
#define TURNS		4
#define PERIODIC_1024	0x200000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void counting(unsigned int dom, const char *script)
{
	const unsigned int src[] = { PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC };
	const unsigned int op[] = { PRE_OP, START_OP, EVENT_OP, STOP_OP };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		say("signal %u %u %s", dom, i, script);
		wr(src[i], dom, i);
		wr(op[i], dom, SOURCE_0);
	}
	/* ZERO of the trailer: no signal ends a period */
	wr(SPEC_SRC, dom, m->dom[dom].trailer + 0x0c);
	wr(CTRL, dom, QUAD);
}

static void levels(unsigned int dom)
{
	counting(dom, "const 1");
}

static void plain(unsigned int dom)
{
	counting(dom, "duty 300/1000");
}

/* Use EVENT of the neighbouring domain. */
static void imports(unsigned int dom)
{
	plain(dom);
	wr(PRE_SRC, dom, m->dom[dom].trailer + 0x10 + 7 - (dom ^ 1));
}

static void packets(unsigned int dom)
{
	plain(dom);
	wr(STOP_SRC, dom, m->dom[dom].trailer + 0x0d);
	record(dom, dom * 0x4000, NEVER_LIMIT, PERIODIC_1024);
}

static double measured(void (*program)(unsigned int dom), unsigned int domains)
{
	const u64 clocks = PACKETS * 1024;
	double best = 0, took;
	unsigned int i, k, dom;

	for (i = 0; i < ROUNDS; i++) {
		set_up(0x84);
		m->dma.audit = false;
		for (dom = 0; dom < domains; dom++)
			program(dom);
		took = now();
		for (k = 0; k < TURNS; k++) {
			pcmodel_run(m, clocks);
			for (dom = 0; dom < domains; dom++)
				wr(RECORD_START, dom, dom * 0x4000);
		}
		took = TURNS * clocks / (now() - took);
		best = took > best ? took : best;
	}
	return best;
}

static void show(const char *name, void (*program)(unsigned int dom))
{
	printf("%-28s %10.1f %10.1f %10.1f\n", name, measured(program, 1) / 1e6,
	       measured(program, 4) / 1e6, measured(program, DOMAINS) / 1e6);
}

int main(void)
{
	m = calloc(1, sizeof(*m));
	printf("%-28s %10s %10s %10s\n", "M clocks/s, by domains", "1", "4", "8");
	show("counting levels that stay", levels);
	show("counting levels that change", plain);
	show("other domains' events", imports);
	show("packets", packets);
	free(m);
	return 0;
}
