/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of shapes against a general-purpose minimiser (tests/data/shapes/frechet_means.py), and
 * against Procrustes means. */
#include "manifold/shape_gap.h"
#include "stat/mean_proof.h"
#include "support/support.h"

#include <manistat/align.h>
#include <manistat/brownian.h>
#include <manistat/mean.h>
#include <manistat/points.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30 };

static mst_mean_result *frechet(const mst_manifold *m, size_t n, const double *x)
{
    mst_score *source;
    mst_mean_result *mean = NULL;
    mst_mean_options o = mst_mean_options_default();
    o.time = 0; /* the Fréchet mean */
    ASSERT_OK(mst_score_log_new(&source, m));
    ASSERT_OK(mst_mean_fit(&mean, source, n, x, &o));
    mst_score_free(source);
    return mean;
}

START_TEST(means_are_those_of_a_minimiser)
{
    FILE *f = fopen(MST_TEST_DATA "/shapes/frechet_means.csv", "r");
    ck_assert_ptr_nonnull(f);
    char line[4096], path[256];
    size_t lines = 0;
    for (; fgets(line, sizeof line, f) != NULL; lines++) {
        const char *spec = strtok(line, ","), *name = strtok(NULL, ",");
        double variance = atof(strtok(NULL, ",")), want[3 * MOST], *x, r;
        mst_manifold *m;
        size_t n, count = 0;
        for (char *cell; (cell = strtok(NULL, ",\n")) != NULL;)
            want[count++] = atof(cell);
        ASSERT_OK(mst_manifold_parse(&m, spec));
        ck_assert_uint_eq(count, mst_manifold_ambient(m));
        snprintf(path, sizeof path, "%s/shapes/%s", MST_TEST_DATA, name);
        ASSERT_OK(mst_points_read(&x, &n, m, path, NULL));
        mst_mean_result *mean = frechet(m, n, x);
        ck_assert(mean->converged);
        ASSERT_OK(mst_manifold_project(m, 1, want, want));
        ASSERT_OK(mst_manifold_dist(m, 1, mean->mean, want, &r));
        double size = euclidean_norm(count, want);
        assert_near(r, 0, 1e-8 * size, "%s of %s", spec, name);
        assert_near(mean->variance, variance, 1e-10 * variance, "variance of %s", spec);
        mst_mean_result_free(mean);
        mst_points_free(x);
        mst_manifold_free(m);
    }
    fclose(f);
    ck_assert_uint_eq(lines, 4);
}
END_TEST

/* Without scale the Procrustes mean minimises Σ|X R − M|², which is the sum of squared distances of
 * size-and-shape; with scale Σ sin² ρ instead of Σρ². */
START_TEST(procrustes_means)
{
    static const struct {
        const char *spec, *file;
        size_t dim;
    } cases[] = {{"size-and-shape:15x2", "passiflora_15x2.csv", 2},
                 {"size-and-shape:5x3", "optical_nerves_5x3.csv", 3},
                 {"kendall:15x2", "passiflora_15x2.csv", 2}};
    for (size_t k = 0; k < 3; k++) {
        mst_manifold *m;
        mst_landmarks *l;
        mst_alignment *a;
        mst_align_options o = mst_align_options_default();
        double *x, r, size;
        size_t n;
        char path[256];
        o.scale = k == 2;
        snprintf(path, sizeof path, "%s/shapes/%s", MST_TEST_DATA, cases[k].file);
        ASSERT_OK(mst_manifold_parse(&m, cases[k].spec));
        ASSERT_OK(mst_points_read(&x, &n, m, path, NULL));
        ASSERT_OK(mst_landmarks_read(&l, path, NULL));
        ASSERT_OK(mst_align(&a, l->n, l->cols / cases[k].dim, cases[k].dim, l->x, &o));
        mst_mean_result *mean = frechet(m, n, x);
        size = euclidean_norm(l->cols, a->mean);
        ASSERT_OK(mst_manifold_project(m, 1, a->mean, a->mean));
        ASSERT_OK(mst_manifold_dist(m, 1, mean->mean, a->mean, &r));
        if (o.scale)
            ck_assert(r > 1e-6 && r < 0.01); /* near, but another mean */
        else
            assert_near(r, 0, 1e-9 * size, "%s", cases[k].spec);
        mst_mean_result_free(mean);
        mst_alignment_free(a);
        mst_landmarks_free(l);
        mst_points_free(x);
        mst_manifold_free(m);
    }
}
END_TEST

static const char *const specs[] = {"kendall:4x3",        "kendall:7x3",
                                    "kendall:5x2",        "size-and-shape:4x3",
                                    "size-and-shape:7x3", "size-and-shape:5x2"};
enum { SPECS = sizeof specs / sizeof *specs, WIDTH = 21 };

