/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the kinds of learned manifolds share. The data of the manifold begin with a `learned`. */
#ifndef MST_LEARNED_LEARNED_H
#define MST_LEARNED_LEARNED_H

#include "io/tensors.h"
#include "manifold/internal.h"

#include <manistat/learned.h>
#include <manistat/metric.h>

typedef struct learned learned;

/* a·b, in four sums that a processor can add up side by side. */
static inline double learned_dot(size_t n, const double *a, const double *b)
{
    double part[4] = {0}, rest = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        rest += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]) + rest;
}

/* Tensors and metadata of a file; `numbers` keeps texts of numbers. */
enum { LEARNED_TEXTS = 16, LEARNED_NUMBER = 40 };
typedef struct learned_pack {
    size_t count, room;
    tensor *list; /* (count) */
    size_t owned, owned_room;
    void **own; /* (owned): memory of tensors and names, for as long as the pack */
    size_t texts;
    tensor_text text[LEARNED_TEXTS];
    char numbers[LEARNED_TEXTS][LEARNED_NUMBER];
} learned_pack;
MST_MUST_USE mst_status learned_pack_tensor(learned_pack *p, const tensor *t);
/* Takes over memory, also when it fails. */
MST_MUST_USE mst_status learned_pack_own(learned_pack *p, void *memory);
void learned_pack_free(learned_pack *p);
void learned_pack_text(learned_pack *p, const char *key, const char *value);
void learned_pack_number(learned_pack *p, const char *key, double value);

typedef struct learned_ops {
    const char *kind, *format; /* "gp", and what the metadata say */
    mst_status (*pack)(const learned *l, learned_pack *p);
    mst_status (*describe)(const mst_manifold *m, mst_learned_info *info);
    mst_status (*decode)(const learned *l, size_t n, const double *x, double *mean, double *sd);
    void (*release)(learned *l); /* all but the struct */
} learned_ops;

struct learned {
    const learned_ops *ops;
    size_t d, D, n, height, width;
    double unit;    /* of lengths; 0 until it is known */
    double *latent; /* (n, d); null: none */
    size_t node_count;
    double *nodes; /* (node_count, d): where first paths may go without latent points; or null */
    char *content; /* of its file, as text */
    char *options; /* of its spec, "uncertainty=16", or "" */
    struct ways *ways;
};

/* The manifold of a filled object, which it takes over, also on failure. */
MST_MUST_USE mst_status learned_manifold(mst_manifold **out, const mst_metric_ops *ops,
                                         const char *spec, learned *l);
void learned_free(void *data);
/* The numbers of the points (n, d) nearest to x, the nearest first, but not those at x itself: at most `most`
 * ≤ LEARNED_NEAR, and how many. */
enum { LEARNED_NEAR = 6 };
size_t learned_nearest(size_t d, size_t n, const double *points, const double *x, size_t most,
                       size_t *out);
const learned *learned_of(const mst_manifold *m); /* null: it is not */
/* The square of the `unit` of mst_learned_info; 1 of manifolds that are not learned. */
double learned_time(const mst_manifold *m);
/* Slots. */
void learned_start(const mst_manifold *m, double *x);
void learned_traits(const mst_manifold *m, mst_manifold_traits *traits);

/* What a reader is told, and the name of the file for messages. */
typedef struct learned_reading {
    const tensors *t;
    const char *name, *spec;
    double uncertainty; /* of the spec; 1 */
    /* Besides the file, for decoders: null and 0 without. */
    const char *activation;
    const double *latent;
    size_t latent_count, latent_dim, height, width;
} learned_reading;
MST_MUST_USE mst_status learned_read_number(const learned_reading *r, const char *key, double *out);
/* A tensor of doubles of this rank with finite numbers, or MST_FORMAT. */
MST_MUST_USE mst_status learned_read_tensor(const learned_reading *r, const char *name, size_t rank,
                                            const tensor **out);

/* The size of images, 0 and 0 if neither file nor reader tells one; MST_FORMAT unless it
 * makes up `outputs`. */
MST_MUST_USE mst_status learned_read_shape(const learned_reading *r, size_t outputs, size_t *height,
                                           size_t *width);

/* decoder.c */
mst_status decoder_read(mst_manifold **out, const learned_reading *r);
/* gp_file.c */
#define GP_FORMAT "manistat gp 1"
MST_MUST_USE mst_status gp_read(mst_manifold **out, const learned_reading *r);

#endif
