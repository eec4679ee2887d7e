/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What kmeans and mixture share: results that were saved, labels for programs and a summary for people. */
#ifndef MST_CLI_CLUSTERS_H
#define MST_CLI_CLUSTERS_H

#include "estimate.h"
#include "util/text_stream.h"

extern const option option_labels, option_assign;

/* ---- A saved result ---- */
typedef struct saved_clusters {
    size_t k;
    double *centres;         /* (k, D) */
    double *weights, *times; /* (k), of mixtures; else null */
} saved_clusters;
/* That of --assign, which the same command has written with --json for the same manifold. Release it in
 * either case. */
MST_MUST_USE mst_status saved_read(const estimation *e, bool mixture, saved_clusters *s);
void saved_free(saved_clusters *s);

/* ---- Where the result goes ---- */
/* Labels go to the file of -o, to a pipe, and with --labels everywhere; a summary goes to a terminal, and to
 * standard output if labels go to a file. JSON has both. */
typedef struct cluster_output {
    invocation *inv;
    result *labels; /* or JSON; null: none */
    FILE *text;     /* for the summary, that of `stream`; null: none */
    mst_text_stream *stream;
} cluster_output;
MST_MUST_USE mst_status cluster_output_open(cluster_output *o, invocation *inv);
/* Writes the labels; then the command adds to the JSON that was returned, null without, and finishes. */
MST_MUST_USE mst_status cluster_output_labels(cluster_output *o, const char *manifold, size_t n,
                                              const size_t *labels, mst_json **json);
MST_MUST_USE mst_status cluster_output_finish(cluster_output *o);
void cluster_output_close(cluster_output *o);

/* ---- The summary ---- */
typedef struct cluster_table {
    size_t k;
    const double *centres; /* (k, D) */
    const size_t *sizes;   /* (k) */
    const double *weights; /* (k), or null */
    const double *times;   /* (k), or null */
    const double *spreads; /* (k) */
    const char *name;      /* "cluster" */
} cluster_table;
MST_MUST_USE mst_status print_clusters(const estimation *e, FILE *out, const cluster_table *c);

/* Root mean squared distances of points x (n, D) from their centre: spreads (k), NAN for nothing and where
 * the manifold has no distances. Points belong to `labels` or, if these are null, to all centres by shares
 * (n, k); weights (n) may be null. */
MST_MUST_USE mst_status cluster_spreads(const estimation *e, size_t n, const double *x,
                                        const double *weights, size_t k, const double *centres,
                                        const size_t *labels, const double *shares,
                                        double *spreads);
/* "spreads", and "units" if they are degrees. */
MST_MUST_USE mst_status json_spreads(const estimation *e, mst_json *j, size_t k,
                                     const double *spreads);

/* What of the rows x (n, ambient) does the source not know, each compared with the centre
 * of its label? */
MST_MUST_USE mst_status judge_clusters(estimation *e, size_t n, const double *x,
                                       const size_t *labels, size_t k, const double *centres,
                                       const double *times);

#endif
