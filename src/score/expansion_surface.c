/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on surfaces from formulas. The engine of geodesics gives those without a conjugate point,
 * each is followed from x to the nodes of a rule, and the derivatives of K there make its terms; all
 * geodesics of a block of rows go side by side. */
#include "score/expansion.h"
#include "score/expansion_paths.h"
#include "score/expansion_polar.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

enum {
    SEVERAL = EXPANSION_SURFACE_RAYS,
    N = POLAR_NODES,
    LANES = FORMULA_ROWS,
};

typedef struct surface_data {
    surface s;
    polar_rule rule;
} surface_data;

mst_status expansion_surface_open(const mst_manifold *m, void **data)
{
    surface_data *d;
    MST_TRY(mst_allocate_zero(&d, 1));
    mst_status status = surface_new(&d->s, m);
    if (status != MST_OK) {
        expansion_surface_close(d);
        return status;
    }
    polar_rule_make(&d->rule);
    *data = d;
    return MST_OK;
}

void expansion_surface_close(void *data)
{
    surface_data *d = data;
    if (d != NULL)
        surface_release(&d->s);
    mst_release(d);
}

bool expansion_surface_fits(const mst_manifold *m)
{
    return surface_fits(m);
}

/* ---- Room for a block ---- */

/* One geodesic. */
typedef struct ray {
    size_t row;
    double r, followed; /* its length, and as it is followed: not quite 0 */
    polar_terms terms;
    double next, slope; /* b₂ where x = y, and the size of its gradient: means of both ends */
    double turn;        /* |∇b₀|/r */
    double off;         /* by how much it misses the velocity at y, relatively */
    bool good;
} ray;

typedef struct surface_room {
    /* of the engine, (n·SEVERAL) */
    double *length, *log_x, *log_y, *at_x, *at_y, *off, *frame_c, *normal;
    mst_geodesic_status *status;
    ray *rays;
    /* LANES geodesics, by columns */
    double *state, *slope, *trial, *sum; /* (3D, LANES) each */
    double *jets;                        /* (LANES, N, JET_COUNT) */
    double *across, *arrived;            /* (n·SEVERAL, D): ν at y, velocity at y */
    double *diagonal;                    /* (DIAGONAL_COUNT, LANES) */
    double *spray_room, *jet_room, *diagonal_room;
    double *block;
} surface_room;

static mst_status room_new(surface_room *r, const surface *s, size_t n)
{
    size_t D = s->D, all = n * SEVERAL;
    MST_TRY(mst_allocate_zero(&r->status, all));
    MST_TRY(mst_allocate_zero(&r->rays, all));
    MST_TRY(mst_allocate(&r->block, all * (1 + 8 * D + 2) + 4 * 3 * D * LANES +
                                        LANES * (N * JET_COUNT + DIAGONAL_COUNT) +
                                        formula_room(&s->spray) + formula_room(&s->jet) +
                                        formula_room(&s->diagonal)));
    double *at = r->block;
    struct {
        double **to;
        size_t count;
    } parts[] = {
        {&r->length, all},
        {&r->log_x, all * D},
        {&r->log_y, all * D},
        {&r->at_x, all * D},
        {&r->at_y, all * D},
        {&r->off, all * D},
        {&r->frame_c, all * 2},
        {&r->normal, all * D},
        {&r->across, all * D},
        {&r->arrived, all * D},
        {&r->state, 3 * D * LANES},
        {&r->slope, 3 * D * LANES},
        {&r->trial, 3 * D * LANES},
        {&r->sum, 3 * D * LANES},
        {&r->jets, LANES * N * JET_COUNT},
        {&r->diagonal, LANES * DIAGONAL_COUNT},
        {&r->diagonal_room, formula_room(&s->diagonal)},
        {&r->spray_room, formula_room(&s->spray)},
        {&r->jet_room, formula_room(&s->jet)},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].to = at;
        at += parts[k].count;
    }
    formula_prepare(&s->spray, r->spray_room);
    formula_prepare(&s->jet, r->jet_room);
    formula_prepare(&s->diagonal, r->diagonal_room);
    return MST_OK;
}

static void room_free(surface_room *r)
{
    mst_release(r->status);
    mst_release(r->rays);
    mst_release(r->block);
}

