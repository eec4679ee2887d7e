/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "plotting.h"
#include "result.h"
#include "util/json.h"

#include <manistat/bridge.h>
#include <manistat/geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of mst_brownian_method. */
static const char *const methods[] = {"tangent", "chart", "exact", NULL};

static const option option_time = {
    .name = "time",
    .kind = OPTION_POSITIVE,
    .required = true,
    .value = "T",
    .example = "0.5",
    .help = "run the Brownian motion until time T; in flat space each coordinate then has variance "
            "T. Required.",
};

static const option option_n = {
    .letter = 'n',
    .kind = OPTION_COUNT,
    .value = "N",
    .fallback = "1",
    .example = "1000",
    .minimum = 1,
    .maximum = 1000000000000,
    .help = "number of paths from each start",
};

static const option option_start = {
    .name = "start",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "P",
    .example = "0,0,1",
    .help = "start at this point, numbers joined by commas, or at each point of a file (default: "
            "the point that 'manistat manifolds SPEC' shows)",
};

static const option option_steps = {
    .name = "steps",
    .kind = OPTION_COUNT,
    .value = "K",
    .fallback = "100",
    .example = "200",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "steps of each path; more are slower and more accurate",
};

static const option option_method = {
    .name = "method",
    .kind = OPTION_CHOICE,
    .choices = methods,
    .value = "METHOD",
    .fallback = "tangent",
    .example = "exact",
    .help = "the scheme: tangent (a random walk along geodesics), chart (Euler's method in "
            "coordinates) or exact (the true law, where one is known)",
};

static const option option_paths = {
    .name = "paths",
    .kind = OPTION_FLAG,
    .help = "write whole paths, K+1 rows each, with the header path,time,x_1,...; paths are "
            "counted from 0",
};

static const option option_bridge = {
    .name = "bridge",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "TO",
    .example = "1,0,0",
    .help = "Brownian bridges: whole paths from the start to this point, numbers joined by commas "
            "or a file, where they arrive at time T; K must be even, and the steps get shorter "
            "toward the end",
};

/* Led paths of which a bridge is drawn by their weights, and how many of equal weight
 * they should be worth. */
enum { LED = 64, LEAST_LED = 8 };

typedef struct sampling {
    invocation *inv;
    mst_manifold *m;
    mst_points_options points;
    mst_brownian_options brownian;
    double time;
    bool paths;
    size_t ambient, width, cols;
    size_t per_start, start_count;
    double *starts;       /* (start_count, ambient) */
    uint64_t total;       /* paths */
    size_t rows_per_path; /* that are written */
    size_t chunk;         /* paths at a time */
    double *from;         /* (chunk, ambient) */
    double *to;           /* (chunk·rows_per_path, ambient) */
    double *coded;        /* (chunk·rows_per_path, width) */
    double *rows;         /* (chunk·rows_per_path, cols), paths only */
    const char **status;  /* (chunk·rows_per_path), words */
    uint64_t lost;        /* paths that left the domain */
    double *end, *times;  /* of bridges: the end (ambient), and steps + 1 times; or null */
    double ess;           /* of bridges, summed over the paths */
    result *result;
    plotting plot;
    double *drawn; /* (drawn_rows, width): all rows, if they are to be drawn */
    size_t drawn_rows;
} sampling;

/* May paths leave the domain? Not where geodesics are a closed form. */
static bool may_lose(const mst_manifold *m)
{
    return (mst_manifold_traits_of(m)->closed & MST_CLOSED_EXP) == 0;
}

static mst_status read_starts(sampling *s)
{
    if (option_get(s->inv, &option_start)->text != NULL)
        return read_point_option(s->inv, &option_start, s->m, &s->starts, &s->start_count);
    s->start_count = 1;
    mst_status status = new_doubles(&s->starts, 1, s->ambient);
    if (status == MST_OK)
        mst_manifold_start(s->m, s->starts);
    return status;
}

/* Where bridges end: one point, from one start. */
static mst_status read_end(sampling *s)
{
    size_t count;
    if (!option_given(s->inv, &option_bridge))
        return MST_OK;
    mst_status status = read_point_option(s->inv, &option_bridge, s->m, &s->end, &count);
    if (status != MST_OK)
        return status;
    if (count != 1 || s->start_count != 1)
        return mst_fail(MST_ARGUMENT, "--bridge goes from one start to one point, not %zu to %zu",
                        s->start_count, count);
    if (s->brownian.method != MST_BROWNIAN_TANGENT)
        return mst_fail(MST_ARGUMENT, "--bridge walks along geodesics; leave out --method");
    if (s->brownian.steps < 4 || s->brownian.steps % 2 != 0 || s->brownian.steps > 100000)
        return mst_fail(MST_ARGUMENT,
                        "--bridge takes an even number of --steps from 4 to 100000, not %zu",
                        s->brownian.steps);
    return new_doubles(&s->times, s->brownian.steps + 1, 1);
}

