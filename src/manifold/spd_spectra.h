/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Spectra of positive definite matrices P = Wᵀ diag(p) W, a chunk of points at a time: equal neighbours share
 * one, and a chunk of one point that comes again is not decomposed again, as in the computation of a mean. */
#ifndef MST_MANIFOLD_SPD_SPECTRA_H
#define MST_MANIFOLD_SPD_SPECTRA_H

#include <manistat/manifold.h>

typedef struct spd_spectra {
    size_t n;
    size_t *at;     /* which spectrum belongs to the row */
    double *p;      /* eigenvalues */
    double *log;    /* and their logarithms */
    double *w;      /* eigenvectors as rows */
    double *last;   /* the point of all rows of the chunk, */
    bool single;    /* if there is one */
    double *factor; /* (most, n, n), and so has `right` */
    double *right;
    double *memory;
} spd_spectra;

/* For chunks of at most symmetric_chunk(D) rows. Free it also after a failure. */
MST_MUST_USE mst_status spd_spectra_new(spd_spectra *s, const mst_manifold *m);
void spd_spectra_free(spd_spectra *s);
/* Those of x (count, D); `row` is the number of the first in messages. *fresh (or null): are they others than
 * before? */
MST_MUST_USE mst_status spd_spectra_take(spd_spectra *s, size_t row, size_t count, const double *x,
                                         bool *fresh);

/* Of row k of the chunk. */
static inline const double *spd_values(const spd_spectra *s, size_t k)
{
    return s->p + s->at[k] * s->n;
}

static inline const double *spd_vectors(const spd_spectra *s, size_t k)
{
    return s->w + s->at[k] * s->n * s->n;
}

#endif
