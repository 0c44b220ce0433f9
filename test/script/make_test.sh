#!/bin/sh
# make_test.sh -- the build says a line for each step, commands with V=1, nothing with -s; and names the package that
# is missing instead of a compiler's error.
cd "$(dirname "$0")/../.." || exit 1
CC=${CC:-cc}
t=$(mktemp -d) bad=0 n=0
trap 'rm -rf "$t"' EXIT
unset MAKEFLAGS MFLAGS V T

# what is printed by making TARGET must be WANT (a pattern of a whole line)
prints() { # WANT ARGUMENT...
    n=$((n + 1))
    want=$1
    shift
    make --no-print-directory B="$t/b" "$@" >"$t/out" 2>&1
    if [ "$want" ]; then
        [ "$(wc -l <"$t/out")" -eq 1 ] && grep -qx "$want" "$t/out"
    else
        [ ! -s "$t/out" ]
    fi && return
    echo "make $*: not '$want' alone, but:"
    cat "$t/out"
    bad=1
}
prints '  CC      src/base/mem.c' CC="$CC" "$t/b/src/base/mem.o"
prints '.*-c -o .*/src/base/diag.o src/base/diag.c' CC="$CC" V=1 "$t/b/src/base/diag.o"
prints '' CC="$CC" -s "$t/b/src/base/base.o"

# a compiler that lacks one header must be told by WANT, and not by what it prints
lacks() { # HEADER WANT OBJECT
    cat >"$t/cc" <<END
#!/bin/sh
case \$* in
*-E*' -xc -') sed '/<$1>/s/.*/#error missing/' | $CC "\$@" ;;
*) echo compiled >&2; exit 1 ;;
esac
END
    chmod +x "$t/cc"
    missing "$2" "$t/cc" "$3"
}
missing() { # WANT COMPILER OBJECT
    n=$((n + 1))
    make --no-print-directory B="$t/b" CC="$2" "$t/b/$3.o" >"$t/out" 2>&1 && bad=1 && echo "make of $3 succeeds"
    grep -qx "missing: $1 (.*)" "$t/out" && ! grep -q compiled "$t/out" && return
    echo "make of $3: not 'missing: $1', but:"
    cat "$t/out"
    bad=1
}
lacks jansson.h libjansson-dev src/obj/kernelinfo
lacks stdio.h libc6-dev src/obj/obj
lacks cmocka.h libcmocka-dev test/unit/graph_test
missing no-such-compiler no-such-compiler src/obj/obj

# what is installed is linked with the options that packages give
make --no-print-directory -n B="$t/n" CC="$CC" LDFLAGS=-Wl,-z,now all 2>&1 | sed -e :a -e '/\\$/N; s/\\\n//; ta' >"$t/out"
for f in ventus libventus.so libventus-opencl.so ventus-cc1 ventus-jit1 libventus-clang.so libventus-pages.so; do
    link=$(grep -- " -o $t/n/$f " "$t/out") || continue
    n=$((n + 1))
    case $link in *' -Wl,-z,now '*) ;; *) echo "$f is linked without LDFLAGS: $link"; bad=1 ;; esac
done
[ $n -ge 9 ] || { echo 'too few programs are linked'; bad=1; }

# every step that compiles or links says its line
n=$((n + 1))
grep -n '^	\$(\(CC\|LLVM_CLANG\))' Makefile && { echo 'a step of the Makefile without $(call say,...)'; bad=1; }
echo "$n cases"
exit $bad
