/* ccgen.c -- random programs (ccgen.h).
 *
 * expr() writes an expression of a type, statement() one with its parts; group_statement() one that
 * the whole group comes to, which may wait at barriers.  Its conditions are of values that are the
 * same in the group: arguments, the group's number, n0 and n1, which also take what came through
 * local memory.  Other conditions test these values too, so that one knows of the other.
 *
 * Arithmetic is done in unsigned types, where it wraps; what C leaves undefined goes through the
 * functions of the prelude.  Every variable has a value from the start. */
#include "test/kit/ccgen.h"

typedef enum { I8, U8, I16, U16, I32, U32, I64, U64, F32, V4, NTYPE } Type;

static const struct {
    const char *name, *var; /* variables are var0 and var1 */
    u32 bits;
} type[NTYPE] = {{"char", "c", 8},   {"uchar", "b", 8},  {"short", "s", 16}, {"ushort", "h", 16},
                 {"int", "i", 32},   {"uint", "u", 32},  {"long", "l", 64},  {"ulong", "q", 64},
                 {"float", "f", 32}, {"uint4", "v", 128}};

typedef struct {
    Buf *out;
    u64 state;
    u32 local;      /* work-items of a group */
    u32 statements; /* numbered so far */
    const bool *without;
    u32 indent;
    u32 loops;     /* around this place */
    u32 together;  /* of these, the outer ones that all lanes must go through */
    u32 functions; /* that can be called */
    u32 meetings;  /* functions with barriers that can be called */
    bool in_kernel;
    bool has_group; /* the values of the group are there */
} Gen;

