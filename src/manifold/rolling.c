/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rolling. The way of a step is √h (I − A + ½A²) ξ, A = (h/12) Ric, as of every geodesic walk, less A(x + √h
 * ξ) √h ξ − A(x) √h ξ: its mean is the drift −(h²/24)∇Scal that weak order two takes where the curvature is
 * not constant, because div Ric = ½∇Scal. The geodesic is one step of the classical method of order four,
 * whose error |v|⁵ is odd in ξ to leading order and counts as O(h³). */
#include "manifold/rolling.h"

#include "base/lanes.h"
#include "base/random_kernels.h"
#include "manifold/internal.h"
#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

/* ---- A block of paths ---- */

enum { MOST_IN = ROLLING_AMBIENT * (ROLLING_DIM + 1) + ROLLING_DIM };

/* Everything by columns of n numbers. `state` is the points and their frames, S columns in all. */
typedef struct walker {
    const mst_manifold *m;
    const rolling *r;
    size_t n, d, D, S, R;                               /* R numbers of a Ricci tensor */
    double *state, *at, *slope, *second, *sum, *before; /* (S) */
    double *way, *part;                                 /* (d) */
    double *ricci, *guess;                              /* (R) */
    double *gradient;                                   /* (constraints · (1 + D)), or bounds */
    double *room[4];                                    /* of slope, arrive, pull, bounds */
    unsigned char *left;                                /* (n) */
    mst_status status;                                  /* of what programs do not do */
    double *block;
} walker;

static const formula_program *program_of(const rolling *r, size_t k)
{
    const formula_program *all[] = {&r->slope, &r->arrive, &r->pull, r->bounds};
    return all[k];
}

static mst_status walker_new(walker *w, const mst_manifold *m, const rolling *r, size_t n)
{
    size_t d = r->d, D = r->D, S = D + d * D, R = rolling_ricci_size(d), rooms = 0;
    size_t other = (D - d) * (1 + D);
    *w = (walker){.m = m, .r = r, .n = n, .d = d, .D = D, .S = S, .R = R};
    for (size_t k = 0; k < 4; k++)
        rooms += program_of(r, k) != NULL ? formula_room(program_of(r, k)) : 0;
    if (r->bounds != NULL && r->bounds->outputs > other)
        other = r->bounds->outputs;
    size_t columns[] = {S, S, S, S, S, S, d, d, R, R, other}, all = 0;
    double **places[] = {&w->state, &w->at,   &w->slope, &w->second, &w->sum,     &w->before,
                         &w->way,   &w->part, &w->ricci, &w->guess,  &w->gradient};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        all += columns[k];
    MST_TRY(mst_allocate(&w->block, rooms + all * n + MST_LANES));
    double *next = w->block;
    for (size_t k = 0; k < 4; k++) {
        const formula_program *p = program_of(r, k);
        w->room[k] = next;
        if (p == NULL || p->outputs == 0)
            continue;
        formula_prepare(p, next);
        next += formula_room(p);
    }
    for (size_t k = 0; k < sizeof columns / sizeof *columns; next += n * columns[k++])
        *places[k] = next;
    w->left = (unsigned char *)next;
    memset(w->left, 0, n);
    return MST_OK;
}

static void walker_free(walker *w)
{
    mst_release(w->block);
}

/* Program k at the state (S) with the way b (d) or null, to results that stand one after the other. */
static void run(walker *w, size_t k, const double *state, const double *b, size_t first,
                double *out, size_t second, double *rest)
{
    formula_input in[MOST_IN];
    formula_output to[MOST_IN];
    for (size_t c = 0; c < w->S; c++)
        in[c] = (formula_input){state + c * w->n, 1};
    for (size_t c = 0; c < w->d; c++)
        in[w->S + c] = (formula_input){b != NULL ? b + c * w->n : NULL, 1};
    for (size_t c = 0; c < first; c++)
        to[c] = (formula_output){out != NULL ? out + c * w->n : NULL, 1};
    for (size_t c = 0; c < second; c++)
        to[first + c] = (formula_output){rest + c * w->n, 1};
    formula_run_in(program_of(w->r, k), w->n, in, to, w->room[k]);
}

