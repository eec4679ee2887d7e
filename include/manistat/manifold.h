/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Riemannian manifolds. A point is a row of D doubles in ambient coordinates, a tangent vector too;
 * batches are row-major (n, D). A manifold is a table of functions, its dimensions and its data; objects
 * are immutable, so any number of threads may share one.
 *
 * Shapes in this header: n rows, d the dimension of the manifold, D the number of ambient coordinates.
 * Outputs may alias inputs of the same shape only where it is said. n = 0 is allowed everywhere. */
#ifndef MANISTAT_MANIFOLD_H
#define MANISTAT_MANIFOLD_H

#include <manistat/random.h>
#include <manistat/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_manifold mst_manifold;

/* A flag of mst_manifold_log: the point lies at the cut locus, or so close to it that the direction of
 * the minimal geodesic is lost in rounding. The vector is then still the velocity of a minimal geodesic;
 * exactly at the cut point it is a fixed choice among several. */
#define MST_LOG_CUT 1u

/* ---- What a manifold is. Everything above the manifolds asks here, never for a name; who gets "unknown" for
 * an answer says what it does then. ---- */
typedef enum mst_answer { MST_UNKNOWN, MST_NO, MST_YES } mst_answer;

/* Operations that are closed forms: cheap, without a search. */
#define MST_CLOSED_LOG 1u
#define MST_CLOSED_DIST 2u
#define MST_CLOSED_TRANSPORT 4u
#define MST_CLOSED_RICCI 8u
#define MST_CLOSED_EXP_DERIVATIVE 16u
#define MST_CLOSED_EXP 32u /* not of manifolds that are made of a metric */

/* What the numbers of a row are, whatever the metric. Files may hold rows of some kinds in other forms too:
 * angles in degrees, points of the two-sphere as latitude and longitude, upper triangles, quaternions. */
typedef enum mst_row_kind {
    MST_ROWS_PLAIN,
    MST_ROWS_ANGLES, /* modulo 2π */
    MST_ROWS_UNIT_VECTORS,
    MST_ROWS_HYPERBOLOID, /* -x_0² + x_1² + … = -1 */
    MST_ROWS_SYMMETRIC,   /* symmetric matrices by rows, tangent vectors too */
    MST_ROWS_ROTATIONS,   /* 3×3 matrices by rows */
} mst_row_kind;

typedef struct mst_manifold_traits {
    unsigned closed;    /* MST_CLOSED_… */
    mst_answer compact; /* yes: `random_point` is uniform, too */
    mst_answer flat;    /* zero curvature: Exp_x is a local isometry */
    /* simply connected and complete, no positive curvature: Exp_x is a diffeomorphism,
     * Fréchet means are unique */
    mst_answer hadamard;
    double curvature;       /* the constant sectional curvature; NAN: not constant, or unknown */
    double curvature_above; /* an upper bound of the sectional curvatures; NAN: unknown */
    mst_row_kind rows;
    bool angles;    /* a flat torus: every column is an angle modulo 2π, of unit metric */
    bool unit_rows; /* unit vectors with the metric of R^D, D = d + 1: x is the normal at x */
    double
        embedding; /* rows are points of R^D with this multiple of its metric; NAN: not, or unknown */
    /* Every geodesic is minimal up to the injectivity radius and meets the opposite one there, on a cut locus
     * of codimension one: circle, so3, projective spaces. */
    bool cut_is_wall;
    bool frame_is_divergence_free; /* the vector fields of `from_frame` have divergence 0 */
    /* The manifold is isometric to R × a simply connected space of constant curvature `beside_line`, though
     * its rows do not show it; `line` (d) is the unit vector along R in frame coordinates, the same at all
     * points. Null: it is not. */
    const double *line;
    double beside_line;
    /* It is R^d, or a convex part of it: chart coordinates about any centre are an isometry, and the frame is
     * that of the coordinates, at every point. */
    bool unrolls;
    /* Rows are landmarks, points of R^k with this k one after the other; 0: they are not. */
    size_t landmark_dim;
    double kernel_width; /* of landmarks that are carried by flows: sigma of their kernel; else 0 */
    /* Of landmarks: moving all of them by the same vector is an isometry, and takes the frame along. */
    bool moves_together;
    /* Any row of numbers that `project` takes stands for a point, as any configuration of landmarks has a
     * shape: who reads rows projects them. */
    bool any_row;
    /* Geodesics may leave it, though Exp has a closed form: it is not complete. */
    bool has_border;
    /* Rows are symmetric matrices, and points are those that are positive definite. */
    bool positive_definite;
} mst_manifold_traits;

