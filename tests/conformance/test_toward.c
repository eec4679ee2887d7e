/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The smooth potential that leads toward a point: f, −∇f and Δf of every manifold, also at the cut locus. */
#include "support/manifolds.h"

#include <string.h>

/* Points x and y and what `toward` says of them. */
typedef struct pair {
    double *x, *y, *v, f, laplacian, r;
} pair;

static pair pair_new(subject *s)
{
    return (pair){.x = scratch(s, s->D), .y = scratch(s, s->D), .v = scratch(s, s->D)};
}

static void ask(const subject *s, const double *x, pair *p, double *f, double *v, double *laplacian)
{
    ASSERT_OK(mst_manifold_toward(s->m, 1, x, p->y, f, v, laplacian));
    ck_assert_msg((f == NULL || isfinite(*f)) && (v == NULL || all_finite(s->D, v)) &&
                      (laplacian == NULL || isfinite(*laplacian)),
                  "%s: toward is not finite", s->entry->spec);
}

enum { DISTANCES = 8 };

/* The same point, near, far, across the cut locus; the last kind is exactly there, if
 * there is such a point. */
static void pair_next(pair *p, const subject *s, dice *die, size_t round)
{
    double cut = s->injectivity;
    const double spread[DISTANCES] = {0, 1e-9, 1e-3, 0.1, 0.5, 1, 2, 3},
                 compact[DISTANCES] = {0,          1e-9,       1e-3, 0.1, fmin(1, cut),
                                       cut - 1e-3, cut + 1e-3, cut};
    p->r = (isinf(cut) ? spread : compact)[round % DISTANCES];
    corner_point(s, die, round / DISTANCES % POINT_KINDS, p->x);
    tangent_of_length(s, die, p->x, p->r, p->v);
    if (round % DISTANCES + 1 < DISTANCES || isinf(cut) || !exact_cut_point(s->m, p->x, p->y))
        ASSERT_OK(mst_manifold_exp(s->m, 1, p->x, p->v, p->y));
    ask(s, p->x, p, &p->f, p->v, &p->laplacian);
}

/* First and second derivatives of f along Exp_x(s u). */
static void differentiate(subject *s, pair *p, const double *u, double h, double *first,
                          double *second)
{
    double f[9], *step = scratch(s, s->D), *at = scratch(s, s->D);
    for (size_t k = 0; k < 9; k++) {
        for (size_t a = 0; a < s->D; a++)
            step[a] = ((double)k - 4) * h * u[a];
        ASSERT_OK(mst_manifold_exp(s->m, 1, p->x, step, at));
        ask(s, at, p, &f[k], NULL, NULL);
    }
    curve_derivative(1, h, 1, f, first);
    curve_derivative(2, h, 1, f, second);
}

/* Rounding of f, whose points are off by eps·condition and whose slope is at most about
 * r, is divided by h and h². */
START_TEST(gradient_and_laplacian)
{
    subject s = subject_open((size_t)_i);
    pair p = pair_new(&s);
    double *frame = scratch(&s, s.d * s.D);
    dice die = {2501};
    const double h = 0.02;
    for (size_t round = 0; round < DISTANCES * (s.d > 10 ? 2 : POINT_KINDS); round++) {
        pair_next(&p, &s, &die, round);
        double noise = (1 + p.r) * rounding(&s, p.x, p.y, p.r), sum = 0, size = 1 + p.f;
        ASSERT_OK(mst_manifold_frame(s.m, 1, p.x, frame));
        for (size_t k = 0; k < s.d; k++) {
            double first, second;
            differentiate(&s, &p, frame + k * s.D, h, &first, &second);
            assert_near(-first, vector_inner(&s, p.x, p.v, frame + k * s.D),
                        noise / h + 1e-12 * pow(s.bends, 4) * size,
                        "%s: -df along the frame, %g away", s.entry->spec, p.r);
            sum += second;
        }
        assert_near(p.laplacian, sum,
                    (double)s.d * (noise / (h * h) + 1e-11 * pow(s.bends, 4) * size) +
                        s.entry->carry_error * 100,
                    "%s: the Laplacian, %g away", s.entry->spec, p.r);
    }
    subject_close(&s);
}
END_TEST

