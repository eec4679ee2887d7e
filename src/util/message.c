/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Text from outside, made fit for one line of an error message. */
#include "util/message.h"
#include "base/internal.h"

#include <stdio.h>
#include <string.h>

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

const char *mst_quote_text(const char *text, size_t length, char quoted[MST_QUOTED_TEXT])
{
    /* The longest piece is "\xNN", and "…" with the closing quote and zero must still fit after it. */
    static const char ellipsis[] = "…\"";
    size_t n = 0;
    quoted[n++] = '"';
    size_t i = 0;
    for (; i < length && n + 4 + sizeof ellipsis <= MST_QUOTED_TEXT; i++) {
        unsigned char c = (unsigned char)text[i];
        if (is_control(c))
            n += (size_t)snprintf(quoted + n, 5, "\\x%02x", c);
        else
            quoted[n++] = (char)c;
    }
    if (i == length) {
        memcpy(quoted + n, "\"", 2);
    } else {
        /* Do not cut a UTF-8 character in two. */
        if (((unsigned char)text[i] & 0xc0) == 0x80) {
            while (n > 1 && ((unsigned char)quoted[n - 1] & 0xc0) == 0x80)
                n--;
            if (n > 1 && ((unsigned char)quoted[n - 1] & 0xc0) == 0xc0)
                n--;
        }
        memcpy(quoted + n, ellipsis, sizeof ellipsis);
    }
    return quoted;
}

mst_status mst_path_for_messages(char **out, const char *path)
{
    /* Long enough for any sensible path, short enough that the row and column after it are never cut. */
    enum { LONGEST = 200 };
    size_t length = strlen(path);
    bool cut = length > LONGEST;
    const char *tail = cut ? path + length - LONGEST : path;
    /* Start behind a slash, or at least not inside a UTF-8 character. */
    const char *slash = cut ? strchr(tail, '/') : NULL;
    if (slash != NULL)
        tail = slash;
    while (((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    MST_TRY(mst_allocate(out, strlen(tail) + 4));
    sprintf(*out, "%s%s", cut ? "…" : "", tail);
    for (char *c = *out; *c != '\0'; c++)
        if (is_control((unsigned char)*c))
            *c = '?';
    return MST_OK;
}
