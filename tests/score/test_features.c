/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a network reads and what its outputs mean: isometries, baselines, derivatives and the connection. */
#include "score/features.h"

#include "support/score_support.h"

#include <manistat/heat.h>
#include <stdio.h>
#include <stdlib.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"
#define RINGS MST_TEST_DATA "/manifolds/rings.manifold"

static const struct {
    const char *spec;
    bool normal; /* the baseline is Log itself */
    bool exact;  /* there is an exact kernel */
} cases[] = {
    {"euclidean:2", true, true},
    {"circle", false, true},
    {"torus:2", false, true},
    {"sphere:2", false, true},
    {"sphere:5", false, true},
    {"hyperbolic:2", true, true},
    {"so3", false, true},
    {"spd:2", true, true},
    {"spd:3", true, false},
    {"spd:2?metric=log-euclidean", true, true},
    {"sym:2", true, true},
    {"product(sphere:2,hyperbolic:2)", false, true},
    {"product(sphere:2,euclidean:1)", false, true},
    {"product(torus:2,product(sphere:2,sphere:3),so3)", false, true},
    {"bare", false, false},
    {SHIPPED "torus.manifold", false, false},
    {SHIPPED "ellipsoid.manifold", false, false},
    {SHIPPED "paraboloid.manifold", true, false},
    {RINGS, false, false},
    {"product(" SHIPPED "ellipsoid.manifold," RINGS ",sphere:2)", false, false},
};
enum { CASES = sizeof cases / sizeof *cases };

/* A manifold as a network sees it, with n random points y. */
typedef struct bench {
    mst_manifold *m;
    features *s;
    size_t d, D, q;
    dice die;
} bench;

static bench open_bench(size_t i, bool plain, bool energy)
{
    bench b = {.m = open_manifold(cases[i].spec), .die = {1000 + i}};
    ASSERT_OK(features_new(&b.s, b.m, plain, energy));
    b.d = mst_manifold_dim(b.m);
    b.D = mst_manifold_ambient(b.m);
    b.q = b.s->outputs;
    return b;
}

static void close_bench(bench *b)
{
    features_free(b->s);
    mst_manifold_free(b->m);
}

/* ---- Outputs ---- */

enum { ROWS = 3 };

static void check_outputs(bench *b)
{
    size_t D = b->D, q = b->q, normals = b->s->normals;
    double *y = doubles(ROWS * D), *v = doubles(ROWS * D), *w = doubles(ROWS * D);
    double *c = doubles(ROWS * q), *e = doubles(ROWS * q), *back = doubles(ROWS * D);
    double *normal = doubles(ROWS * normals * q);
    ck_assert_uint_eq(q, b->d + normals);
    for (size_t i = 0; i < ROWS; i++) {
        random_place(b->m, &b->die, y + i * D);
        random_vector(b->m, &b->die, y + i * D, 0.8, v + i * D);
        random_vector(b->m, &b->die, y + i * D, 1.7, w + i * D);
    }
    ASSERT_OK(features_to_outputs(b->s, ROWS, y, v, c));
    ASSERT_OK(features_to_outputs(b->s, ROWS, y, w, e));
    ASSERT_OK(features_from_outputs(b->s, ROWS, y, c, back));
    ASSERT_OK(features_normals(b->s, ROWS, y, normal));
    for (size_t i = 0; i < ROWS; i++) {
        double inner;
        ASSERT_OK(mst_manifold_inner(b->m, 1, y + i * D, v + i * D, w + i * D, &inner));
        assert_near(euclidean_norm(q, c + i * q), 0.8, 1e-10, "length of outputs");
        assert_near(dot(q, c + i * q, e + i * q), inner, 1e-10, "product of outputs");
        for (size_t k = 0; k < D; k++)
            assert_near(back[i * D + k], v[i * D + k], 1e-10, "P Pᵀ v");
        for (size_t j = 0; j < normals; j++) {
            const double *row = normal + (i * normals + j) * q;
            assert_near(dot(q, row, c + i * q), 0, 1e-12, "normal against range");
            for (size_t l = 0; l < normals; l++)
                assert_near(dot(q, row, row + l * q - j * q), l == j, 1e-12, "normals");
        }
    }
    /* PᵀP = I − Σ n nᵀ on any coordinates. */
    for (size_t k = 0; k < ROWS * q; k++)
        c[k] = dice_normal(&b->die);
    ASSERT_OK(features_from_outputs(b->s, ROWS, y, c, back));
    ASSERT_OK(features_to_outputs(b->s, ROWS, y, back, e));
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < normals; j++) {
            const double *row = normal + (i * normals + j) * q;
            double along = dot(q, row, c + i * q);
            for (size_t k = 0; k < q; k++)
                c[i * q + k] -= along * row[k];
        }
        for (size_t k = 0; k < q; k++)
            assert_near(e[i * q + k], c[i * q + k], 1e-10, "PᵀP");
    }
    free(y), free(v), free(w), free(c), free(e), free(back), free(normal);
}

