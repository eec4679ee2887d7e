/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "text.h"

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const option option_man = {
    .name = "man", .kind = OPTION_FLAG, .hidden = true, .help = "print a manual page in roff"};

static const option option_list = {
    .name = "list", .kind = OPTION_FLAG, .hidden = true, .help = "print the names of the commands"};

static const option option_completion = {
    .name = "completion",
    .kind = OPTION_CHOICE,
    .choices = shells,
    .hidden = true,
    .value = "SHELL",
    .example = "bash",
    .help = "print the completion script of a shell",
};

static mst_status run(invocation *inv)
{
    void (*const completion[])(FILE *) = {print_completion_bash, print_completion_zsh,
                                          print_completion_fish};
    const command *c = NULL;
    if (inv->operand_count > 0) {
        c = find_command(inv->operands[0]);
        if (c == NULL)
            return unknown_command(inv->operands[0]);
    }
    if (option_given(inv, &option_list))
        for (size_t i = 0; commands[i] != NULL; i++)
            puts(commands[i]->name);
    else if (option_given(inv, &option_completion))
        completion[option_get(inv, &option_completion)->choice](stdout);
    else if (option_given(inv, &option_man))
        print_manual(stdout, c);
    else if (c != NULL)
        print_command_help(stdout, c);
    else
        print_general_help(stdout);
    return MST_OK;
}

const command command_help = {
    .name = "help",
    .summary = "explains a command",
    .usage = "[COMMAND]",
    .description = "Prints what a command does, examples and its options, as 'manistat COMMAND "
                   "--help' does; without a command, the list of all.",
    .options = (const option *const[]){&option_man, &option_list, &option_completion, &option_help,
                                       &option_version, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"All commands:", "manistat help"},
            {"One of them:", "manistat help sample"},
            {NULL, NULL},
        },
    .run = run,
};
