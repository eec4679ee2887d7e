/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"

#include <float.h>
#include <manistat/points.h>
#include <math.h>

#define PI 3.14159265358979323846

static mst_manifold *parse(const char *spec)
{
    mst_manifold *m;
    ck_assert_int_eq(mst_manifold_parse(&m, spec), MST_OK);
    return m;
}

/* The parts of up to eight rows of a text, one array per letter. */
typedef struct parts {
    size_t rows;
    double x[3][8 * 32];
} parts;

static mst_status read_parts(const char *spec, const char *layout, const char *text,
                             mst_points_options options, parts *p)
{
    mst_manifold *m = parse(spec);
    mst_points_reader *r = NULL;
    mst_status status = mst_points_open(&r, m, layout, scratch_text("t.csv", text), &options);
    double *const arrays[] = {p->x[0], p->x[1], p->x[2]};
    if (status == MST_OK)
        status = mst_points_next(r, 8, arrays, &p->rows);
    mst_points_reader_free(r);
    mst_manifold_free(m);
    return status;
}

static void check_failure(const char *spec, const char *layout, const char *text,
                          mst_points_options options, mst_status expected, const char *detail)
{
    parts p;
    mst_status status = read_parts(spec, layout, text, options, &p);
    ck_assert_msg(status == expected, "%s: %s, not %s (%s)", spec, mst_status_name(status),
                  mst_status_name(expected), mst_error_detail());
    ck_assert_detail(detail);
}

static void check_point(const char *spec, const char *text, mst_points_options options,
                        double tolerance, size_t D, const double *expected)
{
    parts p;
    mst_status status = read_parts(spec, "p", text, options, &p);
    ck_assert_msg(status == MST_OK, "%s: %s", spec, mst_error_detail());
    ck_assert_uint_eq(p.rows, 1);
    for (size_t i = 0; i < D; i++)
        ck_assert_msg(fabs(p.x[0][i] - expected[i]) <= tolerance, "%s: %.17g, not %.17g", spec,
                      p.x[0][i], expected[i]);
}

#define NUMBERS(...) \
    (sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), ((const double[]){__VA_ARGS__})
#define OPTIONS(...) ((mst_points_options){.size = sizeof(mst_points_options), __VA_ARGS__})
#define NONE OPTIONS(.project = false)
#define PROJECT OPTIONS(.project = true)
#define DEGREES OPTIONS(.degrees = true)
#define LATLON OPTIONS(.latlon = true)
#define QUATERNION OPTIONS(.quaternion = true)

START_TEST(test_full_rows)
{
    check_point("euclidean:3", "1,2,-3\n", NONE, 0, NUMBERS(1, 2, -3));
    check_point("sphere:2", "x,y,z\n0.6,0,0.8\n", NONE, 0, NUMBERS(0.6, 0, 0.8));
    check_point("circle", "0.5\n", NONE, 0, NUMBERS(0.5));
    check_point("torus:2", "7 -7\n", NONE, 4 * DBL_EPSILON, NUMBERS(7 - 2 * PI, 2 * PI - 7));
    check_point("hyperbolic:1", "1.25,0.75\n", NONE, 0, NUMBERS(1.25, 0.75));
    check_point("spd:2", "2,1,1,2\n", NONE, 0, NUMBERS(2, 1, 1, 2));
    check_point("sym:2", "-2,1,1,-2\n", NONE, 0, NUMBERS(-2, 1, 1, -2));
    check_point("so3", "0,-1,0,1,0,0,0,0,1\n", NONE, 0, NUMBERS(0, -1, 0, 1, 0, 0, 0, 0, 1));
    check_point("product(sphere:2,euclidean:1)", "0,0,1,5\n", NONE, 0, NUMBERS(0, 0, 1, 5));
}
END_TEST

