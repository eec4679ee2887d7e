/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include "manifold/formula_metric.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require_formula(bool holds, const char *property)
{
    if (holds)
        return;
    fprintf(stderr, "property does not hold: %s (%s)\n", property, mst_error_detail());
    abort();
}

static void check_refusal(mst_status status)
{
    require_formula(status == MST_FORMAT || status == MST_MEMORY, "a file is refused with FORMAT");
    for (const char *p = mst_error_detail(); *p != '\0'; p++)
        require_formula((unsigned char)*p >= 0x20 && *p != 0x7f, "the message is one line");
    require_formula(status == MST_MEMORY || strstr(mst_error_detail(), "fuzz, line ") != NULL ||
                        strstr(mst_error_detail(), "more than") != NULL,
                    "the message tells the place");
}

/* What a file was accepted for can be computed, or is refused; the start was looked at. */
static void use_manifold(const mst_manifold *m)
{
    enum { MOST = 8 };
    size_t d = m->dim, D = m->ambient;
    if (D > MOST)
        return;
    double x[MOST], y[MOST], c[MOST], v[MOST], square;
    mst_manifold_start(m, x);
    for (size_t k = 0; k < d; k++)
        c[k] = k == 0 ? 1e-3 : 0;
    if (mst_manifold_from_frame(m, 1, x, c, v) != MST_OK)
        return;
    if (mst_manifold_inner(m, 1, x, v, v, &square) == MST_OK && isfinite(square))
        require_formula(fabs(square - 1e-6) < 1e-8, "frames are orthonormal");
    mst_status status = mst_manifold_ricci(m, 1, x, v, y);
    (void)status;
    status = mst_manifold_project(m, 1, x, y);
    (void)status;
}

int fuzz_formulas(const uint8_t *data, size_t size)
{
    mst_manifold *m;
    mst_status status =
        mst_formula_manifold_new(&m, "fuzz.manifold", "fuzz", (const char *)data, size, 0, NULL);
    if (status == MST_OK)
        use_manifold(m);
    else
        check_refusal(status);
    require_formula((status == MST_OK) == (m != NULL), "a manifold comes whole or not at all");
    mst_manifold_free(m);
    return 0;
}
