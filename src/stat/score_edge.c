/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The edge of a score region and an ellipsoid about it. Rays leave the mean in directions that are spread
 * evenly once the tangent space is scaled by how far the region reaches along d axes. Each is followed to
 * the last point that is held. The ellipsoid is the smallest one about the mean that contains these points
 * (Titterington 1976: the D-optimal design). Points between the rays are tried on its surface: where they
 * are held, the ray through them is followed too. What is left between them is what the ellipsoid is
 * enlarged for.
 *
 * Of a region that reaches the cut locus of the mean, or has other pieces, there is no ellipsoid. In two
 * dimensions its edge is traced on a grid over the whole manifold then, if the rows are few. */
#include "stat/enclosing.h"
#include "stat/score_region.h"

#include "base/linalg.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What semi-axes are multiplied by, in two dimensions and in more. Of 600 simulated sets of twenty rows no
 * point of a region was outside by more than 0.2 % before. */
static const double enlarged_plane = 1.02, enlarged_space = 1.06;

typedef struct edge_work {
    const score_region *g;
    const double *mean;
    size_t rays, scans; /* rays of the second round; points on each from the outside in, 0: none */
    double *scale;      /* (d, d): column k is how far the region may reach along axis k */
    /* Of each ray: direction in the scaled space (rays, d), of length 1, and how far it reaches in these
     * units; INFINITY: to the cut locus. */
    double *w, *far;
    int threads;
} edge_work;

/* ---- Rays ---- */

/* v = scale · w, and how much of v there is until the cut locus of the mean. */
static double reach_of(const edge_work *e, const double *w, double *v)
{
    size_t d = e->g->d;
    double reach = INFINITY;
    for (size_t a = 0; a < d; a++) {
        v[a] = 0;
        for (size_t k = 0; k < d; k++)
            v[a] += e->scale[a * d + k] * w[k];
    }
    for (size_t p = 0; p < e->g->pieces->count; p++) {
        const stat_piece *piece = &e->g->pieces->piece[p];
        double square = 0;
        for (size_t a = piece->first; a < piece->first + piece->dim; a++)
            square += v[a] * v[a];
        if (square > 0)
            reach = fmin(reach, M_PI / piece->scale / sqrt(square));
    }
    return reach;
}

/* Exp(s v), v in the frame at the mean; `work` has D numbers. */
static mst_status point_at(const edge_work *e, const double *v, double s, double *work, double *y)
{
    size_t d = e->g->d;
    double *scaled;
    MST_TRY(mst_allocate(&scaled, d));
    for (size_t a = 0; a < d; a++)
        scaled[a] = s * v[a];
    mst_status status = mst_manifold_from_frame(e->g->m, 1, e->mean, scaled, work);
    if (status == MST_OK)
        status = mst_manifold_exp(e->g->m, 1, e->mean, work, y);
    mst_release(scaled);
    return status;
}

static mst_status excess_at(const edge_work *e, const double *v, double s, double *out)
{
    double *work;
    MST_TRY(mst_allocate(&work, 2 * e->g->D));
    mst_status status = point_at(e, v, s, work, work + e->g->D);
    if (status == MST_OK)
        status = score_region_excess(e->g, work + e->g->D, out);
    mst_release(work);
    return status;
}

typedef struct bracket {
    double a, b, at_a, at_b; /* held at a, and not at b */
} bracket;

/* Where it ends between a and b, to a part in a thousand, and of many rows in a hundred: the end that is
 * not held. The root of the statistic is almost straight. */
static mst_status close_in(const edge_work *e, const double *v, bracket k, double *out)
{
    double part = e->scans > 0 ? 1e-3 : 1e-2;
    for (int step = 0; step < 40 && k.b - k.a > part * k.b; step++) {
        double s = (k.a + k.b) / 2, value;
        if (step % 3 < 2 && isfinite(k.at_b) && k.at_b > k.at_a)
            s = k.a - k.at_a * (k.b - k.a) / (k.at_b - k.at_a);
        /* A little to either side, so that both ends come nearer. */
        s += (step % 2 == 0 ? 0.4 : -0.4) * part * k.b;
        s = fmin(fmax(s, k.a + 0.02 * (k.b - k.a)), k.b - 0.02 * (k.b - k.a));
        MST_TRY(excess_at(e, v, s, &value));
        if (value <= 0) {
            k.a = s;
            k.at_a = value;
        } else {
            k.b = s;
            k.at_b = value;
        }
    }
    *out = k.b;
    return MST_OK;
}

