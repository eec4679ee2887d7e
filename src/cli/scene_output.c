/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A scene as numbers for the page's script, and as a still picture for print and for pages without one. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- For the script ---- */

/* Six digits are more than a canvas shows. */
static double short_number(double x)
{
    char text[32];
    if (!isfinite(x))
        return NAN;
    snprintf(text, sizeof text, "%.6g", x);
    return strtod(text, NULL);
}

static void short_numbers(mst_json *j, const char *key, size_t n, const double *x)
{
    mst_json_key(j, key);
    mst_json_array(j);
    for (size_t i = 0; i < n; i++)
        mst_json_number(j, short_number(x[i]));
    mst_json_end(j);
}

void scene_json(const scene *s, mst_json *j)
{
    mst_json_object(j);
    json_member_string(j, "frame", scene_frames[s->frame]);
    json_member_integer(j, "dim", s->dim);
    json_member_integer(j, "total", s->total);
    json_member_integer(j, "each", s->each);
    mst_json_key(j, "axes");
    mst_json_array(j);
    for (int k = 0; k < 2; k++)
        mst_json_string(j, s->axes[k]);
    mst_json_end(j);
    mst_json_key(j, "names");
    mst_json_array(j);
    for (size_t i = 0; s->names != NULL && i < s->group_count; i++)
        mst_json_string(j, s->names[i]);
    mst_json_end(j);
    short_numbers(j, "look", 3, s->look);
    short_numbers(j, "points", s->dots * s->dim, s->points);
    json_member_sizes(j, "group", s->group != NULL ? s->dots : 0, s->group);
    json_member_sizes(j, "row", s->shown, s->row);
    json_member_integer(j, "width", s->width);
    short_numbers(j, "values", s->shown * s->width, s->values);
    mst_json_key(j, "marks");
    mst_json_array(j);
    for (size_t i = 0; i < s->mark_count; i++) {
        mst_json_object(j);
        json_member_string(j, "name", s->marks[i].name);
        json_member_integer(j, "group", s->marks[i].group);
        json_member_bool(j, "other", s->marks[i].other);
        short_numbers(j, "at", s->dim, s->marks[i].at);
        mst_json_end(j);
    }
    mst_json_end(j);
    mst_json_key(j, "lines");
    mst_json_array(j);
    for (size_t i = 0; i < s->line_count; i++) {
        const scene_line *l = &s->lines[i];
        mst_json_object(j);
        json_member_integer(j, "group", l->group);
        json_member_bool(j, "thin", l->thin);
        short_numbers(j, "at", l->count * s->dim, s->path + l->first * s->dim);
        mst_json_end(j);
    }
    mst_json_end(j);
    mst_json_end(j);
}

/* ---- The still picture ---- */

enum { SIZE = 480, BORDER = 34, COLOURS = 8 };

typedef struct still {
    const scene *s;
    FILE *out;
    double right[3], up[3], toward[3]; /* the eye's */
    double centre[3], scale;
} still;

/* On the paper; how near it is to the eye. */
static double place(const still *v, const double *p, double at[2])
{
    double x = 0, y = 0, depth = 0;
    for (size_t k = 0; k < v->s->dim; k++) {
        double c = p[k] - v->centre[k];
        x += c * v->right[k];
        y += c * v->up[k];
        depth += c * v->toward[k];
    }
    at[0] = SIZE / 2.0 + v->scale * x;
    at[1] = SIZE / 2.0 - v->scale * y;
    return depth;
}

static void set_eye(still *v)
{
    const double *look = v->s->look;
    memcpy(v->right, (double[]){1, 0, 0}, sizeof v->right);
    memcpy(v->up, (double[]){0, 1, 0}, sizeof v->up);
    memcpy(v->toward, (double[]){0, 0, 1}, sizeof v->toward);
    if (v->s->dim == 2)
        return;
    double yaw = atan2(look[1], look[0]), tilt = atan2(look[2], hypot(look[0], look[1]));
    memcpy(v->right, (double[]){-sin(yaw), cos(yaw), 0}, sizeof v->right);
    memcpy(v->up, (double[]){-cos(yaw) * sin(tilt), -sin(yaw) * sin(tilt), cos(tilt)},
           sizeof v->up);
    memcpy(v->toward, (double[]){cos(yaw) * cos(tilt), sin(yaw) * cos(tilt), sin(tilt)},
           sizeof v->toward);
}

static void widen(size_t n, size_t dim, const double *x, double low[3], double high[3])
{
    for (size_t i = 0; i < n * dim; i++)
        if (isfinite(x[i])) {
            low[i % dim] = fmin(low[i % dim], x[i]);
            high[i % dim] = fmax(high[i % dim], x[i]);
        }
}

/* All of it in the middle of the paper. */
static void set_scale(still *v)
{
    const scene *s = v->s;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double reach = s->frame == SCENE_SQUARE ? M_PI : 1.02;
    bool free_frame = s->frame == SCENE_PLANE || s->frame == SCENE_SPACE;
    widen(s->dots, s->dim, s->points, low, high);
    widen(s->path_count, s->dim, s->path, low, high);
    for (size_t i = 0; i < s->mark_count; i++)
        widen(1, s->dim, s->marks[i].at, low, high);
    for (size_t k = 0; k < s->dim && s->frame == SCENE_CIRCLE; k++)
        reach = fmax(reach, fmax(fabs(low[k]), fabs(high[k])));
    for (size_t k = 0; k < s->dim && free_frame; k++) {
        reach = k == 0 ? 1e-300 : reach;
        v->centre[k] = isfinite(low[k]) ? (low[k] + high[k]) / 2 : 0;
    }
    for (size_t k = 0; k < s->dim && free_frame; k++)
        if (isfinite(low[k]))
            reach = fmax(reach, (high[k] - low[k]) / 2 * (s->dim == 3 ? 1.25 : 1.05));
    v->scale = (SIZE / 2.0 - BORDER) / (reach > 1e-300 ? reach : 1);
}

