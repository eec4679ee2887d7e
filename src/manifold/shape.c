/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Kendall's shape space and the size-and-shape space (Kendall 1984; Le and Kendall 1993), the quotients of
 * shape_space.h. A row is a representative: centred, of norm 1 where sizes do not count, and turned so that
 * it fits the reference, a fixed configuration, as well as can be. So a shape has one row,
 * almost everywhere: where the fit is not unique, a set of codimension two, the row jumps, which no result
 * depends on. Geodesics are those of the sphere or of R^(k·dim) that start horizontally; they stay so.
 *
 * In the plane Kendall's space is CP^(k−2), a symmetric space with curvatures from 1 to 4, and all is closed.
 * In space both are manifolds only where the rank is 2 or 3, and their curvature has no
 * bound near the rest. */
#include "manifold/fallback.h"
#include "manifold/shape_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.141592653589793;

static const shape_space *space_of(const mst_manifold *m)
{
    return m->data;
}

/* ---- Points ---- */

/* Centred and of norm 1 where that is asked for; turned to its place. */
static mst_status settle(const shape_space *s, size_t row, double *y)
{
    double largest = 0, size, r[9];
    bool has_rank;
    for (size_t j = 0; j < s->width; j++) {
        if (!isfinite(y[j]))
            return mst_fail(MST_DOMAIN, "row %zu: a coordinate is not finite", row + 1);
        largest = fmax(largest, fabs(y[j]));
    }
    shape_centre(s, y);
    size = shape_norm(s, y);
    if (!(size > 1e-14 * largest))
        return mst_fail(MST_DOMAIN, "row %zu: all landmarks coincide, which is no shape", row + 1);
    MST_TRY(shape_has_rank(s, y, &has_rank));
    if (!has_rank)
        return mst_fail(
            MST_DOMAIN,
            "row %zu: the landmarks lie on a line, where the space of shapes in 3-D is no "
            "manifold",
            row + 1);
    for (size_t j = 0; s->unit && j < s->width; j++)
        y[j] /= size;
    MST_TRY(shape_place(s, y, r));
    shape_rotate(s, y, r, y);
    return MST_OK;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t D = m->ambient;
    if (n > 0 && y != x)
        memmove(y, x, n * D * sizeof *y);
    for (size_t i = 0; i < n; i++)
        MST_TRY(settle(space_of(m), i, y + i * D));
    return MST_OK;
}

/* Landmark p of the regular polygon, in space with the second harmonic across it; four
 * make the tetrahedron. */
static void polygon(const shape_space *s, size_t p, double *x)
{
    double angle = 2 * pi * (double)p / (double)s->k;
    x[0] = cos(angle);
    x[1] = sin(angle);
    if (s->dim == 3)
        x[2] = cos(2 * angle) / (s->k == 4 ? sqrt(2) : 1);
}

/* Made with the manifold: bringing it into its place may fail, which a start may not. */
static void start(const mst_manifold *m, double *x)
{
    memcpy(x, space_of(m)->start, m->ambient * sizeof *x);
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    if (n > 0 && v != w)
        memmove(v, w, n * D * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        shape_spin spin;
        if (!shape_spin_open(s, x + i * D, &spin))
            return shape_lower_rank(i);
        shape_horizontal(s, x + i * D, &spin, v + i * D);
    }
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        out[i] = shape_dot(space_of(m), u + i * m->ambient, v + i * m->ambient);
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        MST_TRY(shape_arrive(s, i, x + i * D, v + i * D, y + i * D));
        MST_TRY(settle(s, i, y + i * D));
    }
    return MST_OK;
}

