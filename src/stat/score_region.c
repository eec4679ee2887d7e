/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* T² = (Σ s)ᵀ M⁻¹ (Σ s) over independent units, s the sum of a unit's scores in a frame at y and M their
 * spread, against Hotelling's law d(N − 1)/(N − d) F(d, N − d). Of too few units for M⁻¹ lengths alone are
 * compared (Dempster 1958): N|s̄|² / tr S against F(ν, (N − 1)ν), S = M/(N − 1) and ν = (tr Σ)²/tr Σ² the
 * number of directions that the scores really have, from 1 to d. Pieces are taken in units of their own
 * spread.
 *
 * The scores balance also where the likelihood is least, opposite to μ. There the first eigenfunctions,
 * whose mean at μ is positive for every t, are negative: points at which they are so by more than three
 * standard errors are out, if there is a mean at all. For the true μ that is one chance in a thousand at
 * most. Where the likelihood is known it also balances at saddles and other maxima of it: points are out
 * at which it is less than at the estimate by more than chance explains, by Student's law of the
 * differences of the rows (Vuong 1989). */
#include "stat/score_region.h"

#include "base/linalg.h"
#include "manifold/internal.h"
#include "score/score_internal.h"
#include "stat/distances.h"
#include "stat/distributions.h"
#include "stat/mean_clusters.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <manistat/geodesic.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const double opposite = -3, certain = 0.95;

static mst_status sum_features(score_region *g, const mst_mean_options *o)
{
    mst_uniformity_options u = mst_uniformity_options_default();
    size_t at = 0;
    u.weights = g->weights;
    u.weights_are = o->weights_are;
    u.clusters = o->clusters;
    uniform_tally *tallies;
    double *feature = NULL;
    MST_TRY(mst_allocate(&tallies, g->pieces->count));
    mst_status status = mst_allocate_zero(&g->features, g->pieces->features + 1);
    if (status == MST_OK)
        status = mst_allocate(&feature, g->pieces->features + 1);
    if (status == MST_OK)
        status = uniform_tallies(g->pieces, g->n, g->x, &u, tallies);
    for (size_t p = 0; p < g->pieces->count && status == MST_OK; p++) {
        const stat_piece *piece = &g->pieces->piece[p];
        double factor = sqrt((double)piece->features / fmax(tallies[p].square, 1e-300));
        for (size_t i = 0; i < g->n && piece->features > 0; i++) {
            double w = g->weights != NULL ? g->weights[i] : 1;
            stat_features(piece, g->x + i * g->D, feature);
            for (size_t k = 0; k < piece->features; k++)
                g->features[at + k] += w * factor * feature[k];
        }
        at += piece->features;
    }
    double statistic = 0;
    for (size_t k = 0; k < g->pieces->features && status == MST_OK; k++)
        statistic += g->features[k] * g->features[k];
    g->has_mean = g->pieces->features == 0 ||
                  statistic > mst_chi_square_quantile(0.95, (double)g->pieces->features);
    mst_release(feature);
    mst_release(tallies);
    return status;
}

/* Of the rows at the mean; of too few of them the mean follows each, and the differences say nothing. */
static mst_status take_likelihood(score_region *g, const double *mean)
{
    double N = g->independent;
    if (!g->has_mean || !mst_score_gives(g->source, MST_GIVES_LOG_P))
        return MST_OK;
    g->unlikely = sqrt(mst_f_quantile(2 * certain - 1, 1, N - 1)) + sqrt(g->limit) / 2;
    MST_TRY(mst_allocate(&g->mean_log_p, g->n));
    mst_pairs pairs = {.n = g->n, .x = g->x, .y = mean, .t = &g->time};
    return mst_score_evaluate(g->source, &pairs, &(mst_heat_values){.log_p = g->mean_log_p});
}

