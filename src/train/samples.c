/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The plan: which simulator each factor of the manifold gets; and the drawing of samples block by block. */
#include "train/samples.h"

#include "base/columns.h"
#include "manifold/leaving.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

/* The mixing function of splitmix64. */
uint64_t sample_seed(uint64_t root, sample_purpose purpose, uint64_t number)
{
    uint64_t z = root + UINT64_C(0x9E3779B97F4A7C15) * (number * 8 + (uint64_t)purpose + 1);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static mst_status check_options(const sample_options *o)
{
    if (o->kind != SAMPLE_BEL && o->kind != SAMPLE_LAST_STEP)
        return mst_fail(MST_ARGUMENT, "there is no kind of samples number %d", (int)o->kind);
    if (!(o->t_min > 0) || !(o->t_max >= o->t_min) || !isfinite(o->t_max))
        return mst_fail(MST_ARGUMENT, "sample times must be positive and in order, not %g to %g",
                        o->t_min, o->t_max);
    if (o->steps < 1 || o->steps > 1000000)
        return mst_fail(MST_ARGUMENT, "the number of steps must be from 1 to 10^6, not %zu",
                        o->steps);
    if (o->slots < 1 || o->slots > 65536)
        return mst_fail(MST_ARGUMENT, "the samples per path must be from 1 to 65536, not %zu",
                        o->slots);
    if (!(o->spread >= 0) || !isfinite(o->spread))
        return mst_fail(MST_ARGUMENT, "the spread of the starts must be 0 or more, not %g",
                        o->spread);
    return MST_OK;
}

static sample_simulator *simulator_of(const mst_manifold *m)
{
    return mst_manifold_is_flat(m)        ? sample_flat
           : m->ops.weighted_walk != NULL ? sample_weighted
           : m->ops.roll != NULL          ? sample_rolling
                                          : sample_sweep;
}

/* Factors, or for last-step samples the manifold as a whole. Paths start uniformly where that is possible;
 * what may or may not be compact is treated as if it were not. */
static mst_status split(sample_plan *p)
{
    const sample_options *o = &p->options;
    bool whole = o->kind == SAMPLE_LAST_STEP;
    p->factors = whole ? 1 : mst_manifold_factor_count(p->m);
    if (whole || p->factors > 1 || simulator_of(p->m) != sample_rolling || !sample_can_push(p->m))
        p->options.push = 0;
    MST_TRY(mst_allocate_zero(&p->factor, p->factors));
    size_t offset = 0;
    for (size_t k = 0; k < p->factors; k++) {
        sample_factor *f = &p->factor[k];
        *f = (sample_factor){
            .m = whole ? p->m : mst_manifold_factor(p->m, k), .index = k, .offset = offset};
        offset += f->m->ambient;
        f->uniform = o->starts == 0 && f->m->traits.compact == MST_YES;
        f->run = simulator_of(f->m);
        if (f->uniform && f->m->ops.random_point == NULL)
            MST_TRY(sample_cover(p, f));
        if (!whole && f->run == sample_weighted)
            MST_TRY(sample_weighted_check(f->m, o->t_max / (double)o->steps, o->t_max));
        if (!whole && f->run == sample_sweep)
            MST_TRY(sample_sweep_tune(p, f));
        if (!whole && f->run == sample_rolling)
            MST_TRY(sample_rolling_tune(p, f));
    }
    return MST_OK;
}

mst_status sample_plan_new(sample_plan **out, const mst_manifold *m, const sample_options *options)
{
    *out = NULL;
    MST_TRY(check_options(options));
    sample_plan *p;
    MST_TRY(mst_allocate_zero(&p, 1));
    p->m = m;
    p->options = *options;
    mst_status status = mst_allocate(&p->start, options->starts * m->ambient);
    if (status == MST_OK) {
        if (options->starts > 0)
            memcpy(p->start, options->start, options->starts * m->ambient * sizeof *p->start);
        p->options.start = p->start;
        status = split(p);
    }
    if (status != MST_OK) {
        sample_plan_free(p);
        return status;
    }
    *out = p;
    return MST_OK;
}

bool sample_plan_is_uniform(const sample_plan *plan)
{
    for (size_t k = 0; k < plan->factors; k++)
        if (!plan->factor[k].uniform)
            return false;
    return true;
}

static mst_targets targets_of(const sample_factor *f)
{
    return f->run == sample_flat       ? MST_TARGETS_EXACT
           : f->run == sample_weighted ? MST_TARGETS_CLOSED
           : f->run == sample_rolling  ? MST_TARGETS_FRAMES
           : f->m->ops.step != NULL    ? MST_TARGETS_FLOW
                                       : MST_TARGETS_TRANSPORT;
}

mst_targets sample_plan_targets(const sample_plan *plan, double *kappa)
{
    *kappa = NAN;
    if (plan->options.kind != SAMPLE_BEL)
        return MST_TARGETS_UNKNOWN;
    mst_targets first = targets_of(&plan->factor[0]);
    for (size_t k = 1; k < plan->factors; k++)
        if (targets_of(&plan->factor[k]) != first)
            return MST_TARGETS_MIXED;
    if (plan->factors == 1 && first != MST_TARGETS_EXACT && first != MST_TARGETS_CLOSED)
        *kappa = plan->factor[0].kappa;
    return first;
}

size_t sample_plan_slots(const sample_plan *plan)
{
    return plan->options.slots;
}

bool sample_plan_has_chains(const sample_plan *plan)
{
    const sample_options *o = &plan->options;
    return o->kind == SAMPLE_BEL && plan->factors == 1 && plan->factor[0].run == sample_rolling &&
           o->slots > 1 && o->t_min < o->t_max;
}

void sample_plan_free(sample_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t k = 0; plan->factor != NULL && k < plan->factors; k++)
        mst_release(plan->factor[k].pool);
    mst_release(plan->factor);
    mst_release(plan->start);
    mst_release(plan);
}

