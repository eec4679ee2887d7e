/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regions for the mean: which kind is given, what they hold, and that scores decide alike however rows are
 * written down. */
#include "stat/mean_support.h"
#include "stat/score_region.h"

#include <stdatomic.h>

static bool holds(const setting *s, const mst_score *source, const mst_mean_result *r, size_t n,
                  const double *x, const mst_mean_options *o, const double *y)
{
    bool found;
    (void)s;
    ASSERT_OK(mst_mean_region_holds(&found, r, source, n, x, o, y));
    return found;
}

/* Well-determined means have an ellipsoid, whose border is where its radius says. */
START_TEST(ellipsoids_where_the_mean_is_determined)
{
    static const char *const specs[] = {"circle",  "sphere:2",     "so3",
                                        "torus:2", "hyperbolic:2", "product(sphere:2,circle)",
                                        "sphere:5"};
    for (size_t k = 0; k < 7; k++) {
        setting s = setting_open(specs[k]);
        double *x = draw(&s, 300, NULL, 0.2, 5), *c = doubles(s.d + 2 * s.D), *v = c + s.d,
               *y = v + s.D;
        for (int log = 0; log < 2; log++) {
            const mst_score *source = log ? s.log : s.exact;
            mst_mean_result *r = fit(source, 300, x, NULL);
            ck_assert_msg(r->region_kind == MST_REGION_ELLIPSOID, "%s: %d", specs[k],
                          (int)r->region_kind);
            ck_assert(isnan(r->region_share) && isnan(r->region_time));
            ck_assert((r->notes & MST_NOTE_HARDLY_DETERMINED) == 0);
            double radius = sqrt(r->region_radius2 * r->covariance[0]);
            for (int side = 0; side < 2; side++) {
                memset(c, 0, s.d * sizeof *c);
                /* The conditional width along an axis is no more than the projected one. */
                c[0] = side == 0 ? 0.5 * radius : 1.01 * radius;
                ASSERT_OK(mst_manifold_from_frame(s.m, 1, r->mean, c, v));
                ASSERT_OK(mst_manifold_exp(s.m, 1, r->mean, v, y));
                ck_assert_msg(holds(&s, source, r, 300, x, NULL, y) == (side == 0), "%s: side %d",
                              specs[k], side);
            }
            mst_mean_result_free(r);
        }
        free(x), free(c);
        setting_close(&s);
    }
}
END_TEST

static double *exact_rows(const setting *s, size_t n, double time, uint64_t seed)
{
    double *x = doubles(n * s->D);
    for (size_t i = 0; i < n; i++)
        mst_manifold_start(s->m, x + i * s->D);
    mst_brownian_options b = mst_brownian_options_default();
    b.method = MST_BROWNIAN_EXACT;
    b.seed = seed;
    ASSERT_OK(mst_brownian_endpoints(s->m, n, x, time, &b, x));
    return x;
}

/* 2000 points on S⁵⁰ at time 0.3 exclude nothing. */
START_TEST(data_that_say_nothing_exclude_nothing)
{
    setting s = setting_open("sphere:50");
    double *x = exact_rows(&s, 2000, 0.3, 4), *opposite = doubles(s.D);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.exact, 2000, x, &o);
    ck_assert((r->notes & MST_NOTE_MAYBE_UNIFORM) != 0 &&
              (r->notes & MST_NOTE_HARDLY_DETERMINED) != 0);
    ck_assert_int_eq((int)r->region_kind, MST_REGION_WHOLE);
    ck_assert(r->region_share == 1 && isnan(r->standard_error) && isnan(r->region_volume));
    for (size_t k = 0; k < s.D; k++)
        opposite[k] = -r->mean[k];
    ck_assert(holds(&s, s.exact, r, 2000, x, &o, opposite));
    mst_mean_result_free(r);
    free(x), free(opposite);
    setting_close(&s);
}
END_TEST

typedef struct counting {
    const mst_score *exact;
    atomic_size_t rows;
} counting;

static mst_status count_rows(const mst_score *source, const mst_pairs *pairs,
                             const mst_heat_values *out)
{
    counting *c = mst_score_data(source);
    atomic_fetch_add(&c->rows, pairs->n);
    return mst_score_evaluate(c->exact, pairs, out);
}

static const mst_score_ops counting_ops = {
    .size = sizeof counting_ops, .name = "counting", .evaluate = count_rows};

/* Is the region of n rows everything, which takes a look at points of either kind? If not, random points
 * alone are looked at, 40 with so many rows. */
