#!/bin/sh
# setup.sh -- installs the Debian packages that are missing; says what it does, and does
# nothing where all are there.
#
# The compiler needs LLVM 19 or newer; of the versions that the machine's Debian offers the
# oldest of these is taken (LLVM in VENTUS_LLVM: another one).
packages='gcc libc6-dev make libjansson-dev libcmocka-dev pkgconf binutils-riscv64-unknown-elf
          ocl-icd-opencl-dev clinfo gdb-multiarch libsqlite3-dev sqlite3 libpng-dev'

lack() { # PACKAGE
    case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $1" ;;
    esac
}
choose() { # what is missing; false: no LLVM is known to apt
    missing=
    for p in $packages; do lack "$p"; done
    for p in spirv-tools llvm-spirv-15; do # for programs of SPIR-V, where Debian has them
        before=$missing
        lack "$p"
        [ "$missing" = "$before" ] || apt-cache show "$p" >/dev/null 2>&1 || missing=$before
    done
    for v in ${VENTUS_LLVM:-19 20 21 22}; do
        apt-cache show "llvm-$v-dev" >/dev/null 2>&1 || continue
        for p in "llvm-$v-dev" "clang-$v"; do lack "$p"; done
        return 0
    done
    return 1
}
choose && [ ! "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "setup: this is no Debian; please install what it calls:$missing"
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup: missing packages; as root: apt-get install$missing"
        exit 1
    }
    as_root='sudo -n'
fi

install() {
    echo "setup: installing$missing"
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
}

# lists may be absent or old: bring them up to date where the first attempt fails
choose && install && exit 0
echo 'setup: updating the lists of packages'
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y update
choose || echo 'setup: no LLVM of 19 or newer is offered; the compiler is left out'
[ ! "$missing" ] || install && exit 0
echo "setup: could not install$missing"
exit 1
