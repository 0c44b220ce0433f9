/* oclkit.h -- kernels of test/cc against references in C.
 *
 * A case is a kernel, its index space, its arguments and a reference: a plain C
 * function that does to copies of the arguments what the whole launch must do to
 * them.  The kit makes random arguments, runs the kernel on 4, 8, 16 and 32 lanes, each
 * time with other data, and compares every byte of every buffer.
 *
 *     REF(scale)
 *     {
 *         u32 *out = A(0);
 *         EACH out[i] *= VALUE(u32, 1);
 *     }
 *     static const KitCase cases[] = {CASE(scale, "64/16", "w64 =7")};
 *
 * The index space is global/local, each X or X,Y or X,Y,Z.  Arguments are words:
 *
 *     w64 q64 h64 c64     buffer of 64 random words of 4, 8, 2 or 1 bytes
 *     w64%10              the same, below 10
 *     f64                 floats from -128 to 128
 *     u64                 floats from 0 to 1, neither included
 *     F64                 any floats: infinite, NaN (but not signalling), subnormal
 *     o64                 64 words of 4 bytes that are 0
 *     l256                256 bytes of local memory
 *     =7 =q7 =h7 =c7      a value of 4, 8, 2 or 1 bytes;  =f1.5 a float
 *     S16                 16 random bytes by value
 *     ~4 after a buffer  its words are floats that may be 4 ulp off; ~0: exact, but a
 *                         NaN is like another
 */
#ifndef CHECK_OCLKIT_H
#define CHECK_OCLKIT_H
#include "base/mem.h"

enum { KIT_ARGS = 12 };

typedef enum { KIT_BUFFER, KIT_VALUE, KIT_LOCAL } KitArgKind;

typedef struct {
    KitArgKind kind;
    u32 size;               /* bytes */
    i32 ulp;                /* -1: compared byte by byte */
    void *data;             /* what the kernel gets, and then what it left */
    void *want;             /* what the reference makes of it */
} KitArg;

typedef struct {
    u32 dims, global[3], local[3];
    u32 n;                  /* work-items */
    u32 lanes;              /* of a warp, for what depends on it */
    KitArg args[KIT_ARGS];
    u32 nargs;
    Buf print;              /* what the reference says the launch prints */
} KitJob;

typedef struct {
    const char *kernel, *space, *args;
    void (*reference)(KitJob *);
} KitCase;

#define REF(name)         static void name(KitJob *job)
#define CASE(name, ...)   {#name, __VA_ARGS__, name}
#define A(k)              (job->args[k].want)
#define VALUE(type, k)    (*(const type *)A(k))
#define EACH              for (u32 i = 0; i < job->n; i++)
#define EACH_GROUP        for (u32 g = 0; g < job->n; g += job->local[0])

/* Runs the cases of a file below test/cc as cmocka tests; what main() returns.  option: of the
 * compiler, or NULL. */
int kit_main(const char *file, const char *option, const KitCase *cases, size_t n);

u64 kit_random(void);

/* --- what runs kernels (ocldrv.c: our compiler and driver; oclpeer.c: any OpenCL) -------- */

typedef struct KitProgram KitProgram;

u32 kit_pointer_bytes(void); /* on the device */

/* Says why there is nothing to run kernels, or NULL. */
const char *kit_missing(void);
/* NULL: why has the messages. */
KitProgram *kit_build(const char *name, const char *source, const char *const *options,
                      size_t noptions, Buf *why);
/* Leaves the results in the arguments' data.  print may stay empty where prints is false. */
bool kit_run(KitProgram *p, const char *kernel, u32 lanes, KitJob *job, Buf *print, bool *prints,
             Buf *why);
/* Compiles it again in the way-th way (without a pass, with few registers, ...; from 0), seed for
 * what is random in it.  False: why says why, or nothing when there are no more ways. */
bool kit_vary(KitProgram *p, u32 way, u32 seed, Buf *why);
void kit_free(KitProgram *p);
#endif