START_TEST(test_upper_triangles)
{
    check_point("spd:3", "4,1,2,5,3,6\n", NONE, 0, NUMBERS(4, 1, 2, 1, 5, 3, 2, 3, 6));
    check_point("sym:2", "-1,7,-2\n", NONE, 0, NUMBERS(-1, 7, 7, -2));
    parts p;
    ck_assert_int_eq(read_parts("spd:2", "pvs", "2,0,2,1,5,1,0.25\n", NONE, &p), MST_OK);
    ck_assert_mem_eq(p.x[0], ((double[]){2, 0, 0, 2}), 4 * sizeof(double));
    ck_assert_mem_eq(p.x[1], ((double[]){1, 5, 5, 1}), 4 * sizeof(double));
    ck_assert_double_eq(p.x[2][0], 0.25);
    check_failure("product(spd:2,euclidean:1)", "p", "2,0,2,1\n", NONE, MST_FORMAT,
                  "4 columns; product(spd:2,euclidean:1) needs 5");
}
END_TEST

START_TEST(test_quaternions)
{
    static const double quarter[] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    check_point("so3", "1,0,0,0\n", NONE, 0, NUMBERS(1, 0, 0, 0, 1, 0, 0, 0, 1));
    check_point("so3", "0.70710678118654752,0,0,0.70710678118654752\n", NONE, 4 * DBL_EPSILON, 9,
                quarter);
    check_point("so3", "-0.70710678118654752 0 0 -0.70710678118654752\n", NONE, 4 * DBL_EPSILON, 9,
                quarter);
    check_point("so3", "3,0,0,3\n", PROJECT, 4 * DBL_EPSILON, 9, quarter);
    check_failure(
        "so3", "p", "1,0,0,0\n1,0,0,0.1\n", NONE, MST_DOMAIN,
        "t.csv, row 2 (line 2): the norm of the quaternion is 1.004988, not 1; correct it "
        "or pass `project`");
    check_failure("so3", "p", "0,0,0,0\n", PROJECT, MST_DOMAIN, "norm of the quaternion is 0");
    parts p;
    ck_assert_int_eq(read_parts("so3", "pv", "1,0,0,0,0,1,0,-1,0,0,0,0,0\n", NONE, &p), MST_OK);
    ck_assert_double_eq(p.x[1][1], 1);
}
END_TEST

START_TEST(test_degrees)
{
    check_point("circle", "90\n", DEGREES, DBL_EPSILON, NUMBERS(PI / 2));
    check_point("torus:2", "-180,725\n", DEGREES, DBL_EPSILON, NUMBERS(PI, PI / 36));
    check_point("product(euclidean:1,circle)", "90,90\n", DEGREES, DBL_EPSILON,
                NUMBERS(90, PI / 2));
    parts p;
    ck_assert_int_eq(read_parts("circle", "pv", "90,720\n", DEGREES, &p), MST_OK);
    ck_assert_double_eq_tol(p.x[1][0], 4 * PI, 8 * DBL_EPSILON);
}
END_TEST

START_TEST(test_latitude_longitude)
{
    check_point("sphere:2", "90,0\n", LATLON, 0, NUMBERS(0, 0, 1));
    check_point("sphere:2", "0,90\n", LATLON, 0, NUMBERS(0, 1, 0));
    check_point("sphere:2", "0,-180\n", LATLON, 0, NUMBERS(-1, 0, 0));
    check_point("sphere:2", "0,630\n", LATLON, 0, NUMBERS(0, -1, 0));
    check_point("sphere:2", "-30,60\n", LATLON, DBL_EPSILON, NUMBERS(sqrt(3) / 4, 0.75, -0.5));
    check_failure("sphere:2", "p", "lat,lon\n1,2\n90.5,0\n", LATLON, MST_DOMAIN,
                  "t.csv, row 2 (line 3): latitude 90.5 is not between -90 and 90");
    check_failure("sphere:2", "p", "1,2\n", NONE, MST_FORMAT, "pass `latlon`");
    parts p;
    ck_assert_int_eq(read_parts("sphere:2", "pv", "90,0,1,2,0\n", LATLON, &p), MST_OK);
    ck_assert_double_eq(p.x[1][1], 2);
}
END_TEST

