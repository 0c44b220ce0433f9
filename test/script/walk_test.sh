#!/bin/sh
# walk_test.sh -- the walks of HACKING.md, "Adding an instruction", "Adding a CSR" and "Adding a parameter of
# machines", done as they are written.
#
# The lines that they show go into the rows of a copy of the sources.  The tables of the documents, the decoder, the
# printer, isa_facts() and the interpreter must know the instruction then, the interpreter the CSR, and descriptions of
# machines the parameter.
# limit: 300
# shellcheck disable=SC2086
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build}
CC=${CC:-cc}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r src host doc HACKING.md "$copy"
mkdir -p "$copy/test"
cp -r test/kit "$copy/test"
cp "$B/gen/machines.c" "$copy"
cd "$copy"

op=$(sed -n 's/^    \(OP(abs, .*\)/\1/p' HACKING.md)
insn=$(sed -n 's/^    \(INSN(vabs_v, .*\)/\1/p' HACKING.md)
word=$(sed -n 's/^    \$ echo \([0-9a-f]*\) | build\/ventus dis$/\1/p' HACKING.md)
text=$(sed -n '/build\/ventus dis$/{n;s/^    //p;}' HACKING.md)
csr=$(sed -n 's/^    \(CSR(0x816, .*\)/\1/p' HACKING.md)
parameter=$(sed -n 's/^    \(PARAMETER(l1_sets, .*\)/\1/p' HACKING.md)
[ "$csr" ] && [ "$parameter" ] || { echo 'HACKING.md shows no CSR or no parameter'; exit 1; }
[ "$op" ] && [ "$insn" ] && [ "$word" ] && [ "$text" ] || { echo 'HACKING.md shows no instruction'; exit 1; }
# with the others of their kind
awk -v new="$op" '{ print } /^OP\(sext16,/ { print new }' src/isa/op.def >new && mv new src/isa/op.def
awk -v new="$insn" '{ print } /^INSN\(vfexp,/ { print new }' src/isa/isa.def >new && mv new src/isa/isa.def
awk -v new="$csr" '{ print } /^CSR\(0x815,/ { print new }' src/isa/csr.def >new && mv new src/isa/csr.def
awk -v new="$parameter" '{ print } /^PARAMETER\(simt_depth,/ { print new }' src/mach/machine.def >new && mv new src/mach/machine.def

cat >walk.c <<'END'
#include "test/kit/rig.h"

int main(int argc, char **argv)
{
    (void)argc;
    const u32 word = (u32)strtoul(argv[1], NULL, 16);
    const IsaPrint how = {.raw = true};
    IsaFacts f;
    Insn in;
    Buf b = {0};
    rig_open(V202);
    isa_print_word(&b, &rig.code->decoder, word, 4, &how);
    if (strcmp(buf_text(&b), argv[2]))
        return printf("%08x is '%s', not '%s'\n", word, buf_text(&b), argv[2]), 1;
    if (!isa_decode(&rig.code->decoder, word, &in) || !isa_facts(&in, NULL, V202, 32, &f) ||
        f.nregs != 2 || f.reg[0].first != 3 || !f.reg[0].is_written || f.reg[1].first != 2 ||
        !f.reg[1].is_read || f.reads || f.writes || f.access != ACCESS_NONE)
        return puts("isa_facts() does not know it"), 1;
    for (int masked = 0; masked < 2; masked++) {
        start();
        put_word(word & ~((u32)masked << 25));
        fill(W, UINT32_MAX);
        W->v[2][5] = 0x80000000, W->v[2][6] = (u32)-7;
        expect_nothing(W);
        if (run(W) != FAULT_NONE)
            return puts("it faults"), 1;
        for (int i = 0; i < MAX_LANES; i++) {
            const u32 a = want->v[2][i], r = a >> 31 ? 0 - a : a;
            if (W->v[3][i] != (masked && !(want->v[0][i] & 1) ? want->v[3][i] : r))
                return printf("lane %d: %08x of %08x\n", i, W->v[3][i], a), 1;
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
    buf_free(&b);
    return 0;
}
END
flags='-std=gnu17 -O0 -D_GNU_SOURCE -I. -Isrc -fno-math-errno -ffp-contract=off -pthread'
sources="$(ls src/base/*.c src/isa/*.c src/mach/*.c src/sim/*.c | grep -v lane_avx) machines.c"
arch=$($CC -dumpmachine)
case $arch in x86_64*)
    $CC $flags -mavx2 -mfma -mbmi2 -c -o lane_avx2.o src/sim/lane_avx2.c
    $CC $flags -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi2 -c -o lane_avx512.o src/sim/lane_avx512.c
    sources="$sources lane_avx2.o lane_avx512.o" ;;
esac
$CC $flags -o walk walk.c $sources -lcmocka -lm
for level in base avx2 avx512; do
    VENTUS_LANES=$level ./walk "$word" "$text"
done
$CC $flags -o tables host/tables.c src/base/*.c src/isa/*.c -lm
./tables doc/isa.md >isa.md
for row in '`vabs.v` | both | .*| abs |$' '0x816 | `grpn` |'; do
    grep -q "^| $row" isa.md || { echo "the tables have no $row"; exit 1; }
done
./tables doc/machine.md | grep -q '^| `l1_sets` | sets | 256 |' || { echo 'the tables have no parameter'; exit 1; }
# four rows and nothing else
cd "$OLDPWD"
added=$(diff -r src "$copy/src" | grep -c '^[<>]') || true
[ "$added" = 4 ] || { echo "$added lines differ"; exit 1; }
echo '4 rows make an instruction, a CSR and a parameter, on 3 host levels'
