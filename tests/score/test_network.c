/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks with random weights as score sources: derivatives against differences of the score along
 * geodesics, energies, time heads, the small-time limit, times out of range, batches and threads. */
#include "base/cores.h"
#include "support/score_support.h"

#include <manistat/network.h>
#include <manistat/version.h>
#include <stdatomic.h>
#include <stdlib.h>

static const char *const specs[] = {
    "sphere:2",
    "so3",
    "hyperbolic:2",
    "spd:2",
    "product(sphere:2,hyperbolic:2)",
    "torus:2",
    "sphere:3",
    "product(euclidean:1,sphere:2,sphere:2)",
    "bare",
};
enum { SPECS = sizeof specs / sizeof *specs };

typedef struct bench {
    mst_manifold *m;
    mst_network *net;
    mst_score *score;
    size_t d, D;
    dice die;
} bench;

static bench open_bench(const char *spec, network_design design)
{
    bench b = {.m = open_manifold(spec), .die = {77}};
    b.net = random_network(b.m, design, 3);
    ASSERT_OK(mst_score_network_new(&b.score, b.net, false));
    b.d = mst_manifold_dim(b.m);
    b.D = mst_manifold_ambient(b.m);
    return b;
}

static void close_bench(bench *b)
{
    mst_score_free(b->score);
    mst_network_free(b->net);
    mst_manifold_free(b->m);
}

/* n random rows, x about √t away from y, the times spread over the range. */
static void random_rows(bench *b, size_t n, double *x, double *y, double *t)
{
    for (size_t i = 0; i < n; i++) {
        t[i] = exp(dice_uniform(&b->die, log(0.02), log(1.5)));
        random_place(b->m, &b->die, y + i * b->D);
        random_neighbour(b->m, &b->die, y + i * b->D, fmin(1, sqrt(t[i])), x + i * b->D);
    }
}

/* <E_a, ∇_b s> at y into (a, b): the score along the geodesics in the directions of the
 * frame, brought back. */
static void score_differences(const bench *b, const double *x, const double *y, double t,
                              double *out)
{
    size_t d = b->d, D = b->D;
    double *frame = doubles(d * D), *v = doubles(D), *end = doubles(D), *back = doubles(D);
    double *s = doubles(D), *f = doubles(4 * d), h = 0.1 * sqrt(t);
    ASSERT_OK(mst_manifold_frame(b->m, 1, y, frame));
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < 4; k++) {
            for (size_t a = 0; a < D; a++)
                v[a] = stencil_at[k] * h * frame[j * D + a];
            ASSERT_OK(mst_manifold_exp(b->m, 1, y, v, end));
            ASSERT_OK(mst_manifold_transport(b->m, 1, y, v, v, back));
            for (size_t a = 0; a < D; a++)
                back[a] = -back[a];
            ASSERT_OK(
                mst_score_evaluate_rows(b->score, 1, x, end, &t, &(mst_heat_values){.score = s}));
            ASSERT_OK(mst_manifold_transport(b->m, 1, end, back, s, v));
            ASSERT_OK(mst_manifold_to_frame(b->m, 1, y, v, f + k * d));
        }
        for (size_t a = 0; a < d; a++)
            out[a * d + j] = stencil(f, d, a, h);
    }
    free(frame), free(v), free(end), free(back), free(s), free(f);
}

/* Differences are good to about a thousandth of the natural sizes √(1/t) and 1/t. */
START_TEST(derivatives)
{
    enum { N = 5 };
    for (int plain = 0; plain < 2; plain++) {
        network_design design = {.activation = plain ? MST_TANH : MST_SILU, .plain = plain != 0};
        bench b = open_bench(specs[_i], design);
        size_t d = b.d, D = b.D;
        double *x = doubles(N * D), *y = doubles(N * D), t[N], dt[N], *s = doubles(N * D);
        double *hessian = doubles(N * d * d), *want = doubles(d * d);
        random_rows(&b, N, x, y, t);
        mst_heat_values all = {.score = s, .dt_log_p = dt, .hessian = hessian};
        ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &all));
        for (size_t i = 0; i < N; i++) {
            double length = length_of(b.m, y + i * D, s + i * D), divergence = 0;
            score_differences(&b, x + i * D, y + i * D, t[i], want);
            for (size_t a = 0; a < d; a++)
                divergence += want[a * d + a];
            assert_near(dt[i], 0.5 * (divergence + length * length), 2e-3 / t[i], "%s at %g, ∂t",
                        specs[_i], t[i]);
            for (size_t a = 0; a < d; a++)
                for (size_t j = 0; j < d; j++)
                    assert_near(hessian[(i * d + a) * d + j],
                                0.5 * (want[a * d + j] + want[j * d + a]), 2e-3 / t[i],
                                "%s at %g, Hessian %zu %zu", specs[_i], t[i], a, j);
        }
        free(x), free(y), free(s), free(hessian), free(want);
        close_bench(&b);
    }
}
END_TEST

