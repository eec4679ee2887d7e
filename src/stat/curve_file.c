/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Network curves in files: safetensors with the weights as layers.K.weight and layers.K.bias, as in score
 * networks; a checkpoint has the state of the training beside them. */
#include "net/mlp_tensors.h"
#include "stat/curve_train.h"
#include "util/number_text.h"
#include "util/output.h"

#include <manistat/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FORMAT "manistat curve 1"
#define TRAINING "training"

enum { NUMBERS = 14, TEXTS = 16, OPTIONS = 400 };

/* The numbers of a curve, in the order of the file. */
static const char *const number_names[NUMBERS] = {"width",          "depth",
                                                  "noise_network",  "noise",
                                                  "rows",           "held_out",
                                                  "log_likelihood", "held_out_log_likelihood",
                                                  "r_squared",      "held_out_r_squared",
                                                  "epochs",         "restart",
                                                  "seconds",        "finished"};

static void get_numbers(const mst_curve *c, double *out)
{
    const mst_curve_info *i = &c->info;
    const double numbers[NUMBERS] = {(double)i->width,  (double)i->depth,
                                     i->noise_network,  i->noise,
                                     (double)i->rows,   (double)i->held_out,
                                     i->log_likelihood, i->held_out_log_likelihood,
                                     i->r_squared,      i->held_out_r_squared,
                                     (double)i->epochs, (double)i->restart,
                                     i->seconds,        i->finished};
    memcpy(out, numbers, sizeof numbers);
}

static void set_numbers(mst_curve *c, const double *in)
{
    mst_curve_info *i = &c->info;
    i->noise = in[3];
    i->rows = (size_t)in[4];
    i->held_out = (size_t)in[5];
    i->log_likelihood = in[6];
    i->held_out_log_likelihood = in[7];
    i->r_squared = in[8];
    i->held_out_r_squared = in[9];
    i->epochs = (size_t)in[10];
    i->restart = (size_t)in[11];
    i->seconds = in[12];
    i->finished = in[13] != 0;
}

/* ---- Writing ---- */

mst_status curve_save(const mst_curve *c, const char *path, mst_output_rule rule, size_t count,
                      const tensor *more, size_t texts, const tensor_text *text)
{
    size_t layers = 2 * (c->shape.depth + 1), in = c->shape.inputs;
    char(*names)[MLP_TENSOR_NAME], values[NUMBERS][MST_DOUBLE_TEXT + 1];
    double numbers[NUMBERS], units[3] = {c->spread, c->time, 0};
    tensor *list;
    tensor_text *metadata;
    MST_TRY(mst_allocate(&names, layers));
    mst_status status = mst_allocate(&list, layers + 4 + count);
    if (status != MST_OK) {
        mst_release(names);
        return status;
    }
    status = mst_allocate(&metadata, TEXTS + NUMBERS + texts);
    if (status == MST_OK) {
        size_t n = 0, k = 0;
        units[2] = (double)c->theta[mlp_parameters(&c->shape)];
        list[n++] = (tensor){
            .name = "centre", .type = TENSOR_F64, .rank = 1, .shape = {in}, .data = c->centre};
        list[n++] = (tensor){
            .name = "scale", .type = TENSOR_F64, .rank = 1, .shape = {in}, .data = c->scale};
        list[n++] = (tensor){.name = "base",
                             .type = TENSOR_F64,
                             .rank = 1,
                             .shape = {mst_manifold_ambient(c->m)},
                             .data = c->base};
        list[n++] =
            (tensor){.name = "units", .type = TENSOR_F64, .rank = 1, .shape = {3}, .data = units};
        mlp_to_tensors(&c->shape, c->theta, names, list + n);
        n += 2 * (c->shape.depth + 1);
        for (size_t i = 0; i < count; i++)
            list[n++] = more[i];
        metadata[k++] = (tensor_text){"format", FORMAT};
        metadata[k++] = (tensor_text){"manifold", mst_manifold_spec(c->m)};
        metadata[k++] = (tensor_text){"terms", c->terms};
        metadata[k++] = (tensor_text){"version", mst_version()};
        get_numbers(c, numbers);
        for (size_t i = 0; i < NUMBERS; i++) {
            values[i][mst_format_double(numbers[i], values[i])] = '\0';
            metadata[k++] = (tensor_text){number_names[i], values[i]};
        }
        for (size_t i = 0; i < texts; i++)
            metadata[k++] = text[i];
        status = tensors_write(path, rule, n, list, k, metadata);
    }
    mst_release(metadata);
    mst_release(list);
    mst_release(names);
    return status;
}