START_TEST(outputs_are_isometric)
{
    for (int energy = 0; energy < 2; energy++) {
        bench b = open_bench((size_t)_i, false, energy != 0);
        check_outputs(&b);
        close_bench(&b);
    }
}
END_TEST

/* ---- What is read ---- */

START_TEST(baseline_is_the_logarithm)
{
    bench b = open_bench((size_t)_i, false, false), e = open_bench((size_t)_i, false, true);
    double *y = doubles(b.D), *x = doubles(b.D), *v = doubles(b.D), *c = doubles(b.q);
    double *inputs = doubles(b.s->inputs), *baseline = doubles(b.q), t = 1e-9, energy;
    for (double r = 0.04; r > 0.005; r *= 0.5) {
        random_place(b.m, &b.die, y);
        random_vector(b.m, &b.die, y, r, v);
        ASSERT_OK(mst_manifold_exp(b.m, 1, y, v, x));
        ASSERT_OK(features_to_outputs(b.s, 1, y, v, c));
        ASSERT_OK(features_read(b.s, 1, x, y, &t, inputs, baseline));
        for (size_t k = 0; k < b.q; k++)
            assert_near(baseline[k] * t, c[k], cases[_i].normal ? 1e-11 : r * r * r, "%s, r %g",
                        cases[_i].spec, r);
        ASSERT_OK(features_read(e.s, 1, x, y, &t, inputs, &energy));
        assert_near(energy * t, -0.5 * r * r, cases[_i].normal ? 1e-12 : r * r * r * r,
                    "energy on %s, r %g", cases[_i].spec, r);
    }
    free(y), free(x), free(v), free(c), free(inputs), free(baseline);
    close_bench(&b);
    close_bench(&e);
}
END_TEST

/* The inputs tell points and times apart, each of them where it is expected, and rows do not mix. */
START_TEST(inputs_of_rows)
{
    for (int plain = 0; plain < 2; plain++) {
        bench b = open_bench((size_t)_i, plain != 0, false);
        size_t D = b.D, width = b.s->inputs;
        double *x = doubles(ROWS * D), *y = doubles(ROWS * D), t[ROWS] = {0.01, 0.25, 1.5};
        double *inputs = doubles(ROWS * width), *one = doubles(width);
        double *baseline = doubles(ROWS * b.q), *c = doubles(b.q);
        for (size_t i = 0; i < ROWS; i++) {
            random_place(b.m, &b.die, y + i * D);
            random_neighbour(b.m, &b.die, y + i * D, sqrt(t[i]), x + i * D);
        }
        ASSERT_OK(features_read(b.s, ROWS, x, y, t, inputs, baseline));
        ck_assert(all_finite(ROWS * width, inputs));
        for (size_t i = 0; i < ROWS; i++) {
            ASSERT_OK(features_read(b.s, 1, x + i * D, y + i * D, t + i, one, c));
            ck_assert_mem_eq(one, inputs + i * width, width * sizeof *one);
            ck_assert_mem_eq(c, baseline + i * b.q, b.q * sizeof *c);
            assert_near(one[0], plain ? t[i] : sqrt(t[i]), 1e-15, "time");
            if (!plain)
                assert_near(one[1], 0.5 * log(t[i]), 1e-15, "log time");
            ck_assert_msg(max_abs(width, one) < 20, "%s: an input of %g", cases[_i].spec,
                          max_abs(width, one));
            if (plain) {
                assert_near(max_abs(b.q, c), 0, 0, "baseline of a plain network");
                assert_near(features_time_baseline(b.s, t[i], c), 0, 0, "plain");
            }
            assert_near(features_scale(b.s, t[i]), plain ? 1 : 1 / sqrt(t[i]), 1e-14, "scale");
            assert_near(features_time_scale(b.s, t[i]), plain ? 1 : 1 / t[i], 1e-12, "scale");
        }
        free(x), free(y), free(inputs), free(one), free(baseline), free(c);
        close_bench(&b);
    }
}
END_TEST

