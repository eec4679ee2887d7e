/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "points/row_header.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { UNKNOWN = -1, NAMES = 160 };

/* ---- Words ---- */

static bool is_letter(char c)
{
    return isalpha((unsigned char)c);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next word of a name from *at on, a run of letters; a capital after a small letter begins another, and
 * so does what stands behind "decimal" ("decimallatitude"). Its length; 0 at the end of the name. */
static size_t next_word(const char **at, const char **word)
{
    static const char decimal[] = "decimal";
    const size_t whole = sizeof decimal - 1;
    const char *s = *at;
    while (*s != '\0' && !is_letter(*s))
        s++;
    *word = s;
    if (strncasecmp(s, decimal, whole) == 0)
        s += whole;
    else
        while (is_letter(*s) &&
               (s == *word || !isupper((unsigned char)*s) || !islower((unsigned char)s[-1])))
            s++;
    *at = s;
    return (size_t)(s - *word);
}

/* Is the word in a list such as "lon|lng"? Entries of three letters and more may begin it. */
static bool is_listed(const char *word, size_t length, const char *list)
{
    for (; *list != '\0'; list += *list == '|') {
        size_t entry = strcspn(list, "|");
        if (strncasecmp(word, list, entry) == 0 &&
            (length == entry || (entry > 2 && length > entry)))
            return true;
        list += entry;
    }
    return false;
}

static bool has_word(const char *name, const char *list)
{
    const char *word;
    size_t length;
    while (name != NULL && (length = next_word(&name, &word)) > 0)
        if (is_listed(word, length, list))
            return true;
    return false;
}

/* How many letters all names have in common at their beginning. */
static size_t common_stem(const mst_header *h)
{
    size_t length = 0;
    for (char c; h->names[0] != NULL && (c = h->names[0][length]) != '\0'; length++)
        for (size_t k = 1; k < h->count; k++)
            if (h->names[k] == NULL ||
                tolower((unsigned char)h->names[k][length]) != tolower((unsigned char)c))
                return length;
    return length;
}

/* Where a single letter of a name is in `letters`: "x", "start_x", "posX", "qx", or "accx" behind a stem. */
static int letter_of(const char *name, size_t stem, const char *letters)
{
    int found = UNKNOWN;
    const char *word, *at = name, *hit;
    size_t length;
    if (name == NULL)
        return UNKNOWN;
    if (strlen(name) > stem && is_letter(name[stem]) && !is_letter(name[stem + 1]) &&
        (hit = strchr(letters, tolower((unsigned char)name[stem]))) != NULL)
        return (int)(hit - letters);
    while ((length = next_word(&at, &word)) > 0) {
        char last = (char)tolower((unsigned char)word[length - 1]);
        bool prefixed = length == 2 && strchr(letters, tolower((unsigned char)*word)) == NULL;
        if ((length == 1 || prefixed) && (hit = strchr(letters, last)) != NULL)
            found = (int)(hit - letters);
    }
    return found;
}

/* ---- Numbers ---- */

/* The last number that ends before `end`; *begin is where it starts. */
static bool last_number(const char *name, const char *end, const char **begin, size_t *number)
{
    size_t power = 1;
    *number = 0;
    for (*begin = end; *begin > name && is_digit((*begin)[-1]) && power <= 10000; power *= 10)
        *number += power * (size_t)(*--*begin - '0');
    return *begin < end;
}

/* The last number anywhere in a name, "x_12", "x12_start"; *begin and *end are where it stands. */
static bool number_of(const char *name, const char **begin, const char **end, size_t *number)
{
    if (name == NULL)
        return false;
    for (*end = name + strlen(name); *end > name && !is_digit((*end)[-1]);)
        --*end;
    return last_number(name, *end, begin, number);
}

/* Does the name differ from another in its last number only? */
static bool differs_in_number(const char *name, const char *other, size_t *number)
{
    const char *begin, *end, *from, *to;
    size_t ignored;
    return number_of(name, &begin, &end, number) && number_of(other, &from, &to, &ignored) &&
           begin - name == from - other && strncasecmp(name, other, (size_t)(begin - name)) == 0 &&
           strcasecmp(end, to) == 0;
}

static size_t least_number(const mst_header *h)
{
    size_t least = SIZE_MAX, number;
    for (size_t k = 0; k < h->count; k++)
        if (differs_in_number(h->names[k], h->names[0], &number) && number < least)
            least = number;
    return least;
}

/* ---- The place of a column in the usual order ---- */

/* What is found out from all names together before the place of one is asked for. */
typedef struct known_names {
    const mst_header *h;
    size_t stem, least;
} known_names;

/* From 0 on; UNKNOWN if the name does not tell it. */
typedef ptrdiff_t place_rule(const known_names *a, const char *name);

static ptrdiff_t numbered_place(const known_names *a, const char *name)
{
    size_t number;
    return differs_in_number(name, a->h->names[0], &number) && a->least <= 1
               ? (ptrdiff_t)(number - a->least)
               : UNKNOWN;
}

static ptrdiff_t unknown_place(const known_names *a, const char *name)
{
    (void)a, (void)name;
    return UNKNOWN;
}

static ptrdiff_t vector_place(const known_names *a, const char *name)
{
    int letter = letter_of(name, a->stem, "xyz");
    return letter < (int)a->h->count ? letter : UNKNOWN;
}

static ptrdiff_t quaternion_place(const known_names *a, const char *name)
{
    if (has_word(name, "re|real|scalar"))
        return 0;
    int letter = letter_of(name, a->stem, "wxyzrijks");
    return letter == UNKNOWN ? UNKNOWN : letter % 4;
}

/* Row and column from "xy", "D_yz", "a12", "x_1_2", "c10.3"; numbers as they are, x is 1. */
static bool entry_of(const char *name, size_t *row, size_t *col)
{
    static const char letters[] = "xyz";
    size_t length = name != NULL ? strlen(name) : 0;
    if (length < 2)
        return false;
    const char *end = name + length, *begin;
    const char *i = strchr(letters, tolower((unsigned char)end[-2]));
    const char *j = strchr(letters, tolower((unsigned char)end[-1]));
    if (i != NULL && j != NULL) {
        *row = (size_t)(i - letters) + 1;
        *col = (size_t)(j - letters) + 1;
        return true;
    }
    if (!last_number(name, end, &begin, col))
        return false;
    if (begin > name + 1 && strchr("_.,- ", begin[-1]) != NULL && is_digit(begin[-2]))
        return last_number(name, begin - 1, &begin, row);
    /* Two digits without anything between them: one each. */
    *row = *col / 10;
    *col %= 10;
    return end - begin == 2;
}

static size_t least_index(const mst_header *h)
{
    size_t least = SIZE_MAX, row, col;
    for (size_t k = 0; k < h->count; k++)
        if (entry_of(h->names[k], &row, &col)) {
            least = row < least ? row : least;
            least = col < least ? col : least;
        }
    return least;
}

static ptrdiff_t entry_place(const known_names *a, const char *name)
{
    size_t row, col, order = a->h->order;
    if (!entry_of(name, &row, &col) || row - a->least >= order || col - a->least >= order)
        return UNKNOWN;
    size_t i = row - a->least, j = col - a->least;
    if (a->h->kind == MST_HEADER_MATRIX)
        return (ptrdiff_t)(i * order + j);
    if (i > j) {
        size_t swap = i;
        i = j;
        j = swap;
    }
    return (ptrdiff_t)(i * order - i * (i + 1) / 2 + j);
}

/* "x1", "lm2_y", "3.z". */
static ptrdiff_t landmark_place(const known_names *a, const char *name)
{
    const char *begin, *end;
    size_t number, dim = a->h->order;
    int letter = letter_of(name, 0, "xyz");
    if (letter == UNKNOWN || letter >= (int)dim || !number_of(name, &begin, &end, &number) ||
        number - a->least >= a->h->count / dim)
        return UNKNOWN;
    return (ptrdiff_t)((number - a->least) * dim) + letter;
}

static size_t least_landmark(const mst_header *h)
{
    const char *begin, *end;
    size_t least = SIZE_MAX, number;
    for (size_t k = 0; k < h->count; k++)
        if (number_of(h->names[k], &begin, &end, &number) && number < least)
            least = number;
    return least;
}

/* ---- The order ---- */

/* Do the names tell every place once? */
static bool is_complete(const known_names *a, place_rule *rule, size_t *columns)
{
    for (size_t k = 0; k < a->h->count; k++)
        columns[k] = SIZE_MAX;
    for (size_t k = 0; k < a->h->count; k++) {
        ptrdiff_t place = rule(a, a->h->names[k]);
        if (place < 0 || place >= (ptrdiff_t)a->h->count || columns[place] != SIZE_MAX)
            return false;
        columns[place] = k;
    }
    return true;
}

/* How many names tell a place, and whether all of these are where the column stands. */
static size_t count_known(const known_names *a, place_rule *rule, bool *agree)
{
    size_t known = 0;
    *agree = true;
    for (size_t k = 0; k < a->h->count; k++) {
        ptrdiff_t place = rule(a, a->h->names[k]);
        known += place >= 0;
        *agree = *agree && (place < 0 || place == (ptrdiff_t)k);
    }
    return known;
}

/* "qx, qy, …", of the first names. */
static const char *list_names(const mst_header *h, char text[NAMES])
{
    enum { MOST = 9 };
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < h->count && k < MOST && used < NAMES; k++)
        used += (size_t)snprintf(text + used, NAMES - used, "%s%.14s", k > 0 ? ", " : "",
                                 h->names[k] != NULL ? h->names[k] : "");
    if (h->count > MOST && used < NAMES)
        snprintf(text + used, NAMES - used, ", …");
    return text;
}

