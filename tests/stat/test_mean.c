/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means with error bars where they exist: closed forms, invariances, methods, options. */
#include "stat/distributions.h"
#include "stat/mean_support.h"

#include <stdio.h>

/* ---- Flat space, where everything is known ---- */

typedef struct flat_case {
    const char *spec;
    double scale, offset; /* of the coordinates */
    bool weighted;
} flat_case;

static const flat_case flat_cases[] = {
    {"euclidean:1", 1, 0, false},  {"euclidean:3", 1, 0, false},   {"euclidean:3", 1, 0, true},
    {"euclidean:2", 1e8, 0, true}, {"euclidean:2", 1e-6, 0, true}, {"euclidean:2", 1, 1e7, false},
    {"sym:2", 1, 0, true},         {"euclidean:10", 1, 0, false},
};
enum { FLAT_CASES = sizeof flat_cases / sizeof *flat_cases };

START_TEST(flat_space_in_closed_form)
{
    const flat_case *f = &flat_cases[_i];
    setting s = setting_open(f->spec);
    enum { N = 60 };
    double *x = draw(&s, N, NULL, 0.7, 21), weights[N], total = 0;
    double *mean = doubles(s.D), square = 0, d = (double)s.d;
    memset(mean, 0, s.D * sizeof *mean);
    for (size_t k = 0; k < N * s.D; k++)
        x[k] = f->offset + f->scale * x[k];
    for (size_t i = 0; i < N; i++) {
        weights[i] = f->weighted ? 0.5 + (double)(i % 3) : 1;
        total += weights[i];
        for (size_t k = 0; k < s.D; k++)
            mean[k] += weights[i] * x[i * s.D + k];
    }
    for (size_t k = 0; k < s.D; k++)
        mean[k] /= total;
    for (size_t i = 0; i < N; i++) {
        double r = gap(&s, mean, x + i * s.D);
        square += weights[i] * r * r;
    }
    double t = square / total / d, unit = sqrt(t);
    /* Rounding of the coordinates, in units of the spread. */
    double error = 1e-9 + 1e-14 * f->offset / unit;
    mst_mean_options o = mst_mean_options_default();
    o.weights = f->weighted ? weights : NULL;
    double *far = doubles(s.D);
    for (size_t k = 0; k < s.D; k++)
        far[k] = mean[k] + 1e6 * unit;
    for (size_t k = 0; k < 2; k++) {
        o.start = k == 0 ? NULL : far;
        mst_mean_result *r = fit(s.exact, N, x, &o);
        assert_near(gap(&s, r->mean, mean), 0, error * unit, "%s: mean", f->spec);
        assert_near(r->time, t, error * t, "%s: time", f->spec);
        assert_near(r->variance, d * t, error * d * t, "%s: variance", f->spec);
        assert_near(r->time_standard_error, t * sqrt(2 / (total * d)), 1e-5 * t,
                    "%s: error of the time", f->spec);
        /* Integrated over μ the likelihood is t^(−(W−1)d/2) e^(−W d t̂/2t): a maximum at t̂ W/(W − 1), and it
         * falls by ½ χ² at the ends, to 1e-3 of that. */
        double best = t * total / (total - 1), half = 0.5 * (total - 1) * d;
        assert_near(r->time_corrected, best, 3e-3 * sqrt(2 / (total * d)) * best, "%s: corrected",
                    f->spec);
        double ends[] = {best / r->time_low, best / r->time_high};
        for (size_t e = 0; e < 2; e++)
            assert_near(half * (ends[e] - 1 - log(ends[e])), 0.5 * 3.841458820694124, 0.006,
                        "%s: end %zu", f->spec, e);
        ck_assert(r->time_low < best && best < r->time_high);
        for (size_t a = 0; a < s.d * s.d; a++)
            assert_near(r->covariance[a], a % (s.d + 1) == 0 ? t / total : 0, 1e-6 * t / total,
                        "%s: covariance %zu", f->spec, a);
        assert_near(r->standard_error, sqrt(d * t / total), 1e-6 * unit, "%s: error", f->spec);
        /* The time was fitted to the same rows: Fisher's law in place of χ². */
        double fisher = r->region_radius2 * (total - 1) / total / d;
        assert_near(mst_f_survival(fisher, d, (total - 1) * d), 0.05, 1e-9, "%s: radius", f->spec);
        double ball = pow(M_PI * r->region_radius2 * t / total, d / 2) / tgamma(d / 2 + 1);
        assert_near(r->region_volume, ball, 1e-5 * ball, "%s: volume", f->spec);
        double value = -total * d / 2 * (log(2 * M_PI * t) + 1), p = d + 1;
        assert_near(r->log_likelihood, value, 1e-9 * fabs(value), "%s: log-likelihood", f->spec);
        ck_assert_uint_eq(r->parameters, s.d + 1);
        assert_near(r->aic, 2 * p - 2 * value, 1e-8 * fabs(value), "%s: AIC", f->spec);
        assert_near(r->bic, log(total) * p - 2 * value, 1e-8 * fabs(value), "%s: BIC", f->spec);
        ck_assert(r->unique && r->set_size == 1 && r->time_limit == MST_TIME_FINITE);
        ck_assert(r->gradient_norm <= 1e-7 * fmax(1, 1 / unit) && r->decrement < 1e-15);
        mst_mean_result_free(r);
        mst_mean_result *frechet = fit(s.log, N, x, &o);
        assert_near(gap(&s, frechet->mean, mean), 0, error * unit, "%s: Fréchet", f->spec);
        assert_near(frechet->variance, d * t, error * d * t, "%s: Fréchet", f->spec);
        ck_assert(isnan(frechet->time) && isnan(frechet->log_likelihood) && isnan(frechet->aic));
        mst_mean_result_free(frechet);
    }
    free(x), free(mean), free(far);
    setting_close(&s);
}
END_TEST

