/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "provenance.h"

#include "common.h"
#include "result.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Keeping ---- */

mst_status provenance_begin(provenance *p, int argc, char **argv)
{
    size_t limit = (size_t)argc + 1;
    *p = (provenance){.limit = limit, .input_begin = lseek(STDIN_FILENO, 0, SEEK_CUR)};
    p->words = calloc(limit, sizeof *p->words);
    p->read = calloc(limit, sizeof *p->read);
    if (p->words == NULL || p->read == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for the command line");
    p->words[p->word_count++] = "manistat";
    if (argc > 1)
        p->words[p->word_count++] = argv[1];
    return MST_OK;
}

void provenance_free(provenance *p)
{
    free(p->words);
    free(p->read);
}

void typed(const invocation *inv, int count, char *const *words)
{
    provenance *p = inv->made_by;
    for (int i = 0; p != NULL && i < count && p->word_count < p->limit; i++)
        p->words[p->word_count++] = words[i];
}

void note_rows(const invocation *inv, const char *path, uint64_t rows)
{
    provenance *p = inv->made_by;
    if (p != NULL && p->read_count < p->limit)
        p->read[p->read_count++] = (struct rows_of){path, rows};
}

void note_standard_input(const invocation *inv)
{
    if (inv->made_by != NULL)
        inv->made_by->standard_input = true;
}

void note_read(invocation *inv, const option *o)
{
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (inv->command->options[i] == o)
            inv->values[i].read = true;
}

/* ---- Hashes ---- */

static bool hash_from(int fd, off_t at, uint64_t *bytes, char hash[FILE_HASH])
{
    static char block[1 << 16];
    struct stat s;
    if (at < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    mst_sha256 h = mst_sha256_begin();
    *bytes = 0;
    for (ssize_t got; (got = pread(fd, block, sizeof block, at)) != 0; at += got) {
        if (got < 0)
            return false;
        mst_sha256_add(&h, block, (size_t)got);
        *bytes += (uint64_t)got;
    }
    memcpy(hash, "sha256:", 7);
    mst_sha256_end(&h, hash + 7);
    return true;
}

bool hash_file(const char *path, uint64_t *bytes, char hash[FILE_HASH])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool done = fd >= 0 && hash_from(fd, 0, bytes, hash);
    if (fd >= 0)
        close(fd);
    return done;
}

/* ---- Telling ---- */

static void json_input(const provenance *p, mst_json *j, const char *role, const char *file,
                       const char *word)
{
    char hash[FILE_HASH];
    uint64_t bytes;
    bool input = strcmp(file, "-") == 0;
    bool known = input ? hash_from(STDIN_FILENO, p->input_begin, &bytes, hash)
                       : hash_file(file, &bytes, hash);
    mst_json_object(j);
    json_member_string(j, "file", file);
    mst_json_key(j, "option");
    if (role != NULL)
        mst_json_string(j, role);
    else
        mst_json_null(j);
    for (size_t i = 0; i < p->read_count; i++)
        if (p->read[i].path == word || (input && strcmp(p->read[i].path, "-") == 0)) {
            json_member_integer(j, "rows", p->read[i].rows);
            break;
        }
    mst_json_key(j, "bytes");
    if (known)
        mst_json_integer(j, bytes);
    else
        mst_json_null(j);
    mst_json_key(j, "hash");
    if (known)
        mst_json_string(j, hash);
    else
        mst_json_null(j);
    mst_json_end(j);
}

/* Directories, and words that name no file, are no inputs. */
static bool is_file(const char *path)
{
    struct stat s;
    return strcmp(path, "-") == 0 || (stat(path, &s) == 0 && !S_ISDIR(s.st_mode));
}

/* A file may be followed by options: disc.manifold?R=3. */
static void json_option_input(const provenance *p, mst_json *j, const option *o, const char *text)
{
    char word[OPTION_WORD], *file = strdup(text), *question;
    if (file != NULL && !is_file(file) && (question = strchr(file, '?')) != NULL)
        *question = '\0';
    if (file != NULL && is_file(file))
        json_input(p, j, option_word(o, word), file, text);
    free(file);
}

static void json_inputs(const invocation *inv, mst_json *j)
{
    const provenance *p = inv->made_by;
    mst_json_key(j, "inputs");
    mst_json_array(j);
    if (p->standard_input)
        json_input(p, j, NULL, "-", NULL);
    for (size_t i = 0; i < inv->operand_count; i++)
        if (is_file(inv->operands[i]))
            json_input(p, j, NULL, inv->operands[i], inv->operands[i]);
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        const option_value *v = &inv->values[i];
        bool reads = o->reads || v->read ||
                     ((o->kind == OPTION_FILE || o->kind == OPTION_MANIFOLD) && !o->writes);
        for (size_t k = 0; o->repeats && k + 1 < inv->repeat_count; k++)
            json_option_input(p, j, o, inv->repeated[k]);
        if (v->given && reads)
            json_option_input(p, j, o, v->text);
    }
    mst_json_end(j);
}

/* Commands that draw no random numbers take --seed and hide it. */
static void json_seed(const invocation *inv, mst_json *j)
{
    mst_json_key(j, "seed");
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        if (o->name != NULL && strcmp(o->name, "seed") == 0 && !o->hidden) {
            mst_json_integer(j, inv->values[i].count);
            return;
        }
    }
    mst_json_null(j);
}

void json_made_by(const invocation *inv, mst_json *j)
{
    const provenance *p = inv->made_by;
    if (p == NULL || inv->command->describes)
        return;
    mst_json_key(j, "made_by");
    mst_json_object(j);
    json_member_string(j, "program", "manistat");
    json_member_string(j, "version", mst_version());
    mst_json_key(j, "command");
    mst_json_array(j);
    for (size_t i = 0; i < p->word_count; i++)
        mst_json_string(j, p->words[i]);
    mst_json_end(j);
    json_seed(inv, j);
    json_member_string(j, "instruction_set", mst_instruction_set());
    json_inputs(inv, j);
    mst_json_end(j);
}
