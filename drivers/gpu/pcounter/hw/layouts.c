// SPDX-License-Identifier: GPL-2.0-only
/* The register layout and the capabilities of each chip. */
#include "hw/registers.h"

/* in both generations of the layout of NV10, and in all of the layout of NV40 */
#define NV10_COMMON	(PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_CTRL_SHARED)
#define NV40_COMMON	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_FLAG_ARG |			\
			 PCOUNTER_CAP_SINGLE | PCOUNTER_CAP_PERIOD |			\
			 PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_SUM_EXTRA | PCOUNTER_CAP_IMPORT)

#define NV10_CAPS	(NV10_COMMON | PCOUNTER_CAP_OWN_FLAG_SRC | PCOUNTER_CAP_CTR_40)
#define NV15_CAPS	(NV10_CAPS | PCOUNTER_CAP_PERIOD)
#define NV30_CAPS	(NV10_COMMON | PCOUNTER_CAP_PERIOD | PCOUNTER_CAP_QUAD |		\
			 PCOUNTER_CAP_FLAG_ARG | PCOUNTER_CAP_SWAP_SHARED |		\
			 PCOUNTER_CAP_ACK_SHARED)
#define NV40_CAPS	(NV40_COMMON | PCOUNTER_CAP_SWAP_SHARED)
#define G80_CAPS	(NV40_CAPS | PCOUNTER_CAP_MUX)
#define G84_CAPS	(NV40_COMMON | PCOUNTER_CAP_SWAP_SRC | PCOUNTER_CAP_PERIODIC |	\
			 PCOUNTER_CAP_RECORD | PCOUNTER_CAP_PACKETS | PCOUNTER_CAP_MUX)
#define G92_CAPS	(G84_CAPS | PCOUNTER_CAP_DELAY23 | PCOUNTER_CAP_RECORD_HIGH)
/* reads that time out return 0, hw:coexistence/clocks; later chips have error patterns */
#define GT215_CAPS	(G92_CAPS | PCOUNTER_CAP_USER | PCOUNTER_CAP_READS_ZERO)
#define GF100_CAPS	(PCOUNTER_CAP_QUAD | PCOUNTER_CAP_SUM_B4 | PCOUNTER_CAP_SUM_EXTRA |	\
			 PCOUNTER_CAP_IMPORT | PCOUNTER_CAP_SWAP_SRC |			\
			 PCOUNTER_CAP_PERIODIC | PCOUNTER_CAP_SETS | PCOUNTER_CAP_USER |	\
			 PCOUNTER_CAP_MUX)
#define GK104_CAPS	(GF100_CAPS | PCOUNTER_CAP_GATING | PCOUNTER_CAP_TPC_DOMAINS)
/* as far as traces of GM206 and NVIDIA's lists go: hw:real-cards/d11 */
#define GM107_CAPS	(GK104_CAPS | PCOUNTER_CAP_SUM_OWN | PCOUNTER_CAP_INFERRED)

/* Generations by bucket; then those that begin within a bucket. */
enum { GEN_G80 = PCOUNTER_BUCKETS, GEN_GK104, GENS };

static const struct pcounter_gen gens[GENS] = {
	[PCOUNTER_BUCKET_NV10] = { .caps = NV10_CAPS, .table = &pcounter_nv10 },
	[PCOUNTER_BUCKET_NV15] = { .caps = NV15_CAPS, .table = &pcounter_nv10 },
	/* from here on there are two domains */
	[PCOUNTER_BUCKET_NV20] = { .caps = NV15_CAPS, .table = &pcounter_nv10 },
	[PCOUNTER_BUCKET_NV30] = { .caps = NV30_CAPS, .table = &pcounter_nv10 },
	[PCOUNTER_BUCKET_NV40] = { .caps = NV40_CAPS, .table = &pcounter_nv40 },
	[GEN_G80] = { .caps = G80_CAPS, .table = &pcounter_nv40 },
	[PCOUNTER_BUCKET_G84] = { .caps = G84_CAPS, .table = &pcounter_nv40 },
	[PCOUNTER_BUCKET_G92] = { .caps = G92_CAPS, .table = &pcounter_nv40 },
	[PCOUNTER_BUCKET_GT215] = { .caps = GT215_CAPS, .table = &pcounter_nv40 },
	[PCOUNTER_BUCKET_GF100] = { .caps = GF100_CAPS, .table = &pcounter_gf100 },
	[GEN_GK104] = { .caps = GK104_CAPS, .table = &pcounter_gf100 },
	[PCOUNTER_BUCKET_GM107] = { .caps = GM107_CAPS, .table = &pcounter_gf100 },
};

/* First chips of a bucket with more registers, by chipset id. */
#define CHIPSET_G80	0x050
#define CHIPSET_GK104	0x0e4

/**
 * pcounter_gen_find() - find the descriptor of a chip
 * @chip: the chip
 *
 * Return: the descriptor.
 */
const struct pcounter_gen *pcounter_gen_find(const struct pcounter_chip *chip)
{
	if (chip->bucket == PCOUNTER_BUCKET_NV40 && chip->chipset == CHIPSET_G80)
		return &gens[GEN_G80];
	if (chip->bucket == PCOUNTER_BUCKET_GF100 && chip->chipset >= CHIPSET_GK104)
		return &gens[GEN_GK104];
	return &gens[chip->bucket];
}
