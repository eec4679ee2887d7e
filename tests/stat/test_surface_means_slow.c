/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means on surfaces from formulas, where nobody knows how far geodesics are minimal: how often the
 * region holds the mean, and what is said of rows that are nearly uniform. */
#include "stat/mean_support.h"
#include "support/rates.h"

#include <stdio.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

typedef struct surface_law {
    const char *file;
    double
        sd[2]; /* of normal frame coordinates about the start; 0: uniform coordinates of a period */
    size_t n;
    setting *s;
} surface_law;

static double *surface_rows(const surface_law *l, size_t set)
{
    const setting *s = l->s;
    double *x = doubles(l->n * s->D), c[2], v[3], start[3];
    dice d = {7000 + set};
    mst_manifold_start(s->m, start);
    for (size_t i = 0; i < l->n; i++) {
        if (l->sd[0] == 0) {
            for (size_t a = 0; a < s->D; a++)
                x[i * s->D + a] = dice_uniform(&d, -M_PI, M_PI);
            continue;
        }
        for (size_t a = 0; a < 2; a++)
            c[a] = l->sd[a] * dice_normal(&d);
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, start, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, start, v, x + i * s->D));
    }
    return x;
}

static outcome surface_set(const void *law, size_t set)
{
    const surface_law *l = law;
    const setting *s = l->s;
    double *x = surface_rows(l, set), start[3];
    outcome o = {0};
    mst_mean_result *r = NULL;
    mst_mean_options options = mst_mean_options_default();
    options.threads = 1;
    mst_manifold_start(s->m, start);
    if (l->sd[0] == 0)
        start[1] = M_PI; /* one of the means, a circle */
    mst_status status = mst_mean_fit(&r, s->log, l->n, x, &options);
    if (status == MST_OK) {
        o.answered = r->region_kind != MST_REGION_NONE;
        if (o.answered)
            ASSERT_OK(mst_mean_region_holds(&o.hit, r, s->log, l->n, x, &options, start));
        o.flagged = !o.answered || (r->notes & MST_NOTE_SMEARY) != 0;
    }
    o.flagged |= status != MST_OK;
    mst_mean_result_free(r);
    free(x);
    return o;
}

static surface_law laws[] = {
    {"torus.manifold", {0.3, 0.3}, 200, NULL},     {"torus.manifold", {0.5, 0.5}, 200, NULL},
    {"torus.manifold", {0.75, 0.4}, 200, NULL},    {"torus.manifold", {0, 0}, 200, NULL},
    {"ellipsoid.manifold", {0.3, 0.3}, 100, NULL}, {"ellipsoid.manifold", {0.7, 0.7}, 100, NULL},
    {"bumpy.manifold", {0.5, 0.5}, 100, NULL},
};
enum { LAWS = sizeof laws / sizeof *laws };

START_TEST(regions_hold_the_mean)
{
    char name[300];
    if (!is_simulated(_i))
        return;
    surface_law *l = &laws[_i];
    snprintf(name, sizeof name, "%s%s", SHIPPED, l->file);
    setting s = setting_open(name);
    l->s = &s;
    rates r = simulate(surface_set, l);
    snprintf(name, sizeof name, "%s, sd %g %g, %zu rows", l->file, l->sd[0], l->sd[1], l->n);
    if (l->sd[0] > 0 && l->sd[0] <= 0.5)
        assert_coverage_of_model(name, r);
    else
        assert_coverage(name, r);
    setting_close(&s);
}
END_TEST

/* Brownian motion on the torus, by the eigenfunctions, with the time as it is. Where it is long against that
 * of mixing, ellipsoids would be larger than the surface. */
typedef struct timed_law {
    double time;
    const setting *s;
    const mst_score *source;
} timed_law;

static outcome timed_set(const void *law, size_t set)
{
    enum { N = 60 };
    const timed_law *l = law;
    double *x = draw(l->s, N, NULL, l->time, 500 + set), start[2];
    outcome o = {0};
    mst_mean_result *r = NULL;
    mst_mean_options options = mst_mean_options_default();
    options.threads = 1;
    options.time = l->time;
    mst_manifold_start(l->s->m, start);
    if (mst_mean_fit(&r, l->source, N, x, &options) == MST_OK) {
        o.answered = r->region_kind != MST_REGION_NONE;
        if (o.answered)
            ASSERT_OK(mst_mean_region_holds(&o.hit, r, l->source, N, x, &options, start));
        o.flagged = !o.answered || (r->notes & MST_NOTE_HARDLY_DETERMINED) != 0;
    }
    mst_mean_result_free(r);
    free(x);
    return o;
}

START_TEST(regions_by_the_spectrum)
{
    static const double times[] = {0.5, 1, 2};
    char name[100];
    if (!is_simulated(LAWS + _i))
        return;
    setting s = setting_open(SHIPPED "torus.manifold");
    mst_score *source;
    ASSERT_OK(mst_score_open(&source, "spectral", s.m));
    timed_law l = {times[_i], &s, source};
    snprintf(name, sizeof name, "torus, spectral, time %g", l.time);
    assert_coverage(name, simulate(timed_set, &l));
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("surface_means_slow", 3600, {regions_hold_the_mean, LAWS},
                     {regions_by_the_spectrum, 3});
}
