/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lets the first, second, third … allocation fail: the answer is MST_MEMORY, nothing leaks (with the address
 * sanitizer) and no file is left behind. */
#include "io/tensors.h"
#include "support/scratch.h"
#include "util/json.h"
#include "util/output.h"
#include "util/text_stream.h"

#include <manistat/points.h>
#include <manistat/signals.h>

static long allocations_left = -1; /* negative: all succeed */

/* Takes the place of the C library's function in this program; the library has no other way to memory. */
void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}

typedef mst_status work(void);

static void sweep(work *w)
{
    mst_status status = MST_MEMORY;
    long k = 0;
    for (; status == MST_MEMORY; k++) {
        size_t files = scratch_count();
        allocations_left = k;
        status = w();
        allocations_left = -1;
        if (status == MST_MEMORY) {
            ck_assert_detail("cannot allocate");
            ck_assert_uint_eq(scratch_count(), files);
        }
    }
    ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
    ck_assert_int_gt(k, 2);
}

static mst_status read_file(const char *path)
{
    mst_reader *r;
    double x[100];
    size_t got = 1;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    while (status == MST_OK && got > 0)
        status = mst_reader_next(r, 10, x, &got);
    mst_reader_free(r);
    return status;
}

/* Longer than the buffer of a file, so that it grows more than once. */
static mst_status print_text(void)
{
    mst_text_stream *s;
    char *text;
    size_t length;
    mst_status status = mst_text_open(&s);
    if (status != MST_OK)
        return status;
    for (int i = 0; i < 10000; i++)
        fprintf(mst_text_file(s), "%d\n", 10000 + i);
    status = mst_text_close(s, &text, &length);
    if (status != MST_OK)
        return status;
    ck_assert_uint_eq(length, 60000);
    ck_assert_uint_eq(strlen(text), 60000);
    ck_assert_str_eq(text + 60000 - 6, "19999\n");
    free(text);
    return MST_OK;
}

static mst_status read_csv(void)
{
    return read_file(scratch("a.csv"));
}

static mst_manifold *plane, *cone;

static mst_status read_npy(void)
{
    return read_file(scratch("a.npy"));
}

static mst_status read_tps(void)
{
    double *x;
    size_t n;
    mst_labels *labels;
    mst_status status = mst_points_read_by(&x, &n, &labels, plane, scratch("a.tps"), "id", NULL);
    if (status != MST_OK)
        return status;
    mst_points_free(x);
    mst_labels_free(labels);
    return MST_OK;
}

static mst_status write_tps(void)
{
    mst_writer *w;
    mst_status status = mst_writer_open_landmarks(&w, scratch("out.tps"), 2, 2, true);
    if (status != MST_OK)
        return status;
    status = mst_writer_specimens(w, 1, (const double[]){1, 2}, NULL);
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return status;
}

static mst_status write_file(const char *path)
{
    static const char *const names[] = {"a", "b"};
    mst_writer *w;
    mst_status status = mst_writer_open(&w, path, 2, names, true);
    if (status != MST_OK)
        return status;
    status = mst_writer_rows(w, 1, (const double[]){1, 2});
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return status;
}

static mst_status write_csv(void)
{
    return write_file(scratch("out.csv"));
}

static mst_status write_link(void)
{
    return write_file(scratch("link.csv"));
}

static mst_status write_json(void)
{
    mst_output *o;
    mst_json *j;
    mst_status status = mst_output_open(&o, scratch("out.json"), true);
    if (status != MST_OK)
        return status;
    status = mst_json_new(&j, o);
    if (status == MST_OK) {
        for (int i = 0; i < 20; i++)
            mst_json_array(j);
        for (int i = 0; i < 20; i++)
            mst_json_end(j);
        status = mst_json_finish(j);
        mst_json_free(j);
    }
    mst_output_free(o);
    return status;
}

static mst_manifold *sphere;

static mst_status read_points(void)
{
    double *x;
    size_t n;
    mst_status status = mst_points_read(&x, &n, sphere, scratch("points.csv"), NULL);
    if (status == MST_OK)
        mst_points_free(x);
    return status;
}

static mst_status read_labelled(void)
{
    double *x;
    size_t n;
    mst_labels *labels;
    mst_status status =
        mst_points_read_by(&x, &n, &labels, sphere, scratch("labelled.csv"), "g", NULL);
    if (status != MST_OK)
        return status;
    mst_points_free(x);
    mst_labels_free(labels);
    return MST_OK;
}

static mst_status read_labels(void)
{
    mst_labels *labels;
    mst_status status = mst_labels_read(&labels, scratch("labels.txt"), 200);
    if (status == MST_OK)
        mst_labels_free(labels);
    return status;
}

static mst_status read_json(void)
{
    mst_json_value *top;
    mst_status status = mst_json_read(&top, scratch("a.json"));
    if (status == MST_OK)
        mst_json_value_free(top);
    return status;
}

