/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What reading and writing safetensors files share, and the header as it is read. */
#ifndef MST_IO_TENSORS_INTERNAL_H
#define MST_IO_TENSORS_INTERNAL_H

#include "io/tensors.h"

/* The format's own limit, in bytes; the length before the header takes 8 more. */
#define TENSORS_MOST_HEADER UINT64_C(100000000)
enum { TENSORS_LENGTH_SIZE = 8 };
#define TENSORS_METADATA "__metadata__"

/* Indexed by tensor_type. */
typedef struct tensor_type_info {
    const char *name; /* in the header */
    size_t item;      /* bytes of an element */
} tensor_type_info;
enum { TENSOR_TYPES = 3 };
extern const tensor_type_info tensor_types[TENSOR_TYPES];

/* Bytes of the data; false if the shape is too large for any memory, also where a zero in it would hide
 * that. */
bool tensor_bytes(const tensor *t, size_t *bytes);

/* A string that stands in the list twice, or null. Sorts the list. */
const char *tensors_duplicate(size_t count, const char **names);

/* Where the bytes of a tensor are, counted from the end of the header. */
typedef struct tensor_span {
    uint64_t begin, end;
    size_t index; /* of the tensor */
} tensor_span;

struct tensors {
    char *text; /* all strings, each with its zero */
    size_t count, capacity;
    tensor *list;       /* (count) in the order of the header */
    tensor_span *spans; /* (count) in the order of the data, once the header is read */
    size_t text_count, text_capacity;
    tensor_text *texts; /* (text_count) */
    char *data;
};

/* Fills a cleared `t`, all but the data, from the JSON of the header and checks it: at the end the spans
 * follow each other without gaps from 0 to `*data_size`. After a failure `t` is still to be freed. */
MST_MUST_USE mst_status tensors_read_header(tensors *t, const char *name, const char *bytes,
                                            size_t size, uint64_t *data_size);

#endif
