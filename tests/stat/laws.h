/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows Exp_c(v) whose v have a law of known shape in the frame at c. */
#ifndef TEST_STAT_LAWS_H
#define TEST_STAT_LAWS_H

#include "stat/samples.h"

#include <manistat/random.h>

typedef enum law_shape {
    LAW_NORMAL,
    LAW_T5,       /* Student's t with 5 degrees of freedom, the same in all directions */
    LAW_LONG,     /* normal, the first direction `ratio` times as wide as the others */
    LAW_T3,       /* the same with 3 */
    LAW_SKEW,     /* exponential in each direction, about its mean */
    LAW_OUTLIERS, /* normal, 5 % of the rows five times as wide */
} law_shape;

typedef struct row_law {
    law_shape shape;
    double scale; /* standard deviation of v in a direction, the mean over all of them */
    double ratio;
} row_law;

/* Row number i of a stream, v (d). */
static inline void draw_tangent(const row_law *law, mst_random random, size_t i, size_t d,
                                double *v)
{
    double z[8], u, factor = law->scale, wide = 1;
    ck_assert_uint_le(d + 5, 14);
    mst_random_normals(random, 16 * i, d, v);
    random.stream ^= UINT64_C(1) << 60;
    mst_random_normals(random, 8 * i, 5, z);
    random.stream ^= UINT64_C(1) << 61;
    mst_random_uniforms(random, i, 1, &u);
    if (law->shape == LAW_T5) /* variance 5/3 */
        factor *= sqrt(3 / (z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[3] * z[3] + z[4] * z[4]));
    if (law->shape == LAW_T3) /* variance 3 */
        factor /= sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    if (law->shape == LAW_SKEW)
        for (size_t a = 0; a < d; a++)
            v[a] = -log(erfc(-v[a] / M_SQRT2) / 2) - 1;
    if (law->shape == LAW_OUTLIERS)
        factor *= (u < 0.05 ? 5 : 1) / sqrt(1 + 0.05 * 24);
    if (law->shape == LAW_LONG) {
        wide = law->ratio;
        factor /= sqrt((wide * wide + (double)d - 1) / (double)d);
    }
    for (size_t a = 0; a < d; a++)
        v[a] *= factor * (a == 0 ? wide : 1);
}

/* n rows (n, D) about the point `centre`. */
static inline void law_rows(const space *s, const row_law *law, const double *centre, size_t n,
                            mst_random random, double *out)
{
    double *c = doubles(s->d + s->D), *v = c + s->d;
    for (size_t i = 0; i < n; i++) {
        draw_tangent(law, random, i, s->d, c);
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, centre, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, centre, v, out + i * s->D));
    }
    free(c);
}

#endif
