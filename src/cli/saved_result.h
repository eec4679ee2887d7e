/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A result that was saved as JSON, and the points that it was made from. */
#ifndef MST_CLI_SAVED_RESULT_H
#define MST_CLI_SAVED_RESULT_H

#include "labelled.h"

typedef struct saved_result {
    const char *path; /* of the JSON, borrowed */
    char *text;       /* of the JSON, as it was read */
    size_t length;
    mst_json_value *top;           /* the whole object */
    const command *command;        /* that made it */
    const mst_json_value *made_by; /* null: an older version wrote it, or another program */
    invocation inv;                /* the call that made it, without --score, and quiet */
    char **words;                  /* of that call, ended by null */
    char **paths;                  /* files found again, ended by null */
    size_t path_count;
} saved_result;

/* MST_FORMAT if the file is no result. Free it in either case. */
MST_MUST_USE mst_status saved_open(saved_result *s, const char *path);
void saved_close(saved_result *s);

/* Finds the files again that the points come from, in the working folder or beside the result, and
 * s->inv is then fit for estimation_open. `data` takes the place of the first file of points, null: none
 * does. A file that has changed since is MST_DOMAIN, and so is a `data` that is another, unless `force`;
 * one that is gone is MST_IO; each says what to do. */
MST_MUST_USE mst_status saved_find_inputs(saved_result *s, const char *data, bool force);
/* The network of --score, found in the same way, or `given`, which may be null: is it the same as then? A
 * null path: there is none. */
MST_MUST_USE mst_status saved_find_model(saved_result *s, const char **path, const char *given,
                                         bool *same);
/* The points as the command had them, with the groups of --by; after saved_find_inputs. MST_DOMAIN if there
 * are not as many as the result says. Close `e` and free the rows in either case. */
MST_MUST_USE mst_status saved_points(saved_result *s, estimation *e, labelled_rows *rows);

#endif
