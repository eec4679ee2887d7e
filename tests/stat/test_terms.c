/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables of covariates and the design matrices that terms make of them. */
#include "support/support.h"

#include <manistat/terms.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table of a text. */
static mst_table *table_of(const char *text)
{
    char path[] = "/tmp/manistat-terms-XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0);
    FILE *out = fdopen(file, "w");
    fputs(text, out);
    fclose(out);
    mst_table *t = NULL;
    ASSERT_OK(mst_table_read(&t, path));
    remove(path);
    return t;
}

static const char *const people = "age,sex,height cm\n30,m,180\n40,f,\n50,m,170\n20,NA,160\n";

START_TEST(columns_hold_numbers_or_words)
{
    mst_table *t = table_of(people);
    ck_assert(t->n == 4 && t->cols == 3);
    ck_assert(t->columns[0].numbers != NULL && t->columns[0].labels == NULL);
    ck_assert(t->columns[1].numbers == NULL && t->columns[1].labels->count == 3);
    ck_assert_uint_eq(t->columns[0].missing, 0);
    ck_assert_uint_eq(t->columns[1].missing, 1);
    ck_assert_uint_eq(t->columns[1].first_missing, 3);
    ck_assert_uint_eq(t->columns[2].missing, 1);
    ck_assert(isnan(t->columns[2].numbers[1]) && t->columns[2].numbers[2] == 170);
    ck_assert_ptr_eq(mst_table_find(t, "height cm"), &t->columns[2]);
    ck_assert_ptr_eq(mst_table_find(t, "2"), &t->columns[1]);
    ck_assert_ptr_null(mst_table_find(t, "4"));
    ck_assert_ptr_null(mst_table_find(t, "weight"));
    ck_assert(mst_is_missing("") && mst_is_missing("nan") && !mst_is_missing("none"));
    mst_table_free(t);
    mst_table_free(NULL);
    t = table_of("1,2\n3,4\n");
    ck_assert_str_eq(t->columns[1].name, "x2");
    mst_table_free(t);
}
END_TEST

START_TEST(terms_make_a_design_matrix)
{
    mst_table *t = table_of("age,sex,hour\n30,m,6\n40,f,12\n50,x,18\n");
    mst_terms *terms;
    ASSERT_OK(mst_terms_new(&terms, t, " age +age^2+ sex + sin(2*pi*hour/24) + (age + hour)"));
    ck_assert_uint_eq(mst_terms_count(terms), 5);
    ck_assert_uint_eq(mst_terms_columns(terms), 6);
    const char *names[] = {"age", "age^2", "sex[m]", "sex[x]", "sin(2*pi*hour/24)", "(age + hour)"};
    const size_t groups[] = {0, 1, 2, 2, 3, 4};
    for (size_t c = 0; c < 6; c++) {
        ck_assert_str_eq(mst_terms_column(terms, c), names[c]);
        ck_assert_uint_eq(mst_terms_term_of(terms, c), groups[c]);
    }
    ck_assert_str_eq(mst_terms_text(terms, 2), "sex");
    ck_assert_str_eq(mst_terms_reference(terms, 2), "f");
    ck_assert_ptr_null(mst_terms_reference(terms, 0));
    const double expected[3][6] = {
        {30, 900, 1, 0, 1, 36}, {40, 1600, 0, 0, 0, 52}, {50, 2500, 0, 1, -1, 68}};
    double x[3][6];
    ASSERT_OK(mst_terms_matrix(terms, t, &x[0][0]));
    for (size_t i = 0; i < 3; i++)
        for (size_t c = 0; c < 6; c++)
            assert_near(x[i][c], expected[i][c], 1e-12, "row %zu, column %zu", i, c);
    mst_table_free(t);
    /* Another table, whose columns stand in another order. */
    t = table_of("hour,age,sex\n6,10,f\n");
    ASSERT_OK(mst_terms_matrix(terms, t, &x[0][0]));
    ck_assert(x[0][0] == 10 && x[0][1] == 100 && x[0][2] == 0 && x[0][3] == 0 && x[0][5] == 16);
    mst_table_free(t);
    t = table_of("hour,age,sex\n6,10,y\n");
    ASSERT_FAILS(MST_ARGUMENT, mst_terms_matrix(terms, t, &x[0][0]));
    ck_assert(strstr(mst_error_detail(), "no \"y\" of sex") != NULL);
    mst_table_free(t);
    t = table_of("hour,sex\n6,f\n");
    ASSERT_FAILS(MST_ARGUMENT, mst_terms_matrix(terms, t, &x[0][0]));
    mst_table_free(t);
    mst_terms_free(terms);
    mst_terms_free(NULL);
}
END_TEST

