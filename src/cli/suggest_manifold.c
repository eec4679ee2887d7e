/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a spec that is none was meant to be: a mistyped family, or the way that textbooks write it. A spec is
 * rewritten factor by factor, and suggested only if it is one then. */
#include "common.h"
#include "util/text_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_FAMILIES = 64, LONGEST_NAME = 32, LONGEST_SPEC = 512 };
static const char ends_name[] = ":?(";

/* How a space is written elsewhere. */
typedef struct notation {
    const char *symbol; /* without regard to case */
    const char *family;
    size_t number;    /* the only one it has, or 0: all */
    bool no_number;   /* of the family */
    size_t if_absent; /* the number if none is written; 0: there must be one */
} notation;

static const notation notations[] = {
    {.symbol = "S", .family = "circle", .number = 1, .no_number = true},
    {.symbol = "S", .family = "sphere"},
    {.symbol = "T", .family = "circle", .number = 1, .no_number = true},
    {.symbol = "T", .family = "torus"},
    {.symbol = "R", .family = "euclidean", .if_absent = 1},
    {.symbol = "E", .family = "euclidean"},
    {.symbol = "H", .family = "hyperbolic"},
    {.symbol = "hyperboloid", .family = "hyperbolic"},
    {.symbol = "lorentz", .family = "hyperbolic"},
    {.symbol = "poincare", .family = "hyperbolic", .if_absent = 2},
    {.symbol = "SO", .family = "so3", .number = 3, .no_number = true},
    {.symbol = "rotation", .family = "so3", .no_number = true, .if_absent = 3},
    {.symbol = "rotations", .family = "so3", .no_number = true, .if_absent = 3},
    {.symbol = "RP", .family = "so3", .number = 3, .no_number = true},
    {.symbol = "SPD", .family = "spd"},
    {.symbol = "P", .family = "spd"},
    {.symbol = "Sym+", .family = "spd"},
    {.symbol = "Sym", .family = "sym"},
};

/* ---- The names of the families ---- */

typedef struct family_names {
    char text[MOST_FAMILIES][LONGEST_NAME];
    const char *list[MOST_FAMILIES + 1]; /* ends with null */
} family_names;

static void name_families(family_names *names)
{
    const mst_manifold_family *families;
    size_t count = mst_manifold_families(&families);
    *names = (family_names){0};
    for (size_t i = 0; i < count && i < MOST_FAMILIES; i++) {
        snprintf(names->text[i], LONGEST_NAME, "%.*s", (int)strcspn(families[i].spec, ends_name),
                 families[i].spec);
        names->list[i] = names->text[i];
    }
}

static bool is_manifold(const char *spec)
{
    mst_manifold *m;
    if (mst_manifold_parse(&m, spec) != MST_OK)
        return false;
    mst_manifold_free(m);
    return true;
}

/* ---- One factor ---- */

/* "S^2", "SO(3)", "R^{3}", "sphere2" to symbol and number, 0 for none; *rest is left, a question mark if
 * not empty. */
static bool split_notation(const char *text, char symbol[LONGEST_NAME], size_t *number,
                           const char **rest)
{
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"), digits;
    if (letters == 0 || letters >= LONGEST_NAME)
        return false;
    snprintf(symbol, LONGEST_NAME, "%.*s", (int)letters, text);
    text += letters;
    text += strspn(text, "^_:({ ");
    digits = strspn(text, "0123456789");
    *number = digits < 7 ? strtoul(text, NULL, 10) : 0;
    text += digits;
    *rest = text + strspn(text, ")} ");
    return (**rest == '\0' || **rest == '?') && (digits == 0 || *number > 0);
}

static bool from_notation(const char *text, const family_names *names, char *out, size_t size)
{
    char symbol[LONGEST_NAME];
    const char *rest;
    size_t number;
    if (!split_notation(text, symbol, &number, &rest))
        return false;
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        const notation *o = &notations[i];
        size_t value = number > 0 ? number : o->if_absent;
        if (strcasecmp(symbol, o->symbol) != 0 || value == 0 ||
            (o->number != 0 && value != o->number))
            continue;
        if (o->no_number)
            snprintf(out, size, "%s%s", o->family, rest);
        else
            snprintf(out, size, "%s:%zu%s", o->family, value, rest);
        return true;
    }
    for (size_t i = 0; names->list[i] != NULL; i++)
        if (strcasecmp(symbol, names->list[i]) == 0 && number > 0) {
            snprintf(out, size, "%s:%zu%s", names->list[i], number, rest);
            return true;
        }
    return false;
}

