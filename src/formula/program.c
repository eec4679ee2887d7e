/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* From a graph to instructions: an order in which little is alive at a time, registers, and running it. */
#include "formula/program_kernels.h"

#include <string.h>

void formula_program_release(formula_program *p)
{
    mst_release(p->code);
    mst_release(p->loads);
    mst_release(p->constants);
    mst_release(p->results);
    *p = (formula_program){0};
}

/* ---- Compiling ---- */

enum { NONE = 0xffffffff };

typedef struct compiler {
    const formula_graph *g;
    formula_program *p;
    size_t end;            /* nodes of interest are below */
    unsigned char *needed; /* (end) */
    uint32_t *uses;        /* (end) how many readers are still to come, results included */
    uint32_t *product;     /* (end) the product that a sum swallows, or NONE */
    uint32_t *partner;     /* (end) the cosine of a sine and the reverse, or NONE */
    uint32_t *place;       /* (end) register, or NONE */
    uint32_t *free;        /* registers that can be used again */
    size_t free_count, capacity;
    formula_node *stack; /* (2·end) */
} compiler;

/* What instruction n reads: up to three nodes. */
static size_t sources_of(const compiler *c, formula_node n, formula_node out[3])
{
    const formula_entry *e = &c->g->nodes[n];
    size_t count = formula_arguments(e->op);
    if (c->product[n] != NONE) {
        const formula_entry *product = &c->g->nodes[c->product[n]];
        out[0] = product->a;
        out[1] = product->b;
        out[2] = e->a == c->product[n] ? e->b : e->a;
        return 3;
    }
    out[0] = e->a;
    out[1] = e->b;
    return count;
}

static bool is_only_read_here(const compiler *c, formula_node n)
{
    return c->g->nodes[n].op == FORMULA_MULTIPLY && c->uses[n] == 1;
}

/* Sums swallow a product that nobody else reads; sines look for their cosine. */
static void fuse(compiler *c, uint32_t *sine_of, uint32_t *cosine_of)
{
    for (size_t n = 0; n < c->end; n++) {
        const formula_entry *e = &c->g->nodes[n];
        if (!c->needed[n])
            continue;
        if (e->op == FORMULA_SIN)
            sine_of[e->a] = (uint32_t)n;
        if (e->op == FORMULA_COS)
            cosine_of[e->a] = (uint32_t)n;
        if ((e->op != FORMULA_ADD && e->op != FORMULA_SUBTRACT) || e->a == e->b)
            continue;
        c->product[n] = is_only_read_here(c, e->b)   ? e->b
                        : is_only_read_here(c, e->a) ? e->a
                                                     : NONE;
    }
    for (size_t a = 0; a < c->end; a++)
        if (sine_of[a] != NONE && cosine_of[a] != NONE) {
            c->partner[sine_of[a]] = cosine_of[a];
            c->partner[cosine_of[a]] = sine_of[a];
        }
    for (size_t n = 0; n < c->end; n++)
        if (c->product[n] != NONE)
            c->needed[c->product[n]] = 0;
}

static void count_uses(compiler *c, size_t count, const formula_node *nodes)
{
    for (size_t n = 0; n < c->end; n++) {
        const formula_entry *e = &c->g->nodes[n];
        size_t arguments = c->needed[n] ? formula_arguments(e->op) : 0;
        if (arguments > 0)
            c->uses[e->a]++;
        if (arguments > 1)
            c->uses[e->b]++;
    }
    for (size_t i = 0; i < count; i++)
        c->uses[nodes[i]]++;
}

static uint32_t take_register(compiler *c)
{
    return c->free_count > 0 ? c->free[--c->free_count] : (uint32_t)c->p->registers++;
}

/* One reader less; the last one gives the register back. Constants stay. */
static void release_use(compiler *c, formula_node n)
{
    if (--c->uses[n] == 0 && c->g->nodes[n].op != FORMULA_CONSTANT && c->place[n] != NONE)
        c->free[c->free_count++] = c->place[n];
}

