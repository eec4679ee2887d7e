/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "options.h"

#include "commands.h"
#include "provenance.h"
#include "util/number_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *option_word(const option *o, char word[OPTION_WORD])
{
    if (o->name != NULL)
        snprintf(word, OPTION_WORD, "--%s", o->name);
    else
        snprintf(word, OPTION_WORD, "-%c", o->letter);
    return word;
}

const option_value *option_get(const invocation *inv, const option *o)
{
    static const option_value none;
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (inv->command->options[i] == o)
            return &inv->values[i];
    return &none;
}

bool option_given(const invocation *inv, const option *o)
{
    return option_get(inv, o)->given;
}

const command *find_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static bool parse_count(const char *text, uint64_t *count)
{
    const uint64_t limit = UINT64_C(1) << 53; /* whole doubles are exact up to here */
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && text[digits] == '\0') {
        *count = 0;
        for (size_t i = 0; i < digits; i++)
            if (__builtin_mul_overflow(*count, UINT64_C(10), count) ||
                __builtin_add_overflow(*count, (uint64_t)(text[i] - '0'), count))
                return false;
        return true;
    }
    double x;
    if (!mst_parse_double(text, strlen(text), &x) || !(x >= 0) || x > (double)limit ||
        floor(x) != x)
        return false;
    *count = (uint64_t)x;
    return true;
}

static mst_status set_count(const option *o, const char *word, const char *text, uint64_t *count)
{
    if (parse_count(text, count) && *count >= o->minimum && *count <= o->maximum)
        return MST_OK;
    if (o->maximum == UINT64_MAX)
        return mst_fail(MST_ARGUMENT,
                        "%s must be a whole number, %" PRIu64 " or more, not '%s'; for example "
                        "%s %s",
                        word, o->minimum, text, word, o->example);
    return mst_fail(MST_ARGUMENT,
                    "%s must be a whole number from %" PRIu64 " to %" PRIu64
                    ", not '%s'; for example %s %s",
                    word, o->minimum, o->maximum, text, word, o->example);
}

/* A number, or a word where the option has some: the number is then 0. */
static mst_status set_positive(const option *o, const char *word, const char *text, double *number)
{
    char words[64] = "";
    size_t used = 0;
    *number = 0;
    for (size_t i = 0; o->choices != NULL && o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], text) == 0)
            return MST_OK;
        if (used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s or ", o->choices[i]);
    }
    if (!mst_parse_double(text, strlen(text), number))
        return mst_fail(MST_ARGUMENT, "%s must be %sa number, not '%s'; for example %s %s", word,
                        words, text, word, o->example);
    if (!(*number > 0) || isinf(*number))
        return mst_fail(MST_ARGUMENT, "%s must be positive and finite, not %s; for example %s %s",
                        word, text, word, o->example);
    return MST_OK;
}

static mst_status set_share(const option *o, const char *word, const char *text,
                            option_value *value)
{
    char words[64] = "";
    size_t used = 0;
    for (size_t i = 0; o->choices[i] != NULL; i++) {
        value->choice = i + 1;
        if (strcmp(o->choices[i], text) == 0)
            return MST_OK;
        if (used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s, ", o->choices[i]);
    }
    value->choice = 0;
    if (mst_parse_double(text, strlen(text), &value->number) && value->number >= 0 &&
        value->number <= 1)
        return MST_OK;
    return mst_fail(MST_ARGUMENT,
                    "%s must be %sor a number from 0 to 1, not '%s'; for example %s %s", word,
                    words, text, word, o->example);
}

static mst_status set_choice(const option *o, const char *word, const char *text, size_t *choice)
{
    char list[256] = "";
    size_t used = 0;
    for (size_t i = 0; o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            *choice = i;
            return MST_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                     o->choices[i]);
    }
    return mst_fail(MST_ARGUMENT, "%s cannot be '%s'; choose one of %s", word, text, list);
}

static mst_status set_value(const option *o, const char *text, option_value *value)
{
    char word[OPTION_WORD];
    option_word(o, word);
    value->text = text;
    switch (o->kind) {
    case OPTION_COUNT:
        return set_count(o, word, text, &value->count);
    case OPTION_POSITIVE:
        return set_positive(o, word, text, &value->number);
    case OPTION_SHARE:
        return set_share(o, word, text, value);
    case OPTION_CHOICE:
        return set_choice(o, word, text, &value->choice);
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_MANIFOLD:
        if (text[0] == '\0')
            return mst_fail(MST_ARGUMENT, "the value of %s is empty; for example %s %s", word, word,
                            o->example);
        return MST_OK;
    case OPTION_FLAG:
        break;
    }
    return MST_OK;
}

