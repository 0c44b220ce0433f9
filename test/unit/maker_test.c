/* maker_test.c -- host code from its maker and from the disk: what is damaged, forged or foreign is
 * not executed, and a maker that is unwell only means that the interpreter goes on.
 *
 * With MAKER_TEST_FAKE this program is itself the maker, one whose answer is as bad as that says.
 */
#include "test/kit/leftover.h"
#include "test/kit/assemble.h"
#include "test/kit/skip.h"
#include "base/fdio.h"
#include "comp/bytes.h"
#include "dev/dev.h"
#include "jit/jit.h"
#include "jit/maker.h"
#include "jit/siphash.h"
#include "jit/hostkind.h"
#include "link/link.h"
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define KNL  0x90000000u
#define DATA 0x90001000u

extern char **environ;
static char scratch[] = "/tmp/maker_test.XXXXXX";

#define NEED_MAKER                                                                                 \
    const char *why_not;                                                                           \
    (void)state;                                                                                   \
    if (!maker_available(&why_not))                                                                \
    skip_because("%s", why_not)

/* --- the keyed hash ---------------------------------------------------------------------- */

/* The results that the authors publish for the key 00 01 .. 0f and the messages 00 01 .. of each
 * length. */
static void hashes_as_published(void **state)
{
    static const struct {
        u32 len;
        u64 hash;
    } row[] = {{0, 0x726fdb47dd0e0e31},
               {1, 0x74f839c593dc67fd},
               {8, 0x93f5f5799a932462},
               {15, 0xa129ca6149be45e5}};
    u8 key[16], message[16];
    (void)state;
    for (u8 i = 0; i < 16; i++)
        key[i] = message[i] = i;
    for (size_t i = 0; i < countof(row); i++)
        assert_int_equal(siphash(key, message, row[i].len), row[i].hash);
}

/* --- objects ----------------------------------------------------------------------------- */

/* What the maker answers to a request. */
static Buf ask(const Buf *request)
{
    const char *set = getenv("VENTUS_JIT_PROGRAM");
    char *program = set ? mem_strdup(set) : proc_find("ventus-jit1"), level[] = "base";
    char *argv[] = {program, level, NULL};
    Buf answer = {0};
    int control;
    ProcResult r;
    const int file[] = {memfd_create("request", MFD_CLOEXEC), memfd_create("answer", MFD_CLOEXEC),
                        memfd_create("complaint", MFD_CLOEXEC)};
    assert_true(fd_write(file[0], request->data, request->len));
    assert_int_equal(proc_start(argv, environ, &control), 0);
    assert_int_equal(proc_call(control, file, 3, &(ProcLimits){.wall = 60}, -1, &r), 0);
    assert_int_equal(r.how, PROC_EXITED);
    assert_int_equal(r.code, 0);
    assert_true(fd_read(file[1], 1 << 24, &answer));
    for (int i = 0; i < 3; i++)
        close(file[i]);
    close(control);
    mem_free(program);
    return answer;
}

/* Parts of several lengths, joined, are those parts again; the first of them, where that is cut
 * between two; no parts, where it is cut elsewhere or begins with something else. */
static void joins_requests(void **state)
{
    enum { MOST = 9 };
    Buf part[MOST] = {{0}}, all = {0};
    const Buf *each[MOST];
    Bytes got[NHELPERS];
    size_t end[MOST + 1] = {4};
    u32 n = 0, whole = 0;
    (void)state;
    for (u32 i = 0; i < MOST; i++) {
        each[i] = &part[i];
        for (u32 k = 0; k < i * i; k++)
            buf_put(&part[i], &(u8){(u8)(i ^ k)}, 1);
        end[i + 1] = end[i] + 8 + part[i].len;
    }
    codejob_join(each, MOST, &all);
    assert_int_equal(all.len, end[MOST]);
    for (size_t len = 0; len <= all.len; len++) {
        const bool is_whole = len == end[whole];
        assert_int_equal(codejob_split(all.data, len, got, &n), is_whole);
        if (!is_whole)
            continue;
        assert_int_equal(n, whole++);
        for (u32 i = 0; i < n; i++) {
            assert_int_equal(got[i].len, part[i].len);
            assert_false(part[i].len && memcmp(got[i].data, part[i].data, part[i].len));
        }
    }
    assert_int_equal(whole, MOST + 1);
    all.data[0] ^= 1;
    assert_false(codejob_split(all.data, all.len, got, &n));
    for (u32 i = 0; i < MOST; i++)
        buf_free(&part[i]);
    buf_free(&all);
}

