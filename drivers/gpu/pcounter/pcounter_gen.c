// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which generation descriptor drives a chip.
 */
#include "pcounter_gen.h"

/* Buckets without an entry are known but not driven yet. */
static const struct pcounter_gen *const gens[PCOUNTER_BUCKETS] = {
	[PCOUNTER_BUCKET_NV40] = &pcounter_gen_nv40,
	[PCOUNTER_BUCKET_G84] = &pcounter_gen_g84,
	[PCOUNTER_BUCKET_G92] = &pcounter_gen_g92,
	[PCOUNTER_BUCKET_GT215] = &pcounter_gen_g92,
};

/**
 * pcounter_gen_find() - the descriptor for a chip
 * @chip: the chip
 *
 * Return: the descriptor, NULL if this driver cannot drive the chip.
 */
const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip)
{
	return gens[chip->bucket];
}
