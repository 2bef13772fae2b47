#!/usr/bin/env bash
# Tries the packages on a bare Debian 12, as root: packaging/check.sh [--pairs N] [DEB] [ARCHIVE]
# Makes one with debootstrap in a temporary folder. There the package is installed with apt, an ordinary user runs the
# demo without a display, and the package is purged: only the user's workspace may remain. Then the archive is unpacked by
# that user in a bare Debian where nothing is installed, and runs the demo, too.
#   --pairs N  size of the demo's corpus [2000]
#   --keep     leaves the temporary folder
# With --reproducible and nothing else, strata-run is built from two folders, with two home folders and without the
# compiler cache, and both must have the same bytes (about five minutes on two cores).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pairs=2000 keep=no reproducible=no files=()
while [ $# -gt 0 ]; do
  case "$1" in
    --pairs) pairs=$2; shift ;;
    --keep) keep=yes ;;
    --reproducible) reproducible=yes ;;
    -*) sed -n '2,10s/^# //p' "$0" >&2; exit 2 ;;
    *) files+=("$(realpath "$1")") ;;
  esac
  shift
done
die() { printf 'check: %s\n' "$1" >&2; exit 1; }
say() { printf 'check: %s\n' "$1"; }
work=$(mktemp -d)
finish() {
  local folder
  for folder in "$work"/*/proc; do if mountpoint -q "$folder"; then umount "$folder"; fi; done
  [ $keep = yes ] || rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

# build FOLDER HOME: strata-run of a copy of this checkout. It depends on strata-engine, which is not built here.
build() {
  mkdir -p "$1" "$2/.cache"
  git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents --target-directory="$1")
  cp -a "${XDG_CACHE_HOME:-$HOME/.cache}/strata" "$2/.cache/"
  (
    unset XDG_CACHE_HOME
    export HOME=$2 CCACHE_DISABLE=1
    "$1/packaging/setup.sh" headless -DSTRATA_UNITY=ON
    cd "$1/build/headless"
    ninja strata_commands >"$1.log" || { tail -20 "$1.log" >&2; exit 1; }
    ninja -t commands strata-run | tail -1 >link.sh
    ninja -t commands strata-run | grep -- '-c .*strata-run.dir' | tail -1 >compile.sh
    bash -e compile.sh
    bash -e link.sh
  )
}
if [ $reproducible = yes ]; then
  build "$work/a" "$work/home"
  build "$work/deeper/path/second" "$work/another/home/user"
  cmp "$work/a/build/headless/bin/strata-run" "$work/deeper/path/second/build/headless/bin/strata-run" ||
    die "strata-run differs between two folders and homes"
  say "strata-run has the same bytes in two folders and with two home folders"
  exit 0
fi

[ "$(id -u)" = 0 ] || die "run it as root: it makes a Debian in a folder and enters it with chroot"
[ ${#files[@]} -gt 0 ] || die "name the .deb, and the archive: see cpack in CONTRIBUTING.md"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
mirror=$({ sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources; awk '$1 == "deb" { print $2 }' /etc/apt/sources.list; } 2>/dev/null | head -1 || true)

# bare FOLDER: a Debian with an ordinary user and nothing else.
bare() {
  [ -e "$work/base" ] || debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" ||
    die "debootstrap failed: $(tail -1 "$work/debootstrap.log")"
  cp -a "$work/base" "$work/$1"
  cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
  chroot "$work/$1" useradd --create-home --shell /bin/bash user
  mount -t proc proc "$work/$1/proc"
}
as_user() { chroot --userspec=user "$work/$1" env -i HOME=/home/user PATH="$2" LANG=C.UTF-8 bash -euc "$3"; }
# What apt and dpkg note about any package, and what caches of Debian's programs hold.
everything() {
  (cd "$work/$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./home/user/Strata -o -path ./var/cache -o -path ./var/lib/apt \
    -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp \) -prune -o -print | sort)
}
demo='strata-demo --pairs '$pairs'; test -s ~/Strata/reports/demo/index.html; ls ~/Strata/reports/demo/pictures/*.png | wc -l'

apt() {
  chroot "$work/deb" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null \
    >>"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log" >&2; die "apt-get $* failed"; }
}
check_package() {
  bare deb
  cp "$1" "$work/deb/tmp/strata.deb"
  apt update
  everything deb >"$work/before"
  apt install -y --no-install-recommends /tmp/strata.deb
  say "installed with $(chroot "$work/deb" dpkg-query -W | wc -l) packages on the system"
  as_user deb /usr/bin:/bin "$demo"
  say "the demo ran from the installed package"
  apt purge -y strata
  apt autoremove --purge -y
  everything deb >"$work/after"
  diff "$work/before" "$work/after" >"$work/left" || die "the purge leaves: $(cat "$work/left")"
  say "after the purge only ~/Strata is left"
}
check_archive() {
  bare archive
  cp "$1" "$work/archive/home/user/archive"
  tar --extract --file "$work/archive/home/user/archive" --directory "$work/archive/home/user" --no-same-owner
  chroot "$work/archive" chown -R user: /home/user
  local folder
  folder=$(cd "$work/archive/home/user" && ls -d strata-*/)
  as_user archive "/home/user/${folder}bin:/usr/bin:/bin" "$demo"
  say "the demo ran from the archive, where nothing is installed"
}
for file in "${files[@]}"; do
  case "$file" in *.deb) check_package "$file" ;; *) check_archive "$file" ;; esac
done
