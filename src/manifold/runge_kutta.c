/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/runge_kutta.h"

#include <math.h>
#include <string.h>

#define Q(numerator, denominator) (numerator##.0 / denominator##.0)
const double rk_weights[RK_STAGES][RK_STAGES - 1] = {
    {0},
    {Q(1, 18)},
    {Q(1, 48), Q(1, 16)},
    {Q(1, 32), 0, Q(3, 32)},
    {Q(5, 16), 0, Q(-75, 64), Q(75, 64)},
    {Q(3, 80), 0, 0, Q(3, 16), Q(3, 20)},
    {Q(29443841, 614563906), 0, 0, Q(77736538, 692538347), Q(-28693883, 1125000000),
     Q(23124283, 1800000000)},
    {Q(16016141, 946692911), 0, 0, Q(61564180, 158732637), Q(22789713, 633445777),
     Q(545815736, 2771057229), Q(-180193667, 1043307555)},
    {Q(39632708, 573591083), 0, 0, Q(-433636366, 683701615), Q(-421739975, 2616292301),
     Q(100302831, 723423059), Q(790204164, 839813087), Q(800635310, 3783071287)},
    {Q(246121993, 1340847787), 0, 0, Q(-37695042795, 15268766246), Q(-309121744, 1061227803),
     Q(-12992083, 490766935), Q(6005943493, 2108947869), Q(393006217, 1396673457),
     Q(123872331, 1001029789)},
    {Q(-1028468189, 846180014), 0, 0, Q(8478235783, 508512852), Q(1311729495, 1432422823),
     Q(-10304129995, 1701304382), Q(-48777925059, 3047939560), Q(15336726248, 1032824649),
     Q(-45442868181, 3398467696), Q(3065993473, 597172653)},
    {Q(185892177, 718116043), 0, 0, Q(-3185094517, 667107341), Q(-477755414, 1098053517),
     Q(-703635378, 230739211), Q(5731566787, 1027545527), Q(5232866602, 850066563),
     Q(-4093664535, 808688257), Q(3962137247, 1805957418), Q(65686358, 487910083)},
    {Q(403863854, 491063109), 0, 0, Q(-5068492393, 434740067), Q(-411421997, 543043805),
     Q(652783627, 914296604), Q(11173962825, 925320556), Q(-13158990841, 6184727034),
     Q(3936647629, 1978049680), Q(-160528059, 685178525), Q(248638103, 1413531060)},
};
const double rk_eighth[RK_STAGES] = {Q(14005451, 335480064),
                                     0,
                                     0,
                                     0,
                                     0,
                                     Q(-59238493, 1068277825),
                                     Q(181606767, 758867731),
                                     Q(561292985, 797845732),
                                     Q(-1041891430, 1371343529),
                                     Q(760417239, 1151165299),
                                     Q(118820643, 751138087),
                                     Q(-528747749, 2220607170),
                                     Q(1, 4)};
const double rk_seventh[RK_STAGES] = {Q(13451932, 455176623),
                                      0,
                                      0,
                                      0,
                                      0,
                                      Q(-808719846, 976000145),
                                      Q(1757004468, 5645159321),
                                      Q(656045339, 265891186),
                                      Q(-3867574721, 1518517206),
                                      Q(465885868, 322736535),
                                      Q(53011238, 667516719),
                                      Q(2, 45),
                                      0};
#undef Q

/* How each row stands. */
typedef struct runner {
    size_t row, tried;
    double at, step;
} runner;

typedef struct rk_room {
    double *stage, *now, *trial; /* (RK_STAGES, n, width), (n, width) twice */
} rk_room;

/* One step of each row, from `now` to `trial`. */
static mst_status attempt(const rk_system *s, size_t n, const runner *runners, rk_room *r)
{
    size_t width = s->width, size = n * width;
    for (size_t stage = 0; stage < RK_STAGES; stage++) {
        memcpy(r->trial, r->now, size * sizeof *r->trial);
        for (size_t j = 0; j < stage; j++)
            for (size_t i = 0; rk_weights[stage][j] != 0 && i < n; i++) {
                double factor = runners[i].step * rk_weights[stage][j];
                const double *from = r->stage + j * size + i * width;
                for (size_t k = 0; k < width; k++)
                    r->trial[i * width + k] += factor * from[k];
            }
        MST_TRY(s->slopes(s->context, n, r->trial, r->stage + stage * size));
    }
    memcpy(r->trial, r->now, size * sizeof *r->trial);
    for (size_t stage = 0; stage < RK_STAGES; stage++)
        for (size_t i = 0; rk_eighth[stage] != 0 && i < n; i++)
            for (size_t k = 0; k < width; k++)
                r->trial[i * width + k] +=
                    runners[i].step * rk_eighth[stage] * r->stage[stage * size + i * width + k];
    return MST_OK;
}

static double step_error(const rk_system *s, size_t n, size_t i, double h, const rk_room *r)
{
    double sum = 0;
    for (size_t k = 0; k < s->judged; k++) {
        double error = 0;
        for (size_t stage = 0; stage < RK_STAGES; stage++)
            error +=
                (rk_eighth[stage] - rk_seventh[stage]) * r->stage[(stage * n + i) * s->width + k];
        sum += error * error;
    }
    return h * sqrt(sum);
}

/* Takes the trial, or not; the next step. A failure: it cannot go on. */
static mst_status judge(const rk_system *s, double ratio, runner *r, const double *trial,
                        double *state)
{
    if (s->inside != NULL && !s->inside(s->context, trial))
        ratio = NAN;
    if (r->step < 1e-14 && !(ratio <= 1))
        return MST_DOMAIN;
    if (++r->tried > s->most)
        return MST_CONVERGENCE;
    double grow = isfinite(ratio) ? 0.9 * pow(fmax(ratio, 1e-10), -1.0 / 8) : 0.2;
    grow = fmin(fmax(grow, 0.2), 5);
    if (!(ratio <= 1)) {
        r->step *= fmin(grow, 0.5);
        return MST_OK;
    }
    r->at += r->step;
    r->step = fmin(r->step * grow, 1 - r->at);
    memcpy(state, trial, s->width * sizeof *state);
    return MST_OK;
}

mst_status rk_run(const rk_system *s, size_t n, const double *size, double *state,
                  mst_status *status)
{
    size_t width = s->width;
    runner runners[RK_ROWS];
    rk_room room;
    MST_TRY(mst_allocate(&room.stage, (RK_STAGES + 2) * n * width));
    room.now = room.stage + RK_STAGES * n * width;
    room.trial = room.now + n * width;
    for (size_t i = 0; i < n; i++) {
        runners[i] = (runner){.row = i, .step = size[i] > 0.5 ? 0.5 / size[i] : 1};
        status[i] = MST_OK;
    }
    mst_status failure = MST_OK;
    while (n > 0 && failure == MST_OK) {
        for (size_t i = 0; i < n; i++)
            memcpy(room.now + i * width, state + runners[i].row * width, width * sizeof *state);
        failure = attempt(s, n, runners, &room);
        size_t left = 0;
        for (size_t i = 0; failure == MST_OK && i < n; i++) {
            runner *r = &runners[i];
            double error = step_error(s, n, i, r->step, &room);
            double ratio = error > 0 ? error / (s->tolerance * size[r->row]) : error;
            status[r->row] = judge(s, ratio, r, room.trial + i * width, state + r->row * width);
            if (status[r->row] == MST_OK && r->at < 1 && r->step > 0)
                runners[left++] = *r;
        }
        n = left;
    }
    mst_release(room.stage);
    return failure;
}
