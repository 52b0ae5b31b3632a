// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture: give damaged captures to all readers.
 *
 * Good captures are generated, then damaged in a few places. The same seed makes the
 * same files. Sanitizers and an alarm detect errors.
 */
#include <endian.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../capture/capture.h"
#include "capture/capture.h"
#include "report/report.h"

#define HANG_SECONDS	20
#define NULL_FD		9
#define PICTURE		"/dev/fd/9.svg"
#define MAX_SIZE	131072
#define PACKETS		400
#define FAR		0x800000000000

static uint64_t state;

static uint32_t rnd(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static bool one_in(unsigned int n)
{
	return rnd() % n == 0;
}

/* ---- good captures ---- */

/* Return the next cycle counter, with all differences that can occur between two packets. */
static uint64_t next_cycle(uint64_t cycle)
{
	switch (rnd() % 64) {
	case 0:
		return rnd() % 2000;
	case 1:
		return cycle + ((uint64_t)rnd() << rnd() % 16);
	case 2:
		return cycle + FAR;
	case 3:
		return cycle;
	default:
		return cycle + 1024;
	}
}

static void add_packets(struct made *made, unsigned int stream, int brief, uint64_t *number,
			uint64_t *cycle)
{
	unsigned int nr = rnd() % PACKETS, k;
	uint16_t count[12];
	size_t block;

	if (one_in(4))
		*number += rnd() % 100;
	block = made_packets(made, stream, *number);
	for (*number += nr; nr; nr--) {
		*cycle = next_cycle(*cycle);
		for (k = 0; k < 12; k++)
			count[k] = one_in(100) ? rnd() : rnd() % 1025;
		made_packet(made, block, brief, *cycle, one_in(100) ? rnd() & 0xffff : 1, count);
	}
}

/* Add records of any domains; with @flags their counters run on. */
static void add_records(struct made *made, uint32_t flags, uint64_t *number, uint64_t *time)
{
	unsigned int nr = rnd() % PACKETS, k;
	size_t block;

	if (one_in(4))
		*number += rnd() % 100;
	block = made_packets(made, 0, *number);
	((struct pcounter_capture_packets *)(made->data + block +
		sizeof(struct pcounter_capture_block)))->flags = htole32(flags);
	for (*number += nr; nr; nr--) {
		struct pcounter_record_stream record = {};

		*time = next_cycle(*time);
		record.time = htole32(*time);
		record.time_high = *time >> 32;
		record.id = PCOUNTER_RECORD_ID + rnd() % 8;
		record.flags = htole16(one_in(50) ? rnd() : *number - nr);
		for (k = 0; k < READ_RECORD_COUNTERS; k++)
			record.ctr[k] = htole32(one_in(100) ? rnd() : rnd() % 1025);
		made_bytes(made, block, &record, sizeof(record));
	}
}

/* Make names of the maximum length, from characters that need an escape. */
static const char *const *long_names(void)
{
	static char name[PCOUNTER_CAPTURE_NAME];
	static const char *all[PCOUNTER_CAPTURE_COUNTERS + 1];
	unsigned int k;

	memset(name, one_in(2) ? '"' : '\\', sizeof(name) - 1);
	for (k = 0; k < PCOUNTER_CAPTURE_COUNTERS; k++)
		all[k] = name;
	return all;
}

static void make(struct made *made)
{
	static const char *const few[] = { "a", "b,\"c\"", "d\\e", "f", NULL };
	const char *const *names = one_in(2) ? few : long_names();
	unsigned int streams = 1 + rnd() % 3, i, k;
	uint64_t number[3] = {}, cycle[3] = {}, time = 1000000, loss[6];
	bool records = one_in(3);

	made_begin(made, 1600000000000000000ULL, time);
	for (i = 0; i < streams; i++)
		if (records)
			made_records(made, i, 0, rnd() % 8, 1024, names);
		else
			made_stream(made, i, rnd() % 8, i == 1, 1024, one_in(2) ? 600000000 : 0,
				    names);
	for (k = 0; k < 12; k++) {
		i = records ? 0 : rnd() % streams;
		if (records)
			add_records(made, one_in(2), &number[i], &cycle[i]);
		else
			add_packets(made, i, i == 1, &number[i], &cycle[i]);
		time += rnd() % 1000000;
		made_pair(made, i, cycle[i], time, rnd() % 5000);
	}
	for (i = 0; i < streams; i++) {
		for (k = 0; k < 6; k++)
			loss[k] = one_in(4) ? rnd() : 0;
		made_loss(made, i, loss);
		made_end(made, i);
	}
}

/* ---- damage ---- */

static const uint64_t odd_values[] = {
	0, 1, 2, 3, 4, 5, 6, 15, 16, 17, 31, 32, 48, 255, 256, 0xffff, 0x10000, 0x7fffffff,
	0x80000000, 0xffffffff, 0x100000000, 0xffffffffffff, 0x7fffffffffffffff,
	0x8000000000000000, 0xfffffffffffffff0, 0xffffffffffffffff,
};

static void set_value(uint8_t *data, size_t size)
{
	uint64_t value = odd_values[rnd() % (sizeof(odd_values) / sizeof(*odd_values))];
	size_t len = 1 << rnd() % 4, at;

	if (size < 8)
		return;
	/* numbers are aligned to their size */
	at = rnd() % (size / len) * len;
	memcpy(data + at, &value, len);
}

/* Return the start of a block, most of the time. */
static size_t block_at(const uint8_t *data, size_t size)
{
	unsigned int n = rnd() % 40;
	size_t at = 32;
	uint64_t len;

	while (n-- && at + 32 < size) {
		memcpy(&len, data + at + 8, sizeof(len));
		if (len > size - at - 16)
			break;
		at += 16 + len;
	}
	return at < size ? at : 0;
}

static size_t damage(uint8_t *data, size_t size, size_t room)
{
	size_t at, len;

	switch (rnd() % 6) {
	case 0:
		data[rnd() % size] ^= 1 << rnd() % 8;
		return size;
	case 1:
		set_value(data, size);
		return size;
	case 2:
		at = block_at(data, size);
		set_value(data + at, size - at < 64 ? size - at : 64);
		return size;
	case 3:
		return 1 + rnd() % size;
	case 4:
		/* duplicate a piece somewhere */
		at = block_at(data, size);
		len = rnd() % (size - at) + 1;
		if (size + len > room)
			return size;
		memmove(data + at + len, data + at, size - at);
		return size + len;
	default:
		at = block_at(data, size);
		len = rnd() % (size - at);
		memmove(data + at, data + at + len, size - at - len);
		return size - len ? size - len : 1;
	}
}

/* ---- readers ---- */

static void read_it(const void *data, size_t size)
{
	static struct report report;
	static const enum out_kind kinds[] = { OUT_TEXT, OUT_CSV, OUT_JSONL };

	report = (struct report){
		.path = "capture", .domain = one_in(8) ? (long)(rnd() % 8) : -1L,
		.from = NAN, .to = NAN,
		.kind = kinds[rnd() % 3], .output = "/dev/null",
		.trace = one_in(4) ? "/dev/null" : NULL,
		.picture = one_in(128) ? PICTURE : NULL,
		.bucket = one_in(4) ? 1ULL << rnd() % 42 : one_in(2) ? NAN : 0,
	};
	if (one_in(4))
		report.from = ((double)rnd() - 1000) / 1e9;
	if (one_in(4))
		report.to = rnd() / 1e6;
	if (one_in(8))
		report.events[0] = "a";
	if (read_parse(&report.file, data, size))
		report_file(&report);
	read_close(&report.file);
}

static void one_file(const struct made *made)
{
	static uint8_t room[MAX_SIZE];
	unsigned int n = rnd() % 6;
	size_t size = made->size;
	void *data;

	memcpy(room, made->data, size);
	while (n--)
		size = damage(room, size, sizeof(room));
	/* allocate the exact size, so that the sanitizer detects an overrun */
	data = malloc(size);
	memcpy(data, room, size);
	alarm(HANG_SECONDS);
	read_it(data, size);
	alarm(0);
	free(data);
}

int main(int argc, char **argv)
{
	unsigned long seed = time(NULL), files = 0;
	unsigned int seconds = 10, i;
	struct made made;
	time_t end;
	int c;

	dup2(open("/dev/null", O_WRONLY), NULL_FD);
	while ((c = getopt(argc, argv, "s:t:")) != -1) {
		if (c == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (c == 't')
			seconds = atoi(optarg);
		else
			return 2;
	}
	printf("seed %lu\n", seed);
	fflush(stdout);
	state = seed;
	for (end = time(NULL) + seconds; time(NULL) < end;) {
		make(&made);
		for (i = 0; i < 32; i++, files++)
			if (made.size < MAX_SIZE)
				one_file(&made);
		made_free(&made);
	}
	printf("%lu captures read\n", files);
	return 0;
}
