#!/bin/sh
# ccfuzz_test.sh -- the first 40 random programs; thousands by hand: build/test/fuzz/ccfuzz 1 5000
# limit: 600
B=${B:-build}
unset MAKEFLAGS MFLAGS
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
make --no-print-directory -s B="$B" CC="${CC:-cc}" "$B/test/fuzz/ccfuzz" || exit 1
cd "$B" && test/fuzz/ccfuzz 1 40 && echo '40 programs'
