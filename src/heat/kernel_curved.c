/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curved spaces whose kernel is radial, P(2), and products. */
#include "base/lanes.h"
#include "heat/kernel_parts.h"
#include "heat/radial.h"
#include "manifold/sphere_kernels.h"

#include <math.h>
#include <string.h>

/* x as seen from y: distance r, π − r (where there is a cut locus), and `toward` (n, D), the tangent vector at y of
 * length sin_k(r) in the direction of x. */
typedef struct polar {
    double *r, *eps, *toward;
} polar;

typedef struct radial_family {
    const char *name;
    mst_status (*polar)(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const polar *p);
    void (*kernel)(size_t m, size_t n, const double *r, const double *eps, const double *t,
                   const mst_radial_out *out);
    double (*cosine)(double r, double eps); /* cos_k r */
} radial_family;

static mst_status sphere_polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                               const polar *p)
{
    double *work;
    MST_TRY(mst_allocate(&work, (2 * m->ambient + 1) * MST_LANES));
    MST_PICK(sphere_kernels)->polar(n, m->ambient, y, x, p->toward, p->r, p->eps, work);
    mst_release(work);
    return MST_OK;
}

static double sphere_cosine(double r, double eps)
{
    return r < 1.6 ? cos(r) : -cos(eps);
}

static mst_status hyperbolic_polar(const mst_manifold *m, size_t n, const double *x,
                                   const double *y, const polar *p)
{
    size_t D = m->ambient;
    MST_TRY(mst_manifold_log(m, n, y, x, p->toward, NULL));
    MST_TRY(mst_manifold_norm(m, n, y, p->toward, p->r));
    for (size_t i = 0; i < n; i++) {
        double scale = p->r[i] > 1e-9 ? sinh(p->r[i]) / p->r[i] : 1;
        for (size_t a = i * D; a < (i + 1) * D; a++)
            p->toward[a] *= scale;
    }
    return MST_OK;
}

static void hyperbolic_kernel(size_t m, size_t n, const double *r, const double *eps,
                              const double *t, const mst_radial_out *out)
{
    (void)eps;
    mst_radial_hyperbolic(m, n, r, t, out);
}

static double hyperbolic_cosine(double r, double eps)
{
    (void)eps;
    return cosh(r);
}

/* The quaternion (cos ½r, sin ½r e) of yᵀx; sin_k r = 2 sin ½r. */
static mst_status so3_polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                            const polar *p)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double q[4];
        mst_so3_relative_quaternion(y + i * D, x + i * D, q);
        double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        p->r[i] = 2 * atan2(sine, q[0]);
        p->eps[i] = 2 * atan2(q[0], sine);
        double w[3] = {2 * q[1], 2 * q[2], 2 * q[3]};
        MST_TRY(mst_manifold_from_frame(m, 1, y + i * D, w, p->toward + i * D));
    }
    return MST_OK;
}

static void so3_kernel(size_t m, size_t n, const double *r, const double *eps, const double *t,
                       const mst_radial_out *out)
{
    (void)m;
    mst_radial_so3(n, r, eps, t, out);
}

static double so3_cosine(double r, double eps)
{
    (void)eps;
    return cos(r / 2);
}

static const radial_family families[] = {
    {"sphere", sphere_polar, mst_radial_sphere, sphere_cosine},
    {"hyperbolic", hyperbolic_polar, hyperbolic_kernel, hyperbolic_cosine},
    {"so3", so3_polar, so3_kernel, so3_cosine},
};

static const radial_family *find_family(const mst_manifold *m)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (mst_is_family(m, families[k].name))
            return &families[k];
    return NULL;
}

bool heat_radial_fits(const mst_manifold *m)
{
    return find_family(m) != NULL;
}

