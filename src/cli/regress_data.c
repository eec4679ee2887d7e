/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "regress_data.h"

#include "provenance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const option option_y = {
    .name = "y",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "points.csv",
    .help = "the observations, one point per row",
};

const option option_x = {
    .name = "x",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "covariates.csv",
    .help =
        "the covariates, one row per point: a table with a header; columns of words are factors",
};

const option option_columns = {
    .name = "columns",
    .kind = OPTION_TEXT,
    .value = "A,B",
    .example = "age,sex",
    .help = "the columns of --x to take, by name or number (default: all of them)",
};

const option option_terms = {
    .name = "terms",
    .kind = OPTION_TEXT,
    .value = "TEXT",
    .example = "age + age^2",
    .help = "terms joined by +: columns, factor(column), or formulas of columns such as age^2 or "
            "sin(2*pi*hour/24)",
};

const option option_drop_missing = {
    .name = "drop-missing",
    .kind = OPTION_FLAG,
    .help = "leave out rows in which a value is missing (empty, NA, NaN); without it they are an "
            "error",
};

const option option_regress_cluster = {
    .name = "cluster",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "FILE|COLUMN",
    .example = "subject",
    .help = "which rows depend on each other because they are of one subject: a column of --x, or "
            "a file with a label per row",
};

const option option_origin = {
    .name = "origin",
    .kind = OPTION_TEXT,
    .value = "O",
    .fallback = "mean",
    .example = "zero",
    .help = "the covariates at which the curve is at its intercept: mean, zero, or a number for "
            "each column of the design, joined by commas",
};

const option option_predict = {
    .name = "predict",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "new.csv",
    .help = "covariates to predict points for, with the band of the curve and the region of a new "
            "observation",
};

/* ---- Reading ---- */

typedef struct raw_rows {
    mst_table *table;
    double *x;            /* (n, k) */
    double *y;            /* (n, D) */
    size_t n;             /* of points */
    unsigned char *lacks; /* (n): a value is missing */
    size_t *cluster;
} raw_rows;

