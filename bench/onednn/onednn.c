/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The products of oneDNN under another name. */
#define MST_GEMM_DNNL
#define gemm gemm_onednn
#define gemm_provider gemm_onednn_provider
#include "net/gemm.c"
