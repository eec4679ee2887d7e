/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/sweep_kernels.h"

#include "base/hot.h"
#include "geodesic/eight_hot.h"

/* ---- Velocities: v_q = Σ_{j≠q} d_qj (x_j − x_q)/h ---- */

/* One column of values at nodes to the velocities at points. */
INLINE void differentiate(const mesh *g, const eight *per_h, const eight *restrict x,
                          eight *restrict v)
{
    size_t p = g->r->p, P = p + 1;
    const double *d = g->r->d;
    for (size_t e = 0; e < g->elements; e++, x += p, v += P)
        for (size_t q = 0; q < P; q++) {
            eight at = x[q], even = zero, odd = zero;
            size_t j = 0;
            for (; j + 2 <= P; j += 2) { /* the term j = q is 0 */
                even += d[q * P + j] * (x[j] - at);
                odd += d[q * P + j + 1] * (x[j + 1] - at);
            }
            if (j < P)
                even += d[q * P + j] * (x[j] - at);
            v[q] = (even + odd) * per_h[e];
        }
}

/* The transpose with weights: f_i = Σ_q w_q d_qi v_q, of one column. */
INLINE void integrate(const mesh *g, const eight *restrict v, eight *restrict f)
{
    size_t p = g->r->p, P = p + 1;
    const double *d = g->r->d, *w = g->r->w;
    f[0] = zero;
    for (size_t e = 0; e < g->elements; e++, f += p, v += P) {
        eight kept = f[0];
        for (size_t i = 0; i < P; i++) {
            eight sum = zero;
            for (size_t q = 0; q < P; q++)
                sum += w[q] * d[q * P + i] * v[q];
            f[i] = sum;
        }
        f[0] += kept;
    }
}

static void metric_points(const sweep_room *r)
{
    const mesh *g = r->g;
    size_t p = g->r->p, P = p + 1;
    for (size_t k = 0; k < g->d; k++) {
        differentiate(g, r->per_h, r->x + k * g->nodes, r->vq + k * r->points);
        for (size_t e = 0; e < g->elements; e++)
            for (size_t q = 0; q < P; q++)
                r->xq[k * r->points + e * P + q] = r->base[k] + r->x[k * g->nodes + e * p + q];
    }
}

static void metric_gradient(const sweep_room *r)
{
    const mesh *g = r->g;
    size_t p = g->r->p, P = p + 1;
    const double *w = g->r->w;
    eight energy = zero;
    for (size_t e = 0; e < g->elements; e++) {
        eight sum = zero;
        for (size_t q = 0; q < P; q++)
            sum += w[q] * r->l[e * P + q];
        energy += r->h[e] * sum;
    }
    *r->energy = energy;
    for (size_t k = 0; k < g->d; k++) {
        eight *out = r->gradient + k * g->nodes;
        integrate(g, r->l_v + k * r->points, out);
        for (size_t e = 0; e < g->elements; e++)
            for (size_t q = 0; q < P; q++)
                out[e * p + q] += w[q] * r->h[e] * r->l_x[k * r->points + e * P + q];
    }
}

/* Where the block of nodes (i, j), j ≤ i, begins; its rows are `stride` apart. */
INLINE eight *block_at(const mesh *g, eight *matrix, size_t i, size_t j, size_t *stride)
{
    *stride = i * g->d - g->first[i];
    return matrix + g->line[(i - 1) * g->d] + (ptrdiff_t)((j - 1) * g->d);
}

enum { TILE = 4 };

/* Entry (a, b) of the block of local nodes i ≥ j of element e, of which `sum` is the positive part. */
INLINE void metric_entry(const sweep_room *r, bool full, size_t d, size_t e, size_t i, size_t j,
                         size_t a, size_t b, const eight *positive, eight *out)
{
    const mesh *g = r->g;
    size_t P = g->r->p + 1, n = r->points, base = e * P;
    const double *D = g->r->d, *w = g->r->w;
    eight sum = *positive;
    if (full) {
        sum += w[i] * D[i * P + j] * r->l_xv[(a * d + b) * n + base + i] +
               w[j] * D[j * P + i] * r->l_xv[(b * d + a) * n + base + j];
        if (i == j)
            sum += w[i] * r->h[e] * r->l_xx[(a * d + b) * n + base + i];
    }
    if (i == 0) /* the element before was here, too */
        *out += sum;
    else
        *out = sum;
}

