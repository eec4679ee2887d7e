/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels against other values of the same rows, for the programs test_radial*.c. */
#ifndef TEST_RADIAL_ROWS_H
#define TEST_RADIAL_ROWS_H

#include "base/isa.h"
#include "heat/radial.h"
#include "support/arb_oracle.h"
#include "support/support.h"

#include <stdlib.h>

typedef enum kind { EUCLIDEAN, SPHERE, HYPERBOLIC, SO3 } kind;
static const char *const kind_names[] = {"euclidean", "sphere", "hyperbolic", "so3"};

typedef struct row {
    kind space;
    size_t m;
    double r, eps, t;
} row;

static inline row row_at(kind which, size_t m, double r, double t)
{
    return (row){which, m, r, mst_radial_eps(r), t};
}

/* At π − eps; eps = 0 is the cut locus. */
static inline row row_before_cut(kind which, size_t m, double eps, double t)
{
    return (row){which, m, M_PI - eps, eps, t};
}

static inline void evaluate_rows(kind which, size_t m, size_t n, const double *r, const double *eps,
                                 const double *t, const mst_radial_out *out)
{
    switch (which) {
    case EUCLIDEAN:
        mst_radial_euclidean(m, n, r, t, out);
        break;
    case SPHERE:
        mst_radial_sphere(m, n, r, eps, t, out);
        break;
    case HYPERBOLIC:
        mst_radial_hyperbolic(m, n, r, t, out);
        break;
    case SO3:
        mst_radial_so3(n, r, eps, t, out);
        break;
    }
}

static inline oracle_row evaluate(const row *x)
{
    oracle_row v = {0};
    mst_radial_out out = {&v.logp, &v.dr, &v.dr_over_sin, &v.dt, &v.drr};
    evaluate_rows(x->space, x->m, 1, &x->r, &x->eps, &x->t, &out);
    return v;
}

/* The eigenfunction series is the cheaper oracle for spheres, but not for small t. */
#define SERIES_ORACLE_FROM 0.02

static inline oracle_row oracle(const row *x)
{
    switch (x->space) {
    case SPHERE:
        return x->t > SERIES_ORACLE_FROM ? oracle_sphere_series(x->m, x->r, x->eps, x->t)
                                         : oracle_sphere(x->m, x->r, x->eps, x->t);
    case HYPERBOLIC:
        return oracle_hyperbolic(x->m, x->r, x->t);
    case SO3:
        return oracle_so3(x->r, x->eps, x->t);
    default:
        abort();
    }
}

/* Bars, relative to max(1, |log p|), max(|∂_r|, 1/√t), |∂_r/sin_k|, max(|∂_t|, 1/t), max(|∂²_r|, 1/t). */
typedef struct bars {
    double logp, dr, dr_over_sin, dt, drr;
} bars;

/* What radial.h promises is 1e-12, 1e-10 and 1e-10 for log p, ∂_r and ∂_t. These are about ten times the
 * largest errors seen over 1e5 rows, so that a lost digit shows. */
static const bars compact_bars = {3e-13, 3e-13, 1e-12, 3e-12, 3e-12};
static const bars hyperbolic_bars = {3e-13, 1e-11, 1e-11, 3e-12, 1e-8};

static inline void assert_row(const row *x, const oracle_row *got, const oracle_row *want,
                              const bars *b)
{
    const char *format = "%s of %s:%zu at r = %.17g, pi - r = %.17g, t = %.17g (%s)";
    const char *name = kind_names[x->space], *isa = mst_isa_name(mst_isa());
    double floor_r = 1 / sqrt(x->t), floor_t = 1 / x->t;
#define ASSERT_FIELD(field, size)                                                            \
    assert_near(got->field, want->field, b->field *(size), format, #field, name, x->m, x->r, \
                x->eps, x->t, isa)
    ASSERT_FIELD(logp, fmax(1, fabs(want->logp)));
    ASSERT_FIELD(dr, fmax(fabs(want->dr), floor_r));
    ASSERT_FIELD(dr_over_sin, fmax(fabs(want->dr_over_sin), 1e-290)); /* it may underflow */
    ASSERT_FIELD(dt, fmax(fabs(want->dt), floor_t));
    ASSERT_FIELD(drr, fmax(fabs(want->drr), floor_t));
#undef ASSERT_FIELD
}

/* All instruction sets of this processor against Arb. */
static inline void check_row(row x)
{
    oracle_row want = oracle(&x);
    for (int isa = 0; isa <= MST_ISA_V4; isa++) {
        mst_isa_choose(mst_isa_name((enum mst_isa)isa));
        oracle_row got = evaluate(&x);
        assert_row(&x, &got, &want, x.space == HYPERBOLIC ? &hyperbolic_bars : &compact_bars);
    }
    mst_isa_choose(NULL);
}

/* Distances of the compact spaces: both ends, close to them, and the places where the code changes. */
static const double near_start[] = {0, 1e-12, 1e-9, 1e-4, 0.1, 0.7, M_PI_2, 1.6};
static const double near_cut[] = {1.2, 0.5, 0.1, 0.01, 1e-4, 1e-6, 1e-9, 1e-12, 0};
enum {
    START_COUNT = sizeof near_start / sizeof *near_start,
    CUT_COUNT = sizeof near_cut / sizeof *near_cut,
    GRID = START_COUNT + CUT_COUNT,
};

static inline row grid_row(kind which, size_t m, size_t i, double t)
{
    return i < START_COUNT ? row_at(which, m, near_start[i], t)
                           : row_before_cut(which, m, near_cut[i - START_COUNT], t);
}

/* Somewhere: anywhere, where the mass is, or π − O(t), π − O(√t). */
static inline row random_row(dice *d, kind which, size_t m, double t)
{
    double typical = dice_uniform(d, 0, 2) * sqrt((double)m * t);
    double u = dice_uniform(d, 0, 1);
    if (which == HYPERBOLIC)
        return row_at(which, m, dice_below(d, 2) == 0 ? 20 * u * u : fmin(typical, 60), t);
    switch (dice_below(d, 4)) {
    case 0:
        return row_at(which, m, M_PI * u, t);
    case 1:
        return row_at(which, m, fmin(typical, 3), t);
    case 2:
        return row_before_cut(which, m, fmin(8 * u * t, 3), t);
    default:
        return row_before_cut(which, m, fmin(3 * u * sqrt(t), 3), t);
    }
}

#endif
