/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "scene_estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 96 }; /* points of a region's rim */

static mst_status no_memory(void)
{
    return mst_fail(MST_MEMORY, "not enough memory for a picture");
}

/* ---- Reading ---- */

/* The numbers of nested arrays, row after row, `most` at most; how many there are. */
static size_t numbers_of(const mst_json_value *v, size_t most, double *out)
{
    size_t count = 0;
    if (mst_json_kind_of(v) == MST_JSON_NUMBER && most > 0) {
        *out = mst_json_as_number(v);
        return 1;
    }
    for (const mst_json_value *w = mst_json_first(v); w != NULL && count < most;
         w = mst_json_next(w))
        count += numbers_of(w, most - count, out + count);
    return count;
}

static mst_status read_point(const saved_result *r, const estimation *e, const mst_json_value *v,
                             double **x)
{
    size_t cols = mst_json_length(v);
    double *numbers;
    mst_points_options form = e->points;
    form.project = true; /* written numbers are off by rounding at most */
    form.report = NULL;
    form.shrink = MST_SHRINK_NONE;
    mst_status status = new_doubles(&numbers, cols + 1, 1);
    if (status == MST_OK)
        status = new_doubles(x, 1, e->ambient);
    if (status == MST_OK && numbers_of(v, cols, numbers) != cols)
        status = mst_fail(MST_FORMAT, "it is not made of numbers");
    if (status == MST_OK)
        status = mst_points_decode(e->m, cols, numbers, &form, *x);
    if (status == MST_FORMAT || status == MST_DOMAIN)
        status = mst_fail(status, "%s, a point of the result: %s", r->path, mst_error_detail());
    free(numbers);
    return status;
}

/* One more; a point that is null is none. */
static mst_status add(scene_estimates *all, const saved_result *r, const estimation *e,
                      const mst_json_value *point, const mst_json_value *from, const char *name)
{
    if (mst_json_kind_of(point) != MST_JSON_ARRAY)
        return MST_OK;
    scene_estimate *list = realloc(all->list, (all->count + 1) * sizeof *list);
    if (list == NULL)
        return no_memory();
    all->list = list;
    scene_estimate *one = &list[all->count++];
    *one = (scene_estimate){.name = name, .from = from};
    if (name == NULL)
        snprintf(one->own_name, sizeof one->own_name, "cluster %zu", all->count - 1);
    return read_point(r, e, point, &one->x);
}

mst_status scene_estimates_read(scene_estimates *all, const saved_result *r, const estimation *e)
{
    const mst_json_value *mean = mst_json_member(r->top, "mean"), *v;
    mst_status status = MST_OK;
    *all = (scene_estimates){0};
    if (mean != NULL)
        status = add(all, r, e, mean, r->top, "mean");
    for (v = mst_json_first(mst_json_member(r->top, "groups")); v != NULL && status == MST_OK;
         v = mst_json_next(v)) {
        const char *name = mst_json_as_string(mst_json_member(v, "group"));
        status = add(all, r, e, mst_json_member(v, "mean"), v, name != NULL ? name : "group");
    }
    for (v = mst_json_first(mst_json_member(r->top, "centres")); v != NULL && status == MST_OK;
         v = mst_json_next(v))
        status = add(all, r, e, v, NULL, NULL);
    if (status == MST_OK)
        status = add(all, r, e, mst_json_member(r->top, "intercept"), NULL, "intercept");
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].name == NULL)
            all->list[i].name = all->list[i].own_name;
    return status;
}

void scene_estimates_free(scene_estimates *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->list[i].x);
    free(all->list);
}

/* ---- Regions ---- */

/* The rim of {v : vᵀ C⁻¹ v ≤ ρ²} in two dimensions: ρ L (cos φ, sin φ), C = L Lᵀ. */
static bool rim(const double c[4], double radius2, double out[RING][2])
{
    double l11 = sqrt(c[0]), l21 = c[2] / l11, l22 = sqrt(fmax(c[3] - l21 * l21, 0));
    double rho = sqrt(radius2);
    for (size_t i = 0; i < RING; i++) {
        double phi = 2 * M_PI * (double)i / (RING - 1);
        out[i][0] = rho * l11 * cos(phi);
        out[i][1] = rho * (l21 * cos(phi) + l22 * sin(phi));
    }
    return isfinite(out[0][0]) && isfinite(out[0][1]);
}