static void keep(walker *w, mst_status status)
{
    w->status = w->status == MST_OK ? status : w->status;
}

static void slope_at(walker *w, const double *state, const double *b, double *out)
{
    if (w->r->slopes != NULL)
        keep(w, w->r->slopes(w->m, w->n, state, b, out));
    else
        run(w, 0, state, b, w->S, out, 0, NULL);
}

/* `frame` null: not wanted. */
static void arrive_at(walker *w, const double *state, double *frame, double *ricci)
{
    if (w->r->arrival != NULL)
        keep(w, w->r->arrival(w->m, w->n, state, frame, ricci));
    else
        run(w, 1, state, NULL, w->d * w->D, frame, w->R, ricci);
}

/* Without a call. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double ricci_entry(const walker *w, const double *ricci, size_t a, size_t c, size_t i)
{
    if (w->R == 1)
        return a == c ? ricci[i] : 0;
    size_t row = a > c ? a : c, column = a > c ? c : a;
    return ricci[(row * (row + 1) / 2 + column) * w->n + i];
}

/* out = Ric b of path i. */
static void apply_ricci(const walker *w, const double *ricci, size_t i, const double *b,
                        double *out)
{
    for (size_t a = 0; a < w->d; a++) {
        out[a] = 0;
        for (size_t c = 0; c < w->d; c++)
            out[a] += ricci_entry(w, ricci, a, c, i) * b[c];
    }
}

/* The way that is walked, from the increments b (d). */
static void find_way(walker *w, const double *h, const double *b)
{
    size_t n = w->n, d = w->d;
    for (size_t c = 0; c < w->D; c++)
        for (size_t i = 0; i < n; i++) {
            double sum = w->state[c * n + i];
            for (size_t a = 0; a < d; a++)
                sum += b[a * n + i] * w->state[(w->D + a * w->D + c) * n + i];
            w->at[c * n + i] = sum;
        }
    memcpy(w->at + w->D * n, w->state + w->D * n, (w->S - w->D) * n * sizeof *w->at);
    arrive_at(w, w->at, NULL, w->guess);
    for (size_t i = 0; i < n; i++) {
        double own[ROLLING_DIM], first[ROLLING_DIM], second[ROLLING_DIM], there[ROLLING_DIM];
        double part = h[i] / 12, size = 0, change = 0;
        for (size_t a = 0; a < d; a++)
            own[a] = b[a * n + i];
        apply_ricci(w, w->ricci, i, own, first);
        apply_ricci(w, w->ricci, i, first, second);
        apply_ricci(w, w->guess, i, own, there);
        for (size_t a = 0; a < d; a++) {
            there[a] = part * (there[a] - first[a]);
            change += there[a] * there[a];
            size += own[a] * own[a];
        }
        /* Beyond the domain, or next to a singular point, nothing can be learned about the gradient. */
        double trust = change <= 0.25 * size ? 1 : 0;
        for (size_t a = 0; a < d; a++)
            w->way[a * n + i] =
                own[a] + part * (part / 2 * second[a] - first[a]) - (trust > 0 ? there[a] : 0);
    }
}

/* How fast the frame turns, at most, along each way: in the coordinates at its beginning, and by the
 * curvature. */