static mst_status refuse(const mst_header *h, const char *why)
{
    char text[NAMES];
    return mst_fail(MST_FORMAT, "%s: the columns are named %s; %s", h->path, list_names(h, text),
                    why);
}

/* The names are obeyed where a rule knows all of them. `lenient`: otherwise they contradict only if the rule
 * knows all; else also if the few that it knows stand elsewhere. */
static mst_status order_by(const known_names *a, place_rule *rule, bool lenient, const char *why,
                           size_t *columns, bool *told)
{
    const mst_header *h = a->h;
    known_names numbers = {.h = h, .least = least_number(h)};
    bool agree;
    *told = is_complete(a, rule, columns) || is_complete(&numbers, numbered_place, columns);
    if (*told)
        return MST_OK;
    for (size_t k = 0; k < h->count; k++)
        columns[k] = k;
    size_t known = count_known(a, rule, &agree);
    return !agree && (!lenient || known == h->count) ? refuse(h, why) : MST_OK;
}

/* Names such as a11, a12, a13, … may also count columns. */
static bool counts_on(const mst_header *h)
{
    size_t number, before = 0;
    for (size_t k = 0; k < h->count; k++) {
        if (!differs_in_number(h->names[k], h->names[0], &number) ||
            (k > 0 && number != before + 1))
            return false;
        before = number;
    }
    return true;
}

