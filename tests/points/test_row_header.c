/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Headers are obeyed in every order of names that are known, and refused where they contradict the order that
 * rows have without a header. */
#include "points/read_text.h"
#include "points/row_header.h"

#include <math.h>

enum { WORDS = 9, WORD = 24, TEXT = 640 };

/* The next of the orders of n numbers, in the order of a dictionary; false behind the last. */
static bool next_order(size_t n, size_t *order)
{
    size_t i = n - 1, j = n - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] <= order[i - 1])
        j--;
    size_t swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (j = n - 1; i < j; i++, j--) {
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return true;
}

/* "b,a\n2,1\n" of the names "a,b" and the numbers 1, 2 in the order 1, 0. */
static void write_table(size_t n, const char *names, const double *row, const size_t *order,
                        char text[TEXT])
{
    char word[WORDS][WORD];
    size_t used = 0;
    for (size_t k = 0; k < n; k++) {
        size_t length = strcspn(names, ",");
        ck_assert_uint_lt(length, WORD);
        memcpy(word[k], names, length);
        word[k][length] = '\0';
        names += length + (names[length] == ',');
    }
    ck_assert_msg(*names == '\0', "more than %zu names", n);
    for (size_t k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, TEXT - used, "%s%s", word[order[k]],
                                 k + 1 < n ? "," : "\n");
    for (size_t k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, TEXT - used, "%.17g%s", row[order[k]],
                                 k + 1 < n ? "," : "\n");
}

/* All orders of six names, by what is known of them alone. */
static void assert_all_headers(mst_header_kind kind, size_t order, const char *const *names)
{
    const char *header[6];
    size_t shuffled[6], columns[6];
    bool told;
    for (size_t k = 0; k < 6; k++)
        shuffled[k] = k;
    do {
        for (size_t k = 0; k < 6; k++)
            header[k] = names[shuffled[k]];
        mst_header h = {kind, "t.csv", 6, header, order};
        ASSERT_OK(mst_header_order(&h, columns, &told));
        ck_assert(told);
        for (size_t k = 0; k < 6; k++)
            ck_assert_uint_eq(shuffled[columns[k]], k);
    } while (next_order(6, shuffled));
}

/* Every `step`-th order of the columns gives the point that the first gives without a header. */
static void assert_all_orders(const char *spec, mst_points_options options, size_t n,
                              const char *names, const double *row, size_t step)
{
    size_t order[WORDS], rows, D, tried = 0;
    double expected[64], x[64];
    char text[TEXT], *line;
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    D = mst_manifold_ambient(m);
    mst_manifold_free(m);
    for (size_t k = 0; k < n; k++)
        order[k] = k;
    write_table(n, names, row, order, text);
    line = strchr(text, '\n') + 1;
    ASSERT_OK(read_text(spec, line, options, expected, &rows));
    for (bool more = true; more; tried++) {
        write_table(n, names, row, order, text);
        ck_assert_msg(read_text(spec, text, options, x, &rows) == MST_OK, "%s: %s", text,
                      mst_error_detail());
        for (size_t k = 0; k < D; k++)
            ck_assert_msg(x[k] == expected[k], "%s: coordinate %zu is %g, not %g", text, k, x[k],
                          expected[k]);
        for (size_t s = 0; s < step && more; s++)
            more = next_order(n, order);
    }
    ck_assert_uint_gt(tried, 1);
}

static void assert_refused(const char *spec, mst_points_options options, const char *text,
                           const char *why)
{
    double x[64];
    size_t n;
    ck_assert_msg(read_text(spec, text, options, x, &n) == MST_FORMAT, "%s", text);
    ck_assert_msg(strstr(mst_error_detail(), "t.csv: the columns are named ") != NULL, "%s: %s",
                  text, mst_error_detail());
    ck_assert_msg(strstr(mst_error_detail(), why) != NULL, "%s: %s", text, mst_error_detail());
}