mst_status score_region_open(score_region *g, const mst_score *source, const stat_pieces *pieces,
                             size_t n, const double *x, const mst_mean_options *o,
                             const double *mean, double time)
{
    const mst_manifold *m = mst_score_manifold(source);
    *g = (score_region){.source = source,
                        .m = m,
                        .pieces = pieces,
                        .n = n,
                        .d = mst_manifold_dim(m),
                        .D = mst_manifold_ambient(m),
                        .x = x,
                        .weights = o->weights,
                        .counts = o->weights_are == MST_WEIGHTS_COUNTS && o->clusters == NULL,
                        .time = time};
    MST_TRY(stat_units_new(&g->units, n, o->clusters));
    double d = (double)g->d, total = rows_weight(n, g->weights);
    g->independent = o->clusters == NULL ? total : 0;
    for (size_t u = 0, i = 0; u < g->units.count && o->clusters != NULL; u++) {
        double weight = 0;
        for (; i < g->units.end[u]; i++)
            weight += g->weights != NULL ? g->weights[g->units.order[i]] : 1;
        g->independent += weight > 0 ? 1 : 0;
    }
    g->factor = g->independent / (g->independent - 1);
    if (o->clusters == NULL && o->weights != NULL && o->weights_are == MST_WEIGHTS_RELATIVE &&
        rows_weighing(n, g->weights) > 1) {
        mean_precision found;
        MST_TRY(mean_weights_precision(n, g->weights, &found));
        g->independent = found.degrees + 1;
        g->factor = found.factor;
    }
    g->lengths = g->independent < 2 * d + 1;
    g->confidence = o->confidence;
    if (!g->lengths && score_is_log(source))
        g->confidence = mean_confidence_of_few(g->independent, o->confidence);
    g->limit = g->lengths ? mst_chi_square_quantile(g->confidence, d)
                          : d * (g->independent - 1) / (g->independent - d) *
                                mst_f_quantile(g->confidence, d, g->independent - d);
    MST_TRY(sum_features(g, o));
    return g->lengths || mean == NULL ? MST_OK : take_likelihood(g, mean);
}

void score_region_close(score_region *g)
{
    stat_units_free(&g->units);
    mst_release(g->features);
    mst_release(g->mean_log_p);
    g->features = g->mean_log_p = NULL;
}

static mst_status is_opposite(const score_region *g, const double *y, bool *out)
{
    double *feature;
    const double *sum = g->features;
    *out = false;
    if (!g->has_mean)
        return MST_OK;
    MST_TRY(mst_allocate(&feature, g->pieces->features + 1));
    for (size_t p = 0; p < g->pieces->count; p++) {
        const stat_piece *piece = &g->pieces->piece[p];
        double z = 0;
        if (piece->features > 0)
            stat_features(piece, y, feature);
        for (size_t k = 0; k < piece->features; k++)
            z += sum[k] * feature[k];
        *out = *out || z < opposite;
        sum += piece->features;
    }
    mst_release(feature);
    return MST_OK;
}

/* log_p (n), of the rows at y, which turns into the differences from that at the mean: do they sum to less
 * than chance allows if y is the true μ? Of points whose scores balance their sum is −T²/2 next to the
 * mean, and their spread T. */
static bool is_unlikely(const score_region *g, double *log_p)
{
    double total = rows_weight(g->n, g->weights), sum = 0, square = 0;
    if (!g->has_mean || g->mean_log_p == NULL)
        return false;
    for (size_t i = 0; i < g->n; i++) {
        log_p[i] -= g->mean_log_p[i];
        sum += (g->weights != NULL ? g->weights[i] : 1) * log_p[i];
    }
    for (size_t u = 0, i = 0; u < g->units.count; u++) {
        double weight = 0, s = 0;
        for (; i < g->units.end[u]; i++) {
            double w = g->weights != NULL ? g->weights[g->units.order[i]] : 1;
            weight += w;
            s += w * log_p[g->units.order[i]];
        }
        s -= weight * sum / total;
        square += s * s / (g->counts && weight > 0 ? weight : 1);
    }
    return sum < 0 && -sum > g->unlikely * sqrt(square * g->factor);
}

/* From the rows' scores c (n, d) at y: their weighted sum (d) and `spread` (d, d), the lower triangle. */
static void gather(const score_region *g, const double *c, double *sum, double *spread, double *s)
{
    size_t d = g->d;
    double total = rows_weight(g->n, g->weights);
    memset(sum, 0, d * sizeof *sum);
    memset(spread, 0, d * d * sizeof *spread);
    for (size_t i = 0; i < g->n; i++)
        for (size_t a = 0; a < d; a++)
            sum[a] += (g->weights != NULL ? g->weights[i] : 1) * c[i * d + a];
    for (size_t u = 0, i = 0; u < g->units.count; u++) {
        double weight = 0;
        memset(s, 0, d * sizeof *s);
        for (; i < g->units.end[u]; i++) {
            size_t row = g->units.order[i];
            double w = g->weights != NULL ? g->weights[row] : 1;
            weight += w;
            for (size_t a = 0; a < d; a++)
                s[a] += w * c[row * d + a];
        }
        /* Copies of a row are units of their own. */
        double copies = g->counts && weight > 0 ? weight : 1;
        for (size_t a = 0; a < d; a++)
            s[a] -= weight * sum[a] / total;
        for (size_t a = 0; a < d; a++)
            for (size_t e = 0; e <= a; e++)
                spread[a * d + e] += s[a] * s[e] / copies;
    }
}