/* As many parts as there are helpers, and no more. */
static void joins_no_more(void **state)
{
    const Buf none = {0};
    const Buf *each[NHELPERS + 1];
    Bytes got[NHELPERS];
    (void)state;
    for (u32 i = 0; i < countof(each); i++)
        each[i] = &none;
    for (u32 more = 0; more < 2; more++) {
        Buf all = {0};
        u32 n = 0;
        codejob_join(each, NHELPERS + more, &all);
        assert_int_equal(codejob_split(all.data, all.len, got, &n), !more);
        assert_int_equal(n, NHELPERS);
        buf_free(&all);
    }
}

/* A part that lacks what there was no memory for makes the whole one of that kind, whichever it is. */
static void joins_no_failed_parts(void **state)
{
    enum { N = 3 };
    (void)state;
    for (u32 failed = 0; failed <= N; failed++) {
        Buf part[N] = {{0}}, all = {0};
        for (u32 i = 0; i < N; i++)
            part[i].failed = i == failed;
        codejob_join((const Buf *const[]){&part[0], &part[1], &part[2]}, N, &all);
        assert_int_equal(all.failed, failed < N);
        buf_free(&all);
    }
}

/* An object with code, constants and relocations: the helper that gathers bytes, or calls what
 * does. */
static Buf helper_object(void)
{
    Buf request = {0}, object = {0};
    CodeAnswer a;
    codejob_write(&(CodeJob){.level = "base", .helper = NHELPERS - 1}, NULL, &request);
    Buf answer = ask(&request);
    assert_true(codeanswer_read(answer.data, answer.len, &a));
    buf_put(&object, a.object.data, a.object.len);
    buf_free(&answer);
    buf_free(&request);
    return object;
}

/* The maker answers requests that are joined as it answers each. */
static void answers_joined_requests(void **state)
{
    static const u32 helper[] = {0, ROW_HELPERS, ROW_HELPERS + 3, ACCESS_HELPERS + 2, NHELPERS - 1};
    enum { N = countof(helper) };
    Buf request[N] = {{0}}, joined = {0};
    const Buf *each[N];
    Bytes got[NHELPERS];
    u32 n = 0;
    NEED_MAKER;
    for (u32 i = 0; i < N; i++) {
        codejob_write(&(CodeJob){.level = "base", .helper = helper[i]}, NULL, &request[i]);
        each[i] = &request[i];
    }
    codejob_join(each, N, &joined);
    Buf answers = ask(&joined);
    assert_true(codejob_split(answers.data, answers.len, got, &n));
    assert_int_equal(n, N);
    for (u32 i = 0; i < N; i++) {
        CodeAnswer a, b;
        Buf alone = ask(&request[i]);
        assert_true(codeanswer_read(got[i].data, got[i].len, &a));
        assert_true(codeanswer_read(alone.data, alone.len, &b));
        assert_int_equal(a.object.len, b.object.len);
        assert_memory_equal(a.object.data, b.object.data, b.object.len);
        assert_memory_equal(a.helpers, b.helpers, sizeof a.helpers);
        assert_in_range(a.nanoseconds, 1, 60000000000u);
        buf_free(&alone);
        buf_free(&request[i]);
    }
    buf_free(&answers);
    buf_free(&joined);
}

static uintptr_t address_of(const Loaded *l)
{
    uintptr_t at;
    memcpy(&at, &l->entry, sizeof at);
    return at;
}

static bool loads(const Buf *object, size_t len)
{
    Loaded l;
    const char *why = NULL;
    const bool ok = code_load(object->data, len, CODE_SYMBOL, &l, &why);
    assert_true(ok == (l.block != NULL) && ok == !why);
    if (ok)
        assert_in_range(address_of(&l) - (uintptr_t)l.block, 0, l.size - 1);
    code_unload(&l);
    return ok;
}

