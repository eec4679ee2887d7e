/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Model files: what is written is read back to the bit, and whatever is wrong with a file
 * is said in one line. */
#include "support/score_support.h"
#include "support/scratch.h"

/* A network with everything set. */
static mst_network *full_network(const mst_manifold *m, network_design design)
{
    mst_network *net = random_network(m, design, 11);
    mst_network_info *i = &net->info;
    i->t_min = 0.1 / 3;
    i->t_max = 1.1;
    i->loss = MST_LOSS_DSMVR;
    i->seed = UINT64_MAX;
    i->steps = 12345;
    i->samples = UINT64_C(1) << 60;
    i->seconds = 7.25;
    i->finished = true;
    i->excess = -0.3;
    double centre[16];
    ck_assert_uint_le(mst_manifold_ambient(m), 16);
    mst_manifold_start(m, centre);
    ASSERT_OK(network_set_reach(net, centre, 1.5));
    ASSERT_OK(mst_network_certify(net, "{\"quoted\": \"ü\\n\"}"));
    return net;
}

static void same_info(const mst_network *a, const mst_network *b)
{
    mst_network_info p = mst_network_describe(a), q = mst_network_describe(b);
    ck_assert_str_eq(p.manifold, q.manifold);
    ck_assert_str_eq(p.version, q.version);
    ck_assert_str_eq(p.certificate, q.certificate);
    ck_assert(p.t_min == q.t_min && p.t_max == q.t_max && p.seconds == q.seconds);
    ck_assert(p.excess == q.excess || (isnan(p.excess) && isnan(q.excess)));
    ck_assert(p.loss == q.loss && p.activation == q.activation);
    ck_assert(p.inputs == q.inputs && p.width == q.width && p.depth == q.depth);
    ck_assert(p.outputs == q.outputs && p.parameters == q.parameters);
    ck_assert(p.energy == q.energy && p.time_head == q.time_head && p.plain == q.plain);
    ck_assert(p.seed == q.seed && p.steps == q.steps && p.samples == q.samples);
    ck_assert(p.finished == q.finished);
    ck_assert(p.reach == q.reach || (isnan(p.reach) && isnan(q.reach)));
    ck_assert_int_eq(p.centre != NULL, q.centre != NULL);
    if (p.centre != NULL)
        ck_assert_mem_eq(p.centre, q.centre, mst_manifold_ambient(a->m) * sizeof *p.centre);
}

static void evaluate(const mst_network *net, double *score, double *dt)
{
    double x[] = {1, 0, 0, 0, 0.6, 0.8}, y[] = {0, 1, 0, 0, 0, 1}, t[] = {0.05, 1};
    mst_score *source;
    ASSERT_OK(mst_score_network_new(&source, net, false));
    ASSERT_OK(mst_score_evaluate_rows(source, 2, x, y, t,
                                      &(mst_heat_values){.score = score, .dt_log_p = dt}));
    mst_score_free(source);
}

static const network_design designs[] = {
    {.width = 16, .depth = 2},
    {.width = 7, .depth = 1, .activation = MST_TANH, .plain = true},
    {.width = 33, .depth = 4, .time_head = true},
    {.width = 5, .depth = 2, .energy = true, .time_head = true},
};
enum { DESIGNS = sizeof designs / sizeof *designs };

START_TEST(round_trip)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net = full_network(m, designs[_i]), *back, *again;
    double score[2][6], dt[2][2];
    scratch_open();
    if (_i == 1)
        net->info.excess = NAN;
    ASSERT_OK(mst_network_write(net, scratch("a"), false));
    ASSERT_OK(mst_network_read(&back, scratch("a"), NULL));
    same_info(net, back);
    ck_assert_mem_eq(net->theta, back->theta, mlp_parameters(&net->shape) * sizeof(float));
    evaluate(net, score[0], dt[0]);
    evaluate(back, score[1], dt[1]);
    ck_assert_mem_eq(score[0], score[1], sizeof score[0]);
    ck_assert_mem_eq(dt[0], dt[1], sizeof dt[0]);
    /* With the manifold given it is that one. */
    ASSERT_OK(mst_network_read(&again, scratch("a"), m));
    ck_assert(mst_network_manifold(again) == m);
    ck_assert(mst_network_manifold(back) != m);
    mst_network_free(again);
    /* And once more: the same bytes. */
    ASSERT_OK(mst_network_write(back, scratch("b"), false));
    size_t length[2];
    char *a = scratch_read(scratch("a"), &length[0]), *b = scratch_read(scratch("b"), &length[1]);
    ck_assert_uint_eq(length[0], length[1]);
    ck_assert_mem_eq(a, b, length[0]);
    free(a), free(b);
    mst_network_free(net);
    mst_network_free(back);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

