/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples of manifolds from formulas, whose paths take a frame along, against the exact kernels of the
 * manifolds that the formulas are of. */
#include "manifold/formula_metric.h"
#include "sample_sets.h"
#include "support/metric_manifolds.h"
#include "support/statistics.h"

#include <manistat/heat.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { WIDE = 4 };

static void identity(size_t n, const double *x, double *y)
{
    (void)n, (void)x, (void)y;
}

typedef struct formula_twin {
    const char *text, *spec;
    size_t width, columns;                               /* of its rows, and of the other's */
    void (*there)(size_t n, const double *x, double *y); /* identity: the first columns */
    void (*push)(size_t n, const double *x, const double *v, double *w);
    double shear;                 /* its first coordinate is a − shear·b of the half-plane's */
    double bias[2], time_bias[2]; /* of the slopes, in the cases below */
} formula_twin;

static const formula_twin twins[] = {
    {"coordinates x y\nmetric = 1/y^2\ndomain y > 0\nhadamard = yes\nstart = 0, 1\n",
     "hyperbolic:2",
     2,
     3,
     half_plane_to_hyperboloid,
     half_plane_push,
     0,
     {0.001, 0.001},
     {0.004, 0.003}},
    {"coordinates p q\nmetric = 1/q^2, 1/q^2; 1/q^2, 2/q^2\ndomain q > 0\nstart = -1, 1\n",
     "hyperbolic:2",
     2,
     3,
     half_plane_to_hyperboloid,
     half_plane_push,
     1,
     {0.001, 0.001},
     {0.004, 0.003}},
    {"coordinates p q\ncometric = 2*q^2, -q^2; -q^2, q^2\ndomain q > 0\nstart = -1, 1\n",
     "hyperbolic:2",
     2,
     3,
     half_plane_to_hyperboloid,
     half_plane_push,
     1,
     {0.001, 0.001},
     {0.004, 0.003}},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\ncompact = yes\nstart = 0, 0, 1\n",
     "sphere:2",
     3,
     3,
     identity,
     NULL,
     0,
     {0.002, 0.001},
     {0.007, 0.003}},
    {"coordinates x y z w\nconstraint = x^2 + y^2 + z^2 - 1 + w, w*(1 + x^2)\ncompact = yes\n"
     "start = 0, 0, 1, 0\n",
     "sphere:2",
     4,
     3,
     identity,
     NULL,
     0,
     {0.002, 0.001},
     {0.007, 0.003}},
    {"coordinates x y z w\nconstraint = x^2 + y^2 + z^2 + w^2 - 1\ncompact = yes\nstart = 0, 0, 0, "
     "1\n",
     "sphere:3",
     4,
     4,
     identity,
     NULL,
     0,
     {0.007, 0.001},
     {0.02, 0.003}},
};
enum { TWINS = sizeof twins / sizeof *twins };

static void make_twin(const formula_twin *t, mst_manifold **out)
{
    ASSERT_OK(mst_formula_manifold_new(out, "twin.manifold", "twin.manifold", t->text,
                                       strlen(t->text), 0, NULL));
}

/* Points, and vectors at them unless null, on the other manifold. */
static void carry(const formula_twin *t, size_t n, const double *x, const double *v, double *y,
                  double *w)
{
    if (t->there == identity) {
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < t->columns; c++) {
                y[i * t->columns + c] = x[i * t->width + c];
                if (v != NULL)
                    w[i * t->columns + c] = v[i * t->width + c];
            }
        return;
    }
    double *plain = doubles(2 * n * 2), *vectors = plain + 2 * n;
    for (size_t i = 0; i < n; i++) {
        plain[2 * i] = x[2 * i] + t->shear * x[2 * i + 1];
        plain[2 * i + 1] = x[2 * i + 1];
        vectors[2 * i] = v != NULL ? v[2 * i] + t->shear * v[2 * i + 1] : 0;
        vectors[2 * i + 1] = v != NULL ? v[2 * i + 1] : 0;
    }
    t->there(n, plain, y);
    if (v != NULL)
        t->push(n, plain, vectors, w);
    free(plain);
}

/* Steps of 1/8 and 1/48: the targets are right to second order, and at the second, that of
 * a training by default, to 0.3 % at the most. */
static const struct {
    size_t steps, paths;
} cases[] = {{4, 20000}, {24, 8000}};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct slopes {
    moments error, time_error, mean;
    double signal, time_signal;
} slopes;