/* A damaged object is refused, or has other code; reading it does no harm. */
static void reads_damaged_objects(void **state)
{
    NEED_MAKER;
    Buf o = helper_object();
    u32 refused = 0;
    assert_true(loads(&o, o.len));
    for (size_t len = 0; len < o.len; len++)
        assert_false(loads(&o, len)); /* the sections' table is at the end */
    for (size_t i = 0; i < o.len; i++)
        for (int k = 0; k < 3; k++) {
            const u8 was = o.data[i];
            o.data[i] = k == 0 ? (u8)~was : k == 1 ? was ^ 1 : was ^ 0x80;
            refused += !loads(&o, o.len);
            o.data[i] = was;
        }
    assert_true(refused > 100);
    buf_free(&o);
}

/* Its table of sections begins where a structure may. */
static void refuses_tables_between_words(void **state)
{
    enum { ALIGNED = 8 };
    NEED_MAKER;
    Buf o = helper_object();
    const Elf64_Ehdr *h = (const void *)o.data;
    const u64 at = h->e_shoff, size = (u64)h->e_shnum * sizeof(Elf64_Shdr);
    for (u32 by = 0; by <= ALIGNED; by++) {
        Buf moved = {0};
        buf_put(&moved, o.data, o.len);
        while (moved.len % ALIGNED != by % ALIGNED || moved.len == o.len)
            buf_put(&moved, "", 1);
        ((Elf64_Ehdr *)(void *)moved.data)->e_shoff = moved.len;
        buf_put(&moved, o.data + at, size);
        assert_int_equal(loads(&moved, moved.len), by % ALIGNED == 0);
        buf_free(&moved);
    }
    buf_free(&o);
}

/* The first relocation of the object's code that counts from its own place to a section: where in
 * the file it is, and where from the entry on it applies. */
static Elf64_Rela *relative_relocation(const Buf *o, i64 *from_entry)
{
    const Elf64_Ehdr *h = (const void *)o->data;
    const Elf64_Shdr *section = (const void *)(o->data + h->e_shoff);
    for (u32 i = 0; i < h->e_shnum; i++) {
        if (section[i].sh_type != SHT_RELA)
            continue;
        const Elf64_Sym *entry = (const void *)(o->data + section[section[i].sh_link].sh_offset);
        while (ELF64_ST_TYPE(entry->st_info) != STT_FUNC) /* there is one */
            entry++;
        Elf64_Rela *r = (void *)(o->data + section[i].sh_offset),
                   *end = r + section[i].sh_size / sizeof *r;
        for (; r < end && entry->st_shndx == section[i].sh_info; r++)
            if (ELF64_R_TYPE(r->r_info) == R_X86_64_PC32) {
                *from_entry = (i64)(r->r_offset - entry->st_value);
                return r;
            }
    }
    return NULL;
}

/* What a relative relocation says from its place on is what an absolute one says of the same
 * symbol. */
static void relocates_alike(void **state)
{
    NEED_MAKER;
    if (host_kind() != &host_x86_64)
        skip_because("its relocations are those of x86-64");
    Buf o = helper_object();
    Loaded l;
    const char *why;
    i64 at = 0;
    i32 distance;
    uintptr_t address;
    Elf64_Rela *r = relative_relocation(&o, &at);
    assert_non_null(r);
    assert_true(code_load(o.data, o.len, CODE_SYMBOL, &l, &why));
    const uintptr_t place = address_of(&l) + (uintptr_t)at;
    memcpy(&distance, (const void *)place, sizeof distance);
    const u64 in_block = place + (uintptr_t)(i64)distance - (uintptr_t)l.block;
    code_unload(&l);
    r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), R_X86_64_64);
    assert_true(code_load(o.data, o.len, CODE_SYMBOL, &l, &why));
    memcpy(&address, (const void *)(address_of(&l) + (uintptr_t)at), sizeof address);
    assert_true(address == (uintptr_t)l.block + in_block);
    code_unload(&l);
    buf_free(&o);
}

/* An object's parts that a row of refusals changes. */
typedef struct {
    Elf64_Ehdr *head;
    Elf64_Shdr *section, *code, *constants, *symbols, *relocations; /* of the code */
    Elf64_Sym *entry, *used; /* the function; a symbol of a relocation */
    Elf64_Rela *first;       /* relative */
} Parts;

