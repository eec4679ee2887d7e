/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/sha256.h"

#include "base/isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

/* One of the 64 rounds. The eight words move up by one each time; whoever calls renames them instead. */
static inline void mix(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
                       uint32_t g, uint32_t *h, uint32_t word)
{
    uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
    uint32_t first = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + word;
    *d += first;
    *h = first + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
}

static void plain_block(mst_sha256 *h)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)h->block[4 * i] << 24 | (uint32_t)h->block[4 * i + 1] << 16 |
               (uint32_t)h->block[4 * i + 2] << 8 | h->block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(s, h->state, sizeof s);
    for (int i = 0; i < 64; i += 8) {
        const uint32_t *k = constants + i, *v = w + i;
        mix(s[0], s[1], s[2], &s[3], s[4], s[5], s[6], &s[7], k[0] + v[0]);
        mix(s[7], s[0], s[1], &s[2], s[3], s[4], s[5], &s[6], k[1] + v[1]);
        mix(s[6], s[7], s[0], &s[1], s[2], s[3], s[4], &s[5], k[2] + v[2]);
        mix(s[5], s[6], s[7], &s[0], s[1], s[2], s[3], &s[4], k[3] + v[3]);
        mix(s[4], s[5], s[6], &s[7], s[0], s[1], s[2], &s[3], k[4] + v[4]);
        mix(s[3], s[4], s[5], &s[6], s[7], s[0], s[1], &s[2], k[5] + v[5]);
        mix(s[2], s[3], s[4], &s[5], s[6], s[7], s[0], &s[1], k[6] + v[6]);
        mix(s[1], s[2], s[3], &s[4], s[5], s[6], s[7], &s[0], k[7] + v[7]);
    }
    for (int i = 0; i < 8; i++)
        h->state[i] += s[i];
}

#if defined __x86_64__
/* The same by the processor's own instructions, which do two rounds at once on the words a, b, e, f and c, d,
 * g, h, and the schedule four words at a time: ten times as fast. */
__attribute__((target("sha,sse4.1,ssse3"))) static void short_block(mst_sha256 *h)
{
    const __m128i bytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)h->state),
            high = _mm_loadu_si128((const __m128i *)(const void *)(h->state + 4)), w[4];
    low = _mm_shuffle_epi32(low, 0xb1);
    high = _mm_shuffle_epi32(high, 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    __m128i first = abef, second = cdgh;
    for (int i = 0; i < 16; i++) {
        if (i < 4) {
            w[i] = _mm_loadu_si128((const __m128i *)(const void *)(h->block + 16 * i));
            w[i] = _mm_shuffle_epi8(w[i], bytes);
        } else {
            __m128i a = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);
            a = _mm_add_epi32(a, _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4));
            w[i % 4] = _mm_sha256msg2_epu32(a, w[(i + 3) % 4]);
        }
        __m128i k = _mm_add_epi32(
            w[i % 4], _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
        second = _mm_sha256rnds2_epu32(second, first, k);
        first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(k, 0x0e));
    }
    abef = _mm_shuffle_epi32(_mm_add_epi32(abef, first), 0x1b);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, second), 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h->state, _mm_blend_epi16(abef, cdgh, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h->state + 4), _mm_alignr_epi8(cdgh, abef, 8));
}

static bool has_instructions(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0 &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) != 0;
}
#endif

mst_sha256 mst_sha256_begin(void)
{
    mst_sha256 h = {.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                              0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                    .take = plain_block};
#if defined __x86_64__
    if (mst_isa() != MST_ISA_GENERIC && has_instructions())
        h.take = short_block;
#endif
    return h;
}

void mst_sha256_add(mst_sha256 *h, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    while (bytes > 0) {
        size_t at = h->bytes % MST_SHA256_BLOCK, room = MST_SHA256_BLOCK - at;
        size_t now = bytes < room ? bytes : room;
        memcpy(h->block + at, from, now);
        h->bytes += now;
        from += now;
        bytes -= now;
        if (now == room)
            h->take(h);
    }
}

void mst_sha256_end(mst_sha256 *h, char text[MST_SHA256_TEXT])
{
    static const unsigned char padding[MST_SHA256_BLOCK] = {0x80};
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(h->bytes * 8 >> (56 - 8 * i));
    size_t at = h->bytes % MST_SHA256_BLOCK;
    mst_sha256_add(h, padding, at < 56 ? 56 - at : 120 - at);
    mst_sha256_add(h, length, sizeof length);
    for (int i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", (unsigned)h->state[i]);
}
