/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned/learned.h"

#include "learned/content.h"
#include "learned/ways.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* ---- Slots ---- */

/* A latent point, so that the start is where the data are. */
void learned_start(const mst_manifold *m, double *x)
{
    const learned *l = mst_manifold_data(m);
    for (size_t k = 0; k < l->d; k++)
        x[k] = l->latent != NULL ? l->latent[k] : 0;
}

/* Complete, since far from the data it is flat, and not compact. */
void learned_traits(const mst_manifold *m, mst_manifold_traits *traits)
{
    (void)m;
    traits->compact = MST_NO;
}

static mst_status way(const mst_manifold *m, const double *x, const double *y, double *points,
                      double *along, size_t *count)
{
    const learned *l = mst_manifold_data(m);
    *count = 0;
    return l->ways == NULL ? MST_OK : ways_find(l->ways, m, x, y, points, along, count);
}

/* ---- Construction ---- */

void learned_free(void *data)
{
    learned *l = data;
    if (l == NULL)
        return;
    l->ops->release(l);
    ways_free(l->ways);
    mst_release(l->latent);
    mst_release(l->nodes);
    mst_release(l->content);
    mst_release(l->options);
    mst_release(l);
}

/* The options behind the path, which may stand in quotes. */
static mst_status take_options(learned *l, const char *spec)
{
    const char *end = spec[0] == '"' ? strchr(spec + 1, '"') : spec;
    const char *mark = strchr(end != NULL ? end : spec, '?');
    return mst_copy_string(&l->options, mark != NULL ? mark + 1 : "");
}

/* The deviation of the latent points from their mean, in the metric at them, per coordinate. */
static mst_status find_unit(learned *l, const mst_manifold *m)
{
    enum { LOOKS = 200 };
    const double *points = l->latent != NULL ? l->latent : l->nodes;
    size_t d = l->d, n = l->latent != NULL ? l->n : l->node_count, looks = n < LOOKS ? n : LOOKS;
    double spread = 0, trace = 0, *g;
    metric_work w;
    MST_TRY(mst_allocate(&g, d * d));
    mst_status status = metric_work_new(&w, m, 1, 1);
    for (size_t k = 0; k < d; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) {
            sum += points[i * d + k];
            squares += points[i * d + k] * points[i * d + k];
        }
        spread += (squares - sum * sum / (double)n) / (double)(n * d);
    }
    for (size_t i = 0; status == MST_OK && i < looks; i++) {
        status = metric_tensor(m, 1, points + i * n / looks * d, &w, g);
        for (size_t k = 0; status == MST_OK && k < d; k++)
            trace += g[k * d + k] / (double)(looks * d);
    }
    l->unit = sqrt(fmax(spread * trace, 0));
    metric_work_free(&w);
    mst_release(g);
    return status;
}

static mst_status finish(mst_manifold *m, learned *l, const char *spec)
{
    MST_TRY(take_options(l, spec));
    MST_TRY(content_write(l, &l->content));
    if (!(l->unit > 0))
        MST_TRY(find_unit(l, m));
    if (!(l->unit > 0 && isfinite(l->unit))) /* a single point, or a map that is constant */
        l->unit = 1;
    return l->latent != NULL ? ways_new(&l->ways, m, l->n, l->latent)
                             : ways_new(&l->ways, m, l->node_count, l->nodes);
}

mst_status learned_manifold(mst_manifold **out, const mst_metric_ops *ops, const char *spec,
                            learned *l)
{
    mst_metric_ops table = *ops;
    *out = NULL;
    table.way_points = WAYS_MOST + 2;
    table.way = way;
    MST_TRY(mst_metric_new(out, &table, spec, l->d, l)); /* which has freed it if not */
    (*out)->learned = l;
    mst_status status = finish(*out, l, spec);
    if (status != MST_OK) {
        mst_manifold_free(*out);
        *out = NULL;
    }
    return status;
}

size_t learned_nearest(size_t d, size_t n, const double *points, const double *x, size_t most,
                       size_t *out)
{
    double far[LEARNED_NEAR];
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        double gap = 0;
        for (size_t k = 0; k < d; k++)
            gap += (x[k] - points[i * d + k]) * (x[k] - points[i * d + k]);
        if (gap == 0 || (found == most && gap >= far[most - 1]))
            continue;
        size_t at = found < most ? found++ : most - 1;
        for (; at > 0 && far[at - 1] > gap; at--) {
            far[at] = far[at - 1];
            out[at] = out[at - 1];
        }
        far[at] = gap;
        out[at] = i;
    }
    return found;
}

/* ---- What was learned ---- */

const learned *learned_of(const mst_manifold *m)
{
    return m->learned;
}

double learned_time(const mst_manifold *m)
{
    return m->learned != NULL ? m->learned->unit * m->learned->unit : 1;
}

bool mst_manifold_is_learned(const mst_manifold *m)
{
    return m->learned != NULL;
}

static mst_status require(const mst_manifold *m)
{
    if (m->learned != NULL)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "%s is not learned from data", m->spec);
}

mst_status mst_learned_describe(const mst_manifold *m, mst_learned_info *info)
{
    const learned *l = learned_of(m);
    MST_TRY(require(m));
    *info = (mst_learned_info){.kind = l->ops->kind,
                               .n = l->n,
                               .outputs = l->D,
                               .height = l->height,
                               .width = l->width,
                               .variance = NAN,
                               .length_scale = NAN,
                               .noise = NAN,
                               .uncertainty = NAN,
                               .log_likelihood = NAN,
                               .condition = NAN,
                               .along = NAN,
                               .along_mean = NAN,
                               .along_variance = NAN,
                               .far = NAN,
                               .ratio = NAN,
                               .curvature = NAN,
                               .tube = NAN,
                               .low = NAN,
                               .high = NAN,
                               .unit = l->unit};
    return l->ops->describe(m, info);
}

const double *mst_learned_latent(const mst_manifold *m)
{
    return m->learned != NULL ? m->learned->latent : NULL;
}

mst_status mst_learned_decode(const mst_manifold *m, size_t n, const double *x, double *mean,
                              double *sd)
{
    MST_TRY(require(m));
    return n == 0 ? MST_OK : m->learned->ops->decode(m->learned, n, x, mean, sd);
}

mst_status mst_learned_write(const mst_manifold *m, const char *path, bool force)
{
    learned_pack p = {0};
    MST_TRY(require(m));
    mst_status status = content_pack(m->learned, &p);
    if (status == MST_OK)
        status = tensors_write(path, force, p.count, p.list, p.texts, p.text);
    learned_pack_free(&p);
    return status;
}