/* Words between commas. */
static mst_status split(const char *text, char **copy, const char ***words, size_t *count)
{
    size_t most = strlen(text) / 2 + 1;
    *copy = strdup(text);
    *words = calloc(most + 1, sizeof **words);
    if (*copy == NULL || *words == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for --columns");
    char *rest = NULL;
    for (char *word = strtok_r(*copy, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        word += strspn(word, " ");
        size_t length = strlen(word);
        while (length > 0 && word[length - 1] == ' ')
            word[--length] = '\0';
        (*words)[(*count)++] = word;
    }
    return *count > 0
               ? MST_OK
               : mst_fail(MST_ARGUMENT, "--columns names no column; for example --columns %s",
                          option_columns.example);
}

static const char *cluster_column(const invocation *inv, const mst_table *table)
{
    const char *text = option_get(inv, &option_regress_cluster)->text;
    const mst_table_column *c = text != NULL ? mst_table_find(table, text) : NULL;
    return c != NULL ? c->name : NULL;
}

/* All columns but that of the clusters. */
static mst_status all_terms(const invocation *inv, const mst_table *table, mst_terms **terms)
{
    const char **names = calloc(table->cols + 1, sizeof *names), *cluster;
    size_t count = 0;
    if (names == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu columns", table->cols);
    cluster = cluster_column(inv, table);
    for (size_t c = 0; c < table->cols; c++)
        if (cluster == NULL || strcmp(table->columns[c].name, cluster) != 0)
            names[count++] = table->columns[c].name;
    mst_status status = mst_terms_of_columns(terms, table, count, names);
    free(names);
    return status;
}

static mst_status make_terms(const invocation *inv, const mst_table *table, mst_terms **terms)
{
    const option_value *text = option_get(inv, &option_terms);
    const option_value *columns = option_get(inv, &option_columns);
    if (text->given && columns->given)
        return mst_fail(MST_ARGUMENT, "--terms and --columns say the same thing; give one of them");
    if (text->given)
        return mst_terms_new(terms, table, text->text);
    if (!columns->given)
        return all_terms(inv, table, terms);
    char *copy = NULL;
    const char **names = NULL;
    size_t count = 0;
    mst_status status = split(columns->text, &copy, &names, &count);
    if (status == MST_OK)
        status = mst_terms_of_columns(terms, table, count, names);
    free(copy);
    free(names);
    return status;
}

static mst_status matrix_of(const mst_terms *terms, const mst_table *table, double **x)
{
    mst_status status = new_doubles(x, table->n, mst_terms_columns(terms));
    return status == MST_OK ? mst_terms_matrix(terms, table, *x) : status;
}

/* Points of a file in which some rows lack numbers: each of the others for itself. */
static mst_status read_incomplete(estimation *e, const mst_table *table, raw_rows *raw)
{
    double *row;
    mst_status status = new_doubles(&row, 1, table->cols);
    if (status == MST_OK)
        status = new_doubles(&raw->y, table->n, e->ambient);
    raw->n = table->n;
    raw->lacks = calloc(table->n + 1, 1);
    if (status == MST_OK && raw->lacks == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu rows", table->n);
    for (size_t i = 0; status == MST_OK && i < table->n; i++) {
        for (size_t c = 0; c < table->cols; c++) {
            row[c] = table->columns[c].numbers != NULL ? table->columns[c].numbers[i] : NAN;
            if (isnan(row[c]))
                raw->lacks[i] = 1;
        }
        if (raw->lacks[i])
            continue;
        status = mst_points_decode(e->m, table->cols, row, &e->points, raw->y + i * e->ambient);
        if (status == MST_FORMAT || status == MST_DOMAIN)
            status = mst_fail(status, "%s, row %zu: %s", table->path, i + 1, mst_error_detail());
    }
    free(row);
    return status;
}

static mst_status read_responses(estimation *e, raw_rows *raw)
{
    const char *path = option_get(e->inv, &option_y)->text;
    if (option_given(e->inv, &option_drop_missing) && strcmp(path, "-") != 0) {
        mst_table *table;
        mst_status status = mst_table_read(&table, path);
        size_t missing = 0;
        for (size_t c = 0; status == MST_OK && c < table->cols; c++)
            missing += table->columns[c].missing;
        if (status == MST_OK && missing > 0) {
            note_rows(e->inv, path, table->n);
            status = read_incomplete(e, table, raw);
            mst_table_free(table);
            return status;
        }
        mst_table_free(table);
        if (status != MST_OK)
            return status;
    }
    double *y;
    mst_status status = mst_points_read(&y, &raw->n, e->m, path, &e->points);
    if (status != MST_OK)
        return status;
    tell_points(e->inv, e->m, path, &e->report);
    status = new_doubles(&raw->y, raw->n, e->ambient);
    if (status == MST_OK)
        memcpy(raw->y, y, raw->n * e->ambient * sizeof *y);
    mst_points_free(y);
    raw->lacks = calloc(raw->n + 1, 1);
    return status == MST_OK && raw->lacks == NULL
               ? mst_fail(MST_MEMORY, "not enough memory for %zu rows", raw->n)
               : status;
}

static mst_status read_clusters(const invocation *inv, raw_rows *raw)
{
    const char *text = option_get(inv, &option_regress_cluster)->text;
    if (text == NULL)
        return MST_OK;
    raw->cluster = calloc(raw->n + 1, sizeof *raw->cluster);
    if (raw->cluster == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows", raw->n);
    const mst_table_column *c = mst_table_find(raw->table, text);
    if (c == NULL) {
        mst_labels *labels;
        mst_status status = mst_labels_read(&labels, text, raw->n);
        if (status != MST_OK)
            return mst_fail(status, "--cluster: %s (and %s has no column of that name)",
                            mst_error_detail(), raw->table->path);
        memcpy(raw->cluster, labels->index, raw->n * sizeof *raw->cluster);
        mst_labels_free(labels);
        return MST_OK;
    }
    for (size_t i = 0; i < raw->n; i++) {
        if (c->labels != NULL)
            raw->cluster[i] = c->labels->index[i];
        else
            memcpy(&raw->cluster[i], &c->numbers[i], sizeof raw->cluster[i]);
        bool lacks = c->labels != NULL ? mst_is_missing(c->labels->names[c->labels->index[i]])
                                       : isnan(c->numbers[i]);
        if (lacks)
            raw->lacks[i] = 1;
    }
    return MST_OK;
}

/* ---- Rows that are whole ---- */

/* Where the first value is missing, in words. */
static mst_status refuse_missing(const mst_table *table, const double *x, size_t k, size_t row,
                                 const mst_terms *terms)
{
    for (size_t c = 0; c < table->cols; c++) {
        const mst_table_column *column = &table->columns[c];
        bool lacks = column->labels != NULL
                         ? mst_is_missing(column->labels->names[column->labels->index[row]])
                         : isnan(column->numbers[row]);
        if (lacks)
            return mst_fail(MST_FORMAT,
                            "%s, row %zu: the value of \"%s\" is missing; --drop-missing leaves "
                            "such rows out",
                            table->path, row + 1, column->name);
    }
    for (size_t c = 0; c < k; c++)
        if (!isfinite(x[row * k + c]))
            return mst_fail(MST_FORMAT,
                            "%s, row %zu: %s is %g there; --drop-missing leaves such rows out",
                            table->path, row + 1, mst_terms_column(terms, c), x[row * k + c]);
    return mst_fail(MST_FORMAT, "row %zu: a value is missing; --drop-missing leaves such rows out",
                    row + 1);
}

static mst_status keep_rows(const estimation *e, const raw_rows *raw, regress_rows *rows)
{
    size_t D = e->ambient, k = rows->k;
    bool drop = option_given(e->inv, &option_drop_missing);
    rows->kept = calloc(raw->n + 1, sizeof *rows->kept);
    rows->cluster = raw->cluster != NULL ? calloc(raw->n + 1, sizeof *rows->cluster) : NULL;
    if (rows->kept == NULL || (raw->cluster != NULL && rows->cluster == NULL))
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows", raw->n);
    mst_status status = new_doubles(&rows->x, raw->n, k);
    if (status == MST_OK)
        status = new_doubles(&rows->y, raw->n, D);
    for (size_t i = 0; status == MST_OK && i < raw->n; i++) {
        bool lacks = raw->lacks[i];
        for (size_t c = 0; c < k; c++)
            lacks = lacks || !isfinite(raw->x[i * k + c]);
        if (lacks && !drop)
            return refuse_missing(raw->table, raw->x, k, i, rows->terms);
        if (lacks)
            continue;
        memcpy(rows->x + rows->n * k, raw->x + i * k, k * sizeof *rows->x);
        memcpy(rows->y + rows->n * D, raw->y + i * D, D * sizeof *rows->y);
        if (raw->cluster != NULL)
            rows->cluster[rows->n] = raw->cluster[i];
        rows->kept[rows->n++] = i;
    }
    rows->dropped = raw->n - rows->n;
    if (status == MST_OK && rows->n == 0)
        status = mst_fail(MST_FORMAT, "every row lacks a value; nothing is left");
    return status;
}

static mst_status name_columns(regress_rows *rows)
{
    rows->k = mst_terms_columns(rows->terms);
    rows->names = calloc(rows->k + 1, sizeof *rows->names);
    rows->groups = calloc(rows->k + 1, sizeof *rows->groups);
    if (rows->names == NULL || rows->groups == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu columns", rows->k);
    for (size_t c = 0; c < rows->k; c++) {
        rows->names[c] = mst_terms_column(rows->terms, c);
        rows->groups[c] = mst_terms_term_of(rows->terms, c);
    }
    return MST_OK;
}

mst_status regress_read(estimation *e, regress_rows *rows)
{
    raw_rows raw = {0};
    const invocation *inv = e->inv;
    mst_status status = mst_table_read(&raw.table, option_get(inv, &option_x)->text);
    if (status == MST_OK)
        status = make_terms(inv, raw.table, &rows->terms);
    if (status == MST_OK)
        status = name_columns(rows);
    if (status == MST_OK)
        status = matrix_of(rows->terms, raw.table, &raw.x);
    if (status == MST_OK)
        status = read_responses(e, &raw);
    if (status == MST_OK && raw.n != raw.table->n)
        status =
            mst_fail(MST_FORMAT,
                     "%s has %zu row%s and %s has %zu: there must be one row of covariates for "
                     "each point",
                     raw.table->path, raw.table->n, raw.table->n == 1 ? "" : "s",
                     shown_path(option_get(inv, &option_y)->text), raw.n);
    if (status == MST_OK)
        status = read_clusters(inv, &raw);
    if (status == MST_OK)
        status = keep_rows(e, &raw, rows);
    if (status == MST_OK && rows->dropped > 0)
        warn(inv, "left out %zu of %zu rows, in which a value is missing", rows->dropped, raw.n);
    mst_table_free(raw.table);
    free(raw.x);
    free(raw.y);
    free(raw.lacks);
    free(raw.cluster);
    return status;
}

void regress_rows_free(regress_rows *rows)
{
    mst_terms_free(rows->terms);
    free(rows->x);
    free(rows->y);
    free(rows->cluster);
    free(rows->names);
    free(rows->groups);
    free(rows->kept);
}

mst_status regress_read_origin(const invocation *inv, size_t k, double **origin)
{
    const char *text = option_get(inv, &option_origin)->text;
    *origin = NULL;
    if (strcmp(text, "mean") == 0)
        return MST_OK;
    size_t most = strlen(text) / 2 + 1;
    mst_status status = new_doubles(origin, most > k ? most : k, 1);
    if (status != MST_OK)
        return status;
    if (strcmp(text, "zero") == 0) {
        memset(*origin, 0, k * sizeof **origin);
        return MST_OK;
    }
    size_t count = parse_numbers(text, *origin);
    if (count != k)
        return mst_fail(
            MST_ARGUMENT,
            "--origin must be mean, zero or %zu number%s joined by commas, one for each "
            "column of the design, not %.40s",
            k, k == 1 ? "" : "s", text);
    return MST_OK;
}

mst_status regress_read_predict(const invocation *inv, const mst_terms *terms, size_t *n,
                                double **x)
{
    *n = 0;
    if (!option_given(inv, &option_predict))
        return MST_OK;
    mst_table *table;
    size_t k = mst_terms_columns(terms);
    mst_status status = mst_table_read(&table, option_get(inv, &option_predict)->text);
    if (status != MST_OK)
        return status;
    status = matrix_of(terms, table, x);
    for (size_t i = 0; status == MST_OK && i < table->n * k; i++)
        if (!isfinite((*x)[i]))
            status = mst_fail(MST_FORMAT, "%s, row %zu: the value of %s is missing", table->path,
                              i / k + 1, mst_terms_column(terms, i % k));
    *n = table->n;
    mst_table_free(table);
    return status;
}
