#!/bin/sh
# install-packages.sh [--optional] GROUP...: sees to it that the Debian packages of these groups are installed, group by
# group, and says which it installs and what for. No service that comes with one is started or enabled.
# With --optional a group that cannot be installed is no error: what needs it is skipped, and says so itself.
# NO_INSTALL=1: lists what is missing and exits 3 (with --optional 0) if that is anything. Exits 3, too, where packages
# are missing and cannot be installed (no root, no password-less sudo, no apt-get).
set -eu

# GROUP: what for: packages; "a|b": the first that this release of Debian has, unless one is there already.
groups='
build: to compile warplens: gcc libc6-dev make cmake ninja-build pkg-config libsqlite3-dev zlib1g-dev libjansson-dev liblua5.4-dev libzstd-dev liblz4-dev libelf-dev libdw-dev libiberty-dev uthash-dev libcmocka-dev libcairo2-dev libmicrohttpd-dev
cuda: to compile CUDA programs without a toolkit: clang g++
format: to format C files: clang-format-14 git
fuzz: for the tests with libFuzzer and sanitizers: clang libclang-rt-14-dev|libclang-rt-dev
offload: for the tests with OpenACC and OpenMP target: GCC GCC-offload-nvptx libgomp-plugin-nvptx1
openmp: for the tests with OpenMP on the host: clang libomp-dev
browser: for the tests of HTML and PDF reports: chromium nodejs poppler-utils
schema: for the test of JSON pages: python3-jsonschema
mpi: for the tests with MPI: openmpi-bin libopenmpi-dev gfortran
package: to make a Debian package: dpkg-dev file lintian
site: to make the docs as HTML: pandoc
slurm: for the test of srun, which starts its own slurmctld and slurmd: slurmctld slurmd slurm-client slurm-wlm-basic-plugins
'
status=3
if [ "${1:-}" = --optional ]; then
    status=0
    shift
fi

# The packages of a group. GCC is the default gcc of this release, whose offloading compiler has the same number.
packages_of() {
    gcc=gcc-12
    if command -v gcc >/dev/null; then gcc=gcc-$(gcc -dumpversion | cut -d. -f1); fi
    echo "$groups" | sed -n "s/^$1: [^:]*: //p" | sed "s/GCC/$gcc/g"
}

is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

has_candidate() {
    apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^(]'
}

# What is missing of the packages "$@": of alternatives the first that can be installed.
missing_of() {
    for entry in "$@"; do
        found= first=
        for package in $(echo "$entry" | tr '|' ' '); do
            if is_installed "$package"; then found=yes; fi
            if [ -z "$first" ] && has_candidate "$package"; then first=$package; fi
        done
        [ -n "$found" ] || echo "${first:-${entry%%|*}}"
    done
}

for group in "$@"; do
    [ -n "$(packages_of "$group")" ] || { echo "install-packages.sh: no group $group" >&2; exit 2; }
done
if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: these packages, or what they are called here, must be there:"
    for group in "$@"; do packages_of "$group"; done
    exit 0
fi

as_root=""
can_install=yes
if [ "$(id -u)" != 0 ]; then
    as_root="sudo -n"
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || can_install=no
fi
command -v apt-get >/dev/null || can_install=no

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
install() {
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
    purpose=$(echo "$groups" | sed -n "s/^$group: \([^:]*\): .*/\1/p")
    if [ "${NO_INSTALL:-0}" = 1 ]; then
        echo "Missing Debian packages $purpose: $missing"
        failed=1
        continue
    fi
    if [ $can_install = no ]; then
        echo "Missing $purpose; install them as root: apt-get install $missing" >&2
        failed=1
        continue
    fi
    echo "Installing $purpose: $missing"
    : >"$log"
    install $missing && continue
    if [ $is_updated = no ]; then # the lists of a fresh system are empty or old
        $as_root apt-get update >>"$log" 2>&1 || true
        is_updated=yes
        missing=$(missing_of $(packages_of "$group") | tr '\n' ' ')
        install $missing && continue
    fi
    if [ $status != 0 ]; then cat "$log" >&2; fi
    echo "Could not install ${missing% }: $(grep '^E: ' "$log" | tail -n 1)" >&2
    failed=1
done
[ $failed = 0 ] || { [ "${NO_INSTALL:-0}" != 1 ] || echo "NO_INSTALL=1: nothing was installed."; exit $status; }
