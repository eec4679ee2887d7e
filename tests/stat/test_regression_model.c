/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A model that the library does not have: geodesic regression, y_i = Exp_p(z_i v), each row at the same time
 * t. The optimiser fits it as it is, through the table of functions alone. */
#include "stat/fit.h"
#include "stat/mean_support.h"

#include <math.h>

enum { N = 300, D = 3, d = 2, L = d + 1 };
/* State: p (D), v (D), t. Parameters: frame coordinates of p and v at p, log t. */
enum { SIZE = 2 * D + 1, Q = 2 * d + 1 };

typedef struct regression {
    fit_model model;
    const double *z; /* (N) */
} regression;

static const mst_manifold *manifold_of(const fit_model *m)
{
    return mst_score_manifold(m->source);
}

static double covariate(const fit_model *m, size_t i)
{
    return ((const regression *)m)->z[i];
}

static mst_status predict(const fit_model *m, const double *state, size_t group, size_t first,
                          size_t n, double *y, double *t)
{
    double u[D];
    (void)group;
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < D; a++)
            u[a] = covariate(m, first + i) * state[D + a];
        MST_TRY(mst_manifold_exp(manifold_of(m), 1, state, u, y + i * D));
        t[i] = state[2 * D];
    }
    return MST_OK;
}

/* Jᵀ of one row: local (L) to parameters (Q). */
static mst_status pull_one(const fit_model *m, const double *state, size_t row, const double *y,
                           const double *local, double *out)
{
    double z = covariate(m, row), u[D], w[D], dp[D], dv[D];
    for (size_t a = 0; a < D; a++)
        u[a] = z * state[D + a];
    MST_TRY(mst_manifold_from_frame(manifold_of(m), 1, y, local, w));
    MST_TRY(mst_manifold_exp_adjoint(manifold_of(m), 1, state, u, w, dp, dv));
    MST_TRY(mst_manifold_to_frame(manifold_of(m), 1, state, dp, out));
    MST_TRY(mst_manifold_to_frame(manifold_of(m), 1, state, dv, out + d));
    for (size_t a = 0; a < d; a++)
        out[d + a] *= z;
    out[2 * d] = local[d];
    return MST_OK;
}

static mst_status pull(const fit_model *m, const double *state, const fit_slice *rows,
                       const double *local, double *gradient)
{
    double one[Q];
    for (size_t i = 0; i < rows->n; i++) {
        MST_TRY(pull_one(m, state, rows->first + i, rows->y + i * D, local + i * L, one));
        for (size_t k = 0; k < Q; k++)
            gradient[k] += one[k];
    }
    return MST_OK;
}

static mst_status pull_matrix(const fit_model *m, const double *state, const fit_slice *rows,
                              const double *local, double *matrix)
{
    double jacobian[L][Q]; /* row k: Jᵀ of the unit vector k */
    for (size_t i = 0; i < rows->n; i++) {
        const double *h = local + i * L * L;
        for (size_t k = 0; k < L; k++) {
            double unit[L] = {0};
            unit[k] = 1;
            MST_TRY(pull_one(m, state, rows->first + i, rows->y + i * D, unit, jacobian[k]));
        }
        for (size_t a = 0; a < Q; a++)
            for (size_t b = 0; b < Q; b++)
                for (size_t k = 0; k < L; k++)
                    for (size_t l = 0; l < L; l++)
                        matrix[a * Q + b] += jacobian[k][a] * h[k * L + l] * jacobian[l][b];
    }
    return MST_OK;
}

/* v goes along in parallel, and changes by its own part of the step. */
static mst_status move(const fit_model *m, const double *from, const double *step, double *to)
{
    double dp[D], dv[D];
    MST_TRY(mst_manifold_from_frame(manifold_of(m), 1, from, step, dp));
    MST_TRY(mst_manifold_from_frame(manifold_of(m), 1, from, step + d, dv));
    for (size_t a = 0; a < D; a++)
        dv[a] += from[D + a];
    MST_TRY(mst_manifold_exp(manifold_of(m), 1, from, dp, to));
    MST_TRY(mst_manifold_transport(manifold_of(m), 1, from, dp, dv, to + D));
    to[2 * D] = fit_clamp_time(m->source, from[2 * D] * exp(step[2 * d]));
    return MST_OK;
}