START_TEST(not_overwritten)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net = full_network(m, designs[0]), *other = full_network(m, designs[1]), *back;
    scratch_open();
    ASSERT_OK(mst_network_write(net, scratch("model"), false));
    ASSERT_FAILS(MST_IO, mst_network_write(other, scratch("model"), false));
    ASSERT_OK(mst_network_read(&back, scratch("model"), NULL));
    same_info(net, back);
    mst_network_free(back);
    ASSERT_OK(mst_network_write(other, scratch("model"), true));
    ASSERT_OK(mst_network_read(&back, scratch("model"), NULL));
    same_info(other, back);
    mst_network_free(back);
    ck_assert_uint_eq(scratch_count(), 1);
    ASSERT_FAILS(MST_IO, mst_network_write(net, scratch("no/such/place"), false));
    ASSERT_FAILS(MST_IO, mst_network_read(&back, scratch("nothing"), NULL));
    ck_assert_ptr_null(back);
    mst_network_free(net);
    mst_network_free(other);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* ---- Damage ---- */

/* What to change in a good file: a key's value (null: the key is dropped), a tensor's
 * shape or name, or a number. */
typedef struct damage {
    const char *key, *value;
    const char *tensor;
    bool drop, transpose, flatten, wide;
    size_t shorter; /* rows fewer */
    bool poison;
    float number;
} damage;

enum { MOST = 40 };

static void write_damaged(const char *from, const char *to, const damage *d)
{
    tensors *t;
    tensor list[MOST];
    tensor_text text[MOST];
    size_t count = 0, texts = 0;
    double wide[4096];
    float *copy = malloc(1 << 20);
    ASSERT_OK(tensors_read(&t, from));
    for (size_t k = 0; k < tensors_count(t); k++) {
        tensor now = *tensors_at(t, k);
        if (d->tensor != NULL && strcmp(now.name, d->tensor) == 0) {
            memcpy(copy, now.data, tensor_size(&now) * sizeof *copy);
            now.data = copy;
            if (d->poison)
                copy[tensor_size(&now) - 1] = d->number;
            if (d->drop)
                continue;
            if (d->transpose) {
                size_t rows = now.shape[0];
                now.shape[0] = now.shape[1];
                now.shape[1] = rows;
            }
            if (d->flatten) {
                now.shape[0] *= now.shape[1];
                now.rank = 1;
            }
            if (d->wide) {
                now.type = TENSOR_F64;
                now.data = wide;
                memset(wide, 0, sizeof wide);
            }
            now.shape[0] -= d->shorter;
        }
        list[count++] = now;
    }
    for (size_t k = 0; k < tensors_text_count(t); k++) {
        tensor_text now = tensors_text_at(t, k);
        if (d->key != NULL && strcmp(now.key, d->key) == 0) {
            if (d->value == NULL)
                continue;
            now.value = d->value;
        }
        text[texts++] = now;
    }
    ASSERT_OK(tensors_write(to, true, count, list, texts, text));
    tensors_free(t);
    free(copy);
}

/* A good file "good", and the same with something wrong. */
static mst_status read_damaged(const damage *d)
{
    mst_network *net = (mst_network *)&net;
    write_damaged(scratch("good"), scratch("bad"), d);
    mst_status status = mst_network_read(&net, scratch("bad"), NULL);
    ck_assert(status == MST_OK || net == NULL);
    if (status != MST_OK)
        ck_assert_detail("bad");
    mst_network_free(net);
    return status;
}

