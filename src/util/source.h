/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Input: a file, pipe or standard input behind a buffer that grows on demand. */
#ifndef MST_UTIL_SOURCE_H
#define MST_UTIL_SOURCE_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mst_source {
    int fd;
    bool owned;        /* close it at the end; false for standard input */
    bool regular;      /* a regular file opened by name, positioned at its start when opened */
    uint64_t size;     /* bytes in the file, if regular */
    uint64_t consumed; /* bytes before buffer[begin] */
    char *name;        /* for messages */
    char *buffer;      /* unread bytes are begin … end−1 */
    size_t capacity, begin, end;
    bool ended; /* nothing comes after buffer[end − 1] */
} mst_source;

MST_MUST_USE mst_status mst_source_open(mst_source *s, const char *path);
void mst_source_close(mst_source *s);
/* Reads until `want` bytes are available or the input ends; may move the buffer. Memory grows with what
 * arrives, not with what is wanted, so `want` may come from an untrusted header. */
MST_MUST_USE mst_status mst_source_fill(mst_source *s, size_t want);

/* Texts are taken in one piece up to this size, lines and files of labels. */
enum { MST_SOURCE_MOST_TEXT = 1 << 28 };

/* The next line of text without its end ("\n" or "\r\n"), or null when the input has ended; valid until the
 * source is filled again. MST_FORMAT if it has more than MST_SOURCE_MOST_TEXT bytes. */
MST_MUST_USE mst_status mst_source_line(mst_source *s, const char **line, size_t *length);

static inline size_t mst_source_available(const mst_source *s)
{
    return s->end - s->begin;
}

static inline const char *mst_source_bytes(const mst_source *s)
{
    return s->buffer + s->begin;
}

static inline void mst_source_skip(mst_source *s, size_t n)
{
    s->begin += n;
    s->consumed += n;
}

#endif
