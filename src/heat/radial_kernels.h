/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Between the plain files, which sort rows by region, and the hot ones, which evaluate full lanes. */
#ifndef MST_HEAT_RADIAL_KERNELS_H
#define MST_HEAT_RADIAL_KERNELS_H

#include "base/isa.h"
#include "heat/radial.h"
#include "heat/radial_table.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows evaluated together. 16 are slower by a third for large m, 64 not faster, and fewer lanes mean less
 * waste on short batches. */
enum { RADIAL_LANES = 32 };

typedef struct radial_lanes {
    _Alignas(64) double r[RADIAL_LANES];
    double eps[RADIAL_LANES], t[RADIAL_LANES];
    double logp[RADIAL_LANES], dr[RADIAL_LANES], dr_over_sin[RADIAL_LANES], dt[RADIAL_LANES];
    double drr[RADIAL_LANES];
} radial_lanes;

/* What depends on the dimension alone. */
typedef struct radial_space {
    size_t m;
    double log_gamma;  /* log Γ((m−1)/2), for the contours */
    double log_volume; /* of the compact space, for the series */
} radial_space;

/* Evaluate all lanes. drr is right if `second`, and may be so otherwise. */
typedef void radial_kernel(const radial_space *space, bool second, radial_lanes *lanes);

struct radial_sphere_kernels {
    radial_kernel *contour; /* Sᵐ, m ≥ 2 */
};
struct radial_series_kernels {
    radial_kernel *sphere, *so3;
};
struct radial_image_kernels {
    radial_kernel *circle, *so3;
};
struct radial_hyperbolic_kernels {
    radial_kernel *contour; /* Hᵐ, m ≥ 2 */
};
MST_DECLARE_HOT(struct radial_sphere_kernels, radial_sphere_kernels);
MST_DECLARE_HOT(struct radial_series_kernels, radial_series_kernels);
MST_DECLARE_HOT(struct radial_image_kernels, radial_image_kernels);
MST_DECLARE_HOT(struct radial_hyperbolic_kernels, radial_hyperbolic_kernels);

/* ---- Tables of one variable, see radial_table.h ---- */

/* log p, g, ∂_t log p, mixed, ∂_t g, ∂²_t log p, across; one to spare. The score is −g c and the Hessian
 * across·I + mixed·c cᵀ, with c the vector of length sin_κ(r) from y to x, in the frame at y. */
enum { RADIAL_LOG_P, RADIAL_G, RADIAL_DT, RADIAL_MIXED, RADIAL_G_DT, RADIAL_DTT, RADIAL_ACROSS };
enum { RADIAL_VALUES = 8, RADIAL_TERMS = 9 };
/* The bits of a double above these are its exponent and the eighth of the octave. */
enum { RADIAL_OCTAVE_SHIFT = 49 };

typedef struct radial_table {
    double low,
        per_unit; /* up to z = low there are uniform pieces, so many per unit; then octaves of z */
    double top;   /* and where w = top − z is below 1, octaves of w; 0: none */
    double last;  /* beyond this z no pieces */
    uint64_t first_z, first_w;   /* bits of the least z and w, shifted */
    size_t uniform, far, pieces; /* pieces of z begin at `uniform`, of w at `far` */
    /* (pieces): s = (z − centre)·steepness, or w for z, is in [−1, 1] on the piece */
    double *centre, *steepness;
    double *term; /* (pieces, RADIAL_TERMS, RADIAL_VALUES): coefficients of 1, s, s², … */
} radial_table;

/* Step of the central differences by log t, whose error is its square. */
#define RADIAL_TIME_STEP 1e-4
/* *good becomes false where there is no accurate one; release `centre`. */
struct heat_model;
MST_MUST_USE mst_status radial_table_new(radial_table *t, const struct heat_model *model,
                                         double time, bool *good);

/* How z and c follow from the columns of a row. */
typedef struct radial_place {
    enum { RADIAL_CHORD, RADIAL_BOOST, RADIAL_ANGLE } kind;
    size_t stride, column, ambient, dim;
    double half;   /* z = half |x − y|² of chords */
    double *y, *c; /* (ambient), (dim, ambient): c times x − y is the vector c */
} radial_place;

/* Rows in columns of RADIAL_ROWS, n of them, n a multiple of 8; those without a weight are 0. */
enum { RADIAL_ROWS = 256 };
typedef struct radial_factor_rows {
    size_t first, dim;
    double *z, *c, *values; /* one column, dim columns, RADIAL_VALUES columns */
} radial_factor_rows;
typedef struct radial_block {
    size_t n, d, factors;
    double t, *weights;
    radial_factor_rows *factor;
    double *room; /* (2 d + 4) columns */
} radial_block;

struct radial_table_kernels {
    /* z and c of n rows x */
    void (*place)(const radial_place *p, size_t n, const double *x, double *z, double *c);
    void (*look_up)(const radial_table *t, size_t n, const double *z, double *values);
    /* adds Σ w … of the block to what is wanted */
    void (*add)(const radial_block *b, const radial_sums *sums);
};
MST_DECLARE_HOT(struct radial_table_kernels, radial_table_kernels);

/* Row i goes to `early` if t[i] < t_switch and to `late` otherwise. */
typedef struct radial_regions {
    double t_switch;
    radial_kernel *early, *late;
} radial_regions;

void radial_run(const radial_space *space, radial_regions regions, size_t n, const double *r,
                const double *eps, const double *t, const mst_radial_out *out);

#endif
