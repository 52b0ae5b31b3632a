// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the rate of this machine's time stamp counter in kHz: QEMU gives it to guests
 * unchanged. A kernel without ACPI has only a timer of the PC to measure it by, with
 * errors up to a half on a busy machine.
 *
 * Prints nothing on machines without such a counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000ULL
#define LOOKS		1000
#define PAUSE_NS	(NSEC_PER_SEC / 5)

#ifdef __x86_64__
#include <x86intrin.h>

struct moment {
	uint64_t ticks;
	uint64_t ns;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Read both clocks together: of several reads return the shortest, which is undisturbed. */
static struct moment look(void)
{
	uint64_t least = UINT64_MAX, before, ticks, after;
	struct moment best = {};
	unsigned int i;

	for (i = 0; i < LOOKS; i++) {
		before = now();
		ticks = __rdtsc();
		after = now();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct moment){ .ticks = ticks, .ns = before + least / 2 };
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct moment first = look(), last;

	nanosleep(&pause, NULL);
	last = look();
	printf("%.0f\n", 1e6 * (last.ticks - first.ticks) / (last.ns - first.ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
