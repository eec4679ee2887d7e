/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the statistical commands share: their options, the data with weights, the score source, points in
 * JSON, and the text and JSON of a mean. */
#ifndef MST_CLI_ESTIMATE_H
#define MST_CLI_ESTIMATE_H

#include "common.h"
#include "model.h"
#include "result.h"
#include "util/json.h"

/* ---- Options ---- */
extern const option option_time_fit, option_weights, option_weights_are, option_iterations,
    option_covariance, option_confidence, option_resamples;
extern const char *const covariance_words[]; /* by mst_covariance_kind */
extern const char *const mean_kinds[];       /* "diffusion", "frechet" */
enum { KIND_DIFFUSION, KIND_FRECHET };

/* ---- The data ---- */
typedef struct estimation {
    invocation *inv;
    model model; /* of --score */
    const mst_manifold *m;
    mst_points_options points;
    mst_points_report report; /* of the file that was read last */
    size_t ambient, width;    /* columns of a point, and as it is written */
    int threads;
    uint64_t seed;
    const mst_score *source;
    mst_score *owned; /* the same, unless it is the model's */
} estimation;

/* Opens the manifold and makes sure that standard input is read once only. Close it in either case. */
MST_MUST_USE mst_status estimation_open(estimation *e, invocation *inv);
void estimation_close(estimation *e);
/* The source of --score for likelihoods, by default the exact kernel or the expansion; for Fréchet means the
 * small-time limit. MST_UNABLE where there is none; `instead` says what the user can do then. */
MST_MUST_USE mst_status open_source(estimation *e, bool frechet, const char *instead);
/* The kind of mean where --kind is not given. */
bool default_is_frechet(const estimation *e);
/* What "score" is in JSON: the model's file, or the name of the source. */
const char *score_name(const estimation *e);
/* The time of --time, 0 to fit it; MST_DOMAIN if the model does not know it. */
MST_MUST_USE mst_status given_time(const estimation *e, double *time);
/* All points of the operand number `index`; release *x with mst_points_free. */
MST_MUST_USE mst_status read_points(estimation *e, size_t index, double **x, size_t *n);
/* The weights of --weights, or null without it; free(). */
MST_MUST_USE mst_status read_weights(const estimation *e, size_t n, double **weights);
/* The operand number `index` in messages. */
const char *operand_name(const invocation *inv, size_t index);
/* MST_ARGUMENT if there are fewer points than k. */
MST_MUST_USE mst_status check_k(const invocation *inv, uint64_t k, size_t n);

/* ---- JSON ---- */
/* "degrees", "latlon" or "quaternion" if points are written so. */
void json_forms(const estimation *e, mst_json *j);
/* Points as they are written in files: one as an array of numbers, several as an array of such. */
MST_MUST_USE mst_status json_member_point(const estimation *e, mst_json *j, const char *key,
                                          const double *x);
MST_MUST_USE mst_status json_member_points(const estimation *e, mst_json *j, const char *key,
                                           size_t n, const double *x);

/* ---- Points in the file of -o, if its ending is that of a table; the text then goes to standard output. */
/* `named`: rows have a last column "group". Otherwise as report_open. */
MST_MUST_USE mst_status report_open_points(report *r, const estimation *e, bool named);
/* The rows x (n, D), with their names (n) or null; nothing if there is no such file. */
MST_MUST_USE mst_status report_points(report *r, const estimation *e, size_t n, const double *x,
                                      const char *const *names);

/* ---- Units: lengths are in degrees where the coordinates of points are ---- */
bool lengths_in_degrees(const estimation *e);
bool factor_in_degrees(const estimation *e, size_t factor);
/* Of a product: are those of some factors in degrees, and those of others not? Then no
 * sum of them is a length. */
bool units_differ(const estimation *e);
/* What a printed length is multiplied by to have it in the unit of the manifold. */
double length_unit(const estimation *e);
double factor_unit(const estimation *e, size_t factor);

/* ---- Points for people ---- */
/* On a line or, below each other behind `indent` blanks, as matrices or factors. */
MST_MUST_USE mst_status print_point(const estimation *e, FILE *out, const double *x, size_t indent);
/* In tables: of symmetric matrices the columns of the triangle that was read. */
bool column_shown(const estimation *e, size_t col);
size_t columns_shown(const estimation *e);
#define COLUMN_NAME 64
const char *column_name(const estimation *e, size_t col, char name[COLUMN_NAME]);
/* Wider points are left to --json. */
#define MOST_POINT_COLUMNS 16
/* One error for all coordinates or, where units differ, one for each factor: "error (deg)", or error_2. */
size_t error_columns(const estimation *e);
const char *error_name(const estimation *e, size_t col, const char *error, char name[COLUMN_NAME]);
double error_in_column(const estimation *e, const mst_mean_result *r, size_t col);
/* " (rad^2)" behind times and variances where lengths are in degrees. */
const char *squared_unit(const estimation *e);

/* ---- A mean ---- */
/* The standard error in one factor, in the unit of the manifold. */
double factor_error(const estimation *e, const mst_mean_result *r, size_t factor);
/* Standard error and region, or why there are none. */
MST_MUST_USE mst_status print_errors(const estimation *e, FILE *out, const mst_mean_result *r,
                                     double confidence);
MST_MUST_USE mst_status json_region(const estimation *e, mst_json *j, const mst_mean_result *r,
                                    double confidence);
/* A table with a row for each; `times` for each of them, 0 for Fréchet means. */
typedef struct named_mean {
    const char *name;
    const mst_mean_result *result;
} named_mean;
MST_MUST_USE mst_status print_means(const estimation *e, FILE *out, size_t count,
                                    const named_mean *means, size_t times);
/* "settled": why a fit stopped. */
const char *fit_end_word(mst_fit_end end);
/* The members of a mean, from "n" on. */
MST_MUST_USE mst_status json_mean(const estimation *e, mst_json *j, const mst_mean_result *r,
                                  double confidence);
MST_MUST_USE mst_status print_mean(const estimation *e, FILE *out, const mst_mean_result *r,
                                   double confidence);
/* What of the data x (n, D) of a mean does the model not know? `before` as in model_judge. */
MST_MUST_USE mst_status judge_mean(estimation *e, uint64_t before, size_t n, const double *x,
                                   const mst_mean_result *r);
/* The notes of a result, one warning each; `group` may be null. And the same as the JSON member
 * "warnings", a list of words. */
void warn_of_notes(const estimation *e, const char *group, const mst_mean_result *r);
/* The sentence behind a word of "warnings", or null. */
const char *warning_sentence(const char *word);
void json_notes(const estimation *e, mst_json *j, const mst_mean_result *r);
/* The coordinates of MST_NOTE_UNIFORM_PART. */
enum { UNIFORM_PART_SIZE = 64 };
void name_uniform_part(const mst_mean_result *r, char text[UNIFORM_PART_SIZE]);
/* Why there is no standard error and what helps; null if there is one. */
const char *missing_errors(const mst_mean_result *r);
/* Why the result is none, as a phrase for MST_CONVERGENCE; null if all is well. */
#define PROBLEM_TEXT 256
const char *mean_problem(const estimation *e, const mst_mean_result *r, char text[PROBLEM_TEXT]);

#endif
