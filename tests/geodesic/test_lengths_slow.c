/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A million random pairs against closed forms: a length that is told is right, and the share of those that
 * are not told is small. */
#include "manifold/formula_metric.h"
#include "support/geodesic_batch.h"

#include <string.h>

enum { ALL = 250000 };

typedef struct kind {
    const char *text;
    bool chart, plane;
    double spread; /* of the half-plane; or the angle of pairs, 0 for any */
    double least;  /* share with an answer */
} kind;

static const kind kinds[] = {
    {"coordinates u v\nmetric = 4/(1 + u^2 + v^2)^2\nstart = 0, 0\n", true, false, 0, 0.995},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\nstart = 1, 0, 0\n", false, false, 0, 1},
    {"coordinates x y\nmetric = 1/y^2\ndomain y > 0\nstart = 0, 1\n", false, true, 1.2, 1},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\nstart = 1, 0, 0\n", false, false,
     0.99 * M_PI, 1},
};

START_TEST(a_million_lengths)
{
    const kind *k = &kinds[_i];
    batch *b = batch_open();
    size_t answers = 0;
    ASSERT_OK(mst_formula_manifold_new(&b->m, "kind", "kind", k->text, strlen(k->text), 0, NULL));
    for (size_t done = 0; done < ALL; done += b->n) {
        b->seed = 1000 * (done + 1);
        if (k->plane)
            draw_half_plane(b, k->spread);
        else
            draw_sphere(b, k->chart, k->spread);
        solve(b, 0, 0);
        for (size_t i = 0; i < b->n; i++) {
            if (!is_answer(b->status[i]))
                continue;
            answers++;
            double off = fabs(b->length[i] / b->truth[i] - 1);
            ck_assert_msg(off <= 1e-9, "pair %zu: %.15g instead of %.15g", done + i, b->length[i],
                          b->truth[i]);
        }
    }
    ck_assert_msg((double)answers >= k->least * ALL, "%zu answers", answers);
    batch_close(b);
}
END_TEST

int main(void)
{
    return RUN_SUITE("lengths", 900, {a_million_lengths, 4});
}
