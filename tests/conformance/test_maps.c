/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* exp, log and dist of every manifold. */
#include "support/manifolds.h"

#include <string.h>

/* Working rows of one test. */
typedef struct rows {
    double *x, *y, *z, *v, *w;
} rows;

static rows rows_new(subject *s)
{
    double *x = scratch(s, 5 * s->D);
    return (rows){x, x + s->D, x + 2 * s->D, x + 3 * s->D, x + 4 * s->D};
}

static double dist_of(const subject *s, const double *x, const double *y)
{
    double r;
    ASSERT_OK(mst_manifold_dist(s->m, 1, x, y, &r));
    return r;
}

static unsigned char log_of(const subject *s, const double *x, const double *y, double *v)
{
    unsigned char flag = 0xff;
    ASSERT_OK(mst_manifold_log(s->m, 1, x, y, v, &flag));
    ck_assert_msg(all_finite(s->D, v), "%s: log is not finite", s->entry->spec);
    ck_assert_msg((flag & ~MST_LOG_CUT) == 0, "%s: flag %d", s->entry->spec, flag);
    return flag;
}

static void exp_of(const subject *s, const double *x, const double *v, double *y)
{
    ASSERT_OK(mst_manifold_exp(s->m, 1, x, v, y));
    ck_assert_msg(all_finite(s->D, y), "%s: exp is not finite", s->entry->spec);
}

