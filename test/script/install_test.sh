#!/bin/sh
# install_test.sh -- what `make install` puts somewhere is enough to use: the program with its
# compiler, the manual, the library through pkg-config, and the OpenCL runtime.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} CC=${CC:-cc}
command -v pkg-config >/dev/null || { echo 'no pkg-config'; exit 77; }
# a library with sanitizers needs a program with them
nm "$B/libventus.a" | grep -q '__[at]san' && { echo 'a build with sanitizers'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

make --no-print-directory -s install B="$B" CC="$CC" DESTDIR="$dir" PREFIX=/usr || exit 1
for f in bin/ventus lib/libventus.so lib/libventus.so.0 include/ventus/ventus.h \
    share/man/man1/ventus.1 share/man/man1/ventus-run.1 share/ventus/machine/rtl.machine \
    share/bash-completion/completions/ventus \
    share/zsh/site-functions/_ventus share/fish/vendor_completions.d/ventus.fish lib/pkgconfig/ventus.pc; do
    [ -s "$dir/usr/$f" ] || { echo "not installed: $f"; exit 1; }
done
"$dir/usr/bin/ventus" --version || exit 1
if [ -e "$B/ventus-cc1" ]; then
    echo 'kernel void k(void) {}' | VENTUS_CACHE=0 "$dir/usr/bin/ventus" cc -o "$dir/k.elf" - || exit 1
fi

cat >"$dir/host.c" <<'END'
#include <stdio.h>
#include <ventus/ventus.h>

int main(void)
{
    vt_device_h dev;
    uint64_t a = 0, out = 0, in = 42;
    if (vt_dev_open(&dev) || vt_buf_alloc(dev, sizeof in, &a, 0, 0, 0) ||
        vt_copy_to_dev(dev, a, &in, sizeof in, 0, 0) || vt_copy_from_dev(dev, a, &out, sizeof out, 0, 0))
        return 1;
    printf("%llu\n", (unsigned long long)out);
    return vt_dev_close(dev);
}
END
export PKG_CONFIG_PATH="$dir/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$dir"
# shellcheck disable=SC2046
$CC -o "$dir/host" "$dir/host.c" $(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
    pkg-config --cflags --libs ventus) || exit 1
[ "$(LD_LIBRARY_PATH="$dir/usr/lib" "$dir/host")" = 42 ] || { echo 'the host program failed'; exit 1; }

# every installed file belongs to exactly one Debian package
libraries=/usr/lib/some-triplet
make --no-print-directory -s install B="$B" CC="$CC" DESTDIR="$dir/debian" PREFIX=/usr \
    LIBDIR=$libraries OPENCLDIR=$libraries/ventus ZSHDIR=/usr/share/zsh/vendor-completions || exit 1
(cd "$dir/debian" && find . ! -type d | sed 's|^\./||' | sort) >"$dir/files"
for list in debian/*.install; do
    while read -r pattern; do
        # shellcheck disable=SC2086
        (cd "$dir/debian" && find $pattern ! -type d 2>/dev/null)
    done <"$list"
done | sort >"$dir/packaged"
cmp -s "$dir/files" "$dir/packaged" ||
    { echo 'debian/*.install and make install differ:'; diff "$dir/files" "$dir/packaged"; exit 1; }

# CMake finds the library
if command -v cmake >/dev/null; then
    prefix=$dir/cmake
    make --no-print-directory -s install B="$B" CC="$CC" PREFIX="$prefix" ICDDIR="$prefix/vendors" || exit 1
    mkdir "$dir/project"
    cp "$dir/host.c" "$dir/project"
    cat >"$dir/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(host C)
find_package(ventus 0.1 REQUIRED)
add_executable(host host.c)
target_link_libraries(host ventus::ventus)
END
    cmake -S "$dir/project" -B "$dir/project/build" -DCMAKE_PREFIX_PATH="$prefix" >"$dir/log" 2>&1 &&
        cmake --build "$dir/project/build" >>"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    [ "$("$dir/project/build/host")" = 42 ] || { echo 'the program of CMake failed'; exit 1; }
fi

# the library shows its own names only
others=$(nm -D --defined-only "$dir/usr/lib/libventus.so" | awk '{ print $3 }' | grep -v '^vt_')
[ -z "$others" ] || { echo "libventus.so exports: $others"; exit 1; }

# the runtime lists its device and finds the compiler beside it; the loader sees its own names only
if [ -f "$B/libventus-opencl.so" ]; then
    [ "$(cat "$dir/etc/OpenCL/vendors/ventus.icd")" = /usr/lib/libventus-opencl.so ] || exit 1
    echo "$dir/usr/lib/libventus-opencl.so" >"$dir/ventus.icd"
    if command -v clinfo >/dev/null; then
        OCL_ICD_VENDORS=$dir/ventus.icd clinfo >"$dir/clinfo" || exit 1
        grep -q 'Device Name .*Ventus' "$dir/clinfo" || { echo 'clinfo finds no device'; exit 1; }
        [ ! -f "$B/ventus-cc1" ] || grep -q 'Compiler Available *Yes' "$dir/clinfo" ||
            { echo 'the installed runtime finds no compiler'; exit 1; }
    fi
    others=$(nm -D --defined-only "$dir/usr/lib/libventus-opencl.so" | awk '{ print $3 }' |
        grep -vE '^cl(IcdGetPlatformIDsKHR|GetExtensionFunctionAddress(ForPlatform)?)$')
    [ -z "$others" ] || { echo "libventus-opencl.so exports: $others"; exit 1; }
fi

n=$(find "$dir/usr" "$dir/etc" -type f | wc -l)
make --no-print-directory -s uninstall B="$B" DESTDIR="$dir" PREFIX=/usr || exit 1
left=$(find "$dir/usr" "$dir/etc" -type f -o -type l)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "$n files"
