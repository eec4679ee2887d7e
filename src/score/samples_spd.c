/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */
#include "score/samples_parts.h"
bool sample_spd_fits(const mst_manifold *m)
{
    (void)m;
    return false;
}
mst_status sample_spd(const sample_job *job)
{
    (void)job;
    return MST_OK;
}
