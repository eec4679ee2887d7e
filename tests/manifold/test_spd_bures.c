/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The metric of Bures and Wasserstein: closed forms, invariances, its border, and the formulas of this
 * library against what needs them not. What every manifold must satisfy is in tests/conformance. */
#include "base/linalg.h"
#include "manifold/fallback.h"
#include "manifold/symmetric.h"
#include "support/spd_reference.h"

#include <stdio.h>
#include <string.h>

static mst_manifold *order(size_t n)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_bures_new(&m, n));
    return m;
}

static double dist_of(const mst_manifold *m, const double *x, const double *y)
{
    double r;
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    return r;
}

static double norm_of(const mst_manifold *m, const double *x, const double *v)
{
    double r;
    ASSERT_OK(mst_manifold_norm(m, 1, x, v, &r));
    return r;
}

static void random_symmetric(dice *d, size_t n, double size, double *v)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            v[i * n + j] = v[j * n + i] = size * dice_normal(d);
}

/* Numbers: |√p − √q|, and Exp(v) = (√p + v/2√p)². */
START_TEST(numbers)
{
    mst_manifold *m = order(1);
    static const double values[] = {1e-30, 3e-9, 0.5, 1, 1 + 1e-9, 7, 2e20};
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 7; j++) {
            double p = values[i], q = values[j], v, y, want = (q - p) / (sqrt(p) + sqrt(q));
            assert_near(dist_of(m, &p, &q), fabs(want), 8 * DBL_EPSILON * fabs(want), "%g to %g", p,
                        q);
            ASSERT_OK(mst_manifold_log(m, 1, &p, &q, &v, NULL));
            assert_near(v, 2 * sqrt(p) * want, 8 * DBL_EPSILON * fabs(v), "log %g to %g", p, q);
            if (q < 1e-12 * p)
                continue; /* so near to the border that v does not say where */
            ASSERT_OK(mst_manifold_exp(m, 1, &p, &v, &y));
            assert_near(y, q, 8 * DBL_EPSILON * (q + sqrt(p * q)), "exp %g to %g", p, q);
        }
    mst_manifold_free(m);
}
END_TEST

/* Commuting matrices: the distance of their square roots, for condition numbers to 1e20
 * in their own basis. */
START_TEST(commuting_matrices)
{
    dice d = {401};
    for (size_t round = 0; round < 200; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        mst_manifold *m = order(n);
        double p[SPD_ENTRIES] = {0}, q[SPD_ENTRIES] = {0}, basis[SPD_ENTRIES], square = 0;
        bool turned = round % 2 == 1;
        double decades = turned ? 5 : 10;
        for (size_t i = 0; i < n; i++) {
            double a = pow(10, dice_uniform(&d, -decades, decades)),
                   b = pow(10, dice_uniform(&d, -decades, decades));
            p[i * (n + 1)] = a;
            q[i * (n + 1)] = b;
            square += pow(sqrt(a) - sqrt(b), 2);
        }
        double size = max_abs(n * n, p) + max_abs(n * n, q);
        if (turned) { /* rounding of the entries counts by the root of the condition number */
            random_orthogonal(&d, n, basis);
            congruent(n, basis, p, p);
            congruent(n, basis, q, q);
        }
        double tolerance = turned ? 1e-16 * (double)n * 1e5 * sqrt(size) : 0;
        assert_near(dist_of(m, p, q), sqrt(square),
                    tolerance + 8 * (double)n * DBL_EPSILON * sqrt(square), "order %zu", n);
        mst_manifold_free(m);
    }
}
END_TEST

/* d(P, Q) = d(Q, P) = d(O P Oᵀ, O Q Oᵀ), and √c d = d(cP, cQ), for the scales of electrodes, too. */
START_TEST(isometries)
{
    dice d = {402};
    for (size_t round = 0; round < 200; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        static const double conditions[] = {10, 1e4, 1e8};
        double condition = conditions[round % 3], scale = round % 2 == 0 ? 1 : 1e-27;
        mst_manifold *m = order(n);
        double p[SPD_ENTRIES], q[SPD_ENTRIES], o[SPD_ENTRIES], p2[SPD_ENTRIES], q2[SPD_ENTRIES];
        random_spd(&d, n, condition, scale, p);
        random_spd(&d, n, condition, scale, q);
        random_orthogonal(&d, n, o);
        double r = dist_of(m, p, q),
               tolerance = 8 * (double)n * DBL_EPSILON * sqrt(condition * scale);
        assert_near(dist_of(m, q, p), r, tolerance, "there and back");
        congruent(n, o, p, p2);
        congruent(n, o, q, q2);
        assert_near(dist_of(m, p2, q2), r, tolerance, "a rotation");
        for (size_t e = 0; e < n * n; e++) {
            p2[e] = 1024 * p[e];
            q2[e] = 1024 * q[e];
        }
        assert_near(dist_of(m, p2, q2), 32 * r, 32 * tolerance, "a factor");
        mst_manifold_free(m);
    }
}
END_TEST