/* How a path finds its random numbers: path number first_path + i (row i) reads stream `first_path + i`,
 * and its step number k, component j is normal number k·(d rounded up to even) + j of that stream. */
typedef struct mst_noise {
    uint64_t seed;
    uint64_t first_path;
    uint64_t first_step;
} mst_noise;

/* Brownian paths for training, n ≤ 64 of them, with the weights of Bismut, Elworthy and Li. Path i has
 * `steps` steps of time h[i]. A sample is the end x of a path from y after k of its steps, at time t = k
 * h[i], with a tangent vector at y whose conditional mean given (x, y) is ∇_y log p_t(x, y), and a number
 * whose conditional mean is ∂_t log p_t(x, y). Sample `slot` of path i stands in row slot·n + i; the samples
 * of a path may come from different points y. */
typedef struct mst_path_event {
    uint32_t path, slot;
} mst_path_event;
typedef struct mst_weighted_paths {
    size_t n, slots, steps;
    const double *h; /* (n) */
    double longest;  /* no h of the whole training is longer: fit to it what all paths must share */
    mst_noise noise;
    /* event[begin[k]] … event[begin[k + 1] − 1] are the samples after k ≥ 1 steps; begin
     * has steps + 2 entries. */
    const uint32_t *begin;
    const mst_path_event *event;
    const double *y;                  /* (slots·n, D) */
    double *x, *target, *time_target; /* (slots·n, D), (slots·n, D), (slots·n) */
} mst_weighted_paths;

/* Brownian paths that take a parallel frame along, n ≤ 64 of them. Everything stands by columns of n numbers,
 * one for each path: component c of a quantity with C components, after k steps, is column k·C + c. */
typedef struct mst_rolling_paths {
    size_t n, steps;
    const double *h; /* (n): path i has steps of time h[i] */
    mst_noise noise;
    /* Geodesic steps as they are, of whatever length, instead of those corrected for weak order two: they
     * leave the uniform law as it is. */
    bool plain;
    const double *push; /* (d, n): a drift in the frame of the path; null: none */
    double *x;          /* (steps + 1, D, n): the starts on entry, then all points */
    double *frame;      /* (steps + 1, d, D, n): orthonormal vectors, parallel along the path */
    double *increment;  /* (steps, d, n): √h ξ + h·push of each step, in the frame */
    /* (steps + 1, ·, n): the Ricci tensor in the frame, its lower triangle by rows; for
     * d = 2 Gauss's curvature alone */
    double *ricci;
    /* (n): has the path left the domain? Then it has waited where it was, and is none. */
    unsigned char *left;
    const double *part; /* (steps): step k of path i takes the time part[k]·h[i]; null: 1 */
    /* Led paths: what makes the increments (d, n) of step k, from the points, frames and Ricci tensors before
     * it; null: they are as said above. */
    mst_status (*lead)(void *context, size_t k, const double *x, const double *frame,
                       const double *ricci, double *increment);
    void *context;
} mst_rolling_paths;

/* What a user should know about a result besides its numbers: a word for programs and a sentence. */
typedef struct mst_remark {
    char word[32];
    char text[480];
} mst_remark;

