/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between given ends by shooting: the momentum p at y whose geodesic ends at x. The first guess
 * comes from a path that is relaxed for a few rounds (landmarks_relax.c). The mean of K along it is nearly
 * the derivative of the end by p where landmarks are not crowded, so Broyden's method that begins with it
 * mostly gets there; else Newton's method, with the derivative itself from the linearised equations, which
 * Broyden's method then improves while that is enough. Errors of ends are measured in the metric at x. */
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

enum {
    MOST_UPDATES = 20, /* of Broyden's method from one matrix */
    MOST_NEWTON = 30,
    MOST_STEPS = 64,
    COLUMNS = 8,
    FEW_PIECES = 8, /* of a path that is relaxed, and rounds of that; more where shooting fails */
    FEW_ROUNDS = 6,
    MANY_ROUNDS = 300,
};

/* Eight pieces miss the end by about 1e-3: rounds that gain less energy than this are no gain. */
static const double FEW_GAIN = 1e-5;
/* A given guess that ends farther off than this share of the way is none. */
static const double FAR = 0.5;

struct landmark_shooter {
    const landmark_shape *shape;
    landmark_flow flow; /* with M of d columns */
    landmark_place middle, end;
    landmark_relaxer relaxer;
    size_t half, d;
    size_t steps;          /* of the flow */
    size_t followed_steps; /* by which `followed` led to where the flow is; 0: it is elsewhere */
    double followed_error;
    double precision, tolerance; /* of the flow, and of its end */
    double scale, gap;           /* gap: |x − y| in coordinates, scale: in the metric */
    double *y, *x, *target;      /* by columns; the last twice */
    double *kept, *followed;
    double *p, *trial, *off;          /* (half): momentum, a trial, whitened error of its end */
    double *step;                     /* (MOST_UPDATES + 1, half): Broyden's steps */
    double *weighted;                 /* the same times the mean of K, */
    double squares[MOST_UPDATES + 1]; /* and their products with those */
    size_t updates;                   /* how many there are */
    double *lu, *side;                /* (d, lead), (d, COLUMNS) */
    size_t *pivot;
    double *memory;
    bool newton; /* is `lu` the derivative? Else the mean of K stands for it */
    landmark_shot *shot;
};

mst_status landmark_shooter_new(landmark_shooter **out, const mst_manifold *m)
{
    const landmarks *l = mst_manifold_data(m);
    const landmark_shape *shape = &l->shape;
    landmark_shooter *s;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->shape = shape;
    s->half = shape->space * shape->wide;
    s->d = l->d;
    mst_status status = landmark_flow_new(&s->flow, shape, 1);
    if (status == MST_OK)
        status = landmark_place_new(&s->middle, shape);
    if (status == MST_OK)
        status = landmark_place_new(&s->end, shape);
    if (status == MST_OK)
        status = landmark_relaxer_new(&s->relaxer, shape);
    size_t numbers = s->half * (9 + 2 * (MOST_UPDATES + 1)) + s->d * (s->flow.lead + COLUMNS);
    if (status == MST_OK)
        status = mst_allocate_zero(&s->memory, numbers);
    if (status == MST_OK)
        status = mst_allocate(&s->pivot, s->d);
    if (status != MST_OK) {
        landmark_shooter_free(s);
        return status;
    }
    s->y = s->memory;
    s->x = s->y + s->half;
    s->target = s->x + s->half;
    s->kept = s->target + 2 * s->half;
    s->followed = s->kept + s->half;
    s->p = s->followed + s->half;
    s->trial = s->p + s->half;
    s->off = s->trial + s->half;
    s->step = s->off + s->half;
    s->weighted = s->step + (MOST_UPDATES + 1) * s->half;
    s->lu = s->weighted + (MOST_UPDATES + 1) * s->half;
    s->side = s->lu + s->d * s->flow.lead;
    *out = s;
    return MST_OK;
}

void landmark_shooter_free(landmark_shooter *s)
{
    if (s == NULL)
        return;
    landmark_flow_free(&s->flow);
    landmark_place_free(&s->middle);
    landmark_place_free(&s->end);
    landmark_relaxer_free(&s->relaxer);
    mst_release(s->memory);
    mst_release(s->pivot);
    mst_release(s);
}

