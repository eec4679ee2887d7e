/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Names of manifolds: the families, and how specs are read. A new family is a line in the table. */
#include "manifold/spec.h"

#include "manifold/internal.h"

#include <string.h>

/* An identifier; the pattern of the spec, an example, what it is, what a row holds; the keys of its options
 * ("sigma&alpha") or null; the constructor, called with `out` and the arguments `a`. Only the first line of a
 * name is asked for keys and constructor. Orders of a pattern have an x between them: "stiefel:nxp". */
#define FAMILY_LIST(X)                                                                             \
    X(euclidean, "euclidean:n", "euclidean:3", "R^n", "n Cartesian coordinates", NULL,             \
      mst_euclidean_new(out, a->order[0]))                                                         \
    X(circle, "circle", "circle", "circle of length 2π", "an angle in radians", NULL,              \
      mst_circle_new(out))                                                                         \
    X(torus, "torus:m", "torus:2", "flat torus, m circles", "m angles in radians", NULL,           \
      mst_torus_new(out, a->order[0]))                                                             \
    X(sphere, "sphere:m", "sphere:2", "unit sphere S^m", "unit vector in R^(m+1)", NULL,           \
      mst_sphere_new(out, a->order[0]))                                                            \
    X(hyperbolic, "hyperbolic:m", "hyperbolic:2", "hyperbolic space, curvature -1",                \
      "x_0 … x_m with -x_0² + x_1² + … = -1, x_0 > 0", NULL, mst_hyperbolic_new(out, a->order[0])) \
    X(spd, "spd:n", "spd:3", "positive definite n×n matrices, affine-invariant metric",            \
      "n² entries by rows, or the upper triangle by rows", "metric", mst_spd_from_spec(out, a))    \
    X(spd_log_euclidean, "spd:n?metric=log-euclidean", "spd:3?metric=log-euclidean",               \
      "the same matrices, log-Euclidean metric",                                                   \
      "n² entries by rows, or the upper triangle by rows", "metric", mst_spd_from_spec(out, a))    \
    X(spd_log_cholesky, "spd:n?metric=log-cholesky", "spd:3?metric=log-cholesky",                  \
      "the same matrices, log-Cholesky metric",                                                    \
      "n² entries by rows, or the upper triangle by rows", "metric", mst_spd_from_spec(out, a))    \
    X(spd_bures, "spd:n?metric=bures-wasserstein", "spd:3?metric=bures-wasserstein",               \
      "the same matrices, Bures-Wasserstein metric, not complete",                                 \
      "n² entries by rows, or the upper triangle by rows", "metric", mst_spd_from_spec(out, a))    \
    X(spd_frobenius, "spd:n?metric=frobenius", "spd:3?metric=frobenius",                           \
      "the same matrices, flat Frobenius metric, not complete",                                    \
      "n² entries by rows, or the upper triangle by rows", "metric", mst_spd_from_spec(out, a))    \
    X(sym, "sym:n", "sym:3", "symmetric n×n matrices, Frobenius metric",                           \
      "n² entries by rows, or the upper triangle by rows", NULL, mst_sym_new(out, a->order[0]))    \
    X(so3, "so3", "so3", "rotations of R³, distance = rotation angle",                             \
      "9 entries by rows, or a unit quaternion w, x, y, z", NULL, mst_so3_new(out))                \
    X(kendall, "kendall:nxm", "kendall:8x2", "shapes of n landmarks in R^m, m = 2 or 3",           \
      "n·m coordinates of the landmarks, x_1, y_1, x_2, …", NULL,                                  \
      mst_kendall_new(out, a->order[0], a->order[1]))                                              \
    X(size_and_shape, "size-and-shape:nxm", "size-and-shape:8x2",                                  \
      "shapes with their sizes of n landmarks in R^m", "n·m coordinates of the landmarks", NULL,   \
      mst_size_and_shape_new(out, a->order[0], a->order[1]))                                       \
    X(landmarks, "landmarks:NxD", "landmarks:5x2?sigma=0.5",                                       \
      "N landmarks in R^D, D = 2 or 3, LDDMM metric",                                              \
      "x and y (and z) of each landmark; options sigma, alpha, nugget, kernel",                    \
      "sigma&alpha&nugget&kernel", mst_landmarks_from_spec(out, a))

