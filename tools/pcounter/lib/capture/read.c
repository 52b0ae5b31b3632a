// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parser of the blocks of a capture, and iteration over its packets.
 */
#include <assert.h>
#include <endian.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "lib/util.h"

#define WRAPS		BIT_ULL(47)	/* a cycle counter that overflows is above this */

const char *const loss_name[LOSSES] = {
	[LOSS_OVERRUN] = "overrun", [LOSS_MISSING] = "missing", [LOSS_MERGED] = "merged",
	[LOSS_SATURATED] = "saturated", [LOSS_GAPS] = "gaps", [LOSS_DELAYED] = "delayed",
};

/* Copy numbers of 64 bits. */
static void copy_numbers(u64 *to, const __le64 *from, unsigned int n)
{
	while (n--)
		to[n] = le64toh(from[n]);
}

/* Note the first error, at a position in the data. */
__printf(3, 4)
static bool wrong(struct read_file *file, const void *at, const char *fmt, ...)
{
	va_list ap;
	int len;

	len = snprintf(file->why, sizeof(file->why), "at byte %tu: ", (const u8 *)at - file->data);
	va_start(ap, fmt);
	vsnprintf(file->why + len, sizeof(file->why) - len, fmt, ap);
	va_end(ap);
	return false;
}

static bool copy_name(char *to, const char *from)
{
	if (!memchr(from, 0, PCOUNTER_CAPTURE_NAME))
		return false;
	strcpy(to, text_plain(from));
	return true;
}

/* ---- blocks; their bodies are at multiples of 16 bytes ---- */

/* Find the stream that has the same records. */
static bool take_ring(struct read_file *file, u32 stream, const struct pcounter_capture_stream *raw)
{
	struct read_stream *s = &file->stream[stream], *first;
	u32 ring = le32toh(raw->ring);

	first = &file->stream[min(ring, stream)];
	if (ring > stream || (ring < stream && (!first->records || first->ring != ring)))
		return wrong(file, &raw->ring, "stream %u cannot have the records of stream %u",
			     stream, ring);
	if (s->period > READ_PERIOD)
		return wrong(file, &raw->period, "a period of %llu clocks cannot be",
			     (unsigned long long)s->period);
	s->records = true;
	s->ring = ring;
	first->sharing++;
	return true;
}

static bool take_stream(struct read_file *file, u32 stream,
			const struct pcounter_capture_stream *raw)
{
	u32 format = le16toh(raw->format), i;
	struct read_stream *s;

	if (stream >= READ_STREAMS)
		return wrong(file, raw, "stream %u: too many", stream);
	for (; file->nr <= stream; file->nr++)
		file->stream = grow(file->stream, file->nr, sizeof(*file->stream));
	s = &file->stream[stream];
	if (s->known)
		return wrong(file, raw, "stream %u is described twice", stream);
	if (format > PCOUNTER_RECORD_STREAM)
		return wrong(file, &raw->format, "format %u of packets is unknown", format);
	if (!copy_name(s->pmu, raw->pmu) || !copy_name(s->gpu, raw->gpu))
		return wrong(file, raw, "a name without end");
	for (i = 0; i < READ_COUNTERS; i++)
		if (!copy_name(s->name[i], raw->counter[i].name))
			return wrong(file, &raw->counter[i], "a name without end");
	s->packet = format == PCOUNTER_RECORD_SHORT ? PCOUNTER_PACKET_SHORT : PCOUNTER_PACKET_LONG;
	static_assert(READ_RECORD_COUNTERS == PCOUNTER_WORD_CTRS, "as many as in SHORT");
	for (i = PCOUNTER_WORD_CTRS; i < READ_COUNTERS && format != PCOUNTER_RECORD_LONG; i++)
		s->name[i][0] = 0;
	s->chipset = le32toh(raw->chipset);
	s->domain = le16toh(raw->domain);
	s->period = le64toh(raw->period);
	s->hz = le64toh(raw->hz);
	s->ring = stream;
	s->known = true;
	return format != PCOUNTER_RECORD_STREAM || take_ring(file, stream, raw);
}

