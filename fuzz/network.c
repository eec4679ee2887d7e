/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include "framed.h"
#include "require.h"
#include "score/network.h"

#include <stdio.h>

/* What was accepted has a score at the start of its manifold, or declines with a word. */
static void use_network(const mst_network *net)
{
    enum { MOST = 16 };
    const mst_manifold *m = mst_network_manifold(net);
    double x[MOST], score[MOST], t = mst_network_describe(net).t_max;
    mst_score *s;
    if (mst_manifold_ambient(m) > MOST || mst_score_network_new(&s, net, true) != MST_OK)
        return;
    mst_manifold_start(m, x);
    mst_pairs pairs = mst_pairs_rows(m, 1, x, x, &t);
    mst_status status = mst_score_evaluate(s, &pairs, &(mst_heat_values){.score = score});
    fuzz_require(status == MST_OK || *mst_error_detail() != '\0', "a refusal says why");
    mst_score_free(s);
}

int fuzz_network(const uint8_t *data, size_t size)
{
    tensors *t;
    mst_network *net;
    if (framed_tensors(&t, data, size) != MST_OK)
        return 0;
    mst_status status = network_from_tensors(&net, "fuzz", t, NULL);
    fuzz_require(status == MST_OK || strstr(mst_error_detail(), "fuzz") != NULL ||
                     status == MST_MEMORY,
                 "the message names the file");
    if (status == MST_OK)
        use_network(net);
    mst_network_free(net);
    tensors_free(t);
    return 0;
}
