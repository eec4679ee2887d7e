/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bytes of a fuzzer as a safetensors file: the header up to a line feed, then the data. */
#ifndef FUZZ_FRAMED_H
#define FUZZ_FRAMED_H

#include "io/tensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length of the header is put before it, because no fuzzer would guess it. */
static inline mst_status framed_tensors(tensors **out, const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data != NULL ? (const void *)data : "", '\n', size);
    size_t header = end != NULL ? (size_t)(end - data) : size;
    size_t rest = end != NULL ? size - header - 1 : 0;
    char *bytes = malloc(size + 8);
    if (bytes == NULL)
        abort();
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (char)(header >> 8 * i);
    if (header > 0)
        memcpy(bytes + 8, data, header);
    if (rest > 0)
        memcpy(bytes + 8 + header, end + 1, rest);
    mst_status status = tensors_parse(out, "fuzz", bytes, 8 + header + rest);
    free(bytes);
    return status;
}

#endif
