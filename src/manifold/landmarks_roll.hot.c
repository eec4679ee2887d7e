/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A few landmarks that take a parallel frame along. With the momentum p of the geodesic and covectors α,
 * K for K ⊗ I, v = Kp and w = Kα, parallel transport is
 *
 *     α' = −½ ∂_q(pᵀKα) − ½ K⁻¹((∂_v K) α − (∂_w K) p),
 *
 * Koszul's formula for the metric K⁻¹. The Ricci tensor is that of landmarks_ricci.c, in frame coordinates
 * K = L Lᵀ, where the traces become squares: with Ŝ the symmetric part of L⁻¹ (∂v/∂q) L and
 * Y = L⁻¹ (∂_v K) L⁻ᵀ,
 *
 *     Ric(v, v) = −|Ŝ − ½ Y|² − ½ m |Y|² + Σ_{a<b} z_ab g_ab + pᵀ B p,
 *
 * where m is the dimension of space, Y in the first square stands for Y ⊗ I, z_ab = D_ab·(v_a − v_b) with
 * D_ab = q_a − q_b, and g_ab is linear in p and B a matrix of the place alone (`settle`). It is a quadratic
 * form in p made of products of linear ones, so all entries of the tensor cost little more than the first. */
#include "manifold/landmarks_eight_hot.h"

/* ---- Geodesics with covectors along ---- */

enum { SQUARES = DIM * (DIM + 1) / 2 + COUNT * (COUNT + 1) / 2 };

typedef struct rolled {
    eight q[DIM], p[DIM], alpha[DIM][DIM];
} rolled;

/* How a covector changes; along v are the changes of K. */
INLINE void transport(const place *at, const eight *p, const eight *along, const eight *alpha,
                      eight *out)
{
    size_t n = at->n, m = at->m;
    eight w[DIM], turned[DIM], moved[DIM];
    apply(at, &at->k, alpha, w);
    for (size_t k = 0; k < at->d; k++)
        turned[k] = out[k] = zero;
    EACH_PAIR
    {
        size_t pair = pair_of(a, b);
        eight to, from, aside;
        dot(m, p + a * m, alpha + b * m, &to);
        dot(m, p + b * m, alpha + a * m, &from);
        to = (to + from) * at->k1[pair];
        change(at, a, b, w, &aside);
        for (size_t c = 0; c < m; c++) {
            eight push = to * at->gap[pair][c];
            out[a * m + c] += push;
            out[b * m + c] -= push;
            turned[a * m + c] += along[pair] * alpha[b * m + c] - aside * p[b * m + c];
            turned[b * m + c] += along[pair] * alpha[a * m + c] - aside * p[a * m + c];
        }
    }
    apply(at, &at->inverse, turned, moved);
    for (size_t k = 0; k < at->d; k++)
        out[k] = -0.5 * (out[k] + moved[k]);
}

static void slope_at(const landmark_shape *s, const rolled *x, rolled *out)
{
    place at;
    eight along[PAIRS];
    place_at(&at, s, x->q, 1);
    size_t n = at.n;
    apply(&at, &at.k, x->p, out->q);
    force_at(&at, x->p, out->p);
    EACH_PAIR change(&at, a, b, out->q, &along[pair_of(a, b)]);
    for (size_t k = 0; k < at.d; k++)
        transport(&at, x->p, along, x->alpha[k], out->alpha[k]);
}

/* y = x + f z, or y += f z with x = y. */
INLINE void add(size_t d, const rolled *x, const eight *f, const rolled *z, rolled *y)
{
    for (size_t k = 0; k < d; k++) {
        y->q[k] = x->q[k] + *f * z->q[k];
        y->p[k] = x->p[k] + *f * z->p[k];
        for (size_t e = 0; e < d; e++)
            y->alpha[k][e] = x->alpha[k][e] + *f * z->alpha[k][e];
    }
}

