/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score sources: for a batch of (x, y, t), log p_t(x, y) if the source knows it, the score
 * s = ∇_y log p_t(x, y) and the time derivative ∂_t log p. Estimators see this interface only and never ask
 * where the numbers come from. */
#ifndef MANISTAT_SCORE_H
#define MANISTAT_SCORE_H

#include <manistat/bridge.h>
#include <manistat/heat.h>
#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_score mst_score;

/* What a source may give besides the score. */
#define MST_GIVES_LOG_P 1u
#define MST_GIVES_TIME 2u /* it has a time: gives dt_log_p, and its values depend on t */
#define MST_GIVES_HESSIAN 4u
#define MST_GIVES_VALIDITY 8u /* it estimates its own error, row by row: mst_score_validity */

/* What one source can do, how well and at what price. */
typedef struct mst_score_info {
    unsigned gives;
    double t_least, t_largest; /* the times for which it may be used; 0 and INFINITY: all */
    double precision;          /* relative size of the rounding in its values; 0: that of doubles */
    double noise;              /* relative standard error of values found at random; 0: none */
    /* Time of one row's score on one core, in microseconds as far as one can say. From 0.25 on estimators
     * economise rows: they cut them into smaller blocks for more threads and look at fewer of them when they
     * search for a start. */
    double cost;
    /* Of a source with validity numbers, what its rows suffer from in a few words: those beyond the limit,
     * and those whose number is INFINITY. */
    const char *beyond, *none;
} mst_score_info;

/* The table of a source. `size` is sizeof(mst_score_ops) of whoever fills it; what a later library knows
 * beyond that is null. */
typedef struct mst_score_ops {
    size_t size;
    const char *name; /* "exact", "log" */
    /* Called once, by mst_score_new, with an info that says: the score alone, at all times, in doubles, free
     * of noise, at the cost 0.1. Null: that it is. */
    void (*describe)(const mst_score *s, mst_score_info *info);
    /* pairs->n ≥ 1 rows; only what is not null in `out` and what the source can give is asked for. Called
     * from several threads at once. t may be null where the source has no time. */
    mst_status (*evaluate)(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out);
    void (*free_data)(void *data); /* or null */
    /* For a source on a product whose log p is the sum of those of the factors: the source of factor i alone,
     * a new object on a borrowed factor. Null: it is no such sum. */
    mst_status (*factor)(const mst_score *s, size_t i, mst_score **out);
    /* As evaluate, and v (n), see mst_score_validity. Null: it does not know its errors. */
    mst_status (*validity)(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out,
                           double *v);
    /* For a source that searches: see mst_score_remember. Null: it would gain nothing. */
    mst_status (*remember)(const mst_score *s, size_t rows, mst_score **out);
    /* For a source that solves something for every x: see mst_score_prepare. Null: nothing. */
    mst_status (*prepare)(const mst_score *s, size_t n, const double *x);
} mst_score_ops;

/* From this validity number on a row is beyond what its source can answer. */
#define MST_VALIDITY_LIMIT 0.01

/* A source of your own. The table is copied, the manifold borrowed: it must outlive the source. `data` goes
 * to free_data, also on failure. MST_ARGUMENT for a table without its size or without `evaluate`. */
MST_API MST_MUST_USE mst_status mst_score_new(mst_score **out, const mst_score_ops *ops,
                                              const mst_manifold *m, void *data);
/* The exact heat kernel; MST_UNABLE where there is no closed form. */
MST_API MST_MUST_USE mst_status mst_score_exact_new(mst_score **out, const mst_manifold *m);
/* The small-time limit: log_p = −½ dist², score = Log_y(x). It has no time; its mean is the Fréchet mean. The
 * Hessian is given on flat manifolds, spheres, hyperbolic spaces, so3 and products of these. */
MST_API MST_MUST_USE mst_status mst_score_log_new(mst_score **out, const mst_manifold *m);
/* The expansion for small times, summed over geodesics without a conjugate point: log p = −r²/2t − (d/2) log
 * 2πt − ½ log Θ + t a₁, Θ the Jacobian of Exp. Every row has a validity number. Where Log is a closed form on
 * a space of constant curvature, a flat one or a line beside one, on manifolds of up to 12 dimensions from
 * formulas, a metric in one chart or equations, and on products of these; MST_UNABLE elsewhere. */
MST_API MST_MUST_USE mst_status mst_score_expansion_new(mst_score **out, const mst_manifold *m);
/* The kernel of any manifold by simulated bridges (<manistat/bridge.h>), whose options may be null: random,
 * but the same for the same row, y and t. options->threads does not count: callers share
 * rows among theirs. */
MST_API MST_MUST_USE mst_status mst_score_bridge_new(mst_score **out, const mst_manifold *m,
                                                     const mst_bridge_options *options);
/* The options of a source of bridges, for mst_bridge_pairs, which also tells its errors; null: it is another.
 * Belongs to the source. */
MST_API const mst_bridge_options *mst_score_bridge(const mst_score *s);
/* The heat equation, solved by finite elements: manifolds of two dimensions with one chart (formula files
 * with `embedding`, `metric` or `cometric`, learned planes); MST_UNABLE elsewhere. Every row has a validity
 * number, from two grids. Begins with its size; null: the defaults. */
typedef struct mst_pde_options {
    size_t size;
    double grid;     /* cells are shorter by this factor; 1 */
    size_t unknowns; /* the largest grid; 60 000. Times that need a larger one have no answer */
    double memory;   /* bytes for solutions that are kept; 4e9 */
} mst_pde_options;
MST_API mst_pde_options mst_pde_options_default(void);
MST_API MST_MUST_USE mst_status mst_score_pde_new(mst_score **out, const mst_manifold *m,
                                                  const mst_pde_options *options);
