#!/bin/sh
# options_test.sh -- options of clBuildProgram do what they say.  -cl-opt-disable: the code of -O0, in which every
# variable has a place throughout.  -cl-fast-relaxed-math and -cl-unsafe-math-optimizations: fewer instructions, and
# results within the bounds that OpenCL C sets for them.
B=${B:-build}
[ -e "$B/ventus-cc1" ] || { echo 'no compiler'; exit 77; }
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
fail() { echo "$*"; bad=1; }

# --- -cl-opt-disable ---
n=$((n + 1))
cat >"$t/sum.cl" <<'END'
int twice(int a) { int doubled = a * 2; return doubled; }
kernel void sum(global int *p, int n)
{
    int unused = 7, total = 0;
    for (int i = 0; i < n; i++) {
        int value = twice(p[i]);
        total += value;
    }
    p[get_global_id(0)] = total;
}
END
code() { "$B/ventus" cc "$@" -S -o "$t/x.s" "$t/sum.cl" && sed 's/#.*//; /^[[:space:]]*$/d' "$t/x.s"; }
code -O0 >"$t/O0" && code -cl-opt-disable >"$t/disabled" && code >"$t/O2" || fail 'not compiled'
cmp -s "$t/O0" "$t/disabled" || fail '-cl-opt-disable: not the code of -O0'
grep -q 'call.*twice' "$t/disabled" && ! grep -q 'call.*twice' "$t/O2" || fail '-cl-opt-disable: a call is inlined'
if dump=$(command -v llvm-dwarfdump-19 || command -v llvm-dwarfdump); then
    n=$((n + 1))
    "$B/ventus" cc -cl-opt-disable -o "$t/x.elf" "$t/sum.cl" && "$dump" --debug-info "$t/x.elf" >"$t/info"
    for name in a doubled p n unused total i value; do
        grep -A4 "DW_AT_name	(\"$name\")" "$t/info" | grep -q 'DW_AT_location	(DW_OP_breg4 ' || fail "-cl-opt-disable: $name has no place"
    done
fi

# --- relaxed mathematics ---
# 64 arguments from LOW to HIGH
arguments() { awk -v a="$1" -v b="$2" 'BEGIN { for (i = 0; i < 64; i++) printf "%s%.9g", i ? "," : "", a + (b - a) * i / 63 }'; }
# of TYPE EXPRESSION LOW HIGH: values to $t/OUT, instructions to stdout
launch() { # OUT OPTIONS TYPE EXPRESSION LOW HIGH
    echo "kernel void k(global $3 *p, global $3 *r) { size_t i = get_global_id(0); $3 x = p[i]; r[i] = $4; }" >"$t/k.cl"
    items=64
    [ "$3" = float ] || items=16
    "$B/ventus" run -B "$2" -g $items --stats -a "buf:f32:64=$(arguments "$5" "$6")" -a 'buf:f32:64>-' "$t/k.cl" >"$t/log" 2>&1 ||
        { cat "$t/log" >&2; return 1; }
    sed -n 's/^arg1.*: //p' "$t/log" | tr ' ' '\n' >"$t/$1"
    awk '$1 == "insns" { print $2 }' "$t/log"
}
# relaxed EXPRESSION LOW HIGH VALUE BOUND: awk's VALUE of x is met with an error of BOUND, which may use ulp, the last place of it
relaxed() {
    for type in float float4; do
        exact=$(launch exact -w $type "$1" "$2" "$3")
        for option in -cl-fast-relaxed-math -cl-unsafe-math-optimizations; do
            n=$((n + 1))
            short=$(launch got "-w $option" $type "$1" "$2" "$3")
            [ "${short:-0}" -gt 0 ] && [ "$short" -lt "${exact:-0}" ] ||
                fail "$option, $type, $1: $short instructions, without it $exact"
            arguments "$2" "$3" | tr ',' '\n' | paste - "$t/got" | awk -v what="$option, $type, $1" '
                function abs(v) { return v < 0 ? -v : v }
                { x = $1; want = '"$4"'; ulp = 2 ^ (int(log(abs(want) + 1e-37) / log(2) + 1000) - 1000 - 23); rows++ }
                !($2 != "" && abs($2 - want) <= '"$5"') { print what ": x = " x ": " $2 ", should be " want; wrong = 1 }
                END { exit wrong || rows != 64 }' || bad=1
        done
    done
}
relaxed 'exp(x)' -80 80 'exp(x)' '(3 + int(abs(2 * x))) * ulp'
relaxed 'exp2(x)' -120 120 '2 ^ x' '(3 + int(abs(2 * x))) * ulp'
relaxed 'exp10(x)' -36 36 '10 ^ x' '(3 + int(abs(2 * x * log(10) / log(2)))) * ulp'
relaxed '(x + 1000.0f) - 1000.0f' -1 1 'x' '1e-3'
# a product that is added is rounded once: with a rounding between, x * x - 1 of 1 + 2^-12 would lack 2^-24
n=$((n + 1))
launch got '-w -cl-fast-relaxed-math' float 'x * x - (1.0f + 0x1p-11f)' 1.000244140625 1.000244140625 >/dev/null
awk '$1 - 2 ^ -24 > 1e-12 || 2 ^ -24 - $1 > 1e-12 { exit 1 }' "$t/got" || fail "a product is rounded: $(sort -u "$t/got")"
# sine and cosine are as exact as ever, of large arguments too
n=$((n + 1))
launch exact -w float 'sin(x) + cos(x)' 1000 100000 >/dev/null
launch got '-w -cl-fast-relaxed-math' float 'sin(x) + cos(x)' 1000 100000 >/dev/null
cmp "$t/exact" "$t/got" || fail 'sine or cosine is not the same'
# doubles have no shorter functions, and their results stay
n=$((n + 1))
printf 'kernel void k(global double *p) { p[get_global_id(0)] = sin(p[get_global_id(0)]); }' >"$t/d.cl"
for option in -w -cl-fast-relaxed-math; do
    "$B/ventus" run -B "$option" -g 4 -a 'buf:f64:4=0.1,0.2,1,3>-' "$t/d.cl" >"$t/$option"
done
cmp "$t/-w" "$t/-cl-fast-relaxed-math" || bad=1
[ $bad = 0 ] || exit 1
echo "$n cases"
