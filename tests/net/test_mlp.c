/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks against plain double precision (values, tangents) and its central differences (gradients), for
 * every shape below on every instruction set. */
#include "base/isa.h"
#include "net/mlp.h"
#include "plain_mlp.h"
#include "support/support.h"

#include <stdlib.h>

static const struct {
    mlp_shape shape;
    size_t n, T;
} cases[] = {
    {{1, 1, 1, 1, MLP_TANH}, 1, 1},   {{2, 7, 1, 3, MLP_SILU}, 5, 2},
    {{3, 16, 2, 1, MLP_TANH}, 19, 1}, {{5, 33, 3, 2, MLP_SILU}, 11, 5},
    {{17, 9, 4, 20, MLP_TANH}, 3, 3}, {{12, 20, 5, 3, MLP_SILU}, 34, 3},
    {{6, 31, 5, 4, MLP_TANH}, 13, 2}, {{12, 128, 3, 3, MLP_SILU}, 18, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

/* A network with input, directions and cotangents, the same numbers in float and in double. */
typedef struct setting {
    mlp_shape shape;
    size_t n, T, size;
    float *theta, *x, *dx, *d_out, *d_tan_out, *out, *tan_out, *gradient;
    double *wide_theta, *wide_x, *wide_dx;
    mlp_work *work;
} setting;

static float *random_floats(dice *d, size_t n, double size)
{
    float *x = aligned_alloc(64, (n / 16 + 1) * 64);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(size * dice_normal(d));
    return x;
}

static double *widened(size_t n, const float *x)
{
    double *wide = doubles(n);
    for (size_t i = 0; i < n; i++)
        wide[i] = (double)x[i];
    return wide;
}

static setting set_up(mlp_shape shape, size_t n, size_t T, double input_size)
{
    dice d = {n + 100 * shape.width};
    setting s = {.shape = shape, .n = n, .T = T, .size = mlp_parameters(&shape)};
    s.theta = random_floats(&d, s.size, 0);
    mlp_initialise(&shape, (mst_random){.seed = 3}, 1, s.theta);
    for (size_t k = 0; k <= shape.depth; k++) {
        mlp_layer layer = mlp_layer_at(&shape, k);
        for (size_t j = 0; j < layer.rows; j++)
            s.theta[layer.bias + j] = (float)(0.3 * dice_normal(&d));
    }
    s.x = random_floats(&d, n * shape.inputs, input_size);
    s.dx = random_floats(&d, n * T * shape.inputs, 1);
    s.d_out = random_floats(&d, n * shape.outputs, 1);
    s.d_tan_out = random_floats(&d, n * T * shape.outputs, 1);
    s.out = random_floats(&d, n * shape.outputs, 1);
    s.tan_out = random_floats(&d, n * T * shape.outputs, 1);
    s.gradient = random_floats(&d, s.size, 0);
    s.wide_theta = widened(s.size, s.theta);
    s.wide_x = widened(n * shape.inputs, s.x);
    s.wide_dx = widened(n * T * shape.inputs, s.dx);
    /* Room for more rows and tangents than are used. */
    ASSERT_OK(mlp_work_new(&s.work, &shape, n + 3, T == 0 ? 0 : T + 1));
    return s;
}

static void tear_down(setting *s)
{
    free(s->theta), free(s->x), free(s->dx), free(s->d_out), free(s->d_tan_out);
    free(s->out), free(s->tan_out), free(s->gradient);
    free(s->wide_theta), free(s->wide_x), free(s->wide_dx);
    mlp_work_free(s->work);
}

static setting set_up_case(int i, int isa)
{
    mst_isa_choose(mst_isa_name((enum mst_isa)isa));
    return set_up(cases[i].shape, cases[i].n, cases[i].T, 1);
}

/* with_out·Σ <d_out, out> + with_dout·Σ <d_tan_out, tan_out> over rows begin … end − 1,
 * in double precision. */
static double plain_sum(const setting *s, size_t begin, size_t end, bool with_out, bool with_dout)
{
    const mlp_shape *shape = &s->shape;
    double out[PLAIN_WIDEST], tan_out[PLAIN_WIDEST], sum = 0;
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < (with_dout ? s->T : 1); k++) {
            const double *dx = with_dout ? s->wide_dx + (i * s->T + k) * shape->inputs : NULL;
            plain_row(shape, s->wide_theta, s->wide_x + i * shape->inputs, dx, out, tan_out);
            for (size_t j = 0; j < shape->outputs && with_dout; j++)
                sum += (double)s->d_tan_out[(i * s->T + k) * shape->outputs + j] * tan_out[j];
        }
        for (size_t j = 0; j < shape->outputs && with_out; j++)
            sum += (double)s->d_out[i * shape->outputs + j] * out[j];
    }
    return sum;
}