/* A line through points x (n, D) of a surface; around the border of a square it begins anew. */
static mst_status add_rim(scene *s, const scene_map *map, size_t n, const double *x, size_t group)
{
    size_t D = mst_manifold_ambient(map->m), count = 0;
    double *path, last[2] = {NAN, NAN};
    mst_status status = new_doubles(&path, n, 3);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double *p = path + count * s->dim;
        status = scene_map_points(map, 1, x + i * D, p);
        if (s->frame == SCENE_SQUARE && status == MST_OK && count > 0 &&
            fmax(fabs(p[0] - last[0]), fabs(p[1] - last[1])) > M_PI) {
            status = scene_add_line(s, count, path, group, false);
            memmove(path, p, s->dim * sizeof *path);
            count = 0;
        }
        memcpy(last, path + count * s->dim, sizeof last);
        count++;
    }
    if (status == MST_OK)
        status = scene_add_line(s, count, path, group, false);
    free(path);
    return status;
}

/* On a surface: its rim carried over by the exponential map. */
static mst_status region_on_surface(scene *s, const scene_map *map, const scene_estimate *one,
                                    size_t group, const double *basis, const double *covariance,
                                    double radius2)
{
    size_t D = mst_manifold_ambient(map->m);
    double circle[RING][2], *work;
    if (!rim(covariance, radius2, circle))
        return MST_OK;
    mst_status status = new_doubles(&work, 1 + RING, D);
    if (status != MST_OK)
        return status;
    double *v = work, *y = work + D;
    for (size_t i = 0; i < RING && status == MST_OK; i++) {
        for (size_t k = 0; k < D; k++)
            v[k] = circle[i][0] * basis[k] + circle[i][1] * basis[D + k];
        status = mst_manifold_exp(map->m, 1, one->x, v, y + i * D);
    }
    if (status == MST_OK)
        status = add_rim(s, map, RING, y, group);
    free(work);
    return status == MST_DOMAIN ? MST_OK : status;
}

static mst_status add_arc(scene *s, size_t group, double from, double to)
{
    double path[RING][2];
    for (size_t i = 0; i < RING; i++) {
        double angle = from + (to - from) * (double)i / (RING - 1);
        path[i][0] = 0.94 * cos(angle);
        path[i][1] = 0.94 * sin(angle);
    }
    return scene_add_line(s, RING, &path[0][0], group, false);
}

static mst_status region_on_circle(scene *s, const scene_estimate *one, size_t group,
                                   double covariance, double radius2)
{
    double half = fmin(sqrt(covariance * radius2), M_PI);
    return add_arc(s, group, one->x[0] - half, one->x[0] + half);
}

/* The edge that the result of a score region has: arcs, or closed curves. */
static mst_status draw_edge(scene *s, const saved_result *r, const estimation *e,
                            const scene_map *map, const mst_json_value *parts, size_t group)
{
    size_t D = mst_manifold_ambient(map->m);
    mst_status status = MST_OK;
    for (const mst_json_value *v = mst_json_first(parts); v != NULL && status == MST_OK;
         v = mst_json_next(v)) {
        const mst_json_value *points = mst_json_member(v, "points");
        size_t n = mst_json_length(points), count = 0;
        double *x;
        status = new_doubles(&x, n + 2, D);
        for (const mst_json_value *w = mst_json_first(points); w != NULL && status == MST_OK;
             w = mst_json_next(w)) {
            double *one = NULL;
            status = read_point(r, e, w, &one);
            if (status == MST_OK)
                memcpy(x + D * count++, one, D * sizeof *x);
            free(one);
        }
        if (status == MST_OK && s->frame == SCENE_CIRCLE)
            status = add_arc(s, group, x[0], x[1] + (x[1] < x[0] ? 2 * M_PI : 0));
        else if (status == MST_OK)
            status = add_rim(s, map, count, x, group);
        free(x);
    }
    return status;
}

/* In a tangent space: the shadow of the ellipsoid on the plane of the two directions. */
static mst_status region_in_tangent(scene *s, const scene_map *map, size_t group,
                                    const double *basis, const double *covariance, double radius2)
{
    size_t d = mst_manifold_dim(map->m), D = mst_manifold_ambient(map->m);
    double shadow[4] = {0}, path[RING][2], *part;
    mst_status status = new_doubles(&part, d + 2, d);
    if (status != MST_OK)
        return status;
    double *along = part + d * d; /* (2, d): basis vector i along direction k */
    for (size_t i = 0; i < d && status == MST_OK; i++) {
        status = mst_manifold_to_frame(map->m, 1, map->base, basis + i * D, part);
        for (size_t k = 0; k < 2; k++) {
            along[k * d + i] = 0;
            for (size_t c = 0; c < d; c++)
                along[k * d + i] += part[c] * map->directions[k * d + c];
        }
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < 4; k++)
                shadow[k] += covariance[i * d + j] * along[k / 2 * d + i] * along[k % 2 * d + j];
    if (status == MST_OK && rim(shadow, radius2, path))
        status = scene_add_line(s, RING, &path[0][0], group, false);
    free(part);
    return status;
}

