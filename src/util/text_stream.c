/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/text_stream.h"

#include <string.h>

struct mst_text_stream {
    FILE *file;
    char *text;
    size_t length, capacity;
    bool lost;
    char buffer[BUFSIZ]; /* of the file: one that the C library allocates may be missing */
};

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    mst_text_stream *s = cookie;
    if (s->lost)
        return 0;
    if (count >= s->capacity - s->length) {
        size_t capacity = 2 * s->capacity + count + 1;
        char *text;
        if (mst_allocate(&text, capacity) != MST_OK) {
            s->lost = true;
            return 0;
        }
        if (s->length > 0)
            memcpy(text, s->text, s->length);
        mst_release(s->text);
        s->text = text;
        s->capacity = capacity;
    }
    memcpy(s->text + s->length, bytes, count);
    s->length += count;
    return (ssize_t)count;
}

mst_status mst_text_open(mst_text_stream **out)
{
    mst_text_stream *s;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->file = fopencookie(s, "w", (cookie_io_functions_t){.write = take});
    if (s->file == NULL || setvbuf(s->file, s->buffer, _IOFBF, BUFSIZ) != 0) {
        mst_text_discard(s);
        return mst_fail(MST_MEMORY, "cannot allocate a stream");
    }
    *out = s;
    return MST_OK;
}

FILE *mst_text_file(mst_text_stream *s)
{
    return s->file;
}

mst_status mst_text_close(mst_text_stream *s, char **text, size_t *length)
{
    /* printf itself may need memory, for a long number say, and then sets the error of the file. */
    s->lost = ferror(s->file) != 0 || s->lost;
    if (fclose(s->file) != 0)
        s->lost = true;
    s->file = NULL;
    *text = NULL;
    *length = 0;
    if (!s->lost && s->text == NULL) /* nothing was printed */
        s->lost = mst_allocate(&s->text, 1) != MST_OK;
    if (s->lost) {
        mst_text_discard(s);
        return mst_fail(MST_MEMORY, "cannot allocate a text");
    }
    s->text[s->length] = '\0';
    *text = s->text;
    *length = s->length;
    mst_release(s);
    return MST_OK;
}

void mst_text_discard(mst_text_stream *s)
{
    if (s == NULL)
        return;
    if (s->file != NULL)
        fclose(s->file);
    mst_release(s->text);
    mst_release(s);
}