/* A mistyped family, the rest as it is. */
static bool from_typo(const char *text, const family_names *names, char *out, size_t size)
{
    char own[LONGEST_NAME];
    snprintf(own, sizeof own, "%.*s", (int)strcspn(text, ends_name), text);
    const char *near = closest_word(own, names->list);
    if (near != NULL)
        snprintf(out, size, "%s%s", near, text + strlen(own));
    return near != NULL;
}

/* The factor in text[0 … length), or what it was meant to be. */
static bool add_factor(const char *text, size_t length, const family_names *names, FILE *out)
{
    char own[LONGEST_SPEC], better[LONGEST_SPEC];
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        length--;
    snprintf(own, sizeof own, "%.*s", (int)length, text);
    bool right = is_manifold(own);
    if (!right && !(from_notation(own, names, better, sizeof better) && is_manifold(better)) &&
        !(from_typo(own, names, better, sizeof better) && is_manifold(better)))
        return false;
    fputs(right ? own : better, out);
    return true;
}

/* ---- Whole specs ---- */

/* As far as the comma or bracket that ends the factor. */
static size_t factor_length(const char *text)
{
    size_t depth = 0, i = 0;
    for (; text[i] != '\0' && !(depth == 0 && (text[i] == ',' || text[i] == ')')); i++)
        depth += text[i] == '(' ? 1 : text[i] == ')' ? (size_t)-1 : 0;
    return i;
}

/* Takes one manifold off the text; false if it cannot be guessed. */
static bool rewrite(const char **text, const family_names *names, FILE *out)
{
    static const char product[] = "product";
    *text += strspn(*text, " \t");
    const char *bracket = *text + strcspn(*text, " \t(");
    size_t name = (size_t)(bracket - *text);
    bracket += strspn(bracket, " \t");
    if (*bracket != '(' || name != strlen(product) || strncasecmp(*text, product, name) != 0) {
        size_t length = factor_length(*text);
        bool good = add_factor(*text, length, names, out);
        *text += length;
        return good;
    }
    fputs("product", out);
    *text = bracket;
    do {
        fputc(*(*text)++, out); /* the bracket, then commas */
        if (!rewrite(text, names, out))
            return false;
    } while (**text == ',');
    if (**text != ')')
        return false;
    fputc(*(*text)++, out);
    *text += strspn(*text, " \t");
    return true;
}

/* What a spec was meant to be, or null; free(). */
static char *guess(const char *spec, const family_names *names)
{
    char *better;
    size_t length;
    mst_text_stream *out;
    if (mst_text_open(&out) != MST_OK)
        return NULL;
    bool good = rewrite(&spec, names, mst_text_file(out)) && *spec == '\0';
    good = mst_text_close(out, &better, &length) == MST_OK && good && is_manifold(better);
    if (good)
        return better;
    free(better);
    return NULL;
}

mst_status parse_manifold(mst_manifold **m, const char *spec)
{
    mst_status status = mst_manifold_parse(m, spec);
    if (status != MST_ARGUMENT || strpbrk(spec, "./\"") != NULL || strlen(spec) >= LONGEST_SPEC)
        return status; /* the library knows what is wrong with files */
    char own[LONGEST_NAME];
    family_names names;
    name_families(&names);
    spec += strspn(spec, " \t");
    snprintf(own, sizeof own, "%.*s", (int)strcspn(spec, ends_name), spec);
    char *better = guess(spec, &names);
    if (better != NULL) {
        status = mst_fail(status, "unknown manifold '%s'; did you mean %s?", spec, better);
        free(better);
        return status;
    }
    const char *near = closest_word(own, names.list);
    const mst_manifold_family *families;
    size_t count = mst_manifold_families(&families);
    for (size_t i = 0; near != NULL && i < count; i++)
        if (strcmp(own, near) == 0) /* the rest is wrong, and the library knows how */
            return mst_manifold_parse(m, spec);
        else if (near == names.list[i])
            return mst_fail(status, "unknown manifold '%s'; did you mean %s, as in %s?", spec,
                            families[i].spec, families[i].example);
    return mst_fail(status, "unknown manifold '%s'; 'manistat manifolds' lists them", spec);
}
