/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The certificate of a model as a table for people and as JSON. */
#ifndef MST_CLI_CERTIFICATE_H
#define MST_CLI_CERTIFICATE_H

#include "options.h"
#include "util/json.h"

#include <stdio.h>

MST_MUST_USE mst_status certificate_print(const mst_certificate *c, FILE *out);
/* The member "certificate"; null if `c` is. */
void certificate_json(const mst_certificate *c, mst_json *j);

#endif
