/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Decoders: the metric against the definition, derivatives against differences, and files that do not fit. */
#include "io/tensors.h"
#include "learned/decoder.h"
#include "manifold/metric.h"
#include "support/scratch.h"

#include <manistat/geodesic.h>

/* Of support/manifolds.h, whose scratch memory has the name of our scratch files. */
void curve_derivative(int order, double h, size_t width, const double *f, double *out);

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

/* A small decoder of floats: 2-5-4-3, and 2-3-3 for standard deviations, as a file of weights. */
typedef struct weights {
    float mean0[10], mean0b[5], mean1[20], mean1b[4], mean2[12], mean2b[3];
    float sd0[6], sd0b[3], sd1[9], sd1b[3];
} weights;

static void fill(dice *die, size_t n, float *w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (float)dice_normal(die);
}

static weights draw_weights(void)
{
    weights w;
    dice die = {77};
    fill(&die, sizeof w / sizeof(float), (float *)&w);
    return w;
}

enum { TENSORS = 10, MEAN_ONLY = 6 };

static void list_tensors(const weights *w, const char *sd, tensor *list)
{
    static char names[4][40];
    const char *ends[] = {"0.weight", "0.bias", "2.weight", "2.bias"};
    const tensor all[TENSORS] = {
        {"mean.0.weight", TENSOR_F32, 2, {5, 2}, w->mean0},
        {"mean.0.bias", TENSOR_F32, 1, {5}, w->mean0b},
        {"mean.2.weight", TENSOR_F32, 2, {4, 5}, w->mean1},
        {"mean.2.bias", TENSOR_F32, 1, {4}, w->mean1b},
        {"mean.10.weight", TENSOR_F32, 2, {3, 4}, w->mean2},
        {"mean.10.bias", TENSOR_F32, 1, {3}, w->mean2b},
        {NULL, TENSOR_F32, 2, {3, 2}, w->sd0},
        {NULL, TENSOR_F32, 1, {3}, w->sd0b},
        {NULL, TENSOR_F32, 2, {3, 3}, w->sd1},
        {NULL, TENSOR_F32, 1, {3}, w->sd1b},
    };
    memcpy(list, all, sizeof all);
    for (size_t k = 0; k < 4; k++) {
        snprintf(names[k], sizeof *names, "%s.%s", sd, ends[k]);
        list[MEAN_ONLY + k].name = names[k];
    }
}

/* The functions, plainly. */
static double bent(const char *name, double x)
{
    return strcmp(name, "tanh") == 0       ? tanh(x)
           : strcmp(name, "silu") == 0     ? x / (1 + exp(-x))
           : strcmp(name, "softplus") == 0 ? log(1 + exp(x))
           : strcmp(name, "half-exp") == 0 ? exp(0.5 * x)
                                           : x;
}

static void apply(size_t rows, size_t columns, const float *w, const float *b, const char *name,
                  const double *x, double *y)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = (double)b[i];
        for (size_t j = 0; j < columns; j++)
            sum += (double)w[i * columns + j] * x[j];
        y[i] = bent(name, sum);
    }
}

/* out (6): mean and standard deviation. */
static void plain(const weights *w, const char *name, const char *output, const double *x,
                  double *out)
{
    double a[5], b[4];
    apply(5, 2, w->mean0, w->mean0b, name, x, a);
    apply(4, 5, w->mean1, w->mean1b, name, a, b);
    apply(3, 4, w->mean2, w->mean2b, "linear", b, out);
    apply(3, 2, w->sd0, w->sd0b, name, x, a);
    apply(3, 3, w->sd1, w->sd1b, output, a, out + 3);
}

static const char *const activations[] = {"tanh", "silu", "softplus", "linear"};
static const char *const outputs[] = {"linear", "softplus", "half-exp", "linear"};

/* Case number 2 has its variances as logarithms. */
static mst_manifold *make(const weights *w, int which)
{
    tensor list[TENSORS];
    mst_manifold *m;
    mst_decoder_options o = mst_decoder_options_default();
    const char *path = scratch("weights.safetensors");
    list_tensors(w, which == 2 ? "log_variance" : "sd", list);
    tensor_text text[] = {{"activation", activations[which]}, {"sd_output", outputs[which]}};
    ASSERT_OK(tensors_write(path, true, TENSORS, list, which == 2 ? 1 : 2, text));
    ASSERT_OK(mst_decoder_learn(&m, "small.decoder", path, &o));
    return m;
}