static mst_status allocate(sampling *s)
{
    size_t longest = s->cols > s->ambient ? s->cols : s->ambient;
    size_t per_path;
    if (__builtin_mul_overflow(s->rows_per_path, longest, &per_path))
        per_path = SIZE_MAX;
    s->chunk = chunk_rows(per_path);
    if (s->chunk > s->total)
        s->chunk = (size_t)s->total;
    size_t rows = s->chunk * s->rows_per_path;
    mst_status status = new_doubles(&s->from, s->chunk, s->ambient);
    if (status == MST_OK)
        status = new_doubles(&s->to, rows, s->ambient);
    if (status == MST_OK)
        status = new_doubles(&s->coded, rows, s->width);
    if (status == MST_OK && s->paths)
        status = new_doubles(&s->rows, rows, s->cols);
    s->status = status == MST_OK ? calloc(rows, sizeof *s->status) : NULL;
    if (status == MST_OK && s->status == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu rows", rows);
    if (status == MST_MEMORY && s->paths)
        return mst_fail(status, "not enough memory for paths of %zu steps; take fewer --steps",
                        s->brownian.steps);
    return status;
}

/* Can the method be used on this manifold, and in a lifetime? */
static mst_status check_method(const sampling *s)
{
    mst_brownian_method method = s->brownian.method;
    if (method == MST_BROWNIAN_EXACT && !mst_brownian_has_exact(s->m))
        return mst_fail(MST_UNABLE,
                        "%s has no exact sampler; leave out --method or take --method tangent",
                        mst_manifold_spec(s->m));
    /* Coordinates that every step has to make from geodesics and differences of them. */
    if (method == MST_BROWNIAN_CHART && mst_manifold_table(s->m)->chart_diffusion == NULL &&
        may_lose(s->m))
        return mst_fail(MST_UNABLE,
                        "%s has no coordinates to step in, it is given by equations; leave out "
                        "--method or take --method tangent",
                        mst_manifold_spec(s->m));
    return MST_OK;
}

static mst_status prepare(sampling *s)
{
    invocation *inv = s->inv;
    s->points = points_options(inv);
    s->time = option_get(inv, &option_time)->number;
    s->paths = option_given(inv, &option_paths) || option_given(inv, &option_bridge);
    s->per_start = (size_t)option_get(inv, &option_n)->count;
    s->brownian = mst_brownian_options_default();
    s->brownian.method = (mst_brownian_method)option_get(inv, &option_method)->choice;
    s->brownian.steps = (size_t)option_get(inv, &option_steps)->count;
    s->brownian.seed = option_get(inv, &option_seed)->count;
    s->brownian.threads = (int)option_get(inv, &option_threads)->count;
    s->rows_per_path = s->paths ? s->brownian.steps + 1 : 1;
    mst_status status = open_manifold(inv, &s->m);
    if (status != MST_OK)
        return status;
    status = check_method(s);
    if (status != MST_OK)
        return status;
    s->ambient = mst_manifold_ambient(s->m);
    s->width = mst_points_width(s->m, &s->points);
    const result_layout layout = {.lead = s->paths ? "path,time" : NULL,
                                  .prefix = "x",
                                  .width = s->width,
                                  .header = s->paths,
                                  .status = may_lose(s->m),
                                  .landmark_dim = s->paths ? 0 : landmark_dim(s->m)};
    status = result_open(&s->result, inv, &layout);
    if (status != MST_OK)
        return status;
    s->cols = result_cols(s->result);
    status = read_starts(s);
    if (status == MST_OK)
        status = read_end(s);
    if (status != MST_OK)
        return status;
    if (__builtin_mul_overflow((uint64_t)s->per_start, s->start_count, &s->total))
        return mst_fail(MST_ARGUMENT, "%zu paths from %zu starts are too many", s->per_start,
                        s->start_count);
    return allocate(s);
}

/* The rows of n whole paths: number and time before the coordinates. */
static mst_status send_paths(sampling *s, uint64_t first, size_t n)
{
    size_t steps = s->brownian.steps, row = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= steps; k++, row++) {
            s->rows[row * s->cols] = (double)(first + i);
            s->rows[row * s->cols + 1] =
                s->times != NULL ? s->times[k] : (double)k * s->time / (double)steps;
        }
    place_columns(row, s->width, s->coded, s->cols, 2, s->rows);
    return result_rows_status(s->result, row, s->rows, s->status);
}

/* What is said of each row, and whether too many paths are lost: those that stay inside are no sample of
 * Brownian motion, and a mean of them would not show it. */
