/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Certificates from their text, and what they say of a time. */
#include "support/score_support.h"

#include <manistat/check.h>
#include <stdio.h>
#include <stdlib.h>

START_TEST(a_certificate_comes_back_from_its_text)
{
    mst_certificate c = {.bands = 2,
                         .t_low = 0.1,
                         .t_high = 0.5,
                         .against = "exact",
                         .samples = 1234,
                         .seed = UINT64_C(1) << 53},
                    back;
    double next = 1;
#define FILL(name) c.band[0].name = next++, c.band[1].name = 1 / next++, c.all.name = -next++;
    MST_CHECK_NUMBERS(FILL)
#undef FILL
    c.band[0].usable = true;
    c.band[1].fault = "time_gap";
    c.band[1].score_error = NAN;
    c.all.mean_shift = INFINITY;
    char *text;
    ASSERT_OK(mst_certificate_json(&text, &c));
    ASSERT_OK(mst_certificate_parse(&back, text));
    free(text);
    c.all.mean_shift = NAN; /* JSON has no infinity */
    const mst_check_band *const want[] = {&c.band[0], &c.band[1], &c.all};
    const mst_check_band *const got[] = {&back.band[0], &back.band[1], &back.all};
    for (int k = 0; k < 3; k++) {
#define COMPARE(name)                                                                             \
    ck_assert_msg(got[k]->name == want[k]->name || (isnan(got[k]->name) && isnan(want[k]->name)), \
                  "band %d, %s: %g, not %g", k, #name, got[k]->name, want[k]->name);
        MST_CHECK_NUMBERS(COMPARE)
#undef COMPARE
    }
    ck_assert(back.bands == 2 && back.t_low == 0.1 && back.t_high == 0.5);
    ck_assert(back.band[0].usable && back.band[0].fault == NULL);
    ck_assert(!back.band[1].usable);
    ck_assert_str_eq(back.band[1].fault, "time_gap");
    ck_assert_str_eq(back.against, "exact");
    ck_assert(back.samples == 1234 && back.seed == UINT64_C(1) << 53);
}
END_TEST

START_TEST(texts_that_are_no_certificates)
{
    static const char *const texts[] = {
        "", "{", "[]", "3", "{}", "{\"bands\":[]}", "{\"bands\":7}"};
    mst_certificate c = {.bands = 99};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        ASSERT_FAILS(MST_FORMAT, mst_certificate_parse(&c, texts[k]));
    ck_assert_uint_eq(c.bands, 99);
    /* What is not there is not known; more bands than there can be, and other faults, do no harm. */
    ASSERT_OK(mst_certificate_parse(
        &c, "{\"bands\":[{\"fault\":\"bad luck\"},1,2,3,4,5,6,7,8],\"seed\":-1,\"samples\":1e30}"));
    ck_assert(c.bands == MST_CHECK_BANDS && isnan(c.band[0].slope) && isnan(c.t_low));
    ck_assert(c.seed == 0 && c.samples == 0 && !c.band[0].usable && !c.all.usable);
    ck_assert_str_eq(c.band[0].fault, "unknown");
    ck_assert_str_eq(c.against, "none");
}
END_TEST

static void assert_standing(const mst_network *net, double t, mst_time_standing standing,
                            double low, double high)
{
    double from = -1, to = -1;
    ck_assert_msg(mst_network_time(net, t, &from, &to) == standing, "at %g", t);
    ck_assert_msg(from == low && to == high, "at %g: %g … %g", t, from, to);
    ck_assert(mst_network_time(net, t, NULL, NULL) == standing);
}

/* With a certificate of its own that says this. */
static void certify(mst_network *net, const char *members)
{
    char text[256], own[MST_FINGERPRINT];
    mst_network_fingerprint(net, own);
    snprintf(text, sizeof text, "{\"bands\":[{}],\"network\":\"%s\",%s}", own, members);
    ASSERT_OK(mst_network_certify(net, text));
}

START_TEST(times_of_a_network)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    net->info.t_min = 0.01;
    net->info.t_max = 2;
    /* Without a certificate, and with one that cannot be read, the training decides. */
    for (int k = 0; k < 2; k++) {
        assert_standing(net, 0.01 * (1 - 1e-10), MST_TIME_USABLE, 0.01, 2);
        assert_standing(net, 0.0099, MST_TIME_UNTRAINED, 0.01, 2);
        assert_standing(net, 2.1, MST_TIME_UNTRAINED, 0.01, 2);
        ASSERT_OK(mst_network_certify(net, "{\"bands\":\"many\"}"));
    }
    /* It may say more than the training; only what both know counts. */
    certify(net, "\"t_low\":0.1,\"t_high\":5");
    assert_standing(net, 0.05, MST_TIME_UNCERTIFIED, 0.1, 2);
    assert_standing(net, 0.1, MST_TIME_USABLE, 0.1, 2);
    assert_standing(net, 2, MST_TIME_USABLE, 0.1, 2);
    assert_standing(net, 3, MST_TIME_UNTRAINED, 0.01, 2);
    assert_standing(net, NAN, MST_TIME_UNTRAINED, 0.01, 2);
    certify(net, "\"t_low\":null,\"t_high\":null");
    assert_standing(net, 1, MST_TIME_HOPELESS, 0.01, 2);
    ck_assert(mst_time_within(1, 1, 1) && mst_time_within(1 + 1e-10, 0.5, 1));
    ck_assert(!mst_time_within(1 + 1e-8, 0.5, 1) && !mst_time_within(NAN, 0, 1));
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Weights, times, design and manifold: whatever changes, the certificate is another's. */
START_TEST(certificates_are_bound)
{
    mst_manifold *m = open_manifold("sphere:2"), *other = open_manifold("sphere:3");
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    mst_network *wide = random_network(m, (network_design){.width = 5}, 1);
    mst_network *far = random_network(other, (network_design){.width = 4}, 1);
    mst_certificate c;
    char own[MST_FINGERPRINT], again[MST_FINGERPRINT];
    net->info.t_min = 0.01;
    net->info.t_max = 2;
    ck_assert_int_eq(mst_network_certificate(net, &c), MST_CERTIFICATE_NONE);
    ASSERT_OK(mst_network_certify(net, "{"));
    ck_assert_int_eq(mst_network_certificate(net, NULL), MST_CERTIFICATE_UNREADABLE);
    ASSERT_OK(mst_network_certify(net, "{\"bands\":[{}]}"));
    ck_assert_int_eq(mst_network_certificate(net, NULL), MST_CERTIFICATE_FOREIGN);
    certify(net, "\"t_low\":0.1,\"t_high\":5");
    ck_assert_int_eq(mst_network_certificate(net, &c), MST_CERTIFICATE_VALID);
    ck_assert(c.t_low == 0.1 && c.t_high == 5);
    mst_network_fingerprint(net, own);
    ck_assert_str_eq(c.network, own);
    ASSERT_OK(mst_network_certify(wide, mst_network_describe(net).certificate));
    ck_assert_int_eq(mst_network_certificate(wide, NULL), MST_CERTIFICATE_FOREIGN);
    ASSERT_OK(mst_network_certify(far, mst_network_describe(net).certificate));
    ck_assert_int_eq(mst_network_certificate(far, NULL), MST_CERTIFICATE_FOREIGN);
    net->theta[3] += 1e-3F;
    mst_network_fingerprint(net, again);
    ck_assert_str_ne(again, own);
    net->theta[3] -= 1e-3F;
    net->info.t_max = 3;
    mst_network_fingerprint(net, again);
    ck_assert_str_ne(again, own);
    mst_network_free(net);
    mst_network_free(wide);
    mst_network_free(far);
    mst_manifold_free(m);
    mst_manifold_free(other);
}
END_TEST

int main(void)
{
    return RUN_SUITE("standing", 30, {a_certificate_comes_back_from_its_text, 0},
                     {texts_that_are_no_certificates, 0}, {times_of_a_network, 0},
                     {certificates_are_bound, 0});
}