/* The blocks of i with j … j + count − 1, which share what they read of g. */
INLINE void metric_blocks(const sweep_room *r, bool full, size_t d, size_t e, size_t i, size_t j,
                          size_t count, eight *matrix)
{
    const mesh *g = r->g;
    size_t p = g->r->p, P = p + 1, n = r->points, stride;
    eight *out = block_at(g, matrix, e * p + i, e * p + j, &stride), per_h = r->per_h[e];
    const double *weights = g->r->square + (i * P + j) * P;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++) {
            const eight *g_ab = r->l_vv + (a * d + b) * n + e * P;
            eight sum[TILE] = {{0}};
            for (size_t q = 0; q < P; q++)
                for (size_t c = 0; c < count; c++)
                    sum[c] += weights[c * P + q] * g_ab[q];
            for (size_t c = 0; c < count; c++) {
                sum[c] *= per_h;
                metric_entry(r, full, d, e, i, j + c, a, b, &sum[c], out + a * stride + c * d + b);
                if (a != b && i != j + c)
                    metric_entry(r, full, d, e, i, j + c, b, a, &sum[c],
                                 out + b * stride + c * d + a);
            }
        }
}

INLINE void metric_matrix_of(const sweep_room *r, bool full, size_t d, eight *matrix)
{
    const mesh *g = r->g;
    size_t p = g->r->p;
    for (size_t e = 0; e < g->elements; e++)
        for (size_t i = e == 0 ? 1 : 0; i <= p && e * p + i + 1 < g->nodes; i++) {
            size_t j = e == 0 ? 1 : 0;
            for (; j + TILE <= i + 1; j += TILE)
                metric_blocks(r, full, d, e, i, j, TILE, matrix);
            for (; j <= i; j++)
                metric_blocks(r, full, d, e, i, j, 1, matrix);
        }
}

static void metric_matrix(const sweep_room *r, bool full, eight *matrix)
{
    if (r->g->d == 2)
        metric_matrix_of(r, full, 2, matrix);
    else if (r->g->d == 3)
        metric_matrix_of(r, full, 3, matrix);
    else
        metric_matrix_of(r, full, r->g->d, matrix);
}

static void metric_product(const sweep_room *r, bool full, const eight *s, eight *out)
{
    const mesh *g = r->g;
    size_t d = g->d, n = r->points, p = g->r->p, P = p + 1;
    eight *rate = r->room, *change = r->room + d * n;
    for (size_t k = 0; k < d; k++)
        differentiate(g, r->per_h, s + k * g->nodes, rate + k * n);
    for (size_t a = 0; a < d; a++)
        for (size_t q = 0; q < n; q++) {
            size_t node = q / P * p + q % P;
            eight sum = zero;
            for (size_t b = 0; b < d; b++) {
                sum += r->l_vv[(a * d + b) * n + q] * rate[b * n + q];
                if (full)
                    sum += r->l_xv[(b * d + a) * n + q] * s[b * g->nodes + node];
            }
            change[a * n + q] = sum;
        }
    for (size_t a = 0; a < d; a++) {
        integrate(g, change + a * n, out + a * g->nodes);
        for (size_t q = 0; full && q < n; q++) {
            size_t node = q / P * p + q % P;
            eight sum = zero;
            for (size_t b = 0; b < d; b++)
                sum += r->l_xv[(a * d + b) * n + q] * rate[b * n + q] +
                       r->l_xx[(a * d + b) * n + q] * s[b * g->nodes + node];
            out[a * g->nodes + node] += g->r->w[q % P] * r->h[q / P] * sum;
        }
    }
}

/* One row of `integrate`: node 0 of the first element, or p of the last. */
INLINE void integrate_end(const mesh *g, bool last, const eight *v, eight *out)
{
    size_t P = g->r->p + 1, i = last ? P - 1 : 0;
    eight sum = zero;
    for (size_t q = 0; q < P; q++)
        sum += g->r->w[q] * g->r->d[q * P + i] * v[q];
    *out = sum;
}

/* The element at an end as if it were alone. */
INLINE mesh alone(const mesh *g)
{
    mesh one = *g;
    one.elements = 1;
    return one;
}

