/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the expansion of the heat kernel takes from a geodesic of landmarks from y to x, and its gradients in
 * y: r², b₀ = −½ log Θ, a₁ = (Scal(y) + 4 Scal(middle) + Scal(x))/72.
 *
 * Let Z be the Jacobi fields with Z_q(0) = 0, Z_p(0) = I, and X those with X_q(0) = I, X_q(1) = 0, which are
 * fields of the geodesic from x back to y. Θ = det Z_q(1)/√(det g⁻¹_x det g⁻¹_y). When y moves along u, and x
 * stays, the geodesic moves along X u, and with Z' = A Z
 *   u·∂_y log det Z_q(1) = ∫ <Λ, (∂_{Xu} A) Z> ds,   Λ' = −AᵀΛ,  Λ(1) = (Z_q(1)⁻ᵀ, 0).
 * The flow is symplectic, so that Λ = (−X_p, X_q), and nothing else has to be solved for. The integrand is
 * the contraction of third derivatives of H with Λ Zᵀ; the rule of Lobatto with five places. */
#include "manifold/landmarks_terms.h"

#include <math.h>
#include <string.h>

mst_status landmark_terms_new(landmark_terms *w, const mst_manifold *m)
{
    const landmarks *l = mst_manifold_data(m);
    const landmark_shape *s = &l->shape;
    *w = (landmark_terms){.shape = s, .d = l->d};
    MST_TRY(landmark_flow_new(&w->flow, s, 1));
    mst_status status = landmark_curvature_new(&w->curvature, s);
    if (status == MST_OK)
        status = landmark_place_new(&w->at, s);
    size_t lead = w->flow.lead, half = w->flow.half, square = w->d * lead;
    if (status == MST_OK)
        status = mst_allocate_zero(&w->memory, (7 + 4 * LANDMARK_INNER) * square +
                                                   (11 + 2 * LANDMARK_INNER) * half);
    if (status == MST_OK)
        status = mst_allocate(&w->pivot, w->d);
    if (status != MST_OK)
        return status;
    double **const matrices[] = {&w->end_p, &w->start_p, &w->lu,     &w->u,
                                 &w->w,     &w->work,    &w->flipped};
    double *at = w->memory;
    for (size_t k = 0; k < LANDMARK_INNER; k++, at += 4 * square + 2 * half) {
        w->z_q[k] = at;
        w->z_p[k] = at + square;
        w->x_q[k] = at + 2 * square;
        w->x_p[k] = at + 3 * square;
        w->inner[k] = at + 4 * square;
        w->inner_p[k] = w->inner[k] + half;
    }
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++, at += square)
        *matrices[k] = at;
    double **const vectors[] = {&w->y,    &w->x,   &w->p,     &w->back,   &w->other, &w->to_q,
                                &w->to_p, &w->gap, &w->total, &w->scalar, &w->row};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, at += half)
        *vectors[k] = at;
    return MST_OK;
}

void landmark_terms_free(landmark_terms *w)
{
    landmark_flow_free(&w->flow);
    landmark_curvature_free(&w->curvature);
    landmark_place_free(&w->at);
    mst_release(w->memory);
    mst_release(w->pivot);
    *w = (landmark_terms){0};
}

/* Lobatto's rule: where, and with what weights; the middle is one of the places. */
enum { INNER = LANDMARK_INNER };
static const double inner_at[INNER] = {0.17267316464601143, 0.5, 0.82732683535398857};
static const double weights[INNER + 2] = {0.05, 49.0 / 180, 32.0 / 90, 49.0 / 180, 0.05};

/* A step of order eight leaves about 1e-6 for the length 1; one of order four of this length leaves 4e-5. */
static const double short_leg = 0.35;

/* By steps of order five or four, for which those that `steps` counts, of order eight, are too long. From
 * (from, p) to the end, with fields and points at the inner places on the way; false: astray. With
 * `simple` in two legs, and the middle alone. */