/* From the guess outwards to the first point that is not held, or inwards to one that is: brackets the
 * end. Held points between that and the mean are taken for granted but for some, if it may be searched. */
static mst_status bracket_end(const edge_work *e, const double *v, double guess, double reach,
                              bracket *k)
{
    double s = fmin(guess, reach), value;
    *k = (bracket){.b = INFINITY};
    for (int step = 0; step < 60 && k->a == 0; step++) {
        MST_TRY(excess_at(e, v, s, &value));
        if (value <= 0) {
            k->a = s, k->at_a = value;
        } else {
            k->b = s, k->at_b = value;
            s *= step < 2 ? 0.8 : 0.5;
        }
    }
    for (size_t i = 1; i < 4 && e->scans > 0; i++) {
        s = k->a * (double)i / 4;
        MST_TRY(excess_at(e, v, s, &value));
        if (value > 0) { /* the piece about the mean ends here */
            *k = (bracket){k->a * (double)(i - 1) / 4, s, -sqrt(e->g->limit), value};
            return MST_OK;
        }
    }
    while (k->a < reach && isinf(k->b)) {
        s = fmin(1.25 * k->a, reach);
        MST_TRY(excess_at(e, v, s, &value));
        if (value <= 0)
            k->a = s, k->at_a = value;
        else
            k->b = s, k->at_b = value;
    }
    return MST_OK;
}

/* How far a ray goes in the piece about the mean, as `*far` times v: INFINITY if to the cut locus, and
 * less than 0 if it comes to another piece behind that. */
static mst_status follow(const edge_work *e, const double *w, double guess, double *far)
{
    double *v, value;
    bracket k;
    MST_TRY(mst_allocate(&v, e->g->d));
    double reach = reach_of(e, w, v);
    mst_status status = bracket_end(e, v, guess, reach, &k);
    *far = INFINITY;
    if (status == MST_OK && isfinite(k.b)) {
        double end = 0, sign = 1;
        status = close_in(e, v, k, &end);
        for (size_t i = 1; i <= e->scans + 1 && status == MST_OK && end < reach; i++) {
            double s = end + (reach - end) * (double)i / (double)(e->scans + 1);
            status = excess_at(e, v, s, &value);
            if (status == MST_OK && value <= 0 && s < 1.25 * end)
                end = s; /* a dent */
            else if (status == MST_OK && value <= 0)
                sign = -1;
        }
        *far = sign * end;
    }
    mst_release(v);
    return status;
}

static mst_status follow_rays(void *context, size_t begin, size_t end)
{
    edge_work *e = context;
    for (size_t k = begin; k < end; k++)
        MST_TRY(follow(e, e->w + k * e->g->d, e->far[k], &e->far[k]));
    return MST_OK;
}

/* Follows `count` rays from number `first` on, with guesses in `far`. */
static mst_status follow_all(edge_work *e, size_t first, size_t count, mst_no_axes *why)
{
    edge_work part = *e;
    part.w += first * e->g->d;
    part.far += first;
    MST_TRY(mst_parallel_blocks(count, 1, e->threads, (mst_progress){0}, follow_rays, &part));
    for (size_t k = 0; k < count; k++) {
        if (isinf(part.far[k]))
            *why = MST_AXES_ROUND;
        else if (part.far[k] < 0 && *why == MST_AXES_GIVEN)
            *why = MST_AXES_PIECES;
        part.far[k] = fabs(part.far[k]);
    }
    return MST_OK;
}

