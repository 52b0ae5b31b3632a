/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading captures: include/uapi/linux/pcounter_capture.h. What a file says is
 * checked and copied once; what packets hold may be anything.
 */
#ifndef _PCOUNTER_TOOL_READ_H
#define _PCOUNTER_TOOL_READ_H

#include "capture/types.h"

bool read_open(struct read_file *file, const char *path);
bool read_parse(struct read_file *file, const void *data, u64 size);
void read_close(struct read_file *file);
void read_walk_begin(struct read_walk *walk, const struct read_file *file,
		     const struct read_stream *stream);
bool read_walk_next(struct read_walk *walk, struct read_piece *piece);

#endif
