/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts and integers are read as one");

static uint64_t integer_of(const named_field *f, const void *member)
{
    if (f->kind == FIELD_FLAG)
        return *(const bool *)member;
    if (f->kind == FIELD_CHOICE)
        return *(const unsigned *)member;
    return *(const uint64_t *)member;
}

/* The name of a choice; null for a value that has none. */
static const char *name_of(const named_field *f, uint64_t value)
{
    for (uint64_t k = 0; f->names[k] != NULL; k++)
        if (k == value)
            return f->names[k];
    return NULL;
}

void field_write(const named_field *f, const void *object, char *text)
{
    const void *member = (const char *)object + f->offset;
    const char *name = f->kind == FIELD_CHOICE ? name_of(f, integer_of(f, member)) : NULL;
    if (f->kind == FIELD_NUMBER)
        text[mst_format_double(*(const double *)member, text)] = '\0';
    else if (name != NULL)
        snprintf(text, FIELD_TEXT, "%s", name);
    else
        snprintf(text, FIELD_TEXT, "%llu", (unsigned long long)integer_of(f, member));
}

static const char *read_choice(const named_field *f, const char *text, unsigned *out)
{
    for (unsigned k = 0; f->names[k] != NULL; k++)
        if (strcmp(f->names[k], text) == 0) {
            *out = k;
            return NULL;
        }
    return "is unknown";
}

static const char *read_integer(const named_field *f, const char *text, void *member)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno == ERANGE)
        return "is not a whole number";
    if ((f->kind == FIELD_FLAG && value > 1) ||
        (f->kind == FIELD_COUNT && (value < f->least || value > f->largest)))
        return "is out of range";
    if (f->kind == FIELD_FLAG)
        *(bool *)member = value != 0;
    else
        *(uint64_t *)member = value;
    return NULL;
}

const char *field_read(const named_field *f, const char *text, void *object)
{
    void *member = (char *)object + f->offset;
    double number;
    if (f->kind == FIELD_CHOICE)
        return read_choice(f, text, member);
    if (f->kind != FIELD_NUMBER)
        return read_integer(f, text, member);
    if (!mst_parse_double(text, strlen(text), &number))
        return "is not a number";
    *(double *)member = number;
    return NULL;
}

bool field_fits(const named_field *f, const void *object)
{
    const void *member = (const char *)object + f->offset;
    if (f->kind == FIELD_CHOICE)
        return name_of(f, integer_of(f, member)) != NULL;
    if (f->kind != FIELD_COUNT)
        return true;
    return integer_of(f, member) >= f->least && integer_of(f, member) <= f->largest;
}
