/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/support.h"

#include "base/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void assert_one_line(const char *what)
{
    const char *detail = mst_error_detail();
    ck_assert_msg(detail[0] != '\0', "%s: no detail", what);
    ck_assert_msg(strchr(detail, '\n') == NULL, "%s: detail of several lines: %s", what, detail);
}

void assert_near(double got, double want, double tolerance, const char *format, ...)
{
    if (fabs(got - want) <= tolerance)
        return;
    char name[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    ck_abort_msg("%s: got %.17g, expected %.17g within %.3g, off by %.3g", name, got, want,
                 tolerance, fabs(got - want));
}

bool all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

double max_abs(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double euclidean_norm(size_t n, const double *x)
{
    double norm = 0;
    for (size_t i = 0; i < n; i++)
        norm = hypot(norm, x[i]);
    return norm;
}

double *doubles(size_t n)
{
    double *x = malloc((n + 1) * sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

uint64_t dice_bits(dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double dice_uniform(dice *d, double low, double high)
{
    return low + (high - low) * ((double)(dice_bits(d) >> 11) + 0.5) * 0x1p-53;
}

double dice_normal(dice *d)
{
    double radius = sqrt(-2 * log(dice_uniform(d, 0, 1)));
    return radius * cos(2 * M_PI * dice_uniform(d, 0, 1));
}

size_t dice_below(dice *d, size_t bound)
{
    return (size_t)(dice_bits(d) % bound);
}

size_t simulated_sets(size_t usual)
{
    const char *text = getenv("MST_SETS");
    size_t sets = text != NULL ? strtoul(text, NULL, 10) : 0;
    return sets > 0 ? sets : usual;
}

size_t first_simulated_set(void)
{
    const char *text = getenv("MST_FIRST_SET");
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

bool is_simulated(int i)
{
    const char *text = getenv("MST_COVERAGE_CASE");
    return text == NULL || strtol(text, NULL, 10) == i;
}

typedef struct calls {
    void (*f)(void *data, size_t i);
    void *data;
} calls;

static mst_status run_calls(void *context, size_t begin, size_t end)
{
    const calls *c = context;
    for (size_t i = begin; i < end; i++)
        c->f(c->data, i);
    return MST_OK;
}

void each_in_parallel(size_t n, void (*f)(void *data, size_t i), void *data)
{
    calls c = {f, data};
    ASSERT_OK(mst_parallel_blocks(n, 1, 0, (mst_progress){0}, run_calls, &c));
}
