// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of the positions of record mode, over random sequences of what a GPU and a
 * reader may do. The GPU here follows hw:modes/record: it writes a packet, and stops
 * behind one at or beyond LIMIT.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "record/window.h"

#define PAGE		4096U
#define RING		(16 * PAGE)
#define SLOTS		(RING / 16)
#define SHARE		BIT(28)
#define STEPS		600
#define OLD		~0ULL	/* data from before this stream */

/**
 * struct sim - a GPU, a ring, and a reader
 * @w: the driver's view
 * @last: LIMIT compares the last byte of a packet, not the first
 * @valid: the GPU writes packets
 * @address: where it writes the next one
 * @limit: its LIMIT
 * @position: position of the next packet
 * @sent: packets written
 * @slot: number of the packet in each slot, from 1; 0: empty
 * @next: number of the packet that the driver reads next
 * @freed: the reader has given slots back up to here
 * @restarts: times that recording began anew
 */
static struct sim {
	struct pcounter_window w;
	bool last;
	bool valid;
	u32 address;
	u32 limit;
	u64 position;
	u64 sent;
	u64 slot[SLOTS];
	u64 next;
	u64 freed;
	unsigned int restarts;
} sim;

static u32 random_to(u32 most)
{
	return most ? rand() % (most + 1) : 0;
}

static u64 *slot_at(u64 position)
{
	return &sim.slot[position % RING / sim.w.packet];
}

/* Return true if the GPU may write to no slot that is not empty. */
static bool is_limited(void)
{
	return sim.w.guarded || pcounter_window_is_filling(&sim.w);
}

static void gpu_writes(u32 packets)
{
	struct pcounter_window *w = &sim.w;

	for (; packets && sim.valid; packets--) {
		assert_true(w->size > UINT32_MAX || sim.address - w->base < w->size);
		if (is_limited() && *slot_at(sim.position))
			fail_msg("packet %llu is written over packet %llu",
				 (unsigned long long)sim.sent,
				 (unsigned long long)*slot_at(sim.position));
		*slot_at(sim.position) = ++sim.sent;
		if (sim.address + (sim.last ? w->packet - 1 : 0) >= sim.limit)
			sim.valid = false;
		sim.address += w->packet;
		sim.position += w->packet;
	}
}

/* Packets that were written and not read are forgotten: all are read before a restart. */
static void start(u32 offset, u32 bytes)
{
	u64 room = sim.w.end - sim.w.tail;

	pcounter_window_begin(&sim.w, sim.w.tail, offset, bytes, room);
	sim.limit = sim.w.limit;
	sim.address = sim.w.start;
	sim.position = sim.w.head;
	sim.valid = true;
	sim.restarts++;
}

static void look(void)
{
	u32 passed;

	assert_true(pcounter_window_look(&sim.w, sim.address, &passed));
	assert_int_equal(passed, 0);
	/* no packet that is not there, and none is forgotten */
	assert_int_equal(sim.w.head, sim.position);
	sim.next += pcounter_window_catch_up(&sim.w);
}

static void read_some(u32 most)
{
	struct pcounter_window *w = &sim.w;

	for (; most && w->tail < w->head; most--, w->tail += w->packet) {
		assert_int_equal(*slot_at(w->tail), ++sim.next);
		if (!w->guarded)
			*slot_at(w->tail) = 0;
	}
}

/* A reader empties what it gives back; the driver empties its own ring. */
static void give_back(u32 most)
{
	for (; most && sim.w.guarded && sim.freed < sim.w.tail; most--) {
		*slot_at(sim.freed) = 0;
		sim.freed += sim.w.packet;
	}
	/* perf keeps one byte */
	if (sim.w.guarded)
		pcounter_window_free(&sim.w, RING - 1 - (sim.w.tail - sim.freed));
}

static void extend(u32 most)
{
	u64 ready = sim.w.ready;
	u32 dirty, at;

	if (pcounter_window_extend(&sim.w, most, &dirty))
		sim.limit = sim.w.limit;
	for (at = 0; !sim.w.guarded && at < dirty; at += sim.w.packet)
		*slot_at(ready + at) = 0;
}

static void go_on(void)
{
	unsigned int stops = pcounter_window_stops_at(&sim.w), i;
	u32 at;

	if (!stops || sim.w.still < stops || sim.w.tail != sim.w.head)
		return;
	for (i = 0; i < SLOTS && !sim.w.guarded; i++)
		sim.slot[i] = sim.slot[i] ? OLD : 0;
	for (at = 0; at < PAGE && !sim.w.guarded; at += sim.w.packet)
		*slot_at(sim.w.tail + at) = 0;
	if (!sim.w.guarded)
		sim.w.end = sim.w.tail + RING;
	start(0, sim.w.guarded ? sim.w.end - sim.w.tail : PAGE);
}

static void begin(u64 size, u32 packet, bool guarded, u32 offset)
{
	unsigned int i;

	sim = (struct sim){ .last = rand() % 2, .w = {
		.base = size > UINT32_MAX ? 0 : 2 * SHARE, .size = size, .ring = RING,
		.packet = packet, .guarded = guarded, .end = RING,
	} };
	for (i = 0; i < SLOTS && !guarded; i++)
		sim.slot[i] = i < PAGE / packet ? 0 : OLD;
	sim.freed = sim.w.end - RING;
	sim.w.tail = sim.freed;
	start(offset, guarded ? RING : PAGE);
	sim.restarts = 0;
}

/* One look: the GPU goes on between the accesses. */
static void step(u32 packets)
{
	gpu_writes(packets);
	look();
	read_some(random_to(2 * SLOTS));
	gpu_writes(random_to(3));
	give_back(random_to(SLOTS));
	extend(random_to(2) ? RING : PAGE);
	gpu_writes(random_to(3));
	go_on();
}

