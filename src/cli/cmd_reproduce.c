/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "reproduce.h"
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const option option_data = {
    .name = "data",
    .kind = OPTION_FILE,
    .value = "DIR",
    .example = "data/synthetic",
    .help = "the published data sets, S2.csv and so on; what is not there is simulated from the "
            "same start, and the row says so",
};

static const option option_models = {
    .name = "models",
    .kind = OPTION_FILE,
    .value = "DIR",
    .example = "models",
    .help = "keep the networks in this directory: those that are there are used as they are, and a "
            "run that was killed goes on where it was",
};

static const option option_rows = {
    .name = "rows",
    .kind = OPTION_TEXT,
    .value = "NAMES",
    .example = "S2,S5",
    .help = "these rows only, names joined by commas",
};

static const option option_minutes = {
    .name = "minutes",
    .kind = OPTION_POSITIVE,
    .value = "M",
    .fallback = "1",
    .example = "0.5",
    .help = "minutes of training, for each network",
};

static const option option_training_steps = {
    .name = "steps",
    .kind = OPTION_COUNT,
    .value = "N",
    .example = "2000",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "steps of training instead of minutes: the same networks on any machine",
};

static const option option_paths = {
    .name = "paths",
    .kind = OPTION_COUNT,
    .value = "M",
    .fallback = "32",
    .example = "200",
    .maximum = 1000000,
    .help = "bridges for each point; 0: no bridges",
};

static const option option_patience = {
    .name = "patience",
    .kind = OPTION_POSITIVE,
    .value = "M",
    .fallback = "5",
    .example = "60",
    .help = "leave bridges out where they would take more than M minutes, and say so",
};

static const char *const presets[] = {"paper", NULL};
static const option option_preset = {
    .name = "preset",
    .kind = OPTION_CHOICE,
    .choices = presets,
    .value = "NAME",
    .example = "paper",
    .help = "paper: the published networks (3x128 for R^n, 5x512 for S^n, else 3x512) and losses "
            "instead of our own",
};

/* In the order of paper_format. */
static const char *const formats[] = {"table", "csv", "latex", NULL};
static const option option_format = {
    .name = "format",
    .kind = OPTION_CHOICE,
    .choices = formats,
    .value = "FORMAT",
    .fallback = "table",
    .example = "latex",
    .help = "table (for people), csv or latex; --json has everything",
};

typedef struct job {
    paper_options options;
    paper_table table;
    const paper_row **rows; /* (count) */
    size_t count;
    paper_result *results; /* (count) */
    progress progress;
} job;

static mst_status read_table(const invocation *inv, paper_table *out)
{
    const char *name = inv->operand_count > 0 ? inv->operands[0] : "";
    size_t k = 0;
    while (paper_tables[k] != NULL && strcmp(paper_tables[k], name) != 0)
        k++;
    *out = (paper_table)k;
    return paper_tables[k] != NULL
               ? MST_OK
               : mst_fail(MST_ARGUMENT, "say which table: table1, table2 or timing");
}

/* Is the name among those of "S2,S5"? */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static mst_status refuse_unknown(const job *j, const char *list)
{
    char names[400] = "";
    for (size_t k = 0; k < paper_row_count; k++)
        if (paper_rows[k].table == j->table) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                     paper_rows[k].name);
        }
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        for (size_t k = 0; k < j->count && !known; k++)
            known = strlen(j->rows[k]->name) == strcspn(at, ",") &&
                    strncmp(at, j->rows[k]->name, strcspn(at, ",")) == 0;
        if (!known)
            return mst_fail(MST_ARGUMENT, "--rows: %s has no row %.*s; it has %s",
                            paper_tables[j->table], (int)strcspn(at, ","), at, names);
    }
    return MST_OK;
}

