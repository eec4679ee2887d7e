/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* UTF-8 (RFC 3629). */
#ifndef MST_UTIL_UTF8_H
#define MST_UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the character at the start of `left` > 0 bytes, 0 if there is no valid one. Reads no byte
 * behind the first that is wrong; so SIZE_MAX will do for a text that ends with a zero. */
size_t mst_utf8_length(const char *text, size_t left);
/* Writes the character with this code below 0x110000; returns its length, 1 … 4. */
size_t mst_utf8_encode(uint32_t code, char *out);

#endif
