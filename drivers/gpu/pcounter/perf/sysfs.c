// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU: format/, events/, caps/, cpumask, identifier, trigger. A file
 * exists only if the GPU has the feature.
 */
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "perf/types.h"
#include "rules/lookup.h"
#include "rules/terms.h"

/* ---- a folder of files with constant texts ---- */

/**
 * pcounter_folder_alloc() - make an empty folder
 * @folder: the folder, zeroed
 * @name: its name
 * @room: number of files that it has room for
 *
 * Without memory for it or for one of its files pcounter_base_register() fails.
 */
void pcounter_folder_alloc(struct pcounter_folder *folder, const char *name, unsigned int room)
{
	folder->group.name = name;
	folder->group.attrs = kvcalloc(room + 1, sizeof(*folder->group.attrs), GFP_KERNEL);
	folder->file = kvcalloc(room, sizeof(*folder->file), GFP_KERNEL);
	folder->failed = !folder->group.attrs || !folder->file;
}

/**
 * pcounter_folder_add() - add a file to a folder
 * @folder: the folder, which has room
 * @name: name of the file
 * @format: its text without the end of the line, for printf()
 */
void pcounter_folder_add(struct pcounter_folder *folder, const char *name, const char *format, ...)
{
	struct perf_pmu_events_attr *file = &folder->file[folder->nr];
	va_list args;

	if (folder->failed)
		return;
	va_start(args, format);
	file->event_str = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = kstrdup(name, GFP_KERNEL);
	file->attr.attr.mode = 0444;
	file->attr.show = perf_event_sysfs_show;
	folder->group.attrs[folder->nr++] = &file->attr.attr;
	folder->failed = !file->attr.attr.name || !file->event_str;
}

static void folder_free(struct pcounter_folder *folder)
{
	unsigned int i;

	for (i = 0; i < folder->nr; i++) {
		kfree(folder->file[i].attr.attr.name);
		kfree(folder->file[i].event_str);
	}
	kvfree(folder->group.attrs);
	kvfree(folder->file);
}

/* ---- format/ ---- */

static void add_format(struct pcounter_folder *folder, const struct pcounter_term_info *info)
{
	static const char *const words[] = { "config", "config1", "config2" };
	const char *word = words[info->word];

	if (info->lo == info->hi)
		pcounter_folder_add(folder, info->name, "%s:%u", word, info->lo);
	else
		pcounter_folder_add(folder, info->name, "%s:%u-%u", word, info->lo, info->hi);
}

/* Make the files of the terms that the GPU supports. */
static void build_format(struct pcounter_folder *folder, u32 caps)
{
	enum pcounter_term term;

	pcounter_folder_alloc(folder, "format", PCOUNTER_NR_TERMS);
	for (term = 0; term < PCOUNTER_NR_TERMS; term++)
		if (pcounter_term_supported(term, caps))
			add_format(folder, &pcounter_term_info[term]);
}

/* ---- caps/ ---- */

static void build_caps(struct pcounter_folder *folder, const struct pcounter_pmu *ppmu)
{
	const struct pcounter_gpu *gpu = &ppmu->gpu;
	const u32 caps = gpu->topo.caps;
	char modes[64] = "";
	enum pcounter_term term;
	size_t len = 0;

	/* a mode has the name of its term */
	for (term = PCOUNTER_TERM_SINGLE; term <= PCOUNTER_TERM_RECORD; term++)
		if (pcounter_term_supported(term, caps))
			len += scnprintf(modes + len, sizeof(modes) - len, "%s%s", len ? " " : "",
					 pcounter_term_info[term].name);
	pcounter_folder_alloc(folder, "caps", 8);
	pcounter_folder_add(folder, "chip", "%s", gpu->chip->name);
	pcounter_folder_add(folder, "device", "%s", dev_name(ppmu->base.parent));
	pcounter_folder_add(folder, "layout", "%s", gpu->gen->table->layout);
	pcounter_folder_add(folder, "domains", "%u", gpu->topo.nr);
	pcounter_folder_add(folder, "counters", "%u",
			    caps & PCOUNTER_CAP_QUAD ? PCOUNTER_SLOTS : 1);
	pcounter_folder_add(folder, "counter_width", "%u", caps & PCOUNTER_CAP_CTR_40 ? 40 : 32);
	pcounter_folder_add(folder, "modes", "%s", modes);
	pcounter_folder_add(folder, "unverified_gpcs", "0x%x", gpu->topo.lost);
}

