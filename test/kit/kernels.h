/* kernels.h -- small images for the tests of the driver, made word by word.
 *
 * Start code of each generation (doc/abi.md, "Generations"), then kernels that
 * show what the driver handed them.  In all of them x5 is CSR_KNL and x10 the
 * argument block.
 */
#ifndef CHECK_KERNELS_H
#define CHECK_KERNELS_H
#include "test/kit/objects.h"

enum { KNL = 0x803, WGX = 0x808, TID = 0x800, WID = 0x805, LDS = 0x806 };

static inline void emit(Buf *b, const Insn *in)
{
    const u32 word = encode(in);
    buf_put(b, &word, sizeof word);
}
#define OP_(b, ...) emit(b, &(Insn){__VA_ARGS__})

/* entry, argument block, call, end; words of the metadata are read so that the code
 * looks like what the generation's crt0 is */
static inline void put_start(Buf *b, Generation g, int tp_word)
{
    OP_(b, I_csrrs, {5, KNL, 0});
    OP_(b, I_lw, {6, 0, 5});
    OP_(b, I_lw, {10, 4, 5});
    if (g == GEN_B) {
        OP_(b, I_csrrs, {7, WID, 0});
        OP_(b, I_slli, {7, 7, 10});
    }
    if (g == GEN_A)
        OP_(b, I_csrrs, {2, LDS, 0});
    if (g == GEN_BARE)
        OP_(b, I_addi, {2, 0, 64});
    if (g == GEN_B2)
        OP_(b, I_lw, {8, 56, 5});
    if (g == GEN_C)
        OP_(b, I_lw, {8, 60, 5});
    if (tp_word)
        OP_(b, I_lw, {4, tp_word, 5});
    OP_(b, I_jalr, {1, 0, 6});
    OP_(b, I_endprg, {0, 0, 0});
}

static inline void put_return(Buf *b) { OP_(b, I_jalr, {0, 0, 1}); }

/* v1 = global id in one dimension (of the first), x14 = first id of the group */
static inline void put_global_id(Buf *b)
{
    OP_(b, I_vid_v, {1, 1});
    OP_(b, I_csrrs, {13, TID, 0});
    OP_(b, I_vadd_vx, {1, 1, 13, 1});
    OP_(b, I_csrrs, {14, WGX, 0});
    OP_(b, I_lw, {15, 24, 5});
    OP_(b, I_mul, {14, 14, 15});
    OP_(b, I_vadd_vx, {1, 1, 14, 1});
}

/* v3 = address of the work-item's word of the array at x11 */
static inline void put_slot(Buf *b)
{
    OP_(b, I_vsll_vi, {3, 1, 2, 1});
    OP_(b, I_vadd_vx, {3, 3, 11, 1});
}

/* scale(out, factor): out[id] = id * factor */
static inline void put_scale(Buf *b)
{
    OP_(b, I_lw, {11, 0, 10});
    OP_(b, I_lw, {12, 4, 10});
    put_global_id(b);
    put_slot(b);
    OP_(b, I_vmul_vx, {2, 1, 12, 1});
    OP_(b, I_vsw12_v, {2, 0, 3});
    put_return(b);
}

/* dump(out, ...): out = 16 words of arguments, 20 of metadata */
static inline void put_dump(Buf *b)
{
    OP_(b, I_lw, {11, 0, 10});
    for (int i = 0; i < 16; i++) {
        OP_(b, I_lw, {12, 4 * i, 10});
        OP_(b, I_sw, {12, 4 * i, 11});
    }
    for (int i = 0; i < 20; i++) {
        OP_(b, I_lw, {12, 4 * i, 5});
        OP_(b, I_sw, {12, 64 + 4 * i, 11});
    }
    put_return(b);
}

/* keep(out): out[id] = id by way of private memory; before, what was there is added */
static inline void put_keep(Buf *b)
{
    OP_(b, I_lw, {11, 0, 10});
    put_global_id(b);
    put_slot(b);
    OP_(b, I_vmv_v_x, {4, 0});
    OP_(b, I_vlw_v, {5, 0, 4});     /* 0 when private memory is clean */
    OP_(b, I_vadd_vv, {5, 5, 1, 1});
    OP_(b, I_vsw_v, {5, 0, 4});
    OP_(b, I_vlw_v, {6, 0, 4});
    OP_(b, I_vsw12_v, {6, 0, 3});
    put_return(b);
}

