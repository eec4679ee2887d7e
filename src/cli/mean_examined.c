/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the examination of a mean found, in words. */
#include "mean_examined.h"

#include <math.h>

typedef struct finding {
    mst_mean_examined bit;
    const char *word, *warning, *refusal;
} finding;

static const finding findings[] = {
    {MST_EXAMINED_FLAT, "flat",
     "the metric is flat, since no two landmarks feel each other: this is the arithmetic mean; for "
     "more take a larger sigma",
     NULL},
    {MST_EXAMINED_GEODESICS, "geodesics",
     "no geodesics were found to some rows, which are far ones: the time is too small",
     "no geodesics were found to 2 % of the rows or more, which are the far ones: what is left is "
     "biased; take a nugget, as in nugget=0.01, or a smaller sigma"},
    {MST_EXAMINED_CURVED, "curved",
     "the space is so curved on the scale of the data that the time may be off by up to 6 %; "
     "compare a nugget or a smaller sigma",
     "the space is too curved on the scale of the data for the expansion; take a nugget, as in "
     "nugget=0.01, or a smaller sigma"},
    {MST_EXAMINED_NOT_BROWNIAN, "not-brownian",
     "the data are not Brownian, their squared distances scatter more than the model says; robust "
     "errors (--covariance sandwich) hold all the same",
     NULL},
    {MST_EXAMINED_EVEN, "even",
     "the data are not Brownian, all rows are almost equally far from the mean, as those of groups "
     "are from a mean between them; look for groups by kmeans",
     NULL},
    {MST_EXAMINED_LOST, "lost", NULL,
     "Brownian motion from this fit comes where the metric is singular in rounding; take a nugget, "
     "as in nugget=0.01, or a smaller sigma"},
    {MST_EXAMINED_SIMULATION, "simulation",
     "data simulated from the fit do not lead back to it within three standard errors", NULL},
    {MST_EXAMINED_BRIDGES, "bridges",
     "bridges to some rows do not confirm the expansion: the time is off by about what the line "
     "`bridges` says, or more",
     "bridges to some rows scatter so much that they say nothing of the expansion; take a nugget, "
     "as in nugget=0.01, or a smaller sigma"},
};
enum { FINDINGS = sizeof findings / sizeof *findings };

void examined_warn(const estimation *e, const mst_mean_examination *x)
{
    for (size_t i = 0; i < FINDINGS; i++)
        if ((x->notes & ~x->refused & findings[i].bit) != 0)
            warn(e->inv, "warning: %s",
                 findings[i].warning != NULL ? findings[i].warning : findings[i].refusal);
}

mst_status examined_refuse(const mst_mean_examination *x)
{
    for (size_t i = 0; i < FINDINGS; i++)
        if ((x->refused & findings[i].bit) != 0)
            return mst_fail(MST_UNABLE, "%s (--force prints the fit)", findings[i].refusal);
    return MST_OK;
}

void examined_print(FILE *out, size_t d, const mst_mean_examination *x)
{
    fprintf(out, "  %-16s%.3g (12 t <a1>/d, below 0.15 is harmless)\n", "curvature", x->curvature);
    if (isfinite(x->spread)) /* one row, or rows that are one, have none */
        fprintf(out, "  %-16s%.3g times that of Brownian motion\n", "scatter", x->spread);
    if (x->simulated > 0)
        fprintf(
            out,
            "  %-16stime %.4g +- %.2g of it from %zu simulated rows, chi2 %.3g of %zu degrees\n",
            "simulation", x->simulated_time, x->simulated_error, x->simulated, x->simulated_square,
            d);
    if (x->bridged > 0 && isnan(x->bridge_ess))
        fprintf(out, "  %-16slost their way: no geodesic to their end was found\n", "bridges");
    else if (x->bridged > 0)
        fprintf(out,
                "  %-16stime too large by %.2f +- %.2f %%, log p of %zu rows by %.3f at most, "
                "effective size %.0f %%\n",
                "bridges", 100 * x->bridge_time, 100 * x->bridge_error, x->bridged, x->bridge_log_p,
                100 * x->bridge_ess);
}

void examined_json(mst_json *j, const mst_mean_examination *x)
{
    mst_json_key(j, "examination");
    mst_json_object(j);
    json_member_string(j, "verdict", x->refused != 0 ? "refuse" : x->notes != 0 ? "warn" : "go");
    json_member_number(j, "curvature", x->curvature);
    json_member_number(j, "coupling", x->coupling);
    json_member_number(j, "scatter", x->spread);
    json_member_integer(j, "failed", x->failed);
    json_member_integer(j, "simulated", x->simulated);
    json_member_integer(j, "simulated_lost", x->lost);
    json_member_number(j, "simulated_time", x->simulated_time);
    json_member_number(j, "simulated_time_error", x->simulated_error);
    json_member_number(j, "simulated_chi2", x->simulated_square);
    json_member_integer(j, "bridge_rows", x->bridged);
    json_member_number(j, "bridge_logp", x->bridge_log_p);
    json_member_number(j, "bridge_time", x->bridge_time);
    json_member_number(j, "bridge_time_error", x->bridge_error);
    json_member_number(j, "bridge_ess", x->bridge_ess);
    mst_json_key(j, "findings");
    mst_json_array(j);
    for (size_t i = 0; i < FINDINGS; i++)
        if ((x->notes & findings[i].bit) != 0)
            mst_json_string(j, findings[i].word);
    mst_json_end(j);
    mst_json_end(j);
}
