/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which of the candidates is the highest, and which are as high. */
#include "stat/distances.h"
#include "stat/mean_search.h"

#include <math.h>

/* The share of the ups and downs on a way by which a score may fail to be a gradient. */
static const double doubtful_share = 0.01;

/* Values of the candidates and what differences of them mean. Without log p only differences are known, from
 * the first one to each of the others; where there is no way to go, nothing is known and
 * they count as the same. */
static mst_status rate(mean_search *s)
{
    const fit_model *m = &s->model.model;
    bool valued = mst_score_gives(m->source, MST_GIVES_LOG_P);
    for (size_t k = 0; k < s->count; k++) {
        mean_candidate *c = &s->candidates[k];
        double variation = 0;
        /* rows have their mean weight for a unit: a factor of all weights makes no ties */
        c->doubt = 1e-9 * fmax(s->total_weight / (double)s->rows.n, fabs(c->outcome.value));
        if (valued || k == 0)
            continue;
        mst_status status =
            fit_difference(m, s->candidates[0].state, c->state, &c->outcome.value, &variation);
        if (status != MST_OK && !distances_are_lost(status))
            return status;
        c->outcome.value = status == MST_OK ? c->outcome.value : 0;
        c->doubt = doubtful_share * variation + (1e-9 + 10 * s->tolerances.error) * s->total_weight;
    }
    return MST_OK;
}

static bool is_settled(const mean_candidate *c)
{
    return fit_has_converged(c->outcome.end) || c->outcome.end == MST_FIT_UNIFORM;
}

/* The higher value first, settled or not: a lower maximum must not hide a higher one that was not reached. */
static bool is_better(const mean_candidate *a, const mean_candidate *b)
{
    double one = a->outcome.value, two = b->outcome.value;
    if (isnan(one) || isnan(two))
        return !isnan(one);
    if (fabs(one - two) > fmax(a->doubt, b->doubt))
        return one > two;
    return is_settled(a) != is_settled(b) ? is_settled(a) : one > two;
}

mst_status mean_rank(mean_search *s)
{
    MST_TRY(rate(s));
    for (size_t i = 1; i < s->count; i++)
        for (size_t k = i; k > 0 && is_better(&s->candidates[k], &s->candidates[k - 1]); k--) {
            mean_candidate kept = s->candidates[k];
            s->candidates[k] = s->candidates[k - 1];
            s->candidates[k - 1] = kept;
        }
    return MST_OK;
}
