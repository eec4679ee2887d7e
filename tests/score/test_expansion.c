/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion where the exact kernel is known: its accuracy, its derivatives, and whether its validity
 * number tells when it is wrong. */
#include "support/score_support.h"

#include <manistat/score.h>

typedef struct both {
    mst_manifold *m;
    mst_score *exact, *expansion;
    size_t D;
} both;

static both both_new(const char *spec)
{
    both b = {.m = open_manifold(spec)};
    b.D = mst_manifold_ambient(b.m);
    if (mst_heat_has_exact(b.m))
        ASSERT_OK(mst_score_open(&b.exact, "exact", b.m));
    ASSERT_OK(mst_score_open(&b.expansion, "expansion", b.m));
    return b;
}

static void both_free(both *b)
{
    mst_score_free(b->exact);
    mst_score_free(b->expansion);
    mst_manifold_free(b->m);
}

/* Errors of one row against the exact kernel. */
typedef struct row_errors {
    double score, log_p, dt, validity, size; /* of the score relatively, the others as they are */
} row_errors;

static row_errors compare(const both *b, const double *x, const double *y, double t)
{
    row_errors e;
    double *s = doubles(3 * b->D), *want = s + b->D, *off = want + b->D;
    double log_p, dt, true_log_p, true_dt;
    const mst_pairs pairs = mst_pairs_rows(b->m, 1, x, y, &t);
    ASSERT_OK(mst_score_validity(b->expansion, &pairs,
                                 &(mst_heat_values){.log_p = &log_p, .dt_log_p = &dt, .score = s},
                                 &e.validity));
    ASSERT_OK(mst_score_evaluate(
        b->exact, &pairs,
        &(mst_heat_values){.log_p = &true_log_p, .dt_log_p = &true_dt, .score = want}));
    for (size_t k = 0; k < b->D; k++)
        off[k] = s[k] - want[k];
    e.size = length_of(b->m, y, want);
    e.score = length_of(b->m, y, off) / e.size;
    e.log_p = fabs(log_p - true_log_p);
    e.dt = fabs(dt - true_dt);
    free(s);
    return e;
}

/* The score is right to 0.5 % for (d − 1)t ≤ 1 within two thirds of the cut distance. */
START_TEST(round_spaces_are_right_at_short_times)
{
    static const struct {
        const char *spec;
        double cut;
    } cases[] = {{"sphere:2", M_PI}, {"sphere:5", M_PI}, {"hyperbolic:2", 6}, {"spd:2", 6}};
    both b = both_new(cases[_i].spec);
    dice die = {17 + (uint64_t)_i};
    double *x = doubles(2 * b.D), *y = x + b.D;
    double longest = 1 / ((double)mst_manifold_dim(b.m) - 1);
    for (int k = 0; k < 400; k++) {
        double r = dice_uniform(&die, 0.001, 2.0 / 3) * cases[_i].cut;
        double t = longest * pow(100, -dice_uniform(&die, 0, 1));
        random_place(b.m, &die, x);
        random_neighbour(b.m, &die, x, r, y);
        row_errors e = compare(&b, x, y, t);
        ck_assert_msg(e.score <= 0.005, "%s: error %g at r = %g, t = %g", cases[_i].spec, e.score,
                      r, t);
        ck_assert_msg(e.log_p <= 0.01 && t * e.dt <= 0.02,
                      "%s: log p %g, t dt %g at r = %g, t = %g", cases[_i].spec, e.log_p, t * e.dt,
                      r, t);
    }
    free(x);
    both_free(&b);
}
END_TEST

/* On flat tori and on rotations away from the cut locus the sum over geodesics is the kernel itself. */
START_TEST(sums_over_geodesics_are_exact)
{
    static const char *const specs[] = {"torus:2",     "circle", "sphere:1",
                                        "euclidean:3", "sym:2",  "so3"};
    both b = both_new(specs[_i]);
    dice die = {23 + (uint64_t)_i};
    double *x = doubles(2 * b.D), *y = x + b.D;
    bool rotations = _i == 5;
    for (int k = 0; k < 200; k++) {
        double r = dice_uniform(&die, 0.1, rotations ? 3 : 6);
        double t = rotations ? dice_uniform(&die, 0.05, 0.8) : dice_uniform(&die, 0.05, 20);
        random_place(b.m, &die, x);
        random_neighbour(b.m, &die, x, r, y);
        row_errors e = compare(&b, x, y, t);
        double limit = rotations ? 1e-7 : 1e-9;
        ck_assert_msg(e.score * e.size <= limit / t && e.log_p <= limit && e.dt <= limit / t,
                      "%s: %g %g %g at r = %g, t = %g", specs[_i], e.score, e.log_p, e.dt, r, t);
    }
    free(x);
    both_free(&b);
}
END_TEST

static const char *const judged[] = {"sphere:2",
                                     "sphere:3",
                                     "sphere:5",
                                     "sphere:10",
                                     "hyperbolic:2",
                                     "hyperbolic:5",
                                     "spd:2",
                                     "so3",
                                     "torus:2",
                                     "circle",
                                     "product(sphere:2,circle)"};
