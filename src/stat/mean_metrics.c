/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Metrics compared by the likelihood of their diffusion means with respect to Lebesgue measure:
 * log p + log √det g at the data. */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "util/clock.h"

#include <manistat/mean.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 60 };

/* log √det g at x: minus log|det| of an orthonormal frame in coordinates. */
static mst_status log_volume(const mst_manifold *m, const double *x, double *out)
{
    size_t d = m->dim;
    double *frame, *product;
    MST_TRY(mst_allocate(&frame, 2 * d * d));
    product = frame + d * d;
    mst_status status = mst_manifold_frame(m, 1, x, frame);
    if (status == MST_OK) {
        mst_multiply_nt(d, frame, frame, product);
        status = mst_cholesky(1, d, product, product, NULL);
    }
    *out = 0;
    for (size_t k = 0; status == MST_OK && k < d; k++)
        *out -= log(product[k * (d + 1)]);
    mst_release(frame);
    return status;
}

static mst_status compare(const mst_manifold *m, size_t n, const double *x, int threads,
                          mst_metric_score *out)
{
    mst_score *source;
    mst_mean_result *r = NULL;
    mst_mean_examination e;
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.threads = threads;
    o.covariance = MST_COVARIANCE_SANDWICH;
    MST_TRY(mst_score_expansion_new(&source, m));
    mst_status status = mst_mean_fit(&r, source, n, x, &o);
    if (status == MST_OK)
        status = mst_mean_examine(&e, source, n, x, r, 0, 0, threads);
    double volume = 0, part;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = log_volume(m, x + i * m->ambient, &part);
        volume += part;
    }
    if (status == MST_OK) {
        out->log_likelihood = (r->log_likelihood + volume) / (double)(n * m->dim);
        out->time = r->time;
        out->curvature = e.curvature;
        out->failed = e.failed;
    }
    mst_mean_result_free(r);
    mst_score_free(source);
    /* A metric that does not carry the data is none to choose. */
    return status == MST_MEMORY || status == MST_INTERRUPTED || status == MST_UNABLE ? status
                                                                                     : MST_OK;
}

mst_status mst_mean_compare_metrics(size_t count, const mst_manifold *const *m, size_t n,
                                    const double *x, int threads, mst_progress progress,
                                    mst_metric_score *out)
{
    (void)progress;
    size_t D = count > 0 ? m[0]->ambient : 0, used = n < MOST_ROWS ? n : MOST_ROWS;
    double *rows;
    for (size_t k = 0; k < count; k++)
        if (m[k]->ambient != D || m[k]->dim != D)
            return mst_fail(MST_ARGUMENT, "%s has other coordinates than the metrics before it",
                            m[k]->spec);
    MST_TRY(mst_allocate(&rows, used * D));
    for (size_t i = 0; i < used; i++)
        memcpy(rows + i * D, x + i * n / used * D, D * sizeof *rows);
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < count; k++) {
        out[k] = (mst_metric_score){.log_likelihood = NAN, .time = NAN, .curvature = NAN};
        status = compare(m[k], used, rows, threads, &out[k]);
    }
    mst_release(rows);
    return status;
}
