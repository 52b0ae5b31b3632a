/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth tables of four arguments as formulas.
 */
#ifndef _PCOUNTER_TOOL_FORMULA_H
#define _PCOUNTER_TOOL_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#define FORMULA_ARGS	4

void formula(uint16_t table, const char *const names[FORMULA_ARGS], char *buf, size_t len);

#endif
