#!/bin/sh
# oclgrind.sh DIRECTORY [OPTIONS] -- do the checks report what Oclgrind does?
#
# DIRECTORY is tests/kernels of a checkout of Oclgrind, whose kernels have mistakes of one kind or
# another, or only look so: NAME.sim says how NAME.cl is run, NAME.ref what must be said.  A test that
# has errors there must have a report here, and one that has none must have none; files that say
# where we know better, and that need what is not there, are left out.  OPTIONS go to the compiler.
# B is the build directory.
B=${B:-build}
dir=$1
options=${2:--cl-std=CL2.0}
[ -d "$dir" ] || { echo 'usage: oclgrind.sh DIRECTORY [OPTIONS]' >&2; exit 2; }
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
agree=0 missed=0 false=0

# the options of `ventus run` for NAME.sim, a line each
convert() { # SIM
    awk -v dir="$(dirname "$1")" '
    function size_of(t) { return t ~ /char/ ? 1 : t ~ /short/ ? 2 : t ~ /long|double/ ? 8 : 4 }
    function name_of(t) {
        return (t ~ /float|double/ ? "f" : t ~ /^u/ ? "u" : "i") size_of(t) * 8
    }
    function parameters(file, kernel,    text, line, from) {
        while ((getline line <file) > 0) { sub(/\/\/.*/, "", line); text = text " " line }
        if (!match(text, "kernel +void +" kernel " *\\(")) return
        text = substr(text, RSTART + RLENGTH)
        text = substr(text, 1, index(text, ")") - 1)
        np = split(text, parameter, ",")
    }
    function finish(    p, t, n, spec, i, size) {
        if (!open) return
        open = 0
        p = parameter[++arg]
        if (attr ~ /null|size=0/) { spec = "u32:0" }
        else {
        match(attr, /size=[0-9]+/); size = substr(attr, RSTART + 5, RLENGTH - 5) + 0
        t = "int"
        if (match(p, /(uchar|char|ushort|short|uint|int|ulong|long|float|double)/)) t = substr(p, RSTART, RLENGTH)
        if (match(attr, / (uchar|char|ushort|short|uint|int|ulong|long|float|double)/)) t = substr(attr, RSTART + 1, RLENGTH - 1)
        n = size / size_of(t)
        if (n != int(n)) { t = "char"; n = size }
        if (p ~ /\*/ && p ~ /local/) spec = "local:" size
        else {
            list = values
            if (match(attr, /fill=[-0-9.]+/)) list = substr(attr, RSTART + 5, RLENGTH - 5)
            if (match(attr, /range=[-0-9.:]+/)) {
                split(substr(attr, RSTART + 6, RLENGTH - 6), r, ":"); list = ""
                for (i = 0; i < n; i++) list = list (i ? "," : "") (r[1] + i * r[2])
            }
            if (p ~ /\*/) spec = (attr ~ / ro/ ? "rbuf:" : attr ~ / wo/ ? "wbuf:" : "buf:") name_of(t) ":" n \
                                 (attr ~ /noinit/ || list == "" ? "=none" : "=" list)
            else if (p !~ /(char|short|int|long|float|double|size_t)/) spec = "struct:" name_of(t) ":" list
            else spec = name_of(t) (n > 1 ? "x" n : "") ":" list
        }
        }
        print "-a"; print spec
    }
    /^#/ { next }
    { gsub(/\r/, "") }
    !NF && head < 4 { next }
    ++head == 1 { file = dir "/" $1; next }
    head == 2 { kernel = $1; parameters(file, kernel); print "-k"; print kernel; next }
    head == 3 { gsub(/ +/, ","); print "-g"; print; next }
    head == 4 { gsub(/ +/, ","); print "-l"; print; next }
    /^</ { finish(); attr = $0; values = ""; open = 1; next }
    NF { for (i = 1; i <= NF; i++) values = values (values == "" ? "" : ",") (attr ~ /hex/ && $i !~ /^0x/ ? "0x" : "") $i }
    END { finish(); print file }' "$1"
}

for sim in "$dir"/*/*.sim; do
    case $sim in */interactive/*) continue ;; esac
    name=${sim#"$dir"/} name=${name%.sim}
    grep -q '^ERROR' "${sim%.sim}.ref" 2>/dev/null && want=1 || want=0
    set --
    while IFS= read -r word; do set -- "$@" "$word"; done <<END
$(convert "$sim")
END
    timeout 60 "$B/ventus" run --check ${CHECKS:+--check=$CHECKS} -B "$options" "$@" >"$T/out" 2>&1
    status=$?
    grep -q 'found:$\|mistakes* found:\|kernel faulted' "$T/out" && got=1 || got=0
    if [ $got = $want ] && [ $status -lt 2 ]; then
        agree=$((agree + 1))
    elif [ $want = 1 ]; then
        missed=$((missed + 1))
        echo "missed: $name (status $status)"
    else
        false=$((false + 1))
        echo "false:  $name (status $status)"
    fi
    [ -z "$V" ] || { echo "== $name: want $want, got $got, status $status: $*"; grep error: "$T/out"; }
done
echo "$agree agree, $missed missed, $false false"
[ $((missed + false)) = 0 ]
