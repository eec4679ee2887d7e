/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The geodesics of a pair that are believed: the shortest first, each once, and what is told of them. */
#include "geodesic/ladder_parts.h"

#include <math.h>
#include <string.h>

size_t ladder_several(const mst_geodesic_options *options)
{
    return options->several > 1 ? (size_t)options->several : 1;
}

bool ladder_is_certain(const ladder *l, const pair *p)
{
    return l->p->hadamard || sqrt(2 * p->answers[0].energy) < l->p->injectivity;
}

/* Two geodesics of lengths a ≤ b make a loop of at least twice the injectivity radius. */
bool ladder_is_only(const ladder *l, const pair *p)
{
    if (l->several == 1 || l->p->hadamard)
        return ladder_is_certain(l, p);
    double a = sqrt(2 * p->answers[0].energy), b = 2 * l->p->injectivity - a;
    return b > a && b * b > a * a + l->task->options->window;
}

double ladder_highest(const ladder *l, const pair *p, double least)
{
    double kth = p->count == l->several ? p->answers[p->count - 1].energy : INFINITY;
    return fmin(kth, least + 0.5 * l->task->options->window);
}

/* Equal energies are not enough: the mirror images of symmetric pairs have them too. */
bool ladder_is_same(const ladder *l, const answer *p, const job *j, double closeness)
{
    static const double times[] = {0.5, 0.25, 0.75};
    size_t width = l->p->width;
    double *a = l->ends + l->task->n * width, *b = a + width, size = 0, end = 0;
    if (!(fabs(j->energy - p->energy) <= closeness * p->energy))
        return false;
    const double *last = p->path.x + (path_nodes(&p->path) - 1) * width,
                 *mine = j->path.x + (path_nodes(&j->path) - 1) * width;
    for (size_t r = 0; r < sizeof times / sizeof *times; r++) {
        double gap = 0;
        path_at(&j->path, ladder_rule(l, j->level), times[r], a);
        path_at(&p->path, ladder_rule(l, p->level), times[r], b);
        for (size_t k = 0; k < width; k++) {
            gap += (a[k] - b[k]) * (a[k] - b[k]);
            if (r == 0) {
                size += (b[k] - p->path.x[k]) * (b[k] - p->path.x[k]) +
                        (last[k] - b[k]) * (last[k] - b[k]);
                end += (last[k] - mine[k]) * (last[k] - mine[k]);
            }
        }
        if (gap > 4e-4 * size || end > 4e-4 * size)
            return false;
    }
    return true;
}

void ladder_write_row(const ladder *l, size_t row, const landing *landed)
{
    const mst_geodesic_output *out = l->task->out;
    size_t width = l->p->width, d = l->p->d, square = width * width;
    if (out->length != NULL)
        out->length[row] = landed->length;
    if (out->error != NULL)
        out->error[row] = landed->error;
    if (out->log_x != NULL)
        memcpy(out->log_x + row * width, landed->log_x, width * sizeof(double));
    if (out->log_y != NULL)
        memcpy(out->log_y + row * width, landed->log_y, width * sizeof(double));
    if (out->conjugate != NULL)
        out->conjugate[row] = landed->conjugate;
    if (out->van_vleck != NULL)
        out->van_vleck[row] = landed->van_vleck;
    for (size_t a = 0; landed->hessian != NULL && a < width; a++)
        for (size_t b = 0; b < width; b++) {
            double whole = 0, mixed = 0;
            if (l->p->form != FORM_CONSTRAINT) {
                whole = landed->hessian[a * d + b];
                mixed = landed->mixed[a * d + b];
            } else {
                for (size_t e = 0; e < d; e++)
                    for (size_t f = 0; f < d; f++) {
                        double left = landed->frame_x[a * d + e];
                        whole += left * landed->hessian[e * d + f] * landed->frame_x[b * d + f];
                        mixed += left * landed->mixed[e * d + f] * landed->frame_y[b * d + f];
                    }
            }
            if (out->hessian != NULL)
                out->hessian[row * square + a * width + b] = whole;
            if (out->mixed != NULL)
                out->mixed[row * square + a * width + b] = mixed;
        }
}