/* Without weights only the baseline is left, which is exact in flat space. */
START_TEST(baseline_alone)
{
    enum { N = 4 };
    bench b = open_bench("product(euclidean:2,sym:2)", (network_design){0});
    size_t d = b.d, D = b.D;
    memset(b.net->theta, 0, mlp_parameters(&b.net->shape) * sizeof(float));
    double *x = doubles(N * D), *y = doubles(N * D), t[N], dt[N], dt_want[N];
    double *s = doubles(N * D), *s_want = doubles(N * D);
    double *hessian = doubles(N * d * d), *hessian_want = doubles(N * d * d);
    random_rows(&b, N, x, y, t);
    mst_heat_values got = {.score = s, .dt_log_p = dt, .hessian = hessian};
    mst_heat_values want = {.score = s_want, .dt_log_p = dt_want, .hessian = hessian_want};
    ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &got));
    ASSERT_OK(mst_heat_kernel_times(b.m, N, x, y, t, 1, &want));
    for (size_t i = 0; i < N; i++) {
        assert_near(dt[i], dt_want[i], 1e-6 / t[i], "time %g", t[i]);
        for (size_t k = 0; k < D; k++)
            assert_near(s[i * D + k], s_want[i * D + k], 1e-10, "score");
        for (size_t k = 0; k < d * d; k++)
            assert_near(hessian[i * d * d + k], hessian_want[i * d * d + k], 1e-6 / t[i],
                        "Hessian");
    }
    free(x), free(y), free(s), free(s_want), free(hessian), free(hessian_want);
    close_bench(&b);
}
END_TEST

/* ---- Batches and threads ---- */

START_TEST(rows_do_not_know_each_other)
{
    enum { N = 300 };
    static const network_design designs[] = {{0}, {.time_head = true}, {.energy = true}};
    for (size_t k = 0; k < 3; k++) {
        bench b = open_bench(specs[_i], designs[k]);
        size_t d = b.d, D = b.D;
        bool hessians = !designs[k].energy;
        double *x = doubles(N * D), *y = doubles(N * D), *t = doubles(N), *dt = doubles(N);
        double *s = doubles(N * D), *hessian = doubles(N * d * d), dt1;
        double *s1 = doubles(D), *hessian1 = doubles(d * d);
        random_rows(&b, N, x, y, t);
        mst_heat_values all = {.score = s, .dt_log_p = designs[k].energy ? NULL : dt};
        all.hessian = hessians ? hessian : NULL;
        ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &all));
        for (size_t i = 0; i < N; i += 13) {
            mst_heat_values one = {.score = s1, .dt_log_p = designs[k].energy ? NULL : &dt1};
            one.hessian = hessians ? hessian1 : NULL;
            ASSERT_OK(mst_score_evaluate_rows(b.score, 1, x + i * D, y + i * D, t + i, &one));
            for (size_t a = 0; a < D; a++)
                assert_near(s1[a], s[i * D + a], 1e-5 / sqrt(t[i]), "%s row %zu", specs[_i], i);
            if (hessians)
                assert_near(dt1, dt[i], 1e-5 / t[i], "%s row %zu, ∂t", specs[_i], i);
            for (size_t a = 0; a < d * d && hessians; a++)
                assert_near(hessian1[a], hessian[i * d * d + a], 1e-5 / t[i], "%s row %zu",
                            specs[_i], i);
        }
        /* What else is asked for changes nothing. */
        ASSERT_OK(mst_score_evaluate_rows(b.score, 1, x, y, t, &(mst_heat_values){.score = s1}));
        for (size_t a = 0; a < D; a++)
            assert_near(s1[a], s[a], 1e-5 / sqrt(t[0]), "%s score alone", specs[_i]);
        ASSERT_OK(mst_score_evaluate_rows(b.score, 0, x, y, t, &all));
        free(x), free(y), free(t), free(dt), free(s), free(hessian), free(s1), free(hessian1);
        close_bench(&b);
    }
}
END_TEST

