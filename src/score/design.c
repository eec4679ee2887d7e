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
const char *const targets_names[] = {
#define TARGETS_NAME(constant, name, what) [MST_TARGETS_##constant] = #name,
    MST_TARGETS_LIST(TARGETS_NAME)
#undef TARGETS_NAME
        NULL};
enum { TARGETS = sizeof targets_names / sizeof *targets_names - 1 };
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

const char *mst_targets_name(mst_targets targets)
{
    return targets_names[(size_t)targets < TARGETS ? targets : MST_TARGETS_UNKNOWN];
}

const char *mst_targets_text(mst_targets targets)
{
    static const char *const texts[] = {
#define TARGETS_TEXT(constant, name, what) [MST_TARGETS_##constant] = what,
        MST_TARGETS_LIST(TARGETS_TEXT)
#undef TARGETS_TEXT
    };
    return texts[(size_t)targets < TARGETS ? targets : MST_TARGETS_UNKNOWN];
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
