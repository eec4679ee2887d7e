/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Checkpoints: a model file, usable as such, with the state of the optimiser beside the weights. Samples are
 * functions of their numbers, so the number of the step is all that is needed to find them again; with
 * chained starts, and where the paths of the pool in use began. */
#include "manifold/leaving.h"
#include "train/trainer.h"

#include <manistat/io.h>
#include <math.h>
#include <string.h>

enum { OPTIONS = 1024, STATE = 8 };

/* Everything that decides the course of a training but its length. */
typedef struct course {
    mst_loss loss;
    network_design design;
    bool hutchinson;
    double t_min, t_max, rate, clip, average;
    size_t batch, path_steps, path_samples, starts;
    uint64_t warm_up, seed;
    uint64_t start; /* a hash of the starting points */
    bool chained_starts;
} course;

#define COURSE(kind, name, names) {#name, FIELD_##kind, offsetof(course, name), 0, SIZE_MAX, names},
#define COURSE_DESIGN(type, name, usual, kind, least, largest, names) \
    {#name, FIELD_##kind, offsetof(course, design.name), least, largest, names},
/* clang-format off */
static const named_field course_fields[] = {
    COURSE(CHOICE, loss, loss_names)
    NETWORK_DESIGN(COURSE_DESIGN)
    COURSE(FLAG, hutchinson, NULL)
    COURSE(NUMBER, t_min, NULL)
    COURSE(NUMBER, t_max, NULL)
    COURSE(COUNT, batch, NULL)
    COURSE(NUMBER, rate, NULL)
    COURSE(INTEGER, warm_up, NULL)
    COURSE(NUMBER, clip, NULL)
    COURSE(NUMBER, average, NULL)
    COURSE(COUNT, path_steps, NULL)
    COURSE(COUNT, path_samples, NULL)
    COURSE(COUNT, starts, NULL)
    COURSE(INTEGER, start, NULL)
    COURSE(INTEGER, seed, NULL)
    COURSE(FLAG, chained_starts, NULL)
};
/* clang-format on */
enum { COURSE_FIELDS = sizeof course_fields / sizeof *course_fields };

static course course_of(const trainer *r)
{
    const mst_train_options *o = r->o;
    const mst_network_info *i = &r->net->info;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    const unsigned char *bytes = (const unsigned char *)o->start;
    for (size_t k = 0; k < o->starts * mst_manifold_ambient(r->m) * sizeof *o->start; k++)
        hash = (hash ^ bytes[k]) * 1099511628211u;
    return (course){.loss = o->loss,
                    .hutchinson = o->hutchinson,
                    .t_min = i->t_min,
                    .t_max = i->t_max,
                    .rate = o->rate,
                    .clip = o->clip,
                    .average = o->average,
                    .batch = r->feeder.batch,
                    .path_steps = o->path_steps,
                    .path_samples = r->feeder.slots,
                    .starts = o->starts,
                    .warm_up = o->warm_up,
                    .seed = o->seed,
                    .start = hash,
                    .chained_starts = o->chained_starts,
#define KNOWN(type, name, ...) .design.name = i->name,
                    NETWORK_DESIGN(KNOWN)
#undef KNOWN
    };
}

/* "loss bel, activation silu, …" */
static void describe_course(const trainer *r, char *out)
{
    course now = course_of(r);
    size_t used = 0;
    for (size_t k = 0; k < COURSE_FIELDS; k++) {
        char text[FIELD_TEXT];
        field_write(&course_fields[k], &now, text);
        used += (size_t)snprintf(out + used, OPTIONS - used, "%s%s %s", k > 0 ? ", " : "",
                                 course_fields[k].name, text);
    }
}

/* Where the paths of the pool that the next step is in began; null: at starts of their own. */
static double *starts_in_use(const trainer *r)
{
    return feeder_starts(&r->feeder, r->step / r->feeder.steps);
}

mst_status trainer_save(const trainer *r)
{
    char options[OPTIONS];
    double state[STATE] = {r->seconds, r->smooth, r->early, r->recent};
    describe_course(r, options);
    tensor more[] = {
        {.name = "training.theta", .rank = 1, .shape = {r->parameters}, .data = r->theta},
        {.name = "training.first", .rank = 1, .shape = {r->parameters}, .data = r->first},
        {.name = "training.second", .rank = 1, .shape = {r->parameters}, .data = r->second},
        {.name = "training.state", .type = TENSOR_F64, .rank = 1, .shape = {STATE}, .data = state},
        {.name = "training.step", .type = TENSOR_U64, .rank = 1, .shape = {1}, .data = &r->step},
        {.name = "training.starts",
         .type = TENSOR_F64,
         .rank = 2,
         .shape = {r->feeder.paths, mst_manifold_ambient(r->m)},
         .data = starts_in_use(r)},
    };
    size_t count = sizeof more / sizeof *more - (starts_in_use(r) == NULL);
    tensor_text text = {CHECKPOINT_KEY, options};
    return network_save(r->net, r->o->checkpoint, MST_OUTPUT_OWN, count, more, 1, &text);
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

static mst_status impossible_state(const trainer *r)
{
    return mst_fail(MST_FORMAT,
                    "%s: no checkpoint to resume from: its state has numbers that cannot be",
                    r->o->checkpoint);
}

/* Weights and moments of a training that went well; NaN would go into the model. */
static mst_status check_state(const trainer *r, const double *state)
{
    bool good = true;
    for (size_t k = 0; good && k < r->parameters; k++)
        good = isfinite(r->theta[k]) && isfinite(r->first[k]) && isfinite(r->second[k]) &&
               r->second[k] >= 0;
    if (!good || !(state[0] >= 0 && state[0] < INFINITY))
        return impossible_state(r);
    if (r->o->steps > 0 && r->step > r->o->steps)
        return mst_fail(MST_ARGUMENT,
                        "%s has done %llu steps already, more than the %llu of `steps`; ask for "
                        "more to go on",
                        r->o->checkpoint, (unsigned long long)r->step,
                        (unsigned long long)r->o->steps);
    return MST_OK;
}

/* Starts of a pool: points, or NAN where a path begins anew. */
static mst_status restore_starts(trainer *r, const tensors *t)
{
    size_t D = mst_manifold_ambient(r->m);
    double *starts = starts_in_use(r);
    if (starts == NULL)
        return MST_OK;
    MST_TRY(part(t, r->o->checkpoint, "training.starts", TENSOR_F64, r->feeder.paths * D, starts));
    for (size_t i = 0; i < r->feeder.paths; i++)
        if (!mst_is_lost(D, starts + i * D) &&
            mst_manifold_validate(r->m, 1, starts + i * D, NULL) != MST_OK)
            return impossible_state(r);
    return MST_OK;
}

/* The value of a field in a description; null if it has none. */
static const char *value_in(const char *description, const char *name, int *length)
{
    size_t n = strlen(name);
    for (const char *at = description; at != NULL; at = strstr(at, ", ")) {
        at += at > description ? 2 : 0;
        if (strncmp(at, name, n) == 0 && at[n] == ' ') {
            *length = (int)strcspn(at + n + 1, ",");
            return at + n + 1;
        }
    }
    return NULL;
}

/* What older versions did without a word, as there was no other way; null: they cannot be resumed. */
static const char *unsaid(const named_field *f)
{
    return f->offset == offsetof(course, chained_starts) ? "0" : NULL;
}

/* Names everything that differs from what the checkpoint says. */
static mst_status compare(const trainer *r, const char *file, const char *before)
{
    course now = course_of(r);
    char differs[300] = "";
    size_t used = 0;
    for (size_t k = 0; k < COURSE_FIELDS && used < sizeof differs; k++) {
        char text[FIELD_TEXT];
        int length = 0;
        const char *then = value_in(before, course_fields[k].name, &length);
        if (then == NULL && (then = unsaid(&course_fields[k])) != NULL)
            length = (int)strlen(then);
        if (then == NULL)
            return mst_fail(MST_FORMAT, "%s: a checkpoint of an older version cannot be resumed",
                            file);
        field_write(&course_fields[k], &now, text);
        if ((size_t)length != strlen(text) || strncmp(then, text, (size_t)length) != 0)
            used +=
                (size_t)snprintf(differs + used, sizeof differs - used, "%s`%s` %.*s, now %s",
                                 used > 0 ? "; " : "", course_fields[k].name, length, then, text);
    }
    if (used == 0)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "%s was begun with other options (%s); resume with the same ones",
                    file, differs);
}

static mst_status restore(trainer *r, const tensors *t)
{
    const char *file = r->o->checkpoint, *before = tensors_text(t, CHECKPOINT_KEY);
    double state[STATE];
    if (before == NULL)
        return mst_fail(MST_FORMAT, "%s: a finished model, not a checkpoint to resume from", file);
    MST_TRY(compare(r, file, before));
    mst_network *old;
    MST_TRY(network_from_tensors(&old, file, t, r->m));
    memcpy(r->net->theta, old->theta, r->parameters * sizeof *old->theta);
    mst_network_free(old);
    MST_TRY(part(t, file, "training.theta", TENSOR_F32, r->parameters, r->theta));
    MST_TRY(part(t, file, "training.first", TENSOR_F32, r->parameters, r->first));
    MST_TRY(part(t, file, "training.second", TENSOR_F32, r->parameters, r->second));
    MST_TRY(part(t, file, "training.state", TENSOR_F64, STATE, state));
    MST_TRY(part(t, file, "training.step", TENSOR_U64, 1, &r->step));
    MST_TRY(check_state(r, state));
    MST_TRY(restore_starts(r, t));
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
