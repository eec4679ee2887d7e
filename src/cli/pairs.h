/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Commands on rows of two parts, the base point first: from one file with both in a row, or from two files,
 * either of which may hold a single row that serves for all rows of the other. A number may follow the two
 * parts; then they stand in one file. */
#ifndef MST_CLI_PAIRS_H
#define MST_CLI_PAIRS_H

#include "model.h"
#include "result.h"
#include "row_status.h"
#include "util/json.h"

#include <manistat/geodesic.h>

#define PAIR_USAGE "--manifold SPEC [options] [FILE [FILE]]"
#define PAIR_OPERANDS 2
#define PAIR_FILES                                                                                \
    "With two FILEs the first holds the points x and the second the other half of each row; a "   \
    "file with a single row goes with every row of the other. Without a FILE, or with '-', rows " \
    "come from standard input."
#define PAIR_SEARCH                                                                              \
    "On manifolds from formulas geodesics are searched for, and --status adds what is known of " \
    "each: 'minimal' (no other can be shorter), 'minimal among its starts', 'locally minimal', " \
    "or why there is none: 'saddle', 'not converged', 'no path' (different components), 'left "  \
    "the domain'. Such rows are nan, a warning tells their number, and the exit status is 1; "   \
    "with --force they have the best value that was found, and it is 0.\n\n"
#define PAIR_LIMIT                                                                               \
    "With --score FILE the network answers: Log_x(y) is t times its score at its least time t, " \
    "and the squared distance is 2 t^2 d/dt log p + d t, or the squared length of that Log "     \
    "where this is not positive. Both become exact as t -> 0, and are as good as the network, "  \
    "which has learned from points "                                                             \
    "that are a few times sqrt(t) apart.\n\n"
/* For so3, by exp and log. */
extern const option option_rotation_vectors;
#define PAIR_OPTIONS                                                                         \
    &option_score_limit, POINT_OPTIONS, SHRINK_OPTIONS, OUTPUT_OPTIONS, &option_seed_unused, \
        &option_threads_unused

typedef enum pair_coordinates { PAIR_NUMBERS, PAIR_POINTS, PAIR_VECTORS } pair_coordinates;

typedef struct pair_job pair_job;

typedef struct pair_operation {
    char second;                  /* what stands after the point: 'p' a point, 'v' a vector */
    bool number;                  /* does a number end the row? */
    const char *lead;             /* as in result_layout */
    const char *prefix;           /* name of the coordinates */
    pair_coordinates coordinates; /* which are points, vectors, or none */
    const char *json_tail;        /* as in result_layout */
    bool header;
    bool
        valid; /* rows have validity numbers and a status if the source judges itself, and only then */
    /* does the command take --status? then rows fill job->status before they are sent */
    bool status;
    /* Can this manifold, or this model, do it? Asked before anything is read; may open the
     * source; null: yes. */
    mst_status (*check)(model *o);
    /* Turns job->x and job->y, n rows of them, into result rows. */
    mst_status (*rows)(pair_job *job, size_t n);
    /* More members of the JSON object, or null. */
    void (*members)(const pair_job *job, mst_json *json);
} pair_operation;

struct pair_job {
    invocation *inv;
    const pair_operation *operation;
    model model; /* of --score */
    const mst_manifold *m;
    mst_points_options options;
    result *result;
    size_t chunk, ambient, width, cols; /* rows at a time; columns of a point, coded, of a row */
    uint64_t before;                    /* rows in earlier chunks */
    double *x, *y, *v;                  /* (chunk, ambient) */
    double *numbers;                    /* (chunk), the last column, if there is one */
    double *coded;                      /* (chunk, width) */
    bool rotation_vectors;              /* vectors stand in files as three numbers */
    double *rows;                       /* (chunk, cols) */
    unsigned char *flags;               /* (chunk) */
    const char **status;                /* (chunk), words; null if the operation has none */
    mst_geodesic_status *ends;          /* (chunk), the same as numbers; of geodesics */
    row_tally tally;                    /* of rows without an answer */
    uint64_t cut_count, cut_first;      /* rows at the cut locus, number of the first */
    double *validity;                   /* (chunk), what the source says of its errors, or null */
};

MST_MUST_USE mst_status run_pairs(invocation *inv, const pair_operation *operation);

/* job->v = Log_x(y), and keeps account of the flags; by the network if there is a model. */
MST_MUST_USE mst_status pair_log(pair_job *job, size_t n);
/* job->rows: distances, in the first of its columns; and statuses. */
MST_MUST_USE mst_status pair_dist(pair_job *job, size_t n);
/* The status of rows that a network has answered. */
extern const char pair_beyond_numbers[];
/* Rows of values (n, cols) that hold an infinity, or numbers and nan, have no answer: they become nan and are
 * counted. For operations with a status. */
void pair_decline_overflow(pair_job *job, size_t n, size_t cols, double *values);
extern const char pair_by_network[];
/* Does the model know such pairs? */
MST_MUST_USE mst_status pair_judge(pair_job *job, size_t n);
/* The network's Log, and squared distances (n) or null. */
MST_MUST_USE mst_status pair_network_log(pair_job *job, size_t n, double *square);
/* Sends `n` rows, whose coordinates are given in ambient form and whose other columns stand in job->rows. */
MST_MUST_USE mst_status pair_send(pair_job *job, size_t n, const double *coordinates,
                                  size_t first_column);

#endif
