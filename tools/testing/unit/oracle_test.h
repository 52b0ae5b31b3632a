/* SPDX-License-Identifier: GPL-2.0-only */
/* A second search for places of inputs: try every assignment, look at every wire. */
#ifndef _ORACLE_TEST_H
#define _ORACLE_TEST_H

#include <string.h>

#include <linux/bits.h>

#include "rules/place.h"

/* hw:inputs/flag-sources: 6 inputs with 4 selectors, the flag's borrowed from NV30 on */
static inline bool wires_agree(const struct pcounter_request *req, unsigned int n, u32 caps,
			       const int *at)
{
	static const int borrowed[2][4][2] = {
		{ { 1, 2 }, { 1, 3 }, { 0, 0 }, { 0, 1 } },
		{ { 0, 2 }, { 0, 3 }, { 1, 0 }, { 1, 1 } },
	};
	int sel[6][4];

	memset(sel, -1, sizeof(sel));
	for (unsigned int i = 0; i < n; i++) {
		const struct pcounter_input *in = &req[i].in;
		unsigned int needs = 0, ctr = req[i].set.ctr;

		if (at[i] < 0)
			continue;
		for (int row = 0; row < 16; row++) {
			for (int k = 0; k < 4; k++) {
				if (!((in->op >> row ^ in->op >> (row ^ 1 << k)) & 1))
					continue;
				if (k == 3 && in->flag)
					continue;
				needs |= 1 << (k >= 2 && in->delay >> k & 1 ? k - 2 : k);
			}
		}
		if (ctr && at[i] == 1)
			needs = 15;
		if (at[i] == 2)
			needs |= ctr == 2 ? 12 : ctr == 4 ? 15 : 0;
		for (int k = 0; k < 4; k++) {
			bool own = at[i] < 4 || caps & PCOUNTER_CAP_OWN_FLAG_SRC;
			/* hw:ambiguities/6: SETFLAG_SRC may be CLRFLAG's, too */
			int slot = own ? (at[i] < 4 ? at[i] : 4) : borrowed[at[i] - 4][k][0];
			int src = own ? k : borrowed[at[i] - 4][k][1];

			if (!(needs >> k & 1))
				continue;
			if (sel[slot][src] >= 0 && sel[slot][src] != in->sig[k])
				return false;
			sel[slot][src] = in->sig[k];
		}
	}
	return true;
}

static inline bool inputs_agree(const struct pcounter_request *req, unsigned int n, const int *at)
{
	bool have[6] = {};
	unsigned int ctr = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (at[i] < 0)
			continue;
		have[at[i]] = true;
		ctr = req[i].set.ctr ? req[i].set.ctr : ctr;
		for (unsigned int k = 0; k < i; k++)
			if (at[i] == at[k] && memcmp(&req[i].in, &req[k].in, sizeof(req[i].in)))
				return false;
	}
	/* an integer needs the inputs that provide its bits */
	if (ctr && !have[1])
		return false;
	return (ctr != 2 && ctr != 4) || have[2];
}

static inline bool may_sit(const struct pcounter_request *req, u32 caps, int at)
{
	unsigned int ctr = req->set.ctr;
	/* counters that the mode uses otherwise */
	bool sum = (at == 2 && (ctr == 1 || ctr == 2 || ctr == 4)) ||
		   (at == 1 && ctr >= 3);

	if (!(caps & PCOUNTER_CAP_QUAD) && at != 2 && at < 4)
		return false;
	if (req->in.flag && at != 2 && at != 3)
		return false;
	if (req->role == PCOUNTER_ROLE_ANY)
		return at < 4 && !sum;
	return at == req->role - PCOUNTER_ROLE_PRE;
}

/* Return true if inputs from @i on have places; @at has those of the inputs before. */
static inline bool possible(const struct pcounter_request *req, unsigned int n, u32 caps,
			    unsigned int i, int *at)
{
	if (i == n)
		return wires_agree(req, n, caps, at) && inputs_agree(req, n, at);
	if (req[i].role == PCOUNTER_ROLE_CLK) {
		at[i] = -1;
		return possible(req, n, caps, i + 1, at);
	}
	for (at[i] = 0; at[i] < 6; at[i]++)
		if (may_sit(&req[i], caps, at[i]) && possible(req, n, caps, i + 1, at))
			return true;
	return false;
}

#endif
