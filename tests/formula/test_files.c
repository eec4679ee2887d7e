/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formula files: the shipped ones are what they say, and what is wrong in a file is said with its place. */
#include "formula/file.h"
#include "manifold/formula_metric.h"
#include "support/support.h"

#include <float.h>
#include <manistat/manifold.h>
#include <manistat/mean.h>
#include <manistat/metric.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

static mst_manifold *open_shipped(const char *name)
{
    char path[512];
    mst_manifold *m = NULL;
    snprintf(path, sizeof path, SHIPPED "%s", name);
    mst_status status = mst_manifold_parse(&m, path);
    ck_assert_msg(status == MST_OK, "%s: %s", name, mst_error_detail());
    return m;
}

/* Gauss curvature at a point: Ric v = K v on surfaces. */
static double gauss(const mst_manifold *m, const double *x)
{
    double v[3] = {0}, ricci[3], c[2] = {1, 0}, k;
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    ASSERT_OK(mst_manifold_ricci(m, 1, x, v, ricci));
    ASSERT_OK(mst_manifold_inner(m, 1, x, ricci, v, &k));
    return k;
}

static const struct {
    const char *name;
    double x[3];
    double curvature;
} surfaces[] = {
    {"half-plane.manifold", {0.7, 0.3}, -1},
    {"gaussian.manifold", {0.7, 0.3}, -0.5},
    {"pareto.manifold", {0.7, 0.3}, -1},
    {"cylinder.manifold", {0.7, 0.3}, 0},
    {"sphere.manifold", {0.7, 0.3}, 1},
    {"sphere.manifold?n=2", {-0.2, 1.3}, 1},
    /* cos v / (r (R + r cos v)) */
    {"torus.manifold", {0.7, 0.3}, 1.2930324416740255},
    {"torus.manifold?R=3&r=1", {0.7, 2}, -0.1610566894563918},
    /* at the equator 1/c², at the pole c² */
    {"ellipsoid.manifold", {1, 0, 0}, 1 / 0.36},
    {"ellipsoid.manifold", {0, 0, 0.6}, 0.36},
    {"ellipsoid.manifold?c=1", {0.6, 0, 0.8}, 1},
    {"bumpy.manifold?a=0", {0.6, 0, 0.8}, 1},
    /* −4/(1 + 4x² + 4y²)² */
    {"paraboloid.manifold", {0.5, 0.25}, -0.7901234567901},
};
enum { SURFACES = sizeof surfaces / sizeof *surfaces };

START_TEST(curvatures)
{
    mst_manifold *m = open_shipped(surfaces[_i].name);
    ck_assert_uint_eq(mst_manifold_dim(m), 2);
    assert_near(gauss(m, surfaces[_i].x), surfaces[_i].curvature, 1e-8, "%s", surfaces[_i].name);
    mst_manifold_free(m);
}
END_TEST

static const char *const shipped[] = {
    "torus.manifold",      "ellipsoid.manifold", "cylinder.manifold", "paraboloid.manifold",
    "half-plane.manifold", "bumpy.manifold",     "graph.manifold",    "gaussian.manifold",
    "gamma.manifold",      "beta.manifold",      "pareto.manifold",   "sphere.manifold",
};
enum { SHIPPED_COUNT = sizeof shipped / sizeof *shipped };

/* Exp and Log undo each other, and Exp is a geodesic: half of it twice is the whole. */
START_TEST(shipped_files_are_manifolds)
{
    mst_manifold *m = open_shipped(shipped[_i]);
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m), row;
    double x[3], c[3] = {0.2, -0.25, 0.1}, v[3], y[3], back[3], middle[3], along[3];
    mst_manifold_start(m, x);
    ASSERT_OK(mst_manifold_validate(m, 1, x, &row));
    ck_assert(d == 2 && D <= 3);
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
    ASSERT_OK(mst_manifold_log(m, 1, x, y, back, NULL));
    for (size_t k = 0; k < D; k++)
        assert_near(back[k], v[k], 1e-9, "%s: log of exp", shipped[_i]);
    for (size_t k = 0; k < D; k++)
        v[k] /= 2;
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, middle));
    ASSERT_OK(mst_manifold_transport(m, 1, x, v, v, along));
    ASSERT_OK(mst_manifold_exp(m, 1, middle, along, back));
    for (size_t k = 0; k < D; k++)
        assert_near(back[k], y[k], 1e-11, "%s: halves", shipped[_i]);
    mst_manifold_free(m);
}
END_TEST