static mst_status judge_rows(sampling *s, size_t rows, size_t lost)
{
    for (size_t i = 0; i < rows; i++)
        s->status[i] = mst_geodesic_status_words(
            isnan(s->to[i * s->ambient]) ? MST_GEODESIC_LEFT_DOMAIN : MST_GEODESIC_ARRIVED);
    s->lost += lost;
    if ((double)s->lost <= MST_BROWNIAN_MOST_LOST * (double)s->total)
        return MST_OK;
    return mst_fail(MST_BREAKDOWN,
                    "%llu of %llu paths left the domain of %s, more than %g %%; %s, or write it "
                    "with chart blocks or as a constraint, which have no border",
                    (unsigned long long)s->lost, (unsigned long long)s->total,
                    mst_manifold_spec(s->m), 100 * MST_BROWNIAN_MOST_LOST,
                    s->brownian.method == MST_BROWNIAN_CHART
                        ? "take --method tangent, more --steps or a smaller --time"
                        : "take a smaller --time");
}

static mst_status keep_for_picture(sampling *s, size_t rows)
{
    size_t total = s->drawn_rows + rows;
    if (s->plot.path == NULL)
        return MST_OK;
    double *drawn = realloc(s->drawn, (total * s->width + 1) * sizeof *drawn);
    if (drawn == NULL)
        return mst_fail(MST_MEMORY, "not enough memory to draw %zu rows; leave out --plot", total);
    memcpy(drawn + s->drawn_rows * s->width, s->coded, rows * s->width * sizeof *drawn);
    s->drawn = drawn;
    s->drawn_rows = total;
    return MST_OK;
}

/* As JSON has it: a column for each coordinate, and the number of the path. */
static mst_status draw(sampling *s)
{
    if (s->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&s->plot);
    if (status != MST_OK)
        return status;
    mst_json *j = s->plot.json;
    if (s->points.degrees)
        json_member_bool(j, "degrees", true);
    if (s->points.latlon)
        json_member_bool(j, "latlon", true);
    json_member_number(j, "time", s->time);
    for (size_t k = 0; k < s->width; k++) {
        char key[32];
        snprintf(key, sizeof key, "x_%zu", k + 1);
        mst_json_key(j, key);
        mst_json_numbers(j, s->drawn_rows, s->drawn + k, s->width);
    }
    if (s->paths) {
        mst_json_key(j, "path");
        mst_json_array(j);
        for (size_t i = 0; i < s->drawn_rows; i++)
            mst_json_integer(j, i / s->rows_per_path);
        mst_json_end(j);
    }
    return plotting_end(&s->plot, s->m, 0, NULL, NULL, NULL);
}

static mst_status sample_bridges(sampling *s, uint64_t first, size_t n)
{
    mst_bridge_options o = mst_bridge_options_default();
    double ess;
    o.paths = LED;
    o.steps = s->brownian.steps;
    o.seed = s->brownian.seed;
    o.threads = s->brownian.threads;
    o.progress = s->brownian.progress;
    o.first = first;
    mst_status status =
        mst_bridge_sample(s->m, n, s->starts, s->end, s->time, &o, s->to, s->times, &ess);
    s->ess += status == MST_OK ? ess * (double)n : 0;
    return status;
}

static mst_status sample_piece(sampling *s, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(s->from + i * s->ambient,
               s->starts + (size_t)((first + i) / s->per_start) * s->ambient,
               s->ambient * sizeof *s->from);
    size_t lost = 0;
    s->brownian.first_path = first;
    s->brownian.left = &lost;
    mst_status status = s->end != NULL ? sample_bridges(s, first, n)
                                       : (s->paths ? mst_brownian_paths : mst_brownian_endpoints)(
                                             s->m, n, s->from, s->time, &s->brownian, s->to);
    size_t rows = n * s->rows_per_path;
    if (status == MST_OK)
        status = judge_rows(s, rows, lost);
    if (status == MST_OK)
        status = mst_points_encode(s->m, rows, s->to, &s->points, s->coded);
    if (status == MST_OK)
        status = keep_for_picture(s, rows);
    if (status != MST_OK)
        return status;
    return s->paths ? send_paths(s, first, n)
                    : result_rows_status(s->result, rows, s->coded, s->status);
}

static mst_status sample_all(sampling *s)
{
    progress p = progress_start(s->inv, "paths", (double)s->total);
    mst_status status = MST_OK;
    for (uint64_t first = 0; first < s->total && status == MST_OK; first += s->chunk) {
        uint64_t left = s->total - first;
        size_t n = left < s->chunk ? (size_t)left : s->chunk;
        s->brownian.progress = progress_callback(&p, (double)n);
        status = sample_piece(s, first, n);
        if (status == MST_OK)
            status = progress_advance(&p, (double)n);
    }
    progress_end(&p);
    return status;
}

