/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/cores.h"

#include "base/internal.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

/* ---- Quotas ---- */

static int in_processors(double quota, double period)
{
    if (!(quota > 0 && period > 0))
        return INT_MAX;
    double cores = ceil(quota / period);
    return cores < INT_MAX ? (int)cores : INT_MAX;
}

/* Reads at most `count` numbers from a file and returns how many it found. It stops at a
 * word, as "max" is. */
static int read_numbers(const char *folder, const char *name, int count, double *numbers)
{
    char path[PATH + 64];
    int found = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    while (f != NULL && found < count && fscanf(f, "%lf", &numbers[found]) == 1)
        found++;
    if (f != NULL)
        fclose(f);
    return found;
}

static int quota_of(const char *folder)
{
    double n[2];
    if (read_numbers(folder, "cpu.max", 2, n) == 2)
        return in_processors(n[0], n[1]);
    if (read_numbers(folder, "cpu.cfs_quota_us", 1, n) == 1 &&
        read_numbers(folder, "cpu.cfs_period_us", 1, n + 1) == 1)
        return in_processors(n[0], n[1]);
    return INT_MAX;
}

/* The least quota of a group and of those around it. In a container the file may name groups that only the
 * host sees; then what is mounted is the container's own. */
static int least_quota(const char *mount, const char *group)
{
    char folder[PATH];
    int least = INT_MAX, length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    if (length < 0 || length >= PATH)
        return INT_MAX;
    for (size_t root = strlen(mount);;) {
        int quota = quota_of(folder);
        least = quota < least ? quota : least;
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash < folder + root)
            return least;
        *slash = '\0';
    }
}

/* Is `cpu` one of the names in front of the colon? */
static int has_cpu(const char *names)
{
    for (const char *at = names; *at != ':' && *at != '\0';) {
        size_t length = strcspn(at, ",:");
        if (length == 3 && strncmp(at, "cpu", 3) == 0)
            return 1;
        at += length + (at[length] == ',');
    }
    return 0;
}

int mst_cores_of_groups(const char *groups, const char *mount)
{
    char line[PATH], cpu[PATH];
    int least = INT_MAX;
    FILE *f = fopen(groups, "re");
    snprintf(cpu, sizeof cpu, "%s/cpu", mount);
    /* Lines are number:controllers:path, for version 2 without controllers. */
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        char *names = strchr(line, ':'), *path = names != NULL ? strchr(names + 1, ':') : NULL;
        if (path == NULL)
            continue;
        path[1 + strcspn(path + 1, "\n")] = '\0';
        int quota = path == names + 1    ? least_quota(mount, path + 1)
                    : has_cpu(names + 1) ? least_quota(cpu, path + 1)
                                         : INT_MAX;
        least = quota < least ? quota : least;
    }
    if (f != NULL)
        fclose(f);
    return least;
}

/* ---- Numbers of threads ---- */

static int positive(const char *text, const char *may_follow)
{
    char *end;
    long n = text != NULL ? strtol(text, &end, 10) : 0;
    if (n < 1 || (*end != '\0' && strchr(may_follow, *end) == NULL))
        return 0;
    return n < INT_MAX ? (int)n : INT_MAX;
}

int mst_cores_wanted(const char *manistat_threads, const char *omp_num_threads)
{
    int own = positive(manistat_threads, " ");
    return own > 0 ? own : positive(omp_num_threads, " ,");
}

static int processors_allowed(void)
{
    cpu_set_t sets[16]; /* machines may have more processors than one holds */
    if (sched_getaffinity(0, sizeof sets, sets) != 0)
        return 1;
    return CPU_COUNT_S(sizeof sets, sets);
}

/* 0 until the first call. Threads that call at the same time find the same numbers. */
static atomic_int quota, pretended;
/* −1 until the first call */
static atomic_int wanted = -1;

int mst_cores(void)
{
    int cores = atomic_load(&pretended);
    if (cores > 0)
        return cores;
    int most = atomic_load(&quota);
    if (most == 0) {
        most = mst_cores_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
        atomic_store(&quota, most);
    }
    cores = processors_allowed();
    cores = most < cores ? most : cores;
    return cores > 1 ? cores : 1;
}

int mst_thread_count(int threads)
{
    int cores = mst_cores();
    if (threads <= 0) {
        threads = atomic_load(&wanted);
        if (threads < 0) {
            threads = mst_cores_wanted(getenv("MANISTAT_THREADS"), getenv("OMP_NUM_THREADS"));
            atomic_store(&wanted, threads);
        }
    }
    return threads > 0 && threads < cores ? threads : cores;
}

void mst_set_machine_cores(int cores)
{
    atomic_store(&pretended, cores);
    atomic_store(&wanted, -1);
}
