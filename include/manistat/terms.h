/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Terms of a regression: the design matrix of a table. A term is a column of numbers; a column of words, a
 * factor, which becomes a column of 0 and 1 for each of its levels but the first, its reference; or a formula
 * of columns of numbers, such as age^2 or sin(2*pi*hour/24). */
#ifndef MANISTAT_TERMS_H
#define MANISTAT_TERMS_H

#include <manistat/io.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_terms mst_terms;

/* From a text with a + between terms, "age + age^2 + sex"; factor(NAME) makes one of a column of numbers.
 * MST_ARGUMENT or MST_FORMAT, with what is wrong, for names that the table does not have, formulas of words,
 * and factors with one level. */
MST_API MST_MUST_USE mst_status mst_terms_new(mst_terms **out, const mst_table *table,
                                              const char *text);
/* The same from names of columns. */
MST_API MST_MUST_USE mst_status mst_terms_of_columns(mst_terms **out, const mst_table *table,
                                                     size_t count, const char *const *names);
MST_API void mst_terms_free(mst_terms *t);

MST_API size_t mst_terms_columns(const mst_terms *t); /* of the design matrix */
/* "age^2", or "sex[m]" for a level; and the number of the term that it is of, from 0. */
MST_API const char *mst_terms_column(const mst_terms *t, size_t column);
MST_API size_t mst_terms_term_of(const mst_terms *t, size_t column);
MST_API size_t mst_terms_count(const mst_terms *t);
MST_API const char *mst_terms_text(const mst_terms *t, size_t term);
/* The level of a factor that the others are compared with; null for other terms. */
MST_API const char *mst_terms_reference(const mst_terms *t, size_t term);

/* The design matrix x (n, columns) of this table or another with the same names; NAN where a value is
 * missing. MST_ARGUMENT for columns that are not there and levels that the first table did not have. */
MST_API MST_MUST_USE mst_status mst_terms_matrix(const mst_terms *t, const mst_table *table,
                                                 double *x);

/* A text that makes the same terms again, with the names and levels of the table that they were made of;
 * release it with free(). */
MST_API MST_MUST_USE mst_status mst_terms_save(const mst_terms *t, const mst_table *table,
                                               char **text);
/* MST_FORMAT for a text that mst_terms_save has not made. */
MST_API MST_MUST_USE mst_status mst_terms_load(mst_terms **out, const char *text);

#ifdef __cplusplus
}
#endif
#endif
