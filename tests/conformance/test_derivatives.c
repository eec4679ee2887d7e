/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives of the exponential map, forward and adjoint, and retractions, of every manifold. */
#include "support/manifolds.h"

#include <string.h>

/* A geodesic from x along v to y, and unit vectors at its ends. */
typedef struct draw {
    double *x, *y, *v, *dx, *dv, *w;
    double length;
} draw;

static draw draw_new(subject *s)
{
    draw r;
    double **rows[] = {&r.x, &r.y, &r.v, &r.dx, &r.dv, &r.w};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        *rows[k] = scratch(s, s->D);
    return r;
}

enum { LENGTHS = 8 };

/* Zero, tiny, short, near the cut locus and just beyond it, long. */
static void draw_next(draw *r, const subject *s, dice *die, size_t round)
{
    double cut = s->injectivity;
    const double spread[LENGTHS] = {0, 1e-300, 1e-9, 0.1, 1, 2, 3, 4},
                 compact[LENGTHS] = {0, 1e-300, 1e-9, 0.1, 1, cut - 1e-9, cut + 1e-3, 50},
                 flat[LENGTHS] = {0, 1e-300, 1e-9, 0.1, 1, 3, 6, 50};
    r->length = (s->spreads ? spread : isinf(cut) ? flat : compact)[round % LENGTHS];
    if (s->entry->carry_error > 0)
        r->length = fmin(r->length, 0.9 * s->entry->reach);
    corner_point(s, die, round / LENGTHS % POINT_KINDS, r->x);
    tangent_of_length(s, die, r->x, r->length, r->v);
    tangent_of_length(s, die, r->x, 1, r->dx);
    tangent_of_length(s, die, r->x, 1, r->dv);
    ASSERT_OK(mst_manifold_exp(s->m, 1, r->x, r->v, r->y));
    tangent_of_length(s, die, r->y, 1, r->w);
}

static void derive(const subject *s, const draw *r, const double *dx, const double *dv, double *dy)
{
    ASSERT_OK(mst_manifold_exp_derivative(s->m, 1, r->x, r->v, dx, dv, dy));
    ck_assert_msg(all_finite(s->D, dy), "%s: dy is not finite", s->entry->spec);
}

/* By the definition: from Exp_x(s dx), along the transport of v + s dv, by differences of order eight. */
static void differentiate(subject *s, const draw *r, double h, double *dy)
{
    size_t D = s->D;
    double *ends = scratch(s, 9 * D), *step = scratch(s, D), *base = scratch(s, D),
           *aim = scratch(s, D);
    for (size_t k = 0; k < 9; k++) {
        double at = ((double)k - 4) * h;
        for (size_t a = 0; a < D; a++) {
            step[a] = at * r->dx[a];
            aim[a] = r->v[a] + at * r->dv[a];
        }
        ASSERT_OK(mst_manifold_exp(s->m, 1, r->x, step, base));
        ASSERT_OK(mst_manifold_transport(s->m, 1, r->x, step, aim, aim));
        ASSERT_OK(mst_manifold_exp(s->m, 1, base, aim, ends + k * D));
        if (mst_manifold_traits_of(s->m)
                ->any_row) /* representatives may jump; their logarithms do not */
            ASSERT_OK(mst_manifold_log(s->m, 1, r->y, ends + k * D, ends + k * D, NULL));
        else
            ambient_difference(s->m, r->y, ends + k * D, ends + k * D);
    }
    curve_derivative(1, h, D, ends, dy);
    ASSERT_OK(mst_manifold_tangent(s->m, 1, r->y, dy, dy));
}