static mst_status unknown_option(const invocation *inv, const char *argument)
{
    char words[OPTION_LIMIT][OPTION_WORD];
    const char *list[OPTION_LIMIT + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (!inv->command->options[i]->hidden) {
            list[count] = option_word(inv->command->options[i], words[count]);
            count++;
        }
    int length = (int)strcspn(argument, "=");
    char mistyped[OPTION_WORD];
    snprintf(mistyped, sizeof mistyped, "%.*s", length, argument);
    const char *near = closest_word(mistyped, list);
    if (near != NULL)
        return mst_fail(MST_ARGUMENT, "unknown option '%.*s'; did you mean '%s'?", length, argument,
                        near);
    return mst_fail(MST_ARGUMENT, "unknown option '%.*s'; 'manistat %s --help' lists the options",
                    length, argument, inv->command->name);
}

/* The index of the option that an argument such as --seed=3 or -n5 names; *attached is its value inside
 * the argument or null. */
static bool find_option(const command *c, const char *argument, size_t *index,
                        const char **attached)
{
    bool is_long = argument[1] == '-';
    size_t length = strcspn(argument, "=");
    for (*index = 0; c->options[*index] != NULL; (*index)++) {
        const option *o = c->options[*index];
        if (is_long && o->name != NULL && strlen(o->name) == length - 2 &&
            memcmp(argument + 2, o->name, length - 2) == 0) {
            *attached = argument[length] == '=' ? argument + length + 1 : NULL;
            return true;
        }
        if (!is_long && o->letter == argument[1] && o->letter != '\0') {
            *attached = argument[2] != '\0' ? argument + 2 : NULL;
            return true;
        }
    }
    return false;
}

/* One option at argv[*at], with its value there or in the next argument. */
static mst_status take_option(invocation *inv, int argc, char **argv, int *at, bool *idle)
{
    const char *argument = argv[*at];
    size_t index;
    const char *text;
    if (!find_option(inv->command, argument, &index, &text))
        return unknown_option(inv, argument);
    const option *o = inv->command->options[index];
    option_value *value = &inv->values[index];
    char word[OPTION_WORD];
    option_word(o, word);
    value->given = true;
    *idle = o->idle;
    if (o->kind == OPTION_FLAG) {
        if (text != NULL)
            return mst_fail(MST_ARGUMENT, "%s takes no value; leave out '%s'", word, text);
        return MST_OK;
    }
    if (text == NULL) {
        /* A value may begin with one dash (-1,0,0 or standard input), but two are the next option. */
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return mst_fail(MST_ARGUMENT, "%s needs a value; for example %s %s", word, word,
                            o->example);
        text = argv[++*at];
    }
    if (o->repeats && inv->repeat_count == REPEAT_LIMIT)
        return mst_fail(MST_ARGUMENT, "%s is given more than %d times; take a file", word,
                        (int)REPEAT_LIMIT);
    if (o->repeats)
        inv->repeated[inv->repeat_count++] = text;
    return set_value(o, text, value);
}

mst_status parse_arguments(invocation *inv, int argc, char **argv)
{
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        if (o->fallback != NULL) {
            mst_status status = set_value(o, o->fallback, &inv->values[i]);
            if (status != MST_OK)
                return status;
        }
    }
    inv->operands = argv;
    bool options_ended = false;
    for (int at = 0; at < argc; at++) {
        char *argument = argv[at];
        if (!options_ended && strcmp(argument, "--") == 0) {
            options_ended = true;
            typed(inv, 1, argv + at);
        } else if (!options_ended && argument[0] == '-' && argument[1] != '\0') {
            int first = at;
            bool idle = false;
            mst_status status = take_option(inv, argc, argv, &at, &idle);
            if (status != MST_OK)
                return status;
            if (!idle)
                typed(inv, at - first + 1, argv + first);
        } else {
            typed(inv, 1, &argument);
            argv[inv->operand_count++] = argument;
        }
    }
    return MST_OK;
}

mst_status check_required(const invocation *inv)
{
    const command *c = inv->command;
    char word[OPTION_WORD];
    for (size_t i = 0; c->options[i] != NULL; i++) {
        const option *o = c->options[i];
        if (o->required && !inv->values[i].given)
            return mst_fail(MST_ARGUMENT, "%s %s is missing; for example %s %s",
                            option_word(o, word), o->value, word, o->example);
    }
    if (inv->operand_count > c->max_operands)
        return mst_fail(MST_ARGUMENT, "unexpected argument '%s'; usage: manistat %s %s",
                        inv->operands[c->max_operands], c->name, c->usage);
    return MST_OK;
}
