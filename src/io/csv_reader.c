/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables as text. The separator is that of the first line of numbers (tab, semicolon, comma, or white space);
 * a first line without any number is the header. Lines may be of any length. */
#include "io/internal.h"

#include <inttypes.h>

/* Rows of the last batch whose line does not follow from the row before. */
typedef struct line_jump {
    size_t k;
    uint64_t line;
} line_jump;

typedef struct csv_table {
    char separator; /* ' ' means any run of spaces and tabs */
    uint64_t line;  /* of the last line taken */
    line_jump *jumps;
    size_t jump_count, jump_capacity;
    char *pending; /* the first data line, kept from detection; null once read */
    size_t pending_length;
    uint64_t pending_line;
} csv_table;

/* ---- Lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next line that is neither blank nor a comment. */
static mst_status take_content_line(mst_reader *r, const char **line, size_t *length)
{
    csv_table *csv = r->data;
    for (;;) {
        MST_TRY(mst_source_line(&r->source, line, length));
        if (*line == NULL)
            return MST_OK;
        csv->line++;
        if (csv->line == 1 && *length >= 3 && memcmp(*line, "\xef\xbb\xbf", 3) == 0) {
            *line += 3;
            *length -= 3;
        }
        if (memchr(*line, '\0', *length) != NULL)
            return mst_fail(MST_FORMAT,
                            "%s, line %" PRIu64 ": a zero byte; this is not a text file",
                            r->source.name, csv->line);
        size_t i = 0;
        while (i < *length && is_blank((*line)[i]))
            i++;
        if (i < *length && (*line)[i] != '#')
            return MST_OK;
    }
}

/* ---- Cells ---- */

typedef struct cell {
    const char *text;
    size_t length;
} cell;

/* A tab that separates is not white space around a cell. */
static const char *skip_blanks(const char *p, const char *end, char separator)
{
    while (p < end && (*p == ' ' || (*p == '\t' && separator != '\t')))
        p++;
    return p;
}

/* Where the next cell starts, given that the last one stops at `stop`: null if the line ends there, also
 * after a separator that has nothing behind it. */
static const char *after_cell(const char *stop, const char *end, char separator)
{
    if (separator != ' ' && stop < end)
        stop = skip_blanks(stop + 1, end, separator);
    else
        stop = skip_blanks(stop, end, separator);
    return stop < end ? stop : NULL;
}

/* The end of a quoted cell, behind its closing quote; null if it is not a well-formed one. */
static const char *quoted_end(const char *p, const char *end)
{
    for (p++; p < end; p++) {
        if (*p != '"')
            continue;
        if (p + 1 == end || p[1] != '"')
            return p + 1;
        p++; /* a quote inside quotes is written twice */
    }
    return NULL;
}

/* Takes the cell that starts at p, without blanks and quotes around it; returns the start of the next. */
static const char *take_cell(const char *p, const char *end, char separator, cell *c)
{
    p = skip_blanks(p, end, separator);
    if (p < end && *p == '"') {
        const char *close = quoted_end(p, end);
        const char *stop = close != NULL ? skip_blanks(close, end, separator) : NULL;
        if (stop != NULL &&
            (stop == end || *stop == separator || (separator == ' ' && stop > close))) {
            *c = (cell){p + 1, (size_t)(close - p) - 2};
            return after_cell(stop, end, separator);
        }
    }
    const char *stop = p;
    while (stop < end && *stop != separator && !(separator == ' ' && *stop == '\t'))
        stop++;
    const char *last = stop;
    while (last > p && is_blank(last[-1]))
        last--;
    *c = (cell){p, (size_t)(last - p)};
    return after_cell(stop, end, separator);
}

static size_t count_cells(const char *line, size_t length, char separator)
{
    size_t n = 0;
    cell c;
    for (const char *p = line; p != NULL; n++)
        p = take_cell(p, line + length, separator, &c);
    return n;
}

static char detect_separator(const char *line, size_t length)
{
    bool quoted = false, semicolon = false, comma = false;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (line[i] == '\t')
            return '\t';
        semicolon |= line[i] == ';';
        comma |= line[i] == ',';
    }
    return semicolon ? ';' : comma ? ',' : ' ';
}

/* ---- Opening ---- */

