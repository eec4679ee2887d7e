/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Adam, the running average, the gradient's square and the schedule against plain double precision. */
#include "base/isa.h"
#include "net/optimiser.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 160, COUNT = 3, STEPS = 40 };

typedef struct state {
    float gradients[COUNT][SIZE], first[SIZE], second[SIZE], theta[SIZE];
} state;

static void use_isa(int isa)
{
    mst_isa_choose(mst_isa_name((enum mst_isa)isa));
}

/* Some gradients are tiny and some zero; the last 16 parameters are padding. */
static void draw(dice *d, state *s)
{
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < SIZE - 16; i++)
            s->gradients[k][i] =
                (float)(dice_normal(d) * (i % 7 == 0 ? 1e-9 : 1) * (i % 11 == 0 ? 0 : 1));
}

static void update(state *s, const adam_settings *settings, size_t begin, size_t end, size_t count)
{
    float *gradients[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        gradients[k] = s->gradients[k];
    adam_update(settings, begin, end, count, gradients, s->first, s->second, s->theta);
}

START_TEST(adam_follows_its_formula)
{
    use_isa(_i);
    state s = {0};
    double m[SIZE] = {0}, v[SIZE] = {0}, theta[SIZE] = {0};
    dice d = {5};
    for (size_t i = 0; i < SIZE - 16; i++)
        theta[i] = s.theta[i] = (float)dice_normal(&d);
    for (uint64_t step = 1; step <= STEPS; step++) {
        adam_settings settings = {.rate = 0.01f / (float)step,
                                  .beta1 = 0.9f,
                                  .beta2 = 0.999f,
                                  .epsilon = 1e-8f,
                                  .scale = 0.25f,
                                  .step = step};
        draw(&d, &s);
        for (size_t i = 0; i < SIZE; i++) {
            double g = 0;
            for (size_t k = 0; k < COUNT; k++)
                g += (double)s.gradients[k][i];
            g *= (double)settings.scale;
            double b1 = (double)settings.beta1, b2 = (double)settings.beta2;
            m[i] = b1 * m[i] + (1 - b1) * g;
            v[i] = b2 * v[i] + (1 - b2) * g * g;
            theta[i] -= (double)settings.rate * (m[i] / (1 - pow(b1, (double)step))) /
                        (sqrt(v[i] / (1 - pow(b2, (double)step))) + (double)settings.epsilon);
        }
        update(&s, &settings, 0, SIZE, COUNT);
        for (size_t i = 0; i < SIZE; i++) {
            assert_near((double)s.theta[i], theta[i], 1e-6 * (1 + fabs(theta[i])),
                        "parameter %zu, step %u", i, (unsigned)step);
            for (size_t k = 0; k < COUNT; k++)
                ck_assert_float_eq(s.gradients[k][i], 0);
        }
    }
    for (size_t i = SIZE - 16; i < SIZE; i++) {
        ck_assert_float_eq(s.theta[i], 0);
        ck_assert_float_eq(s.first[i], 0);
    }
}
END_TEST

START_TEST(pieces_give_the_same_bits)
{
    use_isa(_i);
    state whole = {0}, pieces;
    float mean[2][SIZE];
    dice d = {9};
    adam_settings settings = {
        .rate = 0.1f, .beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-8f, .scale = 1, .step = 3};
    draw(&d, &whole);
    for (size_t i = 0; i < SIZE; i++)
        whole.theta[i] = whole.second[i] = mean[0][i] = mean[1][i] = (float)i / 100;
    pieces = whole;
    update(&whole, &settings, 0, SIZE, COUNT);
    average_update(0.9f, 0, SIZE, whole.theta, mean[0]);
    static const size_t cuts[] = {0, 16, 64, 144, SIZE};
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof *cuts; i++) {
        update(&pieces, &settings, cuts[i], cuts[i + 1], COUNT);
        average_update(0.9f, cuts[i], cuts[i + 1], pieces.theta, mean[1]);
    }
    ck_assert_mem_eq(&whole, &pieces, sizeof whole);
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
}
END_TEST