/* ν of N units from their spread (d, d), the lower triangle, by estimates of tr Σ and tr Σ² without bias for
 * normal scores. */
static double directions(size_t d, double units, const double *spread)
{
    double trace = 0, square = 0, f = units - 1;
    for (size_t a = 0; a < d; a++) {
        trace += spread[a * d + a] / f;
        for (size_t e = 0; e <= a; e++)
            square += (e < a ? 2 : 1) * spread[a * d + e] * spread[a * d + e] / (f * f);
    }
    square = f * f / ((f - 1) * (f + 2)) * (square - trace * trace / f);
    double found = trace * trace / square;
    return f > 1 && found >= 1 ? fmin(found, (double)d) : f > 1 && !(square > 0) ? (double)d : 1;
}

/* The statistic by lengths, in units of its own quantile times the limit. The spread is used up. */
static mst_status compare_lengths(const score_region *g, const double *sum, double *spread,
                                  double *out)
{
    size_t d = g->d;
    double N = g->independent;
    *out = 0;
    if (!(N > 1)) /* which says nothing */
        return MST_OK;
    for (size_t p = 0; p < g->pieces->count; p++) {
        const stat_piece *piece = &g->pieces->piece[p];
        size_t end = piece->first + piece->dim;
        double trace = 0, square = 0;
        for (size_t a = piece->first; a < end; a++) {
            trace += spread[a * d + a];
            square += sum[a] * sum[a] / g->factor;
        }
        if (!(square > 0))
            continue;
        *out += (double)piece->dim * square / trace / (double)d;
        double unit = sqrt((N - 1) * (double)piece->dim / trace);
        for (size_t a = piece->first; a < d; a++)
            for (size_t e = 0; e <= a; e++)
                spread[a * d + e] *=
                    (a < end ? unit : 1) * (e >= piece->first && e < end ? unit : 1);
    }
    double nu = directions(d, N, spread);
    *out *= g->limit / mst_f_quantile(g->confidence, nu, (N - 1) * nu);
    return MST_OK;
}

/* The statistic, from the sum and the spread, which is used up. INFINITY where the spread is singular and the
 * sum is not in its span. */
static mst_status statistic_of(const score_region *g, const double *sum, double *spread,
                               double *out)
{
    size_t d = g->d;
    *out = 0;
    if (g->lengths)
        return compare_lengths(g, sum, spread, out);
    mst_status status = mst_cholesky(1, d, spread, spread, NULL);
    if (status != MST_OK) {
        *out = INFINITY;
        return status == MST_DOMAIN ? MST_OK : status;
    }
    double *w;
    MST_TRY(mst_allocate(&w, d));
    for (size_t a = 0; a < d; a++) {
        w[a] = sum[a];
        for (size_t e = 0; e < a; e++)
            w[a] -= spread[a * d + e] * w[e];
        w[a] /= spread[a * d + a];
        *out += w[a] * w[a] / g->factor;
    }
    mst_release(w);
    return MST_OK;
}

mst_status score_region_excess(const score_region *g, const double *y, double *excess)
{
    size_t n = g->n, d = g->d, D = g->D;
    bool far;
    double statistic = 0, *score;
    *excess = INFINITY;
    MST_TRY(is_opposite(g, y, &far));
    if (far)
        return MST_OK;
    MST_TRY(mst_allocate(&score, n * D + n * d + 2 * d + d * d + n));
    double *c = score + n * D, *sum = c + n * d, *s = sum + d, *spread = s + d,
           *log_p = g->mean_log_p != NULL ? spread + d * d : NULL;
    mst_pairs pairs = {.n = n, .x = g->x, .y = y, .t = &g->time};
    mst_status status =
        mst_score_evaluate(g->source, &pairs, &(mst_heat_values){.log_p = log_p, .score = score});
    if (status == MST_OK && is_unlikely(g, log_p))
        statistic = INFINITY;
    else if (status == MST_OK)
        status = mst_to_frame_at(g->m, n, y, score, c);
    if (status == MST_OK && statistic < INFINITY) {
        gather(g, c, sum, spread, s);
        status = statistic_of(g, sum, spread, &statistic);
    }
    /* The sign is that of the comparison, whatever the roots are rounded to. */
    if (mst_geodesic_is_searched(g->m) && distances_are_lost(status)) { /* as far as it is known */
        statistic = INFINITY;
        status = MST_OK;
    }
    double over = sqrt(statistic) - sqrt(g->limit);
    if (status == MST_OK)
        *excess = statistic <= g->limit ? fmin(over, 0)
                  : isnan(over)         ? INFINITY
                                        : fmax(over, DBL_MIN);
    mst_release(score);
    return status;
}

