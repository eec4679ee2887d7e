/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results of `regress`, `train` and `check`. */
#include "plot/saved.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- regress ---- */

/* The curve over its covariate, "line" of the result: there is one if there is one column. */
static mst_status read_line(mst_saved *s, const mst_json_value *top, mst_picture_curve *curve)
{
    const mst_json_value *line;
    size_t points, count, rows;
    double unit, *band;
    const double *written;
    MST_TRY(stored_need(s, top, "line", MST_JSON_OBJECT, &line));
    unit = stored_length_unit(line);
    MST_TRY(stored_points(s, line, "points", &curve->points, &points));
    MST_TRY(stored_numbers(s, line, "x", &curve->s, &count));
    MST_TRY(stored_numbers(s, line, "band", &written, &rows));
    if (points < 2 || count != points || rows != points)
        return mst_fail(MST_FORMAT,
                        "%s: \"line\" has %zu points, %zu numbers \"x\" and %zu \"band\"", s->name,
                        points, count, rows);
    curve->count = points;
    MST_TRY(stored_new(s, &band, points));
    bool known = true;
    for (size_t i = 0; i < points; i++) {
        band[i] = written[i] * unit;
        known = known && isfinite(band[i]);
    }
    curve->band = known ? band : NULL;
    MST_TRY(stored_numbers(s, line, "rows", &s->picture.s, &rows));
    if (rows != s->rows)
        return mst_fail(MST_FORMAT, "%s: \"line\" has %zu \"rows\" of %zu", s->name, rows, s->rows);
    return MST_OK;
}

/* Of several covariates there is no curve over one of them, and of networks none is written: what can be seen
 * is where the rows of --predict go. */
static mst_status read_predictions(mst_saved *s, const mst_json_value *top, size_t terms)
{
    enum { NAMED = 7 };
    const double *points;
    mst_picture_mean *means;
    size_t count, D = mst_manifold_ambient(s->picture.m);
    if (mst_json_member(top, "predictions") == NULL)
        return mst_fail(MST_UNABLE,
                        "%s has %zu term%s and no curve over one of them; there are pictures of "
                        "geodesics over one term, and of predictions, if a result has some",
                        s->name, terms, terms == 1 ? "" : "s");
    MST_TRY(stored_points(s, top, "predictions", &points, &count));
    MST_TRY(stored_new(s, &means, count + 1));
    for (size_t k = 0; k < count; k++) {
        means[k] = (mst_picture_mean){.at = points + k * D, .time = NAN, .weight = NAN};
        if (count <= NAMED)
            MST_TRY(stored_text(s, &means[k].name, "row %zu", k + 1));
    }
    s->picture.means = means;
    s->picture.mean_count = count;
    s->picture.mean_word = "prediction";
    MST_TRY(stored_text(s, &s->picture.title, "Predictions of a regression on %s", s->space));
    return stored_text(s, &s->picture.caption,
                       "n = %zu, %zu term%s; predictions for %zu row%s of covariates. How certain "
                       "they are is not drawn.",
                       s->rows, terms, terms == 1 ? "" : "s", count, count == 1 ? "" : "s");
}

mst_status stored_read_regress(mst_saved *s, const mst_json_value *top)
{
    mst_picture_curve *curve;
    const mst_json_value *terms;
    const char *shape = stored_string(top, "curve"), *noun = NULL;
    double p_value = stored_number(mst_json_member(top, "whole_model"), "p_value");
    char test[80] = "", band[160] = " There is no band: the fit has no error bars.";
    MST_TRY(stored_need(s, top, "terms", MST_JSON_ARRAY, &terms));
    bool network = shape != NULL && strcmp(shape, "network") == 0;
    if (mst_json_length(terms) != 1 || (network && mst_json_member(top, "line") == NULL))
        return read_predictions(s, top, mst_json_length(terms));
    MST_TRY(stored_new(s, &curve, 1));
    MST_TRY(read_line(s, top, curve));
    MST_TRY(stored_text(s, &noun, "%s", mst_json_as_string(mst_json_first(terms))));
    curve->name = "fitted curve";
    s->picture.curves = curve;
    s->picture.curve_count = 1;
    s->picture.over = MST_OVER_COVARIATE;
    s->picture.x_name = mst_manifold_dim(s->picture.m) == 1 ? noun : NULL;
    if (isfinite(p_value))
        snprintf(test, sizeof test, ", p %s %.2g", p_value < 1e-4 ? "<" : "=", fmax(p_value, 1e-4));
    if (curve->band != NULL)
        snprintf(band, sizeof band,
                 " Band: %g %% confidence for the curve at each value, not for new points.",
                 100 * stored_number(top, "confidence"));
    bool geodesic = shape != NULL && strcmp(shape, "geodesic") == 0;
    MST_TRY(stored_text(s, &s->picture.title, "%s regression on %s",
                        geodesic ? "Geodesic" : "Curve", s->space));
    return stored_text(
        s, &s->picture.caption, "n = %zu; curve over %s from %.4g to %.4g, R\u00b2 = %.2g%s.%s%s",
        s->rows, noun, curve->s[0], curve->s[curve->count - 1], stored_number(top, "r_squared"),
        test, band,
        mst_json_as_bool(mst_json_member(top, "converged")) ? "" : " The fit did not converge.");
}

