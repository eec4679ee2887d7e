/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/expansion_polar.h"

#include <math.h>
#include <string.h>

enum { N = POLAR_NODES };

/* ---- The rule ---- */

/* The Legendre polynomial of degree n and its derivative at x in (−1, 1). */
static double legendre(int n, double x, double *slope)
{
    double p = 1, before = 0;
    for (int k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    *slope = n * (before - x * p) / (1 - x * x);
    return p;
}

static void find_nodes(polar_rule *rule)
{
    const double pi = 3.141592653589793;
    const int degree = N - 1;
    double slope;
    for (int i = 0; i < N; i++) {
        double x = -cos(pi * i / degree), p = 1;
        /* Newton's method on P', whose derivative is (2xP' − n(n+1)P)/(1 − x²). */
        for (int step = 0; i > 0 && i < degree && step < 50; step++) {
            p = legendre(degree, x, &slope);
            double by = slope * (1 - x * x) / (2 * x * slope - degree * (degree + 1) * p);
            x -= by;
            if (fabs(by) < 1e-15)
                break;
        }
        if (2 * i == degree)
            x = 0;
        p = i > 0 && i < degree ? legendre(degree, x, &slope) : 1;
        rule->node[i] = (1 + x) / 2;
        rule->weight[i] = 1 / (degree * (degree + 1) * p * p);
    }
    rule->node[0] = 0;
    rule->node[degree] = 1;
}

static double lagrange(const polar_rule *rule, size_t j, double x)
{
    double product = 1;
    for (size_t k = 0; k < N; k++)
        if (k != j)
            product *= (x - rule->node[k]) / (rule->node[j] - rule->node[k]);
    return product;
}

void polar_rule_make(polar_rule *rule)
{
    find_nodes(rule);
    /* The rule itself integrates these polynomials exactly, on [0, node i] too. */
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double one = 0, two = 0, end = rule->node[i];
            for (size_t q = 0; q < N; q++) {
                double value = rule->weight[q] * end * lagrange(rule, j, end * rule->node[q]);
                one += value;
                two += value * end * (1 - rule->node[q]);
            }
            rule->once[i][j] = one;
            rule->twice[i][j] = two;
        }
}

/* ---- Linear equations ---- */

/* The factors of a matrix, rows exchanged; the first node, where all is 0, is left out. */
typedef struct factors {
    double a[N - 1][N - 1];
    int row[N - 1];
} factors;

/* I + r² B diag(K), B the repeated integral. */
static void factorise(const polar_rule *rule, double r, const double *k, factors *f)
{
    const int n = N - 1;
    for (int i = 0; i < n; i++) {
        f->row[i] = i;
        for (int j = 0; j < n; j++)
            f->a[i][j] = (i == j) + r * r * rule->twice[i + 1][j + 1] * k[j + 1];
    }
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            if (fabs(f->a[i][p]) > fabs(f->a[best][p]))
                best = i;
        for (int j = 0; best != p && j < n; j++) {
            double other = f->a[p][j];
            f->a[p][j] = f->a[best][j];
            f->a[best][j] = other;
        }
        int row = f->row[p];
        f->row[p] = f->row[best];
        f->row[best] = row;
        for (int i = p + 1; i < n; i++) {
            double factor = f->a[i][p] /= f->a[p][p];
            for (int j = p + 1; j < n; j++)
                f->a[i][j] -= factor * f->a[p][j];
        }
    }
}

static void solve(const factors *f, const double *right, double *x)
{
    const int n = N - 1;
    for (int i = 0; i < n; i++) {
        double sum = right[f->row[i] + 1];
        for (int j = 0; j < i; j++)
            sum -= f->a[i][j] * x[j + 1];
        x[i + 1] = sum;
    }
    for (int i = n; i-- > 0;) {
        double sum = x[i + 1];
        for (int j = i + 1; j < n; j++)
            sum -= f->a[i][j] * x[j + 1];
        x[i + 1] = sum / f->a[i][i];
    }
    x[0] = 0;
}

/* A function of s that is 0 with its derivative at x: y'' = −K y − source. */
typedef struct curve {
    double y[N], slope[N]; /* and its derivative by s */
} curve;

static void follow(const polar_rule *rule, const factors *f, double r, const double *k,
                   const double *source, curve *c)
{
    double right[N], bend[N];
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += rule->twice[i][j] * source[j];
        right[i] = -r * r * sum;
    }
    solve(f, right, c->y);
    for (size_t j = 0; j < N; j++)
        bend[j] = -k[j] * c->y[j] - source[j];
    for (size_t i = 0; i < N; i++) {
        c->slope[i] = 0;
        for (size_t j = 0; j < N; j++)
            c->slope[i] += r * rule->once[i][j] * bend[j];
    }
}

/* ---- The terms ---- */

/* f − s, f_θ, f_θθ, f_θθθ along the geodesic, and the derivatives of K by θ. */
typedef struct fan {
    double k[N], s[N], f[N], f_s[N], k1[N];
    curve excess, first, second, third;
} fan;

