/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion on the sphere S², against its exact law.
 *
 * The motion has generator ½Δ. The Legendre polynomial P_l of z = <x, start> is an eigenfunction of Δ with
 * eigenvalue −l(l+1), so that E P_l(z) = exp(−l(l+1) t/2): at time t the density of the end point is
 *
 *     p_t(start, x) = Σ_l (2l+1)/(4π) exp(−l(l+1) t/2) P_l(z),
 *
 * and in particular E z = exp(−t). The program draws the simulated and the exact density on a globe, compares
 * them in ten zones of equal area, and fails if they disagree. */

#include <manistat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    POINTS = 100000,
    ZONES = 10,
    ROWS = 19, /* of a globe; terminal cells are twice as high as wide */
    COLUMNS = 2 * ROWS,
    DEGREE = 24 /* exp(−l(l+1) t/2) < 1e-16 beyond it for t ≥ 0.13 */
};

static const double pi = 3.14159265358979323846;
static const double end_time = 0.5;

/* P_0(z) … P_n(z). */
static void legendre(double z, int n, double *p)
{
    p[0] = 1;
    p[1] = z;
    for (int l = 1; l < n; l++)
        p[l + 1] = ((2 * l + 1) * z * p[l] - l * p[l - 1]) / (l + 1);
}

static double density(double z)
{
    double p[DEGREE + 1], sum = 0;
    legendre(z, DEGREE, p);
    for (int l = DEGREE; l >= 0; l--)
        sum += (2 * l + 1) * exp(-l * (l + 1) * end_time / 2) * p[l];
    return sum / (4 * pi);
}

/* The probability of <x, start> ≤ z, from ∫P_l = (P_{l+1} − P_{l−1})/(2l+1). */
static double probability_below(double z)
{
    double p[DEGREE + 2], sum = 0;
    legendre(z, DEGREE + 1, p);
    for (int l = DEGREE; l >= 1; l--)
        sum += exp(-l * (l + 1) * end_time / 2) * (p[l + 1] - p[l - 1]);
    return (1 + z + sum) / 2;
}

/* ---- The globe, drawn orthographically as seen from 40° north; y points to the right ---- */

static const double view[3] = {0.76604444311897804, 0, 0.64278760968653933};
static const double up[3] = {-0.64278760968653933, 0, 0.76604444311897804};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A visible point at height h above the plane of the picture counts with weight h: a cell then collects the
 * integral of the density over its area in the picture, whatever the slope of the sphere there. */
static void simulated_globe(const double *x, double globe[ROWS][COLUMNS])
{
    for (size_t i = 0; i < POINTS; i++, x += 3) {
        double height = dot(x, view);
        int row = (int)((1 - dot(x, up)) / 2 * ROWS), column = (int)((1 + x[1]) / 2 * COLUMNS);
        if (height > 0 && row >= 0 && row < ROWS && column >= 0 && column < COLUMNS)
            globe[row][column] += height / POINTS;
    }
}

/* The exact integral of the density over the part of a cell that lies on the globe, and the area of that
 * part, by the midpoint rule. */
static double exact_cell(int row, int column, double *area)
{
    enum { FINE = 6 };
    const double piece = 4.0 / (ROWS * COLUMNS * FINE * FINE);
    double sum = 0;
    *area = 0;
    for (int i = 0; i < FINE; i++)
        for (int j = 0; j < FINE; j++) {
            double v = 1 - 2 * (row + (i + 0.5) / FINE) / ROWS;
            double h = 2 * (column + (j + 0.5) / FINE) / COLUMNS - 1;
            double height2 = 1 - h * h - v * v;
            if (height2 <= 0)
                continue;
            *area += piece;
            sum += piece * density(sqrt(height2) * view[2] + v * up[2]);
        }
    return sum;
}

static void print_cell(double value)
{
    static const char ramp[] = ".:-=+*o#%@";
    int last = (int)sizeof ramp - 2, level = (int)(value / density(1) * (last + 1));
    putchar(ramp[level > last ? last : level]);
}

