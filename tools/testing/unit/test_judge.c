// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings of "pcounter scan": on many random machines on which the command has no
 * effect, and on some on which it has one.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "gpu/pmu.h"
#include "scan/survey.h"

#define MACHINES	1000
#define CYCLES		1000000000ULL
#define TOLERANCE	0.01

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
		wire->before = (struct wire_count){ share * CYCLES, CYCLES };
}

/* Scan like "pcounter scan". Others have the domain of @lost in a window. */
static void scan_with(struct survey *survey, const struct source *source, struct wire *lost)
{
	unsigned int still, driven, i;
	double t = 0;
	bool which;

	survey->suspects = 0;
	survey->changed = 0;
	for (i = 0; i < survey->nr; i++) {
		survey->wire[i] = (struct wire){ .certainty = NAN };
		look(&survey->wire[i], &source[i], t, false, true);
		look(&survey->wire[i], &source[i], t + 8, true, true);
	}
	still = judge_windows(survey);
	for (driven = still, t = 16; still + driven; t += 1 + 4 * draw()) {
		which = draw() * (still + driven) >= still;
		*(which ? &driven : &still) -= 1;
		for (i = 0; i < survey->nr; i++)
			if (!isnan(survey->wire[i].certainty))
				look(&survey->wire[i], &source[i], t, which, false);
	}
	if (lost)
		lost->driven.n--;
	survey_judge(survey);
}

static void scan(struct survey *survey, const struct source *source)
{
	scan_with(survey, source, NULL);
}

static struct source random_source(void)
{
	return (struct source){
		.noise = draw() * NOISES, .period = 0.3 + 5 * draw(), .phase = 5 * draw(),
	};
}

static struct wire wires[SURVEY_SIGNALS];
static struct survey survey = { .wire = wires, .tolerance = TOLERANCE };

static int tear_down(void **unused)
{
	free(survey.suspect);
	return 0;
}

/* Of a hundred scans without an effect, one may report a finding. */
TEST(test_noise)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, bad = 0;

	state = 1;
	for (machine = 0; machine < MACHINES; machine++) {
		survey.nr = 1 + 24 * draw();
		for (i = 0; i < survey.nr; i++)
			source[i] = random_source();
		scan(&survey, source);
		bad += survey.changed > 0;
	}
	assert_in_range(bad, 0, MACHINES / 100);
}

/* As many wires as on a chip raise no more false alarms than one. */
TEST(test_much_noise)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, bad = 0;

	state = 2;
	survey.nr = SURVEY_SIGNALS;
	for (machine = 0; machine < 10; machine++) {
		for (i = 0; i < SURVEY_SIGNALS; i++)
			source[i] = random_source();
		scan(&survey, source);
		bad += survey.changed > 0;
	}
	assert_int_equal(bad, 0);
}

/* The effect of the command is found among noise, and nothing else. */
TEST(test_change)
{
	struct source source[SURVEY_SIGNALS];
	unsigned int machine, i, k, wrong = 0;

	state = 3;
	survey.nr = 24;
	for (machine = 0; machine < MACHINES / 10; machine++) {
		for (i = 0; i < survey.nr; i++)
			source[i] = random_source();
		k = draw() * survey.nr;
		source[k].change = 1;
		scan(&survey, source);
		for (i = 0; i < survey.nr; i++)
			wrong += !wires[i].rank != (i != k);
		assert_int_equal(wires[k].rank, 1);
	}
	assert_in_range(wrong, 0, MACHINES / 1000);
}

/* A wire that was not counted in each window is neither found nor called noise. */
TEST(test_lost_window)
{
	struct source source[2] = { { .change = 1, .period = 1 }, { .change = 1, .period = 1 } };

	state = 4;
	survey.nr = 2;
	scan_with(&survey, source, &wires[0]);
	assert_int_equal(survey.suspects, 1);
	assert_int_equal(survey.unjudged, 1);
	assert_true(isnan(wires[0].certainty));
	assert_int_equal(wires[0].rank, 0);
	assert_int_equal(wires[1].rank, 1);
}

int main(void)
{
	return unit_run(NULL, tear_down);
}