/* Everything is read and given back: recording goes on, maybe in the next addresses. */
static void check_alive(void)
{
	u64 sent = sim.sent;
	unsigned int i;

	for (i = 0; i < 160; i++) {
		gpu_writes(i % 80 ? 0 : 5);
		look();
		read_some(SLOTS);
		give_back(SLOTS);
		extend(RING);
		go_on();
	}
	gpu_writes(5);
	assert_true(sim.sent >= sent + 5);
}

TEST(test_random)
{
	static const u64 sizes[] = { BIT_ULL(32), SHARE };
	unsigned int seed, i;
	u32 most;

	for (seed = 0; seed < 800; seed++) {
		srand(seed);
		begin(sizes[seed & 1], seed & 2 ? 16 : 32, seed & 4,
		      rand() % 4 ? sizes[seed & 1] - random_to(3) * RING : random_to(1 << 30));
		/* where LIMIT cannot hold the GPU, looks come in time (record/window.h) */
		most = random_to(sim.w.guarded || sim.w.size < UINT32_MAX ?
				 SLOTS / 4 - 10 : 3 * SLOTS);
		for (i = 0; i < STEPS; i++)
			step(random_to(most));
		check_alive();
	}
}

/* Between looks the GPU writes less than half a ring: nothing is lost, and nothing begins anew. */
TEST(test_endless)
{
	unsigned int seed, i;

	for (seed = 0; seed < 200; seed++) {
		srand(seed);
		begin(BIT_ULL(32), 32, seed & 1, -random_to(3) * RING);
		sim.last = false;
		extend(RING);
		for (i = 0; i < STEPS; i++) {
			gpu_writes(1 + random_to(RING / 32 / 4));
			look();
			read_some(SLOTS);
			give_back(SLOTS);
			extend(RING);
			go_on();
		}
		assert_int_equal(sim.restarts, 0);
		assert_int_equal(sim.next, sim.sent);
		assert_int_equal(sim.w.tail, sim.position);
	}
}

/*
 * Where no LIMIT can hold the GPU, half of the ring is free, for it is looked at four times
 * while a ring fills. What it has overwritten is passed over until half of the ring is left.
 */
TEST(test_half)
{
	struct pcounter_window w = { .size = BIT_ULL(32), .ring = RING, .packet = 32 };

	for (unsigned int ahead = 0; ahead <= 3 * RING; ahead += w.packet) {
		w.guarded = true;
		pcounter_window_begin(&w, w.size - PAGE, w.size - PAGE, ahead, 0);
		if (w.limit > w.size - w.packet)
			assert_true(w.ready - w.head > RING / 2);
		w.guarded = false;
		w.head += ahead;
		pcounter_window_catch_up(&w);
		assert_int_equal(w.head - w.tail, ahead < RING ? ahead : RING / 2);
	}
}

/* A position that no GPU can have is refused, and changes nothing. */
TEST(test_impossible)
{
	struct pcounter_window before;
	u32 passed, behind;

	srand(1);
	begin(SHARE, 32, false, 0);
	step(10);
	before = sim.w;
	assert_false(pcounter_window_look(&sim.w, sim.address + 16, &passed));
	assert_false(pcounter_window_look(&sim.w, sim.w.base - 32, &passed));
	assert_false(pcounter_window_look(&sim.w, sim.w.base + SHARE + 32, &passed));
	behind = sim.w.base + (u32)(sim.w.head - sim.w.origin) - 32;
	assert_false(pcounter_window_look(&sim.w, behind, &passed));
	assert_memory_equal(&sim.w, &before, sizeof(before));
}

/* A GPU that ignores LIMIT: the packets behind it are counted, and not read. */
TEST(test_beyond_limit)
{
	u32 passed;

	srand(1);
	begin(BIT_ULL(32), 32, true, 0);
	assert_true(pcounter_window_look(&sim.w, sim.w.ready - sim.w.origin + 7 * 32, &passed));
	assert_int_equal(passed, 7);
	assert_int_equal(sim.w.head, sim.w.ready);
	sim.w.tail = sim.w.head;
	assert_true(pcounter_window_is_full(&sim.w));
}

/* A new start keeps the addresses, and depends on no position from before. */
TEST(test_begins_anew)
{
	struct pcounter_window *w = &sim.w, fresh;
	unsigned int seed, i;

	for (seed = 0; seed < 80; seed++) {
		srand(seed);
		begin(seed & 1 ? BIT_ULL(32) : SHARE, seed & 2 ? 16 : 32, seed & 4,
		      seed * (RING / 4));
		for (i = 0; i < 10; i++)
			step(random_to(SLOTS / 8));
		fresh = (struct pcounter_window){
			.base = w->base, .size = w->size, .ring = w->ring, .packet = w->packet,
			.guarded = w->guarded, .limit = w->limit,
			.origin = ~0ULL, .begin = ~0ULL,
		};
		pcounter_window_begin(&fresh, w->tail, seed * (RING / 4), PAGE, 0);
		pcounter_window_begin(w, w->tail, seed * (RING / 4), PAGE, 0);
		assert_memory_equal(w, &fresh, sizeof(fresh));
	}
}

/* Room that the GPU has is not taken back, whatever the reader says. */
TEST(test_room)
{
	u64 end;

	srand(1);
	begin(BIT_ULL(32), 32, true, 0);
	end = sim.w.end;
	pcounter_window_free(&sim.w, 0);
	pcounter_window_free(&sim.w, 33);
	assert_int_equal(sim.w.end, end);
	sim.w.tail += 64;
	pcounter_window_free(&sim.w, ~0ULL);
	assert_int_equal(sim.w.end, end + 64);
}

int main(void)
{
	return unit_run(NULL, NULL);
}
