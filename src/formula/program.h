/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas made ready to run: a list of instructions on registers, each of which holds one number for every
 * row of a block. An instruction is one vector loop, so what it costs to decode it is shared by all rows. */
#ifndef MST_FORMULA_PROGRAM_H
#define MST_FORMULA_PROGRAM_H

#include "formula/graph.h"

enum { FORMULA_ROWS = 128 }; /* of a block */

/* Beyond the operations of formulas: products and sums in one, sine and cosine in one. */
typedef enum formula_fused {
    FORMULA_MULTIPLY_ADD = FORMULA_OPERATION_COUNT, /* a b + c */
    FORMULA_MULTIPLY_SUBTRACT,                      /* a b − c */
    FORMULA_SUBTRACT_MULTIPLY,                      /* c − a b */
    FORMULA_SINE_COSINE,                            /* of a into `to` and `other` */
} formula_fused;

typedef struct formula_instruction {
    uint32_t op; /* of formula_operation or formula_fused */
    uint32_t to, a, b, c, other;
} formula_instruction;

typedef struct formula_load {
    uint32_t to, variable;
} formula_load;

typedef struct formula_program {
    formula_instruction *code;
    size_t length, registers, outputs, loads_count;
    formula_load *loads; /* variables that are used */
    double *constants;   /* registers 0 … constants_count − 1 */
    size_t constants_count;
    uint32_t *results; /* (outputs) registers */
} formula_program;

/* Where a variable of row i stands: base[i·stride]. Outputs alike; those with a null base are not wanted. */
typedef struct formula_input {
    const double *base;
    size_t stride;
} formula_input;
typedef struct formula_output {
    double *base;
    size_t stride;
} formula_output;

/* The program for the nodes; it needs the graph no longer. Release it also after a failure. */
MST_MUST_USE mst_status formula_compile(formula_program *p, const formula_graph *g, size_t count,
                                        const formula_node *nodes);
void formula_program_release(formula_program *p);
/* The other way: its outputs as nodes of a graph, which may be new. */
MST_MUST_USE mst_status formula_replay(const formula_program *p, formula_graph *g,
                                       formula_node *nodes);

/* n rows; inputs by the number of the variable, outputs in the order of the nodes. An output may overlap an
 * input of the same row. Values are what the formulas give, NAN and infinities included. */
MST_MUST_USE mst_status formula_run(const formula_program *p, size_t n, const formula_input *in,
                                    const formula_output *out);
/* The same with formula_room numbers of room, which formula_prepare has filled for this program. */
size_t formula_room(const formula_program *p);
void formula_prepare(const formula_program *p, double *registers);
void formula_run_in(const formula_program *p, size_t n, const formula_input *in,
                    const formula_output *out, double *registers);
/* Consecutive variables or outputs that stand in rows of their own, (n, columns) each; an output with a null
 * base is not wanted. */
typedef struct formula_block {
    size_t columns;
    const double *base;
} formula_block;
typedef struct formula_block_out {
    size_t columns;
    double *base;
} formula_block_out;
/* The same with variables and outputs in blocks. */
MST_MUST_USE mst_status formula_run_blocks(const formula_program *p, size_t n, size_t ins,
                                           const formula_block *in, size_t outs,
                                           const formula_block_out *out);

#endif