START_TEST(quaternions)
{
    static const char *const names[] = {
        "w,x,y,z",
        "qw,qx,qy,qz",
        "q_w,q_x,q_y,q_z",
        "QW,QX,QY,QZ",
        "q0,q1,q2,q3",
        "q_0,q_1,q_2,q_3",
        "qr,qi,qj,qk",
        "real,i,j,k",
        "scalar,x,y,z",
        "w1,x1,y1,z1",
        "quat.w,quat.x,quat.y,quat.z",
        "rotW,rotX,rotY,rotZ",
        "w,qx,qy,qz",
        "start_qw,start_qx,start_qy,start_qz",
    };
    const double row[] = {0.1, 0.3, 0.5, sqrt(0.65)};
    mst_points_options o = mst_points_options_default();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_all_orders("so3", o, 4, names[i], row, 1);
    const char *why = "quaternions are w, x, y, z, or any order of these names";
    assert_refused("so3", o, "x,y,z,foo\n0,0,0,1\n", why);
    assert_refused("so3", o, "qx,qy,qz,qz\n0,0,0,1\n", why);
    assert_refused("so3", o, "a,b,c,w\n0,0,0,1\n", why);
    assert_refused("so3", o, "q1,q2,q3,q4\n0,0,0,1\n", "whether the real part is the first");
    /* Other names, and numbers that only count, tell nothing. */
    double x[9];
    size_t n;
    static const char *const neutral[] = {"a,b,c,d", "x_1,x_2,x_3,x_4", "w,b,c,d"};
    for (size_t i = 0; i < 3; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s\n0,0,0,1\n", neutral[i]);
        ASSERT_OK(read_text("so3", text, o, x, &n));
        ck_assert(x[0] == -1 && x[4] == -1 && x[8] == 1);
    }
}
END_TEST

