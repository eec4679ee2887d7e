/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a model may be used for, by its training and by its certificate. */
#include "score/network.h"

#include <manistat/check.h>
#include <math.h>
#include <string.h>

mst_certificate_standing mst_network_certificate(const mst_network *net, mst_certificate *out)
{
    mst_network_info info = mst_network_describe(net);
    mst_certificate c;
    if (info.certificate[0] == '\0')
        return MST_CERTIFICATE_NONE;
    if (mst_certificate_parse(&c, info.certificate) != MST_OK)
        return MST_CERTIFICATE_UNREADABLE;
    if (strcmp(c.network, net->fingerprint) != 0)
        return MST_CERTIFICATE_FOREIGN;
    if (out != NULL)
        *out = c;
    return MST_CERTIFICATE_VALID;
}

static mst_time_standing say(mst_time_standing standing, double from, double to, double *low,
                             double *high)
{
    if (low != NULL)
        *low = from;
    if (high != NULL)
        *high = to;
    return standing;
}

mst_time_standing mst_network_time(const mst_network *net, double t, double *low, double *high)
{
    mst_network_info info = mst_network_describe(net);
    mst_certificate c;
    double least = info.t_min, largest = info.t_max;
    if (mst_network_certificate(net, &c) == MST_CERTIFICATE_VALID) {
        if (!(c.t_low <= c.t_high))
            return say(MST_TIME_HOPELESS, least, largest, low, high);
        least = fmax(least, c.t_low);
        largest = fmin(largest, c.t_high);
    }
    if (!mst_time_within(t, info.t_min, info.t_max))
        return say(MST_TIME_UNTRAINED, info.t_min, info.t_max, low, high);
    return say(mst_time_within(t, least, largest) ? MST_TIME_USABLE : MST_TIME_UNCERTIFIED, least,
               largest, low, high);
}
