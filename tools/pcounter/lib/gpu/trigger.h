/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trigger of a GPU: it ends the periods of all domains whose events ask for it, at one
 * moment. The driver pulls it on Tesla, command streams on all chips from G84 on.
 */
#ifndef _PCOUNTER_TOOL_TRIGGER_H
#define _PCOUNTER_TOOL_TRIGGER_H

#include <nouveau.h>

#include "gpu/gpu.h"

/**
 * struct trigger - a sender of the trigger
 * @fd: the driver's file, or nouveau's DRM node
 * @device: the GPU, as nouveau's library calls it; NULL if the driver sends
 * @client: the owner of the other objects
 * @channel: a channel of its own
 * @object: an object whose class has the method
 * @stream: the commands
 * @fence: memory that the commands are said to use: its release shows that they have run
 * @failed: a trigger could not be sent
 */
struct trigger {
	int fd;
	struct nouveau_device *device;
	struct nouveau_client *client;
	struct nouveau_object *channel;
	struct nouveau_object *object;
	struct nouveau_pushbuf *stream;
	struct nouveau_bo *fence;
	bool failed;
};

const char *trigger_path(const struct gpu *gpu, const char **why);
bool trigger_open(struct trigger *t, const struct gpu *gpu);
bool trigger_send(struct trigger *t);
bool trigger_wait(struct trigger *t, int fd, double when);
void trigger_close(struct trigger *t);
bool trigger_ends(struct event *event);

#endif
