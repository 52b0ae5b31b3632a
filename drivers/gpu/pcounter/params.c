// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the parameters of the module are before anybody sets them.
 */
#include "params.h"

struct pcounter_record_params pcounter_record_params = {
	.ring_kb = 1024,
};