static void metric_ends(const sweep_room *r, const eight *s, eight *out)
{
    const mesh *g = r->g, one = alone(g);
    size_t d = g->d, n = r->points, P = g->r->p + 1;
    eight *rate = r->room, *change = r->room + d * P;
    for (int last = 0; last < 2; last++) {
        size_t e = last ? g->elements - 1 : 0, end = last ? P - 1 : 0, first = e * P;
        const eight *step = s + e * g->r->p;
        for (size_t k = 0; k < d; k++)
            differentiate(&one, r->per_h + e, step + k * g->nodes, rate + k * P);
        for (size_t a = 0; a < d; a++) {
            for (size_t q = 0; q < P; q++) {
                eight sum = zero;
                for (size_t b = 0; b < d; b++)
                    sum += r->l_vv[(a * d + b) * n + first + q] * rate[b * P + q] +
                           r->l_xv[(b * d + a) * n + first + q] * step[b * g->nodes + q];
                change[q] = sum;
            }
            eight sum;
            integrate_end(&one, last, change, &sum);
            for (size_t b = 0; b < d; b++) /* the step is 0 at the ends */
                sum += g->r->w[end] * r->h[e] * r->l_xv[(a * d + b) * n + first + end] *
                       rate[b * P + end];
            out[a * g->nodes + (last ? g->nodes - 1 : 0)] = sum;
        }
    }
}

/* ---- Ambient forms ---- */

static void motion(const sweep_room *r)
{
    const mesh *g = r->g;
    size_t P = g->r->p + 1;
    for (size_t k = 0; k < r->space; k++) {
        differentiate(g, r->per_h, r->f + k * g->nodes, r->vq + k * r->points);
        integrate(g, r->vq + k * r->points, r->force + k * g->nodes);
    }
    eight energy = zero;
    for (size_t e = 0; e < g->elements; e++) {
        eight sum = zero;
        for (size_t q = 0; q < P; q++) {
            eight square = zero;
            for (size_t k = 0; k < r->space; k++)
                square += r->vq[k * r->points + e * P + q] * r->vq[k * r->points + e * P + q];
            sum += g->r->w[q] * square;
        }
        energy += 0.5 * r->h[e] * sum;
    }
    *r->energy = energy;
}

static void ambient_gradient(const sweep_room *r)
{
    const mesh *g = r->g;
    size_t n = g->nodes, d = g->d;
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++) {
            eight sum = zero;
            for (size_t k = 0; k < r->space; k++)
                sum += r->frame[(k * d + a) * n + i] * r->force[k * n + i];
            r->gradient[a * n + i] = sum;
        }
}

INLINE void ambient_block(const sweep_room *r, bool full, size_t d, size_t space, size_t e,
                          size_t i, size_t j, eight *matrix)
{
    const mesh *g = r->g;
    size_t p = g->r->p, n = g->nodes, stride, to = e * p + i, from = e * p + j;
    eight *out = block_at(g, matrix, to, from, &stride);
    eight weight = g->r->stiffness[i * (p + 1) + j] * r->per_h[e];
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < (i == j ? a + 1 : d); b++) {
            eight sum = zero;
            for (size_t k = 0; k < space; k++)
                sum += r->frame[(k * d + a) * n + to] * r->frame[(k * d + b) * n + from];
            sum *= weight;
            if (i == j && full && i != 0)
                sum += r->bend[(a * d + b) * n + to];
            if (i == 0)
                out[a * stride + b] += sum;
            else
                out[a * stride + b] = sum;
        }
}

INLINE void ambient_matrix_of(const sweep_room *r, bool full, size_t d, size_t space, eight *matrix)
{
    const mesh *g = r->g;
    size_t p = g->r->p;
    for (size_t e = 0; e < g->elements; e++)
        for (size_t i = e == 0 ? 1 : 0; i <= p && e * p + i + 1 < g->nodes; i++)
            for (size_t j = e == 0 ? 1 : 0; j <= i; j++)
                ambient_block(r, full, d, space, e, i, j, matrix);
}

static void ambient_matrix(const sweep_room *r, bool full, eight *matrix)
{
    if (r->g->d == 2 && r->space == 3)
        ambient_matrix_of(r, full, 2, 3, matrix);
    else
        ambient_matrix_of(r, full, r->g->d, r->space, matrix);
}

