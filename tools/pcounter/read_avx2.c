// SPDX-License-Identifier: GPL-2.0-only
/*
 * The inner loop for AVX2: a lane for each word of a packet, those of the cycle
 * counter and of STOP among them, of which nothing is used.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "read_sum.h"

#define AHEAD		(READ_PIECE * sizeof(struct pcounter_record_packet))
#define AVX2		__attribute((target("avx2")))

/**
 * struct state - what is found of all words
 * @even: sums of words 0, 2, 4 ...
 * @odd: and of words 1, 3, 5 ...
 * @bottom: as in struct sums
 * @top: the same
 * @idle: the same
 * @idle_max: the same
 * @busy: the same
 * @busy_max: the same
 */
struct state {
	__m256i even;
	__m256i odd;
	__m256i bottom;
	__m256i top;
	__m256i idle;
	__m256i idle_max;
	__m256i busy;
	__m256i busy_max;
};

AVX2 static inline __m256i load(const u16 *words)
{
	return _mm256_loadu_si256((const __m256i *)words);
}

AVX2 static inline void store(u16 *to, __m256i words)
{
	_mm256_storeu_si256((__m256i *)to, words);
}

/* @in: all ones where the stretch goes on. */
AVX2 static inline void add_run(__m256i *run, __m256i *longest, __m256i in)
{
	*run = _mm256_and_si256(_mm256_sub_epi16(*run, in), in);
	*longest = _mm256_max_epu16(*longest, *run);
}

AVX2 static inline void add_words(struct state *s, __m256i words, __m256i cycles)
{
	s->even = _mm256_add_epi32(s->even, _mm256_blend_epi16(words, _mm256_setzero_si256(),
							       0xaa));
	s->odd = _mm256_add_epi32(s->odd, _mm256_srli_epi32(words, 16));
	s->bottom = _mm256_min_epu16(s->bottom, words);
	s->top = _mm256_max_epu16(s->top, words);
	add_run(&s->idle, &s->idle_max, _mm256_cmpeq_epi16(words, _mm256_setzero_si256()));
	add_run(&s->busy, &s->busy_max,
		_mm256_cmpeq_epi16(words, _mm256_max_epu16(words, cycles)));
}

/* Words times twice as many steps by cycles, rounded; at most the last bin. */
AVX2 static inline __m256i bins_of(__m256i words, __m256i factor)
{
	__m256i steps = _mm256_avg_epu16(_mm256_mulhi_epu16(words, factor),
					 _mm256_setzero_si256());

	return _mm256_min_epu16(steps, _mm256_set1_epi16(STAT_BINS - 1));
}

/* All counters of a packet before the next: a constant one would wait for itself. */
static void add_bins(struct stat_bins *bins, const struct read_packet *bin, unsigned int nr)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
#pragma GCC unroll 12
		for (k = 0; k < READ_COUNTERS; k++)
			bins->nr[k][bin[i].word[READ_FIRST + k]]++;
	}
}

AVX2 static inline void add_totals(struct sums *s, const struct state *state)
{
	u32 even[READ_WORDS / 2], odd[READ_WORDS / 2];
	unsigned int i;

	_mm256_storeu_si256((__m256i *)even, state->even);
	_mm256_storeu_si256((__m256i *)odd, state->odd);
	for (i = 0; i < READ_WORDS / 2; i++) {
		s->total[2 * i] += even[i];
		s->total[2 * i + 1] += odd[i];
	}
}

/**
 * stat_sum_avx2() - sum up packets of the same length
 * @packet: the packets
 * @nr: how many, at most SUM_BLOCK
 * @length: of each, in cycles, from SUM_LEAST to FULL
 * @s: sums so far
 * @bins: where packets are counted by share
 */
AVX2 void stat_sum_avx2(const struct read_packet *packet, unsigned int nr, unsigned int length,
			struct sums *s, struct stat_bins *bins)
{
	struct state state = {
		.bottom = load(s->bottom), .top = load(s->top),
		.idle = load(s->idle), .idle_max = load(s->idle_max),
		.busy = load(s->busy), .busy_max = load(s->busy_max),
	};
	const __m256i factor = _mm256_set1_epi16((2 * STAT_STEPS * 0x10000 + length / 2) / length);
	const __m256i cycles = _mm256_set1_epi16(length);
	struct read_packet bin[SUM_BLOCK];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		__m256i words = load(packet[i].word);

		/* what the next piece will look at */
		_mm_prefetch((const char *)&packet[i] + AHEAD, _MM_HINT_T0);
		store(bin[i].word, bins_of(words, factor));
		add_words(&state, words, cycles);
	}
	add_bins(bins, bin, nr);
	add_totals(s, &state);
	store(s->bottom, state.bottom);
	store(s->top, state.top);
	store(s->idle, state.idle);
	store(s->idle_max, state.idle_max);
	store(s->busy, state.busy);
	store(s->busy_max, state.busy_max);
}
#endif
