/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The examination of a diffusion mean by the expansion for people, in JSON and as a reason to refuse it. */
#ifndef MST_CLI_MEAN_EXAMINED_H
#define MST_CLI_MEAN_EXAMINED_H

#include "estimate.h"

void examined_warn(const estimation *e, const mst_mean_examination *x);
/* MST_UNABLE if the fit should not be used. */
MST_MUST_USE mst_status examined_refuse(const mst_mean_examination *x);
void examined_print(FILE *out, size_t d, const mst_mean_examination *x);
void examined_json(mst_json *j, const mst_mean_examination *x);

#endif
