/* converge_test.c -- the marks that src/ll/converge.c makes in random functions against their
 * definition: which branches decide, and where their lanes meet last, by searches of the graph that
 * leave one block out, without dominators or a tree of loops. */
#include "test/kit/leftover.h"
#include "base/mem.h"
#include "ll/middle.h"
#include <llvm-c/Analysis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 11, WAYS = 4, NODES = 30, CALLS = 2, GRAPHS = 1500 };

/* What a block can call.  A function with a body may part lanes if it has two ways, or calls what
 * has a body. */
static const struct Callee {
    const char *name, *calls; /* NULL: has no body */
    bool two_ways, parts, waits;
} callees[] = {
    {.name = "__ventus_barrier", .waits = true},
    {.name = "__ventus_meet", .waits = true},
    {.name = "unknown"},
    {.name = "leaf", .calls = "unknown"},
    {.name = "parting", .two_ways = true, .calls = "unknown", .parts = true},
    {.name = "outer", .calls = "leaf", .parts = true},
    {.name = "waits", .calls = "__ventus_barrier", .waits = true},
    {.name = "meets", .calls = "__ventus_meet", .waits = true},
    {.name = "waits_far", .calls = "waits", .parts = true, .waits = true},
    {.name = "waits_parted", .two_ways = true, .calls = "meets", .parts = true, .waits = true},
};

/* One way or two out of a node, none out of a block that returns. */
typedef struct {
    u32 nway, way[2];
    u32 block; /* that it is, or is a part of */
} Node;

/* A function as it was before it was marked.  The nodes are its blocks, then the exit, number
 * `nblock`, and parts of blocks: of many ways the first goes to one place and the others to a part. */
typedef struct {
    u32 nblock, nnode;
    Node node[NODES];
    struct {
        u32 nway, way[WAYS];
        u32 ncall, call[CALLS]; /* of callees */
        bool has_phi, has_hint; /* of a loop, at its branch */
        LLVMBasicBlockRef ref;
    } block[BLOCKS];
} Graph;