static double difference(const setting *s, double *variable, size_t begin, size_t end,
                         bool with_out, bool with_dout)
{
    const double h = 1e-5, middle = *variable;
    *variable = middle + h;
    double above = plain_sum(s, begin, end, with_out, with_dout);
    *variable = middle - h;
    double below = plain_sum(s, begin, end, with_out, with_dout);
    *variable = middle;
    return (above - below) / (2 * h);
}

/* The gradient minus `start`, for all parameters of small networks and some of each layer of large ones. */
static void check_gradient(const setting *s, float start, bool with_out, bool with_dout)
{
    dice d = {11};
    for (size_t k = 0; k <= s->shape.depth; k++) {
        mlp_layer layer = mlp_layer_at(&s->shape, k);
        size_t weights = layer.rows * layer.columns, count = weights + layer.rows;
        size_t checks = count < 12 ? count : 12;
        for (size_t c = 0; c < checks; c++) {
            size_t at = checks == count ? c : dice_below(&d, count);
            at = at < weights ? layer.weight + at : layer.bias + at - weights;
            double want = difference(s, &s->wide_theta[at], 0, s->n, with_out, with_dout);
            double rows = (double)(s->n * (1 + (with_dout ? s->T : 0)));
            assert_near((double)s->gradient[at] - (double)start, want,
                        3e-6 * (fabs(want) + sqrt(rows) + (double)start), "layer %zu, at %zu", k,
                        at);
        }
    }
}

static void clear(const setting *s, float start)
{
    for (size_t i = 0; i < s->size; i++)
        s->gradient[i] = start;
}

static void check_values_and_tangents(setting s)
{
    size_t inputs = s.shape.inputs, outputs = s.shape.outputs;
    mlp_forward(&s.shape, s.theta, s.n, s.x, s.out, s.work);
    mlp_tangent(&s.shape, s.theta, s.n, s.T, s.dx, s.tan_out, s.work);
    double out[PLAIN_WIDEST], tan_out[PLAIN_WIDEST];
    for (size_t i = 0; i < s.n; i++)
        for (size_t k = 0; k < s.T; k++) {
            size_t row = i * s.T + k;
            plain_row(&s.shape, s.wide_theta, s.wide_x + i * inputs, s.wide_dx + row * inputs, out,
                      tan_out);
            for (size_t j = 0; j < outputs; j++) {
                assert_near((double)s.out[i * outputs + j], out[j], 4e-6, "row %zu", i);
                assert_near((double)s.tan_out[row * outputs + j], tan_out[j], 1e-5, "tangent %zu",
                            row);
            }
        }
    tear_down(&s);
}

START_TEST(values_and_tangents)
{
    for (int isa = MST_ISA_GENERIC; isa <= MST_ISA_V4; isa++)
        check_values_and_tangents(set_up_case(_i, isa));
}
END_TEST

