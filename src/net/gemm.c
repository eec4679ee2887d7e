/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/gemm.h"

#if defined MST_GEMM_DNNL
#include <dnnl.h>
#include <pthread.h>
#include <signal.h>

/* Those of the OpenMP that oneDNN uses, if it does. */
extern int omp_get_max_threads(void) __attribute__((weak));
extern void omp_set_num_threads(int threads) __attribute__((weak));

/* oneDNN computes whole groups of this many columns, which makes narrow products dear,
 * but not their transposes. */
enum { NARROW = 16, BLOCK = 512 };

static void multiply(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                     const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                     size_t ldc)
{
    dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', (dnnl_dim_t)m, (dnnl_dim_t)n,
               (dnnl_dim_t)k, 1, a, (dnnl_dim_t)lda, b, (dnnl_dim_t)ldb, beta, c, (dnnl_dim_t)ldc);
}

/* The same for n < NARROW, through Cᵀ = op(B)ᵀ op(A)ᵀ, some rows of C at a time. */
static void multiply_narrow(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                            const float *a, size_t lda, const float *b, size_t ldb, float beta,
                            float *c, size_t ldc)
{
    float transposed[NARROW * BLOCK];
    for (size_t begin = 0; begin < m; begin += BLOCK) {
        size_t count = m - begin < BLOCK ? m - begin : BLOCK;
        const float *rows = a + begin * (transpose_a ? 1 : lda);
        multiply(!transpose_b, !transpose_a, n, count, k, b, ldb, rows, lda, 0, transposed, count);
        for (size_t i = 0; i < count; i++) {
            float *row = c + (begin + i) * ldc;
            for (size_t j = 0; j < n; j++)
                row[j] = transposed[j * count + i] + (beta == 0 ? 0 : beta * row[j]);
        }
    }
}

/* The kernels of oneDNN use the stack pointer for memory of their own, and a signal that came in between
 * would be written over the heap below it. So signals wait, all but those that the code
 * itself would cause. It takes 0.4 µs. */
static void hold_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&held, own[i]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
          size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    sigset_t before;
    hold_signals(&before);
    /* It would start threads for every product, whose barriers cost more than the products of a network are
     * worth. */
    int threads = omp_set_num_threads != NULL ? omp_get_max_threads() : 1;
    if (threads > 1)
        omp_set_num_threads(1);
    if (n < NARROW && m > n)
        multiply_narrow(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, beta, c, ldc);
    else
        multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, beta, c, ldc);
    if (threads > 1)
        omp_set_num_threads(threads);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

const char *gemm_provider(void)
{
    return "oneDNN";
}

#elif defined MST_GEMM_CBLAS
#include <cblas.h>

void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
          size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, 1, a, (int)lda, b,
                (int)ldb, beta, c, (int)ldc);
}

const char *gemm_provider(void)
{
    return "CBLAS";
}

#else
#include "net/sgemm_kernels.h"

void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
          size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    sgemm_operand left = {a, transpose_a ? 1 : lda, transpose_a ? lda : 1};
    sgemm_operand right = {b, transpose_b ? 1 : ldb, transpose_b ? ldb : 1};
    MST_PICK(sgemm_kernels)->multiply(m, n, k, left, right, beta, c, ldc);
}

const char *gemm_provider(void)
{
    return "manistat";
}

#endif
