/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The paper's tables again: rows are data sets, columns are numbers that are measured or were published. Both
 * are tables; nothing is computed for one row alone. */
#ifndef MST_CLI_REPRODUCE_H
#define MST_CLI_REPRODUCE_H

#include "common.h"

#include <stdio.h>

typedef enum paper_table { TABLE_1, TABLE_2, TABLE_TIMING } paper_table;
extern const char *const paper_tables[]; /* "table1", … in the order above */

/* Where the Brownian motion of a data set starts. */
typedef enum paper_start {
    START_OWN,  /* at the default start of the manifold */
    START_ONES, /* all coordinates are 1 */
    START_LINE, /* landmarks from (−5, 0) to (5, 0) */
} paper_start;

typedef struct paper_row {
    paper_table table;
    const char *name;     /* "S2", for --rows and the names of models */
    const char *manifold; /* on which means are estimated */
    const char *drawn;    /* on which Brownian motion was simulated; null: the same */
    const char *file;     /* of the published data, looked for in --data; null: not published */
    size_t rows;          /* so many of the first rows are taken; 0: all */
    paper_start start;
    double t_min, t_max; /* of ours; 0: the defaults of training */
    size_t batch;        /* of ours, the same */
    double effort;       /* how many times --minutes or --steps it is trained; 0: once */
    /* > 0: a Fréchet mean by a network for this one time; else diffusion means */
    double limit_time;
    /* What the paper says, 0: not known to us. Errors of mean and time, and the distance of its Fréchet
     * baseline from the start. */
    double paper_mean, paper_time, paper_frechet;
} paper_row;

/* The rows of all tables, and their number. */
extern const paper_row paper_rows[];
extern const size_t paper_row_count;

/* What is known of a row in the end, numbers by their columns: identifier, heading, the tables and the part
 * of the page that show it (0: first, 1: second, 2: files only), digits. */
#define IN_TABLES (1 << TABLE_1 | 1 << TABLE_2)
#define IN_ALL (IN_TABLES | 1 << TABLE_TIMING)
#define IN_TIMING (1 << TABLE_TIMING)
#define PAPER_COLUMNS(X)                                 \
    X(dim, "dim", IN_ALL, 0, 3)                          \
    X(n, "points", IN_TABLES, 0, 6)                      \
    X(paper_mean, "paper:mean", IN_TABLES, 0, 3)         \
    X(paper_time, "t", IN_TABLES, 0, 3)                  \
    X(network_mean, "network:mean", IN_ALL, 0, 2)        \
    X(network_time, "t", IN_ALL, 0, 2)                   \
    X(bridge_mean, "bridge:mean", IN_ALL, 0, 2)          \
    X(bridge_time, "t", IN_ALL, 0, 2)                    \
    X(standard_error, "s.e.:mean", IN_TABLES, 0, 2)      \
    X(time_standard_error, "t", IN_TABLES, 0, 2)         \
    X(time, "exact:t", IN_TABLES, 1, 6)                  \
    X(exact_from_start, "mean-x0", IN_TABLES, 1, 3)      \
    X(exact_time_from_start, "t-T", IN_TABLES, 1, 3)     \
    X(training_seconds, "training:s", IN_ALL, 2, 3)      \
    X(exact_iterations, "exact:steps", IN_ALL, 1, 5)     \
    X(exact_seconds, "s", IN_ALL, 1, 2)                  \
    X(network_iterations, "network:steps", IN_ALL, 1, 5) \
    X(network_seconds, "s", IN_ALL, 1, 2)                \
    X(network_five_seconds, "five:s", IN_ALL, 1, 2)      \
    X(bridge_iterations, "bridge:steps", IN_ALL, 1, 5)   \
    X(bridge_seconds, "s", IN_ALL, 1, 2)                 \
    X(bridge_five_seconds, "five:s", IN_ALL, 1, 2)       \
    X(times_faster, "bridge/net", IN_ALL, 1, 3)          \
    X(paper_frechet, "Frechet:paper", IN_TABLES, 1, 3)   \
    X(frechet_published, "100 steps", IN_TABLES, 1, 3)   \
    X(frechet_converged, "converged", IN_TABLES, 1, 3)

typedef enum paper_column {
#define COLUMN_ID(id, heading, tables, part, digits) COLUMN_##id,
    PAPER_COLUMNS(COLUMN_ID)
#undef COLUMN_ID
        COLUMN_COUNT
} paper_column;

enum { PAPER_NOTE = 200 };
typedef struct paper_result {
    const paper_row *row;
    const char *data;      /* "published" or "simulated" */
    const char *reference; /* the source that errors are measured from: "exact", "expansion" */
    double value[COLUMN_COUNT];
    char note[PAPER_NOTE]; /* what was left out, or "" */
} paper_result;

typedef struct paper_options {
    invocation *inv;
    const char *data, *models; /* directories or null */
    bool preset;               /* the published networks instead of ours */
    double minutes;            /* of training, for each network */
    uint64_t steps;            /* the same in steps; 0: by the clock */
    size_t paths;              /* bridges of a pair; 0: none */
    double patience;           /* minutes: bridges that would take longer are left out */
    uint64_t seed;
    int threads;
    progress *progress;
} paper_options;

/* Everything about one row; *r is filled as far as it goes. */
MST_MUST_USE mst_status paper_measure(const paper_options *o, const paper_row *row,
                                      paper_result *r);
/* The network of a row, read from --models, or trained and written there. Free *net. */
MST_MUST_USE mst_status paper_network(const paper_options *o, const paper_row *row,
                                      const mst_manifold *m, size_t n, const double *x,
                                      mst_network **net);

/* The results as they are asked for: a page, CSV, LaTeX; or members of a JSON object. */
typedef enum paper_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_LATEX } paper_format;
MST_MUST_USE mst_status paper_print(FILE *out, paper_format format, paper_table which, size_t count,
                                    const paper_result *results);
struct mst_json;
void paper_json(struct mst_json *j, paper_table which, size_t count, const paper_result *results);

#endif
