/* fuzz_maker.c -- any bytes as a request to the maker of host code; what has the form of one is
 * translated, optimised and made into an object, whose answer must be read again and be loaded or
 * refused.
 *
 * The first byte chooses: 0 to 127, the other bytes are a request as they are.  Else they are guest
 * code and what a region depends on; an engine's part of the work makes the request, in which byte
 * 1 damages the byte that it is the number of (0: none).  So hostile words come as far as LLVM.
 */
#include "jit/codejob.h"
#include "jit/codemaker.h"
#include "sim/handlers.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { HEAD = 8, MOST = 1024 /* bytes of code: LLVM takes long */ };

/* The request for a region of the words.  False: there is none. */
static bool request_of(const u8 *head, const u8 *words, size_t len, Buf *to)
{
    Memory m;
    const IsaSet set = head[2] & 1 ? V2025 | TIDX : V202 | AI | TIDX;
    if (!memory_open(&m, CODE_LO, CODE_END))
        return false;
    memory_map(&m, CODE_LO, PAGE_SIZE, MEM_R | MEM_X);
    memcpy(m.base + CODE_LO, words, len);
    Code *code = code_new(set, &m, lane_level());
    Region *r =
        code ? region_new(code, CODE_LO + head[5] % 8u * 4,
                          (WarpShape){.full = head[2] >> 1 & 1,
                                      .fresh = head[2] >> 2 & 1,
                                      .deep = head[7] & 1,
                                      .base = head[7] & 2 ? CODE_LO + head[7] / 4u * 4 : 0},
                          head[4] & 1 ? CODE_LO + head[4] / 2u * 4 : 0, 4u << (head[2] >> 3 & 3),
                          (VmRule)((head[2] >> 5) % 3), head[2] >> 7)
             : NULL;
    if (r) {
        codejob_write(
            &(CodeJob){.level = "base", .region = r, .kind = (CodeKind)(head[3] % NCODES)}, code,
            to);
        if (to->len && head[1])
            to->data[head[1] % to->len] ^= head[6];
    }
    region_free(r);
    code_free(code);
    memory_close(&m);
    return r && !to->failed;
}

static void load(Bytes answer)
{
    CodeAnswer a;
    Loaded l;
    const char *why;
    Buf object = {0};
    if (!codeanswer_read(answer.data, answer.len, &a))
        bug("the maker's own answer is none");
    buf_put(&object, a.object.data, a.object.len);
    if (!object.failed && !code_load(object.data, object.len, CODE_SYMBOL, &l, &why))
        bug("the maker's own object is refused: %s", why);
    code_unload(&l);
    buf_free(&object);
}

static void load_all(Bytes answer)
{
    Bytes part[NHELPERS];
    u32 n;
    if (!codejob_split(answer.data, answer.len, part, &n))
        load(answer);
    else
        for (u32 i = 0; i < n; i++)
            load(part[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static CodeMaker *maker;
    Buf request = {0}, answer = {0};
    if (size < HEAD + 4 || size > HEAD + MOST)
        return 0;
    if (!maker && !(maker = codemaker_open("base")))
        bug("LLVM does not know this host");
    if (data[0] < 128)
        buf_put(&request, data + 1, size - 1);
    else if (!request_of(data, data + HEAD, size - HEAD, &request))
        request.len = 0;
    if (request.len && codemaker_answer(maker, request.data, request.len, &answer))
        load_all((Bytes){answer.data, answer.len});
    buf_free(&request);
    buf_free(&answer);
    return 0;
}
