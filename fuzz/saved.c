/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include <manistat/plot.h>
#include <manistat/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require_saved(bool holds, const char *property)
{
    if (holds)
        return;
    fprintf(stderr, "property does not hold: %s (%s)\n", property, mst_error_detail());
    abort();
}

int fuzz_saved(const uint8_t *data, size_t size)
{
    mst_saved *s;
    char *bytes;
    size_t length;
    mst_plot_options o = mst_plot_options_default();
    mst_status status =
        mst_saved_parse(&s, "fuzz", size, data != NULL ? (const char *)data : "", NULL);
    require_saved(status == MST_OK || strncmp(mst_error_detail(), "fuzz", 4) == 0 ||
                      status == MST_MEMORY,
                  "the message names the file");
    if (status != MST_OK)
        return 0;
    status = mst_plot_draw(&bytes, &length, mst_saved_picture(s), MST_PLOT_SVG, &o);
    require_saved(status == MST_OK || *mst_error_detail() != '\0', "a refusal says why");
    if (status == MST_OK) {
        require_saved(length > 12 && memcmp(bytes + length - 7, "</svg>\n", 7) == 0,
                      "a picture is whole");
        mst_plot_free(bytes);
    }
    mst_saved_free(s);
    return 0;
}
