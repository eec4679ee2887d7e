/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/network.h"

#include <manistat/version.h>
#include <math.h>
#include <string.h>

mst_status network_new(mst_network **out, const mst_manifold *m, const network_design *design)
{
    MST_TRY(mst_allocate_zero(out, 1));
    mst_network *net = *out;
    net->m = m;
    mst_status status = features_new(&net->features, m, design->plain, design->energy);
    if (status == MST_OK) {
        size_t scores = design->energy ? 1 : net->features->outputs;
        net->shape =
            (mlp_shape){.inputs = net->features->inputs,
                        .width = design->width,
                        .depth = design->depth,
                        .outputs = scores + (design->time_head ? 1 : 0),
                        .activation = design->activation == MST_TANH ? MLP_TANH : MLP_SILU};
        status = mst_allocate_zero(&net->theta, mlp_parameters(&net->shape));
    }
    if (status == MST_OK)
        status = mst_copy_string(&net->spec, mst_manifold_spec(m));
    if (status == MST_OK)
        status = mst_copy_string(&net->version, mst_version());
    if (status == MST_OK)
        status = mst_copy_string(&net->certificate, "");
    if (status != MST_OK) {
        mst_network_free(net);
        *out = NULL;
        return status;
    }
    net->info = (mst_network_info){.inputs = net->shape.inputs,
                                   .outputs = net->shape.outputs,
                                   .reach = NAN,
                                   .excess = NAN,
                                   .kappa = NAN,
#define KNOWN(type, name, ...) .name = design->name,
                                   NETWORK_DESIGN(KNOWN)
#undef KNOWN
    };
    for (size_t k = 0; k <= design->depth; k++) {
        mlp_layer layer = mlp_layer_at(&net->shape, k);
        net->info.parameters += layer.rows * (layer.columns + 1);
    }
    return MST_OK;
}

void mst_network_free(mst_network *net)
{
    if (net == NULL)
        return;
    features_free(net->features);
    mst_release(net->theta);
    mst_release(net->spec);
    mst_release(net->version);
    mst_release(net->certificate);
    mst_release(net->centre);
    mst_manifold_free(net->owned);
    mst_release(net);
}

mst_network_info mst_network_describe(const mst_network *net)
{
    mst_network_info info = net->info;
    info.manifold = net->spec;
    info.version = net->version;
    info.certificate = net->certificate;
    info.centre = net->centre;
    return info;
}

mst_status network_set_reach(mst_network *net, const double *centre, double reach)
{
    size_t D = mst_manifold_ambient(net->m);
    mst_release(net->centre);
    net->centre = NULL;
    net->info.reach = NAN;
    if (!(reach > 0 && reach < INFINITY))
        return MST_OK;
    MST_TRY(mst_allocate(&net->centre, D));
    memcpy(net->centre, centre, D * sizeof *centre);
    net->info.reach = reach;
    return MST_OK;
}

const mst_manifold *mst_network_manifold(const mst_network *net)
{
    return net->m;
}

mst_status mst_network_certify(mst_network *net, const char *certificate)
{
    char *copy;
    MST_TRY(mst_copy_string(&copy, certificate));
    mst_release(net->certificate);
    net->certificate = copy;
    mst_network_fingerprint(net, net->fingerprint);
    return MST_OK;
}
