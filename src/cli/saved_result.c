/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "saved_result.h"

#include "provenance.h"
#include "regress_data.h"
#include "util/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HINT "give the points with --data FILE"

static mst_status no_memory(void)
{
    return mst_fail(MST_MEMORY, "not enough memory");
}

static mst_status read_text(saved_result *s)
{
    mst_source source;
    mst_status status = mst_source_open(&source, s->path);
    if (status != MST_OK)
        return status;
    status = mst_source_fill(&source, SIZE_MAX);
    s->length = mst_source_available(&source);
    s->text = status == MST_OK ? malloc(s->length + 1) : NULL;
    if (status == MST_OK && s->text == NULL)
        status = no_memory();
    if (status == MST_OK)
        memcpy(s->text, mst_source_bytes(&source), s->length);
    mst_source_close(&source);
    return status;
}

mst_status saved_open(saved_result *s, const char *path)
{
    *s = (saved_result){.path = path};
    mst_status status = read_text(s);
    if (status == MST_OK)
        status = mst_json_parse(&s->top, shown_path(path), s->length, s->text);
    if (status != MST_OK)
        return status;
    const char *name = mst_json_as_string(mst_json_member(s->top, "command"));
    s->command = name != NULL ? find_command(name) : NULL;
    s->made_by = mst_json_member(s->top, "made_by");
    if (s->command == NULL)
        return mst_fail(MST_FORMAT,
                        "%s is not a result: it has no \"command\" of manistat; give a file that a "
                        "command has written with --json",
                        shown_path(path));
    if (mst_json_kind_of(s->made_by) != MST_JSON_OBJECT)
        s->made_by = NULL;
    return MST_OK;
}

static void free_texts(char **texts)
{
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
        free(texts[i]);
    free(texts);
}

void saved_close(saved_result *s)
{
    free_texts(s->paths);
    free_texts(s->words);
    free(s->inv.operands);
    mst_json_value_free(s->top);
    free(s->text);
}

/* ---- The call ---- */

static option_value *value_of(invocation *inv, const char *word)
{
    char own[OPTION_WORD];
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (strcmp(option_word(inv->command->options[i], own), word) == 0)
            return &inv->values[i];
    return NULL;
}

static mst_status copy_words(saved_result *s, char ***argv, size_t *count)
{
    const mst_json_value *list = mst_json_member(s->made_by, "command");
    *count = mst_json_length(list);
    s->words = calloc(*count + 1, sizeof *s->words);
    *argv = calloc(*count + 2, sizeof **argv);
    if (s->words == NULL || *argv == NULL)
        return no_memory();
    size_t i = 0;
    for (const mst_json_value *v = mst_json_first(list); v != NULL; v = mst_json_next(v)) {
        const char *word = mst_json_as_string(v);
        if (word == NULL)
            return mst_fail(MST_FORMAT, "%s: its \"command\" of \"made_by\" is not made of words",
                            s->path);
        if ((s->words[i] = strdup(word)) == NULL)
            return no_memory();
        (*argv)[i] = s->words[i];
        i++;
    }
    return MST_OK;
}

/* The call again. What a network said is in the result, and the network may be gone: the manifold is that
 * of the result. */
static mst_status call_again(saved_result *s)
{
    size_t count;
    char **argv = NULL;
    free_texts(s->words);
    free(s->inv.operands);
    mst_status status = copy_words(s, &argv, &count);
    s->inv = (invocation){.command = s->command, .operands = argv};
    if (status != MST_OK)
        return status;
    if (count >= 2) {
        memmove(argv, argv + 2, (count - 2) * sizeof *argv);
        status = parse_arguments(&s->inv, (int)count - 2, argv);
    } else {
        status = parse_arguments(&s->inv, 0, argv);
    }
    if (status != MST_OK)
        return mst_fail(status, "%s: the command that made it: %s", s->path, mst_error_detail());
    static const char *const forms[] = {"degrees", "latlon", "quaternion"};
    char word[OPTION_WORD];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(word, sizeof word, "--%s", forms[i]);
        if (mst_json_as_bool(mst_json_member(s->top, forms[i])) && value_of(&s->inv, word) != NULL)
            value_of(&s->inv, word)->given = true;
    }
    option_value *score = value_of(&s->inv, "--score"), *quiet = value_of(&s->inv, "--quiet");
    option_value *space = value_of(&s->inv, "--manifold");
    if (score != NULL)
        *score = (option_value){.text = "exact"};
    if (quiet != NULL)
        quiet->given = true;
    if (space == NULL)
        return mst_fail(MST_UNABLE, "%s: %s is not about points on a manifold", s->path,
                        s->command->name);
    space->text = mst_json_as_string(mst_json_member(s->top, "manifold"));
    space->given = true;
    return space->text != NULL ? MST_OK : mst_fail(MST_FORMAT, "%s has no \"manifold\"", s->path);
}