START_TEST(rotations)
{
    /* The cyclic permutation of the axes, turned by 0.3 about z. */
    const double c = cos(0.3), s = sin(0.3);
    const double row[] = {0, -s, c, 0, c, s, -1, 0, 0};
    mst_points_options o = mst_points_options_default();
    static const char *const names[] = {
        "r11,r12,r13,r21,r22,r23,r31,r32,r33",
        "m_0_0,m_0_1,m_0_2,m_1_0,m_1_1,m_1_2,m_2_0,m_2_1,m_2_2",
        "Rxx,Rxy,Rxz,Ryx,Ryy,Ryz,Rzx,Rzy,Rzz",
        "x_1,x_2,x_3,x_4,x_5,x_6,x_7,x_8,x_9",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_all_orders("so3", o, 9, names[i], row, 9973);
    /* By columns. */
    double x[9], y[9];
    size_t n;
    ASSERT_OK(
        read_text("so3", "r11,r21,r31,r12,r22,r32,r13,r23,r33\n0,0,1,1,0,0,0,1,0\n", o, x, &n));
    ASSERT_OK(read_text("so3", "0,1,0,0,0,1,1,0,0\n", o, y, &n));
    ck_assert(memcmp(x, y, sizeof x) == 0);
    assert_refused("so3", o, "xx,xy,xz,yx,yy,yz,zx,zz,zz\n1,0,0,0,1,0,0,0,1\n",
                   "not the entries of a matrix");
}
END_TEST

START_TEST(symmetric_matrices)
{
    const double full[] = {1, 2, 3, 2, 5, 6, 3, 6, 9}, upper[] = {1, 2, 3, 5, 6, 9};
    mst_points_options o = mst_points_options_default();
    assert_all_orders("sym:3", o, 6, "xx,xy,xz,yy,yz,zz", upper, 7);
    assert_all_orders("sym:3", o, 6, "a22,a23,a24,a33,a34,a44", upper, 7);
    assert_all_orders("sym:3", o, 6, "x_8_8,x_8_9,x_8_10,x_9_9,x_9_10,x_10_10", upper, 7);
    assert_all_orders("sym:3", o, 9, "a11,a12,a13,a21,a22,a23,a31,a32,a33", full, 9973);
    const char *why = "not the entries of a matrix";
    assert_refused("sym:3", o, "xx,xy,xy,yy,yz,zz\n1,2,3,5,6,9\n", why);
    assert_refused("sym:3", o, "xx,yy,zz,xy,xz,foo\n1,2,3,5,6,9\n", why);
    assert_refused("sym:3", o, "a11,a21,a22,a31,a32,a32\n1,2,3,5,6,9\n", why);
    /* Columns that are counted from 11 on, and hours. */
    double x[9];
    size_t n;
    ASSERT_OK(read_text("sym:3", "c11,c12,c13,c14,c15,c16\n1,2,3,5,6,9\n", o, x, &n));
    ck_assert(x[2] == 3 && x[4] == 5);
    ASSERT_OK(read_text("sym:3", "h10,h12,h14,h16,h18,h20\n1,2,3,5,6,9\n", o, x, &n));
    ck_assert(x[2] == 3 && x[4] == 5);
}
END_TEST

START_TEST(unit_vectors)
{
    static const char *const names[] = {
        "x,y,z",    "nx,ny,nz",    "dir_x,dir_y,dir_z", "magx,magy,magz", "x_end,y_end,z_end",
        "x1,x2,x3", "X_0,X_1,X_2",
    };
    const double row[] = {0.48, 0.6, 0.64}, flat[] = {0.6, 0.8};
    const double far[] = {3, 2, 2}, four[] = {0.5, -0.5, 0.1, 0.7};
    mst_points_options o = mst_points_options_default();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_all_orders("sphere:2", o, 3, names[i], row, 1);
    assert_all_orders("sphere:1", o, 2, "x,y", flat, 1);
    assert_all_orders("hyperbolic:2", o, 3, "x0,x1,x2", far, 1);
    assert_all_orders("sphere:3", o, 4, "v_1,v_2,v_3,v_4", four, 1);
    const char *why = "rows are x, y, z, or any order of these names";
    assert_refused("sphere:2", o, "y,x,other\n0,0,1\n", why);
    assert_refused("sphere:2", o, "x,y,y\n0,0,1\n", why);
    /* Coordinates of flat spaces have no order of their own. */
    double x[4];
    size_t n;
    ASSERT_OK(read_text("euclidean:3", "z,y,x\n1,2,3\n", o, x, &n));
    ck_assert(x[0] == 1 && x[2] == 3);
    ASSERT_OK(read_text("sphere:2", "PC2,PC3,PC5\n0,0,1\n", o, x, &n));
    ck_assert(x[2] == 1);
    /* The factors of a product, each by its own names. */
    ASSERT_OK(read_text("product(sphere:2,euclidean:1)", "z,x,y,height\n1,0,0,7\n", o, x, &n));
    ck_assert(x[0] == 0 && x[1] == 0 && x[2] == 1);
}
END_TEST

START_TEST(landmarks)
{
    const double row[] = {0, 0.5, 4, 1, 3, 7}, space[] = {0, 0, 1, 4, 1, 0, 3, 7, 2};
    mst_points_options o = mst_points_options_default();
    assert_all_orders("landmarks:3x2", o, 6, "x1,y1,x2,y2,x3,y3", row, 7);
    assert_all_orders("size-and-shape:3x2", o, 6, "lm0_x,lm0_y,lm1_x,lm1_y,lm2_x,lm2_y", row, 7);
    assert_all_orders("landmarks:3x3", o, 9, "X1,Y1,Z1,X2,Y2,Z2,X3,Y3,Z3", space, 9973);
    const char *why = "of each landmark have to stand together";
    assert_refused("landmarks:2x2", o, "nose_x,ear_x,nose_y,ear_y\n0,1,2,3\n", why);
    assert_refused("landmarks:2x2", o, "x1,x1,y1,y2\n0,1,2,3\n", why);
    double x[6];
    size_t n;
    ASSERT_OK(read_text("landmarks:2x2", "nose_x,nose_y,ear_x,ear_y\n0,1,2,3\n", o, x, &n));
    ck_assert(x[1] == 1 && x[2] == 2);
    ASSERT_OK(read_text("landmarks:2x2", "x_1,x_2,x_3,x_4\n0,1,2,3\n", o, x, &n));
    ck_assert(x[1] == 1 && x[2] == 2);
    /* As read for an alignment, which learns from the names how many coordinates a landmark has. */
    mst_landmarks *l;
    const double first[] = {1, 4, 2, 5, 3, 6};
    ASSERT_OK(
        mst_landmarks_read(&l, scratch_text("t.csv", "x1,x2,x3,y1,y2,y3\n1,2,3,4,5,6\n"), NULL));
    ck_assert_uint_eq(l->dim, 2);
    ck_assert(memcmp(l->x, first, sizeof first) == 0);
    mst_landmarks_free(l);
    ck_assert_int_eq(
        mst_landmarks_read(&l, scratch_text("t.csv", "nose_x,ear_x,nose_y,ear_y\n0,1,2,3\n"), NULL),
        MST_FORMAT);
}
END_TEST

START_TEST(angles)
{
    /* The first column is the longitude, or the latitude. */
    static const struct {
        const char *names;
        bool longitude_first, direction;
    } known[] = {
        {"lon,lat", true, false},
        {"Longitude,Latitude", true, false},
        {"lng,lat", true, false},
        {"place_lon,place_lat", true, false},
        {"LON_deg,LAT_deg", true, false},
        {"decimalLongitude,decimalLatitude", true, false},
        {"decimallongitude,decimallatitude", true, false},
        {"glon,glat", true, false},
        {"l,b", true, false},
        {"ra,dec", true, false},
        {"lambda,phi", true, false},
        {"dec,inc", true, true},
        {"Declination,Inclination", true, true},
        {"trend,plunge", true, true},
        {"azimuth,dip", true, true},
        {"az,el", true, true},
        {"azimuth,altitude", true, true},
        {"lat,lon", false, false},
        {"latitude,longitude", false, false},
        {"decimalLatitude,decimalLongitude", false, false},
        {"inc,dec", false, true},
        {"plunge,trend", false, true},
        {"dec,ra", false, false},
        {"phi,lambda", false, false},
        {"a,b", false, false},
        {"lat,x2", false, false},
        {"salon,flat", false, false},
    };
    static const struct {
        const char *names, *why;
    } refused[] = {
        {"lon,foo", "latitude comes first, unless"},
        {"foo,lat", "latitude comes first, unless"},
        {"lon,lon", "latitude comes first, unless"},
        {"lat,lat", "latitude comes first, unless"},
        {"dec,foo", "latitude comes first, unless"},
        {"strike,dip", "trend = strike - 90"},
        {"dip,dipdir", "trend = strike - 90"},
        {"dip_direction,dip", "trend = strike - 90"},
        {"dip,dip azimuth", "trend = strike - 90"},
        {"theta,phi", "does not say which is the latitude"},
        {"x,y", "does not say which is the latitude"},
        {"colatitude,longitude", "90 minus it"},
        {"easting,northing", "convert them"},
    };
    mst_points_options o = mst_points_options_default();
    o.latlon = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[80];
        double x[3];
        size_t n;
        bool first = known[i].longitude_first;
        snprintf(text, sizeof text, "%s\n90,0\n", known[i].names);
        ASSERT_OK(read_text("sphere:2", text, o, x, &n));
        ck_assert_msg(report.longitude_first == first, "%s", text);
        ck_assert_msg(report.directions == known[i].direction, "%s", text);
        ck_assert_msg(x[1] == (first ? 1 : 0) && x[2] == (first ? 0 : 1), "%s", text);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s\n10,20\n", refused[i].names);
        assert_refused("sphere:2", o, text, refused[i].why);
    }
}
END_TEST

