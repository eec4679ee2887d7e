/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does the curve need these columns? By the likelihood ratio against a refit without them or, where there is
 * no likelihood, by Wald from the covariance; where that has too few rows, by permutations, as where the
 * points are so spread over a compact space that neither law holds. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/mean_clusters.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct test_work {
    const regress_job *j;
    const regress_model *m;
    const double *state;
    mst_regress_result *r;
    unsigned char *marked; /* (k): the columns that are tested */
    size_t *kept;          /* (k): the others */
    mean_clusters clusters;
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
 * subspace only, aligned landmarks for example, leave none in the others. NAN if v goes
 * there all the same. */
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

/* Degrees of freedom of the covariance of the marked columns, of which a test has left `rank` directions;
 * `unlike`: also if rows that decide are spread more than others. */
static mst_status wald_degrees(const test_work *w, size_t rank, bool unlike, double *degrees)
{
    size_t m = w->j->k + 1, count = count_marked(w), found = 0;
    double *b;
    *degrees = w->r->degrees_of_freedom;
    if (w->r->spread == NULL || rank == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&b, (count + 1) * m));
    for (size_t c = 0; c < w->j->k; c++)
        if (w->marked[c]) {
            regress_spread_contrast(w->r->spread, 1 + c, NULL, b + count * m);
            found = regress_add_orthonormal(m, b + count * m, 1, found, b);
        }
    mst_status status =
        regress_spread_degrees(w->r->spread, found, b, (double)rank / (double)count, degrees);
    if (status == MST_OK && unlike)
        status = regress_spread_least_degrees(w->r->spread, found, b, degrees);
    mst_release(b);
    return status;
}

/* l (count, count): the Cholesky factor of the design's covariance of the marked columns. */
static mst_status column_factor(const test_work *w, double *l)
{
    size_t m = w->j->k + 1, count = count_marked(w), at = 0;
    double *b;
    MST_TRY(mst_allocate(&b, count * m));
    for (size_t c = 0; c < w->j->k; c++)
        if (w->marked[c]) {
            double norm = regress_spread_contrast(w->r->spread, 1 + c, NULL, b + at * m);
            for (size_t a = 0; a < m; a++)
                b[at * m + a] *= norm;
            at++;
        }
    memset(l, 0, count * count * sizeof *l);
    for (size_t c = 0; c < count; c++)
        for (size_t e = 0; e < count; e++)
            for (size_t a = 0; a < m; a++)
                l[c * count + e] += b[c * m + a] * b[e * m + a];
    mst_release(b);
    return mst_cholesky(1, count, l, l, NULL);
}

/* x (count, d width) ← L⁻¹ x */
static void solve_columns(size_t count, size_t wide, const double *l, double *x)
{
    for (size_t c = 0; c < count; c++)
        for (size_t a = 0; a < wide; a++) {
            for (size_t e = 0; e < c; e++)
                x[c * wide + a] -= l[c * count + e] * x[e * wide + a];
            x[c * wide + a] /= l[c * count + c];
        }
}

/* With few degrees of freedom: by the trace of the covariance c (p, p) of v (p) in coordinates in which the
 * design is the identity. Both are overwritten. */
static mst_status ball_test(const test_work *w, double *v, double *c, mst_regress_test *test)
{
    size_t count = count_marked(w), d = w->j->d, p = count * d;
    double *l, degrees, square = 0;
    MST_TRY(mst_allocate(&l, count * count));
    mst_status status = column_factor(w, l);
    if (status == MST_OK)
        status = wald_degrees(w, p, w->j->o->clusters == NULL && w->m->slopes == 0, &degrees);
    if (status == MST_OK && degrees > 0) {
        solve_columns(count, d, l, v);
        solve_columns(count, d * p, l, c);
        mst_transpose(p, c);
        solve_columns(count, d * p, l, c);
        for (size_t a = 0; a < p; a++)
            square += v[a] * v[a];
        *test = (mst_regress_test){.method = MST_REGRESS_WALD,
                                   .statistic = square,
                                   .degrees = p,
                                   .p_value = regress_ball_tail(p, degrees, c, square)};
    }
    mst_release(l);
    return status;
}

