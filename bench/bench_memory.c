/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Peak memory of the command line on long runs, which must stream. */
#include "bench.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run `manistat` with these arguments; its peak memory in MB, or stop the benchmark. */
static double peak(const char *binary, char *const *arguments)
{
    pid_t child = fork();
    if (child == 0) {
        execv(binary, arguments);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s failed\n", binary);
        exit(3);
    }
    return (double)usage.ru_maxrss / 1024;
}

static void line(const char *binary, const char *what, double limit, char *const *arguments)
{
    double begin = bench_now(), memory = peak(binary, arguments), seconds = bench_now() - begin;
    bench_record(what, memory, "MB", limit);
    printf("%-52s %9.1f MB    limit %7.0f   %6.2f s\n", what, memory, limit, seconds);
    fflush(stdout);
}

int main(void)
{
    char here[PATH_MAX], binary[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length < 0)
        return 3;
    here[length] = '\0';
    snprintf(binary, sizeof binary, "%s/../manistat", dirname(here));
    bench_section("peak memory of the command line");
    line(binary, "sample -n 10000000, sphere:2, CSV", 1000,
         (char *[]){"manistat", "sample", "--manifold", "sphere:2", "--time", "0.5", "--steps",
                    "10", "-n", "10000000", "-o", "/dev/null", NULL});
    line(binary, "sample -n 10000000 --method exact, circle, CSV", 1000,
         (char *[]){"manistat", "sample", "--manifold", "circle", "--time", "0.5", "--method",
                    "exact", "-n", "10000000", "-o", "/dev/null", NULL});
    return 0;
}
