// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU: format/, events/, caps/, cpumask, identifier. A file
 * exists exactly where the GPU can do what it names.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "pcounter_pmu.h"
#include "pcounter_terms.h"

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

/* ---- events/: the elapsed cycles of each domain ---- */

static ssize_t pcounter_cycles_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "dom=0x%lx,clk=0x1\n", attr_number(attr));
}

#define PCOUNTER_CYCLES(_dom) {							\
		__ATTR(dom##_dom##_cycles, 0444, pcounter_cycles_show, NULL),	\
		(void *)_dom,							\
	}

static struct dev_ext_attribute pcounter_cycles[PCOUNTER_MAX_DOMAINS] = {
	PCOUNTER_CYCLES(0), PCOUNTER_CYCLES(1), PCOUNTER_CYCLES(2), PCOUNTER_CYCLES(3),
	PCOUNTER_CYCLES(4), PCOUNTER_CYCLES(5), PCOUNTER_CYCLES(6), PCOUNTER_CYCLES(7),
};

static struct attribute *pcounter_event_attrs[] = {
	&pcounter_cycles[0].attr.attr, &pcounter_cycles[1].attr.attr,
	&pcounter_cycles[2].attr.attr, &pcounter_cycles[3].attr.attr,
	&pcounter_cycles[4].attr.attr, &pcounter_cycles[5].attr.attr,
	&pcounter_cycles[6].attr.attr, &pcounter_cycles[7].attr.attr,
	NULL
};

static umode_t pcounter_event_visible(struct kobject *kobj,
				      struct attribute *attr, int n)
{
	struct pcounter_pmu *ppmu = dev_to_ppmu(kobj_to_dev(kobj));

	return n < ppmu->gpu.chip->domains ? attr->mode : 0;
}

static const struct attribute_group pcounter_event_group = {
	.name = "events",
	.attrs = pcounter_event_attrs,
	.is_visible = pcounter_event_visible,
};

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
	return sysfs_emit(buf, "%s\n", dev_name(dev_to_ppmu(dev)->parent));
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
	return sysfs_emit(buf, "%u\n", dev_to_ppmu(dev)->gpu.chip->domains);
}
static DEVICE_ATTR_RO(domains);

static ssize_t counters_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%u\n", PCOUNTER_SLOTS);
}
static DEVICE_ATTR_RO(counters);

static ssize_t counter_width_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_ppmu(dev)->gpu.gen->counter_bits);
}
static DEVICE_ATTR_RO(counter_width);

static ssize_t modes_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	return sysfs_emit(buf, "quad\n");
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
	return sysfs_emit(buf, "%d\n", dev_to_ppmu(dev)->cpu);
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	return sysfs_emit(buf, "0x%03x\n", dev_to_ppmu(dev)->gpu.chip->chipset);
}
static DEVICE_ATTR_RO(identifier);

static struct attribute *pcounter_pmu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

static const struct attribute_group pcounter_pmu_group = {
	.attrs = pcounter_pmu_attrs,
};

const struct attribute_group *pcounter_pmu_attr_groups[] = {
	&pcounter_pmu_group,
	&pcounter_format_group,
	&pcounter_event_group,
	&pcounter_caps_group,
	NULL
};
