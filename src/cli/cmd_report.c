/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "page.h"
#include "provenance.h"
#include "util/text_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option option_points = {
    .name = "data",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "points.csv",
    .help =
        "the points that the result was made from, if they are no longer where they were or came "
        "through a pipe; of several results, for those that were made from this very file",
};

static const option option_network = {
    .name = "model",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "model.safetensors",
    .help =
        "the model of --score, whose certificate is shown (default: where the result says it was)",
};

typedef struct reporting {
    invocation *inv;
    page page;
    saved_result *results; /* (count) */
    size_t count;
} reporting;

/* ---- One result ---- */

static void put_title(page *p, const saved_result *r)
{
    const char *spec = mst_json_as_string(mst_json_member(r->top, "manifold"));
    put_escaped(p, r->command->name);
    if (spec != NULL) {
        put_text(p, " on ");
        put_escaped(p, spec);
    }
}

/* The bytes of the result as they are, but for '<', which ends scripts; in JSON it stands in strings only. */
static void put_json(page *p, const saved_result *r, size_t number)
{
    put_format(p, "<script type=\"application/json\" id=\"result-%zu-json\">", number);
    for (size_t at = 0, run; at < r->length && p->status == MST_OK; at += run) {
        const char *less = memchr(r->text + at, '<', r->length - at);
        run = less != NULL ? (size_t)(less - r->text) - at : r->length - at;
        p->status = mst_output_write(p->sink, r->text + at, run);
        if (less != NULL) {
            put_text(p, "\\u003c");
            run++;
        }
    }
    put_text(p, "</script>\n");
}

static mst_status put_still(page *p, const scene *s, size_t number)
{
    mst_text_stream *stream;
    char *text, id[64];
    size_t length;
    mst_status status = mst_text_open(&stream);
    if (status != MST_OK)
        return status;
    snprintf(id, sizeof id, "result-%zu-picture", number);
    scene_svg(s, mst_text_file(stream), id, "still picture of the result");
    status = mst_text_close(stream, &text, &length);
    if (status != MST_OK)
        return status;
    put_text(p, text);
    free(text);
    return p->status;
}

static void put_legend(page *p, const scene *s)
{
    enum { MOST = 24, COLOURS = 8 };
    if (s->names == NULL || s->group_count < 2 || s->group_count > MOST)
        return;
    put_text(p, "<ul class=\"legend\">");
    for (size_t i = 0; i < s->group_count; i++) {
        put_format(p, "<li><span class=\"swatch b%zu\"></span>", i % COLOURS);
        put_escaped(p, s->names[i]);
        put_text(p, "</li>");
    }
    put_text(p, "</ul>\n");
}

static mst_status put_figure(page *p, const scene *s, size_t number)
{
    if (s->frame == SCENE_NONE)
        return MST_OK;
    put_format(p,
               "<figure><div class=\"view\" data-scene=\"result-%zu-scene\"><canvas tabindex=\"0\" "
               "role=\"img\" aria-describedby=\"result-%zu-note result-%zu-keys\" hidden></canvas>"
               "<div class=\"tip\" role=\"status\" hidden></div>\n",
               number, number, number);
    mst_status status = put_still(p, s, number);
    put_text(p, "</div>\n");
    put_legend(p, s);
    put_format(p, "<figcaption><span id=\"result-%zu-note\">", number);
    put_escaped(p, s->note);
    put_format(p,
               "</span> <span class=\"keys\" id=\"result-%zu-keys\" hidden>Drag or use the arrow "
               "keys to %s, + and - to zoom, n to read the estimates one by one, 0 to start "
               "again.</span></figcaption></figure>\n",
               number, s->dim == 3 ? "turn" : "move");
    put_format(p, "<script type=\"application/json\" id=\"result-%zu-scene\">", number);
    mst_json *j;
    if (status == MST_OK)
        status = mst_json_new(&j, p->sink);
    if (status != MST_OK)
        return status;
    mst_json_in_page(j);
    scene_json(s, j);
    status = mst_json_finish(j);
    mst_json_free(j);
    put_text(p, "</script>\n");
    return status;
}

