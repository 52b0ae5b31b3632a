// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU: format/, events/, caps/, confidence, cpumask,
 * identifier. A file exists only if the GPU has the feature.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "perf/sysfs.h"
#include "perf/types.h"
#include "rules/public.h"
#include "rules/signals.h"
#include "rules/terms.h"

static struct pcounter_pmu *dev_to_ppmu(struct device *dev)
{
	return to_pcounter_pmu(dev_get_drvdata(dev));
}

static unsigned long attr_number(struct device_attribute *attr)
{
	return (unsigned long)container_of(attr, struct dev_ext_attribute, attr)->var;
}

/* ---- format/ ---- */

static ssize_t pcounter_format_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	static const char *const words[] = { "config", "config1", "config2" };
	const struct pcounter_term_info *info =
		&pcounter_term_info[attr_number(attr)];

	if (info->lo == info->hi)
		return sysfs_emit(buf, "%s:%u\n", words[info->word], info->lo);
	return sysfs_emit(buf, "%s:%u-%u\n", words[info->word], info->lo,
			  info->hi);
}

/* Filled from the table of terms by pcounter_sysfs_init(). */
static struct dev_ext_attribute pcounter_formats[PCOUNTER_NR_TERMS];
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

/**
 * pcounter_sysfs_init() - make the format files from the table of terms
 */
void pcounter_sysfs_init(void)
{
	unsigned long i;

	for (i = 0; i < PCOUNTER_NR_TERMS; i++) {
		struct dev_ext_attribute *ext = &pcounter_formats[i];

		ext->attr.attr.name = pcounter_term_info[i].name;
		ext->attr.attr.mode = 0444;
		ext->attr.show = pcounter_format_show;
		ext->var = (void *)i;
		pcounter_format_attrs[i] = &ext->attr.attr;
	}
}

/* ---- caps/ ---- */

static ssize_t chip_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_ppmu(dev)->gpu.chip->name);
}
static DEVICE_ATTR_RO(chip);

static ssize_t device_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_name(dev_to_ppmu(dev)->base.parent));
}
static DEVICE_ATTR_RO(device);

static ssize_t layout_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_ppmu(dev)->gpu.gen->layout);
}
static DEVICE_ATTR_RO(layout);

static ssize_t domains_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_ppmu(dev)->gpu.topo.nr);
}
static DEVICE_ATTR_RO(domains);

static ssize_t counters_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	u32 caps = dev_to_ppmu(dev)->gpu.gen->caps;

	return sysfs_emit(buf, "%u\n", caps & PCOUNTER_CAP_QUAD ? PCOUNTER_SLOTS : 1);
}
static DEVICE_ATTR_RO(counters);

static ssize_t counter_width_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	u32 caps = dev_to_ppmu(dev)->gpu.gen->caps;

	return sysfs_emit(buf, "%u\n", caps & PCOUNTER_CAP_CTR_40 ? 40 : 32);
}
static DEVICE_ATTR_RO(counter_width);

static ssize_t modes_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	static const struct {
		u32 cap;
		const char *name;
	} modes[] = {
		{ PCOUNTER_CAP_SINGLE, "single" },
		{ PCOUNTER_CAP_QUAD, "quad" },
		{ PCOUNTER_CAP_RECORD, "record" },
	};
	u32 caps = dev_to_ppmu(dev)->gpu.gen->caps;
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (caps & modes[i].cap)
			len += sysfs_emit_at(buf, len, "%s%s", len ? " " : "", modes[i].name);
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
	NULL
};

static const struct attribute_group pcounter_caps_group = {
	.name = "caps",
	.attrs = pcounter_caps_attrs,
};

/* ---- the PMU's own folder ---- */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_to_ppmu(dev)->base.cpu);
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	return sysfs_emit(buf, "0x%03x\n", dev_to_ppmu(dev)->gpu.chip->chipset);
}
static DEVICE_ATTR_RO(identifier);

/**
 * struct pcounter_list_part - the part of a long file that a reader asks for
 * @buf: where to put it
 * @size: room there
 * @pos: bytes of the file that come before
 * @done: bytes that are in @buf
 */
struct pcounter_list_part {
	char *buf;
	size_t size;
	loff_t pos;
	size_t done;
};