static mst_status choose_rows(job *j)
{
    const char *list = option_get(j->options.inv, &option_rows)->text;
    j->rows = calloc(paper_row_count, sizeof *j->rows);
    j->results = calloc(paper_row_count, sizeof *j->results);
    if (j->rows == NULL || j->results == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    for (size_t k = 0; k < paper_row_count; k++)
        if (paper_rows[k].table == j->table &&
            (list == NULL || is_listed(list, paper_rows[k].name)))
            j->rows[j->count++] = &paper_rows[k];
    return list != NULL ? refuse_unknown(j, list) : MST_OK;
}

static mst_status prepare(job *j, invocation *inv)
{
    j->options = (paper_options){
        .inv = inv,
        .data = option_get(inv, &option_data)->text,
        .models = option_get(inv, &option_models)->text,
        .preset = option_given(inv, &option_preset),
        .minutes = option_get(inv, &option_minutes)->number,
        .steps = option_given(inv, &option_training_steps)
                     ? option_get(inv, &option_training_steps)->count
                     : 0,
        .paths = (size_t)option_get(inv, &option_paths)->count,
        .patience = option_get(inv, &option_patience)->number,
        .seed = option_get(inv, &option_seed)->count,
        .threads = (int)option_get(inv, &option_threads)->count,
        .progress = &j->progress,
    };
    mst_status status = read_table(inv, &j->table);
    if (status == MST_OK)
        status = choose_rows(j);
    if (status == MST_OK && j->options.paths == 1)
        status = mst_fail(MST_ARGUMENT, "--paths 1: a spread needs two bridges or more");
    if (status == MST_OK && option_given(inv, &option_json) && option_given(inv, &option_format))
        status = mst_fail(MST_ARGUMENT, "--format and --json exclude each other; give one of them");
    struct stat info;
    if (status == MST_OK && j->options.data != NULL &&
        (stat(j->options.data, &info) != 0 || !S_ISDIR(info.st_mode)))
        status = mst_fail(MST_IO, "--data %s is no directory", j->options.data);
    if (status == MST_OK && j->options.models != NULL && mkdir(j->options.models, 0777) != 0 &&
        errno != EEXIST)
        status = mst_fail(MST_IO, "--models %s: %s", j->options.models, strerror(errno));
    return status;
}

static mst_status run(invocation *inv)
{
    job j = {0};
    report r = {0};
    mst_status status = prepare(&j, inv);
    if (status == MST_OK)
        status = report_open(&r, inv);
    j.progress = progress_start(inv, "rows", 0);
    for (size_t k = 0; status == MST_OK && k < j.count; k++)
        status = paper_measure(&j.options, j.rows[k], &j.results[k]);
    progress_end(&j.progress);
    if (status == MST_OK && r.json != NULL)
        paper_json(r.json, j.table, j.count, j.results);
    else if (status == MST_OK)
        status = paper_print(r.text, (paper_format)option_get(inv, &option_format)->choice, j.table,
                             j.count, j.results);
    if (status == MST_OK)
        status = report_finish(&r);
    report_close(&r);
    free(j.rows);
    free(j.results);
    return status;
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "makes the tables of the paper again",
    .usage = "table1|table2|timing [options]",
    .description =
        "Estimates diffusion means of the paper's data sets by the exact heat kernel, by a network "
        "that is trained for it, and by bridges, and prints the errors beside the published ones: "
        "table1 has R^n, S^n and Sym(n), table2 P(n) with the flat metric that its data were drawn "
        "with and with the affine-invariant one, landmarks, and diffusion tensors; timing has "
        "spheres of growing dimension.\n\n"
        "Columns mean and t are distances from the exact maximum-likelihood estimate, s.e. the "
        "standard errors of that estimate; steps and s are iterations and seconds to convergence "
        "from the published start (the first row, t = 0.2), five:s the seconds of five iterations "
        "of the published algorithm. The Frechet baseline is shown as published, after 100 steps "
        "of 0.01, and converged, by its distance from the start of the motion. Published numbers "
        "that are not known to us are left out.",
    .options = (const option *const[]){&option_data, &option_models, &option_rows, &option_minutes,
                                       &option_training_steps, &option_preset, &option_paths,
                                       &option_patience, &option_format, &option_seed,
                                       &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"One row, quickly:", "manistat reproduce table1 --rows R2 --steps 50 --paths 4"},
            {NULL, NULL},
        },
    .run = run,
};
