/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/mute_sphere.h"

#include <manistat/score.h>

static const mst_manifold *base_of(const mst_manifold *m)
{
    return mst_manifold_data(m);
}

static void start(const mst_manifold *m, double *x)
{
    mst_manifold_start(base_of(m), x);
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    return mst_manifold_project(base_of(m), n, x, y);
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    return mst_manifold_tangent(base_of(m), n, x, w, v);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    return mst_manifold_exp(base_of(m), n, x, v, y);
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    return mst_manifold_from_frame(base_of(m), n, x, c, v);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    return mst_manifold_to_frame(base_of(m), n, x, v, c);
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    return mst_manifold_transport(base_of(m), n, x, v, u, out);
}

static mst_status no_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *v, unsigned char *flag)
{
    (void)m, (void)n, (void)x, (void)y, (void)v, (void)flag;
    return mst_fail(MST_UNABLE, "no logarithm");
}

static mst_status no_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *r)
{
    (void)m, (void)n, (void)x, (void)y, (void)r;
    return mst_fail(MST_UNABLE, "no distance");
}

static void free_base(void *base)
{
    mst_manifold_free(base);
}

static const mst_manifold_ops table = {
    .size = sizeof(mst_manifold_ops),
    .name = "mute",
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = ambient_inner,
    .exp = exponential,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .transport = transport,
    .log = no_log,
    .dist = no_dist,
    .free_data = free_base,
};

mst_status mute_sphere_new(mst_manifold **out)
{
    mst_manifold *base;
    mst_status status = mst_sphere_new(&base, 2);
    return status == MST_OK ? mst_manifold_new(out, &table, "mute", 2, 3, base) : status;
}

/* The kernel of the sphere itself, whose rows are the same. */
static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    return mst_heat_pairs(base_of(mst_score_manifold(s)), pairs, 1, out);
}

static void describe_all(const mst_score *s, mst_score_info *info)
{
    (void)s;
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN;
}

static void describe_scores(const mst_score *s, mst_score_info *info)
{
    (void)s;
    info->gives = MST_GIVES_TIME | MST_GIVES_HESSIAN;
}

static const mst_score_ops whole = {
    .size = sizeof(mst_score_ops), .name = "mute", .describe = describe_all, .evaluate = evaluate};
static const mst_score_ops scores = {.size = sizeof(mst_score_ops),
                                     .name = "mute scores",
                                     .describe = describe_scores,
                                     .evaluate = evaluate};

mst_status mute_score_new(mst_score **out, const mst_manifold *m, bool log_p)
{
    return mst_score_new(out, log_p ? &whole : &scores, m, NULL);
}
