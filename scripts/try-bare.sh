#!/usr/bin/env bash
# try-bare.sh RELEASE [MIRROR [TARGET...]]: what a new user sees. Makes a bare root of a Debian release (bookworm,
# trixie; or of Ubuntu, with its mirror) with debootstrap, copies the committed tree into it, and runs the README's
# commands (or these targets of make) in it, as root and then, from a build of its own, as a user without sudo. Prints
# a row a command: who, what, seconds, megabytes more on the disk, exit status. Run by hand, as root: it takes long and
# downloads a lot. KEEP=FOLDER uses and keeps the root.
set -euo pipefail
release=${1:?usage: try-bare.sh RELEASE [MIRROR [TARGET...]]}
mirror=${2:-}
shift $(($# < 2 ? $# : 2))
targets=${*:-demo test}
source=$(cd "$(dirname "$0")/.." && pwd)
root=${KEEP:-$(mktemp -d)/root}

[ -d "$root/etc" ] || debootstrap --variant=minbase "$release" "$root" ${mirror:+"$mirror"} >/dev/null
cp /etc/resolv.conf "$root/etc/resolv.conf"
for folder in proc dev; do
    mountpoint -q "$root/$folder" || mount --bind "/$folder" "$root/$folder"
done
clean_up() {
    umount "$root/proc" "$root/dev"
    [ -n "${KEEP:-}" ] || rm -rf --one-file-system "$(dirname "$root")"
}
trap clean_up EXIT
inside() { chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
size_mb() { du -smx "$root" | cut -f1; }

row() { # WHO COMMAND...
    local who=$1 before=$SECONDS before_mb status=0
    shift
    before_mb=$(size_mb)
    if [ "$who" = root ]; then
        inside sh -c "$*" >"$root/tmp/$who.log" 2>&1 || status=$?
    else
        inside su user -c "$*" >"$root/tmp/$who.log" 2>&1 || status=$?
    fi
    printf '| %s | %s | `%s` | %d | %d | %d |\n' "$release" "$who" "$*" $((SECONDS - before)) $(($(size_mb) - before_mb)) $status
    [ $status = 0 ] || tail -n 25 "$root/tmp/$who.log" >&2
}

echo '| Release | Who | Command | Seconds | MB more | Exit status |'
echo '|---|---|---|---:|---:|---:|'
inside apt-get update >/dev/null
row root "apt-get install -y --no-install-recommends git make ca-certificates"
mkdir -p "$root/root/warplens" "$root/home/user/warplens"
git -C "$source" archive HEAD | tee >(tar x -C "$root/home/user/warplens") | tar x -C "$root/root/warplens"
for target in $targets; do
    row root "cd /root/warplens && make $target"
done
inside id user >/dev/null 2>&1 || inside useradd -m user
inside chown -R user: /home/user
for target in $targets; do
    row user "cd /home/user/warplens && make $target"
done
