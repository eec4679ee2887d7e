/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Values, gradients and Hessians of random formulas against SymPy, which shares nothing with this code;
 * skipped where there is none. */
#include "formula/formula_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { COUNT = 100, NUMBERS = 1 + VARIABLES + VARIABLES * VARIABLES };

/* The value, its gradient by reverse mode and the derivatives of that along each variable. */
static void differentiate(const char *written, const double *x, double *out)
{
    formula f;
    formula_node nodes[NUMBERS], seeds[VARIABLES];
    formula_program p;
    ASSERT_OK(read_formula(&f, written));
    nodes[0] = f.node;
    ASSERT_OK(formula_gradient(&f.graph, f.node, 0, VARIABLES, nodes + 1));
    for (size_t k = 0; k < VARIABLES; k++) {
        for (size_t j = 0; j < VARIABLES; j++)
            ASSERT_OK(formula_constant(&f.graph, j == k, &seeds[j]));
        ASSERT_OK(formula_tangents(&f.graph, VARIABLES, seeds, VARIABLES, nodes + 1,
                                   nodes + 1 + VARIABLES * (k + 1)));
    }
    ASSERT_OK(formula_compile(&p, &f.graph, NUMBERS, nodes));
    ASSERT_OK(formula_run_blocks(&p, 1, 1, &(formula_block){VARIABLES, x}, 1,
                                 &(formula_block_out){NUMBERS, out}));
    formula_program_release(&p);
    close_formula(&f);
}

static FILE *ask(void)
{
    char command[600];
    snprintf(command, sizeof command, "python3 -B %s/../formula/sympy_derivatives.py %d",
             MST_TEST_DATA, COUNT);
    return popen(command, "r");
}

START_TEST(derivatives_are_those_of_sympy)
{
    static char line[20000];
    size_t lines = 0;
    FILE *from = ask();
    ck_assert(from != NULL);
    while (fgets(line, sizeof line, from) != NULL) {
        double x[VARIABLES], want[NUMBERS], got[NUMBERS], size = 1;
        char *at = strchr(line, '\t');
        ck_assert_msg(at != NULL, "line %zu", lines + 1);
        *at++ = '\0';
        for (size_t k = 0; k < VARIABLES; k++)
            x[k] = strtod(at, &at);
        for (size_t k = 0; k < NUMBERS; k++)
            size = fmax(size, fabs(want[k] = strtod(at, &at)));
        differentiate(line, x, got);
        /* Numbers of a formula of depth 3 are some hundred roundings away from its arguments, and
         * larger ones on the way may cancel. */
        for (size_t k = 0; k < NUMBERS; k++)
            assert_near(got[k], want[k], 1e-11 * size, "%s, number %zu", line, k);
        lines++;
    }
    int end = pclose(from);
    ck_assert_msg(WIFEXITED(end) && WEXITSTATUS(end) == 0 && lines == COUNT,
                  "the script ended with %d after %zu lines", end, lines);
}
END_TEST

int main(void)
{
    int there = system("python3 -c 'import sympy' 2>/dev/null");
    if (there != 0) {
        printf("there is no SymPy\n");
        return 77;
    }
    return RUN_SUITE("derivatives by SymPy", 1500, {derivatives_are_those_of_sympy, 0});
}
