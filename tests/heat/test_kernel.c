/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels of every manifold that has one, by what is true of all: symmetry, derivatives, the heat
 * equation, and rows that know nothing of each other.
 *
 * Error argument for differences: log p varies on the scale t/π near a cut locus and more slowly elsewhere,
 * so a central difference of order eight with the step h = 0.01 min(1, t) is right to (0.01π)⁸ < 1e-12 of the
 * derivative's size; the points on the geodesic are rounded by ε times their condition (support/manifolds.h),
 * which moves the function by that times its derivative, and the difference magnifies this by 1/h. */
#include "support/manifolds.h"

#include <manistat/heat.h>
#include <stdlib.h>
#include <string.h>

enum { STENCIL = 9 };

/* The values of one pair. */
typedef struct kernel {
    double log_p, dt, *score, *hessian;
    double size; /* |score| */
} kernel;

static kernel evaluate(subject *s, const double *x, const double *y, double t)
{
    kernel k = {.score = scratch(s, s->D), .hessian = scratch(s, s->d * s->d)};
    mst_heat_values values = {&k.log_p, &k.dt, k.score, k.hessian};
    ASSERT_OK(mst_heat_kernel(s->m, 1, x, y, t, 1, &values));
    ck_assert_msg(isfinite(k.log_p) && isfinite(k.dt) && all_finite(s->D, k.score) &&
                      all_finite(s->d * s->d, k.hessian),
                  "%s: not finite at t = %g", s->entry->spec, t);
    k.size = vector_norm(s, y, k.score);
    return k;
}

/* Pairs that lean toward corners: x anywhere, y at distances from zero to the cut locus,
 * on it and next to it. */
static const double lengths[] = {0, 1e-9, 0.1, 0.7, 1.5, 2.8, -1e-9, -1e-3, NAN};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static const double times[] = {1e-3, 0.03, 0.2, 0.7, 3, 20};
enum { TIMES = sizeof times / sizeof *times };

/* A number below zero is counted from the cut locus, NAN is on it; false if there is no cut locus. */
static bool pair_at(subject *s, dice *die, size_t kind, double length, double *x, double *y)
{
    double *v = scratch(s, s->D);
    corner_point(s, die, kind, x);
    if (isnan(length))
        return exact_cut_point(s->m, x, y);
    if (length < 0 && isinf(s->injectivity))
        return false;
    tangent_of_length(s, die, x, length < 0 ? s->injectivity + length : length, v);
    ASSERT_OK(mst_manifold_exp(s->m, 1, x, v, y));
    return true;
}

typedef void pair_test(subject *s, const double *x, const double *y, double t);

/* Where each row is a search for a geodesic, tests make do with fewer. */
static bool is_closed(const subject *s)
{
    return mst_manifold_traits_of(s->m)->closed & MST_CLOSED_LOG;
}

/* Calls the test for all kinds of pairs and times; false if the manifold has no kernel to test. */
static bool for_pairs(size_t index, pair_test *test)
{
    static const size_t kinds[] = {0, 1, 3, 6};
    size_t pairs = 0;
    for (size_t l = 0; l < LENGTHS; l++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            subject s = subject_open(index);
            dice die = {100 * l + k};
            double *x = scratch(&s, s.D), *y = scratch(&s, s.D);
            if (mst_heat_has_exact(s.m) && pair_at(&s, &die, kinds[k], lengths[l], x, y)) {
                pairs++;
                for (size_t i = is_closed(&s) ? 0 : k; i < TIMES; i += is_closed(&s) ? 1 : 4)
                    test(&s, x, y, times[i]);
            }
            subject_close(&s);
        }
    return pairs > 0;
}

static double step_of(double t)
{
    return 0.01 * fmin(1, t);
}

/* How much of a function with this derivative is lost by rounding the points. */
static double point_noise(const subject *s, const double *x, const double *y)
{
    return 4 * DBL_EPSILON * (condition(s, x) + condition(s, y));
}

