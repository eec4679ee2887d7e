/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on any manifold whose geodesics are searched for, of any dimension. The engine gives the
 * geodesics of a pair without a conjugate point and van Vleck's determinant of each, b₀ = ½ log det, and a₁
 * is Simpson's rule of Scal/12 along it. Both are smooth in y. Their first and second
 * derivatives are differences along the vectors of a frame at y, for which the kept paths
 * are led to ends beside y; with them the equation that a₁ must solve is asked at y,
 *   a₁ + r ∂_r a₁ = q,  q = ½(Δb₀ + |∇b₀|²),
 * and what is missing, ρ, is both the better part of a correction and the estimate of the error. */
#include "score/expansion_search.h"
#include "base/columns.h"
#include "score/expansion.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

enum { SEVERAL = SEARCH_SEVERAL };

/* ---- Room ---- */

/* What the engine says of the geodesics of all pairs at one place of their ends y, (n, SEVERAL). */
typedef struct answers {
    double *length, *log_x, *log_y, *van_vleck, *conjugate, *path, *hessian, *mixed;
    mst_geodesic_status *status;
} answers;

typedef struct search_room {
    size_t n, d, D;
    answers base, moved;
    search_ray *rays;             /* (n, SEVERAL) */
    double *ray_numbers;          /* theirs */
    double *frame, *aside;        /* (n, d, D) and (n, D): the frame at y, and ends beside y */
    double *away, *h;             /* (n, D), (n): a step, and the length of steps */
    double *points;               /* (n SEVERAL, D): places of curvatures */
    double *curvature;            /* (n SEVERAL) */
    double *diagonal;             /* (n SEVERAL, d) */
    double *there, *form;         /* (d, D), (d, d) */
    double *at_x;                 /* (n): Scal at x */
    double *bound;                /* (n): the largest |Ric| of a row, as a norm */
    mst_geodesic_status *arrived; /* (n) */
    mst_geodesics *kept;
    double *block;
} search_room;

static mst_status room_new(search_room *r, const mst_manifold *m, size_t n, bool curved)
{
    size_t d = m->dim, D = m->ambient, all = n * SEVERAL, one = all * (3 + 5 * D);
    *r = (search_room){.n = n, .d = d, .D = D};
    size_t ray = search_ray_numbers(d);
    MST_TRY(mst_allocate_zero(&r->base.status, all));
    MST_TRY(mst_allocate_zero(&r->moved.status, all));
    MST_TRY(mst_allocate_zero(&r->arrived, n));
    MST_TRY(mst_allocate_zero(&r->rays, all));
    MST_TRY(mst_allocate(&r->block, 2 * one + (curved ? 2 : 1) * all * D * D + all * ray +
                                        n * (d * D + 2 * D + 3) + all * (D + 1 + d) + d * (d + D)));
    double *at = r->block;
    answers *const sets[] = {&r->base, &r->moved};
    for (size_t k = 0; k < 2; k++) {
        sets[k]->length = at;
        sets[k]->van_vleck = at += all;
        sets[k]->conjugate = at += all;
        sets[k]->log_x = at += all;
        sets[k]->log_y = at += all * D;
        sets[k]->path = at += all * D;
        at += 3 * all * D;
    }
    double **const wide[] = {&r->aside, &r->away}, **const narrow[] = {&r->h, &r->at_x, &r->bound};
    for (size_t k = 0; k < 2; k++, at += n * D)
        *wide[k] = at;
    for (size_t k = 0; k < 3; k++, at += n)
        *narrow[k] = at;
    r->frame = at;
    r->points = at += n * d * D;
    r->curvature = at += all * D;
    r->diagonal = at += all;
    r->there = at += all * d;
    r->form = at += d * D;
    r->ray_numbers = at += d * d;
    at += all * ray;
    r->base.mixed = at;
    r->base.hessian = curved ? at + all * D * D : NULL;
    for (size_t k = 0; k < all; k++)
        search_ray_place(&r->rays[k], d, r->ray_numbers + k * ray);
    return mst_geodesics_new(&r->kept, m, n);
}