START_TEST(test_options_that_make_no_sense)
{
    check_failure("spd:3", "p", "1\n", LATLON, MST_ARGUMENT, "`latlon` needs sphere:2, not spd:3");
    check_failure("sphere:3", "p", "1\n", LATLON, MST_ARGUMENT, "`latlon` needs sphere:2");
    check_failure("product(sphere:2,circle)", "p", "1\n", LATLON, MST_ARGUMENT, "`latlon` needs");
    check_failure("sphere:2", "p", "1\n", DEGREES, MST_ARGUMENT,
                  "`degrees` needs circle or torus, not sphere:2");
    check_failure("sphere:2", "p", "1\n", QUATERNION, MST_ARGUMENT,
                  "`quaternion` needs so3, not sphere:2");
    mst_manifold *m = parse("sphere:2");
    double x[3] = {0, 0, 1}, text[3];
    ck_assert_int_eq(mst_points_encode(m, 1, x, &DEGREES, text), MST_ARGUMENT);
    ck_assert_int_eq(mst_points_encode_vectors(m, 1, x, &DEGREES, text), MST_ARGUMENT);
    mst_manifold_free(m);
    mst_points_options defaults = mst_points_options_default();
    ck_assert_mem_eq(&defaults, &NONE, sizeof defaults);
    check_failure("sphere:2", "", "1\n", NONE, MST_ARGUMENT, "layout");
    check_failure("sphere:2", "pq", "1\n", NONE, MST_ARGUMENT, "layout");
}
END_TEST

START_TEST(test_widths)
{
    check_failure("sphere:2", "pp", "1,2,3,4,5\n", NONE, MST_FORMAT,
                  "t.csv has 5 columns; sphere:2 needs 6 (x_1…x_3, y_1…y_3)");
    check_failure("sphere:2", "pps", "1\n", NONE, MST_FORMAT,
                  "t.csv has 1 column; sphere:2 needs 7 (x_1…x_3, y_1…y_3, a number)");
    check_failure("circle", "pv", "1\n", NONE, MST_FORMAT, "circle needs 2 (x_1, v_1)");
    check_failure("spd:2", "p", "1,2\n", NONE, MST_FORMAT,
                  "spd:2 needs 4 (x_1…x_4), or 3 with upper or lower triangles");
    check_failure("so3", "pp", "1,2\n", NONE, MST_FORMAT,
                  "so3 needs 18 (x_1…x_9, y_1…y_9), or 8 with quaternions w, x, y, z");
    check_failure("sphere:2", "p", "1,2,3,4\n", LATLON, MST_FORMAT,
                  "sphere:2 needs 2 (latitude, longitude)");
}
END_TEST

START_TEST(test_not_finite)
{
    check_failure("sphere:2", "p", "# c\n0,0,1\n0,nan,1\n", NONE, MST_FORMAT,
                  "t.csv, row 2 (line 3), column 2: nan is not a finite number");
    check_failure("euclidean:1", "ps", "1,-inf\n", PROJECT, MST_FORMAT,
                  "t.csv, row 1 (line 1), column 2: -inf is not a finite number");
}
END_TEST

