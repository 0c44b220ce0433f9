#!/bin/sh
# walk_test.sh -- the walks of HACKING.md, "Adding an instruction", "Adding a CSR", "Adding a parameter of
# machines" and "Adding a pass to the compiler", done as they are written.
#
# The lines that they show go into the rows of a copy of the sources, which is built.  The tables of the documents, the
# decoder, the printer, isa_facts(), the interpreter and the compiler must know the instruction then, the interpreter the
# CSR, and descriptions of machines the parameter.  Without one of the four lines of the instruction the build, or the
# compiler, must say which.
# limit: 600
set -eu
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Makefile src host lib tool include doc HACKING.md "$copy"
mkdir -p "$copy/test"
cp -r test/kit "$copy/test"
cd "$copy"
# the copy is built without LLVM, so it has no host code
unset MAKEFLAGS MFLAGS VENTUS_ENGINE KIT_ENGINE

shown() { # BEGINNING: the one line of HACKING.md that begins so
    sed -n "s/^    \($1.*\)/\1/p" HACKING.md >line
    [ "$(wc -l <line)" = 1 ] || { echo "HACKING.md shows no line $1" >&2; exit 1; }
    cat line
}
after() { # FILE BEGINNING LINE: puts the line into the file after the one that begins so
    awk -v new="$3" -v at="$2" '{ print } index($0, at) == 1 { print new }' "$1" >new && mv new "$1"
}
build() { make --no-print-directory -s -j2 m=dbg B=build CFLAGS=-g0 LLVM_CONFIG= "$@" >log 2>&1; }
must() { "$@" || { tail -n 20 log; exit 1; }; }

op=$(shown 'OP(absdiff,')
insn=$(shown 'INSN(vabsdiff_vv,')
ir=$(shown 'IR(absdiff,')
alu=$(shown 'ALU(absdiff,')
csr=$(shown 'CSR(0x816,')
parameter=$(shown 'PARAMETER(l1_sets,')
pass=$(shown 'PASS(twice,')
awk '/^    \/\* twice\.c/ { on = 1 } on { print substr($0, 5) } /^    }/ { on = 0 }' HACKING.md >src/cc/twice.c
word=$(sed -n 's/^    \$ echo \([0-9a-f]*\) | build\/ventus dis$/\1/p' HACKING.md)
text=$(sed -n '/build\/ventus dis$/{n;s/^    //p;}' HACKING.md)
awk '/^    kernel @distance/ { on = 1 } on { print substr($0, 5) } /^    }/ { on = 0 }' HACKING.md >distance.ir
[ "$word" ] && [ "$text" ] && [ -s distance.ir ] || { echo 'HACKING.md shows no instruction'; exit 1; }
# with the others of their kind
mv src/cc/twice.c .
cp -r src before
mv twice.c src/cc
after src/cc/passes.def 'PASS(open,' "$pass"
after src/isa/op.def 'OP(sext16,' "$op"
after src/isa/isa.def 'INSN(vfexp,' "$insn"
after src/cc/ir.def 'IR(geu,' "$ir"
after src/cc/select.def 'ALU(maxu,' "$alu"
after src/isa/csr.def 'CSR(0x815,' "$csr"
after src/mach/machine.def 'PARAMETER(simt_depth,' "$parameter"

cat >walk.c <<'END'
#include "test/kit/rig.h"

