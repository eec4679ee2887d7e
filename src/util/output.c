/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Files that appear whole or not at all. The bytes go to an unnamed file (O_TMPFILE) in the directory of the
 * target, which vanishes with the process however that ends; the commit gives it its name. File systems
 * without unnamed files get a hidden temporary file, which only a kill can leave behind. */
#include "util/output.h"
#include "base/internal.h"
#include "util/message.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16, TEMPORARY_NAME = 256, MOST_LINKS = 40 };

typedef enum output_kind {
    OUTPUT_DIRECT, /* standard output, a pipe, a device: bytes go out as they are flushed */
    OUTPUT_UNNAMED,
    OUTPUT_TEMPORARY,
} output_kind;

struct mst_output {
    output_kind kind;
    int fd;
    bool owned;    /* close fd at the end; false for standard output */
    int directory; /* of the target; −1 if direct */
    mst_output_rule rule;
    bool committed;
    uint64_t flushed; /* bytes handed to the system */
    size_t used;      /* bytes in the buffer */
    char *path;       /* for messages */
    char *target;     /* path with symbolic links followed; null if direct */
    const char *name; /* its last component */
    mode_t mode;      /* of the file to be replaced, or 0 */
    char temporary[TEMPORARY_NAME];
    char buffer[BUFFER_SIZE];
};

static mst_status write_failure(const char *path, int error)
{
    if (error == EINTR)
        return mst_fail(MST_INTERRUPTED, "interrupted while writing %s", path);
    if (error == EPIPE)
        return mst_fail(MST_IO, "cannot write %s: the reading end was closed", path);
    return mst_fail(MST_IO, "cannot write %s: %s", path, strerror(error));
}

static mst_status already_there(const char *path)
{
    return mst_fail(MST_IO, "%s exists; pass `force` to overwrite it", path);
}

/* ---- Opening ---- */

/* Follows the symbolic links of the last component, also to a file that does not exist yet, so that the
 * commit replaces the file and not the link. */
static mst_status follow_links(char **out, const char *path, const char *shown)
{
    MST_TRY(mst_copy_string(out, path));
    for (int i = 0; i < MOST_LINKS; i++) {
        char link[4096];
        ssize_t length = readlink(*out, link, sizeof link);
        if (length < 0)
            return MST_OK;
        if ((size_t)length == sizeof link)
            break;
        const char *slash = link[0] == '/' ? NULL : strrchr(*out, '/');
        size_t folder = slash != NULL ? (size_t)(slash - *out) + 1 : 0;
        char *next;
        mst_status status = mst_allocate(&next, folder + (size_t)length + 1);
        if (status != MST_OK) {
            mst_release(*out);
            *out = NULL;
            return status;
        }
        memcpy(next, *out, folder);
        memcpy(next + folder, link, (size_t)length);
        next[folder + (size_t)length] = '\0';
        mst_release(*out);
        *out = next;
    }
    mst_release(*out);
    *out = NULL;
    return write_failure(shown, ELOOP);
}

static int open_directory(const char *path, const char *name)
{
    /* Enough for every path the system accepts; a longer one fails in open as it should. */
    char folder[4097];
    size_t length = (size_t)(name - path);
    if (length == 0)
        strcpy(folder, ".");
    else if (length >= sizeof folder)
        return errno = ENAMETOOLONG, -1;
    else
        snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* A directory that may be written but not listed still serves; only its fsync is lost. */
    return fd >= 0 || errno != EACCES ? fd : open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ".NAME.XXXXXX", NAME cut so that the whole is a valid file name. */
static bool choose_temporary_name(mst_output *o)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char bits[6];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return false;
    int n = snprintf(o->temporary, sizeof o->temporary, ".%.200s.", o->name);
    for (size_t i = 0; i < sizeof bits; i++)
        o->temporary[n++] = letters[bits[i] % 32];
    o->temporary[n] = '\0';
    return true;
}

enum { ATTEMPTS = 100 };