/* From y R − x to the velocity. *r: the distance. */
static void velocity(const shape_space *s, const double *x, double *v, double *r)
{
    double chord = shape_norm(s, v);
    *r = s->unit ? 2 * asin(fmin(1, chord / 2)) : chord;
    if (!s->unit)
        return;
    double along = shape_dot(s, x, v);
    for (size_t j = 0; j < s->width; j++)
        v[j] -= along * x[j];
    double sine = shape_norm(s, v), scale = sine > 0 ? *r / sine : 0;
    for (size_t j = 0; j < s->width; j++)
        v[j] *= scale;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    double *work; /* v may be y */
    MST_TRY(mst_allocate(&work, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double gap, r;
        status = shape_difference(s, x + i * D, y + i * D, work, &gap);
        if (status == MST_OK && s->dim == 3 && gap < MST_CUT_TOLERANCE)
            status = mst_fail(
                MST_DOMAIN, "row %zu: a cut point: more than one rotation fits the two shapes best",
                i + 1);
        velocity(s, x + i * D, work, &r);
        memcpy(v + i * D, work, D * sizeof *v);
        if (flag != NULL)
            flag[i] = gap < MST_CUT_TOLERANCE ? MST_LOG_CUT : 0;
    }
    mst_release(work);
    return status;
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = shape_difference(s, x + i * D, y + i * D, work, NULL);
        double chord = shape_norm(s, work);
        r[i] = s->unit ? 2 * asin(fmin(1, chord / 2)) : chord;
    }
    mst_release(work);
    return status;
}

/* Where sizes do not count, in the plane: cos r = |<x, y>| has its digits near the cut locus. */
static mst_status polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, double *r, double *rest)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double cosine, length;
        MST_TRY(shape_difference(s, x + i * D, y + i * D, v + i * D, &cosine));
        velocity(s, x + i * D, v + i * D, &length);
        double sine = sin(length), scale = length > 0 ? sine * cosine / length : 0;
        r[i] = length;
        rest[i] = atan2(cosine, sine);
        for (size_t j = i * D; j < (i + 1) * D; j++)
            v[j] *= scale; /* curvature 4: sin(2r)/2 */
    }
    return MST_OK;
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    double *end, r[9];
    MST_TRY(mst_allocate(&end, D));
    mst_status status = MST_OK;
    if (n > 0 && out != u)
        memmove(out, u, n * D * sizeof *out);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = shape_arrive(s, i, x + i * D, v + i * D, end);
        if (status == MST_OK)
            status = shape_transport(s, x + i * D, v + i * D, out + i * D);
        if (status == MST_OK)
            status = shape_place(s, end, r);
        if (status == MST_OK)
            shape_rotate(s, out + i * D, r, out + i * D);
    }
    mst_release(end);
    return status;
}

/* ---- Frames ---- */

typedef enum frame_way { FROM_FRAME, TO_FRAME } frame_way;

static mst_status convert(const mst_manifold *m, frame_way way, size_t n, const double *x,
                          const double *in, double *out)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient, d = m->dim;
    double *h;
    MST_TRY(mst_allocate(&h, (shape_normals(s) + 1) * D));
    double *work = h + shape_normals(s) * D;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        if (!shape_reflectors(s, x + i * D, h))
            status = shape_lower_rank(i);
        else if (way == FROM_FRAME)
            shape_from_frame(s, h, in + i * d, out + i * D);
        else
            shape_to_frame(s, h, in + i * D, work, out + i * d);
    }
    mst_release(h);
    return status;
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    return convert(m, FROM_FRAME, n, x, c, v);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    return convert(m, TO_FRAME, n, x, v, c);
}

/* ---- Curvature ---- */

static mst_status ricci_in_plane(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 double *out)
{
    (void)x;
    double factor = 2 * ((double)space_of(m)->k - 1); /* CP^(k−2) is Einstein */
    for (size_t j = 0; j < n * m->ambient; j++)
        out[j] = factor * v[j];
    return MST_OK;
}

/* O'Neill: K(u, e) is that above plus 3 |A_u e|², A_u e = X A with S A + A S = eᵀu − uᵀe. Summed over a
 * frame, with <A_u e, A_w e> = −<w, e L(uᵀe − eᵀu)>, L the solution of S A + A S = ·. The sum over a frame of
 * the horizontal space is that over the unit vectors of R^(k·dim), which move one landmark each, less that
 * over the normals. */
