// SPDX-License-Identifier: GPL-2.0-only
/*
 * Discovery of GPUs. These functions open no DRM node and read no PCI configuration
 * space: both would wake a sleeping GPU.
 */
#include <fcntl.h>

#include "gpu/count.h"
#include "gpu/gpu.h"
#include "lib/util.h"

#define CLASS_DISPLAY	0x03

static void find_details(struct gpu *gpu)
{
	const char *folder = text_tmp(PCI_DEVICES "/%s", gpu->address);
	char link[256] = "", **name;

	if (!file_number(&gpu->vendor, text_tmp("%s/vendor", folder)))
		return;
	file_number(&gpu->device, text_tmp("%s/device", folder));
	if (readlink(text_tmp("%s/driver", folder), link, sizeof(link) - 1) > 0)
		snprintf(gpu->driver, sizeof(gpu->driver), "%.31s", basename(link));
	for (name = files_of(text_tmp("%s/drm", folder)); *name; name++)
		snprintf(gpu->nodes + strlen(gpu->nodes), sizeof(gpu->nodes) - strlen(gpu->nodes),
			 " " DRM_NODES "%s", *name);
}

static struct gpu *gpu_add(struct gpus *gpus, const char *address)
{
	unsigned int i;

	for (i = 0; i < gpus->nr; i++)
		if (!strcmp(gpus->gpu[i].address, address))
			return &gpus->gpu[i];
	gpus->gpu = grow(gpus->gpu, gpus->nr, sizeof(*gpus->gpu));
	snprintf(gpus->gpu[i].address, sizeof(gpus->gpu[i].address), "%s", address);
	find_details(&gpus->gpu[i]);
	gpus->nr++;
	return &gpus->gpu[i];
}

static void find_pci(struct gpus *gpus)
{
	unsigned long class;
	char **name;

	for (name = files_of(PCI_DEVICES); *name; name++)
		if (file_number(&class, text_tmp(PCI_DEVICES "/%s/class", *name)) &&
		    class >> 16 == CLASS_DISPLAY)
			gpu_add(gpus, *name);
}

/**
 * pmu_left() - check whether the GPU of a PMU has left
 * @pmu: the PMU, which stays while its events are open
 *
 * Return: true if the GPU was removed or lent: then the kernel refuses another event.
 */
bool pmu_left(const struct pmu *pmu)
{
	struct event clock;
	struct count count;
	int err;

	wire_event(pmu, 0, "clk", &clock);
	err = count_open(&count, &clock, 1);
	count_close(&count);
	return err == -ENODEV;
}

/* Assign PMUs to GPUs by address. A simulated GPU has a PMU and no PCI function. */
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
		if (!gpu->pmu || !pmu_left(pmu))
			gpu->pmu = pmu;
	}
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct gpu *)a)->address, ((const struct gpu *)b)->address);
}

/* Compare a GPU with the user's choice, as of gpus_find(). */
static bool is_chosen(const struct gpu *gpu, const char *wish)
{
	const char *colon = strchr(gpu->address, ':');

	return !wish || !strcmp(gpu->address, wish) || (colon && !strcmp(colon + 1, wish)) ||
	       (gpu->pmu && !strcmp(gpu->pmu->name, wish));
}

/**
 * gpus_find() - find GPUs and their PMUs
 * @gpus: gets the GPUs; gpus_free() frees them
 * @wish: PCI address of the only GPU, with or without its domain, or name of its PMU;
 *	NULL: all GPUs
 * @counting: only GPUs with counters
 */
void gpus_find(struct gpus *gpus, const char *wish, bool counting)
{
	unsigned int i, n = 0;

	memset(gpus, 0, sizeof(*gpus));
	find_pci(gpus);
	find_pmus(gpus);
	for (i = 0; i < gpus->nr; i++)
		if (is_chosen(&gpus->gpu[i], wish) && (gpus->gpu[i].pmu || !counting))
			gpus->gpu[n++] = gpus->gpu[i];
	gpus->nr = n;
	if (n)
		qsort(gpus->gpu, gpus->nr, sizeof(*gpus->gpu), by_address);
}

/**
 * gpus_free() - free the GPUs of gpus_find()
 * @gpus: the GPUs
 */
void gpus_free(struct gpus *gpus)
{
	free(gpus->gpu);
	gpus->gpu = NULL;
	pmus_free(&gpus->pmus);
}

/**
 * gpus_counting() - find GPUs with counters
 * @gpus: gets the GPUs; gpus_free() frees them
 * @wish: as for gpus_find()
 *
 * Return: false, with a message, if there is none.
 */