static void write_good(void)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net = full_network(m, designs[0]);
    scratch_open();
    ASSERT_OK(mst_network_write(net, scratch("good"), false));
    mst_network_free(net);
    mst_manifold_free(m);
    ASSERT_OK(read_damaged(&(damage){0}));
}

START_TEST(metadata)
{
    static const char *const keys[] = {
        "format",  "manifold", "t_min",     "t_max",   "loss",  "activation", "width",
        "depth",   "energy",   "time_head", "plain",   "seed",  "steps",      "samples",
        "seconds", "finished", "excess",    "version", "reach",
    };
    static const struct {
        const char *key, *value;
    } wrong[] = {
        {"format", "manistat score 9"},
        {"format", ""},
        {"t_min", "0"},
        {"t_min", "-1"},
        {"t_min", "nan"},
        {"t_min", "2"},
        {"t_min", ""},
        {"t_min", "0.1x"},
        {"t_min", " 0.1"},
        {"t_min", "0x1p-4"},
        {"t_max", "inf"},
        {"t_max", "1e999"},
        {"t_max", "1,5"},
        {"loss", "belle"},
        {"loss", ""},
        {"activation", "relu"},
        {"activation", ""},
        {"width", "0"},
        {"width", "65537"},
        {"width", "18446744073709551616"},
        {"width", "-16"},
        {"width", "16.0"},
        {"width", ""},
        {"width", "17"},
        {"depth", "0"},
        {"depth", "65"},
        {"depth", "1"},
        {"depth", "3"},
        {"energy", "2"},
        {"energy", "true"},
        {"energy", "1"},
        {"time_head", "1"},
        {"plain", "1"},
        {"plain", "-1"},
        {"seed", "-1"},
        {"seed", "x"},
        {"seed", "18446744073709551616"},
        {"steps", "1e3"},
        {"steps", "+5"},
        {"samples", " 7"},
        {"seconds", "long"},
        {"seconds", "-1"},
        {"seconds", "nan"},
        {"finished", "yes"},
        {"excess", "good"},
        {"reach", "0"},
        {"reach", "-1"},
        {"reach", "inf"},
        {"reach", "far"},
    };
    write_good();
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        ASSERT_FAILS(MST_FORMAT, read_damaged(&(damage){.key = keys[k]}));
        ck_assert_detail(keys[k]);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mst_status status = read_damaged(&(damage){.key = wrong[k].key, .value = wrong[k].value});
        ck_assert_msg(status == MST_FORMAT, "%s = \"%s\": %s", wrong[k].key, wrong[k].value,
                      mst_status_name(status));
        assert_one_line(wrong[k].key);
    }
    ASSERT_OK(read_damaged(&(damage){.key = "certificate"}));
    ASSERT_OK(read_damaged(&(damage){.key = "excess", .value = "nan"}));
    ASSERT_OK(read_damaged(&(damage){.key = "reach", .value = "nan"}));
    scratch_close();
}
END_TEST

START_TEST(long_texts)
{
    static char text[3000];
    static const char *const keys[] = {"format",     "manifold", "loss",
                                       "activation", "t_min",    "width"};
    memset(text, 'a', sizeof text - 1);
    memcpy(text + 100, "\n\033[31m", 6);
    write_good();
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        mst_status status = read_damaged(&(damage){.key = keys[k], .value = text});
        ck_assert_msg(status == MST_FORMAT || status == MST_ARGUMENT, "%s: %s", keys[k],
                      mst_status_name(status));
        assert_one_line(keys[k]);
    }
    scratch_close();
}
END_TEST

START_TEST(centre_of_training)
{
    static const damage wrong[] = {
        {.tensor = "centre", .drop = true},
        {.tensor = "centre", .shorter = 1},
        {.tensor = "centre", .wide = true}, /* zeros are no point of the sphere */
    };
    write_good();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ASSERT_FAILS(MST_FORMAT, read_damaged(&wrong[k]));
        ck_assert_detail("centre");
    }
    scratch_close();
}
END_TEST