/* ---- Following geodesics ---- */

/* The slopes of `lanes` states into a stage. */
static void slopes(const surface_data *d, size_t lanes, const double *state, double *out,
                   double *room)
{
    size_t D = d->s.D;
    formula_input in[3 * 16];
    formula_output to[2 * 16];
    for (size_t k = 0; k < 3 * D; k++)
        in[k] = (formula_input){state + k * LANES, 1};
    for (size_t k = 0; k < 2 * D; k++)
        to[k] = (formula_output){out + (D + k) * LANES, 1};
    memcpy(out, state + D * LANES, D * LANES * sizeof *out);
    formula_run_in(&d->s.spray, lanes, in, to, room);
}

/* One step of length h by the classical method: the nodes are so close that its error is below 1e-6. */
static void step(const surface_data *d, size_t lanes, double h, surface_room *r)
{
    static const double ahead[4] = {0, 0.5, 0.5, 1}, part[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    size_t width = 3 * d->s.D * LANES;
    memcpy(r->sum, r->state, width * sizeof *r->sum);
    for (size_t stage = 0; stage < 4; stage++) {
        const double *from = r->state;
        for (size_t k = 0; stage > 0 && k < width; k++)
            r->trial[k] = r->state[k] + h * ahead[stage] * r->slope[k];
        slopes(d, lanes, stage > 0 ? r->trial : from, r->slope, r->spray_room);
        for (size_t k = 0; k < width; k++)
            r->sum[k] += h * part[stage] * r->slope[k];
    }
    memcpy(r->state, r->sum, width * sizeof *r->sum);
}

/* Where x = y, b₂ is K²/360 + ΔK/60, and its gradient by y is half of the derivative of that. */
static void look_at_end(const surface_data *d, const size_t *which, size_t lanes, size_t i,
                        const formula_input *in, surface_room *r)
{
    formula_output out[DIAGONAL_COUNT];
    for (size_t k = 0; k < DIAGONAL_COUNT; k++)
        out[k] = (formula_output){r->diagonal + k * LANES, 1};
    formula_run_in(&d->s.diagonal, lanes, in, out, r->diagonal_room);
    for (size_t l = 0; l < lanes; l++) {
        const double *jet = r->jets + (l * N + i) * JET_COUNT, *more = r->diagonal + l;
        double k = jet[JET_K], across = k * jet[JET_N] / 180 + more[DIAGONAL_N * LANES] / 60;
        double along = k * jet[JET_T] / 180 + more[DIAGONAL_T * LANES] / 60;
        r->rays[which[l]].next += 0.5 * fabs(k * k / 360 + more[DIAGONAL_LAPLACIAN * LANES] / 60);
        r->rays[which[l]].slope += 0.25 * hypot(across, along);
    }
}

/* The derivatives of K at node i of all lanes; the velocity becomes a unit vector. */
static void look(const surface_data *d, const size_t *which, size_t lanes, size_t i,
                 surface_room *r)
{
    size_t D = d->s.D;
    formula_input in[3 * 16];
    formula_output out[JET_COUNT];
    for (size_t k = 0; k < D; k++) {
        in[k] = (formula_input){r->state + k * LANES, 1};
        in[D + k] = (formula_input){r->state + (2 * D + k) * LANES, 1};
        in[2 * D + k] = (formula_input){r->trial + k * LANES, 1};
        for (size_t l = 0; l < lanes; l++)
            r->trial[k * LANES + l] = r->state[(D + k) * LANES + l] / r->rays[which[l]].followed;
    }
    for (size_t k = 0; k < JET_COUNT; k++)
        out[k] = (formula_output){r->jets + i * JET_COUNT + k, N * JET_COUNT};
    formula_run_in(&d->s.jet, lanes, in, out, r->jet_room);
    if (i == 0 || i == N - 1)
        look_at_end(d, which, lanes, i, in, r);
}

/* Up to LANES rays from their x to their y, `steps` from each node to the next. */
static void follow(const surface_data *d, size_t lanes, const size_t *which, size_t steps,
                   surface_room *r)
{
    size_t D = d->s.D;
    const double *const parts[3] = {r->at_x, r->log_x, r->normal};
    for (size_t l = 0; l < lanes; l++) {
        r->rays[which[l]].next = r->rays[which[l]].slope = 0;
        for (size_t p = 0; p < 3; p++)
            for (size_t k = 0; k < D; k++)
                r->state[(p * D + k) * LANES + l] = parts[p][which[l] * D + k];
    }
    look(d, which, lanes, 0, r);
    for (size_t i = 1; i < N; i++) {
        for (size_t k = 0; k < steps; k++)
            step(d, lanes, (d->rule.node[i] - d->rule.node[i - 1]) / (double)steps, r);
        look(d, which, lanes, i, r);
    }
    for (size_t l = 0; l < lanes; l++) {
        ray *a = &r->rays[which[l]];
        for (size_t k = 0; k < D; k++) {
            r->arrived[which[l] * D + k] = r->state[(D + k) * LANES + l];
            r->across[which[l] * D + k] = r->state[(2 * D + k) * LANES + l];
        }
        a->terms = polar_terms_of(&d->rule, a->followed, r->jets + l * N * JET_COUNT);
    }
}

/* ---- From pairs to rays ---- */

static bool has_answer(mst_geodesic_status status)
{
    return status == MST_GEODESIC_MINIMAL || status == MST_GEODESIC_LEAST ||
           status == MST_GEODESIC_LOCAL;
}

/* Geodesics with less than e to the minus this of p are left out. */
static const double negligible = 20;

/* The geodesics of a block, those of a row one after the other; packs the arrays of the engine. */
static mst_status find_rays(const mst_manifold *m, const expansion_block *b, surface_room *r,
                            size_t *count)
{
    size_t D = m->ambient;
    double longest = 0;
    for (size_t i = 0; i < b->n; i++)
        longest = fmax(longest, b->t[i]);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.several = SEVERAL;
    o.window = 2 * negligible * longest;
    o.log_tolerance = 1e-8;
    o.threads = 1;
    mst_geodesic_output out = {
        .length = r->length, .log_x = r->log_x, .log_y = r->log_y, .status = r->status};
    MST_TRY(b->paths != NULL ? expansion_paths_find(b->paths, b->first, b->n, b->x, b->y, &o, &out)
                             : mst_geodesic_solve(m, b->n, b->x, b->y, &o, &out));
    *count = 0;
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = i * SEVERAL; k < (i + 1) * SEVERAL; k++) {
            double more =
                r->length[k] * r->length[k] - r->length[i * SEVERAL] * r->length[i * SEVERAL];
            if (!has_answer(r->status[k]) || !(more <= 2 * negligible * b->t[i]))
                continue;
            size_t to = (*count)++;
            r->rays[to] = (ray){.row = i, .r = r->length[k]};
            memmove(r->log_x + to * D, r->log_x + k * D, D * sizeof *r->log_x);
            memmove(r->log_y + to * D, r->log_y + k * D, D * sizeof *r->log_y);
            memcpy(r->at_x + to * D, b->x + i * D, D * sizeof *r->at_x);
        }
    return MST_OK;
}

