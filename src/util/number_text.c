/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Doubles to decimal text and back, both exact and both free of the locale.
 *
 * Writing is Schubfach (R. Giulietti, "The Schubfach way to render doubles", 2020): of the decimals that
 * round to x, the one with the fewest digits, and of those the closest to x. Reading multiplies the first 19
 * digits by the leading 128 bits of the power of ten (D. Lemire, "Number parsing at a gigabyte per second",
 * 2021), but as an interval: when both ends round to the same double that is the answer, else the C
 * library decides from all digits. */
#include "util/number_text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 uint128;

enum { FRACTION_BITS = 52, EXPONENT_MAX = 0x7ff, EXPONENT_BIAS = 1075 };
static const uint64_t HIDDEN_BIT = UINT64_C(1) << FRACTION_BITS;

/* floor(log2(10^k)), floor(log10(2^e)) and floor(log10(¾ 2^e)); exact for |k| ≤ 1232 and |e| ≤ 1500. The
 * shifts of negative numbers are arithmetic with every compiler this is built with. */
static int log2_of_power_of_ten(int k)
{
    return (k * 1741647) >> 19;
}

static int log10_of_power_of_two(int e)
{
    return (e * 1262611) >> 22;
}

static int log10_of_three_quarters_power_of_two(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static bool power_is_exact(int k)
{
    return k >= 0 && k <= 55;
}

/* ---- Writing ---- */

/* floor(g·c / 2^128) with the last bit set if anything but zero follows, which is enough to compare with
 * integers. g is the power of ten rounded up, so the product is too large by less than c < 2^64: that does
 * not reach the bits that are looked at, and the true product is never so close to an
 * integer without being one. */
static uint64_t multiply_round_to_odd(uint128 g, uint64_t c)
{
    uint128 low = (uint128)(uint64_t)g * c;
    uint128 sum = (uint128)(uint64_t)(g >> 64) * c + (low >> 64);
    return (uint64_t)(sum >> 64) | ((uint64_t)sum != 0);
}

/* The shortest decimal digits·10^exponent in the rounding interval of a finite x > 0. */
static uint64_t shortest_decimal(uint64_t fraction, int biased, int *exponent)
{
    uint64_t c = biased != 0 ? fraction | HIDDEN_BIT : fraction;
    int q = (biased != 0 ? biased : 1) - EXPONENT_BIAS;
    bool odd = c & 1;
    /* Below a power of two the doubles lie twice as dense, so the interval is shorter on that side. */
    bool closer = fraction == 0 && biased > 1;
    int k = closer ? log10_of_three_quarters_power_of_two(q) : log10_of_power_of_two(q);
    int h = q + log2_of_power_of_ten(-k) + 1;
    mst_power_of_ten p = mst_powers_of_ten[-k - MST_POWER_FIRST];
    uint128 g = ((uint128)p.high << 64 | p.low) + !power_is_exact(-k);

    /* Four times the ends and the middle of the interval in units of 10^k. The ends belong to it only if c is
     * even (round half to even). */
    uint64_t lower = multiply_round_to_odd(g, (4 * c - 2 + closer) << h) + odd;
    uint64_t middle = multiply_round_to_odd(g, (4 * c) << h);
    uint64_t upper = multiply_round_to_odd(g, (4 * c + 2) << h) - odd;

    uint64_t s = middle / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens;
        bool above = 40 * tens + 40 <= upper;
        if (below != above) {
            *exponent = k + 1;
            return tens + above;
        }
    }
    *exponent = k;
    bool below = lower <= 4 * s;
    bool above = 4 * s + 4 <= upper;
    if (below != above)
        return s + above;
    uint64_t half = 4 * s + 2;
    return s + (middle > half || (middle == half && (s & 1)));
}

