/* load.c -- a small loader, for objects that LLVM makes of one module: code, constants, and jumps
 * to a few functions of the C library.
 *
 *     | code, then a jump to each function outside | constants |
 *       readable and executable                      readable
 *
 * The object comes from our own process or from a file that was authenticated.  It is checked all
 * the same, so that a damaged one is refused.
 */
#include "jit/load.h"
#include "base/mem.h"
#include "jit/hostkind.h"
#include <elf.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_OBJECT = 1 << 28 };

typedef struct {
    const HostKind *host;
    const u8 *file;
    size_t len;
    const Elf64_Shdr *section;
    u32 nsection;
    const Elf64_Sym *symbol;
    size_t nsymbol;
    const char *names; /* of symbols */
    size_t nnames;
    u64 *at;        /* of each section in the block; ~0: it is not there */
    u64 code, size; /* bytes of the block up to constants, and in all */
    u64 stubs;      /* where the jumps begin: one a symbol of `outside` */
    u8 *block;
    const char *why;
} Job;

/* --- what code may call ------------------------------------------------------------------ */

/* LLVM calls these where the host lacks an instruction. */
static const struct {
    const char *name;
    HostFunction *function;
} outside[] = {
#define FUNCTION(name) {#name, (HostFunction *)name}
    FUNCTION(fmaf),   FUNCTION(roundevenf), FUNCTION(truncf), FUNCTION(floorf), FUNCTION(memcpy),
    FUNCTION(memset), FUNCTION(memmove),    FUNCTION(sqrtf),  FUNCTION(fma),    FUNCTION(roundeven),
};

/* --- the file ---------------------------------------------------------------------------- */

static bool refuse(Job *j, const char *why)
{
    j->why = why;
    return false;
}

static bool is_inside(const Job *j, u64 at, u64 size)
{
    return at <= j->len && size <= j->len - at;
}

/* A table of the file, aligned as its elements want it; NULL: it is not inside. */
static const void *table(const Job *j, u64 at, u64 size)
{
    return is_inside(j, at, size) && !((uintptr_t)(j->file + at) & 7) ? j->file + at : NULL;
}

static const char *name_of(const Job *j, const Elf64_Sym *s)
{
    return s->st_name < j->nnames && memchr(j->names + s->st_name, 0, j->nnames - s->st_name)
               ? j->names + s->st_name
               : "";
}

static bool read_tables(Job *j)
{
    Elf64_Ehdr h;
    if (j->len < sizeof h || j->len > MAX_OBJECT)
        return refuse(j, "too small or too large");
    memcpy(&h, j->file, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL ||
        h.e_machine != j->host->machine || h.e_shentsize != sizeof *j->section)
        return refuse(j, "no object of this host");
    j->nsection = h.e_shnum;
    j->section = table(j, h.e_shoff, (u64)h.e_shnum * sizeof *j->section);
    if (!j->section)
        return refuse(j, "sections outside of the file");
    for (u32 i = 0; i < j->nsection; i++) {
        const Elf64_Shdr *s = &j->section[i];
        if (s->sh_type != SHT_NOBITS && !is_inside(j, s->sh_offset, s->sh_size))
            return refuse(j, "a section outside of the file");
        if (s->sh_type != SHT_SYMTAB)
            continue;
        j->symbol = table(j, s->sh_offset, s->sh_size);
        j->nsymbol = s->sh_size / sizeof *j->symbol;
        if (!j->symbol || s->sh_link >= j->nsection)
            return refuse(j, "symbols outside of the file");
        const Elf64_Shdr *names = &j->section[s->sh_link];
        if (!is_inside(j, names->sh_offset, names->sh_size))
            return refuse(j, "names outside of the file");
        j->names = (const char *)j->file + names->sh_offset;
        j->nnames = names->sh_size;
    }
    return j->symbol || refuse(j, "no symbols");
}

/* --- places ------------------------------------------------------------------------------ */

static bool is_wanted(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_ALLOC && s->sh_size && s->sh_type != SHT_X86_64_UNWIND;
}

static bool place(Job *j, bool executable, u64 *end)
{
    for (u32 i = 0; i < j->nsection; i++) {
        const Elf64_Shdr *s = &j->section[i];
        const u64 align = s->sh_addralign ? s->sh_addralign : 1;
        if (!is_wanted(s) || !(s->sh_flags & SHF_EXECINSTR) == executable)
            continue;
        if (s->sh_flags & (SHF_WRITE | SHF_TLS) || s->sh_type != SHT_PROGBITS)
            return refuse(j, "a section that can be written");
        if (!is_pow2(align) || align > 4096)
            return refuse(j, "a section with an impossible alignment");
        j->at[i] = *end = align_up(*end, align);
        *end += s->sh_size;
    }
    return true;
}

