/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmark manifolds: curvature and the terms of the expansion against differences, the kernels against each
 * other, what is refused. The conformance suite does the rest. */
#include "manifold/landmarks_curvature.h"
#include "manifold/landmarks_terms.h"
#include "manifold/metric.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {
    "landmarks:3x2?sigma=1",
    "landmarks:3x2?sigma=1.3&alpha=0.7&nugget=0.05&kernel=matern32",
    "landmarks:2x3?sigma=0.9&kernel=matern52",
    "landmarks:2x3?sigma=1.5&nugget=0.1&kernel=laplace",
    "landmarks:10x2?sigma=1.2&nugget=0.01",
};
enum { SPECS = sizeof specs / sizeof *specs, MOST = 32 };

static mst_manifold *open_spec(const char *spec)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

/* A crowded point, and one not far from it. */
static void two_points(const mst_manifold *m, dice *die, double *y, double *x)
{
    const landmark_shape *s = &((const landmarks *)mst_manifold_data(m))->shape;
    for (size_t a = 0; a < s->count; a++)
        for (size_t c = 0; c < s->space; c++) {
            size_t i = a * s->space + c;
            y[i] = s->sigma * (c == 0   ? (double)(a % 4)
                               : c == 1 ? (double)(a / 4)
                                        : 0.3) +
                   0.15 * dice_normal(die);
            x[i] = y[i] + 0.25 * s->sigma * dice_normal(die);
        }
}

/* Scal is the trace of Ric, which goes another way, and its differential that of its differences. */
START_TEST(scalar_curvature)
{
    mst_manifold *m = open_spec(specs[_i]);
    const landmark_shape *s = &((const landmarks *)mst_manifold_data(m))->shape;
    size_t d = mst_manifold_dim(m);
    dice die = {901};
    double x[MOST], y[MOST], e[MOST * MOST], v[MOST], part, trace = 0;
    double q[3 * MOST], slope[3 * MOST], unused[3 * MOST];
    landmark_curvature c;
    two_points(m, &die, y, x);
    ASSERT_OK(mst_manifold_frame(m, 1, y, e));
    for (size_t k = 0; k < d; k++) {
        ASSERT_OK(mst_manifold_ricci(m, 1, y, e + k * d, v));
        ASSERT_OK(mst_manifold_inner(m, 1, y, v, e + k * d, &part));
        trace += part;
    }
    ASSERT_OK(landmark_curvature_new(&c, s));
    landmark_columns(s, y, q);
    double scalar = landmark_scalar(&c, q, slope), h = 1e-4;
    assert_near(scalar, trace, 1e-9 * (1 + fabs(trace)), "%s: Scal", specs[_i]);
    for (size_t k = 0; k < d; k++) {
        size_t at = k % s->space * s->wide + k / s->space;
        double kept = q[at], value[4];
        for (int j = 0; j < 4; j++) {
            q[at] = kept + (double[]){-2 * h, -h, h, 2 * h}[j];
            value[j] = landmark_scalar(&c, q, j == 0 ? unused : NULL);
        }
        q[at] = kept;
        double want = (8 * (value[2] - value[1]) - (value[3] - value[0])) / (12 * h);
        assert_near(slope[at], want, 1e-6 * (1 + fabs(scalar)), "%s: dScal by %zu", specs[_i], k);
    }
    landmark_curvature_free(&c);
    mst_manifold_free(m);
}
END_TEST

/* Ric against the fall-back of tables without the slot: from the Hessian of L, d² products a vector. */
START_TEST(ricci_is_that_of_the_metric)
{
    mst_manifold *m = open_spec(specs[_i]);
    size_t d = mst_manifold_dim(m);
    dice die = {902};
    double x[MOST], y[MOST], v[MOST], own[MOST], other[MOST];
    two_points(m, &die, y, x);
    for (size_t k = 0; k < d; k++)
        v[k] = dice_normal(&die);
    ASSERT_OK(mst_manifold_ricci(m, 1, y, v, own));
    ASSERT_OK(metric_ricci(m, 1, y, v, other));
    for (size_t k = 0; k < d; k++)
        assert_near(own[k], other[k], 1e-8 * (1 + max_abs(d, other)), "%s: Ric v", specs[_i]);
    mst_manifold_free(m);
}
END_TEST

/* The terms of one geodesic at y. */
typedef struct ground {
    mst_manifold *m;
    size_t d;
    landmark_shooter *shooter;
    landmark_terms terms;
} ground;

static double terms_at(ground *g, const double *y, const double *x, landmark_ray_terms *out)
{
    double p[MOST], q[3 * MOST], slope[3 * MOST];
    landmark_shot shot;
    landmark_shoot(g->shooter, y, x, 1e-11, 1e-11, false, p, &shot);
    ck_assert(shot.found);
    landmark_columns(g->terms.shape, y, q);
    double scalar = landmark_scalar(&g->terms.curvature, q, slope);
    ck_assert(landmark_terms_find(&g->terms, y, p, shot.steps, slope, scalar, out));
    return 0.5 * shot.square;
}

