/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does the curve need these columns? By the likelihood ratio against a refit without them or, where there is
 * no likelihood, by Wald from the covariance; where that has too few rows, by permutations, as where the
 * points are so spread over a compact space that neither law holds. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

typedef struct test_work {
    const regress_job *j;
    const regress_model *m;
    const double *state;
    mst_regress_result *r;
    unsigned char *marked; /* (k): the columns that are tested */
    size_t *kept;          /* (k): the others */
} test_work;

static size_t count_marked(const test_work *w)
{
    size_t count = 0;
    for (size_t c = 0; c < w->j->k; c++)
        count += w->marked[c];
    return count;
}

/* ---- Likelihood ratio ---- */

/* The value of the best curve of the kept columns, the noise model being that of the fit. */
static mst_status value_without(const test_work *w, double *value)
{
    const regress_job *j = w->j;
    size_t kept = 0, D = j->D, place = (1 + j->k) * D;
    for (size_t c = 0; c < j->k; c++)
        if (!w->marked[c])
            w->kept[kept++] = c;
    bool constant = w->m->slopes == 0;
    if (kept == 0 && constant && j->o->origin == NULL) {
        *value = j->mean_value;
        return MST_OK;
    }
    regress_model m = regress_job_model(j, kept, w->kept, !constant);
    double *state;
    fit_outcome out;
    MST_TRY(mst_allocate(&state, 2 * m.model.size));
    double *candidate = state + m.model.size;
    memcpy(candidate, w->state, D * sizeof *candidate);
    for (size_t c = 0; c < kept; c++)
        memcpy(candidate + (1 + c) * D, w->state + (1 + w->kept[c]) * D, D * sizeof *candidate);
    memcpy(candidate + (1 + kept) * D, w->state + place, (1 + m.slopes) * sizeof *candidate);
    mst_status status = regress_start(j, &m, candidate, state);
    /* The slopes of the noise are those of the fit to begin with. */
    memcpy(state + (1 + kept) * D + 1, w->state + place + 1, m.slopes * sizeof *state);
    if (status == MST_OK)
        status = regress_climb(j, &m, &m.model, state, &out);
    *value = status == MST_OK && fit_has_converged(out.end) ? out.value : NAN;
    mst_release(state);
    return status;
}

/* With constant noise 2 log of the ratio is n d log(1 + p F/ν) in flat space, F of Fisher's law. */
static double ratio_tail(const test_work *w, double statistic, size_t p)
{
    const regress_job *j = w->j;
    double all = (double)(j->n * j->d), nu = (double)j->d * (double)(j->n - j->k - 1);
    if (w->m->slopes > 0 || !j->free_time)
        return mst_chi_square_survival(statistic, (double)p);
    return mst_f_survival(expm1(statistic / all) * nu / (double)p, (double)p, nu);
}

static mst_status ratio_test(const test_work *w, mst_regress_test *test)
{
    double value;
    size_t p = count_marked(w) * w->j->d;
    MST_TRY(value_without(w, &value));
    if (isnan(value))
        return MST_OK;
    double statistic = fmax(0, 2 * (w->r->log_likelihood - value));
    *test = (mst_regress_test){.method = MST_REGRESS_LR,
                               .statistic = statistic,
                               .degrees = p,
                               .p_value = ratio_tail(w, statistic, p)};
    return MST_OK;
}

/* ---- Wald ---- */

/* vᵀ C⁻¹ v over the directions in which C (p, p) has any spread, and how many there are: data that fill a
 * subspace only, aligned landmarks for example, leave none in the others. NAN if v goes there all the same. C
 * is overwritten. */
static mst_status squared_length(size_t p, double *c, const double *v, double *square, size_t *rank)
{
    double *values, outside = 0, total = 0;
    MST_TRY(mst_allocate(&values, p + p * p));
    double *vectors = values + p;
    mst_status status = mst_eigen_symmetric(1, p, c, values, vectors, NULL);
    *square = 0;
    *rank = 0;
    for (size_t e = 0; status == MST_OK && e < p; e++) {
        double along = 0;
        for (size_t a = 0; a < p; a++)
            along += vectors[e * p + a] * v[a];
        total += along * along;
        if (values[e] > 1e-9 * values[p - 1]) {
            *square += along * along / values[e];
            ++*rank;
        } else {
            outside += along * along;
        }
    }
    if (!(outside <= 1e-9 * total))
        *square = NAN;
    mst_release(values);
    return status;
}

