/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas: what is read is what is computed, and derivatives are those of the values. */
#include "formula/formula_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 37 };

/* Values of nodes at rows x (ROWS, VARIABLES). */
static void run_nodes(const formula *f, size_t count, const formula_node *nodes, const double *x,
                      double *values)
{
    formula_program p;
    ASSERT_OK(formula_compile(&p, &f->graph, count, nodes));
    ASSERT_OK(formula_run_blocks(&p, ROWS, 1, &(formula_block){VARIABLES, x}, 1,
                                 &(formula_block_out){count, values}));
    formula_program_release(&p);
}

static void fill_rows(double *x)
{
    for (size_t i = 0; i < ROWS * VARIABLES; i++)
        x[i] = 0.2 + 0.7 * fmod((double)i * 0.618033988749895, 1);
}

#define CASE(name, expression)                       \
    static double name(double x, double y, double z) \
    {                                                \
        (void)x, (void)y, (void)z;                   \
        return expression;                           \
    }
CASE(polynomial, -x *x + 2 * x * y - z / 3 + 1)
CASE(powers, pow(x, 2.3) + pow(2, -y) - pow(-z, 3) + pow(x, 1.5) + pow(x, -2))
CASE(trigonometry, sin(x) * cos(x) + tan(y) + asin(z) - acos(z) + atan(x * y) + atan2(x, y))
CASE(hyperbolic, sinh(x) + cosh(y) * tanh(z) + asinh(x) + acosh(1 + y) + atanh(z))
CASE(logarithms, log(x) * exp(-y) + sqrt(x * z) + fabs(x - y))
CASE(extremes, fmin(x, y) * fmax(y, z) + (x - y > 0) - (x - y < 0))
CASE(series, x *x + 4 * y + 9 + 1 * 2 * 3 * z)
CASE(nested, exp(sin(x + exp(sin(y + exp(sin(z)))))))
CASE(shared, (x + y) * (x + y) / (1 + (x + y) * (x + y)) + sin(x + y) * cos(x + y))
CASE(gammas, lgamma(x) + lgamma(1 + y))
static const struct {
    const char *written;
    double (*value)(double x, double y, double z);
} list[] = {
    {"-x^2 + 2*x*y - z/3 + 1", polynomial},
    {"x^2.3 + 2^-y - (-z)^3 + x^1.5 + x^-2", powers},
    {"sin(x)*cos(x) + tan(y) + asin(z) - acos(z) + atan(x*y) + atan2(x, y)", trigonometry},
    {"sinh(x) + cosh(y)*tanh(z) + asinh(x) + acosh(1 + y) + atanh(z)", hyperbolic},
    {"log(x)*exp(-y) + sqrt(x*z) + abs(x - y)", logarithms},
    {"min(x, y)*max(y, z) + sign(x - y)", extremes},
    {"x^2 + sum(i, 2, 2, 2*i*y) + 3^2 + prod(i, 1, 3, i)*z + sum(i, 3, 2, x[i])", series},
    {"exp(sin(x + exp(sin(y + exp(sin(z))))))", nested},
    {"(x + y)^2/(1 + (x + y)^2) + sin(x + y)*cos(x + y)", shared},
    {"lgamma(x) + lgamma(1 + y)", gammas},
};
enum { CASES = sizeof list / sizeof *list };