/* The samples of up to MST_LANES paths, and where in the caller's rows they go: slot s of path i in row
 * (slot + s)·stride + begin + i. */
typedef struct block {
    const sample_plan *plan;
    uint64_t root, first;
    size_t n, slots;
    size_t slot, stride, begin;
    const sample_rows *out;
    double h[MST_LANES];
    uint32_t *at;
    double *rows; /* x, y, target (slots, n, D), time target and weight (slots, n) of a factor */
    double *chain, *frame; /* (slots, n, d·d) and (slots, n, d·D), or null */
} block;

static void copy_columns(const block *b, const sample_factor *f, const double *from, double *to)
{
    size_t D = b->plan->m->ambient, width = f->m->ambient;
    for (size_t s = 0; to != NULL && s < b->slots; s++)
        mst_put_columns(b->n, D, f->offset, width, from + s * b->n * width,
                        to + ((b->slot + s) * b->stride + b->begin) * D);
}

/* Rows of `width` numbers, slot by slot, to where the caller has them. */
static void copy_rows(const block *b, size_t width, const double *from, double *to)
{
    for (size_t s = 0; from != NULL && s < b->slots; s++)
        memcpy(to + ((b->slot + s) * b->stride + b->begin) * width, from + s * b->n * width,
               b->n * width * sizeof *to);
}

static void set_times(const block *b)
{
    const sample_options *o = &b->plan->options;
    for (size_t s = 0; s < b->slots; s++)
        for (size_t i = 0; i < b->n; i++) {
            size_t row = (b->slot + s) * b->stride + b->begin + i;
            double t = b->h[i] * b->at[s * MST_LANES + i];
            if (b->out->t != NULL) /* the last bit of a product may be on the wrong side */
                b->out->t[row] = fmin(fmax(t, o->t_min), o->t_max);
            if (b->out->time_target != NULL)
                b->out->time_target[row] = 0;
            if (b->out->weight != NULL)
                b->out->weight[row] = 1;
        }
}

static sample_job job_of(const block *b, const sample_factor *f)
{
    size_t count = b->slots * b->n, D = b->plan->m->ambient;
    return (sample_job){.plan = b->plan,
                        .factor = f,
                        .root = b->root,
                        .first = b->first,
                        .n = b->n,
                        .slots = b->slots,
                        .h = b->h,
                        .at = b->at,
                        .x = b->rows,
                        .y = b->rows + count * D,
                        .target = b->rows + 2 * count * D,
                        .time_target = b->rows + 3 * count * D,
                        .weight = b->rows + count * (3 * D + 1),
                        .chain = b->chain,
                        .frame = b->frame,
                        .from = b->out->from != NULL ? b->out->from + b->begin * D : NULL};
}

/* Factors have independent noise and the same times: their targets stand side by side,
 * their time targets add up. */
static mst_status draw_factors(const block *b)
{
    for (size_t k = 0; k < b->plan->factors; k++) {
        const sample_factor *f = &b->plan->factor[k];
        sample_job job = job_of(b, f);
        MST_TRY(f->run(&job));
        copy_columns(b, f, job.x, b->out->x);
        copy_columns(b, f, job.y, b->out->y);
        copy_columns(b, f, job.target, b->out->target);
        if (b->out->end != NULL && b->slot == 0)
            mst_put_columns(b->n, b->plan->m->ambient, f->offset, f->m->ambient, job.x,
                            b->out->end + b->begin * b->plan->m->ambient);
        for (size_t s = 0; b->out->time_target != NULL && s < b->slots; s++)
            for (size_t i = 0; i < b->n; i++)
                b->out->time_target[(b->slot + s) * b->stride + b->begin + i] +=
                    job.time_target[s * b->n + i];
        bool pushed = b->plan->options.push > 0 && b->out->weight != NULL;
        copy_rows(b, 1, pushed ? job.weight : NULL, b->out->weight);
        copy_rows(b, f->m->dim * f->m->dim, b->chain, b->out->chain);
        copy_rows(b, f->m->dim * f->m->ambient, b->frame, b->out->frame);
    }
    return MST_OK;
}

static double *row_of(double *rows, size_t row, size_t width)
{
    return rows != NULL ? rows + row * width : NULL;
}

