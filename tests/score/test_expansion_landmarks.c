/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion of two crowded landmarks in the plane against their kernel by separation of variables
 * (tests/data/reference/landmarks2.csv), and its derivatives against differences. */
#include "support/landmarks_reference.h"
#include "support/score_support.h"

#include <manistat/score.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest but for the part 1 − p of n numbers, which are sorted. */
static double quantile(size_t n, double *a, double p)
{
    qsort(a, n, sizeof *a, ascending);
    return a[(size_t)(p * (double)(n - 1))];
}

/* Limits by t/σ²: median and 95 % of |Δ log p|, median and largest of the score's relative error. The
 * validity number is below its limit for all rows but those of t = σ², and tells the size of errors. */
START_TEST(two_landmarks)
{
    static const struct {
        double time, median, most, score, worst;
    } limits[] = {
        {0.1, 5e-3, 0.02, 1e-3, 0.01}, {0.3, 5e-3, 0.02, 0.01, 0.01}, {1, 0.05, 0.1, 0.05, 0.1}};
    static reference rows[ROWS];
    size_t n = read_reference(rows), seen = 0;
    ck_assert_uint_eq(n, ROWS);
    for (size_t group = 0; group < sizeof limits / sizeof *limits; group++) {
        double log_p[ROWS], score[ROWS], v, got, s[4], off[4];
        size_t count = 0, trusted = 0;
        for (size_t i = 0; i < n; i++) {
            const reference *r = &rows[i];
            char spec[64];
            if (fabs(r->t / (r->sigma * r->sigma) / limits[group].time - 1) > 1e-6)
                continue;
            snprintf(spec, sizeof spec, "landmarks:2x2?sigma=%.17g", r->sigma);
            mst_manifold *m = open_manifold(spec);
            mst_score *e;
            ASSERT_OK(mst_score_open(&e, "expansion", m));
            const mst_pairs pairs = mst_pairs_rows(m, 1, r->x, r->y, &r->t);
            ASSERT_OK(
                mst_score_validity(e, &pairs, &(mst_heat_values){.log_p = &got, .score = s}, &v));
            for (size_t k = 0; k < 4; k++)
                off[k] = s[k] - r->score[k];
            log_p[count] = fabs(got - r->log_p);
            score[count] = length_of(m, r->y, off) / length_of(m, r->y, r->score);
            if (v < MST_VALIDITY_LIMIT) {
                trusted++;
                ck_assert_msg(score[count] < 0.05, "row %zu has V = %g and is off by %g", i + 1, v,
                              score[count]);
            }
            count++;
            mst_score_free(e);
            mst_manifold_free(m);
        }
        double time = limits[group].time;
        ck_assert_uint_eq(count, 60);
        if (time < 0.5)
            ck_assert_uint_ge(trusted, 57);
        ck_assert_double_le(quantile(count, log_p, 0.5), limits[group].median);
        ck_assert_double_le(quantile(count, log_p, 0.95), limits[group].most);
        ck_assert_double_le(quantile(count, score, 0.5), limits[group].score);
        ck_assert_double_le(score[count - 1], limits[group].worst);
        seen += count;
    }
    ck_assert_uint_eq(seen, n);
}
END_TEST

/* Score, time derivative and Hessian are those of log p; kept geodesics give the same. */
START_TEST(derivatives)
{
    mst_manifold *m = open_manifold("landmarks:3x2?sigma=1");
    mst_score *e, *kept;
    const double x[6] = {0.3, 0.1, 1.2, -0.2, 0.1, 1.3}, y[6] = {0, 0, 1, 0.2, 0.3, 1};
    double t = 0.2, h = 1e-3, s[6], dt, log_p, hessian[36], c[6], frame[36], again;
    mst_heat_values all = {.log_p = &log_p, .dt_log_p = &dt, .score = s, .hessian = hessian};
    ASSERT_OK(mst_score_open(&e, "expansion", m));
    ASSERT_OK(mst_score_evaluate_rows(e, 1, x, y, &t, &all));
    ASSERT_OK(mst_manifold_to_frame(m, 1, y, s, c));
    ASSERT_OK(mst_manifold_frame(m, 1, y, frame));
    ASSERT_OK(mst_score_remember(&kept, e, 1));
    ck_assert_ptr_nonnull(kept);
    for (size_t k = 0; k < 6; k++) {
        double value[2], v[6], at[6];
        for (int side = 0; side < 2; side++) {
            for (size_t j = 0; j < 6; j++)
                v[j] = (side == 0 ? -h : h) * frame[k * 6 + j];
            ASSERT_OK(mst_manifold_exp(m, 1, y, v, at));
            ASSERT_OK(mst_score_evaluate_rows(e, 1, x, at, &t,
                                              &(mst_heat_values){.log_p = &value[side]}));
            ASSERT_OK(
                mst_score_evaluate_rows(kept, 1, x, at, &t, &(mst_heat_values){.log_p = &again}));
            assert_near(again, value[side], 1e-6, "a kept geodesic");
        }
        double first = (value[1] - value[0]) / (2 * h),
               second = (value[0] + value[1] - 2 * log_p) / (h * h);
        assert_near(c[k], first, 1e-3, "the score along %zu", k);
        /* Of −r²/2t alone. */
        assert_near(hessian[k * 7], second, 0.05 / t, "the Hessian along %zu", k);
    }
    double later = t * (1 + 1e-4), other;
    ASSERT_OK(mst_score_evaluate_rows(e, 1, x, y, &later, &(mst_heat_values){.log_p = &other}));
    assert_near(dt, (other - log_p) / (later - t), 1e-2 * (1 + fabs(dt)), "the time derivative");
    mst_score_free(kept);
    mst_score_free(e);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("expansion_landmarks", 60, {two_landmarks, 0}, {derivatives, 0});
}