static void survey(const setting *s, size_t n, double time, bool everything)
{
    double *x = exact_rows(s, n, time, 3);
    counting data = {.exact = s->exact};
    mst_score *source;
    stat_pieces pieces;
    score_region region;
    score_held held;
    mst_mean_options o = mst_mean_options_default();
    bool whole;
    double share;
    ASSERT_OK(mst_score_new(&source, &counting_ops, s->m, &data));
    ASSERT_OK(stat_pieces_new(&pieces, s->m));
    ASSERT_OK(score_region_open(&region, source, &pieces, n, x, &o, NULL, time));
    region.has_mean = false; /* no point is out for being opposite to it */
    ASSERT_OK(score_region_survey(&region, x, 1, 1, &whole, &share, &held));
    mst_release(held.points);
    ck_assert(whole == everything && (share == 1) == everything);
    if (everything)
        ck_assert_uint_gt(data.rows, 40 * n);
    else
        ck_assert_uint_eq(data.rows, 40 * n);
    score_region_close(&region);
    stat_pieces_free(&pieces);
    mst_score_free(source);
    free(x);
}

/* Points a quarter turn away are looked at only where they can still say something. */
START_TEST(a_survey_looks_no_farther_than_it_must)
{
    setting five = setting_open("sphere:5"), fifty = setting_open("sphere:50");
    survey(&five, 2000, 0.5, false);
    survey(&fifty, 2000, 0.3, true);
    setting_close(&five);
    setting_close(&fifty);
}
END_TEST

/* A mean that is there but uncertain: the region holds the mean and not the point opposite to it. */
START_TEST(uncertain_means_have_a_region_of_scores)
{
    setting s = setting_open("sphere:2");
    double *x = exact_rows(&s, 300, 2, 3), y[3];
    for (int log = 0; log < 2; log++) {
        const mst_score *source = log ? s.log : s.exact;
        mst_mean_result *r = fit(source, 300, x, NULL);
        ck_assert_int_eq((int)r->region_kind, MST_REGION_SCORE);
        ck_assert(r->region_share > 0.02 && r->region_share < 0.5);
        ck_assert(holds(&s, source, r, 300, x, NULL, r->mean));
        for (size_t k = 0; k < 3; k++)
            y[k] = -r->mean[k];
        ck_assert(!holds(&s, source, r, 300, x, NULL, y));
        /* Away from the mean it ends before the quarter turn. */
        ck_assert(holds(&s, source, r, 300, x, NULL, r->mean));
        double v[3], c[2] = {M_PI / 2, 0};
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, r->mean, c, v));
        ASSERT_OK(mst_manifold_exp(s.m, 1, r->mean, v, y));
        ck_assert(!holds(&s, source, r, 300, x, NULL, y));
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* The truth is in 95 % of the score regions, whatever time is taken for the scores; 1000 sets, 4 standard
 * deviations. */
START_TEST(scores_hold_the_truth)
{
    static const struct {
        const char *spec;
        double time, taken;
        size_t n;
    } cases[] = {{"sphere:2", 2, 1, 50}, {"sphere:10", 0.5, 0.3, 60}, {"circle", 3, 1, 40},
                 {"so3", 2, 1, 40},      {"sphere:10", 0.5, 0.5, 15}, {"sphere:2", 0.5, 0.5, 4}};
    setting s = setting_open(cases[_i].spec);
    size_t n = cases[_i].n, hits = 0;
    stat_pieces pieces;
    ASSERT_OK(stat_pieces_new(&pieces, s.m));
    double *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    mst_mean_options o = mst_mean_options_default();
    for (uint64_t k = 0; k < 1000; k++) {
        double *x = exact_rows(&s, n, cases[_i].time, 1000 + k);
        score_region g;
        bool found;
        ASSERT_OK(score_region_open(&g, s.exact, &pieces, n, x, &o, NULL, cases[_i].taken));
        ck_assert(g.lengths == (n < 2 * s.d + 1));
        ASSERT_OK(score_region_holds(&g, start, &found));
        hits += found ? 1 : 0;
        score_region_close(&g);
        free(x);
    }
    ck_assert_msg(hits >= 922 && hits <= 978, "%s: %zu", cases[_i].spec, hits);
    stat_pieces_free(&pieces);
    free(start);
    setting_close(&s);
}
END_TEST

/* Fewer rows than their covariance needs, and four times as far in one direction as in the others: as if they
 * were the same in all, the truth was in 85 % of the regions. Three standard deviations below 93 %. */
START_TEST(few_rows_in_one_direction)
{
    enum { N = 15, SETS = 1000, EVEN = 10 };
    setting s = setting_open("sphere:10");
    size_t hits = 0;
    stat_pieces pieces;
    ASSERT_OK(stat_pieces_new(&pieces, s.m));
    double *start = doubles(s.D), *x = doubles(N * s.D), *v = doubles(s.D), c[EVEN];
    mst_manifold_start(s.m, start);
    mst_mean_options o = mst_mean_options_default();
    for (uint64_t k = 0; k < SETS; k++) {
        for (size_t i = 0; i < N; i++) {
            mst_random_normals((mst_random){k, 78}, i * EVEN, EVEN, c);
            for (size_t a = 0; a < EVEN; a++)
                c[a] *= sqrt(0.05) * (a == 0 ? 4 : 1);
            ASSERT_OK(mst_manifold_from_frame(s.m, 1, start, c, v));
            ASSERT_OK(mst_manifold_exp(s.m, 1, start, v, x + i * s.D));
        }
        score_region g;
        bool found;
        ASSERT_OK(score_region_open(&g, s.log, &pieces, N, x, &o, NULL, 1));
        ASSERT_OK(score_region_holds(&g, start, &found));
        hits += found ? 1 : 0;
        score_region_close(&g);
    }
    ck_assert_msg(hits >= 905 && hits <= 978, "%zu", hits);
    stat_pieces_free(&pieces);
    free(start), free(x), free(v);
    setting_close(&s);
}
END_TEST