/* The region of an ellipsoid in the basis of the tangent space, or the edge that the result has. */
static mst_status draw_region(scene *s, const saved_result *r, const estimation *e,
                              const scene_map *map, const scene_estimate *one, size_t group,
                              bool *drawn)
{
    const mst_json_value *edge = mst_json_member(one->from, "region_boundary");
    size_t d = mst_manifold_dim(map->m), D = mst_manifold_ambient(map->m);
    const char *kind = mst_json_as_string(mst_json_member(one->from, "region_kind"));
    const char *units = mst_json_as_string(mst_json_member(one->from, "units"));
    double radius2 = mst_json_as_number(mst_json_member(one->from, "region_radius2"));
    double unit = units != NULL && strcmp(units, "degrees") == 0 ? M_PI / 180 : 1;
    bool possible = map->in_tangent ? one->x == map->base : s->each == 1 && d <= 2;
    double *numbers;
    if (edge != NULL && !map->in_tangent && s->each == 1 && d <= 2) {
        *drawn = true;
        return draw_edge(s, r, e, map, edge, group);
    }
    if (kind == NULL || strcmp(kind, "ellipsoid") != 0 || !(radius2 > 0) || !possible)
        return MST_OK;
    mst_status status = new_doubles(&numbers, d, d + D);
    if (status != MST_OK)
        return status;
    double *covariance = numbers, *basis = numbers + d * d;
    size_t lines = s->line_count;
    bool whole =
        numbers_of(mst_json_member(one->from, "mean_covariance"), d * d, covariance) == d * d &&
        numbers_of(mst_json_member(one->from, "basis"), d * D, basis) == d * D;
    for (size_t i = 0; i < d * d; i++)
        covariance[i] *= unit * unit;
    if (whole && map->in_tangent)
        status = region_in_tangent(s, map, group, basis, covariance, radius2);
    else if (whole && s->frame == SCENE_CIRCLE)
        status = region_on_circle(s, one, group, covariance[0], radius2);
    else if (whole && d == 2)
        status = region_on_surface(s, map, one, group, basis, covariance, radius2);
    *drawn |= s->line_count > lines;
    free(numbers);
    return status;
}

/* ---- Marks ---- */

/* A point of several dots: axes from the centre, landmarks joined. */
static mst_status draw_parts(scene *s, const double *at, size_t group, const char *name)
{
    static const char axes[] = "xyz";
    mst_status status = MST_OK;
    bool rotation = s->frame == SCENE_BALL;
    char text[128];
    for (size_t k = 0; k < s->each && status == MST_OK; k++) {
        double ray[6] = {0};
        size_t colour = s->by_axis ? k : group;
        if (rotation) {
            snprintf(text, sizeof text, "%.90s, %c axis", name, axes[k]);
            memcpy(ray + 3, at + 3 * k, 3 * sizeof *ray);
            status = scene_add_line(s, 2, ray, colour, false);
        } else {
            snprintf(text, sizeof text, "%.90s, landmark %zu", name, k + 1);
        }
        if (status == MST_OK)
            status = scene_add_mark(s, at + k * s->dim, colour, text, false);
    }
    if (status == MST_OK && !rotation)
        status = scene_add_line(s, s->each, at, group, false);
    return status;
}

static mst_status draw_one(scene *s, const scene_map *map, const double *x, size_t group,
                           const char *name, bool other)
{
    double *at;
    mst_status status = new_doubles(&at, s->each, s->dim);
    if (status == MST_OK)
        status = scene_map_points(map, 1, x, at);
    if (status == MST_OK && isfinite(at[0]))
        status = s->each > 1 ? draw_parts(s, at, group, name)
                             : scene_add_mark(s, at, group, name, other);
    free(at);
    return status;
}

/* From the side, so that the sphere is seen as one. */
static void look_at(scene *s, const scene_map *map, const double *x)
{
    double at[9];
    if (s->frame != SCENE_BALL || scene_map_points(map, 1, x, at) != MST_OK)
        return;
    for (size_t k = 0; k < 3 && s->each == 3; k++) /* all axes in front */
        s->look[k] = at[k] + at[3 + k] + at[6 + k];
    if (s->each == 3)
        return;
    double yaw = atan2(at[1], at[0]) + 0.4;
    double tilt = fmax(-0.7, fmin(0.85, asin(fmax(-1, fmin(1, at[2]))) + 0.25));
    memcpy(s->look, (double[]){cos(yaw) * cos(tilt), sin(yaw) * cos(tilt), sin(tilt)},
           sizeof s->look);
}

