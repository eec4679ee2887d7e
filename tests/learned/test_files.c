/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Files of learned manifolds: round trips, models that carry them, and files that are wrong. */
#include "io/tensors.h"
#include "learned/content.h"
#include "ring.h"
#include "score/network.h"
#include "support/scratch.h"

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

static void assert_same_metric(const mst_manifold *a, const mst_manifold *b)
{
    double x[2] = {0.7, -0.4}, u[2] = {1, 0.5}, p, q;
    ASSERT_OK(mst_manifold_inner(a, 1, x, u, u, &p));
    ASSERT_OK(mst_manifold_inner(b, 1, x, u, u, &q));
    ck_assert_double_eq(p, q);
}

START_TEST(round_trip)
{
    const char *path = scratch("ring.gp");
    char spec[200];
    mst_manifold *m = ring_learn(NAN, 0.3, 1e-4), *back;
    mst_learned_info a, b;
    ASSERT_OK(mst_learned_write(m, path, false));
    ASSERT_FAILS(MST_IO, mst_learned_write(m, path, false));
    ASSERT_OK(mst_learned_write(m, path, true));
    ASSERT_OK(mst_manifold_parse(&back, path));
    ASSERT_OK(mst_learned_describe(m, &a));
    ASSERT_OK(mst_learned_describe(back, &b));
    ck_assert_double_eq(a.variance, b.variance);
    ck_assert_double_eq(a.log_likelihood, b.log_likelihood);
    ck_assert_uint_eq(b.n, RING);
    ck_assert_uint_eq(b.outputs, WIDE);
    assert_same_metric(m, back);
    ck_assert(mst_manifold_is_same(m, back));
    ck_assert_double_eq(mst_learned_latent(back)[1], mst_learned_latent(m)[1]);
    mst_manifold_free(back);
    /* The weight of the variance is part of the manifold. */
    snprintf(spec, sizeof spec, "%s?uncertainty=16", path);
    ASSERT_OK(mst_manifold_parse(&back, spec));
    ck_assert_str_eq(mst_manifold_spec(back), spec);
    ASSERT_OK(mst_learned_describe(back, &b));
    assert_near(b.far, 16 * a.far, 1e-9 * b.far, "far away");
    ck_assert(!mst_manifold_is_same(m, back));
    mst_manifold_free(back);
    snprintf(spec, sizeof spec, "%s?uncertainty=-1", path);
    ASSERT_FAILS(MST_ARGUMENT, mst_manifold_parse(&back, spec));
    snprintf(spec, sizeof spec, "%s?lambda=1", path);
    ASSERT_FAILS(MST_ARGUMENT, mst_manifold_parse(&back, spec));
    ASSERT_FAILS(MST_IO, mst_manifold_parse(&back, scratch("none.gp")));
    mst_manifold_free(m);
}
END_TEST

/* A network carries its manifold: the file may go. */
START_TEST(models_carry_it)
{
    const char *path = scratch("ring.gp"), *model = scratch("model.safetensors");
    mst_manifold *m = ring_learn(0.1, 0.3, 1e-4), *opened;
    const network_design design = {.width = 8, .depth = 1};
    mst_network *net, *back;
    ASSERT_OK(mst_learned_write(m, path, false));
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&opened, path));
    ASSERT_OK(network_new(&net, opened, &design));
    net->info.t_min = 0.01;
    net->info.t_max = 0.05;
    ASSERT_OK(mst_network_write(net, model, false));
    mst_network_free(net);
    ck_assert_int_eq(unlink(path), 0);
    ASSERT_OK(mst_network_read(&back, model, NULL));
    ck_assert(mst_manifold_is_same(opened, mst_network_manifold(back)));
    assert_same_metric(opened, mst_network_manifold(back));
    mst_network_free(back);
    ASSERT_OK(mst_network_read(&back, model, opened));
    mst_network_free(back);
    mst_manifold_free(opened);
    m = ring_learn(0.2, 0.3, 1e-4); /* another */
    ASSERT_FAILS(MST_ARGUMENT, mst_network_read(&back, model, m));
    mst_manifold_free(m);
}
END_TEST