enum { PIECE = 8 };

/* Rows for several threads, PIECE at a time. */
typedef struct pieces {
    const bench *b;
    const double *x, *y, *t;
    double *score, *hessian; /* hessian may be null */
    atomic_int failures;
} pieces;

static void evaluate_piece(void *data, size_t i)
{
    pieces *p = data;
    size_t at = i * PIECE, d = p->b->d, D = p->b->D;
    mst_heat_values out = {.score = p->score + at * D};
    if (p->hessian != NULL)
        out.hessian = p->hessian + at * d * d;
    if (mst_score_evaluate_rows(p->b->score, PIECE, p->x + at * D, p->y + at * D, p->t + at,
                                &out) != MST_OK)
        atomic_fetch_add(&p->failures, 1);
}

START_TEST(threads_share_a_source)
{
    enum { N = 64, ROUNDS = 5 };
    bench b = open_bench("product(sphere:2,hyperbolic:2)", (network_design){0});
    size_t d = b.d, D = b.D;
    double *x = doubles(N * D), *y = doubles(N * D), *t = doubles(N), *got = doubles(N * d * d);
    double *want = doubles(N * d * d), *s = doubles(N * D), *s_want = doubles(N * D);
    random_rows(&b, N, x, y, t);
    for (size_t at = 0; at < N; at += PIECE) {
        mst_heat_values out = {.score = s_want + at * D, .hessian = want + at * d * d};
        ASSERT_OK(mst_score_evaluate_rows(b.score, PIECE, x + at * D, y + at * D, t + at, &out));
    }
    for (int round = 0; round < ROUNDS; round++) {
        pieces p = {&b, x, y, t, s, round % 2 == 0 ? got : NULL, 0};
        mst_set_machine_cores(4);
        each_in_parallel(N / PIECE, evaluate_piece, &p);
        mst_set_machine_cores(0);
        ck_assert_int_eq(atomic_load(&p.failures), 0);
        ck_assert_mem_eq(s, s_want, N * D * sizeof *s);
        ck_assert_mem_eq(got, want, N * d * d * sizeof *got);
    }
    free(x), free(y), free(t), free(got), free(want), free(s), free(s_want);
    close_bench(&b);
}
END_TEST

/* ---- Times ---- */

START_TEST(times_out_of_range)
{
    bench b = open_bench("sphere:2", (network_design){0});
    double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, s[3];
    static const double bad[] = {0.0099, 2.01, 0, -1, NAN, INFINITY};
    mst_heat_values out = {.score = s};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ASSERT_FAILS(MST_DOMAIN, mst_score_evaluate_rows(b.score, 1, x, y, &bad[k], &out));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 1"));
    ASSERT_OK(mst_score_evaluate_rows(b.score, 1, x, y, (double[]){0.01}, &out));
    ASSERT_OK(mst_score_evaluate_rows(b.score, 1, x, y, (double[]){2}, &out));
    ASSERT_OK(mst_score_evaluate_rows(b.score, 1, x, y, (double[]){2 * (1 + 1e-12)}, &out));
    ck_assert_double_eq(mst_score_describe(b.score)->t_least, 0.01);
    ck_assert_double_eq(mst_score_describe(b.score)->t_largest, 2);

    mst_score *beyond, *limit;
    ASSERT_OK(mst_score_network_new(&beyond, b.net, true));
    ASSERT_OK(mst_score_evaluate_rows(beyond, 2, (double[]){1, 0, 0, 1, 0, 0},
                                      (double[]){0, 1, 0, 0, 1, 0}, (double[]){0.001, 9},
                                      &(mst_heat_values){.score = (double[6]){0}}));
    ASSERT_FAILS(MST_DOMAIN, mst_score_evaluate_rows(beyond, 1, x, y, (double[]){0}, &out));
    ASSERT_FAILS(MST_DOMAIN, mst_score_evaluate_rows(beyond, 1, x, y, (double[]){NAN}, &out));
    const mst_score_info *info = mst_score_describe(beyond);
    ck_assert(info->t_least == 0 && isinf(info->t_largest));
    ck_assert(info->precision > 0 && info->cost >= 0.25);
    mst_score_free(beyond);
    ASSERT_FAILS(MST_DOMAIN, mst_score_network_log_new(&limit, b.net, 3));
    ck_assert_ptr_null(limit);
    ASSERT_FAILS(MST_DOMAIN, mst_network_log(b.net, 1, x, y, 3, s, NULL));
    close_bench(&b);
}
END_TEST

