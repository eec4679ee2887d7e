/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of shapes against a general-purpose minimiser (tests/data/shapes/frechet_means.py), and
 * against Procrustes means. */
#include "support/support.h"

#include <manistat/align.h>
#include <manistat/mean.h>
#include <manistat/points.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30 };

static mst_mean_result *frechet(const mst_manifold *m, size_t n, const double *x)
{
    mst_score *source;
    mst_mean_result *mean = NULL;
    mst_mean_options o = mst_mean_options_default();
    o.time = 0; /* the Fréchet mean */
    ASSERT_OK(mst_score_log_new(&source, m));
    ASSERT_OK(mst_mean_fit(&mean, source, n, x, &o));
    mst_score_free(source);
    return mean;
}

START_TEST(means_are_those_of_a_minimiser)
{
    FILE *f = fopen(MST_TEST_DATA "/shapes/frechet_means.csv", "r");
    ck_assert_ptr_nonnull(f);
    char line[4096], path[256];
    size_t lines = 0;
    for (; fgets(line, sizeof line, f) != NULL; lines++) {
        const char *spec = strtok(line, ","), *name = strtok(NULL, ",");
        double variance = atof(strtok(NULL, ",")), want[3 * MOST], *x, r;
        mst_manifold *m;
        size_t n, count = 0;
        for (char *cell; (cell = strtok(NULL, ",\n")) != NULL;)
            want[count++] = atof(cell);
        ASSERT_OK(mst_manifold_parse(&m, spec));
        ck_assert_uint_eq(count, mst_manifold_ambient(m));
        snprintf(path, sizeof path, "%s/shapes/%s", MST_TEST_DATA, name);
        ASSERT_OK(mst_points_read(&x, &n, m, path, NULL));
        mst_mean_result *mean = frechet(m, n, x);
        ck_assert(mean->converged);
        ASSERT_OK(mst_manifold_project(m, 1, want, want));
        ASSERT_OK(mst_manifold_dist(m, 1, mean->mean, want, &r));
        double size = euclidean_norm(count, want);
        assert_near(r, 0, 1e-8 * size, "%s of %s", spec, name);
        assert_near(mean->variance, variance, 1e-10 * variance, "variance of %s", spec);
        mst_mean_result_free(mean);
        mst_points_free(x);
        mst_manifold_free(m);
    }
    fclose(f);
    ck_assert_uint_eq(lines, 4);
}
END_TEST

/* Without scale the Procrustes mean minimises Σ|X R − M|², which is the sum of squared distances of
 * size-and-shape; with scale Σ sin² ρ instead of Σρ². */
START_TEST(procrustes_means)
{
    static const struct {
        const char *spec, *file;
        size_t dim;
    } cases[] = {{"size-and-shape:15x2", "passiflora_15x2.csv", 2},
                 {"size-and-shape:5x3", "optical_nerves_5x3.csv", 3},
                 {"kendall:15x2", "passiflora_15x2.csv", 2}};
    for (size_t k = 0; k < 3; k++) {
        mst_manifold *m;
        mst_landmarks *l;
        mst_alignment *a;
        mst_align_options o = mst_align_options_default();
        double *x, r, size;
        size_t n;
        char path[256];
        o.scale = k == 2;
        snprintf(path, sizeof path, "%s/shapes/%s", MST_TEST_DATA, cases[k].file);
        ASSERT_OK(mst_manifold_parse(&m, cases[k].spec));
        ASSERT_OK(mst_points_read(&x, &n, m, path, NULL));
        ASSERT_OK(mst_landmarks_read(&l, path, NULL));
        ASSERT_OK(mst_align(&a, l->n, l->cols / cases[k].dim, cases[k].dim, l->x, &o));
        mst_mean_result *mean = frechet(m, n, x);
        size = euclidean_norm(l->cols, a->mean);
        ASSERT_OK(mst_manifold_project(m, 1, a->mean, a->mean));
        ASSERT_OK(mst_manifold_dist(m, 1, mean->mean, a->mean, &r));
        if (o.scale)
            ck_assert(r > 1e-6 && r < 0.01); /* near, but another mean */
        else
            assert_near(r, 0, 1e-9 * size, "%s", cases[k].spec);
        mst_mean_result_free(mean);
        mst_alignment_free(a);
        mst_landmarks_free(l);
        mst_points_free(x);
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_test(c, means_are_those_of_a_minimiser);
    tcase_add_test(c, procrustes_means);
    return run_case("shape_means", c);
}
