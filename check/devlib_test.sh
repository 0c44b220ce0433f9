#!/bin/sh
# devlib_test.sh -- the device library, compiled for the host: exact results, and the accuracy of the others at
# a sample of arguments.  `make accuracy STEP=1` looks at all of them.
B=${B:-build}
[ "$(command -v "${LLVM_CONFIG:-llvm-config-19}")" ] || exit 77
unset MAKEFLAGS MFLAGS
make -s B="$B" CC="${CC:-cc}" "$B/check/exact" "$B/check/accuracy" || exit 1
"$B/check/exact" && "$B/check/accuracy" 1000003
