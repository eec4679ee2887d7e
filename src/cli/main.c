/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"
#include "program.h"
#include "provenance.h"
#include "shrinkage.h"
#include "util/clock.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The exit statuses that scripts rely on. */
enum { DONE = 0, NOT_CONVERGED = 1, BAD_INPUT = 2, FAILED = 3, STOPPED = 130 };

static int exit_status(const invocation *inv, mst_status status)
{
    switch (status) {
    case MST_OK:
        return DONE;
    case MST_CONVERGENCE:
        return NOT_CONVERGED;
    case MST_ARGUMENT:
    case MST_DOMAIN:
    case MST_FORMAT:
        return BAD_INPUT;
    case MST_IO:
        return inv->output_failed ? FAILED : BAD_INPUT;
    case MST_INTERRUPTED:
        return STOPPED;
    case MST_UNABLE:
    case MST_BREAKDOWN:
    case MST_MEMORY:
        break;
    }
    return FAILED;
}

/* Has the reader of our output gone, as in `manistat … | head`? Then there is nobody to complain to. */
static bool reader_left(const invocation *inv)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return inv->output_failed && poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/* The place in a text that an error is about: its line, and a caret below. */
static void print_excerpt(const char *excerpt)
{
    const char *line = excerpt, *end;
    for (; line[0] != '\0'; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        fprintf(stderr, "    %.*s\n", (int)(end - line), line);
    }
}

static int finish(invocation *inv, mst_status status)
{
    if (status == MST_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        inv->output_failed = true;
        status = mst_fail(MST_IO, "cannot write to standard output; is the disk full?");
    }
    /* Whatever a signal made fail, the signal is the reason. */
    if (status != MST_OK && interrupted() && !inv->stopped_well)
        status = mst_fail(MST_INTERRUPTED, "interrupted; no file was written");
    if (status != MST_OK && !reader_left(inv)) {
        const char *detail = mst_error_detail();
        print_message(inv, detail[0] != '\0' ? detail : mst_status_sentence(status));
        print_excerpt(mst_error_excerpt());
    }
    return exit_status(inv, status);
}

int main(int argc, char **argv)
{
    catch_signals();
    struct shrink_tally shrunk = {0};
    provenance made_by;
    struct messages said = {0};
    invocation inv = {
        .started = mst_clock_seconds(), .shrunk = &shrunk, .made_by = &made_by, .said = &said};
    mst_status status = provenance_begin(&made_by, argc, argv);
    if (status == MST_OK)
        status = run_program(&inv, argc, argv);
    int code = finish(&inv, status);
    provenance_free(&made_by);
    return code;
}
