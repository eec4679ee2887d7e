/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Doing the steps of a figure. */
#include "figures.h"

#include "program.h"
#include "provenance.h"
#include "result.h"
#include "shrinkage.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ---- */

mst_status figure_path(const figure_run *run, const char *word, char **path)
{
    static const char *const prefixes[] = {"data:", "results:", "models:"};
    int written = -1;
    *path = NULL;
    for (size_t k = 0; k < 3 && written < 0; k++) {
        size_t length = strlen(prefixes[k]);
        if (strncmp(word, prefixes[k], length) != 0)
            continue;
        const char *name = word + length;
        written = k == 0   ? asprintf(path, "%s/%s", run->data != NULL ? run->data : ".", name)
                  : k == 1 ? asprintf(path, "%s/results/%s", run->out, name)
                  : run->models != NULL ? asprintf(path, "%s/%s", run->models, name)
                                        : asprintf(path, "%s/models/%s", run->out, name);
    }
    if (written < 0)
        *path = strdup(word);
    return *path != NULL ? MST_OK : mst_fail(MST_MEMORY, "not enough memory");
}

mst_status figure_table(const figure_run *run, const char *word, double **x, size_t *rows,
                        size_t *cols)
{
    char *path;
    mst_table *table = NULL;
    *x = NULL;
    *rows = *cols = 0;
    mst_status status = figure_path(run, word, &path);
    if (status == MST_OK)
        status = mst_table_read(&table, path);
    free(path);
    if (status != MST_OK)
        return status;
    status = new_doubles(x, table->n + 1, table->cols);
    for (size_t j = 0; j < table->cols && status == MST_OK; j++) {
        if (table->columns[j].numbers == NULL || table->columns[j].missing > 0)
            status =
                mst_fail(MST_FORMAT, "%s: column %zu is not one of numbers", table->path, j + 1);
        for (size_t i = 0; i < table->n && status == MST_OK; i++)
            (*x)[i * table->cols + j] = table->columns[j].numbers[i];
    }
    *rows = table->n;
    *cols = table->cols;
    mst_table_free(table);
    return status;
}

mst_status figure_write(const char *path, const char *header, size_t rows, size_t cols,
                        const double *x)
{
    mst_output *sink;
    mst_status status = mst_output_open(&sink, path, MST_OUTPUT_FORCE);
    if (status == MST_OK && header != NULL)
        status = mst_output_write(sink, header, strlen(header));
    if (status == MST_OK && header != NULL)
        status = mst_output_write(sink, "\n", 1);
    for (size_t i = 0; i < rows * cols && status == MST_OK; i++) {
        char text[40];
        int length = snprintf(text, sizeof text, "%.17g%s", x[i], (i + 1) % cols == 0 ? "\n" : ",");
        status = mst_output_write(sink, text, (size_t)length);
    }
    if (status == MST_OK)
        status = mst_output_commit(sink);
    mst_output_free(sink);
    return status;
}

static mst_status make_folder(const figure_run *run, const char *word)
{
    char *path;
    mst_status status = figure_path(run, word, &path);
    if (status != MST_OK)
        return status;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        status = mst_fail(MST_IO, "%s: %s", path, strerror(errno));
    free(path);
    return status;
}

/* ---- Panels ---- */

mst_status figure_panel_open(figure_panel *p, const char *path, const char *manifold,
                             const char *title, const char *caption)
{
    *p = (figure_panel){0};
    mst_status status = mst_output_open(&p->sink, path, MST_OUTPUT_FORCE);
    if (status == MST_OK)
        status = mst_json_new(&p->json, p->sink);
    if (status != MST_OK)
        return status;
    mst_json_object(p->json);
    json_member_string(p->json, "command", "reproduce");
    if (manifold != NULL)
        json_member_string(p->json, "manifold", manifold);
    json_member_string(p->json, "title", title);
    json_member_string(p->json, "caption", caption);
    return MST_OK;
}

mst_status figure_panel_end(figure_panel *p)
{
    json_member_string(p->json, "version", mst_version());
    mst_json_end(p->json);
    mst_status status = mst_json_finish(p->json);
    return status == MST_OK ? mst_output_commit(p->sink) : status;
}