static void check_gradient_of_values(setting s)
{
    float *d_x = malloc(s.n * s.shape.inputs * sizeof *d_x);
    ck_assert_ptr_nonnull(d_x);
    mlp_forward(&s.shape, s.theta, s.n, s.x, s.out, s.work);
    clear(&s, 0);
    mlp_backward(&s.shape, s.theta, s.n, s.x, s.d_out, s.gradient, d_x, s.work);
    check_gradient(&s, 0, true, false);
    for (size_t i = 0; i < s.n * s.shape.inputs; i++) {
        size_t row = i / s.shape.inputs;
        double want = difference(&s, &s.wide_x[i], row, row + 1, true, false);
        assert_near((double)d_x[i], want, 1e-5, "d_x %zu", i);
    }
    /* A second call adds the same again, and d_x is not needed. */
    float *once = malloc(s.size * sizeof *once);
    ck_assert_ptr_nonnull(once);
    memcpy(once, s.gradient, s.size * sizeof *once);
    mlp_backward(&s.shape, s.theta, s.n, s.x, s.d_out, s.gradient, NULL, s.work);
    for (size_t i = 0; i < s.size; i++)
        assert_near((double)s.gradient[i], 2 * (double)once[i], 3e-6 * (1 + fabs((double)once[i])),
                    "twice, %zu", i);
    free(once), free(d_x);
    tear_down(&s);
}

START_TEST(gradient_of_values)
{
    for (int isa = MST_ISA_GENERIC; isa <= MST_ISA_V4; isa++)
        check_gradient_of_values(set_up_case(_i, isa));
}
END_TEST

static void check_gradient_of_values_and_tangents(setting s)
{
    mlp_forward(&s.shape, s.theta, s.n, s.x, s.out, s.work);
    mlp_tangent(&s.shape, s.theta, s.n, s.T, s.dx, s.tan_out, s.work);
    clear(&s, 1);
    mlp_backward_tangent(&s.shape, s.theta, s.n, s.T, s.x, s.dx, s.d_out, s.d_tan_out, s.gradient,
                         s.work);
    check_gradient(&s, 1, true, true);
    clear(&s, 0);
    mlp_backward_tangent(&s.shape, s.theta, s.n, s.T, s.x, s.dx, NULL, s.d_tan_out, s.gradient,
                         s.work);
    check_gradient(&s, 0, false, true);
    tear_down(&s);
}

START_TEST(gradient_of_values_and_tangents)
{
    for (int isa = MST_ISA_GENERIC; isa <= MST_ISA_V4; isa++)
        check_gradient_of_values_and_tangents(set_up_case(_i, isa));
}
END_TEST

/* The reference's own tangents against its differences: the yardstick has to be straight. */
START_TEST(reference_is_consistent)
{
    setting s = set_up(cases[_i].shape, cases[_i].n, cases[_i].T, 1);
    size_t inputs = s.shape.inputs, outputs = s.shape.outputs;
    double out[PLAIN_WIDEST], tan_out[PLAIN_WIDEST], above[PLAIN_WIDEST], below[PLAIN_WIDEST];
    double moved[PLAIN_WIDEST];
    const double h = 1e-5;
    for (size_t i = 0; i < s.n; i++) {
        const double *x = s.wide_x + i * inputs, *dx = s.wide_dx + i * s.T * inputs;
        plain_row(&s.shape, s.wide_theta, x, dx, out, tan_out);
        for (size_t j = 0; j < inputs; j++)
            moved[j] = x[j] + h * dx[j];
        plain_row(&s.shape, s.wide_theta, moved, NULL, above, NULL);
        for (size_t j = 0; j < inputs; j++)
            moved[j] = x[j] - h * dx[j];
        plain_row(&s.shape, s.wide_theta, moved, NULL, below, NULL);
        for (size_t j = 0; j < outputs; j++)
            assert_near((above[j] - below[j]) / (2 * h), tan_out[j], 1e-7, "row %zu", i);
    }
    tear_down(&s);
}
END_TEST

