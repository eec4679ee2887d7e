/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rotations of R³ as 3×3 matrices, row-major. A tangent vector at R is R·[w]×, with |w| as its length, so the
 * distance is the rotation angle and the curvature is ¼ (the round S³ of radius 2 modulo ±1). Rotations are
 * turned into unit quaternions where angles are wanted: those keep their digits near 0 and π. */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/toward.h"

#include <math.h>
#include <string.h>

enum { D = 9, d = 3 };
static const double pi = 3.141592653589793, curvature = 0.25;

static void multiply(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void multiply_transposed(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

static void hat(const double *w, double *a)
{
    memcpy(a, (double[D]){0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}, D * sizeof *a);
}

/* The vector of the skew part of a matrix. */
static void vee(const double *a, double *w)
{
    w[0] = 0.5 * (a[7] - a[5]);
    w[1] = 0.5 * (a[2] - a[6]);
    w[2] = 0.5 * (a[3] - a[1]);
}

static double norm3(const double *w)
{
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

void mst_so3_from_quaternion(const double *q, double *r)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double matrix[D] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
    };
    memcpy(r, matrix, sizeof matrix);
}

/* The quaternion of the rotation I + a, with first part ≥ 0, the difference a being given because it has the
 * digits of small angles. Shepperd's rule: divide by the largest of the four parts. */
static void quaternion_of_difference(const double *a, double *q)
{
    double trace = a[0] + a[4] + a[8], skew[3];
    vee(a, skew);
    double squares[4] = {4 + trace, -trace + 2 * a[0], -trace + 2 * a[4], -trace + 2 * a[8]};
    int largest = 0;
    for (int k = 1; k < 4; k++)
        largest = squares[k] > squares[largest] ? k : largest;
    double part = 0.5 * sqrt(squares[largest]), scale = 0.5 / part;
    q[largest] = part;
    if (largest == 0) {
        for (int k = 0; k < 3; k++)
            q[k + 1] = skew[k] * scale;
    } else {
        int i = largest - 1;
        q[0] = skew[i] * scale;
        for (int j = 0; j < 3; j++)
            if (j != i)
                q[j + 1] = 0.5 * (a[3 * i + j] + a[3 * j + i]) * scale;
    }
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double divisor = q[0] < 0 ? -norm : norm;
    for (int k = 0; k < 4; k++)
        q[k] /= divisor;
}

void mst_so3_to_quaternion(const double *r, double *q)
{
    double a[D];
    memcpy(a, r, sizeof a);
    a[0] -= 1, a[4] -= 1, a[8] -= 1;
    quaternion_of_difference(a, q);
}

/* The quaternion of xᵀy, with the digits of small angles. */
static void relative_quaternion(const double *x, const double *y, double *q)
{
    double difference[D], a[D];
    for (int k = 0; k < D; k++)
        difference[k] = y[k] - x[k];
    multiply_transposed(x, difference, a);
    quaternion_of_difference(a, q);
}

/* Half-turns have two axes: take the one whose last non-zero part is positive. */
static void choose_axis(double *q)
{
    for (int k = 3; k > 0; k--)
        if (q[k] != 0) {
            for (int j = 1; q[k] < 0 && j < 4; j++)
                q[j] = -q[j];
            return;
        }
}

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    hat((double[3]){0, 0, 0}, x);
    x[0] = x[4] = x[8] = 1;
}

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        const double *r = x + i * D;
        double product[D], off = 0;
        multiply_transposed(r, r, product);
        for (int k = 0; k < D; k++)
            off = fmax(off, fabs(product[k] - (k % 4 == 0)));
        double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) -
                             r[1] * (r[3] * r[8] - r[5] * r[6]) +
                             r[2] * (r[3] * r[7] - r[4] * r[6]);
        *row = i;
        if (!(off <= MST_POINT_TOLERANCE) || isnan(determinant))
            return mst_fail(MST_DOMAIN, "the columns are not orthonormal (off by %.2g)", off);
        if (determinant < 0)
            return mst_fail(MST_DOMAIN, "the determinant is -1: a reflection, not a rotation");
    }
    return MST_OK;
}

/* The nearest rotation in the Frobenius norm: its quaternion is the top eigenvector of a symmetric 4×4 matrix
 * linear in R (Horn 1987), which for a rotation is 4qqᵀ − I. */
/* The nearest rotation to one that is a little off: with e = rᵀr − I it is r (I + e)^(−1/2), of which the
 * terms left out are below 1e-16. False: it is farther off. */
