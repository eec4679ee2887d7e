/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* `test --uniform`: is one sample more than uniform random numbers? */
#ifndef MST_CLI_TEST_UNIFORM_H
#define MST_CLI_TEST_UNIFORM_H

#include "options.h"

extern const option option_uniform;
MST_MUST_USE mst_status test_uniform(invocation *inv);

#endif