static void draw_frame(const still *v)
{
    double a[2], r = v->scale;
    FILE *out = v->out;
    const scene *s = v->s;
    place(v, (double[]){0, 0, 0}, a);
    switch (s->frame) {
    case SCENE_BALL:
    case SCENE_CIRCLE:
    case SCENE_DISC:
        fprintf(out, "<circle class=\"frame\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", a[0], a[1],
                r);
        return;
    case SCENE_NONE:
    case SCENE_SPACE:
        return;
    case SCENE_SQUARE:
    case SCENE_PLANE:
        break;
    }
    double side = s->frame == SCENE_SQUARE ? r * M_PI : SIZE / 2.0 - BORDER, m = SIZE / 2.0;
    double half = side / v->scale;
    fprintf(out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            m - side, m - side, 2 * side, 2 * side);
    fprintf(out,
            "<text x=\"%.1f\" y=\"%d\">%.4g</text><text x=\"%.1f\" y=\"%d\" "
            "class=\"end\">%.4g</text>\n",
            m - side, SIZE - 18, v->centre[0] - half, m + side, SIZE - 18, v->centre[0] + half);
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">%s</text>\n", m, SIZE - 18,
            s->axes[0]);
    fprintf(out, "<text transform=\"translate(20 %.1f) rotate(-90)\" class=\"middle\">%s</text>\n",
            m, s->axes[1]);
    fprintf(out, "<text transform=\"translate(20 %.1f) rotate(-90)\">%.4g</text>", m + side,
            v->centre[1] - half);
    fprintf(out, "<text transform=\"translate(20 %.1f) rotate(-90)\" class=\"end\">%.4g</text>\n",
            m - side, v->centre[1] + half);
}

/* Of the ball, every 30 degrees, in front only. */
static void draw_grid(const still *v)
{
    enum { STEPS = 72 };
    for (int circle = 0; circle < 11; circle++) {
        bool pen = false;
        fputs("<path class=\"grid\" d=\"", v->out);
        for (int i = 0; i <= STEPS; i++) {
            double turn = 2 * M_PI * i / STEPS, a[2], p[3];
            double lat = M_PI / 6 * (circle - 2), lon = M_PI / 6 * (circle - 5);
            if (circle < 5) {
                memcpy(p, (double[]){cos(lat) * cos(turn), cos(lat) * sin(turn), sin(lat)},
                       sizeof p);
            } else {
                memcpy(p, (double[]){cos(turn) * cos(lon), cos(turn) * sin(lon), sin(turn)},
                       sizeof p);
            }
            bool front = place(v, p, a) >= 0;
            if (front)
                fprintf(v->out, "%c%.1f %.1f", pen ? 'L' : 'M', a[0], a[1]);
            pen = front;
        }
        fputs("\"/>\n", v->out);
    }
}

static void draw_dots(const still *v, bool behind)
{
    const scene *s = v->s;
    for (size_t i = 0; i < s->dots; i++) {
        double a[2], *p = s->points + i * s->dim;
        if (!isfinite(p[0]))
            continue;
        bool back = place(v, p, a) < 0 && s->frame == SCENE_BALL;
        if (back == behind)
            fprintf(v->out, "<circle class=\"dot g%zu%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>\n",
                    s->group != NULL ? s->group[i] % COLOURS : 0, behind ? " back" : "", a[0], a[1],
                    s->dots > 600 ? "1.6" : "2.8");
    }
}

static void draw_lines(const still *v, bool behind)
{
    const scene *s = v->s;
    for (size_t i = 0; i < s->line_count; i++) {
        const scene_line *l = &s->lines[i];
        bool pen = false;
        fprintf(v->out, "<path class=\"line l%zu%s%s\" d=\"", l->group % COLOURS,
                l->thin ? " thin" : "", behind ? " back" : "");
        for (size_t k = 0; k < l->count; k++) {
            double a[2], *p = s->path + (l->first + k) * s->dim;
            bool here = isfinite(p[0]);
            if (here)
                here = (place(v, p, a) < -1e-9 && s->frame == SCENE_BALL) == behind;
            if (here)
                fprintf(v->out, "%c%.1f %.1f", pen ? 'L' : 'M', a[0], a[1]);
            pen = here;
        }
        fputs("\"/>\n", v->out);
    }
}

static void draw_marks(const still *v)
{
    const scene *s = v->s;
    for (size_t i = 0; i < s->mark_count; i++) {
        double a[2];
        bool back = place(v, s->marks[i].at, a) < -1e-9 && s->frame == SCENE_BALL;
        fprintf(v->out, "<path class=\"mark g%zu%s%s\" d=\"M%.1f %.1fl7 7l-7 7l-7 -7z\"/>\n",
                s->marks[i].group % COLOURS, s->marks[i].other ? " other" : "", back ? " back" : "",
                a[0], a[1] - 7);
    }
}

void scene_svg(const scene *s, FILE *out, const char *id, const char *title)
{
    still v = {.s = s, .out = out};
    set_eye(&v);
    set_scale(&v);
    fprintf(out,
            "<svg class=\"still\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s\">"
            "<title id=\"%s\">%s</title>\n",
            SIZE, SIZE, id, id, title);
    draw_frame(&v);
    draw_dots(&v, true);
    draw_lines(&v, true);
    if (s->frame == SCENE_BALL)
        draw_grid(&v);
    draw_dots(&v, false);
    draw_lines(&v, false);
    draw_marks(&v);
    fputs("</svg>\n", out);
}
