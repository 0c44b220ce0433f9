/* ccfuzz.c -- random programs by our compiler and by the host's.
 *
 *     ccfuzz FIRST LAST      seeds; a program that differs is made smaller: ccfuzz-SEED.cl
 *     ccfuzz -p SEED         prints the program
 *
 * The host's result is the same source compiled by clang for this machine and loaded as a
 * library.  Work-items of a group are fibers that change at barriers; groups run one after the
 * other, so that local memory can be a variable.
 */
#include "test/kit/ccgen.h"
#include "test/kit/oclkit.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { GROUPS = 3, MOST = CCGEN_MOST_LOCAL, STACK = 256 << 10 };

typedef void Kernel(const u32 *in, u32 *out, u32 *sums);

/* what the host's OpenCL C lacks */
static const char host_prelude[] =
    "uint host_global_id(void); uint host_local_id(void); uint host_group_id(void);\n"
    "void host_barrier(void); uint host_group(uint what, uint x, uint of);\n"
    "#define get_group_id(d) host_group_id()\n"
    "#define work_group_reduce_add(x) host_group(0, x, 0)\n"
    "#define work_group_reduce_min(x) host_group(1, x, 0)\n"
    "#define work_group_reduce_max(x) host_group(2, x, 0)\n"
    "#define work_group_scan_inclusive_add(x) host_group(3, x, 0)\n"
    "#define work_group_scan_exclusive_add(x) host_group(4, x, 0)\n"
    "#define work_group_scan_inclusive_max(x) host_group(5, x, 0)\n"
    "#define work_group_scan_exclusive_min(x) host_group(6, x, 0)\n"
    "#define work_group_broadcast(x, k) host_group(7, x, k)\n"
    "#define work_group_any(c) (host_group(2, (c) != 0, 0) != 0)\n"
    "#define work_group_all(c) (host_group(1, (c) != 0, 0) != 0)\n"
    "#define event_t int\n"
    "#define async_work_group_copy(to, from, n, e) \\\n"
    "    (to[host_local_id()] = (from)[host_local_id()], 0)\n"
    "#define wait_group_events(n, e) host_barrier()\n"
    "#define get_global_id(d) host_global_id()\n"
    "#define get_local_id(d) host_local_id()\n"
    "#define barrier(f) host_barrier()\n"
    "#define min(a, b) host_min(a, b)\n"
    "#define max(a, b) host_max(a, b)\n"
    "#define rotate(a, b) host_rotate(a, b)\n"
    "#define mul_hi(a, b) host_mul_hi(a, b)\n"
    "#define fma(a, b, c) __builtin_fmaf(a, b, c)\n"
    "#define fabs(a) __builtin_fabsf(a)\n"
    "#define FOR(T, U, N, high) \\\n"
    "    static inline T __attribute__((overloadable)) host_min(T a, T b) { return b < a ? b : a; "
    "} \\\n"
    "    static inline T __attribute__((overloadable)) host_max(T a, T b) { return a < b ? b : a; "
    "} \\\n"
    "    static inline T __attribute__((overloadable)) host_rotate(T a, T b) \\\n"
    "    { return (T)((U)a << (b & N) | (U)a >> (-(U)b & N)); } \\\n"
    "    static inline T __attribute__((overloadable)) host_mul_hi(T a, T b) { return high; }\n"
    "#define WIDE(X) ((X)((__int128)a * b >> 64))\n"
    "FOR(int, uint, 31, (int)((long)a * b >> 32))\n"
    "FOR(uint, uint, 31, (uint)((ulong)a * b >> 32))\n"
    "FOR(long, ulong, 63, WIDE(long))\n"
    "FOR(ulong, ulong, 63, (ulong)((unsigned __int128)a * b >> 64))\n"
    "#define atomic_add(p, v) (*(p) += (v))\n"
    "#define atomic_xor(p, v) (*(p) ^= (v))\n"
    "#define atomic_or(p, v) (*(p) |= (v))\n"
    "#define atomic_min(p, v) (*(p) = host_min(*(p), v))\n"
    "#define atomic_max(p, v) (*(p) = host_max(*(p), v))\n";

/* --- the host's run ------------------------------------------------------------------- */

static struct {
    Kernel *kernel;
    const u32 *in;
    u32 *out, *sums;
    ucontext_t main, fiber[MOST];
    bool done[MOST];
    u32 local, group, item; /* work-items of a group; which one runs */
    char stack[MOST][STACK];
} host;

