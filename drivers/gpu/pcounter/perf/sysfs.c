// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU: format/, events/, caps/, confidence, cpumask,
 * identifier. A file exists only if the GPU has the feature.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "perf/types.h"
#include "rules/lookup.h"
#include "rules/terms.h"

static struct pcounter_pmu *dev_to_ppmu(struct device *dev)
{
	return to_pcounter_pmu(dev_get_drvdata(dev));
}

/* ---- format/ ---- */

/* Filled from the table of terms by pcounter_sysfs_init(). */
static struct perf_pmu_events_attr pcounter_formats[PCOUNTER_NR_TERMS];
static char pcounter_format_text[PCOUNTER_NR_TERMS][24];
static struct attribute *pcounter_format_attrs[PCOUNTER_NR_TERMS + 1];

static umode_t pcounter_format_visible(struct kobject *kobj,
				       struct attribute *attr, int n)
{
	struct pcounter_pmu *ppmu = dev_to_ppmu(kobj_to_dev(kobj));

	return pcounter_term_supported(n, ppmu->gpu.gen->caps) ? attr->mode : 0;
}

static const struct attribute_group pcounter_format_group = {
	.name = "format",
	.attrs = pcounter_format_attrs,
	.is_visible = pcounter_format_visible,
};

/* ---- caps/ ---- */

PCOUNTER_SYSFS_VALUE(chip, "%s", base->ppmu->gpu.chip->name);
PCOUNTER_SYSFS_VALUE(device, "%s", dev_name(base->parent));
PCOUNTER_SYSFS_VALUE(layout, "%s", base->ppmu->gpu.gen->table->layout);
PCOUNTER_SYSFS_VALUE(domains, "%u", base->ppmu->gpu.topo.nr);
PCOUNTER_SYSFS_VALUE(counters, "%u",
		     base->ppmu->gpu.gen->caps & PCOUNTER_CAP_QUAD ? PCOUNTER_SLOTS : 1);
PCOUNTER_SYSFS_VALUE(counter_width, "%u",
		     base->ppmu->gpu.gen->caps & PCOUNTER_CAP_CTR_40 ? 40 : 32);

PCOUNTER_SYSFS_VALUE(unverified_gpcs, "0x%x", base->ppmu->gpu.topo.lost);

static ssize_t modes_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	u32 caps = dev_to_ppmu(dev)->gpu.gen->caps;
	enum pcounter_term term;
	int len = 0;

	/* a mode has the name of its term */
	for (term = PCOUNTER_TERM_SINGLE; term <= PCOUNTER_TERM_RECORD; term++)
		if (pcounter_term_supported(term, caps))
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "",
					     pcounter_term_info[term].name);
	return len + sysfs_emit_at(buf, len, "\n");
}
static DEVICE_ATTR_RO(modes);

static struct attribute *pcounter_caps_attrs[] = {
	&dev_attr_chip.attr,
	&dev_attr_device.attr,
	&dev_attr_layout.attr,
	&dev_attr_domains.attr,
	&dev_attr_counters.attr,
	&dev_attr_counter_width.attr,
	&dev_attr_modes.attr,
	&dev_attr_unverified_gpcs.attr,
	NULL
};

static const struct attribute_group pcounter_caps_group = {
	.name = "caps",
	.attrs = pcounter_caps_attrs,
};

/* ---- the PMU's own folder ---- */

PCOUNTER_SYSFS_VALUE(cpumask, "%d", base->cpu);
PCOUNTER_SYSFS_VALUE(identifier, "0x%03x", base->ppmu->gpu.chip->chipset);

static struct attribute *pcounter_pmu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

const struct attribute_group pcounter_pmu_group = {
	.attrs = pcounter_pmu_attrs,
};

/* ---- events/: the elapsed cycles of each domain, signals, public events ---- */

static char *cycles_name(const struct pcounter_topo *topo, const struct pcounter_dom_id *id)
{
	static const char *const sets[PCOUNTER_SET_KINDS] = {
		[PCOUNTER_SET_GPC] = "gpc", [PCOUNTER_SET_PART] = "part",
	};

	if (!(topo->caps & PCOUNTER_CAP_SETS))
		return kasprintf(GFP_KERNEL, "dom%u_cycles", id->dom);
	if (id->set == PCOUNTER_SET_HUB)
		return kasprintf(GFP_KERNEL, "hub_dom%u_cycles", id->dom);
	return kasprintf(GFP_KERNEL, "%s%u_dom%u_cycles", sets[id->set], id->unit, id->dom);
}

static char *cycles_terms(const struct pcounter_topo *topo, const struct pcounter_dom_id *id)
{
	if (!(topo->caps & PCOUNTER_CAP_SETS))
		return kasprintf(GFP_KERNEL, "dom=0x%x,clk=0x1", id->dom);
	return kasprintf(GFP_KERNEL, "set=0x%x,unit=0x%x,dom=0x%x,clk=0x1", id->set, id->unit,
			 id->dom);
}

