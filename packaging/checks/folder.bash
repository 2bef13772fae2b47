# For packaging/check.sh: a temporary folder, Debians in it that are entered with chroot, and their removal.
work='' running=''

# In a namespace of its own the script's mounts end with it, however it ends.
begin() {
  if [ "$(id -u)" = 0 ] && [ -z "${STRATA_CHECK_MOUNTS:-}" ]; then
    STRATA_CHECK_MOUNTS=own exec unshare --mount "$root/packaging/check.sh" "${arguments[@]}"
  fi
  work=$(realpath "$(mktemp -d)")
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

mounts() { awk -v under="$work/" 'index($2, under) == 1 { print $2 }' /proc/self/mounts | sort -r; }

# Ends what still runs for this script or in a Debian of the folder, and removes the folder, unless something of the
# computer's is still mounted in it.
finish() {
  local result=$? process at
  trap '' INT TERM HUP
  [ -z "$running" ] || kill -KILL -- "-$running" 2>/dev/null || true
  for process in /proc/[0-9]*; do
    case "$(readlink "$process/root" || true)" in "$work"/*) kill -KILL "${process#/proc/}" || true ;; esac
  done 2>/dev/null
  for at in $(mounts); do umount "$at" 2>/dev/null || umount --lazy "$at" || true; done
  if [ -n "$(mounts)" ]; then
    printf 'check: not removed, since something is mounted in it: %s\n' "$work" >&2
  elif [ $keep = yes ]; then
    say "left: $work"
  else
    rm -rf --one-file-system "$work"
  fi
  exit $result
}

needs_root() {
  [ "$(id -u)" = 0 ] || die "run it as root: it makes a Debian in a folder and enters it with chroot"
  command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
}

# bare NAME [SUITE]: a Debian and nothing else.
bare() {
  local suite=${2:-bookworm} base mirror
  base=$work/base.$suite  # no stage can have this name
  mirror=$({ sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources; awk '$1 == "deb" { print $2 }' /etc/apt/sources.list; } 2>/dev/null | head -1 || true)
  if [ ! -e "$base" ]; then
    followed "$work/debootstrap.log" debootstrap --variant=minbase "$suite" "$base" "$mirror"
    [ $status = 0 ] || die "debootstrap failed: $(tail -1 "$work/debootstrap.log")"
  fi
  cp -a "$base" "$work/$1"
  cp -L /etc/resolv.conf /etc/hosts "$work/$1/etc/"
  mount -t proc proc "$work/$1/proc"
}
add_user() { chroot "$work/$1" useradd --create-home --shell /bin/bash user; }
# as_user NAME PATH SCRIPT
as_user() { chroot --userspec=user "$work/$1" env -i HOME=/home/user PATH="$2" LANG=C.UTF-8 bash -euc "$3"; }
demo() { # NAME PATH
  followed - as_user "$1" "$2" "strata-demo --pairs $pairs; test -s ~/Strata/reports/demo/index.html"
  [ $status = 0 ] || die "the demo failed"
  pictures=$(find "$work/$1/home/user/Strata/reports/demo/pictures" -name '*.png' -size +1k | wc -l)
}

# followed LOG COMMAND...: runs it in a process group of its own, prints the last line of its output every minute, and
# leaves its exit status in $status. With the LOG - its whole output is shown.
followed() {
  local log=$1 seconds=0
  shift
  set -m
  if [ "$log" = - ]; then "$@" </dev/null & else "$@" </dev/null >"$log" 2>&1 & fi
  running=$!
  set +m
  while kill -0 "$running" 2>/dev/null; do
    sleep 1
    [ $((++seconds % 60)) != 0 ] || [ "$log" = - ] || say "$((seconds / 60)) min: $(tail -1 "$log" | tr -d '\r' | cut -c 1-110)"
  done
  wait "$running" && status=0 || status=$?
  running=''
}
