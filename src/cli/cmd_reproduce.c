/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "figures.h"
#include "plotting.h"
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
            "same start, and the row says so. figures: the folder above, with synthetic/S2.csv, "
            "landmarks/butterfly_30x2.csv and so on; a figure whose data are missing is left out",
};

static const option option_out = {
    .name = "out",
    .kind = OPTION_FILE,
    .value = "DIR",
    .fallback = "figures",
    .example = "figures",
    .help = "figures: where the pictures go, each with a name of its own, and in DIR/results what "
            "they are drawn from: results that are there are used as they are",
};

static const option option_only = {
    .name = "only",
    .kind = OPTION_TEXT,
    .value = "NAMES",
    .example = "method",
    .help = "figures: these only, names joined by commas",
};

/* In the order of the kinds of files that `plot` writes. */
static const char *const endings[] = {"svg", "pdf", "png", NULL};
static const option option_pictures = {
    .name = "pictures",
    .kind = OPTION_CHOICE,
    .choices = endings,
    .value = "FORMAT",
    .fallback = "pdf",
    .example = "png",
    .help = "figures: svg, pdf or png",
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
    .help = "tables: these rows only, names joined by commas",
};

static const option option_minutes = {
    .name = "minutes",
    .kind = OPTION_POSITIVE,
    .value = "M",
    .fallback = "1",
    .example = "0.5",
    .help = "minutes of training, for a network; flat spaces take half of it, spheres two to four "
            "times",
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
    .help = "paper: the published networks (3x128 for R^n, 5x512 for S^n, else 3x512), loss and "
            "sampler instead of our own",
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

/* ---- Tables ---- */

static mst_status read_table(const invocation *inv, paper_table *out)
{
    const char *name = inv->operand_count > 0 ? inv->operands[0] : "";
    size_t k = 0;
    while (paper_tables[k] != NULL && strcmp(paper_tables[k], name) != 0)
        k++;
    *out = (paper_table)k;
    return paper_tables[k] != NULL
               ? MST_OK
               : mst_fail(MST_ARGUMENT, "say what: table1, table2, timing or figures");
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

/* The first name of the list "S2,S5" that is none of `names`, "S2, S3", or null; and its length. */
static const char *find_unknown(const char *list, const char *names, size_t *length)
{
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        bool known = false;
        *length = strcspn(at, ",");
        for (const char *n = names; *n != '\0' && !known;
             n += strcspn(n, ","), n += strspn(n, ", "))
            known = strcspn(n, ",") == *length && strncmp(n, at, *length) == 0;
        if (!known)
            return at;
    }
    return NULL;
}

static mst_status refuse_unknown(const job *j, const char *list)
{
    char names[400] = "";
    size_t length;
    for (size_t k = 0; k < paper_row_count; k++)
        if (paper_rows[k].table == j->table) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                     paper_rows[k].name);
        }
    const char *unknown = find_unknown(list, names, &length);
    return unknown == NULL ? MST_OK
                           : mst_fail(MST_ARGUMENT, "--rows: %s has no row %.*s; it has %s",
                                      paper_tables[j->table], (int)length, unknown, names);
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

