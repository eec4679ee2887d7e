/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* sphere:2 whose logarithm and distance fail, always, with its exact heat kernel: what
 * estimators must do without. */
#ifndef TEST_MUTE_SPHERE_H
#define TEST_MUTE_SPHERE_H

#include "support/manifolds.h"

#include <manistat/score.h>

mst_status mute_sphere_new(mst_manifold **out);
/* With log p or by scores alone. */
mst_status mute_score_new(mst_score **out, const mst_manifold *m, bool log_p);

#endif