static const char PAIRS[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Writes the digits so that they end before `end`; returns where they start. */
static char *digits_before(char *end, uint64_t n)
{
    /* Eight digits at a time: divisions of 32-bit numbers are cheaper. */
    while (n >= 100000000) {
        uint32_t low = (uint32_t)(n % 100000000);
        n /= 100000000;
        for (int i = 0; i < 4; i++, low /= 100)
            memcpy(end -= 2, PAIRS + 2 * (low % 100), 2);
    }
    uint32_t rest = (uint32_t)n;
    for (; rest >= 100; rest /= 100)
        memcpy(end -= 2, PAIRS + 2 * (rest % 100), 2);
    if (rest >= 10)
        memcpy(end -= 2, PAIRS + 2 * rest, 2);
    else
        *--end = (char)('0' + rest);
    return end;
}

/* Decimal exponents (of the leading digit) that are written without an exponent part. */
enum { PLAIN_LEAST = -5, PLAIN_MOST = 16 };

static char *write_exponent(char *t, int e)
{
    *t++ = 'e';
    *t++ = e < 0 ? '-' : '+';
    unsigned size = (unsigned)abs(e);
    if (size >= 100) {
        *t++ = (char)('0' + size / 100);
        size %= 100;
    }
    memcpy(t, PAIRS + 2 * size, 2);
    return t + 2;
}

/* Places `count` digits (no trailing zeros) times 10^exponent. */
static char *write_decimal(char *t, const char *digits, int count, int exponent)
{
    int leading = exponent + count - 1;
    if (leading < PLAIN_LEAST || leading > PLAIN_MOST) {
        *t++ = digits[0];
        if (count > 1) {
            *t++ = '.';
            memcpy(t, digits + 1, (size_t)count - 1);
            t += count - 1;
        }
        return write_exponent(t, leading);
    }
    if (leading < 0) {
        memcpy(t, "0.0000", 6);
        t += 1 - leading;
        memcpy(t, digits, (size_t)count);
        return t + count;
    }
    int whole = leading + 1;
    if (whole >= count) {
        memcpy(t, digits, (size_t)count);
        memset(t + count, '0', (size_t)(whole - count));
        return t + whole;
    }
    memcpy(t, digits, (size_t)whole);
    t[whole] = '.';
    memcpy(t + whole + 1, digits + whole, (size_t)(count - whole));
    return t + count + 1;
}

size_t mst_format_double(double x, char text[MST_DOUBLE_TEXT])
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (HIDDEN_BIT - 1);
    int biased = (int)(bits >> FRACTION_BITS) & EXPONENT_MAX;
    char *t = text;
    if (biased == EXPONENT_MAX && fraction != 0) {
        memcpy(text, "nan", 4);
        return 3;
    }
    if (bits >> 63)
        *t++ = '-';
    if (biased == EXPONENT_MAX) {
        memcpy(t, "inf", 3);
        t += 3;
    } else if ((bits << 1) == 0) {
        *t++ = '0';
    } else {
        int exponent;
        uint64_t decimal = shortest_decimal(fraction, biased, &exponent);
        char digits[24];
        char *end = digits + sizeof digits;
        char *start = digits_before(end, decimal);
        while (end[-1] == '0') {
            end--;
            exponent++;
        }
        t = write_decimal(t, start, (int)(end - start), exponent);
    }
    *t = '\0';
    return (size_t)(t - text);
}

/* ---- Reading ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The decimal in a text: (first 19 significant digits)·10^exponent, more if `truncated`. */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool truncated;
    /* For the slow path: the span of digits and point, and what stood after the "e". */
    const char *first, *last;
    int64_t exponent_part;
} decimal;

enum { DIGITS_KEPT = 19 };
/* Beyond this, an exponent only says "infinite" or "zero", whatever the digits; small enough that adding the
 * number of digits of any text in memory cannot overflow. */
static const int64_t EXPONENT_LIMIT = INT64_C(1) << 61;

static const char *scan_decimal(const char *p, const char *end, decimal *d)
{
    uint64_t digits = 0;
    int64_t exponent = 0;
    int kept = 0;
    bool any = false, point = false, truncated = false;
    d->first = p;
    for (; p < end; p++) {
        if (is_digit(*p)) {
            any = true;
            if (kept < DIGITS_KEPT) {
                digits = 10 * digits + (uint64_t)(*p - '0');
                kept += digits != 0;
                exponent -= point;
            } else {
                truncated |= *p != '0';
                exponent += !point;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any)
        return NULL;
    d->last = p;
    d->exponent_part = 0;

    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        bool negative = e < end && *e == '-';
        if (e < end && (*e == '-' || *e == '+'))
            e++;
        if (e < end && is_digit(*e)) {
            int64_t value = 0;
            for (; e < end && is_digit(*e); e++)
                if (value < EXPONENT_LIMIT / 10)
                    value = 10 * value + (*e - '0');
            d->exponent_part = negative ? -value : value;
            exponent += d->exponent_part;
            p = e;
        }
    }
    d->digits = digits;
    d->exponent = exponent;
    d->truncated = truncated;
    return p;
}

/* Rounds (h + something in [0, 1) that is not 0 iff `sticky`)·2^e, h with its top bit set, to the bits of
 * a double; those of infinity on overflow. */
static uint64_t round_to_double(uint64_t h, bool sticky, int e)
{
    int biased = e + 11 + EXPONENT_BIAS;
    int drop = 11;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 1;
    }
    if (drop > 64)
        return 0;
    if (biased >= EXPONENT_MAX)
        return (uint64_t)EXPONENT_MAX << FRACTION_BITS;
    uint64_t kept = drop < 64 ? h >> drop : 0;
    uint64_t rest = drop < 64 ? h << (64 - drop) : h;
    uint64_t half = UINT64_C(1) << 63;
    bool up = rest > half || (rest == half && (sticky || (kept & 1)));
    /* A subnormal has no hidden bit, and a carry into the next exponent is the right answer. */
    return ((uint64_t)(biased - 1) << FRACTION_BITS) + kept + up;
}

/* The leading 64 bits of the 192-bit number high·2^64 + low; the rest only as zero or not. */
static uint64_t round_product(uint128 high, uint64_t low, bool inexact, int e)
{
    int shift = (high >> 127) == 0;
    uint128 top = high << shift | (shift != 0 ? low >> 63 : 0);
    bool sticky = inexact || (uint64_t)top != 0 || (low << shift) != 0;
    return round_to_double((uint64_t)(top >> 64), sticky, e + 128 - shift);
}

