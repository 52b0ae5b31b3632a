// SPDX-License-Identifier: GPL-2.0-only
/*
 * Senders of the trigger: the driver's file in sysfs, or a command stream by nouveau's
 * library. Facts: hw:inputs/swap, hw:inputs/methods.
 */
#include <fcntl.h>
#include <math.h>

#include "gpu/trigger.h"
#include "lib/util.h"

#define PMUS		"/sys/bus/event_source/devices"
#define FERMI		0xc0
#define KEPLER		0xe0
#define OBJECT		0xbeef0001	/* any number that the channel has not yet */
#define STREAM_SIZE	4096
/* A counter that adds 15 in each clock of 2 GHz is full after 143 ms. */
#define LONGEST_PERIOD	0.1

enum { SET_OBJECT, PM_TRIGGER = 0x140, PM_TRIGGER_WFI = 0x144 };

/* Return the path of a GPU's render node, NULL if it has none. */
static const char *render_node(const struct gpu *gpu)
{
	const char *at = strstr(gpu->nodes, DRM_NODES "renderD");

	return at ? text_tmp("%.*s", (int)strcspn(at, " "), at) : NULL;
}

/**
 * trigger_path() - find a way to send the trigger, without waking the GPU
 * @gpu: the GPU, which has a PMU
 * @why: gets the reason if there is none
 *
 * Return: the driver's file or the DRM node, for immediate use; NULL if there is none.
 */
const char *trigger_path(const struct gpu *gpu, const char **why)
{
	const char *file = text_tmp(PMUS "/%s/trigger", gpu->pmu->name);
	const char *node = render_node(gpu), *root = "";

	if (!(gpu->pmu->topo.caps & PCOUNTER_CAP_SWAP_SRC)) {
		*why = "no event of this chip can ask for the trigger; G84 and later can";
		return NULL;
	}
	if (!access(file, W_OK))
		return file;
	if (file_exists(file))
		root = "; root needs no nouveau";
	if (strcmp(gpu->driver, "nouveau"))
		*why = text_tmp("command streams need nouveau%s", root);
	else if (!node)
		*why = text_tmp("nouveau has no render node%s", root);
	else if (access(node, R_OK | W_OK))
		*why = text_tmp("%s: %s; its group may%s", node, strerror(errno), root);
	else
		return node;
	return NULL;
}

/*
 * Return a class with the method that is sent, 0 if none is known: 2D on Tesla and Fermi,
 * 3D on Kepler, where only 3D and compute can wait for idle.
 */
static uint32_t class_of(uint32_t chipset)
{
	if (chipset < KEPLER)
		return chipset < FERMI ? 0x502d : 0x902d;
	if (chipset == 0xea)
		return 0xa297;
	return chipset < 0xf0 ? 0xa097 : chipset < 0x110 ? 0xa197 : 0;
}

static int open_channel(struct trigger *t)
{
	union {
		struct nv04_fifo tesla;
		struct nvc0_fifo fermi;
		struct nve0_fifo kepler;
	} fifo = {};

	if (t->device->chipset < FERMI)
		fifo.tesla = (struct nv04_fifo){ .vram = 0xbeef0201, .gart = 0xbeef0202 };
	else if (t->device->chipset >= KEPLER)
		fifo.kepler.engine = NVE0_FIFO_ENGINE_GR;
	return nouveau_object_new(&t->device->object, 0, NOUVEAU_FIFO_CHANNEL_CLASS, &fifo,
				  sizeof(fifo), &t->channel);
}

/* Append a method of subchannel 0 with one word of data. */
static void put_method(struct trigger *t, uint32_t method, uint32_t data)
{
	*t->stream->cur++ = t->device->chipset < FERMI ? 1 << 18 | method :
			    0x20000000 | 1 << 16 | method >> 2;
	*t->stream->cur++ = data;
}

/* Make the command stream, which trigger_send() submits each time. */
static int make_stream(struct trigger *t)
{
	struct nouveau_pushbuf_refn fence = { .flags = NOUVEAU_BO_GART | NOUVEAU_BO_RDWR };
	bool fermi = t->device->chipset >= FERMI, kepler = t->device->chipset >= KEPLER;
	int err = nouveau_pushbuf_new(t->client, t->channel, 1, STREAM_SIZE, false, &t->stream);

	err = err ?: nouveau_bo_new(t->device, NOUVEAU_BO_GART, 0, STREAM_SIZE, NULL, &t->fence);
	err = err ?: nouveau_pushbuf_space(t->stream, 4, 0, 0);
	fence.bo = t->fence;
	err = err ?: nouveau_pushbuf_refn(t->stream, &fence, 1);
	if (err)
		return err;
	put_method(t, SET_OBJECT, fermi ? t->object->oclass : t->object->handle);
	put_method(t, kepler ? PM_TRIGGER_WFI : PM_TRIGGER, 0);
	return 0;
}

