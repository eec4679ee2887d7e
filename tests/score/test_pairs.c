/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What sources are given: rows that share a y or a time, and the numbers of the rows; and
 * tables of other sizes. */
#include "stat/mean_support.h"
#include "stat/two_samples.h"
#include "support/score_support.h"

#include <manistat/cluster.h>
#include <stdatomic.h>
#include <stddef.h>

/* ---- One y, one time ---- */

/* More than two blocks of any source. */
enum { ROWS = 600 };

/* All that a source gives of the pairs, (ROWS, 2 + D + d·d). */
static double *values_of(const mst_score *source, const mst_pairs *pairs)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *all = doubles(ROWS * (2 + D + d * d));
    mst_heat_values out = {.score = all + 2 * ROWS};
    memset(all, 0, ROWS * (2 + D + d * d) * sizeof *all);
    out.log_p = mst_score_gives(source, MST_GIVES_LOG_P) ? all : NULL;
    out.dt_log_p = mst_score_gives(source, MST_GIVES_TIME) ? all + ROWS : NULL;
    out.hessian = mst_score_gives(source, MST_GIVES_HESSIAN) ? all + (2 + D) * ROWS : NULL;
    ASSERT_OK(mst_score_evaluate(source, pairs, &out));
    return all;
}

static void check_shared(const mst_score *source, const double *x)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *y = doubles(ROWS * D), t[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(y + i * D, x + 7 * D, D * sizeof *y);
        t[i] = 0.3;
    }
    mst_pairs pairs = mst_pairs_rows(m, ROWS, x, y, t);
    double *want = values_of(source, &pairs);
    for (unsigned k = 1; k < 4; k++) {
        pairs.y_stride = (k & 1) != 0 ? 0 : D;
        pairs.t_stride = (k & 2) != 0 ? 0 : 1;
        pairs.y = (k & 1) != 0 ? x + 7 * D : y;
        double *got = values_of(source, &pairs);
        ck_assert_msg(memcmp(want, got, ROWS * (2 + D + d * d) * sizeof *got) == 0,
                      "%s on %s, sharing %u", mst_score_name(source), mst_manifold_spec(m), k);
        free(got);
    }
    free(want);
    free(y);
}

static const char *const specs[] = {
    "euclidean:3", "torus:2", "sphere:2", "hyperbolic:3",
    "so3",         "spd:2",   "spd:3",    "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

START_TEST(sharing_changes_no_bit)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, ROWS, NULL, 0.4, 3);
    check_shared(s.log, x);
    if (s.exact != NULL)
        check_shared(s.exact, x);
    for (int energy = 0; energy < 2; energy++) {
        mst_score *score, *limit;
        mst_network *net = random_network(s.m, (network_design){.energy = energy != 0}, 5);
        ASSERT_OK(mst_score_network_new(&score, net, false));
        ASSERT_OK(mst_score_network_log_new(&limit, net, 0));
        check_shared(score, x);
        check_shared(limit, x);
        mst_score_free(score);
        mst_score_free(limit);
        mst_network_free(net);
    }
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(parts_of_pairs)
{
    mst_manifold *m = open_manifold("sphere:2");
    double x[30] = {0}, y[30] = {0}, t[10] = {0};
    mst_pairs rows = mst_pairs_rows(m, 10, x, y, t);
    rows.first = 100;
    mst_pairs part = mst_pairs_part(m, &rows, 4, 3);
    ck_assert(part.n == 3 && part.x == x + 12 && part.y == y + 12 && part.t == t + 4);
    ck_assert(part.first == 104 && part.y_stride == 3 && part.t_stride == 1);
    rows.y_stride = rows.t_stride = 0;
    part = mst_pairs_part(m, &rows, 4, 3);
    ck_assert(part.x == x + 12 && part.y == y && part.t == t);
    rows.t = NULL; /* of a source without a time */
    rows.t_stride = 1;
    ck_assert_ptr_null(mst_pairs_part(m, &rows, 4, 3).t);
    mst_manifold_free(m);
}
END_TEST

