/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/expansion.h"

#include <math.h>

mst_status expansion_give_up(const mst_manifold *m, const expansion_block *b, size_t i)
{
    const double two_pi_log = 1.8378770664093454836;
    size_t D = m->ambient, d = m->dim;
    double f, t = b->t[i];
    MST_TRY(mst_manifold_toward(m, 1, b->y + i * D, b->x + i * D, &f, b->score + i * D, NULL));
    for (size_t e = 0; e < D; e++)
        b->score[i * D + e] /= t;
    b->log_p[i] = -f / t - 0.5 * (double)d * (two_pi_log + log(t));
    b->dt[i] = (f / t - 0.5 * (double)d) / t;
    b->error[i] = b->doubt[i] = INFINITY;
    for (size_t k = 0; b->hessian != NULL && k < d * d; k++)
        b->hessian[i * d * d + k] = k % (d + 1) == 0 ? -1 / t : 0;
    return MST_OK;
}