START_TEST(log_inverts_exp)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {11};
    double limit = fmin(s.injectivity, s.spreads ? 4 : 30);
    static const double parts[] = {0, 1e-12, 1e-6, 1e-3, 0.1, 0.3, 0.6, 0.9, 0.999, 1 - 1e-5};
    for (size_t round = 0; round < 200; round++) {
        corner_point(&s, &d, round % POINT_KINDS, r.x);
        double part = round < 100 ? parts[round % 10] : pow(10, dice_uniform(&d, -8, 0));
        double length = limit * part, gap = 1 - length / s.injectivity;
        tangent_of_length(&s, &d, r.x, length, r.v);
        exp_of(&s, r.x, r.v, r.y);
        /* Near the cut locus the direction of the geodesic is as uncertain as y over what is left. */
        double tolerance = rounding(&s, r.x, r.y, length) / gap + s.entry->log_error;
        unsigned char flag = log_of(&s, r.x, r.y, r.w);
        ck_assert_msg(flag == 0 || gap < 1e-3, "%s: flag at %.3g of the radius", s.entry->spec,
                      1 - gap);
        assert_near(vector_gap(&s, r.x, r.v, r.w), 0, tolerance,
                    "%s: log exp v, |v| = %g, kind %zu", s.entry->spec, length,
                    round % POINT_KINDS);
        exp_of(&s, r.x, r.w, r.z);
        assert_near(point_gap(&s, r.y, r.z), 0, tolerance, "%s: exp log y, |v| = %g, kind %zu",
                    s.entry->spec, length, round % POINT_KINDS);
        tolerance = rounding(&s, r.x, r.y, length) + s.entry->log_error;
        assert_near(vector_norm(&s, r.x, r.w), length, tolerance, "%s: |log|", s.entry->spec);
        assert_near(dist_of(&s, r.x, r.y), length, tolerance, "%s: dist", s.entry->spec);
        assert_near(dist_of(&s, r.y, r.x), length, tolerance, "%s: dist back", s.entry->spec);
        assert_near(off_manifold(&s, r.y), 0, s.c * DBL_EPSILON * (1 + length),
                    "%s: exp leaves the manifold", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(distances_of_any_points)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {12};
    size_t close = 0;
    for (size_t round = 0; round < 100; round++) {
        bool shooting = s.entry->log_error > 0; /* from anywhere to near the start */
        corner_point(&s, &d, shooting ? 2 : round % POINT_KINDS, r.x);
        corner_point(&s, &d, shooting ? 3 : dice_below(&d, POINT_KINDS), r.y);
        corner_point(&s, &d, shooting ? 0 : dice_below(&d, 5), r.z);
        double xy = dist_of(&s, r.x, r.y), yz = dist_of(&s, r.y, r.z), xz = dist_of(&s, r.x, r.z);
        double tolerance = rounding(&s, r.x, r.y, xy) + s.entry->log_error;
        if (tolerance > 0.1)
            continue; /* nothing can be said about points so far apart */
        close++;
        (void)log_of(&s, r.x, r.y, r.v);
        exp_of(&s, r.x, r.v, r.w);
        assert_near(point_gap(&s, r.y, r.w), 0, tolerance, "%s: exp log y", s.entry->spec);
        assert_near(vector_norm(&s, r.x, r.v), xy, tolerance, "%s: |log| = dist", s.entry->spec);
        assert_near(dist_of(&s, r.y, r.x), xy, tolerance, "%s: dist is symmetric", s.entry->spec);
        ck_assert_msg(xy <= xz + yz + tolerance + rounding(&s, r.y, r.z, yz) +
                                rounding(&s, r.x, r.z, xz),
                      "%s: triangle %.17g > %.17g + %.17g", s.entry->spec, xy, xz, yz);
        ck_assert_msg(xy >= 0, "%s: negative distance", s.entry->spec);
        /* On the diagonal: zero up to what the condition of the point allows, as acosh(1 + eps) would not. */
        assert_near(dist_of(&s, r.x, r.x), 0, s.c * DBL_EPSILON * condition(&s, r.x),
                    "%s: dist(x, x)", s.entry->spec);
        ck_assert_int_eq(log_of(&s, r.x, r.x, r.v), 0);
        assert_near(vector_norm(&s, r.x, r.v), 0, s.c * DBL_EPSILON * condition(&s, r.x),
                    "%s: log x", s.entry->spec);
    }
    TAKES_PART(close > 0);
    subject_close(&s);
}
END_TEST

/* For neighbours δ apart, Log_x(y) is the tangent part of y − x up to δ² times the bending of the space, and
 * y − x is exact (Sterbenz): the error must be relative to δ, not to one. */
START_TEST(neighbours_keep_their_relative_accuracy)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {13};
    static const double sizes[] = {1e-7, 1e-9, 1e-11};
    size_t steps = 0;
    for (size_t round = 0; round < 60; round++) {
        corner_point(&s, &d, round % 5, r.x);
        double kappa = condition(&s, r.x), size = sizes[round % 3];
        if (kappa * size > 1e-3)
            continue; /* the rounding of y bends as much as the step */
        steps++;
        tangent_of_length(&s, &d, r.x, size, r.v);
        exp_of(&s, r.x, r.v, r.y);
        ambient_difference(s.m, r.x, r.y, r.w);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, r.x, r.w, r.w));
        double length = vector_norm(&s, r.x, r.w);
        /* Points leave the manifold by rounding: right-angled to y − x, so its square counts. */
        double relative = 4 * kappa * (s.bends * length + s.c * DBL_EPSILON) +
                          pow(4 * kappa * DBL_EPSILON / length, 2);
        double tolerance = length * relative;
        (void)log_of(&s, r.x, r.y, r.z);
        assert_near(vector_gap(&s, r.x, r.w, r.z), 0, tolerance, "%s: log of a neighbour at %g",
                    s.entry->spec, size);
        assert_near(dist_of(&s, r.x, r.y), length, tolerance, "%s: dist of a neighbour at %g",
                    s.entry->spec, size);
    }
    TAKES_PART(steps > 0);
    subject_close(&s);
}
END_TEST

/* Two ways to the same number from the same two points: |log| and dist agree relatively at every scale,
 * wherever a formula for small arguments takes over from that for large ones. */
START_TEST(norm_of_log_is_dist_at_every_scale)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {19};
    for (size_t round = 0; round < 200; round++) {
        corner_point(&s, &d, round % 4, r.x);
        tangent_of_length(&s, &d, r.x, pow(10, dice_uniform(&d, -9, 0)), r.v);
        exp_of(&s, r.x, r.v, r.y);
        (void)log_of(&s, r.x, r.y, r.w);
        double length = dist_of(&s, r.x, r.y), kappa = condition(&s, r.x);
        double relative = 4 * s.c * kappa * DBL_EPSILON + pow(4 * kappa * DBL_EPSILON / length, 2);
        assert_near(vector_norm(&s, r.x, r.w), length, relative * length + s.entry->log_error,
                    "%s: |log| and dist at %g", s.entry->spec, length);
    }
    subject_close(&s);
}
END_TEST

