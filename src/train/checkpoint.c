/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Checkpoints: a model file, usable as such, with the state of the optimiser beside the weights. Samples are
 * functions of their numbers, so the number of the step is all that is needed to find them again. */
#include "train/trainer.h"
#include "util/number_text.h"

#include <manistat/io.h>
#include <string.h>

enum { OPTIONS = 1024, STATE = 8 };

/* Everything that decides the course of a training but its length. */
static void describe_options(const trainer *r, char *out)
{
    const mst_train_options *o = r->o;
    uint64_t hash = 14695981039346656037u; /* FNV-1a of the starting points */
    const unsigned char *bytes = (const unsigned char *)o->start;
    for (size_t k = 0; k < o->starts * mst_manifold_ambient(r->m) * sizeof *o->start; k++)
        hash = (hash ^ bytes[k]) * 1099511628211u;
    const double numbers[] = {r->net->info.t_min, r->net->info.t_max, o->rate, o->clip, o->average};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    char text[NUMBERS][MST_DOUBLE_TEXT];
    for (size_t k = 0; k < NUMBERS; k++)
        mst_format_double(numbers[k], text[k]);
    snprintf(
        out, OPTIONS,
        "loss %s, network %zux%zu %s%s%s%s%s, t %s to %s, batch %zu, rate %s, warm-up %llu, "
        "clip %s, average %s, paths of %zu steps with %zu samples, starting points %zu (%llx), "
        "seed %llu",
        mst_loss_name(o->loss), o->depth, o->width, o->activation == MST_TANH ? "tanh" : "silu",
        o->plain ? " plain" : "", o->energy ? " energy" : "", o->time_head ? " time-head" : "",
        o->hutchinson ? "" : " exact-divergence", text[0], text[1], o->batch, text[2],
        (unsigned long long)o->warm_up, text[3], text[4], o->path_steps, o->path_samples, o->starts,
        (unsigned long long)hash, (unsigned long long)o->seed);
}

mst_status trainer_save(const trainer *r)
{
    char options[OPTIONS];
    double state[STATE] = {r->seconds, r->smooth, r->early, r->recent};
    describe_options(r, options);
    tensor more[] = {
        {.name = "training.theta", .rank = 1, .shape = {r->parameters}, .data = r->theta},
        {.name = "training.first", .rank = 1, .shape = {r->parameters}, .data = r->first},
        {.name = "training.second", .rank = 1, .shape = {r->parameters}, .data = r->second},
        {.name = "training.state", .type = TENSOR_F64, .rank = 1, .shape = {STATE}, .data = state},
        {.name = "training.step", .type = TENSOR_U64, .rank = 1, .shape = {1}, .data = &r->step},
    };
    tensor_text text = {CHECKPOINT_KEY, options};
    return network_save(r->net, r->o->checkpoint, true, sizeof more / sizeof *more, more, 1, &text);
}

static mst_status part(const tensors *t, const char *file, const char *name, tensor_type type,
                       size_t size, void *out)
{
    const tensor *found = tensors_find(t, name);
    if (found == NULL || found->type != type || tensor_size(found) != size)
        return mst_fail(MST_FORMAT, "%s: no checkpoint to resume from: %s is missing or damaged",
                        file, name);
    memcpy(out, found->data, size * (type == TENSOR_F32 ? sizeof(float) : sizeof(double)));
    return MST_OK;
}

/* Names the first field, up to a comma, in which the two descriptions differ. */
static mst_status refuse_options(const char *file, const char *before, const char *now)
{
    size_t at = 0, same = 0;
    for (; before[same] == now[same] && before[same] != 0; same++)
        if (before[same] == ',')
            at = same + 2;
    int then = (int)strcspn(before + at, ","), today = (int)strcspn(now + at, ",");
    return mst_fail(MST_ARGUMENT,
                    "%s was begun with other options (%.*s, now %.*s); resume with the same ones",
                    file, then, before + at, today, now + at);
}

static mst_status restore(trainer *r, const tensors *t)
{
    const char *file = r->o->checkpoint, *before = tensors_text(t, CHECKPOINT_KEY);
    char options[OPTIONS];
    double state[STATE];
    describe_options(r, options);
    if (before == NULL)
        return mst_fail(MST_FORMAT, "%s: a finished model, not a checkpoint to resume from", file);
    if (strcmp(before, options) != 0)
        return refuse_options(file, before, options);
    mst_network *old;
    MST_TRY(network_from_tensors(&old, file, t, r->m));
    memcpy(r->net->theta, old->theta, r->parameters * sizeof *old->theta);
    mst_network_free(old);
    MST_TRY(part(t, file, "training.theta", TENSOR_F32, r->parameters, r->theta));
    MST_TRY(part(t, file, "training.first", TENSOR_F32, r->parameters, r->first));
    MST_TRY(part(t, file, "training.second", TENSOR_F32, r->parameters, r->second));
    MST_TRY(part(t, file, "training.state", TENSOR_F64, STATE, state));
    MST_TRY(part(t, file, "training.step", TENSOR_U64, 1, &r->step));
    r->seconds = state[0];
    r->smooth = state[1];
    r->early = state[2];
    r->recent = state[3];
    return MST_OK;
}

mst_status trainer_restore(trainer *r)
{
    tensors *t;
    MST_TRY(tensors_read(&t, r->o->checkpoint));
    mst_status status = restore(r, t);
    tensors_free(t);
    return status;
}
