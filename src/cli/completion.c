/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "text.h"

#include <string.h>

/* One of the words in a list; zsh and fish want colons and parentheses escaped. */
static void print_listed(FILE *out, const char *word, bool first, bool escape)
{
    if (!first)
        fputc(' ', out);
    for (; *word != '\0'; word++)
        fprintf(out, "%s%c", escape && strchr(":()", *word) != NULL ? "\\" : "", *word);
}

/* The values that completion can offer, or nothing. */
static void print_values(FILE *out, const option *o, bool escape)
{
    const mst_manifold_family *families;
    size_t count = o->kind == OPTION_MANIFOLD ? mst_manifold_families(&families) : 0;
    for (size_t i = 0; i < count; i++)
        print_listed(out, families[i].example, i == 0, escape);
    for (size_t i = 0; o->choices != NULL && o->choices[i] != NULL; i++)
        print_listed(out, o->choices[i], i == 0, escape);
}

static bool has_values(const option *o)
{
    return o->kind == OPTION_MANIFOLD || o->choices != NULL;
}

static bool has_file(const option *o)
{
    return o->kind == OPTION_FILE || o->kind == OPTION_TEXT;
}

static void print_command_names(FILE *out)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", commands[i]->name);
}

/* What the operands of the command name, as its usage line says. */
static bool takes_files(const command *c)
{
    return c->max_operands > 0 && strstr(c->usage, "FILE") != NULL;
}

static bool takes_commands(const command *c)
{
    return strstr(c->usage, "[COMMAND") != NULL;
}

static void print_bash_command(FILE *out, const command *c)
{
    char word[OPTION_WORD];
    fprintf(out, "    %s)\n        case $previous in\n", c->name);
    for (size_t i = 0; c->options[i] != NULL; i++) {
        const option *o = c->options[i];
        if (o->hidden || o->kind == OPTION_FLAG)
            continue;
        fprintf(out, "        %s) words='", option_word(o, word));
        print_values(out, o, false);
        fprintf(out, "' files=%s ;;\n", has_file(o) ? "yes" : "''");
    }
    fputs("        *)\n            words='", out);
    if (takes_commands(c))
        print_command_names(out);
    for (size_t i = 0; c->options[i] != NULL; i++)
        if (!c->options[i]->hidden)
            fprintf(out, " %s", option_word(c->options[i], word));
    fprintf(out, "'\n            files=%s\n            ;;\n        esac\n        ;;\n",
            takes_files(c) ? "yes" : "''");
}

/* bash splits the line at colons and equal signs, so the current word is taken from the line itself and the
 * part before the last colon is cut from the answers again. */
void print_completion_bash(FILE *out)
{
    fputs("# bash completion of manistat; made by 'manistat help --completion bash'\n"
          "_manistat()\n{\n"
          "    local line=${COMP_LINE:0:COMP_POINT} current previous command=${COMP_WORDS[1]-}\n"
          "    local words='' files='' prefix\n"
          "    current=${line##*[[:space:]]}\n"
          "    line=${line%\"$current\"}\n"
          "    line=${line%\"${line##*[![:space:]]}\"}\n"
          "    previous=${line##*[[:space:]]}\n"
          "    if [ \"$COMP_CWORD\" -le 1 ]; then\n        command=''\n    fi\n"
          "    case $command in\n    '') words='",
          out);
    print_command_names(out);
    fputs(" --help --version' ;;\n", out);
    for (size_t i = 0; commands[i] != NULL; i++)
        print_bash_command(out, commands[i]);
    fputs("    esac\n"
          "    if [[ -n $files && $current != -* ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "    fi\n"
          "    if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then\n"
          "        prefix=${current%\"${current##*:}\"}\n"
          "        COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"
          "    fi\n}\n"
          "complete -F _manistat manistat\n",
          out);
}

/* The first clause of a text, without what the shells would take for their own. */
static void print_plain(FILE *out, const char *text)
{
    for (; *text != '\0' && *text != ';'; text++)
        if (strchr("'[]\\", *text) == NULL)
            fputc(*text, out);
}

static void print_zsh_option(FILE *out, const option *o)
{
    char word[OPTION_WORD];
    fprintf(out, " \\\n            '%s[", option_word(o, word));
    print_plain(out, o->help);
    fputc(']', out);
    if (o->kind != OPTION_FLAG)
        fprintf(out, ":%s:", o->value);
    if (has_values(o)) {
        fputc('(', out);
        print_values(out, o, true);
        fputc(')', out);
    } else if (has_file(o)) {
        fputs("_files", out);
    }
    fputc('\'', out);
}

void print_completion_zsh(FILE *out)
{
    fputs("#compdef manistat\n"
          "# made by 'manistat help --completion zsh'\n"
          "_manistat() {\n"
          "    if (( CURRENT == 2 )); then\n"
          "        local -a names=(\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(out, "            '%s:", commands[i]->name);
        print_plain(out, commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command names\n        return\n    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        const command *c = commands[i];
        fprintf(out, "    %s)\n        _arguments", c->name);
        for (size_t k = 0; c->options[k] != NULL; k++)
            if (!c->options[k]->hidden)
                print_zsh_option(out, c->options[k]);
        if (takes_files(c))
            fputs(" \\\n            '*:file:_files'", out);
        if (takes_commands(c)) {
            fputs(" \\\n            '1:command:(", out);
            print_command_names(out);
            fputs(")'", out);
        }
        fputs("\n        ;;\n", out);
    }
    fputs("    esac\n}\n_manistat \"$@\"\n", out);
}

static void print_fish_option(FILE *out, const command *c, const option *o)
{
    fprintf(out, "complete -c manistat -n '__fish_seen_subcommand_from %s'", c->name);
    if (o->letter != '\0')
        fprintf(out, " -s %c", o->letter);
    if (o->name != NULL)
        fprintf(out, " -l %s", o->name);
    if (has_values(o)) {
        fputs(" -x -a '", out);
        print_values(out, o, true);
        fputc('\'', out);
    } else if (o->kind != OPTION_FLAG) {
        fputs(" -r", out);
    }
    fputs(" -d '", out);
    print_plain(out, o->help);
    fputs("'\n", out);
}

void print_completion_fish(FILE *out)
{
    fputs("# fish completion of manistat; made by 'manistat help --completion fish'\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        const command *c = commands[i];
        fprintf(out, "complete -c manistat -f -n __fish_use_subcommand -a %s -d '", c->name);
        print_plain(out, c->summary);
        fputs("'\n", out);
        for (size_t k = 0; c->options[k] != NULL; k++)
            if (!c->options[k]->hidden)
                print_fish_option(out, c, c->options[k]);
    }
}