mst_status mst_curve_write(const mst_curve *c, const char *path, bool force)
{
    return curve_save(c, path, force ? MST_OUTPUT_FORCE : MST_OUTPUT_NEW, 0, NULL, 0, NULL);
}

/* ---- Reading ---- */

static mst_status damaged(const char *file, const char *what)
{
    return mst_fail(MST_FORMAT, "%s: no curve of manistat regress: %s is missing or damaged", file,
                    what);
}

static mst_status take(const tensors *t, const char *file, const char *name, tensor_type type,
                       size_t size, void *out)
{
    const tensor *found = tensors_find(t, name);
    if (found == NULL || found->type != type || tensor_size(found) != size)
        return damaged(file, name);
    memcpy(out, found->data, size * (type == TENSOR_F32 ? sizeof(float) : sizeof(double)));
    return MST_OK;
}

static mst_status take_layers(mst_curve *c, const char *file, const tensors *t)
{
    for (size_t k = 0; k <= c->shape.depth; k++)
        if (!mlp_take_layer(&c->shape, t, k, c->theta))
            return damaged(file, "a layer");
    for (size_t k = 0; k < mlp_parameters(&c->shape); k++)
        if (!isfinite(c->theta[k]))
            return damaged(file, "a weight");
    return MST_OK;
}

static mst_status take_rest(mst_curve *c, const char *file, const tensors *t, const double *numbers)
{
    double units[3];
    size_t in = c->shape.inputs;
    MST_TRY(take(t, file, "centre", TENSOR_F64, in, c->centre));
    MST_TRY(take(t, file, "scale", TENSOR_F64, in, c->scale));
    MST_TRY(take(t, file, "base", TENSOR_F64, mst_manifold_ambient(c->m), c->base));
    MST_TRY(take(t, file, "units", TENSOR_F64, 3, units));
    for (size_t k = 0; k < in; k++)
        if (!isfinite(c->centre[k]) || !(c->scale[k] > 0))
            return damaged(file, "scale");
    if (mst_manifold_validate(c->m, 1, c->base, NULL) != MST_OK || !(units[0] > 0))
        return damaged(file, "base");
    c->spread = units[0];
    c->time = units[1];
    c->theta[mlp_parameters(&c->shape)] = (float)units[2];
    set_numbers(c, numbers);
    const char *terms = tensors_text(t, "terms");
    mst_release(c->terms);
    c->terms = NULL;
    return mst_copy_string(&c->terms, terms != NULL ? terms : "");
}

mst_status curve_from_tensors(mst_curve **out, const char *file, const tensors *t,
                              const mst_manifold *m)
{
    const char *format = tensors_text(t, "format"), *spec = tensors_text(t, "manifold");
    const tensor *centre = tensors_find(t, "centre");
    double numbers[NUMBERS];
    mst_manifold *owned = NULL;
    if (format == NULL || strcmp(format, FORMAT) != 0 || spec == NULL || centre == NULL)
        return damaged(file, "its format");
    for (size_t k = 0; k < NUMBERS; k++) {
        const char *text = tensors_text(t, number_names[k]);
        if (text == NULL || !mst_parse_double(text, strlen(text), &numbers[k]))
            return damaged(file, number_names[k]);
    }
    if (!(numbers[0] >= 1 && numbers[0] <= 65536 && numbers[1] >= 1 && numbers[1] <= 64))
        return damaged(file, "width");
    if (m == NULL) {
        MST_TRY(mst_manifold_parse(&owned, spec));
        m = owned;
    }
    mst_curve *c = NULL;
    mst_status status = curve_new(&c, m, tensor_size(centre), (size_t)numbers[0],
                                  (size_t)numbers[1], numbers[2] != 0);
    if (status != MST_OK) {
        mst_manifold_free(owned);
        return status;
    }
    c->owned = owned;
    status = take_layers(c, file, t);
    if (status == MST_OK)
        status = take_rest(c, file, t, numbers);
    if (status != MST_OK)
        mst_curve_free(c);
    else
        *out = c;
    return status;
}

mst_status mst_curve_read(mst_curve **out, const char *path, const mst_manifold *m)
{
    tensors *t;
    *out = NULL;
    MST_TRY(tensors_read(&t, path));
    mst_status status = curve_from_tensors(out, path, t, m);
    tensors_free(t);
    return status;
}

/* ---- Checkpoints ---- */

