/* options.c -- options that are misspelt, and values of options that several subcommands take. */
#include "tool/tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- misspelt options --------------------------------------------------------------------- */

/* A long option as it was written, and the option nearest to it. */
typedef struct {
    const char *name;
    size_t len;
    const char *nearest;
    int away;
    bool is_known; /* or an abbreviation */
    bool is_whole;
    bool takes_word; /* if it is known: the next word is its value */
} Written;

static void compare(const char *option, bool takes_word, Written *w)
{
    if (!strncmp(option, w->name, w->len)) {
        w->is_known = true;
        w->is_whole |= !option[w->len];
        w->takes_word |= takes_word;
    }
    const int away = edit_distance(w->name, w->len, option, strlen(option), w->away);
    if (away < w->away) {
        w->away = away;
        w->nearest = option;
    }
}

bool option_is_last(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc && !o->group;
}

bool option_takes_word(const struct argp_option *o)
{
    return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

static void compare_all(const struct argp *a, Written *w)
{
    for (const struct argp_option *o = a->options; o && !option_is_last(o); o++)
        if (o->name)
            compare(o->name, option_takes_word(o), w);
    for (const struct argp_child *c = a->children; c && c->argp; c++)
        compare_all(c->argp, w);
}

/* 1: the letter is an option with a value; 0: one without; -1: none */
static int letter_kind(const struct argp *a, char letter)
{
    int kind = -1;
    for (const struct argp_option *o = a->options; o && !option_is_last(o) && kind < 0; o++)
        if (o->key == letter)
            kind = option_takes_word(o);
    for (const struct argp_child *c = a->children; c && c->argp && kind < 0; c++)
        kind = letter_kind(c->argp, letter);
    return kind;
}

/* whether the word after a cluster of short options is the value of its last */
static bool cluster_takes_word(const struct argp *a, const char *letters)
{
    for (; *letters; letters++)
        if (letter_kind(a, *letters) > 0)
            return !letters[1];
    return false;
}

static Written find_option(const struct argp *a, const char *name)
{
    static const char *const built_in[] = {"help", "usage"};
    const size_t len = strcspn(name, "=");
    Written w = {.name = name, .len = len, .away = len < 5 ? 2 : 3};
    for (size_t i = 0; i < countof(built_in); i++)
        compare(built_in[i], false, &w);
    compare_all(a, &w);
    w.takes_word = w.takes_word && !name[len];
    return w;
}

static _Noreturn void misspelt(const char *command, const char *word, const char *nearest)
{
    fprintf(stderr, "%s: unrecognized option '%s'; did you mean '--%s'?\n", command, word, nearest);
    fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", command, command);
    exit(REFUSED);
}

void parse_options(const struct argp *a, int argc, char **argv, void *input)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        const char *word = argv[i];
        if (!strncmp(word, "--", 2)) {
            const Written w = find_option(a, word + 2);
            if (!w.is_known && w.nearest)
                misspelt(argv[0], word, w.nearest);
            i += w.takes_word;
        } else if (word[0] == '-') {
            const Written w = find_option(a, word + 1);
            if (w.is_whole && w.len > 2 && letter_kind(a, word[1]) <= 0)
                misspelt(argv[0], word, w.nearest);
            i += cluster_takes_word(a, word + 1);
        }
    }
    if (argp_parse(a, argc, argv, 0, NULL, input))
        exit(REFUSED);
}

/* --- values ---------------------------------------------------------------------------------- */

u64 option_number(struct argp_state *state, const char *option, const char *text, u64 max)
{
    char *end;
    errno = 0;
    const u64 v = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno || v > max)
        argp_error(state, "%s: '%s' is not a number from 0 to %llu", option, text,
                   (unsigned long long)max);
    return v;
}

IsaSet option_isa(struct argp_state *state, const char *text)
{
    IsaSet set = 0;
    if (!isa_parse_set(text, &set))
        argp_error(state, "--isa: '%s' is no profile; there are v202 and v2025, with +ai and +tidx",
                   text);
    return set;
}

IsaSet default_isa(void)
{
    const char *text = getenv("VENTUS_ISA");
    IsaSet set = V202;
    if (text && *text && !isa_parse_set(text, &set)) {
        fprintf(stderr, "ventus: error: VENTUS_ISA: '%s' is no profile\n", text);
        exit(REFUSED);
    }
    return set;
}
