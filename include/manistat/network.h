/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score networks: s = ∇_y log p_t(x, y) learned once for a manifold, then good for any data. A network is
 * what a model file (safetensors) holds: weights, the manifold, the times it was trained for, how it was
 * trained, and its certificate. */
#ifndef MANISTAT_NETWORK_H
#define MANISTAT_NETWORK_H

#include <manistat/score.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_network mst_network;

typedef enum mst_activation { MST_SILU, MST_TANH } mst_activation;

/* The losses: constant, name, what it is. A new one is a line here and a file src/train/loss_<name>.c. */
#define MST_LOSS_LIST(X)                                               \
    X(BEL, bel, "Bismut-Elworthy-Li targets, almost without noise")    \
    X(DSM, dsm, "denoising score matching: the last step of the path") \
    X(DSMVR, dsmvr, "the same with a control variate")                 \
    X(ISM, ism, "implicit score matching: |s|^2 + 2 div s")            \
    X(SSM, ssm, "sliced score matching: the same in random directions")
typedef enum mst_loss {
#define MST_LOSS_ENUM(constant, name, what) MST_LOSS_##constant,
    MST_LOSS_LIST(MST_LOSS_ENUM)
#undef MST_LOSS_ENUM
} mst_loss;
/* "bel", "dsm", …; *out from a name, false if there is none. */
MST_API const char *mst_loss_name(mst_loss loss);
MST_API bool mst_loss_parse(mst_loss *out, const char *name);

/* Where the targets of the loss bel came from: constant, name, what it is. */
#define MST_TARGETS_LIST(X)                                                            \
    X(UNKNOWN, unknown, "another loss, or an older model")                             \
    X(EXACT, exact, "exact steps of a flat space")                                     \
    X(CLOSED, closed, "weights of the manifold's own")                                 \
    X(FRAMES, frames, "frames that paths take along, and the Ricci curvature")         \
    X(TRANSPORT, transport, "transport along geodesic steps, and the Ricci curvature") \
    X(FLOW, flow, "derivatives of the steps")                                          \
    X(MIXED, mixed, "factors of a product that differ")
typedef enum mst_targets {
#define MST_TARGETS_ENUM(constant, name, what) MST_TARGETS_##constant,
    MST_TARGETS_LIST(MST_TARGETS_ENUM)
#undef MST_TARGETS_ENUM
} mst_targets;
MST_API const char *mst_targets_name(mst_targets targets); /* "unknown", "exact", … */
MST_API const char *mst_targets_text(mst_targets targets); /* what it is */

/* What a network is. Texts and centre belong to the network. */
typedef struct mst_network_info {
    const char *manifold; /* its spec */
    double t_min, t_max;  /* times it was trained for; equal: one fixed time */
    mst_loss loss;
    mst_activation activation;
    size_t inputs, width, depth, outputs, parameters;
    bool energy;    /* the score is the gradient of the network */
    bool time_head; /* ∂_t log p is an output, not the divergence formula */
    bool plain;     /* reads (x, y, t) as they are, without the short-time baseline */
    uint64_t seed, steps, samples;
    size_t starts; /* points that the paths began around; 0: none were given */
    /* The points of its training lay within `reach` of `centre` (D). NAN and null: everywhere, or unknown. */
    double reach;
    const double *centre;
    bool checkpoint; /* holds the state of a training that may be resumed */
    double seconds;  /* spent on training */
    bool finished;   /* the budget was used up; false: interrupted, or a checkpoint */
    /* held-out loss minus that of the short-time baseline alone, over the latter's; NAN unknown */
    double excess;
    mst_targets targets;
    double kappa;            /* decay rate of their weights, or NAN */
    const char *version;     /* of the program that trained it */
    const char *certificate; /* JSON text, or "" */
    /* samples that were left out of the last run of the training because their paths left the domain */
    uint64_t left;
    /* The paths of a batch began where those of the batch before ended. `reach` and `excess` are then still
     * those of paths from the first starts. */
    bool chained_starts;
} mst_network_info;

/* `m` is null, or the manifold of the model where its spec is none that
 * mst_manifold_parse knows; it is then borrowed. */
MST_API MST_MUST_USE mst_status mst_network_read(mst_network **out, const char *path,
                                                 const mst_manifold *m);
/* Atomic; an existing file is replaced only if `force`. */
MST_API MST_MUST_USE mst_status mst_network_write(const mst_network *net, const char *path,
                                                  bool force);
MST_API void mst_network_free(mst_network *net);

/* What it is; texts and centre are valid as long as the network. */
MST_API mst_network_info mst_network_describe(const mst_network *net);
/* The manifold it was trained for; borrowed. */
MST_API const mst_manifold *mst_network_manifold(const mst_network *net);
enum { MST_FINGERPRINT = 65 };
/* SHA-256, as 64 hexadecimal digits and a final 0, of what decides the answers: weights, design, times and
 * manifold. Certificates are bound to it. */
