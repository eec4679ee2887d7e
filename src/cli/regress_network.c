/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "regress_network.h"

#include "provenance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "Network options"
static const char *const noises[] = {"constant", "loglinear", "network", NULL};

const option option_noise = {
    .name = "noise",
    .kind = OPTION_CHOICE,
    .choices = noises,
    .value = "NOISE",
    .fallback = "constant",
    .example = "loglinear",
    .help = "sigma^2 is constant, its logarithm is linear in the terms (geodesics), or it is an "
            "output of the network (--curve network)",
};

const option option_model = {
    .name = "model",
    .kind = OPTION_FILE,
    .writes = true,
    .group = GROUP,
    .value = "FILE",
    .example = "curve.safetensors",
    .help = "write the network to FILE, with FILE.checkpoint until it is complete; without --y: "
            "read it for --predict",
};

const option option_resume = {
    .name = "resume",
    .kind = OPTION_FLAG,
    .group = GROUP,
    .help = "continue from FILE.checkpoint with the same options and data as before",
};

#define COUNT(identifier, word, letter_, usual, sample, most, text) \
    const option identifier = {.name = word,                        \
                               .kind = OPTION_COUNT,                \
                               .group = GROUP,                      \
                               .value = letter_,                    \
                               .fallback = usual,                   \
                               .example = sample,                   \
                               .minimum = 1,                        \
                               .maximum = most,                     \
                               .help = text}
COUNT(option_width, "width", "W", "128", "64", 65536, "neurons in a hidden layer");
COUNT(option_depth, "depth", "L", "2", "3", 64, "hidden layers");
COUNT(option_batch, "batch", "B", "64", "32", 1000000, "rows in a step");
COUNT(option_epochs, "epochs", "N", "300", "100", 1000000, "passes over the rows, at most");
COUNT(option_patience, "patience", "N", "40", "20", 1000000,
      "stop after N passes that make nothing better on the rows held out");
COUNT(option_restarts, "restarts", "R", "3", "5", 1000,
      "train from R different first weights and keep the best");

const option option_rate = {
    .name = "rate",
    .kind = OPTION_POSITIVE,
    .group = GROUP,
    .value = "A",
    .fallback = "0.003",
    .example = "0.001",
    .help = "the learning rate at its top",
};

const option option_validation = {
    .name = "validation",
    .kind = OPTION_POSITIVE,
    .group = GROUP,
    .value = "SHARE",
    .fallback = "0.15",
    .example = "0.2",
    .help = "the share of the rows that is held out, for stopping in time and for the noise",
};

/* ---- Training ---- */

typedef struct network_run {
    estimation *e;
    regress_rows rows;
    char *checkpoint, *terms;
    mst_curve *curve;
    regress_predictions predictions;
    progress p;
    double confidence;
    bool calibrated;
    mst_calibration calibration;
} network_run;

static int tell(void *user, const mst_curve_state *s)
{
    network_run *a = user;
    char text[DURATION_TEXT];
    progress_line(&a->p, "epoch %zu of at most %zu, held-out loss %.4g, %s", s->epoch, s->epochs,
                  s->best, duration_text(s->seconds, text));
    return interrupted();
}

static mst_status check_model_file(network_run *a)
{
    const invocation *inv = a->e->inv;
    const char *path = option_get(inv, &option_model)->text;
    bool resume = option_given(inv, &option_resume), force = option_given(inv, &option_force);
    if (path == NULL)
        return resume ? mst_fail(MST_ARGUMENT, "--resume needs --model FILE, whose checkpoint it "
                                               "goes on from")
                      : MST_OK;
    if (asprintf(&a->checkpoint, "%s.checkpoint", path) < 0) {
        a->checkpoint = NULL;
        return mst_fail(MST_MEMORY, "not enough memory");
    }
    if (access(path, F_OK) == 0 && !force)
        return mst_fail(MST_IO, "%s is there already; --force replaces it", path);
    bool there = access(a->checkpoint, F_OK) == 0;
    if (resume && !there)
        return mst_fail(MST_ARGUMENT,
                        "there is no %s to go on from; leave out --resume to begin a training",
                        a->checkpoint);
    if (there && !resume && !force)
        return mst_fail(
            MST_ARGUMENT,
            "%s is there, of a training that was stopped; pass --resume to go on with it "
            "or --force to begin again",
            a->checkpoint);
    return MST_OK;
}

