/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Files that are wrong in one way each are found out, and files that are right are left alone. */
#include "support/scratch.h"

#include <manistat/examine.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

static mst_examination *examine_manifold(mst_manifold *m, uint64_t seed)
{
    mst_examination *e;
    mst_examine_options o = mst_examine_options_default();
    o.seed = seed;
    o.threads = 1;
    mst_status status = mst_manifold_examine(&e, m, &o);
    ck_assert_msg(status == MST_OK, "%s: %s", mst_manifold_spec(m), mst_error_detail());
    mst_manifold_free(m);
    return e;
}

static mst_examination *examine_spec(const char *spec, uint64_t seed)
{
    mst_manifold *m;
    mst_status status = mst_manifold_parse(&m, spec);
    ck_assert_msg(status == MST_OK, "%s: %s", spec, mst_error_detail());
    return examine_manifold(m, seed);
}

/* The manifold of a text, through a file that is gone before anything can fail. */
static mst_examination *examine_text(const char *text, uint64_t seed)
{
    mst_manifold *m;
    scratch_open();
    mst_status status = mst_manifold_parse(&m, scratch_text("text.manifold", text));
    scratch_close();
    ck_assert_msg(status == MST_OK, "%s: %s", text, mst_error_detail());
    return examine_manifold(m, seed);
}

static void print_findings(const mst_examination *e)
{
    for (size_t i = 0; i < e->count; i++)
        fprintf(stderr, "%s %s: %s\n", mst_finding_word(e->findings[i].level), e->findings[i].topic,
                e->findings[i].text);
}

static const char *const shipped[] = {
    "torus.manifold",         "torus.manifold?R=3&r=1", "ellipsoid.manifold", "cylinder.manifold",
    "paraboloid.manifold",    "half-plane.manifold",    "bumpy.manifold",     "graph.manifold",
    "gaussian.manifold",      "gamma.manifold",         "beta.manifold",      "pareto.manifold",
    "sphere.manifold",        "sphere.manifold?n=3",    "spd2.manifold",      "moebius.manifold",
    "sphere-charts.manifold",
};
enum { SHIPPED_COUNT = sizeof shipped / sizeof *shipped };

START_TEST(shipped_files_pass)
{
    char path[512];
    snprintf(path, sizeof path, SHIPPED "%s", shipped[_i]);
    mst_examination *e = examine_spec(path, 1);
    if (e->worst > MST_FINDING_NOTE)
        print_findings(e);
    ck_assert_msg(e->worst <= MST_FINDING_NOTE, "%s", shipped[_i]);
    ck_assert_uint_ge(e->count, 8);
    ck_assert_uint_eq(e->points, 512);
    mst_examination_free(e);
}
END_TEST

