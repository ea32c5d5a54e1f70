#!/bin/sh
# install-packages.sh [--optional] GROUP...: sees to it that the packages of these groups are installed, group by group,
# and says which it installs and what for. No service that comes with one is started or enabled. On Fedora and Arch it
# names what is missing, and installs nothing.
# With --optional a group that cannot be installed is no error: what needs it is skipped, and says so itself.
# NO_INSTALL=1: lists what is missing and exits 3 (with --optional 0) if that is anything. Exits 3, too, where packages
# are missing and cannot be installed (no root, no password-less sudo, no apt-get).
set -eu

# GROUP: what for
purposes='
build: to compile warplens
cuda: to compile CUDA programs without a toolkit
format: to format C files
fuzz: for the tests with libFuzzer and sanitizers
offload: for the tests with OpenACC and OpenMP target
openmp: for the tests with OpenMP on the host
browser: for the tests of HTML and PDF reports
schema: for the tests of JSON pages and of the files for Perfetto and JUnit
mpi: for the tests with MPI
libraries: for the test of CUB and Thrust without a toolkit
package: to make a Debian package
lintian: to look at that package as Debian does
site: to make the docs as HTML
slurm: for the test of srun, which starts its own slurmctld and slurmd
'

# GROUP: packages of Debian and Ubuntu; "a|b": the first that this release has, unless one is there already. GCC is the
# default gcc of this release, whose offloading compiler has the same number; CLANG the number of the default clang.
debian='
build: gcc libc6-dev make cmake ninja-build pkg-config libsqlite3-dev zlib1g-dev libjansson-dev liblua5.4-dev libzstd-dev liblz4-dev libxxhash-dev libelf-dev libdw-dev libiberty-dev uthash-dev libcmocka-dev libcairo2-dev libmicrohttpd-dev libedit-dev
cuda: clang g++
format: clang-format-14 git
fuzz: clang libclang-rt-CLANG-dev|libclang-rt-dev
offload: GCC GCC-offload-nvptx libgomp-plugin-nvptx1
openmp: clang libomp-dev
browser: chromium-headless-shell nodejs poppler-utils
schema: python3-jsonschema protobuf-compiler libxml2-utils
mpi: openmpi-bin libopenmpi-dev gfortran
libraries: libthrust-dev libcub-dev
package: dpkg-dev file
lintian: lintian
site: pandoc
slurm: slurmctld slurmd slurm-client slurm-wlm-basic-plugins
'
fedora='
build: gcc glibc-devel make cmake ninja-build pkgconf-pkg-config sqlite-devel zlib-devel jansson-devel lua-devel libzstd-devel lz4-devel xxhash-devel elfutils-libelf-devel elfutils-devel binutils-devel uthash-devel libcmocka-devel cairo-devel libmicrohttpd-devel libedit-devel
cuda: clang gcc-c++
format: clang-tools-extra git
fuzz: clang compiler-rt
offload: gcc-offload-nvptx libgomp-offload-nvptx
openmp: clang libomp-devel
browser: chromium nodejs poppler-utils
schema: python3-jsonschema protobuf-compiler libxml2
mpi: openmpi openmpi-devel gcc-gfortran
libraries:
package: dpkg-dev file
lintian:
site: pandoc
slurm: slurm slurm-slurmctld slurm-slurmd
'
arch='
build: gcc make cmake ninja pkgconf sqlite zlib jansson lua54 zstd lz4 xxhash libelf binutils uthash cmocka cairo libmicrohttpd libedit
cuda: clang gcc
format: clang git
fuzz: clang compiler-rt
offload:
openmp: clang openmp
browser: chromium nodejs poppler
schema: python-jsonschema protobuf libxml2
mpi: openmpi gcc-fortran
libraries:
package: dpkg file
lintian:
site: pandoc-cli
slurm:
'
status=3
if [ "${1:-}" = --optional ]; then
    status=0
    shift
fi
if command -v dpkg-query >/dev/null; then
    system=debian table=$debian install='apt-get install'
elif command -v pacman >/dev/null; then
    system=arch table=$arch install='pacman -S'
elif command -v rpm >/dev/null; then
    system=fedora table=$fedora install='dnf install'
else
    system=unknown table=$debian install=
fi

