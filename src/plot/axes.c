/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/axes.h"

#include <math.h>
#include <stdio.h>

void axis_take(axis *a, double value)
{
    if (!isfinite(value) || (a->log && !(value > 0)))
        return;
    a->low = isnan(a->low) ? value : fmin(a->low, value);
    a->high = isnan(a->high) ? value : fmax(a->high, value);
}

static double share(const axis *a, double value)
{
    return a->log ? log(value / a->low) / log(a->high / a->low)
                  : (value - a->low) / (a->high - a->low);
}

static double value_at(const axis *a, double s)
{
    return a->log ? a->low * pow(a->high / a->low, s) : a->low + s * (a->high - a->low);
}

double axes_x(const axes *a, double value)
{
    return a->left + a->width * share(&a->x, value);
}

double axes_y(const axes *a, double value)
{
    return a->top + a->height * (1 - share(&a->y, value));
}

double axes_x_value(const axes *a, double x)
{
    return value_at(&a->x, (x - a->left) / a->width);
}

double axes_y_value(const axes *a, double y)
{
    return value_at(&a->y, 1 - (y - a->top) / a->height);
}

bool axes_inside(const axes *a, double x, double y)
{
    const double slack = 0.01;
    return x >= a->left - slack && x <= a->left + a->width + slack && y >= a->top - slack &&
           y <= a->top + a->height + slack;
}

/* ---- Ticks ---- */