static bool run(landmark_terms *w, const double *from, const double *p, size_t steps, bool simple,
                bool back)
{
    landmark_flow *f = &w->flow;
    size_t square = w->d * f->lead;
    double now = 0;
    landmark_flow_start(f, from, p);
    landmark_flow_begin(f);
    for (size_t k = simple ? 1 : 0; k <= INNER; k += simple ? 2 : 1) {
        double next = k < INNER ? inner_at[k] : 1;
        size_t parts = (size_t)ceil(1.5 * (double)steps * (next - now) - 1e-9);
        bool is_short = (double)steps * (next - now) < short_leg;
        for (size_t j = 0; j < parts; j++)
            (is_short ? landmark_advance_shortly
                      : landmark_advance_roughly)(f, (next - now) / (double)parts, true);
        if (!isfinite(f->matrix[0]) || !isfinite(f->state[0]))
            return false;
        now = next;
        size_t place = back ? INNER - 1 - k : k;
        if (k < INNER) {
            memcpy((back ? w->x_q : w->z_q)[place], f->matrix, square * sizeof *f->matrix);
            memcpy((back ? w->x_p : w->z_p)[place], f->matrix + square, square * sizeof *f->matrix);
        }
        if (k < INNER && !back) {
            memcpy(w->inner[k], landmark_flow_point(f), f->half * sizeof *from);
            memcpy(w->inner_p[k], f->state + f->half, f->half * sizeof *from);
        }
    }
    return true;
}

static void transpose(const landmark_terms *w, const double *a, double *out)
{
    size_t lead = w->flow.lead;
    for (size_t i = 0; i < w->d; i++)
        for (size_t j = 0; j < w->d; j++)
            out[j * lead + i] = a[i * lead + j];
}

/* out = A Bᵀ */
static void multiply_transposed(landmark_terms *w, const double *a, const double *b, double *out)
{
    size_t d = w->d, lead = w->flow.lead;
    transpose(w, b, w->flipped);
    w->flow.kernels->multiply(d, d, lead, a, lead, w->flipped, lead, out, lead, false);
}

/* B ← B Z_q(1)⁻ᵀ */
static void divide(landmark_terms *w, double *b)
{
    size_t d = w->d, lead = w->flow.lead;
    transpose(w, b, w->work);
    w->flow.kernels->solve(d, lead, w->lu, w->pivot, lead, lead, w->work);
    transpose(w, w->work, b);
}

/* U = Λ_q Z_qᵀ − (Λ_p Z_pᵀ)ᵀ, V = Λ_q Z_pᵀ in w->work, W = Λ_p Z_qᵀ, at one place: adds weight times the
 * derivatives of <U, C> + <V, K> − <W, H_qq> to w->to_q and w->to_p. */
static void contract_pair(landmark_terms *w, const double *q, const double *p, size_t a, size_t b,
                          double weight)
{
    const landmark_shape *s = w->shape;
    size_t m = s->space, wide = s->wide, lead = w->flow.lead, ab = a * wide + b;
    double *const *k = w->at.pair;
    double k1 = k[1][ab], k2 = k[2][ab], k3 = k[3][ab];
    double gap[LANDMARK_SPACE], turned[LANDMARK_SPACE] = {0}, bent[LANDMARK_SPACE] = {0},
                                back[LANDMARK_SPACE] = {0}, trace = 0, dot = 0, v = 0, along = 0,
                                twice = 0;
    for (size_t c = 0; c < m; c++) {
        gap[c] = q[c * wide + a] - q[c * wide + b];
        dot += p[c * wide + a] * p[c * wide + b];
        v += w->work[(a * m + c) * lead + b * m + c];
    }
    for (size_t c = 0; c < m; c++)
        for (size_t e = 0; e < m; e++) {
            size_t row = (a * m + c) * lead;
            double u_ce = w->u[row + a * m + e] - w->u[row + b * m + e];
            double w_ce = w->w[row + a * m + e] - w->w[row + b * m + e];
            turned[c] += u_ce * gap[e];
            back[e] += u_ce * p[c * wide + b];
            bent[c] += w_ce * gap[e];
            bent[e] += w_ce * gap[c];
            twice += w_ce * gap[c] * gap[e];
            trace += c == e ? w_ce : 0;
        }
    for (size_t c = 0; c < m; c++)
        along += p[c * wide + b] * turned[c];
    double radial = k2 * along + v * k1 - dot * (k2 * trace + k3 * twice);
    double stiff = k1 * trace + k2 * twice;
    for (size_t c = 0; c < m; c++) {
        double pull = weight * (radial * gap[c] + k1 * back[c] - dot * k2 * bent[c]);
        w->to_q[c * wide + a] += pull;
        w->to_q[c * wide + b] -= pull;
        w->to_p[c * wide + b] += weight * (k1 * turned[c] - stiff * p[c * wide + a]);
        w->to_p[c * wide + a] -= weight * stiff * p[c * wide + b];
    }
}