/* ---- Invariances ---- */

/* An isometry of the manifold: a reflection on spheres, a rotation from the left, a
 * congruence, a shift of angles. */
static void move_row(const setting *s, const double *x, double *y)
{
    const char *name = mst_manifold_table(s->m)->name;
    static const double a[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    if (strcmp(name, "torus") == 0) {
        for (size_t k = 0; k < s->D; k++)
            y[k] = x[k] + 2.5;
        return;
    }
    if (strcmp(name, "sphere") == 0 || strcmp(name, "hyperbolic") == 0) {
        /* The last three coordinates; the time-like one of the hyperboloid comes first. */
        memcpy(y, x, s->D * sizeof *y);
        for (size_t i = 0; i < 3; i++)
            y[s->D - 3 + i] = dot(3, a + 3 * i, x + s->D - 3);
        return;
    }
    bool spd = strcmp(name, "spd") == 0;
    static const double c[4] = {1.5, 0.3, -0.7, 2};
    size_t n = spd ? 2 : 3;
    double half[9];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            half[i * n + k] = 0;
            for (size_t e = 0; e < n; e++)
                half[i * n + k] += (spd ? c[i * n + e] : a[i * n + e]) * x[e * n + k];
        }
    memcpy(y, half, n * n * sizeof *y);
    for (size_t i = 0; spd && i < n; i++)
        for (size_t k = 0; k < n; k++)
            y[i * n + k] = half[i * n] * c[k * n] + half[i * n + 1] * c[k * n + 1];
}

static const char *const curved[] = {"sphere:2", "sphere:4",     "so3",
                                     "spd:2",    "hyperbolic:3", "torus:2"};
enum { CURVED = sizeof curved / sizeof *curved };