/* 1, 2 or 5 times a power of ten that makes about `count` steps. */
static double nice_step(double range, double count)
{
    double raw = range / count, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/* A range that has an inside. */
static void widen(axis *a)
{
    if (isnan(a->low)) {
        a->low = a->log ? 0.1 : 0;
        a->high = 1;
    }
    if (a->log) {
        if (!(a->high / a->low > 1.5)) {
            a->low /= 2;
            a->high *= 2;
        }
        a->low /= 1.15;
        a->high *= 1.15;
    } else if (!a->exact) {
        double range = a->high - a->low, least = 1e-9 * fmax(fabs(a->low), fabs(a->high));
        if (!(range > least))
            range = fmax(least, fmax(fabs(a->low), 1e-300) * 0.1) * 10;
        a->low -= 0.06 * range;
        a->high += 0.06 * range;
    }
}

static void format_tick(char text[32], double value, double step)
{
    int digits = (int)fmax(0, -floor(log10(step) + 1e-9));
    double rounded = fabs(value) < step / 1e6 ? 0 : value;
    if (fabs(value) >= 1e5 || digits > 4)
        snprintf(text, 32, "%.3g", rounded);
    else
        snprintf(text, 32, "%.*f", digits, rounded);
}

enum { MOST_TICKS = 24 };
typedef struct ticks {
    size_t count;
    double at[MOST_TICKS];
    char text[MOST_TICKS][32];
} ticks;

static void log_ticks(const axis *a, ticks *t)
{
    double decades = log10(a->high / a->low);
    int every = (int)ceil(decades / 6);
    static const double few[] = {1, 2, 5};
    size_t inner = decades < 2.5 ? 3 : 1;
    for (int power = (int)floor(log10(a->low)); power <= (int)floor(log10(a->high)); power++)
        for (size_t k = 0; k < inner; k++) {
            double value = few[k] * pow(10, power);
            if (power % (every > 0 ? every : 1) == 0 && value >= a->low && value <= a->high &&
                t->count < MOST_TICKS) {
                t->at[t->count] = value;
                snprintf(t->text[t->count++], 32, "%g", value);
            }
        }
}

static void make_ticks(const axis *a, double count, ticks *t)
{
    t->count = 0;
    for (size_t i = 0; a->at != NULL && i < a->ticks && i < MOST_TICKS; i++) {
        t->at[i] = a->at[i];
        snprintf(t->text[t->count++], 32, "%s", a->labels[i]);
    }
    if (a->at != NULL)
        return;
    if (a->log) {
        log_ticks(a, t);
        return;
    }
    /* One alone does not tell a scale. */
    for (int tries = 0; t->count < 2 && tries < 4; tries++, count *= 2) {
        double step = nice_step(a->high - a->low, count);
        t->count = 0;
        for (double k = ceil(a->low / step - 1e-9);
             k * step <= a->high + 1e-9 * step && t->count < MOST_TICKS; k++) {
            t->at[t->count] = k * step;
            format_tick(t->text[t->count++], k * step, step);
        }
    }
}

/* ---- The rectangle ---- */

/* One scale for both: the shorter range grows about its middle. */
static void make_equal(axes *a)
{
    double per_x = (a->x.high - a->x.low) / a->width, per_y = (a->y.high - a->y.low) / a->height;
    axis *grows = per_x < per_y ? &a->x : &a->y;
    double range = per_x < per_y ? per_y * a->width : per_x * a->height;
    double middle = (grows->low + grows->high) / 2;
    grows->low = middle - range / 2;
    grows->high = middle + range / 2;
}

static void draw_ticks(const axes *a, canvas *c, const ticks *tx, const ticks *ty)
{
    const pen grid = {paint_line, 0.35, false}, edge = {paint_ink, 0.7, false};
    for (size_t i = 0; i < tx->count; i++) {
        double x = axes_x(a, tx->at[i]);
        canvas_move(c, x, a->top);
        canvas_draw_to(c, x, a->top + a->height);
        canvas_stroke(c, grid);
        canvas_move(c, x, a->top + a->height);
        canvas_draw_to(c, x, a->top + a->height + 3);
        canvas_stroke(c, edge);
        canvas_text(c, x, a->top + a->height + 8, ANCHOR_MIDDLE, "%s", tx->text[i]);
    }
    for (size_t i = 0; i < ty->count; i++) {
        double y = axes_y(a, ty->at[i]);
        canvas_move(c, a->left, y);
        canvas_draw_to(c, a->left + a->width, y);
        canvas_stroke(c, grid);
        canvas_move(c, a->left - 3, y);
        canvas_draw_to(c, a->left, y);
        canvas_stroke(c, edge);
        canvas_text(c, a->left - 5, y, ANCHOR_RIGHT, "%s", ty->text[i]);
    }
    canvas_rectangle(c, a->left, a->top, a->width, a->height);
    canvas_stroke(c, edge);
}

void axes_open(axes *a, canvas *c, double ratio, bool equal)
{
    ticks tx, ty;
    widen(&a->x);
    widen(&a->y);
    /* The width of the labels is not known before the scale is, which hangs on it: twice is enough. */
    double labels = 20;
    for (int pass = 0; pass < 2; pass++) {
        a->left = labels + 6 + (a->y.name != NULL ? 11 : 0);
        a->top = 4;
        a->width = canvas_width(c) - a->left - 6;
        a->height = ratio * a->width;
        if (equal && pass == 0)
            make_equal(a);
        make_ticks(&a->y, a->height / 28, &ty);
        labels = 0;
        for (size_t i = 0; i < ty.count; i++)
            labels = fmax(labels, canvas_text_width(c, ty.text[i]));
    }
    if (equal)
        make_equal(a);
    make_ticks(&a->x, a->width / 38, &tx);
    canvas_set_height(c, a->top + a->height + 13 + (a->x.name != NULL ? 9 : 0));
    draw_ticks(a, c, &tx, &ty);
    if (a->x.name != NULL)
        canvas_text(c, a->left + a->width / 2, a->top + a->height + 18, ANCHOR_MIDDLE, "%s",
                    a->x.name);
    if (a->y.name != NULL)
        canvas_text_up(c, 4, a->top + a->height / 2, a->y.name);
}

mst_status axes_layers(const axes *a, canvas *c, const mst_picture *p, projection to)
{
    to.left = a->left;
    to.top = a->top;
    to.width = a->width;
    to.height = a->height;
    canvas_rectangle(c, a->left, a->top, a->width, a->height);
    canvas_clip(c);
    mst_status status = plot_layers(c, p, &to);
    canvas_unclip(c);
    return status;
}
