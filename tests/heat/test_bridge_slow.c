/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges against closed forms, and against the spectral kernels of surfaces, on many pairs. */
#include "heat/bridge_cases.h"

#include <stdio.h>

enum { PAIRS = 800, PATHS = 1000 };

/* At least 99 % within three standard errors, and z² of mean 0.8 … 1.3: right code has
 * 99.7 % and 1 ± 0.07. */
static void assert_good(const bridge_verdict *v, const char *name, bool exact)
{
    printf("%s: ess %.0f, within %.3f %.3f %.3f, z² %.2f %.2f %.2f, se %.2g %.2g %.2g\n", name,
           v->ess, v->within[0], v->within[1], v->within[2], v->square[0], v->square[1],
           v->square[2], v->error[0], v->error[1], v->error[2]);
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(v->within[k] >= 0.99, "%s: value %d: %g within", name, k, v->within[k]);
        ck_assert_msg(v->square[k] < 1.3 && (exact || v->square[k] > 0.8), "%s: value %d: z² %g",
                      name, k, v->square[k]);
    }
}

static const struct {
    const char *spec;
    double fixed;
    bool exact; /* some value has no scatter, and so no z */
} cases[] = {
    {"euclidean:3", 0, true},   {"sphere:2", 0, false}, {"sphere:3", 0, false},
    {"hyperbolic:2", 0, false}, {"torus:2", 0, true},   {"torus:2", 3, true},
    {"so3", 0, false},          {"so3", 2, false},      {"spd:2", 0, false},
    {"sphere:5", 0, false},
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(closed_forms)
{
    mst_manifold *m = open_manifold(cases[_i].spec);
    dice die = {101 + (uint64_t)_i};
    mst_bridge_options o = mst_bridge_options_default();
    o.paths =
        cases[_i].fixed > 0 ? 4 * PATHS : PATHS; /* ways around carry little, and must be seen */
    bridge_pairs_of p = exact_pairs(m, PAIRS, cases[_i].fixed, &die);
    bridge_verdict v = judge_bridges(m, &p, &o);
    assert_good(&v, cases[_i].spec, cases[_i].exact);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* ---- Surfaces ---- */

/* The point of parameters (u, v) and the unit vectors along them, of surfaces of revolution. */
static void place(int surface, double u, double v, double *x, double *along_u, double *along_v)
{
    double s = 1 + 0.15 * cos(3 * v), slope = -0.45 * sin(3 * v);
    bool bumpy = surface == 2;
    double rho = bumpy ? s * sin(v) : sin(v), z = bumpy ? s * cos(v) : 0.6 * cos(v);
    double out = bumpy ? slope * sin(v) + s * cos(v) : cos(v),
           up = bumpy ? slope * cos(v) - s * sin(v) : -0.6 * sin(v), size = hypot(out, up);
    const double point[] = {rho * cos(u), rho * sin(u), z}, first[] = {-sin(u), cos(u), 0},
                 second[] = {out * cos(u) / size, out * sin(u) / size, up / size};
    memcpy(x, point, sizeof point);
    memcpy(along_u, first, sizeof first);
    memcpy(along_v, second, sizeof second);
}

/* The rows of one surface whose points are not farther apart than about 3√(2t); log p
 * tells how far they are. */
static bridge_pairs_of surface_pairs(int surface)
{
    enum { COLUMNS = 10, MOST = 400 };
    const char *path = MST_TEST_DATA "/reference/surface_kernels.csv";
    char line[2000];
    size_t n = 0;
    bool chart = surface == 0;
    bridge_pairs_of p = bridge_pairs_new(MOST, chart ? 2 : 3);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL && fgets(line, sizeof line, f) != NULL, "%s", path);
    while (n < MOST && fgets(line, sizeof line, f) != NULL) {
        double v[COLUMNS], first[3], second[3];
        char *at = line;
        for (int k = 0; k < COLUMNS; k++) {
            v[k] = strtod(at, &at);
            at += *at == ',';
        }
        double t = v[5], square = -2 * t * (v[6] + log(6.283185307179586 * t));
        if ((int)v[0] != surface || square > 18 * t)
            continue;
        double *x = p.x + n * p.D, *y = p.y + n * p.D, *score = p.score + n * p.D;
        p.t[n] = t;
        p.log_p[n] = v[6];
        p.dt[n] = v[9];
        n++;
        if (chart) {
            memcpy(x, v + 1, 2 * sizeof *v);
            memcpy(y, v + 3, 2 * sizeof *v);
            score[0] = v[7] / (1 + 0.5 * cos(v[4]));
            score[1] = v[8] / 0.5;
            continue;
        }
        place(surface, v[1], v[2], x, first, second);
        place(surface, v[3], v[4], y, first, second);
        for (int a = 0; a < 3; a++)
            score[a] = v[7] * first[a] + v[8] * second[a];
    }
    fclose(f);
    p.n = n;
    return p;
}

START_TEST(surfaces)
{
    static const char *const names[] = {"torus", "ellipsoid", "bumpy"};
    char path[400];
    snprintf(path, sizeof path, MST_TEST_DATA "/../../examples/manifolds/%s.manifold", names[_i]);
    mst_manifold *m = open_manifold(path);
    bridge_pairs_of p = surface_pairs(_i);
    ck_assert_uint_ge(p.n, 150);
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 4 * PATHS; /* the weights of the time derivative are skew */
    bridge_verdict v = judge_bridges(m, &p, &o);
    assert_good(&v, names[_i], false);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* Sixteen times the paths, a quarter of the error. */
START_TEST(errors_fall)
{
    mst_manifold *m = open_manifold("sphere:3");
    dice die = {55};
    mst_bridge_options o = mst_bridge_options_default();
    bridge_pairs_of p = exact_pairs(m, 100, 0.3, &die);
    o.paths = 100;
    bridge_verdict few = judge_bridges(m, &p, &o);
    o.paths = 1600;
    bridge_verdict many = judge_bridges(m, &p, &o);
    for (int k = 0; k < 3; k++) /* both are means of squares within 15 % but for 1e-3 */
        assert_near(few.error[k] / many.error[k], 4, 0.6, "value %d", k);
    ck_assert(many.square[0] < 1.5 && many.square[1] < 1.5 && many.square[2] < 1.5);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("bridges, slow", 900, {closed_forms, CASES}, {surfaces, 3}, {errors_fall, 0});
}
