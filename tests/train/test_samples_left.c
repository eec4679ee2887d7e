/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples of paths that leave the domain are left out and counted. In the flat disc a path and its samples
 * are those of the plane with the same noise, as long as it stays inside. */
#include "manifold/formula_metric.h"
#include "support/manifolds.h"
#include "train/samples.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, SLOTS = 3, ROWS = N * SLOTS };

typedef struct drawn {
    double x[ROWS * 3], y[ROWS * 3], t[ROWS], target[ROWS * 3];
    uint64_t left;
} drawn;

static void draw(const char *text, sample_kind kind, drawn *out)
{
    mst_manifold *m;
    sample_plan *plan;
    ASSERT_OK(mst_formula_manifold_new(&m, "test", "test", text, strlen(text), 0, NULL));
    sample_options o = {.kind = kind,
                        .t_min = 0.01,
                        .t_max = 0.1,
                        .steps = 8,
                        .slots = SLOTS,
                        .seed = 5,
                        .spread = 0.05};
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    sample_rows rows = {.x = out->x, .y = out->y, .t = out->t, .left = &out->left};
    if (kind == SAMPLE_BEL)
        rows.target = out->target;
    ASSERT_OK(sample_draw(plan, 0, N, &rows));
    sample_plan_free(plan);
    mst_manifold_free(m);
}

/* Surfaces roll, three dimensions take steps with an adjoint, and last steps are geodesics. */
static const struct {
    const char *inside, *free;
    size_t D;
    sample_kind kind;
} cases[] = {
    {"coordinates x y\ndomain x^2 + y^2 < 0.36\nmetric = 1\nstart = 0",
     "coordinates x y\nmetric = 1\nstart = 0", 2, SAMPLE_BEL},
    {"coordinates x y z\ndomain x^2 + y^2 + z^2 < 0.6\nmetric = 1\nstart = 0",
     "coordinates x y z\nmetric = 1\nstart = 0", 3, SAMPLE_BEL},
    {"coordinates x y\ndomain x^2 + y^2 < 0.36\nmetric = 1\nstart = 0",
     "coordinates x y\nmetric = 1\nstart = 0", 2, SAMPLE_LAST_STEP},
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(lost_samples_are_left_out)
{
    static drawn inside, plain;
    size_t D = cases[_i].D, same = 0;
    draw(cases[_i].inside, cases[_i].kind, &inside);
    draw(cases[_i].free, cases[_i].kind, &plain);
    ck_assert_uint_eq(plain.left, 0);
    ck_assert(all_finite(ROWS * D, inside.x) && all_finite(ROWS * D, inside.y));
    for (size_t i = 0; i < ROWS; i++) {
        /* The sample itself, or another of the slot in its place. */
        size_t from = i;
        while (fabs(inside.x[i * D] - plain.x[from * D]) > 1e-9)
            from = from + 1 < (i / N + 1) * N ? from + 1 : i / N * N;
        same += from == i;
        assert_near(inside.x[i * D + 1], plain.x[from * D + 1], 1e-9, "x of sample %zu", i);
        assert_near(inside.y[i * D], plain.y[from * D], 1e-9, "y of sample %zu", i);
        ck_assert_double_eq(inside.t[i], plain.t[from]);
        if (cases[_i].kind == SAMPLE_BEL)
            assert_near(inside.target[i * D], plain.target[from * D], 1e-5, "target %zu", i);
    }
    ck_assert_uint_eq(same + inside.left, ROWS);
    ck_assert_uint_gt(inside.left, 0);
    ck_assert_uint_lt(inside.left, ROWS / 2);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples that left the domain", 60, {lost_samples_are_left_out, CASES});
}