enum { JUDGED = sizeof judged / sizeof *judged };

/* Anywhere, cut locus included, and at any time: what is accepted is right, and not everything that is right
 * is declined. */
START_TEST(validity_tells_what_is_wrong)
{
    both b = both_new(judged[_i]);
    dice die = {31 + (uint64_t)_i};
    double *x = doubles(2 * b.D), *y = x + b.D;
    bool compact = mst_manifold_traits_of(b.m)->compact == MST_YES;
    int good = 0, accepted = 0;
    for (int k = 0; k < 2000; k++) {
        double r = dice_uniform(&die, 0, 1) < 0.2 ? pow(10, -dice_uniform(&die, 1, 8))
                                                  : dice_uniform(&die, 0, compact ? M_PI : 6);
        double t = pow(10, dice_uniform(&die, -3, 1));
        random_place(b.m, &die, x);
        random_neighbour(b.m, &die, x, r, y);
        row_errors e = compare(&b, x, y, t);
        bool tiny = e.size < 1e-7 / sqrt(t); /* rounding of the points */
        bool right = (e.score <= 0.05 || tiny) && e.log_p <= 0.05 && t * e.dt <= 0.1;
        good += right;
        accepted += e.validity < MST_VALIDITY_LIMIT;
        ck_assert_msg(right || !(e.validity < MST_VALIDITY_LIMIT),
                      "%s: V = %g, errors %g %g %g at r = %g, t = %g", judged[_i], e.validity,
                      e.score, e.log_p, e.dt, r, t);
    }
    ck_assert_msg(accepted > good / 2, "%s: %d of %d accepted", judged[_i], accepted, good);
    free(x);
    both_free(&b);
}
END_TEST

/* The score is the gradient of log p, and dt its derivative. */
START_TEST(derivatives_belong_together)
{
    both b = both_new(judged[_i]);
    dice die = {41 + (uint64_t)_i};
    size_t d = mst_manifold_dim(b.m);
    double *x = doubles(5 * b.D), *y = x + b.D, *v = y + b.D, *there = v + b.D, *s = there + b.D;
    const double h = 1e-3;
    for (int k = 0; k < 20; k++) {
        double t = dice_uniform(&die, 0.05, 0.5), f[4], dt, slope, up = t * (1 + h),
               down = t * (1 - h);
        double high, low;
        random_place(b.m, &die, x);
        random_neighbour(b.m, &die, x, dice_uniform(&die, 0.1, 2), y);
        random_vector(b.m, &die, y, 1, v);
        for (int e = 0; e < 4; e++) {
            move(b.m, y, h * stencil_at[e], v, there);
            ASSERT_OK(mst_score_evaluate_rows(b.expansion, 1, x, there, &t,
                                              &(mst_heat_values){.log_p = &f[e]}));
        }
        ASSERT_OK(mst_score_evaluate_rows(b.expansion, 1, x, y, &t,
                                          &(mst_heat_values){.dt_log_p = &dt, .score = s}));
        ASSERT_OK(mst_manifold_inner(b.m, 1, y, s, v, &slope));
        assert_near(slope, stencil(f, 1, 0, h), 1e-7 / t, "%s: score", judged[_i]);
        double here, bend = 0, *hessian = doubles(d * d), *c = doubles(d);
        ASSERT_OK(mst_score_evaluate_rows(b.expansion, 1, x, y, &t,
                                          &(mst_heat_values){.log_p = &here, .hessian = hessian}));
        ASSERT_OK(mst_manifold_to_frame(b.m, 1, y, v, c));
        for (size_t e = 0; e < d * d; e++)
            bend += hessian[e] * c[e / d] * c[e % d];
        /* But for b₂. */
        double second = (-f[0] + 16 * f[1] - 30 * here + 16 * f[2] - f[3]) / (12 * h * h);
        assert_near(bend, second, 0.02 / t, "%s: Hessian at t = %g", judged[_i], t);
        free(c);
        free(hessian);
        ASSERT_OK(
            mst_score_evaluate_rows(b.expansion, 1, x, y, &up, &(mst_heat_values){.log_p = &high}));
        ASSERT_OK(mst_score_evaluate_rows(b.expansion, 1, x, y, &down,
                                          &(mst_heat_values){.log_p = &low}));
        assert_near(dt, (high - low) / (2 * h * t), 1e-4 / (t * t), "%s: time", judged[_i]);
    }
    free(x);
    both_free(&b);
}
END_TEST

