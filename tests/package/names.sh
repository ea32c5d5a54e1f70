#!/bin/sh
# names.sh: on a system without dpkg the install script names what is missing as this system calls it, and installs
# nothing. The package managers are stand-ins that know one package. And what a skipped test misses on Debian is among what
# `make test` installs. Environment: SOURCE.
set -eu
unset NO_INSTALL # of `make NO_INSTALL=1 test`, which would be obeyed here, too
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for system in fedora arch none; do
    mkdir $system
    for tool in sh sed cut tr grep id mktemp rm head tail wc; do ln -s "$(command -v $tool)" $system/$tool; done
done
printf '#!/bin/sh\n[ "$*" = "-q --whatprovides jansson-devel" ]\n' >fedora/rpm
printf '#!/bin/sh\n[ "$*" = "-T jansson" ]\n' >arch/pacman
chmod +x fedora/rpm arch/pacman
look() { # SYSTEM STATUS WORDS...: options and groups; prints into log
    status=0
    system=$1 wanted=$2
    shift 2
    PATH="$folder/$system" sh "$SOURCE/scripts/install-packages.sh" "$@" >log 2>&1 || status=$?
    [ $status = "$wanted" ] || { echo "$system: ends with $status"; cat log; exit 1; }
}
has() { grep -qF -- "$1" log || { echo "does not say: $1"; cat log; exit 1; }; }
look fedora 3 build cuda
has 'Missing to compile warplens; install them as root: dnf install gcc glibc-devel '
has ' libmicrohttpd-devel'
has 'Missing to compile CUDA programs without a toolkit; install them as root: dnf install clang gcc-c++'
! grep -q jansson-devel log
look arch 3 build
has 'install them as root: pacman -S gcc make cmake ninja '
! grep -q jansson log
look arch 0 --optional slurm offload mpi
has 'Missing for the tests with MPI; install them as root: pacman -S openmpi gcc-fortran'
[ "$(wc -l <log)" = 1 ]
look none 0 cuda
has 'Neither dpkg, rpm nor pacman'
look fedora 2 nonsense
has 'no group nonsense'

groups=$(sed -n 's/^\(test_\)\{0,1\}groups = //p' "$SOURCE/Makefile")
for group in $groups; do
    sed -n "/^debian=/,/^'/s/^$group: *//p" "$SOURCE/scripts/install-packages.sh"
done | tr ' |' '\n\n' | sed 's/GCC/gcc-12/; s/CLANG/14/' >installed
grep -rhoE 'Debian packages? [^)]*\)' "$SOURCE/tests" |
    sed 's/Debian packages* //; s/)$//; s/ or [^,]*//g; s/, */\n/g' | grep -xE '[a-z0-9.+-]+' | sort -u >missed
[ "$(wc -l <missed)" -gt 9 ] || { echo "few packages are named by tests that skip:"; cat missed; exit 1; }
if grep -vxFf installed missed; then
    echo "not among what make test installs: see above"
    exit 1
fi