static u32 below(u32 *seed, u32 n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

/* --- sets of nodes, as bits ---------------------------------------------------------------- */

/* what one step or more from node `from` reach that do not go on from `stop` */
static u32 reached(const Graph *g, u32 from, u32 stop)
{
    u32 seen = 0, done = 0;
    for (u32 todo = 1u << from; todo; todo = seen & ~done & ~(1u << stop)) {
        const u32 at = (u32)__builtin_ctz(todo);
        const Node *n = &g->node[at];
        done |= 1u << at;
        for (u32 k = 0; k < n->nway; k++)
            seen |= 1u << n->way[k];
        if (!n->nway && at != g->nblock)
            seen |= 1u << g->nblock;
    }
    return seen;
}

/* every way from b to the exit goes through p, another node */
static bool is_behind(const Graph *g, u32 p, u32 b)
{
    return p != b && (p == g->nblock || !(reached(g, b, p) >> g->nblock & 1));
}

static u32 first_behind(const Graph *g, u32 b)
{
    u32 first = g->nblock;
    for (u32 p = 0; p < g->nnode; p++)
        if (p != g->nblock && is_behind(g, p, b) && is_behind(g, first, p))
            first = p;
    return first;
}

static bool has_edge(const Graph *g, u32 from, u32 to)
{
    const Node *n = &g->node[from];
    return (n->nway > 0 && n->way[0] == to) || (n->nway > 1 && n->way[1] == to);
}

/* The loop with header h: what reaches a way back without h.  Nothing reaches the sources of a way
 * back from the entry without h.  0: h is no header. */
static u32 loop_of(const Graph *g, u32 h)
{
    const u32 beside = (reached(g, 0, h) | 1) & ~(1u << h);
    u32 ends = 0, loop = 0;
    for (u32 b = 0; b < g->nnode; b++)
        if (has_edge(g, b, h) && !(beside >> b & 1))
            ends |= 1u << b;
    for (u32 b = 0; b < g->nnode; b++)
        if (b == h || ends >> b & 1 || reached(g, b, h) & ends & ~(1u << h))
            loop |= 1u << b;
    return ends ? loop : 0;
}

/* --- the marks that should be ---------------------------------------------------------------- */

/* Marks at the ends of blocks, and on the ways to a header from outside and inside its loop. */
typedef struct {
    bool end[BLOCKS], way[BLOCKS][2];
} Marks;

static bool calls_what_parts(const Graph *g, u32 node)
{
    const u32 b = g->node[node].block;
    for (u32 k = 0; node != g->nblock && k < g->block[b].ncall; k++)
        if (callees[g->block[b].call[k]].parts)
            return true;
    return false;
}

static bool waits(const Graph *g, u32 node)
{
    const u32 b = g->node[node].block;
    for (u32 k = 0; node != g->nblock && k < g->block[b].ncall; k++)
        if (callees[g->block[b].call[k]].waits)
            return true;
    return false;
}

static bool is_branch(const Graph *g, u32 b) { return g->node[b].nway == 2 && g->node[b].way[0] != g->node[b].way[1]; }

/* a barrier lies between the branch b and the first node behind it */
static bool decides(const Graph *g, u32 b)
{
    const u32 end = first_behind(g, b), between = reached(g, b, end) & ~(1u << end);
    for (u32 x = 0; x < g->nnode; x++)
        if (between >> x & 1 && waits(g, x))
            return is_branch(g, b);
    return false;
}

/* one way from a block that has no other is that block's end */
static void want_on_ways(const Graph *g, u32 header, bool inside, Marks *want)
{
    u32 count = 0, source = 0;
    for (u32 b = 0; b < g->nnode; b++)
        if (has_edge(g, b, header) && (loop_of(g, header) >> b & 1) == inside) {
            count += g->node[b].nway;
            source = g->node[b].block;
        }
    if (count == 1)
        want->end[source] = true;
    else
        want->way[header][inside] = true;
}

static Marks wanted(const Graph *g)
{
    Marks want = {0};
    for (u32 from = 0; from < g->nnode; from++) {
        const bool calls = calls_what_parts(g, from);
        if (!is_branch(g, from) && !calls)
            continue;
        u32 b = calls ? from : first_behind(g, from);
        while (b != g->nblock && !decides(g, b) && (b == from || !waits(g, b)))
            b = first_behind(g, b);
        if (b == g->nblock || !decides(g, b))
            continue;
        const u32 loop = loop_of(g, b);
        if (loop && b < g->nblock && !calls_what_parts(g, b) && !g->block[b].has_phi)
            want_on_ways(g, b, loop >> from & 1, &want);
        else
            want.end[g->node[b].block] = true;
    }
    return want;
}

/* --- random functions -------------------------------------------------------------------------- */

/* the ways out of block b; false: too many parts */
static bool set_ways(Graph *g, u32 b, const u32 *way, u32 nway)
{
    u32 at = b;
    g->node[b].block = b;
    for (u32 k = 0; k < nway; k++) {
        if (g->node[at].nway && k + 1 < nway) {
            if (g->nnode == NODES)
                return false;
            const u32 part = g->nnode++;
            g->node[at].way[g->node[at].nway++] = part;
            g->node[part].block = b;
            at = part;
        }
        g->node[at].way[g->node[at].nway++] = way[k];
    }
    return true;
}

/* Nothing leads to the first block, the function ends from every one, and every other one has a way
 * from one before it.  False: what came by chance is not so. */
static bool random_graph(Graph *g, u32 *seed)
{
    *g = (Graph){.nblock = 2 + below(seed, BLOCKS - 1)};
    g->nnode = g->nblock + 1;
    for (u32 b = 1; b < g->nblock; b++) {
        const u32 from = below(seed, b);
        if (g->block[from].nway < WAYS)
            g->block[from].way[g->block[from].nway++] = b;
    }
    for (u32 b = 0; b < g->nblock; b++) {
        const u32 ways = below(seed, 8) ? below(seed, 3) : WAYS;
        while (g->block[b].nway < ways)
            g->block[b].way[g->block[b].nway++] = 1 + below(seed, g->nblock - 1);
        if (!set_ways(g, b, g->block[b].way, g->block[b].nway))
            return false;
        g->block[b].ncall = below(seed, 3) ? 0 : 1 + below(seed, CALLS);
        for (u32 k = 0; k < g->block[b].ncall; k++)
            g->block[b].call[k] = below(seed, countof(callees));
        g->block[b].has_phi = b && !below(seed, 4);
        g->block[b].has_hint = g->block[b].nway && !below(seed, 3);
    }
    const u32 all = reached(g, 0, g->nblock);
    for (u32 b = 0; b < g->nblock; b++)
        if ((b && !(all >> b & 1)) || !(reached(g, b, g->nblock) >> g->nblock & 1))
            return false;
    return true;
}

/* A module with what can be called, and a function. */
typedef struct {
    LLVMContextRef ctx;
    LLVMModuleRef m;
    LLVMBuilderRef at;
    LLVMTypeRef type; /* of all functions: no arguments, no result */
    LLVMValueRef any; /* what branches look at */
} World;

static LLVMValueRef any_value(World *w)
{
    LLVMValueRef v = LLVMBuildLoad2(w->at, LLVMInt32TypeInContext(w->ctx), w->any, "");
    LLVMSetVolatile(v, true);
    return v;
}

static LLVMValueRef add_branch(World *w, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    LLVMValueRef bit = LLVMBuildTrunc(w->at, any_value(w), LLVMInt1TypeInContext(w->ctx), "");
    return LLVMBuildCondBr(w->at, bit, yes, no);
}

static void add_call(World *w, const char *name)
{
    LLVMBuildCall2(w->at, w->type, LLVMGetNamedFunction(w->m, name), NULL, 0, "");
}

/* a call of what is no function */
static void add_assembly(World *w)
{
    LLVMValueRef code = LLVMGetInlineAsm(w->type, "nop", 3, "", 0, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(w->at, w->type, code, NULL, 0, "");
}

/* a use of the function that is no instruction */
static void add_address(World *w, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(w->m, name);
    LLVMSetInitializer(LLVMAddGlobal(w->m, LLVMTypeOf(f), "address"), f);
}

static void add_callee(World *w, const struct Callee *c)
{
    LLVMValueRef f = LLVMAddFunction(w->m, c->name, w->type);
    if (!c->calls)
        return;
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(w->ctx, f, "");
    LLVMPositionBuilderAtEnd(w->at, body);
    if (c->two_ways) {
        LLVMBasicBlockRef side = LLVMAppendBasicBlockInContext(w->ctx, f, ""),
                          join = LLVMAppendBasicBlockInContext(w->ctx, f, "");
        add_branch(w, side, join);
        LLVMPositionBuilderAtEnd(w->at, side);
        LLVMBuildBr(w->at, join);
        LLVMPositionBuilderAtEnd(w->at, join);
    }
    add_call(w, c->calls);
    LLVMBuildRetVoid(w->at);
}

static LLVMValueRef add_ways(World *w, const Graph *g, u32 b)
{
    const u32 n = g->block[b].nway, *way = g->block[b].way;
    if (!n)
        return LLVMBuildRetVoid(w->at);
    if (n == 1)
        return LLVMBuildBr(w->at, g->block[way[0]].ref);
    if (n == 2)
        return add_branch(w, g->block[way[0]].ref, g->block[way[1]].ref);
    LLVMValueRef end = LLVMBuildSwitch(w->at, any_value(w), g->block[way[0]].ref, n - 1);
    for (u32 k = 1; k < n; k++)
        LLVMAddCase(end, LLVMConstInt(LLVMInt32TypeInContext(w->ctx), k, false), g->block[way[k]].ref);
    return end;
}

static void add_function(World *w, Graph *g)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(w->ctx);
    LLVMValueRef f = LLVMAddFunction(w->m, "f", w->type), zero = LLVMConstNull(word);
    LLVMValueRef node = LLVMMDNodeInContext(w->ctx, NULL, 0), phi[BLOCKS] = {0};
    for (u32 b = 0; b < g->nblock; b++)
        g->block[b].ref = LLVMAppendBasicBlockInContext(w->ctx, f, "");
    for (u32 b = 0; b < g->nblock; b++) {
        LLVMPositionBuilderAtEnd(w->at, g->block[b].ref);
        if (g->block[b].has_phi)
            phi[b] = LLVMBuildPhi(w->at, word, "");
        add_assembly(w);
        for (u32 k = 0; k < g->block[b].ncall; k++)
            add_call(w, callees[g->block[b].call[k]].name);
        LLVMValueRef end = add_ways(w, g, b);
        if (g->block[b].has_hint)
            LLVMSetMetadata(end, LLVMGetMDKindIDInContext(w->ctx, "llvm.loop", 9), node);
    }
    for (u32 b = 0; b < g->nblock; b++)
        for (u32 k = 0; k < g->block[b].nway; k++)
            if (phi[g->block[b].way[k]])
                LLVMAddIncoming(phi[g->block[b].way[k]], &zero, &g->block[b].ref, 1);
}

static void make_world(World *w, Graph *g)
{
    w->ctx = LLVMContextCreate();
    w->m = LLVMModuleCreateWithNameInContext("m", w->ctx);
    w->at = LLVMCreateBuilderInContext(w->ctx);
    w->type = LLVMFunctionType(LLVMVoidTypeInContext(w->ctx), NULL, 0, false);
    w->any = LLVMAddGlobal(w->m, LLVMInt32TypeInContext(w->ctx), "any");
    for (size_t k = 0; k < countof(callees); k++)
        add_callee(w, &callees[k]);
    add_address(w, "waits");
    add_function(w, g);
    assert_false(LLVMVerifyModule(w->m, LLVMReturnStatusAction, NULL));
}

static void drop_world(World *w)
{
    LLVMDisposeBuilder(w->at);
    LLVMDisposeModule(w->m);
    LLVMContextDispose(w->ctx);
}

/* --- the marks that are ---------------------------------------------------------------------------- */

static bool is_mark(LLVMValueRef i)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
    return i && LLVMIsACallInst(i) &&
           LLVMGetIntrinsicID(LLVMGetCalledValue(i)) == LLVMLookupIntrinsicID("llvm.sideeffect", 15) &&
           LLVMGetCallSiteEnumAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

static u32 count_marks(const World *w)
{
    u32 n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(w->m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                n += is_mark(i);
    return n;
}

/* the calls in block b of functions that must find all lanes together have a mark before them, and
 * no others; how many */
static u32 check_calls(LLVMBasicBlockRef b)
{
    u32 n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        for (size_t k = 0; k < countof(callees) && LLVMIsACallInst(i); k++) {
            size_t len;
            if (strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &len), callees[k].name) != 0)
                continue;
            assert_int_equal(is_mark(LLVMGetPreviousInstruction(i)), callees[k].parts && callees[k].waits);
            n += callees[k].parts && callees[k].waits;
        }
    return n;
}

