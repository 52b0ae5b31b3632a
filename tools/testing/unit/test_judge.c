// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings of "pcounter scan": on many random machines on which the command has no
 * effect, and on some on which it has one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>

#include "gpu/pmu.h"
#include "scan/survey.h"

#define MACHINES	1000
#define CYCLES		1000000000ULL
#define TOLERANCE	0.01
#define DOM		1

static uint64_t state;

/* xorshift64*: the same on each machine */
static double draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 11) / (double)(1ULL << 53);
}

/* Behaviour of a wire by itself; all of it is seen in nature. */
enum noise {
	SQUARE,	/* a period near the length of a window */
	COIN,	/* 1 for all of a window, or 0 */
	RARE,	/* hardly ever anything, and then much */
	DRIFT,	/* more and more */
	NOISES
};

/**
 * struct source - a wire
 * @noise: its kind
 * @period: of a square wave, in windows
 * @phase: start of the wave
 * @change: effect of the command
 */
struct source {
	enum noise noise;
	double period;
	double phase;
	double change;
};

/* Return the time before @t for which a square wave is 1. */
static double square_until(double t, double period)
{
	double whole = floor(t / period);

	return whole * period / 2 + fmin(t - whole * period, period / 2);
}

static double share_at(const struct source *source, double t, bool driven)
{
	double share;

	switch (source->noise) {
	case SQUARE:
		t += source->phase;
		share = square_until(t + 1, source->period) - square_until(t, source->period);
		break;
	case COIN:
		share = draw() < 0.5;
		break;
	case RARE:
		share = draw() < 0.1 ? draw() : 0;
		break;
	default:
		share = 0.2 + t / 200;
		break;
	}
	return share * 0.5 + 0.2 + (driven ? source->change : 0);
}

static void look(struct wire *wire, const struct source *source, double t, bool driven, bool first)
{
	struct shares *shares = driven ? &wire->driven : &wire->still;
	double share = share_at(source, t, driven);

	shares->share[shares->n++] = share;
	if (first && !driven)
		wire->before = (struct sample){ share * CYCLES, CYCLES };
}

/* Scan like "pcounter scan". */
static void scan(struct survey *survey, const struct source *source)
{
	struct survey_dom *dom = &survey->dom[DOM];
	unsigned int still, driven, i;
	double t = 0;
	bool which;

	for (i = 0; i < dom->nr; i++) {
		memset(&dom->wire[i], 0, sizeof(dom->wire[i]));
		look(&dom->wire[i], &source[i], t, false, true);
		look(&dom->wire[i], &source[i], t + 8, true, true);
	}
	still = judge_windows(survey, TOLERANCE);
	for (driven = still, t = 16; still + driven; t += 1 + 4 * draw()) {
		which = draw() * (still + driven) >= still;
		*(which ? &driven : &still) -= 1;
		for (i = 0; i < dom->nr; i++)
			if (wire_suspicious(&dom->wire[i], TOLERANCE))
				look(&dom->wire[i], &source[i], t, which, false);
	}
	survey_judge(survey, TOLERANCE);
}

static struct source random_source(void)
{
	return (struct source){
		.noise = draw() * NOISES, .period = 0.3 + 5 * draw(), .phase = 5 * draw(),
	};
}

static bool found_any(const struct survey_dom *dom)
{
	unsigned int i;

	for (i = 0; i < dom->nr; i++)
		if (dom->wire[i].rank)
			return true;
	return false;
}

static struct survey survey;
static struct pmu *pmu;

static int set_up(void **unused)
{
	static struct gpu gpu;

	pmu = pmu_offline("G84");
	gpu.pmu = pmu;
	survey.gpu = &gpu;
	survey.dom = calloc(pmu->topo.nr, sizeof(*survey.dom));
	return survey.dom ? 0 : -1;
}

static int tear_down(void **unused)
{
	free(survey.dom);
	pmu_free(pmu);
	return 0;
}

/* Of a hundred scans without an effect, one may report a finding. */
static void test_noise(void **unused)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, bad = 0;

	state = 1;
	for (machine = 0; machine < MACHINES; machine++) {
		survey.dom[DOM].nr = 1 + 24 * draw();
		for (i = 0; i < survey.dom[DOM].nr; i++)
			source[i] = random_source();
		scan(&survey, source);
		bad += found_any(&survey.dom[DOM]);
	}
	assert_in_range(bad, 0, MACHINES / 100);
}

/* As many wires as on a chip raise no more false alarms than one. */
static void test_much_noise(void **unused)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, bad = 0;

	state = 2;
	survey.dom[DOM].nr = SURVEY_SIGNALS;
	for (machine = 0; machine < 10; machine++) {
		for (i = 0; i < SURVEY_SIGNALS; i++)
			source[i] = random_source();
		scan(&survey, source);
		bad += found_any(&survey.dom[DOM]);
	}
	assert_int_equal(bad, 0);
}

/* The effect of the command is found among noise, and nothing else. */
static void test_change(void **unused)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, k, wrong = 0;

	state = 3;
	survey.dom[DOM].nr = 24;
	for (machine = 0; machine < MACHINES / 10; machine++) {
		for (i = 0; i < survey.dom[DOM].nr; i++)
			source[i] = random_source();
		k = draw() * survey.dom[DOM].nr;
		source[k].change = 1;
		scan(&survey, source);
		for (i = 0; i < survey.dom[DOM].nr; i++)
			wrong += !survey.dom[DOM].wire[i].rank != (i != k);
		assert_int_equal(survey.dom[DOM].wire[k].rank, 1);
	}
	assert_in_range(wrong, 0, MACHINES / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_much_noise),
		cmocka_unit_test(test_change),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
