/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How many threads of this process can run at the same time. */
#ifndef MST_BASE_CORES_H
#define MST_BASE_CORES_H

/* The processors that the calling thread may run on, or the time that the control groups of the process give
 * it, in processors and rounded up, if that is less. At least 1. The groups are read once. */
int mst_cores(void);

/* The number that MANISTAT_THREADS or else OMP_NUM_THREADS asks for, or 0. Of a list the first counts; text
 * that is not a number of 1 or more is ignored. */
int mst_cores_wanted(const char *manistat_threads, const char *omp_num_threads);

/* The quota of the groups that the file `groups` names (/proc/self/cgroup), of version 1 or 2, mounted in the
 * folder `mount` (/sys/fs/cgroup), and of the groups around them. INT_MAX without a quota. */
int mst_cores_of_groups(const char *groups, const char *mount);

/* For tests: makes mst_cores return `cores`; 0 asks the machine again. The environment is read again, too. */
void mst_set_machine_cores(int cores);

#endif
