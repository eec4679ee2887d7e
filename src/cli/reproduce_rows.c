/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The data sets of the paper. Numbers of the paper stand here where they are known to us, and are 0
 * elsewhere. In flat space there is little to learn; spheres of many dimensions take longer. */
#include "reproduce.h"

const char *const paper_tables[] = {"table1", "table2", "timing", NULL};

#define FLAT(title, spec, path)                                                        \
    {                                                                                  \
        .table = TABLE_1, .name = title, .manifold = spec, .file = path, .effort = 0.5 \
    }
#define SPHERE(title, spec, path, ...)                                               \
    {                                                                                \
        .table = TABLE_1, .name = title, .manifold = spec, .file = path, __VA_ARGS__ \
    }
#define MATRIX(title, spec, path)                                                             \
    {                                                                                         \
        .table = TABLE_1, .name = title, .manifold = spec, .file = path, .start = START_ONES, \
        .effort = 0.5                                                                         \
    }
/* The published P(n) are flat Brownian motion; seen with the affine-invariant metric the same points are a
 * hundred times closer together. */
#define POSITIVE_FLAT(title, spec, path)                                               \
    {                                                                                  \
        .table = TABLE_2, .name = title, .manifold = spec, .file = path, .effort = 0.5 \
    }
#define POSITIVE_AFFINE(title, spec, drawn_on, path)                                        \
    {                                                                                       \
        .table = TABLE_2, .name = title, .manifold = spec, .drawn = drawn_on, .file = path, \
        .t_min = 0.0005, .t_max = 0.05                                                      \
    }
#define LANDMARKS(title, spec, path)                                                          \
    {                                                                                         \
        .table = TABLE_2, .name = title, .manifold = spec, .file = path, .start = START_LINE, \
        .batch = 1024, .effort = 1.5                                                          \
    }
#define TIMED(title, spec, path)                                                          \
    {                                                                                     \
        .table = TABLE_TIMING, .name = title, .manifold = spec, .file = path, .effort = 4 \
    }

const paper_row paper_rows[] = {
    FLAT("R2", "euclidean:2", "R2.csv"),
    FLAT("R3", "euclidean:3", "R3.csv"),
    FLAT("R5", "euclidean:5", "R5.csv"),
    FLAT("R10", "euclidean:10", "R10.csv"),
    SPHERE("S2", "sphere:2", "S2.csv", .paper_mean = 0.0022, .paper_time = 0.0096,
           .paper_frechet = 0.135, .effort = 2),
    SPHERE("S3", "sphere:3", "S3.csv", .paper_mean = 0.0027, .paper_time = 0.0060, .effort = 2),
    SPHERE("S5", "sphere:5", "S5.csv", .paper_mean = 0.0107, .paper_time = 0.0074, .effort = 2),
    SPHERE("S10", "sphere:10", "S10.csv", .rows = 100, .paper_mean = 0.0771, .paper_time = 0.0198,
           .paper_frechet = 1.55, .effort = 4),
    MATRIX("Sym2", "sym:2", "Sym2.csv"),
    MATRIX("Sym3", "sym:3", "Sym3.csv"),
    MATRIX("Sym5", "sym:5", "Sym5.csv"),
    POSITIVE_FLAT("P2-flat", "spd:2?metric=frobenius", "SPDN2.csv"),
    POSITIVE_FLAT("P3-flat", "spd:3?metric=frobenius", "SPDN3.csv"),
    POSITIVE_FLAT("P5-flat", "spd:5?metric=frobenius", "SPDN5.csv"),
    POSITIVE_AFFINE("P2", "spd:2", "spd:2?metric=frobenius", "SPDN2.csv"),
    POSITIVE_AFFINE("P3", "spd:3", "spd:3?metric=frobenius", "SPDN3.csv"),
    POSITIVE_AFFINE("P5", "spd:5", "spd:5?metric=frobenius", "SPDN5.csv"),
    LANDMARKS("LM2", "landmarks:2x2?sigma=0.5", "LM2.csv"),
    LANDMARKS("LM3", "landmarks:3x2?sigma=0.5", "LM3.csv"),
    LANDMARKS("LM5", "landmarks:5x2?sigma=0.5", "LM5.csv"),
    {.table = TABLE_2,
     .name = "DTI",
     .manifold = "spd:3",
     .file = "../dti/small64_tensors.csv",
     .limit_time = 0.3,
     .effort = 3},
    TIMED("S2", "sphere:2", "S2.csv"),
    TIMED("S3", "sphere:3", "S3.csv"),
    TIMED("S5", "sphere:5", "S5.csv"),
    TIMED("S10", "sphere:10", "S10.csv"),
    TIMED("S20", "sphere:20", "S20.csv"),
};
const size_t paper_row_count = sizeof paper_rows / sizeof *paper_rows;
