/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Texts from outside, made fit for messages of one line. */
#ifndef MST_UTIL_MESSAGE_H
#define MST_UTIL_MESSAGE_H

#include <manistat/status.h>

enum { MST_QUOTED_TEXT = 64 };
/* Text from a file, fit for a one-line message: in quotes, control bytes as \xNN, long text cut. */
const char *mst_quote_text(const char *text, size_t length, char quoted[MST_QUOTED_TEXT]);
/* A path fit for a message: control bytes replaced, the beginning of a long path left out. To be released. */
MST_MUST_USE mst_status mst_path_for_messages(char **out, const char *path);

#endif
