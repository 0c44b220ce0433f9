/* replay_read.c -- reads replay files (doc/abi.md, "Replay files").
 *
 * Both are texts, one 32-bit word a line in hexadecimal, low word of a 64-bit value
 * first; blank lines and // comments are skipped.  Metadata:
 *
 *     [start]  record[12]  [extension[10]]  n  base[n]  size[n]  alloc[n]
 *
 * A first value of 0x80000000 is the start address.  There is an extension if only the reading with
 * one gives the number of values that the file has.
 */
#include "base/mem.h"
#include "drv/drv.h"
#include <string.h>

enum { RECORD = 12, EXTENSION = 10 };

/* --- words ----------------------------------------------------------------------- */

typedef struct {
    const char *name, *text, *end, *p;
    Diag *d;
} Words;

/* Reports at a place of the text.  A Source must end in a NUL and the text need not, so it is
 * copied. */
static void say(const Words *w, DiagKind kind, const char *at, const char *message)
{
    char *text = mem_strndup(w->text, (size_t)(w->end - w->text));
    const Source src = {.name = w->name, .text = text ? text : ""};
    diag(w->d, kind, &src, text ? text + (at - w->text) : NULL, "%s", message);
    mem_free(text);
}

static bool wrong(const Words *w, const char *at, const char *message)
{
    say(w, DIAG_ERROR, at, message);
    return false;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 32) >= 'a' && (c | 32) <= 'f')
        return (c | 32) - 'a' + 10;
    return -1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Moves to the next word's first character, or to the end. */
static void skip(Words *w)
{
    for (;;) {
        while (w->p < w->end && is_blank(*w->p))
            w->p++;
        if (w->end - w->p < 2 || w->p[0] != '/' || w->p[1] != '/')
            return;
        while (w->p < w->end && *w->p != '\n')
            w->p++;
    }
}

static bool at_end(Words *w)
{
    skip(w);
    return w->p == w->end;
}

static bool next_word(Words *w, u32 *value)
{
    skip(w);
    const char *first = w->p;
    *value = 0;
    for (; w->p < w->end && digit(*w->p) >= 0; w->p++)
        *value = *value << 4 | (u32)digit(*w->p);
    const bool ends = w->p == w->end || is_blank(*w->p) || *w->p == '/';
    if (w->p > first && w->p - first <= 8 && ends)
        return true;
    return wrong(w, first,
                 w->p == w->end && w->p == first ? "the file ends too early"
                                                 : "expected up to 8 hexadecimal digits");
}

/* --- metadata ---------------------------------------------------------------------- */

typedef struct {
    u64 value;
    const char *at;
} Value;
typedef struct {
    Value *v;
    size_t n, cap;
} Values;

static bool read_values(Words *w, Values *all)
{
    while (!at_end(w)) {
        const char *at = w->p;
        u32 low, high;
        if (!next_word(w, &low))
            return false;
        if (at_end(w))
            return wrong(w, at, "the high word of this value is missing");
        if (!next_word(w, &high))
            return false;
        if (!array_grow(all->v, all->n, all->cap))
            return wrong(w, at, "out of memory");
        all->v[all->n++] = (Value){(u64)high << 32 | low, at};
    }
    return true;
}

/* whether the number of buffers at `at` agrees with the number of values */
static bool fits(const Values *all, size_t at)
{
    return all->n > at && (all->n - at - 1) % 3 == 0 && all->v[at].value == (all->n - at - 1) / 3;
}

static bool find_count(const Words *w, const Values *all, size_t *at, Replay *r)
{
    r->start = CODE_LO;
    *at = RECORD;
    if (all->n && all->v[0].value == CODE_LO)
        ++*at;
    if (all->n <= *at)
        return wrong(w, w->end, "the file ends before the number of buffers");
    if (fits(all, *at))
        return true;
    if (fits(all, *at + EXTENSION)) {
        r->extra = EXTENSION;
        *at += EXTENSION;
        return true;
    }
    return wrong(w, all->v[*at].at,
                 "the number of buffers does not agree with the length of the file");
}