START_TEST(weights)
{
    static const damage wrong[] = {
        {.tensor = "layers.0.weight", .drop = true},
        {.tensor = "layers.2.weight", .drop = true},
        {.tensor = "layers.0.bias", .drop = true},
        {.tensor = "layers.2.bias", .drop = true},
        {.tensor = "layers.0.weight", .transpose = true},
        {.tensor = "layers.1.weight", .shorter = 1},
        {.tensor = "layers.1.weight", .flatten = true},
        {.tensor = "layers.1.weight", .wide = true},
        {.tensor = "layers.1.bias", .shorter = 1},
        {.tensor = "layers.1.bias", .wide = true},
        {.tensor = "layers.0.weight", .poison = true, .number = NAN},
        {.tensor = "layers.2.weight", .poison = true, .number = INFINITY},
        {.tensor = "layers.2.bias", .poison = true, .number = -INFINITY},
        {.tensor = "layers.0.bias", .poison = true, .number = NAN},
    };
    write_good();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        mst_status status = read_damaged(&wrong[k]);
        ck_assert_msg(status == MST_FORMAT, "number %zu, %s: %s", k, wrong[k].tensor,
                      mst_status_name(status));
        assert_one_line(wrong[k].tensor);
        ck_assert_detail("layer");
    }
    ASSERT_OK(read_damaged(&(damage){.tensor = "layers.0.bias", .poison = true, .number = 1}));
    scratch_close();
}
END_TEST

START_TEST(other_manifolds)
{
    mst_manifold *m = open_manifold("sphere:3"), *same = open_manifold("sphere:2");
    mst_network *net;
    write_good();
    ASSERT_FAILS(MST_ARGUMENT, mst_network_read(&net, scratch("good"), m));
    ck_assert_ptr_null(net);
    ck_assert_detail("a model for sphere:2, not for sphere:3");
    ASSERT_OK(mst_network_read(&net, scratch("good"), same));
    mst_network_free(net);
    /* Weights that do not fit: no memory is taken for what the file only names. */
    static const char *const wrong[] = {"sphere:3", "spd:45", "sphere:x",
                                        "cube",     "",       "sphere:20000"};
    for (size_t k = 0; k < 6; k++)
        ASSERT_FAILS(k < 2 ? MST_FORMAT : MST_ARGUMENT,
                     read_damaged(&(damage){.key = "manifold", .value = wrong[k]}));
    ck_assert_detail("at most 2048 coordinates");
    mst_manifold_free(m);
    mst_manifold_free(same);
    scratch_close();
}
END_TEST

/* ---- Formulas ---- */

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

#define BOWL                                            \
    "coordinates x y\nparameter a = 2 # \342\202\254\n" \
    "embedding = x, y, a*x^2 + y^2\nstart = 0, 0\n"

/* A network on two bowls, one of them with another parameter, whose file is gone. */
static mst_manifold *write_bowls(void)
{
    char spec[600];
    mst_manifold *m;
    scratch_open();
    put_text(scratch("bowl.manifold"), BOWL);
    snprintf(spec, sizeof spec, "product(%s?a=3,circle,%s)", scratch("bowl.manifold"),
             scratch("bowl.manifold"));
    ASSERT_OK(mst_manifold_parse(&m, spec));
    ck_assert_str_eq(mst_manifold_formula(mst_manifold_factor(m, 0)), BOWL);
    ck_assert_ptr_null(mst_manifold_formula(mst_manifold_factor(m, 1)));
    mst_network *net = full_network(m, designs[0]);
    ASSERT_OK(mst_network_write(net, scratch("good"), false));
    mst_network_free(net);
    ASSERT_OK(remove(scratch("bowl.manifold")) == 0 ? MST_OK : MST_IO);
    return m;
}

