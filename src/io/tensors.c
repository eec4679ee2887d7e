/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What reading and writing safetensors files share. */
#include "io/tensors_internal.h"

#include <stdlib.h>
#include <string.h>

const tensor_type_info tensor_types[TENSOR_TYPES] = {
    [TENSOR_F32] = {"F32", 4}, [TENSOR_F64] = {"F64", 8}, [TENSOR_U64] = {"U64", 8}};

size_t tensor_size(const tensor *t)
{
    size_t size = 1;
    for (size_t i = 0; i < t->rank; i++)
        size *= t->shape[i];
    return size;
}

bool tensor_bytes(const tensor *t, size_t *bytes)
{
    size_t product = tensor_types[t->type].item;
    bool empty = false;
    for (size_t i = 0; i < t->rank; i++) {
        empty |= t->shape[i] == 0;
        if (t->shape[i] != 0 && __builtin_mul_overflow(product, t->shape[i], &product))
            return false;
    }
    *bytes = empty ? 0 : product;
    return product <= PTRDIFF_MAX;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *tensors_duplicate(size_t count, const char **names)
{
    qsort(names, count, sizeof *names, compare_strings);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}
