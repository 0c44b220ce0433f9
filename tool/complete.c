/* complete.c -- `ventus complete WORD...`: how the last word of a command line may go on, for shells.
 *
 * What fits is printed a line each, `CANDIDATE<tab>DESCRIPTION`.  A line `.files SUFFIX...` stands for
 * the files whose names end so, all files where there is no suffix, and `.directories` for those; the
 * shell knows best how to list them (tool/completion.*).  Options are those of argp, as for --help.
 */
#include "tool/tool.h"
#include "check/check.h"
#include "dev/dev.h"
#include "mach/machine.h"
#include <stdio.h>
#include <string.h>

/* A completion in progress. */
typedef struct {
    const char *word;   /* what there is of it, behind `before` */
    const char *before; /* "--engine=" of "--engine=in", printed before candidates; or "" */
} Complete;

/* --- candidates -------------------------------------------------------------------------------- */

static void offer(const Complete *c, const char *candidate, const char *what)
{
    if (strncmp(candidate, c->word, strlen(c->word)))
        return;
    printf("%s%s", c->before, candidate);
    if (what) { /* up to where details begin */
        size_t len = strcspn(what, ";:(");
        while (len && what[len - 1] == ' ')
            len--;
        printf("\t%.*s", (int)len, what);
    }
    puts("");
}

/* words between blanks or commas */
static void offer_words(const Complete *c, const char *words)
{
    for (const char *w = words; *w;) {
        char word[32];
        const size_t len = strcspn(w, " ,");
        snprintf(word, sizeof word, "%.*s", (int)len, w);
        if (len)
            offer(c, word, NULL);
        w += len + (w[len] != 0);
    }
}

static void offer_files(const char *suffixes)
{
    printf(".files%s%s\n", *suffixes ? " " : "", suffixes);
}

static void offer_engines(const Complete *c)
{
    for (size_t i = 0; dev_engines[i]; i++)
        if (dev_has_engine(dev_engines[i]))
            offer(c, dev_engines[i]->name, dev_engines[i]->what);
}

static void offer_checks(const Complete *c)
{
    Buf names = {0};
    check_names(&names);
    offer(c, "all", NULL);
    offer_words(c, buf_text(&names));
    buf_free(&names);
}

static void offer_machines(const Complete *c)
{
    for (const MachineText *t = machine_texts; t->name; t++)
        offer(c, t->name, NULL);
    offer_files("machine");
}

/* --- options ------------------------------------------------------------------------------------- */

/* The option of this name, or with this letter; NULL: there is none. */
static const struct argp_option *find(const struct argp *a, const char *name, size_t len, int letter)
{
    for (const struct argp_option *o = a->options; o && !option_is_last(o); o++)
        if (name ? o->name && strlen(o->name) == len && !memcmp(o->name, name, len)
                 : o->key == letter)
            return o;
    for (const struct argp_child *k = a->children; k && k->argp; k++) {
        const struct argp_option *o = find(k->argp, name, len, letter);
        if (o)
            return o;
    }
    return NULL;
}

static const struct argp_option *option_of(const struct argp *a, const char *word)
{
    if (word[0] != '-' || !word[1])
        return NULL;
    if (word[1] == '-')
        return find(a, word + 2, strcspn(word + 2, "="), 0);
    return word[2] ? NULL : find(a, NULL, 0, word[1]);
}

static void offer_options(const struct argp *a, const Complete *c)
{
    char text[64];
    for (const struct argp_option *o = a->options; o && !option_is_last(o); o++) {
        if (o->flags & OPTION_HIDDEN)
            continue;
        if (o->key > ' ' && o->key < 127 && !c->word[1]) {
            snprintf(text, sizeof text, "-%c", o->key);
            offer(c, text, o->doc);
        }
        if (o->name) {
            snprintf(text, sizeof text, "--%s", o->name);
            offer(c, text, o->doc);
        }
    }
    for (const struct argp_child *k = a->children; k && k->argp; k++)
        offer_options(k->argp, c);
}

/* what an option may be given: words that are listed, else what the name of its value says */
static void offer_values(const struct argp_option *o, const Complete *c)
{
    const char *name = o->name ? o->name : "";
    if (!strcmp(name, "engine"))
        offer_engines(c);
    else if (!strcmp(name, "check"))
        offer_checks(c);
    else if (!strcmp(name, "machine"))
        offer_machines(c);
    else if (!strcmp(name, "isa"))
        offer_words(c, "v202 v2025 v202+ai v202+tidx v2025+tidx");
    else if (!strcmp(name, "vm"))
        offer_words(c, "own spike rtl ignore");
    else if (!strcmp(name, "threads"))
        offer_words(c, "4 8 16 32");
    else if (!strcmp(name, "stats"))
        offer_words(c, "text json");
    else if (!strncmp(o->arg, "DIR", 3))
        puts(".directories");
    else if (strstr(o->arg, "FILE") || strchr(o->arg, '.')) /* "OUT.elf" */
        offer_files("");
}

/* --- the command line ------------------------------------------------------------------------------ */

static void offer_commands(const Complete *c)
{
    const Command *k;
    for (size_t i = 0; (k = command(i)); i++)
        offer(c, k->name, k->what);
}

/* the value of --NAME= in `option`, which stands before what there is of it */
static void complete_value(const Command *k, const char *option, const char *word, const char *before)
{
    const struct argp_option *o = option_of(k->argp, option);
    if (o && o->arg)
        offer_values(o, &(Complete){word, before});
}

static void complete_word(const Command *k, const char *previous, const char *word)
{
    const Complete c = {word, ""};
    const struct argp_option *o = option_of(k->argp, previous);
    const char *equals = strchr(word, '=');
    char before[64];
    if (o && option_takes_word(o)) {
        offer_values(o, &c);
    } else if (!strncmp(word, "--", 2) && equals) {
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - word), word);
        complete_value(k, word, equals + 1, before);
    } else if (*word == '-') {
        offer_options(k->argp, &c);
        offer(&c, "--help", "Give this help list");
    } else {
        offer_files(k->suffixes);
    }
}

int complete_main(int n, char **words)
{
    const char *last = n ? words[n - 1] : "";
    const Complete c = {last, ""};
    const Command *k = n > 1 ? find_command(words[0]) : NULL;
    if (n < 2 || (n == 2 && !strcmp(words[0], "help")))
        offer_commands(&c);
    if (n < 2)
        offer_words(&c, "help --help --version");
    if (!k)
        return DONE;
    /* bash makes three words of `--engine=in`, two of `--engine=` */
    if (n > 3 && !strcmp(words[n - 2], "="))
        complete_value(k, words[n - 3], last, "");
    else if (n > 2 && !strcmp(last, "="))
        complete_value(k, words[n - 2], "", "");
    else
        complete_word(k, n > 2 ? words[n - 2] : "", last);
    return DONE;
}
