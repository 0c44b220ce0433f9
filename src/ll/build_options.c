/* build_options.c -- the options of clBuildProgram and `ventus cc`, one row each.
 *
 * Only what is in the table reaches clang, and what takes a value reaches it joined to its
 * option, so that no word of a user can be read as another option or as a file of
 * options.
 */
#include "ll/front.h"
#include "obj/optionwords.h"
#include <string.h>

typedef enum {
    PASS,   /* to clang as it is */
    JOINED, /* a prefix; the value follows in the word or is the next word */
    IGNORE, /* known, and without effect here */
    LEVEL,  /* -O0 to -O3 */
    STD
} Kind;

static const struct Row {
    const char *text;
    Kind kind;
} rows[] = {
    {"-D", JOINED},
    {"-U", JOINED},
    {"-I", JOINED},
    {"-include", JOINED},
    {"-O", LEVEL},
    {"-cl-std=", STD},
    {"-cl-single-precision-constant", PASS},
    {"-cl-denorms-are-zero", IGNORE}, /* allowed to be so, not required */
    {"-cl-fp32-correctly-rounded-divide-sqrt", PASS},
    {"-cl-opt-disable", IGNORE},
    {"-cl-strict-aliasing", IGNORE},
    {"-cl-uniform-work-group-size", PASS},
    {"-cl-no-subgroup-ifp", IGNORE},
    {"-cl-mad-enable", PASS},
    {"-cl-no-signed-zeros", PASS},
    {"-cl-unsafe-math-optimizations", PASS},
    {"-cl-finite-math-only", PASS},
    {"-cl-fast-relaxed-math", PASS},
    {"-cl-kernel-arg-info", IGNORE}, /* always kept */
    {"-w", PASS},
    {"-Werror", PASS},
    {"-W", JOINED},
    {"-g", IGNORE}, /* lines are always kept; front.c asks for variables too */
    {"-ventus-apart", IGNORE},
    {"-ventus-zero", IGNORE},
};

static const struct Std {
    const char *name;
    u32 version;
} stds[] = {
    {"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120}, {"CL2.0", 200}, {"CL3.0", 300},
};

static bool add_word(BuildOptions *b, const char *word)
{
    if (!array_grow(b->words, b->nwords + 1, b->capwords))
        return false;
    b->words[b->nwords++] = word;
    b->words[b->nwords] = NULL;
    return true;
}

static const struct Row *find_row(const char *word)
{
    for (size_t i = 0; i < countof(rows); i++) {
        const size_t len = strlen(rows[i].text);
        const bool prefix = rows[i].kind == JOINED || rows[i].kind == LEVEL || rows[i].kind == STD;
        if (prefix ? !strncmp(word, rows[i].text, len) : !strcmp(word, rows[i].text))
            return &rows[i];
    }
    return NULL;
}

static bool refuse(Diag *d, const char *word, const char *why)
{
    error(d, &(Source){.name = "build options", .text = ""}, NULL, "'%s'%s", word, why);
    return false;
}

static bool read_std(BuildOptions *b, const char *word, Diag *d)
{
    const char *name = word + strlen("-cl-std=");
    for (size_t i = 0; i < countof(stds); i++)
        if (!strcmp(name, stds[i].name)) {
            b->version = stds[i].version;
            return true;
        }
    return refuse(d, word, ": the language is CL1.0, CL1.1, CL1.2, CL2.0 or CL3.0");
}

static bool read_level(BuildOptions *b, const char *word, Diag *d)
{
    if (word[2] < '0' || word[2] > '3' || word[3])
        return refuse(d, word, ": the levels are -O0 to -O3");
    b->level = word[2] - '0';
    return true;
}

/* option and value as one word that b owns */
static bool add_joined(BuildOptions *b, const char *option, const char *value)
{
    char *word = mem_alloc(strlen(option) + strlen(value) + 1);
    if (!word)
        return false;
    strcpy(word, option);
    strcat(word, value);
    buf_put(&b->store, &word, sizeof word);
    return !b->store.failed && add_word(b, word);
}

static void note_effects(BuildOptions *b, const char *word)
{
    if (!strcmp(word, "-g"))
        b->variables = true;
    if (!strcmp(word, "-cl-opt-disable"))
        b->level = 0;
    if (!strcmp(word, "-cl-fast-relaxed-math") || !strcmp(word, "-cl-unsafe-math-optimizations"))
        b->fast_math = true;
    if (!strcmp(word, "-ventus-apart"))
        b->apart = true;
    if (!strcmp(word, "-ventus-zero"))
        b->zero = true;
}

bool options_read(const CompOptions *opt, BuildOptions *b, Diag *d)
{
    *b = (BuildOptions){.level = 2, .version = 120};
    for (size_t i = 0; i < opt->noptions; i++) {
        const char *word = opt->options[i];
        const struct Row *row = find_row(word);
        if (!row)
            return refuse(d, word, ": no such option");
        note_effects(b, word);
        const bool apart = options_takes_word(word);
        bool ok = true;
        if (row->kind == LEVEL)
            ok = read_level(b, word, d);
        else if (row->kind == STD)
            ok = read_std(b, word, d);
        else if (apart && (++i >= opt->noptions || !*opt->options[i])) /* clang takes another */
            ok = refuse(d, word, " needs a value");
        else if (apart)
            ok = add_joined(b, word, opt->options[i]) || refuse(d, word, ": out of memory");
        else if (row->kind != IGNORE)
            ok = add_word(b, word) || refuse(d, word, ": out of memory");
        if (!ok)
            return false;
    }
    b->variables |= !b->level;
    return true;
}

void options_free(BuildOptions *b)
{
    char *const *made = (char *const *)(const void *)b->store.data;
    for (size_t i = 0; i < b->store.len / sizeof *made; i++)
        mem_free(made[i]);
    buf_free(&b->store);
    mem_free(b->words);
    *b = (BuildOptions){0};
}