static bool fill_block(Job *j)
{
    const u64 page = (u64)sysconf(_SC_PAGESIZE);
    u64 end = 0;
    if (!place(j, true, &end))
        return false;
    j->stubs = align_up(end, STUB);
    end = j->code = align_up(j->stubs + countof(outside) * STUB, page);
    if (!place(j, false, &end))
        return false;
    j->size = align_up(end, page);
    void *block = mmap(NULL, j->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return refuse(j, "out of memory");
    j->block = block;
    for (u32 i = 0; i < j->nsection; i++)
        if (j->at[i] != UINT64_MAX)
            memcpy(j->block + j->at[i], j->file + j->section[i].sh_offset, j->section[i].sh_size);
    for (size_t i = 0; i < countof(outside); i++)
        j->host->jump(j->block + j->stubs + i * STUB, (uintptr_t)outside[i].function);
    return true;
}

/* --- relocation -------------------------------------------------------------------------- */

/* where symbol n is, in the block */
static bool find_symbol(Job *j, u64 n, u64 *at)
{
    if (n >= j->nsymbol)
        return refuse(j, "a symbol that is not there");
    const Elf64_Sym *s = &j->symbol[n];
    if (s->st_shndx < j->nsection && s->st_shndx && j->at[s->st_shndx] != UINT64_MAX &&
        s->st_value <= j->section[s->st_shndx].sh_size) {
        *at = j->at[s->st_shndx] + s->st_value;
        return true;
    }
    for (size_t i = 0; s->st_shndx == SHN_UNDEF && i < countof(outside); i++)
        if (!strcmp(name_of(j, s), outside[i].name)) {
            *at = j->stubs + i * STUB;
            return true;
        }
    return refuse(j, "a symbol that code may not use");
}

static bool relocate(Job *j, u32 section, const Elf64_Rela *r)
{
    const u32 type = (u32)ELF64_R_TYPE(r->r_info), width = j->host->width(type);
    const u64 size = j->section[section].sh_size;
    u64 symbol;
    if (!width)
        return refuse(j, "a relocation of another kind");
    if (r->r_offset > size || size - r->r_offset < width)
        return refuse(j, "a relocation outside of its section");
    if (!find_symbol(j, ELF64_R_SYM(r->r_info), &symbol))
        return false;
    const u64 at = j->at[section] + r->r_offset, block = (uintptr_t)j->block;
    return j->host->apply(j->block + at, block + at, type, block + symbol + (u64)r->r_addend) ||
           refuse(j, "a relocation that does not fit");
}

static bool relocate_all(Job *j)
{
    for (u32 i = 0; i < j->nsection; i++) {
        const Elf64_Shdr *s = &j->section[i];
        if (s->sh_type == SHT_REL)
            return refuse(j, "relocations without addends");
        if (s->sh_type != SHT_RELA || s->sh_info >= j->nsection || j->at[s->sh_info] == UINT64_MAX)
            continue;
        const Elf64_Rela *r = table(j, s->sh_offset, s->sh_size);
        if (!r)
            return refuse(j, "relocations outside of the file");
        for (u64 k = 0; k < s->sh_size / sizeof *r; k++)
            if (!relocate(j, s->sh_info, &r[k]))
                return false;
    }
    return true;
}

static bool find_entry(Job *j, const char *name, HostFunction **entry)
{
    for (size_t i = 0; i < j->nsymbol; i++) {
        const Elf64_Sym *s = &j->symbol[i];
        u64 at;
        if (s->st_shndx == SHN_UNDEF || strcmp(name_of(j, s), name) || !find_symbol(j, i, &at))
            continue;
        if (at >= j->stubs)
            return refuse(j, "the function is no code");
        void *p = j->block + at;
        memcpy(entry, &p, sizeof p); /* ISO C converts no pointer to code */
        return true;
    }
    return refuse(j, "the function is not there");
}

static bool protect(Job *j)
{
    __builtin___clear_cache((char *)j->block, (char *)j->block + j->code);
    return (!mprotect(j->block, j->code, PROT_READ | PROT_EXEC) &&
            (j->size == j->code || !mprotect(j->block + j->code, j->size - j->code, PROT_READ))) ||
           refuse(j, "the host refuses executable memory");
}

bool code_load(const u8 *object, size_t len, const char *symbol, Loaded *to, const char **why)
{
    Job j = {.host = host_kind(), .file = object, .len = len};
    *to = (Loaded){NULL, 0, NULL};
    bool ok = j.host ? read_tables(&j) : refuse(&j, "no loader for this host");
    if (ok && !(j.at = mem_alloc((j.nsection + 1) * sizeof *j.at)))
        ok = refuse(&j, "out of memory");
    if (ok)
        memset(j.at, 0xff, j.nsection * sizeof *j.at);
    ok = ok && fill_block(&j) && relocate_all(&j) && find_entry(&j, symbol, &to->entry) &&
         protect(&j);
    mem_free(j.at);
    if (!ok && j.block)
        munmap(j.block, j.size);
    if (!ok) {
        *why = j.why;
        return false;
    }
    to->block = j.block;
    to->size = j.size;
    return true;
}

void code_unload(Loaded *l)
{
    if (l->block)
        munmap(l->block, l->size);
    *l = (Loaded){NULL, 0, NULL};
}
