/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often the global optimum is missed on spheres, tori and products, and how often the mean of
 * concentrated rows is called unique, over simulated data sets: a thousand or more for each manifold. */
#include "stat/global_sets.h"

static const global_case cases[] = {
    {"sphere:2", false, UNIFORM, 100, 0, false, 40},
    {"sphere:2", false, AXES, 100, 0.1, false, 60},
    {"sphere:2", true, AXES, 100, 0.1, false, 40},
    {"sphere:2", true, UNIFORM, 50, 0, false, 60},
    {"sphere:5", false, UNIFORM, 100, 0, false, 100},
    {"torus:4", true, UNIFORM, 50, 0, false, 20},
    {"product(so3,circle)", false, UNIFORM, 50, 0, false, 100},
    {"product(sphere:2,so3)", false, UNIFORM, 50, 0, false, 60},
    {"product(sphere:2,so3)", true, TWO_HEAPS, 50, 0.3, false, 40},
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(means_are_hardly_ever_missed)
{
    count_missed(&cases[_i]);
}
END_TEST

/* ---- What is called unique ---- */

static const char *const families[] = {
    "circle",
    "torus:2",
    "torus:4",
    "sphere:1",
    "sphere:2",
    "sphere:3",
    "so3",
    "hyperbolic:2",
    "spd:2",
    "spd:3",
    "euclidean:3",
    "spd:3?metric=log-euclidean",
    "product(sphere:2,so3)",
    "product(so3,circle)",
    "product(sphere:2,euclidean:2)",
};
enum { FAMILIES = sizeof families / sizeof *families };

/* What becomes of the sets of a case. */
typedef struct unique_job {
    const setting *s;
    const global_case *c;
    atomic_size_t unique, failed;
    double *seconds; /* of each set */
} unique_job;

static void fit_set(void *data, size_t k)
{
    unique_job *j = data;
    const setting *s = j->s;
    const global_case *c = j->c;
    double *x = doubles(c->n * (s->D + 1));
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = NULL;
    o.threads = 1;
    bool fine = simulate(s, c, k, c->n, x, x + c->n * s->D) == MST_OK &&
                mst_mean_fit(&r, c->diffusion ? s->exact : s->log, c->n, x, &o) == MST_OK;
    atomic_fetch_add(&j->failed, !fine);
    atomic_fetch_add(&j->unique, fine && r->unique);
    j->seconds[k] = fine ? r->seconds : 0;
    mst_mean_result_free(r);
    free(x);
}

START_TEST(concentrated_rows_have_one_mean)
{
    static const double times[] = {0.05, 0.3};
    static const size_t counts[] = {20, 100};
    setting s = setting_open(families[_i]);
    size_t sets = simulated_sets(1000);
    for (size_t kind = 0; kind < (s.exact != NULL ? 2 : 1); kind++)
        for (size_t which = 0; which < 4; which++) {
            global_case c = {families[_i],     kind == 1, HEAP, counts[which / 2],
                             times[which % 2], false,     100};
            unique_job j = {.s = &s, .c = &c, .seconds = doubles(sets)};
            double seconds = 0;
            each_in_parallel(sets, fit_set, &j);
            size_t unique = atomic_load(&j.unique), failed = atomic_load(&j.failed);
            for (size_t k = 0; k < sets; k++)
                seconds += j.seconds[k];
            free(j.seconds);
            printf("%-30s %-9s t %.2f n %3zu: unique %zu of %zu, %.3f ms; %zu without a result\n",
                   c.spec, kind == 1 ? "diffusion" : "Frechet", c.time, c.n, unique, sets,
                   1e3 * seconds / (double)sets, failed);
            fflush(stdout);
            ck_assert_msg(unique * 100 >= sets * 98 && failed == 0, "%s", c.spec);
        }
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_unique_slow", 1800, {means_are_hardly_ever_missed, CASES},
                     {concentrated_rows_have_one_mean, FAMILIES});
}
