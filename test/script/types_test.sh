#!/bin/sh
# types_test.sh -- the types that debuggers are told of variables are those that clang tells of them for another
# machine: names, encodings, sizes, members with their places, dimensions, what pointers point to.
B=${B:-build}
dump=$(command -v llvm-dwarfdump-19 || command -v llvm-dwarfdump) || { echo 'no llvm-dwarfdump'; exit 77; }
clang=$(command -v clang-19 || command -v clang) || { echo 'no clang'; exit 77; }
[ -e "$B/ventus-cc1" ] || { echo 'no compiler'; exit 77; }
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

cat >"$t/types.cl" <<'END'
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct Inner { char c; short s; int i; long l; uchar uc; ushort us; uint ui; ulong ul; } Inner;
typedef union { float f; int i; char c[4]; double d; } Both;
typedef struct {
    Inner in[2]; Both b; float4 v; uchar3 w; bool flag; int grid[2][3]; half h; struct { int x, y; } unnamed; const short k;
} Outer;
enum Colour { RED, GREEN = 5, BLUE };
typedef uint Word;
typedef Word Word2;
kernel void k(global int *out, int n)
{
    Outer v1; Inner v2; Both v3; float4 v4; int v5[2][3][4]; enum Colour v6; Word2 v7; const volatile int v8 = n; bool v9;
    char v10; uchar v11; half v12; double v13; long v14; short v15; uint8 v16; char3 v17; double2 v18; float v19; ulong16 v20;
    const Inner *v21 = &v2; Word *v22[3]; Both v23[5]; global float **v24[2][2]; ushort2 v25[7]; void *v26 = &v2;
    v1.in[0].c = n; v2.i = n; v3.i = n; v4 = n; v5[1][1][1] = n; v6 = n; v7 = n; v9 = n; v10 = n; v11 = n; v12 = n; v13 = n;
    v14 = n; v15 = n; v16 = n; v17 = n; v18 = n; v19 = n; v20 = n; v22[0] = &v7; v23[1].i = n; v24[0][0] = 0; v25[0] = n;
    out[0] = v1.in[0].c + v2.i + v3.i + v5[1][1][1] + v6 + v7 + v8 + v9 + v21->i + *v22[0] + v23[1].i + (v24[0][0] == v26);
}
END
# a line for each variable: its name and type
types() {
    "$dump" --debug-info "$1" | awk '
        /^0x[0-9a-f]+: +DW_TAG_/ {
            at = substr($1, 1, length($1) - 1)
            depth = index($0, "DW_TAG_")
            tag[at] = substr($2, 8)
            for (p = depth - 1; p > 0 && !(p in above); p--);
            parent = p > 0 ? above[p] : ""
            for (d in above) if (d + 0 >= depth) delete above[d]
            above[depth] = at
            if (tag[at] == "member") members[parent] = members[parent] " " at
            if (tag[at] == "subrange_type") ranges[parent] = ranges[parent] " " at
            order[++n] = at
        }
        $1 == "DW_AT_name" { name[at] = $2; gsub(/[()"]/, "", name[at]) }
        $1 == "DW_AT_type" { type[at] = substr($2, 2); sub(/\)$/, "", type[at]) }
        # (0x1f) or (31)
        function number(text,    k, v) {
            gsub(/[()]/, "", text)
            if (text !~ /^0x/) return text
            for (k = 3; k <= length(text); k++) v = 16 * v + index("0123456789abcdef", substr(text, k, 1)) - 1
            return v + 0
        }
        $1 == "DW_AT_byte_size" { size[at] = "(" number($2) ")" }
        $1 == "DW_AT_encoding" { encoding[at] = $2 }
        $1 == "DW_AT_count" { count[at] = number($2) }
        $1 == "DW_AT_data_member_location" { place[at] = number($2) }
        $1 == "DW_AT_GNU_vector" { vector[at] = 1 }
        function dimensions(a,    list, k, m, text) {
            m = split(ranges[a], list, " ")
            for (k = 1; k <= m; k++) text = text "[" count[list[k]] "]"
            return text
        }
        # what it is, then its dimensions, the outermost first
        function said(a, deep,    text, inner, list, k, m) {
            if (a == "" || deep > 8) return "void"
            if (tag[a] ~ /^(const|volatile|restrict)_type$/) return said(type[a], deep)
            if (tag[a] == "base_type") return name[a] encoding[a] size[a]
            if (tag[a] == "enumeration_type") return name[a] "(DW_ATE_unsigned)" size[a]
            if (tag[a] == "typedef") return name[a] "=" said(type[a], deep + 1)
            if (tag[a] == "pointer_type") return "*" said(type[a], deep + 1)
            if (tag[a] == "array_type" && vector[a]) return "vector" dimensions(a) said(type[a], deep + 1)
            if (tag[a] == "array_type") {
                inner = said(type[a], deep + 1)
                k = match(inner, /(\[[^]]*\])+$/) && inner !~ /^(vector|[A-Za-z0-9_]*=)/ ? RSTART : length(inner) + 1
                return substr(inner, 1, k - 1) dimensions(a) substr(inner, k)
            }
            m = split(members[a], list, " ")
            text = tag[a] " " name[a] size[a] "{"
            for (k = 1; k <= m; k++) text = text name[list[k]] "@" (tag[a] == "union_type" ? "" : place[list[k]]) ":" said(type[list[k]], deep + 1) ";"
            return text "}"
        }
        END { for (k = 1; k <= n; k++) if (tag[order[k]] == "variable" && name[order[k]] ~ /^v[0-9]/)
            print name[order[k]], said(type[order[k]], 0) }' | sort -u
}
for level in 0 2; do
    "$B/ventus" cc -cl-std=CL3.0 -w -g -O$level -o "$t/ours" "$t/types.cl" || { echo 'not compiled'; exit 1; }
    types "$t/ours" >"$t/ours.$level"
done
"$clang" -target x86_64 -x cl -cl-std=CL3.0 -Xclang -cl-ext=+all -w -g -O0 -c -o "$t/theirs" "$t/types.cl" || exit 1
types "$t/theirs" >"$t/theirs.types"
diff "$t/theirs.types" "$t/ours.0" || exit 1
# optimised code may lack variables
sort -u "$t/theirs.types" "$t/ours.2" | diff "$t/theirs.types" - || exit 1
[ "$(wc -l <"$t/ours.2")" -ge 10 ] || { echo 'optimised code has hardly a variable'; exit 1; }
echo "$(wc -l <"$t/ours.0") variables"
