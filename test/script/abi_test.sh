#!/bin/sh
# abi_test.sh -- src/isa/abi.def and csr.def are where the numbers of the binary interface stand: on a copy of the
# sources in which rows say other numbers, what is built from them works as before.
#
# Changed are the size of a stack, most words of the metadata block, the ranges of local and private memory, the
# layout of print records, numbers of CSRs and, for compiled programs, the registers with a role.  Tests in assembly that
# name registers themselves run with the other changes.  Expected values are those of the tests, which know
# none of these numbers.
# limit: 600
set -eu
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Makefile src host lib tool include doc test "$copy"
# the copy has no maker of host code
unset VENTUS_ENGINE KIT_ENGINE
cd "$copy"
unset MAKEFLAGS MFLAGS

change() { # FILE OLD NEW: a row, by its beginning up to the number
    grep -q "^$2" "$1" || { echo "$1 has no row $2"; exit 1; }
    sed "s/^$2/$3/" "$1" >new && mv new "$1"
}
abi=src/isa/abi.def
change $abi 'ABI(WARP_STACK_SHIFT, 10' 'ABI(WARP_STACK_SHIFT, 9'
change $abi 'RANGE(PRIVATE, 0x00000,  0x01000' 'RANGE(PRIVATE, 0x00000,  0x02000'
change $abi 'RANGE(LOWER,   0x01000,  0x70000' 'RANGE(LOWER,   0x02000,  0x60000'
change $abi 'RANGE(LOCAL,   0x70000,  0x80000' 'RANGE(LOCAL,   0x60000,  0x70000'
change $abi 'KNL(ENTRY,         0,' 'KNL(ENTRY,         23,'
change $abi 'KNL(ARGS,          1,' 'KNL(ARGS,          22,'
change $abi 'KNL(DIMS,          2,' 'KNL(DIMS,          21,'
change $abi 'KNL(GLOBAL,        3,' 'KNL(GLOBAL,        0,'
change $abi 'KNL(LOCAL,         6,' 'KNL(LOCAL,         9,'
change $abi 'KNL(OFFSET,        9,' 'KNL(OFFSET,        4,'
change $abi 'KNL(PRINT,         12,' 'KNL(PRINT,         3,'
change $abi 'KNL(PRINT_SIZE,    13,' 'KNL(PRINT_SIZE,    7,'
change $abi 'KNL(FIRST,         18,' 'KNL(FIRST,         24,'
change $abi 'KNL(ENQUEUED,      21,' 'KNL(ENQUEUED,      18,'
change $abi 'PRINT(USED,    0' 'PRINT(USED,    4'
change $abi 'PRINT(ROOM,    4' 'PRINT(ROOM,    0'
change $abi 'RECORD(SIZE,   0' 'RECORD(SIZE,   8'
change $abi 'RECORD(FORMAT, 8' 'RECORD(FORMAT, 0'
change src/isa/csr.def 'CSR(0x803, knl' 'CSR(0x8f3, knl'
change src/isa/csr.def 'CSR(0x805, wid' 'CSR(0x8f5, wid'
change src/isa/csr.def 'CSR(0x806, lds' 'CSR(0x8f6, lds'
change src/isa/csr.def 'CSR(0x800, tid' 'CSR(0x8f0, tid'

build() { # TARGET...
    make --no-print-directory -s -j2 m=dbg B=build CFLAGS=-g0 "$@" >log 2>&1 || { tail -n 20 log; exit 1; }
}
tests=0
ours() { # FILE...
    B=build sh test/runner/run.sh "$@" >log 2>&1 || { cat log; exit 1; }
    tests=$((tests + $(awk '/ passed/ { print $1 }' log)))
}
build build/ventus
# shellcheck disable=SC2046
ours $(grep -l 'include.*kernel.inc' test/run/*.s | head -n 20)
assembly=$tests
build/ventus objdump -d build/gen/crt0.elf | grep -q "csrr .*, $((0x8f3))" || { echo 'the start code has another CSR'; exit 1; }
# compiled programs, with the registers of roles exchanged besides
change $abi 'REG(ra,         x, 1,  1,' 'REG(ra,         x, 3,  3,'
change $abi 'REG(gp,         x, 3,  3,' 'REG(gp,         x, 1,  1,'
change $abi 'REG(sp,         x, 2,  2,' 'REG(sp,         x, 9,  9,'
change $abi 'REG(s1,         x, 9,  9,' 'REG(s1,         x, 2,  2,'
change $abi 'REG(tp,         x, 4,  4,' 'REG(tp,         x, 5,  5,'
change $abi 'REG(metadata,   x, 5,  5,' 'REG(metadata,   x, 4,  4,'
change $abi 'REG(local_base, x, 8,  8,' 'REG(local_base, x, 7,  7,'
change $abi 'REG(t2,         x, 7,  7,' 'REG(t2,         x, 8,  8,'
change $abi 'REG(args,       x, 10, 10,' 'REG(args,       x, 17, 17,'
change $abi 'REG(a1,         x, 11, 17,' 'REG(a1,         x, 10, 16,'
change $abi 'REG(frame,      v, 32, 32,' 'REG(frame,      v, 47, 47,'
change $abi 'REG(saved,      v, 33, 47,' 'REG(saved,      v, 32, 46,'
first=$(build/ventus objdump -d build/gen/crt0.elf)
programs='group mem print dimension'
if [ -e "$OLDPWD/${B:-build}/ventus-cc1" ]; then
    # shellcheck disable=SC2046
    build build/ventus build/ventus-cc1 build/libventus-clang.so $(printf 'build/test/cc/ocl_%s_test ' $programs)
    [ "$first" != "$(build/ventus objdump -d build/gen/crt0.elf)" ] || { echo 'the start code is the same'; exit 1; }
    for p in $programs; do
        CMOCKA_MESSAGE_OUTPUT=TAP build/test/cc/ocl_${p}_test >log 2>&1 || { cat log; exit 1; }
        tests=$((tests + $(grep -c '^ok' log)))
    done
fi
echo "$tests tests with other numbers, $assembly of them in assembly"
