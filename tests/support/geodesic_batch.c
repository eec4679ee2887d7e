/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/geodesic_batch.h"

#include <stdlib.h>
#include <string.h>

mst_geodesic_output output_of(batch *b)
{
    return (mst_geodesic_output){.length = b->length,
                                 .error = b->error,
                                 .log_x = b->log_x,
                                 .log_y = b->log_y,
                                 .status = b->status,
                                 .starts = b->starts,
                                 .agreed = b->agreed,
                                 .tie = b->tie,
                                 .conjugate = b->conjugate};
}

void solve(batch *b, int starts, double log_tolerance)
{
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output out = output_of(b);
    options.starts = starts;
    options.log_tolerance = log_tolerance;
    options.threads = 1;
    ASSERT_OK(mst_geodesic_solve(b->m, b->n, b->x, b->y, &options, &out));
}

bool is_answer(mst_geodesic_status status)
{
    return status <= MST_GEODESIC_LOCAL;
}

/* ---- Pairs ---- */

void draw_unit(dice *d, double *a)
{
    for (size_t k = 0; k < 3; k++)
        a[k] = dice_normal(d);
    double length = euclidean_norm(3, a);
    for (size_t k = 0; k < 3; k++)
        a[k] /= length;
}

static double arc(const double *a, const double *b)
{
    double cross[3];
    for (size_t k = 0; k < 3; k++)
        cross[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    return atan2(euclidean_norm(3, cross), dot(3, a, b));
}

void draw_sphere(batch *b, bool chart, double apart)
{
    b->n = PAIRS;
    b->die.state = 5 + b->seed;
    for (size_t i = 0; i < b->n; i++) {
        double p[3], q[3];
        draw_unit(&b->die, p);
        draw_unit(&b->die, q);
        if (apart > 0) {
            double along = dot(3, p, q), across = sqrt(1 - along * along);
            for (size_t k = 0; k < 3; k++)
                q[k] = cos(apart) * p[k] + sin(apart) * (q[k] - along * p[k]) / across;
        }
        b->truth[i] = arc(p, q);
        if (chart) {
            stereographic_from_sphere(2, p, b->x + 2 * i);
            stereographic_from_sphere(2, q, b->y + 2 * i);
        } else {
            memcpy(b->x + 3 * i, p, sizeof p);
            memcpy(b->y + 3 * i, q, sizeof q);
        }
    }
}

void draw_half_plane(batch *b, double spread)
{
    b->n = PAIRS;
    b->die.state = 6 + b->seed;
    for (size_t i = 0; i < b->n; i++) {
        double *x = b->x + 2 * i, *y = b->y + 2 * i;
        for (size_t k = 0; k < 2; k++) {
            x[k] = k == 0 ? dice_normal(&b->die) : exp(spread * dice_normal(&b->die));
            y[k] = k == 0 ? dice_normal(&b->die) : exp(spread * dice_normal(&b->die));
        }
        double square = pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2);
        b->truth[i] = 2 * asinh(sqrt(square / (4 * x[1] * y[1])));
    }
}

batch *batch_open(void)
{
    batch *b = calloc(1, sizeof *b);
    ck_assert_ptr_nonnull(b);
    return b;
}

void batch_close(batch *b)
{
    mst_manifold_free(b->m);
    free(b);
}

const double ones[3] = {1, 1, 1};