static mst_status wald_test(const test_work *w, mst_regress_test *test)
{
    const mst_regress_result *r = w->r;
    size_t d = w->j->d, D = w->j->D, p = count_marked(w) * d, q = r->parameters, at = 0, rank;
    double *v, square;
    size_t *place;
    MST_TRY(mst_allocate(&v, p + p * p));
    mst_status status = mst_allocate(&place, p);
    double *block = v + p;
    for (size_t c = 0; status == MST_OK && c < w->j->k; c++) {
        if (!w->marked[c])
            continue;
        status = mst_manifold_to_frame(w->j->m, 1, r->intercept, r->velocities + c * D, v + at);
        for (size_t a = 0; a < d; a++)
            place[at++] = (1 + c) * d + a;
    }
    /* In units of the columns, or those of small ones would count for nothing. */
    for (size_t a = 0; status == MST_OK && a < p; a++) {
        double unit = w->j->scale[place[a] / d - 1];
        v[a] *= unit;
        for (size_t b = 0; b < p; b++)
            block[a * p + b] =
                r->covariance[place[a] * q + place[b]] * unit * w->j->scale[place[b] / d - 1];
    }
    if (status == MST_OK)
        status = squared_length(p, block, v, &square, &rank);
    if (status == MST_OK && !isnan(square))
        *test = (mst_regress_test){.method = MST_REGRESS_WALD,
                                   .statistic = square,
                                   .degrees = rank,
                                   .p_value = regress_tail(r, rank, square)};
    mst_release(v);
    mst_release(place);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* ---- Which of them ---- */

static bool has_likelihood(const regress_job *j)
{
    return j->timed && mst_score_gives(j->source, MST_GIVES_LOG_P) && j->o->clusters == NULL;
}

static mst_status run_test(const test_work *w, mst_regress_test *test)
{
    size_t p = count_marked(w) * w->j->d;
    bool errors = (w->r->notes & MST_REGRESS_NO_COVARIANCE) == 0;
    test->degrees = p;
    if (w->j->doubtful)
        return w->j->o->clusters == NULL ? regress_shuffle(w->j, w->marked, test) : MST_OK;
    if (has_likelihood(w->j))
        return ratio_test(w, test);
    /* By permutations of the covariates of shapes, 12 to 20 coordinates from 40 to 59 rows, Wald's test calls
     * up to 62 % of columns that do nothing something at 5 %. */
    const double rows_per_coordinate = 20;
    bool few = w->j->o->clusters == NULL && w->j->o->covariance != MST_COVARIANCE_BOOTSTRAP &&
               w->r->degrees_of_freedom < rows_per_coordinate * (double)p;
    if (errors && !few)
        MST_TRY(wald_test(w, test));
    /* Permutations need rows that may change places. */
    if (isnan(test->p_value) && w->j->o->clusters == NULL)
        return regress_permute(w->j, w->j->mean, w->marked, test);
    return MST_OK;
}

/* Is there a column of this group before c? */
static bool is_known(const size_t *groups, size_t c)
{
    for (size_t e = 0; e < c; e++)
        if (groups[e] == groups[c])
            return true;
    return false;
}

static mst_status test_groups(test_work *w)
{
    const size_t *groups = w->j->o->groups;
    size_t k = w->j->k;
    w->r->groups = 0;
    for (size_t c = 0; c < k; c++) {
        if (groups != NULL && is_known(groups, c))
            continue;
        for (size_t e = 0; e < k; e++)
            w->marked[e] = groups != NULL ? groups[e] == groups[c] : e == c;
        mst_regress_test *test = &w->r->tests[w->r->groups++];
        bool all = count_marked(w) == k;
        if (all)
            *test = w->r->whole;
        else
            MST_TRY(run_test(w, test));
        if (count_marked(w) == 1)
            w->r->p_values[c] = test->p_value;
    }
    return MST_OK;
}

/* Columns of larger groups have p values of their own. */
static mst_status test_columns(test_work *w)
{
    for (size_t c = 0; c < w->j->k; c++) {
        mst_regress_test test = {.statistic = NAN, .p_value = NAN};
        if (!isnan(w->r->p_values[c]))
            continue;
        for (size_t e = 0; e < w->j->k; e++)
            w->marked[e] = e == c;
        MST_TRY(run_test(w, &test));
        w->r->p_values[c] = test.p_value;
    }
    return MST_OK;
}

static mst_status test_noise(const test_work *w)
{
    const regress_job *j = w->j;
    if (w->m->slopes == 0 || !has_likelihood(j) || j->doubtful)
        return MST_OK;
    regress_model m = regress_job_model(j, j->k, NULL, false);
    double *state;
    fit_outcome out;
    MST_TRY(mst_allocate(&state, m.model.size));
    memcpy(state, w->state, m.model.size * sizeof *state);
    mst_status status = regress_climb(j, &m, &m.model, state, &out);
    double statistic = fmax(0, 2 * (w->r->log_likelihood - out.value));
    if (status == MST_OK && fit_has_converged(out.end))
        w->r->equal_noise =
            (mst_regress_test){.method = MST_REGRESS_LR,
                               .statistic = statistic,
                               .degrees = j->k,
                               .p_value = mst_chi_square_survival(statistic, (double)j->k)};
    mst_release(state);
    return status;
}

mst_status regress_add_tests(const regress_job *j, const regress_model *m, const double *state,
                             mst_regress_result *r)
{
    test_work w = {.j = j, .m = m, .state = state, .r = r};
    MST_TRY(mst_allocate(&w.marked, j->k));
    mst_status status = mst_allocate(&w.kept, j->k);
    memset(w.marked, 1, j->k);
    if (status == MST_OK)
        status = run_test(&w, &r->whole);
    if (status == MST_OK)
        status = test_groups(&w);
    if (status == MST_OK)
        status = test_columns(&w);
    if (status == MST_OK)
        status = test_noise(&w);
    mst_release(w.kept);
    mst_release(w.marked);
    return status;
}