static mst_curve_options options_of(const network_run *a)
{
    const invocation *inv = a->e->inv;
    mst_curve_options o = mst_curve_options_default();
    o.width = (size_t)option_get(inv, &option_width)->count;
    o.depth = (size_t)option_get(inv, &option_depth)->count;
    o.batch = (size_t)option_get(inv, &option_batch)->count;
    o.epochs = (size_t)option_get(inv, &option_epochs)->count;
    o.patience = (size_t)option_get(inv, &option_patience)->count;
    o.restarts = (size_t)option_get(inv, &option_restarts)->count;
    o.rate = option_get(inv, &option_rate)->number;
    o.validation = option_get(inv, &option_validation)->number;
    o.noise_network = option_get(inv, &option_noise)->choice == NOISE_NETWORK;
    o.seed = a->e->seed;
    o.threads = a->e->threads;
    o.checkpoint = a->checkpoint;
    o.resume = option_given(inv, &option_resume);
    o.terms = a->terms;
    return o;
}

/* The terms with the table that they were made of. */
static mst_status keep_terms(network_run *a)
{
    mst_table *table;
    mst_status status = mst_table_read(&table, option_get(a->e->inv, &option_x)->text);
    if (status == MST_OK)
        status = mst_terms_save(a->rows.terms, table, &a->terms);
    mst_table_free(table);
    return status;
}

static mst_status train(network_run *a)
{
    allow_slow_stop();
    mst_curve_options o = options_of(a);
    a->p = progress_start(a->e->inv, "epochs", 0);
    o.report = (mst_curve_report){tell, a};
    mst_status status =
        mst_curve_train(&a->curve, a->e->source, a->rows.n, a->rows.y, a->rows.k, a->rows.x, &o);
    progress_end(&a->p);
    if (status != MST_OK)
        return status == MST_INTERRUPTED && a->checkpoint != NULL
                   ? mst_fail(status, "stopped; --resume goes on from %s", a->checkpoint)
                   : status;
    const char *path = option_get(a->e->inv, &option_model)->text;
    if (path == NULL)
        return MST_OK;
    status = mst_curve_write(a->curve, path, option_given(a->e->inv, &option_force));
    if (status == MST_OK)
        unlink(a->checkpoint); /* there need not be one */
    return status;
}

/* ---- Calibration ---- */

/* Of the rows that were held out, which the noise was fitted to. */
static mst_status calibrate_rows(network_run *a, size_t held, const size_t *rows)
{
    size_t D = a->e->ambient, k = a->rows.k;
    double *x = NULL, *y = NULL, *points = NULL, *noise = NULL;
    mst_status status = new_doubles(&x, held, k);
    if (status == MST_OK)
        status = new_doubles(&y, held, D);
    if (status == MST_OK)
        status = new_doubles(&points, held, D);
    if (status == MST_OK)
        status = new_doubles(&noise, held, 1);
    for (size_t i = 0; status == MST_OK && i < held; i++) {
        memcpy(x + i * k, a->rows.x + rows[i] * k, k * sizeof *x);
        memcpy(y + i * D, a->rows.y + rows[i] * D, D * sizeof *y);
    }
    if (status == MST_OK)
        status = mst_curve_predict(a->curve, held, x, points, noise);
    if (status == MST_OK)
        status = mst_regress_calibrate(&a->calibration, a->e->m, held, y, points, noise, true,
                                       a->e->seed, NULL);
    a->calibrated = status == MST_OK;
    free(x);
    free(y);
    free(points);
    free(noise);
    return status;
}

