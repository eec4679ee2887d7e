/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "require.h"
#include "targets.h"

#include <manistat/manifold.h>
#include <manistat/score.h>
#include <manistat/status.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text has an object or a word why not; a manifold tells its own name, which makes the same again. */
int fuzz_specs(const uint8_t *data, size_t size)
{
    char text[120] = "";
    mst_manifold *m, *again;
    if (size == 0 || size >= sizeof text || memchr(data, '/', size) != NULL)
        return 0; /* a path could lead anywhere */
    memcpy(text, data, size);
    char *source = strchr(text, '\n'); /* a score source may follow */
    if (source != NULL)
        *source++ = '\0';
    mst_status status = mst_manifold_parse(&m, text);
    fuzz_require(status == MST_OK || *mst_error_detail() != '\0', "a refusal says why");
    if (status != MST_OK)
        return 0;
    fuzz_require(mst_manifold_parse(&again, mst_manifold_spec(m)) == MST_OK &&
                     mst_manifold_ambient(again) == mst_manifold_ambient(m) &&
                     strcmp(mst_manifold_spec(again), mst_manifold_spec(m)) == 0,
                 "the name of a manifold makes it again");
    mst_manifold_free(again);
    mst_score *s;
    if (source != NULL && mst_score_open(&s, source, m) == MST_OK)
        mst_score_free(s);
    mst_manifold_free(m);
    return 0;
}
