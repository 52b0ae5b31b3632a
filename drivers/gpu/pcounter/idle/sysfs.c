// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU of idle counters: format/, events/, caps/, cpumask.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "idle/sysfs.h"
#include "idle/types.h"

#define IDLE_NAME	16	/* room for "gr_hub_idle" */

/* Values of the term "when" */
enum idle_when {
	IDLE_WHEN_IDLE,
	IDLE_WHEN_BUSY,
	IDLE_WHEN_EVER,
};

/**
 * struct pcounter_idle_named - a file in events/
 * @attr: the file
 * @name: its name
 * @mask: value of the term "mask"
 * @when: value of the term "when"
 */
struct pcounter_idle_named {
	struct device_attribute attr;
	char name[IDLE_NAME];
	u32 mask;
	enum idle_when when;
};

static struct pcounter_idle_pmu *dev_to_ipmu(struct device *dev)
{
	return to_pcounter_idle_pmu(dev_get_drvdata(dev));
}

PMU_FORMAT_ATTR(mask, "config:0-31");
PMU_FORMAT_ATTR(when, "config:32-33");

static struct attribute *idle_format_attrs[] = {
	&format_attr_mask.attr,
	&format_attr_when.attr,
	NULL
};

static const struct attribute_group idle_format_group = {
	.name = "format",
	.attrs = idle_format_attrs,
};

static ssize_t counters_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_ipmu(dev)->idle.nr);
}
static DEVICE_ATTR_RO(counters);

static ssize_t counters_ours_show(struct device *dev, struct device_attribute *attr,
				  char *buf)
{
	return sysfs_emit(buf, "%u\n", pcounter_idle_ours(&dev_to_ipmu(dev)->idle));
}
static DEVICE_ATTR_RO(counters_ours);

static struct attribute *idle_caps_attrs[] = {
	&dev_attr_counters.attr,
	&dev_attr_counters_ours.attr,
	NULL
};

static const struct attribute_group idle_caps_group = {
	.name = "caps",
	.attrs = idle_caps_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_to_ipmu(dev)->base.cpu);
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t identifier_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	return sysfs_emit(buf, "0x%03x\n", dev_to_ipmu(dev)->ppmu->gpu.chip->chipset);
}
static DEVICE_ATTR_RO(identifier);

static struct attribute *idle_pmu_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_identifier.attr,
	NULL
};

static const struct attribute_group idle_pmu_group = {
	.attrs = idle_pmu_attrs,
};

static ssize_t idle_named_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	struct pcounter_idle_named *named =
		container_of(attr, struct pcounter_idle_named, attr);

	return sysfs_emit(buf, "mask=0x%x,when=0x%x\n", named->mask, named->when);
}

static void idle_name(struct pcounter_idle_pmu *ipmu, unsigned int n, u32 mask,
		      enum idle_when when, const char *engine)
{
	static const char *const suffix[] = {
		[IDLE_WHEN_IDLE] = "_idle", [IDLE_WHEN_BUSY] = "_busy", [IDLE_WHEN_EVER] = "",
	};
	struct pcounter_idle_named *named = &ipmu->named[n];

	snprintf(named->name, sizeof(named->name), "%s%s", engine, suffix[when]);
	named->mask = mask;
	named->when = when;
	sysfs_attr_init(&named->attr.attr);
	named->attr.attr.name = named->name;
	named->attr.attr.mode = 0444;
	named->attr.show = idle_named_show;
	ipmu->named_attrs[n] = &named->attr.attr;
}

/**
 * pcounter_idle_sysfs_build() - make the files that depend on the GPU
 * @ipmu: the PMU
 *
 * Return: 0 or -ENOMEM; pcounter_idle_sysfs_free() frees in any case.
 */
int pcounter_idle_sysfs_build(struct pcounter_idle_pmu *ipmu)
{
	const struct pcounter_chip *chip = ipmu->ppmu->gpu.chip;
	unsigned int max = PCOUNTER_IDLE_ENGINES * 2 + 1, i, n = 0;

	ipmu->named = kcalloc(max, sizeof(*ipmu->named), GFP_KERNEL);
	ipmu->named_attrs = kcalloc(max + 1, sizeof(*ipmu->named_attrs), GFP_KERNEL);
	if (!ipmu->named || !ipmu->named_attrs)
		return -ENOMEM;
	for (i = 0; i < PCOUNTER_IDLE_ENGINES; i++) {
		const struct pcounter_idle_engine *engine = &pcounter_idle_engines[i];

		if (!pcounter_pdaemon_has(chip, engine))
			continue;
		idle_name(ipmu, n++, BIT(engine->bit), IDLE_WHEN_IDLE, engine->name);
		idle_name(ipmu, n++, BIT(engine->bit), IDLE_WHEN_BUSY, engine->name);
	}
	idle_name(ipmu, n, 0, IDLE_WHEN_EVER, "ticks");
	ipmu->named_group.name = "events";
	ipmu->named_group.attrs = ipmu->named_attrs;
	ipmu->groups[0] = &idle_pmu_group;
	ipmu->groups[1] = &idle_format_group;
	ipmu->groups[2] = &idle_caps_group;
	ipmu->groups[3] = &ipmu->named_group;
	ipmu->base.pmu.attr_groups = ipmu->groups;
	return 0;
}

/**
 * pcounter_idle_sysfs_free() - free what pcounter_idle_sysfs_build() made
 * @ipmu: the PMU, out of sysfs
 */
void pcounter_idle_sysfs_free(struct pcounter_idle_pmu *ipmu)
{
	kfree(ipmu->named_attrs);
	kfree(ipmu->named);
}
