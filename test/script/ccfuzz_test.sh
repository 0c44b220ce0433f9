#!/bin/sh
# ccfuzz_test.sh -- the first 24 random programs, or where host code is made for all that they run, which takes up to a
# minute each, the first 8; thousands by hand: build/test/fuzz/ccfuzz 1 5000
# limit: 600
B=${B:-build}
unset MAKEFLAGS MFLAGS
[ -e "$B/ventus-cc1" ] || { echo 'this build has no compiler'; exit 77; }
make --no-print-directory -s B="$B" CC="${CC:-cc}" "$B/test/fuzz/ccfuzz" || exit 1
case $KIT_ENGINE in
jit | shadow) n=8 ;;
*) n=24 ;;
esac
cd "$B" && test/fuzz/ccfuzz 1 $n && echo "$n programs"
