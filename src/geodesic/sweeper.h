/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's method for the energy of paths between fixed ends on one mesh, eight paths side by side. A lane
 * that is done is filled again at once, so that nobody waits for the slowest. */
#ifndef MST_GEODESIC_SWEEPER_H
#define MST_GEODESIC_SWEEPER_H

#include "geodesic/problem.h"
#include "geodesic/sweep_kernels.h"

typedef enum lane_end {
    LANE_BUSY,
    LANE_CONVERGED, /* to a minimum of the energy of these polynomials */
    LANE_SADDLE,    /* to a stationary path that is none, and pushing did not help */
    LANE_STUCK,     /* no descent, or out of sweeps */
    LANE_OUTSIDE,   /* the first path leaves the domain, or the metric is not positive on it */
} lane_end;

/* What is wanted of a path. */
typedef struct flight_plan {
    void *job;        /* null: the lane rests */
    double tolerance; /* of the next decrease of the energy, against the energy */
    int most;         /* sweeps */
    bool whole;       /* land with everything, not with path and energy only */
    double enough;    /* a relative error that may be believed */
    bool shifts;      /* long ways from a minimum: see sweep_lane.shift */
} flight_plan;

/* What is known of a path that converged; vectors have `width` numbers. */
typedef struct landing {
    lane_end end;
    int sweeps;
    double energy, length;
    /* with `whole`: the error estimate of the length, the logarithms at both ends; and where the error is
     * small enough, what follows: the fraction of the way to a conjugate point */
    double error, conjugate;
    double *log_x, *log_y;
    /* second derivatives of ½d² in x, and −∂²(½d²)/∂x∂y, (d, d) in coordinates or frames; or null */
    double *hessian, *mixed, van_vleck;
    double *frame_x, *frame_y; /* (width, d) of a constraint */
} landing;

typedef struct sweep_lane {
    flight_plan plan;
    bool fresh, full, moves, weak;
    bool
        flat; /* pushed off a saddle it came back to the same energy: a conjugate point, to rounding */
    double saddle;
    /* Where the Hessian H is not positive definite the step is that of H + shift·H₀, H₀ its positive part:
     * that keeps what H knows of walls. The shift grows until there is a factor, and falls with success. */
    double shift;
    double a, energy, slope, decrease;
    int sweeps, pushes;
    lane_end end;
} sweep_lane;

typedef struct sweeper {
    const geodesic_problem *p;
    const struct sweep_kernels *k;
    const struct cholesky_kernels *c;
    mesh g;
    sweep_room r;
    eight *old, *move, *step; /* (width, nodes) twice, (d, nodes) */
    eight *matrix, *inverse;  /* and its factor */
    eight *spare, *spare_inverse;
    eight *whole;         /* the Hessian once more, if lanes shift */
    eight *b, *other;     /* (unknowns), (d, nodes) */
    eight *field, *image; /* (d, nodes) */
    eight *seconds;       /* (2, d, d): hessian and mixed of all lanes */
    eight *ratio;         /* 1: least eigenvalue of the Hessian against its positive part */
    eight *memory;
    double *numbers, *small; /* of the landing, and room of d + d² for it */
    problem_rows rows;
    struct krylov *many; /* for many dimensions, where there is no matrix; null: there is */
    sweep_lane lane[EIGHT];
    landing landed;
    bool second_order; /* hessian and mixed are wanted */
    bool conjugate;    /* the way to a conjugate point is */
    bool closer;       /* ratio and seconds are those of the lanes that have just converged */
    unsigned char outside[EIGHT];
    size_t sweeps; /* of all lanes together, for measurements */
} sweeper;

MST_MUST_USE mst_status sweeper_new(sweeper *s, const geodesic_problem *p, const rule *r,
                                    size_t elements, bool second_order);
void sweeper_free(sweeper *s);

/* Where the paths come from and go to. `next` fills the plan and gives the path, which is of this mesh
 * and is written over when it has converged; then `done` is called. */
typedef struct sweep_source {
    void *user;
    bool (*next)(void *user, flight_plan *plan, path **path);
    mst_status (*done)(void *user, const flight_plan *plan, const landing *landed);
} sweep_source;
MST_MUST_USE mst_status sweeper_run(sweeper *s, const sweep_source *source);

/* Of a lane that has just converged (landing.c). Fills s->landed. */
MST_MUST_USE mst_status sweeper_land(sweeper *s, const unsigned char *lanes, size_t which);
/* The product of the Hessian with a field (d, nodes), or of its positive part. */
void sweeper_product(sweeper *s, bool full, const eight *field, eight *image);

#endif