START_TEST(isometries_carry_means_along)
{
    setting s = setting_open(curved[_i]);
    enum { N = 80 };
    double *x = draw(&s, N, NULL, 0.4, 22), *y = doubles(N * s.D), *moved = doubles(s.D);
    for (size_t i = 0; i < N; i++)
        move_row(&s, x + i * s.D, y + i * s.D);
    mst_mean_options o = mst_mean_options_default();
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t k = 0; k < 2; k++) {
        mst_mean_result *a = fit(sources[k], N, x, &o), *b = fit(sources[k], N, y, &o);
        move_row(&s, a->mean, moved);
        memcpy(a->mean, moved, s.D * sizeof *moved);
        assert_same_fit(&s, a, b, 1e-8, curved[_i]);
        assert_near(a->variance, b->variance, 1e-9, "%s: variance", curved[_i]);
        assert_near(a->region_volume, b->region_volume, 1e-5 * b->region_volume, "%s: volume",
                    curved[_i]);
        mst_mean_result_free(a);
        mst_mean_result_free(b);
    }
    free(x), free(y), free(moved);
    setting_close(&s);
}
END_TEST

START_TEST(any_start_leads_to_the_mean)
{
    setting s = setting_open(curved[_i]);
    enum { N = 100 };
    double *x = draw(&s, N, NULL, 0.3, 23);
    mst_mean_options o = mst_mean_options_default();
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t k = 0; k < 2; k++) {
        o.start = NULL;
        o.starts = 4;
        mst_mean_result *want = fit(sources[k], N, x, &o);
        ck_assert(want->unique);
        o.starts = 1;
        for (size_t i = 0; i < N; i += 9) {
            o.start = x + i * s.D;
            mst_mean_result *got = fit(sources[k], N, x, &o);
            assert_same_fit(&s, got, want, 1e-8, curved[_i]);
            mst_mean_result_free(got);
        }
        mst_mean_result_free(want);
    }
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(weights_are_repetitions)
{
    setting s = setting_open(curved[_i]);
    enum { N = 50 };
    double *x = draw(&s, N, NULL, 0.4, 24), *long_x = doubles(4 * N * s.D), weights[N];
    double ones[4 * N]; /* equal rows without weights are copies */
    size_t rows = 0;
    for (size_t i = 0; i < 4 * N; i++)
        ones[i] = 1;
    for (size_t i = 0; i < N; i++) {
        weights[i] = (double)(i % 4);
        for (size_t k = 0; k < i % 4; k++)
            memcpy(long_x + rows++ * s.D, x + i * s.D, s.D * sizeof *x);
    }
    mst_mean_options o = mst_mean_options_default(), p = o;
    p.weights = weights;
    o.weights = ones;
    mst_mean_result *a = fit(s.exact, rows, long_x, &o), *b = fit(s.exact, N, x, &p);
    assert_same_fit(&s, b, a, 1e-9, curved[_i]);
    assert_near(b->bic, a->bic, 1e-9 * fabs(a->bic), "%s: BIC", curved[_i]);
    assert_near(b->variance, a->variance, 1e-12, "%s: variance", curved[_i]);
    mst_mean_result *c = fit(s.log, rows, long_x, &o), *e = fit(s.log, N, x, &p);
    assert_near(gap(&s, c->mean, e->mean), 0, 1e-9, "%s: Fréchet", curved[_i]);
    /* Rows without a weight are not there, wherever they are. */
    size_t kept = 0;
    for (size_t i = 0; i < N; i++)
        if (weights[i] > 0) {
            memcpy(long_x + kept * s.D, x + i * s.D, s.D * sizeof *x);
            weights[kept++] = weights[i];
        }
    mst_mean_result *f = fit(s.exact, kept, long_x, &p);
    assert_same_fit(&s, f, b, 1e-9, curved[_i]);
    assert_near(f->aic, b->aic, 1e-9 * fabs(b->aic), "%s: AIC", curved[_i]);
    mst_mean_result_free(a);
    mst_mean_result_free(b);
    mst_mean_result_free(c);
    mst_mean_result_free(e);
    mst_mean_result_free(f);
    free(x);
    free(long_x);
    setting_close(&s);
}
END_TEST

/* ---- Methods and times ---- */

