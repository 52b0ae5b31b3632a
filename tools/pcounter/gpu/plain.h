/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events in plain words: what each tells of an engine.
 */
#ifndef _PCOUNTER_TOOL_PLAIN_H
#define _PCOUNTER_TOOL_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum plain_kind - what an event tells of an engine
 * @PLAIN_OTHER: nothing that the first page shows
 * @PLAIN_BUSY: how busy it is
 * @PLAIN_WAITS: how long it waits for another engine
 * @PLAIN_TRAFFIC: what passes
 */
enum plain_kind { PLAIN_OTHER, PLAIN_BUSY, PLAIN_WAITS, PLAIN_TRAFFIC };

/**
 * struct plain - an event in plain words
 * @kind: what it tells
 * @rank: its place among all, on the page
 * @label: plain name of the engine, or of the traffic
 * @waits_for: of PLAIN_WAITS: for which engine
 * @idle: of PLAIN_BUSY: the event counts the clocks in which it is not
 * @bytes: of PLAIN_TRAFFIC: for each event; 0: it counts requests
 */
struct plain {
	enum plain_kind kind;
	unsigned int rank;
	char label[32];
	char waits_for[32];
	bool idle;
	unsigned int bytes;
};

#define PLAIN_WHOLE	"3D engine"	/* all graphics units together */

void plain_name(const char *name, struct plain *plain);

#endif
