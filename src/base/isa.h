/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which compiled version of the hot loops to run on this processor. */
#ifndef MST_BASE_ISA_H
#define MST_BASE_ISA_H

enum mst_isa { MST_ISA_GENERIC, MST_ISA_V3, MST_ISA_V4 };

/* The best the processor has; the environment variable MANISTAT_ISA = generic, v3 or v4 lowers it (for
 * comparisons and bit-identical results on different machines). It is read at the first call and kept. */
enum mst_isa mst_isa(void);
/* Choose again: a name as above, or null for what the environment says now. For tests; while no other
 * thread computes. */
void mst_isa_choose(const char *name);
const char *mst_isa_name(enum mst_isa isa);

/* The build decides how many levels there are: those of sanitizers do without v4, that of the demonstration
 * has the first alone. */
#if defined __x86_64__ && !defined MST_GENERIC_ONLY
#define MST_HAS_LEVELS
#endif
#if defined MST_HAS_LEVELS && defined MST_WITHOUT_V4
#define MST_DECLARE_HOT(type, name) extern const type name##_generic, name##_v3
#define MST_PICK_AT(name, isa) ((isa) == MST_ISA_GENERIC ? &name##_generic : &name##_v3)
#elif defined MST_HAS_LEVELS
#define MST_DECLARE_HOT(type, name) extern const type name##_generic, name##_v3, name##_v4
#define MST_PICK_AT(name, isa) \
    ((isa) == MST_ISA_V4 ? &name##_v4 : (isa) == MST_ISA_V3 ? &name##_v3 : &name##_generic)
#else
#define MST_DECLARE_HOT(type, name) extern const type name##_generic
#define MST_PICK_AT(name, isa) ((void)(isa), &name##_generic)
#endif
#define MST_PICK(name) MST_PICK_AT(name, mst_isa())

#endif
