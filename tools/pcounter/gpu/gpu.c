// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which GPUs there are. Nothing here opens a DRM node or reads configuration
 * space: both would wake a GPU that sleeps.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "gpu/gpu.h"
#include "gpu/pmu.h"
#include "lib/tool.h"

#define CLASS_DISPLAY	0x03

static struct gpu *gpu_add(struct gpus *gpus, const char *address)
{
	struct gpu *more;
	unsigned int i;

	for (i = 0; i < gpus->nr; i++)
		if (!strcmp(gpus->gpu[i].address, address))
			return &gpus->gpu[i];
	more = realloc(gpus->gpu, (gpus->nr + 1) * sizeof(*more));
	if (!more)
		return NULL;
	gpus->gpu = more;
	more += gpus->nr++;
	memset(more, 0, sizeof(*more));
	snprintf(more->address, sizeof(more->address), "%s", address);
	return more;
}

static void add_nodes(struct gpu *gpu, const drmDevice *drm)
{
	unsigned int i;

	for (i = 0; i < DRM_NODE_MAX && gpu->nr_nodes < GPU_NODES; i++)
		if (drm->available_nodes & 1 << i)
			snprintf(gpu->node[gpu->nr_nodes++], sizeof(gpu->node[0]), "%s",
				 drm->nodes[i]);
}

/* What libdrm knows; without DRM_DEVICE_GET_PCI_REVISION it wakes nobody. */
static void find_drm(struct gpus *gpus)
{
	int n = drmGetDevices2(0, NULL, 0), i;
	drmDevicePtr *list = n > 0 ? calloc(n, sizeof(*list)) : NULL;
	char address[64];

	if (!list)
		return;
	n = drmGetDevices2(0, list, n);
	for (i = 0; i < n; i++) {
		const drmDevice *drm = list[i];
		struct gpu *gpu;

		if (drm->bustype == DRM_BUS_PCI)
			snprintf(address, sizeof(address), "%04x:%02x:%02x.%x",
				 drm->businfo.pci->domain, drm->businfo.pci->bus,
				 drm->businfo.pci->dev, drm->businfo.pci->func);
		else if (drm->bustype == DRM_BUS_PLATFORM)
			snprintf(address, sizeof(address), "%.60s",
				 drm->businfo.platform->fullname);
		else
			continue;
		gpu = gpu_add(gpus, address);
		if (gpu)
			add_nodes(gpu, drm);
	}
	drmFreeDevices(list, n);
	free(list);
}

/* Functions without a DRM driver. */
static void find_pci(struct gpus *gpus)
{
	DIR *dir = opendir(PCI_DEVICES);
	struct dirent *entry;
	unsigned long class;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    file_number(&class, PCI_DEVICES "/%s/class", entry->d_name) &&
		    class >> 16 == CLASS_DISPLAY)
			gpu_add(gpus, entry->d_name);
	if (dir)
		closedir(dir);
}

static void find_details(struct gpu *gpu)
{
	char path[128], link[256];
	ssize_t got;

	gpu->pci = file_number(&gpu->vendor, PCI_DEVICES "/%s/vendor", gpu->address);
	if (!gpu->pci)
		return;
	file_number(&gpu->device, PCI_DEVICES "/%s/device", gpu->address);
	snprintf(path, sizeof(path), PCI_DEVICES "/%s/driver", gpu->address);
	got = readlink(path, link, sizeof(link) - 1);
	if (got < 0)
		return;
	link[got] = 0;
	snprintf(gpu->driver, sizeof(gpu->driver), "%.31s",
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
}

/* PMUs find their GPU by its address; simulated GPUs are nothing but a PMU. */
static void find_pmus(struct gpus *gpus)
{
	unsigned int i;

	pmus_find(&gpus->pmus);
	for (i = 0; i < gpus->pmus.nr; i++) {
		const struct pmu *pmu = gpus->pmus.pmu[i];
		struct gpu *gpu;

		if (pmu->idle)
			continue;
		gpu = gpu_add(gpus, *pmu->device ? pmu->device : pmu->name);
		if (gpu)
			gpu->pmu = pmu;
	}
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct gpu *)a)->address, ((const struct gpu *)b)->address);
}

/**
 * gpus_find() - find all GPUs and their PMUs
 * @gpus: where to store them; gpus_free() frees
 */
void gpus_find(struct gpus *gpus)
{
	unsigned int i;

	memset(gpus, 0, sizeof(*gpus));
	find_drm(gpus);
	find_pci(gpus);
	find_pmus(gpus);
	for (i = 0; i < gpus->nr; i++)
		find_details(&gpus->gpu[i]);
	if (gpus->nr)
		qsort(gpus->gpu, gpus->nr, sizeof(*gpus->gpu), by_address);
}