/* In flat space without holes the baselines are the exact score, energy and time derivative. */
START_TEST(baselines_of_flat_space)
{
    static const char *const specs[] = {"euclidean:2", "sym:2", "product(euclidean:1,sym:2)"};
    for (size_t j = 0; j < 3; j++)
        for (int energy = 0; energy < 2; energy++) {
            mst_manifold *m = open_manifold(specs[j]);
            features *s;
            dice die = {j};
            ASSERT_OK(features_new(&s, m, false, energy != 0));
            size_t D = s->D;
            double *x = doubles(D), *y = doubles(D), *score = doubles(D), *back = doubles(D);
            double *inputs = doubles(s->inputs), *baseline = doubles(s->outputs), t = 0.7;
            double log_p, dt, ratio;
            random_place(m, &die, x);
            random_place(m, &die, y);
            mst_heat_values want = {.score = score, .log_p = &log_p, .dt_log_p = &dt};
            ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &want));
            ASSERT_OK(features_read(s, 1, x, y, &t, inputs, baseline));
            assert_near(features_time_baseline(s, t, baseline), dt, 1e-12, "%s time", specs[j]);
            if (energy) {
                ASSERT_OK(mst_heat_kernel(m, 1, x, x, t, 1, &(mst_heat_values){.log_p = &ratio}));
                assert_near(baseline[0], log_p - ratio, 1e-12, "%s energy", specs[j]);
            } else {
                ASSERT_OK(features_from_outputs(s, 1, y, baseline, back));
                for (size_t k = 0; k < D; k++)
                    assert_near(back[k], score[k], 1e-12, "%s score", specs[j]);
            }
            free(x), free(y), free(score), free(back), free(inputs), free(baseline);
            features_free(s);
            mst_manifold_free(m);
        }
}
END_TEST

/* ---- Derivatives ---- */

/* Two rows with two directions each, against differences of higher order with larger steps. */
static void check_derivatives(bench *b, double t0, const char *spec)
{
    enum { N = 2, T = 2 };
    features *s = b->s;
    size_t D = b->D, width = s->inputs, base = s->base;
    double *x = doubles(N * D), *y = doubles(N * D), *v = doubles(N * T * D), t[N] = {t0, 2 * t0};
    double *slope = doubles(N * T * width), *c = doubles(N * T * base), *moved = doubles(D);
    double *f = doubles(4 * width), *g = doubles(4 * base);
    for (size_t i = 0; i < N; i++) {
        random_place(b->m, &b->die, y + i * D);
        random_neighbour(b->m, &b->die, y + i * D, fmin(1, sqrt(t0)), x + i * D);
        for (size_t k = 0; k < T; k++)
            random_vector(b->m, &b->die, y + i * D, 1, v + (i * T + k) * D);
    }
    ASSERT_OK(features_differentiate(s, N, T, x, y, t, v, slope, c));
    for (size_t r = 0; r < N * T; r++) {
        double time = t[r / T], h = 0.003 * fmin(1, sqrt(time));
        for (size_t j = 0; j < 4; j++) {
            move(b->m, y + r / T * D, stencil_at[j] * h, v + r * D, moved);
            ASSERT_OK(
                features_read(s, 1, x + r / T * D, moved, &time, f + j * width, g + j * base));
        }
        for (size_t k = 0; k < width; k++)
            assert_near(slope[r * width + k], stencil(f, width, k, h), 3e-7 / fmin(1, sqrt(time)),
                        "%s at %g, input %zu", spec, time, k);
        for (size_t k = 0; k < base; k++)
            assert_near(c[r * base + k], stencil(g, base, k, h), 3e-7 / fmin(1, time),
                        "%s at %g, baseline %zu", spec, time, k);
    }
    free(x), free(y), free(v), free(slope), free(c), free(moved), free(f), free(g);
}

