/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The certificate of a score source: bands of times, what is measured in each, and the verdict. */
#include "base/options.h"
#include "check/parts.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mst_check_options mst_check_options_default(void)
{
    return (mst_check_options){.size = sizeof(mst_check_options),
                               .samples = 65536,
                               .exact = true,
                               .recover = true,
                               .seed = 4711};
}

/* Where neither the options nor the source say it: the times of a training by default. */
static const double default_least = 0.005, default_largest = 1;

static mst_status check_options(const mst_manifold *m, const mst_check_options *o)
{
    enum { LEAST = 256, LARGEST = 1 << 26 };
    if (o->samples < LEAST || o->samples > LARGEST)
        return mst_fail(MST_ARGUMENT, "samples is %d … %d, not %zu", LEAST, LARGEST, o->samples);
    size_t row;
    return o->starts > 0 ? mst_manifold_validate(m, o->starts, o->start, &row) : MST_OK;
}

/* ---- Bands ---- */

enum { MOST_CUTS = 64 };

/* Times 1, 2 and 5 times a power of ten between the ends, but no band shorter than a factor of 1.2. */
static size_t cut_points(double low, double high, double *cut)
{
    static const double digit[] = {1, 2, 5};
    size_t count = 0;
    for (int e = -8; e <= 8; e++)
        for (size_t k = 0; k < 3; k++) {
            /* Quotients of whole numbers, so that 0.05 is the 0.05 of everybody else. */
            double c = e < 0 ? digit[k] / pow(10, -e) : digit[k] * pow(10, e);
            if (c >= 1.2 * low && 1.2 * c <= high)
                cut[count++] = c;
        }
    return count;
}

/* Drops the cut between two bands that make the shortest one together, the lowest of equals. */
static void drop_cut(double low, double high, size_t *count, double *cut)
{
    size_t drop = 0;
    double least = INFINITY;
    for (size_t k = 0; k < *count; k++) {
        double ratio = (k + 1 < *count ? cut[k + 1] : high) / (k > 0 ? cut[k - 1] : low);
        if (ratio < least * (1 - 1e-9)) {
            least = ratio;
            drop = k;
        }
    }
    for (size_t k = drop + 1; k < *count; k++)
        cut[k - 1] = cut[k];
    (*count)--;
}

static void split_times(double low, double high, mst_certificate *c)
{
    double cut[MOST_CUTS];
    size_t count = cut_points(low, high, cut);
    while (count >= MST_CHECK_BANDS)
        drop_cut(low, high, &count, cut);
    c->bands = count + 1;
    for (size_t k = 0; k <= count; k++) {
        c->band[k].t_low = k > 0 ? cut[k - 1] : low;
        c->band[k].t_high = k < count ? cut[k] : high;
    }
    c->all.t_low = high > 0.02 ? fmax(0.02, low) : low;
    c->all.t_high = high;
}

/* ---- Subjects ---- */

uint64_t check_seed(const check_subject *s, size_t interval, check_purpose purpose)
{
    uint64_t seed;
    mst_random_bits((mst_random){s->o->seed, interval}, purpose, 1, &seed);
    return seed;
}

mst_status check_plan(const check_subject *s, double t, uint64_t seed, sample_plan **out)
{
    sample_options options = {.kind = SAMPLE_BEL,
                              .t_min = t,
                              .t_max = t,
                              .steps = (size_t)fmin(64 * fmax(1, t), 4096),
                              .slots = 1,
                              .seed = seed,
                              .starts = s->o->starts,
                              .start = s->o->start,
                              .spread = s->t_max};
    return sample_plan_new(out, s->m, &options);
}

/* ---- Measurements ---- */

typedef struct job {
    const check_subject *s;
    mst_certificate *c;
    size_t blocks;    /* of an interval: that of each band and, last, that of them all */
    check_sums *sums; /* (bands + 1, blocks) */
    double total;     /* of the progress */
} job;

static mst_check_band *band_of(mst_certificate *c, size_t interval)
{
    return interval < c->bands ? &c->band[interval] : &c->all;
}

