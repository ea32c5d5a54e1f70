#!/usr/bin/env bash
# try-bare.sh RELEASE [MIRROR [TARGET...]]: what a new user sees. Makes a bare root of a Debian release (bookworm,
# trixie; or of Ubuntu, with its mirror) with debootstrap, copies the committed tree into it, and runs the README's
# commands (or these targets of make) in it: as a user for whom nothing is installed, as root, and as a user without
# sudo who finds root's packages. Prints a row a command: who, what, seconds, of a processor too, megabytes more on the
# disk, exit status.
# Run by hand, as root: it takes long and downloads a lot. KEEP=FOLDER uses and keeps the root; what the commands print
# is in FOLDER.logs then. FIRST=no leaves out what comes before the first command as root, WHO=root or WHO=user the
# other of the two.
set -euo pipefail
release=${1:?usage: try-bare.sh RELEASE [MIRROR [TARGET...]]}
# mounts are this script's alone, and end with it
[ -n "${IN_NAMESPACE:-}" ] || IN_NAMESPACE=yes exec unshare --mount --propagation private "$0" "$@"
mirror=${2:-}
shift $(($# < 2 ? $# : 2))
targets=${*:-demo test}
source=$(cd "$(dirname "$0")/.." && pwd)
root=${KEEP:-$(mktemp -d)/root}
logs=$root.logs
mkdir -p "$logs"

[ -d "$root/etc" ] || debootstrap --variant=minbase "$release" "$root" ${mirror:+"$mirror"} >"$logs/debootstrap"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for folder in proc sys dev; do
    mount --rbind "/$folder" "$root/$folder"
done
clean_up() {
    umount --recursive --lazy "$root/proc" "$root/sys" "$root/dev"
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$(dirname "$root")"
}
trap clean_up EXIT
inside() { chroot "$root" env -i HOME="$home" LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
home=/root
size_mb() { du -smx "$root" | cut -f1; }

as() { # WHO COMMAND
    if [ "$1" = root ]; then
        inside sh -c "$2"
    else
        home=/home/user inside setpriv --reuid user --regid user --clear-groups sh -c "$2"
    fi
}

row() { # WHO COMMAND
    local before=$SECONDS before_mb status=0 log="$logs/$1: ${2//\//-}" TIMEFORMAT='%U %S'
    before_mb=$(size_mb)
    { time as "$1" "$2" >"$log" 2>&1; } 2>"$logs/cpu" || status=$?
    printf '| %s | %s | `%s` | %d | %.0f | %d | %d |\n' "$release" "$1" "$2" $((SECONDS - before)) \
        "$(tail -n 1 "$logs/cpu" | awk '{ print $1 + $2 }')" $(($(size_mb) - before_mb)) $status
    [ $status = 0 ] || tail -n 25 "$log" >&2
}

tree() { # FOLDER of the root: the committed tree
    mkdir -p "$root/$1"
    git -C "$source" archive HEAD | tar x -C "$root/$1"
}

echo '| Release | Who | Command | Seconds | Of a processor | MB more | Exit status |'
echo '|---|---|---|---:|---:|---:|---:|'
inside id user >/dev/null 2>&1 || inside useradd -m user
tree /root/warplens
tree /home/user/warplens
inside chown -R user: /home/user
if [ "${FIRST:-yes}" = yes ]; then
    inside apt-get update >/dev/null
    row root "apt-get install -y --no-install-recommends git make ca-certificates"
    row user "cd ~/warplens && make demo"
fi
for who in ${WHO:-root user}; do
    for target in $targets; do
        row $who "cd ~/warplens && make $target"
    done
done