static mst_status order_matrix(const mst_header *h, size_t *columns, bool *told)
{
    known_names a = {.h = h, .least = least_index(h)};
    const char *why = "these are not the entries of a matrix, each once; name all of them by row "
                      "and column (a11, a12, …), or remove the header";
    size_t row, col, letters = 0;
    for (size_t k = 0; k < h->count; k++)
        letters +=
            entry_of(h->names[k], &row, &col) && !is_digit(h->names[k][strlen(h->names[k]) - 1]);
    if (counts_on(h) && !is_complete(&a, entry_place, columns))
        a.least = SIZE_MAX / 2; /* entries are unknown then */
    return order_by(&a, entry_place, letters == 0, why, columns, told);
}

static mst_status order_landmarks(const mst_header *h, size_t *columns, bool *told)
{
    known_names a = {.h = h, .least = least_landmark(h)};
    const char *why = "x and y (and z) of each landmark have to stand together, or have its number "
                      "in their names: x1, y1, x2, y2, …";
    size_t letters = 0, elsewhere = 0;
    MST_TRY(order_by(&a, landmark_place, true, why, columns, told));
    for (size_t k = 0; k < h->count; k++) {
        int letter = letter_of(h->names[k], 0, "xyz");
        letters += letter != UNKNOWN;
        elsewhere += letter != UNKNOWN && letter != (int)(k % h->order);
    }
    return !*told && letters == h->count && elsewhere > 0 ? refuse(h, why) : MST_OK;
}

static mst_status order_quaternion(const mst_header *h, size_t *columns, bool *told)
{
    known_names a = {.h = h, .stem = common_stem(h)};
    MST_TRY(order_by(&a, quaternion_place, false,
                     "quaternions are w, x, y, z, or any order of these names (qw, qx, qy, qz; q0, "
                     "q1, q2, q3); name all of them, or remove the header",
                     columns, told));
    const known_names numbers = {.h = h, .least = least_number(h)};
    if (numbers.least == 1 && has_word(h->names[0], "q|quat") &&
        is_complete(&numbers, numbered_place, columns))
        return refuse(h, "that does not say whether the real part is the first or the last; name "
                         "them qw, qx, qy, qz in their order");
    return MST_OK;
}

/* ---- Two angles ---- */

