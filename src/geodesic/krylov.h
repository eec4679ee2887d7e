/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_GEODESIC_KRYLOV_H
#define MST_GEODESIC_KRYLOV_H

#include "geodesic/sweeper.h"
#include "manifold/metric.h"

struct krylov {
    mesh line;                                   /* of scalars */
    eight *sq, *rate, *dl_x, *dl_v, *unused;     /* at points */
    eight *residual, *ready, *way, *image, *sum; /* (d, nodes): r, z, p, A p, the step */
    eight *zero;                                 /* (d) */
    eight *b, *inverse, *matrix, *scale, *energy;
    metric_work work; /* for one point */
    eight *memory;
};
typedef struct krylov krylov;

/* Free it also after a failure. */
MST_MUST_USE mst_status krylov_new(krylov *c, const geodesic_problem *p, const rule *r,
                                   size_t elements);
void krylov_free(krylov *c);

/* s->step of the lanes that are ready, and whether their energy bends down anywhere on the way. */
MST_MUST_USE mst_status krylov_direct(sweeper *s, const unsigned char *ready);
/* The product of the Hessian with a field (d, nodes), the rows of the ends included. */
MST_MUST_USE mst_status krylov_product(sweeper *s, const eight *field, eight *image);

/* The vector of −slope at the first or last node, by conjugate gradients from the velocity there, and its
 * length; NAN if that does not converge. */
MST_MUST_USE mst_status krylov_raise(const sweeper *s, size_t lane, bool last, const double *slope,
                                     double *out, double *length);

#endif
