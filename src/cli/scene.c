/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "scene.h"

#include "scene_estimates.h"
#include "scene_maps.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A canvas stays quick with so many dots; rows are searched for where logarithms are. */
enum { MOST_DOTS = 4000, MOST_SEARCHED = 400, MOST_COLUMNS = 9 };

const char *const scene_frames[] = {"none", "ball", "space", "circle", "square", "disc", "plane"};

static mst_status no_memory(void)
{
    return mst_fail(MST_MEMORY, "not enough memory for a picture");
}

void scene_say(scene *s, const char *format, ...)
{
    size_t used = strlen(s->note);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && used + 2 < sizeof s->note)
        used += (size_t)snprintf(s->note + used, sizeof s->note - used, " ");
    vsnprintf(s->note + used, sizeof s->note - used, format, arguments);
    va_end(arguments);
}

void scene_free(scene *s)
{
    for (size_t i = 0; i < s->mark_count; i++)
        free(s->marks[i].name);
    for (size_t i = 0; s->names != NULL && i < s->group_count; i++)
        free(s->names[i]);
    free(s->names);
    free(s->marks);
    free(s->lines);
    free(s->path);
    free(s->row);
    free(s->points);
    free(s->group);
    free(s->values);
}

mst_status scene_add_mark(scene *s, const double *at, size_t group, const char *name, bool other)
{
    scene_mark *marks = realloc(s->marks, (s->mark_count + 1) * sizeof *marks);
    char *copy = strdup(name);
    if (marks != NULL)
        s->marks = marks;
    if (marks == NULL || copy == NULL) {
        free(copy);
        return no_memory();
    }
    scene_mark *mark = &marks[s->mark_count++];
    *mark = (scene_mark){.group = group, .name = copy, .other = other};
    memcpy(mark->at, at, s->dim * sizeof *at);
    return MST_OK;
}

mst_status scene_add_line(scene *s, size_t count, const double *path, size_t group, bool thin)
{
    scene_line *lines = realloc(s->lines, (s->line_count + 1) * sizeof *lines);
    if (lines != NULL)
        s->lines = lines;
    double *all = realloc(s->path, (s->path_count + count) * s->dim * sizeof *all);
    if (all != NULL)
        s->path = all;
    if (lines == NULL || all == NULL)
        return no_memory();
    lines[s->line_count++] = (scene_line){s->path_count, count, group, thin};
    memcpy(all + s->path_count * s->dim, path, count * s->dim * sizeof *path);
    s->path_count += count;
    return MST_OK;
}

/* ---- The data ---- */

/* So many rows, evenly spread over the file, and the same each time. */
static mst_status choose_rows(scene *s, const estimation *e, size_t each, const labelled_rows *rows)
{
    bool searched = (mst_manifold_traits_of(e->m)->closed & MST_CLOSED_LOG) == 0;
    size_t most = searched ? MOST_SEARCHED : MOST_DOTS;
    most = each > 0 && most / each > 0 ? most / each : 1;
    s->total = rows->n;
    s->shown = rows->n < most ? rows->n : most;
    s->row = calloc(s->shown + 1, sizeof *s->row);
    if (s->row == NULL)
        return no_memory();
    for (size_t i = 0; i < s->shown; i++)
        s->row[i] = (size_t)((double)i * ((double)rows->n / (double)s->shown));
    return MST_OK;
}

static mst_status set_groups(scene *s, const saved_result *r, const labelled_rows *rows)
{
    const mst_json_value *labels = mst_json_member(r->top, "labels");
    bool labelled = mst_json_length(labels) == rows->n && rows->n > 0;
    size_t *all = labelled ? calloc(rows->n, sizeof *all) : NULL, at = 0;
    if (labelled && all == NULL)
        return no_memory();
    for (const mst_json_value *v = mst_json_first(labels); labelled && v != NULL;
         v = mst_json_next(v))
        all[at++] = (size_t)mst_json_as_number(v);
    s->group = calloc(s->dots + 1, sizeof *s->group);
    for (size_t i = 0; i < s->dots && s->group != NULL; i++) {
        size_t row = s->row[i / s->each], file = 0;
        while (rows->files > 1 && file + 1 < rows->files && row >= rows->first[file + 1])
            file++;
        s->group[i] = labelled ? all[row] : rows->by != NULL ? rows->by->index[row] : file;
        if (s->group[i] >= s->group_count)
            s->group[i] = 0;
        /* Rotations without groups: the colour tells the axis. */
        if (s->by_axis)
            s->group[i] = i % 3;
    }
    free(all);
    return s->group != NULL ? MST_OK : no_memory();
}

/* The rows as in their file, if they are short enough to be read. */
static mst_status set_values(scene *s, const estimation *e, const double *x)
{
    if (e->width > MOST_COLUMNS)
        return MST_OK;
    s->width = e->width;
    mst_status status = new_doubles(&s->values, s->shown, s->width);
    return status == MST_OK ? mst_points_encode(e->m, s->shown, x, &e->points, s->values) : status;
}

/* Points of a circle that fall together are stacked, outward. */
static void stack_dots(scene *s)
{
    enum { BINS = 120 };
    size_t height[BINS] = {0}, tallest = 1;
    for (int pass = 0; pass < 2; pass++) {
        double step = tallest > 12 ? 0.5 / (double)tallest : 0.04;
        memset(height, 0, sizeof height);
        for (size_t i = 0; i < s->dots; i++) {
            double *p = s->points + 2 * i, angle = atan2(p[1], p[0]);
            size_t bin = (size_t)((angle + M_PI) / (2 * M_PI) * BINS) % BINS;
            height[bin]++;
            tallest = height[bin] > tallest ? height[bin] : tallest;
            for (int k = 0; k < 2 && pass == 1; k++)
                p[k] *= 1 + step * (double)(height[bin] - 1);
        }
    }
}

