/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What an estimate by a model leaned on that the model does not know. */
#include "model.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void warn_uncertified(model *o)
{
    static const char *const why[] = {
        [MST_CERTIFICATE_NONE] = "no certificate",
        [MST_CERTIFICATE_UNREADABLE] = "a certificate that cannot be read",
        [MST_CERTIFICATE_FOREIGN] = "a certificate that is not of these weights"};
    if (o->outside.told)
        return;
    o->outside.told = true;
    mst_certificate_standing standing = mst_network_certificate(o->net, NULL);
    if (standing != MST_CERTIFICATE_VALID)
        warn(o->inv,
             "warning: %s has %s, so nobody knows how wrong it is; 'manistat check' measures that",
             o->score, why[standing]);
}

/* Times that are trained and certified are no matter; returns whether this one is. */
static bool judge_time(outside_tally *a, const mst_network *net, double t)
{
    double low, high;
    mst_time_standing standing = mst_network_time(net, t, &low, &high);
    if (standing == MST_TIME_USABLE)
        return false;
    if (a->standing == MST_TIME_USABLE) {
        a->standing = standing;
        a->time = t;
        a->t_low = low;
        a->t_high = high;
    }
    return true;
}

void model_count_invalid(model *o, uint64_t before, size_t n, const double *v)
{
    validity_tally *a = &o->validity;
    for (size_t i = 0; i < n; i++)
        if (!(v[i] < MST_VALIDITY_LIMIT) && a->rows++ == 0)
            a->first = before == MODEL_NO_ROWS ? 0 : before + i + 1;
    a->of += n;
}

/* The rows at one time, by what the source estimates. */
static mst_status judge_validity(model *o, uint64_t before, const mst_pairs *pairs, double t)
{
    mst_pairs at = *pairs;
    double *v;
    if (!(t > 0 && isfinite(t)))
        return MST_OK;
    at.t = &t;
    at.t_stride = 0;
    mst_status status = new_doubles(&v, pairs->n, 1);
    if (status == MST_OK)
        status = mst_score_validity(o->source, &at, &(mst_heat_values){0}, v);
    if (status == MST_OK)
        model_count_invalid(o, before, pairs->n, v);
    free(v);
    return status;
}

bool model_judges(const model *o)
{
    return o->net != NULL || (o->source != NULL && mst_score_gives(o->source, MST_GIVES_VALIDITY));
}

mst_status model_judge(model *o, uint64_t before, const mst_pairs *pairs, double t)
{
    outside_tally *a = &o->outside;
    mst_pairs at = *pairs;
    mst_outside found;
    if (!model_judges(o) || pairs->n == 0)
        return MST_OK;
    if (o->net == NULL)
        return judge_validity(o, before, pairs, t);
    if (!(t > 0 && isfinite(t)))
        t = o->limit > 0 ? o->limit : o->info.t_min;
    at.t = &t;
    at.t_stride = 0;
    mst_status status = mst_network_pairs_outside(o->net, &at, &found);
    if (status != MST_OK)
        return status;
    if (!o->pairs)
        status = shares_count(&o->shares, o->source, &at);
    if (status != MST_OK)
        return status;
    warn_uncertified(o);
    bool first = a->of == 0;
    a->of += pairs->n;
    a->rows += judge_time(a, o->net, t) ? pairs->n : found.rows;
    a->apart += found.rows;
    if (!isnan(found.reach) &&
        (first || !(found.distance / found.reach <= a->farthest / a->reach))) {
        a->farthest = found.distance;
        a->reach = found.reach;
        a->between = found.between;
        a->at_time = t;
        a->row = before == MODEL_NO_ROWS ? 0 : before + found.farthest + 1;
    }
    return MST_OK;
}

/* ---- Words ---- */

static void say_where(const model *o, size_t size, char *text)
{
    const outside_tally *a = &o->outside;
    char row[32] = "the farthest";
    if (a->row > 0)
        snprintf(row, sizeof row, "row %llu", (unsigned long long)a->row);
    if (a->between)
        snprintf(text, size,
                 "%s is %.3g away from %s, and at the time %.3g its training saw points up to %.2g "
                 "apart",
                 row, a->farthest, o->pairs ? "its other point" : "its mean", a->at_time, a->reach);
    else
        snprintf(text, size,
                 "%s is %.3g from the centre of its training, whose paths reached %.3g; train one "
                 "with --around",
                 row, a->farthest, a->reach);
}

