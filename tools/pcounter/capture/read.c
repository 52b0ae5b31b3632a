// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parser of the blocks of a capture.
 */
#include <assert.h>
#include <endian.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "capture/packet.h"
#include "lib/tool.h"

const char *const loss_name[LOSSES] = {
	[LOSS_OVERRUN] = "overrun", [LOSS_MISSING] = "missing", [LOSS_MERGED] = "merged",
	[LOSS_SATURATED] = "saturated", [LOSS_GAPS] = "gaps", [LOSS_UNREAD] = "unread",
};

/**
 * struct block - a block of the file
 * @type: one of enum pcounter_capture_type
 * @stream: number of its stream
 * @at: offset of its body
 * @size: size of its body in bytes
 * @body: its body
 */
struct block {
	u32 type;
	u32 stream;
	u64 at;
	u64 size;
	const u8 *body;
};

/* Copy numbers of 64 bits. */
static void copy_numbers(void *to, const u8 *from, unsigned int n)
{
	u64 *number = to;
	unsigned int i;

	memcpy(to, from, n * sizeof(*number));
	for (i = 0; i < n; i++)
		number[i] = le64toh(number[i]);
}

__printf(3, 4)
static bool wrong(struct read_file *file, u64 at, const char *fmt, ...)
{
	va_list ap;
	int len;

	len = snprintf(file->why, sizeof(file->why), "at byte %llu: ", (unsigned long long)at);
	va_start(ap, fmt);
	vsnprintf(file->why + len, sizeof(file->why) - len, fmt, ap);
	va_end(ap);
	return false;
}

/* Copy a name; replace characters that terminals, XML and JSON would interpret by '?'. */
static bool copy_name(char *to, const char *from)
{
	unsigned int i;

	memcpy(to, from, PCOUNTER_CAPTURE_NAME);
	if (!memchr(to, 0, PCOUNTER_CAPTURE_NAME))
		return false;
	for (i = 0; to[i]; i++)
		if (to[i] < ' ' || to[i] > '~')
			to[i] = '?';
	return true;
}

/* ---- blocks ---- */

static bool take_stream(struct read_file *file, const struct block *block)
{
	const u64 base = block->at;
	struct pcounter_capture_stream raw;
	struct read_stream *s;
	unsigned int i;
	u32 format;

	if (block->stream >= READ_STREAMS)
		return wrong(file, base, "stream %u: too many", block->stream);
	for (; file->nr <= block->stream; file->nr++)
		file->stream = grow(file->stream, file->nr, sizeof(*file->stream));
	s = &file->stream[block->stream];
	if (s->known)
		return wrong(file, base, "stream %u is described twice", block->stream);
	memcpy(&raw, block->body, sizeof(raw));
	format = le16toh(raw.format);
	if (format != PCOUNTER_RECORD_LONG && format != PCOUNTER_RECORD_SHORT)
		return wrong(file, base + offsetof(struct pcounter_capture_stream, format),
			     "format %u of packets is unknown", format);
	if (!copy_name(s->pmu, raw.pmu) || !copy_name(s->gpu, raw.gpu))
		return wrong(file, base, "a name without end");
	for (i = 0; i < READ_COUNTERS; i++)
		if (!copy_name(s->name[i], raw.counter[i].name))
			return wrong(file,
				     base + offsetof(struct pcounter_capture_stream, counter[i]),
				     "a name without end");
	s->packet = format == PCOUNTER_RECORD_SHORT ? 16 : sizeof(struct pcounter_record_packet);
	for (i = 4; i < READ_COUNTERS && format == PCOUNTER_RECORD_SHORT; i++)
		s->name[i][0] = 0;
	s->chipset = le32toh(raw.chipset);
	s->domain = le16toh(raw.domain);
	s->period = le64toh(raw.period);
	s->hz = le64toh(raw.hz);
	s->known = true;
	return true;
}

static bool take_packets(struct read_file *file, struct read_stream *s, const struct block *block)
{
	const u64 head = sizeof(struct pcounter_capture_packets);
	struct read_run *last = s->nr_runs ? &s->run[s->nr_runs - 1] : NULL;
	u64 bytes = block->size - head, nr = bytes / s->packet, first, expected;

	copy_numbers(&first, block->body, 1);
	if (bytes % s->packet)
		return wrong(file, block->at, "%llu bytes are no whole packets",
			     (unsigned long long)bytes);
	if (first > UINT64_MAX - nr)
		return wrong(file, block->at, "number %llu of a packet cannot be",
			     (unsigned long long)first);
	expected = last ? last->first + last->nr : first;
	if (first < expected)
		return wrong(file, block->at, "packet %llu after packet %llu",
			     (unsigned long long)first, (unsigned long long)expected - 1);
	if (!nr)
		return true;
	s->run = grow(s->run, s->nr_runs, sizeof(*s->run));
	s->run[s->nr_runs++] = (struct read_run){
		.at = block->at + head, .first = first, .nr = nr, .before = s->packets,
	};
	s->packets += nr;
	s->skipped += first - expected;
	return true;
}