/* ---- Its files ---- */

/* `file` in the folder of the result, or its last part there; free(). */
static char *beside(const char *saved, const char *file, bool last_part)
{
    const char *slash = strrchr(saved, '/'), *end = strrchr(file, '/');
    int folder = slash != NULL ? (int)(slash - saved) + 1 : 0;
    char *path;
    if (last_part && end != NULL)
        file = end + 1;
    else if (file[0] == '/')
        folder = 0;
    return asprintf(&path, "%.*s%s", folder, saved, file) < 0 ? NULL : path;
}

static bool matches(const char *path, const char *hash)
{
    char now[FILE_HASH];
    uint64_t bytes;
    return hash == NULL || (hash_file(path, &bytes, now) && strcmp(now, hash) == 0);
}

static mst_status keep(saved_result *s, char *path, const char **found)
{
    char **paths = path != NULL ? realloc(s->paths, (s->path_count + 2) * sizeof *paths) : NULL;
    if (paths == NULL) {
        free(path);
        return no_memory();
    }
    s->paths = paths;
    paths[s->path_count++] = path;
    paths[s->path_count] = NULL;
    *found = path;
    return MST_OK;
}

/* The file as it is named, beside the result, or there without its folders: the first that is the same. */
static mst_status find_file(saved_result *s, const char *file, const char *hash, const char *hint,
                            const char **found)
{
    char *tries[] = {strdup(file), beside(s->path, file, false), beside(s->path, file, true)};
    const char *changed = NULL;
    mst_status status = MST_OK;
    size_t pick = 3;
    for (size_t i = 0; i < 3 && pick == 3; i++) {
        if (tries[i] == NULL)
            status = no_memory();
        else if (access(tries[i], R_OK) == 0 && matches(tries[i], hash))
            pick = i;
        else if (access(tries[i], R_OK) == 0 && changed == NULL)
            changed = tries[i];
    }
    if (status == MST_OK && pick < 3) {
        status = keep(s, tries[pick], found);
        tries[pick] = NULL;
    } else if (status == MST_OK && changed != NULL) {
        status = mst_fail(MST_DOMAIN, "%s has changed since %s was made from it; %s", changed,
                          s->path, hint);
    } else if (status == MST_OK) {
        status = mst_fail(MST_IO, "%s was made from %s, which is neither here nor beside it; %s",
                          s->path, file, hint);
    }
    for (size_t i = 0; i < 3; i++)
        free(tries[i]);
    return status;
}

static mst_status take_data(const saved_result *s, const char *data, const char *hash, bool force)
{
    if (access(data, R_OK) != 0)
        return mst_fail(MST_IO, "--data: cannot read %s", data);
    if (!force && !matches(data, hash))
        return mst_fail(MST_DOMAIN,
                        "--data: %s is not the file that %s was made from; --force takes it anyway",
                        data, s->path);
    return MST_OK;
}

/* Puts the path where the call has its file; a manifold with options keeps them. */
static void put_path(invocation *inv, const char *role, const char *file, const char *path)
{
    option_value *value = role != NULL ? value_of(inv, role) : NULL;
    for (size_t i = 0; role == NULL && i < inv->operand_count; i++)
        if (strcmp(inv->operands[i], file) == 0) {
            inv->operands[i] = (char *)path;
            return;
        }
    if (role == NULL && inv->operand_count == 0) {
        inv->operands[0] = (char *)path;
        inv->operand_count = 1;
    } else if (value != NULL) {
        value->text = path;
    }
}

