/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "text.h"

#include <string.h>

enum { LINE_WIDTH = 79, OPTION_COLUMN = 22 };

const char *const general_description =
    "manistat computes with points that live on a curved space: directions, rotations, "
    "covariance matrices, shapes. Points are rows of numbers in CSV, TSV or NPY files, the space "
    "is named by --manifold.\n\n"
    "Results go to standard output (or to the file of -o), everything else to standard error. "
    "'-' as a file name is standard input or output. No existing file is overwritten without "
    "--force. Random results depend on --seed only, never on the number of threads.";

const exit_meaning exit_meanings[] = {
    {"0", "success"},
    {"1", "an iteration did not converge; the result is printed anyway"},
    {"2", "wrong usage or bad input"},
    {"3", "could not compute, or could not write the result"},
    {"130", "interrupted"},
    {NULL, NULL},
};

const example first_steps[] = {
    {"Which spaces are there?", "manistat manifolds"},
    {"A thousand random points around the north pole of the sphere:",
     "manistat sample --manifold sphere:2 --time 0.1 -n 1000 -o points.csv"},
    {"How far each of them is from the pole:",
     "echo 0,0,1 | manistat dist --manifold sphere:2 - points.csv"},
    {"Where did they start, how long did they run, and how sure is that?",
     "manistat mean --manifold sphere:2 points.csv"},
    {NULL, NULL},
};

size_t text_width(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void print_wrapped(FILE *out, const char *text, size_t indent, size_t column)
{
    bool fresh = true; /* nothing on this line yet */
    while (*text != '\0') {
        if (*text == '\n') {
            fputc('\n', out);
            column = 0;
            fresh = true;
            text++;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        size_t width = text_width(text, length);
        if (!fresh && column + 1 + width > LINE_WIDTH) {
            fputc('\n', out);
            column = 0;
            fresh = true;
        }
        if (fresh && column < indent)
            column += (size_t)fprintf(out, "%*s", (int)(indent - column), "");
        fprintf(out, "%s%.*s", fresh ? "" : " ", (int)length, text);
        column += width + !fresh;
        fresh = false;
        text += length;
    }
    fputc('\n', out);
}

const char *option_heading(const option *o, char heading[OPTION_WORD])
{
    char letter[8] = "";
    if (o->letter != '\0')
        snprintf(letter, sizeof letter, "-%c%s", o->letter, o->name != NULL ? ", " : "");
    snprintf(heading, OPTION_WORD, "%s%s%s%s%s", letter, o->name != NULL ? "--" : "",
             o->name != NULL ? o->name : "", o->value != NULL ? " " : "",
             o->value != NULL ? o->value : "");
    return heading;
}

const char *option_text(const option *o, char text[OPTION_TEXT_SIZE])
{
    /* The default is in the text already where it is standard output. */
    if (o->fallback != NULL && strcmp(o->fallback, "-") != 0)
        snprintf(text, OPTION_TEXT_SIZE, "%s (default: %s)", o->help, o->fallback);
    else
        snprintf(text, OPTION_TEXT_SIZE, "%s", o->help);
    return text;
}

const char *option_group(const option *o)
{
    return o->group != NULL ? o->group : "Options";
}

void print_entry(FILE *out, const char *heading, const char *text)
{
    size_t column = 2 + text_width(heading, strlen(heading));
    fprintf(out, "  %s", heading);
    if (column >= OPTION_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    print_wrapped(out, text, OPTION_COLUMN, column);
}

/* Does an earlier option stand under the same heading? */
static bool is_later_of_group(const option *const *options, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!options[k]->hidden && strcmp(option_group(options[k]), option_group(options[i])) == 0)
            return true;
    return false;
}

const option *option_in_order(const option *const *options, size_t number)
{
    for (size_t i = 0; options[i] != NULL; i++) {
        if (options[i]->hidden || is_later_of_group(options, i))
            continue;
        for (size_t k = i; options[k] != NULL; k++)
            if (!options[k]->hidden &&
                strcmp(option_group(options[k]), option_group(options[i])) == 0 && number-- == 0)
                return options[k];
    }
    return NULL;
}

static void print_options(FILE *out, const option *const *options)
{
    const char *group = "";
    const option *o;
    for (size_t i = 0; (o = option_in_order(options, i)) != NULL; i++) {
        if (strcmp(option_group(o), group) != 0) {
            group = option_group(o);
            fprintf(out, "\n%s:\n", group);
        }
        char heading[OPTION_WORD], text[OPTION_TEXT_SIZE];
        print_entry(out, option_heading(o, heading), option_text(o, text));
    }
}

static void print_examples(FILE *out, const char *heading, const example *examples)
{
    fprintf(out, "\n%s:\n", heading);
    for (size_t i = 0; examples[i].line != NULL; i++)
        fprintf(out, "  %s\n    %s\n", examples[i].what, examples[i].line);
}

void print_command_help(FILE *out, const command *c)
{
    fprintf(out, "manistat %s: %s\n\nUsage: manistat %s %s\n\n", c->name, c->summary, c->name,
            c->usage);
    print_wrapped(out, c->description, 0, 0);
    print_examples(out, "Examples", c->examples);
    print_options(out, c->options);
}

void print_general_help(FILE *out)
{
    fprintf(out, "manistat %s: statistics of data on curved spaces\n\n", mst_version());
    fprintf(out, "Usage: manistat COMMAND [options] [FILE...]\n\nCommands:\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
    print_examples(out, "First steps", first_steps);
    fputc('\n', out);
    print_wrapped(out, general_description, 0, 0);
    fprintf(out, "\n'manistat COMMAND --help' explains a command, with examples.\n");
}

mst_status unknown_command(const char *name)
{
    const char *names[64] = {NULL};
    for (size_t i = 0; commands[i] != NULL && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = commands[i]->name;
    const char *near = closest_word(name, names);
    if (near != NULL)
        return mst_fail(MST_ARGUMENT, "unknown command '%s'; did you mean '%s'?", name, near);
    return mst_fail(MST_ARGUMENT, "unknown command '%s'; 'manistat --help' lists the commands",
                    name);
}
