/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/cores.h"
#include "base/internal.h"
#include "support/support.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CORES = 4 };

START_TEST(the_option_counts_before_the_environment)
{
    ck_assert_int_eq(mst_cores_wanted(NULL, NULL), 0);
    ck_assert_int_eq(mst_cores_wanted("3", "2"), 3);
    ck_assert_int_eq(mst_cores_wanted(NULL, "2"), 2);
    ck_assert_int_eq(mst_cores_wanted(NULL, "2,7"), 2);
    static const char *const ignored[] = {"", "0", "-1", "all", "2x", "1e3"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        ck_assert_int_eq(mst_cores_wanted(ignored[i], "2"), 2);
        ck_assert_int_eq(mst_cores_wanted(NULL, ignored[i]), 0);
    }
    ck_assert_int_eq(mst_cores_wanted("99999999999999999999", NULL), INT_MAX);

    setenv("OMP_NUM_THREADS", "2", 1);
    mst_set_machine_cores(CORES);
    ck_assert_int_eq(mst_thread_count(0), 2);
    setenv("MANISTAT_THREADS", "3", 1);
    mst_set_machine_cores(CORES);
    ck_assert_int_eq(mst_thread_count(0), 3);
    ck_assert_int_eq(mst_thread_count(-1), 3);
    ck_assert_int_eq(mst_thread_count(1), 1);
    ck_assert_int_eq(mst_thread_count(4), 4);
    ck_assert_int_eq(mst_thread_count(5), CORES);
    setenv("MANISTAT_THREADS", "100", 1);
    mst_set_machine_cores(CORES);
    ck_assert_int_eq(mst_thread_count(0), CORES);
    unsetenv("MANISTAT_THREADS");
    unsetenv("OMP_NUM_THREADS");
    mst_set_machine_cores(CORES);
    ck_assert_int_eq(mst_thread_count(0), CORES);
}
END_TEST

/* A file below the scratch folder, in folders that are made for it. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static int cores_of_groups(const char *folder, const char *groups)
{
    char names[600], mount[600];
    put(folder, "groups", groups);
    snprintf(names, sizeof names, "%s/groups", folder);
    snprintf(mount, sizeof mount, "%s/mount", folder);
    return mst_cores_of_groups(names, mount);
}

START_TEST(quotas_of_control_groups_count)
{
    char folder[] = "/tmp/mst_threads_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mst_cores_of_groups("/nowhere", "/nowhere"), INT_MAX);
    ck_assert_int_eq(cores_of_groups(folder, ""), INT_MAX);
    ck_assert_int_eq(cores_of_groups(folder, "0::/\n"), INT_MAX);
    /* Version 2: the least of a group and those around it. */
    put(folder, "mount/a/b/cpu.max", "max 100000\n");
    ck_assert_int_eq(cores_of_groups(folder, "0::/a/b\n"), INT_MAX);
    put(folder, "mount/a/cpu.max", "250000 100000\n");
    ck_assert_int_eq(cores_of_groups(folder, "0::/a/b\n"), 3);
    put(folder, "mount/a/b/cpu.max", "200000 100000\n");
    ck_assert_int_eq(cores_of_groups(folder, "0::/a/b\n"), 2);
    ck_assert_int_eq(cores_of_groups(folder, "0::/a\n"), 3);
    ck_assert_int_eq(cores_of_groups(folder, "0::/c\n"), INT_MAX);
    /* Version 1, without a quota and with one; the group itself cannot be seen from the container. */
    put(folder, "mount/cpu/cpu.cfs_quota_us", "-1\n");
    put(folder, "mount/cpu/cpu.cfs_period_us", "100000\n");
    const char *groups = "5:cpuset:/a\n4:cpu,cpuacct:/docker/1234\n0::/\n";
    ck_assert_int_eq(cores_of_groups(folder, groups), INT_MAX);
    put(folder, "mount/cpu/cpu.cfs_quota_us", "50000\n");
    ck_assert_int_eq(cores_of_groups(folder, groups), 1);
    ck_assert_int_eq(cores_of_groups(folder, "5:cpuset:/a\n"), INT_MAX);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    return RUN_SUITE("cores", 30, {the_option_counts_before_the_environment, 0},
                     {quotas_of_control_groups_count, 0});
}
