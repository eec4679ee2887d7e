/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The semi-axes and the edge of score regions: dense samples of the region are in the ellipsoid, points of
 * the edge have held ones on one side of them, and regions that are not one piece about the mean have no
 * semi-axes. */
#include "stat/score_edge_support.h"

typedef struct law {
    const char *spec;
    size_t n;
    double time;
} law;
static const law laws[] = {{"circle", 20, 0.6},     {"sphere:2", 20, 0.3},
                           {"torus:2", 20, 0.3},    {"so3", 20, 0.3},
                           {"sphere:10", 20, 0.06}, {"product(sphere:2,circle)", 20, 0.3}};
enum { LAWS = sizeof laws / sizeof *laws, SETS = 4, SAMPLE = 1500 };

/* E eₖ = aₖ² eₖ for the directions e, whose order is that of a. */
static void are_axes(const setting *s, const mst_mean_result *r)
{
    double *axes = doubles(s->d), *e = doubles(s->d * s->D), *c = doubles(s->d);
    ASSERT_OK(mst_mean_region_axes(r, s->m, 0, axes));
    ASSERT_OK(mst_mean_region_directions(r, s->m, 0, e));
    for (size_t k = 0; k < s->d; k++) {
        double length = 0;
        ck_assert(k == 0 || axes[k] <= axes[k - 1]);
        ASSERT_OK(mst_manifold_to_frame(s->m, 1, r->mean, e + k * s->D, c));
        for (size_t a = 0; a < s->d; a++) {
            double product = 0;
            for (size_t i = 0; i < s->d; i++)
                product += r->region_ellipsoid[a * s->d + i] * c[i];
            length += c[a] * c[a];
            ck_assert_double_eq_tol(product, axes[k] * axes[k] * c[a], 1e-9);
        }
        ck_assert_double_eq_tol(length, 1, 1e-9);
    }
    free(axes), free(e), free(c);
}

/* Points of the edge are not held, and a little nearer to the mean they are. The ellipsoid touches one of
 * them, but for what it is enlarged by. */
static void is_edge(const setting *s, const mst_mean_result *r, size_t n, const double *x)
{
    double *c = doubles(s->d), *y = doubles(2 * s->D), largest = 0;
    mst_region_boundary *b;
    ASSERT_OK(mst_mean_region_boundary(&b, r, s->m));
    ck_assert_uint_eq(b->parts, 1);
    ck_assert_uint_ge(b->end[0], s->d == 1 ? 2 : s->d == 2 ? 17 : 2 * s->d);
    if (s->d == 2)
        for (size_t k = 0; k < s->D; k++)
            ck_assert(b->points[k] == b->points[(b->end[0] - 1) * s->D + k]);
    for (size_t k = 0; k < b->end[0]; k++) {
        const double *p = b->points + k * s->D;
        largest = fmax(largest, square_in_ellipsoid(s, r, p, c));
        for (size_t a = 0; a < s->d; a++)
            c[a] *= 0.99;
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, r->mean, c, y + s->D));
        ASSERT_OK(mst_manifold_exp(s->m, 1, r->mean, y + s->D, y));
        ck_assert_msg(!region_holds_point(s, r, n, x, p) && region_holds_point(s, r, n, x, y),
                      "%s: point %zu is not at the edge", mst_manifold_spec(s->m), k);
    }
    ck_assert_msg(largest <= 1.001 && largest > 0.8, "%s: %g", mst_manifold_spec(s->m), largest);
    mst_region_boundary_free(b);
    free(c), free(y);
}

START_TEST(ellipsoids_hold_their_regions)
{
    const law *l = &laws[_i];
    setting s = setting_open(l->spec);
    size_t with_axes = 0;
    for (size_t set = 0; set < SETS; set++) {
        double *x = draw(&s, l->n, NULL, l->time, set + 1);
        mst_mean_result *r = fit(s.exact, l->n, x, NULL);
        if (r->region_kind == MST_REGION_SCORE && r->no_axes == MST_AXES_GIVEN) {
            with_axes++;
            ck_assert_msg(held_outside(&s, r, l->n, x, SAMPLE, set) == 0, "%s, set %zu", l->spec,
                          set);
            is_edge(&s, r, l->n, x);
            if (mst_manifold_factor_count(s.m) == 1)
                are_axes(&s, r);
        } else {
            ck_assert(r->region_kind == MST_REGION_ELLIPSOID);
        }
        mst_mean_result_free(r);
        free(x);
    }
    ck_assert_uint_ge(with_axes, 1);
    setting_close(&s);
}
END_TEST

/* The scores of twenty concentrated rotations balance at all half turns from their mean too, where the
 * likelihood is least. These are not in the region. */