/* Way k out of block b goes where it went, through a block with a mark if `marked`. */
static void check_way(const Graph *g, u32 b, u32 k, bool marked, LLVMBasicBlockRef *gate)
{
    LLVMBasicBlockRef to = g->block[g->block[b].way[k]].ref,
                      next = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->block[b].ref), k);
    if (!marked) {
        assert_ptr_equal(next, to);
        return;
    }
    assert_ptr_not_equal(next, to);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(next);
    assert_int_equal(LLVMGetNumSuccessors(end), 1);
    assert_ptr_equal(LLVMGetSuccessor(end, 0), to);
    assert_true(is_mark(LLVMGetFirstInstruction(next)));
    assert_ptr_equal(LLVMGetNextInstruction(LLVMGetFirstInstruction(next)), end);
    if (!*gate)
        *gate = next;
    assert_ptr_equal(next, *gate);
}

/* What the optimiser is to know of the loop is said at the one way back that is left. */
static void check_ways(const World *w, const Graph *g, u32 header, const bool marked[2])
{
    const u32 loop = loop_of(g, header);
    LLVMBasicBlockRef gate[2] = {0};
    bool has_hint = false;
    for (u32 b = 0; b < g->nblock; b++)
        for (u32 k = 0; k < g->block[b].nway; k++)
            if (g->block[b].way[k] == header) {
                const bool inside = loop >> b & 1;
                check_way(g, b, k, marked[inside], &gate[inside]);
                has_hint |= inside && g->block[b].has_hint;
            }
    for (int side = 0; side < 2; side++)
        if (gate[side]) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(gate[side]);
            assert_int_equal(!!LLVMGetMetadata(end, LLVMGetMDKindIDInContext(w->ctx, "llvm.loop", 9)),
                             side && has_hint);
        }
}