/* The manifold's file, whose name the result may follow by options. */
static mst_status find_manifold(saved_result *s, const char *file, const char *hash)
{
    option_value *space = value_of(&s->inv, "--manifold");
    const char *found, *rest = strchr(space->text, '?'), *text = NULL;
    char *path;
    mst_status status = find_file(s, file, hash, "put it there again", &found);
    if (status != MST_OK)
        return status;
    if (strncmp(space->text, file, strlen(file)) == 0)
        rest = space->text + strlen(file);
    if (asprintf(&path, "%s%s", found, rest != NULL ? rest : "") < 0)
        return no_memory();
    status = keep(s, path, &text);
    space->text = text;
    return status;
}

mst_status saved_find_inputs(saved_result *s, const char *data, bool force)
{
    mst_status status = call_again(s);
    const mst_json_value *inputs = mst_json_member(s->made_by, "inputs");
    bool points = false; /* found */
    for (const mst_json_value *v = mst_json_first(inputs); v != NULL && status == MST_OK;
         v = mst_json_next(v)) {
        const char *file = mst_json_as_string(mst_json_member(v, "file")), *found = data;
        const char *role = mst_json_as_string(mst_json_member(v, "option"));
        const char *hash = mst_json_as_string(mst_json_member(v, "hash"));
        bool first = !points && (role == NULL || strcmp(role, "--y") == 0);
        if (file == NULL)
            return mst_fail(MST_FORMAT, "%s: an input of \"made_by\" has no \"file\"", s->path);
        if (role != NULL && strcmp(role, "--manifold") == 0) {
            status = find_manifold(s, file, hash);
            continue;
        }
        if (role != NULL && strcmp(role, "--score") == 0)
            continue;
        if (first && data != NULL)
            status = take_data(s, data, hash, force);
        else if (strcmp(file, "-") == 0)
            status = mst_fail(MST_IO, "%s was made from standard input; " HINT, s->path);
        else
            status = find_file(s, file, hash, first ? HINT : "put it there again", &found);
        if (status == MST_OK)
            put_path(&s->inv, role, file, found);
        points |= first;
    }
    if (status != MST_OK || points)
        return status;
    if (data == NULL)
        return mst_fail(MST_FORMAT, "%s does not say what it was made from (\"made_by\"); " HINT,
                        s->path);
    status = take_data(s, data, NULL, force);
    put_path(&s->inv, value_of(&s->inv, "--y") != NULL ? "--y" : NULL, "-", data);
    return status;
}

mst_status saved_find_model(saved_result *s, const char **path, const char *given, bool *same)
{
    const mst_json_value *v = mst_json_first(mst_json_member(s->made_by, "inputs"));
    for (; v != NULL; v = mst_json_next(v)) {
        const char *role = mst_json_as_string(mst_json_member(v, "option"));
        const char *file = mst_json_as_string(mst_json_member(v, "file"));
        const char *hash = mst_json_as_string(mst_json_member(v, "hash"));
        if (role == NULL || strcmp(role, "--score") != 0 || file == NULL)
            continue;
        *same = given == NULL || matches(given, hash);
        *path = given;
        return given != NULL ? MST_OK
                             : find_file(s, file, hash, "give the model with --model FILE", path);
    }
    *path = given;
    *same = false;
    return MST_OK;
}

static mst_status read_responses(estimation *e, labelled_rows *rows)
{
    regress_rows all = {0};
    if (!option_given(e->inv, &option_x))
        return mst_fail(MST_FORMAT, "the result does not say where its covariates are");
    mst_status status = regress_read(e, &all);
    if (status == MST_OK) {
        rows->n = all.n;
        rows->x = all.y;
        all.y = NULL;
    }
    regress_rows_free(&all);
    return status;
}

mst_status saved_points(saved_result *s, estimation *e, labelled_rows *rows)
{
    const mst_json_value *n = mst_json_member(s->top, "n");
    *rows = (labelled_rows){0};
    mst_status status = estimation_open(e, &s->inv);
    if (status == MST_OK)
        status =
            option_given(&s->inv, &option_y) ? read_responses(e, rows) : read_labelled(e, rows);
    if (status == MST_OK && mst_json_kind_of(n) == MST_JSON_NUMBER &&
        mst_json_as_number(n) != (double)rows->n)
        status = mst_fail(MST_DOMAIN, "%s is a result of %.0f points, and there are %zu", s->path,
                          mst_json_as_number(n), rows->n);
    return status;
}