/* ---- The table. The first five slots are required; each other slot may be null and then has the
 * fall-back named beside it. Slots are called with valid input: points on the manifold, tangent vectors
 * tangent, n ≥ 1. ---- */
typedef struct mst_manifold_ops {
    size_t size;      /* sizeof(mst_manifold_ops), as the program that fills it knows it */
    const char *name; /* family, as in specs: "sphere" */

    /* The default start, one point. */
    void (*start)(const mst_manifold *m, double *x);
    /* Bring rows near the manifold onto it (x and y may alias); MST_DOMAIN if there is no way. */
    mst_status (*project)(const mst_manifold *m, size_t n, const double *x, double *y);
    /* Orthogonal projection of ambient vectors w to the tangent spaces at x (w and v may alias). */
    mst_status (*tangent)(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v);
    /* Riemannian inner products of tangent vectors, out (n). */
    mst_status (*inner)(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out);
    /* y = Exp_x(v). y may alias x or v. MST_DOMAIN: a geodesic leaves the manifold or the
     * range of doubles. */
    mst_status (*exp)(const mst_manifold *m, size_t n, const double *x, const double *v, double *y);

    /* What it is. *traits comes filled with the fall-back, which is unknown for everything but this: what has
     * a slot is closed, and curves (d = 1) are flat. */
    void (*traits)(const mst_manifold *m, mst_manifold_traits *traits);
    /* Is row after row on the manifold? Else MST_DOMAIN, the row's index in *row and the detail message
     * says what is wrong with it. Fall-back: compare with `project`, relative tolerance 1e-6. */
    mst_status (*validate)(const mst_manifold *m, size_t n, const double *x, size_t *row);
    /* Coordinates c (n, d) in an orthonormal frame of the tangent space, smooth in x almost everywhere,
     * to the vector and back. Fall-back: Gram–Schmidt on the projected basis vectors of R^D. */
    mst_status (*from_frame)(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v);
    mst_status (*to_frame)(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c);
    /* v = Log_x(y), the velocity of a minimal geodesic; flag (n) or null. Fall-back: shooting with `exp`,
     * which finds a geodesic where the projected difference y − x is a fair first guess. v may alias y. */
    mst_status (*log)(const mst_manifold *m, size_t n, const double *x, const double *y, double *v,
                      unsigned char *flag);
    /* r (n), the distances. Fall-back: the norm of `log`. */
    mst_status (*dist)(const mst_manifold *m, size_t n, const double *x, const double *y,
                       double *r);
    /* Parallel transport of u along the geodesic s ↦ Exp_x(s v), s from 0 to 1. Fall-back: the
     * polar factor of the derivative of `exp`, in shorter and shorter legs until it
     * settles. out may alias u. */
    mst_status (*transport)(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out);
    /* Ricci tensor as an endomorphism, applied to v; out may alias v. Fall-back: from the volume distortion
     * of `exp`, Ric(w, w) = 3 lim (d − tr g(s w))/s² in normal coordinates, by differences (about 1e-6). */
    mst_status (*ricci)(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out);
    /* A lower bound of the injectivity radius at all points; INFINITY if exp is a diffeomorphism everywhere.
     * Where the curvature is a constant > 0, and on closed curves, the radius itself: it tells spheres from
     * what is made of them by identifying points. Fall-back: NAN, unknown. */
    double (*injectivity)(const mst_manifold *m);
    /* Random points number first … first+n−1 of the stream; uniform on compact manifolds, elsewhere the
     * fall-back: Exp at the default start of a standard normal tangent vector. */
    mst_status (*random_point)(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x);

    /* One chart, centred at c (n, D): u = 0 is the point c, and the metric there is the identity.
     * coords: u (n, d) of the points x. point: the reverse. metric: g (n, d, d). christoffel: (n, d, d, d),
     * entry (i, j, k) being Γ^i_jk. The five go together. Fall-back: normal coordinates, by `exp` and
     * `log`, with metric and Christoffel symbols by differences. */
    mst_status (*chart_coords)(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u);
    mst_status (*chart_point)(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x);
    mst_status (*chart_metric)(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *g);
    mst_status (*chart_christoffel)(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *gamma);
    /* |u| beyond which a walk should move to a chart centred at its point. */
    double (*chart_radius)(const mst_manifold *m);
    /* Drift b = −½ g^jk Γ^i_jk (n, d) and σ (n, d, d) with σ σᵀ = g⁻¹ of Brownian motion in the chart.
     * Fall-back: from the metric (Cholesky) and the Christoffel symbols. */
    mst_status (*chart_diffusion)(const mst_manifold *m, size_t n, const double *c, const double *u,
                                  double *b, double *sigma);

    /* Geodesic random walk in place: `steps` steps x ← Exp_x(√h (I − A + ½A²) E ξ), A = (h/12) Ric. The
     * factor is e^−A to second order (weak order 2), and unlike I − A it stays positive however coarse the
     * step. A path that leaves the domain has a row of NAN from then on, which is no failure. Fall-back: the
     * same from `from_frame`, `ricci` and `exp`. */
    mst_status (*walk)(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                       mst_noise noise);

    /* The derivative of (x, v) ↦ y = Exp_x(v) when x moves along dx, taking v along in parallel, and v
     * changes by dv: dy, tangent at y, is J(1) of the Jacobi field J along the geodesic with J(0) = dx and
     * J'(0) = dv. dx or dv may be null, which means zero. Fall-back: constant curvature κ (so the traits say)
     * and `transport` make J the transport of dx∥ + dv∥ + cos(√κ r) dx⊥ + sin(√κ r)/(√κ r) dv⊥, r = |v|;
     * elsewhere differences of `exp` (about 1e-9). Where geodesics are integrated, rows that come in runs of
     * equal x and v cost little more than one of each run. */
    mst_status (*exp_derivative)(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dy);
    /* Its adjoint: for w tangent at y the vectors dx and dv tangent at x with <w, dy> = <dx, dx'> + <dv, dv'>
     * for the dy of every (dx', dv'). dx or dv may be null: not wanted. Fall-back: from
     * `exp_derivative` along a frame. */
    mst_status (*exp_adjoint)(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *w, double *dx, double *dv);
    /* A cheap map with the value x and the derivative of Exp_x at v = 0: y = Exp_x(v + O(|v|²)), for all v on
     * the manifold. y may alias x or v. Fall-back: `exp`. */
    mst_status (*retract)(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y);
    /* A smooth potential f(·, y) of x that is ½r² + O(r³) where x is r away from y: f (n), v = −∇_x f (n, D),
     * which is Log_x(y) to first order, and laplacian (n), Δ_x f = −div v; each may be null. Smooth across
     * the cut locus too, and never without an answer. With a closed `log` and no cut locus it must be ½r²
     * itself. Fall-back, by what the traits say:
     * - angles: Σ far + far²/6 over the angles, far = 1 − cos(y − x): v is r + O(r⁵) long;
     * - unit rows: far + far²/6, far = 1 − <x, y>, again with |v| = r + O(r⁵);
     * - closed `log` and no cut locus: ½r², v = Log_x(y);
     * - rows that are coordinates (D = d): f = ½ g_y(x − y, x − y), v = g_x⁻¹ g_y (y − x);
     * - else the chord: v is the tangent part of y − x. If the metric is a multiple of that of R^D,
     *   f = ½|y − x|² in it; of other metrics f = ½|v|² at x, and then v = −∇f only to first order.
     * The Laplacian of the last two is −div v by differences. Rows that are neither points of R^D nor
     * coordinates of one chart must bring the slot. */
    mst_status (*toward)(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *f, double *v, double *laplacian);
    /* y seen from x, where the curvature is a constant κ: the distances r (n); rest (n), the injectivity
     * radius less r with all its digits, which r has not near the cut locus; and v (n, D), the tangent vector
     * at x toward y that is sin_κ r long, sin(√κ r)/√κ. On a closed curve of length L, κ stands for (2π/L)².
     * Fall-back: from `log`. */
    mst_status (*polar)(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, double *r, double *rest);

    /* Samples for training; the weights should be exact however coarse the steps. Fall-back: a geodesic walk
     * and a backward sweep, many times slower. */
    mst_status (*weighted_walk)(const mst_manifold *m, const mst_weighted_paths *paths);
    /* One step of Brownian motion of time h[i], of weak order two, as a smooth map of x for fixed normals xi
     * (n, d): y, and the tangent vector `arrived` at y, to which the step carries its increment c = √h E ξ
     * (parallel transport, to leading order). And the adjoint of its derivative A: for w tangent at y the
     * vector out = Aᵀw, tangent at x, with <out, u> = <w, A u> for all u. The two go together. With them
     * training simulates paths by such steps, which takes no Ricci tensor and no transport. A step that
     * leaves the domain has y = NAN. Fall-back: it makes geodesic walks. */
    mst_status (*step)(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       const double *h, double *y, double *arrived);
    mst_status (*step_adjoint)(const mst_manifold *m, size_t n, const double *x, const double *xi,
                               const double *h, const double *w, double *out);

    /* Free the data. Fall-back: the data are not owned. */
    void (*free_data)(void *data);

    /* A random walk of weak order two that rolls a frame along. With it training takes the weights of its
     * samples from noise and Ricci tensor in the frame, and transports nothing. Fall-back: `step`. */
    mst_status (*roll)(const mst_manifold *m, const mst_rolling_paths *paths);

    /* Remarks on a mean at x (D) with the time t, NAN for a Fréchet mean, which has none: up to `most` of
     * them, and how many there are. Fall-back: none. */
    size_t (*remarks)(const mst_manifold *m, const double *x, double t, size_t most,
                      mst_remark *out);

    /* Distances of all pairs of some points, where a point can do a part of the work once and alone:
     * `prepared_size`, the numbers S that it takes to keep it, or 0: none; `prepare`, these numbers (n,
     * S) of the points x (n, D); `dist_prepared`, the distances r (n) of one prepared point x (S) to n ≤ 64
     * prepared points y (n, S). They must be as good as those of `dist`, relative to the distance where
     * points are near each other, and a pair's bits must not depend on what stands beside it. The three go
     * together. Fall-back: `dist` with the first point repeated. */
    size_t (*prepared_size)(const mst_manifold *m);
    mst_status (*prepare)(const mst_manifold *m, size_t n, const double *x, double *prepared);
    mst_status (*dist_prepared)(const mst_manifold *m, size_t n, const double *x, const double *y,
                                double *r);

    /* v ≈ Log_x(y) where the logarithm is a search: smooth in both points, in microseconds, and NAN where it
     * fails. What networks stand on. Fall-back: `toward`. */
    mst_status (*near_log)(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *v);
} mst_manifold_ops;

