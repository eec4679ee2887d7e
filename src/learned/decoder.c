/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Decoders from the weights of a file, ours or one that a program for learning has written: the state of a
 * sequence of layers, PREFIX.K.weight (rows, columns) and PREFIX.K.bias, with numbers K that go up. */
#include "learned/decoder.h"

#include "base/options.h"
#include "learned/content.h"

#include <manistat/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What may stand before the number of a layer; the first of each is ours. */
static const struct {
    const char *prefix;
    bool sd;
    bool log_variance;
} prefixes[] = {
    {"mean.", false, false},       {"decoder.", false, false}, {"layers.", false, false},
    {"layer.", false, false},      {"", false, false},         {"sd.", true, false},
    {"log_variance.", true, true}, {"logvar.", true, true},
};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* ---- Reading ---- */

typedef struct layer_name {
    size_t prefix;
    unsigned long number;
    bool bias;
} layer_name;

static bool parse_name(const char *name, layer_name *out)
{
    for (size_t k = 0; k < PREFIXES; k++) {
        size_t length = strlen(prefixes[k].prefix);
        const char *at = name + length;
        char *end;
        if (strncmp(name, prefixes[k].prefix, length) != 0 || *at < '0' || *at > '9')
            continue;
        *out = (layer_name){.prefix = k, .number = strtoul(at, &end, 10)};
        out->bias = strcmp(end, ".bias") == 0;
        return out->bias || strcmp(end, ".weight") == 0;
    }
    return false;
}

/* Doubles from floats or doubles; finite ones. */
static mst_status copy_numbers(const learned_reading *r, const tensor *t, double *to)
{
    for (size_t i = 0; i < tensor_size(t); i++) {
        to[i] = t->type == TENSOR_F32 ? (double)((const float *)t->data)[i]
                                      : ((const double *)t->data)[i];
        if (!isfinite(to[i]))
            return mst_fail(MST_FORMAT, "%s: number %zu of \"%s\" is not finite", r->name, i + 1,
                            t->name);
    }
    return MST_OK;
}

/* The tensor of the next layer of a prefix, the least number above `after`. */
static const tensor *next_weight(const tensors *t, size_t prefix, long after, unsigned long *number)
{
    const tensor *found = NULL;
    for (size_t i = 0; i < tensors_count(t); i++) {
        layer_name name;
        if (parse_name(tensors_at(t, i)->name, &name) && name.prefix == prefix && !name.bias &&
            (long)name.number > after && (found == NULL || name.number < *number)) {
            found = tensors_at(t, i);
            *number = name.number;
        }
    }
    return found;
}

static mst_status read_layer(const learned_reading *r, const tensor *w, const char *prefix,
                             unsigned long number, const char *before, perceptron *p)
{
    char name[64];
    dense_layer *l = &p->layer[p->layers];
    snprintf(name, sizeof name, "%s%lu.bias", prefix, number);
    const tensor *b = tensors_find(r->t, name);
    if (w->rank != 2 || w->type == TENSOR_U64 || tensor_size(w) == 0 ||
        w->shape[0] > DECODER_WIDEST || w->shape[1] > DECODER_WIDEST)
        return mst_fail(MST_FORMAT, "%s: \"%s\" is not a matrix of numbers", r->name, w->name);
    if (p->layers > 0 && w->shape[1] != l[-1].rows)
        return mst_fail(MST_FORMAT,
                        "%s: the layers do not chain: \"%s\" has %zu columns, but \"%s\" before it "
                        "has %zu rows",
                        r->name, w->name, w->shape[1], before, l[-1].rows);
    if (b == NULL || b->rank != 1 || b->type == TENSOR_U64 || b->shape[0] != w->shape[0])
        return mst_fail(MST_FORMAT,
                        "%s: \"%s\" must have %zu numbers, one for each row of \"%s\", and %s",
                        r->name, name, w->shape[0], w->name, b == NULL ? "is missing" : "has not");
    p->layers++; /* to be released */
    l->rows = w->shape[0];
    l->columns = w->shape[1];
    double *turned;
    MST_TRY(mst_allocate(&l->weight, l->rows * l->columns));
    MST_TRY(mst_allocate(&l->bias, l->rows));
    MST_TRY(mst_allocate(&turned, l->rows * l->columns));
    mst_status status = copy_numbers(r, w, turned);
    for (size_t i = 0; status == MST_OK && i < l->rows; i++)
        for (size_t j = 0; j < l->columns; j++)
            l->weight[j * l->rows + i] = turned[i * l->columns + j];
    mst_release(turned);
    return status == MST_OK ? copy_numbers(r, b, l->bias) : status;
}