static void room_free(search_room *r)
{
    mst_geodesics_free(r->kept);
    mst_release(r->base.status);
    mst_release(r->moved.status);
    mst_release(r->arrived);
    mst_release(r->rays);
    mst_release(r->block);
}

/* ---- Geodesics ---- */

static bool has_answer(mst_geodesic_status status)
{
    return status == MST_GEODESIC_MINIMAL || status == MST_GEODESIC_LEAST ||
           status == MST_GEODESIC_LOCAL;
}

/* Geodesics with less than e to the minus this of p are left out. */
static const double negligible = 20;

/* From the ends `from` of the block's rows to their x. */
static mst_status find(const mst_manifold *m, const expansion_block *b, const double *from,
                       search_room *r, answers *to)
{
    double longest = 0;
    for (size_t i = 0; i < b->n; i++)
        longest = fmax(longest, b->t[i]);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.several = SEVERAL;
    o.window = 2 * negligible * longest;
    o.tolerance = 1e-9;
    o.log_tolerance = 1e-8;
    o.threads = 1;
    o.warm = r->kept;
    mst_geodesic_output out = {.length = to->length,
                               .log_x = to->log_y,
                               .log_y = to->log_x,
                               .status = to->status,
                               .points = 3,
                               .path = to->path,
                               .hessian = to->hessian,
                               .mixed = to->mixed,
                               .conjugate = to == &r->base ? to->conjugate : NULL,
                               .van_vleck = to->van_vleck};
    return mst_geodesic_solve(m, b->n, from, b->x, &o, &out);
}

/* Points so near each other that the engine has no second derivatives for them: it is flat between them. */
static mst_status find_near(const mst_manifold *m, const expansion_block *b, search_room *r)
{
    size_t D = r->D;
    const answers *a = &r->base;
    mst_geodesic_options o = mst_geodesic_options_default();
    o.threads = 1;
    for (size_t i = 0; i < b->n; i++) {
        size_t k = i * SEVERAL;
        if (has_answer(a->status[k]))
            continue;
        mst_geodesic_output out = {.length = a->length + k,
                                   .log_x = a->log_y + k * D,
                                   .log_y = a->log_x + k * D,
                                   .status = a->status + k,
                                   .conjugate = a->conjugate + k,
                                   .points = 3,
                                   .path = a->path + 3 * k * D};
        MST_TRY(mst_geodesic_solve(m, 1, b->y + i * D, b->x + i * D, &o, &out));
        if (!(a->length[k] <= 1e-4 * sqrt(b->t[i])))
            a->status[k] = MST_GEODESIC_NOT_CONVERGED;
        a->van_vleck[k] = 1;
        a->mixed[k * D * D] = NAN;
    }
    return MST_OK;
}

/* ---- Curvature ---- */

/* Scal at n points, and the norm of the diagonal of Ric into `size`, or null. */
static mst_status scalar_curvature(const mst_manifold *m, size_t n, const double *x, search_room *r,
                                   double *scalar, double *size)
{
    size_t d = m->dim;
    MST_TRY(mst_ricci_diagonal(m, n, x, r->diagonal));
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        scalar[i] = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++) {
            scalar[i] += r->diagonal[k];
            square += r->diagonal[k] * r->diagonal[k];
        }
        if (size != NULL)
            size[i] = sqrt(square);
    }
    return MST_OK;
}

/* Scal in the middles of the geodesics that have an answer, and at their ends: `middle` (n, SEVERAL) by way
 * of r->points. Others have NAN. */
static mst_status in_the_middle(const mst_manifold *m, const answers *a, search_room *r,
                                double *middle)
{
    size_t D = r->D, count = 0;
    for (size_t k = 0; k < r->n * SEVERAL; k++)
        if (has_answer(a->status[k]))
            memcpy(r->points + D * count++, a->path + (3 * k + 1) * D, D * sizeof *a->path);
    MST_TRY(scalar_curvature(m, count, r->points, r, middle, NULL));
    for (size_t k = r->n * SEVERAL; k-- > 0;)
        middle[k] = has_answer(a->status[k]) ? middle[--count] : NAN;
    return MST_OK;
}