/* Functions that wait keep their calls apart, and nothing else is left on them. */
static void check_attributes(LLVMValueRef f, bool waiting)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    const unsigned nomerge = LLVMGetEnumAttributeKindForName("nomerge", 7);
    assert_int_equal(!!LLVMGetEnumAttributeAtIndex(f, at, nomerge), waiting);
    assert_int_equal(LLVMGetAttributeCountAtIndex(f, at), waiting);
}

static u32 check_marks(const World *w, const Graph *g)
{
    const Marks want = wanted(g);
    u32 n = 0;
    bool waiting = false;
    for (u32 b = 0; b < g->nblock; b++) {
        assert_int_equal(is_mark(LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(g->block[b].ref))),
                         want.end[b]);
        check_ways(w, g, b, want.way[b]);
        n += (u32)want.end[b] + want.way[b][0] + want.way[b][1] + check_calls(g->block[b].ref);
        waiting |= waits(g, b);
    }
    assert_int_equal(count_marks(w), n);
    check_attributes(LLVMGetNamedFunction(w->m, "f"), waiting);
    for (size_t k = 0; k < countof(callees); k++)
        check_attributes(LLVMGetNamedFunction(w->m, callees[k].name), callees[k].calls && callees[k].waits);
    return n;
}

static void random_functions(void **state)
{
    u32 seed = 1, with = 0;
    (void)state;
    for (u32 k = 0; k < GRAPHS;) {
        World w;
        Graph g;
        if (!random_graph(&g, &seed))
            continue;
        make_world(&w, &g);
        assert_true(converge(w.m, target_find(0)));
        assert_false(LLVMVerifyModule(w.m, LLVMReturnStatusAction, NULL));
        with += check_marks(&w, &g) > 0;
        drop_world(&w);
        k++;
    }
    assert_in_range(with, GRAPHS / 4, GRAPHS);
}