static DrvRecord to_record(const Value *v)
{
    return (DrvRecord){
        .kernel_id = v[0].value,
        .kernel_size = {v[1].value, v[2].value, v[3].value},
        .wf_size = v[4].value,
        .wg_size = v[5].value,
        .metadata_base = v[6].value,
        .lds_size = v[7].value,
        .pds_size = v[8].value,
        .sgpr_usage = v[9].value,
        .vgpr_usage = v[10].value,
        .pds_base = v[11].value,
    };
}

static bool read_buffers(const Words *w, const Value *v, size_t n, Replay *r)
{
    r->buffers = mem_zalloc(n, sizeof *r->buffers);
    if (!r->buffers)
        return wrong(w, v->at, "out of memory");
    r->nbuffers = n;
    for (size_t i = 0; i < n; i++) {
        struct ReplayBuffer *b = &r->buffers[i];
        *b = (struct ReplayBuffer){
            .base = v[i].value, .size = v[n + i].value, .alloc = v[2 * n + i].value};
        const u64 bytes = b->size > b->alloc ? b->size : b->alloc, limit = (u64)1 << 32;
        if (b->base >= limit)
            return wrong(w, v[i].at, "the address of a buffer has more than 32 bits");
        if (bytes > limit - b->base)
            return wrong(w, v[b->size > b->alloc ? n + i : 2 * n + i].at,
                         "the buffer does not end below 4 GiB");
    }
    return true;
}

static bool read_metadata(Words *w, Replay *r)
{
    Values all = {0};
    size_t at;
    bool ok = read_values(w, &all) && find_count(w, &all, &at, r);
    if (ok) {
        r->record = to_record(all.v + at - r->extra - RECORD);
        ok = read_buffers(w, all.v + at + 1, (all.n - at - 1) / 3, r);
    }
    mem_free(all.v);
    return ok;
}

/* --- data -------------------------------------------------------------------------- */

static bool read_data(Words *w, struct ReplayBuffer *b)
{
    const u64 words = (b->size + 3) / 4;
    if (!words)
        return true;
    /* a word takes at least a digit and, but for the last one, a separator */
    if (words > ((u64)(w->end - w->p) + 1) / 2)
        return wrong(w, w->end, "the file ends too early");
    b->data = mem_alloc(words * 4);
    if (!b->data)
        return wrong(w, w->p, "out of memory");
    for (u64 i = 0; i < words; i++) {
        u32 value;
        if (!next_word(w, &value))
            return false;
        memcpy(b->data + i * 4, &value, 4);
    }
    return true;
}

static bool read_all_data(Words *w, Replay *r)
{
    for (size_t i = 0; i < r->nbuffers; i++)
        if (!read_data(w, &r->buffers[i]))
            return false;
    if (!at_end(w)) /* in public files too */
        say(w, DIAG_WARNING, w->p, "more data than the buffers take; the rest is ignored");
    return true;
}

/* --- files --------------------------------------------------------------------------- */

static char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return mem_strndup(name, dot ? (size_t)(dot - name) : strlen(name));
}

bool replay_read(const char *metadata_name, const char *metadata, size_t metadata_len,
                 const char *data_name, const char *data, size_t data_len, Replay *r, Diag *d)
{
    Words m = {metadata_name, metadata, metadata + metadata_len, metadata, d};
    Words w = {data_name, data, data + data_len, data, d};
    *r = (Replay){.name = base_name(metadata_name)};
    if (!r->name)
        wrong(&m, metadata, "out of memory");
    else if (read_metadata(&m, r) && read_all_data(&w, r))
        return true;
    replay_free(r);
    return false;
}

void replay_free(Replay *r)
{
    for (size_t i = 0; i < r->nbuffers; i++)
        mem_free(r->buffers[i].data);
    mem_free(r->buffers);
    mem_free(r->name);
    *r = (Replay){0};
}
