/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where rows for programs go. They are written by hand: there may be hundreds of
 * millions of them.
 */
#ifndef _PCOUNTER_TOOL_REPORT_SINK_H
#define _PCOUNTER_TOOL_REPORT_SINK_H

#include <assert.h>
#include <string.h>

#include "report/types.h"

#define BUFFER		65536
#define HEAD		640
#define NUMBER		20	/* digits of the greatest */
#define LINE		(HEAD + (READ_COUNTERS + 8) * 2 * NUMBER)	/* longer than a row */
#define PARTS		1000000	/* in which shares are written */

static_assert(BUFFER > LINE, "the buffer takes a row");

/**
 * struct row - a packet, or a bucket of them
 * @packet: number of the first
 * @packets: how many
 * @epoch: epoch of the last
 * @cycle: cycle counter at its end
 * @timed: @time is known
 * @time: when it ended, in ns of perf's clock; of a bucket: when it began
 * @begin: when it began, in ns since the capture began
 * @end: and ended
 * @joined: nothing is missing between the row before and this one
 * @cycles: how long those are whose length is known
 * @requests: that they answer
 * @count: the counters
 */
struct row {
	u64 packet;
	u64 packets;
	unsigned int epoch;
	u64 cycle;
	bool timed;
	s64 time;
	s64 begin;
	s64 end;
	bool joined;
	u64 cycles;
	u64 requests;
	u64 count[READ_COUNTERS];
};

/**
 * struct sink - where rows go
 * @f: the stream
 * @row: writes one
 * @timed: it wants to know when a row began and ended
 * @at: bytes in @buf
 * @head: what lines of this stream begin with
 * @rs: the stream
 * @pid: number of the stream in a trace, from 1
 * @zero: perf's clock when the capture began
 * @open: a row has been written, which ended at ...
 * @end: ... ns since the capture began
 * @last: what was last written of each counter
 * @buf: what is yet to be written
 */
struct sink {
	FILE *f;
	void (*row)(struct sink *sink, const struct row *row);
	bool timed;
	size_t at;
	char head[HEAD];
	const struct report_stream *rs;
	unsigned int pid;
	u64 zero;
	bool open;
	s64 end;
	u64 last[READ_COUNTERS];
	char buf[BUFFER];
};

static inline void put_char(struct sink *s, char c)
{
	s->buf[s->at++] = c;
}

static inline void put(struct sink *s, const char *text)
{
	size_t len = strlen(text);

	memcpy(s->buf + s->at, text, len);
	s->at += len;
}

static inline void put_number(struct sink *s, u64 n)
{
	char text[NUMBER], *p = text + sizeof(text);

	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	memcpy(s->buf + s->at, p, text + sizeof(text) - p);
	s->at += text + sizeof(text) - p;
}

static inline void put_signed(struct sink *s, s64 n)
{
	if (n < 0)
		put_char(s, '-');
	put_number(s, n < 0 ? -(u64)n : (u64)n);
}

/* @text is printable ASCII. */
static inline void quote_json(char *to, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text && at + 3 < size; text++) {
		if (*text == '"' || *text == '\\')
			to[at++] = '\\';
		to[at++] = *text;
	}
	to[at] = 0;
}

#endif
