/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Names of manifolds: FAMILY[:ORDER][?key=value] or product(SPEC,…). A new family is one
 * line in the table. */
#include "manifold/internal.h"

#include <string.h>

/* spec, example, what it is, what a row holds, constructor without an order, constructor with one */
#define FAMILY_LIST(X)                                                                           \
    X("euclidean:n", "euclidean:3", "R^n", "n Cartesian coordinates", NULL, mst_euclidean_new)   \
    X("circle", "circle", "circle of length 2π", "an angle in radians", mst_circle_new, NULL)    \
    X("torus:m", "torus:2", "flat torus, m circles", "m angles in radians", NULL, mst_torus_new) \
    X("sphere:m", "sphere:2", "unit sphere S^m", "unit vector in R^(m+1)", NULL, mst_sphere_new) \
    X("hyperbolic:m", "hyperbolic:2", "hyperbolic space, curvature -1",                          \
      "x_0 … x_m with -x_0² + x_1² + … = -1, x_0 > 0", NULL, mst_hyperbolic_new)                 \
    X("spd:n", "spd:3", "positive definite n×n matrices, affine-invariant metric",               \
      "n² entries by rows, or the upper triangle by rows", NULL, mst_spd_new)                    \
    X("spd:n?metric=log-euclidean", "spd:3?metric=log-euclidean",                                \
      "the same matrices, log-Euclidean metric",                                                 \
      "n² entries by rows, or the upper triangle by rows", NULL, mst_spd_log_euclidean_new)      \
    X("sym:n", "sym:3", "symmetric n×n matrices, Frobenius metric",                              \
      "n² entries by rows, or the upper triangle by rows", NULL, mst_sym_new)                    \
    X("so3", "so3", "rotations of R³, distance = rotation angle",                                \
      "9 entries by rows, or a unit quaternion w, x, y, z", mst_so3_new, NULL)                   \
    X("product(A,B,…)", "product(sphere:2,euclidean:1)", "Riemannian product",                   \
      "the rows of the factors joined", NULL, NULL)

static const mst_manifold_family families[] = {
#define INFO(spec, example, what, row, plain, ordered) {spec, example, what, row},
    FAMILY_LIST(INFO)
#undef INFO
};

static const struct constructor {
    mst_status (*plain)(mst_manifold **out);
    mst_status (*ordered)(mst_manifold **out, size_t order);
} constructors[] = {
#define CONSTRUCTOR(spec, example, what, row, plain, ordered) {plain, ordered},
    FAMILY_LIST(CONSTRUCTOR)
#undef CONSTRUCTOR
};
enum { FAMILIES = sizeof families / sizeof *families, DEEPEST = 32, SHOWN = 40 };

size_t mst_manifold_families(const mst_manifold_family **out)
{
    *out = families;
    return FAMILIES;
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
} cursor;

static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* The pattern "name:n?options" fits the word, the presence of an order and the options. */
static bool fits(const char *pattern, const char *word, size_t length, bool ordered,
                 const char *options, size_t options_length)
{
    size_t name = strcspn(pattern, ":?(");
    const char *question = strchr(pattern, '?');
    const char *wanted = question != NULL ? question + 1 : "";
    return name == length && memcmp(pattern, word, length) == 0 &&
           (strchr(pattern, ':') != NULL) == ordered && strlen(wanted) == options_length &&
           memcmp(wanted, options, options_length) == 0;
}

/* Why no family fits: the first one of that name says how it is written. */
static mst_status explain(const char *spec, size_t length)
{
    int shown = (int)strnlen(spec, SHOWN);
    for (size_t f = 0; f < FAMILIES; f++)
        if (strcspn(families[f].spec, ":?(") == length &&
            memcmp(families[f].spec, spec, length) == 0)
            return mst_fail(MST_ARGUMENT, "\"%.*s\" is not a manifold; write %s, as in %s", shown,
                            spec, families[f].spec, families[f].example);
    return mst_fail(MST_ARGUMENT, "unknown manifold \"%.*s\"; see the list of manifolds", shown,
                    spec);
}

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
    size_t count = 0, room = 4;
    mst_manifold **factors;
    MST_TRY(mst_allocate(&factors, room));
    mst_status status;
    for (;;) {
        if (count == room) {
            mst_manifold **larger;
            status = mst_allocate(&larger, 2 * room);
            if (status != MST_OK)
                break;
            memcpy(larger, factors, count * sizeof *factors);
            mst_release(factors);
            factors = larger;
            room *= 2;
        }
        status = parse(&factors[count], c);
        if (status != MST_OK)
            break;
        count++;
        if (*c->at == ',') {
            c->at++;
            continue;
        }
        if (*c->at != ')')
            status = mst_fail(MST_ARGUMENT, "a product is not closed: expected , or ) at \"%.20s\"",
                              c->at);
        else
            c->at++;
        break;
    }
    c->depth--;
    if (status == MST_OK)
        status = mst_product_new(out, count, factors);
    else
        free_all(count, factors);
    mst_release(factors);
    return status;
}

static mst_status parse(mst_manifold **out, cursor *c)
{
    *out = NULL;
    const char *spec = c->at;
    size_t length = word_length(spec);
    if (length == strlen("product") && strncmp(spec, "product(", length + 1) == 0) {
        c->at += length + 1;
        return parse_product(out, c);
    }
    c->at += length;
    bool ordered = *c->at == ':';
    size_t order = 0, digits = 0;
    if (ordered) {
        digits = strspn(++c->at, "0123456789");
        /* Longer numbers are out of every range; do not let them wrap around. */
        for (size_t i = 0; i < digits; i++)
            order = order > SIZE_MAX / 20 ? order : 10 * order + (size_t)(c->at[i] - '0');
        c->at += digits;
    }
    const char *options = c->at;
    size_t options_length = 0;
    if (*c->at == '?') {
        options_length = strcspn(++options, ",)");
        c->at = options + options_length;
    }
    bool empty_options = options > spec && options[-1] == '?' && options_length == 0;
    if ((ordered && digits == 0) || empty_options ||
        (*c->at != '\0' && *c->at != ',' && *c->at != ')'))
        return explain(spec, length);
    /* The metric of spd by its full name is the plain family. */
    static const char affine[] = "metric=affine-invariant";
    if (length == 3 && memcmp(spec, "spd", 3) == 0 && options_length == sizeof affine - 1 &&
        memcmp(options, affine, options_length) == 0)
        options_length = 0;
    for (size_t f = 0; f < FAMILIES; f++)
        if (fits(families[f].spec, spec, length, ordered, options, options_length)) {
            if (constructors[f].ordered != NULL)
                return constructors[f].ordered(out, order);
            if (constructors[f].plain != NULL)
                return constructors[f].plain(out);
        }
    return explain(spec, length);
}

mst_status mst_manifold_parse(mst_manifold **out, const char *spec)
{
    cursor c = {.at = spec};
    MST_TRY(parse(out, &c));
    if (*c.at == '\0')
        return MST_OK;
    mst_manifold_free(*out);
    *out = NULL;
    return mst_fail(MST_ARGUMENT, "unexpected \"%.20s\" at the end of the manifold", c.at);
}
