/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a covariance is worth that is learnt from the gradients of rows or clusters, and what a fit takes from
 * them (Bell and McCaffrey; Pustejovsky and Tipton). Rows are taken to be independent and of one law in
 * frames along the curve, and the design to be that of flat space: then everything is a matter of the k + 1
 * columns alone. In coordinates in which the design of all units is the identity, that of one unit is K, its
 * gradients are multiplied by (I − K)^(−1/2), and the covariances of these have the parts
 * S = (I − K)⁻¹ K and T = (I − K)^(−1/2) K. */
#include "base/linalg.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

struct mst_regress_spread {
    size_t n, m, units;
    size_t *of;     /* (n), the unit of a row; null: each row is one */
    double *centre; /* (m − 1), of the columns */
    double *scale;  /* (m − 1), units of the design in those of the caller */
    double *factor; /* (m, m), the Cholesky factor of the design */
    double *rows;   /* (n, m), the design in these coordinates, rooted weights included */
    /* (units, m, m) of clusters: S, T, the factor of gradients, and (I − K)⁻¹ */
    double *s, *t, *root, *inverse;
    double noise_factor, noise_degrees;
};

/* Of 1 − an eigenvalue of K: below it a unit alone decides, and its residuals say nothing. */
static const double decides = 1e-6;

void regress_spread_free(mst_regress_spread *w)
{
    if (w == NULL)
        return;
    mst_release(w->of);
    mst_release(w->centre);
    mst_release(w);
}

/* ← L⁻¹ (1, z − centre). */
static void whiten(const mst_regress_spread *w, double constant, const double *z, double factor,
                   double *out)
{
    size_t m = w->m;
    for (size_t a = 0; a < m; a++) {
        double value = a == 0 ? constant : z[a - 1] - constant * w->centre[a - 1];
        value *= factor;
        for (size_t b = 0; b < a; b++)
            value -= w->factor[a * m + b] * out[b];
        out[a] = value / w->factor[a * m + a];
    }
}

static mst_status fill_rows(mst_regress_spread *w, const double *z, const double *weights)
{
    size_t n = w->n, m = w->m, k = m - 1;
    double total = 0;
    memset(w->centre, 0, (k + m * m) * sizeof *w->centre);
    for (size_t i = 0; i < n; i++)
        total += weights[i];
    for (size_t i = 0; i < n * k; i++)
        w->centre[i % k] += weights[i / k] / total * z[i];
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++)
                w->factor[a * m + b] += weights[i] *
                                        (a == 0 ? 1 : z[i * k + a - 1] - w->centre[a - 1]) *
                                        (b == 0 ? 1 : z[i * k + b - 1] - w->centre[b - 1]);
    MST_TRY(mst_cholesky(1, m, w->factor, w->factor, NULL));
    for (size_t i = 0; i < n; i++)
        whiten(w, 1, z + i * k, sqrt(weights[i]), w->rows + i * m);
    return MST_OK;
}

/* out (m, m) = Σ f(λ) u uᵀ. */
static void compose(size_t m, const double *values, const double *vectors,
                    double (*f)(double value), double *out)
{
    memset(out, 0, m * m * sizeof *out);
    for (size_t e = 0; e < m; e++)
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++)
                out[a * m + b] += f(values[e]) * vectors[e * m + a] * vectors[e * m + b];
}

static double inverse_of(double value)
{
    return 1 - value > decides ? 1 / (1 - value) : 0;
}

static double root_of(double value)
{
    return sqrt(inverse_of(value));
}

static double s_of(double value)
{
    return value * inverse_of(value);
}

static double t_of(double value)
{
    return value * root_of(value);
}

static mst_status fill_clusters(mst_regress_spread *w)
{
    size_t m = w->m;
    double *k;
    MST_TRY(mst_allocate_zero(&k, w->units * m * m + m + m * m));
    double *values = k + w->units * m * m, *vectors = values + m;
    for (size_t i = 0; i < w->n; i++)
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b < m; b++)
                k[w->of[i] * m * m + a * m + b] += w->rows[i * m + a] * w->rows[i * m + b];
    mst_status status = MST_OK;
    for (size_t g = 0; status == MST_OK && g < w->units; g++) {
        size_t at = g * m * m;
        status = mst_eigen_symmetric(1, m, k + at, values, vectors, NULL);
        compose(m, values, vectors, inverse_of, w->inverse + at);
        compose(m, values, vectors, root_of, w->root + at);
        compose(m, values, vectors, s_of, w->s + at);
        compose(m, values, vectors, t_of, w->t + at);
    }
    mst_release(k);
    return status;
}

