/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned/content.h"

#include "learned/decoder.h"
#include "util/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_KEY "format"

/* ---- Packing ---- */

mst_status learned_pack_tensor(learned_pack *p, const tensor *t)
{
    MST_TRY(mst_grow(&p->list, p->count, &p->room));
    p->list[p->count++] = *t;
    return MST_OK;
}

mst_status learned_pack_own(learned_pack *p, void *memory)
{
    mst_status status = mst_grow(&p->own, p->owned, &p->owned_room);
    if (status == MST_OK)
        p->own[p->owned++] = memory;
    else
        mst_release(memory);
    return status;
}

void learned_pack_free(learned_pack *p)
{
    for (size_t k = 0; k < p->owned; k++)
        mst_release(p->own[k]);
    mst_release(p->own);
    mst_release(p->list);
}

void learned_pack_text(learned_pack *p, const char *key, const char *value)
{
    p->text[p->texts++] = (tensor_text){key, value};
}

void learned_pack_number(learned_pack *p, const char *key, double value)
{
    char *to = p->numbers[p->texts];
    const named_field field = {.name = key, .kind = FIELD_NUMBER};
    _Static_assert((size_t)FIELD_TEXT <= (size_t)LEARNED_NUMBER, "numbers have room");
    field_write(&field, &value, to);
    learned_pack_text(p, key, to);
}

mst_status content_pack(const learned *l, learned_pack *p)
{
    learned_pack_text(p, FORMAT_KEY, l->ops->format);
    if (l->width > 0) {
        learned_pack_number(p, "height", (double)l->height);
        learned_pack_number(p, "width", (double)l->width);
    }
    return l->ops->pack(l, p);
}

/* ---- base64 ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static mst_status encode(const unsigned char *bytes, size_t size, char **out)
{
    MST_TRY(mst_allocate(out, (size + 2) / 3 * 4 + 1));
    char *to = *out;
    for (size_t i = 0; i < size; i += 3) {
        unsigned word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (i + k < size ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            *to++ = i + k <= size ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    *to = '\0';
    return MST_OK;
}

static mst_status decode(const char *text, const char *name, unsigned char **out, size_t *size)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=')
        length--;
    MST_TRY(mst_allocate(out, length / 4 * 3 + 3));
    *size = 0;
    unsigned word = 0;
    for (size_t i = 0; i < length; i++) {
        const char *at = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (at == NULL) {
            mst_release(*out);
            *out = NULL;
            return mst_fail(MST_FORMAT, "%s: its text is not base64", name);
        }
        word = word << 6 | (unsigned)(at - digits);
        if (i % 4 > 0)
            (*out)[(*size)++] = (unsigned char)(word >> (6 - 2 * (i % 4)));
    }
    return MST_OK;
}

mst_status content_write(const learned *l, char **text)
{
    learned_pack p = {0};
    char *bytes = NULL;
    size_t size;
    mst_status status = content_pack(l, &p);
    if (status == MST_OK)
        status = tensors_pack(&bytes, &size, p.count, p.list, p.texts, p.text);
    if (status == MST_OK)
        status = encode((const unsigned char *)bytes, size, text);
    mst_release(bytes);
    learned_pack_free(&p);
    return status;
}

/* ---- Reading ---- */

mst_status learned_read_number(const learned_reading *r, const char *key, double *out)
{
    const char *text = tensors_text(r->t, key);
    const named_field field = {.name = key, .kind = FIELD_NUMBER};
    if (text == NULL)
        return mst_fail(MST_FORMAT, "%s: the metadata lack \"%s\"", r->name, key);
    const char *wrong = field_read(&field, text, out);
    if (wrong == NULL && isfinite(*out))
        return MST_OK;
    return mst_fail(MST_FORMAT, "%s: the metadata say %s = \"%.40s\", which %s", r->name, key, text,
                    wrong != NULL ? wrong : "is not finite");
}

