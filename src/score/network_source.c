/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A network as a score source: the score by one forward pass; its covariant derivative by d tangents of every
 * row that go through the network in one product, which gives divergence, time derivative and Hessian. */
#include "heat/kernel_parts.h"
#include "score/network_beside.h"
#include "score/score_internal.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { ROWS = 256, KEPT = 8 };

/* For ROWS rows; a source keeps a few, because fresh memory costs more than the network. */
typedef struct workspace {
    bool tangents;
    mlp_work *mlp;
    double *doubles;
    float *floats;
    double *inputs, *baseline, *c, *vectors;       /* (ROWS, …) */
    double *frame, *d_inputs, *d_baseline, *along; /* (ROWS, d, …) */
    double *jacobian;                              /* (ROWS, d, d): <E_a, ∇_b s> */
    double *omega;                                 /* (d, d, q): the connection at one y */
    double *y, *t;                                 /* (ROWS, …): what all rows share, repeated */
    float *in, *out, *tan_in, *tan_out;
} workspace;

typedef struct source {
    const mst_network *net;
    mst_network *owned; /* the same, or null */
    bool beyond;
    network_beside *beside; /* or null: it answers alone */
    atomic_flag lock;
    workspace *kept[KEPT][2]; /* without and with tangents */
} source;

static void workspace_free(workspace *r)
{
    if (r == NULL)
        return;
    mlp_work_free(r->mlp);
    mst_release(r->doubles);
    mst_release(r->floats);
    mst_release(r);
}

static mst_status workspace_allocate(workspace *r, const mst_network *net)
{
    const features *s = net->features;
    size_t n = ROWS, d = r->tangents ? s->d : 0, q = s->outputs, outputs = net->shape.outputs;
    MST_TRY(mlp_work_new_small(&r->mlp, &net->shape, n, d));
    size_t rows = n * (s->inputs + s->base + q + 2 * s->D + 1);
    size_t slopes = n * d * (s->D + s->inputs + s->base + q + d);
    MST_TRY(mst_allocate(&r->doubles, rows + slopes + d * d * q));
    MST_TRY(mst_allocate(&r->floats, n * (s->inputs + outputs) * (1 + d)));
    r->inputs = r->doubles;
    r->baseline = r->inputs + n * s->inputs;
    r->c = r->baseline + n * s->base;
    r->vectors = r->c + n * q;
    r->frame = r->vectors + n * s->D;
    r->d_inputs = r->frame + n * d * s->D;
    r->d_baseline = r->d_inputs + n * d * s->inputs;
    r->along = r->d_baseline + n * d * s->base;
    r->jacobian = r->along + n * d * q;
    r->omega = r->jacobian + n * d * d;
    r->y = r->omega + d * d * q;
    r->t = r->y + n * s->D;
    r->in = r->floats;
    r->out = r->in + n * s->inputs;
    r->tan_in = r->out + n * outputs;
    r->tan_out = r->tan_in + n * d * s->inputs;
    return MST_OK;
}

static mst_status workspace_new(workspace **out, const mst_network *net, bool tangents)
{
    MST_TRY(mst_allocate_zero(out, 1));
    (*out)->tangents = tangents;
    mst_status status = workspace_allocate(*out, net);
    if (status != MST_OK) {
        workspace_free(*out);
        *out = NULL;
    }
    return status;
}

static mst_status borrow(source *s, bool tangents, workspace **out)
{
    *out = NULL;
    while (atomic_flag_test_and_set(&s->lock))
        continue;
    for (size_t k = 0; k < KEPT && *out == NULL; k++) {
        *out = s->kept[k][tangents];
        s->kept[k][tangents] = NULL;
    }
    atomic_flag_clear(&s->lock);
    return *out != NULL ? MST_OK : workspace_new(out, s->net, tangents);
}

static void give_back(source *s, workspace *r)
{
    while (atomic_flag_test_and_set(&s->lock))
        continue;
    for (size_t k = 0; k < KEPT && r != NULL; k++)
        if (s->kept[k][r->tangents] == NULL) {
            s->kept[k][r->tangents] = r;
            r = NULL;
        }
    atomic_flag_clear(&s->lock);
    workspace_free(r);
}