START_TEST(formulas_travel_with_the_model)
{
    mst_manifold *m = write_bowls();
    mst_network *back;
    ASSERT_OK(mst_network_read(&back, scratch("good"), NULL));
    const mst_manifold *own = mst_network_manifold(back);
    double x[5] = {0.3, -0.2, 1, 0.5, 0.1}, v[5] = {1, 2, 3, 4, 5}, inner[2];
    ck_assert(mst_manifold_is_same(own, m) && own != m);
    ASSERT_OK(mst_manifold_inner(own, 1, x, v, v, &inner[0]));
    ASSERT_OK(mst_manifold_inner(m, 1, x, v, v, &inner[1]));
    ck_assert(inner[0] == inner[1]);
    ck_assert_str_eq(mst_manifold_formula(mst_manifold_factor(own, 2)), BOWL);
    mst_network_free(back);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* What counts is what a file says: not where it is, how it is written, or how its parameters came to be. */
START_TEST(formulas_are_compared_by_content)
{
    static const struct {
        const char *text, *options;
        bool same;
    } other[] = {
        {BOWL, "?a=3", true},
        {"name = bowl\ncoordinates p q\nparameter b = 3\nembedding = p, q, b*p^2 + q^2\n"
         "start = 0, 0\n",
         "", true},
        {BOWL, "", false},
        {BOWL "domain x > -5\n", "?a=3", false},
        {BOWL "period y 2\n", "?a=3", false},
        {BOWL "compact = yes\n", "?a=3", false},
        {BOWL "injectivity = 1\n", "?a=3", false},
        {"coordinates x y\nembedding = x, y, 3*x^2 + y^2\nstart = 0, 1\n", "", false},
        {"coordinates x y\nmetric = 1 + x^2\nstart = 0, 0\n", "", false},
        {"coordinates x y z\nembedding = x, y, 3*x^2 + y^2 + z\nstart = 0\n", "", false},
    };
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        mst_manifold *m = write_bowls(), *now;
        mst_network *net;
        char spec[700];
        put_text(scratch("bowl.manifold"), BOWL);
        put_text(scratch("other.manifold"), other[k].text);
        snprintf(spec, sizeof spec, "product(%s%s,circle,%s)", scratch("other.manifold"),
                 other[k].options, scratch("bowl.manifold"));
        ASSERT_OK(mst_manifold_parse(&now, spec));
        mst_status status = mst_network_read(&net, scratch("good"), now);
        ck_assert_msg(status == (other[k].same ? MST_OK : MST_ARGUMENT), "%zu: %s", k,
                      mst_error_detail());
        ck_assert_int_eq(mst_manifold_is_same(m, now), other[k].same);
        mst_network_free(net);
        mst_manifold_free(now);
        mst_manifold_free(m);
        scratch_close();
    }
}
END_TEST

