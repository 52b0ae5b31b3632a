/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMUs from sysfs, and PMUs of absent chips.
 */
#ifndef _PCOUNTER_TOOL_PMU_H
#define _PCOUNTER_TOOL_PMU_H

#include "gpu/types.h"

#define DEBUGFS		"/sys/kernel/debug/pcounter"

const char *device_power(const char *address);
bool trailer_known(const struct pcounter_dom_id *id);
char *dom_line(char **rest, const char **name);
void pmus_find(struct pmus *pmus);
void pmus_free(struct pmus *pmus);
struct pmu *pmu_offline(const char *chip);
void pmu_free(struct pmu *pmu);
const char *dom_name(const struct pmu *pmu, unsigned int dom);
int user_first(const struct pmu *pmu, unsigned int dom);
int user_drive(const struct pmu *pmu, unsigned int dom, unsigned int levels,
	       unsigned int pulses);
const char *pmu_wire_name(const struct pmu *pmu, const struct pcounter_dom_id *id,
			  unsigned int sig, const char **confidence);

#endif
