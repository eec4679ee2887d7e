/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* C is cut into tiles of up to ROWS rows and two registers of columns, which stay in registers over a piece
 * of k. B goes through a panel on the stack, as wide as a tile; A is read where it stands, one number at a
 * time: that costs no more than reading a packed copy, and the copy is saved. */
#include "base/hot.h"
#include "net/sgemm_kernels.h"

#include <stdbool.h>
#include <string.h>

#if defined __AVX512F__
enum { LANES = 16, ROWS = 14 };
#elif defined __AVX2__
enum { LANES = 8, ROWS = 6 };
#else
enum { LANES = 4, ROWS = 6 };
#endif
enum { WIDTH = 2 * LANES, KC = 512, NARROW = 16, PIECE = 64 };

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef float vf_loose __attribute__((vector_size(4 * LANES), aligned(4)));
typedef float v4 __attribute__((vector_size(16)));
typedef float v4_loose __attribute__((vector_size(16), aligned(4)));

static inline vf load(const float *p)
{
    return (vf) * (const vf_loose *)p;
}

static inline void store(float *p, vf v)
{
    *(vf_loose *)p = (vf_loose)v;
}

/* A tile of `rows` rows and `vectors` registers: both are constants where this is inlined, and the sums stay
 * in registers only if all loops over them are unrolled. B has rows of ldb. */
#define EACH_ROW _Pragma("GCC unroll 14") for (size_t i = 0; i < ROWS; i++) if (i < rows)

static inline __attribute__((always_inline)) void tile(size_t rows, size_t vectors, bool along,
                                                       size_t k, const float *a, size_t step,
                                                       const float *b, size_t ldb, float beta,
                                                       float *c, size_t ldc)
{
    vf first[ROWS], second[ROWS];
    EACH_ROW first[i] = second[i] = (vf){0};
    /* Rows of A by threes, so that their addresses are a base and one or two steps. */
    const float *p0 = a, *p1 = a + 3 * step, *p2 = a + 6 * step, *p3 = a + 9 * step,
                *p4 = a + 12 * step;
    for (size_t l = 0; l < k; l++) {
        vf b0 = load(b), b1 = vectors > 1 ? load(b + LANES) : b0;
        b += ldb;
        EACH_ROW
        {
            const float *p = i < 3 ? p0 : i < 6 ? p1 : i < 9 ? p2 : i < 12 ? p3 : p4;
            float x = along ? p0[i] : p[(i % 3) * step];
            first[i] += x * b0;
            if (vectors > 1)
                second[i] += x * b1;
        }
        if (along)
            p0 += step;
        else
            p0++, p1++, p2++, p3++, p4++;
    }
    if (beta != 0)
        EACH_ROW
        {
            first[i] += beta * load(c + i * ldc);
            if (vectors > 1)
                second[i] += beta * load(c + i * ldc + LANES);
        }
    EACH_ROW
    {
        store(c + i * ldc, first[i]);
        if (vectors > 1)
            store(c + i * ldc + LANES, second[i]);
    }
}

typedef void tile_function(size_t k, const float *a, size_t step, const float *b, size_t ldb,
                           float beta, float *c, size_t ldc);

#define TILE(name, rows, vectors, along)                                                         \
    static __attribute__((noinline)) void name(size_t k, const float *a, size_t step,            \
                                               const float *b, size_t ldb, float beta, float *c, \
                                               size_t ldc)                                       \
    {                                                                                            \
        tile(rows, vectors, along, k, a, step, b, ldb, beta, c, ldc);                            \
    }