static void say_when(const model *o, size_t size, char *text)
{
    const outside_tally *a = &o->outside;
    if (a->standing == MST_TIME_HOPELESS)
        snprintf(text, size, "its certificate finds it good for no time; train longer");
    else
        snprintf(text, size, "the time %.3g lies outside %.3g to %.3g, for which it %s", a->time,
                 a->t_low, a->t_high,
                 a->standing == MST_TIME_UNCERTIFIED ? "is certified" : "was trained");
}

/* One sentence; empty if nothing is outside. */
static void say(const model *o, size_t size, char *text)
{
    const outside_tally *a = &o->outside;
    char where[200] = "", when[200] = "";
    text[0] = '\0';
    if (a->rows == 0)
        return;
    if (a->apart > 0)
        say_where(o, sizeof where, where);
    if (a->standing != MST_TIME_USABLE)
        say_when(o, sizeof when, when);
    snprintf(text, size, "%llu of %llu row%s beyond what %.100s knows: %s%s%s",
             (unsigned long long)a->rows, (unsigned long long)a->of, a->of == 1 ? " is" : "s are",
             o->score, where, where[0] != '\0' && when[0] != '\0' ? "; " : "", when);
}

/* Estimates lean on rows that the source cannot answer; a few of them do no harm. */
static mst_status conclude_validity(const model *o, mst_status status)
{
    const double few = 0.05, many = 0.25;
    const validity_tally *a = &o->validity;
    double share = a->of > 0 ? (double)a->rows / (double)a->of : 0;
    char text[200];
    if (!(share > few) || (status != MST_OK && status != MST_CONVERGENCE))
        return status;
    snprintf(text, sizeof text,
             "%llu of %llu rows are beyond the validity of the %s; their best values were kept",
             (unsigned long long)a->rows, (unsigned long long)a->of, o->score);
    if (share > many && status == MST_OK && !option_given(o->inv, &option_force))
        return mst_fail(MST_CONVERGENCE, "%s; --force accepts that, a trained model does better",
                        text);
    warn(o->inv, "warning: %s", text);
    return status;
}

mst_status model_conclude(const model *o, mst_status status)
{
    char text[640];
    if (o->net == NULL)
        return conclude_validity(o, status);
    say(o, sizeof text, text);
    if (text[0] == '\0' || (status != MST_OK && status != MST_CONVERGENCE))
        return status;
    if (status == MST_OK && !option_given(o->inv, &option_force))
        return mst_fail(MST_CONVERGENCE, "%s; --force accepts that", text);
    warn(o->inv, "warning: %s", text);
    return status;
}

void model_print_outside(const model *o, FILE *out)
{
    const outside_tally *a = &o->outside;
    char shares[SHARES_TEXT];
    if (o->validity.rows > 0)
        fprintf(out, "  %-16s%llu of %llu rows\n", "beyond validity",
                (unsigned long long)o->validity.rows, (unsigned long long)o->validity.of);
    if (o->shares.count > 1)
        fprintf(out, "  %-16s%s of the rows\n", "answered by", shares_text(&o->shares, shares));
    if (a->rows == 0)
        return;
    fprintf(out, "  %-16s%llu of %llu rows", "outside", (unsigned long long)a->rows,
            (unsigned long long)a->of);
    if (a->apart > 0)
        fprintf(out, ", the farthest %.4g away, where the training reached %.4g", a->farthest,
                a->reach);
    if (a->standing != MST_TIME_USABLE)
        fprintf(out, ", by the time");
    fputc('\n', out);
}

void model_json_outside(const model *o, mst_json *j)
{
    const outside_tally *a = &o->outside;
    if (o->validity.of > 0) {
        mst_json_key(j, "beyond_validity");
        mst_json_object(j);
        json_member_integer(j, "rows", o->validity.rows);
        json_member_number(j, "share", (double)o->validity.rows / (double)o->validity.of);
        mst_json_end(j);
    }
    if (o->net == NULL)
        return;
    mst_json_key(j, "outside");
    mst_json_object(j);
    json_member_integer(j, "rows", a->rows);
    json_member_number(j, "farthest", a->reach > 0 ? a->farthest : NAN);
    json_member_number(j, "reach", a->reach > 0 ? a->reach : NAN);
    json_member_string(j, "from", a->between ? (o->pairs ? "other point" : "mean") : "centre");
    if (a->standing != MST_TIME_USABLE)
        json_member_numbers(j, "times", 2,
                            a->standing == MST_TIME_HOPELESS
                                ? (const double[]){NAN, NAN}
                                : (const double[]){a->t_low, a->t_high});
    mst_json_end(j);
    if (o->shares.count == 0)
        return;
    mst_json_key(j, "source_shares");
    mst_json_object(j);
    shares_members(&o->shares, j);
    mst_json_end(j);
}