/* ---- the PMU's own folder ---- */

PCOUNTER_SYSFS_VALUE(cpumask, "%d", READ_ONCE(base->cpu));
PCOUNTER_SYSFS_VALUE(identifier, "0x%03x", base->ppmu->gpu.chip->chipset);

/* The file outlives the GPU while events are open. */
static ssize_t trigger_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct pcounter_base *base = to_pcounter_base(dev_get_drvdata(dev));
	int err;

	if (!sysfs_streq(buf, "1"))
		return -EINVAL;
	guard(srcu)(&pcounter_lease_srcu);
	err = pcounter_gpu_trigger(&base->ppmu->gpu);
	return err ?: count;
}
static DEVICE_ATTR_WO(trigger);

static struct attribute *pcounter_pmu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	&dev_attr_trigger.attr,
	NULL
};

static umode_t pmu_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct pcounter_base *base = to_pcounter_base(dev_get_drvdata(kobj_to_dev(kobj)));

	if (attr == &dev_attr_trigger.attr &&
	    (base != &base->ppmu->base || !pcounter_has_trigger(base->ppmu->gpu.gen)))
		return 0;
	return attr->mode;
}

const struct attribute_group pcounter_pmu_group = {
	.attrs = pcounter_pmu_attrs,
	.is_visible = pmu_attr_visible,
};

/* ---- events/: the elapsed cycles of each domain, signals, public events ---- */

static void add_cycles(struct pcounter_folder *folder, const struct pcounter_topo *topo,
		       const struct pcounter_dom_id *id)
{
	static const char *const sets[PCOUNTER_SET_KINDS] = {
		[PCOUNTER_SET_GPC] = "gpc", [PCOUNTER_SET_PART] = "part",
	};
	char name[24];

	if (!(topo->caps & PCOUNTER_CAP_SETS)) {
		snprintf(name, sizeof(name), "dom%u_cycles", id->dom);
		pcounter_folder_add(folder, name, "dom=0x%x,clk=0x1", id->dom);
		return;
	}
	if (id->set == PCOUNTER_SET_HUB)
		snprintf(name, sizeof(name), "hub_dom%u_cycles", id->dom);
	else
		snprintf(name, sizeof(name), "%s%u_dom%u_cycles", sets[id->set], id->unit, id->dom);
	pcounter_folder_add(folder, name, "set=0x%x,unit=0x%x,dom=0x%x,clk=0x1", id->set,
			    id->unit, id->dom);
}

/* Make the files of all domains, and of the signals and public events whose domain is there. */
static void build_events(struct pcounter_folder *folder, const struct pcounter_topo *topo)
{
	unsigned int i, nr = pcounter_nr_named(topo->chip);
	struct pcounter_named named;

	pcounter_folder_alloc(folder, "events", topo->nr + nr);
	for (i = 0; i < topo->nr; i++)
		add_cycles(folder, topo, &topo->dom[i]);
	for (i = 0; i < nr; i++)
		if (pcounter_named_get(topo, i, &named) >= 0)
			pcounter_folder_add(folder, named.name, "%s", named.terms);
}

/* ---- all files of the PMU of the domains ---- */

/**
 * pcounter_sysfs_build() - make the files that depend on the GPU
 * @ppmu: the PMU; its domains are known
 */
void pcounter_sysfs_build(struct pcounter_pmu *ppmu)
{
	struct pcounter_base *base = &ppmu->base;

	build_format(&base->format_dir, ppmu->gpu.topo.caps);
	build_caps(&base->caps_dir, ppmu);
	build_events(&base->events_dir, &ppmu->gpu.topo);
}

/**
 * pcounter_sysfs_free() - free the folders of a PMU
 * @base: the PMU, out of sysfs
 */
void pcounter_sysfs_free(struct pcounter_base *base)
{
	folder_free(&base->format_dir);
	folder_free(&base->caps_dir);
	folder_free(&base->events_dir);
}
