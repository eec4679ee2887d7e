/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Cholesky factor: its order and its supernodes by CHOLMOD. */
#include "pde/cholesky.h"

#include <suitesparse/cholmod.h>

struct pde_cholmod {
    cholmod_common common;
    cholmod_factor *factor;
    double *value;
};

void pde_cholmod_free(struct pde_cholmod *c)
{
    if (c == NULL)
        return;
    mst_release(c->value);
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_finish(&c->common);
    mst_release(c);
}

/* The lower triangle by columns, which are rows of the symmetric matrix. */
static cholmod_sparse *lower(struct pde_cholmod *c, size_t n, const size_t *line, const int *column,
                             const double *value)
{
    cholmod_sparse *a = cholmod_allocate_sparse(n, n, line[n], 0, 1, -1, CHOLMOD_REAL, &c->common);
    if (a == NULL)
        return NULL;
    int *begin = a->p, *row = a->i, count = 0;
    double *x = a->x;
    for (size_t k = 0; k < n; k++) {
        begin[k] = count;
        for (size_t e = line[k]; e < line[k + 1]; e++)
            if ((size_t)column[e] >= k) {
                row[count] = column[e];
                x[count++] = value[e];
            }
    }
    begin[n] = count;
    return a;
}

mst_status pde_cholmod_new(struct pde_cholmod **out, pde_factor *f, size_t n, const size_t *line,
                           const int *column, const double *value, const int **order)
{
    struct pde_cholmod *c;
    MST_TRY(mst_allocate_zero(&c, 1));
    *out = c;
    cholmod_start(&c->common);
    c->common.print = 0;
    c->common.supernodal = CHOLMOD_SUPERNODAL;
    c->common.final_ll = 1;
    cholmod_sparse *a = lower(c, n, line, column, value);
    if (a != NULL)
        c->factor = cholmod_analyze(a, &c->common);
    int status = c->common.status;
    cholmod_free_sparse(&a, &c->common);
    if (status != CHOLMOD_OK || c->factor == NULL || !c->factor->is_super)
        return mst_fail(MST_MEMORY, "not enough memory for the factor of %zu unknowns", n);
    const cholmod_factor *l = c->factor;
    MST_TRY(mst_allocate_zero(&c->value, l->xsize));
    *f = (pde_factor){.n = n,
                      .supers = l->nsuper,
                      .super = l->super,
                      .begin = l->pi,
                      .at = l->px,
                      .row = l->s,
                      .value = c->value};
    *order = l->Perm;
    return pde_cholesky(f, line, column, value, *order, c->value);
}
