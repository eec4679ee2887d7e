/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The commands. A new one is a file that defines `const command command_NAME` and a line here. */
#ifndef MST_CLI_COMMANDS_H
#define MST_CLI_COMMANDS_H

#include "options.h"

#define COMMAND_LIST(X) \
    X(manifolds)        \
    X(sample)           \
    X(heat)             \
    X(exp)              \
    X(log)              \
    X(dist)             \
    X(geodesic)         \
    X(train)            \
    X(check)            \
    X(learn)            \
    X(decode)           \
    X(mean)             \
    X(test)             \
    X(kmeans)           \
    X(mixture)          \
    X(regress)          \
    X(align)            \
    X(cov)              \
    X(plot)             \
    X(report)           \
    X(reproduce)        \
    X(info)             \
    X(help)

#define DECLARE_COMMAND(name) extern const command command_##name;
COMMAND_LIST(DECLARE_COMMAND)
#undef DECLARE_COMMAND

extern const command *const commands[]; /* in the order of help; ends with null */

#endif
