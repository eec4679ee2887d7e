/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score sources: value, score, Hessian and time derivative belong together, whoever gives them. */
#include "stat/mean_support.h"

#include <stdio.h>
#include <string.h>

static const char *const specs[] = {
    "euclidean:3", "sym:2",        "circle", "torus:2",
    "sphere:2",    "sphere:5",     "so3",    "hyperbolic:3",
    "spd:1",       "hyperbolic:1", "spd:2",  "product(sphere:2,hyperbolic:2,euclidean:1)",
};
enum { SPECS = sizeof specs / sizeof *specs };

enum { POINTS = 5, STENCIL = 5 };
static const double stencil_step = 0.01;

/* log p at the points Exp_y(k h v), k = −2 … 2. */
static void values_along(const setting *s, const mst_score *source, const double *x,
                         const double *y, const double *direction, double t, double *f)
{
    double *v = doubles(2 * s->D), *there = v + s->D;
    double *c = doubles(s->d);
    for (size_t k = 0; k < STENCIL; k++) {
        for (size_t a = 0; a < s->d; a++)
            c[a] = ((double)k - 2) * stencil_step * direction[a];
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, y, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, y, v, there));
        ASSERT_OK(
            mst_score_evaluate_rows(source, 1, x, there, &t, &(mst_heat_values){.log_p = f + k}));
    }
    free(c);
    free(v);
}

static double first_difference(const double *f)
{
    return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * stencil_step);
}

static double second_difference(const double *f)
{
    return (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * stencil_step * stencil_step);
}

/* Truncation is h⁴/30 resp. h⁴/90 times a derivative of order one at the distances and times used here, up to
 * about a thousand near the conjugate points of the sphere; rounding 1e-15/h². */
static void check_derivatives(const setting *s, const mst_score *source, const double *x,
                              const double *y, double t)
{
    size_t d = s->d;
    const char *name = mst_score_name(source), *spec = mst_manifold_spec(s->m);
    double value, dt = NAN, f[STENCIL];
    double *score = doubles(s->D), *c = doubles(2 * d), *direction = c + d, *h = doubles(d * d);
    bool hessian = mst_score_gives(source, MST_GIVES_HESSIAN);
    mst_heat_values out = {
        .log_p = &value, .dt_log_p = &dt, .score = score, .hessian = hessian ? h : NULL};
    if (!mst_score_gives(source, MST_GIVES_TIME))
        out.dt_log_p = NULL;
    ASSERT_OK(mst_score_evaluate_rows(source, 1, x, y, &t, &out));
    ASSERT_OK(mst_manifold_to_frame(s->m, 1, y, score, c));
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k <= i; k++) {
            for (size_t a = 0; a < d; a++)
                direction[a] = (a == i ? 1 : 0) + (a == k ? 1 : 0);
            values_along(s, source, x, y, direction, t, f);
            assert_near(c[i] + c[k], first_difference(f), 1e-6 / t, "%s on %s: score %zu", name,
                        spec, i);
            double want = hessian ? h[i * d + i] + h[k * d + k] + h[i * d + k] + h[k * d + i] : 0;
            if (hessian)
                assert_near(want, second_difference(f), 1e-5 / t, "%s on %s: Hessian %zu, %zu",
                            name, spec, i, k);
        }
    if (mst_score_gives(source, MST_GIVES_TIME)) {
        double step = 1e-4 * t, up = t + step, down = t - step, high, low;
        ASSERT_OK(
            mst_score_evaluate_rows(source, 1, x, y, &up, &(mst_heat_values){.log_p = &high}));
        ASSERT_OK(
            mst_score_evaluate_rows(source, 1, x, y, &down, &(mst_heat_values){.log_p = &low}));
        assert_near(dt, (high - low) / (2 * step), 1e-5 / t, "%s on %s: time", name, spec);
    }
    free(score);
    free(c);
    free(h);
}

START_TEST(derivatives_are_those_of_the_value)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, POINTS, NULL, 0.5, 1), *y = draw(&s, POINTS, NULL, 0.5, 2);
    for (size_t i = 0; i < POINTS; i++) {
        check_derivatives(&s, s.log, x + i * s.D, y + i * s.D, 1);
        check_derivatives(&s, s.exact, x + i * s.D, y + i * s.D, 0.6);
    }
    free(x);
    free(y);
    setting_close(&s);
}
END_TEST