/* One step of the classical method of order four, over times h (8). */
static void advance(const landmark_shape *s, const eight *h, rolled *x)
{
    size_t d = s->count * s->space;
    rolled at, slope, sum;
    eight half = 0.5 * *h, sixth = *h / 6, third = *h / 3;
    slope_at(s, x, &slope);
    add(d, x, &sixth, &slope, &sum);
    add(d, x, &half, &slope, &at);
    slope_at(s, &at, &slope);
    add(d, &sum, &third, &slope, &sum);
    add(d, x, &half, &slope, &at);
    slope_at(s, &at, &slope);
    add(d, &sum, &third, &slope, &sum);
    add(d, x, h, &slope, &at);
    slope_at(s, &at, &slope);
    add(d, &sum, &sixth, &slope, x);
}

/* How many steps a geodesic takes: its velocity field shears by no more than `most` in one of them. */
static void count_parts(const place *at, const eight *p, double *parts)
{
    const double most = 0.6, limit = 64;
    size_t n = at->n, m = at->m;
    eight shear = zero;
    EACH_PAIR
    {
        eight own, other;
        dot(m, p + a * m, p + a * m, &own);
        dot(m, p + b * m, p + b * m, &other);
        own = (own + other) * at->square[pair_of(a, b)];
        root(&own);
        own *= at->k1[pair_of(a, b)];
        shear -= own;
    }
    EACH_LANE
    {
        double wanted = 1 + shear[k] / most;
        /* NAN, or a landmark all but on another: there is no following it. */
        parts[k] = wanted <= limit ? (double)(long)wanted : NAN;
    }
}

static void follow(const landmark_shape *s, rolled *x)
{
    place at;
    double parts[EIGHT], longest = 0;
    place_at(&at, s, x->q, 1);
    count_parts(&at, x->p, parts);
    EACH_LANE longest = parts[k] > longest ? parts[k] : longest;
    for (size_t part = 0; part < (size_t)longest; part++) {
        eight h;
        EACH_LANE h[k] = !((double)part >= parts[k]) ? 1 / parts[k] : 0;
        advance(s, &h, x);
    }
    if (longest == 0)
        EACH_LANE x->q[0][k] = NAN;
}

/* ---- Frames and curvature ---- */

/* The orthonormal covectors next to alpha, by Cholesky's factor of their products; and the vectors w. */
static void orthonormalise(const place *at, eight (*alpha)[DIM], eight (*w)[DIM])
{
    size_t d = at->d;
    eight gram[DIM][DIM], l[DIM][DIM], inverse[DIM][DIM];
    for (size_t i = 0; i < d; i++)
        apply(at, &at->k, alpha[i], w[i]);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            dot(d, alpha[i], w[j], &gram[i][j]);
    factor_matrix(d, DIM, gram[0], l[0], inverse[0]);
    for (size_t i = d; i-- > 0;)
        for (size_t e = 0; e < d; e++) {
            eight covector = zero, vector = zero;
            for (size_t j = 0; j <= i; j++) {
                covector += inverse[i][j] * alpha[j][e];
                vector += inverse[i][j] * w[j][e];
            }
            alpha[i][e] = covector;
            w[i][e] = vector;
        }
}

/* What of the Ricci tensor depends on the place alone: F_a = Σ_b K⁻¹_ab 2k' D_ab, and B. */
typedef struct bend {
    eight f[DIM];
    matrix b;
} bend;

/* L ← the Laplacian of weights on the pairs. */
INLINE void laplacian(size_t n, const eight *weight, matrix *l)
{
    for (size_t a = 0; a < n; a++)
        (*l)[a][a] = zero;
    EACH_PAIR
    {
        const eight *w = &weight[pair_of(a, b)];
        (*l)[a][b] = (*l)[b][a] = -*w;
        (*l)[a][a] += *w;
        (*l)[b][b] += *w;
    }
}

INLINE void multiply(size_t n, const matrix *x, const matrix *y, matrix *out)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            eight sum = zero;
            for (size_t c = 0; c < n; c++)
                sum += (*x)[a][c] * (*y)[c][b];
            (*out)[a][b] = sum;
        }
}

