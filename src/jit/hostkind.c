/* hostkind.c -- relocations of host code ("System V Application Binary Interface, AMD64 Architecture Processor
 * Supplement", 4.4; "ELF for the Arm 64-bit Architecture", 5.7), those that LLVM's code of one module needs: code is in
 * one block with its constants and its jumps, so nothing is far, and no table of addresses is needed. */
#include "jit/hostkind.h"
#include <elf.h>
#include <string.h>

/* whether it is a number of so many bits with a sign */
static bool fits(u64 v, int bits) { return (u64)sign_extend(v, bits) == v; }

/* --- x86-64 ------------------------------------------------------------------------------ */

static void jump_x86_64(u8 stub[STUB], u64 to)
{
    static const u8 jump[6] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip), then the address */
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + sizeof jump, &to, sizeof to);
}

static u32 width_x86_64(u32 type)
{
    switch (type) {
    case R_X86_64_64: return 8;
    case R_X86_64_PC32:
    case R_X86_64_PLT32: return 4;
    default: return 0;
    }
}

static bool apply_x86_64(u8 *at, u64 place, u32 type, u64 value)
{
    const u32 width = width_x86_64(type);
    if (width == 4)
        value -= place;
    memcpy(at, &value, width);
    return width == 8 || fits(value, 32);
}

const HostKind host_x86_64 = {EM_X86_64, jump_x86_64, width_x86_64, apply_x86_64};

/* --- AArch64 ----------------------------------------------------------------------------- */

static void jump_aarch64(u8 stub[STUB], u64 to)
{
    static const u32 jump[2] = {0x58000050,
                                0xd61f0200}; /* ldr x16, .+8; br x16; then the address */
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + sizeof jump, &to, sizeof to);
}

static u32 width_aarch64(u32 type)
{
    switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64: return 8;
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: return 4;
    default: return 0;
    }
}

/* The bits of a field in an instruction. */
static void put_field(u8 *at, u64 value, u32 first, u32 bits)
{
    const u32 mask = (((u32)1 << bits) - 1) << first;
    u32 word;
    memcpy(&word, at, sizeof word);
    word = (word & ~mask) | ((u32)value << first & mask);
    memcpy(at, &word, sizeof word);
}

/* The place in a page of 4 KiB, in units of 2^scale bytes, as the immediate of an instruction. */
static bool put_in_page(u8 *at, u64 value, u32 scale)
{
    put_field(at, (value & 0xfff) >> scale, 10, 12);
    return !(value & (((u64)1 << scale) - 1));
}

static bool apply_aarch64(u8 *at, u64 place, u32 type, u64 value)
{
    const u64 distance = value - place;
    const i64 pages = (i64)((value & ~(u64)0xfff) - (place & ~(u64)0xfff)) >> 12;
    switch (type) {
    case R_AARCH64_ABS64: memcpy(at, &value, 8); return true;
    case R_AARCH64_PREL64: memcpy(at, &distance, 8); return true;
    case R_AARCH64_PREL32: memcpy(at, &distance, 4); return fits(distance, 32);
    case R_AARCH64_ADR_PREL_PG_HI21:
        put_field(at, (u64)pages & 3, 29, 2);
        put_field(at, (u64)pages >> 2, 5, 19);
        return fits((u64)pages, 21);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        put_field(at, distance >> 2, 0, 26);
        return fits(distance, 28) && !(distance & 3);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return put_in_page(at, value, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC: return put_in_page(at, value, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC: return put_in_page(at, value, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC: return put_in_page(at, value, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC: return put_in_page(at, value, 4);
    default: return false;
    }
}

const HostKind host_aarch64 = {EM_AARCH64, jump_aarch64, width_aarch64, apply_aarch64};

const HostKind *host_kind(void)
{
#if defined(__x86_64__)
    return &host_x86_64;
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
    return &host_aarch64;
#else
    return NULL;
#endif
}