static mst_status calibrate(network_run *a)
{
    if (!option_given(a->e->inv, &option_calibration))
        return MST_OK;
    size_t held, *rows = calloc(a->rows.n + 1, sizeof *rows);
    if (rows == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows", a->rows.n);
    mst_curve_options o = options_of(a);
    mst_status status = mst_curve_held_out(a->rows.n, &o, rows, &held);
    if (status == MST_OK)
        status = calibrate_rows(a, held, rows);
    free(rows);
    return status;
}

/* ---- Predictions ---- */

static mst_status predict(const estimation *e, const mst_curve *c, const mst_terms *terms,
                          double confidence, regress_predictions *p)
{
    double *x = NULL;
    mst_status status = regress_read_predict(e->inv, terms, &p->n, &x);
    if (status == MST_OK && p->n > 0)
        status = new_doubles(&p->at.points, p->n, e->ambient);
    if (status == MST_OK && p->n > 0)
        status = new_doubles(&p->at.noise, p->n, 1);
    if (status == MST_OK && p->n > 0)
        status = new_doubles(&p->at.region, p->n, 1);
    if (status == MST_OK && p->n > 0)
        status = mst_curve_predict(c, p->n, x, p->at.points, p->at.noise);
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        p->at.region[i] = NAN;
        if (p->at.noise[i] > 0)
            status = mst_regress_radius(e->m, p->at.noise[i], confidence, &p->at.region[i]);
    }
    free(x);
    return status;
}

/* ---- Writing ---- */

static void write_members(mst_json *j, const mst_curve_info *i)
{
    double n = (double)(i->rows - i->held_out);
    json_member_number(j, "noise", i->noise);
    json_member_number(j, "log_likelihood", n * i->log_likelihood);
    json_member_number(j, "validation_log_likelihood",
                       (double)i->held_out * i->held_out_log_likelihood);
    json_member_number(j, "r_squared", i->r_squared);
    json_member_number(j, "validation_r_squared", i->held_out_r_squared);
    json_member_integer(j, "validation_rows", i->held_out);
    json_member_integer(j, "width", i->width);
    json_member_integer(j, "depth", i->depth);
    json_member_integer(j, "parameters", i->parameters);
    json_member_integer(j, "epochs", i->epochs);
    json_member_integer(j, "restart", i->restart);
    json_member_string(j, "output", i->projected ? "projected" : "log");
    json_member_number(j, "training_seconds", i->seconds);
}

static mst_status write_json(const network_run *a, bool frechet, mst_json *j)
{
    const estimation *e = a->e;
    mst_curve_info i = mst_curve_describe(a->curve);
    json_member_string(j, "manifold", mst_manifold_spec(e->m));
    json_member_string(j, "kind", mean_kinds[frechet ? KIND_FRECHET : KIND_DIFFUSION]);
    json_member_string(j, "score", score_name(e));
    json_member_string(j, "curve", "network");
    json_member_string(j, "noise_model", noises[option_get(e->inv, &option_noise)->choice]);
    json_forms(e, j);
    json_member_integer(j, "n", a->rows.n);
    json_member_integer(j, "dropped", a->rows.dropped);
    mst_json_key(j, "terms");
    mst_json_array(j);
    for (size_t c = 0; c < a->rows.k; c++)
        mst_json_string(j, a->rows.names[c]);
    mst_json_end(j);
    write_members(j, &i);
    if (a->calibrated)
        regress_json_calibration(j, &a->calibration);
    return regress_json_predictions(e, j, &a->predictions);
}

static mst_status write_page(const network_run *a, FILE *out)
{
    mst_curve_info i = mst_curve_describe(a->curve);
    fprintf(out, "network regression on %s, %zu points, %zu inputs\n\n", mst_manifold_spec(a->e->m),
            a->rows.n, a->rows.k);
    fprintf(
        out,
        "network        %zu layers of %zu, %zu numbers; %zu epochs, the best of %llu restarts\n",
        i.depth, i.width, i.parameters, i.epochs,
        (unsigned long long)option_get(a->e->inv, &option_restarts)->count);
    if (!isnan(i.noise))
        fprintf(out, "noise          sigma^2 = %.6g%s\n", i.noise, squared_unit(a->e));
    fprintf(out, "R^2            %.4f; %.4f of the %zu rows held out\n", i.r_squared,
            i.held_out_r_squared, i.held_out);
    if (!isnan(i.log_likelihood))
        fprintf(out, "log-likelihood %.5g a row; %.5g of those held out\n", i.log_likelihood,
                i.held_out_log_likelihood);
    if (a->calibrated)
        regress_print_calibration(out, &a->calibration);
    return regress_print_predictions(a->e, out, &a->predictions, a->confidence);
}

