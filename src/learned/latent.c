/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Latent points of data that come without. */
#include "base/linalg.h"
#include "learned/gp.h"

#include <math.h>
#include <string.h>

static mst_status check(size_t n, size_t D, const double *data, size_t d)
{
    if (d < 1 || d > D || d >= n)
        return mst_fail(MST_ARGUMENT, "%zu latent coordinates of %zu rows of %zu numbers", d, n, D);
    if (n > GP_MOST_POINTS)
        return mst_fail(MST_ARGUMENT, "%zu rows; at most %d can be learned from", n,
                        GP_MOST_POINTS);
    for (size_t i = 0; i < n; i++)
        if (!mst_all_finite(D, data + i * D))
            return mst_fail(MST_DOMAIN, "row %zu of the data has numbers that are not finite",
                            i + 1);
    return gp_refuse_constant(n, D, data);
}

/* Eigenvalues, ascending, and eigenvectors by rows, in place. */
static mst_status decompose(size_t n, double *matrix, double *values)
{
    mst_dense dense;
    mst_status status = mst_dense_new(&dense, n);
    if (status == MST_OK)
        status = mst_dense_eigen(&dense, matrix, values, matrix);
    mst_dense_release(&dense);
    return status;
}

/* The sign of an eigenvector is made the same everywhere: its largest number is positive. */
static double sign_of(size_t n, const double *v)
{
    size_t largest = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(v[i]) > fabs(v[largest]) * (1 + 1e-9))
            largest = i;
    return v[largest] < 0 ? -1 : 1;
}

/* Products of the centred rows, (n, n), from their distances: <a, b> = ½(|a|² + |b|² − |a − b|²). */
static void centre_twice(size_t n, double *square)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            all += square[i * n + j] / (double)(n * n);
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < n; j++)
            row += square[i * n + j] / (double)n;
        for (size_t j = 0; j < n; j++)
            square[i * n + j] -= 2 * row - all;
    }
    for (size_t i = 0; i < n; i++) /* half of each entry and of its mirror image */
        for (size_t j = 0; j <= i; j++) {
            double sum = square[i * n + j] + square[j * n + i];
            square[i * n + j] = square[j * n + i] = -0.25 * sum;
        }
}

mst_status mst_latent_pca(size_t n, size_t D, const double *data, size_t d, double *latent)
{
    double *gram, *values;
    MST_TRY(check(n, D, data, d));
    MST_TRY(mst_allocate(&gram, n * n + n));
    values = gram + n * n;
    gp_distances(n, D, data, gram);
    centre_twice(n, gram);
    mst_status status = decompose(n, gram, values);
    if (status == MST_OK && !(values[n - d] > 1e-12 * values[n - 1]))
        status = mst_fail(MST_DOMAIN,
                          "the data span fewer than %zu dimensions; take a smaller `dim`", d);
    for (size_t k = 0; status == MST_OK && k < d; k++) {
        const double *vector = gram + (n - 1 - k) * n;
        double scale = sign_of(n, vector) * sqrt(values[n - 1 - k] / values[n - 1] * (double)n);
        for (size_t i = 0; i < n; i++)
            latent[i * d + k] = scale * vector[i];
    }
    mst_release(gram);
    return status;
}

/* ---- Laplacian eigenmaps ---- */

/* Weights 1 between points of which one is among the nearest of the other. */
static void link_nearest(size_t n, size_t neighbours, const double *square, double *weight,
                         double *room)
{
    memset(weight, 0, n * n * sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        memcpy(room, square + i * n, n * sizeof *room);
        room[i] = INFINITY;
        for (size_t q = 0; q < neighbours; q++) {
            size_t least = 0;
            for (size_t j = 1; j < n; j++)
                if (room[j] < room[least])
                    least = j;
            room[least] = INFINITY;
            weight[i * n + least] = weight[least * n + i] = 1;
        }
    }
}

static size_t count_pieces(size_t n, const double *weight, size_t *list, unsigned char *seen)
{
    size_t pieces = 0;
    memset(seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        if (seen[i])
            continue;
        size_t count = 1;
        list[0] = i;
        seen[i] = 1;
        pieces++;
        while (count > 0) {
            size_t at = list[--count];
            for (size_t j = 0; j < n; j++)
                if (!seen[j] && weight[at * n + j] > 0) {
                    seen[j] = 1;
                    list[count++] = j;
                }
        }
    }
    return pieces;
}

/* D^(−½) W D^(−½), whose largest eigenvectors are the smallest of the normalised Laplacian. */
static void normalise(size_t n, double *weight, double *degree)
{
    for (size_t i = 0; i < n; i++) {
        degree[i] = 0;
        for (size_t j = 0; j < n; j++)
            degree[i] += weight[i * n + j];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            weight[i * n + j] /= sqrt(degree[i] * degree[j]);
}

static mst_status map_graph(size_t n, size_t d, double *weight, double *values, double *degree,
                            double *latent)
{
    normalise(n, weight, degree);
    MST_TRY(decompose(n, weight, values));
    for (size_t k = 0; k < d; k++) {
        double *vector = weight + (n - 2 - k) * n, size = 0;
        for (size_t i = 0; i < n; i++) {
            vector[i] /= sqrt(degree[i]);
            size += vector[i] * vector[i] / (double)n;
        }
        double scale = sign_of(n, vector) / sqrt(size);
        for (size_t i = 0; i < n; i++)
            latent[i * d + k] = scale * vector[i];
    }
    return MST_OK;
}

mst_status mst_latent_laplacian(size_t n, size_t D, const double *data, size_t neighbours, size_t d,
                                double *latent)
{
    double *square = NULL;
    size_t *list = NULL;
    unsigned char *seen = NULL;
    MST_TRY(check(n, D, data, d));
    if (neighbours < 1 || neighbours >= n || d + 1 >= n)
        return mst_fail(MST_ARGUMENT, "%zu `neighbours` of each of %zu rows; take fewer",
                        neighbours, n);
    mst_status status = mst_allocate(&square, 2 * n * n + 2 * n);
    if (status == MST_OK)
        status = mst_allocate(&list, n);
    if (status == MST_OK)
        status = mst_allocate(&seen, n);
    if (status == MST_OK) {
        double *weight = square + n * n, *values = weight + n * n, *degree = values + n;
        gp_distances(n, D, data, square);
        link_nearest(n, neighbours, square, weight, values);
        size_t pieces = count_pieces(n, weight, list, seen);
        status = pieces == 1 ? map_graph(n, d, weight, values, degree, latent)
                             : mst_fail(MST_DOMAIN,
                                        "the graph of the %zu nearest rows falls into %zu pieces; "
                                        "take more `neighbours`",
                                        neighbours, pieces);
    }
    mst_release(square);
    mst_release(list);
    mst_release(seen);
    return status;
}