/* Along either way of d axes: those of the covariance's root where it is known, else those of the frame. */
static mst_status scale_axes(edge_work *e, const double *covariance, mst_no_axes *why)
{
    size_t d = e->g->d;
    bool known = covariance != NULL && isfinite(covariance[0]) &&
                 mst_cholesky(1, d, covariance, e->scale, NULL) == MST_OK;
    for (size_t k = 0; k < d * d && !known; k++)
        e->scale[k] = k % (d + 1) == 0 ? 0.3 : 0;
    /* The root of the limit is how many standard errors the region reaches. */
    double errors = known ? sqrt(e->g->limit) : 1;
    memset(e->w, 0, 2 * d * d * sizeof *e->w);
    for (size_t k = 0; k < 2 * d; k++) {
        e->w[k * d + k / 2] = k % 2 == 0 ? 1 : -1;
        e->far[k] = errors;
    }
    MST_TRY(follow_all(e, 0, 2 * d, why));
    for (size_t k = 0; k < d && *why != MST_AXES_ROUND; k++) {
        double half = (e->far[2 * k] + e->far[2 * k + 1]) / 2;
        for (size_t a = 0; a < d; a++)
            e->scale[a * d + k] *= half;
        e->far[2 * k] /= half;
        e->far[2 * k + 1] /= half;
    }
    return MST_OK;
}

/* Directions from number `first` on: even in a plane, where they come in order, else random ones and their
 * opposites. */
static void choose_directions(const edge_work *e, size_t first, size_t count, uint64_t seed)
{
    size_t d = e->g->d;
    for (size_t k = 0; k < count; k++) {
        double *w = e->w + (first + k) * d, length = 0;
        if (d == 2) {
            w[0] = cos(2 * M_PI * ((double)k + 0.5) / (double)count);
            w[1] = sin(2 * M_PI * ((double)k + 0.5) / (double)count);
        } else {
            mst_random_normals((mst_random){seed, UINT64_C(6) << 40}, (first + k) / 2 * (d + d % 2),
                               d, w);
            for (size_t a = 0; a < d; a++)
                length += w[a] * w[a];
            for (size_t a = 0; a < d; a++)
                w[a] *= ((first + k) % 2 == 0 ? 1 : -1) / sqrt(length);
        }
        e->far[first + k] = 1;
    }
}

/* ---- The ellipsoid ---- */

/* The smallest ellipsoid with the ends of `rays` rays. */
static mst_status around_rays(const edge_work *e, size_t rays, double *l)
{
    size_t d = e->g->d;
    double *b;
    MST_TRY(mst_allocate(&b, rays * d));
    for (size_t k = 0; k < rays * d; k++)
        b[k] = e->far[k / d] * e->w[k];
    mst_status status = smallest_ellipsoid(d, rays, b, l);
    mst_release(b);
    return status;
}

typedef struct trial {
    const edge_work *e;
    const double *l;
    double *w;           /* (count, d): directions; then points */
    unsigned char *held; /* (count) */
} trial;

/* Points of the surface, and every fourth between that and twice as far. */
static mst_status try_points(void *context, size_t begin, size_t end)
{
    trial *t = context;
    size_t d = t->e->g->d;
    double *z;
    MST_TRY(mst_allocate(&z, 2 * d));
    mst_status status = MST_OK;
    for (size_t k = begin; k < end && status == MST_OK; k++) {
        double *w = t->w + k * d, root = sqrt(square_in(d, t->l, w, z)), value;
        double by = k % 4 == 3 ? 1 + (double)(k / 4 % 16) / 16 : 1;
        for (size_t a = 0; a < d; a++)
            w[a] *= by / root;
        double reach = reach_of(t->e, w, z);
        for (size_t a = 0; a < d && reach < 1; a++)
            w[a] *= reach;
        status = excess_at(t->e, z, fmin(1, reach), &value);
        t->held[k] = value <= 0;
    }
    mst_release(z);
    return status;
}

/* Directions to try: half of them anywhere, half near rays that reach the ellipsoid. */
static void choose_trials(const edge_work *e, size_t rays, size_t count, uint64_t seed,
                          const double *l, double *out, double *z)
{
    size_t d = e->g->d;
    for (size_t k = 0; k < count; k++) {
        double *w = out + k * d, size = 0, most = 0;
        mst_random_normals((mst_random){seed, UINT64_C(7) << 40}, k * (d + d % 2), d, w);
        for (size_t a = 0; a < d; a++)
            size += w[a] * w[a];
        size_t touching = 0; /* of every seventh ray, in turn, the one that reaches the farthest */
        for (size_t j = k / 2 % 7; k % 2 == 0 && j < rays; j += 7) {
            double q = e->far[j] * e->far[j] * square_in(d, l, e->w + j * d, z);
            if (q > most)
                most = q, touching = j;
        }
        for (size_t a = 0; a < d; a++)
            w[a] = w[a] / sqrt(size) * (k % 2 == 0 ? 0.3 : 1) +
                   (k % 2 == 0 ? e->w[touching * d + a] : 0);
    }
}