/* With fewer degrees of freedom than `least` for the scale: by the trace, if `ball`, or not at all. */
static mst_status wald_test(const test_work *w, double least, bool ball, mst_regress_test *test)
{
    const mst_regress_result *r = w->r;
    size_t d = w->j->d, D = w->j->D, p = count_marked(w) * d, q = r->parameters, at = 0, rank = 0;
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
    double degrees = 0;
    if (status == MST_OK)
        status = wald_degrees(w, rank, false, &degrees);
    bool enough = degrees - (double)rank + 1 >= least;
    if (status == MST_OK && !isnan(square) && enough)
        *test = (mst_regress_test){.method = MST_REGRESS_WALD,
                                   .statistic = square,
                                   .degrees = rank,
                                   .p_value = regress_tail(r, rank, degrees, square)};
    else if (status == MST_OK && ball && !enough)
        status = ball_test(w, v, block, test);
    mst_release(v);
    mst_release(place);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* ---- Which of them ---- */

static bool has_likelihood(const regress_job *j)
{
    return j->timed && mst_score_gives(j->source, MST_GIVES_LOG_P) && j->o->clusters == NULL;
}

/* Is the law of the model to be relied on? */
static bool by_likelihood(const test_work *w)
{
    return has_likelihood(w->j) && w->r->covariance_kind == MST_COVARIANCE_OBSERVED;
}

/* How many permutations of whole clusters differ in the marked columns: G!/Π m! over those that are alike in
 * them; 0 if these vary within clusters. */
static mst_status count_labellings(const test_work *w, double *count)
{
    const regress_job *j = w->j;
    size_t g = w->clusters.count, *first, *alike;
    MST_TRY(mst_allocate(&first, 2 * g));
    alike = first + g;
    for (size_t c = 0; c < g; c++)
        first[c] = SIZE_MAX;
    *count = 1;
    for (size_t i = 0; i < j->n; i++) {
        size_t *of = &first[w->clusters.of[i]];
        *of = *of == SIZE_MAX ? i : *of;
        for (size_t c = 0; c < j->k; c++)
            if (w->marked[c] && j->x[i * j->k + c] != j->x[*of * j->k + c])
                *count = 0;
    }
    for (size_t c = 0; c < g; c++) {
        alike[c] = 1;
        for (size_t e = 0; e < c; e++) {
            bool same = true;
            for (size_t a = 0; a < j->k; a++)
                same = same &&
                       (!w->marked[a] || j->x[first[c] * j->k + a] == j->x[first[e] * j->k + a]);
            alike[c] += same;
        }
        *count *= (double)(c + 1) / (double)alike[c];
    }
    mst_release(first);
    return MST_OK;
}

/* Wald's test with few degrees of freedom for its scale gives way to permutations of whole clusters, where
 * there are enough of them. */
static mst_status cluster_test(const test_work *w, bool errors, mst_regress_test *test)
{
    const double few = 6;
    double labellings;
    MST_TRY(count_labellings(w, &labellings));
    bool permuted = labellings * (1 - w->r->confidence) >= 1 - 1e-9;
    if (errors)
        MST_TRY(wald_test(w, few, labellings == 0, test));
    if (isnan(test->p_value) && permuted)
        MST_TRY(
            regress_permute(w->j, w->j->mean, w->clusters.count, w->clusters.of, w->marked, test));
    if (isnan(test->p_value)) {
        w->r->notes |= MST_REGRESS_FEW_LABELLINGS;
        w->r->labellings = fmin(w->r->labellings, labellings);
    }
    return MST_OK;
}

/* Of rows whose spread is learnt. Where few of them decide, one level of three rows for example, those of the
 * others have nothing to say, and permutations would take them for the same, as they would rows of other
 * noise. */
static mst_status robust_test(const test_work *w, bool errors, mst_regress_test *test)
{
    /* By permutations of the covariates of shapes, 12 to 20 coordinates from 40 to 59 rows, Wald's test calls
     * up to 62 % of columns that do nothing something at 5 %. */
    const double rows_per_coordinate = 20, few_decide = 0.25;
    const mst_regress_result *r = w->r;
    size_t p = count_marked(w) * w->j->d;
    double degrees;
    MST_TRY(wald_degrees(w, p, false, &degrees));
    bool few = r->degrees_of_freedom < rows_per_coordinate * (double)p;
    bool decided = degrees < few_decide * (double)(r->n - r->columns - 1) || w->m->slopes > 0;
    if (errors && r->covariance_kind == MST_COVARIANCE_BOOTSTRAP)
        MST_TRY(wald_test(w, 1, false, test));
    else if (errors && (decided || !few))
        MST_TRY(wald_test(w, few ? INFINITY : 1, true, test));
    return isnan(test->p_value) ? regress_permute(w->j, w->j->mean, 0, NULL, w->marked, test)
                                : MST_OK;
}

static mst_status run_test(const test_work *w, mst_regress_test *test)
{
    bool errors = (w->r->notes & MST_REGRESS_NO_COVARIANCE) == 0;
    test->degrees = count_marked(w) * w->j->d;
    if (w->j->doubtful)
        return w->j->o->clusters == NULL ? regress_shuffle(w->j, w->marked, test) : MST_OK;
    if (by_likelihood(w))
        return ratio_test(w, test);
    if (w->j->o->clusters != NULL)
        return cluster_test(w, errors, test);
    return robust_test(w, errors, test);
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
    /* Of n the curve has taken k + 1, and the slopes k. */
    double n = (double)j->n, left = fmax(0, n - 2 * (double)j->k - 1) / n;
    double statistic = fmax(0, 2 * (w->r->log_likelihood - out.value)) * left;
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
    if (status == MST_OK)
        status = mean_clusters_new(&w.clusters, j->n, NULL, j->o->clusters);
    memset(w.marked, 1, j->k);
    if (status == MST_OK)
        status = run_test(&w, &r->whole);
    if (status == MST_OK)
        status = test_groups(&w);
    if (status == MST_OK)
        status = test_columns(&w);
    if (status == MST_OK)
        status = test_noise(&w);
    mean_clusters_free(&w.clusters);
    mst_release(w.kept);
    mst_release(w.marked);
    return status;
}