/* Items are rows, of which the last block of an interval may lack some. */
static mst_status run_block(void *context, size_t begin, size_t end)
{
    (void)end;
    job *j = context;
    size_t number = begin / CHECK_BLOCK, interval = number / j->blocks, block = number % j->blocks;
    size_t rest = j->s->o->samples - block * CHECK_BLOCK;
    const mst_check_band *band = band_of(j->c, interval);
    double share = ((double)block + 0.5) / (double)j->blocks;
    return check_block(j->s, interval, block, rest < CHECK_BLOCK ? rest : CHECK_BLOCK,
                       band->t_low + share * (band->t_high - band->t_low), &j->sums[number]);
}

static int pass_on(void *user, double done, double total)
{
    (void)total;
    const job *j = user;
    return j->s->o->progress.report(j->s->o->progress.user, done, j->total);
}

/* The recovery of one interval as a part of the whole. */
typedef struct recovery {
    const job *j;
    double before, piece;
} recovery;

static int pass_recovery(void *user, double done, double total)
{
    const recovery *r = user;
    return pass_on((void *)r->j, r->before + r->piece * (total > 0 ? done / total : 0), 0);
}

static void add_sums(check_sums *to, const check_sums *from)
{
    enum { COUNT = sizeof *to / sizeof(double) };
    double a[COUNT], b[COUNT];
    memcpy(a, to, sizeof *to);
    memcpy(b, from, sizeof *from);
    for (size_t k = 0; k < COUNT; k++)
        a[k] += b[k];
    memcpy(to, a, sizeof *to);
}

static mst_status measure(job *j)
{
    const mst_check_options *o = j->s->o;
    size_t intervals = j->c->bands + 1, rows = intervals * j->blocks * CHECK_BLOCK;
    double fits = o->recover ? (double)(j->blocks * CHECK_BLOCK) / 8 : 0; /* a guess */
    j->total = (double)rows + (double)intervals * fits;
    mst_progress progress = {o->progress.report != NULL ? pass_on : NULL, j};
    MST_TRY(mst_parallel_blocks(rows, CHECK_BLOCK, o->threads, progress, run_block, j));
    for (size_t i = 0; i < intervals; i++) {
        check_sums sums = {0};
        for (size_t k = 0; k < j->blocks; k++)
            add_sums(&sums, &j->sums[i * j->blocks + k]);
        check_summarise(j->s, &sums, band_of(j->c, i));
        recovery part = {j, (double)rows + (double)i * fits, fits};
        if (o->recover)
            MST_TRY(check_recover(
                j->s, i, (mst_progress){progress.report != NULL ? pass_recovery : NULL, &part},
                band_of(j->c, i)));
        if (progress.report != NULL && o->recover &&
            pass_on(j, (double)rows + (double)(i + 1) * fits, 0) != 0)
            return mst_fail(MST_INTERRUPTED, "interrupted");
    }
    return MST_OK;
}

/* ---- The verdict ---- */

/* Is a number that was measured good enough? A measured NAN is not. */
static bool within(double value, double bound, bool measured)
{
    return !measured || fabs(value) <= bound;
}

const char *check_fault(const check_subject *s, const mst_check_band *b)
{
    bool recover = s->o->recover, compare = s->reference != NULL;
    /* What is estimated may be larger by chance. */
    double by_score = isnan(b->score_error_se) ? 0 : 2 * b->score_error_se;
    double by_time = isnan(b->time_error_se) ? 0 : 2 * b->time_error_se;
    const struct {
        const char *name;
        bool good;
    } criterion[] = {
        /* Upwards only; a loss four times that of the baseline, twice its error, has unlearned. */
        {"excess", !(b->excess > 3)},
        {"slope", within(b->slope - 1, fmax(0.02, 4 * b->slope_error), true)},
        {"time_slope", within(b->time_slope - 1, fmax(0.05, 4 * b->time_slope_error), s->time)},
        {"asymmetry", within(b->asymmetry, 0.05, s->time)},
        {"heat_residual",
         within(b->heat_residual, 0.2, s->time && (!s->fixed_time || !s->formula))},
        {"score_error", within(b->score_error, 0.05 + by_score, compare || s->judge != NULL)},
        {"time_error", within(b->time_error, 0.1 + by_time,
                              check_times_compare(s) || (s->judge != NULL && s->time))},
        {"mean_gap", within(b->mean_gap, 0.5, recover && compare && !isnan(b->mean_gap))},
        {"time_gap", within(b->time_gap, 0.5, recover && compare && !isnan(b->time_gap))},
        {"mean_shift", within(b->mean_shift, 4, recover && !compare && !isnan(b->mean_shift))},
        {"time_shift", within(b->time_shift, 4, recover && !compare && !isnan(b->time_shift))},
    };
    for (size_t k = 0; k < sizeof criterion / sizeof *criterion; k++)
        if (!criterion[k].good)
            return criterion[k].name;
    return NULL;
}

