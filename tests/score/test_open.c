/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sources by name: what a text opens, and what is said of texts that open nothing. */
#include "support/score_support.h"
#include "support/scratch.h"

static mst_score *open_text(const char *text, const mst_manifold *m)
{
    mst_score *s;
    mst_status status = mst_score_open(&s, text, m);
    ck_assert_msg(status == MST_OK, "%s: %s", text, mst_error_detail());
    return s;
}

static void refuses(mst_status expected, const char *text, const mst_manifold *m,
                    const char *detail)
{
    mst_score *s = (mst_score *)&s;
    mst_status status = mst_score_open(&s, text, m);
    ck_assert_msg(status == expected && s == NULL, "%s: %d", text, (int)status);
    ck_assert_detail(detail);
}

START_TEST(names)
{
    mst_manifold *m = open_manifold("sphere:2"), *spd = open_manifold("spd:3");
    mst_score *exact = open_text("exact", m), *log = open_text("log", spd);
    ck_assert_str_eq(mst_score_name(exact), "exact");
    ck_assert_str_eq(mst_score_name(log), "log");
    ck_assert(mst_score_manifold(log) == spd && mst_score_network(log) == NULL);
    ck_assert(mst_score_limit_time(log) == 0);
    mst_score_free(exact);
    mst_score_free(log);
    ck_assert(mst_score_is_name("exact") && mst_score_is_name("log?t=1"));
    ck_assert(!mst_score_is_name("exac") && !mst_score_is_name("exact2"));
    ck_assert(!mst_score_is_name("model?exact") && !mst_score_is_name(""));
    refuses(MST_UNABLE, "exact", spd, "closed-form");
    refuses(MST_ARGUMENT, "exact", NULL, "'exact' needs a manifold");
    refuses(MST_ARGUMENT, "log?t=1", m, "'t' is no option of the score source 'log'; it has none");
    refuses(MST_ARGUMENT, "log?t", m, "'t' in 'log?t' is not of the form option=value");
    refuses(MST_ARGUMENT, "exakt", m,
            "'exakt' is neither a score source (exact, log, expansion, bridge, pde, spectral) nor "
            "a file");
    refuses(MST_ARGUMENT, "", m, "'' is neither");
    refuses(MST_ARGUMENT, "?", m, "'' is neither");
    mst_manifold_free(m);
    mst_manifold_free(spd);
}
END_TEST

