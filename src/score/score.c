/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"

#include <manistat/score.h>
#include <math.h>

struct mst_score {
    const mst_score_ops *ops;
    const mst_manifold *m;
    void *data;
};

mst_status mst_score_new(mst_score **out, const mst_score_ops *ops, const mst_manifold *m,
                         void *data)
{
    mst_status status = mst_allocate(out, 1);
    if (status == MST_OK)
        **out = (mst_score){ops, m, data};
    else if (ops->free_data != NULL)
        ops->free_data(data);
    return status;
}

void mst_score_free(mst_score *s)
{
    if (s != NULL && s->ops->free_data != NULL)
        s->ops->free_data(s->data);
    mst_release(s);
}

const mst_score_ops *mst_score_table(const mst_score *s)
{
    return s->ops;
}

const mst_manifold *mst_score_manifold(const mst_score *s)
{
    return s->m;
}

void *mst_score_data(const mst_score *s)
{
    return s->data;
}

void mst_score_time_range(const mst_score *s, double *least, double *largest)
{
    *least = 0;
    *largest = INFINITY;
    if (s->ops->time_range != NULL)
        s->ops->time_range(s, least, largest);
}

mst_status mst_score_evaluate(const mst_score *s, size_t n, const double *x, const double *y,
                              const double *t, const mst_heat_values *out)
{
    return n == 0 ? MST_OK : s->ops->evaluate(s, n, x, y, t, out);
}

static mst_status exact(const mst_score *s, size_t n, const double *x, const double *y,
                        const double *t, const mst_heat_values *out)
{
    return mst_heat_kernel_times(s->m, n, x, y, t, 1, out);
}

static const mst_score_ops exact_ops = {
    .name = "exact",
    .log_p = true,
    .time = true,
    .hessian = true,
    .evaluate = exact,
};

mst_status mst_score_exact_new(mst_score **out, const mst_manifold *m)
{
    *out = NULL;
    MST_TRY(mst_heat_require_exact(m));
    return mst_score_new(out, &exact_ops, m, NULL);
}