START_TEST(values)
{
    formula f;
    double x[ROWS * VARIABLES], got[ROWS];
    fill_rows(x);
    ASSERT_OK(read_formula(&f, list[_i].written));
    run_nodes(&f, 1, &f.node, x, got);
    for (size_t i = 0; i < ROWS; i++) {
        double want = list[_i].value(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        assert_near(got[i], want, 4e-15 * fmax(1, fabs(want)), "%s, row %zu", list[_i].written, i);
    }
    close_formula(&f);
}
END_TEST

/* Gradient by reverse mode and derivatives along each variable agree with differences of order four; and so
 * do the second derivatives with differences of the first. */
START_TEST(derivatives)
{
    formula f;
    const double h = 1e-3;
    double x[ROWS * VARIABLES], moved[ROWS * VARIABLES], gradient[ROWS * VARIABLES];
    double forward[ROWS], hessian[ROWS * VARIABLES], beside[4][ROWS * VARIABLES];
    formula_node by[VARIABLES], along, second[VARIABLES], seeds[VARIABLES];
    fill_rows(x);
    ASSERT_OK(read_formula(&f, list[_i].written));
    ASSERT_OK(formula_gradient(&f.graph, f.node, 0, VARIABLES, by));
    run_nodes(&f, VARIABLES, by, x, gradient);
    for (size_t k = 0; k < VARIABLES; k++) {
        for (size_t j = 0; j < VARIABLES; j++)
            ASSERT_OK(formula_constant(&f.graph, j == k, &seeds[j]));
        ASSERT_OK(formula_tangents(&f.graph, VARIABLES, seeds, 1, &f.node, &along));
        ASSERT_OK(formula_tangents(&f.graph, VARIABLES, seeds, VARIABLES, by, second));
        run_nodes(&f, 1, &along, x, forward);
        run_nodes(&f, VARIABLES, second, x, hessian);
        static const double steps[4] = {-2, -1, 1, 2};
        for (size_t s = 0; s < 4; s++) {
            memcpy(moved, x, sizeof x);
            for (size_t i = 0; i < ROWS; i++)
                moved[3 * i + k] += steps[s] * h;
            run_nodes(&f, VARIABLES, by, moved, beside[s]);
        }
        for (size_t i = 0; i < ROWS; i++) {
            const double *row = x + 3 * i;
            double size = fmax(1, fabs(gradient[3 * i + k])), value[4];
            assert_near(forward[i], gradient[3 * i + k], 1e-13 * size, "%s: modes",
                        list[_i].written);
            /* Kinks have no differences. */
            if (strstr(list[_i].written, "min") != NULL || strstr(list[_i].written, "abs") != NULL)
                continue;
            for (size_t s = 0; s < 4; s++) {
                double at[3] = {row[0], row[1], row[2]};
                at[k] += steps[s] * h;
                value[s] = list[_i].value(at[0], at[1], at[2]);
            }
            assert_near(gradient[3 * i + k],
                        (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h), 2e-8 * size,
                        "%s: by %zu, row %zu", list[_i].written, k, i);
            for (size_t j = 0; j < VARIABLES; j++) {
                size_t at = 3 * i + j;
                assert_near(
                    hessian[at],
                    (beside[0][at] - 8 * beside[1][at] + 8 * beside[2][at] - beside[3][at]) /
                        (12 * h),
                    1e-6 * fmax(10, fabs(hessian[at])), "%s: second", list[_i].written);
            }
        }
    }
    close_formula(&f);
}
END_TEST

static const char *const everything[] = {
    "sin(x)", "cos(x)",  "sin(x)*cos(x)", "exp(x)",   "log(x)", "sqrt(x)",   "x^2.3",
    "tan(x)", "atan(x)", "tanh(x)",       "asinh(x)", "abs(x)", "lgamma(x)", "1/x"};
enum { EVERYTHING = sizeof everything / sizeof *everything };

/* A row has the same bits whatever stands beside it, also where a neighbour leaves the range of the vector
 * functions: thousands of values, since the two ways differ in one of some hundred. */
START_TEST(rows_stand_alone)
{
    enum { MANY = 4096, BLOCK = 8 };
    static const double strange[BLOCK] = {1e9, -3, INFINITY, 0, NAN, 1e-310, -0.0, 1e308};
    formula f;
    formula_program p;
    ASSERT_OK(read_formula(&f, everything[_i]));
    ASSERT_OK(formula_compile(&p, &f.graph, 1, &f.node));
    size_t good = 0;
    for (size_t i = 0; i < MANY; i++) {
        double x[BLOCK * VARIABLES], got[BLOCK], alone;
        for (size_t k = 0; k < BLOCK; k++)
            x[3 * k] = x[3 * k + 1] = x[3 * k + 2] = strange[(i + k) % BLOCK];
        x[3] = 1e-3 + 40 * fmod((double)i * 0.618033988749895, 1);
        ASSERT_OK(formula_run_blocks(&p, BLOCK, 1, &(formula_block){VARIABLES, x}, 1,
                                     &(formula_block_out){1, got}));
        ASSERT_OK(formula_run_blocks(&p, 1, 1, &(formula_block){VARIABLES, x + 3}, 1,
                                     &(formula_block_out){1, &alone}));
        ck_assert_msg(memcmp(&alone, &got[1], sizeof alone) == 0, "%s at %.17g: %.17g, %.17g",
                      everything[_i], x[3], alone, got[1]);
        good += isfinite(alone) ? 1 : 0;
    }
    ck_assert_uint_eq(good, MANY);
    formula_program_release(&p);
    close_formula(&f);
}
END_TEST

/* Beyond the range of the vector functions the plain ones answer. */
START_TEST(far_arguments)
{
    static const double far[] = {1e9, -1e17, 1e-310, -1, 0, INFINITY, NAN, 1e308};
    formula f;
    double x[ROWS * VARIABLES], got[ROWS];
    for (size_t i = 0; i < ROWS * VARIABLES; i++)
        x[i] = far[i / VARIABLES % 8];
    ASSERT_OK(read_formula(&f, "sin(x) + 2*cos(y) + log(z)"));
    run_nodes(&f, 1, &f.node, x, got);
    for (size_t i = 0; i < ROWS; i++) {
        double at = far[i % 8], want = sin(at) + 2 * cos(at) + log(at);
        ck_assert(isnan(want) == isnan(got[i]));
        ck_assert(!isfinite(want) || fabs(got[i] - want) <= 4e-16 * (4 + fabs(want)));
    }
    close_formula(&f);
}
END_TEST

static const struct {
    const char *written;
    size_t column;
    const char *complaint;
} wrong[] = {
    {"x + ", 5, "missing"},
    {"x + w", 5, "\"w\" is not defined"},
    {"2x", 2, "write a *"},
    {"(x + y", 7, "')' is missing"},
    {"sin x", 5, "'(' is missing"},
    {"atan2(x)", 8, "',' is missing"},
    {"x $ y", 3, "no meaning"},
    {"log(-1)", 1, "not a number"},
    {"1/0", 1, "not a number"},
    {"sum(i, 1, 1e12, x)", 11, "terms"},
    {"sum(i, 1, 2.5, x)", 11, "whole number"},
    {"sum(i, 1, 1000, sum(j, 1, 1000, sum(k, 1, 1000, i*j*k*x)))", 0, "more than"},
    {"sum(i, 1, x, x)", 11, "without coordinates"},
    {"x y", 3, NULL},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(complaints_point_at_the_place)
{
    formula f;
    char place[64];
    ck_assert_int_eq(read_formula(&f, wrong[_i].written), MST_FORMAT);
    if (wrong[_i].complaint != NULL) {
        const char *detail = mst_error_detail();
        ck_assert_msg(strstr(detail, wrong[_i].complaint) != NULL, "%s", detail);
        snprintf(place, sizeof place, "line 1, column %zu:", wrong[_i].column);
        ck_assert_msg(wrong[_i].column == 0 || strstr(detail, place) != NULL, "%s", detail);
        const char *caret = strchr(mst_error_excerpt(), '\n');
        ck_assert(caret != NULL);
        ck_assert_msg(wrong[_i].column == 0 || strcspn(caret + 1, "^") == wrong[_i].column - 1,
                      "%s", mst_error_excerpt());
    }
    close_formula(&f);
}
END_TEST

START_TEST(depth_and_size_have_limits)
{
    enum { DEEP = 100000 };
    formula f;
    char *written = malloc(2 * DEEP + 2);
    ck_assert(written != NULL);
    memset(written, '(', DEEP);
    written[DEEP] = 'x';
    memset(written + DEEP + 1, ')', DEEP);
    written[2 * DEEP + 1] = '\0';
    ck_assert_int_eq(read_formula(&f, written), MST_FORMAT);
    ck_assert(strstr(mst_error_detail(), "deep") != NULL);
    close_formula(&f);
    for (size_t i = 0; i < DEEP; i++)
        memcpy(written + 2 * i, "x+", 2);
    written[2 * DEEP - 1] = '\0';
    ASSERT_OK(read_formula(&f, written));
    close_formula(&f);
    free(written);
}
END_TEST

/* What is written twice is computed once, and zeros and ones drop out. */
START_TEST(graphs_are_small)
{
    formula f;
    formula_program p;
    formula_node by[VARIABLES];
    ASSERT_OK(read_formula(&f, "(x + y)*(y + x) - (x + y)^2 + 0*sin(x) + 1*y^2 + z/1 - -z"));
    ASSERT_OK(formula_compile(&p, &f.graph, 1, &f.node));
    ck_assert_uint_le(p.length, 3);
    formula_program_release(&p);
    ASSERT_OK(formula_gradient(&f.graph, f.node, 0, VARIABLES, by));
    ck_assert(formula_is_constant(&f.graph, by[0], 0) && formula_is_constant(&f.graph, by[2], 2));
    close_formula(&f);
}
END_TEST

int main(void)
{
    return RUN_SUITE("formulas", 60, {values, CASES}, {derivatives, CASES},
                     {rows_stand_alone, EVERYTHING}, {far_arguments, 0},
                     {complaints_point_at_the_place, WRONG}, {depth_and_size_have_limits, 0},
                     {graphs_are_small, 0});
}
