/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Files that appear whole or not at all. */
#ifndef MST_UTIL_OUTPUT_H
#define MST_UTIL_OUTPUT_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mst_output mst_output;

/* What to do with a file that is there. Values 0 and 1 are those of a `force`. */
typedef enum mst_output_rule {
    MST_OUTPUT_NEW,   /* MST_IO, found out at once, not after the work */
    MST_OUTPUT_FORCE, /* replace it at the commit; a symbolic link is followed to the file it names */
    /* A file that only this program writes, a checkpoint: replace it, or the symbolic link that stands in its
     * place, but nothing that a link leads to; anything else, a pipe or device, is MST_IO. */
    MST_OUTPUT_OWN,
} mst_output_rule;

/* Opens `path` for writing ("-": standard output). What is written goes to an unnamed or temporary file
 * beside it, and only mst_output_commit makes it visible (fsync, then rename or link). What is there stays as
 * it is until then; of its mode the replacement keeps the permissions, but no setuid, setgid or sticky bit. A
 * path that is neither a regular file nor absent (a pipe, /dev/null) is written directly. */
MST_MUST_USE mst_status mst_output_open(mst_output **out, const char *path, mst_output_rule rule);
MST_MUST_USE mst_status mst_output_write(mst_output *o, const void *bytes, size_t n);
/* Overwrite bytes written earlier (fixed-size headers); MST_UNABLE on standard output and pipes. */
MST_MUST_USE mst_status mst_output_rewrite(mst_output *o, uint64_t offset, const void *bytes,
                                           size_t n);
MST_MUST_USE mst_status mst_output_commit(mst_output *o);
/* Frees; what was not committed is gone. Accepts null. */
void mst_output_free(mst_output *o);

/* As mst_output_open, but without an unnamed file even where the file system has them. */
MST_MUST_USE mst_status mst_output_open_named(mst_output **out, const char *path,
                                              mst_output_rule rule);
/* Into memory, for those who read what they have written: mst_output_text gives it with a final 0, to be
 * released with mst_release. */
MST_MUST_USE mst_status mst_output_open_memory(mst_output **out);
MST_MUST_USE mst_status mst_output_text(mst_output *o, char **text, size_t *length);
/* Room for n ≤ MST_OUTPUT_ROOM bytes in the buffer, null on failure; `advance` says how many were used. */
enum { MST_OUTPUT_ROOM = 1 << 12 };
MST_MUST_USE mst_status mst_output_room(mst_output *o, size_t n, char **out);
void mst_output_advance(mst_output *o, size_t n);
bool mst_output_can_rewrite(const mst_output *o);
const char *mst_output_path(const mst_output *o);

#endif