static void ambient_product(const sweep_room *r, bool full, const eight *s, eight *out)
{
    const mesh *g = r->g;
    size_t n = g->nodes, d = g->d;
    eight *moved = r->room, *rate = r->room + n;
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++) {
            eight sum = zero;
            for (size_t b = 0; full && b < d; b++)
                sum += r->bend[(a * d + b) * n + i] * s[b * n + i];
            out[a * n + i] = sum;
        }
    for (size_t k = 0; k < r->space; k++) {
        for (size_t i = 0; i < n; i++) {
            moved[i] = zero;
            for (size_t b = 0; b < d; b++)
                moved[i] += r->frame[(k * d + b) * n + i] * s[b * n + i];
        }
        differentiate(g, r->per_h, moved, rate);
        integrate(g, rate, moved);
        for (size_t a = 0; a < d; a++)
            for (size_t i = 0; i < n; i++)
                out[a * n + i] += r->frame[(k * d + a) * n + i] * moved[i];
    }
}

static void ambient_ends(const sweep_room *r, const eight *s, eight *out)
{
    const mesh *g = r->g, one = alone(g);
    size_t n = g->nodes, d = g->d, P = g->r->p + 1;
    eight *moved = r->room, *rate = r->room + P;
    for (int last = 0; last < 2; last++) {
        size_t e = last ? g->elements - 1 : 0, first = e * g->r->p, end = last ? n - 1 : 0;
        for (size_t a = 0; a < d; a++)
            out[a * n + end] = zero;
        for (size_t k = 0; k < r->space; k++) {
            eight force;
            for (size_t i = 0; i < P; i++) {
                moved[i] = zero;
                for (size_t b = 0; b < d; b++)
                    moved[i] += r->frame[(k * d + b) * n + first + i] * s[b * n + first + i];
            }
            differentiate(&one, r->per_h + e, moved, rate);
            integrate_end(&one, last, rate, &force);
            for (size_t a = 0; a < d; a++)
                out[a * n + end] += r->frame[(k * d + a) * n + end] * force;
        }
    }
}

/* ---- Constraints ---- */

/* y −= beta (v·y) v over entries `from` … D − 1. */
INLINE void reflect(size_t from, size_t D, const eight *v, const eight *beta, eight *y)
{
    eight dot = zero;
    for (size_t k = from; k < D; k++)
        dot += v[k] * y[k];
    dot *= *beta;
    for (size_t k = from; k < D; k++)
        y[k] -= dot * v[k];
}

/* Householder's vectors v (count, D), their betas and R (count, count) of the normals of node i: Q R = Gᵀ. */
INLINE void triangulate(const sweep_room *r, size_t D, size_t c, size_t i, eight *v, eight *beta,
                        eight *R)
{
    size_t n = r->g->nodes;
    for (size_t m = 0; m < c; m++) {
        eight *y = v + m * D, square = zero;
        for (size_t k = 0; k < D; k++)
            y[k] = r->normal[(m * D + k) * n + i];
        for (size_t before = 0; before < m; before++)
            reflect(before, D, v + before * D, &beta[before], y);
        for (size_t before = 0; before < m; before++)
            R[before * c + m] = y[before];
        for (size_t k = m; k < D; k++)
            square += y[k] * y[k];
        root(&square);
        eight signed_length = EIGHT_CHOOSE(y[m] < 0, -square, square);
        R[m * c + m] = -signed_length;
        /* |v|² = 2 (|y|² + |y_m| |y|) */
        beta[m] = 1 / (square * square + signed_length * y[m]);
        y[m] += signed_length;
    }
}

INLINE void frame_of_node(const sweep_room *r, size_t d, size_t D, size_t c, size_t i)
{
    size_t n = r->g->nodes;
    eight *v = r->room, *beta = v + c * D, *R = beta + c, *y = R + c * c;
    triangulate(r, D, c, i, v, beta, R);
    for (size_t a = 0; a < d; a++) {
        for (size_t k = 0; k < D; k++)
            y[k] = zero;
        y[c + a] = zero + 1;
        for (size_t m = c; m-- > 0;)
            reflect(m, D, v + m * D, &beta[m], y);
        for (size_t k = 0; k < D; k++)
            r->frame[(k * d + a) * n + i] = y[k];
    }
    for (size_t k = 0; k < D; k++)
        y[k] = r->force[k * n + i];
    for (size_t m = 0; m < c; m++)
        reflect(m, D, v + m * D, &beta[m], y);
    for (size_t m = c; m-- > 0;) {
        eight sum = -y[m];
        for (size_t k = m + 1; k < c; k++)
            sum -= R[m * c + k] * r->lambda[k * n + i];
        r->lambda[m * n + i] = sum / R[m * c + m];
    }
}