static bool take_packets(struct read_file *file, struct read_stream *s,
			 const struct pcounter_capture_packets *raw, u64 size)
{
	u64 bytes = size - sizeof(*raw), nr = bytes / s->packet, first = le64toh(raw->first);
	u64 expected = s->nr_runs ? s->next : first;

	if (bytes % s->packet)
		return wrong(file, raw, "%llu bytes are no whole packets",
			     (unsigned long long)bytes);
	if (first > INT64_MAX - nr)
		return wrong(file, raw, "number %llu of a packet cannot be",
			     (unsigned long long)first);
	if (first < expected)
		return wrong(file, raw, "packet %llu after packet %llu",
			     (unsigned long long)first, (unsigned long long)expected - 1);
	if (!nr)
		return true;
	s->run = grow(s->run, s->nr_runs, sizeof(*s->run));
	s->run[s->nr_runs++] = (struct read_run){
		.packets = (const u8 *)(raw + 1), .first = first, .nr = nr,
		.sums = le32toh(raw->flags) & PCOUNTER_RECORD_SUMS,
		.anew = le32toh(raw->flags) & PCOUNTER_CAPTURE_ANEW,
	};
	s->packets += nr;
	s->next = first + nr;
	return true;
}

static bool take_pair(struct read_file *file, struct read_stream *s,
		      const struct pcounter_capture_pair *raw)
{
	struct read_pair pair = {
		.cycle = le64toh(raw->cycle) & PCOUNTER_PACKET_CYCLES, .time = le64toh(raw->time),
		.error = le64toh(raw->error), .next = s->next,
	};

	if (pair.time > READ_TIME || pair.error > INT64_MAX)
		return wrong(file, raw, "a time that cannot be");
	pair.error = min(pair.error, pair.time);
	s->pair = grow(s->pair, s->nr_pairs, sizeof(*s->pair));
	s->pair[s->nr_pairs++] = pair;
	return true;
}

static const u64 least[] = {
	[PCOUNTER_CAPTURE_STREAM] = sizeof(struct pcounter_capture_stream),
	[PCOUNTER_CAPTURE_PACKETS] = sizeof(struct pcounter_capture_packets),
	[PCOUNTER_CAPTURE_PAIR] = sizeof(struct pcounter_capture_pair),
	[PCOUNTER_CAPTURE_LOSS] = sizeof(struct pcounter_capture_loss),
	[PCOUNTER_CAPTURE_END] = 0,
	[PCOUNTER_CAPTURE_TIMES] = sizeof(struct pcounter_capture_times),
	[PCOUNTER_CAPTURE_CLOCKS] = sizeof(struct pcounter_capture_clocks),
	[PCOUNTER_CAPTURE_CARD] = sizeof(struct pcounter_capture_card),
};

static bool take_block(struct read_file *file, u32 type, u32 stream, const void *body, u64 size)
{
	const struct pcounter_capture_times *times = body;
	struct read_stream *s;

	static_assert(sizeof(s->loss) == sizeof(struct pcounter_capture_loss), "one of each");
	if (!type || type >= ARRAY_SIZE(least))
		return true;
	if (size < least[type])
		return wrong(file, body, "block of type %u with %llu bytes", type,
			     (unsigned long long)size);
	if (type == PCOUNTER_CAPTURE_STREAM)
		return take_stream(file, stream, body);
	s = stream < file->nr ? &file->stream[stream] : NULL;
	if (!s || !s->known)
		return wrong(file, body, "stream %u is not described", stream);
	if (s->ring != stream &&
	    (type == PCOUNTER_CAPTURE_PACKETS || type == PCOUNTER_CAPTURE_PAIR))
		return wrong(file, body, "stream %u has its packets in stream %u", stream, s->ring);
	switch (type) {
	case PCOUNTER_CAPTURE_PACKETS:
		return take_packets(file, s, body, size);
	case PCOUNTER_CAPTURE_PAIR:
		return take_pair(file, s, body);
	case PCOUNTER_CAPTURE_LOSS:
		copy_numbers(s->loss, body, LOSSES);
		if (!s->records)
			s->loss[LOSS_DELAYED] = 0;
		s->has_loss = true;
		break;
	case PCOUNTER_CAPTURE_CLOCKS:
		if (file->nr_clocks < READ_CLOCKS)
			copy_numbers(file->clocks[file->nr_clocks++], body, SYSTEM_CLOCKS);
		break;
	case PCOUNTER_CAPTURE_CARD:
		if (!copy_name(s->card, body))
			return wrong(file, body, "a name that does not end");
		break;
	case PCOUNTER_CAPTURE_TIMES:
		s->times = (struct read_times){
			.early = le32toh(times->why) == PCOUNTER_CAPTURE_EARLY,
			.span = le64toh(times->span), .enabled = le64toh(times->enabled),
			.running = le64toh(times->running), .begun = le32toh(times->begun),
		};
		break;
	default:
		s->ended = true;
	}
	return true;
}

