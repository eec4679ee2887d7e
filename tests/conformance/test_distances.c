/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Matrices of distances against mst_manifold_dist, pair by pair. */
#include "manifold/formula_metric.h"
#include "manifold/internal.h"
#include "support/manifolds.h"

#include <manistat/distances.h>
#include <stdlib.h>
#include <string.h>

enum { N = 70, FEW = 5 }; /* more than a piece of work has */

/* Points around one, from almost the same to far apart. */
static double *make_points(subject *s)
{
    double *x = scratch(s, N * s->D), *v = scratch(s, s->D);
    double longest = fmin(1, 0.3 * s->injectivity);
    dice d = {71};
    corner_point(s, &d, 1, x);
    for (size_t i = 1; i < N; i++) {
        double length = longest * pow(10, i % 3 == 0 ? dice_uniform(&d, -8, 0) : 0);
        tangent_of_length(s, &d, x, length, v);
        ASSERT_OK(mst_manifold_exp(s->m, 1, x, v, x + i * s->D));
    }
    return x;
}

static double *matrix_of(subject *s, const double *x, int threads, mst_geodesic_status *status)
{
    double *out = scratch(s, N * N);
    mst_distances_options o = mst_distances_options_default();
    o.threads = threads;
    for (size_t i = 0; i < N * N; i++)
        out[i] = NAN;
    ASSERT_OK(mst_distance_matrix(s->m, N, x, &o, out, status));
    return out;
}

/* The same bits where no slot makes it quicker; else to the relative accuracy that dist is tested for. */
static void assert_same_distance(const subject *s, const double *x, const double *y, double got)
{
    double want;
    ASSERT_OK(mst_manifold_dist(s->m, 1, x, y, &want));
    if (mst_prepared_size(s->m) == 0) {
        ck_assert_msg(memcmp(&got, &want, sizeof got) == 0, "%s: %.17g instead of %.17g",
                      s->entry->spec, got, want);
        return;
    }
    double kappa = fmax(condition(s, x), condition(s, y));
    double relative = 4 * s->c * kappa * DBL_EPSILON;
    if (want > 0)
        relative += pow(4 * kappa * DBL_EPSILON / want, 2);
    assert_near(got, want, relative * want, "%s: at %g", s->entry->spec, want);
}

static void check_every_pair(subject s)
{
    double *x = make_points(&s);
    mst_geodesic_status *status = malloc(N * N * sizeof *status);
    ck_assert_ptr_nonnull(status);
    double *r = matrix_of(&s, x, 1, status);
    ck_assert_msg(memcmp(r, matrix_of(&s, x, 3, NULL), N * N * sizeof *r) == 0,
                  "%s with three threads", s.entry->spec);
    /* A search for each pair takes long, and is the same code for all of them. */
    size_t stride = mst_prepared_size(s.m) == 0 ? 5 : 1;
    for (size_t i = 0; i < N; i++) {
        ck_assert_msg(r[i * N + i] == 0 && !signbit(r[i * N + i]), "the diagonal");
        for (size_t k = i + 1; k < N; k++) {
            if ((i + k) % stride == 0)
                assert_same_distance(&s, x + i * s.D, x + k * s.D, r[i * N + k]);
            ck_assert_msg(memcmp(r + i * N + k, r + k * N + i, sizeof *r) == 0, "symmetric");
            ck_assert_int_le(status[i * N + k], MST_GEODESIC_LOCAL);
            ck_assert_int_eq(status[i * N + k], status[k * N + i]);
        }
    }
    free(status);
    subject_close(&s);
}

START_TEST(every_pair_has_its_distance)
{
    check_every_pair(subject_open((size_t)_i));
}
END_TEST

/* Factors that prepare their points beside others that do not. */
START_TEST(products_prepare_what_they_can)
{
    static const manifold_case entry = {
        .spec = "product(sphere:2,spd:3?metric=log-euclidean,circle,spd:2?metric=log-euclidean)"};
    subject s = subject_of(&entry);
    ck_assert_uint_eq(mst_prepared_size(s.m), 3 + 15 + 1 + 7);
    check_every_pair(s);
}
END_TEST

