/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/clock.h"

#include "support/support.h"

#include <time.h>

START_TEST(it_runs_forward_in_seconds)
{
    double first = mst_clock_seconds(), last = first;
    for (int i = 0; i < 1000; i++) {
        double now = mst_clock_seconds();
        ck_assert(now >= last);
        last = now;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    last = mst_clock_seconds();
    ck_assert(last - first >= 0.02 && last - first < 20);
}
END_TEST

int main(void)
{
    return RUN_SUITE("clock", 20, {it_runs_forward_in_seconds, 0});
}
