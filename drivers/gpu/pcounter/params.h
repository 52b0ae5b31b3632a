/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters of the module that lower floors read. */
#ifndef _PCOUNTER_PARAMS_H
#define _PCOUNTER_PARAMS_H

#include <linux/types.h>

extern unsigned int pcounter_record_ring_kb;
extern bool pcounter_unverified;

/**
 * struct pcounter_test_params - parameters for tests, with CONFIG_PCOUNTER_TEST_PARAMS
 * @cpu: CPU to count on while it is online, -1 for any
 * @slow_read_us: duration of a slow register read in us, 0 for the default; tests
 *	raise it for emulated GPUs
 * @record_poll_us: interval at which packets are read, in us; 0: derived from the ring
 * @record_position: start of a stream in its window
 */
struct pcounter_test_params {
	int cpu;
	unsigned int slow_read_us;
	unsigned int record_poll_us;
	unsigned int record_position;
};

extern struct pcounter_test_params pcounter_test_params;

#endif