#define TILES(rows)                     \
    TILE(across_one_##rows, rows, 1, 0) \
    TILE(across_two_##rows, rows, 2, 0) \
    TILE(along_one_##rows, rows, 1, 1)  \
    TILE(along_two_##rows, rows, 2, 1)
#define NAMES(rows)                             \
    {                                           \
        {across_one_##rows, across_two_##rows}, \
        {                                       \
            along_one_##rows, along_two_##rows  \
        }                                       \
    }
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
TILES(6)
#if defined __AVX512F__
TILES(7)
TILES(8)
TILES(9)
TILES(10)
TILES(11)
TILES(12)
TILES(13)
TILES(14)
#endif

static tile_function *const tiles[ROWS][2][2] = {
    NAMES(1), NAMES(2), NAMES(3), NAMES(4),  NAMES(5),  NAMES(6),
#if defined __AVX512F__
    NAMES(7), NAMES(8), NAMES(9), NAMES(10), NAMES(11), NAMES(12), NAMES(13), NAMES(14),
#endif
};

/* ---- Panels of B ---- */

/* Four columns of B, which are rows where it stands. */
static void pack_four(size_t k, const float *b, size_t ldb, float *to)
{
    size_t l = 0;
    for (; l + 4 <= k; l += 4) {
        v4 r0 = (v4) * (const v4_loose *)(b + l), r1 = (v4) * (const v4_loose *)(b + ldb + l);
        v4 r2 = (v4) * (const v4_loose *)(b + 2 * ldb + l);
        v4 r3 = (v4) * (const v4_loose *)(b + 3 * ldb + l);
        v4 s0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
        v4 s1 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
        v4 s2 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
        v4 s3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
        *(v4_loose *)(to + l * WIDTH) = (v4_loose)__builtin_shufflevector(s0, s2, 0, 1, 4, 5);
        *(v4_loose *)(to + (l + 1) * WIDTH) = (v4_loose)__builtin_shufflevector(s0, s2, 2, 3, 6, 7);
        *(v4_loose *)(to + (l + 2) * WIDTH) = (v4_loose)__builtin_shufflevector(s1, s3, 0, 1, 4, 5);
        *(v4_loose *)(to + (l + 3) * WIDTH) = (v4_loose)__builtin_shufflevector(s1, s3, 2, 3, 6, 7);
    }
    for (; l < k; l++)
        for (size_t j = 0; j < 4; j++)
            to[l * WIDTH + j] = b[j * ldb + l];
}

/* Columns 0 … n − 1 of B as rows of WIDTH, with zeros beyond. */
static void pack(size_t k, size_t n, sgemm_operand b, float *to)
{
    if (n < WIDTH)
        memset(to, 0, k * WIDTH * sizeof *to);
    if (b.column == 1) {
        for (size_t l = 0; l < k; l++)
            if (n == WIDTH) {
                store(to + l * WIDTH, load(b.at + l * b.row));
                store(to + l * WIDTH + LANES, load(b.at + l * b.row + LANES));
            } else {
                for (size_t j = 0; j < n; j++)
                    to[l * WIDTH + j] = b.at[l * b.row + j];
            }
        return;
    }
    size_t j = n / 4 * 4;
    /* Some rows of the panel at a time, which stay in the nearest cache until they are full. */
    for (size_t l = 0; l < k; l += PIECE)
        for (size_t c = 0; c < j; c += 4)
            pack_four(k - l < PIECE ? k - l : PIECE, b.at + c * b.column + l, b.column,
                      to + l * WIDTH + c);
    for (; j < n; j++)
        for (size_t l = 0; l < k; l++)
            to[l * WIDTH + j] = b.at[j * b.column + l];
}

/* ---- The product ---- */

typedef struct panel {
    const float *b;
    size_t ldb, columns;
} panel;

/* All rows of C beside a panel, in tiles of nearly the same height. */
static void multiply_panel(size_t m, size_t k, sgemm_operand a, panel p, float beta, float *c,
                           size_t ldc)
{
    size_t count = (m + ROWS - 1) / ROWS, vectors = p.columns <= LANES ? 1 : 2;
    bool along = a.row == 1, whole = p.columns == vectors * LANES;
    _Alignas(64) float room[ROWS * WIDTH];
    for (size_t t = 0, i = 0; t < count; t++) {
        size_t rows = (m - i) / (count - t);
        tile_function *run = tiles[rows - 1][along][vectors - 1];
        const float *from = a.at + i * a.row;
        float *to = c + i * ldc;
        if (whole) {
            run(k, from, along ? a.column : a.row, p.b, p.ldb, beta, to, ldc);
        } else {
            run(k, from, along ? a.column : a.row, p.b, p.ldb, 0, room, WIDTH);
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < p.columns; j++)
                    to[r * ldc + j] =
                        room[r * WIDTH + j] + (beta == 0 ? 0 : beta * to[r * ldc + j]);
        }
        i += rows;
    }
}

static void multiply_wide(size_t m, size_t n, size_t k, sgemm_operand a, sgemm_operand b,
                          float beta, float *c, size_t ldc)
{
    _Alignas(64) float packed[KC * WIDTH];
    size_t pieces = k == 0 ? 1 : (k + KC - 1) / KC;
    for (size_t s = 0, l = 0; s < pieces; s++) {
        size_t some = (k - l) / (pieces - s);
        for (size_t j = 0; j < n; j += WIDTH) {
            size_t columns = n - j < WIDTH ? n - j : WIDTH;
            sgemm_operand part = {b.at + l * b.row + j * b.column, b.row, b.column};
            panel p = {packed, WIDTH, columns};
            /* For few rows it is not worth a copy. */
            if (m <= 2 * ROWS && b.column == 1 && columns == WIDTH)
                p = (panel){part.at, b.row, columns};
            else
                pack(some, columns, part, packed);
            multiply_panel(m, some, (sgemm_operand){a.at + l * a.column, a.row, a.column}, p,
                           s == 0 ? beta : 1, c + j, ldc);
        }
        l += some;
    }
}

/* The same through the transpose of C, some rows at a time: for columns that would not fill a register. */
static void multiply_narrow(size_t m, size_t n, size_t k, sgemm_operand a, sgemm_operand b,
                            float beta, float *c, size_t ldc)
{
    enum { BLOCK = 256 };
    _Alignas(64) float transposed[NARROW * BLOCK];
    for (size_t i = 0; i < m; i += BLOCK) {
        size_t rows = m - i < BLOCK ? m - i : BLOCK;
        multiply_wide(n, rows, k, (sgemm_operand){b.at, b.column, b.row},
                      (sgemm_operand){a.at + i * a.row, a.column, a.row}, 0, transposed, BLOCK);
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < n; j++) {
                float *to = c + (i + r) * ldc + j;
                *to = transposed[j * BLOCK + r] + (beta == 0 ? 0 : beta * *to);
            }
    }
}

static void multiply(size_t m, size_t n, size_t k, sgemm_operand a, sgemm_operand b, float beta,
                     float *c, size_t ldc)
{
    if (n <= NARROW && n % LANES != 0 && m >= 2 * n && a.row == 1 && b.column == 1)
        multiply_narrow(m, n, k, a, b, beta, c, ldc);
    else
        multiply_wide(m, n, k, a, b, beta, c, ldc);
}

const struct sgemm_kernels HOT(sgemm_kernels) = {.multiply = multiply};
