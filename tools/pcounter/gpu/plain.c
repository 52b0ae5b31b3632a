// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meaning of events in plain words: an engine, and a property of it.
 */
#include <fnmatch.h>

#include "gpu/types.h"
#include "lib/tool.h"

#define WAITS_FOR	"_waits_for_"

/* The engine follows from the prefix of a name; the first match wins. */
static const struct {
	const char *prefix;
	const char *label;
} labels[] = {
	{ "pgraph_", PLAIN_WHOLE }, { "gpu_", PLAIN_WHOLE },
	{ "gr_busy", PLAIN_WHOLE }, { "gr_idle", PLAIN_WHOLE },
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
	{ "pdaemon_", "power manager" },
};

/* Engines by the text after "_waits_for_". */
static const struct {
	const char *unit;
	const char *label;
} waited[] = {
	{ "fb", "memory" }, { "shader", "shaders" }, { "texture", "textures" },
	{ "geom", "geometry" }, { "rop", "ROP" },
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

static bool find_label(const char *name, struct plain *plain)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(labels); i++) {
		if (strncmp(name, labels[i].prefix, strlen(labels[i].prefix)))
			continue;
		strcpy(plain->label, labels[i].label);
		/* the first of several prefixes determines the place of an engine */
		for (plain->rank = 0; strcmp(labels[plain->rank].label, plain->label);)
			plain->rank++;
		return true;
	}
	plain->rank = i;
	return false;
}

static void busy_name(const char *name, const char *end, struct plain *plain)
{
	plain->kind = PLAIN_BUSY;
	if (!find_label(name, plain))
		snprintf(plain->label, sizeof(plain->label), "%.*s", (int)(end - name), name);
}

/* A unit without a plain name has no line for its waits. */
static void waits_name(const char *name, const char *at, struct plain *plain)
{
	unsigned int i;

	if (!find_label(name, plain))
		return;
	plain->kind = PLAIN_WAITS;
	at += strlen(WAITS_FOR);
	snprintf(plain->waits_for, sizeof(plain->waits_for), "%.31s", at);
	for (i = 0; i < ARRAY_SIZE(waited); i++)
		if (!strcmp(waited[i].unit, at))
			strcpy(plain->waits_for, waited[i].label);
}

/**
 * plain_name() - find the meaning of an event
 * @name: name of the event
 * @plain: gets the meaning
 */
void plain_name(const char *name, struct plain *plain)
{
	const char *end = strstr(name, "_busy"), *idle = strstr(name, "_idle");
	const char *waits = strstr(name, WAITS_FOR);
	unsigned int i;

	memset(plain, 0, sizeof(*plain));
	plain->idle = idle && !end;
	if (end || idle)
		busy_name(name, end ?: idle, plain);
	else if (waits)
		waits_name(name, waits, plain);
	for (i = 0; i < ARRAY_SIZE(traffic) && !plain->kind; i++) {
		if (fnmatch(traffic[i].pattern, name, 0))
			continue;
		plain->kind = PLAIN_TRAFFIC;
		plain->rank = i;
		plain->bytes = traffic[i].bytes;
		strcpy(plain->label, traffic[i].label);
	}
}