START_TEST(derivatives)
{
    for (int kind = 0; kind < 3; kind++) {
        bench b = open_bench((size_t)_i, kind == 1, kind == 2);
        for (double t = 0.002; t < 5; t *= 30)
            check_derivatives(&b, t, cases[_i].spec);
        close_bench(&b);
    }
}
END_TEST

/* The energy's baseline has the other baseline as its gradient, where this one is a gradient. */
START_TEST(energy_baseline_has_the_gradient)
{
    if (strcmp(cases[_i].spec, "bare") == 0 || strstr(cases[_i].spec, "so3") != NULL)
        return;
    bench b = open_bench((size_t)_i, false, false), e = open_bench((size_t)_i, false, true);
    size_t d = b.d, D = b.D;
    double *x = doubles(D), *y = doubles(D), *frame = doubles(d * D), *along = doubles(d);
    double *slope = doubles(d * b.s->inputs), *c = doubles(b.q), *v = doubles(D), t = 0.2;
    random_place(b.m, &b.die, y);
    random_neighbour(b.m, &b.die, y, 0.9, x);
    ASSERT_OK(mst_manifold_frame(b.m, 1, y, frame));
    ASSERT_OK(features_differentiate(e.s, 1, d, x, y, &t, frame, slope, along));
    ASSERT_OK(features_read(b.s, 1, x, y, &t, slope, c));
    ASSERT_OK(features_from_outputs(b.s, 1, y, c, v));
    ASSERT_OK(mst_manifold_to_frame(b.m, 1, y, v, slope));
    for (size_t k = 0; k < d; k++)
        assert_near(along[k], slope[k], 1e-6, "%s", cases[_i].spec);
    free(x), free(y), free(frame), free(along), free(slope), free(c), free(v);
    close_bench(&b);
    close_bench(&e);
}
END_TEST

/* ---- The connection ---- */

typedef void field(const bench *b, const double *x, const double *y, double *v);

/* The exact score, and a constant ambient vector's projection. */
static void exact_score(const bench *b, const double *x, const double *y, double *v)
{
    ASSERT_OK(mst_heat_kernel(b->m, 1, x, y, 0.4, 1, &(mst_heat_values){.score = v}));
}

static void projected_constant(const bench *b, const double *x, const double *y, double *v)
{
    ASSERT_OK(mst_manifold_tangent(b->m, 1, y, x, v));
}

/* Output coordinates of the field, with something normal added, which P takes away. */
static void field_outputs(const bench *b, field *of, const double *x, const double *y, double *c)
{
    size_t normals = b->s->normals;
    double *v = doubles(b->D), *n = doubles(normals * b->q), sum = 0;
    of(b, x, y, v);
    ASSERT_OK(features_to_outputs(b->s, 1, y, v, c));
    ASSERT_OK(features_normals(b->s, 1, y, n));
    for (size_t k = 0; k < b->D; k++)
        sum += (double)(k + 1) * y[k];
    for (size_t j = 0; j < normals; j++)
        for (size_t k = 0; k < b->q; k++)
            c[k] += sin(sum + (double)j) * n[j * b->q + k];
    free(v), free(n);
}