/* With S_a = Σ_b 2k' D_ab, T = m K F + S and the Laplacians Λ of 2k' and Λ' of m K⁻¹ 2k',
 *     B = ½ X + K Λ' K + ½ (Λ K + K Λ),  X_ab = 2 (2m k' + 4k'' |D|²)(k(0) − k) − 2k' D·(T_a − T_b). */
static void settle(const place *at, bend *out)
{
    size_t n = at->n, m = at->m;
    eight s[DIM], t[DIM] = {{0}}, weight[PAIRS];
    for (size_t k = 0; k < at->d; k++)
        s[k] = out->f[k] = zero;
    EACH_PAIR
    {
        size_t pair = pair_of(a, b);
        weight[pair] = (double)m * at->inverse[a][b] * at->k1[pair];
        for (size_t c = 0; c < m; c++) {
            eight e = at->k1[pair] * at->gap[pair][c], part = at->inverse[a][b] * e;
            s[a * m + c] += e;
            s[b * m + c] -= e;
            out->f[a * m + c] += part;
            out->f[b * m + c] -= part;
        }
    }
    apply(at, &at->k, out->f, t);
    for (size_t k = 0; k < at->d; k++)
        t[k] = (double)m * t[k] + s[k];
    matrix l, half;
    laplacian(n, weight, &l);
    multiply(n, (const matrix *)&at->k, (const matrix *)&l, &half);
    multiply(n, (const matrix *)&half, (const matrix *)&at->k, &out->b);
    laplacian(n, at->k1, &l);
    multiply(n, (const matrix *)&at->k, (const matrix *)&l, &half);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            out->b[a][b] += 0.5 * (half[a][b] + half[b][a]);
    EACH_PAIR
    {
        size_t pair = pair_of(a, b);
        eight pull, x = 2 * ((double)m * at->k1[pair] + at->k2[pair] * at->square[pair]) *
                        (at->k[a][a] - at->k0[pair]);
        change(at, a, b, t, &pull);
        x = 0.5 * (x - pull);
        out->b[a][b] += x;
        out->b[b][a] += x;
    }
}

/* The linear forms of one covector of the frame. */
typedef struct form {
    eight along[PAIRS], partner[PAIRS]; /* z and g */
    eight bent[DIM];                    /* B p */
    eight square[SQUARES]; /* Ŝ − ½ Y, then √(m/2) Y, by scaled lower triangles */
} form;

/* Y = L⁻¹ (∂_v K) L⁻ᵀ, of the changes of the pairs. */
INLINE void whiten(const place *at, const eight *changed, matrix *y)
{
    size_t n = at->n;
    matrix half;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            eight sum = zero;
            for (size_t c = 0; c <= a; c++)
                if (c != b)
                    sum += at->root_inverse[a][c] * changed[c > b ? pair_of(c, b) : pair_of(b, c)];
            half[a][b] = sum;
        }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            eight sum = zero;
            for (size_t c = 0; c <= b; c++)
                sum += half[a][c] * at->root_inverse[b][c];
            (*y)[a][b] = (*y)[b][a] = sum;
        }
}

/* L⁻¹ C L with C = ∂v/∂q of v = K p: C_ab = −2k' p_b D_abᵀ beside the diagonal, and rows add up to zero. */
static void shear(const place *at, const eight *p, eight (*out)[DIM])
{
    size_t n = at->n, m = at->m;
    eight right[DIM][DIM];
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < m; c++)
            for (size_t k = 0; k < at->d; k++)
                right[a * m + c][k] = zero;
    for (size_t a = 0; a < n; a++)
        for (size_t f = 0; f < n; f++) {
            if (f == a)
                continue;
            size_t pair = a > f ? pair_of(a, f) : pair_of(f, a);
            eight k1 = a > f ? at->k1[pair] : -at->k1[pair];
            for (size_t b = 0; b < n; b++) {
                eight apart = zero;
                if (b <= a)
                    apart += at->root[a][b];
                if (b <= f)
                    apart -= at->root[f][b];
                for (size_t c = 0; c < m; c++) {
                    eight scaled = k1 * p[f * m + c] * apart;
                    for (size_t e = 0; e < m; e++)
                        right[a * m + c][b * m + e] += scaled * at->gap[pair][e];
                }
            }
        }
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < m; c++)
            for (size_t k = 0; k < at->d; k++) {
                eight sum = zero;
                for (size_t f = 0; f <= a; f++)
                    sum += at->root_inverse[a][f] * right[f * m + c][k];
                out[a * m + c][k] = sum;
            }
}

