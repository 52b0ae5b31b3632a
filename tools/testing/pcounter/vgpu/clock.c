// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time in reference cycles: the host's monotonic clock, or the settings from the control
 * socket.
 */
#include <poll.h>
#include <time.h>

#include "vgpu.h"

#define NSEC_PER_SEC	1000000000ULL

/*
 * The clock drops a lag beyond this: a model that cannot keep up has a slow clock, which
 * is legal, instead of hanging the guest, which is not.
 */
#define CLOCK_LAG_NS	(500 * 1000000ULL)

/* Cycles that even the slowest programs of the model run in a negligible time. */
#define CLOCK_SLICE	256

/*
 * A guest that waits between two accesses sees that the GPU went on, even if this
 * process had no processor in between: by this number of cycles, if it waited that long.
 */
#define CLOCK_WAITED	16384

static u64 clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* A guest that waits for a register must not wait for the clock, too. */
static bool clock_wanted(const struct vgpu *gpu)
{
	struct pollfd fds = { .fd = gpu->qemu_fd, .events = POLLIN };

	return poll(&fds, 1, 0) > 0;
}

/**
 * clock_start() - set up the reference clock
 * @clock:	the clock
 * @hz:		cycles per second when it follows the host's clock
 * @frozen:	true if it starts frozen
 */
void clock_start(struct vgpu_clock *clock, u64 hz, bool frozen)
{
	clock->hz = hz;
	clock->frozen = frozen;
	clock->last_ns = clock_now();
}

/**
 * clock_follow() - run the model towards the host's time
 * @gpu:	the GPU
 * @budget_ns:	host time after which it stops trying
 * @least:	cycles that run first, without a time limit
 */
void clock_follow(struct vgpu *gpu, u64 budget_ns, u64 least)
{
	struct vgpu_clock *clock = &gpu->clock;
	u64 now = clock_now(), end = now + budget_ns;
	u64 slice = CLOCK_SLICE, lag, most, done = 0;

	if (clock->frozen)
		return;

	/* hz is at most 1 GHz, the time between two ticks some milliseconds */
	lag = (now - clock->last_ns) * clock->hz + clock->fraction;
	clock->fraction = lag % NSEC_PER_SEC;
	clock->behind += lag / NSEC_PER_SEC;
	clock->last_ns = now;

	do {
		if (slice > clock->behind)
			slice = clock->behind;
		pcmodel_run(gpu->model, slice);
		clock->behind -= slice;
		done += slice;
		slice *= 2;
	} while (clock->behind && (done < least || (clock_now() < end && !clock_wanted(gpu))));

	most = CLOCK_LAG_NS * clock->hz / NSEC_PER_SEC;
	if (clock->behind > most) {
		clock->slipped += clock->behind - most;
		clock->behind = most;
	}
}

/**
 * clock_access() - run the model for the duration of a register access
 * @gpu:	the GPU
 */
void clock_access(struct vgpu *gpu)
{
	struct vgpu_clock *clock = &gpu->clock;
	u64 waited = clock_now() - clock->access_ns;

	if (waited > NSEC_PER_SEC)
		waited = NSEC_PER_SEC;
	waited = waited * clock->hz / NSEC_PER_SEC;
	if (waited > CLOCK_WAITED)
		waited = CLOCK_WAITED;
	if (!clock->frozen)
		clock_follow(gpu, CLOCK_ACCESS_NS, waited);
	else if (clock->step)
		pcmodel_run(gpu->model, clock->step);
	clock->access_ns = clock_now();
}

/**
 * clock_freeze() - stop following the host's clock, or start again
 * @gpu:	the GPU
 * @frozen:	true to freeze time
 */
void clock_freeze(struct vgpu *gpu, bool frozen)
{
	clock_follow(gpu, CLOCK_TICK_NS, 0);
	gpu->clock.behind = 0;
	gpu->clock.frozen = frozen;
	gpu->clock.last_ns = clock_now();
}
