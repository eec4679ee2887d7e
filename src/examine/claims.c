/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is said of the manifold: compact, Hadamard, an injectivity radius. */
#include "examine/examine.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Compactness ---- */

/* Of a chart: nothing is left to chance. An open set of R^k × a torus is compact only if k = 0 and it is all
 * of the torus. */
static const char *why_chart_is_open(const examiner *e)
{
    for (size_t k = 0; k < e->d; k++)
        if (e->extents[k].period == 0)
            return "a coordinate has no period, and an open set of numbers is not compact; charts "
                   "or equations can describe a closed manifold";
    if (e->incomplete)
        return "it has a border";
    return NULL;
}

/* Of equations: the farthest solution that is found from far away, against how far that was. */
static double farthest_share(examiner *e, double far, double *x)
{
    enum { TRIES = 60 };
    double share = 0;
    for (size_t i = 0; i < TRIES; i++) {
        double length = 0;
        for (size_t k = 0; k < e->D; k++) {
            x[k] = examine_normal(e);
            length += x[k] * x[k];
        }
        for (size_t k = 0; k < e->D; k++)
            x[k] = e->x[k] + x[k] * far / sqrt(length);
        if (!examine_home(e, x, x) || !examine_inside(e, x))
            continue;
        double away = 0;
        for (size_t k = 0; k < e->D; k++)
            away += (x[k] - e->x[k]) * (x[k] - e->x[k]);
        share = fmax(share, sqrt(away) / far);
    }
    return share;
}

/* Do points run away as far as one looks? *reach is how far they were found. */
static mst_status runs_away(examiner *e, bool *away, double *reach)
{
    double *x, least = 1;
    MST_TRY(mst_allocate(&x, e->D));
    *reach = 0;
    for (size_t i = 0; i < e->n; i++) {
        for (size_t k = 0; k < e->D; k++)
            x[k] = e->x[i * e->D + k] - e->x[k];
        *reach = fmax(*reach, metric_length(e->D, x));
    }
    for (double far = 30; far < 1e5; far *= 10) {
        double share = farthest_share(e, far * e->size, x);
        least = fmin(least, share);
        *reach = fmax(*reach, share * far * e->size);
    }
    *away = least > 0.05;
    mst_release(x);
    return MST_OK;
}

static mst_status judge_compactness(examiner *e, const char *open, const char *closed)
{
    mst_answer said = mst_manifold_traits_of(e->m)->compact;
    if (said == MST_YES && open != NULL)
        return finding_add(e, MST_FINDING_WARNING, "compactness", NULL,
                           "said to be compact, but %s", open);
    if (said == MST_NO && closed != NULL)
        return finding_add(e, MST_FINDING_WARNING, "compactness", NULL,
                           "said not to be compact, but %s", closed);
    if (said == MST_UNKNOWN)
        return finding_add(e, MST_FINDING_NOTE, "compactness", NULL,
                           "nothing is said of it; it %s compact",
                           closed != NULL ? "seems to be"
                           : open != NULL ? "is not"
                                          : "may be");
    return finding_add(e, MST_FINDING_OK, "compactness", NULL, "%s, as is said",
                       said == MST_YES ? "compact" : "not compact");
}

mst_status examine_compactness(examiner *e)
{
    char open[160], closed[160];
    if (e->m->constraint != NULL) {
        bool away;
        double reach;
        MST_TRY(runs_away(e, &away, &reach));
        snprintf(open, sizeof open,
                 away ? "solutions are found as far away as %.3g" : "it has a border", reach);
        snprintf(closed, sizeof closed, "all solutions that are found are within %.3g of the start",
                 reach);
        bool is_open = away || e->incomplete;
        return judge_compactness(e, is_open ? open : NULL, is_open ? NULL : closed);
    }
    if (e->extents == NULL)
        return finding_add(e, MST_FINDING_NOTE, "compactness", NULL,
                           "not examined with several charts");
    const char *why = why_chart_is_open(e);
    return judge_compactness(
        e, why, why == NULL ? "every coordinate has a period, and no border is near" : NULL);
}

/* ---- Shortest geodesics ---- */

/* Geodesics of up to this length: is one of them not the shortest way between its ends? MST_OK with *shorter
 * the excess of the worst of them over the shortest way, and where it begins and how long it is. */