/* Geodesics are followed at least so far, against √t: from a point to itself there are no
 * polar coordinates. */
static const double shortest = 1e-4;

/* Unit vectors ν across the geodesics at x. From a point to itself they go nowhere, but in some direction. */
static mst_status aim(const mst_manifold *m, const expansion_block *b, size_t count,
                      surface_room *r)
{
    size_t D = m->ambient;
    MST_TRY(mst_manifold_to_frame(m, count, r->at_x, r->log_x, r->frame_c));
    for (size_t k = 0; k < count; k++) {
        ray *a = &r->rays[k];
        double *c = r->frame_c + 2 * k, size = hypot(c[0], c[1]);
        a->followed = fmax(size, shortest * sqrt(b->t[a->row]));
        double one = size > 0 ? c[0] / size : 1, two = size > 0 ? c[1] / size : 0;
        double stretch = size > 0 ? a->followed / size : 0;
        for (size_t e = 0; e < D; e++)
            r->log_x[k * D + e] *= stretch;
        c[0] = size > 0 ? -two : 1;
        c[1] = size > 0 ? one : 0;
    }
    MST_TRY(mst_manifold_from_frame(m, count, r->at_x, r->frame_c, r->normal));
    for (size_t k = 0; k < count; k++) {
        double *c = r->frame_c + 2 * k, *v = r->log_x + k * D;
        bool still = true;
        for (size_t e = 0; e < D; e++)
            still &= v[e] == 0;
        if (!still)
            continue;
        /* v along the first vector of the frame, ν along the second. */
        memcpy(v, r->normal + k * D, D * sizeof *v);
        for (size_t e = 0; e < D; e++)
            v[e] *= r->rays[k].followed;
        c[0] = 0;
        c[1] = 1;
        MST_TRY(mst_manifold_from_frame(m, 1, r->at_x + k * D, c, r->normal + k * D));
    }
    return MST_OK;
}