#define MAKE(id, spec, example, what, row, keys, call)                           \
    static mst_status make_##id(mst_manifold **out, const mst_spec_arguments *a) \
    {                                                                            \
        (void)a;                                                                 \
        return call;                                                             \
    }
FAMILY_LIST(MAKE)
#undef MAKE

static const mst_manifold_family families[] = {
#define INFO(id, spec, example, what, row, keys, call) {spec, example, what, row},
    FAMILY_LIST(INFO)
#undef INFO
        {"product(A,B,…)", "product(sphere:2,euclidean:1)", "Riemannian product",
         "the rows of the factors joined"},
};

static const struct {
    const char *keys;
    mst_spec_constructor *make;
} makers[] = {
#define MAKER(id, spec, example, what, row, keys, call) {keys, make_##id},
    FAMILY_LIST(MAKER)
#undef MAKER
        {NULL, NULL},
};
enum { FAMILIES = sizeof families / sizeof *families, DEEPEST = 32, SHOWN = 40 };

/* Up to here goes the name in a pattern or a canonical spec. */
static const char name_ends[] = ":?(";

size_t mst_manifold_families(const mst_manifold_family **out)
{
    *out = families;
    return FAMILIES;
}

/* The number of the first family of that name, or FAMILIES. */
static size_t find_family(const char *name, size_t length)
{
    size_t f = 0;
    while (f < FAMILIES && (strcspn(families[f].spec, name_ends) != length ||
                            memcmp(families[f].spec, name, length) != 0))
        f++;
    return f;
}

const mst_manifold_family *mst_manifold_family_of(const mst_manifold *m)
{
    size_t length = strcspn(m->spec, name_ends);
    const char *options = strchrnul(m->spec, '?');
    for (size_t f = find_family(m->spec, length);
         f < FAMILIES && strncmp(families[f].spec, m->spec, length) == 0; f++)
        if (m->product != NULL || strcmp(strchrnul(families[f].spec, '?'), options) == 0)
            return &families[f];
    /* Options with values of their own, sigma=0.7, are in no pattern. */
    size_t first = find_family(m->spec, length);
    return first < FAMILIES && makers[first].keys != NULL ? &families[first] : NULL;
}

mst_status mst_check_order(mst_manifold **out, const char *family, size_t order, size_t largest)
{
    *out = NULL;
    if (order >= 1 && order <= largest)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "%s:%zu is out of range; the number must be from 1 to %zu",
                    family, order, largest);
}

/* What is left of a spec while it is read. */
typedef struct cursor {
    const char *at;
    int depth;
    size_t kind_count;
    const mst_manifold_file_kind *kinds;
} cursor;

static void skip_blanks(cursor *c)
{
    c->at += strspn(c->at, " \t");
}

/* Is this the next character? Then it is taken, with the blanks around it. */
static bool take(cursor *c, char wanted)
{
    skip_blanks(c);
    if (*c->at != wanted)
        return false;
    c->at++;
    skip_blanks(c);
    return true;
}

static bool at_end(cursor *c)
{
    skip_blanks(c);
    return *c->at == '\0' || *c->at == ',' || *c->at == ')';
}

/* Why this is not a manifold: its family, if there is one, says how it is written. */
static mst_status explain(const char *spec, size_t family)
{
    int shown = (int)strnlen(spec, SHOWN);
    if (family < FAMILIES)
        return mst_fail(MST_ARGUMENT, "\"%.*s\" is not a manifold; write %s, as in %s", shown, spec,
                        families[family].spec, families[family].example);
    return mst_fail(MST_ARGUMENT, "unknown manifold \"%.*s\"; see the list of manifolds", shown,
                    spec);
}

/* ---- Orders ---- */

static size_t order_count(const char *pattern)
{
    const char *colon = strchr(pattern, ':');
    size_t count = colon != NULL;
    for (; colon != NULL && *colon != '\0' && *colon != '?'; colon++)
        count += *colon == 'x';
    return count;
}