static void to_float(size_t n, const double *from, float *to)
{
    for (size_t k = 0; k < n; k++)
        to[k] = (float)from[k];
}

/* ---- One block of rows ---- */

/* Directions of the frame, the derivatives of inputs and baseline in them, and of the network. */
static mst_status differentiate(const mst_network *net, size_t n, const double *x, const double *y,
                                const double *t, workspace *r)
{
    const features *s = net->features;
    MST_TRY(mst_manifold_frame(s->m, n, y, r->frame));
    MST_TRY(features_differentiate(s, n, s->d, x, y, t, r->frame, r->d_inputs, r->d_baseline));
    to_float(n * s->d * s->inputs, r->d_inputs, r->tan_in);
    mlp_tangent(&net->shape, net->theta, n, s->d, r->tan_in, r->tan_out, r->mlp);
    return MST_OK;
}

/* The coordinates c of the score. */
static void coordinates(const mst_network *net, size_t n, const double *t, workspace *r)
{
    const features *s = net->features;
    size_t q = s->outputs, outputs = net->shape.outputs;
    for (size_t i = 0; i < n; i++) {
        double g = features_scale(s, t[i]);
        for (size_t k = 0; k < q; k++)
            r->c[i * q + k] =
                s->energy ? r->d_baseline[i * q + k] + (double)r->tan_out[(i * q + k) * outputs]
                          : r->baseline[i * q + k] + g * (double)r->out[i * outputs + k];
    }
}

/* <E_a, ∇_b s> = <PᵀE_a, ∂_b c> + Σ_k ω_bak c_k. */
static mst_status covariant(const mst_network *net, size_t n, const double *y, bool shared,
                            const double *t, workspace *r)
{
    const features *s = net->features;
    size_t d = s->d, q = s->outputs, outputs = net->shape.outputs;
    double *points;
    MST_TRY(mst_allocate(&points, n * d * s->D));
    for (size_t k = 0; k < n * d; k++)
        memcpy(points + k * s->D, y + k / d * s->D, s->D * sizeof *y);
    mst_status status = features_to_outputs(s, n * d, points, r->frame, r->along);
    mst_release(points);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double g = features_scale(s, t[i]);
        const double *slope = r->d_baseline + i * d * q, *c = r->c + i * q;
        const float *network = r->tan_out + i * d * outputs;
        if (i == 0 || !shared)
            status = features_connection(s, y + i * s->D, r->omega);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            for (size_t b = 0; b < d; b++) {
                const double *e = r->along + (i * d + a) * q, *omega = r->omega + (b * d + a) * q;
                double sum = 0;
                for (size_t k = 0; k < q; k++)
                    sum += e[k] * (slope[b * q + k] + g * (double)network[b * outputs + k]) +
                           omega[k] * c[k];
                r->jacobian[(i * d + a) * d + b] = sum;
            }
    }
    return status;
}

static void time_derivatives(const mst_network *net, size_t n, const double *t, const workspace *r,
                             double *out)
{
    const features *s = net->features;
    size_t d = s->d, outputs = net->shape.outputs;
    for (size_t i = 0; i < n && net->info.time_head; i++)
        out[i] = features_time_baseline(s, t[i], r->baseline + i * s->base) +
                 features_time_scale(s, t[i]) * (double)r->out[(i + 1) * outputs - 1];
    for (size_t i = 0; i < n && !net->info.time_head; i++) {
        double sum = 0;
        for (size_t a = 0; a < d; a++) {
            double along = 0; /* <E_a, s> */
            for (size_t k = 0; k < s->outputs; k++)
                along += r->along[(i * d + a) * s->outputs + k] * r->c[i * s->outputs + k];
            sum += r->jacobian[(i * d + a) * d + a] + along * along;
        }
        out[i] = 0.5 * sum;
    }
}

static void hessians(size_t n, size_t d, const double *jacobian, double *out)
{
    for (size_t i = 0; i < n; i++, jacobian += d * d, out += d * d)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                out[a * d + b] = 0.5 * (jacobian[a * d + b] + jacobian[b * d + a]);
}