START_TEST(columns_and_factors_of_numbers)
{
    mst_table *t = table_of("dose,label\n10,a\n2,b\n10,a\n,b\n");
    mst_terms *terms;
    double x[4];
    ASSERT_OK(mst_terms_new(&terms, t, "factor(dose)"));
    ck_assert_uint_eq(mst_terms_columns(terms), 1);
    ck_assert_str_eq(mst_terms_column(terms, 0), "dose[10]");
    ck_assert_str_eq(mst_terms_reference(terms, 0), "2");
    ASSERT_OK(mst_terms_matrix(terms, t, x));
    ck_assert(x[0] == 1 && x[1] == 0 && x[2] == 1 && isnan(x[3]));
    mst_terms_free(terms);
    ASSERT_OK(mst_terms_of_columns(&terms, t, 2, (const char *const[]){"label", "1"}));
    ck_assert_str_eq(mst_terms_column(terms, 0), "label[b]");
    ck_assert_str_eq(mst_terms_column(terms, 1), "dose");
    mst_terms_free(terms);
    mst_table_free(t);
}
END_TEST

/* A text makes the same columns again, for other rows. */
START_TEST(terms_go_through_a_text)
{
    mst_table *t = table_of("age,sex,dose\n30,m,2\n40,f,10\n50,m,2\n"), *other;
    mst_terms *terms, *again;
    char *text;
    double x[8], y[8];
    ASSERT_OK(mst_terms_new(&terms, t, "age^2 + sex + factor(dose) + age"));
    ASSERT_OK(mst_terms_save(terms, t, &text));
    ASSERT_OK(mst_terms_load(&again, text));
    ck_assert_uint_eq(mst_terms_columns(again), mst_terms_columns(terms));
    for (size_t c = 0; c < mst_terms_columns(terms); c++)
        ck_assert_str_eq(mst_terms_column(again, c), mst_terms_column(terms, c));
    other = table_of("dose,sex,age\n10,m,7\n2,f,8\n");
    ASSERT_OK(mst_terms_matrix(terms, other, x));
    ASSERT_OK(mst_terms_matrix(again, other, y));
    ck_assert(memcmp(x, y, sizeof x) == 0 && x[0] == 49 && x[1] == 1 && x[2] == 1 && x[3] == 7);
    mst_terms_free(again);
    ASSERT_FAILS(MST_FORMAT, mst_terms_load(&again, ""));
    ASSERT_FAILS(MST_FORMAT, mst_terms_load(&again, "age\nnumbers\n"));
    free(text);
    mst_terms_free(terms);
    mst_table_free(t);
    mst_table_free(other);
}
END_TEST

START_TEST(mistakes_are_named)
{
    static const struct {
        const char *text;
        mst_status status;
        const char *says;
    } cases[] = {
        {"age + ", MST_ARGUMENT, "a term is empty"},
        {"", MST_ARGUMENT, "a term is empty"},
        {"weight", MST_FORMAT, "\"weight\" is not defined"},
        {"age*sex", MST_ARGUMENT, "\"sex\" has words"},
        {"age + age", MST_ARGUMENT, "twice"},
        {"2", MST_ARGUMENT, "no column in it"},
        {"factor(weight)", MST_ARGUMENT, "no column \"weight\""},
        {"only", MST_ARGUMENT, "one level only, z"},
        {"sin(age", MST_FORMAT, "missing"},
        {"age age", MST_FORMAT, "does not belong"},
    };
    mst_table *t = table_of("age,sex,only\n30,m,z\n40,f,z\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_terms *terms = NULL;
        mst_status status = mst_terms_new(&terms, t, cases[k].text);
        ck_assert_msg(status == cases[k].status && terms == NULL, "%s: %s", cases[k].text,
                      mst_status_name(status));
        ck_assert_msg(strstr(mst_error_detail(), cases[k].says) != NULL, "%s: %s", cases[k].text,
                      mst_error_detail());
    }
    mst_table_free(t);
}
END_TEST

int main(void)
{
    return RUN_SUITE("terms", 30, {columns_hold_numbers_or_words, 0},
                     {terms_make_a_design_matrix, 0}, {columns_and_factors_of_numbers, 0},
                     {terms_go_through_a_text, 0}, {mistakes_are_named, 0});
}
