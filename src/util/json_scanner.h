/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The words of JSON (RFC 8259), for those who know what to expect: the reader of any JSON, and that of
 * safetensors headers. */
#ifndef MST_UTIL_JSON_SCANNER_H
#define MST_UTIL_JSON_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_scanner {
    const char *begin, *p, *end; /* p: the next byte */
} json_scanner;

void json_skip_space(json_scanner *s);
/* Takes `c`, if it comes next after white space. */
bool json_take(json_scanner *s, char c);
/* A digit comes next. */
bool json_at_digit(const json_scanner *s);
/* Behind the opening quote: takes the string and its closing quote. The text, decoded and with a zero, goes
 * to *text, which is moved behind it; it is never longer than what it is decoded from, quotes included.
 * Returns null, or what is wrong at p. */
const char *json_take_string(json_scanner *s, char **text);
/* Takes an integer without sign, fraction, exponent and leading zeros; false if there is none below 2^64. */
bool json_take_integer(json_scanner *s, uint64_t *out);

#endif