/* Bridges, their options, and that the source says what they say. */
START_TEST(bridges)
{
    mst_manifold *m = open_manifold("product(sphere:2,hyperbolic:2)");
    mst_score *s = open_text("bridge?paths=50&steps=12&seed=9&guide=smooth", m), *own, *factor;
    const mst_bridge_options *o = mst_score_bridge(s);
    ck_assert(o != NULL && o->paths == 50 && o->steps == 12 && o->seed == 9);
    ck_assert(o->guide == MST_GUIDE_SMOOTH && mst_score_describe(s)->noise > 0);
    ck_assert(mst_score_gives(s, MST_GIVES_LOG_P | MST_GIVES_TIME));
    ASSERT_OK(mst_score_bridge_new(&own, m, o));
    const double x[] = {0, 0, 1, 1, 0, 0}, y[] = {0, 1, 0, sqrt(2), 1, 0}, t = 0.4;
    double log_p[2], dt[2], score[2][6], part, sum = 0;
    for (int k = 0; k < 2; k++)
        ASSERT_OK(mst_score_evaluate_rows(
            k == 0 ? s : own, 1, x, y, &t,
            &(mst_heat_values){.log_p = &log_p[k], .dt_log_p = &dt[k], .score = score[k]}));
    ck_assert(log_p[0] == log_p[1] && dt[0] == dt[1]);
    ck_assert_mem_eq(score[0], score[1], sizeof score[0]);
    for (size_t f = 0; f < 2; f++) { /* other random numbers, the same kernel */
        ASSERT_OK(mst_score_factor(&factor, s, f));
        ASSERT_OK(mst_score_evaluate_rows(factor, 1, x + 3 * f, y + 3 * f, &t,
                                          &(mst_heat_values){.log_p = &part}));
        sum += part;
        mst_score_free(factor);
    }
    assert_near(sum, log_p[0], 0.3, "the sum of the factors");
    mst_score_free(own);
    mst_score_free(s);
    refuses(MST_ARGUMENT, "bridge?paths=1", m, "`paths` must be");
    refuses(MST_ARGUMENT, "bridge?paths=0", m, "`paths` must be");
    s = open_text("bridge", m); /* left open: 200 for everything but means */
    ck_assert_uint_eq(mst_score_bridge(s)->paths, 200);
    mst_score_free(s);
    refuses(MST_ARGUMENT, "bridge?steps=1.5", m, "the option steps is a whole number");
    refuses(MST_ARGUMENT, "bridge?guide=dog", m, "the option guide is");
    refuses(MST_ARGUMENT, "bridge", NULL, "'bridge' needs a manifold");
    s = open_text("exact", m);
    ck_assert(mst_score_bridge(s) == NULL);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

/* The source owns the network, and the network the manifold. */
START_TEST(models)
{
    scratch_open();
    mst_manifold *m = open_manifold("sphere:2"), *other = open_manifold("sphere:3");
    mst_network *net = random_network(m, (network_design){0}, 7);
    /* A question mark is a good character of a file's name. */
    static const char *const files[] = {"model", "model?t=1"};
    for (size_t f = 0; f < 2; f++) {
        char path[400], text[500];
        snprintf(path, sizeof path, "%s", scratch(files[f]));
        ASSERT_OK(mst_network_write(net, path, false));
        double x[] = {1, 0, 0}, y[] = {0, 0.6, 0.8}, t = 3, want[3], got[3];
        mst_score *borrowing, *s = open_text(path, NULL);
        ck_assert_str_eq(mst_manifold_spec(mst_score_manifold(s)), "sphere:2");
        ck_assert(mst_score_network(s) != NULL && mst_score_limit_time(s) == 0);
        ck_assert(mst_score_describe(s)->t_least == 0.01 && mst_score_describe(s)->t_largest == 2);
        ASSERT_FAILS(MST_DOMAIN,
                     mst_score_evaluate_rows(s, 1, x, y, &t, &(mst_heat_values){.score = got}));
        mst_score_free(s);

        snprintf(text, sizeof text, "%s?beyond=yes", path);
        s = open_text(text, m);
        ck_assert(mst_score_manifold(s) == m && isinf(mst_score_describe(s)->t_largest));
        ASSERT_OK(mst_score_network_new(&borrowing, net, true));
        ASSERT_OK(mst_score_evaluate_rows(s, 1, x, y, &t, &(mst_heat_values){.score = got}));
        ASSERT_OK(
            mst_score_evaluate_rows(borrowing, 1, x, y, &t, &(mst_heat_values){.score = want}));
        ck_assert_mem_eq(got, want, sizeof got);
        mst_score_free(s);
        mst_score_free(borrowing);

        static const char *const limits[] = {"t=least", "t=0.05&beyond=no", "beyond=yes&t=5e-2"};
        for (size_t k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "%s?%s", path, limits[k]);
            s = open_text(text, NULL);
            ck_assert(!mst_score_gives(s, MST_GIVES_TIME) && mst_score_network(s) != NULL);
            ck_assert(mst_score_limit_time(s) == (k == 0 ? 0.01 : 0.05));
            ASSERT_OK(mst_score_network_log_new(&borrowing, net, k == 0 ? 0 : 0.05));
            ck_assert(mst_score_network(borrowing) == net);
            ASSERT_OK(mst_score_evaluate_rows(s, 1, x, y, NULL, &(mst_heat_values){.score = got}));
            ASSERT_OK(mst_score_evaluate_rows(borrowing, 1, x, y, NULL,
                                              &(mst_heat_values){.score = want}));
            ck_assert_mem_eq(got, want, sizeof got);
            mst_score_free(s);
            mst_score_free(borrowing);
        }
        static const struct {
            mst_status status;
            const char *options, *detail;
        } wrong[] = {
            {MST_ARGUMENT, "paths=3", "'paths' is no option of the score source"},
            {MST_ARGUMENT, "paths=3", "; it has beyond, t"},
            {MST_ARGUMENT, "alone=maybe", "alone is 'yes' or 'no', not 'maybe'"},
            {MST_ARGUMENT, "t", "t is 'least' or a time > 0, not ''"},
            {MST_ARGUMENT, "beyond=maybe", "beyond is 'yes' or 'no', not 'maybe'"},
            {MST_ARGUMENT, "t=soon", "t is 'least' or a time > 0, not 'soon'"},
            {MST_ARGUMENT, "t=-1", "t is 'least' or a time > 0, not '-1'"},
            {MST_DOMAIN, "t=5", "outside 0.01"},
        };
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            snprintf(text, sizeof text, "%s?%s", path, wrong[k].options);
            refuses(wrong[k].status, text, NULL, wrong[k].detail);
        }
        refuses(MST_ARGUMENT, path, other, "a model for sphere:2, not for sphere:3");
    }
    refuses(MST_FORMAT, scratch_text("table.csv", "1,2,3\n"), NULL, "table.csv");
    mst_network_free(net);
    mst_manifold_free(m);
    mst_manifold_free(other);
    scratch_close();
}
END_TEST

int main(void)
{
    return RUN_SUITE("open", 60, {names, 0}, {bridges, 0}, {models, 0});
}
