/* allow.c -- what the program, or a file about it, says is meant so (doc/checking.md, "What is
 * meant so").
 *
 * A line of the file names checks and a place:
 *
 *     race,init   src/hash.cl:20-31     # of the lines; FILE:LINE, or FILE alone
 *     bounds      function draw
 *     all         kernel histogram
 */
#include "check/internal.h"
#include "base/fdio.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum { IN_FILE, IN_FUNCTION, IN_KERNEL } PlaceKind;

typedef struct {
    u32 kinds; /* 1 << CheckKind */
    PlaceKind place;
    const char *name; /* in CheckAllow.text */
    u32 from, to;     /* lines of a file */
} Rule;

struct CheckAllow {
    Buf text; /* of the file; names end in a NUL */
    Rule *rule;
    size_t n, cap;
};

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct {
    CheckAllow *to;
    const Source *src;
    Diag *d;
    const char *at; /* in the source */
} Reader;

/* The next word of the line, which is empty at its end; words end at spaces. */
static size_t next_word(Reader *r, const char **word)
{
    r->at += strspn(r->at, " \t\r");
    *word = r->at;
    const size_t len = *r->at == '#' ? 0 : strcspn(r->at, " \t\r\n");
    r->at += len;
    return len;
}

static bool refuse(const Reader *r, const char *at, const char *what)
{
    error(r->d, r->src, at, "%s", what);
    return false;
}

static bool read_kinds(Reader *r, const char *word, size_t len, u32 *kinds)
{
    char list[128], bad[32];
    if (len >= sizeof list)
        return refuse(r, word, "this is no list of checks");
    memcpy(list, word, len);
    list[len] = 0;
    if ((*kinds = check_parse(list, bad)))
        return true;
    error(r->d, r->src, word, "'%s' is no check", bad);
    return false;
}

/* FILE, FILE:LINE or FILE:FROM-TO; cuts the name off. */
static bool read_lines(const Reader *r, const char *word, char *name, Rule *rule)
{
    char *colon = strrchr(name, ':'), *end = colon;
    rule->to = UINT32_MAX;
    if (!colon)
        return true;
    errno = 0;
    const unsigned long from = isdigit((u8)colon[1]) ? strtoul(colon + 1, &end, 10) : 0;
    const unsigned long to = *end == '-' && isdigit((u8)end[1]) ? strtoul(end + 1, &end, 10) : from;
    if (!from || from > to || to >= UINT32_MAX || *end || errno)
        return refuse(r, word + (colon + 1 - name),
                      "this should be a line, or two with '-' between them");
    *colon = 0;
    rule->from = (u32)from;
    rule->to = (u32)to;
    return true;
}

/* The word's copy, which a NUL ends. */
static char *name_of(const Reader *r, const char *word, size_t len)
{
    char *name = (char *)r->to->text.data + (word - r->src->text);
    name[len] = 0;
    return name;
}

static bool read_line(Reader *r)
{
    const char *word;
    Rule rule = {.from = 0};
    size_t len = next_word(r, &word);
    if (!len)
        return true;
    if (!read_kinds(r, word, len, &rule.kinds))
        return false;
    len = next_word(r, &word);
    if (len == 8 && !memcmp(word, "function", 8))
        rule.place = IN_FUNCTION;
    else if (len == 6 && !memcmp(word, "kernel", 6))
        rule.place = IN_KERNEL;
    if (rule.place != IN_FILE)
        len = next_word(r, &word);
    if (!len)
        return refuse(r, word, "a place is missing: FILE:LINE, 'function NAME' or 'kernel NAME'");
    char *name = name_of(r, word, len);
    if (rule.place == IN_FILE && !read_lines(r, word, name, &rule))
        return false;
    if (next_word(r, &word))
        return refuse(r, word, "nothing should follow here");
    rule.name = name;
    if (!array_grow(r->to->rule, r->to->n, r->to->cap)) {
        diag_no_memory(r->d, r->src);
        return false;
    }
    r->to->rule[r->to->n++] = rule;
    return true;
}

