/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The figures of the paper and how each is made. */
#include "figures.h"

#define SPHERE_NETWORK                                                                         \
    {                                                                                          \
        "sphere-training.json",                                                                \
            "train --manifold sphere:2 --steps 4000 --width 64 --depth 3 --t-max 2 --json -o " \
            "models:figure-sphere.safetensors",                                                \
            NULL                                                                               \
    }

const figure figures[] = {
    {
        .name = "method",
        .title = "The method: from Brownian paths to a diffusion mean",
        .note = "Simulated data.",
        .steps =
            {{"paths.json",
              "sample --manifold sphere:2 --start 0.5,0.5,0.7071067811865476 --time 0.3 -n 4 "
              "--steps 400 --paths --json",
              NULL},
             SPHERE_NETWORK,
             {"field.json", NULL, figure_field},
             {"method-points.csv",
              "sample --manifold sphere:2 --start 0.5,0.5,0.7071067811865476 --time 0.3 -n 300",
              NULL},
             {"method-mean.json",
              "mean --score models:figure-sphere.safetensors results:method-points.csv --json",
              NULL}},
        .plot = "plot results:paths.json results:sphere-training.json results:field.json "
                "results:method-mean.json --columns 4",
    },
    /* Sigma is one gap between neighbours of the mean shape. */
    {
        .name = "butterflies",
        .title = "Diffusion mean of butterflies, 30 landmarks",
        .note = "Wings of swallowtails, landmarks chosen as the paper has them, moved, turned and "
                "scaled onto each other.",
        .needs = {"landmarks/butterfly_30x2.csv"},
        .steps = {{"butterflies.csv", "align --scale --dim 2 data:landmarks/butterfly_30x2.csv",
                   NULL},
                  {"butterflies.json",
                   "mean --manifold landmarks:30x2?sigma=0.05 --kind diffusion "
                   "results:butterflies.csv --json",
                   NULL}},
        .plot = "plot results:butterflies.json --outline closed:1-8,9-15,16-22,23-30",
    },
    {
        .name = "hearts",
        .title = "Diffusion mean of left ventricles, 30 landmarks",
        .note = "Substitute: contours of the Sunnybrook data instead of the paper's, which could "
                "not be had; moved, turned and scaled onto each other.",
        .needs = {"landmarks/cardiac_lv_mid_30x2.csv"},
        .steps = {{"hearts.csv", "align --scale --dim 2 data:landmarks/cardiac_lv_mid_30x2.csv",
                   NULL},
                  {"hearts.json",
                   "mean --manifold landmarks:30x2?sigma=0.05 --kind diffusion results:hearts.csv "
                   "--json",
                   NULL}},
        .plot = "plot results:hearts.json --outline closed:1-15,16-30",
    },
    {
        .name = "mnist",
        .title = "A digit that turns: the mean of half a turn",
        .note =
            "A plane learned from 200 images; of the first 100, half a turn, every fourth has a "
            "part in the means: Fréchet's, and the diffusion mean by the heat equation.",
        .needs = {"mnist/rot_mnist_200x784_f32.npy"},
        .steps = {{"ring.csv", NULL, figure_ring},
                  {"half-ring.csv", NULL, figure_half_ring},
                  {"digit.json",
                   "learn gp --latent results:ring.csv --data data:mnist/rot_mnist_200x784_f32.npy "
                   "--scale 255 --length-scale 0.2 --noise 1e-4 --shape 28x28 -o "
                   "results:digit.gp --json --force",
                   NULL},
                  {"digit-frechet.json",
                   "mean --manifold results:digit.gp --kind frechet results:half-ring.csv --json",
                   NULL},
                  {"digit-diffusion.json",
                   "mean --manifold results:digit.gp --score pde results:half-ring.csv --json",
                   NULL}},
        .plot = "plot results:digit-frechet.json results:digit-diffusion.json",
    },
    {
        .name = "sphere",
        .title = "The published points on the sphere",
        .needs = {"synthetic/S2.csv"},
        .steps = {SPHERE_NETWORK,
                  {"sphere.json",
                   "mean --score models:figure-sphere.safetensors data:synthetic/S2.csv --json",
                   NULL},
                  {"sphere-trace.json", NULL, figure_sphere_trace}},
        .plot = "plot results:sphere.json results:sphere-trace.json",
    },
    {
        .name = "landmarks",
        .title = "The published pairs of landmarks",
        .needs = {"synthetic/LM2.csv"},
        .note = "The score is that of the expansion for small times: networks for landmarks are "
                "slow to "
                "train.",
        .steps = {{"landmarks.json",
                   "mean --manifold landmarks:2x2?sigma=0.5 --kind diffusion "
                   "data:synthetic/LM2.csv --json",
                   NULL},
                  {"landmarks-trace.json", NULL, figure_landmark_trace}},
        .plot = "plot results:landmarks.json results:landmarks-trace.json --outline none",
    },
    {
        .name = "dti",
        .title = "Fr\u00e9chet mean of diffusion tensors, by score and in closed form",
        .note =
            "Substitute: tensors of a region of 10\u00b3 voxels of a human brain instead of the "
            "paper's, which are not public.",
        .needs = {"dti/small64_tensors.csv"},
        .steps = {{"dti-training.json",
                   "train --manifold spd:3 --t 0.3 --around data:dti/small64_tensors.csv --steps "
                   "3000 --json -o models:figure-dti.safetensors",
                   NULL},
                  {"dti-score.json",
                   "mean --kind frechet --score models:figure-dti.safetensors "
                   "data:dti/small64_tensors.csv --json",
                   NULL},
                  {"dti-closed.json",
                   "mean --manifold spd:3 --kind frechet data:dti/small64_tensors.csv --json",
                   NULL}},
        .plot = "plot results:dti-score.json results:dti-closed.json",
    },
    {
        .name = "heads",
        .title = "Head poses of AFLW2000 in three clusters",
        .note = "Rotations that turn a frontal head into the pose that is seen; z is where the "
                "head looks.",
        .needs = {"headpose/aflw2000_quat_s3.csv"},
        .steps = {{"poses.csv", NULL, figure_poses},
                  {"heads.json", "kmeans --manifold so3 -k 3 results:poses.csv --json", NULL}},
        .plot = "plot results:heads.json --width 174",
    },
    {
        .name = "kmeans",
        .title = "k-means, k = 4",
        .note = "(a) is of simulated data, (b) of butterflies.",
        .needs = {"landmarks/butterfly_100x2.csv"},
        .steps = {{"swarms.csv", NULL, figure_swarms},
                  {"swarms.json", "kmeans --manifold sphere:2 -k 4 results:swarms.csv --json",
                   NULL},
                  {"outlines.csv", NULL, figure_outlines},
                  {"outlines.json",
                   "kmeans --manifold kendall:20x2 -k 4 results:outlines.csv --json", NULL}},
        .plot = "plot results:swarms.json results:outlines.json --outline "
                "closed:1-5,6-10,11-15,16-20",
    },
    {
        .name = "regression",
        .title = "Geodesic regression on the sphere",
        .note = "Simulated data.",
        .steps = {{"line-x.csv", NULL, figure_line_x},
                  {"line-y.csv", NULL, figure_line_y},
                  {"regression.json",
                   "regress --manifold sphere:2 --y results:line-y.csv --x results:line-x.csv "
                   "--json",
                   NULL}},
        .plot = "plot results:regression.json",
    },
    {
        .name = "headpose",
        .title = "Where faces look: regression by a network, with the predictive density",
        .note = "AFLW2000; every fifth face is held out, and of those the three that look nearest "
                "to 45\u00b0 left, ahead and 45\u00b0 right are shown.",
        .needs = {"headpose/aflw2000_quat_s3.csv", "headpose/aflw2000_landmarks68x2.csv"},
        .steps = {{"faces.csv", NULL, figure_faces},
                  {"looks.csv", NULL, figure_looks},
                  {"new-faces.csv", NULL, figure_new_faces},
                  {"headpose-fit.json",
                   "regress --manifold sphere:2 --curve network --noise network --y "
                   "results:looks.csv --x results:faces.csv --predict results:new-faces.csv --json",
                   NULL},
                  {"look-left.json", NULL, figure_left_look},
                  {"look-ahead.json", NULL, figure_ahead_look},
                  {"look-right.json", NULL, figure_right_look}},
        .plot = "plot results:look-left.json results:look-ahead.json results:look-right.json",
    },
    {
        .name = "dimension",
        .title = "Run time and error over the dimension of the sphere",
        .note = "1000 points at t = 0.5 on spheres of 2 to 20 dimensions; 1500 steps of training "
                "for each network, 16 bridges for each point, left out where they would take "
                "more than three minutes.",
        .needs = {"synthetic/S2.csv"},
        .steps = {{"timing.json",
                   "reproduce timing --data data:synthetic --models models: --steps 1500 --paths "
                   "16 --patience 3 --json",
                   NULL},
                  {"errors.json", NULL, figure_errors}},
        .plot = "plot results:timing.json results:errors.json",
    },
};
const size_t figure_count = sizeof figures / sizeof *figures;
