/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "text.h"

#include <ctype.h>
#include <string.h>

/* Text with what roff would take for its own escaped: backslashes, hyphens (which would become
 * typographic ones that cannot be pasted into a shell) and dots and quotes at the start of a line. */
static void print_escaped(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        line_start = *text == '\n';
        switch (*text) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case '^':
            fputs("\\(ha", out);
            break;
        case '~':
            fputs("\\(ti", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void print_paragraphs(FILE *out, const char *text)
{
    for (;;) {
        const char *gap = strstr(text, "\n\n");
        if (gap == NULL)
            break;
        char paragraph[2048];
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)(gap - text), text);
        print_escaped(out, paragraph);
        fputs("\n.PP\n", out);
        text = gap + 2;
    }
    print_escaped(out, text);
    fputc('\n', out);
}

static void print_upper(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fputc(toupper((unsigned char)*text), out);
}

/* The first lines of a page; `name` is null for the main one. */
static void print_head(FILE *out, const char *name, const char *summary)
{
    fputs(".TH MANISTAT", out);
    if (name != NULL) {
        fputc('-', out);
        print_upper(out, name);
    }
    fprintf(out, " 1 \"\" \"manistat %s\" \"User Commands\"\n.SH NAME\nmanistat", mst_version());
    if (name != NULL)
        fprintf(out, "\\-%s", name);
    fputs(" \\- ", out);
    print_escaped(out, summary);
    fputs("\n.SH SYNOPSIS\n.B manistat\n", out);
}

static void print_example_section(FILE *out, const example *examples)
{
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; examples[i].line != NULL; i++) {
        fputs(i > 0 ? ".PP\n" : "", out);
        print_escaped(out, examples[i].what);
        fputs("\n.PP\n.in +4n\n.EX\n", out);
        print_escaped(out, examples[i].line);
        fputs("\n.EE\n.in\n", out);
    }
}

static void print_option_section(FILE *out, const option *const *options)
{
    const char *group = "";
    fputs(".SH OPTIONS\n", out);
    const option *o;
    for (size_t i = 0; (o = option_in_order(options, i)) != NULL; i++) {
        if (strcmp(option_group(o), group) != 0) {
            group = option_group(o);
            if (o->group != NULL)
                fprintf(out, ".SS %s\n", group);
        }
        char heading[OPTION_WORD], text[OPTION_TEXT_SIZE];
        fputs(".TP\n.B ", out);
        print_escaped(out, option_heading(o, heading));
        fputc('\n', out);
        print_escaped(out, option_text(o, text));
        fputc('\n', out);
    }
}

static void print_exit_section(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; exit_meanings[i].status != NULL; i++)
        fprintf(out, ".TP\n.B %s\n%s\n", exit_meanings[i].status, exit_meanings[i].meaning);
}

/* The commands that this one's text speaks of. */
static void print_neighbours(FILE *out, const command *c)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        char words[64];
        bool named = false;
        snprintf(words, sizeof words, "manistat %s", commands[i]->name);
        for (size_t k = 0; c->examples[k].line != NULL; k++)
            named = named || strstr(c->examples[k].line, words) != NULL ||
                    strstr(c->examples[k].what, words) != NULL;
        if (commands[i] != c && (named || strstr(c->description, words) != NULL))
            fprintf(out, ",\n.BR manistat\\-%s (1)", commands[i]->name);
    }
}

static void print_command_page(FILE *out, const command *c)
{
    print_head(out, c->name, c->summary);
    fprintf(out, ".B %s\n", c->name);
    print_escaped(out, c->usage);
    fputs("\n.SH DESCRIPTION\n", out);
    print_paragraphs(out, c->description);
    print_option_section(out, c->options);
    print_example_section(out, c->examples);
    print_exit_section(out);
    fputs(".SH SEE ALSO\n.BR manistat (1)", out);
    print_neighbours(out, c);
    fputs(",\n.BR manistat\\-files (5),\n.BR manistat\\-formulas (5)\n", out);
}

static void print_main_page(FILE *out)
{
    print_head(out, NULL, "statistics of data on curved spaces");
    fputs(".I COMMAND\n[options] [FILE...]\n.SH DESCRIPTION\n", out);
    print_paragraphs(out, general_description);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, ".TP\n.BR manistat\\-%s (1)\n", commands[i]->name);
        print_escaped(out, commands[i]->summary);
        fputc('\n', out);
    }
    print_example_section(out, first_steps);
    print_exit_section(out);
    fputs(".SH ENVIRONMENT\n.TP\n.B MANISTAT_ISA\n"
          "generic or v3 (AVX2): use no better instruction set than this one. Results are the same "
          "bytes on machines that use the same one.\n"
          ".TP\n.BR MANISTAT_THREADS ,\\ OMP_NUM_THREADS\n"
          "The number of threads where --threads does not say it; the first of the two counts. In "
          "all cases "
          "at most one thread works per core that the process may use: processor affinity "
          "and the quota of its control group limit it.\n",
          out);
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, ".BR manistat\\-%s (1),\n", commands[i]->name);
    fputs(".BR manistat\\-files (5),\n.BR manistat\\-formulas (5)\n", out);
}

void print_manual(FILE *out, const command *c)
{
    if (c != NULL)
        print_command_page(out, c);
    else
        print_main_page(out);
}