static void is_symmetric(subject *s, const double *x, const double *y, double t)
{
    kernel there = evaluate(s, x, y, t), back = evaluate(s, y, x, t);
    double noise = point_noise(s, x, y);
    const char *spec = s->entry->spec;
    assert_near(there.log_p, back.log_p,
                1e-12 * fmax(1, fabs(there.log_p)) + noise * (there.size + sqrt(1 / t)),
                "%s: log p, t = %g", spec, t);
    assert_near(there.dt, back.dt,
                1e-10 * fmax(fabs(there.dt), 1 / t) + noise * (there.size + sqrt(1 / t)) / t,
                "%s: dt, t = %g", spec, t);
    assert_near(
        there.size, back.size,
        1e-10 * fmax(there.size, sqrt(1 / t)) +
            noise * (1 / t + fmax(there.size * there.size, max_abs(s->d * s->d, there.hessian))),
        "%s: |score|, t = %g", spec, t);
}

START_TEST(symmetric)
{
    TAKES_PART(for_pairs((size_t)_i, is_symmetric));
}
END_TEST

/* y moved along the k-th vector of its frame by −4h … 4h, at (STENCIL, D), and if frames is not null the
 * frame transported there, (STENCIL, d, D). */
static void move_along(subject *s, const double *y, const double *frame, size_t k, double h,
                       double *at, double *frames)
{
    size_t D = s->D, d = s->d;
    double *v = scratch(s, D);
    for (size_t i = 0; i < STENCIL; i++) {
        for (size_t a = 0; a < D; a++)
            v[a] = ((double)i - 4) * h * frame[k * D + a];
        ASSERT_OK(mst_manifold_exp(s->m, 1, y, v, at + i * D));
        for (size_t j = 0; frames != NULL && j < d; j++)
            ASSERT_OK(
                mst_manifold_transport(s->m, 1, y, v, frame + j * D, frames + (i * d + j) * D));
    }
}

/* Along each vector e_k of the frame: the derivative of log p is ⟨score, e_k⟩, and the derivatives of ⟨score,
 * e_j⟩ with e_j transported are the row k of the Hessian. */
static void has_these_derivatives(subject *s, const double *x, const double *y, double t)
{
    size_t D = s->D, d = s->d;
    kernel here = evaluate(s, x, y, t);
    double h = step_of(t), noise = point_noise(s, x, y) / h;
    double *frame = scratch(s, d * D), *at = scratch(s, STENCIL * D),
           *frames = scratch(s, STENCIL * d * D), *xs = scratch(s, STENCIL * D),
           *log_p = scratch(s, STENCIL), *score = scratch(s, STENCIL * D),
           *parts = scratch(s, STENCIL * d), *slopes = scratch(s, d);
    ASSERT_OK(mst_manifold_frame(s->m, 1, y, frame));
    for (size_t i = 0; i < STENCIL; i++)
        memcpy(xs + i * D, x, D * sizeof *x);
    double curvature = fmax(max_abs(d * d, here.hessian), 1 / t);
    for (size_t k = 0; k<d; k += d> 10 ? 9 : 1) {
        move_along(s, y, frame, k, h, at, frames);
        mst_heat_values values = {.log_p = log_p, .score = score};
        ASSERT_OK(mst_heat_kernel(s->m, STENCIL, xs, at, t, 1, &values));
        double slope, rounding_of_log_p = 4 * DBL_EPSILON * fabs(here.log_p) / h;
        curve_derivative(1, h, 1, log_p, &slope);
        const char *spec = s->entry->spec;
        assert_near(vector_inner(s, y, here.score, frame + k * D), slope,
                    1e-10 * fmax(here.size, sqrt(1 / t)) + rounding_of_log_p +
                        noise * (here.size + curvature * h),
                    "%s: score, direction %zu, t = %g", spec, k, t);
        for (size_t i = 0; i < STENCIL; i++)
            for (size_t j = 0; j < d; j++)
                parts[i * d + j] =
                    vector_inner(s, at + i * D, score + i * D, frames + (i * d + j) * D);
        curve_derivative(1, h, d, parts, slopes);
        for (size_t j = 0; j < d; j++)
            assert_near(here.hessian[k * d + j], slopes[j],
                        1e-8 * curvature + noise * (here.size + curvature),
                        "%s: hessian %zu, %zu, t = %g", spec, k, j, t);
    }
}

START_TEST(derivatives)
{
    TAKES_PART(for_pairs((size_t)_i, has_these_derivatives));
}
END_TEST

