/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "io/internal.h"
#include "support/scratch.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

typedef mst_status opener(mst_output **out, const char *path, mst_output_rule rule);
/* Every test of regular files runs with unnamed and with hidden temporary files. */
static opener *const openers[] = {mst_output_open, mst_output_open_named};
enum { OPENERS = sizeof openers / sizeof *openers };

static void check_content(const char *path, const char *expected)
{
    char *text = scratch_read(path, NULL);
    ck_assert_str_eq(text, expected);
    free(text);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    return info.st_mode & 07777;
}

START_TEST(test_commit)
{
    mst_output *o;
    const char *path = scratch("a.csv");
    mode_t mask = umask(027);
    ck_assert_int_eq(openers[_i](&o, path, false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "hello ", 6), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "", 0), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "world", 5), MST_OK);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    umask(mask);
    check_content(path, "hello world");
    ck_assert_uint_eq(mode_of(path), 0640);
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_abandon)
{
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch("a.csv"), false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "x", 1), MST_OK);
    mst_output_free(o);
    ck_assert_uint_eq(scratch_count(), 0);
    mst_output_free(NULL);
}
END_TEST

START_TEST(test_existing_file)
{
    mst_output *o;
    const char *path = scratch_text("a.csv", "old");
    ck_assert_int_eq(openers[_i](&o, path, false), MST_IO);
    ck_assert_detail("a.csv exists; pass `force` to overwrite it");
    chmod(path, 0604);
    ck_assert_int_eq(openers[_i](&o, path, true), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "new", 3), MST_OK);
    check_content(path, "old");
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    check_content(path, "new");
    ck_assert_uint_eq(mode_of(path), 0604);
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_force_without_existing_file)
{
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch("a.csv"), true), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "new", 3), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    check_content(scratch("a.csv"), "new");
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_file_appears_meanwhile)
{
    mst_output *o;
    const char *path = scratch("a.csv");
    ck_assert_int_eq(openers[_i](&o, path, false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "new", 3), MST_OK);
    scratch_text("a.csv", "other");
    ck_assert_int_eq(mst_output_commit(o), MST_IO);
    ck_assert_detail("a.csv exists; pass `force` to overwrite it");
    mst_output_free(o);
    check_content(path, "other");
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_symbolic_links)
{
    mst_output *o;
    struct stat info;
    scratch_text("real.csv", "old");
    ck_assert_int_eq(symlink("real.csv", scratch("one")), 0);
    ck_assert_int_eq(symlink(scratch("one"), scratch("two")), 0);
    ck_assert_int_eq(openers[_i](&o, scratch("two"), false), MST_IO);
    ck_assert_int_eq(openers[_i](&o, scratch("two"), true), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "new", 3), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    check_content(scratch("real.csv"), "new");
    ck_assert_int_eq(lstat(scratch("two"), &info), 0);
    ck_assert(S_ISLNK(info.st_mode));

    ck_assert_int_eq(symlink("later.csv", scratch("dangling")), 0);
    ck_assert_int_eq(openers[_i](&o, scratch("dangling"), false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "late", 4), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    check_content(scratch("later.csv"), "late");
    ck_assert_int_eq(lstat(scratch("dangling"), &info), 0);
    ck_assert(S_ISLNK(info.st_mode));

    ck_assert_int_eq(symlink("loop", scratch("loop")), 0);
    ck_assert_int_eq(openers[_i](&o, scratch("loop"), true), MST_IO);
    ck_assert_detail("symbolic links");
}
END_TEST

START_TEST(test_relative_path)
{
    mst_output *o;
    ck_assert_int_eq(chdir(scratch_directory), 0);
    ck_assert_int_eq(openers[_i](&o, "here.csv", false), MST_OK);
    /* The target is fixed when it is opened, not when it is committed. */
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(mst_output_write(o, "x", 1), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    check_content(scratch("here.csv"), "x");
}
END_TEST

START_TEST(test_places_that_cannot_be_written)
{
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch_directory, true), MST_IO);
    ck_assert_detail("is a directory");
    ck_assert_int_eq(openers[_i](&o, scratch("none/a.csv"), false), MST_IO);
    ck_assert_detail("none/a.csv: its directory does not exist");
    scratch_text("file", "x");
    ck_assert_int_eq(openers[_i](&o, scratch("file/a.csv"), false), MST_IO);
    ck_assert_int_eq(openers[_i](&o, scratch("new/"), false), MST_IO);
    ck_assert_int_eq(openers[_i](&o, "", false), MST_IO);
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    if (openers[_i](&o, scratch(name), false) == MST_OK) {
        ck_assert_int_eq(mst_output_commit(o), MST_IO);
        mst_output_free(o);
    }
    ck_assert_detail("ame too long");
    /* 255 bytes is a valid name, although the temporary one is longer. */
    name[255] = '\0';
    ck_assert_int_eq(openers[_i](&o, scratch(name), true), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
}
END_TEST

/* Runs as another user if the tests run as root, for whom every directory can be written. */
START_TEST(test_no_permission)
{
    scratch_text("readonly.csv", "x");
    chmod(scratch("readonly.csv"), 0444);
    ck_assert_int_eq(chmod(scratch_directory, 0555), 0);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch("a.csv"), false), MST_IO);
    ck_assert_detail("a.csv: Permission denied");
    ck_assert_int_eq(openers[_i](&o, scratch("readonly.csv"), true), MST_IO);
    ck_assert_detail("readonly.csv: Permission denied");
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(test_large_writes_and_rewrite)
{
    enum { N = 300000 };
    char *bytes = malloc(N), *expected = malloc(2 * N + 10);
    for (size_t i = 0; i < N; i++)
        bytes[i] = (char)('a' + i % 23);
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch("a"), false), MST_OK);
    size_t n = 0;
    for (size_t piece = 1; n + piece < N; n += piece, piece = piece * 3 / 2 + 1)
        ck_assert_int_eq(mst_output_write(o, bytes + n, piece), MST_OK);
    ck_assert_int_eq(mst_output_write(o, bytes + n, N - n), MST_OK);
    ck_assert_int_eq(mst_output_write(o, bytes, N), MST_OK);
    ck_assert_int_eq(mst_output_rewrite(o, 5, "HEADER", 6), MST_OK);
    ck_assert_int_eq(mst_output_rewrite(o, 2 * N - 2, "ZZ", 2), MST_OK);
    ck_assert_int_eq(mst_output_rewrite(o, 2 * N - 1, "ZZ", 2), MST_ARGUMENT);
    ck_assert_int_eq(mst_output_rewrite(o, UINT64_MAX, "ZZ", 2), MST_ARGUMENT);
    ck_assert_int_eq(mst_output_write(o, "end", 3), MST_OK);
    ck_assert_int_eq(mst_output_rewrite(o, 2 * N, "E", 1), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    memcpy(expected, bytes, N);
    memcpy(expected + N, bytes, N);
    memcpy(expected + 5, "HEADER", 6);
    strcpy(expected + 2 * N - 2, "ZZEnd");
    check_content(scratch("a"), expected);
    free(bytes);
    free(expected);
}
END_TEST

