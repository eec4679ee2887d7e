/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Texts that are printed into memory, whole or not at all. open_memstream is no help there: when its memory
 * cannot grow, the C library loses what was printed without a word. */
#ifndef MST_UTIL_TEXT_STREAM_H
#define MST_UTIL_TEXT_STREAM_H

#include "base/internal.h"

#include <stdio.h>

typedef struct mst_text_stream mst_text_stream;

MST_MUST_USE mst_status mst_text_open(mst_text_stream **out);
/* To print to. */
FILE *mst_text_file(mst_text_stream *s);
/* The whole text with a final 0, to be released with free; MST_MEMORY if any of it is missing. The stream is
 * gone in either case. */
MST_MUST_USE mst_status mst_text_close(mst_text_stream *s, char **text, size_t *length);
/* Without its text; null is fine. */
void mst_text_discard(mst_text_stream *s);

#endif
