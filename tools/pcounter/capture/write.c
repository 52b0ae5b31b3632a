// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writer of captures; linux/pcounter_capture.h describes the format.
 */
#include <endian.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "capture/write.h"
#include "lib/tool.h"

/*
 * Write all parts, despite short writes and signals. After a failed write nothing more
 * is written: it would follow an incomplete block.
 */
static bool write_all(struct capture *file, struct iovec *part, int n)
{
	while (n && !file->failed) {
		ssize_t done = writev(file->fd, part, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			complain("%s: %s", file->path, strerror(errno));
			file->failed = true;
			return false;
		}
		while (n && (size_t)done >= part->iov_len) {
			done -= part->iov_len;
			part++;
			n--;
		}
		if (n) {
			part->iov_base = (char *)part->iov_base + done;
			part->iov_len -= done;
		}
	}
	return !n;
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
	struct iovec part = { &head, sizeof(head) };
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
	return write_all(file, &part, 1);
}

static bool put_block(struct capture *file, uint32_t type, uint32_t stream, struct iovec body,
		      struct iovec more)
{
	struct pcounter_capture_block head = {
		.type = htole32(type), .stream = htole32(stream),
		.size = htole64(body.iov_len + more.iov_len),
	};
	struct iovec part[] = { { &head, sizeof(head) }, body, more };

	return write_all(file, part, 3);
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
	return put_block(file, type, stream, (struct iovec){ (void *)body, size },
			 (struct iovec){});
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

	return put_block(file, PCOUNTER_CAPTURE_PACKETS, stream,
			 (struct iovec){ &body, sizeof(body) },
			 (struct iovec){ (void *)packets, size });
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