static Parts parts_of(const Buf *o)
{
    i64 unused;
    Parts p = {.head = (void *)o->data, .first = relative_relocation(o, &unused)};
    p.section = (void *)(o->data + p.head->e_shoff);
    for (u32 i = 0; i < p.head->e_shnum; i++) {
        Elf64_Shdr *s = &p.section[i];
        if (s->sh_type == SHT_SYMTAB)
            p.symbols = s;
        if (s->sh_type == SHT_PROGBITS && !(s->sh_flags & SHF_EXECINSTR) &&
            s->sh_flags & SHF_ALLOC && s->sh_size)
            p.constants = s;
        if (s->sh_type == SHT_RELA && (u8 *)p.first >= o->data + s->sh_offset &&
            (u8 *)p.first < o->data + s->sh_offset + s->sh_size)
            p.relocations = s;
    }
    p.code = &p.section[p.relocations->sh_info];
    p.entry = (void *)(o->data + p.symbols->sh_offset);
    p.used = p.entry + ELF64_R_SYM(p.first->r_info);
    while (ELF64_ST_TYPE(p.entry->st_info) != STT_FUNC)
        p.entry++;
    return p;
}

enum { REFUSALS = 26 };

/* Makes a change to the object.  Why it is refused then; NULL: it is not. */
static const char *spoil(const Parts *p, u32 n, size_t *len)
{
    const char *write = "a section that can be written", *kind = "a relocation of another kind",
               *fit = "a relocation that does not fit", *use = "a symbol that code may not use",
               *host = "no object of this host";
    const u32 symbol = (u32)ELF64_R_SYM(p->first->r_info);
    switch (n) {
    case 0: return NULL;
    case 1: p->head->e_ident[0] ^= 1; return host;
    case 2: p->head->e_ident[EI_CLASS] = ELFCLASS32; return host;
    case 3: p->head->e_ident[EI_DATA] = ELFDATA2MSB; return host;
    case 4: p->head->e_type = ET_EXEC; return host;
    case 5: p->head->e_machine = EM_386; return host;
    case 6: p->head->e_shentsize++; return host;
    case 7: *len = sizeof(Elf64_Ehdr) - 1; return "too small or too large";
    case 8: p->head->e_shoff = *len + 8 - *len % 8; return "sections outside of the file";
    case 9: p->head->e_shoff++; return "sections outside of the file"; /* not aligned */
    case 10: p->code->sh_size = *len; return "a section outside of the file";
    case 11: p->symbols->sh_link = p->head->e_shnum; return "symbols outside of the file";
    case 12: p->symbols->sh_type = SHT_STRTAB; return "no symbols";
    case 13: p->constants->sh_flags |= SHF_WRITE; return write;
    case 14: p->constants->sh_flags |= SHF_TLS; return write;
    case 15: p->code->sh_type = SHT_INIT_ARRAY; return write;
    case 16: p->code->sh_addralign = 48; return "a section with an impossible alignment";
    case 17: p->code->sh_addralign = 8192; return "a section with an impossible alignment";
    case 18: p->code->sh_addralign = 4096; return NULL;
    case 19: p->relocations->sh_type = SHT_REL; return "relocations without addends";
    case 20:
        p->first->r_offset = p->code->sh_size - 3;
        return "a relocation outside of its section";
    case 21:
        p->first->r_info = ELF64_R_INFO(p->symbols->sh_size / sizeof *p->entry, R_X86_64_PC32);
        return "a symbol that is not there";
    case 22: p->used->st_shndx = p->symbols->sh_link & 0xffff; return use; /* it is not loaded */
    case 23: p->first->r_info = ELF64_R_INFO(symbol, R_X86_64_32); return kind;
    case 24: p->first->r_addend = INT32_MAX; return fit;
    default: p->used->st_shndx = SHN_UNDEF; return use;
    }
}

/* Each thing that an object must not have is refused with its reason. */
static void says_what_is_refused(void **state)
{
    NEED_MAKER;
    if (host_kind() != &host_x86_64)
        skip_because("its relocations are those of x86-64");
    Buf o = helper_object(), copy = {0};
    for (u32 n = 0; n < REFUSALS; n++) {
        Loaded l;
        const char *why = NULL;
        copy.len = 0;
        buf_put(&copy, o.data, o.len);
        const Parts p = parts_of(&copy);
        size_t len = copy.len;
        const char *want = spoil(&p, n, &len);
        const bool ok = code_load(copy.data, len, CODE_SYMBOL, &l, &why);
        if (ok != !want || (want && strcmp(why, want)))
            fail_msg("change %u: %s instead of %s", n, why ? why : "loaded",
                     want ? want : "loaded");
        code_unload(&l);
    }
    Loaded l;
    const char *why;
    assert_false(code_load(o.data, o.len, "other", &l, &why));
    assert_string_equal(why, "the function is not there");
    const Parts p = parts_of(&o);
    p.entry->st_shndx = (u16)(p.constants - p.section);
    p.entry->st_value = 0;
    assert_false(code_load(o.data, o.len, CODE_SYMBOL, &l, &why));
    assert_string_equal(why, "the function is no code");
    buf_free(&o);
    buf_free(&copy);
}

