/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* JSON (RFC 8259). Values stand one after the other in the order of the text, an array or object before what
 * it holds; a member of an object is two values, the key and its value. */
#include "base/internal.h"
#include "util/json.h"
#include "util/json_scanner.h"
#include "util/message.h"
#include "util/number_text.h"
#include "util/source.h"

#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 100 };

struct mst_json_value {
    mst_json_kind kind;
    bool last;   /* nothing follows it in its array or object */
    size_t size; /* values it takes, itself included */
    union {
        double number;
        bool truth;
        size_t length; /* of arrays and objects */
        size_t offset; /* of a string's text while the text still moves */
        const char *string;
        char *text; /* of the head */
    };
};

/* What is being read. */
typedef struct document {
    mst_json_value *values; /* first a head that holds the text, then what the user gets */
    size_t count, capacity;
    char *text; /* all strings, each with its zero */
    size_t text_size;
} document;

typedef struct parser {
    const char *name;
    json_scanner at;
    document *d;
    size_t depth;
} parser;

static mst_status refuse(const parser *s, const char *what)
{
    uint64_t line = 1;
    for (const char *c = s->at.begin; c < s->at.p; c++)
        line += *c == '\n';
    return mst_fail(MST_FORMAT, "%s, line %" PRIu64 ": %s; this is not JSON", s->name, line, what);
}

static mst_status add_value(parser *s, mst_json_kind kind, size_t *index)
{
    document *d = s->d;
    MST_TRY(mst_grow(&d->values, d->count, &d->capacity));
    *index = d->count++;
    d->values[*index] = (mst_json_value){.kind = kind, .size = 1};
    return MST_OK;
}

/* Behind the opening quote. */
static mst_status take_string(parser *s)
{
    size_t index;
    document *d = s->d;
    MST_TRY(add_value(s, MST_JSON_STRING, &index));
    d->values[index].offset = d->text_size;
    char *end = d->text + d->text_size;
    const char *wrong = json_take_string(&s->at, &end);
    d->text_size = (size_t)(end - d->text);
    return wrong == NULL ? MST_OK : refuse(s, wrong);
}

/* The grammar is narrower than that of mst_parse_double: no leading zeros, no ".5", no "nan". */
static mst_status take_number(parser *r)
{
    json_scanner *s = &r->at;
    const char *start = s->p;
    size_t index;
    if (*s->p == '-')
        s->p++;
    bool zero = json_at_digit(s) && *s->p == '0', fine = json_at_digit(s);
    for (s->p += fine; !zero && json_at_digit(s); s->p++)
        ;
    if (fine && s->p < s->end && *s->p == '.') {
        s->p++;
        fine = json_at_digit(s);
        while (json_at_digit(s))
            s->p++;
    }
    if (fine && s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        fine = json_at_digit(s);
        while (json_at_digit(s))
            s->p++;
    }
    MST_TRY(add_value(r, MST_JSON_NUMBER, &index));
    if (!fine || !mst_parse_double(start, (size_t)(s->p - start), &r->d->values[index].number))
        return refuse(r, "a number is malformed or too large");
    return MST_OK;
}

static mst_status take_word(parser *s)
{
    static const struct {
        const char *word;
        mst_json_kind kind;
        bool truth;
    } words[] = {{"null", MST_JSON_NULL, false},
                 {"true", MST_JSON_BOOL, true},
                 {"false", MST_JSON_BOOL, false}};
    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i].word), index;
        if ((size_t)(s->at.end - s->at.p) < length || memcmp(s->at.p, words[i].word, length) != 0)
            continue;
        MST_TRY(add_value(s, words[i].kind, &index));
        s->d->values[index].truth = words[i].truth;
        s->at.p += length;
        return MST_OK;
    }
    return refuse(s, "not a value");
}

static mst_status take_value(parser *s);

static mst_status take_key(parser *s)
{
    if (!json_take(&s->at, '"'))
        return refuse(s, "a member of an object without a name");
    MST_TRY(take_string(s));
    return json_take(&s->at, ':') ? MST_OK : refuse(s, "no colon after the name of a member");
}

/* Objects are small, so every key is compared with the ones before it. */
static bool key_is_new(const document *d, size_t object, size_t key)
{
    const char *text = d->text + d->values[key].offset;
    for (size_t k = object + 1; k < key; k += 1 + d->values[k + 1].size)
        if (strcmp(d->text + d->values[k].offset, text) == 0)
            return false;
    return true;
}