/* Exp of e times a normal vector at y, which is written to v. */
static bool draw_beside(const mst_manifold *m, const double *y, double e, bool unit, dice *d,
                        double *v, double *x)
{
    double c[WIDTH], length = 0;
    size_t dim = mst_manifold_dim(m);
    for (size_t a = 0; a < dim; a++) {
        c[a] = dice_normal(d);
        length += c[a] * c[a];
    }
    for (size_t a = 0; a < dim; a++)
        c[a] *= unit ? e / sqrt(length) : e;
    return mst_manifold_from_frame(m, 1, y, c, v) == MST_OK &&
           mst_manifold_exp(m, 1, y, v, x) == MST_OK;
}

/* ½d²(x, ·) at Exp_y(s v). */
static double half_square(const mst_manifold *m, const double *x, const double *y, const double *v,
                          double s)
{
    double step[WIDTH], end[WIDTH], r;
    for (size_t a = 0; a < mst_manifold_ambient(m); a++)
        step[a] = s * v[a];
    ASSERT_OK(mst_manifold_exp(m, 1, y, step, end));
    ASSERT_OK(mst_manifold_dist(m, 1, end, x, &r));
    return r * r / 2;
}

/* Also of configurations that are nearly flat, and wherever the bound says something: differences of second
 * order are no less. They have an error of h² times fourth derivatives. */
START_TEST(second_derivatives_are_bounded)
{
    enum { TRIALS = 4000 };
    mst_manifold *m;
    dice d = {77};
    size_t tried = 0;
    bool unit;
    ASSERT_OK(mst_manifold_parse(&m, specs[_i]));
    size_t D = mst_manifold_ambient(m);
    ck_assert(mst_is_shape_space(m, &unit));
    for (size_t k = 0; k < TRIALS; k++) {
        double y[WIDTH], x[WIDTH], v[WIDTH], gap, rate, rank, r;
        double flat = dice_uniform(&d, 0.2, 1), e = pow(10, dice_uniform(&d, -2, 0));
        for (size_t a = 0; a < D; a++)
            y[a] = dice_normal(&d) * (D % 3 == 0 && a % 3 == 2 ? flat : 1);
        if (mst_manifold_project(m, 1, y, y) != MST_OK || !draw_beside(m, y, e, false, &d, v, x))
            continue;
        ASSERT_OK(mst_shape_gaps(m, 1, x, y, &gap, &rate, &rank));
        ASSERT_OK(mst_manifold_dist(m, 1, y, x, &r));
        double s = rank * dice_uniform(&d, 0.01, 0.8), h = 1e-3 * rank, w[WIDTH];
        double bound = shape_bend(unit, r, gap, rate, rank, s);
        if (!isfinite(bound) || !draw_beside(m, y, 1, true, &d, v, w))
            continue;
        tried++;
        double second = (half_square(m, x, y, v, s + h) - 2 * half_square(m, x, y, v, s) +
                         half_square(m, x, y, v, s - h)) /
                        (h * h);
        ck_assert_msg(second >= bound - 1e-3, "%s: %g, bound %g", specs[_i], second, bound);
    }
    ck_assert_uint_ge(tried, TRIALS / 3);
    mst_manifold_free(m);
}
END_TEST

/* Rows within a convex ball have one mean, and that is said. It is not of two heaps far apart, but where the
 * radius of the plane's space says it: any two points there are within π/2. */
START_TEST(concentrated_shapes_have_one_mean)
{
    enum { N = 30 };
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, specs[_i]));
    size_t D = mst_manifold_ambient(m);
    double x[N * WIDTH], away[WIDTH];
    dice d = {3};
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(m, x + i * D);
    mst_brownian_options o = mst_brownian_options_default();
    ASSERT_OK(mst_brownian_endpoints(m, N, x, 0.003 / (double)mst_manifold_dim(m), &o, x));
    mst_mean_result *r = frechet(m, N, x);
    ck_assert_msg(r->unique && r->uniqueness == MST_UNIQUENESS_PROVEN, "%s", specs[_i]);
    mst_mean_result_free(r);
    for (size_t a = 0; a < D; a++)
        away[a] = dice_normal(&d);
    ASSERT_OK(mst_manifold_project(m, 1, away, away));
    for (size_t i = 0; i < N; i += 2)
        memcpy(x + i * D, away, D * sizeof *away);
    r = frechet(m, N, x);
    ck_assert_msg(r->uniqueness != MST_UNIQUENESS_PROVEN || !isnan(mst_manifold_injectivity(m)),
                  "%s, two heaps", specs[_i]);
    mst_mean_result_free(r);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_test(c, means_are_those_of_a_minimiser);
    tcase_add_test(c, procrustes_means);
    tcase_add_loop_test(c, second_derivatives_are_bounded, 0, SPECS);
    tcase_add_loop_test(c, concentrated_shapes_have_one_mean, 0, SPECS);
    return run_case("shape_means", c);
}