START_TEST(a_shared_point_that_is_none)
{
    mst_manifold *m;
    mst_score *source;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ASSERT_OK(mst_score_exact_new(&source, m));
    double x[] = {1, 0, 0, 0, 1, 0}, bad[] = {0, NAN, 1}, t = 0.5, score[6];
    mst_pairs pairs = {.n = 2, .x = x, .y = bad, .t = &t};
    ASSERT_FAILS(MST_DOMAIN,
                 mst_score_evaluate(source, &pairs, &(mst_heat_values){.score = score}));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 1: a coordinate of y"));
    t = -1;
    pairs.y = x;
    ASSERT_FAILS(MST_ARGUMENT,
                 mst_score_evaluate(source, &pairs, &(mst_heat_values){.score = score}));
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* ---- Numbers of rows ---- */

enum { N = 10000, FIRST = 6000 };

/* The exact kernel, which looks at who comes. */
typedef struct watcher {
    const mst_score *exact;
    const double *data; /* (N, D) */
    bool samples;       /* there are two, the second from row FIRST on */
    atomic_size_t seen[N], beyond, itself, wrong, separate;
} watcher;

static mst_status watch(const mst_score *source, const mst_pairs *pairs, const mst_heat_values *out)
{
    watcher *w = mst_score_data(source);
    size_t D = mst_manifold_ambient(mst_score_manifold(source));
    for (size_t i = 0; i < pairs->n; i++) {
        uint64_t number = pairs->first + i;
        const double *x = pairs->x + i * D;
        /* Rows drawn for a look have numbers beyond all others. */
        if (number >= UINT64_C(1) << 62)
            continue;
        bool right = number < N && memcmp(x, w->data + number * D, D * sizeof *x) == 0;
        atomic_fetch_add(&w->beyond, right && number >= FIRST ? 1 : 0);
        /* The fit of a second sample by itself, for the report, counts from its own first row. */
        if (!right && number < N - FIRST && w->samples) {
            right = memcmp(x, w->data + (number += FIRST) * D, D * sizeof *x) == 0;
            atomic_fetch_add(&w->itself, 1);
        }
        atomic_fetch_add(&w->wrong, right ? 0 : 1);
        if (right)
            atomic_fetch_add(&w->seen[number], 1);
    }
    atomic_fetch_add(&w->separate, pairs->y_stride > 0 || pairs->t_stride > 0 ? 1 : 0);
    return mst_score_evaluate(w->exact, pairs, out);
}

static void describe_watcher(const mst_score *source, mst_score_info *info)
{
    *info = *mst_score_describe(((const watcher *)mst_score_data(source))->exact);
}

static const mst_score_ops watcher_ops = {
    .size = sizeof watcher_ops,
    .name = "watcher",
    .describe = describe_watcher,
    .evaluate = watch,
};

static void fit_something(int what, const mst_score *source, const double *x, int threads)
{
    if (what == 0) {
        mst_mean_options o = mst_mean_options_default();
        o.threads = threads;
        o.starts = 1;
        mst_mean_result *r;
        ASSERT_OK(mst_mean_fit(&r, source, N, x, &o));
        mst_mean_result_free(r);
    } else if (what == 1) {
        mst_test_options o = mst_test_options_default();
        o.threads = threads;
        mst_test_result *r;
        size_t D = mst_manifold_ambient(mst_score_manifold(source));
        ASSERT_OK(two_samples(&r, source, FIRST, x, N - FIRST, x + FIRST * D, &o));
        mst_test_result_free(r);
    }
}

START_TEST(every_row_has_its_number)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 9);
    static watcher w;
    w.data = x;
    w.exact = s.exact;
    w.samples = _i == 1;
    mst_score *source;
    ASSERT_OK(mst_score_new(&source, &watcher_ops, s.m, &w));
    size_t sweeps = 0;
    for (int threads = 1; threads <= 5; threads += 2) {
        for (size_t i = 0; i < N; i++)
            w.seen[i] = 0;
        fit_something(_i, source, x, threads);
        ck_assert_msg(w.wrong == 0 && w.separate == 0, "%zu rows with wrong numbers",
                      (size_t)w.wrong);
        ck_assert_msg(w.beyond > w.itself, "%zu, %zu", (size_t)w.beyond, (size_t)w.itself);
        /* Every sweep over a sample meets each of its rows once. */
        for (size_t i = 0; i < N; i++)
            ck_assert_msg(w.seen[i] > 0 && w.seen[i] == w.seen[_i == 1 && i >= FIRST ? FIRST : 0],
                          "row %zu was seen %zu times", i, (size_t)w.seen[i]);
        ck_assert_msg(sweeps == 0 || w.seen[0] == sweeps, "%d threads", threads);
        sweeps = w.seen[0];
    }
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(a_mixture_numbers_its_rows)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 10);
    static watcher w;
    w.data = x;
    w.exact = s.exact;
    mst_score *source;
    ASSERT_OK(mst_score_new(&source, &watcher_ops, s.m, &w));
    mst_mixture_options o = mst_mixture_options_default();
    o.k = 1;
    o.restarts = 1;
    mst_mixture_result *r;
    ASSERT_OK(mst_mixture_fit(&r, source, N, x, &o));
    ck_assert_uint_eq(w.wrong, 0);
    for (size_t i = 0; i < N; i++)
        ck_assert_uint_eq(w.seen[i], w.seen[0]);
    mst_mixture_result_free(r);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- Tables of other sizes ---- */