static void find_turns(const walker *w, double *turn)
{
    size_t n = w->n;
    for (size_t i = 0; i < n; i++) {
        double length = 0, curved = 0;
        for (size_t a = 0; a < w->d; a++)
            length += w->way[a * n + i] * w->way[a * n + i];
        for (size_t k = 0; k < w->R; k++)
            curved = larger(fabs(w->ricci[k * n + i]), curved);
        turn[i] = length * curved;
    }
    for (size_t a = 0; a < w->d; a++)
        for (size_t i = 0; i < n; i++) {
            double turned = 0, size = 0;
            for (size_t c = 0; c < w->D; c++) {
                size_t place = (w->D + a * w->D + c) * n + i;
                turned += w->slope[place] * w->slope[place];
                size += w->state[place] * w->state[place];
            }
            turn[i] = larger(turned / size, turn[i]);
        }
    for (size_t i = 0; i < n; i++)
        turn[i] = sqrt(turn[i]);
}

/* x ← base + factor · slope, and sum ← sum + weight · slope. */
static void add_stage(size_t count, const double *base, double factor, const double *slope,
                      double weight, double *sum, double *x)
{
    for (size_t k = 0; k < count; k++) {
        sum[k] += weight * slope[k];
        x[k] = base[k] + factor * slope[k];
    }
}

/* How far apart the second and the third slope of the frames are, against the frames. */
static void find_defects(const walker *w, const double *third, double *defect)
{
    size_t n = w->n;
    for (size_t i = 0; i < n; i++)
        defect[i] = 0;
    for (size_t a = 0; a < w->d; a++)
        for (size_t i = 0; i < n; i++) {
            double apart = 0, size = 0;
            for (size_t c = 0; c < w->D; c++) {
                size_t place = (w->D + a * w->D + c) * n + i;
                double by = third[place] - w->second[place];
                apart += by * by;
                size += w->state[place] * w->state[place];
            }
            defect[i] += apart / size; /* NAN stays */
        }
}

/* One step of the classical method along b, to w->sum; its first slope stands in w->slope. */
static void advance(walker *w, const double *b, double *defect)
{
    size_t count = w->S * w->n;
    static const double factors[3] = {0.5, 0.5, 1}, weights[3] = {1.0 / 6, 1.0 / 3, 1.0 / 3};
    memcpy(w->sum, w->state, count * sizeof *w->sum);
    for (size_t stage = 0; stage < 3; stage++) {
        add_stage(count, w->state, factors[stage], w->slope, weights[stage], w->sum, w->at);
        slope_at(w, w->at, b, stage == 0 ? w->second : w->slope);
        if (stage == 0)
            memcpy(w->slope, w->second, count * sizeof *w->slope);
        else if (stage == 1)
            find_defects(w, w->slope, defect);
    }
    add_stage(count, w->sum, 1.0 / 6, w->slope, 1.0 / 6, w->sum, w->at);
}

/* What part of each way is tried next. */
static bool find_shares(walker *w, double most_turn, const double *rest, const double *limit,
                        double *share)
{
    size_t n = w->n;
    bool whole = true;
    find_turns(w, share);
    for (size_t i = 0; i < n; i++) {
        double most = rest[i] < limit[i] ? rest[i] : limit[i];
        share[i] = most * share[i] <= most_turn ? most : most_turn / share[i];
        whole = whole && share[i] == 1;
    }
    return whole;
}

/* Which paths are outside of the domain, or nowhere; out (n) is added to. */
static void find_outside(walker *w, unsigned char *out)
{
    size_t n = w->n, bounds = w->r->bounds != NULL ? w->r->bounds->outputs : 0;
    for (size_t c = 0; c < w->S; c++)
        for (size_t i = 0; i < n; i++)
            out[i] = out[i] || !(fabs(w->state[c * n + i]) <= 1e150);
    if (bounds > 0)
        run(w, 3, w->state, NULL, bounds, w->gradient, 0, NULL);
    for (size_t k = 0; k < bounds; k++)
        for (size_t i = 0; i < n; i++)
            out[i] = out[i] || !(w->gradient[k * n + i] > 0);
}

static void lose(walker *w, size_t i, double *rest)
{
    w->state[i] = NAN;
    rest[i] = 0;
}

