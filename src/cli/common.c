/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"

#include "provenance.h"
#include "shrinkage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP_POINTS "Points in files"
#define GROUP_COMMON "Common options"

#define FLAG(identifier, word, heading, text) \
    const option identifier = {.name = word, .kind = OPTION_FLAG, .group = heading, .help = text}

const option option_manifold = {
    .name = "manifold",
    .kind = OPTION_MANIFOLD,
    .required = true,
    .value = "SPEC",
    .example = "sphere:2",
    .help = "the space, such as sphere:2, torus:3 or product(sphere:2,euclidean:1); "
            "'manistat manifolds' lists them all. Required.",
};

const option option_space = {
    .name = "manifold",
    .kind = OPTION_MANIFOLD,
    .value = "SPEC",
    .example = "sphere:2",
    .help = "the space, such as sphere:2, torus:3 or product(sphere:2,euclidean:1); "
            "'manistat manifolds' lists them all. Required unless --score names a model, which "
            "knows its manifold.",
};

FLAG(option_project, "project", GROUP_POINTS,
     "move rows that are off the manifold onto it instead of refusing them, and say how far; a "
     "matrix with an eigenvalue below -10 % of its largest is no spd matrix without --force");

FLAG(option_degrees, "degrees", GROUP_POINTS,
     "circle and torus: read and write angles in degrees instead of radians");

FLAG(option_latlon, "latlon", GROUP_POINTS,
     "sphere:2: read and write points as latitude, longitude in degrees; a header that names "
     "lon,lat or dec,inc is obeyed");

FLAG(option_quaternion, "quaternion", GROUP_POINTS,
     "so3: write rotations as unit quaternions w,x,y,z (both forms can be read)");

FLAG(option_missing_negative, "missing-negative", GROUP_POINTS,
     "TPS files: a point with a negative coordinate is missing; default: negative coordinates are "
     "data");

/* From MST_TRIANGLE_UPPER on. */
static const char *const triangles[] = {"upper", "lower", NULL};
const option option_triangle = {
    .name = "triangle",
    .kind = OPTION_CHOICE,
    .choices = triangles,
    .value = "T",
    .example = "lower",
    .group = GROUP_POINTS,
    .help = "spd and sym: rows of n(n+1)/2 numbers are upper (a11,a12,...,a22,...) or lower "
            "(a11,a21,a22,a31,...) triangles by rows; default: as the header names them, or upper",
};

/* What --seed and --threads are, whether the command can use them or not. */
#define SEED_OPTION                                                                                \
    .name = "seed", .kind = OPTION_COUNT, .value = "N", .example = "7", .fallback = "2712",        \
    .maximum = UINT64_MAX, .group = GROUP_COMMON,                                                  \
    .help =                                                                                        \
        "seed of the random numbers; the same seed gives the same bytes, for one version and one " \
        "instruction set"
#define THREADS_OPTION                                                                         \
    .name = "threads", .kind = OPTION_COUNT, .value = "N", .example = "2", .minimum = 1,       \
    .idle = true, .maximum = 4096, .group = GROUP_COMMON,                                      \
    .help = "number of threads, at most one per core (default: what MANISTAT_THREADS or else " \
            "OMP_NUM_THREADS says, or all cores); the output does not depend on it"

const option option_seed = {SEED_OPTION};
const option option_threads = {THREADS_OPTION};
const option option_seed_unused = {SEED_OPTION, .hidden = true};
const option option_threads_unused = {THREADS_OPTION, .hidden = true};

FLAG(option_status, "status", NULL,
     "add a last column that says of each row whether it has an answer, and why not; JSON always "
     "has it where rows may lack one");

FLAG(option_json, "json", GROUP_COMMON,
     "write one JSON object, with the columns of a table as arrays; -o FILE.json does so, too");

const option option_output = {
    .letter = 'o',
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .fallback = "-",
    .example = "result.csv",
    .help = "write to FILE, which appears only once it is complete; tables are CSV unless FILE "
            "ends in .npy or .tsv, or in .tps for landmarks; - is standard output",
    .group = GROUP_COMMON,
};

FLAG(option_force, "force", GROUP_COMMON, "overwrite the file of -o if it exists");

FLAG(option_quiet, "quiet", GROUP_COMMON, "print no progress line and no warnings");

const option option_help = {
    .name = "help",
    .letter = 'h',
    .kind = OPTION_FLAG,
    .help = "explain the command and exit",
    .group = GROUP_COMMON,
};

FLAG(option_version, "version", GROUP_COMMON, "print the version and exit");