static fit_part part(const fit_model *m, size_t k)
{
    (void)m;
    return k < 2 ? (fit_part){.first = k * d, .count = d, .reach = 1}
                 : (fit_part){
                       .first = 2 * d, .count = 1, .log_time = true, .time = 2 * D, .reach = 1};
}

static void units(const fit_model *m, const double *state, double *out)
{
    double square = 0;
    for (size_t i = 0; i < N; i++)
        square += covariate(m, i) * covariate(m, i) / N;
    for (size_t a = 0; a < d; a++) {
        out[a] = sqrt(state[2 * D]);
        out[d + a] = sqrt(state[2 * D] / square);
    }
    out[2 * d] = 1;
}

static const fit_model_ops curved_table = {.per_row = true,
                                           .predict = predict,
                                           .pull = pull,
                                           .pull_matrix = pull_matrix,
                                           .move = move,
                                           .part = part,
                                           .units = units};
/* As if there were too many parameters for matrices. */
static const fit_model_ops flat_table = {
    .per_row = true, .predict = predict, .pull = pull, .move = move, .part = part, .units = units};

/* Rows about a geodesic: covariates in [−1, 1], noise of this time. */
typedef struct regression_case {
    setting s;
    double z[N], *x, truth[SIZE];
    fit_rows rows;
    regression r;
} regression_case;

static void open_case(regression_case *c, const fit_model_ops *table, double time)
{
    c->s = setting_open("sphere:2");
    const double p[] = {0.6, 0, 0.8}, v[] = {0.56, 0.5, -0.42};
    memcpy(c->truth, p, sizeof p);
    memcpy(c->truth + D, v, sizeof v);
    c->truth[2 * D] = time;
    c->x = doubles(N * D);
    for (size_t i = 0; i < N; i++) {
        double u[D], y[D];
        c->z[i] = 2 * (double)i / (N - 1) - 1;
        for (size_t a = 0; a < D; a++)
            u[a] = c->z[i] * v[a];
        ASSERT_OK(mst_manifold_exp(c->s.m, 1, p, u, y));
        double *end = draw(&c->s, 1, y, time, 1000 + i);
        memcpy(c->x + i * D, end, sizeof y);
        free(end);
    }
    c->rows = (fit_rows){.n = N, .x = c->x};
    c->r = (regression){.model = {.ops = table,
                                  .source = c->s.exact,
                                  .groups = 1,
                                  .rows = &c->rows,
                                  .size = SIZE,
                                  .parameters = Q,
                                  .parts = 3,
                                  .time_is_free = true,
                                  .threads = 1},
                        .z = c->z};
}

static void close_case(regression_case *c)
{
    free(c->x);
    setting_close(&c->s);
}

/* The gradient is that of the value, by central differences of order h² = 1e-8 and
 * rounding 1e-12/h; N = 300 rows. */
START_TEST(gradients_are_pulled_back)
{
    regression_case c;
    open_case(&c, &curved_table, 0.1);
    const fit_model *m = &c.r.model;
    double gradient[Q], hessian[Q * Q], outer[Q * Q], there[SIZE], ignored[Q];
    fit_sums sums = {.gradient = gradient, .hessian = hessian, .outer = outer};
    ASSERT_OK(fit_evaluate(m, c.truth, &sums));
    assert_near(sums.total_weight, N, 0, "Σ w");
    assert_near(sums.longest_time, 0.1, 0, "longest time");
    const double h = 1e-4;
    for (size_t k = 0; k < Q; k++) {
        double step[Q] = {0}, value[2];
        for (size_t side = 0; side < 2; side++) {
            step[k] = side == 0 ? -h : h;
            ASSERT_OK(m->ops->move(m, c.truth, step, there));
            fit_sums beside = {.gradient = ignored};
            ASSERT_OK(fit_evaluate(m, there, &beside));
            value[side] = beside.value;
        }
        assert_near(gradient[k], (value[1] - value[0]) / (2 * h), 1e-3, "gradient %zu", k);
    }
    /* At the true parameters the rows' scores have the information as their covariance:
     * within 5/√N of each other. */
    for (size_t k = 0; k < Q; k++)
        assert_near(outer[k * Q + k] / -hessian[k * Q + k], 1, 5 / sqrt(N), "information %zu", k);
    close_case(&c);
}
END_TEST