/* Gradients of b₀ and a₁ and the Hessian of ½r² are those of their differences along geodesics. Lobatto's
 * rule leaves 1e-3 of the gradient of b₀. */
START_TEST(terms_have_their_derivatives)
{
    ground g = {.m = open_spec(specs[_i])};
    size_t d = g.d = mst_manifold_dim(g.m);
    dice die = {903};
    double x[MOST], y[MOST], log[MOST], b[MOST], a[MOST], form[MOST * MOST], e[MOST * MOST];
    landmark_ray_terms centre = {.log = log, .slope_b = b, .slope_a = a, .hessian = form};
    ASSERT_OK(landmark_shooter_new(&g.shooter, g.m));
    ASSERT_OK(landmark_terms_new(&g.terms, g.m));
    two_points(g.m, &die, y, x);
    double middle = terms_at(&g, y, x, &centre), h = 1e-3;
    ASSERT_OK(mst_manifold_frame(g.m, 1, y, e));
    for (size_t k = 0; k < d; k++) {
        double v[MOST], moved[MOST], unused[MOST], f[2], got_b, got_a;
        landmark_ray_terms side[2] = {{.log = unused}, {.log = unused}};
        for (int sign = 0; sign < 2; sign++) {
            for (size_t j = 0; j < d; j++)
                v[j] = (sign == 0 ? -h : h) * e[k * d + j];
            ASSERT_OK(mst_manifold_exp(g.m, 1, y, v, moved));
            f[sign] = terms_at(&g, moved, x, &side[sign]);
        }
        ASSERT_OK(mst_manifold_inner(g.m, 1, y, b, e + k * d, &got_b));
        ASSERT_OK(mst_manifold_inner(g.m, 1, y, a, e + k * d, &got_a));
        double want_b = -0.5 * (side[1].log_theta - side[0].log_theta) / (2 * h);
        double want_a = (side[1].a - side[0].a) / (2 * h);
        double bend = (f[0] + f[1] - 2 * middle) / (h * h);
        assert_near(got_b, want_b, 5e-3 * (0.2 + fabs(want_b)), "%s: ∇b₀, %zu", specs[_i], k);
        assert_near(got_a, want_a, 1e-4 * (1 + fabs(want_a)), "%s: ∇a₁, %zu", specs[_i], k);
        assert_near(form[k * d + k], bend, 1e-4 * (1 + fabs(bend)), "%s: ∇∇½r², %zu", specs[_i], k);
    }
    landmark_shooter_free(g.shooter);
    landmark_terms_free(&g.terms);
    mst_manifold_free(g.m);
}
END_TEST

/* An end that is missed by a share ε of the length tells r² to ε² times the Hessian of ½r², which is below
 * ten here. Who begins where the geodesic begins follows it once for each number of steps that is tried,
 * and a guess that leads far away is as good as none. */
START_TEST(shooting_forgives)
{
    enum { PAIRS = 20 };
    const double miss = 1e-3;
    mst_manifold *m = open_spec(specs[_i]);
    landmark_shooter *shooter;
    landmark_shot exact, rough, again, far;
    dice die = {905};
    double x[MOST], y[MOST], p[MOST];
    ASSERT_OK(landmark_shooter_new(&shooter, m));
    for (size_t i = 0; i < PAIRS; i++) {
        two_points(m, &die, y, x);
        landmark_shoot(shooter, y, x, 1e-11, miss, false, p, &rough);
        landmark_shoot(shooter, y, x, 1e-11, 1e-11, false, p, &exact);
        ck_assert(exact.found && rough.found);
        ck_assert_int_le(rough.shots, exact.shots);
        assert_near(rough.square, exact.square, 10 * miss * miss * exact.square, "%s: r² of %zu",
                    specs[_i], i);
        landmark_shoot(shooter, y, x, 1e-11, 1e-11, true, p, &again);
        ck_assert(again.found);
        ck_assert_int_le(again.shots, 4);
        assert_near(again.square, exact.square, 1e-10 * exact.square, "%s: again", specs[_i]);
        for (size_t k = 0; k < mst_manifold_dim(m); k++)
            p[k] *= -4;
        landmark_shoot(shooter, y, x, 1e-11, 1e-11, true, p, &far);
        ck_assert_msg(far.found, "%s: pair %zu from far away", specs[_i], i);
        assert_near(far.square, exact.square, 1e-10 * exact.square, "%s: from far", specs[_i]);
    }
    landmark_shooter_free(shooter);
    mst_manifold_free(m);
}
END_TEST

