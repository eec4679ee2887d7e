/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples on spheres, hyperbolic spaces and the rotations (the sphere S³ of radius 2, points ± being the same): paths
 * from a base point, then moved by an isometry.
 *
 * The constants of a step are those that make law and weights exact, for every step length, on the lowest
 * eigenfunctions f(x) = ⟨x, a⟩ (ambient form), which are all that is left of a sphere's heat kernel at large times. For
 * curvature 1 and steps α b, b = √h ξ:
 *   E f(X_h) = f E cos(α|b|), so α solves E cos(α|b|) = q = e^(−mh/2);
 *   E[f(X_h) b] = g h ∇f with g = E[|b| sin(α|b|)]/(m h);
 *   E of ∇f(X_h) transported back is c ∇f, c = 1 − (1 − q)/m.
 * So the increment number k of j has E[f(X) b_k] = q^j (g/q) (c/q)^k h ∇f, where q^j ∇f is the gradient to be found.
 * Weights of least variance are proportional to f^k with f = c/q, which is e^(ρh/2) to first order, ρ = m − 1, and
 *   w_j = U_j / (h (g/q) G_j).
 * In the same way E[f(X) ⟨b_i, b_k⟩] = −m h² q^j (g/q)² (c/q)^(k−i−1) f and
 * E[f(X) ½(|b_i|² − m h)] = −½ m h² q^j (g α/q) f, against ∂_t = −½ m q^j f, give
 *   v_j = ½ V_j / (h² ((g/q)² S_j + ½ j g α/q)).
 * Curvature κ: the same with h times κ in q, c, g and α; on hyperbolic space cos becomes cosh. */
#include "manifold/internal.h"
#include "train/samples_kernels.h"

#include <math.h>
#include <string.h>

typedef struct space {
    size_t m;
    double curvature;
} space;

static space space_of(const mst_manifold *m)
{
    return (space){m->dim, *(const double *)m->data};
}

bool sample_curved_fits(const mst_manifold *m)
{
    return mst_is_family(m, "sphere") || mst_is_family(m, "hyperbolic") || mst_is_family(m, "so3");
}

mst_status sample_curved_check(const mst_manifold *m, double h, double t)
{
    space s = space_of(m);
    double size = fabs(s.curvature) * (double)m->dim;
    if (size * h > 20)
        return mst_fail(
            MST_ARGUMENT,
            "steps of time %g are too coarse for %s; take %.0f steps a path or more (--path-steps)",
            h, m->spec, ceil(size * t / 20));
    if (size * t > 500)
        return mst_fail(MST_ARGUMENT, "paths of time %g are too long for %s; at most %g", t,
                        m->spec, 500 / size);
    /* Coordinates grow like e^r on hyperbolic space, and e^2r of their rounding is what distances have. */
    double d = (double)m->dim, reach = 0.5 * (d - 1) * t + sqrt(d * t) + 4 * sqrt(t);
    if (s.curvature < 0 && reach > 18)
        return mst_fail(MST_ARGUMENT,
                        "paths of time %g on %s go so far that no digits of their distances are "
                        "left; take a smaller --t-max",
                        t, m->spec);
    return MST_OK;
}

/* 1F1(a; b; z) − 1 for moderate z. */
static double kummer(double a, double b, double z)
{
    double term = a / b * z, sum = term;
    for (int k = 1; k < 1000 && fabs(term) > 1e-17 * fabs(sum); k++) {
        term *= (a + k) / ((b + k) * (k + 1)) * z;
        sum += term;
    }
    return sum;
}

typedef struct step {
    double arc;        /* angle of a step per |ξ|: α √(|κ|h) */
    double growth;     /* f = c/q */
    double gain, self; /* g/q and g α/q */
} step;

/* With x = α²h/2, E cos(α|b|) = 1F1(m/2; 1/2; −x) and g = α 1F1(m/2 + 1; 3/2; −x). */
static step step_of(space s, double h)
{
    double m = (double)s.m, sign = s.curvature > 0 ? 1 : -1;
    double time = h * fabs(s.curvature), decay = -sign * m * time / 2;
    double x = time / 2 * exp(-sign * (m - 1) * time / 6), slope = 1;
    for (int k = 0; k < 50; k++) {
        slope = 1 + kummer(m / 2 + 1, 1.5, -sign * x);
        double change = (kummer(m / 2, 0.5, -sign * x) - expm1(decay)) / (sign * m * slope);
        x += change;
        if (fabs(change) <= 1e-9 * x) /* the next change would be its square */
            break;
    }
    double alpha = sqrt(2 * x / time), gain = alpha * slope * exp(-decay);
    return (step){.arc = sqrt(2 * x),
                  .growth = 1 + (m - 1) / m * expm1(-decay),
                  .gain = gain,
                  .self = gain * alpha};
}

