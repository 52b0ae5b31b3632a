// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs files of a PMU of idle counters: format/, events/, caps/, cpumask.
 */
#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "idle/sysfs.h"
#include "idle/types.h"
#include "perf/sysfs.h"

#define IDLE_NAME	16	/* room for "gr_hub_idle" */

/* Values of the term "when" */
enum idle_when {
	IDLE_WHEN_IDLE,
	IDLE_WHEN_BUSY,
	IDLE_WHEN_EVER,
};

/* Files in events/: two for each engine, and one more. */
#define IDLE_TICKS	(2 * PCOUNTER_IDLE_ENGINES)
#define IDLE_EVENTS	(IDLE_TICKS + 1)

static char idle_names[IDLE_EVENTS][IDLE_NAME];
static struct dev_ext_attribute idle_events[IDLE_EVENTS];
static struct attribute *idle_event_attrs[IDLE_EVENTS + 1];

static const struct pcounter_idle_engine *engine_of(unsigned int n)
{
	return &pcounter_idle_engines[n / 2];
}

static const struct pcounter_idle *idle_of(const struct pcounter_base *base)
{
	return &container_of(base, struct pcounter_idle_pmu, base)->idle;
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

PCOUNTER_SYSFS_VALUE(counters, "%u", idle_of(base)->nr);
PCOUNTER_SYSFS_VALUE(counters_ours, "%u", pcounter_idle_ours(idle_of(base)));

static struct attribute *idle_caps_attrs[] = {
	&dev_attr_counters.attr,
	&dev_attr_counters_ours.attr,
	NULL
};

static const struct attribute_group idle_caps_group = {
	.name = "caps",
	.attrs = idle_caps_attrs,
};

/* ---- events/: each engine idle and busy, and the time base ---- */

static ssize_t idle_event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct dev_ext_attribute *ext = container_of(attr, struct dev_ext_attribute, attr);
	unsigned int n = ext - idle_events;

	if (n == IDLE_TICKS)
		return sysfs_emit(buf, "mask=0x0,when=0x%x\n", IDLE_WHEN_EVER);
	return sysfs_emit(buf, "mask=0x%lx,when=0x%x\n", BIT(engine_of(n)->bit),
			  n % 2 ? IDLE_WHEN_BUSY : IDLE_WHEN_IDLE);
}

static umode_t idle_event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));
	const struct pcounter_chip *chip = to_pcounter_idle_pmu(pmu)->idle.chip;

	return n == IDLE_TICKS || pcounter_pdaemon_has(chip, engine_of(n)) ? attr->mode : 0;
}

static const struct attribute_group idle_events_group = {
	.name = "events",
	.attrs = idle_event_attrs,
	.is_visible = idle_event_visible,
};

/* All groups of files. */
const struct attribute_group *pcounter_idle_groups[] = {
	&pcounter_pmu_group,
	&idle_format_group,
	&idle_caps_group,
	&idle_events_group,
	NULL
};

/**
 * pcounter_idle_sysfs_init() - make the files in events/ from the table of engines
 */
void pcounter_idle_sysfs_init(void)
{
	unsigned int n;

	for (n = 0; n < IDLE_EVENTS; n++) {
		if (n == IDLE_TICKS)
			strscpy(idle_names[n], "ticks", IDLE_NAME);
		else
			snprintf(idle_names[n], IDLE_NAME, "%s_%s", engine_of(n)->name,
				 n % 2 ? "busy" : "idle");
		pcounter_sysfs_file(&idle_events[n], idle_names[n], idle_event_show, NULL);
		idle_event_attrs[n] = &idle_events[n].attr.attr;
	}
}
