/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slots of the metric of a Gaussian process. */
#include "learned/gp.h"

static const gp *gp_of(const mst_manifold *m)
{
    return mst_manifold_data(m);
}

/* Room for one point, and the loops for this processor. */
typedef struct gp_work {
    double *room;
    size_t *runs;
    const struct gp_kernels *kernels;
} gp_work;

static mst_status work_new(gp_work *w, const gp_field *f)
{
    *w = (gp_work){.kernels = MST_PICK(gp_kernels)};
    MST_TRY(mst_allocate(&w->room, gp_room(f) + gp_runs(f)));
    w->runs = (size_t *)(w->room + gp_room(f));
    return MST_OK;
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    const gp_field *f = &gp_of(m)->field;
    gp_work w;
    MST_TRY(work_new(&w, f));
    for (size_t i = 0; i < n; i++)
        w.kernels->lagrangian(f, x + i * f->d, v + i * f->d, l + i, l_x + i * f->d, l_v + i * f->d,
                              w.room, w.runs);
    mst_release(w.room);
    return MST_OK;
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    const gp_field *f = &gp_of(m)->field;
    size_t d = f->d;
    gp_work w;
    MST_TRY(work_new(&w, f));
    for (size_t i = 0; i < n; i++)
        w.kernels->product(f, x + i * d, v + i * d, dx + i * d, dv + i * d, dl_x + i * d,
                           dl_v + i * d, w.room, w.runs);
    mst_release(w.room);
    return MST_OK;
}

static mst_status lagrangian_blocks(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    const gp_field *f = &gp_of(m)->field;
    size_t d = f->d, square = d * d;
    gp_work w;
    MST_TRY(work_new(&w, f));
    for (size_t i = 0; i < n; i++)
        w.kernels->blocks(f, x + i * d, v + i * d, l_vv + i * square, l_xv + i * square,
                          l_xx + i * square, w.room, w.runs);
    mst_release(w.room);
    return MST_OK;
}

static mst_status derivatives(const mst_manifold *m, size_t n, const double *x, double *g,
                              double *first, double *second)
{
    const gp_field *f = &gp_of(m)->field;
    size_t d = f->d, cube = d * d * d;
    gp_work w;
    MST_TRY(work_new(&w, f));
    for (size_t i = 0; i < n; i++)
        w.kernels->derivatives(f, x + i * d, g + i * d * d, first != NULL ? first + i * cube : NULL,
                               second != NULL ? second + i * cube * d : NULL, w.room, w.runs);
    mst_release(w.room);
    return MST_OK;
}

const mst_metric_ops gp_metric = {
    .size = sizeof(mst_metric_ops),
    .name = "gp",
    .start = learned_start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .lagrangian_blocks = lagrangian_blocks,
    .traits = learned_traits,
    .free_data = learned_free,
    .remarks = gp_remarks,
    .derivatives = derivatives,
};