START_TEST(test_rows_off_the_manifold)
{
    check_failure("sphere:2", "p", "x,y,z\n0,0,1\n0,0,1.2\n", NONE, MST_DOMAIN,
                  "t.csv, row 2 (line 3): the norm is 1.2, not 1; correct it or pass `project`");
    check_failure("hyperbolic:1", "p", "1,1\n", NONE, MST_DOMAIN, "t.csv, row 1 (line 1): ");
    check_failure("spd:2", "p", "1,2,1\n", NONE, MST_DOMAIN, "not positive definite");
    check_failure("spd:2", "p", "1,0,1e-7,1\n", NONE, MST_DOMAIN, "not symmetric");
    check_failure("sym:2", "p", "1,0,1e-7,1\n", NONE, MST_DOMAIN, "not symmetric");
    check_failure("so3", "p", "1,0,0,0,1,0,0,0,-1\n", NONE, MST_DOMAIN, "reflection");
    check_failure("sphere:2", "pp", "0,0,1,0,0,1\n0,0,1,0,1,1\n", NONE, MST_DOMAIN,
                  "t.csv, row 2 (line 2)");
    check_failure("product(euclidean:1,sphere:1)", "p", "0,3,4\n", NONE, MST_DOMAIN, "sphere:1");

    check_point("sphere:2", "0,3,4\n", PROJECT, DBL_EPSILON, NUMBERS(0, 0.6, 0.8));
    check_point("sym:2", "1,2,4,1\n", PROJECT, 0, NUMBERS(1, 3, 3, 1));
    check_point("spd:2", "1,0,0.5,1\n", PROJECT, 0, NUMBERS(1, 0.25, 0.25, 1));
    check_failure("sphere:2", "p", "0,0,1\n0,0,0\n", PROJECT, MST_DOMAIN,
                  "t.csv, row 2 (line 2): ");
    ck_assert_ptr_null(strstr(mst_error_detail(), "`project`"));
    check_failure("spd:2", "p", "1,0,1\n-1,0,-1\n", PROJECT, MST_DOMAIN,
                  "t.csv, row 2 (line 2): no eigenvalue");
}
END_TEST

/* Within the tolerance a point is moved onto the manifold, but not for rounding alone. */
START_TEST(test_onto_the_manifold)
{
    parts p;
    ck_assert_int_eq(read_parts("sphere:2", "p", "0,0.6000003,0.8\n", NONE, &p), MST_OK);
    double norm = sqrt(p.x[0][1] * p.x[0][1] + p.x[0][2] * p.x[0][2]);
    ck_assert_double_eq_tol(norm, 1, 2 * DBL_EPSILON);
    ck_assert_double_ne(p.x[0][2], 0.8);
    ck_assert_int_eq(read_parts("spd:2", "p", "1,0.5,0.5000000000000001,1\n", NONE, &p), MST_OK);
    ck_assert_double_eq(p.x[0][1], p.x[0][2]);
}
END_TEST

START_TEST(test_vectors)
{
    parts p;
    ck_assert_int_eq(read_parts("sphere:2", "pv", "0,0,1,1,2,0\n", NONE, &p), MST_OK);
    ck_assert_mem_eq(p.x[1], ((double[]){1, 2, 0}), 3 * sizeof(double));
    ck_assert_int_eq(read_parts("sphere:2", "pv", "0,0,1,1,2,1e-7\n", NONE, &p), MST_OK);
    ck_assert_mem_eq(p.x[1], ((double[]){1, 2, 0}), 3 * sizeof(double));
    check_failure("sphere:2", "pv", "0,0,1,1,2,0\n0,0,1,1,2,1e-5\n", NONE, MST_DOMAIN,
                  "t.csv, row 2 (line 2): the vector is not tangent (off by 1e-05); correct it or "
                  "pass `project`");
    ck_assert_int_eq(read_parts("sphere:2", "pv", "0,0,1,1,2,5\n", PROJECT, &p), MST_OK);
    ck_assert_mem_eq(p.x[1], ((double[]){1, 2, 0}), 3 * sizeof(double));
    check_failure("spd:2", "pv", "1,0,0,1,1,2,2.0000001,1\n", NONE, MST_DOMAIN,
                  "the vector is not a symmetric matrix");
    check_failure("sym:2", "v", "1,2,2.0000001,1\n", NONE, MST_DOMAIN,
                  "the vector is not a symmetric matrix");
    ck_assert_int_eq(read_parts("sym:2", "v", "1,2,3,1\n", PROJECT, &p), MST_OK);
    ck_assert_mem_eq(p.x[0], ((double[]){1, 2.5, 2.5, 1}), 4 * sizeof(double));
    /* Far out, a tangent vector is known only up to the rounding of x₀². */
    ck_assert_int_eq(read_parts("hyperbolic:1", "pv",
                                "11013.232920103324,11013.232874703393,11013.232874703393,"
                                "11013.232920103324\n",
                                NONE, &p),
                     MST_OK);
}
END_TEST