mst_status regress_train(estimation *e, bool frechet, report *out, double confidence)
{
    network_run a = {.e = e, .confidence = confidence};
    mst_status status =
        option_get(e->inv, &option_noise)->choice == NOISE_LOGLINEAR
            ? mst_fail(MST_ARGUMENT, "--noise loglinear is for geodesics; a network "
                                     "has --noise constant or network")
            : MST_OK;
    if (status == MST_OK && frechet && option_given(e->inv, &option_calibration))
        status =
            mst_fail(MST_ARGUMENT, "--calibration tests the noise, and least squares has none; "
                                   "--kind diffusion has one");
    if (status == MST_OK && out->points != NULL && !option_given(e->inv, &option_predict))
        status = mst_fail(MST_ARGUMENT, "a table of -o holds predictions of a network; give "
                                        "--predict, or a file that ends in .txt");
    if (status == MST_OK)
        status = check_model_file(&a);
    if (status == MST_OK)
        status = regress_read(e, &a.rows);
    if (status == MST_OK)
        status = keep_terms(&a);
    if (status == MST_OK)
        status = train(&a);
    if (status == MST_OK)
        status = calibrate(&a);
    if (status == MST_OK)
        status = predict(e, a.curve, a.rows.terms, confidence, &a.predictions);
    if (status == MST_OK)
        status = regress_density(e, &a.predictions);
    if (status == MST_OK)
        status = out->json != NULL ? write_json(&a, frechet, out->json) : write_page(&a, out->text);
    if (status == MST_OK)
        status = report_points(out, e, a.predictions.n, a.predictions.at.points, NULL);
    if (status == MST_OK)
        status = report_finish(out);
    mst_curve_free(a.curve);
    regress_predictions_free(&a.predictions);
    regress_rows_free(&a.rows);
    free(a.checkpoint);
    free(a.terms);
    return status;
}

/* ---- A curve that was saved ---- */

mst_status regress_reuse(invocation *inv, double confidence)
{
    const char *path = option_get(inv, &option_model)->text;
    estimation e = {.inv = inv, .points = points_options(inv)};
    mst_curve *c = NULL;
    mst_terms *terms = NULL;
    regress_predictions p = {0};
    report out = {0};
    if (!option_given(inv, &option_predict))
        return mst_fail(MST_ARGUMENT,
                        "--model %s without --y predicts: --predict is missing, for "
                        "example --predict %s",
                        path, option_predict.example);
    note_read(inv, &option_model);
    mst_status status = mst_curve_read(&c, path, NULL);
    if (status == MST_OK) {
        e.m = mst_curve_manifold(c);
        e.ambient = mst_manifold_ambient(e.m);
        e.width = mst_points_width(e.m, &e.points);
        status = mst_terms_load(&terms, mst_curve_describe(c).terms);
    }
    if (status == MST_OK)
        status = report_open_points(&out, &e, false);
    if (status == MST_OK)
        status = predict(&e, c, terms, confidence, &p);
    if (status == MST_OK)
        status = regress_density(&e, &p);
    if (status == MST_OK && out.json != NULL) {
        mst_curve_info i = mst_curve_describe(c);
        json_member_string(out.json, "manifold", i.manifold);
        json_member_string(out.json, "curve", "network");
        json_member_string(out.json, "model", path);
        write_members(out.json, &i);
        status = regress_json_predictions(&e, out.json, &p);
    } else if (status == MST_OK) {
        fprintf(out.text, "network regression on %s, by %s\n", mst_manifold_spec(e.m), path);
        status = regress_print_predictions(&e, out.text, &p, confidence);
    }
    if (status == MST_OK)
        status = report_points(&out, &e, p.n, p.at.points, NULL);
    if (status == MST_OK)
        status = report_finish(&out);
    regress_predictions_free(&p);
    mst_terms_free(terms);
    report_close(&out);
    mst_curve_free(c);
    return status;
}