static mst_status compare_lengths(examiner *e, double most, double *excess, double *length,
                                  double *from)
{
    enum { PAIRS = 64 };
    size_t D = e->D, n = 0, lost = 0;
    double *x, far[PAIRS], found[PAIRS], error[PAIRS];
    MST_TRY(mst_allocate(&x, 2 * PAIRS * D + D));
    double *y = x + PAIRS * D, *v = y + PAIRS * D;
    for (size_t i = 0; i < PAIRS && lost < 5; i++) {
        size_t start = e->m->metric == NULL || i % 8 < 3 ? examine_index(e, e->n) : 0;
        const double *at = e->x + start * D;
        double share = i % 2 == 0 ? 1 - 1e-3 : examine_uniform(e);
        if (!examine_tangent(e, at, share * most, v) ||
            mst_manifold_exp(e->m, 1, at, v, y + n * D) != MST_OK ||
            !examine_inside(e, y + n * D)) {
            lost++;
            continue;
        }
        memcpy(x + n * D, at, D * sizeof *x);
        far[n++] = share * most;
    }
    mst_geodesic_options o = mst_geodesic_options_default();
    mst_geodesic_output out = {.length = found, .error = error};
    o.threads = e->o.threads;
    o.starts = 6;
    mst_status status = mst_geodesic_solve(e->m, n, x, y, &o, &out);
    *excess = 0;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double more = isfinite(found[i]) ? (far[i] - found[i] - 10 * error[i]) / far[i] : 0;
        if (more > *excess) {
            *excess = more;
            *length = far[i];
            memcpy(from, x + i * D, D * sizeof *from);
        }
    }
    mst_release(x);
    return status == MST_UNABLE ? MST_OK : status;
}

/* ---- Claims ---- */

static mst_status examine_hadamard(examiner *e)
{
    const char *topic = "hadamard";
    char text[POINT_TEXT];
    double scale = fmax(fabs(e->out->ricci_min), fabs(e->out->ricci_max));
    for (size_t k = 0; k < e->d && e->extents != NULL; k++)
        if (e->extents[k].period > 0)
            return finding_add(e, MST_FINDING_WARNING, topic, NULL,
                               "said to be a Hadamard manifold, but with a period it is not simply "
                               "connected");
    if (e->positive_at != NULL && e->positive_curvature > 1e-6 * scale && scale > 1e-8)
        return finding_add(e, MST_FINDING_WARNING, topic, e->positive_at,
                           "said to be a Hadamard manifold, but the curvature is %.3g > 0 at %s",
                           e->positive_curvature, finding_point(e, e->positive_at, text));
    if (e->incomplete || e->disconnected)
        return finding_add(e, MST_FINDING_WARNING, topic, NULL,
                           "said to be a Hadamard manifold, but it is not %s",
                           e->incomplete ? "complete" : "connected");
    return finding_add(
        e, MST_FINDING_OK, topic, NULL,
        "nothing speaks against it: no positive curvature, no period, no near border");
}

static mst_status examine_lengths(examiner *e, double radius, const char *topic, const char *said)
{
    double excess = 0, length = 0, *from, most = isinf(radius) ? 3 : fmin(radius, 20);
    char text[POINT_TEXT];
    MST_TRY(mst_allocate(&from, e->D));
    mst_status status = compare_lengths(e, most, &excess, &length, from);
    if (status == MST_OK && excess > 1e-6)
        status =
            finding_add(e, MST_FINDING_WARNING, topic, from,
                        "%s, but a geodesic of length %.4g from %s is longer than another way to "
                        "its end, by %.2g of its length",
                        said, length, finding_point(e, from, text), excess);
    else if (status == MST_OK)
        status = finding_add(e, MST_FINDING_OK, topic, NULL,
                             "geodesics up to length %.3g are the shortest ways between their ends",
                             most);
    mst_release(from);
    return status;
}

mst_status examine_claims(examiner *e)
{
    double radius = mst_manifold_injectivity(e->m);
    bool hadamard = mst_manifold_traits_of(e->m)->hadamard == MST_YES, chart = e->D == e->d;
    char said[80];
    if (hadamard)
        MST_TRY(examine_hadamard(e));
    if (e->rough || (!chart && e->m->constraint == NULL))
        return MST_OK;
    if (isfinite(radius)) {
        snprintf(said, sizeof said, "the injectivity radius is said to be %.4g", radius);
        return examine_lengths(e, radius, "injectivity", said);
    }
    return hadamard ? examine_lengths(e, INFINITY, "hadamard", "said to be a Hadamard manifold")
                    : MST_OK;
}
