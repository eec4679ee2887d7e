/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Panels that no other command draws. */
#include "figures.h"

#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The score of a network as arrows ---- */

enum { FIELD = 160 };
static const double field_time = 0.3;

/* Points that are spread evenly, along a spiral. */
static void fill_spiral(double *y)
{
    for (size_t i = 0; i < FIELD; i++) {
        double z = 1 - 2 * ((double)i + 0.5) / FIELD, r = sqrt(1 - z * z);
        double angle = M_PI * (1 + sqrt(5)) * (double)i;
        y[3 * i] = r * cos(angle);
        y[3 * i + 1] = r * sin(angle);
        y[3 * i + 2] = z;
    }
}

typedef struct field {
    double x[3 * FIELD], y[3 * FIELD], t[FIELD], score[3 * FIELD], exact[3 * FIELD],
        rest[2 * FIELD];
} field;

static mst_status evaluate(const char *source_name, const mst_manifold *m, field *f, double *score)
{
    mst_score *source = NULL;
    mst_heat_values out = {.log_p = f->rest, .dt_log_p = f->rest + FIELD, .score = score};
    mst_status status = mst_score_open(&source, source_name, m);
    if (status == MST_OK)
        status = mst_score_evaluate_rows(source, FIELD, f->x, f->y, f->t, &out);
    mst_score_free(source);
    return status;
}

static mst_status write_field(const field *f, const char *path)
{
    char caption[300];
    double square = 0, error = 0;
    figure_panel p;
    for (size_t i = 0; i < (size_t)3 * FIELD; i++) {
        double weight = exp(f->rest[i / 3]); /* log p of the closed form, which came last */
        square += weight * f->exact[i] * f->exact[i];
        error += weight * (f->score[i] - f->exact[i]) * (f->score[i] - f->exact[i]);
    }
    snprintf(caption, sizeof caption,
             "Arrows: the score \u2207 log p(x, y) of the network at t = %g, in one scale; its "
             "root mean square error, over where the motion ends, is %.2g %% of the exact score.",
             field_time, 100 * sqrt(error / square));
    mst_status status = figure_panel_open(&p, path, "sphere:2", "Its score field", caption);
    if (status == MST_OK) {
        json_member_string(p.json, "mean_word", "start x");
        mst_json_key(p.json, "means");
        mst_json_array(p.json);
        mst_json_object(p.json);
        json_member_numbers(p.json, "mean", 3, f->x);
        mst_json_end(p.json);
        mst_json_end(p.json);
        mst_json_key(p.json, "field");
        mst_json_object(p.json);
        json_member_string(p.json, "name", "score at y");
        json_member_matrix(p.json, "at", FIELD, 3, f->y);
        json_member_matrix(p.json, "vectors", FIELD, 3, f->score);
        mst_json_end(p.json);
        status = figure_panel_end(&p);
    }
    figure_panel_close(&p);
    return status;
}

