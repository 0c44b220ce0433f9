#!/bin/sh
# dwarf_numbers_test.sh -- the numbers of src/obj/dwarf.h are those of LLVM's list, by name.
config=${LLVM_CONFIG:-llvm-config-19}
command -v "$config" >/dev/null || { echo "no $config"; exit 77; }
dir=$("$config" --includedir)/llvm/BinaryFormat
[ -e "$dir/Dwarf.def" ] || { echo "no $dir/Dwarf.def"; exit 77; }
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

# NAME NUMBER, the number in decimal
decimal() { while read -r name number; do echo "$name $((number))"; done | sort; }
sed -n 's/.*HANDLE_DW_\([A-Z_]*\)(\(0x[0-9a-fA-F]*\), *\([A-Za-z0-9_]*\).*/DW_\1_\3 \2/p' "$dir/Dwarf.def" >"$t/list"
sed -n 's/^ *\(DW_[A-Z]*_[a-z_]*\) = \(0x[0-9a-fA-F]*\|[0-9]*\).*/\1 \2/p' "$dir/Dwarf.h" >>"$t/list"
decimal <"$t/list" >"$t/theirs"
grep -o 'DW_[A-Za-z]*_[A-Za-z0-9_]* = [0-9a-fx]*' src/obj/dwarf.h | sed 's/ = / /' | decimal >"$t/ours"
awk 'NR == FNR { number[$1] = $2; next }
    !($1 in number) { print $1 " is not in the list"; bad = 1; next }
    number[$1] != $2 { print $1 " is " $2 ", in the list " number[$1]; bad = 1 }
    END { exit bad }' "$t/theirs" "$t/ours" || exit 1
n=$(wc -l <"$t/ours")
[ "$n" -gt 100 ] || { echo "only $n numbers"; exit 1; }
echo "$n numbers"