/* Names of a longitude and a latitude, and whether these are of directions, by the compass. */
static const struct {
    const char *longitude, *latitude;
    bool direction;
} angles[] = {
    {"lon|lng|glon|elon", "lat|glat|elat", false},
    {"dec", "inc", true},
    {"trend|azi|az|bearing", "plunge|dip|inc|elev|el|alt", true},
    {"ra|right", "dec", false},
    {"lambda", "phi", false},
    {"l", "b", false},
};
enum { ANGLES = sizeof angles / sizeof *angles };

static bool is_pair(size_t i, const char *longitude, const char *latitude)
{
    return has_word(longitude, angles[i].longitude) && has_word(latitude, angles[i].latitude);
}

bool mst_header_is_direction(const char *first, const char *second)
{
    for (size_t i = 0; i < ANGLES; i++)
        if (is_pair(i, first, second) || is_pair(i, second, first))
            return angles[i].direction;
    return false;
}

/* What two angles are that are not latitude and longitude; null: nothing is known against them. */
static const char *why_not_angles(const char *const *names, bool told)
{
    static const struct {
        const char *words;
        int needed; /* of the two names */
        const char *why;
    } others[] = {
        {"colat|zenith|polar", 1,
         "that is not a latitude: give 90 minus it, and name the columns lat,lon"},
        {"easting|northing", 1, "convert them to latitude and longitude in degrees, named lat,lon"},
        {"theta|phi|x|y", 2,
         "that does not say which is the latitude: name the columns lat,lon or lon,lat (a "
         "latitude is 90 minus the angle from the pole)"},
    };
    for (int k = 0; k < 2; k++)
        if (has_word(names[k], "strike|dipdir|dipaz") ||
            (has_word(names[k], "dip") && has_word(names[k], "dir|az|azi")))
            return "these are of planes: give their poles, trend = strike - 90 and plunge = 90 - "
                   "dip (right-hand rule), named trend,plunge";
    for (size_t i = 0; i < sizeof others / sizeof *others && !told; i++) {
        int hits = has_word(names[0], others[i].words) + has_word(names[1], others[i].words);
        if (hits >= others[i].needed)
            return others[i].why;
    }
    for (size_t i = 0; i < ANGLES - 1 && !told; i++) /* a single letter tells nothing alone */
        if (has_word(names[0], angles[i].longitude) || has_word(names[1], angles[i].latitude))
            return "latitude comes first, unless both have names that say otherwise: lon,lat; "
                   "dec,inc; trend,plunge; azimuth,dip; ra,dec";
    return NULL;
}

static mst_status order_angles(const mst_header *h, size_t *columns, bool *told)
{
    columns[0] = 0;
    columns[1] = 1;
    for (size_t i = 0; i < ANGLES && !*told; i++) {
        bool east = is_pair(i, h->names[0], h->names[1]);
        *told = east || is_pair(i, h->names[1], h->names[0]);
        columns[0] = east;
        columns[1] = !east;
    }
    const char *why = why_not_angles(h->names, *told);
    return why != NULL ? refuse(h, why) : MST_OK;
}

mst_status mst_header_order(const mst_header *h, size_t *columns, bool *told)
{
    *told = false;
    switch (h->kind) {
    case MST_HEADER_LATLON:
        return order_angles(h, columns, told);
    case MST_HEADER_QUATERNION:
        return order_quaternion(h, columns, told);
    case MST_HEADER_MATRIX:
    case MST_HEADER_TRIANGLE:
        return order_matrix(h, columns, told);
    case MST_HEADER_LANDMARKS:
        return order_landmarks(h, columns, told);
    case MST_HEADER_NUMBERED:
    case MST_HEADER_VECTOR:
        break;
    }
    known_names a = {.h = h, .stem = common_stem(h)};
    return order_by(&a, h->kind == MST_HEADER_VECTOR ? vector_place : unknown_place, false,
                    "rows are x, y, z, or any order of these names; name all of them, or remove "
                    "the header",
                    columns, told);
}

size_t mst_header_landmark_dim(const mst_header *h)
{
    size_t letters[3] = {0};
    for (size_t k = 0; k < h->count; k++) {
        int letter = letter_of(h->names[k], 0, "xyz");
        if (letter == UNKNOWN)
            return 0;
        letters[letter]++;
    }
    if (letters[0] != letters[1])
        return 0;
    return letters[2] == 0 ? 2 : (letters[2] == letters[0] ? 3 : 0);
}

void mst_lower_triangle(size_t order, size_t *columns)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++)
            *columns++ = j * (j + 1) / 2 + i;
}