/* ---- Life cycle. Constructors give a whole object or nothing: MST_ARGUMENT for a dimension out of range
 * (the detail says the range), MST_MEMORY. mst_manifold_free accepts null. ---- */
MST_API MST_MUST_USE mst_status mst_euclidean_new(mst_manifold **out, size_t n);
MST_API MST_MUST_USE mst_status mst_circle_new(mst_manifold **out);
MST_API MST_MUST_USE mst_status mst_torus_new(mst_manifold **out, size_t m);
MST_API MST_MUST_USE mst_status mst_sphere_new(mst_manifold **out, size_t m);
MST_API MST_MUST_USE mst_status mst_hyperbolic_new(mst_manifold **out, size_t m);
/* Symmetric positive definite n×n matrices, affine-invariant metric tr(P⁻¹A P⁻¹B), or log-Euclidean. */
MST_API MST_MUST_USE mst_status mst_spd_new(mst_manifold **out, size_t n);
MST_API MST_MUST_USE mst_status mst_spd_log_euclidean_new(mst_manifold **out, size_t n);
/* The same matrices P = L Lᵀ with the log-Cholesky metric: L below its diagonal and the logarithms of the
 * diagonal are flat coordinates. It depends on the order of the variables and on their units. */
MST_API MST_MUST_USE mst_status mst_spd_log_cholesky_new(mst_manifold **out, size_t n);
/* The same matrices as a part of the symmetric ones, with their flat metric tr(AB): not complete. Exp is
 * MST_DOMAIN where x + v is not positive definite, and Brownian motion ends there. The heat
 * kernel is that of all symmetric matrices, right as long as singular ones are out of reach. */