static void code_cannot_be_written(void **state)
{
    NEED_MAKER;
    Buf o = helper_object();
    Loaded l;
    const char *why;
    assert_true(code_load(o.data, o.len, CODE_SYMBOL, &l, &why));
    const int fd = open("/dev/zero", O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, (void *)address_of(&l), 1) < 0); /* EFAULT */
    assert_true(read(fd, (u8 *)l.block + l.size - 1, 1) < 0);
    close(fd);
    code_unload(&l);
    buf_free(&o);
}

/* --- requests ---------------------------------------------------------------------------- */

static void reads_damaged_requests(void **state)
{
    Buf q = {0};
    ReadJob r;
    (void)state;
    codejob_write(&(CodeJob){.level = "base", .helper = 5}, NULL, &q);
    assert_true(codejob_read(q.data, q.len, &r));
    assert_int_equal(r.job.helper, 5);
    codejob_close(&r);
    for (size_t i = 0; i < q.len; i++) {
        assert_false(codejob_read(q.data, i, &r));
        codejob_close(&r);
        const u8 was = q.data[i];
        q.data[i] = (u8)~was;
        codejob_read(q.data, q.len, &r);
        codejob_close(&r);
        q.data[i] = was;
    }
    buf_free(&q);
}

/* --- a device ---------------------------------------------------------------------------- */

/* Adds to a word as often as it says, in a loop. */
static const char program[] = "    li      s1, 0x90001000\n"
                              "    lw      t0, 0(s1)\n"
                              "    vid.v   v1\n"
                              "    vmv.v.i v2, 0\n"
                              "1:  vadd.vv v2, v2, v1\n"
                              "    vadd.vi v2, v2, 3\n"
                              "    addi    t0, t0, -1\n"
                              "    bgtz    t0, 1b\n"
                              "    vsll.vi v1, v1, 2\n"
                              "    vadd.vx v1, v1, s1\n"
                              "    vsw12.v v2, 64(v1)\n"
                              "    endprg  x0, x0, x0\n";
enum { LANES = 8 };

static Device *open_device(const char *engine)
{
    DeviceOptions o = dev_defaults();
    o.engine = dev_find_engine(engine);
    assert_non_null(o.engine);
    Device *d = dev_open(&o);
    assert_non_null(d);
    memory_map(dev_memory(d), KNL, PAGE_SIZE, MEM_R | MEM_W);
    memory_map(dev_memory(d), DATA, PAGE_SIZE, MEM_R | MEM_W);
    Caught c;
    catch_in(&c);
    Object *text = assemble(program, V202);
    Object *image =
        link_objects((const Object *const[]){text}, 1, &(LinkOptions){.output = "t"}, &c.d);
    assert_non_null(image);
    assert_true(dev_load(d, image, &c.d));
    obj_free(text);
    return d;
}

/* Runs the loop n times and looks at the result. */
static void must_run(Device *d, u32 n)
{
    const u32 block[9] = {CODE_LO, 0, 1, LANES, 1, 1, LANES, 1, 1};
    u32 out[LANES];
    DevResult r;
    assert_true(dev_write(d, KNL, block, sizeof block));
    assert_true(dev_write(d, DATA, &n, sizeof n));
    const DevLaunch l = {
        .knl = KNL, .groups = {1, 1, 1}, .warps = 1, .lanes = LANES, .run = {.threads = 1}};
    assert_true(dev_launch(d, &l, &r));
    assert_int_equal(r.run.insns, 8 + 4 * n);
    assert_true(dev_read(d, DATA + 64, out, sizeof out));
    for (u32 i = 0; i < LANES; i++)
        assert_int_equal(out[i], n * (i + 3));
}