START_TEST(test_room)
{
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, scratch("a"), false), MST_OK);
    size_t total = 0;
    for (int i = 0; i < 100; i++) {
        char *room;
        ck_assert_int_eq(mst_output_room(o, MST_OUTPUT_ROOM, &room), MST_OK);
        memset(room, 'r', MST_OUTPUT_ROOM);
        mst_output_advance(o, (size_t)(1000 + i));
        total += (size_t)(1000 + i);
    }
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    size_t n;
    char *text = scratch_read(scratch("a"), &n);
    ck_assert_uint_eq(n, total);
    ck_assert_uint_eq(strspn(text, "r"), total);
    free(text);
}
END_TEST

/* Writes until something fails. */
static mst_status write_much(mst_output *o)
{
    static char block[10000];
    mst_status status = MST_OK;
    for (int i = 0; i < 100 && status == MST_OK; i++)
        status = mst_output_write(o, block, sizeof block);
    return status == MST_OK ? mst_output_commit(o) : status;
}

START_TEST(test_full_device)
{
    mst_output *o;
    ck_assert_int_eq(mst_output_open(&o, "/dev/full", false), MST_OK);
    ck_assert_int_eq(write_much(o), MST_IO);
    ck_assert_detail("cannot write /dev/full: No space left on device");
    mst_output_free(o);
    /* A few bytes fail too, at the commit. */
    ck_assert_int_eq(mst_output_open(&o, "/dev/full", false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "x", 1), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_IO);
    mst_output_free(o);
}
END_TEST

