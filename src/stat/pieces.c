/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/pieces.h"

#include "heat/model.h"

#include <manistat/heat.h>
#include <math.h>

/* The pieces of a factor: a flat torus falls into its circles. */
static size_t pieces_of(const mst_manifold *factor)
{
    return mst_manifold_traits_of(factor)->angles ? mst_manifold_dim(factor) : 1;
}

static stat_piece whole_factor(const mst_manifold *factor)
{
    const mst_manifold_traits *traits = mst_manifold_traits_of(factor);
    heat_model model = heat_model_of(factor);
    stat_piece p = {.kind = PIECE_UNKNOWN,
                    .dim = mst_manifold_dim(factor),
                    .ambient = mst_manifold_ambient(factor),
                    .scale = model.scale};
    if (model.kind == HEAT_SPHERE) {
        p.kind = PIECE_ROUND;
        p.features = traits->unit_rows ? p.dim + 1 : 0;
    } else if (model.kind == HEAT_ROTATIONS) {
        p.kind = PIECE_ROTATIONS;
        p.features = traits->rows == MST_ROWS_ROTATIONS ? 9 : 0;
    } else if (traits->compact == MST_NO && mst_heat_has_exact(factor)) {
        p.kind = PIECE_OPEN;
        p.scale = 1;
    }
    return p;
}

mst_status stat_pieces_new(stat_pieces *out, const mst_manifold *m)
{
    size_t factors = mst_manifold_factor_count(m), count = 0, first = 0, column = 0;
    for (size_t i = 0; i < factors; i++)
        count += pieces_of(mst_manifold_factor(m, i));
    *out = (stat_pieces){.compact = true};
    MST_TRY(mst_allocate(&out->piece, count));
    for (size_t i = 0; i < factors; i++) {
        const mst_manifold *factor = mst_manifold_factor(m, i);
        bool angles = mst_manifold_traits_of(factor)->angles;
        for (size_t k = 0; k < pieces_of(factor); k++) {
            stat_piece p = angles ? (stat_piece){.kind = PIECE_ROUND,
                                                 .dim = 1,
                                                 .ambient = 1,
                                                 .scale = 1,
                                                 .angle = true,
                                                 .features = 2}
                                  : whole_factor(factor);
            p.first = first;
            p.column = column;
            first += p.dim;
            column += p.ambient;
            out->features += p.features;
            out->compact = out->compact && p.features > 0;
            out->piece[out->count++] = p;
        }
    }
    return MST_OK;
}

void stat_pieces_free(stat_pieces *pieces)
{
    mst_release(pieces->piece);
    *pieces = (stat_pieces){0};
}

void stat_features(const stat_piece *piece, const double *row, double *out)
{
    const double *x = row + piece->column;
    if (piece->angle) {
        out[0] = cos(x[0]);
        out[1] = sin(x[0]);
        return;
    }
    double factor = piece->kind == PIECE_ROTATIONS ? sqrt(1.0 / 3) : 1;
    for (size_t k = 0; k < piece->features; k++)
        out[k] = factor * x[k];
}

double stat_decay(const stat_piece *piece)
{
    double square = piece->scale * piece->scale;
    return piece->kind == PIECE_ROUND       ? (double)piece->dim * square
           : piece->kind == PIECE_ROTATIONS ? 2 * square
                                            : 0;
}

double stat_log_volume(const stat_piece *piece)
{
    double m = (double)piece->dim, log_pi = log(M_PI);
    double unit = piece->kind == PIECE_ROTATIONS
                      ? log(8) + 2 * log_pi
                      : log(2) + (m + 1) / 2 * log_pi - lgamma((m + 1) / 2);
    return unit - m * log(piece->scale);
}
