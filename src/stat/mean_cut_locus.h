/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What rows near the cut locus do to the error of a Fréchet mean. */
#ifndef MST_STAT_MEAN_CUT_LOCUS_H
#define MST_STAT_MEAN_CUT_LOCUS_H

#include "stat/fit.h"

typedef struct mean_cut_term {
    bool present; /* rows lie near a cut locus of codimension one, and the term is not zero */
    /* share of the weight beyond the injectivity radius of spaces whose cut locus is not known */
    double unknown;
    /* Where geodesics are searched for: half the length of the shortest loop through the mean and a row, or
     * the distance of the nearest conjugate point, if either was seen; and of the farthest row. Else NAN. */
    double radius, farthest;
} mean_cut_term;

/* Are its values squared distances on a space with a cut locus that may count? */
bool mean_has_cut_locus(const mst_score *source);

/* What searched geodesics from the mean to the rows say of how far they are minimal, on a manifold that is no
 * product; nothing where they are not searched for. */
MST_MUST_USE mst_status mean_see_cut_locus(const mst_manifold *m, const fit_rows *rows,
                                           const double *mean, mean_cut_term *out);

/* term (d, d) = Σw T for the mean in `state`; zero where there is no cut locus. */
MST_MUST_USE mst_status mean_cut_locus(const fit_model *model, const double *state, double *term,
                                       mean_cut_term *out);

#endif
