/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A homogeneous space cut into the pieces that turn independently of each other: the factors of a product,
 * and of a flat torus each of its circles. What the uniform law and the integral over all means are is known
 * piece by piece. */
#ifndef MST_STAT_PIECES_H
#define MST_STAT_PIECES_H

#include "base/internal.h"

#include <manistat/manifold.h>

typedef struct stat_piece {
    enum {
        PIECE_ROUND,     /* a sphere, dimension 1 being a circle */
        PIECE_ROTATIONS, /* so3 */
        PIECE_OPEN,      /* not compact, and homogeneous as far as its heat kernel is known */
        PIECE_UNKNOWN,   /* anything else */
    } kind;
    size_t dim, first;      /* frame coordinates first … first + dim − 1 */
    size_t ambient, column; /* the same of the columns of a row */
    double scale;           /* lengths times this are those of the unit sphere, or of so3 */
    bool angle;             /* the column is an angle modulo 2π */
    size_t features;        /* of `stat_features`; 0: none are known */
} stat_piece;

typedef struct stat_pieces {
    size_t count;
    stat_piece *piece;
    size_t features; /* of all pieces */
    bool compact;    /* all of them are, and have features */
} stat_pieces;

MST_MUST_USE mst_status stat_pieces_new(stat_pieces *out, const mst_manifold *m);
void stat_pieces_free(stat_pieces *pieces);

/* Eigenfunctions of the Laplacian to its least eigenvalue > 0 on a piece, of a row of the whole manifold.
 * They make a vector of length 1, of mean 0 and covariance I/features under the uniform law: the unit vector,
 * cosine and sine of the angle, the matrix of the rotation over √3. */
void stat_features(const stat_piece *piece, const double *row, double *out);
/* The least eigenvalue λ > 0 of −Δ: the mean of the features decays like e^(−λt/2). 0: not compact. */
double stat_decay(const stat_piece *piece);
/* log of the volume of a compact piece. */
double stat_log_volume(const stat_piece *piece);

#endif
