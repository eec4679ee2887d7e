/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/uniformity.h"

#include "base/options.h"
#include "stat/distributions.h"
#include "stat/rows.h"
#include "stat/units.h"

#include <math.h>
#include <string.h>

/* Up to so many units the law of the statistic is simulated, by so many draws. */
enum { FEW_UNITS = 10, DRAWS = 1999 };

mst_uniformity_options mst_uniformity_options_default(void)
{
    return (mst_uniformity_options){.size = sizeof(mst_uniformity_options), .seed = 2712};
}

static double weight_of(const mst_uniformity_options *o, size_t row)
{
    return o->weights != NULL ? o->weights[row] : 1;
}

/* Are the rows so many independent ones as their weights say? Fractions that sum to less than the rows are
 * worth are taken as relative: whether there is a mean shall not depend on the unit of the weights. */
static bool are_counts(size_t n, const mst_uniformity_options *o)
{
    double sum = 0, squares = 0;
    if (o->weights == NULL)
        return o->clusters == NULL;
    for (size_t i = 0; i < n; i++) {
        sum += o->weights[i];
        squares += o->weights[i] * o->weights[i];
    }
    return o->clusters == NULL && o->weights_are == MST_WEIGHTS_COUNTS && sum <= squares;
}

static double squared_length(size_t n, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += v[k] * v[k];
    return sum;
}

/* `lengths` (units) of the units' sums, or null. work: 3 · features. */
static uniform_tally tally_piece(const stat_piece *p, size_t D, const stat_units *units,
                                 const double *x, const mst_uniformity_options *o, bool counts,
                                 double *lengths, double *work)
{
    double *feature = work, *sum = feature + p->features, *total = sum + p->features;
    uniform_tally tally = {0};
    double weight = 0;
    memset(total, 0, p->features * sizeof *total);
    for (size_t u = 0, i = 0; u < units->count; u++) {
        memset(sum, 0, p->features * sizeof *sum);
        for (; i < units->end[u]; i++) {
            double w = weight_of(o, units->order[i]);
            stat_features(p, x + units->order[i] * D, feature);
            for (size_t k = 0; k < p->features; k++)
                sum[k] += w * feature[k];
            weight += w;
        }
        double square = squared_length(p->features, sum);
        tally.square += square;
        tally.fourth += square * square;
        for (size_t k = 0; k < p->features; k++)
            total[k] += sum[k];
        if (lengths != NULL)
            lengths[u] = sqrt(square);
    }
    tally.length2 = squared_length(p->features, total);
    if (counts)
        tally.square = tally.fourth = weight;
    return tally;
}

static mst_status tally_all(const stat_pieces *pieces, const stat_units *units, const double *x,
                            const mst_uniformity_options *o, double *lengths, uniform_tally *out)
{
    const stat_piece *last = &pieces->piece[pieces->count - 1];
    size_t D = last->column + last->ambient;
    bool counts = are_counts(units->end[units->count - 1], o);
    double *work;
    MST_TRY(mst_allocate(&work, 3 * pieces->features));
    for (size_t p = 0; p < pieces->count; p++)
        out[p] = tally_piece(&pieces->piece[p], D, units, x, o, counts,
                             lengths != NULL ? lengths + p * units->count : NULL, work);
    mst_release(work);
    return MST_OK;
}

mst_status uniform_tallies(const stat_pieces *pieces, size_t n, const double *x,
                           const mst_uniformity_options *o, uniform_tally *out)
{
    stat_units units;
    MST_TRY(stat_units_new(&units, n, o->clusters));
    mst_status status = tally_all(pieces, &units, x, o, NULL, out);
    stat_units_free(&units);
    return status;
}

static double statistic_of(const stat_pieces *pieces, const uniform_tally *tallies)
{
    double sum = 0;
    for (size_t p = 0; p < pieces->count; p++)
        if (tallies[p].square > 0)
            sum += (double)pieces->piece[p].features * tallies[p].length2 / tallies[p].square;
    return sum;
}

/* P(S ≥ s) by χ² with the correction of order 1/n: an expansion in Laguerre polynomials of s/2 that has the
 * true second and third cumulants. With h = p <x, y> these are E h² = p, E h₁₂ h₂₃ h₃₁ = p and E h³, which is
 * 0 on spheres and 27 on so3, so that κ₂ = 2p (1 − 1/n) and κ₃ = 8 (1 − 1/n)((1 − 2/n) p + E h³/2n). On a
 * sphere this is the modified Rayleigh statistic s (1 − 1/2n + s/(2n(p + 2))) of Jupp (2001). Beyond three
 * standard deviations the polynomial is held: there p is small either way. */