static JitStats stats_of(Device *d)
{
    JitStats s;
    assert_true(jit_stats(dev_engine(d), &s));
    return s;
}

/* Opens a device, runs, and closes it: what it compiled, and what came from the disk. */
static JitStats one_program(void)
{
    Device *d = open_device("jit");
    must_run(d, 1000);
    const JitStats s = stats_of(d);
    dev_close(d);
    return s;
}

/* --- the disk ---------------------------------------------------------------------------- */

/* Calls f for each entry of the cache; how many there are. */
static int each_entry(void (*f)(const char *path))
{
    char path[512];
    int n = 0;
    DIR *dir = opendir(scratch);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".ventus")) {
            snprintf(path, sizeof path, "%s/%s", scratch, e->d_name);
            n++;
            if (f)
                f(path);
        }
    closedir(dir);
    return n;
}

static void remove_it(const char *path) { assert_int_equal(unlink(path), 0); }

/* the last byte of an entry is one of its object */
static void damage(const char *path)
{
    const int fd = open(path, O_RDWR);
    struct stat st;
    u8 byte;
    assert_true(fd >= 0 && !fstat(fd, &st));
    assert_int_equal(pread(fd, &byte, 1, st.st_size - 1), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, st.st_size - 1), 1);
    close(fd);
}

/* What the cache takes for whole: its own checksum is right again, as a forger would see to. */
static void forge(const char *path)
{
    enum { HEADER = 32, HASH = 24 }; /* comp/cache.c, Header */
    Buf b = {0};
    damage(path);
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && fd_read(fd, 1 << 24, &b));
    u64 h = 0xcbf29ce484222325;
    for (size_t i = HEADER; i < b.len; i++)
        h = (h ^ b.data[i]) * 0x100000001b3;
    assert_int_equal(pwrite(fd, &h, sizeof h, HASH), sizeof h);
    close(fd);
    buf_free(&b);
}

static void key_path(char path[512])
{
    snprintf(path, 512, "%s/code-key-%u", scratch, (unsigned)geteuid());
}

static void second_run_compiles_nothing(void **state)
{
    NEED_MAKER;
    each_entry(remove_it);
    JitStats s = one_program();
    assert_true(s.compiled > 0 && s.regions > 0);
    assert_int_equal(s.cached, 0);
    assert_true(each_entry(NULL) > 0);
    s = one_program();
    assert_true(s.compiled > 0 && s.regions > 0);
    assert_int_equal(s.cached, s.regions);
}

#ifndef HOSTILE /* there turns are short, and little of what is interpreted counts as heat of where it began */
/* Two short launches, of which the second counts, by the engine that compiles what is hot; other: of other code, in bytes
 * that nothing runs. */
static JitStats short_program(bool other)
{
    Device *d = open_device("auto");
    if (other)
        assert_true(dev_write(d, CODE_LO + 2048, &(u32){0x13}, 4));
    must_run(d, 1);
    const JitStats first = stats_of(d);
    must_run(d, 1);
    JitStats s = stats_of(d);
    dev_close(d);
    assert_int_equal(first.compiled, 0); /* nobody looked before the first launch, which is small */
    s.insns -= first.insns;
    return s;
}

/* What an earlier program found hot is taken from the disk before it is launched again, of the same code alone, and
 * whatever the list on the disk says. */
static void takes_at_once_what_was_hot(void **state)
{
    static void (*const changes[])(const char *) = {
        forge, damage}; /* the second undoes the first's byte alone */
    enum {
        MOST = 100000,
        TURN = 1000
    }; /* a turn does not end in the loop, where another entry would be */
    NEED_MAKER;
    each_entry(remove_it);
    JitStats s = short_program(false);
    assert_int_equal(s.compiled, 0);
    Device *d = open_device("auto");
    u32 n = 0;
    for (; n < MOST && !stats_of(d).regions; n++)
        must_run(d, TURN);
    assert_true(n < MOST);
    dev_close(d);
    s = short_program(true);
    assert_int_equal(s.compiled, 0);
    s = short_program(false);
    assert_true(s.cached > 0);
    assert_int_equal(s.compiled, s.insns);
    for (size_t i = 0; i < countof(changes); i++) {
        each_entry(changes[i]);
        s = short_program(false);
        assert_int_equal(s.cached, 0);
        assert_int_equal(s.compiled, 0);
    }
}

