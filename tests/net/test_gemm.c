/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Matrix products against plain loops, for both ways of storing each factor, with gaps between rows. */
#include "base/cores.h"
#include "base/isa.h"
#include "net/gemm.h"
#include "support/support.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static const size_t sizes[][3] = {{1, 1, 1},    {3, 5, 7},       {12, 128, 33}, {1100, 3, 9},
                                  {17, 31, 64}, {100, 128, 129}, {600, 15, 20}, {40, 10, 1500}};
enum { SIZES = sizeof sizes / sizeof *sizes, GAP = 3 };

static float *random_floats(dice *d, size_t n)
{
    float *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)dice_normal(d);
    return x;
}

static void check_product(const size_t *size, bool ta, bool tb, float beta)
{
    size_t m = size[0], n = size[1], k = size[2];
    dice d = {m + n};
    size_t lda = (ta ? m : k) + GAP, ldb = (tb ? k : n) + GAP, ldc = n + GAP;
    float *a = random_floats(&d, (ta ? k : m) * lda), *b = random_floats(&d, (tb ? n : k) * ldb);
    float *c = random_floats(&d, m * ldc), *before = malloc(m * ldc * sizeof *before);
    ck_assert_ptr_nonnull(before);
    memcpy(before, c, m * ldc * sizeof *c);
    if (beta == 0)
        c[0] = NAN; /* not read */
    gemm(ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < ldc; j++) {
            double sum = beta == 0 ? 0 : (double)before[i * ldc + j], size_of_terms = 1;
            for (size_t l = 0; l < k && j < n; l++) {
                double term = (double)(ta ? a[l * lda + i] : a[i * lda + l]) *
                              (double)(tb ? b[j * ldb + l] : b[l * ldb + j]);
                sum += term;
                size_of_terms += fabs(term);
            }
            if (j < n)
                assert_near((double)c[i * ldc + j], sum, 1e-6 * size_of_terms, "(%zu, %zu)", i, j);
            else
                ck_assert_float_eq(c[i * ldc + j], before[i * ldc + j]);
        }
    free(a), free(b), free(c), free(before);
}

START_TEST(equals_plain_loops)
{
    static const char *const sets[] = {"generic", "v3", "v4"};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        mst_isa_choose(sets[s]);
        for (int way = 0; way < 8; way++)
            check_product(sizes[_i], way % 2 != 0, way / 2 % 2 != 0, way < 4 ? 0.0f : 1.0f);
    }
    mst_isa_choose(NULL);
}
END_TEST

/* Shapes around the edges of tiles and panels. */
START_TEST(equals_plain_loops_at_edges)
{
    static const char *const sets[] = {"generic", "v3", "v4"};
    static const size_t edges[] = {1, 2, 5, 6, 7, 8, 13, 14, 15, 16, 17, 29, 31, 32, 33, 65};
    enum { EDGES = sizeof edges / sizeof *edges };
    mst_isa_choose(sets[_i]);
    for (size_t a = 0; a < EDGES; a++)
        for (size_t b = 0; b < EDGES; b++)
            for (int way = 0; way < 8; way++) {
                size_t size[] = {edges[a], edges[b], (a + b) % 3 == 0 ? 9 : edges[(a * b) % EDGES]};
                check_product(size, way % 2 != 0, way / 2 % 2 != 0, way < 4 ? 0.0f : 1.0f);
            }
    mst_isa_choose(NULL);
}
END_TEST

/* The bits of a row do not depend on the rows around it: a batch may be cut anywhere. */
START_TEST(rows_are_independent)
{
    enum { M = 61, N = 37, K = 700 };
    static float a[M * K], b[N * K], all[M * N], some[M * N];
    dice d = {11};
    if (strcmp(gemm_provider(), "manistat") != 0)
        return;
    for (size_t i = 0; i < (size_t)M * K; i++)
        a[i] = (float)dice_normal(&d);
    for (size_t i = 0; i < (size_t)N * K; i++)
        b[i] = (float)dice_normal(&d);
    gemm(false, true, M, N, K, a, K, b, K, 0, all, N);
    for (size_t cut = 1; cut < M; cut++) {
        gemm(false, true, cut, N, K, a, K, b, K, 0, some, N);
        gemm(false, true, M - cut, N, K, a + cut * K, K, b, K, 0, some + cut * N, N);
        ck_assert_mem_eq(some, all, sizeof all);
    }
}
END_TEST

