/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Every public function that takes options: null means the defaults, a shorter struct gets the defaults of
 * what it does not have, and a struct without a size is refused. */
#include "stat/samples.h"
#include "stat/two_samples.h"
#include "support/score_support.h"
#include "support/scratch.h"

#include <manistat.h>

enum { N = 40 };

/* What is behind the end of an older struct. */
#define CUT_OFF(o, member)                                        \
    (memset((char *)&(o) + offsetof(__typeof__(o), member), 0x5a, \
            sizeof(o) - offsetof(__typeof__(o), member)),         \
     (o).size = offsetof(__typeof__(o), member))

static void assert_names(const char *type)
{
    char expected[100];
    snprintf(expected, sizeof expected, "%s: the member size is 0", type);
    ck_assert_msg(strncmp(mst_error_detail(), expected, strlen(expected)) == 0, "%s: %s", type,
                  mst_error_detail());
}

static double *sample(const space *s)
{
    double *x = doubles(N * s->D), start[3] = {0, 0, 1};
    brownian_rows(s, start, 0.3, N, 11, x);
    return x;
}

START_TEST(means)
{
    space s = space_open("sphere:2");
    double *x = sample(&s);
    mst_mean_options o = mst_mean_options_default(), none = {.size = 0};
    mst_mean_result *r[3];
    ck_assert_uint_eq(o.size, sizeof o);
    ASSERT_OK(mst_mean_fit(&r[0], s.exact, N, x, &o));
    ASSERT_OK(mst_mean_fit(&r[1], s.exact, N, x, NULL));
    CUT_OFF(o, time);
    ASSERT_OK(mst_mean_fit(&r[2], s.exact, N, x, &o));
    for (int k = 1; k < 3; k++)
        ck_assert(r[k]->time == r[0]->time && memcmp(r[k]->mean, r[0]->mean, 24) == 0 &&
                  r[k]->time_low == r[0]->time_low && r[k]->set_size == r[0]->set_size);
    for (int k = 0; k < 3; k++)
        mst_mean_result_free(r[k]);
    ASSERT_FAILS(MST_ARGUMENT, mst_mean_fit(&r[0], s.exact, N, x, &none));
    assert_names("mst_mean_options");
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(clusters)
{
    space s = space_open("sphere:2");
    double *x = sample(&s);
    mst_kmeans_options o = mst_kmeans_options_default(), none = {.k = 2};
    mst_kmeans_result *r[2];
    o.k = 2;
    ASSERT_OK(mst_kmeans_fit(&r[0], s.m, N, x, &o));
    CUT_OFF(o, kind);
    ASSERT_OK(mst_kmeans_fit(&r[1], s.m, N, x, &o));
    ck_assert(r[1]->inertia == r[0]->inertia && r[1]->restarts == 10);
    mst_kmeans_result_free(r[0]);
    mst_kmeans_result_free(r[1]);
    /* There is no default for k, and that is what the message says. */
    ASSERT_FAILS(MST_ARGUMENT, mst_kmeans_fit(&r[0], s.m, N, x, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "k is missing"));
    ASSERT_FAILS(MST_ARGUMENT, mst_kmeans_fit(&r[0], s.m, N, x, &none));
    assert_names("mst_kmeans_options");
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(mixtures)
{
    space s = space_open("sphere:2");
    double *x = sample(&s);
    mst_mixture_options o = mst_mixture_options_default(), none = {.k = 1};
    mst_mixture_result *r[2];
    o.k = 1;
    ASSERT_OK(mst_mixture_fit(&r[0], s.exact, N, x, &o));
    CUT_OFF(o, restarts);
    ASSERT_OK(mst_mixture_fit(&r[1], s.exact, N, x, &o));
    ck_assert(r[1]->log_likelihood == r[0]->log_likelihood);
    mst_mixture_result_free(r[0]);
    mst_mixture_result_free(r[1]);
    ASSERT_FAILS(MST_ARGUMENT, mst_mixture_fit(&r[0], s.exact, N, x, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "k is missing"));
    ASSERT_FAILS(MST_ARGUMENT, mst_mixture_fit(&r[0], s.exact, N, x, &none));
    assert_names("mst_mixture_options");
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(tests_of_two_samples)
{
    space s = space_open("sphere:2");
    double *x = sample(&s), *y = x + N / 2 * s.D;
    mst_test_options o = mst_test_options_default(), none = {.permutations = 9};
    mst_test_result *r[3];
    ASSERT_OK(two_samples(&r[0], s.exact, N / 2, x, N / 2, y, &o));
    ASSERT_OK(two_samples(&r[1], s.exact, N / 2, x, N / 2, y, NULL));
    CUT_OFF(o, method);
    ASSERT_OK(two_samples(&r[2], s.exact, N / 2, x, N / 2, y, &o));
    ck_assert(r[1]->p_value == r[0]->p_value && r[2]->p_value == r[0]->p_value);
    for (int k = 0; k < 3; k++)
        mst_test_result_free(r[k]);
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r[0], s.exact, N / 2, x, N / 2, y, &none));
    assert_names("mst_test_options");
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(brownian_motion)
{
    space s = space_open("sphere:2");
    double start[3] = {0, 0, 1}, end[3][3], path[3][101 * 3];
    mst_brownian_options o = mst_brownian_options_default(), none = {.steps = 10};
    ASSERT_OK(mst_brownian_endpoints(s.m, 1, start, 0.5, &o, end[0]));
    ASSERT_OK(mst_brownian_endpoints(s.m, 1, start, 0.5, NULL, end[1]));
    ASSERT_OK(mst_brownian_paths(s.m, 1, start, 0.5, &o, path[0]));
    ASSERT_OK(mst_brownian_paths(s.m, 1, start, 0.5, NULL, path[1]));
    CUT_OFF(o, steps);
    ASSERT_OK(mst_brownian_endpoints(s.m, 1, start, 0.5, &o, end[2]));
    ASSERT_OK(mst_brownian_paths(s.m, 1, start, 0.5, &o, path[2]));
    for (int k = 1; k < 3; k++)
        ck_assert(memcmp(end[k], end[0], sizeof end[0]) == 0 &&
                  memcmp(path[k], path[0], sizeof path[0]) == 0);
    ASSERT_FAILS(MST_ARGUMENT, mst_brownian_endpoints(s.m, 1, start, 0.5, &none, end[0]));
    assert_names("mst_brownian_options");
    ASSERT_FAILS(MST_ARGUMENT, mst_brownian_paths(s.m, 1, start, 0.5, &none, path[0]));
    space_close(&s);
}
END_TEST

START_TEST(points)
{
    scratch_open();
    space s = space_open("sphere:2");
    const double row[] = {0, 0, 1};
    double x[3], text[3], *all;
    size_t n;
    mst_points_reader *reader;
    mst_labels *labels;
    mst_points_options none = {.project = true}, o = mst_points_options_default();
    const char *file = scratch_text("points.csv", "0,0,1\n0,1,0\n");
    const char *grouped = scratch_text("grouped.csv", "g,x,y,z\na,0,0,1\n");
    ASSERT_OK(mst_points_decode(s.m, 3, row, NULL, x));
    ASSERT_OK(mst_points_encode(s.m, 1, row, NULL, text));
    ASSERT_OK(mst_points_encode_vectors(s.m, 1, row, NULL, text));
    ASSERT_OK(mst_points_open(&reader, s.m, "p", file, NULL));
    mst_points_reader_free(reader);
    ASSERT_OK(mst_points_read(&all, &n, s.m, file, NULL));
    mst_points_free(all);
    ASSERT_OK(mst_points_read_by(&all, &n, &labels, s.m, grouped, "g", NULL));
    mst_points_free(all);
    mst_labels_free(labels);
    ck_assert_uint_eq(mst_points_width(s.m, NULL), 3);
    o.latlon = true;
    ck_assert_uint_eq(mst_points_width(s.m, &o), 2);
    CUT_OFF(o, latlon);
    ck_assert_uint_eq(mst_points_width(s.m, &o), 3);
    ck_assert_uint_eq(mst_points_width(s.m, &none), 0);
    ASSERT_FAILS(MST_ARGUMENT, mst_points_decode(s.m, 3, row, &none, x));
    assert_names("mst_points_options");
    ASSERT_FAILS(MST_ARGUMENT, mst_points_encode(s.m, 1, row, &none, text));
    ASSERT_FAILS(MST_ARGUMENT, mst_points_encode_vectors(s.m, 1, row, &none, text));
    ASSERT_FAILS(MST_ARGUMENT, mst_points_open(&reader, s.m, "p", file, &none));
    ASSERT_FAILS(MST_ARGUMENT, mst_points_read(&all, &n, s.m, file, &none));
    ASSERT_FAILS(MST_ARGUMENT, mst_points_read_by(&all, &n, &labels, s.m, grouped, "g", &none));
    space_close(&s);
    scratch_close();
}
END_TEST

/* With the default options a training takes a minute, unless the manifold lets it down. */
static mst_status no_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                         double *y)
{
    (void)m, (void)n, (void)x, (void)v, (void)y;
    return mst_fail(MST_UNABLE, "there is no way from here");
}

START_TEST(trainings)
{
    mst_manifold *line, *m;
    mst_network *net;
    mst_train_options none = {.steps = 10}, o = mst_train_options_default();
    ASSERT_OK(mst_euclidean_new(&line, 1));
    mst_manifold_ops ops = {.size = sizeof ops,
                            .name = "blocked",
                            .start = mst_manifold_table(line)->start,
                            .project = mst_manifold_table(line)->project,
                            .tangent = mst_manifold_table(line)->tangent,
                            .inner = mst_manifold_table(line)->inner,
                            .exp = no_exp};
    ASSERT_OK(mst_manifold_new(&m, &ops, "blocked", 1, 1, NULL));
    ASSERT_FAILS(MST_UNABLE, mst_train(&net, m, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "no way from here"));
    CUT_OFF(o, steps);
    ASSERT_FAILS(MST_UNABLE, mst_train(&net, m, &o));
    ASSERT_FAILS(MST_ARGUMENT, mst_train(&net, line, &none));
    assert_names("mst_train_options");
    ck_assert_uint_eq(mst_train_options_paper().size, sizeof o);
    mst_manifold_free(m);
    mst_manifold_free(line);
}
END_TEST

START_TEST(checks)
{
    mst_manifold *m = open_manifold("euclidean:1");
    mst_network *net = random_network(m, (network_design){.width = 4, .depth = 1}, 1);
    mst_check_options none = {.samples = 256}, o = mst_check_options_default();
    mst_certificate c[2];
    net->info.t_min = net->info.t_max = 0.1;
    ASSERT_OK(mst_network_check(&c[0], net, NULL));
    CUT_OFF(o, exact);
    ASSERT_OK(mst_network_check(&c[1], net, &o));
    ck_assert(c[0].samples == 65536 && c[0].seed == 4711 && strcmp(c[0].against, "exact") == 0);
    ck_assert(c[1].all.slope == c[0].all.slope && c[1].all.mean_shift == c[0].all.mean_shift);
    ASSERT_FAILS(MST_ARGUMENT, mst_network_check(&c[0], net, &none));
    assert_names("mst_check_options");
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("options", 60, {means, 0}, {clusters, 0}, {mixtures, 0},
                     {tests_of_two_samples, 0}, {brownian_motion, 0}, {points, 0}, {trainings, 0},
                     {checks, 0});
}
