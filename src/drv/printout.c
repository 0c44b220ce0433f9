/* printout.c -- what kernels printed.
 *
 * The buffer (doc/abi.md, "Print buffer"), in 32-bit words:
 *
 *     0  bytes of records reserved so far; the device adds to it atomically
 *     1  bytes of the area for records, which follows
 *     2  records: bytes of the record, work-item, format, arguments or text
 *
 * Everything in it, and the strings it points to, was written by the kernel and is
 * believed no further than it can be checked.
 */
#include "drv/internal.h"
#include "drv/printformat.h"
#include "isa/fp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORK = 32 << 20 }; /* bytes of a launch */

typedef struct {
    u32 item;     /* linear global id */
    u32 at, size; /* of the record in the area */
} Record;

typedef struct {
    Driver *d;
    Buf *out;
    const u8 *area;
    Record *record;
    size_t n, cap;
    u64 lost;          /* bytes */
    bool damaged;      /* by stores that were not printf's */
    bool lacks_memory; /* of the host, for all text */
    u64 work; /* bytes of formats and strings that were read, and of text made from them; bounded,
                 since few bytes of the buffer can ask for many */
} Drain;

DrvStatus print_open(Driver *d, u64 *addr)
{
    const u32 head[PRINT_RECORDS / 4] = {[PRINT_ROOM / 4] = PRINT_BUFFER - PRINT_RECORDS};
    const DrvStatus s = alloc_locked(d, PRINT_BUFFER, addr);
    if (!s && !copy_in(d, *addr, head, sizeof head))
        bug("a block that was just allocated is not there");
    return s;
}

