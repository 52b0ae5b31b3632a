/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the module that are read below the file that declares them.
 */
#ifndef _PCOUNTER_PARAMS_H
#define _PCOUNTER_PARAMS_H

#include <linux/types.h>

/**
 * struct pcounter_record_params - parameters of record mode
 * @ring_kb: size of a domain's ring in KiB
 * @own_tables: no two entries of the page directory share a page table
 * @poll_us: how often packets are taken; 0: as the ring needs it
 * @position: where in its window a stream begins, to test the end of it
 */
struct pcounter_record_params {
	unsigned int ring_kb;
	bool own_tables;
	unsigned int poll_us;
	unsigned int position;
};

extern struct pcounter_record_params pcounter_record_params;

/**
 * struct pcounter_test_params - parameters for tests, with CONFIG_PCOUNTER_TEST_PARAMS
 * @cpu: CPU to count on while it is online, -1 for any
 * @slow_read_us: duration of a slow register read in us, 0 for the default; the GPUs
 *	of tests are programs
 */
struct pcounter_test_params {
	int cpu;
	unsigned int slow_read_us;
};

extern struct pcounter_test_params pcounter_test_params;

#endif