/* By t, and the heat equation ∂_t log p = ½ (tr Hess + |score|²). */
static void obeys_the_heat_equation(subject *s, const double *x, const double *y, double t)
{
    size_t D = s->D, d = s->d;
    kernel here = evaluate(s, x, y, t);
    double h = 0.01 * t, log_p[STENCIL], at[STENCIL], slope;
    double *xs = scratch(s, STENCIL * D), *ys = scratch(s, STENCIL * D);
    for (size_t i = 0; i < STENCIL; i++) {
        at[i] = t + ((double)i - 4) * h;
        memcpy(xs + i * D, x, D * sizeof *x);
        memcpy(ys + i * D, y, D * sizeof *y);
    }
    mst_heat_values values = {.log_p = log_p};
    ASSERT_OK(mst_heat_kernel_times(s->m, STENCIL, xs, ys, at, 1, &values));
    curve_derivative(1, h, 1, log_p, &slope);
    const char *spec = s->entry->spec;
    /* Rounding of log p over the step, and 9!/630 (h/t)⁸ of the derivative. */
    assert_near(here.dt, slope,
                1e-10 * fmax(fabs(here.dt), 1 / t) + 4e-13 * fmax(1, fabs(here.log_p)) / h,
                "%s: dt, t = %g", spec, t);
    double trace = 0;
    for (size_t k = 0; k < d; k++)
        trace += here.hessian[k * d + k];
    double square = here.size * here.size;
    assert_near(here.dt, 0.5 * (trace + square),
                1e-10 * (fabs(here.dt) + square + (double)d / t) + point_noise(s, x, y) * square,
                "%s: heat equation, t = %g", spec, t);
}

START_TEST(heat_equation)
{
    TAKES_PART(for_pairs((size_t)_i, obeys_the_heat_equation));
}
END_TEST

static void is_tangent(subject *s, const double *x, const double *y, double t)
{
    kernel here = evaluate(s, x, y, t);
    double *v = scratch(s, s->D);
    ASSERT_OK(mst_manifold_tangent(s->m, 1, y, here.score, v));
    for (size_t a = 0; a < s->D; a++)
        v[a] -= here.score[a];
    /* Of quotients the representatives are turned onto each other first, which rounds them. */
    double turned = s->entry->bends > 0 ? s->c * DBL_EPSILON / t : 0;
    assert_near(euclidean_norm(s->D, v), 0,
                s->c * DBL_EPSILON * condition(s, y) * euclidean_norm(s->D, here.score) + turned,
                "%s: the score is not tangent, t = %g", s->entry->spec, t);
    for (size_t i = 0; i < s->d; i++)
        for (size_t j = 0; j < i; j++)
            assert_near(here.hessian[i * s->d + j], here.hessian[j * s->d + i], 0,
                        "%s: the hessian is not symmetric", s->entry->spec);
}

START_TEST(tangent)
{
    TAKES_PART(for_pairs((size_t)_i, is_tangent));
}
END_TEST

/* At the point itself and at the cut point the score vanishes, and close by it is the Hessian times the way
 * there: both to a part of (1e-9 π/t)², and the rounding ε of the points is 1e-7 of the way. */
START_TEST(score_grows_linearly_from_zero)
{
    subject s = subject_open((size_t)_i);
    dice die = {17};
    double *x = scratch(&s, s.D), *y = scratch(&s, s.D), *v = scratch(&s, s.D),
           *near = scratch(&s, s.D), *c = scratch(&s, s.d), *got = scratch(&s, s.d);
    const double way = 1e-9;
    TAKES_PART(mst_heat_has_exact(s.m));
    for (size_t round = 0; mst_heat_has_exact(s.m) && round < 40; round++) {
        bool cut = round % 2 == 1;
        double t = times[round / 2 % TIMES];
        if (!pair_at(&s, &die, round % 3, cut ? NAN : 0, x, y))
            continue;
        if (!cut) /* not by way of exp, which may round */
            memcpy(y, x, s.D * sizeof *y);
        kernel here = evaluate(&s, x, y, t);
        double curvature = fmax(max_abs(s.d * s.d, here.hessian), 1 / t);
        const char *spec = s.entry->spec;
        /* On spd the vector from a point to itself is zero up to rounding only. */
        assert_near(here.size, 0, cut || s.spreads ? 64 * DBL_EPSILON * curvature : 0,
                    "%s: %s, t = %g", spec, cut ? "cut point" : "same point", t);
        tangent_of_length(&s, &die, y, way, v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, y, v, near));
        kernel there = evaluate(&s, x, near, t);
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, y, v, c));
        /* The frames of y and its neighbour differ by 1e-9. */
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, near, there.score, got));
        double condition_here = condition(&s, y);
        for (size_t k = 0; k < s.d; k++)
            assert_near(got[k], dot(s.d, here.hessian + k * s.d, c),
                        curvature * (1e-8 * way + 64 * DBL_EPSILON * condition_here),
                        "%s: %s, component %zu, t = %g", spec,
                        cut ? "near the cut point" : "near the point", k, t);
    }
    subject_close(&s);
}
END_TEST