static double corrected_survival(const stat_pieces *pieces, const uniform_tally *tallies, double s,
                                 double degrees)
{
    double second = 0, third = 0;
    for (size_t k = 0; k < pieces->count; k++) {
        double p = (double)pieces->piece[k].features;
        double share = tallies[k].fourth / (tallies[k].square * tallies[k].square); /* 1/n */
        double cube = pieces->piece[k].kind == PIECE_ROTATIONS ? 27 : 0;
        second += 2 * p * (1 - share);
        third += 8 * (1 - share) * ((1 - 2 * share) * p + 0.5 * share * cube);
    }
    /* Moments of y = S/2, which is of the gamma law with the shape a. */
    double a = degrees / 2, variance = second / 4, skew = third / 8;
    double y2 = a * a + variance, y3 = a * a * a + 3 * a * variance + skew;
    double l2 = a * (a + 1) / 2 - (a + 1) * a + y2 / 2;
    double l3 = a * (a + 1) * (a + 2) / 6 - (a + 1) * (a + 2) * a / 2 + (a + 2) * y2 / 2 - y3 / 6;
    double c2 = 2 * l2 / (a * (a + 1)), c3 = 6 * l3 / (a * (a + 1) * (a + 2));
    double y = fmin(s / 2, a + 3 * sqrt(a));
    double first_order = a + 1 - y, second_order = (a + 1) * (a + 2) / 2 - (a + 2) * y + y * y / 2;
    double factor = 1 + c2 * first_order / 2 + c3 * second_order / 3;
    return mst_chi_square_survival(s * fmax(factor, 0.5), degrees);
}

mst_status uniform_by_piece(const stat_pieces *pieces, size_t n, const double *x,
                            const mst_uniformity_options *o, double *p_values)
{
    uniform_tally *tallies;
    MST_TRY(mst_allocate(&tallies, pieces->count));
    mst_status status = uniform_tallies(pieces, n, x, o, tallies);
    for (size_t k = 0; k < pieces->count && status == MST_OK; k++) {
        size_t features = pieces->piece[k].features;
        stat_pieces one = {.count = 1, .piece = &pieces->piece[k], .features = features};
        p_values[k] = NAN;
        if (features > 0)
            p_values[k] = corrected_survival(&one, &tallies[k], statistic_of(&one, &tallies[k]),
                                             (double)features);
    }
    mst_release(tallies);
    return status;
}

/* The share of draws from the uniform law whose statistic is no smaller, with units of the given lengths
 * (pieces, count). */
static mst_status simulate(const mst_manifold *m, const stat_pieces *pieces,
                           const uniform_tally *tallies, size_t count, const double *lengths,
                           const mst_uniformity_options *o, mst_uniformity *out)
{
    size_t D = mst_manifold_ambient(m), reached = 0;
    double *x;
    MST_TRY(mst_allocate(&x, count * D + 2 * pieces->features));
    double *feature = x + count * D, *total = feature + pieces->features;
    mst_status status = MST_OK;
    for (size_t draw = 0; draw < DRAWS && status == MST_OK; draw++) {
        mst_random stream = {o->seed, (UINT64_C(3) << 40) + draw};
        status = mst_manifold_random_point(m, stream, 0, count, x);
        double sum = 0;
        for (size_t p = 0; p < pieces->count && status == MST_OK; p++) {
            const stat_piece *piece = &pieces->piece[p];
            memset(total, 0, piece->features * sizeof *total);
            for (size_t u = 0; u < count; u++) {
                stat_features(piece, x + u * D, feature);
                for (size_t k = 0; k < piece->features; k++)
                    total[k] += lengths[p * count + u] * feature[k];
            }
            if (tallies[p].square > 0)
                sum += (double)piece->features * squared_length(piece->features, total) /
                       tallies[p].square;
        }
        reached += sum >= out->statistic * (1 - 1e-12) ? 1 : 0;
    }
    out->p_value = (double)(reached + 1) / (DRAWS + 1);
    out->p_value_is_floor = reached == 0;
    mst_release(x);
    return status;
}

/* Counts of few rows in all: as many units of length 1. */
static size_t few_units(const stat_units *units, bool counts, double weight)
{
    double count = counts ? fmax(rint(weight), 1) : (double)units->count;
    return count <= FEW_UNITS ? (size_t)count : 0;
}