START_TEST(test_file_size_limit)
{
    const char *path = scratch_text("a.csv", "old");
    struct rlimit saved, limit;
    getrlimit(RLIMIT_FSIZE, &saved);
    limit = saved;
    limit.rlim_cur = 200000;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    mst_output *o;
    ck_assert_int_eq(openers[_i](&o, path, true), MST_OK);
    mst_status status = write_much(o);
    mst_output_free(o);
    setrlimit(RLIMIT_FSIZE, &saved);
    ck_assert_int_eq(status, MST_IO);
    ck_assert_detail("a.csv: File too large");
    check_content(path, "old");
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_devices_and_pipes)
{
    mst_output *o;
    ck_assert_int_eq(mst_output_open(&o, "/dev/null", false), MST_OK);
    ck_assert_int_eq(mst_output_rewrite(o, 0, "x", 1), MST_UNABLE);
    ck_assert_int_eq(write_much(o), MST_OK);
    mst_output_free(o);

    const char *path = scratch("fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *text = scratch_read(path, NULL);
        _exit(strcmp(text, "through the pipe") == 0 ? 0 : 1);
    }
    ck_assert_int_eq(mst_output_open(&o, path, false), MST_OK);
    ck_assert_int_eq(mst_output_write(o, "through the pipe", 16), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    int result;
    ck_assert_int_eq(waitpid(child, &result, 0), child);
    ck_assert_int_eq(result, 0);
}
END_TEST

START_TEST(test_standard_output)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    mst_output *o;
    mst_status opened = mst_output_open(&o, "-", false);
    mst_status written = mst_output_write(o, "text", 4);
    mst_status committed = mst_output_commit(o);
    mst_output_free(o);
    char text[8] = "";
    ssize_t n = read(ends[0], text, sizeof text);

    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    mst_status reopened = mst_output_open(&o, "-", false);
    mst_status broken = write_much(o);
    mst_output_free(o);
    /* Still open after the free: it was not ours to close. */
    int open_flags = fcntl(STDOUT_FILENO, F_GETFD);
    dup2(saved, STDOUT_FILENO);
    close(saved);

    ck_assert_int_eq(opened, MST_OK);
    ck_assert_int_eq(written, MST_OK);
    ck_assert_int_eq(committed, MST_OK);
    ck_assert_int_eq((int)n, 4);
    ck_assert_str_eq(text, "text");
    ck_assert_int_eq(reopened, MST_OK);
    ck_assert_int_eq(broken, MST_IO);
    ck_assert_detail("standard output");
    ck_assert_int_ge(open_flags, 0);
}
END_TEST

/* A process killed in the middle leaves no file, and an old one as it was. */
/* A checkpoint takes the place of a link and leaves alone what it names. */
START_TEST(test_own_files)
{
    mst_output *o;
    const char *path = scratch("a.checkpoint"), *precious = scratch("precious");
    scratch_text("precious", "mine");
    ck_assert_int_eq(symlink(precious, path), 0);
    for (int round = 0; round < 2; round++) { /* over the link, then over the file */
        ck_assert_int_eq(openers[_i](&o, path, MST_OUTPUT_OWN), MST_OK);
        ck_assert_int_eq(mst_output_write(o, "state", 5), MST_OK);
        ck_assert_int_eq(mst_output_commit(o), MST_OK);
        mst_output_free(o);
        struct stat info;
        ck_assert_int_eq(lstat(path, &info), 0);
        ck_assert(S_ISREG(info.st_mode));
        check_content(path, "state");
        check_content(precious, "mine");
    }
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(openers[_i](&o, path, MST_OUTPUT_OWN), MST_IO);
}
END_TEST