/* The score at a distance eps from the cut point is Hess·eps, to a part of (π eps/t)²; here eps has all its
 * digits in the coordinates, and a program that takes π − r from a rounded r loses them. */
static void assert_digits(const char *spec, const double *x, const double *cut, const double *y,
                          double way, double t)
{
    mst_manifold *m;
    double hessian[9], score[9], c[3];
    ASSERT_OK(mst_manifold_parse(&m, spec));
    size_t d = mst_manifold_dim(m);
    ASSERT_OK(mst_heat_kernel(m, 1, x, cut, t, 1, &(mst_heat_values){.hessian = hessian}));
    ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &(mst_heat_values){.score = score}));
    ASSERT_OK(mst_manifold_to_frame(m, 1, y, score, c));
    double curvature = hessian[d == 3 ? 8 : 0],
           bend = M_PI * way / t; /* so3: about the third axis */
    /* A long double near 3π is known to 1e-18. */
    assert_near(c[d == 3 ? 2 : 0], curvature * way,
                fabs(curvature) * ((1e-9 + bend * bend) * fabs(way) + 2e-18),
                "%s: %g from the cut locus, t = %g", spec, way, t);
    mst_manifold_free(m);
}

START_TEST(digits_next_to_the_cut_locus)
{
    const double ways[] = {1e-13, 3e-11, 1e-9, 3e-7};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 1; k < TIMES; k++) {
            double eps = ways[i], t = times[k], s = sin(eps), c = cos(eps);
            assert_digits("sphere:2", (double[]){0, 0, 1}, (double[]){0, 0, -1},
                          (double[]){s, 0, -c}, eps, t);
            assert_digits("so3", (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1},
                          (double[]){-1, 0, 0, 0, -1, 0, 0, 0, 1},
                          (double[]){-c, -s, 0, s, -c, 0, 0, 0, 1}, -eps, t);
            /* What rounding makes of 0.7 − π + eps, and of that and two turns, is known to the digits of a
             * long double. */
            const long double exact_pi = 3.14159265358979323846264338327950288L;
            double x = 0.7, zero = 0, pi = M_PI, cut = x + pi;
            for (int half_turns = -1; half_turns <= 3; half_turns += 2) {
                double y = x + half_turns * M_PI + eps;
                assert_digits("circle", &x, &cut, &y,
                              (double)((long double)y - x - half_turns * exact_pi), t);
            }
            assert_digits("circle", &zero, &pi, (const double[]){pi - eps},
                          (double)((long double)(pi - eps) - exact_pi), t);
        }
}
END_TEST

/* ---- Rows ---- */
typedef struct batch {
    size_t n;
    double *x, *y, *t, *log_p, *dt, *score, *hessian;
} batch;

static batch new_batch(subject *s, size_t n)
{
    batch b = {n,
               scratch(s, n * s->D),
               scratch(s, n * s->D),
               scratch(s, n),
               scratch(s, n),
               scratch(s, n),
               scratch(s, n * s->D),
               scratch(s, n * s->d * s->d)};
    ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){5, 1}, 0, n, b.x));
    ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){5, 2}, 0, n, b.y));
    dice die = {23};
    for (size_t i = 0; i < n; i++)
        b.t[i] = exp(dice_uniform(&die, log(1e-4), log(30)));
    mst_heat_values values = {b.log_p, b.dt, b.score, b.hessian};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b.x, b.y, b.t, 1, &values));
    return b;
}

static void assert_same(size_t n, const double *a, const double *b, const char *spec,
                        const char *what)
{
    ck_assert_msg(memcmp(a, b, n * sizeof *a) == 0, "%s: %s", spec, what);
}

/* Each output without the others. The Hessian takes other code, which may round differently: in the last
 * digits of the largest of the terms that make up each result. */
