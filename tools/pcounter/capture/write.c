// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writer of captures; linux/pcounter_capture.h describes the format.
 */
#include <endian.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "capture/stream.h"
#include "lib/tool.h"

/*
 * Write bytes, despite short writes and signals. After a failed write nothing more is
 * written: it would follow an incomplete block.
 */
static bool put(struct capture *file, const void *bytes, size_t size)
{
	ssize_t done;

	for (; size && !file->failed; bytes = (const char *)bytes + done, size -= done) {
		done = write(file->fd, bytes, size);
		if (done >= 0)
			continue;
		file->failed = errno != EINTR;
		done = 0;
		if (file->failed)
			complain("%s: %s", file->path, strerror(errno));
	}
	return !file->failed;
}

/* Rename an existing file that is not empty; do not touch devices and pipes. */
static bool keep_old(const char *path)
{
	char old[PATH_MAX];
	struct stat stat;

	if (lstat(path, &stat) || !S_ISREG(stat.st_mode) || !stat.st_size)
		return true;
	snprintf(old, sizeof(old), "%s.old", path);
	if (!rename(path, old))
		return true;
	complain("%s: %s", old, strerror(errno));
	return false;
}

/**
 * capture_create() - create a file
 * @file: the file
 * @path: its name; an existing file is renamed to .old
 * @perf_time: perf's clock at this moment
 *
 * Return: false, with a message, if it cannot be written.
 */
bool capture_create(struct capture *file, const char *path, uint64_t perf_time)
{
	struct pcounter_capture_header head = {
		.magic = htole64(PCOUNTER_CAPTURE_MAGIC),
		.version = htole32(PCOUNTER_CAPTURE_VERSION),
		.size = htole32(sizeof(head)),
		.perf_time = htole64(perf_time),
	};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	head.real_time = htole64(now.tv_sec * 1000000000ULL + now.tv_nsec);
	file->path = path;
	file->failed = false;
	file->fd = -1;
	if (!keep_old(path))
		return false;
	file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file->fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	return put(file, &head, sizeof(head));
}

static bool put_head(struct capture *file, uint32_t type, uint32_t stream, size_t size)
{
	struct pcounter_capture_block head = {
		.type = htole32(type), .stream = htole32(stream), .size = htole64(size),
	};

	return put(file, &head, sizeof(head));
}

/**
 * capture_block() - write a block
 * @file: the file
 * @type: enum pcounter_capture_type
 * @stream: number of the stream
 * @body: contents of the block
 * @size: size of @body in bytes, a multiple of 16
 *
 * Return: false, with a message, if writing fails.
 */
bool capture_block(struct capture *file, uint32_t type, uint32_t stream,
		   const void *body, size_t size)
{
	return put_head(file, type, stream, size) && put(file, body, size);
}

/**
 * capture_packets() - write packets without copying them
 * @file: the file
 * @stream: number of the stream
 * @first: number of the first packet since recording began
 * @packets: the packets
 * @size: size of @packets in bytes
 *
 * Return: false, with a message, if writing fails.
 */
bool capture_packets(struct capture *file, uint32_t stream, uint64_t first,
		     const void *packets, size_t size)
{
	struct pcounter_capture_packets body = { .first = htole64(first) };

	return put_head(file, PCOUNTER_CAPTURE_PACKETS, stream, sizeof(body) + size) &&
	       put(file, &body, sizeof(body)) && put(file, packets, size);
}

/**
 * capture_close() - close a file
 * @file: the file
 *
 * Return: false, with a message, if a write has failed.
 */
bool capture_close(struct capture *file)
{
	if (!close(file->fd))
		return true;
	complain("%s: %s", file->path, strerror(errno));
	return false;
}