u32 host_global_id(void);
u32 host_local_id(void);
u32 host_group_id(void);
void host_barrier(void);
u32 host_group(u32 what, u32 x, u32 of);
#define VISIBLE __attribute__((visibility("default")))
VISIBLE u32 host_global_id(void) { return host.group * host.local + host.item; }
VISIBLE u32 host_local_id(void) { return host.item; }
VISIBLE u32 host_group_id(void) { return host.group; }
VISIBLE void host_barrier(void) { swapcontext(&host.fiber[host.item], &host.main); }

/* a group function; what: as the prelude has them */
VISIBLE u32 host_group(u32 what, u32 x, u32 of)
{
    static u32 all[MOST];
    const u32 me = host.item, first = what == 4 || what == 6 ? 0 : 1;
    const bool is_scan = what >= 3 && what <= 6, is_min = what == 1 || what == 6;
    const bool is_max = what == 2 || what == 5;
    u32 r = is_min ? UINT32_MAX : 0;
    all[me] = x;
    host_barrier();
    for (u32 k = 0; k < (is_scan ? me + first : host.local); k++)
        r = is_min ? (all[k] < r ? all[k] : r) : is_max ? (all[k] > r ? all[k] : r) : r + all[k];
    if (what == 7)
        r = all[of];
    host_barrier();
    return r;
}

static void work_item(void)
{
    host.kernel(host.in, host.out, host.sums);
    host.done[host.item] = true;
}

static void start_items(void)
{
    for (u32 i = 0; i < host.local; i++) {
        ucontext_t *c = &host.fiber[i];
        host.done[i] = false;
        getcontext(c);
        c->uc_stack.ss_sp = host.stack[i];
        c->uc_stack.ss_size = STACK;
        c->uc_link = &host.main;
        makecontext(c, work_item, 0);
    }
}

/* each work-item to its next barrier, or to its end */
static void run_to_barrier(void)
{
    for (host.item = 0; host.item < host.local; host.item++)
        if (!host.done[host.item])
            swapcontext(&host.main, &host.fiber[host.item]);
}

static void run_group(void)
{
    start_items();
    do
        run_to_barrier();
    while (!host.done[0]);
}

/* clang, from a file that does not stay to a library */
static bool compile(const Buf *source, const char *library)
{
    const char *clang = getenv("VENTUS_CLANG");
    char file[80];
    const char *argv[] = {clang ? clang : "clang",
                          "-x",
                          "cl",
                          "-cl-std=CL1.2",
                          "-O1",
                          "-w",
                          "-fPIC",
                          "-shared",
                          "-ffp-contract=off",
                          "-o",
                          library,
                          file,
                          "-lm",
                          NULL};
    extern char **environ;
    pid_t pid;
    int status;
    snprintf(file, sizeof file, "%s.cl", library);
    FILE *f = fopen(file, "w");
    if (!f || fwrite(source->data, 1, source->len, f) != source->len || fclose(f) ||
        posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ))
        return false;
    const bool ok = waitpid(pid, &status, 0) == pid && !status;
    unlink(file);
    return ok;
}

/* False: the program does not compile. */
static bool host_run(const Buf *program, u32 local, const u32 *in, u32 *out, u32 *sums, Buf *why)
{
    char library[64];
    Buf all = {0};
    snprintf(library, sizeof library, "/tmp/ccfuzz-%d.so", (int)getpid());
    buf_str(&all, host_prelude);
    buf_put(&all, program->data, program->len);
    void *handle = compile(&all, library) ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(library);
    buf_free(&all);
    if (!handle) {
        const char *loader = dlerror();
        buf_printf(why, "the host cannot run it: %s", loader ? loader : "clang refuses it");
        return false;
    }
    *(void **)&host.kernel = dlsym(handle, "test");
    host.in = in, host.out = out, host.sums = sums, host.local = local;
    for (host.group = 0; host.group < GROUPS; host.group++)
        run_group();
    dlclose(handle);
    return true;
}

/* --- comparison ----------------------------------------------------------------------- */

typedef struct {
    u32 in[CCGEN_IN], out[GROUPS * MOST], sums[CCGEN_SUMS];
} Data;

typedef enum { SAME, DIFFERENT, NOT_COMPILED } Verdict;

static void fill(Data *d)
{
    memset(d, 0, sizeof *d);
    u64 state = 1;
    for (u32 k = 0; k < CCGEN_IN; k++) {
        const u64 r = ccgen_random(&state);
        d->in[k] = r % 4 ? (u32)(r >> 32) : (u32)(r >> 32) % 64;
    }
}

