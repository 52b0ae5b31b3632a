/* SPDX-License-Identifier: GPL-2.0-only */
/* Two signals of a domain: one that changes, and one that does not. */
#ifndef _SIGNALS_TEST_H
#define _SIGNALS_TEST_H

#include "count_test.h"

#define SIG		0x08
#define OTHER		0x09

static inline void signals(unsigned int dom)
{
	say("signal %u %u duty 3/10", dom, SIG);
	say("signal %u %u const 1", dom, OTHER);
}

#endif
