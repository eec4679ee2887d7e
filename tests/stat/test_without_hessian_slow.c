/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often regions of means hold the truth where second derivatives are differences of scores: of simulated
 * bridges, and of scores that are rounded to floats without log p. */
#include "stat/hidden_source.h"
#include "support/rates.h"

enum { ROWS = 30 };

typedef struct law {
    const setting *s;
    bool elongated, bridges;
    mst_covariance_kind covariance;
} law;

static double *rows_of(const law *l, size_t set)
{
    if (l->elongated)
        return elongated(l->s, ROWS, 1000 + set);
    return draw(l->s, ROWS, NULL, 0.2, 1000 + set);
}

static mst_score *source_of(const law *l, size_t set, hidden *h)
{
    mst_bridge_options b = mst_bridge_options_default();
    mst_score *source;
    if (!l->bridges) {
        *h = (hidden){l->s->exact, true};
        return hide(h);
    }
    b.steps = 16;
    b.seed = 77 + set;
    ASSERT_OK(mst_score_bridge_new(&source, l->s->m, &b));
    return source;
}

/* Both laws are symmetric about the default start, which is the mean. */
static outcome one_set(const void *context, size_t set)
{
    const law *l = context;
    double *x = rows_of(l, set), *start = doubles(l->s->D);
    hidden h;
    mst_score *source = source_of(l, set, &h);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = NULL;
    outcome out = {0};
    o.threads = 1;
    o.starts = 1;
    o.covariance = l->covariance;
    mst_manifold_start(l->s->m, start);
    if (mst_mean_fit(&r, source, ROWS, x, &o) == MST_OK && r->region_kind != MST_REGION_NONE) {
        out.answered = true;
        out.flagged = (r->notes & (MST_NOTE_MODEL | MST_NOTE_SIMULATION)) != 0;
        ASSERT_OK(mst_mean_region_holds(&out.hit, r, source, ROWS, x, &o, start));
    }
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x), free(start);
    return out;
}

START_TEST(regions_hold_the_mean)
{
    static const struct {
        const char *name;
        bool elongated, bridges;
        mst_covariance_kind covariance;
    } cases[] = {
        {"bridges, Brownian rows, observed", false, true, MST_COVARIANCE_OBSERVED},
        {"bridges, elongated rows, sandwich", true, true, MST_COVARIANCE_SANDWICH},
        {"bridges, elongated rows, observed", true, true, MST_COVARIANCE_OBSERVED},
        {"rounded, Brownian rows, observed", false, false, MST_COVARIANCE_OBSERVED},
        {"rounded, elongated rows, sandwich", true, false, MST_COVARIANCE_SANDWICH},
    };
    setting s = setting_open("sphere:2");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        law l = {&s, cases[k].elongated, cases[k].bridges, cases[k].covariance};
        (cases[k].elongated ? assert_coverage : assert_coverage_of_model)(cases[k].name,
                                                                          simulate(one_set, &l));
    }
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("without_hessian, coverage", 1700, {regions_hold_the_mean, 0});
}