START_TEST(formulas_that_changed)
{
    mst_manifold *m = write_bowls(), *now;
    mst_network *net;
    put_text(scratch("bowl.manifold"), BOWL "domain x > -5\n");
    ASSERT_OK(mst_manifold_parse(&now, mst_manifold_spec(m)));
    ASSERT_FAILS(MST_ARGUMENT, mst_network_read(&net, scratch("good"), now));
    ck_assert_detail("something else now");
    mst_manifold_free(now);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* A model may come from anywhere: its texts are read like any file, and it opens none. */
START_TEST(hostile_formulas)
{
    static char large[(1 << 20) + 2], deep[200000];
    memset(large, '#', sizeof large - 1);
    size_t used = (size_t)sprintf(deep, "coordinates x y\nmetric = ");
    memset(deep + used, '(', sizeof deep - used - 1);
    const char *const texts[] = {
        NULL,
        "",
        large,
        deep,
        "coordinates x y\nmetric = \033[31m\nstart = 0\n",
        "coordinates x y\nmetric = sum(i, 1, 1e12, x^i)\nstart = 0\n",
        "coordinates x y\nembedding = x, y, z\nstart = 0\n",
        "coordinates x y\nembedding = x, y, x^2\nstart = 0, 0\n", /* no parameter a */
    };
    mst_manifold *m = write_bowls();
    put_text(scratch("bowl.manifold"), BOWL);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        mst_status status = read_damaged(&(damage){.key = "formula.1", .value = texts[k]});
        ck_assert_msg(status == MST_FORMAT || status == MST_ARGUMENT, "number %zu: %s", k,
                      mst_status_name(status));
        assert_one_line("formula");
    }
    ASSERT_FAILS(MST_FORMAT, read_damaged(&(damage){.key = "formula.2"}));
    ck_assert_detail("the text of");
    /* Another dimension: the weights do not fit. */
    ASSERT_FAILS(MST_FORMAT,
                 read_damaged(&(damage){.key = "formula.2",
                                        .value = "coordinates x[3]\nmetric = 1\nstart = 0\n"}));
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* A model for a manifold of the user's own: it must be given, and is borrowed. */
START_TEST(own_manifold)
{
    mst_manifold *m = open_manifold("bare");
    mst_network *net = full_network(m, designs[0]), *back;
    scratch_open();
    ASSERT_OK(mst_network_write(net, scratch("own"), false));
    ASSERT_FAILS(MST_ARGUMENT, mst_network_read(&back, scratch("own"), NULL));
    ck_assert_ptr_null(back);
    ASSERT_OK(mst_network_read(&back, scratch("own"), m));
    ck_assert(mst_network_manifold(back) == m);
    same_info(net, back);
    ck_assert_mem_eq(net->theta, back->theta, mlp_parameters(&net->shape) * sizeof(float));
    mst_network_free(back);
    mst_network_free(net);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

static size_t read_bytes(const char *path, char *out, size_t size)
{
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(out, 1, size, f);
    fclose(f);
    return n;
}

/* A file of the first version that could write any: it loads, says what it said then, and is written as it
 * was. */
START_TEST(files_of_the_first_version)
{
    enum { LARGEST_FILE = 4096 };
    const char *path = MST_TEST_DATA "/models/sphere2_format1.safetensors";
    const double x[] = {0, 0, 1}, y[] = {1, 0, 0}, t[] = {0.5};
    char before[LARGEST_FILE], after[LARGEST_FILE];
    double score[3], dt;
    mst_network *net;
    mst_score *source;
    scratch_open();
    ASSERT_OK(mst_network_read(&net, path, NULL));
    mst_network_info i = mst_network_describe(net);
    ck_assert_str_eq(i.manifold, "sphere:2");
    ck_assert(i.t_min == 0.02 && i.t_max == 0.8 && i.loss == MST_LOSS_BEL);
    ck_assert(i.activation == MST_SILU && i.width == 4 && i.depth == 1);
    ck_assert(!i.energy && i.time_head && !i.plain);
    ck_assert(i.seed == 7 && i.steps == 3 && i.samples == 192 && i.finished);
    ck_assert(isnan(i.reach) && i.excess == 0.0164990418503157);
    ASSERT_OK(mst_score_network_new(&source, net, false));
    ASSERT_OK(mst_score_evaluate_rows(source, 1, x, y, t,
                                      &(mst_heat_values){.score = score, .dt_log_p = &dt}));
    /* What it printed when it was made; sums of floats differ between instruction sets. */
    ck_assert_double_eq_tol(dt, 1.5788015551451169, 1e-5);
    ck_assert_double_eq_tol(score[0], 0, 1e-12);
    ck_assert_double_eq_tol(score[1], 0.009428109083362286, 1e-5);
    ck_assert_double_eq_tol(score[2], 2.4814569069960637, 1e-5);
    ASSERT_OK(mst_network_write(net, scratch("again"), false));
    size_t n = read_bytes(path, before, LARGEST_FILE);
    ck_assert_uint_eq(read_bytes(scratch("again"), after, LARGEST_FILE), n);
    ck_assert_mem_eq(before, after, n);
    mst_score_free(source);
    mst_network_free(net);
    scratch_close();
}
END_TEST

int main(void)
{
    return RUN_SUITE("network_file", 60, {round_trip, DESIGNS}, {not_overwritten, 0}, {metadata, 0},
                     {long_texts, 0}, {centre_of_training, 0}, {weights, 0}, {other_manifolds, 0},
                     {own_manifold, 0}, {formulas_travel_with_the_model, 0},
                     {formulas_are_compared_by_content, 0}, {formulas_that_changed, 0},
                     {hostile_formulas, 0}, {files_of_the_first_version, 0});
}