void check_range(mst_certificate *c)
{
    c->t_low = c->t_high = NAN;
    double longest = 0;
    for (size_t k = 0, first = 0; k < c->bands; k++) {
        if (!c->band[k].usable) {
            first = k + 1;
            continue;
        }
        double ratio = c->band[k].t_high / c->band[first].t_low;
        if (ratio > longest) {
            longest = ratio;
            c->t_low = c->band[first].t_low;
            c->t_high = c->band[k].t_high;
        }
    }
}

static void judge(const check_subject *s, mst_certificate *c)
{
    for (size_t k = 0; k <= c->bands; k++) {
        mst_check_band *b = band_of(c, k);
        b->fault = check_fault(s, b);
        b->usable = b->fault == NULL;
    }
    check_range(c);
}

static mst_status measure_all(mst_certificate *c, const check_subject *s)
{
    job j = {.s = s, .c = c, .blocks = (s->o->samples + CHECK_BLOCK - 1) / CHECK_BLOCK};
    MST_TRY(mst_allocate_zero(&j.sums, (c->bands + 1) * j.blocks));
    mst_status status = measure(&j);
    mst_release(j.sums);
    if (status == MST_OK)
        judge(s, c);
    return status;
}

/* ---- Networks: they can be asked beyond their times, and stand on a baseline ---- */

typedef struct network_side {
    mst_network bare; /* its weights are zero, all else is shared */
    mst_score *all_times, *baseline;
} network_side;

static mst_status open_network(const mst_network *net, bool alone, network_side *n,
                               check_subject *s)
{
    n->bare = *net;
    MST_TRY(mst_allocate_zero(&n->bare.theta, mlp_parameters(&net->shape)));
    MST_TRY(alone ? mst_score_network_alone_new(&n->all_times, net, true)
                  : mst_score_network_new(&n->all_times, net, true));
    MST_TRY(mst_score_network_alone_new(&n->baseline, &n->bare, true));
    s->source = n->all_times;
    s->baseline = n->baseline;
    s->formula = !net->info.time_head;
    return MST_OK;
}

static void close_network(network_side *n)
{
    mst_score_free(n->all_times);
    mst_score_free(n->baseline);
    mst_release(n->bare.theta);
}

/* ---- Subject and reference ---- */

/* The times that both know and the options want. */
static mst_status find_times(const mst_network *net, const mst_score *reference, check_subject *s)
{
    const mst_score_info *own = mst_score_describe(s->source);
    double least = net != NULL ? net->info.t_min : own->t_least;
    double largest = net != NULL ? net->info.t_max : own->t_largest;
    if (reference != NULL) {
        least = fmax(least, mst_score_describe(reference)->t_least);
        largest = fmin(largest, mst_score_describe(reference)->t_largest);
    }
    s->t_min = s->o->t_min > 0 ? s->o->t_min : least > 0 ? least : default_least;
    s->t_max = s->o->t_max > 0 ? s->o->t_max : isfinite(largest) ? largest : default_largest;
    s->fixed_time = s->t_min == s->t_max;
    if (s->t_min <= s->t_max && s->t_min >= least && s->t_max <= largest)
        return MST_OK;
    return mst_fail(MST_ARGUMENT,
                    "there is nothing to check at times from %g to %g: the sources know %g to %g",
                    s->t_min, s->t_max, least, largest);
}