/* The double nearest to the decimal, if 19 digits and 128 bits of the power of ten decide it. */
static bool convert_fast(const decimal *d, uint64_t *bits)
{
    if (d->digits == 0 || d->exponent < MST_POWER_FIRST) {
        /* 10^19·10^-343 is less than half the least subnormal. */
        *bits = 0;
        return true;
    }
    if (d->exponent > 308) {
        *bits = (uint64_t)EXPONENT_MAX << FRACTION_BITS;
        return true;
    }
    int k = (int)d->exponent;
    int zeros = __builtin_clzll(d->digits);
    uint64_t w = d->digits << zeros;
    mst_power_of_ten p = mst_powers_of_ten[k - MST_POWER_FIRST];
    int e = log2_of_power_of_ten(k) - 127 - zeros;
    uint128 low = (uint128)w * p.low;
    uint128 high = (uint128)w * p.high + (low >> 64);
    if (!d->truncated && power_is_exact(k)) {
        *bits = round_product(high, (uint64_t)low, false, e);
        return true;
    }

    /* The true product lies strictly between w·p and (w + one more digit)·(p + 1). */
    uint64_t above_low = (uint64_t)low;
    uint128 above_high = high;
    uint128 width = w;
    if (d->truncated) {
        uint64_t unit = UINT64_C(1) << zeros;
        uint128 power = ((uint128)p.high << 64 | p.low) + 1;
        /* unit·power has up to 132 bits, since 19 digits leave at most four leading zeros. */
        above_high += (power >> 64) * unit;
        width += (uint128)(uint64_t)power * unit;
    }
    width -= 1;
    uint128 sum = (uint128)above_low + (uint64_t)width;
    above_low = (uint64_t)sum;
    above_high += (width >> 64) + (sum >> 64);
    uint64_t from = round_product(high, (uint64_t)low, true, e);
    uint64_t to = round_product(above_high, above_low, true, e);
    *bits = from;
    return from == to;
}

/* Ties, and long texts near one. A double's half-way points have at most 767 significant digits, so digits
 * after the 800th matter only in not being all zero. */
static bool convert_slow(const decimal *d, double *x)
{
    enum { KEPT = 800 };
    char text[KEPT + 32];
    size_t count = 0;
    int64_t exponent = d->exponent_part;
    bool point = false, more = false;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.') {
            point = true;
        } else if (count == 0 && *p == '0') {
            exponent -= point;
        } else if (count < KEPT) {
            text[count++] = *p;
            exponent -= point;
        } else {
            more |= *p != '0';
            exponent += !point;
        }
    }
    if (more) {
        text[count++] = '1';
        exponent--;
    }
    char *t = text + count;
    *t++ = 'e';
    if (exponent < 0)
        *t++ = '-';
    char reversed[24];
    char *end = reversed + sizeof reversed;
    char *start = digits_before(end, (uint64_t)(exponent < 0 ? -exponent : exponent));
    memcpy(t, start, (size_t)(end - start));
    t[end - start] = '\0';

    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    *x = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    return true;
}

static const char *match_word(const char *p, const char *end, const char *word)
{
    for (; *word != '\0'; p++, word++)
        if (p == end || (*p | 0x20) != *word)
            return NULL;
    return p;
}

static const char *parse_special(const char *p, const char *end, double *x)
{
    const char *after = match_word(p, end, "nan");
    if (after != NULL) {
        *x = NAN;
        return after;
    }
    after = match_word(p, end, "infinity");
    if (after == NULL)
        after = match_word(p, end, "inf");
    if (after != NULL)
        *x = INFINITY;
    return after;
}

const char *mst_parse_prefix(const char *text, const char *end, double *x)
{
    static const double EXACT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    double value;
    decimal d;
    const char *after = scan_decimal(p, end, &d);
    if (after == NULL) {
        after = parse_special(p, end, &value);
        if (after == NULL)
            return NULL;
    } else if (d.digits <= 2 * HIDDEN_BIT && d.exponent >= -22 && d.exponent <= 22 &&
               !d.truncated) {
        /* Both operands are exact, so one rounding gives the nearest double (Clinger, 1990). */
        value = (double)d.digits;
        value =
            d.exponent < 0 ? value / EXACT_POWERS[-d.exponent] : value * EXACT_POWERS[d.exponent];
    } else {
        uint64_t bits;
        if (convert_fast(&d, &bits))
            memcpy(&value, &bits, sizeof value);
        else if (!convert_slow(&d, &value))
            return NULL;
        /* A decimal too large for a double is not a number that can be kept. */
        if (isinf(value))
            return NULL;
    }
    *x = negative ? -value : value;
    return after;
}

bool mst_parse_double(const char *text, size_t length, double *x)
{
    double value;
    const char *end = text + length;
    const char *after = mst_parse_prefix(text, end, &value);
    if (after == NULL || after != end)
        return false;
    *x = value;
    return true;
}