/* The isometry that sends the base point to y, on the point z (m + 1) and the tangent vector w (m). */
static void place_sphere(size_t m, const double *y, const double *z, const double *w, double *x,
                         double *target)
{
    /* The frame of the sphere is a reflection H with H e = −sign·y. */
    double sign = y[m] < 0 ? -1 : 1, divisor = 1 + fabs(y[m]), point = 0, vector = 0, square = 0;
    for (size_t a = 0; a < m; a++) {
        point += y[a] * z[a];
        vector += y[a] * w[a];
    }
    point = (point + (y[m] + sign) * z[m]) / divisor;
    vector /= divisor;
    for (size_t a = 0; a <= m; a++) {
        double u = a < m ? y[a] : y[m] + sign;
        x[a] = -sign * (z[a] - u * point);
        target[a] = -sign * ((a < m ? w[a] : 0) - u * vector);
        square += x[a] * x[a];
    }
    double scale = 1 / sqrt(square);
    for (size_t a = 0; a <= m; a++)
        x[a] *= scale;
}

static void place_hyperbolic(size_t m, const double *y, const double *z, const double *w, double *x,
                             double *target)
{
    double point = 0, vector = 0, square = 0;
    for (size_t a = 0; a < m; a++) {
        point += y[a + 1] * z[a];
        vector += y[a + 1] * w[a];
    }
    target[0] = vector;
    point = z[m] + point / (1 + y[0]);
    vector /= 1 + y[0];
    for (size_t a = 0; a < m; a++) {
        x[a + 1] = z[a] + y[a + 1] * point;
        target[a + 1] = w[a] + y[a + 1] * vector;
        square += x[a + 1] * x[a + 1];
    }
    x[0] = sqrt(1 + square);
}

static void multiply(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* From the left: y R(z) and y [w]×. */
static void place_rotation(const double *y, const double *z, const double *w, double *x,
                           double *target)
{
    double scale = 1 / sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3]), turned[9];
    mst_so3_from_quaternion((double[]){scale * z[3], scale * z[0], scale * z[1], scale * z[2]},
                            turned);
    multiply(y, turned, x);
    multiply(y, (double[]){0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}, target);
}

/* From the kernel's row to the sample. */
static void finish(const sample_job *job, const step *steps, size_t slot, double *rows)
{
    const mst_manifold *m = job->factor->m;
    size_t d = m->dim, D = m->ambient, width = curved_width(d);
    bool rotations = mst_is_family(m, "so3"), sphere = mst_is_family(m, "sphere");
    for (size_t i = 0; i < job->n; i++) {
        size_t out = slot * job->n + i, lane = slot * MST_LANES + i;
        double *z = rows + lane * width, *w = z + d + 1, *sum = w + d;
        double h = job->h[i], j = job->at[lane];
        const step *s = &steps[i];
        double scale = 1 / (sqrt(h) * s->gain * sum[CURVED_SQUARES]);
        for (size_t a = 0; a < d; a++)
            w[a] *= scale;
        job->time_target[out] = 0.5 * sum[CURVED_TIME_WEIGHT] /
                                (h * (s->gain * s->gain * sum[CURVED_PAIRS] + 0.5 * j * s->self));
        double *y = job->y + out * D, *x = job->x + out * D, *target = job->target + out * D;
        if (rotations)
            place_rotation(y, z, w, x, target);
        else if (sphere)
            place_sphere(d, y, z, w, x, target);
        else
            place_hyperbolic(d, y, z, w, x, target);
    }
}

mst_status sample_curved(const sample_job *job)
{
    const mst_manifold *m = job->factor->m;
    space s = space_of(m);
    size_t steps = job->plan->options.steps, events = job->slots * MST_LANES;
    double *work;
    uint32_t *begin = NULL;
    sample_event *event = NULL;
    mst_status status = mst_allocate(&work, curved_work(s.m) + events * curved_width(s.m));
    if (status == MST_OK)
        status = mst_allocate(&begin, steps + 2);
    if (status == MST_OK)
        status = mst_allocate(&event, events);
    for (size_t slot = 0; status == MST_OK && slot < job->slots; slot++)
        status = sample_starts(job, slot, job->y + slot * job->n * m->ambient);
    if (status == MST_OK) {
        step constants[MST_LANES];
        double arc[MST_LANES], growth[MST_LANES], *rows = work + curved_work(s.m);
        for (size_t i = 0; i < MST_LANES; i++) {
            constants[i] =
                i > 0 && job->h[i] == job->h[i - 1] ? constants[i - 1] : step_of(s, job->h[i]);
            arc[i] = constants[i].arc;
            growth[i] = constants[i].growth;
        }
        sample_events(job, begin, event);
        curved_block b = {
            .m = s.m,
            .sphere = s.curvature > 0,
            .seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index),
            .first = job->first,
            .steps = steps,
            .angle = arc,
            .growth = growth,
            .begin = begin,
            .event = event,
            .work = work,
            .out = rows,
        };
        MST_PICK(curved_path_kernels)->run(&b);
        for (size_t slot = 0; slot < job->slots; slot++)
            finish(job, constants, slot, rows);
    }
    mst_release(event);
    mst_release(begin);
    mst_release(work);
    return status;
}