/* From the middle of the coordinates and no slope at all, by Gauss and Newton and by limited-memory BFGS. */
START_TEST(parameters_are_recovered)
{
    regression_case c;
    const double time = 0.05;
    open_case(&c, _i == 0 ? &curved_table : &flat_table, time);
    const fit_model *m = &c.r.model;
    double state[SIZE] = {0, 0, 1, 0, 0, 0, 1}, gradient[Q], hessian[Q * Q];
    fit_options o = {.method = MST_MEAN_NEWTON,
                     .tolerance = _i == 0 ? 1e-8 : 1e-6,
                     .rate = 0.1,
                     .iterations = _i == 0 ? 100 : 500};
    fit_outcome out;
    ASSERT_OK(fit_climb(m, state, &o, &out));
    ck_assert_msg(fit_has_converged(out.end), "end %d after %zu iterations, gradient %g",
                  (int)out.end, out.iterations, out.gradient_norm);
    /* Four standard errors, √(t/N) each for the two coordinates of p, √3 of that for v, since z² is 1/3 in
     * the mean, and √(1/N) relative for t: less than one seed in a thousand would fail. */
    double error = sqrt(time / N), square = 0;
    assert_near(gap(&c.s, state, c.truth), 0, 4 * sqrt(2) * error, "p");
    for (size_t a = 0; a < D; a++)
        square += (state[D + a] - c.truth[D + a]) * (state[D + a] - c.truth[D + a]);
    assert_near(sqrt(square), 0, 4 * sqrt(6) * error, "v");
    assert_near(state[2 * D], time, 4 * time / sqrt(N), "time");
    /* It is a maximum of the same likelihood for both methods. */
    fit_sums sums = {.gradient = gradient, .hessian = _i == 0 ? hessian : NULL};
    ASSERT_OK(fit_evaluate(m, state, &sums));
    fit_sums truth = {.gradient = gradient};
    ASSERT_OK(fit_evaluate(m, c.truth, &truth));
    ck_assert(sums.value > truth.value && sums.value < truth.value + 15);
    close_case(&c);
}
END_TEST

/* Rows are added up in blocks: any number of threads gives the same bits, and weights of
 * 0 and 1 choose rows. */
START_TEST(rows_are_summed_in_order)
{
    regression_case c;
    open_case(&c, &curved_table, 0.1);
    double gradient[2][Q], weights[N];
    for (size_t i = 0; i < N; i++)
        weights[i] = i < 200;
    for (size_t k = 0; k < 2; k++) {
        fit_rows rows = {.n = k == 0 ? 200 : N, .x = c.x, .weights = k == 0 ? NULL : weights};
        regression r = c.r;
        r.model.rows = &rows;
        r.model.threads = k == 0 ? 1 : 3;
        fit_sums sums = {.gradient = gradient[k]};
        ASSERT_OK(fit_evaluate(&r.model, c.truth, &sums));
        assert_near(sums.total_weight, 200, 0, "Σ w");
    }
    for (size_t k = 0; k < Q; k++)
        assert_near(gradient[0][k], gradient[1][k], 0, "gradient %zu", k);
    close_case(&c);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression model", 60, {gradients_are_pulled_back, 0},
                     {parameters_are_recovered, 2}, {rows_are_summed_in_order, 0});
}