mst_status learned_read_tensor(const learned_reading *r, const char *name, size_t rank,
                               const tensor **out)
{
    const tensor *t = *out = tensors_find(r->t, name);
    if (t == NULL || t->type != TENSOR_F64 || t->rank != rank || tensor_size(t) == 0)
        return mst_fail(MST_FORMAT, "%s: \"%s\" must be a tensor of doubles of rank %zu, and is %s",
                        r->name, name, rank, t == NULL ? "missing" : "not");
    const double *x = t->data;
    for (size_t i = 0; i < tensor_size(t); i++)
        if (!isfinite(x[i]))
            return mst_fail(MST_FORMAT, "%s: number %zu of \"%s\" is not finite", r->name, i + 1,
                            name);
    return MST_OK;
}

static mst_status read_size(const learned_reading *r, const char *key, size_t *out)
{
    double value = 0;
    if (tensors_text(r->t, key) == NULL)
        return MST_OK;
    MST_TRY(learned_read_number(r, key, &value));
    if (!(value >= 1 && value <= 1e9 && value == (double)(size_t)value))
        return mst_fail(MST_FORMAT, "%s: %g is no %s of images", r->name, value, key);
    *out = (size_t)value;
    return MST_OK;
}

mst_status learned_read_shape(const learned_reading *r, size_t outputs, size_t *height,
                              size_t *width)
{
    *height = r->height;
    *width = r->width;
    if (*width == 0) {
        MST_TRY(read_size(r, "height", height));
        MST_TRY(read_size(r, "width", width));
    }
    if ((*height != 0 || *width != 0) &&
        (*width == 0 || outputs % *width != 0 || outputs / *width != *height))
        return mst_fail(MST_FORMAT, "%s: rows of %zu numbers are no images of %zu by %zu", r->name,
                        outputs, *height, *width);
    return MST_OK;
}

static const struct {
    const char *format;
    mst_status (*read)(mst_manifold **out, const learned_reading *r);
} kinds[] = {
    {GP_FORMAT, gp_read},
    {DECODER_FORMAT, decoder_read},
};

/* Where data hardly have noise, rounding can be larger than what is left of the variance. */
static mst_status check_metric(const mst_manifold *m)
{
    size_t d = mst_manifold_dim(m);
    double *x, square = 0;
    MST_TRY(mst_allocate_zero(&x, 2 * d));
    mst_manifold_start(m, x);
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < d && square >= 0; k++) {
        x[d + k] = 1;
        status = mst_manifold_inner(m, 1, x, x + d, x + d, &square);
        x[d + k] = 0;
    }
    mst_release(x);
    if (status == MST_OK && !(square >= 0))
        return mst_fail(MST_DOMAIN, "its metric is not positive where it starts; more noise, or "
                                    "data that are less far apart, would help");
    return status;
}

mst_status content_read(mst_manifold **out, const tensors *t, const char *name, const char *spec,
                        const content_options *options)
{
    const char *format = tensors_text(t, FORMAT_KEY);
    learned_reading r = {.t = t, .name = name, .spec = spec, .uncertainty = options->uncertainty};
    *out = NULL;
    for (size_t k = 0; format != NULL && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].format, format) == 0) {
            mst_status status = kinds[k].read(out, &r);
            if (status == MST_OK && (status = check_metric(*out)) != MST_OK) {
                mst_manifold_free(*out);
                *out = NULL;
            }
            if (status == MST_OK || status == MST_FORMAT || status == MST_MEMORY)
                return status;
            char *detail; /* what is wrong with the numbers is wrong with the file */
            MST_TRY(mst_copy_string(&detail, mst_error_detail()));
            status = mst_fail(MST_FORMAT, "%s: %s", name, detail);
            mst_release(detail);
            return status;
        }
    return mst_fail(MST_FORMAT, "%s: not a learned manifold: its format is %s%.40s", name,
                    format != NULL ? "" : "not stated", format != NULL ? format : "");
}

mst_status content_parse(mst_manifold **out, const char *text, const char *name, const char *spec,
                         const content_options *options)
{
    unsigned char *bytes;
    size_t size;
    tensors *t;
    *out = NULL;
    MST_TRY(decode(text, name, &bytes, &size));
    mst_status status = tensors_parse(&t, name, bytes, size);
    if (status == MST_OK) {
        status = content_read(out, t, name, spec, options);
        tensors_free(t);
    }
    mst_release(bytes);
    return status;
}