/* A text, the topic and level of the finding it must lead to, and words of it. */
static const struct {
    const char *text, *topic, *words;
    mst_finding_level level;
} wrong[] = {
    {"coordinates u v\nperiod u 6\nembedding = (2 + cos(v))*cos(u), (2 + cos(v))*sin(u), sin(v)\n"
     "start = 0, 0",
     "periods", "the embedding has not", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 6\nmetric = diag(2 + cos(u), 1)\nstart = 0, 0", "periods",
     "the metric changes", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 4*pi\nembedding = cos(u), sin(u), v\nstart = 0, 0", "periods",
     "1/2 of what is stated", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 2*pi\ndomain u < 2\nembedding = cos(u), sin(u), v\nstart = 0, 0",
     "periods", "out of the domain", MST_FINDING_WARNING},
    {"coordinates u v\nembedding = cos(u), sin(u), v\nstart = 0, 0", "periods", "not stated",
     MST_FINDING_NOTE},
    {"coordinates x y\nmetric = 1; x, 1\nstart = 0, 0", "metric", "not positive definite",
     MST_FINDING_ERROR},
    {"coordinates x y\nmetric = diag(1, 2 + log(x))\nstart = 1, 0", "metric", "not finite",
     MST_FINDING_ERROR},
    /* the poles of the sphere, and the origin of polar coordinates */
    {"coordinates u v\nperiod u 2*pi\nembedding = cos(u)*cos(v), sin(u)*cos(v), sin(v)\n"
     "domain -2 < v < 2\nstart = 0, 0",
     "rank", "loses rank", MST_FINDING_ERROR},
    {"coordinates r u\nperiod u 2*pi\nmetric = diag(1, r^2)\nstart = 1, 0", "rank", "degenerates",
     MST_FINDING_ERROR},
    {"coordinates r u\nperiod u 2*pi\nmetric = diag(1, r^2)\ndomain r > 0\nstart = 1, 0",
     "completeness", "border of the domain is only", MST_FINDING_NOTE},
    {"coordinates x y z\nconstraint = x^2 + y^2 - z^2\nstart = 1, 0, 1", "rank", "vanish",
     MST_FINDING_ERROR},
    {"coordinates x y\nembedding = x, y, abs(x)\nstart = 0.5, 0", "smoothness",
     "the embedding has a kink", MST_FINDING_WARNING},
    {"coordinates x y\nembedding = x, y, max(x, y)^2\nstart = 0.5, 0", "smoothness", "jump",
     MST_FINDING_WARNING},
    {"coordinates x y\nmetric = 1 + max(0, x + y)\nstart = 0.5, 0", "smoothness", "kink",
     MST_FINDING_WARNING},
    {"coordinates x y\nmetric = 1 + max(0, x + y)^2\nstart = 0.5, 0", "smoothness",
     "second derivatives", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = abs(x) + y^2 + z^2 - 1\nstart = 0, 1, 0", "smoothness",
     "kink", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = (x^2 + y^2 + z^2 - 1)*((x - 4)^2 + y^2 + z^2 - 1)\n"
     "start = 1, 0, 0",
     "connectedness", "in pieces", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = x^2 + y^2 - z^2 + 1\nstart = 0, 0, 1", "connectedness",
     "in pieces", MST_FINDING_WARNING},
    {"coordinates x y\nmetric = 1\ndomain x^2 > 1\nstart = 2, 0", "connectedness", "in pieces",
     MST_FINDING_WARNING},
    {"coordinates x y\nmetric = 1\ndomain x^2 + y^2 < 1\nstart = 0, 0", "completeness",
     "border of the domain is only", MST_FINDING_NOTE},
    {"coordinates x y\nmetric = 1/(1 + x^2 + y^2)^2\nstart = 0, 0", "completeness",
     "infinity is only", MST_FINDING_NOTE},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\ndomain z > -0.5\nstart = 0, 0, 1",
     "completeness", "border of the domain is only", MST_FINDING_NOTE},
    {"coordinates x y\nmetric = 1\ncompact = yes\nstart = 0, 0", "compactness", "no period",
     MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 1\nperiod v 1\nmetric = 1\ncompact = no\nstart = 0, 0",
     "compactness", "every coordinate has a period", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 1\nperiod v 1\nmetric = 1\n"
     "domain cos(2*pi*u) + cos(2*pi*v) > -1.5\ncompact = yes\nstart = 0, 0",
     "compactness", "border", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = x^2 + y^2 - 1\ncompact = yes\nstart = 1, 0, 0", "compactness",
     "as far away", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = x^2 + y^2 - z\ncompact = yes\nstart = 0, 0, 0", "compactness",
     "as far away", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2/4 - 1\ncompact = no\nstart = 1, 0, 0",
     "compactness", "within", MST_FINDING_WARNING},
    {"coordinates x y\nembedding = x, y, exp(-x^2 - y^2)\nhadamard = yes\nstart = 0, 0", "hadamard",
     "> 0", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 2*pi\nembedding = cos(u), sin(u), v\nhadamard = yes\nstart = 0, 0",
     "hadamard", "simply", MST_FINDING_WARNING},
    {"coordinates x y\nmetric = 1\ndomain x > 0\nhadamard = yes\nstart = 1, 0", "hadamard",
     "not complete", MST_FINDING_WARNING},
    {"coordinates u v\nperiod u 2*pi\nembedding = cos(u), sin(u), v\ninjectivity = 5\nstart = 0, 0",
     "injectivity", "longer than another way", MST_FINDING_WARNING},
    {"coordinates x y z\nconstraint = x^2 + y^2 + 4*z^2 - 1\ninjectivity = 2.6\nstart = 1, 0, 0",
     "injectivity", "longer than another way", MST_FINDING_WARNING},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(wrong_files_are_found)
{
    mst_examination *e = examine_text(wrong[_i].text, 1);
    bool found = false;
    for (size_t i = 0; i < e->count; i++)
        found = found || (e->findings[i].level == wrong[_i].level &&
                          strcmp(e->findings[i].topic, wrong[_i].topic) == 0 &&
                          strstr(e->findings[i].text, wrong[_i].words) != NULL);
    if (!found)
        print_findings(e);
    ck_assert_msg(found, "%s", wrong[_i].text);
    ck_assert_int_ge(e->worst, wrong[_i].level);
    mst_examination_free(e);
}
END_TEST