/* Adds the integrand at one place, X_qᵀ ψ_q + X_pᵀ ψ_p, to w->total; fields X there, null for X_q = 0. */
static void add_place(landmark_terms *w, const double *q, const double *p, double weight,
                      const double *x_q, const double *x_p)
{
    const landmark_shape *s = w->shape;
    size_t d = w->d, lead = w->flow.lead, m = s->space, wide = s->wide;
    w->at.kernels->pairs(s, q, 3, w->at.pair);
    memset(w->to_q, 0, w->flow.half * sizeof *w->to_q);
    memset(w->to_p, 0, w->flow.half * sizeof *w->to_p);
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++)
            if (a != b)
                contract_pair(w, q, p, a, b, weight);
    for (size_t i = 0; i < d; i++) {
        double on_q = w->to_q[i % m * wide + i / m], on_p = w->to_p[i % m * wide + i / m];
        for (size_t j = 0; j < d; j++)
            w->total[j] += (x_q != NULL ? x_q[i * lead + j] * on_q : 0) + x_p[i * lead + j] * on_p;
    }
}

static void set_multiple(const landmark_terms *w, double *matrix, double value)
{
    size_t lead = w->flow.lead;
    memset(matrix, 0, w->d * lead * sizeof *matrix);
    for (size_t i = 0; i < w->d; i++)
        matrix[i * lead + i] = value;
}

static void negate(const landmark_terms *w, const double *a, double *out)
{
    for (size_t k = 0; k < w->d * w->flow.lead; k++)
        out[k] = -a[k];
}

/* w->total (d): ∂_y log det Z_q(1). */
static void differentiate(landmark_terms *w)
{
    memset(w->total, 0, w->d * sizeof *w->total);
    /* At y: Z = (0, I), X_q = I, Λ = (−X_p, I). */
    set_multiple(w, w->u, -1);
    set_multiple(w, w->w, 0);
    negate(w, w->start_p, w->work);
    set_multiple(w, w->flipped, 1);
    add_place(w, w->y, w->p, weights[0], w->flipped, w->start_p);
    for (size_t k = 0; k < INNER; k++) {
        multiply_transposed(w, w->x_p[k], w->z_q[k], w->u);
        multiply_transposed(w, w->z_p[k], w->x_q[k], w->work); /* (Λ_p Z_pᵀ)ᵀ */
        for (size_t j = 0; j < w->d * w->flow.lead; j++)
            w->u[j] = -w->u[j] - w->work[j];
        multiply_transposed(w, w->x_q[k], w->z_q[k], w->w);
        multiply_transposed(w, w->x_p[k], w->z_p[k], w->work);
        negate(w, w->work, w->work);
        add_place(w, w->inner[k], w->inner_p[k], weights[k + 1], w->x_q[k], w->x_p[k]);
    }
    /* At x: X_q = 0, Λ = (Z_q⁻ᵀ, 0) = (−X_p, 0), U = I, and V = Z_q⁻ᵀ Z_pᵀ, W = 0. */
    double *end_x_p = w->z_q[0]; /* which is done with */
    set_multiple(w, end_x_p, -1);
    divide(w, end_x_p);
    multiply_transposed(w, end_x_p, w->end_p, w->work);
    negate(w, w->work, w->work);
    set_multiple(w, w->u, 1);
    set_multiple(w, w->w, 0);
    add_place(w, w->x, w->back, weights[INNER + 1], NULL, end_x_p);
}

