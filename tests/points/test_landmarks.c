/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"

#include <manistat/points.h>
#include <math.h>

START_TEST(test_files)
{
    mst_landmarks *l;
    ASSERT_OK(mst_landmarks_read(&l, scratch_text("a.tps", "LM=1\n1 -2\nID=b\nLM=1\nNA 4\nID=a\n"),
                                 NULL));
    ck_assert(l->n == 2 && l->cols == 2 && l->dim == 2);
    ck_assert_double_eq(l->x[1], -2);
    ck_assert(isnan(l->x[2]) && isnan(l->x[3]));
    ck_assert_str_eq(l->labels->names[l->labels->index[0]], "b");
    mst_landmarks_free(l);
    mst_landmarks_options o = mst_landmarks_options_default();
    o.missing_negative = true;
    ASSERT_OK(mst_landmarks_read(&l, scratch("a.tps"), &o));
    ck_assert(isnan(l->x[0]));
    mst_landmarks_free(l);
    ASSERT_OK(mst_landmarks_read(&l, scratch_text("a.csv", "1,2\n3,\n"), NULL));
    ck_assert(l->n == 2 && l->dim == 0 && l->labels == NULL && isnan(l->x[3]));
    mst_landmarks_free(l);
    ck_assert_int_eq(mst_landmarks_read(&l, scratch("a.csv"), &o), MST_ARGUMENT);
    ck_assert_int_eq(mst_landmarks_read(&l, scratch_text("a.csv", "1,inf\n"), NULL), MST_FORMAT);
    ck_assert_detail("row 1, column 2: not a finite number");
    mst_landmarks_free(NULL);
}
END_TEST

/* More rows than a block. */
START_TEST(test_many_rows)
{
    FILE *f = fopen(scratch("many.tps"), "w");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "LM3=1\n%d 1 2\n", i);
    fclose(f);
    mst_landmarks *l;
    ASSERT_OK(mst_landmarks_read(&l, scratch("many.tps"), NULL));
    ck_assert(l->n == 1000 && l->dim == 3);
    for (size_t i = 0; i < 1000; i++)
        ck_assert_double_eq(l->x[3 * i], (double)i);
    mst_landmarks_free(l);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_files);
    tcase_add_test(c, test_many_rows);
    return run_case("landmarks", c);
}