static bool project_near(const double *r, double *y)
{
    const double near = 1e-5;
    double e[D], f[D], det;
    multiply_transposed(r, r, e);
    e[0] -= 1, e[4] -= 1, e[8] -= 1;
    for (int k = 0; k < D; k++)
        if (!(fabs(e[k]) < near))
            return false;
    det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
          r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (!(det > 0))
        return false;
    multiply(e, e, f);
    for (int k = 0; k < D; k++)
        f[k] = 0.375 * f[k] - 0.5 * e[k];
    multiply(r, f, e);
    for (int k = 0; k < D; k++)
        y[k] = r[k] + e[k];
    return true;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        const double *r = x + i * D;
        if (project_near(r, y + i * D))
            continue;
        double t = r[0] + r[4] + r[8];
        double a = r[7] - r[5], b = r[2] - r[6], c = r[3] - r[1];
        double xy = r[1] + r[3], xz = r[2] + r[6], yz = r[5] + r[7];
        double k[16] = {t,  a, b,  c,  a,           2 * r[0] - t, xy, xz, b, xy, 2 * r[4] - t,
                        yz, c, xz, yz, 2 * r[8] - t};
        double values[4], vectors[16], q[4];
        for (int e = 0; e < 16; e++)
            if (!isfinite(k[e]))
                return mst_fail(MST_DOMAIN, "an entry is not finite");
        MST_TRY(mst_eigen_symmetric(1, 4, k, values, vectors, NULL));
        if (!(values[3] - values[2] > 1e-12 * fmax(fabs(values[0]), fabs(values[3]))))
            return mst_fail(MST_DOMAIN, "no nearest rotation: the matrix is degenerate");
        for (int e = 0; e < 4; e++)
            q[e] = vectors[12 + e];
        mst_so3_from_quaternion(q, y + i * D);
    }
    return MST_OK;
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        double a[D];
        multiply_transposed(x + i * D, v + i * D, a);
        vee(a, c + i * d);
    }
    return MST_OK;
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        double a[D];
        hat(c + i * d, a);
        multiply(x + i * D, a, v + i * D);
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    for (size_t i = 0; i < n; i++) {
        double c[d];
        to_frame(m, 1, x + i * D, w + i * D, c);
        from_frame(m, 1, x + i * D, c, v + i * D);
    }
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)m, (void)x;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++)
            sum += u[k] * v[k];
        out[i] = 0.5 * sum;
    }
    return MST_OK;
}

/* x times the rotation of a quaternion; one Newton step of the polar decomposition, Y(3 − YᵀY)/2, keeps long
 * walks orthogonal. */
static void turn_by(const double *x, const double *q, double *y)
{
    double turn[D], moved[D], square[D];
    mst_so3_from_quaternion(q, turn);
    multiply(x, turn, moved);
    multiply_transposed(moved, moved, square);
    for (int k = 0; k < D; k++)
        square[k] = (k % 4 == 0 ? 1.5 : 0) - 0.5 * square[k];
    multiply(moved, square, y);
}

/* x·exp([w]×) */
static void move(const double *x, const double *w, double *y)
{
    double angle = norm3(w), scale = angle > 1e-9 ? sin(angle / 2) / angle : 0.5;
    turn_by(x, (double[4]){cos(angle / 2), scale * w[0], scale * w[1], scale * w[2]}, y);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    for (size_t i = 0; i < n; i++) {
        double w[d];
        to_frame(m, 1, x + i * D, v + i * D, w);
        move(x + i * D, w, y + i * D);
    }
    return MST_OK;
}

/* Cayley's map: the quaternion (1, w/2) made a unit. It turns about w by 2 arctan(|w|/2),
 * so it is Exp to second order. */
static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    for (size_t i = 0; i < n; i++) {
        double w[d];
        to_frame(m, 1, x + i * D, v + i * D, w);
        double norm = hypot(1, 0.5 * hypot(hypot(w[0], w[1]), w[2])), scale = 0.5 / norm;
        turn_by(x + i * D, (double[4]){1 / norm, scale * w[0], scale * w[1], scale * w[2]},
                y + i * D);
    }
    return MST_OK;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    for (size_t i = 0; i < n; i++) {
        double q[4], w[d];
        relative_quaternion(x + i * D, y + i * D, q);
        if (q[0] == 0)
            choose_axis(q);
        double sine = norm3(q + 1), scale = sine > 1e-9 ? 2 * atan2(sine, q[0]) / sine : 2;
        for (int k = 0; k < d; k++)
            w[k] = scale * q[k + 1];
        from_frame(m, 1, x + i * D, w, v + i * D);
        if (flag != NULL)
            flag[i] = 2 * q[0] < MST_CUT_TOLERANCE ? MST_LOG_CUT : 0;
    }
    return MST_OK;
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        double q[4];
        relative_quaternion(x + i * D, y + i * D, q);
        r[i] = 2 * atan2(norm3(q + 1), q[0]);
    }
    return MST_OK;
}

/* The quaternion of xᵀy is (cos ½r, sin ½r e), and sin_κ r = 2 sin ½r. */
static mst_status polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, double *r, double *rest)
{
    for (size_t i = 0; i < n; i++) {
        double q[4];
        relative_quaternion(x + i * D, y + i * D, q);
        double sine = norm3(q + 1), w[d] = {2 * q[1], 2 * q[2], 2 * q[3]};
        r[i] = 2 * atan2(sine, q[0]);
        rest[i] = 2 * atan2(q[0], sine);
        from_frame(m, 1, x + i * D, w, v + i * D);
    }
    return MST_OK;
}