static size_t freed;

static void count_free(void *data)
{
    (void)data;
    freed++;
}

static mst_status give_zero(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    (void)s;
    for (size_t i = 0; i < 3 * pairs->n; i++)
        out->score[i] = 0;
    return MST_OK;
}

START_TEST(tables_of_other_sizes)
{
    mst_manifold *m;
    mst_score *source;
    double x[] = {1, 0, 0}, score[] = {1, 1, 1};
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    /* Longer by what a later version may have, and shorter: then there is no free_data. */
    struct {
        mst_score_ops ops;
        void *later[4];
    } table = {
        .ops = {
            .size = sizeof table, .name = "later", .evaluate = give_zero, .free_data = count_free}};
    for (size_t k = 0; k < 2; k++) {
        table.ops.size = k == 0 ? sizeof table : offsetof(mst_score_ops, free_data);
        freed = 0;
        ASSERT_OK(mst_score_new(&source, &table.ops, m, NULL));
        ck_assert(mst_score_describe(source)->gives == 0);
        ASSERT_OK(
            mst_score_evaluate_rows(source, 1, x, x, NULL, &(mst_heat_values){.score = score}));
        ck_assert(score[0] == 0);
        mst_score_free(source);
        ck_assert_uint_eq(freed, k == 0 ? 1 : 0);
    }
    table.ops.size = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_score_new(&source, &table.ops, m, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), ".size = sizeof(mst_score_ops)"));
    ck_assert_ptr_null(source);
    /* Too short for what is required; and the data are released where the table says how. */
    table.ops.size = offsetof(mst_score_ops, evaluate);
    ASSERT_FAILS(MST_ARGUMENT, mst_score_new(&source, &table.ops, m, NULL));
    table.ops.size = sizeof table.ops;
    table.ops.evaluate = NULL;
    freed = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_score_new(&source, &table.ops, m, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "evaluate"));
    ck_assert_uint_eq(freed, 1);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("pairs", 120, {sharing_changes_no_bit, SPECS}, {parts_of_pairs, 0},
                     {a_shared_point_that_is_none, 0}, {every_row_has_its_number, 2},
                     {a_mixture_numbers_its_rows, 0}, {tables_of_other_sizes, 0});
}