/* WᵀW of a linear last layer. */
static mst_status make_gram(perceptron *p)
{
    const dense_layer *l = &p->layer[p->layers - 1];
    size_t h = l->columns;
    MST_TRY(mst_allocate(&p->gram, h * h));
    for (size_t a = 0; a < h; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < l->rows; i++)
                sum += l->weight[a * l->rows + i] * l->weight[b * l->rows + i];
            p->gram[a * h + b] = p->gram[b * h + a] = sum;
        }
    return MST_OK;
}

static mst_status read_perceptron(const learned_reading *r, size_t prefix, perceptron *p)
{
    unsigned long number = 0;
    long after = -1;
    const char *before = "";
    const tensor *w;
    while ((w = next_weight(r->t, prefix, after, &number)) != NULL) {
        if (p->layers == DECODER_LAYERS)
            return mst_fail(MST_FORMAT, "%s: more than %d layers", r->name, DECODER_LAYERS);
        MST_TRY(read_layer(r, w, prefixes[prefix].prefix, number, before, p));
        before = w->name;
        after = (long)number;
    }
    for (size_t k = 0; k < p->layers; k++) {
        size_t wide =
            p->layer[k].rows > p->layer[k].columns ? p->layer[k].rows : p->layer[k].columns;
        p->widest = wide > p->widest ? wide : p->widest;
    }
    return p->output == BEND_LINEAR ? make_gram(p) : MST_OK;
}

/* Of each kind at most one prefix, and nothing besides. */
static mst_status find_prefixes(const learned_reading *r, size_t *mean, size_t *sd)
{
    *mean = *sd = PREFIXES;
    for (size_t i = 0; i < tensors_count(r->t); i++) {
        const char *name = tensors_at(r->t, i)->name;
        layer_name l;
        if (strcmp(name, "latent") == 0)
            continue;
        if (!parse_name(name, &l))
            return mst_fail(MST_FORMAT,
                            "%s: \"%.60s\" is no layer of a decoder; names are mean.0.weight, "
                            "mean.0.bias, ... and, of standard deviations, sd.0.weight, ... or "
                            "log_variance.0.weight, ...",
                            r->name, name);
        size_t *of = prefixes[l.prefix].sd ? sd : mean;
        if (*of != PREFIXES && *of != l.prefix)
            return mst_fail(MST_FORMAT, "%s: layers of two networks, \"%s\" and \"%s\"", r->name,
                            prefixes[*of].prefix, prefixes[l.prefix].prefix);
        *of = l.prefix;
    }
    if (*mean == PREFIXES)
        return mst_fail(MST_FORMAT, "%s: there are no layers mean.0.weight, mean.0.bias, ...",
                        r->name);
    return MST_OK;
}

/* The text of the metadata, or `given` instead; *out is left as it is without any. */
static mst_status read_bend(const learned_reading *r, const char *key, const char *given, bend *out)
{
    const char *text = given != NULL ? given : tensors_text(r->t, key);
    if (text == NULL)
        return MST_OK;
    for (size_t k = 0; bend_names[k] != NULL; k++)
        if (strcmp(bend_names[k], text) == 0) {
            *out = (bend)k;
            return MST_OK;
        }
    return mst_fail(MST_FORMAT, "%s: %s = \"%.40s\" is not tanh, silu, softplus or linear", r->name,
                    key, text);
}

/* That of the layers must be known, and smooth: ReLU has no curvature but at its edges,
 * where it is infinite. */
static mst_status read_activation(const learned_reading *r, bend *out)
{
    *out = BEND_HALF_EXP;
    MST_TRY(read_bend(r, "activation", r->activation, out));
    if (*out != BEND_HALF_EXP)
        return MST_OK;
    return mst_fail(MST_FORMAT,
                    "%s: which activation have the layers? tell it in the metadata or by "
                    "`activation`: tanh, silu, softplus or linear",
                    r->name);
}

/* ---- Construction ---- */

