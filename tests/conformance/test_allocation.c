/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Every allocation fails once: constructors and operations answer MST_MEMORY, leave null in *out, and lose
 * nothing (the address sanitizer's build watches for leaks). The library allocates through aligned_alloc
 * only, which this program replaces. */
#include "support/manifolds.h"

#include <errno.h>
#include <manistat/brownian.h>
#include <manistat/distances.h>
#include <stdlib.h>
#include <string.h>

static size_t fail_at = SIZE_MAX, asked;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (asked++ == fail_at) {
        errno = ENOMEM;
        return NULL;
    }
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}

/* The next call sees its allocation number k fail. */
static void arm(size_t k)
{
    asked = 0;
    fail_at = k;
}

static void disarm(void)
{
    fail_at = SIZE_MAX;
}

START_TEST(parsing_without_memory)
{
    const manifold_case *entry = &manifold_cases[_i];
    TAKES_PART(entry->make == NULL);
    if (entry->make != NULL)
        return;
    size_t failures = 0;
    for (;; failures++) {
        mst_manifold *m = (mst_manifold *)&m;
        arm(failures);
        mst_status status = mst_manifold_parse(&m, entry->spec);
        disarm();
        if (status == MST_OK) {
            ck_assert_str_eq(mst_manifold_spec(m), entry->spec);
            mst_manifold_free(m);
            break;
        }
        ck_assert_msg(status == MST_MEMORY, "%s, allocation %zu: %s", entry->spec, failures,
                      mst_status_name(status));
        ck_assert_ptr_null(m);
        assert_one_line(entry->spec);
    }
    ck_assert_msg(failures >= 2, "%s: %zu allocations", entry->spec, failures);
}
END_TEST

static int freed;
static void count_free(void *data)
{
    (void)data;
    freed++;
}

START_TEST(constructors_without_memory)
{
    mst_manifold *bare = NULL;
    ASSERT_OK(bare_sphere_new(&bare));
    mst_manifold_ops table = *mst_manifold_table(bare);
    table.free_data = count_free;
    for (size_t k = 0; k < 2; k++) {
        mst_manifold *m = bare;
        arm(k);
        mst_status status = mst_manifold_new(&m, &table, "mine", 2, 3, &freed);
        disarm();
        ck_assert_int_eq(status, MST_MEMORY);
        ck_assert_ptr_null(m);
        ck_assert_int_eq(freed, (int)k + 1);
    }
    for (size_t k = 0;; k++) { /* a product frees the factors that it took */
        mst_manifold *factors[2], *m = bare;
        ASSERT_OK(mst_manifold_new(&factors[0], &table, "mine", 2, 3, &freed));
        ASSERT_OK(mst_manifold_parse(&factors[1], "spd:3"));
        int before = freed;
        arm(k);
        mst_status status = mst_product_new(&m, 2, factors);
        disarm();
        if (status == MST_OK) {
            mst_manifold_free(m);
            break;
        }
        ck_assert_int_eq(status, MST_MEMORY);
        ck_assert_ptr_null(m);
        ck_assert_int_eq(freed, before + 1);
    }
    mst_manifold_free(bare);
}
END_TEST

/* What the operations below work on: one point x, a vector v, chart coordinates, and room for results. */
typedef struct bench {
    subject s;
    double *x, *v, *u, *out, *more;
} bench;

typedef mst_status operation(bench *w);

static mst_status run_exp(bench *w)
{
    return mst_manifold_exp(w->s.m, 1, w->x, w->v, w->out);
}

static mst_status run_log(bench *w)
{
    return mst_manifold_log(w->s.m, 1, w->x, w->x, w->out, NULL);
}

static mst_status run_dist(bench *w)
{
    return mst_manifold_dist(w->s.m, 1, w->x, w->x, w->out);
}

static mst_status run_distances(bench *w)
{
    mst_distances_options o = mst_distances_options_default();
    o.threads = 1;
    return mst_distances_between(w->s.m, 1, w->x, 1, w->x, &o, w->out, NULL);
}

static mst_status run_transport(bench *w)
{
    return mst_manifold_transport(w->s.m, 1, w->x, w->v, w->v, w->out);
}

static mst_status run_exp_derivative(bench *w)
{
    return mst_manifold_exp_derivative(w->s.m, 1, w->x, w->v, w->v, w->v, w->out);
}

static mst_status run_exp_adjoint(bench *w)
{
    return mst_manifold_exp_adjoint(w->s.m, 1, w->x, w->v, w->v, w->out, w->more);
}

static mst_status run_retract(bench *w)
{
    return mst_manifold_retract(w->s.m, 1, w->x, w->v, w->out);
}

