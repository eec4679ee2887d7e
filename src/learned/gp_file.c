/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Gaussian processes in files: latent points, data and hyper-parameters. What follows from them is computed
 * again when the file is opened, so nothing in it can contradict the rest. */
#include "learned/gp.h"

#include <string.h>

mst_status gp_pack(const learned *l, learned_pack *p)
{
    const gp *g = (const gp *)l;
    learned_pack_number(p, "variance", g->variance);
    learned_pack_number(p, "length_scale", g->length_scale);
    learned_pack_number(p, "noise", g->noise);
    learned_pack_text(p, "centre", g->centred ? "1" : "0");
    MST_TRY(learned_pack_tensor(p, &(tensor){.name = "latent",
                                             .type = TENSOR_F64,
                                             .rank = 2,
                                             .shape = {l->n, l->d},
                                             .data = l->latent}));
    return learned_pack_tensor(
        p,
        &(tensor){
            .name = "data", .type = TENSOR_F64, .rank = 2, .shape = {l->n, l->D}, .data = g->data});
}

/* All that can be judged before memory is taken. */
static mst_status judge(const learned_reading *r, const gp_numbers *n, const tensor *latent,
                        const tensor *data)
{
    if (latent->shape[0] != data->shape[0])
        return mst_fail(MST_FORMAT, "%s: %zu latent points, but %zu rows of data", r->name,
                        latent->shape[0], data->shape[0]);
    if (latent->shape[0] < 2 || latent->shape[0] > GP_MOST_POINTS)
        return mst_fail(MST_FORMAT, "%s: %zu latent points; from 2 to %d are possible", r->name,
                        latent->shape[0], GP_MOST_POINTS);
    if (!(n->variance > 0 && n->length_scale > 0 && n->noise >= 0))
        return mst_fail(MST_FORMAT,
                        "%s: variance %g, length_scale %g and noise %g are no hyper-parameters",
                        r->name, n->variance, n->length_scale, n->noise);
    return MST_OK;
}

mst_status gp_read(mst_manifold **out, const learned_reading *r)
{
    gp_numbers numbers;
    const tensor *latent, *data;
    mst_gp_options o = mst_gp_options_default();
    *out = NULL;
    MST_TRY(learned_read_number(r, "variance", &numbers.variance));
    MST_TRY(learned_read_number(r, "length_scale", &numbers.length_scale));
    MST_TRY(learned_read_number(r, "noise", &numbers.noise));
    MST_TRY(learned_read_tensor(r, "latent", 2, &latent));
    MST_TRY(learned_read_tensor(r, "data", 2, &data));
    MST_TRY(judge(r, &numbers, latent, data));
    MST_TRY(learned_read_shape(r, data->shape[1], &o.height, &o.width));
    const char *centre = tensors_text(r->t, "centre");
    if (centre == NULL || (strcmp(centre, "0") != 0 && strcmp(centre, "1") != 0))
        return mst_fail(MST_FORMAT, "%s: the metadata must say centre = 0 or 1", r->name);
    o.centre = centre[0] == '1';
    o.variance = numbers.variance;
    o.length_scale = numbers.length_scale;
    o.noise = numbers.noise;
    o.uncertainty = r->uncertainty;
    return mst_gp_learn(out, r->spec, latent->shape[0], latent->shape[1], latent->data,
                        data->shape[1], data->data, &o);
}