static bool take_pair(struct read_file *file, struct read_stream *s, const struct block *block)
{
	struct read_pair pair;

	copy_numbers(&pair, block->body, 3);
	if (pair.time > READ_TIME || pair.error > INT64_MAX)
		return wrong(file, block->at, "a time that cannot be");
	pair.cycle &= PACKET_CYCLES;
	pair.error = min(pair.error, pair.time);
	pair.before = s->packets;
	s->pair = grow(s->pair, s->nr_pairs, sizeof(*s->pair));
	s->pair[s->nr_pairs++] = pair;
	return true;
}

static void take_times(struct read_stream *s, const u8 *body)
{
	struct pcounter_capture_times raw;

	memcpy(&raw, body, sizeof(raw));
	s->times = (struct read_times){
		.early = le32toh(raw.why) == PCOUNTER_CAPTURE_EARLY,
		.span = le64toh(raw.span),
		.enabled = le64toh(raw.enabled),
		.running = le64toh(raw.running),
		.begun = le32toh(raw.begun),
	};
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

static bool take_block(struct read_file *file, const struct block *block)
{
	struct read_stream *s;

	static_assert(sizeof(s->loss) == sizeof(struct pcounter_capture_loss), "one of each");
	if (!block->type || block->type >= ARRAY_SIZE(least))
		return true;
	if (block->size < least[block->type])
		return wrong(file, block->at, "block of type %u with %llu bytes", block->type,
			     (unsigned long long)block->size);
	if (block->type == PCOUNTER_CAPTURE_STREAM)
		return take_stream(file, block);
	s = block->stream < file->nr ? &file->stream[block->stream] : NULL;
	if (!s || !s->known)
		return wrong(file, block->at, "stream %u is not described", block->stream);
	switch (block->type) {
	case PCOUNTER_CAPTURE_PACKETS:
		return take_packets(file, s, block);
	case PCOUNTER_CAPTURE_PAIR:
		return take_pair(file, s, block);
	case PCOUNTER_CAPTURE_LOSS:
		copy_numbers(s->loss, block->body, LOSSES);
		s->has_loss = true;
		break;
	case PCOUNTER_CAPTURE_CLOCKS:
		if (file->nr_clocks < READ_CLOCKS)
			copy_numbers(&file->clocks[file->nr_clocks++], block->body, 4);
		break;
	case PCOUNTER_CAPTURE_CARD:
		if (!copy_name(s->card, (const char *)block->body))
			return wrong(file, block->at, "a name that does not end");
		break;
	case PCOUNTER_CAPTURE_TIMES:
		take_times(s, block->body);
		break;
	default:
		s->ended = true;
	}
	return true;
}

static void take_blocks(struct read_file *file, u64 at)
{
	struct pcounter_capture_block raw;
	struct block block;

	for (; file->size - at >= sizeof(raw); at = block.at + block.size) {
		memcpy(&raw, file->data + at, sizeof(raw));
		block.type = le32toh(raw.type);
		block.stream = le32toh(raw.stream);
		block.at = at + sizeof(raw);
		block.body = file->data + block.at;
		block.size = le64toh(raw.size);
		if (block.size % 16) {
			wrong(file, at, "a block of %llu bytes", (unsigned long long)block.size);
			return;
		}
		if (block.size > file->size - block.at)
			break;
		if (!take_block(file, &block))
			return;
	}
	file->cut = file->size - at;
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
	struct pcounter_capture_header raw;
	u64 begin;

	*file = (struct read_file){ .data = data, .size = size };
	if (size < sizeof(raw))
		return wrong(file, size, "it ends before a capture can begin");
	memcpy(&raw, data, sizeof(raw));
	if (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8))
		return wrong(file, 0,
			     "perf's: see perf report -i, perf script -s pcounter-packets.py -i");
	if (le64toh(raw.magic) != PCOUNTER_CAPTURE_MAGIC)
		return wrong(file, 0, "no capture of pcounter");
	if (le32toh(raw.version) != PCOUNTER_CAPTURE_VERSION)
		return wrong(file, offsetof(struct pcounter_capture_header, version),
			     "version %u is unknown", le32toh(raw.version));
	begin = le32toh(raw.size);
	if (begin < sizeof(raw) || begin > size || begin % 16)
		return wrong(file, offsetof(struct pcounter_capture_header, size),
			     "a header of %llu bytes", (unsigned long long)begin);
	file->real_time = le64toh(raw.real_time);
	file->perf_time = le64toh(raw.perf_time);
	if (file->real_time > INT64_MAX || file->perf_time > READ_TIME)
		return wrong(file, offsetof(struct pcounter_capture_header, real_time),
			     "a time that cannot be");
	take_blocks(file, begin);
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
	void *data = NULL;
	struct stat stat;

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
	if (!stat.st_size)
		return read_parse(file, "", 0);
	madvise(data, stat.st_size, MADV_SEQUENTIAL);
	sigaction(SIGBUS, &act, NULL);
	file->mapped = read_parse(file, data, stat.st_size);
	if (!file->mapped)
		munmap(data, stat.st_size);
	return file->mapped;
}

/**
 * read_close() - close a capture, and free its contents
 * @file: the capture
 */
void read_close(struct read_file *file)
{
	unsigned int i;

	for (i = 0; i < file->nr; i++) {
		free(file->stream[i].run);
		free(file->stream[i].pair);
	}
	free(file->stream);
	if (file->mapped)
		munmap((void *)file->data, file->size);
	*file = (struct read_file){};
}
