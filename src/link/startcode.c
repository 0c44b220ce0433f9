/* startcode.c -- which pieces of start code a program needs (lib/crt0.s), and linking with them.
 *
 * A piece sets registers or state that instructions of the program use.  The instructions are
 * looked at one by one; words that are none may be anything, and a program that has them gets every
 * piece but that for printing.  A register that a function writes before its first jump, and reads
 * afterwards, it does not want from start code: kernels of this compiler make the base of their
 * __local data themselves if they need nothing else.
 */
#include "isa/abi.h"
#include "link/crt0.h"
#include "link/link.h"
#include <elf.h>
#include <string.h>

typedef struct {
    bool print, stacks, floats;
} Pieces;

/* A section that is looked at, up to byte `at`. */
typedef struct {
    const Object *o;
    i32 section;
    u32 at;
    bool straight;   /* no jump so far: what is executed there first */
    u32 written[64]; /* of scalar registers that were written meanwhile: 1 + where */
} Look;

static bool is_stack_role(u32 x)
{
    return x == REG_sp || x == REG_gp || x == REG_tp || x == REG_local_base;
}

/* Whether a function may begin behind `from`, up to here. */
static bool begins_since(const Look *l, u32 from)
{
    for (size_t i = 0; i < l->o->nsymbols; i++) {
        const ObjSymbol *s = &l->o->symbols[i];
        if (s->section == l->section && s->value > from && s->value <= l->at &&
            (s->type == STT_FUNC || s->bind != STB_LOCAL))
            return true;
    }
    return false;
}

/* The code has not written the register itself on all ways to here. */
static bool wants(const Look *l, u32 x)
{
    return is_stack_role(x) && (!l->written[x] || begins_since(l, l->written[x] - 1));
}

static void look_at_registers(Pieces *p, Look *l, const IsaFacts *f)
{
    for (int writes = 0; writes < 2; writes++) /* an instruction reads before it writes */
        for (int i = 0; i < f->nregs; i++) {
            const IsaRegs *r = &f->reg[i];
            for (u32 x = r->first; !r->is_vector && x < (u32)r->first + r->count && x < 64; x++)
                if (!writes)
                    p->stacks |= r->is_read && wants(l, x);
                else if (r->is_written && l->straight && !l->written[x])
                    l->written[x] = 1 + l->at;
        }
    l->straight &= f->control == CONTROL_NEXT || f->control == CONTROL_PREFIX;
}

static void look_at_code(Pieces *p, const IsaDecoder *d, const Object *o, i32 section)
{
    const Buf *code = &o->sections[section].data;
    Look l = {.o = o, .section = section, .straight = true};
    IsaPrefix prefix = {.valid = false};
    while (l.at + 4 <= code->len) {
        u32 word[2] = {0, 0};
        Insn in;
        IsaFacts f;
        memcpy(word, code->data + l.at, 4);
        const u32 length = (u32)isa_length(o->set, word[0]);
        if (length == 8 && l.at + 8 <= code->len)
            memcpy(&word[1], code->data + l.at + 4, 4);
        if (!isa_decode(d, (u64)word[1] << 32 | word[0], &in) ||
            !isa_facts(&in, &prefix, o->set, 0, &f)) {
            p->stacks = p->floats = true;
            return;
        }
        p->floats |= isa_is_float(in.id);
        look_at_registers(p, &l, &f);
        prefix = isa_is_prefix(in.id) ? isa_prefix(&in) : (IsaPrefix){.valid = false};
        l.at += length;
    }
}

static Pieces find_pieces(const Object *const *objects, size_t n, IsaDecoder *d)
{
    Pieces p = {.print = false};
    for (size_t i = 0; i < n; i++) {
        const Object *o = objects[i];
        p.print |= obj_find_symbol(o, "BUFFER_ADDR") >= 0 || obj_find_symbol(o, "BUFFER_SIZE") >= 0;
        isa_decoder_init(d, o->set);
        for (size_t k = 0; k < o->nsections; k++)
            if (o->sections[k].flags & SHF_EXECINSTR)
                look_at_code(&p, d, o, (i32)k);
    }
    return p;
}

enum { MOST_PIECES = 4 };

/* Reads the pieces, in their order, for the caller to free; false: d says why. */
static bool read_pieces(const Pieces *p, Object *start[MOST_PIECES], size_t *count, Diag *d)
{
    const struct {
        bool needed;
        const char *name;
        const u8 *bytes;
        size_t size;
    } piece[] = {
        {p->print, "crt0_print.o", crt0_print_object, crt0_print_object_size},
        {p->stacks, "crt0_stacks.o", crt0_stacks_object, crt0_stacks_object_size},
        {p->floats, "crt0_floats.o", crt0_floats_object, crt0_floats_object_size},
        {true, "crt0.o", crt0_object, crt0_object_size},
    };
    static_assert(countof(piece) == MOST_PIECES, "room for all");
    for (size_t i = 0; i < countof(piece); i++) {
        if (!piece[i].needed)
            continue;
        if (!obj_read(piece[i].name, piece[i].bytes, piece[i].size, d, &start[*count]))
            return false;
        ++*count;
    }
    return true;
}

Object *link_program(const Object *const *objects, size_t n, const LinkOptions *opt, Diag *d)
{
    IsaDecoder *decoder = mem_alloc(sizeof *decoder);
    const Object **all = mem_zalloc(MOST_PIECES + n, sizeof *all);
    Object *start[MOST_PIECES] = {NULL}, *image = NULL;
    size_t count = 0;
    if (!decoder || !all)
        error(d, &(Source){.name = opt->output, .text = ""}, NULL, "out of memory");
    else {
        const Pieces p = find_pieces(objects, n, decoder);
        const bool ok = read_pieces(&p, start, &count, d);
        for (size_t i = 0; i < count + n; i++)
            all[i] = i < count ? start[i] : objects[i - count];
        image = ok ? link_objects(all, count + n, opt, d) : NULL;
    }
    for (size_t i = 0; i < count; i++)
        obj_free(start[i]);
    mem_free(all);
    mem_free(decoder);
    return image;
}