static void take_blocks(struct read_file *file, u64 at)
{
	const struct pcounter_capture_block *raw;
	u64 size;

	for (; file->size - at >= sizeof(*raw); at += sizeof(*raw) + size) {
		raw = (const void *)(file->data + at);
		size = le64toh(raw->size);
		if (size % 16) {
			wrong(file, raw, "a block of %llu bytes", (unsigned long long)size);
			return;
		}
		if (size > file->size - at - sizeof(*raw))
			break;
		if (!take_block(file, le32toh(raw->type), le32toh(raw->stream), raw + 1, size))
			return;
	}
	file->cut = file->size - at;
}

/* Return the time at which the records of a stream begin. */
static u64 time_of_begin(const struct read_stream *s)
{
	return s->nr_runs ? pcounter_packet_head((const void *)s->run->packets) &
			    PCOUNTER_TIMED_CLOCK : 0;
}

/* Let streams have the records of the first one of their ring, with pairs that do not wrap. */
static void share_records(struct read_file *file)
{
	struct read_stream *s, *first;
	struct read_pair *pair;
	u64 time;

	for (s = file->stream; s < file->stream + file->nr; s++) {
		if (!s->records)
			continue;
		first = &file->stream[s->ring];
		if (s == first) {
			time = time_of_begin(s);
			for (pair = s->pair; pair < s->pair + s->nr_pairs; pair++) {
				time = pcounter_timed_clock(pair->cycle, time);
				pair->cycle = time;
			}
			s->packets /= s->sharing;
			continue;
		}
		s->run = first->run;
		s->nr_runs = first->nr_runs;
		s->pair = first->pair;
		s->nr_pairs = first->nr_pairs;
		s->packets = first->packets;
	}
}

/**
 * read_parse() - parse a capture
 * @file: gets the contents
 * @data: the capture; must outlive @file
 * @size: its size in bytes
 *
 * Parsing stops at the end of a truncated capture, or at the first invalid block;
 * @file has the offset.
 *
 * Return: false if @data is not a capture.
 */
bool read_parse(struct read_file *file, const void *data, u64 size)
{
	const struct pcounter_capture_header *raw = data;
	u32 begin;

	*file = (struct read_file){ .data = data, .size = size };
	if (size < sizeof(*raw))
		return wrong(file, file->data + size, "it ends before a capture can begin");
	if (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8))
		return wrong(file, raw,
			     "perf's: see perf report -i, perf script -s pcounter-packets.py -i");
	if (le64toh(raw->magic) != PCOUNTER_CAPTURE_MAGIC)
		return wrong(file, raw, "no capture of pcounter");
	if (!le32toh(raw->version) || le32toh(raw->version) > PCOUNTER_CAPTURE_VERSION)
		return wrong(file, &raw->version, "version %u needs a newer pcounter",
			     le32toh(raw->version));
	begin = le32toh(raw->size);
	if (begin < sizeof(*raw) || begin > size || begin % 16)
		return wrong(file, &raw->size, "a header of %u bytes", begin);
	file->real_time = le64toh(raw->real_time);
	file->perf_time = le64toh(raw->perf_time);
	if (file->real_time > INT64_MAX || file->perf_time > READ_TIME)
		return wrong(file, &raw->real_time, "a time that cannot be");
	take_blocks(file, begin);
	share_records(file);
	return true;
}