/* One start is an array of numbers, several are an array of such. */
static mst_status write_starts(const sampling *s, mst_json *j)
{
    double *coded;
    mst_status status = new_doubles(&coded, s->start_count, s->width);
    if (status == MST_OK)
        status = mst_points_encode(s->m, s->start_count, s->starts, &s->points, coded);
    mst_json_key(j, "start");
    if (s->start_count > 1)
        mst_json_array(j);
    for (size_t i = 0; i < s->start_count && status == MST_OK; i++)
        mst_json_numbers(j, s->width, coded + i * s->width, 1);
    if (s->start_count > 1)
        mst_json_end(j);
    free(coded);
    return status;
}

static mst_status finish(sampling *s)
{
    mst_json *j = result_json(s->result, mst_manifold_spec(s->m));
    if (j != NULL) {
        mst_json_key(j, "n");
        mst_json_integer(j, s->per_start);
        if (!s->paths) { /* with paths, "time" is a column */
            mst_json_key(j, "time");
            mst_json_number(j, s->time);
        }
        mst_json_key(j, "method");
        mst_json_string(j, methods[s->brownian.method]);
        mst_json_key(j, "steps");
        mst_json_integer(j, s->brownian.steps);
        if (s->end != NULL)
            json_member_number(j, "ess", s->ess / (double)s->total);
        mst_status status = write_starts(s, j);
        if (status != MST_OK)
            return status;
    }
    mst_status status = draw(s);
    if (status == MST_OK)
        status = result_finish(s->result);
    if (s->end != NULL && s->ess < LEAST_LED * (double)s->total)
        warn(s->inv,
             "warning: the %d led paths that each bridge is drawn from are worth %.2g of equal "
             "weight: "
             "their law is rough; more --steps may help",
             (int)LED, s->ess / (double)s->total);
    if (status == MST_OK && s->lost > 0)
        status = mst_fail(MST_CONVERGENCE,
                          "%llu of %llu paths left the domain; their rows are nan from there on",
                          (unsigned long long)s->lost, (unsigned long long)s->total);
    return plotting_conclude(&s->plot, status);
}

static mst_status run(invocation *inv)
{
    sampling s = {.inv = inv};
    mst_status status = plotting_open(&s.plot, inv);
    if (status == MST_OK)
        status = prepare(&s);
    if (status == MST_OK)
        status = sample_all(&s);
    if (status == MST_OK)
        status = finish(&s);
    plotting_close(&s.plot);
    free(s.drawn);
    free(s.starts);
    free(s.end);
    free(s.times);
    free(s.from);
    free(s.to);
    free(s.coded);
    free(s.rows);
    free(s.status);
    result_free(s.result);
    mst_manifold_free(s.m);
    return status;
}

const command command_sample = {
    .name = "sample",
    .summary = "draws Brownian end points or whole paths",
    .usage = "--manifold SPEC --time T [-n N] [options]",
    .description =
        "Runs Brownian motion (generator half the Laplace-Beltrami operator) on a manifold and "
        "writes where it is at time T: one point per row, no header. The law of the rows has the "
        "heat kernel p_T(start, .) as density; on a curved space it is the counterpart of the "
        "normal law with variance T in flat space.\n\n"
        "The output is a function of the seed, not of the number of threads, and the first rows "
        "of a longer run are those of a shorter one. Rows are written as they are made, so memory "
        "does not limit N, except with --json. Several starts give N rows for the "
        "first, then N for the second and so on.\n\n"
        "With --bridge TO the paths are bridges: Brownian motion of which it is known that it is "
        "at "
        "TO at time T. Each is drawn from 64 led paths by their weights; \"ess\" in JSON is what "
        "these are worth in paths of equal weight.\n\n"
        "A path that leaves the domain of a manifold from formulas ends there: its rows are nan, "
        "--status says so, and the exit status is 1. Where more than 0.1 % of the paths leave it, "
        "those that stay tell nothing of Brownian motion, and the command fails.",
    .options = (const option *const[]){&option_manifold, &option_time, &option_n, &option_start,
                                       &option_steps, &option_method, &option_paths, &option_bridge,
                                       &option_status, POINT_OPTIONS, SHRINK_OPTIONS, &option_seed,
                                       &option_threads, PLOT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 0,
    .examples =
        (const example[]){
            {"A thousand points around the north pole of the sphere:",
             "manistat sample --manifold sphere:2 --time 0.5 -n 1000 -o points.csv"},
            {"Three whole paths on the torus, 9 steps each, angles in degrees:",
             "manistat sample --manifold torus:2 --time 1 -n 3 --steps 9 --paths --degrees"},
            {"Five Brownian bridges from the north pole to the equator:",
             "manistat sample --manifold sphere:2 --time 0.5 -n 5 --bridge 1,0,0 -o b.csv"},
            {"From your own start, with the exact law instead of small steps:",
             "manistat sample --manifold circle --start -1.5 --time 2 -n 5 --method exact"},
            {NULL, NULL},
        },
    .run = run,
};