static void list_line(struct pcounter_list_part *want, const char *name,
		      const char *confidence)
{
	char line[96];
	size_t len, part;

	len = scnprintf(line, sizeof(line), "%s %s\n", name, confidence);
	if (want->pos >= len) {
		want->pos -= len;
		return;
	}
	part = min(len - (size_t)want->pos, want->size - want->done);
	memcpy(want->buf + want->done, line + want->pos, part);
	want->done += part;
	want->pos = 0;
}

/*
 * A line for each named signal and each public event whose domain is there: on
 * Tesla more than a page.
 */
static ssize_t confidence_read(struct file *file, struct kobject *kobj,
			       PCOUNTER_BIN_CONST struct bin_attribute *attr,
			       char *buf, loff_t pos, size_t size)
{
	struct pcounter_pmu *ppmu = dev_to_ppmu(kobj_to_dev(kobj));
	struct pcounter_list_part want = { .buf = buf, .size = size, .pos = pos };
	const struct pcounter_gpu *gpu = &ppmu->gpu;
	const struct pcounter_public *event;
	const struct pcounter_signal *signal;
	unsigned int i, nr;

	signal = pcounter_signals_find(gpu->chip, &nr);
	for (i = 0; i < nr; i++, signal++)
		if (pcounter_signal_unit(signal, &gpu->topo) >= 0)
			list_line(&want, pcounter_signal_names[signal->name],
				  pcounter_signal_confidence(signal));
	nr = pcounter_public_count(gpu->chip);
	for (i = 0; i < nr; i++) {
		event = pcounter_public_get(gpu->chip, i);
		if (pcounter_public_unit(event, &gpu->topo) >= 0)
			list_line(&want, event->name, pcounter_public_confidence(event));
	}
	return want.done;
}
static BIN_ATTR_RO(confidence, 0);

static struct attribute *pcounter_pmu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

static PCOUNTER_BIN_CONST struct bin_attribute *pcounter_pmu_bin_attrs[] = {
	&bin_attr_confidence,
	NULL
};

static const struct attribute_group pcounter_pmu_group = {
	.attrs = pcounter_pmu_attrs,
	.bin_attrs = pcounter_pmu_bin_attrs,
};

/* ---- events/: the elapsed cycles of each domain, signals, public events ---- */

#define PCOUNTER_EVENT_NAME	24	/* room for "gpc31_dom2_cycles" */

/**
 * struct pcounter_named_event - a file in events/
 * @attr: the file
 * @dom: index of the domain whose cycles it counts
 * @name: its name
 */
struct pcounter_named_event {
	struct device_attribute attr;
	unsigned int dom;
	char name[PCOUNTER_EVENT_NAME];
};

static ssize_t pcounter_cycles_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct pcounter_named_event *event =
		container_of(attr, struct pcounter_named_event, attr);
	const struct pcounter_topo *topo = &dev_to_ppmu(dev)->gpu.topo;
	const struct pcounter_dom_id *id = &topo->dom[event->dom];

	if (!(topo->caps & PCOUNTER_CAP_SETS))
		return sysfs_emit(buf, "dom=0x%x,clk=0x1\n", id->dom);
	return sysfs_emit(buf, "set=0x%x,unit=0x%x,dom=0x%x,clk=0x1\n", id->set,
			  id->unit, id->dom);
}

static void pcounter_name_cycles(const struct pcounter_topo *topo,
				 struct pcounter_named_event *event)
{
	static const char *const sets[PCOUNTER_SET_KINDS] = {
		[PCOUNTER_SET_GPC] = "gpc", [PCOUNTER_SET_PART] = "part",
	};
	const struct pcounter_dom_id *id = &topo->dom[event->dom];

	if (!(topo->caps & PCOUNTER_CAP_SETS))
		snprintf(event->name, sizeof(event->name), "dom%u_cycles", id->dom);
	else if (id->set == PCOUNTER_SET_HUB)
		snprintf(event->name, sizeof(event->name), "hub_dom%u_cycles",
			 id->dom);
	else
		snprintf(event->name, sizeof(event->name), "%s%u_dom%u_cycles",
			 sets[id->set], id->unit, id->dom);
}

static const void *attr_var(struct device_attribute *attr)
{
	return container_of(attr, struct dev_ext_attribute, attr)->var;
}

static ssize_t pcounter_signal_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	char terms[PCOUNTER_SIGNAL_TERMS];

	pcounter_signal_terms(attr_var(attr), &dev_to_ppmu(dev)->gpu.topo, terms,
			      sizeof(terms));
	return sysfs_emit(buf, "%s\n", terms);
}