/* ½r² + O(r³), and Log to first order; the next terms of almost all are of the third order in v and the
 * fourth in f. */
START_TEST(near_points_see_the_logarithm)
{
    subject s = subject_open((size_t)_i);
    pair p = pair_new(&s);
    double *log = scratch(&s, s.D);
    dice die = {2502};
    for (size_t round = 0; round < DISTANCES * POINT_KINDS; round++) {
        pair_next(&p, &s, &die, round);
        double noise = rounding(&s, p.x, p.y, p.r) + s.entry->log_error;
        if (p.r > 0.1)
            continue;
        ASSERT_OK(mst_manifold_log(s.m, 1, p.x, p.y, log, NULL));
        assert_near(vector_gap(&s, p.x, log, p.v), 0, 0.5 * pow(p.r, 3) + noise,
                    "%s: v is Log, %g away", s.entry->spec, p.r);
        /* 1 − cos of angles is good to rounding of one, not of itself. */
        assert_near(p.f, 0.5 * p.r * p.r,
                    0.5 * pow(p.r, 4) + (p.r + noise) * noise + s.c * DBL_EPSILON,
                    "%s: f is half the square, %g away", s.entry->spec, p.r);
        assert_near(p.laplacian, (double)s.d,
                    (double)s.d * s.bends * p.r * p.r + noise + 1e-9 + 1e4 * s.entry->carry_error,
                    "%s: the Laplacian, %g away", s.entry->spec, p.r);
    }
    subject_close(&s);
}
END_TEST

/* At the cut locus of every factor that has one, nothing pulls to any side: v vanishes, f
 * is at its top 2 + 2/3. */
START_TEST(opposite_points)
{
    subject s = subject_open((size_t)_i);
    pair p = pair_new(&s);
    dice die = {2503};
    corner_point(&s, &die, 1, p.x);
    bool part = exact_cut_point(s.m, p.x, p.y);
    TAKES_PART(part);
    if (!part) {
        subject_close(&s);
        return;
    }
    ask(&s, p.x, &p, &p.f, p.v, &p.laplacian);
    assert_near(vector_norm(&s, p.x, p.v), 0, 64 * DBL_EPSILON, "%s: v", s.entry->spec);
    double factors = round(p.f / (8.0 / 3));
    ck_assert(factors >= 1);
    assert_near(p.f, factors * 8 / 3, 64 * DBL_EPSILON, "%s: f", s.entry->spec);
    subject_close(&s);
}
END_TEST

START_TEST(absent_outputs)
{
    subject s = subject_open((size_t)_i);
    enum { N = 150 };
    size_t D = s.D;
    double *x = scratch(&s, N * D), *y = scratch(&s, N * D), *v = scratch(&s, N * D),
           *got = scratch(&s, N * D), f[N], laplacian[N];
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){1, 2}, 0, N, x));
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){1, 3}, 0, N, y));
    ASSERT_OK(mst_manifold_toward(s.m, N, x, y, f, v, laplacian));
    ASSERT_OK(mst_manifold_toward(s.m, N, x, y, got, NULL, NULL));
    ck_assert_msg(memcmp(got, f, sizeof f) == 0, "%s: f alone", s.entry->spec);
    ASSERT_OK(mst_manifold_toward(s.m, N, x, y, NULL, got, NULL));
    ck_assert_msg(memcmp(got, v, N * D * sizeof *v) == 0, "%s: v alone", s.entry->spec);
    ASSERT_OK(mst_manifold_toward(s.m, N, x, y, NULL, NULL, got));
    ck_assert_msg(memcmp(got, laplacian, sizeof laplacian) == 0, "%s: Δf alone", s.entry->spec);
    ASSERT_OK(mst_manifold_toward(s.m, N, x, y, NULL, NULL, NULL));
    subject_close(&s);
}
END_TEST

