/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Files of pictures, and what is refused; tests/cli/plot_part.sh looks into the pictures. */
#include "support/scratch.h"

#include <manistat/plot.h>

static mst_manifold *m;
static const double at[3] = {0, 0, 1};
static const double basis[6] = {1, 0, 0, 0, 1, 0}, covariance[4] = {0.01, 0, 0, 0.02};
static const double x[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static mst_picture_mean mean;

static mst_picture picture(void)
{
    mst_picture p = mst_picture_default();
    mean = (mst_picture_mean){.at = at,
                              .time = 0.3,
                              .weight = 1,
                              .region = MST_REGION_ELLIPSOID,
                              .basis = basis,
                              .covariance = covariance,
                              .radius2 = 6,
                              .confidence = 0.95};
    p.m = m;
    p.n = 3;
    p.x = x;
    p.means = &mean;
    p.mean_count = 1;
    p.title = "Mean <&> \"title\"";
    p.caption = "n = 3.";
    return p;
}

static void setup(void)
{
    scratch_open();
    ASSERT_OK(mst_sphere_new(&m, 2));
}

static void teardown(void)
{
    mst_manifold_free(m);
    scratch_close();
}

/* The same picture is the same file, also the second time in one process, and begins as its format does. */
START_TEST(bytes)
{
    static const char *const begins[] = {"<?xml", "%PDF", "\x89PNG"};
    mst_picture p = picture();
    mst_score *source;
    ASSERT_OK(mst_score_exact_new(&source, m));
    p.source = source;
    for (int format = MST_PLOT_SVG; format <= (int)MST_PLOT_PNG; format++) {
        char *once, *again;
        size_t n, k;
        ASSERT_OK(mst_plot_draw(&once, &n, &p, (mst_plot_format)format, NULL));
        ASSERT_OK(mst_plot_draw(&again, &k, &p, (mst_plot_format)format, NULL));
        ck_assert_uint_eq(n, k);
        ck_assert_mem_eq(once, again, n);
        ck_assert_int_eq(once[n], '\0');
        ck_assert_mem_eq(once, begins[format], 4);
        ck_assert_ptr_null(memmem(once, n, "CreationDate", 12));
        mst_plot_free(once);
        mst_plot_free(again);
    }
    mst_score_free(source);
}
END_TEST

/* Several pictures on one page must not share ids; words that XML would take for its own are escaped. */
START_TEST(svg_text)
{
    mst_picture p = picture();
    mst_plot_options o = mst_plot_options_default();
    char *text;
    size_t n;
    o.id = "one-";
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, &o));
    ck_assert_ptr_nonnull(strstr(text, "<title>Mean &lt;&amp;&gt; \"title\"</title>"));
    ck_assert_ptr_nonnull(strstr(text, "id=\"one-"));
    for (const char *id = text; (id = strstr(id, " id=\"")) != NULL; id += 5)
        ck_assert_mem_eq(id, " id=\"one-", 9);
    for (const char *to = text; (to = strstr(to, "href=\"#")) != NULL; to += 7)
        ck_assert_mem_eq(to, "href=\"#one-", 11);
    mst_plot_free(text);
    o.words = false;
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, &o));
    ck_assert_ptr_null(strstr(text, "glyph"));
    mst_plot_free(text);
}
END_TEST

START_TEST(files)
{
    mst_picture p = picture();
    mst_plot_options o = mst_plot_options_default();
    ASSERT_OK(mst_plot_write(scratch("a.svg"), &p, &o));
    ASSERT_FAILS(MST_IO, mst_plot_write(scratch("a.svg"), &p, &o));
    o.force = true;
    ASSERT_OK(mst_plot_write(scratch("a.svg"), &p, &o));
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_write(scratch("a.jpg"), &p, &o));
    o.kind = "no-such-kind";
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_write(scratch("b.svg"), &p, &o));
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(refused)
{
    mst_picture p = picture();
    mst_plot_options o = mst_plot_options_default();
    char *drawn;
    size_t n, far[3] = {0, 1, 0};
    mst_plot_format format;
    o.width = 10;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &p, MST_PLOT_SVG, &o));
    o = mst_plot_options_default();
    o.resolution = NAN;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &p, MST_PLOT_SVG, &o));
    p.labels = far;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &p, MST_PLOT_SVG, NULL));
    p.labels = NULL;
    p.size = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &p, MST_PLOT_SVG, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_format_of(&format, "svg"));
    ASSERT_OK(mst_plot_format_of(&format, "a.png"));
    ck_assert_int_eq(format, MST_PLOT_PNG);
}
END_TEST