bool gpus_counting(struct gpus *gpus, const char *wish)
{
	gpus_find(gpus, wish, true);
	return gpus->nr || complain("no GPU%s%s with counters; pcounter doctor says why",
				    wish ? " " : "", wish ?: "");
}

/**
 * gpu_again() - look a GPU up again, which may have come back with another PMU
 * @gpu: the GPU; is replaced
 * @open: events of it are open, which keep the number of their PMU
 * @found: all zero, or from the last call; gpus_free() frees the GPU
 *
 * Return: false if the GPU has no PMU, or if the open events are of its PMU.
 */
bool gpu_again(const struct gpu **gpu, bool open, struct gpus *found)
{
	const struct pmu *pmu = (*gpu)->pmu;
	struct gpus now;

	gpus_find(&now, (*gpu)->address, true);
	if (!now.nr || (open && !strcmp(now.gpu->pmu->name, pmu->name))) {
		gpus_free(&now);
		return false;
	}
	gpus_free(found);
	*found = now;
	*gpu = now.gpu;
	return true;
}

/**
 * gpus_list() - list GPUs for a message
 * @gpus: GPUs with counters
 *
 * Return: their addresses and chips, for immediate use.
 */
const char *gpus_list(const struct gpus *gpus)
{
	const char *list = "";
	unsigned int i;

	for (i = 0; i < gpus->nr; i++)
		list = text_tmp("%s%s%s (%s)", list, i ? ", " : "", gpus->gpu[i].address,
				gpus->gpu[i].pmu->chip_name);
	return list;
}

/**
 * gpus_tell() - tell which of several GPUs a verb uses
 * @gpus: the GPUs, which have counters
 * @gpu: the GPU that it uses
 * @does: the verb, as in "counts"
 */
void gpus_tell(const struct gpus *gpus, const struct gpu *gpu, const char *does)
{
	if (gpus->nr > 1)
		complain("%s %s of %s; -d GPU chooses", does, gpu->address, gpus_list(gpus));
}

/**
 * gpu_power() - return the power state of a GPU
 * @gpu: the GPU
 *
 * Return: "awake", "asleep", or "gone".
 */
const char *gpu_power(const struct gpu *gpu)
{
	return gpu->vendor ? device_power(gpu->address) : "awake";
}

/**
 * gpu_asleep() - check that registers must not be accessed
 * @gpu: the GPU
 *
 * Return: true if the GPU is asleep or gone.
 */
bool gpu_asleep(const struct gpu *gpu)
{
	return strcmp(gpu_power(gpu), "awake");
}

/**
 * gpu_users() - find domains with open events
 * @gpu: the GPU, which has a PMU
 *
 * Return: the first domain with open events, and the number of other ones, for immediate
 * use; NULL if no event is open, or debugfs cannot be read.
 */
const char *gpu_users(const struct gpu *gpu)
{
	char *line, *rest = file_text(text_tmp(DEBUGFS "/%s/status", gpu->pmu->name));
	const char *first = NULL;
	unsigned int open, n = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *colon = strstr(line, "): ");

		if (!colon || sscanf(colon, "): %u open", &open) != 1 || !open)
			continue;
		if (!n++)
			first = line;
	}
	return n > 1 ? text_tmp("%s, and %u more", first, n - 1) : first;
}

/**
 * gpu_log() - find the module's last message about a GPU
 * @gpu: the GPU
 *
 * Return: the message, for immediate use; NULL if there is none, or this user may not
 * read the kernel log.
 */
const char *gpu_log(const struct gpu *gpu)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *tag = text_tmp("%s: pcounter: ", gpu->address);
	const char *said = NULL;
	char record[4096], *at;
	ssize_t got;

	/* EPIPE: this record was overwritten; the next one can be read */
	while (fd >= 0 && ((got = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE)) {
		record[max_t(ssize_t, got, 0)] = 0;
		at = strstr(record, tag);
		if (!at)
			continue;
		at += strlen(tag);
		said = text_tmp("%.*s", (int)strcspn(at, "\n"), at);
	}
	if (fd >= 0)
		close(fd);
	return said;
}

/**
 * gpu_why_not() - explain why a GPU has no PMU
 * @gpu: the GPU
 *
 * Return: the reason, for immediate use.
 */
const char *gpu_why_not(const struct gpu *gpu)
{
	if (gpu->vendor != VENDOR_NVIDIA)
		return "not an NVIDIA GPU";
	if (!file_exists("/sys/module/pcounter"))
		return "the module pcounter is not loaded";
	return gpu_log(gpu) ?: "the module left it alone; dmesg | grep pcounter says why";
}