static void add_oneill(const shape_space *s, const shape_spin *spin, const double *h,
                       const double *u, double *normal, double *sum)
{
    const shape_space one = {.k = 1, .dim = s->dim, .width = s->dim};
    for (size_t p = 0; p < s->width; p += s->dim)
        for (size_t c = 0; c < s->dim; c++) {
            double e[3] = {0};
            e[c] = 1;
            shape_turn a = shape_solve(s, spin, shape_torque(&one, u + p, e));
            shape_add_turn(&one, -3, e, a, sum + p);
        }
    for (size_t c = 0; c < shape_normals(s); c++) {
        shape_normal(s, h, c, normal);
        shape_add_turn(s, 3, normal, shape_solve(s, spin, shape_torque(s, u, normal)), sum);
    }
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, (shape_normals(s) + 2) * D));
    double *normal = work + shape_normals(s) * D, *sum = normal + D;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *p = x + i * D, *u = v + i * D;
        shape_spin spin;
        if (!shape_spin_open(s, p, &spin) || !shape_reflectors(s, p, work)) {
            status = shape_lower_rank(i);
            break;
        }
        for (size_t j = 0; j < D; j++)
            sum[j] = s->unit ? (double)(m->dim - 1) * u[j] : 0;
        add_oneill(s, &spin, work, u, normal, sum);
        shape_horizontal(s, p, &spin, sum);
        memcpy(out + i * D, sum, D * sizeof *out);
    }
    mst_release(work);
    return status;
}

/* ---- Toward a point ---- */

/* In CP^(k−2), with u = sin² r = 1 − |<x, y>|², whose Laplacian is 4 (k−1)(1 − u) − 4: f = ½(u + u²/3), which
 * is ½r² + O(r⁶) and smooth where <x, y> = 0. */
static mst_status toward_in_plane(const mst_manifold *m, size_t n, const double *x, const double *y,
                                  double *f, double *v, double *laplacian)
{
    const shape_space *s = space_of(m);
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double cosine, r;
        status = shape_difference(s, x + i * D, y + i * D, work, &cosine);
        velocity(s, x + i * D, work, &r);
        double sine = sin(r), u = sine * sine, rest = cosine * cosine;
        if (f != NULL)
            f[i] = 0.5 * (u + u * u / 3);
        if (laplacian != NULL)
            laplacian[i] = (0.5 + u / 3) * (4 * ((double)s->k - 1) * rest - 4) + 4 * u * rest / 3;
        double scale = (1 + 2 * u / 3) * cosine * (r > 0 ? sine / r : 1);
        for (size_t j = 0; v != NULL && j < D; j++)
            v[i * D + j] = scale * work[j];
    }
    mst_release(work);
    return status;
}

/* ---- Life cycle ---- */

static double injectivity_in_plane(const mst_manifold *m)
{
    (void)m;
    return pi / 2;
}

/* Normal coordinates are uniform on the sphere above, and its fibres are circles of one length. */
static mst_status random_in_plane(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                                  double *x)
{
    mst_random_normals(r, first * m->ambient, n * m->ambient, x);
    return project(m, n, x, x);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    const shape_space *s = space_of(m);
    out->flat = out->hadamard = MST_NO;
    out->landmark_dim = s->dim;
    out->any_row = true;
    if (!s->unit)
        out->compact = MST_NO;
    if (s->dim > 2)
        out->closed &= ~MST_CLOSED_TRANSPORT;
    if (s->unit && s->dim == 2) {
        out->compact = MST_YES;
        out->curvature_above = 4;
        out->curvature = s->k == 3 ? 4 : NAN; /* triangles: the sphere of radius ½ */
    }
}

static void free_space(void *data)
{
    shape_space *s = data;
    mst_release(s->reference);
    mst_release(s->start);
    mst_release(s);
}