START_TEST(metric_is_pulled_back)
{
    weights w = draw_weights();
    mst_manifold *m = make(&w, _i);
    dice die = {3};
    for (size_t k = 0; k < 20; k++) {
        double x[2] = {dice_normal(&die), dice_normal(&die)}, values[9 * 6], slope[2][6];
        double v[2] = {1, 0}, g[4], l_xv[4], l_xx[4], mean[3], sd[3], h = 2e-3;
        for (size_t a = 0; a < 2; a++) {
            for (size_t q = 0; q < 9; q++) {
                double at[2] = {x[0], x[1]};
                at[a] += ((double)q - 4) * h;
                plain(&w, activations[_i], outputs[_i], at, values + 6 * q);
            }
            curve_derivative(1, h, 6, values, slope[a]);
        }
        ASSERT_OK(m->metric->ops.lagrangian_blocks(m, 1, x, v, g, l_xv, l_xx));
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++)
                assert_near(g[2 * a + b], dot(6, slope[a], slope[b]), 1e-9 * (1 + g[0] + g[3]),
                            "%s, entry %zu", activations[_i], 2 * a + b);
        ASSERT_OK(mst_learned_decode(m, 1, x, mean, sd));
        for (size_t a = 0; a < 3; a++) {
            assert_near(mean[a], values[4 * 6 + a], 1e-12 * (1 + fabs(mean[a])), "mean");
            assert_near(sd[a], values[4 * 6 + 3 + a], 1e-12 * (1 + fabs(sd[a])), "deviation");
        }
    }
    mst_manifold_free(m);
}
END_TEST

