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

/**
 * struct look - a scan of all processes for clients of a GPU
 * @gpu: the GPU
 * @facts: gets the facts
 * @pid: the current process
 * @id: ids of the clients found; processes that share a client show the same id
 */
struct look {
	const struct gpu *gpu;
	struct drm_facts *facts;
	const char *pid;
	unsigned long id[MAX_CLIENTS];
};

static void look_at_hwmon(void *context, const char *name)
{
	struct look *look = context;
	unsigned long milli;

	if (isnan(look->facts->celsius) &&
	    file_number(&milli, text_tmp(PCI_DEVICES "/%s/hwmon/%s/temp1_input",
					 look->gpu->address, name)))
		look->facts->celsius = milli / 1e3;
}

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

static void add_client(struct look *look, const char *text)
{
	const char *pdev = value_of(text, "drm-pdev"), *id = value_of(text, "drm-client-id");
	/* drm-memory- is the older name of drm-resident- */
	const char *vram = value_of(text, "drm-resident-vram") ?: value_of(text, "drm-memory-vram");
	struct drm_facts *facts = look->facts;
	unsigned int i;

	if (!pdev || !id || strncmp(pdev, look->gpu->address, strlen(look->gpu->address)))
		return;
	for (i = 0; i < facts->clients; i++)
		if (look->id[i] == strtoul(id, NULL, 10))
			return;
	if (i == MAX_CLIENTS)
		return;
	look->id[facts->clients++] = strtoul(id, NULL, 10);
	if (vram)
		facts->vram = bytes_of(vram) + (isnan(facts->vram) ? 0 : facts->vram);
}

static void look_at_file(void *context, const char *fd)
{
	struct look *look = context;
	const char *path = text_tmp("/proc/%s/fd/%s", look->pid, fd);
	char link[64];

	if (readlink(path, link, sizeof(link)) < (ssize_t)strlen(DRM_NODES) ||
	    strncmp(link, DRM_NODES, strlen(DRM_NODES)))
		return;
	add_client(look, file_text(text_tmp("/proc/%s/fdinfo/%s", look->pid, fd)));
}

static void look_at_process(void *context, const char *pid)
{
	struct look *look = context;

	look->pid = pid;
	if (isdigit((unsigned char)*pid))
		each_file(text_tmp("/proc/%s/fd", pid), look_at_file, look);
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
	struct look look = { .gpu = gpu, .facts = facts };

	*facts = (struct drm_facts){ .celsius = NAN, .vram = NAN };
	if (!gpu->vendor || gpu_asleep(gpu))
		return;
	each_file(text_tmp(PCI_DEVICES "/%s/hwmon", gpu->address), look_at_hwmon, &look);
	each_file("/proc/", look_at_process, &look);
}