/* A point of the region, w in the scaled space, that is outside the ellipsoid gives a ray of its own if all
 * between is held; if not, and it is not next to it, it is in another piece. */
static mst_status add_point(edge_work *e, size_t *rays, const double *l, const double *w,
                            mst_no_axes *why)
{
    size_t d = e->g->d;
    double *z, length = 0, excess;
    MST_TRY(mst_allocate(&z, d));
    mst_status status = MST_OK;
    double q = square_in(d, l, w, z);
    (void)reach_of(e, w, z);
    for (size_t k = 1; k < 4 && q > 1.44 && status == MST_OK && *why == MST_AXES_GIVEN; k++) {
        double inside = 1 / sqrt(q);
        status = excess_at(e, z, inside + (1 - inside) * (double)k / 4, &excess);
        if (excess > 0)
            *why = MST_AXES_PIECES;
    }
    for (size_t a = 0; a < d; a++)
        length += w[a] * w[a];
    for (size_t a = 0; a < d; a++)
        e->w[*rays * d + a] = w[a] / sqrt(length);
    e->far[*rays] = sqrt(length);
    *rays += *why == MST_AXES_GIVEN ? 1 : 0;
    mst_release(z);
    return status;
}

static mst_status look_between(edge_work *e, size_t *rays, size_t count, uint64_t seed,
                               const double *l, mst_no_axes *why)
{
    size_t d = e->g->d, before = *rays;
    trial t = {.e = e, .l = l};
    MST_TRY(mst_allocate(&t.w, count * d + d));
    mst_status status = mst_allocate(&t.held, count);
    if (status == MST_OK) {
        choose_trials(e, before, count, seed, l, t.w, t.w + count * d);
        status = mst_parallel_blocks(count, 4, e->threads, (mst_progress){0}, try_points, &t);
    }
    for (size_t k = 0; k < count && status == MST_OK && *why == MST_AXES_GIVEN; k++)
        if (t.held[k])
            status = add_point(e, rays, l, t.w + k * d, why);
    mst_release(t.held);
    mst_release(t.w);
    return status == MST_OK ? follow_all(e, before, *rays - before, why) : status;
}

/* Points that may be held, outside the ellipsoid. */
static mst_status take_other(edge_work *e, size_t *rays, const double *l, const double *y,
                             mst_no_axes *why)
{
    size_t d = e->g->d;
    double *v, excess;
    MST_TRY(mst_allocate(&v, e->g->D + 3 * d));
    double *c = v + e->g->D, *w = c + d, *z = w + d;
    mst_status status = mst_manifold_log(e->g->m, 1, e->mean, y, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(e->g->m, 1, e->mean, v, c);
    if (status == MST_OK)
        status = mst_solve(1, d, 1, e->scale, c, w, NULL);
    if (status == MST_OK && square_in(d, l, w, z) > 1) {
        status = score_region_excess(e->g, y, &excess);
        if (status == MST_OK && excess <= 0)
            status = add_point(e, rays, l, w, why);
    }
    mst_release(v);
    return status;
}

/* E = SMSᵀ of the scale S and M = LLᵀ, a little enlarged. */
static mst_status put_ellipsoid(const edge_work *e, const double *l, score_edge *out)
{
    size_t d = e->g->d;
    double by = d == 1 ? 1 : d == 2 ? enlarged_plane : enlarged_space, *root;
    MST_TRY(mst_allocate(&root, d * d));
    mst_status status = mst_allocate(&out->ellipsoid, d * d);
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < d; k++) {
            root[a * d + k] = 0;
            for (size_t j = k; j < d; j++)
                root[a * d + k] += by * e->scale[a * d + j] * l[j * d + k];
        }
    for (size_t a = 0; a < d && status == MST_OK; a++)
        for (size_t c = 0; c < d; c++) {
            out->ellipsoid[a * d + c] = 0;
            for (size_t k = 0; k < d; k++)
                out->ellipsoid[a * d + c] += root[a * d + k] * root[c * d + k];
        }
    mst_release(root);
    return status;
}