static void add_slopes(const formula_twin *twin, const mst_manifold *closed, const sample_set *s,
                       slopes *out)
{
    size_t n = s->rows;
    double *x = doubles(n * WIDE), *y = doubles(n * WIDE), *w = doubles(n * WIDE),
           *score = doubles(n * WIDE), *dt = doubles(n), *product = doubles(n),
           *square = doubles(n);
    carry(twin, n, s->at.x, NULL, x, NULL);
    carry(twin, n, s->at.y, s->at.target, y, w);
    ASSERT_OK(mst_heat_kernel_times(closed, n, x, y, s->at.t, 1,
                                    &(mst_heat_values){.score = score, .dt_log_p = dt}));
    ASSERT_OK(mst_manifold_inner(closed, n, y, w, score, product));
    ASSERT_OK(mst_manifold_inner(closed, n, y, score, score, square));
    for (size_t i = 0; i < n; i++) {
        moments_add(&out->error, product[i] - square[i]);
        moments_add(&out->time_error, (s->at.time_target[i] - dt[i]) * dt[i]);
        moments_add(&out->mean, s->at.time_target[i]);
        out->signal += square[i] / (double)n;
        out->time_signal += dt[i] * dt[i] / (double)n;
    }
    free(x), free(y), free(w), free(score), free(dt), free(product), free(square);
}

/* E[<target, score> − |score|²] = 0, the slope of the target on the exact score less one, and the same for
 * the time derivative and its mean. Five standard errors beside the bias: a false alarm in 2e6. */
START_TEST(slopes_are_one)
{
    const formula_twin *twin = &twins[_i / CASES];
    size_t which = (size_t)_i % CASES;
    sample_options o = sample_test_options();
    o.t_min = o.t_max = 0.5;
    o.steps = cases[which].steps;
    o.slots = 1;
    sample_set s = {0};
    mst_manifold *closed;
    slopes all = {0};
    make_twin(twin, &s.m);
    ASSERT_OK(mst_manifold_parse(&closed, twin->spec));
    ASSERT_OK(sample_plan_new(&s.plan, s.m, &o));
    ck_assert(s.plan->factor[0].run == sample_rolling);
    s.D = mst_manifold_ambient(s.m);
    sample_set_draw(&s, 0, cases[which].paths);
    add_slopes(twin, closed, &s, &all);
    double bias = twin->bias[which], time_bias = twin->time_bias[which];
    assert_mean(&all.error, 0, bias * all.signal, "%s: score", twin->text);
    assert_mean(&all.time_error, 0, time_bias * all.time_signal, "%s: time", twin->text);
    assert_mean(&all.mean, 0, time_bias * sqrt(all.time_signal), "%s: mean of time", twin->text);
    /* The best rate of a constant curvature. */
    double curvature = mst_manifold_traits_of(closed)->curvature;
    assert_near(s.plan->factor[0].kappa, -curvature * ((double)mst_manifold_dim(closed) - 1), 1e-8,
                "%s: rate", twin->text);
    sample_set_free(&s);
    mst_manifold_free(closed);
}
END_TEST

/* ---- Starts ---- */

static double torus_height(const double *row)
{
    return cos(row[1]);
}

static double square_of_z(const double *row)
{
    return row[2] * row[2];
}

static double plain_x(const double *row)
{
    return row[0];
}

/* Means under the uniform law: of cos v on the torus, whose area is ∝ 1 + ½ cos v; of z² on
 * the ellipsoid z = 0.6 cos θ, by quadrature. */
static double torus_mean(void)
{
    return 0.25;
}

static double ellipsoid_mean(void)
{
    enum { RINGS = 2000 };
    double sum = 0, area = 0;
    for (size_t k = 0; k < RINGS; k++) {
        double theta = PI * ((double)k + 0.5) / RINGS, z = 0.6 * cos(theta);
        double ring = sin(theta) * hypot(cos(theta), 0.6 * sin(theta));
        sum += ring * z * z;
        area += ring;
    }
    return sum / area;
}

static double zero_mean(void)
{
    return 0;
}

static const struct {
    const char *file;
    double t_max; /* short paths and long ones */
    double (*function)(const double *row);
    double (*mean)(void);
} covers[] = {
    {"torus.manifold", 1, torus_height, torus_mean},
    {"torus.manifold", 0.02, torus_height, torus_mean},
    {"torus.manifold?R=4&r=2", 0.5, torus_height, torus_mean},
    {"ellipsoid.manifold", 1, square_of_z, ellipsoid_mean},
    {"ellipsoid.manifold", 0.02, square_of_z, ellipsoid_mean},
    {"ellipsoid.manifold", 0.02, plain_x, zero_mean},
};
enum { COVERS = sizeof covers / sizeof *covers };