/* ---- train ---- */

mst_status stored_read_train(mst_saved *s, const mst_json_value *top)
{
    static const char *const keys[] = {"loss", "excess"};
    static const char *const names[] = {"loss", "excess over the short-time score"};
    const mst_json_value *history;
    const double *steps, *values;
    size_t count, others;
    mst_picture_series *series;
    const char *loss = stored_string(top, "loss");
    MST_TRY(stored_need(s, top, "history", MST_JSON_OBJECT, &history));
    MST_TRY(stored_numbers(s, history, "step", &steps, &count));
    MST_TRY(stored_new(s, &series, 2));
    for (size_t k = 0; k < 2; k++) {
        bool any = false;
        MST_TRY(stored_numbers(s, history, keys[k], &values, &others));
        if (others != count)
            return mst_fail(MST_FORMAT, "%s: \"history\" has %zu \"step\" and %zu \"%s\"", s->name,
                            count, others, keys[k]);
        for (size_t i = 0; i < count; i++)
            any = any || isfinite(values[i]);
        if (any)
            series[s->picture.series_count++] =
                (mst_picture_series){.name = names[k], .count = count, .x = steps, .y = values};
    }
    if (count == 0 || s->picture.series_count == 0)
        return mst_fail(MST_FORMAT, "%s: the \"history\" of the training is empty", s->name);
    s->picture.series = series;
    s->picture.over = MST_OVER_STEPS;
    s->picture.x_name = "step";
    s->picture.y_name = "per dimension";
    MST_TRY(stored_text(s, &s->picture.title, "Training on %s, loss %s", s->space,
                        loss != NULL ? loss : "?"));
    return stored_text(s, &s->picture.caption,
                       "%.0f steps, %.3g samples. Loss: running mean on the samples, noise of the "
                       "targets included. Excess: "
                       "held-out loss over that of the short-time approximation, less 1; below 0 "
                       "the network is better.",
                       stored_number(top, "steps"), stored_number(top, "samples"));
}

/* ---- check ---- */

static mst_status band_series(mst_saved *s, const mst_json_value *bands, const char *key,
                              const char *name, mst_picture_series *out)
{
    char error[40];
    double *x, *y, *low, *high;
    size_t n = mst_json_length(bands), i = 0;
    bool any = false, bars = false;
    MST_TRY(stored_new(s, &x, 4 * n + 1));
    y = x + n;
    low = y + n;
    high = low + n;
    snprintf(error, sizeof error, "%s_se", key);
    for (const mst_json_value *b = mst_json_first(bands); b != NULL; b = mst_json_next(b), i++) {
        double se = stored_number(b, error);
        x[i] = sqrt(stored_number(b, "t_low") * stored_number(b, "t_high"));
        y[i] = stored_number(b, key);
        low[i] = y[i] - 2 * se;
        high[i] = y[i] + 2 * se;
        any = any || isfinite(y[i]);
        bars = bars || isfinite(se);
    }
    *out = (mst_picture_series){.name = name,
                                .count = any ? n : 0,
                                .x = x,
                                .y = y,
                                .low = bars ? low : NULL,
                                .high = bars ? high : NULL};
    return MST_OK;
}

mst_status stored_read_check(mst_saved *s, const mst_json_value *top)
{
    static const struct {
        const char *key, *name;
    } wanted[] = {{"score_error", "score, against the reference"},
                  {"time_error", "time derivative, against the reference"},
                  {"heat_residual", "heat equation"},
                  {"asymmetry", "asymmetry in x and y"}};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    const mst_json_value *certificate, *bands;
    mst_picture_series *series;
    size_t count = 0;
    MST_TRY(stored_need(s, top, "certificate", MST_JSON_OBJECT, &certificate));
    MST_TRY(stored_need(s, certificate, "bands", MST_JSON_ARRAY, &bands));
    MST_TRY(stored_new(s, &series, WANTED));
    for (size_t k = 0; k < WANTED; k++) {
        MST_TRY(band_series(s, bands, wanted[k].key, wanted[k].name, &series[count]));
        count += series[count].count > 0;
    }
    if (count == 0)
        return mst_fail(MST_FORMAT, "%s: the bands of the certificate have no errors", s->name);
    s->picture.series = series;
    s->picture.series_count = count;
    s->picture.over = MST_OVER_TIME;
    s->picture.x_log = s->picture.y_log = true;
    s->picture.x_name = "t";
    s->picture.y_name = "relative error";
    double low = stored_number(certificate, "t_low"), high = stored_number(certificate, "t_high");
    const char *against = stored_string(certificate, "against");
    char usable[100] = "The certificate names no times for which it may be used.";
    if (isfinite(low) && isfinite(high))
        snprintf(usable, sizeof usable, "It may be used for t from %.3g to %.3g.", low, high);
    MST_TRY(stored_text(s, &s->picture.title, "Errors of a score network on %s", s->space));
    return stored_text(s, &s->picture.caption,
                       "Root mean squares over %.0f pairs in each band of t, at the middle of the "
                       "band. Reference: %s. %s",
                       stored_number(top, "samples"), against != NULL ? against : "none", usable);
}
