/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How far a result can be relied on, and how it was made. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- At a glance ---- */

static void put_flag(page *p, const char *kind, const char *text)
{
    put_format(p, "<li class=\"%s\">%s</li>", kind, text);
}

void page_flags(page *p, const saved_result *r)
{
    const mst_json_value *converged = mst_json_member(r->top, "converged");
    const char *unique = mst_json_as_string(mst_json_member(r->top, "uniqueness"));
    const mst_json_value *one = mst_json_member(r->top, "unique");
    size_t warnings = mst_json_length(mst_json_member(r->top, "warnings"));
    put_text(p, "<ul class=\"flags\">");
    if (converged != NULL)
        put_flag(p, mst_json_as_bool(converged) ? "good" : "bad",
                 mst_json_as_bool(converged) ? "converged" : "did not converge");
    if (mst_json_kind_of(one) == MST_JSON_BOOL && !mst_json_as_bool(one))
        put_flag(p, "bad", "the mean is not unique");
    else if (unique != NULL && strcmp(unique, "proven") == 0)
        put_flag(p, "good", "unique, proven");
    else if (unique != NULL && strcmp(unique, "searched") == 0)
        put_flag(p, "good", "unique as far as was searched");
    else if (unique != NULL)
        put_flag(p, "doubt", "uniqueness not established");
    if (mst_json_as_number(mst_json_member(mst_json_member(r->top, "outside"), "rows")) > 0)
        put_flag(p, "bad", "rows beyond what the score source knows");
    if (warnings > 0)
        put_format(p, "<li class=\"doubt\">%zu warning%s</li>", warnings, warnings == 1 ? "" : "s");
    if (r->made_by == NULL)
        put_flag(p, "doubt", "does not say how it was made");
    put_text(p, "</ul>\n");
}

/* ---- Sentences ---- */

static void put_note(page *p, const char *lead, const char *text)
{
    put_text(p, "<li>");
    put_escaped(p, lead);
    put_escaped(p, text);
    put_text(p, "</li>\n");
}

static void put_warnings(page *p, const mst_json_value *o, const char *lead)
{
    const mst_json_value *list = mst_json_member(o, "warnings");
    for (const mst_json_value *v = mst_json_first(list); v != NULL; v = mst_json_next(v)) {
        const char *word = mst_json_as_string(v);
        if (word == NULL)
            continue;
        const char *sentence = warning_sentence(word);
        put_text(p, "<li data-warning=\"");
        put_escaped(p, word);
        put_text(p, "\">");
        put_escaped(p, lead);
        put_escaped(p, sentence != NULL ? sentence : word);
        put_text(p, "</li>\n");
    }
    const char *errors = mst_json_as_string(mst_json_member(o, "missing_errors"));
    const char *region = mst_json_as_string(mst_json_member(o, "missing_region"));
    const char *axes = mst_json_as_string(mst_json_member(o, "missing_axes"));
    const char *limit = mst_json_as_string(mst_json_member(o, "time_limit"));
    if (errors != NULL)
        put_note(p, "no error bars: ", errors);
    if (region != NULL)
        put_note(p, "no region: ", region);
    if (axes != NULL)
        put_note(p, "no semi-axes: ", axes);
    if (limit != NULL)
        put_note(p,
                 strcmp(limit, "long") == 0 ? "the time is longer than the source knows: "
                                            : "the time runs to ",
                 limit);
}

/* Which source answers what share of the rows, where that is not one alone. */
static void put_shares(page *p, const mst_json_value *o)
{
    static const char *const names[] = {"network", "expansion", "spectral"};
    const mst_json_value *shares = mst_json_member(o, "source_shares");
    const char *before = "<li>of the rows the source ";
    if (mst_json_kind_of(mst_json_member(shares, "expansion")) != MST_JSON_NUMBER)
        return;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++, before = ", ")
        put_format(p, "%s%s%s %.3g %%", before, names[k], k == 0 ? " answers" : "",
                   100 * mst_json_as_number(mst_json_member(shares, names[k])));
    put_text(p, "</li>\n");
}