/* What no run interprets for long enough is compiled when many runs have. */
static void adds_up_what_runs_interpret(void **state)
{
    enum {
        MOST = 100,
        TURN = 1000,
        TURNS = 30
    }; /* together half a millisecond, of two that it takes */
    u32 n = 0;
    NEED_MAKER;
    each_entry(remove_it);
    for (bool found = false; n < MOST && !found; n++) {
        Device *d = open_device("auto");
        for (u32 i = 0; i < TURNS; i++)
            must_run(d, TURN);
        found = stats_of(d).cached > 0;
        dev_close(d);
    }
    assert_true(n < MOST);
    const JitStats s = short_program(false);
    assert_int_equal(s.compiled, s.insns);
}
#endif

static void believes_no_changed_entry(void **state)
{
    static void (*const changes[])(const char *) = {damage, forge};
    NEED_MAKER;
    each_entry(remove_it);
    one_program();
    for (size_t i = 0; i < countof(changes); i++) {
        each_entry(changes[i]);
        JitStats s = one_program();
        assert_true(s.compiled > 0);
        assert_int_equal(s.cached, 0);
        s = one_program(); /* they were made anew */
        assert_int_equal(s.cached, s.regions);
    }
}

static void believes_no_other_secret(void **state)
{
    char path[512];
    NEED_MAKER;
    one_program();
    key_path(path);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(unlink(path), 0); /* a new one is made, and fits no entry */
    JitStats s = one_program();
    assert_true(s.compiled > 0);
    assert_int_equal(s.cached, 0);
    s = one_program();
    assert_int_equal(s.cached, s.regions);
    assert_int_equal(chmod(path, 0644), 0); /* others may know it */
    s = one_program();
    assert_true(s.compiled > 0);
    assert_int_equal(s.cached, 0);
    assert_int_equal(chmod(path, 0600), 0);
    s = one_program();
    assert_int_equal(s.cached, s.regions);
}

/* A link to a file of ours is no secret, whatever is in that. */
static void follows_no_link(void **state)
{
    char path[512], other[520];
    NEED_MAKER;
    key_path(path);
    snprintf(other, sizeof other, "%s.moved", path);
    one_program();
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    JitStats s = one_program();
    assert_true(s.compiled > 0);
    assert_int_equal(s.cached, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(other, path), 0);
    s = one_program();
    assert_int_equal(s.cached, 0);
    assert_int_equal(unlink(other), 0);
    s = one_program();
    assert_int_equal(s.cached, s.regions);
}

static void without_a_directory(void **state)
{
    NEED_MAKER;
    setenv("VENTUS_CACHE", "0", 1);
    for (int i = 0; i < 2; i++) {
        const JitStats s = one_program();
        assert_true(s.compiled > 0);
        assert_int_equal(s.cached, 0);
    }
    unsetenv("VENTUS_CACHE");
}

/* --- a maker that is unwell -------------------------------------------------------------- */

static int fake_job(void *self)
{
    const char *how = getenv("MAKER_TEST_FAKE");
    Buf b = {0};
    (void)self;
    if (!strcmp(how, "crash"))
        raise(SIGABRT);
    if (!strcmp(how, "status"))
        return 9;
    if (!strcmp(how, "hang"))
        for (;;)
            pause();
    if (!strcmp(how, "empty"))
        return 0;
    if (!strcmp(how, "garbage"))
        return write(CODEJOB_ANSWER, "garbage", 7) != 7;
    /* an answer to another question */
    codeanswer_write(&(CodeAnswer){.digest = 1, .object = {(const u8 *)"x", 1}}, &b);
    return write(CODEJOB_ANSWER, b.data, b.len) != (ssize_t)b.len;
}

static void set_fake(const char *how)
{
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = 0;
    setenv("MAKER_TEST_FAKE", how, 1);
    setenv("VENTUS_JIT_PROGRAM", self, 1);
    setenv("VENTUS_CACHE", "0", 1);
}

static const char *given_program; /* by the environment */

static void unset_fake(void)
{
    unsetenv("MAKER_TEST_FAKE");
    unsetenv("VENTUS_JIT_PROGRAM");
    if (given_program)
        setenv("VENTUS_JIT_PROGRAM", given_program, 1);
    unsetenv("VENTUS_CACHE");
}

