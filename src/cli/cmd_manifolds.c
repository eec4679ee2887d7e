/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "examine.h"
#include "result.h"
#include "text.h"
#include "util/json.h"
#include "util/number_text.h"
#include "util/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a manifold may have in closed form, and what stands in for it. */
typedef struct ability {
    const char *name, *heading, *fallback;
} ability;

enum { EXP, LOG, DIST, TRANSPORT, CHART, RICCI, EXACT, HEAT, ABILITIES };

static const ability abilities[ABILITIES] = {
    [EXP] = {"exp", "exp", "integration of the geodesic equation"},
    [LOG] = {"log", "log", "shooting with exp"},
    [DIST] = {"dist", "dist", "the norm of log"},
    [TRANSPORT] = {"transport", "par", "derivatives of exp, leg by leg"},
    [CHART] = {"chart", "chart", "normal coordinates, derivatives by differences"},
    [RICCI] = {"ricci", "ric", "derivatives of exp in short steps"},
    [EXACT] = {"exact", "exact", "steps: --method tangent or chart"},
    [HEAT] = {"heat", "heat", "none"},
};

static bool factor_able(const mst_manifold *m, int which)
{
    unsigned closed = mst_manifold_traits_of(m)->closed;
    switch (which) {
    case EXP:
        return closed & MST_CLOSED_EXP;
    case LOG:
        return closed & MST_CLOSED_LOG;
    case DIST:
        return closed & MST_CLOSED_DIST;
    case TRANSPORT:
        return closed & MST_CLOSED_TRANSPORT;
    case CHART:
        return mst_manifold_table(m)->chart_metric != NULL;
    case RICCI:
        return closed & MST_CLOSED_RICCI;
    case HEAT:
        return mst_heat_has_exact(m);
    default:
        return mst_brownian_has_exact(m);
    }
}

/* A product has what all its factors have; only the law of Brownian motion is asked for as a whole. */
static bool able(const mst_manifold *m, int which)
{
    if (which == EXACT)
        return mst_brownian_has_exact(m);
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (!factor_able(mst_manifold_factor(m, f), which))
            return false;
    return true;
}

/* What stands in, and for which factors, if not for all. */
static void print_fallback(FILE *out, const mst_manifold *m, int which)
{
    size_t count = mst_manifold_factor_count(m), without = 0;
    bool integrated = which == TRANSPORT && mst_manifold_table(m)->transport != NULL && count == 1;
    fputs(integrated ? "an equation along the geodesic" : abilities[which].fallback, out);
    for (size_t f = 0; f < count; f++)
        without += !factor_able(mst_manifold_factor(m, f), which);
    for (size_t f = 0, k = 0; f < count && without < count && which != EXACT; f++)
        if (!factor_able(mst_manifold_factor(m, f), which))
            fprintf(out, "%s%s", k++ == 0 ? ", because of " : ", ",
                    mst_manifold_spec(mst_manifold_factor(m, f)));
}

/* "pi", "inf", "?" or the number. */
enum { RADIUS_TEXT = 16 };
static const char *radius_text(double radius, char text[RADIUS_TEXT])
{
    const double pi = 3.14159265358979323846;
    if (isnan(radius))
        return "?";
    if (radius == pi)
        return "pi";
    snprintf(text, RADIUS_TEXT, "%.4g", radius);
    return text;
}

/* A row of the table, or the details of a manifold that was asked for. */
typedef struct entry {
    mst_manifold_family family;
    mst_manifold *m;
} entry;

static void print_table(FILE *out, size_t count, const entry *entries)
{
    fprintf(out, "%-31s %3s %4s", "EXAMPLE", "DIM", "COLS");
    for (int k = 0; k < ABILITIES; k++)
        fprintf(out, " %s", abilities[k].heading);
    fprintf(out, " inj\n");
    for (size_t i = 0; i < count; i++) {
        const mst_manifold *m = entries[i].m;
        char text[RADIUS_TEXT];
        fprintf(out, "%-31s %3zu %4zu", entries[i].family.example, mst_manifold_dim(m),
                mst_manifold_ambient(m));
        for (int k = 0; k < ABILITIES; k++)
            fprintf(out, " %*s", (int)strlen(abilities[k].heading), able(m, k) ? "+" : "-");
        fprintf(out, " %s\n", radius_text(mst_manifold_injectivity(m), text));
    }
    fprintf(out, "\n");
    print_wrapped(
        out,
        "DIM is the dimension of the example, COLS the numbers in a row of a file. + has a "
        "closed form, - is computed numerically: exp, log, dist, parallel transport, a "
        "chart, Ricci curvature, the exact law of Brownian motion (sample --method "
        "exact), the heat kernel (- means there is none). inj is the injectivity radius: closer "
        "points have a unique shortest "
        "geodesic.",
        0, 0);
    fprintf(out, "\nWhat they are, and what a row of a file holds:\n");
    for (size_t i = 0; i < count; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n%s", entries[i].family.what, entries[i].family.row);
        print_entry(out, entries[i].family.spec, text);
    }
}

static mst_status print_details(FILE *out, const entry *e)
{
    const mst_manifold *m = e->m;
    size_t ambient = mst_manifold_ambient(m);
    double *start;
    mst_status status = new_doubles(&start, 1, ambient);
    if (status != MST_OK)
        return status;
    char text[MST_DOUBLE_TEXT];
    fprintf(out, "manifold       %s\n", mst_manifold_spec(m));
    if (e->family.what != NULL)
        fprintf(out, "what           %s\nrow            %s\n", e->family.what, e->family.row);
    fprintf(out, "dimension      %zu\ncolumns        %zu\nflat           %s\n", mst_manifold_dim(m),
            ambient, mst_manifold_is_flat(m) ? "yes" : "no");
    char radius[RADIUS_TEXT];
    fprintf(out, "injectivity    %s\n", radius_text(mst_manifold_injectivity(m), radius));
    for (int k = 0; k < ABILITIES; k++) {
        fprintf(out, "%-15s", abilities[k].name);
        if (able(m, k))
            fputs("closed form", out);
        else
            print_fallback(out, m, k);
        fputc('\n', out);
    }
    mst_manifold_start(m, start);
    fprintf(out, "start          ");
    for (size_t i = 0; i < ambient; i++) {
        mst_format_double(start[i], text);
        fprintf(out, "%s%s", i > 0 ? "," : "", text);
    }
    fputc('\n', out);
    free(start);
    return MST_OK;
}