/* Every kind has its words, and one that suits nothing at hand says what there is. */
START_TEST(kinds)
{
    mst_picture p = picture();
    mst_manifold *other;
    ck_assert_str_eq(mst_plot_default_kind(&p), "sphere");
    ASSERT_OK(mst_plot_suits("sphere", &p));
    ck_assert_ptr_null(mst_plot_kind_at(mst_plot_kind_count()));
    for (size_t i = 0; i < mst_plot_kind_count(); i++) {
        const mst_plot_kind *k = mst_plot_kind_at(i);
        ck_assert(*k->name != '\0' && *k->what != '\0' && *k->suits != '\0');
    }
    ASSERT_OK(mst_euclidean_new(&other, 1));
    p.m = other;
    ck_assert_ptr_null(mst_plot_default_kind(&p));
    ASSERT_FAILS(MST_UNABLE, mst_plot_suits("sphere", &p));
    /* all of them, to the last */
    for (size_t i = 0; i < mst_plot_kind_count(); i++)
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), mst_plot_kind_at(i)->name));
    mst_manifold_free(other);
}
END_TEST

/* Panels have letters, titles and one caption; what one says, the next does not say again. */
START_TEST(sheets)
{
    static const char *const wanted[] = {"sphere", NULL, "map"};
    mst_picture p = picture(), q = p;
    const mst_picture *all[27];
    mst_plot_options o = mst_plot_options_default();
    char *text;
    size_t n;
    for (size_t k = 0; k < 27; k++)
        all[k] = k == 1 ? &q : &p;
    q.title = "Second";
    q.caption = "n = 4.";
    o.width = 174;
    o.note = "A note.";
    ASSERT_OK(mst_plot_draw_sheet(&text, &n, 3, all, wanted, MST_PLOT_SVG, &o));
    ck_assert_ptr_nonnull(strstr(text, "<title>Mean &lt;&amp;&gt; \"title\"; Second; Mean"));
    const char *first = strstr(text, "<desc>A note. (a) n = 3. "),
               *second = strstr(text, "(b) n = 4.");
    ck_assert(first != NULL && second > first);
    const char *once = strstr(text, "Lines every 30");
    ck_assert_ptr_nonnull(once);
    ck_assert_ptr_null(strstr(once + 1, "Lines every 30"));
    ck_assert_ptr_nonnull(strstr(text, "(c) Equal Earth projection"));
    mst_plot_free(text);
    o.title = "Whole";
    ASSERT_OK(mst_plot_draw_sheet(&text, &n, 26, all, NULL, MST_PLOT_SVG, &o));
    ck_assert_ptr_nonnull(strstr(text, "<title>Whole</title>"));
    mst_plot_free(text);
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw_sheet(&text, &n, 27, all, NULL, MST_PLOT_SVG, &o));
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw_sheet(&text, &n, 0, all, NULL, MST_PLOT_SVG, &o));
    ASSERT_FAILS(MST_UNABLE, mst_plot_draw_sheet(&text, &n, 1, all, (const char *[]){"rose"},
                                                 MST_PLOT_SVG, &o));
    ck_assert_ptr_null(text);
}
END_TEST

/* Arrows of one scale, those behind left out. */
START_TEST(fields)
{
    static const double where[9] = {0, 0, 1, 0.6, 0, 0.8, 0, 0, -1},
                        vectors[9] = {1, 0, 0, 0, 0.5, 0, 1, 0, 0}, toward[3] = {0, 0.6, 0.8};
    mst_picture p = picture();
    char *text;
    size_t n;
    p.field_count = 3;
    p.field_at = where;
    p.field_vectors = vectors;
    p.field_name = "speed";
    p.centre = toward;
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, NULL));
    ck_assert_ptr_nonnull(strstr(text, "Arrows behind are not drawn."));
    ck_assert_ptr_null(strstr(text, "Seen from"));
    mst_plot_free(text);
    p.m = NULL;
    p.n = 0;
    p.mean_count = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, NULL));
}
END_TEST

static void refuse(const char *text, const char *what)
{
    mst_saved *s;
    ASSERT_FAILS(MST_FORMAT, mst_saved_parse(&s, "test", strlen(text), text, NULL));
    ck_assert_msg(strstr(mst_error_detail(), what) != NULL, "%s is not in: %s", what,
                  mst_error_detail());
    ck_assert_ptr_null(s);
}

#define HEAD "{\"command\":\"mean\",\"manifold\":\"sphere:2\",\"kind\":\"frechet\""