/* Right files beyond the shipped ones, each near something that is wrong. */
static const char *const right[] = {
    "coordinates x y\nmetric = 1 + 1e-3*sin(40*x)\ncompact = no\nstart = 0, 0",
    "coordinates x y\nmetric = 1e8\ncompact = no\nhadamard = yes\nstart = 0, 0",
    "coordinates x y\nmetric = 1e-8\ncompact = no\nhadamard = yes\nstart = 0, 0",
    "coordinates x\nmetric = exp(x)^2 + 1\ncompact = no\nstart = 0",
    "coordinates x y\ncometric = y^2\ndomain y > 0\ncompact = no\nhadamard = yes\nstart = 0, 1",
    "coordinates x y\nmetric = 4/(1 - x^2 - y^2)^2\ndomain x^2 + y^2 < 1\ncompact = no\n"
    "hadamard = yes\nstart = 0, 0",
    "coordinates x y z w\nconstraint = x^2 + y^2 - 1, z^2 + w^2 - 1\ncompact = yes\n"
    "start = 1, 0, 1, 0",
    "coordinates x[6]\nconstraint = sum(i, 1, 6, x[i]^2) - 1\ncompact = yes\ninjectivity = pi\n"
    "start = 1, 0, 0, 0, 0, 0",
    "coordinates x y z\nconstraint = x^2 + y^2 - z^2 - 1\ncompact = no\nstart = 1, 0, 0",
    "coordinates x y z\nconstraint = x^2 + y^2 - z^2 + 1\ndomain z > 0\ncompact = no\n"
    "start = 0, 0, 1",
    "coordinates u v\nperiod u 2*pi\nperiod v 2*pi\ncompact = yes\n"
    "embedding = cos(u), sin(u), cos(v), sin(v)\ninjectivity = pi\nstart = 0, 0",
    "coordinates x y z\nconstraint = x^4 + y^4 + z^4 - 1\ncompact = yes\nstart = 1, 0, 0",
};
enum { RIGHT = sizeof right / sizeof *right };

START_TEST(right_files_are_left_alone)
{
    mst_examination *e = examine_text(right[_i], 3);
    if (e->worst > MST_FINDING_NOTE)
        print_findings(e);
    ck_assert_msg(e->worst <= MST_FINDING_NOTE, "%s", right[_i]);
    mst_examination_free(e);
}
END_TEST

START_TEST(numbers_are_right)
{
    mst_examination *e = examine_spec(SHIPPED "torus.manifold", 1);
    assert_near(e->least_eigenvalue, 0.25, 1e-12, "r squared");
    assert_near(e->greatest_eigenvalue, 2.25, 1e-12, "(R + r) squared, at the start");
    assert_near(e->worst_condition, 9, 1e-12, "their ratio");
    /* from −1/(r (R − r)) to 1/(r (R + r)) */
    ck_assert(e->ricci_min >= -4 - 1e-9 && e->ricci_min < -3.8);
    assert_near(e->ricci_max, 4.0 / 3, 1e-9, "at the start");
    assert_near(e->scalar_max, 8.0 / 3, 1e-9, "twice that");
    mst_examination_free(e);
    e = examine_spec(SHIPPED "sphere.manifold?n=3", 1);
    assert_near(e->ricci_min, 2, 1e-6, "n - 1");
    assert_near(e->scalar_max, 6, 1e-6, "n (n - 1)");
    mst_examination_free(e);
}
END_TEST

START_TEST(the_seed_decides)
{
    mst_examination *a = examine_spec(SHIPPED "graph.manifold", 5);
    mst_examination *b = examine_spec(SHIPPED "graph.manifold", 5);
    mst_examination *c = examine_spec(SHIPPED "graph.manifold", 6);
    ck_assert_uint_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        ck_assert_str_eq(a->findings[i].text, b->findings[i].text);
    ck_assert(a->ricci_max != c->ricci_max);
    mst_examination_free(a);
    mst_examination_free(b);
    mst_examination_free(c);
    mst_examination_free(NULL);
}
END_TEST

START_TEST(what_cannot_be_examined)
{
    mst_manifold *m;
    mst_examination *e;
    mst_examine_options o = mst_examine_options_default();
    ASSERT_OK(mst_sphere_new(&m, 2));
    ck_assert_int_eq(mst_manifold_examine(&e, m, NULL), MST_UNABLE);
    ck_assert(e == NULL);
    o.points = 3;
    ck_assert_int_eq(mst_manifold_examine(&e, m, &o), MST_ARGUMENT);
    mst_manifold_free(m);
    ck_assert_str_eq(mst_finding_word(MST_FINDING_WARNING), "warning");
}
END_TEST

int main(void)
{
    return RUN_SUITE("examine", 300, {shipped_files_pass, SHIPPED_COUNT},
                     {wrong_files_are_found, WRONG}, {right_files_are_left_alone, RIGHT},
                     {numbers_are_right, 0}, {the_seed_decides, 0}, {what_cannot_be_examined, 0});
}
