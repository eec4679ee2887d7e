/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The law of the distance that exact sampling inverts: its moments are closed forms, its quantiles invert its
 * distribution function. */
#include "heat/radial_law.h"
#include "support/support.h"

#include <math.h>

static const struct {
    const char *spec;
    double time;
} laws[] = {
    {"sphere:2", 0.5},  {"sphere:2", 1e-4},    {"sphere:2", 30},    {"sphere:3", 0.2},
    {"sphere:20", 0.1}, {"hyperbolic:2", 0.7}, {"hyperbolic:3", 4}, {"hyperbolic:10", 1},
    {"so3", 0.5},       {"so3", 20},           {"so3", 1e-3},
};

/* The function of the distance whose mean decays like e^(±mt/2): cos r, cosh r, and the
 * trace 1 + 2 cos r of so3. */
static double eigenfunction(const char *spec, double r)
{
    return spec[0] == 'h' ? cosh(r) : spec[1] == 'o' ? 1 + 2 * cos(r) : cos(r);
}

static double expected(const char *spec, double d, double t)
{
    return spec[0] == 'h' ? exp(d * t / 2) : spec[1] == 'o' ? 3 * exp(-t) : exp(-d * t / 2);
}

START_TEST(moments_are_closed_forms)
{
    const char *spec = laws[_i].spec;
    double t = laws[_i].time;
    mst_manifold *m;
    radial_law law;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    ck_assert(radial_law_fits(m));
    ASSERT_OK(radial_law_new(&law, m, t));
    /* Simpson's rule on the nodes: the width is 1/2048 of the support, so its error is
     * below 1e-11 of the integrand. */
    double sum = 0, scale = 0;
    for (size_t k = 0; k <= law.intervals; k++) {
        double weight = k == 0 || k == law.intervals ? 1 : k % 2 == 1 ? 4 : 2;
        double value =
            weight * law.width / 3 * law.density[k] * eigenfunction(spec, law.width * (double)k);
        sum += value;
        scale += fabs(value);
    }
    assert_near(sum, expected(spec, (double)mst_manifold_dim(m), t), 1e-10 * scale, "%s at %g",
                spec, t);
    radial_law_release(&law);
    mst_manifold_free(m);
}
END_TEST

START_TEST(quantiles_invert_the_distribution)
{
    mst_manifold *m;
    radial_law law;
    ASSERT_OK(mst_manifold_parse(&m, laws[_i].spec));
    ASSERT_OK(radial_law_new(&law, m, laws[_i].time));
    double previous = 0;
    for (int i = 1; i < 1000; i++) {
        double u = i / 1000.0, r = radial_law_quantile(&law, u);
        ck_assert_msg(r > previous, "%s: quantiles do not grow at %g", laws[_i].spec, u);
        /* The cubic with the distribution function's values and slopes at both ends of
         * the interval gives u back. */
        size_t k = (size_t)(r / law.width);
        double s = r / law.width - (double)k, a = law.density[k] * law.width,
               b = law.density[k + 1] * law.width, rise = law.cdf[k + 1] - law.cdf[k];
        double cubic = s * s * (3 - 2 * s) * rise + s * (1 - s) * (1 - s) * a - s * s * (1 - s) * b;
        assert_near(law.cdf[k] + cubic, u, 1e-13, "%s: quantile of %g", laws[_i].spec, u);
        previous = r;
    }
    /* The tails are in reach. */
    double least = radial_law_quantile(&law, 0x1p-53),
           most = radial_law_quantile(&law, 1 - 0x1p-53);
    ck_assert(least >= 0 && least < law.width * 100 && most > previous &&
              most <= law.width * (double)law.intervals);
    radial_law_release(&law);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    enum { LAWS = sizeof laws / sizeof *laws };
    return RUN_SUITE("radial law", 30, {moments_are_closed_forms, LAWS},
                     {quantiles_invert_the_distribution, LAWS});
}
