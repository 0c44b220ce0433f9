/* split.c -- the options string of clBuildProgram as words. */
#include "base/mem.h"
#include "comp/comp.h"
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

bool comp_split_options(const char *text, Buf *store, const char ***words, size_t *n)
{
    const size_t start = store->len;
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
        ++*n;
    }
    *words = mem_zalloc(*n + 1, sizeof **words);
    store->failed |= !*words;
    if (store->failed)
        return false;
    const char *at = (const char *)store->data + start;
    for (size_t i = 0; i < *n; i++, at += strlen(at) + 1)
        (*words)[i] = at;
    return true;
}