static uint32_t fused_operation(const compiler *c, formula_node n)
{
    const formula_entry *e = &c->g->nodes[n];
    if (c->product[n] == NONE)
        return e->op;
    if (e->op == FORMULA_ADD)
        return FORMULA_MULTIPLY_ADD;
    return e->a == c->product[n] ? FORMULA_MULTIPLY_SUBTRACT : FORMULA_SUBTRACT_MULTIPLY;
}

static mst_status emit(compiler *c, formula_node n)
{
    formula_program *p = c->p;
    const formula_entry *e = &c->g->nodes[n];
    formula_node from[3] = {0};
    size_t count = sources_of(c, n, from);
    formula_instruction i = {.op = fused_operation(c, n), .a = c->place[from[0]]};
    i.b = count > 1 ? c->place[from[1]] : 0;
    i.c = count > 2 ? c->place[from[2]] : 0;
    c->place[n] = take_register(c);
    i.to = i.other = c->place[n];
    formula_node partner = c->partner[n];
    if (partner != NONE) {
        c->place[partner] = take_register(c);
        i.op = FORMULA_SINE_COSINE;
        i.to = c->place[e->op == FORMULA_SIN ? n : partner];
        i.other = c->place[e->op == FORMULA_SIN ? partner : n];
        release_use(c, from[0]);
    }
    for (size_t k = 0; k < count; k++)
        release_use(c, from[k]);
    MST_TRY(mst_grow(&p->code, p->length, &c->capacity));
    p->code[p->length++] = i;
    return MST_OK;
}

/* Depth first, so that what is computed is soon read. */
static mst_status emit_all(compiler *c, formula_node root)
{
    size_t depth = 0;
    if (c->place[root] == NONE)
        c->stack[depth++] = root;
    while (depth > 0) {
        formula_node n = c->stack[depth - 1], from[3];
        size_t count = sources_of(c, n, from), waiting = NONE;
        for (size_t k = 0; k < count && waiting == NONE; k++)
            if (c->place[from[k]] == NONE)
                waiting = from[k];
        if (waiting != NONE) {
            c->stack[depth++] = (formula_node)waiting;
            continue;
        }
        depth--;
        if (c->place[n] == NONE)
            MST_TRY(emit(c, n));
    }
    return MST_OK;
}

/* Constants have the first registers, which are filled once for all blocks; then come the variables, which
 * are loaded before a block is run and therefore cannot wait in a register that was something else before. */
static mst_status place_inputs(compiler *c)
{
    formula_program *p = c->p;
    MST_TRY(mst_allocate(&p->constants, c->end));
    MST_TRY(mst_allocate(&p->loads, c->end));
    for (size_t n = 0; n < c->end; n++)
        if (c->needed[n] && c->g->nodes[n].op == FORMULA_CONSTANT) {
            c->place[n] = (uint32_t)p->registers++;
            p->constants[p->constants_count++] = c->g->nodes[n].value;
        }
    for (size_t n = 0; n < c->end; n++)
        if (c->needed[n] && c->g->nodes[n].op == FORMULA_VARIABLE) {
            c->place[n] = (uint32_t)p->registers++;
            p->loads[p->loads_count++] = (formula_load){c->place[n], c->g->nodes[n].a};
        }
    return MST_OK;
}

static mst_status compile(compiler *c, size_t count, const formula_node *nodes)
{
    uint32_t *memory;
    size_t end = c->end;
    MST_TRY(mst_allocate(&memory, 8 * end));
    memset(memory, 0xff, 8 * end * sizeof *memory); /* NONE */
    c->uses = memory;
    c->product = memory + end;
    c->partner = memory + 2 * end;
    c->place = memory + 3 * end;
    c->free = memory + 4 * end;
    c->stack = memory + 7 * end;
    memset(c->uses, 0, end * sizeof *c->uses);
    count_uses(c, count, nodes);
    fuse(c, memory + 5 * end, memory + 6 * end);
    mst_status status = place_inputs(c);
    for (size_t i = 0; status == MST_OK && i < count; i++)
        status = emit_all(c, nodes[i]);
    for (size_t i = 0; status == MST_OK && i < count; i++)
        c->p->results[i] = c->place[nodes[i]];
    mst_release(memory);
    return status;
}

