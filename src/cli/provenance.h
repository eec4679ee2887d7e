/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How a result was made: "made_by" in JSON, from what was typed and from the files that were read. */
#ifndef MST_CLI_PROVENANCE_H
#define MST_CLI_PROVENANCE_H

#include "options.h"
#include "util/json.h"
#include "util/sha256.h"

#include <sys/types.h>

typedef struct provenance {
    const char **words; /* what was typed, but for options that change no result */
    size_t word_count;
    struct rows_of {
        const char *path; /* a word of the command line, or "-" */
        uint64_t rows;
    } * read; /* files whose rows were counted */
    size_t read_count, limit;
    bool standard_input; /* read because no file was named */
    off_t input_begin;   /* where standard input stood */
} provenance;

/* Has room for what the command line can bring. Free it in either case. */
MST_MUST_USE mst_status provenance_begin(provenance *p, int argc, char **argv);
void provenance_free(provenance *p);

/* All of these do nothing where nobody will ask. */
/* `count` words of the command line, to be kept in their order. */
void typed(const invocation *inv, int count, char *const *words);
/* The file with this path, the very pointer that an operand or option has, had so many rows. */
void note_rows(const invocation *inv, const char *path, uint64_t rows);
/* There are no operands, and standard input is read in their place. */
void note_standard_input(const invocation *inv);
/* Here the file of this option is read, though it is one for files to write. */
void note_read(invocation *inv, const option *o);

/* The member "made_by": the same bytes for the same call, whatever the number of threads. */
void json_made_by(const invocation *inv, mst_json *j);

/* "sha256:" and its digits. */
enum { FILE_HASH = MST_SHA256_TEXT + 7 };
/* The number of bytes of a regular file and their hash; false for anything else, such as a pipe. */
bool hash_file(const char *path, uint64_t *bytes, char hash[FILE_HASH]);

#endif
