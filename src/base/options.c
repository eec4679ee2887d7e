/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/options.h"

#include <manistat/version.h>
#include <string.h>

mst_status mst_take_options(void *out, size_t size, const void *given, const char *type)
{
    size_t known;
    if (given == NULL)
        return MST_OK;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known)
        return mst_fail(MST_ARGUMENT, "%s: the member size is %zu; begin with %s_default()", type,
                        known, type);
    /* What it asks for beyond our end cannot be done, and nobody would notice. */
    if (known > size)
        return mst_fail(MST_ARGUMENT,
                        "%s: %zu bytes are more than the %zu that this library (%s) knows; the "
                        "program was built for a newer one",
                        type, known, size, mst_version());
    memcpy(out, given, known);
    memcpy(out, &size, sizeof size);
    return MST_OK;
}
