/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges as a judge: sources that are wrong by a known share, and what the certificate says of them. */
#include "support/score_support.h"

#include <manistat/check.h>

/* The exact kernel with its score and time derivative too long by shares. */
typedef struct lengthened {
    mst_score *exact;
    double score, time;
} lengthened;

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    const lengthened *l = mst_score_data(s);
    mst_status status = mst_score_evaluate(l->exact, pairs, out);
    size_t D = mst_manifold_ambient(mst_score_manifold(s));
    for (size_t k = 0; out->score != NULL && k < pairs->n * D; k++)
        out->score[k] *= 1 + l->score;
    for (size_t k = 0; out->dt_log_p != NULL && k < pairs->n; k++)
        out->dt_log_p[k] *= 1 + l->time;
    return status;
}

static void describe(const mst_score *s, mst_score_info *info)
{
    (void)s;
    info->gives = MST_GIVES_TIME;
}

static const mst_score_ops lengthened_ops = {.size = sizeof lengthened_ops,
                                             .name = "lengthened",
                                             .describe = describe,
                                             .evaluate = evaluate};

static mst_certificate judge(const char *spec, const char *against, double score, double time)
{
    mst_manifold *m = open_manifold(spec);
    mst_score *subject, *reference;
    lengthened l = {.score = score, .time = time};
    mst_certificate c;
    ASSERT_OK(mst_score_exact_new(&l.exact, m));
    ASSERT_OK(mst_score_new(&subject, &lengthened_ops, m, &l));
    ASSERT_OK(mst_score_open(&reference, against, m));
    mst_check_options o = mst_check_options_default();
    o.samples = 2048;
    o.recover = false;
    o.t_min = 0.1;
    o.t_max = 0.4;
    ASSERT_OK(mst_score_check(&c, subject, reference, &o));
    mst_score_free(reference);
    mst_score_free(subject);
    mst_score_free(l.exact);
    mst_manifold_free(m);
    return c;
}

static const char *const specs[] = {"sphere:2", "spd:2", "sphere:5"};
enum { SPECS = sizeof specs / sizeof *specs };

/* What is too long by a tenth is told within four standard errors, which are small against it. */
START_TEST(known_errors)
{
    mst_certificate c = judge(specs[_i], "bridge?paths=8&steps=16", 0.1, 0.2);
    ck_assert_str_eq(c.against, "bridge");
    for (size_t k = 0; k <= c.bands; k++) {
        const mst_check_band *b = k < c.bands ? &c.band[k] : &c.all;
        assert_near(b->score_error, 0.1, 4 * b->score_error_se, "%s, band %zu: score", specs[_i],
                    k);
        assert_near(b->time_error, 0.2, 4 * b->time_error_se, "%s, band %zu: time", specs[_i], k);
        ck_assert_msg(b->score_error_se < 0.03, "%s: %g", specs[_i], b->score_error_se);
        ck_assert(b->score_bound > b->score_error && b->score_bound < 0.25);
        ck_assert(!b->usable);
    }
}
END_TEST

/* A perfect source has an error of nothing but chance: far below the noise of targets and bridges, which is a
 * few tenths. */
START_TEST(no_errors)
{
    mst_certificate c = judge(specs[_i], "bridge?paths=8&steps=16", 0, 0);
    const mst_check_band *b = &c.all;
    ck_assert_msg(b->score_error < 3 * b->score_error_se + 1e-9, "%s: %g", specs[_i],
                  b->score_error);
    ck_assert_msg(b->score_bound < 0.05, "%s: %g", specs[_i], b->score_bound);
    ck_assert_msg(b->fault == NULL || strcmp(b->fault, "heat_residual") == 0, "%s: %s", specs[_i],
                  b->fault);
}
END_TEST

/* Many paths are halves that judge against each other, without the noise of the targets. 512 pairs tell an
 * error of 1 % to a quarter of itself, and the bound is near it; the targets tell it to two thirds. */
START_TEST(many_paths_tell_small_errors)
{
    mst_certificate c = judge(specs[_i], "bridge?paths=64&steps=16", 0.01, 0.1);
    const mst_check_band *b = &c.all;
    assert_near(b->score_error, 0.01, 4 * b->score_error_se, "%s: score", specs[_i]);
    assert_near(b->time_error, 0.1, 4 * b->time_error_se, "%s: time", specs[_i]);
    ck_assert_msg(b->score_error_se < 0.003, "%s: %g", specs[_i], b->score_error_se);
    ck_assert_msg(b->score_bound < 0.014, "%s: %g", specs[_i], b->score_bound);
}
END_TEST

/* The numbers survive the text of a certificate; other references have no standard errors. */
START_TEST(texts)
{
    mst_certificate c = judge("sphere:2", "bridge?paths=4&steps=8", 0.1, 0), back;
    char *text;
    ASSERT_OK(mst_certificate_json(&text, &c));
    ASSERT_OK(mst_certificate_parse(&back, text));
    free(text);
    ck_assert(back.all.score_bound == c.all.score_bound);
    ck_assert(back.all.score_error_se == c.all.score_error_se);
    c = judge("sphere:2", "exact", 0.1, 0);
    ck_assert(isnan(c.all.score_bound) && isnan(c.all.score_error_se));
    assert_near(c.all.score_error, 0.1, 1e-9, "against the closed form");
    /* The expansion errs itself, by less than it says, and knows where it does not know. */
    c = judge("sphere:2", "expansion", 0.1, 0);
    assert_near(c.all.score_error, 0.1, 0.02, "against the expansion");
}
END_TEST

int main(void)
{
    return RUN_SUITE("judge", 120, {known_errors, SPECS}, {no_errors, SPECS},
                     {many_paths_tell_small_errors, SPECS}, {texts, 0});
}
