/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include "framed.h"
#include "learned/content.h"
#include "require.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was accepted can be used where its data are. */
static void use_learned(const mst_manifold *m)
{
    enum { MOST = 16 };
    double x[MOST], v[MOST], square;
    mst_learned_info info;
    size_t d = mst_manifold_dim(m);
    if (d > MOST)
        return;
    mst_manifold_start(m, x);
    for (size_t k = 0; k < d; k++)
        v[k] = k == 0 ? 1 : 0;
    if (mst_manifold_inner(m, 1, x, v, v, &square) == MST_OK)
        fuzz_require(!(square < -1e-6 * fabs(square)), "the metric is not negative");
    mst_status status = mst_learned_describe(m, &info);
    (void)status;
}

int fuzz_learned(const uint8_t *data, size_t size)
{
    tensors *t;
    mst_manifold *m;
    const content_options o = {.uncertainty = 1};
    if (framed_tensors(&t, data, size) != MST_OK)
        return 0;
    mst_status status = content_read(&m, t, "fuzz", "fuzz.gp", &o);
    fuzz_require(status == MST_OK || status == MST_FORMAT || status == MST_MEMORY,
                 "a file is refused with FORMAT");
    fuzz_require(status == MST_OK || strncmp(mst_error_detail(), "fuzz", 4) == 0 ||
                     status == MST_MEMORY,
                 "the message names the file");
    if (status == MST_OK)
        use_learned(m);
    mst_manifold_free(m);
    tensors_free(t);
    return 0;
}