static mst_status write_tensors(void)
{
    static const double x[3];
    static const tensor list[] = {{"x", TENSOR_F64, 1, {3}, x}, {"y", TENSOR_F64, 0, {0}, x}};
    return tensors_write(scratch("out.safetensors"), true, 2, list, 1,
                         (const tensor_text[]){{"key", "value"}});
}

/* As many tensors and texts as make the lists grow. */
static void make_tensors(void)
{
    enum { N = 40 };
    char names[N][4];
    tensor list[N];
    tensor_text text[N];
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        list[i] = (tensor){.name = names[i], .type = TENSOR_F32, .rank = 0, .data = names};
        text[i] = (tensor_text){names[i], "x"};
    }
    ck_assert_int_eq(tensors_write(scratch("a.safetensors"), false, N, list, N, text), MST_OK);
}

static mst_status read_tensors(void)
{
    tensors *t;
    mst_status status = tensors_read(&t, scratch("a.safetensors"));
    if (status == MST_OK)
        tensors_free(t);
    return status;
}

/* With shrinkage, and a matrix that is looked at twice. */
static mst_status read_matrices(void)
{
    mst_points_options o = mst_points_options_default();
    double *x;
    size_t n;
    o.shrink = MST_SHRINK_VALUE;
    o.intensity = 0.5;
    mst_status status = mst_points_read(&x, &n, cone, scratch("matrices.csv"), &o);
    if (status == MST_OK)
        mst_points_free(x);
    return status;
}

/* Turned, so that an epoch is held twice. */
static mst_status read_signals(void)
{
    mst_signals *s;
    mst_signals_options o = mst_signals_options_default();
    double x[6];
    uint64_t epoch;
    bool got;
    o.transpose = true;
    mst_status status = mst_signals_open(&s, scratch("epochs.npy"), &o);
    if (status != MST_OK)
        return status;
    status = mst_signals_next(s, x, &epoch, &got);
    mst_signals_free(s);
    o.window = 2;
    if (status == MST_OK)
        status = mst_signals_open(&s, scratch("a.csv"), &o);
    if (status == MST_OK)
        mst_signals_free(s);
    return status;
}

static mst_status write_matrices(void)
{
    mst_writer *w;
    mst_status status = mst_writer_open_matrices(&w, scratch("out.npy"), 2, true);
    if (status != MST_OK)
        return status;
    status = mst_writer_rows(w, 1, (const double[]){1, 2, 2, 5});
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return status;
}

static mst_status parse_tensors(void)
{
    tensors *t;
    mst_status status = tensors_parse(&t, "bytes", "\2\0\0\0\0\0\0\0{}", 10);
    if (status == MST_OK)
        tensors_free(t);
    return status;
}

START_TEST(test_sweeps)
{
    scratch_text("a.csv", "a,b\n1,2\n#\n3,4\n#\n5,6\n");
    scratch_bytes("a.npy",
                  "\x93NUMPY\1\0\x39\0{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2)}\n"
                  "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40",
                  10 + 0x39 + 16);
    ck_assert_int_eq(symlink("target.csv", scratch("link.csv")), 0);
    FILE *f = fopen(scratch("points.csv"), "w");
    for (int i = 0; i < 40000; i++)
        fprintf(f, "1,0,0\n");
    fclose(f);
    f = fopen(scratch("labels.txt"), "w");
    for (int i = 0; i < 200; i++)
        fprintf(f, "%d\n", i / 2);
    fclose(f);
    scratch_text("labelled.csv", "x,y,z,g\n1,0,0,a\n0,1,0,b\n");
    scratch_text("a.json", "{\"a\":[1,2,3,\"x\"]}");
    make_tensors();
    ck_assert_int_eq(mst_manifold_parse(&sphere, "sphere:2"), MST_OK);
    sweep(print_text);
    sweep(read_csv);
    sweep(read_npy);
    scratch_text("a.tps", "LM=1\n1 2\nID=a\nLM=1\n3 4\nID=b\n");
    ck_assert_int_eq(mst_manifold_parse(&plane, "euclidean:2"), MST_OK);
    sweep(read_tps);
    sweep(write_tps);
    mst_manifold_free(plane);
    scratch_text("matrices.csv", "2,1,2\n1,1,1\n");
    scratch_bytes("epochs.npy",
                  "\x93NUMPY\1\0\x3b\0{'descr': '|i1', 'fortran_order': False, 'shape': (1,3,2)}\n"
                  "\1\2\3\4\5\7",
                  10 + 0x3b + 6);
    ck_assert_int_eq(mst_manifold_parse(&cone, "spd:2"), MST_OK);
    sweep(read_matrices);
    mst_manifold_free(cone);
    sweep(read_signals);
    sweep(write_matrices);
    sweep(write_csv);
    sweep(write_link);
    sweep(write_json);
    sweep(read_points);
    sweep(read_labelled);
    sweep(read_labels);
    sweep(read_json);
    sweep(write_tensors);
    sweep(read_tensors);
    sweep(parse_tensors);
    mst_manifold_free(sphere);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_sweeps);
    return run_case("allocation_failure", c);
}