/* Permissions are kept, but not the right to act as somebody else. */
START_TEST(test_modes)
{
    mst_output *o;
    const char *path = scratch("a.csv");
    scratch_text("a.csv", "old");
    ck_assert_int_eq(chmod(path, 06751), 0);
    ck_assert_int_eq(openers[_i](&o, path, MST_OUTPUT_FORCE), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    ck_assert_uint_eq(mode_of(path), 0751);
}
END_TEST

static void kill_while_writing(opener *open_output, const char *path, bool force)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        mst_output *o;
        char block[100000] = "";
        if (open_output(&o, path, force) != MST_OK ||
            mst_output_write(o, block, sizeof block) != MST_OK || write(ends[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(2);
    }
    char ready;
    ck_assert_int_eq((int)read(ends[0], &ready, 1), 1);
    kill(child, SIGKILL);
    int result;
    waitpid(child, &result, 0);
    ck_assert(WIFSIGNALED(result));
    close(ends[0]);
    close(ends[1]);
}

START_TEST(test_killed)
{
    kill_while_writing(mst_output_open, scratch("a.csv"), false);
    ck_assert_uint_eq(scratch_count(), 0);
    scratch_text("a.csv", "old");
    kill_while_writing(mst_output_open, scratch("a.csv"), true);
    ck_assert_uint_eq(scratch_count(), 1);
    check_content(scratch("a.csv"), "old");
    /* Without unnamed files the temporary one stays, but the target is never half there. */
    kill_while_writing(mst_output_open_named, scratch("a.csv"), true);
    check_content(scratch("a.csv"), "old");
}
END_TEST

/* More than a buffer, and read back in the middle. */
START_TEST(memory)
{
    mst_output *o;
    char *text, many[100000];
    size_t length;
    memset(many, 'm', sizeof many);
    ASSERT_OK(mst_output_open_memory(&o));
    ASSERT_OK(mst_output_text(o, &text, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_str_eq(text, "");
    mst_release(text);
    ASSERT_OK(mst_output_write(o, "begin ", 6));
    ASSERT_OK(mst_output_write(o, many, sizeof many));
    ASSERT_OK(mst_output_text(o, &text, &length));
    ck_assert_uint_eq(length, 6 + sizeof many);
    ck_assert_mem_eq(text, "begin mm", 8);
    ck_assert_int_eq(text[length], '\0');
    mst_release(text);
    mst_output_free(o);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_loop_test(c, test_commit, 0, OPENERS);
    tcase_add_loop_test(c, test_abandon, 0, OPENERS);
    tcase_add_loop_test(c, test_existing_file, 0, OPENERS);
    tcase_add_loop_test(c, test_force_without_existing_file, 0, OPENERS);
    tcase_add_loop_test(c, test_file_appears_meanwhile, 0, OPENERS);
    tcase_add_loop_test(c, test_symbolic_links, 0, OPENERS);
    tcase_add_loop_test(c, test_own_files, 0, OPENERS);
    tcase_add_loop_test(c, test_modes, 0, OPENERS);
    tcase_add_loop_test(c, test_relative_path, 0, OPENERS);
    tcase_add_loop_test(c, test_places_that_cannot_be_written, 0, OPENERS);
    tcase_add_loop_test(c, test_no_permission, 0, OPENERS);
    tcase_add_loop_test(c, test_large_writes_and_rewrite, 0, OPENERS);
    tcase_add_loop_test(c, test_room, 0, OPENERS);
    tcase_add_loop_test(c, test_file_size_limit, 0, OPENERS);
    tcase_add_test(c, test_full_device);
    tcase_add_test(c, test_devices_and_pipes);
    tcase_add_test(c, test_standard_output);
    tcase_add_test(c, test_killed);
    tcase_add_test(c, memory);
    return run_case("output", c);
}