/* Inputs of size 100 drive the units far into their flat parts. */
START_TEST(large_inputs)
{
    mlp_shape shape = {6, 33, 3, 3, _i % 2 == 0 ? MLP_SILU : MLP_TANH};
    setting s = set_up(shape, 25, 2, 100);
    mlp_forward(&shape, s.theta, s.n, s.x, s.out, s.work);
    mlp_tangent(&shape, s.theta, s.n, s.T, s.dx, s.tan_out, s.work);
    clear(&s, 0);
    mlp_backward_tangent(&shape, s.theta, s.n, s.T, s.x, s.dx, s.d_out, s.d_tan_out, s.gradient,
                         s.work);
    double out[PLAIN_WIDEST];
    for (size_t i = 0; i < s.n; i++) {
        plain_row(&shape, s.wide_theta, s.wide_x + i * shape.inputs, NULL, out, NULL);
        for (size_t j = 0; j < shape.outputs; j++)
            assert_near((double)s.out[i * shape.outputs + j], out[j], 3e-4, "row %zu", i);
    }
    for (size_t i = 0; i < s.n * s.T * shape.outputs; i++)
        ck_assert(isfinite(s.tan_out[i]));
    for (size_t i = 0; i < s.size; i++)
        ck_assert(isfinite(s.gradient[i]));
    tear_down(&s);
}
END_TEST

/* The product may treat the last rows of a batch with another kernel, so the same row elsewhere agrees to a
 * few ulp and not bit by bit; a row that is not a number spoils no other. */
START_TEST(rows_are_independent)
{
    mlp_shape shape = {12, 40, 3, 3, _i % 2 == 0 ? MLP_SILU : MLP_TANH};
    setting s = set_up(shape, 53, 0, 1);
    mlp_forward(&shape, s.theta, s.n, s.x, s.out, s.work);
    float one[3];
    for (size_t i = 0; i < s.n; i++) {
        mlp_forward(&shape, s.theta, 1, s.x + i * shape.inputs, one, s.work);
        for (size_t j = 0; j < 3; j++)
            assert_near((double)one[j], (double)s.out[i * 3 + j], 2e-6, "row %zu", i);
    }
    s.x[20 * shape.inputs] = NAN;
    mlp_forward(&shape, s.theta, s.n, s.x, s.out, s.work);
    for (size_t i = 0; i < s.n * 3; i++)
        ck_assert_int_eq(isnan(s.out[i]) != 0, i / 3 == 20);
    tear_down(&s);
}
END_TEST

START_TEST(block_is_laid_out_as_promised)
{
    const mlp_shape *shape = &cases[_i].shape;
    size_t size = mlp_parameters(shape), used = 0;
    ck_assert_uint_eq(size % 16, 0);
    char *taken = calloc(size, 1);
    ck_assert_ptr_nonnull(taken);
    for (size_t k = 0; k <= shape->depth; k++) {
        mlp_layer layer = mlp_layer_at(shape, k);
        ck_assert_uint_eq(layer.weight % 16, 0);
        ck_assert_uint_eq(layer.rows, k < shape->depth ? shape->width : shape->outputs);
        ck_assert_uint_eq(layer.columns, k == 0 ? shape->inputs : shape->width);
        for (size_t i = 0; i < layer.rows * layer.columns; i++, used++)
            taken[layer.weight + i]++;
        for (size_t i = 0; i < layer.rows; i++, used++)
            taken[layer.bias + i]++;
    }
    ck_assert_uint_le(used, size);
    /* Gradients by the padding are zero. */
    setting s = set_up(*shape, cases[_i].n, cases[_i].T, 1);
    mlp_forward(shape, s.theta, s.n, s.x, s.out, s.work);
    mlp_tangent(shape, s.theta, s.n, s.T, s.dx, s.tan_out, s.work);
    clear(&s, 0);
    mlp_backward(shape, s.theta, s.n, s.x, s.d_out, s.gradient, NULL, s.work);
    mlp_backward_tangent(shape, s.theta, s.n, s.T, s.x, s.dx, s.d_out, s.d_tan_out, s.gradient,
                         s.work);
    for (size_t i = 0; i < size; i++) {
        ck_assert_int_le(taken[i], 1);
        if (taken[i] == 0) {
            ck_assert_float_eq(s.theta[i], 0);
            ck_assert_float_eq(s.gradient[i], 0);
        }
    }
    free(taken);
    tear_down(&s);
}
END_TEST

