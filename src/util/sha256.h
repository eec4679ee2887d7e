/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* SHA-256 (FIPS 180-4): what tells whether a certificate belongs to these weights. */
#ifndef MST_UTIL_SHA256_H
#define MST_UTIL_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { MST_SHA256_BLOCK = 64, MST_SHA256_TEXT = 65 };

typedef struct mst_sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    unsigned char block[MST_SHA256_BLOCK];
    void (*take)(struct mst_sha256 *h); /* mixes the block in */
} mst_sha256;

mst_sha256 mst_sha256_begin(void);
void mst_sha256_add(mst_sha256 *h, const void *data, size_t bytes);
/* In hexadecimal digits, with a final 0. */
void mst_sha256_end(mst_sha256 *h, char text[MST_SHA256_TEXT]);

#endif
