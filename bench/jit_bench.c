/* jit_bench.c -- what it takes to make host code.
 *
 *     jit_bench FILE...   images: each kernel's region from the start code, made once without the disk
 *     jit_bench -O ...    optimised code from here on, not quick one
 *     jit_bench -n N      straight code of N instructions, and a loop around it
 *     jit_bench -k N      a program of N kernels of 100 such instructions each: the sums alone
 *
 * Prints for each region: guest instructions, blocks (of both versions), milliseconds of processor
 * time, bytes of host code; then sums.  VENTUS_LANES chooses the host's vectors.  The time of the
 * first region has the process's start in it, and is told apart.
 * VENTUS_JIT_PROGRAM may name a script that measures the process that makes code.
 */
#include "asm/asm.h"
#include "base/fdio.h"
#include "dev/dev.h"
#include "drv/drv.h"
#include "jit/maker.h"
#include "link/link.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static Maker *maker;
static CodeKind kind = CODE_QUICK;
static bool only_sums;
static double total_ms;
static u64 total_insns;

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
    const u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return (x > y) - (x < y);
}

/* Uops of the region, those of two versions once */
static u32 count_insns(const Region *r)
{
    u32 n = 0, different = 0;
    for (u32 i = 0; i < r->nblock; i++)
        n += r->block[i].nuop;
    u32 *pc = calloc(n + 1, sizeof *pc);
    for (u32 i = 0, k = 0; pc && i < r->nblock; i++)
        for (u32 m = 0; m < r->block[i].nuop; m++)
            pc[k++] = r->block[i].uop[m]->pc;
    if (pc)
        qsort(pc, n, sizeof *pc, ascending);
    for (u32 i = 0; pc && i < n; i++)
        different += !i || pc[i] != pc[i - 1];
    free(pc);
    return different;
}

/* The region from pc, with the kernel that its first call calls, or 0. */
static void measure(const char *name, Device *d, u32 pc, u32 callee)
{
    Code *code = code_new(V202 | AI | TIDX, dev_memory(d), lane_level());
    const double start = milliseconds();
    Region *r = code ? region_new(code, pc, (WarpShape){.full = true, .fresh = true}, callee, 32,
                                  VM_OWN, false)
                     : NULL;
    if (!r) {
        printf("%-32s no region\n", name);
        code_free(code);
        return;
    }
    MakerOrder o = maker_order(maker, r, code, kind);
    const double found = milliseconds();
    Loaded l = {NULL, 0, NULL};
    MakerCost cost;
    const bool ok = maker_make(maker, &o, &l, &cost);
    const double ms = (double)cost.nanoseconds * 1e-6, wall = milliseconds() - start;
    const u32 n = count_insns(r);
    if (!only_sums || !ok)
        printf("%-32s %6u insns %5u blocks %8.1f ms (%6.1f by the clock; region %4.1f) %5.0f us an "
               "insn %8zu bytes%s\n",
               name, n, r->nblock, ms, wall, found - start, ms * 1e3 / n, l.size,
               ok ? "" : " FAILED");
    total_ms += ms;
    total_insns += n;
    maker_forget(&o);
    code_unload(&l);
    region_free(r);
    code_free(code);
}

static Device *open_device(Object *image)
{
    Diag none = {.to = NULL};
    DeviceOptions o = dev_defaults();
    Device *d = dev_open(&o);
    if (!d || !dev_load(d, image, &none))
        exit(1);
    return d;
}

static void measure_file(const char *path)
{
    Buf b = {0};
    Object *image;
    const char *names[256];
    Diag none = {.to = NULL};
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || !fd_read(fd, 1 << 28, &b) || !obj_read(path, b.data, b.len, &none, &image)) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    Device *d = open_device(image);
    const size_t n = drv_kernels(image, names, countof(names));
    for (size_t i = 0; i < n && i < countof(names); i++) {
        const int s = obj_find_symbol(image, names[i]);
        if (s >= 0)
            measure(names[i], d, CODE_LO, image->symbols[s].value);
    }
    dev_close(d);
    buf_free(&b);
    close(fd);
}

/* loads, arithmetic, stores in the mixture of compiled kernels, n instructions in a loop */
static void make_kernel(u32 n, Buf *text)
{
    static const char *const lines[] = {
        "vlw12.v v%u, 0(v1)",   "vadd.vv v%u, v4, v5",   "vmul.vv v%u, v6, v7",
        "vfmul.vv v%u, v8, v9", "addi x12, x12, %u",     "vfmacc.vv v%u, v3, v4",
        "vsll.vi v%u, v10, 2",  "lw x13, %u(x8)",        "vxor.vv v%u, v11, v12",
        "vsw12.v v%u, 128(v1)", "vadd.vx v%u, v13, x12", "vmslt.vv v%u, v3, v9",
    };
    buf_str(text, "\tli x8, 0x90001000\n\tli x28, 10\n1:\n");
    for (u32 i = 0; i < n; i++) {
        buf_str(text, "\t");
        char one[64];
        snprintf(one, sizeof one, lines[i % countof(lines)],
                 i % countof(lines) == 7 ? 4 * (i % 90) : 3 + i % 24);
        buf_printf(text, "%s\n", one);
    }
    buf_str(text, "\taddi x28, x28, -1\n\tbeqz x28, 2f\n\tj 1b\n2:\tendprg x0, x0, x0\n");
}

/* `count` kernels, each of n such instructions */
static void measure_made(u32 n, u32 count)
{
    Buf text = {0};
    char name[32];
    Diag none = {.to = NULL};
    for (u32 i = 0; i < count; i++)
        make_kernel(n, &text);
    Object *o = asm_text("made", buf_text(&text), &(AsmOptions){.set = V202}, &none);
    Object *image =
        o ? link_objects((const Object *const[]){o}, 1, &(LinkOptions){.output = "made"}, &none)
          : NULL;
    if (!image)
        exit(1);
    Device *d = open_device(image);
    snprintf(name, sizeof name, "made of %u", n);
    const u32 step = o->sections[0].size / count;
    for (u32 i = 0; i < count; i++)
        measure(name, d, CODE_LO + i * step, 0);
    dev_close(d);
    obj_free(o);
    buf_free(&text);
}

int main(int argc, char **argv)
{
    struct rusage here;
    setenv("VENTUS_CACHE", "0", 1);
    maker = maker_open(lane_level()->name);
    if (!maker)
        return 1;
    measure_made(10, 1);
    printf("(the first has the start of the process and helpers in it)\n");
    total_ms = 0, total_insns = 0;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-O"))
            kind = CODE_PLAIN;
        else if (!strcmp(argv[i], "-n") && i + 1 < argc)
            measure_made((u32)strtoul(argv[++i], NULL, 0), 1);
        else if (!strcmp(argv[i], "-k") && i + 1 < argc) {
            only_sums = true;
            measure_made(100, (u32)strtoul(argv[++i], NULL, 0));
            only_sums = false;
        } else
            measure_file(argv[i]);
    if (total_insns)
        printf("%llu instructions, %.1f ms, %.0f us an instruction\n",
               (unsigned long long)total_insns, total_ms, total_ms * 1e3 / (double)total_insns);
    maker_close(maker);
    getrusage(RUSAGE_SELF, &here);
    printf("peak memory here %ld MiB\n", here.ru_maxrss >> 10);
    return 0;
}