START_TEST(start_has_the_promised_variance)
{
    mlp_shape shape = {12, 128, 2, 64, _i == 0 ? MLP_SILU : MLP_TANH};
    float *theta = malloc(mlp_parameters(&shape) * sizeof *theta);
    ck_assert_ptr_nonnull(theta);
    mlp_initialise(&shape, (mst_random){.seed = 5}, 0.5f, theta);
    for (size_t k = 0; k <= shape.depth; k++) {
        mlp_layer layer = mlp_layer_at(&shape, k);
        double gain = k == shape.depth ? 0.25 : _i == 0 ? 2 : 1;
        double variance = gain / (double)layer.columns, square = 0, sum = 0, largest = 0;
        size_t count = layer.rows * layer.columns;
        for (size_t i = 0; i < count; i++) {
            double w = (double)theta[layer.weight + i];
            square += w * w;
            sum += w;
            largest = fmax(largest, fabs(w));
        }
        /* Five standard errors; the fourth moment of a uniform variable is 9/5 of its variance squared. */
        double error = 5 / sqrt((double)count);
        assert_near(square / (double)count / variance, 1, error, "variance of layer %zu", k);
        assert_near(sum / (double)count / sqrt(variance), 0, error, "mean of layer %zu", k);
        assert_near(largest / sqrt(3 * variance), 0.99, 0.01 + 1e-6, "range of layer %zu", k);
        for (size_t i = 0; i < layer.rows; i++)
            ck_assert_float_eq(theta[layer.bias + i], 0);
    }
    free(theta);
}
END_TEST

START_TEST(no_room)
{
    mlp_shape shape = {2, 64, 3, 1, MLP_SILU};
    mlp_work *work;
    ASSERT_FAILS(MST_MEMORY, mlp_work_new(&work, &shape, SIZE_MAX / 8, 0));
    ck_assert_ptr_null(work);
    ASSERT_FAILS(MST_MEMORY, mlp_work_new(&work, &shape, 4, SIZE_MAX / 4));
    ck_assert_ptr_null(work);
    mlp_work_free(NULL);
}
END_TEST

/* A workspace without room for gradients gives the same bits, also when it has been used before. */
START_TEST(small_workspaces_give_the_same)
{
    for (int isa = MST_ISA_GENERIC; isa <= MST_ISA_V4; isa++) {
        setting s = set_up_case(_i, isa);
        size_t out = s.n * s.shape.outputs, tan_out = s.n * s.T * s.shape.outputs;
        float *small_out = malloc(out * sizeof *small_out + 4);
        float *small_tan_out = malloc(tan_out * sizeof *small_tan_out + 4);
        mlp_work *small;
        ASSERT_OK(mlp_work_new_small(&small, &s.shape, s.n + 3, s.T == 0 ? 0 : s.T + 1));
        mlp_forward(&s.shape, s.theta, s.n, s.x, s.out, s.work);
        mlp_tangent(&s.shape, s.theta, s.n, s.T, s.dx, s.tan_out, s.work);
        for (int again = 0; again < 2; again++) {
            mlp_forward(&s.shape, s.theta, s.n, s.x, small_out, small);
            mlp_tangent(&s.shape, s.theta, s.n, s.T, s.dx, small_tan_out, small);
            ck_assert(memcmp(small_out, s.out, out * sizeof *small_out) == 0);
            ck_assert(memcmp(small_tan_out, s.tan_out, tan_out * sizeof *small_tan_out) == 0);
        }
        mlp_work_free(small);
        free(small_out), free(small_tan_out);
        tear_down(&s);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("mlp", 60, {values_and_tangents, CASES}, {gradient_of_values, CASES},
                     {gradient_of_values_and_tangents, CASES}, {reference_is_consistent, CASES},
                     {large_inputs, 2}, {rows_are_independent, 2},
                     {block_is_laid_out_as_promised, CASES}, {start_has_the_promised_variance, 2},
                     {no_room, 0}, {small_workspaces_give_the_same, CASES});
}
