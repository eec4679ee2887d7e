/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers as text, independent of the locale. */
#ifndef MST_UTIL_NUMBER_TEXT_H
#define MST_UTIL_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MST_DOUBLE_TEXT 32 /* enough for any double and the terminating zero */
/* The shortest decimal text that reads back as the same double ("nan", "inf", "-inf" for the rest).
 * Returns its length. */
size_t mst_format_double(double x, char text[MST_DOUBLE_TEXT]);
/* Reads all `length` bytes of text as one number, correctly rounded; false if they are not one, and then *x
 * is untouched. Takes decimal and exponent notation, nan and inf; no hexadecimal, no white space, no decimal
 * too large for a double. */
bool mst_parse_double(const char *text, size_t length, double *x);

/* The leading 128 bits of 10^k, rounded down; exact for 0 ≤ k ≤ 55. */
typedef struct mst_power_of_ten {
    uint64_t high, low;
} mst_power_of_ten;
#define MST_POWER_FIRST (-342)
#define MST_POWER_LAST 324
extern const mst_power_of_ten mst_powers_of_ten[MST_POWER_LAST - MST_POWER_FIRST + 1];

/* Reads the longest number that starts at `text`; returns where it stops, or null if none starts there. */
const char *mst_parse_prefix(const char *text, const char *end, double *x);

#endif
