/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Grey images as PNG (without compression: stored blocks, which every reader knows) and as PGM. */
#include "io/internal.h"

#include <manistat/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned char grey_of(double x)
{
    return (unsigned char)(fmin(fmax(x, 0), 1) * 255 + 0.5); /* not-a-number is black */
}

/* ---- PNG ---- */

/* CRC-32 as in ISO 3309, bit by bit: images are small. */
static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = (crc & 1) != 0 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return crc;
}

static void put_number(unsigned char *to, uint32_t x)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(x >> (24 - 8 * k));
}

/* Length, name, data and checksum. */
static mst_status write_chunk(mst_output *o, const char *name, const unsigned char *data, size_t n)
{
    unsigned char head[8], tail[4];
    put_number(head, (uint32_t)n);
    memcpy(head + 4, name, 4);
    uint32_t crc = crc_of(UINT32_C(0xffffffff), head + 4, 4);
    put_number(tail, ~crc_of(crc, data, n));
    MST_TRY(mst_output_write(o, head, sizeof head));
    if (n > 0)
        MST_TRY(mst_output_write(o, data, n));
    return mst_output_write(o, tail, sizeof tail);
}

/* A zlib stream of stored blocks; `raw` are the rows, each behind a zero: no filter. */
static size_t store(const unsigned char *raw, size_t n, unsigned char *to)
{
    enum { MOST = 65535 };
    unsigned char *at = to;
    uint32_t a = 1, b = 0; /* Adler-32 */
    *at++ = 0x78;
    *at++ = 0x01;
    for (size_t i = 0; i < n; i += MOST) {
        size_t count = n - i < MOST ? n - i : MOST;
        *at++ = i + count == n;
        *at++ = (unsigned char)count;
        *at++ = (unsigned char)(count >> 8);
        *at++ = (unsigned char)~count;
        *at++ = (unsigned char)(~count >> 8);
        memcpy(at, raw + i, count);
        at += count;
    }
    for (size_t i = 0; i < n; i++) {
        a = (a + raw[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_number(at, b << 16 | a);
    return (size_t)(at + 4 - to);
}

static mst_status write_png(mst_output *o, size_t height, size_t width, const double *x)
{
    static const unsigned char magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {0}, *raw, *stored;
    size_t size = height * (width + 1);
    put_number(header, (uint32_t)width);
    put_number(header + 4, (uint32_t)height);
    header[8] = 8; /* bits of a grey value */
    MST_TRY(mst_allocate(&raw, 2 * size + size / 65535 * 5 + 16));
    stored = raw + size;
    for (size_t i = 0; i < height; i++) {
        raw[i * (width + 1)] = 0;
        for (size_t j = 0; j < width; j++)
            raw[i * (width + 1) + 1 + j] = grey_of(x[i * width + j]);
    }
    size_t length = store(raw, size, stored);
    mst_status status = mst_output_write(o, magic, sizeof magic);
    if (status == MST_OK)
        status = write_chunk(o, "IHDR", header, sizeof header);
    if (status == MST_OK)
        status = write_chunk(o, "IDAT", stored, length);
    if (status == MST_OK)
        status = write_chunk(o, "IEND", NULL, 0);
    mst_release(raw);
    return status;
}

/* ---- PGM ---- */

static mst_status write_pgm(mst_output *o, size_t height, size_t width, const double *x)
{
    char head[64];
    unsigned char *row;
    int length = snprintf(head, sizeof head, "P5\n%zu %zu\n255\n", width, height);
    MST_TRY(mst_output_write(o, head, (size_t)length));
    MST_TRY(mst_allocate(&row, width));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < height; i++) {
        for (size_t j = 0; j < width; j++)
            row[j] = grey_of(x[i * width + j]);
        status = mst_output_write(o, row, width);
    }
    mst_release(row);
    return status;
}

/* ---- By the ending ---- */

typedef mst_status image_format(mst_output *o, size_t height, size_t width, const double *x);

static image_format *format_of(const char *path)
{
    size_t length = strlen(path);
    const char *ending = length > 4 ? path + length - 4 : "";
    return strcmp(ending, ".png") == 0 ? write_png : strcmp(ending, ".pgm") == 0 ? write_pgm : NULL;
}

bool mst_image_is_name(const char *path)
{
    return format_of(path) != NULL;
}

mst_status mst_image_write(const char *path, size_t height, size_t width, const double *grey,
                           bool force)
{
    enum { MOST = 65535 };
    image_format *format = format_of(path);
    mst_output *o;
    if (format == NULL)
        return mst_fail(MST_ARGUMENT, "%s: images are written to files ending in .png or .pgm",
                        path);
    if (height < 1 || width < 1 || height > MOST || width > MOST || height * width > 1u << 28)
        return mst_fail(MST_ARGUMENT, "%s: an image of %zu by %zu pixels cannot be written", path,
                        height, width);
    MST_TRY(mst_output_open(&o, path, force ? MST_OUTPUT_FORCE : MST_OUTPUT_NEW));
    mst_status status = format(o, height, width, grey);
    if (status == MST_OK)
        status = mst_output_commit(o);
    mst_output_free(o);
    return status;
}