#define SHAPE_SLOTS                                                                         \
    .size = sizeof(mst_manifold_ops), .traits = traits, .start = start, .project = project, \
    .tangent = tangent, .inner = inner, .from_frame = from_frame, .to_frame = to_frame,     \
    .exp = exponential, .log = logarithm, .dist = distance, .transport = transport,         \
    .exp_derivative = shape_exp_derivative, .exp_adjoint = shape_exp_adjoint,               \
    .free_data = free_space

static const mst_manifold_ops kendall_plane_ops = {
    SHAPE_SLOTS,
    .name = "kendall",
    .ricci = ricci_in_plane,
    .injectivity = injectivity_in_plane,
    .random_point = random_in_plane,
    .toward = toward_in_plane,
    .polar = polar,
};

static const mst_manifold_ops kendall_ops = {
    SHAPE_SLOTS,
    .name = "kendall",
    .ricci = ricci,
    .toward = mst_log_toward,
};

static const mst_manifold_ops size_and_shape_ops = {
    SHAPE_SLOTS,
    .name = "size-and-shape",
    .ricci = ricci,
    .toward = mst_log_toward,
};

/* The fit of a shape is not unique on the cut locus of the reference, which therefore is a shape of no
 * particular kind. */
static mst_status make_reference(shape_space *s)
{
    MST_TRY(mst_allocate(&s->reference, s->width));
    for (size_t p = 0; p < s->k; p++) {
        double *x = s->reference + p * s->dim, at = (double)p;
        polygon(s, p, x);
        x[0] += 0.9 * cos(2.9 * at + 0.4);
        x[1] += 0.9 * sin(0.6 * at + 1.1);
        if (s->dim == 3)
            x[2] += 0.9 * cos(4.3 * at + 2.2);
    }
    shape_centre(s, s->reference);
    double size = shape_norm(s, s->reference);
    for (size_t j = 0; j < s->width; j++)
        s->reference[j] /= size;
    return MST_OK;
}

static mst_status make_start(shape_space *s)
{
    MST_TRY(mst_allocate(&s->start, s->width));
    for (size_t p = 0; p < s->k; p++)
        polygon(s, p, s->start + p * s->dim);
    return settle(s, 0, s->start);
}

static mst_status make(mst_manifold **out, const char *family, size_t landmarks, size_t dim,
                       bool unit)
{
    enum { MOST = 10000 };
    *out = NULL;
    if (dim < 2 || dim > 3 || landmarks <= dim || landmarks > MOST)
        return mst_fail(
            MST_ARGUMENT,
            "%s:%zux%zu is out of range; landmarks have 2 or 3 coordinates, and there must "
            "be more than that, up to %d",
            family, landmarks, dim, MOST);
    char spec[64];
    snprintf(spec, sizeof spec, "%s:%zux%zu", family, landmarks, dim);
    shape_space *s;
    MST_TRY(mst_allocate_zero(&s, 1));
    *s = (shape_space){.k = landmarks, .dim = dim, .width = landmarks * dim, .unit = unit};
    mst_status status = make_reference(s);
    if (status == MST_OK)
        status = make_start(s);
    if (status != MST_OK) {
        free_space(s);
        return status;
    }
    const mst_manifold_ops *ops = !unit      ? &size_and_shape_ops
                                  : dim == 2 ? &kendall_plane_ops
                                             : &kendall_ops;
    size_t d = dim * (landmarks - 1) - dim * (dim - 1) / 2 - unit;
    return mst_manifold_new(out, ops, spec, d, s->width, s);
}

mst_status mst_kendall_new(mst_manifold **out, size_t landmarks, size_t dim)
{
    return make(out, "kendall", landmarks, dim, true);
}

mst_status mst_size_and_shape_new(mst_manifold **out, size_t landmarks, size_t dim)
{
    return make(out, "size-and-shape", landmarks, dim, false);
}
