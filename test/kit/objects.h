/* objects.h -- what the tests of obj and link share: small objects, messages caught. */
#ifndef CHECK_OBJECTS_H
#define CHECK_OBJECTS_H
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <elf.h>
#include "obj/resource.h"

enum { TEXT_FLAGS = SHF_ALLOC | SHF_EXECINSTR, DATA_FLAGS = SHF_ALLOC | SHF_WRITE };

/* A sink that keeps what it is told. */
typedef struct {
    Diag d;
    Buf text;
} Caught;

static inline void catch_in(Caught *c)
{
    *c = (Caught){.d = {.sink = diag_to_buf}};
    c->d.to = &c->text;
}

/* Exactly one error, and this text is part of it. */
static inline void expect_error(Caught *c, const char *text)
{
    if (c->d.errors != 1 || !strstr(buf_text(&c->text), text))
        fail_msg("wanted: %s\n%d errors: %s", text, c->d.errors, buf_text(&c->text));
    buf_free(&c->text);
    c->d.errors = 0;
}

static inline void expect_silence(Caught *c)
{
    if (c->d.errors || c->d.warnings)
        fail_msg("unexpected: %s", buf_text(&c->text));
    buf_free(&c->text);
}

static inline i32 add_bytes(Object *o, const char *name, u32 flags, u32 align, const void *bytes,
                            size_t len)
{
    const i32 at = obj_add_section(o, name, SHT_PROGBITS, flags, align);
    assert_true(at >= 0);
    buf_put(&o->sections[at].data, bytes, len);
    o->sections[at].size = (u32)len;
    return at;
}

static inline i32 add_nobits(Object *o, const char *name, u32 size)
{
    const i32 at = obj_add_section(o, name, SHT_NOBITS, DATA_FLAGS, 4);
    assert_true(at >= 0);
    o->sections[at].size = size;
    return at;
}

static inline u32 add_global(Object *o, const char *name, i32 section, u32 value)
{
    return (u32)obj_add_symbol(o, name, section, value, STB_GLOBAL, STT_NOTYPE);
}

static inline u32 add_local(Object *o, const char *name, i32 section, u32 value)
{
    return (u32)obj_add_symbol(o, name, section, value, STB_LOCAL, STT_NOTYPE);
}

static inline void add_reloc(Object *o, i32 section, u32 offset, u32 type, u32 symbol, i32 addend)
{
    assert_true(obj_add_reloc(o, section, (ObjReloc){offset, type, symbol, addend}));
}

/* One instruction; operands in the order of its format. */
#define word_of(...) encode(&(Insn)__VA_ARGS__)
static inline u32 encode(const Insn *in)
{
    u64 word;
    assert_true(isa_encode(in, &word, NULL));
    return (u32)word;
}
#endif