START_TEST(half_turns_are_out)
{
    setting s = setting_open("so3");
    double *x = draw(&s, 20, NULL, 0.3, 1), v[9], y[9];
    mst_mean_result *r = fit(s.exact, 20, x, NULL);
    ck_assert_int_eq((int)r->region_kind, MST_REGION_SCORE);
    for (size_t k = 0; k < 50; k++) {
        double c[3], length = 0;
        mst_random_normals((mst_random){k, 1}, 0, 3, c);
        for (size_t a = 0; a < 3; a++)
            length += c[a] * c[a];
        double half = mst_manifold_injectivity(s.m) / sqrt(length);
        for (size_t a = 0; a < 3; a++)
            c[a] *= half;
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, r->mean, c, v));
        ASSERT_OK(mst_manifold_exp(s.m, 1, r->mean, v, y));
        ck_assert(!region_holds_point(&s, r, 20, x, y));
    }
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Two heaps at opposite points of a circle, of 6 and 5 rows: two arcs, and neither an axis nor one piece. */
START_TEST(pieces_have_no_axes)
{
    setting s = setting_open("circle");
    double x[11];
    for (size_t i = 0; i < 11; i++)
        x[i] = (i < 6 ? 0 : M_PI - 0.01) + 0.3 * ((double)(i % 6) - 2.5) / 2.5;
    for (size_t i = 0; i < 11; i++)
        x[i] = remainder(x[i], 2 * M_PI);
    mst_mean_options o = mst_mean_options_default();
    o.time = 0.5;
    mst_mean_result *r = fit(s.exact, 11, x, &o);
    ck_assert_int_eq((int)r->region_kind, MST_REGION_SCORE);
    double axes[1];
    mst_region_boundary *b;
    ck_assert(r->region_ellipsoid == NULL && r->no_axes != MST_AXES_GIVEN);
    ASSERT_FAILS(MST_UNABLE, mst_mean_region_axes(r, s.m, 0, axes));
    ASSERT_OK(mst_mean_region_boundary(&b, r, s.m));
    ck_assert_uint_ge(b->parts, 2);
    bool found;
    for (size_t k = 0; k < b->parts; k++) { /* from just before an arc to just behind it */
        double ends[2] = {b->points[2 * k] + 0.01, b->points[2 * k + 1] - 0.01};
        for (size_t i = 0; i < 2; i++) {
            ASSERT_OK(mst_mean_region_holds(&found, r, s.exact, 11, x, &o, &ends[i]));
            ck_assert(found);
            ASSERT_OK(mst_mean_region_holds(&found, r, s.exact, 11, x, &o, b->points + 2 * k + i));
            ck_assert(!found);
        }
    }
    mst_region_boundary_free(b);
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* On a sphere and a torus, traced on a grid: every curve is closed, and its points have held ones and others
 * within a tenth of a radian. */
START_TEST(curves_of_wide_regions)
{
    static const law wide[] = {{"sphere:2", 20, 1.2}, {"torus:2", 20, 1.6}};
    setting s = setting_open(wide[_i].spec);
    size_t traced = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        double *x = draw(&s, 20, NULL, wide[_i].time, seed), c[2], v[3], y[3];
        mst_mean_result *r = fit(s.exact, 20, x, NULL);
        if (r->region_kind != MST_REGION_SCORE || r->no_axes == MST_AXES_GIVEN) {
            mst_mean_result_free(r);
            free(x);
            continue;
        }
        mst_region_boundary *b;
        ASSERT_OK(mst_mean_region_boundary(&b, r, s.m));
        traced++;
        for (size_t k = 0, first = 0; k < b->parts; first = b->end[k++]) {
            const double *from = b->points + first * s.D, *to = b->points + (b->end[k] - 1) * s.D;
            for (size_t a = 0; a < s.D; a++)
                ck_assert(from[a] == to[a]);
            for (size_t i = first; i < b->end[k]; i++) {
                bool some = false, all = true;
                for (size_t turn = 0; turn < 24; turn++) {
                    double far = turn < 12 ? 0.1 : 0.01; /* some pieces are small */
                    c[0] = far * cos(M_PI * (double)turn / 6);
                    c[1] = far * sin(M_PI * (double)turn / 6);
                    ASSERT_OK(mst_manifold_from_frame(s.m, 1, b->points + i * s.D, c, v));
                    ASSERT_OK(mst_manifold_exp(s.m, 1, b->points + i * s.D, v, y));
                    bool held = region_holds_point(&s, r, 20, x, y);
                    some |= held;
                    all &= held;
                }
                ck_assert_msg(some && !all, "%s, seed %d, point %zu", wide[_i].spec, (int)seed, i);
            }
        }
        mst_region_boundary_free(b);
        mst_mean_result_free(r);
        free(x);
    }
    ck_assert_uint_ge(traced, 1);
    setting_close(&s);
}
END_TEST

/* Of an ellipsoid the edge is Exp of its surface. */
START_TEST(edges_of_ellipsoids)
{
    static const char *const specs[] = {"circle", "sphere:2", "so3", "hyperbolic:2", "spd:3"};
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, 100, NULL, 0.1, 2), *c = doubles(s.d), *z = doubles(s.D);
    mst_mean_result *r = fit(s.exact != NULL ? s.exact : s.log, 100, x, NULL);
    ck_assert_int_eq((int)r->region_kind, MST_REGION_ELLIPSOID);
    mst_region_boundary *b;
    ASSERT_OK(mst_mean_region_boundary(&b, r, s.m));
    ck_assert_uint_eq(b->parts, 1);
    ck_assert_uint_eq(b->end[0], s.d == 2 ? 73 : 2 * s.d);
    for (size_t k = 0; k < b->end[0]; k++) {
        ASSERT_OK(mst_manifold_log(s.m, 1, r->mean, b->points + k * s.D, z, NULL));
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, r->mean, z, c));
        double q = square_by(s.d, r->covariance, c) / r->region_radius2;
        ck_assert_msg(fabs(q - 1) < 1e-6, "%s: %g", specs[_i], q);
    }
    mst_region_boundary_free(b);
    mst_mean_result_free(r);
    free(x), free(c), free(z);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("score edge", 120, {ellipsoids_hold_their_regions, LAWS},
                     {half_turns_are_out, 1}, {pieces_have_no_axes, 1}, {curves_of_wide_regions, 2},
                     {edges_of_ellipsoids, 5});
}
