/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds of Gaussian processes against their definition, differences and each other. */
#include "learned/gp.h"
#include "manifold/metric.h"
#include "ring.h"
#include "support/manifolds.h"

#include <manistat/geodesic.h>
#include <stdlib.h>
#include <string.h>

/* ---- The definition: g = μ_Jᵀμ_J + DΣ_J, from matrices that are inverted the plain way ---- */

typedef struct plain {
    double inverse[RING * RING], alpha[RING * WIDE];
    double variance, length, noise;
    ring r;
} plain;

/* Gauss–Jordan in long double. */
static void plain_make(plain *p, double variance, double length, double noise)
{
    static long double a[RING][2 * RING];
    *p = (plain){.variance = variance, .length = length, .noise = noise};
    ring_make(&p->r);
    for (size_t i = 0; i < RING; i++)
        for (size_t j = 0; j < RING; j++) {
            double u = p->r.latent[2 * i] - p->r.latent[2 * j],
                   v = p->r.latent[2 * i + 1] - p->r.latent[2 * j + 1];
            a[i][j] = expl(-0.5L * (u * u + v * v) / (length * length)) + (i == j ? noise : 0);
            a[i][RING + j] = i == j;
        }
    for (size_t c = 0; c < RING; c++) {
        long double pivot = a[c][c];
        for (size_t j = 0; j < 2 * RING; j++)
            a[c][j] /= pivot;
        for (size_t i = 0; i < RING; i++) {
            long double f = a[i][c];
            for (size_t j = 0; i != c && j < 2 * RING; j++)
                a[i][j] -= f * a[c][j];
        }
    }
    for (size_t i = 0; i < RING; i++)
        for (size_t j = 0; j < RING; j++)
            p->inverse[i * RING + j] = (double)a[i][RING + j];
    for (size_t i = 0; i < RING; i++)
        for (size_t k = 0; k < WIDE; k++) {
            long double sum = 0;
            for (size_t j = 0; j < RING; j++)
                sum += a[i][RING + j] * p->r.data[j * WIDE + k];
            p->alpha[i * WIDE + k] = (double)sum;
        }
}

/* ∂_a of the kernels of unit variance at x. */
static void plain_slope(const plain *p, const double *x, size_t a, double *r)
{
    double s = 1 / (p->length * p->length);
    for (size_t i = 0; i < RING; i++) {
        double u = x[0] - p->r.latent[2 * i], v = x[1] - p->r.latent[2 * i + 1];
        r[i] = -s * (a == 0 ? u : v) * exp(-0.5 * s * (u * u + v * v));
    }
}

static void plain_metric(const plain *p, const double *x, double g[4])
{
    double r[2][RING];
    plain_slope(p, x, 0, r[0]);
    plain_slope(p, x, 1, r[1]);
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b < 2; b++) {
            double mean = 0, known = 0;
            for (size_t k = 0; k < WIDE; k++) {
                double ja = 0, jb = 0;
                for (size_t i = 0; i < RING; i++) {
                    ja += r[a][i] * p->alpha[i * WIDE + k];
                    jb += r[b][i] * p->alpha[i * WIDE + k];
                }
                mean += ja * jb;
            }
            for (size_t i = 0; i < RING; i++)
                for (size_t j = 0; j < RING; j++)
                    known += r[a][i] * p->inverse[i * RING + j] * r[b][j];
            double prior = a == b ? 1 / (p->length * p->length) : 0;
            g[2 * a + b] = mean + WIDE * p->variance * (prior - known);
        }
}

static void draw(dice *die, double *x)
{
    double angle = dice_uniform(die, -M_PI, M_PI), r = dice_uniform(die, 0, 2);
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
}

static const double cases[][3] = {{0.3, 0.25, 1e-4}, {1, 0.1, 1e-6}, {2, 0.6, 1e-2}};

