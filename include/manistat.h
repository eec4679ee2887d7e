/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* manistat: statistics of data on curved spaces. Include this header; the ones below it are its parts. */
#ifndef MANISTAT_H
#define MANISTAT_H

#include <manistat/align.h>
#include <manistat/brownian.h>
#include <manistat/check.h>
#include <manistat/cluster.h>
#include <manistat/constraint.h>
#include <manistat/covariance.h>
#include <manistat/curve.h>
#include <manistat/distances.h>
#include <manistat/examine.h>
#include <manistat/geodesic.h>
#include <manistat/heat.h>
#include <manistat/io.h>
#include <manistat/learned.h>
#include <manistat/manifold.h>
#include <manistat/mean.h>
#include <manistat/metric.h>
#include <manistat/network.h>
#include <manistat/plot.h>
#include <manistat/points.h>
#include <manistat/random.h>
#include <manistat/regress.h>
#include <manistat/sample_test.h>
#include <manistat/score.h>
#include <manistat/shrink.h>
#include <manistat/signals.h>
#include <manistat/status.h>
#include <manistat/terms.h>
#include <manistat/train.h>
#include <manistat/uniformity.h>
#include <manistat/version.h>

#endif
