/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Gaussian processes as maps. R is the matrix of kernels of unit variance at the latent points, K = R + νI
 * with the noise ν, α = K⁻¹(Y − mean), and the metric
 *
 *     g_ab = λc δ_ab + r_aᵀ B r_b,   B = ααᵀ − λDσ² K⁻¹,   c = Dσ²/ℓ²,
 *
 * λ = 1 (`uncertainty`) being E[JᵀJ]. Its two parts are never formed by themselves: where they cancel, digits
 * would be lost. */
#ifndef MST_LEARNED_GP_H
#define MST_LEARNED_GP_H

#include "learned/gp_kernels.h"
#include "learned/learned.h"

/* Latent points farther away than so many length scales are not seen: what is left out is below 1e-10 of the
 * least eigenvalue of g where the condition of K is moderate. */
#define GP_WINDOW 9.0
#define GP_MOST_CONDITION 1e12
/* Matrices of this order are the largest that are made. */
enum { GP_MOST_POINTS = 5000 };

typedef struct gp {
    learned base; /* first */
    double variance, length_scale, noise, uncertainty;
    bool centred;
    double log_likelihood, condition, rounding; /* the last, of the metric, relatively */
    double *data, *mean;                        /* (n, D) as given, (D) */
    gp_field field;
    size_t *order;           /* (n): what stands where in the arrays below */
    double *z, *b;           /* (d, n), (n, n) */
    double *alpha, *inverse; /* (n, D), (n, n): K⁻¹ */
} gp;

/* Hyper-parameters, NAN where they are to be found. */
typedef struct gp_numbers {
    double variance, length_scale, noise;
} gp_numbers;

typedef struct gp_data {
    size_t n, d, D;
    const double *latent, *data;
} gp_data;

/* MST_DOMAIN if the rows of data (n, D) are all equal, up to rounding. */
MST_MUST_USE mst_status gp_refuse_constant(size_t n, size_t D, const double *data);
/* The mean of the columns, or zeros; (D). */
void gp_mean(const gp_data *g, bool centre, double *mean);
/* Fills in what is NAN by maximal marginal likelihood (gp_fit.c). */
MST_MUST_USE mst_status gp_fit(const gp_data *g, bool centre, gp_numbers *numbers);
/* Squared distances (n, n) of rows of m numbers. */
void gp_distances(size_t n, size_t m, const double *x, double *square);
/* The two rows (from 0) of coincident latent points; false: there are none. */
bool gp_coincident(const gp_data *g, size_t rows[2]);

MST_MUST_USE mst_status gp_new(mst_manifold **out, const char *spec, const gp_data *g,
                               const gp_numbers *numbers, const mst_gp_options *options);

/* The parts of the metric along v at x: r_vᵀααᵀr_v, and the rest. */
MST_MUST_USE mst_status gp_parts(const gp *g, const double *x, const double *v, double *mean,
                                 double *variance);
/* Means of the same over up to `looks` latent points, along the data. */
MST_MUST_USE mst_status gp_along(const gp *g, size_t looks, double *mean, double *variance);
/* Slots (gp_metric.c). */
extern const mst_metric_ops gp_metric;
/* gp_report.c */
mst_status gp_describe(const mst_manifold *m, mst_learned_info *info);
mst_status gp_decode(const learned *l, size_t n, const double *x, double *mean, double *sd);
size_t gp_remarks(const mst_manifold *m, const double *x, double t, size_t most, mst_remark *out);
/* gp_file.c */
mst_status gp_pack(const learned *l, learned_pack *p);

#endif
