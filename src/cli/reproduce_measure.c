/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is measured of one row: its data, their exact estimate, and how near and how fast the others are. */
#include "reproduce.h"
#include "util/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As the paper has it: 1000 points at this time; estimates begin at the first row with the time 0.2, Fréchet
 * means take 100 steps of 0.01, and five iterations are timed. */
static const double true_time = 0.5, first_time = 0.2, published_rate = 0.01;
enum { POINTS = 1000, FRECHET_STEPS = 100, TIMED_STEPS = 5 };

/* Rows that a look at the speed of bridges takes, and sweeps over all rows that an estimate takes, besides
 * 3 for each dimension. */
enum { LOOK = 8, SWEEPS = 30 };

typedef struct measuring {
    const paper_options *o;
    const paper_row *row;
    mst_manifold *m;
    size_t n, D;
    double *x, *start; /* (n, D), (D) */
    mst_mean_result *reference;
    paper_result *r;
} measuring;

static void tell(const measuring *g, const char *what)
{
    progress_line(g->o->progress, "%s, %s: %s", paper_tables[g->row->table], g->row->name, what);
}

/* ---- Data ---- */

static void fill_start(measuring *g, const mst_manifold *drawn)
{
    mst_manifold_start(drawn, g->start);
    for (size_t a = 0; g->row->start == START_ONES && a < g->D; a++)
        g->start[a] = 1;
    size_t count = g->D / 2;
    for (size_t k = 0; g->row->start == START_LINE && k < count; k++) {
        g->start[2 * k] = -5 + 10 * (double)k / (double)(count - 1);
        g->start[2 * k + 1] = 0;
    }
}

static mst_status simulate(measuring *g, const mst_manifold *drawn)
{
    double *starts = NULL;
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(drawn) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.seed = g->o->seed;
    o.threads = g->o->threads;
    g->n = g->row->rows > 0 ? g->row->rows : POINTS;
    mst_status status = new_doubles(&starts, g->n, g->D);
    if (status == MST_OK)
        status = new_doubles(&g->x, g->n, g->D);
    for (size_t i = 0; status == MST_OK && i < g->n; i++)
        memcpy(starts + i * g->D, g->start, g->D * sizeof *starts);
    if (status == MST_OK)
        status = mst_brownian_endpoints(drawn, g->n, starts, true_time, &o, g->x);
    free(starts);
    return status;
}

static mst_status read_file(measuring *g, const char *path)
{
    double *all;
    mst_status status = mst_points_read(&all, &g->n, g->m, path, NULL);
    if (status != MST_OK)
        return status;
    if (g->row->rows > 0 && g->row->rows < g->n)
        g->n = g->row->rows;
    status = new_doubles(&g->x, g->n, g->D);
    if (status == MST_OK)
        memcpy(g->x, all, g->n * g->D * sizeof *all);
    mst_points_free(all);
    return status;
}

/* Data that are measured cannot be simulated. */
static mst_status get_data(measuring *g)
{
    char *path = NULL;
    mst_manifold *drawn;
    mst_status status =
        parse_manifold(&drawn, g->row->drawn != NULL ? g->row->drawn : g->row->manifold);
    if (status != MST_OK)
        return status;
    fill_start(g, drawn);
    if (g->o->data != NULL && asprintf(&path, "%s/%s", g->o->data, g->row->file) < 0)
        path = NULL;
    bool there = path != NULL && access(path, R_OK) == 0;
    g->r->data = there ? "published" : "simulated";
    if (there) {
        status = read_file(g, path);
    } else if (g->row->limit_time > 0) {
        g->r->data = "none";
        snprintf(g->r->note, PAPER_NOTE, "--data has no %s", g->row->file);
    } else {
        status = simulate(g, drawn);
    }
    free(path);
    mst_manifold_free(drawn);
    return status;
}

/* ---- Estimates ---- */

static mst_mean_options published_start(const measuring *g)
{
    mst_mean_options o = mst_mean_options_default();
    o.start = g->x;
    o.start_time = g->row->t_max > 0 ? g->row->t_max : first_time;
    o.starts = 1;
    o.threads = g->o->threads;
    o.seed = g->o->seed;
    return o;
}

/* A fit that may end without having converged, its `seconds` of the processor; *out is
 * null only on failure. */
static mst_status fit(mst_mean_result **out, const mst_score *source, const measuring *g,
                      const mst_mean_options *o)
{
    double begin = mst_clock_processor_seconds();
    mst_status status = mst_mean_fit(out, source, g->n, g->x, o);
    if (*out != NULL)
        (*out)->seconds = mst_clock_processor_seconds() - begin;
    if (status == MST_CONVERGENCE && *out != NULL)
        return interrupted() ? mst_fail(MST_INTERRUPTED, "interrupted") : MST_OK;
    return status;
}