START_TEST(small_time_limit)
{
    enum { N = 290 };
    bench b = open_bench("so3", (network_design){0});
    size_t D = b.D;
    double *x = doubles(N * D), *y = doubles(N * D), *t = doubles(N), *dt = doubles(N);
    double *s = doubles(N * D), *v = doubles(N * D), *square = doubles(N);
    static const double wanted[] = {0, 0.05};
    random_rows(&b, N, x, y, t);
    for (size_t k = 0; k < 2; k++) {
        mst_score *limit;
        double time = k == 0 ? 0.01 : 0.05;
        ASSERT_OK(mst_score_network_log_new(&limit, b.net, wanted[k]));
        ck_assert(!mst_score_gives(limit, MST_GIVES_TIME));
        for (size_t i = 0; i < N; i++)
            t[i] = time;
        mst_heat_values out = {.score = s, .dt_log_p = dt};
        ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &out));
        for (size_t i = 0; i < N; i++)
            t[i] = 1e9; /* is not looked at */
        ASSERT_OK(mst_score_evaluate_rows(limit, N, x, y, t, &(mst_heat_values){.score = v}));
        for (size_t a = 0; a < N * D; a++)
            assert_near(v[a], time * s[a], 1e-5, "limit");
        /* Log lives at the first point, the score at the second. */
        ASSERT_OK(mst_network_log(b.net, N, y, x, wanted[k], v, square));
        for (size_t a = 0; a < N * D; a++)
            assert_near(v[a], time * s[a], 1e-5, "network_log");
        for (size_t i = 0; i < N; i++)
            assert_near(square[i], fmax(0, 2 * time * time * dt[i] + 3 * time), 1e-5, "square");
        ASSERT_OK(mst_network_log(b.net, N, y, x, wanted[k], NULL, square));
        ASSERT_OK(mst_network_log(b.net, N, y, x, wanted[k], v, NULL));
        mst_score_free(limit);
    }
    free(x), free(y), free(t), free(dt), free(s), free(v), free(square);
    close_bench(&b);
}
END_TEST

/* ---- Energies and time heads ---- */

START_TEST(energy_has_the_score_as_gradient)
{
    enum { N = 4 };
    for (int plain = 0; plain < 2; plain++) {
        bench b = open_bench(specs[_i], (network_design){.energy = true, .plain = plain != 0});
        size_t d = b.d, D = b.D;
        double *x = doubles(N * D), *y = doubles(N * D), t[N], *s = doubles(N * D);
        double *frame = doubles(d * D), *c = doubles(d), *end = doubles(D), f[4];
        ck_assert(!mst_score_gives(b.score, MST_GIVES_HESSIAN));
        random_rows(&b, N, x, y, t);
        ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &(mst_heat_values){.score = s}));
        for (size_t i = 0; i < N; i++) {
            double h = 0.1 * sqrt(t[i]);
            ASSERT_OK(mst_manifold_frame(b.m, 1, y + i * D, frame));
            ASSERT_OK(mst_manifold_to_frame(b.m, 1, y + i * D, s + i * D, c));
            for (size_t j = 0; j < d; j++) {
                for (size_t k = 0; k < 4; k++) {
                    move(b.m, y + i * D, stencil_at[k] * h, frame + j * D, end);
                    ASSERT_OK(mst_network_energy(b.net, 1, x + i * D, end, t + i, f + k));
                }
                assert_near(c[j], stencil(f, 1, 0, h), 1e-3 / sqrt(t[i]), "%s at %g", specs[_i],
                            t[i]);
            }
        }
        free(x), free(y), free(s), free(frame), free(c), free(end);
        close_bench(&b);
    }
}
END_TEST

