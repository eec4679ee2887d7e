/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a certificate is bound to: everything that decides what the network answers. */
#include "manifold/formula_content.h"
#include "score/network.h"
#include "util/sha256.h"

#include <string.h>

#define INFO_DESIGN(type, name, usual, kind, least, largest, names) \
    {#name, FIELD_##kind, offsetof(mst_network_info, name), least, largest, names},
static const named_field fields[] = {
    NETWORK_DESIGN(INFO_DESIGN){"t_min", FIELD_NUMBER, offsetof(mst_network_info, t_min), 0, 0,
                                NULL},
    {"t_max", FIELD_NUMBER, offsetof(mst_network_info, t_max), 0, 0, NULL}};
#undef INFO_DESIGN

/* With its final 0, so that texts one after the other cannot be confused. */
static void add_text(mst_sha256 *h, const char *text)
{
    mst_sha256_add(h, text, strlen(text) + 1);
}

void mst_network_fingerprint(const mst_network *net, char out[MST_FINGERPRINT])
{
    mst_sha256 h = mst_sha256_begin();
    char value[FIELD_TEXT];
    add_text(&h, net->spec);
    for (size_t f = 0; f < mst_manifold_factor_count(net->m); f++) {
        const char *text = mst_manifold_content(mst_manifold_factor(net->m, f));
        if (text != NULL)
            add_text(&h, text);
    }
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        field_write(&fields[k], &net->info, value);
        add_text(&h, value);
    }
    if (net->centre != NULL)
        mst_sha256_add(&h, net->centre, mst_manifold_ambient(net->m) * sizeof *net->centre);
    mst_sha256_add(&h, net->theta, mlp_parameters(&net->shape) * sizeof *net->theta);
    mst_sha256_end(&h, out);
}
