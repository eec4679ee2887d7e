/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The network of a row: read if --models has it, trained if not, continued if a training was killed. */
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct training {
    const paper_options *o;
    const paper_row *row;
} training;

static int report_state(void *user, const mst_train_state *state)
{
    const training *t = user;
    progress_line(t->o->progress, "%s, %s: training, %.0f%%", paper_tables[t->row->table],
                  t->row->name, 100 * state->progress);
    return interrupted();
}

static mst_train_options training_options(const paper_options *o, const paper_row *row,
                                          const mst_manifold *m, size_t n, const double *x)
{
    mst_train_options t = o->preset ? mst_train_options_paper_for(m) : mst_train_options_default();
    double effort = row->effort > 0 ? row->effort : 1;
    t.minutes = effort * o->minutes;
    t.steps = (uint64_t)ceil(effort * (double)o->steps);
    t.seed = o->seed;
    t.threads = o->threads;
    if (row->t_min > 0) {
        t.t_min = row->t_min;
        t.t_max = row->t_max;
    }
    t.t = row->limit_time;
    if (row->batch > 0 && !o->preset) { /* samples are slow: many of a path, few in a step */
        t.batch = row->batch;
        t.path_samples = 24;
    }
    if (mst_manifold_traits_of(m)->compact != MST_YES) {
        t.start = x;
        t.starts = n;
    }
    return t;
}

/* "MODELS/timing-S2.safetensors" and its checkpoint, or nulls. Free both. */
static mst_status file_names(const paper_options *o, const paper_row *row, char **model,
                             char **checkpoint)
{
    *model = *checkpoint = NULL;
    if (o->models == NULL)
        return MST_OK;
    /* Rows of `timing` that are spheres of table 1 share their networks. */
    if (asprintf(model, "%s/%s%s.safetensors", o->models, o->preset ? "paper-" : "", row->name) < 0)
        *model = NULL;
    if (*model != NULL && asprintf(checkpoint, "%s.checkpoint", *model) < 0)
        *checkpoint = NULL;
    return *checkpoint != NULL ? MST_OK : mst_fail(MST_MEMORY, "not enough memory");
}

/* A finished model of the row, if there is one. */
static mst_status read_model(const char *path, const paper_row *row, const mst_manifold *m,
                             mst_network **net)
{
    if (path == NULL || access(path, F_OK) != 0)
        return MST_OK;
    mst_status status = mst_network_read(net, path, NULL);
    if (status == MST_OK && !mst_manifold_is_same(mst_network_manifold(*net), m))
        status = mst_fail(MST_FORMAT, "%s is for %s, not for %s as the row %s needs it", path,
                          mst_network_describe(*net).manifold, mst_manifold_spec(m), row->name);
    if (status == MST_OK && mst_network_describe(*net).finished)
        return MST_OK;
    mst_network_free(*net);
    *net = NULL;
    return status;
}

static mst_status train(const paper_options *o, const paper_row *row, const mst_manifold *m,
                        size_t n, const double *x, const char *path, const char *checkpoint,
                        mst_network **net)
{
    mst_train_options t = training_options(o, row, m, n, x);
    training user = {o, row};
    t.report = (mst_train_report){report_state, &user};
    t.checkpoint = checkpoint;
    t.resume = checkpoint != NULL && access(checkpoint, F_OK) == 0;
    allow_slow_stop();
    mst_status status = mst_train(net, m, &t);
    progress_end(o->progress);
    if (status != MST_OK)
        return mst_fail(status, "%s: %s", row->name, mst_error_detail());
    if (path != NULL)
        status = mst_network_write(*net, path, true);
    if (path != NULL && status == MST_OK)
        unlink(checkpoint);
    return status;
}

mst_status paper_network(const paper_options *o, const paper_row *row, const mst_manifold *m,
                         size_t n, const double *x, mst_network **net)
{
    char *path, *checkpoint;
    *net = NULL;
    mst_status status = file_names(o, row, &path, &checkpoint);
    if (status == MST_OK)
        status = read_model(path, row, m, net);
    if (status == MST_OK && *net == NULL)
        status = train(o, row, m, n, x, path, checkpoint, net);
    free(path);
    free(checkpoint);
    return status;
}