MST_API MST_MUST_USE mst_status mst_spd_frobenius_new(mst_manifold **out, size_t n);
/* The same matrices with the metric of Bures and Wasserstein, ⟨u, v⟩_P = ½ tr(L v) with L P + P L = u: the
 * distance d² = tr P + tr Q − 2 tr (P^½ Q P^½)^½ of centred normal laws. Not complete: Exp is MST_DOMAIN
 * where I + L is not positive definite, and Brownian motion ends at the singular matrices, √λ away from a
 * matrix with the least eigenvalue λ. Geodesics between two points are unique. */
MST_API MST_MUST_USE mst_status mst_spd_bures_new(mst_manifold **out, size_t n);
/* Symmetric n×n matrices with the Frobenius metric. */
MST_API MST_MUST_USE mst_status mst_sym_new(mst_manifold **out, size_t n);
/* Rotations of R³; the distance is the rotation angle. */
MST_API MST_MUST_USE mst_status mst_so3_new(mst_manifold **out);
/* Kendall's space of the shapes of landmarks in R^dim, dim 2 or 3, more landmarks than that: configurations
 * modulo translations, rotations and scale; reflections count. Size-and-shape: the same with their sizes.
 * Rows hold x1, y1, x2, …, centred, of norm 1 (not size-and-shape) and in the orientation that
 * mst_manifold_project gives; that takes any configuration, but in space none whose landmarks lie on a line.
 * Functions that take points take them in any orientation: a tangent vector at x is in that of x, and points
 * that come out are in that of `project`. */