static mst_status evaluate_block(const mst_network *net, const mst_pairs *p,
                                 const mst_heat_values *out, workspace *r)
{
    const features *s = net->features;
    size_t n = p->n;
    const double *x = p->x, *y = p->y_stride > 0 ? p->y : r->y, *t = p->t_stride > 0 ? p->t : r->t;
    bool jacobian = out->hessian != NULL || (out->dt_log_p != NULL && !net->info.time_head);
    MST_TRY(features_read(s, n, x, y, t, r->inputs, r->baseline));
    to_float(n * s->inputs, r->inputs, r->in);
    mlp_forward(&net->shape, net->theta, n, r->in, r->out, r->mlp);
    if (r->tangents)
        MST_TRY(differentiate(net, n, x, y, t, r));
    coordinates(net, n, t, r);
    if (out->score != NULL)
        MST_TRY(features_from_outputs(s, n, y, r->c, out->score));
    if (jacobian)
        MST_TRY(covariant(net, n, y, p->y_stride == 0, t, r));
    if (out->dt_log_p != NULL)
        time_derivatives(net, n, t, r, out->dt_log_p);
    if (out->hessian != NULL)
        hessians(n, s->d, r->jacobian, out->hessian);
    return MST_OK;
}

mst_status network_check_times(const mst_network *net, size_t n, const double *t)
{
    for (size_t i = 0; i < n; i++)
        if (!mst_time_within(t[i], net->info.t_min, net->info.t_max))
            return mst_fail(MST_DOMAIN,
                            "row %zu: the time %g lies outside %g … %g, for which the network was "
                            "trained",
                            i + 1, t[i], net->info.t_min, net->info.t_max);
    return MST_OK;
}

static mst_status check_positive(size_t n, const double *t)
{
    for (size_t i = 0; i < n; i++)
        if (!(t[i] > 0))
            return mst_fail(MST_DOMAIN, "row %zu: the time %g is not positive", i + 1, t[i]);
    return MST_OK;
}

static void repeat_shared(const features *s, const mst_pairs *pairs, workspace *r)
{
    size_t most = pairs->n < ROWS ? pairs->n : ROWS;
    if (pairs->y_stride == 0)
        mst_repeat_point(most, s->D, pairs->y, r->y);
    for (size_t i = 0; pairs->t_stride == 0 && i < most; i++)
        r->t[i] = *pairs->t;
}

static mst_status evaluate(const mst_score *score, const mst_pairs *pairs,
                           const mst_heat_values *out)
{
    source *s = mst_score_data(score);
    const mst_network *net = s->net;
    size_t times = pairs->t_stride > 0 ? pairs->n : 1;
    MST_TRY(s->beyond ? check_positive(times, pairs->t)
                      : network_check_times(net, times, pairs->t));
    bool tangents =
        out->hessian != NULL || net->info.energy || (out->dt_log_p != NULL && !net->info.time_head);
    workspace *r;
    MST_TRY(borrow(s, tangents, &r));
    repeat_shared(net->features, pairs, r);
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < pairs->n; at += ROWS) {
        size_t rows = pairs->n - at < ROWS ? pairs->n - at : ROWS;
        mst_pairs part = mst_pairs_part(net->m, pairs, at, rows);
        mst_heat_values values = heat_values_at(out, net->m, at);
        status = evaluate_block(net, &part, &values, r);
    }
    give_back(s, r);
    return status == MST_OK && s->beside != NULL ? network_beside_join(s->beside, pairs, out)
                                                 : status;
}

/* The cost as measured: of what the network reads, and of about 45 multiplications and
 * additions a nanosecond. */
static void describe(const mst_score *score, mst_score_info *info)
{
    const source *s = mst_score_data(score);
    /* Energies give first derivatives only. */
    info->gives = MST_GIVES_TIME | (s->net->info.energy ? 0 : MST_GIVES_HESSIAN);
    info->precision = 1e-6;
    info->cost = 0.3 + 2.2e-5 * (double)mlp_parameters(&s->net->shape);
    if (s->beside != NULL)
        info->cost += network_beside_cost(s->beside);
    if (s->beyond)
        return;
    info->t_least = s->net->info.t_min;
    info->t_largest = s->net->info.t_max;
}

