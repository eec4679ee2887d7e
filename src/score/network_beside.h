/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What stands beside a network and answers where it knows that it is better. */
#ifndef MST_SCORE_NETWORK_BESIDE_H
#define MST_SCORE_NETWORK_BESIDE_H

#include "score/network.h"

typedef struct network_beside network_beside;

/* Null where there is nothing. The network is borrowed. */
MST_MUST_USE mst_status network_beside_new(network_beside **out, const mst_network *net);
void network_beside_free(network_beside *b); /* null allowed */
/* Of a row, in microseconds. */
double network_beside_cost(const network_beside *b);
/* Rows of the network, in place, with what the others say. From several threads at once. */
MST_MUST_USE mst_status network_beside_join(network_beside *b, const mst_pairs *pairs,
                                            const mst_heat_values *out);
/* What share of the rows each of the two answers; the network has the rest. */
MST_MUST_USE mst_status network_beside_shares(network_beside *b, const mst_pairs *pairs,
                                              double *spectral, double *expansion);

#endif
