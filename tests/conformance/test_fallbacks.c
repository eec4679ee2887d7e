/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a table with the required slots only gets from the fall-backs, against the closed forms of the same
 * manifold: the sphere of radius 2 with points x in R³, |x| = 2. The library's unit
 * sphere has the points x/2. */
#include "support/bare_graph.h"
#include "support/statistics.h"

#include <string.h>

static const double radius = 2;

typedef struct pair {
    subject bare; /* radius 2 */
    mst_manifold *unit;
} pair;

static pair pair_open(void)
{
    const manifold_case *entry = manifold_cases;
    while (entry->make != bare_sphere_new)
        entry++;
    pair p = {.bare = subject_of(entry)};
    ASSERT_OK(mst_manifold_parse(&p.unit, "sphere:2"));
    return p;
}

static void pair_close(pair *p)
{
    mst_manifold_free(p->unit);
    subject_close(&p->bare);
}

static void scale(const double *x, double by, double *out)
{
    for (size_t a = 0; a < 3; a++)
        out[a] = by * x[a];
}

/* Rows of the unit sphere for the point x, the point Exp_x(v), the vectors v and u. */
typedef struct draw {
    double x[3], y[3], v[3], u[3], unit_x[3], unit_y[3], unit_v[3];
} draw;

static draw draw_next(pair *p, dice *die, double length)
{
    draw r;
    corner_point(&p->bare, die, 4, r.x);
    tangent_of_length(&p->bare, die, r.x, length, r.v);
    tangent_of_length(&p->bare, die, r.x, 1, r.u);
    ASSERT_OK(mst_manifold_exp(p->bare.m, 1, r.x, r.v, r.y));
    scale(r.x, 1 / radius, r.unit_x);
    scale(r.y, 1 / radius, r.unit_y);
    scale(r.v, 1 / radius, r.unit_v);
    return r;
}

START_TEST(logarithms_and_distances)
{
    pair p = pair_open();
    dice die = {71};
    for (size_t round = 0; round < 60; round++) {
        draw r = draw_next(&p, &die, 0.05 * (double)round);
        double want[3], got[3], length;
        unsigned char flag = 1;
        ASSERT_OK(mst_manifold_log(p.unit, 1, r.unit_x, r.unit_y, want, NULL));
        ASSERT_OK(mst_manifold_log(p.bare.m, 1, r.x, r.y, got, &flag));
        ck_assert_int_eq(flag, 0);
        scale(want, radius, want);
        assert_near(vector_gap(&p.bare, r.x, want, got), 0, p.bare.entry->log_error, "log");
        ASSERT_OK(mst_manifold_dist(p.bare.m, 1, r.x, r.y, &length));
        assert_near(length, euclidean_norm(3, want), p.bare.entry->log_error, "dist");
    }
    pair_close(&p);
}
END_TEST

START_TEST(transports)
{
    pair p = pair_open();
    dice die = {72};
    for (size_t round = 0; round < 30; round++) {
        draw r = draw_next(&p, &die, 0.1 * (double)round);
        double want[3], got[3];
        ASSERT_OK(mst_manifold_transport(p.unit, 1, r.unit_x, r.unit_v, r.u, want));
        ASSERT_OK(mst_manifold_transport(p.bare.m, 1, r.x, r.v, r.u, got));
        assert_near(vector_gap(&p.bare, r.y, want, got), 0, p.bare.entry->carry_error,
                    "transport along %g", 0.1 * (double)round);
    }
    pair_close(&p);
}
END_TEST

