/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Members of a struct by name, so that what writes, reads, checks and compares them need not list them
 * again. */
#ifndef MST_UTIL_FIELDS_H
#define MST_UTIL_FIELDS_H

#include "util/number_text.h"

#include <manistat/status.h>
#include <stddef.h>

typedef enum field_kind {
    FIELD_FLAG,    /* bool, as 0 or 1 */
    FIELD_COUNT,   /* size_t */
    FIELD_INTEGER, /* uint64_t */
    FIELD_NUMBER,  /* double */
    FIELD_CHOICE,  /* an enum from 0 on, by name */
} field_kind;

typedef struct named_field {
    const char *name;
    field_kind kind;
    size_t offset;
    size_t least, largest;    /* of a count */
    const char *const *names; /* of a choice, a null at the end */
} named_field;

enum { FIELD_TEXT = MST_DOUBLE_TEXT };

/* The value as text, with a zero. */
void field_write(const named_field *f, const void *object, char *text);
/* The reverse. Returns null, or what is wrong ("is not a whole number"); the member is then as it was. */
const char *field_read(const named_field *f, const char *text, void *object);
/* Whether a count is in its range, and a choice has a name. */
bool field_fits(const named_field *f, const void *object);

#endif