/* How far from the engine's are the velocities with which the geodesics arrive? */
static mst_status check_arrivals(const mst_manifold *m, const expansion_block *b, size_t count,
                                 surface_room *r)
{
    size_t D = m->ambient;
    double *size = r->frame_c;
    for (size_t k = 0; k < count; k++) {
        memcpy(r->at_y + k * D, b->y + r->rays[k].row * D, D * sizeof *r->at_y);
        for (size_t e = 0; e < D; e++)
            r->off[k * D + e] = r->arrived[k * D + e] + r->log_y[k * D + e];
    }
    MST_TRY(mst_manifold_norm(m, count, r->at_y, r->off, size));
    for (size_t k = 0; k < count; k++) {
        ray *a = &r->rays[k];
        a->off = a->r > a->followed / 2 ? size[k] / a->r : 0;
        if (isnan(a->off))
            a->off = INFINITY;
    }
    return MST_OK;
}

/* All rays, and those that miss y once more with shorter steps. */
static mst_status follow_all(const mst_manifold *m, const surface_data *d, const expansion_block *b,
                             size_t count, surface_room *r)
{
    const double near = 1e-6, far = 1e-4;
    size_t which[LANES], lanes = 0;
    for (size_t steps = 1; steps <= 8; steps *= 8) {
        for (size_t k = 0; k < count; k++) {
            if (steps == 1 || !(r->rays[k].off < near))
                which[lanes++] = k;
            if (lanes == LANES || (lanes > 0 && k + 1 == count)) {
                follow(d, lanes, which, steps, r);
                lanes = 0;
            }
        }
        MST_TRY(check_arrivals(m, b, count, r));
    }
    for (size_t k = 0; k < count; k++) {
        ray *a = &r->rays[k];
        polar_terms *p = &a->terms;
        a->turn = hypot(p->b0.along, p->b0.across) / a->followed;
        if (a->r < a->followed)
            polar_terms_shorten(p, a->r / a->followed);
        a->good =
            a->off < far && p->least > 0 && isfinite(p->b0.value) && isfinite(p->transport.across);
    }
    return MST_OK;
}

/* ---- Rows ---- */

/* What one ray gives at time t. */
typedef struct ray_value {
    double log_p, dt;
    double along, across; /* of log p less −r²/2t, at y */
    double bend, first;   /* |∇b₀|, and t|∇a₁| */
    double apart;         /* t times the gradient of the difference of the two a₁ */
    double doubt;
} ray_value;

/* b₀ and its derivatives, by t too. Next to a conjugate point, where f → 0, all geodesics that come within
 * g = t/r of it add up and p stays finite: from f = g on (f² + g²)/2g takes the place of f. */
typedef struct softened {
    double value, along, across, dt;
} softened;

static softened soften(const ray *a, double t)
{
    const polar_terms *p = &a->terms;
    double r = a->followed, f = p->width, wide = t / r, limit = fmin(wide, 0.5 * r);
    softened b = {p->b0.value, p->b0.along, p->b0.across, 0};
    if (f >= limit)
        return b;
    double f_along = f * (1 / r - 2 * p->b0.along), f_across = -2 * f * p->b0.across;
    double limit_along = wide < 0.5 * r ? -wide / r : 0.5, limit_t = wide < 0.5 * r ? 1 / r : 0;
    double ratio = f / limit, soft = 0.5 * limit * (1 + ratio * ratio);
    double by_limit = 0.5 * (1 - ratio * ratio);
    b.value = -0.5 * log(soft / r);
    b.along = -0.5 * ((ratio * f_along + by_limit * limit_along) / soft - 1 / r);
    b.across = -0.5 * ratio * f_across / soft;
    b.dt = -0.5 * by_limit * limit_t / soft;
    return b;
}