MST_API MST_MUST_USE mst_status mst_kendall_new(mst_manifold **out, size_t landmarks, size_t dim);
MST_API MST_MUST_USE mst_status mst_size_and_shape_new(mst_manifold **out, size_t landmarks,
                                                       size_t dim);
/* Landmark manifolds of large deformations: `count` points of R^space, space 2 or 3, with the cometric
 * K ⊗ I, K_ab = alpha·k(|q_a − q_b|/sigma) + nugget·δ_ab. Without a nugget points may not coincide. The
 * kernels are exp(−r²/2), those of Matérn with √3 r and √5 r, and exp(−r). */
typedef enum mst_landmark_kernel {
    MST_LANDMARKS_GAUSS,
    MST_LANDMARKS_MATERN32,
    MST_LANDMARKS_MATERN52,
    MST_LANDMARKS_LAPLACE,
} mst_landmark_kernel;
MST_API MST_MUST_USE mst_status mst_landmarks_new(mst_manifold **out, size_t count, size_t space,
                                                  double sigma, double alpha, double nugget,
                                                  mst_landmark_kernel kernel);
/* Takes ownership of the `count` factors, also when it fails. Factors that are products are dissolved into
 * theirs: the rows are the same, and product(a,product(b,c)) is product(a,b,c). A product
 * of one factor is that factor. */
MST_API MST_MUST_USE mst_status mst_product_new(mst_manifold **out, size_t count,
                                                mst_manifold **factors);
/* A manifold of your own. The table is copied; `data` goes to free_data, also on failure. */
MST_API MST_MUST_USE mst_status mst_manifold_new(mst_manifold **out, const mst_manifold_ops *ops,
                                                 const char *spec, size_t dim, size_t ambient,
                                                 void *data);