static void form_of(const place *at, const bend *r, const eight *p, const eight *v, form *out)
{
    size_t n = at->n, m = at->m, count = 0;
    eight changed[PAIRS], sheared[DIM][DIM];
    matrix y;
    EACH_PAIR
    {
        size_t pair = pair_of(a, b);
        eight one, other, z = zero, g = zero;
        for (size_t c = 0; c < m; c++) {
            z += at->gap[pair][c] * (v[a * m + c] - v[b * m + c]);
            g += at->gap[pair][c] * (p[a * m + c] - p[b * m + c]);
        }
        dot(m, r->f + a * m, p + b * m, &one);
        dot(m, r->f + b * m, p + a * m, &other);
        out->along[pair] = z;
        changed[pair] = at->k1[pair] * z;
        out->partner[pair] = at->k2[pair] * (g + (double)m * at->inverse[a][b] * z) +
                             (double)m * at->k1[pair] * (one + other);
    }
    apply(at, &r->b, p, out->bent);
    whiten(at, changed, &y);
    shear(at, p, sheared);
    for (size_t i = 0; i < at->d; i++)
        for (size_t j = 0; j <= i; j++) {
            eight entry = 0.5 * (sheared[i][j] + sheared[j][i]);
            if (i % m == j % m)
                entry -= 0.5 * y[i / m][j / m];
            out->square[count++] = i == j ? entry : M_SQRT2 * entry;
        }
    double scale = sqrt(0.5 * (double)m);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++)
            out->square[count++] = (a == b ? scale : M_SQRT2 * scale) * y[a][b];
}

/* The Ricci tensor in the frame of the covectors alpha and vectors w. */
static void find_ricci(const place *at, const eight (*alpha)[DIM], const eight (*w)[DIM],
                       eight *ricci)
{
    size_t n = at->n, d = at->d, pairs = n * (n - 1) / 2;
    size_t squares = d * (d + 1) / 2 + n * (n + 1) / 2;
    bend r;
    form all[DIM];
    settle(at, &r);
    for (size_t i = 0; i < d; i++)
        form_of(at, &r, alpha[i], w[i], &all[i]);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            const form *x = &all[i], *y = &all[j];
            eight sum, mixed = zero, minus = zero;
            dot(d, alpha[i], y->bent, &sum);
            for (size_t k = 0; k < pairs; k++)
                mixed += x->along[k] * y->partner[k] + y->along[k] * x->partner[k];
            for (size_t k = 0; k < squares; k++)
                minus += x->square[k] * y->square[k];
            *ricci++ = sum + 0.5 * mixed - minus;
        }
}

/* ---- Steps ---- */

static void load(size_t count, const double *from, eight *to)
{
    memcpy(to, from, count * sizeof *to);
}

static void store(size_t count, const eight *from, double *to)
{
    memcpy(to, from, count * sizeof *from);
}

static void load_frames(size_t d, const double *from, eight (*to)[DIM])
{
    for (size_t k = 0; k < d; k++)
        load(d, from + k * d * EIGHT, to[k]);
}

static void store_frames(size_t d, const eight (*from)[DIM], double *to)
{
    for (size_t k = 0; k < d; k++)
        store(d, from[k], to + k * d * EIGHT);
}