static mst_status check_pair(const mst_score *subject, const mst_score *reference)
{
    const mst_manifold *m = mst_score_manifold(subject);
    if (reference == NULL || mst_manifold_is_same(m, mst_score_manifold(reference)))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "the source to check is one on %s, the reference on %s",
                    mst_manifold_spec(m), mst_manifold_spec(mst_score_manifold(reference)));
}

/* For a text in quotes. */
static void name_reference(const mst_score *reference, size_t size, char *out)
{
    snprintf(out, size, "%s", reference != NULL ? mst_score_name(reference) : "none");
    for (; *out != '\0'; out++)
        if (*out == '"' || *out == '\\' || (unsigned char)*out < ' ')
            *out = '_';
}

/* The two halves of the paths of bridges; none where a half is so few that its bias, of second order in one
 * over their number, could be seen. */
static mst_status split_bridges(const mst_score *reference, mst_score **half)
{
    enum { LEAST = 32 };
    const mst_bridge_options *bridge = reference != NULL ? mst_score_bridge(reference) : NULL;
    half[0] = half[1] = NULL;
    if (bridge == NULL || bridge->paths < 2 * LEAST)
        return MST_OK;
    mst_bridge_options o = *bridge;
    o.paths /= 2;
    MST_TRY(mst_score_bridge_new(&half[0], mst_score_manifold(reference), &o));
    o.seed ^= UINT64_C(0x9e3779b97f4a7c15);
    return mst_score_bridge_new(&half[1], mst_score_manifold(reference), &o);
}

mst_status mst_score_check(mst_certificate *out, const mst_score *subject,
                           const mst_score *reference, const mst_check_options *options)
{
    const mst_manifold *m = mst_score_manifold(subject);
    mst_check_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_check_options, options));
    MST_TRY(check_options(m, &o));
    MST_TRY(check_pair(subject, reference));
    bool noisy = reference != NULL && mst_score_describe(reference)->noise > 0;
    mst_score *half[2];
    check_subject s = {.source = subject,
                       .reference = noisy ? NULL : reference,
                       .judge = noisy ? reference : NULL,
                       .m = m,
                       .o = &o,
                       .d = mst_manifold_dim(m),
                       .D = mst_manifold_ambient(m),
                       .time = mst_score_gives(subject, MST_GIVES_TIME)};
    const mst_network *net = s.time ? mst_score_network(subject) : NULL;
    MST_TRY(find_times(net, reference, &s));
    mst_certificate c = {.samples = o.samples, .seed = o.seed};
    name_reference(reference, sizeof c.against, c.against);
    split_times(s.t_min, s.t_max, &c);
    network_side n = {0};
    mst_status status = net != NULL ? open_network(net, network_is_alone(subject), &n, &s) : MST_OK;
    mst_status split = split_bridges(reference, half);
    if (half[1] != NULL) {
        s.judge = half[0];
        s.twin = half[1];
    }
    status = status == MST_OK ? split : status;
    if (status == MST_OK)
        status = measure_all(&c, &s);
    mst_score_free(half[0]);
    mst_score_free(half[1]);
    close_network(&n);
    if (status == MST_OK)
        *out = c;
    return status;
}

mst_status mst_network_check(mst_certificate *out, const mst_network *net,
                             const mst_check_options *options)
{
    mst_check_options o;
    mst_score *subject, *exact = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_check_options, options));
    MST_TRY(mst_score_network_new(&subject, net, true));
    mst_status status = MST_OK;
    if (o.exact && mst_heat_has_exact(net->m))
        status = mst_score_exact_new(&exact, net->m);
    if (status == MST_OK)
        status = mst_score_check(out, subject, exact, &o);
    if (status == MST_OK)
        mst_network_fingerprint(net, out->network);
    mst_score_free(exact);
    mst_score_free(subject);
    return status;
}
