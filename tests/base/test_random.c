/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/random_kernels.h"
#include "support/statistics.h"
#include "support/support.h"

#include <Random123/philox.h>
#include <manistat/random.h>
#include <stdlib.h>
#include <string.h>

static const char *const isa_names[] = {"generic", "v3", "v4"};
enum { ISAS = 3, MANY = 1000000 };

/* Each test runs with each instruction set (the loop value); what the processor lacks becomes its best. */
static void use_isa(int i)
{
    mst_isa_choose(isa_names[i]);
}

static void oracle(uint64_t seed, uint64_t stream, uint64_t block, uint64_t out[2])
{
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    philox4x32_ctr_t w = philox4x32_R(10, counter, key);
    out[0] = (uint64_t)w.v[1] << 32 | w.v[0];
    out[1] = (uint64_t)w.v[3] << 32 | w.v[2];
}

START_TEST(known_answers)
{
    /* The Random123 distribution's kat_vectors for philox4x32 with 10 rounds. */
    static const struct {
        uint64_t block, stream, seed, out[2];
    } answers[] = {
        {0, 0, 0, {0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x41c83b0e408f276d, 0x6d5451fda20bc7c6}},
        {0x85a308d3243f6a88,
         0x0370734413198a2e,
         0x299f31d0a4093822,
         {0x94fdccebd16cfe09, 0x24126ea15001e420}},
    };
    use_isa(_i);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        uint64_t run[2 * MST_LANES];
        MST_PICK(random_kernels)->bits(answers[i].seed, answers[i].stream, answers[i].block, run);
        ck_assert_uint_eq(run[0], answers[i].out[0]);
        ck_assert_uint_eq(run[1], answers[i].out[1]);
    }
}
END_TEST

START_TEST(bits_are_those_of_random123)
{
    enum { N = 301 };
    dice d = {1};
    use_isa(_i);
    for (int round = 0; round < 50; round++) {
        mst_random r = {round % 3 == 0 ? (uint64_t)round : dice_bits(&d),
                        round % 4 == 0 ? 0 : dice_bits(&d)};
        uint64_t first = dice_bits(&d) >> (dice_below(&d, 60) + 1), got[N], want[2];
        mst_random_bits(r, first, N, got);
        for (size_t i = 0; i < N; i++) {
            oracle(r.seed, r.stream, (first + i) / 2, want);
            ck_assert_uint_eq(got[i], want[(first + i) % 2]);
        }
    }
}
END_TEST

START_TEST(pieces_give_the_whole)
{
    enum { N = 700 };
    mst_random r = {2712, 5};
    uint64_t bits[N], some_bits[N];
    double uniforms[N], normals[N], some[N];
    use_isa(_i);
    mst_random_bits(r, 0, N, bits);
    mst_random_uniforms(r, 0, N, uniforms);
    mst_random_normals(r, 0, N, normals);
    dice d = {2};
    for (int round = 0; round < 300; round++) {
        size_t first = dice_below(&d, N), n = dice_below(&d, N - first + 1);
        mst_random_bits(r, first, n, some_bits);
        ck_assert_mem_eq(some_bits, bits + first, n * sizeof *bits);
        mst_random_uniforms(r, first, n, some);
        ck_assert_mem_eq(some, uniforms + first, n * sizeof *some);
        mst_random_normals(r, first, n, some);
        ck_assert_mem_eq(some, normals + first, n * sizeof *some);
    }
    mst_random_normals(r, 5, 0, NULL);
}
END_TEST

START_TEST(uniforms_are_odd_multiples)
{
    double *u = doubles(MANY);
    uint64_t bits[2];
    mst_random r = {77, 3};
    use_isa(_i);
    mst_random_uniforms(r, 0, MANY, u);
    for (size_t i = 0; i < MANY; i++) {
        double k = u[i] * 0x1p53;
        if (!(u[i] > 0 && u[i] < 1 && k == floor(k) && fmod(k, 2) == 1))
            ck_abort_msg("uniform %zu is %a", i, u[i]);
    }
    for (size_t i = 0; i < 1000; i++) {
        oracle(r.seed, r.stream, i / 2, bits);
        ck_assert(u[i] == (double)(2 * (bits[i % 2] >> 12) + 1) * 0x1p-53);
    }
    assert_distribution(MANY, u, uniform_cdf, "uniforms");
    free(u);
}
END_TEST

START_TEST(normals_are_those_of_box_and_muller)
{
    enum { N = 20000 };
    double *u = doubles(N), *z = doubles(N);
    mst_random r = {9, 1};
    use_isa(_i);
    mst_random_uniforms(r, 0, N, u);
    mst_random_normals(r, 0, N, z);
    for (size_t i = 0; i < N; i++) {
        long double radius = sqrtl(-2 * logl(u[i - i % 2]));
        long double angle = 2 * 3.14159265358979323846264338L * (long double)u[i - i % 2 + 1];
        double want = (double)(radius * (i % 2 == 0 ? cosl(angle) : sinl(angle)));
        /* 2 ulp each for log and cosine, one for the product; half of the log's after the root. */
        assert_near(z[i], want, 4 * DBL_EPSILON * fabs(want) + 1e-18, "normal %zu", i);
    }
    free(u);
    free(z);
}
END_TEST

