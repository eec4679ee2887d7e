/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Terms as a text, for files that keep them: a line of the terms, then one for each column of the table with
 * its name and, of factors, its levels, all joined by tabs. A table with these levels
 * makes the same terms again. */
#include "io/internal.h"
#include "util/text_stream.h"

#include <manistat/terms.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is it a factor of numbers in one of the terms? */
static bool is_number_factor(const mst_terms *t, const mst_table_column *c)
{
    char text[300];
    snprintf(text, sizeof text, "factor(%.280s)", c->name);
    for (size_t k = 0; k < mst_terms_count(t); k++)
        if (strcmp(mst_terms_text(t, k), text) == 0)
            return true;
    return false;
}

static void write_numbers(FILE *out, size_t n, const double *x)
{
    double last = -INFINITY;
    for (;;) {
        double next = INFINITY;
        for (size_t i = 0; i < n; i++)
            if (x[i] > last && x[i] < next)
                next = x[i];
        if (isinf(next))
            return;
        fprintf(out, "\t%.17g", next);
        last = next;
    }
}

mst_status mst_terms_save(const mst_terms *t, const mst_table *table, char **text)
{
    size_t length;
    mst_text_stream *stream;
    *text = NULL;
    MST_TRY(mst_text_open(&stream));
    FILE *out = mst_text_file(stream);
    for (size_t k = 0; k < mst_terms_count(t); k++)
        fprintf(out, "%s%s", k > 0 ? " + " : "", mst_terms_text(t, k));
    fprintf(out, "\n");
    for (size_t c = 0; c < table->cols; c++) {
        const mst_table_column *column = &table->columns[c];
        fprintf(out, "%s\t%s", column->labels != NULL ? "words" : "numbers", column->name);
        for (size_t l = 0; column->labels != NULL && l < column->labels->count; l++)
            if (!mst_is_missing(column->labels->names[l]))
                fprintf(out, "\t%s", column->labels->names[l]);
        if (column->numbers != NULL && is_number_factor(t, column))
            write_numbers(out, table->n, column->numbers);
        fprintf(out, "\n");
    }
    return mst_text_close(stream, text, &length);
}

/* One line as a column: what it holds, its name, its levels. */
static mst_status read_column(mst_table *t, char *line)
{
    mst_table_column *c = &t->columns[t->cols];
    char *rest = NULL, *kind = strtok_r(line, "\t", &rest), *name = strtok_r(NULL, "\t", &rest);
    if (kind == NULL || name == NULL)
        return mst_fail(MST_FORMAT, "the terms of the curve are damaged");
    bool words = strcmp(kind, "words") == 0;
    t->cols++;
    MST_TRY(mst_copy_string(&c->name, name));
    if (words)
        MST_TRY(mst_labels_new(&c->labels));
    else
        MST_TRY(mst_allocate_zero(&c->numbers, t->n));
    size_t i = 0;
    for (char *level; (level = strtok_r(NULL, "\t", &rest)) != NULL && i < t->n; i++)
        if (words)
            MST_TRY(mst_labels_add(c->labels, level, strlen(level)));
        else
            c->numbers[i] = strtod(level, NULL);
    /* Rows that are left repeat the last level. */
    for (; i < t->n; i++)
        if (words)
            MST_TRY(mst_labels_add(c->labels, c->labels->n > 0 ? c->labels->names[0] : "",
                                   c->labels->n > 0 ? strlen(c->labels->names[0]) : 0));
        else if (i > 0)
            c->numbers[i] = c->numbers[i - 1];
    return words ? mst_labels_finish(c->labels) : MST_OK;
}

/* At most as many levels and columns as there are tabs and lines. */
static size_t count_of(const char *text, char what)
{
    size_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == what;
    return count;
}

mst_status mst_terms_load(mst_terms **out, const char *text)
{
    char *copy, *rest = NULL;
    *out = NULL;
    MST_TRY(mst_copy_string(&copy, text));
    mst_table *t = NULL;
    mst_status status = mst_allocate_zero(&t, 1);
    if (status == MST_OK)
        status = mst_copy_string(&t->path, "the curve");
    if (status == MST_OK) {
        t->n = count_of(text, '\t');
        status = mst_allocate_zero(&t->columns, count_of(text, '\n'));
    }
    char *terms = strtok_r(copy, "\n", &rest);
    if (status == MST_OK && terms == NULL)
        status = mst_fail(MST_FORMAT, "the curve does not say what its covariates are");
    for (char *line; status == MST_OK && (line = strtok_r(NULL, "\n", &rest)) != NULL;)
        status = read_column(t, line);
    if (status == MST_OK)
        status = mst_terms_new(out, t, terms);
    mst_table_free(t);
    mst_release(copy);
    return status;
}