void heat_radial_hessian(size_t d, const double *c, double along, double across, double *h)
{
    double largest = 0, square = 0;
    for (size_t k = 0; k < d; k++)
        largest = fmax(largest, fabs(c[k]));
    double scale = largest > 0 ? 1 / largest : 0;
    if (isinf(scale)) /* c is subnormal: along = across to rounding */
        scale = 0;
    for (size_t k = 0; k < d; k++)
        square += scale * c[k] * (scale * c[k]);
    double mixed = square > 0 ? (along - across) / square : 0;
    for (size_t i = 0; i < d; i++) {
        double unit = scale * c[i];
        for (size_t k = 0; k < d; k++)
            h[i * d + k] =
                mixed * (unit * (scale * c[k])); /* in this order: symmetric to the bit */
        h[i * d + i] += across;
    }
}

mst_status heat_radial(const mst_manifold *m, size_t n, const double *x, const double *y,
                       const double *t, const mst_heat_values *out)
{
    const radial_family *family = find_family(m);
    size_t d = m->dim, D = m->ambient;
    double r[HEAT_BLOCK], eps[HEAT_BLOCK], slope[HEAT_BLOCK], bend[HEAT_BLOCK], *toward;
    MST_TRY(mst_allocate(&toward, n * (D + d)));
    double *coordinates = toward + n * D;
    mst_status status = family->polar(m, n, x, y, &(polar){r, eps, toward});
    if (status == MST_OK)
        family->kernel(d, n, r, eps, t,
                       &(mst_radial_out){.logp = out->log_p,
                                         .dt = out->dt_log_p,
                                         .dr_over_sin = slope,
                                         .drr = out->hessian != NULL ? bend : NULL});
    for (size_t i = 0; status == MST_OK && out->score != NULL && i < n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            out->score[a] = -slope[i] * toward[a];
    if (status == MST_OK && out->hessian != NULL) {
        status = mst_manifold_to_frame(m, n, y, toward, coordinates);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            heat_radial_hessian(d, coordinates + i * d, bend[i],
                                slope[i] * family->cosine(r[i], eps[i]), out->hessian + i * d * d);
    }
    mst_release(toward);
    return status;
}

bool heat_spd2_fits(const mst_manifold *m)
{
    return mst_is_family(m, "spd") && m->dim == 3 && !mst_manifold_is_flat(m);
}

/* In the frame coordinates (s₁₁, √2 s₁₂, s₂₂) of a tangent vector at y, the unit vector (1, 0, 1)/√2 is the direction of
 * the line σ = log det/√2; across it lies the hyperbolic plane of curvature −½, that is H² with lengths multiplied by √2:
 * p = (2πt)^(−1/2) e^(−σ²/2t) · ½ p^H²_{t/2}(ρ), ρ the length of the trace-free part over √2. */
mst_status heat_spd2(const mst_manifold *m, size_t n, const double *x, const double *y,
                     const double *t, const mst_heat_values *out)
{
    enum { D = 4, d = 3 };
    const double root = 0.70710678118654752440; /* 1/√2 */
    double v[HEAT_BLOCK * D], c[HEAT_BLOCK][d], line[HEAT_BLOCK], rho[HEAT_BLOCK],
        half_time[HEAT_BLOCK];
    double log_p[HEAT_BLOCK], dt[HEAT_BLOCK], slope[HEAT_BLOCK], bend[HEAT_BLOCK];
    MST_TRY(mst_manifold_log(m, n, y, x, v, NULL));
    MST_TRY(mst_manifold_to_frame(m, n, y, v, c[0]));
    for (size_t i = 0; i < n; i++) {
        line[i] = root * (c[i][0] + c[i][2]);
        double difference = 0.5 * (c[i][0] - c[i][2]);
        c[i][0] = difference;
        c[i][2] = -difference;
        rho[i] = root * sqrt(2 * difference * difference + c[i][1] * c[i][1]);
        half_time[i] = t[i] / 2;
    }
    mst_radial_hyperbolic(
        2, n, rho, half_time,
        &(mst_radial_out){.logp = log_p, .dt = dt, .dr_over_sin = slope, .drr = bend});
    for (size_t i = 0; i < n; i++) {
        if (out->log_p != NULL)
            out->log_p[i] = log_p[i] - line[i] * line[i] / (2 * t[i]) - 0.5 * log(8 * M_PI * t[i]);
        if (out->dt_log_p != NULL)
            out->dt_log_p[i] = 0.5 * dt[i] + (line[i] * line[i] / t[i] - 1) / (2 * t[i]);
        /* Lengths √2 ρ: ∂ log p along the trace-free unit vector is ∂_ρ/√2, and c = √2 ρ e. */
        double sinc = rho[i] > 1e-9 ? sinh(rho[i]) / rho[i] : 1;
        double across = slope[i] * sinc / 2, along_line = root * line[i] / t[i];
        if (out->hessian != NULL) {
            double *h = out->hessian + i * d * d, cut = 0.5 * slope[i] * cosh(rho[i]);
            heat_radial_hessian(d, c[i], 0.5 * bend[i], cut, h);
            /* The line: take the trace direction out of the isotropic part and put −1/t in. */
            for (int a = 0; a < d; a += 2)
                for (int b = 0; b < d; b += 2)
                    h[a * d + b] += 0.5 * (-1 / t[i] - cut);
        }
        c[i][0] = -across * c[i][0] + along_line;
        c[i][1] = -across * c[i][1];
        c[i][2] = -across * c[i][2] + along_line;
    }
    return out->score != NULL ? mst_manifold_from_frame(m, n, y, c[0], out->score) : MST_OK;
}

bool heat_product_fits(const mst_manifold *m)
{
    if (mst_manifold_factor(m, 0) == m)
        return false;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (!mst_heat_has_exact(mst_manifold_factor(m, f)))
            return false;
    return true;
}

mst_status heat_add_factors(const mst_manifold *m, size_t n, const double *x, const double *y,
                            const double *t, const mst_heat_values *out, heat_block_function *run)
{
    size_t d = m->dim, D = m->ambient;
    double *work, log_p[HEAT_BLOCK], dt[HEAT_BLOCK];
    MST_TRY(mst_allocate(&work, n * (3 * D + d * d)));
    double *px = work, *py = px + n * D, *score = py + n * D, *hessian = score + n * D;
    mst_heat_values piece = {log_p, dt, out->score != NULL ? score : NULL,
                             out->hessian != NULL ? hessian : NULL};
    if (out->log_p != NULL)
        memset(out->log_p, 0, n * sizeof *out->log_p);
    if (out->dt_log_p != NULL)
        memset(out->dt_log_p, 0, n * sizeof *out->dt_log_p);
    if (out->hessian != NULL)
        memset(out->hessian, 0, n * d * d * sizeof *out->hessian);
    mst_status status = MST_OK;
    size_t column = 0, row = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        size_t width = factor->ambient, k = factor->dim;
        for (size_t i = 0; i < n; i++) {
            memcpy(px + i * width, x + i * D + column, width * sizeof *px);
            memcpy(py + i * width, y + i * D + column, width * sizeof *py);
        }
        status = run(factor, n, px, py, t, &piece);
        if (status != MST_OK)
            break;
        for (size_t i = 0; i < n; i++) {
            if (out->log_p != NULL)
                out->log_p[i] += log_p[i];
            if (out->dt_log_p != NULL)
                out->dt_log_p[i] += dt[i];
            if (out->score != NULL)
                memcpy(out->score + i * D + column, score + i * width, width * sizeof *score);
            for (size_t a = 0; out->hessian != NULL && a < k; a++)
                memcpy(out->hessian + (i * d + row + a) * d + row, hessian + (i * k + a) * k,
                       k * sizeof *hessian);
        }
        column += width;
        row += k;
    }
    mst_release(work);
    return status;
}

mst_status heat_product(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const double *t, const mst_heat_values *out)
{
    return heat_add_factors(m, n, x, y, t, out, heat_block);
}