START_TEST(normals_are_normal)
{
    double *z = doubles(MANY);
    moments power[4] = {{0}}, neighbours = {0};
    use_isa(_i);
    mst_random_normals((mst_random){31, 8}, 0, MANY, z);
    for (size_t i = 0; i < MANY; i++) {
        for (int k = 0; k < 4; k++)
            moments_add(&power[k], pow(z[i], k + 1));
        if (i > 0)
            moments_add(&neighbours, z[i] * z[i - 1]);
    }
    static const double want[] = {0, 1, 0, 3};
    for (int k = 0; k < 4; k++)
        assert_mean(&power[k], want[k], 0, "moment %d", k + 1);
    assert_mean(&neighbours, 0, 0, "correlation of neighbours");
    assert_distribution(MANY, z, normal_cdf, "normals");
    free(z);
}
END_TEST

START_TEST(steps_of_walks_read_the_documented_numbers)
{
    static const size_t dims[] = {1, 2, 3, 6};
    use_isa(_i);
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
        size_t d = dims[k], even = d + d % 2;
        double z[6][MST_LANES], want[6];
        uint64_t path = UINT64_MAX - 5, step = 12345678901;
        MST_PICK(random_kernels)->step(4, path, step, d, z);
        for (size_t i = 0; i < MST_LANES; i++) {
            mst_random_normals((mst_random){4, path + i}, step * even, d, want);
            for (size_t j = 0; j < d; j++)
                ck_assert(z[j][i] == want[j]);
        }
    }
}
END_TEST

START_TEST(permutations_are_uniform)
{
    enum { ROUNDS = 120000 };
    size_t counts[120] = {0}, order[200], seen[200];
    for (uint64_t s = 0; s < ROUNDS; s++) {
        mst_random_permutation((mst_random){5, s}, 5, order);
        size_t code = 0;
        for (size_t i = 0; i < 5; i++) {
            size_t smaller = 0;
            for (size_t j = i + 1; j < 5; j++)
                smaller += order[j] < order[i];
            code = code * (5 - i) + smaller;
        }
        counts[code]++;
    }
    assert_equally_likely(120, counts, "orders of five");
    mst_random_permutation((mst_random){5, 1}, 200, order);
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < 200; i++)
        ck_assert(order[i] < 200 && ++seen[order[i]] == 1);
    mst_random_permutation((mst_random){5, 1}, 0, NULL);
    mst_random_permutation((mst_random){5, 1}, 1, order);
    ck_assert_uint_eq(order[0], 0);
}
END_TEST

START_TEST(choices_are_uniform)
{
    enum { ROUNDS = 120000 };
    size_t counts[210] = {0}, out[64];
    for (uint64_t s = 0; s < ROUNDS; s++) {
        ASSERT_OK(mst_random_choice((mst_random){6, s}, 7, 3, out));
        size_t a = out[0], b = out[1] - (out[1] > a);
        size_t c = out[2] - (out[2] > out[0]) - (out[2] > out[1]);
        ck_assert(a < 7 && b < 6 && c < 5 && out[0] != out[1] && out[1] != out[2]);
        counts[(a * 6 + b) * 5 + c]++;
    }
    assert_equally_likely(210, counts, "ordered choices of three out of seven");
    /* Without a table of all n: a choice out of 2^62 still gives different numbers. */
    ASSERT_OK(mst_random_choice((mst_random){6, 1}, (size_t)1 << 62, 64, out));
    for (size_t i = 0; i < 64; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_ne(out[i], out[j]);
}
END_TEST

START_TEST(choices_at_the_edges)
{
    size_t out[100], seen[100] = {0};
    ASSERT_OK(mst_random_choice((mst_random){6, 2}, 100, 100, out));
    for (size_t i = 0; i < 100; i++)
        ck_assert(out[i] < 100 && ++seen[out[i]] == 1);
    ASSERT_OK(mst_random_choice((mst_random){6, 2}, 0, 0, out));
    ASSERT_OK(mst_random_choice((mst_random){6, 2}, 1, 1, out));
    ck_assert_uint_eq(out[0], 0);
    out[0] = 42;
    ASSERT_FAILS(MST_ARGUMENT, mst_random_choice((mst_random){6, 2}, 3, 4, out));
    ck_assert_uint_eq(out[0], 42);
    ASSERT_FAILS(MST_ARGUMENT, mst_random_choice((mst_random){6, 2}, 3, SIZE_MAX, out));
    ASSERT_FAILS(MST_MEMORY, mst_random_choice((mst_random){6, 2}, SIZE_MAX, (size_t)1 << 60, out));
}
END_TEST

int main(void)
{
    return RUN_SUITE("random", 60, {known_answers, ISAS}, {bits_are_those_of_random123, ISAS},
                     {pieces_give_the_whole, ISAS}, {uniforms_are_odd_multiples, ISAS},
                     {normals_are_those_of_box_and_muller, ISAS}, {normals_are_normal, ISAS},
                     {steps_of_walks_read_the_documented_numbers, ISAS},
                     {permutations_are_uniform, 0}, {choices_are_uniform, 0},
                     {choices_at_the_edges, 0});
}