static void shift_row(void *rows, size_t size, size_t row, size_t at, size_t count)
{
    if (rows != NULL)
        memmove((char *)rows + (row + at + 1) * size, (char *)rows + (row + at) * size,
                (count - at) * size);
}

/* Makes room at `at` among the `count` rows of pair i. */
static void shift_rows(const ladder *l, size_t i, size_t at, size_t count)
{
    const mst_geodesic_output *out = l->task->out;
    size_t row = i * l->several, vector = l->p->width * sizeof(double),
           matrix = vector * l->p->width;
    shift_row(out->length, sizeof(double), row, at, count);
    shift_row(out->error, sizeof(double), row, at, count);
    shift_row(out->conjugate, sizeof(double), row, at, count);
    shift_row(out->van_vleck, sizeof(double), row, at, count);
    shift_row(out->log_x, vector, row, at, count);
    shift_row(out->log_y, vector, row, at, count);
    shift_row(out->hessian, matrix, row, at, count);
    shift_row(out->mixed, matrix, row, at, count);
}

void ladder_note_rival(pair *p, double energy)
{
    if (energy > 0)
        p->rival = fmin(p->rival, energy);
}

bool ladder_is_risky(const pair *p)
{
    const double careful = 0.97, lengths = 1.1; /* coarse energies, and moves by one metric */
    /* Beyond ½ of the way to a conjugate point others may have appeared. */
    double length = sqrt(2 * p->answers[0].energy),
           far = p->answers[0].conjugate >= 0.5 ? 0.02 : 0.25;
    return length + lengths * p->drift > careful * sqrt(2 * p->rival) || p->drift > far * length;
}

answer *ladder_insert(ladder *l, size_t i, double energy, size_t *at)
{
    pair *p = &l->pairs[i];
    *at = p->count;
    while (*at > 0 && energy < p->answers[*at - 1].energy)
        (*at)--;
    if (*at == l->several) {
        ladder_note_rival(p, energy);
        return NULL;
    }
    size_t stay = p->count < l->several ? p->count : l->several - 1;
    answer spare = p->answers[stay];
    if (stay < p->count)
        ladder_note_rival(p, spare.energy);
    shift_rows(l, i, *at, stay);
    memmove(p->answers + *at + 1, p->answers + *at, (stay - *at) * sizeof *p->answers);
    p->answers[*at] =
        (answer){.path = spare.path, .energy = energy, .log_x = spare.log_x, .agreed = 1};
    p->count = stay + 1;
    return &p->answers[*at];
}

answer *ladder_known(const ladder *l, const pair *p, const double *log_x)
{
    for (size_t k = 0; k < p->count; k++) {
        double gap = 0, size = 0;
        const double *other = p->answers[k].log_x;
        for (size_t a = 0; a < l->p->width; a++) {
            gap += (log_x[a] - other[a]) * (log_x[a] - other[a]);
            size += other[a] * other[a];
        }
        if (gap < 1e-8 * size)
            return &p->answers[k];
    }
    return NULL;
}

bool ladder_take(ladder *l, job *j, const landing *landed)
{
    pair *p = &l->pairs[j->pair];
    bool tied =
        p->count > 0 && fabs(landed->energy - p->answers[0].energy) <= 2e-8 * p->answers[0].energy;
    answer *a = ladder_known(l, p, landed->log_x);
    if (a != NULL) {
        a->agreed += j->agreed;
        return false;
    }
    size_t at;
    a = ladder_insert(l, j->pair, landed->energy, &at);
    p->tie = tied || (p->tie && at > 0);
    if (a == NULL)
        return true;
    path spare = a->path;
    a->path = j->path;
    j->path = spare;
    a->level = j->level;
    a->conjugate = landed->conjugate;
    a->agreed = j->agreed;
    memcpy(a->log_x, landed->log_x, l->p->width * sizeof *a->log_x);
    ladder_write_row(l, j->pair * l->several + at, landed);
    return true;
}

/* ---- What is told ---- */

