/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What stands in a spec: NAME[:N[xN…]][?key=value[&key=value…]], the same with the path of a file for a name,
 * or product(SPEC,…). Blanks may stand between the parts. */
#ifndef MST_MANIFOLD_SPEC_H
#define MST_MANIFOLD_SPEC_H

#include "base/internal.h"

#include <manistat/manifold.h>

enum { SPEC_ORDERS = 4, SPEC_OPTIONS = 8 };

/* What a constructor gets: as many orders as its pattern has, and the values of its options. */
typedef struct mst_spec_arguments {
    size_t order[SPEC_ORDERS];
    const char *value[SPEC_OPTIONS]; /* by the places of their keys in the list; null: not given */
    const char *path;                /* of a file, else null */
    /* Of files whose options are their own: all of them, as they were given. */
    size_t given;
    const char *keys[SPEC_OPTIONS], *values[SPEC_OPTIONS];
    void *user; /* of the kind of files */
} mst_spec_arguments;

typedef mst_status mst_spec_constructor(mst_manifold **out, const mst_spec_arguments *a);

#define SPEC_ANY "*"

/* Files that describe manifolds, told by the ending of their names. */
typedef struct mst_manifold_file_kind {
    const char *ending; /* "manifold" */
    const char
        *options; /* their keys, "sigma&alpha", null: none, or SPEC_ANY: those that the file has */
    mst_spec_constructor *make;
    void *user; /* for `make` */
} mst_manifold_file_kind;

/* mst_manifold_parse with other kinds of files. */
MST_MUST_USE mst_status mst_manifold_parse_with(mst_manifold **out, const char *spec, size_t count,
                                                const mst_manifold_file_kind *kinds);

/* formula_file.c */
mst_spec_constructor mst_formula_from_spec;
/* learned/file.c: value[0] is the weight of the variance. And the same from the text of a file. */
#define LEARNED_OPTIONS "uncertainty"
mst_spec_constructor mst_learned_from_spec;
MST_MUST_USE mst_status mst_learned_from_text(mst_manifold **out, const mst_spec_arguments *a,
                                              const char *text);
/* spd.c: `order` is n, value[0] the metric. */
mst_spec_constructor mst_spd_from_spec;
/* landmarks.c: `order` N and D, value[0 … 3] sigma, alpha, nugget and kernel. */
mst_spec_constructor mst_landmarks_from_spec;

#endif