/* <E_a, ∇_b s> by the formula that networks use, the derivatives of the coordinates by differences. */
static void covariant(const bench *b, field *of, const double *x, const double *y, double *out)
{
    size_t d = b->d, D = b->D, q = b->q;
    double *frame = doubles(d * D), *e = doubles(q), *f = doubles(4 * q), *c = doubles(q);
    double *omega = doubles(d * d * q), *at = doubles(D), h = 0.002;
    ASSERT_OK(mst_manifold_frame(b->m, 1, y, frame));
    ASSERT_OK(features_connection(b->s, y, omega));
    field_outputs(b, of, x, y, c);
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < 4; k++) {
            move(b->m, y, stencil_at[k] * h, frame + j * D, at);
            field_outputs(b, of, x, at, f + k * q);
        }
        for (size_t a = 0; a < d; a++) {
            ASSERT_OK(features_to_outputs(b->s, 1, y, frame + a * D, e));
            out[a * d + j] = dot(q, omega + (j * d + a) * q, c);
            for (size_t k = 0; k < q; k++)
                out[a * d + j] += e[k] * stencil(f, q, k, h);
        }
    }
    free(frame), free(e), free(f), free(c), free(omega), free(at);
}

static void check_connection(bench *b, bool exact, const char *spec)
{
    size_t d = b->d, D = b->D;
    double *x = doubles(D), *y = doubles(D), *got = doubles(d * d), *want = doubles(d * d);
    random_place(b->m, &b->die, y);
    random_neighbour(b->m, &b->die, y, 0.8, x);
    covariant(b, exact ? exact_score : projected_constant, x, y, got);
    if (exact)
        ASSERT_OK(mst_heat_kernel(b->m, 1, x, y, 0.4, 1, &(mst_heat_values){.hessian = want}));
    for (size_t a = 0; a < d; a++) /* of a constant's projection on a sphere: −<x, y>/R² */
        for (size_t j = 0; j < d && !exact; j++)
            want[a * d + j] = a == j ? -dot(D, x, y) / dot(D, y, y) : 0;
    for (size_t k = 0; k < d * d; k++)
        assert_near(got[k], want[k], 1e-5, "%s, entry %zu", spec, k);
    free(x), free(y), free(got), free(want);
}

START_TEST(connection)
{
    bool exact = cases[_i].exact;
    if (!exact && strcmp(cases[_i].spec, "bare") != 0)
        return;
    for (int energy = 0; energy < 2; energy++) {
        bench b = open_bench((size_t)_i, false, energy != 0);
        check_connection(&b, exact, cases[_i].spec);
        close_bench(&b);
    }
}
END_TEST

/* Without geodesics and by transport along them, which products use. */
START_TEST(connections_agree)
{
    static const char *const specs[] = {SHIPPED "torus.manifold", RINGS,
                                        SHIPPED "ellipsoid.manifold", SHIPPED "bumpy.manifold"};
    char wide[600];
    dice die = {77};
    snprintf(wide, sizeof wide, "product(%s,euclidean:1)", specs[_i]);
    mst_manifold *m = open_manifold(specs[_i]), *both = open_manifold(wide);
    features *s, *w;
    double y[4] = {0}, own[2 * 2 * 3], other[3 * 3 * 4];
    ASSERT_OK(features_new(&s, m, false, false));
    ASSERT_OK(features_new(&w, both, false, false));
    random_place(m, &die, y);
    ASSERT_OK(features_connection(s, y, own));
    ASSERT_OK(features_connection(w, y, other));
    for (size_t b = 0; b < 2; b++)
        for (size_t a = 0; a < 2; a++)
            for (size_t k = 0; k < s->outputs; k++)
                assert_near(own[(b * 2 + a) * s->outputs + k], other[(b * 3 + a) * w->outputs + k],
                            1e-6, "%s, %zu %zu %zu", specs[_i], b, a, k);
    features_free(s);
    features_free(w);
    mst_manifold_free(m);
    mst_manifold_free(both);
}
END_TEST

