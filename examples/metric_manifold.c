/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold from its metric: the catenoid
 *
 *     (cosh s cos φ, cosh s sin φ, s),   ds² = cosh²s (ds² + dφ²),
 *
 * unrolled to its universal cover, rows (s, φ). All that is written down is the Lagrangian L = ½ cosh²s |v|²,
 * its derivatives and their directional derivatives; geodesics, logarithms, curvature and Brownian motion
 * follow. The program checks them: the first integral of Clairaut, Log after Exp, the curvature −1/cosh⁴s,
 * and E of a harmonic function. */
#include <manistat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    x[0] = x[1] = 0;
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i += 2) {
        double c = cosh(x[i]), s = sinh(x[i]), square = v[i] * v[i] + v[i + 1] * v[i + 1];
        l[i / 2] = 0.5 * c * c * square;
        l_x[i] = c * s * square;
        l_x[i + 1] = 0;
        l_v[i] = c * c * v[i];
        l_v[i + 1] = c * c * v[i + 1];
    }
    return MST_OK;
}

/* The derivatives of l_x and l_v above when (x, v) moves along (dx, dv). */
static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i += 2) {
        double c = cosh(x[i]), s = sinh(x[i]), square = v[i] * v[i] + v[i + 1] * v[i + 1];
        double mixed = v[i] * dv[i] + v[i + 1] * dv[i + 1];
        dl_x[i] = (c * c + s * s) * square * dx[i] + 2 * c * s * mixed;
        dl_x[i + 1] = 0;
        for (size_t k = i; k < i + 2; k++)
            dl_v[k] = c * c * dv[k] + 2 * c * s * v[k] * dx[i];
    }
    return MST_OK;
}

/* The cover is simply connected, complete, and nowhere positively curved: one geodesic
 * between any two points. */
static void traits(const mst_manifold *m, mst_manifold_traits *t)
{
    (void)m;
    t->compact = t->flat = MST_NO;
    t->hadamard = MST_YES;
    t->curvature_above = 0;
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return INFINITY;
}

static const mst_metric_ops catenoid = {
    .size = sizeof(mst_metric_ops),
    .name = "catenoid",
    .start = start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .traits = traits,
    .injectivity = injectivity,
};

static void check(mst_status status)
{
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", mst_status_sentence(status), mst_error_detail());
        exit(1);
    }
}

int main(void)
{
    mst_manifold *m;
    check(mst_metric_new(&m, &catenoid, "catenoid", 2, NULL));

    /* Along a geodesic cosh²s φ' is constant. */
    const double x[2] = {-1, 0}, v[2] = {0.8, 1.1};
    double y[2], end[2], log[2], ricci[2];
    check(mst_manifold_exp(m, 1, x, v, y));
    check(mst_manifold_transport(m, 1, x, v, v, end));
    double before = pow(cosh(x[0]), 2) * v[1], after = pow(cosh(y[0]), 2) * end[1];
    check(mst_manifold_log(m, 1, x, y, log, NULL));
    double gap = hypot(log[0] - v[0], log[1] - v[1]);
    printf("Exp leads to (%.6f, %.6f); Clairaut's integral changes by %.1e, Log is off by %.1e\n",
           y[0], y[1], fabs(after - before), gap);

    check(mst_manifold_ricci(m, 1, y, end, ricci));
    double curvature = ricci[0] / end[0], exact = -pow(cosh(y[0]), -4);
    printf("Gauss curvature there: %.12f, exactly %.12f\n", curvature, exact);

    /* The chart is conformal, so e^−s cos φ is harmonic: its mean along Brownian motion stays what it was. */
    enum { PATHS = 4000 };
    static double paths[PATHS][2];
    for (int i = 0; i < PATHS; i++)
        paths[i][0] = 0.3, paths[i][1] = 0.5;
    mst_brownian_options options = mst_brownian_options_default();
    options.steps = 10;
    check(mst_brownian_endpoints(m, PATHS, paths[0], 0.3, &options, paths[0]));
    double mean = 0, square = 0, expected = exp(-0.3) * cos(0.5);
    for (int i = 0; i < PATHS; i++) {
        double value = exp(-paths[i][0]) * cos(paths[i][1]);
        mean += value / PATHS;
        square += value * value / PATHS;
    }
    double error = sqrt((square - mean * mean) / PATHS);
    printf("Mean of a harmonic function along Brownian motion: %.4f ± %.4f, exactly %.4f\n", mean,
           error, expected);

    mst_manifold_free(m);
    /* Five standard errors: one false alarm in two million seeds, and the seed is fixed. */
    return fabs(after - before) < 1e-11 && gap < 1e-9 && fabs(curvature - exact) < 1e-11 &&
                   fabs(mean - expected) < 5 * error
               ? 0
               : 1;
}