START_TEST(two_sets_have_the_same_distances)
{
    subject s = subject_open((size_t)_i);
    double *x = make_points(&s), *all = matrix_of(&s, x, 2, NULL);
    double *wide = scratch(&s, FEW * N), *tall = scratch(&s, N * FEW);
    ASSERT_OK(mst_distances_between(s.m, FEW, x, N, x, NULL, wide, NULL));
    for (size_t i = 0; i < FEW;
         i++) /* the base point is the one of the row, as above the diagonal */
        ck_assert_msg(
            memcmp(wide + i * N + i + 1, all + i * N + i + 1, (N - i - 1) * sizeof *all) == 0,
            "%s: a wide matrix", s.entry->spec);
    ASSERT_OK(mst_distances_between(s.m, N, x, FEW, x + (N - FEW) * s.D, NULL, tall, NULL));
    for (size_t i = 0; i < N - FEW; i++)
        ck_assert_msg(memcmp(tall + i * FEW, all + i * N + N - FEW, FEW * sizeof *all) == 0,
                      "%s: a tall matrix", s.entry->spec);
    subject_close(&s);
}
END_TEST

START_TEST(none_and_one)
{
    subject s = subject_open((size_t)_i);
    double *x = make_points(&s), r[] = {NAN, NAN};
    ASSERT_OK(mst_distance_matrix(s.m, 0, x, NULL, r, NULL));
    ASSERT_OK(mst_distances_between(s.m, 0, x, 3, x, NULL, r, NULL));
    ASSERT_OK(mst_distances_between(s.m, 3, x, 0, x, NULL, r, NULL));
    ck_assert_msg(isnan(r[0]), "nothing to write");
    ASSERT_OK(mst_distance_matrix(s.m, 1, x, NULL, r, NULL));
    ck_assert_msg(r[0] == 0 && isnan(r[1]), "one point");
    subject_close(&s);
}
END_TEST

/* Two points on either side of a hole, and two that see each other. */
START_TEST(pairs_without_an_answer)
{
    static const char text[] = "coordinates x y\nmetric = 1\ndomain x^2 + y^2 > 1\nstart = 2, 0\n";
    static const double x[] = {-2, 0, 2, 0, -2, 1};
    mst_manifold *m;
    mst_geodesic_status status[9];
    double r[9];
    mst_distances_options o = mst_distances_options_default();
    ASSERT_OK(mst_formula_manifold_new(&m, "hole", "hole", text, strlen(text), 0, NULL));
    ASSERT_OK(mst_distance_matrix(m, 3, x, &o, r, status));
    ck_assert_int_eq(status[1], MST_GEODESIC_LEFT_DOMAIN);
    ck_assert_int_eq(status[3], MST_GEODESIC_LEFT_DOMAIN);
    ck_assert_msg(isnan(r[1]) && isnan(r[3]), "no number without an answer");
    ck_assert_int_eq(status[2], MST_GEODESIC_LOCAL);
    assert_near(r[2], 1, 1e-12, "beside the hole");
    assert_near(r[6], 1, 1e-12, "and back");
    mst_manifold_free(m);
}
END_TEST

START_TEST(failures_name_the_points)
{
    static const double x[] = {1, 0, 0, 1, 2, 0, 0, 1, 1, 2, 2, 1};
    static const struct {
        const char *spec, *detail;
    } cases[] = {{"spd:2", "the distance of points 1 and 3: "},
                 {"spd:2?metric=log-euclidean", "row 3: the point is not positive definite"}};
    for (size_t i = 0; i < 2; i++) {
        mst_manifold *m;
        double r[9];
        ASSERT_OK(mst_manifold_parse(&m, cases[i].spec));
        ASSERT_FAILS(MST_DOMAIN, mst_distance_matrix(m, 3, x, NULL, r, NULL));
        ck_assert_msg(strstr(mst_error_detail(), cases[i].detail) != NULL, "%s",
                      mst_error_detail());
        mst_manifold_free(m);
    }
}
END_TEST

static int stop_at_once(void *user, double done, double total)
{
    ck_assert(done > 0 && done <= total);
    (*(int *)user)++;
    return 1;
}

START_TEST(it_can_be_stopped)
{
    mst_manifold *m;
    double x[300 * 3], *r = doubles(300 * 300);
    int reports = 0;
    mst_distances_options o = mst_distances_options_default();
    o.progress = (mst_progress){stop_at_once, &reports};
    o.threads = 1;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ASSERT_OK(mst_manifold_random_point(m, (mst_random){1, 2}, 0, 300, x));
    ASSERT_FAILS(MST_INTERRUPTED, mst_distance_matrix(m, 300, x, &o, r, NULL));
    ck_assert_int_eq(reports, 1);
    free(r);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("distances", 120, {every_pair_has_its_distance, manifold_case_count},
                     {two_sets_have_the_same_distances, manifold_case_count},
                     {none_and_one, manifold_case_count}, {products_prepare_what_they_can, 0},
                     {pairs_without_an_answer, 0}, {failures_name_the_points, 0},
                     {it_can_be_stopped, 0});
}