int main(int argc, char **argv)
{
    (void)argc;
    const u32 word = (u32)strtoul(argv[1], NULL, 16);
    IsaFacts f;
    Insn in;
    rig_open(V202);
    if (!isa_decode(&rig.code->decoder, word, &in) || !isa_facts(&in, NULL, V202, 32, &f) ||
        f.nregs != 3 || f.reg[0].first != 3 || !f.reg[0].is_written || f.reg[1].first != 2 ||
        !f.reg[1].is_read || f.reg[2].first != 1 || !f.reg[2].is_read || f.reads || f.writes ||
        f.access != ACCESS_NONE)
        return puts("isa_facts() does not know it"), 1;
    for (int masked = 0; masked < 2; masked++) {
        start();
        put_word(word & ~((u32)masked << 25));
        fill(W, UINT32_MAX);
        W->v[2][5] = 0x80000000, W->v[1][5] = 0x7fffffff;
        expect_nothing(W);
        if (run(W) != FAULT_NONE)
            return puts("it faults"), 1;
        for (int i = 0; i < MAX_LANES; i++) {
            const long long a = (i32)want->v[2][i], b = (i32)want->v[1][i];
            const u32 r = (u32)(a < b ? b - a : a - b);
            if (W->v[3][i] != (masked && !(want->v[0][i] & 1) ? want->v[3][i] : r))
                return printf("lane %d: %08x of %llx and %llx\n", i, W->v[3][i], a, b), 1;
        }
    }
    u32 at = 0;
    rig.launch.groups[0] = 3, rig.launch.groups[1] = 5, rig.launch.groups[2] = 7;
    start();
    if (!isa_find_csr("CSR_GRPN", 8, &at))
        return puts("the CSR has no name"), 1;
    emit(I_csrrs, O_rd, 9, O_csr, (int)at, O_rs1, 0, END);
    if (at != 0x816 || run(W) != FAULT_NONE || W->x[9] != 105)
        return printf("CSR %x reads %u\n", at, W->x[9]), 1;
    Machine m;
    Diag d = {0};
    if (!machine_parse("m", "", &m, &d) || m.l1_sets != 256 ||
        !machine_parse("m", "l1_sets = 64\n", &m, &d) || m.l1_sets != 64 ||
        machine_parse("m", "l1_sets = 63\n", &m, &d))
        return puts("descriptions do not know the parameter"), 1;
    rig_close();
    return 0;
}
END
must build build/ventus build/host/tables
# as the text says
[ "$(echo "$word" | build/ventus dis)" = "$text" ] || { echo "$word is not $text"; exit 1; }
${CC:-cc} -std=gnu17 -O0 -D_GNU_SOURCE -I. -Isrc -o walk walk.c build/libventus.a -lcmocka -lm -ldl -pthread -ljansson
distance() { build/ventus run -k distance -g 8 -l 8 -a 'buf:i32:8>-' distance.ir 2>&1; }
for level in base avx2 avx512; do
    VENTUS_LANES=$level ./walk "$word"
    # |lane - 5| * |32 - -4|
    VENTUS_LANES=$level distance >out
    grep -q '^arg0.*: 180 144 108 72 36 0 36 72$' out || { echo "compiled, on $level:"; cat out; exit 1; }
done
build/ventus cc -S -o distance.s distance.ir
[ "$(grep -c vabsdiff.vv distance.s)" = 2 ] || { echo 'the compiler does not choose it twice'; cat distance.s; exit 1; }
build/host/tables doc/isa.md >isa.md
# shellcheck disable=SC2016
for row in '`vabsdiff.vv` | both | .*| absdiff |$' '0x816 | `grpn` |'; do
    grep -q "^| $row" isa.md || { echo "the tables have no $row"; exit 1; }
done
# shellcheck disable=SC2016
build/host/tables doc/machine.md | grep -q '^| `l1_sets` | sets | 256 |' || { echo 'the tables have no parameter'; exit 1; }
build/ventus info | grep -q '^l1_sets  *sets ' || { echo 'ventus info has no parameter'; exit 1; }
# the pass runs and can be turned off
sed 's/absdiff %3, 5/mul %3, 2/' distance.ir >twice.ir
build/ventus cc -S -o on.s twice.ir
build/ventus cc -S -f no-twice -o off.s twice.ir
grep -q 'vadd.vv' on.s && ! grep -q 'vadd.vv' off.s || { echo 'the pass makes no sums, or without it there are some'; exit 1; }
build/ventus help cc | grep -q '^  twice  *products by 2 become sums$' || { echo 'the help has no pass'; exit 1; }
added=$(diff -r before src | grep -c '^[<>]') || true
[ "$added" = 7 ] || { echo "$added lines differ"; exit 1; }

without() { # FILE OBJECT NAME: without its line the object is not built, and the message has the name
    cp "src/$1" kept
    cp "before/$1" "src/$1"
    if build "build/src/$2.o"; then echo "$2.c is built without the line of $1"; exit 1; fi
    grep -q "error: .*$3" log || { echo "without the line of $1:"; cat log; exit 1; }
    cp kept "src/$1"
}
without isa/op.def isa/isa OP_absdiff
without isa/isa.def cc/select_alu I_vabsdiff_vv
without cc/ir.def cc/select_alu IR_absdiff
cp before/cc/select.def src/cc/select.def
must build build/ventus
status=0
distance >out || status=$?
[ $status -gt 0 ] && [ $status -lt 126 ] && grep -q 'absdiff.* has no rows' out ||
    { echo "without the line of select.def: status $status"; cat out; exit 1; }
echo '7 rows and a file make an instruction with its selection, a CSR, a parameter and a pass'