mst_status new_doubles(double **out, size_t rows, size_t cols)
{
    size_t bytes;
    *out = NULL;
    if (!__builtin_mul_overflow(rows, cols, &bytes) &&
        !__builtin_mul_overflow(bytes, sizeof **out, &bytes))
        *out = malloc(bytes > 0 ? bytes : 1);
    if (*out == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows of %zu numbers", rows, cols);
    return MST_OK;
}

size_t chunk_rows(size_t cols)
{
    const size_t most_rows = 65536, most_doubles = (size_t)1 << 22;
    size_t rows = most_doubles / (cols > 0 ? cols : 1);
    if (rows > most_rows)
        rows = most_rows;
    return rows > 0 ? rows : 1;
}

/* Where the text begins with the name of a member as the library writes it, `t_max`, the option of the
 * command that sets it; else null. */
static const option *named_option(const invocation *inv, const char *text)
{
    char name[OPTION_WORD];
    size_t length = text[0] == '`' ? strcspn(text + 1, "`") : 0;
    if (inv->command == NULL || length == 0 || length >= sizeof name || text[length + 1] == '\0')
        return NULL;
    for (size_t i = 0; i < length; i++)
        name[i] = text[i + 1] == '_' ? '-' : text[i + 1];
    name[length] = '\0';
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        if (o->name != NULL && strcmp(o->name, name) == 0)
            return o;
    }
    return NULL;
}

void print_message(const invocation *inv, const char *text)
{
    char word[OPTION_WORD];
    fprintf(stderr, "manistat");
    if (inv->command != NULL)
        fprintf(stderr, " %s", inv->command->name);
    fprintf(stderr, ": ");
    for (; *text != '\0'; text++) {
        const option *o = named_option(inv, text);
        if (o != NULL) {
            fputs(option_word(o, word), stderr);
            text += strlen(o->name) + 1;
        } else {
            fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, stderr);
        }
    }
    fputc('\n', stderr);
}

/* Out of memory they are only printed. */
static void keep_message(struct messages *said, const char *text)
{
    char **more = said->text;
    if (said->count == said->capacity) {
        size_t capacity = 2 * said->capacity + 8;
        more = realloc(said->text, capacity * sizeof *more);
        if (more == NULL)
            return;
        said->text = more;
        said->capacity = capacity;
    }
    more[said->count] = strdup(text);
    said->count += more[said->count] != NULL;
}

void warn(const invocation *inv, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep_message(inv->said, text);
    if (!option_given(inv, &option_quiet))
        print_message(inv, text);
}

const char *manifold_text(const invocation *inv)
{
    const char *text = option_get(inv, &option_manifold)->text;
    return text != NULL ? text : option_get(inv, &option_space)->text;
}

mst_status set_manifold_text(invocation *inv, const char *spec)
{
    char *copy = strdup(spec);
    if (copy == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for a manifold");
    free(inv->made_manifold);
    inv->made_manifold = copy;
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (inv->command->options[i] == &option_space)
            inv->values[i].text = copy;
    return MST_OK;
}

const char *space_words(const invocation *inv, char words[SPACE_WORDS])
{
    const char *spec = manifold_text(inv);
    snprintf(words, SPACE_WORDS, "%s %s", spec != NULL ? "--manifold" : "--score",
             spec != NULL ? spec : "model.safetensors");
    return words;
}

mst_status open_manifold(const invocation *inv, mst_manifold **m)
{
    return parse_manifold(m, option_get(inv, &option_manifold)->text);
}

/* Landmarks whose kernel has the width that they have where nobody gives one. */
static bool has_default_kernel(const invocation *inv)
{
    const char *text = manifold_text(inv);
    return text != NULL && strstr(text, "landmarks") != NULL && strstr(text, "sigma=") == NULL;
}

mst_points_options points_options(const invocation *inv)
{
    mst_points_options options = mst_points_options_default();
    options.project = option_given(inv, &option_project);
    options.degrees = option_given(inv, &option_degrees);
    options.latlon = option_given(inv, &option_latlon);
    options.quaternion = option_given(inv, &option_quaternion);
    options.missing_negative = option_given(inv, &option_missing_negative);
    options.force = option_given(inv, &option_force);
    options.check_kernel = has_default_kernel(inv);
    options.shrink = shrink_of(inv);
    options.intensity = shrink_intensity(inv);
    options.samples = (size_t)option_get(inv, &option_shrink_samples)->count;
    if (option_given(inv, &option_triangle))
        options.triangle =
            (mst_triangle)(MST_TRIANGLE_UPPER + option_get(inv, &option_triangle)->choice);
    return options;
}

size_t landmark_dim(const mst_manifold *m)
{
    return mst_manifold_traits_of(m)->landmark_dim;
}

mst_status input_path(const invocation *inv, size_t index, const char **path)
{
    char words[SPACE_WORDS];
    *path = index < inv->operand_count ? inv->operands[index] : "-";
    if (inv->operand_count == 0 && isatty(STDIN_FILENO))
        return mst_fail(
            MST_ARGUMENT,
            "no FILE given; for example 'manistat %s %s rows.csv', or '-' to type the rows",
            inv->command->name, space_words(inv, words));
    if (inv->operand_count == 0)
        note_standard_input(inv);
    return MST_OK;
}

const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void place_columns(size_t n, size_t width, const double *from, size_t cols, size_t first,
                   double *rows)
{
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * cols + first, from + i * width, width * sizeof *rows);
}
