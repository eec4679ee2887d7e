/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_UTIL_CLOCK_H
#define MST_UTIL_CLOCK_H

/* Seconds since some moment in the past; never set back. */
double mst_clock_seconds(void);
/* Seconds of the processor that all threads of the process have had: what others do does not count. */
double mst_clock_processor_seconds(void);

#endif
