/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Experiments on a GPU of the driver.
 */
#ifndef _PCOUNTER_BENCH_H
#define _PCOUNTER_BENCH_H

#include <linux/fs.h>

extern const struct file_operations pcounter_bench_fops;

#endif