/* A header has words and no numbers. With some numbers in it, the line is a row with a mistake. */
static bool is_header(const char *line, size_t length)
{
    char separator = detect_separator(line, length);
    bool words = false;
    for (const char *p = line; p != NULL;) {
        cell c;
        double x;
        p = take_cell(p, line + length, separator, &c);
        if (mst_parse_double(c.text, c.length, &x))
            return false;
        words |= c.length > 0;
    }
    return words;
}

static mst_status copy_name(char **out, cell c)
{
    MST_TRY(mst_allocate(out, c.length + 1));
    size_t n = 0;
    for (size_t i = 0; i < c.length; i++) {
        (*out)[n++] = c.text[i];
        if (c.text[i] == '"' && i + 1 < c.length && c.text[i + 1] == '"')
            i++;
    }
    (*out)[n] = '\0';
    return MST_OK;
}

static mst_status read_names(mst_reader *r, const char *line, size_t length)
{
    csv_table *csv = r->data;
    r->cols = count_cells(line, length, csv->separator);
    MST_TRY(mst_allocate_zero(&r->names, r->cols));
    const char *p = line;
    for (size_t i = 0; i < r->cols; i++) {
        cell c;
        p = take_cell(p, line + length, csv->separator, &c);
        MST_TRY(copy_name(&r->names[i], c));
    }
    return MST_OK;
}

static mst_status copy_line(char **out, const char *line, size_t length)
{
    MST_TRY(mst_allocate(out, length + 1));
    memcpy(*out, line, length);
    return MST_OK;
}

static mst_status open_table(mst_reader *r)
{
    csv_table *csv;
    const char *line;
    size_t length;
    MST_TRY(mst_allocate_zero(&csv, 1));
    r->data = csv;
    MST_TRY(take_content_line(r, &line, &length));
    char *header = NULL;
    size_t header_length = 0;
    if (line != NULL && is_header(line, length)) {
        MST_TRY(copy_line(&header, line, length));
        header_length = length;
        mst_status status = take_content_line(r, &line, &length);
        if (status != MST_OK) {
            mst_release(header);
            return status;
        }
    }
    mst_status status = MST_OK;
    if (line == NULL) {
        status = mst_fail(MST_FORMAT, "%s is empty: no rows of numbers", r->source.name);
    } else {
        csv->separator = detect_separator(line, length);
        /* In a single column of numbers, blanks do not separate, and the header may have some. */
        if (count_cells(line, length, csv->separator) == 1)
            csv->separator = ',';
        if (header != NULL)
            status = read_names(r, header, header_length);
        else
            r->cols = count_cells(line, length, csv->separator);
    }
    mst_release(header);
    MST_TRY(status);
    MST_TRY(copy_line(&csv->pending, line, length));
    csv->pending_length = length;
    csv->pending_line = csv->line;
    return MST_OK;
}

/* ---- Rows ---- */

static mst_status wrong_width(const mst_reader *r, uint64_t row, uint64_t line_number, size_t cells)
{
    return mst_fail(MST_FORMAT,
                    "%s, row %" PRIu64 " (line %" PRIu64 "): %zu column%s, expected %zu",
                    r->source.name, row, line_number, cells, cells == 1 ? "" : "s", r->cols);
}

static bool has_decimal_comma(cell c)
{
    char copy[MST_DOUBLE_TEXT];
    double x;
    const char *comma = memchr(c.text, ',', c.length);
    if (comma == NULL || c.length > sizeof copy)
        return false;
    memcpy(copy, c.text, c.length);
    copy[comma - c.text] = '.';
    return mst_parse_double(copy, c.length, &x);
}

static mst_status bad_cell(const mst_reader *r, uint64_t row, uint64_t line_number, size_t col,
                           cell c)
{
    char quoted[MST_QUOTED_TEXT];
    if (c.length == 0)
        return mst_fail(MST_FORMAT,
                        "%s, row %" PRIu64 " (line %" PRIu64 "), column %zu: the cell is empty",
                        r->source.name, row, line_number, col);
    return mst_fail(MST_FORMAT,
                    "%s, row %" PRIu64 " (line %" PRIu64 "), column %zu: %s is not a number%s",
                    r->source.name, row, line_number, col, mst_quote_text(c.text, c.length, quoted),
                    has_decimal_comma(c) ? "; write decimals with a point" : "");
}

/* The two usual ways to leave a number out. */
static bool says_missing(cell c)
{
    return c.length == 0 || (c.length == 2 && memcmp(c.text, "NA", 2) == 0);
}