void perceptron_release(perceptron *p)
{
    for (size_t k = 0; k < p->layers; k++) {
        mst_release(p->layer[k].weight);
        mst_release(p->layer[k].bias);
    }
    mst_release(p->gram);
}

static void release(learned *l)
{
    decoder *d = (decoder *)l;
    perceptron_release(&d->mean);
    perceptron_release(&d->sd);
}

static mst_status pack_layers(learned_pack *p, const perceptron *net, const char *prefix,
                              char (*names)[40])
{
    for (size_t k = 0; k < net->layers; k++) {
        const dense_layer *l = &net->layer[k];
        snprintf(names[2 * k], sizeof *names, "%s%zu.weight", prefix, k);
        snprintf(names[2 * k + 1], sizeof *names, "%s%zu.bias", prefix, k);
        double *turned;
        MST_TRY(mst_allocate(&turned, l->rows * l->columns));
        MST_TRY(learned_pack_own(p, turned));
        for (size_t i = 0; i < l->rows; i++)
            for (size_t j = 0; j < l->columns; j++)
                turned[i * l->columns + j] = l->weight[j * l->rows + i];
        MST_TRY(learned_pack_tensor(p, &(tensor){.name = names[2 * k],
                                                 .type = TENSOR_F64,
                                                 .rank = 2,
                                                 .shape = {l->rows, l->columns},
                                                 .data = turned}));
        MST_TRY(learned_pack_tensor(p, &(tensor){.name = names[2 * k + 1],
                                                 .type = TENSOR_F64,
                                                 .rank = 1,
                                                 .shape = {l->rows},
                                                 .data = l->bias}));
    }
    return MST_OK;
}

static mst_status pack(const learned *l, learned_pack *p)
{
    const decoder *d = (const decoder *)l;
    char(*names)[40];
    MST_TRY(mst_allocate(&names, 4 * DECODER_LAYERS));
    MST_TRY(learned_pack_own(p, names));
    learned_pack_text(p, "activation", bend_names[d->hidden]);
    if (d->sd.layers > 0)
        learned_pack_text(p, "sd_output", bend_names[d->sd.output]);
    MST_TRY(pack_layers(p, &d->mean, "mean.", names));
    MST_TRY(pack_layers(p, &d->sd, "sd.", names + 2 * DECODER_LAYERS));
    if (l->latent == NULL)
        return MST_OK;
    return learned_pack_tensor(p, &(tensor){.name = "latent",
                                            .type = TENSOR_F64,
                                            .rank = 2,
                                            .shape = {l->n, l->d},
                                            .data = l->latent});
}

static mst_status describe(const mst_manifold *m, mst_learned_info *info)
{
    const decoder *d = mst_manifold_data(m);
    info->network = d->network;
    return MST_OK;
}

static mst_status decode(const learned *l, size_t n, const double *x, double *mean, double *sd)
{
    const decoder *d = (const decoder *)l;
    for (size_t i = 0; i < n; i++) {
        if (mean != NULL)
            MST_TRY(perceptron_value(&d->mean, d->hidden, x + i * l->d, mean + i * l->D));
        if (sd != NULL && d->sd.layers > 0)
            MST_TRY(perceptron_value(&d->sd, d->hidden, x + i * l->d, sd + i * l->D));
        for (size_t k = 0; sd != NULL && d->sd.layers == 0 && k < l->D; k++)
            sd[i * l->D + k] = 0;
    }
    return MST_OK;
}

static const learned_ops ops = {.kind = "decoder",
                                .format = DECODER_FORMAT,
                                .pack = pack,
                                .describe = describe,
                                .decode = decode,
                                .release = release};

/* Where no latent points are known, first paths go by a grid of the plane where most of a normal law is, or
 * by random points of it. */
static mst_status make_nodes(learned *l)
{
    enum { SIDE = 19, MANY = 300 };
    if (l->d < 2)
        return MST_OK;
    l->node_count = l->d == 2 ? SIDE * SIDE : MANY;
    MST_TRY(mst_allocate(&l->nodes, l->node_count * l->d));
    if (l->d == 2) {
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            l->nodes[2 * i] = -3 + 6.0 / (SIDE - 1) * (double)(i % SIDE);
            size_t line = i / SIDE;
            l->nodes[2 * i + 1] = -3 + 6.0 / (SIDE - 1) * (double)line;
        }
    } else {
        mst_random_normals((mst_random){2712, 0}, 0, MANY * l->d, l->nodes);
    }
    return MST_OK;
}

