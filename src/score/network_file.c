/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Model files: safetensors with the weights as layers.K.weight and layers.K.bias, the centre of the training,
 * and everything else as metadata, the contents of the files that the manifold is made of as well: formula.1,
 * formula.2 … in the order of the manifold's factors. */
#include "io/internal.h"
#include "manifold/formula_content.h"
#include "net/mlp_tensors.h"
#include "score/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT "manistat score 1"
#define CENTRE "centre"
#define FORMULA_KEY "formula.%zu"
#define CONVENTION "generator half the Laplacian"

/* The members of mst_network_info that are metadata, in their order. */
#define INFO(kind, name, least, largest, names) \
    {#name, FIELD_##kind, offsetof(mst_network_info, name), least, largest, names},
#define INFO_DESIGN(type, name, usual, kind, least, largest, names) \
    INFO(kind, name, least, largest, names)
/* clang-format off */
static const named_field info_fields[] = {
    INFO(NUMBER, t_min, 0, 0, NULL)
    INFO(NUMBER, t_max, 0, 0, NULL)
    INFO(CHOICE, loss, 0, 0, loss_names)
    NETWORK_DESIGN(INFO_DESIGN)
    INFO(INTEGER, seed, 0, 0, NULL)
    INFO(INTEGER, steps, 0, 0, NULL)
    INFO(INTEGER, samples, 0, 0, NULL)
    INFO(NUMBER, seconds, 0, 0, NULL)
    INFO(FLAG, finished, 0, 1, NULL)
    INFO(COUNT, starts, 0, SIZE_MAX, NULL)
    INFO(NUMBER, reach, 0, 0, NULL)
    INFO(NUMBER, excess, 0, 0, NULL)
};
/* Not in every file. */
static const named_field left_field = {
    "left", FIELD_INTEGER, offsetof(mst_network_info, left), 0, 0, NULL};
static const named_field chained_field = {
    "chained_starts", FIELD_FLAG, offsetof(mst_network_info, chained_starts), 0, 1, NULL};
static const named_field target_fields[] = {
    INFO(CHOICE, targets, 0, 0, targets_names)
    INFO(NUMBER, kappa, 0, 0, NULL)
};
/* clang-format on */
#undef INFO_DESIGN
#undef INFO

enum {
    INFO_FIELDS = sizeof info_fields / sizeof *info_fields,
    TARGET_FIELDS = sizeof target_fields / sizeof *target_fields,
    VALUES = INFO_FIELDS + 2 + TARGET_FIELDS,
    FIXED_TEXTS = VALUES + 5,
    NAME = 40
};

/* ---- Writing ---- */

/* Metadata, and the texts of values. */
typedef struct text_list {
    size_t count;
    tensor_text *text;
    char (*values)[FIELD_TEXT]; /* (VALUES) */
    char (*keys)[NAME];         /* of formulas, (factors) */
} text_list;

static void add_text(text_list *l, const char *key, const char *value)
{
    l->text[l->count++] = (tensor_text){key, value};
}

static void add_fields(text_list *l, const mst_network *net, size_t count,
                       const named_field *fields, char (*values)[FIELD_TEXT])
{
    for (size_t k = 0; k < count; k++) {
        field_write(&fields[k], &net->info, values[k]);
        add_text(l, fields[k].name, values[k]);
    }
}

static void describe(const mst_network *net, text_list *l)
{
    add_text(l, "format", FORMAT);
    add_text(l, "manifold", net->spec);
    add_text(l, "time_convention", CONVENTION);
    add_fields(l, net, INFO_FIELDS, info_fields, l->values);
    if (net->info.left > 0)
        add_fields(l, net, 1, &left_field, l->values + INFO_FIELDS);
    if (net->info.targets != MST_TARGETS_UNKNOWN)
        add_fields(l, net, TARGET_FIELDS, target_fields, l->values + INFO_FIELDS + 1);
    if (net->info.chained_starts)
        add_fields(l, net, 1, &chained_field, l->values + VALUES - 1);
    add_text(l, "version", net->version);
    add_text(l, "certificate", net->certificate);
    for (size_t f = 0, number = 0; f < mst_manifold_factor_count(net->m); f++) {
        const char *text = mst_manifold_content(mst_manifold_factor(net->m, f));
        if (text == NULL)
            continue;
        snprintf(l->keys[number], NAME, FORMULA_KEY, number + 1);
        add_text(l, l->keys[number++], text);
    }
}

mst_status network_save(const mst_network *net, const char *path, mst_output_rule rule,
                        size_t count, const tensor *more, size_t texts, const tensor_text *text)
{
    size_t layers = net->shape.depth + 1, own = 2 * layers + (net->centre != NULL);
    size_t all = own + count, factors = mst_manifold_factor_count(net->m);
    tensor *list = NULL;
    char(*names)[MLP_TENSOR_NAME] = NULL;
    text_list metadata = {0};
    mst_status status = mst_allocate(&list, all);
    if (status == MST_OK)
        status = mst_allocate(&names, 2 * layers);
    if (status == MST_OK)
        status = mst_allocate(&metadata.text, FIXED_TEXTS + factors + texts);
    if (status == MST_OK)
        status = mst_allocate(&metadata.keys, factors);
    if (status == MST_OK)
        status = mst_allocate(&metadata.values, VALUES);
    if (status == MST_OK) {
        mlp_to_tensors(&net->shape, net->theta, names, list);
        if (net->centre != NULL)
            list[2 * layers] = (tensor){.name = CENTRE,
                                        .type = TENSOR_F64,
                                        .rank = 1,
                                        .shape = {mst_manifold_ambient(net->m)},
                                        .data = net->centre};
        for (size_t k = 0; k < count; k++)
            list[own + k] = more[k];
        describe(net, &metadata);
        for (size_t k = 0; k < texts; k++)
            add_text(&metadata, text[k].key, text[k].value);
        status = tensors_write(path, rule, all, list, metadata.count, metadata.text);
    }
    mst_release(list);
    mst_release(names);
    mst_release(metadata.text);
    mst_release(metadata.values);
    mst_release(metadata.keys);
    return status;
}

mst_status mst_network_write(const mst_network *net, const char *path, bool force)
{
    return network_save(net, path, force ? MST_OUTPUT_FORCE : MST_OUTPUT_NEW, 0, NULL, 0, NULL);
}

/* ---- Reading ---- */

static mst_status text_of(const tensors *t, const char *name, const char *key, const char **out)
{
    *out = tensors_text(t, key);
    if (*out == NULL)
        return mst_fail(MST_FORMAT, "%s: the metadata lack \"%s\"; is it a manistat model?", name,
                        key);
    return MST_OK;
}

static mst_status read_fields(const tensors *t, const char *name, size_t count,
                              const named_field *fields, void *object)
{
    for (size_t k = 0; k < count; k++) {
        const char *text;
        MST_TRY(text_of(t, name, fields[k].name, &text));
        const char *wrong = field_read(&fields[k], text, object);
        if (wrong != NULL)
            return mst_fail(MST_FORMAT, "%s: the metadata say %s = \"%.40s\", which %s", name,
                            fields[k].name, text, wrong);
    }
    return MST_OK;
}

static mst_status read_design(const tensors *t, const char *name, network_design *out)
{
    MST_TRY(read_fields(t, name, DESIGN_FIELDS, design_fields, out));
    if (out->energy && !out->time_head)
        return mst_fail(MST_FORMAT, "%s: an energy network without a time head", name);
    return MST_OK;
}

static mst_status read_layer(const tensors *t, const char *name, size_t k, mst_network *net)
{
    mlp_layer layer = mlp_layer_at(&net->shape, k);
    float *to = net->theta;
    if (!mlp_take_layer(&net->shape, t, k, to))
        return mst_fail(MST_FORMAT,
                        "%s: layer %zu of a %zu×%zu network on %s must be F32 (%zu, %zu) with %zu "
                        "biases, and is not",
                        name, k, net->shape.depth, net->shape.width, net->spec, layer.rows,
                        layer.columns, layer.rows);
    for (size_t i = 0; i < layer.rows * layer.columns; i++)
        if (!isfinite(to[layer.weight + i]))
            return mst_fail(MST_FORMAT, "%s: the weights of layer %zu are not finite", name, k);
    for (size_t i = 0; i < layer.rows; i++)
        if (!isfinite(to[layer.bias + i]))
            return mst_fail(MST_FORMAT, "%s: the biases of layer %zu are not finite", name, k);
    return MST_OK;
}

/* Models of manifolds that are covered as a whole have none. */
static mst_status read_reach(const tensors *t, const char *name, mst_network *net)
{
    const tensor *centre = tensors_find(t, CENTRE);
    double reach = net->info.reach;
    net->info.reach = NAN;
    if (isnan(reach))
        return MST_OK;
    size_t row;
    if (!(reach > 0 && reach < INFINITY) || centre == NULL || centre->type != TENSOR_F64 ||
        centre->rank != 1 || centre->shape[0] != mst_manifold_ambient(net->m))
        return mst_fail(MST_FORMAT, "%s: the reach %g has no centre, or is not a length", name,
                        reach);
    MST_TRY(network_set_reach(net, centre->data, reach));
    if (mst_manifold_validate(net->m, 1, net->centre, &row) != MST_OK)
        return mst_fail(MST_FORMAT, "%s: the centre of its training is not a point of %s", name,
                        net->spec);
    return MST_OK;
}

static mst_status read_info(const tensors *t, const char *name, mst_network *net)
{
    mst_network_info *i = &net->info;
    const char *version, *convention, *certificate = tensors_text(t, "certificate");
    MST_TRY(read_fields(t, name, INFO_FIELDS, info_fields, i));
    if (tensors_text(t, target_fields[0].name) != NULL)
        MST_TRY(read_fields(t, name, TARGET_FIELDS, target_fields, i));
    if (!(i->t_min > 0 && i->t_min <= i->t_max && i->t_max < INFINITY))
        return mst_fail(MST_FORMAT, "%s: %g … %g is not a range of times", name, i->t_min,
                        i->t_max);
    if (!(i->seconds >= 0 && i->seconds < INFINITY))
        return mst_fail(MST_FORMAT, "%s: %g seconds of training cannot be", name, i->seconds);
    i->checkpoint = tensors_text(t, CHECKPOINT_KEY) != NULL;
    i->left = 0;
    if (tensors_text(t, left_field.name) != NULL)
        MST_TRY(read_fields(t, name, 1, &left_field, i));
    if (tensors_text(t, chained_field.name) != NULL)
        MST_TRY(read_fields(t, name, 1, &chained_field, i));
    MST_TRY(read_reach(t, name, net));
    MST_TRY(text_of(t, name, "time_convention", &convention));
    if (strcmp(convention, CONVENTION) != 0)
        return mst_fail(MST_FORMAT,
                        "%s: its times follow the convention \"%.60s\", not \"" CONVENTION "\"",
                        name, convention);
    MST_TRY(text_of(t, name, "version", &version));
    mst_release(net->version);
    MST_TRY(mst_copy_string(&net->version, version));
    for (char *c = net->version; *c != 0; c++) /* it goes to terminals */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return mst_network_certify(net, certificate != NULL ? certificate : "");
}

/* Before memory is taken for what the metadata say: are there weights of that size at all? */
static mst_status check_size(const tensors *t, const char *name, const mst_manifold *m,
                             const network_design *design)
{
    size_t inputs, outputs;
    bool sharp;
    mst_status status = features_sizes(m, design->plain, design->energy, &inputs, &outputs, &sharp);
    if (status != MST_OK)
        return mst_fail(status, "%s: %s", name, mst_error_detail());
    outputs += design->time_head ? 1 : 0;
    for (size_t k = 0; k <= design->depth; k++) {
        char weight[NAME];
        snprintf(weight, sizeof weight, "layers.%zu.weight", k);
        const tensor *w = tensors_find(t, weight);
        size_t rows = k < design->depth ? design->width : outputs;
        size_t columns = k > 0 ? design->width : inputs;
        if (w == NULL || w->rank != 2 || w->shape[0] != rows || w->shape[1] != columns)
            return mst_fail(MST_FORMAT,
                            "%s: %s of a network of %zu layers of %zu on %s must have (%zu, %zu) "
                            "numbers, and has not",
                            name, weight, design->depth, design->width, mst_manifold_spec(m), rows,
                            columns);
    }
    return MST_OK;
}

static mst_status read_network(mst_network **out, const char *name, const tensors *t,
                               const mst_manifold *m)
{
    network_design design;
    MST_TRY(read_design(t, name, &design));
    MST_TRY(check_size(t, name, m, &design));
    MST_TRY(network_new(out, m, &design));
    MST_TRY(read_info(t, name, *out));
    for (size_t k = 0; k <= design.depth; k++)
        MST_TRY(read_layer(t, name, k, *out));
    mst_network_fingerprint(*out, (*out)->fingerprint);
    return MST_OK;
}

/* The manifold that the file describes. It opens no other file: a model comes from anywhere, and what its
 * path names here may be something else. */
static mst_status read_manifold(mst_manifold **out, const tensors *t, const char *spec)
{
    size_t count = 0, capacity = 0;
    const char **texts = NULL, *text;
    char key[NAME];
    mst_status status = MST_OK;
    do {
        snprintf(key, sizeof key, FORMULA_KEY, count + 1);
        text = tensors_text(t, key);
        if (text == NULL)
            break;
        status = mst_grow(&texts, count, &capacity);
        if (status == MST_OK)
            texts[count++] = text;
    } while (status == MST_OK);
    if (status == MST_OK)
        status = mst_manifold_parse_texts(out, spec, count, texts);
    mst_release(texts);
    return status;
}

/* Is the file's manifold m? It need not be one that a spec can name, if that is equal. */
static mst_status check_manifold(const tensors *t, const char *name, const char *spec,
                                 const mst_manifold *m)
{
    mst_manifold *own;
    bool equal = mst_has_spec(m, spec);
    if (equal && !mst_has_content(m))
        return MST_OK;
    mst_status status = read_manifold(&own, t, spec);
    if (status == MST_OK) {
        bool same = mst_manifold_is_same(own, m);
        mst_manifold_free(own);
        if (same)
            return MST_OK;
    } else if (status != MST_ARGUMENT) {
        return mst_fail(status, "%s: %s", name, mst_error_detail());
    }
    if (equal)
        return mst_fail(MST_ARGUMENT, "%s: a model for another %s: it says something else now",
                        name, spec);
    return mst_fail(MST_ARGUMENT, "%s: a model for %s, not for %s", name, spec,
                    mst_manifold_spec(m));
}

mst_status network_from_tensors(mst_network **out, const char *name, const tensors *t,
                                const mst_manifold *m)
{
    *out = NULL;
    const char *format = tensors_text(t, "format"), *spec;
    mst_manifold *owned = NULL;
    if (format == NULL || strcmp(format, FORMAT) != 0)
        return mst_fail(MST_FORMAT,
                        "%s: not a manistat model: its format is %s%.40s, not \"" FORMAT "\"", name,
                        format != NULL ? "" : "not stated", format != NULL ? format : "");
    MST_TRY(text_of(t, name, "manifold", &spec));
    if (m != NULL) {
        MST_TRY(check_manifold(t, name, spec, m));
    } else {
        mst_status parsed = read_manifold(&owned, t, spec);
        if (parsed != MST_OK)
            return mst_fail(parsed, "%s: %s", name, mst_error_detail());
        m = owned;
    }
    mst_status status = read_network(out, name, t, m);
    if (status == MST_OK) {
        (*out)->owned = owned;
        return MST_OK;
    }
    mst_network_free(*out);
    mst_manifold_free(owned);
    *out = NULL;
    return status;
}

mst_status mst_network_read(mst_network **out, const char *path, const mst_manifold *m)
{
    tensors *t;
    *out = NULL;
    MST_TRY(tensors_read(&t, path));
    mst_status status = network_from_tensors(out, path, t, m);
    tensors_free(t);
    return status;
}
