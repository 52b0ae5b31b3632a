/* SPDX-License-Identifier: GPL-2.0-only */
/* The layouts, and the generation of each chip. */
#ifndef _PCOUNTER_HW_LAYOUT_H
#define _PCOUNTER_HW_LAYOUT_H

#include "hw/registers.h"
#include "rules/chip.h"

const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip);

extern const struct pcounter_reg_table pcounter_nv10;
extern const struct pcounter_reg_table pcounter_nv40;
extern const struct pcounter_reg_table pcounter_gf100;

#endif