static mst_status read_latent(const learned_reading *r, learned *l)
{
    const tensor *t = NULL;
    const double *from = r->latent;
    size_t d = r->latent_dim;
    l->n = r->latent_count;
    if (from == NULL && tensors_find(r->t, "latent") == NULL)
        return make_nodes(l);
    if (from == NULL) {
        MST_TRY(learned_read_tensor(r, "latent", 2, &t));
        from = t->data;
        l->n = t->shape[0];
        d = t->shape[1];
    }
    if (d != l->d)
        return mst_fail(MST_FORMAT, "%s: latent points have %zu coordinates, the decoder reads %zu",
                        r->name, d, l->d);
    MST_TRY(mst_allocate(&l->latent, l->n * l->d));
    memcpy(l->latent, from, l->n * l->d * sizeof *l->latent);
    return MST_OK;
}

static void put_words(decoder *d)
{
    size_t at = 0, room = sizeof d->network;
    for (size_t k = 0; k <= d->mean.layers && at + 40 < room; k++)
        at += (size_t)snprintf(d->network + at, room - at, "%zu%s",
                               k == 0 ? d->base.d : d->mean.layer[k - 1].rows,
                               k < d->mean.layers ? "-" : "");
    snprintf(d->network + at, room - at, ", %s%s", bend_names[d->hidden],
             d->sd.layers > 0 ? ", with standard deviations" : "");
}

/* ---- Files ---- */

static mst_status check(const learned_reading *r, const decoder *d)
{
    const perceptron *mean = &d->mean, *sd = &d->sd;
    size_t in = mean->layer[0].columns, out = mean->layer[mean->layers - 1].rows;
    if (in > DECODER_DIM)
        return mst_fail(MST_FORMAT, "%s: %zu latent coordinates; at most %d are possible", r->name,
                        in, DECODER_DIM);
    if (sd->layers > 0 && (sd->layer[0].columns != in || sd->layer[sd->layers - 1].rows != out))
        return mst_fail(MST_FORMAT,
                        "%s: the network of the mean leads from %zu to %zu numbers, that of the "
                        "standard deviations from %zu to %zu",
                        r->name, in, out, sd->layer[0].columns, sd->layer[sd->layers - 1].rows);
    return MST_OK;
}

static mst_status read_all(const learned_reading *r, decoder *d)
{
    size_t mean, sd;
    MST_TRY(find_prefixes(r, &mean, &sd));
    MST_TRY(read_activation(r, &d->hidden));
    MST_TRY(read_perceptron(r, mean, &d->mean));
    if (sd != PREFIXES) {
        d->sd.output = prefixes[sd].log_variance ? BEND_HALF_EXP : BEND_LINEAR;
        MST_TRY(read_bend(r, "sd_output", NULL, &d->sd.output));
        MST_TRY(read_perceptron(r, sd, &d->sd));
    }
    MST_TRY(check(r, d));
    d->base.d = d->mean.layer[0].columns;
    d->base.D = d->mean.layer[d->mean.layers - 1].rows;
    MST_TRY(learned_read_shape(r, d->base.D, &d->base.height, &d->base.width));
    put_words(d);
    return read_latent(r, &d->base);
}

mst_status decoder_read(mst_manifold **out, const learned_reading *r)
{
    decoder *d;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&d, 1));
    d->base.ops = &ops;
    mst_status status = read_all(r, d);
    if (status != MST_OK) {
        learned_free(d);
        return status;
    }
    return learned_manifold(out, &decoder_metric, r->spec, &d->base);
}

mst_decoder_options mst_decoder_options_default(void)
{
    return (mst_decoder_options){.size = sizeof(mst_decoder_options)};
}

mst_status mst_decoder_learn(mst_manifold **out, const char *spec, const char *weights,
                             const mst_decoder_options *options)
{
    mst_decoder_options o;
    tensors *t;
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_decoder_options, options));
    MST_TRY(tensors_read(&t, weights));
    learned_reading r = {.t = t,
                         .name = weights,
                         .spec = spec,
                         .activation = o.activation,
                         .latent = o.latent,
                         .latent_count = o.n,
                         .latent_dim = o.dim,
                         .height = o.height,
                         .width = o.width};
    mst_status status = decoder_read(out, &r);
    tensors_free(t);
    return status;
}