static double norm(size_t n, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

/* The derivative of the end by p in the flow's matrix, by steps of order five: what they leave, 1e-3 or less,
 * is nothing to Newton's method. False where it went astray. */
static bool follow_roughly(landmark_shooter *s, const double *p)
{
    landmark_flow *f = &s->flow;
    landmark_flow_start(f, s->y, p);
    landmark_flow_begin(f);
    size_t parts = s->steps + (s->steps + 1) / 2;
    s->followed_steps = 0;
    for (size_t k = 0; k < parts; k++)
        landmark_advance_roughly(f, 1 / (double)parts, true);
    s->shot->slopes++;
    return isfinite(f->state[0]) && isfinite(f->matrix[0]);
}

/* Follows p from y to the end; the largest error of a step in q. NAN where it went astray. Who follows the
 * same once more has it for nothing. */
static double follow(landmark_shooter *s, const double *p, bool with_matrix)
{
    landmark_flow *f = &s->flow;
    size_t bytes = s->half * sizeof *p;
    if (!with_matrix && s->followed_steps == s->steps && memcmp(p, s->followed, bytes) == 0)
        return s->followed_error;
    landmark_flow_start(f, s->y, p);
    if (with_matrix)
        landmark_flow_begin(f);
    double error = 0;
    for (size_t k = 0; k < s->steps; k++) {
        landmark_advance(f, 1 / (double)s->steps, with_matrix);
        error = isfinite(f->error) && error >= 0 ? fmax(error, f->error) : NAN;
    }
    if (with_matrix)
        s->shot->slopes++;
    else
        s->shot->shots++;
    s->followed_steps = s->steps;
    s->followed_error = error;
    memcpy(s->followed, p, bytes);
    return error;
}

/* s->off: the whitened error x − q(1) of the end of p; its size, or INFINITY. */
static double miss(landmark_shooter *s, const double *p)
{
    double error = follow(s, p, false);
    const double *way = s->flow.state;
    for (size_t k = 0; k < s->half; k++)
        s->off[k] = (s->x[k] - s->y[k]) - way[k];
    landmark_whiten(&s->end, s->off);
    double size = norm(s->half, s->off);
    return isfinite(size) && isfinite(error) ? size : INFINITY;
}

/* v = B⁻¹ (x − q(1)), by the derivative or by the mean of K, from s->off. */
static void apply(landmark_shooter *s, double *v)
{
    memcpy(v, s->off, s->half * sizeof *v);
    landmark_colour(&s->end, v);
    if (!s->newton) {
        landmark_lower(&s->middle, v);
        return;
    }
    const landmark_shape *shape = s->shape;
    memset(s->side, 0, s->d * COLUMNS * sizeof *s->side);
    for (size_t i = 0; i < s->d; i++)
        s->side[i * COLUMNS] = v[i % shape->space * shape->wide + i / shape->space];
    s->flow.kernels->solve(s->d, s->flow.lead, s->lu, s->pivot, COLUMNS, COLUMNS, s->side);
    for (size_t i = 0; i < s->d; i++)
        v[i % shape->space * shape->wide + i / shape->space] = s->side[i * COLUMNS];
}

/* w = K v with the mean of K. */
static void weigh(const landmark_shooter *s, const double *v, double *w)
{
    const landmark_shape *shape = s->shape;
    memset(w, 0, s->half * sizeof *w);
    for (size_t c = 0; c < shape->space; c++)
        for (size_t a = 0; a < shape->count; a++) {
            const double *k = s->middle.pair[0] + a * shape->wide;
            double sum = 0;
            for (size_t b = 0; b < shape->count; b++)
                sum += k[b] * v[c * shape->wide + b];
            w[c * shape->wide + a] = sum;
        }
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Is the derivative at p known afterwards? */
static bool differentiate(landmark_shooter *s, const double *p, bool exact)
{
    landmark_flow *f = &s->flow;
    double log_det, sign;
    if (exact ? !isfinite(follow(s, p, true)) : !follow_roughly(s, p))
        return false;
    memcpy(s->lu, f->matrix, s->d * f->lead * sizeof *s->lu);
    s->newton = f->kernels->factor(s->d, f->lead, s->lu, s->pivot, &log_det, &sign);
    return s->newton;
}

/* Broyden's step number s->updates, from s->off (Kelley 1995, 7.3: the inverse as a product of updates by the
 * steps themselves); false: there is none. */
static bool next_step(landmark_shooter *s)
{
    size_t half = s->half, n = s->updates;
    double *next = s->step + n * half;
    if (n > MOST_UPDATES)
        return false;
    apply(s, next);
    for (size_t j = 0; j < n; j++) {
        double along = dot(half, s->weighted + j * half, next) / s->squares[j];
        if (j + 1 == n && !(fabs(1 - along) > 1e-3))
            return false;
        for (size_t k = 0; k < half; k++)
            next[k] =
                j + 1 < n ? next[k] + along * next[k - (n - j - 1) * half] : next[k] / (1 - along);
    }
    weigh(s, next, s->weighted + n * half);
    s->squares[n] = dot(half, next, s->weighted + n * half);
    s->updates++;
    return true;
}

/* Broyden's method from s->p, whose error stands in s->off and is `size`; it goes on with the updates that
 * there are. Ends when it is found, or when it does not contract: then s->p is the best so far, and updates
 * begin anew. `slow`: the contraction that is not enough. */
static double improve(landmark_shooter *s, double size, double slow)
{
    size_t half = s->half;
    double best = size, before = size, now = size;
    memcpy(s->trial, s->p, half * sizeof *s->p);
    for (size_t turn = 0; best > s->tolerance * s->scale && next_step(s); turn++) {
        const double *own = s->step + (s->updates - 1) * half;
        for (size_t k = 0; k < half; k++)
            s->trial[k] += own[k];
        now = miss(s, s->trial);
        if (now < best) {
            best = now;
            memcpy(s->p, s->trial, half * sizeof *s->p);
        }
        /* Two in a row that gain too little, or one that loses. */
        bool lost =
            now > 2 * best || (now > slow * before && before > slow * slow * size && turn > 0);
        if (lost || !isfinite(now))
            break;
        before = now;
    }
    if (best > s->tolerance * s->scale || now > best)
        s->updates = 0;
    return best;
}

/* A step of Newton's method, halved until the error falls; false: it does not. */
static bool newton_step(landmark_shooter *s, double *size)
{
    double *way = s->step;
    s->updates = 0;
    apply(s, way);
    for (double part = 1; part > 1e-3; part /= 2) {
        for (size_t k = 0; k < s->half; k++)
            s->trial[k] = s->p[k] + part * way[k];
        double now = miss(s, s->trial);
        if (now < (1 - 0.1 * part) * *size) {
            *size = now;
            memcpy(s->p, s->trial, s->half * sizeof *s->p);
            return true;
        }
    }
    return false;
}

/* As many steps as the error of one asks for, at p: it falls with their eighth power. */
static bool choose_steps(landmark_shooter *s, const double *p, double tolerance)
{
    for (;;) {
        double error = follow(s, p, false);
        if (error <= tolerance || s->steps >= MOST_STEPS)
            return isfinite(error);
        double more = isfinite(error) ? 1.05 * pow(error / tolerance, 1.0 / 8) : 2;
        size_t steps = (size_t)ceil((double)s->steps * fmin(fmax(more, 1.01), 4));
        s->steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    }
}

/* From s->p: Broyden's method with K, then Newton's. */
static bool search(landmark_shooter *s)
{
    double size = miss(s, s->p);
    if (!isfinite(size)) {
        memset(s->p, 0, s->half * sizeof *s->p);
        size = miss(s, s->p);
    }
    if (size > s->tolerance * s->scale)
        size = improve(s, size, s->newton ? 0.4 : 0.7);
    for (int k = 0; k < MOST_NEWTON && size > s->tolerance * s->scale; k++) {
        bool exact = false, better = false;
        double before = size;
        do {
            before = size = miss(s, s->p);
            if (!differentiate(s, s->p, exact))
                return false;
            better = newton_step(s, &size);
            exact = !exact;
        } while (!better && exact);
        if (!better)
            return size <= 100 * s->tolerance * s->scale;
        if (size > s->tolerance * s->scale && size < 0.5 * before) {
            miss(s, s->p);
            size = improve(s, size, 0.4);
        }
    }
    return size <= s->tolerance * s->scale;
}

/* K as its mean along the line from y to x, Simpson's rule: of all paths that are straight in the sums of K
 * along the line, the shortest has the momentum K⁻¹(x − y). */
static bool average(landmark_shooter *s)
{
    landmark_place *m = &s->middle;
    const landmark_shape *shape = s->shape;
    size_t square = shape->count * shape->wide;
    memset(m->root, 0, square * sizeof *m->root);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < s->half; i++)
            s->trial[i] = s->y[i] + 0.5 * k * (s->x[i] - s->y[i]);
        m->kernels->pairs(shape, s->trial, 0, m->pair);
        for (size_t i = 0; i < square; i++)
            m->root[i] += (k == 1 ? 4 : 1) * m->pair[0][i] / 6;
    }
    memcpy(m->pair[0], m->root, square * sizeof *m->root);
    return m->kernels->cholesky(shape->count, shape->wide, m->root);
}