/* L_x, and the Hessian of L, which products and blocks share. */
START_TEST(derivatives_are_those_of_differences)
{
    weights w = draw_weights();
    mst_manifold *m = make(&w, _i);
    const mst_metric_ops *ops = &m->metric->ops;
    dice die = {4};
    for (size_t k = 0; k < 30; k++) {
        double x[2], v[2], dx[2], dv[2], dl_x[2], dl_v[2], at_l, at_x[2], at_v[2];
        double xs[18], vs[18], l[9], l_x[18], l_v[18], two[4], slope, h = 2e-3;
        for (size_t a = 0; a < 2; a++) {
            x[a] = dice_normal(&die);
            v[a] = dice_normal(&die);
            dx[a] = 0.5 * dice_normal(&die);
            dv[a] = dice_normal(&die);
        }
        ASSERT_OK(ops->lagrangian(m, 1, x, v, &at_l, at_x, at_v));
        assert_near(at_l, 0.5 * dot(2, at_v, v), 1e-12 * (1 + at_l), "L is quadratic");
        ASSERT_OK(ops->lagrangian_hvp(m, 1, x, v, dx, dv, dl_x, dl_v));
        for (size_t q = 0; q < 9; q++)
            for (size_t a = 0; a < 2; a++) {
                xs[2 * q + a] = x[a] + ((double)q - 4) * h * dx[a];
                vs[2 * q + a] = v[a] + ((double)q - 4) * h * dv[a];
            }
        ASSERT_OK(ops->lagrangian(m, 9, xs, vs, l, l_x, l_v));
        curve_derivative(1, h, 1, l, &slope);
        curve_derivative(1, h, 2, l_x, two);
        curve_derivative(1, h, 2, l_v, two + 2);
        double size = 1 + at_l + max_abs(18, l_x) + max_abs(18, l_v);
        assert_near(dot(2, at_x, dx) + dot(2, at_v, dv), slope, 1e-9 * size, "L_x and L_v");
        for (size_t a = 0; a < 2; a++) {
            assert_near(dl_x[a], two[a], 1e-9 * size, "%s: dL_x", activations[_i]);
            assert_near(dl_v[a], two[2 + a], 1e-9 * size, "%s: dL_v", activations[_i]);
        }
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(functions_and_derivatives)
{
    for (int b = 0; bend_names[b] != NULL; b++)
        for (double x = -6; x <= 6; x += 0.37) {
            double own[4], near[9][4], slope[3];
            for (int q = 0; q < 9; q++)
                bend_values((bend)b, x + (q - 4) * 0.01, near[q]);
            bend_values((bend)b, x, own);
            assert_near(own[0], bent(bend_names[b], x), 1e-14 * (1 + fabs(own[0])), "value");
            for (size_t k = 0; k < 3; k++) {
                double f[9];
                for (int q = 0; q < 9; q++)
                    f[q] = near[q][k];
                curve_derivative(1, 0.01, 1, f, &slope[k]);
                assert_near(own[k + 1], slope[k], 1e-11 * (1 + fabs(own[k + 1])), "%s, order %zu",
                            bend_names[b], k + 1);
            }
        }
}
END_TEST

/* A file of its own is the same manifold, and its geodesics are those of a surface in space. */
START_TEST(round_trip)
{
    weights w = draw_weights();
    mst_manifold *m = make(&w, 0), *back;
    const char *path = scratch("small.decoder");
    mst_learned_info info;
    double x[4] = {0.1, -0.2, 0.4, 0.3}, y[4] = {0.5, 0.1, -0.3, 0.2}, r[2], q[2];
    ASSERT_OK(mst_learned_write(m, path, false));
    ASSERT_OK(mst_manifold_parse(&back, path));
    ck_assert(mst_manifold_is_same(m, back));
    ASSERT_OK(mst_learned_describe(back, &info));
    ck_assert_str_eq(info.kind, "decoder");
    ck_assert_str_eq(info.network, "2-5-4-3, tanh, with standard deviations");
    ck_assert(isnan(info.variance) && info.outputs == 3);
    ASSERT_OK(mst_manifold_dist(m, 2, x, y, r));
    ASSERT_OK(mst_manifold_dist(back, 2, x, y, q));
    for (size_t i = 0; i < 2; i++) {
        ck_assert_double_eq(r[i], q[i]);
        /* Not shorter than the chord. */
        double a[6], b[6], chord = 0;
        plain(&w, "tanh", "linear", x + 2 * i, a);
        plain(&w, "tanh", "linear", y + 2 * i, b);
        for (size_t k = 0; k < 6; k++)
            chord = hypot(chord, a[k] - b[k]);
        ck_assert_double_ge(r[i], chord * (1 - 1e-9));
    }
    mst_manifold_free(back);
    /* Latent points are kept. */
    mst_decoder_options o = mst_decoder_options_default();
    o.latent = x;
    o.n = 2;
    o.dim = 2;
    o.height = 1;
    o.width = 3;
    ASSERT_OK(mst_decoder_learn(&back, "other.decoder", scratch("weights.safetensors"), &o));
    ck_assert_double_eq(mst_learned_latent(back)[2], 0.4);
    ASSERT_OK(mst_learned_describe(back, &info));
    ck_assert_uint_eq(info.width, 3);
    ck_assert(!mst_manifold_is_same(m, back));
    mst_manifold_free(back);
    o.dim = 1;
    ASSERT_FAILS(MST_FORMAT,
                 mst_decoder_learn(&back, "other.decoder", scratch("weights.safetensors"), &o));
    mst_manifold_free(m);
}
END_TEST

/* ---- What does not fit ---- */

static void refuse(size_t count, const tensor *list, const char *activation, const char *message)
{
    tensor_text text = {"activation", activation};
    mst_manifold *m;
    const char *path = scratch("wrong.safetensors");
    ASSERT_OK(tensors_write(path, true, count, list, activation != NULL, &text));
    ASSERT_FAILS(MST_FORMAT, mst_decoder_learn(&m, "a.decoder", path, NULL));
    ck_assert_ptr_null(m);
    ck_assert_msg(strstr(mst_error_detail(), message) != NULL, "\"%s\" is not in \"%s\"", message,
                  mst_error_detail());
}

START_TEST(what_does_not_fit_is_refused)
{
    weights w = draw_weights();
    tensor list[TENSORS];
    list_tensors(&w, "sd", list);
    refuse(TENSORS, list, "relu", "not tanh, silu, softplus or linear");
    refuse(TENSORS, list, NULL, "which activation");
    list[4].shape[1] = 3; /* (4, 3) numbers of 12 */
    list[4].shape[0] = 4;
    list[5].shape[0] = 3;
    refuse(MEAN_ONLY, list, "tanh",
           "\"mean.10.weight\" has 3 columns, but \"mean.2.weight\" before it has 4 rows");
    list_tensors(&w, "sd", list);
    list[3].shape[0] = 3;
    refuse(MEAN_ONLY, list, "tanh", "\"mean.2.bias\" must have 4 numbers");
    list_tensors(&w, "sd", list);
    refuse(3, list, "tanh", "\"mean.2.bias\" must have 4 numbers");
    list[6].name = "encoder.0.weight";
    refuse(7, list, "tanh", "\"encoder.0.weight\" is no layer");
    list_tensors(&w, "sd", list);
    list[8].shape[0] = 1; /* one standard deviation for three means */
    list[9].shape[0] = 1;
    refuse(TENSORS, list, "tanh",
           "from 2 to 3 numbers, that of the standard deviations from 2 to 1");
    list_tensors(&w, "decoder", list);
    refuse(TENSORS, list, "tanh", "layers of two networks");
    list_tensors(&w, "sd", list);
    w.mean1[3] = NAN;
    refuse(TENSORS, list, "tanh", "number 4 of \"mean.2.weight\" is not finite");
    refuse(4, list + MEAN_ONLY, "tanh", "no layers mean.0.weight");
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("decoder");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, metric_is_pulled_back, 0, 4);
    tcase_add_loop_test(c, derivatives_are_those_of_differences, 0, 4);
    tcase_add_test(c, functions_and_derivatives);
    tcase_add_test(c, round_trip);
    tcase_add_test(c, what_does_not_fit_is_refused);
    return run_case("decoder", c);
}
