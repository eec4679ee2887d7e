/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The weighted walk of constant curvature: spheres, hyperbolic spaces and the rotations (the sphere S³ of
 * radius 2, points ± being the same). Paths from a base point, then moved by an isometry.
 *
 * The constants of a step are those that make law and weights exact, for every step length, on the lowest
 * eigenfunctions f(x) = ⟨x, a⟩ (ambient form), which are all that is left of a sphere's heat kernel at large
 * times. For curvature 1 and steps α b, b = √h ξ:
 *   E f(X_h) = f E cos(α|b|), so α solves E cos(α|b|) = q = e^(−mh/2);
 *   E[f(X_h) b] = g h ∇f with g = E[|b| sin(α|b|)]/(m h);
 *   E of ∇f(X_h) transported back is c ∇f, c = 1 − (1 − q)/m.
 * So the increment number k of j has E[f(X) b_k] = q^j (g/q) (c/q)^k h ∇f, where q^j ∇f is the gradient to be
 * found. Weights of least variance are proportional to f^k with f = c/q, which is
 * e^(ρh/2) to first order, ρ = m − 1, and
 *   w_j = U_j / (h (g/q) G_j).
 * In the same way E[f(X) ⟨b_i, b_k⟩] = −m h² q^j (g/q)² (c/q)^(k−i−1) f and
 * E[f(X) ½(|b_i|² − m h)] = −½ m h² q^j (g α/q) f, against ∂_t = −½ m q^j f, give
 *   v_j = ½ V_j / (h² ((g/q)² S_j + ½ j g α/q)).
 * Curvature κ: the same with h times κ in q, c, g and α; on hyperbolic space cos becomes cosh. */
#include "manifold/internal.h"
#include "manifold/weighted_kernels.h"

#include <math.h>

typedef struct space {
    size_t m;
    double curvature;
} space;

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

/* From the kernel's row, of j steps of time h, to the sample number `row`. */
static void finish(const mst_manifold *m, mst_placement *place, const mst_weighted_paths *p,
                   size_t row, const step *s, double h, double j, double *z)
{
    size_t d = m->dim, D = m->ambient;
    double *w = z + d + 1, *sum = w + d;
    double scale = 1 / (sqrt(h) * s->gain * sum[CURVED_SQUARES]);
    for (size_t a = 0; a < d; a++)
        w[a] *= scale;
    p->time_target[row] = 0.5 * sum[CURVED_TIME_WEIGHT] /
                          (h * (s->gain * s->gain * sum[CURVED_PAIRS] + 0.5 * j * s->self));
    place(d, p->y + row * D, z, w, p->x + row * D, p->target + row * D);
}

mst_status mst_weighted_curved(const mst_manifold *m, double curvature, mst_placement *place,
                               const mst_weighted_paths *p)
{
    space s = {m->dim, curvature};
    size_t width = curved_width(s.m);
    double *work, arc[MST_LANES], growth[MST_LANES];
    step constants[MST_LANES];
    MST_TRY(mst_allocate(&work, curved_work(s.m) + p->slots * p->n * width));
    double *rows = work + curved_work(s.m);
    for (size_t i = 0; i < MST_LANES; i++) {
        bool same = i >= p->n || (i > 0 && p->h[i] == p->h[i - 1]);
        constants[i] = same ? constants[i - 1] : step_of(s, p->h[i]);
        arc[i] = constants[i].arc;
        growth[i] = constants[i].growth;
    }
    curved_block b = {.m = s.m,
                      .sphere = curvature > 0,
                      .paths = p,
                      .angle = arc,
                      .growth = growth,
                      .work = work,
                      .out = rows};
    MST_PICK(curved_path_kernels)->run(&b);
    for (size_t k = 1; k <= p->steps; k++)
        for (size_t e = p->begin[k]; e < p->begin[k + 1]; e++) {
            size_t i = p->event[e].path, row = p->event[e].slot * p->n + i;
            finish(m, place, p, row, &constants[i], p->h[i], (double)k, rows + row * width);
        }
    mst_release(work);
    return MST_OK;
}