/* Writes one value of a JSON column; `which` tells columns of the same kind apart. */
typedef void cell_writer(mst_json *j, const entry *e, int which);

static void string_cell(mst_json *j, const entry *e, int which)
{
    const char *const strings[] = {mst_manifold_spec(e->m), e->family.spec, e->family.what,
                                   e->family.row};
    if (strings[which] != NULL)
        mst_json_string(j, strings[which]);
    else
        mst_json_null(j);
}

static void size_cell(mst_json *j, const entry *e, int which)
{
    mst_json_integer(j, which == 0 ? mst_manifold_dim(e->m) : mst_manifold_ambient(e->m));
}

static void flat_cell(mst_json *j, const entry *e, int which)
{
    (void)which;
    mst_json_bool(j, mst_manifold_is_flat(e->m));
}

static void radius_cell(mst_json *j, const entry *e, int which)
{
    (void)which;
    if (isinf(mst_manifold_injectivity(e->m)))
        mst_json_string(j, "infinity");
    else
        mst_json_number(j, mst_manifold_injectivity(e->m)); /* unknown becomes null */
}

static void ability_cell(mst_json *j, const entry *e, int which)
{
    mst_json_bool(j, able(e->m, which));
}

static void write_column(mst_json *j, const char *name, cell_writer *cell, int which, size_t count,
                         const entry *entries)
{
    mst_json_key(j, name);
    mst_json_array(j);
    for (size_t i = 0; i < count; i++)
        cell(j, &entries[i], which);
    mst_json_end(j);
}

static mst_status write_json(invocation *inv, size_t count, const entry *entries)
{
    mst_output *sink = NULL;
    mst_json *j = NULL;
    mst_status status = json_begin(inv, &sink, &j);
    if (status == MST_OK) {
        const char *const strings[] = {"manifold", "family", "what", "row"};
        for (int k = 0; k < 4; k++)
            write_column(j, strings[k], string_cell, k, count, entries);
        write_column(j, "dimension", size_cell, 0, count, entries);
        write_column(j, "columns", size_cell, 1, count, entries);
        write_column(j, "flat", flat_cell, 0, count, entries);
        write_column(j, "injectivity", radius_cell, 0, count, entries);
        for (int k = 0; k < ABILITIES; k++)
            write_column(j, abilities[k].name, ability_cell, k, count, entries);
        json_end(inv, &sink, &j);
    }
    mst_json_free(j);
    mst_output_free(sink);
    return status;
}

static mst_status write_page(invocation *inv, size_t count, const entry *entries)
{
    report r;
    mst_status status = report_open(&r, inv);
    if (status == MST_OK && inv->operand_count > 0)
        status = print_details(r.text, &entries[0]);
    else if (status == MST_OK)
        print_table(r.text, count, entries);
    if (status == MST_OK)
        status = report_finish(&r);
    report_close(&r);
    return status;
}

static mst_status run(invocation *inv)
{
    const mst_manifold_family *families;
    size_t family_count = mst_manifold_families(&families);
    if (option_given(inv, &option_examine) && inv->operand_count == 0)
        return mst_fail(MST_ARGUMENT, "--check needs a SPEC, such as FILE.manifold");
    size_t count = inv->operand_count > 0 ? 1 : family_count;
    entry *entries = calloc(count, sizeof *entries);
    if (entries == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    mst_status status = MST_OK;
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        const char *spec = inv->operand_count > 0 ? inv->operands[0] : families[i].example;
        status = parse_manifold(&entries[i].m, spec);
        const mst_manifold_family *family =
            status == MST_OK ? mst_manifold_family_of(entries[i].m) : NULL;
        if (family != NULL)
            entries[i].family = *family;
    }
    if (status == MST_OK && option_given(inv, &option_examine))
        status = print_examination(inv, entries[0].m);
    else if (status == MST_OK)
        status = option_given(inv, &option_json) ? write_json(inv, count, entries)
                                                 : write_page(inv, count, entries);
    for (size_t i = 0; i < count; i++)
        mst_manifold_free(entries[i].m);
    free(entries);
    return status;
}

const command command_manifolds = {
    .name = "manifolds",
    .summary = "lists the manifolds and what each can do in closed form",
    .usage = "[SPEC] [options]",
    .description =
        "Lists the families of manifolds that --manifold understands, how a point of each is "
        "written in a row of a file, and what is known in closed form. With a SPEC it describes "
        "that manifold, with its dimension and the default start of 'sample'. With --check it "
        "examines a manifold made of formulas and prints one line for each finding: ok, note, "
        "warning or error.",
    .options = (const option *const[]){&option_examine, &option_examine_points, OUTPUT_OPTIONS,
                                       &option_seed, &option_threads, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"All families:", "manistat manifolds"},
            {"One manifold, here 3x3 covariance matrices:", "manistat manifolds spd:3"},
            {"For a script:", "manistat manifolds --json"},
            {"Is this file of formulas right?", "manistat manifolds torus.manifold --check"},
            {NULL, NULL},
        },
    .describes = true,
    .run = run,
};