/* Make the files of all domains, and of the signals and public events whose domain is there. */
static bool build_events(const struct pcounter_topo *topo, struct perf_pmu_events_attr *file)
{
	const struct pcounter_dom_id *id;
	struct pcounter_named named;
	bool done = true;
	unsigned int i;

	for (id = topo->dom; id < topo->dom + topo->nr; id++)
		done &= pcounter_sysfs_file(file++, cycles_name(topo, id), cycles_terms(topo, id));
	for (i = 0; i < pcounter_nr_named(topo->chip); i++)
		if (pcounter_named_get(topo, i, &named) >= 0)
			done &= pcounter_sysfs_file(file++, kstrdup(named.name, GFP_KERNEL),
						    kstrdup(named.terms, GFP_KERNEL));
	return done;
}

/* ---- confidence: a line for each named event; on Tesla more than a page ---- */

#define CONFIDENCE_LINE	96	/* room for a name and its confidence */

static size_t confidence_list(const struct pcounter_topo *topo, char *list, size_t size)
{
	struct pcounter_named named;
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < pcounter_nr_named(topo->chip); i++)
		if (pcounter_named_get(topo, i, &named) >= 0)
			len += scnprintf(list + len, size - len, "%s %s\n", named.name,
					 named.confidence);
	return len;
}

static ssize_t confidence_read(struct file *file, struct kobject *kobj,
			       PCOUNTER_BIN_CONST struct bin_attribute *attr,
			       char *buf, loff_t pos, size_t size)
{
	const struct pcounter_pmu *ppmu = dev_to_ppmu(kobj_to_dev(kobj));
	size_t room = ppmu->nr_events * CONFIDENCE_LINE;
	char *list = kvmalloc(room, GFP_KERNEL);
	ssize_t done;

	if (!list)
		return -ENOMEM;
	done = memory_read_from_buffer(buf, size, &pos, list,
				       confidence_list(&ppmu->gpu.topo, list, room));
	kvfree(list);
	return done;
}
static BIN_ATTR_RO(confidence, 0);

static PCOUNTER_BIN_CONST struct bin_attribute *confidence_attrs[] = {
	&bin_attr_confidence,
	NULL
};

static const struct attribute_group confidence_group = {
	.bin_attrs = confidence_attrs,
};

/* ---- making the files ---- */

/**
 * pcounter_sysfs_file() - prepare a file of a PMU, whose text never changes
 * @file: the file
 * @name: its name
 * @text: the text, without the end of the line
 *
 * Return: false if there was no memory for @name or @text.
 */
bool pcounter_sysfs_file(struct perf_pmu_events_attr *file, const char *name, const char *text)
{
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name;
	file->attr.attr.mode = 0444;
	file->attr.show = perf_event_sysfs_show;
	file->event_str = text;
	return name && text;
}

/**
 * pcounter_sysfs_init() - make the format files from the table of terms
 */
void pcounter_sysfs_init(void)
{
	static const char *const words[] = { "config", "config1", "config2" };
	const struct pcounter_term_info *info = pcounter_term_info;
	const size_t size = sizeof(pcounter_format_text[0]);
	unsigned int i, at;
	char *text;

	for (i = 0; i < PCOUNTER_NR_TERMS; i++, info++) {
		text = pcounter_format_text[i];
		at = scnprintf(text, size, "%s:%u", words[info->word], info->lo);
		if (info->hi != info->lo)
			scnprintf(text + at, size - at, "-%u", info->hi);
		pcounter_sysfs_file(&pcounter_formats[i], info->name, text);
		pcounter_format_attrs[i] = &pcounter_formats[i].attr.attr;
	}
}

/**
 * pcounter_sysfs_build() - make the files that depend on the GPU
 * @ppmu: the PMU; its domains are known
 *
 * Return: 0 or -ENOMEM; pcounter_sysfs_free() frees in any case.
 */
int pcounter_sysfs_build(struct pcounter_pmu *ppmu)
{
	const struct pcounter_topo *topo = &ppmu->gpu.topo;
	unsigned int nr = pcounter_nr_named(topo->chip) + topo->nr + 1, i;

	ppmu->nr_events = nr;
	ppmu->events = kvcalloc(nr, sizeof(*ppmu->events), GFP_KERNEL);
	ppmu->event_attrs = kvcalloc(nr, sizeof(*ppmu->event_attrs), GFP_KERNEL);
	if (!ppmu->events || !ppmu->event_attrs || !build_events(topo, ppmu->events))
		return -ENOMEM;
	for (i = 0; ppmu->events[i].attr.attr.name; i++)
		ppmu->event_attrs[i] = &ppmu->events[i].attr.attr;
	ppmu->events_group.name = "events";
	ppmu->events_group.attrs = ppmu->event_attrs;
	ppmu->attr_groups[0] = &confidence_group;
	ppmu->attr_groups[1] = &pcounter_pmu_group;
	ppmu->attr_groups[2] = &pcounter_format_group;
	ppmu->attr_groups[3] = &pcounter_caps_group;
	ppmu->attr_groups[4] = &ppmu->events_group;
	ppmu->base.pmu.attr_groups = ppmu->attr_groups;
	return 0;
}

/**
 * pcounter_sysfs_free() - free what pcounter_sysfs_build() made
 * @ppmu: the PMU, out of sysfs
 */
void pcounter_sysfs_free(struct pcounter_pmu *ppmu)
{
	unsigned int i;

	for (i = 0; ppmu->events && i < ppmu->nr_events; i++) {
		kfree(ppmu->events[i].attr.attr.name);
		kfree(ppmu->events[i].event_str);
	}
	kvfree(ppmu->event_attrs);
	kvfree(ppmu->events);
}