static void put_no_certificate(page *p)
{
    put_text(p, "<p>The certificate of the model is not shown: ");
    put_escaped(p, mst_error_detail());
    put_text(p, ".</p>\n");
}

/* The certificate of the network that the result used. */
static void put_network(reporting *a, saved_result *r)
{
    page *p = &a->page;
    const char *path;
    bool same;
    mst_network *net = NULL;
    mst_json_value *certificate = NULL;
    mst_status status =
        saved_find_model(r, &path, option_get(a->inv, &option_network)->text, &same);
    if (status == MST_OK && path == NULL)
        return;
    if (status == MST_OK)
        status = mst_network_read(&net, path, NULL);
    if (status != MST_OK) {
        put_no_certificate(p);
        return;
    }
    if (!same)
        put_text(p, "<p class=\"doubt\">The model of --model is not known to be the one that the "
                    "result was made with; this is its certificate.</p>\n");
    const char *text = mst_network_describe(net).certificate;
    if (text[0] == '\0')
        put_text(p,
                 "<p>The model has no certificate; <code>manistat check</code> makes one.</p>\n");
    else if (mst_json_parse(&certificate, "certificate", strlen(text), text) == MST_OK)
        page_certificate(p, certificate);
    else
        put_no_certificate(p);
    mst_json_value_free(certificate);
    mst_network_free(net);
}

/* Points for the picture; without them the page says why. */
static mst_status read_data(reporting *a, saved_result *r, estimation *e, labelled_rows *rows,
                            char why[SCENE_TEXT])
{
    const char *data = option_get(a->inv, &option_points)->text;
    bool force = option_given(a->inv, &option_force);
    mst_status status = saved_find_inputs(r, data, force);
    if (status == MST_DOMAIN && data != NULL && a->count > 1)
        status = saved_find_inputs(r, NULL, force);
    if (status == MST_OK)
        status = saved_points(r, e, rows);
    if (status == MST_OK || status == MST_MEMORY)
        return status;
    snprintf(why, SCENE_TEXT, "%s", mst_error_detail());
    if (data != NULL && a->count == 1)
        return status; /* a file that was named is to be the right one */
    warn(a->inv, "%s", why);
    labelled_free(rows);
    estimation_close(e);
    *rows = (labelled_rows){0};
    *e = (estimation){0};
    if (r->inv.command == NULL || manifold_text(&r->inv) == NULL ||
        estimation_open(e, &r->inv) != MST_OK) {
        estimation_close(e);
        *e = (estimation){0}; /* without the manifold there is no picture at all */
    }
    return MST_OK;
}

static mst_status put_result(reporting *a, saved_result *r, size_t number)
{
    page *p = &a->page;
    estimation e = {0};
    labelled_rows rows = {0};
    scene s = {0};
    char why[SCENE_TEXT] = "";
    mst_status status = MST_OK;
    bool places =
        mst_json_member(r->top, "mean") != NULL || mst_json_member(r->top, "groups") != NULL ||
        mst_json_member(r->top, "centres") != NULL || mst_json_member(r->top, "intercept") != NULL;
    if (places)
        status = read_data(a, r, &e, &rows, why);
    if (status == MST_OK && e.m != NULL)
        status = scene_make(&s, r, &e, &rows, why);
    if (status == MST_OK) {
        put_format(p,
                   "<section id=\"result-%zu\" aria-labelledby=\"result-%zu-title\">\n<h2 "
                   "id=\"result-%zu-title\">",
                   number, number, number);
        put_title(p, r);
        put_text(p, " <span class=\"file\">");
        put_escaped(p, shown_path(r->path));
        put_text(p, "</span></h2>\n");
        page_flags(p, r);
        page_notes(p, r, why);
        status = put_figure(p, &s, number);
        page_tables(p, r);
        put_network(a, r);
        page_provenance(p, r);
        put_format(
            p,
            "<details class=\"json\" data-json=\"result-%zu-json\" hidden><summary>All numbers, "
            "as JSON</summary><pre tabindex=\"0\"></pre></details>\n",
            number);
        put_json(p, r, number);
        put_text(p, "</section>\n");
    }
    scene_free(&s);
    labelled_free(&rows);
    estimation_close(&e);
    return status == MST_OK ? p->status : status;
}