START_TEST(methods_agree)
{
    setting s = setting_open(curved[_i]);
    enum { N = 60 };
    double *x = draw(&s, N, NULL, 0.5, 25);
    mst_mean_options o = mst_mean_options_default();
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t k = 0; k < 2; k++) {
        o.method = MST_MEAN_NEWTON;
        mst_mean_result *want = fit(sources[k], N, x, &o);
        ck_assert_uint_le(want->iterations, 15);
        static const mst_mean_method methods[] = {MST_MEAN_GRADIENT, MST_MEAN_ADAM};
        for (size_t i = 0; i < 2; i++) {
            o.method = methods[i];
            mst_mean_result *got = fit(sources[k], N, x, &o);
            assert_same_fit(&s, got, want, 1e-8, curved[_i]);
            ck_assert_uint_gt(got->iterations, want->iterations);
            ck_assert(isnan(got->decrement) || got->decrement < 1e-15);
            mst_mean_result_free(got);
        }
        mst_mean_result_free(want);
    }
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(fixed_times)
{
    setting s = setting_open(curved[_i]);
    enum { N = 70 };
    double *x = draw(&s, N, NULL, 0.3, 26);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *frechet = fit(s.log, N, x, &o), *free_time = fit(s.exact, N, x, &o);
    /* At the fitted time the mean is the fitted one. */
    o.time = free_time->time;
    mst_mean_result *r = fit(s.exact, N, x, &o);
    assert_near(gap(&s, r->mean, free_time->mean), 0, 1e-8, "%s", curved[_i]);
    assert_near(r->log_likelihood, free_time->log_likelihood, 1e-9 * N, "%s", curved[_i]);
    ck_assert(r->time == o.time && isnan(r->time_standard_error) && isnan(r->time_low));
    ck_assert_uint_eq(r->parameters, s.d);
    mst_mean_result_free(r);
    /* As t → 0, log p = −r²/2t + O(1): the mean moves by O(t). */
    double before = 1;
    for (double t = 1e-2; t > 1e-7; t /= 10) {
        o.time = t;
        r = fit(s.exact, N, x, &o);
        double away = gap(&s, r->mean, frechet->mean);
        ck_assert_msg(away < t && (away < 0.2 * before || away < 1e-9), "%s: %g at t = %g",
                      curved[_i], away, t);
        before = away;
        mst_mean_result_free(r);
    }
    mst_mean_result_free(frechet);
    mst_mean_result_free(free_time);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(products_are_their_factors)
{
    setting s = setting_open("product(sphere:2,hyperbolic:2,circle)");
    static const char *const specs[] = {"sphere:2", "hyperbolic:2", "circle"};
    enum { N = 90 };
    double *x = draw(&s, N, NULL, 0.4, 27), value = 0, square = 0;
    mst_mean_options o = mst_mean_options_default();
    o.time = 0.35;
    mst_mean_result *whole = fit(s.exact, N, x, &o), *frechet = fit(s.log, N, x, &o);
    size_t at = 0;
    for (size_t f = 0; f < 3; f++) {
        setting part = setting_open(specs[f]);
        double *y = doubles(N * part.D);
        for (size_t i = 0; i < N; i++)
            memcpy(y + i * part.D, x + i * s.D + at, part.D * sizeof *y);
        mst_mean_result *r = fit(part.exact, N, y, &o), *l = fit(part.log, N, y, &o);
        assert_near(gap(&part, r->mean, whole->mean + at), 0, 1e-9, "%s", specs[f]);
        assert_near(gap(&part, l->mean, frechet->mean + at), 0, 1e-9, "%s", specs[f]);
        value += r->log_likelihood;
        square += r->standard_error * r->standard_error;
        mst_mean_result_free(r);
        mst_mean_result_free(l);
        at += part.D;
        free(y);
        setting_close(&part);
    }
    assert_near(whole->log_likelihood, value, 1e-9 * fabs(value), "log-likelihood");
    assert_near(whole->standard_error, sqrt(square), 1e-9, "standard error");
    mst_mean_result_free(whole);
    mst_mean_result_free(frechet);
    free(x);
    setting_close(&s);
}
END_TEST

/* A compact factor bounds the steps in itself, not those in its neighbours. */
START_TEST(a_line_beside_a_sphere_is_as_wide_as_its_points)
{
    setting s = setting_open("product(sphere:2,euclidean:1)");
    enum { N = 40 };
    const double start[] = {0, 0, 1, 3000};
    double *x = draw(&s, N, NULL, 0.3, 28), middle = 0;
    for (size_t i = 0; i < N; i++) {
        x[4 * i + 3] = 1000 * sin(7 * (double)i) - 57;
        middle += x[4 * i + 3] / N;
    }
    mst_mean_options o = mst_mean_options_default();
    o.start = start;
    o.starts = 1;
    mst_mean_result *frechet = fit(s.log, N, x, &o);
    assert_near(frechet->mean[3], middle, 1e-8 * fabs(middle), "the mean on the line");
    ck_assert_uint_le(frechet->iterations, 10);
    o.time = 1e6;
    mst_mean_result *diffusion = fit(s.exact, N, x, &o);
    assert_near(diffusion->mean[3], middle, 1e-8 * fabs(middle), "the diffusion mean");
    ck_assert_uint_le(diffusion->iterations, 10);
    mst_mean_result_free(frechet);
    mst_mean_result_free(diffusion);
    free(x);
    setting_close(&s);
}
END_TEST

/* Distances are no log-likelihood: their observed information says nothing, and the result says so. */
START_TEST(results_say_which_covariance_they_hold)
{
    setting s = setting_open("sphere:2");
    enum { N = 20 };
    double *x = draw(&s, N, NULL, 0.3, 29);
    mst_mean_options o = mst_mean_options_default();
    o.resamples = 20;
    o.seed = 5;
    for (mst_covariance_kind kind = MST_COVARIANCE_OBSERVED; kind <= MST_COVARIANCE_BOOTSTRAP;
         kind++) {
        o.covariance = kind;
        mst_mean_result *r = fit(s.exact, N, x, &o), *f = fit(s.log, N, x, &o);
        ck_assert_int_eq(r->covariance_kind, kind);
        ck_assert_int_eq(f->covariance_kind,
                         kind == MST_COVARIANCE_OBSERVED ? MST_COVARIANCE_SANDWICH : kind);
        mst_mean_result_free(r);
        mst_mean_result_free(f);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- Fréchet means without a Hessian, and with nothing but the required slots ---- */

START_TEST(positive_definite_matrices)
{
    enum { N = 40, ORDER = 6 };
    setting s = setting_open("spd:6");
    double *x = draw(&s, N, NULL, 0.2, 28);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    double *v = doubles(N * s.D), *y = doubles(N * s.D);
    for (size_t i = 0; i < N; i++)
        memcpy(y + i * s.D, r->mean, s.D * sizeof *y);
    ASSERT_OK(mst_manifold_log(s.m, N, y, x, v, NULL));
    for (size_t k = 0; k < s.D; k++) {
        double sum = 0;
        for (size_t i = 0; i < N; i++)
            sum += v[i * s.D + k] / N;
        assert_near(sum, 0, 1e-9, "mean logarithm");
    }
    ck_assert(r->decrement < 1e-15 && r->standard_error > 0 && r->unique);
    mst_mean_result_free(r);
    /* Matrices that commute: the mean of their logarithms. Twelve powers of ten between the entries. */
    double want[ORDER] = {0};
    memset(x, 0, N * s.D * sizeof *x);
    dice d = {29};
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < ORDER; k++) {
            double l = dice_normal(&d) + 5 * (double)k - 12;
            x[i * s.D + k * ORDER + k] = exp(l);
            want[k] += l / N;
        }
    r = fit(s.log, N, x, &o);
    for (size_t k = 0; k < ORDER; k++)
        assert_near(log(r->mean[k * ORDER + k]), want[k], 1e-9, "diagonal %zu", k);
    mst_mean_result_free(r);
    free(x), free(v), free(y);
    setting_close(&s);
}
END_TEST

/* Condition numbers near 1e16: a full first step leads beyond the range in which matrices are positive
 * definite to rounding, and so does the mean of the entries. */
START_TEST(matrices_that_are_far_apart)
{
    setting s = setting_open("spd:5");
    enum { N = 60 };
    double *x = draw(&s, N, NULL, 9, 33);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert(r->unique && r->variance > 100);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Order 8 and more: the total error alone, of random sums; who asks gets the matrix, and the same total. */
START_TEST(errors_of_large_matrices)
{
    setting s = setting_open("spd:9");
    enum { N = 60 };
    double *x = draw(&s, N, NULL, 0.3, 30);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *total = fit(s.log, N, x, &o);
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *whole = fit(s.log, N, x, &o);
    ck_assert(total->covariance == NULL && total->basis == NULL && whole->covariance != NULL);
    ck_assert_int_eq(total->no_region, MST_REGION_NOT_ASKED);
    ck_assert_int_eq(whole->region_kind, MST_REGION_ELLIPSOID);
    /* Four sums of 60 rows in 45 dimensions: their ratio is right to about 1 %. */
    assert_near(total->standard_error / whole->standard_error, 1, 0.02, "the total error");
    mst_mean_result_free(total);
    mst_mean_result_free(whole);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(a_manifold_with_required_slots_only)
{
    /* A sphere of radius 2 that knows neither log nor frame. */
    mst_manifold *bare;
    ASSERT_OK(bare_sphere_new(&bare));
    setting s = setting_of(bare), unit = setting_open("sphere:2");
    enum { N = 30 };
    double *x = draw(&unit, N, NULL, 0.1, 31);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *want = fit(unit.log, N, x, &o);
    for (size_t k = 0; k < N * 3; k++)
        x[k] *= 2;
    o.starts = 1;
    mst_mean_result *r = fit(s.log, N, x, &o);
    for (size_t k = 0; k < 3; k++)
        assert_near(r->mean[k], 2 * want->mean[k], 1e-7, "coordinate %zu", k);
    assert_near(r->variance, 4 * want->variance, 1e-6, "variance");
    assert_near(r->standard_error, 2 * want->standard_error, 1e-3 * want->standard_error,
                "standard error");
    mst_mean_result_free(want);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
    setting_close(&unit);
}
END_TEST

/* Large entries of a matrix are no large distances: rows that differ by a hundredth are not one point. */
START_TEST(large_matrices_are_not_one_point)
{
    setting s = setting_open("spd:2");
    enum { N = 30 };
    double *x = draw(&s, N, NULL, 1e-4, 91), small[4 * N];
    memcpy(small, x, sizeof small);
    for (size_t k = 0; k < 4 * N; k++)
        x[k] *= 1e12;
    mst_mean_result *r = fit(s.exact, N, x, NULL), *want = fit(s.exact, N, small, NULL);
    assert_near(r->time, want->time, 1e-9 * want->time, "time");
    mst_mean_result_free(want);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Rows without a weight are not there, also not for those who doubt whether there is a mean. */
START_TEST(one_row_that_weighs_is_one_row)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 5, NULL, 0.3, 92), weights[5] = {1};
    mst_mean_options o = mst_mean_options_default();
    o.time = 0.3;
    mst_mean_result *alone = fit(s.exact, 1, x, &o);
    o.weights = weights;
    mst_mean_result *r = fit(s.exact, 5, x, &o);
    ck_assert_uint_eq(r->notes & MST_NOTE_MAYBE_UNIFORM, alone->notes & MST_NOTE_MAYBE_UNIFORM);
    mst_mean_result_free(r);
    mst_mean_result_free(alone);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean", 60, {flat_space_in_closed_form, FLAT_CASES},
                     {isometries_carry_means_along, CURVED}, {any_start_leads_to_the_mean, CURVED},
                     {weights_are_repetitions, CURVED}, {methods_agree, CURVED},
                     {fixed_times, CURVED}, {products_are_their_factors, 0},
                     {a_line_beside_a_sphere_is_as_wide_as_its_points, 0},
                     {results_say_which_covariance_they_hold, 0}, {positive_definite_matrices, 0},
                     {matrices_that_are_far_apart, 0}, {errors_of_large_matrices, 0},
                     {a_manifold_with_required_slots_only, 0},
                     {large_matrices_are_not_one_point, 0}, {one_row_that_weighs_is_one_row, 0});
}