void figure_panel_close(figure_panel *p)
{
    mst_json_free(p->json);
    mst_output_free(p->sink);
}

/* ---- Command lines ---- */

enum { MOST_WORDS = 48 };
typedef struct line_words {
    int count;
    char *words[MOST_WORDS + 1];
} line_words;

static void free_words(line_words *l)
{
    for (int i = 0; i < l->count; i++)
        free(l->words[i]);
}

static mst_status add_word(const figure_run *run, line_words *l, const char *word)
{
    if (l->count == MOST_WORDS)
        return mst_fail(MST_ARGUMENT, "a step has more than %d words", MOST_WORDS);
    mst_status status = figure_path(run, word, &l->words[l->count]);
    l->count += status == MST_OK;
    return status;
}

/* Options that every step gets from us, where its command takes them. */
static mst_status add_common(const figure_run *run, line_words *l)
{
    const command *c = find_command(l->words[1]);
    char number[32];
    mst_status status = add_word(run, l, "--quiet");
    for (size_t i = 0; c != NULL && c->options[i] != NULL && status == MST_OK; i++) {
        if (c->options[i] == &option_seed) {
            snprintf(number, sizeof number, "%llu", (unsigned long long)run->seed);
            status = add_word(run, l, "--seed");
            if (status == MST_OK)
                status = add_word(run, l, number);
        }
        if (c->options[i] == &option_threads && run->threads > 0) {
            snprintf(number, sizeof number, "%d", run->threads);
            status = add_word(run, l, "--threads");
            if (status == MST_OK)
                status = add_word(run, l, number);
        }
    }
    return status;
}

/* The words of a line; those of a training that was killed end with --resume. */
static mst_status split_line(const figure_run *run, const char *line, line_words *l)
{
    char word[200];
    *l = (line_words){0};
    mst_status status = add_word(run, l, "manistat");
    for (const char *at = line; *at != '\0' && status == MST_OK; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        status = add_word(run, l, word);
        at += length;
    }
    if (status == MST_OK)
        status = add_common(run, l);
    char *checkpoint = NULL;
    for (int i = 1; i + 1 < l->count && status == MST_OK; i++)
        if (strcmp(l->words[1], "train") == 0 && strcmp(l->words[i], "-o") == 0 &&
            asprintf(&checkpoint, "%s.checkpoint", l->words[i + 1]) < 0)
            checkpoint = NULL;
    if (checkpoint != NULL && status == MST_OK)
        status = add_word(run, l, access(checkpoint, F_OK) == 0 ? "--resume" : "--force");
    free(checkpoint);
    return status;
}

static mst_status call(line_words *l)
{
    struct shrink_tally shrunk = {0};
    provenance made_by;
    struct messages said = {0};
    invocation inv = {
        .started = mst_clock_seconds(), .shrunk = &shrunk, .made_by = &made_by, .said = &said};
    mst_status status = provenance_begin(&made_by, l->count, l->words);
    /* The parser moves words about, and we free them. */
    char *words[MOST_WORDS + 1];
    memcpy(words, l->words, sizeof words);
    if (status == MST_OK)
        status = run_program(&inv, l->count, words);
    provenance_free(&made_by);
    if (interrupted())
        return mst_fail(MST_INTERRUPTED, "interrupted; the same command goes on from here");
    /* What did not converge has its picture too, which says so. */
    return status == MST_CONVERGENCE ? MST_OK : status;
}