static int open_temporary(mst_output *o)
{
    for (int i = 0; i < ATTEMPTS && choose_temporary_name(o); i++) {
        int fd = openat(o->directory, o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Naming an unnamed file without privileges goes through /proc. */
static void descriptor_path(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

static int open_unnamed(const mst_output *o)
{
    int fd = openat(o->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    char path[32];
    descriptor_path(fd, path);
    if (access(path, F_OK) == 0)
        return fd;
    close(fd);
    errno = EOPNOTSUPP;
    return -1;
}

static mst_status open_beside_target(mst_output *o, bool unnamed)
{
    const char *slash = strrchr(o->target, '/');
    o->name = slash != NULL ? slash + 1 : o->target;
    if (*o->name == '\0')
        return write_failure(o->path, EISDIR);
    o->directory = open_directory(o->target, o->name);
    if (o->directory < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? mst_fail(MST_IO, "cannot write %s: its directory does not exist", o->path)
                   : write_failure(o->path, errno);
    if (unnamed) {
        o->kind = OUTPUT_UNNAMED;
        o->fd = open_unnamed(o);
        /* EISDIR and EINVAL are how kernels and file systems without unnamed files answer. */
        if (o->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
            return o->fd >= 0 ? MST_OK : write_failure(o->path, errno);
    }
    o->kind = OUTPUT_TEMPORARY;
    o->fd = open_temporary(o);
    if (o->fd >= 0)
        return MST_OK;
    o->temporary[0] = '\0';
    return write_failure(o->path, errno);
}

/* Nothing is followed, so nobody can make a name lead elsewhere. */
static mst_status open_own(mst_output *o, const char *path, bool unnamed)
{
    struct stat info;
    bool there = lstat(path, &info) == 0;
    if (there && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
        return mst_fail(MST_IO, "%s is there, and is not a file; remove it", o->path);
    o->mode = there && S_ISREG(info.st_mode) ? info.st_mode & 0777 : 0;
    MST_TRY(mst_copy_string(&o->target, path));
    return open_beside_target(o, unnamed);
}

static mst_status open_path(mst_output *o, const char *path, bool unnamed)
{
    struct stat info;
    if (o->rule == MST_OUTPUT_OWN)
        return open_own(o, path, unnamed);
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return mst_fail(MST_IO, "%s is a directory; name a file to write", o->path);
    if (there && !S_ISREG(info.st_mode)) {
        o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd >= 0 ? MST_OK : write_failure(o->path, errno);
    }
    if (there && o->rule == MST_OUTPUT_NEW)
        return already_there(o->path);
    if (there && access(path, W_OK) != 0)
        return write_failure(o->path, errno);
    o->mode = there ? info.st_mode & 0777 : 0;
    MST_TRY(follow_links(&o->target, path, o->path));
    return open_beside_target(o, unnamed);
}

static mst_status open_output(mst_output **out, const char *path, mst_output_rule rule,
                              bool unnamed)
{
    mst_output *o;
    MST_TRY(mst_allocate(&o, 1));
    memset(o, 0, offsetof(mst_output, buffer));
    o->kind = OUTPUT_DIRECT;
    o->fd = o->directory = -1;
    o->rule = rule;
    bool standard = strcmp(path, "-") == 0;
    o->owned = !standard;
    mst_status status = mst_path_for_messages(&o->path, standard ? "standard output" : path);
    if (status == MST_OK && standard)
        o->fd = STDOUT_FILENO;
    else if (status == MST_OK)
        status = open_path(o, path, unnamed);
    if (status != MST_OK) {
        mst_output_free(o);
        return status;
    }
    *out = o;
    return MST_OK;
}

mst_status mst_output_open(mst_output **out, const char *path, mst_output_rule rule)
{
    return open_output(out, path, rule, true);
}

mst_status mst_output_open_named(mst_output **out, const char *path, mst_output_rule rule)
{
    return open_output(out, path, rule, false);
}

mst_status mst_output_open_memory(mst_output **out)
{
    mst_output *o;
    MST_TRY(mst_allocate(&o, 1));
    memset(o, 0, offsetof(mst_output, buffer));
    o->kind = OUTPUT_DIRECT;
    o->directory = -1;
    o->owned = true;
    o->fd = memfd_create("manistat", MFD_CLOEXEC);
    mst_status status = mst_copy_string(&o->path, "memory");
    if (status == MST_OK && o->fd < 0)
        status = write_failure(o->path, errno);
    if (status != MST_OK) {
        mst_output_free(o);
        return status;
    }
    *out = o;
    return MST_OK;
}

/* ---- Writing ---- */

static mst_status write_all(mst_output *o, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(o->fd, bytes, n);
        if (written < 0)
            return write_failure(o->path, errno);
        bytes += written;
        n -= (size_t)written;
        o->flushed += (uint64_t)written;
    }
    return MST_OK;
}

static mst_status flush(mst_output *o)
{
    size_t n = o->used;
    o->used = 0;
    return write_all(o, o->buffer, n);
}

mst_status mst_output_write(mst_output *o, const void *bytes, size_t n)
{
    assert(!o->committed);
    if (n > BUFFER_SIZE - o->used) {
        MST_TRY(flush(o));
        if (n >= BUFFER_SIZE)
            return write_all(o, bytes, n);
    }
    if (n > 0)
        memcpy(o->buffer + o->used, bytes, n);
    o->used += n;
    return MST_OK;
}

mst_status mst_output_room(mst_output *o, size_t n, char **out)
{
    assert(n <= MST_OUTPUT_ROOM && !o->committed);
    if (n > BUFFER_SIZE - o->used)
        MST_TRY(flush(o));
    *out = o->buffer + o->used;
    return MST_OK;
}

void mst_output_advance(mst_output *o, size_t n)
{
    o->used += n;
}

mst_status mst_output_text(mst_output *o, char **text, size_t *length)
{
    *text = NULL;
    MST_TRY(flush(o));
    MST_TRY(mst_allocate(text, (size_t)o->flushed + 1));
    for (*length = 0; *length < o->flushed;) {
        ssize_t got = pread(o->fd, *text + *length, (size_t)o->flushed - *length, (off_t)*length);
        if (got <= 0) {
            mst_release(*text);
            *text = NULL;
            return write_failure(o->path, got < 0 ? errno : EIO);
        }
        *length += (size_t)got;
    }
    (*text)[*length] = '\0';
    return MST_OK;
}

bool mst_output_can_rewrite(const mst_output *o)
{
    return o->kind != OUTPUT_DIRECT;
}

const char *mst_output_path(const mst_output *o)
{
    return o->path;
}

mst_status mst_output_rewrite(mst_output *o, uint64_t offset, const void *bytes, size_t n)
{
    assert(!o->committed);
    if (!mst_output_can_rewrite(o))
        return mst_fail(MST_UNABLE, "%s is not a regular file, so nothing in it can be rewritten",
                        o->path);
    uint64_t end;
    if (__builtin_add_overflow(offset, n, &end) || end > o->flushed + o->used)
        return mst_fail(MST_ARGUMENT, "%s: rewriting bytes that were not written yet", o->path);
    MST_TRY(flush(o));
    for (const char *p = bytes; n > 0;) {
        ssize_t written = pwrite(o->fd, p, n, (off_t)offset);
        if (written < 0)
            return write_failure(o->path, errno);
        p += written;
        n -= (size_t)written;
        offset += (uint64_t)written;
    }
    return MST_OK;
}

/* ---- Commit ---- */

/* Gives the unnamed file a name; 0 or an errno. */
static int link_unnamed(mst_output *o, const char *name)
{
    char path[32];
    descriptor_path(o->fd, path);
    return linkat(AT_FDCWD, path, o->directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int link_unnamed_temporary(mst_output *o)
{
    int error = EEXIST;
    for (int i = 0; i < ATTEMPTS && error == EEXIST; i++)
        error = choose_temporary_name(o) ? link_unnamed(o, o->temporary) : errno;
    if (error != 0)
        o->temporary[0] = '\0';
    return error;
}

/* Renames the temporary file, refusing to replace anything; 0 or an errno. */
static int rename_without_replacing(mst_output *o)
{
    if (renameat2(o->directory, o->temporary, o->directory, o->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (linkat(o->directory, o->temporary, o->directory, o->name, 0) != 0)
        return errno;
    unlinkat(o->directory, o->temporary, 0);
    return 0;
}

static int give_name(mst_output *o)
{
    if (o->rule == MST_OUTPUT_NEW)
        return o->kind == OUTPUT_UNNAMED ? link_unnamed(o, o->name) : rename_without_replacing(o);
    if (o->kind == OUTPUT_UNNAMED) {
        /* There is no call that names a file over another one: name it beside, then rename. */
        int error = link_unnamed_temporary(o);
        if (error != 0)
            return error;
    }
    return renameat(o->directory, o->temporary, o->directory, o->name) == 0 ? 0 : errno;
}

mst_status mst_output_commit(mst_output *o)
{
    assert(!o->committed);
    MST_TRY(flush(o));
    if (o->kind == OUTPUT_DIRECT) {
        o->committed = true;
        return MST_OK;
    }
    if ((o->mode != 0 && fchmod(o->fd, o->mode) != 0) || fsync(o->fd) != 0)
        return write_failure(o->path, errno);
    int error = give_name(o);
    if (error == EEXIST)
        return already_there(o->path);
    if (error != 0)
        return write_failure(o->path, error);
    o->temporary[0] = '\0';
    o->committed = true;
    /* The file is whole and in place; a directory that cannot be synchronised is no reason to fail. */
    (void)fsync(o->directory);
    return MST_OK;
}

void mst_output_free(mst_output *o)
{
    if (o == NULL)
        return;
    if (o->temporary[0] != '\0')
        unlinkat(o->directory, o->temporary, 0);
    if (o->owned && o->fd >= 0)
        close(o->fd);
    if (o->directory >= 0)
        close(o->directory);
    mst_release(o->path);
    mst_release(o->target);
    mst_release(o);
}