static void outputs_alone(subject *s, const batch *b)
{
    size_t n = b->n, D = s->D, dd = s->d * s->d;
    const char *spec = s->entry->spec;
    double *log_p = scratch(s, n), *dt = scratch(s, n), *score = scratch(s, n * D),
           *alone = scratch(s, n * (D + dd));
    mst_heat_values values = {.log_p = log_p, .dt_log_p = dt, .score = score};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &values));
    for (size_t i = 0; i < n; i++) {
        assert_near(log_p[i], b->log_p[i], 1e-12 * fmax(1, fabs(log_p[i])), "%s: log p", spec);
        assert_near(dt[i], b->dt[i], 1e-10 * fmax(fabs(dt[i]), 1 / b->t[i]), "%s: dt", spec);
        double size = euclidean_norm(D, score + i * D);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            assert_near(score[a], b->score[a], 1e-10 * fmax(size, 1 / sqrt(b->t[i])), "%s: score",
                        spec);
    }
    values = (mst_heat_values){.log_p = alone};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &values));
    assert_same(n, log_p, alone, spec, "log p alone");
    values = (mst_heat_values){.dt_log_p = alone};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &values));
    assert_same(n, dt, alone, spec, "dt alone");
    values = (mst_heat_values){.score = alone};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &values));
    assert_same(n * D, score, alone, spec, "score alone");
    values = (mst_heat_values){.hessian = alone};
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &values));
    assert_same(n * dd, b->hessian, alone, spec, "hessian alone");
    ASSERT_OK(mst_heat_kernel_times(s->m, n, b->x, b->y, b->t, 1, &(mst_heat_values){0}));
}

START_TEST(rows_are_independent)
{
    subject s = subject_open((size_t)_i);
    TAKES_PART(mst_heat_has_exact(s.m));
    if (mst_heat_has_exact(s.m)) {
        const char *spec = s.entry->spec;
        size_t D = s.D, dd = s.d * s.d, n = is_closed(&s) ? 3000 : 100;
        batch b = new_batch(&s, n);
        double *log_p = scratch(&s, n), *dt = scratch(&s, n), *score = scratch(&s, n * D),
               *hessian = scratch(&s, n * dd), *same = scratch(&s, n);
        mst_heat_values values = {log_p, dt, score, hessian};
        ASSERT_OK(mst_heat_kernel_times(s.m, n, b.x, b.y, b.t, 2, &values));
        assert_same(n, b.log_p, log_p, spec, "log p, two threads");
        assert_same(n, b.dt, dt, spec, "dt, two threads");
        assert_same(n * D, b.score, score, spec, "score, two threads");
        assert_same(n * dd, b.hessian, hessian, spec, "hessian, two threads");
        for (size_t i = 0; i < n; i += 7) { /* a row alone, one time instead of a list */
            mst_heat_values row = {log_p, dt, score, hessian};
            ASSERT_OK(mst_heat_kernel(s.m, 1, b.x + i * D, b.y + i * D, b.t[i], 1, &row));
            assert_same(1, b.log_p + i, log_p, spec, "log p of a row alone");
            assert_same(1, b.dt + i, dt, spec, "dt of a row alone");
            assert_same(D, b.score + i * D, score, spec, "score of a row alone");
            assert_same(dd, b.hessian + i * dd, hessian, spec, "hessian of a row alone");
        }
        outputs_alone(&s, &b);
        for (size_t i = 0; i < n; i++)
            same[i] = 0.37;
        ASSERT_OK(mst_heat_kernel(s.m, n, b.x, b.y, 0.37, 1, &values));
        mst_heat_values again = {b.log_p, b.dt, b.score, b.hessian};
        ASSERT_OK(mst_heat_kernel_times(s.m, n, b.x, b.y, same, 0, &again));
        assert_same(n, b.log_p, log_p, spec, "log p, one time");
        assert_same(n * D, b.score, score, spec, "score, one time");
        ASSERT_OK(mst_heat_kernel(s.m, 0, NULL, NULL, 1, 0, &values));
        ASSERT_OK(mst_heat_kernel_times(s.m, 0, NULL, NULL, NULL, 0, &values));
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "kernel", 60, {symmetric, manifold_case_count}, {derivatives, manifold_case_count},
        {heat_equation, manifold_case_count}, {tangent, manifold_case_count},
        {score_grows_linearly_from_zero, manifold_case_count}, {digits_next_to_the_cut_locus, 0},
        {rows_are_independent, manifold_case_count});
}