mst_status figure_field(const figure_run *run, const char *path)
{
    const double start[3] = {0.5, 0.5, M_SQRT1_2};
    mst_manifold *m = NULL;
    char *model = NULL;
    field *f = calloc(1, sizeof *f);
    if (f == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    fill_spiral(f->y);
    for (size_t i = 0; i < FIELD; i++) {
        memcpy(f->x + 3 * i, start, sizeof start);
        f->t[i] = field_time;
    }
    mst_status status = parse_manifold(&m, "sphere:2");
    if (status == MST_OK)
        status = figure_path(run, "models:figure-sphere.safetensors", &model);
    if (status == MST_OK)
        status = evaluate(model, m, f, f->score);
    if (status == MST_OK)
        status = evaluate("exact", m, f, f->exact);
    if (status == MST_OK)
        status = write_field(f, path);
    free(model);
    free(f);
    mst_manifold_free(m);
    return status;
}

/* ---- The time over the iterations of gradient ascent, from the published start ---- */

enum { TRACE = 160 };
static const double first_time = 0.2, rate = 0.01;

typedef struct trace {
    const figure_run *run;
    const mst_manifold *m;
    const double *x;
    size_t n, D;
    double steps[TRACE + 1], time[TRACE + 1], reached; /* `reached`: by Newton's method */
} trace;

/* Gradient ascent has no memory: one step after the other is the same climb. */
static mst_status climb(trace *t, const mst_score *source)
{
    double *at;
    mst_mean_options o = mst_mean_options_default();
    o.method = MST_MEAN_GRADIENT;
    o.rate = rate;
    o.starts = 1;
    o.iterations = 1;
    o.threads = t->run->threads;
    mst_status status = new_doubles(&at, 1, t->D);
    if (status == MST_OK)
        memcpy(at, t->x, t->D * sizeof *at);
    t->steps[0] = 0;
    t->time[0] = first_time;
    for (size_t k = 1; k <= TRACE && status == MST_OK; k++) {
        mst_mean_result *r = NULL;
        o.start = at;
        o.start_time = t->time[k - 1];
        status = mst_mean_fit(&r, source, t->n, t->x, &o);
        if (status == MST_CONVERGENCE && r != NULL && !interrupted())
            status = MST_OK;
        if (status == MST_OK) {
            memcpy(at, r->mean, t->D * sizeof *at);
            t->time[k] = r->time;
            t->steps[k] = (double)k;
        }
        mst_mean_result_free(r);
    }
    free(at);
    return status;
}

static mst_status reach(trace *t, const mst_score *source)
{
    mst_mean_result *r = NULL;
    mst_mean_options o = mst_mean_options_default();
    o.threads = t->run->threads;
    o.starts = 1;
    mst_status status = mst_mean_fit(&r, source, t->n, t->x, &o);
    if (status == MST_OK)
        t->reached = r->time;
    mst_mean_result_free(r);
    return status;
}

/* A source, and what the legend calls it. */
typedef struct climber {
    const char *source, *name;
} climber;

static void write_series(mst_json *j, const char *name, size_t n, const double *x, const double *y)
{
    mst_json_object(j);
    json_member_string(j, "name", name);
    json_member_numbers(j, "x", n, x);
    json_member_numbers(j, "y", n, y);
    mst_json_end(j);
}

/* The climb by each source, and where the last has its maximum. */
static mst_status trace_series(trace *t, size_t count, const climber *climbers, mst_json *j)
{
    mst_status status = MST_OK;
    mst_json_key(j, "series");
    mst_json_array(j);
    for (size_t k = 0; k < count && status == MST_OK; k++) {
        mst_score *source = NULL;
        char *path = NULL;
        status = figure_path(t->run, climbers[k].source, &path);
        if (status == MST_OK)
            status = mst_score_open(&source, path, t->m);
        if (status == MST_OK)
            status = climb(t, source);
        if (status == MST_OK && k + 1 == count)
            status = reach(t, source);
        write_series(j, climbers[k].name, TRACE + 1, t->steps, t->time);
        mst_score_free(source);
        free(path);
    }
    write_series(j, "maximum likelihood", 2, (double[]){0, TRACE},
                 (double[]){t->reached, t->reached});
    mst_json_end(j);
    return status;
}

static mst_status write_trace(const figure_run *run, const char *spec, const char *data,
                              size_t count, const climber *climbers, const char *path)
{
    trace *t = calloc(1, sizeof *t);
    mst_manifold *m = NULL;
    double *x = NULL;
    figure_panel p = {0};
    if (t == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    mst_status status = parse_manifold(&m, spec);
    t->run = run;
    if (status == MST_OK)
        status = figure_table(run, data, &x, &t->n, &t->D);
    t->m = m;
    t->x = x;
    if (status == MST_OK)
        status = figure_panel_open(
            &p, path, spec, "Diffusion variance over the iterations",
            "Gradient ascent with the step 0.01 from the first row and t = 0.2, where the paper "
            "begins; the data were simulated with t = 0.5.");
    if (status == MST_OK) {
        json_member_string(p.json, "over", "steps");
        json_member_string(p.json, "x_name", "iteration");
        json_member_string(p.json, "y_name", "diffusion variance t");
        status = trace_series(t, count, climbers, p.json);
    }
    if (status == MST_OK)
        status = figure_panel_end(&p);
    figure_panel_close(&p);
    free(x);
    free(t);
    mst_manifold_free(m);
    return status;
}

mst_status figure_sphere_trace(const figure_run *run, const char *path)
{
    static const climber climbers[] = {{"models:figure-sphere.safetensors", "network"},
                                       {"exact", "closed form"}};
    return write_trace(run, "sphere:2", "data:synthetic/S2.csv", 2, climbers, path);
}

mst_status figure_landmark_trace(const figure_run *run, const char *path)
{
    static const climber climbers[] = {{"expansion", "expansion"}};
    return write_trace(run, "landmarks:2x2?sigma=0.5", "data:synthetic/LM2.csv", 1, climbers, path);
}

/* ---- Where three faces look ---- */

/* The prediction of one of the rows of --predict. */
static mst_status read_prediction(const figure_run *run, size_t row, double at[3], double *noise)
{
    char *path;
    mst_json_value *top = NULL;
    mst_status status = figure_path(run, "results:headpose-fit.json", &path);
    if (status == MST_OK)
        status = mst_json_read(&top, path);
    const mst_json_value *point = mst_json_first(mst_json_member(top, "predictions")),
                         *sigma2 = mst_json_first(mst_json_member(top, "prediction_noise"));
    for (size_t i = 0; i < row; i++) {
        point = point != NULL ? mst_json_next(point) : NULL;
        sigma2 = sigma2 != NULL ? mst_json_next(sigma2) : NULL;
    }
    const mst_json_value *number = mst_json_first(point);
    for (size_t j = 0; j < 3 && number != NULL; j++, number = mst_json_next(number))
        at[j] = mst_json_as_number(number);
    *noise = mst_json_as_number(sigma2);
    if (status == MST_OK && !(*noise > 0))
        status = mst_fail(MST_FORMAT, "%s has no prediction number %zu", path, row + 1);
    mst_json_value_free(top);
    free(path);
    return status;
}

static mst_status write_look(const figure_run *run, int side, const char *title, const char *path)
{
    double truth[3], at[3] = {0}, noise;
    size_t row = 0;
    int line = side + 1; /* of the predictions: left, ahead, right */
    char caption[300];
    figure_panel p = {0};
    mst_status status = figure_true_look(run, side, truth, &row);
    if (status == MST_OK)
        status = read_prediction(run, (size_t)line, at, &noise);
    if (status != MST_OK)
        return status;
    double cosine = at[0] * truth[0] + at[1] * truth[1] + at[2] * truth[2];
    snprintf(caption, sizeof caption,
             "Row %zu, held out: predicted from 68 landmarks of the face, %.1f\u00b0 off the true "
             "direction; \u03c3\u00b2 = %.2g rad\u00b2. Seen from ahead.",
             row + 1, acos(fmin(1, cosine)) * 180 / M_PI, noise);
    status = figure_panel_open(&p, path, "sphere:2", title, caption);
    if (status == MST_OK) {
        json_member_string(p.json, "score", "exact");
        json_member_string(p.json, "mean_word", "predicted direction");
        json_member_string(p.json, "point_word", "true direction");
        json_member_numbers(p.json, "centre", 3, (double[]){1, 0, 0});
        json_member_matrix(p.json, "points", 1, 3, truth);
        mst_json_key(p.json, "means");
        mst_json_array(p.json);
        mst_json_object(p.json);
        json_member_numbers(p.json, "mean", 3, at);
        json_member_number(p.json, "time", noise);
        json_member_number(p.json, "weight", 1);
        mst_json_end(p.json);
        mst_json_end(p.json);
        status = figure_panel_end(&p);
    }
    figure_panel_close(&p);
    return status;
}

mst_status figure_left_look(const figure_run *run, const char *path)
{
    return write_look(run, -1, "A face that looks to the left", path);
}

mst_status figure_ahead_look(const figure_run *run, const char *path)
{
    return write_look(run, 0, "One that looks ahead", path);
}

mst_status figure_right_look(const figure_run *run, const char *path)
{
    return write_look(run, 1, "One that looks to the right", path);
}

/* ---- Errors over the dimension, from the table of run times ---- */

static void error_series(const mst_json_value *rows, const char *key, const char *name, mst_json *j)
{
    double x[32], y[32];
    size_t n = 0;
    for (const mst_json_value *v = mst_json_first(rows); v != NULL && n < 32;
         v = mst_json_next(v)) {
        const mst_json_value *value = mst_json_member(v, key);
        if (mst_json_kind_of(value) != MST_JSON_NUMBER)
            continue;
        x[n] = mst_json_as_number(mst_json_member(v, "dim"));
        y[n++] = mst_json_as_number(value);
    }
    write_series(j, name, n, x, y);
}

mst_status figure_errors(const figure_run *run, const char *path)
{
    char *table;
    mst_json_value *top = NULL;
    figure_panel p = {0};
    mst_status status = figure_path(run, "results:timing.json", &table);
    if (status == MST_OK)
        status = mst_json_read(&top, table);
    const mst_json_value *rows = mst_json_member(top, "rows");
    if (status == MST_OK)
        status = figure_panel_open(
            &p, path, NULL, "Error over the dimension",
            "Distances from the exact maximum-likelihood estimate of the mean and of t.");
    if (status == MST_OK) {
        json_member_string(p.json, "over", "dimension");
        json_member_string(p.json, "x_name", "dimension");
        json_member_string(p.json, "y_name", "error");
        json_member_bool(p.json, "x_log", true);
        json_member_bool(p.json, "y_log", true);
        mst_json_key(p.json, "series");
        mst_json_array(p.json);
        error_series(rows, "network_mean", "network, mean", p.json);
        error_series(rows, "network_time", "network, t", p.json);
        error_series(rows, "bridge_mean", "bridges, mean", p.json);
        error_series(rows, "bridge_time", "bridges, t", p.json);
        mst_json_end(p.json);
        status = figure_panel_end(&p);
    }
    figure_panel_close(&p);
    mst_json_value_free(top);
    free(table);
    return status;
}
