/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/fields.h"

#include "support/support.h"

typedef enum colour { RED, GREEN } colour;

typedef struct thing {
    bool flag;
    size_t count;
    uint64_t integer;
    double number;
    colour choice;
} thing;

static const char *const colours[] = {"red", "green", NULL};
static const named_field fields[] = {
    {"flag", FIELD_FLAG, offsetof(thing, flag), 0, 1, NULL},
    {"count", FIELD_COUNT, offsetof(thing, count), 2, 9, NULL},
    {"integer", FIELD_INTEGER, offsetof(thing, integer), 0, 0, NULL},
    {"number", FIELD_NUMBER, offsetof(thing, number), 0, 0, NULL},
    {"choice", FIELD_CHOICE, offsetof(thing, choice), 0, 0, colours},
};
enum { FIELDS = sizeof fields / sizeof *fields };

START_TEST(values_make_the_round_trip)
{
    static const thing things[] = {{true, 9, UINT64_MAX, 0.1 + 0.2, GREEN},
                                   {false, 2, 0, -INFINITY, RED},
                                   {.count = 3, .number = NAN}};
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        thing back = {.flag = i % 2 == 1, .count = 5};
        for (size_t k = 0; k < FIELDS; k++) {
            char text[FIELD_TEXT], again[FIELD_TEXT];
            field_write(&fields[k], &things[i], text);
            ck_assert_ptr_null(field_read(&fields[k], text, &back));
            ck_assert(field_fits(&fields[k], &back));
            field_write(&fields[k], &back, again);
            ck_assert_str_eq(text, again);
        }
        ck_assert(back.flag == things[i].flag && back.count == things[i].count);
        ck_assert(back.integer == things[i].integer && back.choice == things[i].choice);
        ck_assert(back.number == things[i].number || isnan(things[i].number));
    }
}
END_TEST

START_TEST(wrong_texts_change_nothing)
{
    static const struct {
        size_t k;
        const char *text, *wrong;
    } bad[] = {
        {0, "2", "is out of range"},
        {0, "true", "is not a whole number"},
        {1, "1", "is out of range"},
        {1, "10", "is out of range"},
        {1, "-3", "is not a whole number"},
        {1, "3.0", "is not a whole number"},
        {1, " 3", "is not a whole number"},
        {2, "18446744073709551616", "is not a whole number"},
        {2, "", "is not a whole number"},
        {3, "1,5", "is not a number"},
        {3, "", "is not a number"},
        {4, "blue", "is unknown"},
        {4, "", "is unknown"},
    };
    thing x = {true, 5, 6, 7, GREEN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *wrong = field_read(&fields[bad[i].k], bad[i].text, &x);
        ck_assert_ptr_nonnull(wrong);
        ck_assert_str_eq(wrong, bad[i].wrong);
    }
    ck_assert(x.flag && x.count == 5 && x.integer == 6 && x.number == 7 && x.choice == GREEN);
    x = (thing){.count = 1, .choice = (colour)7};
    ck_assert(!field_fits(&fields[1], &x) && !field_fits(&fields[4], &x));
    char text[FIELD_TEXT];
    field_write(&fields[4], &x, text);
    ck_assert_str_eq(text, "7");
}
END_TEST

int main(void)
{
    return RUN_SUITE("fields", 20, {values_make_the_round_trip, 0},
                     {wrong_texts_change_nothing, 0});
}