static double coordinate_distance(size_t D, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < D; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* The source that tells where the maximum is: the closed form, else the expansion; and the estimate. */
static mst_status find_reference(measuring *g)
{
    const char *const names[] = {"exact", "expansion"};
    double *value = g->r->value;
    mst_score *source = NULL;
    mst_status status = MST_UNABLE;
    g->r->reference = "log";
    if (g->row->limit_time > 0)
        status = mst_score_open(&source, "log", g->m);
    for (size_t k = 0; status == MST_UNABLE && k < sizeof names / sizeof *names; k++) {
        g->r->reference = names[k];
        status = mst_score_open(&source, names[k], g->m);
    }
    mst_mean_options o = mst_mean_options_default();
    o.threads = g->o->threads;
    mst_mean_result *again = NULL;
    tell(g, "exact estimate");
    if (status == MST_OK)
        status = fit(&g->reference, source, g, &o);
    o = published_start(g);
    if (status == MST_OK)
        status = fit(&again, source, g, &o);
    if (status == MST_OK) {
        const mst_mean_result *r = g->reference;
        value[COLUMN_time] = r->time;
        value[COLUMN_standard_error] = r->standard_error;
        value[COLUMN_time_standard_error] = r->time_standard_error;
        value[COLUMN_exact_iterations] = (double)again->iterations;
        value[COLUMN_exact_seconds] = again->seconds;
    }
    /* Of an affine-invariant motion the start and the time of the flat one are not the truth. */
    if (status == MST_OK && g->row->limit_time == 0 && g->row->drawn == NULL) {
        status = mst_manifold_dist(g->m, 1, g->start, g->reference->mean,
                                   &value[COLUMN_exact_from_start]);
        value[COLUMN_exact_time_from_start] = fabs(g->reference->time - true_time);
    }
    mst_mean_result_free(again);
    mst_score_free(source);
    return status;
}

/* Where the numbers of a source go. */
typedef struct source_columns {
    paper_column mean, time, iterations, seconds, five;
} source_columns;

static mst_status compare(measuring *g, const mst_score *source, source_columns to)
{
    double *value = g->r->value;
    mst_mean_result *r = NULL;
    mst_mean_options o = published_start(g);
    mst_status status = fit(&r, source, g, &o);
    if (status == MST_OK)
        status = mst_manifold_dist(g->m, 1, g->reference->mean, r->mean, &value[to.mean]);
    if (status == MST_OK) {
        value[to.time] = fabs(r->time - g->reference->time);
        value[to.iterations] = (double)r->iterations;
        value[to.seconds] = r->seconds;
        if (!r->converged && g->r->note[0] == '\0')
            snprintf(g->r->note, PAPER_NOTE, "%s: not converged", mst_score_name(source));
    }
    mst_mean_result_free(r);
    r = NULL;
    if (status != MST_OK || g->row->limit_time > 0)
        return status;
    o.method = MST_MEAN_GRADIENT;
    o.rate = published_rate;
    o.iterations = TIMED_STEPS;
    status = fit(&r, source, g, &o);
    if (status == MST_OK)
        value[to.five] = r->seconds;
    mst_mean_result_free(r);
    return status;
}

static mst_status compare_network(measuring *g)
{
    const source_columns to = {COLUMN_network_mean, COLUMN_network_time, COLUMN_network_iterations,
                               COLUMN_network_seconds, COLUMN_network_five_seconds};
    mst_network *net;
    mst_score *source = NULL;
    mst_mean_result *warm = NULL;
    mst_status status = paper_network(g->o, g->row, g->m, g->n, g->x, &net);
    if (status != MST_OK)
        return status;
    g->r->value[COLUMN_training_seconds] = mst_network_describe(net).seconds;
    tell(g, "estimate by the network");
    status = g->row->limit_time > 0 ? mst_score_network_log_new(&source, net, 0)
                                    : mst_score_network_new(&source, net, false);
    /* The first evaluation of a process makes the kernels of the matrix products, once
     * for all that follow. */
    mst_mean_options o = published_start(g);
    o.method = MST_MEAN_GRADIENT;
    o.iterations = 1;
    if (status == MST_OK)
        status = fit(&warm, source, g, &o);
    mst_mean_result_free(warm);
    if (status == MST_OK)
        status = compare(g, source, to);
    mst_score_free(source);
    mst_network_free(net);
    return status;
}

/* About how many minutes of one thread an estimate will take. */
static mst_status guess_minutes(const measuring *g, const mst_score *source, double *minutes)
{
    size_t rows = g->n < LOOK ? g->n : LOOK, d = mst_manifold_dim(g->m);
    double *work, begin = mst_clock_seconds();
    mst_status status = new_doubles(&work, rows, 2 * g->D + 3);
    if (status != MST_OK)
        return status;
    double *y = work, *score = y + rows * g->D, *t = score + rows * g->D, *log_p = t + rows;
    for (size_t i = 0; i < rows; i++) {
        memcpy(y + i * g->D, g->reference->mean, g->D * sizeof *y);
        t[i] = g->reference->time;
    }
    mst_heat_values out = {.log_p = log_p, .dt_log_p = log_p + rows, .score = score};
    status = mst_score_evaluate_rows(source, rows, g->x, y, t, &out);
    double sweep = (mst_clock_seconds() - begin) * (double)g->n / (double)rows;
    *minutes = sweep * (double)(SWEEPS + 3 * d) / 60;
    free(work);
    return status;
}

static mst_status compare_bridge(measuring *g)
{
    const source_columns to = {COLUMN_bridge_mean, COLUMN_bridge_time, COLUMN_bridge_iterations,
                               COLUMN_bridge_seconds, COLUMN_bridge_five_seconds};
    double *value = g->r->value, minutes = 0;
    mst_score *source = NULL;
    mst_bridge_options b = mst_bridge_options_default();
    b.paths = g->o->paths;
    b.seed = g->o->seed;
    if (b.paths == 0 || g->row->limit_time > 0)
        return MST_OK;
    tell(g, "estimate by bridges");
    mst_status status = mst_score_bridge_new(&source, g->m, &b);
    if (status == MST_OK)
        status = guess_minutes(g, source, &minutes);
    if (status == MST_OK && minutes <= g->o->patience)
        status = compare(g, source, to);
    else if (status == MST_OK)
        snprintf(g->r->note, PAPER_NOTE, "bridges left out: about %.0f minutes", ceil(minutes));
    value[COLUMN_times_faster] = value[COLUMN_bridge_seconds] / value[COLUMN_network_seconds];
    mst_score_free(source);
    return status;
}

/* The baseline as published and converged, by how far it is from the start in coordinates, as the paper
 * measures it. */
static mst_status compare_frechet(measuring *g)
{
    double *value = g->r->value;
    mst_score *source = NULL;
    mst_mean_result *r = NULL;
    if (g->row->table == TABLE_TIMING || g->row->limit_time > 0)
        return MST_OK;
    tell(g, "Frechet mean");
    mst_status status = mst_score_open(&source, "log", g->m);
    mst_mean_options o = published_start(g);
    o.method = MST_MEAN_GRADIENT;
    o.rate = published_rate;
    o.iterations = FRECHET_STEPS;
    if (status == MST_OK)
        status = fit(&r, source, g, &o);
    if (status == MST_OK)
        value[COLUMN_frechet_published] = coordinate_distance(g->D, r->mean, g->start);
    mst_mean_result_free(r);
    r = NULL;
    o = mst_mean_options_default();
    o.threads = g->o->threads;
    if (status == MST_OK)
        status = fit(&r, source, g, &o);
    if (status == MST_OK)
        value[COLUMN_frechet_converged] = coordinate_distance(g->D, r->mean, g->start);
    mst_mean_result_free(r);
    mst_score_free(source);
    return status;
}

static double known(double x)
{
    return x > 0 ? x : NAN;
}

mst_status paper_measure(const paper_options *o, const paper_row *row, paper_result *r)
{
    measuring g = {.o = o, .row = row, .r = r};
    *r = (paper_result){.row = row, .data = "none", .reference = "none"};
    for (size_t k = 0; k < COLUMN_COUNT; k++)
        r->value[k] = NAN;
    mst_status status = parse_manifold(&g.m, row->manifold);
    if (status != MST_OK)
        return status;
    g.D = mst_manifold_ambient(g.m);
    status = new_doubles(&g.start, 1, g.D);
    if (status == MST_OK)
        status = get_data(&g);
    r->value[COLUMN_dim] = (double)mst_manifold_dim(g.m);
    r->value[COLUMN_paper_mean] = known(row->paper_mean);
    r->value[COLUMN_paper_time] = known(row->paper_time);
    r->value[COLUMN_paper_frechet] = known(row->paper_frechet);
    if (g.x != NULL)
        r->value[COLUMN_n] = (double)g.n;
    mst_status (*const parts[])(measuring *) = {find_reference, compare_network, compare_bridge,
                                                compare_frechet};
    for (size_t k = 0; g.x != NULL && status == MST_OK && k < sizeof parts / sizeof *parts; k++)
        status = parts[k](&g);
    progress_end(o->progress);
    mst_mean_result_free(g.reference);
    free(g.x);
    free(g.start);
    mst_manifold_free(g.m);
    return status;
}
