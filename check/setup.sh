#!/bin/sh
# setup.sh -- installs the Debian packages that are missing; says what it does, and does
# nothing where all are there.
packages='gcc libc6-dev make libjansson-dev libcmocka-dev pkgconf clang llvm
          binutils-riscv64-unknown-elf'

missing=
for p in $packages; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
    installed) ;;
    *) missing="$missing $p" ;;
    esac
done
[ "$missing" ] || exit 0

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
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
}

echo "setup: installing$missing"
# lists may be absent or old: bring them up to date where the first attempt fails
install && exit 0
echo 'setup: updating the lists of packages'
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y update
install && exit 0
echo "setup: could not install$missing"
exit 1
