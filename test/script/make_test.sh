#!/bin/sh
# make_test.sh -- a plain `make` builds everything that a user runs.
B=${B:-build}
goal=$(make --no-print-directory -pn B="$B" 2>/dev/null | sed -n 's/^\.DEFAULT_GOAL := //p')
[ "$goal" = all ] || { echo "make without a target makes '$goal'"; exit 1; }
for f in ventus libventus.so; do
    make --no-print-directory -q B="$B" CC="${CC:-cc}" "$B/$f" || { echo "$B/$f is not up to date after a build"; exit 1; }
done
