// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts from a GPU's graphics driver: the temperature from hwmon, clients and their
 * memory from the fdinfo of processes. These functions open no DRM node, and skip a
 * sleeping GPU.
 */
#include <ctype.h>
#include <math.h>

#include "gpu/gpu.h"
#include "lib/util.h"

#define MAX_CLIENTS	256

/* Return the value of a line "KEY:\tVALUE", NULL if there is none. */
static const char *value_of(const char *text, const char *key)
{
	const char *line = strstr(text, text_tmp("\n%s:", key));

	if (!line)
		return NULL;
	line += strlen(key) + 2;
	return line + strspn(line, " \t");
}

static uint64_t bytes_of(const char *text)
{
	char *unit;
	uint64_t n = strtoull(text, &unit, 10);

	while (*unit == ' ')
		unit++;
	return n << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

/* Add a client. @ids: of the clients found; processes that share a client show the same id */
static void add_client(const struct gpu *gpu, const char *text, unsigned long *ids,
		       struct drm_facts *facts)
{
	const char *pdev = value_of(text, "drm-pdev"), *id = value_of(text, "drm-client-id");
	/* drm-memory- is the older name of drm-resident- */
	const char *vram = value_of(text, "drm-resident-vram") ?: value_of(text, "drm-memory-vram");
	unsigned int i;

	if (!pdev || !id || strncmp(pdev, gpu->address, strlen(gpu->address)))
		return;
	for (i = 0; i < facts->clients; i++)
		if (ids[i] == strtoul(id, NULL, 10))
			return;
	if (i == MAX_CLIENTS)
		return;
	ids[facts->clients++] = strtoul(id, NULL, 10);
	if (vram)
		facts->vram = bytes_of(vram) + (isnan(facts->vram) ? 0 : facts->vram);
}

/* Return true if a descriptor of a process is that of a DRM node. */
static bool is_node(const char *pid, const char *fd)
{
	char link[64];

	return readlink(text_tmp("/proc/%s/fd/%s", pid, fd), link, sizeof(link)) >=
	       (ssize_t)strlen(DRM_NODES) && !strncmp(link, DRM_NODES, strlen(DRM_NODES));
}

/**
 * drm_look() - read the facts of a GPU's graphics driver
 * @gpu: the GPU
 * @facts: gets the facts
 *
 * Only root can see which GPU the processes of other users use.
 */
void drm_look(const struct gpu *gpu, struct drm_facts *facts)
{
	const char *folder = text_tmp(PCI_DEVICES "/%s/hwmon", gpu->address);
	unsigned long milli, ids[MAX_CLIENTS];
	char **name, **pid, **fd;
	const char *info;

	*facts = (struct drm_facts){ .celsius = NAN, .vram = NAN };
	if (!gpu->vendor || gpu_asleep(gpu))
		return;
	for (name = files_of(folder); *name && isnan(facts->celsius); name++)
		if (file_number(&milli, text_tmp("%s/%s/temp1_input", folder, *name)))
			facts->celsius = milli / 1e3;
	for (pid = files_of("/proc/"); *pid; pid++) {
		if (!isdigit((unsigned char)**pid))
			continue;
		for (fd = files_of(text_tmp("/proc/%s/fd", *pid)); *fd; fd++) {
			info = text_tmp("/proc/%s/fdinfo/%s", *pid, *fd);
			if (is_node(*pid, *fd))
				add_client(gpu, file_text(info), ids, facts);
		}
	}
}
