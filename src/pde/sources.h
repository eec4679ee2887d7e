/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sets of points whose heat kernels are wanted, with the windows of time that have been asked for. Threads
 * may ask at once: the first makes the grids, and all that need the window share the work. */
#ifndef MST_PDE_SOURCES_H
#define MST_PDE_SOURCES_H

#include "pde/window.h"

typedef struct pde_sources pde_sources;
typedef struct pde_set pde_set;
typedef struct pde_entry pde_entry;

MST_MUST_USE mst_status pde_sources_new(pde_sources **out, const pde_plane *p,
                                        const pde_limits *limits);
void pde_sources_free(pde_sources *s);

/* A set that has all of the points (n, 2), brought to their periods; made if there is none. It stays until it
 * is given back. */
MST_MUST_USE mst_status pde_sources_take(pde_sources *s, size_t n, const double *x, pde_set **out);
void pde_sources_give_back(pde_sources *s, pde_set *set);
/* The number of a point of the set; SIZE_MAX: it has none. */
size_t pde_set_find(const pde_set *set, const double *x);

/* The window that the time t belongs to; null, and a reason in mst_error_detail, where the grid would be too
 * large. Give it back. */
MST_MUST_USE mst_status pde_set_window(pde_sources *s, pde_set *set, double t, pde_entry **entry,
                                       const pde_window **out);
void pde_entry_give_back(pde_sources *s, pde_entry *entry);
/* The exponent of the window of t: two times with the same share it. */
int pde_window_number(double t);

#endif
