#!/bin/sh
# lines_test.sh -- the place in the source, and the calls that were inlined, that `ventus objdump -l` shows
# for each instruction are those that LLVM's symbolizer finds: in images of our compiler, and of
# objects that clang made with each version of DWARF.  The line tables of our assembler say what
# those of LLVM's say.
B=${B:-build}
config=${LLVM_CONFIG:-llvm-config-19}
command -v "$config" >/dev/null && [ -e "$B/ventus-cc1" ] || { echo "no $config"; exit 77; }
bin=$("$config" --bindir)
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT

# a line an instruction: ADDRESS FILE:LINE FUNCTION [FILE:LINE FUNCTION]...
ours() {
    "$B/ventus" objdump -d -l -j .text "$1" | awk '
        /^# called at / { place = place " " $4 " " $6; next }
        /^# / { place = $2 " " $4; next }
        /^[0-9a-f]+: / { sub(":", "", $1); print $1, place }'
}
theirs() {
    ours "$1" | sed 's/^/0x/; s/ .*//' |
        "$bin/llvm-symbolizer" -e "$1" --inlines --output-style=GNU --addresses | awk '
        function flush() { if (address != "") print address place }
        /^0x/ { flush(); address = substr($1, 3); place = ""; next }
        { name = $0; getline; place = place " " $1 " " name }
        END { flush() }' | grep -v ' ??:\| [^ ]*:0 '
}
# what LLVM knows a place of must have the same here
compare() { # IMAGE LEAST
    theirs "$1" >"$t/want"
    ours "$1" >"$t/all"
    awk 'NR == FNR { want[$1] = 1; next } $1 in want' "$t/want" "$t/all" >"$t/got"
    n=$((n + $(wc -l <"$t/want")))
    [ "$(wc -l <"$t/want")" -ge "$2" ] || { echo "$1: only $(wc -l <"$t/want") places"; bad=1; }
    cmp -s "$t/want" "$t/got" && return
    echo "$1 differs:"
    diff "$t/want" "$t/got" | head -n 20
    bad=1
}

for source in bench/kernels.cl test/cc/algo.cl test/cc/int.cl test/cc/cl20.cl; do
    options=
    [ "$source" = test/cc/cl20.cl ] && options=-cl-std=CL3.0
    # shellcheck disable=SC2086
    "$B/ventus" cc -w $options -o "$t/image.elf" "$source" || bad=1
    compare "$t/image.elf" 400
done
cat >"$t/c.c" <<'EOF'
static inline int square(int x) { return x * x + 1; }
static inline int sum(int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += square(p[i]);
    return s;
}
int both(int *p, int *q, int n)
{
    return sum(p, n) * sum(q, n) + square(n);
}
__attribute__((section(".text.other"))) int other(int *p) { return sum(p, 3); }
EOF
for version in 2 3 4 5; do
    "$bin/clang" --target=riscv32 -march=rv32im -O2 -gdwarf-$version -c -o "$t/c.o" "$t/c.c" &&
        "$B/ventus" ld -o "$t/c.elf" "$t/c.o" || bad=1
    compare "$t/c.elf" 30
done

# LLVM counts the lines after an include wrongly, so there is none here
cat >"$t/a.s" <<'EOF'
.macro twice r
    addi \r, \r, 1
    add \r, \r, \r
.endm
.text
.globl f
f:  li t1, 0x12345678
    twice a1
.rept 2
    nop
.endr
1:  vadd.vv v1, v2, v3
    nop; add a0, a1, a2
    beq a0, a1, 1b

    call f
    ret
.section .text.other, "ax"
    lw a0, 4(sp)
    .if 1
    sw a0, 8(sp)
    .endif
    ret
EOF
"$bin/llvm-mc" -g -triple riscv32 -mattr=+zve32x -filetype=obj -o "$t/llvm.o" "$t/a.s" &&
    "$B/ventus" as -g -o "$t/ours.o" "$t/a.s" &&
    "$bin/llvm-dwarfdump" --verify "$t/ours.o" >"$t/log" || { cat "$t/log"; bad=1; }
for o in llvm ours; do
    "$B/ventus" ld -o "$t/$o.elf" "$t/$o.o" || bad=1
    theirs "$t/$o.elf" | awk '{ print $1, $2 }' >"$t/$o"
done
[ "$(wc -l <"$t/llvm")" -ge 16 ] && cmp "$t/llvm" "$t/ours" || { diff "$t/llvm" "$t/ours"; bad=1; }
n=$((n + $(wc -l <"$t/llvm")))
echo "$n instructions"
exit $bad
