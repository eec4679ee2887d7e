/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means on manifolds given by their metrics are those of the closed ones, by the same source. */
#include "mean_support.h"
#include "support/metric_manifolds.h"

#include <stdio.h>

static void fit_mean(const mst_score *source, size_t n, const double *x, double *mean,
                     double *variance)
{
    mst_mean_result *r;
    ASSERT_OK(mst_mean_fit(&r, source, n, x, NULL));
    ck_assert(r->converged);
    memcpy(mean, r->mean, mst_manifold_ambient(mst_score_manifold(source)) * sizeof *mean);
    *variance = r->variance;
    mst_mean_result_free(r);
}

START_TEST(means_agree)
{
    enum { N = 40, WIDE = 3 };
    const metric_twin *twin = &metric_twins[_i];
    mst_manifold *m;
    ASSERT_OK(twin->make(&m));
    setting open = setting_of(m), closed = setting_open(twin->spec);
    /* The sphere's points lie on both sides of the border of the charts. */
    const double from[METRIC_TWINS][WIDE] = {{0.5, 2}, {1.2, 1.3, 1}};
    double *x = draw(&open, N, from[_i], 0.2, 5), *y = doubles(N * WIDE);
    double mean[WIDE], want[WIDE], got[WIDE], r, spread[2];
    twin->there(N, x, y);
    fit_mean(open.log, N, x, mean, &spread[0]);
    fit_mean(closed.log, N, y, want, &spread[1]);
    twin->there(1, mean, got);
    ASSERT_OK(mst_manifold_dist(closed.m, 1, got, want, &r));
    assert_near(r, 0, 1e-6, "%s: Fréchet mean", twin->spec);
    assert_near(spread[0], spread[1], 1e-6, "%s: variance", twin->spec);
    free(x), free(y);
    setting_close(&open);
    setting_close(&closed);
}
END_TEST

/* A chart and equations, Fréchet and by the expansion. */
START_TEST(retraction_ends_in_the_same_place)
{
    enum { N = 60, WIDE = 3 };
    static const char *const files[] = {"half-plane", "ellipsoid"};
    char path[300];
    mst_manifold *m;
    mst_score *expansion;
    snprintf(path, sizeof path, "%s/../../examples/manifolds/%s.manifold", MST_TEST_DATA,
             files[_i]);
    ASSERT_OK(mst_manifold_parse(&m, path));
    setting s = setting_of(m);
    ASSERT_OK(mst_score_expansion_new(&expansion, m));
    double *x = draw(&s, N, NULL, 0.05, 8);
    for (int k = 0; k < 2; k++) {
        mst_mean_options o = mst_mean_options_default();
        mst_mean_result *r[2];
        for (int by = 0; by < 2; by++) {
            o.retract = by == 1;
            ASSERT_OK(mst_mean_fit(&r[by], k == 0 ? s.log : expansion, N, x, &o));
            ck_assert(r[by]->converged);
        }
        double off = gap(&s, r[0]->mean, r[1]->mean);
        /* The expansion knows its own score to 1e-6 only. */
        ck_assert_msg(off <= (k == 0 ? 1e-8 : 1e-5), "%s: %g apart", files[_i], off);
        mst_mean_result_free(r[0]);
        mst_mean_result_free(r[1]);
    }
    free(x);
    mst_score_free(expansion);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("means of metrics", 60, {means_agree, METRIC_TWINS},
                     {retraction_ends_in_the_same_place, 2});
}
