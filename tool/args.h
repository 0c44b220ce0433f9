/* args.h -- what `ventus run` passes to a kernel: the SPECs of -a.
 *
 *     TYPE:V        TYPExN:V,V,..        local:BYTES        sampler:WORD,WORD,..
 *     struct:TYPE:V,../TYPE:V,..         packed:TYPE:V,../TYPE:V,..
 *     buf:TYPE:COUNT[=INIT][==WANT[~TOLERANCE]][>OUT]
 *     rbuf:... wbuf:... the same, for reading, for writing only
 *     hbuf:... the same above 4 GiB, a 64-bit pointer
 *     img:WxHxD[:FORMAT]... img:FILE[:FORMAT]...  an image, with what a buffer has
 *
 * The forms are described in doc/man/ventus-run.1.
 */
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H
#include "tool/tool.h"

/* The forms of a SPEC. */
typedef enum { SPEC_VALUE, SPEC_LOCAL, SPEC_BUFFER, SPEC_IMAGE } ArgKind;

/* A scalar or vector type of OpenCL C. */
typedef struct {
    char kind;              /* 'i' signed, 'u' unsigned, 'f' float */
    u32 size;               /* bytes of a component */
    u32 lanes;              /* components: 1, 2, 3, 4, 8, 16 */
} ArgType;

/* OpenCL's numbers for the channels of a pixel (isa/image.h, IMAGE_ORDER_, IMAGE_TYPE_). */
typedef struct {
    u32 order, type;
} ImageFormat;

/* A SPEC that has been read. */
typedef struct {
    ArgKind kind;
    bool no_read, no_write; /* wbuf:, rbuf: what the kernel may not do */
    bool is_unwritten;      /* =none */
    bool is_high;           /* a buffer above 4 GiB */
    bool is_struct;         /* a value that is a structure, of no `type` */
    u32 align;              /* of a value: bytes, as C has it */
    ArgType type;
    ImageFormat format;     /* of an image, whose pixels are elements of `type` */
    u32 dims, sizes[3];     /* of an image; 1 where it has no such dimension */
    u64 count;              /* elements of a buffer; bytes of local memory */
    u8 *bytes;              /* of a value or a buffer, `size` of them */
    u64 size;
    bool print;             /* after the run, elements first .. first + shown - 1 */
    u64 first, shown;
    char *out;              /* file that receives the buffer; or NULL */
    u8 *want;               /* `size` bytes that the buffer must hold after the run; or NULL */
    double tolerance;       /* of floats, relative to the larger of 1 and the wanted value */
    u64 addr;               /* of a buffer or image on the device */
} Arg;

/* bytes of one element, its padding included; also its alignment */
u32 arg_element_size(const ArgType *t);

/* Reads argument `number` from its SPEC.  False: reported. */
bool arg_parse(const char *spec, size_t number, Arg *a, Diag *d);
void arg_free(Arg *a);

/* Whether the bytes that came back are those that were wanted: floats within the tolerance, any
 * NaN for a NaN, everything else exactly.  False: *why says what differs, in one line. */
bool arg_matches(const Arg *a, size_t number, Buf *why);

/* Prints the elements asked for of bytes that came back from the device. */
void arg_print(const Arg *a, size_t number, Buf *out);
#endif