static void free_source(void *data)
{
    source *s = data;
    network_beside_free(s->beside);
    mst_network_free(s->owned);
    for (size_t k = 0; k < KEPT; k++) {
        workspace_free(s->kept[k][0]);
        workspace_free(s->kept[k][1]);
    }
    mst_release(s);
}

static const mst_score_ops network_ops = {
    .size = sizeof network_ops,
    .name = "network",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_source,
};

static mst_status source_new(mst_score **out, const mst_network *net, bool beyond, bool alone)
{
    source *s;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->net = net;
    s->beyond = beyond;
    mst_status status = alone ? MST_OK : network_beside_new(&s->beside, net);
    if (status != MST_OK) {
        free_source(s);
        return status;
    }
    return mst_score_new(out, &network_ops, net->m, s);
}

mst_status mst_score_network_new(mst_score **out, const mst_network *net, bool beyond)
{
    return source_new(out, net, beyond, false);
}

mst_status mst_score_network_alone_new(mst_score **out, const mst_network *net, bool beyond)
{
    return source_new(out, net, beyond, true);
}

bool network_is_alone(const mst_score *s)
{
    return score_is(s, &network_ops) && ((const source *)mst_score_data(s))->beside == NULL;
}

mst_status network_source_take(mst_score **out, mst_network *net, bool beyond, bool alone)
{
    mst_status status = source_new(out, net, beyond, alone);
    if (status != MST_OK)
        mst_network_free(net);
    else
        ((source *)mst_score_data(*out))->owned = net;
    return status;
}

mst_status mst_score_shares(const mst_score *s, const mst_pairs *pairs,
                            mst_source_share out[MST_SOURCE_SHARES], size_t *count)
{
    mst_pairs rows = *pairs;
    double limit = mst_score_limit_time(s), spectral, expansion;
    *count = 1;
    out[0] = (mst_source_share){mst_score_name(s), 1};
    if (limit > 0) {
        s = network_limit_of(s);
        rows.t = &limit;
        rows.t_stride = 0;
    }
    network_beside *beside =
        score_is(s, &network_ops) ? ((const source *)mst_score_data(s))->beside : NULL;
    if (beside == NULL)
        return MST_OK;
    spectral = expansion = 0;
    if (rows.n > 0) {
        MST_TRY(check_positive(rows.t_stride > 0 ? rows.n : 1, rows.t));
        MST_TRY(network_beside_shares(beside, &rows, &spectral, &expansion));
    }
    out[0].share = fmax(1 - spectral - expansion, 0);
    out[1] = (mst_source_share){"expansion", expansion};
    out[2] = (mst_source_share){"spectral", spectral};
    *count = MST_SOURCE_SHARES;
    return MST_OK;
}

const mst_network *mst_score_network(const mst_score *s)
{
    const mst_score *behind = network_limit_of(s);
    s = behind != NULL ? behind : s;
    return score_is(s, &network_ops) ? ((const source *)mst_score_data(s))->net : NULL;
}

mst_status mst_network_energy(const mst_network *net, size_t n, const double *x, const double *y,
                              const double *t, double *out)
{
    if (!net->info.energy)
        return mst_fail(MST_UNABLE, "not an energy network; train one with `energy`");
    workspace *r;
    MST_TRY(workspace_new(&r, net, false));
    const features *s = net->features;
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += ROWS) {
        size_t rows = n - at < ROWS ? n - at : ROWS;
        status =
            features_read(s, rows, x + at * s->D, y + at * s->D, t + at, r->inputs, r->baseline);
        if (status != MST_OK)
            break;
        to_float(rows * s->inputs, r->inputs, r->in);
        mlp_forward(&net->shape, net->theta, rows, r->in, r->out, r->mlp);
        for (size_t i = 0; i < rows; i++)
            out[at + i] = r->baseline[i] + (double)r->out[i * net->shape.outputs];
    }
    workspace_free(r);
    return status;
}
