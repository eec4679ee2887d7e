/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "kernel.h"

#include "labelled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const option option_sigma = {
    .name = "sigma",
    .kind = OPTION_TEXT,
    .value = "S",
    .example = "auto",
    .help = "on landmarks: the width of the kernel, or auto: by the likelihood of the data (which "
            "prints what was tried)",
};

const option option_nugget = {
    .name = "nugget",
    .kind = OPTION_TEXT,
    .value = "E",
    .example = "auto",
    .help = "on landmarks: the nugget of the kernel, or auto: by the likelihood of the data",
};

/* Widths as multiples of the gap between neighbours, and nuggets. */
static const double widths[] = {0.5, 1, 1.5, 2, 3, 4}, nuggets[] = {0, 0.001, 0.01, 0.1};
enum { WIDTHS = sizeof widths / sizeof *widths, NUGGETS = sizeof nuggets / sizeof *nuggets };
/* Wide kernels without a nugget: geodesics fail, and what is left takes most of the time. */
static const double hopeless_width = 2, hopeless_nugget = 0.001;

/* The spec with key=value in the place of what it has; free(). */
static mst_status with_option(const char *spec, const char *key, const char *value, char **out)
{
    size_t size = strlen(spec) + strlen(key) + strlen(value) + 3, used = strcspn(spec, "?");
    char *text = malloc(size);
    *out = text;
    if (text == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for a manifold");
    memcpy(text, spec, used);
    char *at = text + used;
    at += sprintf(at, "?%s=%s", key, value);
    const char *rest = spec + used;
    while (*rest != '\0') {
        size_t length = strcspn(++rest, "&"), name = strcspn(rest, "=");
        if (name != strlen(key) || strncmp(rest, key, name) != 0)
            at += sprintf(at, "&%.*s", (int)length, rest);
        rest += length;
    }
    return MST_OK;
}

static mst_status replace(char **spec, const char *key, const char *value)
{
    char *next;
    mst_status status = with_option(*spec, key, value, &next);
    free(*spec);
    *spec = next;
    return status;
}

static mst_status replace_number(char **spec, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return replace(spec, key, text);
}

static bool is_auto(const invocation *inv, const option *o)
{
    return option_given(inv, o) && strcmp(option_get(inv, o)->text, "auto") == 0;
}

/* The mean over the landmarks of the arithmetic mean of how far the nearest other one is. */
static double gap_of(size_t n, size_t D, size_t dim, const double *x)
{
    size_t count = D / dim;
    double *mean = calloc(D, sizeof *mean), sum = 0;
    for (size_t i = 0; mean != NULL && i < n * D; i++)
        mean[i % D] += x[i] / (double)n;
    for (size_t a = 0; mean != NULL && a < count; a++) {
        double nearest = INFINITY;
        for (size_t b = 0; b < count; b++) {
            double square = 0;
            for (size_t c = 0; c < dim; c++)
                square += pow(mean[a * dim + c] - mean[b * dim + c], 2);
            nearest = a == b ? nearest : fmin(nearest, sqrt(square));
        }
        sum += nearest / (double)count;
    }
    free(mean);
    return sum;
}

/* The kernels to try. */
static mst_status list_trials(kernel_choice *c, const invocation *inv)
{
    bool wide = is_auto(inv, &option_sigma), regular = is_auto(inv, &option_nugget);
    double sigma = 0, nugget = 0;
    sscanf(strstr(c->spec, "sigma="), "sigma=%lf", &sigma);
    const char *given = strstr(c->spec, "nugget=");
    if (given != NULL)
        sscanf(given, "nugget=%lf", &nugget);
    c->trials = calloc(WIDTHS * NUGGETS, sizeof *c->trials);
    if (c->trials == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for the kernels");
    for (size_t i = 0; i < (wide ? WIDTHS : 1); i++)
        for (size_t k = 0; k < (regular ? NUGGETS : 1); k++) {
            kernel_trial t = {.sigma = wide ? widths[i] * c->gap : sigma,
                              .nugget = regular ? nuggets[k] : nugget};
            bool skip = t.sigma >= hopeless_width * c->gap && t.nugget <= hopeless_nugget;
            if (!skip || !(wide || regular))
                c->trials[c->count++] = t;
        }
    return MST_OK;
}

static mst_status try_all(kernel_choice *c, const labelled_rows *rows, int threads)
{
    mst_status status = MST_OK;
    c->best = c->count;
    for (size_t k = 0; status == MST_OK && k < c->count; k++) {
        kernel_trial *t = &c->trials[k];
        mst_manifold *m = NULL;
        char *spec = strdup(c->spec);
        if (spec == NULL)
            return mst_fail(MST_MEMORY, "not enough memory for a manifold");
        status = replace_number(&spec, "nugget", t->nugget);
        if (status == MST_OK)
            status = replace_number(&spec, "sigma", t->sigma);
        if (status == MST_OK)
            status = parse_manifold(&m, spec);
        if (status == MST_OK)
            status = mst_mean_compare_metrics(1, (const mst_manifold *const *)&m, rows->n, rows->x,
                                              threads, (mst_progress){0}, &t->score);
        mst_manifold_free(m);
        free(spec);
        if (isfinite(t->score.log_likelihood) && t->score.failed == 0 &&
            !(fabs(t->score.curvature) > 1) &&
            (c->best == c->count ||
             t->score.log_likelihood > c->trials[c->best].score.log_likelihood))
            c->best = k;
    }
    if (status == MST_OK && c->best == c->count)
        status = mst_fail(MST_UNABLE, "none of the kernels that were tried carries these data; "
                                      "give --sigma and --nugget numbers");
    return status;
}

static bool are_one(size_t n, size_t D, const double *x)
{
    bool one = true;
    for (size_t k = D; k < n * D; k++)
        one = one && x[k] == x[k - D];
    return one;
}

static mst_status choose(kernel_choice *c, invocation *inv)
{
    estimation e;
    labelled_rows rows = {0};
    char *open = NULL;
    /* Rows that need a nugget are for the metrics that have one to judge. */
    mst_status status = with_option(c->spec, "nugget", "0.01", &open);
    if (status == MST_OK)
        status = set_manifold_text(inv, open);
    if (status == MST_OK) {
        status = estimation_open(&e, inv);
        if (status == MST_OK && landmark_dim(e.m) == 0)
            status = mst_fail(MST_ARGUMENT,
                              "--sigma auto and --nugget auto are for landmarks, not "
                              "for %s",
                              mst_manifold_spec(e.m));
        if (status == MST_OK)
            status = read_labelled(&e, &rows);
        if (status == MST_OK && are_one(rows.n, e.ambient, rows.x))
            status = mst_fail(MST_UNABLE, rows.n == 1
                                              ? "one row has no spread to choose a kernel by; give "
                                                "--sigma and --nugget numbers"
                                              : "all rows are one point, which has no spread to "
                                                "choose a kernel by; give --sigma and --nugget "
                                                "numbers");
        if (status == MST_OK)
            c->gap = gap_of(rows.n, e.ambient, landmark_dim(e.m), rows.x);
        if (status == MST_OK)
            status = list_trials(c, inv);
        if (status == MST_OK)
            status = try_all(c, &rows, e.threads);
        labelled_free(&rows);
        estimation_close(&e);
    }
    mst_status back = set_manifold_text(inv, c->spec);
    status = status == MST_OK ? back : status;
    free(open);
    if (status == MST_OK)
        status = replace_number(&c->spec, "nugget", c->trials[c->best].nugget);
    if (status == MST_OK)
        status = replace_number(&c->spec, "sigma", c->trials[c->best].sigma);
    return status;
}

mst_status kernel_resolve(kernel_choice *c, invocation *inv)
{
    *c = (kernel_choice){0};
    bool sigma = option_given(inv, &option_sigma), nugget = option_given(inv, &option_nugget);
    if (!sigma && !nugget)
        return MST_OK;
    const char *text = manifold_text(inv);
    if (text == NULL)
        return mst_fail(MST_ARGUMENT, "--sigma and --nugget change a kernel: give --manifold "
                                      "landmarks:NxD");
    mst_manifold *m = NULL;
    mst_status status = parse_manifold(&m, text);
    if (status == MST_OK && landmark_dim(m) == 0)
        status = mst_fail(MST_ARGUMENT, "--sigma and --nugget are for landmarks, not for %s",
                          mst_manifold_spec(m));
    if (status == MST_OK) {
        c->spec = strdup(mst_manifold_spec(m));
        status = c->spec != NULL ? MST_OK : mst_fail(MST_MEMORY, "not enough memory");
    }
    mst_manifold_free(m);
    if (status == MST_OK && nugget && !is_auto(inv, &option_nugget))
        status = replace(&c->spec, "nugget", option_get(inv, &option_nugget)->text);
    if (status == MST_OK && sigma && !is_auto(inv, &option_sigma))
        status = replace(&c->spec, "sigma", option_get(inv, &option_sigma)->text);
    if (status == MST_OK && (is_auto(inv, &option_sigma) || is_auto(inv, &option_nugget)))
        status = inv->operand_count > 0 && strcmp(inv->operands[0], "-") != 0
                     ? choose(c, inv)
                     : mst_fail(MST_ARGUMENT, "to choose a kernel the data are read twice, which "
                                              "standard input cannot: give a file");
    return status == MST_OK ? set_manifold_text(inv, c->spec) : status;
}

void kernel_free(kernel_choice *c)
{
    free(c->spec);
    free(c->trials);
}

void kernel_print(const kernel_choice *c, FILE *out)
{
    if (c->trials == NULL)
        return;
    fprintf(out,
            "kernels by log-likelihood per number of the data; the gap between neighbours is %.6g\n"
            "\n  sigma/gap  nugget      nats  time/sigma^2  curvature\n",
            c->gap);
    for (size_t k = 0; k < c->count; k++) {
        const kernel_trial *t = &c->trials[k];
        fprintf(out, "  %9.3g  %6g", t->sigma / c->gap, t->nugget);
        if (isnan(t->score.log_likelihood))
            fprintf(out, "  does not carry the data\n");
        else
            fprintf(out, "  %8.4f  %12.4g  %9.3f%s%s\n", t->score.log_likelihood,
                    t->score.time / (t->sigma * t->sigma), t->score.curvature,
                    t->score.failed > 0 ? "  geodesics fail" : "", k == c->best ? "  *" : "");
    }
    fputc('\n', out);
}

void kernel_json(const kernel_choice *c, mst_json *j)
{
    if (c->trials == NULL)
        return;
    mst_json_key(j, "kernels");
    mst_json_array(j);
    for (size_t k = 0; k < c->count; k++) {
        const kernel_trial *t = &c->trials[k];
        mst_json_object(j);
        json_member_number(j, "sigma", t->sigma);
        json_member_number(j, "nugget", t->nugget);
        json_member_number(j, "log_likelihood", t->score.log_likelihood);
        json_member_number(j, "time", t->score.time);
        json_member_number(j, "curvature", t->score.curvature);
        json_member_bool(j, "chosen", k == c->best);
        mst_json_end(j);
    }
    mst_json_end(j);
}

/* ---- Tori ---- */

mst_status torus_as_product(invocation *inv)
{
    static const char circle[] = "circle,";
    mst_manifold *m = NULL;
    mst_status status =
        manifold_text(inv) != NULL ? parse_manifold(&m, manifold_text(inv)) : MST_OK;
    size_t count = m != NULL && mst_manifold_traits_of(m)->angles ? mst_manifold_dim(m) : 0;
    mst_manifold_free(m);
    if (status != MST_OK || count < 2)
        return status;
    char *spec = malloc(sizeof "product()" + count * (sizeof circle - 1));
    if (spec == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for a manifold");
    char *at = stpcpy(spec, "product(");
    for (size_t k = 0; k < count; k++)
        at = stpcpy(at, circle);
    at[-1] = ')';
    status = set_manifold_text(inv, spec);
    free(spec);
    return status;
}