/* Paths that leave the domain on the way do not come back. */
static void stop_outside(walker *w, double *rest)
{
    unsigned char out[MST_LANES] = {0};
    find_outside(w, out);
    for (size_t i = 0; i < w->n; i++)
        if (out[i])
            lose(w, i, rest);
}

/* Along the ways, in parts in which the frames turn by no more than most_turn, and in which the slopes agree
 * as they do for a turn of that size. */
static void follow(walker *w, double most_turn)
{
    enum { MOST = 500 };
    const double most_defect = pow(most_turn, 6) / 16, least = 1e-6;
    double rest[MST_LANES], limit[MST_LANES], share[MST_LANES], defect[MST_LANES], longest = 1;
    size_t n = w->n;
    for (size_t i = 0; i < n; i++) /* what has left stays where it is */
        rest[i] = limit[i] = w->left[i] ? 0 : 1;
    for (size_t part = 0; longest > 0 && part < MOST; part++) {
        slope_at(w, w->state, w->way, w->slope);
        const double *b = w->way;
        if (!find_shares(w, most_turn, rest, limit, share)) {
            for (size_t c = 0; c < w->S; c++)
                for (size_t i = 0; i < n; i++)
                    w->slope[c * n + i] *= share[i];
            for (size_t a = 0; a < w->d; a++)
                for (size_t i = 0; i < n; i++)
                    w->part[a * n + i] = share[i] * w->way[a * n + i];
            b = w->part;
        }
        advance(w, b, defect);
        longest = 0;
        for (size_t i = 0; i < n; i++) {
            bool good = defect[i] <= most_defect || share[i] < least;
            if (!(share[i] >= least) && isnan(defect[i])) { /* there is no metric to go on in */
                lose(w, i, rest);
                continue;
            }
            for (size_t c = 0; good && c < w->S; c++)
                w->state[c * n + i] = w->sum[c * n + i];
            rest[i] -= good ? share[i] : 0;
            for (size_t a = 0; a < w->d && rest[i] == 0; a++)
                w->way[a * n + i] = 0; /* it has been gone */
            limit[i] = good ? 1.5 * share[i] : share[i] / 3;
            longest = larger(rest[i], longest);
        }
        if (longest > 0 && w->r->bounds != NULL)
            stop_outside(w, rest);
    }
    for (size_t i = 0; i < n; i++)
        if (rest[i] > 0) /* it turns and turns: no step leads on */
            w->state[i] = NAN;
}

/* Back to the manifold, each path on its own. Those that do not come back become NAN. */
static void pull_back(walker *w)
{
    enum { MOST = 30 };
    const double enough = 1e-9;
    bool there[MST_LANES] = {false}, all = false;
    for (size_t round = 0; round < MOST && !all; round++) {
        all = true;
        run(w, 2, w->state, NULL, w->D, w->at, 0, NULL);
        for (size_t i = 0; i < w->n; i++) {
            double way = 0, size = 1;
            for (size_t c = 0; !there[i] && c < w->D; c++) {
                double *x = &w->state[c * w->n + i], by = w->at[c * w->n + i] - *x;
                way += by * by;
                size += *x * *x;
                *x += by;
            }
            there[i] = way <= enough * enough * size;
            all = all && (there[i] || isnan(way));
        }
    }
    for (size_t i = 0; i < w->n; i++)
        if (!there[i])
            w->state[i] = NAN;
}

static void wrap(walker *w)
{
    for (size_t c = 0; w->r->period != NULL && c < w->D; c++) {
        double period = w->r->period[c], half = period / 2, *x = w->state + c * w->n;
        for (size_t i = 0; period > 0 && i < w->n; i++)
            if (!(fabs(x[i]) <= half))
                x[i] -= period * round(x[i] / period);
    }
}

/* Paths that have left the domain wait where they were before. */
static void find_left(walker *w)
{
    size_t n = w->n;
    unsigned char out[MST_LANES] = {0};
    find_outside(w, out);
    for (size_t i = 0; i < n; i++) {
        w->left[i] |= out[i];
        for (size_t c = 0; w->left[i] && c < w->S; c++)
            w->state[c * n + i] = w->before[c * n + i];
    }
}