static bool read_order(cursor *c, size_t *order)
{
    size_t digits = strspn(c->at, "0123456789");
    *order = 0;
    /* Longer numbers are out of every range; do not let them wrap around. */
    for (size_t i = 0; i < digits; i++)
        *order = *order > SIZE_MAX / 20 ? *order : 10 * *order + (size_t)(c->at[i] - '0');
    c->at += digits;
    return digits > 0;
}

/* ":4x2"; false unless there are `count` numbers. */
static bool read_orders(cursor *c, size_t count, mst_spec_arguments *a)
{
    if (!take(c, ':'))
        return count == 0;
    size_t found = 0;
    do {
        if (found == count || !read_order(c, &a->order[found++]))
            return false;
    } while (take(c, 'x'));
    return found == count;
}

/* ---- Options ---- */

/* The place of a key in "sigma&alpha", or SPEC_OPTIONS. */
static size_t find_key(const char *keys, const char *key)
{
    size_t length = strlen(key);
    for (size_t place = 0; keys != NULL && *keys != '\0'; place++) {
        size_t own = strcspn(keys, "&");
        if (own == length && memcmp(keys, key, length) == 0)
            return place;
        keys += own + (keys[own] == '&');
    }
    return SPEC_OPTIONS;
}

/* The text up to one of `ends` or the end of the spec, without the blanks around it, ends
 * in the buffer with a zero. */
static char *cut_text(cursor *c, const char *ends, char **buffer)
{
    skip_blanks(c);
    char *text = *buffer;
    size_t length = strcspn(c->at, ends);
    memcpy(text, c->at, length);
    c->at += length;
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
    *buffer = text + length + 1;
    return text;
}

/* "?key=value&key=value"; the values go to the buffer. */
static mst_status read_options(cursor *c, const char *name, const char *keys, char *buffer,
                               mst_spec_arguments *a)
{
    if (!take(c, '?'))
        return MST_OK;
    do {
        const char *key = cut_text(c, "=&,()", &buffer);
        size_t place = find_key(keys, key);
        if (!take(c, '='))
            return mst_fail(MST_ARGUMENT, "\"%.*s\" after %s? is not of the form option=value",
                            SHOWN, key, name);
        const char *value = cut_text(c, "&,()", &buffer);
        if (keys != NULL && strcmp(keys, SPEC_ANY) == 0) {
            if (a->given == SPEC_OPTIONS)
                return mst_fail(MST_ARGUMENT, "%s: at most %d options", name, SPEC_OPTIONS);
            a->keys[a->given] = key;
            a->values[a->given++] = value;
            continue;
        }
        if (place == SPEC_OPTIONS)
            return mst_fail(MST_ARGUMENT, "%s has no option \"%.*s\"; %s%s", name, SHOWN, key,
                            keys != NULL ? "it has " : "it has none", keys != NULL ? keys : "");
        if (*value == '\0' || a->value[place] != NULL)
            return mst_fail(MST_ARGUMENT, "the option %s of %s %s", key, name,
                            *value == '\0' ? "has no value" : "is there twice");
        a->value[place] = value;
    } while (take(c, '&'));
    return MST_OK;
}

/* ---- Files ---- */

static const mst_manifold_file_kind *find_kind(const cursor *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    for (size_t k = 0; dot != NULL && dot > slash && k < c->kind_count; k++)
        if (strcmp(dot + 1, c->kinds[k].ending) == 0)
            return &c->kinds[k];
    return NULL;
}

/* A path, between quotation marks if it has blanks or one of ?,(), and options. */
static mst_status parse_file(mst_manifold **out, cursor *c, char *buffer)
{
    const char *begin = c->at;
    bool quoted = take(c, '"');
    const char *path = cut_text(c, quoted ? "\"" : "?,()", &buffer);
    if (quoted && !take(c, '"'))
        return mst_fail(MST_ARGUMENT, "a quotation mark is missing in %.*s", SHOWN, begin);
    const mst_manifold_file_kind *kind = find_kind(c, path);
    if (kind == NULL) {
        const char *dot = strrchr(path, '.');
        return mst_fail(MST_ARGUMENT, "no kind of manifold file ends in %s (%.*s)",
                        dot != NULL ? dot : "no dot at all", SHOWN, path);
    }
    mst_spec_arguments a = {.path = path, .user = kind->user};
    MST_TRY(read_options(c, path, kind->options, buffer, &a));
    return kind->make(out, &a);
}

