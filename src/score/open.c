/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score sources by name: "exact", "log", "expansion", "bridge", "pde", "spectral", the path of a model;
 * options follow, "model.safetensors?beyond=yes&t=0.01". */
#include "score/network.h"
#include "util/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_OPTIONS = 8 };

/* What was asked for: the name or path, and values by the places of their keys in the
 * table; null: not given. */
typedef struct request {
    const char *text, *name;
    const mst_manifold *m;
    const char *value[MOST_OPTIONS];
} request;

typedef struct opener {
    const char *name;               /* null: the path of a file */
    const char *keys[MOST_OPTIONS]; /* up to a null */
    mst_status (*open)(mst_score **out, const request *r);
} opener;

static mst_status require_manifold(const request *r)
{
    return r->m != NULL ? MST_OK
                        : mst_fail(MST_ARGUMENT, "the score source '%s' needs a manifold", r->name);
}

/* Sources that need a manifold and nothing else: name and constructor. */
#define PLAIN_SOURCES(X)          \
    X(exact, mst_score_exact_new) \
    X(log, mst_score_log_new)     \
    X(expansion, mst_score_expansion_new)
#define OPEN_PLAIN(name, make)                                       \
    static mst_status open_##name(mst_score **out, const request *r) \
    {                                                                \
        MST_TRY(require_manifold(r));                                \
        return make(out, r->m);                                      \
    }
PLAIN_SOURCES(OPEN_PLAIN)
#undef OPEN_PLAIN

enum { PDE_GRID, PDE_UNKNOWNS, PDE_MEMORY };

/* The number of an option, if it is given. */
static mst_status read_number(const request *r, size_t key, const char *name, double *to)
{
    const char *text = r->value[key];
    if (text == NULL || (mst_parse_double(text, strlen(text), to) && *to > 0))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "the option %s is a number > 0, not '%s'", name, text);
}

static mst_status open_pde(mst_score **out, const request *r)
{
    mst_pde_options o = mst_pde_options_default();
    double unknowns = (double)o.unknowns;
    MST_TRY(require_manifold(r));
    MST_TRY(read_number(r, PDE_GRID, "grid", &o.grid));
    MST_TRY(read_number(r, PDE_UNKNOWNS, "unknowns", &unknowns));
    MST_TRY(read_number(r, PDE_MEMORY, "memory", &o.memory));
    o.unknowns = unknowns < 1e9 ? (size_t)unknowns : (size_t)1e9;
    return mst_score_pde_new(out, r->m, &o);
}

enum { SPECTRAL_FUNCTIONS };

static mst_status open_spectral(mst_score **out, const request *r)
{
    double functions = 0;
    MST_TRY(require_manifold(r));
    MST_TRY(read_number(r, SPECTRAL_FUNCTIONS, "functions", &functions));
    return mst_score_spectral_new(out, r->m, (size_t)fmin(ceil(functions), 1e9));
}

/* `expansion=no` is an older word for `alone`. */
enum { MODEL_BEYOND, MODEL_T, MODEL_ALONE, MODEL_EXPANSION };

/* `t` is "least" or a time of the model; 0 stands for the least. */
static mst_status model_time(const char *text, double *t)
{
    *t = 0;
    if (text == NULL || strcmp(text, "least") == 0 ||
        (mst_parse_double(text, strlen(text), t) && *t > 0))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "the option t is 'least' or a time > 0, not '%s'", text);
}

/* yes or no, if it was given; the key by itself means yes. */
static mst_status read_answer(const request *r, size_t key, const char *name, bool *to)
{
    const char *text = r->value[key];
    if (text == NULL)
        return MST_OK;
    *to = strcmp(text, "yes") == 0 || text[0] == '\0';
    if (*to || strcmp(text, "no") == 0)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "the option %s is 'yes' or 'no', not '%s'", name, text);
}

static mst_status open_model(mst_score **out, const request *r)
{
    bool beyond = false, expansion = true, alone = false;
    double t;
    MST_TRY(read_answer(r, MODEL_BEYOND, "beyond", &beyond));
    MST_TRY(read_answer(r, MODEL_ALONE, "alone", &alone));
    MST_TRY(read_answer(r, MODEL_EXPANSION, "expansion", &expansion));
    alone |= !expansion;
    MST_TRY(model_time(r->value[MODEL_T], &t));
    mst_network *net;
    MST_TRY(mst_network_read(&net, r->name, r->m));
    if (r->value[MODEL_T] != NULL)
        return network_limit_take(out, net, t, alone);
    return network_source_take(out, net, beyond, alone);
}

enum { BRIDGE_PATHS, BRIDGE_STEPS, BRIDGE_SEED, BRIDGE_GUIDE };

/* A whole number, if it was given. */
static mst_status whole_option(const request *r, size_t key, const char *name, uint64_t *out)
{
    const char *text = r->value[key];
    double value;
    if (text == NULL)
        return MST_OK;
    if (!mst_parse_double(text, strlen(text), &value) ||
        !(value >= 0 && value <= 9007199254740992.0) || value != (double)(uint64_t)value)
        return mst_fail(MST_ARGUMENT, "the option %s is a whole number, not '%s'", name, text);
    *out = (uint64_t)value;
    return MST_OK;
}