/* From a spec such as "sphere:2", "spd:3?metric=log-euclidean", "product(sphere:2,euclidean:1)": a name,
 * behind a colon one number or several ("4x2"), behind a question mark options ("sigma=0.5&alpha=1"). Instead
 * of a name the path of a file may stand, whose ending says what it is; a path with blanks or one of ? , ( )
 * stands between quotation marks. Blanks are allowed between the parts, and the spec of
 * the manifold has none. */
MST_API MST_MUST_USE mst_status mst_manifold_parse(mst_manifold **out, const char *spec);
MST_API void mst_manifold_free(mst_manifold *m);

/* ---- What it is ---- */
MST_API size_t mst_manifold_dim(const mst_manifold *m);
MST_API size_t mst_manifold_ambient(const mst_manifold *m);
MST_API const char *mst_manifold_spec(const mst_manifold *m); /* canonical, parses back */
MST_API const mst_manifold_ops *mst_manifold_table(const mst_manifold *m);
MST_API void *mst_manifold_data(const mst_manifold *m);
/* Of a product: what its factors have in common. Belongs to the manifold. */
MST_API const mst_manifold_traits *mst_manifold_traits_of(const mst_manifold *m);
/* Is it known to be flat? Then Exp_x(√t ξ) is Brownian motion at time t exactly. */
MST_API bool mst_manifold_is_flat(const mst_manifold *m);
MST_API double mst_manifold_injectivity(const mst_manifold *m);
/* The factors of a product, none of which is one; any other manifold is its own single factor. Borrowed. */
MST_API size_t mst_manifold_factor_count(const mst_manifold *m);
MST_API const mst_manifold *mst_manifold_factor(const mst_manifold *m, size_t i);
/* The text of the formula file that it was made of, or null: it was made of none. Belongs to the manifold. */
MST_API const char *mst_manifold_formula(const mst_manifold *m);
/* Are the two one manifold, however often it was made? Manifolds from formulas are compared by what these
 * say, not by the paths of their files: formulas with the parameters put in, domain,
 * periods, start and answers; learned ones by what their files hold. */
MST_API bool mst_manifold_is_same(const mst_manifold *a, const mst_manifold *b);

/* The families that mst_manifold_parse knows, for help texts: *out is the list, the result its length. */
typedef struct mst_manifold_family {
    const char *spec;    /* "sphere:m" */
    const char *example; /* "sphere:2", parses */
    const char *what;    /* one phrase */
    const char *row;     /* what a row of a data file holds */
} mst_manifold_family;
MST_API size_t mst_manifold_families(const mst_manifold_family **out);
/* The one that a manifold is of, or null: its spec is not of the list. */
MST_API const mst_manifold_family *mst_manifold_family_of(const mst_manifold *m);

/* ---- Operations, with the fall-backs applied. Arguments as in the table above; `row`
 * and `flag` may be null. ---- */
MST_API void mst_manifold_start(const mst_manifold *m, double *x);
MST_API MST_MUST_USE mst_status mst_manifold_validate(const mst_manifold *m, size_t n,
                                                      const double *x, size_t *row);
MST_API MST_MUST_USE mst_status mst_manifold_project(const mst_manifold *m, size_t n,
                                                     const double *x, double *y);
MST_API MST_MUST_USE mst_status mst_manifold_tangent(const mst_manifold *m, size_t n,
                                                     const double *x, const double *w, double *v);
MST_API MST_MUST_USE mst_status mst_manifold_inner(const mst_manifold *m, size_t n, const double *x,
                                                   const double *u, const double *v, double *out);
/* Riemannian norms, out (n). */
MST_API MST_MUST_USE mst_status mst_manifold_norm(const mst_manifold *m, size_t n, const double *x,
                                                  const double *v, double *out);