/* Curvature 1/4: Ric = 1/4. Normal coordinates: g = r̂r̂ᵀ + (R sin(r/R)/r)² (I − r̂r̂ᵀ). */
START_TEST(curvature_and_normal_coordinates)
{
    pair p = pair_open();
    dice die = {73};
    ck_assert(isnan(mst_manifold_injectivity(p.bare.m)));
    for (size_t round = 0; round < 30; round++) {
        draw r = draw_next(&p, &die, 0.5);
        double out[3], want[3], u[2], g[4], coords[2];
        ASSERT_OK(mst_manifold_ricci(p.bare.m, 1, r.x, r.u, out));
        scale(r.u, 1 / (radius * radius), want);
        assert_near(vector_gap(&p.bare, r.x, want, out), 0, p.bare.entry->chart_error[2], "Ricci");
        ASSERT_OK(mst_manifold_chart_coords(p.bare.m, 1, r.x, r.y, coords));
        assert_near(euclidean_norm(2, coords), 0.5, p.bare.entry->log_error, "normal coordinates");
        double length = 0.02 * (double)(round + 1), angle = dice_uniform(&die, 0, 2 * M_PI);
        u[0] = length * cos(angle);
        u[1] = length * sin(angle);
        ASSERT_OK(mst_manifold_chart_metric(p.bare.m, 1, r.x, u, g));
        double across = pow(radius * sin(length / radius) / length, 2);
        for (int i = 0; i < 4; i++) {
            double along = u[i / 2] * u[i % 2] / (length * length);
            assert_near(g[i], along + across * ((i % 3 == 0) - along), p.bare.entry->chart_error[0],
                        "metric");
        }
    }
    pair_close(&p);
}
END_TEST

/* Exp at the start of a standard normal vector: the distance from the start is Rayleigh, E r² = 2 and E r⁴ =
 * 8, as far as it stays below the 2π of the antipode (beyond: 3e-9 of the points). */
START_TEST(random_points)
{
    enum { N = 20000 };
    pair p = pair_open();
    double *x = scratch(&p.bare, 3 * N), start[3];
    moments square = {0}, fourth = {0}, side = {0};
    ASSERT_OK(mst_manifold_random_point(p.bare.m, (mst_random){3, 4}, 0, N, x));
    mst_manifold_start(p.bare.m, start);
    for (size_t i = 0; i < N; i++) {
        double cosine = dot(3, start, x + 3 * i) / (radius * radius);
        double r = radius * acos(fmax(-1, fmin(1, cosine)));
        moments_add(&square, r * r);
        moments_add(&fourth, pow(r, 4));
        moments_add(&side, x[3 * i] * x[3 * i + 1]);
    }
    assert_mean(&square, 2, 0, "E r²");
    assert_mean(&fourth, 8, 0, "E r⁴");
    assert_mean(&side, 0, 0, "no direction is preferred");
    pair_close(&p);
}
END_TEST

/* Where the curvature changes from point to point nothing is exact by symmetry. Geodesics are good to 1e-11
 * (Runge–Kutta), which shooting and transport cannot improve. */
START_TEST(a_manifold_without_symmetry)
{
    static const manifold_case entry = {.spec = "graph", .make = bare_graph_new, .reach = 1.5};
    subject s = subject_of(&entry);
    enum { C = GRAPH_COLUMNS };
    dice die = {75};
    for (size_t round = 0; round < 20; round++) {
        double x[C], y[C], v[C], u[C], w[C], want[C], r, back;
        corner_point(&s, &die, 6, x);
        tangent_of_length(&s, &die, x, 0.05 * (double)round, v);
        tangent_of_length(&s, &die, x, 1, u);
        graph_carry(x, v, u, y, want);
        ASSERT_OK(mst_manifold_log(s.m, 1, x, y, w, NULL));
        assert_near(vector_gap(&s, x, v, w), 0, 1e-11, "graph: log");
        ASSERT_OK(mst_manifold_dist(s.m, 1, x, y, &r));
        ASSERT_OK(mst_manifold_dist(s.m, 1, y, x, &back));
        assert_near(back, r, 1e-11, "graph: dist");
        ASSERT_OK(mst_manifold_transport(s.m, 1, x, v, u, w));
        assert_near(vector_gap(&s, y, want, w), 0, 1e-10, "graph: transport along %g",
                    0.05 * (double)round);
        ASSERT_OK(mst_manifold_ricci(s.m, 1, x, u, w));
        graph_ricci(x, u, want);
        assert_near(vector_gap(&s, x, want, w), 0, 1e-6, "graph: Ricci");
    }
    subject_close(&s);
}
END_TEST

/* A manifold of the library and the same with the required slots only. */
static mst_status small_sphere(mst_manifold **out)
{
    return scaled_new(out, "sphere:2", 0.15);
}

static mst_status small_hyperbolic(mst_manifold **out)
{
    return scaled_new(out, "hyperbolic:2", 0.1);
}

/* On the small ones the first legs are too long: past the conjugate point, or with fields
 * that have grown large. */