static mst_status open_bridge(mst_score **out, const request *r)
{
    static const char *const guides[] = {"best", "log", "smooth"};
    const char *guide = r->value[BRIDGE_GUIDE] != NULL ? r->value[BRIDGE_GUIDE] : "best";
    mst_bridge_options o = mst_bridge_options_default();
    uint64_t paths = o.paths, steps = o.steps;
    size_t k = 0;
    MST_TRY(require_manifold(r));
    MST_TRY(whole_option(r, BRIDGE_PATHS, "paths", &paths));
    MST_TRY(whole_option(r, BRIDGE_STEPS, "steps", &steps));
    MST_TRY(whole_option(r, BRIDGE_SEED, "seed", &o.seed));
    while (k < 3 && strcmp(guides[k], guide) != 0)
        k++;
    if (k == 3)
        return mst_fail(MST_ARGUMENT, "the option guide is 'best', 'log' or 'smooth', not '%s'",
                        guide);
    if (r->value[BRIDGE_PATHS] != NULL && paths == 0)
        return mst_fail(MST_ARGUMENT, "`paths` must be at least 2, not 0");
    o.paths = (size_t)paths;
    o.steps = (size_t)steps;
    o.guide = (mst_bridge_guide)k;
    return mst_score_bridge_new(out, r->m, &o);
}

/* A new source is a line here; files come last. */
static const opener openers[] = {
#define PLAIN_OPENER(name, make) {#name, {NULL}, open_##name},
    PLAIN_SOURCES(PLAIN_OPENER)
#undef PLAIN_OPENER
        {"bridge",
         {[BRIDGE_PATHS] = "paths",
          [BRIDGE_STEPS] = "steps",
          [BRIDGE_SEED] = "seed",
          [BRIDGE_GUIDE] = "guide"},
         open_bridge},
    {"pde", {[PDE_GRID] = "grid", [PDE_UNKNOWNS] = "unknowns", [PDE_MEMORY] = "memory"}, open_pde},
    {"spectral", {[SPECTRAL_FUNCTIONS] = "functions"}, open_spectral},
    {NULL,
     {[MODEL_BEYOND] = "beyond",
      [MODEL_T] = "t",
      [MODEL_ALONE] = "alone",
      [MODEL_EXPANSION] = "expansion"},
     open_model},
};

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

static mst_status no_such_source(const char *name)
{
    char known[128] = "";
    size_t length = 0;
    for (const opener *o = openers; o->name != NULL; o++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   length > 0 ? ", " : "", o->name);
    return mst_fail(MST_ARGUMENT, "'%s' is neither a score source (%s) nor a file", name, known);
}

static mst_status no_such_option(const opener *o, const request *r, const char *key)
{
    char known[128] = "none";
    size_t length = 0;
    for (size_t k = 0; k < MOST_OPTIONS && o->keys[k] != NULL; k++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   length > 0 ? ", " : "", o->keys[k]);
    return mst_fail(MST_ARGUMENT, "'%s' is no option of the score source '%s'; it has %s", key,
                    r->name, known);
}

/* "key=value&key=value", in place; of a model a key may stand by itself. */
static mst_status read_options(const opener *o, char *text, request *r)
{
    for (char *rest = text, *item; (item = strsep(&rest, "&")) != NULL;) {
        char *value = strchr(item, '=');
        size_t k = 0;
        if (value == NULL && o->name != NULL)
            return mst_fail(MST_ARGUMENT, "'%s' in '%s' is not of the form option=value", item,
                            r->text);
        if (value != NULL)
            *value++ = '\0';
        while (k < MOST_OPTIONS && o->keys[k] != NULL && strcmp(o->keys[k], item) != 0)
            k++;
        if (k == MOST_OPTIONS || o->keys[k] == NULL)
            return no_such_option(o, r, item);
        r->value[k] = value != NULL ? value : "";
    }
    return MST_OK;
}

/* Where the options begin, or null. A question mark may belong to the name of a file. */
static const char *options_of(const char *text)
{
    return is_file(text) ? NULL : strrchr(text, '?');
}

static const opener *find_opener(const char *name, size_t length)
{
    const opener *o = openers;
    while (o->name != NULL && (strlen(o->name) != length || strncmp(o->name, name, length) != 0))
        o++;
    return o;
}

bool mst_score_is_name(const char *text)
{
    const char *options = options_of(text);
    return find_opener(text, options != NULL ? (size_t)(options - text) : strlen(text))->name !=
           NULL;
}

/* `name` is a copy of the text, which this cuts up. */
static mst_status open_name(mst_score **out, char *name, request *r)
{
    const char *begin = options_of(name);
    char *options = begin != NULL ? name + (begin - name) : NULL;
    if (options != NULL)
        *options++ = '\0';
    r->name = name;
    const opener *o = find_opener(name, strlen(name));
    if (o->name == NULL && !is_file(name))
        return no_such_source(name);
    if (options != NULL)
        MST_TRY(read_options(o, options, r));
    return o->open(out, r);
}

mst_status mst_score_open(mst_score **out, const char *text, const mst_manifold *m)
{
    char *name;
    *out = NULL;
    MST_TRY(mst_copy_string(&name, text));
    mst_status status = open_name(out, name, &(request){.text = text, .m = m});
    mst_release(name);
    return status;
}