/* The ends of the search: y is there already, `x` by columns. False: the metric is singular at x. */
static bool aim(landmark_shooter *s, const double *x)
{
    memcpy(s->x, x, s->half * sizeof *x);
    for (size_t k = 0; k < s->half; k++)
        s->off[k] = s->x[k] - s->y[k];
    if (!landmark_place_columns(&s->end, s->x, 0) || !average(s))
        return false;
    s->gap = norm(s->half, s->off);
    landmark_whiten(&s->end, s->off);
    s->scale = norm(s->half, s->off);
    return true;
}

/* From s->p to the end that was aimed at, if s->p leads to within a share `far` of the way from it: roughly
 * first, by long steps. */
static bool find(landmark_shooter *s, double far)
{
    const double rough = 1e-3, wanted = s->tolerance;
    s->steps = 1;
    s->newton = false;
    s->updates = 0;
    if (!choose_steps(s, s->p, rough * s->gap) || miss(s, s->p) > far * s->scale)
        return false;
    if (wanted < 0.1 * rough) {
        s->tolerance = rough;
        bool near = search(s);
        s->tolerance = wanted;
        if (!near)
            return false;
    }
    for (int round = 0; round < 3; round++) {
        if (!choose_steps(s, s->p, fmax(s->precision, 1e-15) * s->gap) || !search(s))
            return false;
        /* The steps were chosen for the guess, and not for what it led to. */
        size_t chosen = s->steps;
        if (choose_steps(s, s->p, fmax(10 * s->precision, 1e-14) * s->gap) && s->steps == chosen)
            return true;
    }
    return false;
}

