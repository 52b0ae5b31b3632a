/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What cards are called in shops.
 */
#ifndef _PCOUNTER_TOOL_CARDS_H
#define _PCOUNTER_TOOL_CARDS_H

#include <stdbool.h>
#include <stddef.h>

#define CARD_NAME	96

bool card_name(unsigned long vendor, unsigned long device, char *buf, size_t len);

#endif
