#!/bin/sh
# install-packages.sh GROUP...: sees to it that the Debian packages of these groups are installed.
# Groups: build (compile warplens), cuda (compile CUDA programs without a toolkit), check (the rest
# that `make test` and .ci/run use). Prints what it installs and asks nothing.
# NO_INSTALL=1: lists what is missing and exits 3 if that is anything. Exits 3, too, where packages are
# missing and cannot be installed (no root, no password-less sudo, no apt-get).
set -eu

build="gcc libc6-dev make cmake ninja-build pkg-config libsqlite3-dev libjansson-dev liblua5.4-dev
libzstd-dev liblz4-dev libelf-dev libdw-dev libiberty-dev uthash-dev libcmocka-dev libcairo2-dev"
cuda="clang g++"
check="clang clang-format-14 libclang-rt-14-dev git gcc-12 gcc-12-offload-nvptx libgomp-plugin-nvptx1
chromium nodejs poppler-utils libomp-dev openmpi-bin libopenmpi-dev slurmctld slurmd
slurm-client slurm-wlm-basic-plugins"

packages=""
for group in "$@"; do
    case $group in
    build) packages="$packages $build" ;;
    cuda) packages="$packages $cuda" ;;
    check) packages="$packages $check" ;;
    *) echo "install-packages.sh: no group $group" >&2; exit 2 ;;
    esac
done

is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: these packages, or what they are called here, must be there:" $packages
    exit 0
fi

missing=""
for package in $packages; do
    case " $missing " in *" $package "*) continue ;; esac
    is_installed "$package" || missing="$missing $package"
done
missing=${missing# }
[ -n "$missing" ] || exit 0

echo "Missing Debian packages: $missing"
if [ "${NO_INSTALL:-0}" = 1 ]; then
    echo "NO_INSTALL=1: nothing was installed."
    exit 3
fi

as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "Install them as root: apt-get install $missing" >&2
        exit 3
    fi
    as_root="sudo -n"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing >>"$log" 2>&1
}
echo "Installing them ..."
if ! install; then
    # the lists of a fresh system are empty or old
    $as_root apt-get update >>"$log" 2>&1 || true
    if ! install; then
        cat "$log" >&2
        echo "Could not install: $missing" >&2
        exit 3
    fi
fi