static u32 word_at(const u8 *p)
{
    u32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Appends the NUL-terminated string at addr; false: memory ends before it does. */
static bool get_string(Drain *p, u32 addr, Buf *out)
{
    char chunk[PAGE_SIZE];
    for (u64 at = addr, end = at + PRINT_MAX_STRING, n; at < end; at += n) {
        n = PAGE_SIZE - at % PAGE_SIZE < end - at ? PAGE_SIZE - at % PAGE_SIZE : end - at;
        if (!copy_out(p->d, at, chunk, n))
            return false;
        const size_t len = strnlen(chunk, n);
        p->work += len + 1;
        buf_put(out, chunk, len);
        if (len < n)
            return true;
    }
    return true;
}

/* --- formats ---------------------------------------------------------------------- */

static void put_integer(Buf *out, PrintConversion *c, PrintArguments *a)
{
    const bool is_signed = c->letter == 'd' || c->letter == 'i';
    const int rest = 64 - c->bits;
    const u64 v = print_argument(a, c->bits == 64 ? 8 : 4) << rest;
    const long long shown = is_signed ? (long long)v >> rest : (long long)(v >> rest);
    char spec[40];
    snprintf(spec, sizeof spec, "%sll%c", c->spec, c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    buf_printf(out, spec, shown);
#pragma GCC diagnostic pop
}

static void put_float(Buf *out, const PrintConversion *c, PrintArguments *a)
{
    char spec[40];
    double v;
    if (c->bits == 64) {
        const u64 bits = print_argument(a, 8);
        memcpy(&v, &bits, sizeof v);
    } else {
        u32 bits = (u32)print_argument(a, 4);
        u8 flags = 0;
        if (c->bits == 16)
            bits = (u32)fp_convert(fp_f16, fp_f32, bits & 0xffff, FP_RNE, &flags);
        float single;
        memcpy(&single, &bits, sizeof single);
        v = (double)single;
    }
    snprintf(spec, sizeof spec, "%s%c", c->spec, c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    buf_printf(out, spec, v);
#pragma GCC diagnostic pop
}

static void put_char(Buf *out, const PrintConversion *c, char v)
{
    char spec[40];
    snprintf(spec, sizeof spec, "%sc", c->spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    buf_printf(out, spec, v);
#pragma GCC diagnostic pop
}

static void put_string(Drain *p, const PrintConversion *c, PrintArguments *a)
{
    Buf s = {0};
    char spec[40];
    const u32 addr = (u32)print_argument(a, 4);
    if (!addr)
        buf_str(&s, "(null)");
    else if (!get_string(p, addr, &s))
        buf_str(&s, "(bad address)");
    p->lacks_memory |= s.failed;
    snprintf(spec, sizeof spec, "%ss", c->spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    buf_printf(p->out, spec, buf_text(&s));
#pragma GCC diagnostic pop
    buf_free(&s);
}

static void put_conversion(Drain *p, PrintConversion *c, PrintArguments *a)
{
    Buf *out = p->out;
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': put_integer(out, c, a); return;
    case 'c': put_char(out, c, (char)print_argument(a, 4)); return;
    case 's': put_string(p, c, a); return;
    case 'p': buf_printf(out, "0x%08llx", (unsigned long long)print_argument(a, 4)); return;
    case '%': buf_str(out, "%"); return;
    default: break;
    }
    if (print_argument_size(c) > 0) {
        put_float(out, c, a);
        return;
    }
    buf_str(out, c->spec); /* nothing of ours: shown as it stands */
    if (c->letter)
        buf_put(out, &c->letter, 1);
}

static void put_format(Drain *p, u32 format, PrintArguments a)
{
    Buf text = {0};
    if (!get_string(p, format, &text)) { /* nothing prints so; the record was overwritten */
        p->damaged = true;
        buf_free(&text);
        return;
    }
    p->lacks_memory |= text.failed;
    for (const char *f = buf_text(&text); *f && p->work < MAX_WORK;) {
        const size_t plain = strcspn(f, "%"), before = p->out->len;
        buf_put(p->out, f, plain);
        f += plain;
        if (!*f)
            break;
        f++;
        PrintConversion c = print_conversion(&f, &a);
        for (int i = 0; i < c.count; i++) {
            buf_str(p->out, i ? "," : "");
            put_conversion(p, &c, &a);
        }
        p->work += p->out->len - before;
    }
    buf_free(&text);
}

/* --- records ---------------------------------------------------------------------------- */

static int by_item(const void *a, const void *b)
{
    const Record *x = a, *y = b;
    if (x->item != y->item)
        return x->item < y->item ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Finds the records among the `used` bytes, up to the first that cannot be one.  That is as it must
 * be where more was reserved than there is room for (p->lost), but not for the first. */
static void find_records(Drain *p, u32 used)
{
    for (u32 at = 0; at < used;) {
        const u32 size = used - at < RECORD_ARGS ? 0 : word_at(p->area + at + RECORD_SIZE);
        const bool is_record = size >= RECORD_ARGS && !(size % 4) && size <= used - at;
        if (!is_record || !array_grow(p->record, p->n, p->cap)) {
            p->lacks_memory = is_record;
            p->damaged |= !is_record && (!p->lost || !at);
            p->lost += used - at;
            return;
        }
        p->record[p->n++] = (Record){word_at(p->area + at + RECORD_ITEM), at, size};
        at += size;
    }
}

static void put_records(Drain *p)
{
    for (size_t i = 0; i < p->n && p->work < MAX_WORK; i++) {
        const u8 *r = p->area + p->record[i].at;
        const u32 format = word_at(r + RECORD_FORMAT), size = p->record[i].size - RECORD_ARGS;
        if (format)
            put_format(p, format, (PrintArguments){r + RECORD_ARGS, r + RECORD_ARGS + size, 0});
        else
            buf_put(p->out, r + RECORD_ARGS, strnlen((const char *)r + RECORD_ARGS, size));
    }
    if (p->work >= MAX_WORK)
        buf_printf(p->out, "\n[print buffer: text beyond %u MiB is lost]\n", MAX_WORK >> 20);
}

static void put_lack(Buf *out) { buf_str(out, "[print buffer: out of memory; text is lost]\n"); }

void print_drain(Driver *d, u64 addr, Buf *out)
{
    const u32 room = PRINT_BUFFER - PRINT_RECORDS;
    u32 reserved;
    if (!copy_out(d, addr + PRINT_USED, &reserved, sizeof reserved))
        bug("the print buffer is not there");
    if (!reserved)
        return;
    const u32 used = reserved < room ? reserved : room;
    u8 *area = mem_alloc(used);
    Drain p = {.d = d, .out = out, .area = area, .lost = reserved - used};
    if (!area) {
        put_lack(out);
        return;
    }
    if (!copy_out(d, addr + PRINT_RECORDS, area, used))
        bug("the print buffer is not there");
    find_records(&p, used);
    if (p.n)
        qsort(p.record, p.n, sizeof *p.record, by_item);
    put_records(&p);
    if (p.damaged)
        buf_printf(out,
                   "[the kernel stored to a wrong address, that of the print buffer; %s lost; "
                   "`ventus run --check' or VENTUS_CHECK=all says where]\n",
                   p.n ? "part of what it printed is" : "what it printed is");
    else if (p.lacks_memory)
        put_lack(out);
    else if (p.lost)
        buf_printf(out, "[print buffer overflow: %llu bytes lost]\n", (unsigned long long)p.lost);
    mem_free(p.record);
    mem_free(area);
}
