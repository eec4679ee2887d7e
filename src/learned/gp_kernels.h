/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Lagrangian of a Gaussian process and its derivatives, one point at a time. With r(x) the kernel of unit
 * variance at the N latent points z, e = (x − z)/ℓ², s = 1/ℓ²,
 *
 *     r_a = −e_a r,   r_ab = (e_a e_b − δ_ab s) r,
 *     r_abc = (−e_a e_b e_c + s(δ_ab e_c + δ_ac e_b + δ_bc e_a)) r,
 *
 * and g_ab = c δ_ab + r_aᵀ B r_b. Along a vector v only r_v = Σ v_a r_a is needed, and few products with B;
 * in all directions B r_a, and B r_ab for second derivatives. */
#ifndef MST_LEARNED_GP_KERNELS_H
#define MST_LEARNED_GP_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

/* Lists of points are filled up to a multiple of this with zeros. */
enum { GP_LANES = 8 };

typedef struct gp_field {
    size_t n, d;
    size_t stride;   /* n, rounded up to GP_LANES, and so many more */
    double scale;    /* s = 1/ℓ² */
    double reach;    /* square of the distance from which on latent points are not seen */
    double far;      /* c */
    const double *z; /* (d, n) */
    const double *b; /* (n, n), symmetric */
} gp_field;

/* Derivatives in all directions are for so many latent coordinates at most. */
enum { GP_DIRECTIONS = 4 };

/* Columns that are multiplied with B, at most. */
static inline size_t gp_columns(const gp_field *f)
{
    size_t pairs = f->d <= GP_DIRECTIONS ? f->d * (f->d + 1) / 2 : 0;
    return f->d + (pairs > f->d ? pairs : f->d);
}
/* Doubles of room for a point, and numbers for runs of latent points. */
static inline size_t gp_room(const gp_field *f)
{
    return (f->d + 2 * gp_columns(f) + 8) * f->stride;
}
static inline size_t gp_runs(const gp_field *f)
{
    return 2 * (f->n / GP_LANES + 2);
}

/* Points and vectors (d); outputs as in mst_metric_ops. */
struct gp_kernels {
    void (*lagrangian)(const gp_field *f, const double *x, const double *v, double *l, double *l_x,
                       double *l_v, double *room, size_t *runs);
    void (*product)(const gp_field *f, const double *x, const double *v, const double *dx,
                    const double *dv, double *dl_x, double *dl_v, double *room, size_t *runs);
    void (*blocks)(const gp_field *f, const double *x, const double *v, double *l_vv, double *l_xv,
                   double *l_xx, double *room, size_t *runs);
    void (*derivatives)(const gp_field *f, const double *x, double *g, double *first,
                        double *second, double *room, size_t *runs);
};
MST_DECLARE_HOT(struct gp_kernels, gp_kernels);

#endif