/* Other means that are as good. */
static mst_status draw_set(scene *s, const saved_result *r, const estimation *e,
                           const scene_map *map, const mst_json_value *set, size_t group)
{
    mst_status status = MST_OK;
    const mst_json_value *v = mst_json_first(set);
    for (v = v != NULL ? mst_json_next(v) : NULL; v != NULL && status == MST_OK;
         v = mst_json_next(v)) {
        double *x = NULL;
        status = read_point(r, e, mst_json_member(v, "mean"), &x);
        if (status == MST_OK)
            status = draw_one(s, map, x, group, "another mean, as good", true);
        free(x);
    }
    return status;
}

/* The curve of a regression on one column: Exp(intercept, s v) over the fitted points. */
static mst_status draw_curve(scene *s, const saved_result *r, const estimation *e,
                             const scene_estimate *at, const scene_map *map)
{
    enum { STEPS = 121 };
    size_t D = e->ambient;
    const mst_json_value *velocities = mst_json_member(r->top, "velocities");
    const mst_json_value *fitted = mst_json_member(r->top, "fitted");
    double *work, *x = NULL, low = 0, high = 0, square;
    if (mst_json_length(velocities) != 1 || s->each > 1 || e->points.degrees || e->points.latlon)
        return MST_OK;
    mst_status status = new_doubles(&work, 3 + STEPS, D > 3 ? D : 3);
    if (status != MST_OK)
        return status;
    double *v = work, *w = work + D, *y = work + 2 * D, *path = work + 3 * D;
    bool whole = numbers_of(velocities, D, v) == D;
    if (whole)
        status = mst_manifold_inner(e->m, 1, at->x, v, v, &square);
    for (const mst_json_value *f = mst_json_first(fitted);
         whole && f != NULL && status == MST_OK && square > 0; f = mst_json_next(f)) {
        double along;
        unsigned char flag;
        free(x);
        x = NULL;
        status = read_point(r, e, f, &x);
        if (status == MST_OK)
            status = mst_manifold_log(e->m, 1, at->x, x, w, &flag);
        if (status == MST_OK)
            status = mst_manifold_inner(e->m, 1, at->x, v, w, &along);
        if (status == MST_OK && isfinite(along)) {
            low = fmin(low, along / square);
            high = fmax(high, along / square);
        }
    }
    for (size_t i = 0; whole && high > low && i < STEPS && status == MST_OK; i++) {
        double t = low + (high - low) * (double)i / (STEPS - 1);
        for (size_t k = 0; k < D; k++)
            w[k] = t * v[k];
        status = mst_manifold_exp(e->m, 1, at->x, w, y);
        if (status == MST_OK)
            status = scene_map_points(map, 1, y, path + i * s->dim);
    }
    if (status == MST_OK && whole && high > low && s->frame != SCENE_SQUARE) {
        status = scene_add_line(s, STEPS, path, 1, false);
        scene_say(s, "The curve is the fitted geodesic over the range of the data.");
    }
    free(x);
    free(work);
    return status == MST_MEMORY ? status : MST_OK;
}

mst_status scene_draw_estimates(scene *s, const saved_result *r, const estimation *e,
                                const scene_estimates *all, const scene_map *map)
{
    mst_status status = MST_OK;
    bool regions = false;
    for (size_t i = 0; i < all->count && status == MST_OK; i++) {
        const scene_estimate *one = &all->list[i];
        size_t colour = all->count == 1 && i == 0 ? 1 : i; /* alone it stands out from its points */
        if (one->from != NULL)
            status = draw_region(s, r, e, map, one, colour, &regions);
        if (status == MST_OK)
            status = draw_one(s, map, one->x, colour, one->name, false);
        if (status == MST_OK && i == 0)
            look_at(s, map, one->x);
        if (status == MST_OK)
            status = draw_set(s, r, e, map, mst_json_member(one->from, "mean_set"), colour);
    }
    double confidence = mst_json_as_number(
        mst_json_member(all->count > 0 ? all->list[0].from : NULL, "confidence"));
    if (regions)
        scene_say(s, "%s the mean with probability %.4g.",
                  s->frame == SCENE_CIRCLE ? "The arc inside the circle holds"
                                           : "Closed lines are regions that hold",
                  confidence);
    if (status == MST_OK && all->count == 1 && mst_json_member(r->top, "intercept") != NULL)
        status = draw_curve(s, r, e, &all->list[0], map);
    return status;
}
