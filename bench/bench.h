/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Timing for the benchmarks. Machine noise only ever adds time, so the best of several repetitions is kept, and
 * figures that matter are ratios measured in the same run. */
#ifndef MST_BENCH_H
#define MST_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best time of one call of `expression`, over at least five calls and half a second. */
#define BENCH_BEST(seconds, expression)                                             \
    do {                                                                            \
        (seconds) = 1e300;                                                          \
        double bench_begin = bench_now();                                           \
        for (int bench_call = 0; bench_call < 5 || bench_now() - bench_begin < 0.5; \
             bench_call++) {                                                        \
            double bench_start = bench_now();                                       \
            expression;                                                             \
            double bench_time = bench_now() - bench_start;                          \
            if (bench_time < (seconds))                                             \
                (seconds) = bench_time;                                             \
        }                                                                           \
    } while (0)

/* A call that must succeed. */
#define BENCH_OK(call)                                              \
    do {                                                            \
        if ((call) != MST_OK) {                                     \
            fprintf(stderr, "%s: %s\n", #call, mst_error_detail()); \
            exit(3);                                                \
        }                                                           \
    } while (0)

/* One line: what, million items per second, and the target it is held against (0: none). */
static inline void bench_line(const char *what, double millions, double target)
{
    if (target > 0)
        printf("%-52s %9.2f M/s   target %6.1f   %5.2f x\n", what, millions, target,
               millions / target);
    else
        printf("%-52s %9.2f M/s\n", what, millions);
    fflush(stdout);
}

#endif