/* ---- Beside y ---- */

/* Steps against the radius of curvature. Differences of b₀ then lose no more to their order than to the
 * errors of the paths: about 1e-5 in gradients and 1e-4 in the Laplacian, in units of the curvature. */
static const double part_of_radius = 0.01;

static void choose_steps(const expansion_block *b, search_room *r)
{
    for (size_t i = 0; i < b->n; i++) {
        double reach = 0, radius = INFINITY;
        for (size_t k = i * SEVERAL; k < (i + 1) * SEVERAL; k++)
            if (has_answer(r->base.status[k]))
                reach = fmax(reach, r->base.length[k]);
        if (r->bound[i] > 0)
            radius = sqrt((double)r->d / r->bound[i]);
        r->h[i] = part_of_radius * fmin(radius, 10 * fmax(reach, sqrt(b->t[i])));
    }
}

/* The ends y moved by h along one vector of the frame times `one`, and another (or the same) times `two`.
 * What leaves the domain stays. */
static mst_status move_ends(const mst_manifold *m, const expansion_block *b, size_t a, double one,
                            size_t c, double two, search_room *r)
{
    size_t d = r->d, D = r->D;
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < D; k++)
            r->away[i * D + k] = r->h[i] * (one * r->frame[(i * d + a) * D + k] +
                                            two * r->frame[(i * d + c) * D + k]);
    MST_TRY(mst_geodesic_exp(m, b->n, b->y, r->away, r->aside, r->arrived));
    for (size_t i = 0; i < b->n; i++)
        if (r->arrived[i] != MST_GEODESIC_ARRIVED)
            memcpy(r->aside + i * D, b->y + i * D, D * sizeof *b->y);
    return MST_OK;
}

/* Which geodesic from the moved end is the one of ray k? It begins at x with nearly the same velocity. */
static size_t same_ray(const search_room *r, size_t k)
{
    size_t D = r->D, first = k / SEVERAL * SEVERAL, best = first;
    double least = INFINITY;
    for (size_t j = first; j < first + SEVERAL; j++) {
        double off = 0;
        for (size_t e = 0; e < D; e++) {
            double gap = r->moved.log_x[j * D + e] - r->base.log_x[k * D + e];
            off += gap * gap;
        }
        if (has_answer(r->moved.status[j]) && off < least) {
            least = off;
            best = j;
        }
    }
    return best;
}

/* b₀, and 12 a₁ of Simpson's rule, of all rays at moved ends. */
static mst_status look_aside(const mst_manifold *m, const expansion_block *b, search_room *r,
                             double *b0, double *simpson, double *end)
{
    MST_TRY(find(m, b, r->aside, r, &r->moved));
    MST_TRY(in_the_middle(m, &r->moved, r, simpson));
    MST_TRY(scalar_curvature(m, b->n, r->aside, r, r->curvature, NULL));
    memcpy(end, r->curvature, b->n * sizeof *end);
    for (size_t k = 0; k < b->n * SEVERAL; k++)
        r->curvature[k] = simpson[k];
    for (size_t k = 0; k < b->n * SEVERAL; k++) {
        size_t i = k / SEVERAL, j = same_ray(r, k);
        bool good = has_answer(r->base.status[k]) && has_answer(r->moved.status[j]) &&
                    r->arrived[i] == MST_GEODESIC_ARRIVED;
        b0[k] = good ? 0.5 * log(r->moved.van_vleck[j]) : NAN;
        simpson[k] = (r->at_x[i] + 4 * r->curvature[j] + end[i]) / 6;
    }
    return MST_OK;
}

/* ---- The terms of all rays ---- */

/* Values of two ends, or three, that lie beside y. */
typedef struct sides {
    double *b0[2], *simpson[2], *end[2];
    double *block;
} sides;