/* It is a directory, or was not given. */
static mst_status check_folder(const char *word, const char *path)
{
    struct stat info;
    if (path == NULL || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
        return MST_OK;
    return mst_fail(MST_IO, "%s %s is no directory", word, path);
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
    if (status == MST_OK)
        status = check_folder("--data", j->options.data);
    if (status == MST_OK && j->options.models != NULL && mkdir(j->options.models, 0777) != 0 &&
        errno != EEXIST)
        status = mst_fail(MST_IO, "--models %s: %s", j->options.models, strerror(errno));
    return status;
}

static mst_status run_table(invocation *inv)
{
    job j = {0};
    report r = {0};
    mst_status status = prepare(&j, inv);
    if (status == MST_OK)
        status = report_open_to(&r, inv, option_get(inv, &option_output)->text);
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

/* ---- Figures ---- */

static mst_status check_only(const char *list)
{
    char names[400] = "";
    size_t length;
    for (size_t k = 0, used = 0; k < figure_count; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "",
                                 figures[k].name);
    const char *unknown = find_unknown(list, names, &length);
    return unknown == NULL ? MST_OK
                           : mst_fail(MST_ARGUMENT, "--only: there is no figure %.*s; there are %s",
                                      (int)length, unknown, names);
}

static void print_figures(const report *r, size_t count, const figure_result *results)
{
    if (r->json != NULL) {
        mst_json_key(r->json, "figures");
        mst_json_array(r->json);
    }
    for (size_t k = 0; k < count; k++) {
        const figure_result *f = &results[k];
        if (r->json == NULL) {
            fprintf(r->text, "%-13s %7.1f s  %s\n", f->figure->name, f->seconds,
                    f->file != NULL && f->note[0] == '\0' ? f->file : f->note);
            continue;
        }
        mst_json_object(r->json);
        json_member_string(r->json, "figure", f->figure->name);
        json_member_string(r->json, "title", f->figure->title);
        mst_json_key(r->json, "file");
        if (f->note[0] == '\0')
            mst_json_string(r->json, f->file);
        else
            mst_json_null(r->json);
        json_member_string(r->json, "note", f->note);
        json_member_integer(r->json, "steps", f->steps);
        json_member_integer(r->json, "steps_done", f->done);
        json_member_number(r->json, "processor_seconds", f->seconds);
        mst_json_end(r->json);
    }
    if (r->json != NULL)
        mst_json_end(r->json);
}

/* One figure that fails leaves the others to be made; an interruption does not. */
static mst_status make_figures(const figure_run *run, const char *only, size_t *count,
                               figure_result *results)
{
    size_t failed = 0;
    mst_status first = MST_OK;
    for (size_t k = 0; k < figure_count; k++) {
        if (only != NULL && !is_listed(only, figures[k].name))
            continue;
        figure_result *r = &results[(*count)++];
        mst_status status = figure_make(run, &figures[k], r);
        progress_end(run->progress);
        if (status == MST_INTERRUPTED)
            return status;
        if (status == MST_OK)
            continue;
        snprintf(r->note, sizeof r->note, "failed: %s", mst_error_detail());
        warn(run->inv, "%s", r->note);
        first = failed++ == 0 ? status : first;
    }
    return failed == 0 ? MST_OK
                       : mst_fail(first, "%zu figure%s failed", failed, failed == 1 ? "" : "s");
}

static mst_status run_figures(invocation *inv)
{
    const char *only = option_get(inv, &option_only)->text;
    report r = {0};
    size_t count = 0;
    progress line = progress_start(inv, "figures", 0);
    figure_run run = {
        .inv = inv,
        .data = option_get(inv, &option_data)->text,
        .out = option_get(inv, &option_out)->text,
        .models = option_get(inv, &option_models)->text,
        .ending = endings[option_get(inv, &option_pictures)->choice],
        .resolution = option_get(inv, &option_resolution)->text,
        .seed = option_get(inv, &option_seed)->count,
        .threads = (int)option_get(inv, &option_threads)->count,
        .progress = &line,
    };
    figure_result *results = calloc(figure_count, sizeof *results);
    mst_status status = results != NULL ? MST_OK : mst_fail(MST_MEMORY, "not enough memory");
    if (status == MST_OK)
        status = check_folder("--data", run.data);
    if (status == MST_OK && only != NULL)
        status = check_only(only);
    if (status == MST_OK)
        status = report_open(&r, inv);
    mst_status made = status == MST_OK ? make_figures(&run, only, &count, results) : status;
    if (status == MST_OK && made != MST_INTERRUPTED) {
        char detail[512];
        snprintf(detail, sizeof detail, "%s", mst_error_detail());
        print_figures(&r, count, results);
        status = report_finish(&r);
        if (status == MST_OK && made != MST_OK)
            made = mst_fail(made, "%s", detail);
    }
    report_close(&r);
    for (size_t k = 0; k < count; k++)
        free(results[k].file);
    free(results);
    return status != MST_OK ? status : made;
}

/* A choice that nobody reads would let everything be made instead. */
static mst_status check_choice(const invocation *inv, bool drawn)
{
    if (!drawn && option_given(inv, &option_only))
        return mst_fail(MST_ARGUMENT, "--only is for figures; --rows chooses rows of a table");
    if (drawn && option_given(inv, &option_rows))
        return mst_fail(MST_ARGUMENT, "--rows is for tables; --only chooses figures");
    return MST_OK;
}

static mst_status run(invocation *inv)
{
    bool drawn = inv->operand_count > 0 && strcmp(inv->operands[0], "figures") == 0;
    MST_TRY(check_choice(inv, drawn));
    return drawn ? run_figures(inv) : run_table(inv);
}

const command command_reproduce = {
    .name = "reproduce",
    .summary = "makes the tables and figures of the paper again",
    .usage = "table1|table2|timing|figures [options]",
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
        "that are not known to us are left out.\n\n"
        "figures draws the figures into --out. Each is made by a few commands of this program, "
        "whose results stay beside the pictures for plot and report; what is there is not made "
        "again, so that a run that was killed goes on. The times that are printed are seconds of "
        "the processor.",
    .options = (const option *const[]){&option_data, &option_models, &option_out, &option_only,
                                       &option_pictures, &option_resolution, &option_rows,
                                       &option_minutes, &option_training_steps, &option_preset,
                                       &option_paths, &option_patience, &option_format,
                                       &option_seed, &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"One row, quickly:", "manistat reproduce table1 --rows R2 --steps 50 --paths 4"},
            {"One figure, of simulated data:", "manistat reproduce figures --only regression"},
            {NULL, NULL},
        },
    .run = run,
};
