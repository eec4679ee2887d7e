/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "require.h"
#include "targets.h"

#include <manistat/plot.h>
#include <manistat/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fuzz_saved(const uint8_t *data, size_t size)
{
    mst_saved *s;
    char *bytes;
    size_t length;
    mst_plot_options o = mst_plot_options_default();
    mst_status status =
        mst_saved_parse(&s, "fuzz", size, data != NULL ? (const char *)data : "", NULL);
    fuzz_require(status == MST_OK || strncmp(mst_error_detail(), "fuzz", 4) == 0 ||
                     status == MST_MEMORY,
                 "the message names the file");
    if (status != MST_OK)
        return 0;
    status = mst_plot_draw(&bytes, &length, mst_saved_picture(s), MST_PLOT_SVG, &o);
    fuzz_require(status == MST_OK || *mst_error_detail() != '\0', "a refusal says why");
    if (status == MST_OK) {
        fuzz_require(length > 12 && memcmp(bytes + length - 7, "</svg>\n", 7) == 0,
                     "a picture is whole");
        mst_plot_free(bytes);
    }
    mst_saved_free(s);
    return 0;
}