mst_status score_region_holds(const score_region *g, const double *y, bool *holds)
{
    double excess;
    mst_status status = score_region_excess(g, y, &excess);
    *holds = excess <= 0;
    return status;
}

/* ---- How much of the manifold ---- */

double score_region_price(const score_region *g)
{
    double row = mst_geodesic_is_searched(g->m) ? 10 : 1;
    return row * (double)g->n * (1 + (double)(g->d * g->d) / 200);
}

typedef struct survey {
    const score_region *g;
    const double *points;
    unsigned char *held;
} survey;

static mst_status look_at_points(void *context, size_t begin, size_t end)
{
    const survey *s = context;
    for (size_t k = begin; k < end; k++) {
        bool holds;
        MST_TRY(score_region_holds(s->g, s->points + k * s->g->D, &holds));
        s->held[k] = holds;
    }
    return MST_OK;
}

/* A quarter turn along an axis of each piece, either way, where scores are largest if data are nearly
 * uniform, and a half turn: `count` points. */
static mst_status turned_points(const score_region *g, const double *mean, size_t count,
                                double *out)
{
    double *step;
    MST_TRY(mst_allocate(&step, g->d + g->D));
    mst_status status = MST_OK;
    for (size_t k = 0; k < count && status == MST_OK; k++) {
        size_t axis = k / 3 * (g->d / (count / 3));
        const stat_piece *piece = g->pieces->piece;
        while (axis >= piece->first + piece->dim)
            piece++;
        memset(step, 0, g->d * sizeof *step);
        step[axis] = M_PI / piece->scale * (k % 3 == 0 ? 0.5 : k % 3 == 1 ? -0.5 : 1);
        status = mst_manifold_from_frame(g->m, 1, mean, step, step + g->d);
        if (status == MST_OK)
            status = mst_manifold_exp(g->m, 1, mean, step + g->d, out + k * g->D);
    }
    mst_release(step);
    return status;
}

static mst_status look(const score_region *g, size_t count, const double *points, int threads,
                       unsigned char *flags, size_t *held)
{
    survey s = {.g = g, .points = points, .held = flags};
    MST_TRY(mst_parallel_blocks(count, 4, threads, (mst_progress){0}, look_at_points, &s));
    *held = 0;
    for (size_t k = 0; k < count; k++)
        *held += flags[k];
    return MST_OK;
}

/* The points (count, D) that are held, and room for more. */
static mst_status keep_held(const score_region *g, size_t count, const double *points,
                            const unsigned char *flags, score_held *out)
{
    MST_TRY(mst_allocate(&out->points, (count + ROOM_FOR_OTHERS) * g->D));
    for (size_t k = 0; k < count; k++)
        if (flags[k])
            memcpy(out->points + out->count++ * g->D, points + k * g->D,
                   g->D * sizeof *out->points);
    return MST_OK;
}

mst_status score_region_survey(const score_region *g, const double *mean, uint64_t seed,
                               int threads, bool *whole, double *share, score_held *kept)
{
    /* Each point costs n scores and their spread: a share to a few per cent is enough. */
    size_t random = (size_t)fmin(fmax(6e4 / score_region_price(g), 40), 400), held = 0;
    size_t turned = 3 * (g->d < 8 ? g->d : 8); /* they are fewer */
    double *points;
    unsigned char *flags = NULL;
    *kept = (score_held){0};
    MST_TRY(mst_allocate(&points, random * g->D));
    mst_status status = mst_allocate(&flags, random);
    if (status == MST_OK)
        status = mst_manifold_random_point(g->m, (mst_random){seed, UINT64_C(5) << 40}, 0, random,
                                           points);
    if (status == MST_OK)
        status = look(g, random, points, threads, flags, &held);
    *share = (double)held / (double)random;
    *whole = status == MST_OK && held == random;
    if (status == MST_OK)
        status = keep_held(g, random, points, flags, kept);
    /* Else the others have nothing to say; and how long a quarter turn is must be known. */
    if (g->pieces->features == 0)
        turned = held;
    else if (*whole) /* else the others have nothing to say */
        status = turned_points(g, mean, turned, points);
    if (*whole && status == MST_OK && g->pieces->features > 0)
        status = look(g, turned, points, threads, flags, &held);
    *whole = *whole && held == turned;
    mst_release(flags);
    mst_release(points);
    return status;
}
