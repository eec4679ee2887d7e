/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/score_internal.h"

#include "base/internal.h"

#include <math.h>
#include <string.h>

struct mst_score {
    mst_score_ops ops;
    mst_score_info info;
    const mst_manifold *m;
    void *data;
};

/* The caller's table may be shorter than ours, or longer. */
static mst_status copy_table(mst_score_ops *to, const mst_score_ops *from)
{
    memset(to, 0, sizeof *to);
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    if (to->size == 0)
        return mst_fail(MST_ARGUMENT, "the table of a score source must say its size: "
                                      ".size = sizeof(mst_score_ops)");
    if (to->name == NULL || to->evaluate == NULL)
        return mst_fail(MST_ARGUMENT, "a score source needs a name and a function `evaluate`");
    return MST_OK;
}

mst_status mst_score_new(mst_score **out, const mst_score_ops *ops, const mst_manifold *m,
                         void *data)
{
    mst_score_ops table;
    *out = NULL;
    mst_status status = copy_table(&table, ops);
    if (status == MST_OK)
        status = mst_allocate(out, 1);
    if (status != MST_OK) {
        if (table.free_data != NULL)
            table.free_data(data);
        return status;
    }
    mst_score *s = *out;
    *s = (mst_score){table,
                     {.t_largest = INFINITY,
                      .cost = 0.1,
                      .beyond = "beyond the validity of the source",
                      .none = "no answer"},
                     m,
                     data};
    if (table.describe != NULL)
        table.describe(s, &s->info);
    if (table.validity != NULL)
        s->info.gives |= MST_GIVES_VALIDITY;
    return MST_OK;
}

void mst_score_free(mst_score *s)
{
    if (s != NULL && s->ops.free_data != NULL)
        s->ops.free_data(s->data);
    mst_release(s);
}

const char *mst_score_name(const mst_score *s)
{
    return s->ops.name;
}

const mst_manifold *mst_score_manifold(const mst_score *s)
{
    return s->m;
}

void *mst_score_data(const mst_score *s)
{
    return s->data;
}

const mst_score_info *mst_score_describe(const mst_score *s)
{
    return &s->info;
}

bool score_is(const mst_score *s, const mst_score_ops *ops)
{
    return s->ops.evaluate == ops->evaluate;
}

bool score_solves(const mst_score *s)
{
    return s->ops.prepare != NULL;
}

bool mst_score_gives(const mst_score *s, unsigned what)
{
    return (s->info.gives & what) == what;
}

mst_status mst_score_factor(mst_score **out, const mst_score *s, size_t i)
{
    *out = NULL;
    if (s->ops.factor == NULL)
        return mst_fail(MST_UNABLE, "the source \"%s\" knows %s as a whole and not its factors",
                        s->ops.name, mst_manifold_spec(s->m));
    if (i >= mst_manifold_factor_count(s->m))
        return mst_fail(MST_ARGUMENT, "%s has no factor %zu", mst_manifold_spec(s->m), i);
    return s->ops.factor(s, i, out);
}

mst_status mst_score_remember(mst_score **out, const mst_score *s, size_t rows)
{
    *out = NULL;
    return s->ops.remember != NULL ? s->ops.remember(s, rows, out) : MST_OK;
}

mst_status mst_score_prepare(const mst_score *s, size_t n, const double *x)
{
    return n > 0 && s->ops.prepare != NULL ? s->ops.prepare(s, n, x) : MST_OK;
}

mst_status mst_score_evaluate(const mst_score *s, const mst_pairs *pairs,
                              const mst_heat_values *out)
{
    return pairs->n == 0 ? MST_OK : s->ops.evaluate(s, pairs, out);
}

mst_status mst_score_evaluate_rows(const mst_score *s, size_t n, const double *x, const double *y,
                                   const double *t, const mst_heat_values *out)
{
    mst_pairs pairs = mst_pairs_rows(s->m, n, x, y, t);
    return mst_score_evaluate(s, &pairs, out);
}

mst_status mst_score_validity(const mst_score *s, const mst_pairs *pairs,
                              const mst_heat_values *out, double *v)
{
    if (s->ops.validity == NULL)
        return mst_fail(MST_UNABLE, "the source \"%s\" does not estimate its own errors",
                        s->ops.name);
    return pairs->n == 0 ? MST_OK : s->ops.validity(s, pairs, out, v);
}

static mst_status exact(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    return mst_heat_pairs(s->m, pairs, 1, out);
}

static void describe_exact(const mst_score *s, mst_score_info *info)
{
    (void)s;
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN;
}

static mst_status exact_factor(const mst_score *s, size_t i, mst_score **out)
{
    return mst_score_exact_new(out, mst_manifold_factor(s->m, i));
}

static const mst_score_ops exact_ops = {
    .size = sizeof exact_ops,
    .name = "exact",
    .describe = describe_exact,
    .evaluate = exact,
    .factor = exact_factor,
};

bool score_is_exact(const mst_score *s)
{
    return score_is(s, &exact_ops);
}

mst_status mst_score_exact_new(mst_score **out, const mst_manifold *m)
{
    *out = NULL;
    MST_TRY(mst_heat_require_exact(m));
    return mst_score_new(out, &exact_ops, m, NULL);
}