/* What a₁ is beyond Simpson's rule. It fades out where f falls below r/2, on the way to a conjugate point,
 * where the transport integral runs away before b₀ does. */
static polar_value correction(const polar_terms *p)
{
    const double none = 0.25, all = 0.6;
    double f = exp(-2 * p->b0.value); /* f/r, whose gradient is −2f ∇b₀ */
    double x = fmin(fmax((f - none) / (all - none), 0), 1), fade = x * x * (3 - 2 * x);
    double slope = 6 * x * (1 - x) / (all - none) * -2 * f;
    double apart = p->transport.value - p->simpson.value;
    return (polar_value){
        .value = fade * apart,
        .along = fade * (p->transport.along - p->simpson.along) + slope * apart * p->b0.along,
        .across = fade * (p->transport.across - p->simpson.across) + slope * apart * p->b0.across,
    };
}

static ray_value value_of(const ray *a, double t)
{
    const double two_pi_log = 1.8378770664093454836;
    const polar_terms *p = &a->terms;
    softened b0 = soften(a, t);
    const double most = 0.1;
    polar_value more = correction(p);
    double z = t * more.value / most, share = 1 / (1 + z * z);
    double rate = (1 - z * z) * share * share; /* the derivative of z share(z) */
    ray_value v = {
        .log_p = -a->r * a->r / (2 * t) - (two_pi_log + log(t)) + b0.value + t * p->simpson.value +
                 most * z * share,
        .dt = (a->r * a->r / t - 2) / (2 * t) + b0.dt + p->simpson.value + rate * more.value,
        .along = b0.along + t * (p->simpson.along + rate * more.along),
        .across = b0.across + t * (p->simpson.across + rate * more.across),
    };
    v.bend = hypot(p->b0.along, p->b0.across);
    v.first = t * hypot(p->transport.along, p->transport.across);
    v.apart =
        t * hypot(p->simpson.along - p->transport.along, p->simpson.across - p->transport.across);
    /* log p may be more wrong than the score: four times by what comes next, ten times by
     * what a₁ differs by. */
    v.doubt = 0.25 * t * t * a->next + 0.1 * t * fabs(p->transport.value - p->simpson.value);
    return v;
}

/* The Hessian of row i in the frame at y: of each ray −∇²½r²/t + ∇²b₀, and what their weights do. */
static mst_status bend_row(const mst_manifold *m, const expansion_block *b, size_t i, size_t first,
                           size_t count, const double *weight, const surface_room *r)
{
    size_t D = m->ambient;
    const double *y = b->y + i * D;
    double *h = b->hessian + 4 * i, t = b->t[i], s[2], own[2], side[2][2], *row, ray_score[16];
    MST_TRY(mst_manifold_to_frame(m, 1, y, b->score + i * D, s));
    for (size_t k = 0; k < 4; k++)
        h[k] = -s[k / 2] * s[k % 2];
    for (size_t k = 0; k < count; k++) {
        const ray *a = &r->rays[first + k];
        const polar_terms *p = &a->terms;
        ray_value v = value_of(a, t);
        for (size_t e = 0; e < D; e++) {
            size_t at = (first + k) * D + e;
            ray_score[e] = r->log_y[at] / t + v.along * r->arrived[at] / a->followed +
                           v.across * r->across[at];
        }
        MST_TRY(mst_manifold_to_frame(m, 1, y, ray_score, own));
        MST_TRY(mst_manifold_to_frame(m, 1, y, r->arrived + (first + k) * D, side[0]));
        MST_TRY(mst_manifold_to_frame(m, 1, y, r->across + (first + k) * D, side[1]));
        double form[3] = {p->bend[0] - 1 / t, p->bend[1], p->bend[2] - p->spread / t};
        for (size_t e = 0; e < 4; e++) {
            row = side[0];
            double tt = row[e / 2] * row[e % 2] / (a->followed * a->followed);
            double nn = side[1][e / 2] * side[1][e % 2];
            double tn = (row[e / 2] * side[1][e % 2] + side[1][e / 2] * row[e % 2]) / a->followed;
            h[e] +=
                weight[k] * (form[0] * tt + form[1] * tn + form[2] * nn + own[e / 2] * own[e % 2]);
        }
    }
    return MST_OK;
}