/* Make a channel, and the commands. Return why that fails, NULL if it does not. */
static const char *open_nouveau(struct trigger *t)
{
	int err = nouveau_device_wrap(t->fd, 0, &t->device);
	uint32_t class = err ? 0 : class_of(t->device->chipset);

	if (!err && !class)
		return "no class of objects is known for this chip";
	err = err ?: nouveau_client_new(t->device, &t->client);
	err = err ?: open_channel(t);
	err = err ?: nouveau_object_new(t->channel, OBJECT, class, NULL, 0, &t->object);
	err = err ?: make_stream(t);
	return err ? text_tmp("nouveau gives no channel: %s", strerror(-err)) : NULL;
}

/**
 * trigger_open() - open a sender
 * @t: the sender; trigger_close() frees it
 * @gpu: the GPU, which has a PMU; nouveau wakes it
 *
 * Return: false, with a message, if there is none.
 */
bool trigger_open(struct trigger *t, const struct gpu *gpu)
{
	const char *why = NULL, *path = trigger_path(gpu, &why);
	bool node = path && !strncmp(path, DRM_NODES, strlen(DRM_NODES));

	*t = (struct trigger){ .fd = -1 };
	if (node)
		t->fd = open(path, O_RDWR | O_CLOEXEC);
	else if (path)
		t->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (path && t->fd < 0)
		why = text_tmp("%s: %s", path, strerror(errno));
	else if (node)
		why = open_nouveau(t);
	if (!why)
		return true;
	trigger_close(t);
	return complain("no trigger for %s: %s", gpu->address, why);
}

/**
 * trigger_send() - end a period, and wait until it has ended
 * @t: the sender
 *
 * Return: false, with a message the first time, if the trigger cannot be sent.
 */
bool trigger_send(struct trigger *t)
{
	int err;

	if (!t->device)
		err = write(t->fd, "1", 1) == 1 ? 0 : -errno;
	else
		err = nouveau_pushbuf_kick(t->stream, t->channel) ?:
		      nouveau_bo_wait(t->fence, NOUVEAU_BO_RDWR, t->client);
	if (err && !t->failed)
		complain("the trigger was not sent: %s", err == -EAGAIN ? "the GPU is asleep" :
			 err == -EIO ? "the graphics engine is off" : strerror(-err));
	t->failed |= err;
	return !err;
}

/**
 * trigger_wait() - do as wait_until(), and end periods before a counter is full, and at the end
 * @t: the sender; NULL: only wait
 * @fd: as for wait_until()
 * @when: as for wait_until()
 *
 * Return: as wait_until().
 */
bool trigger_wait(struct trigger *t, int fd, double when)
{
	double next;
	bool more;

	do {
		next = t ? fmin(when, seconds() + LONGEST_PERIOD) : when;
		more = wait_until(fd, next);
		if (t)
			trigger_send(t);
	} while (more && next < when);
	return more;
}

/**
 * trigger_close() - close a sender
 * @t: the sender; may be closed already
 */
void trigger_close(struct trigger *t)
{
	if (t->stream)
		nouveau_pushbuf_del(&t->stream);
	nouveau_bo_ref(NULL, &t->fence);
	nouveau_object_del(&t->object);
	nouveau_object_del(&t->channel);
	nouveau_client_del(&t->client);
	nouveau_device_del(&t->device);
	if (t->fd >= 0)
		close(t->fd);
	*t = (struct trigger){ .fd = -1 };
}

/**
 * trigger_ends() - let the trigger end the periods of an event's domain
 * @event: the event, encoded; is pinned, since an event that takes turns misses triggers
 *
 * An event with the term swap keeps it. Idle counters have no periods.
 *
 * Return: false, with event->error, if the number of the trigger is unknown.
 */
bool trigger_ends(struct event *event)
{
	int dom = event_domain(event);
	const struct pcounter_topo *topo = &event->pmu->topo;

	if (event->pmu->idle)
		return true;
	event->pinned = true;
	if (event_has(event, "swap"))
		return true;
	if (dom < 0 || !trailer_known(&topo->dom[dom])) {
		snprintf(event->error, sizeof(event->error), "%s",
			 "no document has the number of its domain's trigger");
		return false;
	}
	return event_terms(event->pmu, text_tmp("swap=%u", topo->dom[dom].trailer +
			   pcounter_trailer_of(topo->caps)->trigger), event);
}