void ladder_write_nothing(const ladder *l, size_t i, double value)
{
    size_t width = l->p->width;
    const mst_geodesic_output *out = l->task->out;
    if (out->van_vleck != NULL)
        out->van_vleck[i] = 1 + value;
    if (out->length != NULL)
        out->length[i] = value;
    if (out->error != NULL)
        out->error[i] = value;
    if (out->conjugate != NULL)
        out->conjugate[i] = value;
    for (size_t k = 0; k < width; k++) {
        if (out->log_x != NULL)
            out->log_x[i * width + k] = value;
        if (out->log_y != NULL)
            out->log_y[i * width + k] = value;
    }
    for (size_t k = 0; k < width * width; k++) {
        if (out->hessian != NULL)
            out->hessian[i * width * width + k] = NAN;
        if (out->mixed != NULL)
            out->mixed[i * width * width + k] = NAN;
    }
}

static void write_path(const ladder *l, size_t row, const answer *a)
{
    const mst_geodesic_output *out = l->task->out;
    size_t width = l->p->width;
    for (size_t k = 0; out->path != NULL && k < out->points; k++) {
        double *to = out->path + (row * out->points + k) * width;
        double t = out->points > 1 ? (double)k / (double)(out->points - 1) : 0;
        if (a != NULL)
            path_at(&a->path, ladder_rule(l, a->level), t, to);
        for (size_t c = 0; a == NULL && c < width; c++)
            to[c] = NAN;
    }
}

static mst_geodesic_status status_of(const ladder *l, const pair *p, size_t k)
{
    if (k > 0)
        return k < p->count ? MST_GEODESIC_LOCAL : MST_GEODESIC_NO_OTHER;
    if (p->count == 0)
        return p->failure;
    if (p->trivial || ladder_is_certain(l, p))
        return MST_GEODESIC_MINIMAL;
    bool shorter = p->overlooked < (1 - 1e-3) * p->answers[0].energy;
    return p->starts > 1 && !shorter ? MST_GEODESIC_LEAST : MST_GEODESIC_LOCAL;
}

/* Is another as long, or a conjugate point at the end? */
static bool is_tied(const pair *p, size_t k)
{
    if (k >= p->count)
        return k == 0 && p->tie;
    double energy = p->answers[k].energy, close = 2e-8 * energy;
    bool before = k > 0 && energy - p->answers[k - 1].energy <= close,
         after = k + 1 < p->count && p->answers[k + 1].energy - energy <= close;
    return (k == 0 && p->tie) || before || after || p->answers[k].conjugate >= 1 - 1e-8;
}

static void keep_path(ladder *l, size_t i, size_t k)
{
    pair *p = &l->pairs[i];
    kept_path *kept = &l->task->kept[i * l->several + k];
    kept->filled = k < p->count && !p->trivial;
    if (!kept->filled)
        return;
    answer *a = &p->answers[k];
    path old = kept->path;
    kept->path = a->path;
    a->path = old;
    kept->level = a->level;
    kept->starts = p->starts;
    kept->agreed = a->agreed;
    kept->conjugate = a->conjugate;
    kept->rival = p->rival;
    kept->drift = p->drift;
}

void ladder_finish_pair(ladder *l, size_t i)
{
    const mst_geodesic_output *out = l->task->out;
    pair *p = &l->pairs[i];
    while (p->count > 1 &&
           p->answers[p->count - 1].energy > p->answers[0].energy + 0.5 * l->task->options->window)
        p->count--;
    for (size_t k = 0; k < l->several; k++) {
        size_t row = i * l->several + k;
        bool found = k < p->count;
        bool best = k == 0 && isfinite(p->best_error);
        if (!found && !best)
            ladder_write_nothing(l, row, NAN);
        if (out->status != NULL)
            out->status[row] = status_of(l, p, k);
        if (out->starts != NULL)
            out->starts[row] = p->starts;
        if (out->agreed != NULL)
            out->agreed[row] = found ? p->answers[k].agreed : 0;
        if (out->tie != NULL)
            out->tie[row] = is_tied(p, k);
        write_path(l, row, found ? &p->answers[k] : NULL);
        if (l->task->kept != NULL)
            keep_path(l, i, k);
    }
}