/* Fields along the geodesic of p from y: Z, X and log det Z_q(1); false: beyond a conjugate point. */
static bool fields(landmark_terms *w, size_t steps, bool gradient, double *log_det)
{
    landmark_flow *f = &w->flow;
    size_t half = f->half, square = w->d * f->lead;
    double sign;
    landmark_flow_start(f, w->y, w->p);
    for (size_t k = 0; k < steps; k++)
        landmark_advance(f, 1 / (double)steps, false);
    memcpy(w->x, landmark_flow_point(f), half * sizeof *w->x);
    for (size_t k = 0; k < half; k++)
        w->back[k] = -f->state[half + k];
    if (gradient && !run(w, w->x, w->back, steps, false, true))
        return false;
    if (gradient)
        memcpy(w->start_p, f->matrix + square, square * sizeof *w->start_p);
    for (size_t k = 0; k < half; k++)
        w->back[k] = -w->back[k]; /* the momentum at x, from now on */
    if (!run(w, w->y, w->p, steps, !gradient, false))
        return false;
    memcpy(w->end_p, f->matrix + square, square * sizeof *w->end_p);
    memcpy(w->lu, f->matrix, square * sizeof *w->lu);
    if (!f->kernels->factor(w->d, f->lead, w->lu, w->pivot, log_det, &sign) || sign < 0)
        return false;
    if (gradient) {
        for (size_t k = 0; k < INNER; k++) {
            divide(w, w->x_q[k]);
            divide(w, w->x_p[k]);
            negate(w, w->x_p[k], w->x_p[k]);
        }
        divide(w, w->start_p);
        negate(w, w->start_p, w->start_p);
    }
    return true;
}

/* The covector (d) of rows as a vector: K c. */
static void raise(landmark_terms *w, const double *covector, double *vector)
{
    landmark_columns(w->shape, covector, w->row);
    w->flow.kernels->slopes(w->shape, w->y, w->row, w->to_q, w->to_p, w->flow.room);
    landmark_row(w->shape, w->to_q, vector);
}

/* The gradients of b₀ and a₁; w->at is at y. */
static void put_gradients(landmark_terms *w, const landmark_ray_terms *out, const double *at_y)
{
    const landmark_shape *s = w->shape;
    size_t d = w->d, lead = w->flow.lead, m = s->space, wide = s->wide;
    double space = (double)m;
    differentiate(w);
    /* ∂ log det K by q_c: 2 Σ_b K⁻¹_cb 2k'_cb D, as the curvature at y has it */
    landmark_scalar(&w->curvature, w->y, w->scalar);
    for (size_t i = 0; i < d; i++)
        w->total[i] = -0.5 * w->total[i] + 0.5 * space * w->curvature.f[i % m][i / m];
    raise(w, w->total, out->slope_b);
    memcpy(w->gap, at_y, w->flow.half * sizeof *at_y);
    for (size_t i = 0; i < d; i++)
        w->total[i] = w->gap[i % m * wide + i / m] / 72;
    landmark_scalar(&w->curvature, w->inner[INNER / 2], w->scalar);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            w->total[j] += w->x_q[INNER / 2][i * lead + j] * w->scalar[i % m * wide + i / m] / 18;
    raise(w, w->total, out->slope_a);
}

