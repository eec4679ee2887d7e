/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* --shrink: the option, and what is told of it in texts and in JSON. */
#ifndef MST_CLI_SHRINKAGE_H
#define MST_CLI_SHRINKAGE_H

#include "common.h"
#include "util/json.h"

/* What was shrunk in one call of the program. */
struct shrink_tally {
    uint64_t rows;
    double least, most; /* intensities */
};

/* The same of `cov`, which reads signals. */
extern const option option_signal_shrink;

mst_shrink shrink_of(const invocation *inv);
/* The number that was given, 0 if none was. */
double shrink_intensity(const invocation *inv);
/* One matrix more. */
void count_shrunk(const invocation *inv, uint64_t rows, double least, double most);
/* "108 matrices shrunk (oas, 200 samples), intensities 0.01 to 0.03", or an empty text if none was. */
#define SHRINK_TEXT 128
const char *shrink_text(const invocation *inv, char text[SHRINK_TEXT]);
/* The member "shrink", if something was. */
void json_shrink(const invocation *inv, mst_json *j);

#endif