START_TEST(metric_is_the_expected_one)
{
    static plain p;
    const double *c = cases[_i];
    plain_make(&p, c[0], c[1], c[2]);
    mst_manifold *m = ring_learn(c[0], c[1], c[2]);
    const mst_metric_ops *ops = &m->metric->ops;
    double far = WIDE * c[0] / (c[1] * c[1]);
    dice die = {5};
    for (size_t k = 0; k < 200; k++) {
        double x[2], g[4], own[4], l_xv[4], l_xx[4], v[2] = {0.3, -1.1};
        draw(&die, x);
        plain_metric(&p, x, g);
        ASSERT_OK(ops->lagrangian_blocks(m, 1, x, v, own, l_xv, l_xx));
        for (size_t a = 0; a < 4; a++)
            assert_near(own[a], g[a], 1e-9 * far, "case %d, g_%zu at %g, %g", _i, a, x[0], x[1]);
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Derivatives ---- */

/* 9 points about x along dx and dv for curve_derivative. */
static void sample_line(const mst_metric_ops *ops, const mst_manifold *m, const double *x,
                        const double *v, const double *dx, const double *dv, double h, double *l,
                        double *l_x, double *l_v)
{
    double xs[18], vs[18];
    for (size_t k = 0; k < 9; k++)
        for (size_t a = 0; a < 2; a++) {
            xs[2 * k + a] = x[a] + ((double)k - 4) * h * dx[a];
            vs[2 * k + a] = v[a] + ((double)k - 4) * h * dv[a];
        }
    ASSERT_OK(ops->lagrangian(m, 9, xs, vs, l, l_x, l_v));
}

START_TEST(derivatives_are_those_of_differences)
{
    const double *c = cases[_i];
    mst_manifold *m = ring_learn(c[0], c[1], c[2]);
    const mst_metric_ops *ops = &m->metric->ops;
    double far = WIDE * c[0] / (c[1] * c[1]), h = 0.01 * c[1], l[9], l_x[18], l_v[18];
    /* Each derivative makes numbers larger by 1/ℓ; rounding of differences by 1/h. */
    double first = 1e-9 * far / c[1], second = first / c[1];
    dice die = {9};
    for (size_t k = 0; k < 100; k++) {
        double x[2], v[2], dx[2], dv[2], zero[2] = {0}, slope, dl_x[2], dl_v[2], two[4];
        draw(&die, x);
        for (size_t a = 0; a < 2; a++) {
            v[a] = dice_normal(&die);
            dx[a] = dice_normal(&die);
            dv[a] = dice_normal(&die);
        }
        double size = hypot(dx[0], dx[1]); /* steps of the stencil are h long */
        dx[0] /= size;
        dx[1] /= size;
        double at_l, at_x[2], at_v[2];
        ASSERT_OK(ops->lagrangian(m, 1, x, v, &at_l, at_x, at_v));
        assert_near(at_l, 0.5 * (at_v[0] * v[0] + at_v[1] * v[1]), 1e-9 * far * dot(2, v, v),
                    "L is quadratic");
        sample_line(ops, m, x, v, dx, zero, h, l, l_x, l_v);
        curve_derivative(1, h, 1, l, &slope);
        assert_near(at_x[0] * dx[0] + at_x[1] * dx[1], slope, 20 * first, "L_x");
        ASSERT_OK(ops->lagrangian_hvp(m, 1, x, v, dx, dv, dl_x, dl_v));
        sample_line(ops, m, x, v, dx, dv, h, l, l_x, l_v);
        curve_derivative(1, h, 2, l_x, two);
        curve_derivative(1, h, 2, l_v, two + 2);
        for (size_t a = 0; a < 2; a++) {
            assert_near(dl_x[a], two[a], 100 * second, "dL_x of case %d", _i);
            assert_near(dl_v[a], two[2 + a], 20 * first, "dL_v of case %d", _i);
        }
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(blocks_are_products_with_unit_vectors)
{
    const double *c = cases[_i];
    mst_manifold *m = ring_learn(c[0], c[1], c[2]);
    const mst_metric_ops *ops = &m->metric->ops;
    double far = WIDE * c[0] / (c[1] * c[1]);
    dice die = {10};
    for (size_t k = 0; k < 50; k++) {
        double x[2], v[2] = {dice_normal(&die), dice_normal(&die)}, zero[2] = {0};
        double g[4], l_xv[4], l_xx[4], dl_x[2], dl_v[2];
        draw(&die, x);
        ASSERT_OK(ops->lagrangian_blocks(m, 1, x, v, g, l_xv, l_xx));
        for (size_t b = 0; b < 2; b++) {
            double unit[2] = {b == 0, b == 1};
            ASSERT_OK(ops->lagrangian_hvp(m, 1, x, v, unit, zero, dl_x, dl_v));
            for (size_t a = 0; a < 2; a++) {
                assert_near(l_xx[a * 2 + b], dl_x[a], 1e-9 * far * 4 / (c[1] * c[1]), "L_xx");
                assert_near(l_xv[b * 2 + a], dl_v[a], 1e-9 * far * 4 / c[1], "L_xv");
            }
            ASSERT_OK(ops->lagrangian_hvp(m, 1, x, v, zero, unit, dl_x, dl_v));
            for (size_t a = 0; a < 2; a++)
                assert_near(g[a * 2 + b], dl_v[a], 1e-9 * far, "g");
        }
    }
    mst_manifold_free(m);
}
END_TEST

/* Every instruction set, and without a window: the same to 1e-10 of the least eigenvalue. */
START_TEST(window_does_not_show)
{
    const double *c = cases[_i];
    mst_manifold *m = ring_learn(c[0], c[1], c[2]);
    const gp *g = mst_manifold_data(m);
    gp_field whole = g->field;
    whole.reach = INFINITY;
    double *room = doubles(gp_room(&whole));
    size_t *runs = malloc(gp_runs(&whole) * sizeof *runs);
    dice die = {11};
    for (size_t k = 0; k < 200; k++) {
        double x[2], v[2] = {0.4, 0.9}, a[12], b[12], l[3], far = g->field.far;
        draw(&die, x);
        gp_kernels_generic.blocks(&whole, x, v, a, a + 4, a + 8, room, runs);
        MST_PICK(gp_kernels)->blocks(&g->field, x, v, b, b + 4, b + 8, room, runs);
        double trace = a[0] + a[3], det = a[0] * a[3] - a[1] * a[2];
        double least = 0.5 * (trace - sqrt(fmax(trace * trace - 4 * det, 0)));
        ck_assert_double_gt(least, 0);
        for (size_t e = 0; e < 12; e++) {
            double size = e < 4 ? 1 : e < 8 ? 1 / c[1] : 1 / (c[1] * c[1]);
            assert_near(b[e], a[e], (1e-10 * least + 1e-12 * far) * size * 8, "entry %zu", e);
        }
        MST_PICK(gp_kernels)->lagrangian(&g->field, x, v, l, b, b + 2, room, runs);
        gp_kernels_generic.lagrangian(&whole, x, v, l + 1, a, a + 2, room, runs);
        assert_near(l[0], l[1], 1e-10 * least + 1e-12 * far, "L");
    }
    free(room);
    free(runs);
    mst_manifold_free(m);
}
END_TEST

/* ---- Hyper-parameters ---- */

static double likelihood_of(const ring *r, double variance, double length, double noise,
                            mst_learned_info *info)
{
    mst_manifold *m;
    mst_gp_options o = mst_gp_options_default();
    o.variance = variance;
    o.length_scale = length;
    o.noise = noise;
    ASSERT_OK(mst_gp_learn(&m, "ring.gp", RING, 2, r->latent, WIDE, r->data, &o));
    ASSERT_OK(mst_learned_describe(m, info));
    mst_manifold_free(m);
    return info->log_likelihood;
}

START_TEST(likelihood_is_maximal)
{
    ring r;
    dice die = {4};
    mst_learned_info best, other;
    ring_make(&r);
    for (size_t i = 0; i < RING * WIDE; i++)
        r.data[i] += 0.01 * dice_normal(&die);
    double top = likelihood_of(&r, NAN, NAN, NAN, &best);
    /* 576 numbers of noise, less what the map takes up: its deviation is known to about 4 %. */
    assert_near(sqrt(best.noise * best.variance), 0.01, 0.002, "the noise");
    for (int k = 0; k < 6; k++) {
        double up = k % 2 == 0 ? 1.02 : 1 / 1.02;
        double there = likelihood_of(&r, best.variance * (k / 2 == 0 ? up : 1),
                                     best.length_scale * (k / 2 == 1 ? up : 1),
                                     best.noise * (k / 2 == 2 ? up : 1), &other);
        ck_assert_msg(there < top, "%d: %.10g beats %.10g", k, there, top);
    }
    /* What is given stays, and the rest is best for it. */
    double less = likelihood_of(&r, NAN, 2 * best.length_scale, NAN, &other);
    ck_assert_double_lt(less, top);
    assert_near(other.length_scale, 2 * best.length_scale, 0, "given");
    ck_assert_double_lt(
        likelihood_of(&r, 1.02 * other.variance, other.length_scale, other.noise, &other), less);
}
END_TEST

/* Independent of the library: the sum over data dimensions of the logarithms of Gaussian densities, in two
 * points. */
START_TEST(likelihood_of_two_points)
{
    double latent[2] = {0, 0.7}, data[4] = {1, -0.5, 0.2, 0.3};
    mst_manifold *m;
    mst_gp_options o = mst_gp_options_default();
    mst_learned_info info;
    o.variance = 1.7;
    o.length_scale = 0.5;
    o.noise = 0.1;
    ASSERT_OK(mst_gp_learn(&m, "two.gp", 2, 1, latent, 2, data, &o));
    ASSERT_OK(mst_learned_describe(m, &info));
    double k = 1.7 * exp(-0.5 * 0.49 / 0.25), v = 1.7 * 1.1, det = v * v - k * k, want = 0;
    for (size_t j = 0; j < 2; j++) {
        double a = data[j], b = data[2 + j];
        want -= 0.5 * (v * (a * a + b * b) - 2 * k * a * b) / det + 0.5 * log(det) + log(2 * M_PI);
    }
    assert_near(info.log_likelihood, want, 1e-12, "the likelihood");
    mst_manifold_free(m);
}
END_TEST

/* ---- Decoding ---- */

START_TEST(decoding_gives_the_data_back)
{
    ring r;
    double row[WIDE], sd[WIDE], away[2] = {30, 30};
    mst_manifold *m = ring_learn(1, 0.3, 1e-9);
    ring_make(&r);
    for (size_t i = 0; i < RING; i++) {
        ASSERT_OK(mst_learned_decode(m, 1, r.latent + 2 * i, row, sd));
        for (size_t k = 0; k < WIDE; k++) {
            assert_near(row[k], r.data[i * WIDE + k], 1e-4, "row %zu", i);
            ck_assert_double_lt(sd[k], 1e-3);
        }
    }
    ASSERT_OK(mst_learned_decode(m, 1, away, row, sd));
    for (size_t k = 0; k < WIDE; k++) {
        ck_assert_double_eq(row[k], 0);
        ck_assert_double_eq(sd[k], 1);
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Geodesics keep to the ring, where the straight line would lead through its middle ---- */

START_TEST(ways_keep_to_the_data)
{
    enum { PAIRS = 12 };
    double x[2 * PAIRS], y[2 * PAIRS], length[PAIRS], path[PAIRS * 5 * 2];
    mst_geodesic_status status[PAIRS];
    mst_manifold *m = ring_learn(1, 0.25, 1e-3);
    mst_geodesic_options o = mst_geodesic_options_default();
    for (size_t i = 0; i < PAIRS; i++) {
        double a = 0.4 * (double)i, b = a + 0.3 + 0.24 * (double)i;
        x[2 * i] = cos(a);
        x[2 * i + 1] = sin(a);
        y[2 * i] = cos(b);
        y[2 * i + 1] = sin(b);
    }
    mst_geodesic_output out = {.length = length, .status = status, .points = 5, .path = path};
    ASSERT_OK(mst_geodesic_solve(m, PAIRS, x, y, &o, &out));
    for (size_t i = 0; i < PAIRS; i++) {
        ck_assert_int_eq((int)status[i], MST_GEODESIC_LEAST);
        for (size_t k = 0; k < 5; k++) {
            const double *at = path + (i * 5 + k) * 2;
            ck_assert_msg(hypot(at[0], at[1]) > 0.9, "pair %zu passes %g, %g", i, at[0], at[1]);
        }
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Remarks ---- */

START_TEST(remarks_tell_what_has_left_the_data)
{
    mst_remark remarks[4];
    double middle[2] = {0, 0}, there[2] = {1, 0};
    mst_manifold *m = ring_learn(0.3, 0.25, 1e-4);
    mst_learned_info info;
    ASSERT_OK(mst_learned_describe(m, &info));
    double tube = info.tube;
    assert_near(tube, 0.25 * sqrt(WIDE * 0.3 / 0.0625), 1e-12, "the tube");
    ck_assert_uint_eq(mst_manifold_remarks(m, there, NAN, 4, remarks), 0);
    ck_assert_uint_eq(mst_manifold_remarks(m, there, 0.9 * tube * tube, 4, remarks), 0);
    ck_assert_uint_eq(mst_manifold_remarks(m, middle, NAN, 4, remarks), 1);
    ck_assert_str_eq(remarks[0].word, "left-the-data");
    ck_assert_uint_eq(mst_manifold_remarks(m, middle, 1.1 * tube * tube, 4, remarks), 2);
    ck_assert_str_eq(remarks[1].word, "beyond-the-tube");
    ck_assert_uint_eq(mst_manifold_remarks(m, middle, 1.1 * tube * tube, 1, remarks), 1);
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ck_assert_uint_eq(mst_manifold_remarks(m, (double[]){0, 0, 1}, 1, 4, remarks), 0);
    mst_manifold_free(m);
}
END_TEST

/* ---- What is refused ---- */

START_TEST(bad_input_is_refused)
{
    ring r;
    mst_manifold *m;
    mst_gp_options o = mst_gp_options_default();
    ring_make(&r);
    o.noise = -1;
    ASSERT_FAILS(MST_ARGUMENT, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    o.noise = 0;
    memcpy(r.latent + 2 * 7, r.latent + 2 * 3, 2 * sizeof(double));
    ASSERT_FAILS(MST_DOMAIN, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "4 and 8"));
    ring_make(&r);
    o.noise = 1e-16; /* a condition beyond 1e12 */
    o.length_scale = 1;
    ASSERT_FAILS(MST_DOMAIN, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    o = mst_gp_options_default();
    o.length_scale = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    o = mst_gp_options_default();
    o.height = 5;
    o.width = 5;
    ASSERT_FAILS(MST_ARGUMENT, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    r.data[17] = NAN;
    ASSERT_FAILS(MST_DOMAIN, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_gp_learn(&m, "r.gp", 1, 2, r.latent, WIDE, r.data, NULL));
    ck_assert_ptr_null(m);
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ck_assert(!mst_manifold_is_learned(m));
    ck_assert_ptr_null(mst_learned_latent(m));
    ASSERT_FAILS(MST_ARGUMENT, mst_learned_decode(m, 1, r.latent, r.data, NULL));
    mst_manifold_free(m);
}
END_TEST

/* Rows of 1, 2, 3, … that differ by `gap` times the rows of the ring. */
static void make_constant(ring *r, double gap)
{
    ring_make(r);
    for (size_t i = 0; i < RING * WIDE; i++)
        r->data[i] = 1 + (double)(i % WIDE) + gap * r->data[i];
}

START_TEST(constant_data_are_refused)
{
    ring r;
    mst_manifold *m;
    double latent[2 * RING];
    mst_gp_options o = mst_gp_options_default();
    o.centre = _i % 2 == 1;
    for (int k = 0; k < 2; k++) { /* equal, and equal to rounding */
        make_constant(&r, k * 1e-13);
        const char *word = k == 0 ? "all equal" : "equal to rounding";
        ASSERT_FAILS(MST_DOMAIN, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
        ck_assert_ptr_null(m);
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), word));
        ASSERT_FAILS(MST_DOMAIN, mst_latent_pca(RING, WIDE, r.data, 1, latent));
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), word));
        ASSERT_FAILS(MST_DOMAIN, mst_latent_laplacian(RING, WIDE, r.data, 4, 2, latent));
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), word));
    }
    /* Without centring the fit is of the constant part, and its variance hides how the rows differ. */
    make_constant(&r, 1e-9);
    if (o.centre) {
        ASSERT_OK(mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    } else {
        ASSERT_FAILS(MST_DOMAIN, mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), "learned nothing"));
    }
    mst_manifold_free(m);
    make_constant(&r, 1e-2);
    ASSERT_OK(mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    mst_manifold_free(m);
    /* Small data of no offset are as good as others. */
    ring_make(&r);
    for (size_t i = 0; i < RING * WIDE; i++)
        r.data[i] *= 1e-30;
    ASSERT_OK(mst_gp_learn(&m, "r.gp", RING, 2, r.latent, WIDE, r.data, &o));
    mst_manifold_free(m);
}
END_TEST

/* ---- Latent points ---- */

START_TEST(principal_components)
{
    enum { N = 30 };
    /* A plane in R^3, stretched 3 : 1; scores are in units of the first deviation. */
    double data[3 * N], latent[2 * N], mean[2] = {0}, square[2] = {0}, cross = 0;
    dice die = {3};
    for (size_t i = 0; i < N; i++) {
        double u = 3 * dice_normal(&die), v = dice_normal(&die);
        data[3 * i] = 5 + 0.6 * u;
        data[3 * i + 1] = 0.8 * u - 2;
        data[3 * i + 2] = v;
    }
    ASSERT_OK(mst_latent_pca(N, 3, data, 2, latent));
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 2; k++)
            mean[k] += latent[2 * i + k] / N;
    for (size_t i = 0; i < N; i++) {
        cross += latent[2 * i] * latent[2 * i + 1];
        for (size_t k = 0; k < 2; k++)
            square[k] += latent[2 * i + k] * latent[2 * i + k] / N;
    }
    assert_near(mean[0], 0, 1e-12, "centred");
    assert_near(square[0], 1, 1e-12, "the first");
    ck_assert(square[1] < 0.5);
    assert_near(cross, 0, 1e-11, "uncorrelated");
    double whole = 0; /* distances are kept, but for one factor */
    for (size_t i = 1; i < N; i++) {
        double there = hypot(latent[2 * i] - latent[0], latent[2 * i + 1] - latent[1]), here = 0;
        for (size_t k = 0; k < 3; k++)
            here = hypot(here, data[3 * i + k] - data[k]);
        whole = i == 1 ? here / there : whole;
        assert_near(here / there, whole, 1e-9 * whole, "distances");
    }
    ASSERT_FAILS(MST_DOMAIN, mst_latent_pca(N, 3, data, 3, latent));
    ASSERT_FAILS(MST_ARGUMENT, mst_latent_pca(N, 3, data, 4, latent));
}
END_TEST

START_TEST(laplacian_finds_the_ring)
{
    ring r;
    double latent[2 * RING];
    ring_make(&r);
    ASSERT_OK(mst_latent_laplacian(RING, WIDE, r.data, 4, 2, latent));
    for (size_t i = 0; i < RING; i++) {
        const double *a = latent + 2 * i, *b = latent + 2 * ((i + 1) % RING);
        assert_near(hypot(a[0], a[1]), sqrt(2), 1e-9, "a circle");
        double turn = fabs(a[0] * b[1] - a[1] * b[0]) / 2;
        assert_near(asin(turn), 2 * M_PI / RING, 1e-9, "even steps");
    }
    for (size_t i = RING / 2; i < RING; i++)
        r.data[i * WIDE] += 100;
    ASSERT_FAILS(MST_DOMAIN, mst_latent_laplacian(RING, WIDE, r.data, 4, 2, latent));
    ASSERT_FAILS(MST_ARGUMENT, mst_latent_laplacian(RING, WIDE, r.data, RING, 2, latent));
}
END_TEST

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    return RUN_SUITE("gp", 60, {metric_is_the_expected_one, CASES},
                     {derivatives_are_those_of_differences, CASES},
                     {blocks_are_products_with_unit_vectors, CASES}, {window_does_not_show, CASES},
                     {likelihood_is_maximal, 0}, {likelihood_of_two_points, 0},
                     {decoding_gives_the_data_back, 0}, {ways_keep_to_the_data, 0},
                     {remarks_tell_what_has_left_the_data, 0}, {bad_input_is_refused, 0},
                     {constant_data_are_refused, 2}, {principal_components, 0},
                     {laplacian_finds_the_ring, 0});
}
