/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Buffered input from a file, a pipe or standard input. */
#include "util/source.h"
#include "base/internal.h"
#include "util/message.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 1 << 18 };

static mst_status read_failure(const mst_source *s, int error)
{
    /* A handler without SA_RESTART means that the program wants blocking calls to end. */
    if (error == EINTR)
        return mst_fail(MST_INTERRUPTED, "interrupted while reading %s", s->name);
    if (error == EISDIR)
        return mst_fail(MST_IO, "%s is a directory, not a file of numbers", s->name);
    return mst_fail(MST_IO, "cannot read %s: %s", s->name, strerror(error));
}

mst_status mst_source_open(mst_source *s, const char *path)
{
    *s = (mst_source){.fd = -1};
    bool standard = strcmp(path, "-") == 0;
    MST_TRY(mst_path_for_messages(&s->name, standard ? "standard input" : path));
    mst_status status = mst_allocate(&s->buffer, FIRST_CAPACITY);
    if (status != MST_OK)
        goto fail;
    s->capacity = FIRST_CAPACITY;
    s->owned = !standard;
    s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat info;
    if (s->fd < 0 || fstat(s->fd, &info) != 0) {
        status = read_failure(s, errno);
        goto fail;
    }
    if (S_ISDIR(info.st_mode)) {
        status = read_failure(s, EISDIR);
        goto fail;
    }
    /* Standard input may be a file too, but somebody may have read from it already. */
    s->regular = !standard && S_ISREG(info.st_mode);
    s->size = s->regular ? (uint64_t)info.st_size : 0;
    return MST_OK;
fail:
    mst_source_close(s);
    return status;
}

void mst_source_close(mst_source *s)
{
    if (s->owned && s->fd >= 0)
        close(s->fd);
    mst_release(s->buffer);
    mst_release(s->name);
    *s = (mst_source){.fd = -1};
}

/* Free space behind the unread bytes of a full buffer. */
static mst_status make_space(mst_source *s)
{
    size_t available = mst_source_available(s);
    if (s->begin == 0 || available > s->capacity / 2)
        return mst_grow(&s->buffer, s->end, &s->capacity);
    memmove(s->buffer, s->buffer + s->begin, available);
    s->begin = 0;
    s->end = available;
    return MST_OK;
}

mst_status mst_source_fill(mst_source *s, size_t want)
{
    while (!s->ended && mst_source_available(s) < want) {
        if (s->begin == s->end)
            s->begin = s->end = 0;
        if (s->end == s->capacity)
            MST_TRY(make_space(s));
        ssize_t n = read(s->fd, s->buffer + s->end, s->capacity - s->end);
        if (n < 0)
            return read_failure(s, errno);
        if (n == 0)
            s->ended = true;
        s->end += (size_t)n;
    }
    return MST_OK;
}

mst_status mst_source_line(mst_source *s, const char **line, size_t *length)
{
    size_t searched = 0;
    for (;;) {
        size_t available = mst_source_available(s);
        const char *bytes = mst_source_bytes(s);
        const char *newline = memchr(bytes + searched, '\n', available - searched);
        if (newline != NULL || (s->ended && available > 0)) {
            size_t n = newline != NULL ? (size_t)(newline - bytes) : available;
            mst_source_skip(s, newline != NULL ? n + 1 : n);
            *line = bytes;
            *length = n > 0 && bytes[n - 1] == '\r' ? n - 1 : n;
            return MST_OK;
        }
        if (s->ended) {
            *line = NULL;
            return MST_OK;
        }
        if (available > MST_SOURCE_MOST_TEXT)
            return mst_fail(MST_FORMAT, "%s: a line of more than %d bytes; this is not a text file",
                            s->name, MST_SOURCE_MOST_TEXT);
        searched = available;
        MST_TRY(mst_source_fill(s, available + 1));
    }
}