static const manifold_case whole[] = {
    {.spec = "sphere:3", .reach = 2.4, .carry_error = 1e-11, .chart_error = {[2] = 1e-6}},
    {.spec = "hyperbolic:3", .reach = 2.4, .carry_error = 1e-9, .chart_error = {[2] = 1e-6}},
    {.spec = "spd:2", .reach = 2.4, .carry_error = 1e-10, .chart_error = {[2] = 1e-6}},
    {.spec = "so3", .reach = 2.4, .carry_error = 1e-11, .chart_error = {[2] = 1e-6}},
    {.spec = "small sphere",
     .make = small_sphere,
     .reach = 2.4,
     .carry_error = 1e-9,
     .chart_error = {[2] = 2e-3}}, /* of 44 */
    {.spec = "small hyperbolic",
     .make = small_hyperbolic,
     .reach = 0.45,
     .carry_error = 1e-8,
     .chart_error = {[2] = 2e-2}}, /* of 100 */
};
enum { WHOLE = sizeof whole / sizeof *whole };

START_TEST(transport_and_curvature_without_slots)
{
    subject s = subject_of(&whole[_i]);
    const mst_manifold_ops *all = mst_manifold_table(s.m);
    const mst_manifold_ops few = {.size = sizeof few,
                                  .name = "few",
                                  .start = all->start,
                                  .project = all->project,
                                  .tangent = all->tangent,
                                  .inner = all->inner,
                                  .exp = all->exp};
    mst_manifold *bare;
    ASSERT_OK(
        mst_manifold_new(&bare, &few, "few", mst_manifold_dim(s.m), s.D, mst_manifold_data(s.m)));
    dice die = {76};
    double *x = scratch(&s, s.D), *y = scratch(&s, s.D), *v = scratch(&s, s.D),
           *u = scratch(&s, s.D), *want = scratch(&s, s.D), *got = scratch(&s, s.D);
    for (size_t round = 0; round <= 24; round++) {
        double length = s.entry->reach * (double)round / 24;
        corner_point(&s, &die, 1, x);
        tangent_of_length(&s, &die, x, length, v);
        tangent_of_length(&s, &die, x, 1, u);
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, y));
        ASSERT_OK(mst_manifold_transport(s.m, 1, x, v, u, want));
        ASSERT_OK(mst_manifold_transport(bare, 1, x, v, u, got));
        assert_near(vector_gap(&s, y, want, got), 0, s.entry->carry_error, "%s: transport along %g",
                    s.entry->spec, length);
        ASSERT_OK(mst_manifold_ricci(s.m, 1, x, u, want));
        ASSERT_OK(mst_manifold_ricci(bare, 1, x, u, got));
        assert_near(vector_gap(&s, x, want, got), 0, s.entry->chart_error[2], "%s: Ricci",
                    s.entry->spec);
    }
    mst_manifold_free(bare);
    subject_close(&s);
}
END_TEST

/* Where the first guess y − x has no direction, shooting may give up but must not invent an answer. */
START_TEST(shooting_at_the_antipode)
{
    pair p = pair_open();
    dice die = {74};
    static const double before[] = {0, 1e-12, 1e-6, 1e-3};
    for (size_t k = 0; k < 4; k++) {
        draw r = draw_next(&p, &die, radius * (M_PI - before[k]));
        double v[3], y[3];
        mst_status status = mst_manifold_log(p.bare.m, 1, r.x, r.y, v, NULL);
        ck_assert_msg(all_finite(3, v), "log, %g before the antipode", before[k]);
        if (status == MST_OK) {
            ASSERT_OK(mst_manifold_exp(p.bare.m, 1, r.x, v, y));
            assert_near(point_gap(&p.bare, r.y, y), 0, 1e-9, "exp log");
        } else {
            ck_assert_int_eq(status, MST_CONVERGENCE);
            assert_one_line("log");
        }
    }
    pair_close(&p);
}
END_TEST

int main(void)
{
    return RUN_SUITE("fallbacks", 60, {logarithms_and_distances, 0}, {transports, 0},
                     {curvature_and_normal_coordinates, 0}, {random_points, 0},
                     {a_manifold_without_symmetry, 0},
                     {transport_and_curvature_without_slots, WHOLE}, {shooting_at_the_antipode, 0});
}