/* The sum over eigenfunctions of the Laplacian, made from about `functions` smooth ones (0: as many as take
 * about a second, 630 or 900): closed
 * surfaces from formula files, either with two periodic coordinates or by one equation in R³ that every ray
 * from the middle meets once; MST_UNABLE elsewhere. For long times: the more functions, the shorter they may
 * be. Every row has a validity number, from a second sum with fewer functions. */
MST_API MST_MUST_USE mst_status mst_score_spectral_new(mst_score **out, const mst_manifold *m,
                                                       size_t functions);
/* By name: "exact", "log", "expansion", "bridge", "pde", "spectral", or the path of a model
 * (<manistat/network.h>), which the source then owns. Options follow a question mark,
 * joined by &. Bridges have
 *   paths=M      of a pair, steps=N of a path, seed=S
 *   guide=best, log, smooth
 * The heat equation has grid, unknowns and memory, as in mst_pde_options, eigenfunctions have functions. A
 * model has
 *   beyond=yes   times outside its range are allowed
 *   alone        the network answers all rows, also where the expansion or eigenfunctions would be better
 *   t=T, t=least its small-time limit, a source without a time, at the time T or at its least
 * `m` is borrowed; null: that of the model. MST_ARGUMENT for names and options that do not exist, with a list
 * of those that do. */
MST_API MST_MUST_USE mst_status mst_score_open(mst_score **out, const char *text,
                                               const mst_manifold *m);
/* Is the text, without its options, the name of a source rather than that of a file?
 * Those need a manifold. */
MST_API bool mst_score_is_name(const char *text);
MST_API void mst_score_free(mst_score *s);

/* What it is made of: its name, its manifold (borrowed) and its data. */
MST_API const char *mst_score_name(const mst_score *s);
MST_API const mst_manifold *mst_score_manifold(const mst_score *s);
MST_API void *mst_score_data(const mst_score *s);
/* What it can do; belongs to the source. */
MST_API const mst_score_info *mst_score_describe(const mst_score *s);
/* Does it give all of these (MST_GIVES_…)? */
MST_API bool mst_score_gives(const mst_score *s, unsigned what);

/* The source of one factor of a product, which adds up to this one; release it. MST_UNABLE where the source
 * knows the product as a whole only. A manifold that is no product is its own single factor. */
MST_API MST_MUST_USE mst_status mst_score_factor(mst_score **out, const mst_score *s, size_t i);

/* The same source for one who asks for the rows 0 … rows − 1 again and again, with y that move little: it
 * keeps what it finds for a row, and begins with that the next time. Only one thread at a time may ask for a
 * row. Values depend on what was asked before, by no more than the precision of the source. Null where the
 * source would gain nothing; release it before `s`. */
MST_API MST_MUST_USE mst_status mst_score_remember(mst_score **out, const mst_score *s,
                                                   size_t rows);

/* Tells a source that rows with these x (n, D) will be asked for, so that it can make one grid for all of
 * them; most sources need not know. Who asks for all rows of a sample in blocks does this before, for answers
 * that do not depend on the blocks. */
MST_API MST_MUST_USE mst_status mst_score_prepare(const mst_score *s, size_t n, const double *x);

/* The rows through the table; none are allowed. */
MST_API MST_MUST_USE mst_status mst_score_evaluate(const mst_score *s, const mst_pairs *pairs,
                                                   const mst_heat_values *out);
/* The same for rows x and y (n, D) and times t (n), counted from 0. */
MST_API MST_MUST_USE mst_status mst_score_evaluate_rows(const mst_score *s, size_t n,
                                                        const double *x, const double *y,
                                                        const double *t,
                                                        const mst_heat_values *out);

/* The validity numbers v (n) ≥ 0 of rows: the relative error of the score as the source itself estimates it
 * without knowing the truth; INFINITY where it has nothing to go by. `out` is filled on the way, with the
 * best values there are however large v is. MST_UNABLE if the source does not give MST_GIVES_VALIDITY. */
MST_API MST_MUST_USE mst_status mst_score_validity(const mst_score *s, const mst_pairs *pairs,
                                                   const mst_heat_values *out, double *v);

/* The share of rows, 0 to 1, that a source answers. A row that two of them share counts in parts. */
enum { MST_SOURCE_SHARES = 3 };
typedef struct mst_source_share {
    const char *name; /* "network", "expansion", "spectral"; any other source answers all itself */
    double share;
} mst_source_share;
/* Which sources answer these rows? A network leaves rows to others (mst_score_network_new); its small-time
 * limit does so at its own time. Writes *count entries, first that of `s` itself; they add up to 1. Costs as
 * much as the scores of the rows. */
MST_API MST_MUST_USE mst_status mst_score_shares(const mst_score *s, const mst_pairs *pairs,
                                                 mst_source_share out[MST_SOURCE_SHARES],
                                                 size_t *count);

/* Curves from x to y (n, D) that follow a small-time limit, a source without a time: c' = Log_c(y)/(1 − s)
 * with Log_c(y) = score of (y, c), by `steps` ≥ 1 steps of a Runge–Kutta method of order 4. points (n,
 * steps+1, D): at s = k/steps, the first is x, the last y. With the exact Log they are geodesics to rounding.
 * MST_ARGUMENT for a source with a time. */
MST_API MST_MUST_USE mst_status mst_score_geodesic(const mst_score *limit, size_t n,
                                                   const double *x, const double *y, size_t steps,
                                                   double *points);
/* One of its steps, for curves that are too long to hold: at (n, D) goes from s to s + h < 1. */
MST_API MST_MUST_USE mst_status mst_score_geodesic_step(const mst_score *limit, size_t n,
                                                        const double *y, double s, double h,
                                                        double *at);

#ifdef __cplusplus
}
#endif
#endif
