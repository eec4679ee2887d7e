/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What decides the shape of a network. The list below is the only one: the struct, the defaults, the
 * metadata of model files and what a resumed training is compared by are made from it, and members of the
 * same names stand in mst_train_options and mst_network_info. */
#ifndef MST_SCORE_DESIGN_H
#define MST_SCORE_DESIGN_H

#include "util/fields.h"

#include <manistat/network.h>

/* X(type, name, default, kind, least, largest, names), in the order of the metadata. A width of 0 is a
 * question that the training answers. */
#define NETWORK_DESIGN(X)                                                   \
    X(mst_activation, activation, MST_SILU, CHOICE, 0, 0, activation_names) \
    X(size_t, width, 0, COUNT, 1, 65536, NULL)                              \
    X(size_t, depth, 3, COUNT, 1, 64, NULL)                                 \
    X(bool, energy, false, FLAG, 0, 1, NULL)                                \
    X(bool, time_head, false, FLAG, 0, 1, NULL)                             \
    X(bool, plain, false, FLAG, 0, 1, NULL)

typedef struct network_design {
#define DESIGN_MEMBER(type, name, usual, kind, least, largest, names) type name;
    NETWORK_DESIGN(DESIGN_MEMBER)
#undef DESIGN_MEMBER
} network_design;

#define DESIGN_ONE(type, name, usual, kind, least, largest, names) +1
enum { DESIGN_FIELDS = 0 NETWORK_DESIGN(DESIGN_ONE) };
#undef DESIGN_ONE
/* The members of network_design. */
extern const named_field design_fields[DESIGN_FIELDS];

/* Names of enums, a null at the end. */
extern const char *const activation_names[], *const loss_names[], *const targets_names[];

#endif