/* What is written comes back bit for bit, and every form comes back to rounding. */
START_TEST(test_round_trip)
{
    static const char *const specs[] = {
        "euclidean:3",  "circle", "torus:3", "sphere:2", "sphere:9",
        "hyperbolic:2", "spd:3",  "sym:3",   "so3",      "product(sphere:2,circle,spd:2)"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        mst_manifold *m = parse(specs[s]);
        enum { N = 2000 };
        size_t D = mst_manifold_ambient(m), n;
        double *x = malloc(N * D * sizeof *x), *text = malloc(N * D * sizeof *x), *y;
        ck_assert_int_eq(mst_manifold_random_point(m, (mst_random){1, s}, 0, N, x), MST_OK);
        mst_points_options options[4] = {NONE, DEGREES, LATLON, {.quaternion = true}};
        for (int k = 0; k < 4; k++) {
            mst_status status = mst_points_encode(m, N, x, &options[k], text);
            if (status == MST_ARGUMENT)
                continue;
            ck_assert_int_eq(status, MST_OK);
            size_t width = mst_points_width(m, &options[k]);
            mst_writer *w;
            ck_assert_int_eq(mst_writer_open(&w, scratch("r.csv"), width, NULL, true), MST_OK);
            ck_assert_int_eq(mst_writer_rows(w, N, text), MST_OK);
            ck_assert_int_eq(mst_writer_commit(w), MST_OK);
            mst_writer_free(w);
            status = mst_points_read(&y, &n, m, scratch("r.csv"), &options[k]);
            ck_assert_msg(status == MST_OK, "%s: %s", specs[s], mst_error_detail());
            ck_assert_uint_eq(n, N);
            if (k == 0)
                ck_assert_msg(memcmp(x, y, N * D * sizeof *x) == 0, "%s", specs[s]);
            size_t wrong = 0;
            for (size_t i = 0; i < N * D; i++)
                wrong += fabs(x[i] - y[i]) > 16 * DBL_EPSILON * fmax(1, fabs(x[i])) || isnan(y[i]);
            ck_assert_msg(wrong == 0, "%s: %zu numbers", specs[s], wrong);
            mst_points_free(y);
        }
        free(x);
        free(text);
        mst_manifold_free(m);
    }
}
END_TEST

START_TEST(test_encode)
{
    double text[9];
    mst_manifold *m = parse("torus:2");
    ck_assert_int_eq(mst_points_encode(m, 1, (double[]){-PI, 3 * PI}, &NONE, text), MST_OK);
    ck_assert_double_eq(text[0], PI);
    ck_assert_double_eq_tol(text[1], PI, 4 * DBL_EPSILON);
    ck_assert_int_eq(mst_points_encode(m, 1, (double[]){-PI, -PI / 2}, &DEGREES, text), MST_OK);
    ck_assert_double_eq(text[0], 180);
    ck_assert_double_eq_tol(text[1], -90, 90 * DBL_EPSILON);
    ck_assert_int_eq(mst_points_encode_vectors(m, 1, (double[]){-PI, 4 * PI}, &DEGREES, text),
                     MST_OK);
    ck_assert_double_eq_tol(text[0], -180, 180 * DBL_EPSILON);
    ck_assert_double_eq_tol(text[1], 720, 720 * DBL_EPSILON);
    mst_manifold_free(m);
    m = parse("sphere:2");
    ck_assert_uint_eq(mst_points_width(m, &NONE), 3);
    ck_assert_uint_eq(mst_points_width(m, &LATLON), 2);
    ck_assert_int_eq(mst_points_encode(m, 1, (double[]){-1, -0.0, 0}, &LATLON, text), MST_OK);
    ck_assert_double_eq(text[0], 0);
    ck_assert_double_eq(text[1], 180);
    ck_assert_int_eq(mst_points_encode(m, 1, (double[]){0, 0, -1}, &LATLON, text), MST_OK);
    ck_assert_double_eq(text[0], -90);
    ck_assert_int_eq(mst_points_encode(m, 0, NULL, NULL, NULL), MST_OK);
    mst_manifold_free(m);
    m = parse("so3");
    mst_points_options quaternion = QUATERNION;
    ck_assert_uint_eq(mst_points_width(m, &quaternion), 4);
    mst_manifold_free(m);
}
END_TEST