/* d² = tr P + tr Q − 2 tr (P^½ Q P^½)^½ by roots that are taken as they stand there. */
static void root(size_t n, const double *p, double *out)
{
    double values[SPD_LARGEST], w[SPD_ENTRIES], scaled[SPD_ENTRIES];
    ASSERT_OK(mst_eigen_symmetric(1, n, p, values, w, NULL));
    for (size_t e = 0; e < n * n; e++)
        scaled[e] = w[e] * sqrt(fmax(0, values[e / n]));
    mst_multiply_tn(n, w, scaled, out);
    symmetric_part(n, out, out);
}

START_TEST(distance_is_that_of_normal_laws)
{
    dice d = {403};
    for (size_t round = 0; round < 100; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        mst_manifold *m = order(n);
        double p[SPD_ENTRIES], q[SPD_ENTRIES], a[SPD_ENTRIES], b[SPD_ENTRIES], square = 0;
        random_spd(&d, n, 100, 1, p);
        random_spd(&d, n, 100, 1, q);
        root(n, p, a);
        congruent(n, a, q, b);
        root(n, b, a);
        for (size_t i = 0; i < n; i++)
            square += p[i * (n + 1)] + q[i * (n + 1)] - 2 * a[i * (n + 1)];
        double r = dist_of(m, p, q);
        assert_near(r * r, square, 100 * (double)(n * n) * DBL_EPSILON, "order %zu", n);
        mst_manifold_free(m);
    }
}
END_TEST

/* Against 80 digits, for condition numbers κ to 1e10. Rounding of P moves it by ε√κ: distances are that
 * exact, and logarithms in the norm of the metric. Neighbours are n ε κ relative to their distance. */
static void compare_pair(const spd_pair *s)
{
    mst_manifold *m = order(s->n);
    double v[SPD_ENTRIES], n = (double)s->n;
    bool near = s->bures < 0.01;
    double tolerance = n * DBL_EPSILON * (near ? s->condition * s->bures : 4 * sqrt(s->condition));
    assert_near(dist_of(m, s->p, s->q), s->bures, tolerance, "order %zu, condition %g, %g apart",
                s->n, s->condition, s->bures);
    ASSERT_OK(mst_manifold_log(m, 1, s->p, s->q, v, NULL));
    for (size_t e = 0; e < s->n * s->n; e++)
        v[e] -= s->bures_log[e];
    assert_near(norm_of(m, s->p, v), 0, tolerance, "log, order %zu, condition %g, %g apart", s->n,
                s->condition, s->bures);
    mst_manifold_free(m);
}

START_TEST(distances_agree_with_high_precision)
{
    for_spd_pairs(compare_pair);
}
END_TEST

/* Geodesics have constant speed, and Log undoes Exp, in large orders, too. */
START_TEST(geodesics)
{
    dice d = {404};
    for (size_t round = 0; round < 60; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        mst_manifold *m = order(n);
        double p[SPD_ENTRIES], q[SPD_ENTRIES], v[SPD_ENTRIES], part[SPD_ENTRIES], y[SPD_ENTRIES];
        random_spd(&d, n, 1e4, 1, p);
        random_spd(&d, n, 1e4, 1, q);
        double r = dist_of(m, p, q), tolerance = 64 * (double)n * DBL_EPSILON * 1e2;
        ASSERT_OK(mst_manifold_log(m, 1, p, q, v, NULL));
        assert_near(norm_of(m, p, v), r, tolerance, "|log|");
        for (int k = 1; k <= 4; k++) {
            for (size_t e = 0; e < n * n; e++)
                part[e] = 0.25 * k * v[e];
            ASSERT_OK(mst_manifold_exp(m, 1, p, part, y));
            assert_near(dist_of(m, p, y), 0.25 * k * r, tolerance, "speed, order %zu", n);
            assert_near(dist_of(m, y, q), (1 - 0.25 * k) * r, tolerance, "rest, order %zu", n);
        }
        mst_manifold_free(m);
    }
}
END_TEST

/* From 4 I along −v the least eigenvalue of I + tL, L = v/8, vanishes at t = 8/9 for v = 9. */
START_TEST(geodesics_end_at_the_border)
{
    mst_manifold *m = order(2);
    double p[4] = {4, 0, 0, 4}, v[4] = {0, 0, 0, -7.9}, y[4], u[4] = {1, 0, 0, 0}, out[4];
    ck_assert(mst_manifold_traits_of(m)->has_border);
    ASSERT_OK(mst_manifold_exp(m, 1, p, v, y));
    assert_near(y[3], 4 * 0.0125 * 0.0125, 1e-15, "before the border");
    v[3] = -9;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_exp(m, 1, p, v, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "after 0.889 of its length"));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_transport(m, 1, p, v, u, out));
    v[3] = -100; /* (I + L) P (I + L) is positive definite there, but behind the border */
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_exp(m, 1, p, v, y));
    v[3] = -8;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_exp(m, 1, p, v, y));
    mst_manifold_free(m);
}
END_TEST

