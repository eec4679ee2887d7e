/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/json_scanner.h"
#include "util/utf8.h"

#include <string.h>

void json_skip_space(json_scanner *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

bool json_take(json_scanner *s, char c)
{
    json_skip_space(s);
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

bool json_at_digit(const json_scanner *s)
{
    return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

static bool take_hex4(json_scanner *s, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, s->p++) {
        char c = s->p < s->end ? *s->p : '\0';
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

/* Behind the backslash. */
static bool take_escape(json_scanner *s, char **text)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    char c = s->p < s->end ? *s->p++ : '\0';
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found != NULL) {
        *(*text)++ = means[found - letters];
        return true;
    }
    uint32_t code, low;
    if (c != 'u' || !take_hex4(s, &code) || code == 0 || (code >= 0xdc00 && code <= 0xdfff))
        return false;
    if (code >= 0xd800 && code <= 0xdbff) { /* the first half of a surrogate pair */
        if (s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
            return false;
        s->p += 2;
        if (!take_hex4(s, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *text += mst_utf8_encode(code, *text);
    return true;
}

const char *json_take_string(json_scanner *s, char **text)
{
    while (s->p < s->end && *s->p != '"') {
        size_t n = mst_utf8_length(s->p, (size_t)(s->end - s->p));
        if (n == 0)
            return "not UTF-8";
        if ((unsigned char)*s->p < 0x20)
            return "a control character in a string";
        if (*s->p == '\\') {
            s->p++;
            if (!take_escape(s, text))
                return "an invalid escape";
            continue;
        }
        memcpy(*text, s->p, n);
        *text += n;
        s->p += n;
    }
    if (s->p == s->end)
        return "an unterminated string";
    s->p++;
    *(*text)++ = '\0';
    return NULL;
}

bool json_take_integer(json_scanner *s, uint64_t *out)
{
    bool fine = json_at_digit(s), zero = fine && *s->p == '0';
    *out = 0;
    for (const char *start = s->p; fine && json_at_digit(s); s->p++)
        fine = !(zero && s->p > start) && !__builtin_mul_overflow(*out, 10, out) &&
               !__builtin_add_overflow(*out, (uint64_t)(*s->p - '0'), out);
    return fine;
}
