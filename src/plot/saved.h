/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results that commands have saved as JSON, read into pictures: what the readers of single commands share. A
 * new command is a function and a line in the table of saved.c. */
#ifndef MST_PLOT_SAVED_H
#define MST_PLOT_SAVED_H

#include "util/json.h"

#include <manistat/plot.h>

typedef struct stored_block stored_block;

struct mst_saved {
    mst_picture picture;
    mst_points_options forms;
    size_t rows;
    const char *name;    /* of the file, in messages */
    const char *space;   /* what titles call the manifold */
    const char *version; /* that it was written by; null: it does not say */
    mst_manifold *owned; /* the manifold, unless it is borrowed */
    mst_score *source;
    stored_block *blocks; /* everything that is allocated */
};

/* Memory that lives as long as the result. */
MST_MUST_USE mst_status stored_allocate(mst_saved *s, void **out, size_t count, size_t size);
#define stored_new(s, out, count) stored_allocate((s), (void **)(out), (count), sizeof **(out))
/* A text of it. */
MST_MUST_USE mst_status stored_text(mst_saved *s, const char **out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Members. `where` is an object of the result. Failures say which key is missing, or
 * what it should be. ---- */
MST_MUST_USE mst_status stored_need(const mst_saved *s, const mst_json_value *where,
                                    const char *key, mst_json_kind kind,
                                    const mst_json_value **out);
/* NAN if it is null or missing. */
double stored_number(const mst_json_value *where, const char *key);
/* Null if it is missing or none. */
const char *stored_string(const mst_json_value *where, const char *key);
/* A point in the forms of the result, to x (D). */
MST_MUST_USE mst_status stored_point(const mst_saved *s, const mst_json_value *v, const char *key,
                                     double *x);
/* An array of points, *x (*count, D). */
MST_MUST_USE mst_status stored_points(mst_saved *s, const mst_json_value *where, const char *key,
                                      const double **x, size_t *count);
/* An array of numbers, null being NAN; rows of a matrix one after the other. */
MST_MUST_USE mst_status stored_numbers(mst_saved *s, const mst_json_value *where, const char *key,
                                       const double **x, size_t *count);
/* One label for each row. */
MST_MUST_USE mst_status stored_labels(mst_saved *s, const mst_json_value *where, const char *key,
                                      size_t below, const size_t **labels, size_t *count);

/* What lengths are written in is this many of the manifold's. */
double stored_length_unit(const mst_json_value *where);

/* " rad²" where lengths are angles, else "". */
const char *stored_squared_unit(const mst_manifold *m);

/* Opens the source that the result names, for densities; no source is no failure. */
void stored_open_source(mst_saved *s, const mst_json_value *top);

/* ---- Commands ---- */
typedef mst_status stored_reader(mst_saved *s, const mst_json_value *top);
stored_reader stored_read_mean, stored_read_kmeans, stored_read_mixture, stored_read_test;
stored_reader stored_read_regress, stored_read_train, stored_read_check, stored_read_sample;
stored_reader stored_read_reproduce;

#endif
