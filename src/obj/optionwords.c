/* optionwords.c -- the options of a build as words (optionwords.h): the one reader of such texts.
 */
#include "obj/optionwords.h"
#include <string.h>

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* one word at p, without its quotes, into store; NULL: a quote is not closed */
static const char *take_word(const char *p, Buf *store)
{
    char quote = 0;
    for (; *p && (quote || !is_space(*p)); p++) {
        if (*p == '\\' && p[1] && quote != '\'')
            buf_put(store, ++p, 1);
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            buf_put(store, p, 1);
    }
    buf_put(store, "", 1);
    return quote ? NULL : p;
}

bool options_split(const char *text, Buf *store, const char ***words, size_t *n)
{
    const size_t start = store->len;
    size_t count = 0;
    *words = NULL;
    *n = 0;
    for (const char *p = text; p && *p;) {
        while (is_space(*p))
            p++;
        if (!*p)
            break;
        p = take_word(p, store);
        if (!p)
            return false;
        count++;
    }
    *words = mem_zalloc(count + 1, sizeof **words);
    store->failed |= !*words;
    if (store->failed)
        return false;
    const char *at = (const char *)store->data + start;
    for (; *n < count; ++*n, at += strlen(at) + 1)
        (*words)[*n] = at;
    return true;
}

void options_join(const char *const *words, size_t n, Buf *to)
{
    for (size_t i = 0; i < n; i++) {
        buf_str(to, i ? " " : "");
        buf_str(to, *words[i] ? "" : "''");
        for (const char *p = words[i]; *p; p++) {
            if (is_space(*p) || strchr("\\\"'", *p))
                buf_str(to, "\\");
            buf_put(to, p, 1);
        }
    }
}

bool options_takes_word(const char *word)
{
    static const char *const those[] = {"-D", "-U", "-I", "-include"};
    for (size_t i = 0; i < countof(those); i++)
        if (!strcmp(word, those[i]))
            return true;
    return false;
}

bool options_have(const char *text, const char *option, Buf *value)
{
    Buf store = {0};
    const char **words = NULL;
    size_t n;
    const size_t len = strlen(option);
    const bool valued = option[len - 1] == '=';
    bool found = false;
    const bool ok = options_split(text ? text : "", &store, &words, &n);
    for (size_t i = 0; ok && i < n; i += options_takes_word(words[i]) ? 2 : 1) {
        if (valued ? strncmp(words[i], option, len) : strcmp(words[i], option))
            continue;
        found = true;
        if (valued) {
            buf_free(value);
            buf_str(value, words[i] + len);
        }
    }
    mem_free(words);
    buf_free(&store);
    return found;
}