/**
 * gpus_free() - free what gpus_find() found
 * @gpus: the GPUs
 */
void gpus_free(struct gpus *gpus)
{
	free(gpus->gpu);
	pmus_free(&gpus->pmus);
}

/**
 * gpu_chosen() - did the user mean this GPU?
 * @gpu: the GPU
 * @wish: PCI address, with or without its domain, or name of the PMU; NULL: any
 *
 * Return: true if so.
 */
bool gpu_chosen(const struct gpu *gpu, const char *wish)
{
	const char *colon = strchr(gpu->address, ':');

	return !wish || !strcmp(gpu->address, wish) || (colon && !strcmp(colon + 1, wish)) ||
	       (gpu->pmu && !strcmp(gpu->pmu->name, wish));
}

/**
 * gpus_first() - the GPU of a verb that takes one
 * @gpus: all GPUs
 * @wish: as for gpu_chosen()
 * @others: gets the names of all that @wish allows, empty if there is no choice
 * @len: room in @others
 *
 * Return: the first with counters, NULL if there is none.
 */
const struct gpu *gpus_first(const struct gpus *gpus, const char *wish, char *others, size_t len)
{
	const struct gpu *first = NULL;
	unsigned int i, n = 0;
	size_t at = 0;

	for (i = 0; i < gpus->nr; i++) {
		const struct gpu *gpu = &gpus->gpu[i];

		if (!gpu->pmu || !gpu_chosen(gpu, wish))
			continue;
		first = n++ ? first : gpu;
		if (at < len)
			at += snprintf(others + at, len - at, "%s%s (%s)", at ? ", " : "",
				       gpu->address, gpu->pmu->chip_name);
	}
	if (n < 2)
		*others = 0;
	return first;
}

/**
 * gpu_power() - is it awake?
 * @gpu: the GPU
 *
 * Return: "awake", "asleep", or "gone".
 */
const char *gpu_power(const struct gpu *gpu)
{
	return gpu->pci ? device_power(gpu->address) : "awake";
}

/**
 * gpu_asleep() - must its registers be left alone?
 * @gpu: the GPU
 *
 * Return: true if it is asleep or gone.
 */
bool gpu_asleep(const struct gpu *gpu)
{
	return strcmp(gpu_power(gpu), "awake");
}

/**
 * gpu_users() - on which domains are events open?
 * @gpu: the GPU, which has a PMU
 * @buf: room for what debugfs says of the first, and how many more there are
 * @len: how much
 *
 * Return: false if there is none, or debugfs does not say.
 */
bool gpu_users(const struct gpu *gpu, char *buf, size_t len)
{
	char text[8192], *line, *rest = text;
	unsigned int open, n = 0, at = 0;

	file_read(text, sizeof(text), "/sys/kernel/debug/pcounter/%s/status", gpu->pmu->name);
	while ((line = strsep(&rest, "\n"))) {
		char *colon = strstr(line, "): ");

		if (!colon || sscanf(colon, "): %u open", &open) != 1 || !open)
			continue;
		if (!n++)
			at = snprintf(buf, len, "%s", line);
	}
	if (n > 1 && at < len)
		snprintf(buf + at, len - at, ", and %u more", n - 1);
	return n;
}

/**
 * gpu_log() - what the module said of a GPU that it left alone
 * @gpu: the GPU
 * @buf: room for it
 * @len: how much
 *
 * Return: false if it said nothing, or the log may not be read.
 */
bool gpu_log(const struct gpu *gpu, char *buf, size_t len)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[4096], tag[96], *at;
	bool found = false;
	ssize_t got;

	snprintf(tag, sizeof(tag), "%s: pcounter: ", gpu->address);
	/* a record that was overwritten meanwhile is an error of this one read */
	while (fd >= 0 && ((got = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE)) {
		if (got <= 0)
			continue;
		record[got] = 0;
		at = strstr(record, tag);
		if (!at)
			continue;
		at += strlen(tag);
		at[strcspn(at, "\n")] = 0;
		snprintf(buf, len, "%s", at);
		found = true;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/**
 * gpu_why_not() - why a GPU has no PMU
 * @gpu: the GPU
 * @buf: room for it
 * @len: how much
 */
void gpu_why_not(const struct gpu *gpu, char *buf, size_t len)
{
	char said[200];

	if (gpu->vendor != VENDOR_NVIDIA)
		snprintf(buf, len, "not an NVIDIA GPU");
	else if (!file_exists("/sys/module/pcounter"))
		snprintf(buf, len, "the module pcounter is not loaded");
	else if (gpu_log(gpu, said, sizeof(said)))
		snprintf(buf, len, "%s", said);
	else
		snprintf(buf, len, "the module left it alone; dmesg | grep pcounter says why");
}