START_TEST(tiny_vectors)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {14};
    static const double sizes[] = {0, 5e-324, 1e-300, 1e-200, 1e-160, 1e-150, 1e-100, 1e-12};
    for (size_t round = 0; round < 80; round++) {
        double size = sizes[round % 8];
        corner_point(&s, &d, round / 8 % POINT_KINDS, r.x);
        tangent_of_length(&s, &d, r.x, size, r.v);
        exp_of(&s, r.x, r.v, r.y);
        assert_near(point_gap(&s, r.x, r.y), size, rounding(&s, r.x, r.x, 0), "%s: exp of %g",
                    s.entry->spec, size);
        (void)log_of(&s, r.x, r.y, r.w);
        assert_near(vector_gap(&s, r.x, r.v, r.w), 0,
                    rounding(&s, r.x, r.x, 0) + s.entry->log_error, "%s: log exp of %g",
                    s.entry->spec, size);
        /* Where the coordinates kept the small vector, so must log, down to where squares underflow; they
         * cannot keep how the geodesic bends, |v|². */
        ambient_difference(s.m, r.x, r.y, r.z);
        double kept = vector_gap(&s, r.x, r.v, r.z), most = s.c * DBL_EPSILON * size;
        if (size >= 1e-150 && kept <= most && s.entry->log_error == 0)
            assert_near(vector_gap(&s, r.x, r.v, r.w), 0,
                        4 * most * condition(&s, r.x) + s.bends * size * size,
                        "%s: log exp of %g, relative", s.entry->spec, size);
        ASSERT_OK(mst_manifold_transport(s.m, 1, r.x, r.v, r.v, r.w));
        ck_assert_msg(all_finite(s.D, r.w), "%s: transport along %g", s.entry->spec, size);
        ASSERT_OK(mst_manifold_ricci(s.m, 1, r.x, r.v, r.w));
        ck_assert_msg(all_finite(s.D, r.w), "%s: Ricci of %g", s.entry->spec, size);
    }
    subject_close(&s);
}
END_TEST

/* Exp_x(v) is Exp after Exp along the two halves, also many times around. */
START_TEST(long_geodesics)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {15};
    static const double compact[] = {7, 100, 12345, 1e6, 1e9}, spreading[] = {3, 6, 9, 12, 15};
    bool halves = s.entry->carry_error == 0; /* leg by leg, that takes too long */
    TAKES_PART(halves);
    for (size_t round = 0; round < 50; round++) {
        corner_point(&s, &d, round / 5 % (s.spreads ? 4 : POINT_KINDS), r.x);
        double length = (s.spreads ? spreading : compact)[round % 5];
        if (s.entry->longest > 0 && length > s.entry->longest)
            continue;
        tangent_of_length(&s, &d, r.x, length, r.v);
        exp_of(&s, r.x, r.v, r.y);
        ck_assert_msg(off_manifold(&s, r.y) <= 1e-9, "%s: exp of %g is %.3g off the manifold",
                      s.entry->spec, length, off_manifold(&s, r.y));
        for (size_t a = 0; a < s.D; a++)
            r.v[a] /= 2;
        if (!halves)
            continue;
        exp_of(&s, r.x, r.v, r.z);
        ASSERT_OK(mst_manifold_transport(s.m, 1, r.x, r.v, r.v, r.w));
        double tolerance = rounding(&s, r.x, r.y, length);
        exp_of(&s, r.z, r.w, r.z);
        assert_near(point_gap(&s, r.y, r.z), 0, tolerance, "%s: two halves of %g", s.entry->spec,
                    length);
    }
    subject_close(&s);
}
END_TEST

/* Toward the cut locus and beyond: log stays finite, minimal and inverse to exp; the flag comes on. */
START_TEST(cut_locus)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    double *c = scratch(&s, s.d);
    dice d = {16};
    static const double before[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15, 0, -1e-15, -1e-3};
    size_t rounds = isfinite(s.injectivity) && s.entry->log_error == 0 ? 10 * s.d * 4 : 0;
    TAKES_PART(rounds > 0);
    for (size_t round = 0; round < rounds; round++) {
        corner_point(&s, &d, round / (10 * s.d), r.x);
        memset(c, 0, s.d * sizeof *c);
        c[round / 10 % s.d] = s.injectivity + 0.5;
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, r.x, c, r.v));
        exp_of(&s, r.x, r.v, r.y);
        bool closes = dist_of(&s, r.x, r.y) < s.injectivity;
        double left = before[round % 10];
        c[round / 10 % s.d] = s.injectivity - left;
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, r.x, c, r.v));
        exp_of(&s, r.x, r.v, r.y);
        double tolerance = rounding(&s, r.x, r.y, s.injectivity);
        unsigned char flag = log_of(&s, r.x, r.y, r.w);
        exp_of(&s, r.x, r.w, r.z);
        assert_near(point_gap(&s, r.y, r.z), 0, tolerance, "%s: exp log, %g before the cut",
                    s.entry->spec, left);
        double want = s.injectivity - (closes ? fabs(left) : left);
        assert_near(vector_norm(&s, r.x, r.w), want, tolerance, "%s: |log|, %g before the cut",
                    s.entry->spec, left);
        assert_near(dist_of(&s, r.x, r.y), want, tolerance, "%s: dist, %g before the cut",
                    s.entry->spec, left);
        bool must = closes && fabs(left) <= 1e-11, must_not = !closes || fabs(left) >= 1e-3;
        ck_assert_msg((!must || flag == MST_LOG_CUT) && (!must_not || flag == 0),
                      "%s: flag %d at %g before the cut locus", s.entry->spec, flag, left);
    }
    subject_close(&s);
}
END_TEST

