/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_SCORE_SCORE_INTERNAL_H
#define MST_SCORE_SCORE_INTERNAL_H

#include <manistat/score.h>

/* Was it made from this table? */
bool score_is(const mst_score *s, const mst_score_ops *ops);
/* Is it the exact kernel, or the logarithm? */
bool score_is_exact(const mst_score *s);
bool score_is_log(const mst_score *s);
/* Does it solve something for every x, see mst_score_prepare? */
bool score_solves(const mst_score *s);

/* Are these bridges whose number of paths was left open? */
bool score_bridge_is_open(const mst_score *s);

/* Second derivatives of log p in the frame at y, (n, d, d), by differences of scores: 2 d evaluations of the
 * rows. Steps are of √t by the precision and the noise of the source; without a time, of 1e-4. */
MST_MUST_USE mst_status score_differences(const mst_score *s, const mst_pairs *pairs,
                                          double *hessian);
/* As mst_score_evaluate; a Hessian that the source does not give is found by differences. */
MST_MUST_USE mst_status score_evaluate_curved(const mst_score *s, const mst_pairs *pairs,
                                              const mst_heat_values *out);

/* First guesses (rows, keep), as the manifold keeps them (geodesic/own.h), for what mst_score_remember made
 * of the expansion, and of the logarithm. */
void score_hint(const mst_score *memory, const double *guesses);
void score_hint_log(const mst_score *s, const double *guesses);

#endif