/* In a loop that never ends lanes must meet before the branch that decides whether there is a
 * barrier, too: block 3, after the sides of block 1.  With `way_out` some lanes never get there. */
static void endless_loops(void **state)
{
    static const u32 ways[][2] = {{1, 6}, {2, 3}, {3}, {4, 5}, {5}, {1}}, nway[] = {1, 2, 1, 2, 1, 1};
    (void)state;
    for (u32 way_out = 0; way_out < 2; way_out++) {
        World w;
        Graph g = {.nblock = 6 + way_out};
        for (u32 b = 0; b < 6; b++) {
            g.block[b].nway = nway[b] + (b ? 0 : way_out);
            memcpy(g.block[b].way, ways[b], sizeof ways[b]);
        }
        g.block[4].ncall = 1;
        assert_string_equal(callees[g.block[4].call[0]].name, "__ventus_barrier");
        make_world(&w, &g);
        assert_true(converge(w.m, target_find(0)));
        assert_false(LLVMVerifyModule(w.m, LLVMReturnStatusAction, NULL));
        for (u32 b = 0; b < g.nblock; b++) {
            const bool marked = is_mark(LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(g.block[b].ref)));
            if (b == 3)
                assert_true(marked);
            else if (b != 5) /* the way back, which does no harm */
                assert_false(marked);
        }
        drop_world(&w);
    }
}

/* Only a module with something that lanes do together needs marks; one such thing will do. */
static void needs_marks(void **state)
{
    static const struct {
        const char *name;
        bool needs;
    } row[] = {{"__ventus_barrier", true}, {"__ventus_meet", true}, {"__ventus_barriers", false}, {"f", false}};
    (void)state;
    for (size_t k = 0; k < countof(row); k++) {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m = LLVMModuleCreateWithNameInContext("m", ctx);
        LLVMAddFunction(m, row[k].name, LLVMFunctionType(LLVMVoidTypeInContext(ctx), NULL, 0, false));
        assert_int_equal(must_converge(m), row[k].needs);
        assert_true(converge(m, target_find(0)));
        LLVMDisposeModule(m);
        LLVMContextDispose(ctx);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing),
        cmocka_unit_test(random_functions),
        cmocka_unit_test(needs_marks),
        cmocka_unit_test(endless_loops),
    };
    (void)argc;
    remember_tests(tests, countof(tests), argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