START_TEST(fewer_gradients_are_left_alone)
{
    use_isa(_i);
    state s = {0};
    dice d = {1};
    draw(&d, &s);
    float third = s.gradients[2][1], theta = s.theta[40];
    adam_settings settings = {
        .rate = 1, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f, .scale = 1, .step = 1};
    update(&s, &settings, 0, 32, 2);
    ck_assert_float_eq(s.gradients[2][1], third);
    ck_assert_float_eq(s.theta[40], theta);
    /* The first step is the rate long, against the gradient. */
    assert_near(fabs((double)s.theta[1]), 1, 1e-5, "first step");
}
END_TEST

START_TEST(square_is_that_of_the_sum)
{
    use_isa(_i);
    state s = {0};
    dice d = {3};
    draw(&d, &s);
    float *gradients[] = {s.gradients[0], s.gradients[1], s.gradients[2]};
    double sum = 0, want = 0;
    for (size_t i = 16; i < SIZE; i++) {
        sum = 0;
        for (size_t k = 0; k < COUNT; k++)
            sum += (double)s.gradients[k][i];
        want += sum * sum;
    }
    assert_near(gradient_square(16, SIZE, COUNT, gradients), want, 1e-6 * want, "square");
    ck_assert_double_eq(gradient_square(32, 32, COUNT, gradients), 0);
    s.gradients[1][20] = NAN;
    ck_assert(isnan(gradient_square(0, SIZE, COUNT, gradients)));
}
END_TEST

START_TEST(average_moves_by_its_decay)
{
    use_isa(_i);
    float theta[32], mean[32];
    for (int i = 0; i < 32; i++) {
        theta[i] = (float)i;
        mean[i] = 1;
    }
    average_update(0.75f, 16, 32, theta, mean);
    for (int i = 0; i < 32; i++)
        assert_near((double)mean[i], i < 16 ? 1 : 0.75 + 0.25 * i, 1e-6, "%d", i);
}
END_TEST

START_TEST(schedule_rises_and_falls)
{
    assert_near(schedule_factor(1000, 100, 0), 1, 0, "start without warm-up left");
    assert_near(schedule_factor(1000, 0, 0.5), 0.5, 1e-15, "middle");
    assert_near(schedule_factor(1000, 0, 1.0 / 3), 0.75, 1e-15, "a third");
    ck_assert_double_eq(schedule_factor(1000, 0, 1), 0);
    ck_assert_double_eq(schedule_factor(1000, 0, 1.5), 0);
    ck_assert_double_eq(schedule_factor(1000, 0, -1), 1);
    assert_near(schedule_factor(1, 100, 0), 0.01, 1e-15, "first step");
    double cosine = 0.5 * (1 + cos(0.05 * acos(-1)));
    assert_near(schedule_factor(60, 1000, 0.05), 0.5 * cosine, 1e-15, "half of a tenth");
    assert_near(schedule_factor(20, 1000, 0.05), 0.4 * cosine, 1e-15, "20 of 50 steps");
    assert_near(schedule_factor(800, 1000, 0.05), 0.8 * cosine, 1e-15, "800 of 1000 steps");
    assert_near(schedule_factor(60, 1000, 1.0 / 3), 0.75, 1e-15, "warm");
    assert_near(schedule_factor(20, 100, 0.5), 0.2, 1e-15, "warm-up multiplies");
    ck_assert_double_eq(schedule_factor(100, 100, 0), 1);
    ck_assert_double_eq(schedule_factor(0, 0, 0), 1);
}
END_TEST

int main(void)
{
    return RUN_SUITE("optimiser", 60, {adam_follows_its_formula, 3}, {pieces_give_the_same_bits, 3},
                     {fewer_gradients_are_left_alone, 3}, {square_is_that_of_the_sum, 3},
                     {average_moves_by_its_decay, 3}, {schedule_rises_and_falls, 0});
}
