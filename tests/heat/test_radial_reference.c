/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels against the tables tests/data/reference/heat_*.csv, every row, with
 * the bars of radial.h. */
#include "heat/radial_rows.h"

#include <stdio.h>

static const char *const files[] = {"euclid", "sphere", "hyperbolic", "so3"};
enum { FILES = sizeof files / sizeof *files };

START_TEST(table)
{
    static const size_t least_rows[FILES] = {550, 770, 330, 110};
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/reference/heat_%s.csv", MST_TEST_DATA, files[_i]);
    FILE *in = fopen(path, "r");
    ck_assert_msg(in != NULL, "%s cannot be read", path);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
    size_t rows = 0;
    for (; fgets(line, sizeof line, in) != NULL; rows++) {
        size_t m;
        double r, t, logp, dr, dt;
        ck_assert_msg(sscanf(line, "%*[^,],%zu,%lf,%lf,%lf,%lf,%lf", &m, &r, &t, &logp, &dr, &dt) ==
                          6,
                      "%s: %s", path, line);
        row x = row_at((kind)_i, m, r, t);
        for (int isa = 0; isa <= MST_ISA_V4; isa++) {
            mst_isa_choose(mst_isa_name((enum mst_isa)isa));
            oracle_row got = evaluate(&x), want = got;
            want.logp = logp;
            want.dr = dr;
            want.dt = dt;
            bars promised = {.logp = 1e-12, .dr = 1e-10, .dt = 1e-10};
            assert_row(&x, &got, &want, &promised);
        }
    }
    fclose(in);
    ck_assert_uint_ge(rows, least_rows[_i]);
}
END_TEST

int main(void)
{
    return RUN_SUITE("radial reference", 60, {table, FILES});
}
