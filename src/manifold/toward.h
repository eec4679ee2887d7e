/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The potential f = far + far²/6 with far = 1 − cos r, of spaces where r has period 2π: it is ½r² + O(r⁶),
 * its slope f' = sin r (1 + far/3) is r + O(r⁵), and both are smooth at r = π. */
#ifndef MST_MANIFOLD_TOWARD_H
#define MST_MANIFOLD_TOWARD_H

static inline double toward_potential(double far)
{
    return far + far * far / 6;
}

/* f'/sin r */
static inline double toward_factor(double far)
{
    return 1 + far / 3;
}

/* f'' */
static inline double toward_second(double far)
{
    return (1 - far) * toward_factor(far) + far * (2 - far) / 3;
}

#endif