static mst_status run_toward(bench *w)
{
    return mst_manifold_toward(w->s.m, 1, w->x, w->x, w->out, NULL, w->more);
}

static mst_status run_ricci(bench *w)
{
    return mst_manifold_ricci(w->s.m, 1, w->x, w->v, w->out);
}

static mst_status run_frame(bench *w)
{
    return mst_manifold_frame(w->s.m, 1, w->x, w->out);
}

static mst_status run_to_frame(bench *w)
{
    return mst_manifold_to_frame(w->s.m, 1, w->x, w->v, w->out);
}

static mst_status run_project(bench *w)
{
    return mst_manifold_project(w->s.m, 1, w->x, w->out);
}

static mst_status run_validate(bench *w)
{
    size_t row;
    return mst_manifold_validate(w->s.m, 1, w->x, &row);
}

static mst_status run_random_point(bench *w)
{
    return mst_manifold_random_point(w->s.m, (mst_random){1, 2}, 3, 1, w->out);
}

static mst_status run_coords(bench *w)
{
    return mst_manifold_chart_coords(w->s.m, 1, w->x, w->x, w->out);
}

static mst_status run_point(bench *w)
{
    return mst_manifold_chart_point(w->s.m, 1, w->x, w->u, w->out);
}

static mst_status run_christoffel(bench *w)
{
    return mst_manifold_chart_christoffel(w->s.m, 1, w->x, w->u, w->out);
}

static mst_status run_diffusion(bench *w)
{
    return mst_manifold_chart_diffusion(w->s.m, 1, w->x, w->u, w->out, w->more);
}

static mst_status run_walk(bench *w)
{
    memcpy(w->out, w->x, w->s.D * sizeof *w->x);
    return mst_manifold_walk(w->s.m, 1, w->out, 0.01, 2, (mst_noise){.seed = 1});
}

static mst_status run_brownian(bench *w, mst_brownian_method method)
{
    mst_brownian_options o = mst_brownian_options_default();
    o.threads = 1;
    o.steps = 2;
    o.method = method;
    return mst_brownian_endpoints(w->s.m, 1, w->x, 0.01, &o, w->out);
}

static mst_status run_tangent_method(bench *w)
{
    return run_brownian(w, MST_BROWNIAN_TANGENT);
}

static mst_status run_chart_method(bench *w)
{
    return run_brownian(w, MST_BROWNIAN_CHART);
}

static const struct {
    const char *name;
    operation *run;
} operations[] = {
    {"exp", run_exp},
    {"log", run_log},
    {"dist", run_dist},
    {"distances", run_distances},
    {"transport", run_transport},
    {"exp_derivative", run_exp_derivative},
    {"exp_adjoint", run_exp_adjoint},
    {"retract", run_retract},
    {"toward", run_toward},
    {"ricci", run_ricci},
    {"frame", run_frame},
    {"to_frame", run_to_frame},
    {"project", run_project},
    {"validate", run_validate},
    {"random_point", run_random_point},
    {"chart_coords", run_coords},
    {"chart_point", run_point},
    {"chart_christoffel", run_christoffel},
    {"chart_diffusion", run_diffusion},
    {"walk", run_walk},
    {"brownian tangent", run_tangent_method},
    {"brownian chart", run_chart_method},
};

/* Long fall-backs allocate thousands of times: the first and then sparser ones are enough. */
START_TEST(operations_without_memory)
{
    bench w = {.s = subject_open((size_t)_i)};
    size_t d = w.s.d, D = w.s.D;
    w.x = scratch(&w.s, D);
    w.v = scratch(&w.s, D);
    w.u = scratch(&w.s, d);
    w.out = scratch(&w.s, d * d * d + d * D + D);
    w.more = scratch(&w.s, d * d + D);
    dice die = {81};
    corner_point(&w.s, &die, 3, w.x);
    tangent_of_length(&w.s, &die, w.x, 0.1, w.v);
    for (size_t k = 0; k < d; k++)
        w.u[k] = 0.01;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t k = 0;; k += 1 + k / 16) {
            arm(k);
            mst_status status = operations[o].run(&w);
            bool reached = asked > k;
            disarm();
            ck_assert_msg(status == (reached ? MST_MEMORY : MST_OK), "%s, %s, allocation %zu: %s",
                          w.s.entry->spec, operations[o].name, k, mst_status_name(status));
            if (!reached)
                break;
        }
    subject_close(&w.s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("allocation", 60, {parsing_without_memory, manifold_case_count},
                     {constructors_without_memory, 0},
                     {operations_without_memory, manifold_case_count});
}