START_TEST(log_source_is_the_logarithm)
{
    /* 600 rows: more than one block inside. */
    enum { N = 600 };
    static const char *const all[] = {"sphere:2", "spd:3", "product(sphere:2,spd:3)", "torus:2"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        setting s = setting_open(all[k]);
        double *x = draw(&s, N, NULL, 0.5, 3), *y = draw(&s, N, NULL, 0.5, 4);
        double *value = doubles(N), *score = doubles(N * s.D), *v = doubles(N * s.D),
               *r = doubles(N);
        mst_heat_values out = {.log_p = value, .score = score};
        ASSERT_OK(mst_score_evaluate_rows(s.log, N, x, y, NULL, &out));
        ASSERT_OK(mst_manifold_log(s.m, N, y, x, v, NULL));
        ASSERT_OK(mst_manifold_dist(s.m, N, y, x, r));
        for (size_t i = 0; i < N; i++)
            assert_near(value[i], -0.5 * r[i] * r[i], 1e-12 * (1 + r[i] * r[i]), "%s: row %zu",
                        all[k], i);
        for (size_t i = 0; i < N * s.D; i++)
            assert_near(score[i], v[i], 1e-12 * (1 + fabs(v[i])), "%s: number %zu", all[k], i);
        bool spd = strstr(all[k], "spd") != NULL;
        const mst_score_info *info = mst_score_describe(s.log);
        ck_assert(info->gives == (MST_GIVES_LOG_P | (spd ? 0 : MST_GIVES_HESSIAN)));
        ck_assert(mst_score_manifold(s.log) == s.m && info->cost < 0.25);
        ck_assert_str_eq(mst_score_name(s.log), "log");
        free(x), free(y), free(value), free(score), free(v), free(r);
        setting_close(&s);
    }
}
END_TEST

START_TEST(log_source_at_the_point_itself)
{
    for (size_t k = 0; k < SPECS; k++) {
        setting s = setting_open(specs[k]);
        if (mst_score_gives(s.log, MST_GIVES_HESSIAN)) {
            double *x = draw(&s, 1, NULL, 0.5, 5), *h = doubles(s.d * s.d), value;
            ASSERT_OK(mst_score_evaluate_rows(s.log, 1, x, x, NULL,
                                              &(mst_heat_values){.log_p = &value, .hessian = h}));
            assert_near(value, 0, 1e-28, "%s", specs[k]);
            for (size_t i = 0; i < s.d * s.d; i++)
                assert_near(h[i], i % (s.d + 1) == 0 ? -1 : 0, 1e-14, "%s: %zu", specs[k], i);
            free(x);
            free(h);
        }
        setting_close(&s);
    }
}
END_TEST

START_TEST(exact_source_is_the_heat_kernel)
{
    setting s = setting_open(specs[_i]);
    enum { N = 300 };
    double *x = draw(&s, N, NULL, 0.5, 6), *y = draw(&s, N, NULL, 0.5, 7), *t = doubles(N);
    size_t size = 2 + s.D + s.d * s.d;
    double *one = doubles(N * size), *two = doubles(N * size);
    for (size_t i = 0; i < N; i++)
        t[i] = 0.05 + 0.01 * (double)i;
    double *block[] = {one, two};
    mst_heat_values out[2];
    for (size_t k = 0; k < 2; k++)
        out[k] = (mst_heat_values){.log_p = block[k],
                                   .dt_log_p = block[k] + N,
                                   .score = block[k] + 2 * N,
                                   .hessian = block[k] + (2 + s.D) * N};
    ASSERT_OK(mst_score_evaluate_rows(s.exact, N, x, y, t, &out[0]));
    ASSERT_OK(mst_heat_kernel_times(s.m, N, x, y, t, 1, &out[1]));
    ck_assert_msg(memcmp(one, two, N * size * sizeof *one) == 0, "%s differs", specs[_i]);
    const mst_score_info *info = mst_score_describe(s.exact);
    ck_assert(info->gives == (MST_GIVES_TIME | MST_GIVES_LOG_P | MST_GIVES_HESSIAN));
    ck_assert(info->t_least == 0 && isinf(info->t_largest) && info->precision == 0);
    ck_assert(info->noise == 0 && info->cost < 0.25);
    ck_assert_str_eq(mst_score_name(s.exact), "exact");
    free(x), free(y), free(t), free(one), free(two);
    setting_close(&s);
}
END_TEST

START_TEST(there_is_no_exact_source_without_a_closed_form)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, "spd:3"));
    mst_score *source = (mst_score *)&m;
    ASSERT_FAILS(MST_UNABLE, mst_heat_require_exact(m));
    ASSERT_FAILS(MST_UNABLE, mst_score_exact_new(&source, m));
    ck_assert_ptr_null(source);
    mst_manifold_free(m);
}
END_TEST

