/* SPDX-License-Identifier: GPL-2.0-only */
/* Two models that are told the same. */
#ifndef _TWIN_TEST_H
#define _TWIN_TEST_H

#include "model_test.h"

static struct pcmodel *other;

__attribute((format(printf, 1, 2)))
static inline void both_say(const char *fmt, ...)
{
	struct pcmodel *models[] = { m, other };
	va_list args;

	for (unsigned int i = 0; i < 2; i++) {
		va_start(args, fmt);
		tell(models[i], fmt, args);
		va_end(args);
	}
}

static inline int two_models(void **state)
{
	other = calloc(1, sizeof(*other));
	return !other || new_model(state);
}

static inline int free_both(void **state)
{
	free(other);
	return free_model(state);
}

#endif
