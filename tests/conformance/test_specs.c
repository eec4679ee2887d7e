/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Specs and constructors: what they make, and what they refuse. */
#include "manifold/internal.h"
#include "manifold/spec.h"
#include "support/manifolds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(specs_round_trip)
{
    const manifold_case *entry = &manifold_cases[_i];
    TAKES_PART(entry->make == NULL);
    if (entry->make != NULL)
        return;
    mst_manifold *m = NULL, *again = NULL;
    ASSERT_OK(mst_manifold_parse(&m, entry->spec));
    ck_assert_str_eq(mst_manifold_spec(m), entry->spec);
    ASSERT_OK(mst_manifold_parse(&again, mst_manifold_spec(m)));
    ck_assert_str_eq(mst_manifold_spec(again), mst_manifold_spec(m));
    ck_assert_uint_eq(mst_manifold_dim(again), mst_manifold_dim(m));
    ck_assert_uint_eq(mst_manifold_ambient(again), mst_manifold_ambient(m));
    ck_assert_ptr_eq(mst_manifold_table(again)->exp, mst_manifold_table(m)->exp);
    mst_manifold_free(again);
    size_t count = mst_manifold_factor_count(m), dim = 0, ambient = 0;
    bool flat = true;
    double injectivity = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const mst_manifold *factor = mst_manifold_factor(m, i);
        dim += mst_manifold_dim(factor);
        ambient += mst_manifold_ambient(factor);
        flat = flat && mst_manifold_is_flat(factor);
        injectivity = fmin(injectivity, mst_manifold_injectivity(factor));
    }
    ck_assert_uint_eq(dim, mst_manifold_dim(m));
    ck_assert_uint_eq(ambient, mst_manifold_ambient(m));
    ck_assert(flat == mst_manifold_is_flat(m));
    if (isnan(mst_manifold_injectivity(m))) /* unknown of a factor, and so of the whole */
        ck_assert(count > 1 || isnan(mst_manifold_injectivity(mst_manifold_factor(m, 0))));
    else
        ck_assert(injectivity == mst_manifold_injectivity(m));
    ck_assert((strncmp(entry->spec, "product", 7) == 0) == (count > 1));
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(mst_manifold_factor_count(mst_manifold_factor(m, i)), 1);
    ck_assert((mst_manifold_factor(m, 0) == m) == (count == 1));
    mst_manifold_free(m);
}
END_TEST

