/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A file whose start is no point of its manifold is refused at once: whatever is computed begins there, and
 * would only say that something was not found. */
#include "formula/text.h"
#include "manifold/formula_metric.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>

/* Beyond this many dimensions one vector stands for all. */
enum { MOST_FRAME = 64 };

/* Has the tangent space at x an orthonormal frame? */
static mst_status has_frame(const mst_manifold *m, const double *x, bool *good)
{
    size_t d = m->dim, D = m->ambient, count = d <= MOST_FRAME ? d * D : 1;
    double *e;
    MST_TRY(mst_allocate_zero(&e, d <= MOST_FRAME ? count : D + 1));
    mst_status status;
    if (d <= MOST_FRAME) {
        status = mst_manifold_frame(m, 1, x, e);
    } else {
        for (size_t k = 0; k < d; k++)
            e[1 + k] = 1.0 / (double)(1 + k);
        status = mst_manifold_tangent(m, 1, x, e + 1, e + 1);
        if (status == MST_OK)
            status = mst_manifold_norm(m, 1, x, e + 1, e);
    }
    *good = status == MST_OK;
    for (size_t k = 0; k < count; k++)
        *good = *good && isfinite(e[k]);
    mst_release(e);
    return status == MST_MEMORY ? status : MST_OK;
}

mst_status formula_check_start(const mst_manifold *m, const formula_file *f,
                               const formula_text *text)
{
    bool good = false, equations = f->kind == FORMULA_CONSTRAINT;
    double *x;
    size_t row;
    MST_TRY(mst_allocate(&x, m->ambient));
    mst_manifold_start(m, x);
    /* Where gradients vanish nothing can be said of the distance to the manifold. */
    mst_status status = equations ? MST_OK : mst_manifold_validate(m, 1, x, &row);
    if (status == MST_OK)
        status = has_frame(m, x, &good);
    if (status == MST_OK && !good)
        status =
            formula_complain(text, f->start_at,
                             equations ? "at the start the gradients of the constraints are not "
                                         "finite, vanish, or depend on each other"
                                       : "at the start the metric is not finite and positive "
                                         "definite");
    if (status == MST_OK && equations)
        status = mst_manifold_validate(m, 1, x, &row);
    if (status == MST_DOMAIN) {
        char why[256];
        snprintf(why, sizeof why, "%s", mst_error_detail());
        status =
            formula_complain(text, f->start_at, "the start is no point of the manifold: %s", why);
    }
    mst_release(x);
    return status;
}