/* The Hessian of ½r² at y in the frame: Lᵀ(−X_p)L − ½ L⁻¹(K Cᵀ + C K − ∂_v K)L⁻ᵀ, C = ∂(K p)/∂q. */
static void put_hessian(landmark_terms *w, double *out)
{
    const landmark_shape *s = w->shape;
    landmark_flow *f = &w->flow;
    size_t d = w->d, m = s->space, wide = s->wide, half = f->half;
    double *unit = w->gap, *other = w->scalar, *turned = w->row;
    f->kernels->slopes(s, w->y, w->p, w->to_q, w->to_p, f->room);
    for (size_t j = 0; j < d; j++) {
        /* u = L e_j and its covector a = L⁻ᵀ e_j */
        memset(unit, 0, half * sizeof *unit);
        unit[j % m * wide + j / m] = 1;
        memcpy(other, unit, half * sizeof *unit);
        landmark_colour(&w->at, unit);
        landmark_momentum(&w->at, other);
        /* C u, Cᵀ a and ∂_v K a: derivatives of K p and of −∂H/∂q by p, and of K a along v. */
        memset(turned, 0, half * sizeof *turned);
        landmark_turn(&w->at, w->p, unit, turned); /* −C u */
        for (size_t k = 0; k < half; k++)
            turned[k] = -turned[k];
        landmark_turn(&w->at, other, w->to_q, turned); /* − ∂_v K a */
        memset(w->to_p, 0, half * sizeof *turned);
        double *zero = w->back;
        memset(zero, 0, half * sizeof *zero);
        landmark_bend(&w->at, w->p, zero, other, w->to_p); /* −Cᵀ a */
        for (size_t k = 0; k < half; k++)
            w->to_p[k] = -w->to_p[k];
        f->kernels->slopes(s, w->y, w->to_p, w->other, zero, f->room); /* K Cᵀ a */
        for (size_t k = 0; k < half; k++)
            turned[k] = 0.5 * (turned[k] + w->other[k]);
        landmark_whiten(&w->at, turned);
        /* Lᵀ (−X_p) u */
        memset(w->to_p, 0, half * sizeof *w->to_p);
        for (size_t i = 0; i < d; i++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum -= w->start_p[i * f->lead + k] * unit[k % m * wide + k / m];
            w->to_p[i % m * wide + i / m] = sum;
        }
        for (size_t i = 0; i < d; i++) {
            double sum = -turned[i % m * wide + i / m];
            for (size_t b = i / m; b < s->count; b++)
                sum += w->at.root[i / m * wide + b] * w->to_p[i % m * wide + b];
            out[i * d + j] = sum;
        }
    }
}

bool landmark_terms_find(landmark_terms *w, const double *y, const double *p, size_t steps,
                         const double *curvature_y, double scalar_y, landmark_ray_terms *out)
{
    const landmark_shape *s = w->shape;
    bool gradient = out->slope_b != NULL;
    double log_det;
    landmark_columns(s, y, w->y);
    landmark_columns(s, p, w->p);
    if (!fields(w, steps, gradient, &log_det))
        return false;
    double at_x = landmark_scalar(&w->curvature, w->x, NULL);
    double det_x = landmark_log_det(&w->curvature.at);
    double middle = landmark_scalar(&w->curvature, w->inner[INNER / 2], NULL);
    if (!landmark_place_columns(&w->at, w->y, 2))
        return false;
    out->log_theta = log_det - 0.5 * (double)s->space * (det_x + landmark_log_det(&w->at));
    out->a = (scalar_y + 4 * middle + at_x) / 72;
    raise(w, p, out->log);
    if (gradient) {
        put_gradients(w, out, curvature_y);
        if (out->hessian != NULL && landmark_place_columns(&w->at, w->y, 2))
            put_hessian(w, out->hessian);
    }
    return isfinite(out->log_theta) && isfinite(out->a);
}