START_TEST(dimensions_and_starts)
{
    static const struct {
        const char *spec;
        size_t dim, ambient;
        bool flat;
        double start[9];
    } facts[] = {
        {"euclidean:2", 2, 2, true, {0, 0}},
        {"circle", 1, 1, true, {0}},
        {"torus:2", 2, 2, true, {0, 0}},
        {"sphere:2", 2, 3, false, {0, 0, 1}},
        {"sphere:1", 1, 2, true, {0, 1}},
        {"hyperbolic:2", 2, 3, false, {1, 0, 0}},
        {"spd:2", 3, 4, false, {1, 0, 0, 1}},
        {"spd:2?metric=log-euclidean", 3, 4, true, {1, 0, 0, 1}},
        {"spd:2?metric=frobenius", 3, 4, true, {10, 0, 0, 10}},
        {"spd:2?metric=log-cholesky", 3, 4, true, {1, 0, 0, 1}},
        {"spd:2?metric=bures-wasserstein", 3, 4, false, {100, 0, 0, 100}},
        {"sym:2", 3, 4, true, {0, 0, 0, 0}},
        {"so3", 3, 9, false, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {"product(circle,sphere:2)", 3, 4, false, {0, 0, 0, 1}},
        {"product(product(circle,sym:1))", 2, 2, true, {0, 0}},
        {"product(product(sphere:2))", 2, 3, false, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        mst_manifold *m = NULL;
        double start[9];
        ASSERT_OK(mst_manifold_parse(&m, facts[i].spec));
        ck_assert_msg(mst_manifold_dim(m) == facts[i].dim &&
                          mst_manifold_ambient(m) == facts[i].ambient,
                      "%s: dimensions", facts[i].spec);
        /* A curve is flat whatever its table says; only manifolds of dimension two and more must say so. */
        ck_assert_msg(facts[i].dim == 1 || mst_manifold_is_flat(m) == facts[i].flat, "%s: flat",
                      facts[i].spec);
        mst_manifold_start(m, start);
        for (size_t a = 0; a < facts[i].ambient; a++)
            ck_assert_msg(start[a] == facts[i].start[a], "%s: start", facts[i].spec);
        mst_manifold_free(m);
    }
}
END_TEST

static void assert_refused(const char *spec)
{
    mst_manifold *m = (mst_manifold *)&m;
    mst_status status = mst_manifold_parse(&m, spec);
    ck_assert_msg(status == MST_ARGUMENT, "\"%.60s\": %s", spec, mst_status_name(status));
    ck_assert_msg(m == NULL, "\"%.60s\": out is not null", spec);
    assert_one_line(spec);
}

static const char *const malformed[] = {
    "",
    " ",
    ":",
    "?",
    "(",
    ")",
    ",",
    "sphere",
    "sphere:",
    "sphere:-1",
    "sphere:+2",
    "sphere:0",
    "sph ere:2",
    "sphere:2 3",
    "sphere:2x3",
    "sphere:x",
    "sphere:2xx",
    "sphere:1x2x3x4x5x6x7x8x9",
    "circle:1x1",
    "sphere:2x",
    "sphere:2.0",
    "sphere:0x2",
    "sphere:2e1",
    "sphere:1000000000",
    "sphere:18446744073709551617",
    "sphere:99999999999999999999999999",
    "Sphere:2",
    "spheres:2",
    "sphere:2:3",
    "sphere:2?",
    "sphere:2?metric=x",
    "sphere:2)",
    "sphere:2,",
    "sphere:2,circle",
    "(sphere:2)",
    "euclidean:0",
    "euclidean:1000000000",
    "euclid:2",
    "torus:0",
    "torus:1000000000",
    "hyperbolic:0",
    "hyperbolic:1000000000",
    "spd:0",
    "spd:1025",
    "spd:1000000000",
    "spd:3?metric=foo",
    "spd:3?foo=1",
    "spd:3?metric=",
    "spd:3?metric",
    "spd:3?",
    "spd:3?metric=log-euclidean&",
    "spd:3?metric=log-euclidean&foo=1",
    "spd:3?=log-euclidean",
    "spd:3?metric=log-euclideanx",
    "spd?metric=log-euclidean",
    "sym:0",
    "sym:1000000000",
    "sym:3?metric=log-euclidean",
    "so3:3",
    "so3x",
    "so",
    "so3?a=b",
    "circle:1",
    "circle:",
    "circlex",
    "product",
    "product(",
    "product()",
    "product(sphere:2",
    "product(sphere:2,",
    "product(,)",
    "product(sphere:2,)",
    "product(,sphere:2)",
    "product(sphere:2,,circle)",
    "product(sphere:2))",
    "product(sphere:2)x",
    "product(sphere:2 circle)",
    "product (",
    "torus.surface",
    "my/torus.surface?R=3",
    "product(circle,a.b,circle)",
    "\"sphere:2\"",
    "\"a.manifold",
    "./",
    "spd:3?metric=log-euclidean&metric=log-euclidean",
    "spd:3x3?metric=log-euclidean",
    "product(foo)",
    "product(sphere:0)",
    "product:2",
    "product(circle,product(circle,spd:3?foo=1))",
    "sphere:2\n",
    "sph\xc3\xa8re:2",
    "\x01",
};

START_TEST(malformed_specs_are_refused)
{
    assert_refused(malformed[_i]);
}
END_TEST

/* Blanks between the parts do not matter, nor does an option that says what goes without saying. */
START_TEST(blanks_and_defaults_go)
{
    static const char *const same[][2] = {
        {" sphere : 2\t", "sphere:2"},
        {"product ( sphere:2 , circle )", "product(sphere:2,circle)"},
        {"spd:3 ? metric = log-euclidean", "spd:3?metric=log-euclidean"},
        {"spd:3?metric=bures", "spd:3?metric=bures-wasserstein"},
        {"spd:3?metric=affine-invariant", "spd:3"},
        {"spd:3?metric=affine", "spd:3"},
        {"product(spd:2?metric=affine-invariant ,spd:2?metric=log-euclidean )",
         "product(spd:2,spd:2?metric=log-euclidean)"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        mst_manifold *m = NULL;
        ASSERT_OK(mst_manifold_parse(&m, same[i][0]));
        ck_assert_str_eq(mst_manifold_spec(m), same[i][1]);
        mst_manifold_free(m);
    }
}
END_TEST

/* A kind of file that makes R^(length of the path), if its options are right. */
static char seen[200];
static mst_status make_from_file(mst_manifold **out, const mst_spec_arguments *a)
{
    snprintf(seen, sizeof seen, "%s R=%s r=%s", a->path, a->value[0] != NULL ? a->value[0] : "-",
             a->value[1] != NULL ? a->value[1] : "-");
    return mst_euclidean_new(out, strlen(a->path));
}

START_TEST(files_are_told_by_their_ending)
{
    static const mst_manifold_file_kind kinds[] = {{"manifold", "R&r", make_from_file, NULL},
                                                   {"other", NULL, make_from_file, NULL}};
    static const char *const right[][3] = {
        {"torus.manifold", "torus.manifold R=- r=-", "euclidean:14"},
        {"torus.manifold ? r = 1 & R=3", "torus.manifold R=3 r=1", "euclidean:14"},
        {"../a-b/c.d.other", "../a-b/c.d.other R=- r=-", "euclidean:16"},
        {"\"my file, (v2)?.manifold\"?R=2", "my file, (v2)?.manifold R=2 r=-", "euclidean:23"},
        {"product(circle,a.manifold?R=1,so3)", "a.manifold R=1 r=-",
         "product(circle,euclidean:10,so3)"},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        mst_manifold *m = NULL;
        ASSERT_OK(mst_manifold_parse_with(&m, right[i][0], 2, kinds));
        ck_assert_str_eq(seen, right[i][1]);
        ck_assert_str_eq(mst_manifold_spec(m), right[i][2]);
        mst_manifold_free(m);
    }
    static const char *const wrong[][2] = {
        {"torus.xyz", "ends in .xyz (torus.xyz)"},
        {"some.manifold/torus", "some.manifold/torus"},
        {"a.manifold?q=1", "a.manifold has no option \"q\"; it has R&r"},
        {"a.other?q=1", "it has none"},
        {"a.manifold?R=1&R=2", "the option R of a.manifold is there twice"},
        {"a.manifold?R", "is not of the form option=value"},
        {"a.manifold?R=", "the option R of a.manifold has no value"},
        {"\"a.manifold", "a quotation mark is missing"},
        {"a.manifold)", "unexpected"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mst_manifold *m = (mst_manifold *)&m;
        ASSERT_FAILS(MST_ARGUMENT, mst_manifold_parse_with(&m, wrong[i][0], 2, kinds));
        ck_assert_ptr_null(m);
        ck_assert_msg(strstr(mst_error_detail(), wrong[i][1]) != NULL, "%s: %s", wrong[i][0],
                      mst_error_detail());
    }
}
END_TEST

/* The repeated text `count` times between head and tail; free it. */
static char *repeated(const char *head, const char *text, size_t count, const char *tail)
{
    size_t length = strlen(text);
    char *out = malloc(strlen(head) + length * count + strlen(tail) + 1);
    ck_assert_ptr_nonnull(out);
    char *at = stpcpy(out, head);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, text);
    strcpy(at, tail);
    return out;
}

START_TEST(long_and_deep_specs)
{
    enum { LONG = 1000000 };
    static const char *const heads[] = {"sphere:", "product(", "", "product(circle",
                                        "spd:3?metric="};
    static const char *const texts[] = {"9", "product(", "x", ",", "l"};
    for (size_t i = 0; i < 5; i++) {
        char *spec = repeated(heads[i], texts[i], LONG, "");
        assert_refused(spec);
        free(spec);
    }
    /* Nested so deeply that recursion would run out of stack; refused, or built and freed. */
    char *open = repeated("", "product(", 100000, "circle"),
         *spec = repeated(open, ")", 100000, "");
    mst_manifold *m = (mst_manifold *)&m;
    mst_status status = mst_manifold_parse(&m, spec);
    ck_assert(status == MST_ARGUMENT ? m == NULL : status == MST_OK && m != NULL);
    mst_manifold_free(m);
    free(open);
    free(spec);
    /* Many factors are fine. */
    char *wide = repeated("product(circle", ",circle", 300, ")");
    ASSERT_OK(mst_manifold_parse(&m, wide));
    ck_assert_uint_eq(mst_manifold_dim(m), 301);
    ck_assert_uint_eq(mst_manifold_factor_count(m), 301);
    ck_assert_str_eq(mst_manifold_spec(m), wide);
    mst_manifold_free(m);
    free(wide);
}
END_TEST

static mst_status kendall_plane_new(mst_manifold **out, size_t n)
{
    return mst_kendall_new(out, n, 2);
}

static mst_status size_and_shape_plane_new(mst_manifold **out, size_t n)
{
    return mst_size_and_shape_new(out, n, 2);
}

typedef mst_status sized_constructor(mst_manifold **out, size_t n);
static mst_status planar_landmarks(mst_manifold **out, size_t n)
{
    return mst_landmarks_new(out, n, 2, 0.5, 1, 0, MST_LANDMARKS_GAUSS);
}

static const struct {
    sized_constructor *make;
    const char *spec;
} constructors[] = {
    {mst_euclidean_new, "euclidean:3"},
    {mst_torus_new, "torus:3"},
    {mst_sphere_new, "sphere:3"},
    {mst_hyperbolic_new, "hyperbolic:3"},
    {mst_spd_new, "spd:3"},
    {mst_spd_log_euclidean_new, "spd:3?metric=log-euclidean"},
    {mst_spd_frobenius_new, "spd:3?metric=frobenius"},
    {mst_spd_log_cholesky_new, "spd:3?metric=log-cholesky"},
    {mst_spd_bures_new, "spd:3?metric=bures-wasserstein"},
    {mst_sym_new, "sym:3"},
    {kendall_plane_new, "kendall:3x2"},
    {size_and_shape_plane_new, "size-and-shape:3x2"},
    {planar_landmarks, "landmarks:3x2?sigma=0.5"},
};

START_TEST(constructors_check_their_dimension)
{
    static const size_t bad[] = {0, 1000000000, SIZE_MAX, SIZE_MAX / 2 + 1, (size_t)1 << 32};
    for (size_t i = 0; i < sizeof constructors / sizeof *constructors; i++) {
        mst_manifold *m = NULL;
        ASSERT_OK(constructors[i].make(&m, 3));
        ck_assert_str_eq(mst_manifold_spec(m), constructors[i].spec);
        mst_manifold_free(m);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            m = (mst_manifold *)&m;
            ASSERT_FAILS(MST_ARGUMENT, constructors[i].make(&m, bad[k]));
            ck_assert_ptr_null(m);
        }
    }
    mst_manifold_free(NULL);
}
END_TEST

/* Products of products are dissolved, whoever makes them. */
START_TEST(products_are_flat_lists)
{
    static const char *const same[][2] = {
        {"product(so3,product(sphere:3,torus:2))", "product(so3,sphere:3,torus:2)"},
        {"product(product(circle,so3),product(product(sym:2,spd:1),circle))",
         "product(circle,so3,sym:2,spd:1,circle)"},
        {"product(circle)", "circle"},
        {"product(product(product(circle,so3)))", "product(circle,so3)"},
        {"product(product(spd:2?metric=log-euclidean),so3)",
         "product(spd:2?metric=log-euclidean,so3)"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        mst_manifold *m = NULL, *flat = NULL, *other = NULL;
        ASSERT_OK(mst_manifold_parse(&m, same[i][0]));
        ASSERT_OK(mst_manifold_parse(&flat, same[i][1]));
        ASSERT_OK(mst_manifold_parse(&other, "product(circle,circle)"));
        ck_assert_str_eq(mst_manifold_spec(m), same[i][1]);
        ck_assert(mst_manifold_is_same(m, flat) && mst_manifold_is_same(flat, m));
        ck_assert(!mst_manifold_is_same(other, m));
        mst_manifold_free(other);
        ck_assert_uint_eq(mst_manifold_factor_count(m), mst_manifold_factor_count(flat));
        ck_assert_uint_eq(mst_manifold_ambient(m), mst_manifold_ambient(flat));
        ck_assert_uint_eq(mst_manifold_dim(m), mst_manifold_dim(flat));
        for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
            ck_assert_str_eq(mst_manifold_spec(mst_manifold_factor(m, f)),
                             mst_manifold_spec(mst_manifold_factor(flat, f)));
        double x[32], y[32];
        mst_random r = {5, 6};
        ASSERT_OK(mst_manifold_random_point(m, r, 0, 1, x));
        ASSERT_OK(mst_manifold_random_point(flat, r, 0, 1, y));
        ck_assert_mem_eq(x, y, mst_manifold_ambient(m) * sizeof *x);
        mst_manifold_free(m);
        mst_manifold_free(flat);
    }
}
END_TEST

START_TEST(products_own_their_factors)
{
    mst_manifold *factors[2], *m = NULL;
    ASSERT_OK(mst_circle_new(&factors[0]));
    ASSERT_OK(mst_so3_new(&factors[1]));
    ASSERT_OK(mst_product_new(&m, 2, factors));
    ck_assert_str_eq(mst_manifold_spec(m), "product(circle,so3)");
    ck_assert_str_eq(mst_manifold_spec(mst_manifold_factor(m, 1)), "so3");
    mst_manifold_free(m);
    m = (mst_manifold *)&m;
    ASSERT_FAILS(MST_ARGUMENT, mst_product_new(&m, 0, NULL));
    ck_assert_ptr_null(m);
}
END_TEST

static int freed;
static void count_free(void *data)
{
    freed += *(int *)data;
}

START_TEST(user_tables_are_checked)
{
    mst_manifold *bare = NULL, *m = NULL;
    ASSERT_OK(bare_sphere_new(&bare));
    mst_manifold_ops table = *mst_manifold_table(bare);
    int one = 1;
    table.free_data = count_free;
    ASSERT_OK(mst_manifold_new(&m, &table, "mine", 2, 3, &one));
    ck_assert_str_eq(mst_manifold_spec(m), "mine");
    ck_assert_ptr_eq(mst_manifold_data(m), &one);
    mst_manifold_free(m);
    ck_assert_int_eq(freed, 1);
    for (int slot = 0; slot < 5; slot++) {
        mst_manifold_ops gap = table;
        if (slot == 0)
            gap.start = NULL;
        else if (slot == 1)
            gap.project = NULL;
        else if (slot == 2)
            gap.tangent = NULL;
        else if (slot == 3)
            gap.inner = NULL;
        else
            gap.exp = NULL;
        m = bare;
        ASSERT_FAILS(MST_ARGUMENT, mst_manifold_new(&m, &gap, "mine", 2, 3, &one));
        ck_assert_ptr_null(m);
        ck_assert_int_eq(freed, 2 + slot); /* the data went to free_data although it failed */
    }
    m = bare;
    ASSERT_FAILS(MST_ARGUMENT, mst_manifold_new(&m, &table, "mine", 0, 3, &one));
    ASSERT_FAILS(MST_ARGUMENT, mst_manifold_new(&m, &table, "mine", 4, 3, &one));
    mst_manifold_free(bare);
}
END_TEST

START_TEST(families_parse)
{
    const mst_manifold_family *families = NULL;
    size_t count = mst_manifold_families(&families);
    ck_assert_uint_ge(count, 9);
    for (size_t i = 0; i < count; i++) {
        mst_manifold *m = NULL;
        ASSERT_OK(mst_manifold_parse(&m, families[i].example));
        ck_assert_str_eq(mst_manifold_spec(m), families[i].example);
        ck_assert_ptr_eq(mst_manifold_family_of(m), &families[i]);
        ck_assert(families[i].spec[0] != '\0' && families[i].what[0] != '\0' &&
                  families[i].row[0] != '\0');
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "specs", 60, {specs_round_trip, manifold_case_count}, {dimensions_and_starts, 0},
        {malformed_specs_are_refused, sizeof malformed / sizeof *malformed},
        {blanks_and_defaults_go, 0}, {files_are_told_by_their_ending, 0}, {long_and_deep_specs, 0},
        {constructors_check_their_dimension, 0}, {products_are_flat_lists, 0},
        {products_own_their_factors, 0}, {user_tables_are_checked, 0}, {families_parse, 0});
}