/* Orthonormal frame and curvature where the paths are now. */
static void arrive(walker *w)
{
    arrive_at(w, w->state, w->state + w->D * w->n, w->ricci);
}

/* h null: without the corrections. */
static void step(walker *w, const double *h, const double *b)
{
    const double usual_turn = 0.75, careful_turn = 0.6;
    memcpy(w->before, w->state, w->S * w->n * sizeof *w->state);
    if (h != NULL)
        find_way(w, h, b);
    else
        memcpy(w->way, b, w->d * w->n * sizeof *b);
    follow(w, h != NULL ? usual_turn : careful_turn);
    wrap(w);
    if (w->r->projects)
        pull_back(w);
    find_left(w);
    arrive(w);
    /* The frame is none where the metric is not positive definite. */
    for (size_t c = 0; c < w->S; c++)
        for (size_t i = 0; i < w->n; i++)
            if (isnan(w->state[c * w->n + i])) {
                w->left[i] = 1;
                w->state[c * w->n + i] = w->before[c * w->n + i];
            }
}

/* ---- Where frames begin ---- */

static double row_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* The unit vector that is left of v when the `count` rows of `basis` are taken out; its length before. */
static double take_out(size_t D, size_t count, double (*basis)[ROLLING_AMBIENT], double *v)
{
    for (size_t k = 0; k < count; k++) {
        double part = row_dot(D, basis[k], v);
        for (size_t a = 0; a < D; a++)
            v[a] -= part * basis[k][a];
    }
    double length = sqrt(row_dot(D, v, v));
    for (size_t a = 0; a < D; a++)
        v[a] /= length;
    return length;
}

/* The axes of R^D that are least normal, one after the other, to `rows` (c, D); d vectors behind the first c
 * of `basis`. */
static void complete(size_t D, size_t c, double (*basis)[ROLLING_AMBIENT])
{
    for (size_t k = 0; k < c; k++)
        take_out(D, k, basis, basis[k]);
    for (size_t k = c; k < D; k++) {
        double longest = -1;
        for (size_t axis = 0; axis < D; axis++) {
            double v[ROLLING_AMBIENT] = {0};
            v[axis] = 1;
            double length = take_out(D, k, basis, v);
            if (length <= longest)
                continue;
            longest = length;
            memcpy(basis[k], v, D * sizeof *v);
        }
    }
}

static mst_status begin_embedded(walker *w)
{
    size_t n = w->n, D = w->D, c = D - w->d;
    const formula_program *value = w->m->columns->value;
    formula_input in[ROLLING_AMBIENT];
    formula_output out[ROLLING_AMBIENT * (ROLLING_AMBIENT + 1)];
    for (size_t k = 0; k < D; k++)
        in[k] = (formula_input){w->state + k * n, 1};
    for (size_t k = 0; k < c + c * D; k++)
        out[k] = (formula_output){w->gradient + k * n, 1};
    MST_TRY(formula_run(value, n, in, out));
    for (size_t i = 0; i < n; i++) {
        double basis[ROLLING_AMBIENT][ROLLING_AMBIENT];
        for (size_t k = 0; k < c * D; k++)
            basis[k / D][k % D] = w->gradient[(c + k) * n + i];
        complete(D, c, basis);
        for (size_t k = 0; k < w->d * D; k++)
            w->state[(D + k) * n + i] = basis[c + k / D][k % D];
    }
    return MST_OK;
}

/* From the points of w->state. */
static mst_status begin(walker *w)
{
    size_t n = w->n, D = w->D;
    if (w->r->projects)
        MST_TRY(begin_embedded(w));
    else
        for (size_t k = 0; k < w->d * D * n; k++)
            w->state[D * n + k] = k / n / D == k / n % D;
    arrive(w);
    return w->status;
}

/* ---- Slots ---- */

