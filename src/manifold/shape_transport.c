/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Parallel transport in shape spaces. A horizontal field U along a horizontal geodesic γ is parallel in the
 * quotient if its derivative is vertical: U' = γ A with S A + A S = U ᵀγ' − γ'ᵀU, S = γᵀγ, which keeps it
 * horizontal (on the sphere plus the normal part that a great circle makes). The part
 * along γ' goes with γ'. */
#include "manifold/runge_kutta.h"
#include "manifold/shape_space.h"

#include <math.h>
#include <string.h>

/* The real and imaginary parts of <a, b> = Σ ā b. */
static void hermitian(const shape_space *s, const double *a, const double *b, double out[2])
{
    out[0] = out[1] = 0;
    for (size_t p = 0; p < s->width; p += 2) {
        out[0] += a[p] * b[p] + a[p + 1] * b[p + 1];
        out[1] += a[p] * b[p + 1] - a[p + 1] * b[p];
    }
}

/* u += (c0 + i c1) w */
static void add_complex(const shape_space *s, double c0, double c1, const double *w, double *u)
{
    for (size_t p = 0; p < s->width; p += 2) {
        u[p] += c0 * w[p] - c1 * w[p + 1];
        u[p + 1] += c0 * w[p + 1] + c1 * w[p];
    }
}

/* In CP^(k−2): along e = v/|v| and i e the field goes with γ' and i γ'; the rest stays. */
static void transport_kendall(const shape_space *s, const double *x, const double *v, double r,
                              double *u, double *work)
{
    double c[2];
    for (size_t j = 0; j < s->width; j++)
        work[j] = v[j] / r;
    hermitian(s, work, u, c);
    double half = sin(r / 2), versine = 2 * half * half, sine = sin(r);
    add_complex(s, -versine * c[0], -versine * c[1], work, u);
    add_complex(s, -sine * c[0], -sine * c[1], x, u);
}

/* Sizes count: in the real plane of x and v, with n the unit normal of γ in it, i n goes with i n; all else,
 * radial and real parts and what is complex-orthogonal to the plane, stays. */
static void transport_planar_size(const shape_space *s, const double *x, const double *v, double *u,
                                  double *work)
{
    double size = shape_norm(s, x), along = shape_dot(s, x, v) / size, c[2];
    for (size_t j = 0; j < s->width; j++)
        work[j] = v[j] - along * (x[j] / size);
    double across = shape_norm(s, work);
    if (!(across > 1e-15 * fabs(along)))
        return;
    for (size_t j = 0; j < s->width; j++)
        work[j] /= across;
    hermitian(s, work, u, c);
    /* The end is (size + along) e1 + across e2, so its normal is as follows, less e2. */
    double first = size + along, length = hypot(first, across);
    double turned = first > 0 ? -across * across / (length * (length + first)) : first / length - 1;
    add_complex(s, 0, -c[1] * across / (length * size), x, u);
    add_complex(s, 0, c[1] * turned, work, u);
}

/* ---- Space: an ordinary differential equation ---- */

typedef struct field {
    const shape_space *s;
    const double *x, *v;
    double r;
    double *at, *velocity; /* (width) each */
} field;

/* The geodesic and its velocity at `time`. */
static void follow(const field *f, double time)
{
    const shape_space *s = f->s;
    double angle = time * f->r, c = s->unit ? cos(angle) : 1,
           sinc = s->unit ? (f->r > 0 ? sin(angle) / f->r : time) : time,
           back = s->unit ? -f->r * sin(angle) : 0;
    for (size_t j = 0; j < s->width; j++) {
        f->at[j] = c * f->x[j] + sinc * f->v[j];
        f->velocity[j] = back * f->x[j] + c * f->v[j];
    }
}

/* State: the time, and U. */
static mst_status slopes(void *context, size_t n, const double *state, double *out)
{
    const field *f = context;
    size_t width = f->s->width + 1;
    for (size_t i = 0; i < n; i++) {
        shape_spin spin;
        double *slope = out + i * width;
        memset(slope, 0, width * sizeof *slope);
        follow(f, state[i * width]);
        if (!shape_spin_open(f->s, f->at, &spin)) {
            slope[0] = NAN;
            continue;
        }
        shape_turn t = shape_torque(f->s, f->velocity, state + i * width + 1);
        shape_add_turn(f->s, -1, f->at, shape_solve(f->s, &spin, t), slope + 1);
        slope[0] = 1;
    }
    return MST_OK;
}

static mst_status transport_in_space(const shape_space *s, const double *x, const double *v,
                                     double r, double *u)
{
    size_t width = s->width + 1;
    double *work;
    MST_TRY(mst_allocate(&work, 2 * s->width + width));
    field f = {s, x, v, r, work, work + s->width};
    double *state = work + 2 * s->width, along = shape_dot(s, u, v) / r / r, size = 0;
    state[0] = 0;
    for (size_t j = 0; j < s->width; j++)
        state[j + 1] = u[j] - along * v[j];
    size = shape_norm(s, state + 1);
    /* Steps are chosen for the angle, relative to the size of the shape. */
    double scale = fmax(1, s->unit ? r : r / shape_norm(s, x));
    const rk_system system = {.width = width,
                              .judged = width,
                              .slopes = slopes,
                              .context = &f,
                              .tolerance = 1e-14,
                              .most = 10000};
    mst_status failed = MST_OK, status = MST_OK;
    for (size_t j = 0; size > 0 && j < s->width; j++)
        state[j + 1] /= size;
    if (size > 0)
        status = rk_run(&system, 1, &scale, state, &failed);
    if (status == MST_OK && failed != MST_OK)
        status = mst_fail(failed, "the geodesic comes too near to shapes of lower rank");
    if (status == MST_OK) {
        follow(&f, 1);
        for (size_t j = 0; j < s->width; j++)
            u[j] = size * state[j + 1] + along * f.velocity[j];
    }
    mst_release(work);
    return status;
}

mst_status shape_transport(const shape_space *s, const double *x, const double *v, double *u)
{
    double r = shape_norm(s, v);
    if (!(r > 0) || !(r > 1e-200))
        return MST_OK;
    if (s->dim > 2)
        return transport_in_space(s, x, v, r, u);
    double *work;
    MST_TRY(mst_allocate(&work, s->width));
    if (s->unit)
        transport_kendall(s, x, v, r, u, work);
    else
        transport_planar_size(s, x, v, u, work);
    mst_release(work);
    return MST_OK;
}