static Verdict run_lanes(KitProgram *p, u32 local, u32 lanes, const Data *start, const Data *want,
                         Buf *why)
{
    const u32 items = GROUPS * local;
    Data got = *start;
    Buf print = {0};
    bool prints;
    KitJob job = {.dims = 1,
                  .global = {items, 1, 1},
                  .local = {local, 1, 1},
                  .n = items,
                  .nargs = 3,
                  .args = {{KIT_BUFFER, sizeof got.in, -1, got.in, NULL},
                           {KIT_BUFFER, sizeof got.out, -1, got.out, NULL},
                           {KIT_BUFFER, sizeof got.sums, -1, got.sums, NULL}}};
    const bool ran = kit_run(p, "test", lanes, &job, &print, &prints, why);
    buf_free(&print);
    if (!ran)
        return DIFFERENT;
    for (u32 k = 0; k < items; k++)
        if (got.out[k] != want->out[k]) {
            buf_printf(why, "%u lanes: work-item %u has %08x, should be %08x", lanes, k, got.out[k],
                       want->out[k]);
            return DIFFERENT;
        }
    if (!memcmp(&got, want, sizeof got))
        return SAME;
    buf_printf(why, "%u lanes: the atomic results differ", lanes);
    return DIFFERENT;
}

static Verdict try(u64 seed, const Buf *program, Buf *why)
{
    const u32 local = ccgen_local(seed);
    Data start, want;
    fill(&start);
    want = start;
    if (!host_run(program, local, want.in, want.out, want.sums, why))
        return NOT_COMPILED;
    const char *options[] = {"-w", "-cl-std=CL3.0"};
    KitProgram *p = kit_build("ccfuzz.cl", buf_text(program), options, countof(options), why);
    if (!p)
        return NOT_COMPILED;
    Verdict v = SAME;
    for (u32 lanes = 4; lanes <= 32 && v == SAME; lanes *= 2)
        v = run_lanes(p, local, lanes, &start, &want, why);
    const size_t said = why->len;
    for (u32 way = 0; v == SAME && kit_vary(p, way, (u32)seed, why); way++) {
        v = run_lanes(p, local, 4u << (seed + way) % 4, &start, &want, why);
        if (v != SAME)
            buf_printf(why, ", compiled in way %u", way);
    }
    if (why->len > said)
        v = DIFFERENT;
    kit_free(p);
    return v;
}

/* Leaves out whatever is not needed for the difference. */
static void reduce(u64 seed, Buf *program)
{
    static bool without[CCGEN_STATEMENTS];
    memset(without, 0, sizeof without);
    for (u32 k = 0; k < CCGEN_STATEMENTS; k++) {
        Buf smaller = {0}, why = {0};
        without[k] = true;
        if (k >= ccgen(seed, without, &smaller))
            k = CCGEN_STATEMENTS;
        else if (smaller.len == program->len || try(seed, &smaller, &why) != DIFFERENT)
            without[k] = false;
        else
            program->len = 0, buf_put(program, smaller.data, smaller.len);
        buf_free(&smaller);
        buf_free(&why);
    }
}

static bool check(u64 seed)
{
    Buf program = {0}, why = {0};
    ccgen(seed, NULL, &program);
    const Verdict v = try(seed, &program, &why);
    if (v != SAME) {
        char file[64];
        printf("seed %llu: %s\n", (unsigned long long)seed, buf_text(&why));
        fflush(stdout);
        if (v == DIFFERENT)
            reduce(seed, &program);
        snprintf(file, sizeof file, "ccfuzz-%llu.cl", (unsigned long long)seed);
        FILE *f = fopen(file, "w");
        if (f) {
            fputs(buf_text(&program), f);
            fclose(f);
        }
    }
    buf_free(&program);
    buf_free(&why);
    return v == SAME;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "-p")) {
        Buf program = {0};
        ccgen(strtoull(argv[2], NULL, 0), NULL, &program);
        fputs(buf_text(&program), stdout);
        buf_free(&program);
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: ccfuzz FIRST LAST | ccfuzz -p SEED\n");
        return 2;
    }
    if (kit_missing()) {
        printf("skipped: %s\n", kit_missing());
        return 77;
    }
    u32 bad = 0;
    for (u64 s = strtoull(argv[1], NULL, 0); s <= strtoull(argv[2], NULL, 0); s++)
        bad += !check(s);
    printf("%u of the programs differ\n", bad);
    return bad != 0;
}
