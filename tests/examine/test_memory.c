/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One allocation in a long examination fails: that is an error, and never another finding. */
#include "support/scratch.h"

#include <manistat/examine.h>

static long number, failing = -1; /* from 0; negative: all succeed */

/* Takes the place of the C library's function in this program; the library has no other way to memory. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (number++ == failing)
        return NULL;
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}

static mst_status examine(const mst_manifold *m, long k)
{
    mst_examination *e;
    mst_examine_options o = mst_examine_options_default();
    o.points = 64;
    o.threads = 1;
    number = 0;
    failing = k;
    mst_status status = mst_manifold_examine(&e, m, &o);
    failing = -1;
    if (status == MST_OK)
        mst_examination_free(e);
    else
        ck_assert_ptr_null(e);
    return status;
}

static const char *const texts[] = {
    ("coordinates u v\nperiod u 2*pi\nperiod v 2*pi\n"
     "embedding = (2 + cos(v))*cos(u), (2 + cos(v))*sin(u), sin(v)\ncompact = yes\nstart = 0, 0\n"),
    "coordinates x y\nmetric = 1/y^2\ndomain y > 0\nstart = 0, 1\n",
    "coordinates x y z\nconstraint = x^2 + 2*y^2 + z^2 - 1\nstart = 1, 0, 0\n",
};

START_TEST(every_allocation_counts)
{
#ifdef MST_SANITIZED
    enum { TRIES = 10 };
#else
    enum { TRIES = 30 };
#endif
    mst_manifold *m;
    scratch_open();
    mst_status status = mst_manifold_parse(&m, scratch_text("text.manifold", texts[_i]));
    scratch_close();
    ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
    ASSERT_OK(examine(m, -1));
    long total = number;
    ck_assert_int_gt(total, TRIES);
    for (long i = 0; i < TRIES; i++) { /* from the first to the last, most of them early */
        long k =
            (long)((double)(total - 1) * ((double)i / (TRIES - 1)) * ((double)i / (TRIES - 1)));
        ck_assert_msg(examine(m, k) == MST_MEMORY, "allocation %ld of %ld", k, total);
    }
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("examine.memory", 300,
                     {every_allocation_counts, sizeof texts / sizeof *texts});
}