/* Without starts a compact surface is covered: y is uniform, up to what the pool and the paths leave to
 * chance. Five standard errors: a false alarm in 2e6. */
START_TEST(starts_cover_the_surface)
{
    enum { PATHS = 8192 };
    char spec[400];
    snprintf(spec, sizeof spec, MST_TEST_DATA "/../../examples/manifolds/%s", covers[_i].file);
    sample_options o = sample_test_options();
    o.t_min = covers[_i].t_max / 4;
    o.t_max = o.spread = covers[_i].t_max;
    o.slots = 1;
    o.steps = 4;
    sample_set s = sample_set_plan(spec, false, &o);
    ck_assert(sample_plan_is_uniform(s.plan));
    size_t pooled = s.plan->factor[0].pooled;
    ck_assert_uint_gt(pooled, 0);
    sample_set_draw(&s, 0, PATHS);
    moments seen = {0};
    for (size_t i = 0; i < PATHS; i++)
        moments_add(&seen, covers[_i].function(s.at.y + i * s.D));
    double error = sqrt(moments_variance(&seen) * (1 / (double)pooled + 1.0 / PATHS));
    assert_near(seen.mean, covers[_i].mean(), Z_LIMIT * error, "%s: mean", covers[_i].file);
    /* All over it: no octant of the torus's angles is empty. */
    size_t counts[8] = {0};
    for (size_t i = 0; i < PATHS; i++) {
        const double *y = s.at.y + i * s.D;
        double angle = s.D == 2 ? y[0] : atan2(y[1], y[0]);
        counts[(size_t)(8 * (angle / (2 * PI) + 1.5)) % 8]++;
    }
    for (size_t k = 0; k < 8; k++)
        assert_near((double)counts[k] / PATHS, 0.125, 0.05, "%s: part %zu", covers[_i].file, k);
    sample_set_free(&s);
}
END_TEST

/* Chains whose first jumps are too long for a geodesic to be followed go by short ones, and cover all the
 * same. */
START_TEST(jumps_too_long_are_shortened)
{
    sample_options o = sample_test_options();
    sample_set s =
        sample_set_plan(MST_TEST_DATA "/../../examples/manifolds/ellipsoid.manifold", false, &o);
    sample_plan far = *s.plan;
    far.options.t_max = 16 * 64;
    sample_factor f = {.m = s.plan->factor[0].m, .index = s.plan->factor[0].index};
    ASSERT_OK(sample_cover(&far, &f));
    ck_assert_uint_gt(f.pooled, 0);
    moments seen = {0};
    for (size_t i = 0; i < f.pooled; i++)
        moments_add(&seen, square_of_z(f.pool + i * s.D));
    double error = sqrt(moments_variance(&seen) / (double)f.pooled);
    assert_near(seen.mean, ellipsoid_mean(), Z_LIMIT * error, "mean of z squared");
    mst_release(f.pool);
    sample_set_free(&s);
}
END_TEST

/* A path is a function of the plan and its number, whatever is drawn beside it. */
START_TEST(paths_by_number)
{
    sample_options o = sample_test_options();
    sample_set s = {0}, again = {0};
    make_twin(&twins[3], &s.m);
    make_twin(&twins[3], &again.m);
    ASSERT_OK(sample_plan_new(&s.plan, s.m, &o));
    ASSERT_OK(sample_plan_new(&again.plan, again.m, &o));
    s.D = again.D = 3;
    sample_set_draw(&s, 0, 100);
    sample_set_draw(&again, 70, 5);
    for (size_t slot = 0; slot < o.slots; slot++) {
        size_t here = slot * 100 + 70, there = slot * 5;
        ck_assert_mem_eq(s.at.target + here * 3, again.at.target + there * 3, 15 * sizeof(double));
        ck_assert_mem_eq(s.at.y + here * 3, again.at.y + there * 3, 15 * sizeof(double));
        ck_assert_mem_eq(s.at.x + here * 3, again.at.x + there * 3, 15 * sizeof(double));
        ck_assert_mem_eq(s.at.time_target + here, again.at.time_target + there, 5 * sizeof(double));
    }
    sample_set_free(&s);
    sample_set_free(&again);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples of rolling paths", 60, {slopes_are_one, TWINS * CASES},
                     {starts_cover_the_surface, COVERS}, {jumps_too_long_are_shortened, 1},
                     {paths_by_number, 1});
}