/* Equal points, opposite points, extreme times. */
START_TEST(corners_have_values_or_are_declined)
{
    both b = both_new("sphere:2");
    const double pole[] = {0, 0, 1}, south[] = {0, 0, -1}, nan_row[] = {0, NAN, 1};
    row_errors e = compare(&b, pole, pole, 0.5);
    ck_assert(e.validity < MST_VALIDITY_LIMIT && e.log_p < 1e-3);
    e = compare(&b, pole, pole, 5); /* the score is 0 and right, log p is not */
    ck_assert(e.validity >= MST_VALIDITY_LIMIT);
    for (double t = 1e-3; t < 20; t *= 3) {
        double log_p;
        e = compare(&b, pole, south, t);
        ck_assert(e.validity >= MST_VALIDITY_LIMIT);
        ASSERT_OK(mst_score_evaluate_rows(b.expansion, 1, pole, south, &t,
                                          &(mst_heat_values){.log_p = &log_p}));
        /* The best value that estimators go on with stays near p. */
        ck_assert_msg(e.log_p < 3 + log1p(t) * 3, "t = %g: log p is %g, off by %g", t, log_p,
                      e.log_p);
    }
    double t = 0.5, bad[] = {0, -1, 1e-60, 1e60, NAN, INFINITY}, s[3];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ASSERT_FAILS(MST_ARGUMENT, mst_score_evaluate_rows(b.expansion, 1, pole, pole, &bad[k],
                                                           &(mst_heat_values){.score = s}));
    ASSERT_FAILS(MST_DOMAIN, mst_score_evaluate_rows(b.expansion, 1, pole, nan_row, &t,
                                                     &(mst_heat_values){.score = s}));
    both_free(&b);
}
END_TEST

START_TEST(says_what_it_gives)
{
    both b = both_new("sphere:2");
    double v, x[] = {0, 0, 1}, t = 1;
    ck_assert(mst_score_gives(b.expansion, MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_VALIDITY));
    ck_assert(!mst_score_gives(b.exact, MST_GIVES_VALIDITY));
    mst_pairs pairs = mst_pairs_rows(b.m, 1, x, x, &t);
    ASSERT_FAILS(MST_UNABLE, mst_score_validity(b.exact, &pairs, &(mst_heat_values){0}, &v));
    mst_manifold *bare = open_manifold("bare");
    mst_score *none;
    ASSERT_FAILS(MST_UNABLE, mst_score_expansion_new(&none, bare));
    mst_manifold_free(bare);
    both_free(&b);
}
END_TEST

/* Matrices have no closed kernel from order 3 on. The expansion must solve the heat equation ∂ₜ log p = ½(Δ
 * log p + |∇ log p|²) up to terms of size t, which is what makes b₀ and a₁; and its
 * derivatives are its own. */
START_TEST(matrices_solve_the_heat_equation)
{
    static const char *const specs[] = {"spd:3", "spd:5"};
    mst_manifold *m = open_manifold(specs[_i]);
    mst_score *s;
    ASSERT_OK(mst_score_open(&s, "expansion", m));
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    dice die = {61 + (uint64_t)_i};
    double *x = doubles(5 * D + d * d + d), *y = x + D, *v = y + D, *there = v + D;
    double *score = there + D, *hessian = score + D, *c = hessian + d * d;
    for (int k = 0; k < 10; k++) {
        /* Equal eigenvalues, too. */
        double t = 0.02, dt, slope, trace = 0, bend = 0, f[4], here, size;
        random_place(m, &die, x);
        if (k == 0)
            memcpy(y, x, D * sizeof *y);
        else
            random_neighbour(m, &die, x, dice_uniform(&die, 0.1, 3), y);
        if (k == 1)
            for (size_t a = 0; a < D; a++)
                y[a] = 1.3 * x[a];
        ASSERT_OK(mst_score_evaluate_rows(
            s, 1, x, y, &t,
            &(mst_heat_values){
                .log_p = &here, .dt_log_p = &dt, .score = score, .hessian = hessian}));
        size = length_of(m, y, score);
        for (size_t a = 0; a < d; a++)
            trace += hessian[a * (d + 1)];
        assert_near(dt, 0.5 * (trace + size * size), 5 * t + 1e-11 * fabs(dt), "%s, pair %d",
                    specs[_i], k);
        random_vector(m, &die, y, 1, v);
        for (int e = 0; e < 4; e++) {
            move(m, y, 1e-2 * stencil_at[e], v, there);
            ASSERT_OK(
                mst_score_evaluate_rows(s, 1, x, there, &t, &(mst_heat_values){.log_p = &f[e]}));
        }
        ASSERT_OK(mst_manifold_inner(m, 1, y, score, v, &slope));
        assert_near(slope, stencil(f, 1, 0, 1e-2), 1e-5 / t, "%s, pair %d: score", specs[_i], k);
        ASSERT_OK(mst_manifold_to_frame(m, 1, y, v, c));
        for (size_t e = 0; e < d * d; e++)
            bend += hessian[e] * c[e / d] * c[e % d];
        assert_near(bend, (-f[0] + 16 * f[1] - 30 * here + 16 * f[2] - f[3]) / 12e-4, 1e-2,
                    "%s, pair %d: Hessian", specs[_i], k);
    }
    free(x);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("expansion", 60, {round_spaces_are_right_at_short_times, 4},
                     {sums_over_geodesics_are_exact, 6}, {validity_tells_what_is_wrong, JUDGED},
                     {derivatives_belong_together, JUDGED},
                     {corners_have_values_or_are_declined, 0}, {says_what_it_gives, 0},
                     {matrices_solve_the_heat_equation, 2});
}