mst_status formula_compile(formula_program *p, const formula_graph *g, size_t count,
                           const formula_node *nodes)
{
    *p = (formula_program){.outputs = count};
    compiler c = {.g = g, .p = p};
    MST_TRY(mst_allocate(&p->results, count));
    MST_TRY(formula_reach(g, count, nodes, &c.needed, &c.end));
    mst_status status = compile(&c, count, nodes);
    mst_release(c.needed);
    return status;
}

/* ---- Running ---- */

static void fill_constants(const formula_program *p, size_t rows, double *registers)
{
    for (size_t k = 0; k < p->constants_count; k++)
        for (size_t i = 0; i < rows; i++)
            registers[k * FORMULA_ROWS + i] = p->constants[k];
}

size_t formula_room(const formula_program *p)
{
    return p->registers * FORMULA_ROWS;
}

void formula_prepare(const formula_program *p, double *registers)
{
    fill_constants(p, FORMULA_ROWS, registers);
}

void formula_run_in(const formula_program *p, size_t n, const formula_input *in,
                    const formula_output *out, double *registers)
{
    const struct formula_kernels *kernels = MST_PICK(formula_kernels);
    for (size_t at = 0; at < n; at += FORMULA_ROWS) {
        size_t count = n - at < FORMULA_ROWS ? n - at : FORMULA_ROWS, rows = (count + 7) / 8 * 8;
        for (size_t k = 0; k < p->loads_count; k++) {
            const formula_input *from = &in[p->loads[k].variable];
            double *to = registers + (size_t)p->loads[k].to * FORMULA_ROWS;
            kernels->gather(count, from->stride, from->base + at * from->stride, to);
            for (size_t i = count; i < rows; i++) /* rows beyond repeat the last */
                to[i] = to[count - 1];
        }
        kernels->run(p->length, p->code, rows, registers);
        for (size_t k = 0; k < p->outputs; k++) {
            const double *from = registers + (size_t)p->results[k] * FORMULA_ROWS;
            if (out[k].base != NULL)
                kernels->scatter(count, out[k].stride, from, out[k].base + at * out[k].stride);
        }
    }
}

mst_status formula_run(const formula_program *p, size_t n, const formula_input *in,
                       const formula_output *out)
{
    double *registers;
    if (n == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&registers, formula_room(p)));
    fill_constants(p, n < FORMULA_ROWS ? (n + 7) / 8 * 8 : FORMULA_ROWS, registers);
    formula_run_in(p, n, in, out, registers);
    mst_release(registers);
    return MST_OK;
}

mst_status formula_run_blocks(const formula_program *p, size_t n, size_t ins,
                              const formula_block *in, size_t outs, const formula_block_out *out)
{
    enum { USUAL = 64 };
    formula_input few[USUAL], *inputs = few;
    formula_output some[USUAL], *outputs = some;
    size_t variables = 0, results = 0;
    for (size_t b = 0; b < ins; b++)
        variables += in[b].columns;
    for (size_t b = 0; b < outs; b++)
        results += out[b].columns;
    mst_status status = variables > USUAL ? mst_allocate(&inputs, variables) : MST_OK;
    if (status == MST_OK && results > USUAL)
        status = mst_allocate(&outputs, results);
    formula_input *next = inputs;
    formula_output *to = outputs;
    for (size_t b = 0; status == MST_OK && b < ins; b++)
        for (size_t k = 0; k < in[b].columns; k++)
            *next++ = (formula_input){in[b].base + k, in[b].columns};
    for (size_t b = 0; status == MST_OK && b < outs; b++)
        for (size_t k = 0; k < out[b].columns; k++)
            *to++ = (formula_output){out[b].base == NULL ? NULL : out[b].base + k, out[b].columns};
    if (status == MST_OK)
        status = formula_run(p, n, inputs, outputs);
    if (inputs != few)
        mst_release(inputs);
    if (outputs != some && results > USUAL)
        mst_release(outputs);
    return status;
}