static ssize_t pcounter_public_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	char terms[PCOUNTER_PUBLIC_TERMS];

	pcounter_public_terms(attr_var(attr), &dev_to_ppmu(dev)->gpu.topo, terms,
			      sizeof(terms));
	return sysfs_emit(buf, "%s\n", terms);
}

static void build_cycles(struct pcounter_pmu *ppmu)
{
	const struct pcounter_topo *topo = &ppmu->gpu.topo;
	unsigned int i;

	for (i = 0; i < topo->nr; i++) {
		struct pcounter_named_event *event = &ppmu->events_dir[i];

		event->dom = i;
		pcounter_name_cycles(topo, event);
		sysfs_attr_init(&event->attr.attr);
		event->attr.attr.name = event->name;
		event->attr.attr.mode = 0444;
		event->attr.show = pcounter_cycles_show;
		ppmu->event_attrs[i] = &event->attr.attr;
	}
}

typedef ssize_t (*pcounter_show_t)(struct device *dev,
				   struct device_attribute *attr, char *buf);

static void name_file(struct dev_ext_attribute *ext, const char *name,
		      pcounter_show_t show, const void *var)
{
	sysfs_attr_init(&ext->attr.attr);
	ext->attr.attr.name = name;
	ext->attr.attr.mode = 0444;
	ext->attr.show = show;
	ext->var = (void *)var;
}

/* Each signal and each public event whose domain is there. */
static void build_names(struct pcounter_pmu *ppmu, struct attribute **events)
{
	const struct pcounter_topo *topo = &ppmu->gpu.topo;
	struct dev_ext_attribute *ext = ppmu->names;
	const struct pcounter_public *event;
	const struct pcounter_signal *signal;
	unsigned int i, nr;

	signal = pcounter_signals_find(ppmu->gpu.chip, &nr);
	for (i = 0; i < nr; i++, signal++)
		if (pcounter_signal_unit(signal, topo) >= 0)
			name_file(ext++, pcounter_signal_names[signal->name],
				  pcounter_signal_show, signal);
	nr = pcounter_public_count(ppmu->gpu.chip);
	for (i = 0; i < nr; i++) {
		event = pcounter_public_get(ppmu->gpu.chip, i);
		if (pcounter_public_unit(event, topo) >= 0)
			name_file(ext++, event->name, pcounter_public_show, event);
	}
	for (i = 0; i < ext - ppmu->names; i++)
		events[i] = &ppmu->names[i].attr.attr;
}

/**
 * pcounter_sysfs_build() - make the files that depend on the GPU
 * @ppmu: the PMU; its domains are known
 *
 * Return: 0 or -ENOMEM; pcounter_sysfs_free() frees in any case.
 */
int pcounter_sysfs_build(struct pcounter_pmu *ppmu)
{
	unsigned int nr, domains = ppmu->gpu.topo.nr;

	pcounter_signals_find(ppmu->gpu.chip, &nr);
	nr += pcounter_public_count(ppmu->gpu.chip);
	ppmu->events_dir = kcalloc(domains, sizeof(*ppmu->events_dir), GFP_KERNEL);
	ppmu->event_attrs = kvcalloc(domains + nr + 1, sizeof(*ppmu->event_attrs),
				     GFP_KERNEL);
	ppmu->names = kvcalloc(nr + 1, sizeof(*ppmu->names), GFP_KERNEL);
	if (!ppmu->events_dir || !ppmu->event_attrs || !ppmu->names)
		return -ENOMEM;
	build_cycles(ppmu);
	build_names(ppmu, ppmu->event_attrs + domains);
	ppmu->events_group.name = "events";
	ppmu->events_group.attrs = ppmu->event_attrs;
	ppmu->attr_groups[0] = &pcounter_pmu_group;
	ppmu->attr_groups[1] = &pcounter_format_group;
	ppmu->attr_groups[2] = &pcounter_caps_group;
	ppmu->attr_groups[3] = &ppmu->events_group;
	ppmu->base.pmu.attr_groups = ppmu->attr_groups;
	return 0;
}

/**
 * pcounter_sysfs_free() - free what pcounter_sysfs_build() made
 * @ppmu: the PMU, out of sysfs
 */
void pcounter_sysfs_free(struct pcounter_pmu *ppmu)
{
	kvfree(ppmu->names);
	kvfree(ppmu->event_attrs);
	kfree(ppmu->events_dir);
}
