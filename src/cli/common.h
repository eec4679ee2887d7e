/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the commands share: the common options, opening the manifold, progress and interruption. */
#ifndef MST_CLI_COMMON_H
#define MST_CLI_COMMON_H

#include "options.h"

/* ---- Options that several commands take ---- */
extern const option option_manifold, option_space, option_seed, option_threads, option_json,
    option_output, option_force, option_quiet, option_help, option_version, option_status;
extern const option option_degrees, option_latlon, option_quaternion, option_triangle,
    option_project, option_missing_negative, option_shrink, option_shrink_samples;
/* Accepted and without effect, so that a script can pass the same common options to every command. */
extern const option option_seed_unused, option_threads_unused;

#define POINT_OPTIONS                                                                       \
    &option_project, &option_degrees, &option_latlon, &option_quaternion, &option_triangle, \
        &option_missing_negative
#define SHRINK_OPTIONS &option_shrink, &option_shrink_samples
#define OUTPUT_OPTIONS \
    &option_json, &option_output, &option_force, &option_quiet, &option_help, &option_version

/* ---- Small things ---- */
/* rows·cols doubles, to be freed with free(). */
MST_MUST_USE mst_status new_doubles(double **out, size_t rows, size_t cols);
/* Rows of `cols` doubles that make a buffer of a few dozen megabytes, 1 … 65536. */
size_t chunk_rows(size_t cols);
/* What was said on standard error, or would have been but for --quiet, and the JSON that waits for it. */
struct messages {
    char **text;
    size_t count, capacity;
    struct mst_output *sink;
    struct mst_json *json;
};
/* One line on standard error, unless --quiet, and in JSON. */
void warn(const invocation *inv, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `text` on one line of standard error after "manistat COMMAND: "; control characters become blanks, and
 * members of options that the library names become the options of the command: `t_max` is --t-max. */
void print_message(const invocation *inv, const char *text);

/* ---- The manifold and its points ---- */
/* As mst_manifold_parse, with a suggestion for a mistyped family. */
MST_MUST_USE mst_status parse_manifold(mst_manifold **m, const char *spec);
/* The value of --manifold, required or not; null without it. */
const char *manifold_text(const invocation *inv);
/* Puts another spec, borrowed, in its place. */
MST_MUST_USE mst_status set_manifold_text(invocation *inv, const char *spec);
/* "--manifold sphere:2" or, where a model tells the manifold, its "--score FILE"; for messages. */
#define SPACE_WORDS 128
const char *space_words(const invocation *inv, char words[SPACE_WORDS]);
/* The manifold of --manifold. */
MST_MUST_USE mst_status open_manifold(const invocation *inv, mst_manifold **m);
mst_points_options points_options(const invocation *inv);
/* The coordinates of one of the landmarks that rows of the manifold are; 0: they are none. */
size_t landmark_dim(const mst_manifold *m);
/* One line each on standard error: rows that --project has moved, and angles that look as if they had another
 * unit. */
void tell_points(const invocation *inv, const mst_manifold *m, const char *path,
                 const mst_points_report *r);
/* The file at operand number `index`, standard input if there are no operands at all; an error rather than
 * a silent wait if that is a terminal. */
MST_MUST_USE mst_status input_path(const invocation *inv, size_t index, const char **path);
/* The name of a file in messages. */
const char *shown_path(const char *path);
/* The points of an option such as --start: numbers joined by commas, or the rows of a file; *x (n, D) is
 * freed with free(), also after a failure. */
MST_MUST_USE mst_status read_point_option(const invocation *inv, const option *o,
                                          const mst_manifold *m, double **x, size_t *n);
/* The same of a text that is a value of the option, which may have several. */
MST_MUST_USE mst_status read_points_text(const invocation *inv, const option *o, const char *text,
                                         const mst_manifold *m, double **x, size_t *n);
/* The numbers of "1, -2,3e-4", at most strlen(text)/2 + 1 of them; 0 if it is something else. */
size_t parse_numbers(const char *text, double *numbers);
/* Copies n rows of `width` numbers into the columns from `first` on of rows with `cols` columns. */
void place_columns(size_t n, size_t width, const double *from, size_t cols, size_t first,
                   double *rows);

/* ---- Progress and interruption ---- */
/* SIGINT and SIGTERM set a flag that stops the work at the next report; the process ends with status 130 if
 * none comes within two seconds, and at once on a second signal. SIGPIPE becomes a writing error. */
void catch_signals(void);
bool interrupted(void);
/* From now on a signal waits for the next report however long it takes; a second one does not. */
void allow_slow_stop(void);

typedef struct progress {
    const invocation *inv;
    const char *unit; /* "paths" */
    double base;      /* work done in earlier pieces */
    double piece;     /* work in the present one */
    double total;     /* 0: unknown */
    double last;      /* when the line was drawn */
    bool visible, drawn;
} progress;

progress progress_start(const invocation *inv, const char *unit, double total);
/* To be passed to the library for a piece of the work of this size in our units. */
mst_progress progress_callback(progress *p, double piece);
/* `amount` of work is done. MST_INTERRUPTED after a signal. */
MST_MUST_USE mst_status progress_advance(progress *p, double amount);
/* A line of the command's own, at its own pace. */
void progress_line(progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "3:07" or "1:02:45". */
#define DURATION_TEXT 32
const char *duration_text(double seconds, char text[DURATION_TEXT]);
/* Removes the line. */
void progress_end(progress *p);

#endif