/* In the left-invariant frame, transport along exp(s w) turns by −w/2 (∇_X Y = ½[X, Y]). */
static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    static const double identity[D] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < n; i++) {
        double w[d], c[d], half[d], end[D], turn[D], turned[d];
        to_frame(m, 1, x + i * D, v + i * D, w);
        to_frame(m, 1, x + i * D, u + i * D, c);
        for (int k = 0; k < d; k++)
            half[k] = -0.5 * w[k];
        move(x + i * D, w, end);
        move(identity, half, turn);
        for (int k = 0; k < d; k++)
            turned[k] = turn[3 * k] * c[0] + turn[3 * k + 1] * c[1] + turn[3 * k + 2] * c[2];
        from_frame(m, 1, end, turned, out + i * D);
    }
    return MST_OK;
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    (void)m, (void)x;
    for (size_t i = 0; i < n * D; i++)
        out[i] = 0.5 * v[i];
    return MST_OK;
}

/* far = 1 − cos r = ¼|x − y|², and the tangent part of y − x is sin r long; Δf = f'' + cot(r/2) f'. */
static mst_status toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *f, double *v, double *laplacian)
{
    for (size_t i = 0; i < n; i++) {
        double difference[D], sum = 0;
        for (size_t k = 0; k < D; k++) {
            difference[k] = y[i * D + k] - x[i * D + k];
            sum += 0.5 * difference[k] * difference[k];
        }
        double far = 0.5 * sum, factor = toward_factor(far);
        for (size_t k = 0; k < D; k++)
            difference[k] *= factor;
        if (v != NULL)
            tangent(m, 1, x + i * D, difference, v + i * D);
        if (f != NULL)
            f[i] = toward_potential(far);
        if (laplacian != NULL)
            laplacian[i] = toward_second(far) + (2 - far) * factor;
    }
    return MST_OK;
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return pi;
}

static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    (void)m;
    enum { BLOCK = 64 }; /* generators make numbers by the dozen */
    double normals[4 * BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        mst_random_normals(r, 4 * (first + at), 4 * count, normals);
        for (size_t i = 0; i < count; i++) {
            double *q = normals + 4 * i, norm = 0;
            for (int k = 0; k < 4; k++)
                norm += q[k] * q[k];
            for (int k = 0; k < 4; k++)
                q[k] /= sqrt(norm);
            mst_so3_from_quaternion(q, x + (at + i) * D);
        }
    }
    return MST_OK;
}

/* Stereographic projection of the quaternion of cᵀx, scaled to the sphere of radius 2: u = 4 q'/(1 + q₀). */
static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        double q[4];
        relative_quaternion(c + i * D, x + i * D, q);
        for (int k = 0; k < d; k++)
            u[i * d + (size_t)k] = 4 * q[k + 1] / (1 + q[0]);
    }
    return MST_OK;
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        const double *p = u + i * d;
        double s = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / 16, turn[D];
        double q[4] = {(1 - s) / (1 + s), p[0] / 2 / (1 + s), p[1] / 2 / (1 + s),
                       p[2] / 2 / (1 + s)};
        mst_so3_from_quaternion(q, turn);
        multiply(c + i * D, turn, x + i * D);
    }
    return MST_OK;
}

static double chart_radius(const mst_manifold *m)
{
    (void)m;
    return 1;
}

/* From the left: y R(z) and y [w]×, the quaternion of e being 1. */
static void place(size_t dim, const double *y, const double *z, const double *w, double *x,
                  double *target)
{
    (void)dim;
    double scale = 1 / sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3]), turned[D], a[D];
    mst_so3_from_quaternion((double[]){scale * z[3], scale * z[0], scale * z[1], scale * z[2]},
                            turned);
    multiply(y, turned, x);
    hat(w, a);
    multiply(y, a, target);
}

static mst_status weighted_walk(const mst_manifold *m, const mst_weighted_paths *paths)
{
    return mst_weighted_curved(m, curvature, place, paths);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    (void)m;
    out->compact = MST_YES;
    out->flat = out->hadamard = MST_NO;
    out->curvature = out->curvature_above = curvature;
    out->rows = MST_ROWS_ROTATIONS;
    out->embedding = 0.5;
    out->cut_is_wall = true;
    out->frame_is_divergence_free = true; /* it is left-invariant */
}

static const mst_manifold_ops so3_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "so3",
    .traits = traits,
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = exponential,
    .validate = validate,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .log = logarithm,
    .dist = distance,
    .transport = transport,
    .ricci = ricci,
    .injectivity = injectivity,
    .random_point = random_point,
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_conformal_metric,
    .chart_christoffel = mst_conformal_christoffel,
    .chart_radius = chart_radius,
    .chart_diffusion = mst_conformal_diffusion,
    .retract = retract,
    .toward = toward,
    .polar = polar,
    .weighted_walk = weighted_walk,
};

mst_status mst_so3_new(mst_manifold **out)
{
    return mst_manifold_new(out, &so3_ops, "so3", d, D, (void *)&curvature);
}
