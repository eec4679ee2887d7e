/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* From the words of a command line to the command. */
#include "program.h"

#include "commands.h"
#include "common.h"
#include "result.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_ADDRESS(name) &command_##name,
const command *const commands[] = {COMMAND_LIST(COMMAND_ADDRESS) NULL};
#undef COMMAND_ADDRESS

/* A file of -o that ends in .json is to hold JSON, with --json or without. */
static void json_by_ending(invocation *inv)
{
    const char *path = option_get(inv, &option_output)->text;
    size_t length = path != NULL ? strlen(path) : 0;
    if (length < 5 || strcmp(path + length - 5, ".json") != 0)
        return;
    for (size_t i = 0; inv->command->options[i] != NULL; i++)
        if (inv->command->options[i] == &option_json)
            inv->values[i].given = true;
}

static mst_status run_command(invocation *inv, int argc, char **argv)
{
    mst_status status = parse_arguments(inv, argc, argv);
    if (status != MST_OK)
        return status;
    if (option_given(inv, &option_help)) {
        print_command_help(stdout, inv->command);
        return MST_OK;
    }
    if (option_given(inv, &option_version)) {
        printf("manistat %s\n", mst_version());
        return MST_OK;
    }
    json_by_ending(inv);
    status = check_required(inv);
    if (status == MST_OK)
        status = json_close(inv, inv->command->run(inv));
    free(inv->made_manifold);
    return status;
}

mst_status run_program(invocation *inv, int argc, char **argv)
{
    if (argc < 2)
        return mst_fail(MST_ARGUMENT, "no command given; 'manistat --help' lists them");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_general_help(stdout);
        return MST_OK;
    }
    if (strcmp(name, "--version") == 0) {
        printf("manistat %s\n", mst_version());
        return MST_OK;
    }
    if (name[0] == '-')
        return mst_fail(MST_ARGUMENT,
                        "option '%s' comes before the command; write manistat COMMAND %s", name,
                        name);
    inv->command = find_command(name);
    if (inv->command == NULL)
        return unknown_command(name);
    return run_command(inv, argc - 2, argv + 2);
}
