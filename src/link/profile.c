/* profile.c -- which instruction set the image is for.
 *
 * An object says so in its ELF flags; one without a mark is for v202 if it has
 * instructions that only v202 has, and otherwise goes with anything: crt0, data, and
 * what plain RISC-V compilers make.  Overlays of v202 and v2025 add up.
 */
#include "link/internal.h"
#include <elf.h>
#include <string.h>

/* The first instruction of v202 that v2025 lacks; false: there is none. */
static bool find_v202(const IsaDecoder *decoder, const ObjSection *s, u32 *at, Insn *in)
{
    for (*at = 0; s->data.len - *at >= 4; *at += 4) {
        u32 word;
        memcpy(&word, s->data.data + *at, 4);
        if (isa_decode(decoder, word, in) && !(isa_insn[in->id].sets & V2025))
            return true;
    }
    return false;
}

static void check_unmarked(Link *l, const IsaDecoder *decoder, const Input *in, const Input *v2025)
{
    u32 at;
    Insn insn;
    for (size_t i = 0; i < in->o->nsections; i++) {
        const ObjSection *s = &in->o->sections[i];
        if (in->parts[i].live && s->flags & SHF_EXECINSTR && find_v202(decoder, s, &at, &insn)) {
            error(l->d, &in->src, NULL,
                  "%s+0x%x: %s is an instruction of v202, but %s is for v2025", s->name, at,
                  isa_insn[insn.id].text, v2025->src.name);
            return;
        }
    }
}

static const Input *find_v2025(const Link *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->in[i].o->set & V2025)
            return &l->in[i];
    return NULL;
}

static void check_input(Link *l, const IsaDecoder *decoder, const Input *in, const Input *v2025)
{
    char name[24];
    if (in->o->set & V2025)
        return;
    isa_set_name(in->o->set, name);
    if (in->o->set == V202)
        check_unmarked(l, decoder, in, v2025);
    else
        error(l->d, &in->src, NULL, "is for %s, but %s is for v2025", name, v2025->src.name);
}

bool link_profile(Link *l)
{
    const Input *v2025 = find_v2025(l);
    IsaDecoder decoder;
    isa_decoder_init(&decoder, V202);
    for (size_t i = 0; i < l->n; i++) {
        l->image->set |= l->in[i].o->set & (AI | TIDX);
        if (v2025)
            check_input(l, &decoder, &l->in[i], v2025);
    }
    if (v2025)
        l->image->set = (IsaSet)((l->image->set & ~V202) | V2025);
    return true;
}