static void tangent_frames(const sweep_room *r)
{
    for (size_t i = 0; i < r->g->nodes; i++)
        if (r->space == 3 && r->count == 1)
            frame_of_node(r, 2, 3, 1, i);
        else
            frame_of_node(r, r->g->d, r->space, r->count, i);
}

INLINE void frame_bend_of(const sweep_room *r, size_t d, size_t D)
{
    size_t n = r->g->nodes;
    eight *half = r->room; /* (D, d): the Hessian times the frame */
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < D; k++)
            for (size_t a = 0; a < d; a++) {
                eight sum = zero;
                for (size_t m = 0; m < D; m++)
                    sum += r->curl[(k * D + m) * n + i] * r->frame[(m * d + a) * n + i];
                half[k * d + a] = sum;
            }
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                eight sum = zero;
                for (size_t k = 0; k < D; k++)
                    sum += r->frame[(k * d + a) * n + i] * half[k * d + b];
                r->bend[(a * d + b) * n + i] = sum;
            }
    }
}

static void frame_bend(const sweep_room *r)
{
    if (r->g->d == 2 && r->space == 3)
        frame_bend_of(r, 2, 3);
    else
        frame_bend_of(r, r->g->d, r->space);
}

/* −Gᵀ (G Gᵀ)⁻¹ h = −Q R⁻ᵀ h into y (D). */
INLINE void correction(const sweep_room *r, size_t D, size_t c, size_t i, eight *y)
{
    size_t n = r->g->nodes;
    eight *v = r->room, *beta = v + c * D, *R = beta + c;
    triangulate(r, D, c, i, v, beta, R);
    for (size_t k = 0; k < D; k++)
        y[k] = zero;
    for (size_t m = 0; m < c; m++) {
        eight sum = -r->value[m * n + i];
        for (size_t k = 0; k < m; k++)
            sum -= R[k * c + m] * y[k];
        y[m] = sum / R[m * c + m];
    }
    for (size_t m = c; m-- > 0;)
        reflect(m, D, v + m * D, &beta[m], y);
}

INLINE void project_of(const sweep_room *r, size_t D, size_t c, eight_mask *out)
{
    size_t n = r->g->nodes;
    eight *y = r->room + c * D + c + c * c;
    eight_mask any = {0};
    for (size_t i = 1; i + 1 < n; i++) {
        correction(r, D, c, i, y);
        eight size = zero, move = zero;
        for (size_t k = 0; k < D; k++) {
            eight at = r->x[k * n + i];
            size += at * at;
            move += y[k] * y[k];
        }
        eight_mask go = move > 1e-28 * size;
        any |= go;
        for (size_t k = 0; k < D; k++) {
            eight at = r->x[k * n + i], there = at + y[k];
            r->x[k * n + i] = EIGHT_CHOOSE(go, there, at);
        }
    }
    *out = any;
}

static bool project(const sweep_room *r)
{
    eight_mask any;
    if (r->space == 3 && r->count == 1)
        project_of(r, 3, 1, &any);
    else
        project_of(r, r->space, r->count, &any);
    long long moves = 0;
    EACH_LANE moves |= any[k];
    return moves != 0;
}

const struct sweep_kernels HOT(sweep_kernels) = {
    .metric_points = metric_points,
    .metric_gradient = metric_gradient,
    .metric_matrix = metric_matrix,
    .metric_product = metric_product,
    .metric_ends = metric_ends,
    .motion = motion,
    .ambient_gradient = ambient_gradient,
    .ambient_matrix = ambient_matrix,
    .ambient_product = ambient_product,
    .ambient_ends = ambient_ends,
    .tangent_frames = tangent_frames,
    .frame_bend = frame_bend,
    .project = project,
};
