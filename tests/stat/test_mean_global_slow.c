/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often the global optimum is missed, over simulated data sets, where the cut locus is a wall: the circle
 * and the torus are compared with a search through all cells, so3 with the best of all that was tried. A
 * thousand sets or more for each manifold and kind of mean. */
#include "stat/global_sets.h"

static size_t rows_of(const global_case *c, size_t k)
{
    static const size_t counts[] = {5, 10, 20, 40, 80, 150, 300};
    return c->n > 0 ? c->n : counts[k % (sizeof counts / sizeof *counts)];
}

/* ---- Against all cells ---- */

/* The least Σ w d² over all angles that are the mean of one side of a cut: every one is tried. */
static double least_variance(size_t n, const double *x, size_t stride, const double *w)
{
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        double sum = 0, square = 0, total = 0, cut = x[k * stride];
        for (size_t i = 0; i < n; i++) {
            double above = fmod(x[i * stride] - cut + 4 * M_PI, 2 * M_PI),
                   weight = w != NULL ? w[i] : 1;
            sum += weight * above;
            total += weight;
        }
        for (size_t i = 0; i < n; i++) {
            double r = remainder(x[i * stride] - cut - sum / total, 2 * M_PI);
            square += (w != NULL ? w[i] : 1) * r * r;
        }
        least = fmin(least, square / total);
    }
    return least;
}

static const global_case exact_cases[] = {
    {"circle", false, UNIFORM, 0, 0, false, 100},
    {"circle", false, UNIFORM, 0, 0, true, 100},
    {"circle", false, TWO_HEAPS, 0, 0.3, false, 100},
    {"circle", false, TWO_HEAPS, 0, 0.3, true, 100},
    {"torus:4", false, UNIFORM, 0, 0, false, 100},
    {"torus:4", false, UNIFORM, 0, 0, true, 100},
    {"torus:4", false, TWO_HEAPS, 0, 0.3, true, 100},
};
enum { EXACT_CASES = sizeof exact_cases / sizeof *exact_cases };

static void search_angles(void *data, size_t k)
{
    global_job *j = data;
    const setting *s = j->s;
    const global_case *c = j->c;
    size_t n = rows_of(c, k);
    double *x = doubles(n * (s->D + 1)), *weights = x + n * s->D, least = 0;
    mst_mean_options o = mst_mean_options_default();
    o.threads = 1;
    mst_mean_result *r = NULL;
    bool fine = simulate(s, c, k, n, x, weights) == MST_OK;
    o.weights = c->weighted ? weights : NULL;
    fine = fine && mst_mean_fit(&r, s->log, n, x, &o) == MST_OK;
    for (size_t a = 0; a < s->D; a++)
        least += least_variance(n, x + a, s->D, o.weights);
    atomic_fetch_add(&j->failed, !fine);
    atomic_fetch_add(&j->missed, fine && r->variance > least * (1 + 1e-10));
    mst_mean_result_free(r);
    free(x);
}

START_TEST(angles_are_never_missed)
{
    const global_case *c = &exact_cases[_i];
    setting s = setting_open(c->spec);
    size_t sets = simulated_sets(1000);
    global_job j = {.s = &s, .c = c};
    each_in_parallel(sets, search_angles, &j);
    size_t missed = atomic_load(&j.missed), failed = atomic_load(&j.failed);
    printf("%-10s %-10s%s: missed %zu of %zu, %zu without a result\n", c->spec, law_names[c->law],
           c->weighted ? " weighted" : "", missed, sets, failed);
    ck_assert_msg(missed == 0 && failed == 0, "%s, %s", c->spec, law_names[c->law]);
    setting_close(&s);
}
END_TEST

/* ---- Against all that was tried ---- */

static const global_case rotations[] = {
    {"so3", false, UNIFORM, 50, 0, false, 40},      {"so3", false, UNIFORM, 200, 0, false, 40},
    {"so3", false, UNIFORM, 500, 0, false, 20},     {"so3", false, UNIFORM, 100, 0, true, 20},
    {"so3", false, TWO_HEAPS, 100, 0.3, false, 40}, {"so3", false, HEAP, 200, 1.5, false, 20},
    {"so3", true, UNIFORM, 50, 0, false, 40},       {"so3", true, UNIFORM, 200, 0, false, 20},
    {"so3", true, TWO_HEAPS, 100, 0.1, false, 40},
};
enum { ROTATIONS = sizeof rotations / sizeof *rotations };

START_TEST(rotations_are_hardly_ever_missed)
{
    count_missed(&rotations[_i]);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_global_slow", 1800, {angles_are_never_missed, EXACT_CASES},
                     {rotations_are_hardly_ever_missed, ROTATIONS});
}