CheckAllow *check_allow_read(const char *name, const char *text, Diag *d)
{
    const Source src = {.name = name, .text = text};
    const int before = diag_errors(d);
    CheckAllow *a = mem_zalloc(1, sizeof *a);
    if (a)
        buf_str(&a->text, text);
    if (!a || a->text.failed) {
        diag_no_memory(d, &src);
        check_allow_free(a);
        return NULL;
    }
    Reader r = {a, &src, d, text};
    while (*r.at) {
        read_line(&r);
        r.at += strcspn(r.at, "\n");
        r.at += *r.at == '\n';
    }
    if (diag_errors(d) == before)
        return a;
    check_allow_free(a);
    return NULL;
}

enum { MOST_BYTES = 1 << 20 };

CheckAllow *check_allow_open(const char *file, Diag *d)
{
    Buf text = {0};
    const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool ok = fd >= 0 && fd_read(fd, MOST_BYTES, &text);
    CheckAllow *a = NULL;
    if (!ok)
        error(d, NULL, NULL, "cannot read %s: %s", file, strerror(errno));
    else if (strlen(buf_text(&text)) < text.len)
        error(d, NULL, NULL, "%s is no text", file);
    else
        a = check_allow_read(file, buf_text(&text), d);
    if (fd >= 0)
        close(fd);
    buf_free(&text);
    return a;
}

void check_allow_free(CheckAllow *a)
{
    if (!a)
        return;
    mem_free(a->rule);
    buf_free(&a->text);
    mem_free(a);
}

/* --- comments --------------------------------------------------------------------------------- */

/* whether a line of the source has a comment `ventus: allow ... NAME ...` */
static bool line_allows(const Check *c, const char *file, u32 line, const char *name)
{
    static const char mark[] = "ventus: allow";
    size_t len = 0;
    const char *text = line ? obj_source_line(c->image, file, line, &len) : NULL;
    const char *at = text ? memmem(text, len, mark, sizeof mark - 1) : NULL;
    if (!at)
        return false;
    const char *end = text + len;
    for (at += sizeof mark - 1; at < end;) {
        const char *word = at;
        while (at < end && isalpha((u8)*at))
            at++;
        if ((size_t)(at - word) == strlen(name) && !memcmp(word, name, strlen(name)))
            return true;
        if (at == word)
            at++;
    }
    return false;
}

/* --- rules ------------------------------------------------------------------------------------ */

/* whether the path ends in `name`, which is a path too */
static bool path_ends_in(const char *path, const char *name)
{
    const size_t n = strlen(path), m = strlen(name);
    return n >= m && !strcmp(path + n - m, name) && (n == m || path[n - m - 1] == '/');
}

static bool rule_allows(const Rule *r, CheckKind kind, const Place *p, const char *kernel)
{
    if (!(r->kinds >> kind & 1))
        return false;
    switch (r->place) {
    case IN_KERNEL: return kernel && !strcmp(kernel, r->name);
    case IN_FUNCTION: return p->function && !strcmp(p->function, r->name);
    case IN_FILE:
        return p->file && p->line >= r->from && p->line <= r->to && path_ends_in(p->file, r->name);
    }
    return false;
}

bool is_allowed(Check *c, CheckKind kind, u32 pc, const char *kernel)
{
    Place chain[CALLS_SEEN] = {{.file = NULL}};
    const size_t n = pc ? places(c, pc, chain) : 0;
    const char *name = check_name(kind);
    for (size_t i = 0; i < n; i++)
        if (chain[i].file && (line_allows(c, chain[i].file, chain[i].line, name) ||
                              line_allows(c, chain[i].file, chain[i].line - 1, name)))
            return true;
    for (size_t k = 0; c->allow && pc && k < c->allow->n; k++)
        for (size_t i = 0; i < n || !i; i++)
            if (rule_allows(&c->allow->rule[k], kind, &chain[i], kernel))
                return true;
    return false;
}
