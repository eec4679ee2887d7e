/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "examine/examine.h"

#include "base/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *mst_finding_word(mst_finding_level level)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        MST_FINDING_LEVELS(WORD)
#undef WORD
    };
    size_t at = (size_t)level;
    return at < sizeof words / sizeof *words ? words[at] : "unknown";
}

mst_examine_options mst_examine_options_default(void)
{
    return (mst_examine_options){.size = sizeof(mst_examine_options), .points = 512, .seed = 2712};
}

void mst_examination_free(mst_examination *e)
{
    if (e == NULL)
        return;
    for (size_t i = 0; i < e->count; i++) {
        mst_release(e->findings[i].text);
        mst_release(e->findings[i].point);
    }
    mst_release(e->findings);
    mst_release(e);
}

/* ---- Findings ---- */

mst_status finding_add(examiner *e, mst_finding_level level, const char *topic, const double *point,
                       const char *format, ...)
{
    mst_examination *out = e->out;
    mst_finding one = {.level = level, .topic = topic};
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MST_TRY(mst_grow(&out->findings, out->count, &e->capacity));
    MST_TRY(mst_copy_string(&one.text, text));
    if (point != NULL) {
        mst_status status = mst_allocate(&one.point, e->D);
        if (status != MST_OK) {
            mst_release(one.text);
            return status;
        }
        memcpy(one.point, point, e->D * sizeof *point);
    }
    out->findings[out->count++] = one;
    out->worst = level > out->worst ? level : out->worst;
    e->rough = e->rough || (level >= MST_FINDING_WARNING &&
                            (strcmp(topic, "metric") == 0 || strcmp(topic, "rank") == 0 ||
                             strcmp(topic, "smoothness") == 0));
    return MST_OK;
}

const char *finding_point(const examiner *e, const double *x, char text[POINT_TEXT])
{
    enum { SHOWN = 6 };
    size_t at = 0, count = e->D < SHOWN ? e->D : SHOWN;
    for (size_t k = 0; k < count; k++)
        at += (size_t)snprintf(text + at, POINT_TEXT - at, "%s%.6g", k == 0 ? "(" : ", ", x[k]);
    snprintf(text + at, POINT_TEXT - at, "%s", e->D > SHOWN ? ", ...)" : ")");
    return text;
}

/* ---- Random numbers ---- */

double examine_normal(examiner *e)
{
    double value;
    mst_random_normals(e->random, e->drawn++, 1, &value);
    return value;
}

double examine_uniform(examiner *e)
{
    double value;
    mst_random_uniforms(e->random, e->drawn++, 1, &value);
    return value;
}

size_t examine_index(examiner *e, size_t n)
{
    size_t k = (size_t)(examine_uniform(e) * (double)n);
    return k < n ? k : n - 1;
}

bool examine_tangent(examiner *e, const double *x, double length, double *v)
{
    double *c, size = 0;
    if (mst_allocate(&c, e->d) != MST_OK)
        return false;
    for (size_t k = 0; k < e->d; k++) {
        c[k] = examine_normal(e);
        size += c[k] * c[k];
    }
    for (size_t k = 0; k < e->d; k++)
        c[k] *= length / sqrt(size);
    bool good = mst_manifold_from_frame(e->m, 1, x, c, v) == MST_OK;
    for (size_t k = 0; k < e->D; k++)
        good = good && isfinite(v[k]);
    mst_release(c);
    return good;
}

/* ---- The tests in their order ---- */

static mst_status run_tests(examiner *e)
{
    static mst_status (*const tests[])(examiner * e) = {
        examine_points,       examine_metric,      examine_rank,      examine_derivatives,
        examine_kinks,        examine_periods,     examine_curvature, examine_connectedness,
        examine_completeness, examine_compactness, examine_claims,
    };
    enum { TESTS = sizeof tests / sizeof *tests };
    for (size_t k = 0; k < TESTS; k++) {
        size_t before = mst_shortages();
        e->random.stream = k;
        e->drawn = 0;
        MST_TRY(tests[k](e));
        /* To the tests a geodesic that fails is a finding; for want of memory it is none. */
        if (mst_shortages() != before)
            return mst_fail(MST_MEMORY, "there is not enough memory to examine %s", e->m->spec);
        const mst_progress *p = &e->o.progress;
        if (p->report != NULL && p->report(p->user, (double)k, TESTS - 1) != 0)
            return mst_fail(MST_INTERRUPTED, "the examination was interrupted");
    }
    return MST_OK;
}

mst_status mst_manifold_examine(mst_examination **out, const mst_manifold *m,
                                const mst_examine_options *options)
{
    examiner e = {.m = m, .d = m->dim, .D = m->ambient, .size = 1};
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&e.o, mst_examine_options, options));
    if (e.o.points < 16 || e.o.points > 1000000)
        return mst_fail(MST_ARGUMENT, "points: from 16 to 1000000, not %zu", e.o.points);
    if (m->metric == NULL && m->constraint == NULL)
        return mst_fail(MST_UNABLE,
                        "%s is not given by a metric, an embedding or equations, which is what is "
                        "examined",
                        m->spec);
    MST_TRY(mst_allocate_zero(&e.out, 1));
    e.out->least_eigenvalue = e.out->greatest_eigenvalue = e.out->worst_condition = NAN;
    e.out->ricci_min = e.out->ricci_max = e.out->scalar_min = e.out->scalar_max = NAN;
    e.random.seed = e.o.seed;
    mst_status status = run_tests(&e);
    mst_release(e.extents);
    mst_release(e.x);
    mst_release(e.bad);
    mst_release(e.positive_at);
    if (status != MST_OK) {
        mst_examination_free(e.out);
        return status;
    }
    *out = e.out;
    return MST_OK;
}
