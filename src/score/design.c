/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/design.h"

#include <string.h>

const char *const activation_names[] = {[MST_SILU] = "silu", [MST_TANH] = "tanh", NULL};

const char *const loss_names[] = {
#define LOSS_NAME(constant, name, what) [MST_LOSS_##constant] = #name,
    MST_LOSS_LIST(LOSS_NAME)
#undef LOSS_NAME
        NULL};
enum { LOSSES = sizeof loss_names / sizeof *loss_names - 1 };

const named_field design_fields[] = {
#define DESIGN_FIELD(type, name, usual, kind, least, largest, names) \
    {#name, FIELD_##kind, offsetof(network_design, name), least, largest, names},
    NETWORK_DESIGN(DESIGN_FIELD)
#undef DESIGN_FIELD
};

const char *mst_loss_name(mst_loss loss)
{
    return (size_t)loss < LOSSES ? loss_names[loss] : "unknown";
}

bool mst_loss_parse(mst_loss *out, const char *name)
{
    for (size_t k = 0; k < LOSSES; k++)
        if (strcmp(name, loss_names[k]) == 0) {
            *out = (mst_loss)k;
            return true;
        }
    return false;
}