/* Behind the opening bracket. */
static mst_status take_container(parser *s, mst_json_kind kind, char close)
{
    size_t index, key, length = 0, last = 0;
    document *d = s->d;
    MST_TRY(add_value(s, kind, &index));
    if (++s->depth > DEEPEST)
        return refuse(s, "too many levels");
    if (!json_take(&s->at, close)) {
        do {
            key = d->count;
            if (kind == MST_JSON_OBJECT) {
                MST_TRY(take_key(s));
                if (!key_is_new(d, index, key))
                    return refuse(s, "the same name twice in an object");
            }
            last = d->count;
            MST_TRY(take_value(s));
            length++;
        } while (json_take(&s->at, ','));
        if (!json_take(&s->at, close))
            return refuse(s, "an unterminated array or object");
        d->values[last].last = true;
    }
    s->depth--;
    d->values[index].length = length;
    d->values[index].size = d->count - index;
    return MST_OK;
}

static mst_status take_value(parser *s)
{
    json_skip_space(&s->at);
    if (s->at.p == s->at.end)
        return refuse(s, "the text ends early");
    switch (*s->at.p) {
    case '{':
        s->at.p++;
        return take_container(s, MST_JSON_OBJECT, '}');
    case '[':
        s->at.p++;
        return take_container(s, MST_JSON_ARRAY, ']');
    case '"':
        s->at.p++;
        return take_string(s);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return take_number(s);
    default:
        return take_word(s);
    }
}

static mst_status parse(parser *s)
{
    document *d = s->d;
    size_t head;
    MST_TRY(mst_allocate(&d->text, (size_t)(s->at.end - s->at.begin) + 1));
    MST_TRY(add_value(s, MST_JSON_NULL, &head));
    MST_TRY(take_value(s));
    json_skip_space(&s->at);
    if (s->at.p != s->at.end)
        return refuse(s, "text after the value");
    d->values[head].text = d->text;
    d->values[head + 1].last = true;
    for (size_t i = head + 1; i < d->count; i++)
        if (d->values[i].kind == MST_JSON_STRING)
            d->values[i].string = d->text + d->values[i].offset;
    return MST_OK;
}

mst_status mst_json_parse(mst_json_value **out, const char *name, size_t n, const char *text)
{
    document d = {0};
    parser s = {.name = name, .at = {text, text, text + n}, .d = &d};
    mst_status status = parse(&s);
    if (status != MST_OK) {
        mst_release(d.values);
        mst_release(d.text);
        return status;
    }
    *out = d.values + 1;
    return MST_OK;
}

mst_status mst_json_read(mst_json_value **out, const char *path)
{
    mst_source source;
    MST_TRY(mst_source_open(&source, path));
    mst_status status = mst_source_fill(&source, SIZE_MAX);
    if (status == MST_OK)
        status = mst_json_parse(out, source.name, mst_source_available(&source),
                                mst_source_bytes(&source));
    mst_source_close(&source);
    return status;
}

void mst_json_value_free(mst_json_value *top)
{
    if (top == NULL)
        return;
    mst_release(top[-1].text);
    mst_release(top - 1);
}

mst_json_kind mst_json_kind_of(const mst_json_value *v)
{
    return v != NULL ? v->kind : MST_JSON_NULL;
}

double mst_json_as_number(const mst_json_value *v)
{
    return mst_json_kind_of(v) == MST_JSON_NUMBER ? v->number : 0;
}

bool mst_json_as_bool(const mst_json_value *v)
{
    return mst_json_kind_of(v) == MST_JSON_BOOL && v->truth;
}

const char *mst_json_as_string(const mst_json_value *v)
{
    return mst_json_kind_of(v) == MST_JSON_STRING ? v->string : NULL;
}

size_t mst_json_length(const mst_json_value *v)
{
    mst_json_kind kind = mst_json_kind_of(v);
    return kind == MST_JSON_ARRAY || kind == MST_JSON_OBJECT ? v->length : 0;
}

const mst_json_value *mst_json_member(const mst_json_value *object, const char *key)
{
    if (mst_json_kind_of(object) != MST_JSON_OBJECT || object->length == 0)
        return NULL;
    for (const mst_json_value *k = object + 1;; k = k + 1 + k[1].size) {
        if (strcmp(k->string, key) == 0)
            return k + 1;
        if (k[1].last)
            return NULL;
    }
}

const mst_json_value *mst_json_first(const mst_json_value *array)
{
    return mst_json_kind_of(array) == MST_JSON_ARRAY && array->length > 0 ? array + 1 : NULL;
}

const mst_json_value *mst_json_next(const mst_json_value *element)
{
    return element == NULL || element->last ? NULL : element + element->size;
}