mst_status regress_spread_new(mst_regress_spread **out, const regress_job *j, size_t units,
                              const size_t *of, const double *noise)
{
    size_t n = j->n, m = j->k + 1;
    mst_regress_spread *w;
    double *weights = NULL;
    MST_TRY(mst_allocate_zero(&w, 1));
    *w = (mst_regress_spread){.n = n,
                              .m = m,
                              .units = of != NULL ? units : n,
                              .noise_factor = 1,
                              .noise_degrees = (double)(j->d * (n - m))};
    size_t matrices = of != NULL ? units * m * m : 0;
    mst_status status = mst_allocate(&w->centre, 2 * (m - 1) + m * m + n * m + 4 * matrices);
    if (status == MST_OK && of != NULL)
        status = mst_allocate(&w->of, n);
    if (status == MST_OK)
        status = mst_allocate(&weights, n);
    if (status == MST_OK) {
        w->factor = w->centre + m - 1;
        w->rows = w->factor + m * m;
        w->s = w->rows + n * m;
        w->t = w->s + matrices;
        w->root = w->t + matrices;
        w->inverse = w->root + matrices;
        w->scale = w->inverse + matrices;
        memcpy(w->scale, j->scale, (m - 1) * sizeof *w->scale);
        if (of != NULL)
            memcpy(w->of, of, n * sizeof *of);
        /* Only their ratios matter, and that keeps the sums of ordinary size. */
        for (size_t i = 0; i < n; i++)
            weights[i] = noise[0] / noise[i];
        status = fill_rows(w, j->z, weights);
    }
    if (status == MST_OK && of != NULL)
        status = fill_clusters(w);
    mst_release(weights);
    if (status != MST_OK)
        regress_spread_free(w);
    *out = status == MST_OK ? w : NULL;
    return status;
}

/* Gradients u (m, d) by the columns in the coordinates of w, and back. */
static void enter(const mst_regress_spread *w, size_t d, double *u)
{
    size_t m = w->m;
    for (size_t a = 0; a < m; a++)
        for (size_t e = 0; e < d; e++) {
            double value = u[a * d + e];
            if (a > 0)
                value -= w->centre[a - 1] * u[e] * w->factor[0];
            for (size_t b = 0; b < a; b++)
                value -= w->factor[a * m + b] * u[b * d + e];
            u[a * d + e] = value / w->factor[a * m + a];
        }
}

static void leave(const mst_regress_spread *w, size_t d, double *u)
{
    size_t m = w->m;
    for (size_t e = 0; e < d; e++) {
        double first = w->factor[0] * u[e];
        for (size_t a = m; a-- > 0;) {
            double value = a > 0 ? w->centre[a - 1] * first : 0;
            for (size_t b = 0; b <= a; b++)
                value += w->factor[a * m + b] * u[b * d + e];
            u[a * d + e] = value;
        }
    }
}

double regress_spread_adjust(const mst_regress_spread *w, size_t unit, size_t d, double *u,
                             double *room)
{
    size_t m = w->m;
    const double *root = w->root + unit * m * m, *inverse = w->inverse + unit * m * m;
    double more = 0;
    enter(w, d, u);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            for (size_t e = 0; e < d; e++)
                more += inverse[a * m + b] * u[a * d + e] * u[b * d + e];
    memcpy(room, u, m * d * sizeof *u);
    for (size_t a = 0; a < m; a++)
        for (size_t e = 0; e < d; e++) {
            u[a * d + e] = 0;
            for (size_t b = 0; b < m; b++)
                u[a * d + e] += root[a * m + b] * room[b * d + e];
        }
    leave(w, d, u);
    return more;
}

