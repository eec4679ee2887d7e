/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_CLI_PROGRAM_H
#define MST_CLI_PROGRAM_H

#include "options.h"

/* Runs the command line; argv[0] is the program. The detail of a failure is for the caller to print. */
MST_MUST_USE mst_status run_program(invocation *inv, int argc, char **argv);

#endif
