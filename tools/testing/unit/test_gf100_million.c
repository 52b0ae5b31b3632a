// SPDX-License-Identifier: GPL-2.0-only
/* A million records from 8 domains of a GK104 (hw:stream), wherever they go: none is lost. */
#include "gf100_test.h"

#include <uapi/linux/pcounter_record.h>

#define DOMAINS	8
#define AT_ONCE	125	/* of each domain: less than a box or an area takes */
#define ROUNDS	1001

static struct group grp[DOMAINS];

static void begin_all(void)
{
	begin_chip("gk104");
	for (unsigned int i = 0; i < DOMAINS; i++) {
		grp[i] = signals_of(hub(i), 0, 2);
		assert_int_equal(pcounter_record_get(hub(i)), 0);
	}
}

static void start_all(void)
{
	for (unsigned int i = 0; i < DOMAINS; i++)
		assert_true(group_start(&grp[i]));
}

static void check_all(void)
{
	u64 records = 0;

	for (unsigned int i = 0; i < DOMAINS; i++) {
		const struct pcounter_stream *s = hub(i)->stream;

		assert_int_equal(hub(i)->unit.fault, PCOUNTER_OK);
		assert_int_equal(s->loss.overrun + s->loss.gaps + s->loss.merged, 0);
		records += s->loss.packets;
	}
	assert_in_range(records, 1000000, 1001000);
}

static void end_all(void)
{
	g.step = 50;
	for (unsigned int i = 0; i < DOMAINS; i++)
		group_stop(&grp[i]);
	if (area.ring)
		pcounter_reader_del(hub(0), area.ring);
	for (unsigned int i = 0; i < DOMAINS; i++)
		pcounter_record_put(hub(i));
	end_stream(false);
}

TEST(test_counts)
{
	begin_all();
	start_all();
	for (unsigned int k = 0; k < ROUNDS; k++) {
		pcmodel_stream_flow(g.m, AT_ONCE);
		poll();
		poll();
	}
	check_all();
	for (unsigned int i = 0; i < DOMAINS; i++)
		assert_int_equal(count(hub(i), &grp[i], 2),
				 (hub(i)->stream->loss.packets - 1) * STREAM_PERIOD);
	end_all();
}

/* Take records as samples have them: each a period after the one before. */
static void take_samples(struct pcounter_domain *d, const struct pcounter_client *one)
{
	static struct pcounter_record_stream copy[256];
	static u32 time[DOMAINS], now;
	struct pcounter_batch batch;
	unsigned int i, n;

	while ((n = pcounter_record_read(d->stream, ARRAY_SIZE(copy), (u8 *)copy, &batch)))
		for (i = 0; i < n; i++) {
			assert_int_equal(copy[i].id, PCOUNTER_RECORD_ID + d->index);
			assert_int_equal(le32_to_cpu(copy[i].ctr[one->slot]), STREAM_PERIOD);
			now = le32_to_cpu(copy[i].time);
			if (d->stream->loss.packets > n)
				assert_int_equal(now - time[d->index], STREAM_PERIOD * 1000);
			time[d->index] = now;
		}
}

/* Record for samples for some rounds, and take all of them. */
static void record_samples(unsigned int rounds)
{
	for (unsigned int i = 0; i < DOMAINS; i++)
		hub(i)->sampled = 1;
	start_all();
	for (unsigned int k = 0; k < rounds; k++) {
		pcmodel_stream_flow(g.m, AT_ONCE);
		shim_clock += NSEC_PER_MSEC;
		g.gpu.snapshot++;
		for (unsigned int i = 0; i < DOMAINS; i++) {
			pcounter_record_look(hub(i)->stream, false);
			assert_int_equal(hub(i)->unit.fault, PCOUNTER_OK);
			take_samples(hub(i), &hub(i)->client[grp[i].user[0]]);
		}
	}
}

static void end_samples(void)
{
	for (unsigned int i = 0; i < DOMAINS; i++)
		hub(i)->sampled = 0;
	end_all();
}

TEST(test_samples)
{
	begin_all();
	record_samples(ROUNDS);
	check_all();
	end_samples();
}

/* Record to an area for some rounds, and read all of it. */
static void record_area(unsigned int rounds)
{
	begin_all();
	shim_pages_seen = true;
	map_area(hub(0), ARRAY_SIZE(area.pages), DOMAINS);
	give_room(hub(0));
	start_all();
	pcounter_gpu_commit(&g.gpu);
	for (unsigned int k = 0; k < rounds; k++) {
		pcmodel_stream_flow(g.m, AT_ONCE);
		poll();
		read_area(hub(0));
	}
}

TEST(test_area)
{
	record_area(ROUNDS);
	check_all();
	assert_int_equal(area.seen, hub(0)->stream->loss.packets);
	end_all();
	shim_pages_seen = false;
	free(area.memory);
}

/* perf frees the area before the event is closed; then domains record to another ring. */
TEST(test_samples_behind_area)
{
	record_area(10);
	pcmodel_stream_flow(g.m, AT_ONCE);
	pcounter_reader_del(hub(0), area.ring);
	for (unsigned int i = 0; i < DOMAINS; i++) {
		group_stop(&grp[i]);
		pcounter_record_put(hub(i));
	}
	free(area.memory);
	area.ring = NULL;
	for (unsigned int i = 0; i < DOMAINS; i++)
		assert_int_equal(pcounter_record_get(hub(i)), 0);
	record_samples(10);
	end_samples();
	shim_pages_seen = false;
}

int main(void)
{
	return unit_run(NULL, NULL);
}
