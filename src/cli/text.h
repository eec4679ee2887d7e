/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Texts made from the command tables. */
#ifndef MST_CLI_TEXT_H
#define MST_CLI_TEXT_H

#include "options.h"

#include <stdio.h>

/* Columns on the screen: bytes of UTF-8 that begin a character. */
size_t text_width(const char *text, size_t length);

/* Fills lines of 79 columns with the words of `text`, each line after the first behind `indent` blanks; the
 * first begins at column `column`. A line feed in the text ends the line, two leave a blank one. */
void print_wrapped(FILE *out, const char *text, size_t indent, size_t column);

/* An entry of a list: the heading on the left, the text on the right. */
void print_entry(FILE *out, const char *heading, const char *text);

/* What shell completion, manual and help all say about one option: its help and its default. */
#define OPTION_TEXT_SIZE 1024
const char *option_text(const option *o, char text[OPTION_TEXT_SIZE]);
/* "--seed N", "-h, --help". */
const char *option_heading(const option *o, char heading[OPTION_WORD]);
/* The heading that the option stands under. */
const char *option_group(const option *o);
/* The option with this number among those that are not hidden, which stand heading after heading; or null. */
const option *option_in_order(const option *const *options, size_t number);

/* What each exit status means; ends with a null. */
typedef struct exit_meaning {
    const char *status, *meaning;
} exit_meaning;
extern const exit_meaning exit_meanings[];
extern const char *const general_description;
extern const example first_steps[];

void print_general_help(FILE *out);
void print_command_help(FILE *out, const command *c);
/* Manual pages in man(7) roff; a null command is the main page. */
void print_manual(FILE *out, const command *c);
void print_completion_bash(FILE *out);
void print_completion_zsh(FILE *out);
void print_completion_fish(FILE *out);

mst_status unknown_command(const char *name);

#endif