/* ---- Files that are wrong ---- */

typedef struct wrong {
    const char *key, *value; /* of the metadata */
    size_t rows, columns, D; /* of the tensors */
    double number;           /* somewhere in the data */
} wrong;

static const wrong wrongs[] = {
    {"format", "manistat gp 9", 3, 2, 2, 0},
    {"variance", "-1", 3, 2, 2, 0},
    {"variance", "x", 3, 2, 2, 0},
    {"length_scale", "0", 3, 2, 2, 0},
    {"length_scale", "inf", 3, 2, 2, 0},
    {"noise", "nan", 3, 2, 2, 0},
    {"noise", "-0.1", 3, 2, 2, 0},
    {"centre", "2", 3, 2, 2, 0},
    {"height", "7", 3, 2, 2, 0},
    {"height", "1e30", 3, 2, 2, 0},
    {"variance", "1", 2, 2, 2, 0}, /* fewer latent points than data */
    {"variance", "1", 3, 2, 2, INFINITY},
    {"variance", "1", 3, 0, 2, 0},
};

START_TEST(wrong_files_are_refused)
{
    const wrong *w = &wrongs[_i];
    static const char *const keys[] = {"format", "variance", "length_scale", "noise",
                                       "centre", "height",   "width"},
                             *const values[] = {GP_FORMAT, "1", "0.5", "0.01", "0", "1", "2"};
    double latent[6] = {0, 0, 1, 0, 0, 1}, data[6] = {1, 2, 3, 4, 5, 6};
    tensor_text text[7];
    for (size_t k = 0; k < 7; k++)
        text[k] = (tensor_text){keys[k], strcmp(keys[k], w->key) == 0 ? w->value : values[k]};
    data[3] += w->number;
    tensor list[2] = {
        {.name = "latent",
         .type = TENSOR_F64,
         .rank = 2,
         .shape = {w->rows, w->columns},
         .data = latent},
        {.name = "data", .type = TENSOR_F64, .rank = 2, .shape = {3, w->D}, .data = data},
    };
    mst_manifold *m;
    ASSERT_OK(tensors_write(scratch("wrong.gp"), true, 2, list, 7, text));
    ASSERT_FAILS(MST_FORMAT, mst_manifold_parse(&m, scratch("wrong.gp")));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "wrong.gp"));
    ck_assert_ptr_null(m);
    /* The same, right. */
    text[0].value = GP_FORMAT;
    for (size_t k = 0; k < 7; k++)
        text[k].value = values[k];
    list[0].shape[0] = 3;
    list[0].shape[1] = 2;
    data[3] = 4;
    ASSERT_OK(tensors_write(scratch("right.gp"), true, 2, list, 7, text));
    ASSERT_OK(mst_manifold_parse(&m, scratch("right.gp")));
    mst_manifold_free(m);
}
END_TEST

START_TEST(texts_that_are_no_content)
{
    content_options o = {.uncertainty = 1};
    mst_manifold *m = ring_learn(1, 0.3, 1e-4), *back;
    char *text = strdup(learned_of(m)->content);
    ASSERT_OK(content_parse(&back, text, "here", "here.gp", &o));
    ck_assert(mst_manifold_is_same(m, back));
    mst_manifold_free(back);
    text[40] = '*';
    ASSERT_FAILS(MST_FORMAT, content_parse(&back, text, "here", "here.gp", &o));
    text[30] = '\0';
    ASSERT_FAILS(MST_FORMAT, content_parse(&back, text, "here", "here.gp", &o));
    ASSERT_FAILS(MST_FORMAT, content_parse(&back, "", "here", "here.gp", &o));
    free(text);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("files");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, round_trip);
    tcase_add_test(c, models_carry_it);
    tcase_add_loop_test(c, wrong_files_are_refused, 0, sizeof wrongs / sizeof *wrongs);
    tcase_add_test(c, texts_that_are_no_content);
    return run_case("learned files", c);
}