/* (N, N) = A Bᵀ on each of several threads. */
enum { N_SHARED = 64, TEAM = 3 };
static float shared_a[N_SHARED * N_SHARED], shared_b[N_SHARED * N_SHARED];
static float shared_c[TEAM][N_SHARED * N_SHARED];

static void multiply_shared(void *data, size_t t)
{
    (void)data;
    gemm(false, true, N_SHARED, N_SHARED, N_SHARED, shared_a, N_SHARED, shared_b, N_SHARED, 0,
         shared_c[t], N_SHARED);
}

/* Threads that multiply at the same time get what one alone gets. */
START_TEST(works_on_several_threads)
{
    static float alone[N_SHARED * N_SHARED];
    dice d = {7};
    for (size_t i = 0; i < (size_t)N_SHARED * N_SHARED; i++) {
        shared_a[i] = (float)dice_normal(&d);
        shared_b[i] = (float)dice_normal(&d);
    }
    multiply_shared(NULL, 0);
    memcpy(alone, shared_c[0], sizeof alone);
    memset(shared_c, 0, sizeof shared_c);
    mst_set_machine_cores(TEAM);
    each_in_parallel(TEAM, multiply_shared, NULL);
    mst_set_machine_cores(0);
    for (int t = 0; t < TEAM; t++)
        ck_assert_mem_eq(shared_c[t], alone, sizeof alone);
}
END_TEST

static double cpu_seconds(clockid_t whose)
{
    struct timespec t;
    clock_gettime(whose, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A product starts no threads: the calling thread does all the work that the process does. */
START_TEST(a_product_stays_on_its_thread)
{
    enum { N = 400, TIMES = 20 };
    static float a[N * N], c[N * N];
    double all = -cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double own = -cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < TIMES; i++)
        gemm(false, false, N, N, N, a, N, a, N, 0, c, N);
    own += cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    all += cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    ck_assert_double_gt(own, 0.7 * all);
}
END_TEST

/* Signals that came, those of them whose handler did not run on the stack, and where that is: the address of
 * a frame, because sanitizers put variables elsewhere. */
static volatile sig_atomic_t rings, strays;
static uintptr_t stack;

static void ring(int signal_number)
{
    (void)signal_number;
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    rings = rings + 1;
    if ((at > stack ? at - stack : stack - at) > 1 << 20)
        strays = strays + 1;
}

/* Kernels that borrow the stack pointer must not be interrupted: the signal would be
 * written over the heap. */
START_TEST(signals_find_the_stack)
{
    enum { M = 512, N = 128, TIMES = 3000, RINGS = 3000 };
    static float a[M * N], b[N * N], c[M * N];
    stack = (uintptr_t)__builtin_frame_address(0);
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 150}, {0, 150}}, NULL);
    for (int i = 0; i < TIMES && rings < RINGS; i++) { /* a plain BLAS is slow */
        gemm(false, true, M, N, N, a, N, b, N, 0, c, N);
        gemm(true, false, N, N, M, a, N, c, N, 1, b, N);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    ck_assert_int_gt(rings, 10);
    ck_assert_int_eq(strays, 0);
}
END_TEST

START_TEST(says_who_multiplies)
{
    const char *name = gemm_provider();
    ck_assert(strcmp(name, "manistat") == 0 || strcmp(name, "oneDNN") == 0 ||
              strcmp(name, "CBLAS") == 0);
}
END_TEST

int main(void)
{
    return RUN_SUITE("gemm", 60, {equals_plain_loops, SIZES}, {equals_plain_loops_at_edges, 3},
                     {rows_are_independent, 0}, {works_on_several_threads, 0},
                     {a_product_stays_on_its_thread, 0}, {signals_find_the_stack, 0},
                     {says_who_multiplies, 0});
}
