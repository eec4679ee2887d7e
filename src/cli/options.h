/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The option-table mechanism. A command is one table: name, texts, options, examples and what to run. From
 * the tables come the parser, --help, the manual pages and shell completion, so the four cannot disagree. */
#ifndef MST_CLI_OPTIONS_H
#define MST_CLI_OPTIONS_H

#include <manistat.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,     /* takes no value */
    OPTION_TEXT,     /* any text */
    OPTION_FILE,     /* the name of a file */
    OPTION_MANIFOLD, /* a manifold spec */
    OPTION_COUNT,    /* a whole number, minimum … maximum; 1e6 is one too */
    OPTION_POSITIVE, /* a finite number above zero, or one of `choices` if it has some */
    OPTION_SHARE,  /* a number from 0 to 1 (`choice` is 0), or one of `choices` (counted from 1) */
    OPTION_CHOICE, /* one of `choices` */
} option_kind;

typedef struct option {
    const char *name; /* "manifold" for --manifold, or null */
    char letter;      /* 'n' for -n, or 0 */
    bool required;
    bool hidden;  /* accepted, but not in help */
    bool writes;  /* of a file: the command writes it */
    bool reads;   /* of a text: it may name a file that is read */
    bool repeats; /* may be given several times, and all values count; one option of a command */
    bool idle;    /* changes no result, and so is no part of how one was made */
    option_kind kind;
    const char *value;          /* what help calls the value: "SPEC" */
    const char *help;           /* phrases; the default is added by itself */
    const char *group;          /* heading in help; null: "Options" */
    const char *fallback;       /* the value if none is given, as it would be typed; null: none */
    const char *example;        /* a value for messages */
    const char *const *choices; /* ends with null */
    uint64_t minimum, maximum;  /* of a count */
} option;

typedef struct example {
    const char *what; /* a phrase that ends with a colon */
    const char *line; /* "manistat sample …"; tests run it */
} example;

typedef struct invocation invocation;

typedef struct command {
    const char *name;
    const char *summary;          /* one phrase, lower case */
    const char *usage;            /* what follows "manistat NAME " */
    const char *description;      /* paragraphs, a blank line between them */
    const option *const *options; /* ends with null */
    size_t max_operands;
    const example *examples; /* ends with a null line */
    /* Tells what a file or a space is, and estimates nothing: its JSON does not say how it was made. */
    bool describes;
    mst_status (*run)(invocation *inv);
} command;

typedef struct option_value {
    bool given; /* on the command line, not by default */
    bool read;  /* names a file that is read here, though the option is one that writes */
    const char *text;
    uint64_t count;
    double number;
    size_t choice;
} option_value;

enum { OPTION_LIMIT = 48, REPEAT_LIMIT = 32 };

/* One call of the program. */
struct invocation {
    const command *command;
    option_value values[OPTION_LIMIT];  /* beside command->options */
    const char *repeated[REPEAT_LIMIT]; /* the values of the option that repeats */
    size_t repeat_count;
    char **operands;
    size_t operand_count;
    double started;              /* seconds on a clock that never goes back */
    bool output_failed;          /* the failure was in writing, which has its own exit status */
    bool stopped_well;           /* interrupted, but with something to show; the detail says what */
    struct shrink_tally *shrunk; /* what --shrink has done, of all files */
    struct provenance *made_by;  /* what was typed and read; null: nobody will ask */
    struct messages *said;       /* on standard error, for JSON */
    char *made_manifold;         /* what a command has put in the place of --manifold, or null */
};

/* The arguments after the command's name; argv is reordered, operands first. Required options are not
 * looked at, so that --help works without them. MST_ARGUMENT with the detail. */
MST_MUST_USE mst_status parse_arguments(invocation *inv, int argc, char **argv);
MST_MUST_USE mst_status check_required(const invocation *inv);

/* Values by the option's address; an option that the command does not take counts as not given. */
const option_value *option_get(const invocation *inv, const option *o);
bool option_given(const invocation *inv, const option *o);

/* "--manifold" or "-n". */
#define OPTION_WORD 64
const char *option_word(const option *o, char word[OPTION_WORD]);

/* The command of that name, or null. */
const command *find_command(const char *name);
/* The entry closest to a mistyped word, or null if none is near. */
const char *closest_word(const char *word, const char *const *words);

#endif
