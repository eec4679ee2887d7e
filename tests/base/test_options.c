/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/options.h"
#include "support/support.h"

#include <string.h>

typedef struct tea_options {
    size_t size;
    double minutes; /* default 3 */
    int cups;       /* default 2 */
    bool milk;      /* default true; came later */
    double sugar;   /* default 0.5; came last */
} tea_options;

static tea_options tea_options_default(void)
{
    return (tea_options){
        .size = sizeof(tea_options), .minutes = 3, .cups = 2, .milk = true, .sugar = 0.5};
}

START_TEST(null_is_the_defaults)
{
    tea_options o;
    ASSERT_OK(MST_TAKE_OPTIONS(&o, tea_options, NULL));
    ck_assert(o.size == sizeof o && o.minutes == 3 && o.cups == 2 && o.milk && o.sugar == 0.5);
}
END_TEST

START_TEST(all_members_are_taken)
{
    tea_options o, given = {.size = sizeof given, .minutes = 5, .cups = 1, .sugar = 2};
    ASSERT_OK(MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert(o.size == sizeof o && o.minutes == 5 && o.cups == 1 && !o.milk && o.sugar == 2);
}
END_TEST

START_TEST(an_older_struct_keeps_the_defaults_of_what_came_later)
{
    tea_options o, given = {.minutes = 5, .cups = 1, .sugar = 2};
    given.size = offsetof(tea_options, sugar);
    ASSERT_OK(MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert(o.size == sizeof o && o.minutes == 5 && o.cups == 1 && !o.milk && o.sugar == 0.5);
    given.size = offsetof(tea_options, milk);
    ASSERT_OK(MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert(o.minutes == 5 && o.cups == 1 && o.milk && o.sugar == 0.5);
    given.size = sizeof given.size;
    ASSERT_OK(MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert(o.minutes == 3 && o.cups == 2 && o.milk && o.sugar == 0.5);
}
END_TEST

START_TEST(sizes_that_cannot_be_are_refused)
{
    tea_options o, given = {.minutes = 5};
    ASSERT_FAILS(MST_ARGUMENT, MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert_str_eq(mst_error_detail(),
                     "tea_options: the member size is 0; begin with tea_options_default()");
    given.size = sizeof given.size - 1;
    ASSERT_FAILS(MST_ARGUMENT, MST_TAKE_OPTIONS(&o, tea_options, &given));
    given.size = sizeof given + 1;
    ASSERT_FAILS(MST_ARGUMENT, MST_TAKE_OPTIONS(&o, tea_options, &given));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "built for a newer one"));
}
END_TEST

int main(void)
{
    return RUN_SUITE("options", 60, {null_is_the_defaults, 0}, {all_members_are_taken, 0},
                     {an_older_struct_keeps_the_defaults_of_what_came_later, 0},
                     {sizes_that_cannot_be_are_refused, 0});
}
