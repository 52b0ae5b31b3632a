/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a scenario for the model. */
#ifndef _SCENARIO_TEST_H
#define _SCENARIO_TEST_H

#include "unit.h"

#include <stdio.h>

#include "pcmodel.h"

/* Let a model do what a line says. */
__attribute((format(printf, 2, 0)))
static inline void tell(struct pcmodel *model, const char *fmt, va_list args)
{
	char line[160], reply[160];

	vsnprintf(line, sizeof(line), fmt, args);
	if (pcmodel_command(model, line, reply, sizeof(reply)))
		fail_msg("%s: %s", line, reply);
}

#endif