/* Rounding is divided by the step; truncation is below 1e-13 of what grows like the fields themselves. */
START_TEST(derivative_is_that_of_exp)
{
    subject s = subject_open((size_t)_i);
    draw r = draw_new(&s);
    double *got = scratch(&s, s.D), *want = scratch(&s, s.D);
    dice die = {2401};
    /* Coordinates of charts vary faster than those of embeddings. */
    const double h = s.entry->carry_error > 0 ? 0.002 : 0.01;
    for (size_t round = 0; round < LENGTHS * POINT_KINDS; round++) {
        draw_next(&r, &s, &die, round);
        derive(&s, &r, r.dx, r.dv, got);
        differentiate(&s, &r, h, want);
        double size = 1 + vector_norm(&s, r.y, got);
        double tolerance =
            (rounding(&s, r.x, r.y, r.length) + s.entry->carry_error) / h +
            1e-12 * pow(s.bends, 4) * size * (s.spreads ? exp(M_SQRT2 * r.length) : 1);
        assert_near(vector_gap(&s, r.y, want, got), 0, tolerance, "%s: dy along %g", s.entry->spec,
                    r.length);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, r.y, got, want));
        assert_near(vector_gap(&s, r.y, want, got), 0, size * tolerance, "%s: dy is tangent",
                    s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* Along the velocity: J(0) = v gives the velocity at the end, J'(0) = v as well. */
START_TEST(velocity_goes_to_the_velocity)
{
    subject s = subject_open((size_t)_i);
    draw r = draw_new(&s);
    double *got = scratch(&s, s.D), *want = scratch(&s, s.D);
    dice die = {2402};
    for (size_t round = 0; round < LENGTHS * POINT_KINDS; round++) {
        draw_next(&r, &s, &die, round);
        double tolerance =
            (1 + r.length) * (rounding(&s, r.x, r.y, r.length) + 100 * s.entry->carry_error);
        ASSERT_OK(mst_manifold_transport(s.m, 1, r.x, r.v, r.v, want));
        derive(&s, &r, r.v, NULL, got);
        assert_near(vector_gap(&s, r.y, want, got), 0, tolerance, "%s: J(0) = v", s.entry->spec);
        derive(&s, &r, NULL, r.v, got);
        assert_near(vector_gap(&s, r.y, want, got), 0, tolerance, "%s: J'(0) = v", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(adjoint_is_the_transpose)
{
    subject s = subject_open((size_t)_i);
    draw r = draw_new(&s);
    double *dy = scratch(&s, s.D), *dx = scratch(&s, s.D), *dv = scratch(&s, s.D);
    dice die = {2403};
    for (size_t round = 0; round < LENGTHS * POINT_KINDS; round++) {
        draw_next(&r, &s, &die, round);
        derive(&s, &r, r.dx, r.dv, dy);
        ASSERT_OK(mst_manifold_exp_adjoint(s.m, 1, r.x, r.v, r.w, dx, dv));
        double size = 1 + vector_norm(&s, r.y, dy);
        double tolerance = size * (rounding(&s, r.x, r.y, r.length) + 1000 * s.entry->carry_error);
        assert_near(vector_inner(&s, r.x, dx, r.dx) + vector_inner(&s, r.x, dv, r.dv),
                    vector_inner(&s, r.y, r.w, dy), tolerance, "%s: adjoint along %g",
                    s.entry->spec, r.length);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, r.x, dx, dy));
        assert_near(vector_gap(&s, r.x, dx, dy), 0, tolerance, "%s: dx is tangent", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* What is not given counts as zero, what is not wanted is not computed; nothing else changes. */
START_TEST(absent_arguments)
{
    subject s = subject_open((size_t)_i);
    draw r = draw_new(&s);
    size_t bytes = s.D * sizeof(double);
    double *zero = scratch(&s, s.D), *got = scratch(&s, s.D), *want = scratch(&s, s.D),
           *dx = scratch(&s, s.D), *dv = scratch(&s, s.D);
    dice die = {2404};
    memset(zero, 0, bytes);
    for (size_t round = 0; round < LENGTHS; round++) {
        draw_next(&r, &s, &die, round);
        double tolerance = rounding(&s, r.x, r.y, r.length) + 100 * s.entry->carry_error;
        derive(&s, &r, r.dx, NULL, got);
        derive(&s, &r, r.dx, zero, want);
        assert_near(vector_gap(&s, r.y, got, want), 0, tolerance, "%s: no dv", s.entry->spec);
        derive(&s, &r, NULL, r.dv, got);
        derive(&s, &r, zero, r.dv, want);
        assert_near(vector_gap(&s, r.y, got, want), 0, tolerance, "%s: no dx", s.entry->spec);
        derive(&s, &r, NULL, NULL, got);
        ck_assert_msg(max_abs(s.D, got) == 0, "%s: neither", s.entry->spec);
        ASSERT_OK(mst_manifold_exp_adjoint(s.m, 1, r.x, r.v, r.w, dx, dv));
        ASSERT_OK(mst_manifold_exp_adjoint(s.m, 1, r.x, r.v, r.w, got, NULL));
        ck_assert_msg(memcmp(got, dx, bytes) == 0, "%s: dx alone", s.entry->spec);
        ASSERT_OK(mst_manifold_exp_adjoint(s.m, 1, r.x, r.v, r.w, NULL, got));
        ck_assert_msg(memcmp(got, dv, bytes) == 0, "%s: dv alone", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* The same manifold with the required slots only, and with a derivative but no adjoint. */
static const char *const closed[] = {"sphere:3", "hyperbolic:3", "spd:2", "spd:3", "so3", "sym:2"};
enum { CLOSED = sizeof closed / sizeof *closed };

START_TEST(fallbacks_against_closed_forms)
{
    const manifold_case entry = {.spec = closed[_i]};
    subject s = subject_of(&entry);
    draw r = draw_new(&s);
    const mst_manifold_ops *all = mst_manifold_table(s.m);
    mst_manifold_ops few = {.size = sizeof few,
                            .name = "few",
                            .start = all->start,
                            .project = all->project,
                            .tangent = all->tangent,
                            .inner = all->inner,
                            .exp = all->exp};
    mst_manifold *bare, *half;
    ASSERT_OK(mst_manifold_new(&bare, &few, "few", s.d, s.D, mst_manifold_data(s.m)));
    few.exp_derivative = all->exp_derivative;
    few.transport = all->transport;
    few.traits = all->traits;
    ASSERT_OK(mst_manifold_new(&half, &few, "half", s.d, s.D, mst_manifold_data(s.m)));
    ck_assert((mst_manifold_traits_of(bare)->closed & MST_CLOSED_EXP_DERIVATIVE) == 0);
    ck_assert((mst_manifold_traits_of(half)->closed & MST_CLOSED_EXP_DERIVATIVE) != 0);
    ck_assert((mst_manifold_traits_of(s.m)->closed & MST_CLOSED_EXP_DERIVATIVE) != 0);
    double *want = scratch(&s, 3 * s.D), *got = scratch(&s, 3 * s.D);
    dice die = {2405};
    for (size_t round = 0; round < 12; round++) {
        draw_next(&r, &s, &die, 0);
        tangent_of_length(&s, &die, r.x, 0.2 * (double)round, r.v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, r.x, r.v, r.y));
        tangent_of_length(&s, &die, r.y, 1, r.w);
        for (int k = 0; k < 3; k++) {
            const mst_manifold *m = (const mst_manifold *[]){s.m, bare, half}[k];
            double *out = k == 0 ? want : got;
            ASSERT_OK(mst_manifold_exp_derivative(m, 1, r.x, r.v, r.dx, r.dv, out));
            ASSERT_OK(mst_manifold_exp_adjoint(m, 1, r.x, r.v, r.w, out + s.D, out + 2 * s.D));
            double size = 1 + vector_norm(&s, r.y, want);
            double tolerance = size * (k == 1 ? 1e-9 : rounding(&s, r.x, r.y, 0.2 * (double)round));
            for (size_t e = 0; k > 0 && e < 3; e++)
                assert_near(vector_gap(&s, e == 0 ? r.y : r.x, want + e * s.D, got + e * s.D), 0,
                            tolerance, "%s, %s: %s along %g", closed[_i], k == 1 ? "bare" : "half",
                            (const char *[]){"derivative", "adjoint by dx", "adjoint by dv"}[e],
                            0.2 * (double)round);
        }
    }
    mst_manifold_free(bare);
    mst_manifold_free(half);
    subject_close(&s);
}
END_TEST

/* All built-in retractions agree with Exp to second order: |v|³/3 on spheres is the worst. */
START_TEST(retraction_is_exp_to_second_order)
{
    subject s = subject_open((size_t)_i);
    draw r = draw_new(&s);
    double *got = scratch(&s, s.D);
    dice die = {2406};
    for (size_t round = 0; round < LENGTHS * POINT_KINDS; round++) {
        draw_next(&r, &s, &die, round);
        ASSERT_OK(mst_manifold_retract(s.m, 1, r.x, r.v, got));
        ck_assert_msg(all_finite(s.D, got), "%s: retract is not finite", s.entry->spec);
        ASSERT_OK(mst_manifold_validate(s.m, 1, got, NULL));
        double cube = pow(r.length, 3), tolerance = rounding(&s, r.x, r.y, r.length);
        if (r.length <= 0.1)
            assert_near(point_gap(&s, r.y, got), 0, 0.5 * cube + tolerance, "%s: retract by %g",
                        s.entry->spec, r.length);
        if (mst_manifold_table(s.m)->retract == NULL)
            ck_assert_msg(memcmp(got, r.y, s.D * sizeof *got) == 0, "%s: fall-back", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("derivatives", 60, {derivative_is_that_of_exp, manifold_case_count},
                     {velocity_goes_to_the_velocity, manifold_case_count},
                     {adjoint_is_the_transpose, manifold_case_count},
                     {absent_arguments, manifold_case_count},
                     {fallbacks_against_closed_forms, CLOSED},
                     {retraction_is_exp_to_second_order, manifold_case_count});
}