/* The end goes from y to `target` along the line, and the momentum follows it; on the way it need not be
 * exact. */
static bool pursue(landmark_shooter *s, const double *target)
{
    const double wanted = s->tolerance, precision = s->precision;
    double *on = s->target + s->half, at = 0, stride = 0.5;
    memset(s->p, 0, s->half * sizeof *s->p);
    memcpy(s->kept, s->p, s->half * sizeof *s->p);
    while (at < 1) {
        double next = fmin(at + stride, 1);
        for (size_t k = 0; k < s->half; k++)
            on[k] = s->y[k] + next * (target[k] - s->y[k]);
        if (!aim(s, on))
            return false;
        for (size_t k = 0; k < s->half; k++)
            s->p[k] = at > 0 ? s->kept[k] * next / at : s->x[k] - s->y[k];
        if (at == 0)
            landmark_lower(&s->middle, s->p);
        s->tolerance = next < 1 ? fmax(wanted, 1e-2) : wanted;
        s->precision = next < 1 ? fmax(precision, 1e-2) : precision;
        bool there = find(s, INFINITY);
        s->tolerance = wanted;
        s->precision = precision;
        if (there) {
            at = next;
            stride = fmin(2 * stride, 0.25);
            memcpy(s->kept, s->p, s->half * sizeof *s->p);
        } else if ((stride /= 2) < 1.0 / 64)
            return false;
    }
    return true;
}

