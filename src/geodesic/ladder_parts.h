/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the ladder share. */
#ifndef MST_GEODESIC_LADDER_PARTS_H
#define MST_GEODESIC_LADDER_PARTS_H

#include "geodesic/graph.h"
#include "geodesic/ladder.h"

/* The rungs. A path begins on the first, and climbs while its error is too large; one that does not converge
 * begins again on the last rung, whose low order does not overshoot, and goes on from RESCUED. */
typedef struct rung {
    size_t elements, degree;
    double tolerance; /* 0: that of the task */
    int most;         /* sweeps */
} rung;
extern const rung ladder_rungs[];
enum { RUNGS = 9, LAST = RUNGS - 2, RESCUE = RUNGS - 1, RESCUED = 4 };
enum { DEGREES = 4 };

/* One first path of one pair. */
typedef struct job {
    size_t pair, level;
    path path;
    double energy, error;
    int agreed;                    /* first paths that led here */
    bool rescued, warm, bent, way; /* way: along a polygon */
    bool remeshed;                 /* has been on the last rung twice */
    struct job *next; /* in a queue, in the list of a pair's parked jobs, or of spare ones */
} job;

/* A geodesic that is believed. */
typedef struct answer {
    path path;
    size_t level;
    double energy, conjugate;
    double *log_x; /* (width) */
    int agreed;
} answer;

typedef struct pair {
    double *y;      /* (width), the end nearest to x */
    size_t waiting; /* coarse jobs under way */
    size_t open;    /* fine jobs under way */
    job *parked;    /* list of coarse jobs that have ended */
    int starts;
    bool wrapped, spread; /* have all wraps been tried? and the other starts? */
    bool tie, trivial, warm;
    /* The least energy among paths that are not wanted, and how far the ends of kept paths have moved since
     * they were looked for. Each end that moves by δ changes the length of all geodesics by at most δ, so
     * while a kept one is shorter than √(2 rival) − drift it is still the shortest. */
    double rival, drift;
    double
        overlooked; /* the least energy of a path that was nearly a geodesic when it was given up */
    mst_geodesic_status failure;
    double best_error; /* without an answer: of the values that its row has; INFINITY: none */
    answer *answers;   /* (several), the shortest first */
    size_t count;      /* of them */
} pair;

typedef struct ladder {
    ladder_task *task;
    const geodesic_problem *p;
    geodesic_problem coarse; /* for the first rung */
    rule rules[DEGREES];
    sweeper sweepers[RUNGS];
    bool made[RUNGS];
    start_room room;
    pair *pairs;
    size_t several;
    answer *answers; /* (n, several) */
    double *lowest;  /* (several), energies */
    double *logs;    /* of the answers */
    double *ends;
    job **jobs; /* all that there are */
    size_t job_count, job_room;
    job *spare;                      /* list of jobs that are free */
    job *first[RUNGS], *last[RUNGS]; /* queues */
    path scratch;
    size_t level; /* that is being run */
    double tolerance;
} ladder;

const rule *ladder_rule(const ladder *l, size_t level);
/* Before a path comes to a rung for the first time. */
MST_MUST_USE mst_status ladder_make_rule(ladder *l, size_t level);
bool ladder_wants_second(const ladder *l);
bool ladder_wants_conjugate(const ladder *l);

const double *ladder_end_x(const ladder *l, size_t i);
MST_MUST_USE mst_status ladder_job_new(ladder *l, size_t i, job **out);
void ladder_enqueue(ladder *l, job *j, size_t level);
/* ---- Answers (ladder_answers.c) ---- */

/* Is there no shorter geodesic for certain? And none that would be wanted? Of pairs that have an answer. */
bool ladder_is_certain(const ladder *l, const pair *p);
bool ladder_is_only(const ladder *l, const pair *p);
/* The energy above which a path is not wanted if the least of its pair is `least`. */
double ladder_highest(const ladder *l, const pair *p, double least);
/* Is the path of the job, roughly, this one? Energies to `closeness`. */
bool ladder_is_same(const ladder *l, const answer *a, const job *j, double closeness);
/* The answer that begins with the same velocity, and so is the same geodesic; or null. */
answer *ladder_known(const ladder *l, const pair *p, const double *log_x);
/* Outputs are (n, several). */
void ladder_write_row(const ladder *l, size_t row, const landing *landed);
void ladder_write_nothing(const ladder *l, size_t i, double value);
/* Room for a geodesic of this energy, and its number; null if there are as many that are shorter. */
answer *ladder_insert(ladder *l, size_t i, double energy, size_t *at);
void ladder_note_rival(pair *p, double energy);
/* May a kept path have been overtaken? */
bool ladder_is_risky(const pair *p);
/* A geodesic was found. False: once more. */
bool ladder_take(ladder *l, job *j, const landing *landed);
void ladder_finish_pair(ladder *l, size_t i);

/* ---- Climbing ---- */

/* Cold starts. */
MST_MUST_USE mst_status ladder_begin_pair(ladder *l, size_t i);
/* To all ends a whole number of periods away, but for the first `skip`. */
MST_MUST_USE mst_status ladder_begin_wraps(ladder *l, size_t i, size_t skip);
/* A job along a polygon, at constant speed. */
MST_MUST_USE mst_status ladder_send_way(ladder *l, size_t i, const graph_way *way);
/* For sweep_source. */
bool ladder_next_job(void *user, flight_plan *plan, path **out);
mst_status ladder_job_done(void *user, const flight_plan *plan, const landing *landed);

#endif