/* A bus error while reading the mapping: the file has been truncated. */
static void note_bus(int sig)
{
	static const char text[] = "pcounter: the file became shorter while it was read\n";
	ssize_t done = write(STDERR_FILENO, text, sizeof(text) - 1);

	_exit(done < 0 ? 2 : 1);
}

/**
 * read_open() - open a capture
 * @file: gets its contents
 * @path: the file
 *
 * Call read_close() in either case.
 *
 * Return: false, with the reason in @file, if it is not a capture.
 */
bool read_open(struct read_file *file, const char *path)
{
	struct sigaction act = { .sa_handler = note_bus };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why = NULL;
	void *data = "";
	struct stat stat;
	bool good;

	*file = (struct read_file){};
	if (fd < 0 || fstat(fd, &stat))
		why = strerror(errno);
	else if (!S_ISREG(stat.st_mode))
		why = "it is no regular file";
	else if (stat.st_size)
		data = mmap(NULL, stat.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		why = strerror(errno);
	if (fd >= 0)
		close(fd);
	if (why) {
		snprintf(file->why, sizeof(file->why), "%s", why);
		return false;
	}
	madvise(data, stat.st_size, MADV_SEQUENTIAL);
	sigaction(SIGBUS, &act, NULL);
	good = read_parse(file, data, stat.st_size);
	file->mapped = stat.st_size;
	return good;
}

/**
 * read_close() - close a capture, and free its contents
 * @file: the capture
 */
void read_close(struct read_file *file)
{
	unsigned int i;

	for (i = 0; i < file->nr; i++) {
		if (file->stream[i].ring != i)
			continue;
		free(file->stream[i].run);
		free(file->stream[i].pair);
	}
	free(file->stream);
	if (file->mapped)
		munmap((void *)file->data, file->size);
	*file = (struct read_file){};
}

/* ---- packets ---- */

/**
 * read_begin() - start before the first packet
 * @walk: the iterator
 * @stream: a stream of a capture
 */
void read_begin(struct read_walk *walk, const struct read_stream *stream)
{
	*walk = (struct read_walk){ .stream = stream };
	if (stream->nr_runs)
		walk->number = stream->records ? 0 : stream->run->first;
	walk->time = time_of_begin(stream);
}

static void take_packet(struct read_walk *walk, const void *packet, u64 number)
{
	const struct read_stream *s = walk->stream;
	u64 cycle = packet_cycle(packet), before = walk->cycle;

	walk->lost = number - walk->number - walk->nr;
	walk->number = number;
	walk->nr = 1;
	walk->joined = !walk->lost && cycle >= before;
	if (cycle < before) {
		/* a restart of all counters; or, after days, an overflow */
		walk->epoch++;
		before = before < WRAPS ? 0 : cycle;
	}
	/* the very first packet of a recording begins at 0 of the cycle counter */
	walk->begin = walk->lost || (number && number == s->run->first) ? cycle : before;
	walk->cycle = cycle;
	walk->length = cycle - walk->begin;
	walk->packet = packet;
	if (s->packet == PCOUNTER_PACKET_SHORT)
		walk->packet = memcpy(&walk->padded, packet, PCOUNTER_PACKET_SHORT);
}

/* Take the packets behind a LONG one that are as long as the stream's period. */
static void take_more(struct read_walk *walk, u64 most)
{
	const struct read_stream *s = walk->stream;
	const __le64 *slot = (const void *)walk->packet;
	u64 head = pcounter_packet_head(slot);
	unsigned int more;

	if (s->packet != PCOUNTER_PACKET_LONG || !walk->joined || !walk->length ||
	    walk->length != s->period)
		return;
	most = min3(most, s->run[walk->run].nr - walk->at,
		    (PCOUNTER_PACKET_CYCLES - walk->cycle) / s->period);
	for (more = 0; more < most; more++, head += s->period) {
		slot += PCOUNTER_PACKET_WORDS;
		if (pcounter_packet_head(slot) - head != s->period)
			break;
	}
	walk->nr += more;
	walk->at += more;
	walk->cycle += more * s->period;
}

/* ---- records ---- */

static void begin_run(struct read_walk *walk, const struct read_run *run)
{
	if (walk->run)
		walk->torn |= run->anew || run->first != run[-1].first + run[-1].nr;
	if (run->anew)
		walk->head = 0;
}

/* Take the counts of a record: they are its own, or the difference to the record before. */
static void take_counts(struct read_walk *walk, const __le32 *ctr, bool sums)
{
	unsigned int k;

	for (k = 0; k < READ_RECORD_COUNTERS; k++) {
		walk->count[k] = le32toh(ctr[k]) - (sums ? walk->raw[k] : 0);
		walk->raw[k] = le32toh(ctr[k]);
	}
}

/* Return true if a record is of a stream's domain. Some GPUs do not number a single domain. */
static bool is_of(const struct read_stream *s, u64 head)
{
	unsigned int id = pcounter_timed_id(head);

	return id == s->domain + PCOUNTER_RECORD_ID || (!id && s->sharing == 1);
}

/*
 * Take a record, or return false: it is empty, of 16 bytes, or of another domain. A late one
 * covers more than its period, and the next one less. A domain's first one may have counts
 * from before. A time that runs back is a loss.
 */
static bool take_record(struct read_walk *walk, const void *record, bool sums)
{
	const u64 head = pcounter_packet_head(record);
	const bool first = !walk->nr, late = (head | walk->head) & PCOUNTER_TIMED_DELAYED;
	unsigned int requests = walk->head ? pcounter_timed_requests(head, walk->head) : 1;

	if (head & (PCOUNTER_TIMED_ZERO | PCOUNTER_TIMED_HALF))
		return false;
	walk->time = pcounter_timed_clock(head, walk->time);
	if (!is_of(walk->stream, head))
		return false;
	walk->lost = !first && (s64)(walk->time - walk->cycle) < 0;
	if (requests > 1 && !(head & PCOUNTER_TIMED_DELAYED))
		walk->lost = requests - 1;
	walk->requests = requests ?: 1;
	walk->joined = !first && !walk->lost && !walk->torn;
	walk->number += !first + walk->lost;
	walk->length = walk->joined && !late ? walk->stream->period : 0;
	walk->begin = walk->length ? walk->cycle : walk->time;
	walk->cycle = walk->time;
	walk->head = head;
	walk->torn = false;
	walk->nr = 1;
	take_counts(walk, ((const struct pcounter_record_stream *)record)->ctr, sums);
	return true;
}

/**
 * read_next() - take the next packet, or the next packets if they are a period apart
 * @walk: the iterator
 * @most: number of packets at most, not 0
 *
 * Return: false if there are no more.
 */
bool read_next(struct read_walk *walk, unsigned int most)
{
	const struct read_stream *s = walk->stream;
	const u8 *packet;

	for (; walk->run < s->nr_runs; walk->run++, walk->at = 0) {
		const struct read_run *run = &s->run[walk->run];

		if (s->records && !walk->at)
			begin_run(walk, run);
		while (walk->at < run->nr) {
			packet = run->packets + walk->at++ * s->packet;
			if (s->records) {
				if (take_record(walk, packet, run->sums))
					return true;
				continue;
			}
			if (packet_is_missing(packet))
				continue;
			take_packet(walk, packet, run->first + walk->at - 1);
			take_more(walk, most - 1);
			return true;
		}
	}
	return false;
}

/**
 * read_back() - give the last ones of the taken packets back
 * @walk: the iterator
 * @nr: number of packets, less than the taken ones
 */
void read_back(struct read_walk *walk, unsigned int nr)
{
	walk->nr -= nr;
	walk->at -= nr;
	walk->cycle -= nr * walk->length;
}
