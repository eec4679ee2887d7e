/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The eigenfunctions φ of the Laplacian of a closed surface, −Δφ = λφ, by Galerkin's method. They give the
 * heat kernel, p_t(x, y) = Σ e^(−λt/2) φ(x) φ(y), at all times that are long enough for
 * the modes that there are. */
#ifndef MST_SPECTRAL_MODES_H
#define MST_SPECTRAL_MODES_H

#include "spectral/surface.h"

/* Functions that have nothing to do with the others, and as many modes that are made of them. A surface of
 * revolution has many such blocks, one with mirror symmetries a few, any other a single one. */
typedef struct spectral_block {
    size_t first, size;
    const double *coefficient; /* (functions, modes) */
} spectral_block;

typedef struct spectral_modes {
    closed_surface *surface;
    double area;
    size_t count; /* of functions, and of modes */
    size_t blocks;
    spectral_block *block;
    size_t *order;  /* (count): the functions, block by block */
    double *lambda; /* (count): block by block, ascending in each; that of constants is 0 */
    double largest; /* of them */
    double *coefficient;
} spectral_modes;

/* From about so many functions on the surface. */
MST_MUST_USE mst_status spectral_modes_new(spectral_modes **out, const mst_manifold *m,
                                           size_t functions);
void spectral_modes_free(spectral_modes *s); /* null allowed */

/* Those that count at times from t on: how many of each block, keep (blocks), and their λ, (count) or fewer.
 * The result is how many they are in all. */
size_t spectral_modes_keep(const spectral_modes *s, double t, size_t *keep, double *lambda);
/* At one point x (D): the first `rows` of SURFACE_… of the modes that are kept, out (rows, kept). `work` has
 * spectral_modes_work numbers. */
size_t spectral_modes_work(const spectral_modes *s);
MST_MUST_USE mst_status spectral_modes_values(const spectral_modes *s, const double *x, size_t rows,
                                              const size_t *keep, size_t kept, double *work,
                                              double *out);

#endif