/* ---- Specs ---- */

static mst_status parse(mst_manifold **out, cursor *c);

static void free_all(size_t count, mst_manifold **list)
{
    for (size_t i = 0; i < count; i++)
        mst_manifold_free(list[i]);
}

/* After "product(". */
static mst_status parse_product(mst_manifold **out, cursor *c)
{
    if (++c->depth > DEEPEST)
        return mst_fail(MST_ARGUMENT, "products are nested more than %d deep", DEEPEST);
    size_t count = 0, capacity = 0;
    mst_manifold **factors = NULL;
    mst_status status;
    do {
        status = mst_grow(&factors, count, &capacity);
        if (status != MST_OK)
            break;
        status = parse(&factors[count], c);
        count += status == MST_OK;
    } while (status == MST_OK && take(c, ','));
    if (status == MST_OK && !take(c, ')'))
        status =
            mst_fail(MST_ARGUMENT, "a product is not closed: expected , or ) at \"%.20s\"", c->at);
    c->depth--;
    if (status == MST_OK)
        status = mst_product_new(out, count, factors);
    else
        free_all(count, factors);
    mst_release(factors);
    return status;
}

/* A family or a file. */
static mst_status parse_single(mst_manifold **out, cursor *c, char *buffer)
{
    const char *spec = c->at;
    size_t length = strspn(spec, "abcdefghijklmnopqrstuvwxyz0123456789-");
    c->at += length;
    skip_blanks(c);
    bool named = strchr(":?,()", *c->at) != NULL; /* the end of the spec, too */
    const char *rest = spec + strcspn(spec, "?,()");
    if (!named && (*spec == '"' || memchr(spec, '.', (size_t)(rest - spec)) != NULL ||
                   memchr(spec, '/', (size_t)(rest - spec)) != NULL)) {
        c->at = spec;
        return parse_file(out, c, buffer);
    }
    size_t family = named ? find_family(spec, length) : FAMILIES;
    mst_spec_arguments a = {0};
    if (family == FAMILIES || makers[family].make == NULL ||
        !read_orders(c, order_count(families[family].spec), &a))
        return explain(spec, family);
    char name[SHOWN];
    memcpy(name, spec, length);
    name[length] = '\0';
    MST_TRY(read_options(c, name, makers[family].keys, buffer, &a));
    return at_end(c) ? makers[family].make(out, &a) : explain(spec, family);
}

static mst_status parse(mst_manifold **out, cursor *c)
{
    *out = NULL;
    skip_blanks(c);
    const char *begin = c->at;
    size_t name = strlen("product");
    if (strncmp(begin, "product", name) == 0) {
        c->at += name;
        if (take(c, '('))
            return parse_product(out, c);
        c->at = begin;
    }
    /* Texts are cut from this factor alone, and each leaves a character behind that becomes its zero. */
    size_t length = *begin == '"' ? 1 + strcspn(begin + 1, "\"") : 0;
    length += strcspn(begin + length, ",()");
    char *buffer;
    MST_TRY(mst_allocate(&buffer, length + 2));
    mst_status status = parse_single(out, c, buffer);
    mst_release(buffer);
    return status;
}

mst_status mst_manifold_parse_with(mst_manifold **out, const char *spec, size_t count,
                                   const mst_manifold_file_kind *kinds)
{
    cursor c = {.at = spec, .kind_count = count, .kinds = kinds};
    MST_TRY(parse(out, &c));
    skip_blanks(&c);
    if (*c.at == '\0')
        return MST_OK;
    mst_manifold_free(*out);
    *out = NULL;
    return mst_fail(MST_ARGUMENT, "unexpected \"%.20s\" at the end of the manifold", c.at);
}

mst_status mst_manifold_parse(mst_manifold **out, const char *spec)
{
    static const mst_manifold_file_kind kinds[] = {
        {"manifold", SPEC_ANY, mst_formula_from_spec, NULL},
        {"gp", LEARNED_OPTIONS, mst_learned_from_spec, NULL},
        {"decoder", LEARNED_OPTIONS, mst_learned_from_spec, NULL}};
    return mst_manifold_parse_with(out, spec, sizeof kinds / sizeof *kinds, kinds);
}
