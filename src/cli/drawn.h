/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The picture of a saved result, with the data that it was made from. */
#ifndef MST_CLI_DRAWN_H
#define MST_CLI_DRAWN_H

#include "saved_result.h"

typedef struct drawn {
    mst_saved *saved;
    mst_picture picture;
    saved_result result;
    estimation e;
    bool opened;
    labelled_rows rows;
    double *weights;
    size_t *labels;
    double *samples; /* of several files */
    size_t sample_rows;
} drawn;

/* Reads the result and, unless `no_data`, its points again; `data` takes the place of the file that the
 * result names, or is null, as `kind` may be. Close it in either case. */
MST_MUST_USE mst_status drawn_read(drawn *d, const char *path, const char *kind, const char *data,
                                   bool no_data, bool force);
void drawn_close(drawn *d);

#endif