static mst_status place_data(scene *s, const saved_result *r, const estimation *e,
                             const labelled_rows *rows, const scene_map *map, const double *x)
{
    s->dots = s->shown * s->each;
    mst_status status = new_doubles(&s->points, s->dots, s->dim);
    if (status == MST_OK)
        status = scene_map_points(map, s->shown, x, s->points);
    if (status == MST_OK && s->frame == SCENE_CIRCLE)
        stack_dots(s);
    if (status == MST_OK)
        status = set_groups(s, r, rows);
    return status == MST_OK ? set_values(s, e, x) : status;
}

/* ---- Words ---- */

static mst_status name_groups(scene *s, const scene_estimates *all)
{
    static const char *const axes[] = {"x axis", "y axis", "z axis"};
    s->by_axis = s->frame == SCENE_BALL && s->each == 3 && all->count <= 1;
    s->group_count = s->by_axis ? 3 : all->count > 0 ? all->count : 1;
    s->names = calloc(s->group_count + 1, sizeof *s->names);
    if (s->names == NULL)
        return no_memory();
    for (size_t i = 0; i < s->group_count; i++) {
        const char *name = s->by_axis ? axes[i] : all->count > 0 ? all->list[i].name : "";
        s->names[i] = strdup(name);
        if (s->names[i] == NULL)
            return no_memory();
    }
    return MST_OK;
}

static void tell_frame(scene *s, const scene_map *map)
{
    static const char *const words[] = {
        [SCENE_BALL] = "On the unit sphere; turn it to see its far side.",
        [SCENE_SPACE] = "In the coordinates of the rows.",
        [SCENE_CIRCLE] = "On the unit circle; points that fall together are stacked outward.",
        [SCENE_SQUARE] = "Angles in radians; opposite sides of the square are one.",
        [SCENE_DISC] = "In Poincare's disc, whose rim is infinitely far.",
        [SCENE_PLANE] = "In the coordinates of the rows."};
    if (map->in_tangent) {
        scene_say(s,
                  "In the tangent space at the estimate: the two leading principal geodesic "
                  "coordinates of the points, with %.3g %% and %.3g %% of their variance about "
                  "it; distances from the centre are no longer than on the manifold, the others "
                  "are not kept.",
                  100 * map->share[0], 100 * map->share[1]);
        if (map->unreachable > 0)
            scene_say(s, "%zu rows have no logarithm there and are left out.", map->unreachable);
        for (int k = 0; k < 2; k++)
            snprintf(s->axes[k], sizeof s->axes[k], "coordinate %d (%.3g %%)", k + 1,
                     100 * map->share[k]);
        return;
    }
    bool landmarks = mst_manifold_traits_of(map->m)->landmark_dim > 0;
    if (s->frame == SCENE_BALL && s->each == 3)
        scene_say(s, "Where the rotations take the axes x, y and z.");
    else if (landmarks)
        scene_say(s, "The landmarks of the specimens, and those of the estimate joined.");
    else if (map->in_space)
        scene_say(s, "On the surface in space, of which lines of equal coordinates are drawn.");
    else if (s->frame != SCENE_NONE)
        scene_say(s, "%s", words[s->frame]);
    for (int k = 0; k < 2; k++)
        snprintf(s->axes[k], sizeof s->axes[k], landmarks ? "%c" : "%c_%d",
                 landmarks ? 'x' + k : 'x', k + 1);
}

static void tell_data(scene *s, const char *without)
{
    if (without != NULL && without[0] != '\0')
        scene_say(s, "The data points are not shown: %s.", without);
    else if (s->shown < s->total)
        scene_say(s, "%zu of the %zu rows are drawn, evenly spread over the file.", s->shown,
                  s->total);
}

static mst_status fill(scene *s, const saved_result *r, const estimation *e,
                       const labelled_rows *rows, const scene_estimates *all, const char *without)
{
    scene_map map;
    size_t D = e->ambient;
    size_t landmarks = mst_manifold_traits_of(e->m)->landmark_dim;
    double *x = NULL;
    mst_status status = choose_rows(s, e, landmarks > 0 ? D / landmarks : 1, rows);
    if (status == MST_OK)
        status = new_doubles(&x, s->shown, D);
    if (status != MST_OK)
        return status;
    for (size_t i = 0; i < s->shown; i++)
        memcpy(x + i * D, rows->x + s->row[i] * D, D * sizeof *x);
    status = scene_map_make(&map, e->m, s->shown, x, all->count > 0 ? all->list[0].x : NULL);
    s->frame = map.frame;
    s->dim = map.dim;
    s->each = map.each;
    if (status == MST_OK)
        status = name_groups(s, all);
    if (status == MST_OK && s->frame != SCENE_NONE)
        status = place_data(s, r, e, rows, &map, x);
    if (status == MST_OK)
        tell_frame(s, &map);
    if (status == MST_OK && map.in_space)
        status = scene_draw_surface(s, &map, s->shown, x);
    if (status == MST_OK && s->frame != SCENE_NONE)
        status = scene_draw_estimates(s, r, e, all, &map);
    if (status == MST_OK)
        tell_data(s, without);
    scene_map_free(&map);
    free(x);
    return status;
}

mst_status scene_make(scene *s, const saved_result *r, const estimation *e,
                      const labelled_rows *rows, const char *without)
{
    scene_estimates all;
    *s = (scene){.dim = 2, .each = 1, .group_count = 1, .look = {0.8, -0.5, 0.4}};
    mst_status status = scene_estimates_read(&all, r, e);
    if (status == MST_OK)
        status = fill(s, r, e, rows, &all, without);
    scene_estimates_free(&all);
    return status;
}
