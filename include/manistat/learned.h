/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds learned from data: R^d, the latent space, with the metric that a map f into the space of the data
 * pulls back. Of a random map, a Gaussian process or a decoder with a variance, it is the expected metric
 * E[JᵀJ], J the Jacobian of f: short ways keep to where the data are, since where nothing is known about f
 * its variance makes ways long. They are ordinary manifolds: whatever works in a chart works on them.
 *
 * Shapes: n points or rows, d latent coordinates, D numbers of a row of data. */
#ifndef MANISTAT_LEARNED_H
#define MANISTAT_LEARNED_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Gaussian processes: D independent ones with the kernel variance·exp(−|x − z|²/2 length_scale²) ---- */
typedef struct mst_gp_options {
    size_t size;         /* set by the default: how much of the struct the program knows */
    double variance;     /* default NAN: by marginal likelihood, as the two below */
    double length_scale; /* default NAN */
    double noise;        /* default NAN; variance of the noise as a share of `variance`, 0: none */
    bool centre;         /* default false: the processes have mean 0; true: the mean of the data */
    double
        uncertainty; /* default 1: the part of the metric that is variance counts so many times */
    size_t height,
        width; /* default 0: rows of data are no images; else images of this size, by rows */
} mst_gp_options;
MST_API mst_gp_options mst_gp_options_default(void);

/* From latent points (n, d) and data (n, D), both copied. `spec` is its name, the path of the file it is
 * going to be in. MST_ARGUMENT for numbers out of range, MST_DOMAIN if the latent points do not determine the
 * processes: coincident ones without noise, or a matrix of kernels with a condition beyond 1e12. MST_DOMAIN,
 * too, for data that are constant to one part in 1e12, and without `centre` for nearly constant ones of whose
 * differences the map learns nothing. */
MST_API MST_MUST_USE mst_status mst_gp_learn(mst_manifold **out, const char *spec, size_t n,
                                             size_t d, const double *latent, size_t D,
                                             const double *data, const mst_gp_options *options);

/* Latent points (n, d) of data (n, D) where none are given. By principal components: the scores of the first
 * d, divided by the standard deviation of the first. By the graph of the nearest `neighbours` (Laplacian
 * eigenmaps): the eigenvectors of its normalised Laplacian after the constant one, each with mean square 1;
 * MST_DOMAIN if the graph falls into pieces. */
MST_API MST_MUST_USE mst_status mst_latent_pca(size_t n, size_t D, const double *data, size_t d,
                                               double *latent);
MST_API MST_MUST_USE mst_status mst_latent_laplacian(size_t n, size_t D, const double *data,
                                                     size_t neighbours, size_t d, double *latent);

/* ---- Decoders: networks from the latent space to the data ---- */
typedef struct mst_decoder_options {
    size_t size; /* set by the default: how much of the struct the program knows */
    const char
        *activation; /* default null: what the metadata say; "tanh", "silu", "softplus", "linear" */
    size_t height, width; /* default 0, as of mst_gp_options */
    size_t n, dim;        /* default 0: no latent points are known */
    const double *latent; /* (n, dim): points of the data, which first paths of geodesics follow */
} mst_decoder_options;
MST_API mst_decoder_options mst_decoder_options_default(void);
/* From a safetensors file of layers: mean.K.weight (rows, columns) and mean.K.bias, floats or doubles, with
 * numbers K that go up, an activation between two layers and none after the last; sd.K.weight and sd.K.bias,
 * if there are any, give standard deviations, log_variance.K.… logarithms of their squares. MST_FORMAT names
 * what does not fit. */
MST_API MST_MUST_USE mst_status mst_decoder_learn(mst_manifold **out, const char *spec,
                                                  const char *weights,
                                                  const mst_decoder_options *options);

/* ---- Files: safetensors, see docs/learned.md. mst_manifold_parse opens them by their ending, .gp ---- */
MST_API MST_MUST_USE mst_status mst_learned_write(const mst_manifold *m, const char *path,
                                                  bool force);

/* ---- What was learned. MST_ARGUMENT, and false, for manifolds that are not of this kind ---- */
MST_API bool mst_manifold_is_learned(const mst_manifold *m);

typedef struct mst_learned_info {
    const char *kind; /* "gp"; belongs to the manifold, as all texts here */
    size_t n;         /* latent points */
    size_t outputs;   /* D */
    size_t height, width;
    /* Of Gaussian processes; NAN for others. */
    double variance, length_scale, noise, uncertainty;
    bool centred;
    double log_likelihood; /* of the data, the latent points given */
    double condition;      /* of the matrix of kernels */
    /* The metric along the data: means over the latent points of g(v, v), v the unit vector of the latent
     * space in which the nearest other points lie; and its part from the mean map and from the variance. */
    double along, along_mean, along_variance;
    double far; /* far from all data g is so many times the identity */
    /* far/along: as long as it is above (π/2)², ways round a closed curve of data are shorter than those
     * across its empty middle, for all pairs of points */
    double ratio;
    double curvature; /* of surfaces: the mean of Gauss's over the latent points; else NAN */
    double tube; /* length_scale·√far: so far from the data, as the metric has it, they are lost */
    double low, high;    /* the least and the largest number of the data; NAN: not known */
    const char *network; /* of decoders: what it is, in words; else null */
    /* A length of its own: `tube`, or where there is none the root of the variance of the latent points per
     * coordinate, as the metric at them has it. Networks of up to four coordinates read times in units of its
     * square, and models are mostly for times up to that. */
    double unit;
} mst_learned_info;
MST_API MST_MUST_USE mst_status mst_learned_describe(const mst_manifold *m, mst_learned_info *info);
/* The latent points (n, d), in the order they were given; null if it has none. Belongs to the manifold. */
MST_API const double *mst_learned_latent(const mst_manifold *m);

/* Points x (n, d) in the space of the data: the mean of f, (n, D); and its standard deviation sd, (n, D);
 * either may be null. */
MST_API MST_MUST_USE mst_status mst_learned_decode(const mst_manifold *m, size_t n, const double *x,
                                                   double *mean, double *sd);

#ifdef __cplusplus
}
#endif
#endif
