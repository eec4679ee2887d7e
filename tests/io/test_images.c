/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Images byte by byte; tests/cli/learn_part.sh has a PNG unpacked by another program. */
#include "support/scratch.h"

#include <manistat/io.h>

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

static const double grey[6] = {0, 0.5, 1, -3, 7, NAN};

START_TEST(pgm)
{
    size_t n;
    ASSERT_OK(mst_image_write(scratch("a.pgm"), 2, 3, grey, false));
    char *got = scratch_read(scratch("a.pgm"), &n);
    static const char want[] = "P5\n3 2\n255\n\x00\x80\xff\x00\xff\x00";
    ck_assert_uint_eq(n, sizeof want - 1);
    ck_assert_mem_eq(got, want, n);
    free(got);
    ASSERT_FAILS(MST_IO, mst_image_write(scratch("a.pgm"), 2, 3, grey, false));
    ASSERT_OK(mst_image_write(scratch("a.pgm"), 3, 2, grey, true));
}
END_TEST

/* The whole file, with checksums of another program. */
START_TEST(png)
{
    static const unsigned char want[] = {
        0x89, 'P',  'N',  'G',  0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 'I',  'H',
        'D',  'R',  0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00,
        0x00, 0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x13, 'I',  'D',  'A',  'T',  0x78,
        0x01, 0x01, 0x08, 0x00, 0xf7, 0xff, 0x00, 0x00, 0x80, 0xff, 0x00, 0x00, 0xff, 0x00};
    size_t n;
    ASSERT_OK(mst_image_write(scratch("a.png"), 2, 3, grey, false));
    unsigned char *got = (unsigned char *)scratch_read(scratch("a.png"), &n);
    ck_assert_uint_eq(n, sizeof want + 4 + 4 + 12);
    ck_assert_mem_eq(got, want, sizeof want);
    free(got);
    double *many = doubles(300 * 400); /* more than a block */
    for (size_t i = 0; i < 300 * 400; i++)
        many[i] = (double)(i % 97) / 96;
    ASSERT_OK(mst_image_write(scratch("b.png"), 300, 400, many, false));
    got = (unsigned char *)scratch_read(scratch("b.png"), &n);
    ck_assert_uint_eq(n, 8 + 25 + 12 + 12 + 2 + 4 + 2 * 5 + 300 * 401);
    free(got);
    free(many);
}
END_TEST

START_TEST(what_is_refused)
{
    ck_assert(mst_image_is_name("a.png") && mst_image_is_name("b/a.pgm"));
    ck_assert(!mst_image_is_name("png") && !mst_image_is_name("a.npy"));
    ASSERT_FAILS(MST_ARGUMENT, mst_image_write(scratch("a.jpg"), 2, 3, grey, false));
    ASSERT_FAILS(MST_ARGUMENT, mst_image_write(scratch("a.png"), 0, 3, grey, false));
    ASSERT_FAILS(MST_ARGUMENT, mst_image_write(scratch("a.png"), 70000, 1, grey, false));
    ck_assert_uint_eq(scratch_count(), 0);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("images");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, pgm);
    tcase_add_test(c, png);
    tcase_add_test(c, what_is_refused);
    return run_case("images", c);
}