/* wild(): loads from address 16 */
static inline void put_wild(Buf *b)
{
    OP_(b, I_lw, {12, 16, 0});
    put_return(b);
}

/* forever(): never ends */
static inline void put_forever(Buf *b)
{
    OP_(b, I_jal, {0, 0});
    put_return(b);
}

/* say(format): every work-item puts one record with its id, and twice its id as the
 * argument, in the print buffer */
static inline void put_say(Buf *b)
{
    OP_(b, I_lw, {11, 0, 10});
    OP_(b, I_lw, {16, 48, 5});
    put_global_id(b);
    OP_(b, I_addi, {12, 0, 16});
    OP_(b, I_vmv_v_x, {2, 12});
    OP_(b, I_vmv_v_x, {3, 16});
    OP_(b, I_amoadd_w, {0, 4, 2, 3});
    OP_(b, I_vadd_vx, {4, 4, 16, 1});
    OP_(b, I_vsw12_v, {2, 8, 4});
    OP_(b, I_vsw12_v, {1, 12, 4});
    OP_(b, I_vmv_v_x, {5, 11});
    OP_(b, I_vsw12_v, {5, 16, 4});
    OP_(b, I_vadd_vv, {6, 1, 1, 1});
    OP_(b, I_vsw12_v, {6, 20, 4});
    put_return(b);
}

/* raw(from, words): copies words to the start of the print buffer */
static inline void put_raw(Buf *b)
{
    OP_(b, I_lw, {11, 0, 10});
    OP_(b, I_lw, {12, 4, 10});
    OP_(b, I_lw, {16, 48, 5});
    OP_(b, I_slli, {12, 12, 2});
    OP_(b, I_add, {12, 12, 11});
    OP_(b, I_lw, {13, 0, 11});
    OP_(b, I_sw, {13, 0, 16});
    OP_(b, I_addi, {11, 11, 4});
    OP_(b, I_addi, {16, 16, 4});
    OP_(b, I_bltu, {11, 12, -16});
    put_return(b);
}

static inline const Object *add_kernel(Object *o, Buf *b, i32 section, const char *name,
                                       void (*put)(Buf *))
{
    const u32 at = (u32)b->len;
    put(b);
    const i32 s = obj_add_symbol(o, name, section, 0x80000000u + at, STB_GLOBAL, STT_FUNC);
    assert_true(s >= 0);
    o->symbols[s].size = (u32)b->len - at;
    return o;
}

/* An image of all kernels above; the record is for each of them, or NULL. */
static inline Object *make_image(Generation g, int tp_word, const Resource *record)
{
    static const struct { const char *name; void (*put)(Buf *); } kernels[] = {
        {"scale", put_scale}, {"dump", put_dump}, {"keep", put_keep}, {"wild", put_wild},
        {"forever", put_forever}, {"say", put_say}, {"raw", put_raw},
    };
    Object *o = obj_new("test.elf");
    Buf code = {0};
    assert_non_null(o);
    o->is_image = true;
    o->set = V202;
    o->entry = 0x80000000u;
    const i32 text = add_bytes(o, ".text", TEXT_FLAGS, 4, "", 0);
    o->sections[text].addr = 0x80000000u;
    put_start(&code, g, tp_word);
    assert_true(obj_add_symbol(o, "_start", text, 0x80000000u, STB_GLOBAL, STT_FUNC) >= 0);
    for (size_t i = 0; i < countof(kernels); i++) {
        add_kernel(o, &code, text, kernels[i].name, kernels[i].put);
        if (record)
            assert_true(resource_add(o, kernels[i].name, record));
    }
    buf_put(&o->sections[text].data, code.data, code.len);
    o->sections[text].size = (u32)code.len;
    assert_true(array_grow(o->segments, o->nsegments, o->capsegments));
    o->segments[o->nsegments++] = (ObjSegment){.addr = 0x80000000u, .memsz = (u32)code.len,
                                               .flags = PF_R | PF_X, .data = code};
    assert_int_equal(resource_generation(o), g);
    return o;
}
#endif