/* Row i from its `count` rays, the first of which is number `first`. */
static mst_status sum_row(const mst_manifold *m, const expansion_block *b, size_t i, size_t first,
                          size_t count, const surface_room *r)
{
    size_t D = m->ambient;
    ray_value values[SEVERAL];
    double t = b->t[i], high = -INFINITY, total = 0, turns = 0, wrong = 0, best = 0, slope = 0;
    double *s = b->score + i * D, size;
    for (size_t k = 0; k < count; k++) {
        values[k] = value_of(&r->rays[first + k], t);
        high = fmax(high, values[k].log_p);
    }
    for (size_t k = 0; k < count; k++)
        total += exp(values[k].log_p - high);
    memset(s, 0, D * sizeof *s);
    b->dt[i] = b->doubt[i] = 0;
    double rate = 0;
    for (size_t k = 0; k < count; k++) {
        const ray *a = &r->rays[first + k];
        const ray_value *v = &values[k];
        double w = exp(v->log_p - high) / total;
        const double *log_y = r->log_y + (first + k) * D, *across = r->across + (first + k) * D;
        const double *away = r->arrived + (first + k) * D;
        for (size_t e = 0; e < D; e++)
            s[e] += w * (log_y[e] / t + v->along * away[e] / a->followed + v->across * across[e]);
        b->dt[i] += w * v->dt;
        turns += w * v->bend;
        wrong += w * 0.5 * v->apart;
        slope += w * t * t * a->slope * exp(-a->r * a->r / t);
        best = fmax(best, w);
        rate += w * a->turn;
        b->doubt[i] += w * v->doubt;
    }
    b->log_p[i] = high + log(total);
    MST_TRY(mst_manifold_norm(m, 1, b->y + i * D, s, &size));
    double parameter = fmax(t * rate, turns / fmax(size, EXPANSION_LEAST_SCORE / sqrt(t)));
    for (size_t k = 0; k < count; k++)
        wrong += exp(values[k].log_p - high) / total * values[k].first * parameter;
    b->error[i] = fmax(wrong, slope) + (1 - best) * turns;
    double weight[SEVERAL];
    for (size_t k = 0; k < count; k++)
        weight[k] = exp(values[k].log_p - high) / total;
    return b->hessian != NULL ? bend_row(m, b, i, first, count, weight, r) : MST_OK;
}

static mst_status run_rows(const mst_manifold *m, const surface_data *d, const expansion_block *b,
                           surface_room *r)
{
    size_t count, next = 0, D = m->ambient;
    MST_TRY(find_rays(m, b, r, &count));
    MST_TRY(aim(m, b, count, r));
    MST_TRY(follow_all(m, d, b, count, r));
    for (size_t i = 0; i < b->n; i++) {
        size_t first = next, good = next;
        double first_r = next < count && r->rays[next].row == i ? r->rays[next].r : 0, lost = 0;
        for (; next < count && r->rays[next].row == i; next++) {
            const ray *a = &r->rays[next];
            if (!a->good) {
                /* p has more than what is known, by about so much. */
                lost += exp((first_r - a->r) * (first_r + a->r) / (2 * b->t[i]));
                continue;
            }
            r->rays[good] = *a;
            for (size_t e = 0; e < D; e++) {
                r->log_y[good * D + e] = r->log_y[next * D + e];
                r->across[good * D + e] = r->across[next * D + e];
                r->arrived[good * D + e] = r->arrived[next * D + e];
            }
            good++;
        }
        MST_TRY(good > first ? sum_row(m, b, i, first, good - first, r)
                             : expansion_give_up(m, b, i));
        b->doubt[i] += lost;
    }
    return MST_OK;
}

mst_status expansion_surface(const mst_manifold *m, const void *data, const expansion_block *b)
{
    const surface_data *d = data;
    surface_room r = {0};
    mst_status status = room_new(&r, &d->s, b->n);
    if (status == MST_OK)
        status = run_rows(m, d, b, &r);
    room_free(&r);
    return status;
}