static void print_globes(double globe[ROWS][COLUMNS])
{
    printf("  %-*s   %s\n\n", COLUMNS, "simulated density", "exact density");
    for (int row = 0; row < ROWS; row++) {
        printf("  ");
        for (int k = 0; k < 2 * COLUMNS; k++) {
            double area, exact = exact_cell(row, k % COLUMNS, &area);
            if (k == COLUMNS)
                printf("   ");
            if (area == 0)
                putchar(' ');
            else
                print_cell((k < COLUMNS ? globe[row][k] : exact) / area);
        }
        putchar('\n');
    }
}

/* ---- Comparison ---- */

/* Prints the share of the end points in zones of equal area and returns Pearson's χ². */
static double compare_zones(const double *x)
{
    size_t count[ZONES] = {0};
    for (size_t i = 0; i < POINTS; i++) {
        int zone = (int)((1 - x[3 * i + 2]) / 2 * ZONES);
        count[zone < 0 ? 0 : zone >= ZONES ? ZONES - 1 : zone]++;
    }
    double chi2 = 0;
    printf("\n  <x, start>      simulated   exact\n");
    for (int zone = 0; zone < ZONES; zone++) {
        double above = 1 - 2.0 * zone / ZONES, below = 1 - 2.0 * (zone + 1) / ZONES;
        double share = probability_below(above) - probability_below(below);
        double expected = POINTS * share, difference = (double)count[zone] - expected;
        chi2 += difference * difference / expected;
        printf("  %4.1f to %4.1f      %6.2f %%   %5.2f %%  ", below, above,
               100.0 * (double)count[zone] / POINTS, 100 * share);
        for (int bar = (int)(100 * share + 0.5); bar > 0; bar--)
            putchar('=');
        putchar('\n');
    }
    return chi2;
}

/* The distance of the mean of <x, start> from exp(−t) in standard errors; the variance is exact too. */
static double compare_mean(const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < POINTS; i++)
        sum += x[3 * i + 2];
    double mean = sum / POINTS, exact = exp(-end_time);
    double error = sqrt(((1 + 2 * exp(-3 * end_time)) / 3 - exact * exact) / POINTS);
    printf("\n  mean of <x, start>: %.5f +- %.5f, exactly exp(-%g) = %.5f\n", mean, error, end_time,
           exact);
    return fabs(mean - exact) / error;
}

int main(void)
{
    int result = EXIT_FAILURE;
    mst_manifold *sphere = NULL;
    double *start = malloc(3 * POINTS * sizeof *start), *end = malloc(3 * POINTS * sizeof *end);
    if (start == NULL || end == NULL || mst_sphere_new(&sphere, 2) != MST_OK)
        goto done;
    for (size_t i = 0; i < POINTS; i++)
        mst_manifold_start(sphere, start + 3 * i); /* the north pole */

    mst_brownian_options options = mst_brownian_options_default();
    if (mst_brownian_endpoints(sphere, POINTS, start, end_time, &options, end) != MST_OK) {
        fprintf(stderr, "brownian_sphere: %s\n", mst_error_detail());
        goto done;
    }

    printf("%d paths from the north pole, where they are at time %g:\n\n", POINTS, end_time);
    static double globe[ROWS][COLUMNS];
    simulated_globe(end, globe);
    print_globes(globe);
    double chi2 = compare_zones(end), off = compare_mean(end);
    printf("  chi-squared of the zones: %.1f, expected about %d\n", chi2, ZONES - 1);

    /* Right code fails either test with a probability below 1e-6. */
    if (chi2 < 44.9 && off < 4.9)
        result = EXIT_SUCCESS;
    else
        fprintf(stderr, "brownian_sphere: simulation and exact law disagree\n");
done:
    mst_manifold_free(sphere);
    free(end);
    free(start);
    return result;
}
