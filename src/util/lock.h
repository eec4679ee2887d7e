/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One writer at a time. */
#ifndef MST_UTIL_LOCK_H
#define MST_UTIL_LOCK_H

#include <manistat/status.h>

typedef struct mst_lock mst_lock;
/* Holds "PATH.lock" until mst_lock_free, which removes it. MST_IO if another process holds it. One that a
 * killed process left behind is taken over: the system has let go of it. Links are not followed. */
MST_MUST_USE mst_status mst_lock_take(mst_lock **out, const char *path);
void mst_lock_free(mst_lock *lock); /* null allowed */

#endif
