/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A row's result has the same bits whatever stands beside it, where aliasing is allowed it changes nothing,
 * and the compiled versions for the instruction sets agree to rounding. */
#include "base/isa.h"
#include "support/manifolds.h"

#include <stdlib.h>
#include <string.h>

/* Three blocks and a part of one. Where a sanitizer looks on, one block and a row: bits are compared in the
 * other builds. */
#ifdef MST_SANITIZED
enum { MOST = 65, SINGLE = 32, ISA_ROWS = 9 };
#else
enum { MOST = 200, SINGLE = 7, ISA_ROWS = 70 };
#endif

/* Inputs of one batch: base points x, other points y near them, vectors, chart and frame coordinates. */
typedef struct inputs {
    double *x, *y, *v, *w, *u;
} inputs;

static inputs make_inputs(subject *s)
{
    inputs in = {scratch(s, MOST * s->D), scratch(s, MOST * s->D), scratch(s, MOST * s->D),
                 scratch(s, MOST * s->D), scratch(s, MOST * s->d)};
    dice d = {51};
    double length = fmin(1, 0.3 * fmin(s->injectivity, mst_manifold_chart_radius(s->m)));
    for (size_t i = 0; i < MOST; i++) {
        double *x = in.x + i * s->D;
        corner_point(s, &d, i % 5, x);
        tangent_of_length(s, &d, x, length * dice_uniform(&d, 0, 1), in.v + i * s->D);
        tangent_of_length(s, &d, x, dice_uniform(&d, 0, 2), in.w + i * s->D);
        ASSERT_OK(mst_manifold_exp(s->m, 1, x, in.v + i * s->D, in.y + i * s->D));
        for (size_t k = 0; k < s->d; k++)
            in.u[i * s->d + k] = length * dice_uniform(&d, -0.5, 0.5) / sqrt((double)s->d);
    }
    return in;
}

/* The batched operations as a list: number k on rows i … i+n−1 into out, whose rows have width(k) doubles. */
enum {
    EXP,
    LOG,
    DIST,
    TRANSPORT,
    RICCI,
    TANGENT,
    PROJECT,
    INNER,
    NORM,
    FROM_FRAME,
    TO_FRAME,
    FRAME,
    COORDS,
    POINT,
    METRIC,
    CHRISTOFFEL,
    DIFFUSION,
    EXP_DERIVATIVE,
    EXP_ADJOINT,
    RETRACT,
    TOWARD,
    WALK,
    OPERATIONS
};

static size_t width(const subject *s, int k)
{
    size_t d = s->d, D = s->D;
    switch (k) {
    case DIST:
    case INNER:
    case NORM:
        return 1;
    case TO_FRAME:
    case COORDS:
        return d;
    case FRAME:
        return d * D;
    case METRIC:
        return d * d;
    case CHRISTOFFEL:
        return d * d * d;
    case DIFFUSION:
        return d * d + d;
    case EXP_ADJOINT:
        return 2 * D;
    case TOWARD:
        return D + 2;
    default:
        return D;
    }
}

/* Operations with several outputs: those of a row stand one after the other. */
static mst_status run_joined(subject *s, int k, const inputs *in, size_t i, size_t n, double *out)
{
    const mst_manifold *m = s->m;
    size_t d = s->d, D = s->D, widths[3] = {D, D, 0}, at = 0;
    const double *x = in->x + i * D, *y = in->y + i * D, *v = in->v + i * D;
    double *part[3];
    mst_status status;
    if (k == DIFFUSION)
        memcpy(widths, (size_t[]){d, d * d, 0}, sizeof widths);
    if (k == TOWARD)
        memcpy(widths, (size_t[]){1, D, 1}, sizeof widths);
    for (int e = 0; e < 3; e++)
        part[e] = scratch(s, n * widths[e]);
    if (k == DIFFUSION) {
        status = mst_manifold_chart_diffusion(m, n, x, in->u + i * d, part[0], part[1]);
    } else if (k == TOWARD) {
        status = mst_manifold_toward(m, n, x, y, part[0], part[1], part[2]);
    } else {
        double *tangent = scratch(s, n * D);
        ASSERT_OK(mst_manifold_tangent(m, n, y, in->w + i * D, tangent));
        status = mst_manifold_exp_adjoint(m, n, x, v, tangent, part[0], part[1]);
    }
    for (int e = 0; e < 3; at += widths[e++])
        for (size_t r = 0; r < n; r++)
            memcpy(out + r * width(s, k) + at, part[e] + r * widths[e], widths[e] * sizeof *out);
    return status;
}