static mst_status take_label(const mst_reader *r, size_t col, const char **p, const char *end,
                             uint64_t row, uint64_t line_number)
{
    const csv_table *csv = r->data;
    cell c;
    *p = take_cell(*p, end, csv->separator, &c);
    return c.length > 0 || r->missing_allowed
               ? mst_labels_add(reader_labels_of(r, col), c.text, c.length)
               : bad_cell(r, row, line_number, col + 1, c);
}

static mst_status parse_row(const mst_reader *r, const char *line, size_t length, uint64_t row,
                            uint64_t line_number, double *out)
{
    const csv_table *csv = r->data;
    char separator = csv->separator;
    const char *end = line + length;
    const char *p = line;
    size_t col = 0;
    for (; p != NULL && col < r->cols; col++) {
        p = skip_blanks(p, end, separator);
        if ((r->label_count > 0 || r->all_labels != NULL) && reader_labels_of(r, col) != NULL) {
            MST_TRY(take_label(r, col, &p, end, row, line_number));
            out[col] = 0;
            continue;
        }
        const char *after = mst_parse_prefix(p, end, &out[col]);
        if (after != NULL) {
            const char *stop = skip_blanks(after, end, separator);
            if (stop == end || *stop == separator || (separator == ' ' && stop > after)) {
                p = after_cell(stop, end, separator);
                continue;
            }
        }
        cell c;
        p = take_cell(p, end, separator, &c);
        if (!mst_parse_double(c.text, c.length, &out[col]) &&
            !(says_missing(c) && reader_missing(r, &out[col]))) {
            /* A row of another width is the better explanation of a cell that is out of place. */
            size_t cells = count_cells(line, length, separator);
            return cells != r->cols ? wrong_width(r, row, line_number, cells)
                                    : bad_cell(r, row, line_number, col + 1, c);
        }
    }
    /* The last cell is missing, and its separator is there. */
    if (p == NULL && col + 1 == r->cols && length > 0 && line[length - 1] == separator &&
        reader_missing(r, &out[col])) {
        if (reader_labels_of(r, col) != NULL)
            MST_TRY(mst_labels_add(reader_labels_of(r, col), "", 0));
        col++;
    }
    if (p != NULL || col < r->cols)
        return wrong_width(r, row, line_number, count_cells(line, length, separator));
    return MST_OK;
}

static mst_status remember_line(csv_table *csv, size_t k, uint64_t line)
{
    if (csv->jump_count > 0) {
        const line_jump *last = &csv->jumps[csv->jump_count - 1];
        if (last->line + (k - last->k) == line)
            return MST_OK;
    }
    MST_TRY(mst_grow(&csv->jumps, csv->jump_count, &csv->jump_capacity));
    csv->jumps[csv->jump_count++] = (line_jump){k, line};
    return MST_OK;
}

static mst_status next_rows(mst_reader *r, size_t max, double *rows, size_t *got)
{
    csv_table *csv = r->data;
    csv->jump_count = 0;
    size_t n = 0;
    for (; n < max; n++) {
        double *out = rows + n * r->cols;
        uint64_t row = r->row + n + 1;
        if (csv->pending != NULL) {
            MST_TRY(parse_row(r, csv->pending, csv->pending_length, row, csv->pending_line, out));
            MST_TRY(remember_line(csv, n, csv->pending_line));
            mst_release(csv->pending);
            csv->pending = NULL;
            continue;
        }
        const char *line;
        size_t length;
        MST_TRY(take_content_line(r, &line, &length));
        if (line == NULL)
            break;
        MST_TRY(parse_row(r, line, length, row, csv->line, out));
        MST_TRY(remember_line(csv, n, csv->line));
    }
    *got = n;
    return MST_OK;
}

static uint64_t line_of(const mst_reader *r, size_t k)
{
    const csv_table *csv = r->data;
    uint64_t line = 0;
    for (size_t i = 0; i < csv->jump_count && csv->jumps[i].k <= k; i++)
        line = csv->jumps[i].line + (k - csv->jumps[i].k);
    return line;
}

static void close_table(mst_reader *r)
{
    csv_table *csv = r->data;
    if (csv == NULL)
        return;
    mst_release(csv->jumps);
    mst_release(csv->pending);
    mst_release(csv);
}

const reader_format reader_csv = {
    .name = "CSV",
    .text = true,
    .open = open_table,
    .next = next_rows,
    .line = line_of,
    .close = close_table,
};
