/* SPDX-License-Identifier: GPL-2.0-only */
/* What events cost whoever only switches tasks. */
#ifndef _BENCH_RESCHED_H
#define _BENCH_RESCHED_H

/* An event may cost as much as so many of perf's own that do nothing. */
#define MOST_DUMMIES	4

double a_switch(void);
double dummy_switch(unsigned int n);
void resched(void);

#endif