/* Runs the line with its standard output in a file that appears when it is whole. */
static mst_status call_to_file(const figure_run *run, const char *line, const char *path)
{
    line_words l;
    char *part = NULL;
    mst_status status = split_line(run, line, &l);
    if (status == MST_OK && asprintf(&part, "%s.part", path) < 0)
        status = mst_fail(MST_MEMORY, "not enough memory");
    fflush(stdout);
    int screen = status == MST_OK ? dup(STDOUT_FILENO) : -1;
    int file = screen >= 0 ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (status == MST_OK && (file < 0 || dup2(file, STDOUT_FILENO) < 0))
        status = mst_fail(MST_IO, "%s: %s", part, strerror(errno));
    if (status == MST_OK) {
        status = call(&l);
        if (fflush(stdout) != 0 && status == MST_OK)
            status = mst_fail(MST_IO, "%s: %s", part, strerror(errno));
    }
    if (screen >= 0) {
        (void)dup2(screen, STDOUT_FILENO);
        close(screen);
    }
    if (file >= 0)
        close(file);
    if (status == MST_OK && rename(part, path) != 0)
        status = mst_fail(MST_IO, "%s: %s", path, strerror(errno));
    if (status != MST_OK && part != NULL)
        unlink(part);
    free(part);
    free_words(&l);
    return status;
}

/* ---- Steps ---- */

static mst_status do_step(const figure_run *run, const figure_step *step, bool *done)
{
    char *path, word[200];
    *done = false;
    snprintf(word, sizeof word, "results:%s", step->makes);
    mst_status status = figure_path(run, word, &path);
    if (status != MST_OK)
        return status;
    if (access(path, F_OK) != 0) {
        status = step->make != NULL ? step->make(run, path) : call_to_file(run, step->line, path);
        *done = status == MST_OK;
    }
    free(path);
    return status;
}

static mst_status draw(const figure_run *run, const figure *f, figure_result *r)
{
    line_words l;
    mst_status status = split_line(run, f->plot, &l);
    if (status == MST_OK && asprintf(&r->file, "%s/%s.%s", run->out, f->name, run->ending) < 0)
        status = mst_fail(MST_MEMORY, "not enough memory");
    const char *const more[] = {
        "--force", "-o",           r->file,         "--title",
        f->title,  "--resolution", run->resolution, f->note != NULL ? "--note" : NULL,
        f->note};
    for (size_t i = 0; i < sizeof more / sizeof *more && status == MST_OK; i++)
        if (more[i] != NULL)
            status = add_word(run, &l, more[i]);
    if (status == MST_OK)
        status = call(&l);
    free_words(&l);
    return status;
}

/* Is there all that the figure is made of? */
static bool has_data(const figure_run *run, const figure *f, figure_result *r)
{
    for (size_t k = 0; k < FIGURE_NEEDS && f->needs[k] != NULL; k++) {
        char word[200], *path;
        snprintf(word, sizeof word, "data:%s", f->needs[k]);
        if (run->data == NULL) {
            snprintf(r->note, sizeof r->note, "left out: pass --data DIR, which has %s",
                     f->needs[k]);
            return false;
        }
        if (figure_path(run, word, &path) != MST_OK)
            return false;
        bool there = access(path, R_OK) == 0;
        free(path);
        if (!there) {
            snprintf(r->note, sizeof r->note, "left out: --data has no %s", f->needs[k]);
            return false;
        }
    }
    return true;
}

mst_status figure_make(const figure_run *run, const figure *f, figure_result *r)
{
    double begin = mst_clock_processor_seconds();
    *r = (figure_result){.figure = f};
    while (r->steps < FIGURE_STEPS && f->steps[r->steps].makes != NULL)
        r->steps++;
    if (!has_data(run, f, r))
        return MST_OK;
    mst_status status = make_folder(run, run->out);
    if (status == MST_OK)
        status = make_folder(run, "results:");
    if (status == MST_OK)
        status = make_folder(run, "models:");
    for (size_t k = 0; k < r->steps && status == MST_OK; k++) {
        bool done;
        progress_line(run->progress, "%s, step %zu of %zu: %s", f->name, k + 1, r->steps + 1,
                      f->steps[k].makes);
        status = do_step(run, &f->steps[k], &done);
        r->done += done;
        if (status != MST_OK && !interrupted())
            status = mst_fail(status, "%s, %s: %s", f->name, f->steps[k].makes, mst_error_detail());
    }
    if (status == MST_OK)
        status = draw(run, f, r);
    r->seconds = mst_clock_processor_seconds() - begin;
    return status;
}
