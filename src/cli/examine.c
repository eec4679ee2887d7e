/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "examine.h"

#include "common.h"
#include "result.h"
#include "util/json.h"

#include <stdio.h>

const option option_examine = {
    .name = "check",
    .kind = OPTION_FLAG,
    .help =
        "tests on random points whether the SPEC, a file of formulas, is what it says: positive "
        "and smooth metric, periods, rank, curvature, connectedness, completeness; exit status "
        "1 if something is wrong",
};

const option option_examine_points = {
    .name = "points",
    .letter = 'n',
    .kind = OPTION_COUNT,
    .value = "N",
    .fallback = "512",
    .example = "2000",
    .minimum = 16,
    .maximum = 1000000,
    .help = "random points of --check",
};

static void write_findings(mst_json *j, const mst_manifold *m, const mst_examination *e)
{
    json_member_string(j, "manifold", mst_manifold_spec(m));
    json_member_integer(j, "points", e->points);
    json_member_string(j, "worst", mst_finding_word(e->worst));
    mst_json_key(j, "findings");
    mst_json_array(j);
    for (size_t i = 0; i < e->count; i++) {
        const mst_finding *f = &e->findings[i];
        mst_json_object(j);
        json_member_string(j, "level", mst_finding_word(f->level));
        json_member_string(j, "topic", f->topic);
        json_member_string(j, "text", f->text);
        if (f->point != NULL)
            json_member_numbers(j, "point", mst_manifold_ambient(m), f->point);
        mst_json_end(j);
    }
    mst_json_end(j);
    json_member_number(j, "least_eigenvalue", e->least_eigenvalue);
    json_member_number(j, "greatest_eigenvalue", e->greatest_eigenvalue);
    json_member_number(j, "worst_condition", e->worst_condition);
    json_member_number(j, "ricci_min", e->ricci_min);
    json_member_number(j, "ricci_max", e->ricci_max);
    json_member_number(j, "scalar_min", e->scalar_min);
    json_member_number(j, "scalar_max", e->scalar_max);
}

/* The result is printed; what is wrong decides about the exit status. */
static mst_status verdict(const mst_manifold *m, const mst_examination *e)
{
    size_t wrong = 0;
    for (size_t i = 0; i < e->count; i++)
        wrong += e->findings[i].level >= MST_FINDING_WARNING;
    if (wrong == 0)
        return MST_OK;
    return mst_fail(MST_CONVERGENCE, "%s: %zu thing%s wrong with it", mst_manifold_spec(m), wrong,
                    wrong == 1 ? " is" : "s are");
}

mst_status print_examination(invocation *inv, const mst_manifold *m)
{
    report r;
    mst_examination *e = NULL;
    mst_examine_options o = mst_examine_options_default();
    o.points = option_get(inv, &option_examine_points)->count;
    o.seed = option_get(inv, &option_seed)->count;
    o.threads = (int)option_get(inv, &option_threads)->count;
    progress p = progress_start(inv, "tests", 10);
    o.progress = progress_callback(&p, 10);
    mst_status status = report_open(&r, inv);
    if (status == MST_OK)
        status = mst_manifold_examine(&e, m, &o);
    progress_end(&p);
    if (status == MST_OK && r.json != NULL)
        write_findings(r.json, m, e);
    else if (status == MST_OK) {
        fprintf(r.text, "%s, examined at %zu points\n", mst_manifold_spec(m), e->points);
        for (size_t i = 0; i < e->count; i++)
            fprintf(r.text, "%-8s %-14s %s\n", mst_finding_word(e->findings[i].level),
                    e->findings[i].topic, e->findings[i].text);
    }
    if (status == MST_OK)
        status = report_finish(&r);
    if (status == MST_OK)
        status = verdict(m, e);
    report_close(&r);
    mst_examination_free(e);
    return status;
}