/* Frame and curvature where the group is now, from covectors that are almost a frame. */
static void arrive(const landmark_shape *s, const eight *q, eight (*alpha)[DIM],
                   const landmark_roll_group *g)
{
    eight w[DIM][DIM], ricci[DIM * (DIM + 1) / 2];
    place at;
    place_at(&at, s, q, 2);
    orthonormalise(&at, alpha, w);
    find_ricci(&at, (const eight(*)[DIM])alpha, (const eight(*)[DIM])w, ricci);
    store(at.d, q, g->q);
    store_frames(at.d, (const eight(*)[DIM])alpha, g->alpha);
    store_frames(at.d, (const eight(*)[DIM])w, g->frame);
    store(at.d * (at.d + 1) / 2, ricci, g->ricci);
}

static void begin(const landmark_shape *s, const landmark_roll_group *g)
{
    eight q[DIM], alpha[DIM][DIM];
    place at;
    size_t n = s->count, m = s->space, d = n * m;
    load(d, g->q, q);
    place_at(&at, s, q, 1);
    /* L⁻ᵀ, column by column: the frame is L. */
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            alpha[i][k] = i % m == k % m && k <= i ? at.root_inverse[i / m][k / m] : zero;
    arrive(s, q, alpha, g);
}

INLINE void apply_ricci(size_t d, const eight *ricci, const eight *b, eight *out)
{
    for (size_t i = 0; i < d; i++) {
        out[i] = zero;
        for (size_t j = 0; j < d; j++)
            out[i] += ricci[i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * b[j];
    }
}

/* √h (I − A + ½A²) ξ less A(x + √h ξ) √h ξ − A(x) √h ξ, as in rolling.c, A = (h/12) Ric; b in place. */
static void correct(const landmark_shape *s, const double *h, const rolled *x,
                    const landmark_roll_group *g, eight *b)
{
    size_t d = s->count * s->space;
    eight ahead[DIM] = {{0}}, alpha[DIM][DIM], w[DIM][DIM], ricci[DIM * (DIM + 1) / 2];
    eight first[DIM], second[DIM], there[DIM], part, size = zero, changed = zero;
    place at;
    load(d, g->q, ahead);
    load_frames(d, g->frame, w);
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < d; i++) {
            ahead[k] += b[i] * w[i][k];
            alpha[i][k] = x->alpha[i][k];
        }
    }
    place_at(&at, s, ahead, 2);
    orthonormalise(&at, alpha, w);
    find_ricci(&at, (const eight(*)[DIM])alpha, (const eight(*)[DIM])w, ricci);
    apply_ricci(d, ricci, b, there);
    load(d * (d + 1) / 2, g->ricci, ricci);
    apply_ricci(d, ricci, b, first);
    apply_ricci(d, ricci, first, second);
    load(1, h, &part);
    part /= 12;
    for (size_t k = 0; k < d; k++) {
        there[k] = part * (there[k] - first[k]);
        changed += there[k] * there[k];
        size += b[k] * b[k];
    }
    /* Where landmarks meet nothing can be learned about the gradient. */
    eight_mask trusted = changed <= 0.25 * size;
    for (size_t k = 0; k < d; k++)
        b[k] += part * (0.5 * part * second[k] - first[k]) - EIGHT_CHOOSE(trusted, there[k], zero);
}

static void step(const landmark_shape *s, const double *h, const double *b,
                 const landmark_roll_group *g)
{
    size_t d = s->count * s->space;
    eight way[DIM];
    rolled x;
    load(d, g->q, x.q);
    load_frames(d, g->alpha, x.alpha);
    load(d, b, way);
    if (h != NULL)
        correct(s, h, &x, g, way);
    for (size_t k = 0; k < d; k++) {
        x.p[k] = zero;
        for (size_t i = 0; i < d; i++)
            x.p[k] += way[i] * x.alpha[i][k];
    }
    follow(s, &x);
    arrive(s, x.q, x.alpha, g);
}

const struct landmark_roll_kernels HOT(landmark_roll_kernels) = {
    .begin = begin,
    .step = step,
};
