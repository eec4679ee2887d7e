/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The version that a program is compiled with, and the one that it runs with. Before 1.0 a minor version may
 * change the interface; a patch never does. */
#ifndef MANISTAT_VERSION_H
#define MANISTAT_VERSION_H

#include <manistat/status.h>

#define MST_VERSION_MAJOR 0
#define MST_VERSION_MINOR 1
#define MST_VERSION_PATCH 0

/* One number to compare: 102 is 0.1.2, 10203 is 1.2.3. */
#define MST_VERSION_NUMBER (MST_VERSION_MAJOR * 10000 + MST_VERSION_MINOR * 100 + MST_VERSION_PATCH)

/* "0.1.0" */
#define MST_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define MST_VERSION_TEXT(major, minor, patch) MST_VERSION_TEXT_(major, minor, patch)
#define MST_VERSION MST_VERSION_TEXT(MST_VERSION_MAJOR, MST_VERSION_MINOR, MST_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* MST_VERSION of the library that is running. */
MST_API const char *mst_version(void);
/* The instruction set whose versions of the inner loops run here: "generic", "v3" (AVX2) or "v4" (AVX-512);
 * the same seed gives the same bits for one version and one of these. MANISTAT_ISA lowers it. */
MST_API const char *mst_instruction_set(void);

#ifdef __cplusplus
}
#endif
#endif