static mst_status sides_new(sides *s, size_t n)
{
    size_t all = n * SEVERAL;
    MST_TRY(mst_allocate(&s->block, 2 * (2 * all + n)));
    double *at = s->block;
    for (size_t k = 0; k < 2; k++) {
        s->b0[k] = at;
        s->simpson[k] = at += all;
        s->end[k] = at += all;
        at += n;
    }
    return MST_OK;
}

static mst_status first_look(const mst_manifold *m, const expansion_block *b, search_room *r,
                             double *middle)
{
    size_t n = b->n;
    double *size = r->h; /* free until the steps are chosen */
    MST_TRY(find(m, b, b->y, r, &r->base));
    MST_TRY(find_near(m, b, r));
    MST_TRY(mst_frames(m, n, b->y, r->frame));
    MST_TRY(scalar_curvature(m, n, b->x, r, r->at_x, r->bound));
    MST_TRY(in_the_middle(m, &r->base, r, middle));
    MST_TRY(scalar_curvature(m, n, b->y, r, r->curvature, size));
    for (size_t k = 0; k < n * SEVERAL; k++) {
        size_t i = k / SEVERAL;
        search_ray *a = &r->rays[k];
        a->good = has_answer(r->base.status[k]);
        a->r = r->base.length[k];
        a->b0 = 0.5 * log(r->base.van_vleck[k]);
        a->simpson = (r->at_x[i] + 4 * middle[k] + r->curvature[i]) / 72;
        a->ricci = fmax(r->bound[i], size[i]);
        a->conjugate = r->base.conjugate[k];
        a->laplacian = a->spread = a->rise = 0;
    }
    for (size_t i = 0; i < n; i++)
        r->bound[i] = fmax(r->bound[i], size[i]);
    choose_steps(b, r);
    memcpy(middle, r->curvature, n * sizeof *middle); /* Scal at y, for its Laplacian */
    return MST_OK;
}

/* Differences along the vectors of the frame. */
static mst_status differences(const mst_manifold *m, const expansion_block *b, search_room *r,
                              const double *at_y, sides *s)
{
    size_t d = r->d;
    for (size_t a = 0; a < d; a++) {
        for (int side = 0; side < 2; side++) {
            MST_TRY(move_ends(m, b, a, side == 0 ? 1 : -1, a, 0, r));
            MST_TRY(look_aside(m, b, r, s->b0[side], s->simpson[side], s->end[side]));
        }
        for (size_t k = 0; k < b->n * SEVERAL; k++) {
            search_ray *ray = &r->rays[k];
            size_t i = k / SEVERAL;
            double h = r->h[i], plus = s->b0[0][k], minus = s->b0[1][k];
            ray->slope[a] = (plus - minus) / (2 * h);
            ray->simpson_slope[a] = (s->simpson[0][k] - s->simpson[1][k]) / (24 * h);
            ray->bend[a * d + a] = (plus - 2 * ray->b0 + minus) / (h * h);
            ray->laplacian += ray->bend[a * d + a];
            ray->spread += (s->end[0][i] - 2 * at_y[i] + s->end[1][i]) / (h * h);
            ray->rise = hypot(ray->rise, (s->end[0][i] - s->end[1][i]) / (2 * h));
            ray->ahead[a] = plus;
        }
    }
    for (size_t a = 0; b->hessian != NULL && a < d; a++)
        for (size_t c = 0; c < a; c++) {
            MST_TRY(move_ends(m, b, a, 1, c, 1, r));
            MST_TRY(look_aside(m, b, r, s->b0[0], s->simpson[0], s->end[0]));
            for (size_t k = 0; k < b->n * SEVERAL; k++) {
                search_ray *ray = &r->rays[k];
                double h = r->h[k / SEVERAL];
                ray->bend[a * d + c] = ray->bend[c * d + a] =
                    (s->b0[0][k] - ray->ahead[a] - ray->ahead[c] + ray->b0) / (h * h);
            }
        }
    return MST_OK;
}