static mst_status judge(mst_uniformity *out, const mst_manifold *m, const stat_pieces *pieces,
                        const stat_units *units, const double *x, const mst_uniformity_options *o)
{
    bool counts = are_counts(units->end[units->count - 1], o);
    size_t room = units->count > FEW_UNITS ? units->count : FEW_UNITS;
    uniform_tally *tallies;
    MST_TRY(mst_allocate(&tallies, pieces->count));
    double *lengths = NULL, weight = 0;
    mst_status status = mst_allocate(&lengths, pieces->count * room);
    if (status == MST_OK)
        status = tally_all(pieces, units, x, o, lengths, tallies);
    for (size_t u = 0, i = 0; u < units->count; u++)
        for (; i < units->end[u]; i++)
            weight += weight_of(o, units->order[i]);
    if (status == MST_OK) {
        out->statistic = statistic_of(pieces, tallies);
        out->degrees_of_freedom = (double)pieces->features;
        out->effective_n = INFINITY;
        for (size_t p = 0; p < pieces->count; p++)
            out->effective_n = fmin(out->effective_n, weight * weight / tallies[p].square);
        size_t few = few_units(units, counts, weight);
        out->simulated = few > 0;
        for (size_t k = 0; counts && k < pieces->count * few; k++)
            lengths[k] = 1;
        if (few > 0)
            status = simulate(m, pieces, tallies, few, lengths, o, out);
        else
            out->p_value =
                corrected_survival(pieces, tallies, out->statistic, out->degrees_of_freedom);
    }
    mst_release(lengths);
    mst_release(tallies);
    return status;
}

mst_status uniform_test(mst_uniformity *out, const mst_manifold *m, const stat_pieces *pieces,
                        size_t n, const double *x, const mst_uniformity_options *o)
{
    *out = (mst_uniformity){
        .axial_statistic = NAN, .axial_degrees_of_freedom = NAN, .axial_p_value = NAN};
    stat_units units;
    MST_TRY(stat_units_new(&units, n, o->clusters));
    mst_status status = judge(out, m, pieces, &units, x, o);
    stat_units_free(&units);
    return status;
}

/* tr T² of T = Σ w x xᵀ/Σ w, x the features. */
static mst_status second_moment(const stat_piece *p, size_t n, size_t D, const double *x,
                                const mst_uniformity_options *o, double *trace)
{
    size_t f = p->features;
    double *t, weight = rows_weight(n, o->weights);
    MST_TRY(mst_allocate_zero(&t, f * f + f));
    double *feature = t + f * f;
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(o, i) / weight;
        stat_features(p, x + i * D, feature);
        for (size_t k = 0; k < f; k++)
            for (size_t e = 0; e < f; e++)
                t[k * f + e] += w * feature[k] * feature[e];
    }
    *trace = squared_length(f * f, t);
    mst_release(t);
    return MST_OK;
}

/* Bingham's test: n p(p + 2)/2 (tr T² − 1/p) against χ² of (p − 1)(p + 2)/2. */
mst_status uniform_axial(mst_uniformity *out, const stat_pieces *pieces, size_t n, size_t D,
                         const double *x, const mst_uniformity_options *o)
{
    double statistic = 0, degrees = 0;
    if (o->clusters != NULL)
        return MST_OK;
    for (size_t k = 0; k < pieces->count; k++) {
        double p = (double)pieces->piece[k].features, trace;
        if (pieces->piece[k].kind != PIECE_ROUND)
            return MST_OK;
        MST_TRY(second_moment(&pieces->piece[k], n, D, x, o, &trace));
        statistic += out->effective_n * p * (p + 2) / 2 * fmax(trace - 1 / p, 0);
        degrees += (p - 1) * (p + 2) / 2;
    }
    out->axial_statistic = statistic;
    out->axial_degrees_of_freedom = degrees;
    out->axial_p_value = mst_chi_square_survival(statistic, degrees);
    return MST_OK;
}

mst_status mst_uniformity_test(mst_uniformity *out, const mst_manifold *m, size_t n,
                               const double *x, const mst_uniformity_options *options)
{
    mst_uniformity_options o;
    mst_uniformity found;
    stat_pieces pieces;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_uniformity_options, options));
    MST_TRY(rows_check(m, n, x, o.weights));
    MST_TRY(stat_pieces_new(&pieces, m));
    mst_status status = MST_OK;
    if (mst_manifold_traits_of(m)->compact == MST_NO)
        status = mst_fail(MST_UNABLE, "%s has infinite volume, and so it has no uniform law",
                          mst_manifold_spec(m));
    else if (!pieces.compact)
        status = mst_fail(MST_UNABLE,
                          "the test of uniformity knows circles, tori, spheres, so3 and products "
                          "of these, but not %s",
                          mst_manifold_spec(m));
    if (status == MST_OK)
        status = uniform_test(&found, m, &pieces, n, x, &o);
    if (status == MST_OK)
        status = uniform_axial(&found, &pieces, n, mst_manifold_ambient(m), x, &o);
    if (status == MST_OK)
        *out = found;
    stat_pieces_free(&pieces);
    return status;
}