START_TEST(energies_of_other_networks)
{
    bench b = open_bench("sphere:2", (network_design){.time_head = true});
    double x[3] = {1, 0, 0}, t = 0.5, out;
    ASSERT_FAILS(MST_UNABLE, mst_network_energy(b.net, 1, x, x, &t, &out));
    close_bench(&b);
}
END_TEST

/* Many rows at once give the same energies. */
START_TEST(energies_of_many_rows)
{
    enum { N = 270 };
    bench b = open_bench("sphere:2", (network_design){.energy = true, .time_head = true});
    double x[N * 3], y[N * 3], t[N], e[N], one;
    random_rows(&b, N, x, y, t);
    ASSERT_OK(mst_network_energy(b.net, N, x, y, t, e));
    for (size_t i = 0; i < N; i += 7) {
        ASSERT_OK(mst_network_energy(b.net, 1, x + 3 * i, y + 3 * i, t + i, &one));
        assert_near(one, e[i], 1e-5, "row %zu", i);
    }
    close_bench(&b);
}
END_TEST

/* The time head is the last output, beside its own baseline, and the other outputs mean what they did. */
START_TEST(time_head)
{
    enum { N = 3 };
    for (int k = 0; k < 4; k++) {
        network_design design = {.time_head = true, .plain = k % 2 == 1, .energy = k >= 2};
        bench b = open_bench(specs[_i], design);
        const mst_network *net = b.net;
        size_t D = b.D, outputs = net->shape.outputs;
        double *x = doubles(N * D), *y = doubles(N * D), t[N], dt[N], *s = doubles(N * D);
        double *wide = doubles(net->features->inputs), *base = doubles(net->features->base);
        float *in = malloc((net->features->inputs + outputs) * sizeof *in);
        float *out = in + net->features->inputs;
        mlp_work *work;
        ASSERT_OK(mlp_work_new(&work, &net->shape, 1, 0));
        random_rows(&b, N, x, y, t);
        mst_heat_values values = {.score = s, .dt_log_p = dt};
        ASSERT_OK(mst_score_evaluate_rows(b.score, N, x, y, t, &values));
        for (size_t i = 0; i < N; i++) {
            ASSERT_OK(features_read(net->features, 1, x + i * D, y + i * D, t + i, wide, base));
            for (size_t j = 0; j < net->features->inputs; j++)
                in[j] = (float)wide[j];
            mlp_forward(&net->shape, net->theta, 1, in, out, work);
            double head = (double)out[outputs - 1];
            double want = design.plain
                              ? head
                              : features_time_baseline(net->features, t[i], base) + head / t[i];
            assert_near(dt[i], want, 1e-5 / t[i], "%s at %g", specs[_i], t[i]);
        }
        mlp_work_free(work);
        free(x), free(y), free(s), free(wide), free(base), free(in);
        close_bench(&b);
    }
}
END_TEST

START_TEST(description)
{
    bench b = open_bench("sphere:2", (network_design){.width = 8, .depth = 3, .time_head = true});
    mst_network_info info = mst_network_describe(b.net);
    ck_assert_str_eq(info.manifold, "sphere:2");
    ck_assert_str_eq(info.version, mst_version());
    ck_assert_str_eq(info.certificate, "");
    ck_assert(mst_network_manifold(b.net) == b.m);
    ck_assert_uint_eq(info.outputs, 4);
    size_t inputs = info.inputs;
    ck_assert_uint_eq(info.parameters, 8 * (inputs + 1) + 2 * 8 * 9 + 4 * 9);
    ASSERT_OK(mst_network_certify(b.net, "{\"good\": true}"));
    ck_assert_str_eq(mst_network_describe(b.net).certificate, "{\"good\": true}");
    close_bench(&b);
    mst_network_free(NULL);
}
END_TEST

int main(void)
{
    return RUN_SUITE("network", 60, {derivatives, SPECS}, {baseline_alone, 0},
                     {rows_do_not_know_each_other, SPECS}, {threads_share_a_source, 0},
                     {times_out_of_range, 0}, {small_time_limit, 0},
                     {energy_has_the_score_as_gradient, SPECS}, {energies_of_other_networks, 0},
                     {energies_of_many_rows, 0}, {time_head, SPECS}, {description, 0});
}
