// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake nouveau: the system calls that its library makes on a DRM node. The commands of a
 * channel are executed as far as hw:inputs/methods has them; the file "nouveau" below
 * FAKE_ROOT notes all that happens.
 */
#include <drm.h>
#include <errno.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <nouveau_drm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"
#include "wrap.h"

#define CHANNEL		7
#define MEMORY		0x100000	/* of the node, from which buffers are mapped */
#define SUBCHANNELS	8
#define FERMI		0xc0
#define KEPLER		0xe0

/* Headers of commands that increment the method: NV04 to Tesla; from Fermi on. */
#define OLD_COUNT	GENMASK(28, 18)
#define OLD_METHOD	GENMASK(12, 2)
#define NEW_KIND	GENMASK(31, 29)
#define NEW_COUNT	GENMASK(28, 16)
#define NEW_METHOD	GENMASK(11, 0)
#define SUBCHANNEL	GENMASK(15, 13)

static struct {
	uint32_t chipset;
	uint32_t handle;	/* of the only object of the channel */
	uint32_t class;
	uint32_t bound[SUBCHANNELS];
	uint32_t buffers;
	bool busy;
} gpu;

__attribute((format(printf, 1, 2)))
static void note(const char *fmt, ...)
{
	char path[1024];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/nouveau", getenv("FAKE_ROOT"));
	f = __real_fopen(path, "ae");
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static int copy_name(char *to, size_t *len, const char *name)
{
	if (to)
		memcpy(to, name, strnlen(name, *len));
	*len = strlen(name);
	return 0;
}

static int version(struct drm_version *v)
{
	v->version_major = 1;
	v->version_minor = 3;
	v->version_patchlevel = 1;
	copy_name(v->date, &v->date_len, "20120801");
	copy_name(v->desc, &v->desc_len, "nVidia Riva/TNT/GeForce/Quadro/Tesla/Tegra K1+");
	return copy_name(v->name, &v->name_len, "nouveau");
}

/* The script: "nouveau 0xa3" is the chip. */
static int get_param(struct drm_nouveau_getparam *param)
{
	gpu.chipset = fake_value("nouveau", 0);
	param->value = param->param == NOUVEAU_GETPARAM_CHIPSET_ID ? gpu.chipset :
		       param->param == NOUVEAU_GETPARAM_HAS_BO_USAGE ? 1 : MEMORY;
	return 0;
}

static int new_channel(struct drm_nouveau_channel_alloc *channel)
{
	/* Kepler: the engine */
	if (gpu.chipset >= KEPLER &&
	    (channel->fb_ctxdma_handle != ~0u || channel->tt_ctxdma_handle != 1))
		return -EINVAL;
	channel->channel = CHANNEL;
	channel->pushbuf_domains = NOUVEAU_GEM_DOMAIN_GART;
	note("channel\n");
	return fake_value("nochannel", 0) ? -ENODEV : 0;
}

static bool has_class(uint32_t class)
{
	static const struct {
		uint32_t from, to, class;
	} classes[] = {
		{ 0x50, 0xaf, 0x502d }, { 0xc0, 0x108, 0x902d }, { 0xe4, 0xe7, 0xa097 },
		{ 0xea, 0xea, 0xa297 }, { 0xf0, 0x108, 0xa197 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].class == class && gpu.chipset >= classes[i].from &&
		    gpu.chipset <= classes[i].to)
			return true;
	return false;
}

static int new_object(const struct drm_nouveau_grobj_alloc *object)
{
	if (object->channel != CHANNEL || !has_class(object->class))
		return -EINVAL;
	gpu.handle = object->handle;
	gpu.class = object->class;
	note("object 0x%x\n", object->class);
	return 0;
}

static int new_buffer(int fd, struct drm_nouveau_gem_new *buffer)
{
	uint64_t at = gpu.buffers * buffer->info.size;

	/* fails if the descriptor is not that of a node */
	if (ftruncate(fd, MEMORY))
		return -errno;
	buffer->info.handle = ++gpu.buffers;
	buffer->info.map_handle = at;
	return 0;
}

/* Execute a method. */
static void method(unsigned int subchannel, uint32_t number, uint32_t data)
{
	uint32_t name = gpu.chipset < FERMI ? gpu.handle : gpu.class;

	if (!number)
		gpu.bound[subchannel] = data == name ? gpu.class : 0;
	else
		note("method 0x%x 0x%x\n", number, gpu.bound[subchannel]);
}

static int execute(const uint32_t *word, unsigned int n)
{
	bool old = gpu.chipset < FERMI;
	unsigned int at, i, count;
	uint32_t first;

	for (at = 0; at < n; at += 1 + count) {
		count = old ? FIELD_GET(OLD_COUNT, word[at]) : FIELD_GET(NEW_COUNT, word[at]);
		first = old ? FIELD_GET(OLD_METHOD, word[at]) : FIELD_GET(NEW_METHOD, word[at]);
		if (FIELD_GET(NEW_KIND, word[at]) != (old ? 0 : 1) || at + count >= n)
			return -EINVAL;
		for (i = 0; i < count; i++)
			method(FIELD_GET(SUBCHANNEL, word[at]), 4 * (first + i),
			       word[at + 1 + i]);
	}
	return 0;
}

/* The script: "hangs 1" if the GPU stands still. */
static int push(int fd, struct drm_nouveau_gem_pushbuf *req)
{
	const struct drm_nouveau_gem_pushbuf_push *part = (void *)(uintptr_t)req->push;
	const struct drm_nouveau_gem_pushbuf_bo *buffer = (void *)(uintptr_t)req->buffers;
	uint32_t word[64];
	unsigned int i;
	int err = 0;

	req->gart_available = MEMORY;
	req->vram_available = MEMORY;
	req->suffix0 = 0;
	req->suffix1 = 0;
	gpu.busy = req->nr_push && fake_value("hangs", 0);
	for (i = 0; i < req->nr_push && !err && !gpu.busy; i++) {
		uint64_t at = (buffer[part[i].bo_index].handle - 1) * 4096 + part[i].offset;

		if (part[i].length > sizeof(word) ||
		    pread(fd, word, part[i].length, at) != (ssize_t)part[i].length)
			return -EINVAL;
		err = execute(word, part[i].length / sizeof(*word));
	}
	return err;
}

static int gone(const char *what)
{
	note("no %s\n", what);
	return 0;
}

static int nouveau_call(int fd, unsigned int nr, void *arg)
{
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_VERSION):
		return version(arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GETPARAM:
		return get_param(arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC:
		return new_channel(arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_FREE:
		return gone("channel");
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC:
		return new_object(arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GPUOBJ_FREE:
		return gone("object");
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW:
		return new_buffer(fd, arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_PUSHBUF:
		return push(fd, arg);
	case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP:
		return gpu.busy ? -EBUSY : 0;
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
		return 0;
	default:
		return -ENOTTY;
	}
}

/* Not the program's calls, but those of shared libraries. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	int err;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
		return __real_syscall(SYS_ioctl, fd, request, arg);
	err = nouveau_call(fd, _IOC_NR(request), arg);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}