/* Two heaps of rotations, half a turn about the third axis apart, have two means, a quarter turn from either.
 * Where the data do not tell which is the better, the region has both. */
START_TEST(two_means_are_in_the_region)
{
    enum { N = 200, SETS = 4 };
    setting s = setting_open("so3");
    const double heaps[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0, 0, -1, 0, 0, 0, 1}};
    double *x = doubles(N * s.D);
    size_t doubtful = 0;
    for (uint64_t k = 0; k < SETS; k++) {
        mst_brownian_options b = mst_brownian_options_default();
        b.method = MST_BROWNIAN_EXACT;
        b.seed = k + 1;
        for (size_t i = 0; i < N; i++)
            memcpy(x + i * s.D, heaps[i % 2], s.D * sizeof *x);
        ASSERT_OK(mst_brownian_endpoints(s.m, N, x, 0.3, &b, x));
        mst_mean_result *r;
        ASSERT_OK(mst_mean_fit(&r, s.exact, N, x, NULL));
        for (size_t e = 0; e < r->set_size; e++)
            ck_assert_msg(holds(&s, s.exact, r, N, x, NULL, r->set[e].mean), "set %d, mean %zu",
                          (int)k, e);
        doubtful += r->set_size > 1 ? 1 : 0;
        mst_mean_result_free(r);
    }
    ck_assert_uint_ge(doubtful, SETS / 2);
    free(x);
    setting_close(&s);
}
END_TEST

/* A count is a row so many times; doubled rows in clusters are the rows. */
START_TEST(counts_and_clusters)
{
    setting s = setting_open("sphere:2");
    enum { N = 40 };
    double *x = exact_rows(&s, N, 1.5, 8), twice[2 * N * 3], weights[N], *y = doubles(100 * 3);
    size_t clusters[2 * N];
    memcpy(twice, x, N * 3 * sizeof *x);
    memcpy(twice + 3 * N, x, N * 3 * sizeof *x);
    for (size_t i = 0; i < 2 * N; i++) {
        clusters[i] = i % N;
        weights[i % N] = 2;
    }
    stat_pieces pieces;
    ASSERT_OK(stat_pieces_new(&pieces, s.m));
    score_region once, counted, doubled, clustered;
    mst_mean_options o = mst_mean_options_default();
    ASSERT_OK(score_region_open(&once, s.exact, &pieces, N, x, &o, NULL, 1));
    ASSERT_OK(score_region_open(&doubled, s.exact, &pieces, 2 * N, twice, &o, NULL, 1));
    o.weights = weights;
    ASSERT_OK(score_region_open(&counted, s.exact, &pieces, N, x, &o, NULL, 1));
    o.weights = NULL;
    o.clusters = clusters;
    ASSERT_OK(score_region_open(&clustered, s.exact, &pieces, 2 * N, twice, &o, NULL, 1));
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){1, 1}, 0, 100, y));
    size_t different = 0;
    for (size_t k = 0; k < 100; k++) {
        bool a, b, c, d;
        ASSERT_OK(score_region_holds(&once, y + 3 * k, &a));
        ASSERT_OK(score_region_holds(&doubled, y + 3 * k, &b));
        ASSERT_OK(score_region_holds(&counted, y + 3 * k, &c));
        ASSERT_OK(score_region_holds(&clustered, y + 3 * k, &d));
        ck_assert(b == c && a == d);
        different += a != b ? 1 : 0;
    }
    ck_assert_uint_gt(different, 0);
    score_region_close(&once), score_region_close(&doubled), score_region_close(&counted);
    score_region_close(&clustered);
    stat_pieces_free(&pieces);
    free(x), free(y);
    setting_close(&s);
}
END_TEST

START_TEST(without_a_region_there_is_no_answer)
{
    setting s = setting_open("sphere:2");
    static const double one[] = {0, 0, 1};
    bool found;
    mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.exact, 1, one, NULL);
    ASSERT_FAILS(MST_UNABLE, mst_mean_region_holds(&found, r, s.exact, 1, one, NULL, one));
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_region", 120, {ellipsoids_where_the_mean_is_determined, 0},
                     {data_that_say_nothing_exclude_nothing, 0},
                     {a_survey_looks_no_farther_than_it_must, 0},
                     {uncertain_means_have_a_region_of_scores, 0}, {scores_hold_the_truth, 6},
                     {few_rows_in_one_direction, 0}, {two_means_are_in_the_region, 0},
                     {counts_and_clusters, 0}, {without_a_region_there_is_no_answer, 0});
}