MST_API void mst_network_fingerprint(const mst_network *net, char out[MST_FINGERPRINT]);
/* Replaces the certificate, a JSON text; it is written with the network. */
MST_API MST_MUST_USE mst_status mst_network_certify(mst_network *net, const char *certificate);

/* The network as a score source. It is borrowed, and its manifold is the source's. The time derivative is
 * ½(div s + |s|²) with the exact divergence, or the time head's; the Hessian is the symmetric part of ∇s.
 * Times outside [t_min, t_max] are MST_DOMAIN unless `beyond`. On manifolds from formulas or a metric
 * the expansion (mst_score_expansion_new), and on closed surfaces the sum over eigenfunctions
 * (mst_score_spectral_new), answer rows for which their validity number is below MST_VALIDITY_LIMIT, and have
 * a share up to twice that. */
MST_API MST_MUST_USE mst_status mst_score_network_new(mst_score **out, const mst_network *net,
                                                      bool beyond);
/* The same without these: the network answers all rows alone, which takes
 * microseconds instead of milliseconds there. */
MST_API MST_MUST_USE mst_status mst_score_network_alone_new(mst_score **out, const mst_network *net,
                                                            bool beyond);
/* Its small-time limit at time t (≤ 0: t_min): a source without a time, score = t·s ≈ Log_y(x). Its mean is
 * the Fréchet mean. */
MST_API MST_MUST_USE mst_status mst_score_network_log_new(mst_score **out, const mst_network *net,
                                                          double t);

/* The same of a source of a network, or of its limit: as alone as that is, and at the same time. MST_ARGUMENT
 * for other sources. */
MST_API MST_MUST_USE mst_status mst_score_network_limit_new(mst_score **out, const mst_score *s);

/* The network behind a source, also behind a small-time limit; null if there is none. Borrowed. */
MST_API const mst_network *mst_score_network(const mst_score *s);
/* The time at which a small-time limit is taken; 0 for all other sources. */
MST_API double mst_score_limit_time(const mst_score *s);

/* Does t lie in the range? To a part in 1e9, because times go through logarithms and files. */
MST_API bool mst_time_within(double t, double least, double largest);

/* What lies farther out than the training went, where a network guesses. Of the two ways to be outside,
 * distance and reach tell of the one by which a row is the farthest out. */
typedef struct mst_outside {
    size_t rows;     /* how many */
    size_t farthest; /* the row that is farthest out, from 0 */
    /* of that row; of the row that comes closest if none is outside; 0 if nothing is known */
    double distance;
    double reach; /* how far the training went by that measure; NAN if nothing is known */
    /* Is it the distance between the two points of the row? Else that of one of them from the centre
     * (mst_network_info). */
    bool between;
} mst_outside;
/* Of x (n, D): those that are more than 1.1 times `reach` from the centre; none if the
 * network's reach is not known. */
MST_API MST_MUST_USE mst_status mst_network_outside(const mst_network *net, size_t n,
                                                    const double *x, mst_outside *out);
/* Of rows (x, y, t), as an estimate y at the time t uses the data x: those with a point outside as above, and
 * those whose points are farther apart than mst_network_span. Where the manifold has no Log in closed form
 * the network's own is measured instead. t null: t_min. */
MST_API MST_MUST_USE mst_status mst_network_pairs_outside(const mst_network *net,
                                                          const mst_pairs *pairs, mst_outside *out);
/* The distance up to which the training has seen pairs at time t (≤ 0: t_min): √t (√d + 5), and where the
 * curvature is a constant −κ the drift ½(d − 1)√κ t more. */
MST_API double mst_network_span(const mst_network *net, double t);

/* Energy networks: log p_t(x, y) up to a function of x and t, out (n); MST_UNABLE for others. */
MST_API MST_MUST_USE mst_status mst_network_energy(const mst_network *net, size_t n,
                                                   const double *x, const double *y,
                                                   const double *t, double *out);

/* Rows x and y (n, D): Log_x(y) ≈ t·s and the squared distance r² ≈ 2t²∂_t log p + d·t at time t (≤ 0:
 * t_min); either may be null. */
MST_API MST_MUST_USE mst_status mst_network_log(const mst_network *net, size_t n, const double *x,
                                                const double *y, double t, double *v,
                                                double *square);
/* The same by a source of a network, or by its limit at the time of that. MST_ARGUMENT for other sources. */
MST_API MST_MUST_USE mst_status mst_score_network_log(const mst_score *s, size_t n, const double *x,
                                                      const double *y, double *v, double *square);

#ifdef __cplusplus
}
#endif
#endif