/* ---- The page ---- */

static void put_top(reporting *a)
{
    page *p = &a->page;
    put_text(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n");
    put_format(p, "<meta name=\"generator\" content=\"manistat %s\">\n<title>", mst_version());
    put_title(p, &a->results[0]);
    put_text(p, a->count > 1 ? " and others \xe2\x80\x93 manistat report"
                             : " \xe2\x80\x93 manistat report");
    put_text(p, "</title>\n<style>\n");
    put_text(p, page_css);
    put_text(p, "</style>\n</head>\n<body>\n<main>\n<h1>manistat report</h1>\n");
    if (a->count < 2)
        return;
    put_text(p, "<nav aria-label=\"Results\"><ol>\n");
    for (size_t i = 0; i < a->count; i++) {
        put_format(p, "<li><a href=\"#result-%zu\">", i + 1);
        put_title(p, &a->results[i]);
        put_text(p, "</a> <span class=\"file\">");
        put_escaped(p, shown_path(a->results[i].path));
        put_text(p, "</span></li>\n");
    }
    put_text(p, "</ol></nav>\n");
}

static mst_status write_page(reporting *a)
{
    mst_status status = MST_OK;
    put_top(a);
    for (size_t i = 0; i < a->count && status == MST_OK; i++)
        status = put_result(a, &a->results[i], i + 1);
    if (status != MST_OK)
        return status;
    put_format(&a->page,
               "</main>\n<footer>Made by manistat %s. This page holds its data and asks for "
               "nothing.</footer>\n<script>\n",
               mst_version());
    put_text(&a->page, page_js);
    put_text(&a->page, "</script>\n</body>\n</html>\n");
    return a->page.status;
}

static mst_status run(invocation *inv)
{
    reporting a = {.inv = inv, .count = inv->operand_count};
    if (a.count == 0)
        return mst_fail(MST_ARGUMENT, "no RESULT given; for example 'manistat report mean.json -o "
                                      "report.html'");
    a.results = calloc(a.count, sizeof *a.results);
    mst_status status = a.results != NULL
                            ? MST_OK
                            : mst_fail(MST_MEMORY, "not enough memory for %zu results", a.count);
    size_t opened = 0;
    while (status == MST_OK && opened < a.count) {
        status = saved_open(&a.results[opened], inv->operands[opened]);
        opened++;
    }
    if (status == MST_OK)
        status =
            note_output(inv, mst_output_open(&a.page.sink, option_get(inv, &option_output)->text,
                                             option_given(inv, &option_force)));
    if (status == MST_OK)
        status = write_page(&a);
    if (status == MST_OK)
        status = note_output(inv, mst_output_commit(a.page.sink));
    mst_output_free(a.page.sink);
    for (size_t i = 0; i < opened; i++)
        saved_close(&a.results[i]);
    free(a.results);
    return status;
}

const command command_report = {
    .name = "report",
    .summary = "makes a page of HTML from saved results, to read and to send",
    .usage = "RESULT.json... [options] -o report.html",
    .description =
        "Makes one page of results that commands have written with --json: estimates with their "
        "errors, convergence and uniqueness, warnings, certificates, how each was made and from "
        "which files, and a picture that turns. The page is one file, which holds its data and "
        "asks the network for nothing; it prints, and works without scripts.\n\n"
        "Points are read again from where the result says they were, seen from here or from the "
        "folder of the result, and only if they are the same bytes. Without them the page has no "
        "points, and says why. Manifolds without a picture of their own are shown in the tangent "
        "space at the estimate.",
    .options = (const option *const[]){&option_points, &option_network, &option_seed_unused,
                                       &option_threads_unused, &option_output, &option_force,
                                       &option_quiet, &option_help, &option_version, NULL},
    .max_operands = 1000,
    .examples =
        (const example[]){
            {"A mean, and a page of it:", "manistat report mean.json -o report.html"},
            {"Several results on one page:", "manistat report mean.json clusters.json -o all.html"},
            {NULL, NULL},
        },
    .run = run,
};