START_TEST(saved)
{
    static const char text[] =
        HEAD ",\"latlon\":true,\"n\":7,\"mean\":[90,0],\"time\":null,\"converged\":true,"
             "\"region_kind\":\"ellipsoid\",\"units\":\"degrees\",\"confidence\":0.9,"
             "\"region_radius2\":4,\"mean_covariance\":[[4,0],[0,4]],"
             "\"basis\":[[1,0,0],[0,1,0]]}";
    mst_saved *s;
    ASSERT_OK(mst_saved_parse(&s, "test", strlen(text), text, NULL));
    const mst_picture *p = mst_saved_picture(s);
    ck_assert_uint_eq(p->mean_count, 1);
    ck_assert_uint_eq(mst_saved_rows(s), 7);
    ck_assert(mst_saved_forms(s).latlon);
    assert_near(p->means[0].at[2], 1, 4 * DBL_EPSILON, "the pole");
    double degree = M_PI / 180;
    assert_near(p->means[0].covariance[3], 4 * degree * degree, 4 * DBL_EPSILON, "degrees");
    ck_assert(isnan(p->means[0].time));
    mst_saved_free(s);
    mst_saved_free(NULL);
}
END_TEST

/* The edge of a region is drawn as it is in the result, without data or source. */
START_TEST(saved_edge)
{
    static const char text[] =
        HEAD ",\"n\":7,\"mean\":[0,0,1],\"time\":null,\"converged\":true,\"confidence\":0.9,"
             "\"region_kind\":\"score\",\"region_boundary\":[{\"points\":[[0.6,0,0.8],[0,0.6,0.8],"
             "[-0.6,0,0.8],[0.6,0,0.8]]},{\"points\":[[1,0,0],[0,1,0],[1,0,0]]}]}";
    mst_saved *s;
    ASSERT_OK(mst_saved_parse(&s, "test", strlen(text), text, NULL));
    const mst_picture *p = mst_saved_picture(s);
    const mst_picture_mean *one = &p->means[0];
    ck_assert_uint_eq(one->boundary_parts, 2);
    ck_assert(one->boundary_end[0] == 4 && one->boundary_end[1] == 7);
    assert_near(one->boundary[3 * 5 + 1], 1, 4 * DBL_EPSILON, "the second curve");
    char *drawn;
    size_t length;
    ASSERT_OK(mst_plot_draw(&drawn, &length, p, MST_PLOT_SVG, NULL));
    ck_assert_ptr_nonnull(strstr(drawn, "The edge of the region is 2 closed lines"));
    mst_plot_free(drawn);
    mst_saved_free(s);
    refuse(HEAD ",\"n\":3,\"mean\":[1,0,0],\"region_kind\":\"score\","
                "\"region_boundary\":[{\"points\":[[1,0,0]]}]}",
           "\"region_boundary\"");
}
END_TEST

START_TEST(saved_refused)
{
    mst_saved *s;
    refuse("[1]", "\"command\"");
    refuse("{\"command\":\"dist\",\"manifold\":\"circle\"}", "dist");
    refuse("{\"command\":\"mean\"}", "\"manifold\"");
    refuse("{\"command\":\"reproduce\"}", "no panel of a figure");
    refuse("{\"command\":\"reproduce\",\"series\":[{\"x\":[1,2],\"y\":[1]}]}",
           "2 numbers \"x\" and 1 \"y\"");
    refuse("{\"command\":\"reproduce\",\"table\":\"timing\",\"rows\":[{\"dim\":2}]}",
           "no run times");
    refuse("{\"command\":\"reproduce\",\"manifold\":\"circle\",\"field\":{\"at\":[[1]],"
           "\"vectors\":[[1],[2]]}}",
           "1 points and 2 numbers");
    refuse(HEAD ",\"n\":3}", "\"mean\"");
    refuse(HEAD ",\"n\":3,\"mean\":[1,0,0],\"version\":\"0.0.1\"}", "0.0.1");
    refuse(HEAD ",\"n\":3,\"mean\":[1,0],\"region_kind\":\"none\"}", "\"mean\"");
    refuse(HEAD ",\"n\":3,\"mean\":[1,0,\"a\"],\"region_kind\":\"none\"}", "\"mean\"");
    refuse(HEAD ",\"n\":3,\"mean\":[1,0,0],\"region_kind\":\"ellipsoid\",\"mean_covariance\":[1]}",
           "\"mean_covariance\"");
    refuse("{\"command\":\"kmeans\",\"manifold\":\"circle\",\"n\":2,\"centres\":[[1]],"
           "\"sizes\":[2],\"labels\":[0,1]}",
           "\"labels\"");
    ASSERT_FAILS(MST_IO, mst_saved_read(&s, scratch("none.json")));
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("plot");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, bytes);
    tcase_add_test(c, svg_text);
    tcase_add_test(c, files);
    tcase_add_test(c, refused);
    tcase_add_test(c, kinds);
    tcase_add_test(c, sheets);
    tcase_add_test(c, fields);
    tcase_add_test(c, saved);
    tcase_add_test(c, saved_edge);
    tcase_add_test(c, saved_refused);
    return run_case("plot", c);
}
