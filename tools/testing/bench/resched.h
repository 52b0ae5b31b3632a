/* SPDX-License-Identifier: GPL-2.0-only */
/* Costs of open events for other users' task switches. */
#ifndef _BENCH_RESCHED_H
#define _BENCH_RESCHED_H

/* An event may cost as much as this number of perf's dummy events. */
#define MOST_DUMMIES	4

double a_switch(void);
double dummy_switch(unsigned int n);
void resched(void);

#endif