/* Points a period apart are one: for distances, for what leads toward them, for the mean. */
START_TEST(periods)
{
    mst_manifold *m = open_shipped("torus.manifold");
    mst_score *source;
    mst_mean_result *r;
    double rows[6] = {0, 0, 0.1, 6.25, -6.2, 0.1}, here[2] = {0.1, -0.05}, dist, f, wrapped[2];
    double there[2] = {here[0] + 2 * M_PI, here[1] - 2 * M_PI};
    ASSERT_OK(mst_manifold_dist(m, 1, here, there, &dist));
    assert_near(dist, 0, 1e-12, "distance");
    ASSERT_OK(mst_manifold_toward(m, 1, here, there, &f, NULL, NULL));
    assert_near(f, 0, 1e-12, "toward");
    ASSERT_OK(mst_manifold_project(m, 1, there, wrapped));
    for (size_t k = 0; k < 2; k++)
        assert_near(wrapped[k], here[k], 1e-14, "projection");
    ASSERT_OK(mst_score_log_new(&source, m));
    ASSERT_OK(mst_mean_fit(&r, source, 3, rows, NULL));
    ck_assert_uint_eq(r->set_size, 1);
    /* The file states no injectivity radius: no theorem decides. */
    ck_assert_int_eq(r->uniqueness, MST_UNIQUENESS_NOT_ESTABLISHED);
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

static const struct {
    const char *text, *complaint;
} wrong[] = {
    {"", "'coordinates' is missing"},
    {"coordinates x y\nstart = 0, 0", "metric, cometric or constraint is missing"},
    {"coordinates x y\nmetric = 1", "'start' is missing"},
    {"coordinates x y\nmetric = 1\nstart = 0, 0, 0", "3 numbers"},
    {"metric = 1", "coordinates must be named first"},
    {"coordinates x x\nmetric = 1\nstart = 0", "defined twice"},
    {"coordinates x sin\nmetric = 1\nstart = 0", "has a meaning already"},
    {"coordinates x y\nmetric = 1\nmetric = 1\nstart = 0", "one embedding, metric"},
    {"coordinates x y\nmetric = 1, 2\nstart = 0", "need 2 rows"},
    {"coordinates x y\nmetric = 1, x; y, 1\nstart = 0", "not symmetric"},
    {"coordinates x y\nembedding = x\nstart = 0", "cannot hold 2 dimensions"},
    {"coordinates x y\nconstraint = x, y\nstart = 0", "leave no dimension"},
    {"coordinates x y\nperiod z 1\nmetric = 1\nstart = 0", "no coordinate"},
    {"coordinates x y\nperiod x -1\nmetric = 1\nstart = 0", "must be positive"},
    {"coordinates x y\ndomain x\nmetric = 1\nstart = 0", "< or >"},
    {"coordinates x y\ncompact = maybe\nmetric = 1\nstart = 0", "yes or no"},
    {"coordinates x y\nmetrik = 1", "a statement begins with"},
    {"coordinates x y\nmetric = 1 2\nstart = 0", "should end here"},
    {"coordinates x[0]\nmetric = 1\nstart = 0", "whole number from 1"},
    {"coordinates x[2]\nmetric = x[3]\nstart = 0", "index 3"},
    {"parameter a = b\n", "not defined"},
    {"coordinates x y\nmetric = x +\n", "missing here"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(complaints)
{
    formula_file f;
    const char *text = wrong[_i].text;
    mst_status status = formula_file_read(&f, "test", text, strlen(text), 0, NULL);
    ck_assert_msg(status == MST_FORMAT, "%s", text);
    ck_assert_msg(strstr(mst_error_detail(), wrong[_i].complaint) != NULL, "%s: %s", text,
                  mst_error_detail());
    ck_assert(strstr(mst_error_detail(), "test, line ") != NULL);
    ck_assert(strchr(mst_error_excerpt(), '^') != NULL);
    formula_file_release(&f);
}
END_TEST

/* What can be read and still is no manifold, at its start or at all: refused with the place of it. */
static const struct {
    const char *text, *complaint;
} no_manifold[] = {
    {"coordinates x y\nmetric = 1/x^2\nstart = 0, 0", "line 3, column 9: at the start the metric"},
    {"coordinates x y\nmetric = log(x)\nstart = -1, 0", "not finite and positive definite"},
    {"coordinates x y\nmetric = diag(1, -1)\nstart = 0, 0", "not finite and positive definite"},
    {"coordinates x y\nembedding = x, x, x\nstart = 0, 0", "not finite and positive definite"},
    {"coordinates x y\ncometric = diag(1, x^2)\nstart = 0, 0", "not finite and positive definite"},
    {"coordinates x y z\nconstraint = (x^2 + y^2 + z^2 - 1)^2\nstart = 1, 0, 0", "vanish"},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1, 2*x^2 + 2*y^2 + 2*z^2 - 2\n"
     "start = 1, 0, 0",
     "depend on each other"},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 + 1\nstart = 1, 0, 0", "off the manifold"},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\nstart = 2, 0, 0", "off the manifold"},
    {"coordinates x y\nmetric = 1\ndomain x > 1\nstart = 0, 0", "line 4, column 9"},
    {"coordinates x\nmetric = sum(i, 1, 1e5, sin(i*x)*cos(x/i))\nstart = 0",
     "more than 1000000 operations"},
};
enum { NO_MANIFOLD = sizeof no_manifold / sizeof *no_manifold };

START_TEST(no_manifolds)
{
    mst_manifold *m;
    const char *text = no_manifold[_i].text;
    mst_status status = mst_formula_manifold_new(&m, "test", "test", text, strlen(text), 0, NULL);
    ck_assert_msg(status == MST_FORMAT, "%s", text);
    ck_assert_msg(strstr(mst_error_detail(), no_manifold[_i].complaint) != NULL, "%s: %s", text,
                  mst_error_detail());
    ck_assert(m == NULL && strstr(mst_error_detail(), "test, line ") != NULL);
    ck_assert(strchr(mst_error_excerpt(), '^') != NULL);
}
END_TEST

/* As many names as a megabyte holds would take a minute. */
START_TEST(names_are_counted)
{
    enum { NAMES = 20000, LONG = 24 };
    char *text = malloc(NAMES * LONG);
    ck_assert_ptr_nonnull(text);
    size_t at = 0;
    for (int k = 0; k < NAMES; k++)
        at += (size_t)snprintf(text + at, LONG, "let a%d = %d\n", k, k);
    formula_file f;
    ck_assert_int_eq(formula_file_read(&f, "test", text, at, 0, NULL), MST_FORMAT);
    ck_assert(strstr(mst_error_detail(), "more than 10000 names") != NULL);
    formula_file_release(&f);
    free(text);
}
END_TEST

START_TEST(overrides)
{
    mst_manifold *m = NULL;
    ck_assert_int_eq(mst_manifold_parse(&m, SHIPPED "torus.manifold?Q=3"), MST_ARGUMENT);
    ck_assert(strstr(mst_error_detail(), "no parameter 'Q'") != NULL);
    ck_assert_int_eq(mst_manifold_parse(&m, SHIPPED "torus.manifold?R=x"), MST_ARGUMENT);
    ck_assert_int_eq(mst_manifold_parse(&m, SHIPPED "sphere.manifold?n=2.5"), MST_FORMAT);
    ck_assert_int_eq(mst_manifold_parse(&m, SHIPPED "none.manifold"), MST_IO);
    ASSERT_OK(mst_manifold_parse(&m, "product(" SHIPPED "sphere.manifold?n=3,circle)"));
    ck_assert_uint_eq(mst_manifold_dim(m), 4);
    /* The spec parses back. */
    mst_manifold *again;
    ASSERT_OK(mst_manifold_parse(&again, mst_manifold_spec(m)));
    ck_assert_str_eq(mst_manifold_spec(again), mst_manifold_spec(m));
    mst_manifold_free(again);
    mst_manifold_free(m);
}
END_TEST

/* Whatever stands in a file, reading it ends with an answer: mutations of a good one. */
START_TEST(mutations_do_no_harm)
{
    static const char good[] =
        "name = t\ncoordinates u v\nperiod u 2*pi\nparameter R = 1\nlet q = R + cos(v)\n"
        "embedding = q*cos(u), q*sin(u), sum(i, 1, 3, sin(v)^i)\ndomain -1 < u < 1\n"
        "compact = yes\nstart = 0, 0\n";
    static const char bytes[] = "()[]+-*/^,;=<>#\n 0123456789.eEuvRqxsin\t\\\"\x80";
    uint64_t state = 88172645463325252u;
    for (size_t trial = 0; trial < 20000; trial++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (size_t k = 0; k < 1 + trial % 6; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text[state % (sizeof good - 1)] = bytes[(state >> 32) % (sizeof bytes - 1)];
        }
        formula_file f;
        mst_status status = formula_file_read(&f, "test", text, sizeof good - 1, 0, NULL);
        ck_assert_msg(status == MST_OK || status == MST_FORMAT, "%s: %s", text, mst_error_detail());
        formula_file_release(&f);
    }
}
END_TEST

START_TEST(surfaces_lie_in_space)
{
    mst_manifold *torus = open_shipped("torus.manifold"),
                 *plane = open_shipped("half-plane.manifold");
    double x[4] = {0.7, 0.3, -2.5, 1.9}, f[6], period[2] = {1, 1};
    ck_assert_uint_eq(mst_manifold_space_dim(torus), 3);
    ASSERT_OK(mst_manifold_in_space(torus, 2, x, f));
    for (size_t i = 0; i < 2; i++) {
        double u = x[2 * i], v = x[2 * i + 1], around = 1 + 0.5 * cos(v);
        const double *at = f + 3 * i, true_at[3] = {around * cos(u), around * sin(u), 0.5 * sin(v)};
        for (size_t k = 0; k < 3; k++) /* a product of two rounded functions */
            ck_assert_double_eq_tol(at[k], true_at[k], 8 * DBL_EPSILON);
    }
    mst_manifold_periods(torus, period);
    ck_assert_double_eq_tol(period[0], 2 * M_PI, 4 * DBL_EPSILON);
    ck_assert_double_eq_tol(period[1], 2 * M_PI, 4 * DBL_EPSILON);
    ck_assert_uint_eq(mst_manifold_space_dim(plane), 0);
    ck_assert_int_eq(mst_manifold_in_space(plane, 1, x, f), MST_UNABLE);
    mst_manifold_periods(plane, period);
    ck_assert(period[0] == 0 && period[1] == 0);
    mst_manifold_free(torus);
    mst_manifold_free(plane);
}
END_TEST

int main(void)
{
    return RUN_SUITE("formula files", 120, {curvatures, SURFACES},
                     {shipped_files_are_manifolds, SHIPPED_COUNT}, {complaints, WRONG},
                     {no_manifolds, NO_MANIFOLD}, {names_are_counted, 0}, {overrides, 0},
                     {periods, 0}, {surfaces_lie_in_space, 0}, {mutations_do_no_harm, 0});
}