/* s->p from a path that has been relaxed, and the mean of K along it. */
static bool guess(landmark_shooter *s, size_t pieces, int rounds)
{
    const landmark_shape *shape = s->shape;
    size_t bytes = shape->count * shape->wide * sizeof(double);
    double least = rounds > FEW_ROUNDS ? 1e-9 : FEW_GAIN;
    if (!landmark_relax(&s->relaxer, s->y, s->x, pieces, rounds, least, s->p))
        return false;
    memcpy(s->middle.pair[0], s->relaxer.sum, bytes);
    memcpy(s->middle.root, s->relaxer.sum, bytes);
    return s->middle.kernels->cholesky(shape->count, shape->wide, s->middle.root);
}

/* How r² of the end that was reached differs from that of x: the differential of r² is twice the momentum. */
static double remainder_of(const landmark_shooter *s)
{
    const double *way = s->flow.state, *momentum = way + s->half;
    double sum = 0;
    for (size_t k = 0; k < s->half; k++)
        sum += 2 * momentum[k] * ((s->x[k] - s->y[k]) - way[k]);
    return sum;
}

void landmark_shoot(landmark_shooter *s, const double *y, const double *x, double tolerance,
                    double within, bool warm, double *p, landmark_shot *shot)
{
    const landmark_shape *shape = s->shape;
    size_t half = s->half;
    *shot = (landmark_shot){0};
    s->shot = shot;
    s->followed_steps = 0;
    s->precision = tolerance;
    s->tolerance = within;
    landmark_columns(shape, y, s->y);
    landmark_columns(shape, x, s->target);
    if (!aim(s, s->target))
        return;
    if (s->gap == 0) {
        memset(p, 0, s->d * sizeof *p);
        shot->found = true;
        shot->steps = 1;
        return;
    }
    if (warm)
        landmark_columns(shape, p, s->p);
    shot->found = (warm && find(s, FAR)) || (guess(s, FEW_PIECES, FEW_ROUNDS) && find(s, INFINITY));
    if (!shot->found && !warm)
        shot->found = (guess(s, FEW_PIECES, MANY_ROUNDS) && find(s, INFINITY)) ||
                      (guess(s, LANDMARK_PIECES, MANY_ROUNDS) && find(s, INFINITY)) ||
                      pursue(s, s->target);
    shot->square = landmark_energy(&s->flow, s->y, s->p);
    shot->steps = s->steps;
    /* The last that `find` did was to follow p. */
    double after = landmark_energy(&s->flow, landmark_flow_point(&s->flow), s->flow.state + half);
    shot->error = fmax(fabs(after / shot->square - 1), tolerance);
    shot->square += remainder_of(s);
    landmark_row(shape, s->p, p);
}

bool landmark_distortion(landmark_shooter *s, const double *y, const double *p, size_t steps,
                         double *log_theta)
{
    const landmark_shape *shape = s->shape;
    landmark_shot shot;
    double log_det, sign;
    s->shot = &shot;
    s->steps = steps;
    landmark_columns(shape, y, s->y);
    landmark_columns(shape, p, s->p);
    if (!landmark_place_columns(&s->middle, s->y, 0) || !isfinite(follow(s, s->p, true)) ||
        !landmark_place_columns(&s->end, landmark_flow_point(&s->flow), 0))
        return false;
    memcpy(s->lu, s->flow.matrix, s->d * s->flow.lead * sizeof *s->lu);
    if (!s->flow.kernels->factor(s->d, s->flow.lead, s->lu, s->pivot, &log_det, &sign))
        return false;
    *log_theta = log_det - 0.5 * (double)shape->space *
                               (landmark_log_det(&s->middle) + landmark_log_det(&s->end));
    return sign > 0;
}
