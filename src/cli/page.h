/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A page of HTML: one file that asks for nothing else. */
#ifndef MST_CLI_PAGE_H
#define MST_CLI_PAGE_H

#include "scene.h"

typedef struct page {
    mst_output *sink;
    mst_status status; /* the first failure, which sticks */
} page;

void put_text(page *p, const char *html);
void put_format(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text from outside: it stands for itself, whatever is in it. */
void put_escaped(page *p, const char *text);
/* A number as the tables have it, six digits; null and what is no number is a dash. */
void put_number(page *p, const mst_json_value *v);
/* Whatever it is: numbers, texts, yes and no, rows of them. */
void put_value(page *p, const mst_json_value *v);

/* ---- Parts of a result's section ---- */
void page_flags(page *p, const saved_result *r);
void page_notes(page *p, const saved_result *r, const char *without);
void page_tables(page *p, const saved_result *r);
void page_certificate(page *p, const mst_json_value *certificate);
void page_provenance(page *p, const saved_result *r);
/* The style and the script, made from page.css and page.js. */
extern const char page_css[], page_js[];

#endif