packages_of() { # GROUP
    gcc=gcc-12
    if command -v gcc >/dev/null; then gcc=gcc-$(gcc -dumpversion | cut -d. -f1); fi
    clang=14
    if command -v clang >/dev/null; then clang=$(clang -dumpversion | cut -d. -f1); fi
    echo "$table" | sed -n "s/^$1: *//p" | sed "s/GCC/$gcc/g; s/CLANG/$clang/g"
}

purpose_of() { # GROUP
    echo "$purposes" | sed -n "s/^$1: //p"
}

is_installed() {
    case $system in
    debian) dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed ;;
    arch) pacman -T "$1" >/dev/null ;;
    fedora) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
    esac
}

has_candidate() {
    [ $system != debian ] || apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^(]'
}

# What is missing of the packages "$@": of alternatives the first that can be installed.
missing_of() {
    for entry in "$@"; do
        found= first= names=$(echo "$entry" | tr '|' ' ')
        for package in $names; do
            if is_installed "$package"; then found=yes; fi
        done
        [ -z "$found" ] || continue
        for package in $names; do
            if [ -z "$first" ] && has_candidate "$package"; then first=$package; fi
        done
        echo "${first:-${entry%%|*}}"
    done
}

for group in "$@"; do
    [ -n "$(purpose_of "$group")" ] || { echo "install-packages.sh: no group $group" >&2; exit 2; }
done
if [ $system = unknown ]; then
    echo "Neither dpkg, rpm nor pacman: these packages of Debian, or what they are called here, must be there:"
    for group in "$@"; do packages_of "$group"; done
    exit 0
fi

as_root=""
can_install=yes
if [ "$(id -u)" != 0 ]; then
    as_root="sudo -n"
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || can_install=no
fi
[ $system = debian ] && command -v apt-get >/dev/null || can_install=no

log=$(mktemp)
policy=/usr/sbin/policy-rc.d
has_policy=no # of ours
clean_up() {
    rm -f "$log" "$log.before" "$log.after"
    [ $has_policy = no ] || $as_root rm -f $policy
}
trap clean_up EXIT

# Links by which a service is enabled.
enabled() {
    find /etc/systemd/system /etc/rc?.d -type l \( -path '*.wants/*' -o -path '*.requires/*' -o -name 'S*' \) \
        2>/dev/null | sort
}

# Nothing is started (policy-rc.d), and what was enabled is disabled again.
install_packages() {
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
        has_policy=yes
        $as_root chmod 755 $policy
    fi
    enabled >"$log.before"
    result=0
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 || result=$?
    enabled >"$log.after"
    for link in $(comm -13 "$log.before" "$log.after"); do
        case $link in
        /etc/rc*) $as_root update-rc.d "$(basename "$(readlink "$link")")" disable >>"$log" 2>&1 || true ;;
        *) $as_root rm -f "$link" ;;
        esac
    done
    if [ $has_policy = yes ]; then
        $as_root rm -f $policy
        has_policy=no
    fi
    return $result
}

failed=0
is_updated=no
for group in "$@"; do
    missing=$(missing_of $(packages_of "$group") | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || continue
    purpose=$(purpose_of "$group")
    if [ "${NO_INSTALL:-0}" = 1 ]; then
        echo "Missing packages $purpose: $missing"
        failed=1
        continue
    fi
    if [ $can_install = no ]; then
        echo "Missing $purpose; install them as root: $install $missing" >&2
        failed=1
        continue
    fi
    echo "Installing $(echo $missing | wc -w) packages and what they need $purpose: $missing"
    : >"$log"
    install_packages $missing && continue
    if [ $is_updated = no ]; then # the lists of a fresh system are empty or old
        $as_root apt-get update >>"$log" 2>&1 || true
        is_updated=yes
        missing=$(missing_of $(packages_of "$group") | tr '\n' ' ')
        install_packages $missing && continue
    fi
    if [ $status = 0 ]; then # what this release has of them
        there=
        for package in $missing; do
            if has_candidate "$package"; then there="$there $package"; else echo "There is no package $package here."; fi
        done
        if [ "$there" != " ${missing% }" ]; then
            [ -z "$there" ] || install_packages $there || true
            continue
        fi
    fi
    if [ $status != 0 ]; then cat "$log" >&2; fi
    echo "Could not install ${missing% }: $(grep '^E: ' "$log" | tail -n 1)" >&2
    failed=1
done
[ $failed = 0 ] || { [ "${NO_INSTALL:-0}" != 1 ] || echo "NO_INSTALL=1: nothing was installed."; exit $status; }