/* ---- A source of the user's own: the heat kernel, which keeps back some of what it knows ---- */

typedef struct own_data {
    size_t freed;
    double factor; /* of log p, and so of all its derivatives */
    bool log_p;    /* does it give it? */
} own_data;

static void own_describe(const mst_score *s, mst_score_info *info)
{
    ck_assert(info->gives == 0 && info->t_least == 0 && isinf(info->t_largest));
    ck_assert(info->precision == 0 && info->noise == 0 && info->cost == 0.1);
    const own_data *data = mst_score_data(s);
    info->gives = MST_GIVES_TIME | (data->log_p ? MST_GIVES_LOG_P : 0);
}

static mst_status own_evaluate(const mst_score *s, const mst_pairs *pairs,
                               const mst_heat_values *out)
{
    ck_assert(pairs->n > 0 && out->hessian == NULL);
    double factor = ((const own_data *)mst_score_data(s))->factor;
    const mst_manifold *m = mst_score_manifold(s);
    mst_status status = mst_heat_pairs(m, pairs, 1, out);
    for (size_t i = 0; status == MST_OK && out->dt_log_p != NULL && i < pairs->n; i++)
        out->dt_log_p[i] *= factor;
    for (size_t i = 0; status == MST_OK && i < pairs->n * mst_manifold_ambient(m); i++)
        out->score[i] *= factor;
    for (size_t i = 0; status == MST_OK && out->log_p != NULL && i < pairs->n; i++)
        out->log_p[i] *= factor;
    return status;
}

static void own_free(void *data)
{
    ((own_data *)data)->freed++;
}

static const mst_score_ops own_ops = {
    .size = sizeof own_ops,
    .name = "own",
    .describe = own_describe,
    .evaluate = own_evaluate,
    .free_data = own_free,
};

START_TEST(a_source_of_your_own)
{
    setting s = setting_open("sphere:2");
    enum { N = 200 };
    double *x = draw(&s, N, NULL, 0.4, 8);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *want = fit(s.exact, N, x, &o);
    for (size_t k = 0; k < 2; k++) {
        own_data data = {.factor = 2, .log_p = k == 0};
        mst_score *source;
        ASSERT_OK(mst_score_new(&source, &own_ops, s.m, &data));
        ck_assert(mst_score_data(source) == &data);
        ck_assert_str_eq(mst_score_name(source), "own");
        ASSERT_OK(mst_score_evaluate_rows(source, 0, NULL, NULL, NULL, &(mst_heat_values){0}));
        /* Without a Hessian the steps are those of Fisher scoring; it needs a few more. */
        mst_mean_result *r = fit(source, N, x, &o);
        assert_near(gap(&s, r->mean, want->mean), 0, 1e-8, "mean");
        assert_near(r->time, want->time, 1e-8, "time");
        if (k == 0)
            assert_near(r->log_likelihood, 2 * want->log_likelihood, 1e-8, "log-likelihood");
        else
            ck_assert(isnan(r->log_likelihood) && isnan(r->aic) && isnan(r->bic));
        mst_mean_result_free(r);
        mst_score_free(source);
        ck_assert_uint_eq(data.freed, 1);
    }
    mst_score_free(NULL);
    mst_mean_result_free(want);
    free(x);
    setting_close(&s);
}
END_TEST

/* Of product(sphere:2,hyperbolic:2,euclidean:1) the values add up; a source that does not
 * say how has none. */
START_TEST(sources_of_factors_add_up)
{
    setting s = setting_open("product(sphere:2,hyperbolic:2,euclidean:1)");
    double *x = draw(&s, POINTS, NULL, 0.5, 71), t = 0.3;
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t k = 0; k < 2; k++) {
        double whole, sum = 0, part;
        mst_score *factor;
        ASSERT_OK(mst_score_evaluate_rows(sources[k], 1, x, x + s.D, &t,
                                          &(mst_heat_values){.log_p = &whole}));
        for (size_t f = 0, at = 0; f < 3; f++) {
            ASSERT_OK(mst_score_factor(&factor, sources[k], f));
            ck_assert(mst_score_manifold(factor) == mst_manifold_factor(s.m, f));
            ASSERT_OK(mst_score_evaluate_rows(factor, 1, x + at, x + s.D + at, &t,
                                              &(mst_heat_values){.log_p = &part}));
            sum += part;
            at += mst_manifold_ambient(mst_score_manifold(factor));
            mst_score_free(factor);
        }
        assert_near(sum, whole, 1e-13 * fabs(whole), "source %zu", k);
        ck_assert_int_eq(mst_score_factor(&factor, sources[k], 3), MST_ARGUMENT);
    }
    own_data data = {.factor = 1};
    mst_score *own, *factor;
    ASSERT_OK(mst_score_new(&own, &own_ops, s.m, &data));
    ck_assert_int_eq(mst_score_factor(&factor, own, 0), MST_UNABLE);
    ck_assert(factor == NULL);
    mst_score_free(own);
    free(x);
    setting_close(&s);
}
END_TEST

