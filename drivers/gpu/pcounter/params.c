// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of the module, with their defaults.
 */
#include "params.h"

unsigned int pcounter_record_ring_kb = 1024;
bool pcounter_unverified;

struct pcounter_test_params pcounter_test_params = {
	.cpu = -1,
};

#ifdef CONFIG_PCOUNTER_TEST_PARAMS
#include <linux/moduleparam.h>

module_param_named(cpu, pcounter_test_params.cpu, int, 0444);
MODULE_PARM_DESC(cpu, "Count on this CPU while it is online (default -1: on any)");
module_param_named(slow_read_us, pcounter_test_params.slow_read_us, uint, 0444);
MODULE_PARM_DESC(slow_read_us, "Stop counting after ten consecutive register reads slower than this, in us (default 0: 4000)");
module_param_named(record_poll_us, pcounter_test_params.record_poll_us, uint, 0444);
MODULE_PARM_DESC(record_poll_us, "Interval at which packets are read in us, 100 to 1000000 (default 0: four times while a ring fills)");
module_param_named(record_position, pcounter_test_params.record_position, uint, 0444);
MODULE_PARM_DESC(record_position, "Offset in its window at which a stream begins (default 0)");
#endif