START_TEST(specs_and_refusals)
{
    static const char *const canonical[][2] = {
        {"landmarks:4x2", "landmarks:4x2?sigma=0.5"},
        {"landmarks:4x3 ? kernel=gauss & sigma=2", "landmarks:4x3?sigma=2"},
        {"landmarks:2x2?nugget=0.01&alpha=3&kernel=laplace",
         "landmarks:2x2?sigma=0.5&alpha=3&nugget=0.01&kernel=laplace"},
    };
    static const char *const bad[] = {
        "landmarks:4x2?sigma=0",
        "landmarks:4x2?sigma=-1",
        "landmarks:4x2?sigma=nan",
        "landmarks:4x2?nugget=-0.1",
        "landmarks:4x2?alpha=0",
        "landmarks:4x2?kernel=cubic",
        "landmarks:4x2?width=3",
        "landmarks:4x1",
        "landmarks:0x2",
        "landmarks:4",
        "landmarks:4x4",
        "landmarks:1001x2",
        "landmarks:4x2?sigma=auto",
    };
    mst_manifold *m;
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++)
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(mst_manifold_parse(&m, canonical[i][k]));
            ck_assert_str_eq(mst_manifold_spec(m), canonical[i][1]);
            mst_manifold_free(m);
        }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ASSERT_FAILS(MST_ARGUMENT, mst_manifold_parse(&m, bad[i]));
    ASSERT_OK(mst_landmarks_new(&m, 3, 2, 0.25, 1, 0, MST_LANDMARKS_GAUSS));
    double x[12] = {0, 0, 1, 1, 2, 0, 0, 0, 3, 1, 0, 0};
    size_t row;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 2, x, &row));
    ck_assert_uint_eq(row, 1);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "landmarks 1 and 3 coincide"));
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&m, "landmarks:3x2?sigma=0.25&nugget=0.01"));
    ASSERT_OK(mst_manifold_validate(m, 2, x, &row));
    mst_manifold_free(m);
}
END_TEST

/* The derivative of Exp by the flow of landmarks is that by the metric, which shares nothing with it but the
 * equations; fields together are fields one by one. */
START_TEST(derivative_of_exp_is_that_of_the_metric)
{
    enum { FIELDS = 2 * MOST };
    mst_manifold *m = open_spec(specs[_i]);
    size_t d = mst_manifold_dim(m), fields = 2 * d;
    dice die = {77};
    double x[FIELDS * MOST], v[FIELDS * MOST], dx[FIELDS * MOST], dv[FIELDS * MOST];
    double got[FIELDS * MOST], want[FIELDS * MOST], alone[MOST], y[MOST], v0[MOST];
    two_points(m, &die, x, y);
    ASSERT_OK(mst_manifold_log(m, 1, x, y, v0, NULL));
    for (size_t k = 0; k < fields; k++) {
        memcpy(x + k * d, x, k > 0 ? d * sizeof *x : 0);
        memcpy(v + k * d, v0, d * sizeof *v);
        for (size_t a = 0; a < d; a++) {
            dx[k * d + a] = dice_normal(&die);
            dv[k * d + a] = dice_normal(&die);
        }
    }
    ASSERT_OK(mst_manifold_exp_derivative(m, fields, x, v, dx, dv, got));
    ASSERT_OK(metric_exp_derivative(m, fields, x, v, dx, dv, want));
    for (size_t k = 0; k < fields; k++) {
        double largest = 0;
        for (size_t a = 0; a < d; a++)
            largest = fmax(largest, fabs(want[k * d + a]));
        for (size_t a = 0; a < d; a++)
            assert_near(got[k * d + a], want[k * d + a], 1e-9 * largest, "field %zu", k);
        ASSERT_OK(mst_manifold_exp_derivative(m, 1, x, v, dx + k * d, dv + k * d, alone));
        for (size_t a = 0; a < d; a++)
            assert_near(alone[a], got[k * d + a], 1e-9 * largest, "field %zu alone", k);
    }
    /* J(0) = 0 and no ∇J, or a geodesic that goes nowhere: Exp is the identity there, to first order. */
    memset(v, 0, d * sizeof *v);
    ASSERT_OK(mst_manifold_exp_derivative(m, 1, x, v, dx, NULL, alone));
    for (size_t a = 0; a < d; a++)
        assert_near(alone[a], dx[a], 1e-12 * fabs(dx[a]), "coordinate %zu of a point", a);
    mst_manifold_free(m);
}
END_TEST

/* One landmark alone is flat, and far ones are as if alone. */
START_TEST(far_landmarks_are_flat)
{
    mst_manifold *m = open_spec("landmarks:2x2?sigma=0.5");
    const double x[4] = {-5, 0, 5, 0}, y[4] = {-4, 2, 5, -1};
    double r;
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    assert_near(r, sqrt(6), 1e-12, "two landmarks, twenty widths apart");
    mst_manifold_free(m);
    m = open_spec("landmarks:1x3?alpha=4");
    ck_assert(mst_manifold_is_flat(m));
    ASSERT_OK(mst_manifold_dist(m, 1, (double[]){0, 0, 0}, (double[]){1, 2, 2}, &r));
    assert_near(r, 1.5, 1e-12, "one landmark of amplitude 4");
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("landmarks", 60, {scalar_curvature, SPECS},
                     {ricci_is_that_of_the_metric, SPECS}, {terms_have_their_derivatives, SPECS},
                     {derivative_of_exp_is_that_of_the_metric, SPECS}, {shooting_forgives, SPECS},
                     {specs_and_refusals, 0}, {far_landmarks_are_flat, 0});
}
