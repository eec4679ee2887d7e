/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Steps for the weights of a layer as a matrix: the momentum with its singular values made nearly equal
 * (Jordan et al. 2024, "Muon"). Adam looks at one number at a time, and the few directions that all units
 * share rule its steps; here every direction of the matrix moves by about the same amount. */
#ifndef MST_NET_MUON_H
#define MST_NET_MUON_H

#include <stddef.h>

typedef struct muon_settings {
    float rate;     /* the root mean square of a step's entries is about a fifth of it */
    float momentum; /* 0.95 */
    float scale;    /* factor on the summed gradient */
} muon_settings;

/* Floats of room that a matrix of this size needs. */
size_t muon_room(size_t rows, size_t columns);
/* gradient = Σ_k gradients[k], k < count in that order, (rows, columns) each, which are cleared; first (the
 * momentum) and theta are updated. One thread. */
void muon_update(const muon_settings *settings, size_t rows, size_t columns, size_t count,
                 float *const *gradients, float *first, float *theta, float *room);

#endif
