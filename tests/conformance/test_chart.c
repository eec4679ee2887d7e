/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The chart of every manifold, and the curvature and geodesics that follow from it. */
#include "support/manifolds.h"

#include <string.h>

/* Error of a derivative by CHART_STEP of something known to rounding at points of this condition. */
static double difference_error(const subject *s, const double *c)
{
    return 16 * s->c * DBL_EPSILON * condition(s, c) / CHART_STEP;
}

/* Chart coordinates out to the radius where a walk would change the chart; flat charts have no radius. */
static void chart_position(const subject *s, dice *d, size_t kind, double *u)
{
    static const double parts[] = {0, 1e-9, 0.1, 0.5, 1};
    double radius = fmin(mst_manifold_chart_radius(s->m), 3) * parts[kind % 5];
    for (size_t k = 0; k < s->d; k++)
        u[k] = dice_normal(d);
    double scale = radius / euclidean_norm(s->d, u);
    for (size_t k = 0; k < s->d; k++)
        u[k] *= scale;
}

/* Large dimensions cost d³ numbers per point and d⁴ operations for Ricci. */
static size_t rounds(const subject *s)
{
    return s->d > 10 ? 5 : 20;
}

START_TEST(chart_round_trips)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *c = scratch(&s, D), *x = scratch(&s, D), *y = scratch(&s, D), *u = scratch(&s, d),
           *w = scratch(&s, d), *v = scratch(&s, D);
    dice die = {41};
    double radius = mst_manifold_chart_radius(s.m);
    ck_assert_msg(radius > 0, "%s: chart radius %g", s.entry->spec, radius);
    for (size_t round = 0; round < 70; round++) {
        corner_point(&s, &die, round / 5 % POINT_KINDS, c);
        chart_position(&s, &die, round, u);
        ASSERT_OK(mst_manifold_chart_point(s.m, 1, c, u, x));
        ck_assert_msg(all_finite(D, x), "%s: chart point", s.entry->spec);
        double r = 2 * euclidean_norm(d, u), tolerance = rounding(&s, c, x, r) + s.entry->log_error;
        ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, x, w));
        for (size_t k = 0; k < d; k++)
            assert_near(w[k], u[k], tolerance, "%s: coords point u, |u| = %g", s.entry->spec,
                        r / 2);
        assert_near(off_manifold(&s, x), 0, s.c * DBL_EPSILON * (1 + r), "%s: chart leaves",
                    s.entry->spec);
        tangent_of_length(&s, &die, c, 0.3 * fmin(radius, 1), v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, c, v, x));
        ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, x, w));
        ASSERT_OK(mst_manifold_chart_point(s.m, 1, c, w, y));
        assert_near(point_gap(&s, x, y), 0, rounding(&s, c, x, 1) + s.entry->log_error,
                    "%s: point coords x", s.entry->spec);
        /* The centre, both ways. */
        ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, c, w));
        assert_near(max_abs(d, w), 0, rounding(&s, c, c, 0), "%s: coords of the centre",
                    s.entry->spec);
        memset(u, 0, d * sizeof *u);
        ASSERT_OK(mst_manifold_chart_point(s.m, 1, c, u, y));
        assert_near(point_gap(&s, c, y), 0, rounding(&s, c, c, 0), "%s: point of 0", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(metric_is_the_inner_product_of_the_pushforward)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *c = scratch(&s, D), *x = scratch(&s, D), *u = scratch(&s, d), *g = scratch(&s, d * d),
           *j = scratch(&s, d * D);
    dice die = {42};
    for (size_t round = 0; round < rounds(&s); round++) {
        corner_point(&s, &die, round / 5 % 4, c);
        chart_position(&s, &die, round, u);
        ASSERT_OK(mst_manifold_chart_point(s.m, 1, c, u, x));
        ASSERT_OK(mst_manifold_chart_metric(s.m, 1, c, u, g));
        chart_derivative(&s, mst_manifold_chart_point, D, c, u, j);
        double tolerance =
            difference_error(&s, x) * fmax(1, max_abs(d * d, g)) + s.entry->chart_error[0];
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                assert_near(g[a * d + b], vector_inner(&s, x, j + a * D, j + b * D), tolerance,
                            "%s: metric (%zu, %zu) at |u| = %g", s.entry->spec, a, b,
                            euclidean_norm(d, u));
        memset(u, 0, d * sizeof *u);
        ASSERT_OK(mst_manifold_chart_metric(s.m, 1, c, u, g));
        for (size_t a = 0; a < d * d; a++)
            assert_near(g[a], a % (d + 1) == 0, rounding(&s, c, c, 0) + s.entry->chart_error[0],
                        "%s: metric at the centre", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(christoffel_symbols_and_diffusion_follow_from_the_metric)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *c = scratch(&s, D), *u = scratch(&s, d), *g = scratch(&s, d * d),
           *inverse = scratch(&s, d * d), *dg = scratch(&s, d * d * d),
           *gamma = scratch(&s, d * d * d), *drift = scratch(&s, d), *sigma = scratch(&s, d * d);
    dice die = {43};
    for (size_t round = 0; round < rounds(&s); round++) {
        corner_point(&s, &die, round / 5 % 4, c);
        chart_position(&s, &die, round, u);
        ASSERT_OK(mst_manifold_chart_metric(s.m, 1, c, u, g));
        ASSERT_OK(mst_manifold_chart_christoffel(s.m, 1, c, u, gamma));
        ASSERT_OK(mst_manifold_chart_diffusion(s.m, 1, c, u, drift, sigma));
        invert_metric(d, g, inverse);
        chart_derivative(&s, mst_manifold_chart_metric, d * d, c, u, dg);
        double size = fmax(1, max_abs(d * d, g)) * fmax(1, max_abs(d * d, inverse));
        double tolerance = size * (difference_error(&s, c) + 20 * s.entry->chart_error[1]);
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                for (size_t k = 0; k < d; k++) {
                    double got = gamma[(i * d + j) * d + k], want = 0;
                    for (size_t l = 0; l < d; l++)
                        want += 0.5 * inverse[i * d + l] *
                                (dg[(j * d + l) * d + k] + dg[(k * d + l) * d + j] -
                                 dg[(l * d + j) * d + k]);
                    assert_near(got, want, tolerance,
                                "%s: Christoffel symbol %zu, %zu %zu at |u| = %g", s.entry->spec, i,
                                j, k, euclidean_norm(d, u));
                    ck_assert_msg(got == gamma[(i * d + k) * d + j] ||
                                      fabs(got - gamma[(i * d + k) * d + j]) <=
                                          size * (s.c * DBL_EPSILON + s.entry->chart_error[1]),
                                  "%s: Christoffel symbols are not symmetric", s.entry->spec);
                }
        tolerance = (double)(d * d) * size * size *
                    (s.c * DBL_EPSILON * condition(&s, c) + s.entry->chart_error[1]);
        for (size_t i = 0; i < d; i++) {
            double want = 0;
            for (size_t jk = 0; jk < d * d; jk++)
                want -= 0.5 * inverse[jk] * gamma[i * d * d + jk];
            assert_near(drift[i], want, tolerance, "%s: drift", s.entry->spec);
            for (size_t j = 0; j < d; j++)
                assert_near(dot(d, sigma + i * d, sigma + j * d), inverse[i * d + j], tolerance,
                            "%s: sigma", s.entry->spec);
        }
    }
    subject_close(&s);
}
END_TEST

/* Ric_jk = ∂_i Γ^i_jk − ∂_j Γ^i_ik + Γ^i_il Γ^l_jk − Γ^i_jl Γ^l_ik; dgamma (d, d, d, d) has the derivative's
 * direction first. */
static double ricci_entry(size_t d, const double *gamma, const double *dgamma, size_t j, size_t k)
{
#define GAMMA(i, a, b) gamma[((i)*d + (a)) * d + (b)]
#define DGAMMA(e, i, a, b) dgamma[(((e)*d + (i)) * d + (a)) * d + (b)]
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        sum += DGAMMA(i, i, j, k) - DGAMMA(j, i, i, k);
        for (size_t l = 0; l < d; l++)
            sum += GAMMA(i, i, l) * GAMMA(l, j, k) - GAMMA(i, j, l) * GAMMA(l, i, k);
    }
    return sum;
#undef GAMMA
#undef DGAMMA
}

START_TEST(ricci_is_the_curvature_of_the_chart)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *c = scratch(&s, D), *x = scratch(&s, D), *u = scratch(&s, d), *j = scratch(&s, d * D),
           *gamma = scratch(&s, d * d * d), *dgamma = scratch(&s, d * d * d * d),
           *out = scratch(&s, d * D), *same = scratch(&s, d * D);
    dice die = {44};
    for (size_t round = 0; round < (d > 10 ? 2 : 8); round++) {
        corner_point(&s, &die, round % 4, c);
        chart_position(&s, &die, round % 4, u);
        ASSERT_OK(mst_manifold_chart_point(s.m, 1, c, u, x));
        chart_derivative(&s, mst_manifold_chart_point, D, c, u, j);
        ASSERT_OK(mst_manifold_chart_christoffel(s.m, 1, c, u, gamma));
        chart_derivative(&s, mst_manifold_chart_christoffel, d * d * d, c, u, dgamma);
        for (size_t k = 0; k < d; k++)
            memcpy(same + k * D, x, D * sizeof *x);
        ASSERT_OK(mst_manifold_ricci(s.m, d, same, j, out));
        double size = fmax(1, pow(max_abs(d * d * d, gamma), 2)) * (double)(d * d);
        double tolerance =
            size * difference_error(&s, x) * (1 + max_abs(d * D, j)) + s.entry->chart_error[2];
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                assert_near(vector_inner(&s, x, out + a * D, j + b * D),
                            ricci_entry(d, gamma, dgamma, a, b), tolerance,
                            "%s: Ricci (%zu, %zu) at |u| = %g", s.entry->spec, a, b,
                            euclidean_norm(d, u));
        if (mst_manifold_is_flat(s.m))
            assert_near(max_abs(d * D, out), 0, tolerance, "%s: Ricci of a flat manifold",
                        s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(exp_solves_the_geodesic_equation)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *c = scratch(&s, D), *x = scratch(&s, D), *v = scratch(&s, D), *sv = scratch(&s, D),
           *y = scratch(&s, D), *u = scratch(&s, 9 * d), *du = scratch(&s, d),
           *ddu = scratch(&s, d), *g = scratch(&s, d * d), *gamma = scratch(&s, d * d * d);
    dice die = {45};
    const double h = 0.05;
    for (size_t round = 0; round < 20; round++) {
        corner_point(&s, &die, round % 4, c);
        double size = 0.4 * fmin(1, mst_manifold_chart_radius(s.m));
        tangent_of_length(&s, &die, c, size, v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, c, v, x)); /* off the centre, where Γ does not vanish */
        tangent_of_length(&s, &die, x, size, v);
        for (size_t k = 0; k < 9; k++) {
            for (size_t a = 0; a < D; a++)
                sv[a] = ((double)k - 4) * h * v[a];
            ASSERT_OK(mst_manifold_exp(s.m, 1, x, sv, y));
            ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, y, u + k * d));
        }
        curve_derivative(1, h, d, u, du);
        curve_derivative(2, h, d, u, ddu);
        ASSERT_OK(mst_manifold_chart_metric(s.m, 1, c, u + 4 * d, g));
        ASSERT_OK(mst_manifold_chart_christoffel(s.m, 1, c, u + 4 * d, gamma));
        double tolerance = (s.c * DBL_EPSILON * condition(&s, x) + s.entry->log_error) / (h * h) +
                           1e-11 + s.entry->chart_error[1];
        double speed = 0;
        for (size_t i = 0; i < d; i++) {
            double residual = ddu[i];
            for (size_t jk = 0; jk < d * d; jk++)
                residual += gamma[i * d * d + jk] * du[jk / d] * du[jk % d];
            assert_near(residual, 0, tolerance, "%s: u'' + Γ(u', u')", s.entry->spec);
            speed += du[i] * dot(d, g + i * d, du);
        }
        assert_near(sqrt(speed), size, tolerance, "%s: speed", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "chart", 60, {chart_round_trips, manifold_case_count},
        {metric_is_the_inner_product_of_the_pushforward, manifold_case_count},
        {christoffel_symbols_and_diffusion_follow_from_the_metric, manifold_case_count},
        {ricci_is_the_curvature_of_the_chart, manifold_case_count},
        {exp_solves_the_geodesic_equation, manifold_case_count});
}