mst_status regress_spread_add_noise(mst_regress_spread *w, size_t d, double squares, double more,
                                    double between)
{
    size_t n = w->n, m = w->m;
    double *along, rows = (double)n, pairs = 0, sum = 0;
    MST_TRY(mst_allocate_zero(&along, w->units * (m + 1)));
    double *size = along + w->units * m;
    for (size_t i = 0; i < n; i++) {
        size[w->of[i]]++;
        for (size_t a = 0; a < m; a++)
            along[w->of[i] * m + a] += w->rows[i * m + a];
    }
    for (size_t g = 0; g < w->units; g++)
        pairs += size[g] * (size[g] - 1);
    double all = (squares + more) / (rows * (double)d);
    double shared = pairs > 0 ? (between / (double)d - rows * all) / pairs : 0;
    shared = fmin(fmax(shared, 0), all);
    double own = all - shared;
    for (size_t g = 0; g < w->units; g++) {
        double h = 0, mean = size[g] * shared + own;
        for (size_t a = 0; a < m; a++)
            h += along[g * m + a] * along[g * m + a] / size[g];
        sum += mean * mean / fmax(1 - h, 0.1) + (size[g] - 1) * own * own;
    }
    w->noise_factor = (1 + more / squares) * (rows - (double)m) / rows;
    w->noise_degrees = (double)d * rows * rows * all * all / sum;
    mst_release(along);
    return MST_OK;
}

void regress_spread_noise(const mst_regress_spread *w, double *factor, double *degrees)
{
    *factor = w->noise_factor;
    *degrees = w->noise_degrees;
}

/* ---- Degrees of freedom ---- */

/* Of a unit: trace of S̃, S̃ itself (c, c), and T̃ (m, c), for orthonormal contrasts b (c, m). */
static void see_unit(const mst_regress_spread *w, size_t unit, size_t c, const double *b, double *s,
                     double *t)
{
    size_t m = w->m;
    if (w->of == NULL) {
        const double *q = w->rows + unit * m;
        double h = 0;
        for (size_t a = 0; a < m; a++)
            h += q[a] * q[a];
        double inverse = inverse_of(h), root = root_of(h);
        for (size_t i = 0; i < c; i++) {
            double along = 0, other;
            for (size_t a = 0; a < m; a++)
                along += q[a] * b[i * m + a];
            for (size_t a = 0; a < m; a++)
                t[a * c + i] = root * q[a] * along;
            for (size_t e = 0; e <= i; e++) {
                other = 0;
                for (size_t a = 0; a < m; a++)
                    other += q[a] * b[e * m + a];
                s[i * c + e] = s[e * c + i] = inverse * along * other;
            }
        }
        return;
    }
    const double *S = w->s + unit * m * m, *T = w->t + unit * m * m;
    memset(s, 0, c * c * sizeof *s);
    for (size_t a = 0; a < m; a++)
        for (size_t i = 0; i < c; i++) {
            double along = 0;
            t[a * c + i] = 0;
            for (size_t e = 0; e < m; e++) {
                t[a * c + i] += T[a * m + e] * b[i * m + e];
                along += S[a * m + e] * b[i * m + e];
            }
            for (size_t e = 0; e < c; e++)
                s[e * c + i] += b[e * m + a] * along;
        }
}

/* What is summed over units: of D, which is the covariance in units of what it should be, the trace of its
 * mean, and twice its variances' sums. */
typedef struct moments {
    double mean, traces, products;
    double *outer; /* (m c, m c): Σ vec(T̃) vec(T̃)ᵀ */
} moments;

static void add_unit(size_t m, size_t c, const double *s, const double *t, moments *to)
{
    double trace = 0, square = 0, product = 0, inner = 0;
    for (size_t i = 0; i < c; i++)
        trace += s[i * c + i];
    for (size_t k = 0; k < m * c; k++)
        inner += t[k] * t[k];
    for (size_t i = 0; i < c; i++)
        for (size_t e = 0; e < c; e++) {
            double tt = 0;
            for (size_t a = 0; a < m; a++)
                tt += t[a * c + i] * t[a * c + e];
            square += s[i * c + e] * s[i * c + e];
            product += s[i * c + e] * tt;
        }
    to->mean += trace - inner;
    to->traces += trace * trace - 2 * trace * inner;
    to->products += square - 2 * product;
    for (size_t k = 0; k < m * c; k++)
        for (size_t l = 0; l < m * c; l++)
            to->outer[k * m * c + l] += t[k] * t[l];
}

/* Beyond this many sums the degrees of each contrast stand for those of all. */
static const double most_sums = 3e8;