MST_API MST_MUST_USE mst_status mst_manifold_from_frame(const mst_manifold *m, size_t n,
                                                        const double *x, const double *c,
                                                        double *v);
MST_API MST_MUST_USE mst_status mst_manifold_to_frame(const mst_manifold *m, size_t n,
                                                      const double *x, const double *v, double *c);
/* The frame itself, e (n, d, D): row k of a point is its k-th orthonormal tangent vector. */
MST_API MST_MUST_USE mst_status mst_manifold_frame(const mst_manifold *m, size_t n, const double *x,
                                                   double *e);
MST_API MST_MUST_USE mst_status mst_manifold_exp(const mst_manifold *m, size_t n, const double *x,
                                                 const double *v, double *y);
MST_API MST_MUST_USE mst_status mst_manifold_log(const mst_manifold *m, size_t n, const double *x,
                                                 const double *y, double *v, unsigned char *flag);
MST_API MST_MUST_USE mst_status mst_manifold_dist(const mst_manifold *m, size_t n, const double *x,
                                                  const double *y, double *r);
/* MST_UNABLE where the curvature is not known to be constant. */
MST_API MST_MUST_USE mst_status mst_manifold_polar(const mst_manifold *m, size_t n, const double *x,
                                                   const double *y, double *v, double *r,
                                                   double *rest);
MST_API MST_MUST_USE mst_status mst_manifold_transport(const mst_manifold *m, size_t n,
                                                       const double *x, const double *v,
                                                       const double *u, double *out);
MST_API MST_MUST_USE mst_status mst_manifold_exp_derivative(const mst_manifold *m, size_t n,
                                                            const double *x, const double *v,
                                                            const double *dx, const double *dv,
                                                            double *dy);
MST_API MST_MUST_USE mst_status mst_manifold_exp_adjoint(const mst_manifold *m, size_t n,
                                                         const double *x, const double *v,
                                                         const double *w, double *dx, double *dv);
MST_API MST_MUST_USE mst_status mst_manifold_retract(const mst_manifold *m, size_t n,
                                                     const double *x, const double *v, double *y);
MST_API MST_MUST_USE mst_status mst_manifold_toward(const mst_manifold *m, size_t n,
                                                    const double *x, const double *y, double *f,
                                                    double *v, double *laplacian);
MST_API MST_MUST_USE mst_status mst_manifold_ricci(const mst_manifold *m, size_t n, const double *x,
                                                   const double *v, double *out);
MST_API MST_MUST_USE mst_status mst_manifold_random_point(const mst_manifold *m, mst_random r,
                                                          uint64_t first, size_t n, double *x);
MST_API MST_MUST_USE mst_status mst_manifold_chart_coords(const mst_manifold *m, size_t n,
                                                          const double *c, const double *x,
                                                          double *u);
MST_API MST_MUST_USE mst_status mst_manifold_chart_point(const mst_manifold *m, size_t n,
                                                         const double *c, const double *u,
                                                         double *x);
MST_API MST_MUST_USE mst_status mst_manifold_chart_metric(const mst_manifold *m, size_t n,
                                                          const double *c, const double *u,
                                                          double *g);
MST_API MST_MUST_USE mst_status mst_manifold_chart_christoffel(const mst_manifold *m, size_t n,
                                                               const double *c, const double *u,
                                                               double *gamma);
/* Of products, those of the factors. */
MST_API size_t mst_manifold_remarks(const mst_manifold *m, const double *x, double t, size_t most,
                                    mst_remark *out);
MST_API double mst_manifold_chart_radius(const mst_manifold *m);
MST_API MST_MUST_USE mst_status mst_manifold_chart_diffusion(const mst_manifold *m, size_t n,
                                                             const double *c, const double *u,
                                                             double *b, double *sigma);
MST_API MST_MUST_USE mst_status mst_manifold_walk(const mst_manifold *m, size_t n, double *x,
                                                  double h, size_t steps, mst_noise noise);

#ifdef __cplusplus
}
#endif
#endif
