/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the ladder share. */
#ifndef MST_GEODESIC_LADDER_PARTS_H
#define MST_GEODESIC_LADDER_PARTS_H

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
    bool rescued, warm;
    struct job *next; /* in a queue, in the list of a pair's parked jobs, or of spare ones */
} job;

typedef struct pair {
    double *y;      /* (width), the end nearest to x */
    size_t waiting; /* coarse jobs under way */
    size_t open;    /* fine jobs under way */
    job *parked;    /* list of coarse jobs that have ended */
    int starts, agreed;
    bool found, spread; /* an answer; have other starts been tried? */
    bool tie;
    double energy, conjugate;
    mst_geodesic_status failure;
    path best;
    size_t level;
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
/* Is there no shorter geodesic for certain? */
bool ladder_is_certain(const ladder *l, const pair *p);
void ladder_write_row(const ladder *l, size_t i, const landing *landed);
/* Cold starts. */
MST_MUST_USE mst_status ladder_begin_pair(ladder *l, size_t i);
/* For sweep_source. */
bool ladder_next_job(void *user, flight_plan *plan, path **out);
mst_status ladder_job_done(void *user, const flight_plan *plan, const landing *landed);

#endif
