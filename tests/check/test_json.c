/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/support.h"
#include "util/json.h"

#include <manistat/check.h>
#include <manistat/io.h>
#include <manistat/version.h>
#include <stdlib.h>
#include <string.h>

#define ONE_MORE(name) +1

START_TEST(json)
{
    mst_certificate c = {
        .bands = 2, .t_low = 0.1, .t_high = NAN, .against = "exact", .samples = 1234, .seed = 99};
    c.band[0] = (mst_check_band){.t_low = 0.005, .excess = -0.75, .usable = true};
    c.band[1] = (mst_check_band){
        .score_error = NAN, .mean_shift = INFINITY, .time_gap = 1e-300, .fault = "slope"};
    c.all = (mst_check_band){.slope = 1.0 / 3};
    char *text;
    ASSERT_OK(mst_certificate_json(&text, &c));
    mst_json_value *top;
    ASSERT_OK(mst_json_parse(&top, "c", strlen(text), text));
    free(text);
    ck_assert_str_eq(mst_json_as_string(mst_json_member(top, "version")), mst_version());
    ck_assert_str_eq(mst_json_as_string(mst_json_member(top, "against")), "exact");
    ck_assert(mst_json_as_number(mst_json_member(top, "samples")) == 1234);
    ck_assert(mst_json_as_number(mst_json_member(top, "seed")) == 99);
    ck_assert(mst_json_as_number(mst_json_member(top, "t_low")) == 0.1);
    ck_assert(mst_json_kind_of(mst_json_member(top, "t_high")) == MST_JSON_NULL);
    const mst_json_value *list = mst_json_member(top, "bands");
    ck_assert_uint_eq(mst_json_length(list), 2);
    const mst_json_value *one = mst_json_first(list), *two = mst_json_next(one);
    enum { NUMBERS = 0 MST_CHECK_NUMBERS(ONE_MORE) };
    ck_assert_uint_eq(mst_json_length(one), NUMBERS + 2); /* usable and fault */
    ck_assert(mst_json_as_number(mst_json_member(one, "t_low")) == 0.005);
    ck_assert(mst_json_as_number(mst_json_member(one, "excess")) == -0.75);
    ck_assert(mst_json_as_bool(mst_json_member(one, "usable")));
    ck_assert(mst_json_kind_of(mst_json_member(one, "fault")) == MST_JSON_NULL);
    ck_assert_str_eq(mst_json_as_string(mst_json_member(two, "fault")), "slope");
    ck_assert_ptr_nonnull(mst_json_member(two, "score_error"));
    ck_assert(mst_json_kind_of(mst_json_member(two, "score_error")) == MST_JSON_NULL);
    ck_assert_ptr_nonnull(mst_json_member(two, "mean_shift"));
    ck_assert(mst_json_kind_of(mst_json_member(two, "mean_shift")) == MST_JSON_NULL);
    ck_assert(mst_json_as_number(mst_json_member(two, "time_gap")) == 1e-300);
    ck_assert(!mst_json_as_bool(mst_json_member(two, "usable")));
    ck_assert(mst_json_as_number(mst_json_member(mst_json_member(top, "all"), "slope")) == 1.0 / 3);
    mst_json_value_free(top);
}
END_TEST

int main(void)
{
    return RUN_SUITE("check_json", 30, {json, 0});
}