/* ---- About the mean ---- */

static size_t between(double x, size_t low, size_t high)
{
    return x < (double)low ? low : x > (double)high ? high : (size_t)x;
}

static mst_status new_part(score_edge *out, size_t count, size_t D, double **points)
{
    MST_TRY(mst_allocate(&out->end, 1));
    MST_TRY(mst_allocate(&out->points, count * D));
    out->parts = 1;
    out->end[0] = count;
    *points = out->points;
    return MST_OK;
}

static mst_status ray_end(const edge_work *e, size_t ray, double *y)
{
    double *v;
    MST_TRY(mst_allocate(&v, e->g->d + e->g->D));
    (void)reach_of(e, e->w + ray * e->g->d, v);
    mst_status status = point_at(e, v, e->far[ray], v + e->g->d, y);
    mst_release(v);
    return status;
}

typedef struct turn {
    double angle;
    size_t ray;
} turn;

static int by_angle(const void *a, const void *b)
{
    double x = ((const turn *)a)->angle, y = ((const turn *)b)->angle;
    return (x > y) - (x < y);
}

/* The ends of all rays in order, and the first again. */
static mst_status put_polygon(const edge_work *e, size_t rays, score_edge *out)
{
    size_t D = e->g->D;
    turn *order;
    double *points;
    MST_TRY(mst_allocate(&order, rays));
    for (size_t k = 0; k < rays; k++)
        order[k] = (turn){atan2(e->w[2 * k + 1], e->w[2 * k]), k};
    qsort(order, rays, sizeof *order, by_angle);
    mst_status status = new_part(out, rays + 1, D, &points);
    for (size_t k = 0; k < rays && status == MST_OK; k++)
        status = ray_end(e, order[k].ray, points + k * D);
    if (status == MST_OK)
        memcpy(points + rays * D, points, D * sizeof *points);
    mst_release(order);
    return status;
}

/* The ends of rays along the semi-axes, then of all others. An axis that reaches farther than the ellipsoid
 * stretches it. */
static mst_status put_ends(edge_work *e, size_t rays, score_edge *out, mst_no_axes *why)
{
    size_t d = e->g->d, D = e->g->D;
    double *values, *points = NULL, over = 1;
    MST_TRY(mst_allocate(&values, d + d * d + d));
    double *vectors = values + d, *w = vectors + d * d;
    mst_status status = mst_eigen_symmetric(1, d, out->ellipsoid, values, vectors, NULL);
    for (size_t k = 0; k < 2 * d && status == MST_OK; k++) {
        double length = 0, *to = e->w + (rays + k) * d, *axis = vectors + (d - 1 - k / 2) * d;
        status = mst_solve(1, d, 1, e->scale, axis, w, NULL);
        for (size_t a = 0; a < d && status == MST_OK; a++)
            length += w[a] * w[a];
        for (size_t a = 0; a < d && status == MST_OK; a++)
            to[a] = (k % 2 == 0 ? 1 : -1) * w[a] / sqrt(length);
        e->far[rays + k] = sqrt(length * values[d - 1 - k / 2]);
    }
    if (status == MST_OK)
        status = follow_all(e, rays, 2 * d, why);
    for (size_t k = 0; k < 2 * d && status == MST_OK && *why == MST_AXES_GIVEN; k++) {
        (void)reach_of(e, e->w + (rays + k) * d, w);
        double length = 0;
        for (size_t a = 0; a < d; a++)
            length += w[a] * w[a];
        over = fmax(over, e->far[rays + k] * sqrt(length / values[d - 1 - k / 2]));
    }
    for (size_t k = 0; k < d * d; k++)
        out->ellipsoid[k] *= over * over;
    if (status == MST_OK && *why == MST_AXES_GIVEN)
        status = new_part(out, rays + 2 * d, D, &points);
    for (size_t k = 0; k < rays + 2 * d && status == MST_OK && *why == MST_AXES_GIVEN; k++)
        status = ray_end(e, (rays + k) % (rays + 2 * d), points + k * D);
    mst_release(values);
    return status;
}

