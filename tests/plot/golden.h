/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Small pictures without words, for fonts differ, against those in tests/plot/golden that were looked at.
 * MST_GOLDEN=write writes them anew. */
#ifndef TESTS_PLOT_GOLDEN_H
#define TESTS_PLOT_GOLDEN_H

#include "support/scratch.h"

#include <manistat/plot.h>
#include <sys/wait.h>

/* Draws `p` and compares it with the golden picture of the name. */
static inline void compare_golden(const mst_picture *p, const char *kind, const char *name)
{
    char golden[400], command[1300];
    mst_plot_options o = mst_plot_options_default();
    o.kind = kind;
    o.words = false;
    o.width = 42;
    o.resolution = 100;
    o.force = true;
    snprintf(golden, sizeof golden, "%s/../plot/golden/%s.png", MST_TEST_DATA, name);
    const char *wish = getenv("MST_GOLDEN");
    if (wish != NULL && strcmp(wish, "write") == 0) {
        ASSERT_OK(mst_plot_write(golden, p, &o));
        return;
    }
    ASSERT_OK(mst_plot_write(scratch("got.png"), p, &o));
    snprintf(command, sizeof command, "python3 -B '%s/../plot/same_picture.py' '%s' '%s'",
             MST_TEST_DATA, golden, scratch("got.png"));
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", name);
}

#endif
