#!/bin/sh
# ccfuzz_test.sh -- the first 60 random programs; thousands by hand: build/check/ccfuzz 1 5000
B=${B:-build}
make --no-print-directory -s B="$B" CC="${CC:-cc}" "$B/check/ccfuzz" || exit 1
cd "$B" && check/ccfuzz 1 60