/* What is the same point is the same to a network. */
START_TEST(periods_do_not_show)
{
    static const struct {
        const char *spec;
        double period[2];
    } of[] = {{SHIPPED "torus.manifold", {6.283185307179586, 6.283185307179586}},
              {RINGS, {2, 6.283185307179586}}};
    mst_manifold *m = open_manifold(of[_i].spec);
    features *s;
    ASSERT_OK(features_new(&s, m, false, false));
    double x[2] = {0.9, 2.8}, y[2] = {-0.3, -2.1}, t = 0.3, in[2][64], c[2][2];
    ASSERT_OK(features_read(s, 1, x, y, &t, in[0], c[0]));
    for (size_t k = 0; k < 2; k++) {
        x[k] += of[_i].period[k];
        y[1 - k] -= 2 * of[_i].period[1 - k];
        ASSERT_OK(features_read(s, 1, x, y, &t, in[1], c[1]));
        for (size_t i = 0; i < s->inputs; i++)
            assert_near(in[1][i], in[0][i], 1e-12, "input %zu", i);
        for (size_t i = 0; i < 2; i++)
            assert_near(c[1][i], c[0][i], 1e-11, "baseline %zu", i);
    }
    /* And smooth at half a period. */
    for (int side = 0; side < 2; side++) {
        x[0] = y[0] + 0.5 * of[_i].period[0] + (side == 0 ? 1e-9 : -1e-9);
        ASSERT_OK(features_read(s, 1, x, y, &t, in[side], c[side]));
    }
    for (size_t i = 0; i < s->inputs; i++)
        assert_near(in[1][i], in[0][i], 1e-7, "input %zu", i);
    features_free(s);
    mst_manifold_free(m);
}
END_TEST

START_TEST(divergence_is_the_trace)
{
    for (int energy = 0; energy < 2; energy++) {
        bench b = open_bench((size_t)_i, false, energy != 0);
        size_t d = b.d, q = b.q;
        double *y = doubles(2 * b.D), *omega = doubles(d * d * q), *delta = doubles(2 * q);
        random_place(b.m, &b.die, y);
        random_place(b.m, &b.die, y + b.D);
        ASSERT_OK(features_divergence(b.s, 2, y, delta));
        for (size_t i = 0; i < 2; i++) {
            ASSERT_OK(features_connection(b.s, y + i * b.D, omega));
            for (size_t k = 0; k < q; k++) {
                double trace = 0;
                for (size_t a = 0; a < d; a++)
                    trace += omega[(a * d + a) * q + k];
                assert_near(delta[i * q + k], trace, 1e-6, "%s, row %zu", cases[_i].spec, i);
            }
        }
        free(y), free(omega), free(delta);
        close_bench(&b);
    }
}
END_TEST

/* Landmarks that are moved together are the same to a network, except for rounding. */
START_TEST(translations_do_not_show)
{
    enum { INPUTS = 64, DIM = 6 };
    mst_manifold *m;
    features *s;
    ASSERT_OK(mst_manifold_parse(&m, "landmarks:3x2?sigma=0.5"));
    ASSERT_OK(features_new(&s, m, false, false));
    ck_assert_uint_le(s->inputs, INPUTS);
    double x[] = {0, 0.1, 0.6, -0.2, 0.3, 0.7}, y[] = {0.2, 0, 0.5, -0.1, 0.4, 0.9}, t = 0.1;
    double in[INPUTS], base[DIM], moved_in[INPUTS], moved_base[DIM];
    ASSERT_OK(features_read(s, 1, x, y, &t, in, base));
    for (size_t k = 0; k < DIM; k++) {
        x[k] += k % 2 == 0 ? 3 : -40;
        y[k] += k % 2 == 0 ? 3 : -40;
    }
    ASSERT_OK(features_read(s, 1, x, y, &t, moved_in, moved_base));
    for (size_t k = 0; k < s->inputs; k++)
        assert_near(moved_in[k], in[k], 1e-10, "input %zu", k);
    for (size_t k = 0; k < DIM; k++)
        assert_near(moved_base[k], base[k], 1e-10, "baseline %zu", k);
    features_free(s);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "features", 60, {outputs_are_isometric, CASES}, {baseline_is_the_logarithm, CASES},
        {inputs_of_rows, CASES}, {baselines_of_flat_space, 0}, {derivatives, CASES},
        {energy_baseline_has_the_gradient, CASES}, {connection, CASES}, {connections_agree, 4},
        {periods_do_not_show, 2}, {translations_do_not_show, 0}, {divergence_is_the_trace, CASES});
}
