/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "mean_holds.h"

#include "util/json.h"

#include <stdlib.h>
#include <string.h>

const option option_holds = {
    .name = "holds",
    .kind = OPTION_TEXT,
    .reads = true,
    .repeats = true,
    .value = "P",
    .example = "0,0,1",
    .help =
        "say whether the confidence region of the mean holds this point, numbers joined by commas, "
        "or each row of a file; may be given several times",
};

mst_status asked_points_read(const estimation *e, asked_points *out)
{
    mst_status status = MST_OK;
    for (size_t k = 0; k < e->inv->repeat_count && status == MST_OK; k++) {
        double *x, *all;
        size_t n, D = e->ambient;
        status = read_points_text(e->inv, &option_holds, e->inv->repeated[k], e->m, &x, &n);
        if (status == MST_OK)
            status = new_doubles(&all, out->n + n, D);
        if (status == MST_OK) {
            if (out->n > 0)
                memcpy(all, out->x, out->n * D * sizeof *all);
            memcpy(all + out->n * D, x, n * D * sizeof *all);
            free(out->x);
            out->x = all;
            out->n += n;
        }
        free(x);
    }
    return status;
}

void asked_points_free(asked_points *p)
{
    free(p->x);
}

mst_status find_held(const estimation *e, const asked_points *p, const mst_mean_result *r, size_t n,
                     const double *x, const mst_mean_options *o, signed char *held,
                     char why[HOLDS_REASON])
{
    why[0] = '\0';
    for (size_t k = 0; k < p->n; k++) {
        bool yes = false;
        mst_status status =
            mst_mean_region_holds(&yes, r, e->source, n, x, o, p->x + k * e->ambient);
        if (status == MST_MEMORY || status == MST_INTERRUPTED)
            return status;
        held[k] = status != MST_OK ? -1 : yes ? 1 : 0;
        if (status != MST_OK && why[0] == '\0')
            snprintf(why, HOLDS_REASON, "%s", mst_error_detail());
    }
    return MST_OK;
}

mst_status print_held(const estimation *e, FILE *out, const asked_points *p, const char *group,
                      const signed char *held, const char *why)
{
    enum { SHOWN = 20, LABEL_WIDTH = 18 };
    static const char *const words[] = {"unknown", "no", "yes"};
    mst_status status = MST_OK;
    bool narrow = columns_shown(e) <= MOST_POINT_COLUMNS;
    size_t yes = 0;
    if (group != NULL && p->n > 0)
        fprintf(out, "\ngroup '%s'\n", group);
    for (size_t k = 0; k < p->n && status == MST_OK; k++) {
        const char *word = words[held[k] + 1];
        yes += held[k] == 1 ? 1 : 0;
        if (k >= SHOWN)
            continue;
        int width = fprintf(out, "  %-16s%s, ", k == 0 ? "region holds" : "", word);
        if (narrow)
            status = print_point(e, out, p->x + k * e->ambient, width > 0 ? (size_t)width : 0);
        else
            fprintf(out, "point %zu\n", k + 1);
    }
    if (p->n > SHOWN)
        fprintf(out, "  %-16s%zu of %zu points\n", "", yes, p->n);
    if (p->n > 0 && why[0] != '\0')
        fprintf(out, "  %-16sunknown: %s\n", "", why);
    return status;
}

mst_status json_held(const estimation *e, mst_json *j, const asked_points *p,
                     const signed char *held, const char *why)
{
    mst_status status = MST_OK;
    if (p->n == 0)
        return MST_OK;
    mst_json_key(j, "holds");
    mst_json_array(j);
    for (size_t k = 0; k < p->n && status == MST_OK; k++) {
        mst_json_object(j);
        status = json_member_point(e, j, "point", p->x + k * e->ambient);
        mst_json_key(j, "held");
        if (held[k] < 0)
            mst_json_null(j);
        else
            mst_json_bool(j, held[k] == 1);
        mst_json_end(j);
    }
    mst_json_end(j);
    if (why[0] != '\0')
        json_member_string(j, "holds_unknown", why);
    return status;
}