static void spread(const polar_rule *rule, double r, const double *jet, fan *w)
{
    factors factor;
    double source[N], k2[N], turn[N];
    for (size_t i = 0; i < N; i++) {
        w->k[i] = jet[i * JET_COUNT + JET_K];
        w->s[i] = r * rule->node[i];
        source[i] = w->k[i] * w->s[i];
    }
    factorise(rule, r, w->k, &factor);
    follow(rule, &factor, r, w->k, source, &w->excess);
    for (size_t i = 0; i < N; i++) {
        w->f[i] = w->s[i] + w->excess.y[i];
        w->f_s[i] = 1 + w->excess.slope[i];
        w->k1[i] = w->f[i] * jet[i * JET_COUNT + JET_N];
        source[i] = w->k1[i] * w->f[i];
    }
    follow(rule, &factor, r, w->k, source, &w->first);
    for (size_t i = 0; i < N; i++) {
        const double *j = jet + i * JET_COUNT;
        turn[i] = w->f[i] * j[JET_NN] - w->f_s[i] * j[JET_T]; /* ∂_θ of K_ν */
        k2[i] = w->first.y[i] * j[JET_N] + w->f[i] * turn[i];
        source[i] = 2 * w->k1[i] * w->first.y[i] + k2[i] * w->f[i];
    }
    follow(rule, &factor, r, w->k, source, &w->second);
    for (size_t i = 0; i < N; i++) {
        const double *j = jet + i * JET_COUNT;
        double f = w->f[i], f_s = w->f_s[i], f1 = w->first.y[i], f2 = w->second.y[i];
        double k3 = f2 * j[JET_N] + 2 * f1 * turn[i] + f * f1 * j[JET_NN] +
                    f * f * (f * j[JET_NNN] - 2 * f_s * j[JET_NT]) -
                    f * w->first.slope[i] * j[JET_T] - f * f_s * (f * j[JET_NT] + f_s * j[JET_N]);
        source[i] = 3 * w->k1[i] * f2 + 3 * k2[i] * f1 + k3 * f;
    }
    follow(rule, &factor, r, w->k, source, &w->third);
}

/* q and q_θ at node i. */
static void transport_rate(const fan *w, size_t i, double *q, double *q_theta)
{
    if (i == 0) {
        *q = w->k[0] / 6;
        *q_theta = 0;
        return;
    }
    double s = w->s[i], f = w->f[i], h = w->f_s[i] / f;
    double u = (s * w->excess.slope[i] - w->excess.y[i]) / (s * f);
    double p = w->first.y[i] / f, p_s = w->first.slope[i] / f - p * h;
    double second = w->second.y[i] / f, third = w->third.y[i] / f;
    double across = (1.25 * p * p - 0.5 * second) / (f * f);
    double across_theta =
        -2 * p * across + (2.5 * p * (second - p * p) - 0.5 * (third - p * second)) / (f * f);
    *q = 0.5 * (w->k[i] / 2 + u / (2 * s) + u * u / 4 + across);
    *q_theta = 0.5 * (w->k1[i] / 2 + p_s / (2 * s) + u * p_s / 2 + across_theta);
}

/* ∇²g of g = b₀ in polar coordinates: g_ss, (g_sθ − h g_θ)/f, (g_θθ − P g_θ)/f² + h g_s. */
static void bend_of(const fan *w, polar_terms *t)
{
    enum { END = N - 1 };
    double s = w->s[END], f = w->f[END], h = w->f_s[END] / f;
    double p = w->first.y[END] / f, p_s = w->first.slope[END] / f - p * h;
    double u = (s * w->excess.slope[END] - w->excess.y[END]) / (s * f);
    t->bend[0] = 0.5 * (w->k[END] + u * u + 2 * u / s);
    t->bend[1] = -0.5 * (p_s - h * p) / f;
    t->bend[2] = -0.5 * (w->second.y[END] / f - 2 * p * p) / (f * f) - 0.5 * h * u;
    t->spread = s * h;
}

polar_terms polar_terms_of(const polar_rule *rule, double r, const double *jet)
{
    enum { MIDDLE = N / 2, END = N - 1 };
    fan w;
    double q[N], q_theta[N];
    polar_terms t = {.least = INFINITY};
    spread(rule, r, jet, &w);
    for (size_t i = 0; i < N; i++) {
        transport_rate(&w, i, &q[i], &q_theta[i]);
        t.transport.value += rule->weight[i] * q[i];
        t.transport.across += rule->weight[i] * q_theta[i];
        if (i > 0)
            t.least = fmin(t.least, w.f[i] / w.s[i]);
    }
    bend_of(&w, &t);
    double f = w.f[END], half = w.f[MIDDLE];
    const double *middle = jet + MIDDLE * JET_COUNT, *end = jet + END * JET_COUNT;
    t.width = f;
    t.b0.value = -0.5 * log(f / r);
    t.b0.along = -0.5 * (r * w.excess.slope[END] - w.excess.y[END]) / (r * f);
    t.b0.across = -0.5 * w.first.y[END] / (f * f);
    t.transport.along = (q[END] - t.transport.value) / r;
    t.transport.across /= f;
    t.start = (polar_value){w.k[0] / 6, jet[JET_T] / 12, jet[JET_N] / 12};
    t.simpson.value = (w.k[0] + 4 * w.k[MIDDLE] + w.k[END]) / 36;
    t.simpson.along = (2 * middle[JET_T] + end[JET_T]) / 36;
    t.simpson.across = (4 * middle[JET_N] * half / f + end[JET_N]) / 36;
    return t;
}

static polar_value between(const polar_value *start, const polar_value *end, double whole)
{
    return (polar_value){
        .value = end->value,
        .along = start->along + whole * (end->along - start->along),
        .across = start->across + whole * (end->across - start->across),
    };
}

void polar_terms_shorten(polar_terms *t, double whole)
{
    t->b0.value *= whole * whole;
    t->b0.along *= whole;
    t->b0.across *= whole;
    t->simpson = between(&t->start, &t->simpson, whole);
    t->transport = between(&t->start, &t->transport, whole);
}
