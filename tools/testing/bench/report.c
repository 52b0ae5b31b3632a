// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the speed of reports. Packets have 12 counters, and are in memory beforehand.
 * Times are processor time, so that other programs do not count, though they do slow it
 * down. The table shows the best of a few runs, next to the plain way.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../capture/capture.h"
#include "capture/capture.h"
#include "report/report.h"

#define ROUNDS		5
#define NS		1e9

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / NS;
}

static const struct made *made;
static u64 touched;

static void report(enum out_kind kind)
{
	static struct report report;

	report = (struct report){
		.path = "capture", .domain = -1, .from = NAN, .to = NAN, .kind = kind,
		.output = "/dev/null",
	};
	if (read_parse(&report.file, made->data, made->size))
		report_file(&report);
	read_close(&report.file);
}

static void summary(void)
{
	report(OUT_TEXT);
}

static void csv(void)
{
	report(OUT_CSV);
}

static void print_packet(FILE *f, const struct read_walk *walk)
{
	const u16 *w = (const u16 *)walk->packet;
	u64 cycle = walk->cycle;

	fprintf(f, "%u,%s,%u,%llu,%u,%u,%llu,%lld,%llu,%u", 0, "0000:01:00.0", 1,
		(unsigned long long)walk->number, 1, walk->epoch, (unsigned long long)cycle,
		(long long)(5000000000LL + cycle / 0.6), (unsigned long long)walk->length,
		w[3]);
	fprintf(f, ",%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u\n", w[4], w[5], w[6], w[7], w[8], w[9],
		w[10], w[11], w[12], w[13], w[14], w[15]);
}

/* The same rows. */
static void plain_csv(void)
{
	struct read_file file;
	struct read_walk walk;
	FILE *f = fopen("/dev/null", "w");

	if (!f || !read_parse(&file, made->data, made->size))
		abort();
	read_begin(&walk, file.stream);
	while (read_next(&walk, 1))
		print_packet(f, &walk);
	read_close(&file);
	fclose(f);
}

/* Do the minimum work of a summary: read each word once. */
static void touch(void)
{
	const u64 *data = (const void *)made->data;
	u64 all = 0, i;

	for (i = 0; i < made->size / sizeof(*data); i++)
		all += data[i];
	touched += all;
}

static double best(void (*run)(void), u64 packets, unsigned int rounds)
{
	double least = INFINITY, begin;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		begin = now();
		run();
		least = fmin(least, now() - begin);
	}
	return packets / least;
}

int main(int argc, char **argv)
{
	u64 packets = argc > 1 ? strtoull(argv[1], NULL, 0) : 16000000;
	double text, rows, plain, memory;
	struct made small, big;

	made_many(&big, packets);
	made_many(&small, packets / 16);
	made = &big;
	memory = best(touch, packets, ROUNDS);
	text = best(summary, packets, ROUNDS);
	printf("summary          %8.1f M packets/s\n", text / 1e6);
	printf("only reading     %8.1f M packets/s (sum %llx)\n", memory / 1e6,
	       (unsigned long long)touched);
	made = &small;
	rows = best(csv, packets / 16, ROUNDS);
	plain = best(plain_csv, packets / 16, 2);
	printf("--csv            %8.1f M packets/s, %.2f of plain fprintf\n", rows / 1e6,
	       rows / plain);
	printf("plain fprintf    %8.1f M packets/s\n", plain / 1e6);
	made_free(&big);
	made_free(&small);
	return 0;
}
