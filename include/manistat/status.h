/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a manistat function can answer. Every function that may fail returns an mst_status; the
 * sentence below says what kind of failure it was, mst_error_detail() says which argument, value,
 * file, row or column. The library never prints and never exits.
 *
 * Functions with options take null for the defaults. Else fill the struct by its mst_X_options_default() and
 * change members: that sets `size`, by which a later library sees what the program does not know yet and
 * takes the defaults for it. A struct without a size is MST_ARGUMENT. */
#ifndef MANISTAT_STATUS_H
#define MANISTAT_STATUS_H

#include <stddef.h>

#if defined _WIN32
#define MST_API
#elif defined __GNUC__
#define MST_API __attribute__((visibility("default")))
#else
#define MST_API
#endif

#if defined __GNUC__
#define MST_MUST_USE __attribute__((warn_unused_result))
#else
#define MST_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, sentence */
#define MST_STATUS_LIST(X)                                     \
    X(OK, 0, "success")                                        \
    X(ARGUMENT, -1, "an argument is invalid")                  \
    X(DOMAIN, -2, "a value lies outside the domain")           \
    X(CONVERGENCE, -3, "the iteration did not converge")       \
    X(UNABLE, -4, "no method is available for this case")      \
    X(BREAKDOWN, -5, "the computation broke down numerically") \
    X(MEMORY, -6, "out of memory")                             \
    X(IO, -7, "a file could not be read or written")           \
    X(FORMAT, -8, "a file does not have the expected format")  \
    X(INTERRUPTED, -9, "interrupted")

typedef enum mst_status {
#define MST_STATUS_ENUM(name, value, sentence) MST_##name = (value),
    MST_STATUS_LIST(MST_STATUS_ENUM)
#undef MST_STATUS_ENUM
} mst_status;

/* The constant's name ("MST_DOMAIN") and its sentence; "unknown status" for any other number. */
MST_API const char *mst_status_name(mst_status status);
MST_API const char *mst_status_sentence(mst_status status);

/* One line about the last failure on the calling thread; "" if there was none. Valid until the next
 * failing call on this thread. Rows, matrices and paths are counted from 1, and members of options stand in
 * backquotes: "take a smaller `t_max`". */
MST_API const char *mst_error_detail(void);

/* Where the failure is in a text that was read, as two lines, one of the text and one with a caret; "" if it
 * is in none. As long valid as the detail. */
MST_API const char *mst_error_excerpt(void);

/* Record the one-line detail and give the status back, so that a user-defined manifold can end with
 * `return mst_fail(MST_DOMAIN, "radius %g is negative", r);`. Cut at 511
 * bytes; control characters become question marks. */
MST_API mst_status mst_fail(mst_status status, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 2, 3), cold))
#endif
    ;

/* Called by long computations now and then, always on the calling thread, with the work done and the
 * whole of it in units of the algorithm. A non-zero answer stops the computation with
 * MST_INTERRUPTED. A null `report` means: no reports. */
typedef struct mst_progress {
    int (*report)(void *user, double done, double total);
    void *user;
} mst_progress;

#ifdef __cplusplus
}
#endif
#endif
