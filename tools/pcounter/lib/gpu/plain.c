// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meaning of events in plain words: an engine, and a property of it.
 */
#include <fnmatch.h>
#include <limits.h>

#include "gpu/pmu.h"
#include "lib/util.h"

#define WAITS_FOR	"_waits_for_"

/* The engine follows from the prefix of a name; the first match wins. */
static const struct label {
	const char *prefix;
	const char *label;
} labels[] = {
	{ "pgraph_", PLAIN_WHOLE }, { "gpu_", PLAIN_WHOLE },
	{ "gr_busy", PLAIN_WHOLE }, { "gr_idle", PLAIN_WHOLE }, { "gr_copy_", PLAIN_WHOLE },
	{ "gr_hub_", "front end (hub)" }, { "gr_gpc_", "shaders (GPCs)" },
	{ "input_assembler_", "vertex fetch" }, { "geom_", "geometry" },
	{ "strmout_", "stream output" }, { "stream_out_", "stream output" },
	{ "shader_", "shaders" }, { "texture_", "textures" },
	{ "rop_", "ROP" }, { "gr_rop_", "ROP" },
	{ "crop_", "ROP, colour" }, { "zrop_", "ROP, depth" },
	{ "mc_", "memory controller" },
	{ "pcie_", "PCIe" }, { "pvld_", "video, bitstream" },
	{ "pvdec_", "video, decoder" }, { "ppdec_", "video, decoder" },
	{ "pppp_", "video, output" }, { "pvcomp_", "video, compositor" },
	{ "vuc_", "video, processor" }, { "pvenc_", "video, encoder" },
	{ "pcopy0_", "copy engine" }, { "pcopy1_", "copy engine 1" },
	{ "pcopy2_", "copy engine 2" }, { "pcopy_", "copy engine" },
	{ "psec_", "encryption" }, { "pdaemon_mmio_", "power manager, bus" },
	{ "pdaemon_", "power manager" }, { "fb_", "memory" },
};

static const struct {
	const char *pattern;
	const char *label;
	unsigned int bytes;
} traffic[] = {
	{ "fb_subp?_read_sectors", "memory, read", 32 },
	{ "fb_subp?_write_sectors", "memory, written", 32 },
	{ "l2_s*_read_sysmem_sector*", "system memory, read", 32 },
	{ "l2_s*_write_sysmem_sector*", "system memory, wr.", 32 },
	{ "pbus_pcie_rd", "PCIe, CPU reads", 0 },
	{ "pbus_pcie_wr", "PCIe, CPU writes", 0 },
};

/* Return the first row with the label of a name, NULL if no prefix fits. */
static const struct label *find_label(const char *name)
{
	const struct label *first = labels;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(labels); i++) {
		if (strncmp(name, labels[i].prefix, strlen(labels[i].prefix)))
			continue;
		while (strcmp(first->label, labels[i].label))
			first++;
		return first;
	}
	return NULL;
}

/**
 * plain_name() - find the meaning of an event
 * @name: name of the event
 * @plain: gets the meaning
 */
void plain_name(const char *name, struct plain *plain)
{
	const char *busy = strstr(name, "_busy"), *end = busy ?: strstr(name, "_idle");
	const char *waits = strstr(name, WAITS_FOR);
	const struct label *row = find_label(name);
	unsigned int i;

	memset(plain, 0, sizeof(*plain));
	plain->rank = row ? (size_t)(row - labels) : ARRAY_SIZE(labels);
	if (end) {
		plain->kind = PLAIN_BUSY;
		plain->idle = !busy;
		snprintf(plain->engine, sizeof(plain->engine), "%.*s",
			 end[strlen("_busy")] ? INT_MAX : (int)(end - name), name);
		snprintf(plain->label, sizeof(plain->label), "%.*s",
			 row ? INT_MAX : (int)(end - name), row ? row->label : name);
	} else if (waits && row) {
		plain->kind = PLAIN_WAITS;
		strcpy(plain->label, row->label);
		waits += strlen(WAITS_FOR);
		row = find_label(text_tmp("%s_", waits));
		snprintf(plain->waits_for, sizeof(plain->waits_for), "%s",
			 row ? row->label : waits);
	}
	for (i = 0; i < ARRAY_SIZE(traffic) && !plain->kind; i++) {
		if (fnmatch(traffic[i].pattern, name, 0))
			continue;
		plain->kind = PLAIN_TRAFFIC;
		plain->rank = i;
		plain->bytes = traffic[i].bytes;
		strcpy(plain->label, traffic[i].label);
	}
}
