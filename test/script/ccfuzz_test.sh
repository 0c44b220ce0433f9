#!/bin/sh
# ccfuzz_test.sh -- the first 60 random programs; thousands by hand: build/test/fuzz/ccfuzz 1 5000
B=${B:-build}
make --no-print-directory -s B="$B" CC="${CC:-cc}" "$B/test/fuzz/ccfuzz" || exit 1
cd "$B" && test/fuzz/ccfuzz 1 60
