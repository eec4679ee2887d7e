/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often the 95 % region of point and velocity holds the truth and the interval the noise, how far the
 * unbiased noise is from its truth, and how often tests of a column that does nothing call it something, over
 * simulated data sets of 200 rows. The binomial standard deviation at 2000 data sets is 0.5 %, so right code
 * of level 95 % leaves the limits of 93.5 and 96.5 % about once in 400 freshly chosen seeds; the seed is
 * fixed. The relative error of the mean noise has the standard deviation √(2/(200 d · 2000)) < 0.0023. */
#ifndef TEST_REGRESS_COVERAGE_H
#define TEST_REGRESS_COVERAGE_H

#include "base/linalg.h"
#include "stat/regress_parts.h"
#include "stat/regress_support.h"
#include "util/clock.h"

#include <stdio.h>

enum { N = 200 };

typedef struct coverage_case {
    const char *spec;
    double noise, speed;
    const char *source;
    size_t sets;  /* 2000, or fewer where one takes long */
    double slack; /* of coverage: 1.5 %, or three standard deviations of fewer sets */
} coverage_case;

/* x (N, 2): the first column moves the curve, the second does nothing; both have the mean 0. */
static inline void covariates(double *x)
{
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = 2 * ((double)i + 0.5) / N - 1;
        x[2 * i + 1] = i % 2 == 0 ? sin(17.0 * (double)i) : -sin(17.0 * (double)(i - 1));
    }
}

/* Is the truth within the region? The velocity is compared where the estimate is. */
static inline mst_status covered(const setting *s, const mst_regress_result *r, const true_curve *c,
                                 bool *inside)
{
    enum { MOST = 8 };
    size_t p = s->d * (1 + c->k);
    double v[16], back[16], delta[3 * MOST], block[9 * MOST * MOST], half[3 * MOST], w = 0;
    mst_status status = mst_manifold_log(s->m, 1, r->intercept, c->point, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(s->m, 1, r->intercept, v, delta);
    if (status == MST_OK)
        status = mst_manifold_log(s->m, 1, c->point, r->intercept, back, NULL);
    for (size_t j = 0; status == MST_OK && j < c->k; j++) {
        status = mst_manifold_transport(s->m, 1, c->point, back, c->velocities + j * s->D, v);
        for (size_t a = 0; a < s->D; a++)
            v[a] -= r->velocities[j * s->D + a];
        if (status == MST_OK)
            status = mst_manifold_to_frame(s->m, 1, r->intercept, v, delta + (1 + j) * s->d);
    }
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            block[a * p + b] = r->covariance[a * r->parameters + b];
    if (status == MST_OK)
        status = mst_solve(1, p, 1, block, delta, half, NULL);
    for (size_t a = 0; a < p; a++)
        w += delta[a] * half[a];
    *inside = w <= regress_radius2(r, p, r->degrees_of_freedom);
    return status;
}

typedef struct tally {
    size_t region, interval, rejected, failed;
    double noise;
} tally;

static inline mst_status one_set(const setting *s, const mst_score *source, const true_curve *c,
                                 size_t k, tally *t)
{
    double x[2 * N], z[N], y[N * 9];
    bool inside = false;
    covariates(x);
    for (size_t i = 0; i < N; i++)
        z[i] = x[2 * i];
    mst_regress_options o = mst_regress_options_default();
    o.threads = 1;
    mst_regress_result *r = NULL;
    mst_status status = rows_about(s, c, N, z, k, y);
    if (status == MST_OK)
        status = mst_regress_fit(&r, source, N, y, 2, x, &o);
    if (status == MST_OK) {
        true_curve both = *c;
        double v[18] = {0};
        memcpy(v, c->velocities, s->D * sizeof *v);
        both.k = 2;
        both.velocities = v;
        status = covered(s, r, &both, &inside);
        t->region += inside;
        t->interval += r->noise_low <= c->noise && c->noise <= r->noise_high;
        t->rejected += r->p_values[1] < 0.05;
        t->noise += r->noise_unbiased / c->noise;
    }
    mst_regress_result_free(r);
    return status;
}

static inline void print_coverage(const coverage_case *c, size_t sets, const tally *t,
                                  double seconds)
{
    double n = (double)sets;
    printf("%-13s %s, %zu sets: region %.2f %%, noise interval %.2f %%, unbiased noise %.4f of the "
           "truth, size of the test %.2f %%, %zu failed, %.0f s\n",
           c->spec, c->source, sets, 100 * (double)t->region / n, 100 * (double)t->interval / n,
           t->noise / n, 100 * (double)t->rejected / n, t->failed, seconds);
    fflush(stdout);
}

/* Sets first, first + 1, … */
typedef struct coverage_job {
    const setting *s;
    const mst_score *source;
    const true_curve *curve;
    size_t first;
    tally *each;
} coverage_job;

static inline void run_set(void *data, size_t k)
{
    coverage_job *j = data;
    j->each[k] = (tally){0};
    j->each[k].failed = one_set(j->s, j->source, j->curve, j->first + k, &j->each[k]) != MST_OK;
}

static inline void run_coverage(const coverage_case *c, size_t number)
{
    enum { ROUND = 100 }; /* sets, after which the figures so far are printed */
    setting s = setting_open(c->spec);
    mst_score *source;
    ASSERT_OK(mst_score_open(&source, c->source, s.m));
    true_curve curve = curve_at_random(&s, 1, c->speed, c->noise, 5 + number);
    size_t sets = simulated_sets(c->sets), region = 0, interval = 0, rejected = 0, failed = 0;
    size_t first = first_simulated_set();
    double sum = 0, begin = mst_clock_seconds();
    for (size_t done = 0; done < sets; done += ROUND) {
        size_t end = done + ROUND < sets ? done + ROUND : sets;
        tally each[ROUND];
        coverage_job j = {&s, source, &curve, first + done, each};
        each_in_parallel(end - done, run_set, &j);
        for (size_t k = 0; k < end - done; k++) {
            tally t = each[k];
            failed += t.failed;
            region += t.region;
            interval += t.interval;
            rejected += t.rejected;
            sum += t.noise;
        }
        print_coverage(c, end, &(tally){region, interval, rejected, failed, sum},
                       mst_clock_seconds() - begin);
    }
    double n = (double)sets, a = (double)region / n, b = (double)interval / n,
           e = (double)rejected / n, noise = sum / n;
    ck_assert_uint_eq(failed, 0);
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    ck_assert_msg(fabs(a - 0.95) <= c->slack, "%s: region %.4f", c->spec, a);
    ck_assert_msg(!timed || fabs(b - 0.95) <= c->slack, "%s: interval %.4f", c->spec, b);
    ck_assert_msg(fabs(noise - 1) <= 0.02, "%s: noise %.4f", c->spec, noise);
    ck_assert_msg(fabs(e - 0.05) <= c->slack, "%s: size %.4f", c->spec, e);
    curve_free(&curve);
    mst_score_free(source);
    setting_close(&s);
}

#endif