/* The border is √λ away. */
START_TEST(means_near_the_border_are_remarked)
{
    mst_manifold *m = order(2);
    mst_remark remark;
    double far[4] = {9, 0, 0, 4}, near[4] = {9, 0, 0, 0.04}, thin[4] = {1, 0, 0, 1e-13};
    ck_assert_uint_eq(mst_manifold_remarks(m, far, 0.1, 1, &remark), 0);
    ck_assert_uint_eq(mst_manifold_remarks(m, far, NAN, 1, &remark), 0);
    ck_assert_uint_eq(mst_manifold_remarks(m, near, NAN, 1, &remark), 0);
    ck_assert_uint_eq(mst_manifold_remarks(m, near, 0.1, 1, &remark), 1);
    ck_assert_str_eq(remark.word, "near-border");
    /* Φ(−0.2/√0.1) = 0.2635 */
    ck_assert_ptr_nonnull(strstr(remark.text, "about 26 %"));
    ck_assert_uint_eq(mst_manifold_remarks(m, thin, NAN, 1, &remark), 1);
    ck_assert_ptr_nonnull(strstr(remark.text, "1e-13"));
    mst_manifold_free(m);
}
END_TEST

/* Ricci curvature, Jacobi fields, their adjoint and transport by formulas and by the fall-backs, which know
 * nothing but Exp. */
START_TEST(formulas_agree_with_the_fall_backs)
{
    dice d = {405};
    for (size_t round = 0; round < 12; round++) {
        size_t n = 2 + round % 3, D = n * n;
        mst_manifold *m = order(n), *bare;
        mst_manifold_ops ops = *mst_manifold_table(m);
        ops.exp_derivative = NULL;
        ops.exp_adjoint = NULL;
        ops.transport = NULL;
        ops.ricci = NULL;
        ASSERT_OK(mst_manifold_new(&bare, &ops, "bare", mst_manifold_dim(m), D, NULL));
        double p[SPD_ENTRIES], v[SPD_ENTRIES], u[SPD_ENTRIES], w[SPD_ENTRIES], got[SPD_ENTRIES],
            want[SPD_ENTRIES], y[SPD_ENTRIES], dv[SPD_ENTRIES], dv2[SPD_ENTRIES];
        random_spd(&d, n, 4, 1, p);
        random_symmetric(&d, n, 0.1, v);
        random_symmetric(&d, n, 1, u);
        random_symmetric(&d, n, 1, w);
        ASSERT_OK(mst_manifold_exp(m, 1, p, v, y));
        ASSERT_OK(mst_manifold_ricci(m, 1, p, u, got));
        ASSERT_OK(mst_fallback_ricci(bare, 1, p, u, want));
        double size = norm_of(m, p, u), tolerance = 1e-4 * (1 + norm_of(m, p, want)) * size;
        for (size_t e = 0; e < D; e++)
            want[e] -= got[e];
        assert_near(norm_of(m, p, want), 0, tolerance, "Ricci, order %zu", n);
        ASSERT_OK(mst_manifold_transport(m, 1, p, v, u, got));
        ASSERT_OK(mst_fallback_transport(bare, 1, p, v, u, want));
        for (size_t e = 0; e < D; e++)
            want[e] -= got[e];
        assert_near(norm_of(m, y, want), 0, 1e-8 * size, "transport, order %zu", n);
        ASSERT_OK(mst_manifold_exp_derivative(m, 1, p, v, u, w, got));
        ASSERT_OK(mst_fallback_exp_derivative(bare, 1, p, v, u, w, want));
        for (size_t e = 0; e < D; e++)
            want[e] -= got[e];
        assert_near(norm_of(m, y, want), 0, 1e-7 * (size + norm_of(m, p, w)),
                    "Jacobi field, order %zu", n);
        ASSERT_OK(mst_manifold_exp_adjoint(m, 1, p, v, w, got, dv));
        ASSERT_OK(mst_fallback_exp_adjoint(bare, 1, p, v, w, want, dv2));
        for (size_t e = 0; e < D; e++) {
            want[e] -= got[e];
            dv2[e] -= dv[e];
        }
        assert_near(norm_of(m, p, want), 0, 1e-7 * norm_of(m, y, w), "adjoint, order %zu", n);
        assert_near(norm_of(m, p, dv2), 0, 1e-7 * norm_of(m, y, w), "adjoint, order %zu", n);
        mst_manifold_free(bare);
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("spd_bures", 60, {numbers, 0}, {commuting_matrices, 0}, {isometries, 0},
                     {distance_is_that_of_normal_laws, 0}, {distances_agree_with_high_precision, 0},
                     {geodesics, 0}, {geodesics_end_at_the_border, 0},
                     {means_near_the_border_are_remarked, 0},
                     {formulas_agree_with_the_fall_backs, 0});
}