START_TEST(exact_antipodes)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {17};
    mst_manifold_start(s.m, r.x);
    bool has_antipodes = exact_cut_point(s.m, r.x, r.y);
    TAKES_PART(has_antipodes);
    for (size_t round = 0; has_antipodes && round < 40; round++) {
        corner_point(&s, &d, round % POINT_KINDS, r.x);
        ck_assert(exact_cut_point(s.m, r.x, r.y));
        ck_assert_msg(log_of(&s, r.x, r.y, r.v) == MST_LOG_CUT, "%s: no flag at the antipode",
                      s.entry->spec);
        double tolerance = rounding(&s, r.x, r.y, s.injectivity), r_xy = dist_of(&s, r.x, r.y);
        assert_near(vector_norm(&s, r.x, r.v), r_xy, tolerance, "%s: |log|", s.entry->spec);
        exp_of(&s, r.x, r.v, r.z);
        assert_near(point_gap(&s, r.y, r.z), 0, tolerance, "%s: exp log of the antipode",
                    s.entry->spec);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, r.x, r.v, r.w));
        assert_near(vector_gap(&s, r.x, r.v, r.w), 0, tolerance, "%s: tangent", s.entry->spec);
        if (mst_manifold_factor_count(s.m) == 1)
            assert_near(r_xy, s.injectivity, tolerance, "%s: dist", s.entry->spec);
        log_of(&s, r.x, r.y, r.w);
        ck_assert_mem_eq(r.v, r.w, s.D * sizeof *r.v); /* a fixed choice */
    }
    subject_close(&s);
}
END_TEST

/* Near the antipode of a sphere the direction of log is that of the tangent part of y + x, a difference of
 * nearly equal numbers that is exact: it keeps its relative accuracy like that of neighbours. */
START_TEST(directions_near_the_antipode)
{
    subject s = subject_open((size_t)_i);
    rows r = rows_new(&s);
    dice d = {18};
    static const double sizes[] = {1e-4, 1e-6, 1e-8, 1e-10};
    bool sphere = strcmp(mst_manifold_table(s.m)->name, "sphere") == 0;
    TAKES_PART(sphere);
    for (size_t round = 0; sphere && round < 40; round++) {
        corner_point(&s, &d, round % POINT_KINDS, r.x);
        tangent_of_length(&s, &d, r.x, M_PI - sizes[round % 4], r.v);
        exp_of(&s, r.x, r.v, r.y);
        for (size_t a = 0; a < s.D; a++)
            r.w[a] = r.y[a] + r.x[a];
        ASSERT_OK(mst_manifold_tangent(s.m, 1, r.x, r.w, r.w));
        (void)log_of(&s, r.x, r.y, r.v);
        double scale = euclidean_norm(s.D, r.v) / euclidean_norm(s.D, r.w);
        for (size_t a = 0; a < s.D; a++)
            assert_near(r.v[a], scale * r.w[a], 4 * s.c * DBL_EPSILON,
                        "%s: direction, %g from the antipode", s.entry->spec, sizes[round % 4]);
    }
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("maps", 60, {log_inverts_exp, manifold_case_count},
                     {distances_of_any_points, manifold_case_count},
                     {neighbours_keep_their_relative_accuracy, manifold_case_count},
                     {norm_of_log_is_dist_at_every_scale, manifold_case_count},
                     {tiny_vectors, manifold_case_count}, {long_geodesics, manifold_case_count},
                     {cut_locus, manifold_case_count}, {exact_antipodes, manifold_case_count},
                     {directions_near_the_antipode, manifold_case_count});
}
