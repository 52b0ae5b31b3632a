// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the graphics driver of a GPU tells: its temperature in hwmon, its clients
 * and their memory in the fdinfo of processes. Nothing here opens a DRM node, and
 * a GPU that sleeps is not asked.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/drm.h"
#include "lib/tool.h"

#define DRM_NODES	"/dev/dri/"
#define MAX_CLIENTS	256

/**
 * struct seen - clients that were found
 * @nr: how many
 * @id: their numbers: a client has one, whichever processes share it
 */
struct seen {
	unsigned int nr;
	unsigned long id[MAX_CLIENTS];
};

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int is_number(const struct dirent *entry)
{
	return strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
}

static void free_list(struct dirent **list, int n)
{
	while (n > 0)
		free(list[--n]);
	free(list);
}

static void look_at_hwmon(const struct gpu *gpu, struct drm_facts *facts)
{
	struct dirent **list = NULL;
	char path[128];
	unsigned long milli;
	int n, i;

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/hwmon", gpu->address);
	n = scandir(path, &list, no_dots, NULL);
	for (i = 0; i < n && !facts->has_celsius; i++) {
		facts->has_celsius = file_number(&milli, "%s/%s/temp1_input", path,
						 list[i]->d_name);
		facts->celsius = facts->has_celsius ? milli / 1e3 : 0;
	}
	free_list(list, n);
}

/* The value of a line "KEY:\tVALUE". */
static const char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && (strncmp(text, key, len) || text[len] != ':')) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? text + len + 1 + strspn(text + len + 1, " \t") : NULL;
}

static uint64_t bytes_of(const char *text)
{
	char *unit;
	uint64_t n = strtoull(text, &unit, 10);

	while (*unit == ' ')
		unit++;
	return n << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

static void add_client(const struct gpu *gpu, const char *text, struct seen *seen,
		       struct drm_facts *facts)
{
	const char *pdev = value_of(text, "drm-pdev"), *id = value_of(text, "drm-client-id");
	const char *vram = value_of(text, "drm-resident-vram");
	unsigned int i;

	if (!pdev || !id || strncmp(pdev, gpu->address, strlen(gpu->address)))
		return;
	for (i = 0; i < seen->nr; i++)
		if (seen->id[i] == strtoul(id, NULL, 10))
			return;
	if (seen->nr == MAX_CLIENTS)
		return;
	seen->id[seen->nr++] = strtoul(id, NULL, 10);
	facts->clients++;
	/* the older of the two keys is the same thing */
	if (!vram)
		vram = value_of(text, "drm-memory-vram");
	if (!vram)
		return;
	facts->has_vram = true;
	facts->vram += bytes_of(vram);
}

static void look_at_process(const struct gpu *gpu, const char *pid, struct seen *seen,
			    struct drm_facts *facts)
{
	struct dirent **list = NULL;
	char path[128], link[64], text[4096];
	int n, i;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	n = scandir(path, &list, is_number, NULL);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid, list[i]->d_name);
		if (readlink(path, link, sizeof(link)) < (ssize_t)strlen(DRM_NODES) ||
		    strncmp(link, DRM_NODES, strlen(DRM_NODES)))
			continue;
		if (file_read(text, sizeof(text), "/proc/%.20s/fdinfo/%.20s", pid,
			      list[i]->d_name))
			add_client(gpu, text, seen, facts);
	}
	free_list(list, n);
}

/**
 * drm_look() - ask the graphics driver of a GPU
 * @gpu: the GPU
 * @facts: gets what it tells
 *
 * Of other users' processes only root sees which GPU they use.
 */
void drm_look(const struct gpu *gpu, struct drm_facts *facts)
{
	struct dirent **list = NULL;
	struct seen seen = {};
	int n, i;

	memset(facts, 0, sizeof(*facts));
	if (!gpu->pci || gpu_asleep(gpu))
		return;
	look_at_hwmon(gpu, facts);
	n = scandir("/proc/", &list, is_number, NULL);
	for (i = 0; i < n; i++)
		look_at_process(gpu, list[i]->d_name, &seen, facts);
	free_list(list, n);
}