START_TEST(every_order)
{
    assert_all_headers(MST_HEADER_LANDMARKS, 2,
                       (const char *[]){"x1", "y1", "x2", "y2", "x3", "y3"});
    assert_all_headers(MST_HEADER_LANDMARKS, 3,
                       (const char *[]){"a_x_0", "a_y_0", "a_z_0", "a_x_1", "a_y_1", "a_z_1"});
    assert_all_headers(MST_HEADER_TRIANGLE, 3,
                       (const char *[]){"Dxx", "Dxy", "Dxz", "Dyy", "Dyz", "Dzz"});
    assert_all_headers(MST_HEADER_TRIANGLE, 3,
                       (const char *[]){"a11", "a12", "a13", "a22", "a23", "a33"});
    assert_all_headers(MST_HEADER_NUMBERED, 0,
                       (const char *[]){"x0", "x1", "x2", "x3", "x4", "x5"});
}
END_TEST

/* Each point and vector of a row is named by itself. */
START_TEST(parts_of_a_row)
{
    mst_manifold *m;
    mst_points_reader *r;
    double x[3], y[3];
    size_t got;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    const char *path = scratch_text("t.csv", "x1,y1,z1,z2,y2,x2\n0,0,1,0,0,1\n");
    ASSERT_OK(mst_points_open(&r, m, "pp", path, NULL));
    ASSERT_OK(mst_points_next(r, 1, (double *[]){x, y}, &got));
    ck_assert(x[2] == 1 && y[0] == 1 && y[2] == 0);
    mst_points_reader_free(r);
    path = scratch_text("t.csv", "x1,x2,y1,y2,z1,z2\n0,0,1,0,0,1\n");
    ck_assert_int_eq(mst_points_open(&r, m, "pp", path, NULL), MST_FORMAT);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, quaternions);
    tcase_add_test(c, rotations);
    tcase_add_test(c, symmetric_matrices);
    tcase_add_test(c, unit_vectors);
    tcase_add_test(c, landmarks);
    tcase_add_test(c, angles);
    tcase_add_test(c, every_order);
    tcase_add_test(c, parts_of_a_row);
    return run_case("headers of rows", c);
}
