// SPDX-License-Identifier: GPL-2.0-only
/*
 * Iteration over the packets of a capture.
 */
#include "capture/capture.h"
#include "capture/packet.h"
#include "lib/tool.h"

#define WRAPS		BIT_ULL(47)

/**
 * read_walk_begin() - start before the first packet
 * @walk: the iterator
 * @file: the capture
 * @stream: a stream of the capture
 */
void read_walk_begin(struct read_walk *walk, const struct read_file *file,
		     const struct read_stream *stream)
{
	*walk = (struct read_walk){
		.file = file, .stream = stream, .max = READ_PIECE,
		.next = stream->nr_runs ? stream->run->first : 0,
		/* the very first packet begins at 0 of the cycle counter */
		.known = stream->nr_runs && !stream->run->first,
	};
}

/* Find the begin and the epoch of the first packet of a piece. */
static void begin_piece(struct read_walk *walk, struct read_piece *piece)
{
	u64 cycle = packet_cycle(piece->packet);

	piece->begin = walk->cycle;
	if (walk->known && cycle < walk->cycle) {
		/* a restart of all counters; or, after days, an overflow */
		walk->epoch++;
		piece->begin = walk->cycle < WRAPS ? 0 : cycle;
	} else if (!walk->known) {
		/* the cycle counter may have restarted during a loss, too */
		walk->epoch += cycle < walk->cycle;
		piece->begin = cycle;
	}
	piece->cycle[0] = cycle;
	piece->epoch = walk->epoch;
	walk->cycle = cycle;
}

/* Return how many of the first @nr packets in @piece make up a piece. */
static unsigned int measure(struct read_walk *walk, struct read_piece *piece, unsigned int nr)
{
	u64 before = piece->cycle[0], length;
	unsigned int i;

	/* a packet with an invalid length is a piece of its own */
	if (piece->cycle[0] - piece->begin - 1 >= READ_LENGTH)
		return 1;
	for (i = 1; i < nr; i++) {
		piece->cycle[i] = packet_cycle(&piece->packet[i]);
		length = piece->cycle[i] - before;
		if (packet_is_missing(&piece->packet[i]) || length - 1 >= READ_LENGTH)
			break;
		before = piece->cycle[i];
	}
	walk->cycle = before;
	return i;
}

/* Copy packets, which are at multiples of 16 bytes; pad SHORT packets to full length. */
static void take_packets(struct read_piece *piece, const u8 *from, unsigned int nr,
			 unsigned int size)
{
	unsigned int i;

	piece->packet = (const void *)from;
	if (size == sizeof(*piece->packet))
		return;
	piece->packet = piece->room;
	for (i = 0; i < nr; i++) {
		memset(&piece->room[i], 0, sizeof(*piece->room));
		memcpy(&piece->room[i], from + i * size, size);
	}
}

/**
 * read_walk_next() - take the next packets without a gap
 * @walk: the iterator
 * @piece: gets the packets
 *
 * Return: false if there are no more.
 */
bool read_walk_next(struct read_walk *walk, struct read_piece *piece)
{
	const struct read_stream *s = walk->stream;
	const struct read_run *run;
	unsigned int nr;

	for (; walk->run < s->nr_runs; walk->run++, walk->at = 0) {
		run = &s->run[walk->run];
		while (walk->at < run->nr) {
			nr = min_t(u64, min_t(u64, walk->max, READ_PIECE), run->nr - walk->at);
			take_packets(piece, walk->file->data + run->at + walk->at * s->packet,
				     nr, s->packet);
			piece->number = run->first + walk->at;
			piece->before = run->before + walk->at;
			if (packet_is_missing(piece->packet)) {
				/* an empty slot: the packet never arrived */
				walk->at++;
				continue;
			}
			piece->lost = piece->number - walk->next;
			if (piece->lost)
				walk->known = false;
			begin_piece(walk, piece);
			piece->nr = measure(walk, piece, nr);
			walk->at += piece->nr;
			walk->next = piece->number + piece->nr;
			walk->known = true;
			return true;
		}
	}
	return false;
}