static void put(const walker *w, size_t k, const mst_rolling_paths *p)
{
    size_t points = w->D * w->n, frames = w->d * points, curved = w->R * w->n;
    memcpy(p->x + k * points, w->state, points * sizeof *p->x);
    memcpy(p->frame + k * frames, w->state + points, frames * sizeof *p->frame);
    memcpy(p->ricci + k * curved, w->ricci, curved * sizeof *p->ricci);
}

mst_status rolling_roll(const mst_manifold *m, const rolling *r, const mst_rolling_paths *p)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    size_t n = p->n, d = m->dim;
    walker w;
    LANES(z, ROLLING_DIM);
    MST_TRY(walker_new(&w, m, r, n));
    memcpy(w.state, p->x, w.D * n * sizeof *w.state);
    mst_status status = begin(&w);
    if (status != MST_OK) {
        walker_free(&w);
        return status;
    }
    put(&w, 0, p);
    for (size_t k = 0; status == MST_OK && k < p->steps; k++) {
        double *b = p->increment + k * d * n, h[MST_LANES];
        for (size_t i = 0; i < n; i++)
            h[i] = p->h[i] * (p->part != NULL ? p->part[k] : 1);
        if (p->lead != NULL) {
            status = p->lead(p->context, k, w.state, w.state + w.D * n, w.ricci, b);
            if (status != MST_OK)
                break;
        } else {
            random->step(p->noise.seed, p->noise.first_path, p->noise.first_step + k, d, z);
            for (size_t e = 0; e < d * n; e++)
                b[e] = sqrt(h[e % n]) * z[e / n][e % n] + (p->push ? h[e % n] * p->push[e] : 0);
        }
        step(&w, p->plain ? NULL : h, b);
        put(&w, k + 1, p);
        status = w.status;
    }
    memcpy(p->left, w.left, n);
    walker_free(&w);
    return status;
}

/* A frame of its own in each step, so that it does not matter how many of them one call makes. */
static mst_status walk_block(walker *w, double *x, double h, size_t steps, mst_noise noise)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    size_t n = w->n, d = w->d, D = w->D;
    double each[MST_LANES], b[ROLLING_DIM * MST_LANES];
    LANES(z, ROLLING_DIM);
    for (size_t i = 0; i < n; i++) {
        each[i] = h;
        w->left[i] = mst_is_lost(D, x + i * D);
        if (w->left[i])
            mst_manifold_start(w->m, x + i * D);
        for (size_t c = 0; c < D; c++)
            w->state[c * n + i] = x[i * D + c];
    }
    for (size_t k = 0; k < steps; k++) {
        random->step(noise.seed, noise.first_path, noise.first_step + k, d, z);
        for (size_t e = 0; e < d * n; e++)
            b[e] = sqrt(h) * z[e / n][e % n];
        MST_TRY(begin(w));
        step(w, each, b);
        MST_TRY(w->status);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < D; c++)
            x[i * D + c] = w->left[i] ? NAN : w->state[c * n + i];
    return MST_OK;
}

mst_status rolling_walk(const mst_manifold *m, const rolling *r, size_t n, double *x, double h,
                        size_t steps, mst_noise noise)
{
    for (size_t at = 0; at < n; at += MST_LANES) {
        walker w;
        mst_noise own = noise;
        own.first_path += at;
        MST_TRY(walker_new(&w, m, r, n - at < MST_LANES ? n - at : MST_LANES));
        mst_status status = walk_block(&w, x + at * m->ambient, h, steps, own);
        walker_free(&w);
        MST_TRY(status);
    }
    return MST_OK;
}

mst_status mst_rolling_roll(const mst_manifold *m, const mst_rolling_paths *p)
{
    return rolling_roll(m, m->columns->rolling, p);
}

mst_status mst_rolling_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                            mst_noise noise)
{
    return rolling_walk(m, m->columns->rolling, n, x, h, steps, noise);
}