/* A manifold of the library with some of its slots only, borrowing its data. */
static mst_manifold *with_slots(const mst_manifold *m, bool log)
{
    const mst_manifold_ops *all = mst_manifold_table(m);
    const mst_manifold_ops few = {.size = sizeof few,
                                  .name = "few",
                                  .start = all->start,
                                  .project = all->project,
                                  .tangent = all->tangent,
                                  .inner = all->inner,
                                  .exp = all->exp,
                                  .log = log ? all->log : NULL,
                                  .injectivity = log ? all->injectivity : NULL};
    mst_manifold *out;
    ASSERT_OK(mst_manifold_new(&out, &few, "few", mst_manifold_dim(m), mst_manifold_ambient(m),
                               mst_manifold_data(m)));
    return out;
}

static mst_status half_sphere(mst_manifold **out)
{
    return scaled_new(out, "sphere:3", 0.5);
}

/* The chord of a sphere of radius ρ in the rows of the unit sphere: f = ρ²(1 − cos r), Δf = d cos r. */
START_TEST(chords)
{
    static const manifold_case entries[] = {{.spec = "sphere:3"},
                                            {.spec = "half sphere", .make = half_sphere}};
    subject s = subject_of(&entries[_i]);
    double square = _i == 0 ? 1 : 0.25;
    pair p = pair_new(&s);
    mst_manifold *bare = with_slots(s.m, false);
    double *v = scratch(&s, s.D), *want = scratch(&s, s.D), f, laplacian;
    dice die = {2504};
    for (size_t round = 0; round < DISTANCES * POINT_KINDS; round++) {
        pair_next(&p, &s, &die, round);
        ASSERT_OK(mst_manifold_toward(bare, 1, p.x, p.y, &f, v, &laplacian));
        double cosine = dot(s.D, p.x, p.y);
        assert_near(f, square * (1 - cosine), 64 * DBL_EPSILON, "f of the chord, %g away", p.r);
        assert_near(laplacian, 3 * cosine, 1e-9, "Δf of the chord, %g away", p.r);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, p.x, p.y, want));
        assert_near(vector_gap(&s, p.x, want, v), 0, 64 * DBL_EPSILON, "v of the chord");
    }
    mst_manifold_free(bare);
    subject_close(&s);
}
END_TEST

/* A closed logarithm without a cut locus, and nothing else known: ½r² with its Laplacian
 * from Jacobi fields. */
static const char *const open_spaces[] = {"hyperbolic:3", "spd:2", "spd:3", "sym:2"};
enum { OPEN = sizeof open_spaces / sizeof *open_spaces };

START_TEST(half_squares)
{
    const manifold_case entry = {.spec = open_spaces[_i]};
    subject s = subject_of(&entry);
    pair p = pair_new(&s);
    mst_manifold *known = with_slots(s.m, true), *bare = with_slots(s.m, false);
    double *v = scratch(&s, s.D), f, laplacian;
    dice die = {2505};
    for (size_t round = 0; round < DISTANCES; round++) {
        pair_next(&p, &s, &die, round);
        double noise = (1 + p.r) * rounding(&s, p.x, p.y, p.r);
        ASSERT_OK(mst_manifold_toward(known, 1, p.x, p.y, &f, v, &laplacian));
        assert_near(f, p.f, noise, "%s: f", entry.spec);
        assert_near(vector_gap(&s, p.x, p.v, v), 0, noise, "%s: v", entry.spec);
        assert_near(laplacian, p.laplacian, 1e-9 + noise / 0.01, "%s: Δf, %g away", entry.spec,
                    p.r);
        /* Without the logarithm the chord, in whatever metric: right to first order. */
        ASSERT_OK(mst_manifold_toward(bare, 1, p.x, p.y, &f, v, NULL));
        if (p.r <= 0.1) {
            assert_near(vector_gap(&s, p.x, p.v, v), 0, p.r * p.r + noise, "%s: chord", entry.spec);
            assert_near(f, p.f, pow(p.r, 3) + noise, "%s: f of the chord", entry.spec);
        }
    }
    mst_manifold_free(known);
    mst_manifold_free(bare);
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("toward", 60, {gradient_and_laplacian, manifold_case_count},
                     {near_points_see_the_logarithm, manifold_case_count},
                     {opposite_points, manifold_case_count}, {absent_outputs, manifold_case_count},
                     {chords, 2}, {half_squares, OPEN});
}
