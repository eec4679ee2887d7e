/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Parallel transport of every manifold. */
#include "support/manifolds.h"

#include <stdlib.h>
#include <string.h>

static void carry(const subject *s, const double *x, const double *v, const double *u, double *out)
{
    ASSERT_OK(mst_manifold_transport(s->m, 1, x, v, u, out));
    ck_assert_msg(all_finite(s->D, out), "%s: transport is not finite", s->entry->spec);
}

START_TEST(transport_is_an_isometry)
{
    subject s = subject_open((size_t)_i);
    size_t D = s.D;
    double *x = scratch(&s, D), *y = scratch(&s, D), *v = scratch(&s, D), *a = scratch(&s, D),
           *b = scratch(&s, D), *va = scratch(&s, D), *vb = scratch(&s, D), *vv = scratch(&s, D),
           *back = scratch(&s, D);
    dice die = {31};
    static const double compact[] = {0, 1e-9, 0.1, 1, 3, 6, 50},
                        small[] = {0, 1e-9, 0.1, 1, 2, 3, 4};
    for (size_t round = 0; round < 98; round++) {
        double length = (s.spreads || s.entry->carry_error > 0 ? small : compact)[round % 7];
        if (s.entry->carry_error > 0)
            length = fmin(length, 0.9 * s.entry->reach);
        if (s.entry->longest > 0)
            length = fmin(length, s.entry->longest);
        corner_point(&s, &die, round / 7 % POINT_KINDS, x);
        tangent_of_length(&s, &die, x, length, v);
        tangent_of_length(&s, &die, x, 1, a);
        tangent_of_length(&s, &die, x, 1, b);
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, y));
        carry(&s, x, v, a, va);
        carry(&s, x, v, b, vb);
        carry(&s, x, v, v, vv);
        double tolerance = rounding(&s, x, y, length) + s.entry->carry_error;
        const char *spec = s.entry->spec;
        assert_near(vector_inner(&s, y, va, va), 1, tolerance, "%s: |Pa| along %g", spec, length);
        assert_near(vector_inner(&s, y, va, vb), vector_inner(&s, x, a, b), tolerance,
                    "%s: <Pa, Pb> along %g", spec, length);
        assert_near(vector_inner(&s, y, vv, va), vector_inner(&s, x, v, a),
                    length * tolerance + s.entry->carry_error, "%s: <Pv, Pa> along %g", spec,
                    length);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, y, va, back));
        assert_near(vector_gap(&s, y, va, back), 0, tolerance, "%s: Pa is tangent", spec);
        /* Back along the reversed geodesic, whose velocity is −Pv: that checks Pv as well. */
        for (size_t k = 0; k < D; k++)
            vv[k] = -vv[k];
        carry(&s, y, vv, va, back);
        assert_near(vector_gap(&s, x, a, back), 0, tolerance, "%s: P back P along %g", spec,
                    length);
        ASSERT_OK(mst_manifold_exp(s.m, 1, y, vv, back));
        assert_near(point_gap(&s, x, back), 0, (1 + length) * tolerance,
                    "%s: the velocity does not lead back along %g", spec, length);
        if (length == 0)
            assert_near(vector_gap(&s, x, a, va), 0, tolerance, "%s: along zero", spec);
    }
    subject_close(&s);
}
END_TEST

/* Chart components of a tangent vector at the point of u: solve g w = ⟨∂_k, vector⟩. */
static void chart_components(const subject *s, const double *c, const double *u, const double *y,
                             const double *vector, double *w)
{
    size_t d = s->d, D = s->D;
    double *j = doubles(d * D), *g = doubles(d * d), *inverse = doubles(d * d), *p = doubles(d);
    chart_derivative(s, mst_manifold_chart_point, D, c, u, j);
    for (size_t k = 0; k < d; k++) {
        p[k] = vector_inner(s, y, j + k * D, vector);
        for (size_t l = 0; l < d; l++)
            g[k * d + l] = vector_inner(s, y, j + k * D, j + l * D);
    }
    invert_metric(d, g, inverse);
    for (size_t k = 0; k < d; k++)
        w[k] = dot(d, inverse + k * d, p);
    free(j);
    free(g);
    free(inverse);
    free(p);
}

/* The definition: w' + Γ(u', w) = 0 for the components of the transported vector in a chart. Isometry alone
 * would not notice a rotation about the velocity. */
START_TEST(transport_solves_its_equation)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *x = scratch(&s, D), *y = scratch(&s, D), *v = scratch(&s, D), *a = scratch(&s, D),
           *sv = scratch(&s, D), *sa = scratch(&s, D), *u = scratch(&s, 9 * d),
           *w = scratch(&s, 9 * d), *du = scratch(&s, d), *dw = scratch(&s, d),
           *gamma = scratch(&s, d * d * d);
    dice die = {32};
    const double h = 0.02;
    for (size_t round = 0; round < (d > 10 ? 2 : 6); round++) {
        corner_point(&s, &die, (size_t[]){0, 1, 3}[round % 3], x);
        double length = 0.3 * fmin(1, mst_manifold_chart_radius(s.m));
        tangent_of_length(&s, &die, x, length, v);
        tangent_of_length(&s, &die, x, 1, a);
        for (size_t k = 0; k < 9; k++) {
            double at = 1 + ((double)k - 4) * h;
            for (size_t i = 0; i < D; i++)
                sv[i] = at * v[i];
            ASSERT_OK(mst_manifold_exp(s.m, 1, x, sv, y));
            carry(&s, x, sv, a, sa);
            ASSERT_OK(mst_manifold_chart_coords(s.m, 1, x, y, u + k * d));
            chart_components(&s, x, u + k * d, y, sa, w + k * d);
        }
        curve_derivative(1, h, d, u, du);
        curve_derivative(1, h, d, w, dw);
        ASSERT_OK(mst_manifold_chart_christoffel(s.m, 1, x, u + 4 * d, gamma));
        /* The pushforward carries eps·condition/CHART_STEP, the derivative divides by h. */
        double tolerance = 16 * DBL_EPSILON * s.c * condition(&s, x) / (CHART_STEP * h) +
                           s.entry->carry_error / h + s.entry->chart_error[1];
        for (size_t i = 0; i < d; i++) {
            double residual = dw[i];
            for (size_t j = 0; j < d; j++)
                for (size_t k = 0; k < d; k++)
                    residual += gamma[(i * d + j) * d + k] * du[j] * w[4 * d + k];
            assert_near(residual, 0, tolerance, "%s: w' + Γ(u', w), component %zu", s.entry->spec,
                        i);
        }
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("transport", 60, {transport_is_an_isometry, manifold_case_count},
                     {transport_solves_its_equation, manifold_case_count});
}