/* A source that keeps its paths says the same as one that does not, wherever y goes and whatever rows are
 * asked for; closed logarithms have nothing to keep. */
static const struct remembered {
    const char *file, *source;
} remembered[] = {
    {"torus", "log"}, {"ellipsoid", "log"}, {"torus", "expansion"}, {"ellipsoid", "expansion"}};
enum { REMEMBERED = sizeof remembered / sizeof *remembered };

START_TEST(remembered_rows_have_the_same_values)
{
    enum { N = 40 };
    /* Longer times look for more geodesics than were kept. */
    static const double times[] = {0.02, 0.05, 0.01, 0.3, 0.3, 0.02, 0.6, 0.04};
    char path[300];
    mst_manifold *m;
    mst_score *plain, *memory;
    snprintf(path, sizeof path, "%s/../../examples/manifolds/%s.manifold", MST_TEST_DATA,
             remembered[_i].file);
    ASSERT_OK(mst_manifold_parse(&m, path));
    ASSERT_OK(mst_score_open(&plain, remembered[_i].source, m));
    ASSERT_OK(mst_score_remember(&memory, plain, N));
    ck_assert_ptr_nonnull(memory);
    size_t D = mst_manifold_ambient(m);
    double precision = fmax(1e-9, mst_score_describe(plain)->precision);
    bool timed = mst_score_gives(plain, MST_GIVES_TIME);
    size_t compared = 0;
    double validity[N] = {0};
    double x[3 * (N + 1)], y[3], a[N], b[N], u[3 * N], v[3 * N];
    ASSERT_OK(mst_manifold_random_point(m, (mst_random){5, 0}, 0, N + 1, x));
    memcpy(y, x + N * D, D * sizeof *y);
    for (int round = 0; round < 8; round++) {
        size_t first = round == 3 ? 7 : 0, n = N - first;
        mst_pairs pairs = {.n = n, .x = x + first * D, .y = y, .t = &times[round], .first = first};
        mst_heat_values one = {.log_p = a, .score = u}, other = {.log_p = b, .score = v};
        ASSERT_OK(mst_score_evaluate(plain, &pairs, &one));
        ASSERT_OK(mst_score_evaluate(memory, &pairs, &other));
        if (timed)
            ASSERT_OK(mst_score_validity(plain, &pairs, &one, validity));
        for (size_t i = 0; i < n; i++) {
            if (validity[i] > MST_VALIDITY_LIMIT)
                continue;
            compared++;
            assert_near(b[i], a[i], precision * (1 + fabs(a[i])), "round %d, row %zu", round, i);
            for (size_t k = i * D; k < (i + 1) * D; k++)
                assert_near(v[k], u[k], 1e-6 + precision * fabs(u[k]), "round %d, number %zu",
                            round, k);
        }
        double step[3]; /* towards a row, less and less */
        ASSERT_OK(mst_manifold_log(m, 1, y, x, step, NULL));
        for (size_t k = 0; k < D; k++)
            step[k] *= round == 5 ? 0 : pow(0.3, round); /* once, nothing but the time changes */
        ASSERT_OK(mst_manifold_exp(m, 1, y, step, y));
    }
    ck_assert_uint_ge(compared, 4 * N);
    mst_score_free(memory);
    mst_score_free(plain);
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ASSERT_OK(mst_score_log_new(&plain, m));
    ASSERT_OK(mst_score_remember(&memory, plain, N));
    ck_assert_ptr_null(memory);
    mst_score_free(plain);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "score", 60, {derivatives_are_those_of_the_value, SPECS}, {log_source_is_the_logarithm, 0},
        {log_source_at_the_point_itself, 0}, {exact_source_is_the_heat_kernel, SPECS},
        {there_is_no_exact_source_without_a_closed_form, 0}, {a_source_of_your_own, 0},
        {sources_of_factors_add_up, 0}, {remembered_rows_have_the_same_values, REMEMBERED});
}