/* What is about the mean, if that is all; `budget` points may be looked at, or some more. */
static mst_status look_about(edge_work *e, const double *covariance, const score_held *others,
                             double budget, uint64_t seed, score_edge *out)
{
    size_t d = e->g->d, rays = 2 * d, tries = between(budget / 4, 10, 200);
    mst_no_axes *why = &out->no_axes;
    double *l;
    *why = MST_AXES_GIVEN;
    MST_TRY(mst_allocate(&l, d * d));
    mst_status status = scale_axes(e, covariance, why);
    if (status == MST_OK && *why == MST_AXES_GIVEN) {
        choose_directions(e, rays, e->rays, seed);
        status = follow_all(e, rays, e->rays, why);
        rays += e->rays;
    }
    for (uint64_t k = 0; k < 2 && status == MST_OK && *why == MST_AXES_GIVEN; k++) {
        status = around_rays(e, rays, l);
        if (status == MST_OK)
            status = look_between(e, &rays, tries, seed + k, l, why);
    }
    if (status == MST_OK && *why == MST_AXES_GIVEN)
        status = around_rays(e, rays, l);
    size_t before = rays;
    for (size_t k = 0; k < others->count && status == MST_OK && *why == MST_AXES_GIVEN; k++)
        status = take_other(e, &rays, l, others->points + k * e->g->D, why);
    if (status == MST_OK && *why == MST_AXES_GIVEN && rays > before) {
        status = follow_all(e, before, rays - before, why);
        if (status == MST_OK && *why == MST_AXES_GIVEN)
            status = around_rays(e, rays, l);
    }
    if (status == MST_OK && *why == MST_AXES_GIVEN)
        status = put_ellipsoid(e, l, out);
    if (status == MST_OK && *why == MST_AXES_GIVEN)
        status = d == 2 ? put_polygon(e, rays, out) : put_ends(e, rays, out, why);
    if (*why != MST_AXES_GIVEN && out->ellipsoid != NULL) { /* found at the last */
        mst_release(out->ellipsoid);
        out->ellipsoid = NULL;
    }
    mst_release(l);
    return status;
}

/* Rays with what memory they need, for a budget of points. */
static mst_status open_work(edge_work *e, double budget, size_t others)
{
    size_t d = e->g->d, room;
    e->rays = d == 2 ? between(budget / 10, 12, 64)
                     : between(budget / 10 - 2 * (double)d, 0, d * (d + 3) / 2 + 40);
    e->rays += e->rays % 2;
    e->scans = between(budget / (double)(e->rays + 2 * d) - 7, 0, 12);
    room = 4 * d + e->rays + 2 * between(budget / 4, 10, 200) + others;
    MST_TRY(mst_allocate(&e->scale, d * d + room * (d + 1)));
    e->w = e->scale + d * d;
    e->far = e->w + room * d;
    return MST_OK;
}

mst_status score_region_edge(score_edge *out, const score_region *g, const double *mean,
                             const double *covariance, const score_held *others, uint64_t seed,
                             int threads)
{
    double price = score_region_price(g), budget = fmin(fmax(5e4 / price, 40), 600), excess;
    /* Threads cost more than what there is to do with few rows. */
    edge_work e = {.g = g, .mean = mean, .threads = price < 300 ? 1 : threads};
    *out = (score_edge){.no_axes = MST_AXES_PIECES};
    if (g->d == 1)
        return score_trace_arcs(out, g, mean, (size_t)fmin(fmax(budget, 60), 360), threads);
    MST_TRY(score_region_excess(g, mean, &excess));
    if (excess <= 0) {
        MST_TRY(open_work(&e, budget, others->count));
        mst_status status = look_about(&e, covariance, others, budget, seed, out);
        mst_release(e.scale);
        MST_TRY(status);
    }
    /* Some hundred points at the least, which are too many for many rows. */
    return g->d == 2 && g->pieces->features > 0 && out->no_axes != MST_AXES_GIVEN && price <= 400
               ? score_trace_curves(out, g, mean, (size_t)fmin(fmax(2.4e5 / price, 600), 2400),
                                    threads)
               : MST_OK;
}

void score_edge_free(score_edge *edge)
{
    mst_release(edge->ellipsoid);
    mst_release(edge->end);
    mst_release(edge->points);
    *edge = (score_edge){0};
}