mst_status regress_spread_degrees(const mst_regress_spread *w, size_t c, const double *b,
                                  double dim, double *degrees)
{
    size_t m = w->m, width = m * c;
    double *s, total = 0, wanted = dim * (double)c;
    *degrees = INFINITY;
    if (c > 1 && (double)w->units * (double)(width * width) > most_sums) {
        for (size_t i = 0; i < c; i++) {
            double one;
            MST_TRY(regress_spread_degrees(w, 1, b + i * m, 1, &one));
            *degrees = fmin(*degrees, one);
        }
        return MST_OK;
    }
    MST_TRY(mst_allocate_zero(&s, c * c + width + width * width));
    double *t = s + c * c;
    moments sums = {.outer = t + width};
    for (size_t g = 0; g < w->units; g++) {
        see_unit(w, g, c, b, s, t);
        add_unit(m, c, s, t, &sums);
    }
    for (size_t k = 0; k < width * width; k++) {
        /* The rows are (a, i) and (e, f); their partners (a, f) and (e, i). */
        size_t a = k / width / c, i = k / width % c, e = k % width / c, f = k % width % c;
        sums.traces += sums.outer[k] * sums.outer[k];
        sums.products += sums.outer[k] * sums.outer[(a * c + f) * width + e * c + i];
    }
    total = dim * dim * sums.traces + dim * sums.products;
    double share = sums.mean / (double)c;
    const double least_share = 0.9;
    *degrees = share < least_share ? 0 : share * share * wanted * (wanted + 1) / total;
    mst_release(s);
    return MST_OK;
}

static double inner(size_t m, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < m; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Of one contrast: (tr P)²/tr P² with P_ij = a_i a_j Σ_k v_k (δ_ik − H_ik)(δ_jk − H_jk), H = Q Qᵀ. With v = h
 * the sum over k is δ h_i − H_ij (h_i + h_j) + q_iᵀ W q_j, W = Σ h q qᵀ. */
static double unlike_degrees(const mst_regress_spread *w, const double *b, double *h, double *a,
                             double *matrix)
{
    size_t n = w->n, m = w->m;
    double trace = 0, square = 0, *wq = matrix + m * m;
    for (size_t i = 0; i < n; i++) {
        const double *q = w->rows + i * m;
        h[i] = inner(m, q, q);
        a[i] = inner(m, q, b) * root_of(h[i]);
    }
    memset(matrix, 0, m * m * sizeof *matrix);
    for (size_t k = 0; k < n * m * m; k++) {
        const double *q = w->rows + k / (m * m) * m;
        matrix[k % (m * m)] += h[k / (m * m)] * q[k / m % m] * q[k % m];
    }
    for (size_t i = 0; i < n; i++) {
        const double *q = w->rows + i * m;
        for (size_t e = 0; e < m; e++)
            wq[e] = inner(m, matrix + e * m, q);
        for (size_t j = 0; j < n; j++) {
            const double *other = w->rows + j * m;
            double p = inner(m, wq, other) - inner(m, q, other) * (h[i] + h[j]);
            p = a[i] * a[j] * (i == j ? p + h[i] : p);
            trace += i == j ? p : 0;
            square += p * p;
        }
    }
    return trace * trace / square;
}

mst_status regress_spread_least_degrees(const mst_regress_spread *w, size_t c, const double *b,
                                        double *degrees)
{
    double *h;
    MST_TRY(mst_allocate(&h, 2 * w->n + (w->m + 1) * w->m));
    for (size_t i = 0; i < c; i++)
        *degrees = fmin(*degrees, unlike_degrees(w, b + i * w->m, h, h + w->n, h + 2 * w->n));
    mst_release(h);
    return MST_OK;
}

double regress_spread_contrast(const mst_regress_spread *w, size_t column, const double *z,
                               double *b)
{
    size_t m = w->m;
    double norm = 0;
    if (z != NULL) {
        for (size_t a = 1; a < m; a++)
            b[a] = z[a - 1] / w->scale[a - 1];
        whiten(w, 1, b + 1, 1, b);
    } else {
        memset(b, 0, m * sizeof *b);
        for (size_t a = column; a < m; a++) {
            double value = a == column;
            for (size_t e = column; e < a; e++)
                value -= w->factor[a * m + e] * b[e];
            b[a] = value / w->factor[a * m + a];
        }
    }
    for (size_t a = 0; a < m; a++)
        norm += b[a] * b[a];
    for (size_t a = 0; a < m; a++)
        b[a] /= sqrt(norm);
    return sqrt(norm);
}
