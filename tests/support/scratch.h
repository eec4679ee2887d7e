/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A directory for the files of one test, and whole files in and out of it. */
#ifndef TESTS_IO_SCRATCH_H
#define TESTS_IO_SCRATCH_H

#include "support/support.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <manistat/status.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_directory[64];

static inline void scratch_open(void)
{
    strcpy(scratch_directory, "/tmp/manistat-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch_directory));
}

/* The full path of a name in the directory; the last eight results stay valid. */
static inline const char *scratch(const char *name)
{
    static char paths[8][400];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_directory, name);
    return path;
}

/* How many entries the directory has, and their removal. */
static inline size_t scratch_count(void)
{
    size_t n = 0;
    DIR *d = opendir(scratch_directory);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static inline void scratch_close(void)
{
    chmod(scratch_directory, 0700);
    DIR *d = opendir(scratch_directory);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            if (unlinkat(dirfd(d), e->d_name, 0) != 0)
                unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    closedir(d);
    ck_assert_int_eq(rmdir(scratch_directory), 0);
}

/* Writes a file and returns its path. */
static inline const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch(name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

/* The whole file, terminated by a zero; to be freed. */
static inline char *scratch_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t capacity = 1 << 16, length = 0;
    char *bytes = malloc(capacity);
    for (size_t k; (k = fread(bytes + length, 1, capacity - length - 1, f)) > 0;) {
        length += k;
        if (length + 1 == capacity)
            bytes = realloc(bytes, capacity *= 2);
    }
    fclose(f);
    bytes[length] = '\0';
    if (n != NULL)
        *n = length;
    return bytes;
}

static inline void ck_assert_detail(const char *expected)
{
    if (strstr(mst_error_detail(), expected) == NULL)
        ck_abort_msg("detail is \"%s\", expected \"%s\"", mst_error_detail(), expected);
}

/* xorshift64*: enough for choosing inputs. */
static inline uint64_t scramble(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717);
}

#endif
