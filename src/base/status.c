/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"

#include <manistat/status.h>
#include <manistat/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char detail[512];
static _Thread_local char excerpt[256];

const char *mst_status_name(mst_status status)
{
    switch (status) {
#define NAME(name, value, sentence) \
    case MST_##name:                \
        return "MST_" #name;
        MST_STATUS_LIST(NAME)
#undef NAME
    }
    return "unknown status";
}

const char *mst_status_sentence(mst_status status)
{
    switch (status) {
#define SENTENCE(name, value, sentence) \
    case MST_##name:                    \
        return sentence;
        MST_STATUS_LIST(SENTENCE)
#undef SENTENCE
    }
    return "unknown status";
}

const char *mst_error_detail(void)
{
    return detail;
}

mst_status mst_fail(mst_status status, const char *format, ...)
{
    /* Format into a second buffer: an argument may be the current detail itself. */
    char text[sizeof detail];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* A detail is one line, whatever file names and cells it quotes. */
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    /* Who only adds words to a failure keeps its excerpt. */
    if (detail[0] == '\0' || strstr(text, detail) == NULL)
        excerpt[0] = '\0';
    snprintf(detail, sizeof detail, "%s", text);
    return status;
}

const char *mst_error_excerpt(void)
{
    return excerpt;
}

void mst_error_show(const char *line, size_t length, size_t at)
{
    enum { MOST = sizeof excerpt / 2 - 2 };
    length = length < MOST ? length : MOST;
    at = at < length ? at : length;
    char *c = excerpt;
    for (size_t i = 0; i < length; i++)
        *c++ = (unsigned char)line[i] < ' ' || line[i] == 0x7f ? ' ' : line[i];
    *c++ = '\n';
    /* Of a character of several bytes the first one takes a column. */
    for (size_t i = 0; i < at; i++)
        if (((unsigned char)line[i] & 0xc0) != 0x80)
            *c++ = ' ';
    *c++ = '^';
    *c = '\0';
}

const char *mst_version(void)
{
    return MST_VERSION;
}
