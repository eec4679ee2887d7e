/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Our own products under another name. */
#define gemm gemm_own
#define gemm_provider gemm_own_provider
#include "net/gemm.c"