static mst_status run(subject *s, int k, const inputs *in, size_t i, size_t n, double *out)
{
    const mst_manifold *m = s->m;
    size_t d = s->d, D = s->D;
    const double *x = in->x + i * D, *y = in->y + i * D, *v = in->v + i * D, *w = in->w + i * D,
                 *u = in->u + i * d;
    unsigned char flags[MOST];
    switch (k) {
    case EXP:
        return mst_manifold_exp(m, n, x, v, out);
    case LOG:
        return mst_manifold_log(m, n, x, y, out, i % 2 == 0 ? flags : NULL);
    case DIST:
        return mst_manifold_dist(m, n, x, y, out);
    case TRANSPORT:
        return mst_manifold_transport(m, n, x, v, w, out);
    case RICCI:
        return mst_manifold_ricci(m, n, x, w, out);
    case TANGENT:
        return mst_manifold_tangent(m, n, x, y, out);
    case PROJECT:
        return mst_manifold_project(m, n, x, out);
    case INNER:
        return mst_manifold_inner(m, n, x, v, w, out);
    case NORM:
        return mst_manifold_norm(m, n, x, w, out);
    case FROM_FRAME:
        return mst_manifold_from_frame(m, n, x, u, out);
    case TO_FRAME:
        return mst_manifold_to_frame(m, n, x, w, out);
    case FRAME:
        return mst_manifold_frame(m, n, x, out);
    case COORDS:
        return mst_manifold_chart_coords(m, n, x, y, out);
    case POINT:
        return mst_manifold_chart_point(m, n, x, u, out);
    case METRIC:
        return mst_manifold_chart_metric(m, n, x, u, out);
    case CHRISTOFFEL:
        return mst_manifold_chart_christoffel(m, n, x, u, out);
    case EXP_DERIVATIVE:
        return mst_manifold_exp_derivative(m, n, x, v, w, v, out);
    case RETRACT:
        return mst_manifold_retract(m, n, x, v, out);
    case DIFFUSION:
    case EXP_ADJOINT:
    case TOWARD:
        return run_joined(s, k, in, i, n, out);
    default:
        memcpy(out, x, n * D * sizeof *x);
        return mst_manifold_walk(m, n, out, 0.01, 3, (mst_noise){.seed = 4, .first_path = i});
    }
}

START_TEST(rows_do_not_depend_on_their_neighbours)
{
    subject s = subject_open((size_t)_i);
    inputs in = make_inputs(&s);
    static const size_t sizes[] = {1, 63, 64, 65};
    for (int k = 0; k < OPERATIONS; k++) {
        size_t wide = width(&s, k), bytes = wide * sizeof(double);
        size_t most = wide > 1000 || s.entry->slow_chart ? 65 : MOST;
        double *whole = scratch(&s, MOST * wide), *part = scratch(&s, MOST * wide);
        ASSERT_OK(run(&s, k, &in, 0, most, whole));
        ck_assert_msg(all_finite(most * wide, whole), "%s: operation %d is not finite",
                      s.entry->spec, k);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t n = sizes[i], first = most - n;
            if (n >= most || (MOST == 65 && n == 63))
                continue;
            ASSERT_OK(run(&s, k, &in, first, n, part));
            ck_assert_msg(memcmp(part, whole + first * wide, n * bytes) == 0,
                          "%s: operation %d, batch of %zu", s.entry->spec, k, n);
        }
        for (size_t i = 0; i < most; i += SINGLE) {
            ASSERT_OK(run(&s, k, &in, i, 1, part));
            ck_assert_msg(memcmp(part, whole + i * wide, bytes) == 0, "%s: operation %d, row %zu",
                          s.entry->spec, k, i);
        }
        /* An empty batch touches nothing. */
        memcpy(part, whole, bytes);
        ASSERT_OK(run(&s, k, &in, 0, 0, part));
        ck_assert_msg(memcmp(part, whole, bytes) == 0, "%s: operation %d, empty batch",
                      s.entry->spec, k);
    }
    ASSERT_OK(mst_manifold_validate(s.m, 0, in.x, NULL));
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){1, 2}, 0, 0, in.x));
    subject_close(&s);
}
END_TEST