void page_notes(page *p, const saved_result *r, const char *without)
{
    static const char *const keys[] = {"command", "manifold", "version", "made_by"};
    const mst_json_value *outside = mst_json_member(r->top, "outside");
    put_text(p, "<ul class=\"notes\" aria-label=\"warnings and notes\">\n");
    put_warnings(p, r->top, "");
    const mst_json_value *v = mst_json_first(mst_json_member(r->top, "groups"));
    for (; v != NULL; v = mst_json_next(v)) {
        char lead[160];
        const char *name = mst_json_as_string(mst_json_member(v, "group"));
        snprintf(lead, sizeof lead, "%.140s: ", name != NULL ? name : "a group");
        put_warnings(p, v, lead);
    }
    if (mst_json_as_number(mst_json_member(outside, "rows")) > 0)
        put_format(p, "<li>%.0f rows lie outside of what the score source knows</li>\n",
                   mst_json_as_number(mst_json_member(outside, "rows")));
    put_shares(p, r->top);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (mst_json_member(r->top, keys[i]) == NULL)
            put_format(p, "<li>the result has no \"%s\"; an older version wrote it</li>\n",
                       keys[i]);
    if (without != NULL && without[0] != '\0')
        put_note(p, "", without);
    put_text(p, "</ul>\n");
}

/* ---- How it was made ---- */

/* A word as a shell takes it: plain ones as they are, others in single quotes. */
static void put_quoted(page *p, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        put_escaped(p, word);
        return;
    }
    put_text(p, "&#39;");
    for (; *word != '\0'; word++) {
        size_t run = strcspn(word, "'");
        char *piece = strndup(word, run);
        if (piece != NULL)
            put_escaped(p, piece);
        free(piece);
        word += run;
        if (*word == '\0')
            break;
        put_text(p, "&#39;\\&#39;&#39;");
    }
    put_text(p, "&#39;");
}

static void put_inputs(page *p, const mst_json_value *inputs)
{
    if (mst_json_length(inputs) == 0)
        return;
    put_text(p,
             "<div class=\"wide\"><table class=\"inputs\"><caption>Files that were read</caption>"
             "<thead><tr><th scope=\"col\">file</th><th scope=\"col\">as</th><th "
             "scope=\"col\">rows</th><th scope=\"col\">bytes</th><th scope=\"col\">hash</th>"
             "</tr></thead><tbody>\n");
    for (const mst_json_value *v = mst_json_first(inputs); v != NULL; v = mst_json_next(v)) {
        const char *file = mst_json_as_string(mst_json_member(v, "file"));
        const char *role = mst_json_as_string(mst_json_member(v, "option"));
        const char *hash = mst_json_as_string(mst_json_member(v, "hash"));
        put_text(p, "<tr><th scope=\"row\">");
        put_escaped(p, file == NULL ? "" : strcmp(file, "-") == 0 ? "standard input" : file);
        put_text(p, "</th><td>");
        put_escaped(p, role != NULL ? role : "data");
        put_text(p, "</td><td>");
        put_number(p, mst_json_member(v, "rows"));
        put_text(p, "</td><td>");
        if (mst_json_kind_of(mst_json_member(v, "bytes")) == MST_JSON_NUMBER)
            put_format(p, "%.0f", mst_json_as_number(mst_json_member(v, "bytes")));
        put_text(p, "</td><td class=\"hash\">");
        put_escaped(p, hash != NULL ? hash : "unknown: it was a pipe");
        put_text(p, "</td></tr>\n");
    }
    put_text(p, "</tbody></table></div>\n");
}

void page_provenance(page *p, const saved_result *r)
{
    const mst_json_value *m = r->made_by, *v = mst_json_first(mst_json_member(m, "command"));
    put_text(p, "<h3>How it was made</h3>\n");
    if (v != NULL) {
        put_text(p,
                 "<div class=\"command\"><pre tabindex=\"0\" aria-label=\"command line\"><code>");
        for (bool first = true; v != NULL; v = mst_json_next(v), first = false) {
            put_text(p, first ? "" : " ");
            put_quoted(p, mst_json_as_string(v) != NULL ? mst_json_as_string(v) : "");
        }
        put_text(
            p, "</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n");
    }
    put_text(p, "<p class=\"made\">manistat ");
    put_value(p, mst_json_member(m != NULL ? m : r->top, "version"));
    if (m != NULL) {
        put_text(p, ", instruction set ");
        put_value(p, mst_json_member(m, "instruction_set"));
    }
    const mst_json_value *seed = mst_json_member(m != NULL ? m : r->top, "seed");
    /* Whole numbers beyond these are not exact as doubles. */
    if (mst_json_kind_of(seed) == MST_JSON_NUMBER && mst_json_as_number(seed) < 9007199254740992.0)
        put_format(p, ", seed <span data-key=\"seed\">%.0f</span>", mst_json_as_number(seed));
    else if (mst_json_kind_of(seed) == MST_JSON_NUMBER)
        put_text(p, ", its seed is in the JSON");
    put_text(p, ". The same version, seed and instruction set give the same bytes.</p>\n");
    put_inputs(p, mst_json_member(m, "inputs"));
}