/* u (d, D) and v (d, D) as the two sides of a form a (D, D). */
static void form_of(size_t d, size_t D, const double *u, const double *a, const double *v,
                    double *out)
{
    double row[24];
    for (size_t e = 0; e < d; e++) {
        for (size_t q = 0; q < D; q++) {
            row[q] = 0;
            for (size_t p = 0; p < D; p++)
                row[q] += u[e * D + p] * a[p * D + q];
        }
        for (size_t f = 0; f < d; f++) {
            out[e * d + f] = 0;
            for (size_t q = 0; q < D; q++)
                out[e * d + f] += row[q] * v[f * D + q];
        }
    }
}

/* The largest singular value of a (d, d), by powers of aᵀa. */
static double largest_singular(size_t d, const double *a)
{
    double v[16], w[16], value = 0;
    for (size_t k = 0; k < d; k++)
        v[k] = 1 + 0.1 * (double)k;
    for (int round = 0; round < 30; round++) {
        double size = 0;
        for (size_t e = 0; e < d; e++) {
            w[e] = 0;
            for (size_t f = 0; f < d; f++)
                w[e] += a[e * d + f] * v[f];
        }
        for (size_t f = 0; f < d; f++) {
            v[f] = 0;
            for (size_t e = 0; e < d; e++)
                v[f] += a[e * d + f] * w[e];
            size += v[f] * v[f];
        }
        value = sqrt(sqrt(size));
        for (size_t f = 0; f < d; f++)
            v[f] /= sqrt(size);
    }
    return value;
}

static mst_status vectors_of(const mst_manifold *m, const expansion_block *b, search_room *r)
{
    size_t d = r->d, D = r->D;
    for (size_t k = 0; k < b->n * SEVERAL; k++) {
        search_ray *a = &r->rays[k];
        size_t i = k / SEVERAL;
        if (!a->good)
            continue;
        MST_TRY(mst_manifold_to_frame(m, 1, b->y + i * D, r->base.log_y + k * D, a->log));
        const double *frame = r->frame + i * d * D, *mixed = r->base.mixed + k * D * D;
        a->least = 1;
        if (isnan(*mixed)) { /* near, and flat */
            for (size_t e = 0; e < d * d; e++)
                a->square_bend[e] = e % (d + 1) == 0;
        } else {
            if (r->base.hessian != NULL)
                form_of(d, D, frame, r->base.hessian + k * D * D, frame, a->square_bend);
            MST_TRY(mst_frames(m, 1, b->x + i * D, r->there));
            form_of(d, D, frame, mixed, r->there, r->form);
            a->least = 1 / largest_singular(d, r->form);
        }
        a->good = isfinite(a->b0) && isfinite(a->laplacian) && isfinite(a->simpson);
        for (size_t e = 0; e < d; e++)
            a->good &= isfinite(a->simpson_slope[e]);
    }
    return MST_OK;
}

static mst_status run_rows(const mst_manifold *m, const expansion_block *b, search_room *r,
                           sides *s, double *middle)
{
    MST_TRY(first_look(m, b, r, middle));
    MST_TRY(differences(m, b, r, middle, s));
    MST_TRY(vectors_of(m, b, r));
    for (size_t i = 0; i < b->n; i++)
        MST_TRY(search_sum_row(m, b, i, r->rays + i * SEVERAL, r->h[i] / part_of_radius));
    return MST_OK;
}

/* Above twelve dimensions the engine has no second derivatives. */
bool expansion_search_fits(const mst_manifold *m)
{
    return mst_geodesic_is_searched(m) && m->dim >= 2 && m->dim <= 12 && m->ambient <= 24;
}

mst_status expansion_search(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    search_room r = {0};
    sides s = {0};
    double *middle = NULL;
    mst_status status = room_new(&r, m, b->n, b->hessian != NULL);
    if (status == MST_OK)
        status = sides_new(&s, b->n);
    if (status == MST_OK)
        status = mst_allocate(&middle, b->n * SEVERAL);
    if (status == MST_OK)
        status = run_rows(m, b, &r, &s, middle);
    mst_release(middle);
    mst_release(s.block);
    room_free(&r);
    return status;
}