/* What decides the course of a training: options, and the data by a hash. */
static void describe_course(const curve_trainer *r, char *out)
{
    const mst_curve_options *o = r->o;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    const double *data[] = {r->y, r->x};
    size_t sizes[] = {r->n * mst_manifold_ambient(r->c->m), r->n * r->k};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizes[k] * sizeof(double); i++)
            hash = (hash ^ ((const unsigned char *)data[k])[i]) * 1099511628211u;
    snprintf(out, OPTIONS,
             "source %s, width %zu, depth %zu, noise_network %d, batch %zu, rate %g, decay %g, "
             "validation %g, epochs %zu, patience %zu, restarts %zu, seed %llu, data %016llx",
             mst_score_name(r->source), o->width, o->depth, o->noise_network, o->batch, o->rate,
             o->decay, o->validation, o->epochs, o->patience, o->restarts,
             (unsigned long long)o->seed, (unsigned long long)hash);
}

enum { STATE = 5 };

mst_status curve_checkpoint_save(const curve_trainer *r)
{
    size_t count = r->o->restarts, p = curve_parameters(&r->c->shape);
    char course[OPTIONS];
    double *state;
    MST_TRY(mst_allocate(&state, count * STATE));
    for (size_t k = 0; k < count; k++) {
        const curve_restart *s = &r->restarts[k];
        double numbers[STATE] = {(double)s->step, (double)s->epoch, (double)s->best_epoch,
                                 s->best_loss, s->done};
        memcpy(state + k * STATE, numbers, sizeof numbers);
    }
    describe_course(r, course);
    tensor more[] = {
        {.name = "training.state",
         .type = TENSOR_F64,
         .rank = 2,
         .shape = {count, STATE},
         .data = state},
        {.name = "training.weights",
         .type = TENSOR_F32,
         .rank = 3,
         .shape = {count, 5, p},
         .data = r->floats},
    };
    tensor_text text = {TRAINING, course};
    mst_status status = curve_save(r->c, r->o->checkpoint, MST_OUTPUT_OWN, 2, more, 1, &text);
    mst_release(state);
    return status;
}

static mst_status restore(curve_trainer *r, const tensors *t)
{
    const char *file = r->o->checkpoint, *before = tensors_text(t, TRAINING);
    size_t count = r->o->restarts, p = curve_parameters(&r->c->shape);
    char course[OPTIONS];
    double *state, seconds;
    if (before == NULL)
        return mst_fail(MST_FORMAT, "%s: a finished curve, not a checkpoint to resume from", file);
    describe_course(r, course);
    if (strcmp(course, before) != 0)
        return mst_fail(MST_ARGUMENT,
                        "%s was begun with other options or data (%s); resume with the same ones",
                        file, before);
    MST_TRY(mst_allocate(&state, count * STATE));
    mst_status status = take(t, file, "training.state", TENSOR_F64, count * STATE, state);
    if (status == MST_OK)
        status = take(t, file, "training.weights", TENSOR_F32, count * 5 * p, r->floats);
    for (size_t k = 0; status == MST_OK && k < count; k++) {
        const double *s = state + k * STATE;
        if (!(s[0] >= 0 && s[0] < 1e15 && s[1] >= 0 && s[1] <= 1e9 && s[2] >= 0 && s[2] <= s[1]))
            status = damaged(file, "training.state");
        else
            r->restarts[k] = (curve_restart){.theta = r->restarts[k].theta,
                                             .first = r->restarts[k].first,
                                             .second = r->restarts[k].second,
                                             .best = r->restarts[k].best,
                                             .gradient = r->restarts[k].gradient,
                                             .step = (uint64_t)s[0],
                                             .epoch = (size_t)s[1],
                                             .best_epoch = (size_t)s[2],
                                             .best_loss = s[3],
                                             .done = s[4] != 0};
    }
    for (size_t k = 0; status == MST_OK && k < count * 5 * p; k++)
        if (!isfinite(r->floats[k]))
            status = damaged(file, "training.weights");
    const char *text = tensors_text(t, "seconds");
    if (status == MST_OK && text != NULL && mst_parse_double(text, strlen(text), &seconds))
        r->c->info.seconds = seconds;
    mst_release(state);
    return status;
}

mst_status curve_checkpoint_read(curve_trainer *r)
{
    tensors *t;
    if (r->o->checkpoint == NULL)
        return mst_fail(MST_ARGUMENT, "`resume` needs a `checkpoint` to go on from");
    MST_TRY(tensors_read(&t, r->o->checkpoint));
    mst_status status = restore(r, t);
    tensors_free(t);
    return status;
}
