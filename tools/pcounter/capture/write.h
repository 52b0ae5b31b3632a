/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writer of captures, for "pcounter record".
 */
#ifndef _PCOUNTER_TOOL_WRITE_H
#define _PCOUNTER_TOOL_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/pcounter_capture.h>

/**
 * struct capture - a file that is being written
 * @fd: the file
 * @path: its name, for messages
 * @failed: a write has failed; nothing more is written
 */
struct capture {
	int fd;
	const char *path;
	bool failed;
};

bool capture_create(struct capture *file, const char *path, uint64_t perf_time);
bool capture_block(struct capture *file, uint32_t type, uint32_t stream,
		   const void *body, size_t size);
bool capture_packets(struct capture *file, uint32_t stream, uint64_t first,
		     const void *packets, size_t size);
bool capture_close(struct capture *file);

#endif