static const char prelude[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "typedef struct { char c; ulong q; uint4 v; short s[3]; float f; } S;\n"
    "int div_int(int a, int b) { return b == 0 || b == -1 ? a : a / b; }\n"
    "int mod_int(int a, int b) { return b == 0 || b == -1 ? b : a % b; }\n"
    "long div_long(long a, long b) { return b == 0 || b == -1 ? a : a / b; }\n"
    "long mod_long(long a, long b) { return b == 0 || b == -1 ? b : a % b; }\n"
    "uint div_uint(uint a, uint b) { return b ? a / b : ~a; }\n"
    "uint mod_uint(uint a, uint b) { return b ? a % b : a; }\n"
    "ulong div_ulong(ulong a, ulong b) { return b ? a / b : ~a; }\n"
    "ulong mod_ulong(ulong a, ulong b) { return b ? a % b : a; }\n"
    "int to_int(float f) { return f > -1e9f && f < 1e9f ? (int)f : 77; }\n"
    "long to_long(float f) { return f > -1e18f && f < 1e18f ? (long)f : -5; }\n"
    "uint bits(float f) { return f == f ? as_uint(f) : 0x7fc00000u; }\n"
    "uint mix_in(uint h, uint v) { h = (h ^ v) * 0x9e3779b1u; return h ^ h >> 15; }\n\n";

/* --- choices and text ------------------------------------------------------------------------ */

u64 ccgen_random(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static u32 pick(Gen *g, u32 n) { return (u32)(ccgen_random(&g->state) >> 32) % n; }

#define put(g, ...) buf_printf((g)->out, __VA_ARGS__)

static void line(Gen *g) { put(g, "%*s", (int)(4 * g->indent), ""); }

/* --- expressions ---------------------------------------------------------------------- */

static void expr(Gen *g, Type t, u32 depth);

static void constant(Gen *g, Type t)
{
    static const u32 small[] = {0, 1, 2, 3, 7, 8, 31, 100, 255, 2047, 2048, 4096};
    if (t == F32)
        put(g, "%d.%uf", (int)pick(g, 200) - 100, 5 * pick(g, 2));
    else if (t == V4)
        put(g, "(uint4)(%u, %u, %u, %u)", pick(g, 9), pick(g, 70000), 0u - pick(g, 9), pick(g, 99));
    else if (pick(g, 2))
        put(g, "(%s)%u", type[t].name, small[pick(g, countof(small))]);
    else if (type[t].bits == 64)
        put(g, "(%s)0x%x%08xul", type[t].name, pick(g, UINT32_MAX), pick(g, UINT32_MAX));
    else
        put(g, "(%s)0x%xu", type[t].name, pick(g, UINT32_MAX));
}

/* something of type t that can be assigned to */
static void place(Gen *g, Type t)
{
    const u32 k = pick(g, 6);
    if (t == U32 && k == 0) {
        put(g, "a[");
        expr(g, U32, 1);
        put(g, " & 7]");
    } else if (t == U32 && k == 1) {
        put(g, "v%u.%c", pick(g, 2), "xyzw"[pick(g, 4)]);
    } else if (t == I16 && k < 2) {
        put(g, "st.s[");
        expr(g, U32, 0);
        put(g, " %% 3]");
    } else if (k == 2 && (t == I8 || t == U64 || t == V4 || t == F32)) {
        put(g, "st.%s", t == I8 ? "c" : t == U64 ? "q" : t == V4 ? "v" : "f");
    } else {
        put(g, "%s%u", type[t].var, pick(g, 2));
    }
}

static void leaf(Gen *g, Type t)
{
    const u32 k = pick(g, 8);
    if (k < 2) {
        constant(g, t);
    } else if (k == 2 && t == U32) {
        put(g, "in[");
        expr(g, U32, 0);
        put(g, " & 255]");
    } else if (k == 3 && t == U32 && g->in_kernel) {
        put(g, "%s", pick(g, 2) ? "id" : "lid");
    } else if (k == 4 && t == I32 && g->loops) {
        put(g, "k%u", pick(g, g->loops));
    } else {
        place(g, t);
    }
}

static void both(Gen *g, Type t, const char *before, const char *between, const char *after,
                 u32 depth)
{
    put(g, "%s", before);
    expr(g, t, depth);
    put(g, "%s", between);
    expr(g, t, depth);
    put(g, "%s", after);
}

/* a number that is the same in the whole group */
static void uniform(Gen *g)
{
    switch (pick(g, g->together ? 6 : 5)) {
    case 0: put(g, "n%u", pick(g, 2)); break;
    case 1: put(g, "(n0 + n1 * %u)", pick(g, 5)); break;
    case 2: put(g, "mode"); break;
    case 3: put(g, "in[%u]", pick(g, 16)); break;
    case 4: put(g, "(uint)get_group_id(0)"); break;
    default: put(g, "(uint)k%u", pick(g, g->together)); break;
    }
}

/* few, so that many tests are of the same */
static void uniform_condition(Gen *g)
{
    switch (pick(g, g->together ? 6 : 5)) {
    case 0:
    case 1: put(g, "(mode == %u)", pick(g, 3)); break;
    case 2: put(g, "(n%u & %u)", pick(g, 2), 1u << pick(g, 2)); break;
    case 3: put(g, "(n0 < n1)"); break;
    case 4: put(g, "(get_group_id(0) %% 2 == %u)", pick(g, 2)); break;
    default: put(g, "(k%u & 1)", pick(g, g->together)); break;
    }
}

static void condition(Gen *g, u32 depth)
{
    static const char *const relation[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
    if (g->has_group && depth && pick(g, 4) == 0) {
        put(g, "(");
        uniform_condition(g);
        put(g, pick(g, 4) ? " && " : " || ");
        condition(g, depth - 1);
        put(g, ")");
        return;
    }
    if (depth && pick(g, 4) == 0) {
        put(g, "(");
        condition(g, depth - 1);
        put(g, pick(g, 2) ? " && " : " || ");
        condition(g, depth - 1);
        put(g, ")");
        return;
    }
    if (pick(g, 4) == 0) {
        put(g, "((");
        expr(g, U32, depth);
        put(g, ") & %uu)", 1u << pick(g, 8));
        return;
    }
    both(g, (Type)pick(g, V4), "(", relation[pick(g, 6)], ")", depth);
}

/* of the same value, by way of another type */
static void cast(Gen *g, Type t, u32 depth)
{
    const Type from = (Type)pick(g, F32);
    put(g, "(%s)(", type[t].name);
    expr(g, from, depth);
    put(g, ")");
}

/* an operation of integers, done in t's unsigned counterpart of 32 or 64 bits */
static void wrapping(Gen *g, Type t, u32 depth)
{
    static const char *const op[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
    const char *u = type[t].bits == 64 ? "ulong" : "uint";
    put(g, "(%s)((%s)(", type[t].name, u);
    expr(g, t, depth);
    put(g, ")%s(%s)(", op[pick(g, countof(op))], u);
    expr(g, t, depth);
    put(g, "))");
}

static void shift(Gen *g, Type t, u32 depth)
{
    const bool left = pick(g, 2);
    const char *u = type[t].bits == 64 ? "ulong" : "uint";
    put(g, "(%s)((%s)(", type[t].name, left ? u : type[t].name);
    expr(g, t, depth);
    put(g, ") %s (", left ? "<<" : ">>");
    if (pick(g, 2))
        put(g, "%u", pick(g, type[t].bits));
    else
        expr(g, U32, depth);
    put(g, " & %u))", type[t].bits - 1);
}

static void division(Gen *g, Type t, u32 depth)
{
    static const char *const wide[] = {"int", "uint", "long", "ulong"};
    const u32 w = (type[t].bits == 64 ? 2 : 0) + t % 2;
    put(g, "(%s)%s_%s(", type[t].name, pick(g, 2) ? "div" : "mod", wide[w]);
    expr(g, t, depth);
    put(g, ", ");
    expr(g, t, depth);
    put(g, ")");
}

static void builtin(Gen *g, Type t, u32 depth)
{
    static const char *const name[] = {"min", "max", "rotate", "mul_hi"};
    if (t < I32) {
        cast(g, t, depth);
        return;
    }
    put(g, "%s((%s)(", name[pick(g, countof(name))], type[t].name);
    expr(g, t, depth);
    put(g, "), (%s)(", type[t].name);
    expr(g, t, depth);
    put(g, "))");
}

/* a statement, since what changes the array must not be in one expression with what reads it */
static void call(Gen *g)
{
    put(g, "u%u %s= helper%u(", pick(g, 2), pick(g, 2) ? "^" : "", pick(g, g->functions));
    expr(g, U32, 2);
    put(g, ", ");
    expr(g, U64, 1);
    put(g, ", ");
    expr(g, F32, 1);
    put(g, ", v%u, st, a, in);\n", pick(g, 2));
}

static void choice(Gen *g, Type t, u32 depth)
{
    put(g, "(");
    condition(g, depth);
    both(g, t, " ? ", " : ", ")", depth);
}

static void integer(Gen *g, Type t, u32 depth)
{
    switch (pick(g, 13)) {
    case 0: division(g, t, depth); return;
    case 1:
    case 2: shift(g, t, depth); return;
    case 3: cast(g, t, depth); return;
    case 4: choice(g, t, depth); return;
    case 5: builtin(g, t, depth); return;
    case 6:
        put(g, "(%s)to_%s(", type[t].name, type[t].bits == 64 ? "long" : "int");
        expr(g, F32, depth);
        put(g, ")");
        return;
    case 7:
        put(g, "(%s)(", type[t].name);
        expr(g, V4, depth);
        put(g, ").%c", "xyzw"[pick(g, 4)]);
        return;
    case 8:
        put(g, "(%s)", type[t].name);
        condition(g, depth);
        return;
    case 9:
        put(g, "(%s)%c", type[t].name, "~!"[pick(g, 2)]);
        expr(g, t, depth);
        return;
    default: wrapping(g, t, depth);
    }
}

static void floating(Gen *g, u32 depth)
{
    static const char *const op[] = {" + ", " - ", " * "};
    switch (pick(g, 7)) {
    case 0:
        put(g, "(float)(");
        expr(g, (Type)pick(g, F32), depth);
        put(g, ")");
        break;
    case 1: choice(g, F32, depth); break;
    case 2:
        put(g, "fma(");
        expr(g, F32, depth);
        both(g, F32, ", ", ", ", ")", depth);
        break;
    case 3:
        put(g, "fabs(");
        expr(g, F32, depth);
        put(g, ")");
        break;
    default: both(g, F32, "(", op[pick(g, 3)], ")", depth);
    }
}

static void vector(Gen *g, u32 depth)
{
    static const char *const op[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
    static const char *const relation[] = {" < ", " == ", " >= "};
    switch (pick(g, 7)) {
    case 0:
        put(g, "(uint4)(");
        expr(g, U32, depth);
        both(g, U32, ", ", ", ", ", ", depth);
        expr(g, U32, depth);
        put(g, ")");
        break;
    case 1:
        put(g, "(");
        expr(g, V4, depth);
        put(g, ").");
        for (u32 k = 0; k < 4; k++)
            put(g, "%c", "xyzw"[pick(g, 4)]);
        break;
    case 2: both(g, V4, "as_uint4(", relation[pick(g, 3)], ")", depth); break;
    case 3:
        put(g, "(");
        expr(g, V4, depth);
        put(g, " %s %u)", pick(g, 2) ? "<<" : ">>", pick(g, 32));
        break;
    case 4:
        put(g, "(uint4)(");
        expr(g, U32, depth);
        put(g, ")");
        break;
    default: both(g, V4, "(", op[pick(g, countof(op))], ")", depth);
    }
}

static void expr(Gen *g, Type t, u32 depth)
{
    if (!depth || pick(g, 5) == 0)
        leaf(g, t);
    else if (t == V4)
        vector(g, depth - 1);
    else if (t == F32)
        floating(g, depth - 1);
    else
        integer(g, t, depth - 1);
}

/* --- statements ----------------------------------------------------------------------- */

static void statements(Gen *g, u32 n, u32 depth);

static void block(Gen *g, u32 n, u32 depth)
{
    put(g, "{\n");
    g->indent++;
    statements(g, n, depth);
    g->indent--;
    line(g);
    put(g, "}\n");
}

static void assignment(Gen *g)
{
    const Type t = (Type)pick(g, NTYPE);
    place(g, t);
    put(g, " = ");
    expr(g, t, 3);
    put(g, ";\n");
}

static void branch(Gen *g, u32 depth)
{
    put(g, "if (");
    condition(g, 2);
    put(g, ") ");
    block(g, 1 + pick(g, 3), depth);
    if (pick(g, 2)) {
        line(g);
        put(g, "else ");
        block(g, 1 + pick(g, 3), depth);
    }
}

/* the bound is a number, or another one in every lane */
static void loop(Gen *g, u32 depth)
{
    const u32 k = g->loops;
    put(g, "for (int k%u = 0; k%u < ", k, k);
    if (pick(g, 3) == 0) {
        put(g, "%u", 1 + pick(g, 6));
    } else {
        put(g, "(int)(");
        expr(g, U32, 1);
        put(g, " & 7)");
    }
    put(g, "; k%u++) ", k);
    g->loops++;
    block(g, 1 + pick(g, 4), depth);
    g->loops--;
}

static void switching(Gen *g, u32 depth)
{
    const u32 n = 2 + pick(g, 5), step = pick(g, 3) ? 1 : 37;
    put(g, "switch (");
    expr(g, U32, 2);
    put(g, " %% %u * %u) {\n", n + 1, step);
    for (u32 k = 0; k < n; k++) {
        line(g);
        put(g, "case %u:\n", k * step);
        g->indent++;
        statements(g, 1 + pick(g, 2), depth);
        if (pick(g, 4)) {
            line(g);
            put(g, "break;\n");
        }
        g->indent--;
    }
    line(g);
    put(g, "default:\n");
    g->indent++;
    statements(g, 1, depth);
    g->indent--;
    line(g);
    put(g, "}\n");
}

/* each operation has cells of its own, so that their order does not matter */
static void atomic(Gen *g)
{
    static const char *const op[] = {"add", "xor", "min", "max", "or"};
    const u32 k = pick(g, countof(op));
    put(g, "atomic_%s(&sums[%u + (", op[k], 8 * k);
    expr(g, U32, 1);
    put(g, " & 7)], ");
    expr(g, U32, 2);
    put(g, ");\n");
}

static void leaving(Gen *g)
{
    put(g, "if (");
    condition(g, 1);
    if (g->loops > g->together && pick(g, 3))
        put(g, ") %s;\n", pick(g, 2) ? "continue" : "break");
    else if (!g->in_kernel)
        put(g, ") return u0 + (uint)q1;\n");
    else
        put(g, ") u1++;\n");
}

static void statement(Gen *g, u32 depth)
{
    const u32 most = g->in_kernel ? 3 : 1; /* loops in each other */
    switch (depth ? pick(g, 12) : 6) {
    case 0:
    case 1: branch(g, depth - 1); break;
    case 2:
    case 3:
        if (g->loops < most)
            loop(g, depth - 1);
        else
            assignment(g);
        break;
    case 4: switching(g, depth - 1); break;
    case 5: leaving(g); break;
    case 7:
        if (g->in_kernel)
            atomic(g);
        else
            assignment(g);
        break;
    case 8:
        if (g->functions)
            call(g);
        else
            assignment(g);
        break;
    default: assignment(g);
    }
}

static void numbered(Gen *g, u32 n, u32 depth, void write(Gen *g, u32 depth))
{
    while (n--) {
        const size_t at = g->out->len;
        const u32 number = g->statements++;
        line(g);
        write(g, depth);
        if (g->without && number < CCGEN_STATEMENTS && g->without[number]) {
            g->out->len = at;
            line(g);
            put(g, ";\n");
        }
    }
}

static void statements(Gen *g, u32 n, u32 depth) { numbered(g, n, depth, statement); }

/* --- statements of the group ---------------------------------------------------------------- */

static void group_statements(Gen *g, u32 n, u32 depth);

static void group_block(Gen *g, u32 n, u32 depth)
{
    put(g, "{\n");
    g->indent++;
    group_statements(g, n, depth);
    g->indent--;
    line(g);
    put(g, "}\n");
}

/* values change hands */
static void exchange(Gen *g)
{
    put(g, "shared[lid] = ");
    expr(g, U32, 2);
    put(g, ";\n");
    line(g);
    put(g, "barrier(CLK_LOCAL_MEM_FENCE);\n");
    line(g);
    if (pick(g, 3) == 0) {
        put(g, "n%u = shared[%u] %% %u;\n", pick(g, 2), pick(g, g->local), 3 + pick(g, 9));
    } else {
        place(g, U32);
        put(g, " ^= shared[(");
        expr(g, U32, 1);
        put(g, ") %% %u] + shared[(lid + %u) %% %u];\n", g->local, pick(g, g->local), g->local);
    }
    line(g);
    put(g, "barrier(CLK_LOCAL_MEM_FENCE);\n");
}

static void copy(Gen *g)
{
    put(g, "{\n");
    line(g);
    put(g, "    event_t e = async_work_group_copy(shared, in + (");
    uniform(g);
    put(g, " & 63), %u, 0);\n", g->local);
    line(g);
    put(g, "    wait_group_events(1, &e);\n");
    line(g);
    put(g, "    u%u += shared[(lid * %u) %% %u];\n", pick(g, 2), 1 + pick(g, 5), g->local);
    line(g);
    put(g, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
    line(g);
    put(g, "}\n");
}

static void group_function(Gen *g)
{
    static const char *const name[] = {
        "reduce_add",         "reduce_min",         "reduce_max",        "scan_inclusive_add",
        "scan_exclusive_add", "scan_inclusive_max", "scan_exclusive_min"};
    switch (pick(g, 4)) {
    case 0:
        put(g, "n%u ^= work_group_%s(", pick(g, 2), pick(g, 2) ? "any" : "all");
        condition(g, 1);
        put(g, ") != 0;\n");
        break;
    case 1:
        put(g, "u%u += work_group_broadcast((uint)(", pick(g, 2));
        expr(g, U32, 2);
        put(g, "), ");
        uniform(g);
        put(g, " %% %u);\n", g->local);
        break;
    default:
        put(g, "u%u ^= work_group_%s((uint)(", pick(g, 2), name[pick(g, countof(name))]);
        expr(g, U32, 2);
        put(g, "));\n");
    }
}

static void group_branch(Gen *g, u32 depth)
{
    put(g, "if (");
    uniform_condition(g);
    if (pick(g, 3) == 0) {
        put(g, pick(g, 2) ? " && " : " || ");
        uniform_condition(g);
    }
    put(g, ") ");
    group_block(g, 1 + pick(g, 3), depth);
    if (pick(g, 2)) {
        line(g);
        put(g, "else ");
        group_block(g, 1 + pick(g, 3), depth);
    }
}

static void group_loop(Gen *g, u32 depth)
{
    const u32 k = g->loops;
    put(g, "for (int k%u = 0; k%u < (int)(", k, k);
    if (pick(g, 2))
        put(g, "%u", 1 + pick(g, 4));
    else
        uniform(g);
    put(g, " & 3); k%u++) {\n", k);
    g->loops++;
    g->together++;
    g->indent++;
    group_statements(g, 1 + pick(g, 2), depth);
    if (pick(g, 3) == 0) {
        line(g);
        put(g, "if (");
        uniform_condition(g);
        put(g, ") %s;\n", pick(g, 2) ? "continue" : "break");
        group_statements(g, 1 + pick(g, 2), depth);
    }
    g->indent--;
    g->together--;
    g->loops--;
    line(g);
    put(g, "}\n");
}

static void group_switch(Gen *g, u32 depth)
{
    const u32 n = 2 + pick(g, 3);
    put(g, "switch (");
    uniform(g);
    put(g, " %% %u) {\n", n);
    for (u32 k = 0; k < n; k++) {
        line(g);
        put(g, k + 1 < n ? "case %u:\n" : "default:\n", k);
        g->indent++;
        group_statements(g, 1 + pick(g, 2), depth);
        if (pick(g, 3)) {
            line(g);
            put(g, "break;\n");
        }
        g->indent--;
    }
    line(g);
    put(g, "}\n");
}

/* the same condition whenever the same number is given */
static void condition_of(Gen *g, u64 number)
{
    const u64 state = g->state;
    g->state = number;
    uniform_condition(g);
    g->state = state;
}

/* lanes part, in a loop or a branch */
static void parting(Gen *g)
{
    const u32 u = pick(g, 2);
    if (pick(g, 2)) {
        put(g, "for (uint m = lid; m < ");
        uniform(g);
        put(g, " %% %u; m += %u) u%u += in[m];\n", 24 + pick(g, 40), 5 + pick(g, 28), u);
    } else {
        put(g, "{ if (");
        condition(g, 1);
        put(g, ") u%u = ", u);
        expr(g, U32, 1);
        put(g, "; }\n");
    }
}

/* Lanes part under a condition that is tested again before they wait at barriers: the place between
 * must not be passed by where the condition is known. */
static void divided(Gen *g, u32 depth)
{
    const u64 test = ccgen_random(&g->state);
    const u32 kind = pick(g, 3);
    put(g, "if (");
    condition_of(g, test);
    put(g, ") ");
    parting(g);
    if (pick(g, 2)) {
        line(g);
        put(g, "else ");
        parting(g);
    }
    line(g);
    if (kind == 0)
        put(g, "shared[lid] = u%u;\n", pick(g, 2));
    else if (kind == 1)
        put(g, "if (u%u & 1) i0 += (int)u1; else i1 ^= 5;\n", pick(g, 2));
    else
        put(g, "u1 = u0 ? in[u0 & 255] : 7u;\n");
    line(g);
    put(g, "if (");
    condition_of(g, test);
    put(g, ") ");
    if (kind == 0)
        put(g,
            "{ barrier(CLK_LOCAL_MEM_FENCE); u0 = shared[%u - lid]; "
            "barrier(CLK_LOCAL_MEM_FENCE); }\n",
            g->local - 1);
    else
        group_block(g, 1 + pick(g, 2), depth ? depth - 1 : 0);
    if (kind == 0 || pick(g, 2)) {
        line(g);
        put(g, "else ");
        if (kind == 0)
            put(g, "{ barrier(CLK_LOCAL_MEM_FENCE); u0 += shared[lid ^ 3]; "
                   "barrier(CLK_LOCAL_MEM_FENCE); }\n");
        else
            group_block(g, 1 + pick(g, 2), depth ? depth - 1 : 0);
    }
}

static void meeting_call(Gen *g)
{
    put(g, "u%u ^= meeting%u(", pick(g, 2), pick(g, g->meetings));
    expr(g, U32, 2);
    put(g, ", ");
    expr(g, U64, 1);
    put(g, ", ");
    expr(g, F32, 1);
    put(g, ", v%u, st, a, in, sums, n0, n1, mode, shared);\n", pick(g, 2));
}

static void group_statement(Gen *g, u32 depth)
{
    switch (pick(g, depth ? 18 : 9)) {
    case 0:
    case 1:
    case 2: statement(g, 2); break;
    case 3:
    case 4: exchange(g); break;
    case 5: group_function(g); break;
    case 6:
        put(g, "n%u = (", pick(g, 2));
        uniform(g);
        put(g, " ^ ");
        uniform(g);
        put(g, ") %% %u;\n", 3 + pick(g, 9));
        break;
    case 7:
        if (g->meetings)
            meeting_call(g);
        else
            copy(g);
        break;
    case 8: divided(g, depth); break;
    case 9:
    case 10:
    case 11: group_branch(g, depth - 1); break;
    case 12:
    case 13:
        if (g->loops < 3)
            group_loop(g, depth - 1);
        else
            exchange(g);
        break;
    case 14: group_switch(g, depth - 1); break;
    case 15:
    case 16: divided(g, depth - 1); break;
    default: copy(g);
    }
}

static void group_statements(Gen *g, u32 n, u32 depth) { numbered(g, n, depth, group_statement); }

/* --- functions ------------------------------------------------------------------------ */

static void variables(Gen *g)
{
    for (u32 t = 0; t < F32; t++)
        put(g, "    %s %s0 = (%s)(p * %uu), %s1 = (%s)(q >> %u);\n", type[t].name, type[t].var,
            type[t].name, 1 + pick(g, 9), type[t].var, type[t].name, pick(g, 60));
    put(g, "    float f0 = r, f1 = (float)(int)p;\n    uint4 v0 = v, v1 = v.wxyz ^ p;\n");
}

static void mixed(Gen *g)
{
    put(g, "    uint mixed = 1;\n");
    for (u32 t = 0; t < F32; t++)
        for (u32 k = 0; k < 2; k++) {
            put(g, "    mixed = mix_in(mixed, (uint)%s%u);\n", type[t].var, k);
            if (type[t].bits == 64)
                put(g, "    mixed = mix_in(mixed, (uint)(%s%u >> 32));\n", type[t].var, k);
        }
    put(g,
        "    mixed = mix_in(mixed, bits(f0));\n    mixed = mix_in(mixed, bits(f1));\n"
        "    v0 += v1 * 3;\n    v0.xy ^= v0.zw * 5;\n"
        "    mixed = mix_in(mix_in(mixed, v0.x), v0.y);\n"
        "    mixed = mix_in(mixed, (uint)st.q + (uint)st.c * 3 + (uint)st.s[0] + (uint)st.s[2] + "
        "st.v.y);\n"
        "    mixed = mix_in(mixed, bits(st.f));\n"
        "    for (int k = 0; k < 8; k++)\n        mixed = mix_in(mixed, a[k]);\n");
}

static void helper(Gen *g, u32 number)
{
    put(g,
        "%suint helper%u(uint p, ulong q, float r, uint4 v, S st, private uint *a, "
        "global const uint *in)\n{\n",
        pick(g, 3) ? "__attribute__((noinline)) " : "", number);
    variables(g);
    g->indent = 1;
    statements(g, 3 + pick(g, 4), 2);
    mixed(g);
    put(g, "    return mixed;\n}\n\n");
    g->functions = number + 1;
}

/* a function that the whole group calls */
static void meeting(Gen *g, u32 number)
{
    put(g,
        "%suint meeting%u(uint p, ulong q, float r, uint4 v, S st, private uint *a, "
        "global const uint *in, global uint *sums, uint n0, uint n1, uint mode, local uint "
        "*shared)\n{\n"
        "    const uint id = (uint)get_global_id(0), lid = (uint)get_local_id(0);\n",
        pick(g, 3) == 0 ? "__attribute__((noinline)) " : "", number);
    variables(g);
    g->indent = 1;
    g->in_kernel = g->has_group = true;
    group_statements(g, 2 + pick(g, 3), 2);
    g->in_kernel = g->has_group = false;
    mixed(g);
    put(g, "    return mixed;\n}\n\n");
    g->meetings = number + 1;
}

u32 ccgen_local(u64 seed)
{
    static const u32 local[] = {32, CCGEN_MOST_LOCAL, 80};
    return local[seed % countof(local)];
}

u32 ccgen(u64 seed, const bool *without, Buf *out)
{
    Gen g = {.out = out,
             .state = seed * 0x2545f4914f6cdd1du,
             .local = ccgen_local(seed),
             .without = without};
    put(&g, "/* seed %llu */\n%s", (unsigned long long)seed, prelude);
    for (u32 n = pick(&g, 4), k = 0; k < n; k++)
        helper(&g, k);
    for (u32 n = pick(&g, 3), k = 0; k < n; k++)
        meeting(&g, k);
    put(&g,
        "kernel void test(global const uint *in, global uint *out, global uint *sums)\n{\n"
        "    local uint shared[%u];\n"
        "    const uint id = (uint)get_global_id(0), lid = (uint)get_local_id(0);\n"
        "    const uint p = in[id & 255];\n"
        "    const ulong q = (ulong)in[(id + 7) & 255] << 32 | in[(id * 5) & 255];\n"
        "    const float r = (float)(int)in[(id + 1) & 255];\n"
        "    const uint4 v = (uint4)(p, id, in[lid], p >> 3);\n"
        "    S st = {(char)p, q, v, {1, (short)p, 3}, r};\n"
        "    uint a[8];\n"
        "    for (int k = 0; k < 8; k++)\n        a[k] = p * k + id;\n",
        g.local);
    variables(&g);
    put(&g, "    uint mode = in[%u] %% 3, n0 = in[%u] %% 7, n1 = (uint)get_group_id(0) + %u;\n",
        pick(&g, 16), pick(&g, 16), pick(&g, 3));
    g.indent = 1;
    g.in_kernel = g.has_group = true;
    statements(&g, 2 + pick(&g, 4), 3);
    group_statements(&g, 5 + pick(&g, 5), 3);
    statements(&g, 2, 3);
    mixed(&g);
    put(&g, "    out[id] = mixed;\n}\n");
    return g.statements;
}