START_TEST(test_decode)
{
    double x[4] = {7, 7, 7, 7};
    mst_manifold *m = parse("spd:2");
    ck_assert_int_eq(mst_points_decode(m, 3, (double[]){2, 1, 2}, NULL, x), MST_OK);
    ck_assert_mem_eq(x, ((double[]){2, 1, 1, 2}), sizeof x);
    /* On failure the output is untouched. */
    ck_assert_int_eq(mst_points_decode(m, 3, (double[]){2, 9, 2}, NULL, x), MST_DOMAIN);
    ck_assert_int_eq(strncmp(mst_error_detail(), "matrix is not positive", 22), 0);
    ck_assert_detail("; correct it or pass `project`");
    ck_assert_int_eq(mst_points_decode(m, 3, (double[]){2, NAN, 2}, NULL, x), MST_FORMAT);
    ck_assert_int_eq(strncmp(mst_error_detail(), "column 2: nan is not a finite", 29), 0);
    ck_assert_int_eq(mst_points_decode(m, 2, (double[]){2, 1}, NULL, x), MST_FORMAT);
    ck_assert_int_eq(strncmp(mst_error_detail(), "2 columns; spd:2 needs 4", 24), 0);
    ck_assert_int_eq(mst_points_decode(m, 3, (double[]){2, 1, 2}, &LATLON, x), MST_ARGUMENT);
    ck_assert_mem_eq(x, ((double[]){2, 1, 1, 2}), sizeof x);
    mst_manifold_free(m);
}
END_TEST

/* Batches of any size give the same rows; errors late in a file name the right line. */
START_TEST(test_many_rows)
{
    mst_manifold *m = parse("circle");
    enum { N = 100000 };
    FILE *f = fopen(scratch("many.csv"), "w");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.17g\n%s", 3 * sin(i), i == 70000 ? "# comment\n" : "");
    fprintf(f, "nan\n");
    fclose(f);
    mst_points_reader *r;
    double *x = malloc(N * sizeof *x);
    ck_assert_int_eq(mst_points_open(&r, m, "p", scratch("many.csv"), NULL), MST_OK);
    size_t n = 0, got;
    for (size_t max = 1; n < N; max = max * 2 + 1, n += got) {
        size_t want = max < N - n ? max : N - n;
        ck_assert_int_eq(mst_points_next(r, want, &(double *){x + n}, &got), MST_OK);
        ck_assert_uint_eq(got, want);
    }
    size_t wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += x[i] != 3 * sin(i);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(mst_points_next(r, 1, &x, &got), MST_FORMAT);
    ck_assert_detail("many.csv, row 100001 (line 100002), column 1: nan");
    mst_points_reader_free(r);
    mst_points_reader_free(NULL);
    double *y;
    ck_assert_int_eq(mst_points_read(&y, &n, m, scratch("many.csv"), NULL), MST_FORMAT);
    ck_assert_detail("many.csv, row 100001 (line 100002), column 1: nan");
    free(x);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("points");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_full_rows);
    tcase_add_test(c, test_upper_triangles);
    tcase_add_test(c, test_quaternions);
    tcase_add_test(c, test_degrees);
    tcase_add_test(c, test_latitude_longitude);
    tcase_add_test(c, test_options_that_make_no_sense);
    tcase_add_test(c, test_widths);
    tcase_add_test(c, test_not_finite);
    tcase_add_test(c, test_rows_off_the_manifold);
    tcase_add_test(c, test_onto_the_manifold);
    tcase_add_test(c, test_vectors);
    tcase_add_test(c, test_round_trip);
    tcase_add_test(c, test_encode);
    tcase_add_test(c, test_decode);
    tcase_add_test(c, test_many_rows);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