/* What manifold.h says about aliasing. */
START_TEST(outputs_may_alias_inputs)
{
    subject s = subject_open((size_t)_i);
    inputs in = make_inputs(&s);
    size_t bytes = MOST * s.D * sizeof(double);
    double *want = scratch(&s, MOST * s.D), *got = scratch(&s, MOST * s.D);
#define CHECK_ALIAS(k, input, call)                                                   \
    do {                                                                              \
        ASSERT_OK(run(&s, (k), &in, 0, MOST, want));                                  \
        memcpy(got, (input), bytes);                                                  \
        ASSERT_OK(call);                                                              \
        ck_assert_msg(memcmp(got, want, bytes) == 0, "%s: %s", s.entry->spec, #call); \
    } while (0)
    CHECK_ALIAS(EXP, in.x, mst_manifold_exp(s.m, MOST, got, in.v, got));
    CHECK_ALIAS(EXP, in.v, mst_manifold_exp(s.m, MOST, in.x, got, got));
    CHECK_ALIAS(RETRACT, in.x, mst_manifold_retract(s.m, MOST, got, in.v, got));
    CHECK_ALIAS(RETRACT, in.v, mst_manifold_retract(s.m, MOST, in.x, got, got));
    CHECK_ALIAS(LOG, in.y, mst_manifold_log(s.m, MOST, in.x, got, got, NULL));
    CHECK_ALIAS(TRANSPORT, in.w, mst_manifold_transport(s.m, MOST, in.x, in.v, got, got));
    CHECK_ALIAS(RICCI, in.w, mst_manifold_ricci(s.m, MOST, in.x, got, got));
    CHECK_ALIAS(TANGENT, in.y, mst_manifold_tangent(s.m, MOST, in.x, got, got));
    CHECK_ALIAS(PROJECT, in.x, mst_manifold_project(s.m, MOST, got, got));
#undef CHECK_ALIAS
    subject_close(&s);
}
END_TEST

START_TEST(instruction_sets_agree)
{
    subject s = subject_open((size_t)_i);
    inputs in = make_inputs(&s);
    static const char *const names[] = {"v3", "v4"};
    for (int k = 0; k < OPERATIONS; k++) {
        size_t wide = width(&s, k), n = wide > 1000 || s.entry->slow_chart ? 5 : ISA_ROWS;
        double *want = scratch(&s, n * wide), *got = scratch(&s, n * wide);
        mst_isa_choose("generic");
        ASSERT_OK(run(&s, k, &in, 0, n, want));
        for (size_t i = 0; i < 2; i++) {
            enum mst_isa before = mst_isa();
            mst_isa_choose(names[i]);
            if (mst_isa() == before) /* not compiled, or not in this processor */
                continue;
            ASSERT_OK(run(&s, k, &in, 0, n, got));
            for (size_t r = 0; r < n; r++) {
                double size = 1 + max_abs(wide, want + r * wide);
                double tolerance =
                    size * rounding(&s, in.x + r * s.D, in.y + r * s.D, 1) + s.entry->log_error +
                    s.entry->carry_error +
                    (k == CHRISTOFFEL || k == METRIC || k >= DIFFUSION ? s.entry->chart_error[1]
                                                                       : 0) +
                    (k == RICCI ? s.entry->chart_error[2] : 0);
                for (size_t a = r * wide; a < (r + 1) * wide; a++)
                    assert_near(got[a], want[a], tolerance, "%s: operation %d with %s",
                                s.entry->spec, k, names[i]);
            }
        }
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("batches", 60, {rows_do_not_depend_on_their_neighbours, manifold_case_count},
                     {outputs_may_alias_inputs, manifold_case_count},
                     {instruction_sets_agree, manifold_case_count});
}