static mst_status draw_last_steps(const block *b)
{
    size_t D = b->plan->m->ambient, row = b->slot * b->stride + b->begin;
    const sample_rows *o = b->out;
    sample_rows part = {.x = row_of(o->x, row, D),
                        .y = row_of(o->y, row, D),
                        .previous = row_of(o->previous, row, D),
                        .step = row_of(o->step, row, D),
                        .arrived = row_of(o->arrived, row, D),
                        .h = row_of(o->h, row, 1),
                        .end = b->slot == 0 ? row_of(o->end, b->begin, D) : NULL};
    sample_job job = job_of(b, &b->plan->factor[0]);
    return sample_last_step(&job, b->stride, &part);
}

static mst_status draw_paths(block *b, uint64_t first, size_t n)
{
    const sample_options *o = &b->plan->options;
    for (b->begin = 0; b->begin < n; b->begin += MST_LANES) {
        b->n = n - b->begin < MST_LANES ? n - b->begin : MST_LANES;
        b->first = first + b->begin;
        sample_times(o, b->root, b->first, b->slots, b->h, b->at);
        set_times(b);
        MST_TRY(o->kind == SAMPLE_BEL ? draw_factors(b) : draw_last_steps(b));
    }
    return MST_OK;
}

enum { ROW_KINDS = 12 };

/* The rows that a caller may have of a sample, and how many numbers they have. */
static size_t columns_of(const sample_plan *plan, const sample_rows *out, double **rows,
                         size_t *width)
{
    size_t D = plan->m->ambient, d = plan->m->dim, count = 0;
    double *all[ROW_KINDS] = {out->x,    out->y,       out->target, out->previous,
                              out->step, out->arrived, out->t,      out->time_target,
                              out->h,    out->weight,  out->chain,  out->frame};
    for (size_t k = 0; k < ROW_KINDS; k++)
        if (all[k] != NULL) {
            rows[count] = all[k];
            width[count++] = k < 6 ? D : k < 10 ? 1 : k < 11 ? d * d : d * D;
        }
    return count;
}

/* Samples whose points are NAN are replaced by the next of their slot that is there. */
static mst_status leave_out(const sample_plan *plan, size_t n, const sample_rows *out)
{
    double *rows[ROW_KINDS];
    size_t width[ROW_KINDS], count = columns_of(plan, out, rows, width), D = plan->m->ambient;
    const double *points = out->x != NULL ? out->x : out->y;
    if (points == NULL)
        return MST_OK;
    for (size_t s = 0; s < plan->options.slots; s++)
        for (size_t i = 0; i < n; i++) {
            size_t row = s * n + i, other = i;
            if (!mst_is_lost(D, points + row * D))
                continue;
            do
                other = (other + 1) % n;
            while (other != i && mst_is_lost(D, points + (s * n + other) * D));
            if (other == i)
                return mst_fail(MST_DOMAIN, "all of %zu paths left the domain of %s", n,
                                plan->m->spec);
            for (size_t k = 0; k < count; k++)
                memcpy(rows[k] + row * width[k], rows[k] + (s * n + other) * width[k],
                       width[k] * sizeof *rows[k]);
            if (out->left != NULL)
                (*out->left)++;
        }
    return MST_OK;
}

/* With one fixed time the slots of a path would be the same sample: each is a path of its own instead. */
static mst_status draw(const sample_plan *plan, uint64_t first, size_t n, const sample_rows *out)
{
    const sample_options *o = &plan->options;
    bool apart = o->t_min == o->t_max;
    block b = {.plan = plan, .slots = apart ? 1 : o->slots, .stride = n, .out = out};
    MST_TRY(mst_allocate(&b.at, b.slots * MST_LANES));
    size_t most = b.slots * MST_LANES, d = plan->m->dim, D = plan->m->ambient;
    bool chained = out->chain != NULL;
    mst_status status = mst_allocate(&b.rows, most * (3 * D + 2 + (chained ? d * d + d * D : 0)));
    b.chain = chained && status == MST_OK ? b.rows + most * (3 * D + 2) : NULL;
    b.frame = b.chain != NULL ? b.chain + most * d * d : NULL;
    for (b.slot = 0; status == MST_OK && b.slot < o->slots; b.slot += b.slots) {
        b.root = apart ? sample_seed(o->seed, SAMPLE_SEED_SUB, b.slot) : o->seed;
        status = draw_paths(&b, first, n);
    }
    mst_release(b.rows);
    mst_release(b.at);
    if (status == MST_OK && out->end != NULL)
        status = sample_settle(plan, n, out->end);
    return status == MST_OK && mst_can_be_left(plan->m) ? leave_out(plan, n, out) : status;
}

mst_status sample_draw(const sample_plan *plan, uint64_t first, size_t n, const sample_rows *out)
{
    mst_status status = draw(plan, first, n, out);
    if (out->from == NULL || (status != MST_DOMAIN && status != MST_CONVERGENCE))
        return status;
    sample_rows anew = *out;
    anew.from = NULL;
    return draw(plan, first, n, &anew);
}