static void goes_on_without(void **state)
{
    static const char *const hows[] = {"crash", "status", "empty", "garbage", "other"};
    NEED_MAKER;
    for (size_t i = 0; i < countof(hows); i++) {
        set_fake(hows[i]);
        const JitStats s = one_program();
        assert_int_equal(s.compiled, 0);
        assert_int_equal(s.regions, 0);
    }
    static const char *const bad[] = {"/no/such/program", "/bin/false", "/dev/null"};
    for (size_t i = 0; i < countof(bad); i++) {
        setenv("VENTUS_JIT_PROGRAM", bad[i], 1);
        assert_int_equal(one_program().compiled, 0);
    }
    unset_fake();
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Nobody waits for a maker that never answers: not the launch, not who loads other code, not who
 * closes. */
static void waits_for_nobody(void **state)
{
    NEED_MAKER;
    set_fake("hang");
    Device *d = open_device("auto");
    for (int i = 0; i < 20; i++)
        must_run(d, 100000);
    assert_int_equal(stats_of(d).compiled, 0);
    const double start = seconds();
    const u32 word = 0x00000013; /* nop */
    assert_true(dev_write(d, CODE_LO + 0x100, &word, 4));
    must_run(d, 10);
    dev_close(d);
    assert_true(seconds() - start < 20);
    unset_fake();
}

/* What is hot is compiled meanwhile, and used; what is hotter is optimised, also where a turn ends in
 * a loop. */
static void compiles_what_is_hot(void **state)
{
    NEED_MAKER;
    setenv("VENTUS_CACHE", "0", 1);
    Device *d = open_device("auto");
    must_run(d, 100);
    assert_int_equal(stats_of(d).regions, 0);
    const double start = seconds();
    while (!stats_of(d).compiled && seconds() - start < 60)
        must_run(d, 100000);
    assert_true(stats_of(d).compiled > 0);
    u64 left = 1;
    while ((left || stats_of(d).regions < 3) && seconds() - start < 60) {
        const JitStats before = stats_of(d);
        must_run(d, 2000000);
        const JitStats s = stats_of(d);
        left = s.insns - before.insns - (s.compiled - before.compiled);
    }
    assert_int_equal(left, 0);                  /* nothing is interpreted any more */
    assert_in_range(stats_of(d).regions, 3, 6); /* two entries, each code of each kind */
    dev_close(d);
    unsetenv("VENTUS_CACHE");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_as_published),
        cmocka_unit_test(joins_requests),
        cmocka_unit_test(joins_no_more),
        cmocka_unit_test(joins_no_failed_parts),
        cmocka_unit_test(answers_joined_requests),
        cmocka_unit_test(reads_damaged_objects),
        cmocka_unit_test(refuses_tables_between_words),
        cmocka_unit_test(relocates_alike),
        cmocka_unit_test(says_what_is_refused),
        cmocka_unit_test(code_cannot_be_written),
        cmocka_unit_test(reads_damaged_requests),
#ifndef HOSTILE
        cmocka_unit_test(takes_at_once_what_was_hot),
        cmocka_unit_test(adds_up_what_runs_interpret),
#endif
        cmocka_unit_test(believes_no_changed_entry),
        cmocka_unit_test(waits_for_nobody),
        cmocka_unit_test(compiles_what_is_hot),
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(second_run_compiles_nothing),
        cmocka_unit_test(believes_no_other_secret),
        cmocka_unit_test(follows_no_link),
        cmocka_unit_test(without_a_directory),
        cmocka_unit_test(goes_on_without),
    };
    if (getenv("MAKER_TEST_FAKE"))
        return proc_serve(
            &(ProcServer){.control = PROC_CONTROL, .keep = -1, .job = fake_job, .end = _exit});
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    const char *given = getenv("VENTUS_JIT_PROGRAM");
    given_program = given ? mem_strdup(given) : NULL;
    assert(mkdtemp(scratch));
    setenv("VENTUS_CACHE_DIR", scratch, 1);
    const int bad = cmocka_run_group_tests(tests, NULL, NULL);
    char path[512];
    each_entry(remove_it);
    key_path(path);
    unlink(path);
    snprintf(path, sizeof path, "%s/trimmed", scratch);
    unlink(path);
    rmdir(scratch);
    return bad;
}
