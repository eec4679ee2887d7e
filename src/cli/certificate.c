/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "certificate.h"

#include "result.h"
#include "table.h"
#include "util/json.h"

#include <math.h>
#include <string.h>

/* ---- For people ---- */

static void number_cell(table *t, const char *format, double x)
{
    char text[32];
    snprintf(text, sizeof text, format, x);
    table_cell(t, "%s", isnan(x) ? "-" : text);
}

/* A share, and its standard error if it has one. */
static void error_cell(table *t, double x, double error)
{
    if (isnan(error))
        number_cell(t, "%.2f%%", 100 * x);
    else
        table_cell(t, "%.2f%% +- %.2f%%", 100 * x, 100 * error);
}

static void band_row(table *t, const char *name, const mst_check_band *b)
{
    if (name != NULL)
        table_cell(t, "%s", name);
    else if (b->t_low == b->t_high)
        table_cell(t, "%.3g", b->t_low);
    else
        table_cell(t, "%.3g to %.3g", b->t_low, b->t_high);
    number_cell(t, "%.4f", b->excess);
    if (isnan(b->slope))
        table_cell(t, "-");
    else
        table_cell(t, "%.4f +- %.4f", b->slope, b->slope_error);
    number_cell(t, "%.2g", b->asymmetry);
    number_cell(t, "%.2g", b->heat_residual);
    error_cell(t, b->score_error, b->score_error_se);
    error_cell(t, b->time_error, b->time_error_se);
    number_cell(t, "%.2f", b->mean_shift);
    number_cell(t, "%.2f", b->time_shift);
    table_cell(t, "%s%s%s", b->usable ? "yes" : "no", b->fault != NULL ? ": " : "",
               b->fault != NULL ? b->fault : "");
}

/* Where the reference could not tell errors may be other ones. */
static void print_compared(const mst_certificate *c, FILE *out)
{
    double least = c->all.compared;
    for (size_t k = 0; k < c->bands; k++)
        least = fmin(least, c->band[k].compared);
    if (!(least < 1))
        return;
    fprintf(out, "They are of the pairs that this source trusts:");
    for (size_t k = 0; k < c->bands; k++)
        fprintf(out, "%s %.0f%%", k > 0 ? "," : "", 100 * c->band[k].compared);
    fprintf(out, " of the bands, %.0f%% of all times.\n", 100 * c->all.compared);
}

mst_status certificate_print(const mst_certificate *c, FILE *out)
{
    static const char *const heads[][2] = {
        {"t", ""},          {"", "excess"},       {"", "slope"},
        {"asym-", "metry"}, {"heat", "residual"}, {"score", "error"},
        {"dt", "error"},    {"mean", "shift"},    {"t", "shift"},
        {"", "usable"}};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    table t = {.cols = COLUMNS};
    for (int line = 0; line < 2; line++)
        for (size_t k = 0; k < COLUMNS; k++)
            table_cell(&t, "%s", heads[k][line]);
    for (size_t k = 0; k < c->bands; k++)
        band_row(&t, NULL, &c->band[k]);
    band_row(&t, "all", &c->all);
    mst_status status = table_print(&t, out);
    fprintf(out, "\nShifts are in standard errors");
    if (strcmp(c->against, "exact") == 0)
        fprintf(out, ", errors relative to the exact heat kernel");
    else if (strcmp(c->against, "none") != 0)
        fprintf(out, ", errors relative to the source '%s'", c->against);
    fprintf(out, ".\n");
    print_compared(c, out);
    if (!isnan(c->all.score_bound))
        fprintf(out, "The score error of all times is below %.2f%% (in 39 cases of 40).\n",
                100 * c->all.score_bound);
    if (c->t_low == c->t_high)
        fprintf(out, "Use it for the time %.6g.\n", c->t_low);
    else if (c->t_low < c->t_high)
        fprintf(out, "Use it for times from %.6g to %.6g.\n", c->t_low, c->t_high);
    else
        fprintf(out, "It is good for no time: train longer.\n");
    return status;
}

/* ---- JSON ---- */

static void band_members(const mst_check_band *b, mst_json *j)
{
    mst_json_object(j);
#define WRITE_MEMBER(name) json_member_number(j, #name, b->name);
    MST_CHECK_NUMBERS(WRITE_MEMBER)
#undef WRITE_MEMBER
    json_member_bool(j, "usable", b->usable);
    mst_json_key(j, "fault");
    if (b->fault != NULL)
        mst_json_string(j, b->fault);
    else
        mst_json_null(j);
    mst_json_end(j);
}

void certificate_json(const mst_certificate *c, mst_json *j)
{
    mst_json_key(j, "certificate");
    if (c == NULL) {
        mst_json_null(j);
        return;
    }
    mst_json_object(j);
    mst_json_key(j, "bands");
    mst_json_array(j);
    for (size_t k = 0; k < c->bands; k++)
        band_members(&c->band[k], j);
    mst_json_end(j);
    mst_json_key(j, "all");
    band_members(&c->all, j);
    json_member_number(j, "t_low", c->t_low);
    json_member_number(j, "t_high", c->t_high);
    json_member_string(j, "network", c->network);
    json_member_string(j, "against", c->against);
    mst_json_end(j);
}
