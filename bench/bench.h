/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Timing for the benchmarks. Machine noise only ever adds time, so the best of several repetitions is kept,
 * and figures that matter are ratios measured in the same run.
 *
 * Every figure is also a line of JSON in the file that the environment variable MANISTAT_BENCH_JSON names, if
 * any (./run bench --json FILE), so that runs can be compared (./run bench --compare OLD NEW). */
#ifndef MST_BENCH_H
#define MST_BENCH_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What the lines that follow are about, and the name of the last one that was not indented. */
static char bench_about[200], bench_parent[200];

/* A heading. */
static inline void bench_section(const char *title)
{
    puts(title);
    snprintf(bench_about, sizeof bench_about, "%s", title);
}

static inline void bench_json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":\"", key);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

/* Write a figure to the file of figures. Its name must not change from run to run; an indented one is part of
 * the last that was not. Units per second are better when larger, others when smaller. target: what it is
 * held against, 0: nothing. */
static inline void bench_record(const char *name, double value, const char *unit, double target)
{
    char whole[420];
    size_t indent = strspn(name, " ");
    if (indent > 0) {
        snprintf(whole, sizeof whole, "%s, %s", bench_parent, name + indent);
    } else {
        snprintf(bench_parent, sizeof bench_parent, "%s", name);
        snprintf(whole, sizeof whole, "%s", name);
    }
    const char *path = getenv("MANISTAT_BENCH_JSON");
    if (path == NULL)
        return;
    FILE *out = fopen(path, "a");
    if (out == NULL) {
        perror(path);
        exit(3);
    }
    fputc('{', out);
    bench_json_text(out, "program", program_invocation_short_name);
    fputc(',', out);
    bench_json_text(out, "about", bench_about);
    fputc(',', out);
    bench_json_text(out, "name", whole);
    fprintf(out, ",\"value\":%.6g,\"unit\":\"%s\",\"better\":\"%s\"", value, unit,
            strstr(unit, "/s") != NULL ? "larger" : "smaller");
    if (target > 0)
        fprintf(out, ",\"target\":%.6g", target);
    fputs("}\n", out);
    fclose(out);
}

/* One line: what, million items per second, and the target it is held against (0: none). */
static inline void bench_line(const char *what, double millions, double target)
{
    bench_record(what, millions, "M/s", target);
    if (target > 0)
        printf("%-52s %9.2f M/s   target %6.1f   %5.2f x\n", what, millions, target,
               millions / target);
    else
        printf("%-52s %9.2f M/s\n", what, millions);
    fflush(stdout);
}

#endif
