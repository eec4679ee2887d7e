/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/lock.h"
#include "base/internal.h"
#include "util/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct mst_lock {
    int fd;
    char *path;
};

/* Does the name still stand for the open file? The last holder may have removed it in between. */
static bool still_named(const mst_lock *l)
{
    struct stat open, named;
    return fstat(l->fd, &open) == 0 && lstat(l->path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* 0 or an errno. */
static int take(mst_lock *l)
{
    for (;;) {
        l->fd = open(l->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (l->fd < 0)
            return errno;
        int error = flock(l->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (error == 0 && still_named(l))
            return 0;
        close(l->fd);
        l->fd = -1;
        if (error != 0)
            return error;
    }
}

static mst_status refuse(const char *path, int error)
{
    char *shown;
    MST_TRY(mst_path_for_messages(&shown, path));
    mst_status status =
        error == EWOULDBLOCK
            ? mst_fail(MST_IO, "another process is writing %s; wait for it, or name another file",
                       shown)
            : mst_fail(MST_IO, "cannot lock %s: %s.lock: %s", shown, shown, strerror(error));
    mst_release(shown);
    return status;
}

mst_status mst_lock_take(mst_lock **out, const char *path)
{
    mst_lock *l;
    *out = NULL;
    size_t length = strlen(path) + sizeof ".lock";
    MST_TRY(mst_allocate(&l, 1));
    *l = (mst_lock){.fd = -1};
    mst_status status = mst_allocate(&l->path, length);
    if (status == MST_OK) {
        snprintf(l->path, length, "%s.lock", path);
        int error = take(l);
        status = error == 0 ? MST_OK : refuse(path, error);
    }
    if (status != MST_OK) {
        mst_release(l->path);
        mst_release(l);
        return status;
    }
    *out = l;
    return MST_OK;
}

void mst_lock_free(mst_lock *lock)
{
    if (lock == NULL)
        return;
    unlink(lock->path); /* before the lock is gone, so that nobody waits for a removed file */
    close(lock->fd);
    mst_release(lock->path);
    mst_release(lock);
}
